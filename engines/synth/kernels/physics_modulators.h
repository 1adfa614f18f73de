/* What moves parameters - LFO, envelope, follower, MIDI source - and delay lines. Behind physics_exciters.h. */
#ifndef SYNTH_PHYSICS_MODULATORS_H
#define SYNTH_PHYSICS_MODULATORS_H
#if !defined(__OPENCL_C_VERSION__) && !defined(__CUDACC_RTC__)
#include "physics_exciters.h"
#endif

SYNTH_FUNCTION void synth_lfo(const synth_layout *layout, const synth_at *at, uint lfo)
{
    uint seen = synth_state_at(layout, SYNTH_LFO, LFO_S_SEEN, lfo), flags = synth_parameter_bits(layout, at, SYNTH_LFO, LFO_P_FLAGS, lfo);
    uint started = synth_word(at, synth_parameter_bits(layout, at, SYNTH_LFO, LFO_P_GATE, lfo) + SYNTH_GATE_COUNT);
    float frequency = synth_parameter(layout, at, SYNTH_LFO, LFO_P_FREQUENCY, lfo), pulse = synth_parameter(layout, at, SYNTH_LFO, LFO_P_PULSE, lfo);
    float depth = synth_parameter(layout, at, SYNTH_LFO, LFO_P_DEPTH, lfo);
    synth_list links = synth_links_of(layout, at, SYNTH_LFO, lfo);
    for (uint i = 0; i < links.length; i++) {
        synth_change change = synth_change_at(at, links, i);
        frequency = synth_changed(frequency, change, SYNTH_FREQUENCY, 1.0f);
        frequency = synth_changed(frequency, change, SYNTH_SYNC_FREQUENCY, 1.0f);
        pulse = synth_changed(pulse, change, SYNTH_PULSE_WIDTH, 1.0f);
        depth = synth_changed(depth, change, SYNTH_DEPTH, 1.0f);
    }
    synth_swing swing;
    swing.phases = synth_state_at(layout, SYNTH_LFO, LFO_S_PHASE, lfo);
    swing.holds = synth_state_at(layout, SYNTH_LFO, LFO_S_HOLD, lfo);
    swing.wave = synth_parameter_bits(layout, at, SYNTH_LFO, LFO_P_WAVE, lfo);
    swing.number = synth_parameter_bits(layout, at, SYNTH_LFO, LFO_P_NUMBER, lfo);
    if (synth_word(at, seen) != started) {
        at->store[seen] = started;
        if (flags & SYNTH_LFO_RETRIGGER)
            at->store[swing.phases] = synth_parameter_bits(layout, at, SYNTH_LFO, LFO_P_PHASE, lfo);
    }
    float step = flags & SYNTH_LFO_DILATED ? layout->step * synth_dilation(at) : layout->step;
    synth_show(layout, at, SYNTH_LFO, MODULATOR_O_SIGNAL, lfo, depth * synth_swing_on(layout, at, swing, frequency, step, pulse));
}

/* Its depth with what links make of it. */
SYNTH_FUNCTION float synth_depth(const synth_layout *layout, const synth_at *at, uint type, uint field, uint entity)
{
    float depth = synth_parameter(layout, at, type, field, entity);
    synth_list links = synth_links_of(layout, at, type, entity);
    for (uint i = 0; i < links.length; i++) depth = synth_changed(depth, synth_change_at(at, links, i), SYNTH_DEPTH, 1.0f);
    return depth;
}

SYNTH_FUNCTION void synth_envelope(const synth_layout *layout, const synth_at *at, uint envelope)
{
    synth_gated gate = synth_gate_at(at, synth_parameter_bits(layout, at, SYNTH_ENVELOPE, ENVELOPE_P_GATE, envelope));
    float level = synth_adsr(layout, at, SYNTH_ENVELOPE, ENVELOPE_P_ENVELOPE, envelope, gate);
    float loudness = synth_loudness(synth_parameter(layout, at, SYNTH_ENVELOPE, ENVELOPE_P_SENSITIVITY, envelope), gate.velocity);
    synth_show(layout, at, SYNTH_ENVELOPE, MODULATOR_O_SIGNAL, envelope,
               synth_depth(layout, at, SYNTH_ENVELOPE, ENVELOPE_P_DEPTH, envelope) * loudness * level);
}

