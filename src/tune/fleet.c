/* Several devices of one kind as one runner: see fleet.h.
 *
 * Pace. Cards of one kind differ by some percent, and each drifts. The first candidate that works,
 * usually the description's default, is the reference: every device times it at the start and again
 * after CHECK_EVERY candidates. A device's pace is its time over the first device's time at the
 * start; dividing times by the pace makes them comparable across devices.
 *
 * Final rounds. Every device times all entrants of a round in the same order; the result is the
 * median over the devices. */
#include "tune/fleet.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "core/objects.h"
#include "heddle/stats.h"
#include "tune/fleet_parts.h"

enum { FIRST_CANDIDATES = 64 };

static fleet *fleet_of(hed_runner *runner) { return (fleet *)runner; }

static bool fleet_stopped(void *user) { return ((fleet *)user)->stopping; }

/* ---- orders ---- */

/* Waits for news for at most a tenth of a second, and checks for a stop of the tuning. */
static void fleet_wait(fleet *all, double seconds)
{
    hed_fleet_pause(all, &all->news, fmin(seconds, TICK));
    pthread_mutex_unlock(&all->lock);
    if (all->def.idle && all->def.idle(all->def.user)) all->stopping = true;
    pthread_mutex_lock(&all->lock);
}

/* Sends `order` to devices and waits until they have carried it out. `only`: index of a device;
 * `count`: all devices that are not lost. */
static hed_status fleet_command(fleet *all, fleet_order order, uint32_t only, hed_error *error)
{
    do {
        bool busy = true;
        while (!fleet_any(all, false) && fleet_any(all, true)) fleet_wait(all, TICK);
        all->ordering = true;
        for (uint32_t i = 0; i < all->count; i++) {
            fleet_member *m = &all->members[i];
            if (m->lost || (only < all->count && only != i)) continue;
            for (uint32_t j = 0; j < HED_RUNNER_SLOTS; j++) m->trials[j] = fleet_trial();
            m->order = order;
        }
        pthread_cond_broadcast(&all->work);
        while (busy) {
            busy = false;
            for (uint32_t i = 0; i < all->count; i++)
                busy = busy || (all->members[i].order && !all->members[i].lost);
            if (busy) fleet_wait(all, TICK);
        }
        all->ordering = false;
        pthread_cond_broadcast(&all->work);
        /* all were lost: repeat after a restart */
    } while (!fleet_any(all, false) && fleet_any(all, true));
    if (!all->runner.lost) return HED_OK;
    return hed_fail(error, HED_ERROR_LOST, "all %u devices are lost; %s: %s", all->count,
        hed_device_describe(all->members[0].device)->id, all->members[0].why.text);
}

/* A device that is not lost: `wanted`, else the first. */
static uint32_t fleet_alive(const fleet *all, uint32_t wanted)
{
    for (uint32_t i = 0; all->members[wanted].lost && i < all->count; i++)
        if (!all->members[i].lost) return i;
    return wanted;
}

static double fleet_median(double *values, uint32_t count)
{
    return hed_summarize(values, count).p50;
}

/* Times a candidate on all devices, before there is a reference: the first candidate that works
 * becomes the reference. */
static hed_status fleet_measure_everywhere(fleet *all, fleet_candidate *candidate, hed_error *error)
{
    double over[HED_TUNE_DEVICES];
    uint32_t first = all->count;
    hed_config before = all->reference;
    all->reference = candidate->config;
    if (fleet_command(all, TIME_REFERENCE, all->count, error)) return error->status;
    candidate->trial = fleet_trial();
    for (uint32_t i = 0; i < all->count; i++) {
        fleet_member *m = &all->members[i];
        if (m->lost) continue;
        if (first == all->count) first = i;
        if (m->trials[0].outcome || i == first) candidate->trial = m->trials[0];
        if (m->trials[0].outcome) break;
        m->done++;
    }
    if (candidate->trial.outcome) {
        all->reference = before;
        return HED_OK;
    }
    all->has_reference = true;
    all->base = all->members[first].race.anchor_base;
    candidate->member = first;
    candidate->runs = REFERENCE_RUNS;
    for (uint32_t i = 0; i < all->count; i++) {
        fleet_member *m = &all->members[i];
        if (!m->lost) m->ratio = m->race.anchor_base / all->members[first].race.anchor_base;
        m->pace = m->ratio;
    }
    for (uint32_t run = 0; run < REFERENCE_RUNS; run++) {
        uint32_t count = 0;
        for (uint32_t i = 0; i < all->count; i++)
            if (!all->members[i].lost)
                over[count++] = all->members[i].values[0][run] / all->members[i].ratio;
        candidate->values[run] = fleet_median(over, count);
    }
    double sorted[REFERENCE_RUNS];
    memcpy(sorted, candidate->values, sizeof sorted);
    hed_summary summary = hed_summarize(sorted, REFERENCE_RUNS);
    if (summary.p50 < all->best) {
        all->best = summary.p50;
        all->best_high = summary.high;
    }
    return HED_OK;
}

