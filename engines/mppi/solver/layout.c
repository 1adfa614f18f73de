/* Layout of a round on a device: group size, samples in a tile, storage of controls. Rules from
 * measurements on an H200 that need no tuning; docs/mppi.md has the crossovers. */
#include <stdio.h>
#include <stdlib.h>

#include "solver/mppi_layout.h"

/* ---- features of the definition ---- */

static bool has_rates(const hed_mppi *c)
{
    for (uint32_t i = 0; i < c->model.controls; i++)
        if (mppi_reach(c, i) > 0) return true;
    return false;
}

bool mppi_noise_is_array(const hed_mppi *c)
{
    return c->def.sampler != HED_MPPI_GAUSSIAN || c->factor;
}

/* True if the sampled controls are needed again after the sums. */
static bool needs_controls(const hed_mppi *c)
{
    return has_rates(c) || c->def.delay || c->def.smooth_weight > 0 || c->def.rollouts > 1 ||
           c->def.kind == HED_MPPI_ROBUST;
}

/* True if the model's text divides a sample's dynamics among lanes (MPPI_TEAM), and the
 * definition allows it. */
static bool has_team(const hed_mppi *c)
{
    return strstr(c->model.text, "MPPI_TEAM") && c->def.rollouts == 1 &&
           c->def.kind != HED_MPPI_ROBUST;
}

bool mppi_device_fits(const hed_mppi *c)
{
    const hed_device_info info = hed_device_describe(c->device);
    if (strcmp(info.backend, "host") == 0 || !c->model.text) return false;
    for (uint32_t k = 0; k < c->def.term_count; k++)
        if (!c->def.terms[k].text) return false;
    return c->def.math != HED_MATH_STRICT || (info.capabilities & HED_CAN_STRICT);
}

uint32_t mppi_packets_room(const hed_mppi *c)
{
    const hed_device_info info = hed_device_describe(c->device);
    uint64_t needs = HED_CAN_PACKETS | HED_CAN_MAPPED | HED_CAN_LANES;
    return (info.capabilities & needs) == needs ? info.compute_units / c->shares : 0;
}

/* Estimates the cost of the terms of a step from their text, in transcendental functions: each
 * call counts as often as the bound of its loop, or 16 times if the bound is not a number. */
static double text_expense(const char *text)
{
    static const struct {
        const char *call;
        double expense;
    } calls[] = {{"mppi_sin", 1}, {"mppi_cos", 1}, {"mppi_exp", 1}, {"mppi_log", 1},
        {"mppi_tanh", 1}, {"mppi_atan2", 1}, {"mppi_sqrt", 1}, {"mppi_divide", 1},
        {"mppi_reciprocal", 1}, {"TABLE(", 1}, {"mppi_grid_at", 4}, {"mppi_path_nearest", 16}};
    double expense = 0, times = 1;
    int depth = 0, loop_depth = -1;
    for (const char *at = text; at && *at; at++) {
        const char *end = strncmp(at, "/*", 2) == 0 ? strstr(at, "*/") : NULL;
        if (end) at = end;
        if (*at == '{') depth++;
        if (*at == '}' && --depth <= loop_depth) loop_depth = -1, times = 1;
        if (strncmp(at, "for (", 5) == 0) {
            const char *limit = strpbrk(at, "<)");
            long bound =
                limit && *limit == '<' ? strtol(limit + 1 + (limit[1] == '='), NULL, 10) : 0;
            times = bound > 0 ? (double)bound : 16;
            loop_depth = depth;
        }
        for (size_t i = 0; i < HED_COUNT(calls); i++)
            if (strncmp(at, calls[i].call, strlen(calls[i].call)) == 0)
                expense += times * calls[i].expense;
    }
    return expense;
}

static double cost_expense(const hed_mppi *c)
{
    double expense = 0;
    for (uint32_t k = 0; k < c->def.term_count; k++)
        if (c->def.terms[k].when != HED_MPPI_TERMINAL)
            expense += text_expense(c->def.terms[k].text);
    return expense;
}

/* Returns the index of the first of a sample's costs, in ascending order, that the risk
 * includes, as risk_of() in cpu_roll.c. */
