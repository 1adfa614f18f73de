/* Several devices of one kind as one runner: see fleet.h.
 *
 * Pace. Cards of one kind differ by some percent, and each drifts by itself. The first candidate
 * that works, the description's default as a rule, is the reference: every device times it at the
 * start and again after CHECK_EVERY candidates. A device's pace is its time over the first device's
 * at the start; what it measures is divided by that, and so comparable with all else.
 *
 * Final rounds. Every device times all entrants of a round in the same order; the time that counts
 * is the median over the devices. */
#include "tune/fleet.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/log.h"
#include "base/text.h"
#include "core/objects.h"
#include "heddle/stats.h"
#include "tune/race.h"

enum {
    REFERENCE = 0,      /* a device's slot that holds the reference; the others are by turns */
    REFERENCE_RUNS = 9, /* that a device's pace is made of */
    CHECK_EVERY = 8,    /* candidates between two looks at the reference */
    MOST_LOST = 2,      /* devices that may be lost over one candidate */
    ROUND_RUNS = 8,     /* of one entrant in one round, at most */
    FIRST_CANDIDATES = 64,
};
#define TICK 0.1 /* seconds between two calls of idle() */
static const double warm_seconds = 1;

/* ---- candidates, slots, devices ---- */

/* A candidate on its way, from build_ahead() to prepare(). */
typedef struct fleet_candidate {
    enum { FREE, WAITING, WITH_DEVICE, DONE, HANDED } state;
    uint64_t number; /* in the order of asking, then of being done */
    hed_config config;
    hed_trial trial;
    uint32_t member, lost; /* by which device; how many were lost over it */
    uint32_t runs;
    double values[HED_PROBE_RUNS]; /* at the first device's pace */
} fleet_candidate;

/* What the tuning has put into one of its slots. */
typedef struct fleet_slot {
    fleet_candidate candidate;
    uint32_t taken; /* of its values */
    uint32_t round_runs, round_taken;
    double round[ROUND_RUNS]; /* of the round that was announced */
    hed_trial round_trial;
} fleet_slot;

typedef enum fleet_order { NOTHING, TIME_REFERENCE, TIME_ROUND, TIME_ONE, GIVE_OUTPUT } fleet_order;

typedef struct fleet fleet;

typedef struct fleet_member {
    fleet *all;
    hed_device *device;
    hed_runner *runner; /* used by its thread alone */
    pthread_t thread;
    bool threaded, opened, lost;
    hed_error why; /* lost */

    hed_config holds[HED_RUNNER_SLOTS]; /* count 0 and no `used`: nothing */
    uint64_t used[HED_RUNNER_SLOTS];    /* when it was last; 0: empty */
    uint64_t clock;
    hed_race race; /* of its thread; its anchor is the reference, `level` its drift */
    bool warm;
    double ratio; /* reference here over that of the first device, at the start */
    double pace;  /* and now */
    uint32_t builders;
    uint32_t done, failed, since_check;
    char doing[48];

    fleet_order order;
    /* of an order: candidates, runs, and what came out */
    uint32_t count, slots[HED_RUNNER_SLOTS], runs[HED_RUNNER_SLOTS];
    double values[HED_RUNNER_SLOTS][HED_PROBE_RUNS];
    hed_trial trials[HED_RUNNER_SLOTS];
    uint32_t argument;
    void *data;
    /* of all final rounds, by the tuning's slot, as measured */
    double rounds[HED_RUNNER_SLOTS][HED_FINAL_ROUNDS];
    uint32_t round_count[HED_RUNNER_SLOTS];
} fleet_member;

struct fleet {
    hed_runner runner;
    hed_runner_def def, member_def;
    hed_status (*open_one)(const hed_runner_def *def, hed_runner **runner, hed_error *error);
    hed_allocator allocator;
    hed_logger logger;
    pthread_mutex_t lock; /* for all below, and what members show */
    pthread_cond_t work, news;
    bool closing;
    _Atomic bool stopping; /* the tuning wants to wait no longer */
    uint32_t count;
    fleet_member *members;       /* (count) */
    fleet_candidate *candidates; /* (capacity) */
    uint32_t capacity;
    uint64_t next;
    bool has_reference;
    bool open; /* candidates are measured even without one */
    hed_config reference;
    double best, best_high; /* at the first device's pace */
    fleet_slot slots[HED_RUNNER_SLOTS];
};

