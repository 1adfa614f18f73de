/* Winner of a property for every element: the maximum of the ranks of cascade.h. The elements of a
 * class match the same rules, but not always by the same selector of a rule, so a rule's rank in a
 * class is between the ranks of its weakest and its strongest selector. These bounds usually decide
 * for the whole class; otherwise the selectors are tried on each of its elements. */
#include "solver/cascade.h"

#include <stdio.h>

#include "tables/lists.h"
#include "solver/scoped.h"

/* ---- ranks ---- */

uint32_t css_sheet_of(const css_matched *m, uint32_t rule)
{
    uint32_t low = 0, high = m->sheet_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (m->first_rule[middle] <= rule) low = middle;
        else high = middle;
    }
    return low;
}

/* Numbers of the layers of sheet `s` in the tree of its origin. */
static uint32_t *map_layers(css_cascade *c, css_layers *origins, uint32_t s, hed_error *error)
{
    const hed_css_sheet *sheet = c->m.sheets[s];
    uint32_t *map = hed_arena_new(&c->work, sheet->layers.count, sizeof *map, error);
    if (map && !css_layers_add(&origins[sheet->def.origin], &sheet->layers, map))
        HED_OUT_OF_MEMORY(error, "the layers of sheets");
    return map;
}

/* Adds the layers of the sheets in a tree, bits of which are set (NULL: all sheets), and sets the order
 * of each rule's layer; CSS_NONE: the rule is in no layer. */
static void order_rules(
    css_cascade *c, css_layers *origins, const uint32_t *bits, uint32_t *layer_of, hed_error *error)
{
    uint32_t **maps = hed_arena_new(&c->work, c->m.sheet_count + 1ull, sizeof *maps, error);
    for (uint32_t s = 0; s < c->m.sheet_count && !hed_failed(error); s++)
        if (!bits || bits[s / 32] >> s % 32 & 1) maps[s] = map_layers(c, origins, s, error);
    if (hed_failed(error)) return;
    for (int o = 0; o < 3; o++) {
        css_layers_order(&origins[o]);
        if (c->places < origins[o].count + 1) c->places = origins[o].count + 1;
    }
    for (uint32_t s = 0; s < c->m.sheet_count; s++)
        for (uint32_t r = 0; r < c->m.sheets[s]->rule_count && maps[s]; r++) {
            uint32_t layer = maps[s][c->m.sheets[s]->rules[r].layer];
            layer_of[c->m.first_rule[s] + r] =
                layer ? origins[c->m.sheets[s]->def.origin].items[layer].order : CSS_NONE;
        }
}

/* Orders the layers of a set of sheets, as order_rules() does. */
static void order_set(css_cascade *c, const uint32_t *bits, uint32_t *layer_of, hed_error *error)
{
    css_layers origins[3] = {0};
    for (int o = 0; o < 3 && !hed_failed(error); o++)
        if (!css_layers_open(&origins[o], &c->m.allocator))
            HED_OUT_OF_MEMORY(error, "the layers of sheets");
    if (!hed_failed(error)) order_rules(c, origins, bits, layer_of, error);
    for (int o = 0; o < 3; o++) css_layers_close(&origins[o]);
}

/* Orders the layers of the sheets in each tree: a tree has layers of its own. Trees with the same sheets
 * are one set; set 0 has all sheets. */
static void order_layers(css_cascade *c, hed_error *error)
{
    css_interner sets;
    const css_membership *in = c->m.membership;
    uint32_t rules = c->m.result.rules;
    uint64_t trees = 1;
    for (uint32_t n = 0; n < c->m.document_count; n++) trees += c->m.documents[n]->tree_count;
    css_interner_make(&sets, &c->work, error);
    css_intern(&sets, &c->work, NULL, 0, error);
    c->set_of = hed_arena_new(&c->work, c->m.document_count, sizeof *c->set_of, error);
    c->layer_of = hed_arena_new(&c->work, trees, sizeof *c->layer_of, error);
    for (uint32_t n = 0; n < c->m.document_count && in->rows && !hed_failed(error); n++) {
        uint32_t count = in->rows[n] ? c->m.documents[n]->tree_count : 0;
        if (count) c->set_of[n] = hed_arena_new(&c->work, count, sizeof **c->set_of, error);
        for (uint32_t t = 0; t < count && !hed_failed(error); t++)
            c->set_of[n][t] = css_intern(&sets, &c->work,
                in->rows[n] + c->m.documents[n]->trees[t].original * in->sheet_words,
                in->sheet_words, error);
    }
    for (uint32_t set = 0; set < css_interned(&sets) && !hed_failed(error); set++) {
        css_span bits = css_sequence(&sets, set);
        c->layer_of[set] = hed_arena_new(&c->work, rules + 1ull, sizeof **c->layer_of, error);
        if (c->layer_of[set])
            order_set(c, set ? sets.words.items + bits.begin : NULL, c->layer_of[set], error);
    }
}

