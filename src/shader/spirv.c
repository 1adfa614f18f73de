/* Reads a module of SPIR-V (Khronos, SPIR-V Specification 1.6): names, specialization constants,
 * bindings, push constants, the group's size and the local memory. A module is words: a header of
 * five, then instructions, each with its length in the high half of its first word.
 *
 * Two passes: the first notes for each id what defines and decorates it, the second looks at
 * variables and constants. GLSL's `local_size_x_id` makes a second constant of the same SpecId
 * beside the one that the text names, with another default: constants are one for each SpecId, and
 * the one with a name counts. */
#include "heddle/shader.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/text.h"

enum { MAGIC = 0x07230203, MOST_IDS = 1 << 20, MOST_BYTES = 64 << 20, HEADER = 5 };
enum { MOST_DEPTH = 32, MOST_STEPS = 100000 }; /* of nested types and expressions */

enum opcode {
    OP_NAME = 5,
    OP_MEMBER_NAME = 6,
    OP_ENTRY_POINT = 15,
    OP_EXECUTION_MODE = 16,
    OP_TYPE_BOOL = 20,
    OP_TYPE_INT = 21,
    OP_TYPE_FLOAT = 22,
    OP_TYPE_VECTOR = 23,
    OP_TYPE_MATRIX = 24,
    OP_TYPE_IMAGE = 25,
    OP_TYPE_SAMPLER = 26,
    OP_TYPE_SAMPLED_IMAGE = 27,
    OP_TYPE_ARRAY = 28,
    OP_TYPE_RUNTIME_ARRAY = 29,
    OP_TYPE_STRUCT = 30,
    OP_TYPE_POINTER = 32,
    OP_CONSTANT_TRUE = 41,
    OP_CONSTANT_FALSE = 42,
    OP_CONSTANT = 43,
    OP_CONSTANT_COMPOSITE = 44,
    OP_SPEC_TRUE = 48,
    OP_SPEC_FALSE = 49,
    OP_SPEC_CONSTANT = 50,
    OP_SPEC_COMPOSITE = 51,
    OP_SPEC_OP = 52,
    OP_VARIABLE = 59,
    OP_DECORATE = 71,
    OP_MEMBER_DECORATE = 72,
    OP_EXECUTION_MODE_ID = 331
};
enum decoration {
    DECORATION_SPEC_ID = 1,
    DECORATION_BLOCK = 2,
    DECORATION_BUFFER_BLOCK = 3,
    DECORATION_BUILT_IN = 11,
    DECORATION_NON_WRITABLE = 24,
    DECORATION_NON_READABLE = 25,
    DECORATION_BINDING = 33,
    DECORATION_SET = 34,
    DECORATION_OFFSET = 35
};
enum { MODEL_COMPUTE = 5, MODE_LOCAL_SIZE = 17, MODE_LOCAL_SIZE_ID = 38, BUILT_IN_GROUP = 25 };
enum storage {
    STORAGE_UNIFORM_CONSTANT = 0,
    STORAGE_UNIFORM = 2,
    STORAGE_LOCAL = 4,
    STORAGE_PUSH = 9,
    STORAGE_BUFFER = 12
};

/* What is known of an id. */
typedef struct spirv_id {
    uint32_t at;   /* word of the instruction that defines it; 0: none */
    uint32_t name; /* word where its name begins; 0: none */
    uint32_t spec, set, binding;
    bool has_spec, has_binding, buffer_block, group_size, read_only, write_only;
} spirv_id;

typedef struct spirv_reader {
    const unsigned char *bytes;
    uint32_t words, bound, steps;
    spirv_id *ids; /* (bound) */
    const char *entry;
    const hed_shader_value *values;
    uint32_t value_count;
    uint32_t mode_at, group_id; /* the execution mode with the group, and the constant that is it */
    hed_shader *shader;
    hed_error *error;
} spirv_reader;

static uint32_t spirv_word(const spirv_reader *r, uint32_t at)
{
    uint32_t word = 0;
    if (at < r->words) memcpy(&word, r->bytes + 4 * (size_t)at, 4);
    return word;
}

