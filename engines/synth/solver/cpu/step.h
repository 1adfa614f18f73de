/* One step of a share of an instance (bodies.h), as text: each file that includes it compiles it
 * for vectors of SYNTH_VECTOR lanes, as SYNTH_STEP. The formulas of physics_spring.h are used
 * with vectors; every operation of a lane is the one of synth_body(), so the bits are equal. */
#include "solver/cpu/bodies.h"

#define ALWAYS static inline __attribute__((always_inline))
/* A loop over lanes with a whole formula in it: clang vectorizes it only in a function of its
 * own. */
#if defined(__clang__)
#define LOOP static __attribute__((noinline))
#else
#define LOOP ALWAYS
#endif

/* A word of the store, read as a float. */
typedef float cell __attribute__((may_alias));
/* Lanes that the processor computes at once. A step processes so few bodies at a time that all
 * their data stay in registers. */
enum { VECTOR = SYNTH_VECTOR, PARTS = SYNTH_LANES / VECTOR };
typedef float vector
    __attribute__((vector_size(VECTOR * sizeof(float)), aligned(sizeof(float)), may_alias));
/* A packed position. */
typedef float quad
    __attribute__((vector_size(4 * sizeof(float)), aligned(sizeof(float)), may_alias));

/* ---- the formulas for vectors ---- */

ALWAYS vector each(float x) { return x - (vector){0}; }

#if SYNTH_VECTOR == 16
#define SYNTH_FUSED(a, b, c) _mm512_fmadd_ps(a, b, c)
#define SYNTH_LARGER(a, b) _mm512_max_ps(a, b) /* equals hed_max(): b if one is NaN */
#define SYNTH_SMALLER(a, b) _mm512_min_ps(a, b)
#define SYNTH_ROOT(x) _mm512_sqrt_ps(x)
#elif SYNTH_VECTOR == 8
#define SYNTH_FUSED(a, b, c) _mm256_fmadd_ps(a, b, c)
#define SYNTH_LARGER(a, b) _mm256_max_ps(a, b)
#define SYNTH_SMALLER(a, b) _mm256_min_ps(a, b)
#define SYNTH_ROOT(x) _mm256_sqrt_ps(x)
#elif defined(__wasm_simd128__)
#define SYNTH_FUSED4(a, b, c) ((vector)wasm_fma4((v128_t)(a), (v128_t)(b), (v128_t)(c)))
#define SYNTH_FUSED SYNTH_FUSED4
#define SYNTH_LARGER(a, b) ((vector)wasm_f32x4_pmax((v128_t)(b), (v128_t)(a)))
#define SYNTH_SMALLER(a, b) ((vector)wasm_f32x4_pmin((v128_t)(b), (v128_t)(a)))
#define SYNTH_ROOT(x) ((vector)wasm_f32x4_sqrt((v128_t)(x)))
#else
#define BY_LANES(name, arguments, expression) \
    LOOP vector name arguments \
    { \
        vector result; \
        for (int l = 0; l < VECTOR; l++) result[l] = expression; \
        return result; \
    }
BY_LANES(fused_lanes, (vector a, vector b, vector c), hed_fma(a[l], b[l], c[l]))
BY_LANES(larger_lanes, (vector a, vector b), hed_max(a[l], b[l]))
BY_LANES(smaller_lanes, (vector a, vector b), hed_min(a[l], b[l]))
BY_LANES(root_lanes, (vector x), synth_root(x[l]))
#define SYNTH_FUSED4(a, b, c) fused_lanes(a, b, c)
#define SYNTH_FUSED SYNTH_FUSED4
#define SYNTH_LARGER(a, b) larger_lanes(a, b)
#define SYNTH_SMALLER(a, b) smaller_lanes(a, b)
#define SYNTH_ROOT(x) root_lanes(x)
#endif
#define SYNTH_NUMBER vector
#define SYNTH_NAMED(name) vector_##name
#define SYNTH_EACH(x) each(x)
#define SYNTH_QUOTIENT(a, b) ((a) / (b))
#define SYNTH_RECIPROCAL(x) (1.0f / (x))
#include "kernels/physics_spring.h"

