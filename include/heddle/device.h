/** @file device.h
 *  Devices: their list, their capabilities, their selection, and the driver's own handles. */
#ifndef HEDDLE_DEVICE_H
#define HEDDLE_DEVICE_H

#include "heddle/context.h"

HED_BEGIN

typedef struct hed_device hed_device;

/** Capabilities of a device beyond the common set. A kernel lists those that it needs; on a device
 *  without one of them the kernel is not valid, which is a result and never a crash. */
typedef enum hed_capability {
    HED_CAN_FP16 = 1u << 0, /**< arithmetic on half floats */
    HED_CAN_FP64 = 1u << 1, /**< arithmetic on double floats */
    /** fma, correctly rounded / and sqrt, denormals: strict mode is possible */
    HED_CAN_STRICT = 1u << 2,
    HED_CAN_LANES = 1u << 3,          /**< lane shuffles and sums: hed_lane_* */
    HED_CAN_NAMED_BARRIERS = 1u << 4, /**< barriers among some lanes of a group: hed_named_* */
    HED_CAN_COOPERATIVE = 1u << 5,    /**< launches whose groups are all resident at once */
    HED_CAN_GRID_BARRIER = 1u << 6,   /**< hed_grid_barrier() in a cooperative launch */
    HED_CAN_PACKETS = 1u << 7,        /**< 16-byte packets that contain their epoch: hed_packet_* */
    /** groups in clusters that reach each other's local memory */
    HED_CAN_CLUSTERS = 1u << 8,
    HED_CAN_MAPPED = 1u << 9,    /**< host memory that kernels and host see while both run */
    HED_CAN_RESIDENT = 1u << 10, /**< kernels that stay on the device, with a mailbox */
    /** graphs that the driver replays, instead of step by step */
    HED_CAN_GRAPHS = 1u << 11,
    HED_CAN_SOURCE = 1u << 12,         /**< kernels compiled from source */
    HED_CAN_CUDA_C = 1u << 13,         /**< kernels compiled from CUDA C */
    HED_CAN_DEVICE_TIME = 1u << 14,    /**< event times from the device's clock */
    HED_CAN_GL_SHARING = 1u << 15,     /**< OpenGL buffers shared without a copy */
    HED_CAN_GLOBAL_ATOMICS = 1u << 16, /**< 32-bit integer atomics in device memory */
    HED_CAN_WGSL = 1u << 17,           /**< kernels in WGSL, and in no other language */
    HED_CAPABILITY_COUNT = 18
} hed_capability;

/** Returns the name of one capability bit, such as "packets"; NULL: no such bit.
 *  Thread class: any. */
static inline const char *hed_capability_name(uint32_t bit)
{
    static const char *const names[HED_CAPABILITY_COUNT] = {"fp16", "fp64", "strict", "lanes",
        "named barriers", "cooperative", "grid barrier", "packets", "clusters", "mapped",
        "resident", "graphs", "source", "cuda c", "device time", "gl sharing", "global atomics",
        "wgsl"};
    for (uint32_t i = 0; i < HED_CAPABILITY_COUNT; i++)
        if (bit == 1u << i) return names[i];
    return NULL;
}

/** Kind of processor. */
typedef enum hed_device_type { HED_DEVICE_CPU, HED_DEVICE_GPU, HED_DEVICE_OTHER } hed_device_type;

/** Properties of a device. 0 means unknown unless a field has another meaning for it. Strings live
 *  as long as the context. */
