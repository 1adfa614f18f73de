/* Numbers, dimensions and mathematical functions with the check of their types (Values 4, sections
 * 5, 6 and 10.9). */
#include "model/names.h"
#include "values/match.h"

enum {
    BASE_LENGTH,
    BASE_ANGLE,
    BASE_TIME,
    BASE_FREQUENCY,
    BASE_RESOLUTION,
    BASE_FLEX,
    BASE_PERCENT,
    BASES
};
enum { MOST_POWER = 100 };

/* Type of a calculation: the power of each base type; all 0: a number. */
typedef struct calculation {
    bool valid;
    int8_t power[BASES];
} calculation;

/* Reader of calculations. */
typedef struct calculator {
    const css_value *value;
    uint32_t at, end;
    int percent;  /* base type that percentages resolve to, or BASE_PERCENT */
    bool size;    /* the word `size` is a length */
    bool anchors; /* anchor functions are lengths: inside of other functions */
    uint32_t depth;
} calculator;

static const css_token *token_at(const css_value *v, uint32_t at) { return &v->tokens[at].token; }

/* Base type of a unit, or BASES. */
static int unit_base(const char *unit)
{
    static const char *const units[] = {
        [BASE_LENGTH] = /* parentheses: clang takes two texts for a forgotten comma */
        ("px em rem ex rex ch rch cap rcap ic ric lh rlh vw vh vi vb vmin vmax svw svh svi svb svmin svmax lvw lvh lvi lvb lvmin "
         "lvmax dvw dvh dvi dvb dvmin dvmax cqw cqh cqi cqb cqmin cqmax cm mm q in pt pc"),
        [BASE_ANGLE] = "deg grad rad turn",
        [BASE_TIME] = "s ms",
        [BASE_FREQUENCY] = "hz khz",
        [BASE_RESOLUTION] = "dpi dpcm dppx x",
        [BASE_FLEX] = "fr"};
    for (int base = 0; base < BASE_PERCENT; base++)
        if (css_among(units[base], unit)) return base;
    return BASES;
}

/* Base type of a dimension or percentage; BASES: another token, or an unknown unit. */
static int token_base(const css_value *v, uint32_t at)
{
    char unit[16];
    const css_token *token = token_at(v, at);
    if (token->type == CSS_PERCENTAGE) return BASE_PERCENT;
    if (token->type != CSS_DIMENSION) return BASES;
    css_keyword(v->text, token, unit, sizeof unit);
    return unit_base(unit);
}

/* ---- calculations ---- */

static calculation numeric_read_sum(calculator *c);

static bool same_type(const calculation *x, const calculation *y)
{
    return memcmp(x->power, y->power, sizeof x->power) == 0;
}

static bool is_number(const calculation *x)
{
    static const calculation number;
    return same_type(x, &number);
}

static bool has_base(const calculation *x, int base)
{
    calculation unit = {0};
    unit.power[base] = 1;
    return same_type(x, &unit);
}

static calculation of_base(int base)
{
    calculation result = {.valid = base != BASES};
    if (result.valid) result.power[base] = 1;
    return result;
}

static bool read_comma(calculator *c)
{
    if (c->at >= c->end || token_at(c->value, c->at)->type != CSS_COMMA) return false;
    c->at++;
    return true;
}

/* Reads a word of a list. */
static bool read_among(calculator *c, const char *words)
{
    char word[32];
    if (c->at >= c->end || token_at(c->value, c->at)->type != CSS_IDENT) return false;
    css_keyword(c->value->text, token_at(c->value, c->at), word, sizeof word);
    if (!css_among(words, word)) return false;
    c->at++;
    return true;
}

/* Kinds of functions: types of arguments and of the result. */
typedef enum function_kind {
    SAME_TYPE,    /* arguments and result have one type */
    SAME_NUMBER,  /* arguments of one type; a number */
    NUMBERS,      /* numbers */
    TO_ANGLE,     /* number; an angle */
    FROM_ANGLE,   /* number or angle; a number */
    SAME_ANGLE,   /* arguments of one type; an angle */
    NO_ARGUMENTS, /* a number */
    ANCHOR        /* a length */
} function_kind;

