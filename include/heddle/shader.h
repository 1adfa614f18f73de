/** @file shader.h
 *  Interface of a compute shader: its group, constants with a value at load time, buffers with
 *  their access, and scalars. Tune files, backends and the browser page read the same object. */
#ifndef HEDDLE_SHADER_H
#define HEDDLE_SHADER_H

#include "heddle/kernel.h"

HED_BEGIN

enum {
    HED_SHADER_NAME = 64,      /**< bytes of a name, the final zero included */
    HED_SHADER_TEXT = 1024,    /**< bytes of an expression, the final zero included */
    HED_SHADER_LAYOUTS = 8192, /**< bytes of all declarations, the final zero included */
    HED_SHADER_CONSTANTS = 64, /**< maximum number of constants in a shader */
    HED_SHADER_BINDINGS = 32,
    HED_SHADER_MEMBERS = 32
};

/** A constant whose value is set at load time: a specialization constant, or an override of
 *  WGSL. */
typedef struct hed_shader_constant {
    char name[HED_SHADER_NAME]; /**< "": not in the module */
    uint32_t id;                /**< SpecId, or the number of `@id` */
    hed_type type;              /**< HED_BYTES: a truth value, 4 bytes */
    int64_t value;              /**< the default; that of a float is rounded */
} hed_shader_constant;

/** Kinds of bindings. */
typedef enum hed_shader_resource {
    HED_SHADER_BUFFER,
    HED_SHADER_TEXTURE, /**< sampled or fetched, by a sampler that is another binding or none */
    HED_SHADER_SAMPLED, /**< a texture together with its sampler */
    HED_SHADER_STORAGE_IMAGE,
    HED_SHADER_SAMPLER
} hed_shader_resource;

/** A buffer, an image or a sampler. */
typedef struct hed_shader_binding {
    /** name of the variable, else of its only member, else of its block */
    char name[HED_SHADER_NAME];
    char block[HED_SHADER_NAME]; /**< name of the block; "": none */
    uint32_t set, binding;
    hed_access access;
    bool uniform;        /**< a uniform buffer, not a storage buffer */
    hed_type type;       /**< type of one element of its last member; HED_BYTES: a struct */
    uint32_t components; /**< length of a vector of that type; 1 for a scalar */
    /** its type in WGSL, over the structs of hed_shader.layouts; "": WGSL has no such type */
    char layout[HED_SHADER_NAME];
    hed_shader_resource resource;
    hed_image_format format; /**< format of an image; HED_IMAGE_NONE: the text has none */
    hed_image_shape shape;   /**< shape of an image */
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
    /** index of the constant that sets a size of the group; -1: a fixed size */
    int32_t group_constant[3];
    uint64_t local_bytes; /**< bytes of its own arrays in local memory */
    /** the same bytes as an expression over the constants' names, in the syntax of WGSL, whose
     *  division is that of whole numbers and whose choice is select(else, then, condition); "": no
     *  arrays, or the expression is too long */
    char local_text[HED_SHADER_TEXT];
    hed_shader_constant constants[HED_SHADER_CONSTANTS]; /**< sorted by id */
    uint32_t constant_count;
    /** sorted by set and binding; two that have both in common are of different kinds, as OpenGL
     *  allows */
    hed_shader_binding bindings[HED_SHADER_BINDINGS];
    uint32_t binding_count;
    hed_shader_member members[HED_SHADER_MEMBERS]; /**< sorted by offset */
    uint32_t member_count, member_bytes;
    char push_layout[HED_SHADER_NAME]; /**< type of the push constants, as a buffer's layout */
    /** structs of the blocks as declarations in WGSL whose members have the same offsets */
    char layouts[HED_SHADER_LAYOUTS];
    bool reads_launch;   /**< true if ids or counts of the launch are read, so that groups differ */
    bool uses_subgroups; /**< true if ids or operations of subgroups are used */
    bool opengl;         /**< the members are uniforms of OpenGL, which has no push constants */
} hed_shader;

/** Value of a constant. */
typedef struct hed_shader_value {
    uint32_t id;
    int64_t value;
} hed_shader_value;

/** Name of the parameter that is the width of a shader's subgroups on Vulkan 1.3, a power of two
 *  that the driver allows; 0: the driver's choice. */
#define HED_SUBGROUP_SIZE "HED_SUBGROUP_SIZE"

/** Number of the first of the bits of hed_device_info.capabilities that are widths of subgroups:
 *  the bit after it by k stands for 2^k. A device with one width has none of them. */
enum { HED_SUBGROUP_WIDTHS = 32 };

/** True if bytes begin as a module of SPIR-V does. Thread class: rt. */
HED_API bool hed_shader_is_spirv(const void *bytes, size_t size);
/** Reads the interface of entry point `entry` of a module of SPIR-V, which need not be aligned.
 *  `values` (nullable) replace defaults: then group and local memory are those of the specialized
 *  shader.
 *  Thread class: any. Errors: FORMAT (the fault and its word), UNSUPPORTED (multisampled and
 *  depth textures, texel buffers and arrays of resources, by name), LIMIT (constants, buffers and
 *  scalars, and names of HED_SHADER_NAME bytes or more), MEMORY. */
HED_API hed_status hed_shader_read_spirv(const void *bytes, size_t size, const char *entry,
    const hed_shader_value *values, uint32_t value_count, const hed_allocator *allocator,
    hed_shader *shader, hed_error *error);
/** Lists the specialization constants that a text in GLSL declares, `layout(constant_id = N) const
 *  TYPE NAME = VALUE`, in either branch of its conditions, and returns how many it wrote, at most
 *  `capacity`. A name of HED_SHADER_NAME bytes or more becomes "".
 *  Thread class: any. */
HED_API uint32_t hed_shader_glsl_constants(
    const char *text, size_t size, hed_shader_constant *constants, uint32_t capacity);

/** Returns the name of an image format in WGSL's words, such as "rgba8unorm", and the bytes of one
 *  texel. Thread class: rt. */
HED_API const char *hed_image_format_name(hed_image_format format, uint32_t *bytes);

/** A text in GLSL to compile. Start from {0}. */
typedef struct hed_glsl_def {
    const char *name; /**< name in messages */
    /** path, or name on PATH; NULL: HEDDLE_GLSL_COMPILER, else glslangValidator, else glslc */
    const char *compiler;
    const hed_source *sources; /**< (source_count), one text in this order */
    uint32_t source_count;
    /** (define_count) macros; those that the text declares as specialization constants are
     *  skipped */
    const hed_define *defines;
    uint32_t define_count;
    const char *const *options; /**< (option_count) options of the compiler */
    uint32_t option_count;
    hed_allocator allocator; /**< zeros: the C library's */
    bool opengl;             /**< OpenGL's rules: uniforms may be outside of blocks */
} hed_glsl_def;

/** Compiles GLSL to SPIR-V for Vulkan 1.1, or for OpenGL, in a child process. `*words` is allocated
 *  by the allocator with `*size` + 1 bytes; release it with this size.
 *  Thread class: any. Errors: BUILD (with the compiler's log, in the text's own lines), IO (no
 *  compiler), LIMIT (more than 32 options), MEMORY. */
HED_API hed_status hed_shader_compile_glsl(
    const hed_glsl_def *def, void **words, size_t *size, hed_error *error);

HED_END

#endif
