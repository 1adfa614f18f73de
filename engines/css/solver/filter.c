/* Results of a match, restricted to the elements that each rule can match by its @scope and by the
 * trees of its sheet, and completed by the selectors of shadow trees, which the automaton leaves out.
 * Elements of one class, in trees with the same sheets, without rules in scopes, have one new class. */
#include <stdlib.h>

#include "solver/matcher.h"
#include "solver/scoped.h"

typedef struct result_filter {
    hed_css_matcher *m;
    hed_arena work;
    const css_rule **scoped; /* (rules) rules in scopes; NULL: outside of scopes */
    uint32_t *sheet_of;      /* (rules) */
    bool *differs;           /* (classes) some rule is in a scope */
    css_list shadow_sheets;  /* sheets that have selectors of shadow trees */
    css_scoper *scopers;     /* (sheets) of the document */
    uint32_t *tree_sheets;   /* (trees) number of the set of the tree's sheets, of the document */
    css_interner sets;       /* sets of sheets, as words of bits */
    css_interner known;      /* (class, set of sheets) */
    css_list known_class;    /* new class of each */
    css_interner lists;      /* new classes */
    css_list list;           /* rules of an element */
} result_filter;

static void filter_open(result_filter *f, hed_arena *arena, hed_error *error)
{
    hed_css_matcher *m = f->m;
    f->work = (hed_arena){.allocator = m->allocator, .owner = "scopes and trees of sheets"};
    f->scopers = hed_arena_new(&f->work, m->sheet_count, sizeof *f->scopers, error);
    f->scoped = hed_arena_new(&f->work, m->compiled.rules + 1ull, sizeof *f->scoped, error);
    f->sheet_of = hed_arena_new(&f->work, m->compiled.rules + 1ull, sizeof *f->sheet_of, error);
    f->differs = hed_arena_new(&f->work, m->classes + 1ull, sizeof *f->differs, error);
    css_interner_make(&f->lists, arena, error);
    css_interner_make(&f->sets, &f->work, error);
    css_interner_make(&f->known, &f->work, error);
    for (uint32_t s = 0; s < m->sheet_count && !hed_failed(error); s++) {
        bool shadow = false;
        for (uint32_t r = 0; r < m->sheets[s]->rule_count; r++) {
            const css_rule *rule = &m->sheets[s]->rules[r];
            f->sheet_of[m->first_rule[s] + r] = s;
            if (rule->scope) f->scoped[m->first_rule[s] + r] = rule;
            shadow |= rule->info.shadow && rule->count && rule->info.validity == HED_CSS_VALID;
        }
        if (shadow) css_push(&f->shadow_sheets, &f->work, s, error);
    }
    for (uint32_t c = 0; c < m->classes && !hed_failed(error); c++)
        for (uint32_t i = m->class_begin[c]; i < m->class_begin[c + 1]; i++)
            f->differs[c] |= f->scoped[m->rule[i]] != NULL;
}

/* Begins a document. */
static void filter_document(result_filter *f, hed_arena *memory, uint32_t n, hed_error *error)
{
    const hed_css_document *d = f->m->documents[n];
    const css_membership *in = &f->m->membership;
    uint32_t trees = d->tree_count ? d->tree_count : 1;
    hed_arena_free(memory);
    for (uint32_t s = 0; s < f->m->sheet_count && !hed_failed(error); s++) {
        const hed_css_sheet *sheet = f->m->sheets[s];
        f->scopers[s] = (css_scoper){sheet, d, f->m->states_possible, 0, NULL};
        if (sheet->scope_count)
            f->scopers[s].roots =
                hed_arena_new(memory, (uint64_t)sheet->scope_count * d->count, 1, error);
    }
    f->tree_sheets = hed_arena_new(memory, trees, sizeof *f->tree_sheets, error);
    for (uint32_t t = 0; t < trees && !hed_failed(error); t++) {
        uint32_t row = d->tree_count ? d->trees[t].original * in->sheet_words : 0;
        const uint32_t *bits = in->rows && in->rows[n] ? in->rows[n] + row : NULL;
        f->tree_sheets[t] = css_intern(&f->sets, &f->work, bits, bits ? in->sheet_words : 0, error);
    }
}

