/* Several devices of one kind as one runner: see fleet.h.
 *
 * Pace. Cards of one kind differ by some percent, and each drifts. The first candidate that works,
 * usually the description's default, is the reference: every device times it at the start and again
 * after CHECK_EVERY candidates. A device's drift is its time over the first device's time at the
 * start; dividing times by the drift makes them comparable across devices.
 *
 * Final rounds. Every device times all entrants of a round in the same order; the result is the
 * median over the devices. */
#include "workers/fleet.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "core/objects.h"
#include "heddle/stats.h"
#include "workers/fleet_parts.h"
#include "workers/remote_device.h"

enum { FIRST_CANDIDATES = 64 };

static fleet_state *fleet_of(hed_runner *runner) { return (fleet_state *)runner; }

static bool fleet_stopped(void *user) { return ((fleet_state *)user)->stopping; }

/* ---- orders ---- */

/* Waits for news for at most a tenth of a second, and checks for a stop of the tuning. */
static void fleet_wait(fleet_state *fleet, double seconds)
{
    hed_fleet_pause(fleet, &fleet->news, fmin(seconds, TICK));
    pthread_mutex_unlock(&fleet->lock);
    if (fleet->def.idle && fleet->def.idle(fleet->def.user)) fleet->stopping = true;
    pthread_mutex_lock(&fleet->lock);
}

/* Sends `order` to devices and waits until they have carried it out. `target`: index of a device;
 * `count`: all devices that are not lost. */
static hed_status fleet_command(
    fleet_state *fleet, fleet_order order, uint32_t target, hed_error *error)
{
    do {
        bool busy = true;
        while (!fleet_any(fleet, false) && fleet_any(fleet, true)) fleet_wait(fleet, TICK);
        fleet->ordering = true;
        for (uint32_t i = 0; i < fleet->count; i++) {
            fleet_member *m = &fleet->members[i];
            if (m->is_lost || (target < fleet->count && target != i)) continue;
            for (uint32_t j = 0; j < HED_RUNNER_SLOTS; j++) m->trials[j] = fleet_trial();
            m->order = order;
        }
        pthread_cond_broadcast(&fleet->work);
        while (busy) {
            busy = false;
            for (uint32_t i = 0; i < fleet->count; i++)
                busy = busy || (fleet->members[i].order && !fleet->members[i].is_lost);
            if (busy) fleet_wait(fleet, TICK);
        }
        fleet->ordering = false;
        pthread_cond_broadcast(&fleet->work);
        /* all were lost: repeat after a restart */
    } while (!fleet_any(fleet, false) && fleet_any(fleet, true));
    if (!fleet->runner.lost) return HED_OK;
    return hed_fail(error, HED_ERROR_LOST, "all %u devices are lost; %s: %s", fleet->count,
        hed_device_describe(fleet->members[0].device).id, fleet->members[0].cause.text);
}

/* A device that is not lost: `preferred`, else the first. */
static uint32_t fleet_alive(const fleet_state *fleet, uint32_t preferred)
{
    for (uint32_t i = 0; fleet->members[preferred].is_lost && i < fleet->count; i++)
        if (!fleet->members[i].is_lost) return i;
    return preferred;
}

static double fleet_median(double *values, uint32_t count)
{
    return hed_summarize(values, count).p50;
}

/* Times a candidate on all devices, before there is a reference: the first candidate that works
 * becomes the reference. */
