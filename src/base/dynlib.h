/* Libraries loaded at run time: the only place that calls dlopen. */
#ifndef HED_BASE_DYNLIB_H
#define HED_BASE_DYNLIB_H

#include "heddle/base.h"

typedef struct hed_dynlib hed_dynlib;

/* Opens the first of `names` (ends with NULL) that loads. If no library loads: OK, `*library` NULL,
 * and the loader's message in `reason` (nullable). Errors: MEMORY. */
hed_status hed_dynlib_open(const hed_allocator *allocator, const char *const *names,
    hed_dynlib **library, char *reason, size_t size);
void hed_dynlib_close(const hed_allocator *allocator, hed_dynlib *library);
/* Prevents unloading of the loaded libraries whose file name contains one of `parts` (ends with
 * NULL): libraries that a library of Heddle's has loaded and would unload. */
void hed_dynlib_keep_loaded(const char *const *parts);
const char *hed_dynlib_name(const hed_dynlib *library); /* the name that loaded */
/* Writes the folder of the library's file; "" if the loader does not report it. */
void hed_dynlib_folder(const hed_dynlib *library, char *folder, size_t size);
void *hed_dynlib_symbol(const hed_dynlib *library, const char *name);
/* Fills a table of function pointers: slots[i] is the function names[i]. False if a name is
 * missing; `missing` is the first one. */
bool hed_dynlib_symbols(const hed_dynlib *library, const char *const *names, void **slots,
    size_t count, const char **missing);

/* Loads machine code from an open file and finds functions in it, as hed_dynlib_symbols(); NULL, with
 * a cause in `missing` or `reason`: it does not load. Unlike a library it can be unloaded. */
void *hed_dynlib_open_code(int file, const char *const *names, void **slots, size_t count,
    const char **missing, char *reason, size_t size);
void hed_dynlib_close_code(void *handle);

#endif
