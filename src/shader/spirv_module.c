/* Modules of SPIR-V (Khronos, SPIR-V Specification 1.6): definition and decorations of each id,
 * types and constants. A module is an array of words: a header of five, then instructions, each
 * with its length in the high half of its first word. */
#include "shader/spirv_module.h"

#include "base/error.h"

/* maximum depth of nested types and expressions, and of steps in all */
enum { MOST_DEPTH = 32, MOST_STEPS = 100000 };

void hed_spirv_text(const hed_spirv_reader *r, uint32_t at, char *to, size_t size)
{
    size_t used = 0;
    for (size_t i = 4 * (size_t)at; at && i < 4 * (size_t)r->words && r->bytes[i]; i++)
        if (used + 1 < size) to[used++] = (char)r->bytes[i];
    to[used] = 0;
}

hed_status hed_spirv_name(const hed_spirv_reader *r, uint32_t at, char *to)
{
    size_t length = 0;
    hed_spirv_text(r, at, to, HED_SHADER_NAME);
    for (size_t i = 4 * (size_t)at; at && i < 4 * (size_t)r->words && r->bytes[i]; i++) length++;
    if (length < HED_SHADER_NAME) return HED_OK;
    return hed_fail(r->error, HED_ERROR_LIMIT,
        "SPIR-V: the name \"%.60s...\" has %zu characters; expected at most %d", to, length,
        HED_SHADER_NAME - 1);
}

/* True if the text in the words from `at` on is `text`. */
static bool spirv_is(const hed_spirv_reader *r, uint32_t at, const char *text)
{
    size_t size = strlen(text) + 1, from = 4 * (size_t)at, total = 4 * (size_t)r->words;
    return from < total && size <= total - from && memcmp(r->bytes + from, text, size) == 0;
}

hed_status hed_spirv_wrong(const hed_spirv_reader *r, uint32_t at, const char *problem)
{
    return hed_fail(r->error, HED_ERROR_FORMAT, "SPIR-V, word %u of %u: %s", at, r->words, problem);
}

/* ---- the first pass ---- */

static void spirv_decorate(
    hed_spirv_reader *r, hed_spirv_id *id, uint32_t decoration, uint32_t value)
{
    if (decoration == DECORATION_SPEC_ID) id->spec = value, id->has_spec = true;
    if (decoration == DECORATION_BINDING) id->binding = value, id->has_binding = true;
    if (decoration == DECORATION_SET) id->set = value;
    if (decoration == DECORATION_ARRAY_STRIDE) id->stride = value;
    if (decoration == DECORATION_BUFFER_BLOCK) id->buffer_block = true;
    if (decoration == DECORATION_NON_WRITABLE) id->read_only = true;
    if (decoration == DECORATION_NON_READABLE) id->write_only = true;
    if (decoration == DECORATION_BUILT_IN && value == BUILT_IN_GROUP)
        r->group_id = (uint32_t)(id - r->ids);
    if (decoration == DECORATION_BUILT_IN &&
        (value == BUILT_IN_GROUPS || value == BUILT_IN_GROUP_ID || value == BUILT_IN_GLOBAL_ID))
        r->shader->reads_launch = true;
}

/* Returns the position of the result among an instruction's operands; 0: no result, or not
 * needed. */
static uint32_t spirv_result(uint32_t opcode)
{
    if (opcode >= OP_TYPE_BOOL && opcode <= OP_TYPE_POINTER) return 1;
    if (opcode == OP_TYPE_ACCELERATION_STRUCTURE) return 1;
    if ((opcode >= OP_CONSTANT_TRUE && opcode <= OP_SPEC_OP) || opcode == OP_VARIABLE) return 2;
    return 0;
}

