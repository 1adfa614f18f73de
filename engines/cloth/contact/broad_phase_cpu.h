/* Broad phase in C, over blocks of pairs: loops over lanes, each of which performs the
 * operations of broad_phase.h on one pair, in arrays that compilers put into vector registers.
 * The results have the same bits; the order of the list differs. */
#ifndef CLOTH_BROAD_PHASE_CPU_H
#define CLOTH_BROAD_PHASE_CPU_H

#include "contact/contact_lanes.h"

enum {
    BLOCK_CANDIDATES = 15, /* bits of contact_candidates() */
    BLOCK_QUEUE = BLOCK_LANES * (BLOCK_CANDIDATES + 1)
};

/* Pairs of one kind, until there is a block of them. */
typedef struct block_queue {
    uint count;
    float reach[BLOCK_QUEUE];
    contact_pair pairs[BLOCK_QUEUE];
} block_queue;

/* A block of at most BLOCK_LANES pairs: positions of their ends at start (x) and end (y), and
 * the gaps. */
typedef struct block {
    const contact_pair *pairs;
    const float *reach;
    uint count;
    float x[4][4][BLOCK_LANES], y[4][4][BLOCK_LANES];
    float limit[BLOCK_LANES]; /* m; pairs with a larger gap cannot meet */
    float normal[3][BLOCK_LANES], gap[BLOCK_LANES], p[BLOCK_LANES], q[BLOCK_LANES],
        min_gap[BLOCK_LANES]; /* contact_gap */
    uint meets[BLOCK_LANES];
} block;

static inline void block_push(block_queue *queue, contact_pair pair, float reach)
{
    queue->reach[queue->count] = reach;
    queue->pairs[queue->count++] = pair;
}

/* Takes the last pairs of a queue. Unused lanes repeat the last pair. `margin` is added to the
 * reach. */
HED_NATIVE_BODY block_pop(
    block *b, block_queue *queue, const float4 *start, const float4 *end, float margin)
{
    b->count = queue->count < BLOCK_LANES ? queue->count : BLOCK_LANES;
    queue->count -= b->count;
    b->pairs = queue->pairs + queue->count;
    b->reach = queue->reach + queue->count;
    for (uint lane = 0; lane < BLOCK_LANES; lane += BLOCK_FOUR) {
        const contact_pair *pairs[BLOCK_FOUR];
        for (uint i = 0; i < BLOCK_FOUR; i++) {
            uint k = lane + i < b->count ? lane + i : b->count - 1;
            pairs[i] = b->pairs + k;
            b->limit[lane + i] = b->reach[k] + margin;
        }
        block_load_ends(b->x, lane, pairs, start);
        block_load_ends(b->y, lane, pairs, end);
    }
}

/* Computes the gap of each pair, and `meets`: true if the pair may meet. */
HED_NATIVE_BODY block_meet(block *b, float4 shift, uint edges)
{
    for (int lane = 0; lane < BLOCK_LANES; lane++) {
        contact_ends x = block_ends(b->x, lane), y = block_ends(b->y, lane);
        contact_gap gap = contact_gap_of(x, y, shift, edges);
        b->normal[0][lane] = gap.normal.x;
        b->normal[1][lane] = gap.normal.y;
        b->normal[2][lane] = gap.normal.z;
        b->gap[lane] = gap.normal.w;
        b->p[lane] = gap.p;
        b->q[lane] = gap.q;
        b->min_gap[lane] = gap.min_gap;
    }
    for (int lane = 0; lane < BLOCK_LANES; lane++) {
        contact_ends x = block_ends(b->x, lane), y = block_ends(b->y, lane);
        b->meets[lane] = !contact_sides_apart(x, y, shift, edges, b->limit[lane]) &&
                         !(b->min_gap[lane] >= b->limit[lane]);
    }
}
HED_NATIVE_BODY block_meet_edges_body(block *b, float4 shift)
{
    block_meet(b, shift, CONTACT_EDGES);
}
BLOCK_CLONES(block_meet_edges, (block * b, float4 shift), (b, shift))
HED_NATIVE_BODY block_meet_vertices_body(block *b, float4 shift) { block_meet(b, shift, 0u); }
BLOCK_CLONES(block_meet_vertices, (block * b, float4 shift), (b, shift))

