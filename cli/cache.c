/* heddle cache: compiled kernels on disk. */
#include "cli/common/command.h"
#include "heddle/cache.h"
#include "cli/common/report.h"
#include "cli/common/progress.h"

#include <inttypes.h>
#include <stdio.h>

static hed_status cache_print(
    const hed_cache_info *report, const char *action, bool json, hed_error *error)
{
    if (hed_failed(error)) return error->status;
    if (json) {
        cli_report *listing = cli_report_create(true);
        cli_report_row(listing, CLI_TEXT("folder", report->folder),
            CLI_WHOLE("entries", report->entries), CLI_WHOLE("bytes", report->bytes),
            CLI_WHOLE("damaged", report->damaged), CLI_WHOLE("foreign", report->foreign));
        return cli_report_end(listing, HED_OK, error);
    }
    if (!report->folder[0]) {
        printf("no cache on disk\n");
        return HED_OK;
    }
    char size[32];
    cli_format_bytes(report->bytes, size, sizeof size);
    printf("%s: %s%" PRIu64 " compiled kernel%s, %s", report->folder, action, report->entries,
        report->entries == 1 ? "" : "s", size);
    if (report->damaged)
        printf(", %" PRIu64 " damaged (each is rebuilt when it is needed)", report->damaged);
    if (report->foreign)
        printf(", %" PRIu64
               " of another user, writable by others, or a link (not loaded, but rebuilt)",
            report->foreign);
    printf("\n");
    return HED_OK;
}

/* ---- info, clear ---- */

static int cache_info_run(const hed_arguments *arguments, void *user)
{
    cli_session session;
    hed_error error = {0};
    hed_cache_info report;
    cli_open_context(arguments, &session, &error);
    hed_cache_measure(session.context, &report, &error);
    hed_status status = cache_print(&report, "", hed_given(arguments, "json"), &error);
    cli_close(&session);
    return cli_end(status, &error);
}

static int cache_clear_run(const hed_arguments *arguments, void *user)
{
    cli_session session;
    hed_error error = {0};
    hed_cache_info removed;
    cli_open_context(arguments, &session, &error);
    hed_cache_clear(session.context, &removed, &error);
    hed_status status = cache_print(&removed, "removed ", hed_given(arguments, "json"), &error);
    cli_close(&session);
    return cli_end(status, &error);
}

/* ---- warm ---- */

typedef struct warming {
    uint64_t compiled, cached, invalid, failed;
    double seconds;
} warming;

static void warm_kernel(
    hed_device *device, const hed_kernel_def *def, hed_math math, warming *count)
{
    hed_error error = {0};
    hed_kernel *kernel;
    hed_kernel_options options = hed_default_kernel_options();
    hed_kernel_resources resources;
    options.math = math;
    hed_kernel_create(device, def, &options, &kernel, &error);
    hed_status status = hed_kernel_measure_resources(kernel, &resources, &error);
    if (!status) {
        count->cached += resources.from_cache;
        count->compiled += !resources.from_cache;
        count->seconds += resources.from_cache ? 0 : resources.build_seconds;
    } else if (status == HED_ERROR_UNSUPPORTED || status == HED_ERROR_LIMIT) {
        count->invalid++;
    } else {
        count->failed++;
        cli_fail(&error);
    }
    hed_kernel_destroy(kernel);
}

static int cache_warm_run(const hed_arguments *arguments, void *user)
{
    cli_session session;
    hed_error error = {0};
    hed_status status = cli_open_devices(arguments, &session, &error);
    if (status) return cli_fail(&error);
    uint32_t kernels = cli_kernel_count();
    warming count = {0};
    uint64_t done = 0;
    hed_progress progress = hed_progress_begin("compiling", "kernels",
        (uint64_t)session.count * kernels * 2, hed_given(arguments, "quiet"));
    for (uint32_t d = 0; d < session.count; d++) {
        const hed_device_info info = hed_device_describe(session.devices[d]);
        if (!(info.capabilities & HED_CAN_SOURCE)) {
            printf("%s: nothing to compile\n", info.id);
            continue;
        }
        for (uint32_t k = 0; k < kernels * 2 && !hed_interrupted(); k++) {
            warm_kernel(session.devices[d], cli_kernel_at(k / 2),
                k % 2 ? HED_MATH_STRICT : HED_MATH_FAST, &count);
            hed_progress_update(&progress, ++done);
        }
    }
    hed_progress_end(&progress);
    cli_close(&session);
    if (done == 0) return HED_EXIT_OK;
    printf("compiled %" PRIu64 " kernels in %.1f s, %" PRIu64 " were there already", count.compiled,
        count.seconds, count.cached);
    if (count.invalid) printf(", %" PRIu64 " are not for this device", count.invalid);
    printf("\n");
    return hed_interrupted() ? HED_EXIT_INTERRUPTED : count.failed ? HED_EXIT_FAILURE : HED_EXIT_OK;
}

