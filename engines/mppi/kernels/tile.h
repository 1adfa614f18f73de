/* A tile: SAMPLES samples of one system, which a work-group draws, rolls out, weighs and sums
 * (sums.h). Part of packets.cl and launches.cl; words.h, order.h, fixed.h, the model and the
 * terms precede it. In strict mode sums have the order of controller.h; else an order that suits
 * the group.
 *
 * solver/mppi_text.c defines: the sizes STEPS, MODEL_STATES, MODEL_CONTROLS, SCALARS = STEPS
 * MODEL_CONTROLS, and ROWS to sum (the scalars, the weights, their squares); features of the
 * definition: IMPORTANCE, RATES, DELAY, SMOOTH, SIGMA_STEPS, NOISE_GIVEN; offsets of inputs,
 * IN_...; offsets of arrays in the group's local memory, AT_...; and mppi_running() and
 * mppi_terminal(), which add the terms to a cost. Tunable:
 *
 *   GROUP    work items of the group
 *   SAMPLES  of a tile, a power of two from 8 (strict: mppi_tile())
 *   NOISE    NOISE_PHASE: drawn by all items before the rollout; NOISE_FUSED: in the rollout, by
 *            the sample's own item; NOISE_AHEAD (packets): as PHASE, before the inputs arrive
 *   SPLIT    1: states are stored, and all items compute costs of (step, sample)
 *   STORE    storage of controls until they are weighted: STORE_LOCAL, STORE_GLOBAL;
 *            STORE_AGAIN: not stored, but sampled again
 *   UNROLL   steps of the rollout's loop
 *   TEAM     items that roll a sample out together, for a model's text that divides its work
 *
 * Controls are stored as [scalar][sample], scalar j = t MODEL_CONTROLS + i, so that neighbouring
 * items read neighbouring words. */

enum { NOISE_IS_PHASE, NOISE_IS_FUSED, NOISE_IS_AHEAD };
enum { STORE_IS_LOCAL, STORE_IS_AGAIN, STORE_IS_GLOBAL };
#define FUSED (NOISE == 1)
#define AGAIN (STORE == 1)
#define QUADS ((SCALARS + 3) / 4)
/* Noise becomes a control in the rollout, if a control depends on the previous one, or the cost
 * on the control before the limits. */
#define LATE (RATES || IMPORTANCE)
/* Passes of a kernel over its tiles: everything at once; costs alone, and later the weighted
 * sums, once the costs of all tiles are known (ELITE, TSALLIS); or a nominal and a real system
 * in each sample (ROBUST). */
#define PASS_WHOLE 0
#define PASS_COSTS 1
#define PASS_WEIGHTS 2
#define PASS_BOTH 3
#ifndef PASS
#define PASS PASS_WHOLE
#endif
/* All controls are sampled before the first rollout. */
#define CONTROLS_FIRST (ROLLOUTS > 1 || PASS == PASS_WEIGHTS || PASS == PASS_BOTH)
/* Stride of rows. An item sums a row if there are no lane shuffles: an odd stride then
 * distributes rows over the banks. */
#define STRIDE (SAMPLES + !HED_HAS_LANES)
#define WIDTH (SAMPLES < 32 ? SAMPLES : 32)
/* First sample of a system's block. BLOCK_SYSTEMS: systems of one block; 0: samples are not in
 * blocks. */
#if BLOCK_SYSTEMS
#define TILE_BEGIN(system) (f->begin + (system) / BLOCK_SYSTEMS * f->block)
#else
#define TILE_BEGIN(system) 0u
#endif
#if STORE == 2
#define KEPT __global
#else
#define KEPT __local
#endif
/* Fence between items that write controls and items that read them. */
#define KEPT_FENCE (CLK_LOCAL_MEM_FENCE | (STORE == 2 ? CLK_GLOBAL_MEM_FENCE : 0))
#if HED_HAS_LANES
#define TILE_PRAGMA(text) _Pragma(#text)
#define TILE_UNROLL_BY(n) TILE_PRAGMA(unroll n)
#else
#define TILE_UNROLL_BY(n)
#endif