static fleet *fleet_of(hed_runner *runner) { return (fleet *)runner; }

static hed_trial fleet_trial(void)
{
    return (hed_trial){.error = (double)NAN, .resources = {-1, -1, -1, -1, -1, -1, false, 0}};
}

/* ---- a device's thread: what it does with its runner ---- */

static hed_status member_time(
    void *user, uint32_t slot, uint32_t runs, double *values, hed_trial *trial, hed_error *error)
{
    fleet_member *m = user;
    return m->runner->kind->time(m->runner, slot, runs, values, trial, error);
}

static double member_now(void *user)
{
    (void)user;
    return (double)hed_now() * 1e-9;
}

static bool member_stopped(void *user) { return ((fleet_member *)user)->all->stopping; }
static bool fleet_stopped(void *user) { return ((fleet *)user)->stopping; }

/* The slot that holds a configuration, which is prepared in place of the one unused for longest
 * where none does. */
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

/* The reference's time here, and with it this device's pace as far as it can tell by itself. */
static hed_status member_time_reference(fleet_member *m, hed_error *error)
{
    uint32_t slot, done;
    hed_trial *trial = &m->trials[0];
    if (member_hold(m, &m->all->reference, true, &slot, trial, error) || trial->outcome)
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
    for (uint32_t i = 0; i < m->count && !m->all->stopping; i++) {
        uint32_t slot;
        const hed_config *config = &m->all->slots[m->slots[i]].candidate.config;
        if (member_hold(m, config, false, &slot, &m->trials[i], error)) return error->status;
        if (!m->trials[i].outcome &&
            m->runner->kind->time(m->runner, slot, m->runs[i], m->values[i], &m->trials[i], error))
            return error->status;
    }
    for (uint32_t i = 0; i < m->count && m->all->stopping; i++)
        m->trials[i].outcome = HED_OUTCOME_DROPPED;
    return HED_OK;
}

static hed_status member_obey(fleet_member *m, hed_error *error)
{
    if (m->order == TIME_REFERENCE) return member_time_reference(m, error);
    if (m->order != GIVE_OUTPUT) return member_round(m, error);
    uint32_t slot;
    const hed_config *config = &m->all->slots[m->slots[0]].candidate.config;
    if (member_hold(m, config, false, &slot, &m->trials[0], error) || m->trials[0].outcome)
        return error->status;
    return m->runner->kind->output(m->runner, slot, m->argument, m->data, &m->trials[0], error);
}

/* Checks and times a candidate; `known`: the outcome of compiling it ahead. */
static hed_status member_try(
    fleet_member *m, fleet_candidate *candidate, const hed_trial *known, hed_error *error)
{
    uint32_t slot;
    hed_probe probe = {0};
    candidate->trial = *known;
    candidate->runs = 0;
    if (known->outcome) return HED_OK;
    if (m->race.anchored && ++m->since_check >= CHECK_EVERY) {
        hed_trial trial;
        m->since_check = 0;
        if (hed_race_check(&m->race, &trial, error)) return error->status;
    }
    if (member_hold(m, &candidate->config, false, &slot, &candidate->trial, error) ||
        candidate->trial.outcome)
        return error->status;
    candidate->trial.build_seconds = fmax(known->build_seconds, candidate->trial.build_seconds);
    pthread_mutex_lock(&m->all->lock);
    double pace = m->pace = m->ratio * m->race.level;
    m->race.best = m->all->best * m->ratio;
    m->race.best_high = m->all->best_high * m->ratio;
    pthread_mutex_unlock(&m->all->lock);
    if (hed_race_probe(&m->race, slot, &probe, error)) return error->status;
    /* whether it is to be abandoned, or impossible, the tuning finds again from the same times */
    bool timed = probe.trial.outcome == HED_OUTCOME_MEASURED ||
                 probe.trial.outcome == HED_OUTCOME_DROPPED || probe.runs > 0;
    if (!timed) {
        candidate->trial.outcome = probe.trial.outcome;
        hed_text_copy(candidate->trial.text, sizeof candidate->trial.text, probe.trial.text);
    }
    candidate->runs = probe.runs;
    for (uint32_t i = 0; i < probe.runs; i++) candidate->values[i] = probe.values[i] / pace;
    pthread_mutex_lock(&m->all->lock);
    double seconds = probe.seconds / pace;
    if (probe.trial.outcome == HED_OUTCOME_MEASURED && seconds < m->all->best) {
        m->all->best = seconds;
        m->all->best_high = probe.high / pace;
    }
    pthread_mutex_unlock(&m->all->lock);
    return HED_OK;
}

