/* Shared declarations of the Vulkan backend: the loaded driver, devices, streams, programs, and
 * error reports. */
#ifndef HED_BACKENDS_VULKAN_H
#define HED_BACKENDS_VULKAN_H

#include <pthread.h>

#include "backends/vulkan/vulkan_api.h"
#include "base/dynlib.h"
#include "base/text.h"
#include "core/backend.h"
#include "core/image_content.h"

enum {
    VULKAN_DEVICES = 16,
    VULKAN_QUEUES = 8,
    VULKAN_PUSH_BYTES = 256,
    VULKAN_SETS = 8,
    VULKAN_MOST_BINDING = 1 << 16
};

/* hed_backend_slot.state */
typedef struct vulkan_driver {
    hed_vk_api api;
    hed_allocator allocator;
    hed_logger logger;
    hed_clock clock;
    hed_dynlib *library;
    VkInstance instance;
    VkPhysicalDevice physical[VULKAN_DEVICES];
    uint32_t device_count;
    const char *compiler; /* path of the GLSL compiler; "": there is no compiler */
} vulkan_driver;

typedef struct vulkan_queue {
    VkQueue queue;
    pthread_mutex_t lock; /* a queue takes one thread at a time */
} vulkan_queue;

/* Compiled GLSL: a text with specialization constants is compiled once for all configurations. */
typedef struct vulkan_module {
    struct vulkan_module *next;
    char *text; /* the text and all else that decides on the words */
    size_t text_size, size;
    void *words; /* (size) */
} vulkan_module;

/* hed_device.impl of an open device */
typedef struct vulkan_device {
    const vulkan_driver *driver;
    const hed_vk_api *api;
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    uint32_t family, queue_count;
    vulkan_queue queues[VULKAN_QUEUES];
    _Atomic uint32_t next_queue;
    _Atomic uint64_t serial; /* serial of the last buffer or program created */
    VkPhysicalDeviceMemoryProperties memory;
    uint32_t push_bytes, sets;
    VkPhysicalDeviceSubgroupSizeControlProperties
        widths;           /* subgroup widths that a pipeline may request; zeros: no widths */
    double period;        /* duration of a tick, s */
    uint64_t stamp_mask;  /* valid bits of a time stamp; 0: time stamps are unusable */
    pthread_mutex_t lock; /* guards the lists below */
    struct vulkan_stream *streams;
    struct vulkan_buffer *visible; /* list of buffers that the host sees */
    vulkan_module *modules;
    pthread_mutex_t image_lock; /* guards images and samplers; taken last */
    hed_image_content *images;  /* vulkan_image */
    VkSampler samplers[2];      /* nearest, linear; NULL: not created yet */
} vulkan_device;

/* Image that takes the place of a buffer in a shader. */
typedef struct vulkan_image {
    hed_image_content content;
    VkImage image;
    VkImageView view;
    VkDeviceMemory memory;
    VkFlags features; /* VkFormatProperties.optimalTilingFeatures */
    uint64_t serial;
    bool is_laid_out; /* true if the layout is GENERAL */
} vulkan_image;

/* hed_buffer.impl; the handle is the VkBuffer, for a part its parent's */
typedef struct vulkan_buffer {
    VkDeviceMemory memory;
    uint64_t serial;
    char *host; /* NULL: the host does not see the buffer */
    uint64_t size;
    struct vulkan_buffer *next; /* next in the list of visible buffers */
    VkBuffer buffer;
} vulkan_buffer;

/* hed_program.impl; the handle is the VkPipeline */
typedef struct vulkan_program {
    VkPipeline pipeline;
    VkPipelineLayout layout;
    VkDescriptorSetLayout set_layouts[VULKAN_SETS];
    uint64_t serial;
    uint32_t group[3], binding_count, push_bytes, set_count;
    bool has_images;
    hed_shader_bound bindings[HED_SHADER_BINDINGS];
    struct {
        bool used;
        uint32_t offset, size;
    } pushes[HED_MAX_ARGUMENTS]; /* indexed by argument */
} vulkan_program;

/* A launch in the driver's form. Unused bytes are zeros, so that two launches can be compared
 * bytewise. */
typedef struct vulkan_launch {
    const vulkan_program *program;
    uint64_t serial; /* serial of the program */
    uint32_t groups[3], visible;
    union {
        VkDescriptorBufferInfo buffer;
        VkDescriptorImageInfo image;
    } infos[HED_SHADER_BINDINGS];
    uint64_t serials[HED_SHADER_BINDINGS]; /* serials of the buffers */
    unsigned char push[VULKAN_PUSH_BYTES];
} vulkan_launch;

