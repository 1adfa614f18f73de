/* Launch path of online tuning. Each call collects finished work, decides if this launch is timed
 * or part of a trial, launches, and starts the next work of the thread. It never waits. */
#include "heddle/online.h"

#include <math.h>
#include <string.h>

#include "tune/online_state.h"

enum { SAMPLE_EVERY = 16 /* launches, once there are enough measured ones */ };

/* ---- creating ---- */

static hed_status online_check_def(
    const hed_kernel *kernel, const hed_online_def *def, hed_error *error)
{
    if (!(def->share > 0 && def->share <= 1))
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "hed_online_def.share is %g; expected above 0, at most 1", def->share);
    if (!(def->slowdown > 1))
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "hed_online_def.slowdown is %g; expected above 1", def->slowdown);
    if (!kernel->def->geometry)
        return hed_fail(error, HED_ERROR_UNSUPPORTED,
            "%s has no geometry(), and so only its caller knows how to launch it",
            kernel->def->name);
    return HED_OK;
}

hed_status hed_online_create(
    hed_kernel *kernel, const hed_online_def *def, hed_online **online, hed_error *error)
{
    HED_REQUIRE(kernel, online);
    error = error ? error : &(hed_error){0};
    if (hed_failed(error)) return error->status;
    hed_online_def defaults = hed_default_online_def();
    hed_config_origin configured;
    *online = NULL;
    if (!def) def = &defaults;
    if (online_check_def(kernel, def, error)) return error->status;
    hed_online *instance = hed_allocate(&kernel->device->settings->allocator, sizeof *instance);
    if (!instance) return HED_OUT_OF_MEMORY(error, "the tuning of %s", kernel->def->name);
    instance->kernel = kernel;
    instance->device = kernel->device;
    instance->def = *def;
    instance->given_config = hed_kernel_config(kernel, &configured);
    instance->has_given_config = kernel->active && configured == HED_ORIGIN_GIVEN;
    if (kernel->def->needs & HED_CAN_MAPPED)
        instance->reason = "it shares memory with the host while it runs, and cannot be run twice";
    if (kernel->def->needs & (HED_CAN_RESIDENT | HED_CAN_COOPERATIVE | HED_CAN_GRID_BARRIER))
        instance->reason =
            "its groups wait for each other or for the host, and another configuration could hang";
    instance->began = hed_online_seconds(instance);
    if (hed_online_make_marks(instance, error)) {
        hed_online_destroy(instance);
        return error->status;
    }
    if (instance->reason)
        hed_log_message(&kernel->device->settings->logger, HED_LOG_INFO,
            "%s is not tuned online: %s", kernel->def->name, instance->reason);
    *online = instance;
    return HED_OK;
}

void hed_online_destroy(hed_online *online)
{
    if (!online) return;
    hed_online_finish_work(online, true);
    if (online->flight == HED_FLIGHT_TRIAL || online->stopped)
        hed_device_wait(online->device, NULL);
    for (int i = 0; i < HED_ONLINE_SIZES; i++) hed_online_free_size(online, online->sizes[i]);
    hed_stream_destroy(online->side);
    hed_scratch_free(&online->pristine);
    hed_scratch_free(&online->ours);
    hed_scratch_free(&online->theirs);
    for (int i = 0; i < HED_MARK_COUNT; i++) hed_event_destroy(online->marks[i]);
    hed_release(hed_allocator_of(online->device), online, sizeof *online);
}

/* ---- sizes ---- */

/* Slot for a new size: a free one, else that of the least recently used size that is not busy. */
static hed_online_size **online_take_slot(hed_online *online)
{
    hed_online_size **place = NULL;
    bool busy = atomic_load_explicit(&online->worker.state, memory_order_relaxed) != HED_BUILD_IDLE;
    for (int i = 0; i < HED_ONLINE_SIZES; i++) {
        hed_online_size **next = &online->sizes[i];
        if (!*next) return next;
        bool needed = (online->flight != HED_FLIGHT_NONE && *next == online->flown) ||
                      *next == online->to_compare || (busy && *next == online->worker.size);
        if (!needed && (!place || (*next)->used < (*place)->used)) place = next;
    }
    if (*place == online->current) online->current = NULL;
    hed_online_free_size(online, *place);
    *place = NULL;
    return place;
}

