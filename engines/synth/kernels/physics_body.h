/* Bodies, springs and microphones. physics_store.h and physics_spring.h precede this text.
 *
 * Stoermer-Verlet in positions, stored as displacement from rest and h v (notes in
 * heddle/synth.h).
 *
 * Denormals: a wind of 1e-16 N along each axis acts on every free body, so that a decayed motion
 * ends at an offset that the springs balance, and its speed at 1e-25 m a sample / damping
 * instead of 0. So no force, position or speed becomes denormal. Both are part of the model, on
 * every device. */
#ifndef SYNTH_PHYSICS_BODY_H
#define SYNTH_PHYSICS_BODY_H
#if !defined(__OPENCL_C_VERSION__) && !defined(__CUDACC_RTC__)
#include "physics_store.h"
#include "physics_spring.h"
#endif

#define SYNTH_WIND 1e-16f /* N */
#define SYNTH_PULLS 2u    /* springs of a body that are computed at once */

/* Returns the factor by which damping reduces a body's velocity in one sample. Some 48,000 of
 * these factors are multiplied in a second: an ulp of one is then 0.3 % of the loudness, so fast
 * mode has the same bits. */
SYNTH_FUNCTION float synth_keep(float rate, float dilation) { return hed_exp(-rate * dilation); }

/* A body's displacement and h v. */
typedef struct synth_motion {
    float x, y, z, u, v, w;
} synth_motion;

SYNTH_FUNCTION synth_motion synth_motion_of(
    const synth_layout *layout, const synth_at *at, uint body)
{
    uint word = at->read + layout->type[SYNTH_BODY].signal + body,
         stride = layout->type[SYNTH_BODY].count;
    synth_motion m;
    m.x = synth_number(at, word);
    m.y = synth_number(at, word + stride);
    m.z = synth_number(at, word + 2u * stride);
    m.u = synth_number(at, word + 3u * stride);
    m.v = synth_number(at, word + 4u * stride);
    m.w = synth_number(at, word + 5u * stride);
    return m;
}

typedef struct synth_force {
    float x, y, z;
} synth_force;

/* Returns the force of entry `entry` of a body's springs. `more`: some spring has damping or a
 * cubic term. */
SYNTH_FUNCTION synth_force synth_pull(const synth_layout *layout, const synth_at *at,
    const synth_motion *here, synth_list springs, uint entry, uint more)
{
    uint head = springs.first + entry * SYNTH_SPRING_WORDS * springs.stride;
    uint other = synth_word(at, head), spring = synth_word(at, head + springs.stride);
    uint index = spring & SYNTH_SPRING_INDEX, sign = spring & SYNTH_SPRING_REVERSED;
    uint count = layout->type[SYNTH_SPRING].count, modulated = layout->type[SYNTH_SPRING].modulated;
    uint word = layout->type[SYNTH_SPRING].parameter + index, step = count;
    /* rest length, excess, stiffness, damping: parameters, or signals of a modulated spring */
    uint values = word + SPRING_P_REST * count;
    float d0x = hed_flip(synth_number(at, word), sign),
          d0y = hed_flip(synth_number(at, word + count), sign);
    float d0z = hed_flip(synth_number(at, word + 2u * count), sign);
    uint place = at->read + layout->type[SYNTH_BODY].signal + other,
         bodies = layout->type[SYNTH_BODY].count;
    float ux = synth_number(at, place) - here->x, uy = synth_number(at, place + bodies) - here->y;
    float uz = synth_number(at, place + 2u * bodies) - here->z, tension;
    if (index < modulated) {
        values = at->read + layout->type[SYNTH_SPRING].signal + index;
        step = modulated;
    }
    float rest = synth_number(at, values), excess = synth_number(at, values + step),
          stiffness = synth_number(at, values + 2u * step);
    if (more) {
        float vx = synth_number(at, place + 3u * bodies) - here->u,
              vy = synth_number(at, place + 4u * bodies) - here->v;
        float vz = synth_number(at, place + 5u * bodies) - here->w;
        tension = synth_tension_more(d0x, d0y, d0z, ux, uy, uz, rest, excess, stiffness,
            synth_number(at, word + SPRING_P_CUBIC * count), synth_number(at, values + 3u * step),
            vx, vy, vz, SYNTH_HAS_DAMPING | SYNTH_HAS_CUBIC);
    } else {
        tension = synth_tension(d0x, d0y, d0z, ux, uy, uz, rest, excess, stiffness);
    }
    synth_force force;
    force.x =
        tension *
        (d0x +
            ux); /* not fused with the sum, so that both ends have the same force in every solver */
    force.y = tension * (d0y + uy);
    force.z = tension * (d0z + uz);
    return force;
}

