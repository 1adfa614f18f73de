/* See verdict.h. Each distinct name of the selectors is an atom: the patterns that fit it, its
 * first position in the words, and its presence on a page are found once. A selector stays by words
 * if all its names are on pages or in words, and one of them is in words. */
#include <stdlib.h>
#include <string.h>

#include "cli/css/ignore.h"
#include "cli/css/site.h"
#include "cli/css/verdict.h"

enum { MOST_KEY = 512, MOST_VALUE = 64 };

typedef struct atom {
    hed_css_used_name name; /* texts of the table of names */
    const css_keep *selector, *present, *rest, *never;
    const css_word *word;
    const char *markup; /* file with Markdown that makes the element */
    bool on_page;
} atom;

typedef struct atoms {
    css_survey *survey;
    atom *items;
    uint32_t count, room;
    uint32_t *slots; /* (slot_count) 1 + atom; 0: free */
    uint32_t slot_count;
    bool blocks;      /* the question is for blocked names */
    const atom *best; /* see explain_name() */
    hed_error error;
} atoms;

/* ---- names of pages ---- */

/* Number of a name in the table of the pages' names; HED_CSS_NONE: too long, or out of memory. */
static uint32_t page_name(const css_survey *s, const hed_css_used_name *name, bool with_value)
{
    char key[MOST_KEY];
    int length = with_value ? snprintf(key, sizeof key, "%c%s=%s", name->kind, name->name, name->value)
                            : snprintf(key, sizeof key, "%c%s", name->kind, name->name);
    if (length < 0 || length >= (int)sizeof key) return HED_CSS_NONE;
    return hed_css_names_add(s->page_names, key, (size_t)length);
}

static void note_name(void *user, const hed_css_used_name *name)
{
    css_survey *s = user;
    bool valued = name->value && strlen(name->value) <= MOST_VALUE;
    for (int with_value = 0; with_value <= valued; with_value++) {
        uint32_t number = page_name(s, name, with_value);
        if (number != HED_CSS_NONE && number >= s->page_name_count) s->page_name_count = number + 1;
    }
}

