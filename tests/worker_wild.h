/* Wild input for both ends of a worker's stream: a real job with bytes changed, requests and
 * replies of any content. Shared by the test and the fuzzer; whatever comes, nothing may be read
 * that is not there. */
#ifndef HED_TESTS_WORKER_WILD_H
#define HED_TESTS_WORKER_WILD_H

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "heddle/realtime.h"
#include "heddle/tuning.h"
#include "workers/remote_device.h"

/* ---- a job for the host device ---- */

static void wild_geometry(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *geometry)
{
    (void)def;
    (void)config;
    (void)problem;
    *geometry = (hed_geometry){.dimensions = 1, .global = {64}, .group = {32}};
}

static const hed_argument_def wild_arguments[] = {
    {.name = "x", .kind = HED_BUFFER, .type = HED_FLOAT, .access = HED_READ},
    {.name = "y",
        .kind = HED_BUFFER,
        .type = HED_FLOAT,
        .access = HED_READ_WRITE,
        .tolerance = 1e-5},
    {.name = "count", .kind = HED_SCALAR, .type = HED_UINT32},
    {.name = "shape", .kind = HED_STRUCT, .size = 24},
    {.name = "scratch", .kind = HED_LOCAL, .type = HED_FLOAT}};
static const int64_t wild_values[] = {1, 2, 3};
static const hed_parameter_def wild_parameters[] = {
    {.name = "A", .values = wild_values, .count = 3, .value = 2},
    {.name = "B", .values = wild_values, .count = 2, .value = 1}};
static const hed_source wild_sources[] = {
    {"one.cl", "first text", 0}, {"two.cl", "second text, cut here", 11}};
static const hed_define wild_defines[] = {{"SIZE", "12"}, {"NAME", ""}};
static const char *const wild_dimensions[] = {"n", "m"};
static const hed_kernel_def wild_kernel = {.name = "wild",
    .sources = wild_sources,
    .source_count = 2,
    .arguments = wild_arguments,
    .argument_count = 5,
    .parameters = wild_parameters,
    .parameter_count = 2,
    .defines = wild_defines,
    .define_count = 2,
    .dimensions = wild_dimensions,
    .dimension_count = 2,
    .max_threads = "A*32",
    .geometry = wild_geometry};
static const float wild_data[100] = {1, 2, 3};
static const uint32_t wild_count = 100;
static const uint8_t wild_marks[25] = {1, 0x80, 6};
static const hed_define wild_extra[] = {{"EXTRA", "yes"}};
static const hed_problem wild_problem = {2, {100, 7}};
static const hed_runner_argument wild_contents[] = {{.data = wild_data, .bytes = sizeof wild_data},
    {.data = wild_data, .bytes = sizeof wild_data, .expected = wild_data, .marks = wild_marks},
    {.data = &wild_count, .bytes = sizeof wild_count}, {.data = wild_data}, {0}};

typedef struct wild {
    hed_context *context;
    hed_device *device;
    hed_runner_def def;
    unsigned char *job; /* (size), aligned to 8 */
    size_t size;
} wild;

static inline bool wild_open(wild *w, hed_error *error)
{
    hed_context_def context = hed_default_context_def();
    context.opencl_library = context.cuda_library = context.nvrtc_library = "";
    context.host_threads = 1;
    int file;
    struct stat about;
    *w = (wild){0};
    if (hed_context_create(&context, &w->context, error) ||
        hed_device_find(w->context, "host", &w->device, error))
        return false;
    w->def = (hed_runner_def){.device = w->device,
        .kernel = &wild_kernel,
        .defines = wild_extra,
        .define_count = 1,
        .problem = &wild_problem,
        .arguments = wild_contents,
        .timeout_seconds = 1};
    if (hed_worker_job_pack(&w->def, "", &file, error) || fstat(file, &about)) return false;
    w->size = (size_t)about.st_size;
    w->job = aligned_alloc(64, (w->size + 63) / 64 * 64);
    bool good = w->job && pread(file, w->job, w->size, 0) == (ssize_t)w->size;
    close(file);
    return good;
}

static inline void wild_close(wild *w)
{
    free(w->job);
    hed_context_destroy(w->context);
}

/* ---- reading jobs ---- */

static inline uint64_t wild_sum_bytes(const void *bytes, uint64_t size)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; bytes && i < size; i++) sum += ((const unsigned char *)bytes)[i];
    return sum;
}

static inline uint64_t wild_sum_text(const char *text)
{
    return text ? wild_sum_bytes(text, strlen(text)) : 0;
}

