/* Inputs and results of a cycle of Nav2's controller on a device (nav2/nav2_device.c): a frame of
 * numbers, then arrays at the frame's offsets, in one buffer of words. One text for OpenCL C, CUDA
 * and C; words.h precedes it. A work-group computes a tile of NAV2_TILE futures with NAV2_TEAM work
 * items for each. */
#ifndef MPPI_NAV2_FRAME_H
#define MPPI_NAV2_FRAME_H

enum { NAV2_TILE = 32 };
/* axes on a device: vy is last, so that robots without it have two */
enum { NAV2_FRAME_VX, NAV2_FRAME_WZ, NAV2_FRAME_VY, NAV2_FRAME_AXES };
/* critics, in the order of nav2_parameters.h */
enum {
    NAV2_AT_CONSTRAINT,
    NAV2_AT_COST,
    NAV2_AT_GOAL,
    NAV2_AT_GOAL_ANGLE,
    NAV2_AT_OBSTACLES,
    NAV2_AT_ALIGN,
    NAV2_AT_ANGLE,
    NAV2_AT_FOLLOW,
    NAV2_AT_FORWARD,
    NAV2_AT_TWIRLING,
    NAV2_AT_DEADBAND,
    NAV2_AT_COUNT
};

/* Limits and noise of an axis. */
typedef struct nav2_frame_axis {
    float start;          /* speed at the start */
    float slower, faster; /* accelerations times dt */
    float sigma, gain;    /* noise; gamma / sigma^2 */
    float deadband;       /* magnitude, for VelocityDeadbandCritic */
    uint turns;           /* 1: one acceleration for both directions */
    uint delay;           /* steps by which velocities are late, plus 1; 0 and 1: not late */
    uint plan, commands;  /* offsets: (steps) plan, (delay) commands in transit */
} nav2_frame_axis;

/* Weight and power of a critic. */
typedef struct nav2_frame_critic {
    float weight;
    uint power;
} nav2_frame_critic;

typedef struct nav2_frame {
    uint samples, tiles, steps;
    uint lyrical; /* 1: formulas of release 1.5 */
    uint scores;  /* 1: scores the futures in the buffer instead of rolling out */
    uint draws;   /* 1: draws noise anew; 0: kept noise */
    uint clamps;  /* 1: controls are clamped by the accelerations */
    uint round;   /* number of the noise, with the seed */
    uint seed_low, seed_high;
    uint active; /* bits of NAV2_AT_...: active critics; REACHED ones by distance alone */
    float dt;
    float inverse;                  /* 1 / temperature */
    float x, y, yaw;                /* robot */
    float goal_x, goal_y, goal_yaw; /* pose that goal critics measure to */
    nav2_frame_axis axes[NAV2_FRAME_AXES];
    nav2_frame_critic critics[NAV2_AT_COUNT];
    /* ConstraintCritic: limits of vx, vy, and the radius of Ackermann; 0: another model */
    float vx_high, vx_low, vy_high, radius;
    uint symmetric; /* GoalAngleCritic */
    /* the path: count of points, offsets of arrays (count); `blocked`: points without validity
     * before point j, (count + 1); `middle`: (count - 1) lengths from which point j + 1 is nearer */
    uint points, path_x, path_y, path_yaw, lengths, valid, blocked, middle;
    uint follow_offset, angle_offset, angle_mode;
    float angle_gate; /* PathAngleCritic: smallest angle of its gate */
    uint align_offset, align_step, align_turns;
    float align_ratio;
    /* the costmap: whole size in cells, lower left corner, and the part that is in `cells`, four
     * cells a word, rows of whole words */
    uint width, height, first_column, first_row, columns, rows, cells;
    float left, low, per_metre;
    uint tracks_unknown;
    /* CostCritic and ObstaclesCritic */
    uint cost_step, cost_poses, cost_footprint, obstacles_footprint;
    float near_cost, critical, cost_collision, cost_factor, cost_outline;
    float margin, reach, gap_scale, inscribed, raw_weight, repulsion_weight, repulsion_factor,
        obstacles_collision, obstacles_outline;
    uint gaps;                /* offset of ln(253 / cost), (256) */
    uint vertices, footprint; /* offset of (vertices x 2) */
} nav2_frame;

/* Words that a tile leaves for the next kernels. */
enum {
    NAV2_SLOT_FURTHEST,
    NAV2_SLOT_REPULSION, /* smallest of the tile, as a float */
    NAV2_SLOT_LEAST,     /* smallest cost */
    NAV2_SLOT_HITS,      /* futures in collision: of CostCritic, then of ObstaclesCritic */
    NAV2_SLOT_SUMS = 5,  /* sums of the critics' costs */
    NAV2_SLOT_WORDS = NAV2_SLOT_SUMS + NAV2_AT_COUNT
};
/* Words of the answer after the sums of deviations, (axes x steps). */
enum {
    NAV2_ANSWER_WEIGHTS, /* sum of the weights, and of their squares */
    NAV2_ANSWER_SQUARES,
    NAV2_ANSWER_LEAST,
    NAV2_ANSWER_FURTHEST,
    NAV2_ANSWER_ACTIVE, /* critics that counted */
    NAV2_ANSWER_HITS,   /* numbers for CostCritic, then for ObstaclesCritic */
    NAV2_ANSWER_SUMS = 7,
    NAV2_ANSWER_WORDS = NAV2_ANSWER_SUMS + NAV2_AT_COUNT
};
/* Arrays of the futures, each (tiles x steps x NAV2_TILE). */
enum {
    NAV2_FUTURE_X,
    NAV2_FUTURE_Y,
    NAV2_FUTURE_YAW,
    NAV2_FUTURE_VX,
    NAV2_FUTURE_WZ,
    NAV2_FUTURE_VY
};
/* Numbers of the futures, each (tiles x NAV2_TILE). */
enum { NAV2_FACT_COST, NAV2_FACT_RAW, NAV2_FACT_REPULSION, NAV2_FACT_ARRAYS };

#endif
