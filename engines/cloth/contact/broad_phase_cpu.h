/* List of pairs in C, in blocks: loops over lanes, each of which performs the
 * operations of broad_phase.h on one pair, in arrays that compilers put into vector registers.
 * The results have the same bits; the order of the list differs. */
#ifndef CLOTH_BROAD_PHASE_CPU_H
#define CLOTH_BROAD_PHASE_CPU_H

#include "contact/contact_lanes.h"

enum {
    BLOCK_CANDIDATES = 15, /* bits of contact_candidates() */
    BLOCK_QUEUE = BLOCK_LANES * (BLOCK_CANDIDATES + 1)
};

/* Candidates of one kind, until there is a block of them: the leaves of their triangles, and bits of
 * contact_candidates(). */
typedef struct block_candidate_queue {
    uint count;
    uint leaves[BLOCK_QUEUE], partners[BLOCK_QUEUE], bits[BLOCK_QUEUE];
    float reach[BLOCK_QUEUE];
} block_candidate_queue;

/* A block of at most BLOCK_LANES pairs: positions of their ends at start (x) and end (y), and
 * the gaps. */
typedef struct block {
    uint count, edges; /* lanes in use; CONTACT_EDGES or 0 */
    block_lanes x[4], y[4];
    uint ends[4 * BLOCK_LANES]; /* particles, [end][lane] */
    float reach[BLOCK_LANES];
    float limit[BLOCK_LANES]; /* m; pairs with a larger gap cannot meet */
    float normal[3][BLOCK_LANES], gap[BLOCK_LANES], p[BLOCK_LANES], q[BLOCK_LANES],
        min_gap[BLOCK_LANES]; /* contact_gap */
    uint meets[BLOCK_LANES];
} block;

static inline contact_pair block_pair(const block *b, uint lane)
{
    const uint *end = b->ends + lane;
    return (contact_pair){
        end[0] | b->edges, end[BLOCK_LANES], end[2 * BLOCK_LANES], end[3 * BLOCK_LANES]};
}

/* Loads the positions of the ends of a block. */
static inline void block_load(block *b, const float4 *start, const float4 *end)
{
    block_gather(b->x, start, b->ends, 4);
    block_gather(b->y, end, b->ends, 4);
}

/* Number of pairs that leave a queue: the last ones. Writes the lanes; unused ones repeat the last
 * pair. */
static inline uint block_leave(uint *count, uint *at)
{
    uint lanes = *count < BLOCK_LANES ? *count : BLOCK_LANES;
    *count -= lanes;
    for (uint lane = 0; lane < BLOCK_LANES; lane++) at[lane] = lane < lanes ? lane : lanes - 1;
    return lanes;
}

/* ---- candidates ---- */

/* Triangles of candidates in lanes, and the bits of the candidates. */
typedef struct block_sources {
    block_lanes s, t; /* contact_triangle: a, b, c, owned */
    uint bits[BLOCK_LANES];
} block_sources;

