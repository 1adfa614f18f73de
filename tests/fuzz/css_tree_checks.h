/* What holds of every document, and of every sheet matched against it: for the fuzzers of pages and
 * of trees in arrays. */
#ifndef HED_TESTS_FUZZ_CSS_TREE_CHECKS_H
#define HED_TESTS_FUZZ_CSS_TREE_CHECKS_H

#include <stdlib.h>

#include "engines/css/model/document.h"
#include "engines/css/model/selector.h"

static void must(bool holds)
{
    if (!holds) abort();
}

static void check_document(const hed_css_document *d)
{
    for (uint32_t e = 0; e < d->count; e++) {
        uint32_t p = d->parent[e], before = d->previous[e];
        must(p == CSS_NONE ? d->level[e] == 0 : p < e && d->level[e] == d->level[p] + 1);
        must(d->level[e] <= d->depth && d->end[e] > e && d->end[e] <= d->count);
        must(p == CSS_NONE || d->end[e] <= d->end[p]);
        must(before == CSS_NONE || (d->parent[before] == p && d->end[before] == e));
        must(d->position[CSS_CHILD][e] ==
             (before == CSS_NONE ? 1 : d->position[CSS_CHILD][before] + 1));
        must(d->position[CSS_OF_TYPE][e] <= d->position[CSS_CHILD][e]);
        must(d->class_begin[e] <= d->class_end[e] && d->class_end[e] <= d->class_count);
        for (uint32_t i = d->class_begin[e] + 1; i < d->class_end[e]; i++)
            must(d->classes[i - 1] < d->classes[i]);
        for (uint32_t i = d->attribute_begin[e]; i < d->attribute_end[e]; i++)
            must(d->attributes[i].name < d->names->count &&
                 d->attributes[i].value < d->names->count);
        uint32_t flags = d->flags[e];
        must(!(flags & CSS_ENABLED && flags & CSS_DISABLED));
        must(!(flags & CSS_VALID && flags & CSS_INVALID));
        must(!(flags & CSS_IN_RANGE && flags & CSS_OUT_OF_RANGE));
        must(!(flags & CSS_READ_ONLY && flags & CSS_READ_WRITE));
        must(!(flags & CSS_REQUIRED && flags & CSS_OPTIONAL));
    }
}

/* The matcher on the processor finds what the plain meaning of each selector finds. */
static void check_matches(hed_css_names *names, hed_css_document *document)
{
    static const char text[] =
        "p a{} * > b + *{} .a ~ .b{} #a :first-child{} [a=b i],[class]{} :not(:empty){} :has(> a){}"
        ":nth-child(2n of .a){} :nth-last-of-type(2){} :checked{} :enabled{} :disabled{} :invalid{}"
        ":read-only :link{} :lang(de){} :dir(rtl){} :is(p,.a .b) a{} :only-child{} :has(~ .a b){}"
        "*|*:not(p):nth-child(n+2){} :root{} form :default{} :in-range,:out-of-range{} :open{}"
        "@scope (.a) to (:scope > .b > p) { p{} > *{} :not(:scope) ~ &{} @scope (p) { *{} } }";
    hed_error error = {0};
    hed_css_sheet *sheet;
    hed_css_matcher *matcher;
    hed_css_sheet_def sheet_def = {
        .text = text, .length = sizeof text - 1, .quirks = document->quirks};
    must(hed_css_sheet_create(names, &sheet_def, &sheet, &error) == HED_OK);
    hed_css_matcher_def def = {
        .documents = &document, .document_count = 1, .sheets = &sheet, .sheet_count = 1};
    must(hed_css_matcher_create(NULL, &def, &matcher, &error) == HED_OK);
    must(hed_css_match(matcher, &error) == HED_OK);
    hed_css_result result = hed_css_matcher_results(matcher);
    for (uint32_t e = 0; e < document->count; e++) {
        uint32_t c = result.element_class[e], at = result.class_begin[c];
        for (uint32_t r = 0; r < sheet->rule_count; r++) {
            bool found = at < result.class_begin[c + 1] && result.rule[at] == r;
            must(css_naive_rule(sheet, document, &sheet->rules[r], e) == found);
            at += found;
        }
    }
    hed_css_matcher_destroy(matcher);
    hed_css_sheet_destroy(sheet);
}

#endif
