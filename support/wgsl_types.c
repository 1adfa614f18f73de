/* Types of WGSL, with their sizes and alignments ("Memory layout" of the specification), attributes,
 * and the numbers that a type consists of. */
#include "support/wgsl_parse.h"

#include <stdio.h>

typedef struct hed_wgsl_parse reader;

enum { MOST_FIELDS = 16384 }; /* numbers of one buffer's element, or of a uniform */

/* ---- types ---- */

uint32_t hed_wgsl_round(uint32_t value, uint32_t step)
{
    return (uint32_t)hed_round_up(value, step ? step : 1);
}

static void set_bytes(reader *r, wgsl_type *type)
{
    char digits[16];
    int length = snprintf(digits, sizeof digits, "%u", type->size);
    type->bytes = hed_wgsl_keep(r, digits, (size_t)length);
}

static bool read_scalar(wgsl_token t, wgsl_type *type)
{
    static const struct {
        const char *name;
        hed_wgsl_scalar scalar;
        uint32_t size;
    } scalars[] = {{"u32", HED_WGSL_U32, 4}, {"i32", HED_WGSL_I32, 4}, {"f32", HED_WGSL_F32, 4},
        {"f16", HED_WGSL_F16, 2}, {"bool", HED_WGSL_BOOL, 4}};
    for (size_t i = 0; i < sizeof scalars / sizeof *scalars; i++)
        if (wgsl_token_is(t, scalars[i].name)) {
            *type = (wgsl_type){.scalar = scalars[i].scalar,
                .scalars = 1,
                .rows = 1,
                .size = scalars[i].size,
                .align = scalars[i].size};
            return true;
        }
    return false;
}

/* Reads a short name of a vector or matrix: vec3f and mat2x3h mean vec3<f32> and mat2x3<f16>. */
static bool read_short(wgsl_token t, uint32_t *columns, uint32_t *rows, char *scalar)
{
    bool vector = t.size >= 4 && !memcmp(t.at, "vec", 3) && strchr("234", t.at[3]),
         matrix = t.size >= 6 && !memcmp(t.at, "mat", 3) && strchr("234", t.at[3]) &&
                  t.at[4] == 'x' && strchr("234", t.at[5]);
    size_t used = matrix ? 6 : 4;
    if ((!vector && !matrix) || t.size > used + 1) return false;
    *columns = matrix ? (uint32_t)(t.at[3] - '0') : 1;
    *rows = (uint32_t)(t.at[matrix ? 5 : 3] - '0');
    *scalar = t.size > used ? t.at[used] : 0;
    return !*scalar || strchr("uifh", *scalar);
}

/* Reads one > of a token that may have two characters: >> or >=. */
static void close_template(reader *r)
{
    if (r->token.size == 2 && *r->token.at == '>') r->token = (wgsl_token){r->token.at + 1, 1};
    else hed_wgsl_expect(r, ">");
}

static wgsl_type read_vector(reader *r, uint32_t columns, uint32_t rows, char scalar)
{
    wgsl_type of = {.scalar = HED_WGSL_F32, .scalars = 1, .rows = 1, .size = 4, .align = 4};
    if (scalar == 'u') of.scalar = HED_WGSL_U32;
    if (scalar == 'i') of.scalar = HED_WGSL_I32;
    if (scalar == 'h') of.scalar = HED_WGSL_F16, of.size = of.align = 2;
    if (!scalar) {
        hed_wgsl_expect(r, "<");
        of = hed_wgsl_read_type(r);
        close_template(r);
    }
    uint32_t padded = rows == 3 ? 4 : rows;
    wgsl_type type = {.scalar = of.scalar,
        .scalars = columns * rows,
        .rows = rows,
        .align = padded * of.size,
        .size = columns > 1 ? columns * padded * of.size : rows * of.size};
    set_bytes(r, &type);
    return type;
}

static wgsl_type read_array(reader *r)
{
    wgsl_type type = {0};
    double count = 0;
    hed_wgsl_expect(r, "<");
    wgsl_type *element = hed_arena_new(&r->out->arena, 1, sizeof *element, r->error);
    if (!element) return type;
    *element = hed_wgsl_read_type(r);
    bool counted = hed_wgsl_accept(r, ",") && !wgsl_token_is(r->token, ">");
    hed_wgsl_span size = counted ? hed_wgsl_read_expression(r, ",>") : (hed_wgsl_span){0};
    hed_wgsl_accept(r, ",");
    close_template(r);
    type = (wgsl_type){.scalar = element->scalar, .align = element->align, .element = element};
    uint32_t stride = hed_wgsl_round(element->size, element->align);
    if (counted && element->size && hed_wgsl_evaluate(r, size, &count) && count > 0 &&
        count * stride < 1e9) {
        type.size = (uint32_t)count * stride;
        set_bytes(r, &type);
    } else if (counted && element->bytes) {
        char element_text[32];
        snprintf(element_text, sizeof element_text, "%u", stride);
        const char *of = element->size ? element_text : element->bytes;
        size_t length = strlen(of) + size.size + sizeof "()*()";
        char *text = hed_arena_new(&r->out->arena, length, 1, r->error);
        if (text) snprintf(text, length, "(%s)*(%.*s)", of, (int)size.size, size.at);
        type.bytes = text;
    }
    return type;
}