static uint32_t risk_from(const hed_mppi *c)
{
    float rank = c->def.risk_level * (float)c->def.rollouts;
    if (c->def.risk == HED_MPPI_EXPECTED || !(rank > 0)) return 0;
    uint32_t from = (uint32_t)rank - ((float)(uint32_t)rank == rank);
    return from < c->def.rollouts ? from : c->def.rollouts - 1;
}

/* ---- local memory ---- */

static uint32_t define(mppi_layout *l, const char *name, uint64_t value)
{
    l->numbers[l->number_count++] = (mppi_number){name, (uint32_t)value};
    return (uint32_t)value;
}

static bool has_ratio(const hed_mppi *c, const mppi_layout *l)
{
    return c->def.alpha < 1 && !l->candidates;
}

/* Assigns the words of the inputs. */
static void layout_inputs(const hed_mppi *c, mppi_layout *l)
{
    uint32_t nu = c->model.controls;
    l->scalars = c->def.steps * nu;
    l->state = 3;
    l->parameters = l->state + c->model.states;
    l->counts = l->parameters + c->parameter_count;
    l->timed = l->counts + c->def.table_count;
    l->controller = l->timed + c->def.steps * c->timed.slots;
    l->past = l->controller + (c->text_rows > 1);
    l->plan = l->past + c->past * nu;
    l->ratio = l->plan + l->scalars;
    l->real_state = l->ratio + (has_ratio(c, l) ? l->scalars : 0);
    l->real_past = l->real_state + c->model.states;
    l->half = l->real_past + c->past * nu;
    l->precision = l->half + 1;
    l->rank = l->both ? l->precision + nu * nu : l->real_state;
    /* packets wait for every word, and have no use for a rank and a number of samples */
    l->inputs = l->rank + (c->def.update != HED_MPPI_EXPONENTIAL ? 2 : 0);
}

static uint32_t layout_value(const mppi_layout *l, uint32_t parameter)
{
    return (uint32_t)l->config.values[parameter];
}

