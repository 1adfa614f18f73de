/* All declarations on one element in the order of the cascade, with the longhands that each of them
 * wins, by the ranks of cascade.h. */
#include <stdlib.h>

#include "solver/cascade.h"
#include "tables/lists.h"
#include "solver/scoped.h"
#include "solver/writing.h"

/* A declaration for the element itself, or for one of its pseudo-elements. */
typedef struct line {
    uint64_t rank;
    uint32_t pseudo; /* 0: the element; otherwise 1 + index of the pseudo-element in `pseudos` */
    uint32_t name;   /* name of the property; CSS_NONE: an empty rule */
    uint32_t place, order;
    uint32_t hops; /* see css_scope_match() */
    css_wide wide;
    const char *property; /* property that the name means */
    hed_css_declaration public;
} line;

typedef struct explanation {
    css_cascade c;
    const hed_css_document *d;
    uint32_t document; /* its number */
    hed_css_names *names;
    CSS_ARRAY(line) lines;
    uint32_t *pseudos, pseudo_count; /* names of pseudo-elements */
    line about;                      /* members common to the next declarations */
    bool quirks;
    hed_error *error;
} explanation;

/* Sets the standing of a declaration with an unknown property or an invalid value. */
static void judge_declaration(explanation *x, hed_css_declaration *public)
{
    if (!css_property_known(public->property)) {
        const char *suggestion = css_property_near(public->property);
        public->standing = HED_CSS_NO_PROPERTY;
        if (suggestion) public->suggestion = suggestion;
        return;
    }
    css_value_fault fault;
    if (css_value_valid(public->property, public->value, public->value_length, x->quirks, &fault))
        return;
    css_value_fault *copy = hed_arena_new(&x->c.work, 1, sizeof *copy, x->error);
    if (!copy) return;
    *copy = fault;
    public->standing = HED_CSS_NO_VALUE;
    public->fault_begin = fault.begin;
    public->fault_end = fault.end;
    public->lacks_unit = fault.lacks_unit;
    public->expected = copy->expected;
    public->suggestion = copy->suggestion;
}

static void put_line(explanation *x, const css_declaration *declaration)
{
    CSS_PUSH(&x->lines, &x->c.work, x->error, x->about);
    if (hed_failed(x->error)) return;
    line *l = &x->lines.items[x->lines.count - 1];
    l->order = x->lines.count - 1;
    hed_css_declaration *public = &l->public;
    l->name = declaration ? declaration->property : CSS_NONE;
    public->property = declaration ? hed_css_names_text(x->names, l->name, NULL) : "";
    public->value = declaration ? declaration->value : "";
    public->value_length = declaration ? declaration->value_length : 0;
    public->important = declaration && declaration->important;
    l->property = css_property_of(public->property);
    l->wide = css_wide_value(public->value, public->value_length);
    l->rank =
        css_rank(&x->c, public->rule, l->place, public->specificity, l->hops, public->important);
    public->winner = HED_CSS_NONE;
    public->expected = public->suggestion = "";
    if (!declaration) public->standing = HED_CSS_EMPTY_RULE;
    else judge_declaration(x, public); }

static void put_own(void *user, const css_declaration *declaration) { put_line(user, declaration); }

/* ---- declarations that match ---- */

/* Number of a pseudo-element. */
static uint32_t pseudo_number(explanation *x, uint32_t name)
{
    if (name == CSS_NONE) return 0;
    for (uint32_t i = 0; i < x->pseudo_count; i++)
        if (x->pseudos[i] == name) return i + 1;
    x->pseudos[x->pseudo_count++] = name;
    return x->pseudo_count;
}

/* Specificity and distance from the root of the scope of a selector that matches. */
typedef struct strength {
    bool matches;
    uint32_t specificity, hops;
} strength;

/* The declarations of a rule in a tree, for the element and each pseudo-element that its selectors
 * match. */
