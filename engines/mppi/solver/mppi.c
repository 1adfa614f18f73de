/* Controllers: from a state to a plan by rounds of sampling (MPPI: Williams et al., ICRA 2017
 * and T-RO 2018). This file is common to all devices; a solver (controller.h) does the sampling. */
#include <math.h>

#include "model/controller.h"
#include "support/strict_math.h"

/* ---- creation ---- */

/* Allocates the additional arrays of TUBE and ROBUST. */
static void create_nominal(hed_mppi *c, hed_error *error)
{
    uint64_t nx = c->model.states, nu = c->model.controls, steps = c->def.steps;
    uint64_t count = c->def.count, candidates = c->def.candidates;
    c->gains = hed_arena_new(&c->arena, count * steps * nu * nx, sizeof(float), error);
    c->stride = hed_arena_new(&c->arena, count, sizeof(float), error);
    c->candidate = hed_arena_new(&c->arena, count, sizeof(uint32_t), error);
    c->over_threshold = hed_arena_new(&c->arena, count, sizeof(bool), error);
    c->track_states = hed_arena_new(&c->arena, 2 * (steps + 1) * nx, sizeof(float), error);
    c->track_controls = hed_arena_new(&c->arena, 3 * steps * nu, sizeof(float), error);
    if (c->def.kind != HED_MPPI_ROBUST) return;
    c->candidate_state = hed_arena_new(&c->arena, candidates * count * nx, sizeof(float), error);
    c->candidate_plan =
        hed_arena_new(&c->arena, candidates * count * steps * nu, sizeof(float), error);
    c->candidate_sums = hed_arena_new(&c->arena, candidates * count * 4, sizeof(float), error);
    c->candidate_counted = hed_arena_new(&c->arena, candidates * count, sizeof(uint32_t), error);
}

/* Runs solves of a new controller with a deadline, which learns its speed and reserve from them, and
 * resets the controller. */
static void measure_solves(hed_mppi *c, hed_error *error)
{
    enum { SOLVES = 8 };
    uint64_t nx = c->model.states, plan = (uint64_t)c->def.steps * c->model.controls;
    hed_arena arena = {.allocator = c->arena.allocator, .owner = "a measurement"};
    if (hed_failed(error)) return;
    float *x = hed_arena_new(&arena, c->def.count * nx, sizeof *x, error);
    for (uint32_t i = 0; x && i < c->def.count; i++)
        memcpy(x + i * nx, c->model.start, nx * sizeof *x);
    mppi_measure_rounds(c, error);
    for (int n = 0; n < SOLVES && !hed_failed(error); n++) {
        hed_mppi_solve(c, x, NULL, NULL, error);
        hed_mppi_shift(c, 1);
    }
    hed_arena_free(&arena);
    hed_mppi_reset(c, NULL);
    c->last = (mppi_sampling){0};
    memset(c->stats, 0, c->def.count * sizeof *c->stats);
    memset(c->mean, 0, c->systems * plan * sizeof(float));
    memset(c->sums, 0, 4ull * c->systems * sizeof(float));
    memset(c->states, 0, (uint64_t)c->systems * (c->def.steps + 1) * nx * sizeof(float));
}

/* Measures the structures of a controller, or of its parts, one after the other. */
static void measure_structures(hed_mppi *c, hed_error *error)
{
    uint32_t parts = c->parts ? 1 + c->def.other_device_count : 0;
    if (hed_failed(error)) return;
    if (!parts) mppi_measure_structures(c, error);
    for (uint32_t i = 0; i < parts; i++) {
        c->parts[i]->def.measure_ns = c->def.measure_ns / parts;
        mppi_measure_structures(c->parts[i], error);
    }
}

