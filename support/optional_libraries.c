/* Table of optional libraries. A file's name is its soname, since the name without a version comes
 * only with headers. */
#include "support/optional_libraries.h"

#define FILES(...) \
    (const char *const[]) { __VA_ARGS__, NULL }

const hed_library_def hed_optional_libraries[HED_OPTIONAL_LIBRARY_COUNT] = {
    [HED_LIBRARY_JACK] = {"jack", "playing through a JACK server", FILES("libjack.so.0"),
        "HEDDLE_JACK_LIBRARY", "libjack-jackd2-0", "pipewire-jack-audio-connection-kit-libs"},
    [HED_LIBRARY_ALSA] = {"alsa", "playing through a sound card", FILES("libasound.so.2"),
        "HEDDLE_ALSA_LIBRARY", "libasound2", "alsa-lib"},
    [HED_LIBRARY_SNDFILE] = {"sndfile", "reading and writing FLAC and other sound files than WAV",
        FILES("libsndfile.so.1"), "HEDDLE_SNDFILE_LIBRARY", "libsndfile1", "libsndfile"},
    [HED_LIBRARY_EGL] = {"egl", "drawing pictures on the graphics card", FILES("libEGL.so.1"),
        "HEDDLE_EGL_LIBRARY", "libegl1", "libglvnd-egl"},
    [HED_LIBRARY_GLFW] = {"glfw", "the window of heddle cloth view", FILES("libglfw.so.3"),
        "HEDDLE_GLFW_LIBRARY", "libglfw3", "glfw"},
    [HED_LIBRARY_MICROHTTPD] = {"microhttpd", "tuning in a browser",
        FILES("libmicrohttpd.so.12", "libmicrohttpd.so.1"), "HEDDLE_MICROHTTPD_LIBRARY",
        "libmicrohttpd12", "libmicrohttpd"},
    [HED_LIBRARY_MUJOCO] = {"mujoco", "a model of MuJoCo's",
        FILES("libmujoco.so", "libmujoco.so.2.2.2", "libmujoco.so.2.3.7", "libmujoco.so.3.2.7",
            "libmujoco.so.3.3.0"),
        "HEDDLE_MUJOCO_LIBRARY", "libmujoco-dev", NULL},
    [HED_LIBRARY_WEBKIT] = {"webkit", "the window of the plugins",
        FILES("libwebkit2gtk-4.1.so.0", "libwebkit2gtk-4.0.so.37"), "HEDDLE_WEBKIT_LIBRARY",
        "libwebkit2gtk-4.1-0", "webkit2gtk4.1"},
};
