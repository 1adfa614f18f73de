/* Heddle's own terms on the processor, from the texts that devices compile: for one state, and
 * those that use a pose for MPPI_LANES samples at a time. */
#include "catalogue/native_texts.h"

/* ---- one state ---- */

/* Terms for any model, with sizes known at run time: no loop is unrolled. */
#pragma push_macro("MPPI_UNROLL")
#undef MPPI_UNROLL
#define MPPI_UNROLL
#define MODEL any
#define MODEL_STATES ((int)w->model->states)
#define MODEL_CONTROLS ((int)w->model->controls)
#define MODEL_ANGLES (w->model->angles)
#define POSE_X (w->model->pose_x)
#define POSE_Y (w->model->pose_y)
#define POSE_HEADING (w->model->pose_heading)
#define SPEED (w->model->speed)
#define TURN (w->model->turn)
#define VELOCITY_X (w->model->velocity_x)
#define VELOCITY_Y (w->model->velocity_y)
#include "mppi_state_terms.inc"
#include "mppi_pose_terms.inc"
#pragma pop_macro("MPPI_UNROLL")

#define TERM_COST(name, ...) \
    HED_NATIVE_BODY name##_cost_body( \
        const float *x, const float *u, int32_t t, const hed_mppi_world *world, float *cost) \
    { \
        mppi_world w = scalar_world(world); \
        *cost = any_##name(x, u, t, &w); \
    } \
    CLONES(static, name##_cost, name##_cost_body, \
        (const float *x, const float *u, int32_t t, const hed_mppi_world *world, float *cost), \
        (x, u, t, world, cost)) \
    float mppi_cost_##name(const float *x, const float *u, int32_t t, const hed_mppi_world *world) \
    { \
        float cost; \
        name##_cost(x, u, t, world, &cost); \
        return cost; \
    }
MPPI_TERMS(TERM_COST, , , , )

#undef MODEL
#undef MODEL_STATES
#undef MODEL_CONTROLS
#undef MODEL_ANGLES
#undef POSE_X
#undef POSE_Y
#undef POSE_HEADING
#undef SPEED
#undef TURN
#undef VELOCITY_X
#undef VELOCITY_Y

/* ---- lanes ---- */

/* Terms that use a pose are compiled once, for a state that consists of the pose alone; its rows
 * are found at run time. A controller rejects a term that uses an index that its model lacks. */
#define MODEL mppi_pose
#define TERM_LINKAGE /* external linkage */
#define MODEL_STATES 7
#define MODEL_CONTROLS 1
#define MODEL_ANGLES 0u
#define POSE_X 0
#define POSE_Y 1
#define POSE_HEADING 2
#define SPEED 3
#define TURN 4
#define VELOCITY_X 5
#define VELOCITY_Y 6
#define LANES_BEGIN \
    const float *rows[MODEL_STATES]; \
    pose_rows(world->model, x, rows);
#define LANE \
    float state[MODEL_STATES]; \
    const float *control = NULL; \
    for (int i = 0; i < MODEL_STATES; i++) state[i] = rows[i][lane];

static inline void pose_rows(const hed_mppi_model *m, const float *x, const float **rows)
{
    const int32_t index[] = {
        m->pose_x, m->pose_y, m->pose_heading, m->speed, m->turn, m->velocity_x, m->velocity_y};
    for (int i = 0; i < MODEL_STATES; i++) rows[i] = x + (index[i] < 0 ? 0 : index[i]) * MPPI_LANES;
}

#include "mppi_pose_terms.inc"
MPPI_POSE_TERMS(TERM_LANES, , , , )

#undef MODEL
#undef MODEL_STATES
#undef MODEL_CONTROLS
#undef MODEL_ANGLES
#undef POSE_X
#undef POSE_Y
#undef POSE_HEADING
#undef SPEED
#undef TURN
#undef VELOCITY_X
#undef VELOCITY_Y
#undef LANES_BEGIN
#undef LANE
