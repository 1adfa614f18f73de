/* Host side of a resident kernel. prelude/resident.clh defines the mailbox and its protocol. */
#include "heddle/resident.h"

#include <string.h>

#include "launch/launcher.h"

enum {
    DOORBELL = 0,
    LEAVE = 1,
    ANSWERED = 16,
    STATE = 17,
    HEARTBEAT = 18,
    REQUEST = 32,
    MOST_BYTES = 64 << 10
};
/* States written by the device, in the order of prelude/resident.clh. */
enum { IS_RUNNING, IS_LEAVING, HAS_IDLED, HAS_QUIT, HAS_TIMED_OUT };

struct hed_resident {
    hed_stream *stream;
    hed_resident_def def;
    hed_argument arguments[HED_MAX_ARGUMENTS];
    hed_buffer *mail, *relay;
    _Atomic uint32_t *words; /* the mailbox, mapped by the host */
    uint32_t reply_at;       /* first word of the reply */
    uint32_t groups;
    uint32_t number;   /* number of the last request; wraps */
    uint32_t answered; /* number of the last request whose reply was fetched */
    bool stopped;
};

static uint32_t words_of(uint32_t bytes) { return (bytes + 3) / 4; }
static uint32_t microseconds(uint64_t ns)
{
    return ns / 1000 > UINT32_MAX ? UINT32_MAX : (uint32_t)((ns + 999) / 1000);
}

/* ---- starting ---- */

static hed_status resident_check(
    const hed_stream *stream, const hed_resident_def *def, hed_error *error)
{
    const hed_kernel_def *kernel = def->kernel ? def->kernel->def : NULL;
    if (!kernel) return hed_fail(error, HED_ERROR_ARGUMENT, "hed_resident_def.kernel is NULL");
    if (!def->step_timeout_ns)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "hed_resident_def.step_timeout_ns is 0; expected at least 1 ns");
    if (!(stream->device->info.capabilities & HED_CAN_RESIDENT) ||
        !(kernel->needs & HED_CAN_RESIDENT))
        return hed_fail(error, HED_ERROR_UNSUPPORTED,
            "%s: a resident kernel needs \"resident\" in its description and of its device; %s %s",
            kernel->name, stream->device->info.id,
            kernel->needs & HED_CAN_RESIDENT ? "does not have it" : "is not asked for it");
    if (def->request_bytes > MOST_BYTES || def->reply_bytes > MOST_BYTES)
        return hed_fail(error, HED_ERROR_LIMIT,
            "%s: requests have %u bytes, replies %u; expected at most %d each", kernel->name,
            def->request_bytes, def->reply_bytes, MOST_BYTES);
    if (def->argument_count + 2 != kernel->argument_count ||
        kernel->arguments[0].kind != HED_BUFFER || kernel->arguments[1].kind != HED_BUFFER)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "%s: expected two mailbox buffers and %u arguments; %u arguments were given",
            kernel->name, kernel->argument_count < 2 ? 0 : kernel->argument_count - 2,
            def->argument_count);
    return HED_OK;
}

static hed_status make_buffers(hed_resident *r, hed_error *error)
{
    uint32_t request = words_of(r->def.request_bytes), reply = words_of(r->def.reply_bytes);
    r->reply_at = REQUEST + (request + 31) / 32 * 32;
    hed_buffer_def mail = {.memory = HED_MEMORY_MAPPED, .size = 4ull * (r->reply_at + reply + 32)};
    hed_buffer_def relay = hed_default_buffer_def(16ull * (3 + request / 3 + 1));
    hed_status status = hed_buffer_create(r->stream->device, &mail, &r->mail, error);
    if (status) return status;
    status = hed_buffer_create(r->stream->device, &relay, &r->relay, error);
    if (status) return status;
    r->words = hed_buffer_describe(r->mail).host;
    memset(hed_buffer_describe(r->mail).host, 0, hed_buffer_describe(r->mail).size);
    r->arguments[0] = hed_buffer_argument(r->mail);
    r->arguments[1] = hed_buffer_argument(r->relay);
    if (r->def.argument_count)
        memcpy(r->arguments + 2, r->def.arguments, r->def.argument_count * sizeof r->arguments[0]);
    return HED_OK;
}

