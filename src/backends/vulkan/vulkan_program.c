/* Programs: a pipeline of specialized SPIR-V. The cache stores the module and the driver's own data
 * for the pipeline of this configuration; a driver may ignore the data. */
#include "backends/vulkan/vulkan.h"
#include "base/signature.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct program_header {
    char magic[8];
    uint64_t words, data; /* bytes of the module, and of the driver's data after it */
} program_header;
static const char program_magic[8] = "HEDSPV1";

hed_status hed_vulkan_build_options(const hed_build *build, char *text, size_t size)
{
    int used = snprintf(text, size, "vulkan1.1 %s", hed_language_name(build->language));
    for (uint32_t i = 0; i < build->def->option_count && (size_t)used < size; i++)
        used += snprintf(text + used, size - (size_t)used, " %s", build->def->options[i]);
    return (size_t)used < size ? HED_OK : HED_ERROR_LIMIT;
}

/* ---- constants ---- */

/* Finds a constant by name; in a module without names, "constant_3" is the constant of SpecId 3. */
static int program_find_constant(const hed_shader *shader, const char *name)
{
    char by_id[32];
    for (uint32_t i = 0; i < shader->constant_count; i++) {
        snprintf(by_id, sizeof by_id, "constant_%u", shader->constants[i].id);
        if (strcmp(shader->constants[i].name, name) == 0 || strcmp(by_id, name) == 0) return (int)i;
    }
    return -1;
}

/* Assigns every constant a value: local_size_x_id and a constant of that id may have different
 * defaults. Parameters of SPIR-V must exist as constants; GLSL's may be macros. */
static hed_status program_values(const hed_build *build, const hed_shader *shader,
    hed_shader_value values[HED_SHADER_CONSTANTS], hed_error *error)
{
    for (uint32_t i = 0; i < shader->constant_count; i++)
        values[i] = (hed_shader_value){shader->constants[i].id, shader->constants[i].value};
    for (uint32_t i = 0; i < build->define_count; i++) {
        long long value;
        const char *name = build->defines[i].name;
        int index = program_find_constant(shader, name);
        if (index >= 0 && sscanf(build->defines[i].value, "%lld", &value) == 1)
            values[index].value = value;
        if (index < 0 && build->language == HED_SPIRV && i < build->def->parameter_count &&
            strcmp(name, HED_SUBGROUP_SIZE) != 0) {
            char names[512] = "none";
            size_t used = 0;
            for (uint32_t j = 0; j < shader->constant_count && used < sizeof names - 80; j++)
                used += (size_t)snprintf(names + used, sizeof names - used, "%s%s (id %u)",
                    j ? ", " : "", shader->constants[j].name, shader->constants[j].id);
            return hed_fail(error, HED_ERROR_BUILD,
                "%s: its SPIR-V has no specialization constant named \"%s\"; it has %s (where a "
                "compiler has left the names out, constant_0 is the one of id 0)",
                build->def->name, name, names);
        }
    }
    return HED_OK;
}

/* Writes a constant in the module's type, 4 or 8 bytes; returns its size. */
static size_t program_put_constant(hed_type type, int64_t value, unsigned char *to)
{
    int32_t narrow = (int32_t)value;
    float real = (float)value;
    double wide = (double)value;
    if (type == HED_FLOAT) memcpy(to, &real, 4);
    else if (type == HED_DOUBLE) memcpy(to, &wide, 8);
    else if (type == HED_INT64 || type == HED_UINT64) memcpy(to, &value, 8);
    else memcpy(to, &narrow, 4);
    return type == HED_BYTES ? 4 : hed_type_bytes(type);
}

/* ---- subgroups ---- */

/* Reads the width of a subgroup that the configuration requests; 0: the driver's choice. */
static hed_status program_width(
    const hed_build *build, const hed_shader *shader, uint32_t *width, hed_error *error)
{
    const hed_device_info *info = &build->device->info;
    const VkPhysicalDeviceSubgroupSizeControlProperties *has =
        &hed_vulkan_of(build->device)->widths;
    uint64_t items = (uint64_t)shader->group[0] * shader->group[1] * shader->group[2];
    *width = 0;
    for (uint32_t i = 0; i < build->define_count; i++)
        if (strcmp(build->defines[i].name, HED_SUBGROUP_SIZE) == 0)
            *width = (uint32_t)strtoul(build->defines[i].value, NULL, 10);
    if (!*width) return HED_OK;
    if (*width < has->minSubgroupSize || *width > has->maxSubgroupSize || (*width & (*width - 1)))
        return hed_fail(error, HED_ERROR_LIMIT,
            "%s: %s is %u; expected a power of two from %u to %u, which %s (%s) has (0 to 0: Vulkan before "
            "1.3)",
            build->def->name, HED_SUBGROUP_SIZE, *width, has->minSubgroupSize, has->maxSubgroupSize,
            info->id, info->name);
    uint32_t limit = has->maxComputeWorkgroupSubgroups;
    if (items > (uint64_t)*width * limit)
        return hed_fail(error, HED_ERROR_LIMIT,
            "%s: a group of %llu work items has over %u subgroups of %u; expected at most %u on %s (%s)",
            build->def->name, (unsigned long long)items, limit, *width, limit, info->id,
            info->name);
    return HED_OK;
}

