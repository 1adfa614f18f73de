/* See compile.h and the head of kernels/tables.h. Compounds are brought into one order, so that equal
 * ones have one number; nested selectors are compiled once each (memo), as `&` shares them. */
#include "solver/compile.h"

#include <stdlib.h>
#include <string.h>

/* An OR of ANDs is multiplied out up to so many clauses and literals; beyond, it feeds CSS_FROM_SELF. */
enum { CLAUSES_MOST = 64, LITERALS_MOST = 4096 };
/* Clauses are sorted up to so many. */
enum { CLAUSES_SORTED = 256 };
/* A selector whose left end is an :is() of selectors with ' ' or '>' becomes up to so many. */
enum { PATHS_MOST = 64 };

#define NEVER (CSS_NONE - 1) /* in place of a compound: it holds nowhere */

typedef enum states_mode { STATES_GIVEN, STATES_GRANTED, STATES_DENIED, STATES_MODES } states_mode;

typedef struct compiler {
    css_compiled *out;
    hed_arena *arena, work;
    hed_error *error;
    const hed_css_sheet *sheet;
    hed_css_names *names;
    bool quirks;
    const bool *without;     /* (rules of all sheets) or NULL */
    css_interner identities; /* of predicates */
    css_interner keys, nodes;
    css_list key_pairs;    /* key, predicate */
    css_list ready, stage; /* (C) sweep in which a compound is known at the latest; its stage */
    css_list feed_ready;   /* (F) */
    css_list scratch, ids, paths; /* stacks: literals, compounds, (compound, need, child) */
    uint32_t *memo[STATES_MODES]; /* (complexes of the sheet) 1 + compound */
    uint8_t *ways;                /* (complexes) paths of a complex selector; 0: unknown */
    struct final_item {
        uint32_t rule, specificity, complex, compound, need, child;
    } * finals;
    uint32_t final_count, final_room, source_room;
} compiler;

static uint32_t local_compound(compiler *c, uint32_t complex, states_mode mode);

/* ---- predicates ---- */

/* Number of a predicate by what tells it from others, and whether it is new. */
static uint32_t predicate_of(compiler *c, const uint32_t *identity, uint32_t count, bool *is_new)
{
    uint32_t known = css_interned(&c->identities);
    uint32_t number = css_intern(&c->identities, &c->work, identity, count, c->error);
    *is_new = !hed_failed(c->error) && number == known;
    return hed_failed(c->error) ? 0 : number;
}

static void predicate_add(compiler *c, uint32_t kind, uint32_t x, uint32_t y, uint32_t z)
{
    const uint32_t words[CSS_P_WORDS] = {kind, x, y, z};
    for (int i = 0; i < CSS_P_WORDS; i++)
        css_push(&c->out->predicate, c->arena, words[i], c->error);
    css_push(&c->out->sweep, c->arena, 0, c->error);
    css_push(&c->out->early, c->arena, 0, c->error);
}

static void key_add(compiler *c, uint32_t kind, uint32_t name, uint32_t predicate)
{
    uint32_t code = css_key_code(kind, name);
    css_push(&c->key_pairs, &c->work, css_intern(&c->keys, &c->work, &code, 1, c->error), c->error);
    css_push(&c->key_pairs, &c->work, predicate, c->error);
}

