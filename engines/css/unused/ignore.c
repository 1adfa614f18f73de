/* See ignore.h. A sheet is read as tokens that matter here: comments, strings, addresses, brackets
 * and semicolons. */
#include "ignore.h"

#include <string.h>
#include <strings.h>

#include "survey.h"

enum { MOST_OPEN = 256 };

typedef struct scanner {
    const char *text;
    size_t at, end;
    size_t begins[MOST_OPEN]; /* first byte of each rule around the position */
    uint32_t open;
} scanner;

static bool at_comment(const scanner *s)
{
    return s->end - s->at >= 2 && s->text[s->at] == '/' && s->text[s->at + 1] == '*';
}

/* Moves past one token; returns its bracket or semicolon, or 0. */
static char ignore_token(scanner *s)
{
    char c = s->text[s->at];
    if (at_comment(s)) {
        const char *close = memmem(s->text + s->at + 2, s->end - s->at - 2, "*/", 2);
        s->at = close ? (size_t)(close - s->text) + 2 : s->end;
    } else if (c == '"' || c == '\'') {
        for (s->at++; s->at < s->end && s->text[s->at] != c && s->text[s->at] != '\n';)
            s->at += s->text[s->at] == '\\' && s->at + 1 < s->end ? 2 : 1;
        s->at += s->at < s->end;
    } else if (s->end - s->at > 4 && strncasecmp(s->text + s->at, "url(", 4) == 0 &&
               s->text[s->at + 4] != '"' && s->text[s->at + 4] != '\'') {
        const char *close = memchr(s->text + s->at, ')', s->end - s->at);
        s->at = close ? (size_t)(close - s->text) + 1 : s->end;
    } else if (c == '\\') s->at += s->at + 1 < s->end ? 2 : 1;
    else {
        s->at++;
        return strchr("{};", c) && c ? c : 0;
    }
    return 0;
}

/* End of the rule or statement that begins at the position or after white space and comments. */
static size_t rule_end(scanner s)
{
    uint32_t depth = 0;
    while (s.at < s.end) {
        char c = ignore_token(&s);
        if (c == '{') depth++;
        if (c == '}' && depth) depth--;
        if (!depth && (c == '}' || c == ';')) break;
    }
    return s.at;
}

static void ignore_add(css_ignores *ignores, size_t begin, size_t end, hed_error *error)
{
    ignores->items = css_grow(ignores->allocator, ignores->items, &ignores->room, ignores->count,
        sizeof *ignores->items, error);
    if (!hed_failed(error)) ignores->items[ignores->count++] = (css_ignore){begin, end};
}

typedef enum annotation {
    ANNOTATION_ABSENT,
    ANNOTATION_NEXT,
    ANNOTATION_CURRENT,
    ANNOTATION_START,
    ANNOTATION_END
} annotation;

static annotation annotation_of(const char *comment, size_t length)
{
    static const struct {
        const char *words;
        annotation annotation;
    } forms[] = {{"purgecss start ignore", ANNOTATION_START},
        {"purgecss end ignore", ANNOTATION_END}, {"purgecss ignore current", ANNOTATION_CURRENT},
        {"purgecss ignore", ANNOTATION_NEXT}, {"uncss:ignore start", ANNOTATION_START},
        {"uncss:ignore end", ANNOTATION_END}, {"uncss:ignore", ANNOTATION_NEXT}};
    for (size_t i = 0; i < HED_COUNT(forms); i++)
        if (memmem(comment, length, forms[i].words, strlen(forms[i].words)))
            return forms[i].annotation;
    return ANNOTATION_ABSENT;
}

hed_status css_ignores_find(css_ignores *ignores, const char *text, size_t length, hed_error *error)
{
    scanner s = {.text = text, .end = length};
    size_t begin = 0, start = SIZE_MAX; /* position of the current rule; of an open range */
    if (!memmem(text, length, "purgecss", 8) && !memmem(text, length, "uncss:ignore", 12)) return HED_OK;
    while (s.at < s.end && !hed_failed(error)) {
        size_t from = s.at;
        bool comment = at_comment(&s), blank = strchr(" \t\r\n\f", text[from]) && text[from];
        char token = ignore_token(&s);
        annotation form = comment ? annotation_of(text + from, s.at - from) : ANNOTATION_ABSENT;
        if (form == ANNOTATION_NEXT) ignore_add(ignores, s.at, rule_end(s), error);
        if (form == ANNOTATION_START && start == SIZE_MAX) start = s.at;
        if (form == ANNOTATION_END && start != SIZE_MAX) {
            ignore_add(ignores, start, from, error);
            start = SIZE_MAX;
        }
        if (form == ANNOTATION_CURRENT && s.open && s.open <= MOST_OPEN) {
            scanner rule = s;
            rule.at = s.begins[s.open - 1];
            ignore_add(ignores, rule.at, rule_end(rule), error);
        }
        if ((comment || blank) && begin == from) begin = s.at;
        if (token == '{' && s.open++ < MOST_OPEN) s.begins[s.open - 1] = begin;
        if (token == '}' && s.open) s.open--;
        if (token) begin = s.at;
    }
    if (start != SIZE_MAX) ignore_add(ignores, start, length, error);
    return hed_failed(error) ? error->status : HED_OK;
}

void css_ignores_free(css_ignores *ignores)
{
    hed_delete(ignores->allocator, ignores->items, ignores->room, sizeof *ignores->items);
}

bool css_ignores_have(const css_ignores *ignores, size_t position)
{
    for (uint32_t i = 0; i < ignores->count; i++)
        if (position >= ignores->items[i].begin && position < ignores->items[i].end) return true;
    return false;
}
