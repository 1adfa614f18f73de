/* Bands: springs from each body to the one equally far on. native_bands.c finds them,
 * native_bodies.c makes rows of them. */
#ifndef SYNTH_NATIVE_BANDS_H
#define SYNTH_NATIVE_BANDS_H

#include "solver/cpu/bodies.h"

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
