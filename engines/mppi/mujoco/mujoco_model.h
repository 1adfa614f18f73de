/* MuJoCo's models as dynamics: a file of MJCF or URDF becomes a hed_mppi_model that is simulated as a
 * whole (hed_mppi_model.roll), and its sensors costs. libmujoco is loaded when the first model is
 * opened. */
#ifndef HED_MPPI_MUJOCO_MODEL_H
#define HED_MPPI_MUJOCO_MODEL_H

#include "heddle/mppi.h"

typedef struct mppi_mujoco mppi_mujoco;

/* Functions of a residual r with parameters p and q, as mujoco_mpc's norms. */
typedef enum mppi_norm {
    MPPI_NORM_VALUE,       /* r of a scalar, without a square */
    MPPI_NORM_QUADRATIC,   /* |r|^2 / 2 */
    MPPI_NORM_L22,         /* ((|r|^2)^(q/2) + p^q)^(1/q) - p */
    MPPI_NORM_L2,          /* sqrt(|r|^2 + p^2) - p */
    MPPI_NORM_COSH,        /* sum of p^2 (cosh(r_i / p) - 1) */
    MPPI_NORM_POWER,       /* sum of |r_i|^p */
    MPPI_NORM_SMOOTH_ABS,  /* sum of sqrt(r_i^2 + p^2) - p */
    MPPI_NORM_SMOOTH_ABS2, /* sum of (|r_i|^q + p^q)^(1/q) - p */
    MPPI_NORM_RECTIFY,     /* sum of log(1 + exp(r_i / p)) */
    MPPI_NORM_COUNT
} mppi_norm;

enum { MPPI_MUJOCO_SENSORS = 64, MPPI_MUJOCO_VALUES = 32 };

/* Cost of a sensor: weight * norm(value - target). */
typedef struct mppi_sensor_cost {
    const char *sensor;
    mppi_norm norm;
    double weight, p, q;
    double target[MPPI_MUJOCO_VALUES]; /* (target_count); one number is for every value; 0: zeros */
    uint32_t target_count;
} mppi_sensor_cost;

/* Opens a file. `keyframe` (nullable) names the start, else it is the keyframe "home", else the first,
 * else the model's default. `dt` 0: the numeric agent_timestep of the file, else 0.01 s, rounded to
 * steps of the simulation.
 * Errors: UNSUPPORTED (no library, header or C compiler: the text names the packages), BUILD, FORMAT
 * (MuJoCo's message; no actuators; no such keyframe), LIMIT, MEMORY. */
hed_status mppi_mujoco_open(
    const char *path, const char *keyframe, double dt, mppi_mujoco **mujoco, hed_error *error);
void mppi_mujoco_close(mppi_mujoco *mujoco);
/* Returns the model, which lives as long as `mujoco`. */
const hed_mppi_model *mppi_mujoco_model(const mppi_mujoco *mujoco);
/* Adds or replaces a sensor's cost. Errors: ARGUMENT (no such sensor; other number of targets), LIMIT. */
hed_status mppi_mujoco_add_cost(
    mppi_mujoco *mujoco, const mppi_sensor_cost *cost, hed_error *error);
/* Returns the number of sensors with a cost, from the file or added. */
uint32_t mppi_mujoco_cost_count(const mppi_mujoco *mujoco);
/* Returns the name of sensor `index`; NULL: after the last. */
const char *mppi_mujoco_sensor(const mppi_mujoco *mujoco, uint32_t index);
/* Sets the options of a controller that the file gives as numerics, by mujoco_mpc's names. */
void mppi_mujoco_options(const mppi_mujoco *mujoco, hed_mppi_def *def);

#endif
