/* Reads the interface of a compute shader from a module of SPIR-V: specialization constants,
 * bindings, push constants, the group's size and the local memory.
 *
 * Two passes: the first records for each id its definition and decorations (spirv_module.c), the
 * second reads variables and constants. GLSL's `local_size_x_id` makes a second constant of the
 * same SpecId as the one that the text names, with another default: the list has one constant for
 * each SpecId, and the one with a name has precedence. */
#include <stdarg.h>
#include <stdio.h>

#include "base/alloc.h"
#include "base/error.h"
#include "shader/spirv_layout.h"

enum { MAGIC = 0x07230203, MOST_IDS = 1 << 20, MOST_BYTES = 64 << 20 };
enum storage {
    STORAGE_UNIFORM_CONSTANT = 0,
    STORAGE_UNIFORM = 2,
    STORAGE_LOCAL = 4,
    STORAGE_PUSH = 9,
    STORAGE_BUFFER = 12
};

/* ---- constants ---- */

static int32_t spirv_constant_of(const hed_shader *shader, uint32_t spec)
{
    for (uint32_t i = 0; i < shader->constant_count; i++)
        if (shader->constants[i].id == spec) return (int32_t)i;
    return -1;
}

static hed_status spirv_add_constant(hed_spirv_reader *r, const hed_spirv_id *of)
{
    hed_shader *shader = r->shader;
    int32_t index = spirv_constant_of(shader, of->spec);
    uint32_t opcode = hed_spirv_opcode(r, of->at);
    char name[HED_SHADER_NAME];
    hed_status status = hed_spirv_name(r, of->name, name);
    if (status) return status;
    if (index < 0 && shader->constant_count == HED_SHADER_CONSTANTS)
        return hed_fail(r->error, HED_ERROR_LIMIT,
            "SPIR-V: too many constants at \"%s\"; expected at most %d specialization constants",
            name, HED_SHADER_CONSTANTS);
    if (index < 0) { /* inserted in the order of ids */
        index = (int32_t)shader->constant_count++;
        for (; index > 0 && shader->constants[index - 1].id > of->spec; index--)
            shader->constants[index] = shader->constants[index - 1];
    } else if (!name[0]) return HED_OK; /* the unnamed duplicate of GLSL's local_size_x_id */
    hed_shader_constant *constant = &shader->constants[index];
    *constant = (hed_shader_constant){.id = of->spec,
        .type = hed_spirv_scalar(r, hed_spirv_operand(r, of->at, 1)),
        .value =
            opcode == OP_SPEC_CONSTANT ? hed_spirv_literal(r, of->at) : opcode == OP_SPEC_TRUE};
    memcpy(constant->name, name, sizeof name);
    return HED_OK;
}

/* ---- variables ---- */

static hed_status spirv_refuse(
    const hed_spirv_reader *r, const hed_spirv_id *variable, const char *subject)
{
    char name[HED_SHADER_NAME];
    hed_spirv_text(r, variable->name, name, sizeof name);
    return hed_fail(r->error, HED_ERROR_UNSUPPORTED,
        "SPIR-V: \"%s\" (set %u, binding %u) is %s; expected buffers, textures and storage images "
        "of 1 to 3 dimensions or cubes, samplers, and push constants",
        name, variable->set, variable->binding, subject);
}

