/* Runner in worker processes: one measures, several only compile into the compiled-kernel cache,
 * from which the first takes its programs. A crash or hang of a candidate costs its own evaluation
 * and a new worker: prepared candidates are prepared again when they are next timed. While the
 * measuring worker runs, the builders are kept busy. */
#include "workers/worker.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/text.h"
#include "core/objects.h"
#include "measure/runners.h"
#include "workers/remote_device.h"

enum {
    OPEN_SECONDS = 120, /* drivers of many devices are slow to start */
    SLACK_SECONDS = 2,
    MOST_BUILDERS = 64,
    MOST_CONTEXTS = 4,      /* maximum number of builders that need a context on a GPU */
    LAUNCH_BYTES = 1 << 30, /* maximum size of all arguments of all builders that launch */
};
#define TICK 0.1        /* s between two calls of idle() */
#define COPY_RATE 200e6 /* minimum rate of restoring, reading back and comparing, bytes/s */

static worker_client *client_of(hed_runner *runner) { return (worker_client *)runner; }

/* ---- builders ---- */

/* Sends a builder its next task for its configuration, with the time limit of the measuring
 * worker. */
static void builder_send(worker_client *client, builder *b, hed_worker_task task)
{
    const hed_runner_def *def = &client->def;
    hed_worker_request request = {.task = task, .config = b->config};
    double seconds = HED_BUILD_SECONDS;
    if (task == HED_TASK_OPEN) seconds = OPEN_SECONDS + client->copy_seconds;
    if (task == HED_TASK_BUILD)
        def->kernel->geometry(def->kernel, &b->config, def->problem, &request.geometry);
    if (task == HED_TASK_CHECK)
        seconds = def->timeout_seconds + def->compile_seconds + client->copy_seconds;
    b->task = task;
    hed_worker_request_send(&b->process, &request, hed_worker_now() + seconds);
}

/* Gives every idle builder a candidate. If no builder can be started, queued candidates are
 * returned uncompiled: prepare() will compile them. */
static void client_feed(worker_client *client)
{
    hed_config config;
    hed_trial trial = hed_local_new_trial();
    for (uint32_t i = 0; i < client->builder_count && !hed_trial_queue_empty(&client->waiting);
         i++) {
        builder *b = &client->builders[i];
        if (b->process.busy ||
            (!b->process.pid && hed_worker_start(&b->process, client->program, client->def.device,
                                    client->builders_job, client->result, NULL)))
            continue;
        hed_trial_queue_take(&client->waiting, &config, NULL);
        client->building++;
        b->config = config;
        b->build_seconds = 0;
        builder_send(client, b,
            !client->launches_ahead        ? HED_TASK_COMPILE
            : b->opened == b->process.life ? HED_TASK_BUILD
                                           : HED_TASK_OPEN);
    }
    while (!client->building && hed_trial_queue_take(&client->waiting, &config, NULL))
        hed_trial_queue_put(&client->done, &config, &trial, NULL);
}

/* Names the cause of an abort of PoCL's: arrays in local memory that the text declares. PoCL reports
 * their size too late, when memory has run out. */
static void name_local_abort(const worker_client *client, hed_trial *trial)
{
    if (trial->outcome != HED_OUTCOME_CRASHED || !strstr(trial->text, "arg_array_with_locals"))
        return;
    trial->outcome = HED_OUTCOME_INVALID;
    snprintf(trial->text, sizeof trial->text,
        "arrays in local memory of the text exceed the device's %llu bytes",
        (unsigned long long)hed_device_describe(client->def.device).local_bytes);
}

/* Collects a build. If the builder failed for another reason, did not open its device, or was killed
 * from outside, prepare() will find the candidate's outcome. */
