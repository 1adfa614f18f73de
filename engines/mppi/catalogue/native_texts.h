/* Definitions common to the files of native texts: offsets of a text's parameters and tables,
 * names that include the text and the model. */
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
#define barrier_has OF_MODEL(_barrier_has)
#define barrier_of OF_MODEL(_barrier_of)

/* The text that is being compiled. */
#define TEXT MODEL

#define TERM_LANES_NAME(name, ...) NAME3(MODEL, _lanes_, name),
#define POSE_LANES_NAME(name, ...) mppi_pose_lanes_##name,

/* Declares the lanes of each term that uses a pose. */
#define POSE_LANES(name, ...) mppi_cost_lanes mppi_pose_lanes_##name;
MPPI_POSE_TERMS(POSE_LANES, , , , )

#endif
