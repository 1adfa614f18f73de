/* See compile.h and the head of kernels/tables.h. A complex selector becomes paths: the compound of
 * its last run of siblings, and the prefix required on the parent or on an ancestor. The tables at
 * the end find compounds by predicates, and nodes, accepting states and dependencies by
 * compounds. */
#include "tables/compiler.h"

#include <stdlib.h>
#include <string.h>

/* Greatest number of paths into which an :is() at the left end of a selector, with ' ' or '>'
 * inside, is split. */
enum { MAX_PATHS = 64 };

/* ---- paths ---- */

static uint32_t count_paths(css_compiler *c, uint32_t complex);

/* The :is() at the left end of a complex selector that is worth splitting, as some selector of it
 * has ' ' or '>': its index in the compound; CSS_NONE: none. *paths: number of paths after
 * splitting. */
static uint32_t split_at(css_compiler *c, uint32_t complex, uint32_t *paths)
{
    const css_compound *first = &c->sheet->compounds[c->sheet->complexes[complex].first];
    for (uint32_t i = 0; i < first->count; i++) {
        const css_simple *s = &c->sheet->simples[first->first + i];
        bool worth = false;
        if (s->kind != CSS_IS || s->scoped) continue;
        *paths = 0;
        for (uint32_t k = s->list; k < s->list + s->count && *paths <= MAX_PATHS; k++) {
            const css_complex *x = &c->sheet->complexes[k];
            uint32_t inner_paths = count_paths(c, k);
            for (uint32_t m = 1; m < x->count; m++) {
                char combinator = c->sheet->compounds[x->first + m].combinator;
                worth = worth || combinator == ' ' || combinator == '>';
            }
            worth = worth || inner_paths > 1;
            *paths += inner_paths;
        }
        if (worth && *paths <= MAX_PATHS) return i;
    }
    *paths = 1;
    return CSS_NONE;
}

static uint32_t count_paths(css_compiler *c, uint32_t complex)
{
    uint32_t count = c->path_counts[complex];
    if (count) return count;
    split_at(c, complex, &count);
    c->path_counts[complex] = (uint8_t)count;
    return count;
}

/* Node of a path, with a use of it: on the parent or on an ancestor. */
static uint32_t node_of(css_compiler *c, css_path path, bool in_parent)
{
    css_compiled *out = c->out;
    uint32_t count = out->node.count;
    uint32_t number = css_intern(&c->nodes, &c->work, CSS_WORDS(path), c->error);
    if (number == count)
        CSS_PUSH(&out->node, c->arena, c->error,
            (css_node){path.compound, path.required, path.in_parent, 0});
    if (hed_failed(c->error)) return CSS_NONE;
    out->node.items[number].uses |= in_parent ? CSS_USE_PARENT : CSS_USE_ANCESTOR;
    return number;
}

/* Stores a path at position `to` of the stack; its compound is the clauses from `scratch` on, which
 * are popped. A path that never holds is dropped. Returns the position after it. */
static uint32_t keep_path(css_compiler *c, uint32_t to, css_path path, bool holds, uint32_t scratch)
{
    path.compound = holds ? css_compound_of(c, scratch) : CSS_NOWHERE;
    c->scratch.count = scratch;
    if (path.compound == CSS_NOWHERE) return to;
    c->paths.items[to] = path;
    return to + 1;
}

/* Extends all paths from `base` on by a compound selector. */
static void extend_paths(
    css_compiler *c, uint32_t base, const css_compound *compound, css_states_mode mode)
{
    char k = compound->combinator;
    uint32_t to = base, scratch = c->scratch.count;
    for (uint32_t at = base; at < c->paths.count && !hed_failed(c->error); at++) {
        css_path path = c->paths.items[at];
        bool holds = css_push_compound_selector(c, compound, CSS_NONE, mode);
        if (holds && (k == '+' || k == '~')) {
            uint32_t ids = c->ids.count;
            css_push(&c->ids, &c->work, path.compound, c->error);
            css_push_literal(
                c, css_relation_predicate(c, k == '+' ? CSS_FROM_PREVIOUS : CSS_FROM_EARLIER, ids)
                       << 1);
        } else if (holds) {
            path.required = node_of(c, path, k == '>');
            path.in_parent = k == '>';
        }
        to = keep_path(c, to, path, holds, scratch);
    }
    c->paths.count = to;
}

