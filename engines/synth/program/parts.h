/* What the files that make a program share. program.c orders entities and lays the store out,
 * values.c fills parameters, states and signals, values.c the lists and rows. */
#ifndef SYNTH_PROGRAM_PARTS_H
#define SYNTH_PROGRAM_PARTS_H

#include "program/program.h"
#include "support/strict_math.h"

#include <math.h>

/* A contact: an exciter at a body; audio: and where its sound comes from (a delay line, or 0: its
 * channel). */
typedef struct synth_contact {
    uint32_t exciter; /* index in the instrument's array */
    uint32_t body;    /* element */
    float weight;
    hed_synth_entity delay;
} synth_contact;

/* A list of layout.h while it is made. */
typedef struct synth_list_plan {
    uint32_t *counts;         /* (entities) */
    uint32_t entities, words; /* of an entry */
    uint32_t word;            /* of the store */
} synth_list_plan;
enum {
    SYNTH_LIST_SPRINGS,
    SYNTH_LIST_FORCES,
    SYNTH_LIST_EARS,
    SYNTH_LIST_LINKS /* + type */,
    SYNTH_LISTS = SYNTH_LIST_LINKS + SYNTH_TYPES
};

typedef struct synth_builder {
    hed_arena arena; /* all that is not the program's */
    const synth_program_def *def;
    const hed_synth_instrument *instrument;
    synth_program *program;
    double step;    /* h, s */
    uint8_t *marks; /* (entity_count + 1) by entity: SYNTH_MARK_... */
    uint32_t *order
        [HED_SYNTH_ENTITY_TYPE_COUNT]; /* (ordered[type]) indices in the instrument's arrays, modulated ones
                                               first; bodies for vectors: as it suits */
    uint32_t ordered[HED_SYNTH_ENTITY_TYPE_COUNT];
    /* (entity_count + 1) by entity; SYNTH_EMPTY: left out. Exciters: first contact */
    uint32_t *element;
    /* (entity_count + 2) by the entity that links come from */
    uint32_t *link_begin;
    /* (link_count) numbers of links, by where they come from, in their order */
    uint32_t *link_order;
    synth_contact *contacts[SYNTH_TYPES]; /* (type[t].count) */
    uint32_t *first_ear;                  /* (microphones + 1) */
    synth_list_plan lists[SYNTH_LISTS];
    bool appending;         /* lists are filled; before, they are counted */
    hed_pack_piece *pieces; /* (piece_room) */
    uint32_t piece_room;
    uint32_t *warp_rows; /* (warps) */
} synth_builder;

enum { SYNTH_MARK_MODULATED = 1, SYNTH_MARK_LINKED = 2, SYNTH_MARK_DAMPED = 4 };

static inline bool synth_is_contact(uint32_t type)
{
    return type >= SYNTH_MALLET && type <= SYNTH_AUDIO;
}

/* How many words an entity of each type has of each kind; for contacts and modulators also whether
 * a gate starts them. */
typedef struct synth_shape {
    uint8_t parameters, states, signals, gated;
} synth_shape;
extern const synth_shape synth_shapes[SYNTH_TYPES];

/* Counts the entries of all lists; gives their words. Errors: MEMORY. */
hed_status synth_count_lists(synth_builder *builder, uint64_t *words, hed_error *error);
/* Writes them from `word` on, and where they are into the layout. */
void synth_fill_lists(synth_builder *builder, uint32_t word);
/* Parameters, states and signals at rest, and targets. */
void synth_fill_values(synth_builder *builder);
/* The route of an entity of a type that has one, else NULL. */
const hed_synth_route *synth_route_of(
    const hed_synth_instrument *instrument, uint32_t type, uint32_t index);
static inline bool synth_is_same_route(hed_synth_route a, hed_synth_route b)
{
    return a.channel == b.channel && a.low == b.low && a.high == b.high;
}
/* The gate's word. It must be there. */
uint32_t synth_gate_word(const synth_program *program, hed_synth_route route);

/* |d0|^2 - L0^2 as the store has it; `rest_length` as in the definition, `rest` in metres. */
double synth_spring_excess(const float vector[3], float rest_length, double rest);
static inline double synth_level(double decibel) { return hed_strict_pow(10.0, decibel / 20.0); }

#endif
