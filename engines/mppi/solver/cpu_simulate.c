/* Solver of the processor for models that are simulated as a whole (hed_mppi_model.roll), such as
 * MuJoCo's: threads take samples one by one, because a simulation takes milliseconds. The weights
 * follow when all costs are known, as for ELITE. */
#include <math.h>

#include "solver/cpu.h"

hed_status mppi_cpu_simulate_create(hed_mppi *c, mppi_cpu_solver *s, hed_error *error)
{
    uint64_t steps = c->def.steps;
    for (uint32_t i = 0; i < s->threads && !hed_failed(error); i++) {
        mppi_cpu_workspace *w = &s->workspaces[i];
        w->arriving =
            hed_arena_new(&c->structure.arena, steps * c->model.controls, sizeof(float), error);
        w->states =
            hed_arena_new(&c->structure.arena, steps * c->model.states, sizeof(float), error);
        w->counted = hed_arena_new(&c->structure.arena, c->systems, sizeof(uint32_t), error);
        w->crashed = hed_arena_new(&c->structure.arena, c->systems, sizeof(uint32_t), error);
    }
    return hed_failed(error) ? error->status : HED_OK;
}

/* Returns the terms' costs of a sample whose states are known; `lane` of w->controls. */
static float simulate_terms(
    const hed_mppi *c, const mppi_cpu_workspace *w, uint32_t index, uint32_t lane, float cost)
{
    uint32_t nx = c->model.states, nu = c->model.controls, steps = c->def.steps;
    float u[HED_MPPI_MAX_CONTROLS];
    for (uint32_t t = 0; t < steps; t++) {
        for (uint32_t i = 0; i < nu; i++) u[i] = w->controls[(t * nu + i) * L + lane];
        for (uint32_t k = 0; k < c->def.term_count; k++) {
            const hed_mppi_term *term = &c->def.terms[k];
            const hed_mppi_world world = mppi_term_world(c, index, k, t);
            float weight = mppi_values(c, index, t)[mppi_text(c, index, 1 + k)->weight];
            uint32_t times = (term->when != HED_MPPI_TERMINAL) +
                             (t + 1 == steps && term->when != HED_MPPI_RUNNING);
            for (uint32_t n = 0; n < times; n++)
                cost = hed_fma(weight, term->cost(w->states + t * nx, u, (int32_t)t, &world), cost);
        }
    }
    return c->def.scale == HED_MPPI_MEAN ? cost * (1.0f / (float)steps) : cost;
}

/* Simulates the sample in lane `lane` of w->controls; returns its cost. */
static float simulate_sample(const hed_mppi *c, const mppi_cpu_solver *s, mppi_cpu_workspace *w,
    uint32_t thread, uint32_t system, uint32_t lane)
{
    uint32_t nu = c->model.controls, steps = c->def.steps, delay = c->def.delay;
    const float *past = s->round->past + (uint64_t)system * c->past * nu;
    const hed_mppi_world world = mppi_model_world(c, system % c->def.count);
    float cost = 0;
    for (uint32_t j = 0; j < steps * nu; j++)
        w->arriving[j] = j < delay * nu ? past[(c->past - delay) * nu + j]
                                        : w->controls[(j - delay * nu) * L + lane];
    const hed_mppi_roll roll = {.x = s->round->state + (uint64_t)system * c->model.states,
        .controls = w->arriving,
        .steps = steps,
        .thread = thread,
        .states = w->states,
        .cost = &cost};
    if (!c->model.roll(&roll, &world)) return MPPI_OUT;
    return simulate_terms(c, w, system % c->def.count, lane, cost);
}

/* Takes samples until all are simulated. Sample `n` of all is lane n % 32 of a group of 32, the groups of
 * all systems by turns. */
static void simulate_some(void *user, hed_team *team, uint32_t member)
{
    mppi_cpu_solver *s = user;
    const hed_mppi *c = s->controller;
    mppi_cpu_workspace *w = &s->workspaces[member];
    uint32_t samples = s->round->samples, groups = (uint32_t)hed_ceil_divide(samples, L);
    uint32_t group_in_hand = UINT32_MAX; /* group in w->controls */
    hed_float_state state = hed_float_strict();
    memset(w->counted, 0, c->systems * sizeof *w->counted);
    memset(w->crashed, 0, c->systems * sizeof *w->crashed);
    for (uint32_t n; (n = atomic_fetch_add_explicit(&s->next, 1, memory_order_relaxed)) <
                     groups * c->systems * L;) {
        uint32_t turn = n / L, system = turn % c->systems, first = turn / c->systems * L;
        uint32_t sample = first + n % L;
        float *cost = &s->costs[(uint64_t)system * c->block + sample];
        if (sample >= samples) continue;
        *cost = MPPI_OUT;
        if (mppi_cpu_is_late(s, sample)) continue;
        if (group_in_hand != turn) mppi_cpu_sample(c, w, system, first);
        group_in_hand = turn;
        *cost = simulate_sample(c, s, w, member, system, n % L);
        if (!MPPI_IS_OUT(*cost)) *cost += w->costs[n % L];
        bool is_out = MPPI_IS_OUT(*cost);
        w->counted[system]++;
        w->crashed[system] += is_out || *cost >= c->def.crash_cost;
        if (is_out) *cost = MPPI_OUT;
    }
    hed_float_restore(state);
    (void)team;
}

void mppi_cpu_simulate(hed_mppi *c, mppi_cpu_solver *s)
{
    uint32_t size = c->def.steps * c->model.controls;
    s->phase = CPU_COSTS;
    atomic_store_explicit(&s->next, 0, memory_order_relaxed); /* hed_team_run() synchronises it */
    if (s->threads > 1) hed_team_run(s->team, simulate_some, s);
    else simulate_some(s, s->team, 0);
    for (uint32_t system = 0; system < c->systems; system++) {
        for (uint32_t i = 0; i < s->chains; i++) {
            mppi_cpu_chain *chain = &s->chain[system * s->chains + i];
            chain->minimum = MPPI_OUT;
            chain->crashed = 0;
            chain->counted = 0;
            memset(chain->sums, 0, (size + 2) * sizeof(float));
        }
        for (uint32_t i = 0; i < s->threads; i++) {
            s->chain[system * s->chains].counted += s->workspaces[i].counted[system];
            s->chain[system * s->chains].crashed += (float)s->workspaces[i].crashed[system];
        }
    }
}

void mppi_cpu_simulate_again(const hed_mppi *c, const mppi_cpu_solver *s, mppi_cpu_workspace *w,
    uint32_t system, uint32_t sample, float *states, float *cost)
{
    uint32_t nx = c->model.states, steps = c->def.steps;
    const float *x = s->round->state + (uint64_t)system * nx;
    mppi_cpu_sample(c, w, system, sample);
    for (uint32_t l = 0; l < L; l++) {
        for (uint32_t n = 0; n < steps * nx; n++) w->states[n] = NAN;
        cost[l] = simulate_sample(c, s, w, 0, system, l) + w->costs[l];
        for (uint32_t i = 0; i < nx; i++) states[i * L + l] = x[i];
        for (uint32_t n = 0; n < steps * nx; n++) states[(nx + n) * L + l] = w->states[n];
    }
}
