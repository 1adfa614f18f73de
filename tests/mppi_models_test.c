/* Heddle's own models and terms: descriptions that hold together, and the same bits for one state
 * and for lanes. */
#include "testing.h"

#include "engines/mppi/models/native.h"
#include "engines/mppi/model/controller.h"
#include "heddle/author.h"

enum { TABLE_SIZE = 4096 };

static int32_t length_of(const hed_mppi_parameter *parameter, const hed_mppi_model *model)
{
    return parameter->length == HED_MPPI_EACH_STATE     ? (int32_t)model->states
           : parameter->length == HED_MPPI_EACH_CONTROL ? (int32_t)model->controls
           : parameter->length == 0                     ? 1
                                                        : parameter->length;
}

/* A description's parameters, each element a little off its default so that a wrong place shows. */
static uint32_t fill_parameters(const hed_mppi_parameter *parameters, uint32_t count,
    const hed_mppi_model *model, float *values)
{
    uint32_t filled = 0;
    for (uint32_t i = 0; i < count; i++)
        for (int32_t k = 0; k < length_of(&parameters[i], model); k++, filled++)
            values[filled] = parameters[i].value * (1.0f + 0.01f * (float)(filled + 1)) +
                             0.001f * (float)(k + 1);
    return filled;
}

static void fill_lanes(const hed_mppi_model *model, uint64_t seed, float *x, float *u)
{
    hed_sample_floats(x, (uint64_t)model->states * MPPI_LANES, seed, 0);
    hed_sample_floats(u, (uint64_t)model->controls * MPPI_LANES, seed, 1);
    for (uint32_t i = 0; i < model->states * MPPI_LANES; i++) x[i] *= 4.0f;
}

Test(mppi_models, descriptions_hold_together)
{
    for (uint32_t i = 0; hed_mppi_model_at(i); i++) {
        const hed_mppi_model *m = hed_mppi_model_at(i);
        CHECK(hed_mppi_model_find(m->name) == m);
        CHECK(m->summary && m->step && m->lanes && strstr(m->text, "model_step"), "%s", m->name);
        CHECK(m->states > 0 && m->states <= HED_MPPI_MAX_STATES && m->controls > 0 &&
              m->controls <= HED_MPPI_MAX_CONTROLS);
        for (uint32_t k = 0; k < m->states; k++) CHECK(m->state_names[k][0]);
        for (uint32_t k = 0; k < m->controls; k++)
            CHECK(m->control_names[k][0] && m->sigma[k] > 0, "%s", m->name);
        CHECK(m->dt > 0 && m->pose_x < (int)m->states && m->pose_heading < (int)m->states);
    }
    for (uint32_t i = 0; hed_mppi_term_at(i); i++) {
        const hed_mppi_term *t = hed_mppi_term_at(i);
        char function[64];
        snprintf(function, sizeof function, "float term_%s(", t->name);
        CHECK(hed_mppi_term_find(t->name) == t);
        CHECK(t->summary && t->cost && strstr(t->text, function), "%s", t->name);
    }
    CHECK_NULL(hed_mppi_model_find("none"));
    CHECK_NULL(hed_mppi_term_find("none"));
}

static float table_values[TABLE_SIZE];
static const float *const tables[HED_MPPI_MAX_TABLES] = {table_values, table_values, table_values};
static const uint32_t table_counts[HED_MPPI_MAX_TABLES] = {TABLE_SIZE, TABLE_SIZE, TABLE_SIZE};

/* Steps lanes and each of their states by itself. */
static void compare_steps(const hed_mppi_model *m)
{
    float p[HED_MPPI_MAX_PARAMETERS], x[HED_MPPI_MAX_STATES * MPPI_LANES];
    float u[HED_MPPI_MAX_CONTROLS * MPPI_LANES], before[HED_MPPI_MAX_STATES * MPPI_LANES];
    fill_parameters(m->parameters, m->parameter_count, m, p);
    fill_lanes(m, 7, x, u);
    mppi_lanes_world lanes = {p, tables, table_counts, 0.02f, 100};
    hed_mppi_world world = {p, tables, table_counts, 0.02f, 100, m, NULL};
    for (int step = 0; step < 20; step++) {
        memcpy(before, x, sizeof x);
        m->lanes->step(x, u, &lanes);
        for (uint32_t lane = 0; lane < MPPI_LANES; lane++) {
            float state[HED_MPPI_MAX_STATES], control[HED_MPPI_MAX_CONTROLS];
            for (uint32_t i = 0; i < m->states; i++) state[i] = before[i * MPPI_LANES + lane];
            for (uint32_t i = 0; i < m->controls; i++) control[i] = u[i * MPPI_LANES + lane];
            m->step(state, control, 0.02f, &world);
            for (uint32_t i = 0; i < m->states; i++)
                CHECK_BYTES(&state[i], &x[i * MPPI_LANES + lane], sizeof(float),
                    "%s: state %u of lane %u after step %d", m->name, i, lane, step);
        }
    }
    CHECK(memcmp(before, x, m->states * MPPI_LANES * sizeof *x) != 0, "%s stands still", m->name);
}

static void compare_costs(const hed_mppi_model *m, uint32_t index)
{
    const hed_mppi_term *term = hed_mppi_term_at(index);
    float p[HED_MPPI_MAX_PARAMETERS], x[HED_MPPI_MAX_STATES * MPPI_LANES];
    float u[HED_MPPI_MAX_CONTROLS * MPPI_LANES], cost[MPPI_LANES];
    fill_parameters(term->parameters, term->parameter_count, m, p);
    fill_lanes(m, 11 + index, x, u);
    mppi_lanes_world lanes = {p, tables, table_counts, 0.02f, 100};
    hed_mppi_world world = {p, tables, table_counts, 0.02f, 100, m, NULL};
    for (uint32_t lane = 0; lane < MPPI_LANES; lane++) cost[lane] = 0.5f;
    m->lanes->terms[index](x, u, 3, 2.5f, &lanes, cost);
    for (uint32_t lane = 0; lane < MPPI_LANES; lane++) {
        float state[HED_MPPI_MAX_STATES], control[HED_MPPI_MAX_CONTROLS];
        for (uint32_t i = 0; i < m->states; i++) state[i] = x[i * MPPI_LANES + lane];
        for (uint32_t i = 0; i < m->controls; i++) control[i] = u[i * MPPI_LANES + lane];
        float one = 0.5f + 2.5f * term->cost(state, control, 3, &world);
        CHECK_BYTES(&one, &cost[lane], sizeof one, "%s, %s, lane %u", m->name, term->name, lane);
    }
}

Test(mppi_models, lanes_and_one_state_have_the_same_bits)
{
    hed_sample_floats(table_values, TABLE_SIZE, 3, 0);
    for (uint32_t i = 0; hed_mppi_model_at(i); i++) {
        const hed_mppi_model *m = hed_mppi_model_at(i);
        compare_steps(m);
        for (uint32_t k = 0; hed_mppi_term_at(k); k++) compare_costs(m, k);
    }
}
