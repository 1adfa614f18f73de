/* Heddle's own models and terms: descriptions that hold together, and the same bits for one state
 * and for lanes. */
#include "testing.h"

#include <math.h>

#include "engines/mppi/catalogue/mppi_native.h"
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
    float first[HED_MPPI_MAX_STATES * MPPI_LANES];
    memcpy(first, x, sizeof x);
    mppi_lanes_world lanes = {p, tables, table_counts, 0.02f, 100, m};
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
    CHECK(memcmp(first, x, m->states * MPPI_LANES * sizeof *x) != 0, "%s stands still", m->name);
}

/* Whether a model has the states that a term speaks of. */
static bool has_states_of(const hed_mppi_model *m, const hed_mppi_term *term)
{
    return (m->pose_x >= 0 || !strstr(term->text, "POSE_X")) &&
           (m->pose_heading >= 0 || !strstr(term->text, "POSE_HEADING")) &&
           (m->speed >= 0 || !strstr(term->text, "SPEED")) &&
           (m->turn >= 0 || !strstr(term->text, "TURN")) &&
           (m->velocity_x >= 0 || !strstr(term->text, "VELOCITY_X"));
}

static void compare_costs(const hed_mppi_model *m, uint32_t index)
{
    const hed_mppi_term *term = hed_mppi_term_at(index);
    float p[HED_MPPI_MAX_PARAMETERS], x[HED_MPPI_MAX_STATES * MPPI_LANES];
    float u[HED_MPPI_MAX_CONTROLS * MPPI_LANES], cost[MPPI_LANES];
    fill_parameters(term->parameters, term->parameter_count, m, p);
    fill_lanes(m, 11 + index, x, u);
    mppi_lanes_world lanes = {p, tables, table_counts, 0.02f, 100, m};
    hed_mppi_world world = {p, tables, table_counts, 0.02f, 100, m, NULL};
    for (uint32_t lane = 0; lane < MPPI_LANES; lane++) cost[lane] = 0.5f;
    m->lanes->terms[index](x, u, 3, 2.5f, &lanes, cost);
    for (uint32_t lane = 0; lane < MPPI_LANES; lane++) {
        float state[HED_MPPI_MAX_STATES], control[HED_MPPI_MAX_CONTROLS];
        for (uint32_t i = 0; i < m->states; i++) state[i] = x[i * MPPI_LANES + lane];
        for (uint32_t i = 0; i < m->controls; i++) control[i] = u[i * MPPI_LANES + lane];
        float one = hed_fma(2.5f, term->cost(state, control, 3, &world), 0.5f);
        CHECK_BYTES(&one, &cost[lane], sizeof one, "%s, %s, lane %u", m->name, term->name, lane);
    }
}

Test(mppi_models, lanes_and_one_state_have_the_same_bits)
{
    /* as a grid: 10 x 10 cells of 0.5 m about the origin; as obstacles: 10 at 10 moments */
    const float head[] = {10, 10, -2.25f, -2.25f, 2};
    hed_sample_floats(table_values, TABLE_SIZE, 3, 0);
    memcpy(table_values, head, sizeof head);
    for (uint32_t i = 0; hed_mppi_model_at(i); i++) {
        const hed_mppi_model *m = hed_mppi_model_at(i);
        compare_steps(m);
        for (uint32_t k = 0; hed_mppi_term_at(k); k++)
            if (has_states_of(m, hed_mppi_term_at(k))) compare_costs(m, k);
    }
}

/* ---- what the models do ---- */

/* The state after `steps` of a model at its defaults. */
static void roll(const char *name, float *x, const float *u, float dt, int steps)
{
    const hed_mppi_model *m = hed_mppi_model_find(name);
    float p[HED_MPPI_MAX_PARAMETERS];
    for (uint32_t i = 0; i < m->parameter_count; i++) p[i] = m->parameters[i].value;
    hed_mppi_world world = {p, tables, table_counts, dt, 100, m, NULL};
    for (int i = 0; i < steps; i++) m->step(x, u, dt, &world);
}

