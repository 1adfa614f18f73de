/* heddle mppi import: a parameter file of Nav2, each key with its treatment. */
#include "nav2_world.h"
#include "subcommands.h"

#include "cli/common/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const IMPORT_TREATMENTS[] = {"read", "default", "without", "unknown"};

/* Prints figures of the map's costs. */
static void import_tell_map(const cli_nav2_world *w)
{
    size_t count = (size_t)w->grid.width * w->grid.height, lethal = 0, within = 0, raised = 0,
           unknown = 0;
    for (size_t i = 0; i < count; i++) {
        lethal += w->cells[i] == 254;
        within += w->cells[i] == 253;
        raised += w->cells[i] > 0 && w->cells[i] < 253;
        unknown += w->cells[i] == 255;
    }
    printf("map: %" PRIu32 " x %" PRIu32 " cells of %g m; %zu lethal, %zu within the inscribed radius, %zu inflated, %zu unknown, "
        "%zu free\n", w->grid.width, w->grid.height, w->grid.resolution, lethal, within, raised, unknown,
        count - lethal - within - raised - unknown);
}

static int import_run(const hed_arguments *arguments, void *user)
{
    (void)user;
    static const char *const models[] = {"DiffDrive", "Omni", "Ackermann"};
    cli_nav2_world w = {0};
    hed_error error = {0};
    const char *file = hed_text_of(arguments, "FILE");
    if (cli_nav2_world_open(arguments, file, &w, &error) != HED_OK) {
        cli_nav2_world_close(&w);
        return cli_fail(&error);
    }
    bool json = hed_given(arguments, "json");
    uint32_t counts[4] = {0};
    const hed_nav2_remark *remark;
    cli_report *report = cli_report_create(json);
    /* unknown keys come last, where they are seen */
    for (int kind = HED_NAV2_READ; kind <= HED_NAV2_UNKNOWN; kind++)
        for (uint32_t i = 0; (remark = hed_nav2_config_remark(w.config, i)); i++) {
            if ((int)remark->treatment != kind) continue;
            char short_value[48];
            int length = snprintf(short_value, sizeof short_value, "%.40s", remark->value);
            if ((size_t)length < strlen(remark->value)) strcpy(short_value + length, "...");
            counts[kind]++;
            cli_report_row(report,
                CLI_TEXT("treatment", IMPORT_TREATMENTS[kind], .heading = "TREATMENT"),
                CLI_TEXT("key", remark->key, .heading = "KEY"),
                CLI_TEXT("value", remark->value, .heading = "VALUE", .shown = short_value),
                CLI_WHOLE("line", remark->line, .heading = ">LINE"),
                CLI_TEXT("text", remark->text, .heading = "REMARK"));
        }
    hed_status status = cli_report_end(report, HED_OK, &error);
    if (status == HED_OK && !json) {
        printf("\n%s of %s: Nav2 %s, %s, %" PRIu32 " futures of %" PRIu32 " steps of %g s at %g Hz\n", w.info.controller, file,
            w.info.release == HED_NAV2_LYRICAL ? "1.5 (lyrical)" : "1.3/1.4 (jazzy)", models[w.info.model], w.info.samples,
            w.info.steps, w.info.dt, 1 / w.info.period);
        if (w.cells) import_tell_map(&w);
        printf("%" PRIu32 " keys read, %" PRIu32 " defaults, %" PRIu32 " without counterpart, %" PRIu32 " unknown\n", counts[0],
            counts[1], counts[2], counts[3]);
    }
    cli_nav2_world_close(&w);
    return cli_end(status, &error);
}

const hed_command hed_command_mppi_import = {
    .name = "import",
    .summary = "read a parameter file of Nav2, and list each key with its treatment",
    .description =
        "Reads the section of nav2_mppi_controller in a parameter file of ROS 2's Nav2 as it is, with local costmap, path "
        "handler and goal checker. The form of the file identifies the release, whose formulas are used. \"heddle mppi run "
        "FILE\" drives with it.",
    .options = (const hed_option[]){CLI_OPTION_JSON(true),
        OPTION(
            "map", FILE, "FILE", "compute the costs of this map too: the YAML of a ROS map server"),
        {0}},
    .positionals =
        (const hed_option[]){POSITIONAL("FILE", FILE,
                                 "the parameter file, such as nav2_params.yaml", .required = true),
            {0}},
    .examples =
        (const hed_example[]){{"heddle mppi import nav2_params.yaml", "all keys of the controller"},
            {"heddle mppi import nav2_params.yaml --map map.yaml", "and the costs of a map"}, {0}},
    .run = import_run,
};
