/* Match of a value with the grammar. A node at a position has the set of all positions at which it
 * may end, so that no position is tried twice; the sets of a block are bits. Blocks (functions and
 * square brackets) are one position of the level around them, and their contents are matched as a
 * whole. The steps, the depth and the sets are limited. */
#include "values/match.h"

#include "model/properties.h"

static void match_node(css_value *v, uint32_t node, uint32_t at, uint64_t *ends);

/* ---- sets of positions ---- */

/* A new empty set; NULL: they are used up. It lives until sets_used is set back. */
static uint64_t *set_new(css_value *v)
{
    if (v->sets_used + v->set_words > CSS_VALUE_SETS) {
        v->exhausted = true;
        return NULL;
    }
    uint64_t *set = v->sets + v->sets_used;
    v->sets_used += v->set_words;
    memset(set, 0, v->set_words * sizeof *set);
    return set;
}

static void set_add(const css_value *v, uint64_t *set, uint32_t at)
{
    uint32_t bit = at - v->begin;
    set[bit / 64] |= 1ull << bit % 64;
}

static bool set_has(const css_value *v, const uint64_t *set, uint32_t at)
{
    uint32_t bit = at - v->begin;
    return set[bit / 64] >> bit % 64 & 1;
}

/* Smallest position of a set from `at` on; CSS_NO_NODE: the set has no more. */
static uint32_t set_next(const css_value *v, const uint64_t *set, uint32_t at)
{
    for (uint32_t bit = at - v->begin; bit <= v->end - v->begin;) {
        uint64_t rest = set[bit / 64] >> bit % 64;
        if (rest) return v->begin + bit + (uint32_t)__builtin_ctzll(rest);
        bit = (bit / 64 + 1) * 64;
    }
    return CSS_NO_NODE;
}

static void set_join(const css_value *v, uint64_t *set, const uint64_t *added)
{
    for (uint32_t i = 0; i < v->set_words; i++) set[i] |= added[i];
}

#define EACH_POSITION(v, set, at) \
    uint32_t at = set_next(v, set, (v)->begin); \
    at != CSS_NO_NODE; \
    at = at == (v)->end ? CSS_NO_NODE : set_next(v, set, at + 1)

/* ---- stops ---- */

/* Places of a node in stops: a comma of a list; the end. */
enum { STOP_COMMA = UINT16_MAX, STOP_END };

/* Records that a node failed at a token, if no later token was reached. */
static void note_stop(css_value *v, uint32_t at, uint32_t node)
{
    css_value_stop *stop = v->stop;
    if (!stop || at < stop->at) return;
    if (at > stop->at) *stop = (css_value_stop){.at = at};
    if (node == STOP_END) stop->end = true;
    if (node == STOP_COMMA) stop->comma = true;
    if (node >= STOP_COMMA) return;
    for (uint32_t i = 0; i < stop->count; i++)
        if (stop->nodes[i] == node) return;
    if (stop->count < CSS_FAULT_NODES) stop->nodes[stop->count++] = (uint16_t)node;
}

/* ---- terminals ---- */

/* True for a colour of hexadecimal digits; in quirks mode three or six of them need no `#`. */
static bool is_hex_color(const css_value *v, uint32_t at)
{
    const css_token *token = &v->tokens[at].token;
    bool hash = token->type == CSS_HASH;
    uint32_t begin = hash ? token->name : token->begin, digits = token->end - begin;
    bool bare =
        v->quirks && v->begin == 0 && (digits == 3 || digits == 6) &&
        (token->type == CSS_IDENT || token->type == CSS_NUMBER || token->type == CSS_DIMENSION);
    if (!hash && !bare) return false;
    for (uint32_t i = begin; i < token->end; i++)
        if (!v->text[i] || !strchr("0123456789abcdefABCDEF", v->text[i])) return false;
    return digits == 3 || digits == 4 || digits == 6 || digits == 8;
}

/* True if the token is an identifier that authors may choose, except the excluded words. */
static bool is_custom(const css_value *v, uint32_t at, const char *excluded)
{
    char word[16];
    css_keyword(v->text, &v->tokens[at].token, word, sizeof word);
    return !css_wide_keyword(word) && strcmp(word, "default") != 0 && !css_among(excluded, word);
}

