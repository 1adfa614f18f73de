/* Worker process: carries out one request at a time, by a runner in this process. The kernel is rebuilt
 * from the job; its only function is a geometry() that returns the parent's values. */
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text.h"
#include "core/program.h"
#include "measure/check.h"
#include "measure/runners.h"
#include "workers/worker.h"

typedef struct worker {
    hed_worker_job job;
    const void *job_bytes;
    size_t job_size;
    unsigned char *result; /* shared with the parent; NULL: no result */
    size_t result_size;
    hed_context *context;
    hed_device *device;
    bool compiles_only; /* the device's driver is not loaded */
    hed_runner *runner;
    hed_geometry geometries[HED_RUNNER_SLOTS];
    const hed_geometry *geometry; /* geometry of the current slot */
} worker;

/* ---- memory ---- */

static void *map(int descriptor, int protection, int flags, size_t *size)
{
    struct stat about;
    *size = 0;
    if (fstat(descriptor, &about) != 0 || about.st_size <= 0) return NULL;
    void *bytes = mmap(NULL, (size_t)about.st_size, protection, flags, descriptor, 0);
    if (bytes == MAP_FAILED) return NULL;
    *size = (size_t)about.st_size;
    return bytes;
}

/* ---- requests ---- */

static void given_geometry(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *geometry)
{
    const worker *w = def->user;
    (void)config;
    (void)problem;
    *geometry = *w->geometry;
}

static hed_status serve_compile(
    worker *w, const hed_worker_request *request, hed_trial *trial, hed_error *error)
{
    const hed_runner_def *def = &w->job.runner;
    hed_error cause = {0};
    hed_status status = hed_program_compile(w->device, def->kernel, def->math, &request->config,
        def->defines, def->define_count, &trial->build_seconds, &cause);
    return hed_local_judge_build(status, trial, &cause, error);
}

static hed_status serve_output(
    worker *w, const hed_worker_request *request, hed_trial *trial, hed_error *error)
{
    uint32_t argument = request->argument;
    if (argument >= w->job.launched.def.argument_count ||
        w->job.launched.def.arguments[argument].kind != HED_BUFFER ||
        w->job.contents[argument].bytes > w->result_size)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "argument %u is not a buffer, or does not fit into the result", argument);
    return w->runner->kind->output(
        w->runner, request->slot, argument, request->pattern, w->result, trial, error);
}

static hed_status obey(
    worker *w, const hed_worker_request *request, hed_worker_reply *reply, hed_error *error)
{
    hed_trial *trial = &reply->trial;
    uint32_t slot = request->slot;
    if (request->task == HED_TASK_OPEN) {
        if (w->compiles_only)
            return hed_fail(
                error, HED_ERROR_ARGUMENT, "the worker compiles and has no driver: start another");
        if (w->runner) return HED_OK;
        w->job.runner.device = w->device;
        if (!hed_runner_create_local(&w->job.runner, &w->runner, error))
            reply->device_time = w->runner->device_time;
        return error->status;
    }
    if (request->task == HED_TASK_COMPILE) return serve_compile(w, request, trial, error);
    if (!w->runner)
        return hed_fail(error, HED_ERROR_ARGUMENT, "the worker has not opened the device");
    w->geometry = &w->geometries[slot];
    switch (request->task) {
    case HED_TASK_BUILD:
        w->geometries[slot] = request->geometry;
        return hed_local_build(w->runner, slot, &request->config, trial, error);
    case HED_TASK_CHECK: return hed_local_check(w->runner, slot, trial, error);
    case HED_TASK_TIME:
        reply->count = request->runs;
        return w->runner->kind->time(w->runner, slot, request->runs, reply->values, trial, error);
    default: return serve_output(w, request, trial, error);
    }
}

static bool answer(worker *w, int socket, const hed_worker_request *request)
{
    hed_worker_reply reply = {.number = request->number};
    hed_error error = {0};
    bool compiles = request->task == HED_TASK_COMPILE;
    reply.trial = hed_local_new_trial();
    reply.status = obey(w, request, &reply, &error);
    reply.is_lost = w->runner && w->runner->lost;
    if (reply.status) hed_text_copy(reply.text, sizeof reply.text, error.text);
    return hed_frame_write(
        socket, compiles ? HED_FRAME_BUILT : HED_FRAME_REPLY, &reply, sizeof reply, 0);
}

/* ---- main loop ---- */

/* Opens the compiler of the job's device alone, in a context without drivers: a driver of several GPUs takes
 * seconds to start, in each of many builders. False if the compiler belongs to the driver. */
static bool open_compiler(worker *w)
{
    hed_context_def def = w->job.context;
    hed_error cause = {0};
    def.opencl_library = def.cuda_library = def.hip_library = def.vulkan_library = "";
    def.gl = false;
    if (!hed_context_create(&def, &w->context, &cause) &&
        !hed_device_create_compiler(w->context, &w->job.device.info, &w->device, &cause) &&
        hed_hello_describes(&w->job.device, w->job.context.device, w->device))
        return w->compiles_only = true;
    hed_context_destroy(w->context);
    w->context = NULL;
    w->device = NULL;
    return false;
}

/* Opens the job's device as far as the first request needs it, and greets the parent. */
static hed_status open_device(
    worker *w, int socket, const hed_worker_request *first, hed_error *error)
{
    bool is_open = first->task == HED_TASK_COMPILE && open_compiler(w);
    if (!is_open && !hed_context_create(&w->job.context, &w->context, error))
        hed_device_find(w->context, w->job.context.device, &w->device, error);
    return hed_failed(error) ? error->status : hed_hello_send(socket, w->device, error);
}

/* Serves the parent until it closes the socket or `error` is set. */
static void serve_requests(worker *w, int socket, hed_error *error)
{
    hed_worker_request request;
    uint64_t job_size;
    for (;;) {
        hed_order order = hed_order_read(socket, &request, &job_size);
        if (order == HED_ORDER_CLOSED) return;
        if (order != HED_ORDER_REQUEST) {
            hed_fail(error, HED_ERROR_FORMAT, "invalid request from the parent");
            return;
        }
        if (!w->device && open_device(w, socket, &request, error)) return;
        if (!answer(w, socket, &request)) return; /* the parent has ended */
    }
}

int hed_worker_serve(int descriptor, hed_error *error)
{
    int socket = descriptor + HED_WORKER_SOCKET;
    hed_allocator allocator = hed_default_allocator();
    worker *w = hed_allocate(&allocator, sizeof *w);
    if (!w) return HED_OUT_OF_MEMORY(error, "a worker"), 1;
    /* private and read-only: no candidate can change the next worker's input */
    w->job_bytes = map(descriptor + HED_WORKER_JOB, PROT_READ, MAP_PRIVATE, &w->job_size);
    w->result =
        map(descriptor + HED_WORKER_RESULT, PROT_READ | PROT_WRITE, MAP_SHARED, &w->result_size);
    if (!hed_worker_job_read(&allocator, w->job_bytes, w->job_size, &w->job, error)) {
        w->job.launched.def.geometry = given_geometry;
        w->job.launched.def.user = w;
        serve_requests(w, socket, error);
    }
    hed_runner_destroy(w->runner);
    hed_context_destroy(w->context);
    hed_worker_job_free(&w->job);
    if (w->result) munmap(w->result, w->result_size);
    munmap((void *)(uintptr_t)w->job_bytes, w->job_size);
    hed_release(&allocator, w, sizeof *w);
    return hed_failed(error) ? 1 : 0;
}
