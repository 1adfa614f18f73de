/* The real libOpenCL, which this library is linked with and whose functions are found through it,
 * but for one answer: no device has the host's memory. So PoCL maps none into kernels, as NVIDIA's
 * driver does. */
#include "backends/opencl/opencl_api.h"

#include <dlfcn.h>
#include <string.h>

__attribute__((visibility("default"))) cl_int clGetDeviceInfo(
    cl_device_id device, cl_uint what, size_t size, void *value, size_t *size_out);

cl_int clGetDeviceInfo(
    cl_device_id device, cl_uint what, size_t size, void *value, size_t *size_out)
{
    cl_int (*real)(cl_device_id, cl_uint, size_t, void *, size_t *);
    *(void **)&real = dlsym(RTLD_NEXT, "clGetDeviceInfo");
    cl_int code = real(device, what, size, value, size_out);
    if (!code && what == CL_DEVICE_HOST_UNIFIED_MEMORY && value) memset(value, 0, size);
    return code;
}
