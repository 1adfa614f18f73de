/* Programs: GLSL in the words of OpenGL (shader/opengl.c), compiled by the driver when it is loaded,
 * since drivers keep a cache of their own; where the text's scalars lie, the driver says. */
#include "backends/gl/gl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shader/bind.h"
#include "shader/glsl.h"

enum { MOST_LEAVES = 64 };

const char *hed_gl_prelude(const hed_build *build)
{
    (void)build;
    return "";
}

hed_status hed_gl_build_options(const hed_build *build, char *text, size_t size)
{
    (void)build;
    return hed_text_copy(text, size, "opengl") ? HED_OK : HED_ERROR_LIMIT;
}

/* ---- compiling ---- */

/* What a shader or a program has to say. */
static void program_log(const hed_device *device, unsigned name,
    void (*get)(unsigned, unsigned, int *), void (*get_log)(unsigned, int, int *, char *),
    hed_error *error)
{
    const hed_allocator *allocator = &hed_gl_of(device)->driver->allocator;
    int size = 0;
    get(name, GL_INFO_LOG_LENGTH, &size);
    char *log = size > 0 ? hed_allocate(allocator, (size_t)size + 1) : NULL;
    if (!log) return;
    get_log(name, size, NULL, log);
    hed_fail_log(error, log);
    hed_release(allocator, log, (size_t)size + 1);
}

hed_status hed_gl_compile(const hed_device *device, const char *kernel, const char *text,
    size_t size, unsigned *program, hed_error *error)
{
    const hed_gl_api *api = &hed_gl_of(device)->api;
    int length = (int)size, compiled = 0, linked = 0;
    unsigned shader = api->CreateShader(GL_COMPUTE_SHADER);
    *program = api->CreateProgram();
    hed_status status = hed_gl_check(device, "glCreateProgram", kernel, error);
    api->ShaderSource(shader, 1, &text, &length);
    api->CompileShader(shader);
    api->GetShaderiv(shader, GL_COMPILE_STATUS, &compiled);
    if (!status && !compiled) {
        status = hed_fail(error, HED_ERROR_BUILD, "%s does not compile on %s (%s): see the log",
            kernel, device->info.id, device->info.name);
        program_log(device, shader, api->GetShaderiv, api->GetShaderInfoLog, error);
    }
    api->AttachShader(*program, shader);
    if (!status) api->LinkProgram(*program);
    if (!status) api->GetProgramiv(*program, GL_LINK_STATUS, &linked);
    if (!status && !linked) {
        status = hed_fail(error, HED_ERROR_BUILD, "%s does not link on %s (%s): see the log",
            kernel, device->info.id, device->info.name);
        program_log(device, *program, api->GetProgramiv, api->GetProgramInfoLog, error);
    }
    api->DeleteShader(shader);
    if (!status) status = hed_gl_check(device, "glLinkProgram", kernel, error);
    if (status) {
        api->DeleteProgram(*program);
        api->GetError();
        *program = 0;
    }
    return status;
}

/* The text that the driver gets, and its buffers. */
static hed_status program_text(const hed_build *build, hed_glsl_opengl *opengl, hed_error *error)
{
    const gl_device *of = hed_gl_of(build->device);
    const hed_glsl_def def = {.name = build->def->name,
        .sources = build->sources,
        .source_count = build->source_count,
        .defines = build->defines,
        .define_count = build->define_count,
        .allocator = of->driver->allocator};
    hed_error own = {0};
    hed_status status = hed_glsl_for_opengl(&def, of->es, opengl, &own);
    opengl->text.allocator = &of->driver->allocator; /* it outlives the definition */
    return status ? hed_fail(error, status, "%s", own.text) : HED_OK;
}

/* The log's places in the user's own lines. */
static void program_place(const hed_build *build, hed_error *error)
{
    const hed_glsl_def def = {.sources = build->sources, .source_count = build->source_count};
    hed_text placed = {.allocator = &build->device->settings->allocator};
    if (!error || !error->log[0]) return;
    hed_glsl_place_log(&def, error->log, &placed);
    if (!placed.failed && placed.size) hed_fail_log(error, placed.bytes);
    hed_text_free(&placed);
}