/* Assigns the offsets of arrays in a group's local memory, and all other numbers of the text. */
static void layout_numbers(const hed_mppi *c, hed_mppi_solver solver, mppi_layout *l)
{
    const hed_device_info info = hed_device_describe(c->device);
    bool lanes = (info.capabilities & HED_CAN_LANES) != 0,
         packets = solver != HED_MPPI_SOLVER_LAUNCHES;
    uint32_t samples = layout_value(l, TILE_SAMPLES), group = layout_value(l, TILE_GROUP);
    uint64_t stride = samples + !lanes, at, max_words;
    bool split = layout_value(l, TILE_SPLIT), own = lanes && c->parameter_count <= 48;
    uint32_t store = layout_value(l, TILE_STORE), mergers = layout_value(l, TILE_MERGERS);
    uint32_t data = l->scalars / 3 + 1, sets = l->both ? 2 : 1, from = risk_from(c);
    bool one = c->def.risk == HED_MPPI_VALUE_AT_RISK;
    l->number_count = 0;
    define(l, "SCALARS", l->scalars);
    define(l, "ROWS", l->scalars + 2);
    define(l, "PARAMETERS", c->parameter_count + c->def.table_count);
    define(l, "MPPI_OWN_PARAMETERS", own);
    define(l, "COLUMNS", c->mix ? c->mix_columns : c->def.steps);
    define(l, "MIX", c->mix != NULL);
    define(l, "FACTOR", c->factor != NULL);
    define(l, "LOG_NORMAL", c->def.sampler == HED_MPPI_LOG_NORMAL);
    define(l, "PASTS", c->past);
    define(l, "DELAY", c->def.delay);
    define(l, "RATES", has_rates(c));
    define(l, "IMPORTANCE", has_ratio(c, l));
    define(l, "SIGMA_STEPS", c->def.sigma_steps != NULL);
    define(l, "NOISE_GIVEN", mppi_noise_is_array(c));
    define(l, "NOISE_STREAMS", c->def.sampler != HED_MPPI_GIVEN);
    define(l, "SMOOTH", c->def.smooth_weight > 0 && !l->both);
    define(l, "DISTURBED", c->disturbed && !l->both);
    define(l, "ROLLOUTS", c->def.rollouts);
    define(l, "RISK_FROM", from);
    define(l, "RISK_END", one ? from + 1 : c->def.rollouts);
    define(l, "ELITE", c->def.update == HED_MPPI_ELITE);
    define(l, "SETS", sets);
    define(l, "SYSTEMS", l->systems);
    define(l, "BLOCK_SYSTEMS", c->def.blocks > 1 ? c->systems : 0);
    define(l, "TILES", l->tiles);
    define(l, "CHAINS", l->chains);
    define(l, "WORKERS", l->workers);
    define(l, "SLICES", l->slices);
    define(l, "MERGE_GROUPS", l->merge_groups);
    define(l, "RESIDENT", solver == HED_MPPI_SOLVER_RESIDENT);
    define(l, "TRACE", l->trace);
    define(l, "INPUTS", l->inputs);
    define(l, "TIMED", c->def.deadline_ns > 0);
    define(l, "IN_NUMBER", 0);
    define(l, "IN_INVERSE", 1);
    define(l, "IN_FRACTION", 2);
    define(l, "IN_RANK", l->rank);
    define(l, "IN_COUNT", l->rank + 1);
    define(l, "IN_STATE", l->state);
    define(l, "IN_PARAMETERS", l->parameters);
    define(l, "IN_TIMED", l->timed);
    define(l, "IN_CONTROLLER", l->controller);
    define(l, "OWN_TABLES", c->text_rows > 1);
    define(l, "IN_PAST", l->past);
    define(l, "IN_PLAN", l->plan);
    define(l, "IN_RATIO", l->ratio);
    define(l, "IN_REAL_STATE", l->real_state);
    define(l, "IN_REAL_PAST", l->real_past);
    define(l, "IN_HALF", l->half);
    define(l, "IN_PRECISION", l->precision);
    at = define(l, "AT_INPUTS", 0) + (l->inputs + 2) / 3 * 3;
    uint64_t begin = at;
    at = define(l, "AT_WEIGHTS", at) + samples;
    at = define(l, "AT_MINIMA", at) + 64;
    at = define(l, "AT_CRASHED", at) + (lanes ? 0 : samples);
    at = define(l, "AT_SUMS", at) + sets * (l->scalars + 3);
    at = define(l, "AT_SHARES", at) + (split ? group : 0);
    at = define(l, "AT_CONTROLS", (at + 31) / 32 * 32) +
         (store == TILE_STORE_LOCAL ? sets * l->scalars * stride : 0);
    at = define(l, "AT_STATES", at) + (split ? c->def.steps * c->model.states * stride : 0);
    max_words = at;
    at = begin;
    at = define(l, "AT_FACTORS", at) + 3 * l->chains;
    at = define(l, "AT_TOTALS", at) + 16;
    at = define(l, "AT_PARTS", at) +
         (packets ? 3 * hed_ceil_divide(data, mergers) * l->merge_groups : 0);
    if (packets && at > max_words) max_words = at;
    l->local_bytes = max_words * sizeof(float);
    l->stored = store == TILE_STORE_GLOBAL ? sets * l->scalars * stride : 0;
}

/* ---- valid layouts ---- */

static bool layout_valid(
    const hed_mppi *c, hed_mppi_solver solver, const mppi_layout *l, char *reason, size_t size)
{
    const hed_device_info info = hed_device_describe(c->device);
    uint32_t group = layout_value(l, TILE_GROUP), samples = layout_value(l, TILE_SAMPLES);
    uint32_t noise = layout_value(l, TILE_NOISE), store = layout_value(l, TILE_STORE);
    bool strict = c->def.math == HED_MATH_STRICT, split = layout_value(l, TILE_SPLIT);
    uint32_t team = layout_value(l, TILE_TEAM);
    const char *problem = NULL;
    if (group < samples * team) problem = "SAMPLES times TEAM is larger than GROUP";
    else if (team > 1 && !(info.capabilities & HED_CAN_LANES)) problem = "TEAM needs lanes";
    else if (team > 1 &&
             (split || noise == TILE_NOISE_FUSED || samples * team % 32 || !has_team(c)))
        problem = "TEAM needs a text with MPPI_TEAM, SPLIT=0, and no NOISE=1, rollouts, ROBUST";
    else if (group > info.max_group) problem = "GROUP is larger than the device allows";
    else if (strict && samples != mppi_tile(c->block)) problem = "strict mode has its own SAMPLES";
    else if (split && (strict || store != TILE_STORE_LOCAL))
        problem = "SPLIT needs STORE=0 and fast mathematics";
    else if (split && (c->def.rollouts > 1 || l->both))
        problem = "SPLIT is for one rollout of a sample";
    else if (store == TILE_STORE_AGAIN && (noise != TILE_NOISE_FUSED || needs_controls(c)))
        problem = "STORE=1 needs NOISE=1, and no rates, delay, smooth_weight, rollouts, ROBUST";
    else if (noise == TILE_NOISE_AHEAD && solver == HED_MPPI_SOLVER_LAUNCHES)
        problem = "NOISE=2 is for packets";
    else if (solver != HED_MPPI_SOLVER_LAUNCHES && group < 64) problem = "packets need a GROUP of 64 at least";
    else if (l->local_bytes + 1024 > info.local_bytes) problem = "local memory is too small";
    if (problem) snprintf(reason, size, "%s", problem);
    return !problem;
}

