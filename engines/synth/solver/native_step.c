/* One step of an instance in the native structure, compiled for each vector unit there may be. The formulas are
 * physics_body.h's, in loops over lanes that compilers turn into vectors; every operation of a lane is the one
 * that synth_body() does, so the bits are the same. */
#include "solver/native_bodies.h"

#include <string.h>

#define ALWAYS static inline __attribute__((always_inline))

/* A word of the store taken for what it holds. */
typedef float cell __attribute__((may_alias));
/* Compilers take sums of whole rows to pieces where they are loops. */
typedef float vector __attribute__((vector_size(SYNTH_LANES * sizeof(float)), aligned(sizeof(float)), may_alias));

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

/* Forces on `here` of the springs of a block, to those at `other`. */
ALWAYS void pull(const float *v, const lanes *here, const lanes *other, lanes *force)
{
    for (int l = 0; l < SYNTH_LANES; l++) {
        float ux = other->x[l] - here->x[l], uy = other->y[l] - here->y[l], uz = other->z[l] - here->z[l];
        float d0x = v[SPRING_P_X * SYNTH_LANES + l], d0y = v[SPRING_P_Y * SYNTH_LANES + l],
              d0z = v[SPRING_P_Z * SYNTH_LANES + l];
        float tension = synth_tension(d0x, d0y, d0z, ux, uy, uz, v[SPRING_P_REST * SYNTH_LANES + l],
                                      v[SPRING_P_EXCESS * SYNTH_LANES + l], v[SPRING_P_STIFFNESS * SYNTH_LANES + l]);
        force->x[l] = tension * (d0x + ux);
        force->y[l] = tension * (d0y + uy);
        force->z[l] = tension * (d0z + uz);
    }
}

/* The same with damping and the cubic term. */
ALWAYS void pull_more(const float *v, const lanes *here, const lanes *other, const lanes *speed,
                      const lanes *other_speed, lanes *force)
{
    for (int l = 0; l < SYNTH_LANES; l++) {
        float ux = other->x[l] - here->x[l], uy = other->y[l] - here->y[l], uz = other->z[l] - here->z[l];
        float d0x = v[SPRING_P_X * SYNTH_LANES + l], d0y = v[SPRING_P_Y * SYNTH_LANES + l],
              d0z = v[SPRING_P_Z * SYNTH_LANES + l];
        float tension = synth_tension_more(
            d0x, d0y, d0z, ux, uy, uz, v[SPRING_P_REST * SYNTH_LANES + l], v[SPRING_P_EXCESS * SYNTH_LANES + l],
            v[SPRING_P_STIFFNESS * SYNTH_LANES + l], v[SPRING_P_CUBIC * SYNTH_LANES + l],
            v[SPRING_P_DAMPING * SYNTH_LANES + l], other_speed->x[l] - speed->x[l], other_speed->y[l] - speed->y[l],
            other_speed->z[l] - speed->z[l]);
        force->x[l] = tension * (d0x + ux);
        force->y[l] = tension * (d0y + uy);
        force->z[l] = tension * (d0z + uz);
    }
}

/* Forces of all bands. */
ALWAYS void step_bands(const synth_bodies *b, const synth_layout *layout, const synth_at *at,
                       const synth_body_values *values, bool more)
{
    uint32_t count = layout->type[SYNTH_BODY].count;
    const cell *read = (const cell *)at->store + at->read + layout->type[SYNTH_BODY].signal,
               *speeds = read + (size_t)BODY_O_U * count;
    for (uint32_t i = 0; i < b->part_count; i++) {
        const synth_part *part = &b->parts[i];
        const float *v = values->blocks + (size_t)i * SPRING_PARAMETERS * SYNTH_LANES;
        float *to = values->forces + part->force;
        lanes here, other, speed, other_speed, force;
        load(read + part->lower, count, &here);
        load(read + part->upper, count, &other);
        if (more) {
            load(speeds + part->lower, count, &speed);
            load(speeds + part->upper, count, &other_speed);
            pull_more(v, &here, &other, &speed, &other_speed, &force);
        } else {
            pull(v, &here, &other, &force);
        }
        memcpy(to, force.x, sizeof force.x);
        memcpy(to + b->forces, force.y, sizeof force.y);
        memcpy(to + 2 * (size_t)b->forces, force.z, sizeof force.z);
    }
}

