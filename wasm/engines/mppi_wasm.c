/* Parts of engines/mppi that a module lacks: models of MuJoCo's (mujoco/), solvers on devices with
 * their choice and traces (solver/), and texts that a compiler makes code of (solver/mppi_code.c). */
#include <heddle/author.h>

#include "engines/mppi/model/controller.h"
#include "engines/mppi/mujoco/mujoco_model.h"

/* ---- MuJoCo ---- */

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

/* ---- the solver ---- */

static bool no_device_fits(const hed_mppi *controller) { return false; }

const mppi_solver mppi_solver_packets = {.kind = HED_MPPI_SOLVER_PACKETS, .fits = no_device_fits};

hed_status mppi_choose_solver(hed_mppi *controller, hed_error *error)
{
    hed_mppi_solver kind = controller->def.solver;
    if (kind != HED_MPPI_SOLVER_AUTO && kind != HED_MPPI_SOLVER_CPU)
        return hed_fail(error, HED_ERROR_UNSUPPORTED,
            "mppi: solver %d is for a device; WebAssembly has only the processor", (int)kind);
    controller->structure.solver = &mppi_solver_cpu;
    return HED_OK;
}

/* ---- texts of users ---- */

hed_status mppi_compile_texts(hed_mppi *controller, hed_error *error)
{
    const char *subject = NULL;
    if (!controller->model.step) subject = controller->model.name;
    for (uint32_t k = 0; !subject && k < controller->def.term_count; k++)
        if (!controller->def.terms[k].cost) subject = controller->def.terms[k].name;
    if (hed_failed(error) || !subject) return error->status;
    return hed_fail(error, HED_ERROR_UNSUPPORTED,
        "mppi: %s is a text, and WebAssembly has no C compiler; expected a model and terms of "
        "Heddle's own",
        subject);
}

void mppi_free_code(hed_mppi *controller) {}
