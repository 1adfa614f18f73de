/* heddle mppi bench --problem nav2: cycles of Nav2's controller, with and without critics of the path. */
#ifndef HED_BENCHMARKS_MPPI_NAV2_H
#define HED_BENCHMARKS_MPPI_NAV2_H

#include "cli/common/report.h"
#include "heddle/mppi_nav2.h"

/* Name for --problem. */
#define MPPI_NAV2_PROBLEM "nav2"

typedef struct mppi_nav2_def {
    hed_device *device;
    uint32_t samples; /* 0: 2,000, 8,192 and 65,536 */
    uint32_t cycles;  /* of each case */
    double *times;    /* (cycles) scratch, us */
} mppi_nav2_def;

/* Times each case on a device, `host` one core, and adds a row for each. Errors: as hed_nav2_create(),
 * hed_nav2_use_device() and hed_nav2_compute(). */
hed_status cli_mppi_nav2_bench(const mppi_nav2_def *def, cli_report *report, hed_error *error);

#endif
