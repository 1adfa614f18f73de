/* Exciters, each at one body: mallet, plectrum, bow, damper, oscillator, audio input. physics_store.h
 * and physics_body.h precede this text.
 *
 * A contact's force acts when the body is at its position of one sample later: so the contact
 * predicts this position and speed, including the effect of its own last force. With a mallet's
 * force computed for that position, hammer and body are one Stoermer-Verlet scheme. Felt:
 * Stulov's hysteresis as one pole (notes in heddle/synth.h). Bow: friction decreases
 * exponentially from stiction to sliding. The slip is solved for with it (implicit, as in S. Bilbao,
 * Numerical Sound Synthesis, 7.4), and exported as a resistance, which the body solves for. */
#ifndef SYNTH_PHYSICS_EXCITERS_H
#define SYNTH_PHYSICS_EXCITERS_H
#if !defined(__OPENCL_C_VERSION__) && !defined(__CUDACC_RTC__)
#include "physics_body.h"
#endif

#define SYNTH_GONE 0.01f           /* m: at this distance from its body a mallet does not return */
#define SYNTH_PLECTRUM_STIFF 0.25f /* fraction of the body's m/h^2 */
#define SYNTH_PLECTRUM_HOLD \
    0.03125f /* factor of m/h^2, accumulated each sample: removes the springs' pull from the error */

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

/* Returns the factor of loudness at a velocity. */
SYNTH_FUNCTION float synth_loudness(float sensitivity, float velocity)
{
    return hed_fma(sensitivity, velocity - 1.0f, 1.0f);
}

/* Steps an ADSR whose parameters are the fields from `field` on and whose state is the entity's
 * first. A note starts at the present level, and is released one sample later at the earliest. */
