/* Patterns of names and selectors that stay (hed_css_keep). */
#ifndef HED_CSS_KEEP_H
#define HED_CSS_KEEP_H

#include "heddle/author.h"
#include "heddle/css_unused.h"
#include "support/pattern.h"

/* Kinds of names; the first four are hed_css_name_kind. */
enum {
    CSS_KEEP_CLASS = '.',
    CSS_KEEP_ID = '#',
    CSS_KEEP_ELEMENT = 'e',
    CSS_KEEP_ATTRIBUTE = '[',
    CSS_KEEP_KEYFRAMES = 'k',
    CSS_KEEP_FONT = 'f',
    CSS_KEEP_PROPERTY = '-',
    CSS_KEEP_WHOLE = '/' /* text of a selector */
};

typedef struct css_keep {
    const char *origin; /* option or member of a file that has the pattern */
    const char *text;   /* pattern as written */
    hed_css_keep_role role;
    char kinds[8];     /* kinds of names to which it applies */
    const char *name;  /* name with * ? [abc]; exact: a plain name; NULL: `pattern` */
    const char *value; /* value of an attribute, as `name`; NULL: any */
    bool exact;
    hed_pattern *pattern;
    bool fitted; /* true: the pattern has fitted a name */
} css_keep;

typedef struct css_keeps {
    css_keep *items;
    uint32_t count;
} css_keeps;

/* Reads patterns into memory of `arena`. Errors: ARGUMENT (no pattern of the forms of
 * hed_css_keep), FORMAT (damaged), UNSUPPORTED (look-around ...), MEMORY. */
hed_status css_keeps_read(
    css_keeps *keeps, hed_arena *arena, const hed_css_keep *defs, uint32_t count, hed_error *error);

/* Finds the first pattern of a role that fits a name; `value`: of an attribute, or NULL. */
const css_keep *css_keeps_find(
    css_keeps *keeps, hed_css_keep_role role, char kind, const char *name, const char *value);
/* True if a pattern has this role and, unless it is 0, this kind. */
bool css_keeps_have(const css_keeps *keeps, hed_css_keep_role role, char kind);

#endif
