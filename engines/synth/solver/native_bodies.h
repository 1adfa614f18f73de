/* Bodies of the native structure, LANES at a time. Where many springs go from each body to the one equally far on,
 * as in strings, membranes and lattices, they are a band: each spring is computed once, and both its bodies take
 * that force. The other springs are computed at both ends, which saves scattered writes. Each body sums its forces
 * in the order of its list, as synth_body() does. */
#ifndef SYNTH_NATIVE_BODIES_H
#define SYNTH_NATIVE_BODIES_H

#include "kernels/physics.h"
#include "solver/program.h"

/* A spring's values can stand in a band twice, where its last part overlaps, and at both ends likewise. */
enum { SYNTH_LANES = 16, SYNTH_PLACES = 6 };

/* LANES springs of a band: between bodies lower + lane and upper + lane. Their forces go to `force` + lane. */
typedef struct synth_part {
    uint32_t lower, upper, force;
} synth_part;

/* What a slice of bodies adds: `at` is the first force of LANES, or the block of values. */
typedef enum synth_row_kind { SYNTH_ROW_PLUS, SYNTH_ROW_MINUS, SYNTH_ROW_GATHER } synth_row_kind;
typedef struct synth_row {
    synth_row_kind kind;
    uint32_t at;
} synth_row;

/* Which springs pull where: the same for all instances. Fewer than LANES bodies: no slices. Blocks of values:
 * those of parts, then those of gathering rows. */
typedef struct synth_bodies {
    uint32_t slices, row_count, part_count, blocks, forces;
    uint32_t *first;     /* (slices) body; the last slice may overlap the one before */
    uint32_t *row_begin; /* (slices + 1) */
    uint16_t *special;   /* (slices) bit by lane: has contacts or modulation */
    synth_row *rows;     /* (row_count) */
    synth_part *parts;   /* (part_count) */
    uint32_t *others;    /* (blocks x LANES) bodies at the other ends; of gathering rows */
    uint32_t *places;    /* (springs x PLACES) block x LANES + lane; SYNTH_EMPTY: no more */
    uint8_t *reversed;   /* (springs) bit i: place i has the spring's `to` as its first body */
} synth_bodies;

/* What an instance has of its own. */
typedef struct synth_body_values {
    float *blocks;   /* (blocks x SPRING_PARAMETERS x LANES) */
    float *mobility; /* (bodies) s h^2/m */
    float *keep;     /* (bodies) of h v in a sample */
    float *forces;   /* (3 x forces) of the bands at this sample; where a body has no spring, 0 */
} synth_body_values;

hed_status synth_bodies_create(const hed_allocator *allocator, const synth_program *program, synth_bodies *bodies,
                               hed_error *error);
void synth_bodies_destroy(const hed_allocator *allocator, const synth_program *program, synth_bodies *bodies);

/* Takes an instance's values from its store. Thread class: rt. */
void synth_bodies_load(const synth_bodies *bodies, const synth_layout *layout, const synth_at *at,
                       synth_body_values *values);
/* Word `word` of the store has changed. Thread class: rt. */
void synth_bodies_poked(const synth_bodies *bodies, const synth_layout *layout, const synth_at *at,
                        synth_body_values *values, uint32_t word);

/* native_step.c: one step of the whole instance. Thread class: rt. */
void synth_native_step(const synth_bodies *bodies, const synth_layout *layout, const synth_at *at,
                       synth_body_values *values);

#endif
