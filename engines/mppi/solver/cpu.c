/* The processor's solver. Tiles of samples are shared out among threads by chains; 32 samples go
 * through the model side by side (models/native.h). The order of all sums is that of controller.h, so
 * the number of threads changes no bit, and devices in strict mode give the same. */
#include <math.h>

#include "kernels/words.h"
#include "kernels/order.h"
#include "models/native.h"
#include "model/controller.h"

enum { L = MPPI_LANES };

/* What one thread works in. */
typedef struct cpu_workspace {
    float *controls; /* (S / 32 x T nu x 32) sampled controls of a tile */
    float *normals;  /* (columns nu x 32) before they are mixed */
    float *costs;    /* (S) */
    float *weights;  /* (S) */
    float *sums;     /* (T nu + 2) of a tile */
} cpu_workspace;

/* Sums of a chain, relative to its minimum. */
typedef struct cpu_chain {
    float minimum, crashed;
    float *sums; /* (T nu + 2): w v, w, w^2 */
} cpu_chain;

typedef struct cpu_solver {
    hed_arena arena;
    hed_team *team;
    uint32_t threads, tile, tiles, chains;
    cpu_workspace *workspaces; /* (threads) */
    cpu_chain *chain;          /* (systems x chains) */
    const struct mppi_native_model *lanes;
    int32_t terms[HED_MPPI_MAX_TERMS]; /* index among Heddle's own terms; -1: a C function */
    const hed_mppi *controller;
    const mppi_sampling *round;
} cpu_solver;

/* ---- sampling: controls of 32 samples ---- */

/* Normal numbers of 32 samples, from the first sample on: (4 x 32). */
static void draw_normals(
    const hed_mppi *c, uint32_t sample, uint32_t quad, uint32_t stream, float *normals)
{
    uint32_t low = (uint32_t)c->def.seed, high = (uint32_t)(c->def.seed >> 32);
    uint32_t number = ((const cpu_solver *)c->solver_data)->round->number;
    for (uint32_t l = 0; l < L; l++) {
        float n[4];
        mppi_normals(sample + l, quad, number, stream, low, high, n);
        for (uint32_t i = 0; i < 4; i++) normals[i * L + l] = n[i];
    }
}

/* Noise of 32 samples, (T nu x 32), in units of the control; `normals`: (columns nu x 32) */
static void draw_noise(
    const hed_mppi *c, uint32_t system, uint32_t sample, float *noise, float *normals)
{
    uint32_t nu = c->model.controls, steps = c->def.steps, stream = system % c->def.count;
    uint32_t columns = c->mix ? c->mix_columns : steps, size = columns * nu;
    float *drawn = c->mix ? normals : noise;
    if (c->noise) {
        for (uint32_t j = 0; j < size; j++)
            for (uint32_t l = 0; l < L; l++)
                noise[j * L + l] =
                    sample + l < c->def.samples ? c->noise[(uint64_t)j * c->def.samples + sample + l] : 0;
        return;
    }
    for (uint32_t q = 0; 4 * q < size; q++) {
        float four[4 * L];
        draw_normals(c, sample, q, stream, four);
        memcpy(drawn + 4 * q * L, four, (size - 4 * q < 4 ? size - 4 * q : 4) * L * sizeof *four);
    }
    for (uint32_t t = 0; c->mix && t < steps; t++)
        for (uint32_t i = 0; i < nu; i++) {
            const float *row = c->mix + ((uint64_t)i * steps + t) * columns;
            float *e = noise + (t * nu + i) * L;
            for (uint32_t l = 0; l < L; l++) e[l] = 0;
            for (uint32_t m = 0; m < columns; m++)
                for (uint32_t l = 0; l < L; l++)
                    e[l] = hed_fma(row[m], normals[(m * nu + i) * L + l], e[l]);
        }
    if (c->def.sampler == HED_MPPI_LOG_NORMAL) { /* of mean square 1, as the others */
        float s = c->def.log_sigma;
        for (uint32_t q = 0; 4 * q < size; q++) {
            float four[4 * L];
            draw_normals(c, sample, q, stream | MPPI_SECOND_STREAM, four);
            for (uint32_t n = 0; n < 4 * L && 4 * q * L + n < size * L; n++)
                noise[4 * q * L + n] *= mppi_exp(hed_fma(s, four[n], -(s * s)));
        }
    }
    for (uint32_t t = 0; c->factor && t < steps; t++)
        for (uint32_t i = nu; i-- > 0;) /* from the last on, in place: the factor is lower */
            for (uint32_t l = 0; l < L; l++) {
                float e = 0;
                for (uint32_t k = 0; k <= i; k++)
                    e = hed_fma(c->factor[i * nu + k], noise[(t * nu + k) * L + l], e);
                noise[(t * nu + i) * L + l] = e;
            }
    for (uint32_t j = 0; j < size && !c->mix; j++) {
        float sigma = c->factor ? 1 : c->def.sigma[j % nu];
        if (c->def.sigma_steps) sigma *= c->def.sigma_steps[j];
        for (uint32_t l = 0; l < L; l++) noise[j * L + l] *= sigma;
    }
    for (uint32_t j = 0; c->mix && j < steps * nu; j++) {
        float sigma = c->def.sigma[j % nu] * (c->def.sigma_steps ? c->def.sigma_steps[j] : 1);
        for (uint32_t l = 0; l < L; l++) noise[j * L + l] *= sigma;
    }
}

