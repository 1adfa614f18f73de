/* Thread of one device of a fleet: measures candidates, scales their times by the device's drift,
 * carries out the tuning's orders, and restarts the device after a loss. See fleet.h and
 * fleet_parts.h. */
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/text.h"
#include "core/objects.h"
#include "heddle/stats.h"
#include "workers/fleet_parts.h"
#include "workers/remote_device.h"
#include "workers/worker.h"

enum {
    REFERENCE = 0,     /* slot of the reference; candidates take turns in the others */
    CHECK_EVERY = 8,   /* candidates between two measurements of the reference */
    MOST_LOST = 2,     /* maximum number of devices lost over one candidate */
    MOST_RESTARTS = 2, /* maximum restarts of one device */
};
static const double warm_seconds = 1, restart_seconds[MOST_RESTARTS] = {0.5, 3};

void hed_fleet_pause(fleet_state *fleet, pthread_cond_t *change, double seconds)
{
    hed_condition_wait(change, &fleet->lock, seconds);
}

/* ---- operations on the member's runner ---- */

static hed_status member_time(
    void *user, uint32_t slot, uint32_t runs, double *values, hed_trial *trial, hed_error *error)
{
    fleet_member *m = user;
    return m->runner->kind->time(m->runner, slot, runs, values, trial, error);
}

static double member_now(void *user)
{
    (void)user;
    return hed_worker_now();
}

static bool member_stopped(void *user) { return ((fleet_member *)user)->fleet->stopping; }

/* Finds the slot that has a configuration prepared; if there is no such slot, prepares the
 * configuration in the least recently used one. */
static hed_status member_hold(fleet_member *m, const hed_config *config, bool reference,
    uint32_t *slot, hed_trial *trial, hed_error *error)
{
    uint32_t oldest = REFERENCE + 1;
    *trial = fleet_trial();
    for (uint32_t i = 0; i < HED_RUNNER_SLOTS; i++) {
        if (m->used[i] && hed_config_equal(&m->holds[i], config) && reference == (i == REFERENCE)) {
            m->used[i] = ++m->clock;
            *slot = i;
            return HED_OK;
        }
        if (i != REFERENCE && m->used[i] < m->used[oldest]) oldest = i;
    }
    *slot = reference ? REFERENCE : oldest;
    m->used[*slot] = 0;
    hed_status status = m->runner->kind->prepare(m->runner, *slot, config, trial, error);
    if (status || trial->outcome) return status;
    m->holds[*slot] = *config;
    m->used[*slot] = ++m->clock;
    return HED_OK;
}

/* Times the reference on this device and updates the drift from it. */
static hed_status member_time_reference(fleet_member *m, hed_error *error)
{
    uint32_t slot, done;
    hed_trial *trial = &m->trials[0];
    if (member_hold(m, &m->fleet->reference, true, &slot, trial, error) || trial->outcome)
        return error->status;
    if (!m->warm && hed_race_warm_up(&m->race, slot, warm_seconds, trial, error))
        return error->status;
    m->warm = true;
    if (trial->outcome ||
        hed_race_take(&m->race, slot, REFERENCE_RUNS, m->values[0], &done, trial, error) ||
        trial->outcome)
        return error->status;
    if (done < REFERENCE_RUNS) {
        trial->outcome = HED_OUTCOME_DROPPED; /* stopped */
        return HED_OK;
    }
    double sorted[REFERENCE_RUNS];
    memcpy(sorted, m->values[0], sizeof sorted);
    const hed_probe probe = {.seconds = hed_summarize(sorted, REFERENCE_RUNS).p50};
    m->race.level = 1;
    hed_race_anchor(&m->race, slot, &probe);
    return HED_OK;
}

static hed_status member_round(fleet_member *m, hed_error *error)
{
    for (uint32_t i = 0; i < m->count && !m->fleet->stopping; i++) {
        uint32_t slot;
        const hed_config *config = &m->fleet->slots[m->slots[i]].candidate.config;
        if (member_hold(m, config, false, &slot, &m->trials[i], error)) return error->status;
        if (!m->trials[i].outcome &&
            m->runner->kind->time(m->runner, slot, m->runs[i], m->values[i], &m->trials[i], error))
            return error->status;
    }
    for (uint32_t i = 0; i < m->count && m->fleet->stopping; i++)
        m->trials[i].outcome = HED_OUTCOME_DROPPED;
    return HED_OK;
}

