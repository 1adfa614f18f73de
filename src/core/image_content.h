/* Contents of buffers that shaders access as images. The image is an object of the driver's own; its
 * content and the buffer's are brought together when a step needs the other one, never during a
 * launch. */
#ifndef HED_CORE_IMAGE_CONTENT_H
#define HED_CORE_IMAGE_CONTENT_H

#include "core/backend.h"
#include "shader/shader_bindings.h"

/* The first member of a backend's image. */
typedef struct hed_image_content {
    struct hed_image_content *next; /* next in the list of the device */
    const hed_buffer *owner;        /* the buffer, or part of one, that is the argument */
    hed_texels of;
    uint64_t size; /* bytes in the buffer */
    /* the later content: the buffer's, the image's, or the same in both */
    enum { HED_IMAGE_OLDER, HED_IMAGE_EQUAL, HED_IMAGE_NEWER } state;
} hed_image_content;

/* A step, and the bindings of its program if it is a launch. */
typedef struct hed_image_step {
    const hed_step *step;
    const hed_shader_bound *bindings;
    uint32_t binding_count;
} hed_image_step;

/* Checks the argument of an image: its buffer's size and memory, and `has_format`, which the driver
 * reports. Errors: UNSUPPORTED, ARGUMENT. */
hed_status hed_image_check(
    const hed_step *step, const hed_shader_bound *bound, bool has_format, hed_error *error);
/* Finds the image of a launch's argument; NULL: not created yet. */
hed_image_content *hed_image_find(
    hed_image_content *list, const hed_step *step, const hed_shader_bound *bound);
/* Finds an image that has to be copied from its buffer (`to_image`) or back before a step, and marks
 * both as equal; NULL: no copy is left. */
hed_image_content *hed_image_next_copy(
    hed_image_content *list, const hed_image_step *of, bool *to_image);
/* Marks the contents that a step writes as the later ones. */
void hed_image_mark(hed_image_content *list, const hed_image_step *of);
/* Removes and returns an image of a buffer that is being destroyed; NULL: not found. */
hed_image_content *hed_image_remove(hed_image_content **list, const hed_buffer *owner);

#endif
