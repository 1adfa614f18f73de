/* The values of a parameter in a T1 file: a list as Python writes it.
 *
 *     [1, 2, 4]   ["float", "float4"]   range(1, 9)   list(range(32, 1025, 32))   [1] + [2, 3]
 *     [2**i for i in range(6) if i != 3]
 *
 * Elements are expressions (heddle/space.h); in a comprehension they know its variable. */
#include "tunefile/spec_t1.h"

#include <math.h>
#include <string.h>

enum { DEEPEST = 8 }; /* lists within lists */

typedef struct list_reader {
    hed_spec_reader *reader;
    hed_json_node node; /* where it stands */
    uint32_t depth;
} list_reader;

/* A stretch of the text. */
typedef struct stretch {
    const char *from, *to;
} stretch;

static void complain(list_reader *r, stretch at, const char *what)
{
    int length = at.to - at.from > 60 ? 60 : (int)(at.to - at.from);
    hed_spec_fail(
        r->reader, HED_ERROR_FORMAT, r->node, "expected %s, found \"%.*s\"", what, length, at.from);
}

/* ---- text ---- */

static stretch trim(stretch s)
{
    while (s.from < s.to && strchr(" \t\n\r", *s.from)) s.from++;
    while (s.from < s.to && strchr(" \t\n\r", s.to[-1])) s.to--;
    return s;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c >= '0' && c <= '9');
}

/* The first place outside of brackets and quotes where `word` stands; the end if nowhere. A word of
 * letters stands alone. */
static const char *find(stretch s, const char *word)
{
    size_t length = strlen(word);
    int inside = 0;
    char quote = 0;
    for (const char *at = s.from; at < s.to; at++) {
        if (quote) {
            quote = *at == quote ? 0 : quote;
        } else if (*at == '"' || *at == '\'') {
            quote = *at;
        } else {
            bool fits = (size_t)(s.to - at) >= length && memcmp(at, word, length) == 0;
            bool alone =
                !is_letter(word[0]) || ((at == s.from || !is_letter(at[-1])) &&
                                           (at + length == s.to || !is_letter(at[length])));
            if (inside == 0 && fits && alone) return at;
            inside += (*at == '[' || *at == '(') - (*at == ']' || *at == ')');
        }
    }
    return s.to;
}

/* What stands between `open` and a closing bracket at the very end; false if it is not so. */
static bool inside(stretch s, const char *open, char close, stretch *inner)
{
    size_t length = strlen(open);
    if ((size_t)(s.to - s.from) <= length || memcmp(s.from, open, length) != 0 || s.to[-1] != close)
        return false;
    *inner = trim((stretch){s.from + length, s.to - 1});
    return true;
}

/* ---- elements ---- */

static double evaluate(list_reader *r, stretch s, const char *variable, double value)
{
    hed_expression *expression;
    hed_error error = {0};
    const char *text = hed_spec_text(r->reader, r->node, "%.*s", (int)(s.to - s.from), s.from);
    if (!hed_spec_fine(r->reader)) return 0;
    hed_expression_names names = {.names = &variable, .count = variable ? 1 : 0};
    hed_status status = hed_expression_create(NULL, text, &names, &expression, &error);
    if (status != HED_OK) {
        hed_spec_fail(r->reader, status == HED_ERROR_MEMORY ? status : HED_ERROR_FORMAT, r->node,
            "%s", error.text);
        return 0;
    }
    double result = hed_expression_value(expression, &value);
    hed_expression_destroy(expression);
    return result;
}

static void add(list_reader *r, hed_t1_values *values, int64_t value, const char *label)
{
    bool mixed = values->count > 0 && !label != !values->labels[0];
    if (mixed)
        hed_spec_fail(
            r->reader, HED_ERROR_FORMAT, r->node, "expected numbers or texts, found both");
    for (uint32_t i = 0; i < values->count && !mixed; i++)
        if (label ? strcmp(values->labels[i], label) == 0 : values->numbers[i] == value)
            return; /* Python's lists may say one thing twice; a space does not */
    if (values->count == HED_SPEC_VALUES)
        hed_spec_fail(r->reader, HED_ERROR_FORMAT, r->node, "a parameter has at most %d values",
            HED_SPEC_VALUES);
    if (!hed_spec_fine(r->reader)) return;
    values->numbers[values->count] = label ? values->count : value;
    values->labels[values->count++] = label;
}

static void add_number(list_reader *r, hed_t1_values *values, double value, stretch from)
{
    if (value != floor(value) || fabs(value) > 0x1p53)
        complain(r, from, "whole numbers or texts in quotes, which is what parameters are here");
    else add(r, values, (int64_t)value, NULL);
}