/* Adds the forces of `count` entries (a constant) from `entry` on: all loads precede the first
 * sum, so that they wait for local memory together. */
SYNTH_FUNCTION void synth_pull_some(const synth_layout *layout, const synth_at *at,
    const synth_motion *here, synth_list springs, uint entry, uint count, uint more,
    synth_force *sum)
{
    synth_force forces[SYNTH_PULLS];
    for (uint k = 0; k < count; k++)
        forces[k] = synth_pull(layout, at, here, springs, entry + k, more);
    for (uint k = 0; k < count; k++) {
        sum->x += forces[k].x;
        sum->y += forces[k].y;
        sum->z += forces[k].z;
    }
}

/* Sums the forces of a body's springs, in the order of its list. */
SYNTH_FUNCTION synth_force synth_pull_all(const synth_layout *layout, const synth_at *at,
    const synth_motion *here, synth_list springs, uint more)
{
    synth_force sum = {SYNTH_WIND, SYNTH_WIND, SYNTH_WIND};
    uint entry = 0;
    for (; entry + SYNTH_PULLS <= springs.length; entry += SYNTH_PULLS)
        synth_pull_some(layout, at, here, springs, entry, SYNTH_PULLS, more, &sum);
    if (entry < springs.length) synth_pull_some(layout, at, here, springs, entry, 1u, more, &sum);
    return sum;
}

/* Applies the contact whose signal NX is word `word`: solves for (u, v, w) along its direction.
 * `mobility` is s h^2/m. */
SYNTH_FUNCTION void synth_push(
    const synth_at *at, uint word, uint step, float mobility, synth_motion *motion)
{
    float nx = synth_number(at, word), ny = synth_number(at, word + step),
          nz = synth_number(at, word + 2u * step);
    float force = synth_number(at, word + 3u * step),
          resistance = synth_number(at, word + 4u * step);
    float before = synth_dot(nx, ny, nz, motion->u, motion->v, motion->w);
    float after =
        synth_quotient(hed_fma(mobility, force, before), hed_fma(mobility, resistance, 1.0f));
    motion->u = hed_fma(nx, after - before, motion->u);
    motion->v = hed_fma(ny, after - before, motion->v);
    motion->w = hed_fma(nz, after - before, motion->w);
}

/* Applies modulation to a body: mass, damping, and an anchor's position. */
SYNTH_FUNCTION void synth_body_changes(const synth_layout *layout, const synth_at *at, uint body,
    float *weight, float *rate, synth_motion *anchor)
{
    synth_self me = synth_self_of(layout, SYNTH_BODY, body);
    synth_list links = synth_links_of(layout, at, SYNTH_BODY, body);
    float h = layout->step, mass = *weight > 0.0f ? synth_quotient(h * h, *weight) : 1.0f;
    float x0 = synth_value(at, me, BODY_P_X), y0 = synth_value(at, me, BODY_P_Y);
    float z0 = synth_value(at, me, BODY_P_Z), x = x0, y = y0, z = z0, least = 0.01f * mass;
    for (uint i = 0; i < links.length; i++) {
        synth_change change = synth_change_at(at, links, i);
        mass = synth_changed(mass, change, SYNTH_MASS, 1.0f);
        *rate = synth_changed(*rate, change, SYNTH_DAMPING, 2.0f * h);
        x = synth_changed(x, change, SYNTH_POSITION_X, 1.0f);
        y = synth_changed(y, change, SYNTH_POSITION_Y, 1.0f);
        z = synth_changed(z, change, SYNTH_POSITION_Z, 1.0f);
    }
    if (*weight > 0.0f) *weight = synth_quotient(h * h, hed_max(mass, least));
    anchor->x = x - x0;
    anchor->y = y - y0;
    anchor->z = z - z0;
}