/* State of a problem size, created on first use; NULL if memory is short. */
static hed_online_size *online_size_of(hed_online *online, const hed_problem *problem)
{
    hed_online_size *size = online->current;
    for (int i = 0; i < HED_ONLINE_SIZES && !(size && hed_same_problem(&size->problem, problem));
         i++)
        size = online->sizes[i];
    if (!size || !hed_same_problem(&size->problem, problem)) {
        size = hed_allocate(hed_allocator_of(online->device), sizeof *size);
        if (!size) return NULL;
        *online_take_slot(online) = size;
        size->problem = *problem;
    }
    size->used = online->report.launches;
    online->current = size;
    return size;
}

/* Gives the kernel the configuration in force for the size, unless the kernel itself chooses. It is
 * compiled in the background; until it is ready the previous one runs. */
static void online_settle(hed_online *online, hed_online_size *size)
{
    hed_kernel *kernel = online->kernel;
    if (!size->promoted && !online->enforced) return;
    /* NULL: the kernel chooses */
    const hed_config *initial = online->has_given_config ? &online->given_config : NULL;
    const hed_config *target = size->is_known ? &size->config : initial;
    hed_config present = hed_kernel_config(kernel, NULL);
    if (target && hed_config_equal(target, &present)) return;
    hed_error error = {0};
    if (hed_kernel_ready(kernel, &error) == HED_ERROR_NOT_READY) return;
    hed_kernel_options options = {.math = kernel->math,
        .config = target,
        .problem = &size->problem,
        .max_registers = kernel->max_registers,
        .background = true};
    online->enforced = target && !(initial && hed_config_equal(target, initial));
    if (hed_kernel_reconfigure(kernel, &options, &error))
        size->promoted = false; /* the build failed: the present configuration remains in force */
}

/* ---- deciding ---- */

/* True if `seconds` more trial time stay within the allowed fraction of launch time. */
static bool affords(const hed_online *online, double seconds)
{
    return online->report.trial_seconds + seconds <=
           online->def.share * online->report.launch_seconds;
}

/* Reason why these arguments cannot be tried, or NULL. Computes the sizes of their copies. */
static const char *online_refuse(hed_online *online, const hed_argument *arguments)
{
    const hed_kernel_def *def = online->kernel->def;
    uint64_t in_place = hed_scratch_sizes(
        def, arguments, HED_SCRATCH_IN_PLACE, online->worker.sizes[HED_SCRATCH_IN_PLACE]);
    uint64_t written = hed_scratch_sizes(
        def, arguments, HED_SCRATCH_WRITTEN, online->worker.sizes[HED_SCRATCH_WRITTEN]);
    bool has_output = false;
    for (uint32_t i = 0; i < def->argument_count; i++)
        has_output = has_output || hed_scratch_is_output(&def->arguments[i]);
    if (!has_output)
        return "it writes no buffer, so that nothing shows whether another configuration is right";
    if (written > online->def.copy_limit / 2 || in_place > online->def.copy_limit - 2 * written)
        return "its copies would take more memory than hed_online_def.copy_limit";
    if (hed_scratch_overlap(def, arguments) != UINT32_MAX)
        return "a buffer that it writes shares memory with another argument";
    return NULL;
}

static bool copies_fit(const hed_online *online)
{
    const uint64_t *in_place = online->worker.sizes[HED_SCRATCH_IN_PLACE];
    const uint64_t *written = online->worker.sizes[HED_SCRATCH_WRITTEN];
    return hed_scratch_fits(&online->pristine, in_place) &&
           hed_scratch_fits(&online->ours, written) && hed_scratch_fits(&online->theirs, written);
}

/* Gives the worker thread its next task for this size; comparing finished results comes first.
 * Returns true if a task has begun. */
