/* The part of Vulkan 1.1 that the backend calls, declared here so that no header is needed to
 * build: names, values and layouts are from the Khronos specification. Handles of both kinds are
 * pointers, as on 64-bit machines. */
#ifndef HED_BACKENDS_VULKAN_API_H
#define HED_BACKENDS_VULKAN_API_H

#include <stddef.h>
#include <stdint.h>

_Static_assert(sizeof(void *) == 8, "handles that are no pointers have 64 bits");

typedef int32_t VkResult;
typedef uint32_t VkBool32, VkFlags;
typedef uint64_t VkDeviceSize;

#define HED_VK_HANDLES(X) \
    X(VkInstance) \
    X(VkPhysicalDevice) \
    X(VkDevice) \
    X(VkQueue) \
    X(VkBuffer) \
    X(VkDeviceMemory) X(VkShaderModule) X(VkPipeline) X(VkPipelineLayout) X(VkPipelineCache) \
        X(VkDescriptorPool) X(VkDescriptorSet) X(VkDescriptorSetLayout) X(VkCommandPool) \
            X(VkCommandBuffer) X(VkFence) X(VkQueryPool) X(VkImage) X(VkImageView) X(VkSampler)
#define HED_VK_HANDLE(name) typedef struct name##_T *name;
HED_VK_HANDLES(HED_VK_HANDLE)
#undef HED_VK_HANDLE

#define HED_VK_RESULTS(X) \
    X(VK_NOT_READY, 1) \
    X(VK_TIMEOUT, 2) \
    X(VK_INCOMPLETE, 5) \
    X(VK_ERROR_OUT_OF_HOST_MEMORY, -1) \
    X(VK_ERROR_OUT_OF_DEVICE_MEMORY, -2) \
    X(VK_ERROR_INITIALIZATION_FAILED, -3) \
    X(VK_ERROR_DEVICE_LOST, -4) \
    X(VK_ERROR_MEMORY_MAP_FAILED, -5) \
    X(VK_ERROR_LAYER_NOT_PRESENT, -6) \
    X(VK_ERROR_EXTENSION_NOT_PRESENT, -7) \
    X(VK_ERROR_FEATURE_NOT_PRESENT, -8) \
    X(VK_ERROR_INCOMPATIBLE_DRIVER, -9) \
    X(VK_ERROR_TOO_MANY_OBJECTS, -10) \
    X(VK_ERROR_FRAGMENTED_POOL, -12) \
    X(VK_ERROR_UNKNOWN, -13) \
    X(VK_ERROR_OUT_OF_POOL_MEMORY, -1000069000) \
    X(VK_ERROR_INVALID_SHADER_NV, -1000012000)
enum {
    VK_SUCCESS = 0,
#define HED_VK_RESULT(name, value) name = value,
    HED_VK_RESULTS(HED_VK_RESULT)
#undef HED_VK_RESULT
};

/* sType of each struct */
enum {
    VK_TYPE_APPLICATION_INFO = 0,
    VK_TYPE_INSTANCE_CREATE_INFO = 1,
    VK_TYPE_DEVICE_QUEUE_CREATE_INFO = 2,
    VK_TYPE_DEVICE_CREATE_INFO = 3,
    VK_TYPE_SUBMIT_INFO = 4,
    VK_TYPE_MEMORY_ALLOCATE_INFO = 5,
    VK_TYPE_FENCE_CREATE_INFO = 8,
    VK_TYPE_QUERY_POOL_CREATE_INFO = 11,
    VK_TYPE_BUFFER_CREATE_INFO = 12,
    VK_TYPE_IMAGE_CREATE_INFO = 14,
    VK_TYPE_IMAGE_VIEW_CREATE_INFO = 15,
    VK_TYPE_SHADER_MODULE_CREATE_INFO = 16,
    VK_TYPE_PIPELINE_CACHE_CREATE_INFO = 17,
    VK_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO = 18,
    VK_TYPE_COMPUTE_PIPELINE_CREATE_INFO = 29,
    VK_TYPE_PIPELINE_LAYOUT_CREATE_INFO = 30,
    VK_TYPE_SAMPLER_CREATE_INFO = 31,
    VK_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO = 32,
    VK_TYPE_DESCRIPTOR_POOL_CREATE_INFO = 33,
    VK_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO = 34,
    VK_TYPE_WRITE_DESCRIPTOR_SET = 35,
    VK_TYPE_COMMAND_POOL_CREATE_INFO = 39,
    VK_TYPE_COMMAND_BUFFER_ALLOCATE_INFO = 40,
    VK_TYPE_COMMAND_BUFFER_BEGIN_INFO = 42,
    VK_TYPE_IMAGE_MEMORY_BARRIER = 45,
    VK_TYPE_MEMORY_BARRIER = 46,
    VK_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES = 49,
    VK_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES = 51,
    VK_TYPE_PHYSICAL_DEVICE_FEATURES_2 = 1000059000,
    VK_TYPE_PHYSICAL_DEVICE_PROPERTIES_2 = 1000059001,
    VK_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES = 1000071004,
    VK_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES = 1000094000,
    VK_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES = 1000225000,
    VK_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO = 1000225001,
    VK_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES = 1000225002,
    VK_TYPE_PHYSICAL_DEVICE_SHADER_SM_BUILTINS_PROPERTIES_NV = 1000154001,
    VK_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES = 1000168000,
    VK_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES = 1000196000
};