static hed_status member_obey(fleet_member *m, hed_error *error)
{
    if (m->order == TIME_REFERENCE) return member_time_reference(m, error);
    if (m->order != GIVE_OUTPUT) return member_round(m, error);
    uint32_t slot;
    const hed_config *config = &m->fleet->slots[m->slots[0]].candidate.config;
    if (member_hold(m, config, false, &slot, &m->trials[0], error) || m->trials[0].outcome)
        return error->status;
    return m->runner->kind->output(
        m->runner, slot, m->argument, m->pattern, m->data, &m->trials[0], error);
}

/* Checks and times a candidate; `build`: outcome of compiling it ahead. */
static hed_status member_try(
    fleet_member *m, fleet_candidate *candidate, const hed_trial *build, hed_error *error)
{
    uint32_t slot;
    hed_probe probe = {0};
    candidate->trial = *build;
    candidate->runs = 0;
    if (build->outcome) return HED_OK;
    if (m->race.anchored && ++m->since_check >= CHECK_EVERY) {
        hed_trial trial;
        m->since_check = 0;
        if (hed_race_check(&m->race, &trial, error)) return error->status;
    }
    if (member_hold(m, &candidate->config, false, &slot, &candidate->trial, error) ||
        candidate->trial.outcome)
        return error->status;
    candidate->trial.build_seconds = fmax(build->build_seconds, candidate->trial.build_seconds);
    pthread_mutex_lock(&m->fleet->lock);
    double drift = m->drift = m->ratio * m->race.level;
    m->race.best = m->fleet->best * m->ratio;
    m->race.best_high = m->fleet->best_high * m->ratio;
    pthread_mutex_unlock(&m->fleet->lock);
    if (hed_race_probe(&m->race, slot, &probe, error)) return error->status;
    /* the tuning itself derives DROPPED and IMPOSSIBLE from the same times */
    bool timed = probe.trial.outcome == HED_OUTCOME_MEASURED ||
                 probe.trial.outcome == HED_OUTCOME_DROPPED || probe.runs > 0;
    if (!timed) {
        candidate->trial.outcome = probe.trial.outcome;
        hed_text_copy(candidate->trial.text, sizeof candidate->trial.text, probe.trial.text);
    }
    candidate->has_probe = true;
    candidate->is_dropped = probe.trial.outcome == HED_OUTCOME_DROPPED;
    candidate->runs = probe.runs;
    for (uint32_t i = 0; i < probe.runs; i++) candidate->values[i] = probe.values[i] / drift;
    pthread_mutex_lock(&m->fleet->lock);
    double seconds = probe.seconds / drift;
    if (probe.trial.outcome == HED_OUTCOME_MEASURED && seconds < m->fleet->best) {
        m->fleet->best = seconds;
        m->fleet->best_high = probe.high / drift;
    }
    pthread_mutex_unlock(&m->fleet->lock);
    return HED_OK;
}

/* ---- choice of the next task (the caller holds the lock) ---- */

fleet_candidate *hed_fleet_first(fleet_state *fleet, int state, uint32_t member)
{
    fleet_candidate *first = NULL;
    for (uint32_t i = 0; i < fleet->capacity; i++) {
        fleet_candidate *c = &fleet->candidates[i];
        if ((int)c->state == state && (state != WITH_DEVICE || c->member == member) &&
            (!first || c->number < first->number))
            first = c;
    }
    return first;
}

/* Marks a device as lost and returns its pending candidates to the queue. */
static void member_lose(fleet_member *m, const hed_error *cause)
{
    fleet_state *fleet = m->fleet;
    const char *id = hed_device_describe(m->device).id;
    m->is_lost = true;
    m->losses++;
    m->cause = *cause;
    m->returns = (m->runner || m->restarts) && m->restarts < MOST_RESTARTS && !fleet->stopping &&
                 fleet->kind.can_restart(m->device);
    if (m->returns)
        hed_log_message(&fleet->logger, HED_LOG_WARNING,
            "%s is lost: %s; it is started again in %g s", id, cause->text,
            restart_seconds[m->restarts]);
    else
        hed_log_message(&fleet->logger, HED_LOG_WARNING, "%s is lost%s: %s", id,
            m->restarts ? " and stays out" : "", cause->text);
    hed_text_copy(m->doing, sizeof m->doing, m->returns ? "starting again" : "lost");
    fleet->runner.lost = !fleet_any(fleet, true);
    for (uint32_t i = 0; i < fleet->capacity; i++) {
        fleet_candidate *c = &fleet->candidates[i];
        bool mine = c->state == WITH_DEVICE && c->member == (uint32_t)(m - fleet->members);
        if (mine && ++c->loss_count >= MOST_LOST) {
            c->state = DONE;
            c->trial = fleet_trial();
            c->trial.outcome = HED_OUTCOME_CRASHED;
            hed_text_copy(
                c->trial.text, sizeof c->trial.text, "two devices were lost while they ran it");
        } else if (mine) {
            c->state = WAITING;
        }
    }
}