/* ---- limits ---- */

/* Checks limits that drivers do not check, and crash on. */
static hed_status program_check_limits(
    const hed_build *build, const hed_shader *shader, hed_error *error)
{
    const hed_device_info *info = &build->device->info;
    const uint32_t *group = shader->group;
    uint64_t items = (uint64_t)group[0] * group[1] * group[2];
    bool over = items > info->max_group;
    for (int i = 0; i < 3; i++) over = over || group[i] > info->max_group_size[i];
    if (over)
        return hed_fail(error, HED_ERROR_LIMIT,
            "%s: a group of %u x %u x %u work items: %s (%s) allows %u x %u x %u and %u in all",
            build->def->name, group[0], group[1], group[2], info->id, info->name,
            info->max_group_size[0], info->max_group_size[1], info->max_group_size[2],
            info->max_group);
    if (shader->local_bytes > info->local_bytes)
        return hed_fail(error, HED_ERROR_LIMIT, "%s: %llu bytes of shared memory: %s (%s) has %llu",
            build->def->name, (unsigned long long)shader->local_bytes, info->id, info->name,
            (unsigned long long)info->local_bytes);
    if (shader->member_bytes > hed_vulkan_of(build->device)->push_bytes)
        return hed_fail(error, HED_ERROR_LIMIT, "%s: %u bytes of push constants: %s takes %u",
            build->def->name, shader->member_bytes, info->id,
            hed_vulkan_of(build->device)->push_bytes);
    return HED_OK;
}

/* ---- arguments ---- */

static int program_find_member(const hed_kernel_def *def, const hed_shader *shader, uint32_t index)
{
    uint32_t place = 0;
    for (uint32_t j = 0; j < shader->member_count; j++)
        if (strcmp(shader->members[j].name, def->arguments[index].name) == 0) return (int)j;
    for (uint32_t i = 0; i < index; i++)
        place += def->arguments[i].kind == HED_SCALAR || def->arguments[i].kind == HED_STRUCT;
    return place < shader->member_count ? (int)place : -1;
}

static hed_status program_bind_scalar(const hed_kernel_def *def, const hed_shader *shader,
    uint32_t index, vulkan_program *impl, hed_error *error)
{
    const hed_argument_def *argument = &def->arguments[index];
    bool is_struct = argument->kind == HED_STRUCT;
    int member = program_find_member(def, shader, index);
    uint32_t size = is_struct ? (uint32_t)argument->size : hed_type_bytes(argument->type);
    if (is_struct && size == shader->member_bytes) { /* the struct is the whole block */
        impl->pushes[index].used = true;
        impl->pushes[index].size = size;
        return HED_OK;
    }
    if (member < 0 || shader->members[member].size != size)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "%s: argument %u \"%s\" has %u bytes; the shader's push constants have %u members and "
            "%u bytes, and none of that name and size",
            def->name, index, argument->name, size, shader->member_count, shader->member_bytes);
    static const char *const words[HED_TYPE_COUNT] = {
        "", "int", "uint", "long", "ulong", "float", "double"};
    const char *type = words[shader->members[member].type];
    const hed_signature signature = {.def = def, .language = HED_SPIRV, .entry = "main"};
    if (type[0] && hed_signature_compare(&signature, index, type, strlen(type), error))
        return HED_ERROR_ARGUMENT;
    impl->pushes[index].used = true;
    impl->pushes[index].offset = shader->members[member].offset;
    impl->pushes[index].size = size;
    return HED_OK;
}

