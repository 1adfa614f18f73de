/* ctest: devices */
/* Angles: a state whose angles are a turn apart is the same state, to every term, every kind of
 * controller and the control between two solves. */
#include <math.h>

#include "fixture.h"
#include "heddle/mppi.h"
#include "model/controller.h"

TestSuite(mppi_angles, .init = here_open, .fini = here_close);

static const float turn = 6.28318531f;
static const char *const kinds[] = {"mppi", "tube", "rmppi"};

static bool on_host(void) { return !strcmp(hed_device_describe(here.device).backend, "host"); }

/* Wraps the angles of a state to -pi to pi, as a localisation does. */
static void wrap_state(const hed_mppi_model *model, float *x)
{
    for (uint32_t i = 0; i < model->states; i++)
        if (model->angles >> i & 1) x[i] -= turn * rintf(x[i] / turn);
}

/* ---- terms ---- */

static float table_values[2048];

static float term_cost(const hed_mppi_term *term, const hed_mppi_model *model, const float *x)
{
    static const float u[HED_MPPI_MAX_CONTROLS] = {0};
    float parameters[HED_MPPI_MAX_PARAMETERS];
    const float *tables[1] = {table_values};
    const uint32_t counts[1] = {sizeof table_values / sizeof *table_values};
    uint32_t count = 0;
    for (uint32_t i = 0; i < term->parameter_count; i++) {
        const hed_mppi_parameter *p = &term->parameters[i];
        uint32_t length = p->length == HED_MPPI_EACH_STATE     ? model->states
                          : p->length == HED_MPPI_EACH_CONTROL ? model->controls
                                                               : 1;
        float value = !strcmp(p->name, "low")      ? -3
                      : !strcmp(p->name, "high")   ? 1
                      : !strcmp(p->name, "within") ? 100
                                                   : p->value;
        for (uint32_t n = 0; n < length; n++) parameters[count++] = value;
    }
    const hed_mppi_world world = {.parameters = parameters,
        .tables = tables,
        .table_counts = counts,
        .dt = 0.05f,
        .steps = 10,
        .model = model};
    return term->cost(x, u, 3, &world);
}

/* True if the model has the states that the term reads. */
static bool has_states(const hed_mppi_model *model, const hed_mppi_term *term)
{
    return term->text && !(model->pose_x < 0 && strstr(term->text, "x[POSE_X]")) &&
           !(model->pose_heading < 0 && strstr(term->text, "x[POSE_HEADING]")) &&
           !(model->speed < 0 && strstr(term->text, "x[SPEED]")) &&
           !(model->turn < 0 && strstr(term->text, "x[TURN]")) &&
           !(model->velocity_x < 0 && strstr(term->text, "x[VELOCITY_X]"));
}

Test(mppi_angles, terms_do_not_count_turns)
{
    if (!on_host()) return;
    const hed_mppi_model *model;
    const hed_mppi_term *term;
    for (uint32_t i = 0; i < 8; i++) table_values[i] = 2; /* a grid, a path or discs */
    for (uint32_t m = 0; (model = hed_mppi_model_at(m)); m++)
        for (uint32_t k = 0; model->angles && (term = hed_mppi_term_at(k)); k++)
            for (int turns = -2; turns <= 2 && has_states(model, term); turns++) {
                float x[HED_MPPI_MAX_STATES], y[HED_MPPI_MAX_STATES];
                for (uint32_t i = 0; i < model->states; i++) {
                    x[i] = 0.3f * (float)i - 0.5f;
                    y[i] = x[i] + (float)(model->angles >> i & 1) * (float)turns * turn;
                }
                float wanted = term_cost(term, model, x), found = term_cost(term, model, y);
                if (!strcmp(term->name, "cosines")) continue; /* rounds angles up to 50 times */
                EXPECT_NEAR(found, wanted, 1e-4f * (1 + fabsf(wanted)), "%s of %s, %d turns",
                    term->name, model->name, turns);
            }
}

/* ---- controllers ---- */