static void finish_build(worker_client *client, builder *b, hed_worker_event event)
{
    bool outside = false, greeted = b->process.greeted;
    const hed_worker_reply *reply = &client->message.reply;
    hed_trial trial = hed_local_new_trial();
    if (event == HED_WORKER_ANSWERED && reply->status == HED_OK) {
        trial = reply->trial;
        b->build_seconds = fmax(b->build_seconds, trial.build_seconds);
        bool is_last = b->task == HED_TASK_COMPILE || b->task == HED_TASK_CHECK;
        if (!trial.outcome && !reply->is_lost && !is_last) {
            bool opened = b->task == HED_TASK_OPEN;
            if (opened) b->opened = b->process.life;
            builder_send(client, b, opened ? HED_TASK_BUILD : HED_TASK_CHECK);
            return;
        }
        trial.build_seconds = b->build_seconds;
    }
    if (event != HED_WORKER_ANSWERED) {
        trial.outcome = event == HED_WORKER_DIED ? HED_OUTCOME_CRASHED : HED_OUTCOME_HUNG;
        hed_worker_end(&b->process, event, trial.text, sizeof trial.text, &outside);
        name_local_abort(client, &trial);
    } else if (reply->is_lost) {
        outside = true;
        hed_worker_end(&b->process, event, NULL, 0, NULL);
    }
    if (outside || !greeted || b->task == HED_TASK_OPEN) trial = hed_local_new_trial();
    client->building--;
    /* the queue has space: see client_build_ahead() */
    hed_trial_queue_put(&client->done, &b->config, &trial, NULL);
}

/* ---- waiting ---- */

static void handle_builders(worker_client *client, const struct pollfd *polled)
{
    for (uint32_t i = 0; i < client->builder_count; i++) {
        builder *b = &client->builders[i];
        bool busy = b->process.busy;
        hed_worker_event event = hed_worker_handle_events(
            &b->process, &polled[HED_WORKER_POLLED * (i + 1)], hed_worker_now(), &client->message);
        if (event && busy) finish_build(client, b, event);
        else if (event) hed_worker_end(&b->process, event, NULL, 0, NULL);
    }
}

/* Waits until the measuring worker has answered, died or timed out; or, with `for_builders`, until
 * a configuration is built; or until `until`. Serves builders meanwhile. */
static hed_worker_event client_serve(worker_client *client, bool for_builders, double until)
{
    struct pollfd polled[HED_WORKER_POLLED * (1 + MOST_BUILDERS)];
    for (;;) {
        client_feed(client);
        double first = until; /* deadline */
        hed_worker_poll(&client->measurer, polled);
        for (uint32_t i = 0; i < client->builder_count; i++) {
            const hed_worker *process = &client->builders[i].process;
            if (process->busy) first = fmin(first, process->deadline);
            hed_worker_poll(process, &polled[HED_WORKER_POLLED * (i + 1)]);
        }
        double left = fmin(fmax(0, first - hed_worker_now()), client->def.idle ? TICK : 60);
        poll(polled, HED_WORKER_POLLED * (1 + client->builder_count), (int)ceil(left * 1000));
        handle_builders(client, polled);
        hed_worker_event event =
            hed_worker_handle_events(&client->measurer, polled, hed_worker_now(), &client->message);
        if (event && !for_builders) return event;
        /* the worker ended while idle */
        if (event) hed_worker_end(&client->measurer, event, NULL, 0, NULL);
        if (for_builders && !hed_trial_queue_empty(&client->done)) return HED_WORKER_NOTHING;
        if (hed_worker_now() >= until) return HED_WORKER_LATE;
        if (client->def.idle && client->def.idle(client->def.user)) return HED_WORKER_STOPPED;
    }
}

/* ---- the measuring worker ---- */

/* Reads a reply. A worker that has lost its device is no longer usable. */
static hed_status take_reply(worker_client *client, hed_trial *trial, hed_error *error)
{
    const hed_worker_reply *reply = &client->message.reply;
    bool is_lost = reply->is_lost || reply->status == HED_ERROR_LOST;
    *trial = reply->trial;
    if (!is_lost) return reply->status ? hed_fail(error, reply->status, "%s", reply->text) : HED_OK;
    hed_worker_end(&client->measurer, HED_WORKER_ANSWERED, NULL, 0, NULL);
    if (!trial->outcome) {
        trial->outcome = HED_OUTCOME_CRASHED;
        hed_text_copy(trial->text, sizeof trial->text, reply->text);
    }
    return HED_OK;
}