hed_status hed_mppi_create(
    hed_device *device, const hed_mppi_def *def, hed_mppi **controller, hed_error *error)
{
    HED_REQUIRE(device, def, controller);
    hed_error local = {0};
    if (!error) error = &local;
    *controller = NULL;
    if (!device || !def)
        return hed_fail(error, HED_ERROR_ARGUMENT, "mppi: device or definition is NULL");
    hed_allocator allocator = hed_context_describe(hed_device_context(device)).allocator;
    hed_mppi *c = hed_new(&allocator, 1, sizeof *c, error);
    if (!c) return error->status;
    c->arena = (hed_arena){.allocator = allocator, .owner = "a controller"};
    c->device = device;
    mppi_complete(c, def, error);
    mppi_make_timed(c, error);
    mppi_compile_texts(c, error);
    mppi_check_pair(c, error);
    c->systems = c->def.kind == HED_MPPI_PLAIN ? c->def.count : 2 * c->def.count;
    c->past = c->def.delay > 2 ? c->def.delay : 2;
    uint64_t nx = c->model.states, nu = c->model.controls, steps = c->def.steps, n = c->systems;
    c->state = hed_arena_new(&c->arena, n * nx, sizeof(float), error);
    c->plan = hed_arena_new(&c->arena, n * steps * nu, sizeof(float), error);
    c->mean = hed_arena_new(&c->arena, n * steps * nu, sizeof(float), error);
    c->ratio = hed_arena_new(&c->arena, n * steps * nu, sizeof(float), error);
    c->pasts = hed_arena_new(&c->arena, n * c->past * nu, sizeof(float), error);
    c->sums = hed_arena_new(&c->arena, n * 4, sizeof(float), error);
    c->states = hed_arena_new(&c->arena, n * (steps + 1) * nx, sizeof(float), error);
    c->scratch = hed_arena_new(&c->arena, steps + 4, sizeof(float), error);
    if (c->model.roll) c->arriving = hed_arena_new(&c->arena, steps * nu, sizeof(float), error);
    c->crashed = hed_arena_new(&c->arena, n, sizeof(bool), error);
    c->failures = hed_arena_new(&c->arena, n, sizeof(uint8_t), error);
    c->recent = hed_arena_new(&c->arena, n, sizeof(uint16_t), error);
    c->applied = hed_arena_new(&c->arena, c->def.count * nu, sizeof(float), error);
    c->sampled = hed_arena_new(&c->arena, n * steps * nu, sizeof(float), error);
    c->sampled_past = hed_arena_new(&c->arena, n * c->past * nu, sizeof(float), error);
    if (c->def.smooth_weight > 0)
        c->drive = hed_arena_new(&c->arena, n * steps * nu, sizeof(float), error);
    if (c->def.kind != HED_MPPI_PLAIN) create_nominal(c, error);
    c->counted = hed_arena_new(&c->arena, n, sizeof(uint32_t), error);
    mppi_make_shift(c, error);
    mppi_make_published(c, error);
    c->stats = hed_arena_new(&c->arena, c->def.count, sizeof *c->stats, error);
    c->lambda = hed_arena_new(&c->arena, c->def.count, sizeof(float), error);
    hed_ring_create(&allocator, sizeof(mppi_change), 1024, &c->changes, error);
    hed_ring_create(
        &allocator, sizeof(mppi_table_change), 2 * HED_MPPI_MAX_TABLES, &c->table_changes, error);
    for (uint32_t i = 0; i < 2 * c->def.table_count && !hed_failed(error); i++)
        c->spare[i / 2][i % 2] =
            hed_arena_new(&c->arena, c->def.tables[i / 2].capacity, sizeof(float), error);
    mppi_make_blocks(c, error);
    if (c->def.other_device_count && !hed_failed(error)) {
        c->structure.solver = &mppi_solver_devices;
        c->structure.solver->create(c, error);
    } else mppi_make_structure(c, error);
    for (uint32_t i = 0; !hed_failed(error) && i < c->def.count; i++) c->lambda[i] = c->def.lambda;
    if (def->measure) measure_structures(c, error);
    if (def->deadline_ns) measure_solves(c, error);
    if (hed_failed(error)) {
        hed_mppi_destroy(c);
        return error->status;
    }
    *controller = c;
    return HED_OK;
}

void hed_mppi_destroy(hed_mppi *c)
{
    if (!c) return;
    hed_allocator allocator = c->arena.allocator;
    mppi_drop_structure(c, &c->structure);
    mppi_free_code(c);
    hed_ring_destroy(c->changes);
    hed_ring_destroy(c->table_changes);
    hed_arena_free(&c->arena);
    hed_delete(&allocator, c, 1, sizeof *c);
}

