/* Device at the end of a stream, and its runner: see remote_device.h. A worker that is silent or sends
 * invalid data is lost, and so is its device. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/text.h"
#include "core/objects.h"
#include "workers/remote_device.h"

enum {
    OPEN_SECONDS = 120, /* s, to open a job, plus the time of copying: drivers are slow to start */
    ENDED_MS = 2000,    /* ms for the command to end after its connection is closed */
    PIECE = 1 << 20,    /* bytes of a job sent at once */
    BUILDING = 256      /* maximum number of candidates compiled ahead */
};
#define TICK 0.1 /* s between two calls of idle() */
/* factor of the patience for the first HELLO, whose device must be initialised */
#define HELLO_PATIENCE 4
#define PATIENCE 30    /* s */
#define COPY_RATE 10e6 /* assumed minimum bandwidth of a network, bytes/s */

/* Connection to a worker; `impl` of a remote device. */
typedef struct remote {
    /* the device's: the backend for described devices, with the real backend's name and
     * languages */
    hed_backend backend;
    hed_allocator allocator;
    char command[256]; /* abridged for messages */
    char *line;        /* (line_size) the full command; NULL: the caller passed a descriptor */
    size_t line_size;
    hed_worker worker;
    char machine[256]; /* name of the worker's host */
    uint32_t sharers;  /* devices of that machine */
    bool is_lost;
    char reason[HED_ERROR_TEXT];
} remote;

typedef struct remote_runner {
    hed_runner runner;
    hed_runner_def def;
    hed_allocator allocator;
    remote *at;
    double copy_seconds;
    struct {
        uint32_t number; /* 0: unused */
        hed_config config;
    } building[BUILDING];
    hed_trial_queue done;
} remote_runner;

static remote_runner *remote_of(hed_runner *runner) { return (remote_runner *)runner; }

/* ---- the end of a connection ---- */

static hed_worker_event remote_lose(remote *r, const char *reason)
{
    char end[64];
    if (r->is_lost) return HED_WORKER_DIED;
    r->is_lost = true;
    hed_worker_manner(hed_worker_close(&r->worker, ENDED_MS), end, sizeof end);
    const char *line = hed_worker_last_line(&r->worker);
    snprintf(r->reason, sizeof r->reason, "the worker behind \"%s\" %.511s%s%s%s%.127s", r->command,
        reason, end[0] ? "; it " : "", end, line[0] ? "; its last output: " : "", line);
    return HED_WORKER_DIED;
}

/* ---- receiving ---- */

/* Waits for a message. `def`: its idle() (nullable) is called. Within HED_FRAME_BYTES neither idle() nor
 * `until` ends the wait alone: their rest would be taken for a frame. */
static hed_worker_event remote_receive(
    remote *r, const hed_runner_def *def, double until, hed_worker_message *message)
{
    hed_worker *worker = &r->worker;
    while (!r->is_lost) {
        hed_worker_event event = hed_worker_receive(worker, message);
        if (event == HED_WORKER_ANSWERED) return event;
        if (event == HED_WORKER_DIED)
            return remote_lose(r, worker->fault[0] ? worker->fault : "has closed the connection");
        bool stopped = def->idle && def->idle(def->user);
        if (stopped && worker->bytes_left) return remote_lose(r, "was abandoned");
        if (stopped) return HED_WORKER_STOPPED;
        if (!worker->bytes_left && hed_worker_now() >= until) return HED_WORKER_LATE;
        if (hed_worker_now() - worker->heard > worker->patience) {
            char reason[64];
            snprintf(reason, sizeof reason, "sent nothing for %g s", worker->patience);
            return remote_lose(r, reason);
        }
        struct pollfd polled[] = {
            {.fd = worker->socket, .events = POLLIN}, {.fd = worker->output, .events = POLLIN}};
        poll(polled, 2, (int)(TICK * 1000));
        if (polled[1].revents) hed_worker_listen(worker);
    }
    return HED_WORKER_DIED;
}

/* Sends a request; false if the worker is lost. */
static bool remote_send(remote *r, hed_worker_request *request)
{
    if (!r->is_lost && !hed_worker_request_send(&r->worker, request, INFINITY))
        remote_lose(r, "accepts no more data");
    return !r->is_lost;
}

/* ---- the runner: requests ---- */

static hed_status remote_fail(remote_runner *runner, hed_error *error)
{
    runner->runner.lost = true;
    return hed_fail(error, HED_ERROR_LOST, "%s", runner->at->reason);
}

