/* Which triangles of cloth may meet: boxes over the cloth's own triangles, refitted for each list, what
 * is shown not to meet itself, ways through the tree, and the list that comes of it. After
 * contact_pair.h. docs/cloth-contact.md, "Which pairs", has the argument. */
#ifndef CLOTH_CONTACT_LIST_H
#define CLOTH_CONTACT_LIST_H

/* ---- the tree ---- */

/* The tree over the triangles. */
typedef struct cloth_pairs_tree {
    __global float4 *boxes;           /* two of each node; in w of the first: nothing in it meets */
    __global const uint4 *corners;    /* of each leaf: a triangle, and in w what it owns */
    __global const float4 *gradients; /* of each leaf: of what is 1 at its second and third vertex,
                                         in the garment's plane; 0: it has none */
    __global float4 *slopes;          /* three of each leaf: see cloth_pairs_slope_one() */
    __global float4 *ranges;          /* four of each node: see cloth_pairs_range_one() */
    __global const uint *around_at, *around; /* of each particle: leaves around it */
    __global const uint *convex;             /* of each node, at rest */
    __global const float4 *start, *ahead, *rests, *bodies;
} cloth_pairs_tree;

/* How far off the way that the list covers a particle may be read. */
CLOTH_FUNCTION float cloth_around(cloth_pairs pairs) { return fma(0.5f, pairs.read, pairs.cover); }

/* How the triangle of a leaf lies half-way along the ways of its vertices: how its place changes
 * along the two axes of the garment's plane, and in the third, for each axis of the world, how much
 * that can differ anywhere on these ways; in w of the first how much more it can where vertices are
 * `cover` off them. A vertex that is off by d changes it by d over its height above the edge across
 * from it; signs of three that are the same change nothing, so twice the largest is the most. */
CLOTH_FUNCTION void cloth_pairs_slope_one(uint leaf, cloth_pairs_tree tree, cloth_pairs pairs)
{
    uint4 at = tree.corners[leaf];
    float4 g = tree.gradients[leaf], ways;
    __global float4 *slopes = tree.slopes + 3 * leaf;
    slopes[0] = slopes[1] = slopes[2] = hed_f4(0.0f, 0.0f, 0.0f, 1e9f);
    if (at.x == CLOTH_PAIR_NONE || (g.x == 0.0f && g.y == 0.0f)) return;
    float4 a = tree.start[at.x], b = tree.start[at.y], c = tree.start[at.z];
    float4 d = cloth_minus(tree.ahead[at.x], a), e = cloth_minus(tree.ahead[at.y], b),
           f = cloth_minus(tree.ahead[at.z], c);
    float4 one = cloth_minus(b, a), two = cloth_minus(c, a);
    one = hed_f4(fma(0.5f, e.x - d.x, one.x), fma(0.5f, e.y - d.y, one.y),
        fma(0.5f, e.z - d.z, one.z), 0.0f);
    two = hed_f4(fma(0.5f, f.x - d.x, two.x), fma(0.5f, f.y - d.y, two.y),
        fma(0.5f, f.z - d.z, two.z), 0.0f);
    float steep = 2.0f * sqrt(hed_max(hed_max(fma(g.x, g.x, g.y * g.y), fma(g.z, g.z, g.w * g.w)),
                             fma(g.x + g.z, g.x + g.z, (g.y + g.w) * (g.y + g.w))));
    ways.w = 0.0f;
    ways.x = 0.5f * steep * hed_max(fabs(d.x), hed_max(fabs(e.x), fabs(f.x)));
    ways.y = 0.5f * steep * hed_max(fabs(d.y), hed_max(fabs(e.y), fabs(f.y)));
    ways.z = 0.5f * steep * hed_max(fabs(d.z), hed_max(fabs(e.z), fabs(f.z)));
    slopes[0] = hed_f4(fma(one.x, g.x, two.x * g.z), fma(one.y, g.x, two.y * g.z),
        fma(one.z, g.x, two.z * g.z), steep * cloth_around(pairs));
    slopes[1] = hed_f4(fma(one.x, g.y, two.x * g.w), fma(one.y, g.y, two.y * g.w),
        fma(one.z, g.y, two.z * g.w), 0.0f);
    slopes[2] = ways;
}

/* The ranges of slopes of a node: least of both, with the third's x and y in w; greatest of both,
 * with its z, and what `cover` adds. */
