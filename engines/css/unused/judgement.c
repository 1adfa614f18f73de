/* Results of a search for unused rules: sums, sheets, selectors, entries, reduced texts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "source_map.h"

const char *hed_css_reason_text(hed_css_reason reason)
{
    static const char *const words[] = {[HED_CSS_UNUSED] = "unused",
        [HED_CSS_BY_ELEMENT] = "element",
        [HED_CSS_BY_STATE] = "state",
        [HED_CSS_BY_WORD] = "word",
        [HED_CSS_BY_KEEP] = "keep",
        [HED_CSS_NOT_JUDGED] = "not judged",
        [HED_CSS_BY_NAME] = "name"};
    return (size_t)reason < HED_COUNT(words) ? words[reason] : "";
}

/* ---- selectors and rules ---- */

/* Sets the evidence for a selector that stays or goes for a reason. */
static void set_evidence(
    const hed_css_unused *u, const css_file *file, uint32_t rule, hed_css_selector_use *use)
{
    const css_reason *reason = &u->reasons[file->first_rule + rule];
    if (use->reason == HED_CSS_BY_ELEMENT || use->reason == HED_CSS_BY_STATE) {
        use->found = use->element;
        use->where = u->pages[use->element_page].name;
        use->line = use->element_line;
    } else if (use->reason == HED_CSS_BY_WORD && reason->word) {
        use->found = reason->word->text;
        use->where = u->words.texts[reason->word->file].name;
        use->line = reason->word->line;
    } else if (use->reason == HED_CSS_BY_WORD) {
        use->found = "markup";
        use->where = reason->markup;
    } else if (use->reason == HED_CSS_BY_KEEP && reason->comment)
        use->found = "a comment in the sheet";
    else if (use->reason == HED_CSS_BY_KEEP) {
        use->found = reason->keep->text;
        use->where = reason->keep->origin;
    } else if (use->reason == HED_CSS_UNUSED && reason->blocked && use->elements)
        use->found = "blocklist";
    else if (use->reason == HED_CSS_NOT_JUDGED && hed_css_rule_at(file->sheet, rule).inside)
        use->found = "a shadow tree that scripts make";
    else use->found = hed_css_rule_at(file->sheet, rule).reason;
    if (use->reason == HED_CSS_NOT_JUDGED && !use->found[0])
        use->found = "its list has a selector of another browser";
}

hed_css_selector_use hed_css_unused_selector(const hed_css_unused *u, uint32_t sheet, uint32_t rule)
{
    hed_css_selector_use result = {.found = "", .where = ""};
    if (!u || sheet >= u->file_count || rule >= u->files[sheet].rules || !u->reductions)
        return result;
    const css_file *file = &u->files[sheet];
    const css_use *use = &u->uses[file->first_rule + rule];
    result.reason = css_judgement(u, file, rule);
    result.blocked = u->reasons[file->first_rule + rule].blocked;
    result.elements = use->elements;
    result.pages = use->pages;
    result.element = use->element;
    result.element_page = use->page;
    result.element_line = use->line;
    set_evidence(u, file, rule, &result);
    return result;
}

static hed_css_reason rule_reason(
    const hed_css_unused *u, const css_file *file, const hed_css_unused_item *item)
{
    static const hed_css_reason order[] = {
        HED_CSS_BY_ELEMENT, HED_CSS_BY_STATE, HED_CSS_BY_WORD, HED_CSS_BY_KEEP, HED_CSS_NOT_JUDGED};
    for (size_t o = 0; o < HED_COUNT(order); o++)
        for (uint32_t i = 0; i < item->count; i++)
            if (css_judgement(u, file, item->index + i) == order[o]) return order[o];
    return HED_CSS_UNUSED;
}

hed_css_reason hed_css_unused_rule(
    const hed_css_unused *u, uint32_t sheet, const hed_css_unused_item *item)
{
    if (!u || !item || sheet >= u->file_count || !u->reductions) return HED_CSS_UNUSED;
    return rule_reason(u, &u->files[sheet], item);
}

bool hed_css_unused_keep_fits(const hed_css_unused *u, uint32_t keep)
{
    return u && keep < u->keeps.count && u->keeps.items[keep].fitted;
}

/* ---- sums, pages, sheets ---- */

/* Counts rules and selectors of a sheet, and those that are unused. */
static void count_sheet(const hed_css_unused *u, uint32_t sheet, hed_css_unused_info *info)
{
    const css_file *file = &u->files[sheet];
    const css_reduction *reduction = &u->reductions[sheet];
    for (uint32_t i = 0; i < reduction->count; i++) {
        const hed_css_unused_item *item = &reduction->items[i];
        if (item->kind != 'r' || item->bare) continue;
        info->rules++;
        info->unused_rules += !item->stays;
        if (!item->stays) continue;
        info->reasons[rule_reason(u, file, item)]++;
        info->selectors += item->count;
        for (uint32_t k = 0; k < item->count; k++)
            info->unused_selectors += css_judgement(u, file, item->index + k) == HED_CSS_UNUSED;
    }
    info->bytes += file->length;
    info->unused_bytes += reduction->bytes;
}

