/* Detection of files that are not UTF-8 text. */
#ifndef HED_CSS_FOREIGN_H
#define HED_CSS_FOREIGN_H

#include "heddle/author.h"

/* Fails with FORMAT if the first bytes mark a picture, an archive or UTF-16. `expected`: "HTML"
 * ... */
hed_status css_refuse_foreign(
    const char *bytes, size_t length, const char *file, const char *expected, hed_error *error);

#endif
