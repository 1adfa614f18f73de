/* heddle bench: every suite, or one of them; and what the suites share: interleaved rounds, records
 * as JSON or as a table, the copy bandwidth. */
#include "benchmarks/bench.h"

#include "cli/common/report.h"
#include "heddle/canonical.h"
#include "heddle/author.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- measuring ---- */

enum { FEWEST_ROUNDS = 5, MOST_ROUNDS = 2000 };

hed_status hed_bench_measure(
    hed_bench_case *cases, uint32_t count, double seconds, hed_error *error)
{
    if (hed_failed(error)) return error->status;
    double *samples = malloc((size_t)count * MOST_ROUNDS * sizeof *samples);
    if (!samples) return HED_OUT_OF_MEMORY(error, "a benchmark");
    hed_status status = HED_OK;
    uint64_t started = hed_now();
    int rounds = -1; /* the round before the first one that counts */
    while (!status && rounds < MOST_ROUNDS) {
        for (uint32_t i = 0; i < count && !status; i++) {
            uint32_t which = rounds & 1 ? count - 1 - i : i;
            double found = 0;
            status = cases[which].run(cases[which].user, &found, error);
            if (!status && hed_interrupted())
                status = hed_fail(error, HED_ERROR_TIMEOUT, "interrupted");
            if (rounds >= 0) samples[(size_t)which * MOST_ROUNDS + (size_t)rounds] = found;
        }
        rounds++;
        if (rounds == 0) started = hed_now();
        if (rounds >= FEWEST_ROUNDS && (double)(hed_now() - started) > seconds * 1e9) break;
    }
    for (uint32_t i = 0; i < count && !status; i++)
        cases[i].seconds = hed_summarize(samples + (size_t)i * MOST_ROUNDS, (size_t)rounds);
    free(samples);
    return status;
}

double hed_bench_spread(const hed_summary *seconds)
{
    return seconds->p50 > 0 ? (seconds->high - seconds->low) / 2 / seconds->p50 : NAN;
}

/* ---- printing ---- */

void hed_bench_add(cli_report *bench, const hed_bench_record *r)
{
    /* For people: four digits, without exponents where they would not be written by hand; small
     * ratios keep two digits: 5e-05 says more than 0.000. */
    const char *value = r->value >= 1000 ? "%.0f" : "%.4g";
    const char *bound = r->floor >= 1000 ? "%.0f" : "%.4g";
    double percent = r->value != 0 ? 100 * r->spread / r->value : NAN;
    bool compared = isfinite(r->ratio);
    const char *against = compared && r->against ? r->against : "";
    cli_report_row(bench, CLI_TEXT("suite", r->suite, .heading = "SUITE"),
        CLI_TEXT("name", r->name, .heading = "NAME"),
        CLI_TEXT("device", r->device, .heading = "DEVICE"),
        CLI_NUMBER("value", r->value, .heading = ">VALUE", .format = value),
        CLI_TEXT("unit", r->unit, .heading = "UNIT"),
        CLI_NUMBER(NULL, percent, .heading = ">+-", .format = "%.1f %%"),
        CLI_NUMBER(
            isfinite(r->floor) ? "floor" : NULL, r->floor, .heading = ">FLOOR", .format = bound),
        CLI_NUMBER(compared ? "ratio" : NULL, r->ratio, .heading = ">RATIO",
            .format = r->ratio < 0.1 ? "%.2g" : "%.3f"),
        CLI_TEXT(compared ? "against" : NULL, against, .heading = "AGAINST"),
        CLI_NUMBER(isfinite(r->spread) ? "spread" : NULL, r->spread));
}

bool cli_runs_on(uint32_t devices, const hed_device_info *info)
{
    if (strcmp(info->backend, "host") == 0) return devices & ON_HOST;
    return (devices & ON_OTHERS) ||
           ((devices & ON_PACKETS) && (info->capabilities & HED_CAN_PACKETS));
}

/* ---- the copy bandwidth ---- */

uint64_t cli_copy_bytes(const hed_device_info *info)
{
    const uint64_t mebi = (uint64_t)1 << 20,
                   most = (info->type == HED_DEVICE_CPU ? 256 : 512) * mebi;
    uint64_t bytes = info->cache_bytes * 8;
    if (bytes < 64 * mebi) bytes = 64 * mebi;
    if (bytes > most) bytes = most;
    if (info->memory_bytes && bytes > info->memory_bytes / 8) bytes = info->memory_bytes / 8;
    if (info->max_buffer_bytes && bytes > info->max_buffer_bytes) bytes = info->max_buffer_bytes;
    return bytes / mebi * mebi;
}

hed_status cli_copy_open(hed_stream *stream, cli_copy *copy, hed_error *error)
{
    *copy = (cli_copy){0};
    hed_device *device = hed_stream_device(stream);
    const hed_kernel_def *def = hed_canonical_find("copy");
    hed_config config = hed_config_default(def);
    hed_problem one = hed_problem_1d(1 << 20);
    uint64_t unit = def->sample.bytes(def, &config, &one, 0);
    const hed_device_info info = hed_device_describe(device);
    hed_problem problem = hed_problem_1d((int64_t)(cli_copy_bytes(&info) / unit) << 20);
    hed_kernel_options options = hed_default_kernel_options();
    options.problem = &problem;
    hed_kernel_create(device, def, &options, &copy->kernel, error);
    hed_status status = hed_sample_create(def, &config, &problem, 1, &copy->sample, error);
    if (status) return status;
    hed_sample_place(&copy->sample, stream, 0, 0, &copy->placed, error);
    status = hed_stream_wait(stream, error);
    for (uint32_t i = 0; i < def->argument_count && !status; i++) {
        if (def->arguments[i].kind == HED_BUFFER)
            *(def->arguments[i].access == HED_READ ? &copy->from : &copy->to) =
                copy->placed.buffers[i];
    }
    copy->bytes = (uint64_t)problem.sizes[0] * (unit >> 20);
    return status;
}

