/* Changes of the rate by a whole factor, for synths that simulate several samples a frame.
 *
 * Both directions have one low-pass filter: a sinc under Kaiser's window (J. F. Kaiser, 1974), of
 * linear phase. Up to 0.44 of the lower rate it passes, from 0.5 of that rate on it is 90 dB down,
 * so nothing is folded into the band. Its delay is SYNTH_FILTER_REACH frames of the lower rate,
 * exactly. Sums have a fixed order, so all machines give equal bits. */
#ifndef SYNTH_RESAMPLE_H
#define SYNTH_RESAMPLE_H

#include "heddle/author.h"

enum { SYNTH_FILTER_REACH = 48 /* frames */ };

/* Weights of the filter for both directions. */
typedef struct synth_filter {
    hed_arena arena;
    uint32_t factor;             /* samples a frame */
    uint32_t down_size, up_size; /* rows of weights, padded with zeros for vectors */
    float *down;                 /* (down_size) from the oldest sample to the latest */
    float *up;                   /* (factor x up_size) for each sample of a frame */
} synth_filter;

/* Makes a filter for factors above 1. Errors: MEMORY. */
hed_status synth_filter_create(
    const hed_allocator *allocator, uint32_t factor, synth_filter **filter, hed_error *error);
void synth_filter_destroy(synth_filter *filter);

/* Converter of channels in either direction, with the samples that it remembers. */
typedef struct synth_converter {
    hed_arena arena;
    const synth_filter *filter;
    uint32_t channels, size, at; /* size: of a channel's memory; at: index of the next sample */
    uint32_t phase;              /* samples since the last frame, when decimating */
    float *memory;               /* (channels x 2 size) each sample twice, at i and size + i */
} synth_converter;

/* Creates a converter; `filter` must outlive it. Errors: MEMORY. */
hed_status synth_converter_create(const hed_allocator *allocator, const synth_filter *filter,
    bool decimates, uint32_t channels, synth_converter **converter, hed_error *error);
/* Destroys a converter. NULL is allowed. */
void synth_converter_destroy(synth_converter *converter);
/* Clears the memory; the next sample is the first of a frame. NULL is allowed. Thread class: rt. */
void synth_converter_reset(synth_converter *converter);

/* Stores the next sample of a channel. Thread class: rt. */
void synth_converter_put(synth_converter *converter, uint32_t channel, float sample);
/* Ends a sample (decimating) or a frame (interpolating) of all channels. Returns true if the sample
 * was the first of a frame: then synth_decimate() gives this frame. Thread class: rt. */
bool synth_converter_step(synth_converter *converter);
/* Returns the frame that ends at the last sample. Thread class: rt. */
float synth_decimate(const synth_converter *converter, uint32_t channel);
/* Returns sample `index`, below `factor`, of the last frame. Thread class: rt. */
float synth_interpolate(const synth_converter *converter, uint32_t channel, uint32_t index);

#endif
