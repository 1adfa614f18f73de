/* What the two rooms of a fleet share: a device's thread (fleet_member.c) and the tuning's (fleet.c). All
 * of it is under the fleet's lock, but for a member's runner, race and slots, which its thread alone
 * uses, and what an order is about, which is its thread's while it is ordered. */
#ifndef HED_TUNE_FLEET_PARTS_H
#define HED_TUNE_FLEET_PARTS_H

#include <math.h>
#include <pthread.h>

#include "tune/fleet.h"
#include "tune/race.h"

enum {
    REFERENCE_RUNS = 9, /* that a device's pace is made of */
    ROUND_RUNS = 8,     /* of one entrant in one round, at most */
};
#define TICK 0.1 /* seconds between two calls of idle() */

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
    bool returns;  /* lost, and to be started again */
    hed_error why; /* lost */
    uint32_t losses, restarts;

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
    uint32_t argument, pattern;
    void *data;
    /* of all final rounds, by the tuning's slot, as measured */
    double rounds[HED_RUNNER_SLOTS][HED_FINAL_ROUNDS];
    uint32_t round_count[HED_RUNNER_SLOTS];
} fleet_member;

struct fleet {
    hed_runner runner;
    hed_runner_def def, member_def;
    hed_fleet_kind kind;
    hed_allocator allocator;
    hed_logger logger;
    pthread_mutex_t lock; /* for all below, and what members show */
    pthread_cond_t work, news;
    bool closing;
    bool ordering; /* devices carry an order out; one that comes back waits until they have */
    _Atomic bool stopping; /* the tuning wants to wait no longer */
    uint32_t count;
    fleet_member *members;       /* (count) */
    fleet_candidate *candidates; /* (capacity) */
    uint32_t capacity;
    uint64_t next;
    bool has_reference;
    bool open; /* candidates are measured even without one */
    hed_config reference;
    double base;            /* its seconds on the first device at the start */
    double best, best_high; /* at the first device's pace */
    fleet_slot slots[HED_RUNNER_SLOTS];
};

static inline hed_trial fleet_trial(void)
{
    return (hed_trial){.error = (double)NAN, .resources = {-1, -1, -1, -1, -1, -1, false, 0}};
}

/* Whether a device is there, or with `returning` may come back. */
static inline bool fleet_any(const fleet *all, bool returning)
{
    bool any = false;
    for (uint32_t i = 0; i < all->count; i++)
        any = any || !all->members[i].lost || (returning && all->members[i].returns);
    return any;
}

/* ---- fleet_member.c ---- */

/* A member that is not open yet. */
void hed_fleet_member_make(fleet *all, uint32_t index, hed_device *device, double floor_seconds);
/* The thread of a member. */
void *hed_fleet_member_run(void *member);
/* The oldest candidate in a state (WITH_DEVICE: of this member); NULL: none. */
fleet_candidate *hed_fleet_first(fleet *all, int state, uint32_t member);
/* Waits for `change`, below a second. */
void hed_fleet_pause(fleet *all, pthread_cond_t *change, double seconds);

#endif
