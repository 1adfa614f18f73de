/* Images as PNG files: 8 bits a channel; gray, RGB or RGBA. */
#ifndef HED_SUPPORT_PNG_H
#define HED_SUPPORT_PNG_H

#include "heddle/base.h"

typedef struct hed_image {
    uint32_t width, height;
    uint32_t channels; /* 1 grey, 3 RGB, 4 RGBA (colour not multiplied by alpha) */
    uint8_t *pixels;   /* (height x width x channels), top row first, rows without gaps */
} hed_image;

/* Writes a file, which appears complete or not at all. Errors: ARGUMENT (size, channels), IO,
 * MEMORY. */
hed_status hed_png_write(const char *path, const hed_image *image, hed_error *error);

/* Encodes an image in memory; free the bytes with free(). Errors: ARGUMENT, MEMORY. */
hed_status hed_png_encode(const hed_image *image, uint8_t **bytes, size_t *size, hed_error *error);

/* Reads a file. Other formats than 8-bit grey, RGB and RGBA are converted: palettes and less than 8
 * bits are expanded, 16 bits are rounded, grey with alpha becomes RGBA. Free the pixels with
 * hed_image_free(). Errors: IO, FORMAT (with the kind of damage), LIMIT (over 1 GiB of pixels),
 * MEMORY. */
hed_status hed_png_read(const char *path, hed_image *image, hed_error *error);
/* Decodes an image in memory; `name` replaces the path in messages. Errors: as hed_png_read(). */
hed_status hed_png_decode(
    const char *name, const void *bytes, size_t size, hed_image *image, hed_error *error);

/* Allocates pixels without setting them. Errors: ARGUMENT (a zero, channels), LIMIT, MEMORY. */
hed_status hed_image_create(
    uint32_t width, uint32_t height, uint32_t channels, hed_image *image, hed_error *error);
void hed_image_free(hed_image *image); /* sets the image to zeros, too */

#endif
