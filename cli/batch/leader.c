/* Leader of a batch: starts jobs, longest first; collects results; reassigns the job of a hand that
 * dies or is silent. One thread over poll(). */
#include "batch.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    MOST_STARTS = 4,
    /* factor on the patience for the first line of a hand, whose device must be initialised */
    HELLO_PATIENCE = 4,
    TICK_MS = 100,
    /* short jobs that a hand has in its stream, and their bytes, which its socket takes */
    MOST_AHEAD = 32,
    MOST_AHEAD_BYTES = 1 << 16,
    NO_JOB = -1
};
static const double PAGE_EVERY = 2, SAY_EVERY = 5, SYNC_EVERY = 0.1;

typedef struct leader_hand {
    enum { DISCONNECTED, STARTING, IDLE, BUSY } state;
    pid_t pid; /* 0: the caller passed a socket */
    batch_stream from;
    uint32_t starts;
    double heard, begun;
    int64_t job; /* NO_JOB: idle */
    FILE *log;   /* NULL: not open */
    uint32_t
        ahead_jobs[MOST_AHEAD]; /* (ahead_count) short jobs that were sent ahead, in this order */
    uint32_t ahead_count;
    char last_line[96]; /* last line of the job's output */
    char device[128];   /* id of the device on its machine */
} leader_hand;

typedef struct leader {
    const batch_def *def;
    batch_result *result;
    leader_hand *hands; /* (def->place_count) */
    double began, last_drawn, page_drawn;
    uint32_t *order; /* (def->list->count) job indices, longest first */
    uint32_t first;  /* first index in `order` that may be waiting */
    bool written;    /* the journal has lines that are not synced */
    double synced;
    uint32_t left;  /* jobs neither done nor failed */
    uint32_t lines; /* lines on the terminal */
    bool terminal;
    hed_status status; /* status of the journal */
    hed_error *error;
} leader;

static double leader_now(const leader *l) { return (double)hed_now() * 1e-9 - l->began; }

/* ---- starting hands ---- */

static int leader_spawn(const batch_place *place, int socket, pid_t *pid)
{
    char *shell[] = {"/bin/sh", "-c", (char *)(uintptr_t)place->command, NULL};
    char *hand_command[] = {"heddle", "batch", "hand", "--device", (char *)(uintptr_t)place->device, NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t no_signals, all_signals;
    sigemptyset(&no_signals);
    sigfillset(&all_signals);
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &no_signals);
    posix_spawnattr_setsigdefault(&attributes, &all_signals);
    /* separate session: Ctrl-C reaches the leader alone, and ssh has no terminal for a prompt */
    posix_spawnattr_setflags(
        &attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawn_file_actions_adddup2(&files, socket, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&files, socket, STDOUT_FILENO);
    posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
    int code = place->command
                   ? posix_spawn(pid, shell[0], &files, &attributes, shell, environ)
                   : posix_spawn(pid, "/proc/self/exe", &files, &attributes, hand_command, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return code;
}

static void leader_start(leader *l, uint32_t index)
{
    const batch_place *place = &l->def->places[index];
    leader_hand *h = &l->hands[index];
    int sockets[2] = {-1, -1};
    bool has_socket = !place->command && place->descriptor >= 0;
    h->state = DISCONNECTED;
    h->job = NO_JOB;
    h->ahead_count = 0;
    h->from.begin = h->from.size = 0;
    if (h->starts++ >= (has_socket ? 1 : MOST_STARTS)) return;
    if (has_socket) {
        sockets[0] = place->descriptor;
    } else if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) ||
               leader_spawn(place, sockets[1], &h->pid)) {
        h->pid = 0;
        if (sockets[0] >= 0) close(sockets[0]);
        if (sockets[1] >= 0) close(sockets[1]);
        return;
    }
    if (sockets[1] >= 0) close(sockets[1]);
    fcntl(sockets[0], F_SETFL, O_NONBLOCK);
    fcntl(sockets[0], F_SETFD, FD_CLOEXEC);
    h->from.descriptor = sockets[0];
    h->heard = h->begun = leader_now(l);
    h->state = STARTING;
    l->result->hands[index].is_lost = false;
    snprintf(l->result->hands[index].doing, sizeof l->result->hands[index].doing, "starting");
}