static uint32_t bits_for(uint32_t values)
{
    uint32_t bits = 0;
    while (bits < 32 && values > 1ull << bits) bits++;
    return bits;
}

/* Bits for the distance from the root of a scope, and 0 for no scope. */
static uint32_t nearness_bits(const css_matched *m)
{
    bool scoped = false;
    uint32_t depth = 0;
    for (uint32_t s = 0; s < m->sheet_count; s++) scoped = scoped || m->sheets[s]->scope_count;
    for (uint32_t n = 0; n < m->document_count; n++)
        if (m->documents[n]->depth > depth) depth = m->documents[n]->depth;
    return scoped ? bits_for(depth + 2) : 0;
}

/* Number of values of css_context_depth() in all documents. */
static uint32_t count_depths(const css_matched *m)
{
    uint32_t depths = 1;
    for (uint32_t n = 0; n < m->document_count; n++)
        if (m->documents[n]->tree_count && m->documents[n]->tree_levels + 2 > depths)
            depths = m->documents[n]->tree_levels + 2;
    return depths;
}

hed_status css_cascade_open(css_cascade *c, const hed_css_matcher *matcher, hed_error *error)
{
    *c = (css_cascade){.m = css_matcher_parts(matcher)};
    c->work = (hed_arena){.allocator = c->m.allocator, .owner = "a cascade"};
    if (!c->m.result.class_begin)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "css: nothing was matched yet: call hed_css_match() before the cascade");
    order_layers(c, error);
    if (hed_failed(error)) return error->status;
    c->rule_bits = bits_for(c->m.result.rules);
    c->nearness_bits = nearness_bits(&c->m);
    c->depths = count_depths(&c->m);
    c->tree_bits = bits_for(c->depths);
    if (c->rule_bits + c->nearness_bits + c->tree_bits + bits_for(c->places) > 30)
        return hed_fail(error, HED_ERROR_LIMIT,
            "css: %u rules in %u layers and %u levels of shadow trees: their numbers need more than the "
            "30 bits there are",
            c->m.result.rules, c->places - 2, c->depths - 1);
    return HED_OK;
}

/* Place of layer `layer` of an origin in a tree. */
static uint32_t place_in_tree(const css_cascade *c, uint32_t origin, uint32_t layer, uint32_t depth)
{
    return (origin * c->depths + c->depths - 1 - depth) * c->places + layer;
}

uint32_t css_layer_set(const css_cascade *c, uint32_t document, uint32_t tree)
{
    return c->set_of[document] ? c->set_of[document][tree] : 0;
}

uint32_t css_rule_place(const css_cascade *c, uint32_t set, uint32_t rule, uint32_t depth)
{
    uint32_t layer = c->layer_of[set][rule];
    return place_in_tree(c, c->m.sheets[css_sheet_of(&c->m, rule)]->def.origin,
        layer == CSS_NONE ? c->places - 2 : layer, depth);
}

uint32_t css_style_place(const css_cascade *c, uint32_t depth)
{
    return place_in_tree(c, HED_CSS_AUTHOR, c->places - 1, depth);
}

