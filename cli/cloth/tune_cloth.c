/* heddle cloth tune: measures which solver moves cloth of this size fastest on a device, and
 * stores the winner. */
#include "sheet.h"
#include "heddle/cloth_scene.h"
#include "cli/tune/tune_command.h"

#include <limits.h>
#include <string.h>

/* Cloth to tune: a scene's cloth, or sheets. */
typedef struct subject {
    hed_cloth_scene *scene;
    cli_sheet sheet;
    hed_cloth_garment_def garment;
    hed_cloth_def def;
    char origin[PATH_MAX];
} subject;

static hed_status cloth_tune_open_subject(
    const hed_arguments *arguments, subject *s, hed_error *error)
{
    const char *path = hed_text_of(arguments, "SCENE");
    if (path) {
        if (hed_cloth_scene_open(path, NULL, &s->scene, error)) return error->status;
        s->def = hed_cloth_scene_def(s->scene);
        snprintf(s->origin, sizeof s->origin, "%s", path);
        return HED_OK;
    }
    if (cli_sheet_create((uint32_t)hed_integer_of(arguments, "sheet"), &s->sheet, error))
        return error->status;
    s->garment = cli_sheet_garment(&s->sheet);
    s->garment.copies = (uint32_t)hed_integer_of(arguments, "copies");
    s->def = hed_default_cloth_def();
    s->def.garments = &s->garment;
    s->def.garment_count = 1;
    snprintf(
        s->origin, sizeof s->origin, "%u of %u x %u", s->garment.copies, s->sheet.n, s->sheet.n);
    return HED_OK;
}

static hed_status cloth_tune_all(hed_device *device, const void *user, const hed_tune_def *def,
    hed_tune_result **result, hed_error *error)
{
    return hed_cloth_tune(device, user, def, result, error);
}

static int cloth_tune_main(const hed_arguments *arguments, void *user)
{
    (void)user;
    cli_session session;
    hed_error error = {0};
    if (cli_open_devices(arguments, &session, &error) != HED_OK) return cli_fail(&error);
    subject s = {0};
    int code = HED_EXIT_USAGE;
    if (session.count != 1)
        fputs("heddle: tune one device at a time: other work disturbs the measurement\n", stderr);
    else if (cloth_tune_open_subject(arguments, &s, &error) != HED_OK) code = cli_fail(&error);
    else
        code = cli_tune_engine(arguments, &session, hed_cloth_tune_description(), s.origin,
            cloth_tune_all, &s.def, &error);
    hed_cloth_scene_close(s.scene);
    cli_sheet_free(&s.sheet);
    cli_close(&session);
    return code;
}

static const hed_option OPTIONS[] = {
    CLI_TUNE_ENGINE_OPTIONS,
    OPTION("sheet", INTEGER, "N", "without a scene: sheets of N x N particles", .fallback = "255",
        .low = 2, .high = 4096),
    OPTION("copies", INTEGER, "K", "number of sheets", .fallback = "1", .low = 1, .high = 65536),
    {0},
};

const hed_command hed_command_cloth_tune = {
    .name = "tune",
    .summary = "find the fastest solver for cloth of a size on a device",
    .description =
        "Measures launches for each colour, patches with packets and whole garments for each group, and what they can be "
        "built with, on a scene's cloth or on square sheets. The winner is kept in the tuning database, where cloth of about "
        "that size finds it.",
    .options = OPTIONS,
    .positionals =
        (const hed_option[]){
            POSITIONAL("SCENE", FILE, "a scene file", .names = &cli_data_scenes), {0}},
    .examples = (const hed_example[]){{"heddle cloth tune --sheet 1024 --device cuda:0",
                                          "a large sheet on the first CUDA device"},
        {0}},
    .run = cloth_tune_main,
};
