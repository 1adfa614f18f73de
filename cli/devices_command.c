/* heddle devices: devices available for computing. */
#include "cli/common/apart.h"
#include "cli/common/command.h"
#include "cli/common/report.h"

#include <inttypes.h>
#include <stdio.h>

static void devices_add(cli_report *report, const hed_device *device)
{
    const hed_device_info info = hed_device_describe(device);
    const char *capabilities[HED_CAPABILITY_COUNT];
    size_t count = 0;
    char units[16] = "-", lanes[16] = "-", group[16] = "-", local[32] = "-", memory[32] = "-";
    char name[64], platform[40], driver[32];
    for (uint32_t bit = 0; bit < HED_CAPABILITY_COUNT; bit++)
        if (info.capabilities >> bit & 1) capabilities[count++] = hed_capability_name(1u << bit);
    if (info.compute_units) snprintf(units, sizeof units, "%" PRIu32, info.compute_units);
    if (info.lane_width) snprintf(lanes, sizeof lanes, "%" PRIu32, info.lane_width);
    if (info.max_group) snprintf(group, sizeof group, "%" PRIu32, info.max_group);
    if (info.local_bytes) cli_format_bytes(info.local_bytes, local, sizeof local);
    if (info.memory_bytes) cli_format_bytes(info.memory_bytes, memory, sizeof memory);
    snprintf(name, sizeof name, "%.48s", info.name);
    snprintf(platform, sizeof platform, "%.32s", info.platform);
    snprintf(driver, sizeof driver, "%.24s", info.driver);
    cli_report_row(report, CLI_TEXT("id", info.id, .heading = "ID"),
        CLI_TEXT("backend", info.backend),
        CLI_TEXT("name", info.name, .heading = "NAME", .shown = name),
        CLI_TEXT("platform", info.platform, .heading = "PLATFORM", .shown = platform),
        CLI_TEXT("driver", info.driver, .heading = "DRIVER", .shown = driver),
        CLI_TEXT("vendor", info.vendor),
        CLI_TEXT("type", info.type == HED_DEVICE_CPU   ? "cpu"
                         : info.type == HED_DEVICE_GPU ? "gpu"
                                                       : "other"),
        CLI_WHOLE("compute_units", info.compute_units, .heading = ">UNITS", .shown = units),
        CLI_WHOLE("lane_width", info.lane_width, .heading = ">LANES", .shown = lanes),
        CLI_WHOLE("max_group", info.max_group, .heading = ">GROUP", .shown = group),
        CLI_WHOLE("local_bytes", info.local_bytes, .heading = ">LOCAL", .shown = local),
        CLI_WHOLE("memory_bytes", info.memory_bytes, .heading = ">MEMORY", .shown = memory),
        CLI_WHOLE("max_buffer_bytes", info.max_buffer_bytes),
        CLI_WHOLE("cache_bytes", info.cache_bytes), CLI_WHOLE("clock_mhz", info.clock_mhz),
        CLI_WHOLE("architecture", info.architecture));
    cli_report_texts(report, "capabilities", capabilities, count);
}

static int list_devices(const hed_arguments *arguments)
{
    cli_session session;
    hed_error error = {0};
    hed_status status = cli_open_whole_context(arguments, &session, &error);
    cli_report *report = cli_report_create(hed_given(arguments, "json"));
    for (uint32_t i = 0; !status && i < hed_context_describe(session.context).devices; i++)
        devices_add(report, hed_device_at(session.context, i));
    status = cli_report_end(report, status, &error);
    cli_close(&session);
    return cli_end_output(cli_end(status, &error));
}

static void list_in_child(void *user, void *code) { *(int *)code = list_devices(user); }

/* Lists in a process of its own. If a driver ends it, each driver is tried alone, and the devices
 * of the others are listed. */
static int devices_run(const hed_arguments *arguments, void *user)
{
    hed_arguments copy = *arguments;
    char reason[CLI_APART_REASON];
    int code = HED_EXIT_FAILURE;
    hed_interrupt_install();
    if (cli_apart(list_in_child, &copy, &code, sizeof code, reason)) return code;
    if (!hed_interrupted() && !cli_leave_out_dead(arguments))
        fprintf(stderr, "heddle: drivers loaded together: %s; each alone works\n", reason);
    else cli_apart(list_in_child, &copy, &code, sizeof code, reason);
    return hed_interrupted() ? HED_EXIT_INTERRUPTED : HED_EXIT_FAILURE;
}

static const hed_option OPTIONS[] = {CLI_OPTION_JSON(false), {0}};
static const hed_example EXAMPLES[] = {
    {"heddle devices", "a table; the first device is the one called best"},
    {"heddle devices --json", "everything known about each, with its capabilities"}, {0}};

const hed_command hed_command_devices = {
    .name = "devices",
    .summary = "list the devices",
    .description =
        "Lists every device in order of preference. An id, or any part of a name or platform, chooses a device for other "
        "commands (--device) and for programs (HEDDLE_DEVICE).\n\nUNITS are processors that hold groups of work items, "
        "LANES step together, GROUP is the largest number of work items in a group, LOCAL the memory that a group "
        "shares. A dash: the driver does not say.\n\nA driver that crashes is named, with the way to go "
        "without it; the devices of the others are listed, and the exit code is 1.",
    .options = OPTIONS,
    .examples = EXAMPLES,
    .run = devices_run,
};
