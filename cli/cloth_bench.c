/* heddle cloth bench. */
#include "command.h"

#include <stdio.h>

static int run(const hed_arguments *arguments, void *user)
{
    (void)arguments, (void)user;
    fputs("heddle: cloth bench: not there yet\n", stderr);
    return HED_EXIT_FAILURE;
}

const hed_command hed_command_cloth_bench = {.name = "bench", .summary = "not there yet", .run = run};
