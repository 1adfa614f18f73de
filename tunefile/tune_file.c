/* Tune files: the object, read by one of two readers (json.c, t1.c). */
#include "tunefile/objective.h"
#include "tunefile/spec.h"

#include "support/file.h"

#include <ctype.h>
#include <float.h>
#include <stdlib.h>
#include <string.h>

/* Reads the JSON in a comment of a shader, with the members of the remedy: the rest is replaced by
 * blanks, so that lines and columns are the shader's. Without a comment the object has the remedy's
 * members alone. */
static hed_status spec_read_comment(
    const char *path, const hed_spec_remedy *remedy, hed_json **json, hed_error *error)
{
    char *text;
    size_t size;
    hed_status status = hed_file_read(path, HED_SPEC_LONGEST_SOURCE, &text, &size, error);
    if (status) return status;
    hed_wgsl_span comment = hed_wgsl_comment(text, size);
    char *end = comment.size ? text + (comment.at - text) + comment.size : text + size;
    for (char *at = text; at < end; at++)
        if (at < comment.at && *at != '\n') *at = ' ';
    char *whole = comment.size ? hed_spec_remedy_json(remedy, text, (size_t)(end - text))
                               : hed_spec_remedy_json(remedy, "{}", 2);
    free(text);
    if (!whole) return hed_fail(error, HED_ERROR_MEMORY, "out of memory while reading %s", path);
    status = hed_json_parse(path, whole, strlen(whole), json, error);
    free(whole);
    return status;
}

/* Refuses settings of a file that is no shader, and settings that fit nothing. */
static hed_status check_settings(const hed_spec_reader *reader, bool is_shader, hed_error *error)
{
    for (uint32_t i = 0; i < reader->setting_count; i++) {
        if (!is_shader)
            return hed_fail(error, HED_ERROR_ARGUMENT,
                "%s: found the setting \"%s\"; expected a shader. Change the tune file instead",
                reader->path, reader->settings[i]);
        if (!(reader->settings_used >> i & 1))
            return hed_fail(error, HED_ERROR_ARGUMENT,
                "%s: found the setting \"%s\"; expected NAME=NUMBER with one of %s", reader->path,
                reader->settings[i], reader->names ? reader->names : "its names");
    }
    return HED_OK;
}

/* ---- numbers of the work ---- */

/* True if `text`, NAME=VALUE, names a size of the problem or a constant of the kernel. Keys of the
 * database contain both. */
static bool is_in_key(const hed_tune_file *spec, const char *text)
{
    const hed_kernel_def *kernel = &spec->kernel.def;
    size_t size = strcspn(text, "=");
    for (uint32_t i = 0; i < spec->problem.count; i++)
        if (strlen(spec->dimensions[i]) == size && !strncmp(spec->dimensions[i], text, size))
            return true;
    for (uint32_t i = 0; i < kernel->define_count; i++)
        if (strlen(kernel->defines[i].name) == size &&
            !strncmp(kernel->defines[i].name, text, size))
            return true;
    return false;
}

