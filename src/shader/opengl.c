/* Translation of Vulkan's GLSL to OpenGL's, which has neither specialization constants nor push
 * constants: constants get their values, `local_size_x_id` a number, push constants become a
 * uniform block, blocks get the layout and the binding that Vulkan would give them. A word by word
 * scan of the text, once to collect its constants and bindings and once to write; the preprocessor
 * is not run. */
#include "shader/glsl.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"

enum { MOST_ITEMS = 16, MOST_BINDINGS = 64 };
enum units { UNITS_STORAGE, UNITS_UNIFORM, UNITS_TEXTURES, UNITS_IMAGES };

/* One item of `layout(...)`: "binding = 3", or a name alone. */
typedef struct layout_item {
    char name[HED_SHADER_NAME], value[HED_SHADER_NAME];
} layout_item;

typedef struct layout_list {
    /* range of the text, from `layout` on; both NULL if there is no list */
    const char *begin, *end;
    layout_item items[MOST_ITEMS];
    uint32_t count;
} layout_list;

typedef struct opengl_writer {
    hed_glsl_scanner s;
    const char *copied; /* the text before it is written */
    bool writes, es;    /* writes: true in the second pass */
    bool begun;         /* the first word that is not a directive was read */
    uint32_t depth;     /* depth of braces */
    const hed_glsl_def *def;
    hed_glsl_opengl *to;
    hed_shader_constant constants[HED_SHADER_CONSTANTS];
    uint32_t constant_count;
    /* bindings that are taken: bit sets. Textures and images are numbered in the order of the text */
    uint64_t used_bindings[4]; /* index: enum units */
    hed_error *error;
} opengl_writer;

/* ---- limits ---- */

/* Copies the scanner's word as a name; fails if it is too long. */
static void opengl_name(opengl_writer *w, char name[HED_SHADER_NAME])
{
    const hed_glsl_scanner *s = &w->s;
    size_t length = hed_glsl_length(s);
    memcpy(name, s->word, HED_SHADER_NAME);
    if (length >= HED_SHADER_NAME)
        hed_fail(w->error, HED_ERROR_LIMIT,
            "%s: the name \"%.60s...\" has %zu characters; expected at most %d", w->def->name,
            s->begin, length, HED_SHADER_NAME - 1);
}

/* Adds the scanner's word to the value of an item of a layout. */
static void layout_extend(opengl_writer *w, layout_item *item)
{
    size_t used = strlen(item->value), length = hed_glsl_length(&w->s);
    if (used + length < sizeof item->value) memcpy(item->value + used, w->s.word, length + 1);
    else
        hed_fail(w->error, HED_ERROR_LIMIT,
            "%s: the value of \"%s\" in a layout has %zu characters or more; expected at most %d",
            w->def->name, item->name, used + length, HED_SHADER_NAME - 1);
}

/* ---- writing ---- */

/* Writes the text before `at` unchanged, and `with` in place of the text from `at` to `end`. */
static void opengl_replace(opengl_writer *w, const char *at, const char *end, const char *with)
{
    if (!w->writes) return;
    hed_text_add_bytes(&w->to->text, w->copied, (size_t)(at - w->copied));
    hed_text_add(&w->to->text, "%s", with);
    for (; at < end; at++) /* preserves line numbers */
        if (*at == '\n') hed_text_add(&w->to->text, "\n");
    w->copied = end;
}

static const char *opengl_value(const opengl_writer *w, const char *name)
{
    const char *value = NULL;
    for (uint32_t i = 0; i < w->def->define_count; i++)
        if (strcmp(w->def->defines[i].name, name) == 0) value = w->def->defines[i].value;
    return value;
}

/* Returns the value of the constant of an id; a size of the group without a constant is 1. */
static long long opengl_constant(const opengl_writer *w, uint32_t id)
{
    for (uint32_t i = 0; i < w->constant_count; i++) {
        if (w->constants[i].id != id) continue;
        const char *value = opengl_value(w, w->constants[i].name);
        return value ? strtoll(value, NULL, 0) : (long long)w->constants[i].value;
    }
    return 1;
}

/* Takes the lowest free binding. */
static uint32_t opengl_free_binding(opengl_writer *w, enum units units)
{
    uint32_t binding = 0;
    while (binding + 1 < MOST_BINDINGS && w->used_bindings[units] >> binding & 1) binding++;
    w->used_bindings[units] |= (uint64_t)1 << binding;
    return binding;
}

