/* Pictures of cloth: OpenGL 3.3 in a window (GLFW) and without one (EGL), and the same drawn in
 * software. A library of its own, heddle-cloth-view, which the command links. EGL and GLFW are
 * loaded at run time; without one, software draws or the function says what to install. */
#ifndef CLOTH_VIEW_H
#define CLOTH_VIEW_H

#include "heddle/cloth_scene.h"
#include "support/png.h"

typedef struct cloth_picture cloth_picture;

/* A surface to draw. */
typedef struct cloth_surface {
    uint32_t vertex_count, triangle_count;
    const float *positions;    /* (vertex_count x 3) */
    const float *normals;      /* (vertex_count x 3); NULL: made from the triangles */
    const uint8_t *colours;    /* (vertex_count x 4), multiplied with `colour`; NULL: white */
    const uint32_t *triangles; /* (triangle_count x 3) */
    float colour[3];
    bool two_sided; /* cloth: lit from both sides */
} cloth_surface;

/* The faces of `copies` of a mesh one behind another, from vertex `first` on, as `*count` triangles;
 * polygons become fans. Released with free(); NULL: no memory. */
uint32_t *cloth_mesh_triangles(
    const hed_cloth_mesh *mesh, uint32_t first, uint32_t copies, uint32_t *count);

typedef enum cloth_picture_kind {
    CLOTH_PICTURE_ANY,      /* OpenGL where a graphics processor has it, else software */
    CLOTH_PICTURE_GL,       /* OpenGL, or an error */
    CLOTH_PICTURE_SOFTWARE, /* the same bits on every machine */
} cloth_picture_kind;

/* A renderer of pictures of this size. Errors: ARGUMENT (no pixels), LIMIT, UNSUPPORTED (OpenGL was
 * asked for and is not here: says what was tried), MEMORY. */
hed_status cloth_picture_create(uint32_t width, uint32_t height, cloth_picture_kind kind,
    cloth_picture **picture, hed_error *error);
void cloth_picture_destroy(cloth_picture *picture);
/* such as "OpenGL, NVIDIA H200/PCIe/SSE2", or "software" */
const char *cloth_picture_renderer(const cloth_picture *picture);
/* Draws surfaces with a shadowing light and a ground; `image` is created here and freed by
 * hed_image_free(). Where OpenGL fails, a picture of kind ANY is drawn in software, this time and
 * from then on. Errors: ARGUMENT (a triangle names no vertex), MEMORY; of kind GL also LOST, DRIVER,
 * DEVICE_MEMORY. */
hed_status cloth_picture_draw(cloth_picture *picture, const hed_cloth_camera *camera,
    const cloth_surface *surfaces, uint32_t count, hed_image *image, hed_error *error);

/* The window of `heddle cloth view`: orbit with the left button, zoom with the wheel; up and down
 * with the right button changes gravity, left and right the wind; d: debug colours, space: pause,
 * r: reset, s: one step, p: a PNG, escape: close. Shares the vertex buffers with the cloth where
 * the device can. Returns when the window is closed or interrupted. Errors: UNSUPPORTED (no
 * display, no GLFW), and what stepping gave. */
hed_status cloth_view_run(hed_cloth_scene *scene, hed_cloth *cloth, double rate, hed_error *error);

#endif
