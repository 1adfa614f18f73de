/* How the command ends, and the flag that Ctrl-C sets. */
#ifndef HED_SUPPORT_EXIT_H
#define HED_SUPPORT_EXIT_H

#include <stdbool.h>

enum {
    HED_EXIT_OK = 0,
    HED_EXIT_FAILURE = 1,      /* it was understood and did not work */
    HED_EXIT_USAGE = 2,        /* the command line was not understood */
    HED_EXIT_INTERRUPTED = 130 /* Ctrl-C, or SIGTERM */
};

/* From here on the first SIGINT or SIGTERM sets the flag, and the second one ends the process as if
 * nothing had been installed. Call it after hed_context_create(): some OpenCL drivers install
 * handlers of their own when they are loaded (PoCL's compiler does, for fifteen signals). */
void hed_interrupt_install(void);

/* Whether it was set. Long work asks between steps, cleans up and ends with
 * HED_EXIT_INTERRUPTED. */
bool hed_interrupted(void);

#endif
