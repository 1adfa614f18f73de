/* Bodies of the cpu solver, LANES at a time. If many springs join bodies at equal index
 * distances, as in strings, membranes and lattices, they form a band: each spring of a band is
 * computed once, and both its bodies take the force. Other springs are computed at both ends,
 * which avoids scattered writes. Each body sums its forces in the order of its list, as
 * synth_body() does. The program orders bodies for this (program.c). */
#ifndef SYNTH_CPU_BODIES_H
#define SYNTH_CPU_BODIES_H

#include "heddle/author.h"
#include "kernels/physics.h"
#include "tables/synth_program.h"

/* PLACES: maximum copies of a spring's values: two in a band whose last part overlaps, and two
 * at each end. PACKED: floats of a body in the packed array. */
enum { SYNTH_LANES = 16, SYNTH_PLACES = 6, SYNTH_PACKED = 4, SYNTH_STILL = 3 };

/* LANES springs of a band, between bodies lower + lane and upper + lane. Their forces are
 * written to `force` + lane. */
typedef struct synth_part {
    uint32_t lower, upper, force;
} synth_part;

/* A row of a slice: adds or subtracts LANES forces from `at` on; or gathers `count` rows of
 * springs, whose first block of values is `at`. */
typedef enum synth_row_kind { SYNTH_ROW_PLUS, SYNTH_ROW_MINUS, SYNTH_ROW_GATHER } synth_row_kind;
typedef struct synth_row {
    synth_row_kind kind;
    uint32_t at, count;
} synth_row;

/* Work of one thread: some slices with their parts, and in one thread everything that is no
 * body. */
typedef struct synth_share {
    uint32_t slice_begin, slice_end, part_count;
    uint32_t *parts; /* (part_count) ascending */
    bool others;
} synth_share;

/* Tables of springs, common to all instances. Fewer than LANES bodies form one slice with unused
 * lanes. Blocks of values: of parts, then of gathering rows. */
typedef struct synth_bodies {
    uint32_t slices, row_count, part_count, blocks, forces;
    /* (slices) body; the last slice may overlap the one before */
    uint32_t *first;
    uint32_t *row_begin; /* (slices + 1) */
    uint16_t *touched;   /* (slices) bit by lane: has contacts and no modulation */
    uint16_t *modulated; /* (slices) bit by lane: has modulation */
    synth_row *rows;     /* (row_count) */
    synth_part *parts;   /* (part_count) */
    /* (blocks x LANES) packed offsets of the other ends; only of gathering rows */
    uint32_t *others;
    uint16_t *filled; /* (blocks) bit by lane: has a spring */
    /* (springs x PLACES) block x LANES + lane; SYNTH_EMPTY: unused */
    uint32_t *places;
    /* (springs) bit i: at place i the spring's `to` is the first body */
    uint8_t *reversed;
    /* first index of each type in `idle`; types that never sleep have none */
    uint32_t sleepers[SYNTH_TYPES + 1];
} synth_bodies;

/* Values of one instance. */
typedef struct synth_body_values {
    float *blocks;   /* (blocks x SPRING_PARAMETERS x LANES) */
    float *mobility; /* (bodies) s h^2/m */
    float *keep;     /* (bodies) factor of h v in a sample */
    /* (2 halves x 2 x (bodies + LANES) x PACKED) copies of positions and speeds, for gathering */
    float *packed;
    uint8_t *idle; /* (sleepers) number of samples, up to 3, in which an entity was inactive */
    uint8_t *
        /* (slices + 1) 0: a body of the slice moves; else number of steps, from 1 to
         * SYNTH_STILL, of a slice of anchors or sleeping bodies: after SYNTH_STILL both halves
         * are equal, and the slice is skipped. Last element: 1 if another one has become
         * SYNTH_STILL or left it */
        still;
    /* (part_count) 1: no slice takes the forces of the part, because all its slices are STILL */
    uint8_t *spare;
} synth_body_values;

