/* Results of a solve for threads that read them while the next solve runs. */
#include <math.h>

#include "kernels/words.h"
#include "model/controller.h"

hed_status mppi_make_published(hed_mppi *c, hed_error *error)
{
    uint64_t nx = c->model.states, nu = c->model.controls, steps = c->def.steps, n = c->def.count;
    mppi_published *p = c->published = hed_arena_new(&c->arena, 1, sizeof *p, error);
    for (uint32_t i = 0; i < MPPI_PUBLISHED && !hed_failed(error); i++) {
        p->plan[i] = hed_arena_new(&c->arena, n * steps * nu, sizeof(float), error);
        p->states[i] = hed_arena_new(&c->arena, n * (steps + 1) * nx, sizeof(float), error);
        p->applied[i] = hed_arena_new(&c->arena, n * nu, sizeof(float), error);
        if (c->gains)
            p->gains[i] = hed_arena_new(&c->arena, n * steps * nu * nx, sizeof(float), error);
    }
    return hed_failed(error) ? error->status : HED_OK;
}

void mppi_publish(hed_mppi *c)
{
    uint64_t nx = c->model.states, nu = c->model.controls, steps = c->def.steps, n = c->def.count;
    mppi_published *p = c->published;
    uint32_t latest = atomic_load(&p->latest), slot = latest, first = mppi_shown(c, 0);
    /* a reader that has chosen a slot before it is filled looks again, and leaves it */
    do slot = (slot + 1) % MPPI_PUBLISHED;
    while (slot == latest || atomic_load(&p->readers[slot]));
    memcpy(p->plan[slot], c->plan + first * steps * nu, n * steps * nu * sizeof(float));
    memcpy(p->states[slot], c->states + first * (steps + 1) * nx,
        n * (steps + 1) * nx * sizeof(float));
    memcpy(p->applied[slot], c->applied, n * nu * sizeof(float));
    if (c->gains) memcpy(p->gains[slot], c->gains, n * steps * nu * nx * sizeof(float));
    atomic_store(&p->latest, slot);
}

static uint32_t published_open(mppi_published *p)
{
    for (;;) {
        uint32_t slot = atomic_load(&p->latest);
        atomic_fetch_add(&p->readers[slot], 1);
        if (atomic_load(&p->latest) == slot) return slot;
        atomic_fetch_sub(&p->readers[slot], 1);
    }
}

void hed_mppi_control_at(const hed_mppi *c, uint32_t index, float seconds, const float *x, float *u)
{
    if (!c || !u) return;
    uint64_t nx = c->model.states, nu = c->model.controls, last = c->def.steps - 1;
    float at = seconds / c->def.dt;
    at = at > 0 ? (at < (float)last ? at : (float)last) : 0;
    float elapsed = seconds > 0 ? seconds / c->def.dt : 0;
    uint64_t t = (uint64_t)at, next = t < last ? t + 1 : last;
    float part = at - (float)t;
    mppi_published *p = c->published;
    uint32_t slot = published_open(p);
    const float *plan = p->plan[slot] + index * (last + 1) * nu;
    const float *states = p->states[slot] + index * (last + 2) * nx;
    const float *gains = p->gains[slot] ? p->gains[slot] + index * (last + 1) * nu * nx : NULL;
    for (uint32_t i = 0; i < nu; i++) {
        u[i] = plan[t * nu + i] + part * (plan[next * nu + i] - plan[t * nu + i]);
        for (uint32_t j = 0; gains && x && j < nx; j++) {
            float nominal = states[t * nx + j];
            nominal += part * mppi_state_difference(
                                  c->model.angles, (int)j, states[(t + 1) * nx + j], nominal);
            u[i] += gains[(t * nu + i) * nx + j] *
                    mppi_state_difference(c->model.angles, (int)j, x[j], nominal);
        }
        /* the step or the feedback overflowed */
        if (!(fabsf(u[i]) < 1e30f)) u[i] = plan[t * nu + i];
        u[i] = mppi_clamp(u[i], c->def.minimum[i], c->def.maximum[i]);
        float reach = mppi_reach(c, i), applied = p->applied[slot][index * nu + i];
        if (reach > 0) u[i] = mppi_rate(u[i], applied, elapsed * reach, elapsed * mppi_brake(c, i));
    }
    atomic_fetch_sub(&p->readers[slot], 1);
}
