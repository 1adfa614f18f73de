/* vulkan_program SHADER.spv [template | push | pushed-template | pair | pair-template]: a program with Vulkan of its own, as others write
 * one: a buffer of 1,024 numbers, a pipeline with two constants, a dispatch of 32 groups by vkQueueSubmit2. The buffer is written into a
 * set, by a template, or pushed. "pair": a second buffer; the layout lists the later binding first, one write fills both, dynamic
 * offsets are added to offsets of the set, and push constants come in two calls. Exit 0: the results are right; 77: no Vulkan 1.3 here,
 * or no pushed descriptors. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/vulkan/vulkan_api.h"

enum {
    COUNT = 1024,
    BYTES = 4 * COUNT,
    GROUP = 32,
    OFFSET =
        256, /* bytes before what a set of "pair" has of its buffers; dynamic offsets are multiples of it */
    PADDED = COUNT + 3 * OFFSET / 4,
    TYPE_SUBMIT_2 = 1000314004,
    TYPE_COMMANDS = 1000314006,
    TYPE_FEATURES = 1000314007
};

typedef struct command_info {
    int32_t type;
    const void *next;
    VkCommandBuffer commands;
    uint32_t mask;
} command_info;
typedef struct submit_info {
    int32_t type;
    const void *next;
    VkFlags flags;
    uint32_t wait_count;
    const void *waits;
    uint32_t command_count;
    const command_info *commands;
    uint32_t signal_count;
    const void *signals;
} submit_info;

typedef struct template_entry {
    uint32_t binding, element, count;
    int32_t type;
    size_t offset, stride;
} template_entry;
typedef struct template_info {
    int32_t type;
    const void *next;
    VkFlags flags;
    uint32_t entry_count;
    const template_entry *entries;
    int32_t kind;
    VkDescriptorSetLayout set_layout;
    int32_t point;
    VkPipelineLayout layout;
    uint32_t set;
} template_info;

static hed_vk_api vk;
static void *(*get_function)(VkDevice, const char *);
static VkPhysicalDevice physical;
static VkDevice device;
static VkQueue queue;
static bool is_pair, has_template, pushes; /* the way in which buffers are bound */

