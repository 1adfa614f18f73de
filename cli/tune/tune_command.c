/* heddle tune: finds the fastest configuration of a kernel on a device, and stores it. */
#include "tune_command.h"

#include "cli/common/command.h"
#include "cli/common/kernel_key.h"
#include "cli/tune/page.h"
#include "heddle/remote.h"
#include "heddle/tune_file.h"
#include "heddle/author.h"
#include "support/file.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern const hed_source hed_tune_file_files[]; /* embedded: the schema of tune files */

static const char *const MATH[] = {"fast", "strict", NULL};
static const char *const STRATEGIES[] = {"auto", "random", "exhaustive", "local", NULL};
static const char *const REFERENCES[] = {"native", "default", "none", NULL};

/* ---- the command ---- */

/* Checks at the start that the output files can be written, since a tuning may take long. */
static hed_status check_files(const hed_arguments *arguments, hed_error *error)
{
    static const char *const options[] = {"report", "csv", "t4"};
    hed_status status = HED_OK;
    for (size_t i = 0; i < sizeof options / sizeof *options && status == HED_OK; i++) {
        hed_file_writer *writer;
        const char *path = hed_text_of(arguments, options[i]);
        status = path ? hed_file_writer_open(path, &writer, error) : HED_OK;
        if (path && status == HED_OK) hed_file_writer_abort(writer);
    }
    return status;
}

static int tune_in_browser(const hed_arguments *arguments, const char *origin, hed_error *error)
{
    cli_tuning t = {.arguments = arguments, .s = {.origin = origin}};
    cli_session *session = &t.session;
    hed_tune_file *file = NULL; /* errors in the file are reported before a browser is opened */
    if (cli_is_shader(origin) &&
        cli_tune_file_open(arguments, origin, &cli_any_browser, NULL, &file, error))
        return cli_fail(error);
    hed_tune_file_close(file);
    if (cli_open_context(arguments, session, error)) return cli_fail(error);
    session->count = 1;
    int code = HED_EXIT_FAILURE;
    if (cli_browser_open(&t.s.browser, arguments, session->context, &session->devices[0], error))
        code = cli_fail(error);
    else code = cli_tuning_open(&t);
    if (code == HED_EXIT_OK) {
        cli_browser_use(&t.s.browser, &t.def);
        cli_tuning_run(&t);
        code = t.code == HED_EXIT_OK ? cli_tuning_print(&t) : t.code;
    }
    cli_tuning_close(&t);
    cli_browser_close(&t.s.browser);
    cli_close(session);
    return code;
}

/* Rejects several devices of a kind whose candidates run in this process. */
static hed_status check_shares_search(
    const cli_device_group *groups, uint32_t count, hed_error *error)
{
    for (uint32_t g = 0; g < count; g++) {
        const hed_device_info info = hed_device_describe(groups[g].devices[0]);
        if (groups[g].count > 1 && !(info.capabilities & HED_CAN_SOURCE))
            return hed_fail(error, HED_ERROR_ARGUMENT,
                "--device %s: %u devices of its kind are named; expected one, since its candidates run "
                "in this process, one after the other",
                info.id, groups[g].count);
    }
    return HED_OK;
}

/* Opens the devices of --worker in addition to --device. */
static hed_status open_workers(const hed_arguments *arguments, cli_session *session,
    cli_device_group *groups, uint32_t *count, hed_error *error)
{
    const char *worker;
    bool quiet = hed_given(arguments, "quiet") || hed_given(arguments, "json");
    *count = 0;
    if (!hed_given(arguments, "worker") || hed_given(arguments, "device"))
        cli_device_groups(arguments, session, groups, count, error);
    if (hed_failed(error) || check_shares_search(groups, *count, error)) return error->status;
    for (uint32_t i = 0; (worker = hed_text_at(arguments, "worker", i)); i++) {
        hed_device *device = NULL;
        hed_error cause = {0};
        int descriptor = 0;
        bool is_socket = cli_is_socket(worker, &descriptor);
        const hed_remote_def def = {.command = is_socket ? NULL : worker,
            .descriptor = descriptor,
            .patience_seconds = hed_number_of(arguments, "patience-of-workers"),
            .idle = cli_tune_should_stop};
        if (hed_device_create_remote(session->context, &def, &device, &cause)) {
            fprintf(stderr, "heddle: %s\n", cause.text);
            if (hed_interrupted()) break;
            continue; /* the other devices do its work */
        }
        const hed_device_info info = hed_device_describe(device);
        if (!quiet) fprintf(stderr, "heddle: %s (%s)\n", info.id, info.name);
        if (cli_device_group_add(groups, count, device, error)) return error->status;
    }
    if (!hed_failed(error) && *count == 0)
        return hed_fail(error, HED_ERROR_NO_DEVICE, "no worker can be reached");
    return error->status;
}

