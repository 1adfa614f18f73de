/* Common parts of the kernels' descriptions: the parameters and geometry of their four versions. */
#include "kernels/kernels.h"

const hed_parameter_def cloth_version_parameters[CLOTH_VERSION_PARAMETERS] = {
    [CLOTH_WG] = HED_PARAMETER(WG, 256, 64, 128, 256, 512),
    [CLOTH_VECTOR] = HED_CHOICE(VECTOR, 0, "scalar", "vector"),
    [CLOTH_TASK] = HED_PARAMETER(TASK, 0, 0, 1, CLOTH_STRANDS),
};
const hed_condition cloth_version_conditions[1] = {{"WG", "TASK == 0"}};

void cloth_geometry(const hed_kernel_def *def, const hed_config *config, const hed_problem *problem,
    hed_geometry *layout)
{
    uint64_t count = (uint64_t)problem->sizes[0], items = count;
    bool versions = def->parameter_count == CLOTH_VERSION_PARAMETERS;
    uint64_t strands = versions ? (uint64_t)config->values[CLOTH_TASK] : 0;
    if (strands) items = strands;
    else if (versions && config->values[CLOTH_VECTOR]) items = hed_ceil_divide(count, 4);
    *layout = (hed_geometry){.dimensions = 1,
        .global = {items},
        .group = {strands ? 1 : (uint32_t)config->values[CLOTH_WG]},
        .native_items = count,
        .native_grain = 1 << 11};
}
