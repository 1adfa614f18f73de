/* Compounds of predicates, see kernels/tables.h. They are brought into one order, so that equal ones have
 * one number; nested selectors are compiled once each (memo), as `&` shares them. */
#include "solver/compiler.h"

#include <stdlib.h>
#include <string.h>

/* An OR of ANDs is multiplied out up to so many clauses and literals; beyond, it feeds CSS_FROM_SELF. */
enum { CLAUSES_MOST = 64, LITERALS_MOST = 4096 };
/* Clauses are sorted up to so many. */
enum { CLAUSES_SORTED = 256 };

static uint32_t local_compound(css_compiler *c, uint32_t complex, css_states_mode mode);

/* ---- predicates ---- */

/* Number of a predicate by what tells it from others, and whether it is new. */
static uint32_t predicate_of(
    css_compiler *c, const uint32_t *identity, uint32_t count, bool *is_new)
{
    uint32_t known = css_interned(&c->identities);
    uint32_t number = css_intern(&c->identities, &c->work, identity, count, c->error);
    *is_new = !hed_failed(c->error) && number == known;
    return hed_failed(c->error) ? 0 : number;
}

static void predicate_add(css_compiler *c, uint32_t kind, uint32_t x, uint32_t y, uint32_t z)
{
    const uint32_t words[CSS_P_WORDS] = {kind, x, y, z};
    for (int i = 0; i < CSS_P_WORDS; i++)
        css_push(&c->out->predicate, c->arena, words[i], c->error);
    css_push(&c->out->sweep, c->arena, 0, c->error);
    css_push(&c->out->early, c->arena, 0, c->error);
}

static void key_add(css_compiler *c, uint32_t kind, uint32_t name, uint32_t predicate)
{
    uint32_t code = css_key_code(kind, name);
    css_push(&c->key_pairs, &c->work, css_intern(&c->keys, &c->work, &code, 1, c->error), c->error);
    css_push(&c->key_pairs, &c->work, predicate, c->error);
}

static uint32_t simple_predicate(css_compiler *c, const css_simple *s)
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

static uint32_t language_predicate(css_compiler *c, const css_simple *s)
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
static uint32_t fact_predicate(css_compiler *c, const css_simple *s)
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
static uint32_t feed_of(css_compiler *c, uint32_t base)
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
    css_compiler *c, const uint32_t identity[CSS_P_WORDS], uint32_t feed, bool backward, bool self)
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

uint32_t css_relation_predicate(css_compiler *c, uint32_t relation, uint32_t base)
{
    uint32_t feed = feed_of(c, base);
    if (hed_failed(c->error)) return 0;
    const uint32_t identity[CSS_P_WORDS] = {CSS_P_RELATION, relation, feed, 0};
    return reading_predicate(c, identity, feed, is_backward(relation), relation == CSS_FROM_SELF);
}

/* ---- compounds ---- */

void css_push_literal(css_compiler *c, uint32_t literal)
{
    css_push(&c->scratch, &c->work, literal | CSS_LAST_OF_CLAUSE, c->error);
}

