/* The part of the CUDA driver API that Heddle calls, declared from NVIDIA's documentation (CUDA
 * Driver API reference, 11.2 to 13.0), so that no toolkit is needed to build. Names of types,
 * functions and error codes are the driver's own.
 *
 * AMD's HIP has the same functions under other names (HIP documentation, "HIP porting driver API
 * guide", ROCm 5.2 to 6): the second name of each function. Error codes, flags and attributes of
 * functions have the same numbers in both. */
#ifndef HED_BACKENDS_CUDA_API_H
#define HED_BACKENDS_CUDA_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef int CUresult;
typedef int CUdevice;
typedef uint64_t CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphNode_st *CUgraphNode;
typedef struct CUgraphExec_st *CUgraphExec;
typedef struct CUgraphicsResource_st *CUgraphicsResource;
typedef struct CUarray_st *CUarray;
typedef void (*CUhostFn)(void *user);

enum {
    CUDA_SUCCESS = 0,
    CUDA_ERROR_OUT_OF_MEMORY = 2,
    CUDA_ERROR_NO_DEVICE = 100,
    CUDA_ERROR_INVALID_IMAGE = 200,
    CUDA_ERROR_NO_BINARY_FOR_GPU = 209,
    CUDA_ERROR_ECC_UNCORRECTABLE = 214,
    CUDA_ERROR_INVALID_PTX = 218,
    CUDA_ERROR_NVLINK_UNCORRECTABLE = 220,
    CUDA_ERROR_JIT_COMPILER_NOT_FOUND = 221,
    CUDA_ERROR_UNSUPPORTED_PTX_VERSION = 222,
    CUDA_ERROR_CONTAINED = 226,
    CUDA_ERROR_NOT_FOUND = 500,
    CUDA_ERROR_NOT_READY = 600,
    CUDA_ERROR_ILLEGAL_ADDRESS = 700,
    CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES = 701,
    CUDA_ERROR_LAUNCH_TIMEOUT = 702,
    CUDA_ERROR_CONTEXT_IS_DESTROYED = 709,
    CUDA_ERROR_ASSERT = 710,
    CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED = 712,
    CUDA_ERROR_HARDWARE_STACK_ERROR = 714,
    CUDA_ERROR_ILLEGAL_INSTRUCTION = 715,
    CUDA_ERROR_MISALIGNED_ADDRESS = 716,
    CUDA_ERROR_INVALID_ADDRESS_SPACE = 717,
    CUDA_ERROR_INVALID_PC = 718,
    CUDA_ERROR_LAUNCH_FAILED = 719,
    CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE = 720,
    CUDA_ERROR_NOT_SUPPORTED = 801,
    CUDA_ERROR_INVALID_CLUSTER_SIZE = 912
};

/* CUdevice_attribute */
enum {
    CU_DEVICE_MAX_THREADS_PER_BLOCK = 1,
    CU_DEVICE_MAX_BLOCK_DIM_X = 2,
    CU_DEVICE_MAX_GRID_DIM_X = 5,
    CU_DEVICE_SHARED_MEMORY_PER_BLOCK = 8,
    CU_DEVICE_WARP_SIZE = 10,
    CU_DEVICE_CLOCK_RATE = 13,
    CU_DEVICE_MULTIPROCESSOR_COUNT = 16,
    CU_DEVICE_CAN_MAP_HOST_MEMORY = 19,
    CU_DEVICE_L2_CACHE_SIZE = 38,
    CU_DEVICE_UNIFIED_ADDRESSING = 41,
    CU_DEVICE_COMPUTE_CAPABILITY_MAJOR = 75,
    CU_DEVICE_COMPUTE_CAPABILITY_MINOR = 76,
    CU_DEVICE_REGISTERS_PER_MULTIPROCESSOR = 82,
    CU_DEVICE_COOPERATIVE_LAUNCH = 95,
    CU_DEVICE_SHARED_MEMORY_PER_BLOCK_OPTIN = 97,
    CU_DEVICE_CLUSTER_LAUNCH = 120
};

