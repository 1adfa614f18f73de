/* libFuzzer harness for selectors: what is valid alone is valid in a list, in :is() and in
 * @supports, weighs the same there, and matches something or nothing in a small tree. Build with
 * -DHEDDLE_FUZZ=ON. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "engines/css/model/document.h"
#include "engines/css/model/selector.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds) abort();
}

static hed_css_document *small_tree(hed_css_names *names)
{
    static const hed_css_attribute attributes[] = {
        {"id", "a", 0}, {"class", "a b", 0}, {"lang", "de-AT", 0}, {"type", "A", 0}};
    static const hed_css_element elements[] = {{HED_CSS_NONE, HED_CSS_HTML, "html", NULL, 0, false},
        {0, HED_CSS_HTML, "a", attributes, 4, true},
        {0, HED_CSS_HTML, "b", attributes + 1, 2, false},
        {2, HED_CSS_SVG, "a", attributes, 1, false}, {2, HED_CSS_HTML, "a", NULL, 0, true}};
    hed_error error = {0};
    hed_css_document *document;
    hed_css_document_def def = {.elements = elements, .element_count = HED_COUNT(elements)};
    must(hed_css_document_create(names, &def, &document, &error) == HED_OK);
    return document;
}

static hed_css_sheet *wrapped(
    hed_css_names *names, const char *format, int length, const char *text)
{
    char css[512];
    hed_css_sheet *sheet;
    hed_error error = {0};
    int written = snprintf(css, sizeof css, format, length, text);
    hed_css_sheet_def def = {.text = css, .length = (size_t)written};
    must(hed_css_sheet_create(names, &def, &sheet, &error) == HED_OK);
    return sheet;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* What brackets, quotes and blocks swallow is the sheet's business. */
    if (size > 60 || memchr(data, 0, size)) return 0;
    for (size_t i = 0; i < size; i++)
        if (strchr("{}\"'\\@;/<", data[i]) || (size - i > 2 && !memcmp(data + i, "-->", 3)))
            return 0;
    const char *text = (const char *)data;
    int length = (int)size;
    hed_css_names *names;
    hed_error error = {0};
    must(hed_css_names_create(NULL, &names, &error) == HED_OK);
    hed_css_document *document = small_tree(names);
    hed_css_sheet *alone = wrapped(names, " %.*s{}", length, text);
    if (hed_css_rule_count(alone) && alone->rules[0].info.validity == HED_CSS_VALID) {
        const css_rule *rule = &alone->rules[0];
        hed_css_sheet *twice = wrapped(names, "b c#d, %.*s{}", length, text);
        must(twice->rules[0].info.validity == HED_CSS_VALID &&
             twice->rules[0].count == rule->count + 1);
        hed_css_sheet *inside = wrapped(names, ":is(%.*s){}", length, text);
        const css_rule *is = &inside->rules[0];
        must(is->info.validity == HED_CSS_VALID);
        if (!rule->info.pseudo_element) must(is->info.specificity == rule->info.specificity);
        for (uint32_t e = 0; e < document->count; e++) {
            bool matches = false;
            for (uint32_t i = 0; i < rule->count; i++)
                matches |= css_naive_match(alone, document, rule->list + i, e);
            bool found = css_naive_match(inside, document, is->list, e);
            must(rule->info.pseudo_element || found == matches);
        }
        hed_css_sheet_destroy(twice);
        hed_css_sheet_destroy(inside);
    }
    hed_css_sheet_destroy(alone);
    hed_css_document_destroy(document);
    hed_css_names_destroy(names);
    return 0;
}