typedef struct hed_device_info {
    const char *id;       /**< "host", "opencl:0:0", "cuda:0", "vulkan:0", "gl:0" */
    const char *backend;  /**< "host", "opencl", "cuda", "vulkan", "gl" */
    const char *platform; /**< "Portable Computing Language", "NVIDIA CUDA", ... */
    const char *name;
    const char *vendor;
    const char *driver; /**< version of the driver, as it reports it */
    hed_device_type type;
    uint32_t compute_units; /**< processors that run groups independently: cores, multiprocessors */
    /** lanes that execute together: warp, wavefront, SIMD width in floats */
    uint32_t lane_width;
    uint32_t max_group; /**< maximum number of work items in a group */
    uint32_t max_group_size[3];
    /** maximum number of groups in each dimension of a launch; host and OpenCL: 2^31 - 1 */
    uint64_t max_groups[3];
    uint64_t local_bytes;      /**< local memory of one group, bytes, the opt-in part included */
    uint64_t memory_bytes;     /**< device memory, bytes */
    uint64_t max_buffer_bytes; /**< largest single buffer, bytes */
    uint64_t cache_bytes;      /**< last-level cache, bytes */
    uint32_t buffer_alignment; /**< offsets of sub-buffers are multiples of this, bytes */
    uint32_t max_arguments_bytes;
    uint32_t clock_mhz;
    /** CUDA: compute capability * 10, as 90; described devices (runner.h): any number; else 0 */
    uint32_t architecture;
    uint32_t registers;    /**< 32-bit registers of a compute unit */
    uint64_t capabilities; /**< bits of hed_capability */
} hed_device_info;

/** Returns device `index` in order of preference ("best" is the first); NULL: the index is at least
 *  hed_context_info.devices.
 *  Thread class: any. */
HED_API hed_device *hed_device_at(const hed_context *context, uint32_t index);
/** Finds a device: by id, else by part of its name or platform (case ignored), or "best".
 *  `selector` NULL: the context's default.
 *  Thread class: any. Errors: NO_DEVICE, with the list of devices. */
HED_API hed_status hed_device_find(
    hed_context *context, const char *selector, hed_device **device, hed_error *error);

/** Reports the properties of a device; of NULL, nothing but empty strings. Thread class: any. */
HED_API hed_device_info hed_device_describe(const hed_device *device);
/** Returns the context of a device. Thread class: any. */
HED_API hed_context *hed_device_context(const hed_device *device);

/** Reads the size of device memory, bytes; `free_bytes` is 0 if the driver does not report it.
 *  Opens the device.
 *  Thread class: any. Errors: DRIVER. */
HED_API hed_status hed_device_memory(
    hed_device *device, uint64_t *free_bytes, uint64_t *total_bytes, hed_error *error);

/** Waits until all work on the device is done. Thread class: any. Errors: DRIVER, LOST. */
HED_API hed_status hed_device_wait(hed_device *device, hed_error *error);

/** Handles of the driver: input of hed_device_adopt(), output of hed_device_handles(). */
typedef struct hed_driver_handles {
    void *platform; /**< cl_platform_id; VkInstance */
    void *device;   /**< cl_device_id; CUdevice as (void *)(intptr_t); VkPhysicalDevice */
    void *context;  /**< cl_context; CUcontext; VkDevice */
    void *queue;    /**< VkQueue for Heddle's work; the program must not use it at the same time */
    uint32_t queue_family; /**< family of that queue and of all other queues that streams receive */
} hed_driver_handles;

/** Wraps a context that the program owns, so that Heddle and the program share its memory. "cuda":
 *  context; "opencl": platform, device and context; "vulkan": all handles. The handles stay the
 *  program's and must outlive the device. The new device is not in the list of the context; destroy
 *  it with hed_device_release().
 *  Thread class: any. Errors: NO_DEVICE, ARGUMENT, DRIVER, MEMORY. */
HED_API hed_status hed_device_adopt(hed_context *context, const char *backend,
    const hed_driver_handles *handles, hed_device **device, hed_error *error);
/** Destroys a device of hed_device_adopt(), hed_device_create_described() or
 *  hed_device_create_remote(). NULL is allowed.
 *  Thread class: owner. */
HED_API void hed_device_release(hed_device *device);
/** Reads the driver's handles; opens the device. Thread class: any. Errors: DRIVER, UNSUPPORTED
 *  (host). */
HED_API hed_status hed_device_handles(
    hed_device *device, hed_driver_handles *handles, hed_error *error);
/** Returns the address of a function of the device's driver library, such as "cuLaunchKernel";
 *  NULL: no such function.
 *  Thread class: any. */
HED_API void *hed_device_symbol(const hed_device *device, const char *name);

HED_END

#endif