/* Times a candidate on one device: one that was prepared before the reference existed, or that
 * comes from an earlier tuning. */
static hed_status fleet_measure_one(fleet *all, uint32_t slot, hed_error *error)
{
    fleet_candidate *candidate = &all->slots[slot].candidate;
    fleet_member *m;
    do {
        uint32_t home = fleet_alive(all, 0);
        m = &all->members[home];
        candidate->member = home;
        m->count = 1;
        m->slots[0] = slot;
        m->runs[0] = 1;
        if (fleet_command(all, TIME_ONE, home, error)) return error->status;
    } while (m->lost);
    candidate->trial = m->trials[0];
    candidate->runs = 1;
    candidate->values[0] = m->values[0][0] / m->pace;
    return HED_OK;
}

static hed_status fleet_prepare_locked(
    fleet *all, uint32_t slot, const hed_config *config, hed_trial *trial, hed_error *error)
{
    fleet_slot *s = &all->slots[slot];
    fleet_candidate *known = NULL;
    for (uint32_t i = 0; i < all->capacity && !known; i++)
        if (all->candidates[i].state == HANDED &&
            hed_config_equal(&all->candidates[i].config, config))
            known = &all->candidates[i];
    *s = (fleet_slot){.candidate = {.config = *config, .trial = fleet_trial()}};
    for (uint32_t i = 0; i < all->count; i++) all->members[i].round_count[slot] = 0;
    if (known) {
        s->candidate = *known;
        known->state = FREE;
    }
    hed_status status = HED_OK;
    if (!all->has_reference) status = fleet_measure_everywhere(all, &s->candidate, error);
    else if (!known) status = fleet_measure_one(all, slot, error);
    *trial = s->candidate.trial;
    return status;
}

static hed_status fleet_prepare(
    hed_runner *runner, uint32_t slot, const hed_config *config, hed_trial *trial, hed_error *error)
{
    fleet *all = fleet_of(runner);
    pthread_mutex_lock(&all->lock);
    hed_status status = fleet_prepare_locked(all, slot, config, trial, error);
    pthread_mutex_unlock(&all->lock);
    return status;
}

static hed_status fleet_time_locked(
    fleet *all, uint32_t slot, uint32_t runs, double *values, hed_trial *trial, hed_error *error)
{
    fleet_slot *s = &all->slots[slot];
    uint32_t given = 0;
    *trial = s->round_runs ? s->round_trial : fleet_trial();
    while (given < runs && s->round_taken < s->round_runs && !trial->outcome)
        values[given++] = s->round[s->round_taken++];
    while (given < runs && s->taken < s->candidate.runs && !s->round_runs)
        values[given++] = s->candidate.values[s->taken++];
    if (trial->outcome) return HED_OK;
    while (given < runs) {
        uint32_t home = fleet_alive(all, s->candidate.member), some = runs - given;
        fleet_member *m = &all->members[home];
        if (some > HED_PROBE_RUNS) some = HED_PROBE_RUNS;
        s->candidate.member = home;
        m->count = 1;
        m->slots[0] = slot;
        m->runs[0] = some;
        if (fleet_command(all, TIME_ONE, home, error)) return error->status;
        if (m->lost) continue;
        *trial = m->trials[0];
        if (trial->outcome) return HED_OK;
        for (uint32_t i = 0; i < some; i++) values[given++] = m->values[0][i] / m->pace;
    }
    return HED_OK;
}

static hed_status fleet_time(hed_runner *runner, uint32_t slot, uint32_t runs, double *values,
    hed_trial *trial, hed_error *error)
{
    fleet *all = fleet_of(runner);
    pthread_mutex_lock(&all->lock);
    hed_status status = fleet_time_locked(all, slot, runs, values, trial, error);
    pthread_mutex_unlock(&all->lock);
    return status;
}

/* Takes the median over the devices, run by run; a candidate that failed on one device has
 * failed. */
static void fleet_take_round(fleet *all, uint32_t index, uint32_t slot, uint32_t runs)
{
    fleet_slot *s = &all->slots[slot];
    double over[HED_TUNE_DEVICES];
    s->round_taken = 0;
    s->round_runs = runs;
    s->round_trial = fleet_trial();
    for (uint32_t i = 0; i < all->count; i++) {
        fleet_member *m = &all->members[i];
        if (m->lost) continue;
        if (m->trials[index].outcome) s->round_trial = m->trials[index];
        if (m->trials[index].outcome || m->round_count[slot] >= HED_FINAL_ROUNDS) continue;
        double sorted[ROUND_RUNS];
        memcpy(sorted, m->values[index], runs * sizeof *sorted);
        m->rounds[slot][m->round_count[slot]++] = fleet_median(sorted, runs);
    }
    for (uint32_t run = 0; run < runs; run++) {
        uint32_t count = 0;
        for (uint32_t i = 0; i < all->count; i++) {
            const fleet_member *m = &all->members[i];
            if (!m->lost && !m->trials[index].outcome)
                over[count++] = m->values[index][run] / m->pace;
        }
        s->round[run] = count ? fleet_median(over, count) : (double)NAN;
    }
}

