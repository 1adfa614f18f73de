/* Structures of a controller's solves: making, replacing, and timing them (hed_mppi_def.measure).
 *
 * The measurement descends along one parameter after the other from the structure that is stored or
 * follows from the rules. A candidate duels the best structure so far: rounds of both alternate, so
 * that a machine that is busy for a while slows both. Minimum and median must be 3 % lower, else the
 * best stays: ties stay with the default. */
#include <stdlib.h>
#include <string.h>

#include "solver/mppi_layout.h"

enum { DUEL_ROUNDS = 15, DUEL_FEWEST = 3 };
static const double DUEL_MARGIN = 0.97, DUEL_LOST = 1.15, DUEL_WON = 0.8;

/* ---- making and replacing ---- */

hed_status mppi_make_structure(hed_mppi *c, hed_error *error)
{
    c->structure = (mppi_structure){.origin = HED_ORIGIN_DEFAULT,
        .arena = {.allocator = c->arena.allocator, .owner = "a controller's solver"}};
    c->tuned_solver = HED_MPPI_SOLVER_AUTO;
    c->tuned[0] = 0;
    if (hed_failed(error) || mppi_choose_solver(c, error)) return error->status;
    return c->structure.solver->create(c, error);
}

static void swap_structures(hed_mppi *c, mppi_structure *structure)
{
    mppi_structure former = c->structure;
    c->structure = *structure;
    *structure = former;
}

void mppi_drop_structure(hed_mppi *c, mppi_structure *structure)
{
    swap_structures(c, structure);
    if (c->structure.solver) c->structure.solver->destroy(c);
    hed_arena_free(&c->structure.arena);
    swap_structures(c, structure);
    *structure = (mppi_structure){0};
}

/* Sets the definition's solver and choice, which `requested` gets the text of. */
static void request(hed_mppi *c, hed_mppi_solver solver, const char *choice)
{
    if (choice && choice != c->requested) strcpy(c->requested, choice);
    c->def.solver = solver;
    c->def.choice = choice ? c->requested : NULL;
}

hed_status hed_mppi_set_choice(
    hed_mppi *controller, hed_mppi_solver solver, const char *choice, hed_error *error)
{
    HED_REQUIRE(controller);
    hed_mppi *c = controller;
    hed_error local = {0};
    if (!error) error = &local;
    if (choice && strlen(choice) >= sizeof c->requested)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "mppi: choice has %zu characters; expected at most %zu", strlen(choice),
            sizeof c->requested - 1);
    if (solver < 0 || solver >= HED_MPPI_SOLVER_COUNT)
        return hed_fail(error, HED_ERROR_ARGUMENT, "mppi: solver is %d; expected 0 to %d",
            (int)solver, HED_MPPI_SOLVER_COUNT - 1);
    mppi_structure former[MPPI_MOST_BLOCKS];
    char text[sizeof c->requested];
    uint32_t count = c->parts ? 1 + c->def.other_device_count : 1, changed = 0;
    hed_mppi_def def = c->def;
    strcpy(text, c->requested);
    request(c, solver, choice);
    for (; changed < count && !hed_failed(error); changed++) {
        hed_mppi *part = c->parts ? c->parts[changed] : c;
        if (c->parts) request(part, solver, choice);
        former[changed] = part->structure;
        mppi_make_structure(part, error);
    }
    bool failed = hed_failed(error);
    for (uint32_t i = 0; i < changed; i++) {
        hed_mppi *part = c->parts ? c->parts[i] : c;
        if (failed) swap_structures(part, &former[i]);
        mppi_drop_structure(part, &former[i]);
        if (!failed) continue;
        request(part, def.solver, def.choice ? text : NULL);
    }
    if (failed) request(c, def.solver, def.choice ? text : NULL);
    return failed ? error->status : HED_OK;
}

/* ---- timing ---- */

typedef struct measurement {
    hed_mppi *c;
    mppi_sampling round;
    uint64_t end; /* time of hed_now() at which the budget is spent */
    /* longest time of making a structure, and of one round of the best, ns */
    uint64_t build_ns, round_ns;
    hed_mppi_solver solver; /* solver of the best structure */
    hed_config config;      /* parameters of the best structure */
} measurement;

