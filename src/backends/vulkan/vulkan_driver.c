/* The loader, libvulkan: finding it and its functions, and listing its devices. */
#include "backends/vulkan/vulkan.h"

#include <stdio.h>
#include <string.h>

/* ---- loading ---- */

typedef void *get_function(VkInstance instance, const char *name);
typedef VkResult create_function(const VkInstanceCreateInfo *info, const void *, VkInstance *made);

#define NAME(result, name, parameters) "vk" #name,
static const char *const function_names[] = {HED_VK_FUNCTIONS(NAME)};
#undef NAME
enum { FUNCTIONS = sizeof function_names / sizeof function_names[0] };
_Static_assert(sizeof(hed_vk_api) == FUNCTIONS * sizeof(void *), "functions and nothing else");

static const char packages[] =
    "apt install libvulkan1 mesa-vulkan-drivers (Debian), dnf install vulkan-loader mesa-vulkan-drivers "
    "(Fedora): lavapipe runs on any processor; a GPU's driver comes with Mesa or from its vendor";

static void vulkan_fail(
    hed_backend_slot *slot, hed_backend_state health, const char *reason, const char *remedy)
{
    slot->health = health;
    hed_text_copy(slot->reason, sizeof slot->reason, reason);
    hed_text_copy(slot->remedy, sizeof slot->remedy, remedy);
}

/* Creates the instance. False on failure; the slot has the reason. */
static bool vulkan_start(vulkan_driver *driver, hed_backend_slot *slot)
{
    void *functions[FUNCTIONS];
    char reason[256];
    get_function *get = (get_function *)hed_dynlib_symbol(driver->library, "vkGetInstanceProcAddr");
    create_function *create = get ? (create_function *)get(NULL, "vkCreateInstance") : NULL;
    if (!create) {
        vulkan_fail(slot, HED_BACKEND_FAILED,
            "the library has no vkGetInstanceProcAddr, or that "
            "has no vkCreateInstance: it is no Vulkan",
            packages);
        return false;
    }
    const VkApplicationInfo application = {.sType = VK_TYPE_APPLICATION_INFO,
        .pApplicationName = "heddle",
        .apiVersion = VK_API_VERSION_1_3};
    const VkInstanceCreateInfo info = {
        .sType = VK_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application};
    VkResult result = create(&info, NULL, &driver->instance);
    if (result) {
        driver->instance = NULL;
        snprintf(reason, sizeof reason, "vkCreateInstance failed with %s (%d)%s",
            hed_vulkan_code_name(result), (int)result,
            result == VK_ERROR_INCOMPATIBLE_DRIVER ? ": the loader is there and no driver" : "");
        vulkan_fail(slot,
            result == VK_ERROR_INCOMPATIBLE_DRIVER ? HED_BACKEND_ABSENT : HED_BACKEND_FAILED,
            reason, packages);
        return false;
    }
    for (int i = 0; i < FUNCTIONS; i++) {
        functions[i] = get(driver->instance, function_names[i]);
        if (functions[i]) continue;
        snprintf(
            reason, sizeof reason, "the loader has no %s: Vulkan 1.1 is needed", function_names[i]);
        vulkan_fail(slot, HED_BACKEND_FAILED, reason, packages);
        return false;
    }
    memcpy(&driver->api, functions, sizeof functions);
    return true;
}

void *hed_vulkan_symbol(hed_backend_slot *slot, const char *name)
{
    const vulkan_driver *driver = slot->state;
    if (!driver || !driver->library) return NULL;
    get_function *get = (get_function *)hed_dynlib_symbol(driver->library, "vkGetInstanceProcAddr");
    return get ? get(driver->instance, name) : NULL;
}

/* ---- list of devices ---- */

