/* One step of a share of an instance (native_bodies.h), as text: each file that includes it compiles it for other
 * vectors, as SYNTH_STEP. The formulas are physics_body.h's, in loops over lanes that compilers turn into vectors;
 * every operation of a lane is the one that synth_body() does, so the bits are the same. */
#include "solver/native_bodies.h"

#define ALWAYS static inline __attribute__((always_inline))
/* A loop over lanes with a whole formula in it: clang makes vectors of that only where it stands alone. */
#if defined(__clang__)
#define LOOP static __attribute__((noinline))
#else
#define LOOP ALWAYS
#endif

/* A word of the store taken for what it holds. */
typedef float cell __attribute__((may_alias));
/* As many lanes as the processor takes at once: what is stored by some width is loaded by that width, or the load
 * waits; and compilers take sums of whole rows to pieces where they are loops over lanes. */
#if defined(SYNTH_WIDE)
enum { VECTOR = 16 };
#else
enum { VECTOR = 8 };
#endif
typedef float vector __attribute__((vector_size(VECTOR * sizeof(float)), aligned(sizeof(float)), may_alias));
/* A packed place. */
typedef float quad __attribute__((vector_size(4 * sizeof(float)), aligned(sizeof(float)), may_alias));

typedef struct lanes {
    float x[SYNTH_LANES], y[SYNTH_LANES], z[SYNTH_LANES];
} lanes;

/* LANES neighbours' places or speeds. */
ALWAYS void load(const cell *from, uint32_t stride, lanes *to)
{
    for (int l = 0; l < SYNTH_LANES; l += VECTOR) {
        *(vector *)(to->x + l) = *(const vector *)(from + l);
        *(vector *)(to->y + l) = *(const vector *)(from + stride + l);
        *(vector *)(to->z + l) = *(const vector *)(from + 2 * (size_t)stride + l);
    }
}

/* Those of the first `count` lanes; 0 in the others. */
ALWAYS void load_few(const cell *from, uint32_t stride, uint32_t count, lanes *to)
{
    for (uint32_t l = 0; l < SYNTH_LANES; l++) to->x[l] = l < count ? from[l] : 0.0f;
    for (uint32_t l = 0; l < SYNTH_LANES; l++) to->y[l] = l < count ? from[stride + l] : 0.0f;
    for (uint32_t l = 0; l < SYNTH_LANES; l++) to->z[l] = l < count ? from[2 * (size_t)stride + l] : 0.0f;
}
ALWAYS void store_few(const lanes *from, uint32_t stride, uint32_t count, cell *to)
{
    for (uint32_t l = 0; l < count; l++) {
        to[l] = from->x[l];
        to[stride + l] = from->y[l];
        to[2 * (size_t)stride + l] = from->z[l];
    }
}
ALWAYS void store(const lanes *from, uint32_t stride, cell *to)
{
    for (int l = 0; l < SYNTH_LANES; l += VECTOR) {
        *(vector *)(to + l) = *(const vector *)(from->x + l);
        *(vector *)(to + stride + l) = *(const vector *)(from->y + l);
        *(vector *)(to + 2 * (size_t)stride + l) = *(const vector *)(from->z + l);
    }
}

ALWAYS void copy_lanes(const lanes *from, lanes *to)
{
    for (int l = 0; l < SYNTH_LANES; l += VECTOR) {
        *(vector *)(to->x + l) = *(const vector *)(from->x + l);
        *(vector *)(to->y + l) = *(const vector *)(from->y + l);
        *(vector *)(to->z + l) = *(const vector *)(from->z + l);
    }
}

