/* Libraries that Heddle's engines and command load if they are installed, in one table: the purpose
 * of each, and the packages that contain it. `heddle doctor` checks all of them. (The drivers of
 * devices are in the backends.) */
#ifndef HED_SUPPORT_OPTIONAL_LIBRARIES_H
#define HED_SUPPORT_OPTIONAL_LIBRARIES_H

#include "heddle/library.h"

typedef enum hed_optional_library {
    HED_LIBRARY_JACK,
    HED_LIBRARY_ALSA,
    HED_LIBRARY_SNDFILE,
    HED_LIBRARY_EGL,
    HED_LIBRARY_GLFW,
    HED_LIBRARY_MICROHTTPD,
    HED_LIBRARY_MUJOCO,
    HED_LIBRARY_WEBKIT,
    HED_OPTIONAL_LIBRARY_COUNT
} hed_optional_library;

extern const hed_library_def hed_optional_libraries[HED_OPTIONAL_LIBRARY_COUNT];

#endif