static uint32_t simple_predicate(compiler *c, const css_simple *s)
{
    static const uint32_t kinds[] = {[CSS_TYPE] = CSS_P_TYPE,
        [CSS_CLASS] = CSS_P_CLASS,
        [CSS_ID] = CSS_P_ID,
        [CSS_UNIVERSAL] = CSS_P_SPACE,
        [CSS_FLAG] = CSS_P_FLAG,
        [CSS_STATE] = CSS_P_STATE,
        [CSS_NTH] = CSS_P_POSITION,
        [CSS_ATTRIBUTE] = CSS_P_FACT};
    bool named = s->kind == CSS_TYPE || s->kind == CSS_CLASS || s->kind == CSS_ID, is_new;
    const uint32_t identity[] = {kinds[s->kind], named || s->kind == CSS_ATTRIBUTE ? s->name : 0,
        s->kind == CSS_CLASS || s->kind == CSS_ID ? 0 : s->name_space, s->bits, s->negated,
        s->operation, s->letter_case, s->kind == CSS_ATTRIBUTE ? s->value : 0, (uint32_t)s->a,
        (uint32_t)s->b};
    uint32_t p = predicate_of(c, identity, HED_COUNT(identity), &is_new);
    if (!is_new) return p;
    switch (s->kind) {
    case CSS_TYPE:
    case CSS_UNIVERSAL: predicate_add(c, kinds[s->kind], s->name_space, 0, 0); break;
    case CSS_ID: predicate_add(c, CSS_P_ID, s->name, s->lower, 0); break;
    case CSS_FLAG:
    case CSS_STATE: predicate_add(c, kinds[s->kind], s->bits, s->negated, 0); break;
    case CSS_NTH:
        predicate_add(c, CSS_P_POSITION, s->operation, (uint32_t)s->a, (uint32_t)s->b);
        break;
    default: predicate_add(c, kinds[s->kind], 0, 0, 0);
    }
    if (s->kind == CSS_TYPE) {
        key_add(c, CSS_KEY_TYPE, s->name, p);
        key_add(c, CSS_KEY_TYPE_HTML, s->lower, p);
    } else if (s->kind == CSS_CLASS) {
        key_add(c, CSS_KEY_CLASS, s->name, p);
        if (c->quirks) key_add(c, CSS_KEY_CLASS_QUIRKS, s->lower, p);
    } else if (s->kind == CSS_UNIVERSAL || s->kind == CSS_FLAG || s->kind == CSS_STATE)
        css_push(&c->out->always, c->arena, p, c->error);
    return p;
}

static uint32_t language_predicate(compiler *c, const css_simple *s)
{
    bool is_new;
    uint32_t base = c->scratch.count;
    css_push(&c->scratch, &c->work, ~(uint32_t)CSS_P_FACT, c->error);
    for (uint32_t i = 0; i < s->count; i++)
        css_push(&c->scratch, &c->work, c->sheet->words[s->value + i], c->error);
    if (hed_failed(c->error)) return 0;
    uint32_t p = predicate_of(c, c->scratch.items + base, c->scratch.count - base, &is_new);
    c->scratch.count = base;
    if (is_new) predicate_add(c, CSS_P_FACT, 0, 0, 0);
    return p;
}

/* Remembers where the newest predicate comes from. */
static uint32_t fact_predicate(compiler *c, const css_simple *s)
{
    uint32_t before = c->out->sweep.count;
    uint32_t p = s->kind == CSS_LANG ? language_predicate(c, s) : simple_predicate(c, s);
    if (c->out->sweep.count == before || hed_failed(c->error)) return p;
    if (c->source_room <= p) {
        uint32_t room = 2 * p + 256;
        css_fact_source *more = hed_arena_new(c->arena, room, sizeof *more, c->error);
        if (!more) return p;
        if (c->source_room) memcpy(more, c->out->source, c->source_room * sizeof *more);
        c->out->source = more;
        c->source_room = room;
    }
    c->out->source[p] = (css_fact_source){c->sheet, s};
    return p;
}

