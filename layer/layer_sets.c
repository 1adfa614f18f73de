/* Descriptor sets: which buffers are bound where, by sets that are updated or pushed, with and without templates. */
#include "layer/layer.h"

#include <string.h>

/* ---- layouts ---- */

bool layer_is_buffer_type(int32_t type)
{
    enum { UNIFORM_DYNAMIC = 8, STORAGE_DYNAMIC = 9 };
    return type >= VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER && type <= STORAGE_DYNAMIC;
}

static VkResult create_set_layout(VkDevice device, const VkDescriptorSetLayoutCreateInfo *info,
    const void *allocator, VkDescriptorSetLayout *made)
{
    VkResult result =
        layer_device_of(device)->next.CreateDescriptorSetLayout(device, info, allocator, made);
    layer_set *layout = result ? NULL : layer_put(&layer_layouts, *made, sizeof *layout);
    for (uint32_t i = 0; layout && i < info->bindingCount; i++) {
        const VkDescriptorSetLayoutBinding *from = &info->pBindings[i];
        if (layout->count == LAYER_BINDINGS) {
            layout->is_partial = true;
            break;
        }
        uint32_t place = layout->count++;
        for (; place && layout->bindings[place - 1].binding > from->binding; place--)
            layout->bindings[place] = layout->bindings[place - 1];
        layout->bindings[place] = (layer_binding){
            .type = from->descriptorType, .binding = from->binding, .count = from->descriptorCount};
    }
    return result;
}

static VkResult allocate_sets(
    VkDevice device, const VkDescriptorSetAllocateInfo *info, VkDescriptorSet *sets)
{
    VkResult result = layer_device_of(device)->next.AllocateDescriptorSets(device, info, sets);
    for (uint32_t i = 0; i < info->descriptorSetCount && !result; i++) {
        const layer_set *layout = layer_get(&layer_layouts, info->pSetLayouts[i]);
        layer_set *set = layout ? layer_put(&layer_sets, sets[i], sizeof *set) : NULL;
        if (set) *set = *layout;
    }
    return result;
}

static VkResult create_pipeline_layout(VkDevice device, const VkPipelineLayoutCreateInfo *info,
    const void *allocator, VkPipelineLayout *made)
{
    VkResult result =
        layer_device_of(device)->next.CreatePipelineLayout(device, info, allocator, made);
    layer_pipeline_layout *layout =
        result ? NULL : layer_put(&layer_pipeline_layouts, *made, sizeof *layout);
    for (uint32_t i = 0; layout && i < info->setLayoutCount && i < LAYER_SETS; i++) {
        const layer_set *set = layer_get(&layer_layouts, info->pSetLayouts[i]);
        layout->has_set[i] = set != NULL;
        if (set) layout->sets[i] = *set;
    }
    return result;
}

/* ---- updates ---- */

/* Writes buffers into a set, `stride` bytes apart; an array of descriptors continues in the next bindings. */
static void write_buffers(
    layer_set *set, uint32_t first, uint32_t count, const char *from, size_t stride)
{
    for (uint32_t i = 0; i < set->count && count; i++) {
        layer_binding *binding = &set->bindings[i];
        if (binding->binding < first || !binding->count) continue;
        uint32_t taken = binding->count < count ? binding->count : count;
        memcpy(&binding->info, from, sizeof binding->info);
        from += taken * stride;
        count -= taken;
    }
}

static void apply_writes(layer_set *set, uint32_t count, const VkWriteDescriptorSet *writes)
{
    for (uint32_t i = 0; i < count; i++)
        if (layer_is_buffer_type(writes[i].descriptorType))
            write_buffers(set, writes[i].dstBinding, writes[i].descriptorCount,
                (const char *)writes[i].pBufferInfo, sizeof *writes[i].pBufferInfo);
}

static void update_sets(VkDevice device, uint32_t count, const VkWriteDescriptorSet *writes,
    uint32_t copies, const void *from)
{
    layer_device_of(device)->next.UpdateDescriptorSets(device, count, writes, copies, from);
    for (uint32_t i = 0; i < count; i++) {
        layer_set *set = layer_get(&layer_sets, writes[i].dstSet);
        if (set) apply_writes(set, 1, &writes[i]);
    }
}

static VkResult create_template(
    VkDevice device, const layer_template_info *info, const void *allocator, void **made)
{
    VkResult result = layer_device_of(device)->extra.create_template(device, info, allocator, made);
    layer_template *kept = result ? NULL : layer_put(&layer_templates, *made, sizeof *kept);
    for (uint32_t i = 0; kept && i < info->entry_count && kept->count < LAYER_BINDINGS; i++)
        if (layer_is_buffer_type(info->entries[i].type))
            kept->entries[kept->count++] = info->entries[i];
    return result;
}

