/* heddle synth play: an instrument, live. */
#include "command.h"

#include <stdio.h>

static int run(const hed_arguments *arguments, void *user)
{
    (void)arguments;
    (void)user;
    fputs("heddle: play: not there yet\n", stderr);
    return HED_EXIT_FAILURE;
}

const hed_command hed_command_synth_play = {.name = "play", .summary = "live", .run = run};