/* Closes the connection to a hand, which then ends its child and exits. */
static void leader_disconnect(leader_hand *h)
{
    if (h->state != DISCONNECTED) close(h->from.descriptor);
    h->state = DISCONNECTED;
}

/* Ends a hand, and waits for its end. */
static void leader_end_hand(leader_hand *h)
{
    leader_disconnect(h);
    for (int i = 0; i < 2000 && h->pid; i++) { /* the hand exits by itself, and ends its child */
        siginfo_t end = {0};
        int code = waitid(P_PID, (id_t)h->pid, &end, WEXITED | WNOHANG | WNOWAIT);
        if (end.si_pid == h->pid || (code && errno != EINTR)) break;
        poll(NULL, 0, 1);
    }
    if (h->pid) {
        kill(-h->pid, SIGKILL);
        waitpid(h->pid, NULL, 0);
    }
    h->pid = 0;
}

/* ---- jobs ---- */

static bool leader_note(leader *l, uint32_t index, int code)
{
    batch_result *r = l->result;
    leader_hand *h = &l->hands[index];
    if (r->try_count == r->try_capacity) {
        uint32_t capacity = r->try_capacity ? 2 * r->try_capacity : 256;
        batch_try *grown = realloc(r->tries, capacity * sizeof *grown);
        if (!grown) return false;
        r->tries = grown;
        r->try_capacity = capacity;
    }
    r->tries[r->try_count++] = (batch_try){.job = (uint32_t)h->job,
        .hand = index,
        .begin = h->begun,
        .end = leader_now(l),
        .code = code};
    return true;
}

/* Log of the job of a hand; NULL: it cannot be written. A short job's log is opened when something
 * has to be written. */
static FILE *leader_log(leader *l, uint32_t index)
{
    leader_hand *h = &l->hands[index];
    const batch_job *job = &l->def->list->jobs[h->job];
    if (h->log || !(h->log = batch_log_open(l->def->logs, job))) return h->log;
    fprintf(h->log, "== try %u on %s: heddle", job->tries, l->result->hands[index].device);
    for (uint32_t i = 0; i < job->count; i++) fprintf(h->log, " %s", job->words[i]);
    fputc('\n', h->log);
    if (!job->is_short) fflush(h->log);
    return h->log;
}

/* Collects an attempt's result. `result` has the code and the digests; its device and times are
 * filled in. */
static void leader_finish(leader *l, uint32_t index, batch_end result, const char *reason)
{
    leader_hand *h = &l->hands[index];
    batch_hand_view *view = &l->result->hands[index];
    batch_job *job = &l->def->list->jobs[h->job];
    hed_error error = {0};
    double end = leader_now(l);
    bool good = result.code == 0;
    if (good && strncmp(result.digest, "0:", 2) == 0)
        hed_fail(&error, HED_ERROR_IO, "it ended well and its result, %s, has 0 bytes", job->output);
    else if (good) batch_job_end(l->def->list, job, (uint32_t)h->job, true, &error);
    if (hed_failed(&error)) {
        good = false;
        result.code = HED_EXIT_FAILURE;
        reason = error.text;
    }
    int code = result.code;
    result.device = view->device;
    result.begin = h->begun;
    result.end = end;
    if (!good) batch_job_end(l->def->list, job, (uint32_t)h->job, false, &(hed_error){0});
    bool retries = !good && (code < 0 || code == BATCH_LOST) && job->tries < BATCH_MOST_TRIES;
    if (!l->status) l->status = batch_journal_add(l->def->journal, job, &result, l->error);
    l->written = true;
    if (retries) l->first = 0;
    if (!leader_note(l, index, code) && !l->status)
        l->status = HED_OUT_OF_MEMORY(l->error, "the time line");
    job->state = good ? BATCH_DONE : retries ? BATCH_WAITING : BATCH_FAILED;
    job->seconds = end - h->begun;
    job->avoid = index + 1;
    if (!good) snprintf(job->failure, sizeof job->failure, "%.150s", reason);
    if (leader_log(l, index)) {
        fprintf(h->log, "== %s after %.3f s%s%s\n",
            good      ? "done"
            : retries ? "to be tried again"
                      : "failed",
            end - h->begun, good ? "" : ": ", good ? "" : reason);
        fclose(h->log);
    }
    h->log = NULL;
    l->left -= !retries;
    view->busy += end - h->begun;
    view->done += good;
    view->failed += !good;
    h->job = NO_JOB;
}