SYNTH_FUNCTION void synth_body_show(
    const synth_layout *layout, const synth_at *at, uint body, const synth_motion *m)
{
    uint word = at->write + layout->type[SYNTH_BODY].signal + body,
         stride = layout->type[SYNTH_BODY].count;
    at->store[word] = as_uint(m->x);
    at->store[word + stride] = as_uint(m->y);
    at->store[word + 2u * stride] = as_uint(m->z);
    at->store[word + 3u * stride] = as_uint(m->u);
    at->store[word + 4u * stride] = as_uint(m->v);
    at->store[word + 5u * stride] = as_uint(m->w);
}

/* Completes a body's step after the contacts: damping and displacement. */
SYNTH_FUNCTION void synth_body_end(const synth_layout *layout, const synth_at *at, uint body,
    float mobility, float keep, synth_motion m)
{
    float dilation = synth_dilation(at);
    m.u = synth_kept(m.u, keep, mobility);
    m.v = synth_kept(m.v, keep, mobility);
    m.w = synth_kept(m.w, keep, mobility);
    m.x = synth_went(m.x, m.u, dilation);
    m.y = synth_went(m.y, m.v, dilation);
    m.z = synth_went(m.z, m.w, dilation);
    synth_body_show(layout, at, body, &m);
}

/* Completes a body's step after the springs' force: contacts, damping, displacement. */
SYNTH_FUNCTION void synth_body_go(const synth_layout *layout, const synth_at *at, uint body,
    float fx, float fy, float fz, synth_motion m)
{
    synth_self me = synth_self_of(layout, SYNTH_BODY, body);
    float weight = synth_value(at, me, BODY_P_WEIGHT), rate = synth_value(at, me, BODY_P_RATE);
    float dilation = synth_dilation(at);
    if (synth_links_of(layout, at, SYNTH_BODY, body).length > 0) {
        synth_motion anchor;
        synth_body_changes(layout, at, body, &weight, &rate, &anchor);
        if (weight == 0.0f) { /* moves to its modulated position */
            anchor.u = synth_quotient(anchor.x - m.x, dilation);
            anchor.v = synth_quotient(anchor.y - m.y, dilation);
            anchor.w = synth_quotient(anchor.z - m.z, dilation);
            synth_body_show(layout, at, body, &anchor);
            return;
        }
    }
    float mobility = dilation * weight, keep = synth_keep(rate, dilation);
    m.u = synth_pushed(m.u, fx, mobility);
    m.v = synth_pushed(m.v, fy, mobility);
    m.w = synth_pushed(m.w, fz, mobility);
    synth_list forces =
        synth_list_of(at, layout->type[SYNTH_BODY].forces, layout->type[SYNTH_BODY].count, body);
    for (uint i = 0; i < forces.length; i++) {
        uint word = forces.first + i * SYNTH_FORCE_WORDS * forces.stride;
        synth_push(at, at->read + synth_word(at, word), synth_word(at, word + forces.stride),
            mobility, &m);
    }
    synth_body_end(layout, at, body, mobility, keep, m);
}

SYNTH_FUNCTION void synth_body(const synth_layout *layout, const synth_at *at, uint body)
{
    synth_motion m = synth_motion_of(layout, at, body);
    synth_list springs =
        synth_list_of(at, layout->type[SYNTH_BODY].list, layout->type[SYNTH_BODY].count, body);
    if (synth_parameter(layout, at, SYNTH_BODY, BODY_P_WEIGHT, body) == 0.0f) springs.length = 0;
    synth_force sum = layout->flags & (SYNTH_HAS_DAMPING | SYNTH_HAS_CUBIC)
                          ? synth_pull_all(layout, at, &m, springs, 1u)
                          : synth_pull_all(layout, at, &m, springs, 0u);
    synth_body_go(layout, at, body, sum.x, sum.y, sum.z, m);
}

