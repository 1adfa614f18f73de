/* PNG through libpng. libpng reports errors by longjmp(): all state that must survive a jump is in
 * a struct of the caller, and the functions that call setjmp() have no variable of their own across
 * it. */
#include "support/png.h"

#include "heddle/author.h"
#include "support/file.h"

#include <errno.h>
#include <png.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const size_t MOST_BYTES = (size_t)1 << 30;

typedef struct codec {
    png_structp png;
    png_infop info;
    jmp_buf leave;
    char problem[256];
    /* reading */
    const unsigned char *bytes;
    size_t size, used;
    /* output, a file or memory */
    hed_file_writer *writer;
    FILE *memory;
} codec;

static void on_error(png_structp png, png_const_charp words)
{
    codec *c = png_get_error_ptr(png);
    size_t length = strnlen(words, sizeof c->problem - 1);
    memcpy(c->problem, words, length);
    c->problem[length] = 0;
    longjmp(c->leave, 1);
}

static void on_warning(png_structp png, png_const_charp words)
{
    (void)png;
    (void)words; /* invalid text chunks, for example: the pixels are valid */
}

/* ---- reading ---- */

static void png_feed(png_structp png, png_bytep to, size_t size)
{
    codec *c = png_get_io_ptr(png);
    if (size > c->size - c->used) png_error(png, "the file is cut short");
    memcpy(to, c->bytes + c->used, size);
    c->used += size;
}

/* Distinguishes lack of memory from damage, which libpng reports only in words. */
static hed_status status_or(hed_status status)
{
    return errno == ENOMEM ? HED_ERROR_MEMORY : status;
}

/* Decodes an image. False: c->problem is the cause. */
static bool png_decode(codec *c, hed_image *image, hed_status *status, hed_error *error)
{
    if (setjmp(c->leave)) return false;
    png_set_read_fn(c->png, c, png_feed);
    png_read_info(c->png, c->info);
    /* Request 8 bits, and grey only for images without transparency. */
    png_byte colour = png_get_color_type(c->png, c->info);
    bool transparent = png_get_valid(c->png, c->info, PNG_INFO_tRNS) != 0;
    png_set_expand(c->png);
    png_set_scale_16(c->png);
    if (colour == PNG_COLOR_TYPE_GRAY_ALPHA || (colour == PNG_COLOR_TYPE_GRAY && transparent))
        png_set_gray_to_rgb(c->png);
    int passes = png_set_interlace_handling(c->png);
    png_read_update_info(c->png, c->info);
    *status = hed_image_create(png_get_image_width(c->png, c->info),
        png_get_image_height(c->png, c->info), png_get_channels(c->png, c->info), image, error);
    if (*status != HED_OK) return true;
    size_t row = (size_t)image->width * image->channels;
    for (int pass = 0; pass < passes; pass++)
        for (uint32_t y = 0; y < image->height; y++)
            png_read_row(c->png, image->pixels + y * row, NULL);
    png_read_end(c->png, NULL);
    return true;
}

hed_status hed_png_decode(
    const char *name, const void *bytes, size_t size, hed_image *image, hed_error *error)
{
    *image = (hed_image){0};
    if (size < 8 || png_sig_cmp(bytes, 0, 8) != 0)
        return hed_fail(error, HED_ERROR_FORMAT,
            "%s is no PNG file: it does not begin with PNG's signature", name);
    codec c = {.bytes = bytes, .size = size};
    errno = 0;
    c.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &c, on_error, on_warning);
    c.info = c.png ? png_create_info_struct(c.png) : NULL;
    hed_status status = HED_OK;
    if (!c.info) {
        status = hed_fail(error, HED_ERROR_MEMORY, "out of memory while reading %s", name);
    } else if (!png_decode(&c, image, &status, error)) {
        status = hed_fail(error, status_or(HED_ERROR_FORMAT),
            "%s is a damaged PNG file: %s (after %zu of %zu bytes)", name, c.problem, c.used, size);
    }
    png_destroy_read_struct(&c.png, &c.info, NULL);
    if (status != HED_OK) hed_image_free(image);
    return status;
}

