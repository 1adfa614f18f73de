/* One step of one entity, and the modulators: LFO, envelope, follower, MIDI source, delay line.
 * physics_store.h, physics_body.h and physics_exciters.h, each one text for OpenCL C, CUDA and
 * C, precede this one; in strict mode every operation is rounded separately in the order written
 * there. */
#ifndef SYNTH_PHYSICS_H
#define SYNTH_PHYSICS_H
#if !defined(__OPENCL_C_VERSION__) && !defined(__CUDACC_RTC__)
#include "physics_exciters.h"
#endif

SYNTH_FUNCTION void synth_lfo(const synth_layout *layout, const synth_at *at, uint lfo)
{
    synth_self me = synth_self_of(layout, SYNTH_LFO, lfo);
    uint seen = synth_state(me, LFO_S_SEEN), flags = synth_bits(at, me, LFO_P_FLAGS);
    uint started = synth_word(at, synth_bits(at, me, LFO_P_GATE) + SYNTH_GATE_COUNT);
    float frequency = synth_value(at, me, LFO_P_FREQUENCY),
          pulse = synth_value(at, me, LFO_P_PULSE);
    float depth = synth_value(at, me, LFO_P_DEPTH);
    synth_list links = synth_links_of(layout, at, SYNTH_LFO, lfo);
    for (uint i = 0; i < links.length; i++) {
        synth_change change = synth_change_at(at, links, i);
        frequency = synth_changed(frequency, change, SYNTH_FREQUENCY, 1.0f);
        frequency = synth_changed(frequency, change, SYNTH_SYNC_FREQUENCY, 1.0f);
        pulse = synth_changed(pulse, change, SYNTH_PULSE_WIDTH, 1.0f);
        depth = synth_changed(depth, change, SYNTH_DEPTH, 1.0f);
    }
    synth_swing swing;
    swing.phases = synth_state(me, LFO_S_PHASE);
    swing.holds = synth_state(me, LFO_S_HOLD);
    swing.wave = synth_bits(at, me, LFO_P_WAVE);
    swing.number = synth_bits(at, me, LFO_P_NUMBER);
    if (synth_word(at, seen) != started) {
        at->store[seen] = started;
        if (flags & SYNTH_LFO_RETRIGGER) at->store[swing.phases] = synth_bits(at, me, LFO_P_PHASE);
    }
    float step = flags & SYNTH_LFO_DILATED ? layout->step * synth_dilation(at) : layout->step;
    synth_show(at, me, MODULATOR_O_SIGNAL,
        depth * synth_swing_on(layout, at, swing, frequency, step, pulse));
}

/* Returns an entity's depth, including modulation. */
SYNTH_FUNCTION float synth_depth(
    const synth_layout *layout, const synth_at *at, uint type, uint field, uint entity)
{
    synth_self me = synth_self_of(layout, type, entity);
    float depth = synth_value(at, me, field);
    synth_list links = synth_links_of(layout, at, type, entity);
    for (uint i = 0; i < links.length; i++)
        depth = synth_changed(depth, synth_change_at(at, links, i), SYNTH_DEPTH, 1.0f);
    return depth;
}

SYNTH_FUNCTION void synth_envelope(const synth_layout *layout, const synth_at *at, uint envelope)
{
    synth_self me = synth_self_of(layout, SYNTH_ENVELOPE, envelope);
    synth_gated gate = synth_gate_at(at, synth_bits(at, me, ENVELOPE_P_GATE));
    float level = synth_adsr(at, me, ENVELOPE_P_ENVELOPE, gate);
    float loudness = synth_loudness(synth_value(at, me, ENVELOPE_P_SENSITIVITY), gate.velocity);
    synth_show(at, me, MODULATOR_O_SIGNAL,
        synth_depth(layout, at, SYNTH_ENVELOPE, ENVELOPE_P_DEPTH, envelope) * loudness * level);
}

SYNTH_FUNCTION void synth_follower(const synth_layout *layout, const synth_at *at, uint follower)
{
    synth_self me = synth_self_of(layout, SYNTH_FOLLOWER, follower);
    uint state = synth_state(me, FOLLOWER_S_LEVEL);
    float now = hed_magnitude(synth_number(at, at->read + synth_bits(at, me, FOLLOWER_P_SOURCE)));
    float level = synth_number(at, state);
    level = synth_approach(
        level, now, synth_value(at, me, now > level ? FOLLOWER_P_ATTACK : FOLLOWER_P_RELEASE));
    at->store[state] = as_uint(level);
    synth_show(at, me, MODULATOR_O_SIGNAL,
        synth_depth(layout, at, SYNTH_FOLLOWER, FOLLOWER_P_DEPTH, follower) * level);
}

