/* Worker processes: see worker.h. A worker leads its own process group, so Ctrl-C in a terminal
 * reaches the parent alone. It ends with its parent (worker/worker_main.c) and inherits no other
 * descriptors of the parent. */
#include "workers/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text.h"

enum {
    FIRST = 3, /* first descriptor of a worker, after the standard ones */
    /* minimum number of the parent's copies, which must not collide with the worker's numbers */
    LOWEST_COPY = FIRST + HED_WORKER_DESCRIPTORS,
    /* reads of 512 bytes: an ended worker's pipe (64 KiB) is read completely */
    MOST_READS = 128,
    ASKED_MS = 2000,  /* ms for a worker to exit after its socket was closed */
    KILLED_MS = 10000 /* ms for the system to end it: drivers are slow to release a device */
};

/* ---- starting ---- */

/* Moves a descriptor above the worker's numbers and sets close-on-exec. */
static int raise_descriptor(int descriptor)
{
    int raised = descriptor < 0 ? -1 : fcntl(descriptor, F_DUPFD_CLOEXEC, LOWEST_COPY);
    int code = errno;
    if (descriptor >= 0) close(descriptor);
    errno = code;
    return raised;
}

static void close_all(int *descriptors, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (descriptors[i] >= 0) close(descriptors[i]);
}

