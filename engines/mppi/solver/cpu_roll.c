/* Solver of the processor, first part: samples controls, 32 samples side by side
 * (catalogue/mppi_native.h), and rolls them out. */
#include "solver/cpu.h"

/* ---- sampling: controls of 32 samples ---- */

/* Draws normal numbers 4 q to 4 q + 3 of 32 samples, from `sample` on: (4 x 32). */
HED_NATIVE_BODY normals_body(const hed_mppi_def *def, uint32_t number, uint32_t sample,
    uint32_t quad, uint32_t stream, float *normals)
{
    uint32_t low = (uint32_t)def->seed, high = (uint32_t)(def->seed >> 32), words[4 * L];
    for (uint32_t l = 0; l < L; l++) {
        mppi_words random = mppi_philox(sample + l, quad, number, stream, low, high);
        words[l] = random.w[0];
        words[L + l] = random.w[1];
        words[2 * L + l] = random.w[2];
        words[3 * L + l] = random.w[3];
    }
    for (uint32_t l = 0; l < L; l++)
        mppi_normal_pair(words[l], words[L + l], &normals[l], &normals[L + l]);
    for (uint32_t l = 2 * L; l < 3 * L; l++)
        mppi_normal_pair(words[l], words[L + l], &normals[l], &normals[L + l]);
}
MPPI_CLONES(static, normals_of, normals_body,
    (const hed_mppi_def *def, uint32_t number, uint32_t sample, uint32_t quad, uint32_t stream,
        float *normals),
    (def, number, sample, quad, stream, normals))

static void draw_normals(
    const hed_mppi *c, uint32_t sample, uint32_t quad, uint32_t stream, float *normals)
{
    uint32_t number = ((const mppi_cpu_solver *)c->structure.data)->round->number;
    normals_of(&c->def, number, sample, quad, stream, normals);
}

/* Computes one scalar of correlated noise of 32 samples: sum over m of row[m] n_m. `normals`:
 * (columns, `stride` floats apart) */
HED_NATIVE_BODY mix_body(
    const float *row, uint32_t columns, const float *normals, uint64_t stride, float *noise)
{
    float sum[L] = {0};
    for (uint32_t m = 0; m < columns; m++, normals += stride)
        for (uint32_t l = 0; l < L; l++) sum[l] = hed_fma(row[m], normals[l], sum[l]);
    memcpy(noise, sum, sizeof sum);
}
MPPI_CLONES(static, mix_lanes, mix_body,
    (const float *row, uint32_t columns, const float *normals, uint64_t stride, float *noise),
    (row, columns, normals, stride, noise))

/* Draws noise of 32 samples, (T nu x 32), in units of noise_scale(); `normals`: (columns nu x
 * 32) */
static void draw_noise(
    const hed_mppi *c, uint32_t system, uint32_t sample, float *noise, float *normals)
{
    uint32_t nu = c->model.controls, steps = c->def.steps, stream = system % c->def.count;
    uint32_t columns = c->mix ? c->mix_columns : steps, size = columns * nu;
    float *numbers = c->mix ? normals : noise, four[4 * L];
    if (c->noise) {
        for (uint32_t j = 0; j < size; j++)
            for (uint32_t l = 0; l < L; l++)
                noise[j * L + l] = sample + l < c->def.samples
                                       ? c->noise[(uint64_t)j * c->def.samples + sample + l]
                                       : 0;
        return;
    }
    for (uint32_t q = 0; q < size / 4; q++) draw_normals(c, sample, q, stream, numbers + 4 * q * L);
    if (size % 4) {
        draw_normals(c, sample, size / 4, stream, four);
        memcpy(numbers + size / 4 * 4 * L, four, size % 4 * L * sizeof *four);
    }
    for (uint32_t t = 0; c->mix && t < steps; t++)
        for (uint32_t i = 0; i < nu; i++) {
            const float *row = c->mix + ((uint64_t)i * steps + t) * columns;
            /* COLOURED has a Cholesky factor: zeros from t + 1 on */
            bool lower = c->def.sampler == HED_MPPI_COLOURED;
            mix_lanes(row, lower ? t + 1 : columns, normals + i * L, (uint64_t)nu * L,
                noise + (t * nu + i) * L);
        }
    if (c->def.sampler == HED_MPPI_LOG_NORMAL) { /* mean square 1, like all samplers */
        float s = c->def.log_sigma;
        for (uint32_t q = 0; 4 * q < size; q++) {
            draw_normals(c, sample, q, stream | MPPI_SECOND_STREAM, four);
            for (uint32_t n = 0; n < 4 * L && 4 * q * L + n < size * L; n++)
                noise[4 * q * L + n] *= mppi_exp(hed_fma(s, four[n], -(s * s)));
        }
    }
    for (uint32_t t = 0; c->factor && t < steps; t++)
        /* start at the last control, to work in place: the factor is lower triangular */
        for (uint32_t i = nu; i-- > 0;)
            for (uint32_t l = 0; l < L; l++) {
                float e = 0;
                for (uint32_t k = 0; k <= i; k++)
                    e = hed_fma(c->factor[i * nu + k], noise[(t * nu + k) * L + l], e);
                noise[(t * nu + i) * L + l] = e;
            }
}