/* ---- solving ---- */

/* Computes lambda (1 - alpha) Sigma^-1 u for each step of a system's plan. */
static void fill_ratio(hed_mppi *c, uint32_t system)
{
    uint32_t nu = c->model.controls, steps = c->def.steps;
    const float *plan = c->plan + (uint64_t)system * steps * nu, *factor = c->def.sigma_steps;
    float *ratio = c->ratio + (uint64_t)system * steps * nu;
    float scale = c->lambda[system % c->def.count] * (1 - c->def.alpha);
    for (uint32_t t = 0; t < steps; t++)
        for (uint32_t i = 0; i < nu; i++) {
            float g = 0;
            if (c->time_precision) {
                const float *row = c->time_precision + ((uint64_t)i * steps + t) * steps;
                for (uint32_t s = 0; s < steps; s++) g += row[s] * plan[s * nu + i];
                g /= c->def.sigma[i] * c->def.sigma[i];
            } else {
                for (uint32_t j = 0; j < nu; j++) g += c->precision[i * nu + j] * plan[t * nu + j];
            }
            if (factor) g /= factor[t * nu + i] * factor[t * nu + i];
            ratio[t * nu + i] = isfinite(g) ? scale * g : 0;
        }
}

/* Applies the changes posted since the last solve. */
static hed_status take_changes(hed_mppi *c, hed_error *error)
{
    mppi_change change;
    mppi_table_change table;
    while (hed_ring_pop(c->changes, &change))
        hed_mppi_set_parameter(c, HED_MPPI_ALL, change.parameter, change.value);
    while (hed_ring_pop(c->table_changes, &table)) {
        mppi_set_table(
            c, HED_MPPI_ALL, table.table, c->spare[table.table][table.spare], table.count);
        atomic_store_explicit(
            &c->spare_used[table.table][table.spare], false, memory_order_release);
    }
    for (uint32_t i = 0; i < c->def.table_count && !hed_failed(error); i++)
        if (c->changed_tables >> i & 1) c->structure.solver->table(c, i, error);
    if (!hed_failed(error)) c->changed_tables = 0;
    mppi_fill_timed(c);
    return hed_failed(error) ? error->status : HED_OK;
}

/* Sets the plan of one system from a round's results. False: no sample had a finite cost. */
static bool take_mean(hed_mppi *c, uint32_t system)
{
    uint64_t size = (uint64_t)c->def.steps * c->model.controls, at = system * size;
    if (!(c->sums[4 * system + 1] > 0)) return false;
    for (uint64_t j = 0; c->drive && j < size; j++)
        c->drive[at + j] += c->mean[at + j] - c->plan[at + j];
    memcpy(c->plan + at, c->mean + at, size * sizeof(float));
    if (c->def.smooth) mppi_smooth(c, system, c->scratch);
    mppi_limit(c, system);
    return true;
}

static void fill_stats(hed_mppi *c, uint32_t system, hed_mppi_outcome outcome, uint32_t iterations)
{
    const float *sums = c->sums + 4 * (uint64_t)system;
    hed_mppi_stats *stats = &c->stats[system % c->def.count];
    double samples = c->counted[system] ? c->counted[system] : c->def.samples,
           lambda = c->lambda[system % c->def.count];
    *stats = (hed_mppi_stats){.outcome = outcome, .iterations = iterations};
    stats->baseline = sums[0];
    stats->normalizer = (float)(sums[1] / samples);
    stats->free_energy = (float)(sums[0] - lambda * hed_strict_log(sums[1] / samples));
    stats->ess = sums[2] > 0 ? sums[1] * sums[1] / sums[2] : 0;
    stats->crashed = (float)(sums[3] / samples);
    stats->samples = iterations ? c->counted[system] : 0;
    stats->lambda = (float)lambda;
}

static void count_failure(hed_mppi *c, uint32_t system, bool failed)
{
    c->failures[system] = failed ? (c->recent[system] ? 2 : 1) : 0;
    if (failed) c->recent[system] = (uint16_t)c->def.steps;
    else if (c->recent[system]) c->recent[system]--;
}

