/* Exciters, each at one body: mallet, plectrum, bow, oscillator, sound. Behind physics_store.h and physics_body.h.
 *
 * A contact's force acts when the body is where it will be one sample later: so it reckons with that place and speed, its own last push
 * included. With a mallet's force taken for that place, hammer and body are one Stoermer-Verlet scheme.
 * Felt: Stulov's hysteresis as one pole (notes in heddle/synth.h). Bow: friction falls exponentially from stiction to sliding, as a
 * resistance, which the body solves for. */
#ifndef SYNTH_PHYSICS_EXCITERS_H
#define SYNTH_PHYSICS_EXCITERS_H
#if !defined(__OPENCL_C_VERSION__) && !defined(__CUDACC_RTC__)
#include "physics_body.h"
#endif

#define SYNTH_GONE 0.01f              /* m: a mallet that far from its body does not come back */
#define SYNTH_PLECTRUM_STIFF 0.25f    /* of m/h^2 of the body */
#define SYNTH_PLECTRUM_HOLD 0.03125f  /* of m/h^2, added up each sample: what takes the springs' pull off the error */

/* ---- gates and envelopes ---- */

typedef struct synth_gated {
    uint count, held;
    float velocity;
} synth_gated;

SYNTH_FUNCTION synth_gated synth_gate_at(const synth_at *at, uint word)
{
    synth_gated gate;
    gate.count = synth_word(at, word + SYNTH_GATE_COUNT);
    gate.held = synth_word(at, word + SYNTH_GATE_HELD);
    gate.velocity = synth_number(at, word + SYNTH_GATE_VELOCITY);
    return gate;
}

/* Share of loudness at a velocity. */
SYNTH_FUNCTION float synth_loudness(float sensitivity, float velocity) { return hed_fma(sensitivity, velocity - 1.0f, 1.0f); }

/* One sample of an ADSR whose parameters are fields from `field` and whose state is the entity's first. A note that starts does so from the
 * level that is there, and is let go at the earliest one sample later. */
SYNTH_FUNCTION float synth_adsr(const synth_layout *layout, const synth_at *at, uint type, uint field, uint entity, synth_gated gate)
{
    uint seen = synth_state_at(layout, type, ADSR_S_SEEN, entity), stages = synth_state_at(layout, type, ADSR_S_STAGE, entity);
    uint levels = synth_state_at(layout, type, ADSR_S_LEVEL, entity), stage = synth_word(at, stages);
    float level = synth_number(at, levels), sustain = synth_parameter(layout, at, type, field + ADSR_P_SUSTAIN, entity);
    if (synth_word(at, seen) != gate.count) {
        at->store[seen] = gate.count;
        stage = 1;
    } else if (gate.held == 0 && stage != 0) {
        stage = 3;
    }
    if (stage == 1)
        level += synth_parameter(layout, at, type, field + ADSR_P_ATTACK, entity);
    else if (stage == 2)
        level = hed_max(level - synth_parameter(layout, at, type, field + ADSR_P_DECAY, entity), sustain);
    else if (stage == 3)
        level -= synth_parameter(layout, at, type, field + ADSR_P_RELEASE, entity);
    if (stage == 1 && level >= 1.0f) {
        level = 1.0f;
        stage = 2;
    }
    if (stage == 3 && level <= 0.0f) {
        level = 0.0f;
        stage = 0;
    }
    at->store[stages] = stage;
    at->store[levels] = as_uint(level);
    return level;
}

/* ---- contacts ---- */

typedef struct synth_touch {
    uint body;
    float nx, ny, nz;
    float weight, loudness;
    synth_gated gate;
} synth_touch;

SYNTH_FUNCTION synth_touch synth_touch_of(const synth_layout *layout, const synth_at *at, uint type, uint entity)
{
    synth_touch touch;
    touch.body = synth_parameter_bits(layout, at, type, CONTACT_P_BODY, entity);
    touch.nx = synth_parameter(layout, at, type, CONTACT_P_NX, entity);
    touch.ny = synth_parameter(layout, at, type, CONTACT_P_NY, entity);
    touch.nz = synth_parameter(layout, at, type, CONTACT_P_NZ, entity);
    touch.weight = synth_parameter(layout, at, type, CONTACT_P_WEIGHT, entity);
    touch.gate = synth_gate_at(at, synth_parameter_bits(layout, at, type, CONTACT_P_GATE, entity));
    touch.loudness = synth_loudness(synth_parameter(layout, at, type, CONTACT_P_SENSITIVITY, entity), touch.gate.velocity);
    return touch;
}

