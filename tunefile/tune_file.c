/* Tune files: the object, read by one of two readers (json.c, t1.c). */
#include "tunefile/spec.h"

#include "support/file.h"

#include <stdlib.h>

/* Reads the JSON in a comment of a shader: the rest is replaced by blanks, so that lines and
 * columns are the shader's. Without a comment the result is an empty object. */
static hed_status spec_read_comment(const char *path, hed_json **json, hed_error *error)
{
    char *text;
    size_t size;
    hed_status status = hed_file_read(path, HED_SPEC_LONGEST_SOURCE, &text, &size, error);
    if (status) return status;
    hed_wgsl_span comment = hed_wgsl_comment(text, size);
    char *end = comment.size ? text + (comment.at - text) + comment.size : text + size;
    for (char *at = text; at < end; at++)
        if (at < comment.at && *at != '\n') *at = ' ';
    if (comment.size) status = hed_json_parse(path, text, (size_t)(end - text), json, error);
    else status = hed_json_parse(path, "{}", 2, json, error);
    free(text);
    return status;
}

/* Makes the object of a document, and takes over the document. */
static hed_status spec_read(
    hed_json *json, hed_spec_reader reader, hed_tune_file **result, hed_error *error)
{
    hed_tune_file *spec = calloc(1, sizeof *spec);
    if (!spec) {
        hed_json_free(json);
        return hed_fail(error, HED_ERROR_MEMORY, "out of memory while reading %s", reader.path);
    }
    spec->json = json;
    spec->reference = HED_REFERENCE_DEFAULT;
    reader.spec = spec;
    hed_json_node root = hed_json_root(json);
    if (hed_json_has(root, "KernelSpecification") || hed_json_has(root, "ConfigurationSpace"))
        hed_spec_read_t1(&reader, root);
    else hed_spec_read_json(&reader, root);
    hed_wgsl_free(reader.shader);
    hed_status status = hed_json_status(json, error);
    if (status) hed_tune_file_close(spec);
    else *result = spec;
    return status;
}

hed_status hed_tune_file_open(
    const char *path, const hed_device_info *device, hed_tune_file **file, hed_error *error)
{
    HED_REQUIRE(path, device, file);
    *file = NULL;
    hed_json *json = NULL;
    hed_language language;
    bool shader = hed_spec_is_shader_file(path, &language);
    hed_status status =
        shader ? spec_read_comment(path, &json, error) : hed_json_read(path, &json, error);
    if (status) return status;
    hed_spec_reader reader = {.path = path, .device = device, .is_shader = shader};
    return spec_read(json, reader, file, error);
}

hed_status hed_tune_file_parse(const hed_tune_text_def *def, const hed_device_info *device,
    hed_tune_file **file, hed_error *error)
{
    HED_REQUIRE(def, device, file);
    *file = NULL;
    const char *name = def->name ? def->name : "tune file";
    hed_json *json = NULL;
    hed_status status = hed_json_parse(name, def->text, def->size, &json, error);
    if (status) return status;
    hed_spec_reader reader = {
        .path = name, .device = device, .files = def->files, .file_count = def->file_count};
    return spec_read(json, reader, file, error);
}

hed_status hed_tune_file_set_content(hed_tune_file *file, const hed_device_info *device,
    const char *name, const char *content, hed_error *error)
{
    HED_REQUIRE(file, device, name, content);
    hed_spec_reader reader = {.spec = file, .path = "", .device = device};
    hed_spec_give(&reader, name, content);
    return hed_json_status(file->json, error);
}

void hed_tune_file_close(hed_tune_file *spec)
{
    if (!spec) return;
    for (; spec->files; spec->files = spec->files->next) free(spec->files->bytes);
    hed_arena_free(&spec->arena);
    hed_json_free(spec->json);
    free(spec);
}

const hed_kernel_def *hed_tune_file_kernel(const hed_tune_file *spec)
{
    if (!spec) return NULL;
    return &spec->kernel.def;
}

const char *hed_tune_file_apply(const hed_tune_file *spec, hed_tune_def *def)
{
    if (!spec) return NULL;
    if (!def) return spec->note;
    def->math = spec->math;
    def->problem = &spec->problem;
    def->arguments = spec->arguments;
    def->reference = spec->reference;
    def->reference_kernel = spec->reference == HED_REFERENCE_KERNEL ? &spec->other.def : NULL;
    if (spec->evaluations > 0 || spec->limit_seconds > 0) {
        def->evaluations = spec->evaluations;
        def->limit_seconds = spec->limit_seconds;
    }
    return spec->note;
}