static inline uint block_corner_of(const block_lanes *triangles, int lane, uint corner)
{
    const float(*words)[BLOCK_LANES] = triangles->axes;
    uint a = as_uint(words[0][lane]), b = as_uint(words[1][lane]), c = as_uint(words[2][lane]);
    return corner == 0 ? a : corner == 1 ? b : c;
}
/* Finds the ends of candidates: contact_candidate(). */
HED_NATIVE_BODY block_ends_of_body(block *b, const block_sources *of)
{
    for (int lane = 0; lane < BLOCK_LANES; lane++) {
        uint k = of->bits[lane], first = k < 3, a = block_corner_of(&of->s, lane, k),
             other = block_corner_of(&of->t, lane, k - 3);
        b->ends[lane] = first ? a : other;
        for (uint corner = 0; corner < 3; corner++) {
            uint s = block_corner_of(&of->s, lane, corner),
                 t = block_corner_of(&of->t, lane, corner);
            b->ends[(corner + 1) * BLOCK_LANES + (uint)lane] = first ? t : s;
        }
    }
}
BLOCK_CLONES(block_ends_of, (block * b, const block_sources *of), (b, of))
HED_NATIVE_BODY block_edge_ends_of_body(block *b, const block_sources *of)
{
    for (int lane = 0; lane < BLOCK_LANES; lane++) {
        uint edge = of->bits[lane] - 6, i = edge * 11 >> 5, j = edge - 3 * i; /* edge / 3 */
        b->ends[lane] = block_corner_of(&of->s, lane, i);
        b->ends[BLOCK_LANES + lane] = block_corner_of(&of->s, lane, i == 2 ? 0 : i + 1);
        b->ends[2 * BLOCK_LANES + lane] = block_corner_of(&of->t, lane, j);
        b->ends[3 * BLOCK_LANES + lane] = block_corner_of(&of->t, lane, j == 2 ? 0 : j + 1);
    }
}
BLOCK_CLONES(block_edge_ends_of, (block * b, const block_sources *of), (b, of))

/* Takes the last candidates of a queue, and finds their ends. */
HED_NATIVE_BODY block_pop_candidates(block *b, block_candidate_queue *queue, uint edges,
    const contact_triangle *triangles, const float4 *start, const float4 *end,
    contact_margins margins)
{
    uint at[BLOCK_LANES], leaves[BLOCK_LANES], partners[BLOCK_LANES];
    block_sources of;
    b->count = block_leave(&queue->count, at);
    b->edges = edges;
    for (uint lane = 0; lane < BLOCK_LANES; lane++) {
        uint k = queue->count + at[lane];
        leaves[lane] = queue->leaves[k], partners[lane] = queue->partners[k];
        of.bits[lane] = queue->bits[k];
        b->reach[lane] = queue->reach[k];
        b->limit[lane] = contact_near_gap(queue->reach[k], margins);
    }
    block_gather(&of.s, triangles, leaves, 1);
    block_gather(&of.t, triangles, partners, 1);
    (edges ? block_edge_ends_of : block_ends_of)(b, &of);
    block_load(b, start, end);
}

/* Computes a lower bound on the gap of each candidate, whose boxes are known to overlap, and `meets`.
 */
HED_NATIVE_BODY block_bound(block *b, uint edges)
{
    for (int lane = 0; lane < BLOCK_LANES; lane++) {
        contact_gap gap = contact_gap_of(
            block_ends(b->x, lane), block_ends(b->y, lane), hed_f4(0.0f, 0.0f, 0.0f, 0.0f), edges);
        b->min_gap[lane] = gap.min_gap;
        b->meets[lane] = !(gap.min_gap >= b->limit[lane]);
    }
}
HED_NATIVE_BODY block_bound_edges_body(block *b) { block_bound(b, CONTACT_EDGES); }
BLOCK_CLONES(block_bound_edges, (block * b), (b))
HED_NATIVE_BODY block_bound_vertices_body(block *b) { block_bound(b, 0u); }
BLOCK_CLONES(block_bound_vertices, (block * b), (b))

/* ---- overlaps ---- */

enum {
    BLOCK_ROWS = 3, /* rows of the tree in a step of a descent, and below a cluster */
    BLOCK_STACK = 256,
    BLOCK_CLUSTERS = 64
};

/* Clusters of leaves near one cluster, with the boxes of the clusters and of their leaves in
 * lanes. */
typedef struct block_clusters {
    uint count;
    block_boxes_of boxes[BLOCK_CLUSTERS / BLOCK_BOX_LANES], leaves[BLOCK_CLUSTERS];
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
    uint triangles[4][BLOCK_LANES]; /* contact_triangle: a, b, c, owned */
} block_leaves;

