/* See literal.h. An expression that is not understood is skipped up to the comma or bracket that
 * ends it, with strings, comments, regular expressions and brackets in pairs. */
#include "cli/css/literal_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/css/files.h"
#include "support/encoding.h"

enum { MOST_DEPTH = 64, MOST_ITEMS = 200000, MOST_CODE = 48 };

/* ---- values ---- */

uint32_t css_literal_add(css_literal_reader *r, css_literal_kind kind)
{
    css_literals *out = r->out;
    if (r->at < r->counted) r->counted = r->line = 0; /* a constant before the position */
    for (; r->counted < r->at; r->counted++) r->line += r->text[r->counted] == '\n';
    if (out->count == MOST_ITEMS)
        hed_fail(r->error, HED_ERROR_LIMIT, "%s: more than %d values", r->file, MOST_ITEMS);
    out->items = css_more(out->items, &out->room, out->count, sizeof *out->items, r->error);
    if (hed_failed(r->error)) return HED_CSS_NONE;
    out->items[out->count] = (css_literal){.kind = kind,
        .line = r->line + 1,
        .text = "",
        .flags = "",
        .first = HED_CSS_NONE,
        .next = HED_CSS_NONE};
    return out->count++;
}

/* Copies a text, which the values own. */
const char *css_literal_text(css_literal_reader *r, const char *text, size_t length)
{
    css_literals *out = r->out;
    if (hed_failed(r->error)) return "";
    out->texts =
        css_more(out->texts, &out->text_room, out->text_count, sizeof *out->texts, r->error);
    char *copy = hed_failed(r->error) ? NULL : malloc(length + 1);
    if (!copy) {
        if (!hed_failed(r->error)) HED_OUT_OF_MEMORY(r->error, "the texts of %s", r->file);
        return "";
    }
    memcpy(copy, text, length);
    copy[length] = 0;
    return out->texts[out->text_count++] = copy;
}

static uint32_t add_text(
    css_literal_reader *r, css_literal_kind kind, const char *text, size_t length)
{
    uint32_t value = css_literal_add(r, kind);
    const char *copy = css_literal_text(r, text, length);
    if (value != HED_CSS_NONE) r->out->items[value].text = copy;
    return value;
}

static css_literal *value_at(const css_literal_reader *r, uint32_t value)
{
    return &r->out->items[value];
}

/* ---- characters ---- */

