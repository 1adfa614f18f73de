/* The descriptions of Heddle's own models and terms. Parameters stand in list.h. */
#include "models/list.h"
#include "models/native.h"

#include <string.h>

/* ---- what list.h and native.c have ---- */

#define TEXT_NUMBER(name, value, summary) {#name, value, summary, 0},
#define TEXT_STATES(name, value, summary) {#name, value, summary, HED_MPPI_EACH_STATE},
#define TEXT_CONTROLS(name, value, summary) {#name, value, summary, HED_MPPI_EACH_CONTROL},
#define TEXT_TABLE(name) #name,
#define TEXT_TABLES(text) \
    extern const char hed_mppi_##text##_h[]; /* generated from text.h */ \
    static const hed_mppi_parameter text##_parameters[] = { \
        PARAMETERS_##text(TEXT_NUMBER, TEXT_STATES, TEXT_CONTROLS){0}}; \
    static const char *const text##_tables[] = {TABLES_##text(TEXT_TABLE) NULL};
MPPI_MODELS(TEXT_TABLES)
MPPI_TERMS(TEXT_TABLES)

#define COUNT(array) (sizeof(array) / sizeof *(array))
/* The members of a description that are the same for every text; both arrays end with nothing. */
#define TEXT_OF(name_) \
    .name = #name_, .text = hed_mppi_##name_##_h, .file = #name_ ".h", \
    .parameters = name_##_parameters, .parameter_count = COUNT(name_##_parameters) - 1, \
    .tables = name_##_tables, .table_count = COUNT(name_##_tables) - 1
#define MODEL_OF(name_) TEXT_OF(name_), .step = mppi_step_##name_, .lanes = &mppi_lanes_##name_
#define TERM_OF(name_) TEXT_OF(name_), .cost = mppi_cost_##name_, .weight = 1.0f
#define NAMES(...) \
    (const char *const[]) { __VA_ARGS__ }
#define NO_POSE .pose_x = -1, .pose_y = -1, .pose_heading = -1, .speed = -1

/* ---- models, in the order of MPPI_MODELS ---- */

static const hed_mppi_model models[] = {
    {
        MODEL_OF(cartpole),
        .summary = "a pole on a cart that a force moves",
        .states = 4,
        .controls = 1,
        .state_names = NAMES("x", "velocity", "theta", "rate"),
        .control_names = NAMES("force"),
        NO_POSE,
        .sigma = {5.0f},
        .dt = 0.02f,
    },
    {
        MODEL_OF(double_integrator),
        .summary = "a point in the plane that is accelerated",
        .states = 4,
        .controls = 2,
        .state_names = NAMES("x", "y", "vx", "vy"),
        .control_names = NAMES("ax", "ay"),
        .pose_x = 0,
        .pose_y = 1,
        .pose_heading = -1,
        .speed = -1,
        .sigma = {1.0f, 1.0f},
        .start = {2.0f, 0.0f, 0.0f, 1.0f},
        .dt = 0.02f,
    },
};

/* ---- terms, in the order of MPPI_TERMS ---- */

static const hed_mppi_term terms[] = {
    {TERM_OF(quadratic), .summary = "weighted squares of states from a goal, and of controls"},
};

#define ONE(name) +1
_Static_assert(COUNT(models) == 0 MPPI_MODELS(ONE), "a model of list.h has no description");
_Static_assert(COUNT(terms) == 0 MPPI_TERMS(ONE), "a term of list.h has no description");

const hed_mppi_model *hed_mppi_model_at(uint32_t index)
{
    return index < COUNT(models) ? &models[index] : NULL;
}

const hed_mppi_model *hed_mppi_model_find(const char *name)
{
    for (uint32_t i = 0; i < COUNT(models); i++)
        if (strcmp(models[i].name, name) == 0) return &models[i];
    return NULL;
}

const hed_mppi_term *hed_mppi_term_at(uint32_t index)
{
    return index < COUNT(terms) ? &terms[index] : NULL;
}

const hed_mppi_term *hed_mppi_term_find(const char *name)
{
    for (uint32_t i = 0; i < COUNT(terms); i++)
        if (strcmp(terms[i].name, name) == 0) return &terms[i];
    return NULL;
}
