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

/* Kind of a binding. */
typedef enum hed_wgsl_resource {
    HED_WGSL_BUFFER, /* a storage buffer, or a uniform */
    HED_WGSL_TEXTURE,
    HED_WGSL_STORAGE_TEXTURE,
    HED_WGSL_SAMPLER,
    HED_WGSL_COMPARISON_SAMPLER
} hed_wgsl_resource;

typedef struct hed_wgsl_override {
    const char *name;
    hed_wgsl_scalar type;
    hed_wgsl_span value; /* expression after =; size 0: a value is required */
    bool plain;          /* `value` is one number (or true, false), `number` */
    double number;
    uint32_t line;
    /* a size of the group that the text has as a number, or (HED_WGSL_F16) the bits of an alias of
     * f32 or f16: its value is written into the text (`edits`) instead of given to the pipeline */
    bool is_text;
} hed_wgsl_override;

/* One number of a uniform or of a buffer's element: the whole, or a member, as "width", "size.x" of
 * a vector, "view[0].x" of a matrix and "lights[2].position.x" of an array. */
typedef struct hed_wgsl_member {
    const char *name;
    hed_wgsl_scalar type;
    bool is_atomic, is_matrix, is_diagonal;
    bool is_cast;     /* a float that the text converts to a whole number: u32(params.count) */
    uint32_t offset;  /* bytes */
    uint32_t binding; /* index in `bindings` */
} hed_wgsl_member;

typedef struct hed_wgsl_binding {
    const char *name;
    uint32_t group, binding;
    hed_wgsl_resource resource;
    bool uniform;  /* false: a storage buffer, a texture or a sampler */
    bool plain;    /* a uniform of numbers and vectors of 32 bits, without matrices and arrays */
    bool writable; /* read_write */
    bool only_written; /* the text uses its name only on the left of = */
    /* scalar type of a storage buffer's elements, and bytes from one element to the next: vec4<f32>
     * is HED_WGSL_F32 with `per_element` 4 */
    hed_wgsl_scalar element;
    uint32_t stride, per_element;
    uint32_t bytes;  /* bytes of a uniform, or of a storage buffer of fixed size; else 0 */
    uint32_t factor; /* elements per item, by an index as `2 * i + 1`; at least 1 */
    uint32_t header; /* bytes before the array without a length, in a struct that ends with it */
    uint32_t line;
    /* numbers of the header or the fixed size, and of one element of the array, each with its
     * offset */
    const hed_wgsl_member *numbers, *element_numbers;
    uint32_t number_count, element_number_count;
    /* texture: "2d-array", "float", "rgba8unorm", bytes of a texel; NULL: no copy can fill it */
    const char *shape, *sample, *format, *access;
    uint32_t texel_bytes;
} hed_wgsl_binding;

/* A place of the text that the group's size determines: the product of `factors`, doubled, halved
 * or less one, replaces it. */
typedef struct hed_wgsl_edit {
    size_t at, size; /* bytes of the text */
    uint32_t line;
    const char *factors[3]; /* names of overrides; unused ones NULL */
    bool is_double, is_half, is_less_one;
    char suffix; /* 'u', 'i' or 0 */
} hed_wgsl_edit;

/* Elements of a dimension from one group to the next: `number` times the sizes of the group in the
 * dimensions of `powers`, as 2 and {1} of workgroup_id.x * SIZE * 2; `number` 0: unknown. */
typedef struct hed_wgsl_stride {
    uint32_t number, powers[3];
} hed_wgsl_stride;

enum { HED_WGSL_MOST = 64, HED_WGSL_EDITS = 128 }; /* limits of the lists */

typedef struct hed_wgsl {
    const char *entry;
    bool halves, subgroups; /* enable f16, subgroups */
    bool sets_width;        /* enable subgroup_size_control: the text has a width of its own */
    size_t entry_at;        /* position of `fn` of the entry point; its attributes are before it */
    bool lacks_enable; /* uses subgroups without `enable subgroups;`, as only some compilers take */
    hed_wgsl_span group[3]; /* expressions of @workgroup_size */
    uint32_t group_count;
    hed_wgsl_override overrides[HED_WGSL_MOST];
    uint32_t override_count;
    hed_wgsl_binding bindings[HED_WGSL_MOST];
    uint32_t binding_count;
    hed_wgsl_member *members; /* numbers of the uniforms */
    uint32_t member_count;
    /* dependence of the results on the group's size (wgsl_group.c) */
    uint32_t dimensions;        /* dimensions of the launch, by the ids that are used */
    bool is_one_group;          /* no id of the launch is declared: all groups do the same */
    bool counts_groups[3];      /* the number of groups does not follow the group's size */
    hed_wgsl_stride strides[3]; /* elements from one group to the next */
    const char *by_group;       /* buffer with one element for each group, or NULL */
    uint32_t by_group_line;
    uint32_t sizes[3]; /* sizes of the group in the text; 0: not constant */
    const char *
        together; /* first use that makes items depend on the group; NULL: items do not depend on it */
    uint32_t together_line;
    bool is_unordered; /* results of atomic functions decide on places in buffers */
    /* buffer with an element that items read where others may write it (wgsl_race.c); NULL: no such
     * buffer */
    const char *race;
    uint32_t race_line, race_write_line;
    hed_wgsl_edit edits[HED_WGSL_EDITS]; /* sorted by position */
    uint32_t edit_count;
    /* bytes of group memory as an expression of heddle/space.h; NULL: the text does not determine
     * them */
    const char *group_bytes;
    const char *half_alias, *half_buffer; /* an alias of f32 or f16 that a buffer has, which keeps its type; or NULL */
    struct hed_wgsl_parse *parse;         /* state of the reader */
    hed_arena arena;
} hed_wgsl;

/* Reads a text of `size` bytes, which must outlive the result; `name` is its name in messages.
 * `entry` NULL: its only compute entry point. Errors: FORMAT (file, line, column), UNSUPPORTED
 * (textures that no copy can fill, by name), LIMIT, MEMORY. */
hed_status hed_wgsl_read(const char *name, const char *text, size_t size, const char *entry,
    hed_wgsl **wgsl, hed_error *error);
/* Makes sizes of the group that are numbers of the text, and the bits of an alias of f32 or f16
 * that no buffer has, overrides, whose values are written into the text (`edits`). Errors:
 * MEMORY. */
void hed_wgsl_name_sizes(hed_wgsl *wgsl, hed_error *error);

/* Size of a texture; its bytes are rows of `row_bytes`, as copies between buffers and textures
 * require. */
typedef struct hed_wgsl_texture {
    uint32_t width, height, layers, row_bytes;
} hed_wgsl_texture;

/* Computes the size of a texture from the sizes of the problem. */
void hed_wgsl_texture_size(const hed_wgsl_binding *binding, const int64_t *sizes, uint32_t count,
    hed_wgsl_texture *texture);

/* Frees the result. NULL is allowed. */
void hed_wgsl_free(hed_wgsl *wgsl);

/* Translates an expression of WGSL to heddle/space.h. Names for which `keeps` returns true remain;
 * other overrides and constants are replaced by their declared values. NULL: the expression has an
 * unsupported element (a function of the module, a shift to the right), or memory ran out. The
 * result lives as long as the object. */
const char *hed_wgsl_expression(
    hed_wgsl *wgsl, hed_wgsl_span text, bool (*keeps)(void *user, const char *name), void *user);

/* Finds the JSON in a comment of the text that begins with the word `heddle`: a span from { to },
 * size 0 if there is no such comment. The rest of the text need not be valid. */
hed_wgsl_span hed_wgsl_comment(const char *text, size_t size);

#endif