/* h v and displacement of the body along the direction, as they will be when the force acts; the displacement if it just went on; and s h^2/m. */
typedef struct synth_ahead {
    float place, speed, coasting, mobility;
} synth_ahead;

SYNTH_FUNCTION synth_ahead synth_ahead_of(const synth_layout *layout, const synth_at *at, uint type, uint entity, const synth_touch *touch)
{
    synth_motion m = synth_motion_of(layout, at, touch->body);
    float force = synth_seen(layout, at, type, CONTACT_O_FORCE, entity), resistance = synth_seen(layout, at, type, CONTACT_O_RESISTANCE, entity);
    float dilation = synth_dilation(at), place = synth_dot(touch->nx, touch->ny, touch->nz, m.x, m.y, m.z);
    float speed = synth_dot(touch->nx, touch->ny, touch->nz, m.u, m.v, m.w);
    synth_ahead ahead;
    ahead.mobility = dilation * synth_parameter(layout, at, SYNTH_BODY, BODY_P_WEIGHT, touch->body);
    ahead.speed = synth_quotient(hed_fma(ahead.mobility, force, speed), hed_fma(ahead.mobility, resistance, 1.0f));
    ahead.place = hed_fma(dilation, ahead.speed, place);
    ahead.coasting = hed_fma(dilation, speed, place);
    return ahead;
}

SYNTH_FUNCTION void synth_act(const synth_layout *layout, const synth_at *at, uint type, uint entity, const synth_touch *touch, float force,
                              float resistance)
{
    synth_show(layout, at, type, CONTACT_O_NX, entity, touch->nx);
    synth_show(layout, at, type, CONTACT_O_NY, entity, touch->ny);
    synth_show(layout, at, type, CONTACT_O_NZ, entity, touch->nz);
    synth_show(layout, at, type, CONTACT_O_FORCE, entity, force);
    synth_show(layout, at, type, CONTACT_O_RESISTANCE, entity, resistance);
}

/* ---- mallet ---- */

/* Felt at compression `c`: F = Q (c^p - hysteresis y) >= 0, y follows c^p. */
SYNTH_FUNCTION float synth_felt(const synth_layout *layout, const synth_at *at, uint mallet, float c, float hardness)
{
    uint state = synth_state_at(layout, SYNTH_MALLET, MALLET_S_FELT, mallet);
    float limit = synth_parameter(layout, at, SYNTH_MALLET, MALLET_P_LIMIT, mallet), felt = synth_number(at, state);
    float power = c > 0.0f ? synth_power(hed_min(c, limit), synth_parameter(layout, at, SYNTH_MALLET, MALLET_P_EXPONENT, mallet)) : 0.0f;
    felt = synth_approach(felt, power, synth_parameter(layout, at, SYNTH_MALLET, MALLET_P_RELAXATION, mallet));
    at->store[state] = as_uint(felt);
    power = hed_fma(-synth_parameter(layout, at, SYNTH_MALLET, MALLET_P_HYSTERESIS, mallet), felt, power);
    return c > 0.0f ? hardness * hed_max(power, 0.0f) : 0.0f;
}