uint64_t css_rank(const css_cascade *c, uint32_t rule, uint32_t place, uint32_t specificity,
    uint32_t hops, bool important)
{
    uint32_t layer = place % c->places, tree = place / c->places % c->depths;
    uint32_t origin = place / c->places / c->depths;
    uint64_t level = important ? 6 - origin : 1 + origin;
    bool style = rule == HED_CSS_OWN_STYLE;
    if (important) tree = c->depths - 1 - tree;
    level = level << c->tree_bits | tree;
    if (style) return (level << 1 | 1) << (60 - c->tree_bits);
    if (important) layer = c->places - 2 - layer;
    uint32_t low_bits = c->nearness_bits + c->rule_bits;
    uint64_t nearness = hops == CSS_NONE ? 0 : (1u << c->nearness_bits) - 1 - hops;
    return level << (61 - c->tree_bits) | (uint64_t)layer << (30 + low_bits) |
           (uint64_t)specificity << low_bits | nearness << c->rule_bits | rule;
}

hed_css_defeat css_rank_defeat(const css_cascade *c, uint64_t greater, uint64_t smaller)
{
    uint64_t difference = greater ^ smaller;
    if (difference >> 61) return HED_CSS_BY_IMPORTANCE;
    if (difference >> (61 - c->tree_bits)) return HED_CSS_BY_TREE;
    if (difference >> (60 - c->tree_bits)) return HED_CSS_BY_STYLE;
    if (difference >> (30 + c->nearness_bits + c->rule_bits)) return HED_CSS_BY_LAYER;
    if (difference >> (c->nearness_bits + c->rule_bits)) return HED_CSS_BY_SPECIFICITY;
    if (difference >> c->rule_bits) return HED_CSS_BY_SCOPE;
    return HED_CSS_BY_ORDER;
}

uint32_t css_rolled_back(const css_cascade *c, uint32_t place, css_wide wide)
{
    return wide == CSS_REVERT ? place - place % (c->places * c->depths) : place;
}

/* ---- declarations of one property ---- */

/* Entry of a rule or a style attribute for the property. With shadow trees the ranks are bounds in
 * the page, until entries_in_trees() has made an entry for each tree. */
typedef struct css_entry {
    uint64_t low, high; /* bounds of the rank; high 0: sets nothing; low 0: may not match */
    uint32_t rule, place;
    css_wide wide;
    bool important;
} css_entry;

typedef struct css_own_style {
    uint32_t element;
    css_entry entry;
} css_own_style;

typedef struct css_query {
    css_cascade c;
    const char *property; /* a longhand, or a custom property */
    const char *pair;     /* logical property that is one with it; NULL: it has no pair */
    uint8_t *sets;        /* (names) SETS or SETS_NOT of a declaration of this name; 0: unknown */
    uint32_t name_count;
    css_entry *entries;              /* (rules) */
    CSS_ARRAY(css_own_style) styles; /* ascending by element */
    /* the style attribute that is being read */
    css_entry reading;
    bool quirks;
    bool ignores_layers;       /* every rule counts as outside of layers */
    CSS_ARRAY(css_entry) list; /* entries of one element or class */
} css_query;

enum { SETS_NOT = 1, SETS = 2 };

static bool query_sets(css_query *q, uint32_t name)
{
    if (name < q->name_count && q->sets[name]) return q->sets[name] == SETS;
    const char *text = hed_css_names_text(q->c.m.documents[0]->names, name, NULL);
    const char *name_of = css_property_of(text);
    bool sets =
        css_property_sets(name_of, q->property) || (q->pair && css_property_sets(name_of, q->pair));
    if (name < q->name_count) q->sets[name] = sets ? SETS : SETS_NOT;
    return sets;
}

/* Enters a declaration if it sets the property and is stronger than the earlier declarations of the
 * entry. */
static bool take_declaration(
    css_query *q, css_entry *entry, const css_declaration *declaration, bool quirks)
{
    if (!query_sets(q, declaration->property)) return false;
    if (entry->important && !declaration->important) return false;
    const char *name = hed_css_names_text(q->c.m.documents[0]->names, declaration->property, NULL);
    if (!css_value_valid(name, declaration->value, declaration->value_length, quirks, NULL))
        return false;
    entry->important = declaration->important;
    entry->wide = css_wide_value(declaration->value, declaration->value_length);
    return true;
}