static void remote_note_built(remote_runner *runner, const hed_worker_reply *reply)
{
    for (uint32_t i = 0; i < BUILDING; i++) {
        if (!runner->building[i].number || runner->building[i].number != reply->number) continue;
        runner->building[i].number = 0;
        /* the queue has space: see remote_build_ahead() */
        hed_trial_queue_put(&runner->done, &runner->building[i].config, &reply->trial, NULL);
    }
}

/* Sends a request and waits for its reply. Late replies to earlier, cancelled requests are skipped. */
static hed_worker_event remote_converse(
    remote_runner *runner, hed_worker_request *request, double seconds, hed_worker_message *message)
{
    remote *r = runner->at;
    const hed_worker_reply *reply = &message->reply;
    double until = hed_worker_now() + seconds;
    if (!remote_send(r, request)) return HED_WORKER_DIED;
    for (;;) {
        hed_worker_event event = remote_receive(r, &runner->def, until, message);
        if (event == HED_WORKER_LATE) return remote_lose(r, "is alive but does not reply");
        if (event != HED_WORKER_ANSWERED) return event;
        if (message->kind == HED_FRAME_BUILT) remote_note_built(runner, reply);
        else if (reply->number == request->number) return HED_WORKER_ANSWERED;
        else if (reply->number > request->number)
            return remote_lose(r, "replied to an unknown request");
    }
}

/* Sends a request and waits for the reply; its result for the candidate is stored in `trial`. */
static hed_status remote_request(remote_runner *runner, hed_worker_request *request, double seconds,
    hed_worker_message *message, hed_trial *trial, hed_error *error)
{
    remote *r = runner->at;
    const hed_worker_reply *reply = &message->reply;
    hed_worker_event event = remote_converse(runner, request, seconds, message);
    runner->runner.lost = r->is_lost;
    *trial = hed_local_new_trial();
    if (event == HED_WORKER_STOPPED) trial->outcome = HED_OUTCOME_DROPPED;
    if (event == HED_WORKER_STOPPED) return HED_OK;
    if (event == HED_WORKER_DIED) return remote_fail(runner, error);
    *trial = reply->trial;
    if (reply->is_lost) {
        remote_lose(r, reply->text[0] ? reply->text : "has lost its device");
        return remote_fail(runner, error);
    }
    return reply->status ? hed_fail(error, reply->status, "%s", reply->text) : HED_OK;
}

static double remote_seconds(const remote_runner *runner, uint32_t runs)
{
    const hed_runner_def *def = &runner->def;
    double run_seconds = def->timeout_seconds + 2e-3 * HED_ENERGY_LEAST_MS;
    /* the worker may have to prepare the candidate again, twice if one was killed */
    return 3 * (HED_BUILD_SECONDS + OPEN_SECONDS + def->compile_seconds + 2 * runner->copy_seconds +
                   (runs + 1) * run_seconds);
}

static hed_status remote_prepare(
    hed_runner *runner, uint32_t slot, const hed_config *config, hed_trial *trial, hed_error *error)
{
    remote_runner *client = remote_of(runner);
    const hed_runner_def *def = &client->def;
    hed_worker_message message = {0};
    hed_worker_request request = {.task = HED_TASK_BUILD, .slot = slot, .config = *config};
    if (!hed_runner_accepts(def, config, trial)) return HED_OK;
    def->kernel->geometry(def->kernel, config, def->problem, &request.geometry);
    return remote_request(client, &request, remote_seconds(client, 1), &message, trial, error);
}

static hed_status remote_time(hed_runner *runner, uint32_t slot, uint32_t runs, double *values,
    hed_trial *trial, hed_error *error)
{
    remote_runner *client = remote_of(runner);
    hed_worker_message message = {0};
    *trial = hed_local_new_trial();
    for (uint32_t done = 0; done < runs && !hed_failed(error) && !trial->outcome;) {
        uint32_t batch = runs - done < HED_WORKER_VALUES ? runs - done : HED_WORKER_VALUES;
        hed_worker_request request = {.task = HED_TASK_TIME, .slot = slot, .runs = batch};
        if (remote_request(
                client, &request, remote_seconds(client, batch), &message, trial, error) ||
            trial->outcome)
            break;
        if (message.reply.count != batch) {
            remote_lose(client->at, "sent a wrong number of times");
            return remote_fail(client, error);
        }
        memcpy(values + done, message.reply.values, batch * sizeof *values);
        done += batch;
    }
    return error->status;
}

