/* What rules match, against the plain meaning of selectors, and what follows from it. */
#include <stdlib.h>

#include "css_changes.h"
#include "css_pages.h"
#include "css_random.h"
#include "model/document.h"
#include "model/selector.h"
#include "solver/plain.h"

TestSuite(css_match, .init = open_names, .fini = close_names);

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
    hed_css_result result = hed_css_matcher_results(m);
    hed_css_matcher_counts(m, counts, hashes);
    OK(hed_css_element_winners(m, winners, &error));
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
    uint64_t begin[8];
    uint32_t rules[11], bits[1];
    hed_css_matcher_pairs(m, begin, rules);
    EXPECT_EQ(begin[7], 11u);
    static const uint32_t both[] = {0, 1, 2, 5};
    CHECK_EQ(begin[4] - begin[3], 4u);
    EXPECT_BYTES(rules + begin[3], both, sizeof both, "of the first p");
    for (uint32_t r = 0; r < 6; r++) {
        uint32_t count = 0, hash_of = 2166136261u;
        OK(hed_css_element_rules(m, r, bits, &error));
        for (uint32_t e = 0; e < 7; e++) {
            if (!(bits[0] >> e & 1)) continue;
            count++;
            for (int b = 0; b < 4; b++) hash_of = (hash_of ^ (e >> 8 * b & 0xff)) * 16777619u;
        }
        EXPECT_EQ(count, counts[r], "bits of rule %u", r);
        EXPECT_EQ(hash_of, hashes[r], "bits of rule %u", r);
    }
    FAILS(HED_ERROR_ARGUMENT, hed_css_element_rules(m, 6, bits, &error));
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
    OK(hed_css_element_winners(m, winners, &error));
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
    hed_css_matcher_counts(m, counts, NULL);
    EXPECT_EQ(counts[0], 0u);
    EXPECT_EQ(counts[1], 1u);
    hed_css_matcher_destroy(m);
    m = matched(d, sheet, true);
    hed_css_matcher_counts(m, counts, NULL);
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
        hed_css_result r = hed_css_matcher_results(m);
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

Test(css_match, random_scopes, .timeout = 240)
{
    enum { PAGES = 15, SCOPES = 12 };
    css_random random = {.seed = 5};
    uint64_t matches = 0, nested = 0;
    for (int n = 0; n < PAGES; n++) {
        static char html[8192], text[SCOPES * 16384];
        css_random_page(&random, html, sizeof html, 25);
        text[0] = 0;
        for (int s = 0; s < SCOPES; s++) css_random_scope(&random, text, sizeof text, 0);
        hed_css_document *d = page(html);
        hed_css_sheet *sheet = sheet_of(text);
        hed_css_matcher *m = matched(d, sheet, false);
        hed_css_result r = hed_css_matcher_results(m);
        for (uint32_t s = 0; s < sheet->scope_count; s++) nested += sheet->scopes[s].around != 0;
        for (uint32_t e = 0; e < d->count; e++) {
            uint32_t at = r.class_begin[r.element_class[e]],
                     end = r.class_begin[r.element_class[e] + 1];
            for (uint32_t rule = 0; rule < sheet->rule_count; rule++) {
                const css_rule *x = &sheet->rules[rule];
                bool found = at < end && r.rule[at] == rule;
                at += found;
                CHECK_EQ(x->info.validity, HED_CSS_VALID, "%.*s", (int)x->info.selector_length,
                    x->info.selector);
                CHECK_EQ(found, css_naive_rule(sheet, d, x, e), "element %u, rule %u %.*s in %s", e,
                    rule, (int)x->info.selector_length, x->info.selector, html);
                matches += found;
            }
        }
        hed_css_matcher_destroy(m);
        hed_css_sheet_destroy(sheet);
        hed_css_document_destroy(d);
    }
    EXPECT_GT(matches, 500u);
    EXPECT_GT(nested, 20u);
}

/* What may become possible keeps a rule in a scope: roots and limits that depend on states, and a
 * root that is not known. */