typedef struct math_function {
    const char *name;
    function_kind kind;
    uint32_t low, high; /* numbers of arguments */
} math_function;

static const math_function functions[] = {{"abs", SAME_TYPE, 1, 1}, {"acos", TO_ANGLE, 1, 1},
    {"anchor", ANCHOR, 0, 0}, {"anchor-size", ANCHOR, 0, 0}, {"asin", TO_ANGLE, 1, 1},
    {"atan", TO_ANGLE, 1, 1}, {"atan2", SAME_ANGLE, 2, 2}, {"calc", SAME_TYPE, 1, 1},
    {"-webkit-calc", SAME_TYPE, 1, 1}, {"clamp", SAME_TYPE, 3, 3}, {"cos", FROM_ANGLE, 1, 1},
    {"exp", NUMBERS, 1, 1}, {"hypot", SAME_TYPE, 1, 1000}, {"log", NUMBERS, 1, 2},
    {"max", SAME_TYPE, 1, 1000}, {"min", SAME_TYPE, 1, 1000}, {"mod", SAME_TYPE, 2, 2},
    {"pow", NUMBERS, 2, 2}, {"progress", SAME_NUMBER, 3, 3}, {"random", SAME_TYPE, 2, 3},
    {"rem", SAME_TYPE, 2, 2}, {"round", SAME_TYPE, 1, 2}, {"sibling-count", NO_ARGUMENTS, 0, 0},
    {"sibling-index", NO_ARGUMENTS, 0, 0}, {"sign", SAME_NUMBER, 1, 1}, {"sin", FROM_ANGLE, 1, 1},
    {"sqrt", NUMBERS, 1, 1}, {"tan", FROM_ANGLE, 1, 1}};

static const math_function *function_at(const css_value *v, uint32_t at)
{
    char name[16];
    if (token_at(v, at)->type != CSS_FUNCTION) return NULL;
    css_keyword(v->text, token_at(v, at), name, sizeof name);
    for (size_t i = 0; i < HED_COUNT(functions); i++)
        if (strcmp(name, functions[i].name) == 0) return &functions[i];
    return NULL;
}

/* Type of a function's result, from the common type of its arguments. */
static calculation function_result(
    const calculator *c, const math_function *f, calculation argument)
{
    calculation number = {.valid = true};
    switch (f->kind) {
    case SAME_TYPE: return argument;
    case SAME_NUMBER: number.valid = argument.valid; return number;
    case NUMBERS: argument.valid &= is_number(&argument); return argument;
    case TO_ANGLE: return of_base(argument.valid && is_number(&argument) ? BASE_ANGLE : BASES);
    case FROM_ANGLE:
        number.valid = argument.valid && (is_number(&argument) || has_base(&argument, BASE_ANGLE));
        return number;
    case SAME_ANGLE: return of_base(argument.valid ? BASE_ANGLE : BASES);
    case NO_ARGUMENTS: return number;
    default: return of_base(c->anchors && c->percent == BASE_LENGTH ? BASE_LENGTH : BASES);
    }
}

