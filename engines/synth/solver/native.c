/* Structure native: plain C in the calling thread. */
#include "solver/solver.h"

#include <stdio.h>

static bool valid(const hed_synth *synth, char *reason, size_t size)
{
    (void)synth;
    snprintf(reason, size, "not there yet");
    return false;
}

const synth_structure_ops synth_native_ops = {.id = HED_SYNTH_NATIVE, .valid = valid};
