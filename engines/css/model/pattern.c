/* Match of a value with a `pattern` attribute: a JavaScript regular expression with the flag v, as
 * a nondeterministic automaton whose states are followed together (Thompson, Regular Expression
 * Search Algorithm, 1968), so that the time is length times states. An invalid pattern is ignored,
 * as HTML specifies; a pattern with look-around, back references or Unicode properties is assumed
 * to match. */
#include <string.h>

#include "inputs.h"
#include "names.h"

enum {
    MOST_STEPS = 2048,
    MOST_RANGES = 2048,
    MOST_DEPTH = 32,
    MOST_TEXT = 1 << 16,
    MOST_WORK = 1 << 15
};
enum { LAST_CODE = 0x10ffff };

enum { STEP_RANGES, STEP_SPLIT, STEP_JUMP, STEP_BEGIN, STEP_END, STEP_FITS };

typedef struct step {
    uint8_t kind;
    uint16_t next;         /* SPLIT, JUMP */
    uint16_t alternative;  /* SPLIT */
    uint16_t first, count; /* RANGES: ranges of the character; `negated`: the others */
    bool negated;
} step;

typedef struct range {
    uint32_t low, high;
} range;

struct pattern {
    const char *at;
    bool unsupported, wrong;
    int depth;
    uint32_t step_count, range_count;
    uint32_t work;              /* steps made so far, repeated ones included */
    step steps[MOST_STEPS + 1]; /* the last one receives the step that exceeds MOST_STEPS */
    range ranges[MOST_RANGES];
};

static bool pattern_stops(const struct pattern *p) { return p->unsupported || p->wrong; }

/* Returns the next byte and moves past it; stays at the final zero. */
static char take(struct pattern *p)
{
    char c = *p->at;
    p->at += c != 0;
    return c;
}

static step *emit(struct pattern *p, int kind)
{
    if (p->step_count == MOST_STEPS || ++p->work > MOST_WORK) {
        p->unsupported = true;
        return &p->steps[MOST_STEPS];
    }
    step *s = &p->steps[p->step_count++];
    *s = (step){.kind = (uint8_t)kind, .first = (uint16_t)p->range_count};
    return s;
}

static void add_range(struct pattern *p, uint32_t low, uint32_t high)
{
    if (p->range_count == MOST_RANGES) p->unsupported = true;
    else p->ranges[p->range_count++] = (range){low, high};
}

/* Reads a character of UTF-8 and moves past it. */
static uint32_t next_code(const char **at)
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

static void add_ranges(struct pattern *p, const range *ranges, size_t count, bool negated)
{
    uint32_t from = 0;
    for (size_t i = 0; i < count; i++) {
        if (!negated) add_range(p, ranges[i].low, ranges[i].high);
        else if (ranges[i].low > from) add_range(p, from, ranges[i].low - 1);
        from = ranges[i].high + 1;
    }
    if (negated) add_range(p, from, LAST_CODE);
}

