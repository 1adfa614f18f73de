/* The words of an expression: numbers, names, labels in quotes, signs. */
#include "search/expression_parse.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

/* ---- complaints ---- */

void hed_parse_complain(hed_parser *p, hed_status status, const char *at, const char *words)
{
    if (p->status) return;
    size_t column = (size_t)(at - p->text), from = column > 60 ? column - 50 : 0;
    p->status = hed_fail(p->error, status, "%s%.120s%s: column %zu: %s", from ? "..." : "",
        p->text + from, strlen(p->text + from) > 120 ? "..." : "", column + 1, words);
}

void hed_parse_expected(hed_parser *p, const char *what)
{
    char words[160];
    if (p->now.kind == HED_TOKEN_END)
        snprintf(words, sizeof words, "expected %s, found the end", what);
    else if (p->now.kind == HED_TOKEN_LABEL)
        snprintf(words, sizeof words, "expected %s, found a label", what);
    else
        snprintf(words, sizeof words, "expected %s, found %.*s", what,
            p->now.size > 40 ? 40 : (int)p->now.size, p->now.text);
    hed_parse_complain(p, HED_ERROR_FORMAT, p->now.text - (p->now.kind == HED_TOKEN_LABEL), words);
}

/* ---- tokens ---- */

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* Digits of a base, added to `value`. */
static const char *read_digits(const char *at, double base, double *value, int *count)
{
    for (*count = 0;; at++, ++*count) {
        char lower = (char)(*at | 0x20);
        int digit = is_digit(*at)                                ? *at - '0'
                    : base == 16 && lower >= 'a' && lower <= 'f' ? lower - 'a' + 10
                                                                 : -1;
        if (digit < 0) return at;
        *value = *value * base + digit;
    }
}

/* A number as C and Python both write it. Not strtod(): its decimal point is the locale's. Exact
 * for whole numbers up to 2^53 and for decimals of at most 15 digits and 22 places, since powers of
 * ten up to 10^22 are exact. */
static const char *read_number(const char *at, double *value, const char **wrong)
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
    if (whole == 0 || is_letter(*at) || is_digit(*at) || *at == '.' || !isfinite(*value))
        *wrong = "expected a number as 12, 0.5, 1e9 or 0xff";
    return at;
}

static void read_label(hed_parser *p)
{
    char quote = *p->next;
    const char *end = strchr(p->next + 1, quote);
    p->now = (hed_token){.kind = HED_TOKEN_LABEL, .text = p->next + 1};
    if (!end) {
        hed_parse_complain(
            p, HED_ERROR_FORMAT, p->next, "the label that begins here has no closing quote");
        return;
    }
    p->now.size = (size_t)(end - p->now.text);
    p->next = end + 1;
}

static void read_sign(hed_parser *p)
{
    static const char *const signs[] = {"**", "//", "<=", ">=", "==", "!=", "&&", "||"};
    p->now = (hed_token){.kind = HED_TOKEN_SIGN, .text = p->next, .size = 1};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (strncmp(p->next, signs[i], 2) == 0) p->now.size = 2;
    char sign = *p->next;
    const char *wrong = sign == '=' ? "write == to compare"
                        : sign == '&' || sign == '|'
                            ? "write && or and, || or or; there are no operations on bits"
                            : "this character means nothing here";
    if (p->now.size == 1 && !strchr("+-*/%<>!?:()[],", sign))
        hed_parse_complain(p, HED_ERROR_FORMAT, p->next, wrong);
    p->next += p->now.size;
}

void hed_parse_advance(hed_parser *p)
{
    const char *wrong = NULL;
    while (*p->next && strchr(" \t\r\n", *p->next)) p->next++;
    char first = *p->next;
    if (first == 0 || p->status) {
        p->now = (hed_token){.kind = HED_TOKEN_END, .text = p->next};
    } else if (is_letter(first)) {
        const char *from = p->next;
        while (is_letter(*p->next) || is_digit(*p->next)) p->next++;
        p->now =
            (hed_token){.kind = HED_TOKEN_NAME, .text = from, .size = (size_t)(p->next - from)};
    } else if (is_digit(first) || (first == '.' && is_digit(p->next[1]))) {
        p->now = (hed_token){.kind = HED_TOKEN_NUMBER, .text = p->next};
        p->next = read_number(p->next, &p->now.number, &wrong);
        p->now.size = (size_t)(p->next - p->now.text);
        if (wrong) hed_parse_complain(p, HED_ERROR_FORMAT, p->now.text, wrong);
    } else if (first == '"' || first == '\'') {
        read_label(p);
    } else {
        read_sign(p);
    }
}

bool hed_token_is(const hed_token *t, const char *word)
{
    return (t->kind == HED_TOKEN_SIGN || t->kind == HED_TOKEN_NAME) && strlen(word) == t->size &&
           memcmp(t->text, word, t->size) == 0;
}

bool hed_parse_take(hed_parser *p, const char *word)
{
    if (p->status || !hed_token_is(&p->now, word)) return false;
    hed_parse_advance(p);
    return true;
}

void hed_parse_need(hed_parser *p, const char *word, const char *what)
{
    if (!hed_parse_take(p, word)) hed_parse_expected(p, what);
}
