/* Compiler of expressions over parameters. Recursive descent, one function for each level of
 * precedence.
 *
 * Precedence, from the loosest: choices (`c ? a : b`, `a if c else b`, right-associative), or
 *
 * , and &&, not, comparisons and `in` (chained), + -, * / // %, the signs and !, **
 * (right-associative, and above a sign on its left: -2 ** 2 is -4). If C and Python differ,
 * Python's rule applies: % and // round down, / does not, round() rounds half to even, comparisons
 * are chained; ! exists in C alone and binds as in C.
 *
 * A label in quotes means the value that its parameter assigns to it. If it is compared with a
 * parameter, it is a label of that parameter; elsewhere all parameters with this label must agree
 * on the value. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "search/expression.h"

typedef enum token_kind { TOKEN_END, TOKEN_NUMBER, TOKEN_NAME, TOKEN_LABEL, TOKEN_SIGN } token_kind;

typedef struct token {
    token_kind kind;
    const char *text; /* a label's text lacks its quotes */
    size_t size;
    double number;
} token;

typedef struct parser {
    const hed_expression_names *names;
    const char *text;
    token current; /* the next token */
    const char *next;
    /* (length of the text): no construct compiles to more instructions than characters */
    hed_instruction *program;
    uint32_t count;
    uint32_t waiting; /* depth of the stack after the program so far */
    uint32_t depth;
    hed_status status; /* status of the first error: after it there are no more tokens */
    hed_error *error;
} parser;

/* ---- errors in the text ---- */

/* Reports an error; only the first is kept. The message quotes the text, from its beginning if it
 * is short, else from near `at`. */
__attribute__((format(printf, 4, 5))) static void parse_complain(
    parser *p, hed_status status, const char *at, const char *format, ...)
{
    if (p->status) return;
    char words[640];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    size_t column = (size_t)(at - p->text), from = column > 60 ? column - 50 : 0;
    p->status = hed_fail(p->error, status, "%s%.120s%s: column %zu: %s", from ? "..." : "",
        p->text + from, strlen(p->text + from) > 120 ? "..." : "", column + 1, words);
}

/* Reports an unexpected token. */
static void complain_of_token(parser *p, const char *expectation)
{
    bool end = p->current.kind == TOKEN_END, label = p->current.kind == TOKEN_LABEL;
    parse_complain(p, HED_ERROR_FORMAT, p->current.text - label, "expected %s, found %.*s",
        expectation, end || label || p->current.size > 40 ? 40 : (int)p->current.size,
        end     ? "the end"
        : label ? "a label"
                : p->current.text);
}

/* ---- tokens: numbers, names, labels in quotes, signs ---- */

static bool parse_is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool parse_is_digit(char c) { return c >= '0' && c <= '9'; }

/* Reads digits of a base into `value`. */
static const char *read_digits(const char *at, double base, double *value, int *count)
{
    for (*count = 0;; at++, ++*count) {
        char lower = (char)(*at | 0x20);
        int digit = parse_is_digit(*at)                          ? *at - '0'
                    : base == 16 && lower >= 'a' && lower <= 'f' ? lower - 'a' + 10
                                                                 : -1;
        if (digit < 0) return at;
        *value = *value * base + digit;
    }
}

/* Reads a number in the common syntax of C and Python. strtod() is unsuitable: its decimal point
 * depends on the locale. Exact for integers up to 2^53 and for decimals of at most 15 digits and 22
 * places, since powers of ten up to 10^22 are exact. */
static const char *parse_read_number(const char *at, double *value, const char **wrong)
{
    int whole, part = 0, places = 0, digits;
    *value = 0;
    if (at[0] == '0' && (at[1] | 0x20) == 'x') {
        at = read_digits(at + 2, 16, value, &whole);
    } else {
        at = read_digits(at, 10, value, &whole);
        if (*at == '.') at = read_digits(at + 1, 10, value, &part);
        if (whole + part > 0 && (*at | 0x20) == 'e') {
            bool down = at[1] == '-';
            double exponent = 0;
            at = read_digits(at + 1 + (at[1] == '-' || at[1] == '+'), 10, &exponent, &digits);
            if (digits == 0 || exponent > 1000)
                *wrong = "expected a number: its exponent is missing or too large";
            else places = down ? -(int)exponent : (int)exponent;
        }
        places -= part;
        *value = places < 0 ? *value / pow(10, -places) : *value * pow(10, places);
        whole += part;
    }
    if (whole == 0 || parse_is_letter(*at) || parse_is_digit(*at) || *at == '.' ||
        !isfinite(*value))
        *wrong = "expected a number as 12, 0.5, 1e9 or 0xff";
    return at;
}