/* The text is the program. */
hed_status hed_gl_build(const hed_build *build, hed_binary *binary, hed_error *error)
{
    hed_glsl_opengl opengl;
    hed_status status = program_text(build, &opengl, error);
    size_t size = opengl.text.size;
    if (!status) binary->bytes = hed_allocate(&build->device->settings->allocator, size);
    if (!status && !binary->bytes)
        status =
            hed_fail(error, HED_ERROR_MEMORY, "no memory for the program of %s", build->def->name);
    if (!status) {
        memcpy(binary->bytes, opengl.text.bytes, size);
        binary->size = size;
    }
    hed_text_free(&opengl.text);
    return status;
}

/* ---- scalars ---- */

/* A number, a vector or an array of them: a member of the push constants, or a uniform. */
typedef struct program_leaf {
    char name[2 * HED_SHADER_NAME]; /* without the name of its block */
    int type, count, place, stride, location;
    uint32_t components, bytes; /* of one element */
} program_leaf;

/* False: no argument is like that. */
static bool leaf_measure(program_leaf *leaf)
{
    static const int pairs[] = {GL_FLOAT_VEC2, GL_INT_VEC2, GL_UNSIGNED_INT_VEC2};
    leaf->components = 0;
    if (leaf->type == GL_INT || leaf->type == GL_UNSIGNED_INT || leaf->type == GL_FLOAT ||
        leaf->type == GL_BOOL || leaf->type == GL_DOUBLE)
        leaf->components = 1;
    for (int i = 0; i < 3; i++) /* those of two, three and four components follow each other */
        if (leaf->type >= pairs[i] && leaf->type < pairs[i] + 3)
            leaf->components = (uint32_t)(leaf->type - pairs[i]) + 2;
    leaf->bytes = leaf->components * (leaf->type == GL_DOUBLE ? 8 : 4);
    return leaf->components && !(leaf->location >= 0 && leaf->components > 1);
}

/* Uniforms in the order of the text: by offset or by location. */
static hed_status program_leaves(hed_device *device, const gl_program *made, const char *kernel,
    program_leaf leaves[MOST_LEAVES], uint32_t *count, hed_error *error)
{
    static const unsigned asked[] = {
        GL_TYPE, GL_ARRAY_SIZE, GL_OFFSET, GL_ARRAY_STRIDE, GL_LOCATION, GL_BLOCK_INDEX};
    static const unsigned binding_asked[] = {GL_BUFFER_BINDING};
    const hed_gl_api *api = &hed_gl_of(device)->api;
    int active = 0;
    *count = 0;
    api->GetProgramInterfaceiv(made->name, GL_UNIFORM, GL_ACTIVE_RESOURCES, &active);
    for (int i = 0; i < active; i++) {
        int values[6] = {0}, binding = -1;
        char block[HED_SHADER_NAME] = "";
        program_leaf leaf = {.location = -1};
        api->GetProgramResourceiv(made->name, GL_UNIFORM, (unsigned)i, 6, asked, 6, NULL, values);
        api->GetProgramResourceName(
            made->name, GL_UNIFORM, (unsigned)i, sizeof leaf.name, NULL, leaf.name);
        if (values[5] >= 0) {
            api->GetProgramResourceiv(made->name, GL_UNIFORM_BLOCK, (unsigned)values[5], 1,
                binding_asked, 1, NULL, &binding);
            api->GetProgramResourceName(
                made->name, GL_UNIFORM_BLOCK, (unsigned)values[5], sizeof block, NULL, block);
            if (binding != (int)made->push_binding) continue; /* a uniform buffer's */
        }
        size_t length = strlen(block);
        if (length && strncmp(leaf.name, block, length) == 0 && leaf.name[length] == '.')
            memmove(leaf.name, leaf.name + length + 1, strlen(leaf.name + length));
        leaf.type = values[0];
        leaf.count = values[1] > 1 ? values[1] : 1;
        leaf.stride = values[3];
        leaf.location = values[5] < 0 ? values[4] : -1;
        leaf.place = values[5] < 0 ? values[4] : values[2];
        if (!leaf_measure(&leaf) || *count == MOST_LEAVES)
            return hed_fail(error, HED_ERROR_UNSUPPORTED,
                "%s: uniform \"%s\" has a type (%#x) that no argument has: expected numbers, and at "
                "most %d of them; textures and images are not taken",
                kernel, leaf.name, (unsigned)leaf.type, (int)MOST_LEAVES);
        uint32_t at = (*count)++;
        for (; at && leaves[at - 1].place > leaf.place; at--) leaves[at] = leaves[at - 1];
        leaves[at] = leaf;
    }
    return HED_OK;
}

