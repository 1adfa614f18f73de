/* ctest: devices */
/* The synth's kernels against their native versions: in fast mode within tolerance and in strict
 * mode bit for bit. HEDDLE_TEST_CONFIGURATIONS=all runs every configuration. */
#include "testing.h"

#include "heddle/synth.h"
#include "cli/verify/conformance.h"

static hed_error error;

static void tell(void *user, const hed_conformance_run *run)
{
    char config[256];
    if (run->verdict != HED_VERDICT_FAILED) return;
    hed_config_format(run->def, run->config, config, sizeof config);
    fprintf(stderr, "%s [%s] %s, n = %lld: %s\n", run->def->name, config,
        run->math ? "strict" : "fast", (long long)run->problem->sizes[0], run->text);
    ++*(int *)user;
}

Test(synth_kernels, give_what_their_native_versions_give)
{
    test_device t = test_open(NULL);
    const char *wanted = getenv("HEDDLE_TEST_CONFIGURATIONS");
    hed_coverage coverage =
        wanted && strcmp(wanted, "all") == 0 ? HED_COVER_ALL : HED_COVER_DEFAULT;
    for (uint32_t i = 0; i < hed_synth_kernel_count(); i++) {
        int failures = 0;
        hed_conformance_def def = {.device = t.device, .kernel = hed_synth_kernel_at(i),
            .coverage = coverage, .seed = 7, .each = tell, .user = &failures};
        hed_conformance_report report;
        OK(hed_device_find(t.context, "host", &def.reference, &error));
        OK(hed_conformance(&def, &report, &error));
        EXPECT(report.passed > 0, "%s: nothing was run", def.kernel->name);
        EXPECT(
            failures == 0 && report.failed == 0, "%s: %d runs failed", def.kernel->name, failures);
    }
    test_close(&t);
}

Test(synth_kernels, have_names_of_their_own)
{
    for (uint32_t i = 0; i < hed_synth_kernel_count(); i++)
        for (uint32_t k = 0; k < i; k++)
            CHECK_TEXT_NE(hed_synth_kernel_at(i)->name, hed_synth_kernel_at(k)->name);
    CHECK_NULL(hed_synth_kernel_at(hed_synth_kernel_count()));
}
