/* heddle bench runtime: what Heddle costs over the driver underneath. Each of Heddle's operations
 * takes turns with the driver's own functions doing the same, in the same stream, in the same
 * run. */
#include "benchmarks/bench.h"
#include "heddle/canonical.h"
#include "benchmarks/raw.h"
#include "heddle/author.h"
#include "cli/common/progress.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char SUITE[] = "runtime";
static const double SECONDS = 1; /* for each comparison */

enum { TRANSFER_BYTES = 64 << 20, REPEATS = 20 };

/* ---- the kernel that does nothing ---- */

static void empty_native(const hed_native_call *call, uint64_t begin, uint64_t end) {}

static void empty_geometry(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *geometry)
{
    *geometry = (hed_geometry){
        .dimensions = 1, .global = {(uint64_t)problem->sizes[0]}, .group = {RAW_GROUP}};
    /* one thread: nothing is not worth more */
    geometry->native_grain = (uint64_t)problem->sizes[0];
}

static const hed_source EMPTY_SOURCE = {
    .name = "empty.cl", .text = "__kernel void empty(__global uint *data, int number)\n{\n}\n"};
static const hed_source EMPTY_SHADER = {.name = "empty.comp",
    .text = "#version 450\nlayout(local_size_x = 64) in;\n"
            "layout(binding = 0) buffer Data { uint data[]; };\n"
            "layout(push_constant) uniform Size { int number; };\nvoid main() {}\n"};
static const hed_kernel_text EMPTY_TEXTS[] = {{HED_GLSL, NULL, &EMPTY_SHADER, 1}};
static const hed_argument_def EMPTY_ARGUMENTS[] = {
    {.name = "data", .kind = HED_BUFFER, .type = HED_UINT32, .access = HED_READ_WRITE},
    {.name = "number", .kind = HED_SCALAR, .type = HED_INT32},
};
static const char *const EMPTY_DIMENSIONS[] = {"n"};
static const hed_kernel_def EMPTY = {
    .name = "empty",
    .summary = "does nothing",
    .sources = &EMPTY_SOURCE,
    .source_count = 1,
    .texts = EMPTY_TEXTS,
    .text_count = 1,
    .arguments = EMPTY_ARGUMENTS,
    .argument_count = 2,
    .dimensions = EMPTY_DIMENSIONS,
    .dimension_count = 1,
    .geometry = empty_geometry,
    .range = empty_native,
};

/* ---- what is measured ---- */

typedef struct runtime {
    hed_device *device;
    hed_device_info info;
    hed_stream *stream;
    hed_kernel *empty;
    hed_buffer *data;
    hed_argument empty_arguments[2];
    cli_copy copy;
    uint64_t transfer_bytes;
    hed_graph *graph;
    hed_event *event;
    hed_buffer *pinned;
    void *pageable;
    raw_driver *raw;
    cli_report *bench;
} runtime;

typedef hed_status work_function(runtime *r, hed_error *error);

static hed_status wait(runtime *r, hed_status status, hed_error *error)
{
    return status == HED_OK ? hed_stream_wait(r->stream, error) : status;
}

static hed_status launch(runtime *r, hed_error *error)
{
    hed_problem problem = hed_problem_1d(RAW_GROUP);
    return hed_launch(r->stream, r->empty, &problem, r->empty_arguments, 2, error);
}

static hed_status launch_and_wait(runtime *r, hed_error *error)
{
    return wait(r, launch(r, error), error);
}

static hed_status replay_and_wait(runtime *r, hed_error *error)
{
    return wait(r, hed_graph_replay(r->graph, r->stream, error), error);
}

static hed_status copy_and_wait(runtime *r, hed_error *error)
{
    return wait(r, cli_copy_launch(&r->copy, r->stream, error), error);
}

static hed_status driver_copy_and_wait(runtime *r, hed_error *error)
{
    return wait(
        r, hed_copy(r->stream, r->copy.to, 0, r->copy.from, 0, r->copy.bytes, error), error);
}

static hed_status event_and_wait(runtime *r, hed_error *error)
{
    hed_status status = hed_event_record(r->event, r->stream, error);
    return status == HED_OK ? hed_event_wait(r->event, UINT64_MAX, error) : status;
}

static void nothing(void *user) { (void)user; }

static hed_status call_and_wait(runtime *r, hed_error *error)
{
    return wait(r, hed_call(r->stream, nothing, NULL, error), error);
}

static hed_status write_pinned(runtime *r, hed_error *error)
{
    return wait(r,
        hed_write(r->stream, r->copy.to, 0, hed_buffer_describe(r->pinned).host, r->transfer_bytes,
            error),
        error);
}

static hed_status write_pageable(runtime *r, hed_error *error)
{
    return wait(
        r, hed_write(r->stream, r->copy.to, 0, r->pageable, r->transfer_bytes, error), error);
}

