/* See scoped.h. */
#include "solver/scoped.h"

#include "solver/matcher.h"

/* ---- one rule and one element ---- */

static bool any_below(const css_scoper *s, uint32_t first, uint32_t count, uint32_t e,
    css_plain_states states, uint32_t root)
{
    for (uint32_t i = 0; i < count; i++)
        if (css_plain_below(s->sheet, s->d, first + i, e, states, root)) return true;
    return false;
}

static css_plain_states granted(const css_scoper *s)
{
    return s->possible ? CSS_PLAIN_GRANTED : CSS_PLAIN_GIVEN;
}

/* True if an element is a root of a scope that is in no other one. */
static bool is_outer_root(const css_scoper *s, uint32_t scope, uint32_t e)
{
    const css_scope *of = &s->sheet->scopes[scope - 1];
    size_t at = (size_t)(scope - 1) * s->d->count + e;
    if (!s->roots || !s->roots[at]) {
        bool is_root = any_below(s, of->roots, of->root_count, e, granted(s), CSS_NONE);
        if (!s->roots) return is_root;
        s->roots[at] = is_root ? 1 : 2;
    }
    return s->roots[at] == 1;
}

/* True if a limit of the scope is between a root and an element, which may be the limit. */
static bool is_limited(const css_scoper *s, const css_scope *of, uint32_t root, uint32_t e)
{
    css_plain_states states = s->possible ? CSS_PLAIN_DENIED : CSS_PLAIN_GIVEN;
    for (; of->limit_count && e != root; e = s->d->parent[e])
        if (any_below(s, of->limits, of->limit_count, e, states, root)) return true;
    return false;
}

/* True if an element is in scope by a root, which is the element or above it: of the scope and of
 * the scopes around it. The root of a scope without selectors is unknown where anything that is
 * possible counts. */
static bool is_in_scope(const css_scoper *s, uint32_t scope, uint32_t root, uint32_t e)
{
    const css_scope *of = &s->sheet->scopes[scope - 1];
    bool is_root = of->implicit && (s->possible || root == s->sheet->def.scope_root);
    if (of->implicit && !is_root) return false;
    if (!of->around) is_root = is_root || is_outer_root(s, scope, root);
    else { /* the root is in scope by a root of the scope around, as the element is */
        bool implicit = is_root;
        is_root = false;
        for (uint32_t r = root; r != CSS_NONE && !is_root; r = s->d->parent[r])
            is_root = (implicit || any_below(s, of->roots, of->root_count, root, granted(s), r)) &&
                      is_in_scope(s, of->around, r, e);
    }
    return is_root && !is_limited(s, of, root, e);
}

bool css_scope_match(
    const css_scoper *s, const css_rule *rule, uint32_t complex, uint32_t element, uint32_t *hops)
{
    *hops = CSS_NONE;
    if (!rule->scope) return any_below(s, complex, 1, element, granted(s), CSS_NONE);
    uint32_t distance = 0;
    for (uint32_t r = element; r != CSS_NONE; r = s->d->parent[r], distance++) {
        if (!any_below(s, complex, 1, element, granted(s), r) ||
            !is_in_scope(s, rule->scope, r, element))
            continue;
        *hops = distance;
        return true;
    }
    return false;
}

/* ---- results of a match ---- */

/* Sheets of a matcher with scopes, and its classes as they were. */
typedef struct scope_filter {
    hed_css_matcher *m;
    hed_arena work;
    css_scoper *scopers;    /* (sheets) */
    const css_rule **rules; /* (rules) rules in scopes; NULL: outside of scopes */
    uint32_t *sheet_of;     /* (rules) */
    uint32_t *whole;        /* (classes) class in the new results; CSS_NONE: elements differ */
    css_interner lists;     /* new classes */
    css_list list;          /* rules of an element */
} scope_filter;

