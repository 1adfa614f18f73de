/* A framebuffer of 8 bits a channel whose pixels can be read as an image. */
#ifndef CLOTH_TARGET_H
#define CLOTH_TARGET_H

#include "gl.h"

#include "support/png.h"

typedef struct cloth_target {
    GLuint framebuffer, pixels;
    uint32_t width, height;
} cloth_target;

/* Errors: DEVICE_MEMORY. Then it need not be destroyed, but may be. */
hed_status cloth_target_create(
    const cloth_gl *gl, uint32_t width, uint32_t height, cloth_target *target, hed_error *error);
void cloth_target_destroy(const cloth_gl *gl, cloth_target *target);
/* RGB, top row first. Errors: MEMORY, DRIVER. */
hed_status cloth_target_read(
    const cloth_gl *gl, const cloth_target *target, hed_image *image, hed_error *error);

#endif
