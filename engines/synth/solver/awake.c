/* One warp that spins, for devices that lower their clock between blocks (the devlog's spin
 * warp). It runs in its own stream from the end of one block to the next. Each launch ends by
 * itself, so nothing that waits for the device waits longer than a block, and a crashed program
 * leaves nothing running. */
#include "solver/solver.h"

static const char awake_cl[] =
    "__kernel void synth_awake(__global uint *spins, uint nanoseconds)\n"
    "{\n"
    "#if HED_HAS_RESIDENT\n"
    "    unsigned long long begin = hed_device_time();\n"
    "    while (hed_device_time() - begin < nanoseconds) {}\n"
    "#endif\n"
    "    if (get_global_id(0) == 0) spins[0] += nanoseconds > 0 ? 1u : 0u;\n"
    "}\n";

static void awake_geometry(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *layout)
{
    (void)def, (void)config, (void)problem;
    *layout = (hed_geometry){.dimensions = 1, .global = {32}, .group = {32}};
}

static const hed_argument_def awake_arguments[] = {
    {.name = "spins", .kind = HED_BUFFER, .type = HED_UINT32, .access = HED_READ_WRITE},
    {.name = "nanoseconds", .kind = HED_SCALAR, .type = HED_UINT32},
};
static const hed_source awake_source = {"awake.cl", awake_cl, 0};

const hed_kernel_def synth_awake_def = {.name = "synth_awake",
    .summary = "one warp that spins for a time", .entry = "synth_awake", .sources = &awake_source,
    .source_count = 1, .arguments = awake_arguments,
    .argument_count = HED_COUNT(awake_arguments),
    .needs = HED_CAN_RESIDENT, /* reads the device's clock */
    .geometry = awake_geometry};

struct synth_awake {
    hed_allocator allocator;
    hed_kernel *kernel;
    hed_stream *stream;
    hed_buffer *spins;
    uint64_t block_ns, until; /* end of the spinning by hed_now() */
};

enum { LONGEST_NS = 2000000000 };

hed_status synth_awake_create(const hed_allocator *allocator, hed_device *device, uint64_t block_ns,
    synth_awake **awake, hed_error *error)
{
    const uint32_t zero = 0;
    hed_buffer_def buffer = hed_default_buffer_def(sizeof zero);
    *awake = NULL;
    synth_awake *a = hed_new(allocator, 1, sizeof *a, error);
    if (!a) return HED_ERROR_MEMORY;
    a->allocator = *allocator;
    a->block_ns = block_ns < LONGEST_NS ? block_ns : LONGEST_NS;
    hed_kernel_create(device, &synth_awake_def, NULL, &a->kernel, error);
    hed_stream_create(device, NULL, &a->stream, error);
    hed_buffer_create(device, &buffer, &a->spins, error);
    hed_status status = hed_fill(a->stream, a->spins, 0, sizeof zero, &zero, sizeof zero, error);
    if (status) synth_awake_destroy(a);
    else *awake = a;
    return status;
}

hed_status synth_awake_extend(synth_awake *a, hed_error *error)
{
    uint64_t now = hed_now(), spinning = a->until > now ? a->until - now : 0;
    /* blocks that arrive faster than real time must not queue launches */
    if (spinning > a->block_ns / 2) return HED_OK;
    hed_argument arguments[] = {
        hed_buffer_argument(a->spins), hed_uint_argument((uint32_t)(a->block_ns - spinning))};
    hed_problem problem = {0};
    a->until = now + a->block_ns;
    return hed_launch(
        a->stream, a->kernel, &problem, arguments, sizeof arguments / sizeof *arguments, error);
}

void synth_awake_destroy(synth_awake *a)
{
    if (!a) return;
    hed_allocator allocator = a->allocator;
    if (a->stream) hed_stream_wait(a->stream, NULL);
    hed_buffer_destroy(a->spins);
    hed_kernel_destroy(a->kernel);
    hed_stream_destroy(a->stream);
    hed_delete(&allocator, a, 1, sizeof *a);
}