/* Checks that all groups can be resident at once; otherwise resident groups would wait forever for
 * the others. */
static hed_status check_fits(hed_resident *r, hed_error *error)
{
    hed_geometry g = r->def.geometry;
    const hed_program *program = &r->def.kernel->active->program;
    hed_status status = hed_geometry_settle(
        program->def, r->stream->device, program, program->max_threads, &g, error);
    if (status) return status;
    uint64_t local = 0, groups = 1;
    int64_t resident = -1;
    for (uint32_t i = 0; i < program->def->argument_count; i++)
        if (program->def->arguments[i].kind == HED_LOCAL) local += (g.local_bytes[i] + 15) & ~15ull;
    for (uint32_t i = 0; i < 3; i++) groups *= g.global[i] / g.group[i];
    status = hed_kernel_resident_groups(
        r->def.kernel, g.group[0] * g.group[1] * g.group[2], local, &resident, error);
    if (!status && resident >= 0 && groups > (uint64_t)resident)
        return hed_fail(error, HED_ERROR_LIMIT, "%s: %llu groups, %lld are resident on %s at once",
            program->def->name, (unsigned long long)groups, (long long)resident,
            r->stream->device->info.id);
    r->groups = (uint32_t)groups;
    return status;
}

/* Starts the kernel, which continues after request `answered`. `error` is not NULL. */
static hed_status resident_start(hed_resident *r, uint32_t answered, hed_error *error)
{
    const uint32_t header[12] = {words_of(r->def.request_bytes), answered,
        microseconds(r->def.idle_exit_ns), microseconds(r->def.step_timeout_ns), 0, 0, 0, 0, 0, 0,
        0, answered};
    atomic_store_explicit(&r->words[STATE], IS_RUNNING, memory_order_relaxed);
    hed_write(r->stream, r->relay, 0, header, sizeof header, error);
    hed_stream_wait(r->stream, error);
    hed_launch_over(
        r->stream, r->def.kernel, &r->def.geometry, r->arguments, r->def.argument_count + 2, error);
    return hed_stream_flush(r->stream, error);
}

hed_status hed_resident_create(
    hed_stream *stream, const hed_resident_def *def, hed_resident **resident, hed_error *error)
{
    HED_REQUIRE(stream, def, resident);
    hed_error local_error = {0};
    if (!error) error = &local_error;
    *resident = NULL;
    hed_status status = resident_check(stream, def, error);
    if (status) return status;
    status = hed_kernel_swap(def->kernel, error);
    if (status) return status;
    hed_resident *r = hed_allocate(hed_allocator_of(stream->device), sizeof *r);
    if (!r) return HED_OUT_OF_MEMORY(error, "a resident kernel");
    r->stream = stream;
    r->def = *def;
    r->stopped = true;
    if ((status = check_fits(r, error)) || (status = make_buffers(r, error)) ||
        (status = resident_start(r, 0, error))) {
        hed_resident_destroy(r);
        return status;
    }
    r->stopped = false;
    *resident = r;
    return HED_OK;
}

/* ---- work ---- */

static uint32_t word(const hed_resident *r, uint32_t at)
{
    return atomic_load_explicit(&r->words[at], memory_order_acquire);
}

/* Final state of the device: waits while it is "leaving", at most a few microseconds. */
static uint32_t settled_state(const hed_resident *r)
{
    const hed_clock *clock = &r->stream->device->settings->clock;
    uint64_t begin = clock->now(clock->user);
    uint32_t state = word(r, STATE);
    while (state == IS_LEAVING && clock->now(clock->user) - begin < 100000000)
        state = word(r, STATE);
    return state;
}

