/* Shaders for Vulkan and OpenGL as tune files. GLSL is compiled; the interface of the SPIR-V module
 * (heddle/shader.h) is written as equivalent declarations in WGSL, so that shader.c reads
 * parameters, groups and arguments from one kind of shader. */
#include "tunefile/spec.h"

#include "heddle/shader.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONGEST_MODULE = 16 << 20, MOST_MACROS = 2 * HED_MAX_PARAMETERS };

/* ---- a module's declarations ---- */

static const char *scalar_of(hed_type type)
{
    return type == HED_FLOAT ? "f32" : type == HED_INT32 ? "i32" : "u32";
}

/* Declares a constant. A size of the group without a constant in the text (local_size_x_id alone)
 * has the default 1, which no program means: it stays without a value. */
static void declare_constant(FILE *to, const hed_shader *shader, uint32_t index)
{
    const hed_shader_constant *constant = &shader->constants[index];
    bool is_size = false;
    char by_id[32];
    for (uint32_t i = 0; i < 3; i++)
        is_size = is_size || shader->group_constant[i] == (int32_t)index;
    snprintf(by_id, sizeof by_id, "constant_%u", constant->id);
    const char *name = constant->name[0] ? constant->name : by_id;
    if (is_size && !constant->name[0] && constant->value == 1)
        fprintf(to, "override %s: u32;\n", name);
    else if (constant->type == HED_BYTES)
        fprintf(to, "override %s: bool = %s;\n", name, constant->value ? "true" : "false");
    else
        fprintf(to, "override %s: %s = %lld;\n", name, scalar_of(constant->type),
            (long long)constant->value);
}

/* Declares a texture or a storage image. One without a format gets four numbers a texel. */
static void declare_image(FILE *to, const hed_shader_binding *binding, uint32_t index)
{
    static const char *const shapes[] = {"1d", "2d", "2d_array", "3d", "cube", "cube_array"};
    hed_image_format format = binding->format              ? binding->format
                              : binding->type == HED_FLOAT ? HED_IMAGE_RGBA32F
                              : binding->type == HED_INT32 ? HED_IMAGE_RGBA32I
                                                           : HED_IMAGE_RGBA32UI;
    fprintf(to, "@group(0) @binding(%u) var %s: ", index, binding->name);
    if (binding->resource != HED_SHADER_STORAGE_IMAGE)
        fprintf(to, "texture_%s<%s>;\n", shapes[binding->shape], scalar_of(binding->type));
    else
        fprintf(to, "texture_storage_%s<%s, %s>;\n", shapes[binding->shape],
            hed_image_format_name(format, NULL),
            binding->access == HED_READ    ? "read"
            : binding->access == HED_WRITE ? "write"
                                           : "read_write");
}

/* Declares a binding by its index: OpenGL's numbers need not differ, and WGSL limits them. */
static void declare_binding(FILE *to, const hed_shader_binding *binding, uint32_t index)
{
    if (binding->resource == HED_SHADER_SAMPLER) return; /* no argument */
    if (binding->resource) {
        declare_image(to, binding, index);
        return;
    }
    const char *scalar = scalar_of(binding->type);
    bool is_uniform = binding->uniform && binding->layout[0];
    fprintf(to, "@group(0) @binding(%u) var<%s> %s: ", index,
        is_uniform                    ? "uniform"
        : binding->access == HED_READ ? "storage, read"
                                      : "storage, read_write",
        binding->name);
    if (binding->layout[0]) {
        fprintf(to, "%s;\n", binding->layout);
        return;
    }
    fprintf(to, "array<");
    if (binding->components >= 2 && binding->components <= 4)
        fprintf(to, "vec%u<%s>>;\n", binding->components, scalar);
    else fprintf(to, "%s>;\n", scalar);
}

