/* Timing a slot of the runner in this process. Restoring inputs and emptying the cache lie outside the timed span. Where the
 * device keeps time, several runs are enqueued at once behind an untimed one, so that the device never waits for the host
 * between a mark and its launch. Launches too short for the clock are repeated and averaged, but never where inputs are restored
 * or the cache is emptied before each. */
#include "tune/local_runner.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

enum { CHUNK = 8,          /* runs enqueued at once */
       MOST_REPEATS = 32 };
#define RESOLUTION 0.5e-6           /* of CUDA's events (cuEventElapsedTime); the coarsest of the clocks */
#define SHORT (20 * RESOLUTION)     /* a run below this is repeated */
#define LEAD 1e-3                   /* below this a run has an untimed one in front */
#define ENERGY_CHUNK 0.05           /* seconds of launches between two looks at the clock */

double hed_local_now(const hed_local_runner *local)
{
    hed_clock clock = hed_context_clock(hed_device_context(local->def.device));
    return (double)clock.now(clock.user) * 1e-9;
}

/* ---- what comes before a run, outside the timed span ---- */

static bool repeats_allowed(const hed_local_runner *local) { return !local->restores && !local->sweep; }

static uint32_t repeats_of(const hed_local_runner *local, uint32_t slot)
{
    double seconds = local->slots[slot].seconds;
    if (!repeats_allowed(local) || seconds >= SHORT) return 1;
    return seconds > SHORT / MOST_REPEATS ? (uint32_t)ceil(SHORT / seconds) : MOST_REPEATS;
}

static hed_status make_ready(hed_local_runner *local, uint32_t run, hed_error *error)
{
    unsigned char byte = (unsigned char)run;
    hed_status status = hed_local_restore(local, error);
    if (!status && local->sweep)
        status = hed_fill(local->stream, local->sweep, 0, hed_buffer_size(local->sweep), &byte, 1, error);
    return status;
}

static hed_status launch_times(hed_local_runner *local, uint32_t slot, uint32_t times, hed_trial *trial,
                               hed_error *error)
{
    hed_status status = HED_OK;
    for (uint32_t i = 0; i < times && !status && !trial->outcome; i++)
        status = hed_local_launch(local, slot, trial, error);
    return status;
}

/* ---- by the device's clock ---- */

hed_status hed_local_step_times(hed_local_runner *local, double *values, uint32_t count, hed_error *error)
{
    enum { AT_ONCE = 64 };
    hed_step_time times[AT_ONCE];
    uint32_t taken = 0, found = 0;
    do {
        hed_status status = hed_stream_times(local->stream, times, AT_ONCE, &taken, error);
        if (status) return status;
        for (uint32_t i = 0; i < taken; i++)
            if (times[i].kind == HED_STEP_LAUNCH && found < count) values[found++] = times[i].seconds;
    } while (taken == AT_ONCE);
    if (found == count) return HED_OK;
    return hed_fail(error, HED_ERROR_DRIVER, "%s: %u launches and %u times of them", local->def.kernel->name, count,
                    found);
}

/* A chunk of runs, each launch with its own start and end. */
static hed_status time_steps(hed_local_runner *local, uint32_t slot, uint32_t runs, uint32_t repeats, double *values,
                             hed_trial *trial, hed_error *error)
{
    double times[1 + CHUNK * MOST_REPEATS] = {0};
    bool leads = repeats_allowed(local) && local->slots[slot].seconds < LEAD;
    uint32_t launches = runs * repeats + leads;
    hed_status status = hed_local_step_times(local, NULL, 0, error);
    if (!status && leads) status = hed_local_launch(local, slot, trial, error);
    for (uint32_t run = 0; run < runs && !status && !trial->outcome; run++) {
        status = make_ready(local, run, error);
        if (!status) status = launch_times(local, slot, repeats, trial, error);
    }
    if (!status && !local->lost) status = hed_local_wait(local, launches, trial, error);
    if (status || trial->outcome) return status;
    status = hed_local_step_times(local, times, launches, error);
    for (uint32_t run = 0; run < runs; run++) {
        const double *own = &times[leads + run * repeats];
        values[run] = 0;
        for (uint32_t i = 0; i < repeats; i++) values[run] += own[i] / repeats;
    }
    return status;
}

/* One run of several launches between two marks, for a driver that has nothing finer than marks: the marks' own cost is
 * shared by the launches. */
