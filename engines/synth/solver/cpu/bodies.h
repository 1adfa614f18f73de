/* Bodies of the cpu solver, LANES at a time. Where many springs go from each body to the one
 * equally far on, as in strings, membranes and lattices, they are a band: each spring is computed
 * once, and both its bodies take that force. The other springs are computed at both ends, which
 * saves scattered writes. Each body sums its forces in the order of its list, as synth_body() does.
 * The program puts bodies in an order that suits (program.c). */
#ifndef SYNTH_CPU_BODIES_H
#define SYNTH_CPU_BODIES_H

#include "heddle/author.h"
#include "kernels/physics.h"
#include "program/program.h"

/* A spring's values can stand in a band twice, where its last part overlaps, and at both ends
 * likewise. PACKED: floats of a body's copy. */
enum { SYNTH_LANES = 16, SYNTH_PLACES = 6, SYNTH_PACKED = 4, SYNTH_STILL = 3 };

/* LANES springs of a band: between bodies lower + lane and upper + lane. Their forces go to `force`
 * + lane. */
typedef struct synth_part {
    uint32_t lower, upper, force;
} synth_part;

/* What a slice of bodies adds: `at` is the first force of LANES; or the first block of values of
 * `count`, a gathering row each. */
typedef enum synth_row_kind { SYNTH_ROW_PLUS, SYNTH_ROW_MINUS, SYNTH_ROW_GATHER } synth_row_kind;
typedef struct synth_row {
    synth_row_kind kind;
    uint32_t at, count;
} synth_row;

/* What one thread steps: some slices with the parts that they need, and one thread all that is no
 * body. */
typedef struct synth_share {
    uint32_t slice_begin, slice_end, part_count;
    uint32_t *parts; /* (part_count) in order */
    bool others;
} synth_share;

/* Which springs pull where: the same for all instances. Fewer than LANES bodies are one slice with
 * lanes to spare. Blocks of values: those of parts, then those of gathering rows. */
typedef struct synth_bodies {
    uint32_t slices, row_count, part_count, blocks, forces;
    /* (slices) body; the last slice may overlap the one before */
    uint32_t *first;
    uint32_t *row_begin; /* (slices + 1) */
    uint16_t *touched;   /* (slices) bit by lane: has contacts and no modulation */
    uint16_t *modulated; /* (slices) likewise: has modulation */
    synth_row *rows;     /* (row_count) */
    synth_part *parts;   /* (part_count) */
    /* (blocks x LANES) where the other ends are packed; of gathering rows */
    uint32_t *others;
    /* (springs x PLACES) block x LANES + lane; SYNTH_EMPTY: no more */
    uint32_t *places;
    /* (springs) bit i: place i has the spring's `to` as its first body */
    uint8_t *reversed;
    /* first of each type in `idle`; types that never sleep have none */
    uint32_t sleepers[SYNTH_TYPES + 1];
} synth_bodies;

/* What an instance has of its own. */
typedef struct synth_body_values {
    float *blocks;   /* (blocks x SPRING_PARAMETERS x LANES) */
    float *mobility; /* (bodies) s h^2/m */
    float *keep;     /* (bodies) of h v in a sample */
    /* (2 halves x 2 x (bodies + LANES) x PACKED) places and speeds of the store, for gathering */
    float *packed;
    uint8_t *idle; /* (sleepers) how many samples an entity had nothing to do, up to 3 */
    uint8_t *
        still; /* (slices + 1) 0: something moves; else how often a slice of anchors, asleep or not, was stepped,
                        from 1 to SYNTH_STILL: both halves say so, and it is left out. Behind them: some have changed */
    uint8_t *spare; /* (part_count) whether no slice takes the forces of a part: all are STILL */
} synth_body_values;

/* A step of some slices of an instance. */
typedef struct synth_step {
    const synth_bodies *bodies;
    const synth_layout *layout;
    const synth_at *at;
    const synth_body_values *values;
    const synth_share *share;
    /* (3 x forces) of the bands at this sample, this thread's own; where a body has no spring, 0 */
    float *forces;
} synth_step;

