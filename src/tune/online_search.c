/* Worker thread of online tuning. It runs the search, writes to the database, compiles candidates,
 * and compares the outputs of two runs, to spare the program's thread. One task at a time. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tune/online_state.h"
#include "tune/tuning_state.h"

/* ---- the database ---- */

static hed_database *database_of(const hed_online *online)
{
    return online->def.database ? online->def.database
                                : hed_context_database(online->device->context);
}

static void make_key(const hed_online *online, const hed_online_size *size, hed_tune_key *key)
{
    const hed_kernel *kernel = online->kernel;
    hed_tune_key_of_kernel(online->device, kernel->def, kernel->math, kernel->defines,
        kernel->define_count, &size->problem, HED_OBJECTIVE_TIME, key);
}

/* An evaluation made of times of the program's own launches. */
static hed_evaluation plain_evaluation(const hed_config *config, double seconds)
{
    return (hed_evaluation){.config = *config,
        .outcome = HED_OUTCOME_MEASURED,
        .seconds = seconds,
        .low = NAN,
        .high = NAN,
        .runs = HED_ONLINE_WINDOW,
        .error = NAN};
}

/* Begins a session with the initial configuration, so that the database has its time too. */
static bool has_session(const hed_online *online, hed_online_size *size, hed_database *database,
    const hed_tune_key *key)
{
    char settings[64];
    if (size->session) return true;
    snprintf(settings, sizeof settings, "online, share %g, seed %llu", online->def.share,
        (unsigned long long)online->def.seed);
    if (hed_database_begin(database, key, settings, &size->session, NULL)) return false;
    hed_evaluation e = plain_evaluation(&online->worker.initial, online->worker.first);
    hed_database_record(database, size->session, key, &e, NULL);
    return true;
}

/* Records an evaluation. A failure, or a missing database, does not stop the search; the database
 * logs the reason. */
static void online_search_record(
    const hed_online *online, hed_online_size *size, const hed_evaluation *evaluation, bool choose)
{
    hed_tune_key key;
    hed_database *database = database_of(online);
    if (!database) return;
    make_key(online, size, &key);
    if (!has_session(online, size, database, &key)) return;
    hed_database_record(database, size->session, &key, evaluation, NULL);
    if (choose) hed_database_choose(database, size->session, &key, evaluation, NULL);
}

/* ---- the search ---- */

static hed_status online_search_remember_failure(
    const hed_online *online, hed_online_size *size, const hed_config *config)
{
    if (size->failed_count == size->failed_capacity) {
        uint32_t capacity = size->failed_capacity ? 2 * size->failed_capacity : 16;
        hed_config *larger =
            hed_allocate(hed_allocator_of(online->device), capacity * sizeof *larger);
        if (!larger) return HED_ERROR_MEMORY;
        if (size->failed_count) memcpy(larger, size->failed, size->failed_count * sizeof *larger);
        hed_release(
            hed_allocator_of(online->device), size->failed, size->failed_capacity * sizeof *larger);
        size->failed = larger;
        size->failed_capacity = capacity;
    }
    size->failed[size->failed_count++] = *config;
    return HED_OK;
}

/* Reports a value to the search; a configuration outside the space is ignored. */
static hed_status online_search_report(
    hed_online_size *size, const hed_config *config, double value)
{
    if (hed_space_find(size->space, config) == UINT64_MAX) return HED_OK;
    return hed_search_tell(size->search, config, value, NULL);
}

/* Replays the database's history: measured configurations count as done; failed ones are never
 * tried again. */
static hed_status online_search_replay(const hed_online *online, hed_online_size *size,
    hed_database *database, const hed_tune_key *key)
{
    hed_evaluation *history = NULL;
    uint32_t count = 0;
    hed_status status = HED_OK;
    if (hed_database_history(database, key, &history, &count, NULL)) return HED_OK;
    for (uint32_t i = 0; i < count && !status; i++) {
        bool good = hed_tuning_worked(history[i].outcome) && history[i].seconds > 0;
        status = good ? online_search_report(size, &history[i].config, history[i].seconds)
                      : online_search_remember_failure(online, size, &history[i].config);
        size->done++;
    }
    hed_release(hed_allocator_of(online->device), history, count * sizeof *history);
    return status;
}

