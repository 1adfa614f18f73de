/* Controllers of two systems: the real system, and a nominal one that has no disturbance. System
 * i is real, system count + i is its nominal one.
 *
 * TUBE (Williams et al., RSS 2018): both are sampled with the same noise; the nominal system is
 * reset to the real one if this costs less than `nominal_threshold` more; feedback K tracks the
 * nominal trajectory: u = u*_0 + K_0 (x - x*_0).
 *
 * ROBUST (Gandhi et al., RA-L 2021): before sampling, the nominal state is chosen among
 * candidates between the previous nominal state, the nominal state now, and the real state: the
 * last candidate whose free energy is below `value_threshold`. Both systems are in each sample,
 * the real one with feedback. */
#include <math.h>

#include "model/controller.h"
#include "kernels/words.h"
#include "support/strict_math.h"

uint32_t mppi_shown(const hed_mppi *c, uint32_t index)
{
    return c->def.kind == HED_MPPI_PLAIN ? index : c->def.count + index;
}

void mppi_candidate(
    const hed_mppi_def *def, uint32_t candidate, uint32_t stride, float weights[3], uint32_t *shift)
{
    uint32_t half = (def->candidates - 1) / 2;
    float fraction = (float)(candidate <= half ? candidate : candidate - half) / (float)half;
    weights[0] = candidate <= half ? 1 - fraction : 0;
    weights[1] = candidate <= half ? fraction : 1 - fraction;
    weights[2] = candidate <= half ? 0 : fraction;
    *shift = (uint32_t)((weights[1] + weights[2]) * (float)stride + 0.5f);
}

/* Computes gains along the nominal plan; zero if tracking fails. */
static void find_gains(hed_mppi *c, uint32_t index)
{
    uint64_t nx = c->model.states, nu = c->model.controls, steps = c->def.steps;
    uint32_t nominal = c->def.count + index;
    const float *states = c->states + nominal * (steps + 1) * nx;
    float *gains = c->gains + index * steps * nu * nx;
    c->stepped = index;
    bool has_gains = mppi_track(c, states, states, c->plan + nominal * steps * nu, 1, gains);
    for (uint64_t i = 0; i < steps * nu * nx; i++) has_gains &= fabsf(gains[i]) < INFINITY;
    if (!has_gains) memset(gains, 0, steps * nu * nx * sizeof *gains);
}

/* Computes the free energies of all candidates in one round, and chooses. */
static hed_status choose_candidate(hed_mppi *c, mppi_sampling *round, hed_error *error)
{
    uint64_t nx = c->model.states, size = (uint64_t)c->def.steps * c->model.controls;
    uint32_t count = c->def.count, candidates = c->def.candidates;
    for (uint32_t i = 0; i < count; i++) {
        const float *states = c->states + (uint64_t)(count + i) * (c->def.steps + 1) * nx;
        const float *plan = c->plan + (count + i) * size;
        float stride = c->stride[i], now[HED_MPPI_MAX_STATES];
        uint32_t steps = (uint32_t)stride;
        mppi_state_at(c, states, stride, now);
        for (uint32_t k = 0; k < candidates; k++) {
            float w[3], *x = c->candidate_state + ((uint64_t)k * count + i) * nx;
            uint32_t shift;
            mppi_candidate(&c->def, k, steps, w, &shift);
            for (uint32_t n = 0; n < nx; n++) {
                float near = mppi_state_nearest_turn(c->model.angles, (int)n, now[n], states[n]);
                float real =
                    mppi_state_nearest_turn(c->model.angles, (int)n, c->state[i * nx + n], near);
                x[n] = w[0] * states[n] + w[1] * near + w[2] * real;
            }
            float part = (w[1] + w[2]) * (stride - (float)steps);
            mppi_shift_plan(c, plan, shift, part, c->def.tail == HED_MPPI_ZERO,
                c->candidate_plan + ((uint64_t)k * count + i) * size);
        }
    }
    mppi_sampling ask = *round;
    ask.number = c->round++;
    ask.systems = count * candidates;
    ask.samples = c->def.candidate_samples;
    ask.state = c->candidate_state;
    ask.plan = c->candidate_plan;
    ask.ratio = NULL;
    ask.gains = NULL;
    ask.mean = NULL;
    ask.counted = c->candidate_counted;
    uint64_t now = hed_now();
    if (ask.deadline > now) ask.deadline = now + (ask.deadline - now) / 2;
    ask.sums = c->candidate_sums;
    if (mppi_timed_round(c, &c->candidate_pace, &ask, error)) return error->status;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t chosen = 0;
        bool is_over = true;
        for (uint32_t k = 0; k < candidates; k++) {
            const float *sums = c->candidate_sums + 4 * ((uint64_t)k * count + i);
            uint32_t samples = c->candidate_counted[(uint64_t)k * count + i];
            double energy =
                sums[0] - (double)c->lambda[i] * hed_strict_log(sums[1] / (samples ? samples : 1));
            if (sums[1] > 0 && energy < c->def.value_threshold) chosen = k, is_over = false;
        }
        c->over_threshold[i] = is_over;
        memcpy(c->plan + (count + i) * size,
            c->candidate_plan + ((uint64_t)chosen * count + i) * size, size * sizeof(float));
        memcpy(c->state + (count + i) * nx,
            c->candidate_state + ((uint64_t)chosen * count + i) * nx, nx * sizeof(float));
        c->candidate[i] = chosen;
        c->stride[i] = 0;
    }
    return HED_OK;
}

