/* Description of `synth_awake`. */
#include "kernels/kernels.h"

static void geometry(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *layout)
{
    (void)def, (void)config, (void)problem;
    *layout = (hed_geometry){.dimensions = 1, .global = {32}, .group = {32}};
}

static const hed_argument_def arguments[] = {
    {.name = "spins", .kind = HED_BUFFER, .type = HED_UINT32, .access = HED_READ_WRITE},
    {.name = "nanoseconds", .kind = HED_SCALAR, .type = HED_UINT32},
};
static const hed_source sources[] = {{"awake.cl", hed_synth_awake_cl, 0}};

const hed_kernel_def synth_awake_def = {.name = "synth_awake",
    .summary = "one warp that spins for a time", .entry = "synth_awake", .sources = sources,
    .source_count = SYNTH_COUNT(sources), .arguments = arguments,
    .argument_count = SYNTH_COUNT(arguments),
    .needs = HED_CAN_RESIDENT, /* for the device's clock */
    .geometry = geometry};
