/* Solver of the processor. Tiles of samples are distributed among threads by chains; cpu_roll.c
 * computes their costs. All sums have the order of controller.h, so the number of threads
 * changes no bit, and devices in strict mode compute the same bits. */
#include <math.h>

#include "solver/cpu.h"
#include "solver/mppi_layout.h"

/* ---- tiles and chains ---- */

/* Sums w v over a tile for `count` scalars, in the order of controller.h. `v`: (S / 32 x stride) */
HED_NATIVE_BODY sum_body(const float *weights, const float *v, uint64_t stride, uint32_t groups,
    uint32_t count, float *sums)
{
    for (uint32_t j = 0; j < count; j++, v += L) {
        float sum[L] = {0};
        for (uint32_t g = 0; g < groups; g++)
            for (uint32_t l = 0; l < L; l++)
                sum[l] = hed_fma(weights[g * L + l], v[g * stride + l], sum[l]);
        for (uint32_t l = 0; l < 16; l++) sum[l] = sum[l] + sum[l + 16];
        for (uint32_t l = 0; l < 8; l++) sum[l] = sum[l] + sum[l + 8];
        for (uint32_t l = 0; l < 4; l++) sum[l] = sum[l] + sum[l + 4];
        sums[j] = (sum[0] + sum[2]) + (sum[1] + sum[3]);
    }
}
MPPI_CLONES(static, sum_lanes, sum_body,
    (const float *weights, const float *v, uint64_t stride, uint32_t groups, uint32_t count,
        float *sums),
    (weights, v, stride, groups, count, sums))

static const float cpu_ones[L] = {
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};

/* Adds the weighted controls of a tile to the tile's chain. */
static void add_tile(const hed_mppi *c, mppi_cpu_solver *s, mppi_cpu_workspace *w, uint32_t system,
    uint32_t tile, const float *controls, float minimum)
{
    uint32_t size = c->def.steps * c->model.controls, groups = s->tile / L;
    mppi_cpu_chain *chain = &s->chain[system * s->chains + tile % mppi_cpu_chains(s)];
    float inverse = 1.0f / s->round->lambda[system % c->def.count];
    sum_lanes(w->weights, controls, (uint64_t)size * L, groups, size, w->sums);
    sum_lanes(w->weights, cpu_ones, 0, groups, 1, &w->sums[size]);
    sum_lanes(w->weights, w->weights, L, groups, 1, &w->sums[size + 1]);
    float common = mppi_min(minimum, chain->minimum);
    float keep = mppi_weight(common, chain->minimum, inverse);
    float factor = mppi_weight(common, minimum, inverse);
    chain->minimum = common;
    for (uint32_t j = 0; j <= size; j++)
        chain->sums[j] = hed_fma(w->sums[j], factor, chain->sums[j] * keep);
    chain->sums[size + 1] =
        hed_fma(w->sums[size + 1], factor * factor, chain->sums[size + 1] * (keep * keep));
}

/* Rolls out and sums one tile; for ROBUST `system` is the real one. */
HED_NATIVE_BODY do_tile(
    const hed_mppi *c, mppi_cpu_solver *s, mppi_cpu_workspace *w, uint32_t system, uint32_t tile)
{
    bool robust = s->round->gains != NULL;
    float inverse = 1.0f / s->round->lambda[system % c->def.count];
    uint32_t first = mppi_block_begin(c, system) + tile * s->tile;
    uint32_t exist = first < s->round->samples ? s->round->samples - first : 0;
    if (exist > s->tile) exist = s->tile;
    mppi_cpu_roll_tile(c, s, w, system, tile, robust);
    if (s->phase == CPU_ALL) {
        for (uint32_t set = 0; set <= robust; set++) {
            float minimum = MPPI_OUT;
            const float *costs = w->costs + set * s->tile;
            for (uint32_t k = 0; k < s->tile; k++) minimum = mppi_min(costs[k], minimum);
            for (uint32_t k = 0; k < s->tile; k++)
                w->weights[k] = mppi_weight(minimum, costs[k], inverse);
            add_tile(c, s, w, !robust || set ? system : c->def.count + system, tile,
                set ? w->real : w->controls, minimum);
        }
        return;
    }
    uint64_t row = (uint64_t)(system % c->systems) * c->blocks + system / c->systems;
    float *costs = s->costs + row * c->block + (uint64_t)tile * s->tile;
    if (s->phase == CPU_COSTS) {
        memcpy(costs, w->costs, exist * sizeof *costs);
        return;
    }
    float minimum = s->bounds[2 * system], bound = s->bounds[2 * system + 1];
    for (uint32_t k = 0; k < s->tile; k++) {
        float cost = k < exist ? costs[k] : MPPI_OUT, share;
        share = 1 - mppi_divide(cost - minimum, c->def.tsallis_threshold);
        if (MPPI_IS_OUT(cost)) w->weights[k] = 0;
        else if (c->def.update == HED_MPPI_EXPONENTIAL)
            w->weights[k] = mppi_weight(minimum, cost, inverse);
        else if (c->def.update == HED_MPPI_ELITE) w->weights[k] = cost <= bound ? 1 : 0;
        else
            w->weights[k] =
                share > 0 ? mppi_exp(mppi_log(share) * (1 / (c->def.tsallis_r - 1))) : 0;
    }
    add_tile(c, s, w, system, tile, w->controls, minimum);
}

