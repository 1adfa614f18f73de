/* Tree of boxes over the cloth's own triangles, refitted for each list, and the proof that a node
 * cannot meet itself. After contact_motion.h. docs/cloth-contact.md, "Which pairs", has the
 * argument. */
#ifndef CLOTH_CONTACT_TREE_H
#define CLOTH_CONTACT_TREE_H

/* Complete tree: node i has nodes 2 i and 2 i + 1 below it, and the last `leaves` nodes are single
 * triangles.
 *
 *   boxes         (2 leaves x 2) low, high; low.w above 0: the node cannot meet itself
 *   triangles     (leaves)
 *   gradients     (leaves) gradients, in the garment's plane, of the function that is 1 at the
 *   second
 *                 vertex and 0 at the others (x y), and at the third (z w); 0: the garment is not
 *                 flat at rest
 *   slopes        (leaves x 3) contact_slope()
 *   ranges        (2 leaves x 4) contact_range
 *   around_at     (particles + 1) first of `around`, the leaves around each particle
 *   convex        (2 leaves) not 0: the node is convex at rest
 *   start, ahead  (particles) covered motion
 *   rests         (particles) position at rest; w: bits of the body
 *   bodies        (bodies) thickness, friction */
#define CONTACT_TREE(FIRST, NEXT) \
    FIRST(SHARED, float4, boxes) NEXT(IN, contact_triangle, triangles) NEXT(IN, float4, gradients) \
    NEXT(SHARED, float4, slopes) NEXT(SHARED, float4, ranges) NEXT(IN, uint, around_at) \
    NEXT(IN, uint, around) NEXT(IN, uint, convex) NEXT(IN, float4, start) NEXT(IN, float4, ahead) \
    NEXT(IN, float4, rests) NEXT(IN, float4, bodies)
HED_VIEW(contact_tree, CONTACT_TREE)
#define PAIRS_SLOPES(FIRST, NEXT) \
    CONTACT_TREE(FIRST, NEXT) \
    NEXT(SHARED_IN, contact_counters, counters) NEXT(STRUCT, contact_params, params)
HED_VIEW(contact_slopes_view, PAIRS_SLOPES)
#define PAIRS_BOXES(FIRST, NEXT) \
    CONTACT_TREE(FIRST, NEXT) \
    NEXT(SHARED, contact_counters, counters) \
    NEXT(VALUE, uint, row) NEXT(STRUCT, contact_params, params)
HED_VIEW(contact_boxes_view, PAIRS_BOXES)

/* ---- slopes ---- */

/* Computes the slopes of a leaf: derivatives of the position along the two axes of the garment's
 * plane (slopes[0] and [1]), half-way along the motion of its vertices; slopes[2] bounds their
 * change over the motion along each axis of the world, and slopes[0].w the change where vertices
 * are `cover` off the motion. A vertex that is off by d changes a slope by d over its height
 * above the opposite edge. Equal signs of all three change nothing, so twice the largest of the
 * three is the bound. */
CLOTH_FUNCTION void contact_slope(uint leaf, contact_tree tree, contact_params params)
{
    contact_triangle at = tree.triangles[leaf];
    float4 g = tree.gradients[leaf], change;
    __global float4 *slopes = tree.slopes + 3 * leaf;
    slopes[0] = slopes[1] = slopes[2] = hed_f4(0.0f, 0.0f, 0.0f, 1e9f);
    if (at.a == CONTACT_NO_LEAF || (g.x == 0.0f && g.y == 0.0f)) return;
    float4 a = tree.start[at.a], b = tree.start[at.b], c = tree.start[at.c];
    float4 d = cloth_minus(tree.ahead[at.a], a), e = cloth_minus(tree.ahead[at.b], b),
           f = cloth_minus(tree.ahead[at.c], c);
    float4 ab = cloth_minus(b, a), ac = cloth_minus(c, a);
    ab = hed_f4(
        fma(0.5f, e.x - d.x, ab.x), fma(0.5f, e.y - d.y, ab.y), fma(0.5f, e.z - d.z, ab.z), 0.0f);
    ac = hed_f4(
        fma(0.5f, f.x - d.x, ac.x), fma(0.5f, f.y - d.y, ac.y), fma(0.5f, f.z - d.z, ac.z), 0.0f);
    float steep = 2.0f * sqrt(hed_max(hed_max(fma(g.x, g.x, g.y * g.y), fma(g.z, g.z, g.w * g.w)),
                             fma(g.x + g.z, g.x + g.z, (g.y + g.w) * (g.y + g.w))));
    change.w = 0.0f;
    change.x = 0.5f * steep * hed_max(fabs(d.x), hed_max(fabs(e.x), fabs(f.x)));
    change.y = 0.5f * steep * hed_max(fabs(d.y), hed_max(fabs(e.y), fabs(f.y)));
    change.z = 0.5f * steep * hed_max(fabs(d.z), hed_max(fabs(e.z), fabs(f.z)));
    slopes[0] = hed_f4(fma(ab.x, g.x, ac.x * g.z), fma(ab.y, g.x, ac.y * g.z),
        fma(ab.z, g.x, ac.z * g.z), steep * contact_cover(params));
    slopes[1] = hed_f4(
        fma(ab.x, g.y, ac.x * g.w), fma(ab.y, g.y, ac.y * g.w), fma(ab.z, g.y, ac.z * g.w), 0.0f);
    slopes[2] = change;
}