static void read_label(parser *p)
{
    char quote = *p->next;
    const char *end = strchr(p->next + 1, quote);
    p->current = (token){.kind = TOKEN_LABEL, .text = p->next + 1};
    if (!end) {
        parse_complain(
            p, HED_ERROR_FORMAT, p->next, "the label that begins here has no closing quote");
        return;
    }
    p->current.size = (size_t)(end - p->current.text);
    p->next = end + 1;
}

static void read_sign(parser *p)
{
    static const char *const signs[] = {"**", "//", "<=", ">=", "==", "!=", "&&", "||"};
    p->current = (token){.kind = TOKEN_SIGN, .text = p->next, .size = 1};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (strncmp(p->next, signs[i], 2) == 0) p->current.size = 2;
    char sign = *p->next;
    const char *wrong = sign == '=' ? "write == to compare"
                        : sign == '&' || sign == '|'
                            ? "write && or and, || or or; there are no operations on bits"
                            : "this character means nothing here";
    if (p->current.size == 1 && !strchr("+-*/%<>!?:()[],", sign))
        parse_complain(p, HED_ERROR_FORMAT, p->next, "%s", wrong);
    p->next += p->current.size;
}

/* Reads the next token. */
static void parse_advance(parser *p)
{
    const char *wrong = NULL;
    while (*p->next && strchr(" \t\r\n", *p->next)) p->next++;
    char first = *p->next;
    if (first == 0 || p->status) {
        p->current = (token){.kind = TOKEN_END, .text = p->next};
    } else if (parse_is_letter(first)) {
        const char *from = p->next;
        while (parse_is_letter(*p->next) || parse_is_digit(*p->next)) p->next++;
        p->current = (token){.kind = TOKEN_NAME, .text = from, .size = (size_t)(p->next - from)};
    } else if (parse_is_digit(first) || (first == '.' && parse_is_digit(p->next[1]))) {
        p->current = (token){.kind = TOKEN_NUMBER, .text = p->next};
        p->next = parse_read_number(p->next, &p->current.number, &wrong);
        p->current.size = (size_t)(p->next - p->current.text);
        if (wrong) parse_complain(p, HED_ERROR_FORMAT, p->current.text, "%s", wrong);
    } else if (first == '"' || first == '\'') {
        read_label(p);
    } else {
        read_sign(p);
    }
}

/* True if a token is this word or sign. */
static bool token_is(const token *t, const char *word)
{
    return (t->kind == TOKEN_SIGN || t->kind == TOKEN_NAME) && strlen(word) == t->size &&
           memcmp(t->text, word, t->size) == 0;
}

/* Consumes the next token if it is this word. */
static bool parse_take(parser *p, const char *word)
{
    if (p->status || !token_is(&p->current, word)) return false;
    parse_advance(p);
    return true;
}

/* Consumes this word, or reports the missing `expectation`. */
static void parse_need(parser *p, const char *word, const char *expectation)
{
    if (!parse_take(p, word)) complain_of_token(p, expectation);
}

/* Kind of the last operand: the value of a label depends on the operand it is compared with. */
typedef enum operand_kind { OPERAND_VALUE, OPERAND_NAME, OPERAND_LABEL } operand_kind;

typedef struct operand {
    operand_kind kind;
    token token;   /* token of a name or label */
    uint32_t slot; /* slot of a name */
    uint32_t at;   /* instruction that will receive a label's value */
} operand;

static operand parse_choice(parser *p);

/* ---- errors in names ---- */

/* Adds a word to a list in a message, or "..." if the list is full. */
static void list_word(char *list, size_t size, const char *word)
{
    size_t used = strlen(list);
    if (used > 0 && list[used - 1] == '.') return;
    if (used + strlen(word) + 8 < size)
        snprintf(list + used, size - used, "%s%s", used ? ", " : "", word);
    else if (used + 8 < size) memset(list + used, '.', 3);
}

/* ---- the program ---- */