static int ascending(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Number of the feed that compounds ids[base ...] make; takes them off the stack. */
static uint32_t feed_of(compiler *c, uint32_t base)
{
    css_list *ids = &c->ids;
    uint32_t kept = base, ready = 0, stage = 0;
    if (ids->count > base + 1)
        qsort(ids->items + base, ids->count - base, sizeof(uint32_t), ascending);
    for (uint32_t i = base; i < ids->count; i++) {
        uint32_t id = ids->items[i];
        if (kept > base && ids->items[kept - 1] == id) continue;
        ids->items[kept++] = id;
        if (c->ready.items[id] > ready) ready = c->ready.items[id];
        if (c->stage.items[id] > stage) stage = c->stage.items[id];
    }
    uint32_t known = css_feeds(c->out);
    uint32_t feed = css_intern(&c->out->feed, c->arena, ids->items + base, kept - base, c->error);
    ids->count = base;
    if (hed_failed(c->error)) return 0;
    if (feed == known) {
        css_push(&c->feed_ready, &c->work, ready, c->error);
        css_push(&c->out->feed_stage, c->arena, stage, c->error);
    }
    return feed;
}

static bool is_backward(uint32_t relation)
{
    return relation >= CSS_FROM_CHILD && relation <= CSS_FROM_LATER;
}

/* A RELATION or COUNT, and the sweep it is found in: the first of its direction in which its feed is
 * known. */
static uint32_t reading_predicate(
    compiler *c, const uint32_t identity[CSS_P_WORDS], uint32_t feed, bool backward, bool self)
{
    bool is_new;
    uint32_t p = predicate_of(c, identity, CSS_P_WORDS, &is_new);
    if (!is_new) return p;
    predicate_add(c, identity[0], identity[1], identity[2], identity[3]);
    if (hed_failed(c->error)) return 0;
    uint32_t sweep = c->feed_ready.items[feed];
    if (!self && (sweep & 1) != backward) sweep++;
    c->out->sweep.items[p] = sweep;
    return p;
}

static uint32_t relation_predicate(compiler *c, uint32_t relation, uint32_t base)
{
    uint32_t feed = feed_of(c, base);
    if (hed_failed(c->error)) return 0;
    const uint32_t identity[CSS_P_WORDS] = {CSS_P_RELATION, relation, feed, 0};
    return reading_predicate(c, identity, feed, is_backward(relation), relation == CSS_FROM_SELF);
}

/* ---- compounds ---- */

static void push_literal(compiler *c, uint32_t literal)
{
    css_push(&c->scratch, &c->work, literal | CSS_LAST_OF_CLAUSE, c->error);
}

/* How good a clause is to find a compound by: least is best; 4: not at all. */
static uint32_t clause_rank(const compiler *c, const uint32_t *clause, uint32_t count)
{
    uint32_t worst = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t l = clause[i] & ~CSS_LAST_OF_CLAUSE, rank = 4;
        if (!(l & 1)) {
            uint32_t kind = c->out->predicate.items[(l >> 1) * CSS_P_WORDS];
            rank = kind == CSS_P_ID      ? 0
                   : kind == CSS_P_CLASS ? 1
                   : kind == CSS_P_FACT  ? 2
                   : kind == CSS_P_TYPE  ? 3
                                         : 4;
        }
        if (rank > worst) worst = rank;
    }
    return worst;
}

static uint32_t clause_end(const uint32_t *literals, uint32_t at)
{
    while (!(literals[at] & CSS_LAST_OF_CLAUSE)) at++;
    return at + 1;
}

static int clause_compare(const uint32_t *a, uint32_t a_count, const uint32_t *b, uint32_t b_count)
{
    for (uint32_t i = 0; i < a_count && i < b_count; i++)
        if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
    return (a_count > b_count) - (a_count < b_count);
}

/* Sorts literals of a clause, each once; gives how many, 0 where it always holds. */
static uint32_t clause_sort(uint32_t *clause, uint32_t count)
{
    uint32_t kept = 0;
    clause[count - 1] &= ~CSS_LAST_OF_CLAUSE;
    if (count > 1) qsort(clause, count, sizeof *clause, ascending);
    for (uint32_t i = 0; i < count; i++) {
        if (kept && clause[kept - 1] == clause[i]) continue;
        if (kept && (clause[kept - 1] ^ clause[i]) == 1) return 0;
        clause[kept++] = clause[i];
    }
    clause[kept - 1] |= CSS_LAST_OF_CLAUSE;
    return kept;
}

/* The clauses from `base` on in one order: sorted, each once, the best to find it by first. False:
 * clauses exclude each other. */