static void filter_open(scope_filter *f, hed_arena *arena, hed_error *error)
{
    hed_css_matcher *m = f->m;
    f->work = (hed_arena){.allocator = m->allocator, .owner = "scopes of sheets"};
    f->scopers = hed_arena_new(&f->work, m->sheet_count, sizeof *f->scopers, error);
    f->rules = hed_arena_new(&f->work, m->compiled.rules + 1ull, sizeof *f->rules, error);
    f->sheet_of = hed_arena_new(&f->work, m->compiled.rules + 1ull, sizeof *f->sheet_of, error);
    f->whole = hed_arena_new(&f->work, m->classes + 1ull, sizeof *f->whole, error);
    css_interner_make(&f->lists, arena, error);
    for (uint32_t s = 0; s < m->sheet_count && !hed_failed(error); s++)
        for (uint32_t r = 0; r < m->sheets[s]->rule_count; r++) {
            const css_rule *rule = &m->sheets[s]->rules[r];
            f->sheet_of[m->first_rule[s] + r] = s;
            if (rule->scope) f->rules[m->first_rule[s] + r] = rule;
        }
    for (uint32_t c = 0; c < m->classes && !hed_failed(error); c++) {
        uint32_t begin = m->class_begin[c], end = m->class_begin[c + 1];
        bool differs = false;
        for (uint32_t i = begin; i < end; i++) differs |= f->rules[m->rule[i]] != NULL;
        f->whole[c] =
            differs ? CSS_NONE : css_intern(&f->lists, arena, m->rule + begin, end - begin, error);
    }
}

/* Begins a document. */
static void filter_document(
    scope_filter *f, hed_arena *memory, const hed_css_document *d, hed_error *error)
{
    hed_arena_free(memory);
    for (uint32_t s = 0; s < f->m->sheet_count && !hed_failed(error); s++) {
        const hed_css_sheet *sheet = f->m->sheets[s];
        f->scopers[s] = (css_scoper){sheet, d, f->m->states_possible, NULL};
        if (sheet->scope_count)
            f->scopers[s].roots =
                hed_arena_new(memory, (uint64_t)sheet->scope_count * d->count, 1, error);
    }
}

/* Class of an element: the rules of its class without the rules that it is not in scope of. */
static uint32_t filter_element(
    scope_filter *f, hed_arena *arena, uint32_t c, uint32_t e, hed_error *error)
{
    const hed_css_matcher *m = f->m;
    if (f->whole[c] != CSS_NONE) return f->whole[c];
    f->list.count = 0;
    for (uint32_t i = m->class_begin[c]; i < m->class_begin[c + 1]; i++) {
        uint32_t number = m->rule[i], hops;
        const css_rule *rule = f->rules[number];
        bool matches = !rule;
        for (uint32_t k = 0; !matches && k < rule->count; k++)
            matches =
                css_scope_match(&f->scopers[f->sheet_of[number]], rule, rule->list + k, e, &hops);
        if (matches) css_push(&f->list, &f->work, number, error);
    }
    return css_intern(&f->lists, arena, f->list.items, f->list.count, error);
}

hed_status css_filter_scopes(hed_css_matcher *m, hed_error *error)
{
    m->result_class = m->element_class;
    m->scoped_class = NULL;
    if (hed_failed(error)) return error->status;
    bool has_scopes = false;
    for (uint32_t s = 0; s < m->sheet_count; s++) has_scopes |= m->sheets[s]->scope_count > 0;
    if (!has_scopes) return HED_OK;
    m->scoped_now ^= 1; /* the former results stay in the other arena */
    hed_arena *arena = &m->scoped[m->scoped_now];
    hed_arena_free(arena);
    arena->allocator = m->allocator;
    arena->owner = "the rules of elements in scopes";
    hed_arena memory = {.allocator = m->allocator, .owner = "roots of scopes"};
    scope_filter f = {.m = m};
    uint32_t *classes = hed_arena_new(arena, m->forest.count, sizeof *classes, error);
    filter_open(&f, arena, error);
    for (uint32_t n = 0; n < m->document_count && !hed_failed(error); n++) {
        const hed_css_document *d = m->documents[n];
        uint32_t first = m->forest.first[n];
        filter_document(&f, &memory, d, error);
        for (uint32_t e = 0; e < d->count && !hed_failed(error); e++)
            classes[first + e] = filter_element(&f, arena, m->element_class[first + e], e, error);
    }
    hed_arena_free(&memory);
    hed_arena_free(&f.work);
    if (hed_failed(error)) return error->status;
    m->classes = css_interned(&f.lists);
    m->class_begin = f.lists.begin.items;
    m->rule = f.lists.words.items;
    m->result_class = m->scoped_class = classes;
    return HED_OK;
}