/* Returns the factor of a number of draw_noise() for scalar j = t nu + i. */
static float noise_scale(const hed_mppi *c, uint32_t j)
{
    if (c->noise) return 1;
    float sigma = c->factor && !c->mix ? 1 : c->def.sigma[j % c->model.controls];
    return c->def.sigma_steps ? sigma * c->def.sigma_steps[j] : sigma;
}

/* Conversion of noise to a sampled control. */
typedef struct cpu_scalar {
    float scale;     /* factor of the noise */
    float plan;      /* mean of the first `follow` of the 32 samples; the mean of the others is 0 */
    float ratio;     /* g of the importance correction */
    float low, high; /* limits */
    /* maximum difference from the previous control, and towards 0; reach 0: unlimited */
    float reach, brake;
    uint32_t follow;
    bool corrected; /* true: the importance term is needed */
} cpu_scalar;

/* Converts noise v of one scalar of 32 samples to controls within limits; `before`: controls of
 * the previous step. `ratio` += g (raw - plan / 2) for the samples that follow the plan. */
HED_NATIVE_BODY limit_body(float *v, const float *before, const cpu_scalar *scalar, float *ratio)
{
    const cpu_scalar s = *scalar;
    float raw[L], limited[L]; /* no aliasing */
    for (uint32_t l = 0; l < L; l++) raw[l] = hed_fma(v[l], s.scale, l < s.follow ? s.plan : 0);
    for (uint32_t l = 0; l < L; l++) limited[l] = mppi_clamp(raw[l], s.low, s.high);
    for (uint32_t l = 0; s.reach > 0 && l < L; l++)
        limited[l] = mppi_rate(limited[l], before[l], s.reach, s.brake);
    for (uint32_t l = 0; s.corrected && l < L; l++)
        ratio[l] = hed_fma(l < s.follow ? s.ratio : 0, raw[l] - 0.5f * s.plan, ratio[l]);
    memcpy(v, limited, sizeof limited);
}
MPPI_CLONES(static, limit_lanes, limit_body,
    (float *v, const float *before, const cpu_scalar *scalar, float *ratio),
    (v, before, scalar, ratio))

/* Samples controls, (T nu x 32). `ratio` (32): the importance term. */
static void sample_controls(const hed_mppi *c, uint32_t system, uint32_t sample, float *controls,
    float *normals, float *ratio)
{
    const mppi_sampling *round = ((const mppi_cpu_solver *)c->structure.data)->round;
    uint32_t nu = c->model.controls, size = c->def.steps * nu, samples = round->samples;
    uint32_t pure = samples - (uint32_t)(c->def.pure_noise * (float)samples);
    const float *plan = round->plan + (uint64_t)system * size;
    const float *g = round->ratio ? round->ratio + (uint64_t)system * size : NULL;
    const float *past =
        round->past + ((uint64_t)(system % c->systems) * c->past + c->past - 1) * nu;
    draw_noise(c, system, sample, controls, normals);
    memset(controls, 0, (uint64_t)c->def.committed * nu * L * sizeof *controls);
    for (uint32_t j = 0; c->def.keep_plan && sample == 0 && j < size; j++) controls[j * L] = 0;
    for (uint32_t j = 0; j < size; j++) {
        uint32_t i = j % nu;
        float last_applied[L]; /* before the first step */
        for (uint32_t l = 0; j < nu && l < L; l++) last_applied[l] = past[i];
        const cpu_scalar scalar = {.scale = noise_scale(c, j),
            .plan = plan[j],
            .ratio = g ? g[j] : 0,
            .low = c->def.minimum[i],
            .high = c->def.maximum[i],
            .reach = mppi_reach(c, i),
            .brake = mppi_brake(c, i),
            .follow = sample < pure ? pure - sample : 0,
            .corrected = g != NULL};
        limit_lanes(
            controls + j * L, j < nu ? last_applied : controls + (j - nu) * L, &scalar, ratio);
    }
}

