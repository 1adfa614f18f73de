/* Tokens of WGSL, the reader's steps from token to token, and translation of its expressions to
 * heddle/space.h. */
#include "support/wgsl_parse.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "heddle/space.h"

/* ---- words ---- */

/* Skips blanks and comments; comments of several lines nest. */
static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end) {
        if (isspace((unsigned char)*at)) {
            at++;
        } else if (end - at > 1 && at[0] == '/' && at[1] == '/') {
            while (at < end && *at != '\n') at++;
        } else if (end - at > 1 && at[0] == '/' && at[1] == '*') {
            uint32_t open = 1;
            for (at += 2; at < end && open; at++) {
                bool pair = end - at > 1;
                if (pair && at[0] == '/' && at[1] == '*') open++, at++;
                else if (pair && at[0] == '*' && at[1] == '/') open--, at++;
            }
        } else {
            break;
        }
    }
    return at;
}

wgsl_token hed_wgsl_token(const char *at, const char *end)
{
    static const char *const pairs[] = {"==", "!=", "<=", ">=", "&&", "||", "<<", ">>", "->",
        "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "++", "--"};
    at = skip_blanks(at, end);
    if (at == end) return (wgsl_token){at, 0};
    size_t size = 0, limit = (size_t)(end - at);
    bool number =
        isdigit((unsigned char)*at) || (*at == '.' && limit > 1 && isdigit((unsigned char)at[1]));
    while (
        size < limit &&
        (wgsl_is_letter(at[size]) || (number && at[size] == '.') ||
            (number && size && strchr("+-", at[size]) && strchr("eEpP", at[size - 1]) &&
                !(at[0] == '0' && limit > 1 && (at[1] | 32) == 'x' && (at[size - 1] | 32) == 'e'))))
        size++;
    if (size) return (wgsl_token){at, size};
    for (size_t i = 0; limit > 1 && i < sizeof pairs / sizeof *pairs; i++)
        if (!memcmp(at, pairs[i], 2)) return (wgsl_token){at, 2};
    return (wgsl_token){at, 1};
}

/* Reads a span that is a whole number; false: it is not. */
bool hed_wgsl_number(hed_wgsl_span span, double *number)
{
    char digits[40], first = span.size ? *span.at : 0;
    bool is_number_start = isdigit((unsigned char)first) || first == '-' || first == '.' ||
                           first == 't' || first == 'f';
    if (!is_number_start || span.size >= sizeof digits) return false;
    memcpy(digits, span.at, span.size);
    digits[span.size] = 0;
    if (!strcmp(digits, "true") || !strcmp(digits, "false")) {
        *number = digits[0] == 't';
        return true;
    }
    char *end;
    if (isalpha((unsigned char)first)) return false;
    *number = strtod(digits, &end);
    bool suffix = *end && strchr("uifh", *end) && !end[1];
    return end != digits && (!*end || suffix);
}

const wgsl_named *hed_wgsl_find_named(const struct hed_wgsl_parse *r, wgsl_token t)
{
    for (uint32_t i = 0; i < r->named_count; i++)
        if (wgsl_token_is(t, r->named[i].name)) return &r->named[i];
    return NULL;
}

const char *hed_wgsl_keep(struct hed_wgsl_parse *r, const char *at, size_t size)
{
    char *copy = hed_arena_new(&r->out->arena, size + 1, 1, r->error);
    if (copy) memcpy(copy, at, size);
    return copy ? copy : "";
}

/* ---- expressions ---- */

typedef struct translation {
    struct hed_wgsl_parse *r;
    bool (*keeps)(void *user, const char *name);
    void *user;
    char text[LONGEST_EXPRESSION];
    size_t used;
    uint32_t depth;
    bool failed, real;
} translation;

static void append(translation *t, const char *text, size_t size)
{
    if (t->used + size + 1 > sizeof t->text) t->failed = true;
    if (t->failed) return;
    memcpy(t->text + t->used, text, size);
    t->used += size;
}
static void put_text(translation *t, const char *text) { append(t, text, strlen(text)); }

static void translate(translation *t, hed_wgsl_span text);

/* Splits the arguments of select(), from its (: returns the token after its ). */
static wgsl_token split_arguments(const struct hed_wgsl_parse *r, wgsl_token open, const char *end,
    hed_wgsl_span parts[3], uint32_t *count)
{
    uint32_t depth = 0;
    wgsl_token t = hed_wgsl_token(open.at + open.size, end);
    const char *from = t.at;
    *count = 0;
    (void)r;
    for (; t.size; t = hed_wgsl_token(t.at + t.size, end)) {
        bool closes = wgsl_token_is(t, ")") && !depth;
        if (closes || (wgsl_token_is(t, ",") && !depth)) {
            if (*count < 3) parts[*count] = (hed_wgsl_span){from, (size_t)(t.at - from)};
            ++*count;
            from = t.at + t.size;
            if (closes) return hed_wgsl_token(t.at + t.size, end);
        }
        depth += wgsl_token_is(t, "(") || wgsl_token_is(t, "[");
        if (depth) depth -= wgsl_token_is(t, ")") || wgsl_token_is(t, "]");
    }
    *count = 0;
    return t;
}

static wgsl_token translate_name(translation *t, wgsl_token name, const char *end)
{
    static const char *const functions[] = {"max", "min", "abs", "floor", "ceil"};
    static const char *const casts[] = {"u32", "i32", "f32"};
    struct hed_wgsl_parse *r = t->r;
    wgsl_token next = hed_wgsl_token(name.at + name.size, end);
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (wgsl_token_is(name, functions[i])) {
            put_text(t, functions[i]);
            return next;
        }
    for (size_t i = 0; i < sizeof casts / sizeof *casts; i++)
        if (wgsl_token_is(name, casts[i])) return next; /* a cast keeps its brackets */
    if (wgsl_token_is(name, "select") && wgsl_token_is(next, "(")) {
        hed_wgsl_span parts[3];
        uint32_t count;
        next = split_arguments(r, next, end, parts, &count);
        t->failed = t->failed || count != 3;
        if (t->failed) return next;
        put_text(t, "((");
        translate(t, parts[1]);
        put_text(t, ") if (");
        translate(t, parts[2]);
        put_text(t, ") else (");
        translate(t, parts[0]);
        put_text(t, "))");
        return next;
    }
    const wgsl_named *named = hed_wgsl_find_named(r, name);
    hed_wgsl_span value = named && !named->alias ? named->value : (hed_wgsl_span){0};
    for (uint32_t i = 0; i < r->out->override_count; i++)
        if (wgsl_token_is(name, r->out->overrides[i].name)) {
            value = r->out->overrides[i].value;
            if (t->keeps(t->user, r->out->overrides[i].name)) {
                put_text(t, r->out->overrides[i].name);
                return next;
            }
        }
    bool is_true = wgsl_token_is(name, "true");
    if (is_true || wgsl_token_is(name, "false")) {
        put_text(t, is_true ? "1" : "0");
        return next;
    }
    t->failed = t->failed || !value.size;
    put_text(t, "(");
    if (!t->failed) translate(t, value);
    put_text(t, ")");
    return next;
}

static void translate(translation *t, hed_wgsl_span text)
{
    static const char *const signs[] = {
        "+", "-", "*", "%", "(", ")", ",", "<", ">", "<=", ">=", "==", "!=", "&&", "||", "!"};
    const char *end = text.size ? text.at + text.size : text.at;
    if (++t->depth > DEEPEST) t->failed = true;
    for (wgsl_token at = hed_wgsl_token(text.at, end); at.size && !t->failed;) {
        wgsl_token next = hed_wgsl_token(at.at + at.size, end);
        if (isdigit((unsigned char)*at.at) || *at.at == '.') {
            double number;
            char digits[40];
            t->failed = !hed_wgsl_number(at, &number);
            t->real = t->real || memchr(at.at, '.', at.size);
            snprintf(digits, sizeof digits, "%.17g", t->failed ? 0 : number);
            put_text(t, digits);
        } else if (wgsl_is_name(at)) {
            next = translate_name(t, at, end);
        } else if (wgsl_token_is(at, "<<")) {
            put_text(t, "* 2 **"); /* operands of a shift are unary expressions */
        } else if (wgsl_token_is(at, "/")) {
            put_text(t, "//"); /* division of whole numbers */
        } else {
            bool is_known = false;
            for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
                is_known = is_known || wgsl_token_is(at, signs[i]);
            t->failed = t->failed || !is_known;
            append(t, at.at, at.size);
        }
        put_text(t, " ");
        at = next;
    }
    t->depth--;
}

const char *hed_wgsl_expression(
    hed_wgsl *wgsl, hed_wgsl_span text, bool (*keeps)(void *user, const char *name), void *user)
{
    translation t = {.r = wgsl->parse, .keeps = keeps, .user = user};
    translate(&t, text);
    if (t.failed || t.real) return NULL;
    char *copy = hed_arena_new(&wgsl->arena, t.used + 1, 1, NULL);
    if (copy) memcpy(copy, t.text, t.used);
    return copy;
}

/* ---- reading token by token ---- */

uint32_t hed_wgsl_line(const struct hed_wgsl_parse *r, const char *at)
{
    uint32_t line = 1;
    for (const char *c = r->text; c < at; c++) line += *c == '\n';
    return line;
}

void hed_wgsl_reject_as(
    struct hed_wgsl_parse *r, hed_status status, wgsl_token t, const char *words)
{
    uint32_t column = 1;
    if (hed_failed(r->error)) return;
    for (const char *c = t.at; c > r->text && c[-1] != '\n'; c--) column++;
    hed_fail(r->error, status, "%s:%u:%u: %s, found \"%.*s\"", r->file, hed_wgsl_line(r, t.at), column,
        words, t.size ? (int)(t.size < 40 ? t.size : 40) : 15, t.size ? t.at : "the end of text");
}
void hed_wgsl_reject(struct hed_wgsl_parse *r, wgsl_token t, const char *words)
{
    hed_wgsl_reject_as(r, HED_ERROR_FORMAT, t, words);
}

void hed_wgsl_advance(struct hed_wgsl_parse *r) { r->token = wgsl_token_after(r, r->token); }

bool hed_wgsl_accept(struct hed_wgsl_parse *r, const char *word)
{
    bool is_found = wgsl_token_is(r->token, word);
    if (is_found) hed_wgsl_advance(r);
    return is_found;
}

void hed_wgsl_expect(struct hed_wgsl_parse *r, const char *word)
{
    char words[64];
    snprintf(words, sizeof words, "expected \"%s\"", word);
    if (!hed_wgsl_accept(r, word)) hed_wgsl_reject(r, r->token, words);
}

const char *hed_wgsl_read_name(struct hed_wgsl_parse *r, const char *expected)
{
    char words[64];
    wgsl_token t = r->token;
    snprintf(words, sizeof words, "expected the name of %s", expected);
    if (!wgsl_is_name(t)) hed_wgsl_reject(r, t, words);
    if (hed_failed(r->error)) return "";
    hed_wgsl_advance(r);
    return hed_wgsl_keep(r, t.at, t.size);
}

hed_wgsl_span hed_wgsl_read_expression(struct hed_wgsl_parse *r, const char *ends)
{
    const char *from = r->token.at, *to = from;
    uint32_t open = 0;
    while (r->token.size && !hed_failed(r->error)) {
        char c = r->token.size == 1 ? *r->token.at : 0;
        if (!open && c && strchr(ends, c)) break;
        /* the end of two templates at once */
        if (!open && strchr(ends, '>') && wgsl_token_is(r->token, ">>")) break;
        open += c == '(' || c == '[';
        if (c == ')' || c == ']') {
            if (!open) hed_wgsl_reject(r, r->token, "expected an expression");
            open--;
        }
        if (c == ';' || c == '{' || c == '}') hed_wgsl_reject(r, r->token, "expected an expression");
        to = r->token.at + r->token.size;
        hed_wgsl_advance(r);
    }
    if (!r->token.size) hed_wgsl_reject(r, r->token, "expected the end of an expression");
    if (to == from) hed_wgsl_reject(r, r->token, "expected an expression");
    return (hed_wgsl_span){from, (size_t)(to - from)};
}

/* Records that an expression contains an override, so that it is not constant. */
static bool meets_override(void *user, const char *name)
{
    (void)name;
    *(bool *)user = true;
    return false;
}

bool hed_wgsl_evaluate(const struct hed_wgsl_parse *r, hed_wgsl_span span, double *number)
{
    static const hed_expression_names no_names = {0};
    hed_expression *expression;
    hed_error ignored = {0};
    bool varies = false;
    if (hed_wgsl_number(span, number)) return true;
    const char *text = hed_wgsl_expression(r->out, span, meets_override, &varies);
    if (!text || varies || hed_expression_create(NULL, text, &no_names, &expression, &ignored))
        return false;
    *number = hed_expression_value(expression, NULL);
    hed_expression_destroy(expression);
    return isfinite(*number);
}

/* ---- the comment ---- */

hed_wgsl_span hed_wgsl_comment(const char *text, size_t size)
{
    static const char word[] = "heddle";
    const char *end = text + size;
    for (const char *at = text; end - at > 1; at++) {
        if (at[0] == '/' && at[1] == '/') {
            while (at < end && *at != '\n') at++;
            if (at == end) break;
        }
        if (end - at < 2 || at[0] != '/' || at[1] != '*') continue;
        const char *from = at + 2, *close = from;
        while (end - close > 1 && (close[0] != '*' || close[1] != '/')) close++;
        if (end - close < 2) break;
        while (from < close && isspace((unsigned char)*from)) from++;
        bool ours =
            (size_t)(close - from) > sizeof word - 1 && !memcmp(from, word, sizeof word - 1);
        const char *brace = ours ? memchr(from, '{', (size_t)(close - from)) : NULL;
        const char *last = close;
        while (brace && last > brace && last[-1] != '}') last--;
        if (brace && last > brace) return (hed_wgsl_span){brace, (size_t)(last - brace)};
        at = close + 1;
    }
    return (hed_wgsl_span){0};
}