#define MUST(call) \
    do { \
        VkResult result = (call); \
        if (result) { \
            fprintf(stderr, "%s: %d\n", #call, result); \
            exit(1); \
        } \
    } while (0)

static void open_device(void)
{
    void *library = dlopen("libvulkan.so.1", RTLD_NOW);
    void *(*get)(VkInstance, const char *) =
        library ? (void *(*)(VkInstance, const char *))dlsym(library, "vkGetInstanceProcAddr")
                : NULL;
    if (!get) exit(77);
    get_function = (void *(*)(VkDevice, const char *))dlsym(library, "vkGetDeviceProcAddr");
    VkResult (*create)(const VkInstanceCreateInfo *, const void *, VkInstance *) = (VkResult(*)(
        const VkInstanceCreateInfo *, const void *, VkInstance *))get(NULL, "vkCreateInstance");
    const VkApplicationInfo application = {.apiVersion = VK_API_VERSION_1_3};
    const VkInstanceCreateInfo info = {
        .sType = VK_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application};
    VkInstance instance;
    if (create(&info, NULL, &instance)) exit(77);
#define TAKE(result, name, parameters) vk.name = (result(*) parameters)get(instance, "vk" #name);
    HED_VK_FUNCTIONS(TAKE)
    uint32_t count = 1;
    if (vk.EnumeratePhysicalDevices(instance, &count, &physical) < 0 || !count) exit(77);
    const float priority = 1;
    const struct {
        int32_t type;
        const void *next;
        VkBool32 has_submit_2;
    } features = {TYPE_FEATURES, NULL, 1};
    const VkDeviceQueueCreateInfo queues = {
        .sType = VK_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
    static const char *const extension = "VK_KHR_push_descriptor";
    const VkDeviceCreateInfo def = {.sType = VK_TYPE_DEVICE_CREATE_INFO,
        .pNext = &features,
        .queueCreateInfoCount = 1,
        .pQueueCreateInfos = &queues,
        .enabledExtensionCount = pushes,
        .ppEnabledExtensionNames = &extension};
    if (vk.CreateDevice(physical, &def, NULL, &device)) exit(77);
    vk.GetDeviceQueue(device, 0, 0, &queue);
}

/* First type of memory of `allowed` that the host sees without flushes. */
static uint32_t host_type(uint32_t allowed)
{
    const VkFlags wanted = VK_MEMORY_HOST_VISIBLE_BIT | VK_MEMORY_HOST_COHERENT_BIT;
    VkPhysicalDeviceMemoryProperties memory;
    vk.GetPhysicalDeviceMemoryProperties(physical, &memory);
    for (uint32_t i = 0; i < memory.memoryTypeCount; i++)
        if (allowed >> i & 1 && (memory.memoryTypes[i].propertyFlags & wanted) == wanted) return i;
    fprintf(stderr, "no memory that the host sees\n");
    exit(1);
}

/* Creates a buffer in memory that the host sees: `first` + i at i. */
static float *make_buffer(VkBuffer *buffer, float first)
{
    const VkBufferCreateInfo info = {.sType = VK_TYPE_BUFFER_CREATE_INFO,
        .size = 4 * PADDED,
        .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
    VkMemoryRequirements needed;
    VkDeviceMemory memory;
    void *host;
    MUST(vk.CreateBuffer(device, &info, NULL, buffer));
    vk.GetBufferMemoryRequirements(device, *buffer, &needed);
    const VkMemoryAllocateInfo size = {.sType = VK_TYPE_MEMORY_ALLOCATE_INFO,
        .allocationSize = needed.size,
        .memoryTypeIndex = host_type(needed.memoryTypeBits)};
    MUST(vk.AllocateMemory(device, &size, NULL, &memory));
    MUST(vk.BindBufferMemory(device, *buffer, memory, 0));
    MUST(vk.MapMemory(device, memory, 0, VK_WHOLE_SIZE, 0, &host));
    for (int i = 0; i < PADDED; i++) ((float *)host)[i] = first + (float)i;
    return host;
}

static int32_t descriptor_type(void)
{
    enum { STORAGE_DYNAMIC = 9 };
    return is_pair ? STORAGE_DYNAMIC : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
}

static VkPipeline make_pipeline(
    const char *path, VkPipelineLayout *layout, VkDescriptorSetLayout *set)
{
    static uint32_t words[1 << 16];
    static const struct {
        uint32_t group;
        float gain;
    } constants = {GROUP, 3};
    FILE *file = fopen(path, "rb");
    size_t size = file ? fread(words, 1, sizeof words, file) : 0;
    const VkDescriptorSetLayoutBinding bindings[] = {
        {1, descriptor_type(), 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL},
        {0, descriptor_type(), 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL}};
    const VkDescriptorSetLayoutCreateInfo sets = {
        .sType = VK_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
        .flags = pushes, /* VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT is 1 */
        .bindingCount = 1 + is_pair,
        .pBindings = bindings + !is_pair};
    MUST(vk.CreateDescriptorSetLayout(device, &sets, NULL, set));
    const VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, 8};
    const VkPipelineLayoutCreateInfo def = {.sType = VK_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
        .setLayoutCount = 1,
        .pSetLayouts = set,
        .pushConstantRangeCount = 1,
        .pPushConstantRanges = &range};
    MUST(vk.CreatePipelineLayout(device, &def, NULL, layout));
    const VkShaderModuleCreateInfo code = {
        .sType = VK_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = size, .pCode = words};
    VkShaderModule module;
    MUST(vk.CreateShaderModule(device, &code, NULL, &module));
    const VkSpecializationMapEntry entries[] = {{0, 0, 4}, {1, 4, 4}};
    const VkSpecializationInfo special = {2, entries, sizeof constants, &constants};
    const VkComputePipelineCreateInfo info = {.sType = VK_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = {.sType = VK_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
            .stage = VK_SHADER_STAGE_COMPUTE_BIT,
            .module = module,
            .pName = "main",
            .pSpecializationInfo = &special},
        .layout = *layout};
    VkPipeline pipeline;
    MUST(vk.CreateComputePipelines(device, NULL, 1, &info, NULL, &pipeline));
    vk.DestroyShaderModule(device, module, NULL);
    return pipeline;
}

static VkDescriptorSet make_set(VkDescriptorSetLayout layout)
{
    const VkDescriptorPoolSize size = {descriptor_type(), 1 + is_pair};
    const VkDescriptorPoolCreateInfo def = {.sType = VK_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
        .maxSets = 1,
        .poolSizeCount = 1,
        .pPoolSizes = &size};
    VkDescriptorPool pool;
    VkDescriptorSet set;
    MUST(vk.CreateDescriptorPool(device, &def, NULL, &pool));
    const VkDescriptorSetAllocateInfo info = {.sType = VK_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
        .descriptorPool = pool,
        .descriptorSetCount = 1,
        .pSetLayouts = &layout};
    MUST(vk.AllocateDescriptorSets(device, &info, &set));
    return set;
}

/* Data of a template: buffers that are 40 bytes apart, 8 bytes after the start. */
typedef struct template_data {
    uint64_t before;
    struct {
        VkDescriptorBufferInfo buffer;
        uint64_t after[2];
    } at[2];
} template_data;

static void *make_template(VkPipelineLayout layout, VkDescriptorSetLayout set_layout)
{
    enum { TYPE_TEMPLATE = 1000085000 };
    const template_entry entry = {.count = 1 + is_pair,
        .type = descriptor_type(),
        .offset = offsetof(template_data, at),
        .stride = sizeof((template_data *)NULL)->at[0]};
    const template_info info = {.type = TYPE_TEMPLATE,
        .entry_count = 1,
        .entries = &entry,
        .kind = pushes,
        .set_layout = set_layout,
        .point = VK_PIPELINE_BIND_POINT_COMPUTE,
        .layout = layout};
    VkResult (*create)(VkDevice, const template_info *, const void *, void **) =
        (VkResult(*)(VkDevice, const template_info *, const void *, void **))get_function(
            device, "vkCreateDescriptorUpdateTemplate");
    void *template;
    MUST(create(device, &info, NULL, &template));
    return template;
}

/* Pushes the buffer. */
static void push_buffer(VkCommandBuffer commands, VkPipelineLayout layout, void *template,
    const template_data *data, const VkWriteDescriptorSet *write)
{
    void (*push)(VkCommandBuffer, int32_t, VkPipelineLayout, uint32_t, uint32_t,
        const VkWriteDescriptorSet *) =
        (void (*)(VkCommandBuffer, int32_t, VkPipelineLayout, uint32_t, uint32_t,
            const VkWriteDescriptorSet *))get_function(device, "vkCmdPushDescriptorSetKHR");
    void (*push_template)(VkCommandBuffer, void *, VkPipelineLayout, uint32_t, const void *) =
        (void (*)(VkCommandBuffer, void *, VkPipelineLayout, uint32_t, const void *))get_function(
            device, "vkCmdPushDescriptorSetWithTemplateKHR");
    if (template) push_template(commands, template, layout, 0, data);
    else push(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, write);
}

static void bind_buffers(VkCommandBuffer commands, const VkBuffer buffers[2],
    VkPipelineLayout layout, VkDescriptorSetLayout set_layout)
{
    static const uint32_t offsets[] = {OFFSET, 2 * OFFSET};
    template_data data = {0};
    VkDescriptorBufferInfo infos[2];
    for (int i = 0; i < 2; i++) {
        infos[i] = (VkDescriptorBufferInfo){buffers[i], is_pair ? OFFSET : 0, BYTES};
        data.at[i].buffer = infos[i];
    }
    VkDescriptorSet set = pushes ? NULL : make_set(set_layout);
    void *template = has_template ? make_template(layout, set_layout) : NULL;
    const VkWriteDescriptorSet write = {.sType = VK_TYPE_WRITE_DESCRIPTOR_SET,
        .dstSet = set,
        .descriptorCount = 1 + is_pair, /* the second one goes to the next binding */
        .descriptorType = descriptor_type(),
        .pBufferInfo = infos};
    void (*update)(VkDevice, VkDescriptorSet, void *, const void *) =
        (void (*)(VkDevice, VkDescriptorSet, void *, const void *))get_function(
            device, "vkUpdateDescriptorSetWithTemplate");
    if (pushes) {
        push_buffer(commands, layout, template, &data, &write);
        return;
    }
    if (has_template) update(device, set, template, &data);
    else vk.UpdateDescriptorSets(device, 1, &write, 0, NULL);
    vk.CmdBindDescriptorSets(
        commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, is_pair ? 2 : 0, offsets);
}

/* Pushes the number of items, and of "pair" a term of each, which replaces one that came with the number. */
static void push_numbers(VkCommandBuffer commands, VkPipelineLayout layout)
{
    const struct {
        uint32_t n;
        float term;
    } first = {COUNT, 5};
    const float term = 7;
    vk.CmdPushConstants(commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, is_pair ? 8 : 4, &first);
    if (is_pair) vk.CmdPushConstants(commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 4, 4, &term);
}

/* Exit code of the program. */
static int compare(const float *values)
{
    const int begin = is_pair ? 2 * OFFSET / 4 : 0, further = 3 * OFFSET / 4;
    for (int i = 0; i < COUNT; i++) {
        int expected = 3 * (begin + i + 1) + (is_pair ? further + i + 10000 + 7 : 0);
        if (values[begin + i] == (float)expected) continue;
        fprintf(stderr, "element %d is %g instead of %d\n", i, (double)values[begin + i], expected);
        return 1;
    }
    return 0;
}

int main(int count, char **words)
{
    VkBuffer buffers[2];
    VkPipelineLayout layout;
    VkDescriptorSetLayout set_layout;
    VkCommandPool pool;
    VkCommandBuffer commands;
    if (count < 2) return 2;
    const char *way = count > 2 ? words[2] : "";
    pushes = strncmp(way, "push", 4) == 0;
    is_pair = strncmp(way, "pair", 4) == 0;
    has_template = strstr(way, "template") != NULL;
    open_device();
    const float *values = make_buffer(&buffers[0], 1);
    make_buffer(&buffers[1], 10000);
    VkPipeline pipeline = make_pipeline(words[1], &layout, &set_layout);
    const VkCommandPoolCreateInfo pools = {.sType = VK_TYPE_COMMAND_POOL_CREATE_INFO};
    MUST(vk.CreateCommandPool(device, &pools, NULL, &pool));
    const VkCommandBufferAllocateInfo one = {.sType = VK_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = pool,
        .commandBufferCount = 1};
    MUST(vk.AllocateCommandBuffers(device, &one, &commands));
    const VkCommandBufferBeginInfo begin = {.sType = VK_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    MUST(vk.BeginCommandBuffer(commands, &begin));
    vk.CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    bind_buffers(commands, buffers, layout, set_layout);
    push_numbers(commands, layout);
    vk.CmdDispatch(commands, COUNT / GROUP, 1, 1);
    MUST(vk.EndCommandBuffer(commands));
    VkResult (*submit)(VkQueue, uint32_t, const submit_info *, VkFence) = (VkResult(*)(
        VkQueue, uint32_t, const submit_info *, VkFence))get_function(device, "vkQueueSubmit2");
    if (!submit) return 77;
    const command_info list = {.type = TYPE_COMMANDS, .commands = commands};
    const submit_info work = {.type = TYPE_SUBMIT_2, .command_count = 1, .commands = &list};
    MUST(submit(queue, 1, &work, NULL));
    MUST(vk.DeviceWaitIdle(device));
    return compare(values); /* without destroying anything, as programs end */
}