/* ---- rolling out ---- */

static mppi_lanes_world lanes_arguments(
    const hed_mppi *c, const mppi_part *part, const float *parameters)
{
    return (mppi_lanes_world){parameters + part->first, part->tables, part->table_counts, c->def.dt,
        c->def.steps, &c->model};
}

/* Steps 32 samples of controller `index`. */
static void step_lanes(
    const hed_mppi *c, const mppi_cpu_solver *s, uint32_t index, float *x, const float *u)
{
    uint32_t nx = c->model.states, nu = c->model.controls;
    if (s->lanes) {
        const mppi_lanes_world world = lanes_arguments(
            c, mppi_text(c, index, 0), c->parameters + (uint64_t)index * c->parameter_count);
        s->lanes->step(x, u, &world);
        return;
    }
    const hed_mppi_world world = mppi_model_world(c, index);
    for (uint32_t l = 0; l < L; l++) {
        float xl[HED_MPPI_MAX_STATES], ul[HED_MPPI_MAX_CONTROLS];
        for (uint32_t i = 0; i < nx; i++) xl[i] = x[i * L + l];
        for (uint32_t i = 0; i < nu; i++) ul[i] = u[i * L + l];
        c->model.step(xl, ul, c->def.dt, &world);
        for (uint32_t i = 0; i < nx; i++) x[i * L + l] = xl[i];
    }
}

static void add_term(const hed_mppi *c, const mppi_cpu_solver *s, uint32_t index, uint32_t term,
    const float *x, const float *u, uint32_t t, float *costs)
{
    uint32_t nx = c->model.states, nu = c->model.controls;
    const hed_mppi_term *def = &c->def.terms[term];
    const mppi_part *part = mppi_text(c, index, 1 + term);
    const float *parameters = mppi_values(c, index, t);
    float weight = parameters[part->weight];
    if (s->terms[term]) {
        const mppi_lanes_world world = lanes_arguments(c, part, parameters);
        s->terms[term](x, u, (int32_t)t, weight, &world, costs);
        return;
    }
    const hed_mppi_world world = mppi_term_world(c, index, term, t);
    for (uint32_t l = 0; l < L; l++) {
        float xl[HED_MPPI_MAX_STATES], ul[HED_MPPI_MAX_CONTROLS];
        for (uint32_t i = 0; i < nx; i++) xl[i] = x[i * L + l];
        for (uint32_t i = 0; i < nu; i++) ul[i] = u[i * L + l];
        costs[l] = hed_fma(weight, def->cost(xl, ul, (int32_t)t, &world), costs[l]);
    }
}

/* Returns the control that reaches the actuators of 32 samples in step t: `delay` steps old. */
static const float *arriving(const hed_mppi *c, const mppi_cpu_solver *s, uint32_t system,
    const float *controls, uint32_t t, float *early)
{
    uint32_t nu = c->model.controls, delay = c->def.delay;
    if (t >= delay) return controls + (uint64_t)(t - delay) * nu * L;
    const float *past = s->round->past + (uint64_t)(system % c->systems) * c->past * nu;
    for (uint32_t i = 0; i < nu * L; i++) early[i] = past[(c->past - delay + t) * nu + i / L];
    return early;
}

/* Adds a normal disturbance to the states of 32 samples, independent for each rollout. */
static void disturb(const hed_mppi *c, const mppi_cpu_solver *s, uint32_t system, uint32_t sample,
    uint32_t rollout, uint32_t t, float *x)
{
    uint32_t nx = c->model.states, stream = system % c->def.count | (rollout + 1) << 24;
    float root = mppi_sqrt(c->def.dt), four[4 * L];
    for (uint32_t i = 0; i < nx; i++) {
        uint32_t n = t * ((nx + 3) / 4) * 4 + i;
        if (i % 4 == 0) draw_normals(c, sample, n / 4, stream, four);
        float scale = c->def.disturbance[i] * root;
        for (uint32_t l = 0; l < L; l++)
            x[i * L + l] = hed_fma(scale, four[i % 4 * L + l], x[i * L + l]);
    }
    (void)s;
}

