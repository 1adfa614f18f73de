/* The table of names: the same number for the same text, lower case, growth, memory that runs
 * out. */
#include "testing.h"

#include "engines/css/model/names.h"

static uint32_t name_of(hed_css_names *names, const char *text)
{
    return hed_css_names_add(names, text, strlen(text));
}

Test(css_names, the_same_text_has_the_same_number)
{
    hed_error error = {0};
    hed_css_names *names;
    OK(hed_css_names_create(NULL, &names, &error));
    uint32_t div = name_of(names, "div"), empty = hed_css_names_add(names, NULL, 0);
    CHECK_EQ(div, 0, "numbers begin with 0");
    CHECK_EQ(hed_css_names_add(names, "divider", 3), div);
    CHECK_NE(name_of(names, "DIV"), div);
    CHECK_EQ(name_of(names, ""), empty);
    CHECK_EQ(css_name_find(names, "span", 4), HED_CSS_NONE);
    uint32_t zero = hed_css_names_add(names, "a\0b", 3);
    CHECK_NE(zero, name_of(names, "a"), "a zero does not end a name");
    size_t length;
    CHECK_BYTES(hed_css_names_text(names, zero, &length), "a\0b", 4);
    CHECK_EQ(length, 3);
    CHECK_TEXT(hed_css_names_text(names, HED_CSS_NONE, &length), "");
    CHECK_EQ(length, 0);
    hed_css_names_destroy(names);
    hed_css_names_destroy(NULL);
    FAILS(HED_ERROR_ARGUMENT, hed_css_names_create(NULL, NULL, &error));
}

Test(css_names, lower_case_is_that_of_ascii)
{
    hed_error error = {0};
    hed_css_names *names;
    OK(hed_css_names_create(NULL, &names, &error));
    uint32_t upper = name_of(names, "viewBox-\303\204"), lower = css_name_lower(names, upper);
    CHECK_TEXT(hed_css_names_text(names, lower, NULL), "viewbox-\303\204");
    CHECK_EQ(css_name_lower(names, lower), lower);
    CHECK_EQ(css_name_lower(names, upper), lower);
    char text[1000];
    memset(text, 'Q', sizeof text);
    lower = css_name_lower(names, hed_css_names_add(names, text, sizeof text));
    memset(text, 'q', sizeof text);
    CHECK_EQ(css_name_find(names, text, sizeof text), lower);
    hed_css_names_destroy(names);
}

/* Enough names for several steps of growth, and some of the sizes around a block's. */
static hed_status fill_names(const hed_allocator *allocator, hed_error *error)
{
    enum { COUNT = 5000, LONG = 70000 };
    hed_css_names *names;
    hed_status status = hed_css_names_create(allocator, &names, error);
    if (status) return status;
    static char text[LONG];
    memset(text, 'x', sizeof text);
    bool full = false;
    for (uint32_t round = 0; round < 2 && !full; round++) {
        for (uint32_t i = 0; i < COUNT && !full; i++) {
            char word[16];
            int length = snprintf(word, sizeof word, "Name%u", i);
            uint32_t number = hed_css_names_add(names, word, (size_t)length);
            full = number == HED_CSS_NONE;
            if (!full) {
                CHECK_EQ(number, i);
                CHECK_TEXT(hed_css_names_text(names, i, NULL), word);
            }
        }
        for (uint32_t i = 0; i < 3 && !full; i++) {
            size_t length = i == 0 ? LONG : 16000 + i * 300;
            uint32_t number = hed_css_names_add(names, text, length);
            full = number == HED_CSS_NONE;
            if (!full) {
                CHECK_EQ(number, COUNT + i);
                CHECK_EQ(strlen(hed_css_names_text(names, number, NULL)), length);
            }
        }
    }
    uint32_t first = full ? HED_CSS_NONE : css_name_lower(names, 0);
    if (first == HED_CSS_NONE) full = true;
    else CHECK_TEXT(hed_css_names_text(names, first, NULL), "name0");
    hed_css_names_destroy(names);
    return full ? HED_ERROR_MEMORY : HED_OK;
}

Test(css_names, every_allocation_may_fail)
{
    hed_error error = {0};
    OK(fill_names(NULL, &error));
    int refused = 0;
    for (int64_t at = 1;; at++) {
        test_allocator memory = {.fail_at = at};
        hed_allocator allocator = test_allocator_of(&memory);
        error = (hed_error){0};
        hed_status status = fill_names(&allocator, &error);
        CHECK_EQ(memory.live, 0);
        if (memory.calls < at) {
            CHECK_EQ(status, HED_OK);
            break;
        }
        CHECK_EQ(status, HED_ERROR_MEMORY, "allocation %lld", (long long)at);
        refused++;
    }
    CHECK_GE(refused, 10);
}