/* Writes the entry point, without trailing sizes that are 1 whatever the constants. */
static void declare_entry(
    FILE *to, const hed_shader *shader, const hed_spec_sizes *sizes, const char *entry)
{
    int dimensions = sizes->dimensions ? (int)sizes->dimensions : 3;
    while (!sizes->dimensions && dimensions > 1 && shader->group[dimensions - 1] == 1 &&
           shader->group_constant[dimensions - 1] < 0)
        dimensions--;
    fprintf(to, "@compute @workgroup_size(");
    for (int i = 0; i < dimensions; i++) {
        int32_t constant = shader->group_constant[i];
        const char *comma = i ? ", " : "";
        if (sizes->dimensions) fprintf(to, "%s%s", comma, sizes->names[i]);
        else if (constant < 0) fprintf(to, "%s%u", comma, shader->group[i]);
        else if (shader->constants[constant].name[0])
            fprintf(to, "%s%s", comma, shader->constants[constant].name);
        else fprintf(to, "%sconstant_%u", comma, shader->constants[constant].id);
    }
    fprintf(to, ") fn %s()\n{\n", entry);
    for (uint32_t i = 0; i < shader->binding_count; i++)
        if (shader->bindings[i].resource == HED_SHADER_SAMPLER) continue;
        else if (shader->bindings[i].resource)
            fprintf(to, "    _ = %s;\n", shader->bindings[i].name);
        else if (shader->bindings[i].access == HED_WRITE)
            fprintf(to, "    %s[0] = 0;\n", shader->bindings[i].name);
    fprintf(to, "}\n");
}

static bool is_of_numbers(const hed_shader *shader)
{
    for (uint32_t i = 0; i < shader->member_count; i++)
        if (shader->members[i].size != 4) return false;
    return true;
}

/* Declares the push constants: numbers, or a struct with vectors, matrices and arrays. */
static void declare_push(FILE *to, const hed_shader *shader)
{
    bool has_numbers = is_of_numbers(shader);
    if (has_numbers) fprintf(to, "struct HedPush {\n");
    for (uint32_t i = 0; has_numbers && i < shader->member_count; i++)
        fprintf(to, "    %s: %s,\n", shader->members[i].name, scalar_of(shader->members[i].type));
    fprintf(to, "%s@group(3) @binding(999) var<uniform> %s: %s;\n", has_numbers ? "}\n" : "",
        HED_SPEC_PUSH, has_numbers ? "HedPush" : shader->push_layout);
}

static void declare_shader(
    FILE *to, const hed_shader *shader, const hed_spec_sizes *sizes, const char *entry)
{
    for (uint32_t i = 0; i < sizes->dimensions; i++)
        if (i == 0 || sizes->names[i] != sizes->names[i - 1])
            fprintf(to, "override %s: u32 = %u;\n", sizes->names[i], sizes->values[i]);
    for (uint32_t i = 0; i < shader->constant_count; i++) {
        bool is_size = false;
        for (uint32_t k = 0; k < sizes->dimensions; k++)
            is_size = is_size || strcmp(shader->constants[i].name, sizes->names[k]) == 0;
        if (!is_size) declare_constant(to, shader, i);
    }
    fprintf(to, "%s", shader->layouts);
    for (uint32_t i = 0; i < shader->binding_count; i++)
        declare_binding(to, &shader->bindings[i], i);
    if (shader->member_count) declare_push(to, shader);
    if (shader->local_text[0])
        fprintf(to, "var<workgroup> hed_local: array<u32, (%s) / 4>;\n", shader->local_text);
    declare_entry(to, shader, sizes, entry);
}

/* Returns the file and line of a text's first use of a name, which declares it, as " in line 7" or
 * " in FILE:7"; "": not found. */
static const char *place_of(
    hed_spec_reader *reader, hed_json_node node, const char *text, const char *name)
{
    hed_glsl_word w = hed_spec_glsl_next(text, text);
    while (w.size && (w.size != strlen(name) || memcmp(w.at, name, w.size) != 0))
        w = hed_spec_glsl_next(text, w.at + w.size);
    unsigned line = 1, number = 0;
    char file[256] = "";
    for (const char *at = text; w.size && at < w.at; line++) {
        const char *end = at + strcspn(at, "\n");
        unsigned next;
        if (end >= w.at) break;
        if (sscanf(at, " # line %u %u", &next, &number) == 2) {
            char first[32];
            snprintf(first, sizeof first, "#line 1 %u // ", number);
            const char *named = number ? strstr(text, first) : NULL;
            line = next - 1;
            *file = 0;
            if (named) sscanf(named + strlen(first), "%255[^\n]", file);
        }
        at = end + 1;
    }
    return !w.size ? "" : *file ? hed_spec_text(reader, node, " in %s:%u", file, line)
           : number             ? ""
                                : hed_spec_text(reader, node, " in line %u", line);
}

/* Refuses two resources of different kinds with one binding, which OpenGL alone allows: drivers
 * crash. */
