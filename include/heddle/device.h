/** @file device.h
 *  Devices: their list, what each can do, how one is chosen, and the driver's own handles.
 */
#ifndef HEDDLE_DEVICE_H
#define HEDDLE_DEVICE_H

#include "heddle/context.h"

HED_BEGIN

typedef struct hed_device hed_device;

/** What a device can do beyond the common set. A kernel names what it needs; where a device lacks
 *  it, the kernel is not valid there, which is an answer and never a crash. */
typedef enum hed_capability {
    HED_CAN_FP16 = 1u << 0, /**< half floats in arithmetic */
    HED_CAN_FP64 = 1u << 1, /**< double floats */
    /** fma, correctly rounded / and sqrt, denormals: strict mode is possible */
    HED_CAN_STRICT = 1u << 2,
    HED_CAN_LANES = 1u << 3,          /**< lane shuffles and sums: hed_lane_* */
    HED_CAN_NAMED_BARRIERS = 1u << 4, /**< barriers among some of a group's lanes: hed_named_* */
    HED_CAN_COOPERATIVE = 1u << 5,    /**< a launch whose groups are all resident at once */
    HED_CAN_GRID_BARRIER = 1u << 6,   /**< hed_grid_barrier() in a cooperative launch */
    HED_CAN_PACKETS = 1u << 7,        /**< 16-byte packets that carry their epoch: hed_packet_* */
    /** groups in clusters that reach each other's local memory */
    HED_CAN_CLUSTERS = 1u << 8,
    HED_CAN_MAPPED = 1u << 9,          /**< host memory that kernels and host see while both run */
    HED_CAN_RESIDENT = 1u << 10,       /**< kernels that stay, with a mailbox */
    HED_CAN_GRAPHS = 1u << 11,         /**< graphs replayed by the driver, not step by step */
    HED_CAN_SOURCE = 1u << 12,         /**< kernels can be compiled from source here */
    HED_CAN_CUDA_C = 1u << 13,         /**< and from CUDA C */
    HED_CAN_DEVICE_TIME = 1u << 14,    /**< event times come from the device's clock */
    HED_CAN_GL_SHARING = 1u << 15,     /**< OpenGL buffers can be shared without a copy */
    HED_CAN_GLOBAL_ATOMICS = 1u << 16, /**< 32-bit integer atomics in device memory */
    HED_CAN_WGSL = 1u << 17,           /**< kernels in WGSL, and in no other language */
    HED_CAPABILITY_COUNT = 18
} hed_capability;

/** Name of one capability bit, such as "packets"; NULL for a bit that is none. Thread class:
 *  any. */
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

/** What kind of processor a device is. */
typedef enum hed_device_type { HED_DEVICE_CPU, HED_DEVICE_GPU, HED_DEVICE_OTHER } hed_device_type;

/** What a device is. 0 means unknown unless a field says otherwise. Strings live as long as the
 *  context. */
typedef struct hed_device_info {
    const char *id;       /**< "host", "opencl:0:0", "cuda:0", "vulkan:0", "gl:0" */
    const char *backend;  /**< "host", "opencl", "cuda", "vulkan", "gl" */
    const char *platform; /**< "Portable Computing Language", "NVIDIA CUDA", ... */
    const char *name;
    const char *vendor;
    const char *driver; /**< driver version as the driver writes it */
    hed_device_type type;
    uint32_t compute_units; /**< processors that each hold groups: cores, multiprocessors */
    uint32_t lane_width;    /**< lanes that step together: warp, wavefront, SIMD width in floats */
    uint32_t max_group;     /**< work items of a group */
    uint32_t max_group_size[3];
    /** groups of a launch in each dimension; host and OpenCL: 2^31 - 1 */
    uint64_t max_groups[3];
    uint64_t local_bytes;      /**< local memory of one group, the opt-in part included */
    uint64_t memory_bytes;     /**< device memory */
    uint64_t max_buffer_bytes; /**< largest single buffer */
    uint64_t cache_bytes;      /**< last-level cache */
    uint32_t buffer_alignment; /**< a sub-range's offset must be a multiple of this */
    uint32_t max_arguments_bytes;
    uint32_t clock_mhz;
    /** CUDA: compute capability * 10, as 90; of described devices (runner.h) any number; else 0 */
    uint32_t architecture;
    uint32_t registers;    /**< 32-bit registers of a compute unit */
    uint64_t capabilities; /**< bits of hed_capability */
} hed_device_info;

/** Device `index`, in order of preference ("best" is the first); NULL from hed_context_info.devices
 *  on. Thread class: any. */
HED_API hed_device *hed_device_at(const hed_context *context, uint32_t index);
/** Finds a device: by id, else by part of its name or platform (case ignored), or "best"; NULL: the
 *  context's default. Thread class: any. Errors: NO_DEVICE, with the list of devices. */
HED_API hed_status hed_device_find(
    hed_context *context, const char *selector, hed_device **device, hed_error *error);

/** Thread class: any. The answer lives as long as the device. */
HED_API const hed_device_info *hed_device_describe(const hed_device *device);
/** The context it belongs to. Thread class: any. */
HED_API hed_context *hed_device_context(const hed_device *device);

/** Device memory, bytes; `free_bytes` is 0 where the driver does not tell. Opens the device. Thread
 *  class: any. Errors: DRIVER. */
HED_API hed_status hed_device_memory(
    hed_device *device, uint64_t *free_bytes, uint64_t *total_bytes, hed_error *error);

/** Waits until all work on the device is done. Thread class: any. Errors: DRIVER, LOST. */
HED_API hed_status hed_device_wait(hed_device *device, hed_error *error);

/** A driver's own handles: of a program that already has them, or for one that wants Heddle's. */
typedef struct hed_driver_handles {
    void *platform; /**< cl_platform_id; VkInstance */
    void *device;   /**< cl_device_id; CUdevice as (void *)(intptr_t); VkPhysicalDevice */
    void *context;  /**< cl_context; CUcontext; VkDevice */
    void *queue;    /**< VkQueue, for Heddle's own work; the program must not use it meanwhile */
    uint32_t queue_family; /**< of that queue and of all others that streams are given */
} hed_driver_handles;

/** Wraps a context that the program owns ("cuda": context; "opencl": platform, device and context; "vulkan": all of them).
 *  The handles stay the program's and must outlive the device. The new device is not in the list of
 *  the context; destroy it with hed_device_release(). Thread class: any. Errors: NO_DEVICE,
 *  ARGUMENT, DRIVER, MEMORY. */
HED_API hed_status hed_device_adopt(hed_context *context, const char *backend,
    const hed_driver_handles *handles, hed_device **device, hed_error *error);
/** Destroys what hed_device_adopt() or hed_device_create_described() made. NULL is allowed. Thread class: owner. */
HED_API void hed_device_release(hed_device *device);
/** Reads the driver's handles; opens the device. Thread class: any. Errors: DRIVER, UNSUPPORTED
 *  (host). */
HED_API hed_status hed_device_handles(
    hed_device *device, hed_driver_handles *handles, hed_error *error);
/** Looks up a function of the driver library behind the device, such as "cuLaunchKernel"; NULL if
 *  there is none. Thread class: any. */
HED_API void *hed_device_symbol(const hed_device *device, const char *name);

HED_END

#endif
