/* Texts in GLSL for OpenGL, as Vulkan has to have them: uniforms outside of blocks become members of one
 * block, each resource has a number of its own, and the layouts `shared` and `packed` a standard one.
 * Line numbers do not change. */
#include "tunefile/spec.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RESOURCES = 64, MOST_OPENGL_EDITS = 256 };

typedef enum resource_kind {
    PLAIN_UNIFORM,
    STRUCT_UNIFORM, /* outside of blocks, of a struct */
    COUNTER,        /* atomic_uint */
    TEXTURE,
    IMAGE,
    UNIFORM_BLOCK,
    STORAGE_BLOCK
} resource_kind;

/* A declaration of the text. */
typedef struct resource {
    resource_kind kind;
    const char *begin, *end; /* the declaration; of a block, its part before { */
    const char *type;        /* position of the type */
    const char *list;        /* after the ( of its layout; NULL: no layout */
    hed_glsl_word number;    /* binding; size 0: absent */
    bool has_set;            /* a set in the layout, as in Vulkan alone */
} resource;

typedef struct opengl_edit {
    const char *at;
    size_t size;
    const char *text;
} opengl_edit;

typedef struct opengl_text {
    hed_spec_reader *reader;
    hed_json_node node;
    const char *text;
    resource resources[MOST_RESOURCES];
    uint32_t resource_count;
    opengl_edit edits[MOST_OPENGL_EDITS]; /* sorted by position */
    uint32_t edit_count;
    uint32_t next_number; /* smallest binding that no resource has */
    bool is_refused;      /* a declaration that has no place in a block */
} opengl_text;

static bool is_glsl_word(hed_glsl_word w, const char *text)
{
    return w.size == strlen(text) && memcmp(w.at, text, w.size) == 0;
}

static hed_glsl_word glsl_word_after(const opengl_text *t, hed_glsl_word w)
{
    return hed_spec_glsl_next(t->text, w.at + w.size);
}

static void add_change(opengl_text *t, const char *at, size_t size, const char *text)
{
    uint32_t place = t->edit_count;
    if (place == MOST_OPENGL_EDITS) {
        t->is_refused = true;
        return;
    }
    for (; place > 0 && t->edits[place - 1].at > at; place--) t->edits[place] = t->edits[place - 1];
    t->edits[place] = (opengl_edit){at, size, text};
    t->edit_count++;
}

/* ---- declarations ---- */

/* Skips a pair of brackets with its contents; `w` is the first bracket, and becomes the last. */
static void skip_nested(const opengl_text *t, hed_glsl_word *w)
{
    int depth = 0;
    for (; w->size; *w = glsl_word_after(t, *w)) {
        depth += is_glsl_word(*w, "(") || is_glsl_word(*w, "{") || is_glsl_word(*w, "[");
        depth -= is_glsl_word(*w, ")") || is_glsl_word(*w, "}") || is_glsl_word(*w, "]");
        if (depth <= 0) return;
    }
}

/* Reads `layout(...)` from its first word on; `w` becomes the bracket that ends it. */
static void read_layout_list(const opengl_text *t, hed_glsl_word *w, resource *r)
{
    *w = glsl_word_after(t, *w);
    r->list = w->at + w->size;
    while (w->size && !is_glsl_word(*w, ")")) {
        *w = glsl_word_after(t, *w);
        r->has_set = r->has_set || is_glsl_word(*w, "set");
        if (!is_glsl_word(*w, "binding")) continue;
        hed_glsl_word sign = glsl_word_after(t, *w), number = glsl_word_after(t, sign);
        if (is_glsl_word(sign, "=")) r->number = number;
    }
}

static bool has_beginning(hed_glsl_word w, const char *text)
{
    return w.size >= strlen(text) && memcmp(w.at, text, strlen(text)) == 0;
}