HED_NATIVE_BODY block_candidates_body(block_leaves *l, const contact_triangle *triangle)
{
    const contact_triangle s = *triangle;
    for (int lane = 0; lane < BLOCK_LANES; lane++) {
        contact_triangle t = {l->triangles[0][lane], l->triangles[1][lane], l->triangles[2][lane],
            l->triangles[3][lane]};
        l->candidates[lane] = contact_candidates(s, t);
    }
}
BLOCK_CLONES(block_candidates, (block_leaves * l, const contact_triangle *triangle), (l, triangle))

/* Computes the candidates of the leaves. Unused lanes repeat the last leaf. */
static inline void block_leaves_fill(
    block_leaves *l, const contact_triangle *triangle, const contact_triangle *triangles)
{
    block_lanes words;
    for (uint lane = l->count; lane < BLOCK_LANES; lane++)
        l->leaves[lane] = l->leaves[l->count - 1];
    block_gather(&words, triangles, l->leaves, 1);
    memcpy(l->triangles, words.axes, sizeof l->triangles);
    block_candidates(l, triangle);
}

/* Rows that a thread writes at once: threads seldom meet at a counter. */
enum { BLOCK_STAGE = 256 };

/* Column of staged rows, and the array of the device that gets them. */
typedef struct block_column {
    void *to;
    const void *from;
    size_t size; /* bytes of a row */
} block_column;

/* Appends the staged rows to arrays of the device, with `counter` and `capacity`; rows beyond the
 * capacity are counted alone. */
static inline void block_append(
    uint *count, int *counter, uint capacity, const block_column *columns, uint column_count)
{
    uint rows = *count, at = (uint)cloth_atomic_add(counter, (int)rows);
    size_t fits = at >= capacity ? 0 : rows < capacity - at ? rows : capacity - at;
    for (uint k = 0; k < column_count && fits > 0; k++)
        memcpy(
            (char *)columns[k].to + at * columns[k].size, columns[k].from, fits * columns[k].size);
    *count = 0;
}

typedef struct block_overlap_stage {
    uint count;
    contact_overlap rows[BLOCK_STAGE + BLOCK_LANES];
} block_overlap_stage;

static inline void block_overlaps_write(block_overlap_stage *stage, contact_find_view view)
{
    block_append(&stage->count, &view.counters->total.overlaps, 2u * view.params.capacity,
        &(block_column){view.overlaps, stage->rows, sizeof *stage->rows}, 1);
}