/* Reads an image, a texture with its sampler, or a sampler; NULL: another type. */
static const char *spirv_read_image(
    const hed_spirv_reader *r, uint32_t at, hed_shader_binding *binding)
{
    enum { SAMPLED_TYPE = 2, DIM, DEPTH, ARRAYED, MULTISAMPLED, SAMPLED, FORMAT }; /* operands */
    enum { DIM_1D, DIM_2D, DIM_3D, DIM_CUBE, WITHOUT_SAMPLER = 2 };                /* values */
    uint32_t kind = hed_spirv_opcode(r, at);
    if (kind == OP_TYPE_SAMPLER) {
        binding->resource = HED_SHADER_SAMPLER;
        return "";
    }
    if (kind == OP_TYPE_SAMPLED_IMAGE) at = hed_spirv_of(r, hed_spirv_operand(r, at, 2))->at;
    if (hed_spirv_opcode(r, at) != OP_TYPE_IMAGE) return NULL;
    bool is_stored = hed_spirv_operand(r, at, SAMPLED) == WITHOUT_SAMPLER,
         is_array = hed_spirv_operand(r, at, ARRAYED) == 1;
    uint32_t dim = hed_spirv_operand(r, at, DIM), format = hed_spirv_operand(r, at, FORMAT);
    binding->resource = is_stored                       ? HED_SHADER_STORAGE_IMAGE
                        : kind == OP_TYPE_SAMPLED_IMAGE ? HED_SHADER_SAMPLED
                                                        : HED_SHADER_TEXTURE;
    binding->type = hed_spirv_scalar(r, hed_spirv_operand(r, at, SAMPLED_TYPE));
    binding->format = format < HED_IMAGE_FORMATS ? (hed_image_format)format : HED_IMAGE_NONE;
    binding->shape = dim == DIM_1D   ? HED_IMAGE_1D
                     : dim == DIM_3D ? HED_IMAGE_3D
                     : dim == DIM_2D ? is_array ? HED_IMAGE_2D_ARRAY : HED_IMAGE_2D
                     : is_array      ? HED_IMAGE_CUBE_ARRAY
                                     : HED_IMAGE_CUBE;
    if (hed_spirv_operand(r, at, MULTISAMPLED)) return "multisampled";
    if (hed_spirv_operand(r, at, DEPTH) == 1) return "a texture of depths";
    if (dim > DIM_CUBE || (dim == DIM_1D && is_array)) return "a texel buffer or an array of lines";
    return binding->type == HED_BYTES ? "an image of halves or 64 bits" : "";
}

/* True if an instruction of a function may use the variable: one of its operands is the id. */
static bool spirv_is_used(const hed_spirv_reader *r, uint32_t id)
{
    bool is_function = false;
    for (uint32_t at = HED_SPIRV_HEADER; at < r->words; at += hed_spirv_length(r, at)) {
        is_function = is_function || hed_spirv_opcode(r, at) == OP_FUNCTION;
        for (uint32_t i = 1; is_function && i < hed_spirv_length(r, at); i++)
            if (hed_spirv_operand(r, at, i) == id) return true;
    }
    return false;
}

static bool spirv_is_filtered(const hed_shader_binding *binding)
{
    return binding->resource == HED_SHADER_TEXTURE || binding->resource == HED_SHADER_SAMPLED ||
           binding->resource == HED_SHADER_SAMPLER;
}

/* Makes two variables of one set and binding one binding: buffers of one kind, whatever their
 * elements, the same image, a texture and a sampler. False: no descriptor is both. */
static bool spirv_merge(hed_shader_binding *existing, const hed_shader_binding *added)
{
    bool is_texture = spirv_is_filtered(existing) && spirv_is_filtered(added),
         has_view =
             existing->resource != HED_SHADER_SAMPLER && added->resource != HED_SHADER_SAMPLER;
    if (existing->resource != added->resource && !is_texture) return false;
    if (existing->uniform != added->uniform) return false;
    if (existing->resource != HED_SHADER_BUFFER && has_view &&
        (existing->shape != added->shape || existing->format != added->format ||
            existing->type != added->type))
        return false;
    bool is_combined = existing->resource != added->resource;
    if (existing->access != added->access && !is_combined) existing->access = HED_READ_WRITE;
    if (existing->resource == HED_SHADER_SAMPLER) *existing = *added;
    if (is_combined) existing->resource = HED_SHADER_SAMPLED;
    return true;
}

static void spirv_remove_binding(hed_spirv_reader *r, uint32_t index)
{
    hed_shader *shader = r->shader;
    for (shader->binding_count--; index < shader->binding_count; index++) {
        shader->bindings[index] = shader->bindings[index + 1];
        r->variables[index] = r->variables[index + 1];
    }
}

/* Adds a binding in the order of sets and bindings. Of two variables that no descriptor is both of,
 * an unused one is left out; two used ones stay two bindings, as in OpenGL, which numbers each kind
 * apart. */