/* Checks sets and bindings, on which drivers crash. */
static hed_status program_check_bindings(
    const hed_kernel_def *def, const hed_shader *shader, uint32_t sets, hed_error *error)
{
    for (uint32_t i = 0; i < shader->binding_count; i++) {
        const hed_shader_binding *of = &shader->bindings[i];
        if (of->set >= sets)
            return hed_fail(error, HED_ERROR_UNSUPPORTED,
                "%s: buffer \"%s\" is in set %u; expected sets below %u", def->name, of->name,
                of->set, sets);
        if (of->binding >= VULKAN_MOST_BINDING)
            return hed_fail(error, HED_ERROR_UNSUPPORTED,
                "%s: \"%s\" has binding %u; expected numbers below %d: drivers make tables of them",
                def->name, of->name, of->binding, VULKAN_MOST_BINDING);
        if (i && of[-1].set == of->set && of[-1].binding == of->binding)
            return hed_fail(error, HED_ERROR_UNSUPPORTED,
                "%s: \"%s\" and \"%s\" have binding %u of set %u and different kinds; expected one kind for each "
                "binding",
                def->name, of[-1].name, of->name, of->binding, of->set);
    }
    return HED_OK;
}

static hed_status program_bind(
    const hed_kernel_def *def, const hed_shader *shader, vulkan_program *impl, hed_error *error)
{
    hed_status status = HED_OK;
    if (shader->opengl)
        return hed_fail(error, HED_ERROR_UNSUPPORTED,
            "%s: uniform \"%s\" is outside of a block, as in OpenGL; expected scalars as push "
            "constants",
            def->name, shader->members[0].name);
    for (uint32_t i = 0; i < shader->binding_count && !status; i++) {
        impl->set_count = shader->bindings[i].set + 1; /* sorted by set */
        impl->has_images = impl->has_images || shader->bindings[i].resource;
    }
    for (uint32_t i = 0; i < def->argument_count && !status; i++)
        if (def->arguments[i].kind == HED_SCALAR || def->arguments[i].kind == HED_STRUCT)
            status = program_bind_scalar(def, shader, i, impl, error);
    impl->binding_count = shader->binding_count;
    return status ? status
                  : hed_shader_bind(
                        def, shader->bindings, shader->binding_count, impl->bindings, error);
}

/* ---- pipelines ---- */

static hed_status program_make_set(
    hed_device *device, vulkan_program *impl, uint32_t set, hed_error *error)
{
    const vulkan_device *of = hed_vulkan_of(device);
    VkDescriptorSetLayoutBinding bindings[HED_SHADER_BINDINGS] = {{0}};
    uint32_t count = 0;
    for (uint32_t i = 0; i < impl->binding_count; i++)
        if (impl->bindings[i].set == set)
            bindings[count++] = (VkDescriptorSetLayoutBinding){.binding = impl->bindings[i].binding,
                .descriptorType = hed_vulkan_descriptor(&impl->bindings[i]),
                .descriptorCount = 1,
                .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
    const VkDescriptorSetLayoutCreateInfo info = {
        .sType = VK_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
        .bindingCount = count,
        .pBindings = bindings};
    VkResult result =
        of->api->CreateDescriptorSetLayout(of->device, &info, NULL, &impl->set_layouts[set]);
    return hed_vulkan_check(device, result, "vkCreateDescriptorSetLayout", "a kernel", error);
}

static hed_status program_make_layouts(hed_device *device, vulkan_program *impl, hed_error *error)
{
    const vulkan_device *of = hed_vulkan_of(device);
    hed_status status = HED_OK;
    for (uint32_t i = 0; i < impl->set_count && !status; i++)
        status = program_make_set(device, impl, i, error);
    if (status) return status;
    const VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, impl->push_bytes};
    const VkPipelineLayoutCreateInfo layout = {.sType = VK_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
        .setLayoutCount = impl->set_count,
        .pSetLayouts = impl->set_layouts,
        .pushConstantRangeCount = impl->push_bytes ? 1 : 0,
        .pPushConstantRanges = &range};
    VkResult result = of->api->CreatePipelineLayout(of->device, &layout, NULL, &impl->layout);
    return hed_vulkan_check(device, result, "vkCreatePipelineLayout", "a kernel", error);
}

