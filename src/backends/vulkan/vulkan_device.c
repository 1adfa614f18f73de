/* Devices: capabilities, queues, and devices that a program already has. Describing a device
 * creates no VkDevice. */
#include "backends/vulkan/vulkan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- describing ---- */

/* Finds the first queue family with compute and time stamps, else the first with compute. */
static bool vulkan_find_family(
    const hed_vk_api *api, VkPhysicalDevice physical, uint32_t *family, VkQueueFamilyProperties *of)
{
    VkQueueFamilyProperties families[32];
    uint32_t count = 32;
    bool is_found = false;
    api->GetPhysicalDeviceQueueFamilyProperties(physical, &count, families);
    for (uint32_t i = 0; i < count; i++) {
        if (!(families[i].queueFlags & VK_QUEUE_COMPUTE_BIT)) continue;
        if (is_found && (of->timestampValidBits || !families[i].timestampValidBits)) continue;
        is_found = true;
        *family = i;
        *of = families[i];
    }
    return is_found;
}

static void vulkan_fill_texts(hed_device *device, uint32_t index,
    const VkPhysicalDeviceProperties *about, const VkPhysicalDeviceDriverProperties *driver)
{
    static const struct {
        uint32_t id;
        const char *name;
    } vendors[] = {{0x10de, "NVIDIA"}, {0x1002, "AMD"}, {0x8086, "Intel"}, {0x13b5, "ARM"},
        {0x5143, "Qualcomm"}, {0x106b, "Apple"}, {0x1010, "Imagination"}, {0x10005, "Mesa"}};
    hed_device_info *info = &device->info;
    snprintf(device->text[0], sizeof device->text[0], "vulkan:%u", index);
    snprintf(device->text[1], sizeof device->text[1], "Vulkan %u.%u", about->apiVersion >> 22 & 127,
        about->apiVersion >> 12 & 1023);
    hed_text_copy(device->text[2], sizeof device->text[2], about->deviceName);
    snprintf(device->text[3], sizeof device->text[3], "vendor %#x", about->vendorID);
    for (size_t i = 0; i < sizeof vendors / sizeof *vendors; i++)
        if (vendors[i].id == about->vendorID)
            hed_text_copy(device->text[3], sizeof device->text[3], vendors[i].name);
    snprintf(device->text[4], sizeof device->text[4], "%.100s %.100s", driver->driverName,
        driver->driverInfo);
    info->id = device->text[0];
    info->backend = "vulkan";
    info->platform = device->text[1];
    info->name = device->text[2];
    info->vendor = device->text[3];
    info->driver = device->text[4];
    int used = snprintf(device->build_key, sizeof device->build_key, "%.100s|%.200s|%x|",
        info->name, info->driver, about->driverVersion);
    for (int i = 0; i < 16; i++) /* identity of the driver's binaries */
        used += snprintf(device->build_key + used, sizeof device->build_key - (size_t)used, "%02x",
            about->pipelineCacheUUID[i]);
}

static void vulkan_fill_limits(hed_device_info *info, const VkPhysicalDeviceLimits *limits,
    const VkPhysicalDeviceMemoryProperties *memory, uint64_t most_memory)
{
    for (int i = 0; i < 3; i++) {
        info->max_group_size[i] = limits->maxComputeWorkGroupSize[i];
        info->max_groups[i] = limits->maxComputeWorkGroupCount[i];
    }
    info->max_group = limits->maxComputeWorkGroupInvocations;
    info->local_bytes = limits->maxComputeSharedMemorySize;
    info->max_buffer_bytes = limits->maxStorageBufferRange;
    if (most_memory && most_memory < info->max_buffer_bytes) info->max_buffer_bytes = most_memory;
    info->buffer_alignment = (uint32_t)limits->minStorageBufferOffsetAlignment;
    if (limits->minUniformBufferOffsetAlignment > info->buffer_alignment)
        info->buffer_alignment = (uint32_t)limits->minUniformBufferOffsetAlignment;
    info->max_arguments_bytes = limits->maxPushConstantsSize;
    for (uint32_t i = 0; i < memory->memoryHeapCount && i < VK_MAX_MEMORY_HEAPS; i++)
        if ((memory->memoryHeaps[i].flags & VK_MEMORY_DEVICE_LOCAL_BIT) &&
            memory->memoryHeaps[i].size > info->memory_bytes)
            info->memory_bytes = memory->memoryHeaps[i].size;
}

