/* Tune files: the object, and the shared functions of its two readers: memory, errors, expressions,
 * texts and the layout of a launch. */
#include "tunefile/spec.h"

#include "support/file.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- errors ---- */

bool hed_spec_fine(const hed_spec_reader *reader)
{
    return hed_json_status(reader->spec->json, NULL) == HED_OK;
}

/* ---- memory ---- */

/* Content of a file, allocated by the C library. */
struct hed_spec_bytes {
    struct hed_spec_bytes *next;
    char *bytes;
};

void *hed_spec_allocate(hed_spec_reader *reader, size_t size, hed_json_node node)
{
    void *memory = hed_arena_new(&reader->spec->arena, size, 1, NULL);
    if (!memory) hed_json_fail(node, HED_ERROR_MEMORY, "out of memory for %zu bytes", size);
    return memory;
}

/* Allocates from the arena, for expressions. */
static void *arena_allocate(void *arena, size_t size, size_t alignment)
{
    (void)alignment; /* 64, which suffices */
    return hed_arena_new(arena, size, 1, NULL);
}

static void arena_release(void *arena, void *memory, size_t size)
{
    (void)arena, (void)memory, (void)size;
}

const char *hed_spec_text(hed_spec_reader *reader, hed_json_node node, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *text = length >= 0 ? hed_spec_allocate(reader, (size_t)length + 1, node) : NULL;
    if (!text) return "";
    va_start(arguments, format);
    vsnprintf(text, (size_t)length + 1, format, arguments);
    va_end(arguments);
    return text;
}

/* ---- names and expressions ---- */

bool hed_spec_is_name(const char *text)
{
    static const char *const reserved[] = {
        "and", "or", "not", "in", "if", "else", "true", "false", "True", "False"};
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (strcmp(text, reserved[i]) == 0) return false;
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    return text[0] && strspn(text, letters) == strlen(text) && !(text[0] >= '0' && text[0] <= '9');
}

void hed_spec_set_scope(hed_spec_reader *reader, hed_spec_kernel *kernel)
{
    hed_constant constants[HED_DEVICE_CONSTANTS];
    hed_device_constants(reader->device, constants);
    uint32_t slot = 0;
    for (uint32_t i = 0; i < kernel->def.parameter_count; i++)
        kernel->names[slot++] = kernel->parameters[i].name;
    for (uint32_t i = 0; i < reader->spec->problem.count; i++)
        kernel->names[slot++] = reader->spec->dimensions[i];
    for (uint32_t i = 0; i < HED_DEVICE_CONSTANTS; i++) {
        kernel->names[slot++] = constants[i].name;
        kernel->constants[i] = constants[i].value;
    }
}

/* Writes the values of all slots. */
static void kernel_values(const hed_spec_kernel *kernel, const hed_config *config,
    const hed_problem *problem, double *values)
{
    for (uint32_t i = 0; i < kernel->def.parameter_count; i++)
        *values++ = (double)config->values[i];
    for (uint32_t i = 0; i < kernel->def.dimension_count; i++)
        *values++ = (double)problem->sizes[i];
    memcpy(values, kernel->constants, sizeof kernel->constants);
}

hed_expression *hed_spec_compile(hed_spec_reader *reader, const hed_allocator *allocator,
    const hed_expression_names *names, hed_json_node node, const char *text)
{
    hed_expression *expression = NULL;
    hed_error error = {0};
    if (hed_spec_fine(reader) && hed_expression_create(allocator, text, names, &expression, &error))
        hed_json_fail(node, error.status == HED_ERROR_MEMORY ? HED_ERROR_MEMORY : HED_ERROR_FORMAT,
            "%s", error.text);
    return expression;
}

hed_expression *hed_spec_expression_of(
    hed_spec_reader *reader, const hed_spec_kernel *kernel, hed_json_node node, const char *text)
{
    hed_expression_names names = {kernel->names,
        kernel->def.parameter_count + reader->spec->problem.count + HED_DEVICE_CONSTANTS,
        kernel->parameters, kernel->def.parameter_count};
    hed_allocator allocator = {&reader->spec->arena, arena_allocate, arena_release};
    return hed_spec_compile(reader, &allocator, &names, node, text);
}

hed_expression *hed_spec_expression(
    hed_spec_reader *reader, const hed_spec_kernel *kernel, hed_json_node node)
{
    if (hed_json_kind_of(node) != HED_JSON_NUMBER)
        return hed_spec_expression_of(reader, kernel, node, hed_json_string(node));
    char digits[40];
    snprintf(digits, sizeof digits, "%.17g", hed_json_number(node, -1e300, 1e300));
    return hed_spec_expression_of(reader, kernel, node, digits);
}