/* ---- layouts ---- */

static const char *layout_find(const layout_list *list, const char *name)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (strcmp(list->items[i].name, name) == 0) return list->items[i].value;
    return NULL;
}

/* Reads the list after `layout`; false if no list follows or it is not closed. */
static bool layout_read(opengl_writer *w, layout_list *list)
{
    hed_glsl_scanner *s = &w->s;
    uint32_t depth = 0, items = 0;
    layout_item beyond;
    *list = (layout_list){.begin = s->begin};
    if (!hed_glsl_next(s) || !hed_glsl_is(s, "(")) return false;
    while (hed_glsl_next(s) && !hed_glsl_is(s, ")")) {
        layout_item *item = items < MOST_ITEMS ? &list->items[list->count++] : &beyond;
        items++;
        item->value[0] = 0;
        opengl_name(w, item->name);
        bool has_token = hed_glsl_next(s);
        while (has_token && (depth || (!hed_glsl_is(s, ",") && !hed_glsl_is(s, ")")))) {
            depth += hed_glsl_is(s, "(") ? 1 : hed_glsl_is(s, ")") ? -1u : 0;
            if (!hed_glsl_is(s, "=")) layout_extend(w, item);
            has_token = hed_glsl_next(s);
        }
        if (hed_glsl_is(s, ")")) break;
    }
    if (items > MOST_ITEMS)
        hed_fail(w->error, HED_ERROR_LIMIT, "%s: a layout has %u items; expected at most %d",
            w->def->name, items, MOST_ITEMS);
    list->end = s->at;
    return hed_glsl_is(s, ")");
}

/* Adds `name = value`; only `name` if the value is "". */
static void layout_add(hed_text *items, const char *name, const char *value)
{
    const char *equals = value[0] ? " = " : "";
    hed_text_add(items, "%s%s%s%s", items->size ? ", " : "", name, equals, value);
}

static void layout_add_number(hed_text *items, const char *name, long long value)
{
    hed_text_add(items, "%s%s = %lld", items->size ? ", " : "", name, value);
}

/* Writes the list for OpenGL; `block` for buffers and uniform blocks, else NULL. */
static void layout_write(
    opengl_writer *w, const layout_list *list, bool push, const hed_shader_binding *block)
{
    hed_text items = {.allocator = &w->def->allocator};
    for (uint32_t i = 0; i < list->count; i++) {
        const char *name = list->items[i].name, *value = list->items[i].value;
        char size[16];
        size_t length = strlen(name);
        if (strcmp(name, "set") == 0 || strcmp(name, "constant_id") == 0 ||
            strcmp(name, "push_constant") == 0)
            continue;
        if (push && (strcmp(name, "std430") == 0 || strcmp(name, "scalar") == 0)) continue;
        if (strncmp(name, "local_size_", 11) == 0 && length == 15) { /* local_size_x_id */
            snprintf(size, sizeof size, "%.12s", name);
            layout_add_number(&items, size, opengl_constant(w, (uint32_t)strtoul(value, NULL, 0)));
        } else if (strcmp(name, "binding") != 0) {
            layout_add(&items, name, value);
        }
    }
    if (push) layout_add(&items, "std140", "");
    if (push || block)
        layout_add_number(&items, "binding", push ? w->to->push_binding : block->binding);
    const char *begin = list->begin;
    opengl_replace(w, begin, begin, items.size ? "layout(" : "");
    opengl_replace(w, begin, begin, items.size ? items.bytes : "");
    opengl_replace(w, begin, list->end ? list->end : begin,
        !items.size ? "" : list->end ? ")" : ") ");
    w->to->text.failed |= items.failed;
    hed_text_free(&items);
}

/* ---- declarations ---- */

/* Translates `const TYPE NAME = VALUE;` after its layout. */
static void opengl_constant_declared(opengl_writer *w, const layout_list *list)
{
    hed_glsl_scanner *s = &w->s;
    char type[HED_SHADER_NAME];
    layout_write(w, list, false, NULL);
    if (!hed_glsl_is(s, "const") || !hed_glsl_next(s)) return;
    opengl_name(w, type);
    if (!hed_glsl_next(s)) return;
    const char *value = opengl_value(w, s->word);
    if (!hed_glsl_next(s) || !hed_glsl_is(s, "=")) return;
    const char *from = s->at;
    while (hed_glsl_next(s) && !hed_glsl_is(s, ";")) continue;
    if (!value) return;
    opengl_replace(w, from, from, " ");
    opengl_replace(w, from, from, type);
    opengl_replace(w, from, from, "(");
    opengl_replace(w, from, from, value);
    opengl_replace(w, from, s->begin, ")");
}