/* The formulas for a quad: the axes of one body. */
#if SYNTH_VECTOR == 4
#define QUAD_FUSED(a, b, c) SYNTH_FUSED4(a, b, c)
#define QUAD(name) vector_##name
#else
#define QUAD_FUSED(a, b, c) _mm_fmadd_ps(a, b, c)
#define QUAD(name) quad_##name
#define SYNTH_NUMBER quad
#define SYNTH_NAMED(name) quad_##name
#define SYNTH_EACH(x) ((quad){x, x, x, x})
#define SYNTH_FUSED(a, b, c) _mm_fmadd_ps(a, b, c)
#define SYNTH_LARGER(a, b) _mm_max_ps(a, b)
#define SYNTH_SMALLER(a, b) _mm_min_ps(a, b)
#define SYNTH_QUOTIENT(a, b) ((a) / (b))
#define SYNTH_RECIPROCAL(x) (1.0f / (x))
#define SYNTH_ROOT(x) _mm_sqrt_ps(x)
#include "kernels/physics_spring.h"
#endif

/* FORMULA(text): text(vector), with the formulas above. Where a multiply-add is emulated
 * (wasm/core/fma.h), text(doubted) computes them without a test of each, and text(vector) again if
 * one of their roundings was doubtful. */
#if defined(WASM_HAS_DOUBTS)
#define SYNTH_NUMBER vector
#define SYNTH_NAMED(name) doubted_##name
#define SYNTH_EACH(x) each(x)
#define SYNTH_FUSED(a, b, c) ((vector)wasm_fma4_doubted((v128_t)(a), (v128_t)(b), (v128_t)(c)))
#define SYNTH_LARGER(a, b) ((vector)wasm_f32x4_pmax((v128_t)(b), (v128_t)(a)))
#define SYNTH_SMALLER(a, b) ((vector)wasm_f32x4_pmin((v128_t)(b), (v128_t)(a)))
#define SYNTH_QUOTIENT(a, b) ((a) / (b))
#define SYNTH_RECIPROCAL(x) (1.0f / (x))
#define SYNTH_ROOT(x) ((vector)wasm_f32x4_sqrt((v128_t)(x)))
#include "kernels/physics_spring.h"
#define FORMULA(text) \
    do { \
        wasm_begin_doubts(); \
        text(doubted); \
        if (__builtin_expect(wasm_has_doubts(), 0)) text(vector); \
    } while (0)
#else
#define FORMULA(text) text(vector)
#endif

/* ---- numbers of several bodies ---- */

typedef struct lanes {
    vector x, y, z;
} lanes;

/* Loads positions or speeds of VECTOR consecutive bodies. */
ALWAYS void load(const cell *from, uint32_t stride, lanes *to)
{
    to->x = *(const vector *)from;
    to->y = *(const vector *)(from + stride);
    to->z = *(const vector *)(from + 2 * (size_t)stride);
}

/* Loads positions or speeds of the first `count` lanes; 0 for the others. */
ALWAYS void load_few(const cell *from, uint32_t stride, uint32_t count, lanes *to)
{
    *to = (lanes){{0}, {0}, {0}};
    for (uint32_t l = 0; l < count; l++) {
        to->x[l] = from[l];
        to->y[l] = from[stride + l];
        to->z[l] = from[2 * (size_t)stride + l];
    }
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
    *(vector *)to = from->x;
    *(vector *)(to + stride) = from->y;
    *(vector *)(to + 2 * (size_t)stride) = from->z;
}

/* FIRST_PAIRS interleaves the first two numbers of each quarter (four numbers) of two vectors,
 * LAST_PAIRS the last two. */
#if SYNTH_VECTOR == 16
#define FIRST_PAIRS(a, b) _mm512_unpacklo_ps(a, b)
#define LAST_PAIRS(a, b) _mm512_unpackhi_ps(a, b)
#define FIRST_HALVES(a, b) _mm512_shuffle_ps(a, b, 0x44) /* the first two of `a`, then of `b` */
#define LAST_HALVES(a, b) _mm512_shuffle_ps(a, b, 0xee)
#elif SYNTH_VECTOR == 8
#define FIRST_PAIRS(a, b) __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13)
#define LAST_PAIRS(a, b) __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15)
#define FIRST_HALVES(a, b) __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13)
#define LAST_HALVES(a, b) __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15)
#else
#define FIRST_PAIRS(a, b) __builtin_shufflevector(a, b, 0, 4, 1, 5)
#define LAST_PAIRS(a, b) __builtin_shufflevector(a, b, 2, 6, 3, 7)
#define FIRST_HALVES(a, b) __builtin_shufflevector(a, b, 0, 1, 4, 5)
#define LAST_HALVES(a, b) __builtin_shufflevector(a, b, 2, 3, 6, 7)
#endif

