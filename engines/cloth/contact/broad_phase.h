/* Broad phase of cloth contact: candidates of two triangles, the list of pairs that may meet in
 * some contact iterations, and the pairs of one iteration. Work-groups (broad_phase_group.h) and
 * C (broad_phase_cpu.h) find the pairs by the functions here. After contact_tree.h. */
#ifndef CLOTH_BROAD_PHASE_H
#define CLOTH_BROAD_PHASE_H

/* ---- candidates ---- */

CLOTH_FUNCTION uint contact_corner(contact_triangle t, uint k)
{
    return k == 0 ? t.a : k == 1 ? t.b : t.c;
}

/* Bits of the corners of a triangle that are vertex v. */
CLOTH_FUNCTION uint contact_corners_at(contact_triangle t, uint v)
{
    return (t.a == v ? 1u : 0u) | (t.b == v ? 2u : 0u) | (t.c == v ? 4u : 0u);
}

/* Bits of the edges that have one of these corners: edge k begins at corner k. */
CLOTH_FUNCTION uint contact_edges_at(uint corners)
{
    return corners | corners >> 1 | (corners & 1u) << 2;
}

/* Bits of the candidates of two triangles: 0 to 2 and 3 to 5, the vertices of one against the
 * other; 6 to 14, edge k / 3 of the first against edge k % 3 of the second. A vertex or edge
 * counts for the triangle that owns it alone. Sides with a common vertex are no pair. */
CLOTH_INLINE uint contact_candidates(contact_triangle s, contact_triangle t)
{
    uint edges = t.owned >> 3 & 7u, found = (s.owned & 7u) | (t.owned & 7u) << 3;
    found |= (s.owned & 8u ? edges << 6 : 0u) | (s.owned & 16u ? edges << 9 : 0u) |
             (s.owned & 32u ? edges << 12 : 0u);
    uint a = contact_corners_at(t, s.a), b = contact_corners_at(t, s.b),
         c = contact_corners_at(t, s.c);
    uint common = (a ? 1u : 0u) | (b ? 2u : 0u) | (c ? 4u : 0u) | (a | b | c) << 3;
    common |=
        contact_edges_at(a | b) << 6 | contact_edges_at(b | c) << 9 | contact_edges_at(c | a) << 12;
    return found & ~common;
}

/* Candidate k of two triangles. */
CLOTH_INLINE contact_pair contact_candidate(uint k, contact_triangle s, contact_triangle t)
{
    contact_pair pair;
    if (k < 6) {
        contact_triangle face = k < 3 ? t : s;
        pair.a = k < 3 ? contact_corner(s, k) : contact_corner(t, k - 3);
        pair.b = face.a;
        pair.c = face.b;
        pair.d = face.c;
        return pair;
    }
    uint i = (k - 6) / 3, j = (k - 6) % 3;
    pair.a = contact_corner(s, i) | CONTACT_EDGES;
    pair.b = contact_corner(s, i == 2 ? 0 : i + 1);
    pair.c = contact_corner(t, j);
    pair.d = contact_corner(t, j == 2 ? 0 : j + 1);
    return pair;
}

#define PAIRS_FIND(FIRST, NEXT) \
    FIRST(IN, float4, boxes) \
    NEXT(IN, contact_triangle, triangles) NEXT(INOUT, contact_overlap, overlaps) \
        NEXT(SHARED, contact_counters, counters) NEXT(STRUCT, contact_params, params)
HED_VIEW(contact_find_view, PAIRS_FIND)

/* ---- the list ---- */

/* Arrays of the making of a list, (list_capacity) `list` and `bounds`; contact_tree has the
 * elements of the others. */
#define CONTACT_LIST_ARRAYS(FIRST, NEXT) \
    FIRST(IN, contact_triangle, triangles) NEXT(IN, float4, start) NEXT(IN, float4, ahead) \
    NEXT(IN, float4, rests) NEXT(IN, float4, bodies) NEXT(INOUT, contact_pair, list) \
    NEXT(INOUT, contact_bound, bounds) NEXT(SHARED, contact_counters, counters)
HED_VIEW(contact_list_view, CONTACT_LIST_ARRAYS)
#define PAIRS_LIST(FIRST, NEXT) \
    CONTACT_LIST_ARRAYS(FIRST, NEXT) \
    NEXT(INOUT, float4, covers) \
    NEXT(IN, contact_overlap, overlaps) NEXT(STRUCT, contact_params, params)
HED_VIEW(contact_whole_list_view, PAIRS_LIST)

