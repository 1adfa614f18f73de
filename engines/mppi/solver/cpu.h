/* Declarations common to the two files of the processor's solver: cpu_roll.c computes the costs
 * of a tile, mppi_cpu.c its weights and sums, and distributes tiles among threads. */
#ifndef HED_MPPI_CPU_H
#define HED_MPPI_CPU_H

#include <stdatomic.h>

#include "heddle/code.h"
#include "kernels/words.h"
#include "kernels/order.h"
#include "catalogue/mppi_native.h"
#include "model/controller.h"

enum { L = MPPI_LANES };

/* Texts of the controller that were compiled for the processor when it was created. */
struct mppi_code {
    hed_code *code;
    struct mppi_native_model model;
    mppi_cost_lanes *terms[HED_MPPI_MAX_TERMS]; /* NULL: not compiled */
};

/* Working memory of a thread. */
typedef struct mppi_cpu_workspace {
    float *controls; /* (S / 32 x T nu x 32) sampled controls of a tile */
    /* ROBUST: controls of the real system, with feedback, in the shape of `controls` */
    float *real;
    float *normals; /* (columns nu x 32) before mixing */
    float *path;    /* SPLIT: (T + 1 x nx x 32) states of a rollout; else NULL */
    float *costs;   /* (2 x S); ROBUST: of the nominal system, then of the real one */
    float *weights; /* (S) */
    float *sums;    /* (T nu + 2) of a tile */
    /* memory of cpu_simulate.c; NULL without model.roll */
    float *arriving;             /* (T nu) controls of one sample at the actuators */
    float *states;               /* (T nx) of one sample */
    uint32_t *counted, *crashed; /* (systems) samples that this thread has simulated */
} mppi_cpu_workspace;

/* Sums of a chain, relative to the chain's minimum. */
typedef struct mppi_cpu_chain {
    float minimum, crashed;
    uint32_t counted; /* samples that were rolled out */
    float *sums;      /* (T nu + 2): w v, w, w^2 */
} mppi_cpu_chain;

typedef struct mppi_cpu_solver {
    hed_team *team;
    uint32_t threads, tile, chains;
    uint32_t systems;               /* maximum in a round, including the candidates of ROBUST */
    mppi_cpu_workspace *workspaces; /* (threads) */
    mppi_cpu_chain *chain;          /* (systems x chains) */
    float *costs;  /* (c->shares x block) of the last round; input of ELITE and TSALLIS */
    float *bounds; /* (c->systems x 2) least cost, cost bound of the elite */
    float *sorted; /* (N) */
    const struct mppi_native_model *lanes;
    mppi_cost_lanes *terms[HED_MPPI_MAX_TERMS]; /* NULL: the term's C function */
    const hed_mppi *controller;
    const mppi_sampling *round;
    atomic_uint next; /* next chain to take, over all systems */
    uint64_t until;   /* time of hed_now() after which no further samples begin; 0: unlimited */
    /* CPU_ALL: costs and weights together; else costs, then all weights */
    enum { CPU_ALL, CPU_COSTS, CPU_WEIGHTS } phase;
} mppi_cpu_solver;

static inline uint32_t mppi_cpu_tiles(const mppi_cpu_solver *s)
{
    const hed_mppi *c = s->controller;
    uint32_t samples = c->def.blocks > 1 ? c->block : s->round->samples;
    return (uint32_t)hed_ceil_divide(samples, s->tile);
}
static inline uint32_t mppi_cpu_chains(const mppi_cpu_solver *s)
{
    uint32_t tiles = mppi_cpu_tiles(s);
    return tiles < MPPI_MOST_CHAINS ? tiles : MPPI_MOST_CHAINS;
}

/* True if the time is over for samples other than the first ones, number 0. */
static inline bool mppi_cpu_is_late(const mppi_cpu_solver *s, uint32_t number)
{
    return s->until && number && s->phase != CPU_WEIGHTS && hed_now() >= s->until;
}

/* Computes costs of a tile into workspace->costs, (sets x S), and its sampled controls. ROBUST
 * has two sets: nominal, real; `system` is the real one. Crashed samples are counted in the
 * tile's chain. */
void mppi_cpu_roll_tile(const hed_mppi *c, mppi_cpu_solver *s, mppi_cpu_workspace *w,
    uint32_t system, uint32_t tile, bool robust);
/* Samples controls of 32 samples from `sample` on into w->controls (T nu x 32), and into w->costs (32)
 * the costs that depend on them alone: the importance term and the weight of changes. */
void mppi_cpu_sample(const hed_mppi *c, mppi_cpu_workspace *w, uint32_t system, uint32_t sample);

/* Finds the `count` samples with the lowest of `costs` (samples), in ascending order. */
void mppi_lowest(const float *costs, uint32_t samples, uint32_t count, uint32_t *best);

/* ---- cpu_simulate.c: models that are simulated as a whole ---- */

/* Allocates the memory of the threads. Errors: MEMORY. */
hed_status mppi_cpu_simulate_create(hed_mppi *c, mppi_cpu_solver *s, hed_error *error);
/* Computes s->costs of all samples of a round, and the counts of each system's first chain. */
void mppi_cpu_simulate(hed_mppi *c, mppi_cpu_solver *s);
/* Simulates 32 samples again, as mppi_cpu_roll_again() does. */
void mppi_cpu_simulate_again(const hed_mppi *c, const mppi_cpu_solver *s, mppi_cpu_workspace *w,
    uint32_t system, uint32_t sample, float *states, float *cost);

/* Rolls out 32 samples from `sample` on again, for display. states: (T + 1 x nx x 32), cost:
 * (32). */
void mppi_cpu_roll_again(const hed_mppi *c, const mppi_cpu_solver *s, mppi_cpu_workspace *w,
    uint32_t system, uint32_t sample, float *states, float *cost);

#endif