/* ---- ship ---- */

static int cache_ship_run(const hed_arguments *arguments, void *user)
{
    cli_session session;
    hed_error error = {0};
    hed_status status = cli_open_context(arguments, &session, &error);
    const char *folder = hed_text_of(arguments, "FOLDER");
    uint32_t shipped = 0;
    for (uint32_t i = 0; i < cli_kernel_count() * 2 && !status && !hed_interrupted(); i++) {
        hed_kernel_options options = hed_default_kernel_options();
        options.math = i % 2 ? HED_MATH_STRICT : HED_MATH_FAST;
        status = hed_cache_ship(session.context, cli_kernel_at(i / 2), &options, folder, &error);
        shipped += !status;
    }
    cli_close(&session);
    if (!status)
        printf("%s: %u kernels for machines with a CUDA driver and no NVRTC\n", folder, shipped);
    return cli_end(status, &error);
}

/* ---- tables ---- */

static const hed_option JSON_OPTIONS[] = {CLI_OPTION_JSON(false), {0}};
static const hed_option WARM_OPTIONS[] = {CLI_OPTION_DEVICES(false), {0}};
static const hed_example WARM_EXAMPLES[] = {
    {"heddle cache warm --device all", "before a machine goes offline, or into an image"}, {0}};

static const hed_command INFO = {
    .name = "info", .summary = "show where the cache is and what is in it",
    .description =
        "Shows the folder, the number of compiled kernels and their size, and looks for damaged entries.",
    .options = JSON_OPTIONS, .run = cache_info_run,
};
static const hed_command CLEAR = {
    .name = "clear", .summary = "remove every compiled kernel",
    .description =
        "Removes every compiled kernel. Nothing is lost but the time to compile again; kept data (tuning) is elsewhere.",
    .options = JSON_OPTIONS, .run = cache_clear_run,
};
static const hed_command WARM = {
    .name = "warm", .summary = "compile kernels ahead of time",
    .description =
        "Compiles the canonical kernels and those of the cloth engine in their default configurations, fast and strict, so that "
        "the first launch does not wait for a compiler.",
    .options = WARM_OPTIONS, .examples = WARM_EXAMPLES, .run = cache_warm_run,
};
static const hed_option SHIP_POSITIONALS[] = {
    POSITIONAL("FOLDER", FOLDER, "where the kernels go; made if it is not there", .required = true),
    {0}};
static const hed_example SHIP_EXAMPLES[] = {
    {"heddle cache ship share/heddle/ptx",
        "beside the installed library, or name the folder in HEDDLE_PTX_DIR"},
    {0}};
static const hed_command SHIP = {
    .name = "ship", .summary = "compile kernels for machines without a compiler",
    .description =
        "Compiles the canonical kernels and those of the cloth engine in their default configurations, fast and strict, to PTX "
        "for machines that have a CUDA driver and no NVRTC. Needs NVRTC here, and no device.",
    .positionals = SHIP_POSITIONALS, .examples = SHIP_EXAMPLES, .run = cache_ship_run,
};
static const hed_command *const COMMANDS[] = {&INFO, &CLEAR, &WARM, &SHIP, NULL};
static const hed_example EXAMPLES[] = {
    {"heddle cache info", "its folder and size"}, {"heddle cache clear", "remove all of it"}, {0}};

const hed_command hed_command_cache = {
    .name = "cache", .summary = "show, clear or fill the cache of compiled kernels",
    .description =
        "Compiled kernels are kept in a folder, so that a program compiles once and not every time it starts.",
    .commands = COMMANDS, .examples = EXAMPLES,
};