/* Sends a request and waits for client->message.reply. The candidate's own failure is stored in `trial`,
 * with status OK. */
static hed_status client_request(worker_client *client, hed_worker_request *request, double seconds,
    hed_trial *trial, hed_error *error)
{
    double deadline = hed_worker_now() + seconds;
    hed_worker_request_send(&client->measurer, request, deadline);
    hed_worker_event event = client_serve(client, false, deadline);
    client->killed_from_outside = false;
    if (event == HED_WORKER_ANSWERED) return take_reply(client, trial, error);
    trial->outcome = event == HED_WORKER_DIED   ? HED_OUTCOME_CRASHED
                     : event == HED_WORKER_LATE ? HED_OUTCOME_HUNG
                                                : HED_OUTCOME_DROPPED;
    hed_worker_end(
        &client->measurer, event, trial->text, sizeof trial->text, &client->killed_from_outside);
    name_local_abort(client, trial);
    return HED_OK;
}

/* Starts the measuring worker unless it is running. */
static hed_status ensure_open(worker_client *client, hed_error *error)
{
    hed_worker_request request = {.task = HED_TASK_OPEN};
    hed_trial trial = hed_local_new_trial();
    struct pollfd polled[HED_WORKER_POLLED];
    /* the end of an idle worker is not the next candidate's fault */
    hed_worker_poll(&client->measurer, polled);
    if (poll(polled, HED_WORKER_POLLED, 0) > 0) {
        hed_worker_event event =
            hed_worker_handle_events(&client->measurer, polled, hed_worker_now(), &client->message);
        if (event) hed_worker_end(&client->measurer, event, NULL, 0, NULL);
    }
    if (client->measurer.pid) return HED_OK;
    if (!hed_worker_start(&client->measurer, client->program, client->def.device, client->job,
            client->result, error) &&
        !client_request(client, &request, OPEN_SECONDS + client->copy_seconds, &trial, error) &&
        trial.outcome)
        hed_fail(error, HED_ERROR_LOST, "%s could not be opened for tuning: %s",
            hed_device_describe(client->def.device).id, trial.text);
    if (!hed_failed(error)) client->runner.device_time = client->message.reply.device_time;
    else if (client->measurer.pid)
        hed_worker_end(&client->measurer, HED_WORKER_LATE, NULL, 0, NULL);
    return error->status;
}

/* True if a signal ended the worker that no candidate sends: it gets one more try, only one, since
 * the system may be out of memory. */
static bool was_killed(const worker_client *client, const hed_trial *trial)
{
    return trial->outcome == HED_OUTCOME_CRASHED && client->killed_from_outside;
}

/* Shortens the time limit of a run to a multiple of the first run of a candidate that works. */
static void client_learn_limit(worker_client *client, double first_seconds)
{
    hed_runner_def *def = &client->def;
    if (def->least_timeout_seconds <= 0) return;
    def->timeout_seconds =
        fmin(def->timeout_seconds, hed_run_limit(first_seconds, def->least_timeout_seconds));
    def->compile_seconds = def->least_timeout_seconds = 0;
}

static hed_status build_and_check(
    worker_client *client, uint32_t slot, hed_trial *trial, hed_error *error)
{
    worker_slot *s = &client->slots[slot];
    hed_worker_request request = {
        .task = HED_TASK_BUILD, .slot = slot, .config = s->config, .geometry = s->geometry};
    s->life = 0;
    *trial = hed_local_new_trial();
    if (ensure_open(client, error) ||
        client_request(client, &request, HED_BUILD_SECONDS, trial, error) || trial->outcome)
        return error->status;
    hed_trial built = *trial;
    request.task = HED_TASK_CHECK;
    double seconds = client->def.timeout_seconds + client->def.compile_seconds,
           started = hed_worker_now();
    client_request(client, &request, seconds + client->copy_seconds, trial, error);
    trial->build_seconds = built.build_seconds;
    trial->resources = built.resources;
    if (hed_failed(error) || trial->outcome) return error->status;
    s->life = client->measurer.life;
    client_learn_limit(client, hed_worker_now() - started);
    return HED_OK;
}