enum {
    VK_API_VERSION_1_1 = 1u << 22 | 1u << 12,
    VK_API_VERSION_1_2 = 1u << 22 | 2u << 12,
    VK_API_VERSION_1_3 = 1u << 22 | 3u << 12,
    VK_DEVICE_TYPE_OTHER = 0,
    VK_DEVICE_TYPE_CPU = 4,
    VK_QUEUE_COMPUTE_BIT = 2,
    VK_MEMORY_DEVICE_LOCAL_BIT = 1,
    VK_MEMORY_HOST_VISIBLE_BIT = 2,
    VK_MEMORY_HOST_COHERENT_BIT = 4,
    VK_MEMORY_HOST_CACHED_BIT = 8,
    VK_BUFFER_USAGE_TRANSFER_SRC_BIT = 1,
    VK_BUFFER_USAGE_TRANSFER_DST_BIT = 2,
    VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT = 16,
    VK_BUFFER_USAGE_STORAGE_BUFFER_BIT = 32,
    VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT = 1,
    VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT = 2,
    VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT = 0x1000,
    VK_IMAGE_USAGE_TRANSFER_SRC_BIT = 1,
    VK_IMAGE_USAGE_TRANSFER_DST_BIT = 2,
    VK_IMAGE_USAGE_SAMPLED_BIT = 4,
    VK_IMAGE_USAGE_STORAGE_BIT = 8,
    VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT = 16,
    VK_IMAGE_ASPECT_COLOR_BIT = 1,
    VK_IMAGE_LAYOUT_GENERAL = 1,
    VK_FILTER_LINEAR = 1,
    VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE = 2,
    VK_DESCRIPTOR_TYPE_SAMPLER = 0,
    VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER = 1,
    VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE = 2,
    VK_DESCRIPTOR_TYPE_STORAGE_IMAGE = 3,
    VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER = 6,
    VK_DESCRIPTOR_TYPE_STORAGE_BUFFER = 7,
    VK_SHADER_STAGE_COMPUTE_BIT = 32,
    VK_PIPELINE_BIND_POINT_COMPUTE = 1,
    VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT = 0x800,
    VK_PIPELINE_STAGE_TRANSFER_BIT = 0x1000,
    VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT = 0x2000,
    VK_PIPELINE_STAGE_HOST_BIT = 0x4000,
    VK_ACCESS_UNIFORM_READ_BIT = 0x8,
    VK_ACCESS_SHADER_READ_BIT = 0x20,
    VK_ACCESS_SHADER_WRITE_BIT = 0x40,
    VK_ACCESS_HOST_READ_BIT = 0x2000,
    VK_ACCESS_HOST_WRITE_BIT = 0x4000,
    VK_ACCESS_MEMORY_READ_BIT = 0x8000,
    VK_ACCESS_MEMORY_WRITE_BIT = 0x10000,
    VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT = 2,
    VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT = 4,
    VK_QUERY_TYPE_TIMESTAMP = 2,
    VK_QUERY_RESULT_64_BIT = 1,
    VK_QUERY_RESULT_WAIT_BIT = 2,
    VK_MAX_MEMORY_TYPES = 32,
    VK_MAX_MEMORY_HEAPS = 16
};
#define VK_WHOLE_SIZE UINT64_MAX