static hed_status online_search_create_search(const hed_online *online, hed_online_size *size,
    hed_database *database, const hed_tune_key *key)
{
    enum { SOURCES = 8 };
    hed_search_source *sources = NULL;
    uint32_t count = 0;
    size_t bytes = 0;
    if (database && hed_database_sources(database, key, SOURCES, &sources, &count, &bytes, NULL))
        sources = NULL, count = 0;
    hed_search_def def = {.allocator = hed_allocator_of(online->device),
        .space = size->space,
        .strategy = HED_SEARCH_AUTO,
        .seed = online->def.seed + size->searches++,
        .sources = sources,
        .source_count = count};
    hed_status status = hed_search_create(&def, &size->search, NULL);
    hed_release(hed_allocator_of(online->device), sources, bytes);
    return status;
}

/* Creates a search and reports to it the configuration in force, failed configurations and, for the
 * first search, the database's history. */
static hed_status open_search(const hed_online *online, hed_online_size *size, hed_error *error)
{
    hed_status status = HED_OK;
    if (!size->space)
        status = hed_space_create_for_kernel(online->device, online->kernel->def, &size->problem,
            online->kernel->math, &size->space, error);
    if (status || hed_space_count(size->space) < 2) return status;
    hed_tune_key key;
    hed_database *database = database_of(online);
    bool first = !size->begin_again;
    if (database) make_key(online, size, &key);
    size->begin_again = false;
    size->done = 0;
    status = online_search_create_search(online, size, database, &key);
    if (database && first && !status) status = online_search_replay(online, size, database, &key);
    for (uint32_t i = 0; i < size->failed_count && !status; i++)
        status = online_search_report(size, &size->failed[i], NAN);
    return status ? status
                  : online_search_report(size, &online->worker.config, online->worker.typical);
}

static hed_status take_result(const hed_online *online, hed_online_size *size)
{
    const hed_evaluation *e = &size->evaluation;
    bool choose = size->choose;
    size->choose = false;
    size->over = false;
    size->done++;
    hed_kernel_destroy(size->candidate);
    size->candidate = NULL;
    online_search_record(online, size, e, choose);
    hed_status status = hed_tuning_worked(e->outcome)
                            ? HED_OK
                            : online_search_remember_failure(online, size, &e->config);
    if (size->search && !status)
        status = online_search_report(
            size, &e->config, hed_tuning_worked(e->outcome) ? e->seconds : NAN);
    return status;
}

/* ---- the next candidate ---- */

/* Requests and builds candidates until one builds, the search is exhausted, or the limit of
 * evaluations is reached. */
static hed_status online_search_next_candidate(
    hed_online *online, hed_online_size *size, hed_error *error)
{
    const hed_kernel *kernel = online->kernel;
    hed_config config;
    hed_kernel_options options = {.math = kernel->math,
        .config = &config,
        .problem = &size->problem,
        .defines = kernel->defines,
        .define_count = kernel->define_count,
        .max_registers = online->worker.max_registers};
    while (size->done < online->def.evaluations) {
        hed_status status = hed_search_ask(size->search, &config, error);
        if (status == HED_ERROR_BOUNDS) break;
        status = hed_kernel_create(online->device, kernel->def, &options, &size->candidate, error);
        switch (status) {
        case HED_OK:
            size->pairs = 0;
            size->warm = size->sampled = size->whole = false;
            size->error = 0;
            return HED_OK;
        case HED_ERROR_BUILD:
        case HED_ERROR_LIMIT:
        case HED_ERROR_UNSUPPORTED:
        case HED_ERROR_ARGUMENT:
        case HED_ERROR_DRIVER: break; /* the candidate failed */
        default: return status;
        }
        hed_evaluation e = {.config = config,
            .outcome = HED_OUTCOME_BUILD,
            .seconds = NAN,
            .low = NAN,
            .high = NAN,
            .error = NAN};
        snprintf(e.text, sizeof e.text, "%.190s", error->text);
        *error = (hed_error){0}; /* clear it: the next request starts without an error */
        online_search_record(online, size, &e, false);
        online->worker.failed++;
        size->done++;
        if ((status = online_search_remember_failure(online, size, &config)) ||
            (status = online_search_report(size, &config, NAN)))
            return status;
    }
    /* the configuration in force has won: record it for the next start, if anything was new */
    hed_database *database = database_of(online);
    hed_evaluation e = plain_evaluation(&online->worker.config, online->worker.typical);
    online->worker.rests = true;
    if (size->session) online_search_record(online, size, &e, online->worker.ours);
    if (database) hed_database_flush(database, NULL);
    return HED_OK;
}

