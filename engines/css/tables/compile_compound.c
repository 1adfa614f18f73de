/* Compounds of predicates, see kernels/tables.h. Their clauses are sorted, so that equal compounds
 * have one number; each nested selector is compiled once (memo), as `&` shares them. */
#include "tables/compiler.h"

#include <stdlib.h>
#include <string.h>

/* Limits of an OR of ANDs that is multiplied out; a larger one becomes a relation CSS_FROM_SELF. */
enum { MAX_CLAUSES = 64, MAX_LITERALS = 4096 };
/* Greatest number of clauses that are sorted. */
enum { MAX_SORTED_CLAUSES = 256 };

/* ---- predicates ---- */

/* Number of a predicate by the words that identify it; *is_new: it has no entry yet. */
static uint32_t predicate_of(
    css_compiler *c, const uint32_t *identity, uint32_t count, bool *is_new)
{
    uint32_t total = css_interned(&c->identities);
    uint32_t number = css_intern(&c->identities, &c->work, identity, count, c->error);
    *is_new = !hed_failed(c->error) && number == total;
    return hed_failed(c->error) ? 0 : number;
}

static void predicate_add(css_compiler *c, css_predicate predicate)
{
    CSS_PUSH(&c->out->predicate, c->arena, c->error, predicate);
    CSS_PUSH(&c->out->schedule, c->arena, c->error, (css_schedule){0});
    CSS_PUSH(&c->out->source, c->arena, c->error, (css_fact_source){0});
}

static void key_add(css_compiler *c, uint32_t kind, uint32_t name, uint32_t predicate)
{
    uint32_t code = css_key_code(kind, name);
    uint32_t key = css_intern(&c->keys, &c->work, &code, 1, c->error);
    CSS_PUSH(&c->key_pairs, &c->work, c->error, (css_pair){key, predicate});
}

/* Adds the names of SVG that differ from a type selector in case. */
static void add_foreign_keys(css_compiler *c, const css_simple *s, uint32_t predicate)
{
    const hed_css_names *names = c->sheet->names;
    const char *tag = css_svg_tag(hed_css_names_text(names, s->lower, NULL));
    uint32_t adjusted = tag ? css_name_find(names, tag, strlen(tag)) : CSS_NONE;
    if (s->lower != s->name) key_add(c, CSS_KEY_TYPE, s->lower, predicate);
    if (adjusted != CSS_NONE && adjusted != s->name) key_add(c, CSS_KEY_TYPE, adjusted, predicate);
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
        (uint32_t)s->b, s->any_case};
    uint32_t p = predicate_of(c, identity, HED_COUNT(identity), &is_new);
    if (!is_new) return p;
    css_predicate predicate = {.kind = kinds[s->kind]};
    if (s->kind == CSS_TYPE || s->kind == CSS_UNIVERSAL) predicate.of.name_space = s->name_space;
    if (s->kind == CSS_ID) predicate.of.id.exact = s->name, predicate.of.id.lower = s->lower;
    if (s->kind == CSS_FLAG || s->kind == CSS_STATE) {
        predicate.of.mask.bits = s->bits;
        predicate.of.mask.negated = s->negated;
    }
    if (s->kind == CSS_NTH) {
        predicate.of.position.axis = s->operation;
        predicate.of.position.a = (uint32_t)s->a;
        predicate.of.position.b = (uint32_t)s->b;
    }
    predicate_add(c, predicate);
    if (s->kind == CSS_TYPE) {
        key_add(c, CSS_KEY_TYPE, s->name, p);
        key_add(c, CSS_KEY_TYPE_HTML, s->lower, p);
        if (s->any_case) add_foreign_keys(c, s, p);
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
    if (!is_new) return p;
    predicate_add(c, (css_predicate){.kind = CSS_P_FACT});
    if (!hed_failed(c->error)) c->out->source.items[p] = (css_fact_source){c->sheet, s};
    return p;
}

/* Predicate of a type or attribute: with states granted, all that some browser matches. */
static uint32_t named_predicate(css_compiler *c, const css_simple *s, css_states_mode mode)
{
    css_simple any_case = *s;
    any_case.any_case = mode == CSS_STATES_GRANTED;
    uint32_t total = c->out->predicate.count, p = simple_predicate(c, &any_case);
    if (s->kind == CSS_TYPE) return p;
    if (c->out->predicate.count == total || hed_failed(c->error)) return p;
    css_simple *source = hed_arena_new(c->arena, 1, sizeof *source, c->error);
    if (!source) return p;
    *source = any_case;
    c->out->source.items[p] = (css_fact_source){c->sheet, source};
    return p;
}