typedef struct VkApplicationInfo {
    int32_t sType;
    const void *pNext;
    const char *pApplicationName;
    uint32_t applicationVersion;
    const char *pEngineName;
    uint32_t engineVersion, apiVersion;
} VkApplicationInfo;
typedef struct VkInstanceCreateInfo {
    int32_t sType;
    const void *pNext;
    VkFlags flags;
    const VkApplicationInfo *pApplicationInfo;
    uint32_t enabledLayerCount;
    const char *const *ppEnabledLayerNames;
    uint32_t enabledExtensionCount;
    const char *const *ppEnabledExtensionNames;
} VkInstanceCreateInfo;

typedef struct VkPhysicalDeviceLimits {
    uint32_t maxImageDimension1D, maxImageDimension2D, maxImageDimension3D, maxImageDimensionCube,
        maxImageArrayLayers, maxTexelBufferElements, maxUniformBufferRange, maxStorageBufferRange,
        maxPushConstantsSize, maxMemoryAllocationCount, maxSamplerAllocationCount;
    VkDeviceSize bufferImageGranularity, sparseAddressSpaceSize;
    uint32_t maxBoundDescriptorSets, of_descriptors[15], of_vertices[5], of_tessellation[8], of_geometry[5],
        of_fragments[4]; /* groups of limits that Heddle does not read */
    uint32_t maxComputeSharedMemorySize, maxComputeWorkGroupCount[3],
        maxComputeWorkGroupInvocations, maxComputeWorkGroupSize[3];
    uint32_t subPixelPrecisionBits, subTexelPrecisionBits, mipmapPrecisionBits,
        maxDrawIndexedIndexValue, maxDrawIndirectCount;
    float maxSamplerLodBias, maxSamplerAnisotropy;
    uint32_t maxViewports, maxViewportDimensions[2];
    float viewportBoundsRange[2];
    uint32_t viewportSubPixelBits;
    size_t minMemoryMapAlignment;
    VkDeviceSize minTexelBufferOffsetAlignment, minUniformBufferOffsetAlignment,
        minStorageBufferOffsetAlignment;
    int32_t minTexelOffset;
    uint32_t maxTexelOffset;
    int32_t minTexelGatherOffset;
    uint32_t maxTexelGatherOffset;
    float minInterpolationOffset, maxInterpolationOffset;
    uint32_t of_framebuffers[15];
    VkBool32 timestampComputeAndGraphics;
    float timestampPeriod;
    uint32_t of_drawing[4];
    float of_points[6];
    VkBool32 strictLines, standardSampleLocations;
    VkDeviceSize optimalBufferCopyOffsetAlignment, optimalBufferCopyRowPitchAlignment,
        nonCoherentAtomSize;
} VkPhysicalDeviceLimits;
typedef struct VkPhysicalDeviceProperties {
    uint32_t apiVersion, driverVersion, vendorID, deviceID;
    int32_t deviceType;
    char deviceName[256];
    uint8_t pipelineCacheUUID[16];
    VkPhysicalDeviceLimits limits;
    VkBool32 sparse[5];
} VkPhysicalDeviceProperties;
_Static_assert(sizeof(VkPhysicalDeviceLimits) == 504, "as the specification lays it out");
_Static_assert(offsetof(VkPhysicalDeviceLimits, maxComputeSharedMemorySize) == 216, "likewise");
_Static_assert(offsetof(VkPhysicalDeviceLimits, timestampPeriod) == 424, "likewise");
_Static_assert(sizeof(VkPhysicalDeviceProperties) == 824, "likewise");

