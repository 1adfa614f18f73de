/* heddle bench kernels: how fast each kernel that comes with Heddle is, beside the time that moving
 * its bytes alone would take. */
#include "benchmarks/bench.h"
#include "cli/common/progress.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char SUITE[] = "kernels";
static const double SECONDS = 1;        /* for each kernel */
static const double LONGEST_RUN = 0.15; /* seconds: larger problems are scaled down */
static const double SMALLEST_WORK = 4e6;

/* ---- the problem, as large as the device can take in the time ---- */

/* Halves the largest dimension, `times` times over: what is small, such as a filter's radius,
 * stays. */
static hed_problem scale(const hed_kernel_def *def, int times)
{
    hed_problem problem = def->sample.benchmark;
    uint32_t count = def->sample.free_dimensions ? def->sample.free_dimensions : problem.count;
    for (; times > 0; times--) {
        uint32_t largest = 0;
        for (uint32_t i = 1; i < count; i++)
            if (problem.sizes[i] > problem.sizes[largest]) largest = i;
        if (problem.sizes[largest] > 1) problem.sizes[largest] /= 2;
    }
    return problem;
}

static hed_work work_of(
    const hed_kernel_def *def, const hed_config *config, const hed_problem *problem)
{
    hed_work work = {0};
    def->work(def, config, problem, &work);
    return work;
}

/* Where it is the host's own memory, several times its cache is large enough: filling more only
 * takes time. */
static bool fits(const hed_kernel_def *def, const hed_config *config, const hed_problem *problem,
    const hed_device_info *info)
{
    uint64_t total = 0, most = info->memory_bytes ? info->memory_bytes / 4 : UINT64_MAX;
    if (info->type == HED_DEVICE_CPU && most > 2 * cli_copy_bytes(info))
        most = 2 * cli_copy_bytes(info);
    for (uint32_t i = 0; i < def->argument_count; i++) {
        if (def->arguments[i].kind != HED_BUFFER) continue;
        uint64_t bytes = def->sample.bytes(def, config, problem, i);
        if (info->max_buffer_bytes && bytes > info->max_buffer_bytes) return false;
        total += bytes;
    }
    return total <= most;
}

/* ---- measuring ---- */

typedef struct kernel_bench {
    hed_stream *stream;
    const hed_kernel_def *def;
    hed_kernel *kernel;
    hed_sample sample;
    hed_placed placed;
} kernel_bench;

static hed_status run_once(void *user, double *seconds, hed_error *error)
{
    kernel_bench *b = user;
    uint64_t started = hed_now();
    hed_launch(b->stream, b->kernel, &b->sample.problem, b->placed.arguments,
        b->def->argument_count, error);
    hed_status status = hed_stream_wait(b->stream, error);
    *seconds = (double)(hed_now() - started) * 1e-9;
    return status;
}

static void close_problem(kernel_bench *b)
{
    hed_stream_wait(b->stream, NULL);
    hed_placed_free(&b->placed);
    hed_sample_free(&b->sample);
    hed_kernel_destroy(b->kernel);
    b->kernel = NULL;
}

static hed_status open_problem(kernel_bench *b, const hed_problem *problem, hed_error *error)
{
    hed_kernel_options options = hed_default_kernel_options();
    options.problem = problem;
    if (hed_kernel_create(hed_stream_device(b->stream), b->def, &options, &b->kernel, error))
        return error->status;
    hed_config config = hed_kernel_config(b->kernel, NULL);
    if (!hed_sample_create(b->def, &config, problem, 1, &b->sample, error))
        hed_sample_place(&b->sample, b->stream, 0, 0, &b->placed, error);
    hed_stream_wait(b->stream, error);
    if (error->status) close_problem(b);
    return error->status;
}

/* Grows from a small problem, by what each size took, to the largest one that is still quick.
 * Leaves it open. */
static hed_status open_best_size(kernel_bench *b, hed_error *error)
{
    const hed_device_info info = hed_device_describe(hed_stream_device(b->stream));
    hed_config config = hed_config_default(b->def);
    int halvings = 0;
    for (; halvings < 62; halvings++) {
        hed_problem problem = scale(b->def, halvings);
        hed_work work = work_of(b->def, &config, &problem);
        hed_problem smaller = scale(b->def, halvings + 1);
        if (fits(b->def, &config, &problem, &info) && work.bytes + work.operations <= SMALLEST_WORK)
            break;
        if (memcmp(problem.sizes, smaller.sizes, sizeof problem.sizes) == 0) break;
    }
    for (;;) {
        hed_problem problem = scale(b->def, halvings);
        double first, seconds = 0;
        open_problem(b, &problem, error);
        run_once(b, &first, error); /* some drivers compile on the first run */
        hed_status status = run_once(b, &seconds, error);
        if (status || halvings == 0) return status;
        /* The next size: the largest one that should still take less than LONGEST_RUN. */
        hed_work now = work_of(b->def, &config, &problem);
        int next = halvings;
        while (next > 0 && halvings - next < 4) {
            hed_problem larger = scale(b->def, next - 1);
            hed_work work = work_of(b->def, &config, &larger);
            double growth = (work.bytes + work.operations) / (now.bytes + now.operations);
            if (seconds * growth > LONGEST_RUN || !fits(b->def, &config, &larger, &info)) break;
            next--;
        }
        if (next == halvings) return HED_OK;
        close_problem(b);
        halvings = next;
    }
}