/* Of four numbers in each quarter of two vectors: the first two of each, by turns; and the last two. */
#if defined(SYNTH_WIDE)
#define FIRST_PAIRS(a, b) _mm512_unpacklo_ps(a, b)
#define LAST_PAIRS(a, b) _mm512_unpackhi_ps(a, b)
#define FIRST_HALVES(a, b) _mm512_shuffle_ps(a, b, 0x44) /* the first two of `a`, then of `b` */
#define LAST_HALVES(a, b) _mm512_shuffle_ps(a, b, 0xee)
#else
#define FIRST_PAIRS(a, b) __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13)
#define LAST_PAIRS(a, b) __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15)
#define FIRST_HALVES(a, b) __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13)
#define LAST_HALVES(a, b) __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15)
#endif

/* Every fourth packed place, from at[0] on. The wide ones are inserted from memory: compilers would load each and
 * shuffle it in. */
#if defined(SYNTH_WIDE)
#define PLACE(packed, at) _mm_loadu_ps((packed) + *(at))
#define INSERT(v, packed, at, k) _mm512_insertf32x4(v, PLACE(packed, (at) + 4 * (k)), k)
#define FOURTHS(packed, at) \
    INSERT(INSERT(INSERT(_mm512_castps128_ps512(PLACE(packed, at)), packed, at, 1), packed, at, 2), packed, at, 3)
#else
#define PLACE(packed, at) (*(const quad *)((packed) + *(at)))
#define FOURTHS(packed, at) \
    __builtin_shufflevector(PLACE(packed, at), PLACE(packed, (at) + 4), 0, 1, 2, 3, 4, 5, 6, 7)
#endif

/* Whatever is packed at LANES places: a quarter of the loads that its numbers would take one by one; fours are then
 * turned to fields. */
ALWAYS void gather(const float *packed, const uint32_t *at, lanes *to)
{
    for (int l = 0; l < SYNTH_LANES; l += VECTOR, at += VECTOR) {
        vector a = FOURTHS(packed, at), b = FOURTHS(packed, at + 1), c = FOURTHS(packed, at + 2),
               d = FOURTHS(packed, at + 3);
        vector xy0 = FIRST_PAIRS(a, b), xy1 = FIRST_PAIRS(c, d), z0 = LAST_PAIRS(a, b), z1 = LAST_PAIRS(c, d);
        *(vector *)(to->x + l) = FIRST_HALVES(xy0, xy1);
        *(vector *)(to->y + l) = LAST_HALVES(xy0, xy1);
        *(vector *)(to->z + l) = FIRST_HALVES(z0, z1);
    }
}

/* The other way: neighbours' places to their packed ones, whose fourth is any number. */
ALWAYS void pack(const lanes *from, float *packed)
{
    for (int l = 0; l < SYNTH_LANES; l += VECTOR, packed += VECTOR * SYNTH_PACKED) {
        vector x = *(const vector *)(from->x + l), y = *(const vector *)(from->y + l),
               z = *(const vector *)(from->z + l), xy0 = FIRST_PAIRS(x, y), xy1 = LAST_PAIRS(x, y),
               z0 = FIRST_PAIRS(z, z), z1 = LAST_PAIRS(z, z);
        vector turned[4] = {FIRST_HALVES(xy0, z0), LAST_HALVES(xy0, z0), FIRST_HALVES(xy1, z1), LAST_HALVES(xy1, z1)};
        for (int k = 0; k < VECTOR; k++)
            *(quad *)(packed + k * SYNTH_PACKED) = *((const quad *)&turned[k % 4] + k / 4);
    }
}

/* Forces on `here` of the springs of a block, to those at `other`. */
LOOP void pull(const float *v, const lanes *here, const lanes *other, lanes *restrict force)
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
LOOP void pull_more(const float *v, const lanes *here, const lanes *other, const lanes *speed,
                    const lanes *other_speed, lanes *restrict force)
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

