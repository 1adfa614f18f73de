/** @file canonical.h
 *  The canonical kernels: copy, saxpy, transpose, reduction, prefix sum, 2-D convolution, n-body
 *  and matrix multiply. They test the runtime, serve as targets for tuning, and are ready to use. A
 *  library of its own: heddle-canonical. */
#ifndef HEDDLE_CANONICAL_H
#define HEDDLE_CANONICAL_H

#include "heddle/launch.h"

HED_BEGIN

/** Returns the number of canonical kernels. Thread class: any. */
HED_API uint32_t hed_canonical_count(void);
/** Returns description `index` < hed_canonical_count(). Thread class: any. */
HED_API const hed_kernel_def *hed_canonical_at(uint32_t index);
/** Returns the description of a name, such as "convolution"; NULL: no such kernel.
 *  Thread class: any. */
HED_API const hed_kernel_def *hed_canonical_find(const char *name);

/** Launches and buffers for sums and prefix sums of float arrays of any length. A prefix sum is one
 *  launch of `scan_single`, or of `reduction`, `scan_tree` and `scan` on devices without
 *  HED_CAN_PACKETS. In strict mode, results follow the rule of heddle/tree.h, as hed_tree_sum()
 *  does. */
typedef struct hed_canonical_chain hed_canonical_chain;

/** Creates a chain for at most `most` elements, at least 1.
 *  Thread class: any. Errors: ARGUMENT, and as hed_kernel_create() and hed_buffer_create(). */
HED_API hed_status hed_canonical_chain_create(hed_device *device, uint32_t most, hed_math math,
    hed_canonical_chain **chain, hed_error *error);
/** Destroys a chain once all its work is done. NULL is allowed. Thread class: owner. */
HED_API void hed_canonical_chain_destroy(hed_canonical_chain *chain);
/** Enqueues a sum: the first float of `sum` becomes the sum of the first `n` floats of `in`. A
 *  chain serves one stream at a time.
 *  Thread class: owner of stream and chain. Errors: BOUNDS (a buffer is too small, or n above
 *  `most`), and as hed_launch(). */
HED_API hed_status hed_canonical_sum(hed_canonical_chain *chain, hed_stream *stream, hed_buffer *in,
    uint32_t n, hed_buffer *sum, hed_error *error);
/** Enqueues a prefix sum: out[i] becomes the sum of in[0 .. i], for i below `n`. `out` is not `in`.
 *  Thread class: owner of stream and chain. Errors: as hed_canonical_sum(). */
HED_API hed_status hed_canonical_scan(hed_canonical_chain *chain, hed_stream *stream,
    hed_buffer *in, uint32_t n, hed_buffer *out, hed_error *error);

HED_END

#endif