static bool leaf_is(const program_leaf *leaf, const char *name, size_t length)
{
    return strncmp(leaf->name, name, length) == 0 && strchr(".[", leaf->name[length]) != NULL;
}

/* The leaves of a member: from `first` on all of its name. */
static uint32_t leaves_of_member(
    const program_leaf *leaves, uint32_t count, uint32_t first, const char *name, size_t length)
{
    uint32_t used = 0;
    while (first + used < count && leaf_is(&leaves[first + used], name, length)) used++;
    return used;
}

/* Which leaves an argument fills: those of its name; of push constants else those at its place, or
 * all of them for a struct that is the only one. 0: none. */
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
        const char *own = leaves[*first].name;
        used = leaves_of_member(leaves, count, *first, own, strcspn(own, ".["));
        if (place-- == 0) return used;
    }
    return 0;
}

/* Whether a text has this word: a uniform that no line uses is not among the driver's. */
static bool program_has_word(const hed_text *text, const char *word)
{
    hed_glsl_scanner s = {text->bytes, text->bytes + text->size, text->bytes, ""};
    while (hed_glsl_next(&s))
        if (hed_glsl_is(&s, word)) return true;
    return false;
}

static uint32_t rounded(uint32_t value, uint32_t to) { return (value + to - 1) / to * to; }

/* The bytes of an argument, a struct as C lays it out, to where the driver wants them. */
static hed_status program_bind_scalar(const hed_kernel_def *def, uint32_t index,
    const program_leaf *leaves, uint32_t count, const hed_text *text, gl_program *made,
    hed_error *error)
{
    const hed_argument_def *argument = &def->arguments[index];
    uint32_t size =
        argument->kind == HED_STRUCT ? (uint32_t)argument->size : hed_type_bytes(argument->type);
    uint32_t first, at = 0, widest = 1;
    uint32_t used = program_find_leaves(def, index, made->push_bytes > 0, leaves, count, &first);
    if (!used && !made->push_bytes && program_has_word(text, argument->name)) return HED_OK;
    for (uint32_t i = first; i < first + used; i++) {
        const program_leaf *leaf = &leaves[i];
        uint32_t align = leaf->components == 3 ? 16 : leaf->bytes;
        for (int j = 0; j < leaf->count && made->move_count < GL_MOVES; j++) {
            at = rounded(at, align);
            made->moves[made->move_count].argument = index;
            made->moves[made->move_count].from = at;
            made->moves[made->move_count].to = (uint32_t)(leaf->place + j * leaf->stride);
            made->moves[made->move_count].size = leaf->bytes;
            made->moves[made->move_count].type = leaf->type;
            made->moves[made->move_count++].location = leaf->location < 0 ? -1 : leaf->location + j;
            at += leaf->bytes;
        }
        widest = align > widest ? align : widest;
    }
    if (used && made->move_count < GL_MOVES && rounded(at, widest) == size) return HED_OK;
    return hed_fail(error, HED_ERROR_ARGUMENT,
        "%s: argument %u \"%s\" has %u bytes; the shader has %u uniforms and members of push "
        "constants, and none of that name and size",
        def->name, index, argument->name, size, count);
}

/* ---- loading ---- */