wgsl_struct *hed_wgsl_find_struct(const reader *r, wgsl_token t)
{
    for (uint32_t i = 0; i < r->struct_count; i++)
        if (wgsl_token_is(t, r->structs[i]->name)) return r->structs[i];
    return NULL;
}

/* Reads the name of a struct or an alias, which may be declared later. */
static wgsl_type read_named_type(reader *r, wgsl_token t)
{
    wgsl_struct *s = hed_wgsl_find_struct(r, t);
    const wgsl_named *alias = hed_wgsl_find_named(r, t);
    wgsl_type type = {0};
    wgsl_token after = r->token;
    if (s && s->members_read) return s->type;
    if (s && s->being_read) {
        hed_wgsl_reject(r, t, "expected a type that does not contain itself");
    } else if (s) {
        r->token = hed_wgsl_token(s->from, r->end);
        hed_wgsl_read_members(r, s);
        type = s->type;
    } else if (alias && alias->alias) {
        r->token = hed_wgsl_token(alias->value.at, r->end);
        type = hed_wgsl_read_type(r);
    } else {
        hed_wgsl_reject(r, t, "expected a type");
    }
    r->token = after;
    return type;
}

/* Reads a texture of texels that a kernel samples, after its name: texture_2d<f32>. */
static void read_sampled(reader *r, wgsl_token t, wgsl_type *type)
{
    static const struct {
        const char *ending, *shape;
    } shapes[] = {{"_1d", "1d"}, {"_2d", "2d"}, {"_2d_array", "2d-array"}, {"_3d", "3d"},
        {"_cube", "cube"}, {"_cube_array", "cube-array"}};
    bool depth = t.size > 14 && !memcmp(t.at, "texture_depth_", 14);
    const char *ending = t.at + (depth ? 13 : 7);
    size_t size = (size_t)(t.at + t.size - ending);
    type->resource = HED_WGSL_TEXTURE;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (size == strlen(shapes[i].ending) && !memcmp(ending, shapes[i].ending, size))
            type->shape = shapes[i].shape;
    if (!depth && hed_wgsl_accept(r, "<")) {
        type->scalar = hed_wgsl_read_type(r).scalar;
        close_template(r);
    }
    type->sample = depth                          ? "depth"
                   : type->scalar == HED_WGSL_U32 ? "uint"
                   : type->scalar == HED_WGSL_I32 ? "sint"
                                                  : "float";
    type->format = depth                          ? "depth16unorm"
                   : type->scalar == HED_WGSL_U32 ? "rgba8uint"
                   : type->scalar == HED_WGSL_I32 ? "rgba8sint"
                                                  : "rgba8unorm";
    type->size = depth ? 2 : 4;
    type->scalar = HED_WGSL_STRUCT; /* texels are bytes */
}