SYNTH_FUNCTION void synth_mallet(const synth_layout *layout, const synth_at *at, uint mallet)
{
    synth_touch touch = synth_touch_of(layout, at, SYNTH_MALLET, mallet);
    uint seen = synth_state_at(layout, SYNTH_MALLET, MALLET_S_SEEN, mallet), actives = synth_state_at(layout, SYNTH_MALLET, MALLET_S_ACTIVE, mallet);
    uint positions = synth_state_at(layout, SYNTH_MALLET, MALLET_S_POSITION, mallet), speeds = synth_state_at(layout, SYNTH_MALLET, MALLET_S_SPEED, mallet);
    uint hardnesses = synth_state_at(layout, SYNTH_MALLET, MALLET_S_HARDNESS, mallet);
    uint starts = synth_word(at, seen) != touch.gate.count;
    float force = 0.0f;
    if (starts || synth_word(at, actives) != 0) {
        float blow = synth_parameter(layout, at, SYNTH_MALLET, MALLET_P_SPEED, mallet), noise = synth_parameter(layout, at, SYNTH_MALLET, MALLET_P_NOISE, mallet);
        float soft = synth_parameter(layout, at, SYNTH_MALLET, MALLET_P_SOFT, mallet), hard = synth_parameter(layout, at, SYNTH_MALLET, MALLET_P_HARD, mallet);
        float weight = synth_parameter(layout, at, SYNTH_MALLET, MALLET_P_WEIGHT, mallet), dilation = synth_dilation(at), angle = 0.0f;
        float hardness = starts ? hed_fma(hard - soft, touch.gate.velocity, soft) : synth_number(at, hardnesses), struck = hardness;
        synth_list links = synth_links_of(layout, at, SYNTH_MALLET, mallet);
        for (uint i = 0; i < links.length; i++) {
            synth_change change = synth_change_at(at, links, i);
            blow = synth_changed(blow, change, SYNTH_IMPULSE, synth_quotient(weight, layout->step));
            hardness = synth_changed(hardness, change, SYNTH_HARDNESS, 1.0f);
            noise = synth_changed(noise, change, SYNTH_MALLET_NOISE, 1.0f);
            angle = synth_changed(angle, change, SYNTH_ROTATION, 1.0f);
        }
        if (angle != 0.0f)
            synth_rotate(angle, &touch.nx, &touch.nz);
        synth_ahead body = synth_ahead_of(layout, at, SYNTH_MALLET, mallet, &touch);
        float position = synth_number(at, positions), speed = synth_number(at, speeds);
        if (starts) {
            at->store[seen] = touch.gate.count;
            at->store[hardnesses] = as_uint(struck);
            at->store[synth_state_at(layout, SYNTH_MALLET, MALLET_S_FELT, mallet)] = 0;
            position = body.place;
            speed = blow * touch.loudness;
        }
        float compression = position - body.place;
        force = synth_felt(layout, at, mallet, compression, hed_max(hardness, 0.0f));
        if (noise > 0.0f && force > 0.0f)
            force *= hed_fma(hed_min(noise, 1.0f), synth_noise(layout, at, synth_parameter_bits(layout, at, SYNTH_MALLET, CONTACT_P_NUMBER, mallet)), 1.0f);
        speed = hed_fma(-dilation * weight, force, speed);
        at->store[positions] = as_uint(hed_fma(dilation, speed, position));
        at->store[speeds] = as_uint(speed);
        at->store[actives] = compression > -SYNTH_GONE ? 1u : 0u;
    }
    synth_act(layout, at, SYNTH_MALLET, mallet, &touch, force * touch.weight, 0.0f);
}

/* ---- plectrum ---- */

/* Proportional and integral on the place, with the body's own speed as damping, solved for by the body. Stable for springs up to the
 * integrator's own limit, k h^2/m < 4. The place is the coasting body's: its own pull, without the springs' that bears it, would be an error
 * that stays. */
SYNTH_FUNCTION void synth_plectrum(const synth_layout *layout, const synth_at *at, uint plectrum)
{
    synth_touch touch = synth_touch_of(layout, at, SYNTH_PLECTRUM, plectrum);
    uint seen = synth_state_at(layout, SYNTH_PLECTRUM, PLECTRUM_S_SEEN, plectrum), times = synth_state_at(layout, SYNTH_PLECTRUM, PLECTRUM_S_TIME, plectrum);
    uint starts = synth_word(at, seen) != touch.gate.count;
    float time = starts ? 0.0f : synth_number(at, times), force = 0.0f, resistance = 0.0f;
    if (time >= 0.0f) {
        uint origins = synth_state_at(layout, SYNTH_PLECTRUM, PLECTRUM_S_ORIGIN, plectrum), depths = synth_state_at(layout, SYNTH_PLECTRUM, PLECTRUM_S_DEPTH, plectrum);
        uint pulls = synth_state_at(layout, SYNTH_PLECTRUM, PLECTRUM_S_PULL, plectrum);
        float distance = synth_parameter(layout, at, SYNTH_PLECTRUM, PLECTRUM_P_DISTANCE, plectrum), dilation = synth_dilation(at), angle = 0.0f;
        float duration = synth_parameter(layout, at, SYNTH_PLECTRUM, PLECTRUM_P_DURATION, plectrum);
        synth_list links = synth_links_of(layout, at, SYNTH_PLECTRUM, plectrum);
        for (uint i = 0; i < links.length; i++) {
            synth_change change = synth_change_at(at, links, i);
            distance = synth_changed(distance, change, SYNTH_DISTANCE, 1.0f);
            duration = synth_changed(duration, change, SYNTH_DURATION, synth_reciprocal(layout->step));
            angle = synth_changed(angle, change, SYNTH_ROTATION, 1.0f);
        }
        if (angle != 0.0f)
            synth_rotate(angle, &touch.nx, &touch.nz);
        synth_ahead body = synth_ahead_of(layout, at, SYNTH_PLECTRUM, plectrum, &touch);
        if (starts) {
            at->store[seen] = touch.gate.count;
            at->store[origins] = as_uint(body.coasting);
            at->store[depths] = as_uint(distance * touch.loudness * touch.weight);
            at->store[pulls] = 0;
        }
        duration = hed_max(duration, 1.0f);
        float way = synth_quotient(synth_number(at, depths), duration); /* of the point, in a sample of the body's time */
        float error = hed_fma(way, time, synth_number(at, origins)) - body.coasting;
        float stiff = body.mobility > 0.0f ? synth_reciprocal(dilation * body.mobility) : 0.0f; /* m/(s h)^2 */
        float pull = hed_fma(SYNTH_PLECTRUM_HOLD * stiff, error, synth_number(at, pulls));
        at->store[pulls] = as_uint(pull);
        resistance = dilation * stiff;
        force = hed_fma(SYNTH_PLECTRUM_STIFF * stiff, error, hed_fma(resistance, way, pull));
        time += dilation;
        time = time > duration ? -1.0f : time;
        at->store[times] = as_uint(time);
    }
    synth_act(layout, at, SYNTH_PLECTRUM, plectrum, &touch, force, resistance);
}