/* CUfunction_attribute */
enum {
    CU_FUNC_MAX_THREADS_PER_BLOCK = 0,
    CU_FUNC_SHARED_SIZE_BYTES = 1,
    CU_FUNC_LOCAL_SIZE_BYTES = 3,
    CU_FUNC_NUM_REGS = 4,
    CU_FUNC_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
    CU_FUNC_NON_PORTABLE_CLUSTER_SIZE_ALLOWED = 14
};

/* CUjit_option */
enum {
    CU_JIT_MAX_REGISTERS = 0,
    CU_JIT_INFO_LOG_BUFFER = 3,
    CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES = 4,
    CU_JIT_ERROR_LOG_BUFFER = 5,
    CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6,
    CU_JIT_LOG_VERBOSE = 12
};

enum {
    CU_STREAM_NON_BLOCKING = 1,
    CU_EVENT_DEFAULT = 0,
    CU_EVENT_DISABLE_TIMING = 2,
    /* PORTABLE | DEVICEMAP; cuMemHostAlloc and cuMemHostRegister use the same bits */
    CU_MEMHOST_PORTABLE_MAPPED = 3,
    CU_MEMORYTYPE_HOST = 1,
    CU_MEMORYTYPE_DEVICE = 2,
    CU_GRAPHICS_REGISTER_NONE = 0
};

/* CUlaunchAttributeID; the value is a union of 64 bytes. */
enum { CU_LAUNCH_COOPERATIVE = 2, CU_LAUNCH_CLUSTER_DIMENSION = 4 };

typedef union CUlaunchAttributeValue {
    char bytes[64];
    uint64_t alignment;
    int cooperative;
    unsigned cluster[3];
} CUlaunchAttributeValue;

typedef struct CUlaunchAttribute {
    int id;
    char padding[4];
    CUlaunchAttributeValue value;
} CUlaunchAttribute;

typedef struct CUlaunchConfig {
    unsigned grid[3], block[3], shared_bytes;
    CUstream stream;
    CUlaunchAttribute *attributes;
    unsigned attribute_count;
} CUlaunchConfig;

/* CUDA_KERNEL_NODE_PARAMS (version 1, which every driver has) */
typedef struct cuda_kernel_node {
    CUfunction function;
    unsigned grid[3], block[3], shared_bytes;
    void **arguments, **extra;
} cuda_kernel_node;

typedef struct cuda_memset_node { /* CUDA_MEMSET_NODE_PARAMS */
    CUdeviceptr to;
    size_t pitch;
    unsigned value, element_size;
    size_t width, height;
} cuda_memset_node;

typedef struct cuda_host_node { /* CUDA_HOST_NODE_PARAMS */
    CUhostFn function;
    void *user;
} cuda_host_node;

typedef struct cuda_copy_side {
    size_t x_bytes, y, z, lod;
    int memory_type;
    const void *host;
    CUdeviceptr device;
    CUarray array;
    void *reserved;
    size_t pitch, height;
} cuda_copy_side;

typedef struct cuda_copy_node { /* CUDA_MEMCPY3D */
    cuda_copy_side from, to;
    size_t width_bytes, height, depth;
} cuda_copy_node;

/* X(member, name of the symbol, its name in HIP, parameters). Versioned symbols are the versions that
 * the headers of CUDA 11 choose. NULL: HIP has no function with these parameters; HED_HIP_ONLY lists
 * the replacements. */
