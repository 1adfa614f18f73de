/* A tune file's kernel as a description: its entry, the compiler's options, macros, the layout of a
 * launch. */
#include "tunefile/spec.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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
        if (count < 2 * HED_SPEC_FOLDERS)
            folders[count] = hed_spec_path(reader, node, option + 2, 0);
        else
            hed_json_fail(node, HED_ERROR_LIMIT,
                "\"%s\": more than %d folders to look for includes in", option,
                2 * HED_SPEC_FOLDERS);
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

void hed_spec_refuse_defined(hed_spec_reader *reader, hed_json_node node,
    const hed_spec_kernel *kernel, const hed_source *source)
{
    bool is_open = false;
    int depth = 0;
    uint32_t undefined = 0; /* parameters with #undef: the text has used their values before */
    if (kernel->def.language != HED_OPENCL_C && kernel->def.language != HED_CUDA_C) return;
    for (const char *line = hed_spec_fine(reader) ? source->text : ""; *line;) {
        size_t length = strcspn(line, "\n");
        char copy[128], word[16] = "", name[64] = "";
        snprintf(copy, sizeof copy, "%.*s", (int)length, line);
        if (is_open || sscanf(copy, " # %15[a-z] %63[A-Za-z0-9_]", word, name) < 1) word[0] = 0;
        depth += !strncmp(word, "if", 2) - !strcmp(word, "endif");
        for (uint32_t i = 0; depth <= 0 && i < kernel->def.parameter_count; i++) {
            if (strcmp(name, kernel->parameters[i].name) != 0) continue;
            if (!strcmp(word, "undef")) undefined |= 1u << i;
            if (!strcmp(word, "define") && !(undefined >> i & 1))
                hed_json_reject(node,
                    "%s has #define %s outside #if, so no other value of that parameter would reach "
                    "the kernel. Write #ifndef %s before it and #endif after it",
                    source->name, name, name);
        }
        is_open = hed_spec_in_comment(line, length, is_open);
        line += length + (line[length] == '\n');
    }
}

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
    hed_spec_values(kernel, config, problem, values);
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
        if (def->arguments[i].kind == HED_SCALAR) {
            hed_spec_put_scalar(def->arguments[i].type,
                hed_expression_value(kernel->local[i], values), &geometry->local_bytes[i]);
            continue;
        }
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
    hed_spec_values(kernel, config, problem, values);
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
        if (def->language == HED_CUDA_C) hed_spec_drop_host_code(reader, root, &sources[i]);
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
