/* ctest: devices */
/* What is measured for an instrument is what AUTO takes from then on; a wrong candidate is no
 * winner. */
#include "folder.h"

#include "heddle/database.h"
#include "heddle/synth.h"
#include "solver/group/group_kernels.h"

static hed_error error;

TestSuite(synth_tune, .init = folder_make, .fini = folder_remove);

static hed_context *open_with_database(hed_device **device)
{
    hed_context_def def = hed_default_context_def();
    def.database = in_folder("tuning.db");
    hed_context *context;
    OK(hed_context_create(&def, &context, &error));
    OK(hed_device_find(context, NULL, device, &error));
    return context;
}

static hed_synth_info report_of(hed_device *device, const hed_synth_def *def)
{
    hed_synth *synth;
    OK(hed_synth_create(device, def, &synth, &error));
    hed_synth_info report;
    report = hed_synth_describe(synth);
    hed_synth_destroy(synth);
    return report;
}

Test(synth_tune, what_was_measured_is_taken)
{
    hed_device *device;
    hed_context *context = open_with_database(&device);
    hed_synth_instrument *instrument;
    OK(synth_sample_instrument(40, &instrument, &error));
    hed_synth_def def = hed_default_synth_def();
    def.instrument = instrument;
    def.block = 64;
    hed_tune_def how = hed_default_tune_def();
    how.evaluations = 4;
    hed_tune_result *result = NULL;
    if (strcmp(hed_device_describe(device).backend, "host") == 0) {
        FAILS(HED_ERROR_UNSUPPORTED, hed_synth_tune(device, &def, &how, &result, &error));
    } else {
        CHECK_EQ(report_of(device, &def).configured, HED_ORIGIN_DEFAULT);
        OK(hed_synth_tune(device, &def, &how, &result, &error));
        CHECK_LT(result->best, result->count, "nothing worked");
        const hed_evaluation *best = &result->evaluations[result->best];
        hed_synth_info report = report_of(device, &def);
        CHECK_EQ(report.configured, HED_ORIGIN_EXACT);
        int64_t solver = best->config.values[0]; /* STRUCTURE; 0: by rule */
        if (solver) CHECK_EQ((int64_t)report.solver, solver);
        def.solver = HED_SYNTH_SOLVER_GLOBAL;
        report = report_of(device, &def);
        CHECK_EQ(report.configured, HED_ORIGIN_GIVEN);
        CHECK_EQ(report.solver, HED_SYNTH_SOLVER_GLOBAL);
    }
    hed_tune_result_free(result);
    hed_synth_instrument_destroy(instrument);
    hed_context_destroy(context);
}

/* An instrument that no note starts says nothing of whether a solver is right. */
Test(synth_tune, a_silent_instrument_is_refused)
{
    hed_device *device;
    hed_context *context = open_with_database(&device);
    if (strcmp(hed_device_describe(device).backend, "host") != 0) {
        hed_synth_instrument *instrument;
        OK(hed_synth_instrument_create(NULL, NULL, &instrument, &error));
        hed_synth_entity_def body = hed_default_synth_entity_def(HED_SYNTH_BODY);
        hed_synth_entity entity;
        OK(hed_synth_instrument_add(instrument, &body, NULL, &entity, &error));
        hed_synth_def def = hed_default_synth_def();
        def.instrument = instrument;
        hed_tune_result *result;
        FAILS(HED_ERROR_ARGUMENT, hed_synth_tune(device, &def, NULL, &result, &error));
        CHECK(strstr(error.text, "nothing is heard"), "%s", error.text);
        hed_synth_instrument_destroy(instrument);
    }
    hed_context_destroy(context);
}
