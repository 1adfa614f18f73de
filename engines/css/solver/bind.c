/* See bind.h. */
#include "solver/bind.h"

#include <stdlib.h>
#include <string.h>

hed_status css_bound_make(css_bound *b, hed_arena *arena, const css_compiled *c, hed_error *error)
{
    uint32_t predicates = c->predicate.count, compounds = css_compounds(c), nodes = c->node.count;
    *b = (css_bound){.compiled = c, .arena = arena};
    b->possible = hed_arena_new(arena, predicates, sizeof *b->possible, error);
    b->dynamic_number = hed_arena_new(arena, predicates, sizeof *b->dynamic_number, error);
    b->early_slot = hed_arena_new(arena, predicates, sizeof *b->early_slot, error);
    b->status = hed_arena_new(arena, predicates / 16 + 1, sizeof *b->status, error);
    b->compound_possible = hed_arena_new(arena, compounds, sizeof *b->compound_possible, error);
    b->live = hed_arena_new(arena, compounds, sizeof *b->live, error);
    b->act_counts = hed_arena_new(arena, compounds, sizeof *b->act_counts, error);
    b->node_uses = hed_arena_new(arena, nodes, sizeof *b->node_uses, error);
    b->node_bits = hed_arena_new(arena, nodes, sizeof *b->node_bits, error);
    b->transition = hed_arena_new(arena, 2ull * nodes, sizeof *b->transition, error);
    b->acceptance = hed_arena_new(arena, c->finals, sizeof *b->acceptance, error);
    b->dependency = hed_arena_new(arena, css_dependencies(c), sizeof *b->dependency, error);
    return hed_failed(error) ? error->status : HED_OK;
}

/* ---- predicates that are true on element kinds ---- */

static void hit_key(css_bound *b, const css_element_kind *kind, uint32_t code, hed_error *error)
{
    const css_tables *t = &b->compiled->tables;
    uint32_t key = css_key_find(t, code);
    if (key == CSS_NONE) return;
    for (uint32_t i = t->key_begin[key]; i < t->key_begin[key + 1]; i++) {
        uint32_t p = t->key_predicate[i];
        if (css_holds_on(&t->predicate[p], kind)) css_push(&b->hit, b->arena, p, error);
    }
}

static void find_hits(css_bound *b, const css_forest *f, uint32_t k, hed_error *error)
{
    const css_compiled *c = b->compiled;
    const css_element_kind *kind = &f->kinds.items[k];
    bool html = (kind->name_space & 0xff) == HED_CSS_HTML;
    uint32_t type = html ? CSS_KEY_TYPE_HTML : CSS_KEY_TYPE;
    uint32_t class_key = kind->name_space >> 8 ? CSS_KEY_CLASS_QUIRKS : CSS_KEY_CLASS;
    hit_key(b, kind, css_key_code(type, kind->tag), error);
    for (uint32_t i = 0; i < kind->classes; i++)
        hit_key(
            b, kind, css_key_code(class_key, f->kind_class.items[kind->first_class + i]), error);
    for (uint32_t i = 0; i < kind->facts; i++)
        css_push(&b->hit, b->arena, f->kind_fact.items[kind->first_fact + i], error);
    for (uint32_t i = 0; i < c->always.count; i++) {
        uint32_t p = c->always.items[i];
        if (css_holds_on(&c->predicate.items[p], kind)) css_push(&b->hit, b->arena, p, error);
    }
    css_push(&b->hit_begin, b->arena, b->hit.count, error);
}

/* ---- predicates, compounds and nodes that can occur ---- */

/* True if each clause of a compound has a literal that is negated or possible. */
static bool may_hold(const css_bound *b, uint32_t compound)
{
    const uint32_t *literal = b->compiled->tables.literal;
    css_span literals = css_row(b->compiled->tables.literal_begin, compound);
    bool clause = false;
    for (uint32_t i = literals.begin; i < literals.end; i++) {
        uint32_t l = literal[i];
        clause = clause || l & 1 || b->possible[css_predicate_of(l)];
        if (!(l & CSS_LAST_OF_CLAUSE)) continue;
        if (!clause) return false;
        clause = false;
    }
    return true;
}

