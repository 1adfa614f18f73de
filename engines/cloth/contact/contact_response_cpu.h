/* Response and limit of contact in C, sixteen pairs in lanes: pushes, and the tests that nearly all
 * pairs pass before contact_separate() and contact_limit(). The results have the same bits as those
 * of one pair after another. */
#ifndef CLOTH_CONTACT_RESPONSE_CPU_H
#define CLOTH_CONTACT_RESPONSE_CPU_H

#include "contact/contact_lanes.h"

/* Arrays of pairs. */
typedef struct block_response_view {
    const contact_pair *pairs;
    const contact_plane *planes;
    const float4 *moved;
} block_response_view;

/* Pairs in lanes. */
typedef struct block_response {
    uint count;                  /* lanes that have a pair of their own */
    uint pairs[2 * BLOCK_LANES]; /* indices of the pairs; of further ones that follow */
    uint ends[4 * BLOCK_LANES];  /* particles, [end][lane] */
    block_lanes moved[4];        /* positions of the ends */
    block_lanes normal, shape;   /* contact_plane: normal and gap; reach, p, q, friction */
    uint edges[BLOCK_LANES], works[BLOCK_LANES]; /* true if edges; if the pair is not done */
    int weights[4][BLOCK_LANES];                 /* contact_weighing */
    block_lanes grips[4];                        /* grips of the ends */
    int sums[4][BLOCK_LANES];                    /* sums of weights of the ends */
    int pushes[4][3][BLOCK_LANES];               /* pushes of the ends, in steps */
} block_response;

/* Loads the pairs of `b->pairs`. Unused lanes repeat the last pair. */
static inline void block_response_load(block_response *b, block_response_view view)
{
    uint planes[2 * BLOCK_LANES];
    for (uint lane = b->count; lane < BLOCK_LANES; lane++) b->pairs[lane] = b->pairs[b->count - 1];
    for (uint lane = 0; lane < BLOCK_LANES; lane++) {
        planes[lane] = 2 * b->pairs[lane];
        planes[BLOCK_LANES + lane] = 2 * b->pairs[lane] + 1;
    }
    block_gather_ends(b->ends, b->edges, view.pairs, b->pairs);
    block_gather(b->moved, view.moved, b->ends, 4);
    block_gather(&b->normal, view.planes, planes, 1);
    block_gather(&b->shape, view.planes, planes + BLOCK_LANES, 1);
}
_Static_assert(sizeof(contact_plane) == 2 * sizeof(float4), "reach, p, q, friction as one float4");

/* Loads the pairs from `first` on, before `last`. */
static inline void block_response_load_from(
    block_response *b, block_response_view view, uint first, uint last)
{
    b->count = last - first < BLOCK_LANES ? last - first : BLOCK_LANES;
    for (uint lane = 0; lane < b->count; lane++) b->pairs[lane] = first + lane;
    block_response_load(b, view);
}

static inline contact_plane block_plane(const block_response *b, int lane)
{
    const float(*shape)[BLOCK_LANES] = b->shape.axes;
    return (contact_plane){block_float4(&b->normal, lane), shape[0][lane], shape[1][lane],
        shape[2][lane], shape[3][lane]};
}

/* ---- tests and pushes in lanes ---- */

/* Tests which pairs are not safe (rule 1). */
HED_NATIVE_BODY block_safe_test_body(block_response *b, const contact_params *params)
{
    const contact_params of = *params;
    for (int lane = 0; lane < BLOCK_LANES; lane++)
        b->works[lane] = !contact_is_separated(
                             block_ends(b->moved, lane), block_plane(b, lane), b->edges[lane], of) |
                         !(b->normal.axes[3][lane] > CONTACT_TOUCH_GAP);
}
BLOCK_CLONES(block_safe_test, (block_response * b, const contact_params *params), (b, params))

