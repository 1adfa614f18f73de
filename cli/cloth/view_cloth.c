/* heddle cloth view: shows a scene in a window. */
#include "cli/common/command.h"
#include "heddle/cloth_scene.h"

#include "engines/cloth/view/pictures.h"

#include <stdio.h>

static void cloth_view_warn(void *user, const char *text)
{
    (void)user;
    fprintf(stderr, "heddle: %s\n", text);
}

static int cloth_view_main(const hed_arguments *arguments, void *user)
{
    (void)user;
    cli_session session;
    hed_error error = {0};
    if (cli_open_devices(arguments, &session, &error)) return cli_fail(&error);
    hed_cloth_scene *scene = NULL;
    hed_cloth *cloth = NULL;
    hed_cloth_scene_options options = {
        .warn = hed_given(arguments, "quiet") ? NULL : cloth_view_warn};
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
    {0},
};
static const hed_option POSITIONALS[] = {
    POSITIONAL("SCENE", FILE, "the scene file", .names = &cli_data_scenes, .required = true), {0}};
static const hed_example EXAMPLES[] = {
    {"heddle cloth view flag.json", "the best device, and the scene's own frame rate"},
    {"heddle cloth view flag.json --device host", "the processor"}, {0}};

const hed_command hed_command_cloth_view = {
    .name = "view",
    .summary = "look at a scene in a window, and play with it",
    .description =
        "The left mouse button turns the view, the wheel goes nearer. With the right button up and down "
        "change gravity, left and right blow a wind across the view. Keys: d debug colours on or off, "
        "space pause, s one frame, r back to the start, p a picture (cloth-NNNNNN.png in the current "
        "folder), escape the end.\n\n"
        "The title says how many pictures a second are drawn, how long the device takes for a frame, and "
        "the worst stretch.",
    .options = OPTIONS,
    .positionals = POSITIONALS,
    .examples = EXAMPLES,
    .run = cloth_view_main,
};