static hed_status fleet_measure_everywhere(
    fleet_state *fleet, fleet_candidate *candidate, hed_error *error)
{
    double over[HED_TUNE_DEVICES];
    uint32_t first = fleet->count;
    hed_config before = fleet->reference;
    fleet->reference = candidate->config;
    if (fleet_command(fleet, TIME_REFERENCE, fleet->count, error)) return error->status;
    candidate->trial = fleet_trial();
    for (uint32_t i = 0; i < fleet->count; i++) {
        fleet_member *m = &fleet->members[i];
        if (m->is_lost) continue;
        if (first == fleet->count) first = i;
        if (m->trials[0].outcome || i == first) candidate->trial = m->trials[0];
        if (m->trials[0].outcome) break;
        m->done++;
    }
    if (candidate->trial.outcome) {
        fleet->reference = before;
        return HED_OK;
    }
    fleet->has_reference = true;
    fleet->base = fleet->members[first].race.anchor_base;
    candidate->member = first;
    candidate->has_probe = true;
    candidate->runs = REFERENCE_RUNS;
    for (uint32_t i = 0; i < fleet->count; i++) {
        fleet_member *m = &fleet->members[i];
        if (!m->is_lost) m->ratio = m->race.anchor_base / fleet->members[first].race.anchor_base;
        m->drift = m->ratio;
    }
    for (uint32_t run = 0; run < REFERENCE_RUNS; run++) {
        uint32_t count = 0;
        for (uint32_t i = 0; i < fleet->count; i++)
            if (!fleet->members[i].is_lost)
                over[count++] = fleet->members[i].values[0][run] / fleet->members[i].ratio;
        candidate->values[run] = fleet_median(over, count);
    }
    double sorted[REFERENCE_RUNS];
    memcpy(sorted, candidate->values, sizeof sorted);
    hed_summary summary = hed_summarize(sorted, REFERENCE_RUNS);
    if (summary.p50 < fleet->best) {
        fleet->best = summary.p50;
        fleet->best_high = summary.high;
    }
    return HED_OK;
}

/* Times a candidate on one device: one that was prepared before the reference existed, or that
 * comes from an earlier tuning. */
static hed_status fleet_measure_one(fleet_state *fleet, uint32_t slot, hed_error *error)
{
    fleet_candidate *candidate = &fleet->slots[slot].candidate;
    fleet_member *m;
    do {
        uint32_t home = fleet_alive(fleet, 0);
        m = &fleet->members[home];
        candidate->member = home;
        m->count = 1;
        m->slots[0] = slot;
        m->runs[0] = 1;
        if (fleet_command(fleet, TIME_ONE, home, error)) return error->status;
    } while (m->is_lost);
    candidate->trial = m->trials[0];
    candidate->runs = 1;
    candidate->values[0] = m->values[0][0] / m->drift;
    return HED_OK;
}

static hed_status fleet_prepare_locked(
    fleet_state *fleet, uint32_t slot, const hed_config *config, hed_trial *trial, hed_error *error)
{
    fleet_slot *s = &fleet->slots[slot];
    fleet_candidate *waiting = NULL;
    for (uint32_t i = 0; i < fleet->capacity && !waiting; i++)
        if (fleet->candidates[i].state == HANDED &&
            hed_config_equal(&fleet->candidates[i].config, config))
            waiting = &fleet->candidates[i];
    *s = (fleet_slot){.candidate = {.config = *config, .trial = fleet_trial()}};
    for (uint32_t i = 0; i < fleet->count; i++) fleet->members[i].round_count[slot] = 0;
    if (waiting) {
        s->candidate = *waiting;
        waiting->state = FREE;
    }
    hed_status status = HED_OK;
    if (!fleet->has_reference) status = fleet_measure_everywhere(fleet, &s->candidate, error);
    else if (!waiting) status = fleet_measure_one(fleet, slot, error);
    *trial = s->candidate.trial;
    return status;
}

static hed_status fleet_prepare(
    hed_runner *runner, uint32_t slot, const hed_config *config, hed_trial *trial, hed_error *error)
{
    fleet_state *fleet = fleet_of(runner);
    pthread_mutex_lock(&fleet->lock);
    hed_status status = fleet_prepare_locked(fleet, slot, config, trial, error);
    pthread_mutex_unlock(&fleet->lock);
    return status;
}

static hed_status fleet_time_locked(fleet_state *fleet, uint32_t slot, uint32_t runs,
    double *values, hed_trial *trial, hed_error *error)
{
    fleet_slot *s = &fleet->slots[slot];
    uint32_t count = 0;
    *trial = s->round_runs ? s->round_trial : fleet_trial();
    while (count < runs && s->round_taken < s->round_runs && !trial->outcome)
        values[count++] = s->round[s->round_taken++];
    while (count < runs && s->values_read < s->candidate.runs && !s->round_runs)
        values[count++] = s->candidate.values[s->values_read++];
    if (trial->outcome) return HED_OK;
    while (count < runs) {
        uint32_t home = fleet_alive(fleet, s->candidate.member), batch = runs - count;
        fleet_member *m = &fleet->members[home];
        if (batch > HED_PROBE_RUNS) batch = HED_PROBE_RUNS;
        s->candidate.member = home;
        m->count = 1;
        m->slots[0] = slot;
        m->runs[0] = batch;
        if (fleet_command(fleet, TIME_ONE, home, error)) return error->status;
        if (m->is_lost) continue;
        *trial = m->trials[0];
        if (trial->outcome) return HED_OK;
        for (uint32_t i = 0; i < batch; i++) values[count++] = m->values[0][i] / m->drift;
    }
    return HED_OK;
}