/* State of an item in its tile. */
typedef struct mppi_tile {
    __local float *block;
    KEPT float *controls;
    __global const float *noise; /* NOISE_GIVEN: (scalars x row), units of the controls */
    __global const float *tables;
    uint id, first; /* work item; the tile's first sample */
    uint number, stream;
#if PASS == PASS_WEIGHTS
    /* minimum of all samples' costs; ELITE: cost of the last elite sample */
    float least, bound;
#endif
#if PASS == PASS_BOTH
    __local float *sums;         /* (ROWS + 1) of the nominal or the real system */
    __global const float *gains; /* (scalars x MODEL_STATES) */
#endif
#if TRACE
    __global float *trace; /* (STEPS + 1 x MODEL_STATES) of this item's sample; 0: costs alone */
#endif
} mppi_tile;

#define TILE const mppi_fixed *f, const mppi_tile *tile
#define INPUT(at) (tile->block[AT_INPUTS + (at)])
#if PASS == PASS_BOTH
#define SUMS (tile->sums)
#else
#define SUMS (tile->block + AT_SUMS)
#endif

/* ---- sampled controls ---- */

/* Indices are signed: an index that may wrap is no constant distance from a pointer. j is a
 * scalar, i its control. */

/* Returns the mean of scalar j plus its noise; `noise` is a normal number, or in units of the
 * control with NOISE_GIVEN. */
MPPI_FUNCTION float tile_disturb(TILE, uint sample, int j, int i, float noise)
{
    float plan = INPUT(IN_PLAN + j); /* loaded unconditionally: a branch would cost more */
    float mean = sample < f->pure ? plan : 0.0f;
    int calm = (uint)j < f->still || (f->keep && sample == 0);
#if NOISE_GIVEN
    return mean + (calm ? 0.0f : noise);
#else
    float sigma = f->sigma[i];
#if SIGMA_STEPS
    sigma *= tile->tables[SIGMA_AT + j];
#endif
    return hed_fma(sigma, calm ? 0.0f : noise, mean);
#endif
}

MPPI_FUNCTION float tile_bound(TILE, int i, float raw)
{
#if HED_STRICT
    return mppi_clamp(raw, f->low[i], f->high[i]);
#else
    return fmin(fmax(raw, f->low[i]), f->high[i]);
#endif
}

/* Draws the noise of scalars 4 q to 4 q + 3. */
MPPI_FUNCTION void tile_draw(TILE, uint sample, uint q, float *noise)
{
#if NOISE_GIVEN
    for (uint c = 0; c < 4; c++) {
        uint j = 4 * q + c;
        noise[c] = 0.0f;
        if (sample < f->samples && j < SCALARS)
            noise[c] = tile->noise[(size_t)j * f->row + (sample - f->begin)];
    }
#else
    mppi_normals(sample, q, tile->number, tile->stream, f->seed_low, f->seed_high, noise);
#endif
}

/* Draws the tile's noise, with `draw`, and converts it to raw or final controls, with `make`.
 * All items. */
MPPI_FUNCTION void tile_prepare(TILE, int draw, int make)
{
    TILE_UNROLL_BY(2)
    for (int n = 0; n < (SAMPLES * QUADS + GROUP - 1) / GROUP; n++) {
        uint at = tile->id + (uint)n * GROUP;
        int k = (int)(at % SAMPLES), q = (int)(at / SAMPLES);
        uint sample = tile->first + (uint)k;
        int inside = SAMPLES * QUADS % GROUP == 0 || at < SAMPLES * QUADS;
        float noise[4];
        KEPT float *v = tile->controls + 4 * q * STRIDE + k;
        if (draw) tile_draw(f, tile, sample, (uint)q, noise);
        if (!inside) continue;
        for (int c = 0; c < 4; c++) {
            int j = 4 * q + c,
                i = 4 % MODEL_CONTROLS == 0 ? c % MODEL_CONTROLS : j % MODEL_CONTROLS;
            if (SCALARS % 4 != 0 && j >= SCALARS) continue;
            float u = draw ? noise[c] : v[c * STRIDE];
            if (make) u = tile_disturb(f, tile, sample, j, i, u);
#if !LATE
            if (make) u = tile_bound(f, tile, i, u);
#endif
            v[c * STRIDE] = u;
        }
    }
}