/* Sets the ranks of a rule by its weakest and its strongest selector without a pseudo-element. */
static void set_ranks(const css_cascade *c, const hed_css_sheet *sheet, css_entry *entry)
{
    const css_rule *rule =
        &sheet->rules[entry->rule - c->m.first_rule[css_sheet_of(&c->m, entry->rule)]];
    bool always = true;
    for (uint32_t k = 0; k < rule->count; k++) {
        const css_complex *x = &sheet->complexes[rule->list + k];
        if (sheet->compounds[x->first + x->count - 1].pseudo_element != CSS_NONE) {
            always = false;
            continue;
        }
        uint64_t low =
            css_rank(c, entry->rule, entry->place, x->specificity, CSS_NONE, entry->important);
        uint64_t high = rule->scope ? css_rank(c, entry->rule, entry->place, x->specificity, 0,
                                          entry->important)
                                    : low;
        if (high > entry->high) entry->high = high;
        if (!entry->low || low < entry->low) entry->low = low;
    }
    if (!always) entry->low = 0;
}

static void read_rules(css_query *q)
{
    for (uint32_t s = 0; s < q->c.m.sheet_count; s++) {
        const hed_css_sheet *sheet = q->c.m.sheets[s];
        for (uint32_t r = 0; r < sheet->rule_count; r++) {
            const css_rule *rule = &sheet->rules[r];
            uint32_t number = q->c.m.first_rule[s] + r;
            css_entry *entry = &q->entries[number];
            bool sets = false;
            if (rule->info.validity != HED_CSS_VALID || !rule->info.applies) continue;
            entry->rule = number;
            entry->place = css_rule_place(&q->c, 0, number, 0);
            for (uint32_t i = 0; i < rule->declaration_count; i++)
                sets |= take_declaration(
                    q, entry, &sheet->declarations[rule->first_declaration + i], sheet->def.quirks);
            if (sets) set_ranks(&q->c, sheet, entry);
        }
    }
}

static void read_own(void *user, const css_declaration *declaration)
{
    css_query *q = user;
    if (!take_declaration(q, &q->reading, declaration, q->quirks)) return;
    q->reading.low = q->reading.high =
        css_rank(&q->c, HED_CSS_OWN_STYLE, q->reading.place, 0, CSS_NONE, q->reading.important);
}

static void read_styles(css_query *q, hed_error *error)
{
    hed_css_names *names = q->c.m.documents[0]->names;
    uint32_t style = css_name_find(names, "style", 5);
    for (uint32_t n = 0; n < q->c.m.document_count && style != CSS_NONE; n++) {
        const hed_css_document *d = q->c.m.documents[n];
        q->quirks = d->quirks;
        for (uint32_t e = 0; e < d->count && !hed_failed(error); e++) {
            uint32_t value = css_attribute_value(d, e, style);
            if (value == CSS_NONE || d->name_space[e] == HED_CSS_OTHER) continue;
            size_t length;
            const char *text = hed_css_names_text(names, value, &length);
            uint32_t depth = css_context_depth(d, css_tree_of(d, e), CSS_TREE_OWN);
            q->reading =
                (css_entry){.rule = HED_CSS_OWN_STYLE, .place = css_style_place(&q->c, depth)};
            if (!css_read_declarations(names, text, length, read_own, q))
                HED_OUT_OF_MEMORY(error, "a style attribute");
            else if (q->reading.high)
                CSS_PUSH(&q->styles, &q->c.work, error,
                    (css_own_style){q->c.m.first_element[n] + e, q->reading});
        }
    }
}

/* ---- winners ---- */

/* The strongest entry below a place, or NULL. *decided becomes false if the result depends on the
 * selectors that match. */
static const css_entry *strongest(
    const css_entry *list, uint32_t count, uint32_t bound, bool *decided)
{
    const css_entry *best = NULL;
    uint64_t second = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (list[i].place >= bound) continue;
        if (!best || list[i].high > best->high) {
            if (best) second = best->high;
            best = &list[i];
        } else if (list[i].high > second) second = list[i].high;
    }
    if (best && best->low <= second) *decided = false;
    return best;
}

/* Winning rule after `revert` and `revert-layer` have rolled back. */
static uint32_t winner_among(
    const css_cascade *c, const css_entry *list, uint32_t count, bool *decided)
{
    uint32_t bound = CSS_NONE;
    for (;;) {
        const css_entry *best = strongest(list, count, bound, decided);
        if (!best || !*decided) return CSS_NONE;
        if (best->wide < CSS_REVERT) return best->rule;
        bound = css_rolled_back(c, best->place, best->wide);
    }
}