static hed_status client_prepare(
    hed_runner *runner, uint32_t slot, const hed_config *config, hed_trial *trial, hed_error *error)
{
    worker_client *client = client_of(runner);
    const hed_runner_def *def = &client->def;
    worker_slot *s = &client->slots[slot];
    *s = (worker_slot){.config = *config};
    if (!hed_runner_accepts(def, config, trial)) return HED_OK;
    def->kernel->geometry(def->kernel, config, def->problem, &s->geometry);
    if (!build_and_check(client, slot, trial, error) && was_killed(client, trial))
        build_and_check(client, slot, trial, error);
    s->filled = !hed_failed(error) && !trial->outcome;
    return error->status;
}

/* Prepares a slot again if the worker that prepared it has ended. */
static hed_status ensure_slot(
    worker_client *client, uint32_t slot, hed_trial *trial, hed_error *error)
{
    worker_slot *s = &client->slots[slot];
    *trial = hed_local_new_trial();
    if (!s->filled)
        return hed_fail(error, HED_ERROR_ARGUMENT, "%s: slot %u has no candidate",
            client->def.kernel->name, slot);
    if (ensure_open(client, error) || s->life == client->measurer.life) return error->status;
    return build_and_check(client, slot, trial, error);
}

/* Times at most HED_WORKER_VALUES runs. */
static hed_status time_some(worker_client *client, uint32_t slot, uint32_t runs, double *values,
    hed_trial *trial, hed_error *error)
{
    hed_worker_request request = {.task = HED_TASK_TIME, .slot = slot, .runs = runs};
    double run_seconds = client->def.timeout_seconds;
    /* CUPTI takes a second or two to start */
    bool is_slow = client->def.objective == HED_OBJECTIVE_ENERGY || client->def.counters;
    if (is_slow) run_seconds += 2e-3 * HED_ENERGY_LEAST_MS;
    if (ensure_slot(client, slot, trial, error) || trial->outcome ||
        client_request(client, &request, runs * run_seconds + client->copy_seconds, trial, error) ||
        trial->outcome)
        return error->status;
    if (client->message.reply.count != runs)
        return hed_fail(error, HED_ERROR_IO, "the worker sent %u times; expected %u",
            client->message.reply.count, runs);
    memcpy(values, client->message.reply.values, runs * sizeof *values);
    return HED_OK;
}

static hed_status client_time_slot(hed_runner *runner, uint32_t slot, uint32_t runs, double *values,
    hed_trial *trial, hed_error *error)
{
    worker_client *client = client_of(runner);
    *trial = hed_local_new_trial();
    for (uint32_t done = 0; done < runs && !hed_failed(error) && !trial->outcome;) {
        uint32_t batch = runs - done < HED_WORKER_VALUES ? runs - done : HED_WORKER_VALUES;
        if (!time_some(client, slot, batch, values + done, trial, error) &&
            was_killed(client, trial))
            time_some(client, slot, batch, values + done, trial, error);
        done += batch;
    }
    return error->status;
}

static hed_status client_output(hed_runner *runner, uint32_t slot, uint32_t argument,
    uint32_t pattern, void *data, hed_trial *trial, hed_error *error)
{
    worker_client *client = client_of(runner);
    hed_worker_request request = {
        .task = HED_TASK_OUTPUT, .slot = slot, .argument = argument, .pattern = pattern};
    double seconds = client->def.timeout_seconds + client->copy_seconds;
    if (!ensure_slot(client, slot, trial, error) && !trial->outcome &&
        !client_request(client, &request, seconds, trial, error) && !trial->outcome)
        memcpy(data, client->result_bytes, client->def.arguments[argument].bytes);
    return error->status;
}

/* ---- building ahead ---- */

static hed_status client_build_ahead(hed_runner *runner, const hed_config *config, hed_error *error)
{
    worker_client *client = client_of(runner);
    const hed_runner_def *def = &client->def;
    hed_trial trial;
    uint32_t pending = client->building + client->waiting.count - client->waiting.begin;
    /* reserve space for all results now, while an error can still be returned */
    if (hed_trial_queue_reserve(&client->done, pending + 1, error)) return error->status;
    if (!hed_runner_accepts(def, config, &trial))
        return hed_trial_queue_put(&client->done, config, &trial, error);
    if (!hed_trial_queue_put(&client->waiting, config, &trial, error)) client_feed(client);
    return error->status;
}