static hed_status fleet_announce(hed_runner *runner, const uint32_t *slots, const uint32_t *runs,
    uint32_t count, hed_error *error)
{
    fleet *all = fleet_of(runner);
    pthread_mutex_lock(&all->lock);
    for (uint32_t i = 0; i < all->count; i++) {
        fleet_member *m = &all->members[i];
        m->count = count;
        memcpy(m->slots, slots, count * sizeof *slots);
        for (uint32_t j = 0; j < count; j++)
            m->runs[j] = runs[j] < ROUND_RUNS ? runs[j] : ROUND_RUNS;
    }
    hed_status status = fleet_command(all, TIME_ROUND, all->count, error);
    for (uint32_t i = 0; i < count && !status; i++)
        fleet_take_round(all, i, slots[i], runs[i] < ROUND_RUNS ? runs[i] : ROUND_RUNS);
    pthread_mutex_unlock(&all->lock);
    return status;
}

static hed_status fleet_output(hed_runner *runner, uint32_t slot, uint32_t argument,
    uint32_t pattern, void *data, hed_trial *trial, hed_error *error)
{
    fleet *all = fleet_of(runner);
    pthread_mutex_lock(&all->lock);
    hed_status status;
    fleet_member *m;
    do {
        uint32_t home = fleet_alive(all, all->slots[slot].candidate.member);
        m = &all->members[home];
        m->slots[0] = slot;
        m->argument = argument;
        m->pattern = pattern;
        m->data = data;
        status = fleet_command(all, GIVE_OUTPUT, home, error);
    } while (!status && m->lost);
    *trial = m->trials[0];
    pthread_mutex_unlock(&all->lock);
    return status;
}

/* ---- candidates ahead ---- */

static hed_status fleet_grow(fleet *all, hed_error *error)
{
    uint32_t capacity = all->capacity ? 2 * all->capacity : FIRST_CANDIDATES;
    fleet_candidate *grown = hed_allocate(&all->allocator, capacity * sizeof *grown);
    if (!grown) return hed_fail(error, HED_ERROR_MEMORY, "no memory for %u candidates", capacity);
    if (all->capacity) memcpy(grown, all->candidates, all->capacity * sizeof *grown);
    hed_release(&all->allocator, all->candidates, all->capacity * sizeof *grown);
    all->candidates = grown;
    all->capacity = capacity;
    return HED_OK;
}

static hed_status fleet_build_ahead(hed_runner *runner, const hed_config *config, hed_error *error)
{
    fleet *all = fleet_of(runner);
    pthread_mutex_lock(&all->lock);
    fleet_candidate *free = hed_fleet_first(all, FREE, 0);
    if (!free && !fleet_grow(all, error)) free = hed_fleet_first(all, FREE, 0);
    if (free)
        *free = (fleet_candidate){
            .state = WAITING, .number = all->next++, .config = *config, .trial = fleet_trial()};
    pthread_cond_broadcast(&all->work);
    pthread_mutex_unlock(&all->lock);
    return error->status;
}

static bool fleet_built(hed_runner *runner, double seconds, hed_config *config, hed_trial *trial)
{
    fleet *all = fleet_of(runner);
    pthread_mutex_lock(&all->lock);
    if (!all->open) pthread_cond_broadcast(&all->work);
    all->open = true;
    fleet_candidate *done = hed_fleet_first(all, DONE, 0);
    if (!done && seconds > 0) {
        fleet_wait(all, seconds);
        done = hed_fleet_first(all, DONE, 0);
    }
    if (done) {
        *config = done->config;
        *trial = done->trial;
        done->state = done->trial.outcome ? FREE : HANDED;
    }
    pthread_mutex_unlock(&all->lock);
    return done != NULL;
}

/* ---- life ---- */

