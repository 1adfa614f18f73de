/* Refit of the tree of boxes in C: one node after another in vectors of four, and the proofs of sixteen
 * nodes in lanes. The results have the bits of contact_refit() and contact_prove(). */
#ifndef CLOTH_CONTACT_TREE_CPU_H
#define CLOTH_CONTACT_TREE_CPU_H

#include "contact/contact_lanes.h"

static inline block_four block_min(block_four a, block_four b)
{
#if defined(__x86_64__)
    return _mm_min_ps(a, b);
#else
    for (uint k = 0; k < BLOCK_FOUR; k++) a[k] = hed_min(a[k], b[k]);
    return a;
#endif
}
static inline block_four block_max(block_four a, block_four b)
{
#if defined(__x86_64__)
    return _mm_max_ps(a, b);
#else
    for (uint k = 0; k < BLOCK_FOUR; k++) a[k] = hed_max(a[k], b[k]);
    return a;
#endif
}

static inline block_four block_load_four(const float4 *from)
{
    block_four loaded;
    memcpy(&loaded, from, sizeof loaded);
    return loaded;
}
static inline void block_store_four(float4 *to, block_four from) { memcpy(to, &from, sizeof from); }

/* Vector with x, y and z of one, and w of another. */
static inline block_four block_with_w(block_four of, block_four w)
{
    return __builtin_shufflevector(of, w, 0, 1, 2, 7);
}

/* contact_range in vectors. */
typedef struct block_range {
    block_four low_u, low_v, high_u, high_v;
} block_range;

/* Computes the range of a leaf from the triangles around its vertices. */
HED_NATIVE_BODY block_leaf_range(block_range *range, contact_triangle corner, contact_tree tree)
{
    const uint at[3] = {corner.a, corner.b, corner.c};
    block_four low_u = range->low_u, low_v = range->low_v, high_u = range->high_u,
               high_v = range->high_v, change = {0}, cover = {0};
    for (uint k = 0; k < 3; k++)
        for (uint i = tree.around_at[at[k]]; i < tree.around_at[at[k] + 1]; i++) {
            const float4 *slopes = tree.slopes + 3 * tree.around[i];
            block_four u = block_load_four(slopes), v = block_load_four(slopes + 1);
            low_u = block_min(low_u, u);
            high_u = block_max(high_u, u);
            low_v = block_min(low_v, v);
            high_v = block_max(high_v, v);
            change = block_max(change, block_load_four(slopes + 2));
            cover = block_max(cover, u);
        }
    range->low_u = __builtin_shufflevector(low_u, change, 0, 1, 2, 4);
    range->low_v = __builtin_shufflevector(low_v, change, 0, 1, 2, 5);
    range->high_u = __builtin_shufflevector(high_u, change, 0, 1, 2, 6);
    range->high_v = block_with_w(high_v, cover);
}

/* Computes the box and the range of a node, without its proof. */
HED_NATIVE_BODY block_refit_node(uint node, contact_tree tree, contact_params params)
{
    const block_four zero = {0}, far = {3e38f, 3e38f, 3e38f, 0.0f};
    block_range range = {far, far, -far, -far};
    block_four low = far, high = -far;
    float4 *ranges = tree.ranges + 4 * node;
    if (node < params.leaves) {
        const float4 *below = tree.boxes + 4 * node, *a = tree.ranges + 8 * node, *b = a + 4;
        low = block_min(block_load_four(below), block_load_four(below + 2));
        high = block_max(block_load_four(below + 1), block_load_four(below + 3));
        block_four rows[4], more[4];
        for (uint k = 0; k < 4; k++) {
            block_four one = block_load_four(a + k), two = block_load_four(b + k);
            rows[k] = block_min(one, two);
            more[k] = block_max(one, two);
        }
        range = (block_range){
            block_with_w(rows[0], more[0]), block_with_w(rows[1], more[1]), more[2], more[3]};
    } else if (tree.triangles[node - params.leaves].a != CONTACT_NO_LEAF) {
        contact_triangle at = tree.triangles[node - params.leaves];
        const uint corners[3] = {at.a, at.b, at.c};
        float thickness = tree.bodies[as_uint(tree.rests[at.a].w)].x;
        float margin = 0.5f * contact_near_gap(thickness, contact_listed_margins(params));
        block_four grown = {margin, margin, margin, 0.0f};
        for (uint k = 0; k < 3; k++) {
            block_four from = block_load_four(tree.start + corners[k]),
                       to = block_load_four(tree.ahead + corners[k]);
            low = block_min(low, block_min(from, to));
            high = block_max(high, block_max(from, to));
        }
        low -= grown;
        high += grown;
        block_leaf_range(&range, at, tree);
    }
    block_store_four(ranges, range.low_u);
    block_store_four(ranges + 1, range.low_v);
    block_store_four(ranges + 2, range.high_u);
    block_store_four(ranges + 3, range.high_v);
    block_store_four(tree.boxes + 2 * node, block_with_w(low, zero));
    block_store_four(tree.boxes + 2 * node + 1, block_with_w(high, zero));
}

/* Ranges of nodes in lanes, and if each separates its node. */
typedef struct block_ranges {
    block_lanes rows[4]; /* of contact_range */
    uint separates[BLOCK_LANES];
} block_ranges;

HED_NATIVE_BODY block_separate_body(block_ranges *r)
{
    for (int lane = 0; lane < BLOCK_LANES; lane++) {
        contact_range range = {block_float4(r->rows, lane), block_float4(r->rows + 1, lane),
            block_float4(r->rows + 2, lane), block_float4(r->rows + 3, lane)};
        r->separates[lane] = contact_range_separates(range);
    }
}
BLOCK_CLONES(block_separate, (block_ranges * r), (r))

/* Refits neighbouring nodes of a row, at most BLOCK_LANES. */
HED_NATIVE_BODY block_refit(uint first, uint count, contact_tree tree, contact_params params)
{
    block_ranges ranges;
    uint at[4 * BLOCK_LANES];
    for (uint k = 0; k < count; k++) block_refit_node(first + k, tree, params);
    for (uint row = 0; row < 4; row++)
        for (uint lane = 0; lane < BLOCK_LANES; lane++)
            at[row * BLOCK_LANES + lane] = 4 * (first + (lane < count ? lane : 0)) + row;
    block_gather(ranges.rows, tree.ranges, at, 4);
    block_separate(&ranges);
    for (uint k = 0; k < count; k++)
        tree.boxes[2 * (first + k)].w = tree.convex[first + k] && ranges.separates[k] ? 1.0f : 0.0f;
}

#endif