/* Sampled controls, (T nu x 32). `ratio` (32): the importance term, where it is used. */
static void sample_controls(const hed_mppi *c, uint32_t system, uint32_t sample, float *controls,
    float *normals, float *ratio)
{
    const mppi_sampling *round = ((const cpu_solver *)c->solver_data)->round;
    uint32_t nu = c->model.controls, size = c->def.steps * nu;
    uint32_t pure = c->def.samples - (uint32_t)(c->def.pure_noise * (float)c->def.samples);
    const float *plan = round->plan + (uint64_t)system * size;
    const float *g = round->ratio ? round->ratio + (uint64_t)system * size : NULL;
    const float *past = round->past + ((uint64_t)system * c->past + c->past - 1) * nu;
    draw_noise(c, system, sample, controls, normals);
    for (uint32_t j = 0; j < size; j++) {
        uint32_t t = j / nu, i = j % nu;
        float low = c->def.minimum[i], high = c->def.maximum[i];
        float reach = c->def.rate[i] * c->def.dt;
        float *v = controls + j * L;
        bool free = t >= c->def.committed;
        for (uint32_t l = 0; l < L; l++) {
            float mean = sample + l < pure ? plan[j] : 0;
            float noise = !free || (c->def.keep_plan && sample + l == 0) ? 0 : v[l];
            float raw = mean + noise;
            if (g) ratio[l] = hed_fma(sample + l < pure ? g[j] : 0, raw - 0.5f * plan[j], ratio[l]);
            v[l] = mppi_clamp(raw, low, high);
            if (reach > 0) {
                float before = t ? controls[(j - nu) * L + l] : past[i];
                v[l] = mppi_clamp(v[l], before - reach, before + reach);
            }
        }
    }
}

/* ---- rolling out ---- */

static void step_lanes(const hed_mppi *c, const cpu_solver *s, float *x, const float *u)
{
    uint32_t nx = c->model.states, nu = c->model.controls;
    if (s->lanes) {
        const mppi_part *part = &c->model_part;
        const mppi_lanes_world world = {
            c->parameters + part->first, part->tables, part->table_counts, c->def.dt, c->def.steps};
        s->lanes->step(x, u, &world);
        return;
    }
    for (uint32_t l = 0; l < L; l++) {
        float xl[HED_MPPI_MAX_STATES], ul[HED_MPPI_MAX_CONTROLS];
        for (uint32_t i = 0; i < nx; i++) xl[i] = x[i * L + l];
        for (uint32_t i = 0; i < nu; i++) ul[i] = u[i * L + l];
        mppi_step(c, xl, ul);
        for (uint32_t i = 0; i < nx; i++) x[i * L + l] = xl[i];
    }
}

