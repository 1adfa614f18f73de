/* ctest: devices */
/* Matching on a device against the processor: the same rules for each element, whatever the
 * documents, the sheets, and the room that there is at first. */
#include <stdlib.h>

#include "css_changes.h"
#include "css_pages.h"
#include "css_random.h"
#include "fixture.h"
#include "folder.h"
#include "model/document.h"
#include "model/selector.h"
#include "solver/matcher.h"

static void open_all(void)
{
    here_open();
    open_names();
}
static void close_all(void)
{
    close_names();
    here_close();
}

TestSuite(css_device, .init = open_all, .fini = close_all);

static hed_css_matcher *matched(
    hed_device *device, hed_css_document *const *documents, uint32_t count, hed_css_sheet *sheet)
{
    hed_css_matcher *m = NULL;
    hed_error error = {0};
    hed_css_matcher_def def = {.documents = documents,
        .document_count = count,
        .sheets = &sheet,
        .sheet_count = sheet != NULL};
    OK(hed_css_matcher_create(device, &def, &m, &error));
    OK(hed_css_match(m, &error));
    return m;
}

/* The same rules for each element. */
static uint64_t compare(const hed_css_matcher *a, const hed_css_matcher *b, const char *what)
{
    hed_css_result x = hed_css_matcher_results(a), y = hed_css_matcher_results(b);
    CHECK_EQ(x.elements, y.elements);
    CHECK_EQ(x.rules, y.rules);
    for (uint32_t e = 0; e < x.elements; e++) {
        uint32_t c = x.element_class[e], k = y.element_class[e];
        CHECK_LT(c, x.classes);
        CHECK_LT(k, y.classes);
        uint32_t begin = x.class_begin[c], other = y.class_begin[k];
        uint32_t length = x.class_begin[c + 1] - begin;
        for (uint32_t i = 0; i < length && other + i < y.class_begin[k + 1]; i++)
            CHECK_EQ(x.rule[begin + i], y.rule[other + i], "rule %u of element %u, %s", i, e, what);
        CHECK_EQ(length, y.class_begin[k + 1] - other, "rules of element %u, %s", e, what);
    }
    CHECK_EQ(x.pairs, y.pairs);
    return x.pairs;
}

/* Groups as wide as a GPU's, on a device that has others of its own. */
static void check_wide(const hed_css_matcher *host, const char *what)
{
    const hed_device_info info = hed_device_describe(here.device);
    hed_css_result wanted = hed_css_matcher_results(host);
    hed_error error = {0};
    css_device *device = NULL;
    css_found found;
    if (!strcmp(info.backend, "host") || info.type != HED_DEVICE_CPU) return;
    OK(css_device_create(
        here.device, host->allocator, &host->compiled, &host->forest, true, &device, &error));
    if (device && css_device_match(device, &found, &error))
        for (uint32_t e = 0; e < wanted.elements; e++) {
            uint32_t c = wanted.element_class[e], k = found.element_class[e];
            uint32_t begin = wanted.class_begin[c], other = found.class_begin[k];
            uint32_t length = wanted.class_begin[c + 1] - begin;
            CHECK_EQ(found.class_begin[k + 1] - other, length, "rules of element %u, %s", e, what);
            for (uint32_t i = 0; i < length; i++)
                CHECK_EQ(host->compiled.tables.final[found.final[other + i]].rule,
                    wanted.rule[begin + i], "rule %u of element %u, %s", i, e, what);
        }
    CHECK_EQ(error.status, HED_OK, "%s", error.text);
    css_device_destroy(device);
}

/* A sheet against documents on the device and on the processor, twice; the pairs that there are. */
static uint64_t both(
    hed_css_document *const *documents, uint32_t count, hed_css_sheet *sheet, const char *what)
{
    hed_error error = {0};
    hed_css_matcher *here_one = matched(here.device, documents, count, sheet);
    hed_css_matcher *host = matched(NULL, documents, count, sheet);
    uint64_t pairs = compare(host, here_one, what);
    OK(hed_css_match(here_one, &error));
    compare(host, here_one, what);
    check_wide(host, what);
    hed_css_matcher_destroy(here_one);
    hed_css_matcher_destroy(host);
    return pairs;
}

