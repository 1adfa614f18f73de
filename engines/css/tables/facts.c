/* See facts.h. */
#include "tables/facts.h"

#include <string.h>

/* Roles in which predicates test a name. */
enum facts_role { ROLE_HTML, ROLE_OTHER, ROLE_ANY_CASE, ROLE_ID, ROLE_ID_QUIRKS };

/* Name in a role. */
typedef struct css_fact_key {
    uint32_t role, name;
} css_fact_key;

/* Adds a predicate to the list of a key. */
static void facts_index(
    css_facts *f, enum facts_role role, uint32_t name, uint32_t predicate, hed_error *error)
{
    uint32_t entry = f->entry_count++;
    f->entries[entry].predicate = predicate;
    const css_fact_key identity = {role, name};
    uint32_t total = css_interned(&f->keys);
    uint32_t key = css_intern(&f->keys, f->arena, CSS_WORDS(identity), error);
    if (key == total) css_push(&f->first, f->arena, CSS_NONE, error);
    if (hed_failed(error)) return;
    f->entries[entry].next = f->first.items[key];
    f->first.items[key] = entry;
    f->roles[name] |= (uint8_t)(1u << role);
}

hed_status css_facts_make(css_facts *f, hed_arena *arena, const css_compiled *compiled,
    const hed_css_names *names, hed_error *error)
{
    uint32_t n = compiled->predicate.count;
    *f = (css_facts){.arena = arena, .compiled = compiled, .names = names->count};
    f->id = css_name_find(names, "id", 2);
    f->roles = hed_arena_new(arena, f->names, 1, error);
    css_interner *tables[] = {&f->keys, &f->pairs, &f->sets, &f->languages};
    for (size_t i = 0; i < HED_COUNT(tables); i++) css_interner_make(tables[i], arena, error);
    css_intern(&f->sets, arena, NULL, 0, error);
    /* each predicate has two keys */
    f->entries = hed_arena_new(arena, 2ull * n, sizeof *f->entries, error);
    for (uint32_t p = 0; p < n && !hed_failed(error); p++) {
        const css_predicate *predicate = &compiled->predicate.items[p];
        if (predicate->kind == CSS_P_ID) {
            facts_index(f, ROLE_ID, predicate->of.id.exact, p, error);
            facts_index(f, ROLE_ID_QUIRKS, predicate->of.id.lower, p, error);
        }
        if (predicate->kind != CSS_P_FACT) continue;
        const css_simple *s = compiled->source.items[p].simple;
        if (s->kind == CSS_LANG) css_push(&f->language_predicates, arena, p, error);
        else {
            facts_index(f, ROLE_HTML, s->lower, p, error);
            facts_index(f, s->any_case ? ROLE_ANY_CASE : ROLE_OTHER,
                s->any_case ? s->lower : s->name, p, error);
        }
    }
    return hed_failed(error) ? error->status : HED_OK;
}

/* First entry of a key; CSS_NONE: no predicate has it. */
static uint32_t first_of(css_facts *f, enum facts_role role, uint32_t name, hed_error *error)
{
    const css_fact_key identity = {role, name};
    if (name >= f->names || !(f->roles[name] >> role & 1)) return CSS_NONE;
    uint32_t key = css_intern(&f->keys, f->arena, CSS_WORDS(identity), error);
    return hed_failed(error) ? CSS_NONE : f->first.items[key];
}

static bool attribute_fits(
    const css_simple *s, const hed_css_names *names, const css_attribute *a, bool html)
{
    size_t operand_length, length;
    bool insensitive =
        s->letter_case == CSS_INSENSITIVE || (s->letter_case == CSS_AS_DOCUMENT && html);
    if (s->name_space != CSS_NONE && s->name_space != a->name_space) return false;
    const char *operand = hed_css_names_text(names, s->value, &operand_length);
    const char *value = hed_css_names_text(names, a->value, &length);
    return css_value_fits(s->operation, operand, operand_length, value, length, insensitive);
}