/* Pushes the paths of a complex selector. */
static void push_paths(css_compiler *c, uint32_t complex, css_states_mode mode)
{
    const css_complex *x = &c->sheet->complexes[complex];
    const css_compound *first = &c->sheet->compounds[x->first];
    uint32_t base = c->paths.count, scratch = c->scratch.count, paths;
    if (c->edited) { /* relations by predicates, which count the changes of a reader */
        uint32_t compound = css_local_compound(c, complex, mode);
        if (compound != CSS_NOWHERE)
            CSS_PUSH(&c->paths, &c->work, c->error, (css_path){compound, CSS_NONE, 0});
        return;
    }
    uint32_t split = split_at(c, complex, &paths);
    if (split == CSS_NONE) {
        bool holds = css_push_compound_selector(c, first, CSS_NONE, mode);
        uint32_t compound = holds ? css_compound_of(c, scratch) : CSS_NOWHERE;
        if (compound != CSS_NOWHERE)
            CSS_PUSH(&c->paths, &c->work, c->error, (css_path){compound, CSS_NONE, 0});
    } else {
        const css_simple *s = &c->sheet->simples[first->first + split];
        for (uint32_t i = 0; i < s->count && !hed_failed(c->error); i++)
            push_paths(c, s->list + i, mode);
        uint32_t to = base;
        for (uint32_t at = base; at < c->paths.count && !hed_failed(c->error); at++) {
            css_path path = c->paths.items[at];
            css_push_compound(c, path.compound);
            bool holds = css_push_compound_selector(c, first, split, mode);
            to = keep_path(c, to, path, holds, scratch);
        }
        c->paths.count = to;
    }
    c->scratch.count = scratch;
    for (uint32_t i = 1; i < x->count && !hed_failed(c->error); i++)
        extend_paths(c, base, &c->sheet->compounds[x->first + i], mode);
}

/* Adds the accepting states of a complex selector of a rule. */
static void add_finals(css_compiler *c, uint32_t rule, uint32_t complex, css_states_mode mode)
{
    push_paths(c, complex, mode);
    if (hed_failed(c->error) || !CSS_ROOM(&c->path_ends, &c->work, c->paths.count, c->error))
        return;
    for (uint32_t i = 0; i < c->paths.count; i++)
        c->path_ends.items[c->path_ends.count++] = (css_path_end){
            rule, c->sheet->complexes[complex].specificity, complex, c->paths.items[i]};
    c->paths.count = 0;
}

static void compile_sheet(
    css_compiler *c, const hed_css_sheet *sheet, uint32_t first_rule, css_states_mode mode)
{
    c->sheet = sheet;
    for (int m = 0; m < CSS_STATES_MODES; m++)
        c->memo[m] = hed_arena_new(&c->work, sheet->complex_count, sizeof(uint32_t), c->error);
    c->path_counts = hed_arena_new(&c->work, sheet->complex_count, 1, c->error);
    for (uint32_t r = 0; r < sheet->rule_count; r++) {
        const css_rule *rule = &sheet->rules[r];
        if (rule->info.validity != HED_CSS_VALID) continue;
        if (c->without && c->without[first_rule + r]) continue;
        for (uint32_t i = 0; i < rule->count && !hed_failed(c->error); i++)
            if (!sheet->complexes[rule->list + i].shadow)
                add_finals(c, first_rule + r, rule->list + i, mode);
    }
}

/* ---- tables ---- */

/* CSR of pairs by row; the values of a row keep their order. */
static void gather(css_compiler *c, uint32_t rows, const css_pair *pairs, uint32_t count,
    const uint32_t **begin, const uint32_t **values)
{
    uint32_t *offset = hed_arena_new(c->arena, (uint64_t)rows + 2, sizeof *offset, c->error);
    uint32_t *sorted = hed_arena_new(c->arena, count, sizeof *sorted, c->error);
    if (hed_failed(c->error)) return;
    *begin = offset;
    *values = sorted;
    for (uint32_t i = 0; i < count; i++) offset[pairs[i].row + 2]++;
    for (uint32_t r = 2; r <= rows; r++) offset[r] += offset[r - 1];
    for (uint32_t i = 0; i < count; i++) sorted[offset[pairs[i].row + 1]++] = pairs[i].value;
}

