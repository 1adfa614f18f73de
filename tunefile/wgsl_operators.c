/* Operators of WGSL without the parentheses that the language requires, as in `x * 3u ^ y` and `a
 * >> b & 1u`. Native programs take such texts, with the precedence of C; browsers refuse them. */
#include "tunefile/spec.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { MOST_OPERANDS = 64, DEEPEST = 64, LONGEST_TEMPLATE = 256 };

enum level {
    LEVEL_NONE,
    LEVEL_OR,
    LEVEL_AND,
    LEVEL_BIT_OR,
    LEVEL_BIT_XOR,
    LEVEL_BIT_AND,
    LEVEL_EQUAL,
    LEVEL_LESS,
    LEVEL_SHIFT,
    LEVEL_SUM,
    LEVEL_PRODUCT
};

/* Operands of one expression, with the operators between them. */
typedef struct operands {
    const char *from[MOST_OPERANDS], *to[MOST_OPERANDS]; /* (count) */
    enum level levels[MOST_OPERANDS]; /* (count - 1) of the operator after each operand */
    uint32_t count;
} operands;

/* Parentheses to be put before and after each byte of a text. */
typedef struct parentheses {
    const char *text;
    uint8_t *before, *after; /* (size + 1) */
    size_t count;
    const char *first; /* NULL: no parenthesis */
} parentheses;

static const char *skip_space(const char *at)
{
    for (;;) {
        const char *after = hed_spec_skip_comment(at + strspn(at, " \t\r\n"));
        if (after == at) return at;
        at = after;
    }
}

