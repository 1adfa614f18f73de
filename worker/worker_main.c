/* heddle-worker: runs tuning's candidates for the program that started it, and ends with it.
 *
 *     heddle-worker DESCRIPTOR                    a worker process (src/workers/worker.h)
 *     heddle-worker [--device ID] [--turn N]      a device for a leader elsewhere, over standard
 *                                                 input and output (src/workers/worker_protocol.h) */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "heddle/base.h"

/* declared in src/workers/worker.h and src/workers/remote_device.h, for this program only */
int hed_worker_serve(int descriptor, hed_error *error);
int hed_remote_serve(int in, int out, const char *device, uint32_t turn, hed_error *error);

static int usage(void)
{
    dprintf(STDERR_FILENO, "%s",
        "usage: heddle-worker [--device ID] [--turn N]\n"
        "Serves a device of this machine to a \"heddle tune --worker ...\" elsewhere, over standard input and\n"
        "output: heddle tune kernel.json --worker \"ssh THIS-MACHINE heddle-worker\".\n"
        "  --device ID  the device: its id, or part of its name; else the best that compiles\n"
        "  --turn N     the Nth further device of the same kind, in a ring\n");
    return 2;
}

static int report(int code, const hed_error *error)
{
    if (code) dprintf(STDERR_FILENO, "heddle-worker: %s\n", error->text);
    return code;
}

static int serve_elsewhere(int count, char **words)
{
    const char *device = NULL;
    unsigned long turn = 0;
    hed_error error = {.status = HED_OK};
    for (int i = 1; i < count; i++) {
        char *end = NULL;
        if (i + 1 < count && strcmp(words[i], "--device") == 0) device = words[++i];
        else if (i + 1 < count && strcmp(words[i], "--turn") == 0)
            turn = strtoul(words[++i], &end, 10);
        else return usage();
        if (end && (*end || turn > 1000000)) return usage();
    }
    if (isatty(STDIN_FILENO)) return usage();
    /* a driver's output must not come between the frames */
    int out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    dup2(STDERR_FILENO, STDOUT_FILENO);
    signal(SIGPIPE, SIG_IGN);
    return report(hed_remote_serve(STDIN_FILENO, out, device, (uint32_t)turn, &error), &error);
}

int main(int count, char **words)
{
    char *end = NULL;
    hed_error error = {.status = HED_OK};
    long descriptor = count == 2 ? strtol(words[1], &end, 10) : -1;
    if (!end || *end || end == words[1]) return serve_elsewhere(count, words);
    if (descriptor < 3) return 2;
    /* a parent that died before this call is detected by its closed socket */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    return report(hed_worker_serve((int)descriptor, &error), &error);
}