typedef struct VkPhysicalDeviceProperties2 {
    int32_t sType;
    void *pNext;
    VkPhysicalDeviceProperties properties;
} VkPhysicalDeviceProperties2;
typedef struct VkPhysicalDeviceSubgroupProperties {
    int32_t sType;
    void *pNext;
    uint32_t subgroupSize;
    VkFlags supportedStages, supportedOperations;
    VkBool32 quadOperationsInAllStages;
} VkPhysicalDeviceSubgroupProperties;
typedef struct VkPhysicalDeviceSubgroupSizeControlProperties {
    int32_t sType;
    void *pNext;
    uint32_t minSubgroupSize, maxSubgroupSize, maxComputeWorkgroupSubgroups;
    VkFlags requiredSubgroupSizeStages;
} VkPhysicalDeviceSubgroupSizeControlProperties;
typedef struct VkPhysicalDeviceSubgroupSizeControlFeatures {
    int32_t sType;
    void *pNext;
    VkBool32 subgroupSizeControl, computeFullSubgroups;
} VkPhysicalDeviceSubgroupSizeControlFeatures;
typedef struct VkPipelineShaderStageRequiredSubgroupSizeCreateInfo {
    int32_t sType;
    void *pNext;
    uint32_t requiredSubgroupSize;
} VkPipelineShaderStageRequiredSubgroupSizeCreateInfo;
typedef struct VkPhysicalDeviceShaderSMBuiltinsPropertiesNV {
    int32_t sType;
    void *pNext;
    uint32_t shaderSMCount, shaderWarpsPerSM;
} VkPhysicalDeviceShaderSMBuiltinsPropertiesNV;
typedef struct VkPhysicalDeviceMaintenance3Properties {
    int32_t sType;
    void *pNext;
    uint32_t maxPerSetDescriptors;
    VkDeviceSize maxMemoryAllocationSize;
} VkPhysicalDeviceMaintenance3Properties;
typedef struct VkPhysicalDeviceIDProperties {
    int32_t sType;
    void *pNext;
    uint8_t deviceUUID[16], driverUUID[16], deviceLUID[8];
    uint32_t deviceNodeMask, deviceLUIDValid;
} VkPhysicalDeviceIDProperties;
typedef struct VkPhysicalDeviceDriverProperties {
    int32_t sType;
    void *pNext;
    int32_t driverID;
    char driverName[256], driverInfo[256];
    uint8_t conformanceVersion[4];
} VkPhysicalDeviceDriverProperties;

/* Features are arrays of Booleans: the number of features, and the indices that Heddle reads. */
enum { VK_FEATURES = 55, VK_FEATURES_1_1 = 12, VK_FEATURES_1_2 = 47 };
enum { VK_FEATURE_ROBUST_BUFFERS = 0, VK_FEATURE_FLOAT64 = 39 };
enum {
    VK_FEATURE_1_1_PROTECTED = 9,
    VK_FEATURE_1_2_FLOAT16 = 7,
    VK_FEATURE_1_2_ADDRESS_CAPTURE = 39
};
typedef struct VkPhysicalDeviceFeatures2 {
    int32_t sType;
    void *pNext;
    VkBool32 features[VK_FEATURES];
} VkPhysicalDeviceFeatures2;
typedef struct VkPhysicalDeviceVulkan11Features {
    int32_t sType;
    void *pNext;
    VkBool32 features[VK_FEATURES_1_1];
} VkPhysicalDeviceVulkan11Features;
typedef struct VkPhysicalDeviceVulkan12Features {
    int32_t sType;
    void *pNext;
    VkBool32 features[VK_FEATURES_1_2];
} VkPhysicalDeviceVulkan12Features;

typedef struct VkQueueFamilyProperties {
    VkFlags queueFlags;
    uint32_t queueCount, timestampValidBits, minImageTransferGranularity[3];
} VkQueueFamilyProperties;
typedef struct VkPhysicalDeviceMemoryProperties {
    uint32_t memoryTypeCount;
    struct {
        VkFlags propertyFlags;
        uint32_t heapIndex;
    } memoryTypes[VK_MAX_MEMORY_TYPES];
    uint32_t memoryHeapCount;
    struct {
        VkDeviceSize size;
        VkFlags flags;
    } memoryHeaps[VK_MAX_MEMORY_HEAPS];
} VkPhysicalDeviceMemoryProperties;
typedef struct VkDeviceQueueCreateInfo {
    int32_t sType;
    const void *pNext;
    VkFlags flags;
    uint32_t queueFamilyIndex, queueCount;
    const float *pQueuePriorities;
} VkDeviceQueueCreateInfo;
typedef struct VkDeviceCreateInfo {
    int32_t sType;
    const void *pNext;
    VkFlags flags;
    uint32_t queueCreateInfoCount;
    const VkDeviceQueueCreateInfo *pQueueCreateInfos;
    uint32_t enabledLayerCount;
    const char *const *ppEnabledLayerNames;
    uint32_t enabledExtensionCount;
    const char *const *ppEnabledExtensionNames;
    const void *pEnabledFeatures;
} VkDeviceCreateInfo;