static uint32_t spirv_opcode(const spirv_reader *r, uint32_t at)
{
    return at ? spirv_word(r, at) & 0xffff : 0;
}
static uint32_t spirv_length(const spirv_reader *r, uint32_t at)
{
    return at ? spirv_word(r, at) >> 16 : 0; /* nothing is defined by the header */
}

/* Operand `index` of the instruction at `at`, from 1; 0 beyond its end. */
static uint32_t spirv_operand(const spirv_reader *r, uint32_t at, uint32_t index)
{
    return index < spirv_length(r, at) ? spirv_word(r, at + index) : 0;
}

static const spirv_id *spirv_of(const spirv_reader *r, uint32_t id)
{
    return &r->ids[id < r->bound ? id : 0]; /* id 0 is none, and nothing is known of it */
}

/* A text in the words from `at` on, cut to `size`; its end must be in the instruction. */
static void spirv_text(const spirv_reader *r, uint32_t at, char *to, size_t size)
{
    size_t used = 0;
    for (size_t i = 4 * (size_t)at; at && i < 4 * (size_t)r->words && r->bytes[i]; i++)
        if (used + 1 < size) to[used++] = (char)r->bytes[i];
    to[used] = 0;
}

static hed_status spirv_wrong(const spirv_reader *r, uint32_t at, const char *what)
{
    return hed_fail(r->error, HED_ERROR_FORMAT, "SPIR-V, word %u of %u: %s", at, r->words, what);
}

/* ---- the first pass ---- */

static void spirv_decorate(spirv_reader *r, spirv_id *id, uint32_t what, uint32_t value)
{
    if (what == DECORATION_SPEC_ID) id->spec = value, id->has_spec = true;
    if (what == DECORATION_BINDING) id->binding = value, id->has_binding = true;
    if (what == DECORATION_SET) id->set = value;
    if (what == DECORATION_BUFFER_BLOCK) id->buffer_block = true;
    if (what == DECORATION_NON_WRITABLE) id->read_only = true;
    if (what == DECORATION_NON_READABLE) id->write_only = true;
    if (what == DECORATION_BUILT_IN && value == BUILT_IN_GROUP)
        r->group_id = (uint32_t)(id - r->ids);
}

/* The place of the result among an instruction's operands; 0: it has none, or is of no interest. */
static uint32_t spirv_result(uint32_t opcode)
{
    if (opcode >= OP_TYPE_BOOL && opcode <= OP_TYPE_POINTER) return 1;
    if ((opcode >= OP_CONSTANT_TRUE && opcode <= OP_SPEC_OP) || opcode == OP_VARIABLE) return 2;
    return 0;
}

static hed_status spirv_note(spirv_reader *r, uint32_t at, uint32_t *function)
{
    uint32_t opcode = spirv_opcode(r, at), first = spirv_operand(r, at, 1);
    uint32_t result = spirv_result(opcode), id = result ? spirv_operand(r, at, result) : first;
    char name[HED_SHADER_NAME];
    if (opcode == OP_ENTRY_POINT && first == MODEL_COMPUTE) {
        spirv_text(r, at + 3, name, sizeof name);
        if (!strcmp(name, r->entry)) *function = spirv_operand(r, at, 2);
    }
    bool mode = opcode == OP_EXECUTION_MODE || opcode == OP_EXECUTION_MODE_ID;
    uint32_t kind = spirv_operand(r, at, 2);
    if (mode && first == *function && (kind == MODE_LOCAL_SIZE || kind == MODE_LOCAL_SIZE_ID))
        r->mode_at = at;
    if (!result && opcode != OP_NAME && opcode != OP_DECORATE) return HED_OK;
    if (id == 0 || id >= r->bound) return spirv_wrong(r, at, "an id that is not below the bound");
    if (opcode == OP_NAME && spirv_length(r, at) > 2) r->ids[id].name = at + 2;
    if (opcode == OP_DECORATE)
        spirv_decorate(r, &r->ids[id], spirv_operand(r, at, 2), spirv_operand(r, at, 3));
    if (result) r->ids[id].at = at;
    return HED_OK;
}

