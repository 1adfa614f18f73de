/** @file shader.h
 *  What a compute shader says of itself: its group, constants that are given when it is loaded,
 *  buffers with their access, and scalars. A tune file, a backend and a page read the same object.
 */
#ifndef HEDDLE_SHADER_H
#define HEDDLE_SHADER_H

#include "heddle/kernel.h"

HED_BEGIN

enum {
    HED_SHADER_NAME = 64,      /**< bytes of a name, the final zero included */
    HED_SHADER_TEXT = 1024,    /**< likewise of an expression */
    HED_SHADER_CONSTANTS = 64, /**< most of them in a shader */
    HED_SHADER_BINDINGS = 32,
    HED_SHADER_MEMBERS = 32
};

/** A constant with a value from outside: a specialization constant, or an override of WGSL. */
typedef struct hed_shader_constant {
    char name[HED_SHADER_NAME]; /**< "" where the shader kept none */
    uint32_t id;                /**< SpecId, or that of `@id` */
    hed_type type;              /**< HED_BYTES: a truth value, 4 bytes */
    int64_t value;              /**< the default; a float's is rounded */
} hed_shader_constant;

/** A buffer. */
typedef struct hed_shader_binding {
    char name[HED_SHADER_NAME];  /**< of the variable, else of its only member, else of its block */
    char block[HED_SHADER_NAME]; /**< of the block; "" where there is none */
    uint32_t set, binding;
    hed_access access;
    bool uniform;        /**< a uniform buffer, not a storage buffer */
    hed_type type;       /**< of one element of its last member; HED_BYTES where that is a struct */
    uint32_t components; /**< of a vector of that type; 1 for a scalar */
} hed_shader_binding;

/** A scalar: a member of the push constants, or of a uniform buffer. */
typedef struct hed_shader_member {
    char name[HED_SHADER_NAME];
    hed_type type; /**< HED_BYTES: a vector or another type of `size` bytes */
    uint32_t offset, size;
} hed_shader_member;

/** A shader. */
typedef struct hed_shader {
    uint32_t group[3]; /**< work items */
    /** index of the constant that gives a size of the group; -1: a fixed size */
    int32_t group_constant[3];
    uint64_t local_bytes; /**< of its own arrays in local memory */
    /** the same as an expression over the constants' names, in the words of WGSL, whose division is
     *  that of whole numbers and whose choice is select(else, then, condition); "" where there are
     *  none, or it is longer than this */
    char local_text[HED_SHADER_TEXT];
    hed_shader_constant constants[HED_SHADER_CONSTANTS]; /**< by id */
    uint32_t constant_count;
    hed_shader_binding bindings[HED_SHADER_BINDINGS]; /**< by set and binding */
    uint32_t binding_count;
    hed_shader_member members[HED_SHADER_MEMBERS]; /**< by offset */
    uint32_t member_count, member_bytes;
    bool opengl; /**< the members are uniforms of OpenGL's, which has no push constants */
} hed_shader;

/** A constant's value, by its id. */
typedef struct hed_shader_value {
    uint32_t id;
    int64_t value;
} hed_shader_value;

/** Whether bytes begin as a module of SPIR-V does. Thread class: rt. */
HED_API bool hed_shader_is_spirv(const void *bytes, size_t size);
/** Reads entry point `entry` of a module of SPIR-V, which need not be aligned. `values` (nullable)
 *  stand in for defaults: then group and local memory are those of the specialized shader. Thread
 *  class: any. Errors: FORMAT (what is wrong, and at which word), UNSUPPORTED (textures and other
 *  things that have no argument, by name), LIMIT (constants, buffers and scalars, and names of
 *  HED_SHADER_NAME bytes or more), MEMORY. */
HED_API hed_status hed_shader_read_spirv(const void *bytes, size_t size, const char *entry,
    const hed_shader_value *values, uint32_t value_count, const hed_allocator *allocator,
    hed_shader *shader, hed_error *error);
/** The specialization constants that a text in GLSL declares, `layout(constant_id = N) const TYPE
 *  NAME = VALUE`, in either branch of its conditions: the first `capacity` of them. A name of
 *  HED_SHADER_NAME bytes or more is given as "". Thread class: any. */
HED_API uint32_t hed_shader_glsl_constants(
    const char *text, size_t size, hed_shader_constant *constants, uint32_t capacity);

/** A text in GLSL to be compiled. */
typedef struct hed_glsl_def {
    const char *name; /**< for messages */
    /** a path, or a name on PATH; NULL: HEDDLE_GLSL_COMPILER, else glslangValidator, else glslc */
    const char *compiler;
    const hed_source *sources; /**< (source_count), one text in this order */
    uint32_t source_count;
    /** (define_count) macros; those that the text declares as specialization constants are left
     *  out */
    const hed_define *defines;
    uint32_t define_count;
    const char *const *options; /**< (option_count) words for the compiler */
    uint32_t option_count;
    hed_allocator allocator;
    bool opengl; /**< as OpenGL has it: uniforms may stand outside of blocks */
} hed_glsl_def;

/** Compiles GLSL to SPIR-V for Vulkan 1.1, or for OpenGL, in a child process. `*words` is of the allocator, and
 *  released with `*size` + 1. Thread class: any. Errors: BUILD (with the compiler's log, in the
 *  text's own lines), IO (no compiler), LIMIT (more than 32 options), MEMORY. */
HED_API hed_status hed_shader_compile_glsl(
    const hed_glsl_def *def, void **words, size_t *size, hed_error *error);

HED_END

#endif