static hed_status spirv_put_binding(
    hed_spirv_reader *r, const hed_shader_binding *binding, uint32_t id, uint32_t type)
{
    hed_shader *shader = r->shader;
    for (uint32_t i = 0; i < shader->binding_count; i++) {
        hed_shader_binding *existing = &shader->bindings[i];
        if (existing->set != binding->set || existing->binding != binding->binding) continue;
        if (spirv_merge(existing, binding) || !spirv_is_used(r, id)) return HED_OK;
        if (!spirv_is_used(r, r->variables[i])) spirv_remove_binding(r, i--);
    }
    if (shader->binding_count == HED_SHADER_BINDINGS)
        return hed_fail(
            r->error, HED_ERROR_LIMIT, "SPIR-V: more than %d buffers", HED_SHADER_BINDINGS);
    uint32_t place = shader->binding_count++;
    for (; place > 0; place--) {
        const hed_shader_binding *before = &shader->bindings[place - 1];
        if (before->set < binding->set ||
            (before->set == binding->set && before->binding <= binding->binding))
            break;
        shader->bindings[place] = *before;
        r->variables[place] = r->variables[place - 1];
    }
    shader->bindings[place] = *binding;
    r->variables[place] = id;
    if (binding->resource == HED_SHADER_BUFFER)
        hed_spirv_write_layout(r, type, shader->bindings[place].layout);
    return HED_OK;
}

/* Reads the type of an element of a block's last member. */
static void spirv_read_element(
    const hed_spirv_reader *r, uint32_t element, hed_shader_binding *binding)
{
    uint32_t at = hed_spirv_of(r, element)->at;
    if (hed_spirv_opcode(r, at) == OP_TYPE_ARRAY ||
        hed_spirv_opcode(r, at) == OP_TYPE_RUNTIME_ARRAY)
        element = hed_spirv_operand(r, at, 2), at = hed_spirv_of(r, element)->at;
    if (hed_spirv_opcode(r, at) == OP_TYPE_VECTOR)
        binding->components = hed_spirv_operand(r, at, 3), element = hed_spirv_operand(r, at, 2);
    binding->type = hed_spirv_scalar(r, element);
}

static hed_status spirv_add_binding(
    hed_spirv_reader *r, uint32_t id, uint32_t storage, uint32_t type)
{
    const hed_spirv_id *variable = hed_spirv_of(r, id);
    const hed_spirv_id *of = hed_spirv_of(r, type);
    uint32_t kind = hed_spirv_opcode(r, of->at), members = hed_spirv_length(r, of->at) - 2;
    hed_shader_binding binding = {
        .set = variable->set, .binding = variable->binding, .components = 1};
    const char *refusal = spirv_read_image(r, of->at, &binding);
    bool is_image = refusal != NULL, read_only = true, write_only = true;
    if (kind == OP_TYPE_ARRAY || kind == OP_TYPE_RUNTIME_ARRAY)
        refusal = "an array of buffers or textures";
    else if (kind == OP_TYPE_ACCELERATION_STRUCTURE)
        refusal = "an acceleration structure, of ray tracing";
    else if (!is_image &&
             (kind != OP_TYPE_STRUCT || members == 0 || storage == STORAGE_UNIFORM_CONSTANT))
        refusal = "no buffer";
    bool is_kept = !(refusal && refusal[0]) && !r->skips_unused;
    if (!is_kept && !spirv_is_used(r, id)) return HED_OK;
    if (refusal && refusal[0]) return spirv_refuse(r, variable, refusal);
    binding.uniform = storage == STORAGE_UNIFORM && !of->buffer_block;
    hed_spirv_member last = {.offset = 0};
    for (uint32_t i = 0; !is_image && i < members && hed_spirv_fine(r, 0); i++) {
        last = hed_spirv_find_member(r, type, i);
        if (last.status) return last.status;
        read_only = read_only && last.read_only;
        write_only = write_only && last.write_only;
    }
    if (is_image) write_only = false, read_only = binding.resource != HED_SHADER_STORAGE_IMAGE;
    bool reads = binding.uniform || variable->read_only || read_only;
    binding.access = reads                                ? HED_READ
                     : variable->write_only || write_only ? HED_WRITE
                                                          : HED_READ_WRITE;
    hed_status status = is_image ? HED_OK : hed_spirv_name(r, of->name, binding.block);
    if (!status) status = hed_spirv_name(r, variable->name, binding.name);
    if (status) return status;
    if (!binding.name[0])
        memcpy(binding.name, members == 1 ? last.name : binding.block, sizeof binding.name);
    if (!binding.name[0]) /* a compiler has removed the names */
        snprintf(binding.name, sizeof binding.name, "binding_%u_%u", binding.set, binding.binding);
    if (!is_image) spirv_read_element(r, hed_spirv_operand(r, of->at, members + 1), &binding);
    return spirv_put_binding(r, &binding, id, type);
}