Test(css_match, scopes_that_are_possible)
{
    hed_css_document *d = page("<!doctype html><body><div><p><i>1</i></p></div><b>2</b>");
    hed_css_sheet *sheet = sheet_of("@scope (div:hover) { i { } } @scope (div) to (p:hover) { i { } }"
                                    "@scope (div) to (p) { i { } } @scope { > i { } > div { } }"
                                    "@scope (p) to (:not(:hover)) { i { } }");
    static const uint32_t given[] = {0, 1, 0, 0, 0, 0}, possible[] = {1, 1, 0, 1, 1, 1};
    uint32_t counts[6];
    hed_css_matcher *m = matched(d, sheet, false);
    hed_css_matcher_counts(m, counts, NULL);
    EXPECT_BYTES(counts, given, sizeof given);
    hed_css_matcher_destroy(m);
    m = matched(d, sheet, true);
    hed_css_matcher_counts(m, counts, NULL);
    EXPECT_BYTES(counts, possible, sizeof possible);
    hed_css_matcher_destroy(m);
    hed_css_sheet_destroy(sheet);
    hed_css_document_destroy(d);
}

/* ---- hard cases against plain.c ---- */

/* Every rule on every element as css_plain_match() has it; `every`: only each how-manieth
 * element. */
static void equals_plain(hed_css_document *const *pages, uint32_t count, hed_css_sheet *sheet,
    bool possible, uint32_t every)
{
    hed_css_matcher *m = NULL;
    hed_error error = {0};
    hed_css_matcher_def def = {.documents = pages,
        .document_count = count,
        .sheets = &sheet,
        .sheet_count = 1,
        .states_possible = possible};
    OK(hed_css_matcher_create(NULL, &def, &m, &error));
    for (int again = 0; again < 2; again++) { /* the same matcher twice */
        OK(hed_css_match(m, &error));
        hed_css_result r = hed_css_matcher_results(m);
        uint32_t element = 0;
        for (uint32_t n = 0; n < count; n++)
            for (uint32_t e = 0; e < pages[n]->count; e++, element++) {
                if (e % every) continue;
                uint32_t k = r.element_class[element], at = r.class_begin[k];
                for (uint32_t rule = 0; rule < sheet->rule_count; rule++) {
                    const css_rule *x = &sheet->rules[rule];
                    bool found = at < r.class_begin[k + 1] && r.rule[at] == rule, wanted = false;
                    at += found;
                    for (uint32_t c = 0; c < x->count && !wanted; c++)
                        wanted = css_plain_match(
                            &(css_plain){sheet, pages[n],
                                possible ? CSS_PLAIN_GRANTED : CSS_PLAIN_GIVEN, CSS_NONE, 0},
                            x->list + c, e);
                    CHECK_EQ(found, wanted, "page %u, element %u, %.*s", n, e,
                        (int)x->info.selector_length, x->info.selector);
                }
            }
    }
    hed_css_matcher_destroy(m);
}

Test(css_match, changes_by_a_reader)
{
    for (size_t i = 0; i < HED_COUNT(css_changes); i++) {
        char html[512], text[256];
        snprintf(html, sizeof html, "<!doctype html><body>%s", css_changes[i].html);
        snprintf(text, sizeof text, "%s { }", css_changes[i].selector);
        hed_css_document *d = page(html);
        hed_css_sheet *sheet = sheet_of(text);
        hed_css_matcher *m = matched(d, sheet, true);
        uint32_t count;
        hed_css_matcher_counts(m, &count, NULL);
        EXPECT_EQ(count > 0, css_changes[i].possible, "%s on %s", css_changes[i].selector,
            css_changes[i].html);
        equals_plain(&d, 1, sheet, true, 1);
        equals_plain(&d, 1, sheet, false, 1);
        hed_css_matcher_destroy(m);
        hed_css_sheet_destroy(sheet);
        hed_css_document_destroy(d);
    }
}

static hed_css_document *tree_of(const hed_css_element *elements, uint32_t count, bool quirks)
{
    hed_css_document *d = NULL;
    hed_error error = {0};
    hed_css_document_def def = {.elements = elements, .element_count = count, .quirks = quirks};
    OK(hed_css_document_create(names, &def, &d, &error));
    return d;
}

Test(css_match, ten_thousand_deep)
{
    enum { DEPTH = 10000 };
    hed_css_element *elements = calloc(DEPTH, sizeof *elements);
    static const hed_css_attribute classes[] = {{"class", "a", 0}, {"class", "b c", 0}};
    for (uint32_t i = 0; i < DEPTH; i++)
        elements[i] = (hed_css_element){.parent = i ? i - 1 : HED_CSS_NONE,
            .name = i % 3 ? "div" : "p",
            .attributes = i % 5000 == 7 ? classes : classes + 1,
            .attribute_count = i % 50 == 7};
    hed_css_document *d = tree_of(elements, DEPTH, false);
    hed_css_sheet *sheet =
        sheet_of(".a .b { } .a > div > p { } p > .b { } div:has(> .b) > div { } p div > p + p { } "
                 ":not(.a *) { } :nth-last-child(1 of .b) { } .c:has(.a) { } .b p:first-child { }");
    equals_plain(&d, 1, sheet, false, 97);
    hed_css_sheet_destroy(sheet);
    hed_css_document_destroy(d);
    free(elements);
}

