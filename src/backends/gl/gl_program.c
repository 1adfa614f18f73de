/* Programs: GLSL translated to OpenGL's (shader/opengl.c), and compiled by the driver when the
 * program is loaded, since drivers keep a cache of their own. The driver reports the locations of
 * the text's scalars. */
#include "backends/gl/gl.h"
#include "base/signature.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shader/glsl.h"

enum { MOST_LEAVES = 64 };

/* ---- compiling ---- */

hed_status hed_gl_compile(const gl_device *of, const char *kernel, const char *text, size_t size,
    unsigned *program, hed_error *error)
{
    const hed_gl_api *api = &of->api;
    int length = (int)size, compiled = 0, linked = 0, log_size = 0;
    unsigned shader = api->CreateShader(GL_COMPUTE_SHADER);
    *program = api->CreateProgram();
    api->ShaderSource(shader, 1, &text, &length);
    api->CompileShader(shader);
    api->GetShaderiv(shader, GL_COMPILE_STATUS, &compiled);
    if (compiled) {
        api->AttachShader(*program, shader);
        api->LinkProgram(*program);
        api->GetProgramiv(*program, GL_LINK_STATUS, &linked);
    }
    hed_status status = hed_gl_check(of, true, "glLinkProgram", kernel, error);
    if (!status && !linked) {
        status = hed_fail(error, HED_ERROR_BUILD, "%s does not %s on %s (%s): see the log", kernel,
            compiled ? "link" : "compile", of->info->id, of->info->name);
        if (compiled) api->GetProgramiv(*program, GL_INFO_LOG_LENGTH, &log_size);
        else api->GetShaderiv(shader, GL_INFO_LOG_LENGTH, &log_size);
        char *log = hed_allocate(&of->driver->allocator, (size_t)log_size + 1);
        if (log && compiled) api->GetProgramInfoLog(*program, log_size, NULL, log);
        else if (log) api->GetShaderInfoLog(shader, log_size, NULL, log);
        if (log) hed_fail_log(error, log);
        hed_release(&of->driver->allocator, log, (size_t)log_size + 1);
    }
    api->DeleteShader(shader);
    if (!status) return HED_OK;
    api->DeleteProgram(*program);
    *program = 0;
    return status;
}

/* Writes the text that the driver gets, and its buffers. */
static hed_status program_text(const hed_build *build, hed_glsl_opengl *opengl, hed_error *error)
{
    const gl_device *of = hed_gl_of(build->device);
    const hed_glsl_def def = {.name = build->def->name,
        .sources = build->sources,
        .source_count = build->source_count,
        .defines = build->defines,
        .define_count = build->define_count,
        .allocator = of->driver->allocator};
    hed_error cause = {0};
    hed_status status = hed_glsl_for_opengl(&def, of->es, opengl, &cause);
    opengl->text.allocator = &of->driver->allocator; /* the text outlives the definition */
    return status ? hed_fail(error, status, "%s", cause.text) : HED_OK;
}

/* Translates line numbers of the log to lines of the user's files. */
static void program_place(const hed_build *build, hed_error *error)
{
    const hed_glsl_def def = {.sources = build->sources, .source_count = build->source_count};
    hed_text placed = {.allocator = &build->device->settings->allocator};
    if (!error || !error->log[0]) return;
    hed_glsl_place_log(&def, error->log, &placed);
    if (!placed.failed && placed.size) hed_fail_log(error, placed.bytes);
    hed_text_free(&placed);
}

/* Writes the translated text: it is the binary. */
hed_status hed_gl_build(const hed_build *build, hed_binary *binary, hed_error *error)
{
    hed_glsl_opengl opengl;
    hed_status status = program_text(build, &opengl, error);
    size_t size = opengl.text.size;
    if (!status) binary->bytes = hed_allocate(&build->device->settings->allocator, size);
    if (!status && !binary->bytes)
        status = HED_OUT_OF_MEMORY(error, "the program of %s", build->def->name);
    if (!status) {
        memcpy(binary->bytes, opengl.text.bytes, size);
        binary->size = size;
    }
    hed_text_free(&opengl.text);
    return status;
}

/* ---- scalars ---- */

