/* Measurement of the fastest solver for an instrument on a device: a pipeline of the tuner
 * (heddle/tune.h) whose parameters are the solver, the packing of entities into lanes, and the
 * items of a work-group. The result is stored in the tuning database, where hed_synth_create()
 * looks it up for HED_SYNTH_SOLVER_AUTO. Value 0 of each parameter selects the rules, so the
 * default is the behaviour of an untuned device. */
#include "solver/solver.h"

#include <math.h>
#include <string.h>

#include "heddle/tune.h"
#include "solver/group/kernels.h"

enum { STRUCTURE, PACK, ITEMS, PARAMETERS };
enum { RUN_BLOCKS = 4, CHECKED_FRAMES = 1024, NOTES = 12 };

/* ---- the space ---- */

static const int64_t solvers[] = {
    HED_SYNTH_SOLVER_AUTO, HED_SYNTH_SOLVER_GROUP, HED_SYNTH_SOLVER_GLOBAL, HED_SYNTH_SOLVER_GRID};
static const char *const solver_labels[] = {"rule", "group", "global", "grid"};
static const int64_t packs[] = {0, 1 + HED_PACK_ROWS, 1 + HED_PACK_EXACT_COST, 1 + HED_PACK_EXACT,
    1 + HED_PACK_GREEDY, 1 + HED_PACK_SPREAD};
static const char *const pack_labels[] = {
    "rule", "rows", "exact_cost", "exact", "greedy", "spread"};
static const int64_t group_items[] = {0, 32, 64, 128, 256, 512, 1024};

#define CHOICES(values) values, HED_COUNT(values), 0
static const hed_parameter_def parameters[PARAMETERS] = {
    [STRUCTURE] = {"STRUCTURE", CHOICES(solvers), solver_labels},
    [PACK] = {"PACK", CHOICES(packs), pack_labels},
    [ITEMS] = {"ITEMS", CHOICES(group_items), NULL},
};
static const hed_condition conditions[] = {
    {"PACK", "STRUCTURE == \"group\" or STRUCTURE == \"global\""},
    {"ITEMS", "STRUCTURE == \"group\" or STRUCTURE == \"global\""},
};
static const char *const dimensions[] = {"bodies", "springs", "others", "voices"};

static hed_pipeline_def pipeline_of(void)
{
    return (hed_pipeline_def){
        .name = "synth", .version = "1", .parameters = parameters, .parameter_count = PARAMETERS,
        .conditions = conditions, .condition_count = HED_COUNT(conditions),
        .dimensions = dimensions, .dimension_count = HED_COUNT(dimensions),
    };
}

const hed_kernel_def *hed_synth_tune_description(void)
{
    static const hed_kernel_def description = {
        .name = "synth", .summary = "the solver of an instrument", .parameters = parameters,
        .parameter_count = PARAMETERS, .dimensions = dimensions,
        .dimension_count = HED_COUNT(dimensions),
    };
    return &description;
}

static hed_problem problem_of(const hed_synth_instrument *instrument)
{
    const hed_synth_instrument_def *def = hed_synth_instrument_definition(instrument);
    int64_t others = 0;
    for (int type = 0; type < HED_SYNTH_ENTITY_TYPE_COUNT; type++)
        if (type != HED_SYNTH_BODY && type != HED_SYNTH_SPRING)
            others += hed_synth_instrument_count(instrument, (hed_synth_entity_type)type);
    return (hed_problem){4, {hed_synth_instrument_count(instrument, HED_SYNTH_BODY),
                                hed_synth_instrument_count(instrument, HED_SYNTH_SPRING) + 1,
                                others + 1, def->mode == HED_SYNTH_SINGLETON ? 1 : def->voices}};
}

hed_status synth_tuned_resolve(hed_device *device, const hed_synth_instrument *instrument,
    hed_config *tuned, hed_config_origin *configured)
{
    *configured = HED_ORIGIN_DEFAULT;
    if (strcmp(hed_device_describe(device)->backend, "host") == 0) return HED_OK;
    hed_pipeline_def pipeline = pipeline_of();
    hed_problem problem = problem_of(instrument);
    return hed_pipeline_resolve(device, &pipeline, &problem, tuned, configured, NULL);
}

void synth_tuned_apply(const hed_config *tuned, hed_synth_def *def, uint32_t *items)
{
    if (tuned->values[STRUCTURE]) def->solver = (hed_synth_solver)tuned->values[STRUCTURE];
    if (tuned->values[PACK]) def->pack = (hed_pack_method)(tuned->values[PACK] - 1);
    *items = (uint32_t)tuned->values[ITEMS];
}

/* ---- the pipeline's work ---- */

typedef struct tuning {
    hed_device *device;
    hed_synth_def def;
    hed_synth *synth; /* synth with the current configuration */
    float *expected;  /* (2 x CHECKED_FRAMES) left, then right, as computed by the cpu solver */
    float *found;     /* (2 x CHECKED_FRAMES) of the candidate; at least a block */
    double peak;
} tuning;

