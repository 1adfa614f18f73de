/* Recordings of pages as they run: every element that existed, in its surroundings, and the sheets
 * as the browser had them. `heddle css record` writes the file, and the other commands take it as a
 * page. Format, JSON:
 *
 *     {"format": "heddle css recording", "version": 1,
 *      "nodes": [[NAME, NAMESPACE, [[ATTRIBUTE, VALUE], ...], HAS_TEXT, [CHILD, ...], [SHADOW, ...]],
 *      ...], "pages": [{"url": URL, "quirks": false, "trees": [[NODE, ...], ...]}, ...],
 *      "sheets": [{"url": URL, "text": CSS}, ...]}
 *
 * A number of a node is its position in `nodes`, and children precede their parents; NAMESPACE is
 * that of hed_css_namespace. A tree is the numbers of its outermost elements. */
#ifndef HED_CLI_CSS_RECORDING_H
#define HED_CLI_CSS_RECORDING_H

#include "heddle/author.h"
#include "heddle/css.h"

typedef struct css_recording css_recording;

hed_status css_recording_create(css_recording **recording, hed_error *error);
void css_recording_destroy(css_recording *recording);
/* Adds a message of record_page.js. Errors: FORMAT (not such a message), MEMORY. */
hed_status css_recording_add(css_recording *recording, const char *message, hed_error *error);
/* Sets the text of a sheet; `id` tells the sheets of the browser apart, and `url` is NULL if it is
 * as before. Errors: MEMORY. */
hed_status css_recording_set_sheet(
    css_recording *recording, const char *id, const char *url, const char *text, hed_error *error);
typedef struct css_recording_counts {
    size_t pages, nodes, trees, sheets;
} css_recording_counts;
css_recording_counts css_recording_count(const css_recording *recording);
/* Writes the file, whole or not at all. Errors: IO, MEMORY. */
hed_status css_recording_save(const css_recording *recording, const char *path, hed_error *error);

/* True if the text of a file is a recording. */
bool css_is_recording(const char *bytes, size_t length);
/* Calls `visit` with the address ("": inline) and the text of each sheet of a recording. Errors:
 * FORMAT (no recording), MEMORY. */
hed_status css_recording_sheets(const char *file, const char *bytes, size_t length,
    void (*visit)(void *user, const char *url, const char *text, size_t size), void *user,
    hed_error *error);
/* Creates a document of all trees of a recording: a forest, in which the trees of shadow roots are
 * trees of their own. Errors: FORMAT (`file`, and the first wrong entry), LIMIT, MEMORY. */
hed_status css_recording_document(hed_css_names *names, const char *file, const char *bytes,
    size_t length, hed_css_document **document, hed_error *error);

#endif