/* Floats. Twice as many are half a page over some pages: see signal_gap() in program.c. */
static inline uint64_t synth_packed_size(const synth_layout *layout)
{
    return ((((uint64_t)layout->type[SYNTH_BODY].count + SYNTH_LANES) * SYNTH_PACKED + 767) &
               ~511ull) -
           256;
}
/* Packed places (0) or speeds (1) of the bodies in half `half`. */
static inline float *synth_packed_at(
    const synth_layout *layout, const synth_body_values *values, uint32_t half, uint32_t what)
{
    return values->packed + (half * 2 + what) * synth_packed_size(layout);
}
static inline bool synth_gathers(const synth_bodies *bodies)
{
    return bodies->blocks > bodies->part_count;
}

/* In the memory of `arena`. Errors: MEMORY. */
hed_status synth_bodies_create(
    hed_arena *arena, const synth_program *program, synth_bodies *bodies, hed_error *error);
/* Share `index` of `count`, in the memory of `arena`. Errors: MEMORY. */
hed_status synth_share_create(hed_arena *arena, const synth_bodies *bodies, uint32_t index,
    uint32_t count, synth_share *share, hed_error *error);

/* Takes an instance's values from its store. Thread class: rt. */
void synth_bodies_load(const synth_bodies *bodies, const synth_layout *layout, const synth_at *at,
    const synth_body_values *values);
/* Word `word` of the store has changed. Thread class: rt. */
void synth_bodies_poked(const synth_bodies *bodies, const synth_layout *layout, const synth_at *at,
    const synth_body_values *values, uint32_t word);
/* Modulated springs are what their signals say: before the steps of a sample. Thread class: rt. */
void synth_bodies_refresh(const synth_bodies *bodies, const synth_layout *layout,
    const synth_at *at, const synth_body_values *values);

/* Says anew which parts are spare, where that has changed: for the one thread that steps an
 * instance. Thread class: rt. */
void synth_bodies_settle(const synth_bodies *bodies, const synth_body_values *values);
/* Whether no body can move. Thread class: rt. */
bool synth_bodies_still(const synth_bodies *bodies, const synth_body_values *values);

/* step.c: one sample of what the share has, by the widest vectors that there are. Thread
 * class: rt. */
void synth_cpu_step(const synth_step *step);
/* The same text compiled for one kind of vectors. */
void synth_step_plain(const synth_step *step);
void synth_step_avx2(const synth_step *step);
void synth_step_avx512(const synth_step *step);

/* Bands: springs from each body to the one equally far on. bodies.c finds them and
 * makes rows of them. */

enum { SYNTH_MOST_BANDS = 64 };

typedef struct synth_band {
    uint32_t distance;  /* between the bodies' numbers */
    uint32_t low, high; /* lower bodies of the first and the last spring */
    uint32_t force;     /* where force of body `low` stands: there are LANES zeros on either side */
    uint32_t part;      /* first of its parts */
} synth_band;

typedef struct synth_bands {
    synth_band at[SYNTH_MOST_BANDS];
    uint32_t count, parts, forces;
} synth_bands;

/* Springs that pull a body: none where it is anchored. */
synth_list synth_springs_of(const synth_program *program, uint32_t body);

hed_status synth_find_bands(const hed_allocator *allocator, const synth_program *program,
    synth_bands *bands, hed_error *error);
/* Number of the band whose force serves the spring between two bodies; SYNTH_EMPTY: none. */
uint32_t synth_band_of(const synth_bands *bands, uint32_t body, uint32_t other);
/* The part's first lower body. */
uint32_t synth_part_begin(const synth_band *band, uint32_t part);
static inline uint32_t synth_part_count(const synth_band *band)
{
    return (band->high - band->low + SYNTH_LANES) / SYNTH_LANES;
}

#endif
