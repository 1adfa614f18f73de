/* The part of OpenCL 1.2 that this backend calls, declared here because nothing of OpenCL is needed
 * to build Heddle. Names, values and signatures are from the Khronos specification; X macros make
 * the table of functions and the list of names that are looked up in the loaded library. */
#ifndef HED_BACKENDS_OPENCL_API_H
#define HED_BACKENDS_OPENCL_API_H

#include <stddef.h>
#include <stdint.h>

typedef int32_t cl_int;
typedef uint32_t cl_uint;
typedef uint64_t cl_ulong;
typedef cl_uint cl_bool;
typedef cl_ulong cl_bitfield;
typedef struct hed_cl_platform *cl_platform_id;
typedef struct hed_cl_device *cl_device_id;
typedef struct hed_cl_context *cl_context;
typedef struct hed_cl_queue *cl_command_queue;
typedef struct hed_cl_memory *cl_mem;
typedef struct hed_cl_program *cl_program;
typedef struct hed_cl_kernel *cl_kernel;
typedef struct hed_cl_event *cl_event;

typedef struct cl_buffer_region {
    size_t origin, size;
} cl_buffer_region;

typedef void hed_cl_context_notify(const char *text, const void *data, size_t size, void *user);
typedef void hed_cl_program_notify(cl_program program, void *user);
typedef void hed_cl_event_notify(cl_event event, cl_int status, void *user);

/* ---- error codes: X(name, value) ---- */

#define HED_CL_ERRORS(X) \
    X(CL_SUCCESS, 0) \
    X(CL_DEVICE_NOT_FOUND, -1) \
    X(CL_DEVICE_NOT_AVAILABLE, -2) \
    X(CL_COMPILER_NOT_AVAILABLE, -3) \
    X(CL_MEM_OBJECT_ALLOCATION_FAILURE, -4) \
    X(CL_OUT_OF_RESOURCES, -5) \
    X(CL_OUT_OF_HOST_MEMORY, -6) \
    X(CL_PROFILING_INFO_NOT_AVAILABLE, -7) \
    X(CL_MEM_COPY_OVERLAP, -8) \
    X(CL_BUILD_PROGRAM_FAILURE, -11) \
    X(CL_MAP_FAILURE, -12) \
    X(CL_MISALIGNED_SUB_BUFFER_OFFSET, -13) \
    X(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, -14) \
    X(CL_COMPILE_PROGRAM_FAILURE, -15) \
    X(CL_LINKER_NOT_AVAILABLE, -16) \
    X(CL_LINK_PROGRAM_FAILURE, -17) \
    X(CL_KERNEL_ARG_INFO_NOT_AVAILABLE, -19) \
    X(CL_INVALID_VALUE, -30) \
    X(CL_INVALID_DEVICE_TYPE, -31) \
    X(CL_INVALID_PLATFORM, -32) \
    X(CL_INVALID_DEVICE, -33) \
    X(CL_INVALID_CONTEXT, -34) \
    X(CL_INVALID_QUEUE_PROPERTIES, -35) \
    X(CL_INVALID_COMMAND_QUEUE, -36) \
    X(CL_INVALID_HOST_PTR, -37) \
    X(CL_INVALID_MEM_OBJECT, -38) \
    X(CL_INVALID_BINARY, -42) \
    X(CL_INVALID_BUILD_OPTIONS, -43) \
    X(CL_INVALID_PROGRAM, -44) \
    X(CL_INVALID_PROGRAM_EXECUTABLE, -45) \
    X(CL_INVALID_KERNEL_NAME, -46) \
    X(CL_INVALID_KERNEL_DEFINITION, -47) \
    X(CL_INVALID_KERNEL, -48) \
    X(CL_INVALID_ARG_INDEX, -49) \
    X(CL_INVALID_ARG_VALUE, -50) \
    X(CL_INVALID_ARG_SIZE, -51) \
    X(CL_INVALID_KERNEL_ARGS, -52) \
    X(CL_INVALID_WORK_DIMENSION, -53) \
    X(CL_INVALID_WORK_GROUP_SIZE, -54) \
    X(CL_INVALID_WORK_ITEM_SIZE, -55) \
    X(CL_INVALID_GLOBAL_OFFSET, -56) \
    X(CL_INVALID_EVENT_WAIT_LIST, -57) \
    X(CL_INVALID_EVENT, -58) \
    X(CL_INVALID_OPERATION, -59) \
    X(CL_INVALID_GL_OBJECT, -60) \
    X(CL_INVALID_BUFFER_SIZE, -61) \
    X(CL_INVALID_GLOBAL_WORK_SIZE, -63) \
    X(CL_INVALID_PROPERTY, -64) \
    X(CL_PLATFORM_NOT_FOUND_KHR, -1001) \
    X(CL_NVIDIA_ILLEGAL_ACCESS, -9999)