hed_css_unused_info hed_css_unused_describe(const hed_css_unused *u)
{
    hed_css_unused_info info = {0};
    if (!u) return info;
    info.sheets = u->file_count;
    info.pages = u->page_count;
    info.page_total = u->page_total;
    info.names_judged = !u->names_unknown;
    for (uint32_t i = 0; i < u->file_count && u->reductions; i++)
        if (u->files[i].judged) count_sheet(u, i, &info);
    return info;
}

hed_css_page_use hed_css_unused_page_at(const hed_css_unused *u, uint32_t page)
{
    return u && page < u->page_count ? u->pages[page] : (hed_css_page_use){.name = ""};
}

hed_css_sheet_use hed_css_unused_sheet_at(const hed_css_unused *u, uint32_t sheet)
{
    css_map_address address;
    if (!u || sheet >= u->file_count) return (hed_css_sheet_use){.name = ""};
    const css_file *file = &u->files[sheet];
    hed_css_sheet_use use = {.name = file->name,
        .text = file->text,
        .length = file->length,
        .judged = file->judged,
        .pages = file->pages,
        .sheet = file->sheet};
    if (u->reductions) {
        use.items = u->reductions[sheet].items;
        use.item_count = u->reductions[sheet].count;
        use.unused_bytes = u->reductions[sheet].bytes;
    }
    if (css_map_find(file->text, file->length, &address)) {
        use.map_url = file->text + address.url;
        use.map_url_length = address.url_end - address.url;
    }
    return use;
}

/* ---- entries ---- */

typedef struct entry_visit {
    const hed_css_unused *unused;
    uint32_t sheet;
    const css_file *file;
    void (*each)(void *user, const hed_css_unused_entry *entry);
    void *user;
    hed_error *error;
} entry_visit;

/* Visits a selector, or the whole list of an unused rule: `rule` has its text. */
static void visit_selector(
    const entry_visit *v, hed_css_unused_entry entry, uint32_t number, const hed_css_rule *rule)
{
    size_t size = rule->selector_length + 1;
    char *line = hed_new(v->unused->allocator, size, 1, v->error);
    if (!line) return;
    hed_css_selector_text(rule, line, size);
    entry.text = line;
    entry.line = rule->line;
    entry.use = hed_css_unused_selector(v->unused, v->sheet, number);
    v->each(v->user, &entry);
    hed_delete(v->unused->allocator, line, size, 1);
}

static void visit_rule(const entry_visit *v, const hed_css_unused_item *item)
{
    hed_css_rule first = hed_css_rule_at(v->file->sheet, item->index);
    const char *base = first.selector - first.begin; /* a list begins with its first selector */
    if (item->bare) return;
    if (!item->stays) {
        hed_css_rule last = hed_css_rule_at(v->file->sheet, item->index + item->count - 1);
        first.selector_length = (size_t)(last.selector - first.selector) + last.selector_length;
        const hed_css_unused_entry entry = {.kind = "rule",
            .begin = item->begin,
            .end = item->end,
            .bytes = item->end - item->begin,
            .removed = item->removed};
        visit_selector(v, entry, item->index, &first);
        return;
    }
    for (uint32_t i = item->index; i < item->index + item->count; i++) {
        hed_css_rule rule = hed_css_rule_at(v->file->sheet, i);
        size_t begin = (size_t)(rule.selector - base);
        bool unused = css_judgement(v->unused, v->file, i) == HED_CSS_UNUSED;
        const hed_css_unused_entry entry = {.kind = "selector",
            .begin = begin,
            .end = begin + rule.selector_length,
            .bytes = rule.selector_length,
            .removed = item->removed || (unused && !item->inner)};
        visit_selector(v, entry, i, &rule);
    }
}