/* ---- rollout ---- */

/* State of a control in the rollout: importance term, limits and rates, if they are LATE. */
typedef struct tile_path {
    float importance;
    float before[MODEL_CONTROLS]; /* RATES: the control of the previous step */
} tile_path;

MPPI_FUNCTION float tile_finish(TILE, tile_path *path, uint sample, int j, int i, float raw)
{
#if IMPORTANCE
    float ratio = INPUT(IN_RATIO + j);
    path->importance =
        hed_fma(sample < f->pure ? ratio : 0.0f, raw - 0.5f * INPUT(IN_PLAN + j), path->importance);
#endif
    float u = tile_bound(f, tile, i, raw);
#if RATES
    u = mppi_rate(u, path->before[i], f->reach[i], f->brake[i]);
    path->before[i] = u;
#endif
    return u;
}

#if DISTURBED
/* Adds a normal disturbance to the states, independent for each rollout. */
MPPI_FUNCTION void tile_shake(TILE, uint sample, uint rollout, uint t, float *x)
{
    uint stream = tile->stream | (rollout + 1) << 24;
    float four[4];
    MPPI_UNROLL
    for (uint i = 0; i < MODEL_STATES; i++) {
        if (i % 4 == 0)
            mppi_normals(sample, t * ((MODEL_STATES + 3) / 4) + i / 4, tile->number, stream,
                f->seed_low, f->seed_high, four);
        x[i] = hed_fma(f->shake[i], four[i % 4], x[i]);
    }
}
#endif

/* Moves x by step t, and adds the cost of the step. */
MPPI_FUNCTION void tile_step(
    TILE, MPPI_WORLD world, int k, uint rollout, int t, float *x, const float *u, float *cost)
{
#if DELAY
    float arrives[MODEL_CONTROLS];
    for (int i = 0; i < MODEL_CONTROLS; i++)
        arrives[i] = t < DELAY ? INPUT(IN_PAST + (PASTS - DELAY + t) * MODEL_CONTROLS + i)
                               : tile->controls[((t - DELAY) * MODEL_CONTROLS + i) * STRIDE + k];
    model_step(x, arrives, world->dt, world);
#else
    model_step(x, u, world->dt, world);
#endif
#if DISTURBED
    tile_shake(f, tile, tile->first + (uint)k, rollout, (uint)t, x);
#endif
#if TRACE
    if (tile->trace)
        for (int i = 0; i < MODEL_STATES; i++) tile->trace[(t + 1) * MODEL_STATES + i] = x[i];
#endif
#if SPLIT
    for (int i = 0; i < MODEL_STATES; i++)
        tile->block[AT_STATES + (t * MODEL_STATES + i) * STRIDE + k] = x[i];
#else
    *cost = mppi_running(*cost, x, u, t, world);
#endif
}

/* Noise of the next steps is drawn during the rollout of the current ones: as many quads as end
 * with a step. */
#define STEPS_AT_ONCE (MODEL_CONTROLS % 4 == 0 ? 1 : MODEL_CONTROLS % 2 == 0 ? 2 : 4)
#define QUADS_AT_ONCE (STEPS_AT_ONCE * MODEL_CONTROLS / 4)

