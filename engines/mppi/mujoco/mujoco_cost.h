/* Costs of the sensors of a model of MuJoCo's: weight * norm(value - target), as residuals of
 * mujoco_mpc. A file gives a sensor its cost by user="NORM WEIGHT LOW HIGH P Q" (LOW and HIGH are limits
 * of a slider), and its target by a numeric of the name SENSOR_target. */
#ifndef HED_MPPI_MUJOCO_COST_H
#define HED_MPPI_MUJOCO_COST_H

#include "heddle/base.h"
#include "heddle/author.h"
#include "mujoco/mujoco_model.h"
#include "mujoco/simulation.h"

typedef struct mujoco_cost {
    int sensor, first, count; /* range of sensordata */
    mppi_norm norm;
    double weight, p, q;
    double target[MPPI_MUJOCO_VALUES];
} mujoco_cost;

typedef struct mujoco_costs {
    uint32_t count;
    mujoco_cost costs[MPPI_MUJOCO_SENSORS];
    const mujoco_calls *calls;
    const void *model;
    const char *path;
} mujoco_costs;

/* Takes the costs that the file gives its sensors. Errors: FORMAT, LIMIT. */
hed_status mujoco_costs_open(mujoco_costs *costs, const mujoco_calls *calls, const void *model,
    const mujoco_sizes *sizes, const char *path, hed_error *error);
/* Adds a cost, in place of one of the same sensor. Errors: ARGUMENT, LIMIT. */
hed_status mujoco_costs_add(
    mujoco_costs *costs, int sensor, const mppi_sensor_cost *cost, hed_error *error);
/* Returns the sum of the costs; `costs`: mujoco_costs. */
double mujoco_costs_sum(const double *sensors, const void *costs);

#endif
