/* A job is a header, then numbers and texts one after another, each padded to 8 bytes, then the
 * arguments' data, each aligned to 64. Packing and reading are two lists of the same fields in the
 * same order. */
#include "tune/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/text.h"
#include "core/program.h"
#include "tune/check.h"

enum { DATA_ALIGNMENT = 64, MOST_VALUES = 255 /* of a parameter: include/heddle/space.h */ };
#define NONE UINT64_MAX /* a text or data that is NULL */

typedef struct job_header {
    uint64_t version, size; /* of the whole */
    uint64_t data;          /* where data begin */
} job_header;

/* ---- packing ---- */

static void put_number(hed_text *to, uint64_t value)
{
    hed_text_add_bytes(to, &value, sizeof value);
}
static void put_real(hed_text *to, double value) { hed_text_add_bytes(to, &value, sizeof value); }

static void put_bytes(hed_text *to, const char *bytes, size_t size)
{
    static const char zeros[8] = {0};
    put_number(to, bytes ? size : NONE);
    if (!bytes) return;
    hed_text_add_bytes(to, bytes, size);
    hed_text_add_bytes(to, zeros, 8 - size % 8); /* at least one: texts end with a zero */
}

static void put_text(hed_text *to, const char *text)
{
    put_bytes(to, text, text ? strlen(text) : 0);
}

static void put_context(hed_text *to, const hed_runner_def *def, const char *cache_dir)
{
    const hed_device_info *info = hed_device_get_info(def->device);
    const hed_settings *settings = def->device->settings;
    bool is_cuda = strcmp(info->backend, "cuda") == 0;
    put_text(to, info->id);
    put_text(to, cache_dir);
    put_text(to, settings->data_dir);
    put_text(to, settings->ptx_dir);
    /* The other drivers stay unloaded: that is most of the time a worker takes to begin. */
    put_text(to, is_cuda ? "" : settings->opencl_library);
    put_text(to, is_cuda ? settings->cuda_library : "");
    put_text(to, is_cuda ? settings->nvrtc_library : "");
    put_text(to, settings->cuda_home);
    put_number(to, settings->host_threads);
}

static void put_defines(hed_text *to, const hed_define *defines, uint32_t count)
{
    put_number(to, count);
    for (uint32_t i = 0; i < count; i++) {
        put_text(to, defines[i].name);
        put_text(to, defines[i].value);
    }
}

static void put_kernel(hed_text *to, const hed_kernel_def *kernel, const hed_build_text *texts)
{
    put_text(to, kernel->name);
    put_text(to, kernel->entry);
    put_number(to, kernel->language);
    put_number(to, kernel->needs);
    put_text(to, kernel->max_threads);
    put_number(to, kernel->min_groups);
    put_number(to, kernel->may_spill);
    put_number(to, texts->source_count);
    for (uint32_t i = 0; i < texts->source_count; i++) {
        put_text(to, texts->sources[i].name);
        put_bytes(to, texts->sources[i].text, texts->sources[i].size);
    }
    put_defines(to, kernel->defines, kernel->define_count);
    put_number(to, kernel->option_count);
    for (uint32_t i = 0; i < kernel->option_count; i++) put_text(to, kernel->options[i]);
    put_number(to, kernel->parameter_count);
    for (uint32_t i = 0; i < kernel->parameter_count; i++) {
        const hed_parameter_def *parameter = &kernel->parameters[i];
        put_text(to, parameter->name);
        put_number(to, (uint64_t)parameter->value);
        put_number(to, parameter->count);
        hed_text_add_bytes(to, parameter->values, parameter->count * sizeof *parameter->values);
    }
    put_number(to, kernel->dimension_count);
    for (uint32_t i = 0; i < kernel->dimension_count; i++) put_text(to, kernel->dimensions[i]);
}

static uint64_t aligned(uint64_t at)
{
    return (at + DATA_ALIGNMENT - 1) / DATA_ALIGNMENT * DATA_ALIGNMENT;
}

static uint64_t put_place(hed_text *to, const void *data, uint64_t bytes, uint64_t at)
{
    put_number(to, data ? at : NONE);
    return data ? aligned(at + bytes) : at;
}

/* Bytes that an argument's content has, whatever the caller says of scalars and structs. */
static uint64_t content_bytes(const hed_argument_def *argument, const hed_runner_argument *content)
{
    if (argument->kind == HED_BUFFER) return content->bytes;
    if (argument->kind == HED_STRUCT) return argument->size;
    return argument->kind == HED_SCALAR ? hed_check_element_bytes(argument->type) : 0;
}