MPPI_FUNCTION void tile_roll(
    TILE, MPPI_WORLD world, int k, tile_path *path, float *x, float *last, float *cost)
{
    uint sample = tile->first + (uint)k;
#if FUSED
    float next[4 * QUADS_AT_ONCE], noise[4 * QUADS_AT_ONCE];
    for (uint q = 0; q < QUADS_AT_ONCE; q++) tile_draw(f, tile, sample, q, next + 4 * q);
    TILE_UNROLL_BY(1)
    for (int begin = 0; begin < STEPS; begin += STEPS_AT_ONCE) {
        uint quad = (uint)(begin * MODEL_CONTROLS / 4 + QUADS_AT_ONCE);
        for (int c = 0; c < 4 * QUADS_AT_ONCE; c++) noise[c] = next[c];
        for (int q = 0; q < QUADS_AT_ONCE; q++)
            tile_draw(f, tile, sample, quad + (uint)q, next + 4 * q);
        TILE_UNROLL_BY(4)
        for (int s = 0; s < STEPS_AT_ONCE; s++) {
            int t = begin + s;
            if (STEPS % STEPS_AT_ONCE != 0 && t >= STEPS) continue;
            for (int i = 0; i < MODEL_CONTROLS; i++) {
                int j = t * MODEL_CONTROLS + i;
                float raw = tile_disturb(f, tile, sample, j, i, noise[s * MODEL_CONTROLS + i]);
                last[i] = tile_finish(f, tile, path, sample, j, i, raw);
                if (!AGAIN) tile->controls[j * STRIDE + k] = last[i];
            }
            if (!CONTROLS_FIRST) tile_step(f, tile, world, k, 0, t, x, last, cost);
        }
    }
#else
    TILE_UNROLL_BY(UNROLL)
    for (int t = 0; t < STEPS; t++) {
        for (int i = 0; i < MODEL_CONTROLS; i++) {
            int j = t * MODEL_CONTROLS + i;
            last[i] = tile->controls[j * STRIDE + k];
            if (!LATE) continue;
            last[i] = tile_finish(f, tile, path, sample, j, i, last[i]);
            tile->controls[j * STRIDE + k] = last[i];
        }
        if (!CONTROLS_FIRST) tile_step(f, tile, world, k, 0, t, x, last, cost);
    }
#endif
}

#if ROLLOUTS > 1
/* Returns the risk of this item's sample: the costs of its rollouts, sorted on the fly by
 * compare and exchange in registers. */
MPPI_FUNCTION float tile_risk(TILE, MPPI_WORLD world, int k)
{
    float sorted[ROLLOUTS], risk = 0.0f;
    uint rollouts = ROLLOUTS;
#if TRACE
    if (tile->trace) rollouts = 1;
#endif
    MPPI_UNROLL
    for (uint i = 0; i < ROLLOUTS; i++) sorted[i] = 3.4e38f;
    TILE_UNROLL_BY(1)
    for (uint r = 0; r < rollouts; r++) {
        float x[MODEL_STATES], u[MODEL_CONTROLS], cost = 0.0f;
        for (uint i = 0; i < MODEL_STATES; i++) x[i] = INPUT(IN_STATE + i);
        TILE_UNROLL_BY(UNROLL)
        for (int t = 0; t < STEPS; t++) {
            for (int i = 0; i < MODEL_CONTROLS; i++)
                u[i] = tile->controls[(t * MODEL_CONTROLS + i) * STRIDE + k];
            tile_step(f, tile, world, k, r, t, x, u, &cost);
        }
        cost = mppi_terminal(cost, x, u, STEPS - 1, world) * f->scale;
#if TRACE
        if (tile->trace) return cost;
#endif
        cost = MPPI_IS_OUT(cost) ? MPPI_OUT : cost;
        MPPI_UNROLL
        for (uint i = 0; i < ROLLOUTS; i++) {
            float low = mppi_min(sorted[i], cost);
            cost = mppi_max(sorted[i], cost);
            sorted[i] = low;
        }
    }
    MPPI_UNROLL
    for (uint i = RISK_FROM; i < RISK_END; i++) risk += sorted[i];
    return RISK_END - RISK_FROM == 1 ? sorted[RISK_FROM] : risk * f->risk_share;
}
#endif

#if SPLIT
/* Computes the costs of (step, sample), the steps of a sample divided among GROUP / SAMPLES
 * items. All items. */