Test(css_device, plain_cases, .timeout = 240)
{
    hed_css_document *d = page("<!doctype html><body><p id=a class=x>1</p><p class=x>2</p>"
                               "<div><p>3</p><ul><li>1<li class=x>2<li>3</ul></div>");
    hed_css_sheet *sheet = sheet_of(
        ".x { } p { } #a { } div > p, p + p { } em { } * { } body p { } li:nth-child(2) { } "
        "li ~ .x { } div:has(.x) { } :is(body > div, em) li { } p:not(.x) { } "
        "li:not(:has(+ li)) { } :nth-child(2 of .x) { } li:nth-last-child(2 of li) { } "
        "div li + li:last-child { }");
    CHECK_GT(both(&d, 1, sheet, "plain cases"), 30u);
    hed_css_sheet_destroy(sheet);
    hed_css_document_destroy(d);
}

Test(css_device, changes_by_a_reader, .timeout = 240)
{
    hed_css_document *pages[HED_COUNT(css_changes)];
    hed_css_matcher *matchers[2] = {0};
    hed_error error = {0};
    char text[8192] = "";
    size_t length = 0;
    for (size_t i = 0; i < HED_COUNT(css_changes); i++) {
        pages[i] = page(css_changes[i].html);
        length += (size_t)snprintf(
            text + length, sizeof text - length, "%s { }", css_changes[i].selector);
    }
    CHECK_LT(length, sizeof text);
    hed_css_sheet *sheet = sheet_of(text);
    hed_css_matcher_def def = {.documents = pages,
        .document_count = HED_COUNT(css_changes),
        .sheets = &sheet,
        .sheet_count = 1,
        .states_possible = true};
    for (int i = 0; i < 2; i++) {
        OK(hed_css_matcher_create(i ? here.device : NULL, &def, &matchers[i], &error));
        OK(hed_css_match(matchers[i], &error));
    }
    CHECK_GT(compare(matchers[0], matchers[1], "changes by a reader"), 100u);
    for (int i = 0; i < 2; i++) hed_css_matcher_destroy(matchers[i]);
    hed_css_sheet_destroy(sheet);
    for (size_t i = 0; i < HED_COUNT(css_changes); i++) hed_css_document_destroy(pages[i]);
}

static hed_css_document *random_page(css_random *r, int elements)
{
    static char html[32768];
    css_random_page(r, html, sizeof html, elements);
    return page(html);
}

static hed_css_sheet *random_sheet(css_random *r, int selectors)
{
    static char text[100 * 2048];
    text[0] = 0;
    for (int s = 0; s < selectors; s++) {
        char selector[2000] = "";
        css_random_selector(r, selector, sizeof selector, 0, false);
        css_random_append(text, sizeof text, selector);
        css_random_append(text, sizeof text, "{}\n");
    }
    return sheet_of(text);
}

Test(css_device, random_pairs, .timeout = 600)
{
    enum { PAGES = 6, SELECTORS = 80 };
    css_random r = {.seed = 5};
    uint64_t pairs = 0;
    for (int n = 0; n < PAGES; n++) {
        static char html[8192];
        css_random_page(&r, html, sizeof html, 40);
        hed_css_document *d = page(html);
        hed_css_sheet *sheet = random_sheet(&r, SELECTORS);
        pairs += both(&d, 1, sheet, html);
        hed_css_sheet_destroy(sheet);
        hed_css_document_destroy(d);
    }
    CHECK_GT(pairs, 1000u);
}

/* One matcher for documents of other sizes: its kernels and buffers stay, and nothing of a former
 * document is in a result. */
