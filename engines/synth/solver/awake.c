/* A warp spins in a stream of its own from the end of one block to the next. Each launch ends by
 * itself: so nothing that waits for the device waits for longer than a block, and a program that
 * ends badly leaves nothing running. */
#include "solver/awake.h"

#include "kernels/kernels.h"
#include "solver/memory.h"
#include "solver/solver.h"

struct synth_awake {
    hed_allocator allocator;
    hed_kernel *kernel;
    hed_stream *stream;
    hed_buffer *spins;
    uint64_t block_ns, until; /* until when it spins, by hed_now() */
};

enum { LONGEST_NS = 2000000000 };

hed_status synth_awake_create(const hed_allocator *allocator, hed_device *device, uint64_t block_ns,
    synth_awake **awake, hed_error *error)
{
    const uint32_t zero = 0;
    hed_buffer_def buffer = hed_default_buffer_def(sizeof zero);
    hed_stream_def stream = hed_default_stream_def();
    *awake = NULL;
    synth_awake *a = synth_new(allocator, 1, sizeof *a);
    if (!a) return synth_fail(error, HED_ERROR_MEMORY, "no memory to keep a device awake");
    a->allocator = *allocator;
    a->block_ns = block_ns < LONGEST_NS ? block_ns : LONGEST_NS;
    hed_status status = hed_kernel_create(device, &synth_awake_def, NULL, &a->kernel, error);
    if (!status) status = hed_stream_create(device, &stream, &a->stream, error);
    if (!status) status = hed_buffer_create(device, &buffer, &a->spins, error);
    if (!status) status = hed_fill(a->stream, a->spins, 0, sizeof zero, &zero, sizeof zero, error);
    if (status) synth_awake_destroy(a);
    else *awake = a;
    return status;
}

hed_status synth_awake_extend(synth_awake *a, hed_error *error)
{
    uint64_t now = hed_now(), spinning = a->until > now ? a->until - now : 0;
    /* Blocks that follow one another faster than they sound must not queue up. */
    if (spinning > a->block_ns / 2) return HED_OK;
    hed_argument arguments[] = {
        hed_buffer_argument(a->spins), hed_uint_argument((uint32_t)(a->block_ns - spinning))};
    hed_problem none = {0};
    a->until = now + a->block_ns;
    return hed_launch(
        a->stream, a->kernel, &none, arguments, sizeof arguments / sizeof *arguments, error);
}

void synth_awake_destroy(synth_awake *a)
{
    if (!a) return;
    hed_allocator allocator = a->allocator;
    if (a->stream) hed_stream_wait(a->stream, NULL);
    hed_buffer_destroy(a->spins);
    hed_kernel_destroy(a->kernel);
    hed_stream_destroy(a->stream);
    synth_release(&allocator, a, 1, sizeof *a);
}