/* Adds an instruction that changes the stack's depth by `growth`. Returns its index. */
static uint32_t parse_emit(parser *p, hed_instruction instruction, int growth)
{
    if (p->status) return 0;
    p->waiting += (uint32_t)growth;
    if (p->waiting > HED_EXPRESSION_STACK)
        parse_complain(p, HED_ERROR_FORMAT, p->current.text, "too many operations are pending");
    p->program[p->count] = instruction;
    return p->count++;
}

static uint32_t emit_code(parser *p, hed_expression_code code, int growth)
{
    return parse_emit(p, (hed_instruction){.code = (uint16_t)code}, growth);
}

/* Pending jumps to one target form a list through their operands, which NO_JUMP ends. */
static const uint32_t NO_JUMP = UINT32_MAX;

static void land(parser *p, uint32_t jump)
{
    while (!p->status && jump != NO_JUMP) {
        uint32_t before = p->program[jump].operand;
        p->program[jump].operand = p->count - jump - 1;
        jump = before;
    }
}

static bool parse_enter(parser *p)
{
    if (++p->depth > HED_EXPRESSION_DEPTH)
        parse_complain(p, HED_ERROR_FORMAT, p->current.text, "operations are nested too deeply");
    return !p->status;
}

/* ---- labels ---- */

static bool find_label(const hed_parameter_def *parameter, const token *label, int64_t *value)
{
    for (uint32_t i = 0; parameter->labels && i < parameter->count; i++) {
        const char *text = parameter->labels[i];
        if (strlen(text) == label->size && memcmp(text, label->text, label->size) == 0) {
            *value = parameter->values[i];
            return true;
        }
    }
    return false;
}

static void complain_of_label(
    parser *p, const token *label, const char *of, const hed_parameter_def *parameter)
{
    char list[400] = "";
    for (uint32_t i = 0; parameter && parameter->labels && i < parameter->count; i++)
        list_word(list, sizeof list, parameter->labels[i]);
    parse_complain(p, HED_ERROR_ARGUMENT, label->text, "%.60s has no choice \"%.*s\"; %s%s", of,
        label->size > 60 ? 60 : (int)label->size, label->text,
        list[0] ? "it has: " : "it has no named choices", list);
}

/* Resolves a label that is compared with a name: a label of that parameter. */
static void settle_for_name(parser *p, const operand *label, const operand *name)
{
    const char *of = p->names->names[name->slot];
    const hed_parameter_def *parameter = NULL;
    int64_t value;
    for (uint32_t i = 0; i < p->names->parameter_count && !parameter; i++)
        if (strcmp(p->names->parameters[i].name, of) == 0) parameter = &p->names->parameters[i];
    if (parameter && find_label(parameter, &label->token, &value))
        p->program[label->at].number = (double)value;
    else complain_of_label(p, &label->token, of, parameter);
}

/* Resolves any other label: it must have one value among all parameters. */
static void parse_settle(parser *p, const operand *label)
{
    const hed_parameter_def *first = NULL;
    int64_t value = 0, second;
    if (p->status || label->kind != OPERAND_LABEL) return;
    for (uint32_t i = 0; i < p->names->parameter_count; i++) {
        const hed_parameter_def *parameter = &p->names->parameters[i];
        if (!find_label(parameter, &label->token, first ? &second : &value)) continue;
        if (first && second != value) {
            parse_complain(p, HED_ERROR_ARGUMENT, label->token.text,
                "\"%.*s\" means %" PRId64 " for %.60s and %" PRId64
                " for %.60s; compare it with one of them",
                label->token.size > 60 ? 60 : (int)label->token.size, label->token.text, value,
                first->name, second, parameter->name);
            return;
        }
        if (!first) first = parameter;
    }
    if (first) p->program[label->at].number = (double)value;
    else complain_of_label(p, &label->token, "every parameter", NULL);
}

/* Resolves the labels of a comparison's two sides. */
static void settle_pair(parser *p, const operand *left, const operand *right)
{
    if (p->status) return;
    if (left->kind == OPERAND_NAME && right->kind == OPERAND_LABEL) settle_for_name(p, right, left);
    else parse_settle(p, right);
}

/* ---- levels of precedence, from the tightest ---- */

