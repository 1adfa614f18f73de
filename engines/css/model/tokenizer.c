/* The tokenizer of CSS Syntax Module Level 3, section 4, on bytes. It needs no preprocessing pass:
 * CR, FF and CR LF are newlines, and U+0000 and invalid UTF-8, which mean U+FFFD, are characters of
 * names. */
#include "tokenizer.h"

enum { START = 1, NAME = 2, DIGIT = 4, SPACE = 8, HEX = 16, NEWLINE = 32 };

/* clang-format off */
#define ROW(x) x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x
static const uint8_t kinds[256] = {
    START | NAME, 0, 0, 0, 0, 0, 0, 0, 0, SPACE, SPACE | NEWLINE, 0, SPACE | NEWLINE, SPACE | NEWLINE, 0, 0,
    ROW(0),
    SPACE, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, NAME, 0, 0,
    NAME | DIGIT | HEX, NAME | DIGIT | HEX, NAME | DIGIT | HEX, NAME | DIGIT | HEX, NAME | DIGIT | HEX,
    NAME | DIGIT | HEX, NAME | DIGIT | HEX, NAME | DIGIT | HEX, NAME | DIGIT | HEX, NAME | DIGIT | HEX,
    0, 0, 0, 0, 0, 0,
    0, START | NAME | HEX, START | NAME | HEX, START | NAME | HEX, START | NAME | HEX, START | NAME | HEX,
    START | NAME | HEX, START | NAME, START | NAME, START | NAME, START | NAME, START | NAME,
    START | NAME, START | NAME, START | NAME, START | NAME,
    START | NAME, START | NAME, START | NAME, START | NAME, START | NAME, START | NAME, START | NAME,
    START | NAME, START | NAME, START | NAME, START | NAME, 0, 0, 0, 0, START | NAME,
    0, START | NAME | HEX, START | NAME | HEX, START | NAME | HEX, START | NAME | HEX, START | NAME | HEX,
    START | NAME | HEX, START | NAME, START | NAME, START | NAME, START | NAME, START | NAME,
    START | NAME, START | NAME, START | NAME, START | NAME,
    START | NAME, START | NAME, START | NAME, START | NAME, START | NAME, START | NAME, START | NAME,
    START | NAME, START | NAME, START | NAME, START | NAME, 0, 0, 0, 0, 0,
    ROW(START | NAME), ROW(START | NAME), ROW(START | NAME), ROW(START | NAME),
    ROW(START | NAME), ROW(START | NAME), ROW(START | NAME), ROW(START | NAME),
};
/* clang-format on */

/* Kind of the byte at `at`; 0 after the end. */
static uint8_t kind_at(const css_tokenizer *t, uint32_t at)
{
    return at < t->end ? kinds[(uint8_t)t->text[at]] : 0;
}

/* The byte at `at`; 0 after the end, which no caller compares with. */
static char byte_at(const css_tokenizer *t, uint32_t at) { return at < t->end ? t->text[at] : 0; }

/* True if an escape begins at `at`: a backslash without a newline after it, even if the slice ends
 * between. */
static bool escape_at(const css_tokenizer *t, uint32_t at)
{
    return byte_at(t, at) == '\\' && !(kinds[(uint8_t)t->text[at + 1]] & NEWLINE);
}

static bool name_starts_at(const css_tokenizer *t, uint32_t at)
{
    if (byte_at(t, at) == '-') {
        at++;
        if (byte_at(t, at) == '-') return true;
    }
    return kind_at(t, at) & START || escape_at(t, at);
}

static bool number_starts_at(const css_tokenizer *t, uint32_t at)
{
    char c = byte_at(t, at);
    if (c == '+' || c == '-') c = byte_at(t, ++at);
    return kind_at(t, at + (c == '.')) & DIGIT;
}

/* Position after the newline at `at`; CR LF is one newline. */
static uint32_t after_newline(const css_tokenizer *t, uint32_t at)
{
    return at + 1 + (t->text[at] == '\r' && byte_at(t, at + 1) == '\n');
}

/* Position after the escape at `at`. */
static uint32_t after_escape(const css_tokenizer *t, uint32_t at)
{
    at++;
    if (at >= t->end) return t->end;
    if (!(kind_at(t, at) & HEX)) return at + 1;
    for (uint32_t digits = 0; digits < 6 && kind_at(t, at) & HEX; digits++) at++;
    uint8_t kind = kind_at(t, at);
    return kind & NEWLINE ? after_newline(t, at) : kind & SPACE ? at + 1 : at;
}

