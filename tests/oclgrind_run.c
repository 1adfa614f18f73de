/* oclgrind_run [NAME]      each canonical kernel and each of the cloth engine, or this one, each
 *                          value of each parameter, at small sizes
 * oclgrind_run patches     cloth in patches, and whole garments in groups
 * oclgrind_run FILE.cl     the kernel `planted` of a file: 64 items in groups of 16 on 64 words
 *
 * Runs on the device of the platform "Oclgrind", which tests/oclgrind.sh puts in the way. Exit code
 * 1: a result was wrong or a call failed; what Oclgrind says of memory goes to its log and is the
 * script's business. */
#include <stdio.h>
#include <string.h>

#include "heddle/canonical.h"
#include "heddle/cloth.h"
#include "heddle/realtime.h"
#include "heddle/tuning.h"
#include "heddle/synth.h"
#include "cli/verify/conformance.h"

#include "cloth_meshes.h"
#include "solver/patches.h"

static hed_error error;

static bool failed(hed_status status)
{
    if (status)
        fprintf(
            stderr, "oclgrind_run: %s: %s\n%s\n", hed_status_name(status), error.text, error.log);
    return status != HED_OK;
}

/* ---- a file of tests/planted ---- */

enum { ITEMS = 64, GROUP = 16 };

static bool run_file(hed_device *device, const char *file)
{
    static const hed_argument_def arguments[] = {
        {.name = "values", .kind = HED_BUFFER, .type = HED_UINT32, .access = HED_WRITE}};
    const hed_source source = {file, NULL, 0};
    const hed_kernel_def def = {.name = "planted", .sources = &source, .source_count = 1,
        .arguments = arguments, .argument_count = 1};
    const hed_geometry geometry = {.dimensions = 1, .global = {ITEMS}, .group = {GROUP}};
    const hed_buffer_def buffer_def = hed_default_buffer_def(4 * ITEMS);
    hed_stream *stream;
    hed_buffer *buffer;
    hed_kernel *kernel;
    if (failed(hed_stream_create(device, NULL, &stream, &error)) ||
        failed(hed_buffer_create(device, &buffer_def, &buffer, &error)) ||
        failed(hed_kernel_create(device, &def, NULL, &kernel, &error)))
        return false;
    hed_argument argument = hed_buffer_argument(buffer);
    bool good = !failed(hed_launch_over(stream, kernel, &geometry, &argument, 1, &error)) &&
                !failed(hed_stream_wait(stream, &error));
    hed_kernel_destroy(kernel);
    hed_buffer_destroy(buffer);
    hed_stream_destroy(stream);
    return good;
}

/* ---- the canonical kernels ---- */

typedef struct small_problems {
    const char *name;
    hed_problem problems[2];
    uint32_t count;
} small_problems;

/* Problems by the number of dimensions; then kernels whose edges are elsewhere, or which would be slow. */
static const hed_problem usual[] = {{1, {5003}}, {2, {41, 11}}, {3, {37, 21, 19}}};
static const small_problems special[] = {
    {"transpose", {{2, {37, 21}}, {2, {64, 64}}}, 2},
    {"scan_tree", {{1, {31}}, {1, {4099}}}, 2},
    {"scan", {{1, {8195}}}, 1},
    {"scan_single", {{1, {8195}}}, 1},
    {"nbody", {{1, {131}}}, 1},
};

static void after_run(void *user, const hed_conformance_run *run)
{
    (void)user;
    if (run->verdict == HED_VERDICT_FAILED)
        fprintf(stderr, "oclgrind_run: %s: %s\n", run->def->name, run->text);
}

static bool run_kernel(hed_device *device, hed_device *host, const hed_kernel_def *kernel,
    const hed_problem *problems, uint32_t count)
{
    hed_kernel_def def = *kernel;
    def.sample.problems = problems;
    def.sample.count = count;
    hed_conformance_def wanted = {.device = device, .reference = host, .kernel = &def,
        .coverage = HED_COVER_VALUES, .seed = 3, .each = after_run};
    hed_conformance_report report;
    bool good = !failed(hed_conformance(&wanted, &report, &error)) && report.failed == 0 &&
                report.passed > 0;
    printf("%s: %llu runs passed, %llu not valid\n", def.name, (unsigned long long)report.passed,
        (unsigned long long)report.invalid);
    fflush(stdout);
    return good;
}

static bool run_canonical(hed_device *device, hed_device *host, const char *only)
{
    bool good = true;
    for (uint32_t i = 0; good && i < hed_canonical_count(); i++) {
        const hed_kernel_def *kernel = hed_canonical_at(i);
        small_problems run = {kernel->name, {usual[kernel->dimension_count - 1]}, 1};
        for (size_t k = 0; k < sizeof special / sizeof *special; k++)
            if (strcmp(special[k].name, kernel->name) == 0) run = special[k];
        if (!only || strcmp(only, run.name) == 0)
            good = run_kernel(device, host, kernel, run.problems, run.count);
    }
    return good;
}

/* ---- the cloth engine's ---- */

