/* The sheet of the benchmarks: n x n particles over 2 m x 2 m, level at the start, two corners
 * pinned; structural, shear and bend constraints. */
#ifndef HED_CLI_CLOTH_SHEET_H
#define HED_CLI_CLOTH_SHEET_H

#include "heddle/cloth.h"

typedef struct cli_sheet {
    uint32_t n;
    float *positions;      /* (n n x 3) */
    float *inverse_masses; /* (n n) */
    /* (n n) a ball that is never left: all of the driver's work, and no effect */
    float *max_distance;
    uint32_t *quads; /* ((n-1)(n-1) x 4) */
} cli_sheet;

/* n is at least 2. Errors: MEMORY. */
hed_status cli_sheet_create(uint32_t n, cli_sheet *sheet, hed_error *error);
void cli_sheet_free(cli_sheet *sheet);
/* The garment that it is, as all comparisons have it. */
hed_cloth_garment_def cli_sheet_garment(const cli_sheet *sheet);

#endif