static hed_status read_pinned(runtime *r, hed_error *error)
{
    return wait(r,
        hed_read(r->stream, hed_buffer_describe(r->pinned).host, r->copy.from, 0, r->transfer_bytes,
            error),
        error);
}

static hed_status read_pageable(runtime *r, hed_error *error)
{
    return wait(
        r, hed_read(r->stream, r->pageable, r->copy.from, 0, r->transfer_bytes, error), error);
}

/* ---- comparisons ---- */

typedef struct contestant {
    runtime *r;
    work_function *work;
    raw_operation raw; /* instead, where work is NULL */
    uint32_t repeats;
} contestant;

static hed_status compete(void *user, double *seconds, hed_error *error)
{
    const contestant *c = user;
    hed_status status = HED_OK;
    uint64_t started = hed_now();
    for (uint32_t i = 0; i < c->repeats && status == HED_OK; i++)
        status = c->work ? c->work(c->r, error) : raw_run(c->r->raw, c->raw, error);
    *seconds = (double)(hed_now() - started) * 1e-9 / c->repeats;
    return status;
}

/* Heddle's operation against the driver's; alone where the driver has no such thing. */
static hed_status measure_pair(runtime *r, work_function *work, raw_operation raw, uint32_t repeats,
    hed_summary results[2], hed_error *error)
{
    contestant contestants[2] = {{r, work, 0, repeats}, {r, NULL, raw, repeats}};
    hed_bench_case cases[2] = {
        {.run = compete, .user = &contestants[0]}, {.run = compete, .user = &contestants[1]}};
    hed_status status = hed_bench_measure(cases, raw_name(r->raw, raw) ? 2 : 1, SECONDS, error);
    results[0] = cases[0].seconds;
    results[1] = cases[1].seconds;
    return status;
}

static hed_status compare_times(runtime *r, const char *name, work_function *work,
    raw_operation raw, uint32_t repeats, hed_error *error)
{
    hed_summary results[2];
    hed_status status = measure_pair(r, work, raw, repeats, results, error);
    if (status == HED_OK)
        cli_add_time(
            r->bench, SUITE, name, &r->info, &results[0], raw_name(r->raw, raw), &results[1]);
    return status;
}

/* The copy kernel, hed_copy() and the driver's own copy, all three in turn. */
static hed_status compare_copies(runtime *r, hed_error *error)
{
    const char *against = raw_name(r->raw, RAW_COPY);
    contestant contestants[3] = {
        {r, copy_and_wait, 0, 1}, {r, driver_copy_and_wait, 0, 1}, {r, NULL, RAW_COPY, 1}};
    hed_bench_case cases[3];
    for (int i = 0; i < 3; i++)
        cases[i] = (hed_bench_case){.run = compete, .user = &contestants[i]};
    hed_status status = hed_bench_measure(cases, against ? 3 : 2, SECONDS, error);
    if (status != HED_OK) return status;
    double bytes = 2.0 * (double)r->copy.bytes; /* each is read and written */
    cli_add_rate(r->bench, SUITE, "copy kernel", &r->info, bytes, &cases[0].seconds, against,
        &cases[2].seconds);
    cli_add_rate(r->bench, SUITE, "hed_copy", &r->info, bytes, &cases[1].seconds, against,
        &cases[2].seconds);
    return HED_OK;
}

static hed_status compare_transfers(
    runtime *r, const char *name, work_function *pinned, work_function *pageable, hed_error *error)
{
    contestant contestants[2] = {{r, pinned, 0, 1}, {r, pageable, 0, 1}};
    hed_bench_case cases[2] = {
        {.run = compete, .user = &contestants[0]}, {.run = compete, .user = &contestants[1]}};
    hed_status status = hed_bench_measure(cases, 2, SECONDS, error);
    if (status != HED_OK) return status;
    char text[64];
    snprintf(text, sizeof text, "%s, pinned memory", name);
    cli_add_rate(
        r->bench, SUITE, text, &r->info, (double)r->transfer_bytes, &cases[0].seconds, NULL, NULL);
    snprintf(text, sizeof text, "%s, pageable memory", name);
    cli_add_rate(r->bench, SUITE, text, &r->info, (double)r->transfer_bytes, &cases[1].seconds,
        "pinned memory", &cases[0].seconds);
    return HED_OK;
}

/* ---- setting up ---- */

static hed_status make_empty(runtime *r, hed_error *error)
{
    hed_buffer_def def = hed_default_buffer_def(4096);
    hed_status status = hed_kernel_create(r->device, &EMPTY, NULL, &r->empty, error);
    if (status == HED_OK) status = hed_buffer_create(r->device, &def, &r->data, error);
    if (status != HED_OK) return status;
    r->empty_arguments[0] = hed_buffer_argument(r->data);
    r->empty_arguments[1] = hed_int_argument(1);
    return HED_OK;
}

