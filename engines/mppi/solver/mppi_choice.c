/* Choice of a controller's solver and tile: the tuned one if a measurement of such a controller is
 * in the database, else by rule. Value 0 of each tuned parameter selects the rules, so the default
 * is the behaviour of an untuned device. */
#include <stdio.h>
#include <string.h>

#include "solver/mppi_layout.h"

/* TEAM is always chosen by the rules: few models have one, and most combinations with other
 * parameters are invalid. */
enum { SOLVER, TILE, TUNED = TILE_TEAM, PARAMETERS = TILE + TUNED };

/* ---- the space ---- */

static const int64_t solvers[] = {HED_MPPI_SOLVER_AUTO, HED_MPPI_SOLVER_LAUNCHES,
    HED_MPPI_SOLVER_PACKETS, HED_MPPI_SOLVER_RESIDENT};
static const char *const solver_labels[] = {"rule", "launches", "packets", "resident"};
static const int64_t groups[] = {0, 64, 128, 256, 416, 512, 1024};
static const int64_t samples[] = {0, 8, 16, 32, 64, 128, 256, 512};
/* 1 + the value in layout.c */
static const int64_t three[] = {0, 1, 2, 3}, two[] = {0, 1, 2};
static const char *const noise_labels[] = {"rule", "phase", "fused", "ahead"};
static const char *const split_labels[] = {"rule", "no", "yes"};
static const char *const store_labels[] = {"rule", "local", "again", "global"};
static const int64_t unrolls[] = {0, 1, 2, 5, 10, 25, 50};
static const int64_t mergers[] = {0, 1, 2, 4, 8};

#define CHOICES(values) values, HED_COUNT(values), 0
static const hed_parameter_def parameters[PARAMETERS] = {
    [SOLVER] = {"SOLVER", CHOICES(solvers), solver_labels},
    [TILE + TILE_GROUP] = {"GROUP", CHOICES(groups), NULL},
    [TILE + TILE_SAMPLES] = {"SAMPLES", CHOICES(samples), NULL},
    [TILE + TILE_NOISE] = {"NOISE", CHOICES(three), noise_labels},
    [TILE + TILE_SPLIT] = {"SPLIT", CHOICES(two), split_labels},
    [TILE + TILE_STORE] = {"STORE", CHOICES(three), store_labels},
    [TILE + TILE_UNROLL] = {"UNROLL", CHOICES(unrolls), NULL},
    [TILE + TILE_MERGERS] = {"MERGERS", CHOICES(mergers), NULL},
};
/* Combinations that layout_valid() of layout.c always rejects. */
static const char *const constraints[] = {"GROUP == 0 or SAMPLES <= GROUP",
    "NOISE != \"ahead\" or SOLVER == \"packets\" or SOLVER == \"resident\"",
    "STORE != \"again\" or NOISE == \"fused\"",
    "SPLIT != \"yes\" or STORE == \"rule\" or STORE == \"local\"", "SOLVER != \"resident\"",
    "SOLVER != \"packets\""};
/* the last two apply where the device lacks the solver */
enum { ALWAYS = HED_COUNT(constraints) - 2 };
static const hed_condition conditions[] = {
    {"MERGERS", "SOLVER == \"packets\" or SOLVER == \"resident\""}};
static const char *const dimensions[] = {"samples", "steps", "states", "controls", "controllers"};

const hed_kernel_def *hed_mppi_tune_description(void)
{
    static const hed_kernel_def description = {
        .name = "mppi",
        .summary = "the solver of a controller",
        .parameters = parameters,
        .parameter_count = PARAMETERS,
        .dimensions = dimensions,
        .dimension_count = HED_COUNT(dimensions),
    };
    return &description;
}

/* ---- the pipeline ---- */

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t count) /* FNV-1a */
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < count; i++) hash = (hash ^ at[i]) * 0x100000001b3u;
    return hash;
}

size_t mppi_version_bytes(const hed_mppi *c)
{
    size_t bytes = 32 + strlen(c->model.text);
    for (uint32_t k = 0; k < c->def.term_count; k++) bytes += strlen(c->def.terms[k].text) + 1;
    return bytes;
}

