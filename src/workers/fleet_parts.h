/* Structures shared by a device's thread (fleet_member.c) and the tuning's thread (fleet.c). The
 * fleet's lock protects all of them, with two exceptions: a member's runner, race and slots belong
 * to its thread alone, and the arguments of an order belong to it while the order runs. */
#ifndef HED_WORKERS_FLEET_PARTS_H
#define HED_WORKERS_FLEET_PARTS_H

#include <math.h>
#include <pthread.h>

#include "workers/fleet.h"

enum {
    REFERENCE_RUNS = 9, /* runs of the reference that a device's drift is computed from */
    ROUND_RUNS = 8,     /* maximum runs of one entrant in one round */
};
#define TICK 0.1 /* s between two calls of idle() */

/* A candidate between build_ahead() and prepare(). */
typedef struct fleet_candidate {
    enum { FREE, WAITING, WITH_DEVICE, DONE, HANDED } state;
    uint64_t number; /* request number; after measurement, completion number */
    hed_config config;
    hed_trial trial;
    uint32_t member, loss_count; /* device that measures it; devices lost while measuring it */
    /* `runs` is a whole probe; its end was that the candidate is clearly slower than the best */
    bool has_probe, is_dropped;
    uint32_t runs;
    double values[HED_PROBE_RUNS]; /* s, scaled to the first device's drift */
} fleet_candidate;

/* A candidate that the tuning has prepared in a slot. */
typedef struct fleet_slot {
    fleet_candidate candidate;
    uint32_t values_read; /* number of its values already returned */
    uint32_t round_runs, round_taken;
    double round[ROUND_RUNS]; /* times in the announced round, s */
    hed_trial round_trial;
} fleet_slot;

typedef enum fleet_order { NOTHING, TIME_REFERENCE, TIME_ROUND, TIME_ONE, GIVE_OUTPUT } fleet_order;

typedef struct fleet_state fleet_state;

typedef struct fleet_member {
    fleet_state *fleet;
    hed_device *device;
    hed_runner *runner; /* accessed by the member's thread alone */
    pthread_t thread;
    bool threaded, opened, is_lost;
    bool returns;    /* lost, and about to be restarted */
    hed_error cause; /* cause of the loss */
    uint32_t losses, restarts;

    /* prepared candidates; count 0 and `used` 0: the slot is empty */
    hed_config holds[HED_RUNNER_SLOTS];
    uint64_t used[HED_RUNNER_SLOTS]; /* `clock` at the last use of each slot; 0: empty */
    uint64_t clock;
    /* accessed by the member's thread; its anchor is the reference, its `level` the drift */
    hed_race race;
    bool warm;
    double ratio; /* reference's time on this device / on the first device, at the start */
    double drift; /* the same ratio at present */
    uint32_t builders;
    uint32_t done, failed, since_check;
    char doing[48];

    fleet_order order;
    /* arguments and results of an order: candidates, runs, times */
    uint32_t count, slots[HED_RUNNER_SLOTS], runs[HED_RUNNER_SLOTS];
    double values[HED_RUNNER_SLOTS][HED_PROBE_RUNS];
    hed_trial trials[HED_RUNNER_SLOTS];
    uint32_t argument, pattern;
    void *data;
    /* times of all final rounds, s, by the tuning's slot, not scaled */
    double rounds[HED_RUNNER_SLOTS][HED_FINAL_ROUNDS];
    uint32_t round_count[HED_RUNNER_SLOTS];
} fleet_member;

struct fleet_state {
    hed_runner runner;
    hed_runner_def def, member_def;
    hed_fleet_kind kind;
    hed_allocator allocator;
    hed_logger logger;
    pthread_mutex_t lock; /* protects the fields below and the shared fields of members */
    pthread_cond_t work, news;
    bool closing;
    bool ordering; /* devices carry an order out; a restarted device waits until they finish */
    _Atomic bool stopping; /* the tuning has requested a stop */
    uint32_t count;
    fleet_member *members;       /* (count) */
    fleet_candidate *candidates; /* (capacity) */
    uint32_t capacity;
    uint64_t next;
    bool has_reference;
    bool open; /* candidates are measured even without a reference */
    hed_config reference;
    double base; /* reference's time on the first device at the start, s */
    /* best time and upper end of its interval, s, at the first device's drift */
    double best, best_high;
    fleet_slot slots[HED_RUNNER_SLOTS];
};

static inline hed_trial fleet_trial(void)
{
    return (hed_trial){.error = (double)NAN, .resources = {-1, -1, -1, -1, -1, -1, false, 0}};
}

/* True if a device is available, or, with `returning`, is about to restart. */
static inline bool fleet_any(const fleet_state *fleet, bool returning)
{
    bool available = false;
    for (uint32_t i = 0; i < fleet->count; i++)
        available =
            available || !fleet->members[i].is_lost || (returning && fleet->members[i].returns);
    return available;
}

/* ---- fleet_member.c ---- */

/* Initialises a member that is not open yet. */
void hed_fleet_member_make(
    fleet_state *fleet, uint32_t index, hed_device *device, double floor_seconds);
/* Thread function of a member. */
void *hed_fleet_member_run(void *member);
/* Oldest candidate in a state (WITH_DEVICE: assigned to this member); NULL if there is no such
 * candidate. */
fleet_candidate *hed_fleet_first(fleet_state *fleet, int state, uint32_t member);
/* Waits for `change`, `seconds` below 1. */
void hed_fleet_pause(fleet_state *fleet, pthread_cond_t *change, double seconds);

#endif