/* Loads every fourth packed position, from at[0] on. Wide vectors are inserted from memory:
 * compilers would load and shuffle each. */
#if SYNTH_VECTOR == 16
#define PLACE(packed, at) _mm_loadu_ps((packed) + *(at))
#define INSERT(v, packed, at, k) _mm512_insertf32x4(v, PLACE(packed, (at) + 4 * (k)), k)
#define FOURTHS(packed, at) \
    INSERT( \
        INSERT(INSERT(_mm512_castps128_ps512(PLACE(packed, at)), packed, at, 1), packed, at, 2), \
        packed, at, 3)
#else
#define PLACE(packed, at) (*(const quad *)((packed) + *(at)))
#if SYNTH_VECTOR == 8
#define FOURTHS(packed, at) \
    _mm256_insertf128_ps(_mm256_castps128_ps256(PLACE(packed, at)), PLACE(packed, (at) + 4), 1)
#else
#define FOURTHS(packed, at) PLACE(packed, at)
#endif
#endif

/* Gathers packed data at VECTOR offsets, with a quarter of the loads of single numbers, and
 * transposes groups of four to fields. */
ALWAYS void gather(const float *packed, const uint32_t *at, lanes *to)
{
    vector a = FOURTHS(packed, at), b = FOURTHS(packed, at + 1), c = FOURTHS(packed, at + 2),
           d = FOURTHS(packed, at + 3);
    vector xy0 = FIRST_PAIRS(a, b), xy1 = FIRST_PAIRS(c, d), z0 = LAST_PAIRS(a, b),
           z1 = LAST_PAIRS(c, d);
    to->x = FIRST_HALVES(xy0, xy1);
    to->y = LAST_HALVES(xy0, xy1);
    to->z = FIRST_HALVES(z0, z1);
}

/* Packs positions of consecutive bodies: the inverse of gather(); the fourth number is
 * arbitrary. */
ALWAYS void pack(const lanes *from, float *packed)
{
    vector xy0 = FIRST_PAIRS(from->x, from->y), xy1 = LAST_PAIRS(from->x, from->y),
           z0 = FIRST_PAIRS(from->z, from->z), z1 = LAST_PAIRS(from->z, from->z);
    vector turned[4] = {
        FIRST_HALVES(xy0, z0), LAST_HALVES(xy0, z0), FIRST_HALVES(xy1, z1), LAST_HALVES(xy1, z1)};
    for (int k = 0; k < VECTOR; k++)
        *(quad *)(packed + k * SYNTH_PACKED) = *((const quad *)&turned[k % 4] + k / 4);
}

/* Returns a field of a block's springs, for VECTOR lanes. */
ALWAYS vector value(const float *v, uint32_t field)
{
    return *(const vector *)(v + field * SYNTH_LANES);
}

/* Computes the forces on bodies at `here` of springs with values `v` to bodies at `other`. */
ALWAYS void pull(const float *v, const lanes *here, const lanes *other, lanes *force)
{
    vector ux = other->x - here->x, uy = other->y - here->y, uz = other->z - here->z;
    vector d0x = value(v, SPRING_P_X), d0y = value(v, SPRING_P_Y), d0z = value(v, SPRING_P_Z);
    vector tension;
#define TENSION(form) \
    tension = form##_tension(d0x, d0y, d0z, ux, uy, uz, value(v, SPRING_P_REST), \
        value(v, SPRING_P_EXCESS), value(v, SPRING_P_STIFFNESS))
    FORMULA(TENSION);
#undef TENSION
    force->x = tension * (d0x + ux);
    force->y = tension * (d0y + uy);
    force->z = tension * (d0z + uz);
}

/* Computes the forces of pull(), with the terms `kinds`: SYNTH_HAS_DAMPING, SYNTH_HAS_CUBIC. */
ALWAYS void pull_more(const float *v, uint32_t kinds, const lanes *here, const lanes *other,
    const lanes *speed, const lanes *other_speed, lanes *force)
{
    vector ux = other->x - here->x, uy = other->y - here->y, uz = other->z - here->z;
    vector d0x = value(v, SPRING_P_X), d0y = value(v, SPRING_P_Y), d0z = value(v, SPRING_P_Z);
    vector tension;
#define TENSION(form) \
    tension = form##_tension_more(d0x, d0y, d0z, ux, uy, uz, value(v, SPRING_P_REST), \
        value(v, SPRING_P_EXCESS), value(v, SPRING_P_STIFFNESS), value(v, SPRING_P_CUBIC), \
        value(v, SPRING_P_DAMPING), other_speed->x - speed->x, other_speed->y - speed->y, \
        other_speed->z - speed->z, kinds)
    FORMULA(TENSION);