typedef struct vulkan_features {
    VkPhysicalDeviceFeatures2 all;
    VkPhysicalDeviceVulkan11Features of_1_1;
    VkPhysicalDeviceVulkan12Features of_1_2;
    VkPhysicalDeviceSubgroupSizeControlFeatures widths;
} vulkan_features;

static void vulkan_read_features(
    const hed_vk_api *api, VkPhysicalDevice physical, uint32_t version, vulkan_features *features)
{
    *features = (vulkan_features){.all = {.sType = VK_TYPE_PHYSICAL_DEVICE_FEATURES_2},
        .of_1_1 = {.sType = VK_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES},
        .of_1_2 = {.sType = VK_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES},
        .widths = {.sType = VK_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES}};
    features->of_1_1.pNext = &features->of_1_2;
    if (version >= VK_API_VERSION_1_3) features->of_1_2.pNext = &features->widths;
    if (version >= VK_API_VERSION_1_2) features->all.pNext = &features->of_1_1;
    api->GetPhysicalDeviceFeatures2(physical, &features->all);
}

/* Reads the widths of a subgroup that a pipeline may request; zeros: no widths. */
static VkPhysicalDeviceSubgroupSizeControlProperties vulkan_read_widths(const hed_vk_api *api,
    VkPhysicalDevice physical, uint32_t version, const vulkan_features *features)
{
    VkPhysicalDeviceSubgroupSizeControlProperties widths = {
        .sType = VK_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES};
    VkPhysicalDeviceProperties2 about = {
        .sType = VK_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &widths};
    if (version < VK_API_VERSION_1_3 || !features->widths.subgroupSizeControl) return widths;
    api->GetPhysicalDeviceProperties2(physical, &about);
    if (!(widths.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT))
        widths = (VkPhysicalDeviceSubgroupSizeControlProperties){.sType = widths.sType};
    return widths;
}