static void add_term(const hed_mppi *c, const cpu_solver *s, uint32_t term, const float *x,
    const float *u, uint32_t t, float *costs)
{
    uint32_t nx = c->model.states, nu = c->model.controls;
    const hed_mppi_term *def = &c->def.terms[term];
    float weight = c->parameters[c->term_parts[term].weight];
    const mppi_part *part = &c->term_parts[term];
    if (s->lanes && s->terms[term] >= 0) {
        const mppi_lanes_world world = {
            c->parameters + part->first, part->tables, part->table_counts, c->def.dt, c->def.steps};
        s->lanes->terms[s->terms[term]](x, u, (int32_t)t, weight, &world, costs);
        return;
    }
    const hed_mppi_world world = mppi_world_of(c, part, def->user);
    for (uint32_t l = 0; l < L; l++) {
        float xl[HED_MPPI_MAX_STATES], ul[HED_MPPI_MAX_CONTROLS];
        for (uint32_t i = 0; i < nx; i++) xl[i] = x[i * L + l];
        for (uint32_t i = 0; i < nu; i++) ul[i] = u[i * L + l];
        costs[l] += weight * def->cost(xl, ul, (int32_t)t, &world);
    }
}

/* Costs of 32 samples; `states` (nullable): (T + 1 x nx x 32). */
static void roll_out(const hed_mppi *c, const cpu_solver *s, uint32_t system, const float *controls,
    float *costs, float *states)
{
    uint32_t nx = c->model.states, nu = c->model.controls, steps = c->def.steps;
    const float *past = s->round->past + (uint64_t)system * c->past * nu;
    float x[HED_MPPI_MAX_STATES * L], early[HED_MPPI_MAX_CONTROLS * L];
    for (uint32_t i = 0; i < nx; i++)
        for (uint32_t l = 0; l < L; l++) x[i * L + l] = s->round->state[system * nx + i];
    memset(costs, 0, L * sizeof *costs);
    if (states) memcpy(states, x, nx * L * sizeof *x);
    for (uint32_t t = 0; t < steps; t++) {
        const float *v = controls + (uint64_t)t * nu * L, *u = early;
        if (t >= c->def.delay) u = v - (uint64_t)c->def.delay * nu * L;
        else /* a control given before this solve arrives */
            for (uint32_t i = 0; i < nu * L; i++)
                early[i] = past[(c->past - c->def.delay + t) * nu + i / L];
        step_lanes(c, s, x, u);
        if (states) memcpy(states + (uint64_t)(t + 1) * nx * L, x, nx * L * sizeof *x);
        for (uint32_t k = 0; k < c->def.term_count; k++)
            if (c->def.terms[k].when != HED_MPPI_TERMINAL) add_term(c, s, k, x, v, t, costs);
    }
    const float *last = controls + (uint64_t)(steps - 1) * nu * L;
    for (uint32_t k = 0; k < c->def.term_count; k++)
        if (c->def.terms[k].when != HED_MPPI_RUNNING) add_term(c, s, k, x, last, steps - 1, costs);
    if (c->def.scale == HED_MPPI_MEAN) {
        float scale = 1.0f / (float)steps;
        for (uint32_t l = 0; l < L; l++) costs[l] *= scale;
    }
}

/* ---- tiles and chains ---- */

/* Sum over a tile of w v, in the order of controller.h. `v`: (S / 32 x stride) */
static float sum_lanes(const float *weights, const float *v, uint64_t stride, uint32_t groups)
{
    float sum[L] = {0};
    for (uint32_t g = 0; g < groups; g++)
        for (uint32_t l = 0; l < L; l++)
            sum[l] = hed_fma(weights[g * L + l], v[g * stride + l], sum[l]);
    for (uint32_t half = L / 2; half; half /= 2)
        for (uint32_t l = 0; l < half; l++) sum[l] = sum[l] + sum[l + half];
    return sum[0];
}

static const float cpu_ones[L] = {
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};

