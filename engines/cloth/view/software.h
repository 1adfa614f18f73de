/* Pictures by the processor alone: what the shaders of renderer.c draw, in C, for machines without
 * OpenGL and for pictures whose bits must be the same everywhere. */
#ifndef CLOTH_SOFTWARE_H
#define CLOTH_SOFTWARE_H

#include "studio.h"
#include "view.h"

typedef struct cloth_software cloth_software;

/* Errors: LIMIT (over CLOTH_RASTER_MOST pixels a side), MEMORY. */
hed_status cloth_software_create(
    uint32_t width, uint32_t height, cloth_software **software, hed_error *error);
void cloth_software_destroy(cloth_software *software);
/* Indices must be below their surface's vertex_count. `image`: (height x width x 3), which the
 * caller has made. Errors: MEMORY, LIMIT (2^32 triangles and more). */
hed_status cloth_software_draw(cloth_software *software, const cloth_shot *shot,
    const cloth_surface *surfaces, uint32_t count, hed_image *image, hed_error *error);

#endif