/* ---- a device's thread: what is next (the lock is held) ---- */

static fleet_candidate *fleet_first(fleet *all, int state, uint32_t member)
{
    fleet_candidate *first = NULL;
    for (uint32_t i = 0; i < all->capacity; i++) {
        fleet_candidate *c = &all->candidates[i];
        if ((int)c->state == state && (state != WITH_DEVICE || c->member == member) &&
            (!first || c->number < first->number))
            first = c;
    }
    return first;
}

/* A device that is no more. What it had on its way goes to another. */
static void member_lose(fleet_member *m, const hed_error *why)
{
    fleet *all = m->all;
    bool any = false;
    m->lost = true;
    m->why = *why;
    hed_text_copy(m->doing, sizeof m->doing, "lost");
    hed_log_message(&all->logger, HED_LOG_WARNING, "%s is lost: %s",
        hed_device_describe(m->device)->id, why->text);
    for (uint32_t i = 0; i < all->count; i++) any = any || !all->members[i].lost;
    all->runner.lost = !any;
    for (uint32_t i = 0; i < all->capacity; i++) {
        fleet_candidate *c = &all->candidates[i];
        bool mine = c->state == WITH_DEVICE && c->member == (uint32_t)(m - all->members);
        if (mine && ++c->lost >= MOST_LOST) {
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

/* How many candidates it may hold: enough to keep its compilers busy, and leaving some for the
 * others. */
static uint32_t member_share(const fleet_member *m)
{
    uint32_t waiting = 0, alive = 0;
    for (uint32_t i = 0; i < m->all->capacity; i++)
        waiting += m->all->candidates[i].state == WAITING;
    for (uint32_t i = 0; i < m->all->count; i++) alive += !m->all->members[i].lost;
    uint32_t fair = 1 + waiting / (alive ? alive : 1);
    return fair < 1 + m->builders ? fair : 1 + m->builders;
}

static bool member_has_work(const fleet_member *m)
{
    fleet *all = m->all;
    return !all->stopping && (all->has_reference || all->open) &&
           (fleet_first(all, WAITING, 0) ||
               fleet_first(all, WITH_DEVICE, (uint32_t)(m - all->members)));
}

/* Takes candidates that wait, as many as keep the compilers busy, and gives one that can be
 * measured now: a copy, since the list may move. */
static bool member_next(fleet_member *m, fleet_candidate *next, hed_trial *known, hed_error *error)
{
    fleet *all = m->all;
    uint32_t index = (uint32_t)(m - all->members), mine = 0;
    fleet_candidate *c;
    *known = fleet_trial();
    for (uint32_t i = 0; i < all->capacity; i++)
        mine += all->candidates[i].state == WITH_DEVICE && all->candidates[i].member == index;
    while (mine < member_share(m) && (c = fleet_first(all, WAITING, 0))) {
        c->state = WITH_DEVICE;
        c->member = index;
        mine++;
        if (!m->builders) break;
        hed_config config = c->config;
        pthread_mutex_unlock(&all->lock);
        hed_status status = m->runner->kind->build_ahead(m->runner, &config, error);
        pthread_mutex_lock(&all->lock);
        if (status) return false;
    }
    if (!mine) return false;
    if (!m->builders) {
        *next = *fleet_first(all, WITH_DEVICE, index);
        return true;
    }
    hed_config config;
    pthread_mutex_unlock(&all->lock);
    bool built = m->runner->kind->built(m->runner, TICK, &config, known);
    pthread_mutex_lock(&all->lock);
    for (uint32_t i = 0; i < all->capacity && built; i++) {
        c = &all->candidates[i];
        if (c->state != WITH_DEVICE || c->member != index || !hed_config_equal(&c->config, &config))
            continue;
        *next = *c;
        return true;
    }
    return false;
}

/* Puts a candidate's result where the tuning finds it. */
static void member_done(fleet_member *m, const fleet_candidate *tried)
{
    fleet *all = m->all;
    for (uint32_t i = 0; i < all->capacity; i++) {
        fleet_candidate *c = &all->candidates[i];
        if (c->state != WITH_DEVICE || c->number != tried->number) continue;
        *c = *tried;
        c->state = DONE;
        c->number = all->next++;
    }
    m->done++;
    m->failed += tried->trial.outcome != HED_OUTCOME_MEASURED;
}

static void member_say(fleet_member *m, const char *doing)
{
    hed_text_copy(m->doing, sizeof m->doing, doing);
}

/* Opens the device's runner: several cards are opened at once, which takes each seconds. */
static void member_open(fleet_member *m)
{
    fleet *all = m->all;
    hed_error why = {0};
    hed_runner_def own = all->member_def;
    own.device = m->device;
    pthread_mutex_unlock(&all->lock);
    hed_status status = all->open_one(&own, &m->runner, &why);
    pthread_mutex_lock(&all->lock);
    m->opened = true;
    if (status) member_lose(m, &why);
    /* compilers take the processors that a processor's candidates run on */
    bool quiet = hed_device_describe(m->device)->type == HED_DEVICE_CPU;
    m->builders = status || quiet ? 0 : m->runner->builders;
    member_say(m, status ? "lost" : "waiting");
    pthread_cond_broadcast(&all->news);
}

static void *member_run(void *user)
{
    fleet_member *m = user;
    fleet *all = m->all;
    pthread_mutex_lock(&all->lock);
    member_open(m);
    while (!all->closing && !m->lost) {
        hed_error error = {0};
        fleet_candidate candidate;
        hed_trial known;
        if (m->order) {
            member_say(m, m->order == TIME_ROUND ? "final rounds" : "timing");
            pthread_mutex_unlock(&all->lock);
            member_obey(m, &error);
            pthread_mutex_lock(&all->lock);
            m->order = NOTHING;
        } else if (!member_has_work(m)) {
            member_say(m, "waiting");
            pthread_cond_wait(&all->work, &all->lock);
        } else if (member_next(m, &candidate, &known, &error)) {
            member_say(m, "measuring");
            pthread_mutex_unlock(&all->lock);
            member_try(m, &candidate, &known, &error);
            pthread_mutex_lock(&all->lock);
            if (!hed_failed(&error)) member_done(m, &candidate);
        } else {
            member_say(m, "compiling");
        }
        if (hed_failed(&error) || m->runner->lost) member_lose(m, &error);
        pthread_cond_broadcast(&all->news);
        if (m->lost) pthread_cond_broadcast(&all->work);
    }
    m->order = NOTHING;
    pthread_cond_broadcast(&all->news);
    pthread_mutex_unlock(&all->lock);
    /* here, since its worker processes end with the thread that has started them */
    hed_runner_destroy(m->runner);
    return NULL;
}

/* ---- the tuning's thread ---- */

/* Waits for news, for a tenth of a second at most; looks whether the tuning is to be stopped. */
static void fleet_wait(fleet *all, double seconds)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += (long)(fmin(seconds, TICK) * 1e9);
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&all->news, &all->lock, &until);
    pthread_mutex_unlock(&all->lock);
    if (all->def.idle && all->def.idle(all->def.user)) all->stopping = true;
    pthread_mutex_lock(&all->lock);
}

/* Has devices do what `order` says and waits for them. `only`: a device; `count`: all that are not
 * lost. */
static hed_status fleet_command(fleet *all, fleet_order order, uint32_t only, hed_error *error)
{
    bool busy = true;
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
    if (!all->runner.lost) return HED_OK;
    return hed_fail(error, HED_ERROR_LOST, "all %u devices are lost; %s: %s", all->count,
        hed_device_describe(all->members[0].device)->id, all->members[0].why.text);
}

/* A device that has not been lost: `wanted`, else the first. */
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

/* Has all devices time a candidate that nothing is known of yet: the first one of these that works
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

/* One device alone: what was prepared before the reference was known, or comes from an earlier
 * tuning. */
static hed_status fleet_measure_one(fleet *all, uint32_t slot, hed_error *error)
{
    uint32_t home = fleet_alive(all, 0);
    fleet_member *m = &all->members[home];
    fleet_candidate *candidate = &all->slots[slot].candidate;
    candidate->member = home;
    m->count = 1;
    m->slots[0] = slot;
    m->runs[0] = 1;
    if (fleet_command(all, TIME_ONE, home, error)) return error->status;
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

/* The median over the devices, run by run; what has failed on one of them has failed. */
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

static hed_status fleet_output(hed_runner *runner, uint32_t slot, uint32_t argument, void *data,
    hed_trial *trial, hed_error *error)
{
    fleet *all = fleet_of(runner);
    pthread_mutex_lock(&all->lock);
    uint32_t home = fleet_alive(all, all->slots[slot].candidate.member);
    fleet_member *m = &all->members[home];
    m->slots[0] = slot;
    m->argument = argument;
    m->data = data;
    hed_status status = fleet_command(all, GIVE_OUTPUT, home, error);
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
    fleet_candidate *free = fleet_first(all, FREE, 0);
    if (!free && !fleet_grow(all, error)) free = fleet_first(all, FREE, 0);
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
    fleet_candidate *done = fleet_first(all, DONE, 0);
    if (!done && seconds > 0) {
        fleet_wait(all, seconds);
        done = fleet_first(all, DONE, 0);
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

/* Starts a thread for each device and waits until all are open, or lost. Threads take no signal:
 * they are the program's. */
static hed_status fleet_start(fleet *all, hed_error *error)
{
    sigset_t signals, before;
    int code = 0;
    uint32_t open = 0;
    sigfillset(&signals);
    pthread_sigmask(SIG_BLOCK, &signals, &before);
    for (uint32_t i = 0; i < all->count && !code; i++) {
        fleet_member *m = &all->members[i];
        code = pthread_create(&m->thread, NULL, member_run, m);
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
    hed_status (*open)(const hed_runner_def *def, hed_runner **runner, hed_error *error),
    hed_runner **runner, hed_error *error)
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
        .open_one = open,
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
    for (uint32_t i = 0; i < count; i++) {
        fleet_member *m = &members[i];
        *m = (fleet_member){
            .all = all, .device = devices[i], .ratio = 1, .pace = 1, .doing = "opening"};
        m->race = (hed_race){.def = {.user = m,
                                 .time = member_time,
                                 .now = member_now,
                                 .stop = member_stopped,
                                 .floor_seconds = def->floor_seconds},
            .level = 1,
            .best = INFINITY,
            .best_high = INFINITY};
    }
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
        double sorted[HED_FINAL_ROUNDS];
        uint32_t rounds = slot < HED_RUNNER_SLOTS ? m->round_count[slot] : 0;
        memcpy(sorted, m->rounds[slot < HED_RUNNER_SLOTS ? slot : 0], rounds * sizeof *sorted);
        if (rounds) on->seconds = fleet_median(sorted, rounds);
    }
    pthread_mutex_unlock(&all->lock);
    return all->count;
}
