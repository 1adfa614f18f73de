/* One cycle of Nav2's controller: facts common to all futures, and a tile of futures. Futures are
 * computed NAV2_LANES side by side; arrays of a tile are (steps x NAV2_LANES). */
#ifndef HED_NAV2_CYCLE_H
#define HED_NAV2_CYCLE_H

#include "nav2/nav2_settings.h"

enum { NAV2_LANES = 32, NAV2_MOST_ALIGN_CELLS = 4096, NAV2_BLOCK = 16 };

/* The pruned path, (count) each. */
typedef struct nav2_path {
    uint32_t count;
    float *x, *y, *yaw;
    float *lengths; /* length of the path up to the point, m */
    float *valid;   /* 1; 0: off the map, or in collision */
    float *reach;   /* (blocks of NAV2_BLOCK points) largest distance from the first point, m */
    double length;  /* m */
} nav2_path;

/* Table of PathAlignCritic: the point of the path for a travelled length, in one look-up. */
typedef struct nav2_align {
    uint32_t cells, steps; /* steps: comparisons after the look-up */
    float per_cell;        /* cells for each metre */
    int32_t *first;        /* (cells) */
    float *middle;         /* (points + steps) lengths from which point j is the nearest */
} nav2_align;

typedef struct nav2_cycle {
    const nav2_settings *settings;
    const hed_nav2_grid *grid;
    nav2_path path;
    nav2_align align;
    hed_nav2_pose pose, goal; /* robot; end of the whole path */
    uint32_t furthest;        /* F */
    uint32_t active;          /* bit NAV2_name: the critic counts in this cycle */
    uint32_t follow, angle;   /* target points of PathFollowCritic and PathAngleCritic */
    float cost_outline, obstacles_outline; /* cell costs from which the outline is checked */
    float gaps[256]; /* ln(253 / cost): the distance beyond the inscribed radius, times the scale */
} nav2_cycle;

typedef struct nav2_tile {
    uint32_t steps, lanes;                   /* lanes: futures of this tile, at most NAV2_LANES */
    const float *x, *y, *yaw, *vx, *vy, *wz; /* (steps x NAV2_LANES); vy NULL: no such axis */
    float *cost;                             /* (NAV2_LANES), added to */
    float *raw, *repulsion;         /* (NAV2_LANES) of ObstaclesCritic until all tiles are done */
    uint32_t collided[2];           /* futures in collision: of CostCritic, of ObstaclesCritic */
    double sums[NAV2_CRITIC_COUNT]; /* sums of the critics' costs over the tile, added to */
} nav2_tile;

/* ---- the grid (nav2_grid.c) ---- */

/* Returns the cost of the cell at a position; `outside` off the map. */
static inline int nav2_cell(const hed_nav2_grid *grid, float x, float y, int outside)
{
    float per_metre = 1.0f / (float)grid->resolution;
    float column = (x - (float)grid->x) * per_metre, row = (y - (float)grid->y) * per_metre;
    if (!(column >= 0 && row >= 0 && column < (float)grid->width && row < (float)grid->height))
        return outside;
    return grid->cells[(size_t)(uint32_t)row * grid->width + (uint32_t)column];
}
/* Returns the largest cost of the cells below the outline of the footprint; 254 if a vertex is off
 * the map. */
int nav2_outline_cost(
    const nav2_settings *settings, const hed_nav2_grid *grid, double x, double y, double yaw);
/* True if the robot, without padding, overlaps a lethal cell at a pose (nav2_contact.c). */
bool nav2_overlaps(const nav2_settings *settings, const hed_nav2_grid *grid, hed_nav2_pose pose);
/* True if a disc overlaps a lethal cell. */
bool nav2_disc_overlaps(const hed_nav2_grid *grid, double x, double y, double radius);
/* Returns the inflated cost at a distance from the nearest lethal cell, m; not 0 distance. */
int nav2_inflated_cost(const nav2_settings *settings, double distance);

/* ---- the critics (nav2_critics.c) ---- */

/* Stages of a critic: ROLLED critics depend on one future, REACHED ones on the furthest point of
 * all. */
typedef enum nav2_stage { NAV2_ROLLED, NAV2_REACHED } nav2_stage;

/* Switches the critics of a stage on or off for the cycle, and prepares their targets; ROLLED
 * first. */
void nav2_gates(nav2_cycle *cycle, nav2_stage stage);
/* Adds the costs of a tile's futures by the critics of a stage. */
void nav2_score_tile(const nav2_cycle *cycle, nav2_tile *tile, nav2_stage stage);
/* Finishes ObstaclesCritic over all futures: cost (count) is added to; returns the sum. */
double nav2_finish_obstacles(
    const nav2_cycle *cycle, const float *raw, float *repulsion, uint32_t count, float *cost);

/* ---- the furthest point (nav2_furthest.c) ---- */

/* Sets the path's reach. */
void nav2_measure_blocks(nav2_path *path);
/* Finds the furthest point of the path that a tile's futures reach, at least `so_far`. `arc`
 * (NAV2_LANES): lengths of the futures from their first pose, m. */
uint32_t nav2_furthest_tile(
    const nav2_cycle *cycle, const nav2_tile *tile, const float *arc, uint32_t so_far);

#endif
