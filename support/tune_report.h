/* A tuning as one HTML page that stands alone: heat map of the group sizes, convergence curve,
 * importance of each parameter, the ten best with their confidence, failures by cause, the
 * roofline, the device, and how it was measured. Plots are SVG made here; a small script lets the
 * reader look at other pairs of parameters and at single marks, and the page is whole without it.
 */
#ifndef HED_SUPPORT_TUNE_REPORT_H
#define HED_SUPPORT_TUNE_REPORT_H

#include "heddle/tune.h"

/* What a report is about. Start from {0}; texts that are NULL are left out. */
typedef struct hed_tune_report_def {
    const hed_kernel_def *kernel;
    const hed_device_info *device;
    const hed_tune_result *result;
    hed_math math;
    hed_objective objective;
    const hed_tune_argument *arguments; /* it was tuned with; NULL: the description's sample */
    bool cold_cache;
    const char *origin;   /* what was typed: "heddle:convolution", "blur.json" */
    const char *settings; /* a line: "auto, 200 evaluations, seed 1" */
    const char *kept;     /* the database that has the measurements now; NULL: none */
    const char *date;     /* "2026-11-21 14:03" */
} hed_tune_report_def;

/* Writes the page; a file that was there is replaced once the new one is whole. Errors: IO,
 * MEMORY. */
hed_status hed_tune_report_write(
    const char *path, const hed_tune_report_def *def, hed_error *error);

#endif
