/* A page that a command serves until Ctrl-C. */
#include "cli/common/serve_page.h"

#include "heddle/author.h"
#include "support/exit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

hed_status cli_page_serve(const hed_web_def *def, const char *hint, hed_error *error)
{
    hed_web *web;
    if (hed_web_create(def, &web, error)) return error->status;
    printf("open %s\n", hed_web_address(web));
    if (fflush(stdout) != 0)
        hed_fail(error, HED_ERROR_IO, "cannot print the address: %s", strerror(errno));
    else fprintf(stderr, "heddle: %s\n", hint);
    while (!hed_failed(error) && !hed_interrupted())
        nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    hed_web_destroy(web);
    return error->status;
}
