/* Exit codes of the command, and the interrupt flag set by Ctrl-C. */
#ifndef HED_SUPPORT_EXIT_H
#define HED_SUPPORT_EXIT_H

#include <stdbool.h>

enum {
    HED_EXIT_OK = 0,
    HED_EXIT_FAILURE = 1,      /* the command line was valid, the work failed */
    HED_EXIT_USAGE = 2,        /* invalid command line */
    HED_EXIT_CRASHED = 3,      /* heddle mppi run: all futures of a solve were in collision */
    HED_EXIT_INTERRUPTED = 130 /* Ctrl-C, or SIGTERM */
};

/* Installs handlers: the first SIGINT or SIGTERM sets the flag, the second one ends the process as
 * by default. Call it after hed_context_create(): some OpenCL drivers install handlers of their own
 * when they are loaded (PoCL's compiler does, for fifteen signals). */
void hed_interrupt_install(void);

/* True if the flag was set. Long work checks it between steps, cleans up and ends with
 * HED_EXIT_INTERRUPTED. */
bool hed_interrupted(void);

#endif