static hed_status remote_output(hed_runner *runner, uint32_t slot, uint32_t argument,
    uint32_t pattern, void *data, hed_trial *trial, hed_error *error)
{
    remote_runner *client = remote_of(runner);
    remote *r = client->at;
    hed_worker *worker = &r->worker;
    hed_worker_message message = {0};
    hed_worker_request request = {
        .task = HED_TASK_OUTPUT, .slot = slot, .argument = argument, .pattern = pattern};
    worker->bytes_to = data;
    worker->bytes_size = client->def.arguments[argument].bytes;
    worker->bytes_came = false;
    hed_status status =
        remote_request(client, &request, remote_seconds(client, 1), &message, trial, error);
    worker->bytes_to = NULL;
    if (status || trial->outcome || worker->bytes_came) return status;
    remote_lose(r, "sent no result");
    return remote_fail(client, error);
}

static hed_status remote_build_ahead(hed_runner *runner, const hed_config *config, hed_error *error)
{
    remote_runner *client = remote_of(runner);
    const hed_runner_def *def = &client->def;
    uint32_t place = 0, pending = 1;
    for (uint32_t i = 0; i < BUILDING; i++) pending += client->building[i].number != 0;
    while (place < BUILDING && client->building[place].number) place++;
    hed_trial trial;
    if (hed_trial_queue_reserve(&client->done, pending, error)) return error->status;
    if (!hed_runner_accepts(def, config, &trial) || place == BUILDING)
        return hed_trial_queue_put(&client->done, config, &trial, error);
    hed_worker_request request = {.task = HED_TASK_COMPILE, .config = *config};
    def->kernel->geometry(def->kernel, config, def->problem, &request.geometry);
    runner->lost = !remote_send(client->at, &request);
    client->building[place].number = request.number;
    client->building[place].config = *config;
    return runner->lost ? remote_fail(client, error) : HED_OK;
}

static bool remote_built(hed_runner *runner, double seconds, hed_config *config, hed_trial *trial)
{
    remote_runner *client = remote_of(runner);
    double until = hed_worker_now() + seconds;
    while (hed_trial_queue_empty(&client->done)) {
        hed_worker_message message;
        if (remote_receive(client->at, &client->def, until, &message) != HED_WORKER_ANSWERED) break;
        if (message.kind == HED_FRAME_BUILT) remote_note_built(client, &message.reply);
    }
    runner->lost = client->at->is_lost;
    return hed_trial_queue_take(&client->done, config, trial);
}

/* ---- the runner: creation and destruction ---- */

static void remote_destroy(hed_runner *runner)
{
    remote_runner *client = remote_of(runner);
    hed_allocator allocator = client->allocator;
    hed_trial_queue_free(&client->done);
    hed_release(&allocator, client, sizeof *client);
}

static const hed_runner_kind REMOTE = {.destroy = remote_destroy,
    .build_ahead = remote_build_ahead,
    .built = remote_built,
    .prepare = remote_prepare,
    .time = remote_time,
    .output = remote_output};

/* Sends a job with all its data, once per runner. */
static void remote_send_job(remote_runner *runner, int job, hed_error *error)
{
    remote *r = runner->at;
    hed_worker *worker = &r->worker;
    struct stat about = {0};
    const hed_runner_def *def = &runner->def;
    const hed_frame_job head = {.timeout_seconds = def->timeout_seconds,
        .compile_seconds = def->compile_seconds,
        .least_timeout_seconds = def->least_timeout_seconds,
        .builders = def->builders,
        .sharers = r->sharers};
    char *piece = hed_allocate(&runner->allocator, PIECE);
    if (!piece) HED_OUT_OF_MEMORY(error, "a job");
    else if (fstat(job, &about))
        hed_fail(error, HED_ERROR_IO, "cannot read a job: %s", strerrordesc_np(errno));
    const hed_frame frame = {.magic = HED_FRAME_MAGIC,
        .kind = HED_FRAME_JOB,
        .size = sizeof head + (uint64_t)about.st_size};
    bool good = !hed_failed(error) &&
                hed_stream_write_all(worker->socket, &frame, sizeof frame, worker->patience) &&
                hed_stream_write_all(worker->socket, &head, sizeof head, worker->patience);
    for (off_t at = 0; good && at < about.st_size;) {
        ssize_t got = pread(job, piece, PIECE, at);
        good = got > 0 &&
               hed_stream_write_all(worker->socket, piece, (size_t)got, worker->patience) &&
               !(def->idle && def->idle(def->user));
        at += got > 0 ? got : 0;
    }
    hed_release(&runner->allocator, piece, PIECE);
    worker->heard = hed_worker_now();
    if (!good && !hed_failed(error)) {
        remote_lose(r, "did not take the job");
        remote_fail(runner, error);
    }
}