typedef struct VkMemoryRequirements {
    VkDeviceSize size, alignment;
    uint32_t memoryTypeBits;
} VkMemoryRequirements;
typedef struct VkMemoryAllocateInfo {
    int32_t sType;
    const void *pNext;
    VkDeviceSize allocationSize;
    uint32_t memoryTypeIndex;
} VkMemoryAllocateInfo;
typedef struct VkBufferCreateInfo {
    int32_t sType;
    const void *pNext;
    VkFlags flags;
    VkDeviceSize size;
    VkFlags usage;
    int32_t sharingMode;
    uint32_t queueFamilyIndexCount;
    const uint32_t *pQueueFamilyIndices;
} VkBufferCreateInfo;
typedef struct VkBufferCopy {
    VkDeviceSize srcOffset, dstOffset, size;
} VkBufferCopy;
typedef struct VkMemoryBarrier {
    int32_t sType;
    const void *pNext;
    VkFlags srcAccessMask, dstAccessMask;
} VkMemoryBarrier;

typedef struct VkFormatProperties {
    VkFlags linearTilingFeatures, optimalTilingFeatures, bufferFeatures;
} VkFormatProperties;
typedef struct VkImageCreateInfo {
    int32_t sType;
    const void *pNext;
    VkFlags flags;
    int32_t imageType, format;
    uint32_t width, height, depth, mipLevels, arrayLayers;
    int32_t samples, tiling;
    VkFlags usage;
    int32_t sharingMode;
    uint32_t queueFamilyIndexCount;
    const uint32_t *pQueueFamilyIndices;
    int32_t initialLayout;
} VkImageCreateInfo;
typedef struct VkImageSubresourceRange {
    VkFlags aspectMask;
    uint32_t baseMipLevel, levelCount, baseArrayLayer, layerCount;
} VkImageSubresourceRange;
typedef struct VkImageViewCreateInfo {
    int32_t sType;
    const void *pNext;
    VkFlags flags;
    VkImage image;
    int32_t viewType, format, components[4];
    VkImageSubresourceRange subresourceRange;
} VkImageViewCreateInfo;
typedef struct VkImageMemoryBarrier {
    int32_t sType;
    const void *pNext;
    VkFlags srcAccessMask, dstAccessMask;
    int32_t oldLayout, newLayout;
    uint32_t srcQueueFamilyIndex, dstQueueFamilyIndex;
    VkImage image;
    VkImageSubresourceRange subresourceRange;
} VkImageMemoryBarrier;
typedef struct VkBufferImageCopy {
    VkDeviceSize bufferOffset;
    uint32_t bufferRowLength, bufferImageHeight;
    VkFlags aspectMask;
    uint32_t mipLevel, baseArrayLayer, layerCount;
    int32_t imageOffset[3];
    uint32_t imageExtent[3];
} VkBufferImageCopy;
typedef struct VkSamplerCreateInfo {
    int32_t sType;
    const void *pNext;
    VkFlags flags;
    int32_t magFilter, minFilter, mipmapMode, addressModeU, addressModeV, addressModeW;
    float mipLodBias;
    VkBool32 anisotropyEnable;
    float maxAnisotropy;
    VkBool32 compareEnable;
    int32_t compareOp;
    float minLod, maxLod;
    int32_t borderColor;
    VkBool32 unnormalizedCoordinates;
} VkSamplerCreateInfo;

typedef struct VkShaderModuleCreateInfo {
    int32_t sType;
    const void *pNext;
    VkFlags flags;
    size_t codeSize;
    const uint32_t *pCode;
} VkShaderModuleCreateInfo;
typedef struct VkPipelineCacheCreateInfo {
    int32_t sType;
    const void *pNext;
    VkFlags flags;
    size_t initialDataSize;
    const void *pInitialData;
} VkPipelineCacheCreateInfo;
typedef struct VkSpecializationMapEntry {
    uint32_t constantID, offset;
    size_t size;
} VkSpecializationMapEntry;
typedef struct VkSpecializationInfo {
    uint32_t mapEntryCount;
    const VkSpecializationMapEntry *pMapEntries;
    size_t dataSize;
    const void *pData;
} VkSpecializationInfo;
typedef struct VkPipelineShaderStageCreateInfo {
    int32_t sType;
    const void *pNext;
    VkFlags flags;
    int32_t stage;
    VkShaderModule module;
    const char *pName;
    const VkSpecializationInfo *pSpecializationInfo;
} VkPipelineShaderStageCreateInfo;
typedef struct VkComputePipelineCreateInfo {
    int32_t sType;
    const void *pNext;
    VkFlags flags;
    VkPipelineShaderStageCreateInfo stage;
    VkPipelineLayout layout;
    VkPipeline basePipelineHandle;
    int32_t basePipelineIndex;
} VkComputePipelineCreateInfo;
typedef struct VkPushConstantRange {
    VkFlags stageFlags;
    uint32_t offset, size;
} VkPushConstantRange;
typedef struct VkPipelineLayoutCreateInfo {
    int32_t sType;
    const void *pNext;
    VkFlags flags;
    uint32_t setLayoutCount;
    const VkDescriptorSetLayout *pSetLayouts;
    uint32_t pushConstantRangeCount;
    const VkPushConstantRange *pPushConstantRanges;
} VkPipelineLayoutCreateInfo;