static void vulkan_list(vulkan_driver *driver, hed_backend_slot *slot)
{
    /* drivers that the loader has loaded, and would unload with the instance */
    static const char *const drivers[] = {"libvulkan_", "nvidia", "amdvlk", NULL};
    VkPhysicalDevice devices[VULKAN_DEVICES];
    uint32_t count = VULKAN_DEVICES;
    char reason[128];
    VkResult result = driver->api.EnumeratePhysicalDevices(driver->instance, &count, devices);
    if (result && result != VK_INCOMPLETE) {
        snprintf(reason, sizeof reason, "vkEnumeratePhysicalDevices failed with %s (%d)",
            hed_vulkan_code_name(result), (int)result);
        vulkan_fail(slot, HED_BACKEND_FAILED, reason, packages);
        return;
    }
    hed_dynlib_keep_loaded(drivers);
    for (uint32_t i = 0; i < count; i++) {
        VkPhysicalDeviceProperties2 about = {.sType = VK_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
        driver->api.GetPhysicalDeviceProperties2(devices[i], &about);
        if (about.properties.apiVersion >= VK_API_VERSION_1_1)
            driver->physical[driver->device_count++] = devices[i];
        else
            hed_log_message(&driver->logger, HED_LOG_WARNING,
                "vulkan: %s is left out: it has Vulkan 1.0, 1.1 is needed",
                about.properties.deviceName);
    }
    if (driver->device_count == 0) {
        vulkan_fail(slot, HED_BACKEND_ABSENT,
            "the library is installed, but finds no device of Vulkan 1.1", packages);
        return;
    }
    slot->health = HED_BACKEND_WORKS;
    if (driver->compiler[0]) return;
    vulkan_fail(slot, HED_BACKEND_LIMITED,
        "neither glslangValidator nor glslc is on the path: SPIR-V runs, GLSL cannot be compiled",
        "apt install glslang-tools (Debian), dnf install glslang (Fedora), or "
        "HEDDLE_GLSL_COMPILER=the path of either");
}

hed_status hed_vulkan_open(const hed_settings *settings, hed_backend_slot *slot)
{
    const char *names[] = {
        settings->vulkan_library ? settings->vulkan_library : "libvulkan.so.1", NULL};
    slot->health = HED_BACKEND_ABSENT;
    if (!names[0][0]) {
        vulkan_fail(slot, HED_BACKEND_ABSENT, "not wanted: the name of its library is set to \"\"",
            "leave hed_context_def.vulkan_library NULL");
        return HED_OK;
    }
    vulkan_driver *driver = hed_allocate(&settings->allocator, sizeof *driver);
    if (!driver) return HED_ERROR_MEMORY;
    driver->allocator = settings->allocator;
    driver->logger = settings->logger;
    driver->clock = settings->clock;
    driver->compiler = settings->glsl_compiler;
    slot->state = driver;
    hed_status status = hed_dynlib_open(
        &driver->allocator, names, &driver->library, slot->reason, sizeof slot->reason);
    if (!driver->library) {
        hed_text_copy(slot->remedy, sizeof slot->remedy, packages);
    } else {
        hed_text_copy(slot->library, sizeof slot->library, hed_dynlib_name(driver->library));
        if (vulkan_start(driver, slot)) vulkan_list(driver, slot);
    }
    if (status) hed_vulkan_close(settings, slot);
    return status;
}

void hed_vulkan_close(const hed_settings *settings, hed_backend_slot *slot)
{
    vulkan_driver *driver = slot->state;
    slot->state = NULL;
    if (!driver) return;
    if (driver->instance && driver->api.DestroyInstance)
        driver->api.DestroyInstance(driver->instance, NULL);
    hed_dynlib_close(&settings->allocator, driver->library);
    hed_release(&settings->allocator, driver, sizeof *driver);
}

uint32_t hed_vulkan_device_count(hed_backend_slot *slot)
{
    const vulkan_driver *driver = slot->state;
    return driver ? driver->device_count : 0;
}

/* ---- the table ---- */

extern const hed_backend hed_vulkan_backend;

const hed_backend hed_vulkan_backend = {
    .name = "vulkan",
    .languages = 1u << HED_GLSL | 1u << HED_SPIRV,
    .open = hed_vulkan_open,
    .close = hed_vulkan_close,
    .device_count = hed_vulkan_device_count,
    .device_describe = hed_vulkan_device_describe,
    .device_open = hed_vulkan_device_open,
    .device_close = hed_vulkan_device_close,
    .device_adopt = hed_vulkan_device_adopt,
    .device_native = hed_vulkan_device_native,
    .device_memory = hed_vulkan_device_memory,
    .device_wait = hed_vulkan_device_wait,
    .symbol = hed_vulkan_symbol,
    .buffer_create = hed_vulkan_buffer_create,
    .buffer_part = hed_vulkan_buffer_part,
    .buffer_destroy = hed_vulkan_buffer_destroy,
    .stream_create = hed_vulkan_stream_create,
    .stream_destroy = hed_vulkan_stream_destroy,
    .stream_wait = hed_vulkan_stream_wait,
    .stream_done = hed_vulkan_stream_done,
    .stream_flush = hed_vulkan_stream_flush,
    .step = hed_vulkan_step,
    .time_create = hed_vulkan_time_create,
    .time_destroy = hed_vulkan_time_destroy,
    .time_read = hed_vulkan_time_read,
    .event_create = hed_vulkan_event_create,
    .event_destroy = hed_vulkan_event_destroy,
    .event_record = hed_vulkan_event_record,
    .event_done = hed_vulkan_event_done,
    .event_wait = hed_vulkan_event_wait,
    .stream_wait_event = hed_vulkan_stream_wait_event,
    .event_elapsed = hed_vulkan_event_elapsed,
    .build = hed_vulkan_build,
    .build_options = hed_vulkan_build_options,
    .program_load = hed_vulkan_program_load,
    .program_unload = hed_vulkan_program_unload,
    .graph_build = hed_vulkan_graph_build,
    .graph_update = hed_vulkan_graph_update,
    .graph_replay = hed_vulkan_graph_replay,
    .graph_destroy = hed_vulkan_graph_destroy,
};
