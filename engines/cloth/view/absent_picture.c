/* Pictures in a build without OpenGL: every function is there and says what is missing. */
#include "view.h"

#include "support/errors.h"

hed_status cloth_picture_create(uint32_t width, uint32_t height, cloth_picture **picture, hed_error *error)
{
    (void)width, (void)height;
    *picture = NULL;
    return hed_error_set(error, HED_ERROR_UNSUPPORTED,
                         "this build draws no pictures: it was made without EGL and without OSMesa. "
                         "On Debian: apt install libegl-dev libosmesa6-dev, then build again");
}

void cloth_picture_destroy(cloth_picture *picture) { (void)picture; }

const char *cloth_picture_renderer(const cloth_picture *picture)
{
    (void)picture;
    return "none";
}

hed_status cloth_picture_draw(cloth_picture *picture, const hed_cloth_camera *camera, const cloth_surface *surfaces,
                              uint32_t count, hed_image *image, hed_error *error)
{
    (void)picture, (void)camera, (void)surfaces, (void)count;
    *image = (hed_image){0};
    return hed_error_set(error, HED_ERROR_UNSUPPORTED,
                         "this build draws no pictures. On Debian: apt install libegl-dev, then build again");
}