/* Takes back the jobs that were sent ahead: they have not begun. */
static void leader_take_back(leader *l, leader_hand *h)
{
    if (h->ahead_count) l->first = 0;
    for (uint32_t i = 0; i < h->ahead_count; i++) {
        batch_job *job = &l->def->list->jobs[h->ahead_jobs[i]];
        batch_job_end(l->def->list, job, h->ahead_jobs[i], false, &(hed_error){0});
        job->state = BATCH_WAITING;
        job->tries--;
    }
    h->ahead_count = 0;
}

static void leader_lose(leader *l, uint32_t index, const char *reason)
{
    leader_hand *h = &l->hands[index];
    batch_hand_view *view = &l->result->hands[index];
    bool greeted = h->state >= IDLE;
    if (h->job != NO_JOB)
        leader_finish(l, index, (batch_end){.code = BATCH_LOST, .digest = "-"}, reason);
    if (h->pid) kill(-h->pid, SIGKILL);
    leader_end_hand(h);
    leader_take_back(l, h);
    view->is_lost = true;
    snprintf(view->doing, sizeof view->doing, "lost: %s", reason);
    if (greeted && !hed_interrupted())
        leader_start(l, index); /* a hand that never connected is not restarted */
}

/* Next job for a hand: the longest waiting one; a job that has failed on this hand is left to
 * another, if there is one. */
static int64_t leader_next(leader *l, uint32_t index)
{
    const batch_job *jobs = l->def->list->jobs;
    uint32_t alive = 0, count = l->def->list->count;
    for (uint32_t i = 0; i < l->def->place_count; i++) alive += l->hands[i].state != DISCONNECTED;
    while (l->first < count && jobs[l->order[l->first]].state != BATCH_WAITING) l->first++;
    for (uint32_t i = l->first; i < count; i++) {
        const batch_job *job = &jobs[l->order[i]];
        if (job->state == BATCH_WAITING && (job->avoid != index + 1 || alive < 2))
            return l->order[i];
    }
    return NO_JOB;
}

/* Order of jobs: longest first, then by index. */
static int leader_order(const void *a, const void *b, void *user)
{
    const batch_job *jobs = user;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    if (jobs[x].cost > jobs[y].cost) return -1;
    if (jobs[x].cost < jobs[y].cost) return 1;
    return (x > y) - (x < y);
}

/* Sends a job: its number, folder, result and words, with `part` instead of the result. */
static bool leader_send(const leader *l, const leader_hand *h, int64_t index, const char *part)
{
    const batch_job *job = &l->def->list->jobs[index];
    enum { BEFORE = 5, AFTER = 2 }; /* fields around the words */
    const char **fields = calloc(BEFORE + job->count + AFTER, sizeof *fields);
    uint32_t count = 0;
    char number[32];
    if (!fields) return false;
    snprintf(number, sizeof number, "%lld", (long long)index);
    fields[count++] = "job";
    fields[count++] = number;
    fields[count++] = l->def->list->folder;
    fields[count++] = part;
    fields[count++] = job->is_stdout ? "stdout" : "";
    for (uint32_t i = 0; i < job->count; i++)
        fields[count++] =
            !job->is_stdout && strcmp(job->words[i], job->output) == 0 ? part : job->words[i];
    if (job->takes_device) fields[count++] = "--device";
    if (job->takes_device) fields[count++] = h->device;
    bool good = batch_send(h->from.descriptor, fields, count);
    free(fields);
    return good;
}

