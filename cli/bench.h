/* What the benches share: opening devices and printing, how large to measure, and turning times into records. */
#ifndef HED_CLI_BENCH_H
#define HED_CLI_BENCH_H

#include "command.h"
#include "support/bench.h"
#include "support/sample.h"

/* One suite: adds its records for every device of the session. `silent`: no progress line. */
typedef hed_status cli_suite(const cli_session *session, hed_bench *bench, bool silent, hed_error *error);
hed_status cli_bench_runtime(const cli_session *session, hed_bench *bench, bool silent, hed_error *error);
hed_status cli_bench_kernels(const cli_session *session, hed_bench *bench, bool silent, hed_error *error);

/* Runs suites (ends with NULL) on the devices of --device and prints what they found; gives the exit code. */
int cli_run_bench(const hed_arguments *arguments, cli_suite *const *suites);

/* Bytes of a buffer with which memory bandwidth is measured: several times the last-level cache, and no more than the
 * device has room for. */
uint64_t cli_copy_bytes(const hed_device_info *info);

/* The driver's own copy from one part of device memory to another: bytes read and written in a second. */
hed_status cli_copy_bandwidth(hed_stream *stream, double *bytes_per_second, hed_error *error);

/* Adds a time in microseconds, or a rate of `amount` / 1e9 in a second; `against` (nullable) took `other`. */
void cli_add_time(hed_bench *bench, const char *suite, const char *name, const hed_device_info *device, const hed_summary *seconds,
                  const char *against, const hed_summary *other);
void cli_add_rate(hed_bench *bench, const char *suite, const char *name, const hed_device_info *device, double amount,
                  const hed_summary *seconds, const char *against, const hed_summary *other);

#endif