/* Forces of the bands that the share needs. */
ALWAYS void step_bands(const synth_step *s, bool more)
{
    const synth_bodies *b = s->bodies;
    uint32_t count = s->layout->type[SYNTH_BODY].count;
    const cell *read = (const cell *)s->at->store + s->at->read + s->layout->type[SYNTH_BODY].signal,
               *speeds = read + (size_t)BODY_O_U * count;
    for (uint32_t i = 0; i < s->share->part_count; i++) {
        uint32_t number = s->share->parts[i];
        if (s->values->spare[number]) continue;
        const synth_part *part = &b->parts[number];
        const float *v = s->values->blocks + (size_t)number * SPRING_PARAMETERS * SYNTH_LANES;
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
        store(&force, b->forces, s->forces + part->force);
    }
}

ALWAYS void add(lanes *sum, const lanes *force)
{
    for (int l = 0; l < SYNTH_LANES; l += VECTOR) {
        *(vector *)(sum->x + l) += *(const vector *)(force->x + l);
        *(vector *)(sum->y + l) += *(const vector *)(force->y + l);
        *(vector *)(sum->z + l) += *(const vector *)(force->z + l);
    }
}
ALWAYS void subtract(lanes *sum, const lanes *force)
{
    for (int l = 0; l < SYNTH_LANES; l += VECTOR) {
        *(vector *)(sum->x + l) -= *(const vector *)(force->x + l);
        *(vector *)(sum->y + l) -= *(const vector *)(force->y + l);
        *(vector *)(sum->z + l) -= *(const vector *)(force->z + l);
    }
}

/* The springs' forces on a slice, in the order of its rows. */
ALWAYS void sum_rows(const synth_step *s, uint32_t slice, bool more, const lanes *here, const lanes *speed,
                     lanes *sum)
{
    const synth_bodies *b = s->bodies;
    const float *places = synth_packed_at(s->layout, s->values, s->at->sample & 1, 0),
                *speeds = synth_packed_at(s->layout, s->values, s->at->sample & 1, 1);
    lanes other, other_speed, force;
    for (uint32_t i = b->row_begin[slice]; i < b->row_begin[slice + 1]; i++) {
        synth_row row = b->rows[i];
        if (row.kind != SYNTH_ROW_GATHER) {
            load(s->forces + row.at, b->forces, &force);
            if (row.kind == SYNTH_ROW_PLUS) add(sum, &force);
            else subtract(sum, &force);
            continue;
        }
        const uint32_t *others = b->others + (size_t)row.at * SYNTH_LANES;
        const float *v = s->values->blocks + (size_t)row.at * SPRING_PARAMETERS * SYNTH_LANES;
        gather(places, others, &other);
        if (more) {
            gather(speeds, others, &other_speed);
            pull_more(v, here, &other, speed, &other_speed, &force);
        } else {
            pull(v, here, &other, &force);
        }
        add(sum, &force);
    }
}

/* One axis of LANES bodies: what force does; then what damping and time do. */
ALWAYS void push(const float *speed, const float *force, const float *mobility, float *pushed)
{
    for (int l = 0; l < SYNTH_LANES; l++) pushed[l] = synth_pushed(speed[l], force[l], mobility[l]);
}
ALWAYS void go(const float *place, const float *speed, const float *mobility, const float *keep, float dilation,
               float *to, float *kept)
{
    for (int l = 0; l < SYNTH_LANES; l++) {
        kept[l] = synth_kept(speed[l], keep[l], mobility[l]);
        to[l] = synth_went(place[l], kept[l], dilation);
    }
}

/* Where rows of others find what a slice is now. */
ALWAYS void show_packed(const synth_step *s, uint32_t first, bool more, const lanes *place, const lanes *speed)
{
    uint32_t half = 1 - (s->at->sample & 1);
    pack(place, synth_packed_at(s->layout, s->values, half, 0) + (size_t)first * SYNTH_PACKED);
    if (more) pack(speed, synth_packed_at(s->layout, s->values, half, 1) + (size_t)first * SYNTH_PACKED);
}