static hed_status vulkan_describe(
    const vulkan_driver *driver, VkPhysicalDevice physical, uint32_t index, hed_device *device)
{
    const hed_vk_api *api = &driver->api;
    VkPhysicalDeviceDriverProperties about_driver = {
        .sType = VK_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES};
    /* a driver ignores structs that it does not know */
    VkPhysicalDeviceShaderSMBuiltinsPropertiesNV units = {
        .sType = VK_TYPE_PHYSICAL_DEVICE_SHADER_SM_BUILTINS_PROPERTIES_NV, .pNext = &about_driver};
    VkPhysicalDeviceSubgroupProperties lanes = {
        .sType = VK_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES, .pNext = &units};
    VkPhysicalDeviceMaintenance3Properties maintenance = {
        .sType = VK_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES, .pNext = &lanes};
    VkPhysicalDeviceIDProperties identity = {
        .sType = VK_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES, .pNext = &maintenance};
    VkPhysicalDeviceProperties2 about = {
        .sType = VK_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &identity};
    VkPhysicalDeviceMemoryProperties memory = {0};
    VkQueueFamilyProperties of = {0};
    vulkan_features features;
    uint32_t family;
    if (!vulkan_find_family(api, physical, &family, &of)) return HED_ERROR_DRIVER;
    api->GetPhysicalDeviceProperties2(physical, &about);
    api->GetPhysicalDeviceMemoryProperties(physical, &memory);
    vulkan_read_features(api, physical, about.properties.apiVersion, &features);
    hed_device_info *info = &device->info;
    memcpy(device->uuid, identity.deviceUUID, sizeof device->uuid);
    vulkan_fill_texts(device, index, &about.properties, &about_driver);
    vulkan_fill_limits(
        info, &about.properties.limits, &memory, maintenance.maxMemoryAllocationSize);
    int32_t type = about.properties.deviceType;
    info->type = type == VK_DEVICE_TYPE_CPU     ? HED_DEVICE_CPU
                 : type == VK_DEVICE_TYPE_OTHER ? HED_DEVICE_OTHER
                                                : HED_DEVICE_GPU;
    info->lane_width = lanes.subgroupSize;
    info->compute_units = units.shaderSMCount;
    if (info->type == HED_DEVICE_CPU) info->compute_units = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
    info->capabilities = HED_CAN_SOURCE | HED_CAN_GRAPHS | HED_CAN_GLOBAL_ATOMICS;
    if (of.timestampValidBits) info->capabilities |= HED_CAN_DEVICE_TIME;
    if (features.all.features[VK_FEATURE_FLOAT64]) info->capabilities |= HED_CAN_FP64;
    if (features.of_1_2.features[VK_FEATURE_1_2_FLOAT16]) info->capabilities |= HED_CAN_FP16;
    const VkPhysicalDeviceSubgroupSizeControlProperties widths =
        vulkan_read_widths(api, physical, about.properties.apiVersion, &features);
    uint64_t widest = widths.maxSubgroupSize < 1u << 31 ? widths.maxSubgroupSize : 0;
    for (uint64_t width = widths.minSubgroupSize; width && width < widest; width *= 2)
        info->capabilities |= (width | width << 1) << HED_SUBGROUP_WIDTHS;
    /* llvmpipe generates a pipeline's code when it first runs */
    device->compiles_at_launch = info->type == HED_DEVICE_CPU;
    return HED_OK;
}

hed_status hed_vulkan_device_describe(hed_backend_slot *slot, uint32_t index, hed_device *device)
{
    const vulkan_driver *driver = slot->state;
    return vulkan_describe(driver, driver->physical[index], index, device);
}

/* ---- the clock ---- */

enum { CLOCK_BYTES = 4 << 20, CLOCK_MOST = 4096 };

typedef struct clock_check {
    vulkan_device *of;
    vulkan_buffer buffer;
    VkCommandPool pool;
    VkCommandBuffer commands;
    VkQueryPool queries;
    VkFence fence;
    double device, host; /* duration of the same work by each clock, s */
    VkResult result;     /* result and name of the last call */
    const char *call;
} clock_check;

static bool clock_did(clock_check *check, VkResult result, const char *call)
{
    check->result = result;
    check->call = call;
    return result == VK_SUCCESS;
}

static bool clock_make(clock_check *check)
{
    const vulkan_device *of = check->of;
    const VkCommandPoolCreateInfo pool = {.sType = VK_TYPE_COMMAND_POOL_CREATE_INFO,
        .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
        .queueFamilyIndex = of->family};
    const VkQueryPoolCreateInfo queries = {.sType = VK_TYPE_QUERY_POOL_CREATE_INFO,
        .queryType = VK_QUERY_TYPE_TIMESTAMP,
        .queryCount = 2};
    const VkFenceCreateInfo fence = {.sType = VK_TYPE_FENCE_CREATE_INFO};
    if (!clock_did(check, of->api->CreateCommandPool(of->device, &pool, NULL, &check->pool),
            "vkCreateCommandPool"))
        return false;
    const VkCommandBufferAllocateInfo commands = {.sType = VK_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = check->pool,
        .commandBufferCount = 1};
    return clock_did(check,
               of->api->AllocateCommandBuffers(of->device, &commands, &check->commands),
               "vkAllocateCommandBuffers") &&
           clock_did(check, of->api->CreateQueryPool(of->device, &queries, NULL, &check->queries),
               "vkCreateQueryPool") &&
           clock_did(check, of->api->CreateFence(of->device, &fence, NULL, &check->fence),
               "vkCreateFence");
}