/* Applies the springs' pull to a body without modulation. */
SYNTH_FUNCTION void synth_body_pull(
    const synth_layout *layout, const synth_at *at, uint body, synth_motion *m)
{
    synth_list springs =
        synth_list_of(at, layout->type[SYNTH_BODY].list, layout->type[SYNTH_BODY].count, body);
    float mobility =
        synth_dilation(at) * synth_parameter(layout, at, SYNTH_BODY, BODY_P_WEIGHT, body);
    if (mobility == 0.0f) springs.length = 0;
    synth_force sum = layout->flags & (SYNTH_HAS_DAMPING | SYNTH_HAS_CUBIC)
                          ? synth_pull_all(layout, at, m, springs, 1u)
                          : synth_pull_all(layout, at, m, springs, 0u);
    m->u = synth_pushed(m->u, sum.x, mobility);
    m->v = synth_pushed(m->v, sum.y, mobility);
    m->w = synth_pushed(m->w, sum.z, mobility);
}

/* Steps a modulated spring: bodies read its values of the previous sample. */
SYNTH_FUNCTION void synth_spring(const synth_layout *layout, const synth_at *at, uint spring)
{
    synth_self me = synth_self_of(layout, SYNTH_SPRING, spring);
    uint modulated = layout->type[SYNTH_SPRING].modulated;
    float x = synth_value(at, me, SPRING_P_X), y = synth_value(at, me, SPRING_P_Y);
    float z = synth_value(at, me, SPRING_P_Z), rest = synth_value(at, me, SPRING_P_REST);
    float stiffness = synth_value(at, me, SPRING_P_STIFFNESS);
    float damping = synth_value(at, me, SPRING_P_DAMPING),
          length = synth_root(synth_square(x, y, z));
    synth_list links = synth_links_of(layout, at, SYNTH_SPRING, spring);
    for (uint i = 0; i < links.length; i++) {
        synth_change change = synth_change_at(at, links, i);
        rest = synth_changed(rest, change, SYNTH_REST_LENGTH, 1.0f);
        stiffness = synth_changed(stiffness, change, SYNTH_STIFFNESS, 1.0f);
        damping = synth_changed(damping, change, SYNTH_DAMPING, synth_reciprocal(layout->step));
    }
    rest = hed_max(rest, 0.0f);
    float excess = (length - rest) * (length + rest);
    uint word = at->write + layout->type[SYNTH_SPRING].signal + spring;
    at->store[word + SPRING_O_REST * modulated] = as_uint(rest);
    at->store[word + SPRING_O_EXCESS * modulated] = as_uint(excess == 0.0f ? SYNTH_SLACK : excess);
    at->store[word + SPRING_O_STIFFNESS * modulated] = as_uint(hed_max(stiffness, 0.0f));
    at->store[word + SPRING_O_DAMPING * modulated] = as_uint(hed_max(damping, 0.0f));
}

SYNTH_FUNCTION synth_hearing synth_hearing_of(
    const synth_layout *layout, const synth_at *at, uint microphone)
{
    synth_self me = synth_self_of(layout, SYNTH_MICROPHONE, microphone);
    synth_hearing m;
    float angle = 0.0f;
    m.x = synth_value(at, me, MICROPHONE_P_X);
    m.y = synth_value(at, me, MICROPHONE_P_Y);
    m.z = synth_value(at, me, MICROPHONE_P_Z);
    m.nx = synth_value(at, me, MICROPHONE_P_NX);
    m.ny = synth_value(at, me, MICROPHONE_P_NY);
    m.nz = synth_value(at, me, MICROPHONE_P_NZ);
    m.directionality = synth_value(at, me, MICROPHONE_P_DIRECTIONALITY);
    m.isotropy = synth_value(at, me, MICROPHONE_P_ISOTROPY);
    synth_list links = synth_links_of(layout, at, SYNTH_MICROPHONE, microphone);
    for (uint i = 0; i < links.length; i++) {
        synth_change change = synth_change_at(at, links, i);
        m.x = synth_changed(m.x, change, SYNTH_POSITION_X, 1.0f);
        m.y = synth_changed(m.y, change, SYNTH_POSITION_Y, 1.0f);
        m.z = synth_changed(m.z, change, SYNTH_POSITION_Z, 1.0f);
        m.directionality = hed_clamp(
            synth_changed(m.directionality, change, SYNTH_DIRECTIONALITY, 1.0f), 0.0f, 1.0f);
        m.isotropy = hed_clamp(synth_changed(m.isotropy, change, SYNTH_ISOTROPY, 1.0f), 0.0f, 1.0f);
        angle = synth_changed(angle, change, SYNTH_ROTATION, 1.0f);
    }
    if (angle != 0.0f) synth_rotate(angle, &m.nx, &m.nz);
    return m;
}