/* A number, a vector or an array: a member of the push constants, or a uniform. */
typedef struct program_leaf {
    char name[2 * HED_SHADER_NAME]; /* block prefix removed */
    struct {
        int type, count, offset, stride, location, block;
    } about;                    /* the driver's values; block -1: not in a block */
    int place;                  /* offset or location: the sort key */
    uint32_t components, bytes; /* scalars and bytes of one element */
} program_leaf;

/* Computes the size of a leaf. True if an argument can have its type. */
static bool leaf_measure(program_leaf *leaf)
{
    static const int pairs[] = {GL_FLOAT_VEC2, GL_INT_VEC2, GL_UNSIGNED_INT_VEC2};
    int type = leaf->about.type;
    leaf->components = type == GL_INT || type == GL_UNSIGNED_INT || type == GL_FLOAT ||
                       type == GL_BOOL || type == GL_DOUBLE;
    for (int i = 0; i < 3; i++) /* types of two, three and four components are consecutive */
        if (type >= pairs[i] && type < pairs[i] + 3)
            leaf->components = (uint32_t)(type - pairs[i]) + 2;
    leaf->bytes = leaf->components * (type == GL_DOUBLE ? 8 : 4);
    return leaf->components == 1 || (leaf->components && leaf->about.block >= 0);
}

static bool is_image(const hed_glsl_opengl *opengl, const char *name)
{
    for (uint32_t i = 0; i < opengl->binding_count; i++)
        if (opengl->bindings[i].resource && strcmp(opengl->bindings[i].name, name) == 0)
            return true;
    return false;
}

/* Lists the uniforms of the push constants' block or of no block, in the order of the text (by
 * offset or by location). */
static hed_status program_leaves(const gl_device *of, const gl_program *impl, const char *kernel,
    const hed_glsl_opengl *opengl, int block, program_leaf leaves[MOST_LEAVES], uint32_t *count,
    hed_error *error)
{
    static const unsigned properties[] = {
        GL_TYPE, GL_ARRAY_SIZE, GL_OFFSET, GL_ARRAY_STRIDE, GL_LOCATION, GL_BLOCK_INDEX};
    const hed_gl_api *api = &of->api;
    char name[HED_SHADER_NAME + 1] = ""; /* one byte more for a dot */
    int active = 0;
    *count = 0;
    if (block >= 0)
        api->GetProgramResourceName(
            impl->name, GL_UNIFORM_BLOCK, (unsigned)block, sizeof name - 1, NULL, name);
    size_t length = strlen(name);
    name[length] = '.'; /* prefix of the members of a block that has an instance name */
    api->GetProgramInterfaceiv(impl->name, GL_UNIFORM, GL_ACTIVE_RESOURCES, &active);
    for (unsigned i = 0; i < (unsigned)active; i++) {
        program_leaf leaf = {.place = 0};
        api->GetProgramResourceiv(
            impl->name, GL_UNIFORM, i, 6, properties, 6, NULL, (int *)(void *)&leaf.about);
        api->GetProgramResourceName(impl->name, GL_UNIFORM, i, sizeof leaf.name, NULL, leaf.name);
        /* a member of a uniform buffer */
        if (leaf.about.block >= 0 && leaf.about.block != block) continue;
        if (is_image(opengl, leaf.name)) continue;
        if (leaf.about.block >= 0 && strncmp(leaf.name, name, length + 1) == 0)
            memmove(leaf.name, leaf.name + length + 1, strlen(leaf.name + length));
        leaf.place = leaf.about.block < 0 ? leaf.about.location : leaf.about.offset;
        if (!leaf_measure(&leaf) || *count == MOST_LEAVES)
            return hed_fail(error, HED_ERROR_UNSUPPORTED,
                "%s: uniform \"%s\" has a type (%#x) that no argument has: expected numbers, and at "
                "most %d of them",
                kernel, leaf.name, (unsigned)leaf.about.type, (int)MOST_LEAVES);
        uint32_t at = (*count)++;
        for (; at && leaves[at - 1].place > leaf.place; at--) leaves[at] = leaves[at - 1];
        leaves[at] = leaf;
    }
    return HED_OK;
}