/* Tests which pairs are pushed, and weighs them. `crowded`: contact_is_crowded(). */
HED_NATIVE_BODY block_weigh_body(block_response *b, uint crowded, const contact_params *params)
{
    const contact_params of = *params;
    for (int lane = 0; lane < BLOCK_LANES; lane++) {
        contact_pressure pressure = contact_pressure_of(
            block_ends(b->moved, lane), block_plane(b, lane), b->edges[lane], crowded, of);
        b->works[lane] = (pressure.depth > 0.0f) & (pressure.mass > 0.0f);
        b->weights[0][lane] = pressure.weighing.a;
        b->weights[1][lane] = pressure.weighing.b;
        b->weights[2][lane] = pressure.weighing.c;
        b->weights[3][lane] = pressure.weighing.d;
    }
}
BLOCK_CLONES(block_weigh, (block_response * b, uint crowded, const contact_params *params),
    (b, crowded, params))

/* Computes the pushes of the ends. */
HED_NATIVE_BODY block_push_lanes_body(block_response *b, uint crowded, const contact_params *params)
{
    const contact_params of = *params;
    for (int lane = 0; lane < BLOCK_LANES; lane++) {
        contact_ends grips = block_ends(b->grips, lane), y = block_ends(b->moved, lane);
        contact_plane plane = block_plane(b, lane);
        uint edges = b->edges[lane];
        contact_pressure pressure = contact_pressure_of(y, plane, edges, crowded, of);
        int weight = pressure.weight;
        contact_weighing weighing = pressure.weighing;
        int sum_a = b->sums[0][lane], sum_b = b->sums[1][lane], sum_c = b->sums[2][lane],
            sum_d = b->sums[3][lane];
        contact_weighing sums = {weighing.a ? sum_a : weight, weighing.b ? sum_b : weight,
            weighing.c ? sum_c : weight, weighing.d ? sum_d : weight};
        float4 steps = contact_steps(sums, weight, crowded, of);
        float4 push = contact_push_of(grips, y, plane, edges, pressure.depth);
        float4 factors = contact_push_factors(y, plane, edges, pressure.mass, steps);
        float a = weighing.a ? factors.x : 0.0f, c = weighing.b ? factors.y : 0.0f,
              d = weighing.c ? factors.z : 0.0f, e = weighing.d ? factors.w : 0.0f;
        b->pushes[0][0][lane] = hed_int(push.x * a);
        b->pushes[0][1][lane] = hed_int(push.y * a);
        b->pushes[0][2][lane] = hed_int(push.z * a);
        b->pushes[1][0][lane] = hed_int(push.x * c);
        b->pushes[1][1][lane] = hed_int(push.y * c);
        b->pushes[1][2][lane] = hed_int(push.z * c);
        b->pushes[2][0][lane] = hed_int(push.x * d);
        b->pushes[2][1][lane] = hed_int(push.y * d);
        b->pushes[2][2][lane] = hed_int(push.z * d);
        b->pushes[3][0][lane] = hed_int(push.x * e);
        b->pushes[3][1][lane] = hed_int(push.y * e);
        b->pushes[3][2][lane] = hed_int(push.z * e);
    }
}
BLOCK_CLONES(block_push_lanes, (block_response * b, uint crowded, const contact_params *params),
    (b, crowded, params))

/* ---- pairs that a pass need not test ---- */

/* CONTACT_MARKS of the pairs. */
typedef struct block_marks {
    uint *particles; /* (particles), then the last pass that moved any, plus 1 */
    uint *arrays;    /* a bit for each array of sums that a thread has */
    uint *blocks;
} block_marks;

static inline block_marks block_marks_of(uint *marks, const contact_params *params)
{
    return (block_marks){marks, marks + params->particles + 1, marks + params->particles + 2};
}

/* Notes a test of the pairs from `first` on, of which `works` are not done. */
static inline void block_note(block_marks marks, uint first, uint works, uint pass)
{
    marks.blocks[first / CONTACT_BLOCK] = (pass + 1u) << CONTACT_BLOCK | works;
}

/* Bits of the lanes that are not done. Lanes without a pair have results, too. */
static inline uint block_bits(const block_response *b)
{
    uint bits = 0;
    for (uint lane = 0; lane < BLOCK_LANES; lane++) bits |= b->works[lane] << lane;
    return bits & ((1u << b->count) - 1u);
}

