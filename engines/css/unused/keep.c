/* See keep.h. */
#include "keep.h"

#include <stdio.h>
#include <string.h>

static const char FORMS[] =
    "a name (a class), .class, #id, <element>, [attribute], [attribute=value], --property, "
    "@keyframes NAME, @font-face NAME, or /regular expression/";

/* ---- reading ---- */

typedef struct keep_reader {
    css_keep *keep;
    hed_arena *arena;
    hed_error *error;
} keep_reader;

static const char *keep_text(keep_reader *r, const char *text, size_t length)
{
    char *copy = hed_arena_new(r->arena, length + 1, 1, r->error);
    return copy ? memcpy(copy, text, length) : NULL;
}

static void set_name(keep_reader *r, const char *kinds, const char *name, size_t length)
{
    snprintf(r->keep->kinds, sizeof r->keep->kinds, "%s", kinds);
    r->keep->name = keep_text(r, name, length);
}

static hed_status set_pattern(
    keep_reader *r, const char *kinds, const char *text, const char *flags)
{
    css_keep *keep = r->keep;
    const char *unknown = flags + strspn(flags, "gimsuy");
    snprintf(keep->kinds, sizeof keep->kinds, "%s", kinds);
    keep->pattern = hed_arena_new(r->arena, 1, sizeof *keep->pattern, r->error);
    if (!keep->pattern || !text) return r->error->status;
    if (*unknown)
        return hed_fail(r->error, HED_ERROR_FORMAT,
            "%s: /%s/%s: flag \"%c\" is unknown; expected i", keep->origin, text, flags, *unknown);
    unsigned options = strchr(flags, 'i') ? HED_PATTERN_ANY_CASE : 0;
    if (hed_pattern_read(keep->pattern, text, options)) return HED_OK;
    if (keep->pattern->wrong)
        return hed_fail(r->error, HED_ERROR_FORMAT, "%s: /%s/: %s; expected a regular expression",
            keep->origin, text, keep->pattern->wrong);
    return hed_fail(r->error, HED_ERROR_UNSUPPORTED,
        "%s: /%s/: %s is not supported. Write the pattern without it", keep->origin, text,
        keep->pattern->unsupported);
}

/* Sets an attribute and its value, after the "[". */
static void set_attribute(keep_reader *r, const char *text)
{
    size_t length = strlen(text), equals = strcspn(text, "=");
    if (length < 2 || text[length - 1] != ']' || !equals) {
        hed_fail(r->error, HED_ERROR_ARGUMENT,
            "%s %s: pattern is incomplete; expected [attribute] or [attribute=value]",
            r->keep->origin, r->keep->text);
        return;
    }
    set_name(r, "[", text, equals == length ? length - 1 : equals);
    if (equals == length) return;
    const char *value = text + equals + 1, *end = text + length - 1;
    bool quoted = end - value >= 2 && (*value == '"' || *value == '\'') && end[-1] == *value;
    r->keep->value = keep_text(r, value + quoted, (size_t)(end - value) - 2 * quoted);
}

/* Kinds of a pattern that begins with "@", and the position of its name. */
static const char *at_kinds(const char **text)
{
    static const struct {
        const char *word, *kinds;
    } words[] = {{"@keyframes ", "k"}, {"@font-face ", "f"}, {"@property ", "-"}, {"@", "kf"}};
    size_t i = 0;
    while (strncmp(*text, words[i].word, strlen(words[i].word)) != 0) i++;
    *text += strlen(words[i].word);
    return words[i].kinds;
}

/* Reads a pattern in the form of --keep. */
static void read_form(keep_reader *r, const char *text)
{
    const char *name = text, *end = strrchr(text, '/');
    size_t length = strlen(text);
    if (text[0] == '/' && end > text)
        set_pattern(r, "/", keep_text(r, text + 1, (size_t)(end - text) - 1), end + 1);
    else if (text[0] == '[') set_attribute(r, text + 1);
    else if (text[0] == '<' && length > 2 && text[length - 1] == '>')
        set_name(r, "e", text + 1, length - 2);
    else if (text[0] == '@' && text[1]) {
        const char *kinds = at_kinds(&name);
        set_name(r, kinds, name, strlen(name));
    } else {
        bool marked = text[0] == '.' || text[0] == '#', property = strncmp(text, "--", 2) == 0;
        if (!text[marked] || text[0] == '<' || text[0] == '/' || text[0] == '@') {
            hed_fail(r->error, HED_ERROR_ARGUMENT, "%s \"%s\": no pattern; expected %s",
                r->keep->origin, text, FORMS);
            return;
        }
        const char *kinds = property ? "-" : text[0] == '#' ? "#" : ".";
        set_name(r, kinds, text + marked, length - marked);
    }
}

