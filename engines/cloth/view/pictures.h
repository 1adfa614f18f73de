/* Pictures of cloth: OpenGL 3.3 in a window (GLFW) and without a window (EGL), and the same
 * pictures in software. A library of its own, heddle-cloth-view, which the command links. EGL
 * and GLFW are loaded at run time; without them software draws, or the error names the package
 * to install. */
#ifndef CLOTH_VIEW_H
#define CLOTH_VIEW_H

#include "heddle/cloth_scene.h"
#include "studio.h"
#include "support/png.h"

typedef struct cloth_picture cloth_picture;

/* Surface to draw. */
typedef struct cloth_surface {
    uint32_t vertex_count, triangle_count;
    const float *positions;    /* (vertex_count x 3) */
    const float *normals;      /* (vertex_count x 3); NULL: computed from the triangles */
    const uint8_t *colours;    /* (vertex_count x 4), multiplied with `colour`; NULL: white */
    const uint32_t *triangles; /* (triangle_count x 3) */
    float colour[3];
    bool two_sided; /* cloth: lit from both sides */
} cloth_surface;

/* Cuts the faces of `copies` copies of a mesh into triangles, the copies one after another, with
 * vertices from `first` on; polygons become fans. `*count`: number of triangles. Released with
 * free(); NULL: out of memory. */
uint32_t *cloth_mesh_triangles(
    const hed_cloth_mesh *mesh, uint32_t first, uint32_t copies, uint32_t *count);

typedef enum cloth_picture_kind {
    CLOTH_PICTURE_ANY,      /* OpenGL on a graphics processor, else software */
    CLOTH_PICTURE_GL,       /* OpenGL, or an error */
    CLOTH_PICTURE_SOFTWARE, /* software: the same bits on every machine */
} cloth_picture_kind;

/* Creates a renderer of pictures of this size. Errors: ARGUMENT (no pixels), LIMIT, UNSUPPORTED
 * (OpenGL was requested and is missing: lists the attempts), MEMORY. */
hed_status cloth_picture_create(uint32_t width, uint32_t height, cloth_picture_kind kind,
    cloth_picture **picture, hed_error *error);
void cloth_picture_destroy(cloth_picture *picture);
/* Light and ground of the pictures so far, which a program keeps if it continues them later. */
cloth_studio *cloth_picture_studio(cloth_picture *picture);
/* Name such as "OpenGL, NVIDIA H200/PCIe/SSE2", or "software". */
const char *cloth_picture_renderer(const cloth_picture *picture);
/* Draws surfaces with a shadowing light and a ground; `image` is created here and freed by
 * hed_image_free(). If OpenGL fails, a picture of kind ANY and all later ones are drawn in
 * software. Errors: ARGUMENT (a triangle has an invalid vertex), MEMORY; of kind GL also LOST,
 * DRIVER, DEVICE_MEMORY. */
hed_status cloth_picture_draw(cloth_picture *picture, const hed_cloth_camera *camera,
    const cloth_surface *surfaces, uint32_t count, hed_image *image, hed_error *error);

/* Runs the window of `heddle cloth view`: orbit with the left button, zoom with the wheel; up
 * and down with the right button changes gravity, left and right the wind; d: debug colours,
 * space: pause, r: reset, s: one step, p: a PNG, escape: close. Shares the vertex buffers with
 * the cloth if the device can. Returns when the window is closed or interrupted. Errors:
 * UNSUPPORTED (no display, no GLFW), and the errors of a step. */
hed_status cloth_view_run(hed_cloth_scene *scene, hed_cloth *cloth, double rate, hed_error *error);

#endif