/* Token after the one that matches a terminal; CSS_NO_NODE: it does not. */
static uint32_t match_type(const css_value *v, const css_grammar_node *n, uint32_t at)
{
    css_value_type type = n->a;
    const css_token *token = &v->tokens[at].token;
    bool fits = false;
    if (at == v->end) return CSS_NO_NODE;
    switch (type) {
    case CSS_VALUE_IDENT: fits = token->type == CSS_IDENT; break;
    case CSS_VALUE_CUSTOM_IDENT:
        fits = token->type == CSS_IDENT && is_custom(v, at, css_values_grammar.excluded[n->b]);
        break;
    case CSS_VALUE_DASHED_IDENT:
        fits = token->type == CSS_IDENT && token->end - token->begin > 2 &&
               memcmp(v->text + token->begin, "--", 2) == 0;
        break;
    case CSS_VALUE_STRING: fits = token->type == CSS_STRING; break;
    case CSS_VALUE_TAG:
        fits = token->type == CSS_STRING && token->name_end - token->name == 4;
        break;
    case CSS_VALUE_URL:
        fits = token->type == CSS_URL ||
               (token->type == CSS_FUNCTION && css_is(v->text, token, "url") &&
                   v->tokens[at + 1].token.type == CSS_STRING);
        break;
    case CSS_VALUE_HEX_COLOR: fits = is_hex_color(v, at); break;
    case CSS_VALUE_SUM: return css_value_sum(v, at);
    case CSS_VALUE_ZERO: fits = token->type == CSS_NUMBER && css_number(v->text, token) == 0; break;
    default: return css_value_numeric(v, type, &css_values_grammar.ranges[n->b], at);
    }
    return fits ? v->tokens[at].after : CSS_NO_NODE;
}

/* Matches a word or a comma. A comma may be absent at an end of its block and next to another
 * comma, as the component next to it is then; a comma that is there has components on both sides. */
static void match_word(css_value *v, uint32_t node, uint32_t at, uint64_t *ends)
{
    uint16_t word = css_values_grammar.nodes[node].a;
    if (css_values_grammar.words[word][0] != ',') {
        if (at < v->end && v->tokens[at].word == word) set_add(v, ends, at + 1);
        else note_stop(v, at, node);
        return;
    }
    bool first = at == v->begin || v->tokens[at - 1].token.type == CSS_COMMA;
    bool comma = at < v->end && v->tokens[at].token.type == CSS_COMMA;
    bool last = at + 1 >= v->end || v->tokens[at + 1].token.type == CSS_COMMA;
    if (comma && !first && !last) set_add(v, ends, at + 1);
    else if (first || at == v->end) set_add(v, ends, at);
    if (!comma) note_stop(v, at, node);
}

/* ---- blocks ---- */

/* Words that are numbers in a relative colour of a function (CSS colours 5, section 4.1). */
static const char *channels_of(const char *function)
{
    static const char *const names[][2] = {{"rgb(", "r g b alpha"}, {"rgba(", "r g b alpha"},
        {"hsl(", "h s l alpha"}, {"hsla(", "h s l alpha"}, {"hwb(", "h w b alpha"},
        {"lab(", "l a b alpha"}, {"oklab(", "l a b alpha"}, {"lch(", "l c h alpha"},
        {"oklch(", "l c h alpha"}, {"color(", "r g b x y z alpha"}};
    for (size_t i = 0; i < HED_COUNT(names); i++)
        if (strcmp(function, names[i][0]) == 0) return names[i][1];
    return "";
}

static void match_block(css_value *v, uint32_t node, uint32_t at, uint64_t *ends)
{
    const css_grammar_node *n = &css_values_grammar.nodes[node];
    if (at >= v->end || v->tokens[at].word != n->a) {
        note_stop(v, at, node);
        return;
    }
    uint32_t begin = v->begin, end = v->end, set_words = v->set_words, used = v->sets_used;
    const char *channels = v->channels;
    uint32_t after = v->tokens[at].after;
    uint8_t last = v->tokens[after - 1].token.type;
    bool closed = after - 1 > at && (last == CSS_CLOSE_ROUND || last == CSS_CLOSE_SQUARE);
    v->begin = at + 1;
    v->end = after - closed;
    v->set_words = (v->end - v->begin) / 64 + 1;
    if (v->begin < v->end && css_is(v->text, &v->tokens[v->begin].token, "from"))
        v->channels = channels_of(css_values_grammar.words[n->a]);
    uint64_t *inner = set_new(v);
    if (inner) match_node(v, n->b, v->begin, inner);
    bool matched = inner && set_has(v, inner, v->end);
    if (inner && !matched)
        for (EACH_POSITION(v, inner, stop)) note_stop(v, stop, STOP_END);
    v->begin = begin;
    v->end = end;
    v->set_words = set_words;
    v->sets_used = used;
    v->channels = channels;
    if (matched) set_add(v, ends, after);
}

/* ---- combinations ---- */

static void match_sequence(css_value *v, const css_grammar_node *n, uint32_t at, uint64_t *ends)
{
    uint64_t *reached = set_new(v), *next = set_new(v);
    if (!reached || !next) return;
    set_add(v, reached, at);
    for (uint32_t i = 0; i < n->b; i++) {
        memset(next, 0, v->set_words * sizeof *next);
        for (EACH_POSITION(v, reached, from))
            match_node(v, css_values_grammar.children[n->a + i], from, next);
        uint64_t *swap = reached;
        reached = next;
        next = swap;
    }
    set_join(v, ends, reached);
}

