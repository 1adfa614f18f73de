/* See reduce.h. A rule is removed if no selector of its list matches and no item inside it stays. A
 * selector is removed from a list if the rule contains no other rules, whose `&` would have the
 * specificity of the whole list. A block of @media is removed if it becomes empty. A named layer
 * keeps its name, as the first naming determines the order of layers. Custom properties stay unless
 * --properties is given, as scripts may read them. Rules that cannot be judged stay. */
#include "reduce.h"

#include <stdlib.h>
#include <string.h>

/* ---- items ---- */

/* Order of items at one place: a block contains the rule of its declarations, and that a custom
 * property. */
static int rank_of(const hed_css_unused_item *item)
{
    return item->kind == HED_CSS_PART_CUSTOM ? 2 : item->kind == 'r';
}

static int by_place(const void *a, const void *b)
{
    const hed_css_unused_item *x = a, *y = b;
    if (x->begin != y->begin) return x->begin < y->begin ? -1 : 1;
    if (x->end != y->end) return x->end > y->end ? -1 : 1;
    return rank_of(x) - rank_of(y);
}

static void collect_items(const hed_css_unused *u, const css_file *file, css_reduction *reduction)
{
    for (uint32_t r = 0, next; r < file->rules; r = next) {
        hed_css_rule rule = hed_css_rule_at(file->sheet, r);
        hed_css_unused_item item = {
            .begin = rule.begin, .end = rule.end, .kind = 'r', .index = r, .around = HED_CSS_NONE};
        for (next = r; next < file->rules; next++) {
            if (hed_css_rule_at(file->sheet, next).number != rule.number) break;
            item.stays |= css_judgement(u, file, next) != HED_CSS_UNUSED;
            item.count++;
        }
        item.bare = file->text[rule.begin] != rule.selector[0] && rule.selector_length == 1 &&
                    rule.selector[0] == '&';
        reduction->items[reduction->count++] = item;
    }
    for (uint32_t p = 0; p < file->parts; p++) {
        hed_css_part part = hed_css_part_at(file->sheet, p);
        hed_css_unused_item item = {.begin = part.begin,
            .end = part.end,
            .kind = (char)part.kind,
            .index = p,
            .around = HED_CSS_NONE};
        item.stays = u->used[file->first_part + p] && part.kind != HED_CSS_PART_GROUP &&
                     part.kind != HED_CSS_PART_LAYER;
        reduction->items[reduction->count++] = item;
    }
    qsort(reduction->items, reduction->count, sizeof *reduction->items, by_place);
}

/* True if a layer's block has a name, which stays. */
static bool is_named_layer(const css_file *file, const hed_css_unused_item *item)
{
    return item->kind == HED_CSS_PART_LAYER && hed_css_part_at(file->sheet, item->index).name[0];
}

static void nest_items(const hed_css_unused *u, const css_file *file, css_reduction *reduction)
{
    hed_css_unused_item *items = reduction->items;
    for (uint32_t i = 1; i < reduction->count; i++) {
        uint32_t around = i - 1;
        while (around != HED_CSS_NONE && items[around].end <= items[i].begin)
            around = items[around].around;
        items[i].around = around;
        if (around != HED_CSS_NONE && items[i].kind != HED_CSS_PART_CUSTOM)
            items[around].inner = true;
    }
    for (uint32_t i = reduction->count; i-- > 0;) {
        hed_css_unused_item *item = &items[i];
        bool custom = item->kind == HED_CSS_PART_CUSTOM; /* no reason to keep the rule */
        if (item->around == HED_CSS_NONE || custom) continue;
        bool property = item->kind == HED_CSS_PART_PROPERTY && !u->def.properties;
        if (item->stays || item->holds || property || is_named_layer(file, item))
            items[item->around].holds = true;
    }
    for (uint32_t i = 0; i < reduction->count; i++) {
        hed_css_unused_item *item = &items[i];
        bool outer = item->around != HED_CSS_NONE && items[item->around].removed;
        bool property = item->kind == HED_CSS_PART_PROPERTY || item->kind == HED_CSS_PART_CUSTOM;
        bool removable = !item->bare && (!property || u->def.properties);
        item->removed = outer || (!item->stays && !item->holds && removable);
    }
}

