/* Commands of this program as separate processes. */
#include "cli/demo/demo.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Content of a memory file that a process has written, with a zero after it; NULL if memory is
 * short. The caller frees it. */
static char *file_text(int file, size_t *size)
{
    struct stat status;
    char *text = fstat(file, &status) ? NULL : malloc((size_t)status.st_size + 1);
    if (!text) return NULL;
    ssize_t length = pread(file, text, (size_t)status.st_size, 0);
    *size = length < 0 ? 0 : (size_t)length;
    text[*size] = 0;
    return text;
}

static const char *child_last_line(char *text)
{
    size_t length = strlen(text);
    while (length > 0 && text[length - 1] == '\n') text[--length] = 0;
    const char *line = strrchr(text, '\n');
    line = line ? line + 1 : text;
    return strncmp(line, "heddle: ", 8) == 0 ? line + 8 : line;
}

static int child_start(pid_t *pid, int output, int messages, const char *const *words)
{
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, messages, STDERR_FILENO);
    int code = posix_spawn(pid, "/proc/self/exe", &files, NULL, (char *const *)words, environ);
    posix_spawn_file_actions_destroy(&files);
    return code;
}

static hed_status child_explain(
    const char *const *words, int status, int messages, hed_error *error)
{
    size_t size = 0;
    char *text = file_text(messages, &size);
    const char *reason = text ? child_last_line(text) : "";
    if (WIFSIGNALED(status))
        hed_fail(error, HED_ERROR_IO, "heddle %s %s: ended by signal %d (%s)", words[1], words[2],
            WTERMSIG(status), strsignal(WTERMSIG(status)));
    else
        hed_fail(error, HED_ERROR_IO, "heddle %s %s: %s (exit code %d)", words[1], words[2],
            *reason ? reason : "no message", WEXITSTATUS(status));
    free(text);
    return error->status;
}

static hed_status child_answer(const char *name, int output, hed_json **answer, hed_error *error)
{
    size_t size = 0;
    char *text = file_text(output, &size);
    if (!text) return HED_OUT_OF_MEMORY(error, "the output of %s", name);
    hed_json_parse(name, text, size, answer, error);
    free(text);
    return error->status;
}

hed_status demo_run(const char *const *words, hed_json **answer, hed_error *error)
{
    pid_t pid;
    int status = 0, output = memfd_create("output", MFD_CLOEXEC);
    int messages = memfd_create("messages", MFD_CLOEXEC);
    int code = output < 0 || messages < 0 ? errno : child_start(&pid, output, messages, words);
    while (!code && waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR) code = errno;
        else if (hed_interrupted())
            kill(pid, SIGTERM); /* a signal may have been for this process alone */
    }
    if (code)
        hed_fail(error, HED_ERROR_IO, "heddle %s: cannot start: %s", words[1], strerror(code));
    else if (status) child_explain(words, status, messages, error);
    else child_answer(words[1], output, answer, error);
    if (output >= 0) close(output);
    if (messages >= 0) close(messages);
    return error->status;
}
