/* An instrument made ready to run: the store of one instance as it is at rest, and where everything
 * lies in it. program.c makes it from a hed_synth_instrument; every solver runs it; voices.c
 * addresses it. It knows no device. */
#ifndef SYNTH_PROGRAM_H
#define SYNTH_PROGRAM_H

#include "heddle/author.h"
#include "support/words.h"

#include "kernels/layout.h"
#include "model/model.h"

enum { SYNTH_LONGEST_DELAY = 1 }; /* s: the longest delay line */

/* A word to be changed between two samples. */
typedef struct synth_poke {
    uint32_t frame; /* of the block: before this sample */
    uint32_t word;  /* of the store */
    uint32_t value; /* bits */
} synth_poke;

/* Notes of these start a gate. In the modes with voices there is one gate for each different route,
 * too: a voice's note opens those that fit. */
typedef struct synth_gate {
    hed_synth_route route;
    uint32_t word; /* of GATE_COUNT */
    bool starts;   /* something: else it is of inputs and LFOs that notes do not start */
} synth_gate;

/* A word that follows MIDI: a MIDI source's value, an oscillator's frequency, an LFO's synced
 * frequency. */
typedef enum synth_follow { SYNTH_FOLLOW_MIDI, SYNTH_FOLLOW_NOTE, SYNTH_FOLLOW_TEMPO } synth_follow;
typedef struct synth_target {
    synth_follow follow;
    hed_synth_midi_kind kind; /* FOLLOW_MIDI */
    uint32_t number;
    hed_synth_route route;
    float centre; /* MIDI_NOTE */
    /* FOLLOW_NOTE: times the note's frequency; FOLLOW_TEMPO: quarter notes a period */
    float factor;
    uint32_t word;
} synth_target;

typedef struct synth_program {
    hed_arena arena; /* it and all its arrays */
    synth_layout layout;
    double step; /* s */
    uint32_t instances;
    bool remote;     /* bodies and springs are elsewhere: a grid's */
    uint32_t *image; /* (layout.words) at rest, half 0 and half 1 */
    /* (type[t].count) which entity each element is; contacts: the exciter, ears: the microphone. */
    hed_synth_entity *entities[SYNTH_TYPES];
    /* (type[t].count), contacts: body element; NULL for other types */
    uint32_t *contact_body[SYNTH_TYPES];
    /* (entity_count + 1) SYNTH_SEAT of each entity, SYNTH_EMPTY: none. Contacts of an exciter
     * follow each other: this is the first. */
    uint32_t *seats;
    uint32_t entity_count;
    synth_gate *gates; /* (layout.gates) */
    synth_target *targets;
    uint32_t target_count;
    hed_synth_entity *stems; /* (layout.stems) the heard microphones */
    hed_pack_layout packing;
} synth_program;

/* Costs of a row of each type, for packing; by SYNTH_ type. */
extern const float synth_costs[SYNTH_TYPES];

/* How to lay it out. */
typedef struct synth_program_def {
    const hed_synth_instrument *instrument;
    double rate;
    uint64_t seed;
    uint32_t warps, lanes;
    hed_pack_method pack;
    uint32_t inputs; /* channels that there are */
    /* Solver grid: only entities that are no bodies or springs, and the bodies that they are
     * linked to, without rows (in the order of `entities[SYNTH_BODY]`). */
    bool remote;
    bool
        vectors; /* cpu solver: bodies stand where vectors take many at a time, those with modulation among
                     them */
} synth_program_def;

/* Errors: ARGUMENT (unstable: names the body), LIMIT (over 2^24 of a type, or 2^30 words),
 * MEMORY. */
hed_status synth_program_create(const hed_allocator *allocator, const synth_program_def *def,
    synth_program **program, hed_error *error);
void synth_program_destroy(synth_program *program);

/* Range of parameter `target` of `entity`, in the definition's unit; without an end where there is no
 * such entity or parameter. Thread class: rt. */
synth_range synth_program_range(
    const synth_program *program, hed_synth_entity entity, hed_synth_target target);

/* The words that parameter `target` of `entity` is stored in, and their values for `value` in the
 * definition's unit, within synth_program_range(). At most `capacity` are written (a spring has 1 to 3, an exciter as many as
 * contacts); gives how many there are. 0: there is no such entity or parameter, or it can not be
 * set: the mass of an anchored body, the place of a free one or of one with modulation, a spring's
 * damping where no spring has any, a body or spring of a grid. Thread class: rt. */
uint32_t synth_program_set(const synth_program *program, hed_synth_entity entity,
    hed_synth_target target, float value, synth_poke *pokes, uint32_t capacity);

/* Carries state, signals, gates and delay memory of one instance over from a store that ran `from`:
 * entities that are in both go on. What a gate of this store has started or will start is not
 * started again. Allocates nothing. Thread class: rt. */
void synth_program_carry(const synth_program *from, const uint32_t *old_store,
    const float *old_delay, const synth_program *to, uint32_t *store, float *delay);

static inline uint32_t synth_parameter_word(
    const synth_layout *l, uint32_t type, uint32_t field, uint32_t entity)
{
    return l->type[type].parameter + field * l->type[type].count + entity;
}
static inline uint32_t synth_state_word(
    const synth_layout *l, uint32_t type, uint32_t field, uint32_t entity)
{
    return l->type[type].state + field * l->type[type].count + entity;
}
static inline uint32_t synth_signal(
    const synth_layout *l, uint32_t type, uint32_t field, uint32_t entity)
{
    return l->type[type].signal +
           field * (type == SYNTH_SPRING ? l->type[type].modulated : l->type[type].count) + entity;
}

#endif
