/* Rows of `heddle css bench` about a device. */
#ifndef HED_BENCHMARKS_CSS_DEVICE_H
#define HED_BENCHMARKS_CSS_DEVICE_H

#include "benchmarks/bench.h"
#include "heddle/css.h"

/* Adds what the parts of a match take on a device, `what` in front of their names, and what a match
 * on one core takes as often as they are compared with it; nothing where the processor matches for
 * the device. Compares the counts and hashes of all rules: HED_ERROR_ARGUMENT where they differ. */
hed_status css_bench_device(hed_device *device, const hed_css_matcher_def *def, const char *what,
    cli_report *bench, hed_error *error);

#endif