static bool clauses_sort(compiler *c, uint32_t base)
{
    if (!css_list_room(&c->scratch, &c->work, 0, c->error)) return true;
    uint32_t *all = c->scratch.items + base, end = c->scratch.count - base, to = 0, clauses = 0;
    struct clause {
        uint32_t at, count;
    } sorted[CLAUSES_SORTED];
    for (uint32_t at = 0, next; at < end; at = next) {
        next = clause_end(all, at);
        uint32_t count = clause_sort(all + at, next - at);
        if (!count) continue;
        memmove(all + to, all + at, count * sizeof *all);
        if (clauses < CLAUSES_SORTED) sorted[clauses] = (struct clause){to, count};
        clauses++;
        to += count;
    }
    c->scratch.count = base + to;
    if (clauses > CLAUSES_SORTED || clauses < 2) return true;
    uint32_t kept = 0, best = 0, best_rank = 5;
    for (uint32_t i = 0; i < clauses; i++) {
        struct clause x = sorted[i];
        uint32_t at = kept;
        int order = -1;
        while (at && (order = clause_compare(
                          all + x.at, x.count, all + sorted[at - 1].at, sorted[at - 1].count)) < 0)
            at--;
        if (at && order == 0) continue;
        memmove(sorted + at + 1, sorted + at, (kept - at) * sizeof *sorted);
        sorted[at] = x;
        kept++;
    }
    for (uint32_t i = 0; i < kept; i++) {
        uint32_t rank = clause_rank(c, all + sorted[i].at, sorted[i].count);
        if (rank < best_rank) {
            best = i;
            best_rank = rank;
        }
        if (i && sorted[i].count == 1 && sorted[i - 1].count == 1 &&
            (all[sorted[i].at] ^ all[sorted[i - 1].at]) == 1)
            return false;
    }
    uint32_t from = c->scratch.count;
    if (!css_list_room(&c->scratch, &c->work, to, c->error)) return true;
    all = c->scratch.items;
    for (uint32_t i = 0; i < kept; i++) {
        struct clause x = sorted[i == 0 ? best : i - (i <= best)];
        memcpy(all + from, all + base + x.at, x.count * sizeof *all);
        from += x.count;
    }
    uint32_t total = from - c->scratch.count;
    memmove(all + base, all + c->scratch.count, total * sizeof *all);
    c->scratch.count = base + total;
    return true;
}

/* The compound of the clauses from `base` on, which come off the stack. */
static uint32_t compound_of(compiler *c, uint32_t base)
{
    if (hed_failed(c->error) || !clauses_sort(c, base)) {
        c->scratch.count = base;
        return NEVER;
    }
    uint32_t known = css_compounds(c->out), count = c->scratch.count - base;
    uint32_t number =
        css_intern(&c->out->compound, c->arena, c->scratch.items + base, count, c->error);
    uint32_t ready = 0, stage = 0;
    for (uint32_t i = base; number == known && i < base + count && !hed_failed(c->error); i++) {
        uint32_t p = (c->scratch.items[i] & ~CSS_LAST_OF_CLAUSE) >> 1;
        const uint32_t *words = c->out->predicate.items + p * CSS_P_WORDS;
        if (words[0] != CSS_P_RELATION && words[0] != CSS_P_COUNT) continue;
        bool self = words[0] == CSS_P_RELATION && words[1] == CSS_FROM_SELF;
        uint32_t feed = words[0] == CSS_P_RELATION ? words[2] : words[1] >> 1;
        uint32_t known_in = c->out->sweep.items[p] + self, s = 1 + c->out->feed_stage.items[feed];
        if (known_in > ready) ready = known_in;
        if (s > stage) stage = s;
    }
    c->scratch.count = base;
    if (number == known) {
        css_push(&c->ready, &c->work, ready, c->error);
        css_push(&c->stage, &c->work, stage, c->error);
    }
    return hed_failed(c->error) ? NEVER : number;
}

static const uint32_t *compound_literals(const compiler *c, uint32_t compound, uint32_t *count)
{
    const uint32_t *begin = c->out->compound.begin.items + compound;
    *count = begin[1] - begin[0];
    return c->out->compound.words.items + begin[0];
}

/* Pushes the clauses of a compound. */
static void push_compound(compiler *c, uint32_t compound)
{
    uint32_t count;
    compound_literals(c, compound, &count);
    if (!css_list_room(&c->scratch, &c->work, count, c->error)) return;
    const uint32_t *literals = compound_literals(c, compound, &count);
    if (count) memcpy(c->scratch.items + c->scratch.count, literals, count * sizeof *literals);
    c->scratch.count += count;
}

static void push_self(compiler *c, uint32_t base, uint32_t negated)
{
    push_literal(c, relation_predicate(c, CSS_FROM_SELF, base) << 1 | negated);
}

static uint32_t count_clauses(const uint32_t *literals, uint32_t count)
{
    uint32_t clauses = 0;
    for (uint32_t i = 0; i < count; i++) clauses += literals[i] >> 31;
    return clauses;
}