static hed_status spirv_note(hed_spirv_reader *r, uint32_t at, uint32_t *function)
{
    uint32_t opcode = hed_spirv_opcode(r, at), first = hed_spirv_operand(r, at, 1);
    uint32_t result = spirv_result(opcode), id = result ? hed_spirv_operand(r, at, result) : first;
    if (opcode == OP_CAPABILITY)
        r->shader->uses_subgroups =
            r->shader->uses_subgroups || first == CAPABILITY_BALLOT || first == CAPABILITY_VOTE ||
            (first >= CAPABILITY_SUBGROUPS && first <= CAPABILITY_LAST_SUBGROUPS);
    if (opcode == OP_ENTRY_POINT && first == MODEL_COMPUTE && spirv_is(r, at + 3, r->entry))
        *function = hed_spirv_operand(r, at, 2);
    bool mode = opcode == OP_EXECUTION_MODE || opcode == OP_EXECUTION_MODE_ID;
    uint32_t kind = hed_spirv_operand(r, at, 2);
    if (mode && first == *function && (kind == MODE_LOCAL_SIZE || kind == MODE_LOCAL_SIZE_ID))
        r->mode_at = at;
    if (!result && opcode != OP_NAME && opcode != OP_DECORATE) return HED_OK;
    if (id == 0 || id >= r->bound)
        return hed_spirv_wrong(r, at, "an id that is not below the bound");
    if (opcode == OP_NAME && hed_spirv_length(r, at) > 2) r->ids[id].name = at + 2;
    if (opcode == OP_DECORATE)
        spirv_decorate(r, &r->ids[id], hed_spirv_operand(r, at, 2), hed_spirv_operand(r, at, 3));
    if (result) r->ids[id].at = at;
    return HED_OK;
}

hed_status hed_spirv_scan(hed_spirv_reader *r)
{
    uint32_t function = 0;
    for (uint32_t at = HED_SPIRV_HEADER, length; at < r->words; at += length) {
        length = hed_spirv_length(r, at);
        if (length == 0 || length > r->words - at)
            return hed_spirv_wrong(r, at, "an instruction of 0 words, or one that is cut short");
        hed_status status = spirv_note(r, at, &function);
        if (status) return status;
    }
    if (function) return HED_OK;
    return hed_fail(r->error, HED_ERROR_FORMAT,
        "SPIR-V: no compute shader with the entry point \"%.60s\" is in this module", r->entry);
}

/* ---- types ---- */

bool hed_spirv_fine(hed_spirv_reader *r, uint32_t depth)
{
    return depth < MOST_DEPTH && ++r->steps < MOST_STEPS;
}

hed_type hed_spirv_scalar(const hed_spirv_reader *r, uint32_t type)
{
    uint32_t at = hed_spirv_of(r, type)->at, width = hed_spirv_operand(r, at, 2);
    bool is_signed = hed_spirv_operand(r, at, 3);
    if (hed_spirv_opcode(r, at) == OP_TYPE_FLOAT)
        return width == 32 ? HED_FLOAT : width == 64 ? HED_DOUBLE : HED_BYTES;
    if (hed_spirv_opcode(r, at) != OP_TYPE_INT) return HED_BYTES;
    if (width == 32) return is_signed ? HED_INT32 : HED_UINT32;
    return width == 64 ? is_signed ? HED_INT64 : HED_UINT64 : HED_BYTES;
}

bool hed_spirv_bytes(hed_spirv_reader *r, uint32_t type, uint32_t depth, uint64_t *bytes)
{
    uint32_t at = hed_spirv_of(r, type)->at, inner = hed_spirv_operand(r, at, 2);
    int64_t count = hed_spirv_operand(r, at, 3);
    uint64_t element_bytes = 0;
    *bytes = 0;
    if (!hed_spirv_fine(r, depth)) return false;
    switch (hed_spirv_opcode(r, at)) {
    case OP_TYPE_BOOL: *bytes = 4; return true;
    case OP_TYPE_INT:
    case OP_TYPE_FLOAT: *bytes = (inner + 7) / 8; return true;
    case OP_TYPE_ARRAY:
        if (!hed_spirv_evaluate(r, (uint32_t)count, depth + 1, &count) || count < 0) return false;
        __attribute__((fallthrough));
    case OP_TYPE_VECTOR:
    case OP_TYPE_MATRIX:
        return hed_spirv_bytes(r, inner, depth + 1, &element_bytes) &&
               !__builtin_mul_overflow(element_bytes, (uint64_t)count, bytes);
    case OP_TYPE_RUNTIME_ARRAY: return true;
    case OP_TYPE_STRUCT:
        for (uint32_t i = 2; i < hed_spirv_length(r, at); i++)
            if (!hed_spirv_bytes(r, hed_spirv_operand(r, at, i), depth + 1, &element_bytes) ||
                __builtin_add_overflow(*bytes, element_bytes, bytes))
                return false;
        return true;
    default: return false;
    }
}

/* ---- constants ---- */

