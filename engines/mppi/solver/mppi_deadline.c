/* Deadlines on devices. A round cannot be stopped there, so it gets as many tiles as the time that is
 * left allows: a round takes tile_ns for one tile, and full_ns for all samples, and between them in
 * proportion. ELITE and TSALLIS rank all samples: their rounds are whole. Both times are measured when the controller is created, and again in every round. On the
 * processor threads look at the clock (cpu_roll.c). */
#include "model/controller.h"

static const double MARGIN = 0.9; /* fraction of the time left */

/* Runs a round of a fraction of the tiles; returns its time, ns. */
static double measure_round(hed_mppi *c, mppi_sampling *round, float fraction, hed_error *error)
{
    uint64_t begin = hed_now();
    round->fraction = fraction;
    mppi_round(c, round, error);
    return (double)(hed_now() - begin);
}

hed_status mppi_measure_rounds(hed_mppi *c, hed_error *error)
{
    if (!c->def.deadline_ns || c->solver != &mppi_solver_launches || c->blocks > 1 ||
        c->def.update != HED_MPPI_EXPONENTIAL)
        return hed_failed(error) ? error->status : HED_OK;
    const float part = 1.0f / 16;
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
        memcpy(c->state + (uint64_t)i * c->model.states, c->model.start,
            c->model.states * sizeof(float));
    measure_round(c, &round, 0, error); /* builds and allocates */
    c->tile_ns = measure_round(c, &round, 0, error);
    c->full_ns = c->tile_ns + (measure_round(c, &round, part, error) - c->tile_ns) / (double)part;
    if (!(c->full_ns > c->tile_ns)) c->full_ns = c->tile_ns + 1;
    memset(c->sums, 0, 4ull * c->systems * sizeof(float));
    memset(c->mean, 0, (uint64_t)c->systems * c->def.steps * c->model.controls * sizeof(float));
    return hed_failed(error) ? error->status : HED_OK;
}

hed_status mppi_timed_round(hed_mppi *c, mppi_sampling *round, hed_error *error)
{
    uint64_t begin = hed_now(), deadline = round->deadline;
    round->fraction = 1;
    for (uint32_t i = 0; i < c->systems; i++) c->counted[i] = c->def.samples;
    round->counted = c->counted;
    if (!deadline || c->full_ns <= 0) return mppi_round(c, round, error);
    double left = deadline > begin ? MARGIN * (double)(deadline - begin) : 0;
    double fraction = (left - c->tile_ns) / (c->full_ns - c->tile_ns);
    round->fraction = (float)(fraction < 0 ? 0 : fraction > 1 ? 1 : fraction);
    round->deadline = 0; /* results of a round that has begun count */
    hed_status status = mppi_round(c, round, error);
    round->deadline = deadline;
    double took = (double)(hed_now() - begin), share = (double)c->counted[0] / c->def.samples;
    if (share < 0.02) {
        c->tile_ns += 0.2 * (took - c->tile_ns);
        if (c->full_ns <= c->tile_ns) c->full_ns = c->tile_ns + 1;
        return status;
    }
    /* a slower device is believed at once, a faster one by and by */
    double full = c->tile_ns + (took - c->tile_ns) / share;
    c->full_ns += (full > c->full_ns ? 1 : 0.1) * (full - c->full_ns);
    if (c->full_ns <= c->tile_ns) c->full_ns = c->tile_ns + 1;
    return status;
}
