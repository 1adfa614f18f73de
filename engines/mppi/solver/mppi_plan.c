/* Operations on a plan on the host: O(T), independent of the number of samples. */
#include <math.h>

#include "model/controller.h"
#include "catalogue/mppi_native.h"
#include "kernels/words.h"

/* Returns control i of the plan's step t; before the plan the applied controls, after it its
 * last control. */
static float planned(const hed_mppi *c, const float *plan, const float *past, int64_t t, uint32_t i)
{
    uint32_t nu = c->model.controls;
    if (t < 0) return past[((int64_t)c->past + t) * nu + i];
    return plan[(t < c->def.steps ? t : c->def.steps - 1) * nu + i];
}

void mppi_smooth(const hed_mppi *c, uint32_t system, float *scratch)
{
    uint32_t nu = c->model.controls, steps = c->def.steps;
    float *plan = c->plan + (uint64_t)system * steps * nu;
    const float *past = c->pasts + (uint64_t)system * c->past * nu;
    if (steps < 5) return;
    for (uint32_t i = 0; i < nu; i++) {
        scratch[0] = planned(c, plan, past, -2, i);
        scratch[1] = planned(c, plan, past, -1, i);
        for (uint32_t t = 0; t < steps; t++) scratch[t + 2] = plan[t * nu + i];
        scratch[steps + 2] = scratch[steps + 3] = scratch[steps + 1];
        for (uint32_t t = 0; t < steps; t++) {
            const float *u = scratch + t;
            plan[t * nu + i] = (-3 * (u[0] + u[4]) + 12 * (u[1] + u[3]) + 17 * u[2]) * (1.0f / 35);
        }
    }
}

/* Clamps control i after `before`, which `since` steps ago was applied, to its limits, then to its
 * rates, which have precedence: a robot beyond its limits comes back at its rates. */
static float limited(const hed_mppi *c, uint32_t i, float u, float before, float since)
{
    float low = c->def.minimum[i], high = c->def.maximum[i], reach = mppi_reach(c, i);
    u = u < low ? low : u > high ? high : u;
    return reach > 0 ? mppi_rate(u, before, since * reach, since * mppi_brake(c, i)) : u;
}

/* Returns control i that a system's actuators hold before the plan. */
static float last_held(const hed_mppi *c, uint32_t system, uint32_t i)
{
    uint64_t nu = c->model.controls;
    if (c->shift.since < 1) return c->shift.controls[system * nu + i];
    return c->pasts[((uint64_t)system * c->past + c->past - 1) * nu + i];
}

void mppi_limit(const hed_mppi *c, uint32_t system)
{
    uint32_t nu = c->model.controls;
    float *plan = c->plan + (uint64_t)system * c->def.steps * nu;
    for (uint32_t i = 0; i < nu; i++) {
        float before = last_held(c, system, i), since = c->shift.since;
        for (uint32_t t = 0; t < c->def.steps; t++, since = 1)
            plan[t * nu + i] = before = limited(c, i, plan[t * nu + i], before, since);
    }
}

void mppi_hold(const hed_mppi *c, uint32_t system, float *u)
{
    for (uint32_t i = 0; i < c->model.controls; i++)
        u[i] = limited(c, i, u[i], last_held(c, system, i), c->shift.since);
}

static hed_mppi_world world_of(
    const hed_mppi *c, const mppi_part *part, const float *parameters, const void *user)
{
    return (hed_mppi_world){.parameters = parameters + part->first,
        .tables = part->tables,
        .table_counts = part->table_counts,
        .dt = c->def.dt,
        .steps = c->def.steps,
        .model = &c->model,
        .user = user};
}

hed_mppi_world mppi_model_world(const hed_mppi *c, uint32_t index)
{
    return world_of(c, mppi_text(c, index, 0), c->parameters + (uint64_t)index * c->parameter_count,
        c->model.user);
}

hed_mppi_world mppi_term_world(const hed_mppi *c, uint32_t index, uint32_t k, uint32_t t)
{
    return world_of(c, mppi_text(c, index, 1 + k), mppi_values(c, index, t), c->def.terms[k].user);
}

void mppi_step(const hed_mppi *c, float *x, const float *u)
{
    const hed_mppi_world world = mppi_model_world(c, c->stepped);
    c->model.step(x, u, c->def.dt, &world);
}