/* True if a particle of the pairs [first, last) was moved in a pass from `since` on, plus 1. */
static inline bool block_moved(
    block_marks marks, const contact_pair *pairs, uint first, uint last, uint since)
{
    const uint *moved = marks.particles;
    uint newest = 0;
    for (uint k = first; k < last; k++) {
        contact_pair pair = pairs[k];
        uint a = moved[contact_first(pair)], b = moved[pair.b], c = moved[pair.c],
             d = moved[pair.d];
        a = a > b ? a : b;
        c = c > d ? c : d;
        a = a > c ? a : c;
        newest = newest > a ? newest : a;
    }
    return newest >= since;
}

/* Tests which pairs [first, last), a block, are not safe. A pass of separations before may have
 * tested them where no particle of theirs has moved since. Returns their bits. */
static inline uint block_unsafe(uint first, uint last, block_response_view view, block_marks marks,
    const contact_params *params)
{
    block_response b;
    uint noted = marks.blocks[first / CONTACT_BLOCK], since = noted >> CONTACT_BLOCK;
    if (since > CONTACT_FIRST_SEPARATION &&
        (cloth_atomic_load(&marks.particles[params->particles]) < since ||
            !block_moved(marks, view.pairs, first, last, since)))
        return noted & ((1u << CONTACT_BLOCK) - 1u);
    block_response_load_from(&b, view, first, last);
    block_safe_test(&b, params);
    return block_bits(&b);
}

/* ---- a pass of pushes ---- */

/* Push of one particle, and 0. Sums wrap, as atomic additions do. */
typedef unsigned int block_steps __attribute__((vector_size(16)));

/* Interleaves the axes of pushes, lane by lane. */
static inline void block_interleave(block_steps *to, const int (*axes)[BLOCK_LANES])
{
    for (uint lane = 0; lane < BLOCK_LANES; lane += BLOCK_FOUR) {
        block_four rows[BLOCK_FOUR] = {{0}};
        for (uint axis = 0; axis < 3; axis++) memcpy(&rows[axis], axes[axis] + lane, sizeof *rows);
        block_transpose(rows);
        memcpy(to + lane, rows, sizeof rows);
    }
}

/* Sums to which one thread adds. */
typedef struct block_sums {
    int *pushes;  /* four words for each particle, of which the fourth is not used */
    int *weights; /* every `stride` words */
    uint stride;
} block_sums;

/* An array of sums; without arrays, the particles' sums, for one thread at a time. */
static inline block_sums block_sums_of(int *sums, const contact_params *params, uint array)
{
    uint64_t particles = params->particles, arrays = params->sum_arrays;
    if (arrays == 0) return (block_sums){sums, sums + 3, 4};
    return (block_sums){sums + 4 * particles * array, sums + particles * (4 * arrays + array), 1};
}

/* Takes an array of sums that no thread has: the one that this thread had last, if that is free.
 * There are as many arrays as threads or pieces of a launch. */
static inline uint block_take_array(uint *arrays, const contact_params *params)
{
    static _Thread_local uint own_array;
    uint present = cloth_atomic_load(arrays), bit;
    do {
        uint free = ~present & ~0u >> (32u - params->sum_arrays);
        bit = free & 1u << own_array ? 1u << own_array : free & (0u - free);
    } while (!__atomic_compare_exchange_n(
        arrays, &present, present | bit, 1, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED));
    return own_array = 31u - clz(bit);
}

/* Weight of a particle in all arrays. */
static inline int block_weight(uint particle, const int *weights, const contact_params *params)
{
    int total = 0;
    for (uint array = 0; array < params->sum_arrays; array++)
        total += weights[(uint64_t)params->particles * array + particle];
    return total;
}

/* Moves weight and pushes of a particle from all arrays to its own sums. Returns the weight. */
static inline int block_total(uint i, int *sums, const contact_params *params)
{
    uint64_t particles = params->particles;
    int *weights = block_sums_of(sums, params, 0).weights,
        weight = block_weight(i, weights, params);
    if (weight == 0) return 0;
    block_steps total;
    memcpy(&total, sums + 4 * i, sizeof total);
    for (uint array = 0; array < params->sum_arrays; array++) {
        weights[particles * array + i] = 0;
        if (array == 0) continue;
        block_steps pushes;
        int *at = sums + 4 * (particles * array + i);
        memcpy(&pushes, at, sizeof pushes);
        total += pushes;
        memset(at, 0, sizeof pushes);
    }
    memcpy(sums + 4 * i, &total, sizeof total);
    return sums[4 * i + 3] = weight;
}

