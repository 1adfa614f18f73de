/* See keep.h. */
#include "cli/css/keep.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/css/files.h"

static const char FORMS[] =
    "a name (a class), .class, #id, <element>, [attribute], [attribute=value], --property, "
    "@keyframes NAME, @font-face NAME, or /regular expression/";

/* ---- adding ---- */

static css_keep *keep_new(css_keeps *keeps, const char *origin, css_keep_role role,
    const char *kinds, const char *text, hed_error *error)
{
    if (hed_failed(error)) return NULL;
    keeps->items = css_more(keeps->items, &keeps->room, keeps->count, sizeof *keeps->items, error);
    char *copy = hed_failed(error) ? NULL : strdup(text);
    if (!copy) {
        if (!hed_failed(error)) HED_OUT_OF_MEMORY(error, "the pattern %s", text);
        return NULL;
    }
    css_keep *keep = &keeps->items[keeps->count++];
    *keep = (css_keep){.origin = origin, .text = copy, .role = role};
    snprintf(keep->kinds, sizeof keep->kinds, "%s", kinds);
    return keep;
}

static hed_status set_name(css_keep *keep, const char *name, size_t length, hed_error *error)
{
    if (!keep) return error->status;
    keep->name = strndup(name, length);
    return keep->name ? HED_OK : HED_OUT_OF_MEMORY(error, "the pattern %s", keep->text);
}

static hed_status set_pattern(css_keep *keep, const char *text, const char *flags, hed_error *error)
{
    if (!keep) return error->status;
    const char *unknown = flags + strspn(flags, "gimsuy");
    keep->pattern = malloc(sizeof *keep->pattern);
    if (!keep->pattern) return HED_OUT_OF_MEMORY(error, "the pattern %s", text);
    if (*unknown)
        return hed_fail(error, HED_ERROR_FORMAT, "%s: /%s/%s: flag \"%c\" is unknown; expected i",
            keep->origin, text, flags, *unknown);
    unsigned options = strchr(flags, 'i') ? HED_PATTERN_ANY_CASE : 0;
    if (hed_pattern_read(keep->pattern, text, options)) return HED_OK;
    if (keep->pattern->wrong)
        return hed_fail(error, HED_ERROR_FORMAT, "%s: /%s/: %s; expected a regular expression",
            keep->origin, text, keep->pattern->wrong);
    return hed_fail(error, HED_ERROR_UNSUPPORTED,
        "%s: /%s/: %s is not supported. Write the pattern without it", keep->origin, text,
        keep->pattern->unsupported);
}

/* Sets an attribute and its value, after the "[". */
static hed_status set_attribute(css_keep *keep, const char *text, hed_error *error)
{
    size_t length = strlen(text), equals = strcspn(text, "=");
    if (!keep) return error->status;
    if (length < 2 || text[length - 1] != ']' || !equals)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "%s %s: pattern is incomplete; expected [attribute] or [attribute=value]", keep->origin,
            keep->text);
    if (equals == length) return set_name(keep, text, length - 1, error);
    const char *value = text + equals + 1, *end = text + length - 1;
    bool quoted = end - value >= 2 && (*value == '"' || *value == '\'') && end[-1] == *value;
    keep->value = strndup(value + quoted, (size_t)(end - value) - 2 * quoted);
    if (!keep->value) return HED_OUT_OF_MEMORY(error, "the pattern %s", keep->text);
    return set_name(keep, text, equals, error);
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

hed_status css_keeps_add(css_keeps *keeps, const char *origin, const char *text, hed_error *error)
{
    const css_keep_role role = CSS_KEEP_SELECTOR;
    const char *name = text, *end = strrchr(text, '/');
    size_t length = strlen(text);
    if (text[0] == '/' && end > text) {
        char *source = strndup(text + 1, (size_t)(end - text) - 1);
        if (!source) return HED_OUT_OF_MEMORY(error, "the pattern %s", text);
        set_pattern(keep_new(keeps, origin, role, "/", text, error), source, end + 1, error);
        free(source);
    } else if (text[0] == '[')
        set_attribute(keep_new(keeps, origin, role, "[", text, error), text + 1, error);
    else if (text[0] == '<' && length > 2 && text[length - 1] == '>')
        set_name(keep_new(keeps, origin, role, "e", text, error), text + 1, length - 2, error);
    else if (text[0] == '@' && text[1]) {
        const char *kinds = at_kinds(&name);
        set_name(keep_new(keeps, origin, role, kinds, text, error), name, strlen(name), error);
    } else {
        bool marked = text[0] == '.' || text[0] == '#', property = strncmp(text, "--", 2) == 0;
        if (!text[marked] || text[0] == '<' || text[0] == '/' || text[0] == '@')
            return hed_fail(error, HED_ERROR_ARGUMENT, "%s \"%s\": no pattern; expected %s", origin,
                text, FORMS);
        const char *kinds = property ? "-" : text[0] == '#' ? "#" : ".";
        set_name(keep_new(keeps, origin, role, kinds, text, error), text + marked, length, error);
    }
    return hed_failed(error) ? error->status : HED_OK;
}

hed_status css_keeps_add_as(css_keeps *keeps, const char *origin, css_keep_role role,
    const char *kinds, const char *text, const char *flags, hed_error *error)
{
    css_keep *keep = keep_new(keeps, origin, role, kinds, text, error);
    if (flags) return set_pattern(keep, text, flags, error);
    if (keep) keep->exact = true;
    return set_name(keep, text, strlen(text), error);
}

void css_keeps_free(css_keeps *keeps)
{
    for (uint32_t i = 0; i < keeps->count; i++) {
        free(keeps->items[i].text);
        free(keeps->items[i].name);
        free(keeps->items[i].value);
        free(keeps->items[i].pattern);
    }
    free(keeps->items);
    *keeps = (css_keeps){0};
}

/* ---- finding ---- */

static bool keep_fits(const css_keep *keep, char kind, const char *name, const char *value)
{
    if (!strchr(keep->kinds, kind)) return false;
    if (keep->pattern) return hed_pattern_fits(keep->pattern, name, strlen(name));
    if (keep->value && (!value || fnmatch(keep->value, value, 0) != 0)) return false;
    return keep->exact ? strcmp(keep->name, name) == 0 : fnmatch(keep->name, name, 0) == 0;
}

const css_keep *css_keeps_find(
    css_keeps *keeps, css_keep_role role, char kind, const char *name, const char *value)
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

bool css_keeps_have(const css_keeps *keeps, css_keep_role role, char kind)
{
    for (uint32_t i = 0; i < keeps->count; i++)
        if (keeps->items[i].role == role && (!kind || strchr(keeps->items[i].kinds, kind)))
            return true;
    return false;
}

void css_keeps_report(const css_keeps *keeps)
{
    enum { MOST_NAMED = 8 };
    for (uint32_t i = 0, next; i < keeps->count; i = next) {
        const char *origin = keeps->items[i].origin;
        uint32_t count = 0, named = 0;
        for (next = i; next < keeps->count && strcmp(keeps->items[next].origin, origin) == 0;
             next++)
            count += !keeps->items[next].fitted;
        if (!count) continue;
        fprintf(stderr, "heddle: warning: %s: %u pattern%s nothing in the sheets:", origin, count,
            count == 1 ? " fits" : "s fit");
        for (uint32_t k = i; k < next && named < MOST_NAMED; k++)
            if (!keeps->items[k].fitted)
                fprintf(stderr, "%s %s", named++ ? "," : "", keeps->items[k].text);
        fprintf(stderr, "%s\n", count > named ? " ..." : "");
    }
}