Test(css_device, documents_one_after_the_other, .timeout = 240)
{
    static const int sizes[] = {40, 3, 200, 40, 12, 120, 1, 200};
    enum { SELECTORS = 60 };
    css_random r = {.seed = 21};
    hed_css_document *pages[HED_COUNT(sizes)];
    hed_css_matcher *m = NULL;
    hed_error error = {0};
    uint64_t pairs = 0;
    for (size_t n = 0; n < HED_COUNT(sizes); n++) pages[n] = random_page(&r, sizes[n]);
    hed_css_sheet *sheet = random_sheet(&r, SELECTORS);
    for (size_t n = 0; n < HED_COUNT(sizes); n++) {
        hed_css_matcher *host = matched(NULL, &pages[n], 1, sheet);
        if (!m) m = matched(here.device, &pages[n], 1, sheet);
        else OK(hed_css_matcher_set_documents(m, &pages[n], 1, &error));
        for (int again = 0; again < 2; again++) {
            OK(hed_css_match(m, &error));
            pairs += compare(host, m, "documents one after the other");
        }
        hed_css_matcher_destroy(host);
    }
    CHECK_GT(pairs, 1000u);
    hed_css_matcher_destroy(m);
    hed_css_sheet_destroy(sheet);
    for (size_t n = 0; n < HED_COUNT(sizes); n++) hed_css_document_destroy(pages[n]);
}

Test(css_device, a_forest, .timeout = 240)
{
    enum { PAGES = 20, SELECTORS = 100 };
    css_random r = {.seed = 9};
    hed_css_document *pages[PAGES];
    for (int n = 0; n < PAGES; n++) pages[n] = random_page(&r, 60);
    hed_css_sheet *sheet = random_sheet(&r, SELECTORS);
    CHECK_GT(both(pages, PAGES, sheet, "a forest"), 1000u);
    CHECK_GT(both(pages + 3, 1, sheet, "one of it"), 10u);
    hed_css_sheet_destroy(sheet);
    for (int n = 0; n < PAGES; n++) hed_css_document_destroy(pages[n]);
}

/* ---- shapes of trees ---- */

/* Elements in a row: `name` of each and its parent; classes a, b, none in turn. */
static hed_css_document *tree(uint32_t count, uint32_t (*parent_of)(uint32_t element))
{
    hed_css_document *d = NULL;
    hed_error error = {0};
    static const hed_css_attribute classes[] = {{"class", "a", 0}, {"class", "b", 0}};
    static const char *const tags[] = {"div", "p", "span", "div", "ul"};
    hed_css_element *elements = calloc(count, sizeof *elements);
    CHECK(elements != NULL);
    for (uint32_t e = 0; e < count; e++)
        elements[e] = (hed_css_element){.parent = parent_of(e),
            .name = tags[e % 5],
            .attributes = &classes[e % 3 & 1],
            .attribute_count = e % 3 < 2};
    OK(hed_css_document_create(
        names, &(hed_css_document_def){.elements = elements, .element_count = count}, &d, &error));
    free(elements);
    return d;
}

static uint32_t in_a_chain(uint32_t e) { return e ? e - 1 : HED_CSS_NONE; }
static uint32_t in_a_row(uint32_t e) { return e ? 0 : HED_CSS_NONE; }
static uint32_t in_a_comb(uint32_t e)
{
    return e == 0 ? HED_CSS_NONE : e % 40 ? e - e % 40 : e - 40;
}

static void check_tree(uint32_t count, uint32_t (*parent_of)(uint32_t element), const char *text)
{
    hed_css_document *d = tree(count, parent_of);
    hed_css_sheet *sheet = sheet_of(text);
    CHECK_GT(both(&d, 1, sheet, "a tree"), 100u);
    hed_css_sheet_destroy(sheet);
    hed_css_document_destroy(d);
}

