/* Formats of images: names of WGSL, and numbers of Vulkan and OpenGL from the Khronos registries. */
#include "shader/image_format.h"

#include "heddle/shader.h"

static const hed_image_properties formats[HED_IMAGE_FORMATS] = {
    {"none", 1, 0, 0, 0, 0},
    {"rgba32float", 16, 109, 0x8814, 0x1908, 0x1406},
    {"rgba16float", 8, 97, 0x881a, 0x1908, 0x140b},
    {"r32float", 4, 100, 0x822e, 0x1903, 0x1406},
    {"rgba8unorm", 4, 37, 0x8058, 0x1908, 0x1401},
    {"rgba8snorm", 4, 38, 0x8f97, 0x1908, 0x1400},
    {"rg32float", 8, 103, 0x8230, 0x8227, 0x1406},
    {"rg16float", 4, 83, 0x822f, 0x8227, 0x140b},
    {"rg11b10ufloat", 4, 122, 0x8c3a, 0x1907, 0x8c3b},
    {"r16float", 2, 76, 0x822d, 0x1903, 0x140b},
    {"rgba16unorm", 8, 91, 0x805b, 0x1908, 0x1403},
    {"rgb10a2unorm", 4, 64, 0x8059, 0x1908, 0x8368},
    {"rg16unorm", 4, 77, 0x822c, 0x8227, 0x1403},
    {"rg8unorm", 2, 16, 0x822b, 0x8227, 0x1401},
    {"r16unorm", 2, 70, 0x822a, 0x1903, 0x1403},
    {"r8unorm", 1, 9, 0x8229, 0x1903, 0x1401},
    {"rgba16snorm", 8, 92, 0x8f9b, 0x1908, 0x1402},
    {"rg16snorm", 4, 78, 0x8f99, 0x8227, 0x1402},
    {"rg8snorm", 2, 17, 0x8f95, 0x8227, 0x1400},
    {"r16snorm", 2, 71, 0x8f98, 0x1903, 0x1402},
    {"r8snorm", 1, 10, 0x8f94, 0x1903, 0x1400},
    {"rgba32sint", 16, 108, 0x8d82, 0x8d99, 0x1404},
    {"rgba16sint", 8, 96, 0x8d88, 0x8d99, 0x1402},
    {"rgba8sint", 4, 42, 0x8d8e, 0x8d99, 0x1400},
    {"r32sint", 4, 99, 0x8235, 0x8d94, 0x1404},
    {"rg32sint", 8, 102, 0x823b, 0x8228, 0x1404},
    {"rg16sint", 4, 82, 0x8239, 0x8228, 0x1402},
    {"rg8sint", 2, 21, 0x8237, 0x8228, 0x1400},
    {"r16sint", 2, 75, 0x8233, 0x8d94, 0x1402},
    {"r8sint", 1, 14, 0x8231, 0x8d94, 0x1400},
    {"rgba32uint", 16, 107, 0x8d70, 0x8d99, 0x1405},
    {"rgba16uint", 8, 95, 0x8d76, 0x8d99, 0x1403},
    {"rgba8uint", 4, 41, 0x8d7c, 0x8d99, 0x1401},
    {"r32uint", 4, 98, 0x8236, 0x8d94, 0x1405},
    {"rgb10a2uint", 4, 68, 0x906f, 0x8d99, 0x8368},
    {"rg32uint", 8, 101, 0x823c, 0x8228, 0x1405},
    {"rg16uint", 4, 81, 0x823a, 0x8228, 0x1403},
    {"rg8uint", 2, 20, 0x8238, 0x8228, 0x1401},
    {"r16uint", 2, 74, 0x8234, 0x8d94, 0x1403},
    {"r8uint", 1, 13, 0x8232, 0x8d94, 0x1401},
};

const hed_image_properties *hed_image_properties_of(hed_image_format format)
{
    return &formats[(unsigned)format < HED_IMAGE_FORMATS ? format : HED_IMAGE_NONE];
}

const char *hed_image_format_name(hed_image_format format, uint32_t *bytes)
{
    const hed_image_properties *of = hed_image_properties_of(format);
    if (bytes) *bytes = of->bytes;
    return of->name;
}

uint64_t hed_texels_bytes(const hed_texels *image)
{
    return (uint64_t)image->row_bytes * image->height * image->layers;
}

bool hed_texels_are_valid(const hed_texels *image)
{
    uint32_t texel = hed_image_properties_of(image->format)->bytes;
    return (unsigned)image->format < HED_IMAGE_FORMATS && image->format &&
           (unsigned)image->shape < HED_IMAGE_SHAPES && image->width && image->height &&
           image->layers && image->row_bytes % texel == 0 &&
           image->row_bytes / texel >= image->width;
}
