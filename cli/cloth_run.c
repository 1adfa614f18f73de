/* heddle cloth run. */
#include "command.h"

#include <stdio.h>

static int run(const hed_arguments *arguments, void *user)
{
    (void)arguments, (void)user;
    fputs("heddle: cloth run: not there yet\n", stderr);
    return HED_EXIT_FAILURE;
}

const hed_command hed_command_cloth_run = {.name = "run", .summary = "not there yet", .run = run};
