/* Interface of a compute shader in WGSL (W3C, "WebGPU Shading Language", sections 6, 7, 12 and 13):
 * its overrides, bindings, structs, entry point, group and group memory. Only declarations of the
 * module are read; the browser's compiler checks the functions. */
#ifndef HED_SUPPORT_WGSL_H
#define HED_SUPPORT_WGSL_H

#include "heddle/author.h"

typedef enum hed_wgsl_scalar {
    HED_WGSL_U32,
    HED_WGSL_I32,
    HED_WGSL_F32,
    HED_WGSL_F16,
    HED_WGSL_BOOL,
    HED_WGSL_STRUCT /* a struct, or another type of several members */
} hed_wgsl_scalar;

/* A range of the text. */
typedef struct hed_wgsl_span {
    const char *at;
    size_t size;
} hed_wgsl_span;

typedef struct hed_wgsl_override {
    const char *name;
    hed_wgsl_scalar type;
    hed_wgsl_span value; /* expression after =; size 0: a value is required */
    bool plain;          /* `value` is one number (or true, false), `number` */
    double number;
    uint32_t line;
} hed_wgsl_override;

/* One number of a uniform: the whole uniform, or a member, as "width", or "size.x" of a vector. */
typedef struct hed_wgsl_member {
    const char *name;
    hed_wgsl_scalar type;
    uint32_t offset;  /* bytes */
    uint32_t binding; /* index in `bindings` */
} hed_wgsl_member;

typedef struct hed_wgsl_binding {
    const char *name;
    uint32_t group, binding;
    bool uniform;      /* false: a storage buffer */
    bool writable;     /* read_write */
    bool only_written; /* the text uses its name only on the left of = */
    /* scalar type of a storage buffer's elements, and bytes from one element to the next: vec4<f32>
     * is HED_WGSL_F32 with `per_element` 4 */
    hed_wgsl_scalar element;
    uint32_t stride, per_element;
    uint32_t bytes; /* bytes of a uniform, or of a storage buffer of fixed size; else 0 */
    uint32_t line;
} hed_wgsl_binding;

enum { HED_WGSL_MOST = 64 }; /* limit of each list */

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
    /* bytes of group memory as an expression of heddle/space.h; NULL: the text does not determine
     * them */
    const char *group_bytes;
    struct hed_wgsl_parse *parse; /* state of the reader */
    hed_arena arena;
} hed_wgsl;

/* Reads a text of `size` bytes, which must outlive the result; `name` is its name in messages.
 * `entry` NULL: its only compute entry point. Errors: FORMAT (file, line, column), UNSUPPORTED
 * (textures and samplers, by name), LIMIT, MEMORY. */
hed_status hed_wgsl_read(const char *name, const char *text, size_t size, const char *entry,
    hed_wgsl **wgsl, hed_error *error);
/* Frees the result. NULL is allowed. */
void hed_wgsl_free(hed_wgsl *wgsl);

/* Translates an expression of WGSL to heddle/space.h. Names for which `keeps` returns true remain;
 * other overrides and constants are replaced by their declared values. NULL: the expression has an
 * unsupported element (a function of the module, a shift), or memory ran out. The result lives as
 * long as the object. */
const char *hed_wgsl_expression(
    hed_wgsl *wgsl, hed_wgsl_span text, bool (*keeps)(void *user, const char *name), void *user);

/* Finds the JSON in a comment of the text that begins with the word `heddle`: a span from { to },
 * size 0 if there is no such comment. The rest of the text need not be valid. */
hed_wgsl_span hed_wgsl_comment(const char *text, size_t size);

#endif
