/* Vulkan layer that records compute pipelines and dispatches of any program (VK_LAYER_HEDDLE_record):
 * shared declarations. The layer stands between the loader and the driver; each function calls the
 * next one after it. */
#ifndef HED_LAYER_H
#define HED_LAYER_H

#include <pthread.h>
#include <stdbool.h>

#include "backends/vulkan/vulkan_api.h"

enum { LAYER_SETS = 8, LAYER_BINDINGS = 32, LAYER_PUSH_BYTES = 256, LAYER_KINDS = 4 };

typedef void (*layer_function)(void);

/* ---- objects (layer_objects.c) ---- */

typedef struct layer_buffer {
    VkDeviceSize size;
    VkFlags usage;
} layer_buffer;

typedef struct layer_module {
    uint32_t *words; /* (size / 4) */
    size_t size;
} layer_module;

/* A buffer of a set, or another resource. */
typedef struct layer_binding {
    int32_t type; /* VkDescriptorType */
    uint32_t binding, count;
    VkDescriptorBufferInfo info;
} layer_binding;

/* A descriptor set, or its layout, whose buffers are NULL. Bindings are in ascending order. */
typedef struct layer_set {
    uint32_t count;
    bool is_partial; /* it has more bindings than are kept */
    layer_binding bindings[LAYER_BINDINGS];
} layer_set;

typedef struct layer_pipeline_layout {
    bool has_set[LAYER_SETS];
    layer_set sets[LAYER_SETS];
} layer_pipeline_layout;

/* VkDescriptorUpdateTemplateEntry and VkDescriptorUpdateTemplateCreateInfo. */
typedef struct layer_template_entry {
    uint32_t binding, element, count;
    int32_t type;
    size_t offset, stride;
} layer_template_entry;
typedef struct layer_template_info {
    int32_t type;
    const void *next;
    VkFlags flags;
    uint32_t entry_count;
    const layer_template_entry *entries;
    int32_t kind;
    VkDescriptorSetLayout set_layout;
    int32_t point;
    VkPipelineLayout layout;
    uint32_t set;
} layer_template_info;

/* The buffers of a template. */
typedef struct layer_template {
    uint32_t count;
    layer_template_entry entries[LAYER_BINDINGS];
} layer_template;

/* A text with the constants of a pipeline, which all pipelines of it share. */
typedef struct layer_pipeline {
    struct layer_pipeline *next;
    uint32_t *words; /* with the constants of the pipeline as defaults */
    size_t size;
    char entry[128];
    uint64_t hash;
    uint32_t dispatches, kinds;
    uint32_t counts[LAYER_KINDS][3]; /* recorded counts of groups */
} layer_pipeline;

typedef struct layer_commands {
    layer_pipeline *pipeline;
    layer_set sets[LAYER_SETS];
    bool has_set[LAYER_SETS];
    unsigned char push[LAYER_PUSH_BYTES];
    /* dispatches recorded since the buffer was begun: not submitted yet, and written. Its commands
     * copy into their buffers, however often the buffer is submitted */
    struct layer_shot *shots, *written;
} layer_commands;

/* Contents of a buffer before a dispatch. */
typedef struct layer_content {
    uint32_t set, binding;
    VkDeviceSize size;
    VkBuffer copy;
    VkDeviceMemory memory;
} layer_content;

/* A recorded dispatch. */
typedef struct layer_shot {
    struct layer_shot *next;
    layer_pipeline *pipeline;
    layer_commands *commands;
    uint32_t counts[3], content_count;
    unsigned char push[LAYER_PUSH_BYTES];
    layer_content contents[LAYER_SETS * 4];
} layer_shot;

/* Map from a handle to an allocated object; a lock of its own. */
typedef struct layer_map {
    pthread_mutex_t lock;
    void **keys, **values;
    size_t count, capacity;
} layer_map;

/* Returns the object of a handle; NULL: none. */
void *layer_get(layer_map *map, const void *key);
/* Allocates an object of zeros for a handle; an older one is freed. NULL: out of memory. */
void *layer_put(layer_map *map, const void *key, size_t size);

