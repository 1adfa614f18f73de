/* A user's kernel from a file: which of the two formats it is, and what the reader made of it. */
#include "heddle/tune_file.h"

#include "support/errors.h"
#include "tunefile/spec_parts.h"

#include <stdlib.h>
#include <string.h>

/* What went wrong first, by its own status. */
static hed_status status_of(const hed_spec_reader *reader, hed_error *error)
{
    hed_status status = hed_json_status(reader->spec->json, error);
    if (status != HED_OK && reader->status != HED_OK) {
        status = reader->status;
        if (error) error->status = status;
    }
    return status;
}

static hed_status read_all(hed_spec_reader *reader, hed_error *error)
{
    hed_json_node root = hed_json_root(reader->spec->json);
    if (hed_json_has(root, "KernelSpecification") || hed_json_has(root, "ConfigurationSpace"))
        hed_spec_read_t1(reader, root);
    else hed_spec_read_json(reader, root);
    return status_of(reader, error);
}

hed_status hed_tune_file_open(
    const char *path, const hed_device_info *device, hed_tune_file **result, hed_error *error)
{
    if (hed_failed(error)) return error->status;
    *result = NULL;
    hed_json *json;
    hed_status status = hed_json_read(path, &json, error);
    if (status != HED_OK) return status;
    hed_tune_file *spec = calloc(1, sizeof *spec);
    if (!spec) {
        hed_json_free(json);
        return hed_error_set(error, HED_ERROR_MEMORY, "out of memory while reading %s", path);
    }
    spec->json = json;
    spec->reference = HED_REFERENCE_DEFAULT;
    hed_spec_reader reader = {.spec = spec, .path = path, .device = device};
    status = read_all(&reader, error);
    if (status == HED_OK) *result = spec;
    else hed_tune_file_close(spec);
    return status;
}

hed_status hed_tune_file_set_content(hed_tune_file *spec, const hed_device_info *device,
    const char *name, const char *content, hed_error *error)
{
    if (hed_failed(error)) return error->status;
    hed_spec_reader reader = {.spec = spec, .path = "", .device = device};
    hed_spec_give(&reader, name, content);
    return status_of(&reader, error);
}

void hed_tune_file_close(hed_tune_file *spec)
{
    if (!spec) return;
    hed_spec_free_blocks(spec);
    hed_json_free(spec->json);
    free(spec);
}

const hed_kernel_def *hed_tune_file_kernel(const hed_tune_file *spec) { return &spec->kernel.def; }

const char *hed_tune_file_apply(const hed_tune_file *spec, hed_tune_def *def)
{
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
