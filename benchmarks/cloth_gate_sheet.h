/* Sheets of the rows at equal quality: garments with their start, and the triangles to judge. */
#ifndef HED_BENCHMARKS_CLOTH_GATE_SHEET_H
#define HED_BENCHMARKS_CLOTH_GATE_SHEET_H

#include "cli/cloth/sheet.h"
#include "heddle/author.h"

typedef enum cloth_gate_kind {
    CLOTH_GATE_HUNG,  /* by two corners */
    CLOTH_GATE_ROW,   /* by the whole first row */
    CLOTH_GATE_BALL,  /* falls on a ball */
    CLOTH_GATE_MESH,  /* irregular triangles of a fabric that gives, hung by two corners */
    CLOTH_GATE_FOLDED /* folded in two, in contact with itself, falls on a ball */
} cloth_gate_kind;

#define CLOTH_GATE_BALL_RADIUS 0.4f /* m */

typedef struct cloth_gate_sheet {
    cli_sheet grid;
    hed_cloth_garment_def garment;
    uint32_t face_count;
    uint32_t *faces; /* (face_count x 3) of MESH and FOLDED */
    float *start;    /* (particles x 3) of sheets that fall, m */
    hed_arena arena;
} cloth_gate_sheet;

/* True if a sheet of this kind falls on the ball. */
static inline bool cloth_gate_falls(cloth_gate_kind kind)
{
    return kind == CLOTH_GATE_BALL || kind == CLOTH_GATE_FOLDED;
}

/* Makes a sheet of n x n particles, n at least 2. Errors: MEMORY. */
hed_status cloth_gate_sheet_create(
    cloth_gate_kind kind, uint32_t n, cloth_gate_sheet *sheet, hed_error *error);
/* Makes the flat start of a sheet that falls uneven by less than 0.1 mm. A flat one buckles where rounding
 * says, and with more substeps later. */
void cloth_gate_sheet_roughen(cloth_gate_sheet *sheet, uint32_t seed);
void cloth_gate_sheet_free(cloth_gate_sheet *sheet);

#endif