static void check_bindings(
    hed_spec_reader *reader, hed_json_node node, const hed_source *source, const hed_shader *shader)
{
    for (uint32_t i = 1; i < shader->binding_count; i++) {
        const hed_shader_binding *first = &shader->bindings[i - 1], *of = first + 1;
        if (first->set != of->set || first->binding != of->binding) continue;
        bool is_text = reader->spec->kernel.def.language == HED_GLSL;
        const char *declared = of->block[0] ? of->block : of->name,
                   *place = is_text ? place_of(reader, node, source->text, declared) : "";
        hed_json_fail(node, HED_ERROR_UNSUPPORTED,
            "\"%s\" and \"%s\" have binding %u of set %u and different kinds; expected one kind for each binding. "
            "Give \"%s\"%s a number of its own",
            first->name, of->name, of->binding, of->set, of->name, place);
        return;
    }
}

/* ---- GLSL ---- */

/* Chooses a value for each macro that the JSON names, so that the text compiles: the first in its
 * list. Returns the number of macros, of which at most MOST_MACROS are stored. */
static uint32_t find_macros(hed_json_node root, hed_define *macros, char values[][24])
{
    uint32_t count = 0;
    if (!hed_json_has(root, "parameters")) return 0;
    hed_json_node object = hed_json_member(root, "parameters");
    HED_SPEC_EACH(at, object)
    {
        long long value = 1;
        if (hed_json_kind_of(at) == HED_JSON_ARRAY && hed_json_count(at) &&
            hed_json_kind_of(hed_json_item(at, 0)) == HED_JSON_NUMBER)
            value = (long long)hed_json_number(hed_json_item(at, 0), -1e9, 1e9);
        if (count++ >= MOST_MACROS) continue;
        snprintf(values[count - 1], sizeof *values, "%lld", value);
        macros[count - 1] = (hed_define){at.key, values[count - 1]};
    }
    return count;
}

static hed_status read_glsl(hed_spec_reader *reader, const hed_kernel_def *kernel,
    const hed_source *source, void **words, size_t *size, hed_error *error)
{
    hed_define macros[MOST_MACROS + 4];
    char values[MOST_MACROS + 4][24];
    hed_glsl_def def = {.name = source->name,
        .sources = source,
        .source_count = 1,
        .defines = macros,
        .define_count = find_macros(hed_json_root(reader->spec->json), macros, values),
        .allocator = hed_default_allocator()};
    if (def.define_count > MOST_MACROS)
        return hed_fail(error, HED_ERROR_LIMIT, "%u parameters; a kernel has at most %d",
            def.define_count, HED_MAX_PARAMETERS);
    if (def.define_count + kernel->define_count > MOST_MACROS)
        return hed_fail(error, HED_ERROR_LIMIT,
            "%u parameters and %u defines; expected at most %d together", def.define_count,
            kernel->define_count, MOST_MACROS);
    for (uint32_t i = 0; i < kernel->define_count; i++)
        macros[def.define_count++] = kernel->defines[i];
    const hed_spec_sizes *sizes = &reader->sizes;
    for (uint32_t i = 0; i < sizes->dimensions; i++) {
        if (i > 0 && sizes->names[i] == sizes->names[0]) continue;
        snprintf(values[def.define_count], sizeof *values, "%u", sizes->values[i]);
        macros[def.define_count] = (hed_define){sizes->names[i], values[def.define_count]};
        def.define_count++;
    }
    if (sizes->names_width) {
        snprintf(values[def.define_count], sizeof *values, "%u", reader->device->lane_width);
        macros[def.define_count] = (hed_define){HED_SUBGROUP_SIZE, values[def.define_count]};
        def.define_count++;
    }
    if (!hed_shader_compile_glsl(&def, words, size, error)) return HED_OK;
    static const char vulkan[] = "push_constant";
    if (error->status != HED_ERROR_BUILD || strcmp(reader->device->backend, "gl") != 0 ||
        memmem(source->text, source->size, vulkan, sizeof vulkan - 1))
        return error->status;
    hed_error_clear(error); /* the text may be OpenGL's */
    def.opengl = true;
    return hed_shader_compile_glsl(&def, words, size, error);
}

/* ---- reading ---- */

static hed_status read_module(hed_spec_reader *reader, const hed_kernel_def *kernel,
    const hed_source *source, const char *entry, hed_shader *shader, hed_error *error)
{
    hed_allocator allocator = hed_default_allocator();
    void *words = NULL;
    size_t size = source->size;
    if (kernel->language == HED_GLSL && read_glsl(reader, kernel, source, &words, &size, error))
        return error->status;
    hed_shader_read_spirv(
        words ? words : source->text, size, entry, NULL, 0, &allocator, shader, error);
    if (words) allocator.release(allocator.user, words, size + 1);
    return error->status;
}

