/* heddle devices: what there is to compute on. */
#include "cli/common/command.h"
#include "support/json.h"
#include "cli/common/table.h"

#include <stdio.h>

static const char *type_name(hed_device_type type)
{
    return type == HED_DEVICE_CPU ? "cpu" : type == HED_DEVICE_GPU ? "gpu" : "other";
}

static void add_record(hed_records *records, const hed_device_info *info)
{
    const char *capabilities[HED_CAPABILITY_COUNT];
    size_t count = 0;
    for (uint32_t bit = 0; bit < HED_CAPABILITY_COUNT; bit++)
        if (info->capabilities >> bit & 1) capabilities[count++] = hed_capability_name(1u << bit);
    hed_records_next(records);
    hed_records_text(records, "id", info->id);
    hed_records_text(records, "backend", info->backend);
    hed_records_text(records, "platform", info->platform);
    hed_records_text(records, "name", info->name);
    hed_records_text(records, "vendor", info->vendor);
    hed_records_text(records, "driver", info->driver);
    hed_records_text(records, "type", type_name(info->type));
    hed_records_integer(records, "compute_units", info->compute_units);
    hed_records_integer(records, "lane_width", info->lane_width);
    hed_records_integer(records, "max_group", info->max_group);
    hed_records_integer(records, "local_bytes", info->local_bytes);
    hed_records_integer(records, "memory_bytes", info->memory_bytes);
    hed_records_integer(records, "max_buffer_bytes", info->max_buffer_bytes);
    hed_records_integer(records, "cache_bytes", info->cache_bytes);
    hed_records_integer(records, "clock_mhz", info->clock_mhz);
    hed_records_integer(records, "architecture", info->architecture);
    hed_records_texts(records, "capabilities", capabilities, count);
}

static hed_status print_json(const hed_context *context, hed_error *error)
{
    hed_records *records = hed_records_create();
    for (uint32_t i = 0; i < hed_device_count(context); i++)
        add_record(records, hed_device_get_info(hed_device_at(context, i)));
    hed_status status = hed_records_print(records, stdout, error);
    hed_records_free(records);
    return status;
}

/* A number that the driver may not know. */
static void count_cell(hed_table *table, uint32_t value)
{
    if (value) hed_table_cell(table, "%u", value);
    else hed_table_cell(table, "-");
}

static void bytes_cell(hed_table *table, uint64_t bytes)
{
    char text[32] = "-";
    if (bytes) cli_format_bytes(bytes, text, sizeof text);
    hed_table_cell(table, "%s", text);
}

static hed_status print_table(const hed_context *context, hed_error *error)
{
    static const char *const headings[] = {"ID", "NAME", "PLATFORM", "DRIVER", ">UNITS", ">LANES",
        ">GROUP", ">LOCAL", ">MEMORY", NULL};
    hed_table *table = hed_table_create(headings);
    for (uint32_t i = 0; i < hed_device_count(context); i++) {
        const hed_device_info *info = hed_device_get_info(hed_device_at(context, i));
        hed_table_cell(table, "%s", info->id);
        hed_table_cell(table, "%.48s", info->name);
        hed_table_cell(table, "%.32s", info->platform);
        hed_table_cell(table, "%.24s", info->driver);
        count_cell(table, info->compute_units);
        count_cell(table, info->lane_width);
        count_cell(table, info->max_group);
        bytes_cell(table, info->local_bytes);
        bytes_cell(table, info->memory_bytes);
    }
    hed_status status = hed_table_print(table, stdout, error);
    hed_table_free(table);
    return status;
}

static int run(const hed_arguments *arguments, void *user)
{
    (void)user;
    cli_session session;
    hed_error error;
    hed_status status = cli_open_context(arguments, &session, &error);
    if (status == HED_OK)
        status = hed_given(arguments, "json") ? print_json(session.context, &error)
                                              : print_table(session.context, &error);
    cli_close(&session);
    return cli_end(status, &error);
}

static const hed_option OPTIONS[] = {CLI_OPTION_JSON(false), {0}};
static const hed_example EXAMPLES[] = {
    {"heddle devices", "a table; the first device is the one called best"},
    {"heddle devices --json", "all that is known of each, its capabilities included"}, {0}};

const hed_command hed_command_devices = {
    .name = "devices", .summary = "list the devices", .description =
        "Lists every device in order of preference. An id, or any part of a name or platform, chooses a device for other "
        "commands (--device) and for programs (HEDDLE_DEVICE).\n\nUNITS are processors that hold groups of work items, "
        "LANES step together, GROUP is the largest number of work items in a group, LOCAL the memory that a group "
        "shares. A dash stands for what the driver does not tell.",
    .options = OPTIONS, .examples = EXAMPLES, .run = run,
};