/* Rolls a tile out and adds it to its chain. */
HED_NATIVE_BODY do_tile(
    const hed_mppi *c, cpu_solver *s, cpu_workspace *w, uint32_t system, uint32_t tile)
{
    uint32_t size = c->def.steps * c->model.controls, groups = s->tile / L;
    cpu_chain *chain = &s->chain[system * s->chains + tile % s->chains];
    float inverse = 1.0f / s->round->lambda[system % c->def.count], minimum = MPPI_OUT;
    for (uint32_t g = 0; g < groups; g++) {
        uint32_t sample = tile * s->tile + g * L;
        float *controls = w->controls + (uint64_t)g * size * L, *costs = w->costs + g * L;
        float ratio[L] = {0};
        sample_controls(c, system, sample, controls, w->normals, ratio);
        roll_out(c, s, system, controls, costs, NULL);
        for (uint32_t l = 0; l < L; l++) {
            if (s->round->ratio) costs[l] += ratio[l];
            bool exists = sample + l < c->def.samples, out = MPPI_IS_OUT(costs[l]);
            if (exists && (out || costs[l] >= c->def.crash_cost)) chain->crashed += 1;
            if (out || !exists) costs[l] = MPPI_OUT;
            minimum = mppi_min(costs[l], minimum);
        }
    }
    for (uint32_t k = 0; k < s->tile; k++)
        w->weights[k] = mppi_weight(minimum, w->costs[k], inverse);
    for (uint32_t j = 0; j < size; j++)
        w->sums[j] = sum_lanes(w->weights, w->controls + (uint64_t)j * L, (uint64_t)size * L, groups);
    w->sums[size] = sum_lanes(w->weights, cpu_ones, 0, groups);
    w->sums[size + 1] = sum_lanes(w->weights, w->weights, L, groups);

    float both = mppi_min(minimum, chain->minimum);
    float keep = mppi_weight(both, chain->minimum, inverse);
    float factor = mppi_weight(both, minimum, inverse);
    chain->minimum = both;
    for (uint32_t j = 0; j <= size; j++)
        chain->sums[j] = hed_fma(w->sums[j], factor, chain->sums[j] * keep);
    chain->sums[size + 1] =
        hed_fma(w->sums[size + 1], factor * factor, chain->sums[size + 1] * (keep * keep));
}

HED_CLONES(static, run_tile, do_tile,
    (const hed_mppi *c, cpu_solver *s, cpu_workspace *w, uint32_t system, uint32_t tile),
    (c, s, w, system, tile))

static void run_chains(void *user, hed_team *team, uint32_t member)
{
    cpu_solver *s = user;
    const hed_mppi *c = s->controller;
    uint32_t size = c->def.steps * c->model.controls, total = c->systems * s->chains;
    hed_float_state state = hed_float_strict();
    for (uint32_t n = member; n < total; n += s->threads) {
        uint32_t system = n / s->chains;
        cpu_chain *chain = &s->chain[n];
        chain->minimum = MPPI_OUT;
        chain->crashed = 0;
        memset(chain->sums, 0, (size + 2) * sizeof(float));
        for (uint32_t tile = n % s->chains; tile < s->tiles; tile += s->chains)
            run_tile(c, s, &s->workspaces[member], system, tile);
    }
    hed_float_restore(state);
    (void)team;
}

/* The chains of a system into the round's answer. */
static void merge_chains(const hed_mppi *c, cpu_solver *s, uint32_t system)
{
    uint32_t size = c->def.steps * c->model.controls;
    const cpu_chain *chains = &s->chain[system * s->chains];
    float inverse = 1.0f / s->round->lambda[system % c->def.count], minimum = MPPI_OUT;
    float factor[MPPI_MOST_CHAINS], square[MPPI_MOST_CHAINS], total[2] = {0}, crashed = 0;
    for (uint32_t i = 0; i < s->chains; i++) {
        minimum = mppi_min(chains[i].minimum, minimum);
        crashed += chains[i].crashed;
    }
    for (uint32_t i = 0; i < s->chains; i++) {
        factor[i] = mppi_weight(minimum, chains[i].minimum, inverse);
        square[i] = factor[i] * factor[i];
    }
    float *mean = s->round->mean + (uint64_t)system * size, normalizer = 0;
    for (uint32_t at = 0; at < size + 2; at++) {
        uint32_t j = at < 2 ? size + at : at - 2; /* the sum of weights first */
        const float *f = j == size + 1 ? square : factor;
        float sum[MPPI_GROUPS] = {0};
        for (uint32_t i = 0; i < s->chains; i++)
            sum[i % MPPI_GROUPS] = hed_fma(f[i], chains[i].sums[j], sum[i % MPPI_GROUPS]);
        for (uint32_t g = 1; g < MPPI_GROUPS; g++) sum[0] = sum[0] + sum[g];
        if (at < 2) total[at] = sum[0];
        else mean[j] = sum[0] * normalizer;
        if (at == 0) normalizer = 1.0f / sum[0];
    }
    float *sums = s->round->sums + 4 * (uint64_t)system;
    sums[0] = minimum;
    sums[1] = total[0];
    sums[2] = total[1];
    sums[3] = crashed;
}

