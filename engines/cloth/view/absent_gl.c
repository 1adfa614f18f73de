/* OpenGL in a build without its headers: every function fails with the missing packages, and
 * software draws the pictures. */
#include "gl_picture.h"
#include "window.h"

#include "heddle/author.h"

static hed_status absent(hed_error *error, const char *what)
{
    return hed_fail(error, HED_ERROR_UNSUPPORTED,
        "%s: this build was made without the headers of OpenGL, EGL and GLFW. On Debian: apt install libgl-dev libegl-dev "
        "libglfw3-dev, then build again",
        what);
}

hed_status cloth_gl_picture_create(
    uint32_t width, uint32_t height, cloth_gl_picture **picture, hed_error *error)
{
    *picture = NULL;
    return absent(error, "no pictures by OpenGL");
}

void cloth_gl_picture_destroy(cloth_gl_picture *picture) { (void)picture; }

const char *cloth_gl_picture_renderer(const cloth_gl_picture *picture) { return "none"; }

bool cloth_gl_picture_in_software(const cloth_gl_picture *picture) { return false; }

hed_status cloth_gl_picture_draw(cloth_gl_picture *picture, const cloth_studio *studio,
    const hed_cloth_camera *camera, const cloth_box *box, const cloth_surface *surfaces,
    uint32_t count, hed_image *image, hed_error *error)
{
    *image = (hed_image){0};
    return absent(error, "no pictures by OpenGL");
}

hed_status cloth_window_run(hed_cloth_scene *scene, hed_cloth *cloth, double rate,
    const cloth_window_probe *probe, hed_error *error)
{
    return absent(error, "no window");
}

hed_status cloth_view_run(hed_cloth_scene *scene, hed_cloth *cloth, double rate, hed_error *error)
{
    return cloth_window_run(scene, cloth, rate, NULL, error);
}