static int ascending(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Raises the order of a compound or dependency to that of one that it reads. */
static void raise_order(css_order *order, css_order read)
{
    if (read.sweep > order->sweep) order->sweep = read.sweep;
    if (read.stage > order->stage) order->stage = read.stage;
}

/* Pops compounds ids[base ...]; returns the number of their dependency. */
static uint32_t dependency_of(css_compiler *c, uint32_t base)
{
    css_list *ids = &c->ids;
    uint32_t end = base;
    css_order order = {0};
    if (ids->count > base + 1)
        qsort(ids->items + base, ids->count - base, sizeof(uint32_t), ascending);
    for (uint32_t i = base; i < ids->count; i++) {
        uint32_t id = ids->items[i];
        if (end > base && ids->items[end - 1] == id) continue;
        ids->items[end++] = id;
        raise_order(&order, c->compound_order.items[id]);
    }
    uint32_t total = css_dependencies(c->out);
    uint32_t number =
        css_intern(&c->out->dependency, c->arena, ids->items + base, end - base, c->error);
    ids->count = base;
    if (hed_failed(c->error)) return 0;
    if (number == total) {
        css_push(&c->dependency_sweep, &c->work, order.sweep, c->error);
        css_push(&c->out->dependency_stage, c->arena, order.stage, c->error);
    }
    return number;
}

static bool is_backward(uint32_t relation)
{
    return relation >= CSS_FROM_CHILD && relation <= CSS_FROM_LATER;
}

/* Number of a RELATION or COUNT. Its sweep is the first of its direction after which its dependency
 * is known; a relation CSS_FROM_SELF needs no direction. */
static uint32_t reading_predicate(
    css_compiler *c, css_predicate predicate, bool backward, bool from_self)
{
    bool is_new;
    uint32_t p = predicate_of(c, CSS_WORDS(predicate), &is_new);
    if (!is_new) return p;
    predicate_add(c, predicate);
    if (hed_failed(c->error)) return 0;
    uint32_t sweep = c->dependency_sweep.items[css_dependency_of(&predicate)];
    if (!from_self && (sweep & 1) != backward) sweep++;
    c->out->schedule.items[p].sweep = sweep;
    return p;
}

uint32_t css_relation_predicate(css_compiler *c, uint32_t relation, uint32_t base)
{
    css_predicate predicate = {.kind = CSS_P_RELATION};
    predicate.of.relation.dependency = dependency_of(c, base);
    predicate.of.relation.relation = relation;
    if (hed_failed(c->error)) return 0;
    return reading_predicate(c, predicate, is_backward(relation), relation == CSS_FROM_SELF);
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
            uint32_t kind = c->out->predicate.items[l >> 1].kind;
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

/* Sorts the literals of a clause, without repetitions. Returns their number; 0: the clause always
 * holds. */
static uint32_t clause_sort(uint32_t *clause, uint32_t count)
{
    uint32_t distinct = 0;
    clause[count - 1] &= ~CSS_LAST_OF_CLAUSE;
    if (count > 1) qsort(clause, count, sizeof *clause, ascending);
    for (uint32_t i = 0; i < count; i++) {
        if (distinct && clause[distinct - 1] == clause[i]) continue;
        if (distinct && (clause[distinct - 1] ^ clause[i]) == 1) return 0;
        clause[distinct++] = clause[i];
    }
    clause[distinct - 1] |= CSS_LAST_OF_CLAUSE;
    return distinct;
}

/* Sorts the clauses from `base` on, without repetitions, and moves the clause of the best rank to
 * the front. False: clauses exclude each other. */
static bool clauses_sort(css_compiler *c, uint32_t base)
{
    if (!css_list_room(&c->scratch, &c->work, 0, c->error)) return true;
    uint32_t *literals = c->scratch.items + base, end = c->scratch.count - base, to = 0,
             clauses = 0;
    struct clause {
        uint32_t at, count;
    } sorted[MAX_SORTED_CLAUSES];
    for (uint32_t at = 0, next; at < end; at = next) {
        next = css_clause_end(literals, at);
        uint32_t count = clause_sort(literals + at, next - at);
        if (!count) continue;
        memmove(literals + to, literals + at, count * sizeof *literals);
        if (clauses < MAX_SORTED_CLAUSES) sorted[clauses] = (struct clause){to, count};
        clauses++;
        to += count;
    }
    c->scratch.count = base + to;
    if (clauses > MAX_SORTED_CLAUSES || clauses < 2) return true;
    uint32_t distinct = 0, best = 0, best_rank = 5;
    for (uint32_t i = 0; i < clauses; i++) {
        struct clause x = sorted[i];
        uint32_t at = distinct;
        int order = -1;
        while (at && (order = clause_compare(literals + x.at, x.count, literals + sorted[at - 1].at,
                          sorted[at - 1].count)) < 0)
            at--;
        if (at && order == 0) continue;
        memmove(sorted + at + 1, sorted + at, (distinct - at) * sizeof *sorted);
        sorted[at] = x;
        distinct++;
    }
    for (uint32_t i = 0; i < distinct; i++) {
        uint32_t rank = css_clause_rank(c, literals + sorted[i].at, sorted[i].count);
        if (rank < best_rank) {
            best = i;
            best_rank = rank;
        }
        if (i && sorted[i].count == 1 && sorted[i - 1].count == 1 &&
            (literals[sorted[i].at] ^ literals[sorted[i - 1].at]) == 1)
            return false;
    }
    uint32_t from = c->scratch.count;
    if (!css_list_room(&c->scratch, &c->work, to, c->error)) return true;
    literals = c->scratch.items;
    for (uint32_t i = 0; i < distinct; i++) {
        struct clause x = sorted[i == 0 ? best : i - (i <= best)];
        memcpy(literals + from, literals + base + x.at, x.count * sizeof *literals);
        from += x.count;
    }
    uint32_t total = from - c->scratch.count;
    memmove(literals + base, literals + c->scratch.count, total * sizeof *literals);
    c->scratch.count = base + total;
    return true;
}

uint32_t css_compound_of(css_compiler *c, uint32_t base)
{
    if (hed_failed(c->error) || !clauses_sort(c, base)) {
        c->scratch.count = base;
        return CSS_NOWHERE;
    }
    uint32_t total = css_compounds(c->out), count = c->scratch.count - base;
    uint32_t number =
        css_intern(&c->out->compound, c->arena, c->scratch.items + base, count, c->error);
    css_order order = {0};
    for (uint32_t i = base; number == total && i < base + count && !hed_failed(c->error); i++) {
        uint32_t p = css_predicate_of(c->scratch.items[i]);
        const css_predicate *x = &c->out->predicate.items[p];
        if (!css_reads_dependency(x->kind)) continue;
        bool from_self = x->kind == CSS_P_RELATION && x->of.relation.relation == CSS_FROM_SELF;
        raise_order(&order, (css_order){c->out->schedule.items[p].sweep + from_self,
                                1 + c->out->dependency_stage.items[css_dependency_of(x)]});
    }
    c->scratch.count = base;
    if (number == total) CSS_PUSH(&c->compound_order, &c->work, c->error, order);
    return hed_failed(c->error) ? CSS_NOWHERE : number;
}

const uint32_t *css_compound_literals(const css_compiler *c, uint32_t compound, uint32_t *count)
{
    css_span literals = css_sequence(&c->out->compound, compound);
    *count = literals.end - literals.begin;
    return c->out->compound.words.items + literals.begin;
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

/* Pushes the OR of compounds ids[base ...]: the product of their clauses. */
static void push_or(css_compiler *c, uint32_t base)
{
    uint64_t clauses = 1, literals = 0;
    uint32_t count, n = c->ids.count - base;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t *l = css_compound_literals(c, c->ids.items[base + i], &count);
        uint32_t factor = count_clauses(l, count);
        literals = literals * factor + clauses * count;
        clauses *= factor;
        if (clauses > MAX_CLAUSES || (clauses > 1 && literals > MAX_LITERALS)) {
            push_self(c, base, 0);
            return;
        }
    }
    for (uint32_t k = 0; k < clauses && !hed_failed(c->error); k++) {
        uint32_t digits = k;
        for (uint32_t i = 0; i < n; i++) {
            const uint32_t *l = css_compound_literals(c, c->ids.items[base + i], &count);
            uint32_t factor = count_clauses(l, count), at = 0;
            for (uint32_t skip = digits % factor; skip; skip--) at = css_clause_end(l, at);
            digits /= factor;
            for (uint32_t end = css_clause_end(l, at); at < end; at++) {
                l = css_compound_literals(c, c->ids.items[base + i], &count);
                css_push(&c->scratch, &c->work, l[at] & ~CSS_LAST_OF_CLAUSE, c->error);
            }
        }
        if (!hed_failed(c->error)) c->scratch.items[c->scratch.count - 1] |= CSS_LAST_OF_CLAUSE;
    }
    c->ids.count = base;
}

/* Pushes the negation of a compound: each clause has one negated literal of each of the compound's
 * clauses. */
static void push_not(css_compiler *c, uint32_t compound)
{
    uint64_t clauses = 1;
    uint32_t count;
    const uint32_t *l = css_compound_literals(c, compound, &count);
    for (uint32_t at = 0, end; at < count && clauses <= MAX_CLAUSES; at = end) {
        end = css_clause_end(l, at);
        clauses *= end - at;
    }
    if (clauses > MAX_CLAUSES) {
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

/* Pushes the compounds of the complex selectors of a list onto the stack of ids, except compounds
 * that never hold. True: one of them always holds. */
static bool list_compounds(css_compiler *c, uint32_t list, uint32_t count, css_states_mode mode)
{
    bool always = false;
    for (uint32_t i = 0; i < count && !hed_failed(c->error); i++) {
        uint32_t compound = css_local_compound(c, list + i, mode), literals;
        if (compound == CSS_NOWHERE) continue;
        css_compound_literals(c, compound, &literals);
        always = always || literals == 0;
        css_push(&c->ids, &c->work, compound, c->error);
    }
    return always;
}

/* Pushes the clauses of an :is() or a :not(). False: it never holds. */
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

/* ---- relations, and content that a reader edits ---- */

static uint32_t flag_literal(css_compiler *c, uint32_t bits)
{
    const css_simple flag = {.kind = CSS_FLAG, .name_space = CSS_NONE, .bits = bits};
    return simple_predicate(c, &flag) << 1;
}

/* Literal "`compound` holds on an element in `relation`". */
static uint32_t relation_literal(css_compiler *c, uint32_t relation, uint32_t compound)
{
    uint32_t base = c->ids.count;
    css_push(&c->ids, &c->work, compound, c->error);
    return css_relation_predicate(c, relation, base) << 1;
}

/* Compound of another one and a further literal. */
static uint32_t with_literal(css_compiler *c, uint32_t compound, uint32_t literal)
{
    uint32_t base = c->scratch.count;
    css_push_compound(c, compound);
    css_push_literal(c, literal);
    return css_compound_of(c, base);
}

/* Clause of a relation: literals, one of which has to hold. */
typedef struct relation_clause {
    uint32_t literals[3], count; /* count 0: it never holds */
} relation_clause;

/* Clause "`compound` holds on an element in `relation`". A reader can put the elements of an editor
 * into any relation to each other and remove them: with states granted, any two are related; with
 * states denied, only relations to other elements are certain. */
static relation_clause relate(
    css_compiler *c, uint32_t relation, uint32_t compound, css_states_mode mode)
{
    relation_clause clause = {.count = 1};
    if (c->edited && mode == CSS_STATES_DENIED)
        if (relation == CSS_FROM_ANCESTOR || is_backward(relation))
            compound = with_literal(c, compound, flag_literal(c, CSS_EDITED) ^ 1);
    if (compound == CSS_NOWHERE) return (relation_clause){0};
    clause.literals[0] = relation_literal(c, relation, compound);
    if (!c->edited || mode != CSS_STATES_GRANTED) return clause;
    uint32_t editor = flag_literal(c, CSS_EDITOR);
    uint32_t inside = with_literal(c, css_compound_of(c, c->scratch.count),
        relation_literal(c, CSS_FROM_DESCENDANT, compound));
    uint32_t content = with_literal(c, inside, editor);
    if (content == CSS_NOWHERE) return clause;
    clause.literals[clause.count++] = relation_literal(c, CSS_FROM_ANCESTOR, content);
    if (relation == CSS_FROM_CHILD)
        clause.literals[clause.count++] = relation_literal(c, CSS_FROM_SELF, content);
    uint32_t on_editor =
        relation == CSS_FROM_PARENT ? with_literal(c, compound, editor) : CSS_NOWHERE;
    if (on_editor != CSS_NOWHERE)
        clause.literals[clause.count++] = relation_literal(c, CSS_FROM_ANCESTOR, on_editor);
    return clause;
}

/* Pushes the literals of a relation as a clause that may continue. False: it never holds. */
static bool push_literals(css_compiler *c, relation_clause clause)
{
    for (uint32_t i = 0; i < clause.count; i++)
        css_push(&c->scratch, &c->work, clause.literals[i], c->error);
    return clause.count > 0;
}

/* Pushes a relation. False: it never holds. */
static bool push_relation(
    css_compiler *c, uint32_t relation, uint32_t compound, css_states_mode mode)
{
    if (!push_literals(c, relate(c, relation, compound, mode)) || hed_failed(c->error))
        return false;
    c->scratch.items[c->scratch.count - 1] |= CSS_LAST_OF_CLAUSE;
    if (c->edited && mode == CSS_STATES_DENIED && relation != CSS_FROM_ANCESTOR)
        css_push_literal(c, flag_literal(c, CSS_EDITED) ^ 1);
    return true;
}

/* Pushes the literals of one complex selector of a :has(), compiled from right to left. False: it
 * never holds. */
static bool push_relative(css_compiler *c, uint32_t complex, css_states_mode mode);

/* Pushes the clause of a :has(), an OR of its selectors. False: it never holds. */
static bool push_has(css_compiler *c, const css_simple *s, css_states_mode mode)
{
    uint32_t pushed = 0;
    for (uint32_t i = 0; i < s->count && !hed_failed(c->error); i++)
        pushed += push_relative(c, s->list + i, mode);
    if (hed_failed(c->error) || !pushed) return false;
    c->scratch.items[c->scratch.count - 1] |= CSS_LAST_OF_CLAUSE;
    return true;
}

/* Pushes :nth-child(a n + b of S): S, and a count of siblings that match S. Where the count can
 * change, any count is possible and no count is certain. */
static bool push_nth_of(css_compiler *c, const css_simple *s, css_states_mode mode)
{
    bool uncertain = mode != CSS_STATES_GIVEN && (s->counts_changes || c->edited);
    if (uncertain && mode == CSS_STATES_DENIED) return false;
    if (!push_list(c, s->list, s->count, mode, false)) return false;
    if (uncertain) return true;
    uint32_t base = c->ids.count, last = s->operation == CSS_LAST_CHILD;
    list_compounds(c, s->list, s->count, mode);
    css_predicate predicate = {.kind = last ? CSS_P_COUNT_FROM_END : CSS_P_COUNT};
    predicate.of.count.dependency = dependency_of(c, base);
    predicate.of.count.a = (uint32_t)s->a;
    predicate.of.count.b = (uint32_t)s->b;
    if (hed_failed(c->error)) return false;
    css_push_literal(c, reading_predicate(c, predicate, last, false) << 1);
    return true;
}

/* Pushes a predicate and the changes that a reader can make to it: flags of the elements on which
 * it may hold, and may fail. */
static void push_changeable(
    css_compiler *c, uint32_t predicate, uint32_t may_hold, uint32_t may_fail, css_states_mode mode)
{
    if (mode == CSS_STATES_GRANTED && may_hold) { /* one clause */
        css_push(&c->scratch, &c->work, predicate << 1, c->error);
        css_push_literal(c, flag_literal(c, may_hold));
    } else css_push_literal(c, predicate << 1);
    if (mode == CSS_STATES_DENIED && may_fail) css_push_literal(c, flag_literal(c, may_fail) ^ 1);
}

/* Pushes the test that an element does not stand for a shadow root. */
static void push_no_shadow_root(css_compiler *c)
{
    const css_simple root = {.kind = CSS_UNIVERSAL,
        .name_space = 1 + CSS_SHADOW_ROOT,
        .name = CSS_NONE,
        .lower = CSS_NONE,
        .value = CSS_NONE};
    css_push_literal(c, simple_predicate(c, &root) << 1 | 1);
}

bool css_push_compound_selector(
    css_compiler *c, const css_compound *compound, uint32_t skip, css_states_mode mode)
{
    uint32_t edited = c->edited ? CSS_EDITED : 0;
    if (c->shadow) push_no_shadow_root(c);
    for (uint32_t i = 0; i < compound->count && !hed_failed(c->error); i++) {
        const css_simple *s = &c->sheet->simples[compound->first + i];
        /* selectors that depend on the root of a scope are tested after the match (scoped.c) */
        if (i == skip || s->scoped) continue;
        switch ((css_kind)s->kind) {
        case CSS_UNIVERSAL:
            if (s->name_space != CSS_NONE) css_push_literal(c, simple_predicate(c, s) << 1);
            break;
        case CSS_STATE:
            if (mode == CSS_STATES_DENIED) return false;
            if (mode == CSS_STATES_GIVEN) css_push_literal(c, simple_predicate(c, s) << 1);
            break;
        case CSS_NTH:
            if (!s->count) push_changeable(c, simple_predicate(c, s), edited, edited, mode);
            else if (!push_nth_of(c, s, mode)) return false;
            break;
        case CSS_ATTRIBUTE:
            push_changeable(c, named_predicate(c, s, mode), s->may_hold, s->may_fail, mode);
            break;
        case CSS_TYPE: css_push_literal(c, named_predicate(c, s, mode) << 1); break;
        case CSS_LANG: css_push_literal(c, language_predicate(c, s) << 1); break;
        case CSS_FLAG:
            push_changeable(c, simple_predicate(c, s), s->may_hold, s->may_fail, mode);
            break;
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
        case CSS_HOST:
        case CSS_HAS_SLOTTED:
        case CSS_SLOTTED:
        case CSS_PART:
        case CSS_NEVER: return false;
        default: css_push_literal(c, simple_predicate(c, s) << 1);
        }
    }
    return !hed_failed(c->error);
}

static bool push_relative(css_compiler *c, uint32_t complex, css_states_mode mode)
{
    const css_complex *x = &c->sheet->complexes[complex];
    uint32_t base = c->scratch.count, number = CSS_NOWHERE, relation = CSS_FROM_CHILD;
    for (uint32_t i = x->count; i-- > 0;) {
        const css_compound *compound = &c->sheet->compounds[x->first + i];
        bool holds = css_push_compound_selector(c, compound, CSS_NONE, mode);
        if (holds && i + 1 < x->count) holds = push_relation(c, relation, number, mode);
        number = holds ? css_compound_of(c, base) : CSS_NOWHERE;
        c->scratch.count = base;
        if (number == CSS_NOWHERE || hed_failed(c->error)) return false;
        char k = compound->combinator;
        relation = k == '>'   ? CSS_FROM_CHILD
                   : k == '+' ? CSS_FROM_NEXT
                   : k == '~' ? CSS_FROM_LATER
                              : CSS_FROM_DESCENDANT;
    }
    return push_literals(c, relate(c, relation, number, mode));
}

uint32_t css_local_compound(css_compiler *c, uint32_t complex, css_states_mode mode)
{
    if (hed_failed(c->error)) return CSS_NOWHERE;
    if (c->memo[mode][complex]) return c->memo[mode][complex] - 1;
    const css_complex *x = &c->sheet->complexes[complex];
    uint32_t base = c->scratch.count, run = CSS_NOWHERE;
    for (uint32_t i = 0; i < x->count; i++) {
        const css_compound *compound = &c->sheet->compounds[x->first + i];
        bool holds = css_push_compound_selector(c, compound, CSS_NONE, mode);
        char k = compound->combinator;
        if (i && holds)
            holds = push_relation(c,
                k == '>'   ? CSS_FROM_PARENT
                : k == '+' ? CSS_FROM_PREVIOUS
                : k == '~' ? CSS_FROM_EARLIER
                           : CSS_FROM_ANCESTOR,
                run, mode);
        run = holds ? css_compound_of(c, base) : CSS_NOWHERE;
        c->scratch.count = base;
        if (run == CSS_NOWHERE) break;
    }
    if (!hed_failed(c->error)) c->memo[mode][complex] = run + 1;
    return run;
}
