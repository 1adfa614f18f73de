/* Format of a job, a capture in memory: a header, data of the worker and the measurement, the
 * description of a launch (capture_description.c), then the arguments' data, each aligned to 64.
 * Writer and reader list the same fields in the same order. */
#include "workers/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/program.h"
#include "capture/capture_file.h"
#include "measure/check.h"

enum { DATA_ALIGNMENT = 64 };
#define NO_DATA UINT64_MAX /* offset of data that are NULL */

typedef struct job_header {
    uint64_t version, size; /* `size`: total bytes */
    uint64_t data;          /* offset of the data, */
    uint64_t end;           /* end of the description, which precedes the data */
} job_header;

/* ---- packing ---- */

static uint64_t aligned(uint64_t at)
{
    return (at + DATA_ALIGNMENT - 1) / DATA_ALIGNMENT * DATA_ALIGNMENT;
}

static uint64_t put_place(hed_text *to, const void *data, uint64_t bytes, uint64_t at)
{
    hed_put_u64(to, data ? at : NO_DATA);
    return data ? aligned(at + bytes) : at;
}

/* Bytes of an argument's content; scalars and structs have the size of their description. */
static uint64_t content_bytes(const hed_argument_def *argument, const hed_runner_argument *content)
{
    if (argument->kind == HED_BUFFER) return content->bytes;
    if (argument->kind == HED_STRUCT) return argument->size;
    return argument->kind == HED_SCALAR ? hed_check_element_bytes(argument->type) : 0;
}

/* Writes the fields that a capture lacks. Returns the bytes of all data. */
static uint64_t put_measuring(hed_text *to, const hed_runner_def *def, const char *cache_dir)
{
    const hed_settings *settings = def->device->settings;
    const char *backend = hed_device_describe(def->device).backend;
    bool is_cuda = strcmp(backend, "cuda") == 0, is_gl = strcmp(backend, "gl") == 0;
    hed_hello_put(to, &(hed_hello){.info = def->device->info, .build_key = def->device->build_key});
    hed_put_text(to, cache_dir);
    hed_put_text(to, settings->data_dir);
    hed_put_text(to, settings->ptx_dir);
    /* the worker loads only its own driver, since loading drivers takes most of its start-up
     * time */
    hed_put_text(to, strcmp(backend, "opencl") == 0 ? settings->opencl_library : "");
    hed_put_text(to, is_cuda ? settings->cuda_library : "");
    hed_put_text(to, strcmp(backend, "hip") == 0 ? settings->hip_library : "");
    hed_put_text(to, strcmp(backend, "vulkan") == 0 ? settings->vulkan_library : "");
    hed_put_text(to, is_cuda ? settings->nvrtc_library : "");
    hed_put_text(to, settings->cuda_home);
    hed_put_text(to, settings->gl_library);
    hed_put_u32(to, is_gl && settings->gl);
    hed_put_u32(to, settings->host_threads);
    hed_put_u32(to, def->objective);
    hed_put_u32(to, def->cold_cache);
    hed_put_u32(to, def->counters);
    hed_put_double(to, def->floor_seconds);
    hed_put_defines(to, def->defines, def->define_count);
    uint64_t at = 0;
    hed_put_u32(to, def->kernel->argument_count);
    for (uint32_t i = 0; i < def->kernel->argument_count; i++) {
        const hed_argument_def *argument = &def->kernel->arguments[i];
        const hed_runner_argument *content = &def->arguments[i];
        uint64_t bytes = content_bytes(argument, content);
        hed_put_u32(to, argument->compare);
        hed_put_u32(to, argument->by_config);
        hed_put_u64(to, bytes);
        at = put_place(to, content->data, bytes, at);
        hed_put_u64(to, hed_runner_expected_bytes(content));
        at = put_place(to, content->expected, hed_runner_expected_bytes(content), at);
        hed_put_u64(to, hed_runner_mark_bytes(argument, content));
        at = put_place(to, content->marks, hed_runner_mark_bytes(argument, content), at);
        hed_put_double(to, content->tolerance);
    }
    return at;
}

/* Writes all but the data. The parent reads source files here, so that a worker opens no source
 * file; it has also checked constraints and conditions. */
