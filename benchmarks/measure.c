/* What the benches share: sizes, the copy bandwidth, records. */
#include "bench.h"
#include "heddle/canonical.h"

#include <math.h>

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
    hed_problem problem =
        hed_problem_1d((int64_t)(cli_copy_bytes(hed_device_get_info(device)) / unit) << 20);
    hed_kernel_options options = hed_default_kernel_options();
    options.problem = &problem;
    hed_status status = hed_kernel_create(device, def, &options, &copy->kernel, error);
    if (status == HED_OK)
        status = hed_sample_create(def, &config, &problem, 1, &copy->sample, error);
    if (status == HED_OK)
        status = hed_sample_place(&copy->sample, stream, 0, 0, &copy->placed, error);
    if (status == HED_OK) status = hed_stream_wait(stream, error);
    for (uint32_t i = 0; i < def->argument_count && status == HED_OK; i++) {
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

static hed_status finish(
    const copying *c, hed_status status, uint64_t started, double *seconds, hed_error *error)
{
    if (status == HED_OK) status = hed_stream_wait(c->stream, error);
    *seconds = (double)(hed_now() - started) * 1e-9;
    return status;
}

static hed_status copy_by_driver(void *user, double *seconds, hed_error *error)
{
    copying *c = user;
    uint64_t started = hed_now();
    return finish(c, hed_copy(c->stream, c->copy.to, 0, c->copy.from, 0, c->copy.bytes, error),
        started, seconds, error);
}

static hed_status copy_by_kernel(void *user, double *seconds, hed_error *error)
{
    copying *c = user;
    uint64_t started = hed_now();
    return finish(c, cli_copy_launch(&c->copy, c->stream, error), started, seconds, error);
}

hed_status cli_copy_bandwidth(hed_stream *stream, double *bytes_per_second, hed_error *error)
{
    copying c = {.stream = stream};
    hed_bench_case cases[2] = {
        {.run = copy_by_driver, .user = &c}, {.run = copy_by_kernel, .user = &c}};
    hed_status status = cli_copy_open(stream, &c.copy, error);
    if (status == HED_OK) status = hed_bench_measure(cases, 2, 0.5, error);
    if (status == HED_OK)
        *bytes_per_second =
            2.0 * (double)c.copy.bytes / fmin(cases[0].seconds.p50, cases[1].seconds.p50);
    hed_stream_wait(stream, NULL);
    cli_copy_close(&c.copy);
    return status;
}

void cli_add_time(hed_bench *bench, const char *suite, const char *name,
    const hed_device_info *device, const hed_summary *seconds, const char *against,
    const hed_summary *other)
{
    hed_bench_record record = {.suite = suite, .name = name, .device = device->id,
        .value = seconds->p50 * 1e6, .unit = "us", .floor = NAN,
        .ratio = against ? seconds->p50 / other->p50 : NAN, .against = against,
        .spread = hed_bench_spread(seconds) * seconds->p50 * 1e6};
    hed_bench_add(bench, &record);
}

void cli_add_rate(hed_bench *bench, const char *suite, const char *name,
    const hed_device_info *device, double amount, const hed_summary *seconds, const char *against,
    const hed_summary *other)
{
    double rate = amount / seconds->p50 * 1e-9;
    hed_bench_record record = {.suite = suite, .name = name, .device = device->id, .value = rate,
        .unit = "GB/s", .floor = NAN, .ratio = against ? other->p50 / seconds->p50 : NAN,
        .against = against, .spread = hed_bench_spread(seconds) * rate};
    hed_bench_add(bench, &record);
}
