/* What rules match, against the plain meaning of selectors, and what follows from it. */
#include <stdlib.h>

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

static uint64_t counter;
static uint32_t pick(uint32_t below) { return hed_sample_word(11, 0, counter++) % below; }

static void append(char *to, size_t size, const char *text)
{
    size_t used = strlen(to);
    snprintf(to + used, size - used, "%s", text);
}

static void random_selector(char *to, size_t size, int depth, bool in_has)
{
    static const char *const simple[] = {"p", "div", "span", ".a", ".b", ".c", "#i1", "#i2",
        "[title]", "[title=x]", "[title^=x]", ":first-child", ":last-child", ":nth-child(2n+1)",
        ":nth-last-of-type(2)", ":empty", ":only-child", "*", ":nth-child(-n+3)", ":link", ":root",
        "[class~=b]", ":first-of-type", ":lang(en)", ":dir(ltr)", ":not(.a)"};
    static const char *const combinators[] = {" ", " > ", " + ", " ~ "};
    uint32_t compounds = 1 + pick(3);
    for (uint32_t c = 0; c < compounds; c++) {
        if (c) append(to, size, combinators[pick(4)]);
        const char *first = simple[pick(HED_COUNT(simple))];
        append(to, size, first);
        for (uint32_t s = pick(2); s--;) {
            const char *more = simple[3 + pick(HED_COUNT(simple) - 3)];
            append(to, size, *more == '*' ? ".b" : more);
        }
        if (depth < 3 && pick(depth ? 4 : 3) == 0) {
            static const char *const functions[] = {":is(", ":where(", ":not(", ":nth-child(2 of ",
                ":nth-child(2n + 1 of ", ":nth-last-child(-n + 2 of ", ":has(", ":has(> ",
                ":has(+ ", ":has(~ "};
            uint32_t f = pick(in_has ? 6 : HED_COUNT(functions)); /* :has() does not nest */
            append(to, size, functions[f]);
            for (uint32_t n = 1 + pick(3); n--;) {
                random_selector(to, size, depth + 1, in_has || f >= 6);
                if (n) append(to, size, ", ");
            }
            append(to, size, ")");
        }
    }
}

static void random_page(char *html, size_t size)
{
    static const char *const tags[] = {"p", "div", "span"};
    uint32_t open = 0;
    snprintf(html, size, "<!doctype html><html lang=en><body>");
    for (int i = 0; i < 40; i++) {
        char text[128];
        uint32_t tag = open ? 1 + pick(2) : pick(3);
        snprintf(text, sizeof text, "<%s%s%s%s>%s", tags[tag],
            pick(2)   ? " class='a b'"
            : pick(2) ? " class=c"
                      : "",
            pick(8) == 0 ? (pick(2) ? " id=i1" : " id=i2") : "",
            pick(3) == 0 ? (pick(2) ? " title=x" : " title=xy") : "", pick(3) ? "" : "t");
        append(html, size, text);
        if (tag == 0 || pick(2)) {
            snprintf(text, sizeof text, "</%s>", tags[tag]);
            append(html, size, text);
        } else open++;
    }
}

Test(css_match, ten_thousand_random_pairs, .timeout = 240)
{
    enum { PAGES = 40, SELECTORS = 250 };
    uint64_t matches = 0, invalid = 0;
    for (int n = 0; n < PAGES; n++) {
        static char html[8192], text[SELECTORS * 2048];
        random_page(html, sizeof html);
        text[0] = 0;
        for (int s = 0; s < SELECTORS; s++) {
            char selector[2000] = "";
            random_selector(selector, sizeof selector, 0, false);
            append(text, sizeof text, selector);
            append(text, sizeof text, "{}\n");
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