static void close_workers(const cli_device_group *groups, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < groups[i].count; j++) {
            hed_device *device = groups[i].devices[j];
            bool listed = false;
            hed_context *context = hed_device_context(device);
            for (uint32_t k = 0; k < hed_context_describe(context).devices; k++)
                listed = listed || hed_device_at(context, k) == device;
            if (!listed) hed_device_release(device);
        }
}

static int tune_on_devices(const hed_arguments *arguments, const char *origin, hed_error *error)
{
    cli_session session;
    cli_device_group groups[HED_TUNE_DEVICES];
    uint32_t count;
    static const char *const files[] = {"report", "csv", "t4"};
    if (cli_open_context(arguments, &session, error)) return cli_fail(error);
    int code = HED_EXIT_OK;
    if (open_workers(arguments, &session, groups, &count, error)) code = cli_fail(error);
    for (size_t i = 0; i < HED_COUNT(files) && !code; i++) {
        if (count < 2 || !hed_given(arguments, files[i])) continue;
        fprintf(stderr,
            "heddle: --%s requires devices of one kind: %s and %s are tuned separately\n", files[i],
            hed_device_describe(groups[0].devices[0]).id,
            hed_device_describe(groups[1].devices[0]).id);
        code = HED_EXIT_USAGE;
    }
    if (code == HED_EXIT_OK) {
        cli_prefer_shaders(arguments, &session, origin, &groups[0].devices[0]);
        code = cli_tune_groups(arguments, &session, origin, groups, count, NULL);
    }
    close_workers(groups, count);
    cli_close(&session);
    return code;
}

/* Rejects options that apply to a single kernel. */
static bool sweep_refuses(const hed_arguments *arguments)
{
    static const char *const single[] = {"capture", "browser", "headless", "port", "problem",
        "input", "entry", "set", "report", "csv", "t4", "schema", "pipeline", "drive", "list"};
    for (size_t i = 0; i < HED_COUNT(single); i++) {
        if (!hed_given(arguments, single[i])) continue;
        fprintf(stderr, "heddle: --%s requires a single kernel: heddle tune\n", single[i]);
        return true;
    }
    return false;
}

static int sweep_run(const hed_arguments *arguments, void *user)
{
    hed_error error = {0};
    cli_session session;
    cli_device_group groups[HED_TUNE_DEVICES];
    uint32_t count;
    const char *origin;
    if (sweep_refuses(arguments)) return HED_EXIT_USAGE;
    if (cli_open_context(arguments, &session, &error)) return cli_fail(&error);
    bool json = hed_given(arguments, "json");
    int code = HED_EXIT_OK;
    if (open_workers(arguments, &session, groups, &count, &error)) code = cli_fail(&error);
    cli_sweep output = {.table = cli_report_create(false)};
    bool stopped = code != HED_EXIT_OK, begun = !stopped;
    if (json && begun) fputs("[\n", stdout);
    for (uint32_t i = 0; !stopped && (origin = hed_text_at(arguments, "KERNEL", i)); i++) {
        int result = cli_tune_groups(arguments, &session, origin, groups, count, &output);
        if (result != HED_EXIT_OK) code = HED_EXIT_FAILURE; /* continue with the other kernels */
        stopped = hed_interrupted();
        if (stopped) code = HED_EXIT_INTERRUPTED;
    }
    if (json && begun) fputs("]\n", stdout);
    if (!json && cli_report_rows(output.table)) fputc('\n', stdout);
    if (!json && cli_report_print(output.table, stdout, &error)) code = cli_fail(&error);
    cli_report_free(output.table);
    close_workers(groups, count);
    cli_close(&session);
    return code;
}

static int tune_run(const hed_arguments *arguments, void *user)
{
    if (hed_given(arguments, "schema")) {
        fputs(hed_tune_file_files[0].text, stdout);
        return HED_EXIT_OK;
    }
    int code;
    if (cli_tune_page(arguments, &code)) return code;
    if (hed_given(arguments, "KERNEL") == hed_given(arguments, "capture")) {
        fputs(
            "heddle: name one thing to tune: FILE.json, heddle:NAME, or --capture FILE (\"heddle tune --help\" "
            "explains)\n",
            stderr);
        return HED_EXIT_USAGE;
    }
    hed_error error = {0};
    const char *origin = hed_text_of(arguments, "KERNEL");
    const char *device = hed_text_of(arguments, "device");
    bool by_name = origin && strncmp(origin, CLI_TUNE_PREFIX, strlen(CLI_TUNE_PREFIX)) == 0;
    bool browser = (device && strcmp(device, "browser") == 0) || hed_given(arguments, "browser");
    if (origin && cli_is_script(origin)) return cli_tune_script(arguments, origin);
    if (origin && cli_is_kernel_text(origin) && access(origin, F_OK) == 0)
        return cli_tune_sketch(origin, hed_text_of(arguments, "entry"));
    static const char *const stages[] = {
        ".frag", ".vert", ".geom", ".tesc", ".tese", ".mesh", ".task", ".hlsl", ".metal", ".slang"};
    const char *ending = origin ? strrchr(origin, '.') : NULL;
    for (size_t i = 0; ending && i < sizeof stages / sizeof *stages; i++)
        if (strcmp(ending, stages[i]) == 0 && access(origin, F_OK) == 0) {
            fprintf(stderr,
                "heddle: %s is a shader of another kind; expected a compute shader in GLSL (.comp, "
                ".glsl), WGSL or SPIR-V (.spv)\n",
                origin);
            return HED_EXIT_USAGE;
        }
    bool shader = origin && (cli_is_shader(origin) || (by_name && browser));
    if (cli_browser_check(arguments, shader)) return HED_EXIT_USAGE;
    if (check_files(arguments, &error) != HED_OK) return cli_fail(&error);
    return shader ? tune_in_browser(arguments, origin, &error)
                  : tune_on_devices(arguments, origin, &error);
}