Test(css_device, deep_documents, .timeout = 240)
{
    static const char text[] = ".a .b .a p { } .a > div .b { } span > div > .a { } "
                               "ul:has(.a > .b) { } p:is(.a .b > p) { } :not(.b > *) { }";
    check_tree(250, in_a_chain, text);
    check_tree(10000, in_a_chain, ".a .b .a p { } .a > div .b { } span > div > .a { }");
    check_tree(3000, in_a_comb, text);
}

Test(css_device, wide_documents, .timeout = 240)
{
    check_tree(100000, in_a_row,
        ".a ~ .b { } .a + .b { } p:nth-child(3n+1) ~ .b ~ ul { } div:last-of-type { } "
        ":nth-last-child(-n+200) { } div:has(~ p + .b) { }");
    check_tree(3000, in_a_row, "p:nth-child(odd of .b) { } :nth-last-child(7n of div) ~ .a { }");
    /* counts among so many are for the processor */
    check_tree(6000, in_a_row, "p:nth-child(odd of .b) { }");
}

Test(css_device, measured, .timeout = 240)
{
    hed_css_document *d = tree(2000, in_a_comb);
    hed_css_sheet *sheet = sheet_of(".a ~ .b { } div .b { } p:nth-child(2n) { }");
    hed_css_matcher *m = NULL;
    hed_css_times times = {0};
    hed_error error = {0};
    bool host = !strcmp(hed_device_describe(here.device).backend, "host");
    const hed_css_matcher_def def = {
        .documents = &d, .document_count = 1, .sheets = &sheet, .sheet_count = 1};
    OK(hed_css_matcher_create(here.device, &def, &m, &error));
    FAILS(HED_ERROR_ARGUMENT, hed_css_matcher_measure(m, 3, &times, &error));
    error = (hed_error){0};
    OK(hed_css_match(m, &error));
    if (host) FAILS(HED_ERROR_UNSUPPORTED, hed_css_matcher_measure(m, 3, &times, &error));
    else {
        OK(hed_css_matcher_measure(m, 3, &times, &error));
        CHECK(times.bind > 0 && times.pass > 0 && times.cold_bound > 0);
        EXPECT_LE(times.element_bytes, 128.0);
        CHECK_GE(times.kernel_count, 7u);
        EXPECT_TEXT(times.kernels[0].name, "css_bind_presence");
        hed_css_matcher *wanted = matched(NULL, &d, 1, sheet);
        OK(hed_css_match(m, &error));
        compare(wanted, m, "after it was measured");
        hed_css_matcher_destroy(wanted);
    }
    hed_css_matcher_destroy(m);
    hed_css_sheet_destroy(sheet);
    hed_css_document_destroy(d);
}

/* Hashes of a few bits, which meet all the time: each meeting is found, and seeds are tried until
 * there is none, or the processor matches. */
static void check_weak(const char *weak, bool hopeless)
{
    static const char full[] = "(uint)(hash >> 32) | 1, at = (uint)hash & mask";
    extern const char hed_css_matching_h[];
    const char *at = strstr(hed_css_matching_h, full);
    hed_error error = {0};
    hed_context_def def = hed_default_context_def();
    CHECK(at != NULL, "matching.h computes prints in another way");
    FILE *file = fopen(in_folder("matching.h"), "w");
    CHECK(file != NULL);
    fprintf(file, "%.*s%s%s", (int)(at - hed_css_matching_h), hed_css_matching_h, weak,
        at + strlen(full));
    fclose(file);
    def.kernel_dir = folder;
    def.cache_dir = "";
    test_device t = test_open(&def);
    hed_css_document *d = tree(400, in_a_comb);
    hed_css_sheet *sheet =
        sheet_of(".a .b p { } .a > div { } span .b > p:nth-child(3n) { } ul ~ .a { }");
    hed_css_matcher *wanted = matched(NULL, &d, 1, sheet), *m = matched(t.device, &d, 1, sheet);
    hed_css_times times;
    CHECK_GT(compare(wanted, m, weak), 50u);
    if (strcmp(hed_device_describe(t.device).backend, "host")) {
        hed_status status = hed_css_matcher_measure(m, 1, &times, &error);
        EXPECT_EQ(status, hopeless ? HED_ERROR_UNSUPPORTED : HED_OK, "%s", weak);
    }
    hed_css_matcher_destroy(m);
    hed_css_matcher_destroy(wanted);
    hed_css_sheet_destroy(sheet);
    hed_css_document_destroy(d);
    test_close(&t);
}

