/* What the benches share: opening devices and printing, how large to measure, and turning times
 * into records. */
#ifndef HED_CLI_BENCH_H
#define HED_CLI_BENCH_H

#include "cli/common/command.h"
#include "cli/common/bench.h"
#include "support/sample.h"

/* One suite: adds its records for every device of the session. `silent`: no progress line. */
typedef hed_status cli_suite(
    const cli_session *session, hed_bench *bench, bool silent, hed_error *error);
hed_status cli_bench_runtime(
    const cli_session *session, hed_bench *bench, bool silent, hed_error *error);
hed_status cli_bench_kernels(
    const cli_session *session, hed_bench *bench, bool silent, hed_error *error);
hed_status cli_bench_pack(
    const cli_session *session, hed_bench *bench, bool silent, hed_error *error);
/* A part of the runtime's suite: what choosing a configuration by size costs a launch. */
hed_status cli_bench_resolve(const hed_device *device, hed_bench *bench, hed_error *error);

/* Runs suites (ends with NULL) on the devices of --device and prints what they found; gives the
 * exit code. */
int cli_run_bench(const hed_arguments *arguments, cli_suite *const *suites);

/* Two buffers and the copy kernel between them, large enough to measure memory and not a cache. */
typedef struct cli_copy {
    hed_kernel *kernel;
    hed_sample sample;
    hed_placed placed;
    hed_buffer *from, *to;
    uint64_t bytes; /* of each */
} cli_copy;

hed_status cli_copy_open(hed_stream *stream, cli_copy *copy, hed_error *error);
hed_status cli_copy_launch(const cli_copy *copy, hed_stream *stream, hed_error *error);
void cli_copy_close(cli_copy *copy); /* after the stream has been waited for */

/* Bytes of each of those buffers on a device: several times its last-level cache, and no more than
 * it has room for. */
uint64_t cli_copy_bytes(const hed_device_info *info);
/* Bytes read and written in a second by the driver's own copy or by the copy kernel, whichever is
 * faster: on a processor with many cores a driver's copy is often one thread. */
hed_status cli_copy_bandwidth(hed_stream *stream, double *bytes_per_second, hed_error *error);

/* Adds a time in microseconds, or a rate of `amount` / 1e9 in a second; `against` (nullable) took
 * `other`. */
void cli_add_time(hed_bench *bench, const char *suite, const char *name,
    const hed_device_info *device, const hed_summary *seconds, const char *against,
    const hed_summary *other);
void cli_add_rate(hed_bench *bench, const char *suite, const char *name,
    const hed_device_info *device, double amount, const hed_summary *seconds, const char *against,
    const hed_summary *other);

#endif