/* Names the sizes of the group, unless the JSON specifies the launch. A text that does not compile
 * with them is read as it is. */
static hed_status read_named(hed_spec_reader *reader, hed_json_node node,
    const hed_kernel_def *kernel, hed_source *source, const char *entry, hed_shader *shader,
    hed_error *error)
{
    static const char *const launch[] = {"group", "groups", "global"};
    const hed_source original = *source;
    bool is_specified = kernel->language != HED_GLSL;
    reader->sizes = (hed_spec_sizes){.dimensions = 0};
    for (size_t i = 0; i < sizeof launch / sizeof *launch; i++)
        is_specified = is_specified || hed_json_has(hed_json_root(reader->spec->json), launch[i]);
    if (!is_specified) hed_spec_name_glsl_sizes(reader, node, source, &reader->sizes);
    if (!is_specified && !reader->sizes.dimensions) { /* the sizes of several passes */
        hed_source open = original;
        hed_spec_sizes sizes;
        hed_spec_drop_closed_branches(reader, node, kernel, &open);
        hed_spec_name_glsl_sizes(reader, node, &open, &sizes);
        if (sizes.dimensions) *source = open, reader->sizes = sizes;
    }
    hed_status status = read_module(reader, kernel, source, entry, shader, error);
    if (status != HED_ERROR_BUILD || source->text == original.text) return status;
    hed_error_clear(error);
    reader->sizes = (hed_spec_sizes){.dimensions = 0};
    *source = original;
    return read_module(reader, kernel, source, entry, shader, error);
}

/* Reads a text as it is, else with extensions of drivers. */
static hed_status read_extended(hed_spec_reader *reader, hed_json_node node,
    const hed_kernel_def *kernel, hed_source *source, const char *entry, hed_shader *shader,
    hed_error *error)
{
    hed_source extended = *source;
    static const char *const types[] = {"int8_t'", "int16_t'", "int64_t'", "float16_t'"};
    hed_status status = read_named(reader, node, kernel, source, entry, shader, error);
    if (kernel->language != HED_GLSL || status != HED_ERROR_BUILD) return status;
    bool is_lacking = strstr(error->log, "required extension not requested") &&
                      !strstr(error->log, "GL_GOOGLE_include");
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        is_lacking = is_lacking || strstr(error->log, types[i]);
    if (!is_lacking) return status;
    hed_error first = *error;
    *error = (hed_error){0};
    hed_spec_put_extensions(reader, node, &extended);
    status = read_named(reader, node, kernel, &extended, entry, shader, error);
    if (status) {
        hed_error_clear(error);
        *error = first;
        return first.status;
    }
    hed_error_clear(&first);
    *source = extended;
    return HED_OK;
}

/* Reads a text as it is, else as one for OpenGL. */
static hed_status read_any(hed_spec_reader *reader, hed_json_node node,
    const hed_kernel_def *kernel, hed_source *source, const char *entry, hed_shader *shader,
    hed_error *error)
{
    hed_source rewritten = *source;
    bool is_glsl = kernel->language == HED_GLSL;
    if (is_glsl) hed_spec_from_opengl(reader, node, true, source);
    hed_status status = read_extended(reader, node, kernel, source, entry, shader, error);
    bool is_refused = status == HED_ERROR_BUILD || status == HED_ERROR_UNSUPPORTED;
    if (!is_glsl || !is_refused || !hed_spec_from_opengl(reader, node, false, &rewritten))
        return status;
    hed_error_clear(error);
    status = read_extended(reader, node, kernel, &rewritten, entry, shader, error);
    if (!status) *source = rewritten;
    return status;
}

/* Folders of included files, relative to the folder of the text. */
typedef struct include_folders {
    char names[512]; /* list of JSON */
    uint32_t read;   /* folders that were searched */
} include_folders;

static void list_folder(include_folders *list, const char *label)
{
    char entry[300];
    size_t used = strlen(list->names), length = strlen(label);
    while (length > 1 && label[length - 1] == '/') length--;
    snprintf(entry, sizeof entry, "\"%.*s\"", (int)length, length ? label : ".");
    if (!strstr(list->names, entry) && used + strlen(entry) + 3 < sizeof list->names)
        snprintf(list->names + used, sizeof list->names - used, "%s%s", used ? ", " : "", entry);
}