Test(css_device, hashes_that_meet, .timeout = 240)
{
    folder_make();
    check_weak("((uint)(hash >> 32) & 63u) | 1, at = (uint)hash & mask", false);
    check_weak("1, at = (uint)hash & mask & 1u", true);
    folder_remove();
}

/* A change is made on the processor; the next match on the device knows of it. */
Test(css_device, a_change, .timeout = 240)
{
    hed_css_document *d = page("<!doctype html><body><ul><li><li class=a><li><p class=b>1</ul>");
    hed_css_sheet *sheet = sheet_of(".a ~ li { } li:has(.b) { } .c > .b { } ul.c { } li { }");
    hed_css_matcher *m = matched(here.device, &d, 1, sheet);
    hed_css_changes changes;
    hed_error error = {0};
    OK(hed_css_set_attribute(m, 0, 3, "class", "c", &changes, &error));
    OK(hed_css_set_attribute(m, 0, 6, "class", "c", &changes, &error));
    hed_css_matcher *wanted = matched(NULL, &d, 1, sheet);
    CHECK_GT(compare(wanted, m, "a change"), 5u);
    OK(hed_css_match(m, &error));
    compare(wanted, m, "a match after a change");
    hed_css_matcher_destroy(wanted);
    hed_css_matcher_destroy(m);
    hed_css_sheet_destroy(sheet);
    hed_css_document_destroy(d);
}

/* Matches again after a change; returns the bytes that the device has received. */
static uint64_t upload_of(
    hed_css_matcher *m, hed_css_document **d, hed_css_sheet *sheet, const char *what)
{
    hed_error error = {0};
    css_device *before = m->device;
    OK(hed_css_match(m, &error));
    hed_css_matcher *wanted = matched(NULL, d, 1, sheet);
    CHECK_GT(compare(wanted, m, what), 100u);
    hed_css_matcher_destroy(wanted);
    CHECK(m->device == before, "%s: everything was uploaded again", what);
    return m->device ? css_device_uploaded(m->device) : 0;
}

/* A match after changes uploads the ranges that have changed, and finds what a new matcher finds. */
Test(css_device, changes_upload_their_ranges, .timeout = 240)
{
    enum { ITEMS = 2000 };
    static char html[64 * ITEMS];
    size_t used = (size_t)sprintf(html, "<!doctype html><body><ul>");
    for (int i = 0; i < ITEMS; i++)
        used += (size_t)sprintf(html + used, "<li class=%s><p class=b>%d</p>", i % 3 ? "a" : "c", i);
    hed_css_document *d = page(html);
    hed_css_sheet *sheet = sheet_of(".a + .c { } .c > .b { } li:hover > p { } .a:nth-child(2n) { } .new p { } ul li { } p:last-child { }");
    hed_css_matcher *m = matched(here.device, &d, 1, sheet);
    hed_css_changes changes;
    hed_error error = {0};
    uint32_t moved;
    if (!m->device) test_skip("the processor matches: nothing is uploaded");
    uint64_t whole = css_device_uploaded(m->device);
    EXPECT_GT(whole, 50000u);
    EXPECT_EQ(upload_of(m, &d, sheet, "no change"), whole);
    OK(hed_css_set_attribute(m, 0, 1002, "class", "c", &changes, &error));
    OK(hed_css_set_attribute(m, 0, 3006, "class", "c", &changes, &error));
    EXPECT_LE(upload_of(m, &d, sheet, "two classes"), 2 * 64 * sizeof(uint32_t));
    OK(hed_css_set_state(m, 0, 42, HED_CSS_HOVER, &changes, &error));
    EXPECT_LE(upload_of(m, &d, sheet, "a state, and its kind of element"), whole / 8);
    OK(hed_css_set_attribute(m, 0, 2002, "class", "new a", &changes, &error));
    EXPECT_LE(upload_of(m, &d, sheet, "a class that is new"), whole / 8);
    OK(hed_css_move(m, 0, 2004, hed_css_element_parent(d, 2004), 2012, &moved, &changes, &error));
    EXPECT_LE(upload_of(m, &d, sheet, "a move among siblings"), whole / 8);
    OK(hed_css_move(m, 0, 402, 1202, HED_CSS_NONE, &moved, &changes, &error));
    EXPECT_LE(upload_of(m, &d, sheet, "a move to another parent"), whole);
    hed_css_matcher_destroy(m);
    hed_css_sheet_destroy(sheet);
    hed_css_document_destroy(d);
}