/* Counts the leaves of the member `name`, which follow each other from `first`. */
static uint32_t leaves_of_member(
    const program_leaf *leaves, uint32_t count, uint32_t first, const char *name, size_t length)
{
    uint32_t end = first;
    while (end < count && strncmp(leaves[end].name, name, length) == 0 &&
           strchr(".[", leaves[end].name[length]))
        end++;
    return end - first;
}

/* Finds the leaves that an argument fills: the leaves of its name. In push constants, else the leaf
 * at its position among the scalars, or all leaves if the only scalar is a struct. 0: not found. */
static uint32_t program_find_leaves(const hed_kernel_def *def, uint32_t index, bool pushed,
    const program_leaf *leaves, uint32_t count, uint32_t *first)
{
    const char *name = def->arguments[index].name;
    uint32_t place = 0, scalars = 0, used = 0;
    for (*first = 0; *first < count; ++*first)
        if ((used = leaves_of_member(leaves, count, *first, name, strlen(name)))) return used;
    for (uint32_t i = 0; i < def->argument_count; i++) {
        bool scalar = def->arguments[i].kind == HED_SCALAR || def->arguments[i].kind == HED_STRUCT;
        scalars += scalar;
        place += scalar && i < index;
    }
    *first = 0;
    if (!pushed) return 0;
    if (scalars == 1 && def->arguments[index].kind == HED_STRUCT) return count;
    for (; *first < count; *first += used) {
        const char *leaf_name = leaves[*first].name;
        used = leaves_of_member(leaves, count, *first, leaf_name, strcspn(leaf_name, ".["));
        if (place-- == 0) return used;
    }
    return 0;
}

/* True if the text contains this word: drivers omit a uniform that no line uses. */
static bool program_has_word(const hed_text *text, const char *word)
{
    hed_glsl_scanner s = {text->bytes, text->bytes + text->size, text->bytes, ""};
    while (hed_glsl_next(&s))
        if (hed_glsl_is(&s, word)) return true;
    return false;
}

static uint32_t rounded(uint32_t value, uint32_t to) { return (value + to - 1) / to * to; }

/* Compares the type of a uniform, or of a member of the push constants, with the description. */
static hed_status program_compare(
    const hed_kernel_def *def, uint32_t index, int type, hed_error *error)
{
    const hed_signature signature = {.def = def, .language = HED_GLSL, .entry = "main"};
    const char *words = type == GL_FLOAT          ? "float"
                        : type == GL_INT          ? "int"
                        : type == GL_UNSIGNED_INT ? "uint"
                        : type == GL_DOUBLE       ? "double"
                                                  : "";
    if (def->arguments[index].kind != HED_SCALAR || !words[0]) return HED_OK;
    return hed_signature_compare(&signature, index, words, strlen(words), error);
}

/* Lists the moves of an argument's bytes (a struct as C lays it out) to the locations that the
 * driver reports. */
static hed_status program_bind_scalar(const hed_kernel_def *def, uint32_t index,
    const program_leaf *leaves, uint32_t count, const hed_text *text, gl_program *impl,
    hed_error *error)
{
    const hed_argument_def *argument = &def->arguments[index];
    uint32_t size =
        argument->kind == HED_STRUCT ? (uint32_t)argument->size : hed_type_bytes(argument->type);
    uint32_t first, at = 0, widest = 1;
    uint32_t used = program_find_leaves(def, index, impl->push_bytes > 0, leaves, count, &first);
    if (!used && !impl->push_bytes && program_has_word(text, argument->name)) return HED_OK;
    for (uint32_t i = first; i < first + used; i++) {
        const program_leaf *leaf = &leaves[i];
        uint32_t align = leaf->components == 3 ? 16 : leaf->bytes;
        bool pushed = leaf->about.block >= 0;
        for (int j = 0; j < leaf->about.count && impl->move_count < GL_MOVES; j++) {
            gl_move *move = &impl->moves[impl->move_count++];
            *move = (gl_move){index, rounded(at, align), 0, leaf->bytes, -1, leaf->about.type};
            if (pushed) move->to = (uint32_t)(leaf->place + j * leaf->about.stride);
            else move->location = leaf->place + j;
            at = move->from + leaf->bytes;
        }
        widest = align > widest ? align : widest;
    }
    if (used && impl->move_count < GL_MOVES && rounded(at, widest) == size)
        return program_compare(def, index, leaves[first].about.type, error);
    return hed_fail(error, HED_ERROR_ARGUMENT,
        "%s: argument %u \"%s\" has %u bytes; the shader has %u uniforms and members of push "
        "constants, and none of that name and size",
        def->name, index, argument->name, size, count);
}