/* Maximum number of candidates assigned to the device: enough to keep its compilers busy, but no
 * more than an equal part of the queue. */
static uint32_t member_share(const fleet_member *m)
{
    uint32_t waiting = 0, alive = 0;
    for (uint32_t i = 0; i < m->fleet->capacity; i++)
        waiting += m->fleet->candidates[i].state == WAITING;
    for (uint32_t i = 0; i < m->fleet->count; i++) alive += !m->fleet->members[i].is_lost;
    uint32_t fair = 1 + waiting / (alive ? alive : 1);
    return fair < 1 + m->builders ? fair : 1 + m->builders;
}

static bool member_has_work(const fleet_member *m)
{
    fleet_state *fleet = m->fleet;
    return !fleet->stopping && (fleet->has_reference || fleet->open) &&
           (hed_fleet_first(fleet, WAITING, 0) ||
               hed_fleet_first(fleet, WITH_DEVICE, (uint32_t)(m - fleet->members)));
}

/* Takes as many waiting candidates as keep the compilers busy, and returns one that can be measured
 * now, as a copy, since the list may move. */
static bool member_next(fleet_member *m, fleet_candidate *next, hed_trial *build, hed_error *error)
{
    fleet_state *fleet = m->fleet;
    uint32_t index = (uint32_t)(m - fleet->members), mine = 0;
    fleet_candidate *c;
    *build = fleet_trial();
    for (uint32_t i = 0; i < fleet->capacity; i++)
        mine += fleet->candidates[i].state == WITH_DEVICE && fleet->candidates[i].member == index;
    while (mine < member_share(m) && (c = hed_fleet_first(fleet, WAITING, 0))) {
        c->state = WITH_DEVICE;
        c->member = index;
        mine++;
        if (!m->builders) break;
        hed_config config = c->config;
        pthread_mutex_unlock(&fleet->lock);
        hed_status status = m->runner->kind->build_ahead(m->runner, &config, error);
        pthread_mutex_lock(&fleet->lock);
        if (status) return false;
    }
    if (!mine) return false;
    if (!m->builders) {
        *next = *hed_fleet_first(fleet, WITH_DEVICE, index);
        return true;
    }
    hed_config config;
    pthread_mutex_unlock(&fleet->lock);
    bool built = m->runner->kind->built(m->runner, TICK, &config, build);
    pthread_mutex_lock(&fleet->lock);
    for (uint32_t i = 0; i < fleet->capacity && built; i++) {
        c = &fleet->candidates[i];
        if (c->state != WITH_DEVICE || c->member != index || !hed_config_equal(&c->config, &config))
            continue;
        *next = *c;
        return true;
    }
    return false;
}

/* Stores a candidate's result in the list that the tuning reads. */
static void member_done(fleet_member *m, const fleet_candidate *tried)
{
    fleet_state *fleet = m->fleet;
    for (uint32_t i = 0; i < fleet->capacity; i++) {
        fleet_candidate *c = &fleet->candidates[i];
        if (c->state != WITH_DEVICE || c->number != tried->number) continue;
        *c = *tried;
        c->state = DONE;
        c->number = fleet->next++;
    }
    m->done++;
    m->failed += tried->trial.outcome != HED_OUTCOME_MEASURED;
}

static void member_report(fleet_member *m, const char *doing)
{
    hed_text_copy(m->doing, sizeof m->doing, doing);
}

/* A remote machine has processors of its own. */
static hed_runner_def member_runner_def(const fleet_member *m)
{
    hed_runner_def def = m->fleet->member_def;
    def.device = m->device;
    if (hed_device_is_remote(m->device) && !m->fleet->def.builders) def.builders = 0;
    return def;
}

/* Opens the device's runner in the device's thread, since opening takes seconds per card. */
static void member_open(fleet_member *m)
{
    fleet_state *fleet = m->fleet;
    hed_error cause = {0};
    const hed_runner_def runner_def = member_runner_def(m);
    pthread_mutex_unlock(&fleet->lock);
    hed_status status = fleet->kind.open(&runner_def, &m->runner, &cause);
    pthread_mutex_lock(&fleet->lock);
    m->opened = true;
    if (status) member_lose(m, &cause);
    /* compilers would occupy the processors that the candidates of a CPU run on */
    bool quiet = hed_device_describe(m->device).type == HED_DEVICE_CPU;
    m->builders = status || quiet ? 0 : m->runner->builders;
    member_report(m, status ? "lost" : "waiting");
    pthread_cond_broadcast(&fleet->news);
}