MPPI_FUNCTION float tile_costs(TILE, MPPI_WORLD world)
{
    uint k = tile->id % SAMPLES, share = tile->id / SAMPLES, shares = GROUP / SAMPLES;
    float cost = 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    TILE_UNROLL_BY(2)
    for (uint t = share < shares ? share : STEPS; t < STEPS; t += shares) {
        float x[MODEL_STATES], u[MODEL_CONTROLS];
        for (uint i = 0; i < MODEL_STATES; i++)
            x[i] = tile->block[AT_STATES + (t * MODEL_STATES + i) * STRIDE + k];
        for (uint i = 0; i < MODEL_CONTROLS; i++)
            u[i] = tile->controls[(t * MODEL_CONTROLS + i) * STRIDE + k];
        cost = mppi_running(cost, x, u, (int)t, world);
    }
    tile->block[AT_SHARES + tile->id] = cost;
    barrier(CLK_LOCAL_MEM_FENCE);
    cost = 0.0f;
    for (uint s = 0; s < shares && tile->id < SAMPLES; s++)
        cost += tile->block[AT_SHARES + s * SAMPLES + k];
    return cost;
}
#endif

/* Sets the arguments of texts. `own` (PARAMETERS): copies in registers, because a store to local
 * memory might change the originals. */
MPPI_FUNCTION void tile_world(TILE, float *registers, mppi_world *world)
{
#if MPPI_OWN_PARAMETERS
    for (uint i = 0; i < PARAMETERS; i++) registers[i] = INPUT(IN_PARAMETERS + i);
    world->p = registers;
#else
    world->p = tile->block + AT_INPUTS + IN_PARAMETERS;
#endif
    world->tables = tile->tables;
    world->moving = tile->block + AT_INPUTS + IN_TIMED;
    world->controller = OWN_TABLES ? (int)hed_as_uint(INPUT(IN_CONTROLLER)) : 0;
    world->dt = f->dt;
}

#if PASS == PASS_BOTH
/* Rolls out for ROBUST (Gandhi et al. 2021): nominal and real system under the same noise, the
 * real one with feedback; its controls are stored after the nominal ones. Returns the nominal
 * cost, as its weights need it. */
MPPI_FUNCTION float tile_roll_both(TILE, MPPI_WORLD world, int k, float *real_cost)
{
    float x[MODEL_STATES], y[MODEL_STATES]; /* real, nominal */
#if RATES
    float before[MODEL_CONTROLS]; /* controls of the real system */
    for (uint i = 0; i < MODEL_CONTROLS; i++)
        before[i] = INPUT(IN_REAL_PAST + (PASTS - 1) * MODEL_CONTROLS + i);
#endif
    float u[MODEL_CONTROLS], v[MODEL_CONTROLS], back[MODEL_CONTROLS];
    float real = 0.0f, nominal = 0.0f, feedback = 0.0f, weight = INPUT(IN_HALF);
    for (uint i = 0; i < MODEL_STATES; i++) {
        x[i] = INPUT(IN_REAL_STATE + i);
        y[i] = INPUT(IN_STATE + i);
    }
    TILE_UNROLL_BY(1)
    for (uint t = 0; t < STEPS; t++) {
        KEPT float *sampled = tile->controls + t * MODEL_CONTROLS * STRIDE + k;
        for (uint i = 0; i < MODEL_CONTROLS; i++) {
            __global const float *gains = tile->gains + (t * MODEL_CONTROLS + i) * MODEL_STATES;
            v[i] = sampled[i * STRIDE];
            back[i] = 0.0f;
            for (uint n = 0; n < MODEL_STATES; n++)
                back[i] = hed_fma(gains[n], mppi_difference(x[n], y[n], (int)n), back[i]);
            u[i] = mppi_clamp(v[i] + back[i], f->low[i], f->high[i]);
#if RATES
            u[i] = mppi_rate(u[i], before[i], f->reach[i], f->brake[i]);
            before[i] = u[i];
#endif
            sampled[(SCALARS + i) * STRIDE] = u[i];
        }
        if (weight > 0.0f)
            for (uint i = 0; i < MODEL_CONTROLS; i++)
                for (uint n = 0; n < MODEL_CONTROLS; n++)
                    feedback +=
                        weight * back[i] * INPUT(IN_PRECISION + i * MODEL_CONTROLS + n) * back[n];
#if DELAY
        float early[MODEL_CONTROLS], late[MODEL_CONTROLS];
        for (uint i = 0; i < MODEL_CONTROLS; i++) {
            uint past = (PASTS - DELAY + t) * MODEL_CONTROLS + i;
            KEPT float *at = tile->controls + ((t - DELAY) * MODEL_CONTROLS + i) * STRIDE + k;
            early[i] = t < DELAY ? INPUT(IN_PAST + past) : at[0];
            late[i] = t < DELAY ? INPUT(IN_REAL_PAST + past) : at[SCALARS * STRIDE];
        }
        model_step(x, late, world->dt, world);
        model_step(y, early, world->dt, world);
#else
        model_step(x, u, world->dt, world);
        model_step(y, v, world->dt, world);
#endif
        real = mppi_running(real, x, u, (int)t, world);
        nominal = mppi_running(nominal, y, v, (int)t, world);
    }
    real = mppi_terminal(real, x, u, STEPS - 1, world) * f->scale;
    nominal = mppi_terminal(nominal, y, v, STEPS - 1, world) * f->scale;
    float fed = real + feedback, bounded = fed < f->value_threshold ? fed : f->value_threshold;
    *real_cost = real;
    return 0.5f * nominal + 0.5f * (bounded > nominal ? bounded : nominal);
}
#endif

