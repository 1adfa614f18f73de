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
    uint count;                     /* lanes that have a pair of their own */
    uint pairs[2 * BLOCK_LANES];    /* indices of the pairs; of further ones that follow */
    float moved[4][4][BLOCK_LANES]; /* positions of the ends */
    float normal[4][BLOCK_LANES];   /* normals of contact_plane; w: gap */
    float shape[4][BLOCK_LANES];    /* reach, p, q, friction */
    uint edges[BLOCK_LANES], works[BLOCK_LANES]; /* true if edges; if the pair is not done */
    int weights[4][BLOCK_LANES];                 /* contact_weighing */
    float start[4][4][BLOCK_LANES];              /* positions of the ends at the start */
    int sums[4][BLOCK_LANES];                    /* sums of weights of the ends */
    int pushes[4][3][BLOCK_LANES];               /* pushes of the ends, in steps */
} block_response;

/* Loads the pairs of `b->pairs`. Unused lanes repeat the last pair. */
static inline void block_response_load(block_response *b, block_response_view view)
{
    for (uint lane = b->count; lane < BLOCK_LANES; lane++) b->pairs[lane] = b->pairs[b->count - 1];
    for (uint lane = 0; lane < BLOCK_LANES; lane += BLOCK_FOUR) {
        const contact_pair *pairs[BLOCK_FOUR];
        const float4 *planes[BLOCK_FOUR], *shapes[BLOCK_FOUR];
        for (uint i = 0; i < BLOCK_FOUR; i++) {
            pairs[i] = view.pairs + b->pairs[lane + i];
            planes[i] = &view.planes[b->pairs[lane + i]].normal;
            shapes[i] = planes[i] + 1;
            b->edges[lane + i] = contact_edges(*pairs[i]);
        }
        block_load_ends(b->moved, lane, pairs, view.moved);
        block_transpose(b->normal, lane, planes);
        block_transpose(b->shape, lane, shapes);
    }
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
    return (contact_plane){
        {b->normal[0][lane], b->normal[1][lane], b->normal[2][lane], b->normal[3][lane]},
        b->shape[0][lane], b->shape[1][lane], b->shape[2][lane], b->shape[3][lane]};
}

/* ---- tests and pushes in lanes ---- */

/* Tests which pairs are not safe (rule 1). */
HED_NATIVE_BODY block_safe_test_body(block_response *b, const contact_params *params)
{
    const contact_params of = *params;
    for (int lane = 0; lane < BLOCK_LANES; lane++)
        b->works[lane] = !contact_is_separated(
                             block_ends(b->moved, lane), block_plane(b, lane), b->edges[lane], of) |
                         !(b->normal[3][lane] > CONTACT_TOUCH_GAP);
}
BLOCK_CLONES(block_safe_test, (block_response * b, const contact_params *params), (b, params))

/* Tests which pairs are pushed. */
HED_NATIVE_BODY block_push_test_body(block_response *b, uint crowded, const contact_params *params)
{
    const contact_params of = *params;
    for (int lane = 0; lane < BLOCK_LANES; lane++) {
        contact_pressure pressure = contact_pressure_of(
            block_ends(b->moved, lane), block_plane(b, lane), b->edges[lane], crowded, of);
        b->works[lane] = (pressure.depth > 0.0f) & (pressure.mass > 0.0f);
    }
}
BLOCK_CLONES(block_push_test, (block_response * b, uint crowded, const contact_params *params),
    (b, crowded, params))

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
        contact_ends x = block_ends(b->start, lane), y = block_ends(b->moved, lane);
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
        float4 push = contact_push_of(x, y, plane, edges, pressure.depth);
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

/* ---- a pass of pushes ---- */

/* Adds to a sum. `alone`: no other thread adds to it. */
static inline void block_add(int *sum, int value, bool alone)
{
    if (alone) *sum += value;
    else if (value) cloth_atomic_add(sum, value);
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
HED_NATIVE_BODY block_add_weights(const block_response *b, contact_push_view view, bool alone)
{
    uint lanes[BLOCK_LANES], count = block_works(b, lanes);
    if (count > 0) contact_mark_active(view.counters, view.params);
    for (uint k = 0; k < count; k++) {
        uint lane = lanes[k];
        contact_pair pair = view.pairs[b->pairs[lane]];
        block_add(view.sums + 4 * contact_first(pair) + 3, b->weights[0][lane], alone);
        block_add(view.sums + 4 * pair.b + 3, b->weights[1][lane], alone);
        block_add(view.sums + 4 * pair.c + 3, b->weights[2][lane], alone);
        block_add(view.sums + 4 * pair.d + 3, b->weights[3][lane], alone);
    }
}

/* Pushes the first pairs of `b->pairs`, which are weighed, and removes them. */
HED_NATIVE_BODY block_push_all(
    block_response *b, block_response_view loaded, contact_push_view view, uint crowded, bool alone)
{
    uint all = b->count, next[BLOCK_LANES];
    memcpy(next, b->pairs + BLOCK_LANES, sizeof next);
    if (b->count > BLOCK_LANES) b->count = BLOCK_LANES;
    block_response_load(b, loaded);
    for (uint lane = 0; lane < BLOCK_LANES; lane += BLOCK_FOUR) {
        const contact_pair *pairs[BLOCK_FOUR];
        for (uint i = 0; i < BLOCK_FOUR; i++) {
            pairs[i] = view.pairs + b->pairs[lane + i];
            b->sums[0][lane + i] = view.sums[4 * contact_first(*pairs[i]) + 3];
            b->sums[1][lane + i] = view.sums[4 * pairs[i]->b + 3];
            b->sums[2][lane + i] = view.sums[4 * pairs[i]->c + 3];
            b->sums[3][lane + i] = view.sums[4 * pairs[i]->d + 3];
        }
        block_load_ends(b->start, lane, pairs, view.start);
    }
    block_push_lanes(b, crowded, &view.params);
    contact_mark_active(view.counters, view.params);
    for (uint lane = 0; lane < b->count; lane++) {
        contact_pair pair = view.pairs[b->pairs[lane]];
        const uint ends[4] = {contact_first(pair), pair.b, pair.c, pair.d};
        for (int end = 0; end < 4; end++)
            for (int axis = 0; axis < 3; axis++)
                block_add(view.sums + 4 * ends[end] + axis, b->pushes[end][axis][lane], alone);
    }
    for (uint k = b->count; k < all; k++) b->pairs[k - b->count] = next[k - b->count];
    b->count = all - b->count;
}

/* Weighs or pushes pairs [first, last), as contact_push() does. */
HED_NATIVE_BODY block_push_range(uint first, uint last, contact_push_view view, bool alone)
{
    const block_response_view loaded = {view.pairs, view.planes, view.moved};
    uint crowded = contact_is_crowded(view.counters, view.params);
    block_response b, pushed;
    pushed.count = 0;
    for (uint k = first; k < last; k += BLOCK_LANES) {
        block_response_load_from(&b, loaded, k, last);
        (view.params.weighs ? block_weigh : block_push_test)(&b, crowded, &view.params);
        if (view.params.weighs) {
            block_add_weights(&b, view, alone);
            continue;
        }
        for (uint lane = 0; lane < b.count; lane++) {
            pushed.pairs[pushed.count] = k + lane;
            pushed.count += b.works[lane];
        }
        if (pushed.count >= BLOCK_LANES) block_push_all(&pushed, loaded, view, crowded, alone);
    }
    if (pushed.count > 0) block_push_all(&pushed, loaded, view, crowded, alone);
}

#endif