/* Reads the members of a block, up to its closing brace; `single_name` is the name of the only
 * member. The driver reports the offsets of push constants. */
static void opengl_members(opengl_writer *w, bool push, char single_name[HED_SHADER_NAME])
{
    hed_glsl_scanner *s = &w->s;
    char name[HED_SHADER_NAME] = "";
    uint32_t members = 0;
    bool sized = false;
    single_name[0] = 0;
    while (hed_glsl_next(s) && !hed_glsl_is(s, "}")) {
        layout_list list;
        if (hed_glsl_is(s, "layout") && layout_read(w, &list)) {
            if (push) opengl_replace(w, list.begin, list.end, "");
            continue;
        }
        bool ends = hed_glsl_is(s, ";") || hed_glsl_is(s, ",");
        if (ends && ++members == 1) hed_text_copy(single_name, HED_SHADER_NAME, name);
        sized = !ends && (sized || hed_glsl_is(s, "["));
        if (!sized && !ends) opengl_name(w, name);
    }
    if (members != 1) single_name[0] = 0;
}

static void opengl_keep(opengl_writer *w, const hed_shader_binding *block)
{
    hed_glsl_opengl *to = w->to;
    uint32_t place = to->binding_count;
    for (uint32_t i = 0; i < place; i++) /* the same buffer, declared again with another type */
        if (to->bindings[i].binding == block->binding &&
            to->bindings[i].resource == block->resource &&
            to->bindings[i].uniform == block->uniform)
            return;
    if (place == HED_SHADER_BINDINGS) {
        hed_fail(w->error, HED_ERROR_LIMIT, "%s: too many buffers at \"%s\"; expected at most %d",
            w->def->name, block->name, (int)HED_SHADER_BINDINGS);
        return;
    }
    for (; place && to->bindings[place - 1].binding > block->binding; place--)
        to->bindings[place] = to->bindings[place - 1];
    to->bindings[place] = *block;
    to->binding_count++;
}

/* Reads a block, from its name on. */
static void opengl_block(opengl_writer *w, const layout_list *list, bool uniform)
{
    hed_glsl_scanner *s = &w->s;
    hed_shader_binding block = {.uniform = uniform};
    const char *binding = layout_find(list, "binding"), *set = layout_find(list, "set");
    bool push = layout_find(list, "push_constant") != NULL;
    char single_name[HED_SHADER_NAME];
    if (set && strtoul(set, NULL, 0)) binding = NULL; /* OpenGL has one set */
    opengl_name(w, block.block);
    if (binding) block.binding = (uint32_t)strtoul(binding, NULL, 0);
    else if (w->writes && !push)
        block.binding = opengl_free_binding(w, uniform ? UNITS_UNIFORM : UNITS_STORAGE);
    if (binding && block.binding < MOST_BINDINGS)
        w->used_bindings[uniform] |= (uint64_t)1 << block.binding;
    layout_write(w, list, push, &block);
    hed_glsl_next(s); /* { */
    opengl_members(w, push, single_name);
    hed_glsl_next(s);
    bool named = isalpha((unsigned char)s->word[0]) || s->word[0] == '_';
    if (named) opengl_name(w, block.name);
    else memcpy(block.name, single_name[0] ? single_name : block.block, sizeof block.name);
    if (named) hed_glsl_next(s);
    if (hed_glsl_is(s, "["))
        hed_fail(w->error, HED_ERROR_UNSUPPORTED,
            "%s: \"%s\" is an array of buffers: expected one buffer for each argument",
            w->def->name, block.name);
    if (w->writes && !push) opengl_keep(w, &block);
}

/* Reads the type of an image or of a texture with its sampler; false: another type. */
static bool opengl_image_type(const char *type, hed_shader_binding *image)
{
    static const char *const shapes[HED_IMAGE_SHAPES] = {
        "1D", "2D", "2DArray", "3D", "Cube", "CubeArray"};
    size_t sign = type[0] == 'i' && strncmp(type, "image", 5) != 0 ? 1 : type[0] == 'u';
    const char *at = type + sign;
    bool is_image = strncmp(at, "image", 5) == 0, is_sampler = strncmp(at, "sampler", 7) == 0;
    image->resource = is_image ? HED_SHADER_STORAGE_IMAGE : HED_SHADER_SAMPLED;
    for (int i = 0; i < HED_IMAGE_SHAPES && (is_image || is_sampler); i++) {
        if (strcmp(at + (is_image ? 5 : 7), shapes[i]) != 0) continue;
        image->shape = (hed_image_shape)i;
        return true;
    }
    return false;
}

