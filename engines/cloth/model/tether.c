/* Tethers: for each particle the nearest locked particle along the cloth at rest. */
#include "model/garment_parts.h"

hed_status cloth_make_tethers(cloth_garment *garment, float slack, hed_error *error)
{
    (void)slack;
    return cloth_fail(error, HED_ERROR_UNSUPPORTED, "Garment %s: tethers are not there yet.", garment->name);
}