MPPI_CLONES(static, run_tile, do_tile,
    (const hed_mppi *c, mppi_cpu_solver *s, mppi_cpu_workspace *w, uint32_t system, uint32_t tile),
    (c, s, w, system, tile))

/* ELITE, TSALLIS: marks the costs of a tile that no time was left for; true, later, for a tile
 * without a finite cost, which has no weight. */
static bool skips_tile(const hed_mppi *c, mppi_cpu_solver *s, uint32_t system, uint32_t tile)
{
    uint64_t row = (uint64_t)(system % c->systems) * c->blocks + system / c->systems;
    float *costs = s->costs + row * c->block + (uint64_t)tile * s->tile;
    bool is_late = mppi_cpu_is_late(s, tile), is_out = true;
    if (s->phase == CPU_ALL || (s->phase == CPU_COSTS && !is_late)) return is_late;
    for (uint32_t k = 0; k < s->tile && tile * s->tile + k < c->block; k++) {
        if (s->phase == CPU_COSTS) costs[k] = MPPI_OUT;
        is_out = is_out && costs[k] >= MPPI_OUT;
    }
    return is_out;
}

static void run_chains(void *user, hed_team *team, uint32_t member)
{
    mppi_cpu_solver *s = user;
    const hed_mppi *c = s->controller;
    uint32_t size = c->def.steps * c->model.controls, chains = mppi_cpu_chains(s);
    bool robust = s->round->gains != NULL;
    uint32_t systems = robust ? c->def.count : s->round->systems * c->blocks;
    hed_float_state state = hed_float_strict();
    /* threads take chains dynamically, so a thread on a busy processor does not delay the others */
    for (uint32_t n;
         (n = atomic_fetch_add_explicit(&s->next, 1, memory_order_relaxed)) < systems * chains;) {
        /* chain by chain, so that a deadline cuts all systems alike */
        uint32_t system = n % systems, first = n / systems;
        for (uint32_t set = 0; set <= robust && s->phase != CPU_WEIGHTS; set++) {
            mppi_cpu_chain *chain = &s->chain[(system + set * c->def.count) * s->chains + first];
            chain->minimum = MPPI_OUT;
            chain->crashed = 0;
            chain->counted = 0;
            memset(chain->sums, 0, (size + 2) * sizeof(float));
        }
        for (uint32_t tile = first; tile < mppi_cpu_tiles(s); tile += chains)
            if (!skips_tile(c, s, system, tile))
                run_tile(c, s, &s->workspaces[member], system, tile);
    }
    hed_float_restore(state);
    (void)team;
}