/* ---- overlaps ---- */

enum { BLOCK_ROWS = 3, BLOCK_STACK = 256 };

/* Low and high of a box, and the comparisons of two boxes. */
typedef float block_box __attribute__((vector_size(32)));
typedef int block_sides __attribute__((vector_size(32)));

/* Writes the bits of the nodes, of `count` neighbouring ones, that overlap a box. `box`: high
 * and -low, which are compared with low and -high of a node. */
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

/* Writes the overlaps of a leaf. */
static inline void block_write(uint leaf, const uint *queue, uint count, contact_find_view view)
{
    uint at = (uint)cloth_atomic_add(&view.counters->total.overlaps, (int)count);
    for (uint k = 0; k < count && at + k < 2u * view.params.capacity; k++)
        view.overlaps[at + k] = (contact_overlap){leaf, queue[k]};
}

/* Finds the overlaps of a leaf by a descent from the root, three rows in a step. */
HED_NATIVE_BODY block_find(uint leaf, contact_find_view view)
{
    const float4 *boxes = view.boxes;
    const contact_triangle *triangles = view.triangles;
    const contact_params params = view.params;
    uint queue[BLOCK_LANES], stack[BLOCK_STACK], count = 0, depth = 0;
    contact_triangle triangle = triangles[leaf];
    uint self = leaf + params.leaves, rows = 31u - clz(params.leaves);
    if (triangle.a == CONTACT_NO_LEAF || rows == 0u) return;
    uint other = contact_first_other(boxes, self, params.leaves);
    uint last = params.leaves + (other > leaf ? other - 1u : leaf);
    float4 low = boxes[2 * self], high = boxes[2 * self + 1];
    const block_box box = {high.x, high.y, high.z, 0.0f, -low.x, -low.y, -low.z, 0.0f};
    stack[depth++] = 1u;
    while (depth > 0) {
        uint node = stack[--depth], row = 31u - clz(node), bits;
        uint step = (rows - row) % BLOCK_ROWS ? (rows - row) % BLOCK_ROWS : BLOCK_ROWS;
        uint below = rows - row - step, first = node << step;
        block_overlaps(&bits, boxes + 2 * first, 1u << step, &box);
        uint from = (last + 1u) >> below; /* first node with a leaf after `last` */
        if (from > first) bits &= ~0u << (from - first);
        for (; bits; bits &= bits - 1u) {
            uint next = first + (31u - clz(bits & (0u - bits)));
            if (below > 0) {
                stack[depth++] = next;
            } else if (contact_candidates(triangle, triangles[next - params.leaves])) {
                queue[count++] = next - params.leaves;
                if (count == BLOCK_LANES) {
                    block_write(leaf, queue, count, view);
                    count = 0;
                }
            }
        }
    }
    if (count > 0) block_write(leaf, queue, count, view);
}

/* ---- the list ---- */

/* Boxes of the motions of a triangle: three vertices, three edges, the triangle. */
enum { BLOCK_EDGE = 3, BLOCK_TRIANGLE = 6, BLOCK_BOXES };

/* Triangles that overlap one triangle. */
typedef struct block_triangles {
    uint count, candidates[BLOCK_LANES];
    contact_triangle triangles[BLOCK_LANES];
    float reach[BLOCK_LANES], limit[BLOCK_LANES];
    float low[BLOCK_BOXES][3][BLOCK_LANES], high[BLOCK_BOXES][3][BLOCK_LANES];
} block_triangles;

