/* List of texts on standard input, for programs: JSON with pages, sheets and words, each a name
 * with its text or the path of a file, and the settings of `heddle css unused`:
 *
 *     {"pages": [{"name": NAME, "text": TEXT}, PATH, ...], "sheets": [...], "words": [...],
 *      "keep": [PATTERN, ...], "properties": false, "config": PATH or {"name": NAME, "text": TEXT}}
 */
#ifndef HED_CLI_CSS_TEXT_LIST_H
#define HED_CLI_CSS_TEXT_LIST_H

#include "cli/css/settings.h"

/* True if a text is such a list: an object of JSON, and no recording of pages. */
bool css_is_text_list(const char *text, size_t length);
/* Adds the texts and settings of a list. Errors: FORMAT (the path in the list, and the
 * expected value), and as css_config_read(). */
hed_status css_text_list_read(
    css_settings *settings, const char *text, size_t length, hed_error *error);

#endif