/* Reads the function at c->at. */
static calculation numeric_read_function(calculator *c)
{
    const math_function *f = function_at(c->value, c->at);
    calculation common = {.valid = true};
    uint32_t end = c->end, after = c->value->tokens[c->at].after, count = 0;
    if (!f) return (calculation){0};
    c->end = after - (c->value->tokens[after - 1].token.type == CSS_CLOSE_ROUND);
    c->at++;
    bool anchors = c->anchors, anchor = strcmp(f->name, "anchor") == 0;
    if (f->kind == ANCHOR) c->anchors &= anchor ? c->value->anchors : c->value->anchor_sizes;
    else c->anchors = true;
    bool rounds = strcmp(f->name, "round") == 0, clamps = strcmp(f->name, "clamp") == 0;
    if (rounds && read_among(c, "nearest up down to-zero")) common.valid = read_comma(c);
    if (strcmp(f->name, "random") == 0 && token_at(c->value, c->at)->type == CSS_IDENT) {
        while (c->at < c->end && token_at(c->value, c->at)->type == CSS_IDENT) c->at++;
        common.valid = read_comma(c);
    }
    if (f->kind == ANCHOR) c->at = c->end;
    while (common.valid && c->at < c->end) {
        bool open = clamps && count != 1 && read_among(c, "none");
        calculation argument = open ? common : numeric_read_sum(c);
        bool first = !count || (clamps && count == 1 && is_number(&common));
        common.valid = argument.valid && (open || first || same_type(&argument, &common));
        if (common.valid && !open) common = argument;
        count++;
        if (c->at < c->end) common.valid = common.valid && read_comma(c) && c->at < c->end;
    }
    common.valid = common.valid && c->at == c->end && count >= f->low &&
                   (count <= f->high || f->kind == ANCHOR);
    if (rounds && count == 1) common.valid = common.valid && is_number(&common);
    if (f->kind != ANCHOR) c->anchors = anchors;
    c->end = end;
    c->at = after;
    common = function_result(c, f, common);
    c->anchors = anchors;
    return common;
}

/* Reads a sum in parentheses at c->at. */
static calculation numeric_read_parentheses(calculator *c)
{
    uint32_t end = c->end, after = c->value->tokens[c->at].after;
    c->end = after - (c->value->tokens[after - 1].token.type == CSS_CLOSE_ROUND);
    c->at++;
    calculation result = numeric_read_sum(c);
    result.valid = result.valid && c->at == c->end;
    c->end = end;
    c->at = after;
    return result;
}

static calculation numeric_read_operand(calculator *c)
{
    calculation result = {0};
    if (c->at >= c->end || c->depth >= 32) return result;
    const css_token *token = token_at(c->value, c->at);
    c->depth++;
    if (token->type == CSS_FUNCTION) result = numeric_read_function(c);
    else if (token->type == CSS_OPEN_ROUND) result = numeric_read_parentheses(c);
    else if (token->type == CSS_NUMBER) {
        result.valid = true;
        c->at++;
    } else if (token->type == CSS_IDENT) {
        result.valid =
            read_among(c, "e pi infinity -infinity nan") || read_among(c, c->value->channels);
        if (!result.valid && c->size && read_among(c, "size")) result = of_base(BASE_LENGTH);
    } else {
        int base = token_base(c->value, c->at);
        result = of_base(base == BASE_PERCENT ? c->percent : base);
        if (base == BASE_FLEX) result.valid = false;
        c->at++;
    }
    c->depth--;
    return result;
}

/* The delimiter at c->at, or 0. */
static char delimiter_at(const calculator *c)
{
    if (c->at >= c->end || token_at(c->value, c->at)->type != CSS_DELIM) return 0;
    return c->value->text[token_at(c->value, c->at)->begin];
}

static calculation numeric_read_product(calculator *c)
{
    calculation result = numeric_read_operand(c);
    for (char sign = delimiter_at(c); sign == '*' || sign == '/'; sign = delimiter_at(c)) {
        c->at++;
        calculation factor = numeric_read_operand(c);
        result.valid = result.valid && factor.valid;
        for (int i = 0; i < BASES && result.valid; i++) {
            int power = result.power[i] + (sign == '*' ? factor.power[i] : -factor.power[i]);
            result.valid = power <= MOST_POWER && power >= -MOST_POWER;
            result.power[i] = (int8_t)power;
        }
    }
    return result;
}

/* True if white space or a comment is next to a position. */
static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '/';
}