/* Returns the kind of a uniform that is no block. */
static resource_kind uniform_kind(hed_glsl_word type)
{
    static const char *const words[] = {"image", "iimage", "uimage", "sampler", "isampler",
        "usampler", "texture", "itexture", "utexture"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (has_beginning(type, words[i])) return i < 3 ? IMAGE : TEXTURE;
    return PLAIN_UNIFORM;
}

static bool is_number_type(hed_glsl_word type)
{
    static const char *const words[] = {"float", "int", "uint", "bool", "vec", "ivec", "uvec",
        "bvec", "mat", "double", "dvec", "dmat"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t length = strlen(words[i]);
        if (has_beginning(type, words[i]) &&
            (type.size == length || isdigit((unsigned char)type.at[length])))
            return true;
    }
    return false;
}

/* Reads one declaration of the module, from its first word on; `w` becomes its last word. */
static void read_declaration(opengl_text *t, hed_glsl_word *w)
{
    static const char *const qualifiers[] = {
        "readonly", "writeonly", "coherent", "restrict", "volatile", "highp", "mediump", "lowp"};
    resource r = {.begin = w->at, .number = {NULL, 0}};
    bool is_uniform = false, is_buffer = false, is_push = false;
    for (; w->size; *w = glsl_word_after(t, *w)) {
        bool is_qualifier = false;
        if (is_glsl_word(*w, "layout")) {
            const char *from = w->at;
            read_layout_list(t, w, &r);
            is_push = is_push || memmem(from, (size_t)(w->at - from), "push_constant", 13);
            continue;
        }
        for (size_t i = 0; i < sizeof qualifiers / sizeof *qualifiers; i++)
            is_qualifier = is_qualifier || is_glsl_word(*w, qualifiers[i]);
        is_uniform = is_uniform || is_glsl_word(*w, "uniform");
        is_buffer = is_buffer || is_glsl_word(*w, "buffer");
        if (!is_qualifier && !is_glsl_word(*w, "uniform") && !is_glsl_word(*w, "buffer")) break;
    }
    r.type = w->at;
    hed_glsl_word type = *w, after = glsl_word_after(t, *w);
    bool is_block = is_glsl_word(after, "{");
    for (; w->size && !is_glsl_word(*w, ";"); *w = glsl_word_after(t, *w)) {
        if (is_glsl_word(*w, "{")) r.end = r.end ? r.end : w->at;
        if (!is_glsl_word(*w, "{") && !is_glsl_word(*w, "(") && !is_glsl_word(*w, "[")) continue;
        bool is_body = is_glsl_word(*w, "{");
        skip_nested(t, w);
        hed_glsl_word next = glsl_word_after(t, *w);
        if (is_body && !is_block && !is_glsl_word(next, ";") && !is_glsl_word(next, ","))
            break; /* a function */
    }
    if (!r.end) r.end = w->at + w->size;
    if ((!is_uniform && !is_buffer) || is_push || !type.size) return;
    r.kind = is_block && is_buffer ? STORAGE_BLOCK : is_block ? UNIFORM_BLOCK : uniform_kind(type);
    if (r.kind == PLAIN_UNIFORM && !is_number_type(type)) {
        bool is_counter = is_glsl_word(type, "atomic_uint");
        r.kind = is_counter ? COUNTER : STRUCT_UNIFORM;
        t->is_refused = t->is_refused || (!is_counter && !hed_spec_glsl_declares(t->text, type));
    }
    t->is_refused = t->is_refused || t->resource_count == MOST_RESOURCES;
    if (!t->is_refused) t->resources[t->resource_count++] = r;
}

/* ---- numbers ---- */

static uint32_t binding_of(const resource *r)
{
    return r->number.size ? (uint32_t)strtoul(r->number.at, NULL, 0) : UINT32_MAX;
}

/* True if a resource of another kind before this one has its number: OpenGL counts each kind apart. */
static bool has_clash(const opengl_text *t, uint32_t index)
{
    const resource *r = &t->resources[index];
    for (uint32_t i = 0; i < index && r->number.size; i++)
        if (t->resources[i].kind > COUNTER && t->resources[i].kind != r->kind &&
            binding_of(&t->resources[i]) == binding_of(r))
            return true;
    return false;
}

/* Gives a resource without a number, or with the number of another one, the next that is free. */
static void put_binding(opengl_text *t, uint32_t index)
{
    const resource *r = &t->resources[index];
    bool is_changed = has_clash(t, index);
    if (r->kind <= COUNTER || (r->number.size && !is_changed)) return;
    uint32_t number = t->next_number++;
    if (is_changed)
        add_change(t, r->number.at, r->number.size, hed_spec_text(t->reader, t->node, "%u", number));
    else
        add_change(t, r->list ? r->list : r->begin, 0,
            hed_spec_text(t->reader, t->node, r->list ? "binding = %u, " : "layout(binding = %u) ", number));
}

/* Replaces a layout of memory that only OpenGL's drivers know. */
static void put_standard(opengl_text *t, const resource *r)
{
    static const char *const words[] = {"shared", "packed"};
    const char *standard = r->kind == STORAGE_BLOCK ? "std430" : "std140";
    if (!r->list || (r->kind != STORAGE_BLOCK && r->kind != UNIFORM_BLOCK)) return;
    hed_glsl_word w = hed_spec_glsl_next(t->text, r->list);
    for (; w.size && !is_glsl_word(w, ")"); w = glsl_word_after(t, w))
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            if (is_glsl_word(w, words[i])) add_change(t, w.at, w.size, standard);
}

/* ---- the block ---- */

/* Adds a declaration to the members, in one line, without the values at the start. */
static void put_member(const opengl_text *t, const resource *r, FILE *to)
{
    bool is_value = false;
    fputc(' ', to);
    for (hed_glsl_word w = hed_spec_glsl_next(t->text, r->type); w.size && w.at < r->end;
         w = glsl_word_after(t, w)) {
        if (is_glsl_word(w, "=")) is_value = true;
        if (is_value && (is_glsl_word(w, "(") || is_glsl_word(w, "{"))) skip_nested(t, &w);
        else if (is_glsl_word(w, ",") || is_glsl_word(w, ";")) is_value = false;
        if (is_glsl_word(w, "atomic_uint")) fputs("uint ", to);
        else if (!is_value) fprintf(to, "%.*s ", (int)w.size, w.at);
    }
}

/* Makes a block of a uniform of a struct, or of a counter, at its place. */
static void put_own_block(opengl_text *t, const resource *r)
{
    char *block = NULL;
    size_t size = 0;
    uint32_t number = t->next_number++;
    FILE *to = open_memstream(&block, &size);
    if (to && r->kind == COUNTER)
        fprintf(to, "layout(std430, binding = %u) buffer HeddleCounter%u {", number, number);
    else if (to) fprintf(to, "layout(std140, binding = %u) uniform HeddleUniform%u {", number, number);
    if (to) {
        put_member(t, r, to);
        fputs("};", to);
        for (const char *c = r->begin; c < r->end; c++)
            if (*c == '\n') fputc('\n', to);
    }
    if (!to || fclose(to)) t->is_refused = true;
    else
        add_change(t, r->begin, (size_t)(r->end - r->begin),
            hed_spec_text(t->reader, t->node, "%s", block));
    free(block);
}

/* Replaces the functions of counters by functions of buffers: atomicCounterAdd(c, n) by atomicAdd(c, n). */
static void put_counter_functions(opengl_text *t)
{
    static const struct {
        const char *word, *begin, *end;
    } functions[] = {{"atomicCounter", "uint", ")"}, {"atomicCounterIncrement", "atomicAdd", ", 1u)"},
        {"atomicCounterDecrement", "(atomicAdd", ", 0xffffffffu) - 1u)"}, {"atomicCounterAdd", "atomicAdd", ")"},
        {"atomicCounterMin", "atomicMin", ")"}, {"atomicCounterMax", "atomicMax", ")"},
        {"atomicCounterAnd", "atomicAnd", ")"}, {"atomicCounterOr", "atomicOr", ")"},
        {"atomicCounterXor", "atomicXor", ")"}, {"atomicCounterExchange", "atomicExchange", ")"},
        {"atomicCounterCompSwap", "atomicCompSwap", ")"}};
    for (hed_glsl_word w = hed_spec_glsl_next(t->text, t->text); w.size; w = glsl_word_after(t, w))
        for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
            hed_glsl_word last = glsl_word_after(t, w);
            if (!is_glsl_word(w, functions[i].word) || !is_glsl_word(last, "(")) continue;
            skip_nested(t, &last);
            if (!last.size) continue;
            add_change(t, w.at, w.size, functions[i].begin);
            add_change(t, last.at, last.size, functions[i].end);
        }
}