/* Computes everything that follows from the parameters. */
static void layout_finish(const hed_mppi *c, hed_mppi_solver solver, mppi_layout *l)
{
    uint32_t samples = layout_value(l, TILE_SAMPLES), mergers = layout_value(l, TILE_MERGERS);
    uint32_t data = l->scalars / 3 + 1, width, max_chains = MPPI_MOST_CHAINS;
    bool strict = c->def.math == HED_MATH_STRICT, packets = solver != HED_MPPI_SOLVER_LAUNCHES;
    l->tiles = (uint32_t)hed_ceil_divide(l->samples, samples);
    if (packets) { /* even distribution: the fewest rounds of tiles, then the fewest groups */
        uint32_t room = mppi_packets_room(c);
        uint32_t workers = room > mergers ? room - mergers : 1;
        if (strict && workers > max_chains) workers = max_chains;
        if (workers > 256) workers = 256;
        uint32_t work = strict && l->tiles > max_chains ? max_chains : l->tiles;
        uint32_t rounds = (uint32_t)hed_ceil_divide(work, workers);
        l->workers = (uint32_t)hed_ceil_divide(work, rounds);
        max_chains = l->workers;
    }
    l->chains = strict && l->tiles > MPPI_MOST_CHAINS ? MPPI_MOST_CHAINS
                : strict || l->tiles < max_chains     ? l->tiles
                                                      : max_chains;
    l->slices = (l->scalars + 1 + 30) / 31;
    width = (uint32_t)hed_ceil_divide(data, mergers);
    l->merge_groups = MPPI_GROUPS;
    if (packets && !strict) {
        uint32_t fit = (layout_value(l, TILE_GROUP) - 32) / width,
                 chains_each = (l->chains + 7) / 8;
        l->merge_groups = fit < chains_each ? fit : chains_each;
        if (!l->merge_groups) l->merge_groups = 1;
    }
    layout_numbers(c, solver, l);
}

/* ---- rules ---- */

static bool try_samples(
    const hed_mppi *c, hed_mppi_solver solver, mppi_layout *l, uint32_t samples, uint32_t store)
{
    char reason[96];
    uint32_t group = samples <= 16 ? 256 : samples <= 64 ? 416 : 512;
    const hed_device_info info = hed_device_describe(c->device);
    if (!(info.capabilities & HED_CAN_LANES)) group = samples < 64 ? 64 : samples;
    if (group > info.max_group) group = samples < 64 ? 64 : samples;
    bool ahead = solver != HED_MPPI_SOLVER_LAUNCHES;
    bool fused = (samples >= 256 && !ahead) || store == TILE_STORE_AGAIN;
    l->config.values[TILE_GROUP] = group;
    l->config.values[TILE_SAMPLES] = samples;
    l->config.values[TILE_STORE] = store;
    l->config.values[TILE_NOISE] = fused   ? TILE_NOISE_FUSED
                                   : ahead ? TILE_NOISE_AHEAD
                                           : TILE_NOISE_PHASE;
    layout_finish(c, solver, l);
    return layout_valid(c, solver, l, reason, sizeof reason);
}

