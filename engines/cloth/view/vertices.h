/* A cloth's and its scene's surfaces in OpenGL's memory, kept up to date from frame to frame. Where
 * the device can share OpenGL's buffers, write-back goes straight into two of them in turn, and
 * normals are copied on the device; elsewhere they are read and uploaded. The context must be
 * current in every function. */
#ifndef CLOTH_VERTICES_H
#define CLOTH_VERTICES_H

#include "renderer.h"

typedef struct cloth_vertices cloth_vertices;

/* Errors: MEMORY, DEVICE_MEMORY, and those of hed_cloth_enable_normals(). */
hed_status cloth_vertices_create(const cloth_gl *gl, cloth_gl_get_function *get,
    hed_cloth_scene *scene, hed_cloth *cloth, cloth_vertices **vertices, hed_error *error);
void cloth_vertices_destroy(cloth_vertices *vertices);
/* Whether OpenGL's buffers are shared with the device. */
bool cloth_vertices_shared(const cloth_vertices *vertices);
/* What the last frame left: waits for it, and takes it. `colours`: show the debug colours. Errors:
 * as hed_cloth_read(). */
hed_status cloth_vertices_take(cloth_vertices *vertices, bool colours, hed_error *error);
/* Begins to bring over what the frame just enqueued leaves; nothing where it is read. Errors:
 * DRIVER. */
hed_status cloth_vertices_follow(cloth_vertices *vertices, hed_error *error);
/* Props where they are at the frame last asked of the scene. */
hed_status cloth_vertices_take_props(cloth_vertices *vertices, hed_error *error);

const cloth_drawable *cloth_vertices_drawables(const cloth_vertices *vertices, uint32_t *count);
/* Around the cloth and what is not much larger. */
cloth_box cloth_vertices_box(const cloth_vertices *vertices);
/* Where positions stay on the device, this says where they are; `transform` (4 x 4, or NULL) is the
 * frame's. */
void cloth_vertices_measured(
    cloth_vertices *vertices, const hed_cloth_metrics *quality, const float *transform);

#endif
