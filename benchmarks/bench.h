/* Benchmarks: interleaved rounds, the records in which every benchmark prints what it found, and
 * the copy bandwidth that they are compared with. */
#ifndef HED_BENCHMARKS_BENCH_H
#define HED_BENCHMARKS_BENCH_H

#include "cli/common/command.h"
#include "cli/common/report.h"
#include "heddle/stats.h"
#include "cli/common/sample.h"

#include <stdio.h>

/* ---- measuring ---- */

/* One contestant. run() does the work once and tells how long one unit of it took. */
typedef struct hed_bench_case {
    hed_status (*run)(void *user, double *seconds, hed_error *error);
    void *user;
    hed_summary seconds; /* result */
} hed_bench_case;

/* Runs the contestants in turn, round by round, so that drift of clocks and heat meets all of them
 * alike; every second round goes backwards. The first round is thrown away. Ends after `seconds` of
 * wall time, with at least 5 and at most 2000 rounds. Errors: MEMORY, TIMEOUT with the text
 * "interrupted" (Ctrl-C), and what a contestant gave. */
hed_status hed_bench_measure(
    hed_bench_case *cases, uint32_t count, double seconds, hed_error *error);

/* Half of the median's 95 % confidence interval, relative to the median. */
double hed_bench_spread(const hed_summary *seconds);

/* ---- printing ---- */

typedef struct hed_bench_record {
    const char *suite, *name, *device;
    double value;
    const char *unit;
    double floor;        /* the physical bound that was computed, in `unit`; NAN: none */
    double ratio;        /* value / the same of what `against` names; NAN: none */
    const char *against; /* NULL: nothing */
    double spread;       /* half of the 95 % confidence interval, in `unit`; NAN: not known */
} hed_bench_record;

/* Adds a row. */
void hed_bench_add(cli_report *bench, const hed_bench_record *record);

/* ---- suites ---- */

/* One suite: adds its records for every device of the session. `silent`: no progress line. */
typedef hed_status cli_suite(
    const cli_session *session, cli_report *bench, bool silent, hed_error *error);
hed_status cli_bench_runtime(
    const cli_session *session, cli_report *bench, bool silent, hed_error *error);
hed_status cli_bench_kernels(
    const cli_session *session, cli_report *bench, bool silent, hed_error *error);
hed_status cli_bench_pack(
    const cli_session *session, cli_report *bench, bool silent, hed_error *error);
/* A part of the runtime's suite: what choosing a configuration by size costs a launch. */
hed_status cli_bench_resolve(const hed_device *device, cli_report *bench, hed_error *error);

/* Runs suites (ends with NULL) on the devices of --device and prints what they found; gives the
 * exit code. */
int cli_run_bench(const hed_arguments *arguments, cli_suite *const *suites);

/* Which devices a case runs on: bits. ON_PACKETS: those that exchange packets. */
enum { ON_HOST = 1, ON_OTHERS = 2, ON_PACKETS = 4 };
bool cli_runs_on(uint32_t devices, const hed_device_info *info);

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
void cli_add_time(cli_report *bench, const char *suite, const char *name,
    const hed_device_info *device, const hed_summary *seconds, const char *against,
    const hed_summary *other);
void cli_add_rate(cli_report *bench, const char *suite, const char *name,
    const hed_device_info *device, double amount, const hed_summary *seconds, const char *against,
    const hed_summary *other);

#endif