#undef TENSION
    force->x = tension * (d0x + ux);
    force->y = tension * (d0y + uy);
    force->z = tension * (d0z + uz);
}

/* Computes the forces of the bands that the share needs. */
ALWAYS void step_bands(const synth_step *s, uint32_t kinds)
{
    const synth_bodies *b = s->bodies;
    uint32_t count = s->layout->type[SYNTH_BODY].count;
    const cell *read =
                   (const cell *)s->at->store + s->at->read + s->layout->type[SYNTH_BODY].signal,
               *speeds = read + (size_t)BODY_O_U * count;
    for (uint32_t i = 0; i < s->share->part_count; i++) {
        uint32_t number = s->share->parts[i];
        if (s->values->spare[number]) continue;
        const synth_part *part = &b->parts[number];
        const float *v = s->values->blocks + (size_t)number * SPRING_PARAMETERS * SYNTH_LANES;
        for (uint32_t l = 0; l < SYNTH_LANES; l += VECTOR) {
            lanes here, other, speed, other_speed, force;
            load(read + part->lower + l, count, &here);
            load(read + part->upper + l, count, &other);
            if (kinds) {
                load(speeds + part->lower + l, count, &speed);
                load(speeds + part->upper + l, count, &other_speed);
                pull_more(v + l, kinds, &here, &other, &speed, &other_speed, &force);
            } else {
                pull(v + l, &here, &other, &force);
            }
            store(&force, b->forces, s->forces + part->force + l);
        }
    }
}

ALWAYS void add(lanes *sum, const lanes *force)
{
    sum->x += force->x;
    sum->y += force->y;
    sum->z += force->z;
}
ALWAYS void subtract(lanes *sum, const lanes *force)
{
    sum->x -= force->x;
    sum->y -= force->y;
    sum->z -= force->z;
}

/* Adds the forces of the springs of block `block`, whose other ends are gathered, to VECTOR of a
 * slice's bodies, from lane `lane` on. A vector without a spring, whose forces are 0, is skipped. */
ALWAYS void gather_block(const synth_step *s, uint32_t block, uint32_t kinds, uint32_t lane,
    const lanes *here, const lanes *speed, lanes *sum)
{
    if (PARTS > 1 && !(s->bodies->filled[block] >> lane & ((1u << VECTOR) - 1))) return;
    const float *places = synth_packed_at(s->layout, s->values, s->at->sample & 1, 0),
                *speeds = synth_packed_at(s->layout, s->values, s->at->sample & 1, 1);
    const float *v = s->values->blocks + (size_t)block * SPRING_PARAMETERS * SYNTH_LANES + lane;
    const uint32_t *others = s->bodies->others + (size_t)block * SYNTH_LANES + lane;
    lanes other, other_speed, force;
    gather(places, others, &other);
    if (kinds) {
        gather(speeds, others, &other_speed);
        pull_more(v, kinds, here, &other, speed, &other_speed, &force);
    } else {
        pull(v, here, &other, &force);
    }
    add(sum, &force);
}

/* Sums the springs' forces on `parts` vectors of a slice, in the order of its rows: for all of them
 * by turns, because roots and quotients have long latencies and the vectors are independent. */
ALWAYS void sum_rows(const synth_step *s, uint32_t slice, uint32_t kinds, uint32_t lane, int parts,
    const lanes *here, const lanes *speed, lanes *sum)
{
    const synth_bodies *b = s->bodies;
    for (uint32_t i = b->row_begin[slice]; i < b->row_begin[slice + 1]; i++) {
        synth_row row = b->rows[i];
        if (row.kind == SYNTH_ROW_GATHER) {
            for (uint32_t block = row.at; block < row.at + row.count; block++)
                for (int k = 0; k < parts; k++)
                    gather_block(
                        s, block, kinds, lane + (uint32_t)k * VECTOR, &here[k], &speed[k], &sum[k]);
            continue;
        }
        for (int k = 0; k < parts; k++) {
            lanes force;
            load(s->forces + row.at + lane + k * VECTOR, b->forces, &force);
            if (row.kind == SYNTH_ROW_PLUS) add(&sum[k], &force);
            else subtract(&sum[k], &force);
        }
    }
}

