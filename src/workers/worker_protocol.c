/* Messages between a worker and its leader: see worker_protocol.h. Writer and reader of a HELLO list the same
 * fields in the same order. */
#include "workers/worker_protocol.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "core/objects.h"

enum { TICK_MS = 100 };

/* ---- records ---- */

uint64_t hed_worker_version(void)
{
    const uint64_t layout = sizeof(hed_worker_request) * 65536 + sizeof(hed_worker_reply);
    const uint64_t version =
        HED_VERSION_MAJOR * 10000 + HED_VERSION_MINOR * 100 + HED_VERSION_PATCH;
    return version << 40 | layout;
}

bool hed_worker_request_valid(const hed_worker_request *request)
{
    return request->task < HED_TASK_COUNT && request->slot < HED_RUNNER_SLOTS &&
           request->runs <= HED_WORKER_VALUES && request->argument < HED_MAX_ARGUMENTS &&
           request->pattern < HED_RUNNER_PATTERNS && request->config.count <= HED_MAX_PARAMETERS;
}

static bool has_end(const char *text, size_t size) { return memchr(text, 0, size) != NULL; }

bool hed_worker_reply_valid(const hed_worker_reply *reply)
{
    unsigned char from_cache; /* a bool with a value other than 0 or 1 must not be read as bool */
    memcpy(&from_cache, &reply->trial.resources.from_cache, 1);
    return reply->status < HED_STATUS_COUNT && reply->count <= HED_WORKER_VALUES &&
           (unsigned)reply->trial.outcome < HED_OUTCOME_COUNT && from_cache <= 1 &&
           has_end(reply->trial.text, sizeof reply->trial.text) &&
           has_end(reply->text, sizeof reply->text);
}

/* ---- the greeting ---- */

void hed_hello_put(hed_text *to, const hed_hello *hello)
{
    const hed_device_info *info = &hello->info;
    const char *texts[] = {hello->machine, hello->build_key, info->id, info->backend,
        info->platform, info->name, info->vendor, info->driver};
    hed_put_u64(to, hed_worker_version());
    for (size_t i = 0; i < HED_COUNT(texts); i++) hed_put_text(to, texts[i] ? texts[i] : "");
    hed_put_u32(to, info->type);
    hed_put_u32(to, info->compute_units);
    hed_put_u32(to, info->lane_width);
    hed_put_u32(to, info->max_group);
    for (int i = 0; i < 3; i++) hed_put_u32(to, info->max_group_size[i]);
    for (int i = 0; i < 3; i++) hed_put_u64(to, info->max_groups[i]);
    hed_put_u64(to, info->local_bytes);
    hed_put_u64(to, info->memory_bytes);
    hed_put_u64(to, info->max_buffer_bytes);
    hed_put_u64(to, info->cache_bytes);
    hed_put_u32(to, info->buffer_alignment);
    hed_put_u32(to, info->max_arguments_bytes);
    hed_put_u32(to, info->clock_mhz);
    hed_put_u32(to, info->architecture);
    hed_put_u32(to, info->registers);
    hed_put_u64(to, info->capabilities);
}

bool hed_hello_get(hed_description_reader *from, hed_hello *hello)
{
    hed_device_info *info = &hello->info;
    *hello = (hed_hello){0};
    if (hed_get_u64(from, "the version") != hed_worker_version() && !from->status) return false;
    const char **texts[] = {&hello->machine, &hello->build_key, &info->id, &info->backend,
        &info->platform, &info->name, &info->vendor, &info->driver};
    for (size_t i = 0; i < HED_COUNT(texts); i++) *texts[i] = hed_get_word(from, "a text");
    info->type = hed_get_below(from, HED_DEVICE_OTHER + 1, "the kind of processor", "0 to 2");
    info->compute_units = hed_get_u32(from, "the compute units");
    info->lane_width = hed_get_u32(from, "the lanes");
    info->max_group = hed_get_u32(from, "the largest group");
    for (int i = 0; i < 3; i++) info->max_group_size[i] = hed_get_u32(from, "a group's size");
    for (int i = 0; i < 3; i++) info->max_groups[i] = hed_get_u64(from, "the most groups");
    info->local_bytes = hed_get_u64(from, "the local memory");
    info->memory_bytes = hed_get_u64(from, "the memory");
    info->max_buffer_bytes = hed_get_u64(from, "the largest buffer");
    info->cache_bytes = hed_get_u64(from, "the cache");
    info->buffer_alignment = hed_get_u32(from, "the alignment");
    info->max_arguments_bytes = hed_get_u32(from, "the bytes of arguments");
    info->clock_mhz = hed_get_u32(from, "the clock");
    info->architecture = hed_get_u32(from, "the architecture");
    info->registers = hed_get_u32(from, "the registers");
    info->capabilities = hed_get_u64(from, "the capabilities");
    return true;
}