/* ---- records ---- */

static const char *unit_of(const hed_kernel_def *def)
{
    static const char *const units[] = {[HED_METRIC_BYTES] = "GB/s",
        [HED_METRIC_OPERATIONS] = "GFLOP/s",
        [HED_METRIC_ITEMS] = "items/s"};
    return def->metric_unit ? def->metric_unit : units[def->metric];
}

static void add_record(
    cli_report *bench, const kernel_bench *b, const hed_summary *seconds, double bandwidth)
{
    char problem[128], name[192];
    hed_config config = hed_kernel_config(b->kernel, NULL);
    hed_work work = work_of(b->def, &config, &b->sample.problem);
    char prefix = unit_of(b->def)[0];
    double scale = prefix == 'G' ? 1e-9 : prefix == 'M' ? 1e-6 : 1;
    double amount = scale * (b->def->metric == HED_METRIC_BYTES           ? work.bytes
                                : b->def->metric == HED_METRIC_OPERATIONS ? work.operations
                                                                          : work.items);
    double value = amount / seconds->p50, bound = amount / (work.bytes / bandwidth);
    cli_format_problem(b->def, &b->sample.problem, problem, sizeof problem);
    snprintf(name, sizeof name, "%s %s", b->def->name, problem);
    hed_bench_record record = {.suite = SUITE, .name = name,
        .device = hed_device_describe(hed_stream_device(b->stream)).id, .value = value,
        .unit = unit_of(b->def), .floor = bound, .ratio = value / bound,
        .against = "its bytes at copy bandwidth", .spread = hed_bench_spread(seconds) * value};
    hed_bench_add(bench, &record);
}

static hed_status bench_kernel(hed_stream *stream, const hed_kernel_def *def, double bandwidth,
    cli_report *bench, hed_error *error)
{
    kernel_bench b = {.stream = stream, .def = def};
    hed_bench_case one = {.run = run_once, .user = &b};
    hed_status status = open_best_size(&b, error);
    if (status == HED_ERROR_UNSUPPORTED || status == HED_ERROR_LIMIT) {
        fprintf(stderr, "heddle: %s is not measured on %s: %s\n", def->name,
            hed_device_describe(hed_stream_device(stream)).id, error->text);
        hed_error_clear(error);
        return HED_OK;
    }
    if (status == HED_OK) status = hed_bench_measure(&one, 1, SECONDS, error);
    if (status == HED_OK) add_record(bench, &b, &one.seconds, bandwidth);
    close_problem(&b);
    return status;
}

static hed_status bench_device(
    hed_device *device, cli_report *bench, hed_progress *progress, uint64_t *done, hed_error *error)
{
    hed_stream *stream;
    double bandwidth = 0;
    hed_status status = hed_stream_create(device, NULL, &stream, error);
    if (status == HED_OK) status = cli_copy_bandwidth(stream, &bandwidth, error);
    for (uint32_t i = 0; i < cli_kernel_count() && status == HED_OK; i++) {
        if (cli_kernel_at(i)->work && cli_kernel_at(i)->sample.benchmark.count)
            status = bench_kernel(stream, cli_kernel_at(i), bandwidth, bench, error);
        hed_progress_update(progress, ++*done);
    }
    hed_stream_destroy(stream);
    return status;
}

/* ---- the command ---- */

hed_status cli_bench_kernels(
    const cli_session *session, cli_report *bench, bool silent, hed_error *error)
{
    hed_status status = HED_OK;
    uint64_t done = 0;
    hed_progress progress = hed_progress_begin(
        "bench kernels", "kernels", (uint64_t)session->count * cli_kernel_count(), silent);
    for (uint32_t i = 0; i < session->count && status == HED_OK; i++)
        status = bench_device(session->devices[i], bench, &progress, &done, error);
    hed_progress_end(&progress);
    return status;
}

static int run(const hed_arguments *arguments, void *user)
{
    return cli_run_bench(arguments, (cli_suite *const[]){cli_bench_kernels, NULL});
}

static const hed_option OPTIONS[] = {CLI_OPTION_DEVICES(false), CLI_OPTION_JSON(false), {0}};
static const hed_example EXAMPLES[] = {{"heddle bench kernels", "the best device"},
    {"heddle bench kernels --device host --device cuda:0", "two of them"}, {0}};

const hed_command hed_command_bench_kernels = {
    .name = "kernels", .summary = "how fast each kernel is",
    .description =
        "Measures each canonical kernel, and each of the cloth engine, in its default configuration on a problem that fills the "
        "device, scaled down where one run would take longer than 0.15 s. FLOOR is the rate it would have if it did nothing "
        "but read its inputs once and write its outputs once at copy bandwidth (the driver's copy or the copy kernel, whichever is faster), measured in the same run: "
        "kernels that compute much for each byte stay below it; kernels that read more than they write can exceed it, "
        "and so can those whose data stay in a cache.",
    .options = OPTIONS, .examples = EXAMPLES, .run = run,
};