typedef struct VkDescriptorSetLayoutBinding {
    uint32_t binding;
    int32_t descriptorType;
    uint32_t descriptorCount;
    VkFlags stageFlags;
    const void *pImmutableSamplers;
} VkDescriptorSetLayoutBinding;
typedef struct VkDescriptorSetLayoutCreateInfo {
    int32_t sType;
    const void *pNext;
    VkFlags flags;
    uint32_t bindingCount;
    const VkDescriptorSetLayoutBinding *pBindings;
} VkDescriptorSetLayoutCreateInfo;
typedef struct VkDescriptorPoolSize {
    int32_t type;
    uint32_t descriptorCount;
} VkDescriptorPoolSize;
typedef struct VkDescriptorPoolCreateInfo {
    int32_t sType;
    const void *pNext;
    VkFlags flags;
    uint32_t maxSets, poolSizeCount;
    const VkDescriptorPoolSize *pPoolSizes;
} VkDescriptorPoolCreateInfo;
typedef struct VkDescriptorSetAllocateInfo {
    int32_t sType;
    const void *pNext;
    VkDescriptorPool descriptorPool;
    uint32_t descriptorSetCount;
    const VkDescriptorSetLayout *pSetLayouts;
} VkDescriptorSetAllocateInfo;
typedef struct VkDescriptorBufferInfo {
    VkBuffer buffer;
    VkDeviceSize offset, range;
} VkDescriptorBufferInfo;
typedef struct VkDescriptorImageInfo {
    VkSampler sampler;
    VkImageView imageView;
    int32_t imageLayout;
} VkDescriptorImageInfo;
typedef struct VkWriteDescriptorSet {
    int32_t sType;
    const void *pNext;
    VkDescriptorSet dstSet;
    uint32_t dstBinding, dstArrayElement, descriptorCount;
    int32_t descriptorType;
    const VkDescriptorImageInfo *pImageInfo;
    const VkDescriptorBufferInfo *pBufferInfo;
    const void *pTexelBufferView;
} VkWriteDescriptorSet;

typedef struct VkCommandPoolCreateInfo {
    int32_t sType;
    const void *pNext;
    VkFlags flags;
    uint32_t queueFamilyIndex;
} VkCommandPoolCreateInfo;
typedef struct VkCommandBufferAllocateInfo {
    int32_t sType;
    const void *pNext;
    VkCommandPool commandPool;
    int32_t level;
    uint32_t commandBufferCount;
} VkCommandBufferAllocateInfo;
typedef struct VkCommandBufferBeginInfo {
    int32_t sType;
    const void *pNext;
    VkFlags flags;
    const void *pInheritanceInfo;
} VkCommandBufferBeginInfo;
typedef struct VkSubmitInfo {
    int32_t sType;
    const void *pNext;
    uint32_t waitSemaphoreCount;
    const void *pWaitSemaphores;
    const VkFlags *pWaitDstStageMask;
    uint32_t commandBufferCount;
    const VkCommandBuffer *pCommandBuffers;
    uint32_t signalSemaphoreCount;
    const void *pSignalSemaphores;
} VkSubmitInfo;
typedef struct VkFenceCreateInfo {
    int32_t sType;
    const void *pNext;
    VkFlags flags;
} VkFenceCreateInfo;
typedef struct VkQueryPoolCreateInfo {
    int32_t sType;
    const void *pNext;
    VkFlags flags;
    int32_t queryType;
    uint32_t queryCount;
    VkFlags pipelineStatistics;
} VkQueryPoolCreateInfo;