static void visit_part(const entry_visit *v, const hed_css_unused_item *item)
{
    static const char *const kinds[] = {[HED_CSS_PART_KEYFRAMES] = "@keyframes",
        [HED_CSS_PART_FONT_FACE] = "@font-face",
        [HED_CSS_PART_PROPERTY] = "@property",
        [HED_CSS_PART_COUNTER_STYLE] = "@counter-style",
        [HED_CSS_PART_FONT_PALETTE] = "@font-palette-values",
        [HED_CSS_PART_FONT_FEATURES] = "@font-feature-values",
        [HED_CSS_PART_POSITION_TRY] = "@position-try",
        [HED_CSS_PART_CUSTOM] = "custom property",
        [HED_CSS_PART_LAYER] = "@layer"};
    hed_css_part part = hed_css_part_at(v->file->sheet, item->index);
    bool layer = item->kind == HED_CSS_PART_LAYER;
    if (item->kind == HED_CSS_PART_GROUP || item->kind == HED_CSS_PART_OTHER) return;
    if (!layer && !part.name[0]) return;
    bool unused = layer ? !item->holds : !item->stays;
    const hed_css_unused_entry entry = {.kind = kinds[part.kind],
        .line = part.line,
        .begin = part.begin,
        .end = part.end,
        .bytes = part.end - part.begin,
        .removed = item->removed,
        .text = part.name,
        .use = {.reason = unused ? HED_CSS_UNUSED : HED_CSS_BY_NAME, .found = "", .where = ""}};
    v->each(v->user, &entry);
}

hed_status hed_css_unused_entries(const hed_css_unused *unused, uint32_t sheet,
    void (*each)(void *user, const hed_css_unused_entry *entry), void *user, hed_error *error)
{
    HED_REQUIRE(unused, each);
    hed_error local = {0};
    if (sheet >= unused->file_count || !unused->reductions)
        return hed_fail(error, HED_ERROR_ARGUMENT, "unused rules: no sheet %u, or no run", sheet);
    const css_reduction *reduction = &unused->reductions[sheet];
    const entry_visit v = {unused, sheet, &unused->files[sheet], each, user, &local};
    for (uint32_t i = 0; i < reduction->count && !hed_failed(&local); i++) {
        const hed_css_unused_item *item = &reduction->items[i];
        if (item->kind == 'r') visit_rule(&v, item);
        else visit_part(&v, item);
    }
    return hed_failed(&local) ? hed_fail(error, local.status, "%s", local.text) : HED_OK;
}

/* ---- reduced texts ---- */

/* Appends bytes to a text that has room for them. */
static void append_bytes(char *text, size_t *length, const char *bytes, size_t count)
{
    memcpy(text + *length, bytes, count);
    *length += count;
}

const char *hed_css_unused_text(
    hed_css_unused *u, uint32_t sheet, const char *map_url, size_t *length, hed_error *error)
{
    css_map_address map;
    size_t used = 0, at = 0;
    if (hed_failed(error)) return NULL;
    if (!u || sheet >= u->file_count || !u->reductions) {
        hed_fail(error, HED_ERROR_ARGUMENT, "unused rules: no sheet %u, or no run", sheet);
        return NULL;
    }
    const css_file *file = &u->files[sheet];
    const css_reduction *reduction = &u->reductions[sheet];
    bool mapped = css_map_find(file->text, file->length, &map);
    size_t size = file->length + (map_url ? strlen(map_url) : 0) + sizeof "/*# sourceMappingURL= */";
    for (uint32_t i = 0; i < reduction->cut_count; i++)
        if (reduction->cuts[i].instead) size += strlen(reduction->cuts[i].instead);
    char *text = hed_arena_new(&u->arena, size, 1, error);
    if (!text) return NULL;
    for (uint32_t i = 0; i <= reduction->cut_count; i++) {
        css_cut end = {file->length, file->length, 0, 0, NULL};
        const css_cut *removed = i < reduction->cut_count ? &reduction->cuts[i] : &end;
        if (mapped && map.begin >= at && map.end <= removed->begin) {
            append_bytes(text, &used, file->text + at, map.begin - at);
            if (map_url) {
                append_bytes(text, &used, "/*# sourceMappingURL=", 21);
                append_bytes(text, &used, map_url, strlen(map_url));
                append_bytes(text, &used, " */", 3);
            }
            at = map.end;
        }
        append_bytes(text, &used, file->text + at, removed->begin - at);
        if (removed->instead) append_bytes(text, &used, removed->instead, strlen(removed->instead));
        at = removed->end;
    }
    if (length) *length = used;
    return text;
}

const char *hed_css_unused_map(
    hed_css_unused *u, uint32_t sheet, const hed_css_map_def *def, size_t *length, hed_error *error)
{
    hed_error local = {0};
    const char *map = NULL;
    if (hed_failed(error)) return NULL;
    if (!u || !def || sheet >= u->file_count || !u->reductions)
        hed_fail(&local, HED_ERROR_ARGUMENT, "unused rules: no sheet %u, or no run", sheet);
    else
        map =
            css_map_reduce(&u->arena, &u->files[sheet], &u->reductions[sheet], def, length, &local);
    if (hed_failed(&local)) hed_fail(error, local.status, "%s", local.text);
    return hed_failed(&local) ? NULL : map;
}