static bool is_wgsl_letter(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* Returns the end of a list of template arguments, as in vec3<u32>; NULL: the sign is an
 * operator. */
static const char *template_end(const char *at)
{
    uint32_t depth = 0;
    const char *end = at + strnlen(at, LONGEST_TEMPLATE);
    for (; at < end && (is_wgsl_letter(*at) || strchr("<>, \t\r\n", *at)); at++) {
        depth += *at == '<';
        if (*at == '>' && --depth == 0) return at + 1;
    }
    return NULL;
}

/* Returns the end of a pair of brackets; NULL: it has no end, or is too deep. */
static const char *brackets_end(const char *at)
{
    uint32_t depth = 0;
    for (; *at; at++) {
        at = skip_space(at);
        if (*at == '(' || *at == '[') depth++;
        else if ((*at == ')' || *at == ']') && --depth == 0) return at + 1;
        if (!*at || depth > DEEPEST || strchr("{};", *at)) return NULL;
    }
    return NULL;
}

/* Returns the end of an operand with its signs, members, indices and arguments; NULL: no operand
 * begins here. */
static const char *operand_end(const char *at)
{
    while (*at && strchr("-!~&*", *at)) at = skip_space(at + 1);
    const char *end = at;
    if (*at == '(') end = brackets_end(at);
    else
        while (is_wgsl_letter(*end) ||
               (*end == '.' && (isdigit((unsigned char)end[1]) || isdigit((unsigned char)*at))) ||
               ((*end == '+' || *end == '-') && end > at && isdigit((unsigned char)*at) &&
                   strchr("eE", end[-1]) && !(at[0] == '0' && (at[1] | 32) == 'x')))
            end++;
    if (!end || end == at) return NULL;
    for (;;) {
        const char *next = skip_space(end),
                   *after = *next == '<' && is_wgsl_letter(end[-1]) ? template_end(next) : NULL;
        if (*next == '(' || *next == '[') after = brackets_end(next);
        if (*next == '.' && is_wgsl_letter(next[1])) {
            after = next + 1;
            while (is_wgsl_letter(*after)) after++;
        }
        if (!after) return end;
        end = after;
    }
}

/* Reads an operator of two operands; 0: another sign, or an assignment. */
static enum level operator_at(const char *at, size_t *size)
{
    static const struct {
        const char *sign;
        enum level level;
    } signs[] = {{"||", LEVEL_OR}, {"&&", LEVEL_AND}, {"==", LEVEL_EQUAL}, {"!=", LEVEL_EQUAL},
        {"<<", LEVEL_SHIFT}, {">>", LEVEL_SHIFT}, {"<=", LEVEL_LESS}, {">=", LEVEL_LESS},
        {"<", LEVEL_LESS}, {">", LEVEL_LESS}, {"|", LEVEL_BIT_OR}, {"^", LEVEL_BIT_XOR},
        {"&", LEVEL_BIT_AND}, {"+", LEVEL_SUM}, {"-", LEVEL_SUM}, {"*", LEVEL_PRODUCT},
        {"/", LEVEL_PRODUCT}, {"%", LEVEL_PRODUCT}};
    for (size_t i = 0; i < HED_COUNT(signs); i++) {
        *size = strlen(signs[i].sign);
        if (strncmp(at, signs[i].sign, *size) != 0) continue;
        bool is_comparison = signs[i].level == LEVEL_EQUAL || signs[i].level == LEVEL_LESS;
        return at[*size] == '=' && !is_comparison ? LEVEL_NONE : signs[i].level;
    }
    return LEVEL_NONE;
}

/* Reads the operands of an expression. False: another text, or too many operands. */
static bool read_operands(const char *at, operands *list)
{
    list->count = 0;
    for (;;) {
        size_t size;
        const char *end = list->count < MOST_OPERANDS ? operand_end(at) : NULL;
        if (!end) return false;
        list->from[list->count] = at;
        list->to[list->count] = end;
        at = skip_space(end);
        enum level level = operator_at(at, &size);
        list->levels[list->count++] = level;
        if (!level) return list->count > 2;
        at = skip_space(at + size);
    }
}

/* True if WGSL requires parentheses around an operator that is an operand of another. */
static bool needs_parentheses(enum level outer, enum level inner)
{
    bool is_bitwise = outer >= LEVEL_BIT_OR && outer <= LEVEL_BIT_AND,
         is_comparison = outer == LEVEL_EQUAL || outer == LEVEL_LESS;
    if (!outer || !inner) return false;
    if (outer == inner) return is_comparison || outer == LEVEL_SHIFT;
    if (is_bitwise || outer == LEVEL_SHIFT) return true;
    return is_comparison ? inner < LEVEL_SHIFT : outer < LEVEL_BIT_OR && inner < LEVEL_EQUAL;
}

/* Puts the parentheses of operands `from` to `to`, which are an operand of an operator. */
static void put_pairs(
    parentheses *p, const operands *list, uint32_t from, uint32_t to, enum level outer)
{
    uint32_t split = from;
    for (uint32_t i = from; i < to; i++)
        if (i == from || list->levels[i] <= list->levels[split]) split = i;
    if (from == to) return;
    enum level level = list->levels[split];
    if (needs_parentheses(outer, level)) {
        p->before[list->from[from] - p->text]++;
        p->after[list->to[to] - p->text]++;
        p->count++;
        if (!p->first || list->from[from] < p->first) p->first = list->from[from];
    }
    put_pairs(p, list, from, split, level);
    put_pairs(p, list, split + 1, to, level);
}

void hed_spec_put_parentheses(hed_spec_reader *reader, hed_json_node node, hed_source *source)
{
    size_t size = strlen(source->text);
    operands list;
    parentheses p = {.text = source->text};
    p.before = hed_spec_allocate(reader, 2 * (size + 1), node);
    if (!p.before) return;
    memset(p.before, 0, 2 * (size + 1));
    p.after = p.before + size + 1;
    bool is_start = true; /* an expression may begin here */
    for (const char *at = source->text; *(at = skip_space(at));) {
        size_t length = 0;
        while (is_wgsl_letter(at[length])) length++;
        if (is_start && read_operands(at, &list))
            put_pairs(&p, &list, 0, list.count - 1, LEVEL_NONE);
        is_start =
            length ? length == 6 && !memcmp(at, "return", 6) : strchr("([,={};:", *at) != NULL;
        is_start = is_start || (length == 2 && !memcmp(at, "if", 2)) ||
                   (length == 5 && !memcmp(at, "while", 5));
        at += length ? length : 1;
    }
    char *text = p.count ? hed_spec_allocate(reader, size + 2 * p.count + 1, node) : NULL,
         *to = text;
    uint32_t line = 1;
    if (!text) return;
    for (size_t i = 0; i <= size; i++) {
        for (uint8_t n = p.after[i]; n; n--) *to++ = ')';
        for (uint8_t n = p.before[i]; n; n--) *to++ = '(';
        *to++ = source->text[i];
        line += i < (size_t)(p.first - p.text) && source->text[i] == '\n';
    }
    source->text = text;
    source->size = (size_t)(to - text) - 1;
    hed_spec_add_note(reader, node,
        hed_spec_text(reader, node,
            "parentheses are added around mixed operators, from line %u on: native programs take the text without them, "
            "browsers do not",
            line));
}