ALWAYS void add(lanes *sum, const lanes *force)
{
    *(vector *)sum->x += *(const vector *)force->x;
    *(vector *)sum->y += *(const vector *)force->y;
    *(vector *)sum->z += *(const vector *)force->z;
}
ALWAYS void subtract(lanes *sum, const lanes *force)
{
    *(vector *)sum->x -= *(const vector *)force->x;
    *(vector *)sum->y -= *(const vector *)force->y;
    *(vector *)sum->z -= *(const vector *)force->z;
}

/* One axis of LANES bodies, but for contacts. */
ALWAYS void move(const float *place, const float *speed, const float *force, const float *mobility, const float *keep,
                 float dilation, cell *to, cell *speed_to)
{
    float v[SYNTH_LANES];
    for (int l = 0; l < SYNTH_LANES; l++)
        v[l] = synth_kept(synth_pushed(speed[l], force[l], mobility[l]), keep[l], mobility[l]);
    for (int l = 0; l < SYNTH_LANES; l++) speed_to[l] = v[l];
    for (int l = 0; l < SYNTH_LANES; l++) to[l] = synth_went(place[l], v[l], dilation);
}

ALWAYS void step_slice(const synth_bodies *b, const synth_layout *layout, const synth_at *at,
                       const synth_body_values *values, uint32_t slice, bool more)
{
    uint32_t first = b->first[slice], count = layout->type[SYNTH_BODY].count;
    const cell *read = (const cell *)at->store + at->read + layout->type[SYNTH_BODY].signal,
               *speeds = read + (size_t)BODY_O_U * count;
    lanes here, speed, other, other_speed, force, sum;
    for (int l = 0; l < SYNTH_LANES; l++) sum.x[l] = sum.y[l] = sum.z[l] = SYNTH_WIND;
    load(read + first, count, &here);
    load(speeds + first, count, &speed);
    for (uint32_t i = b->row_begin[slice]; i < b->row_begin[slice + 1]; i++) {
        synth_row row = b->rows[i];
        if (row.kind != SYNTH_ROW_GATHER) {
            load(values->forces + row.at, b->forces, &force);
            if (row.kind == SYNTH_ROW_PLUS) add(&sum, &force);
            else subtract(&sum, &force);
            continue;
        }
        const uint32_t *others = b->others + (size_t)row.at * SYNTH_LANES;
        const float *v = values->blocks + (size_t)row.at * SPRING_PARAMETERS * SYNTH_LANES;
        gather(read, count, others, &other);
        if (more) {
            gather(speeds, count, others, &other_speed);
            pull_more(v, &here, &other, &speed, &other_speed, &force);
        } else {
            pull(v, &here, &other, &force);
        }
        add(&sum, &force);
    }
    cell *write = (cell *)at->store + at->write + layout->type[SYNTH_BODY].signal + first;
    float dilation = synth_dilation(at);
    const float *mobility = values->mobility + first, *keep = values->keep + first;
    move(here.x, speed.x, sum.x, mobility, keep, dilation, write, write + BODY_O_U * (size_t)count);
    move(here.y, speed.y, sum.y, mobility, keep, dilation, write + count, write + BODY_O_V * (size_t)count);
    move(here.z, speed.z, sum.z, mobility, keep, dilation, write + 2 * (size_t)count,
         write + BODY_O_W * (size_t)count);
    for (uint32_t left = b->special[slice]; left != 0;
         left &= left - 1) { /* these go once more, with what else acts on them */
        uint32_t l = (uint32_t)__builtin_ctz(left);
        synth_motion m = {here.x[l], here.y[l], here.z[l], speed.x[l], speed.y[l], speed.z[l]};
        synth_body_go(layout, at, first + l, sum.x[l], sum.y[l], sum.z[l], m);
    }
}