static void remote_open(remote_runner *runner, hed_error *error)
{
    hed_worker_message message = {0};
    hed_worker_request request = {.task = HED_TASK_OPEN};
    uint64_t total = 0;
    int job = -1;
    for (uint32_t i = 0; i < runner->def.kernel->argument_count; i++)
        total += runner->def.arguments[i].bytes;
    runner->copy_seconds = 2 + (double)total / COPY_RATE;
    if (runner->at->is_lost) remote_fail(runner, error);
    else if (!hed_worker_job_pack(&runner->def, "", &job, error))
        remote_send_job(runner, job, error);
    if (job >= 0) close(job);
    if (hed_failed(error)) return;
    const hed_worker_reply *reply = &message.reply;
    hed_worker_event event =
        remote_converse(runner, &request, OPEN_SECONDS + 2 * runner->copy_seconds, &message);
    if (event == HED_WORKER_STOPPED) remote_lose(runner->at, "was abandoned");
    if (event != HED_WORKER_ANSWERED) remote_fail(runner, error);
    else if (reply->status)
        hed_fail(error, reply->status, "%s: %s", hed_device_describe(runner->def.device).id,
            reply->text);
    runner->runner.builders = reply->count;
    runner->runner.device_time = reply->device_time;
}

hed_status hed_runner_create_remote(
    const hed_runner_def *def, hed_runner **runner, hed_error *error)
{
    hed_allocator allocator = *hed_allocator_of(def->device);
    remote_runner *instance = hed_allocate(&allocator, sizeof *instance);
    *runner = NULL;
    if (!instance) return HED_OUT_OF_MEMORY(error, "the tuning of %s", def->kernel->name);
    instance->runner.kind = &REMOTE;
    instance->def = *def;
    instance->allocator = instance->done.allocator = allocator;
    instance->at = def->device->impl;
    remote_open(instance, error);
    if (hed_failed(error)) remote_destroy(&instance->runner);
    else *runner = &instance->runner;
    return error->status;
}

/* ---- the device ---- */

static void remote_close(hed_device *device)
{
    remote *r = device->impl;
    hed_allocator allocator = r->allocator;
    hed_worker_close(&r->worker, ENDED_MS);
    hed_release(&allocator, r->line, r->line_size);
    hed_release(&allocator, r, sizeof *r);
}

bool hed_device_is_remote(const hed_device *device)
{
    return device->backend->device_close == remote_close;
}

void hed_remote_share(hed_device *const *devices, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        remote *at = hed_device_is_remote(devices[i]) ? devices[i]->impl : NULL;
        if (at) at->sharers = 0;
        for (uint32_t j = 0; j < count && at; j++)
            at->sharers += hed_device_is_remote(devices[j]) &&
                           !strcmp(at->machine, ((const remote *)devices[j]->impl)->machine);
    }
}

/* Runs the command, whose standard input and output are the connection. In its own session, ssh has
 * no terminal for a password prompt. */
static hed_status remote_start(remote *r, hed_error *error)
{
    const char *const words[] = {"/bin/sh", "-c", r->line, NULL};
    static const hed_worker_file files[] = {{HED_WORKER_THEIR_SOCKET, STDIN_FILENO},
        {HED_WORKER_THEIR_SOCKET, STDOUT_FILENO}, {HED_WORKER_THEIR_OUTPUT, STDERR_FILENO}};
    int code = hed_worker_spawn(&r->worker, words, files, HED_COUNT(files));
    return code ? hed_fail(error, HED_ERROR_IO, "cannot start \"%s\": %s", r->line,
                      strerrordesc_np(code))
                : HED_OK;
}