static const hed_option OPTIONS[] = {
    OPTION("capture", FILE, "FILE", "tune a launch that HEDDLE_CAPTURE recorded", .letter = 0),
    OPTION("device", TEXT, "ID",
        "device to tune on: its id, part of its name, best, or all for every GPU; given more than once, several are "
        "used: those of one kind for one result, others each for its own",
        .letter = 'd', .repeated = true, .names = &cli_device_names),
    OPTION("worker", TEXT, "COMMAND",
        "a device elsewhere: a command that runs heddle-worker there, as in \"ssh node7 heddle-worker\"",
        .letter = 'w', .repeated = true),
    OPTION("patience-of-workers", NUMBER, "SECONDS", "time of silence after which a worker is lost",
        .letter = 0, .fallback = "30", .low = 0.1, .high = 86400),
    OPTION("browser", TEXT, "NAME",
        "browser that a shader is tuned in: chromium, firefox, or a program; the usual one unless told",
        .letter = 0),
    FLAG("headless", "without a window: of chromium and firefox"),
    CLI_TUNE_PAGE_OPTIONS,
    OPTION("port", INTEGER, "NUMBER",
        "port of 127.0.0.1 that the browser comes to; any that is free", .letter = 0, .low = 0,
        .high = 65535),
    OPTION("problem", TEXT, "SIZES", "size to tune for, as width=4096,height=4096; of heddle:NAME",
        .letter = 0),
    OPTION("input", TEXT, "NAME=FILE",
        "another first content of an argument of FILE.json: .npy or raw; or NAME=LOW:HIGH, between which random "
        "numbers lie",
        .repeated = true),
    OPTION("entry", TEXT, "NAME", "entry point of a shader that has several", .letter = 0),
    OPTION("set", TEXT, "NAME=NUMBER",
        "a size of a shader's problem, or a number in its uniforms, as n=4096 or dt=0.01",
        .repeated = true),
    OPTION("budget", INTEGER, "COUNT",
        "try at most so many configurations; 200 where no limit is given", .letter = 'n', .low = 1,
        .high = 1e9),
    OPTION("time", NUMBER, "SECONDS", "take at most so long, the final comparison included",
        .letter = 't', .low = 0.1, .high = 1e7),
    OPTION("candidate-time", NUMBER, "SECONDS",
        "limit of one run of a configuration; unless told 20 times the first run of the reference, at least 5 s",
        .letter = 0, .low = 0.001, .high = 86400),
    OPTION("good-enough", NUMBER, "SHARE",
        "stop at this share of what the device's memory and arithmetic allow", .low = 0.01,
        .high = 1),
    OPTION("patience", INTEGER, "COUNT", "stop after so many configurations without a gain",
        .low = 1, .high = 1e9),
    OPTION("strategy", CHOICE, "NAME", "how to search", .choices = STRATEGIES, .fallback = "auto"),
    OPTION("seed", INTEGER, "NUMBER", "of the search's random numbers", .low = 0,
        .high = 999999999999, .fallback = "1"),
    OPTION("math", CHOICE, "MODE",
        "fast, or the same bits on every device; what the file or capture says, else fast",
        .choices = MATH),
    OPTION("reference", CHOICE, "WHAT",
        "what results are compared with; what the file says, else native, else default",
        .choices = REFERENCES),
    OPTION("objective", TEXT, "WHAT",
        "what to minimize: time, energy, a metric of FILE.json; or time,energy: the first one, and the front of both. "
        "What the file says, else time; energy needs NVML"),
    FLAG("cold-cache", "empty the device's last-level cache before each timed run"),
    FLAG("counters", "read hardware counters of the winner and of the default; needs CUDA and CUPTI"),
    FLAG("resume", "start from the database's results for this kernel, size and device"),
    FLAG("no-isolation", "run candidates in this process: a crash ends it"),
    FLAG("no-keep", "write nothing into the database"),
    OPTION("report", OUTPUT, "FILE", "write a page for the browser", .letter = 'r', .endings = ".html .htm"),
    OPTION("csv", OUTPUT, "FILE", "write every evaluation as a table", .letter = 0, .endings = ".csv .txt"),
    OPTION(
        "t4", OUTPUT, "FILE", "write every evaluation in the tuners' common T4 format", .letter = 0, .endings = ".t4 .json"),
    FLAG("json", "print JSON: one object, nothing else"),
    FLAG("schema", "print the JSON schema of FILE.json"),
    {0},
};
static const hed_option POSITIONALS[] = {
    {.name = "KERNEL",
        .kind = HED_OPTION_FILE,
        .names = &cli_tune_names,
        .help =
            "a description, FILE.json (ours, or Kernel Tuner's T1), a shader, FILE.wgsl, FILE.comp or FILE.spv, a "
            "text in OpenCL C or CUDA C, of which a first description is printed, a web page (an address, a folder, FILE.html or FILE.hrec), or a kernel that comes with Heddle, heddle:NAME"},
    {0}};
