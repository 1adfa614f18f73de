/* heddle mppi bench --rate: a controller in closed loop at a fixed rate. */
#ifndef HED_BENCHMARKS_MPPI_LOOP_H
#define HED_BENCHMARKS_MPPI_LOOP_H

#include "cli/common/report.h"
#include "heddle/mppi.h"

typedef struct mppi_loop_def {
    const hed_mppi_def *controller;
    const char *problem, *solver; /* names, for the report */
    double rate;                  /* solves in a second */
    uint32_t solves;
    bool json;
} mppi_loop_def;

/* Runs the loop on the device with this id, in a context of its own whose allocations are counted,
 * and adds a row with the misses (the first 1,000) and their causes. Errors: as hed_mppi_create()
 * and hed_mppi_solve(). */
hed_status cli_mppi_loop(
    const char *device, const mppi_loop_def *def, cli_report *report, hed_error *error);

#endif