#define HED_CUDA_REQUIRED(X) \
    X(cuInit, "cuInit", "hipInit", (unsigned flags)) \
    X(cuDriverGetVersion, "cuDriverGetVersion", "hipDriverGetVersion", (int *version)) \
    X(cuGetErrorName, "cuGetErrorName", NULL, (CUresult result, const char **text)) \
    X(cuGetErrorString, "cuGetErrorString", NULL, (CUresult result, const char **text)) \
    X(cuDeviceGetCount, "cuDeviceGetCount", "hipGetDeviceCount", (int *count)) \
    X(cuDeviceGet, "cuDeviceGet", "hipDeviceGet", (CUdevice * device, int ordinal)) \
    X(cuDeviceGetName, "cuDeviceGetName", "hipDeviceGetName", \
        (char *name, int size, CUdevice device)) \
    X(cuDeviceTotalMem, "cuDeviceTotalMem_v2", "hipDeviceTotalMem", \
        (size_t * bytes, CUdevice device)) \
    X(cuDeviceGetAttribute, "cuDeviceGetAttribute", "hipDeviceGetAttribute", \
        (int *value, int attribute, CUdevice device)) \
    X(cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain", "hipDevicePrimaryCtxRetain", \
        (CUcontext * context, CUdevice device)) \
    X(cuDevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2", "hipDevicePrimaryCtxRelease", \
        (CUdevice device)) \
    X(cuCtxGetCurrent, "cuCtxGetCurrent", "hipCtxGetCurrent", (CUcontext * context)) \
    X(cuCtxSetCurrent, "cuCtxSetCurrent", "hipCtxSetCurrent", (CUcontext context)) \
    X(cuCtxGetDevice, "cuCtxGetDevice", "hipCtxGetDevice", (CUdevice * device)) \
    X(cuCtxSynchronize, "cuCtxSynchronize", "hipDeviceSynchronize", (void)) \
    X(cuCtxGetStreamPriorityRange, "cuCtxGetStreamPriorityRange", \
        "hipDeviceGetStreamPriorityRange", (int *least, int *greatest)) \
    X(cuMemGetInfo, "cuMemGetInfo_v2", "hipMemGetInfo", (size_t * free_bytes, size_t * total)) \
    X(cuMemAlloc, "cuMemAlloc_v2", "hipMalloc", (CUdeviceptr * address, size_t size)) \
    X(cuMemFree, "cuMemFree_v2", "hipFree", (CUdeviceptr address)) \
    X(cuMemHostAlloc, "cuMemHostAlloc", "hipHostMalloc", \
        (void **host, size_t size, unsigned flags)) \
    X(cuMemFreeHost, "cuMemFreeHost", "hipHostFree", (void *host)) \
    X(cuMemHostRegister, "cuMemHostRegister_v2", "hipHostRegister", \
        (void *host, size_t size, unsigned flags)) \
    X(cuMemHostUnregister, "cuMemHostUnregister", "hipHostUnregister", (void *host)) \
    X(cuMemHostGetDevicePointer, "cuMemHostGetDevicePointer_v2", "hipHostGetDevicePointer", \
        (CUdeviceptr * address, void *host, unsigned flags)) \
    X(cuMemcpyAsync, "cuMemcpyAsync", NULL, \
        (CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream)) \
    X(cuMemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2", "hipMemcpyHtoDAsync", \
        (CUdeviceptr to, const void *from, size_t size, CUstream stream)) \
    X(cuMemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2", "hipMemcpyDtoHAsync", \
        (void *to, CUdeviceptr from, size_t size, CUstream stream)) \
    X(cuMemcpyDtoDAsync, "cuMemcpyDtoDAsync_v2", "hipMemcpyDtoDAsync", \
        (CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream)) \
    X(cuMemcpyPeerAsync, "cuMemcpyPeerAsync", NULL, \
        (CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, \
            size_t size, CUstream stream)) \
    X(cuMemsetD8Async, "cuMemsetD8Async", "hipMemsetD8Async", \
        (CUdeviceptr to, unsigned char value, size_t count, CUstream stream)) \
    X(cuMemsetD16Async, "cuMemsetD16Async", "hipMemsetD16Async", \
        (CUdeviceptr to, unsigned short value, size_t count, CUstream stream)) \
    X(cuMemsetD32Async, "cuMemsetD32Async", "hipMemsetD32Async", \
        (CUdeviceptr to, unsigned value, size_t count, CUstream stream)) \
    X(cuMemsetD2D32Async, "cuMemsetD2D32Async", NULL, \
        (CUdeviceptr to, size_t pitch, unsigned value, size_t width, size_t height, \
            CUstream stream)) \
    X(cuStreamCreateWithPriority, "cuStreamCreateWithPriority", "hipStreamCreateWithPriority", \
        (CUstream * stream, unsigned flags, int priority)) \
    X(cuStreamDestroy, "cuStreamDestroy_v2", "hipStreamDestroy", (CUstream stream)) \
    X(cuStreamSynchronize, "cuStreamSynchronize", "hipStreamSynchronize", (CUstream stream)) \
    X(cuStreamQuery, "cuStreamQuery", "hipStreamQuery", (CUstream stream)) \
    X(cuStreamWaitEvent, "cuStreamWaitEvent", "hipStreamWaitEvent", \
        (CUstream stream, CUevent event, unsigned flags)) \
    X(cuLaunchHostFunc, "cuLaunchHostFunc", NULL, \
        (CUstream stream, CUhostFn function, void *user)) \
    X(cuEventCreate, "cuEventCreate", "hipEventCreateWithFlags", \
        (CUevent * event, unsigned flags)) \
    X(cuEventDestroy, "cuEventDestroy_v2", "hipEventDestroy", (CUevent event)) \
    X(cuEventRecord, "cuEventRecord", "hipEventRecord", (CUevent event, CUstream stream)) \
    X(cuEventQuery, "cuEventQuery", "hipEventQuery", (CUevent event)) \
    X(cuEventSynchronize, "cuEventSynchronize", "hipEventSynchronize", (CUevent event)) \
    X(cuEventElapsedTime, "cuEventElapsedTime", "hipEventElapsedTime", \
        (float *milliseconds, CUevent from, CUevent to)) \
    X(cuModuleLoadDataEx, "cuModuleLoadDataEx", "hipModuleLoadDataEx", \
        (CUmodule * module, const void *image, unsigned option_count, int *options, \
            void **values)) \
    X(cuModuleUnload, "cuModuleUnload", "hipModuleUnload", (CUmodule module)) \
    X(cuModuleGetFunction, "cuModuleGetFunction", "hipModuleGetFunction", \
        (CUfunction * function, CUmodule module, const char *name)) \
    X(cuFuncGetAttribute, "cuFuncGetAttribute", "hipFuncGetAttribute", \
        (int *value, int attribute, CUfunction function)) \
    X(cuFuncSetAttribute, "cuFuncSetAttribute", NULL, \
        (CUfunction function, int attribute, int value)) \
    X(cuOccupancyMaxActiveBlocksPerMultiprocessor, "cuOccupancyMaxActiveBlocksPerMultiprocessor", \
        "hipModuleOccupancyMaxActiveBlocksPerMultiprocessor", \
        (int *blocks, CUfunction function, int block_size, size_t shared_bytes)) \
    X(cuLaunchKernel, "cuLaunchKernel", "hipModuleLaunchKernel", \
        (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, \
            unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream stream, \
            void **arguments, void **extra))