static hed_status spirv_scan(spirv_reader *r)
{
    uint32_t function = 0;
    for (uint32_t at = HEADER, length; at < r->words; at += length) {
        length = spirv_length(r, at);
        if (length == 0 || length > r->words - at)
            return spirv_wrong(r, at, "an instruction of 0 words, or one that is cut short");
        hed_status status = spirv_note(r, at, &function);
        if (status) return status;
    }
    if (function) return HED_OK;
    return hed_fail(r->error, HED_ERROR_FORMAT,
        "SPIR-V: no compute shader with the entry point \"%.60s\" is in this module", r->entry);
}

/* ---- types ---- */

static bool spirv_fine(spirv_reader *r, uint32_t depth)
{
    return depth < MOST_DEPTH && ++r->steps < MOST_STEPS;
}

static hed_type spirv_scalar(const spirv_reader *r, uint32_t type)
{
    uint32_t at = spirv_of(r, type)->at, width = spirv_operand(r, at, 2);
    bool is_signed = spirv_operand(r, at, 3);
    if (spirv_opcode(r, at) == OP_TYPE_FLOAT)
        return width == 32 ? HED_FLOAT : width == 64 ? HED_DOUBLE : HED_BYTES;
    if (spirv_opcode(r, at) != OP_TYPE_INT) return HED_BYTES;
    if (width == 32) return is_signed ? HED_INT32 : HED_UINT32;
    return width == 64 ? is_signed ? HED_INT64 : HED_UINT64 : HED_BYTES;
}

static bool spirv_evaluate(spirv_reader *r, uint32_t id, uint32_t depth, int64_t *value);

/* Bytes that a type takes, without padding but for vectors' own; false: not known. */
static bool spirv_bytes(spirv_reader *r, uint32_t type, uint32_t depth, uint64_t *bytes)
{
    uint32_t at = spirv_of(r, type)->at, inner = spirv_operand(r, at, 2);
    int64_t count = spirv_operand(r, at, 3);
    uint64_t each = 0;
    *bytes = 0;
    if (!spirv_fine(r, depth)) return false;
    switch (spirv_opcode(r, at)) {
    case OP_TYPE_BOOL: *bytes = 4; return true;
    case OP_TYPE_INT:
    case OP_TYPE_FLOAT: *bytes = (inner + 7) / 8; return true;
    case OP_TYPE_ARRAY:
        if (!spirv_evaluate(r, (uint32_t)count, depth + 1, &count) || count < 0) return false;
        __attribute__((fallthrough));
    case OP_TYPE_VECTOR:
    case OP_TYPE_MATRIX:
        return spirv_bytes(r, inner, depth + 1, &each) &&
               !__builtin_mul_overflow(each, (uint64_t)count, bytes);
    case OP_TYPE_RUNTIME_ARRAY: return true;
    case OP_TYPE_STRUCT:
        for (uint32_t i = 2; i < spirv_length(r, at); i++)
            if (!spirv_bytes(r, spirv_operand(r, at, i), depth + 1, &each) ||
                __builtin_add_overflow(*bytes, each, bytes))
                return false;
        return true;
    default: return false;
    }
}

/* ---- constants ---- */

/* A literal as wide as its type; narrower ones are extended by the compiler that wrote them. */
static int64_t spirv_literal(const spirv_reader *r, uint32_t at)
{
    hed_type type = spirv_scalar(r, spirv_operand(r, at, 1));
    uint32_t low = spirv_operand(r, at, 3);
    uint64_t both = low | (uint64_t)spirv_operand(r, at, 4) << 32;
    float narrow;
    double wide;
    memcpy(&narrow, &low, sizeof narrow);
    memcpy(&wide, &both, sizeof wide);
    if (type == HED_FLOAT) wide = (double)narrow;
    if (type == HED_FLOAT || type == HED_DOUBLE)
        return wide > -0x1p62 && wide < 0x1p62 ? (int64_t)wide : 0;
    if (type == HED_INT64 || type == HED_UINT64) return (int64_t)both;
    return type == HED_UINT32 ? (int64_t)low : (int64_t)(int32_t)low;
}