static void add_terms(const hed_mppi *c, const mppi_cpu_solver *s, uint32_t index,
    hed_mppi_when not_this, const float *x, const float *u, uint32_t t, float *costs)
{
    for (uint32_t k = 0; k < c->def.term_count; k++)
        if (c->def.terms[k].when != not_this) add_term(c, s, index, k, x, u, t, costs);
}

static void start_lanes(const hed_mppi *c, const float *state, float *x)
{
    for (uint32_t i = 0; i < c->model.states * L; i++) x[i] = state[i / L];
}

/* Rolls out 32 samples once; `states` (nullable): (T + 1 x nx x 32). `split`: costs are computed
 * from `states` after all steps, in the same order. */
static void roll_once(const hed_mppi *c, const mppi_cpu_solver *s, uint32_t system, uint32_t sample,
    uint32_t rollout, const float *controls, float *costs, float *states, bool split)
{
    uint32_t nx = c->model.states, nu = c->model.controls, steps = c->def.steps,
             index = system % c->def.count;
    float x[HED_MPPI_MAX_STATES * L], early[HED_MPPI_MAX_CONTROLS * L];
    start_lanes(c, s->round->state + (uint64_t)system * nx, x);
    memset(costs, 0, L * sizeof *costs);
    if (states) memcpy(states, x, nx * L * sizeof *x);
    for (uint32_t t = 0; t < steps; t++) {
        const float *v = controls + (uint64_t)t * nu * L;
        step_lanes(c, s, index, x, arriving(c, s, system, controls, t, early));
        if (c->disturbed) disturb(c, s, system, sample, rollout, t, x);
        if (states) memcpy(states + (uint64_t)(t + 1) * nx * L, x, nx * L * sizeof *x);
        if (!split) add_terms(c, s, index, HED_MPPI_TERMINAL, x, v, t, costs);
    }
    for (uint32_t t = 0; split && t < steps; t++)
        add_terms(c, s, index, HED_MPPI_TERMINAL, states + (uint64_t)(t + 1) * nx * L,
            controls + (uint64_t)t * nu * L, t, costs);
    add_terms(c, s, index, HED_MPPI_RUNNING, x, controls + (uint64_t)(steps - 1) * nu * L,
        steps - 1, costs);
    float scale = c->def.scale == HED_MPPI_MEAN ? 1.0f / (float)steps : 1;
    for (uint32_t l = 0; l < L; l++) costs[l] *= scale;
}

/* Combines the costs of a sample's rollouts, in ascending order, to the sample's cost. */
static float risk_of(const hed_mppi *c, const float *sorted)
{
    uint32_t count = c->def.rollouts, from = 0;
    float sum = 0;
    if (c->def.risk != HED_MPPI_EXPECTED) {
        float rank = c->def.risk_level * (float)count;
        from = rank > 0 ? (uint32_t)rank - ((float)(uint32_t)rank == rank) : 0;
        if (from >= count) from = count - 1;
    }
    if (c->def.risk == HED_MPPI_VALUE_AT_RISK) return sorted[from];
    for (uint32_t r = from; r < count; r++) sum += sorted[r];
    return sum * (1.0f / (float)(count - from));
}

/* Adds the weighted squares of the controls' changes. */
static void add_smoothness(const hed_mppi *c, const mppi_cpu_solver *s, uint32_t system,
    const float *controls, float *costs)
{
    uint32_t nu = c->model.controls;
    float weight = mppi_smooth_weight(c);
    if (weight <= 0) return;
    const float *past =
        s->round->past + ((uint64_t)(system % c->systems) * c->past + c->past - 1) * nu;
    for (uint32_t j = 0; j < c->def.steps * nu; j++)
        for (uint32_t l = 0; l < L; l++) {
            float before = j < nu ? past[j] : controls[(j - nu) * L + l];
            costs[l] = hed_fma(weight, mppi_square(controls[j * L + l] - before), costs[l]);
        }
}

