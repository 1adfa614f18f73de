/* Addresses in pages and sheets: the files and texts to which they lead, by the URL Living Standard
 * as far as a page on the disk needs it. */
#ifndef HED_CLI_CSS_ADDRESS_H
#define HED_CLI_CSS_ADDRESS_H

#include "heddle/author.h"

/* The text that contains an address. */
typedef struct css_origin {
    const char *file; /* page or sheet */
    const char *base; /* href of the page's <base>; NULL: absent */
} css_origin;

/* Finds the file of an address: relative to the folder of the origin or to its base, `file:`, or
 * from "/" on in a folder above the origin. White space around is removed, %20 and the like are
 * decoded, the text after ? or # is ignored. Returns NULL, or the reason for which the address is
 * no file. */
const char *css_address_file(
    const css_origin *origin, const char *address, char *path, size_t size);

/* True if an address is a text itself. */
bool css_address_is_data(const char *address);
/* Reads the text of a `data:` address; the caller frees it. `label` (size bytes) receives the name
 * of its encoding; "": unnamed. Errors: FORMAT, MEMORY. */
hed_status css_address_data(
    const char *address, char **text, size_t *length, char *label, size_t size, hed_error *error);

/* Absolute path of a file, without reading links. False: more than `size` bytes. */
bool css_absolute(const char *path, char *absolute, size_t size);
/* Path of the file `path` relative to the folder of the file `from`, which may not exist yet; at
 * most 3 * PATH_MAX bytes. */
void css_relative(const char *from, const char *path, char *relative, size_t size);

#endif
