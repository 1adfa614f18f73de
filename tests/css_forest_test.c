/* Shapes of a forest: elements that no selector can tell apart but by what varies share one. */
#include <stdlib.h>

#include "solver/forest.h"
#include "testing.h"

static hed_css_names *names;
static void open_names(void)
{
    hed_error error = {0};
    OK(hed_css_names_create(NULL, &names, &error));
}
static void close_names(void) { hed_css_names_destroy(names); }

TestSuite(css_forest, .init = open_names, .fini = close_names);

static hed_css_document *page(const char *html)
{
    hed_css_document *d = NULL;
    hed_error error = {0};
    OK(hed_css_document_create(names, &(hed_css_document_def){.html = html}, &d, &error));
    return d;
}

Test(css_forest, what_a_shape_is)
{
    hed_arena arena = {.owner = "a test"};
    hed_error error = {0};
    css_forest f;
    char html[8192] = "<!doctype html><body>"
                      "<p id=a class='x y'></p><p id=b class='y x'></p><p class='x y' id=c>t</p>"
                      "<p class='x y' lang=de></p><p title=1></p><p title=2></p><p title=1></p>";
    size_t used = strlen(html);
    for (int i = 0; i < 40; i++) /* more values than a shape holds: they vary */
        used += (size_t)snprintf(html + used, sizeof html - used, "<a href=#%d></a>", i);
    hed_css_document *pages[2] = {page(html), page("<!doctype html><body><p title=2>")};
    OK(css_forest_make(&f, &arena, pages, 2, &error));
    const uint32_t *s = f.shape + 3; /* behind html, head, body */
    EXPECT_NE(s[0], s[1], "the words of class in another order are another value of [class]");
    EXPECT_NE(s[0], s[2], "text makes it not empty");
    EXPECT_NE(s[0], s[3], "another language");
    EXPECT_NE(s[4], s[5]);
    EXPECT_EQ(s[4], s[6]);
    for (int i = 8; i < 47; i++) EXPECT_EQ(s[i], s[7], "link %d", i);
    EXPECT_EQ(f.shape[f.first[1] + 3], s[5], "documents share shapes");
    EXPECT_EQ(f.varying_begin[f.first[0] + 3 + 1] - f.varying_begin[f.first[0] + 3], 1u, "its id");
    uint32_t link = f.first[0] + 3 + 20;
    CHECK_EQ(f.varying_begin[link + 1] - f.varying_begin[link], 1u);
    EXPECT_TEXT(
        hed_css_name_text(names, f.pairs[f.varying[f.varying_begin[link]]].value, NULL), "#13");
    hed_arena_free(&arena);
    for (int i = 0; i < 2; i++) hed_css_document_destroy(pages[i]);
}

/* Random trees: as many shapes as there are distinct texts of all that a shape holds. */
Test(css_forest, shapes_are_exact)
{
    enum { N = 3000 };
    static const char *const tags[] = {"div", "p", "span"}, *const classes[] = {
                                                                "", "a", "b", "a b"};
    hed_arena arena = {.owner = "a test"};
    hed_error error = {0};
    hed_css_element *elements = calloc(N, sizeof *elements);
    hed_css_attribute *attributes = calloc(2 * N, sizeof *attributes);
    char(*values)[16] = calloc(N, sizeof *values);
    for (uint32_t i = 0; i < N; i++) {
        uint32_t w = hed_sample_word(7, 0, i);
        snprintf(values[i], sizeof values[i], "%u", w % 50);
        attributes[2 * i] = (hed_css_attribute){"class", classes[w % 4], 0};
        attributes[2 * i + 1] = (hed_css_attribute){w >> 20 & 1 ? "title" : "data-x",
            w >> 20 & 1 ? (w >> 21 & 1 ? "1" : "2") : values[i], 0};
        elements[i] = (hed_css_element){.parent = i ? 0 : HED_CSS_NONE,
            .name = tags[w >> 8 & 1],
            .attributes = attributes + 2 * i,
            .attribute_count = 2,
            .has_text = w >> 30};
    }
    hed_css_document_def def = {.elements = elements, .element_count = N};
    hed_css_document *d;
    css_forest f;
    OK(hed_css_document_create(names, &def, &d, &error));
    OK(css_forest_make(&f, &arena, &d, 1, &error));
    uint32_t distinct = 0;
    for (uint32_t i = 0; i < N; i++) {
        bool seen = false;
        for (uint32_t k = 0; k < i && !seen; k++) {
            const hed_css_attribute *x = &attributes[2 * i], *y = &attributes[2 * k];
            bool same = !strcmp(elements[i].name, elements[k].name) && d->flags[i] == d->flags[k] &&
                        !strcmp(x[0].value, y[0].value) && !strcmp(x[1].name, y[1].name) &&
                        (!strcmp(x[1].name, "data-x") || !strcmp(x[1].value, y[1].value));
            if (same != (f.shape[i] == f.shape[k])) CHECK_EQ(f.shape[i], f.shape[k], "%u %u", i, k);
            seen = same;
        }
        distinct += !seen;
    }
    EXPECT_EQ(f.shape_count, distinct);
    hed_css_document_destroy(d);
    hed_arena_free(&arena);
    free(values);
    free(attributes);
    free(elements);
}