static operand parse_call(parser *p, const token *name)
{
    static const struct {
        const char *name;
        hed_expression_code code;
        uint32_t minimum, maximum; /* arguments */
    } functions[] = {
        {"min", HED_CODE_MIN, 2, UINT32_MAX},
        {"max", HED_CODE_MAX, 2, UINT32_MAX},
        {"abs", HED_CODE_ABS, 1, 1},
        {"ceil", HED_CODE_CEIL, 1, 1},
        {"floor", HED_CODE_FLOOR, 1, 1},
        {"round", HED_CODE_ROUND, 1, 1},
        {"log2", HED_CODE_LOG2, 1, 1},
        {"ceil_div", HED_CODE_CEIL_DIVIDE, 2, 2},
    };
    size_t i = 0, function_count = sizeof functions / sizeof *functions;
    while (i < function_count && !token_is(name, functions[i].name)) i++;
    if (i == function_count) {
        parse_complain(p, HED_ERROR_ARGUMENT, name->text,
            "no such function; there are: min, max, abs, ceil, floor, round, log2, ceil_div");
        return (operand){0};
    }
    uint32_t arguments = 0;
    do {
        operand argument = parse_choice(p);
        parse_settle(p, &argument);
        if (++arguments > 1) emit_code(p, functions[i].code, -1);
    } while (parse_take(p, ","));
    parse_need(p, ")", "a comma or )");
    if (arguments == 1 && functions[i].maximum == 1) emit_code(p, functions[i].code, 0);
    if (arguments < functions[i].minimum || arguments > functions[i].maximum)
        parse_complain(p, HED_ERROR_FORMAT, name->text, "%s takes %u argument%s%s, found %u",
            functions[i].name, functions[i].minimum, functions[i].minimum == 1 ? "" : "s",
            functions[i].maximum > 2 ? " or more" : "", arguments);
    return (operand){0};
}

static operand parse_name(parser *p)
{
    static const char *const keywords[] = {"not", "and", "or", "in", "if", "else"};
    token name = p->current;
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if (token_is(&name, keywords[i])) {
            complain_of_token(
                p, i == 0 ? "a value (put not and what follows in parentheses)" : "a value");
            return (operand){0};
        }
    parse_advance(p);
    if (parse_take(p, "(")) return parse_call(p, &name);
    for (uint32_t i = 0; i < p->names->count; i++)
        if (token_is(&name, p->names->names[i])) {
            parse_emit(p, (hed_instruction){.code = HED_CODE_NAME, .operand = i}, 1);
            return (operand){.kind = OPERAND_NAME, .token = name, .slot = i};
        }
    bool yes = token_is(&name, "true") || token_is(&name, "True");
    if (yes || token_is(&name, "false") || token_is(&name, "False"))
        parse_emit(p, (hed_instruction){.code = HED_CODE_NUMBER, .number = yes}, 1);
    else {
        char list[512] = "";
        for (uint32_t i = 0; i < p->names->count; i++)
            list_word(list, sizeof list, p->names->names[i]);
        parse_complain(p, HED_ERROR_ARGUMENT, name.text, "there is no \"%.*s\"; known are: %s",
            name.size > 60 ? 60 : (int)name.size, name.text, list[0] ? list : "no names at all");
    }
    return (operand){0};
}

static operand parse_value(parser *p)
{
    token first = p->current;
    if (first.kind == TOKEN_NAME) return parse_name(p);
    if (first.kind == TOKEN_NUMBER || first.kind == TOKEN_LABEL) {
        parse_advance(p);
        uint32_t at =
            parse_emit(p, (hed_instruction){.code = HED_CODE_NUMBER, .number = first.number}, 1);
        operand_kind kind = first.kind == TOKEN_LABEL ? OPERAND_LABEL : OPERAND_VALUE;
        return (operand){.kind = kind, .token = first, .at = at};
    }
    if (parse_take(p, "(")) {
        operand inner = parse_choice(p);
        parse_need(p, ")", "an operator or )");
        return inner;
    }
    complain_of_token(p, "a number, a name, a label or (");
    return (operand){0};
}

/* Parses a sign or a power. A power binds tighter than a sign on its left and looser than a sign on
 * its right. */
static operand parse_sign(parser *p)
{
    operand value = {0};
    if (parse_enter(p)) {
        bool minus = token_is(&p->current, "-"), inverse = token_is(&p->current, "!");
        if (minus || inverse || token_is(&p->current, "+")) {
            parse_advance(p);
            operand inner = parse_sign(p);
            parse_settle(p, &inner);
            if (minus || inverse) emit_code(p, minus ? HED_CODE_NEGATE : HED_CODE_NOT, 0);
        } else {
            value = parse_value(p);
            if (parse_take(p, "**")) {
                parse_settle(p, &value);
                operand right = parse_sign(p);
                parse_settle(p, &right);
                emit_code(p, HED_CODE_POWER, -1);
                value = (operand){0};
            }
        }
    }
    p->depth--;
    return value;
}