int64_t hed_spirv_literal(const hed_spirv_reader *r, uint32_t at)
{
    hed_type type = hed_spirv_scalar(r, hed_spirv_operand(r, at, 1));
    uint32_t low = hed_spirv_operand(r, at, 3);
    uint64_t bits = low | (uint64_t)hed_spirv_operand(r, at, 4) << 32;
    float narrow;
    double wide;
    memcpy(&narrow, &low, sizeof narrow);
    memcpy(&wide, &bits, sizeof wide);
    if (type == HED_FLOAT) wide = (double)narrow;
    if (type == HED_FLOAT || type == HED_DOUBLE)
        return wide > -0x1p62 && wide < 0x1p62 ? (int64_t)wide : 0;
    if (type == HED_INT64 || type == HED_UINT64) return (int64_t)bits;
    return type == HED_UINT32 ? (int64_t)low : (int64_t)(int32_t)low;
}

static const hed_shader_value *spirv_given(const hed_spirv_reader *r, uint32_t spec)
{
    for (uint32_t i = 0; i < r->value_count; i++)
        if (r->values[i].id == spec) return &r->values[i];
    return NULL;
}

/* Computes an operation on whole numbers, as used in lengths of arrays; false if it is undefined or
 * unknown. */
static bool spirv_operate(uint32_t opcode, const int64_t v[3], int64_t *value)
{
    uint64_t a = (uint64_t)v[0], b = (uint64_t)v[1];
    bool divides = v[1] != 0 && !(v[0] == INT64_MIN && v[1] == -1);
    switch (opcode) {
    case 113:                                                     /* UConvert */
    case 114:                                                     /* SConvert */
    case 124: *value = v[0]; return true;                         /* Bitcast */
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
    case 200: *value = (int64_t)(uint32_t)~a; return true;
    default: return false;
    }
}

uint32_t hed_spirv_extracted(const hed_spirv_reader *r, uint32_t id)
{
    enum { COMPOSITE_EXTRACT = 81, OPERATION = 3, COMPOSITE, INDEX, FIRST = 3 }; /* operands */
    uint32_t at = hed_spirv_of(r, id)->at;
    bool is_one = hed_spirv_opcode(r, at) == OP_SPEC_OP && hed_spirv_length(r, at) == INDEX + 1 &&
                  hed_spirv_operand(r, at, OPERATION) == COMPOSITE_EXTRACT;
    uint32_t composite = is_one ? hed_spirv_of(r, hed_spirv_operand(r, at, COMPOSITE))->at : 0,
             opcode = hed_spirv_opcode(r, composite), index = hed_spirv_operand(r, at, INDEX);
    bool has_members = opcode == OP_CONSTANT_COMPOSITE || opcode == OP_SPEC_COMPOSITE;
    return has_members && index < hed_spirv_length(r, composite)
               ? hed_spirv_operand(r, composite, FIRST + index)
               : 0;
}

bool hed_spirv_evaluate(hed_spirv_reader *r, uint32_t id, uint32_t depth, int64_t *value)
{
    const hed_spirv_id *of = hed_spirv_of(r, id);
    const hed_shader_value *override = of->has_spec ? spirv_given(r, of->spec) : NULL;
    uint32_t opcode = hed_spirv_opcode(r, of->at);
    int64_t operands[3] = {0};
    *value = 0;
    if (!of->at || !hed_spirv_fine(r, depth)) return false;
    if (override) *value = override->value;
    else if (opcode == OP_CONSTANT_TRUE || opcode == OP_SPEC_TRUE) *value = 1;
    else if (opcode == OP_CONSTANT || opcode == OP_SPEC_CONSTANT)
        *value = hed_spirv_literal(r, of->at);
    if (opcode != OP_SPEC_OP)
        return override || (opcode >= OP_CONSTANT_TRUE && opcode <= OP_CONSTANT) ||
               (opcode >= OP_SPEC_TRUE && opcode <= OP_SPEC_CONSTANT);
    uint32_t member = hed_spirv_extracted(r, id);
    if (member) return hed_spirv_evaluate(r, member, depth + 1, value);
    uint32_t length = hed_spirv_length(r, of->at);
    for (uint32_t i = 0; i < 3 && 4 + i < length; i++)
        if (!hed_spirv_evaluate(r, hed_spirv_operand(r, of->at, 4 + i), depth + 1, &operands[i]))
            return false;
    return spirv_operate(hed_spirv_operand(r, of->at, 3), operands, value);
}
