/* Libraries loaded at run time: the only place that calls dlopen. */
#ifndef HED_BASE_DYNLIB_H
#define HED_BASE_DYNLIB_H

#include "heddle/base.h"

typedef struct hed_dynlib hed_dynlib;

/* Opens the first of `names` (ends with NULL) that loads. None does: OK, `*library` NULL, and the
 * loader's words in `reason` (nullable). Errors: MEMORY. */
hed_status hed_dynlib_open(const hed_allocator *allocator, const char *const *names,
    hed_dynlib **library, char *reason, size_t size);
void hed_dynlib_close(const hed_allocator *allocator, hed_dynlib *library);
/* Keeps libraries that are loaded now, and whose file's name has one of `parts` (ends with NULL) in
 * it, for good: what a library of ours has loaded and would unload. */
void hed_dynlib_keep_loaded(const char *const *parts);
const char *hed_dynlib_name(const hed_dynlib *library); /* the name that loaded */
/* The folder that the library's file lies in; "" where the loader does not tell. */
void hed_dynlib_folder(const hed_dynlib *library, char *folder, size_t size);
void *hed_dynlib_symbol(const hed_dynlib *library, const char *name);
/* Fills a table of function pointers: names[i] to slots[i]. False and the first missing name in
 * `missing`. */
bool hed_dynlib_symbols(const hed_dynlib *library, const char *const *names, void **slots,
    size_t count, const char **missing);

#endif
