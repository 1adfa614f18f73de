/* Futures of Nav2's controller on a device: rollout, critics and weighted sums of a cycle in one
 * submission (kernels/nav2_*.cl). Path, filter, limits and the guard stay on the host. */
#ifndef HED_NAV2_DEVICE_H
#define HED_NAV2_DEVICE_H

#include "kernels/words.h"
#include "nav2/nav2_controller.h"

#include "kernels/nav2_frame.h"

enum { NAV2_DEVICE_KERNELS = 4, NAV2_DEVICE_SOURCES = 7 };

/* Describes kernel `index` of a cycle; sources (NAV2_DEVICE_SOURCES) receives its texts. */
void nav2_device_define(uint32_t index, hed_source *sources, hed_kernel_def *def);
/* Creates kernels and buffers for a controller. Errors: LIMIT (local memory), UNSUPPORTED, as
 * hed_kernel_create(). */
hed_status nav2_device_create(
    hed_nav2 *n, hed_device *device, nav2_device **created, hed_error *error);
void nav2_device_destroy(nav2_device *device);
/* Sends the kept noise of the host with the next solve. */
void nav2_device_take_noise(nav2_device *device);
/* Results of a solve. */
typedef struct nav2_solution {
    uint32_t collided;       /* largest number of collisions of a critic */
    float lowest, effective; /* smallest cost, infinite without a finite one; effective samples */
    const double *sums;      /* (NAV2_CRITIC_COUNT) sums of the critics' costs */
} nav2_solution;
/* Computes the futures of a cycle: their costs, weights and weighted sums. Sets the cycle's furthest
 * point and active critics. Errors: MEMORY, DRIVER. */
hed_status nav2_device_solve(hed_nav2 *n, bool draw, nav2_solution *solution, hed_error *error);
/* Copies poses, costs and deviations of the last solve to the host's arrays, once. */
hed_status nav2_device_fetch(const hed_nav2 *n, hed_error *error);
/* Adds the weighted mean of the deviations of an axis to its plan. */
void nav2_device_add_mean(hed_nav2 *n, int axis);
/* Scores the futures of a tile that are given, (steps x NAV2_LANES) for each array, in the cycle of
 * the controller: cost (NAV2_LANES). Errors: as nav2_device_solve(). */
hed_status nav2_device_score_given(
    hed_nav2 *n, const nav2_tile *tile, float *cost, nav2_solution *solution, hed_error *error);

#endif