HED_NATIVE_BODY block_join(float (*boxes)[3][BLOCK_LANES], int to, int a, int b, bool high)
{
    for (int axis = 0; axis < 3; axis++)
        for (int lane = 0; lane < BLOCK_LANES; lane++)
            boxes[to][axis][lane] = high ? hed_max(boxes[a][axis][lane], boxes[b][axis][lane])
                                         : hed_min(boxes[a][axis][lane], boxes[b][axis][lane]);
}
HED_NATIVE_BODY block_join_all_body(block_triangles *b)
{
    for (int k = 0; k < 3; k++) {
        block_join(b->low, BLOCK_EDGE + k, k, (k + 1) % 3, false);
        block_join(b->high, BLOCK_EDGE + k, k, (k + 1) % 3, true);
    }
    block_join(b->low, BLOCK_TRIANGLE, 2, BLOCK_EDGE, false);
    block_join(b->high, BLOCK_TRIANGLE, 2, BLOCK_EDGE, true);
}
BLOCK_CLONES(block_join_all, (block_triangles * b), (b))

static inline float4 block_corner(const float (*corner)[BLOCK_LANES], int lane)
{
    return (float4){corner[0][lane], corner[1][lane], corner[2][lane], 0.0f};
}

/* Computes the boxes of `count` triangles. Unused lanes have no candidates, and old boxes. */
HED_NATIVE_BODY block_fill(block_triangles *b, contact_triangle triangle,
    const contact_overlap *overlaps, uint count, contact_list_view view, contact_params params)
{
    b->count = count;
    memset(b->candidates, 0, sizeof b->candidates);
    for (uint lane = 0; lane < count; lane++) {
        contact_triangle other = view.triangles[overlaps[lane].other];
        const uint at[3] = {other.a, other.b, other.c};
        b->triangles[lane] = other;
        b->candidates[lane] = contact_candidates(triangle, other);
        b->reach[lane] = contact_reach(triangle.a, other.a, view);
        b->limit[lane] = b->reach[lane] + 2.0f * contact_cover(params);
        for (int k = 0; k < 3; k++) {
            float4 x = view.start[at[k]], y = view.ahead[at[k]];
            float4 low = contact_lower(x, y), high = contact_upper(x, y);
            b->low[k][0][lane] = low.x, b->low[k][1][lane] = low.y, b->low[k][2][lane] = low.z;
            b->high[k][0][lane] = high.x, b->high[k][1][lane] = high.y,
            b->high[k][2][lane] = high.z;
        }
    }
    block_join_all(b);
}

/* Removes the candidates whose boxes are not near the boxes of the triangle in lane 0 of `self`. */
HED_NATIVE_BODY block_sieve_body(block_triangles *b, const block_triangles *self)
{
    uint all = 0;
    for (int lane = 0; lane < BLOCK_LANES; lane++) all |= b->candidates[lane];
    for (; all; all &= all - 1u) {
        int k = (int)(31u - clz(all & (0u - all)));
        int box = k < 3 ? k : k < 6 ? BLOCK_TRIANGLE : BLOCK_EDGE + (k - 6) / 3;
        int other = k < 3 ? BLOCK_TRIANGLE : k < 6 ? k - 3 : BLOCK_EDGE + (k - 6) % 3;
        float4 low = block_corner(self->low[box], 0), high = block_corner(self->high[box], 0);
        for (int lane = 0; lane < BLOCK_LANES; lane++) {
            uint apart = contact_boxes_apart(low, high, block_corner(b->low[other], lane),
                block_corner(b->high[other], lane), b->limit[lane]);
            b->candidates[lane] &= ~(apart << k);
        }
    }
}
BLOCK_CLONES(block_sieve, (block_triangles * b, const block_triangles *self), (b, self))

