/* The controller plugin without ROS: parameters of a node as texts, paths and limits from any
 * thread, a costmap that is copied, and one call a cycle.
 *
 *     mppi_core_create("FollowPath", values, count, 3, &core, &error);
 *     mppi_core_set_path(core, poses, pose_count);           any thread
 *     mppi_core_take_costmap(core, &costmap, &error);        each cycle, under the costmap's lock
 *     outcome = mppi_core_compute(core, &cycle, &command, &error);
 *
 * Thread class: any for mppi_core_change(), _set_path(), _set_speed_limit() and _reset(), which
 * take effect at the next cycle; the rest from one thread at a time. */
#ifndef HEDDLE_MPPI_CONTROLLER_CORE_H
#define HEDDLE_MPPI_CONTROLLER_CORE_H

#include <stddef.h>

#include "heddle/mppi_nav2.h"

HED_BEGIN

typedef struct mppi_core mppi_core;

/* A parameter of the node: full name, "FollowPath.vx_max", and its value as YAML has it. */
typedef struct mppi_core_value {
    const char *key, *text;
} mppi_core_value;

/* Creates the controller called `name` from parameters (count) of its node. Path handlers search
 * `search_distance` along a path by default, m. NAME.device is the device that computes the futures:
 * "cuda:0", part of its name, or "best"; the processor by default. Errors: FORMAT, ARGUMENT, LIMIT,
 * MEMORY, NO_DEVICE, as hed_nav2_use_device(). */
hed_status mppi_core_create(const char *name, const mppi_core_value *values, size_t count,
    double search_distance, mppi_core **core, hed_error *error);
/* Frees a controller. NULL is allowed. */
void mppi_core_destroy(mppi_core *core);
/* Returns its configuration, for display. */
const hed_nav2_config *mppi_core_config(const mppi_core *core);
/* Returns its controller, for display between two cycles. */
hed_nav2 *mppi_core_controller(mppi_core *core);
/* Writes warning `index` about a parameter into `text` (size); false beyond the last. */
bool mppi_core_warning(const mppi_core *core, uint32_t index, char *text, size_t size);

/* ---- any thread ---- */

/* Changes parameters (count), all or none; keys have full names. Errors: ARGUMENT. */
hed_status mppi_core_change(
    mppi_core *core, const mppi_core_value *changes, size_t count, hed_error *error);
/* Sets the path, poses (count) in the path's frame. A path without poses makes every cycle
 * MPPI_CORE_INVALID_PATH. Errors: MEMORY. */
hed_status mppi_core_set_path(
    mppi_core *core, const hed_nav2_pose *poses, uint32_t count, hed_error *error);
/* Limits the speed: m/s, or per cent of vx_max; 0: no limit. */
void mppi_core_set_speed_limit(mppi_core *core, double value, bool percentage);
/* Sets plan and last command to zero; the speed limit stays. */
void mppi_core_reset(mppi_core *core);

/* ---- a cycle ---- */

typedef struct mppi_core_costmap {
    hed_nav2_grid grid; /* copied */
    hed_nav2_surroundings surroundings;
} mppi_core_costmap;

/* Copies costmap and footprint for the next cycle. Errors: ARGUMENT, MEMORY. */
hed_status mppi_core_take_costmap(
    mppi_core *core, const mppi_core_costmap *costmap, hed_error *error);

typedef struct mppi_core_cycle {
    hed_nav2_pose pose; /* robot, in the costmap's frame */
    hed_nav2_velocity speed;
    hed_nav2_pose frame; /* of the path, in the costmap's frame */
    /* path that the server's handler has pruned, in the costmap's frame; NULL: the core prunes */
    const hed_nav2_pose *pruned;
    uint32_t pruned_count;
    hed_nav2_pose goal; /* end of the whole path, of a pruned one */
} mppi_core_cycle;

typedef enum mppi_core_outcome {
    MPPI_CORE_VALID,
    MPPI_CORE_NO_VALID_CONTROL,
    MPPI_CORE_INVALID_PATH,
    MPPI_CORE_FAILED
} mppi_core_outcome;

/* Computes the command of a cycle; zero and a message in `error` unless the outcome is VALID. */
mppi_core_outcome mppi_core_compute(
    mppi_core *core, const mppi_core_cycle *cycle, hed_nav2_velocity *command, hed_error *error);

HED_END

#endif