static hed_status program_make_pipeline(const hed_build *build, const hed_shader *shader,
    const hed_shader_value *values, const void *words, size_t size, VkPipelineCache cache,
    vulkan_program *impl, hed_error *error)
{
    const vulkan_device *of = hed_vulkan_of(build->device);
    VkPipelineShaderStageRequiredSubgroupSizeCreateInfo required = {
        .sType = VK_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO};
    hed_status status = program_width(build, shader, &required.requiredSubgroupSize, error);
    if (status) return status;
    VkSpecializationMapEntry entries[HED_SHADER_CONSTANTS];
    unsigned char data[8 * HED_SHADER_CONSTANTS] = {0};
    VkShaderModule module = NULL;
    for (uint32_t i = 0; i < shader->constant_count; i++)
        entries[i] = (VkSpecializationMapEntry){values[i].id, 8 * i,
            program_put_constant(shader->constants[i].type, values[i].value, data + 8 * i)};
    const VkSpecializationInfo special = {
        shader->constant_count, entries, 8 * (size_t)shader->constant_count, data};
    const VkShaderModuleCreateInfo code = {
        .sType = VK_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = size, .pCode = words};
    VkResult result = of->api->CreateShaderModule(of->device, &code, NULL, &module);
    if (result)
        return hed_vulkan_check(
            build->device, result, "vkCreateShaderModule", build->def->name, error);
    const VkComputePipelineCreateInfo info = {.sType = VK_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = {.sType = VK_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
            .pNext = required.requiredSubgroupSize ? &required : NULL,
            .stage = VK_SHADER_STAGE_COMPUTE_BIT,
            .module = module,
            .pName = build->entry,
            .pSpecializationInfo = &special},
        .layout = impl->layout};
    result = of->api->CreateComputePipelines(of->device, cache, 1, &info, NULL, &impl->pipeline);
    of->api->DestroyShaderModule(of->device, module, NULL);
    return hed_vulkan_check(
        build->device, result, "vkCreateComputePipelines", build->def->name, error);
}

static void program_destroy(const hed_device *device, const vulkan_program *freed)
{
    const vulkan_device *of = hed_vulkan_of(device);
    if (freed->pipeline) of->api->DestroyPipeline(of->device, freed->pipeline, NULL);
    if (freed->layout) of->api->DestroyPipelineLayout(of->device, freed->layout, NULL);
    for (uint32_t i = 0; i < freed->set_count; i++)
        if (freed->set_layouts[i])
            of->api->DestroyDescriptorSetLayout(of->device, freed->set_layouts[i], NULL);
}

/* Creates all objects of a program; `words` are aligned. A failure leaves nothing to free. */
static hed_status program_make(const hed_build *build, const void *words, size_t size,
    VkPipelineCache cache, vulkan_program *impl, hed_shader *shader, hed_error *error)
{
    const hed_allocator *allocator = &build->device->settings->allocator;
    hed_shader_value values[HED_SHADER_CONSTANTS];
    *impl = (vulkan_program){.serial = hed_vulkan_serial(hed_vulkan_of(build->device))};
    hed_status status =
        hed_shader_read_spirv(words, size, build->entry, NULL, 0, allocator, shader, error);
    if (status == HED_ERROR_FORMAT) { /* the text is wrong, not the cache */
        status = HED_ERROR_BUILD;
        if (error) error->status = status;
    }
    if (!status) status = program_values(build, shader, values, error);
    if (!status)
        status = hed_shader_read_spirv(
            words, size, build->entry, values, shader->constant_count, allocator, shader, error);
    if (!status) status = program_check_limits(build, shader, error);
    if (!status)
        status =
            program_check_bindings(build->def, shader, hed_vulkan_of(build->device)->sets, error);
    if (!status) status = program_bind(build->def, shader, impl, error);
    if (status) return status;
    memcpy(impl->group, shader->group, sizeof impl->group);
    impl->push_bytes = (shader->member_bytes + 3) & ~3u;
    status = program_make_layouts(build->device, impl, error);
    if (!status)
        status = program_make_pipeline(build, shader, values, words, size, cache, impl, error);
    if (status) program_destroy(build->device, impl);
    return status;
}

static hed_status program_make_cache(
    hed_device *device, const void *data, size_t size, VkPipelineCache *cache, hed_error *error)
{
    const vulkan_device *of = hed_vulkan_of(device);
    const VkPipelineCacheCreateInfo info = {
        .sType = VK_TYPE_PIPELINE_CACHE_CREATE_INFO, .initialDataSize = size, .pInitialData = data};
    VkResult result = of->api->CreatePipelineCache(of->device, &info, NULL, cache);
    return hed_vulkan_check(device, result, "vkCreatePipelineCache", "a kernel", error);
}

/* ---- building and loading ---- */

