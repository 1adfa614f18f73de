/* Definitions common to the files of native texts: offsets of a text's parameters and tables,
 * names that include the text and the model, and texts over lanes. The compiler makes SIMD code
 * of the loops over lanes (checked by its report), because no word branches; a text for one
 * state computes the same bits. */
#ifndef HED_MPPI_NATIVE_TEXTS_H
#define HED_MPPI_NATIVE_TEXTS_H

#include "catalogue/mppi_native.h"

#include "heddle/author.h"
#include "kernels/words.h"
#include "catalogue/list.h"
#include "model/controller.h"

#include <stddef.h>
#include <string.h>

/* expand arguments that are macros */
#define CLONES(...) HED_CLONES(__VA_ARGS__)
#define LANES_CLONES(...) MPPI_CLONES(__VA_ARGS__)
#define NAME_JOIN(a, b) a##b
#define NAME(a, b) NAME_JOIN(a, b)

/* ---- offsets of parameters ---- */

/* A text's parameters for models of one or two states and controls. Offsets in other models are
 * computed from these: they are linear in both numbers. */
#define SHAPE_NUMBER(name, value, summary) float name;
#define SHAPE_STATES(name, value, summary) float name[SHAPE_OF_STATES];
#define SHAPE_CONTROLS(name, value, summary) float name[SHAPE_OF_CONTROLS];
#define SHAPE(text, summary, parameters, tables, ...) \
    struct NAME(text, SHAPE_NAME) { \
        parameters float end; \
    };
#define SHAPES \
    MPPI_MODELS(SHAPE, SHAPE_NUMBER, ) \
    MPPI_TERMS(SHAPE, SHAPE_NUMBER, SHAPE_STATES, SHAPE_CONTROLS, )

#define SHAPE_OF_STATES 1
#define SHAPE_OF_CONTROLS 1
#define SHAPE_NAME _shape_11
SHAPES
#undef SHAPE_NAME
#undef SHAPE_OF_STATES
#define SHAPE_OF_STATES 2
#define SHAPE_NAME _shape_21
SHAPES
#undef SHAPE_NAME
#undef SHAPE_OF_STATES
#undef SHAPE_OF_CONTROLS
#define SHAPE_OF_STATES 1
#define SHAPE_OF_CONTROLS 2
#define SHAPE_NAME _shape_12
SHAPES

#define SHAPE_AT(shape, name) ((int)(offsetof(struct NAME(TEXT, shape), name) / sizeof(float)))
#define PARAMETER_AT(name) \
    (SHAPE_AT(_shape_11, name) + \
        (MODEL_STATES - 1) * (SHAPE_AT(_shape_21, name) - SHAPE_AT(_shape_11, name)) + \
        (MODEL_CONTROLS - 1) * (SHAPE_AT(_shape_12, name) - SHAPE_AT(_shape_11, name)))
#define P(name) (w->p[PARAMETER_AT(name)])
#define P_ARRAY(name) (w->p + PARAMETER_AT(name))

#define TABLE_PLACE(table) float table;
#define TABLE_PLACES(text, summary, parameters, tables, ...) \
    struct text##_tables { \
        tables float end; \
    };
MPPI_MODELS(TABLE_PLACES, , TABLE_PLACE)
MPPI_TERMS(TABLE_PLACES, , , , TABLE_PLACE)
#define TABLE_AT(name) (offsetof(struct NAME(TEXT, _tables), name) / sizeof(float))
#define TABLE(name) (w->tables[TABLE_AT(name)])
#define TABLE_COUNT(name) (w->table_counts[TABLE_AT(name)])
#define STEPS (w->steps)

/* Texts are included once for each model, and terms once more for any model: functions get the
 * model's name as prefix. */
#define NAME_JOIN3(a, b, c) a##b##c
#define NAME3(a, b, c) NAME_JOIN3(a, b, c)
#define OF_MODEL(name) NAME(MODEL, name)
#define model_step OF_MODEL(_model_step)
#define bicycle_stiffness OF_MODEL(_stiffness)

/* The text that is being compiled. */
#define TEXT MODEL

/* ---- one state, and lanes ---- */

static inline mppi_world scalar_world(const hed_mppi_world *world)
{
    return (mppi_world){world->parameters, world->tables, world->table_counts, world->model,
        (int)world->steps, world->dt};
}

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

#define TERM_LANES(name, ...) \
    HED_NATIVE_BODY NAME3(MODEL, _lanes_body_, name)(const float *x, const float *u, int32_t t, \
        float weight, const mppi_lanes_world *world, float *cost) \
    { \
        mppi_world w = lanes_world(world); \
        float term[MPPI_LANES]; /* no aliasing */ \
        LANES_BEGIN \
        for (int lane = 0; lane < MPPI_LANES; lane++) { \
            LANE term[lane] = NAME3(MODEL, _, name)(state, control, t, &w); \
        } \
        for (int lane = 0; lane < MPPI_LANES; lane++) \
            cost[lane] = hed_fma(weight, term[lane], cost[lane]); \
    } \
    LANES_CLONES(TERM_LINKAGE, NAME3(MODEL, _lanes_, name), NAME3(MODEL, _lanes_body_, name), \
        (const float *x, const float *u, int32_t t, float weight, const mppi_lanes_world *world, \
            float *cost), \
        (x, u, t, weight, world, cost))
#define TERM_LANES_NAME(name, ...) NAME3(MODEL, _lanes_, name),
#define POSE_LANES_NAME(name, ...) mppi_pose_lanes_##name,

/* Declares the lanes of each term that uses a pose. */
#define POSE_LANES(name, ...) mppi_cost_lanes mppi_pose_lanes_##name;
MPPI_POSE_TERMS(POSE_LANES, , , , )

#endif
