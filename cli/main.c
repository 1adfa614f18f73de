/* heddle: table of commands, and execution of a command line. */
#include "cli/common/command.h"

#include "cli/batch/batch.h"
#include "support/sources.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const hed_example ENVIRONMENT[] = {
    {"HEDDLE_DEVICE",
        "The device to use where none is named: an id (cuda:0), part of a name (H200) or best"},
    {"HEDDLE_DATABASE",
        "The tuning database, a file; none: launches take defaults, and tunings are not kept"},
    {"HEDDLE_CAPTURE",
        "The name of a kernel whose first launch in a program is written into NAME.hcap in the current folder"},
    {"HEDDLE_WORKER",
        "The program that tuning runs candidates in, instead of the installed heddle-worker"},
    {"HEDDLE_KERNEL_DIR", "Kernel files are read from this folder instead of the text built in"},
    {"HEDDLE_PTX_DIR", "Precompiled kernels for machines that have a CUDA driver and no NVRTC"},
    {"HEDDLE_OPENCL_LIBRARY, HEDDLE_CUDA_LIBRARY, HEDDLE_NVRTC_LIBRARY, HEDDLE_HIP_LIBRARY, HEDDLE_VULKAN_LIBRARY, HEDDLE_GL_LIBRARY",
        "The driver library to load instead of the usual names; one that does not exist switches the backend off"},
    {"HEDDLE_GLSL_COMPILER",
        "glslangValidator or glslc, for kernels in GLSL; else the first of the two on PATH"},
    {"CUDA_HOME, CUDA_PATH",
        "A CUDA toolkit, whose headers kernels in CUDA C may include; else that of nvcc on PATH, of NVRTC, or a usual place"},
    {"HEDDLE_JACK_LIBRARY, HEDDLE_ALSA_LIBRARY, HEDDLE_SNDFILE_LIBRARY, HEDDLE_EGL_LIBRARY, HEDDLE_GLFW_LIBRARY, HEDDLE_MICROHTTPD_LIBRARY, HEDDLE_WEBKIT_LIBRARY",
        "The library to load instead of the usual name for playing live, sound files, pictures, windows and pages"},
    {0}};

static const hed_example FILES[] = {
    {"$XDG_CACHE_HOME/heddle",
        "Compiled kernels ($HOME/.cache/heddle where XDG_CACHE_HOME is not set). May be deleted at any time"},
    {"$XDG_DATA_HOME/heddle/tuning.db",
        "The tuning database ($HOME/.local/share/heddle where XDG_DATA_HOME is not set)"},
    {"PREFIX/share/heddle",
        "Scenes, instruments, music, pages and examples, which commands take by name; heddle data prints the folder"},
    {0}};

static const hed_example EXIT_STATUS[] = {{"0", "It worked"},
    {"1",
        "It was understood and did not work, as with a file that cannot be read; the reason is on stderr"},
    {"2",
        "The command line is wrong: an unknown word, or a value that has a wrong form or names nothing, "
        "such as a device, a property or an installed file that does not exist"},
    {"130", "Interrupted by Ctrl-C or SIGTERM"}, {0}};

static const hed_section SECTIONS[] = {
    {"EXIT STATUS", EXIT_STATUS}, {"ENVIRONMENT", ENVIRONMENT}, {"FILES", FILES}, {0}};

static const hed_example EXAMPLES[] = {{"heddle devices", "the devices to compute on"},
    {"heddle doctor", "what works, what does not, and what mends it"},
    {"heddle data", "the scenes, instruments and other files to begin with"},
    {"heddle verify --device all", "whether every device computes what the processor computes"},
    {"heddle tune heddle:convolution --report blur.html",
        "the fastest configuration of a kernel, found and kept"},
    {"heddle bench kernels --device cuda:0", "how fast the canonical kernels are on a device"},
    {0}};

static const hed_option OPTIONS[] = {{.name = "quiet",
                                         .letter = 'q',
                                         .kind = HED_OPTION_FLAG,
                                         .help = "no progress line and no warnings on stderr"},
    FLAG("version", "print the version"), {0}};

/* "heddle kernels bench" means "heddle bench kernels", as for the engines, whose commands have
 * their own names. */
static const hed_command RUNTIME_BENCH = {.name = "bench", .same_as = &hed_command_bench_runtime};
static const hed_command KERNELS_BENCH = {.name = "bench", .same_as = &hed_command_bench_kernels};
static const hed_command RUNTIME = {.name = "runtime",
    .summary = "the runtime itself",
    .hidden = true,
    .commands = (const hed_command *const[]){&RUNTIME_BENCH, NULL}};
static const hed_command KERNELS = {.name = "kernels",
    .summary = "the canonical kernels",
    .hidden = true,
    .commands = (const hed_command *const[]){&KERNELS_BENCH, NULL}};

static const hed_command *const COMMANDS[] = {&hed_command_devices, &hed_command_doctor,
    &hed_command_cache, &hed_command_verify, &hed_command_bench, &hed_command_tune,
    &hed_command_sweep, &hed_command_batch, &hed_command_db, &hed_command_serve, &hed_command_pack,
    &hed_command_cloth, &hed_command_synth, &hed_command_mppi, &hed_command_css, &hed_command_demo,
    &hed_command_data, &hed_command_help, &hed_command_version, &hed_command_completion, &RUNTIME,
    &KERNELS, NULL};