/* Makes the job of a hand the one that runs from now on. */
static void leader_begin(leader *l, uint32_t index, uint32_t job)
{
    leader_hand *h = &l->hands[index];
    batch_hand_view *view = &l->result->hands[index];
    h->job = job;
    h->begun = leader_now(l);
    h->last_line[0] = 0;
    h->state = BUSY;
    if (!l->def->list->jobs[job].is_short) leader_log(l, index);
    snprintf(view->doing, sizeof view->doing, "%.100s", l->def->list->jobs[job].name);
}

static void leader_hand_out(leader *l, uint32_t index)
{
    leader_hand *h = &l->hands[index];
    int64_t next = leader_next(l, index);
    char part[8192];
    hed_error error = {0};
    if (next == NO_JOB) return;
    batch_job *job = &l->def->list->jobs[next];
    job->tries++;
    job->state = BATCH_RUNNING;
    leader_begin(l, index, (uint32_t)next);
    if (batch_job_begin(l->def->list, job, (uint32_t)next, part, sizeof part, &error)) {
        h->state = IDLE;
        leader_finish(l, index, (batch_end){.code = HED_EXIT_FAILURE, .digest = "-"}, error.text);
        return;
    }
    if (!leader_send(l, h, next, part)) leader_lose(l, index, "it takes no job");
}

/* True if a job may be sent to a hand ahead. The last jobs are not: a free hand may begin them
 * earlier. */
static bool leader_takes_ahead(const leader *l, const leader_hand *h, const batch_job *job)
{
    const batch_job *jobs = l->def->list->jobs;
    size_t frame = 2 * strlen(l->def->list->folder) + 512; /* fields around the words */
    size_t bytes = job->bytes + frame;
    for (uint32_t i = 0; i < h->ahead_count; i++) bytes += jobs[h->ahead_jobs[i]].bytes + frame;
    return job->is_short && jobs[h->job].is_short && bytes <= MOST_AHEAD_BYTES;
}

/* Sends short jobs ahead, so that the hand begins the next one while its former jobs are being
 * finished here, and while the journal is synced. */
static void leader_send_ahead(leader *l, uint32_t index)
{
    leader_hand *h = &l->hands[index];
    while (h->state == BUSY && h->ahead_count < MOST_AHEAD &&
           h->ahead_count < l->left / (4 * l->def->place_count)) {
        int64_t next = leader_next(l, index);
        batch_job *job = next == NO_JOB ? NULL : &l->def->list->jobs[next];
        char part[8192];
        if (!job || !leader_takes_ahead(l, h, job)) return;
        job->tries++;
        if (batch_job_begin(
                l->def->list, job, (uint32_t)next, part, sizeof part, &(hed_error){0})) {
            job->tries--; /* leader_hand_out() will report it */
            return;
        }
        job->state = BATCH_RUNNING;
        h->ahead_jobs[h->ahead_count++] = (uint32_t)next;
        if (!leader_send(l, h, next, part)) leader_lose(l, index, "it takes no job");
    }
}

/* ---- lines from hands ---- */

/* Stores the last line that is not empty. */
static void leader_remember(leader_hand *h, const char *text)
{
    size_t end = strlen(text), begin;
    while (end && (text[end - 1] == '\n' || text[end - 1] == ' ')) end--;
    for (begin = end; begin && text[begin - 1] != '\n';) begin--;
    if (end > begin)
        snprintf(h->last_line, sizeof h->last_line, "%.*s", (int)(end - begin), text + begin);
}