/* Reads a texture that a kernel stores to: texture_storage_2d<rgba8unorm, write>. */
static void read_stored(reader *r, wgsl_token t, wgsl_type *type)
{
    static const struct {
        const char *name;
        uint32_t bytes;
        hed_wgsl_scalar scalar;
    } formats[] = {{"rgba32float", 16, HED_WGSL_F32}, {"rgba16float", 8, HED_WGSL_STRUCT},
        {"r32float", 4, HED_WGSL_F32}, {"rgba8unorm", 4, HED_WGSL_STRUCT},
        {"rgba8snorm", 4, HED_WGSL_STRUCT}, {"rg32float", 8, HED_WGSL_F32},
        {"rg16float", 4, HED_WGSL_STRUCT}, {"rg11b10ufloat", 4, HED_WGSL_STRUCT},
        {"r16float", 2, HED_WGSL_STRUCT}, {"rgba16unorm", 8, HED_WGSL_STRUCT},
        {"rgb10a2unorm", 4, HED_WGSL_STRUCT}, {"rg16unorm", 4, HED_WGSL_STRUCT},
        {"rg8unorm", 2, HED_WGSL_STRUCT}, {"r16unorm", 2, HED_WGSL_STRUCT},
        {"r8unorm", 1, HED_WGSL_STRUCT}, {"rgba16snorm", 8, HED_WGSL_STRUCT},
        {"rg16snorm", 4, HED_WGSL_STRUCT}, {"rg8snorm", 2, HED_WGSL_STRUCT},
        {"r16snorm", 2, HED_WGSL_STRUCT}, {"r8snorm", 1, HED_WGSL_STRUCT},
        {"rgba32sint", 16, HED_WGSL_I32}, {"rgba16sint", 8, HED_WGSL_STRUCT},
        {"rgba8sint", 4, HED_WGSL_STRUCT}, {"r32sint", 4, HED_WGSL_I32},
        {"rg32sint", 8, HED_WGSL_I32}, {"rg16sint", 4, HED_WGSL_STRUCT},
        {"rg8sint", 2, HED_WGSL_STRUCT}, {"r16sint", 2, HED_WGSL_STRUCT},
        {"r8sint", 1, HED_WGSL_STRUCT}, {"rgba32uint", 16, HED_WGSL_U32},
        {"rgba16uint", 8, HED_WGSL_STRUCT}, {"rgba8uint", 4, HED_WGSL_STRUCT},
        {"r32uint", 4, HED_WGSL_U32}, {"rgb10a2uint", 4, HED_WGSL_STRUCT},
        {"rg32uint", 8, HED_WGSL_U32}, {"rg16uint", 4, HED_WGSL_STRUCT},
        {"rg8uint", 2, HED_WGSL_STRUCT}, {"r16uint", 2, HED_WGSL_STRUCT},
        {"r8uint", 1, HED_WGSL_STRUCT}, {"bgra8unorm", 4, HED_WGSL_STRUCT}};
    /* storage images of cubes are GLSL's */
    static const char *const shapes[] = {"1d", "2d", "2d_array", "3d", "cube", "cube_array"};
    static const char *const names[] = {"1d", "2d", "2d-array", "3d", "cube", "cube-array"};
    const char *ending = t.at + sizeof "texture_storage_" - 1;
    size_t size = (size_t)(t.at + t.size - ending);
    type->resource = HED_WGSL_STORAGE_TEXTURE;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (size == strlen(shapes[i]) && !memcmp(ending, shapes[i], size)) type->shape = names[i];
    hed_wgsl_expect(r, "<");
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (wgsl_token_is(r->token, formats[i].name)) {
            type->format = formats[i].name;
            type->size = formats[i].bytes;
            type->scalar = formats[i].scalar;
        }
    hed_wgsl_advance(r);
    hed_wgsl_expect(r, ",");
    type->access = hed_wgsl_keep(r, r->token.at, r->token.size);
    hed_wgsl_advance(r);
    close_template(r);
}

/* Reads a texture or a sampler. A kind that no copy can fill has no shape or format; it is an error
 * if the entry point uses it. */
static bool read_resource(reader *r, wgsl_token t, wgsl_type *type)
{
    static const char storage[] = "texture_storage_";
    bool is_sampler = wgsl_token_is(t, "sampler"),
         compares = wgsl_token_is(t, "sampler_comparison"),
         is_texture = t.size > 8 && !memcmp(t.at, "texture_", 8);
    type->scalar = HED_WGSL_STRUCT;
    if (is_sampler || compares)
        type->resource = compares ? HED_WGSL_COMPARISON_SAMPLER : HED_WGSL_SAMPLER;
    else if (is_texture && t.size >= sizeof storage && !memcmp(t.at, storage, sizeof storage - 1))
        read_stored(r, t, type);
    else if (is_texture) read_sampled(r, t, type);
    return is_sampler || compares || is_texture;
}

wgsl_type hed_wgsl_read_type(reader *r)
{
    wgsl_type type = {0};
    wgsl_token t = r->token;
    uint32_t columns, rows;
    char scalar;
    if (++r->depth > DEEPEST) hed_wgsl_reject(r, t, "expected types nested less deep");
    if (!hed_failed(r->error)) {
        if (!wgsl_is_name(t)) hed_wgsl_reject(r, t, "expected a type");
        hed_wgsl_advance(r);
        if (read_scalar(t, &type)) set_bytes(r, &type);
        else if (read_short(t, &columns, &rows, &scalar))
            type = read_vector(r, columns, rows, scalar);
        else if (wgsl_token_is(t, "array")) type = read_array(r);
        else if (wgsl_token_is(t, "atomic")) {
            hed_wgsl_expect(r, "<");
            type = hed_wgsl_read_type(r);
            close_template(r);
            type.is_atomic = true;
        } else if (read_resource(r, t, &type)) {
            /* read */
        } else type = read_named_type(r, t);
    }
    r->depth--;
    return type;
}