/* Merges the chains of a system into the round's results. */
static void merge_chains(const hed_mppi *c, mppi_cpu_solver *s, uint32_t system)
{
    uint32_t size = c->def.steps * c->model.controls;
    const mppi_cpu_chain *chains = &s->chain[system * s->chains];
    uint32_t count = mppi_cpu_chains(s);
    float inverse = 1.0f / s->round->lambda[system % c->def.count], minimum = MPPI_OUT;
    float factor[MPPI_MOST_CHAINS], square[MPPI_MOST_CHAINS], total[2] = {0}, crashed = 0;
    uint32_t counted = 0;
    for (uint32_t i = 0; i < count; i++) {
        minimum = mppi_min(chains[i].minimum, minimum);
        crashed += chains[i].crashed;
        counted += chains[i].counted;
    }
    for (uint32_t i = 0; i < count; i++) {
        factor[i] = mppi_weight(minimum, chains[i].minimum, inverse);
        square[i] = factor[i] * factor[i];
    }
    float *mean = s->round->mean ? s->round->mean + (uint64_t)system * size : NULL, normalizer = 0;
    for (uint32_t at = 0; at < (mean ? size + 2 : 2); at++) {
        uint32_t j = at < 2 ? size + at : at - 2; /* the sum of weights first */
        const float *f = j == size + 1 ? square : factor;
        float sum[MPPI_GROUPS] = {0};
        for (uint32_t i = 0; i < count; i++)
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
    if (!s->round->counted) return;
    s->round->counted[s->round->mean ? system % c->systems : system] += counted;
}

/* ---- the solver ---- */

static bool cpu_fits(const hed_mppi *c)
{
    if (strcmp(hed_device_describe(c->device).backend, "host")) return false;
    for (uint32_t k = 0; k < c->def.term_count; k++)
        if (!c->def.terms[k].cost) return false;
    return c->model.step || c->model.roll;
}

/* Sets the number of threads and `split`, by def.choice or by rule: all threads that have a chain,
 * costs after each step. */
static hed_status take_choice(hed_mppi *c, mppi_cpu_solver *s, bool *split, hed_error *error)
{
    const hed_kernel_def *list = mppi_choice_parameters(HED_MPPI_SOLVER_CPU);
    int64_t units = hed_device_describe(c->device).compute_units;
    hed_config config = {.values = {[CPU_THREADS] = units}};
    if (mppi_take_choice(c->def.choice, list, &config, error)) return error->status;
    if (config.values[CPU_THREADS] > units) config.values[CPU_THREADS] = units;
    s->threads = (uint32_t)config.values[CPU_THREADS];
    if (!c->model.roll && s->threads > s->chains * c->shares) s->threads = s->chains * c->shares;
    /* a model that is simulated as a whole has all states before the costs, and ROBUST none */
    *split = config.values[CPU_SPLIT] && !c->model.roll && c->def.kind != HED_MPPI_ROBUST;
    config.values[CPU_THREADS] = s->threads;
    config.values[CPU_SPLIT] = *split;
    hed_config_format(list, &config, c->structure.choice, sizeof c->structure.choice);
    if (c->def.choice) c->structure.origin = HED_ORIGIN_GIVEN;
    return HED_OK;
}

static hed_status cpu_create(hed_mppi *c, hed_error *error)
{
    mppi_cpu_solver *s = hed_arena_new(&c->structure.arena, 1, sizeof *s, error);
    if (!s) return error->status;
    uint64_t size = (uint64_t)c->def.steps * c->model.controls;
    bool robust = c->def.kind == HED_MPPI_ROBUST, split;
    c->structure.data = s;
    s->controller = c;
    s->lanes = c->model.lanes;
    s->tile = mppi_tile(c->block);
    uint64_t tiles = hed_ceil_divide(c->block, s->tile);
    s->chains = tiles < MPPI_MOST_CHAINS ? (uint32_t)tiles : MPPI_MOST_CHAINS;
    s->systems = c->shares;
    if (robust && s->systems < c->def.count * c->def.candidates)
        s->systems = c->def.count * c->def.candidates;
    if (take_choice(c, s, &split, error)) return error->status;
    for (uint32_t k = 0; k < c->def.term_count; k++) {
        const hed_mppi_term *own;
        mppi_cost_lanes *const *lanes = s->lanes ? s->lanes->terms : NULL;
        if (c->compiled) s->terms[k] = c->compiled->terms[k];
        for (uint32_t i = 0; lanes && (own = hed_mppi_term_at(i)); i++)
            if (own->cost == c->def.terms[k].cost) s->terms[k] = lanes[i];
    }
    s->workspaces = hed_arena_new(&c->structure.arena, s->threads, sizeof *s->workspaces, error);
    s->chain = hed_arena_new(
        &c->structure.arena, (uint64_t)s->systems * s->chains, sizeof *s->chain, error);
    s->costs =
        hed_arena_new(&c->structure.arena, (uint64_t)c->shares * c->block, sizeof(float), error);
    s->sorted = hed_arena_new(&c->structure.arena, c->def.samples, sizeof(float), error);
    s->bounds = hed_arena_new(&c->structure.arena, 2 * (uint64_t)c->systems, sizeof(float), error);
    for (uint32_t i = 0; i < s->threads && !hed_failed(error); i++) {
        mppi_cpu_workspace *w = &s->workspaces[i];
        uint64_t columns = (uint64_t)c->mix_columns * c->model.controls + 3;
        w->controls = hed_arena_new(&c->structure.arena, s->tile * size, sizeof(float), error);
        if (robust)
            w->real = hed_arena_new(&c->structure.arena, s->tile * size, sizeof(float), error);
        if (split)
            w->path = hed_arena_new(&c->structure.arena,
                (uint64_t)(c->def.steps + 1) * c->model.states * L, sizeof(float), error);
        if (c->mix)
            w->normals = hed_arena_new(&c->structure.arena, columns * L, sizeof(float), error);
        w->costs = hed_arena_new(&c->structure.arena, 2 * s->tile, sizeof(float), error);
        w->weights = hed_arena_new(&c->structure.arena, s->tile, sizeof(float), error);
        w->sums = hed_arena_new(&c->structure.arena, size + 2, sizeof(float), error);
    }
    if (c->model.roll) mppi_cpu_simulate_create(c, s, error);
    for (uint32_t i = 0; i < s->systems * s->chains && !hed_failed(error); i++)
        s->chain[i].sums = hed_arena_new(&c->structure.arena, size + 2, sizeof(float), error);
    return hed_team_create(&c->arena.allocator, s->threads, &s->team, error);
}

static void run_phase(mppi_cpu_solver *s, int phase)
{
    s->phase = phase;
    atomic_store_explicit(&s->next, 0, memory_order_relaxed); /* hed_team_run() synchronises it */
    if (s->threads > 1) hed_team_run(s->team, run_chains, s);
    else run_chains(s, s->team, 0);
}

/* Returns the cost of rank `rank` of `count` costs, which are rearranged (Hoare 1961). */
static float select_cost(float *costs, uint32_t count, uint32_t rank)
{
    uint32_t low = 0, high = count - 1;
    while (low < high) {
        float pivot = costs[low + (high - low) / 2];
        uint32_t i = low, j = high;
        for (;; i++, j--) {
            while (costs[i] < pivot) i++;
            while (costs[j] > pivot) j--;
            if (i >= j) break;
            float swapped = costs[i];
            costs[i] = costs[j];
            costs[j] = swapped;
        }
        if (rank <= j) high = j;
        else low = j + 1;
    }
    return costs[rank];
}

/* Finds each system's minimum cost, and the cost of the last sample of the elite. */
static void find_bounds(const hed_mppi *c, mppi_cpu_solver *s)
{
    for (uint32_t system = 0; system < c->systems; system++) {
        const float *costs = s->costs + (uint64_t)system * c->def.samples;
        uint32_t counted = 0, finite = 0;
        for (uint32_t i = 0; i < mppi_cpu_chains(s); i++)
            counted += s->chain[system * s->chains + i].counted;
        float elite = c->def.elite * (float)counted, minimum = MPPI_OUT;
        uint32_t last = elite >= 1 ? (uint32_t)elite - 1 : 0;
        for (uint32_t k = 0; k < c->def.samples; k++) {
            minimum = mppi_min(costs[k], minimum);
            s->sorted[finite] = costs[k];
            finite += costs[k] < MPPI_OUT;
        }
        s->bounds[2 * system] = minimum;
        s->bounds[2 * system + 1] = last < finite ? select_cost(s->sorted, finite, last) : MPPI_OUT;
    }
}

static hed_status cpu_begin(hed_mppi *c, const mppi_sampling *round, hed_error *error)
{
    (void)c, (void)round; /* the threads work during end() */
    return hed_failed(error) ? error->status : HED_OK;
}

static hed_status cpu_end(hed_mppi *c, const mppi_sampling *round, hed_error *error)
{
    mppi_cpu_solver *s = c->structure.data;
    if (hed_failed(error)) return error->status;
    s->round = round;
    s->until = round->deadline;
    if (round->counted) memset(round->counted, 0, round->systems * sizeof *round->counted);
    if (c->model.roll) {
        mppi_cpu_simulate(c, s);
        find_bounds(c, s);
        run_phase(s, CPU_WEIGHTS);
    } else if (c->def.update == HED_MPPI_EXPONENTIAL || !round->mean) {
        run_phase(s, CPU_ALL);
    } else {
        run_phase(s, CPU_COSTS); /* the controller's reserve has time for weighing the samples */
        find_bounds(c, s);
        run_phase(s, CPU_WEIGHTS);
    }
    s->until = 0;
    hed_float_state state = hed_float_strict();
    for (uint32_t system = 0; system < round->systems * c->blocks; system++)
        merge_chains(c, s, system);
    hed_float_restore(state);
    return HED_OK;
}

void mppi_lowest(const float *costs, uint32_t samples, uint32_t count, uint32_t *best)
{
    uint32_t length = 0;
    for (uint32_t k = 0; k < samples; k++) {
        if (length == count && !(costs[k] < costs[best[count - 1]])) continue;
        uint32_t at = length < count ? length++ : count - 1;
        for (; at && costs[best[at - 1]] > costs[k]; at--) best[at] = best[at - 1];
        best[at] = k;
    }
}

static hed_status cpu_trace(hed_mppi *c, const mppi_sampling *round, uint32_t system,
    uint32_t count, bool best, float *states, float *costs, hed_error *error)
{
    mppi_cpu_solver *s = c->structure.data;
    mppi_cpu_workspace *w = s->workspaces;
    uint32_t nx = c->model.states, size = (c->def.steps + 1) * nx;
    hed_arena arena = {.allocator = c->arena.allocator, .owner = "a trace"};
    uint32_t *which = hed_arena_new(&arena, count, sizeof *which, error);
    float *lanes = hed_arena_new(&arena, (uint64_t)size * L, sizeof *lanes, error), cost[L];
    if (!lanes) {
        hed_arena_free(&arena);
        return error->status;
    }
    s->round = round;
    for (uint32_t i = 0; i < count; i++) which[i] = i;
    if (best) { /* costs alone, without merging */
        if (c->model.roll) mppi_cpu_simulate(c, s);
        else run_phase(s, CPU_COSTS);
        mppi_lowest(
            s->costs + (uint64_t)system * c->blocks * c->block, mppi_own_samples(c), count, which);
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t lane = which[i] % L, sample = c->first_block * c->block + which[i] - lane;
        bool is_new = i == 0 || which[i] / L != which[i - 1] / L; /* 32 neighbours at once */
        if (is_new && c->model.roll) mppi_cpu_simulate_again(c, s, w, system, sample, lanes, cost);
        else if (is_new) mppi_cpu_roll_again(c, s, w, system, sample, lanes, cost);
        if (costs) costs[i] = cost[lane];
        for (uint32_t n = 0; states && n < size; n++)
            states[(uint64_t)i * size + n] = lanes[(uint64_t)n * L + lane];
    }
    hed_arena_free(&arena);
    return HED_OK;
}

static hed_status cpu_table(hed_mppi *c, uint32_t table, hed_error *error)
{
    (void)c, (void)table; /* the threads read the controller's table */
    return hed_failed(error) ? error->status : HED_OK;
}

static void cpu_destroy(hed_mppi *c)
{
    mppi_cpu_solver *s = c->structure.data;
    if (s) hed_team_destroy(s->team);
}

const mppi_solver mppi_solver_cpu = {.kind = HED_MPPI_SOLVER_CPU,
    .fits = cpu_fits,
    .create = cpu_create,
    .begin = cpu_begin,
    .end = cpu_end,
    .table = cpu_table,
    .trace = cpu_trace,
    .destroy = cpu_destroy};