/* Searches a folder, and `levels` folders deep, for the one that an included name begins at. */
static bool find_folder(
    include_folders *list, const char *folder, const char *label, const char *name, uint32_t levels)
{
    enum { MOST_READ = 4000 };
    char path[1024], relative[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (access(path, R_OK) == 0) {
        list_folder(list, label);
        return true;
    }
    bool is_found = false;
    DIR *entries = levels && list->read++ < MOST_READ ? opendir(folder) : NULL;
    for (struct dirent *entry; entries && !is_found && (entry = readdir(entries));) {
        if (entry->d_type != DT_DIR || *entry->d_name == '.') continue;
        bool fits =
            (size_t)snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) < sizeof path &&
            (size_t)snprintf(relative, sizeof relative, "%s%s/", label, entry->d_name) < sizeof relative;
        is_found = fits && find_folder(list, path, relative, name, levels - 1);
    }
    if (entries) closedir(entries);
    return is_found;
}

static void find_include(include_folders *list, const char *text_path, const char *name)
{
    enum { PARENTS = 6, LEVELS = 3 };
    const char *slash = strrchr(text_path, '/');
    char folder[1024], label[64] = "";
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - text_path) : 1,
        slash ? text_path : ".");
    for (int i = 0; i < PARENTS && strlen(folder) + 4 < sizeof folder; i++) {
        if (find_folder(list, folder, label, name, i ? LEVELS : 0)) return;
        strcat(folder, "/..");
        strcat(label, "../");
    }
}

/* Returns a sentence that names the included files that were not found, if the compiler met one,
 * with the comment that names their folders; "": the cause is another one. */
static const char *include_hint(
    hed_spec_reader *reader, hed_json_node node, const hed_source *source, const char *log)
{
    static const char directive[] = "#include ";
    char names[512] = "";
    include_folders folders = {.read = 0};
    if (!strstr(log, "'#include'")) return "";
    for (const char *at = source->text; (at = strstr(at, directive)); at++) {
        const char *name = at + sizeof directive;       /* after the quote or < */
        if (strncmp(name, "res://", 6) == 0) name += 6; /* Godot's */
        size_t size = strcspn(name, "\">\n"), used = strlen(names);
        bool is_line = at == source->text || at[-1] == '\n';
        if (!is_line || used + size + 5 >= sizeof names) continue;
        snprintf(names + used, sizeof names - used, "%s\"%.*s\"", used ? ", " : "", (int)size, name);
        find_include(&folders, reader->path, hed_spec_text(reader, node, "%.*s", (int)size, name));
    }
    if (names[0]) hed_spec_add_remedy(reader, "include", folders.names);
    return names[0] ? hed_spec_text(reader, node,
                          "; included files are not found: %s. Name their folders in the first comment: "
                          "/* heddle {\"include\": [%s]} */",
                          names, folders.names[0] ? folders.names : "\"FOLDER\"")
                    : "";
}

/* Returns the place of the declaration that a refusal names first; "": not found. */
static const char *refused_place(
    hed_spec_reader *reader, hed_json_node node, const char *text, const char *refusal)
{
    char name[HED_SHADER_NAME];
    const char *quote = strchr(refusal, '"');
    if (!quote || sscanf(quote, "\"%63[A-Za-z0-9_]\"", name) != 1) return "";
    const char *place = place_of(reader, node, text, name);
    return *place ? hed_spec_text(reader, node, "; \"%s\" is declared%s", name, place) : "";
}

/* Refuses a shader whose outputs are addresses, which only its program has. */
static void check_outputs(
    hed_spec_reader *reader, hed_json_node node, const hed_source *source, const hed_shader *shader)
{
    static const char word[] = "buffer_reference";
    bool is_written = reader->spec->kernel.def.language != HED_GLSL;
    for (uint32_t i = 0; i < shader->binding_count; i++)
        is_written = is_written || shader->bindings[i].access != HED_READ;
    const char *place = is_written ? "" : place_of(reader, node, source->text, word);
    if (*place)
        hed_json_fail(node, HED_ERROR_UNSUPPORTED,
            "the outputs are addresses of buffers (%s%s), which only the program has; expected a buffer with a binding",
            word, place);
}

/* True if the result of an atomic function is used: a place in a buffer, which the order of the
 * items decides. */