/* Writes the lanes that are not done, without a branch for each. Returns their number. */
static inline uint block_works(const block_response *b, uint *lanes)
{
    uint count = 0;
    for (uint lane = 0; lane < b->count; lane++) {
        lanes[count] = lane;
        count += b->works[lane];
    }
    return count;
}

/* Adds the weights of the pairs that are pushed. */
HED_NATIVE_BODY block_add_weights(const block_response *b, contact_push_view view, block_sums sums)
{
    uint lanes[BLOCK_LANES], count = block_works(b, lanes);
    if (count > 0) contact_mark_active(view.counters, view.params);
    for (uint k = 0; k < count; k++)
        for (uint end = 0; end < 4; end++)
            sums.weights[sums.stride * b->ends[end * BLOCK_LANES + lanes[k]]] +=
                b->weights[end][lanes[k]];
}

/* Pushes the first pairs of `b->pairs`, which are weighed, and removes them. */
HED_NATIVE_BODY block_push_all(block_response *b, block_response_view loaded,
    contact_push_view view, uint crowded, block_sums sums)
{
    uint all = b->count;
    if (b->count > BLOCK_LANES) b->count = BLOCK_LANES;
    block_response_load(b, loaded);
    const int *weights = block_sums_of(view.sums, &view.params, 0).weights;
    for (uint end = 0; end < 4; end++)
        for (uint lane = 0; lane < BLOCK_LANES; lane++) {
            uint particle = b->ends[end * BLOCK_LANES + lane];
            b->sums[end][lane] = view.params.sum_arrays > 0
                                     ? block_weight(particle, weights, &view.params)
                                     : view.sums[4 * particle + 3];
        }
    block_gather(b->grips, view.grips, b->ends, 4);
    block_push_lanes(b, crowded, &view.params);
    contact_mark_active(view.counters, view.params);
    for (uint end = 0; end < 4; end++) {
        block_steps steps[BLOCK_LANES];
        block_interleave(steps, b->pushes[end]);
        for (uint lane = 0; lane < b->count; lane++) {
            int *sum = sums.pushes + 4 * b->ends[end * BLOCK_LANES + lane];
            block_steps present;
            memcpy(&present, sum, sizeof present);
            present += steps[lane];
            memcpy(sum, &present, sizeof present);
        }
    }
    memcpy(b->pairs, b->pairs + BLOCK_LANES, BLOCK_LANES * sizeof *b->pairs);
    b->count = all - b->count;
}

/* Weighs or pushes pairs [first, last), whole blocks, as contact_push() does. */
HED_NATIVE_BODY block_push_pairs(contact_push_view view, uint first, uint last, block_sums sums)
{
    const block_response_view loaded = {view.pairs, view.planes, view.moved};
    const block_marks marks = block_marks_of(view.marks, &view.params);
    uint crowded = contact_is_crowded(view.counters, view.params), pass = view.params.pass;
    block_response b, pushed;
    pushed.count = 0;
    for (uint k = first; k < last; k += BLOCK_LANES) {
        uint noted = marks.blocks[k / CONTACT_BLOCK];
        if (view.params.weighs || noted >> CONTACT_BLOCK != pass + 1u) {
            block_response_load_from(&b, loaded, k, last);
            block_weigh(&b, crowded, &view.params);
            noted = block_bits(&b);
        }
        if (view.params.weighs) {
            block_add_weights(&b, view, sums);
            block_note(marks, k, noted, pass);
            continue;
        }
        for (uint bits = noted & ((1u << CONTACT_BLOCK) - 1u); bits; bits &= bits - 1u)
            pushed.pairs[pushed.count++] = k + (31u - clz(bits & (0u - bits)));
        if (pushed.count >= BLOCK_LANES) block_push_all(&pushed, loaded, view, crowded, sums);
    }
    if (pushed.count > 0) block_push_all(&pushed, loaded, view, crowded, sums);
}

#endif