static void apply_template(layer_set *set, const void *template, const char *data)
{
    const layer_template *of = layer_get(&layer_templates, template);
    for (uint32_t i = 0; of && i < of->count; i++)
        write_buffers(set, of->entries[i].binding, of->entries[i].count,
            data + of->entries[i].offset, of->entries[i].stride);
}

static void update_with_template(
    VkDevice device, VkDescriptorSet set, void *template, const void *data)
{
    layer_device_of(device)->extra.update_with_template(device, set, template, data);
    layer_set *updated = layer_get(&layer_sets, set);
    if (updated) apply_template(updated, template, data);
}

/* ---- commands ---- */

static void bind_sets(VkCommandBuffer commands, int32_t point, VkPipelineLayout layout,
    uint32_t first, uint32_t count, const VkDescriptorSet *sets, uint32_t offset_count,
    const uint32_t *offsets)
{
    enum { UNIFORM_DYNAMIC = 8 };
    layer_commands *state = layer_get(&layer_command_buffers, commands);
    bool is_compute = state && point == VK_PIPELINE_BIND_POINT_COMPUTE;
    const uint32_t *offset = offsets;
    for (uint32_t i = 0; is_compute && i < count && first + i < LAYER_SETS; i++) {
        const layer_set *set = layer_get(&layer_sets, sets[i]);
        state->has_set[first + i] = set != NULL;
        if (!set) continue;
        layer_set *bound = &state->sets[first + i];
        *bound = *set;
        for (uint32_t j = 0; j < bound->count; j++)
            if (bound->bindings[j].type >= UNIFORM_DYNAMIC && offset < offsets + offset_count)
                bound->bindings[j].info.offset += *offset++;
    }
    layer_device_of(commands)->next.CmdBindDescriptorSets(
        commands, point, layout, first, count, sets, offset_count, offsets);
}

static bool is_same_layout(const layer_set *a, const layer_set *b)
{
    bool is_same = a->count == b->count;
    for (uint32_t i = 0; is_same && i < a->count; i++)
        is_same = a->bindings[i].type == b->bindings[i].type &&
                  a->bindings[i].binding == b->bindings[i].binding &&
                  a->bindings[i].count == b->bindings[i].count;
    return is_same;
}

/* Returns the set of a command buffer into which buffers are pushed; earlier ones of the same layout stay. NULL:
 * its layout is not known. */
static layer_set *pushed_set(VkCommandBuffer commands, VkPipelineLayout layout, uint32_t number)
{
    layer_commands *state = layer_get(&layer_command_buffers, commands);
    const layer_pipeline_layout *of = layer_get(&layer_pipeline_layouts, layout);
    if (!state || number >= LAYER_SETS) return NULL;
    bool is_known = of && of->has_set[number], had_set = state->has_set[number];
    state->has_set[number] = is_known;
    if (!is_known) return NULL;
    layer_set *set = &state->sets[number];
    if (!had_set || !is_same_layout(set, &of->sets[number])) *set = of->sets[number];
    return set;
}

static void push_set(VkCommandBuffer commands, int32_t point, VkPipelineLayout layout,
    uint32_t number, uint32_t count, const VkWriteDescriptorSet *writes)
{
    layer_set *set =
        point == VK_PIPELINE_BIND_POINT_COMPUTE ? pushed_set(commands, layout, number) : NULL;
    if (set) apply_writes(set, count, writes);
    layer_device_of(commands)->extra.push_set(commands, point, layout, number, count, writes);
}

static void push_with_template(VkCommandBuffer commands, void *template, VkPipelineLayout layout,
    uint32_t number, const void *data)
{
    layer_set *set = pushed_set(commands, layout, number);
    if (set) apply_template(set, template, data);
    layer_device_of(commands)->extra.push_with_template(commands, template, layout, number, data);
}

layer_function layer_set_function(const char *name)
{
    static const struct {
        const char *name;
        layer_function function;
    } own[] = {{"vkCreateDescriptorSetLayout", (layer_function)create_set_layout},
        {"vkCreatePipelineLayout", (layer_function)create_pipeline_layout},
        {"vkAllocateDescriptorSets", (layer_function)allocate_sets},
        {"vkUpdateDescriptorSets", (layer_function)update_sets},
        {"vkCreateDescriptorUpdateTemplate", (layer_function)create_template},
        {"vkUpdateDescriptorSetWithTemplate", (layer_function)update_with_template},
        {"vkCmdBindDescriptorSets", (layer_function)bind_sets},
        {"vkCmdPushDescriptorSet", (layer_function)push_set},
        {"vkCmdPushDescriptorSetWithTemplate", (layer_function)push_with_template}};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        size_t length = strlen(own[i].name);
        if (strncmp(name, own[i].name, length) == 0 &&
            (!name[length] || strcmp(name + length, "KHR") == 0))
            return own[i].function;
    }
    return NULL;
}
