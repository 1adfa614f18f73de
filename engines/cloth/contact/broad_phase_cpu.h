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

enum {
    BLOCK_ROWS = 3, /* rows of the tree in a step of a descent, and below a cluster */
    BLOCK_STACK = 256,
    BLOCK_CLUSTERS = 64
};

/* Clusters of leaves near one cluster, with their boxes. */
typedef struct block_clusters {
    uint count, nodes[BLOCK_CLUSTERS];
    float4 boxes[2 * BLOCK_CLUSTERS];
} block_clusters;

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

/* Leaves in lanes: their triangles, and the candidates of each and one further triangle. */
typedef struct block_leaves {
    uint count, leaves[BLOCK_LANES], candidates[BLOCK_LANES];
    uint a[BLOCK_LANES], b[BLOCK_LANES], c[BLOCK_LANES], owned[BLOCK_LANES];
} block_leaves;

HED_NATIVE_BODY block_candidates_body(block_leaves *l, const contact_triangle *triangle)
{
    const contact_triangle s = *triangle;
    for (int lane = 0; lane < BLOCK_LANES; lane++) {
        contact_triangle t = {l->a[lane], l->b[lane], l->c[lane], l->owned[lane]};
        l->candidates[lane] = contact_candidates(s, t);
    }
}
BLOCK_CLONES(block_candidates, (block_leaves * l, const contact_triangle *triangle), (l, triangle))

/* Computes the candidates of the leaves. Unused lanes keep a leaf of before. */
static inline void block_leaves_fill(
    block_leaves *l, const contact_triangle *triangle, const contact_triangle *triangles)
{
    for (uint lane = 0; lane < l->count; lane++) {
        const contact_triangle *t = triangles + l->leaves[lane];
        l->a[lane] = t->a, l->b[lane] = t->b, l->c[lane] = t->c, l->owned[lane] = t->owned;
    }
    block_candidates(l, triangle);
}

/* Writes the overlaps of a leaf that have a candidate, and empties the lanes. */
static inline void block_write(uint leaf, block_leaves *l, contact_find_view view)
{
    uint queue[BLOCK_LANES], count = 0;
    block_leaves_fill(l, view.triangles + leaf, view.triangles);
    for (uint lane = 0; lane < l->count; lane++) {
        queue[count] = l->leaves[lane];
        count += l->candidates[lane] != 0u;
    }
    l->count = 0;
    if (count == 0) return;
    uint at = (uint)cloth_atomic_add(&view.counters->total.overlaps, (int)count);
    for (uint k = 0; k < count && at + k < 2u * view.params.capacity; k++)
        view.overlaps[at + k] = (contact_overlap){leaf, queue[k]};
}

/* Writes high and -low of a node. */
static inline void block_box_of(block_box *box, const float4 *boxes, uint node)
{
    float4 low = boxes[2 * node], high = boxes[2 * node + 1];
    *box = (block_box){high.x, high.y, high.z, 0.0f, -low.x, -low.y, -low.z, 0.0f};
}

/* Removes the bits of neighbouring nodes from `first` on that are before `from`. */
static inline uint block_bits_from(uint bits, uint first, uint from)
{
    if (from <= first) return bits;
    return from - first < 1u << BLOCK_ROWS ? bits & ~0u << (from - first) : 0u;
}

/* Finds the overlaps of a leaf with the leaves of clusters of `width` leaves. */
HED_NATIVE_BODY block_find_leaf(
    uint leaf, const block_clusters *clusters, uint width, contact_find_view view)
{
    const float4 *boxes = view.boxes;
    uint leaves = view.params.leaves;
    block_leaves found = {.count = 0};
    if (view.triangles[leaf].a == CONTACT_NO_LEAF) return;
    uint other = contact_first_other(boxes, leaf + leaves, leaves),
         from = leaves + (other > leaf ? other : leaf + 1u);
    block_box box;
    block_box_of(&box, boxes, leaf + leaves);
    for (uint k = 0; k < clusters->count; k += 1u << BLOCK_ROWS) {
        uint near, left = clusters->count - k;
        block_overlaps(&near, clusters->boxes + 2 * k,
            left < 1u << BLOCK_ROWS ? left : 1u << BLOCK_ROWS, &box);
        for (; near; near &= near - 1u) {
            uint first = clusters->nodes[k + (31u - clz(near & (0u - near)))] * width, bits;
            if (first + width <= from) continue;
            block_overlaps(&bits, boxes + 2 * first, width, &box);
            for (bits = block_bits_from(bits, first, from); bits; bits &= bits - 1u) {
                found.leaves[found.count++] = first + (31u - clz(bits & (0u - bits))) - leaves;
                if (found.count == BLOCK_LANES) block_write(leaf, &found, view);
            }
        }
    }
    if (found.count > 0) block_write(leaf, &found, view);
}

