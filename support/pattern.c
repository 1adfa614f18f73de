/* See pattern.h. A repeated atom is read again for each of its copies. */
#include "support/pattern.h"

#include "heddle/author.h"

#include <string.h>

typedef hed_pattern_step step;
typedef hed_pattern_range range;

enum { MOST_DEPTH = 32, MOST_WORK = 1 << 15, LAST_CODE = 0x10ffff };

enum { STEP_RANGES, STEP_SPLIT, STEP_JUMP, STEP_BEGIN, STEP_END, STEP_BOUNDARY, STEP_FITS };

static bool pattern_stops(const hed_pattern *p) { return p->unsupported || p->wrong; }

static void refuse(hed_pattern *p, const char *problem)
{
    if (!p->wrong) p->wrong = problem;
}

static void lack(hed_pattern *p, const char *feature)
{
    if (!p->unsupported) p->unsupported = feature;
}

static bool has_sets(const hed_pattern *p) { return p->flags & HED_PATTERN_SETS; }

/* Returns the next byte and moves past it; stays at the final zero. */
static char pattern_take(hed_pattern *p)
{
    char c = *p->at;
    p->at += c != 0;
    return c;
}

static step *pattern_step(hed_pattern *p, int kind)
{
    if (p->step_count == HED_PATTERN_STEPS || ++p->work > MOST_WORK) {
        lack(p, "a length of more than 2,048 steps");
        return &p->steps[HED_PATTERN_STEPS];
    }
    step *s = &p->steps[p->step_count++];
    *s = (step){.kind = (uint8_t)kind, .first = (uint16_t)p->range_count};
    return s;
}

static void pattern_range(hed_pattern *p, uint32_t low, uint32_t high)
{
    if (p->range_count == HED_PATTERN_RANGES) lack(p, "more than 2,048 ranges of characters");
    else p->ranges[p->range_count++] = (range){low, high};
}

/* Reads a character of UTF-8 and moves past it. */
static uint32_t pattern_code(const char **at)
{
    const unsigned char *c = (const unsigned char *)*at;
    uint32_t code = *c++;
    int trailing = code >= 0xf0 ? 3 : code >= 0xe0 ? 2 : code >= 0xc0 ? 1 : 0;
    if (trailing) code &= 0x3fu >> trailing;
    for (; trailing && (*c & 0xc0) == 0x80; trailing--) code = code << 6 | (*c++ & 0x3f);
    *at = (const char *)c;
    return code;
}

/* ---- characters and classes ---- */

static const range digits[] = {{'0', '9'}};
static const range words[] = {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}};
static const range spaces[] = {{9, 13}, {' ', ' '}, {0xa0, 0xa0}, {0x1680, 0x1680},
    {0x2000, 0x200a}, {0x2028, 0x2029}, {0x202f, 0x202f}, {0x205f, 0x205f}, {0x3000, 0x3000},
    {0xfeff, 0xfeff}};
static const range newlines[] = {{10, 10}, {13, 13}, {0x2028, 0x2029}};

static void add_ranges(hed_pattern *p, const range *ranges, size_t count, bool negated)
{
    uint32_t from = 0;
    for (size_t i = 0; i < count; i++) {
        if (!negated) pattern_range(p, ranges[i].low, ranges[i].high);
        else if (ranges[i].low > from) pattern_range(p, from, ranges[i].low - 1);
        from = ranges[i].high + 1;
    }
    if (negated) pattern_range(p, from, LAST_CODE);
}

