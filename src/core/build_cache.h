/* The disk cache of compiled kernels: files named by the hash of a request, each with its request,
 * log and binary. Deletable at any time, safe with several processes at once, never trusted: an
 * entry with a wrong checksum or another request counts as absent. */
#ifndef HED_CORE_BUILD_CACHE_H
#define HED_CORE_BUILD_CACHE_H

#include "core/backend.h"

typedef struct hed_cache_entry {
    hed_binary binary;
    double build_seconds;
} hed_cache_entry;

/* Looks `request` up in `folder`; false if it is absent or damaged. hed_binary_free() frees the
 * entry's binary. */
bool hed_cache_load(const hed_settings *settings, const char *folder, const char *request,
    size_t request_size, hed_cache_entry *entry);
/* Stores an entry under its request. */
hed_status hed_cache_store(const char *folder, const char *request, size_t request_size,
    const hed_cache_entry *entry, hed_error *error);
void hed_binary_free(const hed_settings *settings, hed_binary *binary);

/* Sections of a cache file; the pointers point into its bytes. */
typedef struct hed_cache_file {
    const char *request, *log; /* the log ends with a zero; its size is 0 if there is no log */
    const void *binary;
    uint64_t request_size, log_size, binary_size; /* bytes */
    double build_seconds;
} hed_cache_file;

/* True if `size` bytes are one whole undamaged entry. */
bool hed_cache_parse(const char *bytes, size_t size, hed_cache_file *file);

#endif
