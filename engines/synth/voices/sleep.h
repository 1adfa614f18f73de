/* Rest as part of the model: islands of bodies fall asleep, as in engines of rigid bodies (E.
 * Catto, Box2D).
 *
 * An island is a set of free bodies joined by springs. Every eightieth of a second has a check, at
 * a sample that depends on its number alone, so that no pitch hides between checks. Where at
 * SYNTH_QUIET checks in a row, which is 0.1 s at the least, no body of an island moves as fast as
 * what is heard at -140 dB of full scale, and no exciter acts on it, it falls asleep: its bodies
 * stay where they are, as anchors do, of weight 0 and speed 0. A note of its exciters wakes it,
 * before the same sample; a parameter that is set wakes all, and so does "all sound off".
 *
 * An island that something else drives never sleeps: modulation of a body, of a spring, of an
 * anchor that it hangs at; sound that comes in. Falling asleep and waking are pokes, the same for
 * every solver. */
#ifndef SYNTH_SLEEP_H
#define SYNTH_SLEEP_H

#include "program/program.h"

enum {
    SYNTH_QUIET = 10, /* checks */
    SYNTH_CHECKS_A_SECOND = 80,
    SYNTH_SLEEP_POKES = 5,        /* for a body: it may fall asleep and wake in one run */
    SYNTH_MOST_SLEEPERS = 1 << 16 /* bodies of all instances; a larger instrument stays awake */
};

typedef struct synth_sleep {
    hed_allocator allocator;
    const synth_program *program;
    uint32_t instances, islands;
    uint32_t body_count, contact_count, gate_count; /* of the lists below */
    uint32_t *body_begin, *bodies;                  /* (islands + 1), (body_count) elements */
    /* (islands + 1), (contact_count) seats of what acts on them */
    uint32_t *contact_begin, *contacts;
    /* (layout.gates + 1), (gate_count) islands that a gate wakes */
    uint32_t *gate_begin, *gates;
    /* (islands x 3) h v along x, y, z: slower is not heard */
    float *slow;
    /* (instances x islands) checks so far; SYNTH_QUIET: asleep */
    uint8_t *quiet;
    /* (instances x body_count) of those asleep, when awake */
    uint32_t *weights;
    /* samples from check to check, about; number of the next check */
    uint64_t spacing, slot;
} synth_sleep;

/* `gain`: of the master, linear. Errors: MEMORY. */
hed_status synth_sleep_create(const hed_allocator *allocator, const synth_program *program,
    double gain, synth_sleep **sleep, hed_error *error);
void synth_sleep_destroy(synth_sleep *sleep);
/* The synth begins anew at sample 0. */
void synth_sleep_reset(synth_sleep *sleep);
/* An instance's store, or all of them, were written as they are at rest: all is awake. */
void synth_sleep_forget(synth_sleep *sleep, uint32_t instance);
void synth_sleep_forget_all(synth_sleep *sleep);

/* The sample, from `sample` on, before which the next check is. */
uint64_t synth_sleep_next(const synth_sleep *sleep, uint64_t sample);
/* Whether an island is as good as still, by a store before `sample`. */
bool synth_sleep_is_quiet(
    const synth_sleep *sleep, uint32_t island, const uint32_t *store, uint64_t sample);
uint32_t synth_sleep_asleep(const synth_sleep *sleep); /* islands of all instances */

#endif