static void put_rule(
    explanation *x, uint32_t number, uint32_t element, uint32_t tree, css_tree_relation relation)
{
    uint32_t s = css_sheet_of(&x->c.m, number);
    const hed_css_sheet *sheet = x->c.m.sheets[s];
    const css_rule *rule = &sheet->rules[number - x->c.m.first_rule[s]];
    hed_arena work = {.allocator = x->c.m.allocator};
    const css_scoper scoper = {sheet, x->d, x->c.m.states_possible, tree, NULL};
    /* (pseudos) strongest selector */
    strength *strongest =
        hed_arena_new(&work, x->pseudo_count + rule->count + 1ull, sizeof *strongest, x->error);
    uint32_t *pseudos = hed_arena_new(
        &x->c.work, x->pseudo_count + (uint64_t)rule->count, sizeof *pseudos, x->error);
    if (!hed_failed(x->error)) {
        if (x->pseudo_count) memcpy(pseudos, x->pseudos, x->pseudo_count * sizeof *pseudos);
        x->pseudos = pseudos;
        for (uint32_t k = 0; k < rule->count; k++) {
            const css_complex *complex = &sheet->complexes[rule->list + k];
            const css_compound *last = &sheet->compounds[complex->first + complex->count - 1];
            uint32_t name = last->pseudo_element, hops;
            if (!css_context_fits(relation, last->shadow) ||
                !css_scope_match(&scoper, rule, rule->list + k, element, &hops))
                continue;
            strength *best = &strongest[pseudo_number(x, name)];
            bool nearer = complex->specificity == best->specificity && hops < best->hops;
            if (best->matches && complex->specificity <= best->specificity && !nearer) continue;
            *best = (strength){true, complex->specificity, hops};
        }
    }
    x->quirks = sheet->def.quirks;
    for (uint32_t p = 0; p <= x->pseudo_count && !hed_failed(x->error); p++) {
        if (!strongest[p].matches) continue;
        x->about = (line){.pseudo = p, .hops = strongest[p].hops};
        x->about.place = css_rule_place(&x->c, css_layer_set(&x->c, x->document, tree), number,
            css_context_depth(x->d, tree, relation));
        x->about.public.tree = tree;
        x->about.public.rule = number;
        x->about.public.specificity = strongest[p].specificity;
        x->about.public.standing =
            rule->info.applies ? HED_CSS_TAKES_PART : HED_CSS_CONDITION_FAILS;
        for (uint32_t i = 0; i < rule->declaration_count; i++)
            put_line(x, &sheet->declarations[rule->first_declaration + i]);
        if (!rule->declaration_count) put_line(x, NULL);
    }
    hed_arena_free(&work);
}

/* The declarations of all rules that match an element of document `n`, in each tree of their
 * sheets. */
static void put_rules(explanation *x, uint32_t n, uint32_t element)
{
    const css_matched *m = &x->c.m;
    const hed_css_result *r = &m->result;
    uint32_t class_number = r->element_class[m->first_element[n] + element];
    for (uint32_t i = r->class_begin[class_number]; i < r->class_begin[class_number + 1]; i++) {
        uint32_t sheet = css_sheet_of(m, r->rule[i]);
        css_contexts at = css_contexts_of(x->d, element, m->states_possible);
        while (!hed_failed(x->error) && css_contexts_next(&at))
            if (css_sheet_in_tree(m->membership, x->d, n, sheet, at.tree))
                put_rule(x, r->rule[i], element, at.tree, at.relation);
    }
}

static void put_style(explanation *x, uint32_t element)
{
    uint32_t style = css_name_find(x->names, "style", 5), value = CSS_NONE;
    if (style != CSS_NONE && x->d->name_space[element] != HED_CSS_OTHER)
        value = css_attribute_value(x->d, element, style);
    if (value == CSS_NONE) return;
    size_t length;
    const char *text = hed_css_names_text(x->names, value, &length);
    x->quirks = x->d->quirks;
    uint32_t tree = css_tree_of(x->d, element);
    uint32_t depth = css_context_depth(x->d, tree, CSS_TREE_OWN);
    x->about = (line){.place = css_style_place(&x->c, depth), .hops = CSS_NONE};
    x->about.public.tree = tree;
    x->about.public.rule = HED_CSS_OWN_STYLE;
    if (!css_read_declarations(x->names, text, length, put_own, x))
        HED_OUT_OF_MEMORY(x->error, "a style attribute");
}

/* ---- declarations that win ---- */

/* Orders lines: the element before its pseudo-elements, then by descending rank, then later
 * declarations first. */
static int by_rank(const void *a, const void *b)
{
    const line *x = a, *y = b;
    if (x->pseudo != y->pseudo) return x->pseudo < y->pseudo ? -1 : 1;
    if (x->rank != y->rank) return x->rank > y->rank ? -1 : 1;
    return x->order > y->order ? -1 : x->order < y->order;
}

/* Records the declaration that keeps a line from winning a longhand. */
static void set_defeat(line *l, const line *winner, hed_css_defeat defeat)
{
    if (l->public.winner != HED_CSS_NONE) return;
    l->public.defeat = defeat;
    l->public.winner = winner->public.rule;
    l->public.winner_specificity = winner->public.specificity;
    l->public.winner_tree = winner->public.tree;
}

/* Counts one longhand, with the logical property that is one with it (nullable), in the lines that
 * set it and in the line that wins it, for one pseudo-element. */