Test(css_match, hundred_thousand_siblings)
{
    enum { COUNT = 100001 };
    hed_css_element *elements = calloc(COUNT, sizeof *elements);
    static const hed_css_attribute classes[] = {{"class", "a", 0}, {"class", "b", 0}};
    for (uint32_t i = 0; i < COUNT; i++)
        elements[i] = (hed_css_element){.parent = i ? 0 : HED_CSS_NONE,
            .name = i % 3 ? "li" : "p",
            .attributes = i == 200 ? classes : classes + 1,
            .attribute_count = i == 200 || i == COUNT - 10 || i == 20};
    hed_css_document *d = tree_of(elements, COUNT, false);
    hed_css_sheet *sheet =
        sheet_of(".a ~ .b + li { } .b ~ .a { } li:not(.a ~ *) { } p + li + li { }"
                 ".b + p ~ .b { } .a:has(~ .b) { } li:nth-child(3n + 1) { }");
    hed_css_matcher *m = matched(d, sheet, false);
    static const uint32_t wanted[] = {1, 1, 0, 33332, 1, 1, 33333};
    uint32_t counts[7], after = 0;
    hed_css_matcher_counts(m, counts, NULL);
    for (uint32_t e = 1; e < COUNT; e++) after += e % 3 && e <= 200;
    for (int r = 0; r < 6; r++) EXPECT_EQ(counts[r], r == 2 ? after : wanted[r], "rule %d", r);
    hed_css_matcher_destroy(m);
    equals_plain(&d, 1, sheet, false, 9973);
    hed_css_sheet_destroy(sheet);
    hed_css_document_destroy(d);
    free(elements);
}

/* A class of a thousand words, a selector of 200 compounds, 1,000 rules with one key; an :is() that
 * is not multiplied out, and one that would grow at each level of nesting. */
Test(css_match, large_selectors)
{
    static char text[400000], words[16000];
    hed_css_element elements[400] = {{.parent = HED_CSS_NONE, .name = "html"}};
    hed_css_attribute attributes[2] = {{"class", words, 0}, {"class", "k1 m2", 0}};
    for (int i = 0; i < 1000; i++)
        css_random_append(words, sizeof words, "k"), snprintf(words + strlen(words), 16, "%d ", i);
    for (uint32_t i = 1; i < 400; i++)
        elements[i] = (hed_css_element){.parent = i < 220 ? i - 1 : 200,
            .name = i % 2 ? "p" : "div",
            .attributes = attributes + (i % 7 != 0),
            .attribute_count = i % 3 == 0};
    for (int i = 0; i < 200; i++)
        css_random_append(text, sizeof text, i ? i % 5 ? " *" : " > div, *" : "html");
    css_random_append(text, sizeof text, "{}\n");
    for (int i = 0; i < 200; i++)
        css_random_append(text, sizeof text, i ? i % 2 ? " > p" : " > div" : "html");
    css_random_append(text, sizeof text, "{}\n");
    for (int i = 0; i < 1000; i++)
        css_random_append(text, sizeof text, i % 2 ? ".k7{}\n" : "p.k7{}\n");
    for (int i = 0; i < 40; i++) { /* many acts of one compound, below different states */
        char rules[96];
        snprintf(
            rules, sizeof rules, ".k%d p{} .k%d > p{} .k%d p > div{} .m%d div div{}\n", i, i, i, i);
        css_random_append(text, sizeof text, rules);
    }
    css_random_append(text, sizeof text,
        ":is(.k1.m2, .k3.k4, p.k5, div.k6, .k7:first-child, .m8.k8, .k9.m9, .k1.p, .k2.p, .k3.p) > * {}\n"
        ":not(:is(.k1.m2, .k3.k4, p.k5, div.k6, .k7:first-child, .m8.k8, .k9.m9)) {}\n"
        "div:not(.k1:is(p, div):nth-child(2n + 1):not(.k2, .k3.m4), p > .k2 + p) {}\n"
        "p { & & { & & { & + & { &:is(&, & &) { } } } } }\n"
        ":is(html .k1, p) :is(.k3 div, html > * > p) {}\n"
        ":has(:is(html .k1.m2)) > p {} :is(:has(+ p) > *, :has(.k3)) ~ p {}\n"
        ":nth-child(2 of :is(.k1, p > *)) > :not(p ~ *) {}\n");
    hed_css_document *d = tree_of(elements, 400, false);
    hed_css_sheet *sheet = sheet_of(text);
    EXPECT_GT(hed_css_rule_count(sheet), 1010u);
    for (uint32_t r = 0; r < sheet->rule_count; r++)
        EXPECT_EQ(sheet->rules[r].info.validity, HED_CSS_VALID, "rule %u", r);
    equals_plain(&d, 1, sheet, false, 3);
    hed_css_sheet_destroy(sheet);
    hed_css_document_destroy(d);
}