/* Writes the overlaps of a leaf with partners, at most BLOCK_LANES, that have a candidate. */
static inline void block_write(
    uint leaf, const uint *partners, uint count, block_overlap_stage *stage, contact_find_view view)
{
    block_leaves l;
    l.count = count;
    memcpy(l.leaves, partners, count * sizeof *partners);
    block_leaves_fill(&l, view.triangles + leaf, view.triangles);
    for (uint lane = 0; lane < count; lane++) {
        stage->rows[stage->count] = (contact_overlap){leaf, l.leaves[lane]};
        stage->count += l.candidates[lane] != 0u;
    }
    if (stage->count >= BLOCK_STAGE) block_overlaps_write(stage, view);
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

/* Finds the overlaps of a leaf with the leaves of clusters of `width` leaves. `after`: the first leaf
 * that may meet its cluster, if the cluster or a node above it cannot meet itself, else 0. */
HED_NATIVE_BODY block_find_leaf(uint leaf, uint after, const block_clusters *clusters, uint width,
    block_overlap_stage *stage, contact_find_view view)
{
    static const uint indices[BLOCK_CLUSTERS / BLOCK_BOX_LANES] = {0, 1, 2, 3, 4, 5, 6, 7};
    uint clusters_at[BLOCK_CLUSTERS + BLOCK_BOX_LANES],
        numbers[(BLOCK_CLUSTERS + 1) * BLOCK_BOX_LANES];
    uint leaves = view.params.leaves, node = leaf + leaves, from = after > 0 ? after : leaf + 1u;
    if (view.triangles[leaf].a == CONTACT_NO_LEAF) return;
    for (uint half = 1; half < width && after == 0; half *= 2)
        if (view.boxes[2 * (node / half)].w > 0.0f) from = (leaf / half + 1u) * half;
    const float4 *box = view.boxes + 2 * node;
    uint groups = (clusters->count + BLOCK_BOX_LANES - 1) / BLOCK_BOX_LANES, count;
    block_overlapping(clusters_at, &count,
        &(block_search){clusters->boxes, indices, groups, 0, clusters->count, box});
    block_overlapping(
        numbers, &count, &(block_search){clusters->leaves, clusters_at, count, from, leaves, box});
    for (uint k = 0; k < count; k += BLOCK_LANES)
        block_write(
            leaf, numbers + k, count - k < BLOCK_LANES ? count - k : BLOCK_LANES, stage, view);
}

/* Adds a cluster of leaves and its boxes. */
static inline void block_clusters_add(
    block_clusters *clusters, uint node, uint width, uint leaves, const float4 *boxes)
{
    uint k = clusters->count++, lane = k % BLOCK_BOX_LANES, at[BLOCK_LANES];
    float(*sides)[BLOCK_LANES] = clusters->boxes[k / BLOCK_BOX_LANES].sides.axes;
    float4 low = boxes[2 * node], high = boxes[2 * node + 1];
    clusters->boxes[k / BLOCK_BOX_LANES].first = k - lane;
    clusters->leaves[k].first = node * width - leaves;
    sides[0][lane] = low.x, sides[1][lane] = low.y, sides[2][lane] = low.z;
    lane += BLOCK_BOX_LANES;
    sides[0][lane] = high.x, sides[1][lane] = high.y, sides[2][lane] = high.z;
    for (uint i = 0; i < BLOCK_BOX_LANES; i++) {
        at[i] = 2 * (node * width + (i < width ? i : 0));
        at[BLOCK_BOX_LANES + i] = at[i] + 1;
    }
    block_gather(&clusters->leaves[k].sides, boxes, at, 1);
}

/* Number of leaves of a cluster: eight, or all of a smaller tree. */
static inline uint block_cluster_width(uint leaves)
{
    return leaves < 1u << BLOCK_ROWS ? leaves : 1u << BLOCK_ROWS;
}

/* Finds the overlaps of the leaves of a cluster: the clusters near it by a descent from the root,
 * three rows in a step, then the clusters near each leaf, then the leaves of these. */
HED_NATIVE_BODY block_find(uint cluster, block_overlap_stage *stage, contact_find_view view)
{
    const float4 *boxes = view.boxes;
    uint leaves = view.params.leaves, width = block_cluster_width(leaves),
         clusters = leaves / width;
    uint stack[BLOCK_STACK], depth = 0, rows = 31u - clz(clusters), self = clusters + cluster;
    uint from = contact_first_other(boxes, self, clusters) + clusters,
         after = from > self ? (from - clusters) * width : 0u;
    block_box box;
    block_box_of(&box, boxes, self);
    block_clusters near;
    near.count = 0;
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
            block_clusters_add(&near, next, width, leaves, boxes);
            if (near.count < BLOCK_CLUSTERS) continue;
            for (uint k = 0; k < width; k++)
                block_find_leaf(cluster * width + k, after, &near, width, stage, view);
            near.count = 0;
        }
    }
    for (uint k = 0; k < width && near.count > 0; k++)
        block_find_leaf(cluster * width + k, after, &near, width, stage, view);
}

/* ---- the list ---- */

/* Boxes of the motions of a triangle: three vertices, three edges, the triangle. */
enum { BLOCK_EDGE = 3, BLOCK_TRIANGLE = 6, BLOCK_BOXES };

