/* heddle mppi bench --deadline: solves with a deadline, for all controllers and rules. */
#ifndef HED_BENCHMARKS_MPPI_DEADLINES_H
#define HED_BENCHMARKS_MPPI_DEADLINES_H

#include "cli/common/report.h"
#include "heddle/mppi.h"

typedef struct mppi_deadlines_def {
    const hed_mppi_def *controller; /* its samples; kind, update and deadline are the bench's */
    const char *problem;            /* name, for the report */
    double deadline;                /* ms */
    uint32_t solves;                /* of each case, the first one included */
} mppi_deadlines_def;

/* Runs each controller and rule in closed loop on a device, and adds a row for each. Errors: as
 * hed_mppi_create() and hed_mppi_solve(). */
hed_status cli_mppi_deadlines(
    hed_device *device, const mppi_deadlines_def *def, cli_report *report, hed_error *error);

#endif
