/* Composition root: the one file that names the backends, in order of preference. */
#include "core/backend.h"

extern const hed_backend hed_cuda_backend, hed_opencl_backend, hed_host_backend;

const hed_backend *const hed_backends[] = {
    &hed_cuda_backend, &hed_opencl_backend, &hed_host_backend, NULL};