/* Likewise for one of them, from the store. */
ALWAYS void show_one(const synth_step *s, uint32_t body)
{
    uint32_t half = 1 - (s->at->sample & 1), count = s->layout->type[SYNTH_BODY].count;
    const cell *now = (const cell *)s->at->store + s->at->write + s->layout->type[SYNTH_BODY].signal + body;
    float *place = synth_packed_at(s->layout, s->values, half, 0) + (size_t)body * SYNTH_PACKED,
          *speed = synth_packed_at(s->layout, s->values, half, 1) + (size_t)body * SYNTH_PACKED;
    for (uint32_t k = 0; k < 3; k++) {
        place[k] = now[(size_t)k * count];
        speed[k] = now[(size_t)(BODY_O_U + k) * count];
    }
}

/* A body with contacts once more, from the forces of its springs on. Contacts that neither push nor resist change
 * nothing. */
ALWAYS void touch(const synth_step *s, uint32_t body, const synth_force *sum)
{
    const synth_at *at = s->at;
    const synth_type_layout *bodies = &s->layout->type[SYNTH_BODY];
    synth_list forces = synth_list_of(at, bodies->forces, bodies->count, body);
    float mobility = s->values->mobility[body];
    synth_motion m = synth_motion_of(s->layout, at, body);
    bool touched = false;
    m.u = synth_pushed(m.u, sum->x, mobility);
    m.v = synth_pushed(m.v, sum->y, mobility);
    m.w = synth_pushed(m.w, sum->z, mobility);
    for (uint32_t i = 0; i < forces.length; i++) {
        uint32_t entry = forces.first + i * SYNTH_FORCE_WORDS * forces.stride;
        uint32_t word = at->read + synth_word(at, entry), step = synth_word(at, entry + forces.stride);
        if (synth_number(at, word + CONTACT_O_FORCE * step) == 0.0f &&
            synth_number(at, word + CONTACT_O_RESISTANCE * step) == 0.0f)
            continue;
        synth_push(at, word, step, mobility, &m);
        touched = true;
    }
    if (!touched) return;
    synth_body_end(s->layout, at, body, mobility, s->values->keep[body], m);
    if (synth_gathers(s->bodies)) show_one(s, body);
}

/* Bodies of a slice with contacts or modulation, one by one. From a copy of the forces: lanes that are looked at one
 * by one are kept in memory. */
static __attribute__((noinline)) void step_special(const synth_step *s, uint32_t slice, const lanes *sum)
{
    uint32_t touched = s->bodies->touched[slice], modulated = s->bodies->modulated[slice];
    for (uint32_t left = touched | modulated; left != 0; left &= left - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(left), body = s->bodies->first[slice] + l;
        synth_force force = {sum->x[l], sum->y[l], sum->z[l]};
        if (touched >> l & 1u) {
            touch(s, body, &force);
            continue;
        }
        synth_body_go(s->layout, s->at, body, force.x, force.y, force.z, synth_motion_of(s->layout, s->at, body));
        if (synth_gathers(s->bodies)) show_one(s, body);
    }
}