/* Advances one axis of VECTOR bodies by damping and time; `pushed` is the speed after force. */
ALWAYS void go(vector place, vector pushed, vector mobility, vector keep, vector dilation,
    vector *to, vector *kept)
{
    *kept = vector_kept(pushed, keep, mobility);
    *to = vector_went(place, *kept, dilation);
}

/* Copies the new state of bodies to the packed array from which rows gather. */
ALWAYS void show_packed(
    const synth_step *s, uint32_t first, uint32_t kinds, const lanes *place, const lanes *speed)
{
    uint32_t half = 1 - (s->at->sample & 1);
    pack(place, synth_packed_at(s->layout, s->values, half, 0) + (size_t)first * SYNTH_PACKED);
    if (kinds)
        pack(speed, synth_packed_at(s->layout, s->values, half, 1) + (size_t)first * SYNTH_PACKED);
}

/* Copies the new state of one body from the store to the packed array. */
ALWAYS void show_one(const synth_step *s, uint32_t body)
{
    uint32_t half = 1 - (s->at->sample & 1), count = s->layout->type[SYNTH_BODY].count;
    const cell *now =
        (const cell *)s->at->store + s->at->write + s->layout->type[SYNTH_BODY].signal + body;
    float *place = synth_packed_at(s->layout, s->values, half, 0) + (size_t)body * SYNTH_PACKED,
          *speed = synth_packed_at(s->layout, s->values, half, 1) + (size_t)body * SYNTH_PACKED;
    for (uint32_t k = 0; k < 3; k++) {
        place[k] = now[(size_t)k * count];
        speed[k] = now[(size_t)(BODY_O_U + k) * count];
    }
}

/* ---- one body, by its axes: three lanes of a quad, the fourth 0 ---- */

ALWAYS quad axes_of(const cell *from, size_t stride)
{
    return (quad){from[0], from[stride], from[2 * stride], 0.0f};
}
ALWAYS void put_axes(quad axes, size_t stride, cell *to)
{
    for (int k = 0; k < 3; k++) to[k * stride] = axes[k];
}
ALWAYS quad quad_each(float x) { return (quad){x, x, x, x}; }

/* synth_push() of a body with speed `speed`. */
ALWAYS void push(const cell *contact, size_t step, float mobility, quad *speed)
{
    quad n = axes_of(contact, step), z = n * *speed, yz = QUAD_FUSED(n, *speed, quad_each(z[2])),
         xyz = QUAD_FUSED(n, *speed, quad_each(yz[1]));
    float before = xyz[0];
    quad driven =
        QUAD_FUSED(quad_each(mobility), ((quad){contact[3 * step], contact[4 * step], 0.0f, 0.0f}),
            ((quad){before, 1.0f, 0.0f, 0.0f}));
    *speed = QUAD_FUSED(n, quad_each(driven[0] / driven[1] - before), *speed);
}

/* Steps a body with contacts again, from the forces of its springs on. Contacts without force
 * and resistance change nothing. */
ALWAYS void touch(const synth_step *s, uint32_t body, synth_force sum)
{
    const synth_at *at = s->at;
    const synth_type_layout *bodies = &s->layout->type[SYNTH_BODY];
    synth_list forces = synth_list_of(at, bodies->forces, bodies->count, body);
    const cell *store = (const cell *)at->store, *read = store + at->read + bodies->signal + body;
    cell *write = (cell *)at->store + at->write + bodies->signal + body;
    size_t count = bodies->count;
    float mobility = s->values->mobility[body];
    quad moves = quad_each(mobility), place = axes_of(read, count),
         speed = axes_of(read + BODY_O_U * count, count);
    bool touched = false;
    speed = QUAD(pushed)(speed, (quad){sum.x, sum.y, sum.z, 0.0f}, moves);
    for (uint32_t i = 0; i < forces.length; i++) {
        uint32_t entry = forces.first + i * SYNTH_FORCE_WORDS * forces.stride;
        const cell *contact = store + at->read + synth_word(at, entry);
        size_t step = synth_word(at, entry + forces.stride);
        if (contact[CONTACT_O_FORCE * step] == 0.0f && contact[CONTACT_O_RESISTANCE * step] == 0.0f)
            continue;
        push(contact, step, mobility, &speed);
        touched = true;
    }
    if (!touched) return;
    speed = QUAD(kept)(speed, quad_each(s->values->keep[body]), moves);
    place = QUAD(went)(place, speed, quad_each(synth_dilation(at)));
    put_axes(place, count, write);
    put_axes(speed, count, write + BODY_O_U * count);
    if (synth_gathers(s->bodies)) show_one(s, body);
}