static hed_status fleet_time(hed_runner *runner, uint32_t slot, uint32_t runs, double *values,
    hed_trial *trial, hed_error *error)
{
    fleet_state *fleet = fleet_of(runner);
    pthread_mutex_lock(&fleet->lock);
    hed_status status = fleet_time_locked(fleet, slot, runs, values, trial, error);
    pthread_mutex_unlock(&fleet->lock);
    return status;
}

/* Takes the median over the devices, run by run; a candidate that failed on one device has
 * failed. */
static void fleet_take_round(fleet_state *fleet, uint32_t index, uint32_t slot, uint32_t runs)
{
    fleet_slot *s = &fleet->slots[slot];
    double over[HED_TUNE_DEVICES];
    s->round_taken = 0;
    s->round_runs = runs;
    s->round_trial = fleet_trial();
    for (uint32_t i = 0; i < fleet->count; i++) {
        fleet_member *m = &fleet->members[i];
        if (m->is_lost) continue;
        if (m->trials[index].outcome) s->round_trial = m->trials[index];
        if (m->trials[index].outcome || m->round_count[slot] >= HED_FINAL_ROUNDS) continue;
        double sorted[ROUND_RUNS];
        memcpy(sorted, m->values[index], runs * sizeof *sorted);
        m->rounds[slot][m->round_count[slot]++] = fleet_median(sorted, runs);
    }
    for (uint32_t run = 0; run < runs; run++) {
        uint32_t count = 0;
        for (uint32_t i = 0; i < fleet->count; i++) {
            const fleet_member *m = &fleet->members[i];
            if (!m->is_lost && !m->trials[index].outcome)
                over[count++] = m->values[index][run] / m->drift;
        }
        s->round[run] = count ? fleet_median(over, count) : (double)NAN;
    }
}

static hed_status fleet_announce(hed_runner *runner, const uint32_t *slots, const uint32_t *runs,
    uint32_t count, hed_error *error)
{
    fleet_state *fleet = fleet_of(runner);
    pthread_mutex_lock(&fleet->lock);
    for (uint32_t i = 0; i < fleet->count; i++) {
        fleet_member *m = &fleet->members[i];
        m->count = count;
        memcpy(m->slots, slots, count * sizeof *slots);
        for (uint32_t j = 0; j < count; j++)
            m->runs[j] = runs[j] < ROUND_RUNS ? runs[j] : ROUND_RUNS;
    }
    hed_status status = fleet_command(fleet, TIME_ROUND, fleet->count, error);
    for (uint32_t i = 0; i < count && !status; i++)
        fleet_take_round(fleet, i, slots[i], runs[i] < ROUND_RUNS ? runs[i] : ROUND_RUNS);
    pthread_mutex_unlock(&fleet->lock);
    return status;
}

static hed_status fleet_output(hed_runner *runner, uint32_t slot, uint32_t argument,
    uint32_t pattern, void *data, hed_trial *trial, hed_error *error)
{
    fleet_state *fleet = fleet_of(runner);
    pthread_mutex_lock(&fleet->lock);
    hed_status status;
    fleet_member *m;
    do {
        uint32_t home = fleet_alive(fleet, fleet->slots[slot].candidate.member);
        m = &fleet->members[home];
        m->slots[0] = slot;
        m->argument = argument;
        m->pattern = pattern;
        m->data = data;
        status = fleet_command(fleet, GIVE_OUTPUT, home, error);
    } while (!status && m->is_lost);
    *trial = m->trials[0];
    pthread_mutex_unlock(&fleet->lock);
    return status;
}

/* ---- building ahead ---- */

static hed_status fleet_grow(fleet_state *fleet, hed_error *error)
{
    uint32_t capacity = fleet->capacity ? 2 * fleet->capacity : FIRST_CANDIDATES;
    fleet_candidate *grown = hed_allocate(&fleet->allocator, capacity * sizeof *grown);
    if (!grown) return HED_OUT_OF_MEMORY(error, "%u candidates", capacity);
    if (fleet->capacity) memcpy(grown, fleet->candidates, fleet->capacity * sizeof *grown);
    hed_release(&fleet->allocator, fleet->candidates, fleet->capacity * sizeof *grown);
    fleet->candidates = grown;
    fleet->capacity = capacity;
    return HED_OK;
}