/* Returns the cost of this item's sample; items from SAMPLES on have none. PASS_BOTH: the
 * nominal system's, and `*real` the real one's; PASS_WEIGHTS: computes controls alone. */
MPPI_FUNCTION float tile_rollout_both(TILE, float *real)
{
    float x[MODEL_STATES], last[MODEL_CONTROLS], cost = 0.0f;
    float registers[MPPI_OWN_PARAMETERS ? PARAMETERS : 1];
    int k = (int)(tile->id / TEAM);
    tile_path path;
    mppi_world world;
    tile_world(f, tile, registers, &world);
    path.importance = 0.0f;
    for (uint i = 0; i < MODEL_STATES; i++) x[i] = INPUT(IN_STATE + i);
    for (uint i = 0; i < MODEL_CONTROLS; i++) {
        last[i] = 0.0f;
        path.before[i] = RATES ? INPUT(IN_PAST + (PASTS - 1) * MODEL_CONTROLS + i) : 0.0f;
    }
    barrier(KEPT_FENCE);
    if (k < SAMPLES) tile_roll(f, tile, &world, k, &path, x, last, &cost);
#if PASS == PASS_WEIGHTS
    return 0.0f;
#elif PASS == PASS_BOTH
    *real = 0.0f;
    if (k < SAMPLES) cost = tile_roll_both(f, tile, &world, k, real);
#elif ROLLOUTS > 1
    if (k < SAMPLES) cost = tile_risk(f, tile, &world, k);
#else
#if SPLIT
    cost = tile_costs(f, tile, &world);
#endif
    cost = mppi_terminal(cost, x, last, STEPS - 1, &world) * f->scale;
#endif
#if TEAM > 1
    /* every member has the cost; from here on item k has sample k */
    if (k < SAMPLES) tile->block[AT_WEIGHTS + k] = cost;
    barrier(KEPT_FENCE);
    k = (int)tile->id;
    if (k < SAMPLES) cost = tile->block[AT_WEIGHTS + k];
#endif
#if TRACE
    if (tile->trace) return cost;
#endif
#if SMOOTH
    for (int j = 0; j < SCALARS && k < SAMPLES; j++) {
        float before = j < MODEL_CONTROLS ? INPUT(IN_PAST + (PASTS - 1) * MODEL_CONTROLS + j)
                                          : tile->controls[(j - MODEL_CONTROLS) * STRIDE + k];
        cost = hed_fma(f->smooth, mppi_square(tile->controls[j * STRIDE + k] - before), cost);
    }
#endif
#if IMPORTANCE
    cost += path.importance;
#if PASS == PASS_BOTH
    *real += path.importance;
#endif
#endif
    return cost;
}

MPPI_FUNCTION float tile_rollout(TILE)
{
    float real;
    return tile_rollout_both(f, tile, &real);
}