hed_status css_verdict_page(css_survey *s, const hed_css_document *document, hed_error *error)
{
    if (hed_failed(error)) return error->status;
    return hed_css_document_names(document, note_name, s, error);
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

static bool on_page(const css_survey *s, const hed_css_used_name *name)
{
    if (is_everywhere(name)) return true;
    return page_name(s, name, name->value != NULL) < s->page_name_count;
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
    uint32_t *slots = calloc(count, sizeof *slots);
    if (!slots) {
        HED_OUT_OF_MEMORY(&a->error, "the names of selectors");
        return;
    }
    free(a->slots);
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
    a->items = css_more(a->items, &a->room, a->count, sizeof *a->items, &a->error);
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
    css_words *words = &a->survey->settings->words;
    const css_files *files = &a->survey->files;
    for (uint32_t i = 0; i < a->count; i++) {
        css_words_expect(words, a->items[i].name.name, &a->error);
        if (a->items[i].name.value) css_words_expect(words, a->items[i].name.value, &a->error);
    }
    for (uint32_t i = 0; i < files->count; i++)
        for (uint32_t k = 0; k < files->items[i].parts; k++)
            css_words_expect(words, hed_css_part_at(files->items[i].sheet, k).name, &a->error);
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
    css_keeps *keeps = &a->survey->settings->keeps;
    for (uint32_t i = 0; i < a->count; i++) {
        atom *item = &a->items[i];
        const hed_css_used_name *n = &item->name;
        item->selector = css_keeps_find(keeps, CSS_KEEP_SELECTOR, (char)n->kind, n->name, n->value);
        item->present = css_keeps_find(keeps, CSS_KEEP_NAME, (char)n->kind, n->name, n->value);
        item->rest = css_keeps_find(keeps, CSS_KEEP_REST, (char)n->kind, n->name, n->value);
        item->never = css_keeps_find(keeps, CSS_KEEP_NEVER, (char)n->kind, n->name, n->value);
        find_word(&a->survey->settings->words, item);
        item->on_page = a->survey->page_names && on_page(a->survey, n);
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

/* Sets the reasons of the rules of a file that patterns of selectors fit, and comments keep. */
static void keep_rules(atoms *a, const css_file *file, const bool *named)
{
    css_keeps *keeps = &a->survey->settings->keeps;
    bool by_text = css_keeps_have(keeps, CSS_KEEP_SELECTOR, CSS_KEEP_WHOLE);
    css_ignores ignores = {0};
    css_ignores_find(&ignores, file->text, file->length, &a->error);
    for (uint32_t r = 0; r < file->rules && !hed_failed(&a->error); r++) {
        hed_css_rule rule = hed_css_rule_at(file->sheet, r);
        css_reason *reason = &a->survey->reasons[file->first_rule + r];
        char *line = by_text ? css_selector_line(&rule) : NULL;
        if (line)
            reason->keep = css_keeps_find(keeps, CSS_KEEP_SELECTOR, CSS_KEEP_WHOLE, line, NULL);
        free(line);
        reason->comment = css_ignores_have(&ignores, rule.begin);
        if (reason->keep || !named[r]) continue;
        a->best = NULL;
        hed_css_rule_names(file->sheet, r, explain_selector, a);
        if (a->best) reason->keep = a->best->selector;
    }
    for (uint32_t k = 0; k < file->parts && !hed_failed(&a->error); k++)
        if (css_ignores_have(&ignores, hed_css_part_at(file->sheet, k).begin))
            a->survey->used[file->first_part + k] = true;
    free(ignores.items);
}

/* Sets the reasons of the rules of a file whose names are present. Without a page, every template
 * makes pages on which body, :root and * match. */
static void keep_present(
    atoms *a, const css_file *file, const bool *possible, const bool *elsewhere)
{
    const css_settings *settings = a->survey->settings;
    bool without_page = !settings->pages.count && settings->words.file_count;
    for (uint32_t r = 0; r < file->rules; r++) {
        css_reason *reason = &a->survey->reasons[file->first_rule + r];
        if (!possible[r] || !(elsewhere[r] || without_page) || reason->keep) continue;
        a->best = NULL;
        hed_css_rule_names(file->sheet, r, explain_name, a);
        const atom *best = a->best;
        if (!best && without_page) reason->markup = settings->words.files[0];
        if (!best) continue;
        reason->keep = best->rest ? best->rest : best->word || best->markup ? NULL : best->present;
        if (reason->keep) continue;
        reason->word = best->word;
        reason->markup = best->markup;
    }
}

static void judge_file(atoms *a, const css_file *file)
{
    css_keeps *keeps = &a->survey->settings->keeps;
    bool names = a->survey->page_names != NULL, blocks = css_keeps_have(keeps, CSS_KEEP_NEVER, 0);
    bool *marks[4] = {0}; /* named by patterns, possible, named elsewhere, not blocked */
    for (size_t i = 0; i < HED_COUNT(marks); i++) {
        marks[i] = calloc(file->rules + 1ull, sizeof *marks[i]);
        if (!marks[i]) HED_OUT_OF_MEMORY(&a->error, "the verdicts on rules");
    }
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
        a->survey->reasons[file->first_rule + r].blocked = !marks[3][r];
    for (size_t i = 0; i < HED_COUNT(marks); i++) free(marks[i]);
}

/* ---- parts ---- */

/* Marks the parts of a file that patterns, words or settings keep. */
static void keep_parts(const css_survey *s, const css_file *file)
{
    css_settings *settings = s->settings;
    for (uint32_t k = 0; k < file->parts; k++) {
        hed_css_part part = hed_css_part_at(file->sheet, k);
        bool property = part.kind == HED_CSS_PART_CUSTOM || part.kind == HED_CSS_PART_PROPERTY;
        bool keyframes = part.kind == HED_CSS_PART_KEYFRAMES,
             font = part.kind == HED_CSS_PART_FONT_FACE;
        char kind = property    ? CSS_KEEP_PROPERTY
                    : keyframes ? CSS_KEEP_KEYFRAMES
                    : font      ? CSS_KEEP_FONT
                                : 0;
        bool *used = &s->used[file->first_part + k];
        *used |= !s->names_judged || (keyframes && settings->keeps_keyframes) ||
                 (font && settings->keeps_fonts);
        if (kind && css_keeps_find(&settings->keeps, CSS_KEEP_SELECTOR, kind, part.name, NULL))
            *used = true;
        if (kind && css_words_find(&settings->words, part.name)) *used = true;
    }
}

/* ---- the whole ---- */

hed_status css_verdict_find(css_survey *s, hed_error *error)
{
    atoms a = {.survey = s};
    s->reasons = calloc(s->files.rules + 1ull, sizeof *s->reasons);
    s->used = calloc(s->files.parts + 1ull, sizeof *s->used);
    bool *named = calloc(s->files.rules + 1ull, sizeof *named);
    if (!s->reasons || !s->used || !named) HED_OUT_OF_MEMORY(&a.error, "the verdicts on rules");
    for (uint32_t i = 0; i < s->files.count && !hed_failed(&a.error); i++)
        if (s->files.items[i].judged)
            hed_css_rules_naming(s->files.items[i].sheet, collect_atom, &a, named, &a.error);
    if (s->settings->words.file_count) expect_words(&a);
    if (!hed_failed(&a.error)) css_words_scan(&s->settings->words, &a.error);
    if (!hed_failed(&a.error)) resolve_atoms(&a);
    for (uint32_t i = 0; i < s->files.count && !hed_failed(&a.error); i++) {
        if (s->files.items[i].judged) judge_file(&a, &s->files.items[i]);
        if (!hed_failed(&a.error)) keep_parts(s, &s->files.items[i]);
    }
    if (!hed_failed(&a.error)) css_keeps_report(&s->settings->keeps);
    else if (!hed_failed(error)) *error = a.error;
    free(named);
    free(a.items);
    free(a.slots);
    return hed_failed(error) ? error->status : HED_OK;
}

css_verdict css_survey_verdict(const css_survey *s, const css_file *file, uint32_t rule)
{
    hed_css_rule info = hed_css_rule_at(file->sheet, rule);
    const css_reason *reason = &s->reasons[file->first_rule + rule];
    bool stays = reason->keep || reason->comment;
    if (info.validity != HED_CSS_VALID || !file->judged) return CSS_NOT_JUDGED;
    if (reason->blocked && !stays) return CSS_NEVER;
    if (s->uses[file->first_rule + rule].elements) return info.state ? CSS_BY_STATE : CSS_USED;
    if (reason->word || reason->markup) return CSS_BY_WORD;
    return stays ? CSS_BY_PATTERN : CSS_NEVER;
}
