/* Pairs natively, a block of them at a time: loops over lanes, each of which does what the text for
 * one pair says, in arrays that compilers put into vector registers. The same bits, since they are
 * the same operations; the order of the list is another. */
#ifndef CLOTH_CONTACT_BLOCKS_H
#define CLOTH_CONTACT_BLOCKS_H

#include "contact/contact_kernels.h"

enum {
    BLOCK_LANES = 16,
    BLOCK_CANDIDATES = 15, /* of two triangles: see cloth_candidates() */
    BLOCK_QUEUE = BLOCK_LANES * (BLOCK_CANDIDATES + 1)
};

/* Loops that are vectorised stand in functions of their own: among others compilers give up. */
#define BLOCK_CLONES(name, parameters, arguments) \
    HED_CLONES(static __attribute__((noinline)), name, name##_body, parameters, arguments)

/* Pairs of one kind that wait until there is a block of them. */
typedef struct block_queue {
    uint count;
    float reach[BLOCK_QUEUE];
    uint4 pairs[BLOCK_QUEUE];
} block_queue;

/* Some of them: places of their ends, and what is between them. */
typedef struct block {
    const uint4 *pairs;
    const float *reach;
    uint count;
    float x[4][3][BLOCK_LANES], y[4][3][BLOCK_LANES];
    float keep[BLOCK_LANES], normal[3][BLOCK_LANES], gap[BLOCK_LANES], p[BLOCK_LANES],
        q[BLOCK_LANES], apart[BLOCK_LANES];
    uint meets[BLOCK_LANES];
} block;

static inline void block_push(block_queue *queue, uint4 pair, float reach)
{
    queue->reach[queue->count] = reach;
    queue->pairs[queue->count++] = pair;
}

/* The last ones of a queue, with the places where they begin and end; lanes that are left over are
 * as the last one. */
HED_NATIVE_BODY block_pop(
    block *b, block_queue *queue, const float4 *start, const float4 *end, float room)
{
    b->count = queue->count < BLOCK_LANES ? queue->count : BLOCK_LANES;
    queue->count -= b->count;
    b->pairs = queue->pairs + queue->count;
    b->reach = queue->reach + queue->count;
    for (uint lane = 0; lane < BLOCK_LANES; lane++) {
        uint k = lane < b->count ? lane : b->count - 1;
        uint4 pair = b->pairs[k];
        uint ends[4] = {pair.x & ~CLOTH_PAIR_EDGES, pair.y, pair.z, pair.w};
        b->keep[lane] = b->reach[k] + room;
        for (int e = 0; e < 4; e++) {
            float4 x = start[ends[e]], y = end[ends[e]];
            b->x[e][0][lane] = x.x, b->x[e][1][lane] = x.y, b->x[e][2][lane] = x.z;
            b->y[e][0][lane] = y.x, b->y[e][1][lane] = y.y, b->y[e][2][lane] = y.z;
        }
    }
}

static inline cloth_ends block_ends(const float (*places)[3][BLOCK_LANES], int lane)
{
    return (cloth_ends){{places[0][0][lane], places[0][1][lane], places[0][2][lane], 0.0f},
        {places[1][0][lane], places[1][1][lane], places[1][2][lane], 0.0f},
        {places[2][0][lane], places[2][1][lane], places[2][2][lane], 0.0f},
        {places[3][0][lane], places[3][1][lane], places[3][2][lane], 0.0f}};
}

/* What is between the sides of all, and whether they meet. */
HED_NATIVE_BODY block_meet(block *b, float4 shift, uint edges)
{
    for (int lane = 0; lane < BLOCK_LANES; lane++) {
        cloth_ends x = block_ends(b->x, lane), y = block_ends(b->y, lane);
        cloth_gap between = cloth_pair_gap(x, y, shift, edges);
        b->normal[0][lane] = between.plane.x;
        b->normal[1][lane] = between.plane.y;
        b->normal[2][lane] = between.plane.z;
        b->gap[lane] = between.plane.w;
        b->p[lane] = between.p;
        b->q[lane] = between.q;
        b->apart[lane] = between.apart;
    }
    for (int lane = 0; lane < BLOCK_LANES; lane++) {
        cloth_ends x = block_ends(b->x, lane), y = block_ends(b->y, lane);
        b->meets[lane] = !cloth_sides_apart(x, y, shift, edges, b->keep[lane]) &&
                         !(b->apart[lane] >= b->keep[lane]);
    }
}
HED_NATIVE_BODY block_meet_edges_body(block *b, float4 shift)
{
    block_meet(b, shift, CLOTH_PAIR_EDGES);
}
BLOCK_CLONES(block_meet_edges, (block * b, float4 shift), (b, shift))
HED_NATIVE_BODY block_meet_vertices_body(block *b, float4 shift) { block_meet(b, shift, 0u); }
BLOCK_CLONES(block_meet_vertices, (block * b, float4 shift), (b, shift))

/* ---- triangles that are near each other ---- */

enum { BLOCK_ROWS = 3, BLOCK_STACK = 256 };

/* A box's low and high, and what comes of comparing two of them. */
typedef float block_box __attribute__((vector_size(32)));
typedef int block_sides __attribute__((vector_size(32)));

/* Which of `count` nodes side by side overlap a box, a bit for each. `box`: high and less low,
 * which are compared with a node's low and less its high. */
HED_NATIVE_BODY block_overlaps(
    uint *overlaps, const float4 *nodes, uint count, const block_box *box)
{
    const block_box sign = {1.0f, 1.0f, 1.0f, 0.0f, -1.0f, -1.0f, -1.0f, 0.0f};
    block_sides apart = {0}, bit = {1, 1, 1, 1, 1, 1, 1, 1};
    int sides[8], any = 0;
    for (uint k = 0; k < count; k++, bit += bit) {
        block_box at;
        memcpy(&at, nodes + 2 * k, sizeof at);
        apart |= (sign * at > *box) & bit;
    }
    memcpy(sides, &apart, sizeof sides);
    for (uint i = 0; i < 8; i++) any |= sides[i];
    *overlaps = (uint)any ^ ((1u << count) - 1u);
}

/* What was found for a leaf. */
static inline void block_write(
    uint leaf, const uint *queue, uint count, uint2 *near, int *counters, cloth_pairs pairs)
{
    uint at = (uint)cloth_atomic_add(counters + CLOTH_PAIRS_NEAR, (int)count);
    for (uint k = 0; k < count && at + k < 2u * pairs.capacity; k++)
        near[at + k] = (uint2){leaf, queue[k]};
}

/* One way from the root for each leaf, three rows at a step. */
HED_NATIVE_BODY block_find(const float4 *boxes, const uint4 *corners, uint leaf, uint2 *near,
    int *counters, cloth_pairs pairs)
{
    uint queue[BLOCK_LANES], stack[BLOCK_STACK], count = 0, depth = 0;
    uint4 own = corners[leaf];
    uint self = leaf + pairs.leaves, rows = 31u - clz(pairs.leaves);
    if (own.x == CLOTH_PAIR_NONE || rows == 0u) return;
    uint behind = cloth_pairs_behind(boxes, self, pairs.leaves);
    uint last = pairs.leaves + (behind > leaf ? behind - 1u : leaf);
    float4 low = boxes[2 * self], high = boxes[2 * self + 1];
    const block_box box = {high.x, high.y, high.z, 0.0f, -low.x, -low.y, -low.z, 0.0f};
    stack[depth++] = 1u;
    while (depth > 0) {
        uint node = stack[--depth], row = 31u - clz(node), overlaps;
        uint step = (rows - row) % BLOCK_ROWS ? (rows - row) % BLOCK_ROWS : BLOCK_ROWS;
        uint below = rows - row - step, first = node << step;
        block_overlaps(&overlaps, boxes + 2 * first, 1u << step, &box);
        uint from = (last + 1u) >> below; /* the first node that is not all behind */
        if (from > first) overlaps &= ~0u << (from - first);
        for (; overlaps; overlaps &= overlaps - 1u) {
            uint next = first + (31u - clz(overlaps & (0u - overlaps)));
            if (below > 0) {
                stack[depth++] = next;
            } else if (cloth_candidates(own, corners[next - pairs.leaves])) {
                queue[count++] = next - pairs.leaves;
                if (count == BLOCK_LANES) {
                    block_write(leaf, queue, count, near, counters, pairs);
                    count = 0;
                }
            }
        }
    }
    if (count > 0) block_write(leaf, queue, count, near, counters, pairs);
}

/* ---- the list ---- */

/* Boxes of the ways of vertices, edges and whole of triangles. */
enum { BLOCK_EDGE = 3, BLOCK_WHOLE = 6, BLOCK_PARTS };

/* Triangles that are near one. */
typedef struct block_near {
    uint count, candidates[BLOCK_LANES];
    uint4 corners[BLOCK_LANES];
    float reach[BLOCK_LANES], keep[BLOCK_LANES];
    float low[BLOCK_PARTS][3][BLOCK_LANES], high[BLOCK_PARTS][3][BLOCK_LANES];
} block_near;

HED_NATIVE_BODY block_join(float (*parts)[3][BLOCK_LANES], int to, int a, int b, bool high)
{
    for (int axis = 0; axis < 3; axis++)
        for (int lane = 0; lane < BLOCK_LANES; lane++)
            parts[to][axis][lane] = high ? hed_max(parts[a][axis][lane], parts[b][axis][lane])
                                         : hed_min(parts[a][axis][lane], parts[b][axis][lane]);
}
HED_NATIVE_BODY block_join_all_body(block_near *b)
{
    for (int k = 0; k < 3; k++) {
        block_join(b->low, BLOCK_EDGE + k, k, (k + 1) % 3, false);
        block_join(b->high, BLOCK_EDGE + k, k, (k + 1) % 3, true);
    }
    block_join(b->low, BLOCK_WHOLE, 2, BLOCK_EDGE, false);
    block_join(b->high, BLOCK_WHOLE, 2, BLOCK_EDGE, true);
}
BLOCK_CLONES(block_join_all, (block_near * b), (b))

static inline float4 block_corner(const float (*part)[BLOCK_LANES], int lane)
{
    return (float4){part[0][lane], part[1][lane], part[2][lane], 0.0f};
}

/* The boxes of triangles; lanes that are left over have no candidates, and boxes of before. */
HED_NATIVE_BODY block_boxes(block_near *b, uint4 one, const uint2 *near, uint count,
    cloth_pairs_view view, cloth_pairs pairs)
{
    b->count = count;
    memset(b->candidates, 0, sizeof b->candidates);
    for (uint lane = 0; lane < count; lane++) {
        uint4 two = view.corners[near[lane].y];
        const uint at[3] = {two.x, two.y, two.z};
        b->corners[lane] = two;
        b->candidates[lane] = cloth_candidates(one, two);
        b->reach[lane] = cloth_pairs_reach(one.x, two.x, view);
        b->keep[lane] = b->reach[lane] + 2.0f * cloth_around(pairs);
        for (int k = 0; k < 3; k++) {
            float4 x = view.start[at[k]], y = view.ahead[at[k]];
            float4 low = cloth_lower(x, y), high = cloth_upper(x, y);
            b->low[k][0][lane] = low.x, b->low[k][1][lane] = low.y, b->low[k][2][lane] = low.z;
            b->high[k][0][lane] = high.x, b->high[k][1][lane] = high.y,
            b->high[k][2][lane] = high.z;
        }
    }
    block_join_all(b);
}

/* Leaves to each triangle the candidates whose boxes are near those of one triangle. */
HED_NATIVE_BODY block_sieve_body(block_near *b, const block_near *own)
{
    uint all = 0;
    for (int lane = 0; lane < BLOCK_LANES; lane++) all |= b->candidates[lane];
    for (; all; all &= all - 1u) {
        int k = (int)(31u - clz(all & (0u - all)));
        int mine = k < 3 ? k : k < 6 ? BLOCK_WHOLE : BLOCK_EDGE + (k - 6) / 3;
        int its = k < 3 ? BLOCK_WHOLE : k < 6 ? k - 3 : BLOCK_EDGE + (k - 6) % 3;
        float4 low = block_corner(own->low[mine], 0), high = block_corner(own->high[mine], 0);
        for (int lane = 0; lane < BLOCK_LANES; lane++) {
            uint apart = cloth_boxes_apart(low, high, block_corner(b->low[its], lane),
                block_corner(b->high[its], lane), b->keep[lane]);
            b->candidates[lane] &= ~(apart << k);
        }
    }
}
BLOCK_CLONES(block_sieve, (block_near * b, const block_near *own), (b, own))

/* Lists all pairs of those triangles that are near each other. */
HED_NATIVE_BODY block_list(
    const uint2 *near, uint first, uint last, cloth_pairs_view view, cloth_pairs pairs)
{
    block_near own = {0}, its = {0};
    block_queue queues[2]; /* vertices and triangles; edges */
    block b;
    queues[0].count = queues[1].count = 0;
    for (uint k = first; k <= last; k += its.count) {
        its.count = 0;
        if (k < last) {
            uint4 one = view.corners[near[k].x];
            if (k == first || near[k].x != near[k - 1].x)
                block_boxes(&own, one, &(uint2){0, near[k].x}, 1, view, pairs);
            uint count = 1;
            while (count < BLOCK_LANES && k + count < last && near[k + count].x == near[k].x)
                count++;
            block_boxes(&its, one, near + k, count, view, pairs);
            block_sieve(&its, &own);
            for (uint lane = 0; lane < count; lane++)
                for (uint left = its.candidates[lane]; left; left &= left - 1u) {
                    uint which = 31u - clz(left & (0u - left));
                    uint4 pair = cloth_candidate(which, one, its.corners[lane]);
                    block_push(&queues[which >= 6], pair, its.reach[lane]);
                }
        }
        for (uint edges = 0; edges < 2; edges++)
            while (queues[edges].count >= (k < last ? BLOCK_LANES : 1)) {
                block_pop(&b, &queues[edges], view.start, view.ahead, 2.0f * cloth_around(pairs));
                (edges ? block_meet_edges : block_meet_vertices)(
                    &b, hed_f4(0.0f, 0.0f, 0.0f, 0.0f));
                for (uint lane = 0; lane < b.count; lane++) {
                    float reach = b.reach[lane], apart = b.apart[lane];
                    if (!b.meets[lane] ||
                        !cloth_pairs_keeps(b.pairs[lane], &reach, apart, view, pairs))
                        continue;
                    uint at = (uint)cloth_atomic_add(view.counters + CLOTH_PAIRS_LISTED, 1);
                    cloth_pairs_note(at, b.pairs[lane], reach, apart, view, pairs);
                }
            }
        if (k == last) break;
    }
}

/* ---- the pairs of a substep ---- */

/* Takes pairs [first, last) of the list. */
HED_NATIVE_BODY block_take(uint first, uint last, const uint4 *list, const uint2 *kept,
    const float *offs, const float4 *start, const float4 *position, const float4 *rests,
    const float4 *bodies, uint4 *found, float4 *planes, int *counters, cloth_pairs pairs)
{
    block_queue queues[2];
    block b;
    float room = cloth_pair_room(counters, pairs);
    uint made = (uint)counters[pairs.bank + CLOTH_PAIRS_NEED];
    int *count = counters + pairs.bank + CLOTH_PAIRS_COUNT;
    float4 shift = cloth_pair_shift(counters, pairs);
    queues[0].count = queues[1].count = 0;
    for (uint k = first; k <= last; k++) {
        if (k < last) {
            float reach = as_float(kept[k].x);
            if (!cloth_pair_stays(list[k], kept[k], offs, made, room))
                block_push(&queues[list[k].x >= CLOTH_PAIR_EDGES], list[k], reach);
        }
        for (uint edges = 0; edges < 2; edges++)
            while (queues[edges].count >= (k < last ? BLOCK_LANES : 1)) {
                block_pop(&b, &queues[edges], start, position, room);
                (edges ? block_meet_edges : block_meet_vertices)(&b, shift);
                int meets = 0;
                for (uint lane = 0; lane < b.count; lane++) meets += (int)b.meets[lane];
                uint at = (uint)cloth_atomic_add(count, meets);
                for (uint lane = 0; lane < b.count; lane++) {
                    if (!b.meets[lane]) continue;
                    cloth_gap gap = {.plane = {b.normal[0][lane], b.normal[1][lane],
                                         b.normal[2][lane], b.gap[lane]},
                        .p = b.p[lane],
                        .q = b.q[lane]};
                    cloth_pairs_put(at++, b.pairs[lane], b.reach[lane], gap, rests, bodies, found,
                        planes, pairs);
                }
            }
    }
}

#endif
