/* Sample inputs of a kernel (hed_kernel_def.sample), created and placed on a device for a launch.
 * Used by the conformance suite and the kernel benchmark. */
#ifndef HED_CLI_SAMPLE_H
#define HED_CLI_SAMPLE_H

#include "heddle/launch.h"

/* Initial content of every argument for one problem, on the host. */
typedef struct hed_sample {
    const hed_kernel_def *def;
    hed_problem problem;
    void *data[HED_MAX_ARGUMENTS];     /* NULL: a buffer that is only written, or a local array */
    uint64_t bytes[HED_MAX_ARGUMENTS]; /* 0: a local array */
} hed_sample;

/* Creates a sample; its content depends on `seed` alone. `config` may influence the sizes of
 * buffers. Errors: ARGUMENT (the description has no sample), MEMORY. */
hed_status hed_sample_create(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, uint64_t seed, hed_sample *sample, hed_error *error);
void hed_sample_free(hed_sample *sample);

/* A sample on a device, as arguments of a launch. */
typedef struct hed_placed {
    hed_buffer *buffers[HED_MAX_ARGUMENTS]; /* NULL if the argument is not a buffer */
    hed_argument arguments[HED_MAX_ARGUMENTS];
} hed_placed;

/* Creates the buffers, with `guard` additional bytes, and enqueues their content. Buffers that are
 * only written, and the guards, are filled with `poison`. The sample must live until the stream has
 * executed the copies. Errors: MEMORY, DEVICE_MEMORY, LIMIT, DRIVER. */
hed_status hed_sample_place(const hed_sample *sample, hed_stream *stream, uint64_t guard,
    unsigned char poison, hed_placed *placed, hed_error *error);
void hed_placed_free(hed_placed *placed); /* after waiting for the stream */

#endif