/* Reach of two particles that are no neighbours, m: their mean thickness. */
CLOTH_INLINE float contact_reach(uint i, uint j, contact_list_view view)
{
    return 0.5f *
           (view.bodies[as_uint(view.rests[i].w)].x + view.bodies[as_uint(view.rests[j].w)].x);
}

/* True if a pair with this lower bound on its gap is listed. The reach of neighbours is half their
 * distance at rest, at most `*reach`, which is updated; neighbours farther apart are not listed. */
CLOTH_INLINE uint contact_is_listed(
    contact_pair pair, float *reach, float gap, contact_list_view view, contact_params params)
{
    float4 rest = view.rests[contact_first(pair)], other = view.rests[pair.d],
           between = cloth_minus(rest, other);
    float limit = 2.0f * (*reach + params.max_edge);
    if (as_uint(rest.w) != as_uint(other.w) || cloth_dot(between, between) >= limit * limit)
        return 1u;
    between = contact_closest_of(contact_ends_of(view.rests, pair), contact_edges(pair)).normal;
    *reach = hed_min(*reach, 0.5f * between.w);
    return !(gap >= contact_near_gap(*reach, contact_listed_margins(params)));
}

/* Writes a pair of the list. */
CLOTH_FUNCTION void contact_list_write(uint at, contact_pair pair, float reach, float gap,
    contact_list_view view, contact_params params)
{
    if (at >= params.list_capacity) return;
    contact_bound bound;
    bound.reach = reach;
    bound.gap = gap;
    view.list[at] = pair;
    view.bounds[at] = bound;
}

/* Number of overlaps to go through. If there was no capacity for all, the list is marked as too
 * long. */
CLOTH_FUNCTION uint contact_overlaps(__global contact_counters *counters, contact_params params)
{
    uint count = (uint)counters->total.overlaps;
    if (count <= 2u * params.capacity) return count;
    cloth_atomic_max(&counters->total.listed, (int)(params.list_capacity + 1u));
    return 0u;
}

/* ---- the pairs of a contact iteration ---- */

/* Arrays of the pairs of a contact iteration, (capacity) `pairs` and `planes`. */
#define CONTACT_PAIR_ARRAYS(FIRST, NEXT) \
    FIRST(IN, contact_pair, list) NEXT(IN, contact_bound, bounds) NEXT(IN, float, deviations) \
    NEXT(IN, float4, start) NEXT(IN, float4, position) NEXT(IN, float4, rests) \
    NEXT(IN, float4, bodies) NEXT(INOUT, contact_pair, pairs) NEXT(INOUT, contact_plane, planes)
HED_VIEW(contact_pair_view, CONTACT_PAIR_ARRAYS)
#define PAIRS_TAKE(FIRST, NEXT) \
    CONTACT_PAIR_ARRAYS(FIRST, NEXT) \
    NEXT(SHARED, contact_counters, counters) NEXT(STRUCT, contact_params, params)
HED_VIEW(contact_take_view, PAIRS_TAKE)

/* Distance by which the sides may be nearer than the motion that the list covers, m. */
CLOTH_FUNCTION float contact_deviation_of(__global const float *deviations, contact_pair pair)
{
    float a = deviations[contact_first(pair)], b = deviations[pair.b],
          larger = hed_max(deviations[pair.c], deviations[pair.d]);
    return contact_edges(pair) ? hed_max(a, b) + larger : a + hed_max(b, larger);
}

/* True if a listed pair cannot meet in this iteration, by its bound alone. That holds for most
 * pairs, whose vertices have hardly left the covered motion. `fresh`: the list was made in this
 * iteration. */
CLOTH_INLINE uint contact_is_far(contact_pair pair, contact_bound bound,
    __global const float *deviations, uint is_fresh, contact_margins margins)
{
    float deviation = is_fresh ? 0.0f : contact_deviation_of(deviations, pair);
    return bound.gap - deviation >= contact_near_gap(bound.reach, margins);
}

/* Writes a pair of this iteration and its plane. */
CLOTH_INLINE void contact_pair_write(uint at, contact_pair pair, float reach, contact_gap gap,
    contact_pair_view view, contact_params params)
{
    if (at >= params.capacity) return;
    contact_plane plane;
    float4 n = gap.normal;
    float upper = view.bodies[as_uint(view.rests[contact_first(pair)].w)].y,
          lower = view.bodies[as_uint(view.rests[pair.d].w)].y;
    if (!(cloth_dot(n, n) > 0.5f)) n.w = -1.0f;
    plane.normal = n;
    plane.reach = reach;
    plane.p = gap.p;
    plane.q = gap.q;
    plane.friction = sqrt(upper * lower);
    view.pairs[at] = pair;
    view.planes[at] = plane;
}

#endif