/* ---- devices (layer_entry.c) ---- */

#define LAYER_DEVICE_FUNCTIONS(X) \
    X(CreateShaderModule) \
    X(DestroyShaderModule) \
    X(CreateComputePipelines) \
    X(CreateBuffer) \
    X(DestroyBuffer) \
    X(GetBufferMemoryRequirements) \
    X(AllocateMemory) \
    X(FreeMemory) \
    X(BindBufferMemory) \
    X(MapMemory) \
    X(CreateDescriptorSetLayout) \
    X(CreatePipelineLayout) \
    X(AllocateDescriptorSets) \
    X(UpdateDescriptorSets) \
    X(BeginCommandBuffer) \
    X(CmdBindPipeline) \
    X(CmdBindDescriptorSets) \
    X(CmdPushConstants) \
    X(CmdDispatch) \
    X(CmdPipelineBarrier) \
    X(CmdCopyBuffer) \
    X(QueueSubmit) \
    X(DeviceWaitIdle) \
    X(DestroyDevice)

/* Functions that a device may lack: NULL. Their names end with KHR in the extension before them. */
#define LAYER_EXTRA_FUNCTIONS(X) \
    X(submit_2, "vkQueueSubmit2") \
    X(create_template, "vkCreateDescriptorUpdateTemplate") \
    X(update_with_template, "vkUpdateDescriptorSetWithTemplate") \
    X(push_set, "vkCmdPushDescriptorSet") \
    X(push_with_template, "vkCmdPushDescriptorSetWithTemplate")

typedef struct layer_extra {
    VkResult (*submit_2)(VkQueue queue, uint32_t count, const void *infos, VkFence fence);
    VkResult (*create_template)(
        VkDevice device, const layer_template_info *info, const void *allocator, void **made);
    void (*update_with_template)(
        VkDevice device, VkDescriptorSet set, void *template, const void *data);
    void (*push_set)(VkCommandBuffer commands, int32_t point, VkPipelineLayout layout,
        uint32_t number, uint32_t count, const VkWriteDescriptorSet *writes);
    void (*push_with_template)(VkCommandBuffer commands, void *template, VkPipelineLayout layout,
        uint32_t number, const void *data);
} layer_extra;

typedef struct layer_device {
    VkDevice device;
    layer_function (*get)(VkDevice device, const char *name);
    hed_vk_api next; /* only the functions above are set */
    layer_extra extra;
    VkPhysicalDeviceMemoryProperties memory;
    layer_shot *pending; /* submitted, not written yet */
} layer_device;

extern layer_map layer_devices, layer_buffers, layer_modules, layer_layouts, layer_pipeline_layouts,
    layer_sets, layer_templates, layer_pipelines, layer_command_buffers;

/* Returns the device of a dispatchable handle. */
layer_device *layer_device_of(const void *handle);

/* ---- descriptor sets (layer_sets.c) ---- */

bool layer_is_buffer_type(int32_t type);
/* Returns the function of descriptor sets in place of a device's; NULL: the layer does not take part. */
layer_function layer_set_function(const char *name);

/* ---- recording (layer_record.c) ---- */

/* Returns the recorder's function in place of a device's; NULL: the layer does not take part. */
layer_function layer_record_function(const char *name);
/* Waits for the device and writes all recorded dispatches that were submitted. */
void layer_write_pending(layer_device *of);

/* ---- files (layer_write.c) ---- */

/* Copies a module with the values of a specialization as its defaults; NULL: out of memory. */
uint32_t *layer_specialize(const layer_module *module, const VkSpecializationInfo *info);
/* Writes a dispatch as a tune file, its shader and the contents of its buffers, into the folder of
 * HEDDLE_RECORD. `bytes` (content_count) are the contents. */
void layer_write(const layer_shot *shot, void *const *bytes);
/* Reports an event on standard error and in record.log of the folder, after "heddle record: ". */
__attribute__((format(printf, 1, 2))) void layer_report(const char *format, ...);

#endif
