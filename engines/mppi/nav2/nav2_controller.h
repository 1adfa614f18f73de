/* Nav2's controller inside: its state between cycles, and the stages of a cycle. */
#ifndef HED_NAV2_CONTROLLER_H
#define HED_NAV2_CONTROLLER_H

#include "nav2/nav2_cycle.h"

enum { NAV2_AXES = 3, NAV2_HALF_FILTER = 4, NAV2_MOST_DELAY = 128 };
enum { NAV2_VX, NAV2_VY, NAV2_WZ };

/* Limits of one axis. */
typedef struct nav2_axis {
    bool used;             /* false: vy of a robot without it */
    double low, high;      /* box, with the speed limit */
    double slower, faster; /* accelerations, below and above 0 */
    double sigma;
    uint32_t delay; /* steps by which a rollout's velocities are late, plus 1; 0 and 1: not late */
    double commands[NAV2_MOST_DELAY];        /* (delay) last commands, oldest first */
    double last;                             /* last command */
    double start;                            /* speed at the start of the cycle */
    double history[NAV2_HALF_FILTER];        /* plan's values before now, oldest first */
    float *plan;                             /* (steps) */
    double *mean;                            /* (steps + 8) scratch of update and filter */
    float *before;                           /* (steps) the plan before the update, for the guard */
    double history_before[NAV2_HALF_FILTER]; /* history before the update */
} nav2_axis;

/* A path, and its part ahead of the robot. */
typedef struct nav2_route {
    hed_nav2_pose *poses; /* (capacity) */
    uint32_t count, capacity;
    uint32_t first;      /* poses before it are erased */
    uint32_t end;        /* end of the part up to the first constraint */
    bool is_last;        /* true: the part is the last */
    bool is_pruned;      /* true: a path handler outside has pruned it for this cycle */
    hed_nav2_pose goal;  /* end of the whole path, in the path's frame */
    hed_nav2_pose frame; /* pose of the path's frame in the costmap's */
    double cosine, sine; /* cosine and sine of the frame's yaw */
    hed_nav2_pose *left; /* (capacity) the pruned path of the cycle */
    uint32_t left_count;
} nav2_route;

typedef struct nav2_device nav2_device;

struct hed_nav2 {
    nav2_settings settings;
    hed_arena arena;
    bool detour, shifting;
    hed_device *accelerator; /* device of the futures; NULL: the processor */
    nav2_device *device;     /* kernels and buffers of the accelerator (nav2_device.h) */
    bool reweighed;          /* the host has weighed the futures of the cycle, after the device */
    double period;
    double speed_limit; /* m/s or per cent; 0: unlimited */
    bool speed_limit_is_percentage;
    uint64_t seed;
    uint32_t steps, samples, tiles;
    nav2_axis axes[NAV2_AXES];
    nav2_route route;
    float *noise[NAV2_AXES], *deviation[NAV2_AXES]; /* (tiles x steps x NAV2_LANES), axes in use */
    float *velocity[NAV2_AXES]; /* (steps x NAV2_LANES) of the tile that is rolled out */
    uint32_t *generators;       /* (tiles x 4 x NAV2_LANES) states of the noise */
    float *x, *y, *yaw;
    float *cost, *weight, *raw, *repulsion; /* (tiles x NAV2_LANES) */
    bool *checked;                          /* (samples) the guard has looked at the future */
    uint8_t *knowledge; /* (knowledge_capacity) the guard's knowledge of the cells */
    uint64_t knowledge_capacity;
    nav2_cycle cycle;
    uint32_t path_capacity;
    hed_nav2_pose *plan_poses; /* (steps) */
    hed_nav2_critic critics[NAV2_CRITIC_COUNT];
    uint32_t critic_count;
};

/* v after a time h with accelerations, towards c; `moving`: test of the direction is v > 0 rather
 * than v >= 0, as in rollouts. */