/* ---- cuts ---- */

static void add_cut(
    const hed_css_unused *u, css_reduction *reduction, css_cut cut, hed_error *error)
{
    reduction->cuts = css_grow(u->allocator, reduction->cuts, &reduction->cut_room,
        reduction->cut_count, sizeof cut, error);
    if (!hed_failed(error)) reduction->cuts[reduction->cut_count++] = cut;
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f'; }

/* End of a comment that follows `end` and ends the line, as it belongs to the text before it;
 * otherwise `end`. */
static size_t comment_behind(const css_file *file, size_t end)
{
    const char *text = file->text + end, *at = text;
    while (is_blank(*at)) at++;
    if (at[0] != '/' || at[1] != '*' || at[2] == '#' || at[2] == '!') return end;
    const char *close = strstr(at + 2, "*/"), *line = strchr(at, '\n');
    if (!close || (line && line < close)) return end;
    const char *rest = close + 2;
    while (is_blank(*rest)) rest++;
    return *rest && *rest != '\n' ? end : end + (size_t)(close + 2 - text);
}

/* Widens a cut to whole lines if they contain nothing else, to a comment after it, and to one of
 * the blank lines around it. */
static css_cut widen(const css_file *file, css_cut cut)
{
    const char *text = file->text;
    size_t begin = cut.begin, end = cut.end;
    if (cut.kind == HED_CSS_PART_CUSTOM) {
        while (end < file->length && (is_blank(text[end]) || text[end] == '\n')) end++;
        if (end < file->length && text[end] == ';') cut.end = ++end;
        else end = cut.end;
    }
    while (begin > 0 && is_blank(text[begin - 1])) begin--;
    bool first = begin == 0 || text[begin - 1] == '\n';
    if (first) end = comment_behind(file, end);
    while (end < file->length && is_blank(text[end])) end++;
    bool last = end == file->length || text[end] == '\n';
    if (first && last) {
        cut.begin = begin;
        cut.end = end < file->length ? end + 1 : end;
        bool blank = begin == 0 || (begin > 1 && text[begin - 2] == '\n');
        while (blank && cut.end < file->length && text[cut.end] == '\n') cut.end++;
    } else if (last) cut.begin = begin;
    else if (begin < cut.begin) cut.end = end;
    return cut;
}

/* Cuts the selectors of a list that never match, each with one comma. */
static void cut_selectors(const hed_css_unused *u, const css_file *file, css_reduction *reduction,
    const hed_css_unused_item *item, hed_error *error)
{
    hed_css_rule whole = hed_css_rule_at(file->sheet, item->index);
    const char *base = whole.selector - whole.begin; /* a list begins with its first selector */
    bool any_stays = false;
    for (uint32_t i = 0; i < item->count; i++) {
        hed_css_rule rule = hed_css_rule_at(file->sheet, item->index + i);
        size_t begin = (size_t)(rule.selector - base), end = begin + rule.selector_length;
        bool dead = css_judgement(u, file, item->index + i) == HED_CSS_UNUSED;
        any_stays |= !dead;
        if (!dead) continue;
        if (!any_stays)
            end = (size_t)(hed_css_rule_at(file->sheet, item->index + i + 1).selector - base);
        else {
            hed_css_rule before = hed_css_rule_at(file->sheet, item->index + i - 1);
            begin = (size_t)(before.selector - base) + before.selector_length;
        }
        add_cut(u, reduction, (css_cut){begin, end, 's', item->index + i, NULL}, error);
    }
}

/* True if the cuts from `first` on remove the whole content of a rule's block. */
static bool leaves_nothing(const css_file *file, const css_reduction *reduction,
    const hed_css_unused_item *item, uint32_t first)
{
    size_t at = item->begin, end = item->end - 1;
    while (at < end && file->text[at] != '{') at++;
    for (at++; at < end; at++) {
        if (first < reduction->cut_count && at >= reduction->cuts[first].begin &&
            at < reduction->cuts[first].end) {
            at = reduction->cuts[first].end - 1;
            first++;
            continue;
        }
        if (!is_blank(file->text[at]) && file->text[at] != '\n' && file->text[at] != ';')
            return false;
    }
    return true;
}

static void cut_item(const hed_css_unused *u, const css_file *file, css_reduction *reduction,
    uint32_t i, hed_error *error)
{
    hed_css_unused_item *items = reduction->items, *item = &items[i];
    if (item->removed && item->around != HED_CSS_NONE && items[item->around].removed) return;
    if (item->removed && is_named_layer(file, item)) {
        size_t brace = item->begin;
        while (file->text[brace] != '{') brace++;
        while (is_blank(file->text[brace - 1]) || file->text[brace - 1] == '\n') brace--;
        add_cut(u, reduction, (css_cut){brace, item->end, item->kind, item->index, ";"}, error);
    } else if (item->removed)
        add_cut(u, reduction,
            widen(file, (css_cut){item->begin, item->end, item->kind, item->index, NULL}), error);
    else if (item->kind == 'r' && item->count > 1 && !item->inner)
        cut_selectors(u, file, reduction, item, error);
}

/* Cuts an item and the items inside it, which are nested at most 256 deep; an item that becomes
 * empty is removed. Returns the index of the next item after it. */
static uint32_t cut_within(const hed_css_unused *u, const css_file *file, css_reduction *reduction,
    uint32_t i, hed_error *error)
{
    hed_css_unused_item *item = &reduction->items[i];
    uint32_t first = reduction->cut_count, next = i + 1;
    cut_item(u, file, reduction, i, error);
    uint32_t inner = reduction->cut_count;
    while (
        next < reduction->count && reduction->items[next].begin < item->end && !hed_failed(error))
        next = cut_within(u, file, reduction, next, error);
    bool block = item->kind == 'r' || item->kind == HED_CSS_PART_GROUP;
    if (hed_failed(error) || item->removed || item->bare || !block ||
        reduction->cut_count == inner || !leaves_nothing(file, reduction, item, inner))
        return next;
    reduction->cut_count = first;
    item->removed = true;
    cut_item(u, file, reduction, i, error);
    return next;
}

hed_status css_reduce(
    const hed_css_unused *u, const css_file *file, css_reduction *reduction, hed_error *error)
{
    reduction->items =
        hed_new(u->allocator, file->rules + file->parts + 1ull, sizeof *reduction->items, error);
    if (!reduction->items) return error->status;
    collect_items(u, file, reduction);
    for (uint32_t i = 0; i < reduction->count; i++)
        reduction->items[i].comment_end = comment_behind(file, reduction->items[i].end);
    nest_items(u, file, reduction);
    for (uint32_t i = 0; i < reduction->count && !hed_failed(error);)
        i = cut_within(u, file, reduction, i, error);
    for (uint32_t i = 0; i < reduction->cut_count; i++) {
        css_cut *cut = &reduction->cuts[i];
        if (i && cut->begin < cut[-1].end) cut->begin = cut[-1].end;
        reduction->bytes += cut->end - cut->begin - (cut->instead ? strlen(cut->instead) : 0);
    }
    return hed_failed(error) ? error->status : HED_OK;
}

void css_reduction_free(const hed_css_unused *u, const css_file *file, css_reduction *reduction)
{
    hed_delete(
        u->allocator, reduction->items, file->rules + file->parts + 1ull, sizeof *reduction->items);
    hed_delete(u->allocator, reduction->cuts, reduction->cut_room, sizeof *reduction->cuts);
}