/* X(result, name without "vk", parameters); the last parameter is the allocator, always NULL */
#define HED_VK_FUNCTIONS(X) \
    X(void, DestroyInstance, (VkInstance, const void *)) \
    X(VkResult, EnumeratePhysicalDevices, (VkInstance, uint32_t *, VkPhysicalDevice *)) \
    X(void, GetPhysicalDeviceProperties2, (VkPhysicalDevice, VkPhysicalDeviceProperties2 *)) \
    X(void, GetPhysicalDeviceFeatures2, (VkPhysicalDevice, VkPhysicalDeviceFeatures2 *)) \
    X(void, GetPhysicalDeviceQueueFamilyProperties, \
        (VkPhysicalDevice, uint32_t *, VkQueueFamilyProperties *)) \
    X(void, GetPhysicalDeviceMemoryProperties, \
        (VkPhysicalDevice, VkPhysicalDeviceMemoryProperties *)) \
    X(VkResult, CreateDevice, \
        (VkPhysicalDevice, const VkDeviceCreateInfo *, const void *, VkDevice *)) \
    X(void, DestroyDevice, (VkDevice, const void *)) \
    X(VkResult, DeviceWaitIdle, (VkDevice)) \
    X(void, GetDeviceQueue, (VkDevice, uint32_t, uint32_t, VkQueue *)) \
    X(VkResult, QueueSubmit, (VkQueue, uint32_t, const VkSubmitInfo *, VkFence)) \
    X(VkResult, CreateBuffer, (VkDevice, const VkBufferCreateInfo *, const void *, VkBuffer *)) \
    X(void, DestroyBuffer, (VkDevice, VkBuffer, const void *)) \
    X(void, GetBufferMemoryRequirements, (VkDevice, VkBuffer, VkMemoryRequirements *)) \
    X(VkResult, AllocateMemory, \
        (VkDevice, const VkMemoryAllocateInfo *, const void *, VkDeviceMemory *)) \
    X(void, FreeMemory, (VkDevice, VkDeviceMemory, const void *)) \
    X(VkResult, BindBufferMemory, (VkDevice, VkBuffer, VkDeviceMemory, VkDeviceSize)) \
    X(VkResult, MapMemory, \
        (VkDevice, VkDeviceMemory, VkDeviceSize, VkDeviceSize, VkFlags, void **)) \
    X(void, GetPhysicalDeviceFormatProperties, (VkPhysicalDevice, int32_t, VkFormatProperties *)) \
    X(VkResult, CreateImage, (VkDevice, const VkImageCreateInfo *, const void *, VkImage *)) \
    X(void, DestroyImage, (VkDevice, VkImage, const void *)) \
    X(void, GetImageMemoryRequirements, (VkDevice, VkImage, VkMemoryRequirements *)) \
    X(VkResult, BindImageMemory, (VkDevice, VkImage, VkDeviceMemory, VkDeviceSize)) \
    X(VkResult, CreateImageView, \
        (VkDevice, const VkImageViewCreateInfo *, const void *, VkImageView *)) \
    X(void, DestroyImageView, (VkDevice, VkImageView, const void *)) \
    X(VkResult, CreateSampler, (VkDevice, const VkSamplerCreateInfo *, const void *, VkSampler *)) \
    X(void, DestroySampler, (VkDevice, VkSampler, const void *)) \
    X(VkResult, CreateShaderModule, \
        (VkDevice, const VkShaderModuleCreateInfo *, const void *, VkShaderModule *)) \
    X(void, DestroyShaderModule, (VkDevice, VkShaderModule, const void *)) \
    X(VkResult, CreatePipelineCache, \
        (VkDevice, const VkPipelineCacheCreateInfo *, const void *, VkPipelineCache *)) \
    X(void, DestroyPipelineCache, (VkDevice, VkPipelineCache, const void *)) \
    X(VkResult, GetPipelineCacheData, (VkDevice, VkPipelineCache, size_t *, void *)) \
    X(VkResult, CreateComputePipelines, \
        (VkDevice, VkPipelineCache, uint32_t, const VkComputePipelineCreateInfo *, const void *, \
            VkPipeline *)) \
    X(void, DestroyPipeline, (VkDevice, VkPipeline, const void *)) \
    X(VkResult, CreatePipelineLayout, \
        (VkDevice, const VkPipelineLayoutCreateInfo *, const void *, VkPipelineLayout *)) \
    X(void, DestroyPipelineLayout, (VkDevice, VkPipelineLayout, const void *)) \
    X(VkResult, CreateDescriptorSetLayout, \
        (VkDevice, const VkDescriptorSetLayoutCreateInfo *, const void *, \
            VkDescriptorSetLayout *)) \
    X(void, DestroyDescriptorSetLayout, (VkDevice, VkDescriptorSetLayout, const void *)) \
    X(VkResult, CreateDescriptorPool, \
        (VkDevice, const VkDescriptorPoolCreateInfo *, const void *, VkDescriptorPool *)) \
    X(void, DestroyDescriptorPool, (VkDevice, VkDescriptorPool, const void *)) \
    X(VkResult, ResetDescriptorPool, (VkDevice, VkDescriptorPool, VkFlags)) \
    X(VkResult, AllocateDescriptorSets, \
        (VkDevice, const VkDescriptorSetAllocateInfo *, VkDescriptorSet *)) \
    X(void, UpdateDescriptorSets, \
        (VkDevice, uint32_t, const VkWriteDescriptorSet *, uint32_t, const void *)) \
    X(VkResult, CreateCommandPool, \
        (VkDevice, const VkCommandPoolCreateInfo *, const void *, VkCommandPool *)) \
    X(void, DestroyCommandPool, (VkDevice, VkCommandPool, const void *)) \
    X(VkResult, AllocateCommandBuffers, \
        (VkDevice, const VkCommandBufferAllocateInfo *, VkCommandBuffer *)) \
    X(VkResult, BeginCommandBuffer, (VkCommandBuffer, const VkCommandBufferBeginInfo *)) \
    X(VkResult, EndCommandBuffer, (VkCommandBuffer)) \
    X(void, CmdBindPipeline, (VkCommandBuffer, int32_t, VkPipeline)) \
    X(void, CmdBindDescriptorSets, \
        (VkCommandBuffer, int32_t, VkPipelineLayout, uint32_t, uint32_t, const VkDescriptorSet *, \
            uint32_t, const uint32_t *)) \
    X(void, CmdPushConstants, \
        (VkCommandBuffer, VkPipelineLayout, VkFlags, uint32_t, uint32_t, const void *)) \
    X(void, CmdDispatch, (VkCommandBuffer, uint32_t, uint32_t, uint32_t)) \
    X(void, CmdPipelineBarrier, \
        (VkCommandBuffer, VkFlags, VkFlags, VkFlags, uint32_t, const VkMemoryBarrier *, uint32_t, \
            const void *, uint32_t, const VkImageMemoryBarrier *)) \
    X(void, CmdCopyBufferToImage, \
        (VkCommandBuffer, VkBuffer, VkImage, int32_t, uint32_t, const VkBufferImageCopy *)) \
    X(void, CmdCopyImageToBuffer, \
        (VkCommandBuffer, VkImage, int32_t, VkBuffer, uint32_t, const VkBufferImageCopy *)) \
    X(void, CmdCopyBuffer, (VkCommandBuffer, VkBuffer, VkBuffer, uint32_t, const VkBufferCopy *)) \
    X(void, CmdFillBuffer, (VkCommandBuffer, VkBuffer, VkDeviceSize, VkDeviceSize, uint32_t)) \
    X(void, CmdUpdateBuffer, \
        (VkCommandBuffer, VkBuffer, VkDeviceSize, VkDeviceSize, const void *)) \
    X(void, CmdResetQueryPool, (VkCommandBuffer, VkQueryPool, uint32_t, uint32_t)) \
    X(void, CmdWriteTimestamp, (VkCommandBuffer, int32_t, VkQueryPool, uint32_t)) \
    X(VkResult, CreateQueryPool, \
        (VkDevice, const VkQueryPoolCreateInfo *, const void *, VkQueryPool *)) \
    X(void, DestroyQueryPool, (VkDevice, VkQueryPool, const void *)) \
    X(VkResult, GetQueryPoolResults, \
        (VkDevice, VkQueryPool, uint32_t, uint32_t, size_t, void *, VkDeviceSize, VkFlags)) \
    X(VkResult, CreateFence, (VkDevice, const VkFenceCreateInfo *, const void *, VkFence *)) \
    X(void, DestroyFence, (VkDevice, VkFence, const void *)) \
    X(VkResult, ResetFences, (VkDevice, uint32_t, const VkFence *)) \
    X(VkResult, GetFenceStatus, (VkDevice, VkFence)) \
    X(VkResult, WaitForFences, (VkDevice, uint32_t, const VkFence *, VkBool32, uint64_t))

typedef struct hed_vk_api {
#define HED_VK_MEMBER(result, name, parameters) result(*name) parameters;
    HED_VK_FUNCTIONS(HED_VK_MEMBER)
#undef HED_VK_MEMBER
} hed_vk_api;

#endif