static hed_status fleet_build_ahead(hed_runner *runner, const hed_config *config, hed_error *error)
{
    fleet_state *fleet = fleet_of(runner);
    pthread_mutex_lock(&fleet->lock);
    fleet_candidate *free = hed_fleet_first(fleet, FREE, 0);
    if (!free && !fleet_grow(fleet, error)) free = hed_fleet_first(fleet, FREE, 0);
    if (free)
        *free = (fleet_candidate){
            .state = WAITING, .number = fleet->next++, .config = *config, .trial = fleet_trial()};
    pthread_cond_broadcast(&fleet->work);
    pthread_mutex_unlock(&fleet->lock);
    return error->status;
}

static bool fleet_built(hed_runner *runner, double seconds, hed_config *config, hed_trial *trial)
{
    fleet_state *fleet = fleet_of(runner);
    pthread_mutex_lock(&fleet->lock);
    if (!fleet->open) pthread_cond_broadcast(&fleet->work);
    fleet->open = true;
    fleet_candidate *done = hed_fleet_first(fleet, DONE, 0);
    if (!done && seconds > 0) {
        fleet_wait(fleet, seconds);
        done = hed_fleet_first(fleet, DONE, 0);
    }
    if (done) {
        *config = done->config;
        *trial = done->trial;
        done->state = done->trial.outcome ? FREE : HANDED;
    }
    pthread_mutex_unlock(&fleet->lock);
    return done != NULL;
}

/* ---- creation and destruction ---- */

static void fleet_destroy(hed_runner *runner)
{
    fleet_state *fleet = fleet_of(runner);
    hed_allocator allocator = fleet->allocator;
    pthread_mutex_lock(&fleet->lock);
    fleet->closing = true;
    fleet->stopping = true;
    pthread_cond_broadcast(&fleet->work);
    pthread_mutex_unlock(&fleet->lock);
    for (uint32_t i = 0; i < fleet->count; i++)
        if (fleet->members[i].threaded) pthread_join(fleet->members[i].thread, NULL);
    pthread_cond_destroy(&fleet->work);
    pthread_cond_destroy(&fleet->news);
    pthread_mutex_destroy(&fleet->lock);
    hed_release(&allocator, fleet->candidates, fleet->capacity * sizeof *fleet->candidates);
    hed_release(&allocator, fleet->members, fleet->count * sizeof *fleet->members);
    hed_release(&allocator, fleet, sizeof *fleet);
}

static const hed_runner_kind FLEET = {.destroy = fleet_destroy,
    .build_ahead = fleet_build_ahead,
    .built = fleet_built,
    .prepare = fleet_prepare,
    .time = fleet_time,
    .output = fleet_output,
    .announce = fleet_announce};

/* Starts a thread for each device and waits until each is open or lost. The threads block all
 * signals, which belong to the program. */