static const hed_shader_value *spirv_given(const spirv_reader *r, uint32_t spec)
{
    for (uint32_t i = 0; i < r->value_count; i++)
        if (r->values[i].id == spec) return &r->values[i];
    return NULL;
}

/* Operations on whole numbers, as lengths of arrays are written with. */
static bool spirv_operate(uint32_t opcode, const int64_t v[3], int64_t *value)
{
    uint64_t a = (uint64_t)v[0], b = (uint64_t)v[1];
    bool divides = v[1] != 0 && !(v[0] == INT64_MIN && v[1] == -1);
    switch (opcode) {
    case 126: *value = (int64_t)-a; return true;                  /* SNegate */
    case 128: *value = (int64_t)(a + b); return true;             /* IAdd */
    case 130: *value = (int64_t)(a - b); return true;             /* ISub */
    case 132: *value = (int64_t)(a * b); return true;             /* IMul */
    case 134:                                                     /* UDiv */
    case 135: *value = divides ? v[0] / v[1] : 0; return divides; /* SDiv */
    case 137:                                                     /* UMod */
    case 138:                                                     /* SRem */
    case 139: *value = divides ? v[0] % v[1] : 0; return divides; /* SMod */
    case 164: *value = v[0] == v[1]; return true;                 /* LogicalEqual */
    case 165: *value = v[0] != v[1]; return true;                 /* LogicalNotEqual */
    case 166: *value = v[0] || v[1]; return true;                 /* LogicalOr */
    case 167: *value = v[0] && v[1]; return true;                 /* LogicalAnd */
    case 168: *value = !v[0]; return true;                        /* LogicalNot */
    case 169: *value = v[0] ? v[1] : v[2]; return true;           /* Select */
    case 170: *value = v[0] == v[1]; return true;                 /* IEqual */
    case 171: *value = v[0] != v[1]; return true;                 /* INotEqual */
    case 172:
    case 173: *value = v[0] > v[1]; return true; /* UGreaterThan, SGreaterThan */
    case 174:
    case 175: *value = v[0] >= v[1]; return true; /* UGreaterThanEqual, S... */
    case 176:
    case 177: *value = v[0] < v[1]; return true; /* ULessThan, SLessThan */
    case 178:
    case 179: *value = v[0] <= v[1]; return true; /* ULessThanEqual, S... */
    case 194:
    case 195: *value = (int64_t)(a >> (b & 31)); return true; /* shifts right */
    case 196: *value = (int64_t)(uint32_t)(a << (b & 31)); return true;
    case 197: *value = (int64_t)(a | b); return true;
    case 198: *value = (int64_t)(a ^ b); return true;
    case 199: *value = (int64_t)(a & b); return true;
    default: return false;
    }
}

static bool spirv_evaluate(spirv_reader *r, uint32_t id, uint32_t depth, int64_t *value)
{
    const spirv_id *of = spirv_of(r, id);
    const hed_shader_value *given = of->has_spec ? spirv_given(r, of->spec) : NULL;
    uint32_t opcode = spirv_opcode(r, of->at);
    int64_t operands[3] = {0};
    *value = 0;
    if (!of->at || !spirv_fine(r, depth)) return false;
    if (given) *value = given->value;
    else if (opcode == OP_CONSTANT_TRUE || opcode == OP_SPEC_TRUE) *value = 1;
    else if (opcode == OP_CONSTANT || opcode == OP_SPEC_CONSTANT) *value = spirv_literal(r, of->at);
    if (opcode != OP_SPEC_OP)
        return given || (opcode >= OP_CONSTANT_TRUE && opcode <= OP_CONSTANT) ||
               (opcode >= OP_SPEC_TRUE && opcode <= OP_SPEC_CONSTANT);
    uint32_t length = spirv_length(r, of->at);
    for (uint32_t i = 0; i < 3 && 4 + i < length; i++)
        if (!spirv_evaluate(r, spirv_operand(r, of->at, 4 + i), depth + 1, &operands[i]))
            return false;
    return spirv_operate(spirv_operand(r, of->at, 3), operands, value);
}