bool hed_spec_uses_parameters(const hed_spec_kernel *kernel, const hed_expression *expression)
{
    for (uint32_t i = 0; expression && i < kernel->def.parameter_count; i++)
        if (hed_expression_uses(expression, i)) return true;
    return false;
}

double hed_spec_largest(hed_spec_reader *reader, hed_json_node node, const hed_spec_kernel *kernel,
    const hed_expression *size)
{
    enum { MOST = 1 << 20 };
    double values[sizeof kernel->names / sizeof *kernel->names], largest = 0;
    hed_config config = {.count = kernel->def.parameter_count};
    uint32_t used[HED_MAX_PARAMETERS], used_count = 0;
    uint64_t total = 1;
    for (uint32_t i = 0; i < kernel->def.parameter_count; i++) {
        config.values[i] = kernel->parameters[i].values[0];
        if (!size || !hed_expression_uses(size, i)) continue;
        used[used_count++] = i;
        total = total > MOST ? total : total * kernel->parameters[i].count;
    }
    if (total > MOST)
        hed_json_fail(node, HED_ERROR_LIMIT,
            "this size has more than %d values: let it depend on fewer parameters", MOST);
    hed_spec_kernel plain = {.def.parameter_count = kernel->def.parameter_count,
        .def.dimension_count = reader->spec->problem.count};
    memcpy(plain.constants, kernel->constants, sizeof plain.constants);
    for (uint64_t n = 0; size && n < total && total <= MOST; n++) {
        uint64_t left = n;
        for (uint32_t i = 0; i < used_count; left /= kernel->parameters[used[i]].count, i++)
            config.values[used[i]] =
                kernel->parameters[used[i]].values[left % kernel->parameters[used[i]].count];
        kernel_values(&plain, &config, &reader->spec->problem, values);
        double value = hed_expression_value(size, values);
        /* an undefined value, or less than one element, means that the configuration has no
         * launch */
        if (value > largest) largest = value;
    }
    return ceil(largest);
}

double hed_spec_number_of(hed_spec_reader *reader, hed_json_node node, const char *text)
{
    hed_tune_file *spec = reader->spec;
    hed_spec_kernel plain = {.def.dimension_count = spec->problem.count};
    hed_spec_set_scope(reader, &plain);
    hed_expression *expression = hed_spec_expression_of(reader, &plain, node, text);
    double values[HED_MAX_DIMENSIONS + HED_DEVICE_CONSTANTS];
    if (!expression) return 0;
    kernel_values(&plain, NULL, &spec->problem, values);
    double value = hed_expression_value(expression, values);
    if (isfinite(value)) return value;
    hed_json_reject(node, "\"%s\" has no value here: it divides by zero, or is too large", text);
    return 0;
}

/* ---- texts ---- */

/* Returns the path of `file` in the spec's folder, or `up` folders above it. */
static const char *path_beside(
    hed_spec_reader *reader, hed_json_node node, const char *file, int up)
{
    const char *slash = strrchr(reader->path, '/');
    static const char *const prefixes[] = {"", "../"};
    if (file[0] == '/' || (!slash && !up)) return file;
    return hed_spec_text(reader, node, "%.*s%s%s", slash ? (int)(slash + 1 - reader->path) : 0,
        reader->path, prefixes[up], file);
}

const hed_tune_memory *hed_spec_in_memory(const hed_spec_reader *reader, const char *file)
{
    for (uint32_t i = 0; i < reader->file_count; i++)
        if (strcmp(reader->files[i].name, file) == 0) return &reader->files[i];
    return NULL;
}

const char *hed_spec_path(
    hed_spec_reader *reader, hed_json_node node, const char *file, int folders_above)
{
    if (hed_spec_in_memory(reader, file)) return file;
    const char *path = path_beside(reader, node, file, 0);
    bool is_above = folders_above > 0 && access(path, F_OK) != 0 &&
                    access(path_beside(reader, node, file, 1), F_OK) == 0;
    return is_above ? path_beside(reader, node, file, 1) : path;
}

