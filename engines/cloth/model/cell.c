/* Cells of a fabric's grid: both diagonals of a cell as one constraint.
 *
 * Two springs on the diagonals would couple warp and weft by the stiffness of shear, so that the
 * contraction of a pulled strip would follow from shear. So the sum of the diagonals' excesses has
 * the stiffness of the coupling, and their difference that of shear. With strains e and f and an
 * angle g of a cell a x b the diagonals l have the excesses (e a^2 + f b^2 +- g a b) / l: their
 * difference is 2 g a b / l, with stiffness shear l^2 / (4 a b), and their sum is 2 (e a^2 + f b^2) / l,
 * with stiffness coupling l^2 / (4 a b), which adds coupling a^2 / b^2 to the warp. The edges have
 * the remainder (fabric.c). */
#include "model/garment.h"

#include <math.h>
#include <string.h>

/* Fills the cell whose first corner is particle `at`; false: no corner can move. */
static bool find_cell(const cloth_garment *garment, const hed_cloth_garment_def *def,
    const cloth_plane *plane, uint32_t at, cloth_diagonals *cell)
{
    static const double softest = 1e-9, stiffest = 1e12; /* N/m */
    uint32_t width = garment->grid_width, right = at + 1, below = at + width, far = below + 1;
    bool moves = false;
    *cell = (cloth_diagonals){.particle = {at, far, right, below}};
    for (int v = 0; v < 4; v++) moves |= garment->positions[cell->particle[v]][3] > 0.0f;
    double a = 0.5 *
               (cloth_rest_distance(garment, at, right) + cloth_rest_distance(garment, below, far)),
           b = 0.5 *
               (cloth_rest_distance(garment, at, below) + cloth_rest_distance(garment, right, far)),
           diagonals[2] = {cloth_rest_distance(garment, at, far),
               cloth_rest_distance(garment, right, below)},
           square = 0.5 * (diagonals[0] * diagonals[0] + diagonals[1] * diagonals[1]),
           stiffness = cloth_painted(def->stretch_scale, cell->particle, 4) * square / (4 * a * b);
    const double moduli[2] = {plane->coupling, plane->shear};
    for (int k = 0; k < 2; k++) {
        cell->rest[k] = (float)diagonals[k];
        cell->compliance[k] = (float)(1 / fmin(fmax(moduli[k] * stiffness, softest), stiffest));
    }
    return moves;
}

/* Makes `bends` and `cells` one array, and the list of their colours. */
static hed_status join_sums(cloth_garment *garment, const cloth_diagonals *cells, hed_error *error)
{
    uint32_t bends = garment->bend_count, count = bends + garment->cell_count,
             colours = garment->bend_colours + garment->cell_colours;
    cloth_bend *sums = hed_arena_new(&garment->arena, count, sizeof *sums, error);
    garment->sum_at =
        hed_arena_new(&garment->arena, (uint64_t)colours + 1, sizeof *garment->sum_at, error);
    if (garment->arena.failed) return HED_ERROR_MEMORY;
    if (bends) memcpy(sums, garment->bends, bends * sizeof *sums);
    memcpy(sums + bends, cells, garment->cell_count * sizeof *cells);
    garment->bends = sums;
    garment->cells = (cloth_diagonals *)(sums + bends);
    for (uint32_t c = 0; c < garment->bend_colours; c++) garment->sum_at[c] = garment->bend_at[c];
    for (uint32_t c = 0; c <= garment->cell_colours; c++)
        garment->sum_at[garment->bend_colours + c] = bends + garment->cell_at[c];
    return HED_OK;
}

/* Makes the diagonals, which come last in a fabric's grid, loose. */
static void loosen_diagonals(cloth_garment *garment)
{
    uint32_t kept_count = garment->constraint_count;
    while (kept_count && garment->families[kept_count - 1] == HED_CLOTH_SHEAR) kept_count--;
    garment->loose_count = garment->constraint_count - kept_count;
    while (garment->colour_count && garment->colour_at[garment->colour_count - 1] >= kept_count)
        garment->colour_count--;
}

hed_status cloth_make_cells(
    cloth_garment *garment, const hed_cloth_garment_def *def, hed_error *error)
{
    uint32_t width = garment->grid_width, height = garment->grid_height, count = 0;
    if (!cloth_is_grid(garment)) return HED_OK;
    hed_arena scratch = {.allocator = garment->arena.allocator, .owner = "cells of cloth"};
    cloth_diagonals *cells =
        hed_arena_new(&scratch, (uint64_t)(width - 1) * (height - 1), sizeof *cells, error);
    cloth_plane plane = cloth_plane_of(def->fabric);
    for (uint32_t i = 0; cells && i < width * (height - 1); i++)
        if (i % width + 1 < width && find_cell(garment, def, &plane, i, cells + count)) count++;
    loosen_diagonals(garment);
    void *sorted = NULL;
    hed_status status = cells ? HED_OK : HED_ERROR_MEMORY;
    if (!status && count)
        status = cloth_colour_items(garment, cells, count, sizeof *cells, 4, &sorted,
            &garment->cell_colours, &garment->cell_at, error);
    hed_arena_free(&scratch);
    if (status || !count) return status;
    garment->cell_count = count;
    return join_sums(garment, sorted, error);
}