/* `few`: there are fewer bodies than lanes. */
ALWAYS void step_slice(const synth_step *s, uint32_t slice, bool more, bool few)
{
    const synth_layout *layout = s->layout;
    uint32_t first = s->bodies->first[slice], count = layout->type[SYNTH_BODY].count;
    const cell *read = (const cell *)s->at->store + s->at->read + layout->type[SYNTH_BODY].signal + first;
    cell *write = (cell *)s->at->store + s->at->write + layout->type[SYNTH_BODY].signal + first;
    const float *mobility = s->values->mobility + first, *keep = s->values->keep + first;
    lanes place, speed, sum, pushed, to, kept;
    for (int l = 0; l < SYNTH_LANES; l++) sum.x[l] = sum.y[l] = sum.z[l] = SYNTH_WIND;
    if (few) load_few(read, count, count, &place);
    else load(read, count, &place);
    if (few) load_few(read + BODY_O_U * (size_t)count, count, count, &speed);
    else load(read + BODY_O_U * (size_t)count, count, &speed);
    sum_rows(s, slice, more, &place, &speed, &sum);
    push(speed.x, sum.x, mobility, pushed.x);
    push(speed.y, sum.y, mobility, pushed.y);
    push(speed.z, sum.z, mobility, pushed.z);
    go(place.x, pushed.x, mobility, keep, synth_dilation(s->at), to.x, kept.x);
    go(place.y, pushed.y, mobility, keep, synth_dilation(s->at), to.y, kept.y);
    go(place.z, pushed.z, mobility, keep, synth_dilation(s->at), to.z, kept.z);
    if (few) store_few(&to, count, count, write);
    else store(&to, count, write);
    if (few) store_few(&kept, count, count, write + BODY_O_U * (size_t)count);
    else store(&kept, count, write + BODY_O_U * (size_t)count);
    if (synth_gathers(s->bodies)) show_packed(s, first, more, &to, &kept);
    if (s->bodies->touched[slice] | s->bodies->modulated[slice]) {
        lanes copy;
        copy_lanes(&sum, &copy);
        step_special(s, slice, &copy);
    }
}

/* Whether a slice is left out, for it stands still. */
ALWAYS bool rests(const synth_step *s, uint32_t slice)
{
    uint8_t *still = &s->values->still[slice];
    if (*still == 0 || *still == SYNTH_STILL) return *still == SYNTH_STILL;
    if (++*still == SYNTH_STILL) s->values->still[s->bodies->slices] = 1;
    return false;
}

ALWAYS void step_slices(const synth_step *s, bool more)
{
    step_bands(s, more);
    if (s->layout->type[SYNTH_BODY].count < SYNTH_LANES) {
        for (uint32_t i = s->share->slice_begin; i < s->share->slice_end; i++)
            if (!rests(s, i)) step_slice(s, i, more, true);
    } else {
        for (uint32_t i = s->share->slice_begin; i < s->share->slice_end; i++)
            if (!rests(s, i)) step_slice(s, i, more, false);
    }
}

/* ---- what is no body ---- */

/* Those of any bodies, by field. */
ALWAYS void gather_fields(const cell *from, uint32_t stride, const uint32_t *others, lanes *to)
{
    const cell *second = from + stride, *third = second + stride;
    for (int l = 0; l < SYNTH_LANES; l++) {
        to->x[l] = from[others[l]];
        to->y[l] = second[others[l]];
        to->z[l] = third[others[l]];
    }
}

/* An ear: what is heard of each body by vectors where that pays, then the sum in its order. */
ALWAYS void step_ear(const synth_layout *layout, const synth_at *at, uint32_t ear)
{
    synth_self me = synth_self_of(layout, SYNTH_EAR, ear);
    synth_hearing m = synth_hearing_of(layout, at, synth_bits(at, me, EAR_P_MICROPHONE));
    synth_list bodies = synth_list_of(at, layout->type[SYNTH_EAR].list, layout->type[SYNTH_EAR].count, ear);
    if (bodies.length < SYNTH_LANES / 4) {
        synth_ear(layout, at, ear);
        return;
    }
    uint32_t count = layout->type[SYNTH_BODY].count, others[SYNTH_LANES];
    const cell *read = (const cell *)at->store + at->read + layout->type[SYNTH_BODY].signal;
    lanes place, moved, speed;
    float heard[SYNTH_LANES], sum = 0.0f;
    for (uint32_t l = 0; l < SYNTH_LANES; l++) /* those that are not there hear the first one */
        others[l] = synth_word(at, bodies.first + (l < bodies.length ? l : 0) * SYNTH_EAR_WORDS * bodies.stride);
    gather_fields((const cell *)at->store + layout->type[SYNTH_BODY].parameter + (size_t)BODY_P_X * count, count,
                  others, &place);
    gather_fields(read, count, others, &moved);
    gather_fields(read + (size_t)BODY_O_U * count, count, others, &speed);
    for (int l = 0; l < SYNTH_LANES; l++) {
        heard[l] = synth_heard(&m, place.x[l] - m.x + moved.x[l], place.y[l] - m.y + moved.y[l],
                               place.z[l] - m.z + moved.z[l], speed.x[l], speed.y[l], speed.z[l]);
    }
    for (uint32_t i = 0; i < bodies.length; i++)
        sum = hed_fma(synth_number(at, bodies.first + (i * SYNTH_EAR_WORDS + 1) * bodies.stride), heard[i], sum);
    synth_show(at, me, EAR_O_SUM, sum);
}