bool hed_spec_read_path(hed_spec_reader *reader, hed_json_node node, const char *path, size_t limit,
    char **bytes, size_t *size)
{
    hed_error error = {0};
    if (!hed_spec_fine(reader)) return false;
    const hed_tune_memory *memory = hed_spec_in_memory(reader, path);
    if (memory) { /* a copy with a final zero */
        if (memory->size > limit)
            hed_json_fail(node, HED_ERROR_LIMIT, "%s has %zu bytes; at most %zu are read", path,
                memory->size, limit);
        *bytes = hed_spec_fine(reader) ? hed_spec_allocate(reader, memory->size + 1, node) : NULL;
        *size = memory->size;
        if (*bytes && *size) memcpy(*bytes, memory->bytes, *size);
        return *bytes != NULL;
    }
    hed_status status = hed_file_read(path, limit, bytes, size, &error);
    if (status) {
        hed_json_fail(node, status, "%s", error.text);
        return false;
    }
    struct hed_spec_bytes *file = hed_spec_allocate(reader, sizeof *file, node);
    if (!file) {
        free(*bytes);
        return false;
    }
    *file = (struct hed_spec_bytes){reader->spec->files, *bytes};
    reader->spec->files = file;
    return true;
}

bool hed_spec_read_file(hed_spec_reader *reader, hed_json_node node, const char *file,
    int folders_above, size_t limit, char **bytes, size_t *size)
{
    return hed_spec_read_path(
        reader, node, hed_spec_path(reader, node, file, folders_above), limit, bytes, size);
}

bool hed_spec_read_source(hed_spec_reader *reader, hed_json_node node, const char *file,
    int folders_above, const char *const *folders, hed_source *source)
{
    char *text = NULL;
    size_t size = 0;
    const char *path = hed_spec_path(reader, node, file, folders_above);
    if (!hed_spec_read_path(reader, node, path, HED_SPEC_LONGEST_SOURCE, &text, &size))
        return false;
    *source = (hed_source){.name = file, .text = text, .size = size};
    hed_spec_put_includes(reader, node, path, folders, source);
    return hed_spec_fine(reader);
}

bool hed_spec_is_cuda_file(const char *file)
{
    static const char *const endings[] = {".cu", ".cuh", ".hip"};
    size_t length = strlen(file);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t end = strlen(endings[i]);
        if (length > end && strcmp(file + length - end, endings[i]) == 0) return true;
    }
    return false;
}

void hed_spec_set_entry(
    hed_spec_reader *reader, hed_json_node node, hed_spec_kernel *kernel, const char *entry)
{
    bool cuda = kernel->def.language == HED_CUDA_C;
    kernel->def.entry = kernel->def.name = entry;
    if (cuda) { /* the last plain name of an expression, for reports and the database */
        size_t end = strcspn(entry, "<"), begin;
        while (end > 0 && entry[end - 1] == ' ') end--;
        for (begin = end; begin > 0 && entry[begin - 1] != ':' && entry[begin - 1] != ' ';) begin--;
        kernel->def.name = hed_spec_text(reader, node, "%.*s", (int)(end - begin), entry + begin);
    }
    if (!hed_spec_fine(reader) || (hed_spec_is_name(kernel->def.name) && !strpbrk(entry, "\n;{}")))
        return;
    hed_json_reject(node, "expected the name of a kernel in the text%s",
        cuda ? ", as \"scale\" or \"ns::scale<float, 4>\"" : "");
}

static bool option_begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* True if Heddle sets the option itself, or if it has no effect on the code. */
static bool option_is_known(hed_json_node node, const char *option)
{
    static const char *const harmless[] = {"-std=", "--std=", "-O", "-w", "-Wall",
        "--extended-lambda", "--expt-relaxed-constexpr", "-Xptxas", "-lineinfo",
        "--generate-line-info"};
    static const char *const reserved[] = {
        "-arch", "--gpu-architecture", "-gencode", "--generate-code", "-cl-std", "--pre-include"};
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (option_begins(option, reserved[i]))
            hed_json_reject(node,
                "\"%s\" is not the file's to say: Heddle compiles for the device it tunes on",
                option);
    const char *standard = strstr(option, "++2"); /* c++20, gnu++2b */
    if (standard && (option_begins(option, "-std=") || option_begins(option, "--std=")))
        hed_json_fail(node, HED_ERROR_UNSUPPORTED,
            "\"%s\": Heddle compiles C++17: expected c++17 or earlier, "
            "and a text that it suffices for",
            option);
    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
        if (option_begins(option, harmless[i])) return true;
    return false;
}