SYNTH_FUNCTION void synth_midi(const synth_layout *layout, const synth_at *at, uint midi)
{
    synth_self me = synth_self_of(layout, SYNTH_MIDI_SOURCE, midi);
    uint state = synth_state(me, MIDI_S_LEVEL);
    float depth = synth_value(at, me, MIDI_P_DEPTH),
          smoothing = synth_value(at, me, MIDI_P_SMOOTHING);
    synth_list links = synth_links_of(layout, at, SYNTH_MIDI_SOURCE, midi);
    for (uint i = 0; i < links.length; i++) {
        synth_change change = synth_change_at(at, links, i);
        depth = synth_changed(depth, change, SYNTH_DEPTH, 1.0f);
        smoothing = synth_changed(smoothing, change, SYNTH_SMOOTHING, 1.0f);
    }
    /* below a nanosecond there is no smoothing, and 1/smoothing could be infinite */
    float share =
        smoothing > 1e-9f ? 1.0f - synth_exp(-synth_quotient(layout->step, smoothing)) : 1.0f;
    float level = synth_approach(synth_number(at, state), synth_value(at, me, MIDI_P_VALUE), share);
    at->store[state] = as_uint(level);
    synth_show(at, me, MODULATOR_O_SIGNAL, depth * level);
}

/* Steps a delay line: interpolates linearly between the two samples nearest to `seconds` ago. */
SYNTH_FUNCTION void synth_delay(const synth_layout *layout, const synth_at *at, uint delay)
{
    synth_self me = synth_self_of(layout, SYNTH_DELAY_LINE, delay);
    uint buffer = synth_bits(at, me, DELAY_P_BUFFER), mask = synth_bits(at, me, DELAY_P_MASK);
    float seconds = synth_value(at, me, DELAY_P_SECONDS), gain = synth_value(at, me, DELAY_P_GAIN);
    synth_list links = synth_links_of(layout, at, SYNTH_DELAY_LINE, delay);
    for (uint i = 0; i < links.length; i++) {
        synth_change change = synth_change_at(at, links, i);
        seconds = synth_changed(seconds, change, SYNTH_DELAY_SECONDS, 1.0f);
        gain = synth_changed_gain(gain, change);
    }
    float samples = hed_clamp(synth_quotient(seconds, layout->step), 0.0f, (float)(mask - 1u));
    uint whole = hed_uint(samples);
    /* NaN of one sample would come back long after it */
    at->delay[buffer + (at->sample & mask)] = synth_within(
        synth_number(at, at->read + synth_bits(at, me, DELAY_P_SOURCE)), SYNTH_MOST_LEVEL);
    float near = at->delay[buffer + ((at->sample - whole) & mask)],
          far = at->delay[buffer + ((at->sample - whole - 1u) & mask)];
    synth_show(
        at, me, MODULATOR_O_SIGNAL, gain * hed_fma(samples - (float)whole, far - near, near));
}

/* Steps an entity: reads other entities' signals of the previous sample, writes its state and
 * signals. Entities that step late are left to synth_late(). */
#define SYNTH_IN_VECTORS(call) call
#define SYNTH_IN_MODULATED(call) call
#define SYNTH_IN_ALL(call) call
#define SYNTH_IN_ACTIVE(call) call
#define SYNTH_IN_SUMS(call) call
#if SYNTH_BOW_LAGS
#define SYNTH_IN_LATE(call) call
#else
#define SYNTH_IN_LATE(call)
#endif
#define SYNTH_ENTITY_CASE(TYPE, name, parameters, states, signals, gated, step, cost) \
    case SYNTH_##TYPE: SYNTH_IN_##step(synth_##name(layout, at, entity)); break;

SYNTH_FUNCTION void synth_entity(
    const synth_layout *layout, const synth_at *at, uint type, uint entity)
{
    switch (type) {
        SYNTH_TYPE_ROWS(SYNTH_ENTITY_CASE)
    default: break;
    }
}

/* Steps the bows from `first` on, every `step`-th, when all other entities have been stepped. */
SYNTH_FUNCTION void synth_late(
    const synth_layout *layout, const synth_at *at, uint first, uint step)
{
    for (uint bow = first; bow < layout->type[SYNTH_BOW].count; bow += step)
        synth_bow(layout, at, bow);
}

#endif