/* Whether an entity that sleeps (native_bodies.h) has stepped to where it was: nothing moves it but a poke. What it
 * shows is then the same in both halves after three such steps: the first may still have shown the end of a force.
 * `level` is what the state LEVEL was before. */
ALWAYS bool is_idle(const synth_step *s, uint32_t type, uint32_t i, uint32_t level)
{
    synth_self me = synth_self_of(s->layout, type, i);
    const synth_at *at = s->at;
    switch (type) {
    case SYNTH_MALLET: return synth_word(at, synth_state(me, MALLET_S_ACTIVE)) == 0;
    case SYNTH_PLECTRUM: return synth_number(at, synth_state(me, PLECTRUM_S_TIME)) < 0.0f;
    case SYNTH_BOW:
    case SYNTH_OSCILLATOR: return synth_word(at, synth_state(me, ADSR_S_STAGE)) == 0;
    case SYNTH_ENVELOPE:
        return i >= s->layout->type[type].modulated && synth_word(at, synth_state(me, ADSR_S_STAGE)) == 0;
    default:
        return i >= s->layout->type[type].modulated && synth_word(at, synth_state(me, MIDI_S_LEVEL)) == level;
    }
}

ALWAYS void step_sleepers(const synth_step *s, uint32_t type)
{
    uint8_t *idle = s->values->idle + s->bodies->sleepers[type];
    for (uint32_t i = 0; i < s->layout->type[type].count; i++) {
        if (idle[i] == 3) continue;
        synth_self me = synth_self_of(s->layout, type, i);
        uint32_t level = type == SYNTH_MIDI ? synth_word(s->at, synth_state(me, MIDI_S_LEVEL)) : 0;
        synth_entity(s->layout, s->at, type, i);
        idle[i] = is_idle(s, type, i, level) ? idle[i] + 1 : 0;
    }
}

ALWAYS void step_type(const synth_step *s, uint32_t type)
{
    for (uint32_t i = 0; i < s->layout->type[type].count; i++) synth_entity(s->layout, s->at, type, i);
}

static void step_others(const synth_step *s)
{
    for (uint32_t i = 0; i < s->layout->type[SYNTH_SPRING].modulated; i++) synth_spring(s->layout, s->at, i);
    step_type(s, SYNTH_MICROPHONE);
    step_sleepers(s, SYNTH_MALLET);
    step_sleepers(s, SYNTH_PLECTRUM);
    step_sleepers(s, SYNTH_BOW);
    step_sleepers(s, SYNTH_OSCILLATOR);
    step_type(s, SYNTH_AUDIO);
    step_type(s, SYNTH_LFO);
    step_sleepers(s, SYNTH_ENVELOPE);
    step_type(s, SYNTH_FOLLOWER);
    step_sleepers(s, SYNTH_MIDI);
    step_type(s, SYNTH_DELAY);
    for (uint32_t i = 0; i < s->layout->type[SYNTH_EAR].count; i++) step_ear(s->layout, s->at, i);
}

void SYNTH_STEP(const synth_step *s)
{
    if (s->layout->flags & (SYNTH_HAS_DAMPING | SYNTH_HAS_CUBIC)) step_slices(s, true);
    else step_slices(s, false);
    if (s->share->others) step_others(s);
}
