/* Comparison of values with attribute selectors (Selectors 4, section 6), and of languages with the
 * ranges of :lang() (RFC 4647, extended filtering, section 3.3.2). */
#include "selector.h"

static bool same_text(const char *x, const char *y, size_t length, bool insensitive)
{
    if (!insensitive) return memcmp(x, y, length) == 0;
    for (size_t i = 0; i < length; i++)
        if (css_ascii_lower(x[i]) != css_ascii_lower(y[i])) return false;
    return true;
}

bool css_value_fits(css_operator operation, const char *operand, size_t operand_length,
    const char *value, size_t length, bool insensitive)
{
    if (operation == CSS_PRESENT) return true;
    if (operation == CSS_EQUALS)
        return length == operand_length && same_text(value, operand, length, insensitive);
    if (operation == CSS_DASH)
        return length >= operand_length && same_text(value, operand, operand_length, insensitive) &&
               (length == operand_length || value[operand_length] == '-');
    if (operand_length == 0 || length < operand_length) return false;
    size_t last = length - operand_length;
    if (operation == CSS_PREFIX) return same_text(value, operand, operand_length, insensitive);
    if (operation == CSS_SUFFIX)
        return same_text(value + last, operand, operand_length, insensitive);
    bool word = operation == CSS_WORD;
    for (size_t i = 0; i < operand_length && word; i++)
        if (strchr(" \t\n\r\f", operand[i]) && operand[i]) return false;
    for (size_t at = 0; at <= last; at++) {
        bool begins = at == 0 || (value[at - 1] && strchr(" \t\n\r\f", value[at - 1]));
        char next = at == last ? ' ' : value[at + operand_length];
        if (word && !(begins && next && strchr(" \t\n\r\f", next))) continue;
        if (same_text(value + at, operand, operand_length, insensitive)) return true;
    }
    return false;
}

static size_t subtag_length(const char *text, size_t length)
{
    const char *dash = memchr(text, '-', length);
    return dash ? (size_t)(dash - text) : length;
}

bool css_language_fits(const char *range, size_t range_length, const char *language, size_t length)
{
    if (range_length == 0) return length == 0;
    if (length == 0) return false;
    size_t part = subtag_length(range, range_length), tag = subtag_length(language, length);
    if (!(part == 1 && range[0] == '*') && !(part == tag && same_text(range, language, tag, true)))
        return false;
    for (;;) {
        /* next subtag of the range; skip the matched subtag of the language */
        range += part;
        range_length -= part;
        language += tag;
        length -= tag;
        if (range_length == 0) return true;
        range++;
        part = subtag_length(range, --range_length);
        if (part == 1 && range[0] == '*') {
            tag = 0;
            continue;
        }
        for (;;) {
            if (length == 0) return false;
            language++;
            tag = subtag_length(language, --length);
            if (part == tag && same_text(range, language, tag, true)) break;
            if (tag <= 1) return false; /* a range must name a singleton */
            language += tag;
            length -= tag;
        }
    }
}
