/* Copies of the buffers that a launch writes, so that it can be run once more without anybody
 * noticing. */
#ifndef HED_TUNE_SCRATCH_H
#define HED_TUNE_SCRATCH_H

#include "heddle/launch.h"

/* What a buffer that is only written is filled with: as a float or a double so large that no
 * tolerance takes it for a result. */
enum { HED_SCRATCH_POISON = 0x7f };

/* (argument_count) buffers, NULL for arguments that are not copied. Start from {0}. */
typedef struct hed_scratch {
    hed_buffer *buffers[HED_MAX_ARGUMENTS];
} hed_scratch;

typedef enum hed_scratch_kind {
    HED_SCRATCH_WRITTEN, /* every buffer that the kernel writes, workspaces among them */
    HED_SCRATCH_IN_PLACE /* those alone that it reads, too */
} hed_scratch_kind;

/* Whether arguments are of the description's kinds, with buffers of the device: what the rest here
 * relies on. */
hed_status hed_scratch_check(const hed_kernel_def *def, hed_device *device,
    const hed_argument *arguments, uint32_t count, hed_error *error);
/* Whether a launch's result is in it: not so for a workspace, which is the kernel's own affair. */
bool hed_scratch_is_output(const hed_argument_def *argument);
/* The first written buffer that shares memory with another argument; UINT32_MAX if there is none.
 * Over copies the kernel would do something else. */
uint32_t hed_scratch_overlap(const hed_kernel_def *def, const hed_argument *arguments);
/* Bytes of each copy, 0 where there is none: (HED_MAX_ARGUMENTS) into `sizes`. Gives their sum. */
uint64_t hed_scratch_sizes(const hed_kernel_def *def, const hed_argument *arguments,
    hed_scratch_kind kind, uint64_t *sizes);
/* Makes the copies' memory; what has the right size already is kept. After a failure some may be
 * there. */
hed_status hed_scratch_reserve(
    hed_scratch *scratch, hed_device *device, const uint64_t *sizes, hed_error *error);
/* Whether hed_scratch_reserve() has nothing to do. */
bool hed_scratch_fits(const hed_scratch *scratch, const uint64_t *sizes);
void hed_scratch_free(hed_scratch *scratch);
/* The arguments with copies in place of the buffers that have one: (def->argument_count) into
 * `replaced`. */
void hed_scratch_replace(const hed_scratch *scratch, const hed_kernel_def *def,
    const hed_argument *arguments, hed_argument *replaced);
/* Steps that give each copy its first content: `from`'s where the kernel reads it, poison
 * elsewhere. */
hed_status hed_scratch_fill(const hed_scratch *scratch, hed_stream *stream,
    const hed_kernel_def *def, const hed_argument *from, hed_error *error);

#endif