/* ---- the solver ---- */

static bool cpu_fits(const hed_mppi *c)
{
    if (strcmp(hed_device_describe(c->device)->backend, "host")) return false;
    for (uint32_t k = 0; k < c->def.term_count; k++)
        if (!c->def.terms[k].cost) return false;
    return c->model.step != NULL;
}

static hed_status cpu_create(hed_mppi *c, hed_error *error)
{
    cpu_solver *s = hed_arena_new(&c->arena, 1, sizeof *s, error);
    if (!s) return error->status;
    uint64_t size = (uint64_t)c->def.steps * c->model.controls;
    c->solver_data = s;
    s->controller = c;
    s->lanes = c->model.lanes;
    s->tile = mppi_tile(c->def.samples);
    s->tiles = (uint32_t)hed_ceil_divide(c->def.samples, s->tile);
    s->chains = s->tiles < MPPI_MOST_CHAINS ? s->tiles : MPPI_MOST_CHAINS;
    s->threads = hed_device_describe(c->device)->compute_units;
    if (s->threads > s->chains * c->systems) s->threads = s->chains * c->systems;
    for (uint32_t k = 0; k < c->def.term_count; k++) {
        const hed_mppi_term *own;
        s->terms[k] = -1;
        for (uint32_t i = 0; (own = hed_mppi_term_at(i)) && s->terms[k] < 0; i++)
            if (own->cost == c->def.terms[k].cost) s->terms[k] = (int32_t)i;
    }
    s->workspaces = hed_arena_new(&c->arena, s->threads, sizeof *s->workspaces, error);
    s->chain = hed_arena_new(&c->arena, (uint64_t)c->systems * s->chains, sizeof *s->chain, error);
    for (uint32_t i = 0; i < s->threads && !hed_failed(error); i++) {
        cpu_workspace *w = &s->workspaces[i];
        w->controls = hed_arena_new(&c->arena, s->tile * size, sizeof(float), error);
        if (c->mix)
            w->normals = hed_arena_new(&c->arena,
                (uint64_t)(c->mix_columns * c->model.controls + 3) * L, sizeof(float), error);
        w->costs = hed_arena_new(&c->arena, s->tile, sizeof(float), error);
        w->weights = hed_arena_new(&c->arena, s->tile, sizeof(float), error);
        w->sums = hed_arena_new(&c->arena, size + 2, sizeof(float), error);
    }
    for (uint32_t i = 0; i < c->systems * s->chains && !hed_failed(error); i++)
        s->chain[i].sums = hed_arena_new(&c->arena, size + 2, sizeof(float), error);
    hed_team_create(&c->arena.allocator, s->threads, &s->team, error);
    return hed_failed(error) ? error->status : HED_OK;
}

static hed_status cpu_round(hed_mppi *c, const mppi_sampling *round, hed_error *error)
{
    cpu_solver *s = c->solver_data;
    if (hed_failed(error)) return error->status;
    s->round = round;
    if (s->threads > 1) hed_team_run(s->team, run_chains, s);
    else run_chains(s, s->team, 0);
    hed_float_state state = hed_float_strict();
    for (uint32_t system = 0; system < c->systems; system++) merge_chains(c, s, system);
    hed_float_restore(state);
    return HED_OK;
}

static hed_status cpu_trace(hed_mppi *c, uint32_t system, uint32_t count, bool best, float *states,
    float *costs, hed_error *error)
{
    (void)c, (void)system, (void)count, (void)best, (void)states, (void)costs;
    return hed_fail(error, HED_ERROR_UNSUPPORTED, "mppi: no trace yet");
}

static hed_status cpu_table(hed_mppi *c, uint32_t table, hed_error *error)
{
    (void)c, (void)table; /* read where it lies */
    return hed_failed(error) ? error->status : HED_OK;
}

static void cpu_destroy(hed_mppi *c)
{
    cpu_solver *s = c->solver_data;
    if (s) hed_team_destroy(s->team);
}

const mppi_solver mppi_solver_cpu = {.kind = HED_MPPI_CPU,
    .fits = cpu_fits,
    .create = cpu_create,
    .round = cpu_round,
    .table = cpu_table,
    .trace = cpu_trace,
    .destroy = cpu_destroy};
