/* Functions of a model and its terms for one state, and for MPPI_LANES samples at a time, from the
 * texts that devices compile. The includer defines MODEL, MODEL_STATES, MODEL_CONTROLS and the
 * macros NAME3, OF_MODEL, LANES_CLONES, TERM_LINKAGE, LANES_BEGIN and LANE. The compiler makes SIMD
 * code of the loops over lanes (checked by its report), because no word branches; a text for one
 * state computes the same bits. Also embedded, for texts that are compiled at run time
 * (solver/mppi_code.c). */
#ifndef HED_MPPI_SAMPLE_LANES_H
#define HED_MPPI_SAMPLE_LANES_H

/* Arguments of lanes in addition to states and controls. */
typedef struct mppi_lanes_world {
    const float *p;             /* parameters of the text itself */
    const float *const *tables; /* tables of its description */
    const uint32_t *table_counts;
    float dt;
    uint32_t steps;
    const struct hed_mppi_model *model;
} mppi_lanes_world;

static inline mppi_world scalar_world(const hed_mppi_world *world)
{
    return (mppi_world){world->parameters, world->tables, world->table_counts, world->model,
        (int)world->steps, world->dt};
}

static inline mppi_world lanes_world(const mppi_lanes_world *world)
{
    return (mppi_world){
        world->p, world->tables, world->table_counts, world->model, (int)world->steps, world->dt};
}

/* state and control of one lane */
#define LANE_OF_MODEL \
    float state[MODEL_STATES], control[MODEL_CONTROLS]; \
    for (int i = 0; i < MODEL_STATES; i++) state[i] = x[i * MPPI_LANES + lane]; \
    for (int i = 0; i < MODEL_CONTROLS; i++) control[i] = u[i * MPPI_LANES + lane];

/* Defines the lanes of a term: `statements` compute term[]. */
#define LANES_OF_TERM(name, statements) \
    HED_NATIVE_BODY NAME3(MODEL, _lanes_body_, name)(const float *x, const float *u, int32_t t, \
        float weight, const mppi_lanes_world *world, float *cost) \
    { \
        mppi_world w = lanes_world(world); \
        float term[MPPI_LANES]; /* no aliasing */ \
        { \
            statements(name) \
        } \
        for (int lane = 0; lane < MPPI_LANES; lane++) \
            cost[lane] = hed_fma(weight, term[lane], cost[lane]); \
    } \
    LANES_CLONES(TERM_LINKAGE, NAME3(MODEL, _lanes_, name), NAME3(MODEL, _lanes_body_, name), \
        (const float *x, const float *u, int32_t t, float weight, const mppi_lanes_world *world, \
            float *cost), \
        (x, u, t, weight, world, cost))

#define TERM_LANES(name, ...) LANES_OF_TERM(name, EACH_LANE)
#define EACH_LANE(name) \
    LANES_BEGIN \
    for (int lane = 0; lane < MPPI_LANES; lane++) { \
        LANE term[lane] = NAME3(MODEL, _, name)(state, control, t, &w); \
    }

/* Lanes of a sum over states, at most 3e38, as that of barrier_of(). States for which barrier_has()
 * returns 0 take no time. */
#define SUM_LANES(name, ...) LANES_OF_TERM(name, EACH_STATE)
#define EACH_STATE(name) \
    for (int lane = 0; lane < MPPI_LANES; lane++) term[lane] = 0; \
    for (int i = 0; i < MODEL_STATES; i++) { \
        if (!name##_has(i, &w)) continue; \
        for (int lane = 0; lane < MPPI_LANES; lane++) \
            term[lane] += name##_of(x[i * MPPI_LANES + lane], i, &w); \
    } \
    for (int lane = 0; lane < MPPI_LANES; lane++) term[lane] = mppi_min(term[lane], 3e38f);

#endif
