/* Module of `heddle tune PAGE --module`: it chooses the sizes of a page's pipelines at run time, by
 * device, limits and size of the data. An existing module gets further rows, so it is also the
 * store of the results of other devices and other data. */
#ifndef HED_CLI_TUNE_PAGE_MODULE_H
#define HED_CLI_TUNE_PAGE_MODULE_H

#include "cli/tune/page.h"

/* Reads the tables of an existing module; an empty array: there is no file. Errors: FORMAT (another
 * file), IO, MEMORY. */
hed_status page_module_read(const char *path, json_t **tables, hed_error *error);
/* Adds the tuned pipelines to the tables, finds the lines that use them ("changes" of each
 * pipeline, or "omitted", the reason for which it is not in the module), and writes the module of
 * --module with its types. */
hed_status page_module_write(page_tuning *tuning, hed_error *error);

#endif