/* ---- attributes ---- */

/* Reads a number in brackets, the argument of an attribute. */
static uint32_t read_index(reader *r, uint32_t low, uint32_t high)
{
    double number = 0;
    char words[64];
    wgsl_token from = r->token;
    hed_wgsl_expect(r, "(");
    hed_wgsl_span span = hed_wgsl_read_expression(r, ",)");
    hed_wgsl_accept(r, ",");
    hed_wgsl_expect(r, ")");
    snprintf(words, sizeof words, "expected a number from %u to %u", low, high);
    if (!hed_failed(r->error) &&
        (!hed_wgsl_evaluate(r, span, &number) || !(number >= low && number <= high)))
        hed_wgsl_reject(r, from, words);
    return hed_failed(r->error) ? low : (uint32_t)number;
}

static void read_attribute(reader *r, wgsl_attributes *attributes)
{
    wgsl_token name = r->token;
    if (!wgsl_is_name(name)) hed_wgsl_reject(r, name, "expected an attribute");
    hed_wgsl_advance(r);
    if (wgsl_token_is(name, "compute")) {
        attributes->compute = attributes->stage = true;
    } else if (wgsl_token_is(name, "vertex") || wgsl_token_is(name, "fragment")) {
        attributes->stage = true;
    } else if (wgsl_token_is(name, "group")) {
        attributes->group = read_index(r, 0, 1000);
        attributes->bound = true;
    } else if (wgsl_token_is(name, "binding")) {
        attributes->binding = read_index(r, 0, 1000);
        attributes->bound = true;
    } else if (wgsl_token_is(name, "align")) {
        attributes->align = read_index(r, 1, 1 << 20);
        if (attributes->align & (attributes->align - 1)) hed_wgsl_reject(r, name, "expected a power of two");
    } else if (wgsl_token_is(name, "size")) {
        attributes->bytes = read_index(r, 1, 1 << 30);
    } else if (wgsl_token_is(name, "workgroup_size")) {
        hed_wgsl_expect(r, "(");
        while (
            !hed_failed(r->error) && attributes->size_count < 3 && !wgsl_token_is(r->token, ")")) {
            attributes->size[attributes->size_count++] = hed_wgsl_read_expression(r, ",)");
            if (!hed_wgsl_accept(r, ",")) break;
        }
        hed_wgsl_expect(r, ")");
    } else if (wgsl_token_is(r->token, "(")) {
        hed_wgsl_advance(r);
        if (!wgsl_token_is(r->token, ")")) hed_wgsl_read_expression(r, ")");
        hed_wgsl_expect(r, ")");
    }
}

void hed_wgsl_read_attributes(reader *r, wgsl_attributes *attributes)
{
    *attributes = (wgsl_attributes){0};
    while (!hed_failed(r->error) && hed_wgsl_accept(r, "@")) read_attribute(r, attributes);
}

/* ---- structs ---- */

static void read_member(reader *r, wgsl_struct *s)
{
    wgsl_attributes attributes;
    wgsl_token from = r->token;
    uint32_t index = s->count++;
    hed_wgsl_read_attributes(r, &attributes);
    s->members[index].name = hed_wgsl_read_name(r, "a member");
    hed_wgsl_expect(r, ":");
    wgsl_type type = s->members[index].type = hed_wgsl_read_type(r);
    if (hed_failed(r->error)) return;
    if (type.bytes && !type.size)
        hed_wgsl_reject_as(r, HED_ERROR_UNSUPPORTED, from, "expected an array with a constant length");
    if (attributes.bytes && attributes.bytes < type.size)
        hed_wgsl_reject(r, from, "expected a @size that the type fits in");
    uint32_t align = attributes.align ? attributes.align : type.align;
    s->members[index].offset = hed_wgsl_round(s->type.size, align);
    s->type.size = s->members[index].offset + (attributes.bytes ? attributes.bytes : type.size);
    if (align > s->type.align) s->type.align = align;
    if (s->type.size > 1 << 30) hed_wgsl_reject(r, from, "expected a struct of at most 1 GiB");
}

/* Reads the members from { to }. */
void hed_wgsl_read_members(reader *r, wgsl_struct *s)
{
    s->being_read = true;
    hed_wgsl_expect(r, "{");
    while (!hed_failed(r->error) && !wgsl_token_is(r->token, "}")) {
        if (s->count == HED_WGSL_MOST) hed_wgsl_reject(r, r->token, "expected at most 64 members");
        else read_member(r, s);
        if (!hed_wgsl_accept(r, ",")) break;
    }
    hed_wgsl_expect(r, "}");
    s->type.size = hed_wgsl_round(s->type.size, s->type.align);
    set_bytes(r, &s->type);
    s->members_read = true;
}

