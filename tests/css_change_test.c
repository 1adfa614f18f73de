/* Changes of attributes, states and places: after each of them the same as everything matched anew,
 * and what changed is what differs. */
#include <stdlib.h>

#include "css_pages.h"
#include "css_random.h"
#include "model/document.h"

TestSuite(css_change, .init = open_names, .fini = close_names);

static hed_css_matcher *matched(
    hed_css_document *const *documents, uint32_t count, hed_css_sheet *sheet)
{
    hed_css_matcher *m = NULL;
    hed_error error = {0};
    hed_css_matcher_def def = {
        .documents = documents, .document_count = count, .sheets = &sheet, .sheet_count = 1};
    OK(hed_css_matcher_create(NULL, &def, &m, &error));
    OK(hed_css_match(m, &error));
    return m;
}

/* Whether element `a` of one result matches other rules than element `b` of another. */
static bool differs(const hed_css_result *x, uint32_t a, const hed_css_result *y, uint32_t b)
{
    uint32_t k = x->element_class[a], l = y->element_class[b];
    uint32_t count = x->class_begin[k + 1] - x->class_begin[k];
    return y->class_begin[l + 1] - y->class_begin[l] != count ||
           memcmp(
               x->rule + x->class_begin[k], y->rule + y->class_begin[l], count * sizeof *x->rule);
}

/* A matcher after a change is as one made anew. */
static void equals_anew(const hed_css_matcher *m, hed_css_document *const *documents,
    uint32_t count, hed_css_sheet *sheet, const char *what)
{
    hed_css_matcher *anew = matched(documents, count, sheet);
    hed_css_result x = hed_css_matcher_results(m), y = hed_css_matcher_results(anew);
    CHECK_EQ(x.elements, y.elements);
    CHECK_EQ(x.pairs, y.pairs, "after %s", what);
    for (uint32_t e = 0; e < x.elements; e++)
        CHECK(!differs(&x, e, &y, e), "element %u after %s", e, what);
    hed_css_matcher_destroy(anew);
}

/* The lists of rules as they are, so that they can be compared later. */
static hed_css_result copy_of(const hed_css_matcher *m)
{
    hed_css_result r = hed_css_matcher_results(m);
    uint32_t *classes = malloc(r.elements * sizeof *classes);
    uint32_t *begin = malloc((r.classes + 1) * sizeof *begin);
    uint32_t *rule = malloc((r.class_begin[r.classes] + 1) * sizeof *rule);
    memcpy(classes, r.element_class, r.elements * sizeof *classes);
    memcpy(begin, r.class_begin, (r.classes + 1) * sizeof *begin);
    if (r.class_begin[r.classes]) memcpy(rule, r.rule, r.class_begin[r.classes] * sizeof *rule);
    r.element_class = classes;
    r.class_begin = begin;
    r.rule = rule;
    return r;
}

static void free_copy(hed_css_result r)
{
    free((void *)(uintptr_t)r.element_class);
    free((void *)(uintptr_t)r.class_begin);
    free((void *)(uintptr_t)r.rule);
}

/* What is said to have changed is what differs. */
static void lists_what_changed(const hed_css_result *before, const hed_css_matcher *m,
    const hed_css_changes *changes, const char *what)
{
    hed_css_result now = hed_css_matcher_results(m);
    uint32_t wanted = 0;
    for (uint32_t e = 0; e < now.elements; e++) wanted += differs(before, e, &now, e);
    CHECK_EQ(changes->count, wanted, "after %s", what);
    for (uint32_t i = 0; i < changes->count; i++)
        CHECK(differs(before, changes->elements[i], &now, changes->elements[i]),
            "element %u after %s", changes->elements[i], what);
}

static bool is_within(const hed_css_document *d, uint32_t e, uint32_t root)
{
    return e >= root && e < d->end[root];
}

