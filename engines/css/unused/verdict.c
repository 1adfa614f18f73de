/* See verdict.h. Each distinct name of the selectors is an atom: the patterns that fit it, its
 * first position in the words, and its presence on a page are found once. A selector stays by words
 * if all its names are on pages or in words, and one of them is in words. */
#include "verdict.h"

#include <stdio.h>
#include <string.h>

#include "ignore.h"
#include "model/selector.h"

enum { MOST_KEY = 512, MOST_VALUE = 64 };

typedef struct atom {
    hed_css_used_name name; /* texts of the table of names */
    const css_keep *selector, *present, *rest, *never;
    const css_word *word;
    const char *markup; /* file with Markdown that makes the element */
    bool on_page;
} atom;

typedef struct atoms {
    hed_css_unused *unused;
    atom *items;
    uint32_t count, room;
    uint32_t *slots; /* (slot_count) 1 + atom; 0: free */
    uint32_t slot_count;
    bool blocks;      /* the question is for blocked names */
    const atom *best; /* see explain_name() */
    hed_error error;
} atoms;

/* ---- names of pages ---- */

/* Text of a name in the set of the pages' names; returns its length, 0: too long. */
static size_t page_key(char key[MOST_KEY], const hed_css_used_name *name, bool with_value)
{
    int length = with_value ? snprintf(key, MOST_KEY, "%c%s=%s", name->kind, name->name, name->value)
                            : snprintf(key, MOST_KEY, "%c%s", name->kind, name->name);
    return length < 0 || length >= MOST_KEY ? 0 : (size_t)length;
}

static void note_name(void *user, const hed_css_used_name *name)
{
    char key[MOST_KEY];
    bool valued = name->value && strlen(name->value) <= MOST_VALUE;
    for (int with_value = 0; with_value <= valued; with_value++) {
        size_t length = page_key(key, name, with_value);
        if (length) css_name_set_add(user, key, length);
    }
}

hed_status css_verdict_page(css_name_set *names, const hed_css_document *document, hed_error *error)
{
    if (hed_failed(error)) return error->status;
    return hed_css_document_names(document, note_name, names, error);
}

/* True if a name is on every page, or as good as: scripts and readers set these attributes. */
static bool is_everywhere(const hed_css_used_name *name)
{
    static const char *const attributes[] = {
        "class", "id", "style", "value", "checked", "selected", "open", "disabled", "hidden"};
    static const char *const elements[] = {"html", "head", "body"};
    bool attribute = name->kind == HED_CSS_NAME_ATTRIBUTE;
    const char *const *list = attribute ? attributes : elements;
    size_t count = attribute ? HED_COUNT(attributes) : HED_COUNT(elements);
    if (!attribute && name->kind != HED_CSS_NAME_ELEMENT) return false;
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i], name->name) == 0) return true;
    return false;
}

static bool on_page(css_name_set *names, const hed_css_used_name *name)
{
    char key[MOST_KEY];
    if (is_everywhere(name)) return true;
    size_t length = page_key(key, name, name->value != NULL);
    if (!length) return false;
    uint32_t number = hed_css_names_add(names->names, key, length);
    names->incomplete |= number == HED_CSS_NONE;
    return number < names->count;
}

/* ---- atoms ---- */

static atom *atom_find(const atoms *a, const hed_css_used_name *name, uint32_t *slot)
{
    uint64_t hash = (uintptr_t)name->name * 31 + (uintptr_t)name->value * 7 + (uint64_t)name->kind;
    for (uint64_t at = (hash ^ hash >> 17) * 0x9e3779b97f4a7c15u >> 20;; at++) {
        *slot = (uint32_t)(at & (a->slot_count - 1));
        if (!a->slots[*slot]) return NULL;
        atom *item = &a->items[a->slots[*slot] - 1];
        if (item->name.kind == name->kind && item->name.name == name->name &&
            item->name.value == name->value)
            return item;
    }
}

static void atoms_grow(atoms *a)
{
    uint32_t count = a->slot_count ? 2 * a->slot_count : 1024, slot;
    uint32_t *slots = hed_new(a->unused->allocator, count, sizeof *slots, &a->error);
    if (!slots) return;
    hed_delete(a->unused->allocator, a->slots, a->slot_count, sizeof *slots);
    a->slots = slots;
    a->slot_count = count;
    for (uint32_t i = 0; i < a->count; i++) {
        atom_find(a, &a->items[i].name, &slot);
        slots[slot] = i + 1;
    }
}

/* Adds a name to the atoms; no rule is named. */
static bool collect_atom(void *user, const hed_css_used_name *name)
{
    atoms *a = user;
    uint32_t slot;
    if (2 * a->count >= a->slot_count) atoms_grow(a);
    if (hed_failed(&a->error) || atom_find(a, name, &slot)) return false;
    a->items =
        css_grow(a->unused->allocator, a->items, &a->room, a->count, sizeof *a->items, &a->error);
    if (hed_failed(&a->error)) return false;
    a->items[a->count++] = (atom){.name = *name};
    a->slots[slot] = a->count;
    return false;
}

