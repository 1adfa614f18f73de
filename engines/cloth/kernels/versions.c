/* The four versions of the slides' kernels, chosen by three parameters: what all of their
 * descriptions share. */
#include "kernels/kernels.h"

static const int64_t groups[] = {64, 128, 256, 512};
static const int64_t forms[] = {0, 1};
static const char *const form_names[] = {"scalar", "vector"};
static const int64_t strands[] = {0, 1, CLOTH_STRANDS};
const hed_parameter_def cloth_version_parameters[CLOTH_VERSION_PARAMETERS] = {
    [CLOTH_WG] = {"WG", groups, CLOTH_COUNT(groups), 256, NULL},
    [CLOTH_VECTOR] = {"VECTOR", forms, CLOTH_COUNT(forms), 0, form_names},
    [CLOTH_TASK] = {"TASK", strands, CLOTH_COUNT(strands), 0, NULL},
};
const hed_condition cloth_version_conditions[1] = {{"WG", "TASK == 0"}};

static void spread(uint64_t count, uint64_t items, uint64_t group, hed_geometry *layout)
{
    layout->dimensions = 1;
    layout->global[0] = items;
    layout->group[0] = (uint32_t)group;
    layout->native_items = count;
    layout->native_grain = 1 << 11;
}

void cloth_version_geometry(const hed_config *config, uint64_t count, hed_geometry *layout)
{
    uint64_t strand_count = (uint64_t)config->values[CLOTH_TASK];
    uint64_t items = strand_count                   ? strand_count
                     : config->values[CLOTH_VECTOR] ? cloth_ceil_divide(count, 4)
                                                    : count;
    spread(count, items, strand_count ? 1 : (uint64_t)config->values[CLOTH_WG], layout);
}

void cloth_plain_geometry(const hed_config *config, uint64_t count, hed_geometry *layout)
{
    spread(count, count, (uint64_t)config->values[CLOTH_WG], layout);
}