static bool client_built(hed_runner *runner, double seconds, hed_config *config, hed_trial *trial)
{
    worker_client *client = client_of(runner);
    if (hed_trial_queue_empty(&client->done) &&
        (client->building || !hed_trial_queue_empty(&client->waiting)))
        client_serve(client, true, hed_worker_now() + seconds);
    return hed_trial_queue_take(&client->done, config, trial);
}

/* ---- creation and destruction ---- */

static void client_destroy(hed_runner *runner)
{
    worker_client *client = client_of(runner);
    hed_allocator allocator = client->allocator;
    hed_worker_request_end(&client->measurer);
    for (uint32_t i = 0; i < client->builder_count; i++)
        hed_worker_request_end(&client->builders[i].process);
    hed_worker_end(&client->measurer, HED_WORKER_NOTHING, NULL, 0, NULL);
    for (uint32_t i = 0; i < client->builder_count; i++)
        hed_worker_end(&client->builders[i].process, HED_WORKER_NOTHING, NULL, 0, NULL);
    if (client->result_bytes) munmap(client->result_bytes, client->result_size);
    if (client->job >= 0 && client->job != client->builders_job) close(client->job);
    if (client->builders_job >= 0) close(client->builders_job);
    if (client->result >= 0) close(client->result);
    DIR *folder = client->own_cache[0] ? opendir(client->own_cache) : NULL;
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder) closedir(folder);
    if (client->own_cache[0]) rmdir(client->own_cache);
    hed_trial_queue_free(&client->waiting);
    hed_trial_queue_free(&client->done);
    hed_release(&allocator, client->builders, client->builder_count * sizeof *client->builders);
    hed_release(&allocator, client, sizeof *client);
}

/* Fails if the kernel cannot leave this process. */
static hed_status check_kernel(const hed_runner_def *def, hed_error *error)
{
    const hed_device_info info = hed_device_describe(def->device);
    const char *reason = !(info.capabilities & HED_CAN_SOURCE)
                             ? "its device runs the program's own code, or compiles nothing"
                         : def->device->adopted       ? "its device was opened by the program"
                         : !def->kernel->geometry     ? "it has no geometry()"
                         : !def->kernel->source_count ? "it has no text"
                                                      : NULL;
    if (!reason) return HED_OK;
    return hed_fail(error, HED_ERROR_UNSUPPORTED, "%s cannot be tuned in a worker process: %s",
        def->kernel->name, reason);
}

/* Creates the resources shared by all workers: cache, job, result. */
static hed_status client_share(worker_client *client, hed_error *error)
{
    const hed_runner_def *def = &client->def;
    const char *cache = def->device->settings->cache_dir;
    uint64_t total = 0;
    for (uint32_t i = 0; i < def->kernel->argument_count; i++) {
        bool is_buffer = def->kernel->arguments[i].kind == HED_BUFFER;
        total += is_buffer ? def->arguments[i].bytes : 0;
        bool larger = is_buffer && def->kernel->arguments[i].access != HED_READ &&
                      def->arguments[i].bytes > client->result_size;
        if (larger) client->result_size = def->arguments[i].bytes;
    }
    client->copy_seconds = SLACK_SECONDS + (double)total / COPY_RATE;
    const hed_device_info info = hed_device_describe(def->device);
    client->launches_ahead = info.type == HED_DEVICE_CPU && strcmp(info.backend, "opencl") == 0 &&
                             total <= LAUNCH_BYTES / client->builder_count;
    if (!cache[0]) {
        char name[] = P_tmpdir "/heddle-XXXXXX";
        if (!mkdtemp(name))
            return hed_fail(
                error, HED_ERROR_IO, "cannot make a folder for compiled kernels, as %s", name);
        hed_text_copy(client->own_cache, sizeof client->own_cache, name);
        cache = client->own_cache;
    }
    client->cache = cache;
    for (uint32_t i = 0; i < def->kernel->argument_count; i++)
        client->packed[i] = def->arguments[i].expected;
    if (hed_worker_job_pack(def, cache, &client->builders_job, error) ||
        hed_worker_memory(client->result_size, &client->result, error) || !client->result_size)
        return error->status;
    client->result_bytes =
        mmap(NULL, client->result_size, PROT_READ, MAP_SHARED, client->result, 0);
    if (client->result_bytes != MAP_FAILED) return HED_OK;
    client->result_bytes = NULL;
    return hed_fail(error, HED_ERROR_MEMORY, "cannot map %llu bytes of results",
        (unsigned long long)client->result_size);
}

