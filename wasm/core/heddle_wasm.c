/* Composition root of a WebAssembly module, in place of src/heddle.c: the host alone, and nothing
 * is captured. */
#include "core/backend.h"
#include "launch/launcher.h"

extern const hed_backend hed_host_backend;

const hed_backend *const hed_backends[] = {&hed_host_backend, NULL};

hed_launch_hook *const hed_on_first_launch = NULL;
