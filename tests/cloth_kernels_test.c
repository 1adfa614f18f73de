/* ctest: devices long */
/* The cloth engine's kernels against their native versions: every configuration of the small
 * spaces, each value of each parameter of the others, in fast mode within tolerance and in strict
 * mode bit for bit. HEDDLE_TEST_CONFIGURATIONS=all runs every configuration. PoCL, which takes 0.3 s
 * to compile one, gets the default size of the group with one other size, by turns of the kernels, and
 * each value of the other parameters, in one of the modes, unless HEDDLE_TEST_FULL is set. */
#include "testing.h"

#include "core/objects.h"
#include "heddle/cloth.h"
#include "cli/verify/conformance.h"

static hed_error error;

enum { SMALL_SPACE = 32 };

/* A description with two of the sizes of the group. */
typedef struct narrowed {
    hed_kernel_def def;
    hed_parameter_def parameters[HED_MAX_PARAMETERS];
    int64_t sizes[2];
} narrowed;

/* Kernel whose copy is narrowed: samples depend on the address of a description. */
static const hed_kernel_def *original;

static uint64_t original_bytes(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, uint32_t argument)
{
    (void)def;
    return original->sample.bytes(original, config, problem, argument);
}

static void original_fill(const hed_kernel_def *def, const hed_problem *problem, uint32_t argument,
    void *data, uint64_t bytes, uint64_t seed)
{
    (void)def;
    original->sample.fill(original, problem, argument, data, bytes, seed);
}

static const hed_kernel_def *narrow(const hed_kernel_def *kernel, uint32_t turn, narrowed *n)
{
    n->def = *kernel;
    original = kernel;
    n->def.sample.bytes = original_bytes;
    n->def.sample.fill = original_fill;
    n->def.parameters = n->parameters;
    memcpy(n->parameters, kernel->parameters, kernel->parameter_count * sizeof *n->parameters);
    for (uint32_t p = 0; p < kernel->parameter_count; p++) {
        hed_parameter_def *wg = &n->parameters[p];
        if (strcmp(wg->name, "WG") != 0 || wg->count <= 2) continue;
        n->sizes[0] = wg->value;
        n->sizes[1] = wg->values[turn % wg->count];
        if (n->sizes[1] == wg->value) n->sizes[1] = wg->values[(turn + 1) % wg->count];
        wg->values = n->sizes;
        wg->count = 2;
    }
    return &n->def;
}

static void tell(void *user, const hed_conformance_run *run)
{
    char config[256];
    if (run->verdict != HED_VERDICT_FAILED) return;
    hed_config_format(run->def, run->config, config, sizeof config);
    fprintf(stderr, "%s [%s] %s, n = %lld: %s\n", run->def->name, config,
        run->math ? "strict" : "fast", (long long)run->problem->sizes[0], run->text);
    ++*(int *)user;
}

static void check(const test_device *t, const hed_kernel_def *kernel, uint32_t turn)
{
    int failures = 0;
    narrowed few;
    const char *wanted = getenv("HEDDLE_TEST_CONFIGURATIONS");
    hed_conformance_def def = {.device = t->device, .kernel = kernel, .coverage = HED_COVER_VALUES,
        .seed = 7, .each = tell, .user = &failures};
    hed_conformance_report report;
    bool all = wanted && strcmp(wanted, "all") == 0;
    def.modes_in_turn = t->device->compiles_at_launch && !all && !getenv("HEDDLE_TEST_FULL");
    if (def.modes_in_turn) def.kernel = narrow(kernel, turn, &few);
    if (all || (hed_config_count(kernel) <= SMALL_SPACE && !def.modes_in_turn))
        def.coverage = HED_COVER_ALL;
    OK(hed_device_find(t->context, "host", &def.reference, &error));
    OK(hed_conformance(&def, &report, &error));
    printf("%s: %llu passed, %llu not valid\n", kernel->name, (unsigned long long)report.passed,
        (unsigned long long)report.invalid);
    EXPECT(failures == 0 && report.failed == 0, "%s: %d runs failed", kernel->name, failures);
}

Test(cloth_kernels, give_what_their_native_versions_give)
{
    test_device t = test_open(NULL);
    CHECK(hed_cloth_kernel_count() >= 7);
    for (uint32_t i = 0; i < hed_cloth_kernel_count(); i++) check(&t, hed_cloth_kernel_at(i), i);
    test_close(&t);
}

Test(cloth_kernels, have_names_of_their_own)
{
    for (uint32_t i = 0; i < hed_cloth_kernel_count(); i++)
        for (uint32_t k = 0; k < i; k++)
            CHECK_TEXT_NE(hed_cloth_kernel_at(i)->name, hed_cloth_kernel_at(k)->name);
    CHECK_NULL(hed_cloth_kernel_at(hed_cloth_kernel_count()));
}
