/* Search for elements that a selector matches: a sheet of one rule, tried on each element. */
#include "solver/plain.h"
#include "solver/trees.h"

/* True if a selector matches an element by a sheet in any tree. */
static bool select_match(
    const hed_css_sheet *sheet, const hed_css_document *d, uint32_t complex, uint32_t element)
{
    if (css_is_shadow_root(d, element)) return false;
    css_contexts at = css_contexts_of(d, element, false);
    while (css_contexts_next(&at)) {
        const css_plain plain = {sheet, d, CSS_PLAIN_GIVEN, CSS_NONE, at.tree};
        if (css_plain_match(&plain, complex, element)) return true;
    }
    return false;
}

hed_status hed_css_select(const hed_css_document *document, const char *selector,
    uint32_t *elements, uint32_t room, uint32_t *count, hed_error *error)
{
    HED_REQUIRE(document, selector, elements || !room, count);
    hed_error local = {0};
    hed_css_sheet *sheet = NULL;
    if (!error) error = &local;
    *count = 0;
    hed_arena work = {.allocator = document->allocator, .owner = "a selection"};
    size_t length = strlen(selector);
    char *text = hed_arena_new(&work, length + 3, 1, error);
    if (text) {
        memcpy(text, selector, length);
        memcpy(text + length, "{}", 2);
        const hed_css_sheet_def def = {
            .text = text, .length = length + 2, .quirks = document->quirks};
        hed_css_sheet_create(document->names, &def, &sheet, error);
    }
    hed_arena_free(&work);
    if (hed_failed(error)) return error->status;
    const css_rule *rule = sheet->rules;
    bool has_rule = sheet->rule_count == 1;
    size_t end = has_rule ? rule->info.begin + rule->info.selector_length : 0;
    if (!has_rule || rule->info.end != length + 2 || memchr(selector + end, '{', length - end))
        hed_fail(error, HED_ERROR_FORMAT,
            "\"%.200s\" is no selector, or a bracket or quote in it is open", selector);
    else if (rule->info.validity == HED_CSS_INVALID)
        hed_fail(
            error, HED_ERROR_FORMAT, "\"%.200s\" is no selector: %s", selector, rule->info.reason);
    else if (rule->info.validity == HED_CSS_UNSUPPORTED)
        hed_fail(error, HED_ERROR_UNSUPPORTED, "\"%.200s\": %s", selector, rule->info.reason);
    for (uint32_t e = 0; e < document->count && !hed_failed(error); e++) {
        bool matches = false;
        for (uint32_t k = 0; k < rule->count && !matches; k++)
            matches = select_match(sheet, document, rule->list + k, e);
        if (matches && *count < room) elements[*count] = e;
        *count += matches;
    }
    hed_css_sheet_destroy(sheet);
    return hed_failed(error) ? error->status : HED_OK;
}