/* True if a rule of the automaton holds on an element: its sheet is in the element's tree, and the
 * element is in its scope. */
static bool rule_holds(result_filter *f, uint32_t n, uint32_t number, uint32_t e)
{
    const hed_css_document *d = f->m->documents[n];
    const css_rule *rule = f->scoped[number];
    uint32_t sheet = f->sheet_of[number], tree = css_tree_of(d, e), hops;
    if (!css_sheet_in_tree(&f->m->membership, d, n, sheet, tree)) return false;
    bool holds = !rule;
    f->scopers[sheet].tree = tree;
    for (uint32_t k = 0; !holds && k < rule->count; k++)
        holds = css_scope_match(&f->scopers[sheet], rule, rule->list + k, e, &hops);
    return holds;
}

/* Adds the rules of a sheet in a tree that match an element by selectors of shadow trees. */
static void add_shadow_rules(result_filter *f, uint32_t sheet_number, uint32_t e, uint32_t tree,
    css_tree_relation relation, hed_error *error)
{
    const hed_css_sheet *sheet = f->m->sheets[sheet_number];
    css_scoper *scoper = &f->scopers[sheet_number];
    scoper->tree = tree;
    for (uint32_t r = 0; r < sheet->rule_count; r++) {
        const css_rule *rule = &sheet->rules[r];
        bool holds = false;
        if (!rule->info.shadow || rule->info.validity != HED_CSS_VALID) continue;
        if (f->m->without && f->m->without[f->m->first_rule[sheet_number] + r]) continue;
        for (uint32_t k = 0; k < rule->count && !holds; k++) {
            const css_complex *x = &sheet->complexes[rule->list + k];
            uint32_t hops;
            uint8_t shadow = sheet->compounds[x->first + x->count - 1].shadow;
            holds = x->shadow && css_context_fits(relation, shadow) &&
                    css_scope_match(scoper, rule, rule->list + k, e, &hops);
        }
        if (holds) css_push(&f->list, &f->work, f->m->first_rule[sheet_number] + r, error);
    }
}

static int by_rule_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void add_tree_rules(result_filter *f, uint32_t n, uint32_t e, uint32_t tree,
    css_tree_relation relation, hed_error *error)
{
    for (uint32_t k = 0; k < f->shadow_sheets.count && !hed_failed(error); k++) {
        uint32_t sheet = f->shadow_sheets.items[k];
        if (css_sheet_in_tree(&f->m->membership, f->m->documents[n], n, sheet, tree))
            add_shadow_rules(f, sheet, e, tree, relation, error);
    }
}

/* Adds all rules that match an element by selectors of shadow trees, in the order of their
 * numbers. */
static void add_all_shadow_rules(result_filter *f, uint32_t n, uint32_t e, hed_error *error)
{
    const hed_css_document *d = f->m->documents[n];
    uint32_t before = f->list.count, distinct = 0;
    css_contexts at = css_contexts_of(d, e, f->m->states_possible);
    while (css_contexts_next(&at)) add_tree_rules(f, n, e, at.tree, at.relation, error);
    if (f->list.count == before) return;
    qsort(f->list.items, f->list.count, sizeof *f->list.items, by_rule_number);
    for (uint32_t i = 0; i < f->list.count; i++)
        if (!distinct || f->list.items[distinct - 1] != f->list.items[i])
            f->list.items[distinct++] = f->list.items[i];
    f->list.count = distinct;
}

/* Class of an element: the rules of its class that hold, and the rules by selectors of shadow
 * trees. */
