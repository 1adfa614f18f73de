/* Types and functions of the files that build a program: program.c orders entities and lays out
 * the store; values.c fills in parameters, states, signals and lists. */
#ifndef SYNTH_PROGRAM_PARTS_H
#define SYNTH_PROGRAM_PARTS_H

#include "tables/synth_program.h"
#include "support/strict_math.h"

#include <math.h>

/* A contact: an exciter at a body. For audio inputs also the source of its sound: a delay line,
 * or 0 for the input channel. */
typedef struct synth_contact {
    uint32_t exciter; /* index in the instrument's array */
    uint32_t body;    /* element */
    float weight;
    hed_synth_entity delay;
} synth_contact;

/* A list of layout.h under construction. */
typedef struct synth_list_plan {
    uint32_t *counts;         /* (entities) */
    uint32_t entities, words; /* entities; words of an entry */
    uint32_t word;            /* first word in the store */
} synth_list_plan;
enum {
    SYNTH_LIST_SPRINGS,
    SYNTH_LIST_FORCES,
    SYNTH_LIST_EARS,
    SYNTH_LIST_LINKS /* + type */,
    SYNTH_LISTS = SYNTH_LIST_LINKS + SYNTH_TYPES
};

typedef struct synth_builder {
    hed_arena arena; /* memory of everything but the program */
    const synth_program_def *def;
    const hed_synth_instrument *instrument;
    synth_program *program;
    double step;    /* h, s */
    uint8_t *marks; /* (entity_count + 1) by entity: SYNTH_MARK_... */
    uint32_t *order
        /* (ordered[type]) indices in the instrument's arrays, modulated entities first; for
         * bodies of vectors in the order of order_bodies() */
        [HED_SYNTH_ENTITY_TYPE_COUNT];
    uint32_t ordered[HED_SYNTH_ENTITY_TYPE_COUNT];
    /* (entity_count + 1) element of each entity; SYNTH_EMPTY: not in the program. Exciters: the
     * first contact */
    uint32_t *element;
    /* (entity_count + 2) first entry of link_order, by the entity at which links begin */
    uint32_t *link_begin;
    /* (link_count) indices of links, sorted by their first entity, then by index */
    uint32_t *link_order;
    synth_contact *contacts[SYNTH_TYPES]; /* (type[t].count) */
    uint32_t *first_ear;                  /* (microphones + 1) */
    synth_list_plan lists[SYNTH_LISTS];
    bool appending;         /* true: entries are written; false: entries are counted */
    hed_pack_piece *pieces; /* (piece_room) */
    uint32_t piece_room;
    uint32_t *warp_rows; /* (warps) */
} synth_builder;

enum { SYNTH_MARK_MODULATED = 1, SYNTH_MARK_LINKED = 2, SYNTH_MARK_DAMPED = 4 };

static inline bool synth_is_contact(uint32_t type)
{
    return type >= SYNTH_FIRST_CONTACT && type <= SYNTH_LAST_CONTACT;
}

/* Words of each kind for an entity of a type; `gated`: 1 if a gate starts the entity (contacts
 * and modulators). */
typedef struct synth_shape {
    uint8_t parameters, states, signals, gated;
} synth_shape;
extern const synth_shape synth_shapes[SYNTH_TYPES];

/* Counts the entries of all lists; writes the number of words they take. Errors: MEMORY. */
hed_status synth_count_lists(synth_builder *builder, uint64_t *words, hed_error *error);
/* Writes the lists from `word` on, and their positions into the layout. */
void synth_fill_lists(synth_builder *builder, uint32_t word);
/* Fills in parameters, states and signals at rest, and targets. */
void synth_fill_values(synth_builder *builder);
/* Returns the route of an entity whose type has one, else NULL. */
const hed_synth_route *synth_route_of(
    const hed_synth_instrument *instrument, uint32_t type, uint32_t index);
static inline bool synth_is_same_route(hed_synth_route a, hed_synth_route b)
{
    return a.channel == b.channel && a.low == b.low && a.high == b.high;
}
/* Returns the word of the gate of `route`, which must exist. */
uint32_t synth_gate_word(const synth_program *program, hed_synth_route route);

/* Returns |d0|^2 - L0^2 as the store has it; `rest_length` as in the definition, `rest` in m. */
double synth_spring_excess(const float vector[3], float rest_length, double rest);
static inline double synth_level(double decibel) { return hed_strict_pow(10.0, decibel / 20.0); }

#endif