/* Reads a name from t->at on. */
static void read_name(css_tokenizer *t, css_token *token)
{
    token->name = t->at;
    for (;;) {
        uint8_t kind = kind_at(t, t->at);
        if (kind & NAME) {
            if ((signed char)t->text[t->at] <= 0)
                token->plain = false; /* U+0000 and non-ASCII characters */
            t->at++;
        } else if (escape_at(t, t->at)) {
            token->plain = false;
            t->at = after_escape(t, t->at);
        } else break;
    }
    token->name_end = t->at;
}

static void read_number(css_tokenizer *t, css_token *token)
{
    uint32_t at = t->at;
    char c = t->text[at];
    token->integer = true;
    if (c == '+' || c == '-') at++;
    while (kind_at(t, at) & DIGIT) at++;
    if (byte_at(t, at) == '.' && kind_at(t, at + 1) & DIGIT) {
        token->integer = false;
        for (at++; kind_at(t, at) & DIGIT;) at++;
    }
    c = byte_at(t, at);
    if (c == 'e' || c == 'E') {
        c = byte_at(t, at + 1);
        uint32_t digits = at + 1 + (c == '+' || c == '-');
        if (kind_at(t, digits) & DIGIT) {
            token->integer = false;
            for (at = digits; kind_at(t, at) & DIGIT;) at++;
        }
    }
    token->type = CSS_NUMBER;
    t->at = token->name = token->name_end = at;
    if (name_starts_at(t, at)) {
        token->type = CSS_DIMENSION;
        read_name(t, token);
    } else if (byte_at(t, at) == '%') {
        token->type = CSS_PERCENTAGE;
        t->at++;
    }
}

static void read_string(css_tokenizer *t, css_token *token)
{
    char quote = t->text[t->at++];
    token->type = CSS_STRING;
    token->name = t->at;
    for (; t->at < t->end; t->at++) {
        char c = t->text[t->at];
        if (c == quote) break;
        if (kinds[(uint8_t)c] & NEWLINE) {
            token->type = CSS_BAD_STRING;
            break;
        }
        if ((signed char)c <= 0) token->plain = false;
        if (c == '\\') {
            token->plain = false;
            if (kind_at(t, t->at + 1) & NEWLINE) t->at = after_newline(t, t->at + 1) - 1;
            else if (t->at + 1 < t->end) t->at++;
        }
    }
    token->name_end = t->at;
    if (token->type == CSS_STRING && t->at < t->end) t->at++;
}

/* Reads an unquoted URL after `url(`; leaves a function if a quote follows. */
static void read_url(css_tokenizer *t, css_token *token)
{
    uint32_t at = t->at;
    while (kind_at(t, at) & SPACE) at++;
    if (byte_at(t, at) == '"' || byte_at(t, at) == '\'') return;
    t->at = token->name = token->name_end = at;
    token->type = CSS_URL;
    token->plain = true;
    while (t->at < t->end) {
        unsigned char c = (unsigned char)t->text[t->at];
        if (c == ')') break;
        if (kinds[c] & SPACE) {
            while (kind_at(t, t->at) & SPACE) t->at++;
            if (t->at < t->end && t->text[t->at] != ')') token->type = CSS_BAD_URL;
            break;
        }
        bool unprintable = (c >= 1 && c < 9) || c == 11 || (c >= 14 && c < 32) || c == 127;
        if (c == '"' || c == '\'' || c == '(' || unprintable ||
            (c == '\\' && !escape_at(t, t->at))) {
            token->type = CSS_BAD_URL;
            break;
        }
        if (c == 0 || c >= 128 || c == '\\') token->plain = false;
        t->at = c == '\\' ? after_escape(t, t->at) : t->at + 1;
        token->name_end = t->at;
    }
    if (token->type == CSS_BAD_URL)
        while (t->at < t->end && t->text[t->at] != ')')
            t->at = escape_at(t, t->at) ? after_escape(t, t->at) : t->at + 1;
    if (t->at < t->end) t->at++;
}

static void read_word(css_tokenizer *t, css_token *token)
{
    read_name(t, token);
    token->type = CSS_IDENT;
    if (byte_at(t, t->at) != '(') return;
    token->type = CSS_FUNCTION;
    t->at++;
    if (token->name_end - token->name < 32 && css_is(t->text, token, "url")) read_url(t, token);
}