static const hed_example EXAMPLES[] = {
    {"heddle tune blur.json", "a kernel of your own; --schema says what the file may hold"},
    {"heddle tune heddle:convolution --device cuda:0 --budget 200 --report blur.html",
        "a kernel that comes with Heddle, and a page about it"},
    {"HEDDLE_CAPTURE=blur ./program && heddle tune --capture blur.hcap",
        "a launch of your program, with its real inputs"},
    {"heddle tune blur.json --device all", "on every GPU of this machine at once"},
    {"heddle tune blur.json --worker \"ssh node7 heddle-worker\"", "on a GPU of another machine"},
    {"heddle tune blur.py", "a script of Kernel Tuner's, by the Python package"},
    {"heddle tune blur.wgsl --browser chromium", "a compute shader of a web page, in the browser"},
    {"heddle tune http://localhost:5173/", "every compute pipeline of a web page, as it runs"},
    {"heddle tune heddle:matmul --problem m=4096,n=4096,k=4096 --time 60 --good-enough 0.9",
        "at most a minute, less if 90 % of the peak is reached"},
    {0}};

static const hed_command *const COMMANDS[] = {&hed_command_tune_replay, NULL};

const hed_command hed_command_tune = {
    .name = "tune",
    .summary = "find the fastest configuration of a kernel on a device, and keep it",
    .description =
        "Tries configurations of a kernel on a device: each is compiled, run in a worker process, "
        "compared with a reference, and timed. "
        "The fastest one goes into the database, from which every later launch of the kernel on this "
        "device takes it.\n\n"
        "A candidate that crashes or hangs costs one evaluation. Ctrl-C stops; what was measured so far "
        "is kept and shown, "
        "and --resume goes on from it. Without --problem a kernel of Heddle's is tuned for the size of "
        "its benchmark, or as large a part of it as "
        "this device does in a moment; the result says which, and --resume wants it again.\n\n"
        "On several devices of one kind several candidates are under way, each on one device alone; the "
        "best are compared on all, and the median counts. Devices of other kinds are tuned beside, each for "
        "itself.\n\n"
        "Nothing else should use the device meanwhile. The exit code is 1 if no configuration works, or if one "
        "has hung the device with --no-isolation, 130 after Ctrl-C.",
    .options = OPTIONS,
    .positionals = POSITIONALS,
    .commands = COMMANDS,
    .examples = EXAMPLES,
    .run = tune_run,
};

static const hed_option SWEPT[] = {
    POSITIONAL("KERNEL", FILE, "descriptions, FILE.json, or kernels that come with Heddle, heddle:NAME", .names = &cli_tune_names, .required = true, .repeated = true),
    {0}};

const hed_command hed_command_sweep = {
    .name = "sweep",
    .summary = "tune several kernels on several devices, into one database",
    .description =
        "Tunes one kernel after the other as \"heddle tune\" does, each on all devices that are named: those of one kind "
        "together, those of other kinds beside them, each under its own key. All results go into one database, which "
        "\"heddle db export\" writes for other machines. A kernel that fails does not stop the others. The exit code is 1 if "
        "one has failed, 130 after Ctrl-C; --resume goes on.",
    .options = OPTIONS,
    .positionals = SWEPT,
    .examples = (const hed_example[]){{"heddle sweep kernels/*.json --device all",
                                          "on every GPU of this machine"},
        {"heddle sweep kernels/*.json --worker \"ssh node7 heddle-worker\" --worker \"ssh node8 heddle-worker\"",
            "a database for a whole machine park"},
        {0}},
    .run = sweep_run,
};