/* Chooses a team if the model's text supports one: weights of a network then stay in registers,
 * and a warp waits less. A whole warp works on a sample while there is a multiprocessor for each
 * tile of 8, else half and a quarter of a warp. False: no team. */
static bool choose_team(const hed_mppi *c, hed_mppi_solver solver, mppi_layout *l)
{
    const hed_device_info info = hed_device_describe(c->device);
    uint32_t samples_each = (uint32_t)hed_ceil_divide(c->block, info.compute_units);
    uint32_t samples = samples_each <= 8 ? 8 : samples_each <= 32 ? 16 : 32;
    mppi_layout candidate = *l;
    char reason[96];
    if (!has_team(c) || !(info.capabilities & HED_CAN_LANES)) return false;
    if (c->def.math == HED_MATH_STRICT) samples = mppi_tile(c->block);
    if (samples > 32) return false;
    l->config.values[TILE_SAMPLES] = samples;
    l->config.values[TILE_TEAM] = 256 / samples;
    l->config.values[TILE_GROUP] = 256;
    l->config.values[TILE_UNROLL] = 2;
    l->config.values[TILE_NOISE] =
        solver == HED_MPPI_SOLVER_LAUNCHES ? TILE_NOISE_PHASE : TILE_NOISE_AHEAD;
    layout_finish(c, solver, l);
    if (layout_valid(c, solver, l, reason, sizeof reason)) return true;
    *l = candidate;
    return false;
}

/* Splits the terms of a step among lanes if warps would idle and the terms are worth two
 * barriers. */
static void choose_split(const hed_mppi *c, hed_mppi_solver solver, mppi_layout *l, double expense)
{
    mppi_layout whole = *l;
    char reason[96];
    uint32_t samples = layout_value(l, TILE_SAMPLES);
    if (c->def.math == HED_MATH_STRICT || solver == HED_MPPI_SOLVER_LAUNCHES) return;
    if (expense <= 5 || c->block > 16384 || samples >= 256) return;
    l->config.values[TILE_SPLIT] = 1;
    l->config.values[TILE_GROUP] = 512;
    uint32_t room = mppi_packets_room(c), mergers = layout_value(l, TILE_MERGERS);
    if (room > mergers && c->block <= 8 * (room - mergers)) l->config.values[TILE_SAMPLES] = 8;
    l->config.values[TILE_UNROLL] = c->model.states > 6 ? 10 : 25;
    layout_finish(c, solver, l);
    if (!layout_valid(c, solver, l, reason, sizeof reason)) *l = whole;
}

/* Returns the unrolling of a rollout's loop: as many steps as fit into instruction caches and
 * registers. */
static uint32_t choose_unroll(const hed_mppi *c, uint32_t samples, double expense)
{
    if (expense > 16) return 2;
    if (expense > 5 && samples >= 64) return 5;
    return c->model.states > 6 || expense > 4 ? 10 : 25;
}

/* Chooses the smallest tiles that give every worker a tile: a chain of steps takes as long for
 * one sample as for 32. Beyond that, more samples in a tile hide the latency of a step, until
 * local memory is full; sampling again (STORE_AGAIN) is for controls that do not fit at all. */
static bool layout_rules(const hed_mppi *c, hed_mppi_solver solver, mppi_layout *l)
{
    const hed_device_info info = hed_device_describe(c->device);
    bool strict = c->def.math == HED_MATH_STRICT, lanes = info.capabilities & HED_CAN_LANES;
    bool packets = solver != HED_MPPI_SOLVER_LAUNCHES, again = lanes && !needs_controls(c);
    uint32_t mergers = c->shares == 1 ? 4 : c->shares <= 8 ? 2 : 1;
    uint32_t groups = packets ? mppi_packets_room(c) : lanes ? MPPI_MOST_CHAINS : 4096;
    uint32_t room = packets && groups > mergers ? groups - mergers : groups;
    double expense = cost_expense(c);
    uint32_t target = lanes ? 16 : 32, fits;
    l->config.count = TILE_PARAMETERS;
    for (uint32_t i = 0; i < TILE_PARAMETERS; i++)
        l->config.values[i] = mppi_tile_parameters[i].value;
    l->config.values[TILE_MERGERS] = mergers;
    while (target < 512 && (uint64_t)target * (room ? room : 1) < c->block) target *= 2;
    if (strict) target = mppi_tile(c->block);
    l->config.values[TILE_UNROLL] = choose_unroll(c, target, expense);
    /* more controls need more mergers, while there are free multiprocessors */
    if (mergers == 4 && l->scalars >= 300 && hed_ceil_divide(c->block, target) + 8 <= groups)
        l->config.values[TILE_MERGERS] = 8;
    if (choose_team(c, solver, l)) return true;
    if (try_samples(c, solver, l, target, TILE_STORE_LOCAL)) {
        choose_split(c, solver, l, expense);
        return true;
    }
    fits = target;
    while (!strict && fits > 16 && !try_samples(c, solver, l, fits, TILE_STORE_LOCAL)) fits /= 2;
    if (!strict && try_samples(c, solver, l, fits, TILE_STORE_LOCAL)) return true;
    if (again && try_samples(c, solver, l, target, TILE_STORE_AGAIN)) return true;
    return try_samples(c, solver, l, target, TILE_STORE_GLOBAL);
}