hed_status hed_resident_post(hed_resident *r, const void *request, uint64_t *number)
{
    if (!r || !request) return HED_ERROR_ARGUMENT;
    if (r->stopped || r->number != r->answered) return HED_ERROR_ARGUMENT;
    uint32_t next = r->number + 1;
    memcpy((void *)&r->words[REQUEST], request, r->def.request_bytes);
    atomic_store_explicit(&r->words[DOORBELL], next, memory_order_seq_cst);
    atomic_thread_fence(memory_order_seq_cst);
    uint32_t state = settled_state(r);
    if (state == HAS_TIMED_OUT) return HED_ERROR_TIMEOUT;
    if (state == HAS_IDLED && resident_start(r, r->number, &(hed_error){0})) return HED_ERROR_LOST;
    r->number = next;
    if (number) *number = next;
    return HED_OK;
}

hed_status hed_resident_wait(hed_resident *r, void *reply, uint64_t timeout_ns)
{
    if (!r) return HED_ERROR_ARGUMENT;
    if (r->number == r->answered) return HED_ERROR_ARGUMENT;
    const hed_clock *clock = &r->stream->device->settings->clock;
    uint64_t begin = timeout_ns ? clock->now(clock->user) : 0;
    for (uint32_t polls = 1; word(r, ANSWERED) != r->number; polls++) {
        if (word(r, STATE) == HAS_TIMED_OUT) return HED_ERROR_TIMEOUT;
        if (!timeout_ns || (polls % 64 == 0 && clock->now(clock->user) - begin >= timeout_ns))
            return HED_ERROR_NOT_READY;
    }
    if (reply) memcpy(reply, (const void *)&r->words[r->reply_at], r->def.reply_bytes);
    r->answered = r->number;
    return HED_OK;
}

static hed_resident_state resident_state(const hed_resident *r)
{
    static const hed_resident_state states[] = {HED_RESIDENT_RUNNING, HED_RESIDENT_RUNNING,
        HED_RESIDENT_IDLE_EXIT, HED_RESIDENT_STOPPED, HED_RESIDENT_TIMED_OUT};
    uint32_t state = word(r, STATE);
    bool done = false;
    if (state <= IS_LEAVING && r->stream->device->backend->stream_done(r->stream, &done, NULL))
        return HED_RESIDENT_LOST;
    /* the kernel ended without reporting a reason */
    if (done && word(r, STATE) <= IS_LEAVING) return HED_RESIDENT_LOST;
    return r->stopped ? HED_RESIDENT_STOPPED
                      : states[state > HAS_TIMED_OUT ? HAS_TIMED_OUT : state];
}

hed_resident_info hed_resident_describe(const hed_resident *r)
{
    if (!r) return (hed_resident_info){.state = HED_RESIDENT_LOST};
    return (hed_resident_info){.state = resident_state(r), .heartbeat = word(r, HEARTBEAT)};
}

hed_status hed_resident_stop(hed_resident *r, uint64_t timeout_ns, hed_error *error)
{
    bool failed = hed_failed(error);
    if (!r || r->stopped) return failed ? error->status : HED_OK;
    atomic_store_explicit(&r->words[LEAVE], 1, memory_order_seq_cst);
    hed_status status = hed_stream_wait_for(r->stream, timeout_ns, failed ? NULL : error);
    r->stopped = status == HED_OK;
    if (failed) return error->status;
    if (status != HED_ERROR_TIMEOUT) return status;
    return hed_fail(error, status,
        "%s on %s has not left after %.3f s: a long step, or a hung device",
        r->def.kernel->def->name, r->stream->device->info.id, (double)timeout_ns * 1e-9);
}

void hed_resident_destroy(hed_resident *r)
{
    if (!r) return;
    const hed_allocator *allocator = hed_allocator_of(r->stream->device);
    hed_resident_stop(r, 1000000000, NULL);
    hed_buffer_destroy(r->mail);
    hed_buffer_destroy(r->relay);
    hed_release(allocator, r, sizeof *r);
}
