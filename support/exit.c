/* The flag that Ctrl-C sets. It is global, because a signal handler can only reach globals. */
#include "support/exit.h"

#include <signal.h>
#include <string.h>

static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
    interrupted = 1;
    /* The next signal of either kind kills. signal() is async-signal-safe. */
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    (void)number;
}

void hed_interrupt_install(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

bool hed_interrupted(void) { return interrupted != 0; }