static bool results_decide_places(const hed_kernel_def *kernel, const char *text)
{
    hed_glsl_word before = {text, 0};
    if (kernel->language != HED_GLSL) return false;
    for (hed_glsl_word w = hed_spec_glsl_next(text, text); w.size;
         before = w, w = hed_spec_glsl_next(text, w.at + w.size)) {
        bool is_atomic = w.size > 6 && !memcmp(w.at, "atomic", 6),
             is_image = w.size > 11 && !memcmp(w.at, "imageAtomic", 11),
             is_statement = !before.size || memchr(";{})", *before.at, 4) ||
                            (before.size == 4 && !memcmp(before.at, "else", 4));
        if ((is_atomic || is_image) && !is_statement &&
            *hed_spec_glsl_next(text, w.at + w.size).at == '(')
            return true;
    }
    return false;
}

void hed_spec_read_module(hed_spec_reader *reader, hed_json_node node, const hed_kernel_def *kernel,
    hed_source *source, const char *entry)
{
    hed_error error = {0};
    char *text = NULL;
    size_t size = 0;
    hed_shader *shader = hed_spec_allocate(reader, sizeof *shader, node);
    if (!shader) return;
    entry = entry ? entry : "main";
    if (read_any(reader, node, kernel, source, entry, shader, &error)) {
        const char *hint = include_hint(reader, node, source, error.log);
        bool lacks_names = strstr(error.log, "unexpected IDENTIFIER") ||
                           strstr(error.log, "undeclared identifier") ||
                           strstr(error.log, "no matching overloaded function");
        bool is_opengl = strstr(error.log, "not allowed when using GLSL for Vulkan") ||
                         strstr(error.log, "requires layout(binding=X)");
        if (!*hint && is_opengl)
            hint = "; this is GLSL of OpenGL, which Vulkan does not take: add --device gl:0";
        if (strstr(error.log, "'atomic counter types'") || strstr(error.log, "atomic_uint"))
            hint = "; counters of the type atomic_uint are OpenGL's alone: write them as uint in a buffer, for atomicAdd()";
        if (!*hint) hint = hed_spec_glsl_passes_hint(reader, node, kernel, source->text, error.log);
        hed_source open = *source;
        if (!*hint && lacks_names) {
            hed_spec_drop_closed_branches(reader, node, kernel, &open);
            hint =
                hed_spec_glsl_choice_hint(reader, node, kernel, source->text, open.text, error.log);
        }
        if (!*hint && lacks_names)
            hint = hed_spec_glsl_join_hint(reader, node, source->text, error.log);
        if (!*hint && lacks_names)
            hint = hed_spec_glsl_names_hint(reader, node, source->text, open.text, error.log);
        if (!*hint && error.status == HED_ERROR_UNSUPPORTED && kernel->language == HED_GLSL)
            hint = refused_place(reader, node, source->text, error.text);
        hed_json_fail(
            node, error.status, "%s%s%s%s", error.text, hint, error.log[0] ? "\n" : "", error.log);
        return;
    }
    check_outputs(reader, node, source, shader);
    for (uint32_t i = 0; i < shader->member_count && !shader->push_layout[0]; i++)
        if (shader->members[i].size != 4)
            hed_json_fail(node, HED_ERROR_UNSUPPORTED,
                "push constant \"%s\" has %u bytes: expected numbers of 32 bits",
                shader->members[i].name, shader->members[i].size);
    if (strcmp(reader->device->backend, "gl") != 0) check_bindings(reader, node, source, shader);
    reader->uses_subgroups = shader->uses_subgroups;
    /* push constants are one argument if they are not numbers alone, or too many of them */
    uint32_t count = shader->member_count;
    for (uint32_t i = 0; i < shader->binding_count; i++)
        count += shader->bindings[i].resource != HED_SHADER_SAMPLER;
    reader->push_bytes =
        is_of_numbers(shader) && count <= HED_MAX_ARGUMENTS ? 0 : shader->member_bytes;
    FILE *to = open_memstream(&text, &size);
    if (to) declare_shader(to, shader, &reader->sizes, entry);
    if (!to || fclose(to)) {
        hed_json_fail(node, HED_ERROR_MEMORY, "out of memory for a shader's declarations");
        return;
    }
    const char *copy = hed_spec_text(reader, node, "%s", text);
    free(text);
    if (hed_spec_fine(reader) &&
        hed_wgsl_read(source->name, copy, strlen(copy), entry, &reader->shader, &error))
        hed_json_fail(node, error.status, "%s", error.text);
    if (hed_spec_fine(reader)) reader->shader->is_one_group = !shader->reads_launch;
    if (hed_spec_fine(reader))
        reader->shader->is_unordered = results_decide_places(kernel, source->text);
    if (hed_spec_fine(reader) && reader->sizes.dimensions)
        reader->shader->dimensions = reader->sizes.launch;
}
