/* Making a garment ready. */
#include "model/garment.h"

hed_cloth_garment_def hed_default_cloth_garment_def(void)
{
    hed_cloth_garment_def def = {.density = 0.2f, .tether_slack = 1.0f, .damping = 0.1f, .friction = 0.3f, .thickness = 0.005f, .copies = 1};
    const hed_cloth_material rigid = {1.0f, 1.0f, 0.0f};
    for (int f = 0; f < HED_CLOTH_FAMILY_COUNT; f++) {
        def.family_material[f] = rigid;
        def.family[f] = true;
    }
    return def;
}

hed_status cloth_garment_create(const hed_allocator *allocator, const hed_cloth_garment_def *def, uint32_t number, cloth_garment **garment,
                                hed_error *error)
{
    (void)allocator, (void)def;
    *garment = NULL;
    return cloth_fail(error, HED_ERROR_UNSUPPORTED, "Garment %u: not there yet.", number);
}

void cloth_garment_destroy(cloth_garment *garment) { (void)garment; }