/* Pushes the OR of compounds ids[base ...]: each clause has one clause of each. */
static void push_or(compiler *c, uint32_t base)
{
    uint64_t clauses = 1, literals = 0;
    uint32_t count, n = c->ids.count - base;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t *l = compound_literals(c, c->ids.items[base + i], &count);
        uint32_t its = count_clauses(l, count);
        literals = literals * its + clauses * count;
        clauses *= its;
        if (clauses > CLAUSES_MOST || (clauses > 1 && literals > LITERALS_MOST)) {
            push_self(c, base, 0);
            return;
        }
    }
    for (uint32_t k = 0; k < clauses && !hed_failed(c->error); k++) {
        uint32_t digits = k;
        for (uint32_t i = 0; i < n; i++) {
            const uint32_t *l = compound_literals(c, c->ids.items[base + i], &count);
            uint32_t its = count_clauses(l, count), at = 0;
            for (uint32_t skip = digits % its; skip; skip--) at = clause_end(l, at);
            digits /= its;
            for (uint32_t end = clause_end(l, at); at < end; at++) {
                l = compound_literals(c, c->ids.items[base + i], &count);
                css_push(&c->scratch, &c->work, l[at] & ~CSS_LAST_OF_CLAUSE, c->error);
            }
        }
        if (!hed_failed(c->error)) c->scratch.items[c->scratch.count - 1] |= CSS_LAST_OF_CLAUSE;
    }
    c->ids.count = base;
}

/* Pushes that a compound does not hold: each clause has one literal of each of its clauses, negated. */
static void push_not(compiler *c, uint32_t compound)
{
    uint64_t clauses = 1;
    uint32_t count;
    const uint32_t *l = compound_literals(c, compound, &count);
    for (uint32_t at = 0, end; at < count && clauses <= CLAUSES_MOST; at = end) {
        end = clause_end(l, at);
        clauses *= end - at;
    }
    if (clauses > CLAUSES_MOST) {
        uint32_t base = c->ids.count;
        css_push(&c->ids, &c->work, compound, c->error);
        push_self(c, base, 1);
        return;
    }
    for (uint32_t k = 0; k < clauses && !hed_failed(c->error); k++) {
        uint32_t digits = k;
        for (uint32_t at = 0, end; at < count; at = end) {
            l = compound_literals(c, compound, &count);
            end = clause_end(l, at);
            uint32_t literal = l[at + digits % (end - at)] & ~CSS_LAST_OF_CLAUSE;
            digits /= end - at;
            css_push(&c->scratch, &c->work, literal ^ 1, c->error);
        }
        if (!hed_failed(c->error)) c->scratch.items[c->scratch.count - 1] |= CSS_LAST_OF_CLAUSE;
    }
}

/* Compounds of the complex selectors of a list onto the stack of ids, those that hold nowhere left out;
 * gives whether one of them always holds. */
static bool list_compounds(compiler *c, uint32_t list, uint32_t count, states_mode mode)
{
    bool always = false;
    for (uint32_t i = 0; i < count && !hed_failed(c->error); i++) {
        uint32_t compound = local_compound(c, list + i, mode), literals;
        if (compound == NEVER) continue;
        compound_literals(c, compound, &literals);
        always = always || literals == 0;
        css_push(&c->ids, &c->work, compound, c->error);
    }
    return always;
}

/* Pushes the clauses of an :is() or a :not(). False: it holds nowhere. */
static bool push_list(compiler *c, uint32_t list, uint32_t count, states_mode mode, bool negated)
{
    uint32_t base = c->ids.count;
    bool always = list_compounds(c, list, count, mode), holds = true;
    if (hed_failed(c->error)) return false;
    if (negated) {
        for (uint32_t i = base; i < c->ids.count && !always; i++) push_not(c, c->ids.items[i]);
        holds = !always;
    } else if (c->ids.count == base) holds = false;
    else if (!always) push_or(c, base);
    c->ids.count = base;
    return holds;
}

/* The clauses of one complex selector of :has(), from right to left; gives the predicate that asks for
 * the leftmost compound, CSS_NONE: there is none. */
