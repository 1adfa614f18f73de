/* Timing of a slot of the runner in this process. Restoring inputs and flushing the cache are
 * outside the timed span. On devices with their own clock several runs are enqueued at once after
 * an untimed run, so that the device does not wait for the host between the start of a span and its
 * launch. Launches too short for the clock are repeated and averaged, except if inputs are restored
 * or the cache is flushed before each.
 *
 * OpenCL reports start and end of each launch. CUDA has events between launches, and each event
 * costs device time: there a span has an event at either end and any number of launches between
 * them. */
#include "measure/runners.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

enum {
    MOST_REPEATS = 32,
    TIMED_STEPS = 1024, /* steps of the longest chunk: launches, copies and fills */
};
#define RESOLUTION 0.5e-6       /* s, of CUDA's events (cuEventElapsedTime), the coarsest clock */
#define SHORT (20 * RESOLUTION) /* s; a shorter run is repeated */
#define LEAD 1e-3               /* s; a shorter run is preceded by an untimed one */
#define ENERGY_CHUNK 0.05       /* s of launches between two readings of the clock */

static double timing_now(const hed_local_runner *local)
{
    hed_clock clock = hed_context_describe(hed_device_context(local->def.device)).clock;
    return (double)clock.now(clock.user) * 1e-9;
}

/* ---- the clock ---- */

hed_status hed_local_open_clock(hed_local_runner *local, hed_error *error)
{
    const hed_device_info info = hed_device_describe(local->def.device);
    hed_stream_def stream = hed_default_stream_def();
    bool device_time = info.capabilities & HED_CAN_DEVICE_TIME,
         events = strcmp(info.backend, "cuda") == 0 || strcmp(info.backend, "hip") == 0;
    local->runner.device_time = device_time;
    local->clock = !device_time ? HED_CLOCK_HOST : events ? HED_CLOCK_MARKS : HED_CLOCK_STEPS;
    if (local->clock == HED_CLOCK_STEPS) stream.timed_steps = TIMED_STEPS;
    hed_stream_create(local->def.device, &stream, &local->stream, error);
    for (uint32_t i = 0; i < 2 * HED_LOCAL_CHUNK && local->clock == HED_CLOCK_MARKS; i++)
        hed_event_create(local->def.device, true, &local->marks[i], error);
    return error->status;
}

/* Times of the first `count` launches since the last call. */
static hed_status take_step_times(
    hed_local_runner *local, double *values, uint32_t count, hed_error *error)
{
    enum { AT_ONCE = 64 };
    hed_step_time times[AT_ONCE];
    uint32_t received = 0, stored = 0;
    do {
        if (hed_stream_read_times(local->stream, times, AT_ONCE, &received, error))
            return error->status;
        for (uint32_t i = 0; i < received; i++)
            if (times[i].kind == HED_STEP_LAUNCH && stored < count)
                values[stored++] = times[i].seconds;
    } while (received == AT_ONCE);
    if (stored == count) return HED_OK;
    return hed_fail(error, HED_ERROR_DRIVER, "%s: %u launches and %u times of them",
        local->def.kernel->name, count, stored);
}

/* A batch of `runs` timed runs, each of `repeats` launches. */
typedef struct chunk {
    uint32_t slot, runs, repeats;
    bool leads; /* begins with an untimed launch */
} chunk;

static hed_status take_steps(
    hed_local_runner *local, const chunk *c, double *values, hed_error *error)
{
    double times[1 + HED_LOCAL_CHUNK * MOST_REPEATS] = {0};
    hed_status status = take_step_times(local, times, c->leads + c->runs * c->repeats, error);
    for (uint32_t run = 0; run < c->runs; run++) {
        const double *run_times = &times[c->leads + run * c->repeats];
        values[run] = 0;
        for (uint32_t i = 0; i < c->repeats; i++) values[run] += run_times[i] / c->repeats;
    }
    return status;
}

static hed_status take_marks(
    hed_local_runner *local, const chunk *c, double *values, hed_error *error)
{
    hed_status status = HED_OK;
    for (uint32_t run = 0; run < c->runs && !status; run++) {
        status = hed_event_elapsed(
            local->marks[2 * run], local->marks[2 * run + 1], &values[run], error);
        values[run] /= c->repeats;
    }
    return status;
}