static hed_status spirv_add_members(hed_spirv_reader *r, uint32_t type, uint32_t variable_at)
{
    hed_shader *shader = r->shader;
    uint32_t at = hed_spirv_of(r, type)->at;
    uint64_t bytes = 0;
    if (hed_spirv_opcode(r, at) != OP_TYPE_STRUCT)
        return hed_spirv_wrong(r, variable_at, "push constants that are no struct");
    for (uint32_t i = 2; i < hed_spirv_length(r, at); i++) {
        uint32_t of = hed_spirv_operand(r, at, i);
        if (shader->member_count == HED_SHADER_MEMBERS)
            return hed_fail(r->error, HED_ERROR_LIMIT, "SPIR-V: more than %d push constants",
                HED_SHADER_MEMBERS);
        hed_spirv_member info = hed_spirv_find_member(r, type, i - 2);
        if (info.status) return info.status;
        if (hed_spirv_opcode(r, hed_spirv_of(r, of)->at) == OP_TYPE_POINTER)
            return hed_fail(r->error, HED_ERROR_UNSUPPORTED,
                "SPIR-V: push constant \"%s\" is the address of a buffer (buffer_reference), which only its "
                "program has; expected numbers. Write a buffer with a binding",
                info.name);
        if (!hed_spirv_bytes(r, of, 0, &bytes) || bytes > 1 << 16 || info.offset > 1 << 16)
            return hed_spirv_wrong(r, at, "a push constant of unknown size");
        hed_shader_member *member = &shader->members[shader->member_count++];
        *member = (hed_shader_member){
            .type = hed_spirv_scalar(r, of), .offset = info.offset, .size = (uint32_t)bytes};
        memcpy(member->name, info.name, sizeof member->name);
        if (!member->name[0]) snprintf(member->name, sizeof member->name, "push_%u", info.offset);
        uint32_t end = member->offset + member->size;
        if (end > shader->member_bytes) shader->member_bytes = end;
    }
    hed_spirv_write_layout(r, type, shader->push_layout);
    return HED_OK;
}

/* Adds a number of OpenGL's that is outside of blocks. */
static hed_status spirv_add_uniform(
    const hed_spirv_reader *r, const hed_spirv_id *variable, hed_type type)
{
    hed_shader *shader = r->shader;
    if (shader->member_count == HED_SHADER_MEMBERS)
        return hed_fail(
            r->error, HED_ERROR_LIMIT, "SPIR-V: more than %d uniforms", HED_SHADER_MEMBERS);
    hed_shader_member *member = &shader->members[shader->member_count++];
    *member = (hed_shader_member){
        .type = type, .offset = shader->member_bytes, .size = hed_type_bytes(type)};
    shader->member_bytes += member->size;
    shader->opengl = true;
    return hed_spirv_name(r, variable->name, member->name);
}

static hed_status spirv_add_variable(hed_spirv_reader *r, uint32_t at)
{
    const hed_spirv_id *variable = hed_spirv_of(r, hed_spirv_operand(r, at, 2));
    uint32_t pointer = hed_spirv_of(r, hed_spirv_operand(r, at, 1))->at;
    uint32_t storage = hed_spirv_operand(r, at, 3), type = hed_spirv_operand(r, pointer, 3);
    uint64_t bytes = 0;
    if (hed_spirv_opcode(r, pointer) != OP_TYPE_POINTER)
        return hed_spirv_wrong(r, at, "a variable whose type is no pointer");
    if (storage == STORAGE_PUSH) return spirv_add_members(r, type, at);
    if (storage == STORAGE_LOCAL) {
        if (!hed_spirv_bytes(r, type, 0, &bytes) || bytes > UINT64_MAX / 2 - r->shader->local_bytes)
            return hed_spirv_wrong(r, at, "a shared array whose length cannot be computed");
        r->shader->local_bytes += (bytes + 15) & ~(uint64_t)15;
    }
    hed_type number = hed_spirv_scalar(r, type);
    if (storage == STORAGE_UNIFORM_CONSTANT && number != HED_BYTES)
        return spirv_add_uniform(r, variable, number);
    if (storage == STORAGE_BUFFER || storage == STORAGE_UNIFORM ||
        storage == STORAGE_UNIFORM_CONSTANT)
        return spirv_add_binding(r, hed_spirv_operand(r, at, 2), storage, type);
    return HED_OK;
}

/* ---- local memory as an expression ---- */

