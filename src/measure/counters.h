/* Reader of a CUDA device's hardware counters: a launch that is repeated in passes, each of which
 * counts some of them. */
#ifndef HED_MEASURE_COUNTERS_H
#define HED_MEASURE_COUNTERS_H

#include "heddle/tune.h"

typedef struct hed_profiler hed_profiler;

/* number of values of hed_counters, which has doubles alone: a runner's time() returns them */
enum { HED_COUNTER_VALUES = sizeof(hed_counters) / sizeof(double) };

/* Returns counters that are all NAN. */
hed_counters hed_counters_unknown(void);

/* Opens the counters of a device. `library`: name of CUPTI; NULL: that of
 * hed_context_def.cuda_home, else the usual names. While a reader is open, launches on the device
 * may take longer. Errors: UNSUPPORTED (the text names the missing part, or the permission),
 * MEMORY, DRIVER. */
hed_status hed_profiler_open(
    hed_device *device, const char *library, hed_profiler **profiler, hed_error *error);
void hed_profiler_close(hed_profiler *profiler); /* NULL is allowed */

/* A measurement: hed_profiler_begin(); then passes, each with one launch and a wait for it between
 * hed_profiler_start_pass() and hed_profiler_stop_pass(), until `*is_done`; then
 * hed_profiler_end(), which writes the counters. A failed begin or end has ended the measurement;
 * hed_profiler_abandon() ends it without a result at any time. Errors: UNSUPPORTED, MEMORY,
 * DRIVER. */
hed_status hed_profiler_begin(hed_profiler *profiler, hed_error *error);
hed_status hed_profiler_start_pass(hed_profiler *profiler, hed_error *error);
hed_status hed_profiler_stop_pass(hed_profiler *profiler, bool *is_done, hed_error *error);
hed_status hed_profiler_end(hed_profiler *profiler, hed_counters *counters, hed_error *error);
void hed_profiler_abandon(hed_profiler *profiler);

#endif