/* Rolls out the plan of a model that is simulated as a whole. States after an instability are NaN. */
static void simulate_states(
    hed_mppi *c, uint32_t index, const float *plan, const float *past, float *states)
{
    uint32_t nx = c->model.states, nu = c->model.controls;
    const hed_mppi_world world = mppi_model_world(c, index);
    float cost;
    for (uint32_t j = 0; j < c->def.steps * nu; j++)
        c->arriving[j] = planned(c, plan, past, (int64_t)(j / nu) - c->def.delay, j % nu);
    const hed_mppi_roll roll = {.x = states,
        .controls = c->arriving,
        .steps = c->def.steps,
        .states = states + nx,
        .cost = &cost};
    for (uint32_t n = 0; n < c->def.steps * nx; n++) states[nx + n] = NAN;
    c->model.roll(&roll, &world);
}

static void roll_states(hed_mppi *c, uint32_t system)
{
    uint32_t nx = c->model.states, nu = c->model.controls;
    const float *plan = c->plan + (uint64_t)system * c->def.steps * nu;
    const float *past = c->pasts + (uint64_t)system * c->past * nu;
    float *states = c->states + (uint64_t)system * (c->def.steps + 1) * nx;
    float x[HED_MPPI_MAX_STATES];
    const hed_mppi_world world = mppi_model_world(c, system % c->def.count);
    memcpy(x, c->state + (uint64_t)system * nx, nx * sizeof *x);
    memcpy(states, x, nx * sizeof *x);
    if (c->model.roll) {
        simulate_states(c, system % c->def.count, plan, past, states);
        return;
    }
    if (c->model.lanes && !c->def.delay) {
        c->model.lanes->roll(states, plan, c->def.steps, c->def.dt, &world);
        return;
    }
    for (uint32_t t = 0; t < c->def.steps; t++) {
        float u[HED_MPPI_MAX_CONTROLS];
        for (uint32_t i = 0; i < nu; i++)
            u[i] = planned(c, plan, past, (int64_t)t - c->def.delay, i);
        c->model.step(x, u, c->def.dt, &world);
        states += nx;
        for (uint32_t i = 0; i < nx; i++) states[i] = x[i];
    }
}

/* Replaces numbers that are not finite by 0; false if there was one. */
static bool keep_numbers(float *values, uint64_t count)
{
    bool finite = true;
    for (uint64_t i = 0; i < count; i++) {
        if (fabsf(values[i]) < INFINITY) continue;
        values[i] = 0;
        finite = false;
    }
    return finite;
}

bool mppi_keep(hed_mppi *c, uint32_t system)
{
    uint64_t nx = c->model.states, nu = c->model.controls, size = c->def.steps * nu;
    float *states = c->states + (uint64_t)system * (c->def.steps + 1) * nx;
    bool finite = keep_numbers(c->plan + system * size, size);
    if (c->drive) finite &= keep_numbers(c->drive + system * size, size);
    finite &= keep_numbers(c->pasts + (uint64_t)system * c->past * nu, c->past * nu);
    if (c->model.step || c->model.roll) roll_states(c, system);
    for (uint32_t t = 1; t <= c->def.steps; t++) {
        bool is_lost = false;
        for (uint64_t i = 0; i < nx; i++) is_lost |= !(fabsf(states[t * nx + i]) < INFINITY);
        if (is_lost) memcpy(states + t * nx, states + (t - 1) * nx, nx * sizeof *states);
        finite &= !is_lost;
    }
    return finite;
}

void mppi_begin_again(hed_mppi *c, uint32_t system)
{
    const float farthest = c->failures[system] > 1 ? 1 : 100; /* sigmas */
    uint64_t nu = c->model.controls, size = c->def.steps * nu;
    float *pasts = c->pasts + (uint64_t)system * c->past * nu;
    if (!c->failures[system]) return;
    memset(c->plan + system * size, 0, size * sizeof(float));
    if (c->drive) memset(c->drive + system * size, 0, size * sizeof(float));
    for (uint64_t i = 0; i < c->past * nu; i++) {
        float low = c->def.minimum[i % nu], high = c->def.maximum[i % nu];
        float limit = farthest * c->def.sigma[i % nu];
        /* rates bound the applied controls, from which the actuators' next step begins */
        if (mppi_reach(c, (uint32_t)(i % nu)) > 0) continue;
        if (high - low > 2 * limit) pasts[i] = fminf(fmaxf(pasts[i], -limit), limit);
    }
}