static int by_rule(const void *a, const void *b)
{
    const css_path_end *x = a, *y = b;
    if (x->rule != y->rule) return x->rule < y->rule ? -1 : 1;
    if (x->specificity != y->specificity) return x->specificity > y->specificity ? -1 : 1;
    return (x->complex > y->complex) - (x->complex < y->complex);
}

/* Nodes of each compound. */
static void make_nodes(css_compiler *c)
{
    css_tables *t = &c->out->tables;
    uint32_t count = c->out->node.count;
    css_pair *pairs = hed_arena_new(&c->work, count, sizeof *pairs, c->error);
    if (!pairs) return;
    for (uint32_t n = 0; n < count; n++) pairs[n] = (css_pair){c->out->node.items[n].compound, n};
    gather(c, css_compounds(c->out), pairs, count, &t->compound_node_begin, &t->compound_node);
}

/* Accepting states, and the accepting states of each compound. */
static void make_finals(css_compiler *c)
{
    css_tables *t = &c->out->tables;
    uint32_t count = c->out->finals = c->path_ends.count;
    css_pair *pairs = hed_arena_new(&c->work, count, sizeof *pairs, c->error);
    css_final *final = hed_arena_new(c->arena, count, sizeof *final, c->error);
    if (!pairs || !final) return;
    if (count) qsort(c->path_ends.items, count, sizeof(css_path_end), by_rule);
    for (uint32_t i = 0; i < count; i++) {
        const css_path_end *x = &c->path_ends.items[i];
        final[i] = (css_final){x->path.required, x->path.in_parent, x->rule, x->complex};
        pairs[i] = (css_pair){x->path.compound, i};
    }
    t->final = final;
    gather(c, css_compounds(c->out), pairs, count, &t->compound_final_begin, &t->compound_final);
}

/* Dependencies of each compound. */
static void make_dependencies(css_compiler *c)
{
    css_tables *t = &c->out->tables;
    const css_interner *dependency = &c->out->dependency;
    uint32_t count = 0;
    css_pair *pairs = hed_arena_new(&c->work, dependency->words.count, sizeof *pairs, c->error);
    if (!pairs) return;
    for (uint32_t d = 0; d < css_interned(dependency); d++) {
        css_span compounds = css_sequence(dependency, d);
        for (uint32_t i = compounds.begin; i < compounds.end; i++)
            pairs[count++] = (css_pair){dependency->words.items[i], d};
    }
    gather(c, css_compounds(c->out), pairs, count, &t->compound_dependency_begin,
        &t->compound_dependency);
}

/* True if a compound has nodes, accepting states or dependencies. */
static bool is_used(const css_tables *t, uint32_t compound)
{
    return t->compound_node_begin[compound] != t->compound_node_begin[compound + 1] ||
           t->compound_final_begin[compound] != t->compound_final_begin[compound + 1] ||
           t->compound_dependency_begin[compound] != t->compound_dependency_begin[compound + 1];
}

/* Compounds by the predicates of their first clauses. */
static void make_buckets(css_compiler *c)
{
    css_compiled *out = c->out;
    css_tables *t = &out->tables;
    css_pairs pairs = {0};
    for (uint32_t k = 0; k < css_compounds(out) && !hed_failed(c->error); k++) {
        if (!is_used(t, k)) continue;
        uint32_t count;
        const uint32_t *l = css_compound_literals(c, k, &count);
        uint32_t end = count ? css_clause_end(l, 0) : 0;
        if (!count || css_clause_rank(c, l, end) == 4) {
            css_push(&out->universal, c->arena, k, c->error);
            continue;
        }
        for (uint32_t i = 0; i < end; i++)
            CSS_PUSH(&pairs, &c->work, c->error, (css_pair){css_predicate_of(l[i]), k});
    }
    if (hed_failed(c->error)) return;
    gather(c, out->predicate.count, pairs.items, pairs.count, &t->bucket_begin, &t->bucket);
}

