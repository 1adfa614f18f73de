/* MuJoCo's models, in place of engines/mppi/mujoco/: a module has no MuJoCo. */
#include <heddle/author.h>

#include "engines/mppi/mujoco/mujoco_model.h"

hed_status mppi_mujoco_open(
    const char *path, const char *keyframe, double dt, mppi_mujoco **mujoco, hed_error *error)
{
    *mujoco = NULL;
    return hed_fail(error, HED_ERROR_UNSUPPORTED, "%s: models of MuJoCo do not run in WebAssembly", path);
}

void mppi_mujoco_close(mppi_mujoco *mujoco) {}

const hed_mppi_model *mppi_mujoco_model(const mppi_mujoco *mujoco) { return NULL; }

hed_status mppi_mujoco_add_cost(mppi_mujoco *mujoco, const mppi_sensor_cost *cost, hed_error *error)
{
    return HED_ERROR_UNSUPPORTED;
}

uint32_t mppi_mujoco_cost_count(const mppi_mujoco *mujoco) { return 0; }

const char *mppi_mujoco_sensor(const mppi_mujoco *mujoco, uint32_t index) { return NULL; }

void mppi_mujoco_options(const mppi_mujoco *mujoco, hed_mppi_def *def) {}
