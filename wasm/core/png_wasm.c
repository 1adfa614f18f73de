/* PNG files in a module, in place of support/png.c: refused, as every page can decode them itself.
 * */
#include "support/png.h"

#include "heddle/author.h"

hed_status hed_png_decode(
    const char *name, const void *bytes, size_t size, hed_image *image, hed_error *error)
{
    return hed_fail(error, HED_ERROR_UNSUPPORTED, "%s: PNG images are not read in WebAssembly; expected PGM", name);
}

hed_status hed_png_read(const char *path, hed_image *image, hed_error *error)
{
    return hed_png_decode(path, NULL, 0, image, error);
}
