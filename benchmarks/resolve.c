/* What it costs that a launch takes the configuration that is best for its size: the same kernel,
 * launched with two sizes in turn, once given a configuration and once with a different choice for
 * each size in the database. */
#include "benchmarks/bench.h"
#include "heddle/database.h"

#include <stdlib.h>

static const double SECONDS = 1;

enum { LAUNCHES = 100, GROUP = 64 };

/* ---- a kernel that does nothing, in two configurations ---- */

static void nothing_native(const hed_native_call *call, uint64_t begin, uint64_t end) {}

static void nothing_geometry(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *geometry)
{
    *geometry =
        (hed_geometry){.dimensions = 1, .global = {(uint64_t)problem->sizes[0]}, .group = {GROUP}};
    geometry->native_grain = (uint64_t)problem->sizes[0]; /* one thread */
}

static const hed_source NOTHING_SOURCE = {
    .name = "nothing.cl", .text = "__kernel void nothing(int number)\n{\n}\n"};
static const hed_source NOTHING_SHADER = {.name = "nothing.comp",
    .text = "#version 450\nlayout(local_size_x = 64) in;\n"
            "layout(push_constant) uniform Size { int number; };\nvoid main() {}\n"};
static const hed_kernel_text NOTHING_TEXTS[] = {{HED_GLSL, NULL, &NOTHING_SHADER, 1}};
static const hed_argument_def NOTHING_ARGUMENT = {
    .name = "number", .kind = HED_SCALAR, .type = HED_INT32};
static const int64_t NOTHING_VALUES[] = {1, 2};
static const hed_parameter_def NOTHING_PARAMETER = {
    .name = "VARIANT", .values = NOTHING_VALUES, .count = 2, .value = 1};
static const char *const NOTHING_DIMENSIONS[] = {"n"};
static const hed_kernel_def NOTHING = {
    .name = "nothing",
    .summary = "does nothing",
    .sources = &NOTHING_SOURCE,
    .source_count = 1,
    .texts = NOTHING_TEXTS,
    .text_count = 1,
    .arguments = &NOTHING_ARGUMENT,
    .argument_count = 1,
    .parameters = &NOTHING_PARAMETER,
    .parameter_count = 1,
    .dimensions = NOTHING_DIMENSIONS,
    .dimension_count = 1,
    .geometry = nothing_geometry,
    .range = nothing_native,
};

/* ---- the two contestants ---- */

typedef struct contestant {
    hed_stream *stream;
    hed_kernel *kernel;
} contestant;

static hed_status launch_in_turn(void *user, double *seconds, hed_error *error)
{
    const contestant *c = user;
    const hed_problem sizes[] = {hed_problem_1d(GROUP), hed_problem_1d(2 * GROUP)};
    const hed_argument argument = hed_int_argument(1);
    hed_status status = HED_OK;
    uint64_t started = hed_now();
    for (int i = 0; i < LAUNCHES && status == HED_OK; i++)
        status = hed_launch(c->stream, c->kernel, &sizes[i % 2], &argument, 1, error);
    if (status == HED_OK) status = hed_stream_wait(c->stream, error);
    *seconds = (double)(hed_now() - started) * 1e-9 / LAUNCHES;
    return status;
}

/* Each size gets a choice of its own. */
static hed_status fill_database(hed_context *context, hed_device *device, hed_error *error)
{
    hed_status status = HED_OK;
    for (int i = 0; i < 2 && status == HED_OK; i++) {
        const hed_problem problem = hed_problem_1d(GROUP << i);
        const hed_config config = {1, {NOTHING_VALUES[i]}};
        hed_kernel_options options = hed_default_kernel_options();
        options.problem = &problem;
        options.config = &config;
        status = hed_database_keep(
            hed_context_database(context), device, &NOTHING, &options, 1e-6, error);
    }
    return status;
}

/* Launches both sizes until both are compiled. */
static hed_status warm(const contestant *c, hed_error *error)
{
    double seconds;
    hed_status status = launch_in_turn((void *)(uintptr_t)c, &seconds, error);
    while (status == HED_OK && (status = hed_kernel_ready(c->kernel, error)) == HED_ERROR_NOT_READY)
        status = hed_device_wait(hed_kernel_describe(c->kernel).device, error);
    return status;
}

static hed_status compare(hed_device *device, cli_report *bench, hed_error *error)
{
    const hed_config given = {1, {1}};
    hed_kernel_options options = hed_default_kernel_options();
    hed_stream *stream = NULL;
    contestant contestants[2] = {{0}};
    hed_bench_case cases[2] = {{.run = launch_in_turn, .user = &contestants[0]},
        {.run = launch_in_turn, .user = &contestants[1]}};
    hed_status status = hed_stream_create(device, NULL, &stream, error);
    if (status == HED_OK)
        status = hed_kernel_create(device, &NOTHING, NULL, &contestants[0].kernel, error);
    options.config = &given;
    if (status == HED_OK)
        status = hed_kernel_create(device, &NOTHING, &options, &contestants[1].kernel, error);
    contestants[0].stream = contestants[1].stream = stream;
    if (status == HED_OK) status = warm(&contestants[0], error);
    if (status == HED_OK) status = hed_bench_measure(cases, 2, SECONDS, error);
    const hed_device_info info = hed_device_describe(device);
    if (status == HED_OK)
        cli_add_time(bench, "runtime", "launch, two tuned sizes in turn", &info, &cases[0].seconds,
            "given a configuration", &cases[1].seconds);
    hed_kernel_destroy(contestants[0].kernel);
    hed_kernel_destroy(contestants[1].kernel);
    hed_stream_destroy(stream);
    return status;
}

hed_status cli_bench_resolve(const hed_device *device, cli_report *bench, hed_error *error)
{
    hed_context *context;
    hed_device *own;
    hed_context_def def = hed_default_context_def();
    def.database = ":memory:"; /* the user's own is none of our business */
    def.gl = strcmp(hed_device_describe(device).backend, "gl") == 0;
    hed_status status = hed_context_create(&def, &context, error);
    if (status != HED_OK) return status;
    status = hed_device_find(context, hed_device_describe(device).id, &own, error);
    if (status == HED_OK) status = fill_database(context, own, error);
    if (status == HED_OK) status = compare(own, bench, error);
    hed_context_destroy(context);
    return status;
}