bool css_literal_word(char c)
{
    return c == '_' || c == '$' || (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') ||
           (unsigned char)c >= 0x80;
}

char css_literal_peek(const css_literal_reader *r) { return r->at < r->end ? r->text[r->at] : 0; }

bool css_literal_is(const css_literal_reader *r, const char *word)
{
    size_t length = strlen(word);
    return r->end - r->at >= length && memcmp(r->text + r->at, word, length) == 0;
}

/* Moves past white space and comments. */
void css_literal_space(css_literal_reader *r)
{
    for (;;) {
        while (r->at < r->end && strchr(" \t\r\n\f\v", r->text[r->at]) && r->text[r->at]) r->at++;
        const char *close = NULL;
        if (css_literal_is(r, "//")) close = memchr(r->text + r->at, '\n', r->end - r->at);
        else if (css_literal_is(r, "/*"))
            close = memmem(r->text + r->at + 2, r->end - r->at - 2, "*/", 2);
        else return;
        r->at = close ? (size_t)(close - r->text) + (*close == '*' ? 2 : 1) : r->end;
    }
}

/* Moves past a character, with white space before it. False: another character. */
bool css_literal_take(css_literal_reader *r, char c)
{
    css_literal_space(r);
    if (css_literal_peek(r) != c) return false;
    r->at++;
    return true;
}

/* Moves past a regular expression, from its slash on. */
void css_literal_skip_pattern(css_literal_reader *r)
{
    bool in_class = false;
    for (r->at++; r->at < r->end && r->text[r->at] != '\n'; r->at++) {
        char c = r->text[r->at];
        if (c == '\\') r->at++;
        else if (c == '[') in_class = true;
        else if (c == ']') in_class = false;
        else if (c == '/' && !in_class) break;
    }
    r->at += r->at < r->end;
    if (r->at > r->end) r->at = r->end;
}

/* Moves past a string or a template, from its quote on; a template's ${ } may hold strings. */
void css_literal_skip_quoted(css_literal_reader *r)
{
    char quote = r->text[r->at++];
    while (r->at < r->end && r->text[r->at] != quote) {
        if (r->text[r->at] == '\n' && quote != '`') return;
        r->at += r->text[r->at] == '\\' ? 2 : 1;
    }
    r->at = r->at < r->end ? r->at + 1 : r->end;
}

/* Moves past the rest of an expression: up to a comma, a semicolon or a closing bracket. */
static void skip_expression(css_literal_reader *r)
{
    uint32_t open = 0;
    char before = '=';
    while (r->at < r->end) {
        css_literal_space(r);
        char c = css_literal_peek(r);
        if (!c && r->at >= r->end) return;
        if (!open && c && strchr(",;)]}", c)) return;
        if (c && strchr("\"'`", c)) css_literal_skip_quoted(r);
        else if (c == '/' && strchr("=(,:[!&|?{};+>", before)) css_literal_skip_pattern(r);
        else {
            if (c && strchr("([{", c)) open++;
            if (c && strchr(")]}", c)) open--;
            r->at++;
            size_t after = r->at;
            css_literal_space(r);
            bool new_line = memchr(r->text + after, '\n', r->at - after) != NULL;
            if (c == '}' && !open && new_line && css_literal_word(css_literal_peek(r))) return;
        }
        before = c ? c : ' ';
    }
}

/* An expression from `from` on that is not understood. */
uint32_t css_literal_code(css_literal_reader *r, size_t from)
{
    char text[MOST_CODE + 4];
    size_t length = 0;
    skip_expression(r);
    for (size_t i = from; i < r->at && length < MOST_CODE; i++) {
        bool space = (unsigned char)r->text[i] <= ' ';
        if (space && (!length || text[length - 1] == ' ')) continue;
        text[length++] = space ? ' ' : r->text[i];
    }
    while (length && text[length - 1] == ' ') length--;
    return add_text(r, CSS_LITERAL_CODE, text, length);
}

/* ---- strings ---- */

/* Reads the digits of \x and \u; 0: damaged. */
static uint32_t literal_hex(css_literal_reader *r, size_t digits)
{
    uint32_t code = 0;
    bool braces = digits == 4 && css_literal_peek(r) == '{';
    r->at += braces;
    for (size_t i = 0; i < (braces ? 6 : digits); i++, r->at++) {
        char c = css_literal_peek(r) | 32;
        if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'))) break;
        code = code * 16 + (uint32_t)(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    r->at += braces && css_literal_peek(r) == '}';
    return code <= 0x10ffff ? code : 0xfffd;
}

/* Reads an escape after the backslash; returns the bytes written to `to`, at most 4. */
static size_t literal_escape(css_literal_reader *r, char *to)
{
    static const char names[] = "nrtbfv0", codes[] = "\n\r\t\b\f\v ";
    char c = css_literal_peek(r);
    r->at += r->at < r->end;
    const char *name = c ? strchr(names, c) : NULL;
    if (c == 'x' || c == 'u')
        return (size_t)(hed_put_utf8(to, literal_hex(r, c == 'x' ? 2 : 4)) - to);
    if (c == '\n' || !c) return 0;
    *to = name ? codes[name - names] : c;
    return 1;
}

/* Reads a string or a template. A template with an expression that is no string is code. */
static uint32_t literal_string(css_literal_reader *r)
{
    size_t from = r->at, length = 0;
    char quote = r->text[r->at++];
    char *text = NULL;
    size_t room = 0;
    bool code = false;
    while (r->at < r->end && css_literal_peek(r) != quote && !hed_failed(r->error)) {
        if (quote != '`' && css_literal_peek(r) == '\n') break;
        if (length + 8 > room) {
            char *larger = realloc(text, room = 2 * room + 64);
            if (!larger) HED_OUT_OF_MEMORY(r->error, "a string of %s", r->file);
            if (!larger) break;
            text = larger;
        }
        if (css_literal_peek(r) == '\\') {
            r->at++;
            length += literal_escape(r, text + length);
        } else if (quote == '`' && css_literal_is(r, "${")) {
            r->at += 2;
            uint32_t value = css_literal_read(r);
            if (!css_literal_take(r, '}')) code = true;
            if (value == HED_CSS_NONE) break;
            const char *part =
                value_at(r, value)->kind == CSS_LITERAL_STRING ? value_at(r, value)->text : NULL;
            size_t size = part ? strlen(part) : 0;
            char *larger = realloc(text, room = length + size + 64);
            if (!larger) HED_OUT_OF_MEMORY(r->error, "a string of %s", r->file);
            if (!larger) break;
            text = larger;
            if (part) memcpy(text + length, part, size);
            else code = true;
            length += size;
        } else text[length++] = r->text[r->at++];
    }
    r->at += r->at < r->end;
    uint32_t value = code ? add_text(r, CSS_LITERAL_CODE, r->text + from,
                                r->at - from < MOST_CODE ? r->at - from : MOST_CODE)
                          : add_text(r, CSS_LITERAL_STRING, text ? text : "", length);
    free(text);
    return value;
}

static uint32_t read_pattern(css_literal_reader *r)
{
    size_t from = r->at + 1;
    css_literal_skip_pattern(r);
    size_t end = r->at > from && r->text[r->at - 1] == '/' ? r->at - 1 : r->at, flags = r->at;
    while (css_literal_word(css_literal_peek(r))) r->at++;
    uint32_t value = add_text(r, CSS_LITERAL_PATTERN, r->text + from, end > from ? end - from : 0);
    const char *copy = css_literal_text(r, r->text + flags, r->at - flags);
    if (value != HED_CSS_NONE) value_at(r, value)->flags = copy;
    return value;
}

/* ---- lists ---- */

/* Appends a value to a list; *last: its last item. */
void css_literal_append(css_literal_reader *r, uint32_t list, uint32_t *last, uint32_t value)
{
    if (hed_failed(r->error) || value == HED_CSS_NONE) return;
    if (*last == HED_CSS_NONE) value_at(r, list)->first = value;
    else value_at(r, *last)->next = value;
    *last = value;
}

/* Appends the items of a spread value, or the value itself if it is code. */
static void append_spread(css_literal_reader *r, uint32_t list, uint32_t *last, uint32_t value)
{
    if (hed_failed(r->error) || value == HED_CSS_NONE) return;
    if (value_at(r, value)->kind < CSS_LITERAL_ARRAY) {
        value_at(r, value)->key = "...";
        css_literal_append(r, list, last, value);
        return;
    }
    for (uint32_t i = value_at(r, value)->first; i != HED_CSS_NONE && !hed_failed(r->error);) {
        css_literal item = *value_at(r, i);
        if (!item.key) item.key = "..."; /* an item of an array in an object */
        uint32_t copy = css_literal_add(r, item.kind), next = item.next;
        item.next = HED_CSS_NONE;
        if (copy != HED_CSS_NONE) *value_at(r, copy) = item;
        css_literal_append(r, list, last, copy);
        i = next;
    }
}

static uint32_t literal_array(css_literal_reader *r)
{
    uint32_t list = css_literal_add(r, CSS_LITERAL_ARRAY), last = HED_CSS_NONE;
    r->at++;
    while (!hed_failed(r->error) && r->at < r->end && !css_literal_take(r, ']')) {
        if (css_literal_take(r, ',')) continue;
        bool spread = css_literal_is(r, "...");
        if (spread) r->at += 3;
        size_t before = r->at;
        uint32_t value = css_literal_read(r);
        if (spread) append_spread(r, list, &last, value);
        else css_literal_append(r, list, &last, value);
        css_literal_space(r);
        if (r->at == before || (css_literal_peek(r) != ',' && css_literal_peek(r) != ']'))
            break; /* no array */
    }
    return list;
}

/* Reads the name of a member. NULL: a computed one. */
static const char *literal_key(css_literal_reader *r)
{
    char c = css_literal_peek(r);
    size_t from = r->at;
    if (c == '"' || c == '\'') {
        uint32_t value = literal_string(r);
        return value == HED_CSS_NONE ? "" : value_at(r, value)->text;
    }
    while (css_literal_word(css_literal_peek(r))) r->at++;
    return r->at > from ? css_literal_text(r, r->text + from, r->at - from) : NULL;
}

static uint32_t find_constant(css_literal_reader *r, const char *name);

/* Reads a member of an object after its name, which begins at `from`. */
static uint32_t literal_member(css_literal_reader *r, const char *key, size_t from)
{
    css_literal_space(r);
    if (css_literal_take(r, ':')) return css_literal_read(r);
    if (key && (css_literal_peek(r) == ',' || css_literal_peek(r) == '}')) {
        uint32_t value = find_constant(r, key);
        if (value != HED_CSS_NONE) return value;
    }
    return css_literal_code(r, from);
}

static uint32_t read_object(css_literal_reader *r)
{
    uint32_t list = css_literal_add(r, CSS_LITERAL_OBJECT), last = HED_CSS_NONE;
    r->at++;
    while (!hed_failed(r->error) && r->at < r->end && !css_literal_take(r, '}')) {
        if (css_literal_take(r, ',')) continue;
        size_t from = r->at;
        if (css_literal_is(r, "...")) {
            r->at += 3;
            append_spread(r, list, &last, css_literal_read(r));
        } else {
            const char *key = literal_key(r);
            uint32_t value = literal_member(r, key, from);
            if (value != HED_CSS_NONE && !hed_failed(r->error))
                value_at(r, value)->key = key ? key : "[...]";
            css_literal_append(r, list, &last, value);
        }
        css_literal_space(r);
        if (r->at == from || (css_literal_peek(r) != ',' && css_literal_peek(r) != '}'))
            break; /* no object */
    }
    return list;
}

/* ---- names and calls ---- */

/* Value of a constant of the file; absent: HED_CSS_NONE. */
static uint32_t find_constant(css_literal_reader *r, const char *name)
{
    static const char *const words[] = {"const", "let", "var"};
    size_t length = strlen(name), back = r->at;
    if (!length || r->depth > 8 || ++r->lookups > CSS_LITERAL_LOOKUPS) return HED_CSS_NONE;
    for (const char *at = r->text, *end = r->text + r->end; at < end; at += length) {
        at = memmem(at, (size_t)(end - at), name, length);
        if (!at) break;
        const char *before = at;
        while (before > r->text && before[-1] == ' ') before--;
        bool declared = before > r->text && before[-1] == ','; /* a further one of a list */
        for (size_t i = 0; i < HED_COUNT(words) && before < at; i++) {
            size_t size = strlen(words[i]);
            declared |=
                (size_t)(before - r->text) >= size && memcmp(before - size, words[i], size) == 0;
        }
        r->at = (size_t)(at - r->text) + length;
        if (!declared || css_literal_word(css_literal_peek(r)) || !css_literal_take(r, '=') ||
            css_literal_peek(r) == '=')
            continue;
        uint32_t value = css_literal_read(r);
        r->at = back;
        return value;
    }
    r->at = back;
    return HED_CSS_NONE;
}

/* Joins the strings that are the arguments of a call. Code if one of them is not a string. */
static uint32_t read_joined(css_literal_reader *r, size_t from)
{
    char path[4096] = "";
    size_t used = 0;
    bool fits = true;
    r->at++;
    while (fits && !hed_failed(r->error) && r->at < r->end && !css_literal_take(r, ')')) {
        if (css_literal_take(r, ',')) continue;
        size_t before = r->at;
        uint32_t value = css_literal_read(r);
        fits = value != HED_CSS_NONE && value_at(r, value)->kind == CSS_LITERAL_STRING &&
               r->at > before;
        if (!fits) break;
        const char *part = value_at(r, value)->text;
        while (used && *part == '.' && part[1] == '/') part += 2;
        while (used && *part == '/') part++;
        int added = snprintf(path + used, sizeof path - used, "%s%s",
            used && path[used - 1] != '/' ? "/" : "", part);
        used += (size_t)added;
        fits = used < sizeof path;
    }
    if (fits) return add_text(r, CSS_LITERAL_STRING, path, used);
    while (r->at < r->end && css_literal_peek(r) != ')') {
        skip_expression(r);
        if (css_literal_peek(r) != ')') r->at += r->at < r->end;
    }
    r->at += r->at < r->end;
    return css_literal_code(r, from);
}

/* Reads the arguments of RegExp(). */
static uint32_t read_constructor(css_literal_reader *r, size_t from)
{
    r->at++;
    uint32_t source = css_literal_read(r), flags = HED_CSS_NONE;
    if (css_literal_take(r, ',')) flags = css_literal_read(r);
    bool closed = css_literal_take(r, ')');
    bool plain = source != HED_CSS_NONE && (value_at(r, source)->kind == CSS_LITERAL_STRING ||
                                               value_at(r, source)->kind == CSS_LITERAL_PATTERN);
    if (!closed || !plain || hed_failed(r->error)) return css_literal_code(r, from);
    value_at(r, source)->kind = CSS_LITERAL_PATTERN;
    if (flags != HED_CSS_NONE && value_at(r, flags)->kind == CSS_LITERAL_STRING)
        value_at(r, source)->flags = value_at(r, flags)->text;
    return source;
}

/* Reads a call of which the first argument is the value, such as glob.sync(). */
static uint32_t read_wrapped(css_literal_reader *r, size_t from)
{
    r->at++;
    uint32_t value = css_literal_read(r);
    if (hed_failed(r->error)) return value;
    while (css_literal_take(r, ',')) skip_expression(r);
    return css_literal_take(r, ')') ? value : css_literal_code(r, from);
}

static uint32_t literal_name(css_literal_reader *r)
{
    static const char *const joins[] = {"path.join", "path.resolve", "join", "resolve", "path.posix.join"};
    static const char *const wraps[] = {"glob.sync", "globSync", "glob.globSync", "globAll.sync",
        "globby.sync", "fg.sync", "defineConfig", "Object.freeze"};
    char name[64];
    size_t from = r->at, length = 0;
    while (css_literal_word(css_literal_peek(r)) || css_literal_peek(r) == '.') {
        if (length + 1 < sizeof name) name[length++] = css_literal_peek(r);
        r->at++;
    }
    name[length] = 0;
    if (strcmp(name, "new") == 0) {
        css_literal_space(r);
        return css_literal_read(r);
    }
    if (strcmp(name, "__dirname") == 0) return add_text(r, CSS_LITERAL_STRING, r->folder, strlen(r->folder));
    if (strcmp(name, "true") == 0 || strcmp(name, "false") == 0) {
        uint32_t value = css_literal_add(r, CSS_LITERAL_BOOLEAN);
        if (value != HED_CSS_NONE) value_at(r, value)->number = *name == 't';
        return value;
    }
    if (strcmp(name, "null") == 0 || strcmp(name, "undefined") == 0) return css_literal_add(r, CSS_LITERAL_NULL);
    css_literal_space(r);
    if (css_literal_peek(r) == '(') {
        if (strcmp(name, "RegExp") == 0) return read_constructor(r, from);
        if (strcmp(name, "process.cwd") == 0 && css_literal_is(r, "()")) {
            r->at += 2;
            return add_text(r, CSS_LITERAL_STRING, ".", 1);
        }
        for (size_t i = 0; i < HED_COUNT(joins); i++)
            if (strcmp(name, joins[i]) == 0) return read_joined(r, from);
        for (size_t i = 0; i < HED_COUNT(wraps); i++)
            if (strcmp(name, wraps[i]) == 0) return read_wrapped(r, from);
    } else if (!css_literal_is(r, "=>")) {
        uint32_t value = find_constant(r, name);
        if (value != HED_CSS_NONE) return value;
    }
    return css_literal_code(r, from);
}

/* ---- expressions ---- */

/* Reads an expression in round brackets; code if these are the parameters of a function. */
static uint32_t literal_group(css_literal_reader *r)
{
    size_t from = r->at++;
    css_literal_space(r);
    uint32_t value = css_literal_peek(r) == ')' ? HED_CSS_NONE : css_literal_read(r);
    bool closed = value != HED_CSS_NONE && css_literal_take(r, ')');
    if (closed) {
        css_literal_space(r);
        if (!css_literal_is(r, "=>")) return value;
    }
    r->at = from + 1;
    while (r->at < r->end && css_literal_peek(r) != ')') {
        skip_expression(r);
        if (css_literal_peek(r) != ')') r->at += r->at < r->end;
    }
    r->at += r->at < r->end;
    return css_literal_code(r, from);
}

static uint32_t read_primary(css_literal_reader *r)
{
    char c = css_literal_peek(r);
    size_t from = r->at;
    if (c == '"' || c == '\'' || c == '`') return literal_string(r);
    if (c == '{') return read_object(r);
    if (c == '[') return literal_array(r);
    if (c == '(') return literal_group(r);
    if (c == '/') return read_pattern(r);
    if ((c >= '0' && c <= '9') || c == '-' || c == '.') {
        char digits[32] = "", *end;
        size_t length = r->end - r->at < sizeof digits - 1 ? r->end - r->at : sizeof digits - 1;
        memcpy(digits, r->text + r->at, length);
        double number = strtod(digits, &end);
        if (end == digits) return css_literal_code(r, from);
        r->at += (size_t)(end - digits);
        uint32_t value = css_literal_add(r, CSS_LITERAL_NUMBER);
        if (value != HED_CSS_NONE) value_at(r, value)->number = number;
        return value;
    }
    if (css_literal_word(c)) return literal_name(r);
    return css_literal_code(r, from);
}

/* True if an expression ends at the position. */
static bool at_end(css_literal_reader *r)
{
    size_t before = r->at;
    css_literal_space(r);
    bool new_line = memchr(r->text + before, '\n', r->at - before) != NULL;
    char c = css_literal_peek(r);
    return r->at >= r->end || strchr(",;)]}:", c) || (new_line && css_literal_word(c));
}

/* Joins two strings; HED_CSS_NONE: one of the values is no string. */
static uint32_t join_strings(css_literal_reader *r, uint32_t a, uint32_t b)
{
    if (a == HED_CSS_NONE || b == HED_CSS_NONE || hed_failed(r->error)) return HED_CSS_NONE;
    const css_literal *x = value_at(r, a), *y = value_at(r, b);
    if (x->kind != CSS_LITERAL_STRING || y->kind != CSS_LITERAL_STRING) return HED_CSS_NONE;
    size_t first = strlen(x->text), length = first + strlen(y->text);
    char *text = malloc(length + 1);
    if (!text) HED_OUT_OF_MEMORY(r->error, "a string of %s", r->file);
    if (!text) return HED_CSS_NONE;
    memcpy(text, x->text, first);
    memcpy(text + first, y->text, length - first);
    uint32_t value = add_text(r, CSS_LITERAL_STRING, text, length);
    free(text);
    return value;
}

uint32_t css_literal_read(css_literal_reader *r)
{
    css_literal_space(r);
    size_t from = r->at;
    if (++r->depth > MOST_DEPTH)
        hed_fail(r->error, HED_ERROR_LIMIT, "%s: nested deeper than %d", r->file, MOST_DEPTH);
    uint32_t value = hed_failed(r->error) ? HED_CSS_NONE : read_primary(r);
    while (!hed_failed(r->error) && !at_end(r)) {
        if (css_literal_peek(r) == '+' && r->end - r->at > 1 && r->text[r->at + 1] != '+') {
            r->at++;
            css_literal_space(r);
            uint32_t joined = join_strings(r, value, read_primary(r));
            if (joined == HED_CSS_NONE) value = css_literal_code(r, from);
            else value = joined;
            continue;
        }
        if (!css_literal_is(r, "as ") && !css_literal_is(r, "satisfies ")) value = css_literal_code(r, from);
        else skip_expression(r);
        break;
    }
    r->depth--;
    return value;
}

/* ---- access ---- */

void css_literals_free(css_literals *literals)
{
    for (uint32_t i = 0; i < literals->text_count; i++) free(literals->texts[i]);
    free(literals->texts);
    free(literals->items);
    *literals = (css_literals){0};
}

const css_literal *css_literal_first(const css_literals *literals, const css_literal *list)
{
    bool holds = list && list->kind >= CSS_LITERAL_ARRAY && list->first != HED_CSS_NONE;
    return holds ? &literals->items[list->first] : NULL;
}

const css_literal *css_literal_next(const css_literals *literals, const css_literal *item)
{
    return item->next == HED_CSS_NONE ? NULL : &literals->items[item->next];
}

const css_literal *css_literal_member(
    const css_literals *literals, const css_literal *object, const char *key)
{
    const css_literal *member = NULL;
    if (!object || object->kind != CSS_LITERAL_OBJECT) return NULL;
    for (const css_literal *m = css_literal_first(literals, object); m;
         m = css_literal_next(literals, m))
        if (m->key && strcmp(m->key, key) == 0) member = m;
    return member;
}