static const hed_runner_kind WORKER = {.destroy = client_destroy,
    .build_ahead = client_build_ahead,
    .built = client_built,
    .prepare = client_prepare,
    .time = client_time_slot,
    .output = client_output};

bool hed_runner_builders_open(const hed_device *device)
{
    const hed_device_info info = hed_device_describe(device);
    return strcmp(info.backend, "cuda") != 0 && info.type != HED_DEVICE_CPU;
}

hed_status hed_runner_create_builders(
    const hed_runner_def *def, hed_runner **runner, hed_error *error)
{
    hed_allocator allocator = hed_context_describe(hed_device_context(def->device)).allocator;
    *runner = NULL;
    if (check_kernel(def, error)) return error->status;
    worker_client *instance = hed_allocate(&allocator, sizeof *instance);
    if (!instance) return HED_OUT_OF_MEMORY(error, "the tuning of %s", def->kernel->name);
    instance->runner.kind = &WORKER;
    instance->def = *def;
    instance->allocator = instance->waiting.allocator = instance->done.allocator = allocator;
    instance->program = def->device->settings->worker;
    instance->job = instance->builders_job = instance->result = -1;
    uint32_t limit = hed_runner_builders_open(def->device) ? MOST_CONTEXTS : MOST_BUILDERS,
             builders = def->builders ? def->builders : hed_processor_count();
    if (builders > limit) builders = limit;
    instance->builders = hed_allocate(&allocator, builders * sizeof *instance->builders);
    if (instance->builders) instance->runner.builders = instance->builder_count = builders;
    if (!instance->builders) HED_OUT_OF_MEMORY(error, "%u builders", builders);
    else if (!instance->program[0] || access(instance->program, X_OK) != 0)
        hed_fail(error, HED_ERROR_IO,
            "the worker program is not there: looked for \"%s\" (hed_context_def.worker, HEDDLE_WORKER, else "
            "libexec/heddle/heddle-worker beside the library's folder, or heddle-worker beside the library)",
            instance->program);
    else client_share(instance, error);
    if (hed_failed(error)) client_destroy(&instance->runner);
    else *runner = &instance->runner;
    return error->status;
}

hed_status hed_runner_open_measurer(hed_runner *runner, const hed_runner_def *def, hed_error *error)
{
    worker_client *client = client_of(runner);
    bool is_same = true; /* the builders' job has all expected outputs */
    for (uint32_t i = 0; i < def->kernel->argument_count; i++)
        is_same = is_same && def->arguments[i].expected == client->packed[i];
    client->def = *def;
    double limit = def->timeout_seconds + def->compile_seconds + client->copy_seconds;
    for (uint32_t i = 0; i < client->builder_count; i++) {
        builder *b = &client->builders[i];
        if (b->process.busy && b->task == HED_TASK_CHECK)
            b->process.deadline = fmin(b->process.deadline, hed_worker_now() + limit);
    }
    if (is_same) client->job = client->builders_job;
    else if (hed_worker_job_pack(def, client->cache, &client->job, error)) return error->status;
    return ensure_open(client, error);
}

hed_status hed_runner_create_worker(
    const hed_runner_def *def, hed_runner **runner, hed_error *error)
{
    *runner = NULL;
    if (hed_device_is_remote(def->device)) return hed_runner_create_remote(def, runner, error);
    if (!hed_runner_create_builders(def, runner, error) &&
        hed_runner_open_measurer(*runner, def, error)) {
        client_destroy(*runner);
        *runner = NULL;
    }
    return error->status;
}
