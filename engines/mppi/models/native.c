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

/* its first argument may be a macro */
#define CLONES(...) HED_CLONES(__VA_ARGS__)
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
#define term_quadratic OF_MODEL(_quadratic)

/* The text that is being compiled. */
#define TEXT MODEL

/* ---- one state ---- */

static inline mppi_world scalar_world(const hed_mppi_world *world)
{
    return (mppi_world){world->parameters, world->tables, world->table_counts, world->model,
        (int)world->steps, world->dt};
}

/* A term for any model, whose sizes are known when it runs. */
#define MODEL any
#define MODEL_STATES ((int)w->model->states)
#define MODEL_CONTROLS ((int)w->model->controls)
#define POSE_X (w->model->pose_x)
#define POSE_Y (w->model->pose_y)
#define POSE_HEADING (w->model->pose_heading)
#define SPEED (w->model->speed)
#include "models/native_terms.inc"

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

/* ---- lanes ---- */

static inline mppi_world lanes_world(const mppi_lanes_world *world)
{
    return (mppi_world){
        world->p, world->tables, world->table_counts, NULL, (int)world->steps, world->dt};
}

#define LANE_STATE(state, control, lane) \
    float state[MODEL_STATES], control[MODEL_CONTROLS]; \
    for (int i = 0; i < MODEL_STATES; i++) state[i] = x[i * MPPI_LANES + lane]; \
    for (int i = 0; i < MODEL_CONTROLS; i++) control[i] = u[i * MPPI_LANES + lane];

#define TERM_LANES(name) \
    HED_NATIVE_BODY NAME3(MODEL, _lanes_body_, name)(const float *x, const float *u, int32_t t, \
        float weight, const mppi_lanes_world *world, float *cost) \
    { \
        mppi_world w = lanes_world(world); \
        float term[MPPI_LANES]; /* aliases nothing */ \
        for (int lane = 0; lane < MPPI_LANES; lane++) { \
            LANE_STATE(state, control, lane) \
            term[lane] = NAME3(MODEL, _, name)(state, control, t, &w); \
        } \
        for (int lane = 0; lane < MPPI_LANES; lane++) cost[lane] += weight * term[lane]; \
    } \
    CLONES(static, NAME3(MODEL, _lanes_, name), NAME3(MODEL, _lanes_body_, name), \
        (const float *x, const float *u, int32_t t, float weight, const mppi_lanes_world *world, \
            float *cost), \
        (x, u, t, weight, world, cost))
#define TERM_LANES_NAME(name) NAME3(MODEL, _lanes_, name),

#define MODEL cartpole
#define MODEL_STATES 4
#define MODEL_CONTROLS 1
#include "models/cartpole.h"
#include "models/native_model.inc"

#define MODEL double_integrator
#define MODEL_STATES 4
#define MODEL_CONTROLS 2
#define POSE_X 0
#define POSE_Y 1
#include "models/double_integrator.h"
#include "models/native_model.inc"