/* Possible dynamic predicates and compounds; in ascending order, as a dependency's predicates have
 * smaller numbers. A position is always possible. */
static void find_possible(css_bound *b)
{
    const css_compiled *c = b->compiled;
    for (uint32_t p = 0; p < c->predicate.count; p++) {
        const css_predicate *predicate = &c->predicate.items[p];
        if (predicate->kind == CSS_P_POSITION) b->possible[p] = true;
        if (!css_reads_dependency(predicate->kind)) continue;
        /* COUNT: the counted list is also a clause of the same compound, so both are impossible
         * together */
        uint32_t dependency = css_dependency_of(predicate);
        css_span compounds = css_row(c->tables.dependency_begin, dependency);
        for (uint32_t i = compounds.begin; i < compounds.end && !b->possible[p]; i++)
            b->possible[p] = may_hold(b, c->tables.dependency_compound[i]);
        if (b->possible[p]) b->dependency[dependency].is_read = true;
    }
    for (uint32_t k = 0; k < css_compounds(c); k++) b->compound_possible[k] = may_hold(b, k);
}

/* Flag in node_uses during prune_nodes(): the node and all that it requires can occur. */
enum { REACHED = 4 };

static uint32_t use_of(uint32_t in_parent) { return in_parent ? CSS_USE_PARENT : CSS_USE_ANCESTOR; }

/* Uses of nodes that can occur by finals and nodes that can occur. */
static void prune_nodes(css_bound *b)
{
    const css_tables *t = &b->compiled->tables;
    uint32_t nodes = b->compiled->node.count, *uses = b->node_uses;
    for (uint32_t n = 0; n < nodes; n++) {
        const css_node *node = &t->node[n];
        bool reached = (node->required == CSS_NONE || uses[node->required] & REACHED) &&
                       b->compound_possible[node->compound];
        uses[n] = reached ? REACHED : 0;
    }
    for (uint32_t k = 0; k < css_compounds(b->compiled); k++) {
        css_span finals = css_row(t->compound_final_begin, k);
        for (uint32_t i = finals.begin; i < finals.end && b->compound_possible[k]; i++) {
            const css_final *final = &t->final[t->compound_final[i]];
            if (final->required != CSS_NONE && uses[final->required] & REACHED)
                uses[final->required] |= use_of(final->in_parent);
        }
    }
    for (uint32_t n = nodes; n-- > 0;) {
        const css_node *node = &t->node[n];
        if (node->required != CSS_NONE && uses[n] & REACHED && uses[n] != REACHED)
            uses[node->required] |= use_of(node->in_parent);
    }
}

/* Numbers the bits of the state, beginning with the bits that descendants inherit. */
static void number_bits(css_bound *b)
{
    b->bits = 0;
    for (uint32_t in_parent = 0; in_parent < 2; in_parent++) {
        for (uint32_t n = 0; n < b->compiled->node.count; n++) {
            bool used = b->node_uses[n] & REACHED && b->node_uses[n] & use_of(in_parent);
            b->node_bits[n].bit[in_parent] = used ? b->bits++ : CSS_NONE;
        }
        if (!in_parent) b->inherited_bits = b->bits;
    }
}

static int by_required(const void *a, const void *b)
{
    const css_act *x = a, *y = b;
    if (x->required != y->required) return x->required < y->required ? -1 : 1;
    return (x->result > y->result) - (x->result < y->result);
}

/* Sorts the acts from `acts` to `end`; returns their number. */
static uint32_t sort_acts(css_act *acts, const css_act *end)
{
    uint32_t count = (uint32_t)(end - acts);
    if (count > 1) qsort(acts, count, sizeof *acts, by_required);
    return count;
}

