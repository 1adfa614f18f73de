/* One step of all bodies of the native structure, compiled for each vector unit there may be. The formulas are physics_body.h's, in loops over
 * lanes that compilers turn into vectors; every operation of a lane is the one that synth_body() does, so the bits are the same. */
#include "solver/native_bodies.h"

#include <string.h>

#define ALWAYS static inline __attribute__((always_inline))

/* A word of the store taken for what it holds. */
typedef float cell __attribute__((may_alias));

typedef struct lanes {
    float x[SYNTH_LANES], y[SYNTH_LANES], z[SYNTH_LANES];
} lanes;

/* LANES neighbours' places or speeds. */
ALWAYS void load(const cell *from, uint32_t stride, lanes *to)
{
    memcpy(to->x, from, sizeof to->x);
    memcpy(to->y, from + stride, sizeof to->y);
    memcpy(to->z, from + 2 * (size_t)stride, sizeof to->z);
}

/* Those of any bodies. */
ALWAYS void gather(const cell *from, uint32_t stride, const uint32_t *others, lanes *to)
{
    const cell *second = from + stride, *third = second + stride;
    for (int l = 0; l < SYNTH_LANES; l++) {
        to->x[l] = from[others[l]];
        to->y[l] = second[others[l]];
        to->z[l] = third[others[l]];
    }
}

ALWAYS void fetch(const cell *from, uint32_t stride, const uint32_t *others, bool in_line, lanes *to)
{
    if (in_line) load(from + others[0], stride, to);
    else gather(from, stride, others, to);
}

ALWAYS void add_row(const float *v, const lanes *other, const lanes *here, lanes *force)
{
    for (int l = 0; l < SYNTH_LANES; l++) {
        float ux = other->x[l] - here->x[l], uy = other->y[l] - here->y[l], uz = other->z[l] - here->z[l];
        float d0x = v[SPRING_P_X * SYNTH_LANES + l], d0y = v[SPRING_P_Y * SYNTH_LANES + l], d0z = v[SPRING_P_Z * SYNTH_LANES + l];
        float tension = synth_tension(d0x, d0y, d0z, ux, uy, uz, v[SPRING_P_REST * SYNTH_LANES + l], v[SPRING_P_EXCESS * SYNTH_LANES + l],
                                      v[SPRING_P_STIFFNESS * SYNTH_LANES + l]);
        force->x[l] = hed_fma(tension, d0x + ux, force->x[l]);
        force->y[l] = hed_fma(tension, d0y + uy, force->y[l]);
        force->z[l] = hed_fma(tension, d0z + uz, force->z[l]);
    }
}

ALWAYS void add_row_more(const float *v, const lanes *other, const lanes *other_speed, const lanes *here, const lanes *speed, lanes *force)
{
    for (int l = 0; l < SYNTH_LANES; l++) {
        float ux = other->x[l] - here->x[l], uy = other->y[l] - here->y[l], uz = other->z[l] - here->z[l];
        float d0x = v[SPRING_P_X * SYNTH_LANES + l], d0y = v[SPRING_P_Y * SYNTH_LANES + l], d0z = v[SPRING_P_Z * SYNTH_LANES + l];
        float tension = synth_tension_more(d0x, d0y, d0z, ux, uy, uz, v[SPRING_P_REST * SYNTH_LANES + l], v[SPRING_P_EXCESS * SYNTH_LANES + l],
                                           v[SPRING_P_STIFFNESS * SYNTH_LANES + l], v[SPRING_P_CUBIC * SYNTH_LANES + l],
                                           v[SPRING_P_DAMPING * SYNTH_LANES + l], other_speed->x[l] - speed->x[l],
                                           other_speed->y[l] - speed->y[l], other_speed->z[l] - speed->z[l]);
        force->x[l] = hed_fma(tension, d0x + ux, force->x[l]);
        force->y[l] = hed_fma(tension, d0y + uy, force->y[l]);
        force->z[l] = hed_fma(tension, d0z + uz, force->z[l]);
    }
}

/* One axis of LANES bodies without contacts. */
ALWAYS void move(const float *place, const float *speed, const float *force, const float *mobility, const float *keep, float dilation, cell *to,
                 cell *speed_to)
{
    float v[SYNTH_LANES];
    for (int l = 0; l < SYNTH_LANES; l++) v[l] = synth_pushed(speed[l], force[l], mobility[l]) * keep[l];
    for (int l = 0; l < SYNTH_LANES; l++) speed_to[l] = v[l];
    for (int l = 0; l < SYNTH_LANES; l++) to[l] = synth_went(place[l], v[l], dilation);
}

