/** @file mppi_nav2.h
 *  Nav2's MPPI controller from its own parameter file, unedited: parameters, critics, motion
 *  models, path handler and smoothing mean the same as in ROS 2's nav2_mppi_controller. Part of
 *  heddle-mppi; runs on the processor or a device and needs no ROS. docs/mppi-nav2.md is the introduction.
 *
 *  Each cycle: hed_nav2_compute() with pose, speed and costmap gives the command.
 *
 *  Thread class of everything here: any, one thread at a time for each object. */
#ifndef HEDDLE_MPPI_NAV2_H
#define HEDDLE_MPPI_NAV2_H

#include "heddle/mppi_scene.h"

HED_BEGIN

/* ---- the parameter file ---- */

/** Releases whose formulas differ; the form of the file identifies them. */
typedef enum hed_nav2_release {
    HED_NAV2_JAZZY,  /**< 1.3 and 1.4: motion_model is a type, prune_distance is the controller's */
    HED_NAV2_LYRICAL /**< 1.5: motion_model names a plugin, the path handler is the server's */
} hed_nav2_release;

/** Motion models. */
typedef enum hed_nav2_model { HED_NAV2_DIFF, HED_NAV2_OMNI, HED_NAV2_ACKERMANN } hed_nav2_model;

/** Treatment of a key of the file. */
typedef enum hed_nav2_treatment {
    HED_NAV2_READ,    /**< has its meaning */
    HED_NAV2_DEFAULT, /**< not in the file; Nav2's default is used */
    HED_NAV2_WITHOUT, /**< known, without a counterpart here */
    HED_NAV2_UNKNOWN, /**< unknown to Nav2 and Heddle, or a value that cannot be used */
} hed_nav2_treatment;

/** One key of a parameter file. */
typedef struct hed_nav2_remark {
    hed_nav2_treatment treatment;
    const char *key;   /**< full name, "FollowPath.CostCritic.cost_weight" */
    const char *value; /**< text of the value in use */
    uint32_t line;     /**< line in the file; 0: not in the file */
    const char *text;  /**< reason or advice; "" without one */
} hed_nav2_remark;

typedef struct hed_nav2_config hed_nav2_config;

/** Summary of a configuration. */
typedef struct hed_nav2_config_info {
    const char *controller; /**< name in the file, such as "FollowPath" */
    hed_nav2_release release;
    hed_nav2_model model;
    uint32_t samples, steps;
    double dt;     /**< s */
    double period; /**< 1 / controller_frequency, s */
    /** tolerances of the goal checker, m, rad, and m of path that may be left */
    double goal_distance, goal_angle, goal_path_length;
    bool goal_is_stateful; /**< the distance, once reached, stays reached */
    /** added to the distance: beyond it a reached distance is lost again, m; 0: never */
    double goal_buffer;
    bool goal_is_symmetric; /**< the robot may face backwards at the goal */
    /** time without a valid control after which the server gives up, s; below 0: never */
    double failure_tolerance;
    double start[3]; /**< initial pose in the file (amcl's), x, y, yaw; valid if has_start */
    bool has_start;
    uint32_t remark_count;
} hed_nav2_config_info;

/** Reads the section of the controller of a parameter file of Nav2, with the sections of the local
 *  costmap, the path handler and the goal checker. Unknown keys and keys without a counterpart are
 *  no errors but remarks.
 *  Errors: IO, FORMAT (file, line, the value expected), LIMIT, MEMORY. */
HED_API hed_status hed_nav2_config_read(
    const char *path, hed_nav2_config **config, hed_error *error);
/** Reads a parameter file in memory (`text`: size bytes); `name` replaces the path in messages.
 *  NULL: messages name the parameter alone, as for values that come from a running node.
 *  Errors: as hed_nav2_config_read(). */
HED_API hed_status hed_nav2_config_parse(
    const char *text, size_t size, const char *name, hed_nav2_config **config, hed_error *error);
/** Frees a configuration. NULL is allowed. */
HED_API void hed_nav2_config_free(hed_nav2_config *config);
/** Returns the summary of a configuration. */
HED_API hed_nav2_config_info hed_nav2_config_describe(const hed_nav2_config *config);
/** Returns remark `index`, below remark_count; NULL beyond. */
HED_API const hed_nav2_remark *hed_nav2_config_remark(
    const hed_nav2_config *config, uint32_t index);
/** Sets a parameter of the controller by its name below the controller's, such as "vx_max" or
 *  "CostCritic.cost_weight", to the number in `value`; flags take true and false. Parameters of the
 *  server, the path handler and the goal checker have their plain names, such as "prune_distance".
 *  Errors: ARGUMENT (no such parameter; the value expected). */
HED_API hed_status hed_nav2_config_set(
    hed_nav2_config *config, const char *key, const char *value, hed_error *error);

