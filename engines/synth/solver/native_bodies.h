/* Bodies of the native structure, LANES at a time: each slice of bodies has as many rows of springs as its busiest body, and a row's values
 * lie in the order in which they are loaded. What a row's lanes need of others is loaded whole where the others are neighbours in memory. */
#ifndef SYNTH_NATIVE_BODIES_H
#define SYNTH_NATIVE_BODIES_H

#include "kernels/physics.h"
#include "solver/program.h"

enum { SYNTH_LANES = 16, SYNTH_ENDS = 4 /* where a spring's values can stand: two bodies, each in two slices where the last one overlaps */ };

/* Which springs pull where: the same for all instances. Fewer than LANES bodies: no slices. */
typedef struct synth_bodies {
    uint32_t slices, rows;
    uint32_t *first;   /* (slices) body; the last slice may overlap the one before */
    uint32_t *begin;   /* (slices + 1) first row */
    uint32_t *others;  /* (rows x LANES) bodies at the other ends */
    uint8_t *in_line;  /* (rows) others are LANES in a row */
    uint8_t *plain;    /* (slices) no contact, no modulation */
    uint32_t *slots;   /* (springs x ENDS) row x LANES + lane; SYNTH_EMPTY: none */
    uint8_t *reversed; /* (springs) bit i: slot i is of the spring's `to` */
} synth_bodies;

/* What an instance has of its own: values by row, field of SPRING_P_..., lane. */
typedef struct synth_body_values {
    float *rows;     /* (rows x SPRING_PARAMETERS x LANES) */
    float *mobility; /* (bodies) s h^2/m */
    float *keep;     /* (bodies) of h v in a sample */
} synth_body_values;

hed_status synth_bodies_create(const hed_allocator *allocator, const synth_program *program, synth_bodies *bodies, hed_error *error);
void synth_bodies_destroy(const hed_allocator *allocator, const synth_program *program, synth_bodies *bodies);

/* Takes an instance's values from its store. Thread class: rt. */
void synth_bodies_load(const synth_bodies *bodies, const synth_layout *layout, const synth_at *at, synth_body_values *values);
/* Word `word` of the store has changed. Thread class: rt. */
void synth_bodies_poked(const synth_bodies *bodies, const synth_layout *layout, const synth_at *at, synth_body_values *values, uint32_t word);
/* One step of all bodies. Thread class: rt. */
void synth_bodies_step(const synth_bodies *bodies, const synth_layout *layout, const synth_at *at, synth_body_values *values);

#endif