/* ---- runs ---- */

/* Restores inputs and flushes the cache before a run, outside the timed span. */
static void make_ready(hed_local_runner *local, hed_error *error)
{
    unsigned char byte = (unsigned char)local->sweeps++;
    hed_local_restore(local, error);
    if (local->sweep)
        hed_fill(local->stream, local->sweep, 0, hed_buffer_describe(local->sweep).size, &byte, 1,
            error);
}

static void timing_mark(hed_local_runner *local, uint32_t index, hed_error *error)
{
    if (local->clock == HED_CLOCK_MARKS)
        hed_event_record(local->marks[index], local->stream, error);
}

static void launch_times(
    hed_local_runner *local, uint32_t slot, uint32_t times, hed_trial *trial, hed_error *error)
{
    for (uint32_t i = 0; i < times && !hed_failed(error) && !trial->outcome; i++)
        hed_local_launch(local, slot, trial, error);
}

static void time_on_host(
    hed_local_runner *local, const chunk *c, double *values, hed_trial *trial, hed_error *error)
{
    for (uint32_t run = 0; run < c->runs && !hed_failed(error) && !trial->outcome; run++) {
        make_ready(local, error);
        hed_stream_wait(local->stream, error);
        double start = timing_now(local);
        launch_times(local, c->slot, c->repeats, trial, error);
        if (!hed_failed(error) && !local->runner.lost)
            hed_local_wait(local, c->repeats, trial, error);
        values[run] = (timing_now(local) - start) / c->repeats;
    }
}

static hed_status time_chunk(
    hed_local_runner *local, const chunk *c, double *values, hed_trial *trial, hed_error *error)
{
    if (local->clock == HED_CLOCK_HOST) time_on_host(local, c, values, trial, error);
    else {
        bool steps = local->clock == HED_CLOCK_STEPS;
        if (steps) take_step_times(local, NULL, 0, error);
        launch_times(local, c->slot, c->leads, trial, error);
        for (uint32_t run = 0; run < c->runs && !hed_failed(error) && !trial->outcome; run++) {
            if (!c->leads) make_ready(local, error);
            timing_mark(local, 2 * run, error);
            launch_times(local, c->slot, c->repeats, trial, error);
            timing_mark(local, 2 * run + 1, error);
        }
        if (!hed_failed(error) && !local->runner.lost)
            hed_local_wait(local, c->leads + c->runs * c->repeats, trial, error);
        if (hed_failed(error) || trial->outcome) return error->status;
        if (steps) take_steps(local, c, values, error);
        else take_marks(local, c, values, error);
    }
    return error->status;
}

hed_status hed_local_time_first(
    hed_local_runner *local, uint32_t slot, hed_trial *trial, hed_error *error)
{
    const chunk single_run = {.slot = slot, .runs = 1, .repeats = 1};
    return time_chunk(local, &single_run, &local->slots[slot].seconds, trial, error);
}

/* ---- energy ---- */

/* Joules of a launch: repeats it for as long as the counter needs. The value includes the energy of
 * restoring inputs. */
static hed_status measure_energy(
    hed_local_runner *local, uint32_t slot, double *value, hed_trial *trial, hed_error *error)
{
    double before = 0, after = 0, seconds = local->slots[slot].seconds, start = timing_now(local);
    uint64_t launches = 0;
    uint32_t at_once =
        seconds > ENERGY_CHUNK / 1024 ? (uint32_t)ceil(ENERGY_CHUNK / seconds) : 1024;
    hed_energy_read(local->energy, &before, error);
    while (!hed_failed(error) && !trial->outcome &&
           timing_now(local) - start < HED_ENERGY_LEAST_MS * 1e-3) {
        for (uint32_t i = 0; i < at_once && !hed_failed(error) && !trial->outcome; i++)
            if (!hed_local_restore(local, error)) hed_local_launch(local, slot, trial, error);
        if (!hed_failed(error) && !local->runner.lost) hed_local_wait(local, at_once, trial, error);
        launches += at_once;
    }
    if (hed_failed(error) || trial->outcome) return error->status;
    hed_energy_read(local->energy, &after, error);
    *value = (after - before) / (double)launches;
    return error->status;
}