/* ---- bow, oscillator, sound ---- */

SYNTH_FUNCTION void synth_bow(const synth_layout *layout, const synth_at *at, uint bow)
{
    synth_touch touch = synth_touch_of(layout, at, SYNTH_BOW, bow);
    float envelope = synth_adsr(layout, at, SYNTH_BOW, BOW_P_ENVELOPE, bow, touch.gate), force = 0.0f, resistance = 0.0f;
    if (envelope > 0.0f) {
        float speed = synth_parameter(layout, at, SYNTH_BOW, BOW_P_SPEED, bow), stiction = synth_parameter(layout, at, SYNTH_BOW, BOW_P_STICTION, bow);
        float sliding = synth_parameter(layout, at, SYNTH_BOW, BOW_P_SLIDING, bow), dropoff = synth_parameter(layout, at, SYNTH_BOW, BOW_P_DROPOFF, bow);
        float normal = synth_parameter(layout, at, SYNTH_BOW, BOW_P_FORCE, bow) * envelope * touch.loudness * touch.weight, angle = 0.0f;
        synth_list links = synth_links_of(layout, at, SYNTH_BOW, bow);
        for (uint i = 0; i < links.length; i++) {
            synth_change change = synth_change_at(at, links, i);
            speed = synth_changed(speed, change, SYNTH_DRAW_VELOCITY, layout->step);
            stiction = synth_changed(stiction, change, SYNTH_STICTION, 1.0f);
            dropoff = synth_changed(dropoff, change, SYNTH_DROPOFF, layout->step);
            angle = synth_changed(angle, change, SYNTH_ROTATION, 1.0f);
        }
        if (angle != 0.0f)
            synth_rotate(angle, &touch.nx, &touch.nz);
        dropoff = hed_max(dropoff, 1e-9f);
        float slip = hed_magnitude(speed - synth_ahead_of(layout, at, SYNTH_BOW, bow, &touch).speed);
        float friction = hed_fma(stiction - sliding, synth_exp(-synth_quotient(slip, dropoff)), sliding);
        resistance = synth_quotient(normal * hed_max(friction, 0.0f), hed_fma(dropoff, 0.0625f, slip));
        force = resistance * speed;
    }
    synth_act(layout, at, SYNTH_BOW, bow, &touch, force, resistance);
}

/* An oscillator's or LFO's state (words of phase and held value), shape, and number for its noise. */
typedef struct synth_swing {
    uint phases, holds, wave, number;
} synth_swing;

/* The value now; then it goes on by `frequency` times `step` of a period. A held value of 0: one is due. */
SYNTH_FUNCTION float synth_swing_on(const synth_layout *layout, const synth_at *at, synth_swing swing, float frequency, float step, float pulse)
{
    uint phase = synth_word(at, swing.phases), next = phase + hed_uint(hed_max(frequency, 0.0f) * step * 4294967296.0f);
    float part = (float)(phase >> 8) * 5.96046448e-08f, held = synth_number(at, swing.holds); /* 2^-24 */
    at->store[swing.phases] = next;
    if (swing.wave == SYNTH_SINE)
        return synth_sine(phase);
    if (swing.wave == SYNTH_SAW)
        return hed_fma(2.0f, part, -1.0f);
    if (swing.wave == SYNTH_RECTANGLE)
        return part < pulse ? 1.0f : -1.0f;
    held = held == 0.0f ? synth_noise(layout, at, swing.number) : held;
    at->store[swing.holds] = swing.wave == SYNTH_NOISE || next < phase ? 0u : as_uint(held);
    return held;
}