uint32_t css_clause_rank(const css_compiler *c, const uint32_t *clause, uint32_t count)
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
static bool clauses_sort(css_compiler *c, uint32_t base)
{
    if (!css_list_room(&c->scratch, &c->work, 0, c->error)) return true;
    uint32_t *all = c->scratch.items + base, end = c->scratch.count - base, to = 0, clauses = 0;
    struct clause {
        uint32_t at, count;
    } sorted[CLAUSES_SORTED];
    for (uint32_t at = 0, next; at < end; at = next) {
        next = css_clause_end(all, at);
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
        uint32_t rank = css_clause_rank(c, all + sorted[i].at, sorted[i].count);
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

uint32_t css_compound_of(css_compiler *c, uint32_t base)
{
    if (hed_failed(c->error) || !clauses_sort(c, base)) {
        c->scratch.count = base;
        return CSS_NOWHERE;
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
    return hed_failed(c->error) ? CSS_NOWHERE : number;
}

const uint32_t *css_compound_literals(const css_compiler *c, uint32_t compound, uint32_t *count)
{
    const uint32_t *begin = c->out->compound.begin.items + compound;
    *count = begin[1] - begin[0];
    return c->out->compound.words.items + begin[0];
}

void css_push_compound(css_compiler *c, uint32_t compound)
{
    uint32_t count;
    css_compound_literals(c, compound, &count);
    if (!css_list_room(&c->scratch, &c->work, count, c->error)) return;
    const uint32_t *literals = css_compound_literals(c, compound, &count);
    if (count) memcpy(c->scratch.items + c->scratch.count, literals, count * sizeof *literals);
    c->scratch.count += count;
}

static void push_self(css_compiler *c, uint32_t base, uint32_t negated)
{
    css_push_literal(c, css_relation_predicate(c, CSS_FROM_SELF, base) << 1 | negated);
}

static uint32_t count_clauses(const uint32_t *literals, uint32_t count)
{
    uint32_t clauses = 0;
    for (uint32_t i = 0; i < count; i++) clauses += literals[i] >> 31;
    return clauses;
}

/* Pushes the OR of compounds ids[base ...]: each clause has one clause of each. */
static void push_or(css_compiler *c, uint32_t base)
{
    uint64_t clauses = 1, literals = 0;
    uint32_t count, n = c->ids.count - base;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t *l = css_compound_literals(c, c->ids.items[base + i], &count);
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
            const uint32_t *l = css_compound_literals(c, c->ids.items[base + i], &count);
            uint32_t its = count_clauses(l, count), at = 0;
            for (uint32_t skip = digits % its; skip; skip--) at = css_clause_end(l, at);
            digits /= its;
            for (uint32_t end = css_clause_end(l, at); at < end; at++) {
                l = css_compound_literals(c, c->ids.items[base + i], &count);
                css_push(&c->scratch, &c->work, l[at] & ~CSS_LAST_OF_CLAUSE, c->error);
            }
        }
        if (!hed_failed(c->error)) c->scratch.items[c->scratch.count - 1] |= CSS_LAST_OF_CLAUSE;
    }
    c->ids.count = base;
}

/* Pushes that a compound does not hold: each clause has one literal of each of its clauses, negated. */
static void push_not(css_compiler *c, uint32_t compound)
{
    uint64_t clauses = 1;
    uint32_t count;
    const uint32_t *l = css_compound_literals(c, compound, &count);
    for (uint32_t at = 0, end; at < count && clauses <= CLAUSES_MOST; at = end) {
        end = css_clause_end(l, at);
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
            l = css_compound_literals(c, compound, &count);
            end = css_clause_end(l, at);
            uint32_t literal = l[at + digits % (end - at)] & ~CSS_LAST_OF_CLAUSE;
            digits /= end - at;
            css_push(&c->scratch, &c->work, literal ^ 1, c->error);
        }
        if (!hed_failed(c->error)) c->scratch.items[c->scratch.count - 1] |= CSS_LAST_OF_CLAUSE;
    }
}

/* Compounds of the complex selectors of a list onto the stack of ids, those that hold nowhere left out;
 * gives whether one of them always holds. */
static bool list_compounds(css_compiler *c, uint32_t list, uint32_t count, css_states_mode mode)
{
    bool always = false;
    for (uint32_t i = 0; i < count && !hed_failed(c->error); i++) {
        uint32_t compound = local_compound(c, list + i, mode), literals;
        if (compound == CSS_NOWHERE) continue;
        css_compound_literals(c, compound, &literals);
        always = always || literals == 0;
        css_push(&c->ids, &c->work, compound, c->error);
    }
    return always;
}

/* Pushes the clauses of an :is() or a :not(). False: it holds nowhere. */
static bool push_list(
    css_compiler *c, uint32_t list, uint32_t count, css_states_mode mode, bool negated)
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
static uint32_t has_predicate(css_compiler *c, uint32_t complex, css_states_mode mode);

/* Pushes a :has(): one of its selectors. */
static bool push_has(css_compiler *c, const css_simple *s, css_states_mode mode)
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
static bool push_nth_of(css_compiler *c, const css_simple *s, css_states_mode mode)
{
    if (!push_list(c, s->list, s->count, mode, false)) return false;
    uint32_t base = c->ids.count, last = s->operation == CSS_LAST_CHILD;
    list_compounds(c, s->list, s->count, mode);
    uint32_t feed = feed_of(c, base);
    if (hed_failed(c->error)) return false;
    const uint32_t identity[CSS_P_WORDS] = {
        CSS_P_COUNT, feed << 1 | last, (uint32_t)s->a, (uint32_t)s->b};
    css_push_literal(c, reading_predicate(c, identity, feed, last, false) << 1);
    return true;
}