/** Kinds of values. */
typedef enum hed_nav2_kind { HED_NAV2_NUMBER, HED_NAV2_WHOLE, HED_NAV2_FLAG } hed_nav2_kind;

/** A parameter below the name of the controller, which may change while it runs. */
typedef struct hed_nav2_parameter {
    char name[96]; /**< "vx_max", "CostCritic.cost_weight" */
    hed_nav2_kind kind;
    double value;     /**< value in use; of a flag 0 or 1 */
    double low, high; /**< limits of the value */
} hed_nav2_parameter;

/** Describes parameter `index` of the controller and of the critics in its list; false beyond the
 *  last. A ROS node declares its parameters by it. */
HED_API bool hed_nav2_config_parameter(
    const hed_nav2_config *config, uint32_t index, hed_nav2_parameter *parameter);

/* ---- the world ---- */

/** Place and heading of a robot on a map. */
typedef struct hed_nav2_pose {
    double x, y, yaw; /**< m, m, rad */
} hed_nav2_pose;

/** Velocity of a robot. */
typedef struct hed_nav2_velocity {
    double vx, vy, wz; /**< m/s, m/s, rad/s, in the robot's frame */
} hed_nav2_velocity;

/** A costmap: 0 free to 252, 253 inscribed, 254 lethal, 255 unknown. */
typedef struct hed_nav2_grid {
    uint32_t width, height; /**< cells */
    double resolution;      /**< side of a cell, m */
    double x, y;            /**< lower left corner, m */
    const uint8_t *cells;   /**< (height x width), lowest y first */
} hed_nav2_grid;

/** Computes the costs of a map as static and inflation layer do: `cells` (height x width).
 *  Errors: MEMORY. */
HED_API hed_status hed_nav2_inflate(
    const hed_nav2_config *config, const hed_mppi_map *map, uint8_t *cells, hed_error *error);
/** Finds a path over free cells, the shortest by length and cost, smoothed; as a planner of Nav2
 *  would give it to the controller. Release `poses` (count) with free(). `count` is 0 without a
 *  path. Errors: MEMORY. */
HED_API hed_status hed_nav2_find_path(const hed_nav2_grid *grid, hed_nav2_pose start,
    hed_nav2_pose goal, hed_nav2_pose **poses, uint32_t *count, hed_error *error);
/** True if the robot, a disc of robot_radius or its footprint without padding, overlaps a lethal
 *  cell at a pose, or its centre is off the map. */
HED_API bool hed_nav2_touches(
    const hed_nav2_config *config, const hed_nav2_grid *grid, hed_nav2_pose pose);

/** Returns the number of corners of the robot's outline, without padding, and corner `index` below
 *  it, x and y in the robot's frame, m. */
HED_API uint32_t hed_nav2_corner(const hed_nav2_config *config, uint32_t index, double corner[2]);

/* ---- the controller ---- */

typedef struct hed_nav2 hed_nav2;

/** Outcome of a cycle of the controller. */
typedef enum hed_nav2_outcome {
    HED_NAV2_VALID,
    HED_NAV2_ALL_COLLIDE,   /**< NoValidControl: every future collides, after all retries */
    HED_NAV2_PLAN_COLLIDES, /**< NoValidControl: the plan collides, after all retries */
    HED_NAV2_NO_PATH /**< InvalidPath: nothing is left of the path, or it is off the costmap */
} hed_nav2_outcome;

/** Result of a cycle. */
typedef struct hed_nav2_result {
    hed_nav2_outcome outcome;
    hed_nav2_velocity command; /**< zero unless outcome is VALID */
    double path_length;        /**< length of the pruned path, m */
    uint32_t furthest;         /**< point of the pruned path that the furthest future reaches */
    uint32_t retries;          /**< attempts that failed before */
    float colliding;           /**< fraction of the futures that collide */
    float cost;                /**< smallest cost of a future */
    float effective;           /**< effective number of samples */
    bool detour;               /**< true: the path was led around an obstacle in this cycle */
    bool guarded; /**< true: the robot would have touched an obstacle along Nav2's plan */
} hed_nav2_result;

/** A critic in the last cycle. */
typedef struct hed_nav2_critic {
    const char *name;
    bool active; /**< false: switched off by its gate */
    double mean; /**< mean of its costs over the futures */
} hed_nav2_critic;

/** Creates a controller; `config` may be freed afterwards. `seed` identifies the noise. With
 *  `detour`, a path that an obstacle blocks is led around it on the costmap, where Nav2 stops; and
 *  the robot keeps off lethal cells by its outline, where Nav2 looks at the cell below its centre.
 *  Errors: ARGUMENT (a period above model_dt, limits), MEMORY. */
HED_API hed_status hed_nav2_create(const hed_nav2_config *config, uint64_t seed, bool detour,
    hed_nav2 **controller, hed_error *error);