static void decide(
    const css_cascade *c, line *lines, uint32_t count, const char *longhand, const char *pair)
{
    uint32_t bound = CSS_NONE;
    const line *winner = NULL, *revert = NULL;
    for (uint32_t i = 0; i < count; i++) {
        line *l = &lines[i];
        if (l->name == CSS_NONE || !(css_property_sets(l->property, longhand) ||
                                       (pair && css_property_sets(l->property, pair))))
            continue;
        l->public.sets++;
        if (l->public.standing != HED_CSS_TAKES_PART) continue;
        if (winner) set_defeat(l, winner, css_rank_defeat(c, winner->rank, l->rank));
        else if (l->place >= bound) set_defeat(l, revert, HED_CSS_BY_REVERT);
        if (winner || l->place >= bound) continue;
        if (l->wide >= CSS_REVERT) bound = css_rolled_back(c, l->place, l->wide);
        l->public.wins++;
        if (l->wide < CSS_REVERT) winner = l;
        else revert = l;
    }
}

/* True if a line sets a property. */
static bool is_set(const line *lines, uint32_t count, const char *property)
{
    for (uint32_t i = 0; i < count; i++)
        if (lines[i].name != CSS_NONE && css_property_sets(lines[i].property, property))
            return true;
    return false;
}

/* Decides each longhand for the lines of one pseudo-element, in a writing mode. */
static void decide_all(const css_cascade *c, line *lines, uint32_t count, unsigned mode)
{
    const char *name;
    css_logical_pair pairs[CSS_MOST_LOGICAL];
    uint32_t pair_count = css_logical_pairs(mode, pairs);
    for (uint32_t i = 0; (name = css_property_at(i)); i++) {
        if (css_shorthand(name) || css_property_of(name) != name || !is_set(lines, count, name))
            continue;
        /* a logical property is decided with its physical one */
        const char *physical = NULL;
        bool has_logical = false;
        for (uint32_t k = 0; k < pair_count; k++) {
            if (pairs[k].logical == name) physical = pairs[k].physical;
            else if (strcmp(pairs[k].physical, name) == 0)
                has_logical |= is_set(lines, count, pairs[k].logical);
        }
        if (physical) decide(c, lines, count, physical, name);
        else if (!has_logical) decide(c, lines, count, name, NULL);
    }
    for (uint32_t i = 0; i < count; i++) {
        bool custom = lines[i].name != CSS_NONE && !strncmp(lines[i].public.property, "--", 2);
        for (uint32_t k = 0; k < i && custom; k++) custom = lines[k].name != lines[i].name;
        if (custom) decide(c, lines, count, lines[i].property, NULL);
    }
}

/* Writing mode of an element. */
static unsigned mode_of(explanation *x, const hed_css_matcher *matcher, uint32_t element)
{
    uint8_t *modes = hed_arena_new(&x->c.work, x->c.m.result.elements + 1ull, 1, x->error);
    if (modes) css_find_modes(matcher, modes, x->error);
    return modes ? modes[element] : 0;
}

hed_status hed_css_explain(const hed_css_matcher *matcher, uint32_t element,
    void (*each)(void *user, const hed_css_declaration *declaration), void *user, hed_error *error)
{
    HED_REQUIRE(matcher, each);
    hed_error local = {0};
    if (!error) error = &local;
    explanation x = {.error = error};
    css_cascade_open(&x.c, matcher, error);
    const css_matched *m = &x.c.m;
    if (!hed_failed(error) && element >= m->result.elements)
        hed_fail(error, HED_ERROR_ARGUMENT, "css: element %u: there are %u", element,
            m->result.elements);
    if (!hed_failed(error)) {
        uint32_t n = 0;
        while (element >= m->first_element[n + 1]) n++;
        x.d = m->documents[n];
        x.document = n;
        x.names = x.d->names;
        put_rules(&x, n, element - m->first_element[n]);
        put_style(&x, element - m->first_element[n]);
    }
    unsigned mode = hed_failed(error) ? 0 : mode_of(&x, matcher, element);
    if (!hed_failed(error)) {
        line *lines = x.lines.items;
        uint32_t count = x.lines.count;
        if (count) qsort(lines, count, sizeof *lines, by_rank);
        for (uint32_t i = 0, end; i < count; i = end) {
            for (end = i; end < count && lines[end].pseudo == lines[i].pseudo;) end++;
            decide_all(&x.c, lines + i, end - i, mode);
        }
        for (uint32_t i = 0; i < count; i++) {
            uint32_t pseudo = lines[i].pseudo;
            lines[i].public.pseudo_element =
                pseudo ? hed_css_names_text(x.names, x.pseudos[pseudo - 1], NULL) : "";
            each(user, &lines[i].public);
        }
    }
    hed_arena_free(&x.c.work);
    return hed_failed(error) ? error->status : HED_OK;
}