/* Finds the exact rank of an entry for one element by the selectors of its rule in one tree; false: the
 * rule does not match the element itself. */
static bool make_exact(const css_query *q, css_entry *entry, const hed_css_document *d,
    uint32_t element, uint32_t tree, css_tree_relation relation)
{
    const css_matched *m = &q->c.m;
    uint32_t s = css_sheet_of(m, entry->rule);
    const hed_css_sheet *sheet = m->sheets[s];
    const css_rule *rule = &sheet->rules[entry->rule - m->first_rule[s]];
    const css_scoper scoper = {sheet, d, m->states_possible, tree, NULL};
    uint64_t highest = 0;
    for (uint32_t k = 0; k < rule->count; k++) {
        const css_complex *x = &sheet->complexes[rule->list + k];
        const css_compound *last = &sheet->compounds[x->first + x->count - 1];
        uint32_t hops;
        if (last->pseudo_element != CSS_NONE || !css_context_fits(relation, last->shadow)) continue;
        if (!css_scope_match(&scoper, rule, rule->list + k, element, &hops)) continue;
        uint64_t rank =
            css_rank(&q->c, entry->rule, entry->place, x->specificity, hops, entry->important);
        if (rank > highest) highest = rank;
    }
    entry->low = entry->high = highest;
    return highest != 0;
}

/* Collects the entries of a class's rules; drops entries that cannot win, unless some entry may
 * roll back. Returns their number. */
static uint32_t entries_of(
    const css_query *q, uint32_t class_number, const css_entry *style, css_entry *list)
{
    const hed_css_result *r = &q->c.m.result;
    uint64_t lower_bound = 0; /* lower bound of the winner's rank */
    uint32_t count = 0, remaining = 0;
    for (uint32_t i = r->class_begin[class_number]; i < r->class_begin[class_number + 1]; i++) {
        const css_entry *entry = &q->entries[r->rule[i]];
        if (!entry->high) continue;
        list[count++] = *entry;
        if (entry->low > lower_bound) lower_bound = entry->low;
    }
    if (style && style->wide >= CSS_REVERT) return count;
    for (uint32_t i = 0; i < count; i++)
        if (list[i].wide >= CSS_REVERT) return count;
    for (uint32_t i = 0; i < count; i++)
        if (list[i].high >= lower_bound) list[remaining++] = list[i];
    return remaining;
}

/* Collects the entries of a class's rules for one element of a document with shadow trees, one for
 * each tree of the rule's sheet, in q->list. Errors: MEMORY. */
static void entries_in_trees(
    css_query *q, uint32_t n, uint32_t element, uint32_t class_number, hed_error *error)
{
    const css_matched *m = &q->c.m;
    const hed_css_document *d = m->documents[n];
    q->list.count = 0;
    for (uint32_t i = m->result.class_begin[class_number];
         i < m->result.class_begin[class_number + 1]; i++) {
        const css_entry *entry = &q->entries[m->result.rule[i]];
        uint32_t sheet = css_sheet_of(m, m->result.rule[i]);
        css_contexts at = css_contexts_of(d, element, m->states_possible);
        while (entry->high && css_contexts_next(&at)) {
            if (!css_sheet_in_tree(m->membership, d, n, sheet, at.tree)) continue;
            CSS_PUSH(&q->list, &q->c.work, error, *entry);
            if (hed_failed(error)) return;
            css_entry *new_entry = &q->list.items[q->list.count - 1];
            new_entry->place = css_rule_place(&q->c, css_layer_set(&q->c, n, at.tree), entry->rule,
                css_context_depth(d, at.tree, at.relation));
            if (q->ignores_layers)
                new_entry->place = new_entry->place / q->c.places * q->c.places + q->c.places - 2;
            q->list.count -= !make_exact(q, new_entry, d, element, at.tree, at.relation);
        }
    }
}