/* Lists the pairs of overlaps [first, last). */
HED_NATIVE_BODY block_list(const contact_overlap *overlaps, uint first, uint last,
    contact_list_view view, contact_params params)
{
    block_triangles self = {0}, others = {0};
    block_queue queues[2]; /* vertices and triangles; edges */
    block b;
    queues[0].count = queues[1].count = 0;
    for (uint k = first; k <= last; k += others.count) {
        others.count = 0;
        if (k < last) {
            uint leaf = overlaps[k].leaf;
            contact_triangle triangle = view.triangles[leaf];
            if (k == first || leaf != overlaps[k - 1].leaf)
                block_fill(&self, triangle, &(contact_overlap){0, leaf}, 1, view, params);
            uint count = 1;
            while (count < BLOCK_LANES && k + count < last && overlaps[k + count].leaf == leaf)
                count++;
            block_fill(&others, triangle, overlaps + k, count, view, params);
            block_sieve(&others, &self);
            for (uint lane = 0; lane < count; lane++)
                for (uint bits = others.candidates[lane]; bits; bits &= bits - 1u) {
                    uint candidate = 31u - clz(bits & (0u - bits));
                    contact_pair pair =
                        contact_candidate(candidate, triangle, others.triangles[lane]);
                    block_push(&queues[candidate >= 6], pair, others.reach[lane]);
                }
        }
        for (uint edges = 0; edges < 2; edges++)
            while (queues[edges].count >= (k < last ? BLOCK_LANES : 1)) {
                block_pop(&b, &queues[edges], view.start, view.ahead, 2.0f * contact_cover(params));
                (edges ? block_meet_edges : block_meet_vertices)(
                    &b, hed_f4(0.0f, 0.0f, 0.0f, 0.0f));
                for (uint lane = 0; lane < b.count; lane++) {
                    float reach = b.reach[lane], gap = b.min_gap[lane];
                    if (!b.meets[lane] ||
                        !contact_is_listed(b.pairs[lane], &reach, gap, view, params))
                        continue;
                    uint at = (uint)cloth_atomic_add(&view.counters->total.listed, 1);
                    contact_list_write(at, b.pairs[lane], reach, gap, view, params);
                }
            }
        if (k == last) break;
    }
}

/* ---- the pairs of a contact iteration ---- */

/* Takes listed pairs [first, last). */
HED_NATIVE_BODY block_take(uint first, uint last, contact_pair_view view,
    contact_counters *counters, contact_params params)
{
    block_queue queues[2];
    block b;
    contact_iteration *current = &counters->iteration[params.slot];
    float margin = contact_margin(counters, params);
    uint is_fresh = (uint)current->list_needed;
    float4 shift = contact_shift(counters, params);
    queues[0].count = queues[1].count = 0;
    for (uint k = first; k <= last; k++) {
        if (k < last) {
            contact_pair pair = view.list[k];
            if (!contact_is_far(pair, view.bounds[k], view.deviations, is_fresh, margin))
                block_push(&queues[contact_edges(pair) != 0], pair, view.bounds[k].reach);
        }
        for (uint edges = 0; edges < 2; edges++)
            while (queues[edges].count >= (k < last ? BLOCK_LANES : 1)) {
                block_pop(&b, &queues[edges], view.start, view.position, margin);
                (edges ? block_meet_edges : block_meet_vertices)(&b, shift);
                int meets = 0;
                for (uint lane = 0; lane < b.count; lane++) meets += (int)b.meets[lane];
                uint at = (uint)cloth_atomic_add(&current->pairs, meets);
                for (uint lane = 0; lane < b.count; lane++) {
                    if (!b.meets[lane]) continue;
                    contact_gap gap = {.normal = {b.normal[0][lane], b.normal[1][lane],
                                           b.normal[2][lane], b.gap[lane]},
                        .p = b.p[lane],
                        .q = b.q[lane]};
                    contact_pair_write(at++, b.pairs[lane], b.reach[lane], gap, view, params);
                }
            }
    }
}

#endif