typedef struct cloth_range {
    float4 low_one, low_two, high_one, high_two;
} cloth_range;

CLOTH_FUNCTION cloth_range cloth_range_of(__global const float4 *ranges, uint node)
{
    cloth_range range;
    range.low_one = ranges[4 * node];
    range.low_two = ranges[4 * node + 1];
    range.high_one = ranges[4 * node + 2];
    range.high_two = ranges[4 * node + 3];
    return range;
}

CLOTH_INLINE void cloth_range_add(cloth_range *to, cloth_range with)
{
    cloth_range sum;
    sum.low_one = cloth_lower(to->low_one, with.low_one);
    sum.low_two = cloth_lower(to->low_two, with.low_two);
    sum.high_one = cloth_upper(to->high_one, with.high_one);
    sum.high_two = cloth_upper(to->high_two, with.high_two);
    sum.low_one.w = hed_max(to->low_one.w, with.low_one.w);
    sum.low_two.w = hed_max(to->low_two.w, with.low_two.w);
    sum.high_one.w = hed_max(to->high_one.w, with.high_one.w);
    sum.high_two.w = hed_max(to->high_two.w, with.high_two.w);
    *to = sum;
}

/* How much slopes differ from the middle along an axis of the world, and how much of that can lie
 * in the plane of the middle. */
CLOTH_FUNCTION float cloth_range_wide(float one, float two, float normal)
{
    return sqrt(hed_max(1.0f - normal * normal, 0.0f)) * 0.5f * sqrt(fma(one, one, two * two));
}

/* Whether nothing within a node can meet: slopes F of all triangles around it differ so little from
 * one, C, that for any way u from a point to another at rest, which lies in the node, the place
 * changes along C u by more than so much of it. `least singular value of C` less `what F differs
 * from it` is that much. */
CLOTH_FUNCTION uint cloth_range_apart(cloth_range r)
{
    float4 one = hed_f4(0.5f * (r.low_one.x + r.high_one.x), 0.5f * (r.low_one.y + r.high_one.y),
        0.5f * (r.low_one.z + r.high_one.z), 0.0f);
    float4 two = hed_f4(0.5f * (r.low_two.x + r.high_two.x), 0.5f * (r.low_two.y + r.high_two.y),
        0.5f * (r.low_two.z + r.high_two.z), 0.0f);
    float4 n = cloth_cross(one, two);
    float size = sqrt(cloth_dot(n, n));
    if (!(size > 1e-6f && size < 1e6f)) return 0u;
    float e = cloth_dot(one, one), f = cloth_dot(one, two), g = cloth_dot(two, two);
    float bent = 0.5f * (e - g), least = 0.5f * (e + g) - sqrt(fma(bent, bent, f * f));
    float stretch = sqrt(hed_max(least, 0.0f));
    n = hed_f4(n.x / size, n.y / size, n.z / size, 0.0f);
    stretch -= cloth_range_wide(r.high_one.x - r.low_one.x, r.high_two.x - r.low_two.x, n.x) +
               cloth_range_wide(r.high_one.y - r.low_one.y, r.high_two.y - r.low_two.y, n.y) +
               cloth_range_wide(r.high_one.z - r.low_one.z, r.high_two.z - r.low_two.z, n.z);
    float off = r.high_two.w + cloth_range_wide(2.0f * r.low_one.w, 0.0f, n.x) +
                cloth_range_wide(2.0f * r.low_two.w, 0.0f, n.y) +
                cloth_range_wide(2.0f * r.high_one.w, 0.0f, n.z);
    return stretch >= CLOTH_PAIRS_STRETCH && stretch - off >= CLOTH_PAIRS_SPREAD;
}

/* The range of a node: of all triangles around a leaf's vertices, or of the two below; and whether
 * nothing in it can meet. */