/* An expression being written; text that does not fit makes the whole expression "". */
typedef struct spirv_words {
    char *text;
    size_t used;
    bool failed;
} spirv_words;

static void spirv_put(spirv_words *to, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(to->text + to->used, HED_SHADER_TEXT - to->used, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length >= HED_SHADER_TEXT - to->used) to->failed = true;
    else to->used += (size_t)length;
}

static const char *spirv_sign(uint32_t opcode)
{
    static const struct {
        uint32_t opcode;
        const char *sign;
    } signs[] = {{128, "+"}, {130, "-"}, {132, "*"}, {134, "/"}, {135, "/"}, {137, "%"}, {138, "%"},
        {139, "%"}, {164, "=="}, {165, "!="}, {166, "||"}, {167, "&&"}, {170, "=="}, {171, "!="},
        {172, ">"}, {173, ">"}, {174, ">="}, {175, ">="}, {176, "<"}, {177, "<"}, {178, "<="},
        {179, "<="}};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (signs[i].opcode == opcode) return signs[i].sign;
    return NULL;
}

static void spirv_write(hed_spirv_reader *r, uint32_t id, uint32_t depth, spirv_words *to)
{
    const hed_spirv_id *of = hed_spirv_of(r, id);
    uint32_t opcode = hed_spirv_opcode(r, of->at), operation = hed_spirv_operand(r, of->at, 3);
    int64_t value = 0;
    int32_t constant = of->has_spec ? spirv_constant_of(r->shader, of->spec) : -1;
    if (to->failed || !hed_spirv_fine(r, depth)) {
        to->failed = true;
    } else if (constant >= 0 && r->shader->constants[constant].name[0]) {
        spirv_put(to, "%s", r->shader->constants[constant].name);
    } else if (constant >= 0) {
        spirv_put(to, "constant_%u", of->spec);
    } else if (opcode != OP_SPEC_OP) {
        to->failed = !hed_spirv_evaluate(r, id, depth, &value);
        spirv_put(to, "%lld", (long long)value);
    } else if (hed_spirv_extracted(r, id)) {
        spirv_write(r, hed_spirv_extracted(r, id), depth + 1, to);
    } else if (operation == 169) {
        spirv_put(to, "select(");
        spirv_write(r, hed_spirv_operand(r, of->at, 6), depth + 1, to);
        spirv_put(to, ", ");
        spirv_write(r, hed_spirv_operand(r, of->at, 5), depth + 1, to);
        spirv_put(to, ", ");
        spirv_write(r, hed_spirv_operand(r, of->at, 4), depth + 1, to);
        spirv_put(to, ")");
    } else if (spirv_sign(operation)) {
        spirv_put(to, "(");
        spirv_write(r, hed_spirv_operand(r, of->at, 4), depth + 1, to);
        spirv_put(to, " %s ", spirv_sign(operation));
        spirv_write(r, hed_spirv_operand(r, of->at, 5), depth + 1, to);
        spirv_put(to, ")");
    } else {
        to->failed = true;
    }
}

/* Writes the bytes of a type; an array's are its element's times its length. */
static void spirv_write_bytes(hed_spirv_reader *r, uint32_t type, spirv_words *to)
{
    uint32_t depth = 0, at = hed_spirv_of(r, type)->at;
    uint64_t bytes = 0;
    for (; hed_spirv_opcode(r, at) == OP_TYPE_ARRAY && !to->failed; depth++) {
        spirv_write(r, hed_spirv_operand(r, at, 3), depth, to);
        spirv_put(to, " * ");
        at = hed_spirv_of(r, type = hed_spirv_operand(r, at, 2))->at;
    }
    if (!hed_spirv_bytes(r, type, 0, &bytes)) to->failed = true;
    spirv_put(to, "%llu", (unsigned long long)bytes);
}

static void spirv_write_local(hed_spirv_reader *r)
{
    spirv_words to = {.text = r->shader->local_text};
    for (uint32_t at = HED_SPIRV_HEADER; at < r->words; at += hed_spirv_length(r, at)) {
        uint32_t pointer = hed_spirv_of(r, hed_spirv_operand(r, at, 1))->at;
        if (hed_spirv_opcode(r, at) != OP_VARIABLE || hed_spirv_operand(r, at, 3) != STORAGE_LOCAL)
            continue;
        if (to.used) spirv_put(&to, " + ");
        spirv_write_bytes(r, hed_spirv_operand(r, pointer, 3), &to);
    }
    if (to.failed) r->shader->local_text[0] = 0;
}