/* Moves the uniforms that are outside of blocks into one, at the place of the first. */
static void put_block(opengl_text *t)
{
    char *members = NULL;
    size_t size = 0;
    const resource *first = NULL;
    FILE *to = open_memstream(&members, &size);
    for (uint32_t i = 0; to && i < t->resource_count; i++) {
        const resource *r = &t->resources[i];
        if (r->kind != PLAIN_UNIFORM) continue;
        if (!first) first = r;
        put_member(t, r, to);
    }
    if (!to || fclose(to)) t->is_refused = true;
    for (uint32_t i = 0; first && i < t->resource_count; i++) {
        const resource *r = &t->resources[i];
        char lines[16] = "";
        if (r->kind != PLAIN_UNIFORM) continue;
        for (const char *c = r->begin; c < r->end && strlen(lines) + 1 < sizeof lines; c++)
            if (*c == '\n') strcat(lines, "\n");
        add_change(t, r->begin, (size_t)(r->end - r->begin),
            r == first ? hed_spec_text(t->reader, t->node,
                             "layout(std140, binding = %u) uniform HeddleUniforms {%s};%s",
                             t->next_number, members, lines)
                       : hed_spec_text(t->reader, t->node, "%s", lines));
    }
    free(members);
}

static void write_changes(opengl_text *t, hed_source *source)
{
    char *text = NULL;
    size_t size = 0;
    const char *from = source->text;
    FILE *to = open_memstream(&text, &size);
    for (uint32_t i = 0; to && i < t->edit_count; i++) {
        fprintf(to, "%.*s%s", (int)(t->edits[i].at - from), from, t->edits[i].text);
        from = t->edits[i].at + t->edits[i].size;
    }
    if (to) fputs(from, to);
    if (to && !fclose(to)) {
        source->text = hed_spec_text(t->reader, t->node, "%s", text);
        source->size = strlen(source->text);
    }
    free(text);
}