/* Forces of the springs on a slice's bodies, by axis. */
typedef struct slice_forces {
    cell x[SYNTH_LANES], y[SYNTH_LANES], z[SYNTH_LANES];
} slice_forces;

/* Steps bodies from `first` on that have contacts (bits of `touched`) or modulation, one by
 * one. */
static __attribute__((noinline)) void step_special(const synth_step *s, uint32_t first,
    uint32_t touched, uint32_t modulated, const slice_forces *forces)
{
    for (uint32_t left = touched | modulated; left != 0; left &= left - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(left), body = first + l;
        synth_force force = {forces->x[l], forces->y[l], forces->z[l]};
        if (touched >> l & 1u) {
            touch(s, body, force);
            continue;
        }
        synth_body_go(s->layout, s->at, body, force.x, force.y, force.z,
            synth_motion_of(s->layout, s->at, body));
        if (synth_gathers(s->bodies)) show_one(s, body);
    }
}

/* Steps VECTOR bodies from `first` on, from the forces of their springs on. `few`: there are
 * fewer bodies than lanes, `some` of them in this vector. */
ALWAYS void end_lanes(const synth_step *s, uint32_t first, uint32_t kinds, bool few, uint32_t some,
    const lanes *place, const lanes *speed, const lanes *sum)
{
    uint32_t count = s->layout->type[SYNTH_BODY].count;
    cell *write = (cell *)s->at->store + s->at->write + s->layout->type[SYNTH_BODY].signal + first;
    vector mobility = *(const vector *)(s->values->mobility + first),
           keep = *(const vector *)(s->values->keep + first);
    vector dilation = each(synth_dilation(s->at));
    lanes to, kept;
    go(place->x, vector_pushed(speed->x, sum->x, mobility), mobility, keep, dilation, &to.x,
        &kept.x);
    go(place->y, vector_pushed(speed->y, sum->y, mobility), mobility, keep, dilation, &to.y,
        &kept.y);
    go(place->z, vector_pushed(speed->z, sum->z, mobility), mobility, keep, dilation, &to.z,
        &kept.z);
    if (few) store_few(&to, count, some, write);
    else store(&to, count, write);
    if (few) store_few(&kept, count, some, write + BODY_O_U * (size_t)count);
    else store(&kept, count, write + BODY_O_U * (size_t)count);
    if (synth_gathers(s->bodies)) show_packed(s, first, kinds, &to, &kept);
}

/* Steps `parts` vectors of a slice from lane `lane` on; `few`, `some`: see end_lanes(). `forces` of
 * their bodies are kept for step_special(); NULL: for none. */
ALWAYS void step_parts(const synth_step *s, uint32_t slice, uint32_t lane, int parts,
    uint32_t kinds, bool few, uint32_t some, slice_forces *forces)
{
    const synth_layout *layout = s->layout;
    uint32_t first = s->bodies->first[slice] + lane, count = layout->type[SYNTH_BODY].count;
    const cell *read = (const cell *)s->at->store + s->at->read + layout->type[SYNTH_BODY].signal +
                       first,
               *speeds = read + BODY_O_U * (size_t)count;
    lanes place[PARTS], speed[PARTS], sum[PARTS];
    for (int k = 0; k < parts; k++) {
        sum[k] = (lanes){each(SYNTH_WIND), each(SYNTH_WIND), each(SYNTH_WIND)};
        if (few) load_few(read, count, some, &place[k]);
        else load(read + k * VECTOR, count, &place[k]);
        if (few) load_few(speeds, count, some, &speed[k]);
        else load(speeds + k * VECTOR, count, &speed[k]);
    }
    sum_rows(s, slice, kinds, lane, parts, place, speed, sum);
    for (int k = 0; k < parts; k++) {
        end_lanes(s, first + (uint32_t)k * VECTOR, kinds, few, some, &place[k], &speed[k], &sum[k]);
        if (!forces) continue;
        *(vector *)(forces->x + lane + k * VECTOR) = sum[k].x;
        *(vector *)(forces->y + lane + k * VECTOR) = sum[k].y;
        *(vector *)(forces->z + lane + k * VECTOR) = sum[k].z;
    }
}