/* Finds the acts of a compound that can occur; an impossible compound has no acts. */
static void find_compound_acts(css_bound *b, uint32_t k)
{
    const css_tables *t = &b->compiled->tables;
    css_span nodes = css_row(t->compound_node_begin, k),
             finals = css_row(t->compound_final_begin, k);
    css_act *transitions = b->transition + css_first_transition(t, k), *transition = transitions;
    css_act *acceptances = b->acceptance + finals.begin, *acceptance = acceptances;
    for (uint32_t i = nodes.begin; i < nodes.end && b->compound_possible[k]; i++) {
        const css_node *node = &t->node[t->compound_node[i]];
        uint32_t required = node->required;
        if (required != CSS_NONE) required = b->node_bits[required].bit[node->in_parent];
        for (uint32_t m = 0; m < 2; m++) {
            uint32_t bit = b->node_bits[t->compound_node[i]].bit[m];
            if (bit != CSS_NONE) *transition++ = (css_act){required, bit};
        }
    }
    for (uint32_t i = finals.begin; i < finals.end && b->compound_possible[k]; i++) {
        const css_final *final = &t->final[t->compound_final[i]];
        uint32_t required = final->required;
        if (required != CSS_NONE) {
            required = b->node_bits[required].bit[final->in_parent];
            if (required == CSS_NONE) continue;
        }
        *acceptance++ = (css_act){required, t->compound_final[i]};
    }
    b->act_counts[k] =
        (css_act_counts){sort_acts(transitions, transition), sort_acts(acceptances, acceptance)};
}

/* Acts of all compounds, and the compounds that are live. */
static void find_acts(css_bound *b)
{
    const css_tables *t = &b->compiled->tables;
    for (uint32_t k = 0; k < css_compounds(b->compiled); k++) {
        css_span dependencies = css_row(t->compound_dependency_begin, k);
        bool is_read = false;
        find_compound_acts(b, k);
        for (uint32_t i = dependencies.begin; i < dependencies.end; i++)
            is_read = is_read || b->dependency[t->compound_dependency[i]].is_read;
        b->live[k] = b->compound_possible[k] &&
                     (is_read || b->act_counts[k].transitions || b->act_counts[k].acceptances);
    }
}

/* ---- element kinds ---- */

/* Evaluation of a RELATION or COUNT: a slot for the dependency that it reads, or for its own early
 * bit if a sweep evaluates it. */
static void evaluate_by_dependency(css_bound *b, uint32_t p, css_dynamic *dynamic)
{
    const css_predicate *predicate = &b->compiled->predicate.items[p];
    const css_schedule *schedule = &b->compiled->schedule.items[p];
    css_dependency *dependency = &b->dependency[css_dependency_of(predicate)];
    bool count = css_is_count(predicate->kind);
    if (dependency->slot == CSS_NONE) dependency->slot = b->slots++;
    dynamic->source = dependency->slot;
    if (count) {
        dynamic->by = CSS_BY_COUNT;
        dynamic->a = predicate->of.count.a;
        dynamic->b = predicate->of.count.b;
    } else {
        dynamic->by = CSS_BY_PARENT + predicate->of.relation.relation;
        b->looks_up = b->looks_up || predicate->of.relation.relation <= CSS_FROM_ANCESTOR;
    }
    b->counts = b->counts || count;
    uint32_t reader = schedule->early ? css_sweep_bit(schedule->sweep) : CSS_THE_PASS;
    b->dependency_reads += !(dependency->sweeps >> reader & 1);
    dependency->sweeps |= 1u << reader;
    if (!schedule->early) return;
    if (b->early_slot[p] == CSS_NONE) b->early_slot[p] = b->early_slots++;
    if (schedule->sweep >= b->sweeps) b->sweeps = schedule->sweep + 1;
    dynamic->by = CSS_BY_SWEEP;
    dynamic->source = b->early_slot[p];
    dynamic->sweep = schedule->sweep;
}

