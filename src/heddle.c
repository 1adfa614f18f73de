/* Composition root: the one file that names the backends, in order of preference, and the function
 * above the launcher that a first launch calls. */
#include "core/backend.h"
#include "launch/launcher.h"
#include "capture/capture_file.h"

extern const hed_backend hed_cuda_backend, hed_hip_backend, hed_opencl_backend, hed_host_backend,
    hed_vulkan_backend, hed_gl_backend;

const hed_backend *const hed_backends[] = {&hed_cuda_backend, &hed_hip_backend, &hed_opencl_backend,
    &hed_vulkan_backend, &hed_gl_backend, &hed_host_backend, NULL};

hed_launch_hook *const hed_on_first_launch = hed_capture_first;
