/* Framebuffers whose pixels are read back. */
#include "target.h"

#include "heddle/author.h"

#include <stdlib.h>
#include <string.h>

hed_status cloth_target_create(
    const cloth_gl *gl, uint32_t width, uint32_t height, cloth_target *target, hed_error *error)
{
    *target = (cloth_target){.width = width, .height = height};
    gl->GenRenderbuffers(1, &target->pixels);
    gl->BindRenderbuffer(GL_RENDERBUFFER, target->pixels);
    gl->RenderbufferStorageMultisample(
        GL_RENDERBUFFER, 0, GL_RGBA8, (GLsizei)width, (GLsizei)height);
    gl->GenFramebuffers(1, &target->framebuffer);
    gl->BindFramebuffer(GL_FRAMEBUFFER, target->framebuffer);
    gl->FramebufferRenderbuffer(
        GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, target->pixels);
    if (gl->CheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE &&
        gl->GetError() == GL_NO_ERROR)
        return HED_OK;
    cloth_target_destroy(gl, target);
    return hed_fail(error, HED_ERROR_DEVICE_MEMORY,
        "OpenGL has no memory for a picture of %u x %u", width, height);
}

void cloth_target_destroy(const cloth_gl *gl, cloth_target *target)
{
    gl->DeleteFramebuffers(1, &target->framebuffer);
    gl->DeleteRenderbuffers(1, &target->pixels);
    *target = (cloth_target){0};
}

/* OpenGL's first row is the lowest. */
static void turn_over(hed_image *image, uint8_t *row)
{
    size_t size = image->channels * (size_t)image->width;
    for (uint32_t y = 0; y < image->height / 2; y++) {
        uint8_t *top = image->pixels + y * size,
                *bottom = image->pixels + (image->height - 1 - y) * size;
        memcpy(row, top, size);
        memcpy(top, bottom, size);
        memcpy(bottom, row, size);
    }
}

hed_status cloth_target_read(
    const cloth_gl *gl, const cloth_target *target, hed_image *image, hed_error *error)
{
    hed_status status = hed_image_create(target->width, target->height, 3, image, error);
    uint8_t *row = malloc(3 * (size_t)target->width);
    if (!status && !row)
        status = hed_fail(error, HED_ERROR_MEMORY, "memory ran out for a picture of %u x %u",
            target->width, target->height);
    if (!status) {
        gl->BindFramebuffer(GL_READ_FRAMEBUFFER, target->framebuffer);
        gl->PixelStorei(GL_PACK_ALIGNMENT, 1);
        gl->ReadPixels(0, 0, (GLsizei)target->width, (GLsizei)target->height, GL_RGB,
            GL_UNSIGNED_BYTE, image->pixels);
        turn_over(image, row);
        if (gl->GetError() != GL_NO_ERROR)
            status = hed_fail(error, HED_ERROR_DRIVER, "OpenGL did not give the picture back");
    }
    free(row);
    if (status) hed_image_free(image);
    return status;
}
