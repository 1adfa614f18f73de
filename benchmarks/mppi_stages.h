/* heddle mppi bench --stages: the tail of the times of solves, split by stage. */
#ifndef HED_BENCHMARKS_MPPI_STAGES_H
#define HED_BENCHMARKS_MPPI_STAGES_H

#include "cli/common/report.h"
#include "heddle/mppi.h"

/* One solve. */
typedef struct mppi_stages_sample {
    double time; /* us, by the caller's clock */
    hed_mppi_stages stages;
    uint32_t switches; /* times that the thread lost its processor */
} mppi_stages_sample;

/* Names of a case, for the report. */
typedef struct mppi_stages_case {
    const char *device, *problem, *solver, *math;
    uint32_t samples;
} mppi_stages_case;

/* Returns the number of times that another thread has taken the processor of the calling one. */
uint32_t cli_mppi_switches(void);
/* Adds a row for each range of times, relative to the median: solves in it, their share, and the mean of
 * each stage, us. `samples` (count) are sorted. */
void cli_mppi_stages(
    const mppi_stages_case *of, mppi_stages_sample *samples, uint32_t count, cli_report *report);

#endif
