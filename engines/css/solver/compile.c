/* See compile.h and the head of kernels/tables.h. A complex selector becomes paths: its last run of
 * siblings as a compound, and the prefix that has to hold in the parent or in an ancestor. The
 * tables say what compounds, prefixes and finals are found by. */
#include "solver/compiler.h"

#include <stdlib.h>
#include <string.h>

/* A selector whose left end is an :is() of selectors with ' ' or '>' becomes up to so many. */
enum { PATHS_MOST = 64 };

/* ---- paths ---- */

static uint32_t count_ways(css_compiler *c, uint32_t complex);

/* The :is() at the left end of a complex selector that is worth splitting: some selector of it has ' '
 * or '>'. `ways`: how many there are then. CSS_NONE: none. */
static uint32_t split_at(css_compiler *c, uint32_t complex, uint32_t *ways)
{
    const css_compound *first = &c->sheet->compounds[c->sheet->complexes[complex].first];
    for (uint32_t i = 0; i < first->count; i++) {
        const css_simple *s = &c->sheet->simples[first->first + i];
        bool worth = false;
        if (s->kind != CSS_IS) continue;
        *ways = 0;
        for (uint32_t k = s->list; k < s->list + s->count && *ways <= PATHS_MOST; k++) {
            const css_complex *x = &c->sheet->complexes[k];
            uint32_t its = count_ways(c, k);
            for (uint32_t m = 1; m < x->count; m++) {
                char combinator = c->sheet->compounds[x->first + m].combinator;
                worth = worth || combinator == ' ' || combinator == '>';
            }
            worth = worth || its > 1;
            *ways += its;
        }
        if (worth && *ways <= PATHS_MOST) return i;
    }
    *ways = 1;
    return CSS_NONE;
}

static uint32_t count_ways(css_compiler *c, uint32_t complex)
{
    uint32_t ways = c->ways[complex];
    if (ways) return ways;
    split_at(c, complex, &ways);
    c->ways[complex] = (uint8_t)ways;
    return ways;
}

static void push_path(css_compiler *c, uint32_t compound, uint32_t need, uint32_t child)
{
    css_push(&c->paths, &c->work, compound, c->error);
    css_push(&c->paths, &c->work, need, c->error);
    css_push(&c->paths, &c->work, child, c->error);
}

/* The prefix that a path is; it is asked for in the parent or in an ancestor. */
static uint32_t node_of(css_compiler *c, const uint32_t *path, uint32_t child)
{
    css_list *node = &c->out->node;
    uint32_t known = css_nodes(c->out);
    uint32_t number = css_intern(&c->nodes, &c->work, path, 3, c->error);
    if (number == known && css_list_room(node, c->arena, 4, c->error)) {
        memcpy(node->items + node->count, path, 3 * sizeof *path);
        node->items[node->count + 3] = 0;
        node->count += 4;
    }
    if (hed_failed(c->error)) return CSS_NONE;
    node->items[4 * number + 3] |= child ? 2 : 1;
    return number;
}

/* A path in place `to` of the stack, whose compound is the clauses from `scratch` on, which come off; one that
 * holds nowhere is left out. Gives the place behind it. */
static uint32_t keep_path(
    css_compiler *c, uint32_t to, uint32_t path[3], bool holds, uint32_t scratch)
{
    path[0] = holds ? css_compound_of(c, scratch) : CSS_NOWHERE;
    c->scratch.count = scratch;
    if (path[0] == CSS_NOWHERE) return to;
    memcpy(c->paths.items + to, path, 3 * sizeof *path);
    return to + 3;
}

/* One compound selector further on all paths from `base` on. */
static void extend_paths(
    css_compiler *c, uint32_t base, const css_compound *compound, css_states_mode mode)
{
    char k = compound->combinator;
    uint32_t to = base, scratch = c->scratch.count;
    for (uint32_t at = base; at < c->paths.count && !hed_failed(c->error); at += 3) {
        uint32_t path[3];
        memcpy(path, c->paths.items + at, sizeof path);
        bool holds = css_push_compound_selector(c, compound, CSS_NONE, mode);
        if (holds && (k == '+' || k == '~')) {
            uint32_t ids = c->ids.count;
            css_push(&c->ids, &c->work, path[0], c->error);
            css_push_literal(
                c, css_relation_predicate(c, k == '+' ? CSS_FROM_PREVIOUS : CSS_FROM_EARLIER, ids)
                       << 1);
        } else if (holds) {
            path[1] = node_of(c, path, k == '>');
            path[2] = k == '>';
        }
        to = keep_path(c, to, path, holds, scratch);
    }
    c->paths.count = to;
}