static int run_root(const hed_arguments *arguments, void *user)
{
    if (hed_given(arguments, "version")) return hed_command_version.run(arguments, user);
    hed_options_help(arguments, stderr);
    return HED_EXIT_USAGE;
}

const hed_command hed_command_root = {
    .name = "heddle",
    .summary = "GPU computing on whatever processor is at hand",
    .description =
        "Heddle runs kernels on every processor it finds: CUDA and OpenCL devices, and the host itself, which is "
        "always there.",
    .options = OPTIONS,
    .commands = COMMANDS,
    .examples = EXAMPLES,
    .sections = SECTIONS,
    .run = run_root,
};

hed_file_register *hed_command_register;

/* Registers the files on the command line, so that an output that would replace a source is
 * rejected before any work. */
static hed_status note_files(const hed_arguments *arguments, hed_error *error)
{
    char label[80];
    for (uint32_t i = 0; i < arguments->count && !hed_failed(error); i++) {
        const hed_value *value = &arguments->values[i];
        if (value->option->kind != HED_OPTION_OUTPUT) continue;
        hed_option_label(value->option, label, sizeof label);
        hed_output_announce(value->option->value ? label : NULL, value->text, error);
    }
    for (uint32_t i = 0; i < arguments->count && !hed_failed(error); i++) {
        const hed_value *value = &arguments->values[i];
        const char *path = hed_value_text(value);
        if (value->option->kind == HED_OPTION_FILE && access(path, F_OK) == 0)
            hed_source_note_path(path, error);
    }
    if (!hed_failed(error)) hed_options_check_endings(arguments, error);
    return error->status;
}

/* Rejects outputs that cannot be written, before any work. */
static hed_status check_outputs(const hed_arguments *arguments, hed_error *error)
{
    char label[80];
    for (uint32_t i = 0; i < arguments->count && !hed_failed(error); i++) {
        const hed_value *value = &arguments->values[i];
        const char *slash = strrchr(value->text, '/');
        struct stat about;
        /* a name that ends with a slash is a folder that the command creates */
        if (value->option->kind != HED_OPTION_OUTPUT || (slash && !slash[1])) continue;
        bool exists = stat(value->text, &about) == 0, is_folder = exists && S_ISDIR(about.st_mode);
        /* devices, pipes and open files are written in place; some options take a folder, too */
        bool in_place = (exists && !S_ISREG(about.st_mode) && !is_folder) ||
                        hed_open_descriptor(value->text) >= 0;
        if (in_place || (is_folder && !value->option->endings)) continue;
        char *folder =
            slash ? strndup(value->text, (size_t)(slash - value->text) + 1) : strdup(".");
        hed_option_label(value->option, label, sizeof label);
        if (!folder) HED_OUT_OF_MEMORY(error, "%s", label);
        else if (is_folder || (exists && access(value->text, W_OK)) || access(folder, W_OK))
            hed_fail(error, HED_ERROR_IO, "cannot write %s %s: %s", label, value->text,
                strerror(is_folder ? EISDIR : errno));
        free(folder);
    }
    return error->status;
}

/* Prints the installed files that names of the command line refer to. */
static void show_files(const hed_arguments *arguments)
{
    for (uint32_t i = 0; i < arguments->count && !hed_given(arguments, "quiet"); i++)
        if (arguments->values[i].file)
            fprintf(
                stderr, "heddle: %s is %s\n", arguments->values[i].text, arguments->values[i].file);
}

int cli_run(int argc, char *const *argv)
{
    hed_arguments arguments;
    hed_error error = {0};
    int code = HED_EXIT_USAGE;
    hed_file_register *outer = hed_command_register, files = {.lock = PTHREAD_MUTEX_INITIALIZER};
    hed_command_register = &files;
    hed_status status = hed_options_parse(&hed_command_root, argc, argv, &arguments, &error);
    if (!status) status = hed_options_find_files(&arguments, ".", &error);
    if (!status && !arguments.help) status = note_files(&arguments, &error);
    if (status != HED_OK) {
        fprintf(stderr, "heddle: %s\n", error.text);
    } else if (!arguments.help && check_outputs(&arguments, &error) != HED_OK) {
        code = cli_fail(&error);
    } else if (arguments.help) {
        hed_options_help(&arguments, stdout);
        code = HED_EXIT_OK;
    } else {
        show_files(&arguments);
        code = hed_arguments_command(&arguments)->run(&arguments, NULL);
    }
    hed_arguments_free(&arguments);
    batch_report_sources(&files);
    hed_file_register_clear(&files);
    hed_command_register = outer;
    return cli_end_output(code);
}

int main(int argc, char **argv)
{
    /* called by completion scripts; not in the table of commands, since options of any command
     * follow */
    if (argc > 1 && strcmp(argv[1], "__complete") == 0) {
        hed_options_complete(
            &hed_command_root, (const char *const *)argv + 2, (uint32_t)(argc - 2), stdout);
        return cli_end_output(HED_EXIT_OK);
    }
    return cli_run(argc, argv);
}