/* An ear: what is heard of each body by vectors, then the sum in its order. */
ALWAYS void step_ear(const synth_layout *layout, const synth_at *at, uint32_t ear)
{
    synth_self me = synth_self_of(layout, SYNTH_EAR, ear);
    synth_hearing m = synth_hearing_of(layout, at, synth_bits(at, me, EAR_P_MICROPHONE));
    synth_list bodies = synth_list_of(at, layout->type[SYNTH_EAR].list, layout->type[SYNTH_EAR].count, ear);
    uint32_t count = layout->type[SYNTH_BODY].count, others[SYNTH_LANES];
    const cell *read = (const cell *)at->store + at->read + layout->type[SYNTH_BODY].signal;
    lanes place, moved, speed;
    float heard[SYNTH_LANES], sum = 0.0f;
    for (uint32_t l = 0; l < SYNTH_LANES; l++) /* those that are not there hear the first one */
        others[l] = synth_word(at, bodies.first + (l < bodies.length ? l : 0) * SYNTH_EAR_WORDS * bodies.stride);
    gather((const cell *)at->store + layout->type[SYNTH_BODY].parameter + (size_t)BODY_P_X * count, count, others,
           &place);
    gather(read, count, others, &moved);
    gather(read + (size_t)BODY_O_U * count, count, others, &speed);
    for (int l = 0; l < SYNTH_LANES; l++) {
        heard[l] = synth_heard(&m, place.x[l] - m.x + moved.x[l], place.y[l] - m.y + moved.y[l],
                               place.z[l] - m.z + moved.z[l], speed.x[l], speed.y[l], speed.z[l]);
    }
    for (uint32_t i = 0; i < bodies.length; i++)
        sum = hed_fma(synth_number(at, bodies.first + (i * SYNTH_EAR_WORDS + 1) * bodies.stride), heard[i], sum);
    synth_show(at, me, EAR_O_SUM, sum);
}

ALWAYS void step_bodies(const synth_bodies *b, const synth_layout *layout, const synth_at *at,
                        const synth_body_values *values, bool more)
{
    step_bands(b, layout, at, values, more);
    for (uint32_t i = 0; i < b->slices; i++) step_slice(b, layout, at, values, i, more);
}

ALWAYS void step_all(const synth_bodies *b, const synth_layout *layout, const synth_at *at,
                     const synth_body_values *values)
{
    if (b->slices == 0) {
        for (uint32_t i = 0; i < layout->type[SYNTH_BODY].count; i++) synth_body(layout, at, i);
    } else if (layout->flags & (SYNTH_HAS_DAMPING | SYNTH_HAS_CUBIC)) {
        step_bodies(b, layout, at, values, true);
    } else {
        step_bodies(b, layout, at, values, false);
    }
    for (uint32_t i = 0; i < layout->type[SYNTH_SPRING].modulated; i++) synth_spring(layout, at, i);
    for (uint32_t type = SYNTH_MICROPHONE; type <= SYNTH_DELAY; type++) {
        for (uint32_t i = 0; i < layout->type[type].count; i++) synth_entity(layout, at, type, i);
    }
    for (uint32_t i = 0; i < layout->type[SYNTH_EAR].count; i++) step_ear(layout, at, i);
}

#if defined(__x86_64__)
__attribute__((target("avx512f,avx512vl,avx512dq,avx512bw,fma"), flatten)) static void
step_avx512(const synth_bodies *b, const synth_layout *layout, const synth_at *at, const synth_body_values *values)
{
    step_all(b, layout, at, values);
}
__attribute__((target("avx2,fma"), flatten)) static void
step_avx2(const synth_bodies *b, const synth_layout *layout, const synth_at *at, const synth_body_values *values)
{
    step_all(b, layout, at, values);
}
#endif

/* Modulated springs are what their signals say. */
static void refresh(const synth_bodies *b, const synth_layout *layout, const synth_at *at, synth_body_values *values)
{
    uint32_t modulated = layout->type[SYNTH_SPRING].modulated;
    for (uint32_t i = 0; i < modulated; i++) {
        for (const uint32_t *place = b->places + i * SYNTH_PLACES;
             place < b->places + (i + 1) * SYNTH_PLACES && *place != SYNTH_EMPTY; place++) {
            float *to = values->blocks +
                        ((size_t)(*place / SYNTH_LANES) * SPRING_PARAMETERS + SPRING_P_REST) * SYNTH_LANES +
                        *place % SYNTH_LANES;
            for (uint32_t field = 0; field < SPRING_SIGNALS; field++)
                to[field * SYNTH_LANES] =
                    synth_number(at, at->read + layout->type[SYNTH_SPRING].signal + field * modulated + i);
        }
    }
}

void synth_native_step(const synth_bodies *b, const synth_layout *layout, const synth_at *at,
                       synth_body_values *values)
{
    refresh(b, layout, at, values);
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw")) {
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