/* Pushes the paths of a complex selector: compound of its last run of siblings, and what that needs. */
static void push_paths(css_compiler *c, uint32_t complex, css_states_mode mode)
{
    const css_complex *x = &c->sheet->complexes[complex];
    const css_compound *first = &c->sheet->compounds[x->first];
    uint32_t base = c->paths.count, scratch = c->scratch.count, ways;
    uint32_t split = split_at(c, complex, &ways);
    if (split == CSS_NONE) {
        bool holds = css_push_compound_selector(c, first, CSS_NONE, mode);
        uint32_t compound = holds ? css_compound_of(c, scratch) : CSS_NOWHERE;
        if (compound != CSS_NOWHERE) push_path(c, compound, CSS_NONE, 0);
    } else {
        const css_simple *s = &c->sheet->simples[first->first + split];
        for (uint32_t i = 0; i < s->count && !hed_failed(c->error); i++)
            push_paths(c, s->list + i, mode);
        uint32_t to = base;
        for (uint32_t at = base; at < c->paths.count && !hed_failed(c->error); at += 3) {
            uint32_t path[3];
            memcpy(path, c->paths.items + at, sizeof path);
            css_push_compound(c, path[0]);
            bool holds = css_push_compound_selector(c, first, split, mode);
            to = keep_path(c, to, path, holds, scratch);
        }
        c->paths.count = to;
    }
    c->scratch.count = scratch;
    for (uint32_t i = 1; i < x->count && !hed_failed(c->error); i++)
        extend_paths(c, base, &c->sheet->compounds[x->first + i], mode);
}

static void add_finals(css_compiler *c, uint32_t rule, uint32_t complex, css_states_mode mode)
{
    push_paths(c, complex, mode);
    uint32_t count = c->paths.count / 3;
    if (c->final_count + count > c->final_room) {
        uint32_t room = 2 * (c->final_count + count) + 256;
        struct css_final_item *more = hed_arena_new(&c->work, room, sizeof *more, c->error);
        if (!more) return;
        if (c->final_count) memcpy(more, c->finals, c->final_count * sizeof *more);
        c->finals = more;
        c->final_room = room;
    }
    for (const uint32_t *p = c->paths.items; count-- && !hed_failed(c->error); p += 3)
        c->finals[c->final_count++] = (struct css_final_item){
            rule, c->sheet->complexes[complex].specificity, complex, p[0], p[1], p[2]};
    c->paths.count = 0;
}

static void compile_sheet(
    css_compiler *c, const hed_css_sheet *sheet, uint32_t first_rule, css_states_mode mode)
{
    c->sheet = sheet;
    for (int m = 0; m < CSS_STATES_MODES; m++)
        c->memo[m] = hed_arena_new(&c->work, sheet->complex_count, sizeof(uint32_t), c->error);
    c->ways = hed_arena_new(&c->work, sheet->complex_count, 1, c->error);
    for (uint32_t r = 0; r < sheet->rule_count; r++) {
        const css_rule *rule = &sheet->rules[r];
        if (rule->info.validity != HED_CSS_VALID) continue;
        if (c->without && c->without[first_rule + r]) continue;
        for (uint32_t i = 0; i < rule->count && !hed_failed(c->error); i++)
            add_finals(c, first_rule + r, rule->list + i, mode);
    }
}

/* ---- tables ---- */

/* Values by row, in order: pairs of (row, value). */
static void gather(css_compiler *c, uint32_t rows, const uint32_t *pairs, uint32_t count,
    uint32_t **begin, uint32_t **values)
{
    uint32_t *b = *begin = hed_arena_new(c->arena, (uint64_t)rows + 2, sizeof **begin, c->error);
    *values = hed_arena_new(c->arena, count, sizeof **values, c->error);
    if (hed_failed(c->error)) return;
    for (uint32_t i = 0; i < count; i++) b[pairs[2 * i] + 2]++;
    for (uint32_t r = 2; r <= rows; r++) b[r] += b[r - 1];
    for (uint32_t i = 0; i < count; i++) (*values)[b[pairs[2 * i] + 1]++] = pairs[2 * i + 1];
}

static int by_rule(const void *a, const void *b)
{
    const struct css_final_item *x = a, *y = b;
    if (x->rule != y->rule) return x->rule < y->rule ? -1 : 1;
    if (x->specificity != y->specificity) return x->specificity > y->specificity ? -1 : 1;
    return (x->complex > y->complex) - (x->complex < y->complex);
}

static void push_pair(css_compiler *c, css_list *pairs, uint32_t row, uint32_t value)
{
    css_push(pairs, &c->work, row, c->error);
    css_push(pairs, &c->work, value, c->error);
}

static void make_acts(css_compiler *c)
{
    css_compiled *out = c->out;
    css_list pairs = {0};
    uint32_t compounds = css_compounds(out), n = css_nodes(out);
    for (uint32_t i = 0; i < n; i++) push_pair(c, &pairs, out->node.items[4 * i], i);
    if (hed_failed(c->error)) return;
    gather(c, compounds, pairs.items, n, &out->inner_begin, &out->inner);
    if (c->final_count) qsort(c->finals, c->final_count, sizeof *c->finals, by_rule);
    pairs.count = 0;
    for (uint32_t i = 0; i < c->final_count; i++) {
        const struct css_final_item *f = &c->finals[i];
        const uint32_t words[4] = {f->need, f->child, f->rule, f->complex};
        for (int w = 0; w < 4; w++) css_push(&out->final, c->arena, words[w], c->error);
        push_pair(c, &pairs, f->compound, i);
    }
    if (hed_failed(c->error)) return;
    gather(c, compounds, pairs.items, c->final_count, &out->final_begin, &out->compound_final);
    pairs.count = 0;
    for (uint32_t f = 0; f < css_feeds(out); f++)
        for (uint32_t i = out->feed.begin.items[f]; i < out->feed.begin.items[f + 1]; i++)
            push_pair(c, &pairs, out->feed.words.items[i], f);
    if (hed_failed(c->error)) return;
    gather(c, compounds, pairs.items, pairs.count / 2, &out->fed_begin, &out->fed);
}