hed_status mppi_layout_make(
    hed_mppi *c, hed_mppi_solver solver, mppi_layout *layout, hed_error *error)
{
    char reason[96] = "";
    if (hed_failed(error)) return error->status;
    *layout = (mppi_layout){
        .systems = c->shares, .samples = c->block, .both = c->def.kind == HED_MPPI_ROBUST};
    layout_inputs(c, layout);
    bool has_layout = layout_rules(c, solver, layout);
    mppi_layout rules = *layout;
    const char *choice = c->def.choice ? c->def.choice : c->tuned;
    if (mppi_take_choice(choice, mppi_choice_parameters(solver), &layout->config, error))
        return error->status;
    layout_finish(c, solver, layout);
    if (c->tuned[0] && !layout_valid(c, solver, layout, reason, sizeof reason)) {
        *layout = rules; /* the tuned choice is for a similar size, but invalid for this one */
        c->structure.origin = HED_ORIGIN_DEFAULT;
    }
    if (!layout_valid(c, solver, layout, reason, sizeof reason))
        return hed_fail(error, has_layout ? HED_ERROR_ARGUMENT : HED_ERROR_LIMIT,
            "mppi: %u samples of %u steps and %u controls on %s: %s (choice %s; %llu bytes of local "
            "memory, the device has %llu)",
            c->def.samples, c->def.steps, c->model.controls, hed_device_describe(c->device).id,
            reason, c->def.choice ? c->def.choice : "by the rules",
            (unsigned long long)layout->local_bytes,
            (unsigned long long)hed_device_describe(c->device).local_bytes);
    hed_config_format(mppi_choice_parameters(solver), &layout->config, c->structure.choice,
        sizeof c->structure.choice);
    if (c->def.choice) c->structure.origin = HED_ORIGIN_GIVEN;
    return HED_OK;
}

void mppi_layout_candidates(const hed_mppi *c, mppi_layout *layout)
{
    layout->both = false;
    layout->candidates = true;
    layout->systems = c->def.count * c->def.candidates;
    layout->samples = c->def.candidate_samples;
    layout_inputs(c, layout);
    layout_finish(c, HED_MPPI_SOLVER_LAUNCHES, layout);
}

void mppi_layout_trace(const hed_mppi *c, mppi_layout *layout)
{
    const hed_device_info info = hed_device_describe(c->device);
    hed_config *config = &layout->config;
    config->values[TILE_GROUP] = config->values[TILE_SAMPLES] = info.max_group < 64 ? 32 : 64;
    config->values[TILE_NOISE] = TILE_NOISE_FUSED;
    config->values[TILE_STORE] = TILE_STORE_GLOBAL;
    config->values[TILE_SPLIT] = 0;
    config->values[TILE_TEAM] = 1;
    config->values[TILE_UNROLL] = 1;
    layout->trace = true;
    layout->both = false;
    layout_numbers(c, HED_MPPI_SOLVER_LAUNCHES, layout);
}

/* ---- inputs of rounds ---- */

