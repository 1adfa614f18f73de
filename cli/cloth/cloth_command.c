/* heddle cloth: simulates cloth, from a scene file to a point cache. */
#include "cli/common/command.h"

static const hed_command *const COMMANDS[] = {&hed_command_cloth_run, &hed_command_cloth_drape,
    &hed_command_cloth_view, &hed_command_cloth_check, &hed_command_cloth_inspect,
    &hed_command_cloth_tune, &hed_command_cloth_bench, NULL};
static const hed_example EXAMPLES[] = {
    {"heddle cloth run scene.json --frames 300 --out flag.pc2",
        "a point cache, as Blender's Mesh Cache reads it beside the mesh"},
    {"heddle cloth drape shirt.obj --over body.obj --out draped.obj",
        "a garment settled on a body"},
    {"heddle cloth check flag.pc2", "whether it passes through itself, in every frame"},
    {"heddle cloth inspect scene.json", "how stiff its fabrics are, and what substeps they need"},
    {"heddle cloth view scene.json", "a window to look and play"}, {0}};

const hed_command hed_command_cloth = {
    .name = "cloth",
    .summary = "simulate cloth: run a scene, drape a garment, look at it",
    .description = "Moves the garments of a scene file on any device and writes what a renderer "
                   "reads: point caches, OBJ, GLB, "
                   "PLY, pictures.",
    .commands = COMMANDS,
    .examples = EXAMPLES,
};
