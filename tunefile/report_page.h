/* The parts of a tuning's page. Each writes its section to `out`; whoever opened that looks whether
 * it worked. */
#ifndef HED_TUNEFILE_REPORT_PAGE_H
#define HED_TUNEFILE_REPORT_PAGE_H

#include "heddle/tune_file.h"
#include "tunefile/report_numbers.h"

#include <stdio.h>

typedef struct hed_page {
    FILE *out;
    const hed_tune_report_def *def;
    const hed_kernel_def *kernel;
    const hed_tune_result *result;
    uint32_t counts[HED_OUTCOME_COUNT], examples[HED_OUTCOME_COUNT];
    uint32_t failed;
    bool out_of_memory;
} hed_page;

/* ---- other formats (results.c) ---- */

hed_status hed_report_write_t4(const char *path, const hed_tune_report_def *def, hed_error *error);
hed_status hed_report_write_csv(const char *path, const hed_tune_report_def *def, hed_error *error);

/* ---- text ---- */

/* Text from outside: what HTML would read as its own is escaped. */
void hed_page_put(hed_page *page, const char *text);
/* "WG_X=32 WG_Y=8", escaped. */
void hed_page_put_config(hed_page *page, const hed_config *config);
/* A time, an energy or a metric, by the objective. */
void hed_page_put_value(hed_page *page, double value);

/* ---- scales ---- */

enum { HED_PAGE_TICKS = 12 };
/* Round numbers from `low` to `high`, both above 0, for a logarithmic axis: 1, 2, 5 and their
 * decades where there is room for such, else even steps. Gives how many. */
uint32_t hed_page_ticks(double low, double high, double ticks[HED_PAGE_TICKS]);
/* The same for an axis with even steps. `low` may be 0. */
uint32_t hed_page_even_ticks(double low, double high, double ticks[HED_PAGE_TICKS]);
/* Where a value lies on a logarithmic axis, 0 to 1. */
double hed_page_logarithmic(double value, double low, double high);

/* ---- sections ---- */

void hed_page_convergence(hed_page *page);
void hed_page_heat_maps(hed_page *page);
void hed_page_best(hed_page *page);
void hed_page_importance(hed_page *page);
void hed_page_roofline(hed_page *page);
/* Every evaluation as JSON, which the script shows when a mark is pointed at. */
void hed_page_data(hed_page *page);

#endif