/* ---- loading ---- */

static hed_status program_bind(const hed_build *build, const hed_glsl_opengl *opengl, int block,
    gl_program *impl, hed_error *error)
{
    const hed_kernel_def *def = build->def;
    program_leaf leaves[MOST_LEAVES];
    uint32_t count = 0;
    hed_status status = program_leaves(
        hed_gl_of(build->device), impl, def->name, opengl, block, leaves, &count, error);
    for (uint32_t i = 0; i < def->argument_count && !status; i++)
        if (def->arguments[i].kind == HED_SCALAR || def->arguments[i].kind == HED_STRUCT)
            status = program_bind_scalar(def, i, leaves, count, &opengl->text, impl, error);
    impl->binding_count = opengl->binding_count;
    return status ? status
                  : hed_shader_bind(
                        def, opengl->bindings, opengl->binding_count, impl->bindings, error);
}

/* Finds the block of the push constants (-1: there is no block), and creates a buffer for it. */
static hed_status program_make_push(
    const gl_device *of, gl_program *impl, int *block, hed_error *error)
{
    static const unsigned properties[] = {GL_BUFFER_BINDING, GL_BUFFER_DATA_SIZE};
    int blocks = 0;
    *block = -1;
    of->api.GetProgramInterfaceiv(impl->name, GL_UNIFORM_BLOCK, GL_ACTIVE_RESOURCES, &blocks);
    for (int i = 0; i < blocks; i++) {
        int values[2] = {-1, 0};
        of->api.GetProgramResourceiv(
            impl->name, GL_UNIFORM_BLOCK, (unsigned)i, 2, properties, 2, NULL, values);
        if (values[0] != (int)impl->push_binding) continue;
        impl->push_bytes = (uint32_t)values[1];
        *block = i;
    }
    if (!impl->push_bytes) return HED_OK;
    impl->pushed = hed_allocate(&of->driver->allocator, 2 * (size_t)impl->push_bytes);
    if (!impl->pushed) return HED_OUT_OF_MEMORY(error, "a kernel");
    of->api.GenBuffers(1, &impl->push_buffer);
    of->api.BindBuffer(GL_COPY_WRITE_BUFFER, impl->push_buffer);
    of->api.BufferData(
        GL_COPY_WRITE_BUFFER, (intptr_t)impl->push_bytes, impl->pushed, GL_DYNAMIC_COPY);
    return hed_gl_check(of, true, "glBufferData", "push constants", error);
}

/* Frees a program; `current` is false if the context could not be made current. */
static void program_free(const gl_device *of, bool current, gl_program *freed)
{
    if (current && freed->name) of->api.DeleteProgram(freed->name);
    if (current && freed->push_buffer) of->api.DeleteBuffers(1, &freed->push_buffer);
    hed_release(&of->driver->allocator, freed->pushed, 2 * (size_t)freed->push_bytes);
    hed_release(&of->driver->allocator, freed, sizeof *freed);
}

static hed_status program_make(const hed_build *build, const hed_glsl_opengl *opengl,
    gl_program *impl, uint32_t group[3], hed_error *error)
{
    const gl_device *of = hed_gl_of(build->device);
    int sizes[3] = {0}, block = -1;
    impl->push_binding = opengl->push_binding;
    hed_status status = hed_gl_compile(
        of, build->def->name, opengl->text.bytes, opengl->text.size, &impl->name, error);
    if (status) {
        program_place(build, error);
        return status;
    }
    of->api.GetProgramiv(impl->name, GL_COMPUTE_WORK_GROUP_SIZE, sizes);
    for (int i = 0; i < 3; i++) group[i] = (uint32_t)sizes[i];
    status = program_make_push(of, impl, &block, error);
    if (!status) status = program_bind(build, opengl, block, impl, error);
    return status ? status : hed_gl_check(of, true, "glGetProgramiv", "a kernel", error);
}