/* Gives the bytes of all data. */
static uint64_t put_arguments(hed_text *to, const hed_runner_def *def)
{
    uint64_t at = 0;
    put_number(to, def->kernel->argument_count);
    for (uint32_t i = 0; i < def->kernel->argument_count; i++) {
        const hed_argument_def *argument = &def->kernel->arguments[i];
        const hed_runner_argument *content = &def->arguments[i];
        uint64_t bytes = content_bytes(argument, content);
        put_text(to, argument->name);
        put_number(to, argument->kind);
        put_number(to, argument->type);
        put_number(to, argument->access);
        put_number(to, argument->size);
        put_number(to, argument->symbol);
        put_number(to, argument->compare);
        put_number(to, bytes);
        at = put_place(to, content->data, bytes, at);
        put_number(to, hed_runner_expected_bytes(content));
        at = put_place(to, content->expected, hed_runner_expected_bytes(content), at);
        put_real(to, content->tolerance);
    }
    return at;
}

static void put_measuring(hed_text *to, const hed_runner_def *def)
{
    put_number(to, def->math);
    put_number(to, def->objective);
    put_number(to, def->cold_cache);
    put_real(to, def->floor_seconds);
    put_defines(to, def->defines, def->define_count);
    put_number(to, def->problem->count);
    for (uint32_t i = 0; i < def->problem->count; i++)
        put_number(to, (uint64_t)def->problem->sizes[i]);
}

/* Everything but the data. The texts of sources are read here, in the parent: a worker opens no
 * file of theirs. */
static hed_status put_all(
    hed_text *to, const hed_runner_def *def, const char *cache_dir, hed_error *error)
{
    hed_build_text texts;
    hed_config config = hed_config_default(def->kernel);
    job_header header = {.version = hed_worker_version()};
    hed_status status = hed_build_text_make(&texts, def->device, def->kernel, def->math, &config,
        def->defines, def->define_count, 0, error);
    if (!status) {
        hed_text_add_bytes(to, &header, sizeof header);
        put_context(to, def, cache_dir);
        put_kernel(to, def->kernel, &texts);
        put_measuring(to, def);
        header.size = put_arguments(to, def);
        header.data = aligned(to->size);
        header.size += header.data;
        if (!to->failed) memcpy(to->bytes, &header, sizeof header);
    }
    hed_build_text_free(&texts);
    if (!status && to->failed)
        return hed_fail(error, HED_ERROR_MEMORY, "no memory to describe %s", def->kernel->name);
    return status;
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

static bool write_at(int file, const void *bytes, uint64_t size, uint64_t at)
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
        if (content->data) good = write_at(file, content->data, bytes, at);
        at = content->data ? aligned(at + bytes) : at;
        uint64_t expected = hed_runner_expected_bytes(content);
        if (content->expected) good = good && write_at(file, content->expected, expected, at);
        at = content->expected ? aligned(at + expected) : at;
    }
    return good;
}

hed_status hed_worker_job_pack(
    const hed_runner_def *def, const char *cache_dir, int *descriptor, hed_error *error)
{
    hed_text head = {.allocator = &def->device->settings->allocator};
    job_header header;
    *descriptor = -1;
    hed_status status = put_all(&head, def, cache_dir, error);
    if (!status) memcpy(&header, head.bytes, sizeof header);
    if (!status) status = hed_worker_memory(header.size, descriptor, error);
    bool good = !status && write_at(*descriptor, head.bytes, head.size, 0) &&
                write_data(*descriptor, def, header.data) &&
                fcntl(*descriptor, F_ADD_SEALS, F_SEAL_WRITE) == 0;
    if (!status && !good) {
        status = hed_fail(error, HED_ERROR_IO,
            "cannot write %llu bytes of arguments into shared memory: %s",
            (unsigned long long)header.size, strerrordesc_np(errno));
        close(*descriptor);
        *descriptor = -1;
    }
    hed_text_free(&head);
    return status;
}

/* ---- reading ---- */

typedef struct reader {
    const unsigned char *bytes;
    uint64_t at, end; /* of the head */
    uint64_t data, size;
    bool bad;     /* everything read from here on is 0 or NULL */
    bool starved; /* since there was no memory */
} reader;

static uint64_t get_number(reader *from)
{
    uint64_t value = 0;
    if (from->bad || from->end - from->at < sizeof value) {
        from->bad = true;
        return 0;
    }
    memcpy(&value, from->bytes + from->at, sizeof value);
    from->at += sizeof value;
    return value;
}