static inline double nav2_accelerate(const nav2_axis *a, bool turns, double v, double c, double h)
{
    bool forward = turns || v >= 0;
    double low = v + h * (forward ? a->slower : -a->faster);
    double high = v + h * (forward ? a->faster : -a->slower);
    return c < low ? low : c > high ? high : c;
}

/* Pose of the path's frame in the costmap's. */
static inline hed_nav2_pose nav2_to_costmap(const nav2_route *r, hed_nav2_pose pose)
{
    return (hed_nav2_pose){r->frame.x + r->cosine * pose.x - r->sine * pose.y,
        r->frame.y + r->sine * pose.x + r->cosine * pose.y, r->frame.yaw + pose.yaw};
}
/* Pose of the costmap's frame in the path's. */
static inline hed_nav2_pose nav2_to_path(const nav2_route *r, hed_nav2_pose pose)
{
    double x = pose.x - r->frame.x, y = pose.y - r->frame.y;
    return (hed_nav2_pose){
        r->cosine * x + r->sine * y, r->cosine * y - r->sine * x, pose.yaw - r->frame.yaw};
}
/* Sets the pose of the path's frame in the costmap's. */
void nav2_set_frame(nav2_route *route, hed_nav2_pose frame);

/* Sets limits, accelerations, noise and delays of the axes from settings and speed limit. */
void nav2_set_axes(hed_nav2 *n);

/* ---- the guard (nav2_guard.c) ---- */

/* Keeps plan and filter for a second update from the same futures. */
void nav2_guard_begin(hed_nav2 *n);
/* Moves a pose for a cycle in parts, along a circle, sideways along the mean heading of each part, by the
 * velocities of the axes (NAV2_AXES); true if the robot stays clear of lethal cells. */
bool nav2_guard_step(const hed_nav2 *controller, hed_nav2_pose *pose, const double *velocities);
/* Updates the plan once more, from the futures that overlap no lethal cell, if the robot would
 * touch one along the plan; brakes where the robot could not stop clear after the command. Returns true
 * if the plan was changed. */
bool nav2_guard_end(hed_nav2 *n);

/* ---- stages of a cycle (nav2_roll.c, nav2_update.c, nav2_route.c, nav2_planner.c) ---- */

/* Sets the generators of the noise. */
void nav2_seed(hed_nav2 *n, uint64_t seed);
/* Draws noise of all futures. */
void nav2_draw(hed_nav2 *n);
/* Sets the speeds from which the futures start, and the plan's first control. */
void nav2_start(hed_nav2 *n, hed_nav2_velocity speed);
/* Rolls out a tile of futures from the cycle's pose; `draw`: with new noise. Their costs begin with
 * the term of gamma. arc (NAV2_LANES): lengths from the first pose. */
void nav2_roll_tile(hed_nav2 *n, uint32_t tile, bool draw, float *arc);
/* Sets weights from costs; returns the smallest cost, infinite without a finite one, and the
 * effective number of samples. */
float nav2_weigh_futures(hed_nav2 *n, float *effective);
/* The plan becomes the weighted mean, filtered and within limits. */
void nav2_update(hed_nav2 *n);
/* Sends the control that is due: returns it, remembers it and shifts the plan. */
hed_nav2_velocity nav2_send(hed_nav2 *n);
/* Integrates the plan from the cycle's pose. */
void nav2_integrate_plan(hed_nav2 *n);
/* Prunes the path to the part ahead of the robot; false if nothing is left. */
bool nav2_prune(hed_nav2 *n, const hed_nav2_grid *grid, hed_nav2_pose pose);
/* Sets the end of the first part of the path. */
void nav2_find_constraint(nav2_route *route, const nav2_path_rules *rules);
/* Leads the path around obstacles that block its pruned part; true if it changed. Errors: MEMORY.
 * */
bool nav2_lead_around(hed_nav2 *n, const hed_nav2_grid *grid, hed_error *error);
/* Makes room for `count` poses. Errors: MEMORY. */
hed_status nav2_route_reserve(nav2_route *route, uint32_t count, hed_error *error);

#endif
