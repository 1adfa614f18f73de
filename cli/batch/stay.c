/* Resident child of a hand: runs repeatable commands one after another in this process, with one
 * context, so that a driver starts once and not for each job. "heddle batch stay" is started by a
 * hand; its standard input is a socket.
 *
 * - FOLDER STDOUT WORDS...: request; STDOUT empty: into the log
 * - done CODE: reply
 * - last CODE: reply; this process ends, and further commands need another one */
#include "batch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Runs a command. `output_copy`: destination of output if the job has no file for it. False: no
 * further command may run in this process. */
static bool stay_do(const char **fields, uint32_t count, int output_copy, int *code)
{
    char **words = calloc(count, sizeof *words);
    const char *folder = fields[0], *output = fields[1];
    *code = HED_EXIT_FAILURE;
    if (!words) return false;
    words[0] = (char *)(uintptr_t) "heddle";
    for (uint32_t i = 2; i < count; i++) words[i - 1] = (char *)(uintptr_t)fields[i];
    int flags = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC;
    int to = output[0] ? open(output, flags, 0666) : dup(output_copy);
    if (to < 0 || chdir(folder) || dup2(to, STDOUT_FILENO) < 0) {
        fprintf(stderr, "heddle: cannot begin in %s: %s\n", to < 0 ? output : folder,
            strerrordesc_np(errno));
        if (to >= 0) close(to);
        free(words);
        return true;
    }
    close(to);
    clearerr(stdout);
    cli_begin_kept();
    *code = cli_run((int)count - 1, words);
    free(words);
    fflush(stderr);
    dup2(output_copy, STDOUT_FILENO);
    return cli_may_go_on(*code);
}

enum { LOOK_EVERY_MS = 500 }; /* pause between two looks at the flag of signals */

/* Waits for a request. False: the hand has ended; or a signal, which a driver's thread may have
 * received, ends this process before the next command. */
static bool stay_wait(batch_stream *in)
{
    struct pollfd polled = {.fd = in->descriptor, .events = POLLIN};
    while (!hed_interrupted() && poll(&polled, 1, LOOK_EVERY_MS) <= 0) {}
    return !hed_interrupted() && batch_stream_fill(in);
}

static int stay_run(const hed_arguments *arguments, void *user)
{
    static batch_stream in;
    int output_copy = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    in.descriptor = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    /* a command that reads its standard input finds it empty, as in a process of its own */
    int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    bool good = output_copy >= 0 && in.descriptor >= 0 && dup2(nothing, STDIN_FILENO) >= 0;
    close(nothing);
    cli_keep_context();
    while (good && stay_wait(&in)) {
        uint32_t count = batch_stream_next(&in);
        char text[16];
        int code = HED_EXIT_USAGE;
        if (!count) continue;
        bool goes_on = count > 2 && stay_do(in.fields.items, count, output_copy, &code);
        snprintf(text, sizeof text, "%d", code);
        good = BATCH_SEND(in.descriptor, goes_on ? "done" : "last", text) && goes_on;
    }
    cli_close_kept();
    return HED_EXIT_OK;
}

const hed_command hed_command_batch_stay = {
    .name = "stay",
    .summary = "run the jobs of a hand one after the other in this process",
    .description =
        "What \"heddle batch hand\" starts for renders, drapes, cloth runs, controllers and pages. It speaks with its hand alone.",
    .hidden = true,
    .run = stay_run,
};
