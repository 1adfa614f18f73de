/* Pictures by the processor alone: the shaders of renderer.c in C, for machines without OpenGL
 * and for pictures whose bits must be the same everywhere. */
#ifndef CLOTH_SOFTWARE_H
#define CLOTH_SOFTWARE_H

#include "heddle/base.h"
#include "studio.h"
#include "pictures.h"

/* Small software rasteriser: triangles into a buffer that stores for each sample the nearest
 * triangle (a visibility buffer, Burns and Hunt 2013), so that each visible part is shaded once
 * and hidden triangles cost next to nothing.
 *
 * Edges are tested in integers, with 8 bits below the pixel and the top-left rule (Pineda 1988):
 * two triangles at an edge neither overlap nor leave a gap. Depths are doubles, every operation
 * rounded by itself. So the result is the same on every processor. */

enum {
    CLOTH_RASTER_MOST = 16384,         /* pixels a side */
    CLOTH_RASTER_SAMPLES = 4,          /* samples a pixel, in a rotated grid */
    CLOTH_RASTER_NOTHING = UINT32_MAX, /* no triangle */
};

typedef struct cloth_raster {
    uint32_t width, height, samples; /* 1, in the middle of the pixel, or CLOTH_RASTER_SAMPLES */
    /* (height x width x samples), 0 near to 1 far; the bottom row first, as in OpenGL */
    float *depth;
    /* (height x width x samples) numbers of triangles; NULL: depth only */
    uint32_t *nearest;
    /* true: depths before 0 and after 1 are set to 0 and 1, instead of clipped */
    bool clamp;
    /* added to depth: this times the triangle's steepest slope a pixel */
    double slope_bias;
} cloth_raster;

/* Creates a raster; the caller has checked the sizes. Errors: MEMORY; then there is nothing to
 * destroy. */
hed_status cloth_raster_create(
    uint32_t width, uint32_t height, bool depth_alone, cloth_raster *raster, hed_error *error);
void cloth_raster_destroy(cloth_raster *raster);
/* Clears all samples: no triangle, depth 1. */
void cloth_raster_clear(cloth_raster *raster);
/* Draws triangles (triangle_count x 3 indices into positions, (vertices x 3)) of either
 * orientation, with the numbers from `first` on. `matrix` transforms positions to OpenGL's clip
 * space. A triangle with a position that is not finite is skipped. */
void cloth_raster_draw(cloth_raster *raster, const float matrix[16], const float *positions,
    const uint32_t *triangles, uint32_t triangle_count, uint32_t first);

typedef struct cloth_software cloth_software;

/* Creates a renderer. Errors: LIMIT (over CLOTH_RASTER_MOST pixels a side), MEMORY. */
hed_status cloth_software_create(
    uint32_t width, uint32_t height, cloth_software **software, hed_error *error);
void cloth_software_destroy(cloth_software *software);
/* Draws a picture. Indices must be below their surface's vertex_count. `image`: (height x width
 * x 3), allocated by the caller. Errors: MEMORY, LIMIT (2^32 triangles and more). */
hed_status cloth_software_draw(cloth_software *software, const cloth_shot *shot,
    const cloth_surface *surfaces, uint32_t count, hed_image *image, hed_error *error);

#endif