/* ---- the numbers of a type ---- */

/* Adds a number to a list, which doubles its room as it grows. */
static void add_field(reader *r, wgsl_fields *list, hed_wgsl_member field)
{
    if (list->count == MOST_FIELDS || hed_failed(r->error)) return;
    if (!(list->count & (list->count - 1))) {
        hed_wgsl_member *longer = hed_arena_new(
            &r->out->arena, list->count ? 2 * list->count : 1, sizeof *longer, r->error);
        if (!longer) return;
        if (list->count) memcpy(longer, list->at, list->count * sizeof *longer);
        list->at = longer;
    }
    list->at[list->count++] = field;
}

/* Returns "NAME.PART". */
static const char *member_name(reader *r, const char *name, const char *part)
{
    size_t length = strlen(name) + strlen(part) + sizeof ".";
    char *text = hed_arena_new(&r->out->arena, length, 1, r->error);
    if (text) snprintf(text, length, "%s.%s", name, part);
    return text ? text : "";
}

/* Returns "NAME[INDEX]". */
static const char *item_name(reader *r, const char *name, uint32_t index)
{
    size_t length = strlen(name) + sizeof "[4294967295]";
    char *text = hed_arena_new(&r->out->arena, length, 1, r->error);
    if (text) snprintf(text, length, "%s[%u]", name, index);
    return text ? text : "";
}

static void add_numbers(
    reader *r, wgsl_fields *list, const char *name, const wgsl_type *type, uint32_t offset)
{
    static const char *const places[] = {"x", "y", "z", "w"};
    uint32_t bytes = type->scalar == HED_WGSL_F16 ? 2 : 4, rows = type->rows,
             padded = rows == 3 ? 4 : rows;
    for (uint32_t i = 0; i < type->scalars && !hed_failed(r->error); i++) {
        hed_wgsl_member field = {.name = name, .type = type->scalar, .is_atomic = type->is_atomic};
        if (type->scalars > rows) field.name = item_name(r, name, i / rows);
        if (type->scalars > 1) field.name = member_name(r, field.name, places[i % rows]);
        field.is_diagonal = type->scalars > rows && i / rows == i % rows;
        field.is_matrix = type->scalars > rows;
        field.offset = offset + bytes * (i / rows * padded + i % rows);
        add_field(r, list, field);
    }
}

void hed_wgsl_list_numbers(struct hed_wgsl_parse *r, wgsl_fields *list, const char *name,
    const wgsl_type *type, uint32_t offset)
{
    const wgsl_struct *s = type->members;
    uint32_t stride = type->element ? hed_wgsl_round(type->element->size, type->element->align) : 0;
    for (uint32_t i = 0; s && i < s->count; i++) {
        bool nested = list->is_indexed && name[0];
        hed_wgsl_list_numbers(r, list,
            nested ? member_name(r, name, s->members[i].name) : s->members[i].name,
            &s->members[i].type, offset + s->members[i].offset);
    }
    if (s) return;
    if (!type->element) {
        add_numbers(r, list, name, type, offset);
        return;
    }
    bool was_indexed = list->is_indexed;
    list->is_indexed = true;
    for (uint32_t i = 0; stride && i < type->size / stride && list->count < MOST_FIELDS; i++)
        hed_wgsl_list_numbers(r, list, item_name(r, name, i), type->element, offset + i * stride);
    list->is_indexed = was_indexed;
}

bool hed_wgsl_is_plain(const wgsl_type *type)
{
    const wgsl_struct *s = type->members;
    if (!s)
        return !type->element && type->scalars && type->scalars == type->rows &&
               type->scalar != HED_WGSL_F16;
    for (uint32_t i = 0; i < s->count; i++)
        if (!hed_wgsl_is_plain(&s->members[i].type)) return false;
    return true;
}

bool hed_wgsl_is_of_one_kind(const wgsl_type *type, hed_wgsl_scalar *kind)
{
    const wgsl_struct *members = type->members;
    if (type->element) return hed_wgsl_is_of_one_kind(type->element, kind);
    if (!members && *kind == HED_WGSL_STRUCT) *kind = type->scalar;
    if (!members) return type->scalars && *kind == type->scalar && *kind != HED_WGSL_F16;
    for (uint32_t i = 0; i < members->count; i++)
        if (!hed_wgsl_is_of_one_kind(&members->members[i].type, kind)) return false;
    return members->count > 0;
}