static const atom *atom_of(const atoms *a, const hed_css_used_name *name)
{
    uint32_t slot;
    const atom *item = a->slot_count ? atom_find(a, name, &slot) : NULL;
    return item;
}

/* ---- properties of atoms ---- */

static void expect_words(atoms *a)
{
    css_words *words = &a->unused->words;
    const hed_css_unused *u = a->unused;
    for (uint32_t i = 0; i < a->count; i++) {
        css_words_expect(words, a->items[i].name.name, &a->error);
        if (a->items[i].name.value) css_words_expect(words, a->items[i].name.value, &a->error);
    }
    for (uint32_t i = 0; i < u->file_count; i++)
        for (uint32_t k = 0; k < u->files[i].parts; k++)
            css_words_expect(words, hed_css_part_at(u->files[i].sheet, k).name, &a->error);
}

/* Sets the word of an atom: of an attribute with a value, both have to be words. */
static void find_word(const css_words *words, atom *item)
{
    const char *value = item->name.value;
    item->word = css_words_find(words, item->name.name);
    if (item->name.kind == HED_CSS_NAME_ELEMENT && !item->word)
        item->markup = css_words_markup(words, item->name.name);
    if (item->name.kind != HED_CSS_NAME_ATTRIBUTE || !value || !*value) return;
    const css_word *word = css_words_find(words, value);
    item->word = is_everywhere(&item->name) || item->word ? word : NULL;
}

static void resolve_atoms(atoms *a)
{
    css_keeps *keeps = &a->unused->keeps;
    for (uint32_t i = 0; i < a->count; i++) {
        atom *item = &a->items[i];
        const hed_css_used_name *n = &item->name;
        item->selector =
            css_keeps_find(keeps, HED_CSS_KEEP_SELECTOR, (char)n->kind, n->name, n->value);
        item->present = css_keeps_find(keeps, HED_CSS_KEEP_NAME, (char)n->kind, n->name, n->value);
        item->rest = css_keeps_find(keeps, HED_CSS_KEEP_REST, (char)n->kind, n->name, n->value);
        item->never = css_keeps_find(keeps, HED_CSS_KEEP_NEVER, (char)n->kind, n->name, n->value);
        find_word(&a->unused->words, item);
        css_name_set *names = &a->unused->page_names;
        item->on_page = names->names && on_page(names, n);
    }
}

/* ---- rules ---- */

static bool names_selector(void *user, const hed_css_used_name *name)
{
    const atom *item = atom_of(user, name);
    return item && item->selector;
}

static bool is_elsewhere(const atom *item)
{
    return item->word || item->markup || item->present || item->rest;
}

static bool names_elsewhere(void *user, const hed_css_used_name *name)
{
    const atom *item = atom_of(user, name);
    return item && is_elsewhere(item);
}

static hed_css_presence presence_of(void *user, const hed_css_used_name *name)
{
    const atoms *a = user;
    const atom *item = atom_of(a, name);
    if (!item) return HED_CSS_ABSENT;
    if (item->rest) return HED_CSS_PRESENT_WITH_REST;
    if (item->present) return HED_CSS_PRESENT;
    if (item->never) return HED_CSS_ABSENT;
    return a->blocks || item->on_page || item->word || item->markup ? HED_CSS_PRESENT
                                                                    : HED_CSS_ABSENT;
}

/* Weight of a name as a reason: one that stands for the rest of its selector, then one that no page
 * has; a class or an id before an element. */
static int atom_weight(const atom *item)
{
    return 4 * (item->rest != NULL) + 2 * !item->on_page +
           (item->name.kind != HED_CSS_NAME_ELEMENT);
}

/* Remembers the name that explains best why a rule stays. */
static void explain_name(void *user, const hed_css_used_name *name)
{
    atoms *a = user;
    const atom *item = atom_of(a, name);
    if (!item || !is_elsewhere(item)) return;
    if (!a->best || atom_weight(item) > atom_weight(a->best)) a->best = item;
}

static void explain_selector(void *user, const hed_css_used_name *name)
{
    atoms *a = user;
    const atom *item = atom_of(a, name);
    if (item && item->selector && !a->best) a->best = item;
}

/* Finds the pattern that fits the text of a selector. */
static const css_keep *find_whole(atoms *a, const hed_css_rule *rule)
{
    const hed_allocator *allocator = a->unused->allocator;
    size_t size = rule->selector_length + 1;
    char *line = hed_new(allocator, size, 1, &a->error);
    if (!line) return NULL;
    hed_css_selector_text(rule, line, size);
    const css_keep *keep =
        css_keeps_find(&a->unused->keeps, HED_CSS_KEEP_SELECTOR, CSS_KEEP_WHOLE, line, NULL);
    hed_delete(allocator, line, size, 1);
    return keep;
}