/* Names a hand "node7 cuda:0"; a second hand of that name gets a number. */
static void leader_name(leader *l, uint32_t index, const char *machine, const char *device)
{
    char name[256];
    uint32_t number = 1;
    snprintf(name, sizeof name, "%.100s %.100s", machine, device);
    for (uint32_t i = 0; i < l->def->place_count; i++) {
        const char *name_of_other = l->result->hands[i].device;
        size_t size = strlen(name);
        number += i != index && strncmp(name_of_other, name, size) == 0 &&
                  (!name_of_other[size] || name_of_other[size + 1] == '(');
    }
    batch_hand_view *view = &l->result->hands[index];
    snprintf(view->device, sizeof view->device, number > 1 ? "%.220s (%u)" : "%.220s", name, number);
}

enum { DONE_FIELDS = 5 }; /* fields before the inputs */

static bool leader_take(leader *l, uint32_t index, const char **fields, uint32_t count)
{
    leader_hand *h = &l->hands[index];
    batch_hand_view *view = &l->result->hands[index];
    bool ours = h->job != NO_JOB && count >= 2 && strtoll(fields[1], NULL, 10) == h->job;
    if (strcmp(fields[0], "alive") == 0 && count == 1) return true;
    if (strcmp(fields[0], "hello") == 0 && count == 4 && h->state == STARTING) {
        if (strcmp(fields[1], HED_VERSION_TEXT) != 0 || strlen(fields[3]) >= sizeof h->device)
            return false;
        snprintf(h->device, sizeof h->device, "%s", fields[3]);
        leader_name(l, index, fields[2], fields[3]);
        snprintf(view->doing, sizeof view->doing, "waiting");
        h->state = IDLE;
        return true;
    }
    if (strcmp(fields[0], "log") == 0 && count == 3 && ours) {
        if (leader_log(l, index)) fputs(fields[2], h->log);
        leader_remember(h, fields[2]);
        return true;
    }
    if (strcmp(fields[0], "done") != 0 || count < DONE_FIELDS || (count - DONE_FIELDS) % 2 ||
        !ours || h->state != BUSY)
        return false;
    char *end, reason[160];
    long code = strtol(fields[2], &end, 10);
    if (*end || end == fields[2] || code < -64 || code > 255) return false;
    const char *name = code < 0 ? sigabbrev_np((int)-code) : NULL;
    const char *before = h->last_line[0] ? ": " : "";
    snprintf(reason, sizeof reason, "it ended with exit code %ld%s%s", code, before, h->last_line);
    if (name) snprintf(reason, sizeof reason, "it was ended by SIG%s%s%s", name, before, h->last_line);
    snprintf(view->doing, sizeof view->doing, "waiting");
    h->state = IDLE;
    leader_finish(l, index,
        (batch_end){.code = (int)code,
            .digest = fields[4],
            .inputs = fields + DONE_FIELDS,
            .input_count = count - DONE_FIELDS},
        reason);
    if (!h->ahead_count) return true;
    uint32_t next = h->ahead_jobs[0];
    memmove(h->ahead_jobs, h->ahead_jobs + 1, --h->ahead_count * sizeof *h->ahead_jobs);
    leader_begin(l, index, next);
    return true;
}

static void leader_hear(leader *l, uint32_t index)
{
    leader_hand *h = &l->hands[index];
    uint32_t count;
    bool has_more = batch_stream_fill(&h->from);
    h->heard = leader_now(l);
    while (h->state != DISCONNECTED && (count = batch_stream_next(&h->from)))
        if (!leader_take(l, index, h->from.fields.items, count)) {
            leader_lose(l, index, "it sent an invalid line");
            return;
        }
    if (!has_more) leader_lose(l, index, "it has ended");
}

/* ---- progress ---- */