SYNTH_FUNCTION void synth_oscillator(const synth_layout *layout, const synth_at *at, uint oscillator)
{
    synth_touch touch = synth_touch_of(layout, at, SYNTH_OSCILLATOR, oscillator);
    float envelope = synth_adsr(layout, at, SYNTH_OSCILLATOR, OSCILLATOR_P_ENVELOPE, oscillator, touch.gate), force = 0.0f;
    if (envelope > 0.0f) {
        synth_swing swing;
        swing.phases = synth_state_at(layout, SYNTH_OSCILLATOR, OSCILLATOR_S_PHASE, oscillator);
        swing.holds = synth_state_at(layout, SYNTH_OSCILLATOR, OSCILLATOR_S_HOLD, oscillator);
        swing.wave = synth_parameter_bits(layout, at, SYNTH_OSCILLATOR, OSCILLATOR_P_WAVE, oscillator);
        swing.number = synth_parameter_bits(layout, at, SYNTH_OSCILLATOR, CONTACT_P_NUMBER, oscillator);
        float frequency = synth_parameter(layout, at, SYNTH_OSCILLATOR, OSCILLATOR_P_FREQUENCY, oscillator);
        float pulse = synth_parameter(layout, at, SYNTH_OSCILLATOR, OSCILLATOR_P_PULSE, oscillator);
        float gain = synth_parameter(layout, at, SYNTH_OSCILLATOR, OSCILLATOR_P_GAIN, oscillator), angle = 0.0f;
        synth_list links = synth_links_of(layout, at, SYNTH_OSCILLATOR, oscillator);
        for (uint i = 0; i < links.length; i++) {
            synth_change change = synth_change_at(at, links, i);
            frequency = synth_changed(frequency, change, SYNTH_FREQUENCY, 1.0f);
            pulse = synth_changed(pulse, change, SYNTH_PULSE_WIDTH, 1.0f);
            gain = synth_changed(gain, change, SYNTH_GAIN, 1.0f);
            angle = synth_changed(angle, change, SYNTH_ROTATION, 1.0f);
        }
        if (angle != 0.0f)
            synth_rotate(angle, &touch.nx, &touch.nz);
        force = gain * envelope * touch.loudness * touch.weight * synth_swing_on(layout, at, swing, frequency, layout->step, pulse);
    }
    synth_act(layout, at, SYNTH_OSCILLATOR, oscillator, &touch, force, 0.0f);
}

SYNTH_FUNCTION void synth_audio(const synth_layout *layout, const synth_at *at, uint audio)
{
    synth_touch touch = synth_touch_of(layout, at, SYNTH_AUDIO, audio);
    uint source = synth_parameter_bits(layout, at, SYNTH_AUDIO, AUDIO_P_SOURCE, audio);
    float gain = synth_parameter(layout, at, SYNTH_AUDIO, AUDIO_P_GAIN, audio), angle = 0.0f, sound = 0.0f;
    if (synth_parameter_bits(layout, at, SYNTH_AUDIO, AUDIO_P_GATED, audio) != 0)
        touch.weight *= synth_adsr(layout, at, SYNTH_AUDIO, AUDIO_P_ENVELOPE, audio, touch.gate);
    synth_list links = synth_links_of(layout, at, SYNTH_AUDIO, audio);
    for (uint i = 0; i < links.length; i++) {
        synth_change change = synth_change_at(at, links, i);
        gain = synth_changed(gain, change, SYNTH_GAIN, 1.0f);
        angle = synth_changed(angle, change, SYNTH_ROTATION, 1.0f);
    }
    if (angle != 0.0f)
        synth_rotate(angle, &touch.nx, &touch.nz);
    if (source & SYNTH_AUDIO_SIGNAL)
        sound = synth_number(at, at->read + (source & ~SYNTH_AUDIO_SIGNAL));
    else if (source != SYNTH_AUDIO_SILENT)
        sound = at->inputs[source * at->frames + at->frame];
    synth_act(layout, at, SYNTH_AUDIO, audio, &touch, gain * touch.weight * sound, 0.0f);
}

#endif