static hed_status program_pack(const hed_build *build, const void *words, size_t size,
    VkPipelineCache cache, hed_binary *binary, hed_error *error)
{
    const vulkan_device *of = hed_vulkan_of(build->device);
    size_t data = 0;
    if (of->api->GetPipelineCacheData(of->device, cache, &data, NULL)) data = 0;
    size_t packed_bytes = sizeof(program_header) + size + data;
    char *bytes = hed_allocate(&of->driver->allocator, packed_bytes);
    if (!bytes) return HED_OUT_OF_MEMORY(error, "the program of %s", build->def->name);
    if (data && of->api->GetPipelineCacheData(
                    of->device, cache, &data, bytes + sizeof(program_header) + size))
        data = 0;
    program_header header = {.words = size, .data = packed_bytes - sizeof header - size};
    if (!data) header.data = 0;
    memcpy(header.magic, program_magic, sizeof header.magic);
    memcpy(bytes, &header, sizeof header);
    memcpy(bytes + sizeof header, words, size);
    binary->bytes = bytes;
    binary->size = packed_bytes;
    return HED_OK;
}

/* Copies the words to aligned memory: a user's SPIR-V may have any address. */
static hed_status program_align(
    const hed_build *build, const void *words, size_t size, void **aligned, hed_error *error)
{
    *aligned = hed_allocate(&build->device->settings->allocator, size);
    if (!*aligned) return HED_OUT_OF_MEMORY(error, "the words of %s", build->def->name);
    memcpy(*aligned, words, size);
    return HED_OK;
}

hed_status hed_vulkan_build(const hed_build *build, hed_binary *binary, hed_error *error)
{
    const vulkan_device *of = hed_vulkan_of(build->device);
    const void *text = NULL;
    size_t size = 0;
    VkPipelineCache cache = NULL;
    vulkan_program impl;
    hed_shader shader;
    void *words = NULL;
    hed_status status = hed_vulkan_words(build, &text, &size, error);
    if (!status) status = program_align(build, text, size, &words, error);
    if (!status) status = program_make_cache(build->device, NULL, 0, &cache, error);
    if (!status) status = program_make(build, words, size, cache, &impl, &shader, error);
    if (!status) {
        status = program_pack(build, words, size, cache, binary, error);
        program_destroy(build->device, &impl);
    }
    if (cache) of->api->DestroyPipelineCache(of->device, cache, NULL);
    hed_release(&of->driver->allocator, words, size);
    return status;
}

static hed_status program_load(hed_program *program, const hed_build *build, const char *bytes,
    const program_header *header, vulkan_program *impl, hed_error *error)
{
    const vulkan_device *of = hed_vulkan_of(program->device);
    VkPipelineCache cache = NULL;
    hed_shader shader;
    void *words = NULL;
    hed_status status = program_align(build, bytes + sizeof *header, header->words, &words, error);
    if (!status)
        status = program_make_cache(
            program->device, bytes + sizeof *header + header->words, header->data, &cache, error);
    if (!status) status = program_make(build, words, header->words, cache, impl, &shader, error);
    if (cache) of->api->DestroyPipelineCache(of->device, cache, NULL);
    hed_release(&of->driver->allocator, words, header->words);
    if (status) return status;
    program->resources.lane_width = program->device->info.lane_width;
    program->resources.local_bytes = (int64_t)shader.local_bytes;
    for (uint32_t i = 0; i < program->def->argument_count; i++)
        /* the shader's arrays are the argument's, counted already */
        if (program->def->arguments[i].kind == HED_LOCAL) program->resources.local_bytes = -1;
    return HED_OK;
}

hed_status hed_vulkan_program_load(
    hed_program *program, const hed_build *build, const hed_binary *binary, hed_error *error)
{
    const vulkan_driver *driver = hed_vulkan_of(program->device)->driver;
    program_header header = {.words = 0};
    if (binary->size >= sizeof header) memcpy(&header, binary->bytes, sizeof header);
    if (memcmp(header.magic, program_magic, sizeof program_magic) != 0 ||
        header.words > binary->size - sizeof header ||
        header.data > binary->size - sizeof header - header.words)
        return hed_fail(error, HED_ERROR_FORMAT,
            "the program of %s (%zu bytes) is not in this version's format", build->def->name,
            binary->size);
    vulkan_program *impl = hed_allocate(&driver->allocator, sizeof *impl);
    if (!impl) return HED_OUT_OF_MEMORY(error, "a kernel");
    hed_status status = program_load(program, build, binary->bytes, &header, impl, error);
    if (status) {
        hed_release(&driver->allocator, impl, sizeof *impl);
        return status;
    }
    program->impl = impl;
    program->handle = impl->pipeline;
    memcpy(program->group, impl->group, sizeof program->group);
    return HED_OK;
}

void hed_vulkan_program_unload(hed_program *program)
{
    hed_vulkan_settle(program->device);
    program_destroy(program->device, program->impl);
    hed_release(&program->device->settings->allocator, program->impl, sizeof(vulkan_program));
}