/* A step of some slices of an instance. */
typedef struct synth_step {
    const synth_bodies *bodies;
    const synth_layout *layout;
    const synth_at *at;
    const synth_body_values *values;
    const synth_share *share;
    /* (3 x forces) of the bands at this sample, owned by this thread; 0 where a body has no
     * spring */
    float *forces;
    bool late; /* bows alone step, after all bodies have moved */
} synth_step;

/* Returns the size of a packed array, floats: half a page more than whole pages, counted for two
 * arrays; see signal_gap() in program.c. */
static inline uint64_t synth_packed_size(const synth_layout *layout)
{
    return ((((uint64_t)layout->type[SYNTH_BODY].count + SYNTH_LANES) * SYNTH_PACKED + 767) &
               ~511ull) -
           256;
}
/* Returns packed positions (0) or speeds (1) of the bodies in half `half`. */
static inline float *synth_packed_at(
    const synth_layout *layout, const synth_body_values *values, uint32_t half, uint32_t what)
{
    return values->packed + (half * 2 + what) * synth_packed_size(layout);
}
static inline bool synth_gathers(const synth_bodies *bodies)
{
    return bodies->blocks > bodies->part_count;
}

/* Makes the tables of a program, in the memory of `arena`. Errors: MEMORY. */
hed_status synth_bodies_create(
    hed_arena *arena, const synth_program *program, synth_bodies *bodies, hed_error *error);
/* Makes share `index` of `count`, in the memory of `arena`. Errors: MEMORY. */
hed_status synth_share_create(hed_arena *arena, const synth_bodies *bodies, uint32_t index,
    uint32_t count, synth_share *share, hed_error *error);

/* Loads an instance's values from its store. Thread class: rt. */
void synth_bodies_load(const synth_bodies *bodies, const synth_layout *layout, const synth_at *at,
    const synth_body_values *values);
/* Updates the values after a change of word `word` of the store. Thread class: rt. */
void synth_bodies_poked(const synth_bodies *bodies, const synth_layout *layout, const synth_at *at,
    const synth_body_values *values, uint32_t word);
/* Copies modulated parameters of springs from their signals, before the steps of a sample.
 * Thread class: rt. */
void synth_bodies_refresh(const synth_bodies *bodies, const synth_layout *layout,
    const synth_at *at, const synth_body_values *values);

/* Updates `spare` if `still` has changed; called by the one thread that steps an instance.
 * Thread class: rt. */
void synth_bodies_settle(const synth_bodies *bodies, const synth_body_values *values);
/* True if no body can move. Thread class: rt. */
bool synth_bodies_still(const synth_bodies *bodies, const synth_body_values *values);

/* step.c: steps one sample of a share, by the widest vectors of the processor. Thread class: rt. */
void synth_cpu_step(const synth_step *step);
/* step.h compiled for one kind of vectors. */
void synth_step_plain(const synth_step *step);
void synth_step_avx2(const synth_step *step);
void synth_step_avx512(const synth_step *step);

/* Bands: springs between bodies at equal index distances. bodies.c finds them and makes rows of
 * them. */

enum { SYNTH_MOST_BANDS = 64 };

typedef struct synth_band {
    uint32_t distance;  /* difference of the bodies' numbers */
    uint32_t low, high; /* lower bodies of the first and the last spring */
    /* offset of the force of body `low`; LANES zeros precede and follow the band's forces */
    uint32_t force;
    uint32_t part; /* first part */
} synth_band;

typedef struct synth_bands {
    synth_band at[SYNTH_MOST_BANDS];
    uint32_t count, parts, forces;
} synth_bands;

/* Returns the list of springs that pull a body; empty for an anchor. */
synth_list synth_springs_of(const synth_program *program, uint32_t body);

hed_status synth_find_bands(const hed_allocator *allocator, const synth_program *program,
    synth_bands *bands, hed_error *error);
/* Returns the number of the band that contains the spring between two bodies; SYNTH_EMPTY: none. */
uint32_t synth_band_of(const synth_bands *bands, uint32_t body, uint32_t other);
/* Returns the part's first lower body. */
uint32_t synth_part_begin(const synth_band *band, uint32_t part);
static inline uint32_t synth_part_count(const synth_band *band)
{
    return (band->high - band->low + SYNTH_LANES) / SYNTH_LANES;
}

#endif