static double get_real(reader *from)
{
    uint64_t bits = get_number(from);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* A number of at most `most`. */
static uint32_t get_small(reader *from, uint32_t most)
{
    uint64_t value = get_number(from);
    if (value > most) from->bad = true;
    return from->bad ? 0 : (uint32_t)value;
}

static const void *get_array(reader *from, uint64_t count, size_t size)
{
    const void *array = from->bytes + from->at;
    if (from->bad || count > (from->end - from->at) / size) {
        from->bad = true;
        return NULL;
    }
    from->at += count * size;
    return array;
}

static const char *get_bytes(reader *from, size_t *size)
{
    uint64_t length = get_number(from);
    *size = 0;
    if (length == NONE || from->bad) return NULL;
    if (length >= from->end) from->bad = true;
    const char *bytes = from->bad ? NULL : get_array(from, length / 8 + 1, 8);
    if (bytes && bytes[length] != 0) from->bad = true;
    *size = from->bad ? 0 : length;
    return from->bad ? NULL : bytes;
}

static const char *get_text(reader *from)
{
    size_t size;
    const char *text = get_bytes(from, &size);
    if (text && strlen(text) != size) from->bad = true;
    return from->bad ? NULL : text;
}

/* A text that must be there. */
static const char *get_word(reader *from)
{
    const char *text = get_text(from);
    if (!text) from->bad = true;
    return text;
}

static void get_context(reader *from, hed_worker_job *job)
{
    hed_context_def *context = &job->context;
    *context = hed_default_context_def();
    job->device = get_word(from);
    context->device = job->device;
    context->cache_dir = get_word(from);
    context->data_dir = get_word(from);
    context->ptx_dir = get_word(from);
    context->opencl_library = get_text(from);
    context->cuda_library = get_text(from);
    context->nvrtc_library = get_text(from);
    context->cuda_home = get_text(from);
    context->host_threads = get_small(from, UINT32_MAX);
    context->kernel_dir = context->database = context->capture = context->worker = "";
}

/* Pieces of a list are at least 16 bytes each, which bounds their number before anything is
 * allocated for them. */
static uint32_t get_count(reader *from)
{
    return get_small(from, (uint32_t)((from->end - from->at) / 16));
}

static void get_sources(reader *from, hed_worker_job *job)
{
    uint32_t count = get_count(from);
    job->sources = hed_allocate(&job->allocator, (count + 1) * sizeof *job->sources);
    job->source_capacity = count + 1;
    if (!job->sources) from->bad = from->starved = true;
    for (uint32_t i = 0; i < count && job->sources; i++) {
        job->sources[i].name = get_word(from);
        job->sources[i].text = get_bytes(from, &job->sources[i].size);
        if (!job->sources[i].text) from->bad = true;
    }
    job->kernel.sources = job->sources;
    job->kernel.source_count = job->sources ? count : 0;
}

/* Appends a list of defines to job->defines and gives how many there were. */
static uint32_t get_defines(reader *from, hed_worker_job *job, uint32_t before)
{
    uint32_t count = get_count(from), capacity = before + count + 1;
    hed_define *grown = hed_allocate(&job->allocator, capacity * sizeof *grown);
    if (grown && before) memcpy(grown, job->defines, before * sizeof *grown);
    hed_release(&job->allocator, job->defines, job->define_capacity * sizeof *grown);
    job->defines = grown;
    job->define_capacity = grown ? capacity : 0;
    if (!grown) from->bad = from->starved = true;
    for (uint32_t i = before; i < before + count && grown; i++) {
        grown[i].name = get_word(from);
        grown[i].value = get_word(from);
    }
    return grown ? count : 0;
}

static void get_options(reader *from, hed_worker_job *job)
{
    uint32_t count = get_count(from);
    job->options = hed_allocate(&job->allocator, (count + 1) * sizeof *job->options);
    job->option_capacity = count + 1;
    if (!job->options) from->bad = from->starved = true;
    for (uint32_t i = 0; i < count && job->options; i++) job->options[i] = get_word(from);
    job->kernel.options = job->options;
    job->kernel.option_count = job->options ? count : 0;
}

static void get_parameters(reader *from, hed_worker_job *job)
{
    job->kernel.parameters = job->parameters;
    job->kernel.parameter_count = get_small(from, HED_MAX_PARAMETERS);
    for (uint32_t i = 0; i < job->kernel.parameter_count; i++) {
        hed_parameter_def *parameter = &job->parameters[i];
        parameter->name = get_word(from);
        parameter->value = (int64_t)get_number(from);
        parameter->count = get_small(from, MOST_VALUES);
        parameter->values = get_array(from, parameter->count, sizeof *parameter->values);
    }
}

static void get_kernel(reader *from, hed_worker_job *job)
{
    hed_kernel_def *kernel = &job->kernel;
    kernel->name = get_word(from);
    kernel->entry = get_text(from);
    kernel->language = (hed_language)get_small(from, HED_CUDA_C);
    kernel->needs = get_number(from);
    kernel->max_threads = get_text(from);
    kernel->min_groups = get_small(from, UINT32_MAX);
    kernel->may_spill = get_small(from, 1);
    get_sources(from, job);
    kernel->define_count = get_defines(from, job, 0);
    get_options(from, job);
    get_parameters(from, job);
    kernel->dimensions = job->dimensions;
    kernel->dimension_count = get_small(from, HED_MAX_DIMENSIONS);
    for (uint32_t i = 0; i < kernel->dimension_count; i++) job->dimensions[i] = get_word(from);
}

static void get_measuring(reader *from, hed_worker_job *job)
{
    hed_runner_def *runner = &job->runner;
    runner->math = (hed_math)get_small(from, HED_MATH_STRICT);
    runner->objective = (hed_objective)get_small(from, HED_OBJECTIVE_METRIC);
    runner->cold_cache = get_small(from, 1);
    runner->floor_seconds = get_real(from);
    runner->define_count = get_defines(from, job, job->kernel.define_count);
    job->problem.count = get_small(from, HED_MAX_DIMENSIONS);
    for (uint32_t i = 0; i < job->problem.count; i++)
        job->problem.sizes[i] = (int64_t)get_number(from);
    job->kernel.defines = job->defines;
    runner->defines = job->defines ? job->defines + job->kernel.define_count : NULL;
    runner->kernel = &job->kernel;
    runner->problem = &job->problem;
    runner->arguments = job->contents;
}

static const void *get_place(reader *from, uint64_t bytes)
{
    uint64_t at = get_number(from), room = from->size - from->data;
    if (at == NONE) return NULL;
    if (at % DATA_ALIGNMENT || at > room || bytes > room - at) from->bad = true;
    return from->bad ? NULL : from->bytes + from->data + at;
}

static void get_arguments(reader *from, hed_worker_job *job)
{
    job->kernel.arguments = job->arguments;
    job->kernel.argument_count = get_small(from, HED_MAX_ARGUMENTS);
    for (uint32_t i = 0; i < job->kernel.argument_count; i++) {
        hed_argument_def *argument = &job->arguments[i];
        hed_runner_argument *content = &job->contents[i];
        argument->name = get_word(from);
        argument->kind = (hed_argument_kind)get_small(from, HED_LOCAL);
        argument->type = (hed_type)get_small(from, HED_TYPE_COUNT - 1);
        argument->access = (hed_access)get_small(from, HED_WORKSPACE);
        argument->size = get_number(from);
        argument->symbol = get_small(from, 1);
        argument->compare = (hed_compare)get_small(from, HED_COMPARE_SORTED);
        content->bytes = get_number(from);
        content->data = get_place(from, content->bytes);
        content->expected_bytes = get_number(from);
        content->expected = get_place(from, content->expected_bytes);
        content->tolerance = get_real(from);
        /* A content that is shorter than its type would be read beyond its end. */
        if (content->expected && argument->compare == HED_COMPARE_EACH &&
            content->expected_bytes < content->bytes)
            from->bad = true;
        if (argument->kind != HED_BUFFER && content->bytes != content_bytes(argument, content))
            from->bad = true;
    }
}

hed_status hed_worker_job_read(const hed_allocator *allocator, const void *bytes, size_t size,
    hed_worker_job *job, hed_error *error)
{
    job_header header = {0};
    *job = (hed_worker_job){.allocator = *allocator};
    if (size >= sizeof header) memcpy(&header, bytes, sizeof header);
    if (header.version != hed_worker_version())
        return hed_fail(error, HED_ERROR_FORMAT,
            "the job is not of this version of Heddle: worker and library must be of one build");
    reader from = {
        .bytes = bytes, .at = sizeof header, .end = header.data, .data = header.data, .size = size};
    from.bad = header.size != size || header.data > size || header.data < sizeof header;
    if (!from.bad) {
        get_context(&from, job);
        get_kernel(&from, job);
        get_measuring(&from, job);
        get_arguments(&from, job);
    }
    hed_status status = HED_OK;
    if (from.starved) status = hed_fail(error, HED_ERROR_MEMORY, "no memory to read the job");
    else if (from.bad)
        status = hed_fail(error, HED_ERROR_FORMAT, "the job is damaged near byte %llu",
            (unsigned long long)from.at);
    if (status) hed_worker_job_free(job);
    return status;
}

void hed_worker_job_free(hed_worker_job *job)
{
    hed_release(&job->allocator, job->sources, job->source_capacity * sizeof *job->sources);
    hed_release(&job->allocator, job->defines, job->define_capacity * sizeof *job->defines);
    hed_release(&job->allocator, job->options, job->option_capacity * sizeof *job->options);
    job->sources = NULL;
    job->options = NULL;
    job->defines = NULL;
}