/* ---- hardware counters ---- */

/* Launches a slot once for each pass of the counters, under the conditions of a timed run; writes at most
 * `count` values. */
static hed_status read_launch_counters(hed_local_runner *local, uint32_t slot, uint32_t count,
    double *values, hed_trial *trial, hed_error *error)
{
    hed_counters counters;
    bool is_done = false;
    hed_profiler_begin(local->profiler, error);
    while (!is_done && !hed_failed(error) && !trial->outcome) {
        make_ready(local, error);
        hed_stream_wait(local->stream, error);
        hed_profiler_start_pass(local->profiler, error);
        launch_times(local, slot, 1, trial, error);
        if (!hed_failed(error) && !local->runner.lost) hed_local_wait(local, 1, trial, error);
        hed_profiler_stop_pass(local->profiler, &is_done, error);
    }
    if (trial->outcome || hed_failed(error)) hed_profiler_abandon(local->profiler);
    else if (!hed_profiler_end(local->profiler, &counters, error))
        memcpy(values, &counters,
            (count < HED_COUNTER_VALUES ? count : HED_COUNTER_VALUES) * sizeof *values);
    return error->status;
}

/* ---- the runner ---- */

static chunk next_chunk(const hed_local_runner *local, uint32_t slot, uint32_t runs)
{
    chunk c = {.slot = slot, .runs = runs < HED_LOCAL_CHUNK ? runs : HED_LOCAL_CHUNK, .repeats = 1};
    double seconds = local->slots[slot].seconds;
    if (local->restores || local->sweep || seconds < 0) return c;
    c.leads = local->clock != HED_CLOCK_HOST && seconds < LEAD;
    if (seconds < SHORT)
        c.repeats = seconds > SHORT / MOST_REPEATS ? (uint32_t)ceil(SHORT / seconds) : MOST_REPEATS;
    return c;
}

/* Rejects times below the device's lower bound. Times of zero or less are not rejected here: the
 * host's clock may have stepped back, and hed_race_take() counts such runs. */
static void refuse_impossible(
    const hed_local_runner *local, const double *values, uint32_t count, hed_trial *trial)
{
    double floor = local->energy ? 0 : local->def.floor_seconds;
    for (uint32_t i = 0; i < count && !trial->outcome; i++) {
        if (!(values[i] > 0 && values[i] < floor)) continue;
        trial->outcome = HED_OUTCOME_IMPOSSIBLE;
        snprintf(trial->text, sizeof trial->text, "a run took %.3g %s; expected at least %.3g",
            values[i], local->energy ? "J" : "s", floor);
    }
}

hed_status hed_local_time(hed_runner *runner, uint32_t slot, uint32_t runs, double *values,
    hed_trial *trial, hed_error *error)
{
    hed_local_runner *local = (hed_local_runner *)runner;
    hed_status status = hed_local_begin(local, slot, trial, error);
    /* runners of a reference take no times, and a CUDA context takes 0.2 s on an H200 */
    if (!local->has_held) local->clock_hold = hed_clock_hold_open(local->def.device, NULL);
    local->has_held = true;
    if (local->profiler && !status)
        return read_launch_counters(local, slot, runs, values, trial, error);
    for (uint32_t done = 0; done < runs && !status && !trial->outcome;) {
        chunk c = next_chunk(local, slot, local->energy ? 1 : runs - done);
        status = local->energy ? measure_energy(local, slot, values + done, trial, error)
                               : time_chunk(local, &c, values + done, trial, error);
        if (status || trial->outcome) break;
        refuse_impossible(local, values + done, c.runs, trial);
        for (uint32_t i = done; i < done + c.runs && !local->energy; i++)
            if (values[i] > 0 &&
                (values[i] < local->slots[slot].seconds || local->slots[slot].seconds < 0))
                local->slots[slot].seconds = values[i];
        done += c.runs;
    }
    return status;
}