Test(css_device, nothing_to_match, .timeout = 240)
{
    hed_css_document *d = page("<!doctype html><p>1");
    hed_css_sheet *empty = sheet_of(""), *unknown = sheet_of(".never, em > b ~ i { }");
    CHECK_EQ(both(&d, 1, empty, "an empty sheet"), 0u);
    CHECK_EQ(both(&d, 1, NULL, "no sheet"), 0u);
    CHECK_EQ(both(&d, 1, unknown, "rules without elements"), 0u);
    hed_css_sheet_destroy(unknown);
    hed_css_sheet_destroy(empty);
    hed_css_document_destroy(d);
}

/* Many sheets in turn on one document: matchers come and go. */
Test(css_device, matchers_made_again, .timeout = 240)
{
    hed_css_document *d = tree(500, in_a_comb);
    for (int i = 0; i < 8; i++) {
        char text[256];
        snprintf(
            text, sizeof text, ".a:nth-child(%d) { } div ~ .b:nth-child(n+%d) { } p { }", i + 2, i);
        hed_css_sheet *sheet = sheet_of(text);
        CHECK_GT(both(&d, 1, sheet, text), 50u);
        hed_css_sheet_destroy(sheet);
    }
    hed_css_document_destroy(d);
}

/* Every allocation of the engine's own fails in turn. */
Test(css_device, each_allocation_failing, .timeout = 600)
{
    static const char text[] = ".a .b { } p:nth-child(2) ~ .b { } div > .a { } * { }";
    int refused = 0;
    for (int at = 1;; at++) {
        test_allocator memory = {0};
        hed_allocator allocator = test_allocator_of(&memory);
        hed_error error = {0};
        hed_css_names *own = NULL;
        hed_css_document *d = NULL;
        hed_css_sheet *sheet = NULL;
        hed_css_matcher *m = NULL;
        OK(hed_css_names_create(&allocator, &own, &error));
        OK(hed_css_document_create(
            own, &(hed_css_document_def){.html = "<p class=a><p class=b><div>"}, &d, &error));
        OK(hed_css_sheet_create(own,
            &(hed_css_sheet_def){.text = text, .length = strlen(text), .origin = HED_CSS_AUTHOR},
            &sheet, &error));
        memory.fail_at = memory.calls + at;
        hed_css_matcher_create(here.device,
            &(hed_css_matcher_def){
                .documents = &d, .document_count = 1, .sheets = &sheet, .sheet_count = 1},
            &m, &error);
        if (m) hed_css_match(m, &error);
        bool done = memory.calls < memory.fail_at;
        CHECK(done ? error.status == HED_OK : error.status == HED_ERROR_MEMORY, "allocation %d: %s",
            at, error.text);
        refused += !done;
        hed_css_matcher_destroy(m);
        hed_css_sheet_destroy(sheet);
        hed_css_document_destroy(d);
        hed_css_names_destroy(own);
        CHECK_EQ(memory.live, 0, "allocation %d: not all memory came back", at);
        if (done) break;
    }
    CHECK_GE(refused, 8);
}