static void option_read(hed_spec_reader *reader, hed_json_node node, hed_spec_kernel *kernel,
    const char **folders, hed_define *defines, const char **options)
{
    const char *option = hed_json_string(node), *value = strchr(option, '=');
    uint32_t count = 0;
    if (!option[0]) return;
    if (option[0] != '-' || strpbrk(option, " \t\n"))
        hed_json_reject(
            node, "expected one option of the compiler without blanks, found \"%s\"", option);
    if (option_begins(option, "-D") && option[2]) {
        const char *name = hed_spec_text(
            reader, node, "%.*s", value ? (int)(value - option) - 2 : 1000, option + 2);
        defines[kernel->def.define_count++] = (hed_define){name, value ? value + 1 : "1"};
    } else if (option_begins(option, "-I") && option[2]) {
        while (folders[count]) count++;
        if (count < 2 * HED_SPEC_VALUES)
            folders[count] = hed_spec_path(reader, node, option + 2, 0);
        else
            hed_json_fail(node, HED_ERROR_LIMIT,
                "\"%s\": more than %d folders to look for includes in", option,
                2 * HED_SPEC_VALUES);
    } else if (!option_is_known(node, option)) {
        bool fast = option_begins(option, "-use_fast_math") ||
                    option_begins(option, "--use_fast_math") ||
                    option_begins(option, "-cl-fast-relaxed-math");
        if (!fast || kernel->def.language == HED_CUDA_C)
            options[kernel->def.option_count++] = option;
    }
}

void hed_spec_read_options(
    hed_spec_reader *reader, hed_json_node node, hed_spec_kernel *kernel, const char **folders)
{
    bool list = hed_json_kind_of(node) == HED_JSON_ARRAY;
    size_t count = list ? hed_json_count(node) : hed_json_kind_of(node) != HED_JSON_NOTHING;
    hed_define *defines =
        hed_spec_allocate(reader, (kernel->def.define_count + count + 1) * sizeof *defines, node);
    const char **options = hed_spec_allocate(reader, (count + 1) * sizeof *options, node);
    if (!defines || !options) return;
    if (kernel->def.define_count)
        memcpy(defines, kernel->def.defines, kernel->def.define_count * sizeof *defines);
    kernel->def.defines = defines;
    kernel->def.options = options;
    for (size_t i = 0; i < count && hed_spec_fine(reader); i++)
        option_read(
            reader, list ? hed_json_item(node, i) : node, kernel, folders, defines, options);
}

/* Text that redefines each macro of the texts, which the library has defined as the text's
 * number. */
const char *hed_spec_define_texts(
    hed_spec_reader *reader, hed_json_node node, const hed_spec_kernel *kernel, uint32_t texts)
{
    const char *text = "";
    for (uint32_t i = 0; i < kernel->def.parameter_count; i++) {
        const hed_parameter_def *parameter = &kernel->parameters[i];
        if (!(texts >> i & 1)) continue;
        for (uint32_t j = 0; j < parameter->count; j++)
            text = hed_spec_text(reader, node, "%s#%s %s == %u\n#undef %s\n#define %s %s\n%s", text,
                j ? "elif" : "if", parameter->name, j, parameter->name, parameter->name,
                parameter->labels[j], j + 1 == parameter->count ? "#endif\n" : "");
    }
    return text;
}

/* ---- launches ---- */

/* Returns a count of at least 1, rounded up; `wrong` if the value is not a count. */
static uint64_t expression_count(
    const hed_expression *expression, const double *values, bool round_up, uint64_t wrong)
{
    double value = hed_expression_value(expression, values);
    if (!(value > 0 && value < 0x1p63) || (!round_up && value != floor(value))) return wrong;
    return (uint64_t)ceil(value);
}

/* Computes the launch. Invalid sizes become a size that no device allows, which hed_kernel_valid()
 * then reports. */
static void kernel_geometry(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *geometry)
{
    const hed_spec_kernel *kernel = def->user;
    double values[sizeof kernel->names / sizeof *kernel->names];
    kernel_values(kernel, config, problem, values);
    geometry->dimensions = kernel->dimensions;
    for (uint32_t i = 0; i < kernel->dimensions; i++) {
        uint64_t group = expression_count(kernel->group[i], values, false, UINT32_MAX),
                 global = expression_count(kernel->global[i], values, true, 0);
        geometry->group[i] = group < UINT32_MAX ? (uint32_t)group : UINT32_MAX;
        if (!kernel->counts_groups) geometry->global[i] = global;
        else if (__builtin_mul_overflow(global, geometry->group[i], &geometry->global[i]))
            geometry->global[i] = 0;
    }
    for (uint32_t i = 0; i < def->argument_count; i++) {
        if (!kernel->local[i]) continue;
        /* number of results: 0 would mean all of them */
        if (def->arguments[i].kind == HED_BUFFER) {
            uint64_t count = expression_count(kernel->local[i], values, true, 1);
            if (__builtin_mul_overflow(count, kernel->local_bytes[i], &geometry->local_bytes[i]))
                geometry->local_bytes[i] = 0;
            continue;
        }
        /* An array of no elements is one that this configuration does not use; drivers refuse 0
         * bytes. */
        double elements = hed_expression_value(kernel->local[i], values);
        uint64_t count = elements == 0 ? 1 : expression_count(kernel->local[i], values, true, 0);
        if (count == 0 ||
            __builtin_mul_overflow(count, kernel->local_bytes[i], &geometry->local_bytes[i]))
            geometry->local_bytes[i] = UINT64_MAX / 2;
    }
}