static int32_t spirv_constant_of(const hed_shader *shader, uint32_t spec)
{
    for (uint32_t i = 0; i < shader->constant_count; i++)
        if (shader->constants[i].id == spec) return (int32_t)i;
    return -1;
}

static hed_status spirv_add_constant(spirv_reader *r, const spirv_id *of)
{
    hed_shader *shader = r->shader;
    int32_t index = spirv_constant_of(shader, of->spec);
    uint32_t opcode = spirv_opcode(r, of->at);
    char name[HED_SHADER_NAME];
    spirv_text(r, of->name, name, sizeof name);
    if (index < 0 && shader->constant_count == HED_SHADER_CONSTANTS)
        return hed_fail(r->error, HED_ERROR_LIMIT, "SPIR-V: more than %d specialization constants",
            HED_SHADER_CONSTANTS);
    if (index < 0) { /* in the order of their ids */
        index = (int32_t)shader->constant_count++;
        for (; index > 0 && shader->constants[index - 1].id > of->spec; index--)
            shader->constants[index] = shader->constants[index - 1];
    } else if (!name[0]) return HED_OK; /* GLSL's local_size_x_id beside the constant itself */
    hed_shader_constant *constant = &shader->constants[index];
    *constant = (hed_shader_constant){.id = of->spec,
        .type = spirv_scalar(r, spirv_operand(r, of->at, 1)),
        .value = opcode == OP_SPEC_CONSTANT ? spirv_literal(r, of->at) : opcode == OP_SPEC_TRUE};
    memcpy(constant->name, name, sizeof name);
    return HED_OK;
}

/* ---- variables ---- */

/* Name, offset and access of a member of a struct, which stand in instructions of their own. */
typedef struct spirv_member {
    char name[HED_SHADER_NAME];
    uint32_t offset;
    bool read_only, write_only;
} spirv_member;

static spirv_member spirv_find_member(const spirv_reader *r, uint32_t type, uint32_t index)
{
    spirv_member member = {.offset = 0};
    for (uint32_t at = HEADER; at < r->words; at += spirv_length(r, at)) {
        uint32_t opcode = spirv_opcode(r, at);
        if (opcode == OP_TYPE_POINTER) break; /* names and decorations stand before all types */
        if (opcode != OP_MEMBER_NAME && opcode != OP_MEMBER_DECORATE) continue;
        if (spirv_operand(r, at, 1) != type || spirv_operand(r, at, 2) != index) continue;
        uint32_t what = spirv_operand(r, at, 3);
        if (opcode == OP_MEMBER_NAME) spirv_text(r, at + 3, member.name, sizeof member.name);
        else if (what == DECORATION_OFFSET) member.offset = spirv_operand(r, at, 4);
        else if (what == DECORATION_NON_WRITABLE) member.read_only = true;
        else if (what == DECORATION_NON_READABLE) member.write_only = true;
    }
    return member;
}

static hed_status spirv_refuse(const spirv_reader *r, const spirv_id *variable, const char *what)
{
    char name[HED_SHADER_NAME];
    spirv_text(r, variable->name, name, sizeof name);
    return hed_fail(r->error, HED_ERROR_UNSUPPORTED,
        "SPIR-V: \"%s\" (set %u, binding %u) is %s: Heddle binds storage and uniform buffers, "
        "scalars go into push constants",
        name, variable->set, variable->binding, what);
}