static hed_status online_search_search(hed_online *online, hed_online_size *size, hed_error *error)
{
    hed_scratch *copies[] = {&online->pristine, &online->ours, &online->theirs};
    const uint64_t *sizes[] = {online->worker.sizes[HED_SCRATCH_IN_PLACE],
        online->worker.sizes[HED_SCRATCH_WRITTEN], online->worker.sizes[HED_SCRATCH_WRITTEN]};
    hed_status status = size->over ? take_result(online, size) : HED_OK;
    if (status) return status;
    if (size->begin_again) {
        hed_search_destroy(size->search);
        size->search = NULL;
    }
    if (!size->search && (status = open_search(online, size, error))) return status;
    if (!size->search) {
        online->worker.reason = "there is no second configuration that is valid";
        return HED_OK;
    }
    for (int i = 0; i < 3; i++) hed_scratch_reserve(copies[i], online->device, sizes[i], error);
    if (!online->side) hed_stream_create(online->device, NULL, &online->side, error);
    return hed_failed(error) || size->candidate ? error->status
                                                : online_search_next_candidate(online, size, error);
}

/* ---- comparing ---- */

enum {
    PIECE = 1 << 20, /* bytes read at once */
    SMALL = 4096,    /* bytes of one sample of a large buffer */
    PLACES = 64
};

/* Compares bytes [at, at + size) of one buffer of both runs; `memory` has 2 * PIECE bytes. */
static hed_status online_search_compare_piece(
    hed_online *online, uint32_t i, uint64_t at, uint64_t size, unsigned char *memory)
{
    const hed_argument_def *argument = &online->kernel->def->arguments[i];
    double begin = hed_online_seconds(online);
    hed_error error = {0};
    hed_read(online->side, memory, online->ours.buffers[i], at, size, &error);
    hed_read(online->side, memory + PIECE, online->theirs.buffers[i], at, size, &error);
    hed_stream_wait(online->side, hed_failed(&error) ? NULL : &error);
    online->worker.seconds += hed_online_seconds(online) - begin;
    if (hed_failed(&error)) return error.status;
    hed_check_output(&online->worker.check, argument, at, memory + PIECE, memory, size,
        online->kernel->math == HED_MATH_STRICT ? 0 : argument->tolerance);
    return HED_OK;
}

static hed_status online_search_compare_buffer(
    hed_online *online, uint32_t i, unsigned char *memory)
{
    uint64_t bytes = online->ours.buffers[i]->size, stride = PIECE, piece = PIECE;
    if (!online->worker.whole && bytes > PLACES * PIECE / 2) {
        stride = (bytes / PLACES) & ~(uint64_t)63;
        piece = SMALL;
    }
    hed_status status = HED_OK;
    for (uint64_t at = 0; at < bytes && !status && !online->worker.check.wrong; at += stride) {
        uint64_t left = bytes - at;
        status = online_search_compare_piece(online, i, at, left < piece ? left : piece, memory);
    }
    return status;
}