/* Number of leaves of a cluster: eight, or all of a smaller tree. */
static inline uint block_cluster_width(uint leaves)
{
    return leaves < 1u << BLOCK_ROWS ? leaves : 1u << BLOCK_ROWS;
}

/* Finds the overlaps of the leaves of a cluster: the clusters near it by a descent from the root,
 * three rows in a step, then the clusters near each leaf, then the leaves of these. */
HED_NATIVE_BODY block_find(uint cluster, contact_find_view view)
{
    const float4 *boxes = view.boxes;
    uint leaves = view.params.leaves, width = block_cluster_width(leaves),
         clusters = leaves / width;
    uint stack[BLOCK_STACK], depth = 0, rows = 31u - clz(clusters), self = clusters + cluster;
    uint from = contact_first_other(boxes, self, clusters) + clusters;
    block_box box;
    block_box_of(&box, boxes, self);
    block_clusters near = {.count = 0};
    stack[depth++] = 1u;
    while (depth > 0) {
        uint node = stack[--depth], row = 31u - clz(node), bits = 1u, step = 0, below = rows - row;
        if (below > 0) {
            step = below % BLOCK_ROWS ? below % BLOCK_ROWS : BLOCK_ROWS;
            below -= step;
            block_overlaps(&bits, boxes + 2 * (node << step), 1u << step, &box);
        }
        uint first = node << step;
        for (bits = block_bits_from(bits, first, from >> below); bits; bits &= bits - 1u) {
            uint next = first + (31u - clz(bits & (0u - bits)));
            if (below > 0) {
                stack[depth++] = next;
                continue;
            }
            near.nodes[near.count] = next;
            memcpy(near.boxes + 2 * near.count++, boxes + 2 * next, 2 * sizeof *boxes);
            if (near.count < BLOCK_CLUSTERS) continue;
            for (uint k = 0; k < width; k++)
                block_find_leaf(cluster * width + k, &near, width, view);
            near.count = 0;
        }
    }
    for (uint k = 0; k < width && near.count > 0; k++)
        block_find_leaf(cluster * width + k, &near, width, view);
}

/* ---- the list ---- */

/* Boxes of the motions of a triangle: three vertices, three edges, the triangle. */
enum { BLOCK_EDGE = 3, BLOCK_TRIANGLE = 6, BLOCK_BOXES };

/* Triangles that overlap one triangle. */
typedef struct block_triangles {
    block_leaves l;
    float reach[BLOCK_LANES], limit[BLOCK_LANES];
    float start[3][4][BLOCK_LANES], end[3][4][BLOCK_LANES]; /* motions of the vertices */
    float low[BLOCK_BOXES][3][BLOCK_LANES], high[BLOCK_BOXES][3][BLOCK_LANES];
} block_triangles;

/* Boxes of the motions of one triangle. */
typedef struct block_boxes {
    float4 low[BLOCK_BOXES], high[BLOCK_BOXES];
} block_boxes;