/* Loads a program. The text is translated again, because translation yields the bindings and costs
 * little compared with compiling. */
hed_status hed_gl_program_load(
    hed_program *program, const hed_build *build, const hed_binary *binary, hed_error *error)
{
    gl_device *of = hed_gl_of(program->device);
    hed_glsl_opengl opengl;
    gl_program *impl = hed_allocate(&of->driver->allocator, sizeof *impl);
    (void)binary;
    if (!impl) return HED_OUT_OF_MEMORY(error, "a kernel");
    hed_status status = program_text(build, &opengl, error);
    bool current = !status && !(status = hed_gl_begin(of, error));
    if (current) status = program_make(build, &opengl, impl, program->group, error);
    if (status) program_free(of, current, impl);
    if (current) hed_gl_end(of);
    hed_text_free(&opengl.text);
    if (status) return status;
    program->impl = impl;
    program->handle = (void *)(uintptr_t)impl->name;
    return HED_OK;
}

void hed_gl_program_unload(hed_program *program)
{
    gl_device *of = hed_gl_of(program->device);
    bool current = !hed_gl_begin(of, NULL);
    program_free(of, current, program->impl);
    if (current) hed_gl_end(of);
}

/* ---- launches ---- */

/* Sets the scalars of a launch; push constants equal to the last launch's are not sent again. */
static void launch_scalars(const hed_gl_api *api, const hed_step *step, const gl_program *program)
{
    unsigned char *next = program->push_bytes ? program->pushed + program->push_bytes : NULL;
    for (uint32_t i = 0; i < program->move_count; i++) {
        const hed_argument *argument = &step->arguments[program->moves[i].argument];
        const char *from =
            argument->kind == HED_STRUCT ? argument->value.bytes : (const void *)&argument->value;
        int location = program->moves[i].location, type = program->moves[i].type;
        from += program->moves[i].from;
        if (location < 0) memcpy(next + program->moves[i].to, from, program->moves[i].size);
        else if (type == GL_FLOAT) api->Uniform1fv(location, 1, from);
        else if (type == GL_UNSIGNED_INT) api->Uniform1uiv(location, 1, from);
        else api->Uniform1iv(location, 1, from);
    }
    if (!program->push_bytes) return;
    if (memcmp(program->pushed, next, program->push_bytes) != 0) {
        memcpy(program->pushed, next, program->push_bytes);
        api->BindBuffer(GL_COPY_WRITE_BUFFER, program->push_buffer);
        api->BufferSubData(GL_COPY_WRITE_BUFFER, 0, (intptr_t)program->push_bytes, next);
    }
    api->BindBufferRange(GL_UNIFORM_BUFFER, program->push_binding, program->push_buffer, 0,
        (intptr_t)program->push_bytes);
}

hed_status hed_gl_launch(const gl_device *of, const hed_step *step, hed_error *error)
{
    const hed_gl_api *api = &of->api;
    const gl_program *program = step->program->impl;
    const hed_geometry *g = &step->geometry;
    api->UseProgram(program->name);
    for (uint32_t i = 0; i < program->binding_count; i++) {
        const hed_shader_bound *bound = &program->bindings[i];
        if (bound->resource) {
            hed_gl_bind_image(of, step, bound);
            continue;
        }
        const hed_buffer *buffer = step->arguments[bound->argument].value.buffer;
        api->BindBufferRange(bound->uniform ? GL_UNIFORM_BUFFER : GL_SHADER_STORAGE_BUFFER,
            bound->binding, hed_gl_name(buffer), (intptr_t)buffer->offset, (intptr_t)buffer->size);
    }
    launch_scalars(api, step, program);
    api->DispatchCompute((unsigned)(g->global[0] / g->group[0]),
        (unsigned)(g->global[1] / g->group[1]), (unsigned)(g->global[2] / g->group[2]));
    api->MemoryBarrier(GL_ALL_BARRIER_BITS);
    return hed_gl_check(of, true, "glDispatchCompute", step->program->def->name, error);
}
