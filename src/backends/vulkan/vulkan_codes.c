/* Result codes of Vulkan as statuses and messages. */
#include "backends/vulkan/vulkan.h"

const char *hed_vulkan_code_name(VkResult code)
{
    switch (code) {
#define NAME(name, value) \
    case value: return #name;
        HED_VK_RESULTS(NAME)
#undef NAME
    default: return "an unknown code";
    }
}

static hed_status vulkan_status_of(VkResult code)
{
    switch (code) {
    case VK_ERROR_OUT_OF_HOST_MEMORY: return HED_ERROR_MEMORY;
    case VK_ERROR_OUT_OF_DEVICE_MEMORY: return HED_ERROR_DEVICE_MEMORY;
    case VK_ERROR_OUT_OF_POOL_MEMORY:
    case VK_ERROR_FRAGMENTED_POOL:
    case VK_ERROR_TOO_MANY_OBJECTS: return HED_ERROR_LIMIT;
    case VK_ERROR_DEVICE_LOST: return HED_ERROR_LOST;
    case VK_ERROR_INVALID_SHADER_NV: return HED_ERROR_BUILD;
    default: return HED_ERROR_DRIVER;
    }
}

hed_status hed_vulkan_check(const hed_device *device, VkResult result, const char *call,
    const char *purpose, hed_error *error)
{
    if (result == VK_SUCCESS) return HED_OK;
    hed_status status = vulkan_status_of(result);
    return hed_fail(error, status, "%s failed with %s (%d): %s on %s (%s)%s", call,
        hed_vulkan_code_name(result), (int)result, purpose, device->info.id, device->info.name,
        status == HED_ERROR_LOST
            ? "; the device is lost to this context: a kernel that reads or writes outside its "
              "buffers, or runs longer than the driver allows, does that"
            : "");
}
