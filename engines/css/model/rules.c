/* Queries of the rules of a sheet. */
#include <stdio.h>

#include "document.h"
#include "selector.h"

uint32_t hed_css_rule_count(const hed_css_sheet *sheet)
{
    if (!sheet) return 0;
    return sheet->rule_count;
}

hed_css_rule hed_css_rule_at(const hed_css_sheet *sheet, uint32_t rule)
{
    if (!sheet) return (hed_css_rule){0};
    return sheet->rules[rule].info;
}

void hed_css_layer_text(const hed_css_sheet *sheet, uint32_t rule, char *text, size_t size)
{
    if (!sheet || (!text && size)) return;
    const css_layer *layers = sheet->layers.items;
    uint32_t depth = 0, layer = sheet->rules[rule].layer;
    size_t used = 0;
    if (size) text[0] = 0;
    for (uint32_t at = layer; at; at = layers[at].parent) depth++;
    for (; depth && used < size; depth--) {
        uint32_t at = layer;
        for (uint32_t up = 1; up < depth; up++) at = layers[at].parent;
        const char *name = layers[at].name == CSS_NONE
                               ? "(anonymous)"
                               : hed_css_names_text(sheet->names, layers[at].name, NULL);
        used += (size_t)snprintf(text + used, size - used, "%s%s", used ? "." : "", name);
    }
}

void hed_css_condition_text(const hed_css_sheet *sheet, uint32_t rule, char *text, size_t size)
{
    if (!sheet || (!text && size)) return;
    const css_condition *conditions = sheet->store[CSS_CONDITIONS].items;
    size_t used = 0;
    if (size) text[0] = 0;
    for (uint32_t at = sheet->rules[rule].condition; at && used < size;
         at = conditions[at - 1].around)
        used += (size_t)snprintf(text + used, size - used, "%s%.*s", used ? " in " : "",
            conditions[at - 1].length < 256 ? (int)conditions[at - 1].length : 256,
            conditions[at - 1].text);
}

void hed_css_failing_condition(const hed_css_sheet *sheet, uint32_t rule, char *text, size_t size)
{
    if (!sheet || (!text && size)) return;
    const css_condition *conditions = sheet->store[CSS_CONDITIONS].items;
    if (size) text[0] = 0;
    for (uint32_t at = sheet->rules[rule].condition; at; at = conditions[at - 1].around)
        if (!conditions[at - 1].holds)
            snprintf(text, size, "%.*s",
                conditions[at - 1].length < 256 ? (int)conditions[at - 1].length : 256,
                conditions[at - 1].text);
}
