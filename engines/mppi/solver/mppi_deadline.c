/* Deadlines. On the processor threads look at the clock, and stop sampling so early that weighing, merging
 * and the work after the rounds end in time: that reserve is learnt from every solve. A round on a
 * device cannot be stopped, so it gets as many tiles as the time that is left allows: it takes
 * tile_ns for one tile, full_ns for all samples, and between them in proportion. Both are measured
 * when the controller is created, and again in every round. */
#include <math.h>

#include "model/controller.h"

static const double MARGIN = 0.9; /* fraction of the time left that a device gets */

static bool is_host(const hed_mppi *c) { return c->structure.solver == &mppi_solver_cpu; }

/* ---- rounds on a device ---- */

/* Runs a round of a fraction of the tiles; returns its time, ns. */
static double measure_round(hed_mppi *c, mppi_sampling *round, float fraction, hed_error *error)
{
    uint64_t begin = hed_now();
    round->fraction = fraction;
    mppi_round(c, round, error);
    return (double)(hed_now() - begin);
}

static void measure_pace(hed_mppi *c, mppi_sampling *round, mppi_pace *pace, hed_error *error)
{
    const float part = 1.0f / 16;
    measure_round(c, round, 0, error); /* builds and allocates */
    pace->tile_ns = measure_round(c, round, 0, error);
    pace->full_ns =
        pace->tile_ns + (measure_round(c, round, part, error) - pace->tile_ns) / (double)part;
    if (!(pace->full_ns > pace->tile_ns)) pace->full_ns = pace->tile_ns + 1;
}

void mppi_measure_rounds(hed_mppi *c, hed_error *error)
{
    c->after_ns = 0.2 * (double)c->def.deadline_ns;
    c->deviation_ns = 0.1 * (double)c->def.deadline_ns;
    if (is_host(c) || c->blocks > 1 || hed_failed(error)) return;
    uint64_t nx = c->model.states;
    mppi_sampling round = {.state = c->state,
        .plan = c->plan,
        .past = c->pasts,
        .systems = c->systems,
        .samples = c->def.samples,
        .parameters = c->parameters,
        .lambda = c->lambda,
        .ratio = c->def.alpha < 1 ? c->ratio : NULL,
        .gains = c->def.kind == HED_MPPI_ROBUST ? c->gains : NULL,
        .mean = c->mean,
        .sums = c->sums};
    for (uint32_t i = 0; i < c->systems; i++)
        memcpy(c->state + i * nx, c->model.start, nx * sizeof(float));
    measure_pace(c, &round, &c->pace, error);
    if (c->def.kind != HED_MPPI_ROBUST || hed_failed(error)) return;
    round.systems = c->def.count * c->def.candidates;
    round.samples = c->def.candidate_samples;
    round.state = c->candidate_state;
    round.plan = c->candidate_plan;
    round.ratio = round.gains = NULL;
    round.mean = NULL;
    round.sums = c->candidate_sums;
    for (uint32_t i = 0; i < round.systems; i++)
        memcpy(c->candidate_state + i * nx, c->model.start, nx * sizeof(float));
    measure_pace(c, &round, &c->candidate_pace, error);
}

bool mppi_has_time(const hed_mppi *c, const mppi_sampling *round)
{
    return !round->deadline || (double)hed_now() + c->pace.tile_ns < (double)round->deadline;
}

hed_status mppi_timed_round(hed_mppi *c, mppi_pace *pace, mppi_sampling *round, hed_error *error)
{
    uint64_t begin = hed_now(), deadline = round->deadline;
    round->fraction = 1;
    for (uint32_t i = 0; i < round->systems; i++) round->counted[i] = round->samples;
    if (!deadline || pace->full_ns <= 0) return mppi_round(c, round, error);
    double left = deadline > begin ? MARGIN * (double)(deadline - begin) : 0;
    double fraction = (left - pace->tile_ns) / (pace->full_ns - pace->tile_ns);
    round->fraction = (float)(fraction < 0 ? 0 : fraction > 1 ? 1 : fraction);
    round->deadline = 0; /* results of a round that has begun count */
    hed_status status = mppi_round(c, round, error);
    round->deadline = deadline;
    double took = (double)(hed_now() - begin);
    fraction = (double)round->counted[0] / round->samples;
    double full = pace->tile_ns + (took - pace->tile_ns) / fraction;
    /* a slower device is believed at once, a faster one by and by */
    if (fraction < 0.02)
        pace->tile_ns += (took > pace->tile_ns ? 0.5 : 0.2) * (took - pace->tile_ns);
    else pace->full_ns += (full > pace->full_ns ? 1 : 0.1) * (full - pace->full_ns);
    if (pace->full_ns <= pace->tile_ns) pace->full_ns = pace->tile_ns + 1;
    return status;
}

/* ---- the reserve ---- */

/* Returns the mean plus a multiple of its deviation, as TCP's retransmission timer (Jacobson 1988). */
static double reserve(const hed_mppi *c) { return c->after_ns + 3 * c->deviation_ns; }

uint64_t mppi_last_samples(const hed_mppi *c, uint64_t begin)
{
    double limit = (double)c->def.deadline_ns;
    return limit > 0 ? begin + (uint64_t)(limit - fmin(reserve(c), 0.8 * limit)) : 0;
}

void mppi_learn_reserve(hed_mppi *c, uint64_t begin, uint64_t rounds, uint64_t end)
{
    uint64_t last = mppi_last_samples(c, begin);
    if (!last) return;
    /* the clock has stopped sampling on the processor at `last` */
    double after = (double)(end - rounds);
    if (is_host(c) && c->is_cut && end > last) after = (double)(end - last);
    if (is_host(c) && !c->is_cut) return;
    /* one solve that was interrupted says little of the next */
    double error = fmin(after, 2 * reserve(c)) - c->after_ns;
    c->after_ns += error / 8;
    c->deviation_ns += (fabs(error) - c->deviation_ns) / 4;
}