/* Reads every byte that a job points to, so that a sanitizer sees it. */
static inline uint64_t wild_sum_job(const hed_worker_job *job)
{
    const hed_kernel_def *kernel = &job->launched.def;
    uint64_t sum = wild_sum_text(job->context.device) + wild_sum_text(kernel->name) +
                   wild_sum_text(kernel->entry) + wild_sum_text(kernel->max_threads) +
                   wild_sum_text(job->context.cache_dir) +
                   wild_sum_text(job->context.opencl_library);
    for (uint32_t i = 0; i < kernel->source_count; i++)
        sum += wild_sum_text(kernel->sources[i].name) +
               wild_sum_bytes(kernel->sources[i].text, kernel->sources[i].size + 1);
    for (uint32_t i = 0; i < kernel->define_count; i++)
        sum += wild_sum_text(kernel->defines[i].name) + wild_sum_text(kernel->defines[i].value);
    for (uint32_t i = 0; i < job->runner.define_count; i++)
        sum += wild_sum_text(job->runner.defines[i].name) +
               wild_sum_text(job->runner.defines[i].value);
    for (uint32_t i = 0; i < kernel->parameter_count; i++)
        sum += wild_sum_text(kernel->parameters[i].name) +
               wild_sum_bytes(
                   kernel->parameters[i].values, kernel->parameters[i].count * sizeof(int64_t));
    for (uint32_t i = 0; i < kernel->dimension_count; i++)
        sum += wild_sum_text(kernel->dimensions[i]);
    for (uint32_t i = 0; i < kernel->argument_count; i++) {
        const hed_runner_argument *content = &job->contents[i];
        sum += wild_sum_text(kernel->arguments[i].name);
        if (content->data) sum += wild_sum_bytes(content->data, content->bytes);
        if (content->expected) sum += wild_sum_bytes(content->expected, content->bytes);
        if (content->marks)
            sum += wild_sum_bytes(
                content->marks, hed_runner_mark_bytes(&kernel->arguments[i], content));
    }
    return sum;
}

/* Reads a job from memory of exactly its size. */
static inline hed_status wild_read(const unsigned char *bytes, size_t size, hed_error *error)
{
    volatile uint64_t sum;
    *error = (hed_error){0};
    hed_allocator allocator = hed_default_allocator();
    hed_worker_job *job = malloc(sizeof *job);
    unsigned char *exact = malloc(size ? size : 1);
    memcpy(exact, bytes, size);
    hed_status status = hed_worker_job_read(&allocator, exact, size, job, error);
    if (!status) {
        sum = wild_sum_job(job);
        (void)sum;
        hed_worker_job_free(job);
    }
    free(exact);
    free(job);
    return status;
}

/* ---- leading a worker, and being one ---- */

enum { WILD_DESCRIPTOR = 200 };

/* A request as the worker reads it, and a reply as its leader does. */
typedef struct wild_request {
    hed_frame frame;
    hed_worker_request request;
} wild_request;
typedef struct wild_reply {
    hed_frame frame;
    hed_worker_reply reply;
} wild_reply;

static inline wild_request wild_request_of(hed_worker_task task)
{
    return (wild_request){{HED_FRAME_MAGIC, HED_FRAME_REQUEST, sizeof(hed_worker_request)},
        {.number = 1, .task = task, .config = {2, {1, 1}}}};
}

/* Serves `bytes` in this thread until their end; gives the worker's exit code. */
static inline int wild_serve(
    const unsigned char *job, size_t job_size, const void *bytes, size_t size, hed_error *error)
{
    int ends[2], file = memfd_create("job", 0), result = memfd_create("result", 0);
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) ||
        write(file, job, job_size) != (ssize_t)job_size || ftruncate(result, 400))
        return -1;
    dup2(ends[1], WILD_DESCRIPTOR + HED_WORKER_SOCKET);
    dup2(file, WILD_DESCRIPTOR + HED_WORKER_JOB);
    dup2(result, WILD_DESCRIPTOR + HED_WORKER_RESULT);
    if (size && send(ends[0], bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT) != (ssize_t)size) return -1;
    shutdown(ends[0], SHUT_WR);
    *error = (hed_error){0};
    int code = hed_worker_serve(WILD_DESCRIPTOR, error);
    for (int i = 0; i < HED_WORKER_DESCRIPTORS; i++) close(WILD_DESCRIPTOR + i);
    close(ends[0]);
    close(ends[1]);
    close(file);
    close(result);
    return code;
}

/* What a leader makes of a worker that has said hello, sends these bytes and then closes. */
static inline hed_worker_event wild_answer(
    const void *bytes, size_t size, hed_worker_message *message)
{
    int ends[2], output[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) || pipe2(output, O_NONBLOCK)) abort();
    hed_worker worker = {.pid = 1,
        .socket = ends[0],
        .output = output[0],
        .number = 7,
        .busy = true,
        .greeted = true,
        .deadline = 100};
    if (size) send(ends[1], bytes, size, MSG_NOSIGNAL);
    close(ends[1]);
    if (write(output[1], bytes, size < 4096 ? size : 4096) < 0) abort();
    struct pollfd polled[HED_WORKER_POLLED];
    hed_worker_poll(&worker, polled);
    poll(polled, HED_WORKER_POLLED, 0);
    hed_worker_event event = hed_worker_handle_events(&worker, polled, 0, message);
    if (strlen(worker.tail) != worker.tail_size && !memchr(bytes, 0, size)) abort();
    close(ends[0]);
    close(output[0]);
    close(output[1]);
    return event;
}

#endif
