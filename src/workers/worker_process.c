/* Workers: see worker.h. A worker process of this machine ends with its parent
 * (worker/worker_main.c). */
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
    MOST_FILES = FIRST + HED_WORKER_DESCRIPTORS,
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

static int spawn(const char *const *words, const hed_worker_file *files, uint32_t count, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t no_signals, all_signals;
    sigemptyset(&no_signals);
    sigfillset(&all_signals);
    int last = STDERR_FILENO, code = posix_spawn_file_actions_init(&actions);
    if (code) return code;
    code = posix_spawnattr_init(&attributes);
    if (!code) {
        posix_spawnattr_setsigmask(&attributes, &no_signals);
        posix_spawnattr_setsigdefault(&attributes, &all_signals);
        posix_spawnattr_setflags(
            &attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
        code = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        for (uint32_t i = 0; i < count && !code; i++) {
            code = posix_spawn_file_actions_adddup2(&actions, files[i].from, files[i].number);
            if (last < files[i].number) last = files[i].number;
        }
        if (!code) code = posix_spawn_file_actions_addclosefrom_np(&actions, last + 1);
        if (!code)
            code = posix_spawn(
                pid, words[0], &actions, &attributes, (char *const *)(uintptr_t)words, environ);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return code;
}

int hed_worker_spawn(
    hed_worker *worker, const char *const *words, const hed_worker_file *files, uint32_t count)
{
    enum { OURS, THEIRS, READ, WRITE, COPIES, COUNT = COPIES + MOST_FILES };
    hed_worker_file raised[MOST_FILES];
    int descriptors[COUNT];
    for (int i = 0; i < COUNT; i++) descriptors[i] = -1;
    *worker = (hed_worker){.socket = -1,
        .output = -1,
        .life = worker->life,
        .number = worker->number,
        .patience = worker->patience};
    int code = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, &descriptors[OURS]) ? errno : 0;
    if (!code && pipe2(&descriptors[READ], O_CLOEXEC)) code = errno;
    for (int i = 0; i < COPIES && !code; i++) {
        descriptors[i] = raise_descriptor(descriptors[i]);
        if (descriptors[i] < 0) code = errno;
    }
    for (uint32_t i = 0; i < count && !code; i++) {
        int from = files[i].from, *copy = &descriptors[COPIES + i];
        if (from >= 0 && (*copy = fcntl(from, F_DUPFD_CLOEXEC, LOWEST_COPY)) < 0) code = errno;
        raised[i] = (hed_worker_file){from == HED_WORKER_THEIR_SOCKET   ? descriptors[THEIRS]
                                      : from == HED_WORKER_THEIR_OUTPUT ? descriptors[WRITE]
                                                                        : *copy,
            files[i].number};
    }
    if (!code) fcntl(descriptors[READ], F_SETFL, O_NONBLOCK);
    if (!code) code = spawn(words, raised, count, &worker->pid);
    if (!code) {
        worker->socket = descriptors[OURS];
        worker->output = descriptors[READ];
        descriptors[OURS] = descriptors[READ] = -1;
        worker->life++;
    } else {
        worker->pid = 0;
    }
    for (int i = 0; i < COUNT; i++)
        if (descriptors[i] >= 0) close(descriptors[i]);
    return code;
}

hed_status hed_worker_start(hed_worker *worker, const char *program, const hed_device *device,
    int job, int result, hed_error *error)
{
    char number[8];
    snprintf(number, sizeof number, "%d", FIRST);
    const char *const words[] = {program, number, NULL};
    const hed_worker_file files[] = {{HED_WORKER_THEIR_OUTPUT, STDOUT_FILENO},
        {HED_WORKER_THEIR_OUTPUT, STDERR_FILENO},
        {HED_WORKER_THEIR_SOCKET, FIRST + HED_WORKER_SOCKET}, {job, FIRST + HED_WORKER_JOB},
        {result, FIRST + HED_WORKER_RESULT}};
    int code = hed_worker_spawn(worker, words, files, HED_COUNT(files));
    worker->device = device;
    return code ? hed_fail(error, HED_ERROR_IO, "cannot start the worker %s: %s", program,
                      strerrordesc_np(code))
                : HED_OK;
}

/* ---- requests and replies ---- */

bool hed_worker_request_send(hed_worker *worker, hed_worker_request *request, double deadline)
{
    request->number = ++worker->number;
    worker->busy = true;
    worker->deadline = deadline;
    return hed_frame_write(
        worker->socket, HED_FRAME_REQUEST, request, sizeof *request, worker->patience);
}

void hed_worker_poll(const hed_worker *worker, struct pollfd *polled)
{
    polled[0] = (struct pollfd){.fd = worker->pid ? worker->socket : -1, .events = POLLIN};
    polled[1] = (struct pollfd){.fd = worker->pid ? worker->output : -1, .events = POLLIN};
}

/* Reads at most a pipe's capacity, in case the worker never stops writing; a closed output is not
 * read again. */
void hed_worker_listen(hed_worker *worker)
{
    char text[512];
    ssize_t got = 1;
    if (worker->output < 0) return;
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

static hed_worker_event worker_blame(hed_worker *worker, const char *fault, const char *cause)
{
    snprintf(worker->fault, sizeof worker->fault, "%s%.200s", fault, cause);
    return HED_WORKER_DIED;
}

/* True if a frame's header is valid in the present state. */
static bool worker_expects(const hed_worker *worker, const hed_frame *frame)
{
    switch (frame->kind) {
    case HED_FRAME_HELLO: return !worker->greeted && frame->size <= HED_HELLO_MOST;
    case HED_FRAME_REPLY:
    case HED_FRAME_BUILT: return worker->greeted && frame->size == sizeof(hed_worker_reply);
    case HED_FRAME_BYTES:
        return worker->bytes_to && !worker->bytes_came && frame->size == worker->bytes_size;
    case HED_FRAME_ALIVE: return frame->size == 0;
    default: return false;
    }
}

/* Removes the first bytes of the buffer. */
static void worker_drop(hed_worker *worker, size_t size)
{
    worker->filled -= size;
    memmove(worker->buffer, worker->buffer + size, worker->filled);
}

static hed_worker_event worker_take(
    hed_worker *worker, const hed_frame *frame, hed_worker_message *message)
{
    const unsigned char *payload = worker->buffer + sizeof *frame;
    hed_error cause = {0};
    message->kind = (hed_frame_kind)frame->kind;
    if (frame->kind == HED_FRAME_HELLO) {
        worker->greeted = true;
        worker->hello_size = sizeof *frame + frame->size;
        if (!hed_hello_read(payload, frame->size, &message->hello, &cause))
            return HED_WORKER_ANSWERED;
        return worker_blame(worker, "sent an invalid greeting: ", cause.text);
    }
    memcpy(&message->reply, payload, sizeof message->reply);
    worker_drop(worker, sizeof *frame + sizeof message->reply);
    if (hed_worker_reply_valid(&message->reply)) return HED_WORKER_ANSWERED;
    return worker_blame(worker, "sent a reply with values out of range", "");
}

/* Takes the first message of the buffer, and the ALIVE and BYTES before it. */
static hed_worker_event worker_take_first(hed_worker *worker, hed_worker_message *message)
{
    hed_frame frame;
    worker_drop(worker, worker->hello_size);
    worker->hello_size = 0;
    while (!worker->bytes_left) {
        const uint32_t magic = HED_FRAME_MAGIC;
        size_t present = worker->filled < sizeof magic ? worker->filled : sizeof magic;
        /* a login's greeting may be shorter than a frame */
        if (memcmp(worker->buffer, &magic, present) != 0)
            return worker_blame(worker, "sent an invalid reply", "");
        if (worker->filled < sizeof frame) return HED_WORKER_NOTHING;
        memcpy(&frame, worker->buffer, sizeof frame);
        if (!worker_expects(worker, &frame))
            return worker_blame(worker, "sent an invalid reply", "");
        bool is_message = frame.kind != HED_FRAME_ALIVE && frame.kind != HED_FRAME_BYTES;
        if (is_message && worker->filled < sizeof frame + frame.size) return HED_WORKER_NOTHING;
        if (is_message) return worker_take(worker, &frame, message);
        worker_drop(worker, sizeof frame);
        if (frame.kind == HED_FRAME_ALIVE) continue;
        size_t present_bytes = worker->filled < frame.size ? worker->filled : frame.size;
        memcpy(worker->bytes_to, worker->buffer, present_bytes);
        worker_drop(worker, present_bytes);
        worker->bytes_left = frame.size - present_bytes;
        worker->bytes_came = true;
    }
    return HED_WORKER_NOTHING;
}

hed_worker_event hed_worker_receive(hed_worker *worker, hed_worker_message *message)
{
    hed_worker_event event = worker_take_first(worker, message);
    if (event != HED_WORKER_NOTHING) return event;
    uint64_t *left = &worker->bytes_left;
    void *to = *left ? (char *)worker->bytes_to + (worker->bytes_size - *left)
                     : (void *)(worker->buffer + worker->filled);
    size_t room = *left ? *left : sizeof worker->buffer - worker->filled;
    ssize_t got = recv(worker->socket, to, room, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return HED_WORKER_NOTHING;
    if (got <= 0) return HED_WORKER_DIED;
    worker->heard = hed_worker_now();
    if (*left) *left -= (uint64_t)got;
    else worker->filled += (size_t)got;
    return worker_take_first(worker, message);
}

hed_worker_event hed_worker_handle_events(
    hed_worker *worker, const struct pollfd *polled, double now, hed_worker_message *message)
{
    hed_worker_event event = HED_WORKER_NOTHING;
    if (!worker->pid) return HED_WORKER_NOTHING;
    if (polled[1].revents) hed_worker_listen(worker);
    if (polled[0].revents) {
        while ((event = hed_worker_receive(worker, message)) == HED_WORKER_ANSWERED &&
               message->kind == HED_FRAME_HELLO)
            if (worker->device &&
                !hed_hello_describes(&message->hello, message->hello.info.id, worker->device))
                return worker_blame(worker, "has another device now, or another driver", "");
    }
    if (event == HED_WORKER_ANSWERED) {
        if (!worker->busy || message->reply.number != worker->number)
            return worker_blame(worker, "replied to an unknown request", "");
        worker->busy = false;
    }
    if (event) return event;
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

int hed_worker_close(hed_worker *worker, int milliseconds)
{
    if (worker->socket >= 0) close(worker->socket);
    int status = worker->pid ? reap(worker->pid, milliseconds) : -1;
    hed_worker_listen(worker);
    if (worker->output >= 0) close(worker->output);
    worker->pid = 0;
    worker->socket = worker->output = -1;
    return status;
}

const char *hed_worker_last_line(hed_worker *worker)
{
    uint32_t *end = &worker->tail_size;
    while (*end && strchr("\r\n ", worker->tail[*end - 1])) --*end;
    worker->tail[*end] = 0;
    const char *newline = strrchr(worker->tail, '\n');
    return newline ? newline + 1 : worker->tail;
}

void hed_worker_manner(int status, char *text, size_t size)
{
    text[0] = 0;
    if (status != -1 && WIFSIGNALED(status) && sigabbrev_np(WTERMSIG(status)))
        snprintf(text, size, "was ended by SIG%s", sigabbrev_np(WTERMSIG(status)));
    else if (status != -1 && WIFEXITED(status))
        snprintf(text, size, "ended with exit code %d", WEXITSTATUS(status));
}

static bool sent_from_outside(int status)
{
    int number = status != -1 && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    return number == SIGKILL || number == SIGTERM || number == SIGINT || number == SIGHUP ||
           number == SIGQUIT;
}

void hed_worker_request_end(const hed_worker *worker)
{
    if (worker->pid && !worker->busy) shutdown(worker->socket, SHUT_RDWR);
}

void hed_worker_end(
    hed_worker *worker, hed_worker_event event, char *text, size_t size, bool *outside)
{
    if (!worker->pid) return;
    char manner[64];
    bool ask = event == HED_WORKER_NOTHING && !worker->busy;
    /* a worker that closed its socket is about to exit: wait briefly for its status */
    int status = hed_worker_close(
        worker, ask || (event == HED_WORKER_DIED && !worker->fault[0]) ? ASKED_MS : 0);
    hed_worker_manner(status, manner, sizeof manner);
    const char *line = hed_worker_last_line(worker),
               *end = event == HED_WORKER_LATE      ? "was not done in time and was killed"
                      : event == HED_WORKER_STOPPED ? "was stopped"
                      : worker->fault[0]            ? worker->fault
                      : manner[0]                   ? manner
                                                    : "ended";
    if (text) snprintf(text, size, "the worker %s%s%.127s", end, line[0] ? ": " : "", line);
    if (outside) *outside = event == HED_WORKER_DIED && sent_from_outside(status);
    *worker =
        (hed_worker){.socket = -1, .output = -1, .life = worker->life, .number = worker->number};
}