/* Steps a slice. The last vector of fewer bodies than a slice has overlaps the one before. Bodies
 * of the last slice that the one before steps, too, are left to it, but for those in a vector with
 * others. */
ALWAYS void step_slice(const synth_step *s, uint32_t slice, uint32_t kinds, bool few)
{
    uint32_t first = s->bodies->first[slice], count = s->layout->type[SYNTH_BODY].count;
    uint32_t end = count < SYNTH_LANES ? count : SYNTH_LANES,
             lane = (slice * SYNTH_LANES - first) / VECTOR * VECTOR;
    uint32_t touched = s->bodies->touched[slice] >> lane << lane,
             modulated = s->bodies->modulated[slice] >> lane << lane;
    slice_forces kept, *forces = touched | modulated ? &kept : NULL;
    if (few) step_parts(s, slice, 0, 1, kinds, true, count, forces);
    else if (end - lane == SYNTH_LANES) step_parts(s, slice, 0, PARTS, kinds, false, 0, forces);
    else
        for (; lane < end; lane += VECTOR)
            step_parts(
                s, slice, lane + VECTOR < end ? lane : end - VECTOR, 1, kinds, false, 0, forces);
    if (forces) step_special(s, first, touched, modulated, forces);
}

/* True if a slice is skipped because it is still; counts steps until then. */
ALWAYS bool rests(const synth_step *s, uint32_t slice)
{
    uint8_t *still = &s->values->still[slice];
    if (*still == 0 || *still == SYNTH_STILL) return *still == SYNTH_STILL;
    if (++*still == SYNTH_STILL) s->values->still[s->bodies->slices] = 1;
    return false;
}

ALWAYS void step_slices(const synth_step *s, uint32_t kinds)
{
    step_bands(s, kinds);
    if (s->layout->type[SYNTH_BODY].count < VECTOR) {
        for (uint32_t i = s->share->slice_begin; i < s->share->slice_end; i++)
            if (!rests(s, i)) step_slice(s, i, kinds, true);
    } else {
        for (uint32_t i = s->share->slice_begin; i < s->share->slice_end; i++)
            if (!rests(s, i)) step_slice(s, i, kinds, false);
    }
}

/* ---- entities other than bodies ---- */

/* Gathers a field of VECTOR bodies. */
ALWAYS vector gather_field(const cell *field, const uint32_t *others)
{
    vector result;
    for (int l = 0; l < VECTOR; l++) result[l] = field[others[l]];
    return result;
}
ALWAYS void gather_fields(const cell *from, uint32_t stride, const uint32_t *others, lanes *to)
{
    to->x = gather_field(from, others);
    to->y = gather_field(from + stride, others);
    to->z = gather_field(from + 2 * (size_t)stride, others);
}

/* Computes an ear: the contribution of each body, by vectors if there are enough bodies, then
 * the sum in the list's order. */
ALWAYS void step_ear(const synth_layout *layout, const synth_at *at, uint32_t ear)
{
    synth_self me = synth_self_of(layout, SYNTH_EAR, ear);
    synth_list bodies =
        synth_list_of(at, layout->type[SYNTH_EAR].list, layout->type[SYNTH_EAR].count, ear);
    if (bodies.length <= VECTOR / 4) {
        synth_ear(layout, at, ear);
        return;
    }
    synth_hearing m = synth_hearing_of(layout, at, synth_bits(at, me, EAR_P_MICROPHONE));
    uint32_t count = layout->type[SYNTH_BODY].count;
    const cell *read = (const cell *)at->store + at->read + layout->type[SYNTH_BODY].signal,
               *rest = (const cell *)at->store + layout->type[SYNTH_BODY].parameter +
                       (size_t)BODY_P_X * count;
    float heard[SYNTH_EAR_BODIES], sum = 0.0f;
    for (uint32_t l = 0; l < bodies.length; l += VECTOR) {
        lanes place, moved, u;
        vector result;
        uint32_t others[VECTOR];
        for (uint32_t k = 0; k < VECTOR; k++) /* unused lanes repeat the first body */
            others[k] = synth_word(at, bodies.first + (l + k < bodies.length ? l + k : 0) *
                                                          SYNTH_EAR_WORDS * bodies.stride);
        gather_fields(rest, count, others, &place);
        gather_fields(read, count, others, &moved);
        gather_fields(read + (size_t)BODY_O_U * count, count, others, &u);
        vector rx = place.x - each(m.x) + moved.x, ry = place.y - each(m.y) + moved.y,
               rz = place.z - each(m.z) + moved.z;
#define HEARD(form) result = form##_heard(&m, rx, ry, rz, u.x, u.y, u.z)
        FORMULA(HEARD);
#undef HEARD
        *(vector *)(heard + l) = result;
    }
    for (uint32_t i = 0; i < bodies.length; i++)
        sum = hed_fma(synth_number(at, bodies.first + (i * SYNTH_EAR_WORDS + 1) * bodies.stride),
            heard[i], sum);
    synth_show(at, me, EAR_O_SUM, sum);
}