static hed_status fleet_start(fleet_state *fleet, hed_error *error)
{
    sigset_t signals, before;
    int code = 0;
    uint32_t open = 0;
    sigfillset(&signals);
    pthread_sigmask(SIG_BLOCK, &signals, &before);
    for (uint32_t i = 0; i < fleet->count && !code; i++) {
        fleet_member *m = &fleet->members[i];
        code = pthread_create(&m->thread, NULL, hed_fleet_member_run, m);
        m->threaded = code == 0;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (code)
        return hed_fail(
            error, HED_ERROR_MEMORY, "no thread for a device: %s", strerrordesc_np(code));
    pthread_mutex_lock(&fleet->lock);
    while (open < fleet->count) {
        open = 0;
        for (uint32_t i = 0; i < fleet->count; i++) open += fleet->members[i].opened;
        if (open < fleet->count) fleet_wait(fleet, TICK);
    }
    open = 0;
    for (uint32_t i = 0; i < fleet->count; i++) {
        const fleet_member *m = &fleet->members[i];
        if (m->is_lost) continue;
        fleet->runner.builders += 1 + m->builders;
        fleet->runner.device_time =
            (open++ == 0 || fleet->runner.device_time) && m->runner->device_time;
    }
    pthread_mutex_unlock(&fleet->lock);
    if (open) return HED_OK;
    return hed_fail(error, fleet->members[0].cause.status, "%s%s", fleet->members[0].cause.text,
        fleet->count > 1 ? ", and no other device can be opened" : "");
}

hed_status hed_fleet_create(const hed_runner_def *def, hed_device *const *devices, uint32_t count,
    const hed_fleet_kind *kind, hed_runner **runner, hed_error *error)
{
    const hed_context_info context = hed_context_describe(hed_device_context(def->device));
    hed_allocator allocator = context.allocator;
    *runner = NULL;
    fleet_state *fleet = hed_allocate(&allocator, sizeof *fleet);
    fleet_member *members = fleet ? hed_allocate(&allocator, count * sizeof *members) : NULL;
    if (!members) {
        hed_release(&allocator, fleet, sizeof *fleet);
        return HED_OUT_OF_MEMORY(error, "%u devices", count);
    }
    *fleet = (fleet_state){.runner = {.kind = &FLEET},
        .def = *def,
        .member_def = *def,
        .kind = *kind,
        .allocator = allocator,
        .logger = context.logger,
        .count = count,
        .members = members,
        .best = INFINITY,
        .best_high = INFINITY};
    pthread_mutex_init(&fleet->lock, NULL);
    pthread_cond_init(&fleet->work, NULL);
    pthread_cond_init(&fleet->news, NULL);
    uint32_t processors = def->builders ? def->builders : hed_processor_count();
    uint32_t sharers = 0; /* devices of this machine; elsewhere the worker's machine decides */
    for (uint32_t i = 0; i < count; i++)
        sharers += def->builders || !hed_device_is_remote(devices[i]);
    fleet->member_def.builders = sharers && processors > sharers ? processors / sharers : 1;
    hed_remote_share(devices, count);
    fleet->member_def.idle = fleet_stopped;
    fleet->member_def.user = fleet;
    for (uint32_t i = 0; i < count; i++)
        hed_fleet_member_make(fleet, i, devices[i], def->floor_seconds);
    if (fleet_start(fleet, error)) fleet_destroy(&fleet->runner);
    else *runner = &fleet->runner;
    return error->status;
}

hed_race_runs hed_fleet_runs(hed_runner *runner, uint32_t slot)
{
    fleet_state *fleet = fleet_of(runner);
    pthread_mutex_lock(&fleet->lock);
    const fleet_candidate *candidate = &fleet->slots[slot].candidate;
    hed_race_runs runs = {candidate->has_probe ? candidate->runs : 0, candidate->is_dropped};
    pthread_mutex_unlock(&fleet->lock);
    return runs;
}

double hed_fleet_drift(hed_runner *runner)
{
    fleet_state *fleet = fleet_of(runner);
    double largest = 0;
    pthread_mutex_lock(&fleet->lock);
    for (uint32_t i = 0; i < fleet->count; i++)
        largest = fmax(largest, fabs(fleet->members[i].drift / fleet->members[i].ratio - 1));
    pthread_mutex_unlock(&fleet->lock);
    return largest;
}

uint32_t hed_fleet_look(hed_runner *runner, uint32_t slot, hed_tune_on *devices)
{
    fleet_state *fleet = fleet_of(runner);
    pthread_mutex_lock(&fleet->lock);
    for (uint32_t i = 0; i < fleet->count; i++) {
        fleet_member *m = &fleet->members[i];
        hed_tune_on *on = &devices[i];
        *on =
            (hed_tune_on){.done = m->done, .failed = m->failed, .drift = m->drift, .seconds = NAN};
        hed_text_copy(on->device, sizeof on->device, hed_device_describe(m->device).id);
        hed_text_copy(on->doing, sizeof on->doing, m->doing);
        on->lost = m->is_lost;
        on->losses = m->losses;
        /* the end of a long text, since the worker's message is at the end */
        size_t size = strlen(m->cause.text), limit = sizeof on->why - 1;
        hed_text_copy(on->why, sizeof on->why, m->cause.text + (size > limit ? size - limit : 0));
        double sorted[HED_FINAL_ROUNDS];
        uint32_t rounds = slot < HED_RUNNER_SLOTS ? m->round_count[slot] : 0;
        memcpy(sorted, m->rounds[slot < HED_RUNNER_SLOTS ? slot : 0], rounds * sizeof *sorted);
        if (rounds) on->seconds = fleet_median(sorted, rounds);
    }
    pthread_mutex_unlock(&fleet->lock);
    return fleet->count;
}