static void skip_comments(css_tokenizer *t)
{
    while (t->end - t->at >= 2 && t->text[t->at] == '/' && t->text[t->at + 1] == '*') {
        const char *from = t->text + t->at + 2, *end = t->text + t->end, *star;
        while ((star = memchr(from, '*', (size_t)(end - from))) && star + 1 < end && star[1] != '/')
            from = star + 1;
        t->at = star && star + 1 < end ? (uint32_t)(star + 2 - t->text) : t->end;
    }
}

/* Reads punctuation, hashes and at-keywords. */
static css_token_type read_sign(css_tokenizer *t, css_token *token)
{
    uint32_t at = t->at++;
    switch (t->text[at]) {
    case ':': return CSS_COLON;
    case ';': return CSS_SEMICOLON;
    case ',': return CSS_COMMA;
    case '(': return CSS_OPEN_ROUND;
    case ')': return CSS_CLOSE_ROUND;
    case '[': return CSS_OPEN_SQUARE;
    case ']': return CSS_CLOSE_SQUARE;
    case '{': return CSS_OPEN_CURLY;
    case '}': return CSS_CLOSE_CURLY;
    case '#':
        if (!(kind_at(t, at + 1) & NAME) && !escape_at(t, at + 1)) return CSS_DELIM;
        token->identifier = name_starts_at(t, at + 1);
        read_name(t, token);
        return CSS_HASH;
    case '@':
        if (!name_starts_at(t, at + 1)) return CSS_DELIM;
        read_name(t, token);
        return CSS_AT;
    case '<':
        if (t->end - at < 4 || memcmp(t->text + at, "<!--", 4)) return CSS_DELIM;
        t->at = at + 4;
        return CSS_CDO;
    default: return CSS_DELIM;
    }
}

css_token css_next(css_tokenizer *t)
{
    skip_comments(t);
    css_token token = {.type = CSS_END, .plain = true, .begin = t->at, .end = t->at};
    token.name = token.name_end = t->at;
    if (t->at >= t->end) return token;
    char c = t->text[t->at];
    uint8_t kind = kinds[(uint8_t)c];
    if (kind & SPACE) {
        token.type = CSS_SPACE;
        while (kind_at(t, t->at) & SPACE) t->at++;
    } else if (kind & START) read_word(t, &token);
    else if (c == '"' || c == '\'') read_string(t, &token);
    else if (number_starts_at(t, t->at)) read_number(t, &token);
    else if (c == '-' && t->end - t->at >= 3 && !memcmp(t->text + t->at, "-->", 3)) {
        token.type = CSS_CDC;
        t->at += 3;
    } else if (name_starts_at(t, t->at)) read_word(t, &token);
    else token.type = (uint8_t)read_sign(t, &token);
    token.end = t->at;
    return token;
}

/* ---- decoding ---- */

static size_t write_utf8(uint32_t code, char *out)
{
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    if (code < 0x800) {
        out[0] = (char)(0xc0 | code >> 6);
        out[1] = (char)(0x80 | (code & 63));
        return 2;
    }
    if (code < 0x10000) {
        out[0] = (char)(0xe0 | code >> 12);
        out[1] = (char)(0x80 | (code >> 6 & 63));
        out[2] = (char)(0x80 | (code & 63));
        return 3;
    }
    out[0] = (char)(0xf0 | code >> 18);
    out[1] = (char)(0x80 | (code >> 12 & 63));
    out[2] = (char)(0x80 | (code >> 6 & 63));
    out[3] = (char)(0x80 | (code & 63));
    return 4;
}

/* Length of the UTF-8 sequence at `at`; if invalid, minus the length of the maximal part that
 * becomes one U+FFFD (Unicode, table 3-7; Encoding, "UTF-8 decoder"). */
static int utf8_length(const css_tokenizer *t, uint32_t at)
{
    uint8_t first = (uint8_t)t->text[at], low = 0x80, high = 0xbf;
    if (first < 0x80) return 1;
    int length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4) return -1;
    if (first == 0xe0) low = 0xa0;
    if (first == 0xed) high = 0x9f;
    if (first == 0xf0) low = 0x90;
    if (first == 0xf4) high = 0x8f;
    for (int i = 1; i < length; i++) {
        uint8_t next = at + (uint32_t)i < t->end ? (uint8_t)t->text[at + (uint32_t)i] : 0;
        if (next < low || next > high) return -i;
        low = 0x80;
        high = 0xbf;
    }
    return length;
}