static uint32_t has_predicate(compiler *c, uint32_t complex, states_mode mode);

/* Pushes a :has(): one of its selectors. */
static bool push_has(compiler *c, const css_simple *s, states_mode mode)
{
    uint32_t pushed = 0;
    for (uint32_t i = 0; i < s->count && !hed_failed(c->error); i++) {
        uint32_t p = has_predicate(c, s->list + i, mode);
        if (p == CSS_NONE) continue;
        css_push(&c->scratch, &c->work, p << 1, c->error);
        pushed++;
    }
    if (hed_failed(c->error) || !pushed) return false;
    c->scratch.items[c->scratch.count - 1] |= CSS_LAST_OF_CLAUSE;
    return true;
}

/* Pushes :nth-child(a n + b of S): S, and the count of those before. */
static bool push_nth_of(compiler *c, const css_simple *s, states_mode mode)
{
    if (!push_list(c, s->list, s->count, mode, false)) return false;
    uint32_t base = c->ids.count, last = s->operation == CSS_LAST_CHILD;
    list_compounds(c, s->list, s->count, mode);
    uint32_t feed = feed_of(c, base);
    if (hed_failed(c->error)) return false;
    const uint32_t identity[CSS_P_WORDS] = {
        CSS_P_COUNT, feed << 1 | last, (uint32_t)s->a, (uint32_t)s->b};
    push_literal(c, reading_predicate(c, identity, feed, last, false) << 1);
    return true;
}

/* Pushes the clauses of a compound selector but for simple selector `skip`. False: it holds nowhere. */
static bool push_compound_selector(
    compiler *c, const css_compound *compound, uint32_t skip, states_mode mode)
{
    for (uint32_t i = 0; i < compound->count && !hed_failed(c->error); i++) {
        const css_simple *s = &c->sheet->simples[compound->first + i];
        if (i == skip) continue;
        switch ((css_kind)s->kind) {
        case CSS_UNIVERSAL:
            if (s->name_space != CSS_NONE) push_literal(c, simple_predicate(c, s) << 1);
            break;
        case CSS_STATE:
            if (mode == STATES_DENIED) return false;
            if (mode == STATES_GIVEN) push_literal(c, simple_predicate(c, s) << 1);
            break;
        case CSS_NTH:
            if (!s->count) push_literal(c, simple_predicate(c, s) << 1);
            else if (!push_nth_of(c, s, mode)) return false;
            break;
        case CSS_ATTRIBUTE:
        case CSS_LANG: push_literal(c, fact_predicate(c, s) << 1); break;
        case CSS_IS:
            if (!push_list(c, s->list, s->count, mode, false)) return false;
            break;
        case CSS_NOT: {
            states_mode inside = mode == STATES_GIVEN     ? mode
                                 : mode == STATES_GRANTED ? STATES_DENIED
                                                          : STATES_GRANTED;
            if (!push_list(c, s->list, s->count, inside, true)) return false;
            break;
        }
        case CSS_HAS:
            if (!push_has(c, s, mode)) return false;
            break;
        case CSS_NEVER: return false;
        default: push_literal(c, simple_predicate(c, s) << 1);
        }
    }
    return !hed_failed(c->error);
}

static uint32_t has_predicate(compiler *c, uint32_t complex, states_mode mode)
{
    const css_complex *x = &c->sheet->complexes[complex];
    uint32_t p = CSS_NONE, base = c->scratch.count;
    for (uint32_t i = x->count; i-- > 0;) {
        const css_compound *compound = &c->sheet->compounds[x->first + i];
        bool holds = push_compound_selector(c, compound, CSS_NONE, mode);
        if (p != CSS_NONE) push_literal(c, p << 1);
        uint32_t number = holds ? compound_of(c, base) : NEVER, ids = c->ids.count;
        c->scratch.count = base;
        if (number == NEVER || hed_failed(c->error)) return CSS_NONE;
        css_push(&c->ids, &c->work, number, c->error);
        char k = compound->combinator;
        p = relation_predicate(c,
            k == '>'   ? CSS_FROM_CHILD
            : k == '+' ? CSS_FROM_NEXT
            : k == '~' ? CSS_FROM_LATER
                       : CSS_FROM_DESCENDANT,
            ids);
    }
    return p;
}