static hed_status spirv_add_binding(
    spirv_reader *r, const spirv_id *variable, uint32_t storage, uint32_t type)
{
    hed_shader *shader = r->shader;
    const spirv_id *of = spirv_of(r, type);
    uint32_t kind = spirv_opcode(r, of->at), members = spirv_length(r, of->at) - 2;
    if (kind >= OP_TYPE_IMAGE && kind <= OP_TYPE_SAMPLED_IMAGE)
        return spirv_refuse(r, variable, "a texture, a storage image or a sampler");
    if (kind == OP_TYPE_ARRAY || kind == OP_TYPE_RUNTIME_ARRAY)
        return spirv_refuse(r, variable, "an array of buffers or textures");
    if (kind != OP_TYPE_STRUCT || members == 0 || storage == STORAGE_UNIFORM_CONSTANT)
        return spirv_refuse(r, variable, "no buffer");
    if (shader->binding_count == HED_SHADER_BINDINGS)
        return hed_fail(
            r->error, HED_ERROR_LIMIT, "SPIR-V: more than %d buffers", HED_SHADER_BINDINGS);
    hed_shader_binding made = {.set = variable->set,
        .binding = variable->binding,
        .uniform = storage == STORAGE_UNIFORM && !of->buffer_block,
        .components = 1};
    bool read_only = true, write_only = true;
    spirv_member last = {.offset = 0};
    for (uint32_t i = 0; i < members && spirv_fine(r, 0); i++) {
        last = spirv_find_member(r, type, i);
        read_only = read_only && last.read_only;
        write_only = write_only && last.write_only;
    }
    bool reads = made.uniform || variable->read_only || read_only;
    made.access = reads                                ? HED_READ
                  : variable->write_only || write_only ? HED_WRITE
                                                       : HED_READ_WRITE;
    spirv_text(r, of->name, made.block, sizeof made.block);
    spirv_text(r, variable->name, made.name, sizeof made.name);
    if (!made.name[0]) memcpy(made.name, members == 1 ? last.name : made.block, sizeof made.name);
    uint32_t element = spirv_operand(r, of->at, members + 1), at = spirv_of(r, element)->at;
    if (spirv_opcode(r, at) == OP_TYPE_ARRAY || spirv_opcode(r, at) == OP_TYPE_RUNTIME_ARRAY)
        element = spirv_operand(r, at, 2), at = spirv_of(r, element)->at;
    if (spirv_opcode(r, at) == OP_TYPE_VECTOR)
        made.components = spirv_operand(r, at, 3), element = spirv_operand(r, at, 2);
    made.type = spirv_scalar(r, element);
    for (uint32_t i = 0; i < shader->binding_count; i++) {
        hed_shader_binding *other = &shader->bindings[i];
        if (other->set != made.set || other->binding != made.binding) continue;
        if (other->access != made.access)
            other->access = HED_READ_WRITE; /* one buffer, two types */
        return HED_OK;
    }
    uint32_t place = shader->binding_count++;
    for (; place > 0; place--) {
        const hed_shader_binding *before = &shader->bindings[place - 1];
        if (before->set < made.set || (before->set == made.set && before->binding <= made.binding))
            break;
        shader->bindings[place] = *before;
    }
    shader->bindings[place] = made;
    return HED_OK;
}

static hed_status spirv_add_members(spirv_reader *r, uint32_t type, uint32_t variable_at)
{
    hed_shader *shader = r->shader;
    uint32_t at = spirv_of(r, type)->at;
    uint64_t bytes = 0;
    if (spirv_opcode(r, at) != OP_TYPE_STRUCT)
        return spirv_wrong(r, variable_at, "push constants that are no struct");
    for (uint32_t i = 2; i < spirv_length(r, at); i++) {
        uint32_t of = spirv_operand(r, at, i);
        if (shader->member_count == HED_SHADER_MEMBERS)
            return hed_fail(r->error, HED_ERROR_LIMIT, "SPIR-V: more than %d push constants",
                HED_SHADER_MEMBERS);
        spirv_member found = spirv_find_member(r, type, i - 2);
        if (!spirv_bytes(r, of, 0, &bytes) || bytes > 1 << 16 || found.offset > 1 << 16)
            return spirv_wrong(r, at, "a push constant of unknown size");
        hed_shader_member *member = &shader->members[shader->member_count++];
        *member = (hed_shader_member){
            .type = spirv_scalar(r, of), .offset = found.offset, .size = (uint32_t)bytes};
        memcpy(member->name, found.name, sizeof member->name);
        uint32_t end = member->offset + member->size;
        if (end > shader->member_bytes) shader->member_bytes = end;
    }
    return HED_OK;
}