hed_status hed_png_read(const char *path, hed_image *image, hed_error *error)
{
    *image = (hed_image){0};
    char *bytes;
    size_t size;
    hed_status status = hed_file_read(path, MOST_BYTES, &bytes, &size, error);
    if (status == HED_OK) status = hed_png_decode(path, bytes, size, image, error);
    free(bytes);
    return status;
}

/* ---- writing ---- */

static void drain(png_structp png, png_bytep from, size_t size)
{
    codec *c = png_get_io_ptr(png);
    if (c->memory ? fwrite(from, 1, size, c->memory) != size
                  : hed_file_writer_put(c->writer, from, size) != HED_OK)
        png_error(png, "the file cannot be written"); /* commit reports the cause */
}

static void no_flush(png_structp png) { (void)png; }

static hed_status png_check_image(const char *subject, const hed_image *image, hed_error *error)
{
    if (image->width && image->height &&
        (image->channels == 1 || image->channels == 3 || image->channels == 4))
        return HED_OK;
    return hed_fail(error, HED_ERROR_ARGUMENT,
        "cannot write %s: an image of %u x %u pixels and %u channels; expected 1, 3 or 4 channels",
        subject, image->width, image->height, image->channels);
}

static bool encode(codec *c, const hed_image *image)
{
    if (setjmp(c->leave)) return false;
    static const int colors[] = {
        0, PNG_COLOR_TYPE_GRAY, 0, PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_RGB_ALPHA};
    png_set_write_fn(c->png, c, drain, no_flush);
    png_set_IHDR(c->png, c->info, image->width, image->height, 8, colors[image->channels],
        PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(c->png, c->info);
    size_t row = (size_t)image->width * image->channels;
    for (uint32_t y = 0; y < image->height; y++) png_write_row(c->png, image->pixels + y * row);
    png_write_end(c->png, NULL);
    return true;
}

hed_status hed_png_write(const char *path, const hed_image *image, hed_error *error)
{
    codec c = {0};
    hed_status status = png_check_image(path, image, error);
    if (status == HED_OK) status = hed_file_writer_open(path, &c.writer, error);
    if (status != HED_OK) return status;
    errno = 0;
    c.png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &c, on_error, on_warning);
    c.info = c.png ? png_create_info_struct(c.png) : NULL;
    if (!c.info) {
        hed_file_writer_abort(c.writer);
        status = hed_fail(error, HED_ERROR_MEMORY, "out of memory while writing %s", path);
    } else if (encode(&c, image) || hed_file_writer_put(c.writer, "", 0) != HED_OK) {
        status = hed_file_writer_commit(c.writer, error);
    } else {
        hed_file_writer_abort(c.writer);
        status = hed_fail(
            error, status_or(HED_ERROR_ARGUMENT), "cannot write %s as PNG: %s", path, c.problem);
    }
    png_destroy_write_struct(&c.png, &c.info);
    return status;
}

hed_status hed_png_encode(const hed_image *image, uint8_t **bytes, size_t *size, hed_error *error)
{
    *bytes = NULL;
    *size = 0;
    hed_status status = png_check_image("a PNG", image, error);
    if (status != HED_OK) return status;
    codec c = {.memory = open_memstream((char **)bytes, size)};
    c.png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &c, on_error, on_warning);
    c.info = c.png ? png_create_info_struct(c.png) : NULL;
    bool whole = c.memory && c.info && encode(&c, image);
    if (c.memory) whole = fclose(c.memory) == 0 && whole;
    png_destroy_write_struct(&c.png, &c.info);
    if (whole) return HED_OK;
    free(*bytes);
    *bytes = NULL;
    return HED_OUT_OF_MEMORY(error, "a PNG of %u x %u pixels", image->width, image->height);
}
