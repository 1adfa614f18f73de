/* Worker elsewhere: one leader, one device, one job at a time. Candidates run in
 * worker processes of this machine (worker_client.c). */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/text.h"
#include "core/objects.h"
#include "workers/remote_device.h"

enum {
    REMEMBERED = 256, /* geometries of candidates */
    PENDING = 256,    /* maximum number of candidates compiled ahead */
    LOOK_MS = 2       /* ms between two queries for finished builds while no request arrives */
};

typedef struct served {
    int in, out;
    pthread_mutex_t write_lock;
    pthread_cond_t ended;
    bool ending;
    _Atomic bool leader_lost; /* the leader or the connection is lost */

    hed_context *context;
    hed_device *device;
    void *bytes; /* (size) bytes of the job, mapped */
    size_t size;
    hed_error job_error; /* fault of the last job, reported when it is opened */
    hed_frame_job head;
    bool has_job;
    hed_worker_job job;
    hed_runner *runner;

    hed_config configs[REMEMBERED]; /* configurations of `geometries` */
    hed_geometry geometries[REMEMBERED];
    uint32_t remembered;
    struct {
        uint32_t number; /* 0: unused */
        hed_config config;
    } pending[PENDING];
    uint32_t pending_count;
} served;

/* ---- writing ---- */

static void served_write(served *s, hed_frame_kind kind, const void *bytes, size_t size)
{
    pthread_mutex_lock(&s->write_lock);
    if (!s->leader_lost && !hed_frame_write(s->out, kind, bytes, size, 0)) s->leader_lost = true;
    pthread_mutex_unlock(&s->write_lock);
}

/* Sends ALIVE every second, independent of the main thread. */
static void *served_beat(void *user)
{
    served *s = user;
    pthread_mutex_lock(&s->write_lock);
    while (!s->ending) {
        if (!s->leader_lost && !hed_frame_write(s->out, HED_FRAME_ALIVE, NULL, 0, 0))
            s->leader_lost = true;
        hed_condition_wait(&s->ended, &s->write_lock, 1);
    }
    pthread_mutex_unlock(&s->write_lock);
    return NULL;
}

/* A runner's idle(): true if the leader is lost. */
static bool served_alone(void *user)
{
    served *s = user;
    struct pollfd polled = {.fd = s->in, .events = POLLRDHUP};
    if (poll(&polled, 1, 0) > 0 && polled.revents & (POLLHUP | POLLRDHUP | POLLERR))
        s->leader_lost = true;
    return s->leader_lost;
}

/* ---- a job ---- */

static void served_geometry(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *geometry)
{
    const served *s = def->user;
    (void)problem;
    for (uint32_t i = 0; i < REMEMBERED; i++)
        if (hed_config_equal(&s->configs[i], config)) {
            *geometry = s->geometries[i];
            return;
        }
}

static void served_remember(served *s, const hed_worker_request *request)
{
    uint32_t place = REMEMBERED;
    for (uint32_t i = 0; i < REMEMBERED; i++)
        if (hed_config_equal(&s->configs[i], &request->config)) place = i;
    if (place == REMEMBERED) place = s->remembered++ % REMEMBERED;
    s->configs[place] = request->config;
    s->geometries[place] = request->geometry;
}

static void served_close_job(served *s)
{
    if (s->runner) s->runner->kind->destroy(s->runner);
    if (s->has_job) hed_worker_job_free(&s->job);
    if (s->bytes) munmap(s->bytes, s->size);
    s->runner = NULL;
    s->has_job = false;
    s->bytes = NULL;
    s->pending_count = 0;
    memset(s->pending, 0, sizeof s->pending);
    memset(s->configs, 0, sizeof s->configs);
}