static bool clock_record(clock_check *check, uint32_t fills)
{
    const hed_vk_api *api = check->of->api;
    const VkCommandBufferBeginInfo begin = {.sType = VK_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    vulkan_recording to = {.commands = check->commands};
    if (!clock_did(check, api->BeginCommandBuffer(to.commands, &begin), "vkBeginCommandBuffer"))
        return false;
    api->CmdResetQueryPool(to.commands, check->queries, 0, 2);
    api->CmdWriteTimestamp(to.commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, check->queries, 0);
    for (uint32_t i = 0; i < fills; i++) {
        hed_vulkan_barrier(api, &to, false);
        api->CmdFillBuffer(to.commands, check->buffer.buffer, 0, CLOCK_BYTES, i);
    }
    api->CmdWriteTimestamp(to.commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, check->queries, 1);
    return clock_did(check, api->EndCommandBuffer(to.commands), "vkEndCommandBuffer");
}

/* Measures `fills` fills: the device's time between two stamps, and the host's time from submission
 * to completion. */
static bool clock_time(clock_check *check, uint32_t fills)
{
    const vulkan_device *of = check->of;
    const hed_clock *clock = &of->driver->clock;
    const VkSubmitInfo submit = {
        .sType = VK_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &check->commands};
    uint64_t stamps[2] = {0, 0};
    if (!clock_record(check, fills)) return false;
    uint64_t start = clock->now(clock->user);
    if (!clock_did(check, of->api->QueueSubmit(of->queues[0].queue, 1, &submit, check->fence),
            "vkQueueSubmit") ||
        !clock_did(check, of->api->WaitForFences(of->device, 1, &check->fence, 1, UINT64_MAX),
            "vkWaitForFences"))
        return false;
    check->host = (double)(clock->now(clock->user) - start) * 1e-9;
    if (!clock_did(check, of->api->ResetFences(of->device, 1, &check->fence), "vkResetFences") ||
        !clock_did(check,
            of->api->GetQueryPoolResults(of->device, check->queries, 0, 2, sizeof stamps, stamps, 8,
                VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
            "vkGetQueryPoolResults"))
        return false;
    check->device = (double)((stamps[1] - stamps[0]) & of->stamp_mask) * of->period;
    return true;
}

/* Checks the device's clock. Time stamps are used only if they agree with the host's clock: some
 * drivers promise 64 bits and report a few nanoseconds for a tenth of a second. */
static hed_status vulkan_check_clock(hed_device *device, hed_error *error)
{
    vulkan_device *of = hed_vulkan_of(device);
    const hed_vk_api *api = of->api;
    clock_check check = {.of = of};
    if (!of->stamp_mask) return HED_OK;
    hed_status status = hed_vulkan_allocate(device, CLOCK_BYTES, false, &check.buffer, error);
    if (status) return status;
    bool fine = clock_make(&check);
    for (uint32_t fills = 1; fine && fills <= CLOCK_MOST && check.host < 2e-3; fills *= 2)
        fine = clock_time(&check, fills);
    if (!fine) api->DeviceWaitIdle(of->device);
    if (check.fence) api->DestroyFence(of->device, check.fence, NULL);
    if (check.queries) api->DestroyQueryPool(of->device, check.queries, NULL);
    if (check.pool) api->DestroyCommandPool(of->device, check.pool, NULL);
    hed_vulkan_free(device, &check.buffer);
    if (fine && !(check.device > 0.5 * check.host && check.device < 1.05 * check.host)) {
        of->stamp_mask = 0;
        device->info.capabilities &= ~(uint64_t)HED_CAN_DEVICE_TIME;
        hed_log_message(&of->driver->logger, HED_LOG_INFO,
            "%s: %.3g ms by its time stamps are %.3g by the host's clock, which is used instead",
            device->info.id, 1e3 * check.device, 1e3 * check.host);
    }
    return hed_vulkan_check(device, check.result, check.call, "checking its clock", error);
}

/* ---- opening ---- */

static void vulkan_fill_open(vulkan_device *impl, uint32_t valid_bits)
{
    VkPhysicalDeviceProperties2 about = {.sType = VK_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
    impl->api->GetPhysicalDeviceProperties2(impl->physical, &about);
    impl->api->GetPhysicalDeviceMemoryProperties(impl->physical, &impl->memory);
    impl->period = (double)about.properties.limits.timestampPeriod * 1e-9;
    impl->stamp_mask = valid_bits >= 64 ? UINT64_MAX : ((uint64_t)1 << valid_bits) - 1;
    vulkan_features features;
    vulkan_read_features(impl->api, impl->physical, about.properties.apiVersion, &features);
    impl->widths =
        vulkan_read_widths(impl->api, impl->physical, about.properties.apiVersion, &features);
    impl->push_bytes = about.properties.limits.maxPushConstantsSize;
    if (impl->push_bytes > VULKAN_PUSH_BYTES) impl->push_bytes = VULKAN_PUSH_BYTES;
    impl->sets = about.properties.limits.maxBoundDescriptorSets;
    if (impl->sets > VULKAN_SETS) impl->sets = VULKAN_SETS;
    pthread_mutex_init(&impl->lock, NULL);
    pthread_mutex_init(&impl->image_lock, NULL);
    for (uint32_t i = 0; i < impl->queue_count; i++)
        pthread_mutex_init(&impl->queues[i].lock, NULL);
}

/* Creates a device with all features, except features that slow every kernel or are for
 * debuggers. */
static VkResult vulkan_make_device(vulkan_device *impl, uint32_t version)
{
    static const float priorities[VULKAN_QUEUES] = {1, 1, 1, 1, 1, 1, 1, 1};
    const VkDeviceQueueCreateInfo queues = {.sType = VK_TYPE_DEVICE_QUEUE_CREATE_INFO,
        .queueFamilyIndex = impl->family,
        .queueCount = impl->queue_count,
        .pQueuePriorities = priorities};
    vulkan_features features;
    vulkan_read_features(impl->api, impl->physical, version, &features);
    features.all.features[VK_FEATURE_ROBUST_BUFFERS] = 0;
    features.of_1_1.features[VK_FEATURE_1_1_PROTECTED] = 0;
    features.of_1_2.features[VK_FEATURE_1_2_ADDRESS_CAPTURE] = 0;
    const VkDeviceCreateInfo info = {.sType = VK_TYPE_DEVICE_CREATE_INFO,
        .pNext = &features.all,
        .queueCreateInfoCount = 1,
        .pQueueCreateInfos = &queues};
    return impl->api->CreateDevice(impl->physical, &info, NULL, &impl->device);
}

static void vulkan_device_free(hed_device *device)
{
    vulkan_device *freed = hed_vulkan_of(device);
    hed_vulkan_free_modules(freed);
    if (!device->adopted) freed->api->DeviceWaitIdle(freed->device);
    for (int i = 0; i < 2; i++)
        if (freed->samplers[i]) freed->api->DestroySampler(freed->device, freed->samplers[i], NULL);
    if (!device->adopted) freed->api->DestroyDevice(freed->device, NULL);
    for (uint32_t i = 0; i < freed->queue_count; i++) pthread_mutex_destroy(&freed->queues[i].lock);
    pthread_mutex_destroy(&freed->lock);
    pthread_mutex_destroy(&freed->image_lock);
    hed_release(&freed->driver->allocator, freed, sizeof *freed);
    device->impl = NULL;
}

hed_status hed_vulkan_device_open(hed_device *device, hed_error *error)
{
    const vulkan_driver *driver = device->slot->state;
    unsigned long index = strtoul(device->info.id + strlen("vulkan:"), NULL, 10);
    VkPhysicalDevice physical = driver->physical[index];
    VkPhysicalDeviceProperties2 about = {.sType = VK_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
    VkQueueFamilyProperties of = {0};
    uint32_t family = 0;
    vulkan_find_family(&driver->api, physical, &family, &of);
    driver->api.GetPhysicalDeviceProperties2(physical, &about);
    vulkan_device *impl = hed_allocate(&driver->allocator, sizeof *impl);
    if (!impl) return HED_OUT_OF_MEMORY(error, "a device");
    impl->driver = driver;
    impl->api = &driver->api;
    impl->instance = driver->instance;
    impl->physical = physical;
    impl->family = family;
    impl->queue_count = of.queueCount < VULKAN_QUEUES ? of.queueCount : VULKAN_QUEUES;
    VkResult result = vulkan_make_device(impl, about.properties.apiVersion);
    if (result) {
        hed_release(&driver->allocator, impl, sizeof *impl);
        return hed_vulkan_check(device, result, "vkCreateDevice", "no device", error);
    }
    for (uint32_t i = 0; i < impl->queue_count; i++)
        impl->api->GetDeviceQueue(impl->device, family, i, &impl->queues[i].queue);
    vulkan_fill_open(impl, of.timestampValidBits);
    device->impl = impl;
    hed_status status = vulkan_check_clock(device, error);
    if (status) vulkan_device_free(device);
    return status;
}

void hed_vulkan_device_close(hed_device *device) { vulkan_device_free(device); }

/* ---- adopting ---- */

hed_status hed_vulkan_device_adopt(
    hed_backend_slot *slot, const hed_driver_handles *native, hed_device *device, hed_error *error)
{
    const vulkan_driver *driver = slot->state;
    VkQueueFamilyProperties families[32] = {{0}};
    uint32_t index = 0, count = 32;
    if (!native->device || !native->queue)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "hed_driver_handles.device or .queue is NULL: a VkDevice does not tell its own");
    while (index < driver->device_count && driver->physical[index] != native->device) index++;
    driver->api.GetPhysicalDeviceQueueFamilyProperties(native->device, &count, families);
    if (native->queue_family >= count ||
        !(families[native->queue_family].queueFlags & VK_QUEUE_COMPUTE_BIT))
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "hed_driver_handles.queue_family is %u: no family of queues that compute",
            native->queue_family);
    vulkan_device *impl = hed_allocate(&driver->allocator, sizeof *impl);
    if (!impl) return HED_OUT_OF_MEMORY(error, "a device");
    impl->driver = driver;
    impl->api = &driver->api;
    impl->instance = native->platform;
    impl->physical = native->device;
    impl->device = native->context;
    impl->family = native->queue_family;
    impl->queue_count = 1;
    impl->queues[0].queue = native->queue;
    hed_status status = vulkan_describe(driver, native->device, index, device);
    if (status) {
        hed_release(&driver->allocator, impl, sizeof *impl);
        return hed_fail(error, status, "the device given has no queues that compute");
    }
    vulkan_fill_open(impl, families[native->queue_family].timestampValidBits);
    /* the program may have created its device without the feature */
    impl->widths = (VkPhysicalDeviceSubgroupSizeControlProperties){.sType = impl->widths.sType};
    device->impl = impl;
    status = vulkan_check_clock(device, error);
    if (status) vulkan_device_free(device);
    return status;
}

hed_status hed_vulkan_device_native(
    hed_device *device, hed_driver_handles *native, hed_error *error)
{
    const vulkan_device *of = hed_vulkan_of(device);
    (void)error;
    *native = (hed_driver_handles){
        of->instance, of->physical, of->device, of->queues[0].queue, of->family};
    return HED_OK;
}

/* ---- device memory and waiting ---- */

hed_status hed_vulkan_device_memory(
    hed_device *device, uint64_t *free_bytes, uint64_t *total_bytes, hed_error *error)
{
    (void)error;
    *free_bytes = 0; /* Vulkan 1.1 has no query for it */
    *total_bytes = device->info.memory_bytes;
    return HED_OK;
}

hed_status hed_vulkan_device_wait(hed_device *device, hed_error *error)
{
    return hed_vulkan_streams_wait(device, error);
}