/** Computes the futures of the next cycles on a device, with the same critics; path, filter, limits
 *  and the check of contacts stay on the calling thread. The device must outlive the controller.
 *  NULL or the device `host`: the processor, as without this call. A device draws its own noise
 *  where noise is drawn in each cycle.
 *  Errors: LIMIT (time_steps beyond the device's local memory), UNSUPPORTED, BUILD (with the log),
 *  MEMORY, DEVICE_MEMORY, DRIVER; the controller is unchanged then. */
HED_API hed_status hed_nav2_use_device(hed_nav2 *controller, hed_device *device, hed_error *error);
/** Frees a controller. NULL is allowed. */
HED_API void hed_nav2_destroy(hed_nav2 *controller);
/** Sets plan, smoothing and last command to zero, as on reaching a goal; a speed limit stays. */
HED_API void hed_nav2_reset(hed_nav2 *controller);
/** Sets the path, poses (count) in the costmap's frame; the plan of controls is kept.
 *  Errors: ARGUMENT (no poses, numbers that are not finite), MEMORY. */
HED_API hed_status hed_nav2_set_path(
    hed_nav2 *controller, const hed_nav2_pose *poses, uint32_t count, hed_error *error);
/** Sets a path that a path handler has pruned already, in the costmap's frame, as release 1.5 gives
 *  it in every cycle: poses (count) from the robot on; `goal` is the end of the whole path.
 *  Errors: as hed_nav2_set_path(). */
HED_API hed_status hed_nav2_set_pruned_path(hed_nav2 *controller, const hed_nav2_pose *poses,
    uint32_t count, hed_nav2_pose goal, hed_error *error);
/** Sets the pose of the path's frame in the costmap's, such as map in odom; they are the same
 *  until then. Localisation moves it, so it is set in each cycle. Errors: ARGUMENT. */
HED_API hed_status hed_nav2_set_frame(hed_nav2 *controller, hed_nav2_pose frame, hed_error *error);

/** Facts that a running costmap and goal checker know better than the parameter file. */
typedef struct hed_nav2_surroundings {
    const double (*corners)[2]; /**< (corner_count x 2) outline with padding, robot's frame, m */
    uint32_t corner_count;      /**< 3 to 64 */
    bool is_circle;             /**< true: the outline is a robot_radius */
    double inflation_radius;    /**< m */
    double cost_scaling_factor; /**< 1/m */
    bool tracks_unknown;        /**< true: cells of 255 are no collision */
    double goal_distance;       /**< tolerance of the goal checker, m; below 0: keeps the file's */
} hed_nav2_surroundings;

/** Replaces footprint, inflation and goal tolerance; between two cycles.
 *  Errors: ARGUMENT (corners, numbers that are not finite). */
HED_API hed_status hed_nav2_set_surroundings(
    hed_nav2 *controller, const hed_nav2_surroundings *surroundings, hed_error *error);
/** Takes over the parameters of another configuration between two cycles. Plan, path, speed limit
 *  and last command are kept; Nav2 would brake to zero. Surroundings are those of `config`.
 *  Errors: as hed_nav2_create(), and then nothing changes. */
HED_API hed_status hed_nav2_adopt(
    hed_nav2 *controller, const hed_nav2_config *config, hed_error *error);
/** Limits speed, in m/s or in per cent of the largest; 0: no limit. */
HED_API void hed_nav2_set_speed_limit(hed_nav2 *controller, double value, bool percentage);
/** Computes the command of a cycle. A result other than VALID is no error; its command is zero.
 *  Errors: ARGUMENT (numbers that are not finite, no path), MEMORY, DRIVER and LOST of a device. */
HED_API hed_status hed_nav2_compute(hed_nav2 *controller, hed_nav2_pose pose,
    hed_nav2_velocity speed, const hed_nav2_grid *grid, hed_nav2_result *result, hed_error *error);
/** Returns critic `index` among the critics of the last cycle; NULL beyond. */
HED_API const hed_nav2_critic *hed_nav2_critic_at(const hed_nav2 *controller, uint32_t index);
/** Returns the numbers of futures and of steps in use; without a controller 0. Each pointer may be
 *  NULL. */
HED_API void hed_nav2_sizes(const hed_nav2 *controller, uint32_t *samples, uint32_t *steps);
/** Returns the poses along the plan, (steps), valid until the next call. */
HED_API const hed_nav2_pose *hed_nav2_plan(hed_nav2 *controller);
/** Returns the pruned path of the last cycle, (count), valid until the next call. */
HED_API const hed_nav2_pose *hed_nav2_path(const hed_nav2 *controller, uint32_t *count);
/** Copies the positions (steps x 2) of a future of the last cycle, below batch_size; returns its
 *  cost. */
HED_API float hed_nav2_future(const hed_nav2 *controller, uint32_t sample, float *positions);

HED_END

#endif