static hed_status spirv_add_variable(spirv_reader *r, uint32_t at)
{
    const spirv_id *variable = spirv_of(r, spirv_operand(r, at, 2));
    uint32_t pointer = spirv_of(r, spirv_operand(r, at, 1))->at;
    uint32_t storage = spirv_operand(r, at, 3), type = spirv_operand(r, pointer, 3);
    uint64_t bytes = 0;
    if (spirv_opcode(r, pointer) != OP_TYPE_POINTER)
        return spirv_wrong(r, at, "a variable whose type is no pointer");
    if (storage == STORAGE_PUSH) return spirv_add_members(r, type, at);
    if (storage == STORAGE_LOCAL) {
        if (!spirv_bytes(r, type, 0, &bytes) || bytes > UINT64_MAX / 2 - r->shader->local_bytes)
            return spirv_wrong(r, at, "a shared array whose length cannot be computed");
        r->shader->local_bytes += (bytes + 15) & ~(uint64_t)15;
    }
    if (storage == STORAGE_BUFFER || storage == STORAGE_UNIFORM ||
        storage == STORAGE_UNIFORM_CONSTANT)
        return spirv_add_binding(r, variable, storage, type);
    return HED_OK;
}

/* ---- local memory in words ---- */

/* An expression that is being written; what does not fit makes it all "". */
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

static void spirv_write(spirv_reader *r, uint32_t id, uint32_t depth, spirv_words *to)
{
    const spirv_id *of = spirv_of(r, id);
    uint32_t opcode = spirv_opcode(r, of->at), what = spirv_operand(r, of->at, 3);
    int64_t value = 0;
    int32_t constant = of->has_spec ? spirv_constant_of(r->shader, of->spec) : -1;
    if (to->failed || !spirv_fine(r, depth)) {
        to->failed = true;
    } else if (constant >= 0 && r->shader->constants[constant].name[0]) {
        spirv_put(to, "%s", r->shader->constants[constant].name);
    } else if (constant >= 0) {
        spirv_put(to, "constant_%u", of->spec);
    } else if (opcode != OP_SPEC_OP) {
        to->failed = !spirv_evaluate(r, id, depth, &value);
        spirv_put(to, "%lld", (long long)value);
    } else if (what == 169) {
        spirv_put(to, "select(");
        spirv_write(r, spirv_operand(r, of->at, 6), depth + 1, to);
        spirv_put(to, ", ");
        spirv_write(r, spirv_operand(r, of->at, 5), depth + 1, to);
        spirv_put(to, ", ");
        spirv_write(r, spirv_operand(r, of->at, 4), depth + 1, to);
        spirv_put(to, ")");
    } else if (spirv_sign(what)) {
        spirv_put(to, "(");
        spirv_write(r, spirv_operand(r, of->at, 4), depth + 1, to);
        spirv_put(to, " %s ", spirv_sign(what));
        spirv_write(r, spirv_operand(r, of->at, 5), depth + 1, to);
        spirv_put(to, ")");
    } else {
        to->failed = true;
    }
}

/* Bytes of a type: an array's are those of its element as often as its length says. */
static void spirv_write_bytes(spirv_reader *r, uint32_t type, spirv_words *to)
{
    uint32_t depth = 0, at = spirv_of(r, type)->at;
    uint64_t bytes = 0;
    for (; spirv_opcode(r, at) == OP_TYPE_ARRAY && !to->failed; depth++) {
        spirv_write(r, spirv_operand(r, at, 3), depth, to);
        spirv_put(to, " * ");
        at = spirv_of(r, type = spirv_operand(r, at, 2))->at;
    }
    if (!spirv_bytes(r, type, 0, &bytes)) to->failed = true;
    spirv_put(to, "%llu", (unsigned long long)bytes);
}

