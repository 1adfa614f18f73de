/* What expressions may know of a device, by name. */
#include "heddle/space.h"

uint32_t hed_device_constants(
    const hed_device_info *info, hed_constant constants[HED_DEVICE_CONSTANTS])
{
    const hed_constant all[] = {
        {"max_group", info->max_group},
        {"max_group_x", info->max_group_size[0]},
        {"max_group_y", info->max_group_size[1]},
        {"max_group_z", info->max_group_size[2]},
        {"local_bytes", (double)info->local_bytes},
        {"lane_width", info->lane_width},
        {"compute_units", info->compute_units},
        {"registers", info->registers},
        {"cache_bytes", (double)info->cache_bytes},
        {"memory_bytes", (double)info->memory_bytes},
        {"architecture", info->architecture},
    };
    _Static_assert(
        sizeof all / sizeof *all == HED_DEVICE_CONSTANTS, "the header says how many there are");
    for (uint32_t i = 0; i < HED_DEVICE_CONSTANTS; i++) constants[i] = all[i];
    return HED_DEVICE_CONSTANTS;
}
