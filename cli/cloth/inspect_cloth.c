/* heddle cloth inspect: lists the fabrics of a scene's garments, and the part of their stiffness
 * that the substeps reach; without a scene, the fabrics by name. */
#include "run.h"

#include "cli/common/report.h"
#include "support/digits.h"

#include <inttypes.h>
#include <stdio.h>

static const char *shown(char text[32], double value)
{
    snprintf(text, 32, "%s", hed_digits(value, 3).text);
    return text;
}

static hed_status list_fabrics(bool json, hed_error *error)
{
    cli_report *report = cli_report_create(json);
    const char *name, *source;
    for (uint32_t k = 0; (name = hed_cloth_fabric_name(k, &source)); k++) {
        const hed_cloth_fabric *fabric = hed_cloth_fabric_named(name);
        cli_report_row(report, CLI_TEXT("fabric", name, .heading = "FABRIC"),
            CLI_NUMBER("warp", fabric->warp, .heading = ">WARP N/m"),
            CLI_NUMBER("weft", fabric->weft, .heading = ">WEFT"),
            CLI_NUMBER("shear", fabric->shear, .heading = ">SHEAR"),
            CLI_NUMBER("bend_warp", fabric->bend_warp, .heading = ">BEND N m", .format = "%.2g"),
            CLI_NUMBER("bend_weft", fabric->bend_weft, .heading = ">WEFT", .format = "%.2g"),
            CLI_NUMBER("density", fabric->density, .heading = ">kg/m^2"),
            CLI_NUMBER("poisson", fabric->poisson, .heading = ">POISSON"),
            CLI_TEXT("source", source, .heading = "SOURCE"));
    }
    return cli_report_end(report, HED_OK, error);
}

static void add_part(cli_report *report, const char *key, float requested, float achieved)
{
    cli_report_open(report, key);
    cli_report_more(report, CLI_NUMBER("asked", requested), CLI_NUMBER("given", achieved));
    cli_report_close(report);
}

static void add_garment(cli_report *report, const hed_cloth_scene *scene, uint32_t garment,
    const hed_cloth_stiffness *s)
{
    char tension[32], bending[32], smallest[32];
    double stretch = (double)s->given.warp / s->asked.warp,
           bend = s->asked.bend_warp > 0 ? (double)s->given.bend_warp / s->asked.bend_warp : 1;
    cli_report_row(report,
        CLI_TEXT("garment", hed_cloth_scene_garment_name(scene, garment), .heading = "GARMENT"),
        CLI_TEXT(NULL, shown(tension, 100 * stretch), .heading = ">WARP %"),
        CLI_TEXT(NULL, shown(bending, 100 * bend), .heading = ">BEND %"),
        CLI_NUMBER("part", s->part, .heading = ">LEAST %", .shown = shown(smallest, 100 * s->part)),
        CLI_WHOLE("substeps_for_most", s->substeps_for_most, .heading = ">SUBSTEPS FOR 90 %"));
    add_part(report, "warp", s->asked.warp, s->given.warp);
    add_part(report, "weft", s->asked.weft, s->given.weft);
    add_part(report, "shear", s->asked.shear, s->given.shear);
    add_part(report, "bend_warp", s->asked.bend_warp, s->given.bend_warp);
    add_part(report, "bend_weft", s->asked.bend_weft, s->given.bend_weft);
}

static hed_status inspect_scene(
    const hed_arguments *arguments, const hed_cloth_scene *scene, hed_error *error)
{
    cli_session session = {0};
    hed_cloth *cloth = NULL;
    hed_cloth_def def = hed_cloth_scene_def(scene);
    double rate =
        hed_given(arguments, "fps") ? hed_number_of(arguments, "fps") : hed_cloth_scene_rate(scene);
    if (cli_open_devices(arguments, &session, error)) return error->status;
    hed_cloth_create(session.devices[0], &def, &cloth, error);
    bool json = hed_given(arguments, "json");
    cli_report *report = error->status ? NULL : cli_report_create(json);
    uint32_t fabrics = 0;
    for (uint32_t g = 0; !error->status && g < def.garment_count; g++) {
        hed_cloth_stiffness stiffness;
        if (!hed_cloth_stiffness_of(cloth, g, 1 / rate, &stiffness)) continue;
        add_garment(report, scene, g, &stiffness);
        fabrics++;
    }
    if (!error->status && !json)
        printf("%" PRIu32 " of %" PRIu32 " garments have a fabric; %" PRIu32 " substeps of %" PRIu32
               " iterations at %g frames a second, solver %s\n",
            fabrics, def.garment_count, hed_cloth_describe(cloth).substeps, def.iterations, rate,
            hed_cloth_solver_name(hed_cloth_describe(cloth).solver));
    if (!error->status && !json && !def.substeps)
        printf("the scene leaves the substeps to the engine: %" PRIu32
               " garments have lattices, which hold tension%s\n",
            hed_cloth_describe(cloth).lattices,
            hed_cloth_describe(cloth).solver == HED_CLOTH_SOLVER_NEWTON
                ? "; newton gives strains their whole stiffness, and substeps serve bending"
                : "");
    if (!error->status) cli_report_end(report, HED_OK, error);
    hed_cloth_destroy(cloth);
    cli_close(&session);
    return error->status;
}

static int inspect_main(const hed_arguments *arguments, void *user)
{
    (void)user;
    const char *path = hed_text_of(arguments, "SCENE");
    hed_cloth_scene *scene = NULL;
    hed_error error = {0};
    hed_cloth_scene_options options = {.warn = cli_cloth_warn,
        .substeps =
            hed_given(arguments, "substeps") ? (uint32_t)hed_integer_of(arguments, "substeps") : 0};
    if (!path) list_fabrics(hed_given(arguments, "json"), &error);
    else if (!hed_cloth_scene_open(path, &options, &scene, &error))
        inspect_scene(arguments, scene, &error);
    hed_cloth_scene_close(scene);
    return error.status ? cli_fail(&error) : HED_EXIT_OK;
}

static const hed_option OPTIONS[] = {
    OPTION("substeps", INTEGER, "COUNT", "instead of the scene's", .low = 1, .high = 1000),
    OPTION(
        "fps", NUMBER, "RATE", "frames per second instead of the scene's", .low = 1, .high = 10000),
    CLI_OPTION_DEVICES(true),
    FLAG("json",
        "print JSON: an array with an object for each garment with a fabric, or each fabric"),
    {0},
};
static const hed_option POSITIONALS[] = {
    OPTION("SCENE", FILE, NULL, "a scene file; none: list the fabrics that are known by name",
        .names = &cli_data_scenes),
    {0}};
static const hed_example EXAMPLES[] = {
    {"heddle cloth inspect", "fabrics by name, with where their figures come from"},
    {"heddle cloth inspect scene.json --substeps 20", "what 20 substeps would give"}, {0}};

const hed_command hed_command_cloth_inspect = {
    .name = "inspect",
    .summary = "say how stiff fabrics are, and what substeps they need",
    .description =
        "Of each garment that has a fabric: what share of its tension and of its bending stiffness the "
        "substeps give, the least of all shares, and how many substeps a frame would give 90 % of all. "
        "Without a scene: the fabrics that are known by name.",
    .options = OPTIONS,
    .positionals = POSITIONALS,
    .examples = EXAMPLES,
    .run = inspect_main,
};
