/* Sheet of the benchmarks: n x n particles over 2 m x 2 m, horizontal at the start, two corners
 * pinned; structural, shear and bend constraints. */
#ifndef HED_CLI_CLOTH_SHEET_H
#define HED_CLI_CLOTH_SHEET_H

#include "heddle/cloth.h"

typedef struct cli_sheet {
    uint32_t n;
    float *positions;      /* (n n x 3) */
    float *inverse_masses; /* (n n) */
    /* (n n) ball that no particle leaves: all of the driver's work, and no effect */
    float *max_distance;
    uint32_t *quads; /* ((n-1)(n-1) x 4) */
} cli_sheet;

/* Makes a sheet; n is at least 2. Errors: MEMORY. */
hed_status cli_sheet_create(uint32_t n, cli_sheet *sheet, hed_error *error);
void cli_sheet_free(cli_sheet *sheet);
/* Makes the garment of a sheet, the same in all comparisons. */
hed_cloth_garment_def cli_sheet_garment(const cli_sheet *sheet);

#endif