/* Sets the reasons of the rules of a file that patterns of selectors fit, and comments keep. */
static void keep_rules(atoms *a, const css_file *file, const bool *named)
{
    css_keeps *keeps = &a->unused->keeps;
    bool by_text = css_keeps_have(keeps, HED_CSS_KEEP_SELECTOR, CSS_KEEP_WHOLE);
    css_ignores ignores = {.allocator = a->unused->allocator};
    css_ignores_find(&ignores, file->text, file->length, &a->error);
    for (uint32_t r = 0; r < file->rules && !hed_failed(&a->error); r++) {
        hed_css_rule rule = hed_css_rule_at(file->sheet, r);
        css_reason *reason = &a->unused->reasons[file->first_rule + r];
        if (by_text) reason->keep = find_whole(a, &rule);
        reason->comment = css_ignores_have(&ignores, rule.begin);
        if (reason->keep || !named[r]) continue;
        a->best = NULL;
        hed_css_rule_names(file->sheet, r, explain_selector, a);
        if (a->best) reason->keep = a->best->selector;
    }
    for (uint32_t k = 0; k < file->parts && !hed_failed(&a->error); k++)
        if (css_ignores_have(&ignores, hed_css_part_at(file->sheet, k).begin))
            a->unused->used[file->first_part + k] = true;
    css_ignores_free(&ignores);
}

/* Sets the reasons of the rules of a file whose names are present. Without a page, every template
 * makes pages on which body, :root and * match. */
static void keep_present(
    atoms *a, const css_file *file, const bool *possible, const bool *elsewhere)
{
    const hed_css_unused *u = a->unused;
    bool without_page = !u->def.page_count && u->words.text_count;
    for (uint32_t r = 0; r < file->rules; r++) {
        css_reason *reason = &a->unused->reasons[file->first_rule + r];
        if (!possible[r] || !(elsewhere[r] || without_page) || reason->keep) continue;
        a->best = NULL;
        hed_css_rule_names(file->sheet, r, explain_name, a);
        const atom *best = a->best;
        if (!best && without_page) reason->markup = u->words.texts[0].name;
        if (!best) continue;
        reason->keep = best->rest ? best->rest : best->word || best->markup ? NULL : best->present;
        if (reason->keep) continue;
        reason->word = best->word;
        reason->markup = best->markup;
    }
}

static void judge_file(atoms *a, const css_file *file)
{
    css_keeps *keeps = &a->unused->keeps;
    bool names = a->unused->page_names.names != NULL,
         blocks = css_keeps_have(keeps, HED_CSS_KEEP_NEVER, 0);
    hed_arena arena = {.allocator = a->unused->arena.allocator, .owner = "the verdicts on rules"};
    bool *marks[4] = {0}; /* named by patterns, possible, named elsewhere, not blocked */
    for (size_t i = 0; i < HED_COUNT(marks); i++)
        marks[i] = hed_arena_new(&arena, file->rules + 1ull, sizeof *marks[i], &a->error);
    if (!hed_failed(&a->error)) {
        hed_css_rules_naming(file->sheet, names_selector, a, marks[0], &a->error);
        keep_rules(a, file, marks[0]);
    }
    if (names && !hed_failed(&a->error)) {
        hed_css_rules_possible(file->sheet, presence_of, a, marks[1], &a->error);
        hed_css_rules_naming(file->sheet, names_elsewhere, a, marks[2], &a->error);
        keep_present(a, file, marks[1], marks[2]);
    }
    a->blocks = true;
    if (blocks && !hed_failed(&a->error))
        hed_css_rules_possible(file->sheet, presence_of, a, marks[3], &a->error);
    a->blocks = false;
    for (uint32_t r = 0; blocks && r < file->rules && !hed_failed(&a->error); r++)
        a->unused->reasons[file->first_rule + r].blocked = !marks[3][r];
    hed_arena_free(&arena);
}

/* ---- parts ---- */

