/* Heddle's own models and terms on the processor, from the texts that devices compile: for one state,
 * and for MPPI_LANES samples at a time, every term for every model. The lanes are loops that the
 * compiler makes SIMD code of (checked by its report), as nothing in the words branches; both give
 * the same bits. */
#include "models/native.h"

#include "heddle/author.h"
#include "kernels/words.h"
#include "models/list.h"
#include "model/controller.h"

#include <stddef.h>
#include <string.h>

/* their arguments may be macros */
#define CLONES(...) HED_CLONES(__VA_ARGS__)
#define LANES_CLONES(...) MPPI_CLONES(__VA_ARGS__)
#define NAME_JOIN(a, b) a##b
#define NAME(a, b) NAME_JOIN(a, b)

/* ---- where parameters lie ---- */

/* A text's parameters for models of few states and controls. Their places in any other model follow,
 * being linear in both numbers. */
#define SHAPE_NUMBER(name, value, summary) float name;
#define SHAPE_STATES(name, value, summary) float name[SHAPE_OF_STATES];
#define SHAPE_CONTROLS(name, value, summary) float name[SHAPE_OF_CONTROLS];
#define SHAPE(text) \
    struct NAME(text, SHAPE_NAME) { \
        PARAMETERS_##text(SHAPE_NUMBER, SHAPE_STATES, SHAPE_CONTROLS) float end; \
    };

#define SHAPE_OF_STATES 1
#define SHAPE_OF_CONTROLS 1
#define SHAPE_NAME _shape_11
MPPI_MODELS(SHAPE)
MPPI_TERMS(SHAPE)
#undef SHAPE_NAME
#undef SHAPE_OF_STATES
#define SHAPE_OF_STATES 2
#define SHAPE_NAME _shape_21
MPPI_MODELS(SHAPE)
MPPI_TERMS(SHAPE)
#undef SHAPE_NAME
#undef SHAPE_OF_STATES
#undef SHAPE_OF_CONTROLS
#define SHAPE_OF_STATES 1
#define SHAPE_OF_CONTROLS 2
#define SHAPE_NAME _shape_12
MPPI_MODELS(SHAPE)
MPPI_TERMS(SHAPE)

#define SHAPE_AT(shape, name) ((int)(offsetof(struct NAME(TEXT, shape), name) / sizeof(float)))
#define PARAMETER_AT(name) \
    (SHAPE_AT(_shape_11, name) + \
        (MODEL_STATES - 1) * (SHAPE_AT(_shape_21, name) - SHAPE_AT(_shape_11, name)) + \
        (MODEL_CONTROLS - 1) * (SHAPE_AT(_shape_12, name) - SHAPE_AT(_shape_11, name)))
#define P(name) (w->p[PARAMETER_AT(name)])
#define P_ARRAY(name) (w->p + PARAMETER_AT(name))

#define TABLE_PLACE(table) float table;
#define TABLE_PLACES(text) \
    struct text##_tables { \
        TABLES_##text(TABLE_PLACE) float end; \
    };
MPPI_MODELS(TABLE_PLACES)
MPPI_TERMS(TABLE_PLACES)
#define TABLE_AT(name) (offsetof(struct NAME(TEXT, _tables), name) / sizeof(float))
#define TABLE(name) (w->tables[TABLE_AT(name)])
#define TABLE_COUNT(name) (w->table_counts[TABLE_AT(name)])
#define STEPS (w->steps)

/* Texts are taken in once for each model, and terms once more for any model: names get its name. */
#define NAME_JOIN3(a, b, c) a##b##c
#define NAME3(a, b, c) NAME_JOIN3(a, b, c)
#define OF_MODEL(name) NAME(MODEL, name)
#define model_step OF_MODEL(_model_step)
#define bicycle_stiffness OF_MODEL(_stiffness)
#define term_quadratic OF_MODEL(_quadratic)
#define term_goal OF_MODEL(_goal)
#define term_goal_angle OF_MODEL(_goal_angle)
#define term_circle OF_MODEL(_circle)
#define term_circle_robust OF_MODEL(_circle_robust)
#define term_costmap OF_MODEL(_costmap)
#define term_clearance OF_MODEL(_clearance)
#define term_obstacles OF_MODEL(_obstacles)
#define term_barrier OF_MODEL(_barrier)
#define term_path_align OF_MODEL(_path_align)
#define term_path_angle OF_MODEL(_path_angle)
#define term_path_follow OF_MODEL(_path_follow)
#define term_prefer_forward OF_MODEL(_prefer_forward)
#define term_twirling OF_MODEL(_twirling)
#define term_constraint OF_MODEL(_constraint)
#define term_velocity_deadband OF_MODEL(_velocity_deadband)
#define term_speed OF_MODEL(_speed)
#define term_cosines OF_MODEL(_cosines)

/* The text that is being compiled. */
#define TEXT MODEL

/* ---- one state ---- */

static inline mppi_world scalar_world(const hed_mppi_world *world)
{
    return (mppi_world){world->parameters, world->tables, world->table_counts, world->model,
        (int)world->steps, world->dt};
}

