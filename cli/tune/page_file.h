/* Recordings of pages (.hrec): "HREC", the version and the bytes of the header as little-endian words,
 * the header as JSON, then the contents of buffers and textures. web/record/save.js writes them in any
 * browser, so they are untrusted. */
#ifndef HED_CLI_TUNE_PAGE_FILE_H
#define HED_CLI_TUNE_PAGE_FILE_H

#include "heddle/base.h"

/* Checks a recording of `size` bytes: its header, its members and the ranges of its contents. Errors:
 * FORMAT (`name`, and the place in the header), MEMORY. */
hed_status page_file_check(const char *name, const char *bytes, size_t size, hed_error *error);

#endif