static hed_status online_search_compare(hed_online *online)
{
    const hed_kernel_def *def = online->kernel->def;
    uint64_t bytes = 0;
    hed_status status = HED_OK;
    for (uint32_t i = 0; i < HED_MAX_ARGUMENTS; i++)
        bytes += online->ours.buffers[i] ? online->ours.buffers[i]->size : 0;
    /* small buffers are compared completely */
    if (bytes <= PLACES * PIECE / 2) online->worker.whole = true;
    unsigned char *memory = hed_allocate(hed_allocator_of(online->device), 2 * PIECE);
    if (!memory) return HED_ERROR_MEMORY;
    for (uint32_t i = 0; i < def->argument_count && !status; i++)
        if (hed_scratch_is_output(&def->arguments[i]))
            status = online_search_compare_buffer(online, i, memory);
    hed_release(hed_allocator_of(online->device), memory, 2 * PIECE);
    return status;
}

/* ---- the thread ---- */

static void *online_search_run(void *user)
{
    hed_online *online = user;
    hed_online_worker *b = &online->worker;
    hed_error error = {0};
    b->status = b->work == HED_ONLINE_SEARCH ? online_search_search(online, b->size, &error)
                                             : online_search_compare(online);
    if (b->status)
        hed_log_message(&online->device->settings->logger, HED_LOG_WARNING,
            "%s is no longer tuned online: %s: %s", online->kernel->def->name,
            hed_status_name(b->status), error.text);
    atomic_store_explicit(&b->state, HED_BUILD_DONE, memory_order_release);
    return NULL;
}

bool hed_online_start_work(hed_online *online, hed_online_work work, hed_online_size *size)
{
    hed_online_worker *b = &online->worker;
    b->work = work;
    b->size = size;
    b->config = size->config;
    b->initial = size->initial;
    b->typical = size->typical;
    b->first = size->first;
    b->ours = size->promoted || !online->has_given_config;
    b->max_registers = online->kernel->max_registers;
    b->check = (hed_check){0};
    b->reason = NULL;
    b->rests = false;
    b->failed = 0;
    b->seconds = 0;
    atomic_store_explicit(&b->state, HED_BUILD_RUNNING, memory_order_relaxed);
    if (pthread_create(&b->thread, NULL, online_search_run, online) == 0) return true;
    atomic_store_explicit(&b->state, HED_BUILD_IDLE, memory_order_relaxed);
    return false;
}

void hed_online_finish_work(hed_online *online, bool wait)
{
    hed_online_worker *b = &online->worker;
    int state = atomic_load_explicit(&b->state, memory_order_acquire);
    if (state == HED_BUILD_IDLE || (state == HED_BUILD_RUNNING && !wait)) return;
    pthread_join(b->thread, NULL);
    atomic_store_explicit(&b->state, HED_BUILD_IDLE, memory_order_relaxed);
    online->report.candidates += b->failed;
    online->report.failed += b->failed;
    if (online->device->info.capabilities & HED_CAN_DEVICE_TIME)
        online->report.trial_seconds += b->seconds;
    if (b->status == HED_ERROR_MEMORY || b->status == HED_ERROR_DEVICE_MEMORY)
        b->reason = "out of memory for the copies or the search";
    else if (b->status) b->reason = "the search or the device failed";
    else if (b->work == HED_ONLINE_COMPARE)
        hed_online_add_check(online, b->size, &b->check, b->whole);
    if (b->reason) b->size->reason = b->reason;
    if (!b->rests) return;
    b->size->resting = true;
    b->size->measured = 0;
}

void hed_online_free_size(hed_online *online, hed_online_size *size)
{
    if (!size) return;
    hed_kernel_destroy(size->candidate);
    hed_search_destroy(size->search);
    hed_space_destroy(size->space);
    hed_release(hed_allocator_of(online->device), size->failed,
        size->failed_capacity * sizeof *size->failed);
    hed_release(hed_allocator_of(online->device), size, sizeof *size);
}