/* A term for any model, whose sizes are known when it runs: nothing to unroll. */
#pragma push_macro("MPPI_UNROLL")
#undef MPPI_UNROLL
#define MPPI_UNROLL
#define MODEL any
#define MODEL_STATES ((int)w->model->states)
#define MODEL_CONTROLS ((int)w->model->controls)
#define POSE_X (w->model->pose_x)
#define POSE_Y (w->model->pose_y)
#define POSE_HEADING (w->model->pose_heading)
#define SPEED (w->model->speed)
#define TURN (w->model->turn)
#define VELOCITY_X (w->model->velocity_x)
#define VELOCITY_Y (w->model->velocity_y)
#include "models/native_state_terms.inc"
#include "models/native_pose_terms.inc"
#pragma pop_macro("MPPI_UNROLL")

#define TERM_COST(name) \
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
MPPI_TERMS(TERM_COST)

#undef MODEL
#undef MODEL_STATES
#undef MODEL_CONTROLS
#undef POSE_X
#undef POSE_Y
#undef POSE_HEADING
#undef SPEED
#undef TURN
#undef VELOCITY_X
#undef VELOCITY_Y

/* ---- lanes ---- */

static inline mppi_world lanes_world(const mppi_lanes_world *world)
{
    return (mppi_world){
        world->p, world->tables, world->table_counts, world->model, (int)world->steps, world->dt};
}

/* state and control of one lane */
#define LANE_OF_MODEL \
    float state[MODEL_STATES], control[MODEL_CONTROLS]; \
    for (int i = 0; i < MODEL_STATES; i++) state[i] = x[i * MPPI_LANES + lane]; \
    for (int i = 0; i < MODEL_CONTROLS; i++) control[i] = u[i * MPPI_LANES + lane];

#define TERM_LANES(name) \
    HED_NATIVE_BODY NAME3(MODEL, _lanes_body_, name)(const float *x, const float *u, int32_t t, \
        float weight, const mppi_lanes_world *world, float *cost) \
    { \
        mppi_world w = lanes_world(world); \
        float term[MPPI_LANES]; /* aliases nothing */ \
        LANES_BEGIN \
        for (int lane = 0; lane < MPPI_LANES; lane++) { \
            LANE term[lane] = NAME3(MODEL, _, name)(state, control, t, &w); \
        } \
        for (int lane = 0; lane < MPPI_LANES; lane++) \
            cost[lane] = hed_fma(weight, term[lane], cost[lane]); \
    } \
    LANES_CLONES(static, NAME3(MODEL, _lanes_, name), NAME3(MODEL, _lanes_body_, name), \
        (const float *x, const float *u, int32_t t, float weight, const mppi_lanes_world *world, \
            float *cost), \
        (x, u, t, weight, world, cost))
#define TERM_LANES_NAME(name) NAME3(MODEL, _lanes_, name),
#define POSE_LANES_NAME(name) pose_lanes_##name,

/* Terms that speak of a pose are compiled once: for a state of the pose alone, whose rows they find
 * when they run. A controller refuses a term that speaks of what its model does not have. */
#define MODEL pose
#define MODEL_STATES 7
#define MODEL_CONTROLS 1
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

#include "models/native_pose_terms.inc"
MPPI_POSE_TERMS(TERM_LANES)

#undef MODEL
#undef MODEL_STATES
#undef MODEL_CONTROLS
#undef POSE_X
#undef POSE_Y
#undef POSE_HEADING
#undef SPEED
#undef TURN
#undef VELOCITY_X
#undef VELOCITY_Y
#undef LANES_BEGIN
#undef LANE
#define LANES_BEGIN
#define LANE LANE_OF_MODEL

#define MODEL cartpole
#define MODEL_STATES 4
#define MODEL_CONTROLS 1
#include "models/cartpole.h"
#include "models/native_model.inc"

#define MODEL double_integrator
#define MODEL_STATES 4
#define MODEL_CONTROLS 2
#include "models/double_integrator.h"
#include "models/native_model.inc"

#define MODEL pendulum
#define MODEL_STATES 2
#define MODEL_CONTROLS 1
#include "models/pendulum.h"
#include "models/native_model.inc"

#define MODEL dubins
#define MODEL_STATES 3
#define MODEL_CONTROLS 1
#include "models/dubins.h"
#include "models/native_model.inc"

#define MODEL differential_drive
#define MODEL_STATES 5
#define MODEL_CONTROLS 2
#include "models/differential_drive.h"
#include "models/native_model.inc"

#define MODEL bicycle
#define MODEL_STATES 6
#define MODEL_CONTROLS 2
#include "models/bicycle.h"
#include "models/native_model.inc"

#define MODEL quadrotor
#define MODEL_STATES 12
#define MODEL_CONTROLS 4
#include "models/quadrotor.h"
#include "models/native_model.inc"

#define MODEL network
#define MODEL_STATES 7
#define MODEL_CONTROLS 2
#include "models/network.h"
#include "models/native_model.inc"
