/* A module of SPIR-V being read: instructions by their position in words, and properties of ids. */
#ifndef HED_SHADER_SPIRV_MODULE_H
#define HED_SHADER_SPIRV_MODULE_H

#include <string.h>

#include "heddle/shader.h"

enum { HED_SPIRV_HEADER = 5 }; /* words */

enum opcode {
    OP_NAME = 5,
    OP_MEMBER_NAME = 6,
    OP_ENTRY_POINT = 15,
    OP_CAPABILITY = 17,
    OP_EXECUTION_MODE = 16,
    OP_TYPE_BOOL = 20,
    OP_TYPE_INT = 21,
    OP_TYPE_FLOAT = 22,
    OP_TYPE_VECTOR = 23,
    OP_TYPE_MATRIX = 24,
    OP_TYPE_IMAGE = 25,
    OP_TYPE_SAMPLER = 26,
    OP_TYPE_ACCELERATION_STRUCTURE = 5341,
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
    OP_FUNCTION = 54,
    OP_VARIABLE = 59,
    OP_DECORATE = 71,
    OP_MEMBER_DECORATE = 72,
    OP_EXECUTION_MODE_ID = 331
};
enum decoration {
    DECORATION_SPEC_ID = 1,
    DECORATION_BLOCK = 2,
    DECORATION_BUFFER_BLOCK = 3,
    DECORATION_ARRAY_STRIDE = 6,
    DECORATION_MATRIX_STRIDE = 7,
    DECORATION_BUILT_IN = 11,
    DECORATION_NON_WRITABLE = 24,
    DECORATION_NON_READABLE = 25,
    DECORATION_BINDING = 33,
    DECORATION_SET = 34,
    DECORATION_OFFSET = 35
};
enum { MODEL_COMPUTE = 5, MODE_LOCAL_SIZE = 17, MODE_LOCAL_SIZE_ID = 38, BUILT_IN_GROUP = 25 };
/* built-in values by which groups differ, and capabilities of subgroups */
enum {
    BUILT_IN_GROUPS = 24,
    BUILT_IN_GROUP_ID = 26,
    BUILT_IN_GLOBAL_ID = 28,
    CAPABILITY_SUBGROUPS = 61,
    CAPABILITY_LAST_SUBGROUPS = 68,
    CAPABILITY_BALLOT = 4423,
    CAPABILITY_VOTE = 4431
};

/* Definition and decorations of an id. */
typedef struct hed_spirv_id {
    uint32_t at;   /* word of the instruction that defines it; 0: undefined */
    uint32_t name; /* word where its name begins; 0: unnamed */
    uint32_t spec, set, binding;
    uint32_t stride; /* stride of an array, bytes */
    bool has_spec, has_binding, buffer_block, group_size, read_only, write_only;
} hed_spirv_id;

typedef struct hed_spirv_reader {
    const unsigned char *bytes;
    uint32_t words, bound, steps;
    hed_spirv_id *ids; /* (bound) */
    const char *entry;
    const hed_shader_value *values;
    uint32_t value_count;
    /* the execution mode with the group, and the constant of the group's size */
    uint32_t mode_at, group_id;
    bool skips_unused;                       /* resources that no function uses are no bindings */
    uint32_t layout_count;                   /* structs in the shader's `layouts` */
    uint32_t variables[HED_SHADER_BINDINGS]; /* (binding_count) id of each binding's variable */
    hed_shader *shader;
    hed_error *error;
} hed_spirv_reader;

static inline uint32_t hed_spirv_word(const hed_spirv_reader *r, uint32_t at)
{
    uint32_t word = 0;
    if (at < r->words) memcpy(&word, r->bytes + 4 * (size_t)at, 4);
    return word;
}

static inline uint32_t hed_spirv_opcode(const hed_spirv_reader *r, uint32_t at)
{
    return at ? hed_spirv_word(r, at) & 0xffff : 0;
}
static inline uint32_t hed_spirv_length(const hed_spirv_reader *r, uint32_t at)
{
    return at ? hed_spirv_word(r, at) >> 16 : 0; /* the header defines nothing */
}

/* Returns operand `index` of the instruction at `at`, from 1; 0 beyond its end. */
static inline uint32_t hed_spirv_operand(const hed_spirv_reader *r, uint32_t at, uint32_t index)
{
    return index < hed_spirv_length(r, at) ? hed_spirv_word(r, at + index) : 0;
}

static inline const hed_spirv_id *hed_spirv_of(const hed_spirv_reader *r, uint32_t id)
{
    return &r->ids[id < r->bound ? id : 0]; /* id 0 has no definition */
}

/* Copies the text in the words from `at` on, cut to `size`, for messages; its end must be in the
 * instruction. */
void hed_spirv_text(const hed_spirv_reader *r, uint32_t at, char *to, size_t size);
/* Copies a name of up to HED_SHADER_NAME bytes, with its zero. Errors: LIMIT. */
hed_status hed_spirv_name(const hed_spirv_reader *r, uint32_t at, char *to);
hed_status hed_spirv_wrong(const hed_spirv_reader *r, uint32_t at, const char *problem);

/* Runs the first pass: fills `ids`, and the properties of the group. */
hed_status hed_spirv_scan(hed_spirv_reader *r);

/* True if types and expressions may be followed further: the depth and the total number of steps
 * are limited. */
bool hed_spirv_fine(hed_spirv_reader *r, uint32_t depth);
/* Returns the type of a number; HED_BYTES: not a number. */
hed_type hed_spirv_scalar(const hed_spirv_reader *r, uint32_t type);
/* Computes the bytes of a type, without padding except that of vectors; false: unknown. */
bool hed_spirv_bytes(hed_spirv_reader *r, uint32_t type, uint32_t depth, uint64_t *bytes);
/* Returns a literal of its type's width; the compiler that wrote the module has extended narrower
 * ones. */
int64_t hed_spirv_literal(const hed_spirv_reader *r, uint32_t at);
/* Returns the constant that an operation takes out of a vector of constants, as gl_WorkGroupSize.x;
 * 0: another operation. */
uint32_t hed_spirv_extracted(const hed_spirv_reader *r, uint32_t id);
/* Evaluates a constant or an expression of constants; false: unknown. */
bool hed_spirv_evaluate(hed_spirv_reader *r, uint32_t id, uint32_t depth, int64_t *value);

#endif
