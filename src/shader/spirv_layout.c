/* Types of the blocks of a module of SPIR-V as declarations in WGSL with the same offsets, so that
 * one reader (support/wgsl.h) names the numbers of buffers and uniforms of all shader languages. */
#include "shader/spirv_layout.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/text.h"

enum { LONGEST_TYPE = 128, ROW_BYTES = 16, DEEPEST = 8 };

/* A type in WGSL: its text, and its size and alignment by WGSL's rules. */
typedef struct layout_type {
    char text[LONGEST_TYPE];
    uint32_t size, align;
} layout_type;

/* Declarations being written after the declarations of earlier blocks. */
typedef struct layout_writer {
    hed_spirv_reader *r;
    size_t used;
    uint32_t depth;
    bool failed;
} layout_writer;

__attribute__((format(printf, 2, 3))) static void layout_put(
    layout_writer *w, const char *format, ...)
{
    char *text = w->r->shader->layouts;
    size_t room = sizeof w->r->shader->layouts - w->used;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text + w->used, room, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length >= room) w->failed = true;
    else w->used += (size_t)length;
}

__attribute__((format(printf, 2, 3))) static void layout_set(
    layout_type *type, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(type->text, sizeof type->text, format, arguments);
    va_end(arguments);
}

static const char *layout_scalar(const hed_spirv_reader *r, uint32_t type)
{
    hed_type scalar = hed_spirv_scalar(r, type);
    return scalar == HED_FLOAT    ? "f32"
           : scalar == HED_INT32  ? "i32"
           : scalar == HED_UINT32 ? "u32"
                                  : NULL;
}

/* True if a name of the module is one of WGSL. */
static bool layout_is_name(const char *name)
{
    for (const char *at = name; *at; at++)
        if (!isalnum((unsigned char)*at) && *at != '_') return false;
    return isalpha((unsigned char)name[0]) || (name[0] == '_' && name[1]);
}

/* ---- vectors and matrices ---- */

static bool layout_vector(layout_writer *w, uint32_t type, layout_type *to)
{
    const hed_spirv_id *of = hed_spirv_of(w->r, type);
    bool is_vector = hed_spirv_opcode(w->r, of->at) == OP_TYPE_VECTOR;
    uint32_t count = is_vector ? hed_spirv_operand(w->r, of->at, 3) : 1;
    const char *scalar = layout_scalar(w->r, is_vector ? hed_spirv_operand(w->r, of->at, 2) : type);
    if (!scalar || count < 1 || count > 4) return false;
    to->size = 4 * count;
    to->align = count == 3 ? ROW_BYTES : to->size;
    if (is_vector) layout_set(to, "vec%u<%s>", count, scalar);
    else layout_set(to, "%s", scalar);
    return true;
}

/* Writes a matrix whose columns are `stride` bytes apart. Columns of two numbers in rows of 16 bytes
 * have no type in WGSL: they become an array of vec4. */
static bool layout_matrix(layout_writer *w, uint32_t type, uint32_t stride, layout_type *to)
{
    uint32_t at = hed_spirv_of(w->r, type)->at, columns = hed_spirv_operand(w->r, at, 3);
    uint32_t column = hed_spirv_of(w->r, hed_spirv_operand(w->r, at, 2))->at,
             rows = hed_spirv_operand(w->r, column, 3);
    bool is_padded = stride == ROW_BYTES, is_float = rows >= 2 && rows <= 4 && columns <= 4;
    if (!is_float || (!is_padded && (rows != 2 || stride != 8))) return false;
    if (is_padded && rows == 2) layout_set(to, "array<vec4<f32>, %u>", columns);
    else layout_set(to, "mat%ux%u<f32>", columns, rows);
    to->size = columns * stride;
    to->align = stride;
    return true;
}

/* ---- arrays and structs ---- */

static bool layout_any(
    layout_writer *w, uint32_t type, uint32_t total, uint32_t matrix_stride, layout_type *to);

static bool layout_array(layout_writer *w, uint32_t type, uint32_t matrix_stride, layout_type *to)
{
    const hed_spirv_id *of = hed_spirv_of(w->r, type);
    uint32_t element = hed_spirv_operand(w->r, of->at, 2);
    bool is_runtime = hed_spirv_opcode(w->r, of->at) == OP_TYPE_RUNTIME_ARRAY;
    int64_t length = 0;
    layout_type inner = {.size = 0};
    if (!is_runtime && (!hed_spirv_evaluate(w->r, hed_spirv_operand(w->r, of->at, 3), 0, &length) ||
                           length < 1 || length > 1 << 20))
        return false;
    if (!of->stride || !layout_any(w, element, of->stride, matrix_stride, &inner)) return false;
    uint32_t natural = (inner.size + inner.align - 1) / inner.align * inner.align;
    if (natural != of->stride && of->stride == ROW_BYTES && natural < ROW_BYTES) {
        const char *scalar = inner.text[0] == 'v' ? inner.text + sizeof "vec2<" - 1 : inner.text;
        layout_type row = {.size = ROW_BYTES, .align = ROW_BYTES};
        layout_set(&row, "vec4<%.3s>", scalar);
        inner = row;
    } else if (natural != of->stride) {
        return false;
    }
    to->align = inner.align;
    to->size = of->stride * (uint32_t)length;
    if (strlen(inner.text) + sizeof "array<, 1048576>" > LONGEST_TYPE) return false;
    if (is_runtime) snprintf(to->text, sizeof to->text, "array<%.100s>", inner.text);
    else snprintf(to->text, sizeof to->text, "array<%.100s, %u>", inner.text, (uint32_t)length);
    return true;
}

