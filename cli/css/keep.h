/* Patterns of names and selectors that stay, as --keep and configuration files give them. */
#ifndef HED_CLI_CSS_KEEP_H
#define HED_CLI_CSS_KEEP_H

#include "heddle/author.h"
#include "heddle/css.h"
#include "support/pattern.h"

/* Effect of a pattern on a selector with a name that fits. */
typedef enum css_keep_role {
    CSS_KEEP_SELECTOR, /* the selector stays */
    CSS_KEEP_NAME,     /* the name counts as present, the others have to be present */
    CSS_KEEP_REST,     /* the name and all names after it count as present */
    CSS_KEEP_NEVER /* the selector is removed, although it matches; other patterns are stronger */
} css_keep_role;

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
    char *text;         /* pattern as written */
    css_keep_role role;
    char kinds[8]; /* kinds of names to which it applies */
    char *name;    /* name with * ? [abc]; exact: a plain name; NULL: `pattern` */
    char *value;   /* value of an attribute, as `name`; NULL: any */
    bool exact;
    hed_pattern *pattern;
    bool fitted; /* true: the pattern has fitted a name */
} css_keep;

typedef struct css_keeps {
    css_keep *items;
    uint32_t count, room;
} css_keeps;

/* Adds a pattern in the form of --keep: name or .name (a class), #id, <element>, [attribute],
 * [attribute=value], --property, @keyframes NAME, @font-face NAME, @NAME (keyframes or a font),
 * /regular expression/i. Errors: ARGUMENT (no pattern of these forms), MEMORY. */
hed_status css_keeps_add(css_keeps *keeps, const char *origin, const char *text, hed_error *error);
/* Adds a plain name, or a regular expression with its flags (NULL: a name), for some kinds of
 * names. Errors: FORMAT (damaged), UNSUPPORTED (look-around ...), MEMORY. */
hed_status css_keeps_add_as(css_keeps *keeps, const char *origin, css_keep_role role,
    const char *kinds, const char *text, const char *flags, hed_error *error);
void css_keeps_free(css_keeps *keeps);

/* Finds the first pattern of a role that fits a name; `value`: of an attribute, or NULL. */
const css_keep *css_keeps_find(
    css_keeps *keeps, css_keep_role role, char kind, const char *name, const char *value);
/* True if a pattern has this role and, unless it is 0, this kind. */
bool css_keeps_have(const css_keeps *keeps, css_keep_role role, char kind);
/* Reports the patterns that have fitted nothing on stderr, in one line for each origin. */
void css_keeps_report(const css_keeps *keeps);

#endif