ALWAYS void step_slice(const synth_bodies *b, const synth_layout *layout, const synth_at *at, const synth_body_values *values, uint32_t slice, bool more)
{
    uint32_t first = b->first[slice], count = layout->type[SYNTH_BODY].count;
    const cell *read = (const cell *)at->store + at->read + layout->type[SYNTH_BODY].signal;
    lanes here, speed, other, other_speed, force;
    for (int l = 0; l < SYNTH_LANES; l++) force.x[l] = force.y[l] = force.z[l] = SYNTH_WIND;
    load(read + first, count, &here);
    load(read + (size_t)BODY_O_U * count + first, count, &speed);
    for (uint32_t row = b->begin[slice]; row < b->begin[slice + 1]; row++) {
        const uint32_t *others = b->others + (size_t)row * SYNTH_LANES;
        const float *v = values->rows + (size_t)row * SPRING_PARAMETERS * SYNTH_LANES;
        fetch(read, count, others, b->in_line[row], &other);
        if (more) {
            fetch(read + (size_t)BODY_O_U * count, count, others, b->in_line[row], &other_speed);
            add_row_more(v, &other, &other_speed, &here, &speed, &force);
        } else {
            add_row(v, &other, &here, &force);
        }
    }
    if (b->plain[slice]) {
        cell *write = (cell *)at->store + at->write + layout->type[SYNTH_BODY].signal + first;
        float dilation = synth_dilation(at);
        const float *mobility = values->mobility + first, *keep = values->keep + first;
        move(here.x, speed.x, force.x, mobility, keep, dilation, write, write + BODY_O_U * (size_t)count);
        move(here.y, speed.y, force.y, mobility, keep, dilation, write + count, write + BODY_O_V * (size_t)count);
        move(here.z, speed.z, force.z, mobility, keep, dilation, write + 2 * (size_t)count, write + BODY_O_W * (size_t)count);
        return;
    }
    for (uint32_t l = 0; l < SYNTH_LANES; l++) {
        synth_motion m = {here.x[l], here.y[l], here.z[l], speed.x[l], speed.y[l], speed.z[l]};
        synth_body_go(layout, at, first + l, force.x[l], force.y[l], force.z[l], m);
    }
}

ALWAYS void step_all(const synth_bodies *b, const synth_layout *layout, const synth_at *at, const synth_body_values *values)
{
    if (layout->flags & (SYNTH_HAS_DAMPING | SYNTH_HAS_CUBIC)) {
        for (uint32_t i = 0; i < b->slices; i++) step_slice(b, layout, at, values, i, true);
    } else {
        for (uint32_t i = 0; i < b->slices; i++) step_slice(b, layout, at, values, i, false);
    }
}

#if defined(__x86_64__)
__attribute__((target("avx512f,avx512vl,avx512dq,avx512bw,fma"), flatten)) static void step_avx512(
    const synth_bodies *b, const synth_layout *layout, const synth_at *at, const synth_body_values *values)
{
    step_all(b, layout, at, values);
}
__attribute__((target("avx2,fma"), flatten)) static void step_avx2(const synth_bodies *b, const synth_layout *layout, const synth_at *at,
                                                                   const synth_body_values *values)
{
    step_all(b, layout, at, values);
}
#endif

/* Modulated springs are what their signals say. */
static void refresh(const synth_bodies *b, const synth_layout *layout, const synth_at *at, synth_body_values *values)
{
    uint32_t modulated = layout->type[SYNTH_SPRING].modulated;
    for (uint32_t i = 0; i < modulated; i++) {
        for (uint32_t end = 0; end < SYNTH_ENDS && b->slots[i * SYNTH_ENDS + end] != SYNTH_EMPTY; end++) {
            uint32_t slot = b->slots[i * SYNTH_ENDS + end];
            float *to = values->rows + ((size_t)(slot / SYNTH_LANES) * SPRING_PARAMETERS + SPRING_P_REST) * SYNTH_LANES + slot % SYNTH_LANES;
            for (uint32_t field = 0; field < SPRING_SIGNALS; field++)
                to[field * SYNTH_LANES] = synth_number(at, at->read + layout->type[SYNTH_SPRING].signal + field * modulated + i);
        }
    }
}

void synth_bodies_step(const synth_bodies *b, const synth_layout *layout, const synth_at *at, synth_body_values *values)
{
    if (b->slices == 0) {
        for (uint32_t i = 0; i < layout->type[SYNTH_BODY].count; i++) synth_body(layout, at, i);
        return;
    }
    refresh(b, layout, at, values);
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq")) {
        step_avx512(b, layout, at, values);
        return;
    }
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        step_avx2(b, layout, at, values);
        return;
    }
#endif
    step_all(b, layout, at, values);
}