static bool online_advance(hed_online *online, hed_online_size *size)
{
    hed_online_size *landed = online->to_compare;
    if (landed) {
        hed_online_needs_check(landed, &online->worker.whole);
        if (!hed_online_start_work(online, HED_ONLINE_COMPARE, landed)) return false;
        online->to_compare = NULL;
        return true;
    }
    if (size->stale) size->pairs = 0;
    size->stale = false;
    bool needed = !size->candidate || size->over || !copies_fit(online);
    return needed && size->typical > 0 && affords(online, 0) &&
           hed_online_start_work(online, HED_ONLINE_SEARCH, size);
}

/* True if the thread and the stream are free and these arguments can be tried. */
static bool may_try(hed_online *online, const hed_online_size *size, const hed_argument *arguments)
{
    if (size->reason || size->resting || online->flight != HED_FLIGHT_NONE || online->to_compare ||
        atomic_load_explicit(&online->worker.state, memory_order_relaxed) != HED_BUILD_IDLE)
        return false;
    online->refused = online_refuse(online, arguments);
    return !online->refused;
}

static hed_online_flight choose_flight(
    const hed_online *online, const hed_online_size *size, bool can_try)
{
    if (online->flight != HED_FLIGHT_NONE) return HED_FLIGHT_NONE;
    if (can_try && size->candidate && !size->over && copies_fit(online)) {
        hed_config time = hed_kernel_config(online->kernel, NULL);
        double seconds = size->trial_seconds > 0 ? size->trial_seconds : 3 * size->typical;
        if (size->is_known && hed_config_equal(&time, &size->config) && affords(online, seconds))
            return HED_FLIGHT_TRIAL;
    }
    bool enough = size->measured >= HED_ONLINE_WINDOW;
    return !enough || online->report.launches % SAMPLE_EVERY == 0 ? HED_FLIGHT_PROBE
                                                                  : HED_FLIGHT_NONE;
}

/* ---- launching ---- */

static bool is_plain(const hed_online *online, const hed_stream *stream, const hed_problem *problem,
    const hed_argument *arguments, uint32_t argument_count)
{
    const hed_kernel_def *def = online->kernel->def;
    return online->reason || online->stopped || stream->recording || stream->def.priority > 0 ||
           !online->kernel->active || stream->device != online->device || !problem ||
           problem->count != def->dimension_count ||
           hed_scratch_check(def, online->device, arguments, argument_count, NULL);
}

hed_status hed_online_launch(hed_online *online, hed_stream *stream, const hed_problem *problem,
    const hed_argument *arguments, uint32_t argument_count, hed_error *error)
{
    HED_REQUIRE(online, stream, problem, arguments || !argument_count);
    double begin = hed_online_seconds(online);
    online->report.launches++;
    hed_online_size *size = is_plain(online, stream, problem, arguments, argument_count)
                                ? NULL
                                : online_size_of(online, problem);
    if (!size) return hed_launch(stream, online->kernel, problem, arguments, argument_count, error);
    hed_online_land(online);
    hed_online_finish_work(online, false);
    online_settle(online, size);
    bool landed = online->to_compare && atomic_load_explicit(&online->worker.state,
                                            memory_order_relaxed) == HED_BUILD_IDLE;
    bool can_try = may_try(online, size, arguments);
    bool begun = (can_try || landed) && online_advance(online, size);
    hed_online_flight flight = choose_flight(online, size, can_try && !begun);
    hed_status status =
        hed_online_fly(online, size, flight, stream, arguments, argument_count, error);
    if (status) return status;
    online->report.launch_seconds += size->typical;
    if (begun || flight == HED_FLIGHT_TRIAL)
        online->report.trial_seconds +=
            fmax(0, hed_online_seconds(online) - begin - online->launch_call);
    return HED_OK;
}

hed_online_info hed_online_describe(const hed_online *online)
{
    if (!online) return (hed_online_info){0};
    hed_online_info report = online->report;
    const hed_online_size *size = online->current;
    const char *reason = online->reason         ? online->reason
                         : size && size->reason ? size->reason
                                                : online->refused;
    report.reason = online->stopped ? "the device failed" : reason ? reason : "";
    report.resting = report.reason[0] || (size && size->resting);
    report.config = hed_kernel_config(online->kernel, NULL);
    if (size) {
        report.first_seconds = size->first;
        report.best_seconds = size->typical;
    }
    return report;
}