/* The compound that says all that a complex selector does, as a literal of the element it ends on. */
static uint32_t local_compound(compiler *c, uint32_t complex, states_mode mode)
{
    if (hed_failed(c->error)) return NEVER;
    if (c->memo[mode][complex]) return c->memo[mode][complex] - 1;
    const css_complex *x = &c->sheet->complexes[complex];
    uint32_t base = c->scratch.count, run = NEVER;
    for (uint32_t i = 0; i < x->count; i++) {
        const css_compound *compound = &c->sheet->compounds[x->first + i];
        bool holds = push_compound_selector(c, compound, CSS_NONE, mode);
        if (i && holds) {
            uint32_t ids = c->ids.count;
            css_push(&c->ids, &c->work, run, c->error);
            char k = compound->combinator;
            push_literal(c, relation_predicate(c,
                                k == '>'   ? CSS_FROM_PARENT
                                : k == '+' ? CSS_FROM_PREVIOUS
                                : k == '~' ? CSS_FROM_EARLIER
                                           : CSS_FROM_ANCESTOR,
                                ids)
                                << 1);
        }
        run = holds ? compound_of(c, base) : NEVER;
        c->scratch.count = base;
        if (run == NEVER) break;
    }
    if (!hed_failed(c->error)) c->memo[mode][complex] = run + 1;
    return run;
}

/* ---- paths ---- */

static uint32_t count_ways(compiler *c, uint32_t complex);

/* The :is() at the left end of a complex selector that is worth splitting: some selector of it has ' '
 * or '>'. `ways`: how many there are then. CSS_NONE: none. */
static uint32_t split_at(compiler *c, uint32_t complex, uint32_t *ways)
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

static uint32_t count_ways(compiler *c, uint32_t complex)
{
    uint32_t ways = c->ways[complex];
    if (ways) return ways;
    split_at(c, complex, &ways);
    c->ways[complex] = (uint8_t)ways;
    return ways;
}

static void push_path(compiler *c, uint32_t compound, uint32_t need, uint32_t child)
{
    css_push(&c->paths, &c->work, compound, c->error);
    css_push(&c->paths, &c->work, need, c->error);
    css_push(&c->paths, &c->work, child, c->error);
}

/* The prefix that a path is; it is asked for in the parent or in an ancestor. */
static uint32_t node_of(compiler *c, const uint32_t *path, uint32_t child)
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

/* One compound selector further on all paths from `base` on. */
static void extend_paths(compiler *c, uint32_t base, const css_compound *compound, states_mode mode)
{
    char k = compound->combinator;
    uint32_t to = base, scratch = c->scratch.count;
    for (uint32_t at = base; at < c->paths.count && !hed_failed(c->error); at += 3) {
        uint32_t path[3];
        memcpy(path, c->paths.items + at, sizeof path);
        bool holds = push_compound_selector(c, compound, CSS_NONE, mode);
        if (holds && (k == '+' || k == '~')) {
            uint32_t ids = c->ids.count;
            css_push(&c->ids, &c->work, path[0], c->error);
            push_literal(c,
                relation_predicate(c, k == '+' ? CSS_FROM_PREVIOUS : CSS_FROM_EARLIER, ids) << 1);
        } else if (holds) {
            path[1] = node_of(c, path, k == '>');
            path[2] = k == '>';
        }
        path[0] = holds ? compound_of(c, scratch) : NEVER;
        c->scratch.count = scratch;
        if (path[0] == NEVER) continue;
        memcpy(c->paths.items + to, path, sizeof path);
        to += 3;
    }
    c->paths.count = to;
}