Test(mppi_models, they_move_as_they_should)
{
    /* a pendulum keeps its energy: pi/2 to -pi/2 and back in 2.369 s (elliptic integral) */
    float pendulum[] = {1.57079633f, 0};
    roll("pendulum", pendulum, (float[]){0}, 1e-4f, 23690);
    CHECK_NEAR(pendulum[0], 1.5708, 0.01);
    /* quarter of a circle of radius 0.5 m */
    float drive[] = {0, 0, 0, 0, 0};
    roll("differential_drive", drive, (float[]){0.5f, 1.0f}, 1e-3f, 1571);
    CHECK_NEAR(drive[0], 0.5, 0.002);
    CHECK_NEAR(drive[1], 0.5, 0.002);
    float dubins[] = {0, 0, 0};
    roll("dubins", dubins, (float[]){1.0f}, 1e-3f, 3142);
    CHECK_NEAR(dubins[1], 2, 0.004);
    /* hovering, and rolling right where a torque turns it about x */
    float hover[12] = {0, 0, 1};
    roll("quadrotor", hover, (float[]){0, 0, 0, 0}, 0.02f, 100);
    CHECK_NEAR(hover[2], 1, 1e-5);
    roll("quadrotor", hover, (float[]){0, 1e-3f, 0, 0}, 0.02f, 50);
    CHECK(hover[6] > 0.04f && hover[1] < -0.01f && hover[0] == 0);
}

Test(mppi_models, a_car_turns_as_its_tyres_allow)
{
    /* slowly: turn rate = speed * steering / wheelbase, less the understeer, which is small */
    float car[] = {0, 0, 0, 3, 0, 0};
    roll("bicycle", car, (float[]){0, 0.1f}, 0.02f, 100);
    CHECK_NEAR(car[5] / car[3], 0.1 / 2.6, 0.0008);
    /* fast: no more than the grip of the tyres */
    float fast[] = {0, 0, 0, 20, 0, 0};
    roll("bicycle", fast, (float[]){0, 0.4f}, 0.02f, 100);
    float s = sinf(fast[2]), c = cosf(fast[2]);
    float vx = fast[3] * c - fast[4] * s, vy = fast[3] * s + fast[4] * c;
    roll("bicycle", fast, (float[]){0, 0.4f}, 1e-3f, 1);
    s = sinf(fast[2]), c = cosf(fast[2]);
    float ahead = fast[3] * c - fast[4] * s - vx, aside = fast[3] * s + fast[4] * c - vy;
    float gain = sqrtf(ahead * ahead + aside * aside) * 1e3f;
    CHECK(gain > 4 && gain < 0.95f * 9.81f, "%g m/s^2", (double)gain);
    /* at a standstill, which is where explicit steps of this model divide by zero */
    float still[] = {0, 0, 0, 0, 0.1f, 0.2f};
    roll("bicycle", still, (float[]){-1, 0.3f}, 0.05f, 100);
    CHECK(still[3] == 0 && fabsf(still[4]) < 1e-3f && fabsf(still[5]) < 1e-3f);
}

/* ---- terms that read tables ---- */

static double cost_at(
    const char *name, const float *p, const float *table, uint32_t count, float x, float y)
{
    const hed_mppi_term *term = hed_mppi_term_find(name);
    const float *own[] = {table}, state[] = {x, y, 0.5f, 0, 0};
    static const float zeros[3];
    const hed_mppi_model *m = hed_mppi_model_find("differential_drive");
    hed_mppi_world world = {p ? p : zeros, own, &count, 0.1f, 100, m, NULL};
    return (double)term->cost(state, (float[]){0, 0}, 1, &world);
}

Test(mppi_models, maps_are_interpolated)
{
    /* 3 x 2 cells of 0.5 m, the first centre at (1, 2) */
    const float map[] = {3, 2, 1, 2, 2, 0, 0, 0, 0, 0.2f, 0.4f, 0.1f, 0.3f, 0.9f};
    const float p[5] = {0.65f, 1000, 0.25f}; /* lethal, crash, outside; no offset */
    CHECK_NEAR(cost_at("costmap", p, map, 14, 1, 2), 0, 1e-6);
    CHECK_NEAR(cost_at("costmap", p, map, 14, 1.5f, 2), 0.2, 1e-6);
    CHECK_NEAR(cost_at("costmap", p, map, 14, 1.25f, 2.25f), 0.15, 1e-6);
    CHECK_NEAR(cost_at("costmap", p, map, 14, 0.8f, 1.8f), 0, 1e-6); /* its outermost half cell */
    CHECK_NEAR(cost_at("costmap", p, map, 14, 0.7f, 2), 0.25, 1e-6); /* off it */
    CHECK_NEAR(cost_at("costmap", p, map, 14, NAN, 2), 0.25, 1e-6);
    CHECK_NEAR(cost_at("costmap", p, map, 14, 1, 1e30f), 0.25, 1e-6);
    CHECK_NEAR(cost_at("costmap", p, map, 14, 2, 2.5f), 1000, 1e-6); /* lethal */
    const float clear[6] = {0.1f, 0.4f, 500, 0}; /* radius, margin, crash, outside; no offset */
    CHECK_NEAR(cost_at("clearance", clear, map, 14, 1.5f, 2.5f), 0.25, 1e-5); /* 0.3 - 0.1 */
    CHECK_NEAR(cost_at("clearance", clear, map, 14, 1, 2.5f), 500, 1e-6);
    CHECK_NEAR(cost_at("clearance", clear, map, 14, 5, 5), 500, 1e-6);
}