typedef struct operator_word {
    const char *word;
    hed_expression_code code;
} operator_word;

static const operator_word *take_operator(parser *p, const operator_word *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (parse_take(p, words[i].word)) return &words[i];
    return NULL;
}

/* Parses level 0: products of signed values; level 1: sums of products. */
static operand parse_arithmetic(parser *p, int level)
{
    static const operator_word words[2][4] = {
        {{"*", HED_CODE_MULTIPLY}, {"/", HED_CODE_DIVIDE}, {"//", HED_CODE_FLOOR_DIVIDE},
            {"%", HED_CODE_MODULO}},
        {{"+", HED_CODE_ADD}, {"-", HED_CODE_SUBTRACT}}};
    operand left = level ? parse_arithmetic(p, 0) : parse_sign(p);
    for (const operator_word *word; (word = take_operator(p, words[level], level ? 2 : 4)) != NULL;
         left = (operand){0}) {
        parse_settle(p, &left);
        operand right = level ? parse_arithmetic(p, 0) : parse_sign(p);
        parse_settle(p, &right);
        emit_code(p, word->code, -1);
    }
    return left;
}

/* Parses the list after `in` or `not in`. */
static void parse_members(parser *p, const operand *left, bool absent)
{
    const char *end = token_is(&p->current, "(") ? ")" : "]";
    uint32_t jump = NO_JUMP;
    if (!parse_take(p, "(") && !parse_take(p, "["))
        complain_of_token(p, "a list as (1, 2) or [1, 2]");
    do {
        operand element = parse_choice(p);
        settle_pair(p, left, &element);
        jump = parse_emit(p, (hed_instruction){.code = HED_CODE_MEMBER, .operand = jump}, -1);
    } while (parse_take(p, ",") && !token_is(&p->current, end));
    parse_need(p, end, "a comma or the end of the list");
    emit_code(p, HED_CODE_ABSENT, 0);
    land(p, jump);
    if (absent) emit_code(p, HED_CODE_NOT, 0);
}

static operand parse_comparison(parser *p)
{
    static const operator_word words[] = {
        {"<", HED_CODE_LESS},
        {"<=", HED_CODE_LESS_EQUAL},
        {">", HED_CODE_GREATER},
        {">=", HED_CODE_GREATER_EQUAL},
        {"==", HED_CODE_EQUAL},
        {"!=", HED_CODE_NOT_EQUAL},
    };
    operand left = parse_arithmetic(p, 1);
    /* comparison of the two top values, emitted once the chain's next link is known */
    const operator_word *pending = NULL;
    uint32_t jump = NO_JUMP;
    for (;;) {
        const operator_word *word = take_operator(p, words, sizeof words / sizeof *words);
        bool absent = !word && parse_take(p, "not"),
             member = absent || (!word && token_is(&p->current, "in"));
        if (!word && !member) break;
        if (pending)
            jump = parse_emit(p,
                (hed_instruction){
                    .code = HED_CODE_CHAIN, .comparison = (uint16_t)pending->code, .operand = jump},
                -1);
        if (member) {
            parse_need(p, "in", "in");
            parse_settle(p, &left);
            parse_members(p, &left, absent);
            land(p, jump);
            return (operand){0};
        }
        operand right = parse_arithmetic(p, 1);
        /* a label on either side belongs to the other side's parameter; the left neighbour takes
         * precedence */
        if (left.kind == OPERAND_LABEL) settle_pair(p, &right, &left);
        if (left.kind == OPERAND_NAME && right.kind == OPERAND_LABEL) {
            settle_pair(p, &left, &right);
            right.kind = OPERAND_VALUE;
        }
        left = right;
        pending = word;
    }
    if (!pending) return left;
    parse_settle(p, &left);
    emit_code(p, pending->code, -1);
    land(p, jump);
    return (operand){0};
}

static operand parse_not(parser *p)
{
    if (!parse_take(p, "not")) return parse_comparison(p);
    if (parse_enter(p)) {
        operand inner = parse_not(p);
        parse_settle(p, &inner);
        emit_code(p, HED_CODE_NOT, 0);
    }
    p->depth--;
    return (operand){0};
}