/* Plays frames from the start, with a chord over the instrument's whole range at the first. */
static hed_status tune_play(tuning *t, uint32_t frames, bool chord, hed_error *error)
{
    hed_synth_event events[NOTES] = {0};
    const hed_synth_instrument_def *def = hed_synth_instrument_definition(t->def.instrument);
    for (uint32_t i = 0; i < NOTES; i++) {
        events[i].kind = HED_SYNTH_EVENT_MIDI;
        events[i].bytes[0] = 0x90;
        events[i].bytes[1] = (uint8_t)(def->low + (def->high - def->low) * i / (NOTES - 1));
        events[i].bytes[2] = 100;
    }
    for (uint32_t at = 0; at < frames && !error->status;) {
        uint32_t count = frames - at < t->def.block ? frames - at : t->def.block,
                 place = at % CHECKED_FRAMES;
        if (count > CHECKED_FRAMES - place) count = CHECKED_FRAMES - place;
        hed_synth_block block = {.frames = count, .events = events,
            .event_count = chord && at == 0 ? NOTES : 0, .left = t->found + place,
            .right = t->found + CHECKED_FRAMES + place};
        hed_synth_process(t->synth, &block, error);
        at += count;
    }
    return error->status;
}

static hed_status prepare(void *user, const hed_config *config, hed_error *error)
{
    tuning *t = user;
    hed_synth_destroy(t->synth);
    t->synth = NULL;
    synth_create_tuned(t->device, &t->def, config, &t->synth, error);
    return tune_play(t, t->def.block, true, error);
}

static hed_status tune_run_block(void *user, double *value, hed_error *error)
{
    tuning *t = user;
    (void)value; /* the tuner times this call */
    return tune_play(t, RUN_BLOCKS * t->def.block, false, error);
}

/* Compares the sound with the cpu solver's. In fast mode, 20 ms after the chord, no correct
 * candidate differs by 5 % of the peak; one that omits a type of entity does. */
static hed_status tune_check_block(void *user, hed_error *error)
{
    tuning *t = user;
    hed_synth_reset(t->synth, error);
    if (tune_play(t, CHECKED_FRAMES, true, error)) return error->status;
    double worst = 0;
    for (int i = 0; i < 2 * CHECKED_FRAMES; i++)
        worst = fmax(worst, fabs((double)t->found[i] - t->expected[i]));
    if (worst <= 0.05 * t->peak + 1e-6) return HED_OK;
    return hed_fail(error, HED_ERROR_FORMAT,
        "a sample is %.3g off that of the cpu, at a peak of %.3g", worst, t->peak);
}

static hed_status make_expected(tuning *t, hed_error *error)
{
    hed_synth_def reference = t->def;
    t->def.solver = HED_SYNTH_SOLVER_CPU;
    hed_synth_create(t->device, &t->def, &t->synth, error);
    tune_play(t, CHECKED_FRAMES, true, error);
    t->def = reference;
    if (error->status) return error->status;
    memcpy(t->expected, t->found, 2 * CHECKED_FRAMES * sizeof(float));
    for (int i = 0; i < 2 * CHECKED_FRAMES; i++) t->peak = fmax(t->peak, fabsf(t->expected[i]));
    if (t->peak > 0) return HED_OK;
    return hed_fail(error, HED_ERROR_ARGUMENT,
        "nothing is heard of this instrument when notes from %u to %u start: its tuning could not be checked",
        hed_synth_instrument_definition(t->def.instrument)->low,
        hed_synth_instrument_definition(t->def.instrument)->high);
}

hed_status hed_synth_tune(hed_device *device, const hed_synth_def *def, const hed_tune_def *tune,
    hed_tune_result **result, hed_error *error)
{
    HED_REQUIRE(device, def, result);
    *result = NULL;
    if (strcmp(hed_device_describe(device)->backend, "host") == 0)
        return hed_fail(error, HED_ERROR_UNSUPPORTED,
            "host has one solver, \"cpu\": there is nothing to choose");
    hed_error unseen = {0};
    if (!error) error = &unseen;
    float expected[2 * CHECKED_FRAMES], found[2 * CHECKED_FRAMES];
    tuning t = {.device = device, .def = *def, .expected = expected, .found = found};
    t.def.solver = HED_SYNTH_SOLVER_AUTO;
    hed_tune_def options = tune ? *tune : hed_default_tune_def();
    if (!make_expected(&t, error)) {
        hed_problem problem = problem_of(def->instrument);
        hed_pipeline_def pipeline = pipeline_of();
        pipeline.prepare = prepare;
        pipeline.run = tune_run_block;
        pipeline.check = tune_check_block;
        pipeline.user = &t;
        options.problem = &problem;
        if (!hed_tune_pipeline(device, &pipeline, &options, result, error))
            (*result)->reference = HED_REFERENCE_NATIVE;
    }
    hed_synth_destroy(t.synth);
    return error->status;
}