static void leader_counts(const leader *l, uint32_t *done, uint32_t *failed)
{
    *done = *failed = 0;
    for (uint32_t i = 0; i < l->def->list->count; i++) {
        *done += l->def->list->jobs[i].state == BATCH_DONE;
        *failed += l->def->list->jobs[i].state == BATCH_FAILED;
    }
}

/* Estimated seconds until the end, from the times per cost so far; NAN without data. */
static double leader_seconds_left(const leader *l)
{
    double cost = 0, seconds = 0, left = 0;
    uint32_t hands = 0;
    for (uint32_t i = 0; i < l->def->list->count; i++) {
        const batch_job *job = &l->def->list->jobs[i];
        if (job->state == BATCH_DONE && job->seconds > 0) {
            cost += job->cost;
            seconds += job->seconds;
        } else if (job->state == BATCH_WAITING || job->state == BATCH_RUNNING) {
            left += job->cost;
        }
    }
    for (uint32_t i = 0; i < l->def->place_count; i++) hands += l->hands[i].state != DISCONNECTED;
    return cost > 0 && hands ? left * seconds / cost / hands : (double)NAN;
}

static void leader_show(leader *l)
{
    double now = leader_now(l), left;
    uint32_t done, failed;
    char rest[48] = "";
    if (l->def->quiet || now - l->last_drawn < (l->terminal ? 0.2 : SAY_EVERY)) return;
    l->last_drawn = now;
    left = leader_seconds_left(l);
    leader_counts(l, &done, &failed);
    if (isfinite(left))
        snprintf(rest, sizeof rest, left < 99.5 ? ", %.0f s left" : ", %.0f min left",
            left < 99.5 ? left : left / 60);
    if (l->lines) fprintf(stderr, "\r\033[%uA\033[J", l->lines);
    fprintf(stderr, "batch: %u of %u done, %u failed, %.0f s%s\n", done, l->def->list->count,
        failed, now, rest);
    l->lines = l->terminal ? 1 : 0;
    for (uint32_t i = 0; l->terminal && i < l->def->place_count && i < 16; i++, l->lines++) {
        const batch_hand_view *view = &l->result->hands[i];
        fprintf(stderr, "  %-22.22s %4u done, %.45s\n", view->device, view->done, view->doing);
    }
    fflush(stderr);
}

static void leader_page(leader *l, bool last)
{
    double now = leader_now(l);
    hed_error error = {0};
    l->result->seconds = now;
    if (!l->def->page || (!last && now - l->page_drawn < PAGE_EVERY)) return;
    l->page_drawn = now;
    if (batch_page_write(l->def, l->result, &error) && last && !l->status)
        l->status = hed_fail(l->error, error.status, "%s", error.text);
}

/* ---- main loop ---- */

static void leader_turn(leader *l)
{
    struct pollfd polled[BATCH_MOST_HANDS];
    for (uint32_t i = 0; i < l->def->place_count; i++) {
        if (l->hands[i].state == IDLE && !l->status) leader_hand_out(l, i);
        if (!l->status) leader_send_ahead(l, i);
        bool connected = l->hands[i].state != DISCONNECTED;
        polled[i] =
            (struct pollfd){.fd = connected ? l->hands[i].from.descriptor : -1, .events = POLLIN};
    }
    poll(polled, l->def->place_count, TICK_MS);
    for (uint32_t i = 0; i < l->def->place_count; i++) {
        char reason[64];
        if (l->hands[i].state == DISCONNECTED) continue;
        bool late = l->hands[i].state == STARTING &&
                    leader_now(l) - l->hands[i].begun > HELLO_PATIENCE * l->def->patience;
        if (late) leader_lose(l, i, "it is alive and does not tell its device");
        else if (polled[i].revents) leader_hear(l, i);
        else if (leader_now(l) - l->hands[i].heard > l->def->patience) {
            snprintf(reason, sizeof reason, "it sent nothing for %g s", l->def->patience);
            leader_lose(l, i, reason);
        }
    }
}