static hed_status put_all(
    hed_text *to, const hed_runner_def *def, const char *cache_dir, hed_error *error)
{
    const hed_kernel_def *kernel = def->kernel;
    const hed_device_info info = hed_device_describe(def->device);
    hed_build_text texts;
    hed_config config = hed_config_default(kernel);
    job_header header = {.version = hed_worker_version()};
    if (!hed_build_text_make(&texts, def->device, kernel, def->math, &config, def->defines,
            def->define_count, 0, error)) {
        hed_capture_launched launched = {.def = *kernel,
            .math = def->math,
            .problem = *def->problem,
            .info = {
                .version = HED_VERSION_TEXT, .device = info.id, .name = info.id, .config = config}};
        hed_build_text_describe(&texts, &launched.def);
        launched.def.constraint_count = launched.def.condition_count = 0;
        for (uint32_t i = 0; i < kernel->argument_count; i++)
            launched.bytes[i] = def->arguments[i].bytes;
        hed_text_add_bytes(to, &header, sizeof header);
        uint64_t bytes = put_measuring(to, def, cache_dir);
        hed_capture_pack(to, &launched);
        header.end = to->size;
        header.data = aligned(to->size);
        header.size = header.data + bytes;
        if (!to->failed) memcpy(to->bytes, &header, sizeof header);
    }
    hed_build_text_free(&texts);
    if (!hed_failed(error) && to->failed)
        HED_OUT_OF_MEMORY(error, "the description of %s", kernel->name);
    return error->status;
}

/* ---- the file ---- */