static int compare_settings(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Returns the fewest digits that give the number. */
static const char *digits_of(hed_spec_reader *reader, hed_json_node node, double number)
{
    const char *text = hed_spec_text(reader, node, "%.9g", number);
    return strtod(text, NULL) == number ? text : hed_spec_text(reader, node, "%.17g", number);
}

/* True if a number of the JSON is the one that would be invented without it, so that it changes
 * nothing. */
static bool is_invention(
    hed_spec_reader *reader, hed_json_node node, const char *name, double number)
{
    const hed_wgsl *shader = reader->shader;
    for (uint32_t i = 0; shader && i < shader->member_count; i++) {
        if (strcmp(shader->members[i].name, name) != 0) continue;
        char *end = NULL;
        double invented = strtod(hed_spec_invent_value(reader, node, &shader->members[i]), &end);
        return !*end && (float)invented == (float)number;
    }
    return false;
}

/* Returns NAME=VALUE of an entry of "arguments" with a constant; NULL: another entry, or a number
 * that a setting replaces. */
static const char *number_of_entry(hed_spec_reader *reader, hed_json_node entry)
{
    if (!hed_json_has(entry, "value") || !hed_json_has(entry, "name")) return NULL;
    hed_json_node value = hed_json_member(entry, "value");
    const char *name = hed_json_string(hed_json_member(entry, "name"));
    bool is_text = hed_json_kind_of(value) == HED_JSON_STRING;
    const char *text = is_text ? hed_json_string(value) : "";
    double number, setting;
    /* an expression with names follows from the problem */
    while (*text && !isalpha((unsigned char)*text) && *text != '_') text++;
    if (*text || (!is_text && hed_json_kind_of(value) != HED_JSON_NUMBER) ||
        hed_spec_setting(reader, name, &setting))
        return NULL;
    number = is_text ? hed_spec_number_of(reader, value, hed_json_string(value))
                     : hed_json_number(value, -DBL_MAX, DBL_MAX);
    if (is_invention(reader, value, name, number)) return NULL;
    return hed_spec_text(reader, value, "%s=%s", name, digits_of(reader, value, number));
}

/* Adds numbers of the work, sorted, to the kernel's name: "blur radius=8". They are the settings
 * and the plain numbers of the JSON's arguments. Keys of the database contain the name, and
 * launches by a program find all names that begin with the kernel's. */
static void name_numbers(hed_spec_reader *reader)
{
    hed_tune_file *spec = reader->spec;
    hed_json_node root = hed_json_root(spec->json), list = {.json = root.json};
    if (hed_json_has(root, "arguments")) list = hed_json_member(root, "arguments");
    size_t entries = hed_json_kind_of(list) == HED_JSON_ARRAY ? hed_json_count(list) : 0;
    const char **sorted =
        hed_spec_allocate(reader, (reader->setting_count + entries + 1) * sizeof *sorted, root);
    uint32_t count = 0;
    for (uint32_t i = 0; sorted && i < reader->setting_count; i++) {
        const char *number = strchr(reader->settings[i], '=') + 1;
        if (!is_in_key(spec, reader->settings[i]))
            sorted[count++] = hed_spec_text(reader, root, "%.*s%s", (int)(number - reader->settings[i]),
                reader->settings[i], digits_of(reader, root, strtod(number, NULL)));
    }
    for (size_t i = 0; sorted && i < entries; i++) {
        const char *text = number_of_entry(reader, hed_json_item(list, i));
        if (text && !is_in_key(spec, text)) sorted[count++] = text;
    }
    if (count) qsort(sorted, count, sizeof *sorted, compare_settings);
    for (uint32_t i = 0; i < count; i++)
        spec->kernel.def.name =
            hed_spec_text(reader, root, "%s %s", spec->kernel.def.name, sorted[i]);
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
    hed_status status = hed_json_status(json, error);
    if (!status) status = check_settings(&reader, reader.shader != NULL, error);
    if (!status) {
        name_numbers(&reader);
        if (reader.remedy) hed_spec_note_remedy(&reader, root);
        status = hed_json_status(json, error);
    }
    hed_wgsl_free(reader.shader);
    if (status) hed_tune_file_close(spec);
    else *result = spec;
    return status;
}

/* Reads a shader, and again with the remedy as long as its reader finds more for it. A failure
 * after that is reported with the comment; one that leaves a part to the user as of the text
 * alone. */
static hed_status open_shader(hed_spec_reader reader, hed_tune_file **file, hed_error *error)
{
    enum { MOST_READS = 8 };
    hed_spec_remedy remedy = {.is_new = true};
    hed_error first = {0};
    reader.remedy = &remedy;
    for (uint32_t i = 0; i < MOST_READS && remedy.is_new; i++) {
        hed_json *json = NULL;
        if (error->status) first = first.status ? first : *error;
        hed_error_clear(error);
        if (spec_read_comment(reader.path, &remedy, &json, error)) return error->status;
        remedy.is_new = false;
        if (!spec_read(json, reader, file, error)) return HED_OK;
    }
    if (!first.status) return error->status;
    bool is_second = remedy.is_new || strstr(error->text, "/* heddle {");
    if (is_second) *error = first;
    else hed_spec_name_remedy(&remedy, error);
    return error->status;
}

static hed_status open_file(const hed_tune_text_def *def, const hed_device_info *device,
    hed_tune_file **file, hed_error *error)
{
    hed_json *json = NULL;
    hed_language language;
    bool shader = hed_spec_is_shader_file(def->name, &language);
    if (def->setting_count > HED_SPEC_SETTINGS)
        return hed_fail(error, HED_ERROR_LIMIT, "%s: found %u settings; expected at most %d",
            def->name, def->setting_count, HED_SPEC_SETTINGS);
    hed_spec_reader reader = {.path = def->name,
        .device = device,
        .is_shader = shader,
        .entry = def->entry,
        .settings = def->settings,
        .setting_count = def->setting_count};
    hed_error cause = {0};
    error = error ? error : &cause;
    if (shader) return open_shader(reader, file, error);
    hed_status status = hed_json_read(def->name, &json, error);
    return status ? status : spec_read(json, reader, file, error);
}

hed_status hed_tune_file_open(
    const char *path, const hed_device_info *device, hed_tune_file **file, hed_error *error)
{
    HED_REQUIRE(path, device, file);
    const hed_tune_text_def def = {.name = path};
    *file = NULL;
    return open_file(&def, device, file, error);
}

hed_status hed_tune_file_parse(const hed_tune_text_def *def, const hed_device_info *device,
    hed_tune_file **file, hed_error *error)
{
    HED_REQUIRE(def, device, file);
    *file = NULL;
    if (!def->text) HED_REQUIRE(def->name);
    if (!def->text) return open_file(def, device, file, error);
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
    def->metrics = spec->metrics;
    def->metric_count = spec->metric_count;
    if (spec->objective) hed_objective_set(def, spec->objective, NULL);
    if (spec->evaluations > 0 || spec->limit_seconds > 0) {
        def->evaluations = spec->evaluations;
        def->limit_seconds = spec->limit_seconds;
    }
    return spec->note;
}
