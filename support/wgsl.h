/* What a compute shader in WGSL says of itself (W3C, "WebGPU Shading Language", sections 6, 7, 12
 * and 13): its overrides, bindings, structs, entry point, group and group memory. Only declarations
 * of the module are read; what stands in functions is for the browser's compiler to judge. */
#ifndef HED_SUPPORT_WGSL_H
#define HED_SUPPORT_WGSL_H

#include "heddle/author.h"

typedef enum hed_wgsl_scalar {
    HED_WGSL_U32,
    HED_WGSL_I32,
    HED_WGSL_F32,
    HED_WGSL_F16,
    HED_WGSL_BOOL,
    HED_WGSL_STRUCT /* or anything else of several members */
} hed_wgsl_scalar;

/* A piece of the text. */
typedef struct hed_wgsl_span {
    const char *at;
    size_t size;
} hed_wgsl_span;

typedef struct hed_wgsl_override {
    const char *name;
    hed_wgsl_scalar type;
    hed_wgsl_span value; /* the expression behind =; size 0: it must be given one */
    bool plain;          /* that is one number (or true, false), `number` */
    double number;
    uint32_t line;
} hed_wgsl_override;

/* One number of a uniform: all of it, or a member, as "width" or "size.x" of a vector. */
typedef struct hed_wgsl_member {
    const char *name;
    hed_wgsl_scalar type;
    uint32_t offset;  /* bytes */
    uint32_t binding; /* index in `bindings` */
} hed_wgsl_member;

typedef struct hed_wgsl_binding {
    const char *name;
    uint32_t group, binding;
    bool uniform;      /* else a storage buffer */
    bool writable;     /* read_write */
    bool only_written; /* its name stands on the left of = alone */
    /* what a storage buffer's elements consist of, and bytes from one to the next of that type:
     * vec4<f32> is HED_WGSL_F32 four times, which `per_element` says */
    hed_wgsl_scalar element;
    uint32_t stride, per_element;
    uint32_t bytes; /* of a uniform, or a storage buffer of fixed size; else 0 */
    uint32_t line;
} hed_wgsl_binding;

enum { HED_WGSL_MOST = 64 }; /* of each */

typedef struct hed_wgsl {
    const char *entry;
    bool halves, subgroups; /* enable f16, subgroups */
    hed_wgsl_span group[3]; /* expressions of @workgroup_size */
    uint32_t group_count;
    hed_wgsl_override overrides[HED_WGSL_MOST];
    uint32_t override_count;
    hed_wgsl_binding bindings[HED_WGSL_MOST];
    uint32_t binding_count;
    hed_wgsl_member members[HED_WGSL_MOST];
    uint32_t member_count;
    /* bytes of group memory as an expression of WGSL's words; NULL: not told by the text */
    const char *group_bytes;
    struct hed_wgsl_parse *parse; /* the reader's own */
    hed_arena arena;
} hed_wgsl;

/* Reads a text of `size` bytes, which must outlive the result; `name` stands for it in messages.
 * `entry` NULL: its only compute entry point. Errors: FORMAT (file, line, column), UNSUPPORTED
 * (textures and samplers, by name), LIMIT, MEMORY. */
hed_status hed_wgsl_read(const char *name, const char *text, size_t size, const char *entry,
    hed_wgsl **wgsl, hed_error *error);
/* NULL is allowed. */
void hed_wgsl_free(hed_wgsl *wgsl);

/* An expression of WGSL in the words of heddle/space.h. Names that `keeps` wants stay; other
 * overrides and constants become what they are declared as. NULL: something in it is not understood
 * (a function of the module, a shift), or no memory. Lives as long as the object. */
const char *hed_wgsl_expression(
    hed_wgsl *wgsl, hed_wgsl_span text, bool (*keeps)(void *user, const char *name), void *user);

/* The JSON in a comment of the text that begins with the word `heddle`: a span from { to }, size 0
 * where there is none. Needs nothing else of the text to be right. */
hed_wgsl_span hed_wgsl_comment(const char *text, size_t size);

#endif