SYNTH_FUNCTION void synth_ear(const synth_layout *layout, const synth_at *at, uint ear)
{
    synth_self me = synth_self_of(layout, SYNTH_EAR, ear);
    synth_hearing m = synth_hearing_of(layout, at, synth_bits(at, me, EAR_P_MICROPHONE));
    synth_list bodies =
        synth_list_of(at, layout->type[SYNTH_EAR].list, layout->type[SYNTH_EAR].count, ear);
    float sum = 0.0f;
    for (uint i = 0; i < bodies.length; i++) {
        uint word = bodies.first + i * SYNTH_EAR_WORDS * bodies.stride, body = synth_word(at, word);
        synth_motion b = synth_motion_of(layout, at, body);
        synth_self it = synth_self_of(layout, SYNTH_BODY, body);
        float rx = synth_value(at, it, BODY_P_X) - m.x + b.x,
              ry = synth_value(at, it, BODY_P_Y) - m.y + b.y;
        float rz = synth_value(at, it, BODY_P_Z) - m.z + b.z;
        sum = hed_fma(synth_number(at, word + bodies.stride),
            synth_heard(&m, rx, ry, rz, b.u, b.v, b.w), sum);
    }
    synth_show(at, me, EAR_O_SUM, sum);
}

/* Returns a compressor's gain: (level / threshold)^slope above the threshold. */
SYNTH_FUNCTION float synth_compress(const synth_at *at, synth_self me, float signal)
{
    float slope = synth_value(at, me, MICROPHONE_P_SLOPE);
    if (slope == 0.0f) return 1.0f;
    uint state = synth_state(me, MICROPHONE_S_LEVEL);
    float level = synth_number(at, state), now = hed_magnitude(signal);
    float threshold = synth_value(at, me, MICROPHONE_P_THRESHOLD);
    level = synth_approach(
        level, now, synth_value(at, me, now > level ? MICROPHONE_P_ATTACK : MICROPHONE_P_RELEASE));
    at->store[state] = as_uint(level);
    return level > threshold ? synth_power(synth_quotient(level, threshold), slope) : 1.0f;
}

SYNTH_FUNCTION void synth_microphone(
    const synth_layout *layout, const synth_at *at, uint microphone)
{
    synth_self me = synth_self_of(layout, SYNTH_MICROPHONE, microphone);
    float gain = synth_value(at, me, MICROPHONE_P_GAIN);
    float pan = synth_value(at, me, MICROPHONE_P_PAN), sum = 0.0f;
    uint ears = synth_bits(at, me, MICROPHONE_P_EARS);
    uint first = synth_bits(at, me, MICROPHONE_P_FIRST_EAR);
    uint stem = synth_bits(at, me, MICROPHONE_P_STEM);
    synth_list links = synth_links_of(layout, at, SYNTH_MICROPHONE, microphone);
    for (uint i = 0; i < links.length; i++) {
        synth_change change = synth_change_at(at, links, i);
        gain = synth_changed_gain(gain, change);
        pan = synth_changed(pan, change, SYNTH_PAN, 1.0f);
    }
    for (uint i = 0; i < ears; i++)
        sum += synth_seen(at, synth_self_of(layout, SYNTH_EAR, first + i), EAR_O_SUM);
    float signal = sum * gain;
    signal *= synth_compress(at, me, signal) * synth_value(at, me, MICROPHONE_P_MAKEUP);
    synth_show(at, me, MICROPHONE_O_SIGNAL, signal);
    if (stem == SYNTH_NO_STEM) return;
    uint state = synth_state(me, MICROPHONE_S_VOLUME);
    float volume = synth_approach(synth_number(at, state), synth_number(at, SYNTH_VOLUME),
        synth_value(at, me, MICROPHONE_P_FOLLOW));
    at->store[state] = as_uint(volume);
    signal *= volume;
    pan = hed_clamp(pan, -1.0f, 1.0f);
    at->stems[2u * stem] = signal * synth_root(hed_fma(-0.5f, pan, 0.5f));
    at->stems[2u * stem + 1u] = signal * synth_root(hed_fma(0.5f, pan, 0.5f));
}

#endif