static uint32_t filter_element(
    result_filter *f, hed_arena *arena, uint32_t n, uint32_t e, hed_error *error)
{
    const hed_css_matcher *m = f->m;
    const hed_css_document *d = m->documents[n];
    uint32_t c = m->element_class[m->forest.first[n] + e];
    bool by_class = !f->differs[c] && !f->shadow_sheets.count;
    const uint32_t key[] = {c, f->tree_sheets[css_tree_of(d, e)]};
    f->list.count = 0;
    if (css_is_shadow_root(d, e)) return css_intern(&f->lists, arena, f->list.items, 0, error);
    uint32_t number = css_intern(&f->known, &f->work, key, HED_COUNT(key), error);
    if (hed_failed(error)) return 0;
    while (f->known_class.count <= number && !hed_failed(error))
        css_push(&f->known_class, &f->work, CSS_NONE, error);
    if (by_class && f->known_class.items[number] != CSS_NONE) return f->known_class.items[number];
    for (uint32_t i = m->class_begin[c]; i < m->class_begin[c + 1]; i++)
        if (rule_holds(f, n, m->rule[i], e)) css_push(&f->list, &f->work, m->rule[i], error);
    if (f->shadow_sheets.count) add_all_shadow_rules(f, n, e, error);
    uint32_t class = css_intern(&f->lists, arena, f->list.items, f->list.count, error);
    if (!hed_failed(error)) f->known_class.items[number] = class;
    return class;
}

/* True if the results of the automaton are not yet the results of the match. */
static bool needs_filter(const hed_css_matcher *m)
{
    bool needed = m->membership.has_trees;
    for (uint32_t s = 0; s < m->sheet_count && !needed; s++) {
        needed = m->sheets[s]->scope_count > 0;
        for (uint32_t r = 0; r < m->sheets[s]->rule_count && !needed && m->states_possible; r++)
            needed = m->sheets[s]->rules[r].info.shadow;
    }
    return needed;
}

hed_status css_filter_results(hed_css_matcher *m, hed_error *error)
{
    m->result_class = m->element_class;
    m->filtered_class = NULL;
    if (hed_failed(error)) return error->status;
    if (!needs_filter(m)) return HED_OK;
    m->filtered_now ^= 1; /* the former results stay in the other arena */
    hed_arena *arena = &m->filtered[m->filtered_now];
    hed_arena_free(arena);
    arena->allocator = m->allocator;
    arena->owner = "the rules of elements in scopes and trees";
    hed_arena memory = {.allocator = m->allocator, .owner = "roots of scopes"};
    result_filter f = {.m = m};
    uint32_t *classes = hed_arena_new(arena, m->forest.count, sizeof *classes, error);
    filter_open(&f, arena, error);
    for (uint32_t n = 0; n < m->document_count && !hed_failed(error); n++) {
        filter_document(&f, &memory, n, error);
        for (uint32_t e = 0; e < m->documents[n]->count && !hed_failed(error); e++)
            classes[m->forest.first[n] + e] = filter_element(&f, arena, n, e, error);
    }
    hed_arena_free(&memory);
    hed_arena_free(&f.work);
    if (hed_failed(error)) return error->status;
    m->classes = css_interned(&f.lists);
    m->class_begin = f.lists.begin.items;
    m->rule = f.lists.words.items;
    m->result_class = m->filtered_class = classes;
    return HED_OK;
}

bool css_matches_as_given(const hed_css_matcher *m, uint32_t n, uint32_t number, uint32_t element)
{
    const hed_css_document *d = m->documents[n];
    uint32_t s = 0, hops;
    while (number >= m->first_rule[s + 1]) s++;
    const css_rule *rule = &m->sheets[s]->rules[number - m->first_rule[s]];
    css_contexts at = css_contexts_of(d, element, false);
    while (css_contexts_next(&at)) {
        const css_scoper scoper = {m->sheets[s], d, false, at.tree, NULL};
        if (!css_sheet_in_tree(&m->membership, d, n, s, at.tree)) continue;
        for (uint32_t k = 0; k < rule->count; k++)
            if (css_scope_match(&scoper, rule, rule->list + k, element, &hops)) return true;
    }
    return false;
}