Test(mppi_models, tables_that_are_too_short_cost_nothing)
{
    /* the memory is there, as in a controller; what counts is the length that is told */
    const float map[16] = {100, 100, 0, 0, 1, 0, 0, 0, 7, 7, 7, 7, 7, 7, 7, 7};
    const float p[5] = {0.65f, 1000, 0.25f}; /* lethal, crash, outside; no offset */
    CHECK_NEAR(cost_at("costmap", p, map, 16, 50, 50), 0.25, 1e-6);
    const float empty[8] = {0};
    CHECK_NEAR(cost_at("costmap", p, empty, 0, 0, 0), 0.25, 1e-6);
    const float discs[8] = {1000, 1000, 5, 0, 0, 0, 9, 0};
    CHECK_NEAR(cost_at("obstacles", p, discs, 8, 0, 0), 0, 1e-6);
    CHECK_NEAR(cost_at("obstacles", p, empty, 0, 0, 0), 0, 1e-6);
    /* heads whose product fits, though their numbers do not */
    const float heads[][8] = {{-5, 1e9f, 1e9f}, {1e6f, 1e-9f, 5}, {1e-9f, 1e9f, 1e9f},
        {-1e6f, -1e6f, 5}, {NAN, 1, 5}, {1, NAN, 5}, {1e9f, -1, 5}};
    for (uint32_t i = 0; i < HED_COUNT(heads); i++)
        CHECK_NEAR(cost_at("obstacles", p, heads[i], 8, 0, 0), 0, 1e-6, "head %u", i);
    CHECK_NEAR(cost_at("path_follow", NULL, empty, 0, 3, 4), 0, 1e-6);
    CHECK(cost_at("path_align", NULL, empty, 0, 3, 4) > 1e9);
}

Test(mppi_models, paths_and_obstacles_are_found)
{
    /* from (0, 0) to (2, 0) to (2, 1) */
    const float path[] = {0, 0, 2, 0, 0.25f, 3, 2, 0, 2, 0, 0, 1, 1, 1, 1, 1.5708f};
    CHECK_NEAR(cost_at("path_align", NULL, path, 16, 1, 0.5f), 0.5, 1e-5);
    CHECK_NEAR(cost_at("path_follow", NULL, path, 16, 1, 0.5f), 2, 1e-5);
    CHECK_NEAR(cost_at("path_angle", NULL, path, 16, 1, 0.5f), 0.5, 1e-5);
    CHECK_NEAR(cost_at("path_align", NULL, path, 16, 2.3f, 1.4f), 0.5, 1e-5);
    CHECK_NEAR(cost_at("path_follow", NULL, path, 16, 2.3f, 0.75f), 0.25, 1e-5);
    CHECK_NEAR(cost_at("path_angle", NULL, path, 16, 2.3f, 0.75f), 1.0708, 1e-4);
    /* one disc at 3 moments, 5 in a second: at 0.2 s, after step 1, it is the second */
    const float discs[] = {1, 3, 5, 0, 0, 0, 0.5f, 0, 1, 0, 0.5f, 0, 2, 0, 0.5f, 0};
    const float p[5] = {0.2f, 1, 500}; /* radius, margin, crash; no offset */
    CHECK_NEAR(cost_at("obstacles", p, discs, 16, 1, 1.2f), 0.25, 1e-5);
    CHECK_NEAR(cost_at("obstacles", p, discs, 16, 1.6f, 0), 500, 1e-5);
    CHECK_NEAR(cost_at("obstacles", p, discs, 16, 4, 0), 0, 1e-5);
}
