/* The object that a JavaScript file exports; see literal.h. */
#include "cli/css/literal_reader.h"

#include <string.h>
#include <strings.h>

/* ---- the object of a file ---- */

/* Moves past the words of an export. False: the position is at other text. */
static bool take_export(css_literal_reader *r)
{
    static const char *const exports[] = {"module.exports", "exports.default", "export default"};
    size_t from = r->at;
    for (size_t i = 0; i < HED_COUNT(exports); i++) {
        if (!css_literal_is(r, exports[i])) continue;
        r->at += strlen(exports[i]);
        if (i == 2 || (css_literal_take(r, '=') && css_literal_peek(r) != '=')) return true;
        r->at = from;
    }
    return false;
}

/* Moves past the next export of a form that `takes`, from the position on. */
static bool find_export(css_literal_reader *r, bool (*takes)(css_literal_reader *r))
{
    for (char before = ';'; r->at < r->end;) {
        css_literal_space(r);
        if (before != '.' && !css_literal_word(before) && takes(r)) return true;
        char c = css_literal_peek(r);
        if (c && strchr("\"'`", c)) css_literal_skip_quoted(r);
        else if (c == '/' && strchr("=(,:[!&|?{};", before)) css_literal_skip_pattern(r);
        else r->at += r->at < r->end;
        before = c ? c : ' ';
    }
    return false;
}

/* Moves past "export const" and the like. False: the position is at other text. */
static bool take_named_export(css_literal_reader *r)
{
    static const char *const words[] = {"export const ", "export let ", "export var ", "export function "};
    for (size_t i = 0; i < HED_COUNT(words); i++) {
        if (!css_literal_is(r, words[i])) continue;
        r->at += strlen(words[i]);
        return true;
    }
    return false;
}

/* Reads the exports that have names as the members of an object; HED_CSS_NONE: there are no such
 * exports. */
static uint32_t read_named_exports(css_literal_reader *r)
{
    uint32_t list = css_literal_add(r, CSS_LITERAL_OBJECT), last = HED_CSS_NONE;
    r->at = 0;
    while (!hed_failed(r->error) && find_export(r, take_named_export)) {
        css_literal_space(r);
        size_t from = r->at;
        while (css_literal_word(css_literal_peek(r))) r->at++;
        const char *key = css_literal_text(r, r->text + from, r->at - from);
        uint32_t value = css_literal_take(r, '=') ? css_literal_read(r) : css_literal_code(r, from);
        if (value == HED_CSS_NONE || hed_failed(r->error)) break;
        r->out->items[value].key = key;
        css_literal_append(r, list, &last, value);
    }
    return last == HED_CSS_NONE ? HED_CSS_NONE : list;
}

/* Finds the object that follows a name in any case, as the argument of its call or in its list. */
static uint32_t find_call(css_literal_reader *r, const char *name)
{
    size_t length = strlen(name);
    for (size_t at = 0; at + length < r->end && r->lookups++ < CSS_LITERAL_LOOKUPS * 100;) {
        if (strncasecmp(r->text + at++, name, length) != 0) continue;
        r->at = at - 1 + length;
        while (css_literal_word(css_literal_peek(r)) || css_literal_peek(r) == '-') r->at++;
        while (r->at < r->end && strchr("'\"`)(:, \t\r\n", css_literal_peek(r)) && css_literal_peek(r)) r->at++;
        if (css_literal_peek(r) != '{') continue;
        at = r->at;
        uint32_t value = css_literal_read(r);
        if (hed_failed(r->error)) return HED_CSS_NONE;
        static const char *const members[] = {"content", "css", "safelist", "whitelist", "paths"};
        for (size_t i = 0; i < HED_COUNT(members) && value != HED_CSS_NONE; i++)
            if (css_literal_member(r->out, &r->out->items[value], members[i])) return value;
    }
    return HED_CSS_NONE;
}

hed_status css_literals_read(css_literals *literals, const char *file, const char *text,
    size_t length, const char *folder, const char *call, hed_error *error)
{
    css_literal_reader r = {.out = literals,
        .file = file,
        .folder = folder,
        .text = text,
        .end = length,
        .error = error};
    uint32_t value = HED_CSS_NONE;
    literals->root = HED_CSS_NONE;
    css_literal_space(&r);
    if (css_literal_peek(&r) == '{' || find_export(&r, take_export)) value = css_literal_read(&r);
    else value = read_named_exports(&r);
    if (hed_failed(error)) return error->status;
    const css_literal *root = value == HED_CSS_NONE ? NULL : (&r.out->items[value]);
    bool object = root && root->kind == CSS_LITERAL_OBJECT;
    bool direct = object && (css_literal_member(literals, root, "content") || !call);
    if (!direct && call) {
        uint32_t options = find_call(&r, call);
        if (options != HED_CSS_NONE) value = options;
        object |= options != HED_CSS_NONE;
    }
    if (hed_failed(error)) return error->status;
    if (!object)
        return hed_fail(error, HED_ERROR_FORMAT,
            "%s: %s%s; expected an object, as in module.exports = { ... } or export default { ... }",
            file, value == HED_CSS_NONE ? "nothing is exported" : "the exported value is code: ",
            value == HED_CSS_NONE ? "" : (&r.out->items[value])->text);
    literals->root = value;
    return HED_OK;
}