CLOTH_FUNCTION float cloth_pairs_range_one(uint node, cloth_pairs_tree tree, cloth_pairs pairs)
{
    cloth_range range;
    range.low_one = range.low_two = hed_f4(3e38f, 3e38f, 3e38f, 0.0f);
    range.high_one = range.high_two = hed_f4(-3e38f, -3e38f, -3e38f, 0.0f);
    if (node < pairs.leaves) {
        range = cloth_range_of(tree.ranges, 2 * node);
        cloth_range_add(&range, cloth_range_of(tree.ranges, 2 * node + 1));
    } else if (tree.corners[node - pairs.leaves].x != CLOTH_PAIR_NONE) {
        uint4 own = tree.corners[node - pairs.leaves];
        for (uint k = 0; k < 3; k++) {
            uint v = k == 0 ? own.x : k == 1 ? own.y : own.z;
            for (uint i = tree.around_at[v]; i < tree.around_at[v + 1]; i++) {
                __global const float4 *slopes = tree.slopes + 3 * tree.around[i];
                cloth_range its;
                its.low_one = its.high_one = slopes[0];
                its.low_two = its.high_two = slopes[1];
                its.low_one.w = slopes[2].x;
                its.low_two.w = slopes[2].y;
                its.high_one.w = slopes[2].z;
                its.high_two.w = slopes[0].w;
                cloth_range_add(&range, its);
            }
        }
    }
    tree.ranges[4 * node] = range.low_one;
    tree.ranges[4 * node + 1] = range.low_two;
    tree.ranges[4 * node + 2] = range.high_one;
    tree.ranges[4 * node + 3] = range.high_two;
    return tree.convex[node] && cloth_range_apart(range) ? 1.0f : 0.0f;
}

/* The box of a node: of the ways of a leaf's triangle, with half of what is kept from others, or of
 * the two below. */
CLOTH_FUNCTION void cloth_pairs_box_one(uint node, cloth_pairs_tree tree, cloth_pairs pairs)
{
    __global float4 *boxes = tree.boxes;
    float4 low = hed_f4(3e38f, 3e38f, 3e38f, 0.0f), high = hed_f4(-3e38f, -3e38f, -3e38f, 0.0f);
    if (node < pairs.leaves) {
        low = cloth_lower(boxes[4 * node], boxes[4 * node + 2]);
        high = cloth_upper(boxes[4 * node + 1], boxes[4 * node + 3]);
    } else if (tree.corners[node - pairs.leaves].x != CLOTH_PAIR_NONE) {
        uint4 at = tree.corners[node - pairs.leaves];
        float4 a = tree.start[at.x], b = tree.start[at.y], c = tree.start[at.z];
        float4 d = tree.ahead[at.x], e = tree.ahead[at.y], f = tree.ahead[at.z];
        float around = 0.5f * tree.bodies[as_uint(tree.rests[at.x].w)].x + cloth_around(pairs);
        float4 wide = hed_f4(around, around, around, 0.0f);
        low = cloth_minus(
            cloth_lower(cloth_lower(cloth_lower(a, b), cloth_lower(c, d)), cloth_lower(e, f)),
            wide);
        high = cloth_upper(cloth_upper(cloth_upper(a, b), cloth_upper(c, d)), cloth_upper(e, f));
        high = hed_f4(high.x + around, high.y + around, high.z + around, 0.0f);
    }
    low.w = cloth_pairs_range_one(node, tree, pairs);
    boxes[2 * node] = low;
    boxes[2 * node + 1] = high;
}

/* What the making of a list reads and writes. */
typedef struct cloth_pairs_view {
    __global const uint4 *corners; /* of each leaf: a triangle, and in w what it owns */
    __global const float4 *start, *ahead;
    __global const float4 *rests, *bodies; /* of each particle, of each copy of a garment */
    __global uint4 *list;                  /* (list_room) */
    __global uint2 *kept;                  /* (list_room) bits of reach, and of how far apart */
    __global int *counters;
} cloth_pairs_view;

/* What the sides of two particles keep from each other, unless they are neighbours. */
CLOTH_INLINE float cloth_pairs_reach(uint one, uint two, cloth_pairs_view view)
{
    return 0.5f *
           (view.bodies[as_uint(view.rests[one].w)].x + view.bodies[as_uint(view.rests[two].w)].x);
}

/* Whether a pair is listed whose sides can come so near: not if what is kept from neighbours, a share
 * of their distance at rest, is so little. `reach`: what is kept from others, then what is kept. */