static void fleet_destroy(hed_runner *runner)
{
    fleet *all = fleet_of(runner);
    hed_allocator allocator = all->allocator;
    pthread_mutex_lock(&all->lock);
    all->closing = true;
    all->stopping = true;
    pthread_cond_broadcast(&all->work);
    pthread_mutex_unlock(&all->lock);
    for (uint32_t i = 0; i < all->count; i++)
        if (all->members[i].threaded) pthread_join(all->members[i].thread, NULL);
    pthread_cond_destroy(&all->work);
    pthread_cond_destroy(&all->news);
    pthread_mutex_destroy(&all->lock);
    hed_release(&allocator, all->candidates, all->capacity * sizeof *all->candidates);
    hed_release(&allocator, all->members, all->count * sizeof *all->members);
    hed_release(&allocator, all, sizeof *all);
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
static hed_status fleet_start(fleet *all, hed_error *error)
{
    sigset_t signals, before;
    int code = 0;
    uint32_t open = 0;
    sigfillset(&signals);
    pthread_sigmask(SIG_BLOCK, &signals, &before);
    for (uint32_t i = 0; i < all->count && !code; i++) {
        fleet_member *m = &all->members[i];
        code = pthread_create(&m->thread, NULL, hed_fleet_member_run, m);
        m->threaded = code == 0;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (code)
        return hed_fail(
            error, HED_ERROR_MEMORY, "no thread for a device: %s", strerrordesc_np(code));
    pthread_mutex_lock(&all->lock);
    while (open < all->count) {
        open = 0;
        for (uint32_t i = 0; i < all->count; i++) open += all->members[i].opened;
        if (open < all->count) fleet_wait(all, TICK);
    }
    open = 0;
    for (uint32_t i = 0; i < all->count; i++) {
        const fleet_member *m = &all->members[i];
        if (m->lost) continue;
        all->runner.builders += 1 + m->builders;
        all->runner.device_time =
            (open++ == 0 || all->runner.device_time) && m->runner->device_time;
    }
    pthread_mutex_unlock(&all->lock);
    if (open) return HED_OK;
    return hed_fail(error, all->members[0].why.status, "%s%s", all->members[0].why.text,
        all->count > 1 ? ", and no other device can be opened" : "");
}

hed_status hed_fleet_create(const hed_runner_def *def, hed_device *const *devices, uint32_t count,
    const hed_fleet_kind *kind, hed_runner **runner, hed_error *error)
{
    const hed_context_info context = hed_context_describe(hed_device_context(def->device));
    hed_allocator allocator = context.allocator;
    *runner = NULL;
    fleet *all = hed_allocate(&allocator, sizeof *all);
    fleet_member *members = all ? hed_allocate(&allocator, count * sizeof *members) : NULL;
    if (!members) {
        hed_release(&allocator, all, sizeof *all);
        return hed_fail(error, HED_ERROR_MEMORY, "no memory for %u devices", count);
    }
    *all = (fleet){.runner = {.kind = &FLEET},
        .def = *def,
        .member_def = *def,
        .kind = *kind,
        .allocator = allocator,
        .logger = context.logger,
        .count = count,
        .members = members,
        .best = INFINITY,
        .best_high = INFINITY};
    pthread_mutex_init(&all->lock, NULL);
    pthread_cond_init(&all->work, NULL);
    pthread_cond_init(&all->news, NULL);
    uint32_t processors = def->builders ? def->builders : hed_processor_count();
    all->member_def.builders = processors > count ? processors / count : 1;
    all->member_def.idle = fleet_stopped;
    all->member_def.user = all;
    for (uint32_t i = 0; i < count; i++)
        hed_fleet_member_make(all, i, devices[i], def->floor_seconds);
    if (fleet_start(all, error)) fleet_destroy(&all->runner);
    else *runner = &all->runner;
    return error->status;
}

uint32_t hed_fleet_look(hed_runner *runner, uint32_t slot, hed_tune_on *devices)
{
    fleet *all = fleet_of(runner);
    pthread_mutex_lock(&all->lock);
    for (uint32_t i = 0; i < all->count; i++) {
        fleet_member *m = &all->members[i];
        hed_tune_on *on = &devices[i];
        *on = (hed_tune_on){.done = m->done, .failed = m->failed, .pace = m->pace, .seconds = NAN};
        hed_text_copy(on->device, sizeof on->device, hed_device_describe(m->device)->id);
        hed_text_copy(on->doing, sizeof on->doing, m->doing);
        on->lost = m->lost;
        on->losses = m->losses;
        /* the end of a long text, since the worker's message is at the end */
        size_t size = strlen(m->why.text), most = sizeof on->why - 1;
        hed_text_copy(on->why, sizeof on->why, m->why.text + (size > most ? size - most : 0));
        double sorted[HED_FINAL_ROUNDS];
        uint32_t rounds = slot < HED_RUNNER_SLOTS ? m->round_count[slot] : 0;
        memcpy(sorted, m->rounds[slot < HED_RUNNER_SLOTS ? slot : 0], rounds * sizeof *sorted);
        if (rounds) on->seconds = fleet_median(sorted, rounds);
    }
    pthread_mutex_unlock(&all->lock);
    return all->count;
}
