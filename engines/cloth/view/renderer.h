/* Renderer in OpenGL 3.3 core, for pictures and for the window: a shadow map, then background,
 * ground and surfaces in linear light with four samples a pixel (if the device has no
 * multisampling: at twice the size), then the curve of a screen. A context must be current in
 * every function. */
#ifndef CLOTH_RENDERER_H
#define CLOTH_RENDERER_H

#include "view_gl.h"
#include "studio.h"

typedef struct cloth_renderer cloth_renderer;

/* Triangles in OpenGL's memory: attribute 0 positions, 1 normals, 2 colours (not enabled:
 * white). */
typedef struct cloth_drawable {
    GLuint vertex_array; /* includes an element buffer of 32-bit indices */
    uint32_t index_count;
    float colour[3]; /* sRGB, multiplied with the vertex's colour */
    bool two_sided;
    bool marks; /* vertex colours are marks: only white is replaced by the surface's colour */
} cloth_drawable;

/* Creates a renderer. Errors: UNSUPPORTED (functions or formats missing, or a shader was
 * refused: the compiler's output is in the log), MEMORY. */
hed_status cloth_renderer_create(
    cloth_gl_get_function *get, cloth_renderer **renderer, hed_error *error);
void cloth_renderer_destroy(cloth_renderer *renderer);
const cloth_gl *cloth_renderer_gl(const cloth_renderer *renderer);
uint32_t cloth_renderer_most(const cloth_renderer *renderer); /* maximum width and height, pixels */

/* Sets the size in pixels. Errors: LIMIT (larger than the device draws), DEVICE_MEMORY. */
hed_status cloth_renderer_resize(
    cloth_renderer *renderer, uint32_t width, uint32_t height, hed_error *error);

/* Draws into framebuffer `target` (0: the window's), all of it. Returns the stamp of this picture,
 * the alpha of each of its pixels, for cloth_target_read(); the window's pixels are opaque. */
uint8_t cloth_renderer_draw(cloth_renderer *renderer, GLuint target, const cloth_studio *studio,
    const hed_cloth_camera *camera, const cloth_box *box, const cloth_drawable *drawables,
    uint32_t count);

#endif