hed_status mppi_nominal_begin(hed_mppi *c, mppi_sampling *round, hed_error *error)
{
    uint64_t nx = c->model.states, size = (uint64_t)c->def.steps * c->model.controls;
    uint32_t count = c->def.count;
    bool robust = c->def.kind == HED_MPPI_ROBUST;
    if (robust && c->started && choose_candidate(c, round, error)) return error->status;
    for (uint32_t i = 0; i < count; i++) {
        /* restarts at the real state: at the first solve, and after a failure */
        if (c->started && !c->failures[c->def.count + i]) continue;
        memcpy(c->state + (count + i) * nx, c->state + i * nx, nx * sizeof(float));
        memcpy(c->plan + (count + i) * size, c->plan + i * size, size * sizeof(float));
        c->stride[i] = 0;
        c->candidate[i] = 0;
        if (robust) c->over_threshold[i] = false;
    }
    for (uint32_t i = 0; robust && i < count; i++) {
        mppi_keep(c, count + i);
        find_gains(c, i);
    }
    return HED_OK;
}

bool mppi_nominal_end(hed_mppi *c, uint32_t index, float *u)
{
    uint64_t nx = c->model.states, nu = c->model.controls, size = c->def.steps * nu;
    uint32_t nominal = c->def.count + index;
    const float *real_sums = c->sums + 4 * (uint64_t)index;
    const float *nominal_sums = c->sums + 4 * (uint64_t)nominal;
    if (c->def.kind == HED_MPPI_TUBE) {
        bool is_close = real_sums[0] < nominal_sums[0] + c->def.nominal_threshold;
        c->candidate[index] = is_close;
        if (is_close) {
            memcpy(c->state + nominal * nx, c->state + index * nx, nx * sizeof(float));
            memcpy(c->plan + nominal * size, c->plan + index * size, size * sizeof(float));
        }
    }
    bool finite = mppi_keep(c, nominal);
    find_gains(c, index);
    const float *plan = c->plan + nominal * size, *gains = c->gains + index * size * nx;
    memcpy(u, c->plan + index * size, nu * sizeof *u);
    for (uint32_t i = 0; i < nu && c->def.kind == HED_MPPI_TUBE; i++) {
        u[i] = plan[i];
        for (uint32_t j = 0; j < nx; j++)
            u[i] += gains[i * nx + j] * mppi_state_difference(c->model.angles, (int)j,
                                            c->state[index * nx + j], c->state[nominal * nx + j]);
        if (!(fabsf(u[i]) < 1e30f)) u[i] = plan[i]; /* the feedback overflowed */
    }
    return finite;
}