/* Documents in quirks mode beside others, SVG, namespaces, states. */
Test(css_match, forests_of_many_kinds)
{
    css_random random = {.seed = 3};
    hed_css_document *pages[8];
    static const char *const parts[] = {"<p class='A b' id=X lang=de>1<em>2</em><b class=a>3</b>",
        "<svg viewBox='0 0 1 1' class=A><linearGradient id=x /><a xlink:href=u title=T>t</a></svg>",
        "<form><input type=RADIO checked disabled><input required title=t></form>",
        "<div dir=rtl TITLE=T><p id=x class=B>1<p lang=en-GB>2</div>"};
    for (uint32_t n = 0; n < 8; n++) {
        char html[4096] = "";
        if (n % 2) css_random_append(html, sizeof html, "<!doctype html>");
        css_random_append(html, sizeof html, "<body>");
        for (uint32_t i = 0; i < 6; i++)
            css_random_append(html, sizeof html, parts[css_random_below(&random, 4)]);
        pages[n] = page(html);
        for (uint32_t e = 0; e < pages[n]->count; e++)
            pages[n]->states[e] =
                css_random_below(&random, 3) ? 0 : css_random_below(&random, 1u << 14);
    }
    hed_css_sheet *sheet = sheet_of(
        "@namespace svg url(http://www.w3.org/2000/svg); @namespace h 'http://www.w3.org/1999/xhtml';"
        ".A { } .a { } .a > .B { } #x { } #X ~ * { } svg|a { } h|a { } *|a { } |a { } svg|* { }"
        "lineargradient { } linearGradient { } LINEARGRADIENT { } P { } [title=t] { } [TITLE=T i] { }"
        "[title=T s] { } [type=radio] { } [type=radio s] { } svg|*[viewbox] { } [viewBox] { }"
        "[xlink|href] { } [*|href] { } [href] { } :lang(de) { } :lang(en) > * { } :dir(rtl) p { }"
        ":checked { } :disabled + input { } :required { } :hover { } :not(:hover) { } a:focus-within { }"
        "p:has(:hover) { } :not(:has(:not(:focus))) { } :nth-child(2 of :hover) { } :visited, em { }"
        ":hover:not(:hover) { } :is(:active, .b):not(:is(:target, em)) { } *|*:not(svg|*) { }");
    equals_plain(pages, 8, sheet, false, 1);
    equals_plain(pages, 8, sheet, true, 1);
    hed_css_sheet_destroy(sheet);
    for (int n = 0; n < 8; n++) hed_css_document_destroy(pages[n]);
}