/* ---- ranges of slopes ---- */

/* Minimum and maximum of both slopes in a node. In w: maxima of the change over the motion along x
 * (low_u), y (low_v) and z (high_u), and of the change by `cover` (high_v). */
typedef struct contact_range {
    float4 low_u, low_v, high_u, high_v;
} contact_range;

CLOTH_FUNCTION contact_range contact_range_of(__global const float4 *ranges, uint node)
{
    contact_range range;
    range.low_u = ranges[4 * node];
    range.low_v = ranges[4 * node + 1];
    range.high_u = ranges[4 * node + 2];
    range.high_v = ranges[4 * node + 3];
    return range;
}

CLOTH_INLINE void contact_range_add(contact_range *to, contact_range with)
{
    contact_range sum;
    sum.low_u = contact_lower(to->low_u, with.low_u);
    sum.low_v = contact_lower(to->low_v, with.low_v);
    sum.high_u = contact_upper(to->high_u, with.high_u);
    sum.high_v = contact_upper(to->high_v, with.high_v);
    sum.low_u.w = hed_max(to->low_u.w, with.low_u.w);
    sum.low_v.w = hed_max(to->low_v.w, with.low_v.w);
    sum.high_u.w = hed_max(to->high_u.w, with.high_u.w);
    sum.high_v.w = hed_max(to->high_v.w, with.high_v.w);
    *to = sum;
}

/* Largest difference of the slopes from the middle along an axis of the world, times the
 * component of the axis in the plane of the middle. `u`, `v`: widths of the ranges; `normal`:
 * component of the plane's normal along the axis. */
CLOTH_FUNCTION float contact_range_width(float u, float v, float normal)
{
    return sqrt(hed_max(1.0f - normal * normal, 0.0f)) * 0.5f * sqrt(fma(u, u, v * v));
}

/* True if a node cannot meet itself: the slopes F of all triangles around it differ so little from
 * the middle C that the distance of any two of its points along the image of C is at least
 * (smallest singular value of C) - (difference of F from C), times their distance at rest. */
CLOTH_FUNCTION uint contact_range_separates(contact_range r)
{
    float4 u = hed_f4(0.5f * (r.low_u.x + r.high_u.x), 0.5f * (r.low_u.y + r.high_u.y),
        0.5f * (r.low_u.z + r.high_u.z), 0.0f);
    float4 v = hed_f4(0.5f * (r.low_v.x + r.high_v.x), 0.5f * (r.low_v.y + r.high_v.y),
        0.5f * (r.low_v.z + r.high_v.z), 0.0f);
    float4 n = cloth_cross(u, v);
    float size = sqrt(cloth_dot(n, n));
    if (!(size > 1e-6f && size < 1e6f)) return 0u;
    /* smallest eigenvalue of the metric C^T C */
    float e = cloth_dot(u, u), f = cloth_dot(u, v), g = cloth_dot(v, v);
    float skew = 0.5f * (e - g), smallest = 0.5f * (e + g) - sqrt(fma(skew, skew, f * f));
    float stretch = sqrt(hed_max(smallest, 0.0f));
    n = hed_f4(n.x / size, n.y / size, n.z / size, 0.0f);
    stretch -= contact_range_width(r.high_u.x - r.low_u.x, r.high_v.x - r.low_v.x, n.x) +
               contact_range_width(r.high_u.y - r.low_u.y, r.high_v.y - r.low_v.y, n.y) +
               contact_range_width(r.high_u.z - r.low_u.z, r.high_v.z - r.low_v.z, n.z);
    float change = r.high_v.w + contact_range_width(2.0f * r.low_u.w, 0.0f, n.x) +
                   contact_range_width(2.0f * r.low_v.w, 0.0f, n.y) +
                   contact_range_width(2.0f * r.high_u.w, 0.0f, n.z);
    return stretch >= CONTACT_MIN_STRETCH && stretch - change >= CONTACT_MIN_SPREAD;
}