static hed_status program_bind(
    const hed_build *build, const hed_glsl_opengl *opengl, gl_program *made, hed_error *error)
{
    const hed_kernel_def *def = build->def;
    program_leaf leaves[MOST_LEAVES];
    uint32_t count = 0;
    hed_status status = program_leaves(build->device, made, def->name, leaves, &count, error);
    for (uint32_t i = 0; i < def->argument_count && !status; i++) {
        const hed_argument_def *argument = &def->arguments[i];
        if (argument->kind == HED_LOCAL) continue;
        if (argument->kind == HED_BUFFER) {
            int found = hed_shader_find_binding(def, opengl->bindings, opengl->binding_count, i);
            if (found < 0)
                return hed_fail(error, HED_ERROR_ARGUMENT,
                    "%s: the shader has %u buffers, the description more: \"%s\" has none",
                    def->name, opengl->binding_count, argument->name);
            made->bindings[made->binding_count].binding = opengl->bindings[found].binding;
            made->bindings[made->binding_count].target =
                opengl->bindings[found].uniform ? GL_UNIFORM_BUFFER : GL_SHADER_STORAGE_BUFFER;
            made->bindings[made->binding_count++].argument = i;
        } else {
            status = program_bind_scalar(def, i, leaves, count, &opengl->text, made, error);
        }
    }
    if (!status && made->binding_count < opengl->binding_count)
        status =
            hed_fail(error, HED_ERROR_ARGUMENT, "%s: the shader has %u buffers, the description %u",
                def->name, opengl->binding_count, made->binding_count);
    return status;
}

/* The block of the push constants, and a buffer for it. */
static hed_status program_make_push(hed_device *device, gl_program *made, hed_error *error)
{
    static const unsigned asked[] = {GL_BUFFER_BINDING, GL_BUFFER_DATA_SIZE};
    gl_device *of = hed_gl_of(device);
    int blocks = 0;
    of->api.GetProgramInterfaceiv(made->name, GL_UNIFORM_BLOCK, GL_ACTIVE_RESOURCES, &blocks);
    for (int i = 0; i < blocks; i++) {
        int values[2] = {-1, 0};
        of->api.GetProgramResourceiv(
            made->name, GL_UNIFORM_BLOCK, (unsigned)i, 2, asked, 2, NULL, values);
        if (values[0] == (int)made->push_binding) made->push_bytes = (uint32_t)values[1];
    }
    if (!made->push_bytes) return HED_OK;
    made->pushed = hed_allocate(&of->driver->allocator, 2 * (size_t)made->push_bytes);
    if (!made->pushed) return hed_fail(error, HED_ERROR_MEMORY, "no memory for a kernel");
    of->api.GenBuffers(1, &made->push_buffer);
    of->api.BindBuffer(GL_COPY_WRITE_BUFFER, made->push_buffer);
    of->api.BufferData(
        GL_COPY_WRITE_BUFFER, (intptr_t)made->push_bytes, made->pushed, GL_DYNAMIC_COPY);
    return hed_gl_check(device, "glBufferData", "push constants", error);
}

static void program_free(gl_device *of, gl_program *freed)
{
    if (freed->name) of->api.DeleteProgram(freed->name);
    if (freed->push_buffer) of->api.DeleteBuffers(1, &freed->push_buffer);
    hed_release(&of->driver->allocator, freed->pushed, 2 * (size_t)freed->push_bytes);
    hed_release(&of->driver->allocator, freed, sizeof *freed);
}

static hed_status program_make(
    const hed_build *build, const hed_glsl_opengl *opengl, gl_program *made, hed_error *error)
{
    const hed_gl_api *api = &hed_gl_of(build->device)->api;
    int group[3] = {0};
    made->push_binding = opengl->push_binding;
    hed_status status = hed_gl_compile(
        build->device, build->def->name, opengl->text.bytes, opengl->text.size, &made->name, error);
    if (status) {
        program_place(build, error);
        return status;
    }
    api->GetProgramiv(made->name, GL_COMPUTE_WORK_GROUP_SIZE, group);
    for (int i = 0; i < 3; i++) made->group[i] = (uint32_t)group[i];
    status = program_make_push(build->device, made, error);
    if (!status) status = program_bind(build, opengl, made, error);
    return status ? status : hed_gl_check(build->device, "glGetProgramiv", "a kernel", error);
}