/* True if an entity that can sleep (bodies.h) was inactive in this step, so that only a poke can
 * activate it. After three such steps its signals are equal in both halves: the first step may
 * still have written the end of a force. `level` is the state LEVEL before the step. */
ALWAYS bool is_idle(const synth_step *s, uint32_t type, uint32_t i, uint32_t level)
{
    synth_self me = synth_self_of(s->layout, type, i);
    const synth_at *at = s->at;
    switch (type) {
    case SYNTH_MALLET: return synth_word(at, synth_state(me, MALLET_S_ACTIVE)) == 0;
    case SYNTH_PLECTRUM: return synth_number(at, synth_state(me, PLECTRUM_S_TIME)) < 0.0f;
    case SYNTH_BOW:
    case SYNTH_DAMPER:
    case SYNTH_OSCILLATOR: return synth_word(at, synth_state(me, ADSR_S_STAGE)) == 0;
    case SYNTH_ENVELOPE:
        return i >= s->layout->type[type].modulated &&
               synth_word(at, synth_state(me, ADSR_S_STAGE)) == 0;
    default:
        return i >= s->layout->type[type].modulated &&
               synth_word(at, synth_state(me, MIDI_S_LEVEL)) == level;
    }
}

ALWAYS void step_sleepers(const synth_step *s, uint32_t type)
{
    uint8_t *idle = s->values->idle + s->bodies->sleepers[type];
    for (uint32_t i = 0; i < s->layout->type[type].count; i++) {
        if (idle[i] == 3) continue;
        synth_self me = synth_self_of(s->layout, type, i);
        uint32_t level =
            type == SYNTH_MIDI_SOURCE ? synth_word(s->at, synth_state(me, MIDI_S_LEVEL)) : 0;
        if (type == SYNTH_BOW) synth_bow(s->layout, s->at, i);
        else synth_entity(s->layout, s->at, type, i);
        idle[i] = is_idle(s, type, i, level) ? idle[i] + 1 : 0;
    }
}

/* Steps elements of a type, by the column `step` of its row. */
#define STEP_VECTORS(kind) /* bodies.h has them */
#define STEP_MODULATED(kind) \
    for (uint32_t i = 0; i < s->layout->type[kind].modulated; i++) \
        synth_entity(s->layout, s->at, kind, i);
#define STEP_ALL(kind) step_type(s, kind);
#define STEP_ACTIVE(kind) step_sleepers(s, kind);
#define STEP_LATE(kind) /* SYNTH_STEP() has them */
#define STEP_SUMS(kind) \
    for (uint32_t i = 0; i < s->layout->type[kind].count; i++) step_ear(s->layout, s->at, i);
#define STEP_ROW(TYPE, name, parameters, states, signals, gated, step, cost) \
    STEP_##step(SYNTH_##TYPE)

ALWAYS void step_type(const synth_step *s, uint32_t type)
{
    for (uint32_t i = 0; i < s->layout->type[type].count; i++)
        synth_entity(s->layout, s->at, type, i);
}

static void step_others(const synth_step *s) { SYNTH_TYPE_ROWS(STEP_ROW) }

void SYNTH_STEP(const synth_step *s)
{
    if (s->late) {
        step_sleepers(s, SYNTH_BOW);
        return;
    }
    if (s->layout->flags & SYNTH_HAS_CUBIC) step_slices(s, SYNTH_HAS_DAMPING | SYNTH_HAS_CUBIC);
    else if (s->layout->flags & SYNTH_HAS_DAMPING) step_slices(s, SYNTH_HAS_DAMPING);
    else step_slices(s, 0);
    if (s->share->others) step_others(s);
}