/* Computes costs of 32 samples. */
static void roll_out(const hed_mppi *c, const mppi_cpu_solver *s, uint32_t system, uint32_t sample,
    const float *controls, float *costs, float *path)
{
    float rollout_costs[HED_MPPI_MAX_ROLLOUTS * L];
    uint32_t rollouts = c->def.rollouts;
    for (uint32_t r = 0; r < rollouts; r++)
        roll_once(c, s, system, sample, r, controls, rollout_costs + r * L, path, path != NULL);
    for (uint32_t l = 0; l < L; l++) {
        float sorted[HED_MPPI_MAX_ROLLOUTS] = {0};
        for (uint32_t r = 0; r < rollouts; r++) { /* insertion; NaN counts as out */
            float cost = rollout_costs[r * L + l];
            uint32_t at = r;
            if (MPPI_IS_OUT(cost)) cost = MPPI_OUT;
            for (; at && sorted[at - 1] > cost; at--) sorted[at] = sorted[at - 1];
            sorted[at] = cost;
        }
        costs[l] = rollouts > 1 ? risk_of(c, sorted) : sorted[0];
    }
    add_smoothness(c, s, system, controls, costs);
}

/* Adds `gain` times the difference of state n of 32 real and nominal samples. */
static void add_feedback(
    uint32_t angles, uint32_t n, float gain, const float *x, const float *y, float *feedback)
{
    float sum[L]; /* no aliasing */
    memcpy(sum, feedback, sizeof sum);
    for (uint32_t l = 0; l < L; l++)
        sum[l] = hed_fma(gain, mppi_state_difference(angles, (int)n, x[l], y[l]), sum[l]);
    memcpy(feedback, sum, sizeof sum);
}

/* Rolls out for ROBUST (Gandhi et al. 2021): nominal and real system under the same noise, the
 * real one with feedback. `real` (T nu x 32): controls of the real system. costs: (2 x 32) of
 * nominal and real, as their weights need them. */
static void roll_robust(const hed_mppi *c, const mppi_cpu_solver *s, uint32_t index,
    const float *controls, float *real, float *costs, uint32_t apart)
{
    uint32_t nx = c->model.states, nu = c->model.controls, steps = c->def.steps;
    uint32_t nominal = c->def.count + index;
    const float *past = s->round->past + ((uint64_t)index * c->past + c->past - 1) * nu;
    const float *gains = s->round->gains + (uint64_t)index * steps * nu * nx;
    float x[HED_MPPI_MAX_STATES * L], y[HED_MPPI_MAX_STATES * L]; /* real, nominal */
    float early[HED_MPPI_MAX_CONTROLS * L], real_cost[L] = {0}, nominal_cost[L] = {0};
    float feedback_cost[L] = {0}, half = 0.5f * s->round->lambda[index] * (1 - c->def.alpha);
    start_lanes(c, s->round->state + (uint64_t)index * nx, x);
    start_lanes(c, s->round->state + (uint64_t)nominal * nx, y);
    for (uint32_t t = 0; t < steps; t++) {
        const float *v = controls + (uint64_t)t * nu * L, *k_t = gains + (uint64_t)t * nu * nx;
        float *u = real + (uint64_t)t * nu * L, feedback[HED_MPPI_MAX_CONTROLS * L];
        const float *last = t ? u - nu * L : NULL;
        for (uint32_t i = 0; i < nu; i++) {
            float *k = feedback + i * L, up = mppi_reach(c, i), down = mppi_brake(c, i);
            memset(k, 0, L * sizeof *k);
            for (uint32_t n = 0; n < nx; n++)
                add_feedback(c->model.angles, n, k_t[i * nx + n], x + n * L, y + n * L, k);
            for (uint32_t l = 0; l < L; l++)
                u[i * L + l] =
                    mppi_clamp(v[i * L + l] + k[l], c->def.minimum[i], c->def.maximum[i]);
            for (uint32_t l = 0; up > 0 && l < L; l++)
                u[i * L + l] = mppi_rate(u[i * L + l], last ? last[i * L + l] : past[i], up, down);
        }
        for (uint32_t i = 0; half > 0 && i < nu; i++)
            for (uint32_t n = 0; n < nu; n++)
                for (uint32_t l = 0; l < L; l++)
                    feedback_cost[l] +=
                        half * feedback[i * L + l] * c->precision[i * nu + n] * feedback[n * L + l];
        step_lanes(c, s, index, x, arriving(c, s, index, real, t, early));
        step_lanes(c, s, index, y, arriving(c, s, nominal, controls, t, early));
        add_terms(c, s, index, HED_MPPI_TERMINAL, x, u, t, real_cost);
        add_terms(c, s, index, HED_MPPI_TERMINAL, y, v, t, nominal_cost);
    }
    uint64_t last = (uint64_t)(steps - 1) * nu * L;
    add_terms(c, s, index, HED_MPPI_RUNNING, x, real + last, steps - 1, real_cost);
    add_terms(c, s, index, HED_MPPI_RUNNING, y, controls + last, steps - 1, nominal_cost);
    float scale = c->def.scale == HED_MPPI_MEAN ? 1.0f / (float)steps : 1;
    for (uint32_t l = 0; l < L; l++) {
        float r = real_cost[l] * scale, n = nominal_cost[l] * scale, f = r + feedback_cost[l];
        float bounded = f < c->def.value_threshold ? f : c->def.value_threshold;
        costs[l] = 0.5f * n + 0.5f * (bounded > n ? bounded : n);
        costs[apart + l] = r;
    }
}