/* Matches the children of && or || that are not in `used_children`. */
static void match_any_order(
    css_value *v, const css_grammar_node *n, uint32_t at, uint64_t used_children, uint64_t *ends)
{
    uint32_t used = v->sets_used;
    bool complete = n->kind == CSS_GRAMMAR_SOME ? used_children != 0 : true;
    uint64_t *set = set_new(v);
    if (!set || ++v->steps > CSS_VALUE_STEPS) {
        v->exhausted = true;
        return;
    }
    for (uint32_t i = 0; i < n->b; i++) {
        uint32_t child = css_values_grammar.children[n->a + i];
        if (used_children >> i & 1) continue;
        if (n->kind == CSS_GRAMMAR_ALL) complete &= css_values_grammar.nodes[child].empty;
        memset(set, 0, v->set_words * sizeof *set);
        match_node(v, child, at, set);
        for (EACH_POSITION(v, set, to))
            if (to > at) match_any_order(v, n, to, used_children | 1ull << i, ends);
    }
    if (complete) set_add(v, ends, at);
    v->sets_used = used;
}

static void match_repeat(css_value *v, const css_grammar_node *n, uint32_t at, uint64_t *ends)
{
    const css_grammar_bound *bound = &css_values_grammar.bounds[n->b];
    uint64_t *reached = set_new(v), *next = set_new(v), *earlier = set_new(v);
    if (!reached || !next || !earlier) return;
    if (bound->low == 0) set_add(v, ends, at);
    set_add(v, reached, at);
    for (uint32_t count = 1; !bound->high || count <= bound->high; count++) {
        bool progress = false;
        memset(next, 0, v->set_words * sizeof *next);
        for (EACH_POSITION(v, reached, from)) {
            uint32_t start = from;
            if (bound->commas && count > 1) {
                bool comma = from < v->end && v->tokens[from].token.type == CSS_COMMA;
                if (!comma) note_stop(v, from, STOP_COMMA);
                if (!comma || from + 1 == v->end) continue;
                start++;
            }
            match_node(v, n->a, start, next);
        }
        if (count >= bound->low) set_join(v, ends, next);
        /* positions that an earlier repetition reached lead to nothing new */
        for (uint32_t i = 0; i < v->set_words; i++) {
            if (count > bound->low) next[i] &= ~earlier[i];
            earlier[i] |= next[i];
            progress |= next[i] != 0;
        }
        uint64_t *swap = reached;
        reached = next;
        next = swap;
        if (!progress || v->exhausted) break;
    }
}

/* Matches a rule; if it has a title, its name replaces the nodes in which it stopped at once. */
static void match_rule(css_value *v, uint32_t node, uint32_t at, uint64_t *ends)
{
    const css_grammar_name *rule = &css_values_grammar.rules[css_values_grammar.nodes[node].a];
    css_value_stop *stop = v->stop;
    if (!stop || !rule->has_title || at < stop->at) {
        match_node(v, rule->node, at, ends);
        return;
    }
    uint32_t before = stop->at == at ? stop->count : 0;
    match_node(v, rule->node, at, ends);
    if (stop->at != at || stop->count == before) return;
    stop->count = before;
    note_stop(v, at, node);
}

static void match_node(css_value *v, uint32_t node, uint32_t at, uint64_t *ends)
{
    const css_grammar_node *n = &css_values_grammar.nodes[node];
    if (v->exhausted || ++v->steps > CSS_VALUE_STEPS || v->depth == CSS_VALUE_DEPTH) {
        v->exhausted = true;
        return;
    }
    uint32_t used = v->sets_used;
    v->depth++;
    switch (n->kind) {
    case CSS_GRAMMAR_WORD: match_word(v, node, at, ends); break;
    case CSS_GRAMMAR_TYPE:
        if (n->a == CSS_VALUE_ANYTHING) {
            set_add(v, ends, at);
            set_add(v, ends, v->end);
        } else {
            uint32_t end = match_type(v, n, at);
            if (end == CSS_NO_NODE) note_stop(v, at, node);
            else set_add(v, ends, end);
        }
        break;
    case CSS_GRAMMAR_RULE: match_rule(v, node, at, ends); break;
    case CSS_GRAMMAR_BLOCK: match_block(v, node, at, ends); break;
    case CSS_GRAMMAR_SEQUENCE: match_sequence(v, n, at, ends); break;
    case CSS_GRAMMAR_ALL:
    case CSS_GRAMMAR_SOME: match_any_order(v, n, at, 0, ends); break;
    case CSS_GRAMMAR_ONE:
        for (uint32_t i = 0; i < n->b; i++)
            match_node(v, css_values_grammar.children[n->a + i], at, ends);
        break;
    case CSS_GRAMMAR_REPEAT: match_repeat(v, n, at, ends); break;
    }
    v->sets_used = used;
    v->depth--;
}

bool css_value_matches(css_value *v, uint32_t node)
{
    v->begin = v->sets_used = v->steps = v->depth = 0;
    v->end = v->count;
    v->set_words = v->count / 64 + 1;
    v->exhausted = false;
    v->channels = "";
    uint64_t *ends = set_new(v);
    match_node(v, node, 0, ends);
    bool matched = set_has(v, ends, v->count);
    for (EACH_POSITION(v, ends, stop))
        if (!matched && stop) note_stop(v, stop, STOP_END);
    return matched || v->exhausted;
}
