/* Pictures by OpenGL without a window. */
#ifndef CLOTH_GL_PICTURE_H
#define CLOTH_GL_PICTURE_H

#include "studio.h"
#include "pictures.h"

typedef struct cloth_gl_picture cloth_gl_picture;

/* Creates a picture. Errors: UNSUPPORTED (no EGL, or no OpenGL 3.3: lists the attempts), LIMIT
 * (larger than OpenGL draws), DEVICE_MEMORY, MEMORY. */
hed_status cloth_gl_picture_create(
    uint32_t width, uint32_t height, cloth_gl_picture **picture, hed_error *error);
void cloth_gl_picture_destroy(cloth_gl_picture *picture);
/* name that OpenGL reports */
const char *cloth_gl_picture_renderer(const cloth_gl_picture *picture);
/* True if this OpenGL is itself a program on the processor, such as Mesa's llvmpipe. */
bool cloth_gl_picture_in_software(const cloth_gl_picture *picture);
/* Draws a picture; a lost context is created again, four times within 2 s. Indices must be below
 * their surface's vertex_count. Errors: LOST (every attempt), DRIVER, DEVICE_MEMORY, MEMORY. */
hed_status cloth_gl_picture_draw(cloth_gl_picture *picture, const cloth_studio *studio,
    const hed_cloth_camera *camera, const cloth_box *box, const cloth_surface *surfaces,
    uint32_t count, hed_image *image, hed_error *error);

#endif