static void kernel_work(
    const hed_kernel_def *def, const hed_config *config, const hed_problem *problem, hed_work *work)
{
    const hed_spec_kernel *kernel = def->user;
    double values[sizeof kernel->names / sizeof *kernel->names];
    kernel_values(kernel, config, problem, values);
    *work = (hed_work){0};
    if (kernel->bytes) work->bytes = hed_expression_value(kernel->bytes, values);
    if (kernel->operations) work->operations = hed_expression_value(kernel->operations, values);
}

bool hed_spec_is_factor(const hed_spec_kernel *kernel, const char *text)
{
    for (uint32_t i = 0; i < kernel->def.parameter_count; i++)
        if (strcmp(kernel->parameters[i].name, text) == 0) return true;
    return text[0] >= '1' && text[0] <= '9' && strspn(text, "0123456789") == strlen(text) &&
           strlen(text) < 10;
}

void hed_spec_finish_kernel(
    hed_spec_reader *reader, hed_spec_kernel *kernel, const char *const group[3])
{
    hed_kernel_def *def = &kernel->def;
    hed_json_node root = hed_json_root(reader->spec->json);
    def->user = kernel;
    def->parameters = kernel->parameters;
    def->arguments = reader->spec->argument_defs;
    def->dimensions = reader->spec->dimensions;
    def->dimension_count = reader->spec->problem.count;
    def->geometry = kernel_geometry;
    hed_source *sources = hed_spec_allocate(reader, def->source_count * sizeof *sources, root);
    for (uint32_t i = 0; i < def->source_count && sources; i++) {
        sources[i] = def->sources[i];
        if (def->language == HED_OPENCL_C) hed_spec_use_words(reader, root, &sources[i]);
    }
    def->sources = sources;
    size_t count = def->define_count;
    hed_define *defines = hed_spec_allocate(reader, (count + 1) * sizeof *defines, root);
    if (def->language == HED_OPENCL_C && defines) {
        if (count) memcpy(defines, def->defines, count * sizeof *defines);
        defines[def->define_count++] = (hed_define){"HED_OPENCL_TEXT", "1"};
        def->defines = defines;
    }
    if (kernel->bytes || kernel->operations) def->work = kernel_work;
    def->metric = kernel->operations ? HED_METRIC_OPERATIONS : HED_METRIC_BYTES;
    bool simple = !def->max_threads;
    for (uint32_t i = 0; i < kernel->dimensions; i++)
        simple = simple && group[i] && hed_spec_is_factor(kernel, group[i]);
    if (simple)
        def->max_threads = hed_spec_text(reader, root, "%s%s%s%s%s", group[0],
            kernel->dimensions > 1 ? "*" : "", kernel->dimensions > 1 ? group[1] : "",
            kernel->dimensions > 2 ? "*" : "", kernel->dimensions > 2 ? group[2] : "");
}

void hed_spec_define_labels(hed_spec_reader *reader, hed_spec_kernel *kernel, hed_json_node node)
{
    size_t count = kernel->def.define_count;
    for (uint32_t i = 0; i < kernel->def.parameter_count; i++)
        count += kernel->parameters[i].labels ? kernel->parameters[i].count : 0;
    hed_define *defines = hed_spec_allocate(reader, count * sizeof *defines, node);
    if (!defines) return;
    if (kernel->def.define_count > 0)
        memcpy(defines, kernel->def.defines, kernel->def.define_count * sizeof *defines);
    for (uint32_t i = 0; i < kernel->def.parameter_count; i++) {
        const hed_parameter_def *parameter = &kernel->parameters[i];
        for (uint32_t j = 0; parameter->labels && j < parameter->count; j++) {
            const char *name =
                hed_spec_text(reader, node, "%s_%s", parameter->name, parameter->labels[j]);
            const char *value =
                hed_spec_text(reader, node, "%lld", (long long)parameter->values[j]);
            if (hed_spec_is_name(name))
                defines[kernel->def.define_count++] = (hed_define){name, value};
        }
    }
    kernel->def.defines = defines;
}

/* ---- the object ---- */

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
