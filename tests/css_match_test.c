/* What rules match, against the plain meaning of selectors, and what follows from it. */
#include <stdlib.h>

#include "css_random.h"
#include "model/document.h"
#include "model/selector.h"
#include "solver/plain.h"
#include "testing.h"

static hed_css_names *names;
static void open_names(void)
{
    hed_error error = {0};
    OK(hed_css_names_create(NULL, &names, &error));
}
static void close_names(void) { hed_css_names_destroy(names); }

TestSuite(css_match, .init = open_names, .fini = close_names);

static hed_css_sheet *sheet_of(const char *text)
{
    hed_css_sheet *sheet = NULL;
    hed_error error = {0};
    hed_css_sheet_def def = {.text = text, .length = strlen(text), .origin = HED_CSS_AUTHOR};
    OK(hed_css_sheet_create(names, &def, &sheet, &error));
    return sheet;
}

static hed_css_document *page(const char *html)
{
    hed_css_document *d = NULL;
    hed_error error = {0};
    OK(hed_css_document_create(names, &(hed_css_document_def){.html = html}, &d, &error));
    return d;
}

static hed_css_matcher *matched(hed_css_document *d, hed_css_sheet *sheet, bool possible)
{
    hed_css_matcher *m = NULL;
    hed_error error = {0};
    hed_css_matcher_def def = {.documents = &d,
        .document_count = 1,
        .sheets = &sheet,
        .sheet_count = 1,
        .states_possible = possible};
    OK(hed_css_matcher_create(NULL, &def, &m, &error));
    OK(hed_css_match(m, &error));
    return m;
}

Test(css_match, counts_hashes_and_winners)
{
    hed_css_document *d =
        page("<!doctype html><body><p id=a class=x>1</p><p class=x>2</p><div><p>3</p></div>");
    hed_css_sheet *sheet =
        sheet_of(".x { } p { } #a { } div > p, p + p { } em { } p { c: d !important }");
    hed_css_matcher *m = matched(d, sheet, false);
    uint32_t counts[6], hashes[6], winners[7];
    hed_error error = {0};
    hed_css_result result = hed_css_results(m);
    hed_css_counts(m, counts, hashes);
    OK(hed_css_winners(m, winners, &error));
    static const uint32_t wanted[6] = {2, 3, 1, 2, 0, 3};
    for (int r = 0; r < 6; r++) EXPECT_EQ(counts[r], wanted[r], "rule %d", r);
    EXPECT_EQ(hashes[4], 2166136261u, "of nothing");
    EXPECT_EQ(result.pairs, 11u);
    EXPECT_EQ(result.elements, 7u);
    EXPECT_EQ(winners[0], HED_CSS_NONE);
    EXPECT_EQ(winners[3], 5u, "important beats the id");
    /* FNV-1a over element 3 as four bytes */
    uint32_t hash = 2166136261u;
    for (int b = 0; b < 4; b++) hash = (hash ^ (b ? 0 : 3)) * 16777619u;
    EXPECT_EQ(hashes[2], hash);
    hed_css_matcher_destroy(m);
    hed_css_sheet_destroy(sheet);
    hed_css_document_destroy(d);
}

Test(css_match, specificity_decides_then_order)
{
    hed_css_document *d = page("<!doctype html><body><p id=a class=x>");
    hed_css_sheet *sheet = sheet_of("#a { } p.x { } .x, #a.x { } :where(#a) p { } p.x { }");
    hed_css_matcher *m = matched(d, sheet, false);
    uint32_t winners[4];
    hed_error error = {0};
    OK(hed_css_winners(m, winners, &error));
    EXPECT_EQ(winners[3], 2u, "by its second selector");
    hed_css_matcher_destroy(m);
    hed_css_sheet_destroy(sheet);
    hed_css_document_destroy(d);
}

Test(css_match, states_may_be_taken_for_granted)
{
    hed_css_document *d = page("<!doctype html><body><a href=#>1</a><p>2");
    hed_css_sheet *sheet = sheet_of("a:hover { } a:not(:hover) { } em:hover { } p:has(:focus) { } "
                                    "body:has(:focus) { } a:hover:not(:hover) { }");
    uint32_t counts[6];
    hed_css_matcher *m = matched(d, sheet, false);
    hed_css_counts(m, counts, NULL);
    EXPECT_EQ(counts[0], 0u);
    EXPECT_EQ(counts[1], 1u);
    hed_css_matcher_destroy(m);
    m = matched(d, sheet, true);
    hed_css_counts(m, counts, NULL);
    EXPECT_EQ(counts[0], 1u);
    EXPECT_EQ(counts[1], 1u);
    EXPECT_EQ(counts[2], 0u);
    EXPECT_EQ(counts[3], 0u, "nothing below it can have the focus");
    EXPECT_EQ(counts[4], 1u);
    hed_css_matcher_destroy(m);
    hed_css_sheet_destroy(sheet);
    hed_css_document_destroy(d);
}

/* ---- random documents and selectors against naive.c ---- */

Test(css_match, ten_thousand_random_pairs, .timeout = 240)
{
    enum { PAGES = 40, SELECTORS = 250 };
    css_random random = {.seed = 11};
    uint64_t matches = 0, invalid = 0;
    for (int n = 0; n < PAGES; n++) {
        static char html[8192], text[SELECTORS * 2048];
        css_random_page(&random, html, sizeof html, 40);
        text[0] = 0;
        for (int s = 0; s < SELECTORS; s++) {
            char selector[2000] = "";
            css_random_selector(&random, selector, sizeof selector, 0, false);
            css_random_append(text, sizeof text, selector);
            css_random_append(text, sizeof text, "{}\n");
        }
        hed_css_document *d = page(html);
        hed_css_sheet *sheet = sheet_of(text);
        CHECK_EQ(hed_css_rule_count(sheet), (uint32_t)SELECTORS);
        hed_css_matcher *m = matched(d, sheet, false);
        hed_css_result r = hed_css_results(m);
        for (uint32_t e = 0; e < d->count; e++) {
            uint32_t at = r.class_begin[r.element_class[e]],
                     end = r.class_begin[r.element_class[e] + 1];
            for (uint32_t rule = 0; rule < SELECTORS; rule++) {
                hed_css_rule info = hed_css_rule_at(sheet, rule);
                bool found = at < end && r.rule[at] == rule, wanted = false;
                at += found;
                for (uint32_t c = 0; info.validity == HED_CSS_VALID && c < sheet->rules[rule].count;
                     c++)
                    wanted = wanted || css_naive_match(sheet, d, sheet->rules[rule].list + c, e);
                CHECK_EQ(found, wanted, "element %u, %.*s in %s", e, (int)info.selector_length,
                    info.selector, html);
                matches += found;
                invalid += e == 0 && info.validity == HED_CSS_INVALID;
            }
        }
        hed_css_matcher_destroy(m);
        hed_css_sheet_destroy(sheet);
        hed_css_document_destroy(d);
    }
    EXPECT_GT(matches, 5000u);
    EXPECT_EQ(invalid, 0u);
}
