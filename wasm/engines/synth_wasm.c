/* Solvers of the synth on devices, in place of engines/synth/solver/group and grid: a module plays
 * on the processor. */
#include "engines/synth/solver/solver.h"

#include <stdio.h>

static bool is_possible(const hed_synth *synth, char *reason, size_t size)
{
    snprintf(reason, size, "a module of WebAssembly plays on the processor alone");
    return false;
}

const synth_solver_ops synth_group_ops = {.id = HED_SYNTH_SOLVER_GROUP, .valid = is_possible};
const synth_solver_ops synth_global_ops = {.id = HED_SYNTH_SOLVER_GLOBAL, .valid = is_possible};
const synth_solver_ops synth_grid_ops = {.id = HED_SYNTH_SOLVER_GRID, .valid = is_possible};

bool synth_grid_has_packets(const hed_device_info *info) { return false; }
