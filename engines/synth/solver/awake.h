/* Keeps a device awake between blocks (hed_synth_def.keep_awake). */
#ifndef SYNTH_AWAKE_H
#define SYNTH_AWAKE_H

#include "heddle/launch.h"

typedef struct synth_awake synth_awake;

/* `block_ns`: time between blocks. Errors: UNSUPPORTED (the device has no clock that kernels can
 * read), and hed_kernel_create()'s. */
hed_status synth_awake_create(const hed_allocator *allocator, hed_device *device, uint64_t block_ns,
    synth_awake **awake, hed_error *error);
/* The device spins for one more block from now on. Thread class: owner. */
hed_status synth_awake_extend(synth_awake *awake, hed_error *error);
/* Waits until it has done so. NULL is allowed. */
void synth_awake_destroy(synth_awake *awake);

#endif