hed_status hed_gl_program_load(
    hed_program *program, const hed_build *build, const hed_binary *binary, hed_error *error)
{
    gl_device *of = hed_gl_of(program->device);
    hed_glsl_opengl opengl;
    gl_program *made = hed_allocate(&of->driver->allocator, sizeof *made);
    if (!made) return hed_fail(error, HED_ERROR_MEMORY, "no memory for a kernel");
    hed_status status = program_text(build, &opengl, error);
    if (!status && (binary->size != opengl.text.size ||
                       memcmp(binary->bytes, opengl.text.bytes, binary->size) != 0))
        status = hed_fail(error, HED_ERROR_FORMAT,
            "the program of %s (%zu bytes) is not in this version's format", build->def->name,
            binary->size);
    if (!status) status = hed_gl_begin(program->device, error);
    if (!status) {
        status = program_make(build, &opengl, made, error);
        if (status) program_free(of, made);
        hed_gl_leave(of);
    } else {
        hed_release(&of->driver->allocator, made, sizeof *made);
    }
    hed_text_free(&opengl.text);
    if (status) return status;
    program->impl = made;
    program->handle = (void *)(uintptr_t)made->name;
    memcpy(program->group, made->group, sizeof program->group);
    return HED_OK;
}

void hed_gl_program_unload(hed_program *program)
{
    gl_device *of = hed_gl_of(program->device);
    gl_program *freed = program->impl;
    if (hed_gl_enter(of)) {
        program_free(of, freed);
        hed_gl_leave(of);
        return;
    }
    hed_release(&of->driver->allocator, freed->pushed, 2 * (size_t)freed->push_bytes);
    hed_release(&of->driver->allocator, freed, sizeof *freed);
}

hed_status hed_gl_resident_groups(const hed_program *program, uint32_t group_items,
    uint64_t local_bytes, int64_t *groups, hed_error *error)
{
    (void)program, (void)group_items, (void)local_bytes, (void)error;
    *groups = -1; /* OpenGL has no question for it */
    return HED_OK;
}

/* ---- launches ---- */

static hed_status launch_check(const hed_step *step, const gl_program *program, hed_error *error)
{
    const hed_geometry *g = &step->geometry;
    if (memcmp(g->group, program->group, sizeof program->group) == 0) return HED_OK;
    return hed_fail(error, HED_ERROR_ARGUMENT,
        "%s: the launch has groups of %u x %u x %u work items, the shader says %u x %u x %u: a "
        "shader's group is part of its text (local_size, or local_size_x_id and a parameter)",
        step->program->def->name, g->group[0], g->group[1], g->group[2], program->group[0],
        program->group[1], program->group[2]);
}

/* Scalars of a launch; push constants that are the last launch's are not sent again. */
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

hed_status hed_gl_launch(const hed_device *device, const hed_step *step, hed_error *error)
{
    const hed_gl_api *api = &hed_gl_of(device)->api;
    const gl_program *program = step->program->impl;
    uint32_t groups[3];
    hed_status status = launch_check(step, program, error);
    if (status) return status;
    for (int i = 0; i < 3; i++)
        groups[i] = (uint32_t)(step->geometry.global[i] / step->geometry.group[i]);
    api->UseProgram(program->name);
    for (uint32_t i = 0; i < program->binding_count; i++) {
        const hed_buffer *buffer = step->arguments[program->bindings[i].argument].value.buffer;
        api->BindBufferRange(program->bindings[i].target, program->bindings[i].binding,
            (unsigned)(uintptr_t)buffer->handle, (intptr_t)buffer->offset, (intptr_t)buffer->size);
    }
    launch_scalars(api, step, program);
    api->DispatchCompute(groups[0], groups[1], groups[2]);
    api->MemoryBarrier(GL_ALL_BARRIER_BITS);
    return hed_gl_check(device, "glDispatchCompute", step->program->def->name, error);
}
