/* Rows of `heddle cloth bench`: the cells that all kinds of sheets have. */
#ifndef HED_BENCHMARKS_CLOTH_ROW_H
#define HED_BENCHMARKS_CLOTH_ROW_H

#include "cli/common/report.h"

#include "heddle/cloth.h"

typedef struct cloth_row {
    const char *device, *name;
    const char *shown;   /* name for people; NULL: `name` */
    const char *stretch; /* worst stretch for people, % */
    uint32_t substeps;
    uint32_t frames;   /* frames before the stretch was measured */
    double seconds;    /* median of a frame, s */
    double spread;     /* half of its 95 % confidence interval, relative */
    double single;     /* a frame in a submission of its own, s */
    double bound;      /* ms; NAN: not known */
    double worst, p99; /* stretch */
} cloth_row;

/* Begins a row; cells of one kind of sheet follow, then cloth_row_end(). */
void cloth_row_begin(cli_report *to, const cloth_row *row, const hed_cloth_info *info);
void cloth_row_end(cli_report *to, const cloth_row *row, const hed_cloth_info *info);

#endif
