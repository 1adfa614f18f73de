/* Order of distance constraints in strict mode. It depends on the garment alone, so that every device
 * and every solver has the same bits: the steps of a plan with patches of a fixed size
 * (tables/cloth_plan.h), which HED_CLOTH_SOLVER_PATCHES and GARMENTS run in one launch, or the colours
 * of the garment. */
#ifndef CLOTH_STRICT_ORDER_H
#define CLOTH_STRICT_ORDER_H

#include "solver/host.h"
#include "tables/cloth_plan.h"

/* True if a garment has the order of a plan: up to 65,536 particles, one iteration, no fabric, no
 * lattices, and not a sheet that several devices may cut into strips. */
bool cloth_is_planned(const hed_cloth *cloth, const cloth_garment *garment);

/* Plan of a garment: one patch up to 2,048 particles, then patches of some 512. */
cloth_plan_def cloth_strict_plan(const cloth_garment *garment);

/* True if a cloth, or the whole of which it is a part, is one grid with lattices. Its particles follow
 * the lattices right before the tension along lines, and bend along columns after the tension along
 * rows: in HED_CLOTH_SOLVER_COOPERATIVE a group has the lattices while the others have rows, and groups
 * keep their rows and columns. */
bool cloth_is_sheet(const hed_cloth *cloth);

/* Bits of a rest length, rounded to four bits less: entries of patches have the number of a material
 * there. */
static inline uint32_t cloth_rest_bits(float rest)
{
    uint32_t bits;
    memcpy(&bits, &rest, sizeof bits);
    return (bits + 8) & ~15u;
}

#endif
