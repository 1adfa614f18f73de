/* Recordings of pages as they run: every element that existed, in its surroundings, and the sheets
 * as the browser had them. `heddle css record` writes the file, and the other commands take it as a
 * page. Format, JSON:
 *
 *     {"format": "heddle css recording", "version": 1,
 *      "nodes": [[NAME, NAMESPACE, [[ATTRIBUTE, VALUE], ...], HAS_TEXT, [CHILD, ...], [SHADOW, ...]],
 *      ...], "pages": [{"url": URL, "quirks": false, "trees": [[NODE, ...], ...]}, ...],
 *      "sheets": [{"url": URL, "hosts": [NAME, ...], "text": CSS}, ...]}
 *
 * A number of a node is its position in `nodes`, and children precede their parents; NAMESPACE is
 * that of hed_css_namespace. A tree is the numbers of its outermost elements. The hosts of a sheet are
 * the names of the elements whose shadow trees have it, "" of a page's sheet; they are absent if the browser
 * does not report them, as for imported sheets and for constructed ones that no tree has any more. */
#ifndef HED_CLI_CSS_RECORDING_H
#define HED_CLI_CSS_RECORDING_H

#include "heddle/author.h"
#include "heddle/css.h"

typedef struct css_recording css_recording;

hed_status css_recording_create(css_recording **recording, hed_error *error);
void css_recording_destroy(css_recording *recording);
/* Adds a message of record_page.js. Errors: FORMAT (not such a message), MEMORY. */
hed_status css_recording_add(css_recording *recording, const char *message, hed_error *error);
typedef struct css_recorded_sheet {
    const char *url;          /* "": inline */
    const char *const *hosts; /* "": a page has it */
    uint32_t host_count;      /* 0: unknown */
    const char *text;
    size_t length;
} css_recorded_sheet;
/* Sets a sheet of the browser, whose name is `id`. Without an address it has the former address and
 * hosts; its length is not read. Errors: MEMORY. */
hed_status css_recording_set_sheet(
    css_recording *recording, const char *id, const css_recorded_sheet *sheet, hed_error *error);
/* Sets the hosts of a sheet, `count` of them (0: unknown); without the sheet it does nothing. */
void css_recording_set_hosts(
    css_recording *recording, const char *id, const char *const *hosts, uint32_t count);
typedef struct css_recording_counts {
    size_t pages, nodes, trees, sheets;
} css_recording_counts;
css_recording_counts css_recording_count(const css_recording *recording);
/* Writes the file, whole or not at all. Errors: IO, MEMORY. */
hed_status css_recording_save(const css_recording *recording, const char *path, hed_error *error);

/* True if the text of a file is a recording. */
bool css_is_recording(const char *bytes, size_t length);
/* Calls `visit` with each sheet of a recording. Errors: FORMAT (no recording), MEMORY. */
hed_status css_recording_sheets(const char *file, const char *bytes, size_t length,
    void (*visit)(void *user, const css_recorded_sheet *sheet), void *user, hed_error *error);
/* Calls `visit` with each tree of a recording's document that has a sheet; once with HED_CSS_NONE,
 * any tree, if the hosts are unknown or the recording lacks the shadow trees of one. */
void css_recording_trees(const hed_css_document *document, const css_recorded_sheet *sheet,
    void (*visit)(void *user, uint32_t tree), void *user);
/* Creates a document of all trees of a recording: a forest, in which the trees of shadow roots are
 * trees of their own. Errors: FORMAT (`file`, and the first wrong entry), LIMIT, MEMORY. */
hed_status css_recording_document(hed_css_names *names, const char *file, const char *bytes,
    size_t length, hed_css_document **document, hed_error *error);

#endif