bool hed_spec_from_opengl(
    hed_spec_reader *reader, hed_json_node node, bool only_clashes, hed_source *source)
{
    opengl_text *t = hed_spec_allocate(reader, sizeof *t, node);
    bool has_clashes = false, has_sets = false, has_counters = false;
    if (!t || strlen(source->text) != source->size) return false;
    *t = (opengl_text){.reader = reader, .node = node, .text = source->text};
    for (hed_glsl_word w = hed_spec_glsl_next(t->text, t->text); w.size && !t->is_refused;
         w = glsl_word_after(t, w))
        read_declaration(t, &w);
    if (t->is_refused) return false;
    for (uint32_t i = 0; i < t->resource_count; i++) {
        uint32_t number = binding_of(&t->resources[i]);
        if (number != UINT32_MAX && number >= t->next_number) t->next_number = number + 1;
        has_clashes = has_clashes || has_clash(t, i);
        has_sets = has_sets || t->resources[i].has_set;
        has_counters = has_counters || t->resources[i].kind == COUNTER;
    }
    if (only_clashes && (!has_clashes || has_sets)) return false;
    for (uint32_t i = 0; i < t->resource_count; i++) {
        put_standard(t, &t->resources[i]);
        put_binding(t, i);
    }
    for (uint32_t i = 0; i < t->resource_count; i++)
        if (t->resources[i].kind == STRUCT_UNIFORM || t->resources[i].kind == COUNTER)
            put_own_block(t, &t->resources[i]);
    if (has_counters) put_counter_functions(t);
    put_block(t);
    if (!t->edit_count || t->is_refused || !hed_spec_fine(reader)) return false;
    write_changes(t, source);
    return hed_spec_fine(reader);
}