hed_status css_keeps_read(
    css_keeps *keeps, hed_arena *arena, const hed_css_keep *defs, uint32_t count, hed_error *error)
{
    keeps->items = hed_arena_new(arena, count + 1ull, sizeof *keeps->items, error);
    for (uint32_t i = 0; i < count && !hed_failed(error); i++) {
        const hed_css_keep *def = &defs[i];
        keep_reader r = {&keeps->items[keeps->count++], arena, error};
        if (!def->pattern)
            return hed_fail(error, HED_ERROR_ARGUMENT, "keep: pattern %u is NULL", i);
        *r.keep = (css_keep){.role = def->role,
            .origin = hed_arena_text(arena, def->origin ? def->origin : "keep", error),
            .text = hed_arena_text(arena, def->pattern, error)};
        if (hed_failed(error)) break;
        if (!def->kinds) read_form(&r, r.keep->text);
        else if (def->flags) set_pattern(&r, def->kinds, r.keep->text, def->flags);
        else {
            set_name(&r, def->kinds, r.keep->text, strlen(r.keep->text));
            r.keep->exact = true;
        }
    }
    return hed_failed(error) ? error->status : HED_OK;
}

/* ---- finding ---- */

/* True if a set such as [a-z] or [!0-9] has the byte; `end`: position after the set, or NULL if the
 * bracket is never closed and stands for itself. */
static bool set_has(const char *set, char byte, const char **end)
{
    const char *at = set + 1;
    bool negated = *at == '!' || *at == '^', has = false;
    at += negated;
    do {
        if (*at == '\\' && at[1]) at++;
        if (!*at) return *end = NULL, false;
        unsigned char low = (unsigned char)*at, high = low;
        if (at[1] == '-' && at[2] && at[2] != ']') high = (unsigned char)*(at += 2);
        has = has || ((unsigned char)byte >= low && (unsigned char)byte <= high);
        at++;
    } while (*at != ']');
    *end = at + 1;
    return has != negated;
}

/* True if the whole name fits a pattern as of file names: * ? [set] and \. After a mismatch the last
 * star takes one more byte. */
static bool wildcards_fit(const char *pattern, const char *name)
{
    const char *star = NULL, *retry = NULL, *end;
    for (;;) {
        if (*pattern == '*') {
            star = ++pattern;
            retry = name;
            continue;
        }
        if (!*pattern && !*name) return true;
        bool fits = false;
        if (*name && *pattern == '?') {
            fits = true;
            pattern++;
            do name++; /* a character of UTF-8 */
            while ((*name & 0xc0) == 0x80);
        } else if (*name && *pattern == '[' && (fits = set_has(pattern, *name, &end), end)) {
            pattern = end;
            name++;
        } else if (*name) {
            if (*pattern == '\\' && pattern[1]) pattern++;
            fits = *pattern++ == *name++;
        }
        if (fits) continue;
        if (!star || !*retry) return false;
        pattern = star;
        name = ++retry;
    }
}

static bool keep_fits(const css_keep *keep, char kind, const char *name, const char *value)
{
    if (!strchr(keep->kinds, kind)) return false;
    if (keep->pattern) return hed_pattern_fits(keep->pattern, name, strlen(name));
    if (keep->value && (!value || !wildcards_fit(keep->value, value))) return false;
    return keep->exact ? strcmp(keep->name, name) == 0 : wildcards_fit(keep->name, name);
}

const css_keep *css_keeps_find(
    css_keeps *keeps, hed_css_keep_role role, char kind, const char *name, const char *value)
{
    const css_keep *first = NULL;
    for (uint32_t i = 0; i < keeps->count; i++) {
        css_keep *keep = &keeps->items[i];
        if (keep->role != role || !keep_fits(keep, kind, name, value)) continue;
        keep->fitted = true;
        if (!first) first = keep;
    }
    return first;
}

bool css_keeps_have(const css_keeps *keeps, hed_css_keep_role role, char kind)
{
    for (uint32_t i = 0; i < keeps->count; i++)
        if (keeps->items[i].role == role && (!kind || strchr(keeps->items[i].kinds, kind)))
            return true;
    return false;
}
