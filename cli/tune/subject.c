/* Subject of `heddle tune`: a kernel of Heddle by name, a file or a capture; and its options. */
#include "tune_command.h"

#include "cli/common/kernel_key.h"
#include "support/file.h"
#include "support/nearest.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- a kernel by its name ---- */

enum { MOST_NAMES = 64 };

static uint32_t kernel_names(const char *names[MOST_NAMES])
{
    uint32_t count = cli_kernel_count() < MOST_NAMES ? cli_kernel_count() : MOST_NAMES - 1;
    for (uint32_t i = 0; i < count; i++) names[i] = cli_kernel_at(i)->name;
    names[count] = NULL;
    return count;
}

static void tune_names_list(const hed_names *self, hed_name_function *add, void *user)
{
    char name[128];
    for (uint32_t i = 0; i < cli_kernel_count(); i++) {
        snprintf(name, sizeof name, "%s%s", CLI_TUNE_PREFIX, cli_kernel_at(i)->name);
        add(user, name, NULL);
    }
    cli_data_tune_files.list(&cli_data_tune_files, add, user);
}

/* Reports an unknown heddle:NAME. */
static hed_status refuse_kernel(const char *name, hed_error *error)
{
    const char *names[MOST_NAMES];
    char list[768] = "";
    uint32_t count = kernel_names(names);
    const char *nearest = hed_nearest(name, names);
    for (uint32_t i = 0; i < count; i++) {
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", names[i]);
    }
    return hed_fail(error, HED_ERROR_ARGUMENT, "there is no kernel \"%s%.64s\"%s%s%s; there are %s",
        CLI_TUNE_PREFIX, name, nearest ? "; did you mean " CLI_TUNE_PREFIX : "",
        nearest ? nearest : "", nearest ? "?" : "", list);
}

/* Finds an installed tune file; if there is no such file, suggests a kernel whose name lacks the
 * prefix. */
static hed_status tune_names_find(
    const hed_names *self, const char *text, const char *folder, char **file, hed_error *error)
{
    const char *names[MOST_NAMES];
    hed_error unknown = {0};
    size_t prefix = strlen(CLI_TUNE_PREFIX);
    if (strncmp(text, CLI_TUNE_PREFIX, prefix) == 0)
        return cli_kernel_find(text + prefix) ? HED_OK : refuse_kernel(text + prefix, error);
    if (cli_data_tune_files.find(&cli_data_tune_files, text, folder, file, &unknown) == HED_OK)
        return HED_OK;
    kernel_names(names);
    const char *nearest = hed_nearest(text, names);
    if (unknown.status != HED_ERROR_ARGUMENT || !nearest)
        return hed_fail(error, unknown.status, "%s", unknown.text);
    return hed_fail(error, HED_ERROR_ARGUMENT, "%s: no such file; did you mean %s%s?", text,
        CLI_TUNE_PREFIX, nearest);
}

const hed_names cli_tune_names = {.list = tune_names_list, .find = tune_names_find};

static int refuse_dimension(const hed_kernel_def *kernel, const char *name, int size)
{
    fprintf(stderr,
        "heddle: --problem: found \"%.*s\", expected a size of at least 1 for each dimension of %s, as in --problem ",
        size, name, kernel->name);
    for (uint32_t i = 0; i < kernel->dimension_count; i++)
        fprintf(stderr, "%s%s=%" PRId64, i ? "," : "", kernel->dimensions[i],
            kernel->sample.benchmark.sizes[i]);
    fputc('\n', stderr);
    return HED_EXIT_USAGE;
}

/* Reads "width=4096,height=4096"; other dimensions keep the benchmark's size. */
static int tune_read_problem(const char *text, const hed_kernel_def *kernel, hed_problem *problem)
{
    *problem = kernel->sample.benchmark;
    while (*text) {
        int size = (int)strcspn(text, ",");
        const char *equals = memchr(text, '=', (size_t)size);
        uint32_t dimension = 0;
        while (equals && dimension < kernel->dimension_count &&
               (strlen(kernel->dimensions[dimension]) != (size_t)(equals - text) ||
                   memcmp(kernel->dimensions[dimension], text, (size_t)(equals - text)) != 0))
            dimension++;
        char *end = NULL;
        long long value = equals ? strtoll(equals + 1, &end, 10) : 0;
        if (!equals || dimension == kernel->dimension_count || value < 1 || value == INT64_MAX ||
            end != text + size)
            return refuse_dimension(kernel, text, size);
        problem->sizes[dimension] = value;
        text += size + (text[size] == ',');
    }
    return HED_EXIT_OK;
}

