/* The drawing itself, in OpenGL 3.3 core, the same for pictures and for the window: a shadow map, then background,
 * ground and surfaces in linear light with four samples a pixel (where the device has none: at twice the size),
 * then the curve of a screen. A context must be current in every function. */
#ifndef CLOTH_RENDERER_H
#define CLOTH_RENDERER_H

#include "gl.h"
#include "heddle/cloth_scene.h"
#include "space.h"

typedef struct cloth_renderer cloth_renderer;

/* Triangles that lie in OpenGL's memory: attribute 0 positions, 1 normals, 2 colours (not enabled: white). */
typedef struct cloth_drawable {
    GLuint vertex_array; /* with its element buffer of 32-bit indices */
    uint32_t index_count;
    float colour[3]; /* as a screen shows it (sRGB), multiplied with the vertex's */
    bool two_sided;
    bool marks; /* vertex colours are marks: only white takes the surface's colour */
} cloth_drawable;

/* What stays the same from one picture of a scene to the next, so that light and ground do not jump about. */
typedef struct cloth_studio {
    bool set;
    float up[3];            /* the axis that is up */
    float key_direction[3]; /* to the light */
    float ground;           /* height */
    float size;             /* radius of the scene, m */
} cloth_studio;

/* Errors: UNSUPPORTED (functions or formats missing, a shader refused: with the compiler's words in the log),
 * MEMORY. */
hed_status cloth_renderer_create(cloth_gl_get_function *get, cloth_renderer **renderer, hed_error *error);
void cloth_renderer_destroy(cloth_renderer *renderer);
const cloth_gl *cloth_renderer_gl(const cloth_renderer *renderer);
uint32_t cloth_renderer_most(const cloth_renderer *renderer); /* pixels a side */

/* Sets the size in pixels. Errors: LIMIT (larger than the device draws), DEVICE_MEMORY. */
hed_status cloth_renderer_resize(cloth_renderer *renderer, uint32_t width, uint32_t height, hed_error *error);

/* Light from the camera's left shoulder, ground below everything. `box` is what is looked at: shadows are as sharp
 * as it is small. Once set, only a piercing of the ground changes it. */
void cloth_studio_fit(cloth_studio *studio, const hed_cloth_camera *camera, const cloth_box *box);

/* Draws into framebuffer `target` (0: the window's), all of it. */
void cloth_renderer_draw(cloth_renderer *renderer, GLuint target, const cloth_studio *studio,
                         const hed_cloth_camera *camera, const cloth_box *box, const cloth_drawable *drawables,
                         uint32_t count);

#endif
