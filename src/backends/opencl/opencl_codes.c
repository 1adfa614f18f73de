/* Error codes of OpenCL as statuses and messages. */
#include "backends/opencl/opencl.h"

#include <stdarg.h>
#include <stdio.h>

const char *hed_opencl_code_name(cl_int code)
{
    switch (code) {
#define NAME(name, value) \
    case value: return #name;
        HED_CL_ERRORS(NAME)
#undef NAME
    default: return "an unknown code";
    }
}

static hed_status opencl_status_of(cl_int code)
{
    switch (code) {
    case CL_OUT_OF_HOST_MEMORY: return HED_ERROR_MEMORY;
    case CL_MEM_OBJECT_ALLOCATION_FAILURE: return HED_ERROR_DEVICE_MEMORY;
    case CL_INVALID_BUFFER_SIZE:
    case CL_INVALID_WORK_GROUP_SIZE:
    case CL_INVALID_WORK_ITEM_SIZE:
    case CL_INVALID_GLOBAL_WORK_SIZE: return HED_ERROR_LIMIT;
    case CL_DEVICE_NOT_AVAILABLE:
    case CL_NVIDIA_ILLEGAL_ACCESS: return HED_ERROR_LOST;
    default: return HED_ERROR_DRIVER;
    }
}

hed_status hed_opencl_fail(hed_error *error, const char *call, cl_int code, const char *format, ...)
{
    char text[HED_ERROR_TEXT - 128];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return hed_fail(error, opencl_status_of(code), "%s failed with %s (%d): %s", call,
        hed_opencl_code_name(code), (int)code, text);
}

static hed_status opencl_check(hed_error *error, const hed_device *device, const char *call,
    cl_int code, const char *purpose, bool is_lost)
{
    const char *name = hed_opencl_code_name(code), *id = device->info.id;
    if (code == CL_SUCCESS) return HED_OK;
    if (!is_lost) return hed_opencl_fail(error, call, code, "%s on %s (%s)", purpose, id, device->info.name);
    return hed_fail(error, HED_ERROR_LOST,
        "%s failed with %s (%d): %s: work on %s (%s) failed, and the device is lost to this context; "
        "a kernel that reads or writes outside its buffers does that",
        call, name, (int)code, purpose, id, device->info.name);
}

/* True if a code means a lost device. A stream retains its queue, so an invalid queue is one that
 * the driver gave up; and work that failed also fails the work that waits for it. */
static bool opencl_means_lost(cl_int code)
{
    return opencl_status_of(code) == HED_ERROR_LOST || code == CL_INVALID_COMMAND_QUEUE ||
           code == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
}

hed_status hed_opencl_check_work(
    hed_error *error, const hed_device *device, const char *call, cl_int code, const char *purpose)
{
    return opencl_check(error, device, call, code, purpose, opencl_means_lost(code));
}

/* Checks a call that waits. Waiting requests no resources: OUT_OF_RESOURCES there is the drivers'
 * code for a kernel that accessed memory out of bounds. */
hed_status hed_opencl_check_wait(
    hed_error *error, const hed_device *device, const char *call, cl_int code, const char *purpose)
{
    return opencl_check(
        error, device, call, code, purpose, opencl_means_lost(code) || code == CL_OUT_OF_RESOURCES);
}