/* Computes the range of a node, from the triangles around a leaf's vertices or the two nodes below. */
CLOTH_FUNCTION void contact_refit_range(uint node, contact_tree tree, contact_params params)
{
    contact_range range;
    range.low_u = range.low_v = hed_f4(3e38f, 3e38f, 3e38f, 0.0f);
    range.high_u = range.high_v = hed_f4(-3e38f, -3e38f, -3e38f, 0.0f);
    if (node < params.leaves) {
        range = contact_range_of(tree.ranges, 2 * node);
        contact_range_add(&range, contact_range_of(tree.ranges, 2 * node + 1));
    } else if (tree.triangles[node - params.leaves].a != CONTACT_NO_LEAF) {
        contact_triangle corner = tree.triangles[node - params.leaves];
        for (uint k = 0; k < 3; k++) {
            uint v = k == 0 ? corner.a : k == 1 ? corner.b : corner.c;
            for (uint i = tree.around_at[v]; i < tree.around_at[v + 1]; i++) {
                __global const float4 *slopes = tree.slopes + 3 * tree.around[i];
                contact_range leaf;
                leaf.low_u = leaf.high_u = slopes[0];
                leaf.low_v = leaf.high_v = slopes[1];
                leaf.low_u.w = slopes[2].x;
                leaf.low_v.w = slopes[2].y;
                leaf.high_u.w = slopes[2].z;
                leaf.high_v.w = slopes[0].w;
                contact_range_add(&range, leaf);
            }
        }
    }
    tree.ranges[4 * node] = range.low_u;
    tree.ranges[4 * node + 1] = range.low_v;
    tree.ranges[4 * node + 2] = range.high_u;
    tree.ranges[4 * node + 3] = range.high_v;
}

/* ---- boxes ---- */

/* Computes the box of a node: of the motion of a leaf's triangle, grown by half the gap
 * below which its pairs are listed, or of the two nodes below. */
CLOTH_FUNCTION void contact_refit(uint node, contact_tree tree, contact_params params)
{
    __global float4 *boxes = tree.boxes;
    float4 low = hed_f4(3e38f, 3e38f, 3e38f, 0.0f), high = hed_f4(-3e38f, -3e38f, -3e38f, 0.0f);
    if (node < params.leaves) {
        low = contact_lower(boxes[4 * node], boxes[4 * node + 2]);
        high = contact_upper(boxes[4 * node + 1], boxes[4 * node + 3]);
    } else if (tree.triangles[node - params.leaves].a != CONTACT_NO_LEAF) {
        contact_triangle at = tree.triangles[node - params.leaves];
        float4 a = tree.start[at.a], b = tree.start[at.b], c = tree.start[at.c];
        float4 d = tree.ahead[at.a], e = tree.ahead[at.b], f = tree.ahead[at.c];
        float thickness = tree.bodies[as_uint(tree.rests[at.a].w)].x;
        float margin = 0.5f * contact_near_gap(thickness, contact_listed_margins(params));
        float4 grown = hed_f4(margin, margin, margin, 0.0f);
        low = cloth_minus(contact_lower(contact_lower(contact_lower(a, b), contact_lower(c, d)),
                              contact_lower(e, f)),
            grown);
        high = contact_upper(
            contact_upper(contact_upper(a, b), contact_upper(c, d)), contact_upper(e, f));
        high = hed_f4(high.x + margin, high.y + margin, high.z + margin, 0.0f);
    }
    contact_refit_range(node, tree, params);
    boxes[2 * node] = low;
    boxes[2 * node + 1] = high;
}

/* Marks the box of a node that cannot meet itself, and clears the mark of any other. The range of the
 * node is known. */
CLOTH_FUNCTION void contact_prove(uint node, contact_tree tree)
{
    uint proven = tree.convex[node] && contact_range_separates(contact_range_of(tree.ranges, node));
    tree.boxes[2 * node].w = proven ? 1.0f : 0.0f;
}

/* First node of a row of `row` nodes that may meet `node`: the node itself, or the node after the
 * highest node above it that cannot meet itself. Nodes of a row count from 0. */
CLOTH_FUNCTION uint contact_first_other(__global const float4 *boxes, uint node, uint row)
{
    uint first = node - row, width = 1;
    for (; node > 0; node >>= 1, width *= 2)
        if (boxes[2 * node].w > 0.0f) first = (node + 1) * width - row;
    return first;
}

#endif