/* Makes a round from the model's start, whose arrays are in `arena`. */
static mppi_sampling measured_round(hed_mppi *c, hed_arena *arena, hed_error *error)
{
    uint64_t nx = c->model.states, nu = c->model.controls, n = c->systems, size = c->def.steps * nu;
    bool robust = c->def.kind == HED_MPPI_ROBUST;
    float *state = hed_arena_new(arena, n * nx, sizeof *state, error);
    float *lambda = hed_arena_new(arena, c->def.count, sizeof *lambda, error);
    float *plan = hed_arena_new(arena, n * size, sizeof *plan, error);
    mppi_sampling round = {.systems = c->systems,
        .samples = c->def.samples,
        .state = state,
        .plan = plan,
        .past = hed_arena_new(arena, n * c->past * nu, sizeof(float), error),
        .ratio = c->def.alpha < 1 ? plan : NULL,
        .gains =
            robust ? hed_arena_new(arena, c->def.count * size * nx, sizeof(float), error) : NULL,
        .parameters = c->parameters,
        .lambda = lambda,
        .fraction = 1,
        .mean = hed_arena_new(arena, c->shares * size, sizeof(float), error),
        .sums = hed_arena_new(arena, 4ull * c->shares, sizeof(float), error)};
    for (uint64_t i = 0; state && lambda && i < n; i++) {
        memcpy(state + i * nx, c->model.start, nx * sizeof *state);
        lambda[i % c->def.count] = c->def.lambda;
    }
    return round;
}

/* Runs a round of the controller's present structure; returns its time, ns; UINT64_MAX: it failed. */
static uint64_t time_round(measurement *m)
{
    hed_error error = {0};
    const mppi_solver *solver = m->c->structure.solver;
    uint64_t begin = hed_now();
    m->round.number++;
    if (solver->begin(m->c, &m->round, &error) || solver->end(m->c, &m->round, &error))
        return UINT64_MAX;
    return hed_now() - begin;
}