/* One random change; gives what it was. */
static const char *change(css_random *random, hed_css_matcher *m, hed_css_document *d, uint32_t n)
{
    static const struct {
        const char *name, *values[5];
    } attributes[] = {{"class", {"a", "b c", "a b", NULL, "c"}},
        {"class", {"b", "", "a a a", "c b a", "d"}}, {"id", {"i1", "i2", NULL, "", "other"}},
        {"title", {"x", "xy", NULL, "y", "x y"}}, {"lang", {"en", "de", NULL, "en-GB", ""}},
        {"dir", {"rtl", NULL, "ltr", "x", "rtl"}}, {"data-x", {"1", NULL, "2", "3", "4"}},
        {"href", {"#", NULL, "x", "y", NULL}}};
    static char what[256];
    hed_error error = {0};
    hed_css_changes changes;
    uint32_t e = css_random_below(random, d->count), kind = css_random_below(random, 20);
    if (kind < 2 && d->parent[e] != CSS_NONE) {
        uint32_t parent = css_random_below(random, d->count), before = CSS_NONE, moved;
        if (is_within(d, parent, e)) parent = 0;
        uint32_t child = parent + 1;
        for (uint32_t skip = css_random_below(random, 4); child < d->end[parent] && skip; skip--)
            child = d->end[child];
        if (child < d->end[parent] && child != e) before = child;
        snprintf(what, sizeof what, "a move of %u below %u before %d", e, parent, (int)before);
        uint32_t tag = d->tag[e];
        OK(hed_css_move(m, n, e, parent, before, &moved, &changes, &error));
        CHECK_EQ(d->tag[moved], tag);
        return what;
    }
    hed_css_result before = copy_of(m);
    if (kind < 5) {
        uint32_t states = css_random_below(random, 2) ? 0 : css_random_below(random, 16);
        snprintf(what, sizeof what, "states %x of %u", states, e);
        OK(hed_css_set_state(m, n, e, states, &changes, &error));
    } else {
        uint32_t a = css_random_below(random, HED_COUNT(attributes));
        const char *value = attributes[a].values[css_random_below(random, 5)];
        snprintf(what, sizeof what, "%s=%s of %u", attributes[a].name, value ? value : "(none)", e);
        OK(hed_css_set_attribute(m, n, e, attributes[a].name, value, &changes, &error));
    }
    if (n == 0) lists_what_changed(&before, m, &changes, what);
    free_copy(before);
    return what;
}

Test(css_change, random_changes_equal_a_match, .timeout = 120)
{
    enum { PAGES = 24, CHANGES = 100, SELECTORS = 40 };
    css_random random = {.seed = 17};
    uint64_t changed = 0;
    for (int n = 0; n < PAGES; n++) {
        static char html[8192], text[SELECTORS * 2048 + 65536];
        hed_css_document *pages[2];
        for (int i = 0; i < 2; i++) {
            css_random_page(&random, html, sizeof html, 40);
            pages[i] = page(html);
        }
        snprintf(text, sizeof text, "p:hover + :not(:focus) {} :has(> :active) .a {} :disabled {}");
        /* few, so that what is there at first is not all there will be */
        for (int s = 0; s < (n % 3 ? SELECTORS : 3); s++) {
            char selector[2000] = "";
            css_random_selector(&random, selector, sizeof selector, n % 2 ? 3 : 0, n % 4 == 1);
            css_random_append(text, sizeof text, selector);
            css_random_append(text, sizeof text, "{}\n");
        }
        if (n % 4 == 3) css_random_scope(&random, text, sizeof text, 0);
        hed_css_sheet *sheet = sheet_of(text);
        hed_css_matcher *m = matched(pages, 2, sheet);
        for (int i = 0; i < CHANGES; i++) {
            uint32_t which = css_random_below(&random, 8) == 0;
            const char *what = change(&random, m, pages[which], which);
            equals_anew(m, pages, 2, sheet, what);
            changed++;
        }
        hed_error error = {0};
        OK(hed_css_match(m, &error));
        equals_anew(m, pages, 2, sheet, "a match");
        hed_css_matcher_destroy(m);
        hed_css_sheet_destroy(sheet);
        for (int i = 0; i < 2; i++) hed_css_document_destroy(pages[i]);
    }
    EXPECT_EQ(changed, (uint64_t)PAGES * CHANGES);
}

