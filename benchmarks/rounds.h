/* Benchmarks: how they are measured, and the one form in which every bench of Heddle prints what it
 * found. */
#ifndef HED_CLI_COMMON_BENCH_H
#define HED_CLI_COMMON_BENCH_H

#include "heddle/stats.h"

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

typedef struct hed_bench hed_bench;

/* NULL when memory runs out; hed_bench_print() then says so */
hed_bench *hed_bench_create(void);
void hed_bench_add(hed_bench *bench, const hed_bench_record *record); /* texts are copied */
/* As JSON, one array of objects, or as a table for people. Errors: MEMORY, IO. */
hed_status hed_bench_print(const hed_bench *bench, bool json, FILE *stream, hed_error *error);
void hed_bench_free(hed_bench *bench); /* NULL is allowed */

#endif