static void make_buckets(css_compiler *c)
{
    css_compiled *out = c->out;
    css_list pairs = {0};
    uint32_t compounds = css_compounds(out);
    for (uint32_t k = 0; k < compounds && !hed_failed(c->error); k++) {
        if (out->inner_begin[k] == out->inner_begin[k + 1] &&
            out->final_begin[k] == out->final_begin[k + 1] &&
            out->fed_begin[k] == out->fed_begin[k + 1])
            continue;
        uint32_t count;
        const uint32_t *l = css_compound_literals(c, k, &count);
        uint32_t end = count ? css_clause_end(l, 0) : 0;
        if (!count || css_clause_rank(c, l, end) == 4) {
            css_push(&out->universal, c->arena, k, c->error);
            continue;
        }
        for (uint32_t i = 0; i < end; i++)
            push_pair(c, &pairs, (l[i] & ~CSS_LAST_OF_CLAUSE) >> 1, k);
    }
    if (hed_failed(c->error)) return;
    gather(c, out->predicates, pairs.items, pairs.count / 2, &out->bucket_begin, &out->bucket);
}

static void make_keys(css_compiler *c)
{
    css_compiled *out = c->out;
    uint32_t size = 16;
    out->keys = css_interned(&c->keys);
    while (size < 2 * out->keys) size *= 2;
    out->key_mask = size - 1;
    out->key_slot = hed_arena_new(c->arena, 2ull * size, sizeof *out->key_slot, c->error);
    gather(c, out->keys, c->key_pairs.items, c->key_pairs.count / 2, &out->key_begin,
        &out->key_predicate);
    if (hed_failed(c->error)) return;
    memset(out->key_slot, 0xff, 2ull * size * sizeof *out->key_slot);
    for (uint32_t k = 0; k < out->keys; k++) {
        uint32_t code = c->keys.words.items[k], at = css_key_hash(code) & out->key_mask;
        while (out->key_slot[2 * at] != CSS_NONE) at = (at + 1) & out->key_mask;
        out->key_slot[2 * at] = code;
        out->key_slot[2 * at + 1] = k;
    }
}

/* What is read in a sweep before the pass: all that stands backwards, and what that reads. */
static void find_early(css_compiled *out)
{
    for (uint32_t p = out->predicates; p-- > 0;) {
        const uint32_t *words = out->predicate.items + p * CSS_P_WORDS;
        bool count = words[0] == CSS_P_COUNT;
        if (!count && words[0] != CSS_P_RELATION) continue;
        bool at_once = !count && words[1] <= CSS_FROM_EARLIER;
        if (count ? words[1] & 1 : !at_once) out->early.items[p] = 1;
        if (!out->early.items[p]) continue;
        uint32_t feed = count ? words[1] >> 1 : words[2];
        for (uint32_t i = out->feed.begin.items[feed]; i < out->feed.begin.items[feed + 1]; i++) {
            const uint32_t *b = out->compound.begin.items + out->feed.words.items[i];
            for (uint32_t k = b[0]; k < b[1]; k++)
                out->early.items[(out->compound.words.items[k] & ~CSS_LAST_OF_CLAUSE) >> 1] = 1;
        }
    }
}

hed_status css_compile(css_compiled *out, hed_arena *arena, hed_css_sheet *const *sheets,
    uint32_t sheet_count, const bool *without, bool quirks, bool possible, hed_error *error)
{
    if (hed_failed(error)) return error->status;
    css_compiler c = {
        .out = out, .arena = arena, .error = error, .quirks = quirks, .without = without};
    c.work = (hed_arena){.allocator = arena->allocator, .owner = "the compilation of sheets"};
    *out = (css_compiled){0};
    if (css_interner_make(&c.identities, &c.work, error) &&
        css_interner_make(&c.keys, &c.work, error) && css_interner_make(&c.nodes, &c.work, error) &&
        css_interner_make(&out->compound, arena, error))
        css_interner_make(&out->feed, arena, error);
    for (uint32_t s = 0; s < sheet_count && !hed_failed(error); s++) {
        compile_sheet(&c, sheets[s], out->rules, possible ? CSS_STATES_GRANTED : CSS_STATES_GIVEN);
        out->rules += sheets[s]->rule_count;
    }
    out->predicates = out->sweep.count;
    if (!hed_failed(error)) make_acts(&c);
    if (!hed_failed(error)) make_buckets(&c);
    if (!hed_failed(error)) make_keys(&c);
    if (!hed_failed(error)) find_early(out);
    hed_arena_free(&c.work);
    return hed_failed(error) ? error->status : HED_OK;
}