Test(css_change, what_it_refuses)
{
    hed_css_document *d = page("<!doctype html><body><p><em>1</em></p><p>2</p>");
    hed_css_sheet *sheet = sheet_of(".a { } p + p { }");
    hed_error error = {0};
    hed_css_matcher *m = NULL;
    hed_css_document *twice[] = {d, d};
    hed_css_matcher_def def = {
        .documents = twice, .document_count = 1, .sheets = &sheet, .sheet_count = 1};
    OK(hed_css_matcher_create(NULL, &def, &m, &error));
    FAILS(HED_ERROR_ARGUMENT, hed_css_set_state(m, 0, 0, 1, NULL, &error));
    error = (hed_error){0};
    OK(hed_css_match(m, &error));
    FAILS(HED_ERROR_ARGUMENT, hed_css_set_state(m, 0, 99, 1, NULL, &error));
    error = (hed_error){0};
    FAILS(HED_ERROR_ARGUMENT, hed_css_set_state(m, 1, 0, 1, NULL, &error));
    error = (hed_error){0};
    FAILS(HED_ERROR_ARGUMENT, hed_css_set_attribute(m, 0, 3, NULL, "a", NULL, &error));
    error = (hed_error){0};
    FAILS(HED_ERROR_ARGUMENT, hed_css_move(m, 0, 3, 4, CSS_NONE, NULL, NULL, &error));
    error = (hed_error){0};
    FAILS(HED_ERROR_ARGUMENT, hed_css_move(m, 0, 0, 3, CSS_NONE, NULL, NULL, &error));
    error = (hed_error){0};
    FAILS(HED_ERROR_ARGUMENT, hed_css_move(m, 0, 4, 2, 1, NULL, NULL, &error));
    error = (hed_error){0};
    hed_css_changes changes;
    OK(hed_css_set_attribute(m, 0, 4, "class", "a", &changes, &error));
    EXPECT_EQ(changes.count, 1u);
    OK(hed_css_set_attribute(m, 0, 4, "class", "a", &changes, &error));
    EXPECT_EQ(changes.count, 0u, "it is the same again");
    hed_css_matcher_destroy(m);
    def.document_count = 2;
    OK(hed_css_matcher_create(NULL, &def, &m, &error));
    OK(hed_css_match(m, &error));
    FAILS(HED_ERROR_ARGUMENT, hed_css_set_state(m, 1, 0, 1, NULL, &error));
    hed_css_matcher_destroy(m);
    hed_css_sheet_destroy(sheet);
    hed_css_document_destroy(d);
}

/* Where memory runs out in the middle, a match puts it right. */
Test(css_change, every_allocation_may_fail)
{
    int refused = 0;
    for (int64_t at = 1;; at++) {
        test_allocator memory = {0};
        hed_allocator allocator = test_allocator_of(&memory);
        hed_error error = {0};
        hed_css_names_destroy(names);
        OK(hed_css_names_create(&allocator, &names, &error));
        hed_css_document *d =
            page("<!doctype html><body><p class=a>1<p class=b>2<div><p><em>3</em>");
        hed_css_sheet *sheet = sheet_of(".a + p { } .c > em { } :has(em) p:nth-child(1 of p) { }"
                                        ":lang(en) p { } #i { } p:not(.b em) { }");
        hed_css_matcher *m = matched(&d, 1, sheet);
        hed_css_changes changes;
        memory.fail_at = memory.calls + at;
        hed_status status = hed_css_set_attribute(m, 0, 3, "class", "b q", &changes, &error);
        if (!status) status = hed_css_set_attribute(m, 0, 6, "class", "c", &changes, &error);
        if (!status) status = hed_css_set_attribute(m, 0, 5, "lang", "en", &changes, &error);
        bool done = memory.calls < memory.fail_at;
        memory.fail_at = 0;
        CHECK_EQ(status, done ? HED_OK : HED_ERROR_MEMORY, "allocation %lld", (long long)at);
        error = (hed_error){0};
        if (!done) OK(hed_css_match(m, &error));
        equals_anew(m, &d, 1, sheet, "an allocation that failed");
        hed_css_matcher_destroy(m);
        hed_css_sheet_destroy(sheet);
        hed_css_document_destroy(d);
        hed_css_names_destroy(names);
        CHECK_EQ(memory.live, 0, "allocation %lld", (long long)at);
        OK(hed_css_names_create(NULL, &names, &error));
        if (done) break;
        refused++;
    }
    EXPECT_GE(refused, 10);
}