/* Adapts lambda for the next solve, to bring the effective sample size nearer to its target: by
 * half of the distance in the logarithm, at most a factor of two. Lambda stays within 1e6 times
 * its first value, because the importance correction grows with lambda and may make the target
 * unreachable. */
static void adapt_lambda(hed_mppi *c, uint32_t index)
{
    float ess = c->stats[index].ess;
    if (c->def.ess_target <= 0 || ess <= 0) return;
    float factor = sqrtf(c->def.ess_target / ess);
    factor = factor > 2 ? 2 : factor < 0.5f ? 0.5f : factor;
    double lambda = c->lambda[index] * factor, share = lambda / c->def.lambda;
    if (share > 1e-6 && share < 1e6) c->lambda[index] = (float)lambda;
}

/* Checks the states (count x nx) of a solve. */
static hed_status check_states(const hed_mppi *c, const float *x, hed_error *error)
{
    uint32_t nx = c->model.states;
    for (uint32_t i = 0; i < c->def.count * nx; i++) {
        if (isfinite(x[i])) continue;
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "mppi: state %u %s of controller %u is %g: a finite number is expected", i % nx,
            c->model.state_names ? c->model.state_names[i % nx] : "", i / nx, (double)x[i]);
    }
    return HED_OK;
}

/* Takes the history of a new controller from the states that measure its controls. */
static void begin_history(hed_mppi *c)
{
    uint32_t nx = c->model.states, nu = c->model.controls;
    for (uint32_t s = 0; s < c->systems && !c->has_history; s++)
        for (uint32_t j = 0; j < c->past * nu; j++) {
            uint32_t measured = c->model.measured_by[j % nu];
            if (!measured) continue;
            c->pasts[(uint64_t)s * c->past * nu + j] =
                c->state[(uint64_t)(s % c->def.count) * nx + measured - 1];
        }
    c->has_history = true;
}

/* Runs the rounds of a solve; stores their number. Errors: the solver's. */
static hed_status run_rounds(hed_mppi *c, mppi_sampling *round, uint32_t *done, hed_error *error)
{
    uint64_t size = (uint64_t)c->systems * c->def.steps * c->model.controls;
    bool is_cut = false;
    /* smooth MPPI: the mean of the samples is the plan plus the derivative found before */
    for (uint64_t j = 0; c->drive && j < size; j++) c->plan[j] += c->drive[j];
    for (uint32_t s = 0; c->drive && s < c->systems; s++) mppi_limit(c, s);
    for (; *done < c->def.iterations && !is_cut; (*done)++) {
        if (*done && !mppi_has_time(c, round)) break;
        for (uint32_t s = 0; round->ratio && s < c->systems; s++) fill_ratio(c, s);
        memcpy(c->sampled, c->plan, size * sizeof(float));
        round->number = c->round++;
        hed_status status = mppi_timed_round(c, &c->pace, round, error);
        if (status == HED_ERROR_TIMEOUT) {
            hed_error_clear(error);
            break;
        }
        if (status) return status;
        for (uint32_t s = 0; s < c->systems; s++) {
            c->crashed[s] = !take_mean(c, s);
            is_cut = is_cut || c->counted[s] < c->def.samples;
        }
    }
    c->is_cut = is_cut || *done < c->def.iterations;
    for (uint32_t s = 0; s < c->systems; s++)
        if (!*done || c->crashed[s]) mppi_limit(c, s); /* the plan is the former one */
    return HED_OK;
}

