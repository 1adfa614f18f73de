/* heddle cloth view: shows a scene in a window, or in a page. */
#include "view_player.h"
#include "heddle/cloth_scene.h"

#include "engines/cloth/view/pictures.h"

static int cloth_view_main(const hed_arguments *arguments, void *user)
{
    (void)user;
    if (hed_given(arguments, "page")) return cloth_page_main(arguments);
    cli_session session;
    hed_error error = {0};
    if (cli_open_devices(arguments, &session, &error)) return cli_fail(&error);
    hed_cloth_scene *scene = NULL;
    hed_cloth *cloth = NULL;
    hed_cloth_scene_options options = {
        .warn = hed_given(arguments, "quiet") ? NULL : cli_cloth_warn};
    if (!hed_cloth_scene_open(hed_text_of(arguments, "SCENE"), &options, &scene, &error)) {
        hed_cloth_def def = hed_cloth_scene_def(scene);
        def.threads = (uint32_t)hed_integer_of(arguments, "threads");
        if (!hed_cloth_create(session.devices[0], &def, &cloth, &error))
            cloth_view_run(scene, cloth, hed_cloth_scene_rate(scene), &error);
    }
    hed_cloth_destroy(cloth);
    hed_cloth_scene_close(scene);
    cli_close(&session);
    return cli_end(error.status, &error);
}

static const hed_option OPTIONS[] = {
    OPTION("device", TEXT, "ID", "device to use: its id, part of its name, or best", .letter = 'd', .names = &cli_device_names),
    CLI_OPTION_THREADS,
    FLAG("page", "look at it in a page of the browser, grab the cloth, change it and record it"),
    FLAG("strict", "with --page: the same bits on every device"),
    OPTION("out", OUTPUT, "FILE",
        "with --page: the point cache that \"Record\" writes, FILE.pc2; a number follows if it exists (default: the scene's name, in the current folder)",
        .letter = 'o', .endings = ".pc2"),
    OPTION("port", INTEGER, "NUMBER", "with --page: port of 127.0.0.1; any that is free", .low = 0, .high = 65535),
    {0},
};
static const hed_option POSITIONALS[] = {
    POSITIONAL("SCENE", FILE, "the scene file", .names = &cli_data_scenes, .required = true), {0}};
static const hed_example EXAMPLES[] = {
    {"heddle cloth view flag.json", "the best device, and the scene's own frame rate"},
    {"heddle cloth view flag.json --device host", "the processor"},
    {"heddle cloth view --page flag.json", "prints the address of a page to open in a browser"}, {0}};

const hed_command hed_command_cloth_view = {
    .name = "view",
    .summary = "look at a scene in a window or a page, and play with it",
    .description =
        "The left mouse button turns the view, the wheel goes nearer. With the right button up and down "
        "change gravity, left and right blow a wind across the view. Keys: d debug colours on or off, "
        "space pause, s one frame, r back to the start, p a picture (cloth-NNNNNN.png in the current "
        "folder), escape the end.\n\n"
        "The title says how many pictures a second are drawn, how long the device takes for a frame, and "
        "the worst stretch.\n\n"
        "With --page the scene is in a page on 127.0.0.1, whose address has a token in it; it needs no display "
        "here. One grabs the cloth with the mouse, a finger or the keyboard, changes fabric, wind, gravity, thickness and "
        "substeps while it moves, and records a point cache; no file is replaced. Until something is changed, "
        "frames are those of \"heddle cloth run\".",
    .options = OPTIONS,
    .positionals = POSITIONALS,
    .examples = EXAMPLES,
    .run = cloth_view_main,
};