mppi_fixed mppi_fixed_of(const hed_mppi *c, uint32_t samples)
{
    uint32_t averaged = c->def.risk == HED_MPPI_VALUE_AT_RISK ? 1 : c->def.rollouts - risk_from(c);
    mppi_fixed f = {.samples = samples,
        .row = c->blocks * c->block,
        .begin = c->first_block * c->block,
        .block = c->block,
        .pure = samples - (uint32_t)(c->def.pure_noise * (float)samples),
        .still = c->def.committed * c->model.controls,
        .keep = c->def.keep_plan,
        .streams = c->def.count,
        .seed_low = (uint32_t)c->def.seed,
        .seed_high = (uint32_t)(c->def.seed >> 32),
        .watch = 1 << 20, /* polls; one to two seconds */
        .dt = c->def.dt,
        .scale = c->def.scale == HED_MPPI_MEAN ? 1.0f / (float)c->def.steps : 1.0f,
        .crash = c->def.crash_cost,
        .smooth = mppi_smooth_weight(c),
        .log_sigma = c->def.log_sigma,
        .gamma = c->def.tsallis_threshold,
        .power = 1 / (c->def.tsallis_r - 1),
        .value_threshold = c->def.value_threshold,
        .risk_share = 1.0f / (float)averaged};
    for (uint32_t i = 0; i < c->model.states; i++)
        f.shake[i] = c->def.disturbance[i] * mppi_sqrt(c->def.dt);
    for (uint32_t i = 0; i < c->model.controls; i++) {
        f.sigma[i] = c->def.sigma[i];
        f.low[i] = c->def.minimum[i];
        f.high[i] = c->def.maximum[i];
        float reach = mppi_reach(c, i), brake = mppi_brake(c, i);
        f.reach[i] = reach > 0 ? reach : 1e38f;
        f.brake[i] = reach > 0 ? brake : 1e38f;
    }
    return f;
}

uint32_t mppi_counted(const hed_mppi *c, const mppi_layout *l, const mppi_sampling *round)
{
    uint32_t tiles = (uint32_t)(round->fraction * (float)l->tiles);
    uint64_t samples = (tiles > 1 ? tiles : 1) * (uint64_t)l->config.values[TILE_SAMPLES];
    uint32_t most = l->candidates ? l->samples : c->def.samples;
    return samples < most ? (uint32_t)samples : most;
}

uint32_t mppi_list_inputs(const hed_mppi *c, const mppi_layout *l, const mppi_sampling *round,
    uint32_t system, mppi_section sections[MPPI_SECTIONS])
{
    uint32_t nx = c->model.states, pasts = c->past * c->model.controls, count = 0;
    if (!l->candidates) system %= c->systems; /* index in its block */
    sections[count++] = (mppi_section){2, 1, &round->fraction};
    sections[count++] = (mppi_section){l->state, nx, round->state + (size_t)system * nx};
    uint32_t index = system % c->def.count, timed = c->def.steps * c->timed.slots;
    sections[count++] = (mppi_section){
        l->parameters, c->parameter_count, round->parameters + (size_t)index * c->parameter_count};
    /* numbers of floats in the tables, and the controller's own number, as bits */
    const uint32_t *counts = c->table_counts + (size_t)index * HED_MPPI_MAX_TABLES;
    sections[count++] =
        (mppi_section){l->counts, c->def.table_count, (const float *)(const void *)counts};
    sections[count++] = (mppi_section){
        l->controller, c->text_rows > 1, (const float *)(const void *)(c->numbers + index)};
    if (timed)
        sections[count++] =
            (mppi_section){l->timed, timed, c->timed.slot_rows + (size_t)index * timed};
    const float *past = round->past + (size_t)(system % c->systems) * pasts;
    sections[count++] = (mppi_section){l->past, pasts, past};
    sections[count++] =
        (mppi_section){l->plan, l->scalars, round->plan + (size_t)system * l->scalars};
    if (has_ratio(c, l))
        sections[count++] =
            (mppi_section){l->ratio, l->scalars, round->ratio + (size_t)system * l->scalars};
    if (!l->both) return count;
    uint32_t real = system % c->def.count, nu = c->model.controls;
    sections[count++] = (mppi_section){l->real_state, nx, round->state + (size_t)real * nx};
    sections[count++] = (mppi_section){l->real_past, pasts, round->past + (size_t)real * pasts};
    sections[count++] = (mppi_section){l->precision, nu * nu, c->precision};
    return count;
}