hed_status hed_worker_memory(uint64_t size, int *descriptor, hed_error *error)
{
    *descriptor = memfd_create("heddle-worker", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (*descriptor >= 0 && ftruncate(*descriptor, (off_t)size) == 0 &&
        fcntl(*descriptor, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) == 0)
        return HED_OK;
    hed_status status =
        hed_fail(error, HED_ERROR_IO, "no shared memory of %llu bytes for a worker: %s",
            (unsigned long long)size, strerrordesc_np(errno));
    if (*descriptor >= 0) close(*descriptor);
    *descriptor = -1;
    return status;
}

static bool job_write_at(int file, const void *bytes, uint64_t size, uint64_t at)
{
    for (const char *from = bytes; size > 0;) {
        ssize_t written = pwrite(file, from, size, (off_t)at);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        from += written;
        at += (uint64_t)written;
        size -= (uint64_t)written;
    }
    return true;
}

static bool write_data(int file, const hed_runner_def *def, uint64_t at)
{
    bool good = true;
    for (uint32_t i = 0; i < def->kernel->argument_count && good; i++) {
        const hed_runner_argument *content = &def->arguments[i];
        uint64_t bytes = content_bytes(&def->kernel->arguments[i], content);
        if (content->data) good = job_write_at(file, content->data, bytes, at);
        at = content->data ? aligned(at + bytes) : at;
        uint64_t expected = hed_runner_expected_bytes(content);
        if (content->expected) good = good && job_write_at(file, content->expected, expected, at);
        at = content->expected ? aligned(at + expected) : at;
        uint64_t marks = hed_runner_mark_bytes(&def->kernel->arguments[i], content);
        if (content->marks) good = good && job_write_at(file, content->marks, marks, at);
        at = content->marks ? aligned(at + marks) : at;
    }
    return good;
}

hed_status hed_worker_job_pack(
    const hed_runner_def *def, const char *cache_dir, int *descriptor, hed_error *error)
{
    hed_text head = {.allocator = &def->device->settings->allocator};
    job_header header = {0};
    *descriptor = -1;
    if (!put_all(&head, def, cache_dir, error)) {
        memcpy(&header, head.bytes, sizeof header);
        hed_worker_memory(header.size, descriptor, error);
    }
    if (!hed_failed(error) && !(job_write_at(*descriptor, head.bytes, head.size, 0) &&
                                  write_data(*descriptor, def, header.data) &&
                                  fcntl(*descriptor, F_ADD_SEALS, F_SEAL_WRITE) == 0)) {
        hed_fail(error, HED_ERROR_IO,
            "cannot write %" PRIu64 " bytes of arguments into shared memory: %s", header.size,
            strerrordesc_np(errno));
        close(*descriptor);
        *descriptor = -1;
    }
    hed_text_free(&head);
    return error->status;
}

/* ---- reading ---- */

static const void *get_place(
    hed_description_reader *from, const job_header *header, uint64_t bytes, bool *good)
{
    uint64_t at = hed_get_u64(from, "the place of data"), room = header->size - header->data;
    if (at == NO_DATA || from->status) return NULL;
    *good = *good && at % DATA_ALIGNMENT == 0 && at <= room && bytes <= room - at;
    return *good ? from->bytes + header->data + at : NULL;
}

/* Reads the fields of put_measuring(). Numbers out of range are reported; offsets outside the file
 * make it return false. */
static bool get_measuring(
    hed_description_reader *from, const job_header *header, hed_worker_job *job)
{
    hed_context_def *context = &job->context;
    hed_runner_def *runner = &job->runner;
    bool good = hed_hello_get(from, &job->device);
    *context = hed_default_context_def();
    context->cache_dir = hed_get_word(from, "a folder");
    context->data_dir = hed_get_word(from, "a folder");
    context->ptx_dir = hed_get_word(from, "a folder");
    context->opencl_library = hed_get_text(from, "a library");
    context->cuda_library = hed_get_text(from, "a library");
    context->hip_library = hed_get_text(from, "a library");
    context->vulkan_library = hed_get_text(from, "a library");
    context->nvrtc_library = hed_get_text(from, "a library");
    context->cuda_home = hed_get_text(from, "a folder");
    context->gl_library = hed_get_text(from, "a library");
    context->gl = hed_get_below(from, 2, "the flag for OpenGL", "0 or 1");
    context->host_threads = hed_get_u32(from, "the number of threads");
    context->kernel_dir = context->database = context->capture = context->worker = "";
    runner->objective = hed_get_below(from, HED_OBJECTIVE_METRIC + 1, "the objective", "0 to 2");
    runner->cold_cache = hed_get_below(from, 2, "the flag for cold caches", "0 or 1");
    runner->counters = hed_get_below(from, 2, "the flag for counters", "0 or 1");
    runner->floor_seconds = hed_get_double(from, "the shortest time");
    runner->defines = hed_get_defines(from, &runner->define_count);
    job->content_count =
        hed_get_below(from, HED_MAX_ARGUMENTS + 1, "the number of arguments", "at most 32");
    for (uint32_t i = 0; i < job->content_count; i++) {
        hed_runner_argument *content = &job->contents[i];
        job->compares[i] = hed_get_below(from, HED_COMPARE_SORTED + 1, "a comparison", "0 to 2");
        job->by_config[i] = hed_get_below(from, 2, "the flag for a configuration's value", "0 or 1");
        content->bytes = hed_get_u64(from, "the bytes of an argument");
        content->data = get_place(from, header, content->bytes, &good);
        content->expected_bytes = hed_get_u64(from, "the bytes of a result");
        content->expected = get_place(from, header, content->expected_bytes, &good);
        job->mark_bytes[i] = hed_get_u64(from, "the bytes of marks");
        content->marks = get_place(from, header, job->mark_bytes[i], &good);
        content->tolerance = hed_get_double(from, "a tolerance");
    }
    return good;
}

/* False if a content is shorter than its type, which would be read out of bounds. */
static bool contents_fit(hed_worker_job *job, hed_argument_def *arguments)
{
    bool good = job->launched.def.argument_count == job->content_count;
    for (uint32_t i = 0; i < job->content_count && good; i++) {
        const hed_runner_argument *content = &job->contents[i];
        arguments[i].compare = job->compares[i];
        arguments[i].by_config = job->by_config[i];
        if (content->expected && arguments[i].compare == HED_COMPARE_EACH)
            good = content->expected_bytes >= content->bytes;
        if (content->marks)
            good = good && job->mark_bytes[i] >= hed_runner_mark_bytes(&arguments[i], content);
        if (arguments[i].kind != HED_BUFFER)
            good = good && content->bytes == content_bytes(&arguments[i], content);
    }
    return good;
}

hed_status hed_worker_job_read(const hed_allocator *allocator, const void *bytes, size_t size,
    hed_worker_job *job, hed_error *error)
{
    job_header header = {0};
    *job = (hed_worker_job){.arena = {.allocator = *allocator, .owner = "a worker's job"}};
    if (size >= sizeof header) memcpy(&header, bytes, sizeof header);
    if (header.version != hed_worker_version())
        return hed_fail(error, HED_ERROR_FORMAT,
            "the job is not of this version of Heddle: worker and library must be of one build");
    if (header.size != size || header.data > size || header.end > header.data ||
        header.end < sizeof header)
        return hed_fail(error, HED_ERROR_FORMAT, "the job's header is damaged");
    hed_description_reader from = {.path = "the job",
        .bytes = bytes,
        .size = header.end,
        .at = sizeof header,
        .list_limit = UINT32_MAX - 1,
        .is_internal = true,
        .arena = &job->arena,
        .error = error};
    bool good = get_measuring(&from, &header, job);
    hed_capture_launched *launched = &job->launched;
    hed_status status = hed_capture_unpack(&from, launched);
    /* the arena's memory, which is writable */
    if (status == HED_OK &&
        !(good && contents_fit(job, (hed_argument_def *)(uintptr_t)launched->def.arguments)))
        status = hed_fail(error, HED_ERROR_FORMAT, "the job's data are damaged");
    if (status) {
        hed_worker_job_free(job);
        return status;
    }
    job->context.device = launched->info.device;
    job->runner.kernel = &launched->def;
    job->runner.math = launched->math;
    job->runner.problem = &launched->problem;
    job->runner.arguments = job->contents;
    return HED_OK;
}

void hed_worker_job_free(hed_worker_job *job) { hed_arena_free(&job->arena); }