/* Adds the predicates of a name that an attribute fits to the scratch list. */
static void facts_of_name(css_facts *f, enum facts_role role, uint32_t name,
    const hed_css_names *names, const css_attribute *a, hed_error *error)
{
    for (uint32_t k = first_of(f, role, name, error); k != CSS_NONE; k = f->entries[k].next) {
        uint32_t p = f->entries[k].predicate;
        if (attribute_fits(f->compiled->source.items[p].simple, names, a, role == ROLE_HTML))
            css_push(&f->scratch, f->arena, p, error);
    }
}

/* Number of the set of predicates in the scratch list. */
static uint32_t facts_set(css_facts *f, hed_error *error)
{
    uint32_t *p = f->scratch.items, n = f->scratch.count;
    for (uint32_t i = 1; i < n; i++) { /* few: insertion */
        uint32_t x = p[i], at = i;
        for (; at && p[at - 1] > x; at--) p[at] = p[at - 1];
        p[at] = x;
    }
    return css_intern(&f->sets, f->arena, p, n, error);
}

uint32_t css_attribute_facts(
    css_facts *f, const hed_css_document *d, uint32_t e, const css_attribute *a, hed_error *error)
{
    bool html = d->name_space[e] == HED_CSS_HTML, id = a->name == f->id && !a->name_space;
    enum facts_role role = html ? ROLE_HTML : ROLE_OTHER;
    enum facts_role id_role = d->quirks ? ROLE_ID_QUIRKS : ROLE_ID;
    bool tested = a->name < f->names && f->roles[a->name] >> role & 1;
    uint32_t lower = html ? CSS_NONE : css_name_lower(d->names, a->name);
    bool any_case = lower < f->names && f->roles[lower] >> ROLE_ANY_CASE & 1;
    id = id && d->id[e] < f->names && f->roles[d->id[e]] >> id_role & 1 &&
         d->id[e] == (d->quirks ? css_name_lower(d->names, a->value) : a->value);
    if (!tested && !any_case && !id) return 0;
    const uint32_t words[] = {
        a->name, a->name_space, a->value, html | (uint32_t)(id ? d->quirks : 0) << 1};
    uint32_t total = css_interned(&f->pairs);
    uint32_t pair = css_intern(&f->pairs, f->arena, words, HED_COUNT(words), error);
    if (hed_failed(error)) return 0;
    if (pair < total) return f->pair_set.items[pair];
    f->scratch.count = 0;
    const css_fact_entry *entries = f->entries;
    if (tested) facts_of_name(f, role, a->name, d->names, a, error);
    if (any_case) facts_of_name(f, ROLE_ANY_CASE, lower, d->names, a, error);
    if (id)
        for (uint32_t k = first_of(f, id_role, d->id[e], error); k != CSS_NONE; k = entries[k].next)
            css_push(&f->scratch, f->arena, entries[k].predicate, error);
    uint32_t set = facts_set(f, error);
    css_push(&f->pair_set, f->arena, set, error);
    return hed_failed(error) ? 0 : set;
}

uint32_t css_language_facts(
    css_facts *f, const hed_css_names *names, uint32_t language, hed_error *error)
{
    if (language == CSS_NONE || !f->language_predicates.count) return 0;
    uint32_t total = css_interned(&f->languages);
    uint32_t number = css_intern(&f->languages, f->arena, &language, 1, error);
    if (hed_failed(error)) return 0;
    if (number < total) return f->language_set.items[number];
    size_t length, range_length;
    const char *text = hed_css_names_text(names, language, &length);
    f->scratch.count = 0;
    for (uint32_t i = 0; i < f->language_predicates.count; i++) {
        const css_fact_source *source = &f->compiled->source.items[f->language_predicates.items[i]];
        bool fits = false;
        for (uint32_t k = 0; k < source->simple->count && !fits; k++) {
            const char *range = hed_css_names_text(
                names, source->sheet->words[source->simple->value + k], &range_length);
            fits = css_language_fits(range, range_length, text, length);
        }
        if (fits) css_push(&f->scratch, f->arena, f->language_predicates.items[i], error);
    }
    uint32_t set = facts_set(f, error);
    css_push(&f->language_set, f->arena, set, error);
    return hed_failed(error) ? 0 : set;
}