static bool read_hex(hed_pattern *p, int limit, uint32_t *code)
{
    int count = 0;
    for (*code = 0; count < limit; count++, p->at++) {
        char c = *p->at | 32; /* a letter in lower case; digits are unchanged */
        if (!(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'f')) break;
        *code = *code * 16 + (uint32_t)(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    return count == limit || (limit > 4 && count > 0);
}

/* Reads a code of hexadecimal digits after \x or \u. */
static void pattern_read_code(hed_pattern *p, char letter, uint32_t *code)
{
    const char *from = p->at;
    bool braces = letter == 'u' && *p->at == '{' && has_sets(p);
    p->at += braces;
    bool fits = read_hex(p, letter == 'x' ? 2 : braces ? 8 : 4, code);
    if (braces) fits = pattern_take(p) == '}' && fits && *code <= LAST_CODE;
    if (fits) return;
    if (has_sets(p)) refuse(p, "a damaged code after \\x or \\u");
    p->at = from; /* the letter itself, as without the flag v */
    *code = (unsigned char)letter;
}

/* Reads an escape after the backslash. True: *code is a character; false: a class, whose ranges
 * were added. */
static bool read_escape(hed_pattern *p, bool in_class, uint32_t *code)
{
    static const char syntax[] = "^$\\.*+?()[]{}|/", class_syntax[] = "-&!#%,:;<=>@`~",
                      controls[] = "tnvfr";
    char c = pattern_take(p);
    const char *control = c ? strchr(controls, c) : NULL;
    *code = (unsigned char)c;
    if (c == 'd' || c == 'D') add_ranges(p, digits, HED_COUNT(digits), c == 'D');
    else if (c == 'w' || c == 'W') add_ranges(p, words, HED_COUNT(words), c == 'W');
    else if (c == 's' || c == 'S') add_ranges(p, spaces, HED_COUNT(spaces), c == 'S');
    else if (control) *code = (uint32_t) "\t\n\v\f\r"[control - controls];
    else if (c == '0' && !(*p->at >= '0' && *p->at <= '9')) *code = 0;
    else if (c == 'x' || c == 'u') pattern_read_code(p, c, code);
    else if (c == 'b' && in_class) *code = '\b';
    else if (c && (strchr(syntax, c) || (in_class && strchr(class_syntax, c)))) return true;
    else if (c && strchr("123456789k", c)) lack(p, "a back reference");
    else if (c && strchr("pP", c)) lack(p, "a Unicode property (\\p)");
    else if (c && strchr("qc", c)) lack(p, "an escape \\q or \\c");
    else if (!c || has_sets(p)) refuse(p, "an unknown escape");
    else if ((unsigned char)c >= 0x80) {
        p->at--;
        *code = pattern_code(&p->at);
    }
    return !strchr("dDwWsS", c) || !c;
}

/* Reads one end of a range in a class. False: a class such as \d. */
static bool read_class_end(hed_pattern *p, uint32_t *code)
{
    if (*p->at != '\\') {
        *code = pattern_code(&p->at);
        return true;
    }
    p->at++;
    return read_escape(p, true, code);
}

/* Refuses the characters of a class that are syntax with the flag v. */
static void check_class(hed_pattern *p)
{
    if (!*p->at) refuse(p, "a class without its end");
    else if (!has_sets(p)) return;
    else if (strchr("()/{}|-", *p->at)) refuse(p, "a character that a class has to escape");
    else if (*p->at == '[' || (p->at[1] == *p->at && strchr("&!#$%*+,.:;<=>?@^`~", *p->at)))
        lack(p, "a set of sets");
}

/* Reads a class after the `[`. */
static void read_class(hed_pattern *p)
{
    step *s = pattern_step(p, STEP_RANGES);
    s->negated = *p->at == '^';
    p->at += s->negated;
    while (*p->at != ']' && !pattern_stops(p)) {
        uint32_t low = 0, high;
        check_class(p);
        if (pattern_stops(p)) return;
        bool is_character = read_class_end(p, &low);
        bool is_range = *p->at == '-' && (has_sets(p) || (p->at[1] != ']' && is_character));
        high = low;
        if (is_range) {
            p->at++;
            check_class(p);
            if (*p->at == ']') refuse(p, "a range without its end");
            if (pattern_stops(p)) return;
            bool ends = read_class_end(p, &high);
            if (!ends || !is_character || high < low) refuse(p, "a range without its ends");
        }
        if (is_character) pattern_range(p, low, high);
    }
    pattern_take(p);
    s->count = (uint16_t)(p->range_count - s->first);
}

/* ---- terms ---- */

static void read_choice(hed_pattern *p);

static void read_group(hed_pattern *p)
{
    if (*p->at == '?') {
        bool named = p->at[1] == '<' && p->at[2] != '=' && p->at[2] != '!';
        const char *end = named ? strchr(p->at, '>') : NULL;
        if (p->at[1] == ':') p->at += 2;
        else if (end) p->at = end + 1;
        else if (p->at[1] == '=' || p->at[1] == '!') lack(p, "look-ahead (?= or (?!");
        else if (p->at[1] == '<') lack(p, "look-behind (?<= or (?<!");
        else refuse(p, "an unknown group (?");
    }
    if (++p->depth > MOST_DEPTH) lack(p, "a depth of more than 32 groups");
    if (!pattern_stops(p)) read_choice(p);
    p->depth--;
    if (!pattern_stops(p) && pattern_take(p) != ')') refuse(p, "a group without its end");
}

/* True if `{`, as without the flag v, is a character: no count follows. */
static bool is_literal_brace(const hed_pattern *p)
{
    const char *at = p->at + 1;
    while (*at >= '0' && *at <= '9') at++;
    bool digits_first = at > p->at + 1;
    if (*at == ',') at++;
    while (*at >= '0' && *at <= '9') at++;
    return !has_sets(p) && (!digits_first || *at != '}');
}

static void read_atom(hed_pattern *p)
{
    uint32_t code;
    char c = *p->at;
    bool literal = !has_sets(p) && (c == '}' || c == ']' || (c == '{' && is_literal_brace(p)));
    if (strchr("*+?{}])", c) && !literal) refuse(p, "a repetition of nothing, or a lone bracket");
    else if (c == '(') {
        p->at++;
        read_group(p);
    } else if (c == '[') {
        p->at++;
        read_class(p);
    } else if (c == '^' || c == '$') {
        p->at++;
        pattern_step(p, c == '^' ? STEP_BEGIN : STEP_END);
    } else if (c == '\\' && (p->at[1] | 32) == 'b') {
        pattern_step(p, STEP_BOUNDARY)->negated = p->at[1] == 'B';
        p->at += 2;
    } else {
        step *s = pattern_step(p, STEP_RANGES);
        if (c == '.') {
            p->at++;
            add_ranges(p, newlines, HED_COUNT(newlines), true);
        } else if (c == '\\') {
            p->at++;
            if (read_escape(p, false, &code)) pattern_range(p, code, code);
        } else {
            code = pattern_code(&p->at);
            pattern_range(p, code, code);
        }
        s->count = (uint16_t)(p->range_count - s->first);
    }
}

/* Reads `{low}`, `{low,}` or `{low,high}`. *high: 0xffff: unbounded. */
static void read_counts(hed_pattern *p, uint32_t *low, uint32_t *high)
{
    uint32_t *value = low;
    bool has_digits = false;
    *low = 0;
    for (p->at++; *p->at != '}'; p->at++) {
        if (*p->at >= '0' && *p->at <= '9') {
            *value = *value * 10 + (uint32_t)(*p->at - '0');
            has_digits = true;
            if (*value >= HED_PATTERN_STEPS) {
                lack(p, "a count of more than 2,047");
                return;
            }
        } else if (*p->at == ',' && value == low && has_digits) {
            value = high;
            *high = p->at[1] == '}' ? 0xffff : 0;
        } else {
            refuse(p, "a damaged count {}");
            return;
        }
    }
    p->at++;
    if (value == low) *high = *low;
    if (!has_digits || *high < *low) refuse(p, "a damaged count {}");
}

/* Reads an atom and its repetition; the atom is read again for each copy. */
static void read_term(hed_pattern *p)
{
    const char *atom = p->at;
    uint32_t start = p->step_count, ranges = p->range_count, low = 1, high = 1;
    read_atom(p);
    if (pattern_stops(p)) return;
    if (*p->at == '*' || *p->at == '+' || *p->at == '?') {
        low = *p->at == '+';
        high = *p->at++ == '?' ? 1 : 0xffff;
    } else if (*p->at == '{' && !is_literal_brace(p)) read_counts(p, &low, &high);
    else return;
    if (pattern_stops(p)) return;
    bool boundary = *atom == '\\' && (atom[1] | 32) == 'b';
    if (*atom == '^' || *atom == '$' || boundary) refuse(p, "a repetition of a position");
    if (*p->at == '?') p->at++; /* lazy: equal for the result */
    const char *after = p->at;
    p->step_count = start;
    p->range_count = ranges;
    for (uint32_t i = 0; i < low && !pattern_stops(p); i++) {
        p->at = atom;
        read_atom(p);
    }
    uint32_t optional = high == 0xffff ? 1 : high - low;
    for (uint32_t i = 0; i < optional && !pattern_stops(p); i++) {
        uint32_t split = p->step_count;
        pattern_step(p, STEP_SPLIT)->next = (uint16_t)(split + 1);
        p->at = atom;
        read_atom(p);
        if (high == 0xffff) pattern_step(p, STEP_JUMP)->next = (uint16_t)split;
        p->steps[split].alternative = (uint16_t)p->step_count;
    }
    p->at = after;
}

/* Reads alternatives up to `)` or the end. */
static void read_choice(hed_pattern *p)
{
    uint16_t jumps =
        UINT16_MAX; /* jumps to the end of the choice, linked by `next`, the last one first */
    while (!pattern_stops(p)) {
        uint32_t split = p->step_count;
        pattern_step(p, STEP_SPLIT)->next = (uint16_t)(split + 1);
        while (*p->at && *p->at != '|' && *p->at != ')' && !pattern_stops(p)) read_term(p);
        bool last = *p->at != '|';
        if (!last) {
            uint16_t jump = (uint16_t)p->step_count;
            pattern_step(p, STEP_JUMP)->next = jumps;
            jumps = jump;
        }
        p->steps[split].alternative = (uint16_t)(last ? split + 1 : p->step_count);
        if (last) break;
        p->at++;
    }
    while (jumps != UINT16_MAX && !pattern_stops(p)) {
        uint16_t before = p->steps[jumps].next;
        p->steps[jumps].next = (uint16_t)p->step_count;
        jumps = before;
    }
}

bool hed_pattern_read(hed_pattern *p, const char *text, unsigned flags)
{
    p->at = text;
    p->flags = flags;
    p->wrong = p->unsupported = NULL;
    p->depth = 0;
    p->step_count = p->range_count = p->work = 0;
    read_choice(p);
    if (*p->at && !pattern_stops(p)) refuse(p, "a lone bracket");
    pattern_step(p, STEP_FITS);
    return !pattern_stops(p);
}

/* ---- simulation ---- */

/* Set of states. */
struct states {
    uint32_t count;
    uint32_t round; /* a state is in the set if its mark is `round` */
    uint16_t list[HED_PATTERN_STEPS + 1];
    uint32_t mark[HED_PATTERN_STEPS + 1];
};

/* Position between two characters. */
struct position {
    bool begin, end, boundary;
};

static bool is_word_code(uint32_t code)
{
    for (size_t i = 0; i < HED_COUNT(words); i++)
        if (code >= words[i].low && code <= words[i].high) return true;
    return false;
}

static void states_clear(struct states *s)
{
    s->count = 0;
    s->round++;
}

/* Adds a state and the states that it reaches without a character. */
static void pattern_follow(
    const hed_pattern *p, struct states *to, uint16_t from, const struct position *position)
{
    uint16_t open[HED_PATTERN_STEPS + 1]; /* each state is pushed once */
    uint32_t count = 0;
    if (to->mark[from] == to->round) return;
    to->mark[from] = to->round;
    open[count++] = from;
    while (count) {
        uint16_t at = open[--count], next[2];
        const step *s = &p->steps[at];
        int next_count = 0;
        to->list[to->count++] = at;
        bool passes = (s->kind == STEP_BEGIN && position->begin) ||
                      (s->kind == STEP_END && position->end) ||
                      (s->kind == STEP_BOUNDARY && position->boundary != s->negated);
        if (s->kind == STEP_SPLIT || s->kind == STEP_JUMP) next[next_count++] = s->next;
        if (s->kind == STEP_SPLIT) next[next_count++] = s->alternative;
        if (passes) next[next_count++] = (uint16_t)(at + 1);
        while (next_count--)
            if (to->mark[next[next_count]] != to->round) {
                to->mark[next[next_count]] = to->round;
                open[count++] = next[next_count];
            }
    }
}

static bool has_code(const hed_pattern *p, const step *s, uint32_t code)
{
    uint32_t folded = code;
    if (p->flags & HED_PATTERN_ANY_CASE && ((code | 32) >= 'a' && (code | 32) <= 'z') && code < 128)
        folded = code ^ 32;
    for (uint32_t i = s->first; i < (uint32_t)s->first + s->count; i++) {
        const range *r = &p->ranges[i];
        if ((code >= r->low && code <= r->high) || (folded >= r->low && folded <= r->high))
            return !s->negated;
    }
    return s->negated;
}

bool hed_pattern_fits(const hed_pattern *p, const char *text, size_t length)
{
    struct states sets[2], *current = &sets[0], *following = &sets[1];
    const char *at = text, *end = text + length;
    const uint16_t fits = (uint16_t)(p->step_count - 1);
    bool whole = p->flags & HED_PATTERN_WHOLE, word = false;
    if (length > HED_PATTERN_TEXT) return false;
    for (int i = 0; i < 2; i++) {
        sets[i].count = sets[i].round = 0;
        memset(sets[i].mark, 0, (p->step_count + 1) * sizeof *sets[i].mark);
        states_clear(&sets[i]);
    }
    for (bool begin = true;; begin = false) {
        const char *after = at;
        uint32_t code = at < end ? pattern_code(&after) : 0;
        bool next_word = at < end && is_word_code(code);
        const struct position position = {begin, at >= end, word != next_word};
        /* states wait with their own number, until the position after their character is known */
        states_clear(following);
        for (uint32_t i = 0; i < current->count; i++)
            pattern_follow(p, following, current->list[i], &position);
        if (begin || !whole) pattern_follow(p, following, 0, &position);
        if (following->mark[fits] == following->round && (!whole || at >= end)) return true;
        if (at >= end || (!following->count && whole)) return false;
        states_clear(current);
        for (uint32_t i = 0; i < following->count; i++) {
            const step *s = &p->steps[following->list[i]];
            uint16_t next = (uint16_t)(following->list[i] + 1);
            if (s->kind != STEP_RANGES || !has_code(p, s, code)) continue;
            if (current->mark[next] == current->round) continue;
            current->mark[next] = current->round;
            current->list[current->count++] = next;
        }
        word = next_word;
        at = after;
    }
}