/* ---- the subject ---- */

/* Sets the inputs of all --input NAME=CONTENT. */
static hed_status give_inputs(const hed_arguments *arguments, const hed_device_info *device,
    hed_tune_file *spec, hed_error *error)
{
    hed_status status = HED_OK;
    const char *input;
    for (uint32_t i = 0; status == HED_OK && (input = hed_text_at(arguments, "input", i)); i++) {
        const char *equals = strchr(input, '=');
        if (!equals || equals == input)
            return hed_fail(error, HED_ERROR_ARGUMENT,
                "--input %s: expected NAME=FILE or NAME=LOW:HIGH", input);
        char *name = strndup(input, (size_t)(equals - input));
        status = name ? hed_tune_file_set_content(spec, device, name, equals + 1, error)
                      : HED_OUT_OF_MEMORY(error, "--input");
        free(name);
    }
    return status;
}

static int subject_open_file(const hed_arguments *arguments, const hed_device *device,
    cli_tune_subject *s, hed_tune_def *def, hed_error *error)
{
    const hed_device_info info = hed_device_describe(device);
    if (cli_tune_file_open(arguments, s->origin, &info, s->sizes, &s->spec, error) != HED_OK ||
        give_inputs(arguments, &info, s->spec, error) != HED_OK)
        return cli_fail(error);
    s->kernel = hed_tune_file_kernel(s->spec);
    const char *note = hed_tune_file_apply(s->spec, def), *setting;
    s->is_invented = note && strstr(note, "/* heddle {\"problem\": ");
    for (uint32_t i = 0; (setting = hed_text_at(arguments, "set", i)); i++)
        for (uint32_t k = 0; k < s->kernel->dimension_count; k++) {
            size_t length = strlen(s->kernel->dimensions[k]);
            if (!strncmp(setting, s->kernel->dimensions[k], length) && setting[length] == '=')
                s->is_invented = false;
        }
    if (note && !hed_given(arguments, "quiet"))
        fprintf(stderr, "heddle: %s: %s\n", s->origin, note);
    return HED_EXIT_OK;
}

static void write_scalar(FILE *to, hed_type type, const void *data)
{
    union {
        float real;
        double wide;
        int64_t whole;
        int32_t integer;
        uint32_t count;
    } value = {.whole = 0};
    memcpy(&value, data, hed_type_bytes(type));
    if (type == HED_FLOAT) fprintf(to, "%.9g", (double)value.real);
    else if (type == HED_DOUBLE) fprintf(to, "%.17g", value.wide);
    else if (type == HED_INT32) fprintf(to, "%" PRId32, value.integer);
    else if (type == HED_UINT32) fprintf(to, "%" PRIu32, value.count);
    else fprintf(to, "%" PRId64, value.whole);
}

/* Adds the numbers of a captured launch to its kernel's name, as tune files do: "blur radius=8".
 * Sizes of the problem are in the database already. */
static hed_status name_capture(
    cli_tune_subject *s, const hed_capture_info *capture, hed_error *error)
{
    size_t size = 0;
    const hed_kernel_def *kernel = capture->kernel;
    FILE *to = open_memstream(&s->name, &size);
    if (!to) return HED_OUT_OF_MEMORY(error, "the name of a capture");
    fputs(kernel->name, to);
    for (uint32_t i = 0; i < kernel->argument_count; i++) {
        const hed_argument_def *argument = &kernel->arguments[i];
        bool is_size = false;
        for (uint32_t j = 0; j < kernel->dimension_count; j++)
            is_size = is_size || strcmp(kernel->dimensions[j], argument->name) == 0;
        if (argument->kind != HED_SCALAR || argument->by_config || is_size) continue;
        fprintf(to, " %s=", argument->name);
        write_scalar(to, argument->type, capture->arguments[i].data);
    }
    if (fclose(to)) return HED_OUT_OF_MEMORY(error, "the name of a capture");
    s->captured = *kernel;
    s->captured.name = s->name;
    if (!s->captured.entry) s->captured.entry = kernel->name;
    s->kernel = &s->captured;
    return HED_OK;
}