hed_status hed_hello_read(const void *bytes, size_t size, hed_hello *hello, hed_error *error)
{
    hed_allocator allocator = hed_default_allocator();
    hed_arena arena = {.allocator = allocator, .owner = "a worker's device"};
    hed_description_reader from = {.path = "the worker's first word",
        .bytes = bytes,
        .size = size,
        .is_internal = true,
        .arena = &arena,
        .error = error};
    const hed_device_info *info = &hello->info;
    if (!hed_hello_get(&from, hello))
        return hed_fail(error, HED_ERROR_FORMAT,
            "the worker is of another version of Heddle; expected this build (%s)",
            HED_VERSION_TEXT);
    if (!from.status && (from.at != size || !info->max_group || !info->buffer_alignment))
        hed_fail(error, HED_ERROR_FORMAT, "invalid device description from the worker");
    return error->status;
}

hed_status hed_hello_send(int descriptor, const hed_device *device, hed_error *error)
{
    char machine[256] = "";
    hed_text text = {.allocator = hed_allocator_of(device)};
    gethostname(machine, sizeof machine - 1);
    const hed_hello hello = {
        .info = device->info, .machine = machine, .build_key = device->build_key};
    hed_hello_put(&text, &hello);
    if (text.failed) HED_OUT_OF_MEMORY(error, "the description of a device");
    else hed_frame_write(descriptor, HED_FRAME_HELLO, text.bytes, text.size, 0);
    hed_text_free(&text);
    return error->status;
}

bool hed_hello_describes(const hed_hello *hello, const char *id, const hed_device *device)
{
    const hed_device_info *is = &device->info;
    return !strcmp(id, is->id) && !strcmp(hello->info.backend, is->backend) &&
           !strcmp(hello->info.name, is->name) && !strcmp(hello->info.driver, is->driver) &&
           !strcmp(hello->build_key, device->build_key);
}

/* ---- frames ---- */

bool hed_stream_read_all(int descriptor, void *bytes, size_t size)
{
    char *to = bytes;
    while (size) {
        ssize_t got = read(descriptor, to, size);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        to += got;
        size -= (size_t)got;
    }
    return true;
}

bool hed_stream_write_all(int descriptor, const void *bytes, size_t size, double patience)
{
    const char *from = bytes;
    uint64_t moved = hed_now();
    while (size) {
        /* prevents SIGPIPE if the other end of the socket is closed */
        ssize_t count = send(descriptor, from, size, MSG_NOSIGNAL);
        if (count < 0 && errno == ENOTSOCK) count = write(descriptor, from, size);
        if (count > 0) {
            from += count;
            size -= (size_t)count;
            moved = hed_now();
        } else if (count < 0 && errno == EAGAIN) {
            struct pollfd polled = {.fd = descriptor, .events = POLLOUT};
            poll(&polled, 1, TICK_MS);
            if (patience > 0 && (double)(hed_now() - moved) > patience * 1e9) return false;
        } else if (errno != EINTR) {
            return false;
        }
    }
    return true;
}

bool hed_frame_write(
    int descriptor, hed_frame_kind kind, const void *bytes, size_t size, double patience)
{
    const hed_frame frame = {.magic = HED_FRAME_MAGIC, .kind = kind, .size = size};
    return hed_stream_write_all(descriptor, &frame, sizeof frame, patience) &&
           hed_stream_write_all(descriptor, bytes, size, patience);
}

hed_order hed_order_read(int descriptor, hed_worker_request *request, uint64_t *job_size)
{
    hed_frame frame;
    char *bytes = (char *)&frame;
    if (!hed_stream_read_all(descriptor, bytes, 1)) return HED_ORDER_CLOSED;
    if (!hed_stream_read_all(descriptor, bytes + 1, sizeof frame - 1) ||
        frame.magic != HED_FRAME_MAGIC)
        return HED_ORDER_INVALID;
    *job_size = frame.size;
    if (frame.kind == HED_FRAME_JOB)
        return frame.size > sizeof(hed_frame_job) ? HED_ORDER_JOB : HED_ORDER_INVALID;
    bool good = frame.kind == HED_FRAME_REQUEST && frame.size == sizeof *request &&
                hed_stream_read_all(descriptor, request, sizeof *request) &&
                hed_worker_request_valid(request);
    return good ? HED_ORDER_REQUEST : HED_ORDER_INVALID;
}