static void add_element(
    list_reader *r, hed_t1_values *values, stretch s, const char *variable, double value)
{
    stretch text;
    char quote = s.from < s.to ? *s.from : 0;
    bool quoted = (quote == '"' || quote == '\'') && inside(s, (char[]){quote, 0}, quote, &text) &&
                  !memchr(text.from, quote, (size_t)(text.to - text.from));
    if (quoted)
        add(r, values, 0,
            hed_spec_text(r->reader, r->node, "%.*s", (int)(text.to - text.from), text.from));
    else add_number(r, values, evaluate(r, s, variable, value), s);
}

/* ---- lists ---- */

static void read_sum(list_reader *r, stretch s, hed_t1_values *values);

static void read_range(list_reader *r, stretch s, hed_t1_values *values)
{
    double numbers[3] = {0, 0, 1};
    uint32_t count = 0;
    stretch rest = s;
    for (bool more = true; more && count < 3; count++) {
        const char *comma = find(rest, ",");
        numbers[count] = evaluate(r, trim((stretch){rest.from, comma}), NULL, 0);
        more = comma < rest.to;
        rest.from = more ? comma + 1 : rest.to;
    }
    double first = count > 1 ? numbers[0] : 0, end = count > 1 ? numbers[1] : numbers[0],
           step = numbers[2];
    if (rest.from < rest.to || !(step != 0) || isnan(first) || isnan(end))
        complain(r, s, "range(end), range(first, end) or range(first, end, step)");
    for (double value = first; hed_spec_fine(r->reader) && (step > 0 ? value < end : value > end);
         value += step)
        add_number(r, values, value, s);
}

/* ELEMENT for NAME in LIST [if CONDITION] */
static void read_comprehension(list_reader *r, stretch s, const char *loop, hed_t1_values *values)
{
    stretch element = trim((stretch){s.from, loop}), rest = {loop + 3, s.to};
    const char *in = find(rest, "in"), *condition = find((stretch){in, s.to}, "if");
    stretch variable = trim((stretch){rest.from, in});
    const char *name = hed_spec_text(
        r->reader, r->node, "%.*s", (int)(variable.to - variable.from), variable.from);
    hed_t1_values *over = hed_spec_allocate(r->reader, sizeof *over, r->node);
    if (in == rest.to || !hed_spec_is_name(name)) complain(r, s, "[x for name in list]");
    if (!over || !hed_spec_fine(r->reader)) return;
    read_sum(r, (stretch){in + 2, condition}, over);
    for (uint32_t i = 0; i < over->count && hed_spec_fine(r->reader); i++) {
        double value = (double)over->numbers[i];
        if (condition == s.to ||
            evaluate(r, trim((stretch){condition + 2, s.to}), name, value) != 0)
            add_element(r, values, element, name, value);
    }
}

static void read_elements(list_reader *r, stretch s, hed_t1_values *values)
{
    const char *loop = find(s, "for");
    if (loop < s.to) {
        read_comprehension(r, s, loop, values);
        return;
    }
    for (stretch rest = s; hed_spec_fine(r->reader) && trim(rest).from < trim(rest).to;) {
        const char *comma = find(rest, ",");
        add_element(r, values, trim((stretch){rest.from, comma}), NULL, 0);
        rest.from = comma < rest.to ? comma + 1 : rest.to;
    }
}

static void read_list(list_reader *r, stretch s, hed_t1_values *values)
{
    stretch inner;
    if (r->depth++ == DEEPEST) complain(r, s, "lists that are not so deep");
    else if (inside(s, "list(", ')', &inner)) read_sum(r, inner, values);
    else if (inside(s, "range(", ')', &inner)) read_range(r, inner, values);
    else if (inside(s, "[", ']', &inner) || inside(s, "(", ')', &inner))
        read_elements(r, inner, values);
    else complain(r, s, "a list as [1, 2], range(1, 9) or [2**i for i in range(6)]");
    r->depth--;
}

static void read_sum(list_reader *r, stretch s, hed_t1_values *values)
{
    for (stretch rest = trim(s); hed_spec_fine(r->reader);) {
        const char *plus = find(rest, "+");
        read_list(r, trim((stretch){rest.from, plus}), values);
        if (plus == rest.to) return;
        rest.from = plus + 1;
    }
}

void hed_t1_read_values(hed_spec_reader *reader, hed_json_node node, hed_t1_values *values)
{
    list_reader r = {.reader = reader, .node = node};
    if (hed_json_kind_of(node) == HED_JSON_ARRAY) {
        for (size_t i = 0; i < hed_json_count(node) && hed_spec_fine(reader); i++) {
            r.node = hed_json_item(node, i);
            if (hed_json_kind_of(r.node) == HED_JSON_STRING)
                add(&r, values, 0, hed_json_string(r.node));
            else
                add(&r, values, hed_json_integer(r.node, -(INT64_C(1) << 53), INT64_C(1) << 53),
                    NULL);
        }
    } else {
        const char *text = hed_json_string(node);
        read_sum(&r, (stretch){text, text + strlen(text)}, values);
    }
    if (hed_spec_fine(reader) && values->count == 0)
        hed_spec_fail(reader, HED_ERROR_FORMAT, node, "a parameter needs at least one value");
}
