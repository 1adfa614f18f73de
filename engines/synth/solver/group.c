/* Structures group and global: a work-group for each instance runs the program; its store in local or in global memory. */
#include "solver/solver.h"

#include <stdio.h>

static bool not_yet(const hed_synth *synth, char *reason, size_t size)
{
    (void)synth;
    snprintf(reason, size, "not there yet");
    return false;
}

const synth_structure_ops synth_group_ops = {.id = HED_SYNTH_GROUP, .valid = not_yet};
const synth_structure_ops synth_global_ops = {.id = HED_SYNTH_GLOBAL, .valid = not_yet};
