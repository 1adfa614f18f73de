/* The program's signal handlers around calls of a driver.
 *
 * Drivers that contain LLVM (PoCL) install handlers for some fifteen signals, Ctrl-C among them,
 * when devices are listed or when the first program is built. A library must not change the
 * program's signal handlers, so they are restored after each of these two calls. */
#include "backends/opencl/opencl.h"

#include <string.h>

static bool opencl_is_ours(int number) { return number != SIGKILL && number != SIGSTOP; }

/* Handlers of signals belong to the process, and so does the state that a driver initialises at its
 * first query: PoCL crashes if two threads query at once. So one thread of the process, of any
 * context, is between keep and restore at a time. */
static pthread_mutex_t process_lock = PTHREAD_MUTEX_INITIALIZER;

void hed_opencl_signals_keep(opencl_signals *signals)
{
    pthread_mutex_lock(&process_lock);
    memset(signals, 0, sizeof *signals);
    sigaltstack(NULL, &signals->stack);
    for (int i = 1; i < NSIG; i++)
        if (opencl_is_ours(i)) sigaction(i, NULL, &signals->handlers[i]);
}

void hed_opencl_signals_restore(const opencl_signals *signals)
{
    for (int i = 1; i < NSIG; i++) {
        const struct sigaction *original = &signals->handlers[i];
        struct sigaction current;
        if (!opencl_is_ours(i) || sigaction(i, NULL, &current)) continue;
        bool changed = current.sa_sigaction != original->sa_sigaction ||
                       current.sa_flags != original->sa_flags;
        /* PoCL's handler of SIGFPE makes an integer division by zero in a kernel harmless. */
        bool needed = i == SIGFPE && original->sa_handler == SIG_DFL;
        if (changed && !needed) sigaction(i, original, NULL);
    }
    sigaltstack(&signals->stack, NULL);
    pthread_mutex_unlock(&process_lock);
}
