/* Libraries loaded at run time, in place of src/base/dynlib.c: a module loads no library. */
#include "base/dynlib.h"

#include "base/text.h"

hed_status hed_dynlib_open(const hed_allocator *allocator, const char *const *names,
    hed_dynlib **library, char *reason, size_t size)
{
    *library = NULL;
    if (reason) hed_text_copy(reason, size, "a module of WebAssembly loads no libraries");
    return HED_OK;
}

void hed_dynlib_close(const hed_allocator *allocator, hed_dynlib *library) {}

const char *hed_dynlib_name(const hed_dynlib *library) { return ""; }

bool hed_dynlib_symbols(const hed_dynlib *library, const char *const *names, void **slots,
    size_t count, const char **missing)
{
    return false;
}

void *hed_dynlib_open_code(int file, const char *const *names, void **slots, size_t count,
    const char **missing, char *reason, size_t size)
{
    hed_text_copy(reason, size, "a module of WebAssembly loads no machine code");
    return NULL;
}

void hed_dynlib_close_code(void *handle) {}