/* Waits for the worker's HELLO. `id` (256): id of the device in this program. */
static hed_status remote_receive_hello(
    remote *r, const hed_runner_def *def, hed_hello *hello, char *id, hed_error *error)
{
    hed_worker_message message = {0};
    hed_worker *worker = &r->worker;
    fcntl(worker->socket, F_SETFL, fcntl(worker->socket, F_GETFL) | O_NONBLOCK);
    worker->heard = hed_worker_now();
    double until = worker->heard + HELLO_PATIENCE * worker->patience;
    hed_worker_event event = remote_receive(r, def, until, &message);
    *hello = message.hello;
    if (event == HED_WORKER_STOPPED) remote_lose(r, "was abandoned");
    if (event == HED_WORKER_LATE) remote_lose(r, "is alive but sent no description of its device");
    if (event == HED_WORKER_ANSWERED &&
        (snprintf(id, 256, "%s:%s", hello->machine, hello->info.id) >= 256 ||
            strlen(hello->build_key) >= sizeof((hed_device *)NULL)->build_key))
        remote_lose(r, "names a device with more than 255 bytes, or a driver with more than 511");
    if (r->is_lost) return hed_fail(error, HED_ERROR_LOST, "%s", r->reason);
    return HED_OK;
}

/* Creates the device that the HELLO describes. */
static hed_status remote_create_device(hed_context *context, const hed_remote_def *def, remote *r,
    hed_device **device, hed_error *error)
{
    const hed_runner_def waiting = {.idle = def->idle, .user = def->user};
    hed_hello hello;
    char id[256];
    if (remote_receive_hello(r, &waiting, &hello, id, error)) return error->status;
    hello.info.id = id;
    if (hed_device_create_described(context, &hello.info, device, error)) return error->status;
    r->backend = *(*device)->backend;
    for (int i = 0; hed_backends[i]; i++) {
        if (strcmp(hed_backends[i]->name, hello.info.backend) != 0) continue;
        r->backend.languages = hed_backends[i]->languages;
        r->backend.prelude = hed_backends[i]->prelude; /* part of the key of measurements */
    }
    r->backend.device_close = remote_close;
    hed_text_copy((*device)->build_key, sizeof(*device)->build_key, hello.build_key);
    hed_text_copy(r->machine, sizeof r->machine, hello.machine);
    (*device)->backend = &r->backend;
    (*device)->impl = r;
    return HED_OK;
}

bool hed_device_can_restart(const hed_device *device)
{
    return hed_device_is_remote(device) && ((const remote *)device->impl)->line;
}

hed_status hed_device_restart(const hed_runner_def *def, hed_error *error)
{
    remote *r = def->device->impl;
    hed_hello hello;
    char id[256];
    hed_worker_close(&r->worker, ENDED_MS);
    r->is_lost = false;
    r->reason[0] = 0;
    if (remote_start(r, error) || remote_receive_hello(r, def, &hello, id, error)) {
        r->is_lost = true;
        return error->status;
    }
    if (hed_hello_describes(&hello, id, def->device)) return HED_OK;
    remote_lose(r, "has another device now, or another driver");
    return hed_fail(error, HED_ERROR_LOST, "%s", r->reason);
}

hed_status hed_device_create_remote(
    hed_context *context, const hed_remote_def *def, hed_device **device, hed_error *error)
{
    HED_REQUIRE(context, def, device);
    hed_allocator allocator = hed_context_describe(context).allocator;
    *device = NULL;
    remote *r = hed_allocate(&allocator, sizeof *r);
    if (!r && !def->command) close(def->descriptor);
    if (!r) return HED_OUT_OF_MEMORY(error, "a remote worker");
    r->allocator = allocator;
    r->worker = (hed_worker){.socket = def->command ? -1 : def->descriptor,
        .output = -1,
        .patience = def->patience_seconds > 0 ? def->patience_seconds : PATIENCE};
    if (def->command) {
        hed_text_copy(r->command, sizeof r->command, def->command);
        r->line_size = strlen(def->command) + 1;
        r->line = hed_allocate(&allocator, r->line_size);
        if (r->line) memcpy(r->line, def->command, r->line_size);
        else HED_OUT_OF_MEMORY(error, "a remote worker");
    } else {
        snprintf(r->command, sizeof r->command, "descriptor %d", def->descriptor);
    }
    if (!hed_failed(error) && (!r->line || !remote_start(r, error)))
        remote_create_device(context, def, r, device, error);
    if (!hed_failed(error)) return HED_OK;
    hed_device_release(*device);
    bool owned = !*device; /* the device would have closed the connection and freed it */
    *device = NULL;
    if (owned) {
        hed_worker_close(&r->worker, ENDED_MS);
        hed_release(&allocator, r->line, r->line_size);
        hed_release(&allocator, r, sizeof *r);
    }
    return error->status;
}
