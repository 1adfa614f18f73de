#include "solver/host.h"
#include <stdio.h>
static bool never(const hed_cloth *cloth, char *reason, size_t size)
{
    (void)cloth;
    snprintf(reason, size, "not there yet");
    return false;
}
const cloth_structure_ops cloth_sets_ops = {.id = HED_CLOTH_SETS, .valid = never};
const hed_kernel_def cloth_sets_def = {.name = "cloth_sets"};