SYNTH_FUNCTION float synth_adsr(const synth_at *at, synth_self me, uint field, synth_gated gate)
{
    uint seen = synth_state(me, ADSR_S_SEEN), stages = synth_state(me, ADSR_S_STAGE);
    uint levels = synth_state(me, ADSR_S_LEVEL), stage = synth_word(at, stages);
    float level = synth_number(at, levels), sustain = synth_value(at, me, field + ADSR_P_SUSTAIN);
    if (synth_word(at, seen) != gate.count) {
        at->store[seen] = gate.count;
        stage = 1;
    } else if (gate.held == 0 && stage != 0) {
        stage = 3;
    }
    if (stage == 1) level += synth_value(at, me, field + ADSR_P_ATTACK);
    else if (stage == 2)
        level = hed_max(level - synth_value(at, me, field + ADSR_P_DECAY), sustain);
    else if (stage == 3) level -= synth_value(at, me, field + ADSR_P_RELEASE);
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

SYNTH_FUNCTION synth_touch synth_touch_of(const synth_at *at, synth_self me)
{
    synth_touch touch;
    touch.body = synth_bits(at, me, CONTACT_P_BODY);
    touch.nx = synth_value(at, me, CONTACT_P_NX);
    touch.ny = synth_value(at, me, CONTACT_P_NY);
    touch.nz = synth_value(at, me, CONTACT_P_NZ);
    touch.weight = synth_value(at, me, CONTACT_P_WEIGHT);
    touch.gate = synth_gate_at(at, synth_bits(at, me, CONTACT_P_GATE));
    touch.loudness =
        synth_loudness(synth_value(at, me, CONTACT_P_SENSITIVITY), touch.gate.velocity);
    return touch;
}

/* Predicted h v and displacement of the body along the direction, when the force acts; the
 * displacement without any force; and s h^2/m. */
typedef struct synth_ahead {
    float place, speed, coasting, mobility;
} synth_ahead;

SYNTH_FUNCTION synth_ahead synth_ahead_of(
    const synth_layout *layout, const synth_at *at, synth_self me, const synth_touch *touch)
{
    synth_motion m = synth_motion_of(layout, at, touch->body);
    float force = synth_seen(at, me, CONTACT_O_FORCE),
          resistance = synth_seen(at, me, CONTACT_O_RESISTANCE);
    float dilation = synth_dilation(at),
          place = synth_dot(touch->nx, touch->ny, touch->nz, m.x, m.y, m.z);
    float speed = synth_dot(touch->nx, touch->ny, touch->nz, m.u, m.v, m.w);
    synth_ahead ahead;
    ahead.mobility = dilation * synth_parameter(layout, at, SYNTH_BODY, BODY_P_WEIGHT, touch->body);
    ahead.speed = synth_quotient(
        hed_fma(ahead.mobility, force, speed), hed_fma(ahead.mobility, resistance, 1.0f));
    ahead.place = hed_fma(dilation, ahead.speed, place);
    ahead.coasting = hed_fma(dilation, speed, place);
    return ahead;
}

SYNTH_FUNCTION void synth_act(
    const synth_at *at, synth_self me, const synth_touch *touch, float force, float resistance)
{
    synth_show(at, me, CONTACT_O_NX, touch->nx);
    synth_show(at, me, CONTACT_O_NY, touch->ny);
    synth_show(at, me, CONTACT_O_NZ, touch->nz);
    synth_show(at, me, CONTACT_O_FORCE, force);
    synth_show(at, me, CONTACT_O_RESISTANCE, resistance);
}

/* ---- mallet ---- */

/* Returns the force of the felt at compression `c`: F = Q (c^p - hysteresis y) >= 0, y follows
 * c^p. */
SYNTH_FUNCTION float synth_felt(const synth_at *at, synth_self me, float c, float hardness)
{
    uint state = synth_state(me, MALLET_S_FELT);
    float limit = synth_value(at, me, MALLET_P_LIMIT), felt = synth_number(at, state);
    float power =
        c > 0.0f ? synth_power(hed_min(c, limit), synth_value(at, me, MALLET_P_EXPONENT)) : 0.0f;
    felt = synth_approach(felt, power, synth_value(at, me, MALLET_P_RELAXATION));
    at->store[state] = as_uint(felt);
    power = hed_fma(-synth_value(at, me, MALLET_P_HYSTERESIS), felt, power);
    return c > 0.0f ? hardness * hed_max(power, 0.0f) : 0.0f;
}

SYNTH_FUNCTION void synth_mallet(const synth_layout *layout, const synth_at *at, uint mallet)
{
    synth_self me = synth_self_of(layout, SYNTH_MALLET, mallet);
    synth_touch touch = synth_touch_of(at, me);
    uint seen = synth_state(me, MALLET_S_SEEN), actives = synth_state(me, MALLET_S_ACTIVE);
    uint positions = synth_state(me, MALLET_S_POSITION), speeds = synth_state(me, MALLET_S_SPEED);
    uint hardnesses = synth_state(me, MALLET_S_HARDNESS);
    uint starts = synth_word(at, seen) != touch.gate.count;
    float force = 0.0f;
    if (starts || synth_word(at, actives) != 0) {
        float blow = synth_value(at, me, MALLET_P_SPEED),
              noise = synth_value(at, me, MALLET_P_NOISE);
        float soft = synth_value(at, me, MALLET_P_SOFT), hard = synth_value(at, me, MALLET_P_HARD);
        float weight = synth_value(at, me, MALLET_P_WEIGHT), dilation = synth_dilation(at),
              angle = 0.0f;
        float hardness = starts ? hed_fma(hard - soft, touch.gate.velocity, soft)
                                : synth_number(at, hardnesses),
              struck = hardness;
        synth_list links = synth_links_of(layout, at, SYNTH_MALLET, mallet);
        for (uint i = 0; i < links.length; i++) {
            synth_change change = synth_change_at(at, links, i);
            blow = synth_changed(blow, change, SYNTH_IMPULSE, synth_quotient(weight, layout->step));
            hardness = synth_changed(hardness, change, SYNTH_HARDNESS, 1.0f);
            noise = synth_changed(noise, change, SYNTH_MALLET_NOISE, 1.0f);
            angle = synth_changed(angle, change, SYNTH_ROTATION, 1.0f);
        }
        if (angle != 0.0f) synth_rotate(angle, &touch.nx, &touch.nz);
        synth_ahead body = synth_ahead_of(layout, at, me, &touch);
        float position = synth_number(at, positions), speed = synth_number(at, speeds);
        if (starts) {
            at->store[seen] = touch.gate.count;
            at->store[hardnesses] = as_uint(struck);
            at->store[synth_state(me, MALLET_S_FELT)] = 0;
            position = body.place;
            speed = blow * touch.loudness;
        }
        float compression = position - body.place;
        force = synth_felt(at, me, compression, hed_max(hardness, 0.0f));
        if (noise > 0.0f && force > 0.0f)
            force *= hed_fma(hed_min(noise, 1.0f),
                synth_noise(layout, at, synth_bits(at, me, CONTACT_P_NUMBER)), 1.0f);
        speed = hed_fma(-dilation * weight, force, speed);
        at->store[positions] = as_uint(hed_fma(dilation, speed, position));
        at->store[speeds] = as_uint(speed);
        at->store[actives] = compression > -SYNTH_GONE ? 1u : 0u;
    }
    synth_act(at, me, &touch, force * touch.weight, 0.0f);
}

/* ---- plectrum ---- */

/* Steps a plectrum: proportional and integral control of the position, with the body's own speed
 * as damping, solved for by the body. Stable for springs up to the integrator's limit, k h^2/m <
 * 4. The position is that of the body without force: including the plectrum's own pull, but not
 * that of the springs which balances it, would cause a permanent error. */
SYNTH_FUNCTION void synth_plectrum(const synth_layout *layout, const synth_at *at, uint plectrum)
{
    synth_self me = synth_self_of(layout, SYNTH_PLECTRUM, plectrum);
    synth_touch touch = synth_touch_of(at, me);
    uint seen = synth_state(me, PLECTRUM_S_SEEN), times = synth_state(me, PLECTRUM_S_TIME);
    uint starts = synth_word(at, seen) != touch.gate.count;
    float time = starts ? 0.0f : synth_number(at, times), force = 0.0f, resistance = 0.0f;
    if (time >= 0.0f) {
        uint origins = synth_state(me, PLECTRUM_S_ORIGIN),
             depths = synth_state(me, PLECTRUM_S_DEPTH);
        uint pulls = synth_state(me, PLECTRUM_S_PULL);
        float distance = synth_value(at, me, PLECTRUM_P_DISTANCE), dilation = synth_dilation(at),
              angle = 0.0f;
        float duration = synth_value(at, me, PLECTRUM_P_DURATION);
        synth_list links = synth_links_of(layout, at, SYNTH_PLECTRUM, plectrum);
        for (uint i = 0; i < links.length; i++) {
            synth_change change = synth_change_at(at, links, i);
            distance = synth_changed(distance, change, SYNTH_DISTANCE, 1.0f);
            duration =
                synth_changed(duration, change, SYNTH_DURATION, synth_reciprocal(layout->step));
            angle = synth_changed(angle, change, SYNTH_ROTATION, 1.0f);
        }
        if (angle != 0.0f) synth_rotate(angle, &touch.nx, &touch.nz);
        synth_ahead body = synth_ahead_of(layout, at, me, &touch);
        if (starts) {
            at->store[seen] = touch.gate.count;
            at->store[origins] = as_uint(body.coasting);
            at->store[depths] = as_uint(distance * touch.loudness * touch.weight);
            at->store[pulls] = 0;
        }
        duration = hed_max(duration, 1.0f);
        float way = synth_quotient(
            /* displacement of the point in a sample of the body's time */
            synth_number(at, depths), duration);
        float error = hed_fma(way, time, synth_number(at, origins)) - body.coasting;
        /* m/(s h)^2 */
        float stiff = body.mobility > 0.0f ? synth_reciprocal(dilation * body.mobility) : 0.0f;
        float pull = hed_fma(SYNTH_PLECTRUM_HOLD * stiff, error, synth_number(at, pulls));
        at->store[pulls] = as_uint(pull);
        resistance = dilation * stiff;
        force = hed_fma(SYNTH_PLECTRUM_STIFF * stiff, error, hed_fma(resistance, way, pull));
        time += dilation;
        time = time > duration ? -1.0f : time;
        at->store[times] = as_uint(time);
    }
    synth_act(at, me, &touch, force, resistance);
}

/* ---- bow ---- */

/* Friction of slip s: N mu(s) s / (s + creep), mu(s) = sliding + (stiction - sliding)
 * exp(-s / dropoff). The creep makes it continuous at rest. */
#define SYNTH_BOW_CREEP 0.0625f /* fraction of the dropoff */
#define SYNTH_BOW_ROUNDS 3u

typedef struct synth_grip {
    float stiction, sliding, dropoff, creep;
    float push; /* mobility of the body times the normal force N, m a sample */
} synth_grip;

SYNTH_FUNCTION float synth_friction(const synth_grip *grip, float slip)
{
    float drop = synth_exp(-synth_quotient(slip, grip->dropoff));
    return hed_max(hed_fma(grip->stiction - grip->sliding, drop, grip->sliding), 0.0f);
}

/* Solves s + push mu(s) s / (s + creep) = free for the slip s: a quadratic equation for a given mu,
 * repeated from the last slip on, so that of two solutions the nearer one is found: a bow that
 * sticks continues to stick. */
SYNTH_FUNCTION float synth_slip(const synth_grip *grip, float free, float slip)
{
    for (uint i = 0; i < SYNTH_BOW_ROUNDS; i++) {
        float middle = 0.5f * (free - grip->creep - grip->push * synth_friction(grip, slip));
        float product = free * grip->creep, root = synth_root(hed_fma(middle, middle, product));
        slip =
            middle > 0.0f ? middle + root : synth_quotient(product, hed_max(root - middle, 1e-30f));
    }
    return slip;
}

/* Predicts the motion that the body would have without friction in the step in which the force
 * acts: its motion of this sample, which it has had already (a bow's step is late), and the springs'
 * pull in the next one; the position is not part of it. A prediction that lags by a sample flattens
 * notes (80 cents at 350 Hz and 48 kHz) and drives partials that do not fit the period. */
SYNTH_FUNCTION synth_motion synth_bow_ahead(
    const synth_layout *layout, const synth_at *at, uint body)
{
    synth_at next = *at;
    next.read = at->write;
    synth_motion m = synth_motion_of(layout, &next, body);
    synth_body_pull(layout, &next, body, &m);
    return m;
}

/* The control group of a large network (lattice.cl, which has EACH bodies for each item) lacks the
 * springs and gets the bodies' motion a sample later: its bow knows the body's last motion alone,
 * and solves nothing. */
#ifdef EACH
#define SYNTH_BOW_LAGS 1
#else
#define SYNTH_BOW_LAGS 0
#endif

SYNTH_FUNCTION void synth_bow(const synth_layout *layout, const synth_at *at, uint bow)
{
    synth_self me = synth_self_of(layout, SYNTH_BOW, bow);
    float force = 0.0f, resistance = 0.0f;
    float envelope =
        synth_adsr(at, me, BOW_P_ENVELOPE, synth_gate_at(at, synth_bits(at, me, CONTACT_P_GATE)));
#if !SYNTH_BOW_LAGS
    synth_motion m;
    m.u = m.v = m.w = 0.0f;
    /* first, when few values are in registers */
    if (envelope > 0.0f) m = synth_bow_ahead(layout, at, synth_bits(at, me, CONTACT_P_BODY));
#endif
    synth_touch touch = synth_touch_of(at, me);
    if (envelope > 0.0f) {
        float speed = synth_value(at, me, BOW_P_SPEED),
              stiction = synth_value(at, me, BOW_P_STICTION);
        float sliding = synth_value(at, me, BOW_P_SLIDING),
              dropoff = synth_value(at, me, BOW_P_DROPOFF);
        float normal = synth_value(at, me, BOW_P_FORCE) * envelope * touch.loudness * touch.weight,
              angle = 0.0f;
        synth_list links = synth_links_of(layout, at, SYNTH_BOW, bow);
        for (uint i = 0; i < links.length; i++) {
            synth_change change = synth_change_at(at, links, i);
            speed = synth_changed(speed, change, SYNTH_DRAW_VELOCITY, layout->step);
            stiction = synth_changed(stiction, change, SYNTH_STICTION, 1.0f);
            dropoff = synth_changed(dropoff, change, SYNTH_DROPOFF, layout->step);
            angle = synth_changed(angle, change, SYNTH_ROTATION, 1.0f);
        }
        if (angle != 0.0f) synth_rotate(angle, &touch.nx, &touch.nz);
        /* the least force that keeps the string to one slip a period grows with the speed */
        speed *= touch.loudness;
        synth_grip grip;
        grip.stiction = stiction;
        grip.sliding = sliding;
        grip.dropoff = hed_max(dropoff, 1e-9f);
        grip.creep = SYNTH_BOW_CREEP * grip.dropoff;
#if SYNTH_BOW_LAGS
        float slip = hed_magnitude(speed - synth_ahead_of(layout, at, me, &touch).speed);
#else
        grip.push = synth_dilation(at) *
                    synth_parameter(layout, at, SYNTH_BODY, BODY_P_WEIGHT, touch.body) * normal;
        uint slips = synth_state(me, BOW_S_SLIP);
        float free = speed - synth_dot(touch.nx, touch.ny, touch.nz, m.u, m.v, m.w);
        float slip = synth_slip(&grip, hed_magnitude(free), synth_number(at, slips));
        at->store[slips] = as_uint(slip);
#endif
        resistance = synth_quotient(normal * synth_friction(&grip, slip), grip.creep + slip);
        force = resistance * speed;
    }
    synth_act(at, me, &touch, force, resistance);
}

SYNTH_FUNCTION void synth_damper(const synth_layout *layout, const synth_at *at, uint damper)
{
    synth_self me = synth_self_of(layout, SYNTH_DAMPER, damper);
    synth_touch touch = synth_touch_of(at, me);
    float lifted = synth_adsr(at, me, DAMPER_P_ENVELOPE, touch.gate),
          resistance = synth_value(at, me, DAMPER_P_RESISTANCE) * touch.weight;
    synth_act(at, me, &touch, 0.0f, resistance * (1.0f - lifted));
}

/* ---- oscillator, sound ---- */

/* State of an oscillator or LFO (words of phase and held value), waveform, and number for noise. */
typedef struct synth_swing {
    uint phases, holds, wave, number;
} synth_swing;

/* Returns the present value, then advances the phase by `frequency` times `step` of a period. A
 * held value of 0: draw a new one. */
SYNTH_FUNCTION float synth_swing_on(const synth_layout *layout, const synth_at *at,
    synth_swing swing, float frequency, float step, float pulse)
{
    uint phase = synth_word(at, swing.phases),
         next = phase + hed_uint(hed_max(frequency, 0.0f) * step * 4294967296.0f);
    /* 2^-24 */
    float part = (float)(phase >> 8) * 5.96046448e-08f, held = synth_number(at, swing.holds);
    at->store[swing.phases] = next;
    if (swing.wave == SYNTH_SINE) return synth_sine(phase);
    if (swing.wave == SYNTH_SAW) return hed_fma(2.0f, part, -1.0f);
    if (swing.wave == SYNTH_RECTANGLE) return part < pulse ? 1.0f : -1.0f;
    held = held == 0.0f ? synth_noise(layout, at, swing.number) : held;
    at->store[swing.holds] = swing.wave == SYNTH_NOISE || next < phase ? 0u : as_uint(held);
    return held;
}

/* Difference of a band-limited step and a plain one, `x` samples after a step of height 1. The
 * band-limited step is the integral of a sum of cosines over 16 samples: h(x) = (1/16)(1 + 2 sum of
 * a_m cos(m pi x/8)), whose a_m were fitted to a low-pass (pass 0.38, stop 0.5 of the rate). The
 * constants are (-1)^m a_m/(m pi), summed by Clenshaw's recurrence (cf. E. Brandt, "Hard sync
 * without aliasing", 2001). */
#define SYNTH_EDGE 7.999f
SYNTH_FUNCTION float synth_edge(float x)
{
    if (!(hed_magnitude(x) < SYNTH_EDGE)) return 0.0f;
    uint phase = hed_uint((x + 8.0f) * 268435456.0f); /* 2^32 in 16 samples */
    float c = 2.0f * synth_sine(phase + 0x40000000u);
    float u7 = -0.0101267014f, u6 = hed_fma(c, u7, 0.0456548988f),
          u5 = hed_fma(c, u6, -0.0664015877f) - u7, u4 = hed_fma(c, u5, 0.0769935967f) - u6,
          u3 = hed_fma(c, u4, -0.109100175f) - u5, u2 = hed_fma(c, u3, 0.155022472f) - u4,
          u1 = hed_fma(c, u2, -0.326192914f) - u3;
    float step = hed_fma(synth_sine(phase), u1, hed_fma(x, 0.0625f, 0.5f));
    return x < 0.0f ? step : step - 1.0f;
}

/* Sums synth_edge() over a step in each period; `phase`: since the step, 2^32 a period; `turn`:
 * advance of the phase in a sample, below half a period. */
SYNTH_FUNCTION float synth_edges(uint phase, uint turn)
{
    float turns = (float)turn, x = synth_quotient((float)(int)phase, turns), sum = synth_edge(x);
    uint periods = hed_uint(hed_fma(turns, 1.86264515e-09f, 0.5f)); /* 8 samples in periods */
    for (uint k = 1u; k <= periods; k++) {
        float distance = synth_quotient((float)k * 4294967296.0f, turns);
        sum += synth_edge(x - distance) + synth_edge(x + distance);
    }
    return sum;
}

/* Takes the frequencies above half of the rate from a saw or rectangle; other waves stay. */
SYNTH_FUNCTION float synth_band_limited(uint wave, float value, uint phase, uint turn, float pulse)
{
    if (turn == 0u || (wave != SYNTH_SAW && wave != SYNTH_RECTANGLE)) return value;
    if (turn >= 0x80000000u) return 0.0f;
    if (wave == SYNTH_SAW) return hed_fma(-2.0f, synth_edges(phase, turn), value);
    uint fall = hed_uint(hed_clamp(pulse, 0.0f, 0.99999994f) * 4294967296.0f);
    value = phase < fall ? 1.0f : -1.0f;
    return hed_fma(2.0f, synth_edges(phase, turn) - synth_edges(phase - fall, turn), value);
}

SYNTH_FUNCTION void synth_oscillator(
    const synth_layout *layout, const synth_at *at, uint oscillator)
{
    synth_self me = synth_self_of(layout, SYNTH_OSCILLATOR, oscillator);
    synth_touch touch = synth_touch_of(at, me);
    float envelope = synth_adsr(at, me, OSCILLATOR_P_ENVELOPE, touch.gate), force = 0.0f;
    if (envelope > 0.0f) {
        synth_swing swing;
        swing.phases = synth_state(me, OSCILLATOR_S_PHASE);
        swing.holds = synth_state(me, OSCILLATOR_S_HOLD);
        swing.wave = synth_bits(at, me, OSCILLATOR_P_WAVE);
        swing.number = synth_bits(at, me, CONTACT_P_NUMBER);
        float frequency = synth_value(at, me, OSCILLATOR_P_FREQUENCY);
        float pulse = synth_value(at, me, OSCILLATOR_P_PULSE);
        float gain = synth_value(at, me, OSCILLATOR_P_GAIN), angle = 0.0f;
        synth_list links = synth_links_of(layout, at, SYNTH_OSCILLATOR, oscillator);
        for (uint i = 0; i < links.length; i++) {
            synth_change change = synth_change_at(at, links, i);
            frequency = synth_changed(frequency, change, SYNTH_FREQUENCY, 1.0f);
            pulse = synth_changed(pulse, change, SYNTH_PULSE_WIDTH, 1.0f);
            gain = synth_changed(gain, change, SYNTH_GAIN, 1.0f);
            angle = synth_changed(angle, change, SYNTH_ROTATION, 1.0f);
        }
        if (angle != 0.0f) synth_rotate(angle, &touch.nx, &touch.nz);
        uint phase = synth_word(at, swing.phases);
        float value = synth_swing_on(layout, at, swing, frequency, layout->step, pulse);
        value = synth_band_limited(
            swing.wave, value, phase, synth_word(at, swing.phases) - phase, pulse);
        force = gain * envelope * touch.loudness * touch.weight * value;
    }
    synth_act(at, me, &touch, force, 0.0f);
}

SYNTH_FUNCTION void synth_audio(const synth_layout *layout, const synth_at *at, uint audio)
{
    synth_self me = synth_self_of(layout, SYNTH_AUDIO_INPUT, audio);
    synth_touch touch = synth_touch_of(at, me);
    uint source = synth_bits(at, me, AUDIO_P_SOURCE);
    float gain = synth_value(at, me, AUDIO_P_GAIN), angle = 0.0f, sound = 0.0f;
    if (synth_bits(at, me, AUDIO_P_GATED) != 0)
        touch.weight *= synth_adsr(at, me, AUDIO_P_ENVELOPE, touch.gate);
    synth_list links = synth_links_of(layout, at, SYNTH_AUDIO_INPUT, audio);
    for (uint i = 0; i < links.length; i++) {
        synth_change change = synth_change_at(at, links, i);
        gain = synth_changed(gain, change, SYNTH_GAIN, 1.0f);
        angle = synth_changed(angle, change, SYNTH_ROTATION, 1.0f);
    }
    if (angle != 0.0f) synth_rotate(angle, &touch.nx, &touch.nz);
    if (source & SYNTH_AUDIO_SIGNAL)
        sound = synth_number(at, at->read + (source & ~SYNTH_AUDIO_SIGNAL));
    else if (source != SYNTH_AUDIO_SILENT) sound = at->inputs[source * at->frames + at->frame];
    synth_act(at, me, &touch, gain * touch.weight * sound, 0.0f);
}

#endif
