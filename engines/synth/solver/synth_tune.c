/* Measurement of the fastest solver for an instrument on a device: a pipeline of the tuner
 * (heddle/tune.h) with the parameters of synth_choice.c. The result is stored in the tuning
 * database, where hed_synth_create() looks it up for HED_SYNTH_SOLVER_AUTO. */
#include "solver/solver.h"
#include "support/digits.h"

#include <math.h>
#include <string.h>

#include "heddle/synth_file.h"
#include "heddle/tune.h"

enum { RUN_BLOCKS = 4, CHECKED_FRAMES = 1024, NOTES = 12 };

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
    return hed_fail(error, HED_ERROR_FORMAT, "a sample is %s off that of the cpu, at a peak of %s",
        hed_digits(worst, 3).text, hed_digits(t->peak, 3).text);
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
    if (strcmp(hed_device_describe(device).backend, "host") == 0)
        return hed_fail(error, HED_ERROR_UNSUPPORTED,
            "host has one solver, \"cpu\": there is nothing to choose");
    if (hed_synth_instrument_layer_count(def->instrument))
        return hed_fail(error, HED_ERROR_UNSUPPORTED,
            "the instrument has layers, of which each has a choice of its own; expected the "
            "instrument of one layer");
    hed_error unseen = {0};
    if (!error) error = &unseen;
    float expected[2 * CHECKED_FRAMES], found[2 * CHECKED_FRAMES];
    tuning t = {.device = device, .def = *def, .expected = expected, .found = found};
    t.def.solver = HED_SYNTH_SOLVER_AUTO;
    hed_tune_def options = tune ? *tune : hed_default_tune_def();
    if (!make_expected(&t, error)) {
        hed_problem problem = synth_tune_problem(def->instrument);
        hed_pipeline_def pipeline = synth_tune_pipeline();
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