static hed_status time_marks(hed_local_runner *local, uint32_t slot, uint32_t repeats, double *value, hed_trial *trial,
                             hed_error *error)
{
    hed_status status = hed_local_launch(local, slot, trial, error);
    if (!status && !trial->outcome) status = hed_event_record(local->from, local->stream, error);
    if (!status) status = launch_times(local, slot, repeats, trial, error);
    if (!status && !trial->outcome) status = hed_event_record(local->to, local->stream, error);
    if (!status && !local->lost) status = hed_local_wait(local, repeats + 1, trial, error);
    if (status || trial->outcome) return status;
    status = hed_event_elapsed(local->from, local->to, value, error);
    *value /= repeats;
    return status;
}

/* CUDA has marks between launches; OpenCL gives each launch its own start and end. */
static bool has_marks_only(const hed_local_runner *local)
{
    return strcmp(hed_device_get_info(local->def.device)->backend, "cuda") == 0;
}

/* ---- by the host's clock ---- */

static hed_status time_on_host(hed_local_runner *local, uint32_t slot, uint32_t repeats, double *value,
                               hed_trial *trial, hed_error *error)
{
    hed_status status = make_ready(local, 0, error);
    if (!status) status = hed_stream_wait(local->stream, error);
    double start = hed_local_now(local);
    if (!status) status = launch_times(local, slot, repeats, trial, error);
    if (!status && !local->lost) status = hed_local_wait(local, repeats, trial, error);
    *value = (hed_local_now(local) - start) / repeats;
    return status;
}

/* ---- energy ---- */

/* Joules of a launch: launches for as long as the counter needs. Restoring inputs takes energy too, which is then in the value. */
static hed_status measure_energy(hed_local_runner *local, uint32_t slot, double *value, hed_trial *trial,
                                 hed_error *error)
{
    double before = 0, after = 0, seconds = local->slots[slot].seconds, start = hed_local_now(local);
    uint64_t launches = 0;
    uint32_t at_once = seconds > ENERGY_CHUNK / 1024 ? (uint32_t)ceil(ENERGY_CHUNK / seconds) : 1024;
    hed_status status = hed_energy_read(local->energy, &before, error);
    while (!status && !trial->outcome && hed_local_now(local) - start < HED_ENERGY_LEAST_MS * 1e-3) {
        for (uint32_t i = 0; i < at_once && !status && !trial->outcome; i++) {
            status = hed_local_restore(local, error);
            if (!status) status = hed_local_launch(local, slot, trial, error);
        }
        if (!status && !local->lost) status = hed_local_wait(local, at_once, trial, error);
        launches += at_once;
    }
    if (status || trial->outcome) return status;
    status = hed_energy_read(local->energy, &after, error);
    *value = (after - before) / (double)launches;
    return status;
}

/* ---- the face ---- */

/* Times the next few of `runs` runs and says how many. */
static hed_status time_some(hed_local_runner *local, uint32_t slot, uint32_t runs, double *values, uint32_t *done,
                            hed_trial *trial, hed_error *error)
{
    uint32_t repeats = repeats_of(local, slot);
    *done = 1;
    if (local->energy) return measure_energy(local, slot, values, trial, error);
    if (!local->runner.device_time) return time_on_host(local, slot, repeats, values, trial, error);
    if (repeats > 1 && has_marks_only(local)) return time_marks(local, slot, repeats, values, trial, error);
    *done = runs < CHUNK ? runs : CHUNK;
    return time_steps(local, slot, *done, repeats, values, trial, error);
}

static void refuse_impossible(const hed_local_runner *local, const double *values, uint32_t count, hed_trial *trial)
{
    double floor = local->energy ? 0 : local->def.floor_seconds;
    for (uint32_t i = 0; i < count && !trial->outcome; i++) {
        if (values[i] > 0 && values[i] >= floor) continue;
        trial->outcome = HED_OUTCOME_IMPOSSIBLE;
        snprintf(trial->text, sizeof trial->text, "a run of %.3g %s, which cannot be: at least %.3g", values[i],
                 local->energy ? "J" : "s", floor);
    }
}

hed_status hed_local_time(hed_runner *runner, uint32_t slot, uint32_t runs, double *values, hed_trial *trial,
                          hed_error *error)
{
    hed_local_runner *local = (hed_local_runner *)runner;
    hed_status status = hed_local_begin(local, slot, trial, error);
    for (uint32_t done = 0, some = 0; done < runs && !status && !trial->outcome; done += some) {
        status = time_some(local, slot, runs - done, values + done, &some, trial, error);
        if (status || trial->outcome) break;
        refuse_impossible(local, values + done, some, trial);
        for (uint32_t i = 0; i < some && !local->energy; i++)
            if (values[done + i] < local->slots[slot].seconds) local->slots[slot].seconds = values[done + i];
    }
    return status;
}
