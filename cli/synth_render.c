/* heddle synth render: an instrument and a song, as a sound file. */
#include "command.h"

#include <stdio.h>

static int run(const hed_arguments *arguments, void *user)
{
    (void)arguments;
    (void)user;
    fputs("heddle: render: not there yet\n", stderr);
    return HED_EXIT_FAILURE;
}

const hed_command hed_command_synth_render = {.name = "render", .summary = "a song as a sound file", .run = run};