static void make_keys(css_compiler *c)
{
    css_tables *t = &c->out->tables;
    uint32_t size = 16, keys = c->out->keys = css_interned(&c->keys);
    while (size < 2 * keys) size *= 2;
    css_key_slot *slots = hed_arena_new(c->arena, size, sizeof *slots, c->error);
    gather(c, keys, c->key_pairs.items, c->key_pairs.count, &t->key_begin, &t->key_predicate);
    if (hed_failed(c->error)) return;
    t->key_slot = slots;
    t->key_mask = size - 1;
    memset(slots, 0xff, size * sizeof *slots);
    for (uint32_t k = 0; k < keys; k++) {
        uint32_t code = c->keys.words.items[k], at = css_key_hash(code) & t->key_mask;
        while (slots[at].code != CSS_NONE) at = (at + 1) & t->key_mask;
        slots[at] = (css_key_slot){code, k};
    }
}

/* Marks the predicates that a sweep before the pass evaluates: all that read later siblings or
 * descendants, and all that these depend on. */
static void find_early(css_compiled *out)
{
    for (uint32_t p = out->predicate.count; p-- > 0;) {
        const css_predicate *predicate = &out->predicate.items[p];
        if (!css_reads_dependency(predicate->kind)) continue;
        if (css_is_count(predicate->kind) ? predicate->kind == CSS_P_COUNT_FROM_END
                                          : predicate->of.relation.relation > CSS_FROM_EARLIER)
            out->schedule.items[p].early = true;
        if (!out->schedule.items[p].early) continue;
        css_span compounds = css_sequence(&out->dependency, css_dependency_of(predicate));
        for (uint32_t i = compounds.begin; i < compounds.end; i++) {
            css_span literals = css_sequence(&out->compound, out->dependency.words.items[i]);
            for (uint32_t k = literals.begin; k < literals.end; k++)
                out->schedule.items[css_predicate_of(out->compound.words.items[k])].early = true;
        }
    }
}

/* Points the tables to the arrays that have grown. */
static void set_tables(css_compiled *out)
{
    css_tables *t = &out->tables;
    t->predicate = out->predicate.items;
    t->always = out->always.items;
    t->literal_begin = out->compound.begin.items;
    t->literal = out->compound.words.items;
    t->universal = out->universal.items;
    t->node = out->node.items;
    t->dependency_begin = out->dependency.begin.items;
    t->dependency_compound = out->dependency.words.items;
    t->dependency_stage = out->dependency_stage.items;
}

static void make_tables(css_compiler *c)
{
    void (*const steps[])(css_compiler *) = {
        make_nodes, make_finals, make_dependencies, make_buckets, make_keys};
    for (size_t i = 0; i < HED_COUNT(steps) && !hed_failed(c->error); i++) steps[i](c);
    if (hed_failed(c->error)) return;
    find_early(c->out);
    set_tables(c->out);
}

hed_status css_compile(css_compiled *out, hed_arena *arena, hed_css_sheet *const *sheets,
    uint32_t sheet_count, const bool *without, unsigned options, hed_error *error)
{
    if (hed_failed(error)) return error->status;
    bool possible = options & CSS_COMPILE_POSSIBLE;
    css_compiler c = {.out = out,
        .arena = arena,
        .error = error,
        .quirks = options & CSS_COMPILE_QUIRKS,
        .edited = possible && options & CSS_COMPILE_EDITED,
        .shadow = options & CSS_COMPILE_SHADOW,
        .without = without};
    c.work = (hed_arena){.allocator = arena->allocator, .owner = "the compilation of sheets"};
    *out = (css_compiled){0};
    if (css_interner_make(&c.identities, &c.work, error) &&
        css_interner_make(&c.keys, &c.work, error) && css_interner_make(&c.nodes, &c.work, error) &&
        css_interner_make(&out->compound, arena, error))
        css_interner_make(&out->dependency, arena, error);
    for (uint32_t s = 0; s < sheet_count && !hed_failed(error); s++) {
        compile_sheet(&c, sheets[s], out->rules, possible ? CSS_STATES_GRANTED : CSS_STATES_GIVEN);
        out->rules += sheets[s]->rule_count;
    }
    if (!hed_failed(error)) make_tables(&c);
    hed_arena_free(&c.work);
    return hed_failed(error) ? error->status : HED_OK;
}
