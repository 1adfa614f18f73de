/** @file cache.h
 *  The cache of compiled kernels on disk: files named by hashes under hed_context_info.cache_dir.
 *  They may be deleted at any time: the next program compiles again. Tuning results are stored
 *  elsewhere, and no function of this header changes them. */
#ifndef HEDDLE_CACHE_H
#define HEDDLE_CACHE_H

#include "heddle/kernel.h"

HED_BEGIN

/** Content of the cache. */
typedef struct hed_cache_info {
    /** path, owned by the context; "": this context has no cache on disk */
    const char *folder;
    uint64_t entries; /**< intact compiled kernels */
    /** size of all cache files in the folder, damaged ones included */
    uint64_t bytes;
    /** incomplete or altered entries; each is rebuilt when it is next needed */
    uint64_t damaged;
    /** entries of another user, or writable by others; they are rebuilt instead of loaded */
    uint64_t foreign;
} hed_cache_info;

/** Counts and checks the entries of the folder. A missing folder is an empty cache.
 *  Thread class: any. Errors: IO (names the file), MEMORY. */
HED_API hed_status hed_cache_measure(
    const hed_context *context, hed_cache_info *report, hed_error *error);

/** Removes every file of the cache, damaged entries and remains of interrupted writes included, and
 *  no other file. `*removed` (nullable) receives the removed entries. Other processes may use the
 *  cache meanwhile.
 *  Thread class: any. Errors: IO (names the first file that could not be removed; all others were
 *  removed), MEMORY. */
HED_API hed_status hed_cache_clear(hed_context *context, hed_cache_info *removed, hed_error *error);

/** Compiles a kernel in one configuration for machines with a CUDA driver and no NVRTC. The result
 *  is stored in `folder`, from where those machines load it (hed_context_def.ptx_dir). It needs
 *  NVRTC on this machine, and no device. `options->config` NULL: the default.
 *  Thread class: any. Errors: UNSUPPORTED (no NVRTC), BUILD, IO, MEMORY. */
HED_API hed_status hed_cache_ship(hed_context *context, const hed_kernel_def *def,
    const hed_kernel_options *options, const char *folder, hed_error *error);

HED_END

#endif
