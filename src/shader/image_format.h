/* Formats of images. */
#ifndef HED_SHADER_IMAGE_FORMAT_H
#define HED_SHADER_IMAGE_FORMAT_H

#include "heddle/kernel.h"

typedef struct hed_image_properties {
    const char *name;                      /* WGSL's */
    uint32_t bytes;                        /* bytes of a texel */
    int32_t vulkan;                        /* VkFormat */
    unsigned gl_inside, gl_parts, gl_type; /* internal format, format and type of a copy */
} hed_image_properties;

const hed_image_properties *hed_image_properties_of(hed_image_format format);
uint64_t hed_texels_bytes(const hed_texels *image);
/* True if rows contain the texels, and no size is 0. */
bool hed_texels_are_valid(const hed_texels *image);

#endif