static calculation numeric_read_sum(calculator *c)
{
    calculation result = numeric_read_product(c);
    for (char sign = delimiter_at(c); sign == '+' || sign == '-'; sign = delimiter_at(c)) {
        const css_token *token = token_at(c->value, c->at);
        bool is_spaced =
            is_space(c->value->text[token->begin - 1]) && is_space(c->value->text[token->end]);
        c->at++;
        calculation term = numeric_read_product(c);
        result.valid = result.valid && term.valid && is_spaced && same_type(&result, &term);
    }
    return result;
}

/* ---- terminals ---- */

/* Base type of a numeric terminal, or BASES for numbers; *percent: that of percentages inside. */
static int type_base(css_value_type type, int *percent)
{
    static const int8_t bases[CSS_VALUE_TYPES] = {[CSS_VALUE_INTEGER] = BASES,
        [CSS_VALUE_NUMBER] = BASES, [CSS_VALUE_PERCENTAGE] = BASE_PERCENT,
        [CSS_VALUE_LENGTH] = BASE_LENGTH, [CSS_VALUE_ANGLE] = BASE_ANGLE,
        [CSS_VALUE_TIME] = BASE_TIME, [CSS_VALUE_FREQUENCY] = BASE_FREQUENCY,
        [CSS_VALUE_RESOLUTION] = BASE_RESOLUTION, [CSS_VALUE_FLEX] = BASE_FLEX,
        [CSS_VALUE_LENGTH_PERCENTAGE] = BASE_LENGTH, [CSS_VALUE_ANGLE_PERCENTAGE] = BASE_ANGLE,
        [CSS_VALUE_TIME_PERCENTAGE] = BASE_TIME, [CSS_VALUE_NUMBER_PERCENTAGE] = BASES};
    *percent = BASE_PERCENT;
    if (type == CSS_VALUE_LENGTH_PERCENTAGE || type == CSS_VALUE_ANGLE_PERCENTAGE ||
        type == CSS_VALUE_TIME_PERCENTAGE)
        *percent = bases[type];
    return bases[type];
}

/* True if the result of the function at a token has the terminal's type. */
static bool function_fits(const css_value *v, css_value_type type, uint32_t at)
{
    int percent, base = type_base(type, &percent);
    calculator c = {.value = v, .at = at, .end = v->tokens[at].after, .percent = percent};
    calculation result = numeric_read_function(&c);
    if (!result.valid) return false;
    if (type == CSS_VALUE_NUMBER_PERCENTAGE && has_base(&result, BASE_PERCENT)) return true;
    return base == BASES ? is_number(&result) : has_base(&result, base);
}

static bool token_fits(const css_value *v, css_value_type type, uint32_t at)
{
    int percent, wanted_base = type_base(type, &percent), base = token_base(v, at);
    const css_token *token = token_at(v, at);
    if (token->type == CSS_NUMBER) {
        bool zero = css_number(v->text, token) == 0;
        if (type == CSS_VALUE_INTEGER) return token->integer;
        if (wanted_base == BASES) return true;
        return wanted_base == BASE_LENGTH && (zero || v->quirks);
    }
    if (base == BASE_PERCENT)
        return type == CSS_VALUE_PERCENTAGE || type >= CSS_VALUE_LENGTH_PERCENTAGE;
    return base != BASES && base == wanted_base;
}

uint32_t css_value_numeric(
    const css_value *v, css_value_type type, const css_grammar_range *range, uint32_t at)
{
    const css_token *token = token_at(v, at);
    if (token->type == CSS_FUNCTION)
        return function_at(v, at) && function_fits(v, type, at) ? v->tokens[at].after : CSS_NO_NODE;
    if (!token_fits(v, type, at)) return CSS_NO_NODE;
    double number = css_number(v->text, token);
    return number >= range->low && number <= range->high ? at + 1 : CSS_NO_NODE;
}

uint32_t css_value_sum(const css_value *v, uint32_t at)
{
    calculator c = {
        .value = v, .at = at, .end = v->end, .percent = BASE_LENGTH, .size = true, .anchors = true};
    calculation result = numeric_read_sum(&c);
    return result.valid && has_base(&result, BASE_LENGTH) ? c.at : CSS_NO_NODE;
}