/* X(member, name of the symbol, its name in HIP, parameters). A member is NULL where the driver lacks
 * the function; devices then lack the capability that needs the function. */
#define HED_CUDA_OPTIONAL(X) \
    X(cuDeviceCanAccessPeer, "cuDeviceCanAccessPeer", "hipDeviceCanAccessPeer", \
        (int *can, CUdevice device, CUdevice peer)) \
    X(cuCtxEnablePeerAccess, "cuCtxEnablePeerAccess", "hipCtxEnablePeerAccess", \
        (CUcontext peer, unsigned flags)) \
    X(cuModuleGetGlobal, "cuModuleGetGlobal_v2", "hipModuleGetGlobal", \
        (CUdeviceptr * address, size_t * size, CUmodule module, const char *name)) \
    X(cuLaunchCooperativeKernel, "cuLaunchCooperativeKernel", "hipModuleLaunchCooperativeKernel", \
        (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, \
            unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream stream, \
            void **arguments)) \
    X(cuLaunchKernelEx, "cuLaunchKernelEx", NULL, \
        (const CUlaunchConfig *config, CUfunction function, void **arguments, void **extra)) \
    X(cuGraphCreate, "cuGraphCreate", NULL, (CUgraph * graph, unsigned flags)) \
    X(cuGraphDestroy, "cuGraphDestroy", NULL, (CUgraph graph)) \
    X(cuGraphAddKernelNode, "cuGraphAddKernelNode", NULL, \
        (CUgraphNode * node, CUgraph graph, const CUgraphNode *after, size_t after_count, \
            const cuda_kernel_node *kernel)) \
    X(cuGraphAddMemcpyNode, "cuGraphAddMemcpyNode", NULL, \
        (CUgraphNode * node, CUgraph graph, const CUgraphNode *after, size_t after_count, \
            const cuda_copy_node *copy, CUcontext context)) \
    X(cuGraphAddMemsetNode, "cuGraphAddMemsetNode", NULL, \
        (CUgraphNode * node, CUgraph graph, const CUgraphNode *after, size_t after_count, \
            const cuda_memset_node *fill, CUcontext context)) \
    X(cuGraphAddHostNode, "cuGraphAddHostNode", NULL, \
        (CUgraphNode * node, CUgraph graph, const CUgraphNode *after, size_t after_count, \
            const cuda_host_node *call)) \
    X(cuGraphKernelNodeSetAttribute, "cuGraphKernelNodeSetAttribute", NULL, \
        (CUgraphNode node, int attribute, const CUlaunchAttributeValue *value)) \
    X(cuGraphInstantiate, "cuGraphInstantiate_v2", NULL, \
        (CUgraphExec * exec, CUgraph graph, CUgraphNode * failed, char *log, size_t log_size)) \
    X(cuGraphExecKernelNodeSetParams, "cuGraphExecKernelNodeSetParams", NULL, \
        (CUgraphExec exec, CUgraphNode node, const cuda_kernel_node *kernel)) \
    X(cuGraphExecDestroy, "cuGraphExecDestroy", NULL, (CUgraphExec exec)) \
    X(cuGraphLaunch, "cuGraphLaunch", NULL, (CUgraphExec exec, CUstream stream)) \
    X(cuGraphicsGLRegisterBuffer, "cuGraphicsGLRegisterBuffer", NULL, \
        (CUgraphicsResource * resource, unsigned name, unsigned flags)) \
    X(cuGraphicsUnregisterResource, "cuGraphicsUnregisterResource", NULL, \
        (CUgraphicsResource resource)) \
    X(cuGraphicsMapResources, "cuGraphicsMapResources", NULL, \
        (unsigned count, CUgraphicsResource *resources, CUstream stream)) \
    X(cuGraphicsUnmapResources, "cuGraphicsUnmapResources", NULL, \
        (unsigned count, CUgraphicsResource *resources, CUstream stream)) \
    X(cuGraphicsResourceGetMappedPointer, "cuGraphicsResourceGetMappedPointer_v2", NULL, \
        (CUdeviceptr * address, size_t * size, CUgraphicsResource resource))