CLOTH_INLINE uint cloth_pairs_keeps(
    uint4 pair, float *reach, float apart, cloth_pairs_view view, cloth_pairs pairs)
{
    float4 rest = view.rests[pair.x & ~CLOTH_PAIR_EDGES], other = view.rests[pair.w],
           flat = cloth_minus(rest, other);
    float far = 2.0f * (*reach + pairs.longest);
    if (as_uint(rest.w) != as_uint(other.w) || cloth_dot(flat, flat) >= far * far) return 1u;
    flat = cloth_closest_of(cloth_ends_of(view.rests, pair), pair.x & CLOTH_PAIR_EDGES).normal;
    *reach = hed_min(*reach, 0.5f * flat.w);
    return !(apart >= *reach + 2.0f * cloth_around(pairs));
}

/* Puts down a pair of the list. */
CLOTH_FUNCTION void cloth_pairs_note(
    uint at, uint4 pair, float reach, float apart, cloth_pairs_view view, cloth_pairs pairs)
{
    if (at >= pairs.list_room) return;
    view.list[at] = pair;
    view.kept[at] = hed_u2(as_uint(reach), as_uint(apart));
}

CLOTH_FUNCTION uint cloth_corner(uint4 t, uint k) { return k == 0 ? t.x : k == 1 ? t.y : t.z; }

/* Which corners of a triangle are vertex v, a bit for each. */
CLOTH_FUNCTION uint cloth_corner_is(uint4 t, uint v)
{
    return (t.x == v ? 1u : 0u) | (t.y == v ? 2u : 0u) | (t.z == v ? 4u : 0u);
}

/* Edges that have one of these corners: edge k goes from corner k to the next. */
CLOTH_FUNCTION uint cloth_edges_at(uint corners)
{
    return corners | corners >> 1 | (corners & 1u) << 2;
}

/* Pairs of two triangles, a bit for each: three vertices of each against the other, then nine pairs
 * of edges. Each vertex and edge counts for the one triangle that owns it, and what has a vertex in
 * common is no pair. */
CLOTH_INLINE uint cloth_candidates(uint4 one, uint4 two)
{
    uint edges = two.w >> 3 & 7u, found = (one.w & 7u) | (two.w & 7u) << 3;
    if (one.w & 8u) found |= edges << 6;
    if (one.w & 16u) found |= edges << 9;
    if (one.w & 32u) found |= edges << 12;
    uint a = cloth_corner_is(two, one.x), b = cloth_corner_is(two, one.y),
         c = cloth_corner_is(two, one.z);
    uint common = (a ? 1u : 0u) | (b ? 2u : 0u) | (c ? 4u : 0u) | (a | b | c) << 3;
    common |= cloth_edges_at(a | b) << 6 | cloth_edges_at(b | c) << 9 | cloth_edges_at(c | a) << 12;
    return found & ~common;
}

/* Pair k of them. */
CLOTH_INLINE uint4 cloth_candidate(uint k, uint4 one, uint4 two)
{
    uint4 pair;
    if (k < 6) {
        uint4 to = k < 3 ? two : one;
        pair.x = k < 3 ? cloth_corner(one, k) : cloth_corner(two, k - 3);
        pair.y = to.x;
        pair.z = to.y;
        pair.w = to.z;
        return pair;
    }
    uint i = (k - 6) / 3, j = (k - 6) % 3;
    pair.x = cloth_corner(one, i) | CLOTH_PAIR_EDGES;
    pair.y = cloth_corner(one, i == 2 ? 0 : i + 1);
    pair.z = cloth_corner(two, j);
    pair.w = cloth_corner(two, j == 2 ? 0 : j + 1);
    return pair;
}

/* From which node of its row on there is what may meet what is in `node`: itself, or what comes
 * behind the highest node above it in which nothing meets. `row`: how many nodes the row has. */
CLOTH_FUNCTION uint cloth_pairs_behind(__global const float4 *boxes, uint node, uint row)
{
    uint first = node - row, width = 1;
    for (; node > 0; node >>= 1, width *= 2)
        if (boxes[2 * node].w > 0.0f) first = (node + 1) * width - row;
    return first;
}

/* How many there are to consider. Where there was no room for all, nor is there for the list. */
CLOTH_FUNCTION uint cloth_pairs_near(__global int *counters, cloth_pairs pairs)
{
    uint count = (uint)counters[CLOTH_PAIRS_NEAR];
    if (count <= 2u * pairs.capacity) return count;
    cloth_atomic_max(counters + CLOTH_PAIRS_LISTED, (int)(pairs.list_room + 1u));
    return 0u;
}

#endif