SYNTH_FUNCTION void synth_follower(const synth_layout *layout, const synth_at *at, uint follower)
{
    uint state = synth_state_at(layout, SYNTH_FOLLOWER, FOLLOWER_S_LEVEL, follower);
    float now = hed_magnitude(synth_number(at, at->read + synth_parameter_bits(layout, at, SYNTH_FOLLOWER, FOLLOWER_P_SOURCE, follower)));
    float level = synth_number(at, state);
    level = synth_approach(level, now, synth_parameter(layout, at, SYNTH_FOLLOWER, now > level ? FOLLOWER_P_ATTACK : FOLLOWER_P_RELEASE, follower));
    at->store[state] = as_uint(level);
    synth_show(layout, at, SYNTH_FOLLOWER, MODULATOR_O_SIGNAL, follower, synth_depth(layout, at, SYNTH_FOLLOWER, FOLLOWER_P_DEPTH, follower) * level);
}

SYNTH_FUNCTION void synth_midi(const synth_layout *layout, const synth_at *at, uint midi)
{
    uint state = synth_state_at(layout, SYNTH_MIDI, MIDI_S_LEVEL, midi);
    float depth = synth_parameter(layout, at, SYNTH_MIDI, MIDI_P_DEPTH, midi), smoothing = synth_parameter(layout, at, SYNTH_MIDI, MIDI_P_SMOOTHING, midi);
    synth_list links = synth_links_of(layout, at, SYNTH_MIDI, midi);
    for (uint i = 0; i < links.length; i++) {
        synth_change change = synth_change_at(at, links, i);
        depth = synth_changed(depth, change, SYNTH_DEPTH, 1.0f);
        smoothing = synth_changed(smoothing, change, SYNTH_SMOOTHING, 1.0f);
    }
    float share = smoothing > 0.0f ? 1.0f - synth_exp(-synth_quotient(layout->step, smoothing)) : 1.0f;
    float level = synth_approach(synth_number(at, state), synth_parameter(layout, at, SYNTH_MIDI, MIDI_P_VALUE, midi), share);
    at->store[state] = as_uint(level);
    synth_show(layout, at, SYNTH_MIDI, MODULATOR_O_SIGNAL, midi, depth * level);
}

/* Between the two samples that are nearest to `seconds` ago, in a straight line. */
SYNTH_FUNCTION void synth_delay(const synth_layout *layout, const synth_at *at, uint delay)
{
    uint buffer = synth_parameter_bits(layout, at, SYNTH_DELAY, DELAY_P_BUFFER, delay), mask = synth_parameter_bits(layout, at, SYNTH_DELAY, DELAY_P_MASK, delay);
    float seconds = synth_parameter(layout, at, SYNTH_DELAY, DELAY_P_SECONDS, delay), gain = synth_parameter(layout, at, SYNTH_DELAY, DELAY_P_GAIN, delay);
    synth_list links = synth_links_of(layout, at, SYNTH_DELAY, delay);
    for (uint i = 0; i < links.length; i++) {
        synth_change change = synth_change_at(at, links, i);
        seconds = synth_changed(seconds, change, SYNTH_DELAY_SECONDS, 1.0f);
        gain = synth_changed_gain(gain, change);
    }
    float samples = hed_clamp(synth_quotient(seconds, layout->step), 0.0f, (float)(mask - 1u));
    uint whole = hed_uint(samples);
    at->delay[buffer + (at->sample & mask)] = synth_number(at, at->read + synth_parameter_bits(layout, at, SYNTH_DELAY, DELAY_P_SOURCE, delay));
    float near = at->delay[buffer + ((at->sample - whole) & mask)], far = at->delay[buffer + ((at->sample - whole - 1u) & mask)];
    synth_show(layout, at, SYNTH_DELAY, MODULATOR_O_SIGNAL, delay, gain * hed_fma(samples - (float)whole, far - near, near));
}

#endif
