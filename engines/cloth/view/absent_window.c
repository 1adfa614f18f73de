/* The window in a build without GLFW: says what is missing. */
#include "window.h"

#include "support/errors.h"

hed_status cloth_window_run(hed_cloth_scene *scene, hed_cloth *cloth, double rate, const cloth_window_probe *probe,
                            hed_error *error)
{
    (void)scene, (void)cloth, (void)rate, (void)probe;
    return hed_error_set(error, HED_ERROR_UNSUPPORTED,
                         "this build opens no window: it was made without GLFW. On Debian: apt install libglfw3-dev "
                         "libgl-dev, then build again");
}

hed_status cloth_view_run(hed_cloth_scene *scene, hed_cloth *cloth, double rate, hed_error *error)
{
    return cloth_window_run(scene, cloth, rate, NULL, error);
}