/* Reads a job of `size` bytes and parses it; HED_TASK_OPEN reports its errors. */
static void served_take_job(served *s, size_t size, hed_error *error)
{
    const size_t head = sizeof s->head;
    const hed_allocator allocator = *hed_allocator_of(s->device);
    served_close_job(s);
    s->size = size;
    s->job_error = (hed_error){0};
    s->bytes = mmap(
        NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (s->bytes == MAP_FAILED) {
        s->bytes = NULL;
        HED_OUT_OF_MEMORY(error, "a job of %zu bytes", size);
    }
    if (!s->bytes || !hed_stream_read_all(s->in, s->bytes, size)) {
        s->leader_lost = true; /* the stream cannot be read any further */
        return;
    }
    memcpy(&s->head, s->bytes, head);
    if (hed_worker_job_read(
            &allocator, (char *)s->bytes + head, size - head, &s->job, &s->job_error))
        return;
    s->has_job = true;
    s->job.launched.def.geometry = served_geometry;
    s->job.launched.def.user = s;
}

static void served_open(served *s, hed_worker_reply *reply, hed_error *error)
{
    if (hed_failed(&s->job_error)) *error = s->job_error;
    else if (!s->has_job) hed_fail(error, HED_ERROR_ARGUMENT, "there is no job");
    if (hed_failed(error)) return;
    hed_runner_def def = s->job.runner;
    def.device = s->device;
    def.timeout_seconds = s->head.timeout_seconds;
    def.compile_seconds = s->head.compile_seconds;
    def.least_timeout_seconds = s->head.least_timeout_seconds;
    uint32_t sharers = s->head.sharers ? s->head.sharers : 1, processors = hed_processor_count();
    def.builders = s->head.builders       ? s->head.builders
                   : processors > sharers ? processors / sharers
                                          : 1;
    def.idle = served_alone;
    def.user = s;
    if (!s->runner && hed_runner_create_worker(&def, &s->runner, error)) return;
    uint32_t builders = s->runner->builders;
    reply->count = builders < HED_WORKER_VALUES ? builders : HED_WORKER_VALUES;
    reply->device_time = s->runner->device_time;
}

/* ---- requests ---- */

/* Starts a build. Returns false if its reply comes later. */
static bool served_compile(served *s, const hed_worker_request *request, hed_error *error)
{
    uint32_t i = 0;
    while (i < PENDING && s->pending[i].number) i++;
    if (i == PENDING || s->runner->kind->build_ahead(s->runner, &request->config, error))
        return true; /* prepare() will compile it */
    s->pending[i].number = request->number;
    s->pending[i].config = request->config;
    s->pending_count++;
    return false;
}

static void served_output(
    served *s, const hed_worker_request *request, hed_trial *trial, hed_error *error)
{
    uint32_t argument = request->argument;
    const hed_allocator allocator = *hed_allocator_of(s->device);
    if (argument >= s->job.content_count ||
        s->job.launched.def.arguments[argument].kind != HED_BUFFER) {
        hed_fail(error, HED_ERROR_ARGUMENT, "argument %u is not a buffer", argument);
        return;
    }
    uint64_t bytes = s->job.contents[argument].bytes;
    void *data = hed_allocate(&allocator, bytes);
    if (!data) HED_OUT_OF_MEMORY(error, "%llu bytes of results", (unsigned long long)bytes);
    else if (!s->runner->kind->output(
                 s->runner, request->slot, argument, request->pattern, data, trial, error) &&
             !trial->outcome)
        served_write(s, HED_FRAME_BYTES, data, bytes);
    hed_release(&allocator, data, bytes);
}

static void served_execute(served *s, const hed_worker_request *request)
{
    hed_error error = {0};
    hed_worker_reply reply = {.number = request->number, .trial = hed_local_new_trial()};
    hed_runner *runner = s->runner;
    served_remember(s, request);
    if (request->task == HED_TASK_OPEN) {
        served_open(s, &reply, &error);
    } else if (!runner) {
        hed_fail(&error, HED_ERROR_ARGUMENT, "the worker has not opened a job");
    } else if (request->task == HED_TASK_COMPILE) {
        if (!served_compile(s, request, &error)) return;
        served_write(s, HED_FRAME_BUILT, &reply, sizeof reply);
        return;
    } else if (request->task == HED_TASK_BUILD) {
        runner->kind->prepare(runner, request->slot, &request->config, &reply.trial, &error);
    } else if (request->task == HED_TASK_TIME) {
        reply.count = request->runs;
        runner->kind->time(
            runner, request->slot, request->runs, reply.values, &reply.trial, &error);
    } else if (request->task == HED_TASK_OUTPUT) {
        served_output(s, request, &reply.trial, &error);
    } else {
        hed_fail(&error, HED_ERROR_ARGUMENT, "task %u is not for this end", request->task);
    }
    reply.status = error.status;
    reply.is_lost = (runner && runner->lost) || error.status == HED_ERROR_LOST;
    if (hed_failed(&error)) hed_text_copy(reply.text, sizeof reply.text, error.text);
    served_write(s, HED_FRAME_REPLY, &reply, sizeof reply);
}

static void served_tell_built(served *s)
{
    hed_config config;
    hed_worker_reply reply = {0};
    while (s->pending_count && s->runner->kind->built(s->runner, 0, &config, &reply.trial))
        for (uint32_t i = 0; i < PENDING; i++) {
            if (!s->pending[i].number || !hed_config_equal(&s->pending[i].config, &config))
                continue;
            reply.number = s->pending[i].number;
            s->pending[i].number = 0;
            s->pending_count--;
            served_write(s, HED_FRAME_BUILT, &reply, sizeof reply);
            break;
        }
}

/* Reads and handles one frame. Returns false if the leader is lost or `error` is set. */
static bool served_read(served *s, hed_error *error)
{
    hed_worker_request request;
    uint64_t job_size;
    switch (hed_order_read(s->in, &request, &job_size)) {
    case HED_ORDER_REQUEST: served_execute(s, &request); break;
    case HED_ORDER_JOB: served_take_job(s, job_size, error); break;
    case HED_ORDER_INVALID:
        return hed_fail(error, HED_ERROR_FORMAT, "invalid request from the leader"), false;
    case HED_ORDER_CLOSED: return false;
    }
    return !s->leader_lost;
}

/* ---- main loop ---- */

/* Opens the selected device; without a selector the first that compiles, GPUs first. `turn` then
 * advances, cyclically, among the devices of that kind. */
static hed_status served_choose(served *s, const char *selector, uint32_t turn, hed_error *error)
{
    hed_device *peers[HED_MAX_DEVICES];
    uint32_t count = hed_context_describe(s->context).devices, peer_count = 0;
    if (selector && hed_device_find(s->context, selector, &s->device, error)) return error->status;
    for (int gpu = 1; gpu >= 0 && !s->device; gpu--)
        for (uint32_t i = 0; i < count && !s->device; i++) {
            const hed_device_info info = hed_device_describe(hed_device_at(s->context, i));
            if ((info.type == HED_DEVICE_GPU) == gpu && info.capabilities & HED_CAN_SOURCE)
                s->device = hed_device_at(s->context, i);
        }
    if (!s->device || !(hed_device_describe(s->device).capabilities & HED_CAN_SOURCE))
        return hed_fail(error, HED_ERROR_NO_DEVICE,
            "no device here compiles kernels%s%s (\"heddle doctor\" says what is missing)",
            selector ? ": " : "", selector ? selector : "");
    const hed_device_info first = hed_device_describe(s->device);
    for (uint32_t i = 0; i < count && peer_count < HED_MAX_DEVICES; i++) {
        const hed_device_info info = hed_device_describe(hed_device_at(s->context, i));
        if (strcmp(info.backend, first.backend) == 0 && strcmp(info.name, first.name) == 0)
            peers[peer_count++] = hed_device_at(s->context, i);
    }
    if (turn && peer_count) s->device = peers[turn % peer_count];
    return HED_OK;
}

int hed_remote_serve(int in, int out, const char *device, uint32_t turn, hed_error *error)
{
    served s = {.in = in, .out = out};
    pthread_t beat;
    pthread_mutex_init(&s.write_lock, NULL);
    pthread_cond_init(&s.ended, NULL);
    bool beats = pthread_create(&beat, NULL, served_beat, &s) == 0;
    if (!beats) {
        hed_fail(error, HED_ERROR_MEMORY, "no thread");
    } else if (!hed_context_create(NULL, &s.context, error) &&
               !served_choose(&s, device, turn, error)) {
        pthread_mutex_lock(&s.write_lock);
        hed_hello_send(s.out, s.device, error);
        pthread_mutex_unlock(&s.write_lock);
    }
    while (!hed_failed(error)) {
        struct pollfd polled = {.fd = in, .events = POLLIN};
        int ready = poll(&polled, 1, s.pending_count ? LOOK_MS : -1);
        if (ready > 0 && !served_read(&s, error)) break;
        if (s.pending_count) served_tell_built(&s);
    }
    served_close_job(&s);
    pthread_mutex_lock(&s.write_lock);
    s.ending = true;
    pthread_cond_signal(&s.ended);
    pthread_mutex_unlock(&s.write_lock);
    if (beats) pthread_join(beat, NULL);
    hed_context_destroy(s.context);
    pthread_cond_destroy(&s.ended);
    pthread_mutex_destroy(&s.write_lock);
    return hed_failed(error) ? 1 : 0;
}