/* Appends a dynamic predicate of an element kind. */
static void add_dynamic(css_bound *b, uint32_t p, hed_error *error)
{
    const css_predicate *predicate = &b->compiled->predicate.items[p];
    css_dynamic dynamic = {.predicate = p, .by = CSS_BY_POSITION};
    if (predicate->kind == CSS_P_POSITION) {
        uint32_t x = predicate->of.position.a, y = predicate->of.position.b;
        dynamic.source = predicate->of.position.axis;
        dynamic.a = x;
        dynamic.b = y;
        for (uint32_t k = 0; k < 64; k++)
            dynamic.first_positions |= (uint64_t)css_position_fits(k + 1, x, y) << k;
    } else evaluate_by_dependency(b, p, &dynamic);
    b->dynamic_number[p] = b->dynamic.count;
    CSS_PUSH(&b->dynamic, b->arena, error, dynamic);
}

/* Appends the residual of a compound on an element kind, in literals of the kind's dynamic
 * predicates; returns its length. */
static uint32_t leave_residual(
    css_bound *b, uint32_t compound, uint32_t first_dynamic, hed_error *error)
{
    const uint32_t *literal = b->compiled->tables.literal;
    css_span literals = css_row(b->compiled->tables.literal_begin, compound);
    uint32_t start = b->residual.count, clause = start;
    bool holds = false;
    for (uint32_t i = literals.begin; i < literals.end && !hed_failed(error); i++) {
        uint32_t l = literal[i], p = css_predicate_of(l), status = css_status_of(b->status, p);
        if (status != CSS_UNDECIDED) holds = holds || status != (l & 1);
        else {
            if (b->dynamic_number[p] < first_dynamic || b->dynamic_number[p] == CSS_NONE)
                add_dynamic(b, p, error);
            uint32_t bit = b->dynamic_number[p] - first_dynamic;
            css_push(&b->residual, b->arena, bit << 1 | (l & 1), error);
        }
        if (!(l & CSS_LAST_OF_CLAUSE)) continue;
        if (holds) b->residual.count = clause;
        else if (!hed_failed(error)) b->residual.items[b->residual.count - 1] |= CSS_LAST_OF_CLAUSE;
        clause = b->residual.count;
        holds = false;
    }
    return b->residual.count - start;
}

/* Appends a compound to the lists of an element kind unless it is false there. */
static void try_compound(css_bound *b, uint32_t k, uint32_t first_dynamic, hed_error *error)
{
    const css_tables *t = &b->compiled->tables;
    css_span literals = css_row(t->literal_begin, k);
    uint32_t status = css_compound_status(t->literal, literals.begin, literals.end, b->status);
    if (status == CSS_FALSE) return;
    css_candidate candidate = {.number = k, .first = b->residual.count};
    if (status == CSS_TRUE) css_push(&b->certain, b->arena, k, error);
    else {
        candidate.literals = leave_residual(b, k, first_dynamic, error);
        CSS_PUSH(&b->candidate, b->arena, error, candidate);
    }
    css_span dependencies = css_row(t->compound_dependency_begin, k);
    for (uint32_t i = dependencies.begin; i < dependencies.end; i++) {
        candidate.number = t->compound_dependency[i];
        if (b->dependency[candidate.number].is_read)
            CSS_PUSH(&b->candidate_dependency, b->arena, error, candidate);
    }
}

