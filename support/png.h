/* Images as PNG files: 8 bits a channel; gray, RGB or RGBA. */
#ifndef HED_SUPPORT_PNG_H
#define HED_SUPPORT_PNG_H

#include "heddle/base.h"

typedef struct hed_image {
    uint32_t width, height;
    uint32_t channels; /* 1 gray, 3 RGB, 4 RGBA (colour not multiplied by alpha) */
    uint8_t *pixels;   /* (height x width x channels), top row first, rows without gaps */
} hed_image;

/* Writes a file, which appears whole or not at all. Errors: ARGUMENT (size, channels), IO,
 * MEMORY. */
hed_status hed_png_write(const char *path, const hed_image *image, hed_error *error);

/* The same in memory, to be released with free(). Errors: ARGUMENT, MEMORY. */
hed_status hed_png_encode(const hed_image *image, uint8_t **bytes, size_t *size, hed_error *error);

/* Reads a file. What is not 8-bit gray, RGB or RGBA is converted: palettes and less than 8 bits are
 * expanded, 16 bits are rounded, gray with alpha becomes RGBA. The pixels are released with
 * hed_image_free(). Errors: IO, FORMAT (the text says what is damaged), LIMIT (over 1 GiB of
 * pixels), MEMORY. */
hed_status hed_png_read(const char *path, hed_image *image, hed_error *error);
/* The same from memory; `name` stands for the file in messages. */
hed_status hed_png_decode(
    const char *name, const void *bytes, size_t size, hed_image *image, hed_error *error);

/* Memory for pixels, not set. Errors: ARGUMENT (a zero, channels), LIMIT, MEMORY. */
hed_status hed_image_create(
    uint32_t width, uint32_t height, uint32_t channels, hed_image *image, hed_error *error);
void hed_image_free(hed_image *image); /* and sets it to nothing */

#endif