void mppi_cpu_sample(const hed_mppi *c, mppi_cpu_workspace *w, uint32_t system, uint32_t sample)
{
    const mppi_cpu_solver *s = c->structure.data;
    float ratio[L] = {0};
    sample_controls(c, system, sample, w->controls, w->normals, ratio);
    memset(w->costs, 0, L * sizeof *w->costs);
    if (s->round->ratio) memcpy(w->costs, ratio, sizeof ratio);
    add_smoothness(c, s, system, w->controls, w->costs);
}

/* ---- a tile ---- */

HED_NATIVE_BODY roll_tile_body(const hed_mppi *c, mppi_cpu_solver *s, mppi_cpu_workspace *w,
    uint32_t system, uint32_t tile, bool robust)
{
    uint32_t size = c->def.steps * c->model.controls, groups = s->tile / L;
    uint32_t first = mppi_block_begin(c, system) + tile * s->tile;
    uint32_t own = c->def.blocks > 1 ? system % c->systems : system;
    for (uint32_t g = 0; g < groups; g++) {
        uint32_t sample = first + g * L;
        float *controls = w->controls + (uint64_t)g * size * L, *costs = w->costs + g * L;
        if (mppi_cpu_is_late(s, tile + g)) { /* the first samples are always rolled out */
            for (uint32_t set = 0; set <= robust; set++)
                for (uint32_t l = 0; l < L; l++) costs[set * s->tile + l] = MPPI_OUT;
            continue;
        }
        float ratio[L] = {0};
        sample_controls(
            c, robust ? c->def.count + system : own, sample, controls, w->normals, ratio);
        if (s->phase == CPU_WEIGHTS) continue;
        if (robust)
            roll_robust(c, s, system, controls, w->real + (uint64_t)g * size * L, costs, s->tile);
        else roll_out(c, s, own, sample, controls, costs, w->path);
        for (uint32_t set = 0; set <= robust; set++)
            for (uint32_t l = 0; l < L; l++) {
                float *cost = &costs[set * s->tile + l];
                if (s->round->ratio) *cost += ratio[l];
                bool exists = sample + l < s->round->samples, out = MPPI_IS_OUT(*cost);
                mppi_cpu_chain *chain = &s->chain[(set         ? system
                                                      : robust ? c->def.count + system
                                                               : system) *
                                                      s->chains +
                                                  tile % mppi_cpu_chains(s)];
                if (exists && (out || *cost >= c->def.crash_cost)) chain->crashed += 1;
                chain->counted += exists;
                if (out || !exists) *cost = MPPI_OUT;
            }
    }
}
MPPI_CLONES(/* external linkage */, mppi_cpu_roll_tile, roll_tile_body,
    (const hed_mppi *c, mppi_cpu_solver *s, mppi_cpu_workspace *w, uint32_t system, uint32_t tile,
        bool robust),
    (c, s, w, system, tile, robust))

void mppi_cpu_roll_again(const hed_mppi *c, const mppi_cpu_solver *s, mppi_cpu_workspace *w,
    uint32_t system, uint32_t sample, float *states, float *cost)
{
    float ratio[L] = {0};
    sample_controls(c, system, sample, w->controls, w->normals, ratio);
    roll_once(c, s, system, sample, 0, w->controls, cost, states, false);
}