hed_status cli_copy_launch(const cli_copy *copy, hed_stream *stream, hed_error *error)
{
    return hed_launch(stream, copy->kernel, &copy->sample.problem, copy->placed.arguments,
        copy->sample.def->argument_count, error);
}

void cli_copy_close(cli_copy *copy)
{
    hed_kernel_destroy(copy->kernel);
    hed_placed_free(&copy->placed);
    hed_sample_free(&copy->sample);
}

typedef struct copying {
    hed_stream *stream;
    cli_copy copy;
} copying;

static hed_status copy_by_driver(void *user, double *seconds, hed_error *error)
{
    copying *c = user;
    uint64_t started = hed_now();
    hed_copy(c->stream, c->copy.to, 0, c->copy.from, 0, c->copy.bytes, error);
    hed_status status = hed_stream_wait(c->stream, error);
    *seconds = (double)(hed_now() - started) * 1e-9;
    return status;
}

static hed_status copy_by_kernel(void *user, double *seconds, hed_error *error)
{
    copying *c = user;
    uint64_t started = hed_now();
    cli_copy_launch(&c->copy, c->stream, error);
    hed_status status = hed_stream_wait(c->stream, error);
    *seconds = (double)(hed_now() - started) * 1e-9;
    return status;
}

hed_status cli_copy_bandwidth(hed_stream *stream, double *bytes_per_second, hed_error *error)
{
    copying c = {.stream = stream};
    hed_bench_case cases[2] = {
        {.run = copy_by_driver, .user = &c}, {.run = copy_by_kernel, .user = &c}};
    cli_copy_open(stream, &c.copy, error);
    hed_status status = hed_bench_measure(cases, 2, 0.5, error);
    if (!status)
        *bytes_per_second =
            2.0 * (double)c.copy.bytes / fmin(cases[0].seconds.p50, cases[1].seconds.p50);
    hed_stream_wait(stream, NULL);
    cli_copy_close(&c.copy);
    return status;
}

void cli_add_time(cli_report *bench, const char *suite, const char *name,
    const hed_device_info *device, const hed_summary *seconds, const char *against,
    const hed_summary *other)
{
    hed_bench_record record = {.suite = suite, .name = name, .device = device->id,
        .value = seconds->p50 * 1e6, .unit = "us", .floor = NAN,
        .ratio = against ? seconds->p50 / other->p50 : NAN, .against = against,
        .spread = hed_bench_spread(seconds) * seconds->p50 * 1e6};
    hed_bench_add(bench, &record);
}

void cli_add_rate(cli_report *bench, const char *suite, const char *name,
    const hed_device_info *device, double amount, const hed_summary *seconds, const char *against,
    const hed_summary *other)
{
    double rate = amount / seconds->p50 * 1e-9;
    hed_bench_record record = {.suite = suite, .name = name, .device = device->id, .value = rate,
        .unit = "GB/s", .floor = NAN, .ratio = against ? other->p50 / seconds->p50 : NAN,
        .against = against, .spread = hed_bench_spread(seconds) * rate};
    hed_bench_add(bench, &record);
}

/* ---- the command ---- */

int cli_run_bench(const hed_arguments *arguments, cli_suite *const *suites)
{
    cli_session session;
    hed_error error = {0};
    hed_status status = cli_open_devices(arguments, &session, &error);
    if (status) return cli_fail(&error);
    bool json = hed_given(arguments, "json");
    cli_report *bench = cli_report_create(json);
    for (; *suites && !status; suites++)
        status = (*suites)(&session, bench, json || hed_given(arguments, "quiet"), &error);
    status = cli_report_end(bench, status, &error);
    cli_close(&session);
    return cli_end(status, &error);
}

static int bench_run(const hed_arguments *arguments, void *user)
{
    return cli_run_bench(arguments,
        (cli_suite *const[]){cli_bench_runtime, cli_bench_kernels, cli_bench_pack, NULL});
}

static const hed_command *const COMMANDS[] = {
    &hed_command_bench_runtime, &hed_command_bench_kernels, &hed_command_bench_pack, NULL};

/* Not for the commands below, which have their own of the same names: they can be reached by
 * another path. */
static const hed_option OPTIONS[] = {CLI_OPTION_DEVICES(true), CLI_OPTION_JSON(true), {0}};

static const hed_example EXAMPLES[] = {{"heddle bench", "everything, on the best device"},
    {"heddle bench runtime", "what launching through Heddle costs"},
    {"heddle bench kernels --device all --json", "every device, for programs"}, {0}};

const hed_command hed_command_bench = {
    .name = "bench", .summary = "measure",
    .description =
        "Measures: one suite, or all of them. Each value is a median; +- is half of its 95 % confidence interval. FLOOR is the physical "
        "bound that was computed, RATIO the value over the same of what AGAINST names: for times less is better, for rates "
        "more.\n\nOf everything one round is thrown away, and what is compared takes turns in the same run.\n\n\"heddle X bench\" "
        "is the same as \"heddle bench X\".",
    .options = OPTIONS, .commands = COMMANDS, .examples = EXAMPLES, .run = bench_run,
};