/* Reads an image, from its type on. */
static void opengl_image(opengl_writer *w, const layout_list *list, hed_shader_binding *image)
{
    hed_glsl_scanner *s = &w->s;
    bool is_stored = image->resource == HED_SHADER_STORAGE_IMAGE;
    hed_glsl_next(s);
    opengl_name(w, image->name);
    if (w->writes)
        image->binding = opengl_free_binding(w, is_stored ? UNITS_IMAGES : UNITS_TEXTURES);
    for (uint32_t i = 0; i < w->to->binding_count; i++) /* declared in another branch of the text */
        if (strcmp(w->to->bindings[i].name, image->name) == 0)
            image->binding = w->to->bindings[i].binding;
    layout_write(w, list, false, image);
    if (w->writes) opengl_keep(w, image);
}

static bool opengl_is_qualifier(const hed_glsl_scanner *s)
{
    static const char *const words[] = {
        "readonly", "writeonly", "restrict", "coherent", "volatile", "highp", "mediump", "lowp"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (hed_glsl_is(s, words[i])) return true;
    return false;
}

/* Reads the declaration after `uniform` or `buffer`: a block, an image, or a single uniform. */
static void opengl_uniform(opengl_writer *w, const layout_list *list)
{
    hed_glsl_scanner *s = &w->s;
    bool uniform = hed_glsl_is(s, "uniform");
    char type[HED_SHADER_NAME];
    hed_shader_binding image = {0};
    if (!hed_glsl_next(s)) return;
    while (opengl_is_qualifier(s))
        if (!hed_glsl_next(s)) return;
    hed_glsl_scanner lookahead = *s;
    if (hed_glsl_next(&lookahead) && hed_glsl_is(&lookahead, "{")) {
        opengl_block(w, list, uniform);
        return;
    }
    hed_text_copy(type, sizeof type, s->word);
    bool is_named = !hed_glsl_is(&lookahead, ";");
    if (is_named && opengl_image_type(type, &image)) {
        opengl_image(w, list, &image);
        return;
    }
    bool texture = strstr(type, "image") || strstr(type, "sampler") || strstr(type, "texture");
    if (texture && is_named)
        hed_fail(w->error, HED_ERROR_UNSUPPORTED,
            "%s: \"%s\" is a %s; expected samplers and images of 1 to 3 dimensions or cubes",
            w->def->name, lookahead.word, type);
}

static void opengl_layout(opengl_writer *w)
{
    layout_list list;
    if (!layout_read(w, &list)) return;
    if (!hed_glsl_next(&w->s)) return;
    while (opengl_is_qualifier(&w->s))
        if (!hed_glsl_next(&w->s)) return;
    bool block = hed_glsl_is(&w->s, "uniform") || hed_glsl_is(&w->s, "buffer");
    hed_glsl_scanner lookahead = w->s;
    if (layout_find(&list, "constant_id")) opengl_constant_declared(w, &list);
    else if (block && hed_glsl_next(&lookahead) && !hed_glsl_is(&lookahead, ";"))
        opengl_uniform(w, &list);
    else layout_write(w, &list, false, NULL);
}

/* ---- the whole text ---- */

/* Translates a directive, from `#` to the end of its line. Attributes of loops exist only in
 * Vulkan. */
static void opengl_directive(opengl_writer *w)
{
    static const char loops[] = "GL_EXT_control_flow_attributes";
    hed_glsl_scanner *s = &w->s;
    const char *begin = s->begin, *end = begin;
    do {
        end = memchr(end, '\n', (size_t)(s->end - end));
        end = end ? end + 1 : s->end;
    } while (end < s->end && end - begin > 1 && end[-2] == '\\');
    const char *line_end = end > begin && end[-1] == '\n' ? end - 1 : end;
    char place[32];
    unsigned line, source;
    hed_glsl_next(s);
    if (hed_glsl_is(s, "version") && w->es) /* the extension has fma() */
        opengl_replace(
            w, begin, line_end, "#version 310 es\n#extension GL_EXT_gpu_shader5 : enable");
    if (hed_glsl_is(s, "line") && sscanf(s->at, "%u %u", &line, &source) == 2) {
        /* Mesa loses the number of the source */
        snprintf(place, sizeof place, "#line %u 0", source << HED_GLSL_LINE_BITS | line);
        opengl_replace(w, begin, line_end, place);
    }
    if (hed_glsl_is(s, "extension") &&
        memmem(begin, (size_t)(end - begin), loops, sizeof loops - 1))
        opengl_replace(w, begin, line_end, "");
    s->at = end;
}

static void opengl_word(opengl_writer *w)
{
    hed_glsl_scanner *s = &w->s;
    static const char desktop[] = "layout(std430) buffer; layout(std140) uniform; ";
    static const char precisions[] = "precision highp float; precision highp int; ";
    if (hed_glsl_is(s, "#")) {
        opengl_directive(w);
        return;
    }
    if (!w->begun) { /* default layouts of Vulkan */
        opengl_replace(w, s->begin, s->begin, w->es ? precisions : "");
        opengl_replace(w, s->begin, s->begin, desktop);
        w->begun = true;
    }
    if (hed_glsl_is(s, "{")) w->depth++;
    else if (hed_glsl_is(s, "}")) w->depth -= w->depth > 0;
    else if (hed_glsl_is(s, "[") && s->at < s->end && *s->at == '[') { /* [[unroll]] */
        const char *begin = s->begin, *end = memmem(s->at, (size_t)(s->end - s->at), "]]", 2);
        s->at = end ? end + 2 : s->end;
        opengl_replace(w, begin, s->at, "");
    } else if (!w->depth && hed_glsl_is(s, "layout")) {
        opengl_layout(w);
    } else if (!w->depth && (hed_glsl_is(s, "uniform") || hed_glsl_is(s, "buffer"))) {
        const layout_list empty = {.begin = s->begin};
        opengl_uniform(w, &empty);
    }
}

static void opengl_scan(opengl_writer *w, const hed_text *text)
{
    w->s = (hed_glsl_scanner){text->bytes, text->bytes + text->size, text->bytes, ""};
    w->copied = text->bytes;
    w->begun = false;
    w->depth = 0;
    while (!hed_failed(w->error) && hed_glsl_next(&w->s)) opengl_word(w);
    opengl_replace(w, w->s.end, w->s.end, "");
}

/* Collects the constants of the text, and checks that their names fit. */
static void opengl_find_constants(opengl_writer *w, const hed_text *text)
{
    hed_glsl_constant constant;
    uint32_t count = 0;
    w->s = (hed_glsl_scanner){text->bytes, text->bytes + text->size, text->bytes, ""};
    for (; hed_glsl_next_constant(&w->s, &constant); count++) {
        if (constant.length >= HED_SHADER_NAME)
            hed_fail(w->error, HED_ERROR_LIMIT,
                "%s: the constant \"%.60s...\" has %zu characters; expected at most %d",
                w->def->name, constant.name, constant.length, HED_SHADER_NAME - 1);
        if (count < HED_SHADER_CONSTANTS) w->constants[w->constant_count++] = constant.about;
    }
    if (count > HED_SHADER_CONSTANTS)
        hed_fail(w->error, HED_ERROR_LIMIT, "%s: %u specialization constants; expected at most %d",
            w->def->name, count, HED_SHADER_CONSTANTS);
}

hed_status hed_glsl_for_opengl(
    const hed_glsl_def *def, bool es, hed_glsl_opengl *opengl, hed_error *error)
{
    hed_text text = {.allocator = &def->allocator};
    *opengl = (hed_glsl_opengl){.text = {.allocator = &def->allocator}};
    opengl_writer w = {.def = def, .to = opengl, .es = es, .error = error};
    if (hed_failed(error)) return error->status;
    hed_glsl_assemble(def, &text);
    if (!text.failed) {
        opengl_find_constants(&w, &text);
        opengl_scan(&w, &text);
        opengl->push_binding = opengl_free_binding(&w, UNITS_UNIFORM);
        w.writes = true;
        opengl_scan(&w, &text);
    }
    if (text.failed || opengl->text.failed) HED_OUT_OF_MEMORY(error, "the text of %s", def->name);
    hed_text_free(&text);
    return error->status;
}