HED_NATIVE_BODY block_boxes_fill(block_boxes *b, contact_triangle triangle, contact_list_view view)
{
    const uint at[3] = {triangle.a, triangle.b, triangle.c};
    for (int k = 0; k < 3; k++) {
        b->low[k] = contact_lower(view.start[at[k]], view.ahead[at[k]]);
        b->high[k] = contact_upper(view.start[at[k]], view.ahead[at[k]]);
    }
    for (int k = 0; k < 3; k++) {
        b->low[BLOCK_EDGE + k] = contact_lower(b->low[k], b->low[(k + 1) % 3]);
        b->high[BLOCK_EDGE + k] = contact_upper(b->high[k], b->high[(k + 1) % 3]);
    }
    b->low[BLOCK_TRIANGLE] = contact_lower(b->low[2], b->low[BLOCK_EDGE]);
    b->high[BLOCK_TRIANGLE] = contact_upper(b->high[2], b->high[BLOCK_EDGE]);
}

HED_NATIVE_BODY block_join(float (*boxes)[3][BLOCK_LANES], int to, int a, int b, bool high)
{
    for (int axis = 0; axis < 3; axis++)
        for (int lane = 0; lane < BLOCK_LANES; lane++)
            boxes[to][axis][lane] = high ? hed_max(boxes[a][axis][lane], boxes[b][axis][lane])
                                         : hed_min(boxes[a][axis][lane], boxes[b][axis][lane]);
}
HED_NATIVE_BODY block_join_all_body(block_triangles *b)
{
    for (int k = 0; k < 3; k++)
        for (int axis = 0; axis < 3; axis++)
            for (int lane = 0; lane < BLOCK_LANES; lane++) {
                float x = b->start[k][axis][lane], y = b->end[k][axis][lane];
                b->low[k][axis][lane] = hed_min(x, y);
                b->high[k][axis][lane] = hed_max(x, y);
            }
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

/* Loads the motions of the vertices of four triangles from `lane` on. */
static inline void block_load_motions(block_triangles *b, uint lane, contact_list_view view)
{
    const uint *const at[3] = {b->l.a + lane, b->l.b + lane, b->l.c + lane};
    for (int k = 0; k < 3; k++) {
        const uint *i = at[k];
        block_transpose(b->start[k], lane,
            (const float4 *[]){
                view.start + i[0], view.start + i[1], view.start + i[2], view.start + i[3]});
        block_transpose(b->end[k], lane,
            (const float4 *[]){
                view.ahead + i[0], view.ahead + i[1], view.ahead + i[2], view.ahead + i[3]});
    }
}

/* Computes the boxes of the triangles of overlaps [0, count). */
HED_NATIVE_BODY block_fill(block_triangles *b, contact_triangle triangle,
    const contact_overlap *overlaps, uint count, contact_list_view view, contact_params params)
{
    block_leaves *l = &b->l;
    l->count = BLOCK_LANES;
    for (uint lane = 0; lane < BLOCK_LANES; lane++)
        l->leaves[lane] = overlaps[lane < count ? lane : count - 1].other;
    block_leaves_fill(l, &triangle, view.triangles);
    l->count = count;
    for (uint lane = 0; lane < count; lane++) {
        b->reach[lane] = contact_reach(triangle.a, l->a[lane], view);
        b->limit[lane] = b->reach[lane] + 2.0f * contact_cover(params);
    }
    for (uint lane = 0; lane < count; lane += BLOCK_FOUR) block_load_motions(b, lane, view);
    block_join_all(b);
}

/* Removes the candidates whose boxes are not near the boxes of a triangle. */
HED_NATIVE_BODY block_sieve_body(block_triangles *b, const block_boxes *self)
{
    uint all = 0;
    for (int lane = 0; lane < BLOCK_LANES; lane++) all |= b->l.candidates[lane];
    for (; all; all &= all - 1u) {
        int k = (int)(31u - clz(all & (0u - all)));
        int box = k < 3 ? k : k < 6 ? BLOCK_TRIANGLE : BLOCK_EDGE + (k - 6) / 3;
        int other = k < 3 ? BLOCK_TRIANGLE : k < 6 ? k - 3 : BLOCK_EDGE + (k - 6) % 3;
        float4 low = self->low[box], high = self->high[box];
        for (int lane = 0; lane < BLOCK_LANES; lane++) {
            uint apart = contact_boxes_apart(low, high, block_corner(b->low[other], lane),
                block_corner(b->high[other], lane), b->limit[lane]);
            b->l.candidates[lane] &= ~(apart << k);
        }
    }
}
BLOCK_CLONES(block_sieve, (block_triangles * b, const block_boxes *self), (b, self))

/* Adds the candidates of two triangles with these bits to the queue of their kind. */
static inline void block_push_candidates(
    block_queue *queues, uint bits, contact_triangle s, contact_triangle t, float reach)
{
    const uint corners[8] = {s.a, s.b, s.c, s.a, t.a, t.b, t.c, t.a};
    for (uint of = bits & 7u; of; of &= of - 1u)
        block_push(
            &queues[0], (contact_pair){corners[31u - clz(of & (0u - of))], t.a, t.b, t.c}, reach);
    for (uint of = bits >> 3 & 7u; of; of &= of - 1u)
        block_push(
            &queues[0], (contact_pair){corners[35u - clz(of & (0u - of))], s.a, s.b, s.c}, reach);
    for (uint edge = 0; edge < 3; edge++)
        for (uint of = bits >> (6u + 3u * edge) & 7u; of; of &= of - 1u) {
            const uint *end = corners + 35u - clz(of & (0u - of));
            block_push(&queues[1],
                (contact_pair){corners[edge] | CONTACT_EDGES, corners[edge + 1], end[0], end[1]},
                reach);
        }
}

/* Writes the pairs of a block that meet and are listed. */
HED_NATIVE_BODY block_list_write(block *b, contact_list_view view, contact_params params)
{
    float reach[BLOCK_LANES];
    uint lanes[BLOCK_LANES], count = 0;
    for (uint lane = 0; lane < b->count; lane++) {
        reach[lane] = b->reach[lane];
        if (b->meets[lane] &&
            contact_is_listed(b->pairs[lane], reach + lane, b->min_gap[lane], view, params))
            lanes[count++] = lane;
    }
    uint at = (uint)cloth_atomic_add(&view.counters->total.listed, (int)count);
    for (uint k = 0; k < count; k++) {
        uint lane = lanes[k];
        contact_list_write(at + k, b->pairs[lane], reach[lane], b->min_gap[lane], view, params);
    }
}

/* Lists the pairs of overlaps [first, last). */
HED_NATIVE_BODY block_list(const contact_overlap *overlaps, uint first, uint last,
    contact_list_view view, contact_params params)
{
    block_boxes self = {0};
    block_triangles others = {0};
    block_queue queues[2]; /* vertices and triangles; edges */
    block b;
    queues[0].count = queues[1].count = 0;
    for (uint k = first; k <= last; k += others.l.count) {
        others.l.count = 0;
        if (k < last) {
            uint leaf = overlaps[k].leaf;
            contact_triangle triangle = view.triangles[leaf];
            if (k == first || leaf != overlaps[k - 1].leaf) block_boxes_fill(&self, triangle, view);
            uint count = 1;
            while (count < BLOCK_LANES && k + count < last && overlaps[k + count].leaf == leaf)
                count++;
            block_fill(&others, triangle, overlaps + k, count, view, params);
            block_sieve(&others, &self);
            for (uint lane = 0; lane < count; lane++)
                block_push_candidates(queues, others.l.candidates[lane], triangle,
                    view.triangles[others.l.leaves[lane]], others.reach[lane]);
        }
        for (uint edges = 0; edges < 2; edges++)
            while (queues[edges].count >= (k < last ? BLOCK_LANES : 1)) {
                block_pop(&b, &queues[edges], view.start, view.ahead, 2.0f * contact_cover(params));
                (edges ? block_meet_edges : block_meet_vertices)(
                    &b, hed_f4(0.0f, 0.0f, 0.0f, 0.0f));
                block_list_write(&b, view, params);
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
            block_queue *queue = &queues[contact_edges(pair) != 0];
            /* without a branch: it would be predicted wrongly for half of the pairs */
            block_push(queue, pair, view.bounds[k].reach);
            queue->count -= contact_is_far(pair, view.bounds[k], view.deviations, is_fresh, margin);
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