#define HED_CL_ENUM(name, value) name = value,
enum { HED_CL_ERRORS(HED_CL_ENUM) };

/* ---- constants ---- */

#define CL_DEVICE_TYPE_ALL 0xFFFFFFFFu

enum {
    CL_FALSE = 0,
    CL_TRUE = 1,

    CL_PLATFORM_VERSION = 0x0901,
    CL_PLATFORM_NAME = 0x0902,

    CL_DEVICE_TYPE_CPU = 1 << 1,
    CL_DEVICE_TYPE_GPU = 1 << 2,

    CL_DEVICE_TYPE = 0x1000,
    CL_DEVICE_MAX_COMPUTE_UNITS = 0x1002,
    CL_DEVICE_MAX_WORK_GROUP_SIZE = 0x1004,
    CL_DEVICE_MAX_WORK_ITEM_SIZES = 0x1005,
    CL_DEVICE_MAX_CLOCK_FREQUENCY = 0x100C,
    CL_DEVICE_MAX_MEM_ALLOC_SIZE = 0x1010,
    CL_DEVICE_MAX_PARAMETER_SIZE = 0x1017,
    CL_DEVICE_MEM_BASE_ADDR_ALIGN = 0x1019,
    CL_DEVICE_SINGLE_FP_CONFIG = 0x101B,
    CL_DEVICE_GLOBAL_MEM_CACHE_SIZE = 0x101E,
    CL_DEVICE_GLOBAL_MEM_SIZE = 0x101F,
    CL_DEVICE_LOCAL_MEM_SIZE = 0x1023,
    CL_DEVICE_AVAILABLE = 0x1027,
    CL_DEVICE_COMPILER_AVAILABLE = 0x1028,
    CL_DEVICE_NAME = 0x102B,
    CL_DEVICE_VENDOR = 0x102C,
    CL_DRIVER_VERSION = 0x102D,
    CL_DEVICE_VERSION = 0x102F,
    CL_DEVICE_EXTENSIONS = 0x1030,
    CL_DEVICE_PLATFORM = 0x1031,
    CL_DEVICE_HOST_UNIFIED_MEMORY = 0x1035,
    CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT = 0x103A,
    CL_DEVICE_REGISTERS_PER_BLOCK_NV = 0x4002, /* cl_nv_device_attribute_query */
    CL_DEVICE_WARP_SIZE_NV = 0x4003,
    CL_DEVICE_WAVEFRONT_WIDTH_AMD = 0x4043, /* cl_amd_device_attribute_query */

    CL_FP_DENORM = 1 << 0,
    CL_FP_INF_NAN = 1 << 1,
    CL_FP_ROUND_TO_NEAREST = 1 << 2,
    CL_FP_FMA = 1 << 5,
    CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT = 1 << 7,

    CL_CONTEXT_DEVICES = 0x1081,
    CL_CONTEXT_PROPERTIES = 0x1082,
    CL_CONTEXT_PLATFORM = 0x1084,
    CL_GL_CONTEXT_KHR = 0x2008,

    CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE = 1 << 0,
    CL_QUEUE_PROFILING_ENABLE = 1 << 1,
    CL_QUEUE_CONTEXT = 0x1090,
    CL_QUEUE_DEVICE = 0x1091,
    CL_QUEUE_PROPERTIES = 0x1093,

    CL_MEM_READ_WRITE = 1 << 0,
    CL_MEM_USE_HOST_PTR = 1 << 3,
    CL_MEM_ALLOC_HOST_PTR = 1 << 4,
    CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED = 1 << 1,
    CL_MEM_SIZE = 0x1102,
    CL_MEM_CONTEXT = 0x1106,
    CL_MAP_READ = 1 << 0,
    CL_MAP_WRITE = 1 << 1,
    CL_BUFFER_CREATE_TYPE_REGION = 0x1220,