/* Decodes a token with escapes, up to the first character that exceeds `limit` bytes. */
static size_t decode_escapes(const char *text, const css_token *token, char *out, size_t limit)
{
    const char *start = out;
    css_tokenizer t = {text, token->name, token->name_end};
    while (t.at < t.end && (size_t)(out - start) <= limit) {
        char c = text[t.at];
        if (c == '\\' && kind_at(&t, t.at + 1) & NEWLINE) { /* possible in strings only */
            t.at = after_newline(&t, t.at + 1);
        } else if (c == '\\' && t.at + 1 == t.end) {
            if (token->type != CSS_STRING) out += write_utf8(0xfffd, out);
            t.at++;
        } else if (c == '\\' && kind_at(&t, t.at + 1) & HEX) {
            uint32_t code = 0, end = after_escape(&t, t.at);
            for (uint32_t at = t.at + 1; kind_at(&t, at) & HEX && at < t.at + 7; at++) {
                char digit = text[at];
                code = code * 16 + (uint32_t)(digit <= '9' ? digit - '0' : (digit | 32) - 'a' + 10);
            }
            bool wrong = code == 0 || code > 0x10ffff || (code >= 0xd800 && code < 0xe000);
            out += write_utf8(wrong ? 0xfffd : code, out);
            t.at = end;
        } else {
            if (c == '\\') t.at++;
            int length = text[t.at] ? utf8_length(&t, t.at) : -1;
            if (length < 0) out += write_utf8(0xfffd, out);
            else {
                memcpy(out, text + t.at, (size_t)length);
                out += length;
            }
            t.at += (uint32_t)(length < 0 ? -length : length);
        }
    }
    return (size_t)(out - start);
}

size_t css_decode(const char *text, const css_token *token, char *out)
{
    size_t length = token->name_end - token->name;
    if (!token->plain) return decode_escapes(text, token, out, SIZE_MAX);
    memcpy(out, text + token->name, length);
    return length;
}

enum { LONGEST_KEYWORD = 255 };

void css_keyword(const char *text, const css_token *token, char *out, size_t size)
{
    char decoded[LONGEST_KEYWORD + 5]; /* 4: the character that exceeds the limit */
    size_t length = token->name_end - token->name;
    out[0] = 0;
    if (!token->plain) length = decode_escapes(text, token, decoded, LONGEST_KEYWORD);
    else if (length <= LONGEST_KEYWORD) memcpy(decoded, text + token->name, length);
    if (length >= size || memchr(decoded, 0, length)) return;
    for (size_t i = 0; i < length; i++) out[i] = css_ascii_lower(decoded[i]);
    out[length] = 0;
}

bool css_is(const char *text, const css_token *token, const char *word)
{
    size_t length = strlen(word);
    if (token->plain) {
        if (token->name_end - token->name != length) return false;
        for (size_t i = 0; i < length; i++)
            if (css_ascii_lower(text[token->name + i]) != word[i]) return false;
        return true;
    }
    char decoded[LONGEST_KEYWORD + 1];
    css_keyword(text, token, decoded, sizeof decoded);
    return decoded[0] && strcmp(decoded, word) == 0;
}

double css_number(const char *text, const css_token *token)
{
    css_tokenizer t = {text, token->begin, token->type == CSS_DIMENSION ? token->name : token->end};
    double value = 0, sign = 1;
    int exponent = 0, written = 0;
    if (byte_at(&t, t.at) == '-') sign = -1;
    if (byte_at(&t, t.at) == '-' || byte_at(&t, t.at) == '+') t.at++;
    for (; kind_at(&t, t.at) & DIGIT; t.at++) value = value * 10 + (text[t.at] - '0');
    if (byte_at(&t, t.at) == '.')
        for (t.at++; kind_at(&t, t.at) & DIGIT; t.at++) {
            if (exponent <= -400) continue; /* further digits do not change a double */
            value = value * 10 + (text[t.at] - '0');
            exponent--;
        }
    if ((byte_at(&t, t.at) | 32) == 'e') {
        bool minus = byte_at(&t, t.at + 1) == '-';
        t.at += minus || byte_at(&t, t.at + 1) == '+' ? 2 : 1;
        for (; kind_at(&t, t.at) & DIGIT; t.at++)
            if (written < 10000) written = written * 10 + (text[t.at] - '0');
        exponent += minus ? -written : written;
    }
    double power = 1, step = 10;
    for (int left = exponent < 0 ? -exponent : exponent; left; left >>= 1, step *= step)
        if (left & 1) power *= step;
    value = value == 0 ? 0 : exponent < 0 ? value / power : value * power;
    return sign * (value > 1e300 || value != value ? 1e300 : value);
}