hed_pipeline_def mppi_tune_pipeline(const hed_mppi *c, char *version)
{
    const hed_mppi_def *d = &c->def;
    uint64_t hash = 0xcbf29ce484222325u;
    for (uint32_t k = 0; k < d->term_count; k++)
        hash = hash_bytes(hash, &d->terms[k].when, sizeof d->terms[k].when);
    bool rates = false;
    for (uint32_t i = 0; i < c->model.controls; i++) rates = rates || d->rate[i] > 0;
    const uint32_t uses[] = {(uint32_t)d->kind, (uint32_t)d->update, (uint32_t)d->sampler,
        d->rollouts, c->disturbed, d->alpha<1, d->smooth_weight> 0, d->delay, rates,
        d->sigma_steps != NULL, d->covariance != NULL, d->table_count, c->timed.slots,
        c->text_rows > 1};
    hash = hash_bytes(hash, uses, sizeof uses);
    bool resident = mppi_solver_resident.fits(c), packets = mppi_solver_packets.fits(c);
    size_t size = mppi_version_bytes(c);
    int used = snprintf(version, size, "1 %016llx\n%s", (unsigned long long)hash, c->model.text);
    for (uint32_t k = 0; k < d->term_count; k++)
        used += snprintf(version + used, size - (size_t)used, "\n%s", d->terms[k].text);
    return (hed_pipeline_def){.name = "mppi",
        .version = version,
        .parameters = parameters,
        .parameter_count = PARAMETERS,
        .constraints = constraints,
        .constraint_count = ALWAYS + !resident + !packets,
        .conditions = conditions,
        .condition_count = HED_COUNT(conditions),
        .dimensions = dimensions,
        .dimension_count = HED_COUNT(dimensions)};
}

hed_problem mppi_tune_problem(const hed_mppi *c)
{
    return (hed_problem){HED_COUNT(dimensions),
        {c->def.samples, c->def.steps, c->model.states, c->model.controls, c->def.count}};
}

void mppi_tuned_choice(const hed_config *config, hed_mppi_solver *solver, char *text, size_t size)
{
    size_t length = 0;
    text[0] = 0;
    *solver = (hed_mppi_solver)config->values[SOLVER];
    for (uint32_t i = 0; i < TUNED; i++) {
        bool choice = i == TILE_NOISE || i == TILE_SPLIT || i == TILE_STORE;
        int64_t value = config->values[TILE + i];
        if (value && length < size)
            length += (size_t)snprintf(text + length, size - length, "%s=%lld ",
                mppi_tile_parameters[i].name, (long long)(value - choice));
    }
}

/* Sets tuned_solver, tuned and origin from the database, if it has an entry. */
static void take_tuned(hed_mppi *c)
{
    hed_config config;
    hed_config_origin origin;
    const hed_allocator *allocator = &c->arena.allocator;
    bool host = !strcmp(hed_device_describe(c->device).backend, "host");
    /* measurements are of a single block */
    bool open = c->def.solver == HED_MPPI_SOLVER_AUTO && !c->def.choice && c->def.blocks == 1;
    if (host || !open || c->def.math == HED_MATH_STRICT || !mppi_device_fits(c)) return;
    char *version = hed_new(allocator, mppi_version_bytes(c), 1, NULL);
    if (!version) return;
    hed_pipeline_def pipeline = mppi_tune_pipeline(c, version);
    hed_problem problem = mppi_tune_problem(c);
    hed_status status =
        hed_pipeline_resolve(c->device, &pipeline, &problem, &config, &origin, NULL);
    hed_delete(allocator, version, mppi_version_bytes(c), 1);
    if (status || origin == HED_ORIGIN_DEFAULT) return;
    mppi_tuned_choice(&config, &c->tuned_solver, c->tuned, sizeof c->tuned);
    c->structure.origin = origin;
}

/* ---- the solver ---- */

hed_status mppi_choose_solver(hed_mppi *c, hed_error *error)
{
    static const mppi_solver *const by_preference[] = {
        &mppi_solver_cpu, &mppi_solver_packets, &mppi_solver_launches, &mppi_solver_resident};
    const hed_device_info device = hed_device_describe(c->device);
    take_tuned(c);
    for (size_t i = 0; i < HED_COUNT(by_preference) && c->tuned_solver != HED_MPPI_SOLVER_AUTO; i++)
        if (by_preference[i]->kind == c->tuned_solver && by_preference[i]->fits(c)) {
            c->structure.solver = by_preference[i];
            return HED_OK;
        }
    for (size_t i = 0; i < HED_COUNT(by_preference); i++) {
        if (c->def.solver != HED_MPPI_SOLVER_AUTO && c->def.solver != by_preference[i]->kind)
            continue;
        if (!by_preference[i]->fits(c)) continue;
        c->structure.solver = by_preference[i];
        return HED_OK;
    }
    bool host = !strcmp(device.backend, "host");
    if (host && !c->model.step && !c->model.roll)
        return hed_fail(error, HED_ERROR_UNSUPPORTED,
            "mppi: model %s has neither a C function nor a text: device host needs one of them",
            c->model.name);
    if (!host && !c->model.text)
        return hed_fail(error, HED_ERROR_UNSUPPORTED,
            "mppi: model %s has a C function and no text: device %s needs the text; host runs the "
            "function",
            c->model.name, device.id);
    return hed_fail(error, HED_ERROR_UNSUPPORTED,
        "mppi: no solver for this definition on device %s: it was made with solver %d", device.id,
        (int)c->def.solver);
}