/* Selects a device that compiles, for files and captures, which have no native functions for host:
 * if no device is named and the best one does not compile, the best one that does replaces it. */
static void prefer_compiler(const hed_arguments *arguments, cli_session *session)
{
    const hed_device_info info = hed_device_describe(session->devices[0]);
    if (hed_given(arguments, "device") || hed_given(arguments, "worker") ||
        info.capabilities & HED_CAN_SOURCE)
        return;
    for (uint32_t i = 0; i < hed_context_describe(session->context).devices; i++) {
        const hed_device_info device = hed_device_describe(hed_device_at(session->context, i));
        if (!(device.capabilities & HED_CAN_SOURCE)) continue;
        session->devices[0] = hed_device_at(session->context, i);
        if (!hed_given(arguments, "quiet"))
            fprintf(stderr, "heddle: %s runs native functions alone; tuning on %s (%s)\n", info.id,
                device.id, device.name);
        return;
    }
}

int cli_tune_subject_open(const hed_arguments *arguments, cli_session *session, cli_tune_subject *s,
    hed_tune_def *def, hed_error *error)
{
    bool by_name = s->origin && strncmp(s->origin, CLI_TUNE_PREFIX, strlen(CLI_TUNE_PREFIX)) == 0;
    if (hed_given(arguments, "input") && (by_name || !s->origin)) {
        fputs(
            "heddle: --input goes with FILE.json alone: kernels of Heddle's and captures have their own\n",
            stderr);
        return HED_EXIT_USAGE;
    }
    if (hed_given(arguments, "problem") && !by_name) {
        fputs("heddle: --problem requires heddle:NAME: files and captures define their own problem\n",
            stderr);
        return HED_EXIT_USAGE;
    }
    if (by_name) {
        const char *problem = hed_text_of(arguments, "problem");
        /* the parser has checked the name */
        s->kernel = cli_kernel_find(s->origin + strlen(CLI_TUNE_PREFIX));
        if (!problem) return HED_EXIT_OK; /* the library chooses a problem */
        def->problem = &s->problem;
        return tune_read_problem(problem, s->kernel, &s->problem);
    }
    if (!s->browser.web) prefer_compiler(arguments, session);
    if (s->origin) return subject_open_file(arguments, session->devices[0], s, def, error);
    s->origin = hed_text_of(arguments, "capture");
    if (hed_capture_open(session->context, s->origin, &s->capture, error)) return cli_fail(error);
    hed_capture_info capture = hed_capture_describe(s->capture);
    if (name_capture(s, &capture, error)) return cli_fail(error);
    def->problem = capture.problem;
    def->arguments = capture.arguments;
    def->math = capture.math;
    if (!capture.checked && !hed_given(arguments, "quiet"))
        fprintf(stderr,
            "heddle: %s has no outputs: its configuration (%s) was not checked at this size on this device; results are compared with the default configuration\n",
            s->origin, hed_config_origin_name(capture.configured));
    return HED_EXIT_OK;
}

void cli_prefer_shaders(
    const hed_arguments *arguments, cli_session *session, const char *origin, hed_device **chosen)
{
    size_t length = origin ? strlen(origin) : 0;
    bool shader = origin && (hed_is_glsl_path(origin) ||
                                (length > 4 && strcmp(origin + length - 4, ".spv") == 0));
    if (!shader || hed_given(arguments, "device")) return;
    for (uint32_t i = hed_context_describe(session->context).devices; i-- > 0;) {
        hed_device *device = hed_device_at(session->context, i);
        const char *backend = hed_device_describe(device).backend;
        if (strcmp(backend, "vulkan") == 0 || strcmp(backend, "gl") == 0)
            *chosen = device; /* Vulkan's devices precede OpenGL's */
    }
}
