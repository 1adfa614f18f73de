/* Surfaces of a cloth and its scene in OpenGL's memory, updated from frame to frame. If the
 * device can share OpenGL's buffers, write-back writes directly into two of them in turn, and
 * normals are copied on the device; else both are read and uploaded. The context must be current
 * in every function. */
#ifndef CLOTH_VERTICES_H
#define CLOTH_VERTICES_H

#include "renderer.h"

typedef struct cloth_vertices cloth_vertices;

/* Creates the buffers. Errors: MEMORY, DEVICE_MEMORY, and as hed_cloth_enable_normals(). */
hed_status cloth_vertices_create(const cloth_gl *gl, cloth_gl_get_function *get,
    hed_cloth_scene *scene, hed_cloth *cloth, cloth_vertices **vertices, hed_error *error);
void cloth_vertices_destroy(cloth_vertices *vertices);
/* True if OpenGL's buffers are shared with the device. */
bool cloth_vertices_shared(const cloth_vertices *vertices);
/* Waits for the last frame and takes its positions and normals. `colours`: show the debug
 * colours. Errors: as hed_cloth_read(). */
hed_status cloth_vertices_take(cloth_vertices *vertices, bool colours, hed_error *error);
/* Enqueues the copy of the normals of the frame just enqueued; does nothing if they are read.
 * Errors: DRIVER. */
hed_status cloth_vertices_follow(cloth_vertices *vertices, hed_error *error);
/* Uploads the props at their positions in the frame last requested of the scene. */
hed_status cloth_vertices_take_props(cloth_vertices *vertices, hed_error *error);

const cloth_drawable *cloth_vertices_drawables(const cloth_vertices *vertices, uint32_t *count);
/* Returns the box around the cloth and around props that are not much larger; `whole`: the box around
 * all props. */
cloth_box cloth_vertices_box(const cloth_vertices *vertices, cloth_box *whole);
/* Sets the box of a cloth whose positions stay on the device, from a measurement; `transform` (4
 * x 4, or NULL) is the frame's. */
void cloth_vertices_measured(
    cloth_vertices *vertices, const hed_cloth_metrics *quality, const float *transform);

#endif