/* Marks the parts of a file that patterns, words or settings keep. */
static void keep_parts(hed_css_unused *u, const css_file *file)
{
    for (uint32_t k = 0; k < file->parts; k++) {
        hed_css_part part = hed_css_part_at(file->sheet, k);
        bool property = part.kind == HED_CSS_PART_CUSTOM || part.kind == HED_CSS_PART_PROPERTY;
        bool keyframes = part.kind == HED_CSS_PART_KEYFRAMES,
             font = part.kind == HED_CSS_PART_FONT_FACE;
        char kind = property    ? CSS_KEEP_PROPERTY
                    : keyframes ? CSS_KEEP_KEYFRAMES
                    : font      ? CSS_KEEP_FONT
                                : 0;
        bool *used = &u->used[file->first_part + k];
        bool in_font = font || part.kind == HED_CSS_PART_FONT_PALETTE ||
                       part.kind == HED_CSS_PART_FONT_FEATURES;
        bool in_value = keyframes || part.kind == HED_CSS_PART_COUNTER_STYLE ||
                        part.kind == HED_CSS_PART_POSITION_TRY;
        *used |= u->names_unknown || (in_value && !u->def.keyframes) || (in_font && !u->def.fonts);
        if (kind && css_keeps_find(&u->keeps, HED_CSS_KEEP_SELECTOR, kind, part.name, NULL))
            *used = true;
        if (part.name[0] && css_words_find(&u->words, part.name)) *used = true;
    }
}

/* ---- the whole ---- */

hed_status css_verdict_find(hed_css_unused *u, hed_error *error)
{
    atoms a = {.unused = u};
    u->reasons = hed_arena_new(&u->arena, u->rules + 1ull, sizeof *u->reasons, &a.error);
    u->used = hed_arena_new(&u->arena, u->parts + 1ull, sizeof *u->used, &a.error);
    bool *named = hed_new(u->allocator, u->rules + 1ull, sizeof *named, &a.error);
    for (uint32_t i = 0; i < u->file_count && !hed_failed(&a.error); i++)
        if (u->files[i].judged)
            hed_css_rules_naming(u->files[i].sheet, collect_atom, &a, named, &a.error);
    if (u->words.text_count) expect_words(&a);
    if (!hed_failed(&a.error)) css_words_scan(&u->words, &a.error);
    if (!hed_failed(&a.error)) {
        resolve_atoms(&a);
        if (u->page_names.incomplete || u->styles.incomplete) HED_OUT_OF_MEMORY(&a.error, "the names of pages");
    }
    for (uint32_t i = 0; i < u->file_count && !hed_failed(&a.error); i++) {
        if (u->files[i].judged) judge_file(&a, &u->files[i]);
        if (!hed_failed(&a.error)) keep_parts(u, &u->files[i]);
    }
    if (hed_failed(&a.error)) *error = a.error;
    hed_delete(u->allocator, named, u->rules + 1ull, sizeof *named);
    hed_delete(u->allocator, a.items, a.room, sizeof *a.items);
    hed_delete(u->allocator, a.slots, a.slot_count, sizeof *a.slots);
    return error->status;
}

/* Judges a selector without the rest of its list. */
static hed_css_reason judgement_of_selector(
    const hed_css_unused *u, const css_file *file, uint32_t rule)
{
    hed_css_rule info = hed_css_rule_at(file->sheet, rule);
    const css_reason *reason = &u->reasons[file->first_rule + rule];
    bool stays = reason->keep || reason->comment;
    if (info.validity != HED_CSS_VALID || !file->judged) return HED_CSS_NOT_JUDGED;
    if (reason->blocked && !stays) return HED_CSS_UNUSED;
    if (u->uses[file->first_rule + rule].elements)
        return u->uses[file->first_rule + rule].untouched ? HED_CSS_BY_ELEMENT : HED_CSS_BY_STATE;
    if (reason->word || reason->markup) return HED_CSS_BY_WORD;
    /* the hosts are not known unless the sheet is in shadow trees of pages alone */
    if (info.inside && (file->in_any_tree || !file->in_shadow_tree)) return HED_CSS_NOT_JUDGED;
    return stays ? HED_CSS_BY_KEEP : HED_CSS_UNUSED;
}

hed_css_reason css_judgement(const hed_css_unused *u, const css_file *file, uint32_t rule)
{
    const css_rule *rules = file->sheet->rules;
    hed_css_reason reason = judgement_of_selector(u, file, rule);
    if (reason != HED_CSS_UNUSED || !rules[rule].other_browser) return reason;
    /* one browser drops the whole list, and takes it if a selector of another browser is cut */
    uint32_t first = rule, number = rules[rule].info.number;
    while (first && rules[first - 1].info.number == number) first--;
    for (uint32_t r = first; r < file->rules && rules[r].info.number == number; r++)
        if (judgement_of_selector(u, file, r) != HED_CSS_UNUSED) return HED_CSS_NOT_JUDGED;
    return HED_CSS_UNUSED;
}

void hed_css_selector_text(const hed_css_rule *rule, char *text, size_t size)
{
    size_t used = 0;
    if (!rule || !text || !size) return;
    for (size_t i = 0; i < rule->selector_length && used + 1 < size; i++) {
        char c = rule->selector[i];
        bool space = c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f';
        if (space && used && text[used - 1] == ' ') continue;
        text[used++] = space ? ' ' : c;
    }
    text[used] = 0;
}