/* Those of the substep, but the integrator: hed_sin() becomes llvm.fshl.i32, which Oclgrind 21.10
 * does not have. */
static const char *const cloth_names[] = {"cloth_distance", "cloth_sets", "cloth_drive",
    "cloth_write_back", "cloth_surface", "cloth_move", "cloth_feed", "cloth_read"};

static const hed_kernel_def *find_cloth(const char *name)
{
    for (uint32_t i = 0; i < hed_cloth_kernel_count(); i++)
        if (strcmp(hed_cloth_kernel_at(i)->name, name) == 0) return hed_cloth_kernel_at(i);
    return NULL;
}

/* Their own samples but the largest, which is the last. */
static bool run_cloth(hed_device *device, hed_device *host, const char *only)
{
    bool good = true;
    for (size_t i = 0; good && i < sizeof cloth_names / sizeof *cloth_names; i++) {
        const hed_kernel_def *kernel = find_cloth(cloth_names[i]);
        if (!kernel) return false;
        if (only && strcmp(only, kernel->name) != 0) continue;
        good = run_kernel(device, host, kernel, kernel->sample.problems, kernel->sample.count - 1);
    }
    return good;
}

/* ---- cloth in groups: tables in registers and streamed, pairs and figures, a whole row locked
 * ---- */

static bool run_choice(hed_device *device, hed_cloth_solver solver,
    const hed_cloth_garment_def *garment, const cloth_patch_choice *choice)
{
    hed_cloth_def def = hed_default_cloth_def();
    hed_cloth_frame frame = hed_default_cloth_frame();
    hed_cloth_collider ball = {
        .shape = HED_CLOTH_SPHERE, .a = {0.0f, -0.3f, 0.0f}, .radius = {0.32f}};
    hed_cloth *cloth;
    def.garments = garment;
    def.garment_count = 1;
    def.substeps = 2;
    def.solver = solver;
    if (failed(hed_cloth_create(device, &def, &cloth, &error))) return false;
    bool good = !failed(cloth_patch_rebuild(cloth, choice, &error)) &&
                !failed(hed_cloth_step(cloth, &frame, &error));
    frame.colliders = &ball;
    frame.collider_count = 1;
    good = good && !failed(hed_cloth_step(cloth, &frame, &error)) &&
           !failed(hed_cloth_wait(cloth, &error));
    hed_cloth_destroy(cloth);
    return good;
}

static bool run_patches(hed_device *device)
{
    static const cloth_patch_choice whole = {
        .kind = CLOTH_PLAN_FIGURES, .threads = 32, .queue = 2, .held = UINT32_MAX};
    static const cloth_patch_choice cut[] = {
        {.kind = CLOTH_PLAN_JOINT, .patches = 3, .early_steps = 2, .queue = 2, .held = UINT32_MAX},
        {.kind = CLOTH_PLAN_FIGURES, .patches = 3, .threads = 32, .queue = 2, .held = UINT32_MAX},
    };
    enum { WIDTH = 9 };
    test_mesh mesh = test_grid(WIDTH, 8);
    for (uint32_t i = 0; i < WIDTH; i++) mesh.inverse_masses[i] = 0.0f;
    bool good = run_choice(device, HED_CLOTH_SOLVER_GARMENTS, &mesh.def, &whole);
    for (size_t k = 0; k < sizeof cut / sizeof *cut && good; k++)
        good = run_choice(device, HED_CLOTH_SOLVER_PATCHES, &mesh.def, &cut[k]);
    test_mesh_free(&mesh);
    return good;
}

/* ---- the synth's: only by name, for Oclgrind 21.10 runs them without optimization alone ---- */

static const hed_kernel_def *find_synth(const char *name)
{
    for (uint32_t i = 0; i < hed_synth_kernel_count(); i++)
        if (strcmp(hed_synth_kernel_at(i)->name, name) == 0) return hed_synth_kernel_at(i);
    return NULL;
}

/* The smallest of its samples. */
static bool run_synth(hed_device *device, hed_device *host, const char *name)
{
    const hed_kernel_def *kernel = find_synth(name);
    return run_kernel(device, host, kernel, kernel->sample.problems, 1);
}

int main(int argc, char **argv)
{
    hed_context_def def = hed_default_context_def();
    hed_context *context;
    hed_device *device, *host;
    def.cache_dir = ""; /* what the simulator compiles is of no use to anybody else */
    if (failed(hed_context_create(&def, &context, &error))) return 1;
    bool good = !failed(hed_device_find(context, "Oclgrind", &device, &error)) &&
                !failed(hed_device_find(context, "host", &host, &error));
    const char *what = argc > 1 ? argv[1] : NULL;
    bool of_synth = what && find_synth(what), patches = what && strcmp(what, "patches") == 0,
         known = !what || hed_canonical_find(what) || find_cloth(what);
    if (good && of_synth) good = run_synth(device, host, what);
    if (good && patches) good = run_patches(device);
    if (good && !of_synth && !patches && !known) good = run_file(device, what);
    if (good && known) good = run_canonical(device, host, what) && run_cloth(device, host, what);
    hed_context_destroy(context);
    return good ? 0 : 1;
}