static void bind_kind(css_bound *b, uint32_t number, hed_error *error)
{
    const css_tables *t = &b->compiled->tables;
    css_span hits = css_row(b->hit_begin.items, number);
    css_bound_kind kind = {.first_certain = b->certain.count,
        .first_candidate = b->candidate.count,
        .first_dynamic = b->dynamic.count,
        .first_dependency = b->candidate_dependency.count};
    for (uint32_t i = hits.begin; i < hits.end; i++) {
        uint32_t p = b->hit.items[i];
        b->status[p >> 4] |= (uint32_t)CSS_TRUE << (p & 15) * 2;
    }
    for (uint32_t i = 0; i < b->compiled->universal.count; i++)
        if (b->live[t->universal[i]]) try_compound(b, t->universal[i], kind.first_dynamic, error);
    for (uint32_t i = hits.begin; i < hits.end; i++) {
        uint32_t p = b->hit.items[i];
        css_span bucket = css_row(t->bucket_begin, p);
        for (uint32_t j = bucket.begin; j < bucket.end; j++) {
            uint32_t k = t->bucket[j], first = t->literal_begin[k];
            if (!b->live[k]) continue;
            if (!(t->literal[first] & CSS_LAST_OF_CLAUSE) &&
                !css_tried_by(t->literal, first, b->status, p))
                continue;
            try_compound(b, k, kind.first_dynamic, error);
        }
    }
    for (uint32_t i = hits.begin; i < hits.end; i++) {
        uint32_t p = b->hit.items[i];
        b->status[p >> 4] &= ~((uint32_t)CSS_TRUE << (p & 15) * 2);
    }
    kind.certains = b->certain.count - kind.first_certain;
    kind.candidates = b->candidate.count - kind.first_candidate;
    kind.dynamics = b->dynamic.count - kind.first_dynamic;
    kind.dependencies = b->candidate_dependency.count - kind.first_dependency;
    CSS_PUSH(&b->kind, b->arena, error, kind);
}

/* Empties a binding. */
static void bound_clear(css_bound *b)
{
    const css_compiled *c = b->compiled;
    uint32_t predicates = c->predicate.count;
    b->kind.count = b->certain.count = b->candidate.count = b->residual.count = 0;
    b->candidate_dependency.count = b->dynamic.count = b->hit.count = b->hit_begin.count = 0;
    memset(b->possible, 0, predicates * sizeof *b->possible);
    memset(b->status, 0, (predicates / 16 + 1) * sizeof *b->status);
    memset(b->dynamic_number, 0xff, predicates * sizeof *b->dynamic_number);
    memset(b->early_slot, 0xff, predicates * sizeof *b->early_slot);
    for (uint32_t d = 0; d < css_dependencies(c); d++)
        b->dependency[d] = (css_dependency){.slot = CSS_NONE};
    b->slots = b->early_slots = b->dependency_reads = b->sweeps = 0;
    b->counts = b->looks_up = false;
}

hed_status css_bind(css_bound *b, const css_forest *f, hed_error *error)
{
    const css_compiled *c = b->compiled;
    if (hed_failed(error)) return error->status;
    bound_clear(b);
    css_push(&b->hit_begin, b->arena, 0, error);
    for (uint32_t k = 0; k < f->kinds.count; k++) find_hits(b, f, k, error);
    if (hed_failed(error)) return error->status;
    for (uint32_t i = 0; i < b->hit.count; i++) b->possible[b->hit.items[i]] = true;
    find_possible(b);
    for (uint32_t p = 0; p < c->predicate.count; p++)
        if (b->possible[p] && c->predicate.items[p].kind >= CSS_P_POSITION)
            b->status[p >> 4] |= (uint32_t)CSS_UNDECIDED << (p & 15) * 2;
    prune_nodes(b);
    number_bits(b);
    find_acts(b);
    for (uint32_t k = 0; k < f->kinds.count && !hed_failed(error); k++) bind_kind(b, k, error);
    return hed_failed(error) ? error->status : HED_OK;
}

bool css_bind_more(css_bound *b, const css_forest *f, hed_error *error)
{
    uint32_t reads = b->dependency_reads, early = b->early_slots, hit = b->hit.count;
    bool counts = b->counts, looks_up = b->looks_up;
    uint32_t first = b->hit_begin.count - 1;
    for (uint32_t k = first; k < f->kinds.count; k++) find_hits(b, f, k, error);
    if (hed_failed(error)) return false;
    for (uint32_t i = hit; i < b->hit.count; i++)
        if (!b->possible[b->hit.items[i]]) return false;
    for (uint32_t k = first; k < f->kinds.count && !hed_failed(error); k++) bind_kind(b, k, error);
    return !hed_failed(error) && reads == b->dependency_reads && early == b->early_slots &&
           counts == b->counts && looks_up == b->looks_up;
}