/* Triangles that overlap one triangle. */
typedef struct block_triangles {
    block_leaves l;
    float reach[BLOCK_LANES], limit[BLOCK_LANES];
    block_lanes start[3], end[3]; /* motions of the vertices */
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
                float x = b->start[k].axes[axis][lane], y = b->end[k].axes[axis][lane];
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

/* Computes the boxes of the triangles of overlaps [0, count). */
HED_NATIVE_BODY block_fill(block_triangles *b, contact_triangle triangle,
    const contact_overlap *overlaps, uint count, contact_list_view view, contact_params params)
{
    block_leaves *l = &b->l;
    const contact_margins margins = contact_listed_margins(params);
    l->count = count;
    for (uint lane = 0; lane < count; lane++) l->leaves[lane] = overlaps[lane].other;
    block_leaves_fill(l, &triangle, view.triangles);
    for (uint lane = 0; lane < count; lane++) {
        b->reach[lane] = contact_reach(triangle.a, l->triangles[0][lane], view);
        b->limit[lane] = contact_near_gap(b->reach[lane], margins);
    }
    block_gather(b->start, view.start, l->triangles[0], 3);
    block_gather(b->end, view.ahead, l->triangles[0], 3);
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

/* Adds the candidates of a leaf and the leaves in lanes to the queues of their kinds. */
HED_NATIVE_BODY block_push_body(
    block_candidate_queue *queues, uint leaf, const block_leaves *l, const float *reach)
{
    for (uint lane = 0; lane < l->count; lane++)
        for (uint bits = l->candidates[lane]; bits; bits &= bits - 1u) {
            uint k = 31u - clz(bits & (0u - bits));
            block_candidate_queue *queue = queues + (k >= 6);
            uint at = queue->count++;
            queue->leaves[at] = leaf;
            queue->partners[at] = l->leaves[lane];
            queue->bits[at] = k;
            queue->reach[at] = reach[lane];
        }
}
HED_CLONES(static __attribute__((noinline)), block_push_narrow, block_push_body,
    (block_candidate_queue * queues, uint leaf, const block_leaves *l, const float *reach),
    (queues, leaf, l, reach))
#ifdef BLOCK_AVX512
__attribute__((target(BLOCK_AVX512))) static void block_push_avx512(
    block_candidate_queue *queues, uint leaf, const block_leaves *l, const float *reach)
{
    const __m512i bits = _mm512_loadu_si512(l->candidates),
                  partners = _mm512_loadu_si512(l->leaves), reaches = _mm512_loadu_si512(reach),
                  leaves = _mm512_set1_epi32((int)leaf);
    const __mmask16 used = (__mmask16)((1u << l->count) - 1u);
    for (uint k = 0; k < BLOCK_CANDIDATES; k++) {
        __mmask16 lanes = _mm512_mask_test_epi32_mask(used, bits, _mm512_set1_epi32(1 << k));
        if (!lanes) continue;
        block_candidate_queue *queue = queues + (k >= 6);
        uint at = queue->count;
        _mm512_storeu_si512(queue->leaves + at, leaves);
        _mm512_storeu_si512(queue->partners + at, _mm512_maskz_compress_epi32(lanes, partners));
        _mm512_storeu_si512(queue->bits + at, _mm512_set1_epi32((int)k));
        _mm512_storeu_si512(queue->reach + at, _mm512_maskz_compress_epi32(lanes, reaches));
        queue->count = at + (uint)__builtin_popcount(lanes);
    }
}
#endif
static void block_push_candidates(
    block_candidate_queue *queues, uint leaf, const block_leaves *l, const float *reach)
{
#ifdef BLOCK_AVX512
    if (block_has_avx512()) {
        block_push_avx512(queues, leaf, l, reach);
        return;
    }
#endif
    block_push_narrow(queues, leaf, l, reach);
}

/* Computes contact_is_listed() of the pairs that may meet, with their reach. */
HED_NATIVE_BODY block_neighbours(
    block *b, const block_lanes *rests, float max_edge, contact_margins margins)
{
    for (int lane = 0; lane < BLOCK_LANES; lane++) {
        contact_ends rest = block_ends(rests, lane);
        float4 between = cloth_minus(rest.a, rest.d);
        float reach = b->reach[lane], limit = 2.0f * (reach + max_edge);
        float4 n = contact_closest_of(rest, b->edges).normal;
        float nearer = hed_min(reach, 0.5f * n.w);
        uint differs = as_uint(rest.a.w) != as_uint(rest.d.w),
             is_far = differs | (uint)(cloth_dot(between, between) >= limit * limit);
        b->reach[lane] = is_far ? reach : nearer;
        b->meets[lane] &= is_far | !(b->min_gap[lane] >= contact_near_gap(nearer, margins));
    }
}
HED_NATIVE_BODY block_edge_neighbours_body(
    block *b, const block_lanes *rests, float max_edge, contact_margins margins)
{
    b->edges = CONTACT_EDGES;
    block_neighbours(b, rests, max_edge, margins);
}
BLOCK_CLONES(block_edge_neighbours,
    (block * b, const block_lanes *rests, float max_edge, contact_margins margins),
    (b, rests, max_edge, margins))
HED_NATIVE_BODY block_vertex_neighbours_body(
    block *b, const block_lanes *rests, float max_edge, contact_margins margins)
{
    b->edges = 0u;
    block_neighbours(b, rests, max_edge, margins);
}
BLOCK_CLONES(block_vertex_neighbours,
    (block * b, const block_lanes *rests, float max_edge, contact_margins margins),
    (b, rests, max_edge, margins))

typedef struct block_list_stage {
    uint count;
    contact_pair list[BLOCK_STAGE + BLOCK_LANES];
    contact_bound bounds[BLOCK_STAGE + BLOCK_LANES];
} block_list_stage;

static inline void block_list_write(
    block_list_stage *stage, contact_list_view view, const contact_params *params)
{
    const block_column columns[] = {{view.list, stage->list, sizeof *stage->list},
        {view.bounds, stage->bounds, sizeof *stage->bounds}};
    block_append(&stage->count, &view.counters->total.listed, params->list_capacity, columns, 2);
}

/* Adds the pairs of a block that meet and are listed. */
HED_NATIVE_BODY block_list_add(
    block *b, block_list_stage *stage, contact_list_view view, contact_params params)
{
    block_lanes rests[4];
    block_gather(rests, view.rests, b->ends, 4);
    (b->edges ? block_edge_neighbours : block_vertex_neighbours)(
        b, rests, params.max_edge, contact_listed_margins(params));
    for (uint lane = 0; lane < b->count; lane++) {
        stage->list[stage->count] = block_pair(b, lane);
        stage->bounds[stage->count] = (contact_bound){b->reach[lane], b->min_gap[lane]};
        stage->count += b->meets[lane];
    }
    if (stage->count >= BLOCK_STAGE) block_list_write(stage, view, &params);
}

/* Lists the pairs of overlaps [first, last). */
HED_NATIVE_BODY block_list(const contact_overlap *overlaps, uint first, uint last,
    contact_list_view view, contact_params params)
{
    block_boxes self = {0};
    block_triangles others = {0};
    block_candidate_queue queues[2]; /* vertices and triangles; edges */
    block_list_stage stage;
    block b;
    stage.count = queues[0].count = queues[1].count = 0;
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
            block_push_candidates(queues, leaf, &others.l, others.reach);
        }
        for (uint edges = 0; edges < 2; edges++)
            while (queues[edges].count >= (k < last ? BLOCK_LANES : 1)) {
                block_pop_candidates(&b, &queues[edges], edges ? CONTACT_EDGES : 0u, view.triangles,
                    view.start, view.ahead, contact_listed_margins(params));
                (edges ? block_bound_edges : block_bound_vertices)(&b);
                block_list_add(&b, &stage, view, params);
            }
        if (k == last) break;
    }
    if (stage.count > 0) block_list_write(&stage, view, &params);
}

#endif
