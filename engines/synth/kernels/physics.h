/* One step of one entity. The texts physics_store.h, physics_body.h, physics_exciters.h and
 * physics_modulators.h, one for OpenCL C, CUDA and C, stand before this one; in strict mode every
 * operation is rounded by itself in the order written there. */
#ifndef SYNTH_PHYSICS_H
#define SYNTH_PHYSICS_H
#if !defined(__OPENCL_C_VERSION__) && !defined(__CUDACC_RTC__)
#include "physics_modulators.h"
#endif

/* Reads what others wrote at the previous sample, writes its state and signals. */
SYNTH_FUNCTION void synth_entity(
    const synth_layout *layout, const synth_at *at, uint type, uint entity)
{
    switch (type) {
    case SYNTH_BODY: synth_body(layout, at, entity); break;
    case SYNTH_SPRING: synth_spring(layout, at, entity); break;
    case SYNTH_MICROPHONE: synth_microphone(layout, at, entity); break;
    case SYNTH_MALLET: synth_mallet(layout, at, entity); break;
    case SYNTH_PLECTRUM: synth_plectrum(layout, at, entity); break;
    case SYNTH_BOW: synth_bow(layout, at, entity); break;
    case SYNTH_OSCILLATOR: synth_oscillator(layout, at, entity); break;
    case SYNTH_AUDIO: synth_audio(layout, at, entity); break;
    case SYNTH_LFO: synth_lfo(layout, at, entity); break;
    case SYNTH_ENVELOPE: synth_envelope(layout, at, entity); break;
    case SYNTH_FOLLOWER: synth_follower(layout, at, entity); break;
    case SYNTH_MIDI: synth_midi(layout, at, entity); break;
    case SYNTH_DELAY: synth_delay(layout, at, entity); break;
    case SYNTH_EAR: synth_ear(layout, at, entity); break;
    default: break;
    }
}

#endif
