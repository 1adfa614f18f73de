/* Pixels of images, apart from any format. */
#include "support/png.h"

#include "heddle/author.h"

#include <stdlib.h>

static const uint64_t MOST_BYTES = (uint64_t)1 << 30;

hed_status hed_image_create(
    uint32_t width, uint32_t height, uint32_t channels, hed_image *image, hed_error *error)
{
    *image = (hed_image){0};
    if (width == 0 || height == 0 || (channels != 1 && channels != 3 && channels != 4))
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "an image of %u x %u pixels and %u channels: expected at least one pixel and 1, 3 or 4 channels",
            width, height, channels);
    uint64_t row = (uint64_t)width * channels;
    if (row > MOST_BYTES / height)
        return hed_fail(error, HED_ERROR_LIMIT,
            "an image of %u x %u pixels is larger than 1 GiB, the most that is handled", width,
            height);
    image->pixels = malloc(row * height);
    if (!image->pixels)
        return HED_OUT_OF_MEMORY(error, "an image of %u x %u pixels", width, height);
    image->width = width;
    image->height = height;
    image->channels = channels;
    return HED_OK;
}

void hed_image_free(hed_image *image)
{
    free(image->pixels);
    *image = (hed_image){0};
}
