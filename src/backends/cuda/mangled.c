/* Types in mangled names: see mangled.h. */
#include "backends/cuda/mangled.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* Returns the end of a name that begins with its length, as "5scale". */
static const char *skip_source_name(const char *at)
{
    char *after;
    unsigned long length = strtoul(at, &after, 10);
    return strnlen(after, length) == length ? after + length : NULL;
}

/* Returns the end of a group that begins with I, N, L, X, J or F: the character after its E. */
static const char *skip_group(const char *at)
{
    if (*at == 'L') { /* a literal: "Li256E" */
        at = strchr(at, 'E');
        return at ? at + 1 : NULL;
    }
    for (at++; at && *at && *at != 'E';) {
        if (is_digit(*at)) at = skip_source_name(at);
        else if (strchr("INLXJF", *at)) at = skip_group(at);
        else if (*at == 'S') at += strcspn(at, "_") + (strchr(at, '_') != NULL);
        else at++;
    }
    return at && *at == 'E' ? at + 1 : NULL;
}

hed_mangled hed_mangled_open(const char *name)
{
    const hed_mangled empty = {NULL};
    bool is_template = false;
    if (strncmp(name, "_Z", 2) != 0) return empty;
    const char *at = name + 2;
    if (*at == 'N') {
        const char *end = skip_group(at);
        /* "...IfEE": the first E closes the template's arguments */
        is_template = end && end - at > 2 && end[-2] == 'E';
        at = end;
    } else {
        at = is_digit(*at) ? skip_source_name(at) : NULL;
        is_template = at && *at == 'I';
        if (is_template) at = skip_group(at);
    }
    /* the result type, which only a template's name contains */
    if (is_template && at && *at == 'v') at++;
    return (hed_mangled){at};
}

static const char *builtin_words(char letter)
{
    static const char letters[] = "abchstijlmxyfd";
    static const char *const words[] = {"char", "bool", "char", "uchar", "short", "ushort", "int",
        "uint", "long", "ulong", "long", "ulong", "float", "double"};
    const char *match = letter ? strchr(letters, letter) : NULL;
    return match ? words[match - letters] : NULL;
}

bool hed_mangled_next(hed_mangled *mangled, char *words, size_t size)
{
    const char *at = mangled->at;
    bool pointer = false, is_known = true;
    words[0] = 0;
    if (!at || !*at) return false;
    for (; *at && strchr("PKVrR", *at); at++) {
        pointer = pointer || *at == 'P';
        is_known = is_known && *at != 'R';
    }
    const char *base = builtin_words(*at), *end = at + 1;
    int length = base ? (int)strlen(base) : 0;
    if (is_digit(*at)) {
        end = skip_source_name(at);
        for (base = at; is_digit(*base);) base++;
        length = end ? (int)(end - base) : 0;
    } else if (*at == 'S' || *at == 'T') { /* a substitution, or a template parameter */
        is_known = false;
        end = at + 1 + strcspn(at + 1, "_");
        bool plain = strspn(at + 1, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ") == (size_t)(end - at - 1);
        end = plain && *end ? end + 1 : NULL; /* NULL: a name of std:: */
    } else if (strchr("NXLF", *at)) {
        is_known = false;
        end = skip_group(at);
    } else if (!base) {
        is_known = false;
        /* void: the target of a pointer, or an empty parameter list */
        end = *at == 'v' ? at + 1 : NULL;
    }
    if (end && *end == 'I') end = skip_group(end);
    mangled->at = end;
    if (!end || (*at == 'v' && !pointer)) return false;
    if (is_known) snprintf(words, size, "%.*s%s", length, base, pointer ? " *" : "");
    return true;
}