bool css_push_compound_selector(
    css_compiler *c, const css_compound *compound, uint32_t skip, css_states_mode mode)
{
    for (uint32_t i = 0; i < compound->count && !hed_failed(c->error); i++) {
        const css_simple *s = &c->sheet->simples[compound->first + i];
        if (i == skip) continue;
        switch ((css_kind)s->kind) {
        case CSS_UNIVERSAL:
            if (s->name_space != CSS_NONE) css_push_literal(c, simple_predicate(c, s) << 1);
            break;
        case CSS_STATE:
            if (mode == CSS_STATES_DENIED) return false;
            if (mode == CSS_STATES_GIVEN) css_push_literal(c, simple_predicate(c, s) << 1);
            break;
        case CSS_NTH:
            if (!s->count) css_push_literal(c, simple_predicate(c, s) << 1);
            else if (!push_nth_of(c, s, mode)) return false;
            break;
        case CSS_ATTRIBUTE:
        case CSS_LANG: css_push_literal(c, fact_predicate(c, s) << 1); break;
        case CSS_IS:
            if (!push_list(c, s->list, s->count, mode, false)) return false;
            break;
        case CSS_NOT: {
            css_states_mode inside = mode == CSS_STATES_GIVEN     ? mode
                                     : mode == CSS_STATES_GRANTED ? CSS_STATES_DENIED
                                                                  : CSS_STATES_GRANTED;
            if (!push_list(c, s->list, s->count, inside, true)) return false;
            break;
        }
        case CSS_HAS:
            if (!push_has(c, s, mode)) return false;
            break;
        case CSS_NEVER: return false;
        default: css_push_literal(c, simple_predicate(c, s) << 1);
        }
    }
    return !hed_failed(c->error);
}

static uint32_t has_predicate(css_compiler *c, uint32_t complex, css_states_mode mode)
{
    const css_complex *x = &c->sheet->complexes[complex];
    uint32_t p = CSS_NONE, base = c->scratch.count;
    for (uint32_t i = x->count; i-- > 0;) {
        const css_compound *compound = &c->sheet->compounds[x->first + i];
        bool holds = css_push_compound_selector(c, compound, CSS_NONE, mode);
        if (p != CSS_NONE) css_push_literal(c, p << 1);
        uint32_t number = holds ? css_compound_of(c, base) : CSS_NOWHERE, ids = c->ids.count;
        c->scratch.count = base;
        if (number == CSS_NOWHERE || hed_failed(c->error)) return CSS_NONE;
        css_push(&c->ids, &c->work, number, c->error);
        char k = compound->combinator;
        p = css_relation_predicate(c,
            k == '>'   ? CSS_FROM_CHILD
            : k == '+' ? CSS_FROM_NEXT
            : k == '~' ? CSS_FROM_LATER
                       : CSS_FROM_DESCENDANT,
            ids);
    }
    return p;
}

/* The compound that says all that a complex selector does, as a literal of the element it ends on. */
static uint32_t local_compound(css_compiler *c, uint32_t complex, css_states_mode mode)
{
    if (hed_failed(c->error)) return CSS_NOWHERE;
    if (c->memo[mode][complex]) return c->memo[mode][complex] - 1;
    const css_complex *x = &c->sheet->complexes[complex];
    uint32_t base = c->scratch.count, run = CSS_NOWHERE;
    for (uint32_t i = 0; i < x->count; i++) {
        const css_compound *compound = &c->sheet->compounds[x->first + i];
        bool holds = css_push_compound_selector(c, compound, CSS_NONE, mode);
        if (i && holds) {
            uint32_t ids = c->ids.count;
            css_push(&c->ids, &c->work, run, c->error);
            char k = compound->combinator;
            css_push_literal(c, css_relation_predicate(c,
                                    k == '>'   ? CSS_FROM_PARENT
                                    : k == '+' ? CSS_FROM_PREVIOUS
                                    : k == '~' ? CSS_FROM_EARLIER
                                               : CSS_FROM_ANCESTOR,
                                    ids)
                                    << 1);
        }
        run = holds ? css_compound_of(c, base) : CSS_NOWHERE;
        c->scratch.count = base;
        if (run == CSS_NOWHERE) break;
    }
    if (!hed_failed(c->error)) c->memo[mode][complex] = run + 1;
    return run;
}