/* Parses operands joined by one word: each but the last may decide the result and skip the rest. */
static operand parse_joined(parser *p, operand (*parse_side)(parser *), const char *python,
    const char *c, hed_expression_code code)
{
    operand left = parse_side(p);
    uint32_t jump = NO_JUMP;
    while (parse_take(p, python) || parse_take(p, c)) {
        parse_settle(p, &left);
        jump = parse_emit(p, (hed_instruction){.code = (uint16_t)code, .operand = jump}, -1);
        left = parse_side(p);
    }
    if (jump == NO_JUMP) return left;
    parse_settle(p, &left);
    emit_code(p, HED_CODE_TRUTH, 0);
    land(p, jump);
    return (operand){0};
}

static operand parse_and(parser *p)
{
    return parse_joined(p, parse_not, "and", "&&", HED_CODE_AND);
}

static operand parse_or(parser *p) { return parse_joined(p, parse_and, "or", "||", HED_CODE_OR); }

static void reverse(hed_instruction *program, uint32_t from, uint32_t to)
{
    for (; from + 1 < to; from++, to--) {
        hed_instruction first = program[from];
        program[from] = program[to - 1];
        program[to - 1] = first;
    }
}

/* Parses the condition of `value if condition`, and moves the code of the value, which begins at
 * `start`, after the code of the condition. Returns the index of the branch. */
static uint32_t parse_condition_behind(parser *p, uint32_t start)
{
    uint32_t middle = p->count;
    operand condition = parse_or(p);
    parse_settle(p, &condition);
    parse_emit(p, (hed_instruction){.code = HED_CODE_BRANCH, .operand = NO_JUMP}, -1);
    if (p->status) return 0;
    reverse(p->program, start, middle);
    reverse(p->program, middle, p->count);
    reverse(p->program, start, p->count);
    return start + (p->count - middle) - 1;
}

static operand parse_choice(parser *p)
{
    operand value = {0};
    if (parse_enter(p)) {
        uint32_t start = p->count, branch;
        value = parse_or(p);
        bool question = token_is(&p->current, "?");
        if (parse_take(p, "?") || parse_take(p, "if")) {
            parse_settle(p, &value);
            if (question) {
                branch = parse_emit(
                    p, (hed_instruction){.code = HED_CODE_BRANCH, .operand = NO_JUMP}, -1);
                operand first = parse_choice(p);
                parse_settle(p, &first);
                parse_need(p, ":", "an operator or :");
            } else {
                branch = parse_condition_behind(p, start);
                parse_need(p, "else", "an operator or else");
            }
            uint32_t end =
                parse_emit(p, (hed_instruction){.code = HED_CODE_JUMP, .operand = NO_JUMP}, -1);
            land(p, branch);
            operand second = parse_choice(p);
            parse_settle(p, &second);
            land(p, end);
            value = (operand){0};
        }
    }
    p->depth--;
    return value;
}

/* ---- public functions ---- */

hed_status hed_expression_create(const hed_allocator *allocator_def, const char *text,
    const hed_expression_names *names, hed_expression **expression, hed_error *error)
{
    HED_REQUIRE(text, names, expression);
    hed_allocator allocator = allocator_def ? *allocator_def : hed_default_allocator();
    *expression = NULL;
    size_t length = strlen(text);
    if (length > HED_EXPRESSION_TEXT)
        return hed_fail(error, HED_ERROR_FORMAT, "%.60s...: expression has %zu bytes; expected at most %d",
            text, length, HED_EXPRESSION_TEXT);
    size_t room = (length + 1) * sizeof(hed_instruction);
    parser p = {.names = names,
        .text = text,
        .next = text,
        .error = error,
        .program = hed_allocate(&allocator, room)};
    if (!p.program) return HED_OUT_OF_MEMORY(error, "the expression %.200s", text);
    parse_advance(&p);
    operand value = parse_choice(&p);
    parse_settle(&p, &value);
    if (p.current.kind != TOKEN_END) complain_of_token(&p, "an operator or the end");
    size_t bytes = p.count * sizeof *p.program;
    hed_expression *instance = p.status ? NULL : hed_allocate(&allocator, sizeof *instance + bytes);
    if (instance) {
        instance->allocator = allocator;
        instance->count = p.count;
        memcpy(instance->program, p.program, bytes);
        *expression = instance;
    } else if (p.status == HED_OK) {
        p.status = HED_OUT_OF_MEMORY(error, "the expression %.200s", text);
    }
    hed_release(&allocator, p.program, room);
    return p.status;
}
