/* Descriptions of Heddle's own models and terms, from list.h. */
#include "catalogue/list.h"
#include "catalogue/mppi_native.h"

#include <string.h>

/* ---- tables from list.h and the native texts ---- */

#define TEXT_NUMBER(name, value, summary) {#name, value, summary, 0},
#define TEXT_STATES(name, value, summary) {#name, value, summary, HED_MPPI_EACH_STATE},
#define TEXT_CONTROLS(name, value, summary) {#name, value, summary, HED_MPPI_EACH_CONTROL},
#define TEXT_TABLE(name) #name,
#define TEXT_TABLES(text, summary, parameters, tables, ...) \
    extern const char hed_mppi_##text##_h[]; /* generated from text.h */ \
    static const hed_mppi_parameter text##_parameters[] = {parameters{0}}; \
    static const char *const text##_tables[] = {tables NULL}; \
    static const char text##_summary[] = summary;
MPPI_MODELS(TEXT_TABLES, TEXT_NUMBER, TEXT_TABLE)
MPPI_TERMS(TEXT_TABLES, TEXT_NUMBER, TEXT_STATES, TEXT_CONTROLS, TEXT_TABLE)

#define COUNT(array) (sizeof(array) / sizeof *(array))
/* Members of a description that are equal for all texts; both arrays end with an empty element. */
#define TEXT_OF(name_) \
    .name = #name_, .summary = name_##_summary, .text = hed_mppi_##name_##_h, .file = #name_ ".h", \
    .parameters = name_##_parameters, .parameter_count = COUNT(name_##_parameters) - 1, \
    .tables = name_##_tables, .table_count = COUNT(name_##_tables) - 1
#define MODEL_OF(name_) TEXT_OF(name_), .step = mppi_step_##name_, .lanes = &mppi_lanes_##name_, \
    .angles = MPPI_ANGLES_##name_
#define NAMES(...) \
    (const char *const[]) { __VA_ARGS__ }
#define POSE(x, y, heading, speed_, turn_, vx, vy) \
    .pose_x = x, .pose_y = y, .pose_heading = heading, .speed = speed_, .turn = turn_, \
    .velocity_x = vx, .velocity_y = vy

/* ---- models, in the order of MPPI_MODELS ---- */

static const hed_mppi_model models[] = {
    {
        MODEL_OF(cartpole),
        .states = 4,
        .controls = 1,
        .state_names = NAMES("x", "velocity", "theta", "rate"),
        .control_names = NAMES("force"),
        POSE(-1, -1, -1, -1, -1, -1, -1),
        .sigma = {5.0f},
        .dt = 0.02f,
    },
    {
        MODEL_OF(double_integrator),
        .states = 4,
        .controls = 2,
        .state_names = NAMES("x", "y", "vx", "vy"),
        .control_names = NAMES("ax", "ay"),
        POSE(0, 1, -1, -1, -1, 2, 3),
        .sigma = {1.0f, 1.0f},
        .start = {2.0f, 0.0f, 0.0f, 1.0f},
        .dt = 0.02f,
    },
    {
        MODEL_OF(pendulum),
        .states = 2,
        .controls = 1,
        .state_names = NAMES("angle", "rate"),
        .control_names = NAMES("torque"),
        POSE(-1, -1, -1, -1, -1, -1, -1),
        .sigma = {1.0f},
        .minimum = {-4.0f},
        .maximum = {4.0f},
        .dt = 0.05f,
    },
    {
        MODEL_OF(dubins),
        .states = 3,
        .controls = 1,
        .state_names = NAMES("x", "y", "heading"),
        .control_names = NAMES("turn"),
        POSE(0, 1, 2, -1, -1, -1, -1),
        .sigma = {0.5f},
        .minimum = {-1.0f},
        .maximum = {1.0f},
        .dt = 0.05f,
    },
    {
        MODEL_OF(differential_drive),
        .states = 5,
        .controls = 2,
        .state_names = NAMES("x", "y", "heading", "speed", "turn"),
        .control_names = NAMES("speed", "turn"),
        .measured_by = {1 + 3, 1 + 4},
        POSE(0, 1, 2, 3, 4, -1, -1),
        .sigma = {0.2f, 0.4f},
        .minimum = {-0.35f, -1.9f},
        .maximum = {0.5f, 1.9f},
        .dt = 0.05f,
    },
    {
        MODEL_OF(bicycle),
        .states = 6,
        .controls = 2,
        .state_names = NAMES("x", "y", "heading", "speed", "side", "turn"),
        .control_names = NAMES("acceleration", "steering"),
        POSE(0, 1, 2, 3, 5, -1, -1),
        .sigma = {1.5f, 0.15f},
        .minimum = {-6.0f, -0.5f},
        .maximum = {3.0f, 0.5f},
        .dt = 0.05f,
    },
    {
        MODEL_OF(quadrotor),
        .states = 12,
        .controls = 4,
        .state_names =
            NAMES("x", "y", "z", "vx", "vy", "vz", "roll", "pitch", "yaw", "p", "q", "r"),
        .control_names = NAMES("thrust", "torque_x", "torque_y", "torque_z"),
        POSE(0, 1, 8, -1, 11, 3, 4),
        .sigma = {2.0f, 0.05f, 0.05f, 0.02f},
        .minimum = {-9.81f, -0.5f, -0.5f, -0.2f},
        .maximum = {9.81f, 0.5f, 0.5f, 0.2f},
        .dt = 0.02f,
    },
    {
        MODEL_OF(network),
        .table_needs = (const uint32_t[]){1412},
        .states = 7,
        .controls = 2,
        .state_names = NAMES("x", "y", "heading", "roll", "speed", "side", "turn"),
        .control_names = NAMES("steering", "throttle"),
        POSE(0, 1, 2, 4, 6, -1, -1),
        .sigma = {0.3f, 0.3f},
        .minimum = {-1.0f, -1.0f},
        .maximum = {1.0f, 1.0f},
        .dt = 0.02f,
    },
};

/* ---- terms ---- */

#define TERM_OF(name_, summary_, parameters_, tables_, when_) \
    {TEXT_OF(name_), .cost = mppi_cost_##name_, .weight = 1.0f, .when = when_},
static const hed_mppi_term terms[] = {MPPI_TERMS(TERM_OF, , , , )};

#define ADD(...) +1
_Static_assert(COUNT(models) == 0 MPPI_MODELS(ADD, , ), "a model of list.h has no description");

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
