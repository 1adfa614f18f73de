/* Drivers that crash: work on a backend in a process of its own, and the last words of a command
 * that a driver ends. */
#include "cli/common/apart.h"

#include "support/exit.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- work in a process of its own ---- */

/* Last step of the drivers in a child process, in memory that the parent shares and describes the
 * child's end from; NULL elsewhere. */
static char *apart_step;

enum { APART_SECONDS = 120, STEP_TEXT = 101 };

/* Child process: works, writes the result to `to` and exits. */
static _Noreturn void apart_work(
    cli_apart_work *work, void *user, void *result, size_t size, int to)
{
    work(user, result);
    fflush(NULL);
    for (size_t done = 0; done < size;) {
        ssize_t count = write(to, (char *)result + done, size - done);
        if (count < 0 && errno != EINTR) break;
        if (count > 0) done += (size_t)count;
    }
    _exit(0); /* skips the driver's cleanup, which may crash too */
}

/* Reads a result; false after the time limit or Ctrl-C, while the child still runs. */
static bool apart_read(int from, char *result, size_t size, size_t *used)
{
    *used = 0;
    for (int tenths = 0; tenths < 10 * APART_SECONDS && !hed_interrupted();) {
        struct pollfd ready = {.fd = from, .events = POLLIN};
        int count = poll(&ready, 1, 100);
        if (count == 0) tenths++;
        if (count <= 0) continue;
        ssize_t part = read(from, result + *used, size - *used);
        if (part < 0 && errno == EINTR) continue;
        if (part <= 0) return true; /* complete, or the child has ended */
        *used += (size_t)part;
    }
    return false;
}

/* Describes a child that ended without a result, after `step`. */
static void apart_describe(bool ended, int code, const char *step, char *reason)
{
    int length = !ended ? snprintf(reason, CLI_APART_REASON,
                              "its driver did not answer within %d s", APART_SECONDS)
                 : WIFSIGNALED(code)
                     ? snprintf(reason, CLI_APART_REASON,
                           "its driver ended the process that tried it with signal %d (%.40s)",
                           WTERMSIG(code), strsignal(WTERMSIG(code)))
                     : snprintf(reason, CLI_APART_REASON,
                           "its driver ended the process that tried it with exit code %d",
                           WEXITSTATUS(code));
    if (step[0])
        snprintf(reason + length, CLI_APART_REASON - (size_t)length, " after \"%s\"", step);
}

bool cli_apart(cli_apart_work *work, void *user, void *result, size_t size, char *reason)
{
    int ends[2], code = 0;
    size_t used;
    char *step = mmap(NULL, STEP_TEXT, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    fflush(NULL); /* otherwise the child would write the pending output again */
    pid_t child = step == MAP_FAILED || pipe2(ends, O_CLOEXEC) ? -1 : fork();
    if (child < 0) {
        snprintf(
            reason, CLI_APART_REASON, "no process to try its driver in: %.128s", strerror(errno));
        if (step != MAP_FAILED) munmap(step, STEP_TEXT);
        return false;
    }
    if (child == 0) {
        apart_step = step;
        apart_work(work, user, result, size, ends[1]);
    }
    close(ends[1]);
    bool ended = apart_read(ends[0], result, size, &used);
    close(ends[0]);
    if (!ended) kill(child, SIGKILL);
    while (waitpid(child, &code, 0) < 0 && errno == EINTR) continue;
    if (used < size) apart_describe(ended, code, step, reason);
    munmap(step, STEP_TEXT);
    return used == size;
}

/* Formats the name of the setting that replaces a backend's library. */
static void driver_setting(const char *backend, char name[64])
{
    int length = snprintf(name, 64, "HEDDLE_%.32s_LIBRARY", backend);
    for (int i = 0; i < length; i++) name[i] = (char)toupper((unsigned char)name[i]);
}

void cli_driver_remedy(const char *backend, char *text, size_t size)
{
    char setting[64];
    driver_setting(backend, setting);
    snprintf(text, size, "repair or replace the driver; to go without it, set %s=none", setting);
}

void cli_driver_switch_off(const char *backend)
{
    char setting[64];
    driver_setting(backend, setting);
    setenv(setting, "none", 1);
}

/* ---- the last words of a command that a driver ends ---- */

static const int CRASHES[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
enum { CRASH_COUNT = sizeof CRASHES / sizeof CRASHES[0], CRASH_TEXT = 320 };

/* Global, because a signal handler can only reach globals; each message is complete before a crash,
 * since a handler may not format. */
static char crash_texts[CRASH_COUNT][CRASH_TEXT];

static void on_crash(int number)
{
    for (int i = 0; i < CRASH_COUNT && !apart_step; i++) {
        ssize_t unused = 0;
        if (CRASHES[i] == number)
            unused = write(STDERR_FILENO, crash_texts[i], strlen(crash_texts[i]));
        (void)unused;
    }
    /* signal() and raise() are async-signal-safe; the signal arrives again after this handler */
    signal(number, SIG_DFL);
    raise(number);
}

void cli_crash_step(const char *message)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* kernels are compiled by threads */
    pthread_mutex_lock(&lock);
    if (apart_step) snprintf(apart_step, STEP_TEXT, "%s", message);
    for (int i = 0; i < CRASH_COUNT; i++)
        snprintf(crash_texts[i], CRASH_TEXT,
            "heddle: ended by signal %d (%s); the last step of the drivers was: %.100s. "
            "\"heddle doctor\" tries each driver in a process of its own\n",
            CRASHES[i], strsignal(CRASHES[i]), message);
    pthread_mutex_unlock(&lock);
}

void cli_crash_install(void)
{
    struct sigaction action, before;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_crash;
    sigemptyset(&action.sa_mask);
    /* a handler that is there is a sanitizer's */
    for (int i = 0; i < CRASH_COUNT; i++)
        if (sigaction(CRASHES[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
            sigaction(CRASHES[i], &action, NULL);
}
