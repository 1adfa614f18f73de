/* A program: an instrument made ready to run. It is the store of one instance at rest and the
 * layout of the store. program.c makes it from a hed_synth_instrument, every solver runs it, and
 * voices.c addresses its words. It depends on no device. */
#ifndef SYNTH_PROGRAM_H
#define SYNTH_PROGRAM_H

#include "heddle/author.h"
#include "support/words.h"

#include "kernels/layout.h"
#include "model/synth_model.h"

enum { SYNTH_LONGEST_DELAY = 1 }; /* s: the longest delay line */

/* Types whose elements are contacts: the exciters. */
#define SYNTH_ONE(...) +1
enum {
    SYNTH_FIRST_CONTACT = SYNTH_MALLET,
    SYNTH_LAST_CONTACT = SYNTH_FIRST_CONTACT - 1 SYNTH_EXCITERS(SYNTH_ONE)
};

/* A change of a word between two samples. */
typedef struct synth_poke {
    uint32_t frame; /* number in the block; the change precedes this sample */
    uint32_t word;  /* index in the store */
    uint32_t value; /* bits */
} synth_poke;

/* A gate, started by the notes of a route. In the modes with voices each different route has a
 * gate, too: the note of a voice opens the gates whose routes contain it. */
typedef struct synth_gate {
    hed_synth_route route;
    uint32_t word; /* the gate's GATE_COUNT */
    /* true: notes start an entity; false: the gate only serves inputs and LFOs that notes do not
     * start */
    bool starts;
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
    /* FOLLOW_NOTE: multiplies the note's frequency; FOLLOW_TEMPO: quarter notes in a period */
    float factor;
    uint32_t word;
} synth_target;

enum {
    SYNTH_INSTANCE_LIMIT = 64, /* a bit each in masks */
    SYNTH_SPARE_VOICES = 8     /* voices that fade while others already play, at most */
};

typedef struct synth_program {
    hed_arena arena; /* memory of the program and its arrays */
    synth_layout layout;
    double rate, step;  /* Hz; s */
    float *factors;     /* (type[SYNTH_BODY].count) synth_body_factor() */
    uint32_t instances; /* voices and spare ones */
    bool remote;        /* a grid simulates the bodies and springs */
    uint32_t *image;    /* (layout.words) at rest, half 0 and half 1 */
    /* (type[t].count) entity of each element; contacts: the exciter, ears: the microphone */
    hed_synth_entity *entities[SYNTH_TYPES];
    /* (type[t].count), contacts: body element; NULL for other types */
    uint32_t *contact_body[SYNTH_TYPES];
    /* (entity_count + 1) SYNTH_SEAT of each entity, SYNTH_EMPTY: none. Contacts of an exciter
     * are consecutive; the seat is the first. */
    uint32_t *seats;
    uint32_t entity_count;
    synth_gate *gates; /* (layout.gates) */
    synth_target *targets;
    uint32_t target_count;
    hed_synth_entity *stems; /* (layout.stems) the heard microphones */
    hed_pack_layout packing;
} synth_program;

/* Costs of a row of each type (SYNTH_...), for packing. */
extern const float synth_costs[SYNTH_TYPES];

/* Parameters of a program's layout. */
typedef struct synth_program_def {
    const hed_synth_instrument *instrument;
    double rate;
    uint64_t seed;
    uint32_t warps, lanes;
    hed_pack_method pack;
    uint32_t inputs; /* number of input channels */
    /* solver grid: the program has neither springs nor rows of bodies, and only bodies with
     * links (in the order of `entities[SYNTH_BODY]`) */
    bool remote;
    bool vectors; /* cpu solver: bodies are ordered for vectors, modulated ones among the others */
} synth_program_def;

/* Builds a program. Errors: ARGUMENT (unstable: names the body), LIMIT (over 2^24 of a type, or
 * 2^30 words), MEMORY. */
hed_status synth_program_create(const hed_allocator *allocator, const synth_program_def *def,
    synth_program **program, hed_error *error);
void synth_program_destroy(synth_program *program);

/* Returns the range of parameter `target` of `entity`, in the definition's unit; infinite if there
 * is no such entity or parameter. Thread class: rt. */
synth_range synth_program_range(
    const synth_program *program, hed_synth_entity entity, hed_synth_target target);

/* Writes the words that store parameter `target` of `entity`, with their values for `value` in
 * the definition's unit, clamped to synth_program_range(): at most `capacity` pokes (a spring has 1
 * to 3, an exciter one or more for each contact). Returns the number of all of them; 0: no such
 * entity or parameter, or not settable: the mass of an anchored body, the position of a free or
 * modulated one, a spring's damping if no spring of the program has any, a body or spring of a
 * grid. Thread class: rt. */
uint32_t synth_program_set(const synth_program *program, hed_synth_entity entity,
    hed_synth_target target, float value, synth_poke *pokes, uint32_t capacity);

/* Carries over state, signals, gates and delay memory of one instance from a store of the
 * program `from`: entities that are in both programs continue. A gate's events that this store
 * has handled or will handle are not repeated. Allocates nothing. Thread class: rt. */
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
