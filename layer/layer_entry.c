/* Entry points of the layer: the loader's interface (Khronos, "Layer Interface to the Loader",
 * version 2), instances and devices. */
#include "layer/layer.h"

#include <stdlib.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))
enum { LOADER_INSTANCE_INFO = 47, LOADER_DEVICE_INFO = 48, LINK_INFO = 0 }; /* sType, function */

typedef layer_function get_instance_function(VkInstance instance, const char *name);
typedef layer_function get_device_function(VkDevice device, const char *name);

/* The links of the chain of layers, as the loader passes them. */
typedef struct layer_link {
    struct layer_link *next;
    get_instance_function *get_instance;
    /* an instance's link has GetPhysicalDeviceProcAddr here, a device's link GetDeviceProcAddr */
    get_device_function *get_device;
} layer_link;
typedef struct chain_info {
    int32_t type;
    const struct chain_info *next;
    int32_t function;
    layer_link *link;
} chain_info;
typedef struct negotiation {
    int32_t type;
    void *next;
    uint32_t version;
    get_instance_function *get_instance;
    get_device_function *get_device;
    void *get_physical;
} negotiation;

typedef struct layer_instance {
    VkInstance instance;
    get_instance_function *get;
    void (*memory)(VkPhysicalDevice, VkPhysicalDeviceMemoryProperties *);
} layer_instance;

#define MAP {.lock = PTHREAD_MUTEX_INITIALIZER}
static layer_map instances = MAP;
layer_map layer_devices = MAP, layer_buffers = MAP, layer_modules = MAP, layer_layouts = MAP,
          layer_pipeline_layouts = MAP, layer_sets = MAP, layer_templates = MAP,
          layer_pipelines = MAP, layer_command_buffers = MAP;

/* Objects of one instance or device share the loader's table, which the first word points to. */
static const void *table_of(const void *handle) { return *(const void *const *)handle; }

layer_device *layer_device_of(const void *handle)
{
    return layer_get(&layer_devices, table_of(handle));
}

/* Finds the chain's link, and advances it for the next layer. */
static layer_link *take_link(const void *next, int32_t type)
{
    for (const chain_info *at = next; at; at = at->next) {
        if (at->type != type || at->function != LINK_INFO) continue;
        layer_link *link = at->link;
        ((chain_info *)(uintptr_t)at)->link = link->next;
        return link;
    }
    return NULL;
}

/* ---- instances and devices ---- */

static VkResult create_instance(
    const VkInstanceCreateInfo *info, const void *allocator, VkInstance *made)
{
    layer_link *link = take_link(info->pNext, LOADER_INSTANCE_INFO);
    if (!link) return VK_ERROR_INITIALIZATION_FAILED;
    VkResult (*create)(const VkInstanceCreateInfo *, const void *, VkInstance *) =
        (VkResult(*)(const VkInstanceCreateInfo *, const void *, VkInstance *))link->get_instance(
            NULL, "vkCreateInstance");
    VkResult result = create ? create(info, allocator, made) : VK_ERROR_INITIALIZATION_FAILED;
    if (result) return result;
    layer_instance *instance = layer_put(&instances, table_of(*made), sizeof *instance);
    if (!instance) return VK_ERROR_OUT_OF_HOST_MEMORY;
    instance->instance = *made;
    instance->get = link->get_instance;
    instance->memory = (void (*)(VkPhysicalDevice, VkPhysicalDeviceMemoryProperties *))
                           instance->get(*made, "vkGetPhysicalDeviceMemoryProperties");
    return VK_SUCCESS;
}

static VkResult create_device(VkPhysicalDevice physical, const VkDeviceCreateInfo *info,
    const void *allocator, VkDevice *made)
{
    layer_instance *instance = layer_get(&instances, table_of(physical));
    layer_link *link = take_link(info->pNext, LOADER_DEVICE_INFO);
    if (!link || !instance) return VK_ERROR_INITIALIZATION_FAILED;
    VkResult (*create)(VkPhysicalDevice, const VkDeviceCreateInfo *, const void *, VkDevice *) =
        (VkResult(*)(VkPhysicalDevice, const VkDeviceCreateInfo *, const void *,
            VkDevice *))link->get_instance(instance->instance, "vkCreateDevice");
    VkResult result =
        create ? create(physical, info, allocator, made) : VK_ERROR_INITIALIZATION_FAILED;
    if (result) return result;
    layer_device *device = layer_put(&layer_devices, table_of(*made), sizeof *device);
    if (!device) return VK_ERROR_OUT_OF_HOST_MEMORY;
    device->device = *made;
    device->get = link->get_device;
    instance->memory(physical, &device->memory);
#define TAKE(name) \
    { \
        layer_function found = device->get(*made, "vk" #name); \
        memcpy(&device->next.name, &found, sizeof found); \
    }
    LAYER_DEVICE_FUNCTIONS(TAKE)
#undef TAKE
#define TAKE(member, name) \
    { \
        layer_function found = device->get(*made, name); \
        if (!found) found = device->get(*made, name "KHR"); \
        memcpy(&device->extra.member, &found, sizeof found); \
    }
    LAYER_EXTRA_FUNCTIONS(TAKE)
#undef TAKE
    return VK_SUCCESS;
}

/* ---- functions by name ---- */

static layer_function get_device(VkDevice device, const char *name)
{
    if (strcmp(name, "vkGetDeviceProcAddr") == 0) return (layer_function)get_device;
    layer_device *of = device ? layer_device_of(device) : NULL;
    layer_function next = of ? of->get(device, name) : NULL, own = layer_record_function(name);
    return next && own ? own : next;
}

static layer_function get_instance(VkInstance instance, const char *name)
{
    static const struct {
        const char *name;
        layer_function function;
    } own[] = {{"vkGetInstanceProcAddr", (layer_function)get_instance},
        {"vkGetDeviceProcAddr", (layer_function)get_device},
        {"vkCreateInstance", (layer_function)create_instance},
        {"vkCreateDevice", (layer_function)create_device}};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (strcmp(name, own[i].name) == 0) return own[i].function;
    layer_function recorded = layer_record_function(name);
    if (recorded) return recorded;
    layer_instance *of = instance ? layer_get(&instances, table_of(instance)) : NULL;
    return of ? of->get(instance, name) : NULL;
}

EXPORTED VkResult vkNegotiateLoaderLayerInterfaceVersion(negotiation *about);
EXPORTED VkResult vkNegotiateLoaderLayerInterfaceVersion(negotiation *about)
{
    enum { SPOKEN = 2 };
    if (about->version < SPOKEN) return VK_ERROR_INITIALIZATION_FAILED;
    about->version = SPOKEN;
    about->get_instance = get_instance;
    about->get_device = get_device;
    about->get_physical = NULL;
    return VK_SUCCESS;
}