static void spirv_write_local(spirv_reader *r)
{
    spirv_words to = {.text = r->shader->local_text};
    for (uint32_t at = HEADER; at < r->words; at += spirv_length(r, at)) {
        uint32_t pointer = spirv_of(r, spirv_operand(r, at, 1))->at;
        if (spirv_opcode(r, at) != OP_VARIABLE || spirv_operand(r, at, 3) != STORAGE_LOCAL)
            continue;
        if (to.used) spirv_put(&to, " + ");
        spirv_write_bytes(r, spirv_operand(r, pointer, 3), &to);
    }
    if (to.failed) r->shader->local_text[0] = 0;
}

/* ---- the group ---- */

static void spirv_set_size(spirv_reader *r, uint32_t i, uint32_t id)
{
    int64_t size = 0;
    if (!spirv_evaluate(r, id, 0, &size) || size < 0 || size > UINT32_MAX) size = 0;
    r->shader->group[i] = (uint32_t)size;
    const spirv_id *of = spirv_of(r, id);
    if (of->has_spec) r->shader->group_constant[i] = spirv_constant_of(r->shader, of->spec);
}

/* The constant that is decorated as the size goes before the execution mode. */
static hed_status spirv_read_group(spirv_reader *r)
{
    uint32_t composite = spirv_of(r, r->group_id)->at;
    bool by_id = spirv_operand(r, r->mode_at, 2) == MODE_LOCAL_SIZE_ID;
    for (uint32_t i = 0; i < 3; i++) {
        r->shader->group_constant[i] = -1;
        uint32_t size = spirv_operand(r, r->mode_at, 3 + i);
        if (composite) spirv_set_size(r, i, spirv_operand(r, composite, 3 + i));
        else if (by_id) spirv_set_size(r, i, size);
        else r->shader->group[i] = size;
        if (!r->shader->group[i])
            return spirv_wrong(
                r, composite ? composite : r->mode_at, "a group of 0 work items, or of no size");
    }
    return HED_OK;
}

/* ---- the whole ---- */

static hed_status spirv_read(spirv_reader *r)
{
    hed_status status = spirv_scan(r);
    for (uint32_t i = 1; i < r->bound && !status; i++)
        if (r->ids[i].has_spec && r->ids[i].at) status = spirv_add_constant(r, &r->ids[i]);
    for (uint32_t at = HEADER; at < r->words && !status; at += spirv_length(r, at))
        if (spirv_opcode(r, at) == OP_VARIABLE) status = spirv_add_variable(r, at);
    if (!status) spirv_write_local(r);
    return status ? status : spirv_read_group(r);
}

bool hed_shader_is_spirv(const void *bytes, size_t size)
{
    uint32_t word = 0;
    if (size >= 4 * HEADER) memcpy(&word, bytes, 4);
    return word == MAGIC;
}

hed_status hed_shader_read_spirv(const void *bytes, size_t size, const char *entry,
    const hed_shader_value *values, uint32_t value_count, const hed_allocator *allocator,
    hed_shader *shader, hed_error *error)
{
    if (hed_failed(error)) return error->status;
    spirv_reader reader = {.bytes = bytes,
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
    reader.bound = spirv_word(&reader, 3);
    if (reader.bound == 0 || reader.bound > MOST_IDS)
        return hed_fail(error, HED_ERROR_FORMAT, "SPIR-V: a bound of %u ids: expected 1 to %d",
            reader.bound, MOST_IDS);
    reader.ids = hed_allocate(allocator, reader.bound * sizeof *reader.ids);
    if (!reader.ids)
        return hed_fail(error, HED_ERROR_MEMORY, "no memory for %u ids of SPIR-V", reader.bound);
    hed_status status = spirv_read(&reader);
    hed_release(allocator, reader.ids, reader.bound * sizeof *reader.ids);
    return status;
}
