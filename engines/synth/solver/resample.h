/* Changes of the rate by a ratio of whole numbers, for synths whose samples are not frames.
 *
 * Both directions have one low-pass filter: a sinc under Kaiser's window (J. F. Kaiser, 1974), of
 * linear phase. Up to 0.44 of the lower rate it passes, from 0.5 of that rate on it is 90 dB down,
 * so nothing is folded into the band. Its delay is a whole number of frames, exactly, at least
 * SYNTH_FILTER_REACH periods of the lower rate. Sums have a fixed order, so all machines give equal
 * bits. */
#ifndef SYNTH_RESAMPLE_H
#define SYNTH_RESAMPLE_H

#include "heddle/author.h"

enum { SYNTH_FILTER_REACH = 48 /* periods of the lower rate */ };

/* `samples` of the simulation in each `frames`, without a common divisor. */
typedef struct synth_ratio {
    uint32_t samples, frames;
} synth_ratio;

/* Returns the number of samples that begin before a frame, and of frames that begin before a sample. */
static inline uint64_t synth_samples_before(synth_ratio ratio, uint64_t frame)
{
    return (frame * ratio.samples + ratio.frames - 1) / ratio.frames;
}
static inline uint64_t synth_frames_before(synth_ratio ratio, uint64_t sample)
{
    return (sample * ratio.frames + ratio.samples - 1) / ratio.samples;
}

/* Weights of the filter for both directions. Time is counted in the largest common fraction of a
 * sample and a frame: a sample lasts ratio.frames of it, a frame ratio.samples. */
typedef struct synth_filter {
    hed_arena arena;
    synth_ratio ratio;
    uint32_t delay;              /* frames */
    uint32_t down_size, up_size; /* rows of weights, padded with zeros for vectors */
    /* (ratio.frames x down_size), (ratio.samples x up_size): row t is for t after the last input, from
     * the oldest input to the latest; samples to frames, and frames to samples */
    float *down, *up;
} synth_filter;

/* Makes a filter for a ratio other than 1. Errors: MEMORY. */
hed_status synth_filter_create(
    const hed_allocator *allocator, synth_ratio ratio, synth_filter **filter, hed_error *error);
void synth_filter_destroy(synth_filter *filter);

/* Converter of channels in either direction, with the inputs that it remembers. */
typedef struct synth_converter {
    hed_arena arena;
    uint32_t channels, size, at; /* size: of a channel's memory; at: index of the next input */
    uint32_t in, out;            /* time of an input and of an output */
    uint32_t due;                /* time from the last input to the next output */
    const float *weights;        /* rows of the filter, (`in` x size) */
    float *memory;               /* (channels x 2 size) each input twice, at i and size + i */
} synth_converter;

/* Creates a converter of samples to frames, or of frames to samples; `filter` must outlive it.
 * Errors: MEMORY. */
hed_status synth_converter_create(const hed_allocator *allocator, const synth_filter *filter,
    bool makes_frames, uint32_t channels, synth_converter **converter, hed_error *error);
/* Destroys a converter. NULL is allowed. */
void synth_converter_destroy(synth_converter *converter);
/* Clears the memory; the next input is at the time of the first output. NULL is allowed. Thread
 * class: rt. */
void synth_converter_reset(synth_converter *converter);

/* Sets the time after so many inputs and outputs from one time on. Thread class: rt. */
static inline void synth_converter_seek(
    synth_converter *converter, uint64_t inputs, uint64_t outputs)
{
    converter->due = (uint32_t)(outputs * converter->out - inputs * converter->in + converter->in);
}

/* Stores the next input of a channel. All outputs before it must have been taken. Thread class: rt. */
void synth_converter_put(synth_converter *converter, uint32_t channel, float input);
/* Ends an input of all channels. Thread class: rt. */
void synth_converter_step(synth_converter *converter);
/* True if an output begins before the next input. Thread class: rt. */
static inline bool synth_converter_is_ready(const synth_converter *converter)
{
    return converter->due < converter->in;
}
/* Returns a channel's output. Thread class: rt. */
float synth_convert(const synth_converter *converter, uint32_t channel);
/* Ends an output of all channels. Thread class: rt. */
static inline void synth_converter_next(synth_converter *converter)
{
    converter->due += converter->out;
}

#endif
