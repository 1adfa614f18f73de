/* Templates that are given as pages: files that a program turns into pages, such as JSX and PHP. A
 * browser never sees these files, so their trees have other elements than the site. */
#ifndef HED_CLI_CSS_TEMPLATE_H
#define HED_CLI_CSS_TEMPLATE_H

#include <stdbool.h>
#include <stddef.h>

/* Name of the kind of a file that is no page, by its ending and its text, as "a JSX component";
 * NULL: a page. *empty: true if the page has no start tag. */
const char *css_template_kind(const char *path, const char *text, size_t length, bool *empty);
/* True if the ending of a file's name is one of a template, a script or Markdown. */
bool css_template_ending(const char *path);
/* True if the ending is one of a text with markup, such as Markdown. */
bool css_markup_ending(const char *path);

#endif
