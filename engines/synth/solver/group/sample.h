/* Sample problems of the kernels that run programs: an instrument with every type of entity and
 * modulation between them. */
#ifndef SYNTH_SAMPLE_H
#define SYNTH_SAMPLE_H

#include "heddle/synth.h"

/* A string of `bodies` bodies, struck, plucked, bowed, driven and heard in many ways. Errors:
 * MEMORY. */
hed_status synth_sample_instrument(uint32_t bodies, hed_synth_instrument **instrument, hed_error *error);

/* Bytes and first content of an argument of synth_group (kernels.h) for that instrument. */
uint64_t synth_sample_bytes(
    uint32_t bodies, uint32_t instances, uint32_t frames, uint32_t argument);
void synth_sample_fill(uint32_t bodies, uint32_t instances, uint32_t frames, uint32_t argument,
    void *data, uint64_t bytes, uint64_t seed);

#endif