/* A recording in progress: its command buffer, and the pool of its descriptors. */
typedef struct vulkan_recording {
    VkCommandBuffer commands;
    VkDescriptorPool pool;
    bool after_launch; /* the last command was a dispatch */
    bool idle;         /* no work is pending before the first command: no barrier is needed */
    bool visible;      /* memory that the host sees was written */
} vulkan_recording;

static inline vulkan_device *hed_vulkan_of(const hed_device *device) { return device->impl; }
static inline int32_t hed_vulkan_descriptor(const hed_shader_bound *bound)
{
    switch (bound->resource) {
    case HED_SHADER_TEXTURE: return VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE;
    case HED_SHADER_SAMPLED: return VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
    case HED_SHADER_STORAGE_IMAGE: return VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
    case HED_SHADER_SAMPLER: return VK_DESCRIPTOR_TYPE_SAMPLER;
    default: break;
    }
    return bound->uniform ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
}
static inline uint64_t hed_vulkan_serial(vulkan_device *device) { return ++device->serial; }

/* ---- vulkan_codes.c ---- */

/* Returns the name of a result code. */
const char *hed_vulkan_code_name(VkResult code);
/* Returns OK for VK_SUCCESS; else fails with "vkQueueSubmit failed with VK_ERROR_DEVICE_LOST (-4):
 * " and the purpose of the call; the status follows from the code. */
hed_status hed_vulkan_check(const hed_device *device, VkResult result, const char *call,
    const char *purpose, hed_error *error);

/* ---- vulkan_driver.c ---- */

hed_status hed_vulkan_open(const hed_settings *settings, hed_backend_slot *slot);
void hed_vulkan_close(const hed_settings *settings, hed_backend_slot *slot);
uint32_t hed_vulkan_device_count(hed_backend_slot *slot);
void *hed_vulkan_symbol(hed_backend_slot *slot, const char *name);

/* ---- vulkan_device.c ---- */

hed_status hed_vulkan_device_describe(hed_backend_slot *slot, uint32_t index, hed_device *device);
hed_status hed_vulkan_device_open(hed_device *device, hed_error *error);
void hed_vulkan_device_close(hed_device *device);
hed_status hed_vulkan_device_adopt(
    hed_backend_slot *slot, const hed_driver_handles *native, hed_device *device, hed_error *error);
hed_status hed_vulkan_device_native(
    hed_device *device, hed_driver_handles *native, hed_error *error);
hed_status hed_vulkan_device_memory(
    hed_device *device, uint64_t *free_bytes, uint64_t *total_bytes, hed_error *error);
hed_status hed_vulkan_device_wait(hed_device *device, hed_error *error);

/* ---- vulkan_allocation.c ---- */

/* Allocate and free the memory of a buffer that Heddle owns. */
hed_status hed_vulkan_allocate(
    hed_device *device, uint64_t size, bool visible, vulkan_buffer *impl, hed_error *error);
void hed_vulkan_free(hed_device *device, vulkan_buffer *freed);
/* Finds the visible buffer that contains a range of host memory, and the offset in it; NULL: not
 * the driver's memory. */
VkBuffer hed_vulkan_find_visible(
    vulkan_device *device, const void *host, uint64_t size, uint64_t *offset);

/* Allocates memory of a device's own for an image; NULL: no type of memory fits. */
VkResult hed_vulkan_allocate_image(
    vulkan_device *of, const VkMemoryRequirements *needed, VkDeviceMemory *memory);

/* ---- vulkan_image.c ---- */

/* Creates the images and samplers that a launch needs and that do not exist yet. Errors: UNSUPPORTED
 * (formats, memory that the host sees), ARGUMENT (a buffer that is too small), DEVICE_MEMORY,
 * DRIVER. */
hed_status hed_vulkan_make_images(const hed_step *step, hed_error *error);
/* Frees the images of a buffer that is being destroyed. */
void hed_vulkan_free_images(hed_buffer *buffer);
/* Returns the image of a launch's argument; NULL: not created yet. */
vulkan_image *hed_vulkan_image_of(
    vulkan_device *of, const hed_step *step, const hed_shader_bound *bound);
/* Calls hed_image_next_copy() and hed_image_mark() under the lock. */
vulkan_image *hed_vulkan_next_image_copy(vulkan_device *of, const hed_step *step, bool *to_image);
void hed_vulkan_mark_images(vulkan_device *of, const hed_step *step);
VkImageSubresourceRange hed_vulkan_image_range(const hed_texels *image);

/* ---- vulkan_memory.c ---- */

hed_status hed_vulkan_buffer_create(
    hed_buffer *buffer, const hed_buffer_def *def, hed_error *error);
hed_status hed_vulkan_buffer_part(hed_buffer *part, hed_error *error);
void hed_vulkan_buffer_destroy(hed_buffer *buffer);

/* ---- vulkan_record.c ---- */