static int compare_times(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* True if the controller's structure takes less time than the former best. */
static bool is_faster(measurement *m, mppi_structure *best)
{
    uint64_t candidate[DUEL_ROUNDS], former[DUEL_ROUNDS], minimum[2] = {UINT64_MAX, UINT64_MAX};
    uint32_t count = 0;
    if (time_round(m) == UINT64_MAX) return false; /* builds and allocates */
    while (count < DUEL_ROUNDS && hed_now() < m->end) {
        candidate[count] = time_round(m);
        swap_structures(m->c, best);
        former[count] = time_round(m);
        swap_structures(m->c, best);
        if (candidate[count] < minimum[0]) minimum[0] = candidate[count];
        if (former[count] < minimum[1]) minimum[1] = former[count];
        double share = (double)minimum[0] / (double)minimum[1];
        if (++count >= DUEL_FEWEST && (share > DUEL_LOST || share < DUEL_WON)) break;
    }
    if (count < DUEL_FEWEST) return false;
    qsort(candidate, count, sizeof *candidate, compare_times);
    qsort(former, count, sizeof *former, compare_times);
    m->round_ns = former[count / 2];
    return (double)minimum[0] < DUEL_MARGIN * (double)minimum[1] &&
           (double)candidate[count / 2] < DUEL_MARGIN * (double)former[count / 2];
}

/* ---- descent ---- */

/* Takes solver and parameters of the controller's structure as the best ones. */
static void take_best(measurement *m)
{
    hed_error error = {0};
    m->solver = m->c->structure.solver->kind;
    m->config = (hed_config){0};
    mppi_take_choice(m->c->structure.choice, mppi_choice_parameters(m->solver), &m->config, &error);
}

/* Tries a structure, and keeps it if it is faster. False: no time is left. */
static bool try_structure(measurement *m, hed_mppi_solver solver, const char *choice)
{
    hed_mppi *c = m->c;
    hed_error error = {0};
    uint64_t begin = hed_now(), needs = m->build_ns + 2 * DUEL_FEWEST * m->round_ns;
    if (begin + needs > m->end) return false;
    mppi_structure best = c->structure;
    hed_mppi_solver former_solver = c->def.solver;
    char former[sizeof c->requested];
    bool had_choice = c->def.choice != NULL;
    strcpy(former, had_choice ? c->def.choice : "");
    request(c, solver, choice);
    mppi_make_structure(c, &error);
    uint64_t took = hed_now() - begin;
    if (took > m->build_ns) m->build_ns = took;
    bool faster = !hed_failed(&error) && is_faster(m, &best);
    if (!faster) {
        swap_structures(c, &best);
        request(c, former_solver, had_choice ? former : NULL);
    }
    mppi_drop_structure(c, &best);
    if (!faster) return true;
    c->structure.measured = true;
    take_best(m);
    return true;
}

/* Tries all values of a parameter, with the best values of the others. False: no time is left. */
static bool try_parameter(measurement *m, uint32_t index, uint32_t values)
{
    hed_mppi_solver solver = m->solver;
    const hed_kernel_def *list = mppi_choice_parameters(solver);
    const hed_parameter_def *parameter = &list->parameters[index];
    for (uint32_t i = 0; i < values; i++) {
        char text[sizeof m->c->requested];
        hed_config config = m->config;
        int64_t value = parameter->count ? parameter->values[i] : 1 << i; /* a number of threads */
        if (value == config.values[index]) continue;
        config.values[index] = value;
        if (solver != HED_MPPI_SOLVER_CPU &&
            config.values[TILE_GROUP] < config.values[TILE_SAMPLES] * config.values[TILE_TEAM])
            config.values[index == TILE_GROUP ? TILE_SAMPLES : TILE_GROUP] =
                config.values[index] * (index == TILE_GROUP ? 1 : config.values[TILE_TEAM]);
        hed_config_format(list, &config, text, sizeof text);
        if (!try_structure(m, solver, text)) return false;
    }
    return true;
}

/* Descends once along all parameters. */
static void descend(measurement *m)
{
    static const uint8_t device[] = {
        TILE_SPLIT, TILE_SAMPLES, TILE_GROUP, TILE_NOISE, TILE_STORE, TILE_UNROLL, TILE_MERGERS};
    static const uint8_t host[] = {CPU_SPLIT, CPU_THREADS};
    bool is_host = m->solver == HED_MPPI_SOLVER_CPU;
    uint32_t threads = hed_device_describe(m->c->device).compute_units, powers = 0;
    while (1u << powers < threads) powers++;
    for (uint32_t n = 0; n < (is_host ? sizeof host : sizeof device); n++) {
        uint32_t index = is_host ? host[n] : device[n];
        bool launches = m->solver == HED_MPPI_SOLVER_LAUNCHES;
        if (!is_host && index == TILE_MERGERS && launches) continue;
        uint32_t count = mppi_choice_parameters(m->solver)->parameters[index].count;
        if (!try_parameter(m, index, count ? count : powers)) return;
    }
}

hed_status mppi_measure_structures(hed_mppi *c, hed_error *error)
{
    hed_arena arena = {.allocator = c->arena.allocator, .owner = "a measurement"};
    measurement m = {.c = c, .end = hed_now() + c->def.measure_ns};
    if (hed_failed(error) || c->def.choice) return hed_failed(error) ? error->status : HED_OK;
    m.round = measured_round(c, &arena, error);
    if (!hed_failed(error)) {
        hed_mppi_solver requested = c->def.solver;
        time_round(&m); /* builds and allocates */
        m.round_ns = time_round(&m);
        take_best(&m);
        if (requested == HED_MPPI_SOLVER_AUTO && m.solver == HED_MPPI_SOLVER_PACKETS)
            try_structure(&m, HED_MPPI_SOLVER_LAUNCHES, "");
        if (requested == HED_MPPI_SOLVER_AUTO && m.solver == HED_MPPI_SOLVER_LAUNCHES &&
            mppi_solver_packets.fits(c))
            try_structure(&m, HED_MPPI_SOLVER_PACKETS, "");
        descend(&m);
    }
    hed_arena_free(&arena);
    return hed_failed(error) ? error->status : HED_OK;
}