    CL_PROGRAM_NUM_DEVICES = 0x1162,
    CL_PROGRAM_DEVICES = 0x1163,
    CL_PROGRAM_BINARY_SIZES = 0x1165,
    CL_PROGRAM_BINARIES = 0x1166,
    CL_PROGRAM_BUILD_LOG = 0x1183,
    CL_KERNEL_NUM_ARGS = 0x1191,
    CL_KERNEL_ARG_TYPE_NAME = 0x1198,
    CL_KERNEL_WORK_GROUP_SIZE = 0x11B0,
    CL_KERNEL_COMPILE_WORK_GROUP_SIZE = 0x11B1,
    CL_KERNEL_LOCAL_MEM_SIZE = 0x11B2,
    CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE = 0x11B3,
    CL_KERNEL_PRIVATE_MEM_SIZE = 0x11B4,

    CL_COMPLETE = 0,
    CL_EVENT_COMMAND_EXECUTION_STATUS = 0x11D3,
    CL_PROFILING_COMMAND_START = 0x1282,
    CL_PROFILING_COMMAND_END = 0x1283
};

/* ---- functions: X(result, name, parameters) ---- */

#define HED_CL_WAIT cl_uint wait_count, const cl_event *wait, cl_event *event

#define HED_CL_FUNCTIONS(X) \
    X(cl_int, clGetPlatformIDs, (cl_uint capacity, cl_platform_id * platforms, cl_uint * count)) \
    X(cl_int, clGetPlatformInfo, \
        (cl_platform_id platform, cl_uint what, size_t size, void *value, size_t *size_out)) \
    X(cl_int, clGetDeviceIDs, \
        (cl_platform_id platform, cl_bitfield type, cl_uint capacity, cl_device_id * devices, \
            cl_uint * count)) \
    X(cl_int, clGetDeviceInfo, \
        (cl_device_id device, cl_uint what, size_t size, void *value, size_t *size_out)) \
    X(cl_context, clCreateContext, \
        (const intptr_t *properties, cl_uint count, const cl_device_id *devices, \
            hed_cl_context_notify *notify, void *user, cl_int *code)) \
    X(cl_int, clRetainContext, (cl_context context)) \
    X(cl_int, clReleaseContext, (cl_context context)) \
    X(cl_int, clGetContextInfo, \
        (cl_context context, cl_uint what, size_t size, void *value, size_t *size_out)) \
    X(cl_command_queue, clCreateCommandQueue, \
        (cl_context context, cl_device_id device, cl_bitfield properties, cl_int * code)) \
    X(cl_int, clRetainCommandQueue, (cl_command_queue queue)) \
    X(cl_int, clReleaseCommandQueue, (cl_command_queue queue)) \
    X(cl_int, clGetCommandQueueInfo, \
        (cl_command_queue queue, cl_uint what, size_t size, void *value, size_t *size_out)) \
    X(cl_int, clFlush, (cl_command_queue queue)) \
    X(cl_int, clFinish, (cl_command_queue queue)) \
    X(cl_mem, clCreateBuffer, \
        (cl_context context, cl_bitfield flags, size_t size, void *host, cl_int *code)) \
    X(cl_mem, clCreateSubBuffer, \
        (cl_mem buffer, cl_bitfield flags, cl_uint type, const void *region, cl_int *code)) \
    X(cl_int, clRetainMemObject, (cl_mem memory)) \
    X(cl_int, clReleaseMemObject, (cl_mem memory)) \
    X(cl_int, clGetMemObjectInfo, \
        (cl_mem memory, cl_uint what, size_t size, void *value, size_t *size_out)) \
    X(cl_program, clCreateProgramWithSource, \
        (cl_context context, cl_uint count, const char **strings, const size_t *sizes, \
            cl_int *code)) \
    X(cl_program, clCreateProgramWithBinary, \
        (cl_context context, cl_uint count, const cl_device_id *devices, const size_t *sizes, \
            const unsigned char **binaries, cl_int *status, cl_int *code)) \
    X(cl_int, clRetainProgram, (cl_program program)) \
    X(cl_int, clReleaseProgram, (cl_program program)) \
    X(cl_int, clBuildProgram, \
        (cl_program program, cl_uint count, const cl_device_id *devices, const char *options, \
            hed_cl_program_notify *notify, void *user)) \
    X(cl_int, clGetProgramInfo, \
        (cl_program program, cl_uint what, size_t size, void *value, size_t *size_out)) \
    X(cl_int, clGetProgramBuildInfo, \
        (cl_program program, cl_device_id device, cl_uint what, size_t size, void *value, \
            size_t *size_out)) \
    X(cl_kernel, clCreateKernel, (cl_program program, const char *name, cl_int *code)) \
    X(cl_int, clReleaseKernel, (cl_kernel kernel)) \
    X(cl_int, clSetKernelArg, (cl_kernel kernel, cl_uint index, size_t size, const void *value)) \
    X(cl_int, clGetKernelInfo, \
        (cl_kernel kernel, cl_uint what, size_t size, void *value, size_t *size_out)) \
    X(cl_int, clGetKernelArgInfo, \
        (cl_kernel kernel, cl_uint index, cl_uint what, size_t size, void *value, \
            size_t *size_out)) \
    X(cl_int, clGetKernelWorkGroupInfo, \
        (cl_kernel kernel, cl_device_id device, cl_uint what, size_t size, void *value, \
            size_t *size_out)) \
    X(cl_int, clWaitForEvents, (cl_uint count, const cl_event *events)) \
    X(cl_int, clGetEventInfo, \
        (cl_event event, cl_uint what, size_t size, void *value, size_t *size_out)) \
    X(cl_int, clGetEventProfilingInfo, \
        (cl_event event, cl_uint what, size_t size, void *value, size_t *size_out)) \
    X(cl_int, clReleaseEvent, (cl_event event)) \
    X(cl_event, clCreateUserEvent, (cl_context context, cl_int * code)) \
    X(cl_int, clSetUserEventStatus, (cl_event event, cl_int status)) \
    X(cl_int, clSetEventCallback, \
        (cl_event event, cl_int status, hed_cl_event_notify * notify, void *user)) \
    X(cl_int, clEnqueueReadBuffer, \
        (cl_command_queue queue, cl_mem from, cl_bool blocking, size_t offset, size_t size, \
            void *to, HED_CL_WAIT)) \
    X(cl_int, clEnqueueWriteBuffer, \
        (cl_command_queue queue, cl_mem to, cl_bool blocking, size_t offset, size_t size, \
            const void *from, HED_CL_WAIT)) \
    X(cl_int, clEnqueueCopyBuffer, \
        (cl_command_queue queue, cl_mem from, cl_mem to, size_t from_offset, size_t to_offset, \
            size_t size, HED_CL_WAIT)) \
    X(cl_int, clEnqueueFillBuffer, \
        (cl_command_queue queue, cl_mem to, const void *pattern, size_t pattern_size, \
            size_t offset, size_t size, HED_CL_WAIT)) \
    X(void *, clEnqueueMapBuffer, \
        (cl_command_queue queue, cl_mem buffer, cl_bool blocking, cl_bitfield flags, \
            size_t offset, size_t size, HED_CL_WAIT, cl_int * code)) \
    X(cl_int, clEnqueueUnmapMemObject, \
        (cl_command_queue queue, cl_mem memory, void *pointer, HED_CL_WAIT)) \
    X(cl_int, clEnqueueMigrateMemObjects, \
        (cl_command_queue queue, cl_uint count, const cl_mem *memory, cl_bitfield flags, \
            HED_CL_WAIT)) \
    X(cl_int, clEnqueueNDRangeKernel, \
        (cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset, \
            const size_t *global, const size_t *local, HED_CL_WAIT)) \
    X(cl_int, clEnqueueMarkerWithWaitList, (cl_command_queue queue, HED_CL_WAIT)) \
    X(cl_int, clEnqueueBarrierWithWaitList, (cl_command_queue queue, HED_CL_WAIT))

/* X(result, name, parameters) of optional functions; NULL if the library lacks them. */
#define HED_CL_GL_FUNCTIONS(X) \
    X(cl_mem, clCreateFromGLBuffer, \
        (cl_context context, cl_bitfield flags, cl_uint name, cl_int * code)) \
    X(cl_int, clEnqueueAcquireGLObjects, \
        (cl_command_queue queue, cl_uint count, const cl_mem *memory, HED_CL_WAIT)) \
    X(cl_int, clEnqueueReleaseGLObjects, \
        (cl_command_queue queue, cl_uint count, const cl_mem *memory, HED_CL_WAIT))

#define HED_CL_MEMBER(result, name, parameters) result(*name) parameters;
typedef struct hed_cl_api {
    HED_CL_FUNCTIONS(HED_CL_MEMBER)
    HED_CL_GL_FUNCTIONS(HED_CL_MEMBER)
} hed_cl_api;

#endif
