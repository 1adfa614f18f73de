/* Comments in a sheet that keep rules, in the forms of PurgeCSS and UnCSS. */
#ifndef HED_CSS_IGNORE_H
#define HED_CSS_IGNORE_H

#include "heddle/author.h"

/* Bytes of a sheet of which rules and parts that begin there stay. */
typedef struct css_ignore {
    size_t begin, end;
} css_ignore;

typedef struct css_ignores {
    const hed_allocator *allocator;
    css_ignore *items;
    uint32_t count, room;
} css_ignores;

/* Finds the ranges of a text: after "purgecss ignore" or "uncss:ignore" the next rule, around
 * "purgecss ignore current" the innermost rule, from "... start ..." to "... end ...". Errors:
 * MEMORY. */
hed_status css_ignores_find(
    css_ignores *ignores, const char *text, size_t length, hed_error *error);
void css_ignores_free(css_ignores *ignores);
bool css_ignores_have(const css_ignores *ignores, size_t position);

#endif