/* Winner for one element. `style`: entry of its style attribute, or NULL. Errors: MEMORY. */
static uint32_t winner_for(css_query *q, uint32_t n, uint32_t element, uint32_t class_number,
    const css_entry *style, hed_error *error)
{
    const hed_css_document *d = q->c.m.documents[n];
    bool decided = true;
    if (d->tree_count) entries_in_trees(q, n, element, class_number, error);
    else {
        css_entry *list = q->list.items;
        uint32_t count = entries_of(q, class_number, style, list), remaining = 0;
        for (uint32_t i = 0; i < count; i++) {
            list[remaining] = list[i];
            remaining += list[i].low == list[i].high ||
                         make_exact(q, &list[remaining], d, element, 0, CSS_TREE_OWN);
        }
        q->list.count = remaining;
    }
    if (style) CSS_PUSH(&q->list, &q->c.work, error, *style);
    return hed_failed(error) ? CSS_NONE
                             : winner_among(&q->c, q->list.items, q->list.count, &decided);
}

static void find_winners(css_query *q, uint32_t *winners, hed_error *error)
{
    const css_matched *m = &q->c.m;
    const hed_css_result *r = &m->result;
    uint32_t longest = 0, next = 0;
    for (uint32_t k = 0; k < r->classes; k++)
        if (r->class_begin[k + 1] - r->class_begin[k] > longest)
            longest = r->class_begin[k + 1] - r->class_begin[k];
    q->list.items = hed_arena_new(&q->c.work, longest + 1ull, sizeof *q->list.items, error);
    q->list.room = longest + 1;
    uint32_t *winner = hed_arena_new(&q->c.work, r->classes, sizeof *winner, error);
    bool *decided = hed_arena_new(&q->c.work, r->classes, sizeof *decided, error);
    if (hed_failed(error)) return;
    for (uint32_t k = 0; k < r->classes; k++) {
        uint32_t count = entries_of(q, k, NULL, q->list.items);
        decided[k] = true;
        winner[k] = winner_among(&q->c, q->list.items, count, &decided[k]);
    }
    for (uint32_t n = 0; n < m->document_count; n++)
        for (uint32_t e = 0; e < m->documents[n]->count && !hed_failed(error); e++) {
            uint32_t element = m->first_element[n] + e, k = r->element_class[element];
            const css_entry *style = NULL;
            if (next < q->styles.count && q->styles.items[next].element == element)
                style = &q->styles.items[next++].entry;
            bool by_class = decided[k] && !style && !m->documents[n]->tree_count;
            winners[element] = by_class ? winner[k] : winner_for(q, n, e, k, style, error);
        }
}

hed_status css_query_winners(const hed_css_matcher *matcher, const char *property, const char *pair,
    uint32_t *winners, hed_error *error)
{
    css_query q = {.property = property, .pair = pair};
    css_cascade_open(&q.c, matcher, error);
    q.name_count = q.c.m.documents[0]->names->count;
    q.sets = hed_arena_new(&q.c.work, q.name_count, 1, error);
    q.entries = hed_arena_new(&q.c.work, q.c.m.result.rules, sizeof *q.entries, error);
    if (!hed_failed(error)) {
        read_rules(&q);
        read_styles(&q, error);
    }
    if (!hed_failed(error)) find_winners(&q, winners, error);
    hed_arena_free(&q.c.work);
    return hed_failed(error) ? error->status : HED_OK;
}

hed_status hed_css_element_winners(
    const hed_css_matcher *matcher, uint32_t *winners, hed_error *error)
{
    HED_REQUIRE(matcher, winners);
    hed_error local = {0};
    css_query q = {.ignores_layers = true};
    if (!error) error = &local;
    css_cascade_open(&q.c, matcher, error);
    q.entries = hed_arena_new(&q.c.work, q.c.m.result.rules, sizeof *q.entries, error);
    for (uint32_t s = 0; s < q.c.m.sheet_count && !hed_failed(error); s++)
        for (uint32_t r = 0; r < q.c.m.sheets[s]->rule_count; r++) {
            const hed_css_sheet *sheet = q.c.m.sheets[s];
            css_entry *entry = &q.entries[q.c.m.first_rule[s] + r];
            if (sheet->rules[r].info.validity != HED_CSS_VALID) continue;
            entry->rule = q.c.m.first_rule[s] + r;
            entry->place = place_in_tree(&q.c, sheet->def.origin, q.c.places - 2, 0);
            entry->important = sheet->rules[r].info.important;
            set_ranks(&q.c, sheet, entry);
        }
    if (!hed_failed(error)) find_winners(&q, winners, error);
    hed_arena_free(&q.c.work);
    return hed_failed(error) ? error->status : HED_OK;
}