/* Computes the controls and statistics of controller `i` after its rounds. */
static void end_solve(hed_mppi *c, uint32_t i, uint32_t done)
{
    uint32_t nu = c->model.controls, count = c->def.count;
    float *applied = c->applied + i * nu;
    bool finite[2] = {mppi_keep(c, i), true};
    memcpy(applied, c->plan + (uint64_t)i * c->def.steps * nu, nu * sizeof *applied);
    if (c->def.kind != HED_MPPI_PLAIN) finite[1] = mppi_nominal_end(c, i, applied);
    mppi_hold(c, i, applied);
    hed_mppi_outcome outcome = c->is_cut ? HED_MPPI_DEADLINE : HED_MPPI_SOLVED;
    bool all_out = c->sums[4 * i + 3] >= (float)c->counted[i];
    if (done && (c->crashed[i] || all_out)) outcome = HED_MPPI_ALL_CRASHED;
    else if (done && !(finite[0] && finite[1])) outcome = HED_MPPI_DIVERGED;
    for (uint32_t s = i; s < c->systems; s += count)
        count_failure(c, s, done && (c->crashed[s] || !finite[s / count]));
    /* ROBUST: the real system follows the nominal one; neither recovers without the other */
    if (c->def.kind == HED_MPPI_ROBUST && (c->failures[i] > 1 || c->failures[count + i] > 1))
        c->failures[i] = c->failures[count + i] = 2;
    fill_stats(c, i, outcome, done);
    if (c->candidate) c->stats[i].candidate = c->candidate[i];
    if (c->over_threshold) c->stats[i].over_threshold = c->over_threshold[i];
    adapt_lambda(c, i);
}

hed_status hed_mppi_solve(
    hed_mppi *controller, const float *x, float *u, hed_mppi_stats *stats, hed_error *error)
{
    HED_REQUIRE(controller, x);
    hed_error local = {0};
    if (!error) error = &local;
    uint64_t begin = hed_now(), limit = controller->def.deadline_ns;
    uint32_t nx = controller->model.states, nu = controller->model.controls,
             count = controller->def.count, done = 0;
    controller->stages = (hed_mppi_stages){0};
    if (check_states(controller, x, error) || take_changes(controller, error)) return error->status;
    memcpy(controller->state, x, count * nx * sizeof *x);
    begin_history(controller);
    for (uint32_t s = 0; s < controller->systems; s++) mppi_begin_again(controller, s);

    mppi_sampling round = {.state = controller->state,
        .plan = controller->plan,
        .past = controller->pasts,
        .systems = controller->systems,
        .samples = controller->def.samples,
        .parameters = controller->parameters,
        .lambda = controller->lambda,
        .deadline = mppi_last_samples(controller, begin),
        .fraction = 1,
        .counted = controller->counted,
        .mean = controller->mean,
        .sums = controller->sums};
    bool pair = controller->def.kind != HED_MPPI_PLAIN;
    if (pair && mppi_nominal_begin(controller, &round, error)) return error->status;
    controller->started = true;
    round.ratio = controller->def.alpha < 1 ? controller->ratio : NULL;
    round.gains = controller->def.kind == HED_MPPI_ROBUST ? controller->gains : NULL;
    if (run_rounds(controller, &round, &done, error)) return error->status;
    uint64_t end = hed_now();
    controller->last = round;
    controller->last.plan = controller->sampled;
    controller->last.past = controller->sampled_past;
    controller->last.counted = NULL;
    controller->last.deadline = 0;
    memcpy(controller->sampled_past, controller->pasts,
        (uint64_t)controller->systems * controller->past * nu * sizeof(float));
    const hed_mppi_model *model = &controller->model;
    if (!model->step && !model->roll && controller->structure.solver->along(controller, error))
        return error->status;
    for (uint32_t i = 0; i < count; i++) end_solve(controller, i, done);
    controller->unshifted = true;
    mppi_end_shift(controller);
    mppi_publish(controller);
    if (u) memcpy(u, controller->applied, (uint64_t)count * nu * sizeof *u);
    uint64_t finish_time = hed_now();
    controller->stages.finish_ns =
        finish_time - begin - controller->stages.submit_ns - controller->stages.wait_ns;
    for (uint32_t i = 0; i < count; i++) {
        controller->stats[i].solve_ns = finish_time - begin;
        controller->stats[i].missed = limit && finish_time - begin > limit;
        if (stats) stats[i] = controller->stats[i];
    }
    mppi_learn_reserve(controller, begin, end, finish_time);
    return HED_OK;
}

hed_mppi_stages hed_mppi_last_stages(const hed_mppi *controller)
{
    return controller ? controller->stages : (hed_mppi_stages){0};
}