/* Pushes the paths of a complex selector: compound of its last run of siblings, and what that needs. */
static void push_paths(compiler *c, uint32_t complex, states_mode mode)
{
    const css_complex *x = &c->sheet->complexes[complex];
    const css_compound *first = &c->sheet->compounds[x->first];
    uint32_t base = c->paths.count, scratch = c->scratch.count, ways;
    uint32_t split = split_at(c, complex, &ways);
    if (split == CSS_NONE) {
        bool holds = push_compound_selector(c, first, CSS_NONE, mode);
        uint32_t compound = holds ? compound_of(c, scratch) : NEVER;
        if (compound != NEVER) push_path(c, compound, CSS_NONE, 0);
    } else {
        const css_simple *s = &c->sheet->simples[first->first + split];
        for (uint32_t i = 0; i < s->count && !hed_failed(c->error); i++)
            push_paths(c, s->list + i, mode);
        uint32_t to = base;
        for (uint32_t at = base; at < c->paths.count && !hed_failed(c->error); at += 3) {
            uint32_t path[3];
            memcpy(path, c->paths.items + at, sizeof path);
            push_compound(c, path[0]);
            bool holds = push_compound_selector(c, first, split, mode);
            path[0] = holds ? compound_of(c, scratch) : NEVER;
            c->scratch.count = scratch;
            if (path[0] == NEVER) continue;
            memcpy(c->paths.items + to, path, sizeof path);
            to += 3;
        }
        c->paths.count = to;
    }
    c->scratch.count = scratch;
    for (uint32_t i = 1; i < x->count && !hed_failed(c->error); i++)
        extend_paths(c, base, &c->sheet->compounds[x->first + i], mode);
}

static void add_finals(compiler *c, uint32_t rule, uint32_t complex, states_mode mode)
{
    push_paths(c, complex, mode);
    uint32_t count = c->paths.count / 3;
    if (c->final_count + count > c->final_room) {
        uint32_t room = 2 * (c->final_count + count) + 256;
        struct final_item *more = hed_arena_new(&c->work, room, sizeof *more, c->error);
        if (!more) return;
        if (c->final_count) memcpy(more, c->finals, c->final_count * sizeof *more);
        c->finals = more;
        c->final_room = room;
    }
    for (const uint32_t *p = c->paths.items; count-- && !hed_failed(c->error); p += 3)
        c->finals[c->final_count++] = (struct final_item){
            rule, c->sheet->complexes[complex].specificity, complex, p[0], p[1], p[2]};
    c->paths.count = 0;
}

static void compile_sheet(
    compiler *c, const hed_css_sheet *sheet, uint32_t first_rule, states_mode mode)
{
    c->sheet = sheet;
    for (int m = 0; m < STATES_MODES; m++)
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
static void gather(compiler *c, uint32_t rows, const uint32_t *pairs, uint32_t count,
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
    const struct final_item *x = a, *y = b;
    if (x->rule != y->rule) return x->rule < y->rule ? -1 : 1;
    if (x->specificity != y->specificity) return x->specificity > y->specificity ? -1 : 1;
    return (x->complex > y->complex) - (x->complex < y->complex);
}

static void push_pair(compiler *c, css_list *pairs, uint32_t row, uint32_t value)
{
    css_push(pairs, &c->work, row, c->error);
    css_push(pairs, &c->work, value, c->error);
}

static void make_acts(compiler *c)
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
        const struct final_item *f = &c->finals[i];
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

static void make_buckets(compiler *c)
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
        const uint32_t *l = compound_literals(c, k, &count);
        uint32_t end = count ? clause_end(l, 0) : 0;
        if (!count || clause_rank(c, l, end) == 4) {
            css_push(&out->universal, c->arena, k, c->error);
            continue;
        }
        for (uint32_t i = 0; i < end; i++)
            push_pair(c, &pairs, (l[i] & ~CSS_LAST_OF_CLAUSE) >> 1, k);
    }
    if (hed_failed(c->error)) return;
    gather(c, out->predicates, pairs.items, pairs.count / 2, &out->bucket_begin, &out->bucket);
}

static void make_keys(compiler *c)
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
    compiler c = {.out = out, .arena = arena, .error = error, .quirks = quirks, .without = without};
    c.work = (hed_arena){.allocator = arena->allocator, .owner = "the compilation of sheets"};
    *out = (css_compiled){0};
    if (css_interner_make(&c.identities, &c.work, error) &&
        css_interner_make(&c.keys, &c.work, error) && css_interner_make(&c.nodes, &c.work, error) &&
        css_interner_make(&out->compound, arena, error))
        css_interner_make(&out->feed, arena, error);
    for (uint32_t s = 0; s < sheet_count && !hed_failed(error); s++) {
        compile_sheet(&c, sheets[s], out->rules, possible ? STATES_GRANTED : STATES_GIVEN);
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
