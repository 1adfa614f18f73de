/* Where a value stands in JSON text: its line, its column and its path. Only asked when there is
 * something to complain about, so nothing is recorded while parsing: the text is walked once more,
 * side by side with jansson's tree.
 */
#ifndef HED_SUPPORT_JSON_PLACE_H
#define HED_SUPPORT_JSON_PLACE_H

#include <jansson.h>

typedef struct hed_json_place {
    size_t line, column; /* both from 1; the column counts characters */
} hed_json_place;

/* Finds member `key` (or element `index` where key is NULL) of `container` in the document `root`,
 * which was parsed from `text`; container NULL stands for the document itself. Writes the path,
 * such as springs[12].to, cut at the front where it is too long; "" for the document. `container`
 * must be in the document. */
hed_json_place hed_json_find_place(const char *text, const json_t *root, const json_t *container,
    const char *key, size_t index, char *path, size_t size);

#endif