/* Reopens the runner of a restarted device and measures its drift. */
static hed_status member_restart(fleet_member *m, hed_error *error)
{
    fleet_state *fleet = m->fleet;
    const hed_runner_def runner_def = member_runner_def(m);
    hed_runner_destroy(m->runner);
    m->runner = NULL;
    memset(m->used, 0, sizeof m->used);
    m->warm = m->race.anchored = false;
    if (fleet->kind.restart(&runner_def, error) ||
        fleet->kind.open(&runner_def, &m->runner, error) || !fleet->has_reference)
        return error->status;
    m->trials[0] = fleet_trial();
    if (member_time_reference(m, error)) return error->status;
    if (m->race.anchored) m->drift = m->ratio = m->race.anchor_base / fleet->base;
    return HED_OK;
}

/* Restarts a lost device after a delay. Returns false if it remains lost. */
static bool member_come_back(fleet_member *m)
{
    fleet_state *fleet = m->fleet;
    while (m->returns) {
        hed_error error = {0};
        double due = member_now(m) + restart_seconds[m->restarts++];
        while (!fleet->stopping && member_now(m) < due) hed_fleet_pause(fleet, &fleet->work, TICK);
        if (fleet->stopping) break;
        pthread_mutex_unlock(&fleet->lock);
        member_restart(m, &error);
        pthread_mutex_lock(&fleet->lock);
        while (fleet->ordering && fleet_any(fleet, false))
            hed_fleet_pause(fleet, &fleet->work, TICK);
        m->returns = false;
        if (hed_failed(&error)) {
            member_lose(m, &error);
            continue;
        }
        m->is_lost = false;
        m->order = NOTHING;
        hed_log_message(&fleet->logger, HED_LOG_WARNING, "%s was started again",
            hed_device_describe(m->device).id);
        member_report(m, "waiting");
    }
    m->returns = false;
    fleet->runner.lost = !fleet_any(fleet, true);
    pthread_cond_broadcast(&fleet->news);
    return !m->is_lost;
}

void *hed_fleet_member_run(void *user)
{
    fleet_member *m = user;
    fleet_state *fleet = m->fleet;
    pthread_mutex_lock(&fleet->lock);
    member_open(m);
    while (!fleet->closing && (!m->is_lost || member_come_back(m))) {
        hed_error error = {0};
        fleet_candidate candidate;
        hed_trial build;
        if (m->order) {
            member_report(m, m->order == TIME_ROUND ? "final rounds" : "timing");
            pthread_mutex_unlock(&fleet->lock);
            member_obey(m, &error);
            pthread_mutex_lock(&fleet->lock);
            m->order = NOTHING;
        } else if (!member_has_work(m)) {
            member_report(m, "waiting");
            pthread_cond_wait(&fleet->work, &fleet->lock);
        } else if (member_next(m, &candidate, &build, &error)) {
            member_report(m, "measuring");
            pthread_mutex_unlock(&fleet->lock);
            member_try(m, &candidate, &build, &error);
            pthread_mutex_lock(&fleet->lock);
            if (!hed_failed(&error)) member_done(m, &candidate);
        } else {
            member_report(m, "compiling");
        }
        if (hed_failed(&error) || m->runner->lost) member_lose(m, &error);
        pthread_cond_broadcast(&fleet->news);
        if (m->is_lost) pthread_cond_broadcast(&fleet->work);
    }
    m->order = NOTHING;
    pthread_cond_broadcast(&fleet->news);
    pthread_mutex_unlock(&fleet->lock);
    /* the thread that started worker processes must outlive them, so destroy the runner here */
    hed_runner_destroy(m->runner);
    return NULL;
}

void hed_fleet_member_make(
    fleet_state *fleet, uint32_t index, hed_device *device, double floor_seconds)
{
    fleet_member *m = &fleet->members[index];
    *m = (fleet_member){.fleet = fleet, .device = device, .ratio = 1, .drift = 1, .doing = "opening"};
    m->race = (hed_race){.def = {.user = m,
                             .time = member_time,
                             .now = member_now,
                             .stop = member_stopped,
                             .floor_seconds = floor_seconds},
        .level = 1,
        .best = INFINITY,
        .best_high = INFINITY};
}