/* Declares a struct of `total` bytes (0: as it is), with its members at their offsets. The structs in
 * it are declared before it. */
static bool layout_struct(layout_writer *w, uint32_t type, uint32_t total, layout_type *to)
{
    enum { MOST_MEMBERS = 64 };
    uint32_t at = hed_spirv_of(w->r, type)->at, count = hed_spirv_length(w->r, at) - 2, end = 0;
    layout_type types[MOST_MEMBERS];
    hed_spirv_member members[MOST_MEMBERS + 1];
    if (count < 1 || count > MOST_MEMBERS) return false;
    to->align = 4;
    for (uint32_t i = 0; i < count; i++) {
        members[i] = hed_spirv_find_member(w->r, type, i);
        types[i] = (layout_type){.size = 0};
        if (members[i].status || !layout_any(w, hed_spirv_operand(w->r, at, i + 2), 0,
                                     members[i].matrix_stride, &types[i]))
            return false;
        bool is_placed = members[i].offset >= end && members[i].offset % types[i].align == 0;
        if (!is_placed || (i == 0 && members[i].offset)) return false;
        end = members[i].offset + types[i].size;
        if (types[i].align > to->align) to->align = types[i].align;
    }
    if (total && total < end) return false;
    members[count].offset = total ? total : end;
    uint32_t number = w->r->layout_count++;
    layout_put(w, "struct HedBlock%u {\n", number);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t size = members[i + 1].offset - members[i].offset;
        if (types[i].size) layout_put(w, "    @size(%u)", size);
        if (layout_is_name(members[i].name)) layout_put(w, " %s: %s,\n", members[i].name, types[i].text);
        else layout_put(w, " member_%u: %s,\n", i, types[i].text);
    }
    layout_put(w, "}\n");
    layout_set(to, "HedBlock%u", number);
    to->size = (members[count].offset + to->align - 1) / to->align * to->align;
    return true;
}

/* Writes a type; `total` is the space that a struct fills, 0: its own. */
static bool layout_any(
    layout_writer *w, uint32_t type, uint32_t total, uint32_t matrix_stride, layout_type *to)
{
    uint32_t opcode = hed_spirv_opcode(w->r, hed_spirv_of(w->r, type)->at);
    if (w->failed || w->depth > DEEPEST || !hed_spirv_fine(w->r, 0)) return false;
    w->depth++;
    bool is_written = opcode == OP_TYPE_STRUCT   ? layout_struct(w, type, total, to)
                      : opcode == OP_TYPE_MATRIX ? layout_matrix(w, type, matrix_stride, to)
                      : opcode == OP_TYPE_ARRAY || opcode == OP_TYPE_RUNTIME_ARRAY
                          ? layout_array(w, type, matrix_stride, to)
                          : layout_vector(w, type, to);
    w->depth--;
    return is_written;
}

/* ---- blocks ---- */

hed_spirv_member hed_spirv_find_member(const hed_spirv_reader *r, uint32_t type, uint32_t index)
{
    hed_spirv_member member = {.offset = 0};
    for (uint32_t at = HED_SPIRV_HEADER; at < r->words; at += hed_spirv_length(r, at)) {
        uint32_t opcode = hed_spirv_opcode(r, at);
        if (opcode == OP_TYPE_POINTER) break; /* names and decorations come before all types */
        if (opcode != OP_MEMBER_NAME && opcode != OP_MEMBER_DECORATE) continue;
        if (hed_spirv_operand(r, at, 1) != type || hed_spirv_operand(r, at, 2) != index) continue;
        uint32_t decoration = hed_spirv_operand(r, at, 3);
        if (opcode == OP_MEMBER_NAME) member.status = hed_spirv_name(r, at + 3, member.name);
        else if (decoration == DECORATION_OFFSET) member.offset = hed_spirv_operand(r, at, 4);
        else if (decoration == DECORATION_MATRIX_STRIDE)
            member.matrix_stride = hed_spirv_operand(r, at, 4);
        else if (decoration == DECORATION_NON_WRITABLE) member.read_only = true;
        else if (decoration == DECORATION_NON_READABLE) member.write_only = true;
    }
    return member;
}

void hed_spirv_write_layout(hed_spirv_reader *r, uint32_t type, char layout[HED_SHADER_NAME])
{
    char *text = r->shader->layouts;
    layout_writer w = {.r = r, .used = strlen(text)};
    size_t before = w.used;
    layout_type block = {.size = 0};
    layout[0] = 0;
    uint32_t at = hed_spirv_of(r, type)->at, member = hed_spirv_operand(r, at, 2);
    bool is_array = hed_spirv_length(r, at) == 3 &&
                    hed_spirv_opcode(r, hed_spirv_of(r, member)->at) == OP_TYPE_RUNTIME_ARRAY;
    uint32_t matrix_stride = is_array ? hed_spirv_find_member(r, type, 0).matrix_stride : 0;
    bool is_written = layout_any(&w, is_array ? member : type, 0, matrix_stride, &block) &&
                      !w.failed && strlen(block.text) < HED_SHADER_NAME;
    if (is_written) hed_text_copy(layout, HED_SHADER_NAME, block.text);
    else text[before] = 0;
}
