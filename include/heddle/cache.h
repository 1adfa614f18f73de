/** @file cache.h
 *  The cache of compiled kernels on disk: files by hash under
 *  hed_context_describe().cache_dir, deletable at any time. What is compiled here is taken from
 *  there by the next program. Kept data (tuning) is elsewhere and is never touched by this.
 */
#ifndef HEDDLE_CACHE_H
#define HEDDLE_CACHE_H

#include "heddle/kernel.h"

HED_BEGIN

/** What is in the cache. */
typedef struct hed_cache_report {
    /** where; "" if this context keeps no cache on disk. Owned by the context */
    const char *folder;
    uint64_t entries; /**< compiled kernels that are whole */
    /** of all files in the folder that belong to the cache, damaged ones included */
    uint64_t bytes;
    /** entries that are torn or altered; each is rebuilt when it is next needed */
    uint64_t damaged;
    /** entries of another user, or that others may write: not loaded, but rebuilt */
    uint64_t foreign;
} hed_cache_report;

/** Looks through the folder and checks each entry. A folder that does not exist is an empty cache.
 *  Thread class: any. Errors: IO (names the file), MEMORY. */
HED_API hed_status hed_cache_info(
    const hed_context *context, hed_cache_report *report, hed_error *error);

/** Removes every file of the cache, damaged ones and what interrupted writers left behind included,
 *  and nothing else. `*removed` (nullable) says what was removed. Other processes may go on using
 *  the cache meanwhile. Thread class: any. Errors: IO (names the first file that could not be
 *  removed; the others are gone), MEMORY. */
HED_API hed_status hed_cache_clear(
    hed_context *context, hed_cache_report *removed, hed_error *error);

/** Compiles a kernel ahead, in one configuration, for machines with a CUDA driver and no NVRTC, and
 *  puts it into `folder`, where they find it through hed_context_def.ptx_dir. Needs NVRTC here, and
 *  no device. Without `options->config` it is the default's. Thread class: any. Errors: UNSUPPORTED
 *  (no NVRTC), BUILD, IO, MEMORY. */
HED_API hed_status hed_cache_ship(hed_context *context, const hed_kernel_def *def,
    const hed_kernel_options *options, const char *folder, hed_error *error);

HED_END

#endif