/* One matcher on one page after another finds the results of a matcher of each page. */
Test(css_match, pages_follow_each_other)
{
    static const char *const texts[] = {"<!doctype html><p class=a>1<p class=B title=x>2",
        "<!doctype html><div id=i><p class=b lang=en><em>3</em></div><p contenteditable>4",
        "<p class=a><p class=b>quirks", "<!doctype html>",
        "<!doctype html><p class=a><ul><li>1<li>2<li>3</ul>"};
    hed_css_sheet *sheet = sheet_of(".a + p, .B { } div > p { } :has(em) p:nth-child(1 of p) { }"
                                    ":lang(en) em, [title] { } #i { } p:not(.b em) { } li + li { }");
    hed_error error = {0};
    for (int possible = 0; possible < 2; possible++) {
        hed_css_matcher *m = NULL;
        for (uint32_t round = 0; round < 12; round++) {
            hed_css_document *d = page(texts[round * 3 % HED_COUNT(texts)]);
            hed_css_matcher *alone = matched(d, sheet, possible);
            uint32_t counts[2][16] = {0}, hashes[2][16] = {0};
            if (!m) m = matched(d, sheet, possible);
            else OK(hed_css_matcher_set_documents(m, &d, 1, &error));
            OK(hed_css_match(m, &error));
            hed_css_matcher_counts(m, counts[0], hashes[0]);
            hed_css_matcher_counts(alone, counts[1], hashes[1]);
            EXPECT_BYTES(counts[0], counts[1], sizeof counts[0], "page %u", round);
            EXPECT_BYTES(hashes[0], hashes[1], sizeof hashes[0], "page %u", round);
            if (round % 2) OK(hed_css_set_state(m, 0, 0, HED_CSS_HOVER, NULL, &error));
            hed_css_matcher_destroy(alone);
            hed_css_document_destroy(d);
        }
        hed_css_names *others = NULL, *ours = names;
        OK(hed_css_names_create(NULL, &others, &error));
        names = others;
        hed_css_document *foreign = page("<p>");
        names = ours;
        FAILS(HED_ERROR_ARGUMENT, hed_css_matcher_set_documents(m, &foreign, 1, &error));
        FAILS(HED_ERROR_ARGUMENT, hed_css_matcher_set_documents(m, &foreign, 0, &error));
        hed_css_document_destroy(foreign);
        hed_css_names_destroy(others);
        hed_css_matcher_destroy(m);
    }
    hed_css_sheet_destroy(sheet);
}

/* Replaces a document with the allocation `at` refused. True if none was refused. */
static bool replaces_with_refusal(int64_t at)
{
    test_allocator memory = {0};
    hed_allocator allocator = test_allocator_of(&memory);
    hed_error error = {0};
    hed_css_names_destroy(names);
    OK(hed_css_names_create(&allocator, &names, &error));
    hed_css_document *first = page("<!doctype html><p class=a>1<p class=b>2");
    hed_css_document *second = page("<p class=A>1<p class=b>quirks<p>3");
    hed_css_sheet *sheet = sheet_of(".a + p { } p:nth-child(2) { }");
    hed_css_matcher *m = matched(first, sheet, false);
    memory.fail_at = memory.calls + at;
    hed_status status = hed_css_matcher_set_documents(m, &second, 1, &error);
    if (status == HED_OK) status = hed_css_match(m, &error);
    bool done = memory.calls < memory.fail_at;
    CHECK_EQ(status, done ? HED_OK : HED_ERROR_MEMORY, "allocation %lld", (long long)at);
    memory.fail_at = 0;
    error = (hed_error){0};
    OK(hed_css_matcher_set_documents(m, &second, 1, &error));
    OK(hed_css_match(m, &error));
    EXPECT_EQ(hed_css_matcher_results(m).pairs, 2u, "allocation %lld", (long long)at);
    hed_css_matcher_destroy(m);
    hed_css_sheet_destroy(sheet);
    hed_css_document_destroy(first);
    hed_css_document_destroy(second);
    hed_css_names_destroy(names);
    CHECK_EQ(memory.live, 0, "allocation %lld", (long long)at);
    OK(hed_css_names_create(NULL, &names, &error));
    return done;
}

Test(css_match, every_allocation_of_a_further_page_may_fail)
{
    int refused = 0;
    for (int64_t at = 1; !replaces_with_refusal(at); at++) refused++;
    EXPECT_GE(refused, 10);
}

Test(css_match, every_allocation_may_fail)
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
        hed_css_sheet *sheet = sheet_of(".a + p { } div > p { } :has(em) p:nth-child(1 of p) { }"
                                        ":lang(en) [title] { } #i { } p:not(.b em) { }");
        hed_css_matcher *m = NULL;
        hed_css_matcher_def def = {
            .documents = &d, .document_count = 1, .sheets = &sheet, .sheet_count = 1};
        int64_t before = memory.live;
        memory.fail_at = memory.calls + at;
        hed_status status = hed_css_matcher_create(NULL, &def, &m, &error);
        if (status == HED_OK) status = hed_css_match(m, &error);
        bool done = memory.calls < memory.fail_at;
        CHECK_EQ(status, done ? HED_OK : HED_ERROR_MEMORY, "allocation %lld", (long long)at);
        memory.fail_at = 0;
        if (m && !done) { /* the next one does it */
            error = (hed_error){0};
            OK(hed_css_match(m, &error));
            EXPECT_EQ(hed_css_matcher_results(m).pairs, 7u);
        }
        hed_css_matcher_destroy(m);
        EXPECT_EQ(memory.live, before, "allocation %lld", (long long)at);
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