/* Syncs the journal to disk, for many short jobs at once: at most every tenth of a second. */
static void leader_sync(leader *l, bool last)
{
    double now = leader_now(l);
    if (!l->written || (!last && now - l->synced < SYNC_EVERY)) return;
    l->written = false;
    l->synced = now;
    if (!l->status) l->status = batch_journal_sync(l->def->journal, l->error);
}

static bool leader_busy(const leader *l)
{
    for (uint32_t i = 0; i < l->def->place_count; i++)
        if (l->hands[i].state != DISCONNECTED && (!l->status || l->hands[i].job != NO_JOB))
            return true;
    return false;
}

/* Ends all hands, first all and then one after the other, since a driver takes tenths of a second
 * to end. Jobs that have not ended wait for the next run. */
static void leader_end(leader *l)
{
    for (uint32_t i = 0; i < l->def->place_count; i++) {
        leader_hand *h = &l->hands[i];
        if (h->state != DISCONNECTED && h->job != NO_JOB && h->pid) kill(-h->pid, SIGTERM);
        leader_disconnect(h);
    }
    for (uint32_t i = 0; i < l->def->place_count; i++) {
        leader_hand *h = &l->hands[i];
        batch_hand_view *view = &l->result->hands[i];
        leader_end_hand(h);
        if (h->job != NO_JOB) {
            batch_job *job = &l->def->list->jobs[h->job];
            batch_job_end(l->def->list, job, (uint32_t)h->job, false, &(hed_error){0});
            job->state = BATCH_WAITING;
            job->tries--;
        }
        leader_take_back(l, h);
        if (h->log) fclose(h->log);
        if (!view->is_lost) snprintf(view->doing, sizeof view->doing, "ended");
    }
}

hed_status batch_lead(const batch_def *def, batch_result *result, hed_error *error)
{
    leader l = {.def = def,
        .result = result,
        .began = (double)hed_now() * 1e-9,
        .terminal = isatty(STDERR_FILENO) == 1,
        .error = error};
    *result = (batch_result){.hand_count = def->place_count};
    l.hands = calloc(def->place_count, sizeof *l.hands);
    l.order = calloc(def->list->count + 1, sizeof *l.order);
    if (!l.hands || !l.order) {
        free(l.hands);
        free(l.order);
        return HED_OUT_OF_MEMORY(error, "the hands");
    }
    for (uint32_t i = 0; i < def->list->count; i++) l.order[i] = i;
    qsort_r(l.order, def->list->count, sizeof *l.order, leader_order, def->list->jobs);
    mkdir(def->logs, 0777);
    batch_list_sweep(def->list);
    for (uint32_t i = 0; i < def->list->count; i++)
        l.left += def->list->jobs[i].state == BATCH_WAITING;
    for (uint32_t i = 0; i < def->place_count; i++) {
        snprintf(result->hands[i].device, sizeof result->hands[i].device, "%s",
            def->places[i].command ? def->places[i].command : def->places[i].device);
        l.hands[i].job = NO_JOB;
        if (l.left) leader_start(&l, i);
    }
    while (l.left && leader_busy(&l) && !hed_interrupted()) {
        leader_turn(&l);
        leader_sync(&l, false);
        leader_show(&l);
        leader_page(&l, false);
    }
    leader_end(&l);
    leader_sync(&l, true);
    result->stopped = hed_interrupted();
    leader_page(&l, true);
    if (l.lines) fprintf(stderr, "\r\033[%uA\033[J", l.lines);
    for (uint32_t i = 0; i < def->place_count; i++) batch_stream_free(&l.hands[i].from);
    free(l.hands);
    free(l.order);
    if (!l.status && l.left && !result->stopped)
        l.status = hed_fail(error, HED_ERROR_LOST,
            "no device is left for %u jobs: %s: %s; --resume does the rest", l.left,
            result->hands[0].device, result->hands[0].doing);
    return l.status;
}
