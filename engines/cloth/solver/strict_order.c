/* The order of strict mode: which garments have a plan, and its patches. */
#include "solver/strict_order.h"

#include "solver/strips.h"

enum {
    MOST_PLANNED = 65536, /* particles; more patches than devices run at once, and a slow plan */
    WHOLE = 2048,         /* particles of a garment in one patch: 32 KiB of local memory */
    PATCH = 512           /* particles */
};

bool cloth_is_planned(const hed_cloth *cloth, const cloth_garment *garment)
{
    return cloth->def.math == HED_MATH_STRICT && cloth->def.iterations == 1 &&
           garment->particle_count <= MOST_PLANNED && cloth_kept_constraints(garment) &&
           !cloth_sums_of(garment).count && !cloth_is_strip(cloth) &&
           cloth_strip_obstacle(garment) && !garment->lattice_count &&
           !garment->tension.edge_count && !garment->line_rows;
}

bool cloth_is_sheet(const hed_cloth *cloth)
{
    const hed_cloth *whole = cloth_whole(cloth);
    return cloth->def.math == HED_MATH_STRICT && cloth->def.iterations == 1 &&
           cloth_copies(whole) == 1 && cloth_is_grid(whole->garments[0]) &&
           whole->garments[0]->lattice_count;
}

cloth_plan_def cloth_strict_plan(const cloth_garment *garment)
{
    uint32_t n = garment->particle_count;
    return (cloth_plan_def){
        .kind = CLOTH_PLAN_JOINT, .patches = n <= WHOLE ? 1 : (n + PATCH - 1) / PATCH};
}