static bool read_hex(struct pattern *p, int limit, uint32_t *code)
{
    int count = 0;
    for (*code = 0; count < limit; count++, p->at++) {
        char c = css_ascii_lower(*p->at);
        if (!(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'f')) break;
        *code = *code * 16 + (uint32_t)(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    return count == limit || (limit > 4 && count > 0);
}

/* Reads an escape after the backslash. True: *code is a character; false: a class, whose ranges
 * were added. */
static bool read_escape(struct pattern *p, bool in_class, uint32_t *code)
{
    static const char syntax[] = "^$\\.*+?()[]{}|/", class_syntax[] = "-&!#%,:;<=>@`~",
                      controls[] = "tnvfr";
    char c = take(p);
    const char *control = c ? strchr(controls, c) : NULL;
    *code = (unsigned char)c;
    if (c == 'd' || c == 'D') add_ranges(p, digits, HED_COUNT(digits), c == 'D');
    else if (c == 'w' || c == 'W') add_ranges(p, words, HED_COUNT(words), c == 'W');
    else if (c == 's' || c == 'S') add_ranges(p, spaces, HED_COUNT(spaces), c == 'S');
    else if (control) *code = (uint32_t) "\t\n\v\f\r"[control - controls];
    else if (c == '0' && !(*p->at >= '0' && *p->at <= '9')) *code = 0;
    else if (c == 'x') p->wrong |= !read_hex(p, 2, code);
    else if (c == 'u' && *p->at == '{') {
        p->at++;
        p->wrong |= !read_hex(p, 8, code) || take(p) != '}' || *code > LAST_CODE;
    } else if (c == 'u') p->wrong |= !read_hex(p, 4, code);
    else if (c && (strchr(syntax, c) || (in_class && strchr(class_syntax, c)))) return true;
    else if (c && strchr("123456789bBkpPqc", c)) p->unsupported = true;
    else p->wrong = true;
    return !strchr("dDwWsS", c) || !c;
}

/* Reads a class after the `[`. */
static void read_class(struct pattern *p)
{
    step *s = emit(p, STEP_RANGES);
    s->negated = *p->at == '^';
    p->at += s->negated;
    while (*p->at != ']' && !pattern_stops(p)) {
        uint32_t low = 0, high;
        bool is_character = true;
        if (!*p->at || strchr("()/{}|-", *p->at)) p->wrong = true;
        else if (*p->at == '[' || (p->at[1] == *p->at && strchr("&!#$%*+,.:;<=>?@^`~", *p->at)))
            p->unsupported = true; /* sets of sets */
        else if (*p->at == '\\') {
            p->at++;
            is_character = read_escape(p, true, &low);
        } else low = next_code(&p->at);
        if (pattern_stops(p)) return;
        high = low;
        if (*p->at == '-') {
            p->at++;
            if (*p->at == '-') p->unsupported = true;
            else if (!is_character || !*p->at || strchr("()[]/{}|", *p->at)) p->wrong = true;
            else if (*p->at == '\\') {
                p->at++;
                if (!read_escape(p, true, &high)) p->wrong = true;
            } else high = next_code(&p->at);
            p->wrong |= high < low || !is_character;
        }
        if (is_character) add_range(p, low, high);
    }
    take(p);
    s->count = (uint16_t)(p->range_count - s->first);
}

/* ---- terms ---- */

static void read_choice(struct pattern *p);

static void read_group(struct pattern *p)
{
    if (*p->at == '?') {
        bool named = p->at[1] == '<' && p->at[2] != '=' && p->at[2] != '!';
        const char *end = named ? strchr(p->at, '>') : NULL;
        if (p->at[1] == ':') p->at += 2;
        else if (end) p->at = end + 1;
        else p->unsupported = true;
    }
    if (++p->depth > MOST_DEPTH) p->unsupported = true;
    if (!pattern_stops(p)) read_choice(p);
    p->depth--;
    if (!pattern_stops(p) && take(p) != ')') p->wrong = true;
}

static void read_atom(struct pattern *p)
{
    uint32_t code;
    char c = *p->at;
    if (strchr("*+?{}])", c)) p->wrong = true;
    else if (c == '(') {
        p->at++;
        read_group(p);
    } else if (c == '[') {
        p->at++;
        read_class(p);
    } else if (c == '^' || c == '$') {
        p->at++;
        emit(p, c == '^' ? STEP_BEGIN : STEP_END);
    } else {
        step *s = emit(p, STEP_RANGES);
        if (c == '.') {
            p->at++;
            add_ranges(p, newlines, HED_COUNT(newlines), true);
        } else if (c == '\\') {
            p->at++;
            if (read_escape(p, false, &code)) add_range(p, code, code);
        } else {
            code = next_code(&p->at);
            add_range(p, code, code);
        }
        s->count = (uint16_t)(p->range_count - s->first);
    }
}

/* Reads `{low}`, `{low,}` or `{low,high}`. *high: 0xffff: unbounded. */
static void read_counts(struct pattern *p, uint32_t *low, uint32_t *high)
{
    uint32_t *value = low;
    bool has_digits = false;
    *low = 0;
    for (p->at++; *p->at != '}'; p->at++) {
        if (*p->at >= '0' && *p->at <= '9') {
            *value = *value * 10 + (uint32_t)(*p->at - '0');
            has_digits = true;
            if (*value >= MOST_STEPS) {
                p->unsupported = true;
                return;
            }
        } else if (*p->at == ',' && value == low && has_digits) {
            value = high;
            *high = p->at[1] == '}' ? 0xffff : 0;
        } else {
            p->wrong = true;
            return;
        }
    }
    p->at++;
    if (value == low) *high = *low;
    if (!has_digits || *high < *low) p->wrong = true;
}

/* Reads an atom and its repetition; the atom is read again for each copy. */
static void read_term(struct pattern *p)
{
    const char *atom = p->at;
    uint32_t start = p->step_count, ranges = p->range_count, low = 1, high = 1;
    read_atom(p);
    if (pattern_stops(p)) return;
    if (*p->at == '*' || *p->at == '+' || *p->at == '?') {
        low = *p->at == '+';
        high = *p->at++ == '?' ? 1 : 0xffff;
    } else if (*p->at == '{') read_counts(p, &low, &high);
    else return;
    if (pattern_stops(p)) return;
    if (*atom == '^' || *atom == '$') p->wrong = true;
    if (*p->at == '?') p->at++; /* lazy: equal for a match of the whole text */
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
        emit(p, STEP_SPLIT)->next = (uint16_t)(split + 1);
        p->at = atom;
        read_atom(p);
        if (high == 0xffff) emit(p, STEP_JUMP)->next = (uint16_t)split;
        p->steps[split].alternative = (uint16_t)p->step_count;
    }
    p->at = after;
}

/* Reads alternatives up to `)` or the end. */
static void read_choice(struct pattern *p)
{
    uint16_t jumps =
        UINT16_MAX; /* jumps to the end of the choice, linked by `next`, the last one first */
    while (!pattern_stops(p)) {
        uint32_t split = p->step_count;
        emit(p, STEP_SPLIT)->next = (uint16_t)(split + 1);
        while (*p->at && *p->at != '|' && *p->at != ')' && !pattern_stops(p)) read_term(p);
        bool last = *p->at != '|';
        if (!last) {
            uint16_t jump = (uint16_t)p->step_count;
            emit(p, STEP_JUMP)->next = jumps;
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

/* ---- simulation ---- */

/* Set of states. */
struct states {
    uint32_t count;
    uint16_t list[MOST_STEPS];
    bool in[MOST_STEPS];
};

/* Adds a state and the states that it reaches without a character. `begin`, `end`: at this end of
 * the text. */
static void follow(const struct pattern *p, struct states *to, uint16_t from, bool begin, bool end)
{
    uint16_t open[MOST_STEPS + 1]; /* each state is pushed once */
    uint32_t count = 0;
    if (to->in[from]) return;
    to->in[from] = true;
    open[count++] = from;
    while (count) {
        uint16_t at = open[--count], next[2];
        const step *s = &p->steps[at];
        int next_count = 0;
        to->list[to->count++] = at;
        if (s->kind == STEP_SPLIT || s->kind == STEP_JUMP) next[next_count++] = s->next;
        if (s->kind == STEP_SPLIT) next[next_count++] = s->alternative;
        if ((s->kind == STEP_BEGIN && begin) || (s->kind == STEP_END && end))
            next[next_count++] = (uint16_t)(at + 1);
        while (next_count--)
            if (!to->in[next[next_count]]) {
                to->in[next[next_count]] = true;
                open[count++] = next[next_count];
            }
    }
}

static bool has_code(const struct pattern *p, const step *s, uint32_t code)
{
    for (uint32_t i = s->first; i < (uint32_t)s->first + s->count; i++)
        if (code >= p->ranges[i].low && code <= p->ranges[i].high) return !s->negated;
    return s->negated;
}

bool css_fits_pattern(const char *pattern, const char *text, size_t length)
{
    struct pattern p;
    struct states current, following;
    p.at = pattern;
    p.unsupported = p.wrong = length > MOST_TEXT;
    p.depth = 0;
    p.step_count = p.range_count = p.work = 0;
    read_choice(&p);
    if (*p.at) p.wrong = true;
    emit(&p, STEP_FITS);
    if (pattern_stops(&p)) return true;
    const char *at = text, *end = text + length;
    current.count = 0;
    memset(current.in, 0, sizeof current.in);
    follow(&p, &current, 0, true, at == end);
    while (at < end && current.count) {
        uint32_t code = next_code(&at);
        following.count = 0;
        memset(following.in, 0, p.step_count);
        for (uint32_t i = 0; i < current.count; i++) {
            const step *s = &p.steps[current.list[i]];
            if (s->kind == STEP_RANGES && has_code(&p, s, code))
                follow(&p, &following, (uint16_t)(current.list[i] + 1), false, at >= end);
        }
        current = following;
    }
    return current.count && current.in[p.step_count - 1];
}
