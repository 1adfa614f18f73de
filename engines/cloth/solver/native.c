/* HED_CLOTH_NATIVE: the solver on the host's own cores. */
#include "solver/solver.h"

#include <stdio.h>

static bool native_valid(const hed_cloth *cloth, char *reason, size_t size)
{
    (void)cloth;
    snprintf(reason, size, "not there yet");
    return false;
}

const cloth_structure_ops cloth_native_ops = {.id = HED_CLOTH_NATIVE, .valid = native_valid};