void hed_mppi_reset(hed_mppi *c, const float *controls)
{
    if (!c) return;
    uint64_t size = (uint64_t)c->def.steps * c->model.controls;
    for (uint32_t s = 0; s < c->systems; s++) {
        float *plan = c->plan + s * size;
        if (controls) memcpy(plan, controls + s % c->def.count * size, size * sizeof *plan);
        else memset(plan, 0, size * sizeof *plan);
        memset(c->pasts + (uint64_t)s * c->past * c->model.controls, 0,
            c->past * c->model.controls * sizeof(float));
        c->failures[s] = 0;
        c->recent[s] = 0;
    }
    if (c->drive) memset(c->drive, 0, c->systems * size * sizeof(float));
    for (uint32_t i = 0; i < c->def.count; i++) c->lambda[i] = c->def.lambda;
    c->started = c->has_history = c->unshifted = false;
    c->timed.time = 0;
    mppi_end_shift(c);
    c->shift.since = 1;
    c->round = 0;
    for (uint32_t s = 0; controls && s < c->systems; s++) mppi_keep(c, s);
    memset(c->applied, 0, (uint64_t)c->def.count * c->model.controls * sizeof(float));
    mppi_publish(c);
}

/* ---- reading ---- */

const float *hed_mppi_controls(const hed_mppi *c, uint32_t index)
{
    if (!c) return NULL;
    return c->plan + (uint64_t)mppi_shown(c, index) * c->def.steps * c->model.controls;
}

const float *hed_mppi_states(const hed_mppi *c, uint32_t index)
{
    if (!c) return NULL;
    return c->states + (uint64_t)mppi_shown(c, index) * (c->def.steps + 1) * c->model.states;
}

const float *hed_mppi_gains(const hed_mppi *c, uint32_t index)
{
    if (!c) return NULL;
    uint64_t size = (uint64_t)c->def.steps * c->model.controls * c->model.states;
    return c->gains ? c->gains + index * size : NULL;
}

hed_status hed_mppi_trace(hed_mppi *controller, uint32_t index, uint32_t count, bool best,
    float *states, float *costs, hed_error *error)
{
    HED_REQUIRE(controller);
    if (index >= controller->def.count || count < 1 || count > controller->def.samples)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "mppi: trace of %u samples of controller %u: there are %u samples and %u controllers",
            count, index, controller->def.samples, controller->def.count);
    if (!controller->last.plan)
        return hed_fail(error, HED_ERROR_ARGUMENT, "mppi: trace before the first solve");
    mppi_sampling round = controller->last;
    round.gains = NULL;
    round.mean = NULL;
    round.sums = NULL;
    return controller->structure.solver->trace(
        controller, &round, mppi_shown(controller, index), count, best, states, costs, error);
}

hed_mppi_info hed_mppi_describe(const hed_mppi *c)
{
    if (!c) return (hed_mppi_info){0};
    const hed_mppi *first = c->parts ? c->parts[0] : c;
    hed_mppi_info info = {.def = &c->def,
        .device = c->device,
        .solver = first->structure.solver->kind,
        .origin = first->structure.origin,
        .measured = first->structure.measured,
        .parameter_count = c->parameter_count};
    memcpy(info.choice, first->structure.choice, sizeof info.choice);
    return info;
}

/* Updates an FNV-1a hash over the bits. */
static uint64_t hash_floats(uint64_t hash, const float *values, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        if (values[i] != values[i]) bits = 0x7fc00000u;
        for (int b = 0; b < 4; b++) hash = (hash ^ (bits >> (8 * b) & 0xff)) * 0x100000001b3u;
    }
    return hash;
}

uint64_t hed_mppi_hash(const hed_mppi *c)
{
    if (!c) return 0;
    uint64_t nx = c->model.states, nu = c->model.controls, steps = c->def.steps, n = c->systems;
    uint64_t hash = hash_floats(0xcbf29ce484222325u, c->plan, n * steps * nu);
    hash = hash_floats(hash, c->states, n * (steps + 1) * nx);
    return hash_floats(hash, c->sums, n * 4);
}