/* ---- the group ---- */

static void spirv_set_size(hed_spirv_reader *r, uint32_t i, uint32_t id)
{
    int64_t size = 0;
    if (!hed_spirv_evaluate(r, id, 0, &size) || size < 0 || size > UINT32_MAX) size = 0;
    r->shader->group[i] = (uint32_t)size;
    const hed_spirv_id *of = hed_spirv_of(r, id);
    if (of->has_spec) r->shader->group_constant[i] = spirv_constant_of(r->shader, of->spec);
}

/* Reads the group's size. The constant decorated as the size has precedence over the execution
 * mode. */
static hed_status spirv_read_group(hed_spirv_reader *r)
{
    uint32_t composite = hed_spirv_of(r, r->group_id)->at;
    bool by_id = hed_spirv_operand(r, r->mode_at, 2) == MODE_LOCAL_SIZE_ID;
    for (uint32_t i = 0; i < 3; i++) {
        r->shader->group_constant[i] = -1;
        uint32_t size = hed_spirv_operand(r, r->mode_at, 3 + i);
        if (composite) spirv_set_size(r, i, hed_spirv_operand(r, composite, 3 + i));
        else if (by_id) spirv_set_size(r, i, size);
        else r->shader->group[i] = size;
        if (!r->shader->group[i])
            return hed_spirv_wrong(
                r, composite ? composite : r->mode_at, "a group of 0 work items, or of no size");
    }
    return HED_OK;
}

/* ---- the whole module ---- */

static hed_status spirv_read(hed_spirv_reader *r)
{
    hed_status status = hed_spirv_scan(r);
    uint32_t resources = 0;
    for (uint32_t i = 1; i < r->bound && !status; i++)
        resources += r->ids[i].has_binding && hed_spirv_opcode(r, r->ids[i].at) == OP_VARIABLE;
    /* programs with one header of all their resources declare more than a shader uses */
    r->skips_unused = resources > HED_SHADER_BINDINGS;
    for (uint32_t i = 1; i < r->bound && !status; i++)
        if (r->ids[i].has_spec && r->ids[i].at) status = spirv_add_constant(r, &r->ids[i]);
    for (uint32_t at = HED_SPIRV_HEADER; at < r->words && !status; at += hed_spirv_length(r, at))
        if (hed_spirv_opcode(r, at) == OP_VARIABLE) status = spirv_add_variable(r, at);
    if (!status) spirv_write_local(r);
    return status ? status : spirv_read_group(r);
}

bool hed_shader_is_spirv(const void *bytes, size_t size)
{
    if (!bytes && size) return false;
    uint32_t word = 0;
    if (size >= 4 * HED_SPIRV_HEADER) memcpy(&word, bytes, 4);
    return word == MAGIC;
}

hed_status hed_shader_read_spirv(const void *bytes, size_t size, const char *entry,
    const hed_shader_value *values, uint32_t value_count, const hed_allocator *allocator,
    hed_shader *shader, hed_error *error)
{
    HED_REQUIRE(bytes || !size, entry, allocator, shader);
    hed_spirv_reader reader = {.bytes = bytes,
        .entry = entry,
        .values = values,
        .value_count = value_count,
        .shader = shader,
        .error = error};
    *shader = (hed_shader){.group_constant = {-1, -1, -1}};
    if (!hed_shader_is_spirv(bytes, size) || size % 4 || size > MOST_BYTES)
        return hed_fail(error, HED_ERROR_FORMAT,
            "%zu bytes that are no SPIR-V: expected whole words of which the first is 0x07230203",
            size);
    reader.words = (uint32_t)(size / 4);
    reader.bound = hed_spirv_word(&reader, 3);
    if (reader.bound == 0 || reader.bound > MOST_IDS)
        return hed_fail(error, HED_ERROR_FORMAT, "SPIR-V: a bound of %u ids: expected 1 to %d",
            reader.bound, MOST_IDS);
    reader.ids = hed_allocate(allocator, reader.bound * sizeof *reader.ids);
    if (!reader.ids) return HED_OUT_OF_MEMORY(error, "%u ids of SPIR-V", reader.bound);
    hed_status status = spirv_read(&reader);
    hed_release(allocator, reader.ids, reader.bound * sizeof *reader.ids);
    return status;
}