typedef void (*hip_callback)(CUstream stream, CUresult result, void *user);
enum { HIP_COPY_BY_ADDRESSES = 4 /* hipMemcpyDefault */ };

/* X(result, name, parameters): functions of HIP whose parameters differ from CUDA's. NULL in the table
 * of CUDA. */
#define HED_HIP_ONLY(X) \
    X(const char *, hipGetErrorName, (CUresult result)) \
    X(const char *, hipGetErrorString, (CUresult result)) \
    X(CUresult, hipGetDeviceProperties, (void *properties, CUdevice device)) \
    X(CUresult, hipMemcpyAsync, \
        (CUdeviceptr to, CUdeviceptr from, size_t size, int kind, CUstream stream)) \
    X(CUresult, hipMemcpyPeerAsync, \
        (CUdeviceptr to, CUdevice to_device, CUdeviceptr from, CUdevice from_device, size_t size, \
            CUstream stream)) \
    X(CUresult, hipStreamAddCallback, \
        (CUstream stream, hip_callback callback, void *user, unsigned flags))

#define HED_CUDA_MEMBER(member, symbol, hip, parameters) CUresult(*member) parameters;
#define HED_HIP_MEMBER(result, name, parameters) result(*name) parameters;

/* Function pointers only: filled from the three lists in the same order. */
typedef struct hed_cuda_api {
    HED_CUDA_REQUIRED(HED_CUDA_MEMBER)
    HED_CUDA_OPTIONAL(HED_CUDA_MEMBER)
    HED_HIP_ONLY(HED_HIP_MEMBER)
} hed_cuda_api;

/* True for the functions of HIP. */
static inline bool hed_cuda_api_is_hip(const hed_cuda_api *api)
{
    return api->hipGetErrorName != NULL;
}

#endif
