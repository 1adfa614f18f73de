/* What the two rooms of the processor's solver share: cpu_roll.c makes the costs of a tile, cpu.c its
 * weights and sums, and hands tiles out to threads. */
#ifndef HED_MPPI_CPU_H
#define HED_MPPI_CPU_H

#include <stdatomic.h>

#include "kernels/words.h"
#include "kernels/order.h"
#include "models/native.h"
#include "model/controller.h"

enum { L = MPPI_LANES };

/* What one thread works in. */
typedef struct mppi_cpu_workspace {
    float *controls; /* (S / 32 x T nu x 32) sampled controls of a tile */
    float *real;     /* ROBUST: the same with feedback, for the real system */
    float *normals;  /* (columns nu x 32) before they are mixed */
    float *costs;    /* (2 x S); ROBUST: of the nominal, then of the real system */
    float *weights;  /* (S) */
    float *sums;     /* (T nu + 2) of a tile */
} mppi_cpu_workspace;

/* Sums of a chain, relative to its minimum. */
typedef struct mppi_cpu_chain {
    float minimum, crashed;
    float *sums; /* (T nu + 2): w v, w, w^2 */
} mppi_cpu_chain;

typedef struct mppi_cpu_solver {
    hed_team *team;
    uint32_t threads, tile, chains;
    uint32_t systems;               /* the most that a round has: candidates of ROBUST included */
    mppi_cpu_workspace *workspaces; /* (threads) */
    mppi_cpu_chain *chain;          /* (systems x chains) */
    float *costs;  /* (c->shares x block) of the last round; what ELITE and TSALLIS sort */
    float *bounds; /* (c->systems x 2) least cost, bound of the elite */
    float *sorted; /* (N) */
    const struct mppi_native_model *lanes;
    int32_t terms[HED_MPPI_MAX_TERMS]; /* index among Heddle's own terms; -1: a C function */
    const hed_mppi *controller;
    const mppi_sampling *round;
    atomic_uint next;                               /* chain to be taken, of all systems */
    enum { CPU_ALL, CPU_COSTS, CPU_WEIGHTS } phase; /* both at once, or costs before all weights */
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

/* Costs of a tile into workspace->costs, (sets x S), with its sampled controls. ROBUST has two sets:
 * nominal, real; `system` is its real one. What crashed is counted in the tile's chain. */
void mppi_cpu_roll_tile(const hed_mppi *c, mppi_cpu_solver *s, mppi_cpu_workspace *w,
    uint32_t system, uint32_t tile, bool robust);
/* Once more 32 samples from `sample` on, for display. states: (T + 1 x nx x 32), cost: (32). */
void mppi_cpu_roll_again(const hed_mppi *c, const mppi_cpu_solver *s, mppi_cpu_workspace *w,
    uint32_t system, uint32_t sample, float *states, float *cost);

#endif
