/* What the benches share: sizes, the copy bandwidth, records. */
#include "bench.h"

#include <math.h>

uint64_t cli_copy_bytes(const hed_device_info *info)
{
    const uint64_t mebi = (uint64_t)1 << 20;
    uint64_t bytes = info->cache_bytes * 8;
    if (bytes < 64 * mebi)
        bytes = 64 * mebi;
    if (bytes > 512 * mebi)
        bytes = 512 * mebi;
    if (info->memory_bytes && bytes > info->memory_bytes / 8)
        bytes = info->memory_bytes / 8;
    if (info->max_buffer_bytes && bytes > info->max_buffer_bytes)
        bytes = info->max_buffer_bytes;
    return bytes / mebi * mebi;
}

typedef struct copying {
    hed_stream *stream;
    hed_buffer *to, *from;
    uint64_t bytes;
} copying;

static hed_status copy_once(void *user, double *seconds, hed_error *error)
{
    copying *c = user;
    uint64_t started = hed_now();
    hed_status status = hed_copy(c->stream, c->to, 0, c->from, 0, c->bytes, error);
    if (status == HED_OK)
        status = hed_stream_wait(c->stream, error);
    *seconds = (double)(hed_now() - started) * 1e-9;
    return status;
}

hed_status cli_copy_bandwidth(hed_stream *stream, double *bytes_per_second, hed_error *error)
{
    hed_device *device = hed_stream_device(stream);
    copying c = {.stream = stream, .bytes = cli_copy_bytes(hed_device_get_info(device))};
    hed_buffer_def def = hed_default_buffer_def(c.bytes);
    hed_bench_case one = {.run = copy_once, .user = &c};
    uint32_t zero = 0;
    hed_status status = hed_buffer_create(device, &def, &c.from, error);
    if (status == HED_OK)
        status = hed_buffer_create(device, &def, &c.to, error);
    if (status == HED_OK)
        status = hed_fill(stream, c.from, 0, c.bytes, &zero, sizeof zero, error);
    if (status == HED_OK)
        status = hed_bench_measure(&one, 1, 0.5, error);
    if (status == HED_OK)
        *bytes_per_second = 2.0 * (double)c.bytes / one.seconds.p50;
    hed_stream_wait(stream, NULL);
    hed_buffer_destroy(c.to);
    hed_buffer_destroy(c.from);
    return status;
}

void cli_add_time(hed_bench *bench, const char *suite, const char *name, const hed_device_info *device, const hed_summary *seconds,
                  const char *against, const hed_summary *other)
{
    hed_bench_record record = {.suite = suite,
                               .name = name,
                               .device = device->id,
                               .value = seconds->p50 * 1e6,
                               .unit = "us",
                               .floor = NAN,
                               .ratio = against ? seconds->p50 / other->p50 : NAN,
                               .against = against,
                               .spread = hed_bench_spread(seconds) * seconds->p50 * 1e6};
    hed_bench_add(bench, &record);
}

void cli_add_rate(hed_bench *bench, const char *suite, const char *name, const hed_device_info *device, double amount,
                  const hed_summary *seconds, const char *against, const hed_summary *other)
{
    double rate = amount / seconds->p50 * 1e-9;
    hed_bench_record record = {.suite = suite,
                               .name = name,
                               .device = device->id,
                               .value = rate,
                               .unit = "GB/s",
                               .floor = NAN,
                               .ratio = against ? other->p50 / seconds->p50 : NAN,
                               .against = against,
                               .spread = hed_bench_spread(seconds) * rate};
    hed_bench_add(bench, &record);
}