void hed_vulkan_prepare(const hed_step *step, vulkan_launch *launch);
/* Records a barrier after all commands recorded or submitted before. */
void hed_vulkan_barrier(const hed_vk_api *api, vulkan_recording *to, bool launch);
/* Records a launch. LIMIT (VK_ERROR_OUT_OF_POOL_MEMORY): nothing was recorded. */
hed_status hed_vulkan_record_launch(
    hed_device *device, vulkan_recording *to, const vulkan_launch *launch, hed_error *error);
/* True if a step can be recorded: a launch, a copy between buffers, a fill of whole words. */
bool hed_vulkan_is_plain(const hed_step *step);
/* Records a plain step that is not a launch. */
void hed_vulkan_record_copy(const hed_device *device, vulkan_recording *to, const hed_step *step);
/* Records the copy of a buffer into its image, or back. */
void hed_vulkan_record_image(
    const hed_vk_api *api, vulkan_recording *to, vulkan_image *image, bool to_image);
void hed_vulkan_record_end(const hed_vk_api *api, vulkan_recording *to);
hed_status hed_vulkan_make_pool(
    hed_device *device, uint32_t sets, VkDescriptorPool *pool, hed_error *error);

/* ---- vulkan_stream.c ---- */

hed_status hed_vulkan_stream_create(hed_stream *stream, hed_error *error);
void hed_vulkan_stream_destroy(hed_stream *stream);
hed_status hed_vulkan_stream_wait(hed_stream *stream, hed_error *error);
hed_status hed_vulkan_stream_done(hed_stream *stream, bool *done, hed_error *error);
hed_status hed_vulkan_stream_flush(hed_stream *stream, hed_error *error);
/* Orders the stream's next step after other streams of its queue. */
void hed_vulkan_stream_follow(hed_stream *stream);
/* Waits for all work before an object that it may use is destroyed; if waiting fails, waits for the
 * driver's device to become idle. */
void hed_vulkan_settle(hed_device *device);
/* Waits for all of the device's streams. */
hed_status hed_vulkan_streams_wait(hed_device *device, hed_error *error);
hed_status hed_vulkan_step(
    hed_stream *stream, const hed_step *step, void *timing, hed_error *error);
/* Submits recorded commands to the device, after the stream's steps. */
hed_status hed_vulkan_submit(hed_stream *stream, VkCommandBuffer commands, hed_error *error);
hed_status hed_vulkan_time_create(hed_device *device, void **timing, hed_error *error);
void hed_vulkan_time_destroy(hed_device *device, void *timing);
hed_status hed_vulkan_time_read(
    hed_device *device, void *timing, double *seconds, hed_error *error);

/* ---- vulkan_event.c ---- */

hed_status hed_vulkan_event_create(hed_event *event, hed_error *error);
void hed_vulkan_event_destroy(hed_event *event);
hed_status hed_vulkan_event_record(hed_event *event, hed_stream *stream, hed_error *error);
hed_status hed_vulkan_event_done(hed_event *event, bool *done, hed_error *error);
hed_status hed_vulkan_event_wait(hed_event *event, hed_error *error);
hed_status hed_vulkan_stream_wait_event(hed_stream *stream, hed_event *event, hed_error *error);
hed_status hed_vulkan_event_elapsed(
    hed_event *from, hed_event *to, double *seconds, hed_error *error);
/* Polls a fence for 1 ms, then blocks: waking a thread takes longer than most launches. */
hed_status hed_vulkan_wait_fence(hed_device *device, VkFence fence, hed_error *error);

/* ---- vulkan_glsl.c, vulkan_program.c ---- */

/* Returns the SPIR-V of a build: its own text, or its GLSL compiled now or before. The words live
 * as long as the device, or as the build. */
hed_status hed_vulkan_words(
    const hed_build *build, const void **words, size_t *size, hed_error *error);
void hed_vulkan_free_modules(vulkan_device *device);
hed_status hed_vulkan_build(const hed_build *build, hed_binary *binary, hed_error *error);
hed_status hed_vulkan_build_options(const hed_build *build, char *text, size_t size);
hed_status hed_vulkan_program_load(
    hed_program *program, const hed_build *build, const hed_binary *binary, hed_error *error);
void hed_vulkan_program_unload(hed_program *program);

/* ---- vulkan_graph.c ---- */

hed_status hed_vulkan_graph_build(
    hed_device *device, const hed_step *steps, uint32_t count, void **impl, hed_error *error);
hed_status hed_vulkan_graph_update(
    hed_device *device, void *impl, const hed_step *steps, uint32_t step, hed_error *error);
hed_status hed_vulkan_graph_replay(hed_stream *stream, void *impl, hed_error *error);
void hed_vulkan_graph_destroy(hed_device *device, void *impl);

#endif