static hed_status make_graph(runtime *r, hed_error *error)
{
    hed_graph_begin(r->stream, error);
    for (int i = 0; i < RAW_GRAPH_NODES; i++) launch(r, error);
    return hed_graph_end(r->stream, &r->graph, error); /* one that failed as well */
}

static hed_status make_transfer(runtime *r, hed_error *error)
{
    r->transfer_bytes = r->copy.bytes < TRANSFER_BYTES ? r->copy.bytes : TRANSFER_BYTES;
    hed_buffer_def def = hed_default_buffer_def(r->transfer_bytes);
    def.memory = HED_MEMORY_PINNED;
    hed_status status = hed_buffer_create(r->device, &def, &r->pinned, error);
    r->pageable = calloc(1, r->transfer_bytes);
    if (status == HED_OK && !r->pageable) status = HED_OUT_OF_MEMORY(error, "a benchmark");
    return status;
}

static hed_status open_runtime(runtime *r, hed_error *error)
{
    hed_status status = hed_stream_create(r->device, NULL, &r->stream, error);
    if (status == HED_OK) status = make_empty(r, error);
    if (status == HED_OK) status = cli_copy_open(r->stream, &r->copy, error);
    if (status == HED_OK) status = make_graph(r, error);
    if (status == HED_OK) status = make_transfer(r, error);
    if (status == HED_OK) status = hed_event_create(r->device, false, &r->event, error);
    if (status != HED_OK) return status;
    raw_def def = {.device = r->device,
        .stream = r->stream,
        .kernel = r->empty,
        .argument = r->data,
        .number = 1,
        .from = r->copy.from,
        .to = r->copy.to,
        .bytes = r->copy.bytes};
    return raw_open(&def, &r->raw, error);
}

static void close_runtime(runtime *r)
{
    raw_close(r->raw);
    hed_graph_destroy(r->graph);
    hed_event_destroy(r->event);
    hed_kernel_destroy(r->empty);
    cli_copy_close(&r->copy);
    hed_buffer_destroy(r->pinned);
    hed_buffer_destroy(r->data);
    hed_stream_destroy(r->stream);
    free(r->pageable);
}

static hed_status bench_device(
    hed_device *device, cli_report *bench, hed_progress *progress, uint64_t *done, hed_error *error)
{
    runtime r = {.device = device, .info = hed_device_describe(device), .bench = bench};
    hed_status status = open_runtime(&r, error);
    for (int step = 0; step < 8 && status == HED_OK; step++) {
        switch (step) {
        case 0:
            status =
                compare_times(&r, "launch and wait", launch_and_wait, RAW_LAUNCH, REPEATS, error);
            break;
        case 1:
            status = compare_times(
                &r, "replay a graph of 100 launches", replay_and_wait, RAW_GRAPH, 1, error);
            break;
        case 2: status = compare_copies(&r, error); break;
        case 3: status = compare_transfers(&r, "write", write_pinned, write_pageable, error); break;
        case 4: status = compare_transfers(&r, "read", read_pinned, read_pageable, error); break;
        case 5:
            status = compare_times(
                &r, "record an event and wait", event_and_wait, RAW_EVENT, REPEATS, error);
            break;
        case 6:
            status = compare_times(
                &r, "host function and wait", call_and_wait, RAW_CALL, REPEATS, error);
            break;
        default: status = cli_bench_resolve(device, bench, error); break;
        }
        hed_progress_update(progress, ++*done);
    }
    close_runtime(&r);
    return status;
}

/* ---- the command ---- */

hed_status cli_bench_runtime(
    const cli_session *session, cli_report *bench, bool silent, hed_error *error)
{
    hed_status status = HED_OK;
    uint64_t done = 0;
    hed_progress progress =
        hed_progress_begin("bench runtime", "comparisons", (uint64_t)session->count * 8, silent);
    for (uint32_t i = 0; i < session->count && status == HED_OK; i++)
        status = bench_device(session->devices[i], bench, &progress, &done, error);
    hed_progress_end(&progress);
    return status;
}

static int run(const hed_arguments *arguments, void *user)
{
    return cli_run_bench(arguments, (cli_suite *const[]){cli_bench_runtime, NULL});
}

static const hed_option OPTIONS[] = {CLI_OPTION_DEVICES(false), CLI_OPTION_JSON(false), {0}};
static const hed_example EXAMPLES[] = {{"heddle bench runtime", "the best device"},
    {"heddle bench runtime -d opencl:0:0 --json", "one device, for programs"}, {0}};

const hed_command hed_command_bench_runtime = {
    .name = "runtime",
    .summary = "what launching and copying through Heddle costs",
    .description =
        "Compares Heddle's launches, graph replays, copies, transfers, events and host functions with the driver's own "
        "functions doing the same in the same stream. A ratio of 1 means that Heddle costs nothing. Bandwidth of a copy "
        "counts each byte twice, read and written.",
    .options = OPTIONS,
    .examples = EXAMPLES,
    .run = run,
};