static int spawn(const char *program, int socket, int job, int result, int output, pid_t *pid)
{
    char number[8];
    snprintf(number, sizeof number, "%d", FIRST);
    char *words[] = {(char *)(uintptr_t)program, number, NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t no_signals, all_signals;
    sigemptyset(&no_signals);
    sigfillset(&all_signals);
    int code = posix_spawn_file_actions_init(&files);
    if (code) return code;
    code = posix_spawnattr_init(&attributes);
    if (!code) {
        posix_spawnattr_setpgroup(&attributes, 0);
        posix_spawnattr_setsigmask(&attributes, &no_signals);
        posix_spawnattr_setsigdefault(&attributes, &all_signals);
        posix_spawnattr_setflags(
            &attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
        code = posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        if (!code) code = posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
        if (!code) code = posix_spawn_file_actions_adddup2(&files, output, STDERR_FILENO);
        if (!code)
            code = posix_spawn_file_actions_adddup2(&files, socket, FIRST + HED_WORKER_SOCKET);
        if (!code) code = posix_spawn_file_actions_adddup2(&files, job, FIRST + HED_WORKER_JOB);
        if (!code)
            code = posix_spawn_file_actions_adddup2(&files, result, FIRST + HED_WORKER_RESULT);
        if (!code) code = posix_spawn_file_actions_addclosefrom_np(&files, LOWEST_COPY);
        if (!code) code = posix_spawn(pid, program, &files, &attributes, words, environ);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&files);
    return code;
}

hed_status hed_worker_start(
    hed_worker_process *worker, const char *program, int job, int result, hed_error *error)
{
    enum { OURS, THEIRS, READ, WRITE, JOB, RESULT, COUNT };
    int descriptors[COUNT] = {-1, -1, -1, -1, -1, -1};
    *worker = (hed_worker_process){
        .socket = -1, .output = -1, .life = worker->life, .number = worker->number};
    int code =
        socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, &descriptors[OURS]) ? errno : 0;
    if (!code && pipe2(&descriptors[READ], O_CLOEXEC)) code = errno;
    for (int i = 0; i < JOB && !code; i++) {
        descriptors[i] = raise_descriptor(descriptors[i]);
        if (descriptors[i] < 0) code = errno;
    }
    if (!code && (descriptors[JOB] = fcntl(job, F_DUPFD_CLOEXEC, LOWEST_COPY)) < 0) code = errno;
    if (!code && (descriptors[RESULT] = fcntl(result, F_DUPFD_CLOEXEC, LOWEST_COPY)) < 0)
        code = errno;
    if (!code) fcntl(descriptors[READ], F_SETFL, O_NONBLOCK);
    if (!code)
        code = spawn(program, descriptors[THEIRS], descriptors[JOB], descriptors[RESULT],
            descriptors[WRITE], &worker->pid);
    if (code) {
        close_all(descriptors, COUNT);
        worker->pid = 0;
        return hed_fail(
            error, HED_ERROR_IO, "cannot start the worker %s: %s", program, strerrordesc_np(code));
    }
    worker->socket = descriptors[OURS];
    worker->output = descriptors[READ];
    descriptors[OURS] = descriptors[READ] = -1;
    close_all(descriptors, COUNT);
    worker->life++;
    return HED_OK;
}

/* ---- requests and replies ---- */

void hed_worker_request_send(
    hed_worker_process *worker, hed_worker_request *request, double deadline)
{
    request->version = hed_worker_version();
    request->number = ++worker->number;
    worker->busy = true;
    worker->deadline = deadline;
    hed_worker_send(worker->socket, request, sizeof *request);
}

void hed_worker_poll(const hed_worker_process *worker, struct pollfd *polled)
{
    polled[0] = (struct pollfd){.fd = worker->pid ? worker->socket : -1, .events = POLLIN};
    polled[1] = (struct pollfd){.fd = worker->pid ? worker->output : -1, .events = POLLIN};
}

/* Keeps the end of the worker's output. Reads at most a pipe's capacity, in case the worker never
 * stops writing; a closed output is not read again. */
static void process_listen_to(hed_worker_process *worker)
{
    char text[512];
    ssize_t got = 1;
    for (int i = 0; i < MOST_READS && (got = read(worker->output, text, sizeof text)) > 0; i++) {
        size_t room = sizeof worker->tail - 1, size = (size_t)got;
        if (worker->tail_size + size > room) {
            size_t remaining = room - size;
            if (remaining > worker->tail_size) remaining = worker->tail_size;
            memmove(worker->tail, worker->tail + worker->tail_size - remaining, remaining);
            worker->tail_size = (uint32_t)remaining;
        }
        memcpy(worker->tail + worker->tail_size, text, size);
        worker->tail_size += (uint32_t)size;
        worker->tail[worker->tail_size] = 0;
    }
    if (got != 0) return;
    close(worker->output);
    worker->output = -1;
}

hed_worker_event hed_worker_handle_events(
    hed_worker_process *worker, const struct pollfd *polled, double now, hed_worker_reply *reply)
{
    if (!worker->pid) return HED_WORKER_NOTHING;
    if (polled[1].revents) process_listen_to(worker);
    if (polled[0].revents) {
        ptrdiff_t size = hed_worker_receive(worker->socket, reply, sizeof *reply);
        bool expected = size > 0 && worker->busy && hed_worker_reply_valid(reply, (size_t)size) &&
                        reply->number == worker->number;
        if (!expected) return HED_WORKER_DIED;
        worker->busy = false;
        return HED_WORKER_ANSWERED;
    }
    return worker->busy && now >= worker->deadline ? HED_WORKER_LATE : HED_WORKER_NOTHING;
}

/* ---- ending ---- */

/* Waits for the end of a process without reaping it, so that its id is not reused. */
static bool wait_for_end(pid_t pid, int milliseconds)
{
    for (int i = 0; i <= milliseconds; i++) {
        siginfo_t end = {0};
        int code = waitid(P_PID, (id_t)pid, &end, WEXITED | WNOHANG | WNOWAIT);
        if (end.si_pid == pid || (code && errno != EINTR)) return true;
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
    return false;
}

/* Ends a worker and its process group, including compilers it started. Returns the wait status of a
 * worker that ended by itself within `milliseconds`; -1 otherwise. */
static int reap(pid_t pid, int milliseconds)
{
    int status = -1;
    bool ended = wait_for_end(pid, milliseconds);
    /* another thread has reaped it: its id may be reused already */
    if (waitid(P_PID, (id_t)pid, &(siginfo_t){0}, WEXITED | WNOHANG | WNOWAIT)) return -1;
    kill(-pid, SIGKILL);
    wait_for_end(pid, KILLED_MS);
    return waitpid(pid, &status, WNOHANG) == pid && ended ? status : -1;
}

/* Last line that is not empty. */
static void last_line(char *output, char *line, size_t size)
{
    size_t end = strlen(output);
    while (end && (output[end - 1] == '\n' || output[end - 1] == ' ')) end--;
    output[end] = 0;
    const char *newline = strrchr(output, '\n');
    hed_text_copy(line, size, newline ? newline + 1 : output);
}

static void process_describe(
    hed_worker_process *worker, hed_worker_event event, int status, char *text, size_t size)
{
    char line[128], manner[64] = "ended";
    last_line(worker->tail, line, sizeof line);
    if (event == HED_WORKER_LATE) snprintf(manner, sizeof manner, "was not done in time and was killed");
    else if (event == HED_WORKER_STOPPED) snprintf(manner, sizeof manner, "was stopped");
    else if (status != -1 && WIFSIGNALED(status) && sigabbrev_np(WTERMSIG(status)))
        snprintf(manner, sizeof manner, "was ended by SIG%s", sigabbrev_np(WTERMSIG(status)));
    else if (status != -1 && WIFEXITED(status))
        snprintf(manner, sizeof manner, "ended with exit code %d", WEXITSTATUS(status));
    snprintf(text, size, "the worker %s%s%s", manner, line[0] ? ": " : "", line);
}

static bool sent_from_outside(int status)
{
    int number = status != -1 && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    return number == SIGKILL || number == SIGTERM || number == SIGINT || number == SIGHUP ||
           number == SIGQUIT;
}

void hed_worker_request_end(const hed_worker_process *worker)
{
    if (worker->pid && !worker->busy) shutdown(worker->socket, SHUT_RDWR);
}

void hed_worker_end(
    hed_worker_process *worker, hed_worker_event event, char *text, size_t size, bool *outside)
{
    if (!worker->pid) return;
    bool ask = event == HED_WORKER_NOTHING && !worker->busy;
    close(worker->socket);
    /* a worker that closed its socket is about to exit: wait briefly for its status */
    int status = reap(worker->pid, ask || event == HED_WORKER_DIED ? ASKED_MS : 0);
    process_listen_to(worker);
    if (worker->output >= 0) close(worker->output);
    if (text) process_describe(worker, event, status, text, size);
    if (outside) *outside = event == HED_WORKER_DIED && sent_from_outside(status);
    *worker = (hed_worker_process){
        .socket = -1, .output = -1, .life = worker->life, .number = worker->number};
}

/* Records between a worker and its parent: see worker.h. */

uint64_t hed_worker_version(void)
{
    const uint64_t layout = sizeof(hed_worker_request) * 65536 + sizeof(hed_worker_reply);
    const uint64_t version =
        HED_VERSION_MAJOR * 10000 + HED_VERSION_MINOR * 100 + HED_VERSION_PATCH;
    return version << 40 | layout;
}

bool hed_worker_request_valid(const hed_worker_request *request, size_t size)
{
    return size == sizeof *request && request->version == hed_worker_version() &&
           request->task < HED_TASK_COUNT && request->slot < HED_RUNNER_SLOTS &&
           request->runs <= HED_WORKER_VALUES && request->argument < HED_MAX_ARGUMENTS &&
           request->pattern < HED_RUNNER_PATTERNS && request->config.count <= HED_MAX_PARAMETERS;
}

static bool has_end(const char *text, size_t size) { return memchr(text, 0, size) != NULL; }

bool hed_worker_reply_valid(const hed_worker_reply *reply, size_t size)
{
    if (size != sizeof *reply || reply->version != hed_worker_version()) return false;
    unsigned char from_cache; /* a bool with a value other than 0 or 1 must not be read as bool */
    memcpy(&from_cache, &reply->trial.resources.from_cache, 1);
    return reply->status < HED_STATUS_COUNT && reply->count <= HED_WORKER_VALUES &&
           (unsigned)reply->trial.outcome < HED_OUTCOME_COUNT && from_cache <= 1 &&
           has_end(reply->trial.text, sizeof reply->trial.text) &&
           has_end(reply->text, sizeof reply->text);
}

bool hed_worker_send(int socket, const void *record, size_t size)
{
    ssize_t count;
    do count = send(socket, record, size, MSG_NOSIGNAL);
    while (count < 0 && errno == EINTR);
    return count == (ssize_t)size;
}

ptrdiff_t hed_worker_receive(int socket, void *record, size_t size)
{
    ssize_t got;
    do got = recv(socket, record, size, MSG_TRUNC);
    while (got < 0 && errno == EINTR);
    return got;
}
