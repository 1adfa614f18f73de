/* One step of one entity: one text for OpenCL C, CUDA and C (words.h), put in front of each kernel that runs a program.
 * In strict mode every operation is rounded by itself in the order written here.
 *
 * A kernel defines SYNTH_SPACE as the address space of the stores (__local or __global) before this; in C it is nothing. */
#ifndef SYNTH_PHYSICS_H
#define SYNTH_PHYSICS_H
#if !defined(__OPENCL_C_VERSION__) && !defined(__CUDACC_RTC__)
#include "words.h"
#include "layout.h"
#define SYNTH_SPACE
#endif

#define SYNTH_FUNCTION static inline __attribute__((unused))

/* Where an instance is while it steps. */
typedef struct synth_at {
    SYNTH_SPACE uint *store;
    uint read, write;             /* words of signal 0 of the half that is read and of the one that is written */
    uint sample;                  /* its number, low 32 bits */
    uint instance;
    uint frame, frames;           /* of the block */
    __global const float *inputs; /* (channels x frames) */
    __global float *stems;        /* (stems x 2) of this frame and instance */
    __global float *delay;        /* (delay_words) of this instance */
} synth_at;

/* Steps one entity: reads what others wrote at the previous sample, writes its state and signals. SYNTH_REMOTE is the caller's. */
SYNTH_FUNCTION void synth_entity(const synth_layout *layout, const synth_at *at, uint type, uint entity)
{
    (void)layout;
    (void)at;
    (void)type;
    (void)entity;
}

#endif