static hed_mppi *make(const char *model, const hed_mppi_setting *settings, uint32_t count, int kind)
{
    hed_mppi_def def = hed_default_mppi_def();
    hed_mppi *c = NULL;
    hed_error error = {0};
    def.model = hed_mppi_model_find(model);
    def.terms = hed_mppi_term_find("quadratic");
    def.term_count = 1;
    def.settings = settings;
    def.setting_count = count;
    def.kind = (hed_mppi_kind)kind;
    def.samples = 256;
    def.steps = 20;
    def.lambda = 0.1f;
    def.nominal_threshold = -1e30f; /* the nominal system is never reset: feedback alone acts */
    def.value_threshold = 1e30f;
    def.candidate_samples = 16;
    def.math = HED_MATH_STRICT;
    OK(hed_mppi_create(here.device, &def, &c, &error));
    return c;
}

/* A car that is told to drive in the direction of -pi, by a localisation that reports -pi to pi,
 * or one that counts turns. Returns the sum of all turning, rad. */
static double drive(int kind, bool wrapped)
{
    static const hed_mppi_setting settings[] = {
        {"quadratic.state.x", 0}, {"quadratic.state.y", 0}, {"quadratic.goal.heading", 3.14159f}};
    hed_mppi *c = make("dubins", settings, 3, kind);
    hed_error error = {0};
    const hed_mppi_model *model = hed_mppi_describe(c).def->model;
    float x[3] = {0, 0, 2.9f}, u;
    double sum = 0;
    for (int t = 0; t < 100; t++) {
        float shown[3] = {x[0], x[1], x[2]};
        if (wrapped) wrap_state(model, shown);
        OK(hed_mppi_solve(c, shown, &u, NULL, &error));
        for (int i = 0; i < 3; i++) CHECK(isfinite(hed_mppi_states(c, 0)[i]));
        x[2] += 0.05f * u + 0.05f * sinf(0.4f * (float)t); /* wind: it crosses pi again and again */
        sum += fabs((double)u) * 0.05;
        hed_mppi_shift(c, 1);
    }
    hed_mppi_destroy(c);
    return sum;
}

Test(mppi_angles, a_localisation_that_wraps_turns_no_further, .timeout = 240)
{
    for (int kind = 0; kind < HED_MPPI_KIND_COUNT; kind++) {
        double counted = drive(kind, false), wrapped = drive(kind, true);
        EXPECT_NEAR(wrapped, counted, 0.1 * counted, "%s", kinds[kind]);
    }
}

/* The first solve, the solve after it and the control between them, for every model with angles
 * and every kind, at a state and at the same a turn further. */
static void solve_twice(const char *model, int kind, float turns, float *out)
{
    hed_mppi *c = make(model, NULL, 0, kind);
    hed_error error = {0};
    const hed_mppi_model *m = hed_mppi_describe(c).def->model;
    float x[HED_MPPI_MAX_STATES], u[HED_MPPI_MAX_CONTROLS];
    for (uint32_t i = 0; i < m->states; i++)
        x[i] = m->angles >> i & 1 ? 0.3f : 0.2f - 0.03f * (float)i;
    for (int solve = 0; solve < 3; solve++) {
        float at[HED_MPPI_MAX_STATES];
        for (uint32_t i = 0; i < m->states; i++)
            at[i] = x[i] + (solve && m->angles >> i & 1 ? turns * turn : 0) + 0.01f * (float)solve;
        OK(hed_mppi_solve(c, at, u, NULL, &error));
        for (uint32_t i = 0; i < m->controls; i++) *out++ = u[i];
        hed_mppi_control_at(c, 0, 0.4f * m->dt, at, u);
        for (uint32_t i = 0; i < m->controls; i++) *out++ = u[i];
        hed_mppi_shift(c, 1);
    }
    hed_mppi_destroy(c);
}

Test(mppi_angles, controllers_do_not_count_turns, .timeout = 240)
{
    const hed_mppi_model *model;
    for (uint32_t m = 0; (model = hed_mppi_model_at(m)); m++) {
        if (!model->angles || model->table_count || (!on_host() && m % 2)) continue;
        for (int kind = 0; kind < HED_MPPI_KIND_COUNT; kind++) {
            float wanted[48] = {0}, found[48] = {0};
            solve_twice(model->name, kind, 0, wanted);
            for (int turns = -1; turns <= 2; turns += 2) {
                solve_twice(model->name, kind, (float)turns, found);
                for (uint32_t i = 0; i < 6 * model->controls; i++)
                    EXPECT_NEAR(found[i], wanted[i], 0.02f * (1 + fabsf(wanted[i])),
                        "%s, %s, %d turns, number %u", model->name, kinds[kind], turns, i);
            }
        }
    }
}
