/* Cloth that has a step of second order. */
#include "solver/second_order.h"

#include "object/division.h"

bool cloth_remembers(const hed_cloth *cloth)
{
    const hed_cloth *whole = cloth_whole(cloth);
    const hed_cloth_def *def = &whole->def;
    bool is_plain = def->iterations == 1 && !def->slides_form &&
                    def->solver != HED_CLOTH_SOLVER_NEWTON && !def->max_colliders &&
                    !def->max_collider_triangles && !whole->has_self && !whole->has_tethers &&
                    !whole->has_driver && !whole->has_air && !whole->has_seams &&
                    !whole->has_pressure && !whole->has_inertia && !whole->tear;
    for (uint32_t g = 0; g < whole->garment_count; g++)
        is_plain = is_plain && cloth_is_grid(whole->garments[g]) &&
                   whole->garments[g]->lattice_count && whole->garments[g]->tension.at[2];
    return is_plain;
}
