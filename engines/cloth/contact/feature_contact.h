/* Contact of the edges and faces of cloth with thin features of bodies: capsules and spheres that
 * fit between the vertices of the cloth, and convex edges, rims and tips of meshes. One text for
 * every device and for C. After contact_types.h and contact_geometry.h.
 *
 * A feature is the hull of two balls; its axis connects a and b. feature_select.c has the rule
 * that selects features. The other parts of bodies act on the cloth's vertices alone (collide.h,
 * mesh_contact.h), which suffices where the body is smooth at the scale of the cloth's edges.
 *
 * A pair is an edge of the cloth against the axis, or a face of the cloth against an end of the
 * axis; the cloth is the upper side, n the direction from the closest point of the axis. At the
 * substep's start, x, the sides are separated by d0 = n.w. As in contact_types.h the pairs push the
 * cloth first (XPBD, compliance 0, a mean weighted by depth, friction), then limit its motion. The
 * feature has infinite mass and completes its motion.
 *
 *   1. A pair whose relative motion is small against d0 pushes along the n of x. Any other pair
 *      finds the time of impact by conservative advancement, and pushes along the n of then: a
 *      feature at any speed stays on its side of the cloth.
 *   2. A pair is safe if n separates both sides at the end too, or if conservative advancement finds
 *      no impact.
 *   3. The vertices of any other pair keep to their side of a plane that moves with the feature: each
 *      completes a fraction of its motion relative to the feature, and is carried along.
 *   4. Cloth between two features that approach each other has no such motion. It is pressed: pairs
 *      that are not safe after the last round are counted.
 *
 * Sums are integers and fractions are minima: their bits do not depend on the order of pairs. */
#ifndef CLOTH_FEATURE_CONTACT_H
#define CLOTH_FEATURE_CONTACT_H

/* ---- limits ---- */

#define FEATURE_WORDS 6u
#define FEATURE_PASSES 4u       /* passes of pushes */
#define FEATURE_ROUNDS 3u       /* rounds of limits */
#define FEATURE_MARCH_STEPS 24u /* steps of conservative advancement */
#define FEATURE_SLOW 0.3f       /* a motion below this fraction of d0 is small */
#define FEATURE_COME_OUT \
    0.25f /* fraction of its depth by which a pair that is too near separates */
#define FEATURE_PUSH_STEPS 1048576.0f /* steps of 1 m in sums of pushes */
#define FEATURE_MAX_WEIGHT 7.0f
#define FEATURE_MAX_PUSH 0.5f       /* m */
#define FEATURE_MIN_CLEARANCE 1e-4f /* m, clearance of cloth without a thickness */
#define FEATURE_KEPT_FRACTION 0.1f  /* fraction of the gap at the start that a limit leaves */
#define FEATURE_MIN_KEPT 4e-5f      /* m, least gap that a limit leaves of a larger one */
#define FEATURE_SLACK 0.05f         /* part of that gap at which advancement ends */
#define FEATURE_SINK 0.02f
#define FEATURE_MIN_DISTANCE 1e-7f /* m; nearer sides cross already, or have no direction */
#define FEATURE_FREE 0xffffffffu   /* a vertex that no pair limits */
/* A feature of a mesh ignores cloth below it: cosine to its normal. */
#define FEATURE_BEHIND -0.2f
#define FEATURE_MAX_COUNT 65535u /* number of features, which a limit stores in 16 bits */

/* One group alone changes sums and fractions, so C, where that is one thread, needs no atomics. */
#if defined(__OPENCL_C_VERSION__) || defined(__CUDACC_RTC__)
#define feature_sum(at, value) atomic_add(at, value)
#define feature_min(at, value) atomic_min(at, value)
#define feature_take(at, value) atomic_xchg(at, value)
#else
#define feature_sum(at, value) (*(at) = (int)((uint) * (at) + (uint)(value))) /* wraps, as there */
#define feature_min(at, value) (*(at) = *(at) < (value) ? *(at) : (value))
CLOTH_FUNCTION uint feature_take(void *at, uint value)
{
    uint before = *(uint *)at;
    *(uint *)at = value;
    return before;
}
#endif

/* ---- data ---- */

#define FEATURE_EDGE 0x80000000u  /* bit of feature_pair.feature: an edge of the cloth */
#define FEATURE_END_B 0x40000000u /* bit of it: a face against end b */

/* Edge a b of the cloth, or face a b c. */
typedef struct CONTACT_ALIGNED(16) feature_pair {
    uint a, b, c, feature;
} feature_pair;

/* Contact of a pair in a substep. */
typedef struct CONTACT_ALIGNED(16) feature_touch {
    float4 start;  /* direction at the substep's start, length 1; w: distance from the axis, m */
    float4 normal; /* direction of pushes; w: distance to reach along it, m */
    float p, q;    /* contact_closest: weights of b and c in the closest point of the cloth */
    float along;   /* fraction of the axis at its closest point */
    float friction;
} feature_touch;

typedef struct feature_counters {
    int pairs;                  /* pairs of this substep; above feature_params.capacity: too many */
    int active[FEATURE_PASSES]; /* pairs that push, by pass */
    int limited[FEATURE_ROUNDS]; /* pairs that limit, by round */
    int pressed;                 /* sum over substeps of pairs that are not safe at the end */
    int dropped;                 /* sum over substeps of pairs without capacity */
    int max_pairs;               /* maximum of a substep */
    int unused[4];
} feature_counters;

/* Parameters of a substep, passed by value. */
typedef struct feature_params {
    float from, to;      /* fractions of the bodies' motion at the substep's start and end */
    float max_thickness; /* m, of all garments */
    float max_edge;      /* m, longest edge of the cloth for which thin features were selected */
    uint triangles;      /* triangles of the cloth; a power of 2 */
    uint leaves;         /* leaves of the tree of features, a power of 2 */
    uint capacity;       /* pairs */
    uint apart;          /* not 0: garments have origins of their own; for C alone */
    /* particles whose pairs are counted at the end: a strip of a sheet leaves its margins to others */
    uint own_first, own_count;
} feature_params;

#define HED_TYPE_feature_pair HED_UINT32
#define HED_TYPE_feature_touch HED_FLOAT
#define HED_TYPE_feature_counters HED_INT32

/* Features: (features x FEATURE_WORDS) float4: a, b at the frame's start, then at its end, w: radius;
 * {normal of a mesh or 0, friction}; {owned ends: 1 a, 2 b; 4: a length; minimum edge, 0, 0}.
 * (2 leaves x 2) `boxes`: low and high of the motion of a whole frame, w: of the square of the
 * longest edge of a triangle that feels the feature; leaf k has feature k. */
#define FEATURE_ARRAYS(FIRST, NEXT) \
    FIRST(IN, float4, features) \
    NEXT(IN, float4, boxes) NEXT(IN, float4, garments) NEXT(IN, float4, previous)
HED_VIEW(feature_view, FEATURE_ARRAYS)

/* Clusters: CLOTH_FEATURE_CLUSTER triangles each; their particles, for C alone. */
#define CLOTH_FEATURE_CLUSTER 16u
#define FEATURE_FIND(FIRST, NEXT) \
    FEATURE_ARRAYS(FIRST, NEXT) \
    NEXT(IN, contact_triangle, triangles) \
    NEXT(IN, uint, cluster_at) NEXT(IN, uint, clusters) NEXT(IN, float4, position) \
        NEXT(SCRATCH, feature_pair, pairs) NEXT(SCRATCH, feature_touch, touches) \
            NEXT(SHARED, feature_counters, counters) NEXT(STRUCT, feature_params, params)
HED_VIEW(feature_find_view, FEATURE_FIND)

#define FEATURE_SOLVE(FIRST, NEXT) \
    FEATURE_ARRAYS(FIRST, NEXT) \
    NEXT(IN, feature_pair, pairs) NEXT(IN, feature_touch, touches) NEXT(INOUT, float4, position) \
    NEXT(INOUT, int, sums) NEXT(INOUT, uint, fractions) NEXT(SHARED, feature_counters, counters) \
    NEXT(STRUCT, feature_params, params)
HED_VIEW(feature_solve_view, FEATURE_SOLVE)

/* ---- geometry ---- */

/* Axis of a feature; w: radius, m. */
typedef struct feature_axis {
    float4 a, b;
} feature_axis;

/* Axis at a fraction of the frame's motion, relative to `origin`. */
CLOTH_INLINE feature_axis feature_at(__global const float4 *feature, float4 origin, float fraction)
{
    feature_axis axis;
    axis.a = cloth_ball(cloth_from(feature[0], origin), cloth_from(feature[2], origin), fraction);
    axis.b = cloth_ball(cloth_from(feature[1], origin), cloth_from(feature[3], origin), fraction);
    return axis;
}

/* Positions of the cloth of a pair, and the axis. */
typedef struct feature_sides {
    float4 a, b, c;
    feature_axis axis;
} feature_sides;

/* Positions between two others. */
CLOTH_INLINE feature_sides feature_between(feature_sides x, feature_sides y, float time)
{
    feature_sides at;
    at.a = cloth_ball(x.a, y.a, time);
    at.b = cloth_ball(x.b, y.b, time);
    at.c = cloth_ball(x.c, y.c, time);
    at.axis.a = cloth_ball(x.axis.a, y.axis.a, time);
    at.axis.b = cloth_ball(x.axis.b, y.axis.b, time);
    return at;
}

/* Closest points of the sides of a pair. `normal`: from the axis to the cloth, length 1 or 0; w:
 * distance, m. `q` of an edge: fraction of the axis. */
CLOTH_INLINE contact_closest feature_closest(feature_sides at, uint kind)
{
    contact_closest closest;
    if (kind & FEATURE_EDGE) {
        contact_ends ends;
        ends.a = at.a;
        ends.b = at.b;
        ends.c = at.axis.a;
        ends.d = at.axis.b;
        closest = contact_closest_edges(ends);
    } else {
        float4 end = kind & FEATURE_END_B ? at.axis.b : at.axis.a;
        cloth_nearest nearest = cloth_nearest_of(end, at.a, at.b, at.c);
        closest.p = nearest.b;
        closest.q = nearest.c;
        closest.normal = nearest.to;
    }
    float4 n = closest.normal;
    float distance = sqrt(cloth_square(n.x, n.y, n.z)),
          scale = distance > FEATURE_MIN_DISTANCE ? 1.0f / distance : 0.0f;
    closest.normal = hed_f4(n.x * scale, n.y * scale, n.z * scale, distance);
    return closest;
}

/* Fraction of the axis at the closest point. */
CLOTH_FUNCTION float feature_along(contact_closest closest, uint kind)
{
    return kind & FEATURE_EDGE ? closest.q : kind & FEATURE_END_B ? 1.0f : 0.0f;
}

/* Weights of a b c in the closest point of the cloth. */
CLOTH_FUNCTION float4 feature_weights(float p, float q, uint kind)
{
    if (kind & FEATURE_EDGE) return hed_f4(1.0f - p, p, 0.0f, 0.0f);
    return hed_f4(1.0f - p - q, p, q, 0.0f);
}

/* Point of the cloth of a pair. */
CLOTH_FUNCTION float4 feature_point(feature_sides at, float4 w)
{
    return hed_f4(fma(w.x, at.a.x, fma(w.y, at.b.x, w.z * at.c.x)),
        fma(w.x, at.a.y, fma(w.y, at.b.y, w.z * at.c.y)),
        fma(w.x, at.a.z, fma(w.y, at.b.z, w.z * at.c.z)), 0.0f);
}

CLOTH_FUNCTION float feature_length(float4 v) { return sqrt(cloth_square(v.x, v.y, v.z)); }

/* Bound on the motion of a vertex from x to y relative to the ends of the axis, m. */
CLOTH_FUNCTION float feature_motion(float4 x, float4 y, float4 end_a, float4 end_b)
{
    float4 motion = cloth_minus(y, x);
    return hed_max(
        feature_length(cloth_minus(motion, end_a)), feature_length(cloth_minus(motion, end_b)));
}

/* Bound on the relative motion of two points of the sides, m. */
CLOTH_INLINE float feature_relative_motion(feature_sides x, feature_sides y, uint kind)
{
    float4 end_a = cloth_minus(y.axis.a, x.axis.a), end_b = cloth_minus(y.axis.b, x.axis.b);
    if (!(kind & FEATURE_EDGE)) { /* one end alone */
        if (kind & FEATURE_END_B) end_a = end_b;
        else end_b = end_a;
    }
    float motion =
        hed_max(feature_motion(x.a, y.a, end_a, end_b), feature_motion(x.b, y.b, end_a, end_b));
    return kind & FEATURE_EDGE ? motion : hed_max(motion, feature_motion(x.c, y.c, end_a, end_b));
}

/* Result of conservative advancement. */
typedef struct feature_impact {
    contact_closest closest; /* closest points at the impact, or at the end of the motion */
    uint is_found;
} feature_impact;

/* Advances a pair along its motion until its distance is at most `touch` and `slack`, m. `motion`:
 * feature_relative_motion(); `first`: closest points at the start. */
CLOTH_INLINE feature_impact feature_march(feature_sides x, feature_sides y, uint kind, float motion,
    float touch, float slack, contact_closest first)
{
    feature_impact impact;
    float time = 0.0f;
    impact.closest = first;
    impact.is_found = 0;
    CLOTH_ROLLED
    for (uint step = 0; step < FEATURE_MARCH_STEPS && time < 1.0f; step++) {
        float clear = impact.closest.normal.w - touch;
        if (step > 0 && clear <= slack) break;
        time = hed_min(time + hed_max(clear, slack) / motion, 1.0f);
        impact.closest = feature_closest(feature_between(x, y, time), kind);
    }
    impact.is_found = time < 1.0f || impact.closest.normal.w <= touch + slack;
    return impact;
}

/* ---- pairs of a substep ---- */

/* True if an edge of the cloth is longer than `most`, m. */
CLOTH_FUNCTION uint feature_is_long(feature_sides at, float most)
{
    return cloth_square(at.b.x - at.a.x, at.b.y - at.a.y, at.b.z - at.a.z) > most * most;
}

/* Tests a pair between x and y, and writes its contact. Returns true if the sides may touch in this
 * substep. `guard`: word 4 of the feature. */
CLOTH_INLINE uint feature_test(feature_sides x, feature_sides y, uint kind, float thickness,
    float4 guard, float max_edge, feature_touch *touch)
{
    contact_closest first = feature_closest(x, kind), closest = first;
    float along = feature_along(first, kind);
    float radius = hed_max(fma(along, x.axis.b.w - x.axis.a.w, x.axis.a.w),
        fma(along, y.axis.b.w - y.axis.a.w, y.axis.a.w));
    float reach = radius + hed_max(thickness, FEATURE_MIN_CLEARANCE), distance = first.normal.w;
    /* pushes of other pairs may move the sides by a quarter of the thickness */
    float motion = feature_relative_motion(x, y, kind);
    float limit = fma(0.25f, reach - radius, reach);
    if (!(distance <= limit + motion && distance > FEATURE_MIN_DISTANCE)) return 0;
    /* A tip's cone keeps no cloth outside that is longer than it was made for: stretched cloth that crossed it would be
     * held on the wrong side. */
    if (cloth_dot(guard, guard) > 0.0f && radius > 0.0f && feature_is_long(x, max_edge)) return 0;
    float touching = 0.5f * hed_min(distance, reach);
    if (!(motion > FEATURE_SLOW * distance)) {
        float4 w = feature_weights(first.p, first.q, kind),
               end = cloth_ball(y.axis.a, y.axis.b, along);
        if (cloth_dot(first.normal, cloth_minus(feature_point(y, w), end)) > limit) return 0;
    } else closest = feature_march(x, y, kind, motion, touching, 0.02f * touching, first).closest;
    float4 n = closest.normal;
    if (!(n.w > FEATURE_MIN_DISTANCE)) n = first.normal;
    if (cloth_dot(n, guard) < FEATURE_BEHIND) return 0;
    float target = distance < reach ? fma(FEATURE_COME_OUT, reach - distance, distance) : reach;
    touch->start = first.normal;
    touch->normal = hed_f4(n.x, n.y, n.z, target);
    touch->p = closest.p;
    touch->q = kind & FEATURE_EDGE ? 0.0f : closest.q;
    touch->along = feature_along(closest, kind);
    return 1;
}

/* Appends a pair if it may touch in this substep. */
CLOTH_INLINE void feature_add(feature_sides x, feature_sides y, uint a, uint b, uint c, uint kind,
    __global const float4 *feature, uint number, cloth_cloth cloth, feature_find_view view)
{
    feature_touch touch;
    if (!feature_test(
            x, y, kind, cloth.thickness, feature[4], view.params.max_edge, &touch)) return;
    touch.friction = sqrt(cloth.friction * feature[4].w);
    uint slot = (uint)cloth_atomic_add(&view.counters->pairs, 1);
    if (slot >= view.params.capacity) return;
    feature_pair pair;
    pair.a = a;
    pair.b = b;
    pair.c = c;
    pair.feature = number | kind;
    view.pairs[slot] = pair;
    view.touches[slot] = touch;
}

/* Box of the motion of a triangle. */
typedef struct feature_box {
    float4 low, high;
} feature_box;

/* Box relative to an origin, in the coordinates of the features. w: from 0 to `square`. */
CLOTH_FUNCTION feature_box feature_placed(feature_box box, float4 origin, float square)
{
    float rounding = 1.2e-7f * (fabs(origin.x) + fabs(origin.y) + fabs(origin.z));
    box.low = hed_f4(box.low.x + origin.x - rounding, box.low.y + origin.y - rounding,
        box.low.z + origin.z - rounding, 0.0f);
    box.high = hed_f4(box.high.x + origin.x + rounding, box.high.y + origin.y + rounding,
        box.high.z + origin.z + rounding, square);
    return box;
}

CLOTH_FUNCTION uint feature_overlaps(feature_box box, __global const float4 *boxes, uint node)
{
    float4 low = boxes[2 * node], high = boxes[2 * node + 1];
    return box.low.x <= high.x && box.high.x >= low.x && box.low.y <= high.y &&
           box.high.y >= low.y && box.low.z <= high.z && box.high.z >= low.z &&
           box.low.w <= high.w && box.high.w >= low.w;
}

/* Square of the longest edge of a triangle at the start or end of a substep, m^2. */
CLOTH_FUNCTION float feature_longest_square(feature_sides x)
{
    float4 a = cloth_minus(x.b, x.a), b = cloth_minus(x.c, x.b), c = cloth_minus(x.a, x.c);
    return hed_max(cloth_square(a.x, a.y, a.z),
        hed_max(cloth_square(b.x, b.y, b.z), cloth_square(c.x, c.y, c.z)));
}

/* True if the motion of an end of an axis is within the box of a triangle. */
CLOTH_FUNCTION uint feature_end_is_near(feature_box box, float4 from, float4 to)
{
    float radius = hed_max(from.w, to.w);
    float4 low = contact_lower(from, to), high = contact_upper(from, to);
    return box.low.x <= high.x + radius && box.high.x >= low.x - radius &&
           box.low.y <= high.y + radius && box.high.y >= low.y - radius &&
           box.low.z <= high.z + radius && box.high.z >= low.z - radius;
}

/* Box of three positions. */
CLOTH_FUNCTION feature_box feature_box_of(float4 a, float4 b, float4 c)
{
    feature_box box;
    box.low = contact_lower(contact_lower(a, b), c);
    box.high = contact_upper(contact_upper(a, b), c);
    return box;
}

/* Distance of two intervals, m; negative if they overlap. */
CLOTH_FUNCTION float feature_between_intervals(
    float low, float high, float other_low, float other_high)
{
    return hed_max(low - other_high, other_low - high);
}

/* True if feature_test() finds no pair of a triangle and a feature: at the substep's start their boxes
 * are farther apart than it accepts for the largest relative motion of their ends. The margins cover rounding. */
CLOTH_INLINE uint feature_is_far(feature_sides x, feature_sides y, float thickness)
{
    feature_box triangle = feature_box_of(x.a, x.b, x.c),
                axis = feature_box_of(x.axis.a, x.axis.b, x.axis.b),
                motion = feature_box_of(
                    cloth_minus(y.a, x.a), cloth_minus(y.b, x.b), cloth_minus(y.c, x.c)),
                carry = feature_box_of(cloth_minus(y.axis.a, x.axis.a),
                    cloth_minus(y.axis.b, x.axis.b), cloth_minus(y.axis.b, x.axis.b));
    float across = hed_max(
        hed_max(feature_between_intervals(triangle.low.x, triangle.high.x, axis.low.x, axis.high.x),
            feature_between_intervals(triangle.low.y, triangle.high.y, axis.low.y, axis.high.y)),
        feature_between_intervals(triangle.low.z, triangle.high.z, axis.low.z, axis.high.z));
    float relative =
        feature_length(hed_f4(hed_max(motion.high.x - carry.low.x, carry.high.x - motion.low.x),
            hed_max(motion.high.y - carry.low.y, carry.high.y - motion.low.y),
            hed_max(motion.high.z - carry.low.z, carry.high.z - motion.low.z), 0.0f));
    float radius = hed_max(hed_max(x.axis.a.w, x.axis.b.w), hed_max(y.axis.a.w, y.axis.b.w)),
          limit = fma(1.25f, hed_max(thickness, FEATURE_MIN_CLEARANCE), radius),
          extent = fabs(axis.low.x) + fabs(axis.low.y) + fabs(axis.low.z) + fabs(triangle.low.x) +
                   fabs(triangle.low.y) + fabs(triangle.low.z);
    return across > fma(1.001f, limit + relative, 2e-6f * extent);
}

/* Triangle of the cloth in a substep. */
typedef struct feature_triangle {
    contact_triangle corners;
    feature_sides x, y; /* positions at start and end; the axis is that of a feature */
    cloth_cloth cloth;
    feature_box box, placed; /* its motion with a margin, and in the coordinates of the features */
} feature_triangle;

/* Reads a triangle. Returns false if it meets no feature: overstretched, or a leaf without a triangle. */
CLOTH_INLINE uint feature_read_triangle(uint t, feature_find_view view, feature_triangle *triangle)
{
    feature_triangle of;
    of.corners = view.triangles[t];
    if (of.corners.a == CONTACT_NO_LEAF) return 0u;
    of.x.a = view.previous[of.corners.a];
    of.x.b = view.previous[of.corners.b];
    of.x.c = view.previous[of.corners.c];
    /* overstretched cloth passes (collide.h): only fast colliders mark it */
    if (cloth_is_overstretched(of.x.a.w) || cloth_is_overstretched(of.x.b.w) ||
        cloth_is_overstretched(of.x.c.w))
        return 0u;
    of.y.a = view.position[of.corners.a];
    of.y.b = view.position[of.corners.b];
    of.y.c = view.position[of.corners.c];
    of.cloth = cloth_garment_at(view.garments, (uint)of.x.a.w);
    float margin = 1.3f * hed_max(of.cloth.thickness, FEATURE_MIN_CLEARANCE);
    feature_box start = feature_box_of(of.x.a, of.x.b, of.x.c),
                end = feature_box_of(of.y.a, of.y.b, of.y.c);
    float4 low = contact_lower(start.low, end.low), high = contact_upper(start.high, end.high);
    of.box.low = hed_f4(low.x - margin, low.y - margin, low.z - margin, 0.0f);
    of.box.high = hed_f4(high.x + margin, high.y + margin, high.z + margin, 0.0f);
    of.placed = feature_placed(of.box, cloth_origin_at(view.garments, (uint)of.x.a.w),
        hed_max(feature_longest_square(of.x), feature_longest_square(of.y)));
    *triangle = of;
    return 1u;
}

/* Compares a triangle with a feature: its edges with the axis, its face with the ends. */
CLOTH_INLINE void feature_compare(feature_triangle of, uint number, feature_find_view view)
{
    __global const float4 *feature = view.features + number * FEATURE_WORDS;
    contact_triangle triangle = of.corners;
    feature_sides x = of.x, y = of.y;
    feature_box box = of.box;
    cloth_cloth cloth = of.cloth;
    float4 origin = cloth_origin_at(view.garments, (uint)x.a.w);
    x.axis = feature_at(feature, origin, view.params.from);
    y.axis = feature_at(feature, origin, view.params.to);
    if (feature_is_far(x, y, cloth.thickness)) return;
    feature_sides u = x, v = y;
    uint ends = (uint)feature[5].x, has_length = ends & 4u;
    CLOTH_ROLLED
    for (uint k = 0; k < 3; k++) {
        uint a = k == 0 ? triangle.a : k == 1 ? triangle.b : triangle.c,
             b = k == 0 ? triangle.b : k == 1 ? triangle.c : triangle.a;
        u.a = k == 0 ? x.a : k == 1 ? x.b : x.c;
        u.b = k == 0 ? x.b : k == 1 ? x.c : x.a;
        v.a = k == 0 ? y.a : k == 1 ? y.b : y.c;
        v.b = k == 0 ? y.b : k == 1 ? y.c : y.a;
        if (has_length && (triangle.owned & (8u << k)))
            feature_add(u, v, a, b, b, FEATURE_EDGE, feature, number, cloth, view);
    }
    if ((ends & 1u) && feature_end_is_near(box, x.axis.a, y.axis.a))
        feature_add(x, y, triangle.a, triangle.b, triangle.c, 0u, feature, number, cloth, view);
    if ((ends & 2u) && feature_end_is_near(box, x.axis.b, y.axis.b))
        feature_add(
            x, y, triangle.a, triangle.b, triangle.c, FEATURE_END_B, feature, number, cloth, view);
}

/* Finds the pairs of a triangle of the cloth. */
CLOTH_INLINE void feature_find(uint t, feature_find_view view)
{
    feature_triangle of;
    if (!feature_read_triangle(t, view, &of)) return;
    for (uint node = 1; node != 0;) {
        if (feature_overlaps(of.placed, view.boxes, node)) {
            if (node < view.params.leaves) {
                node *= 2;
                continue;
            }
            feature_compare(of, node - view.params.leaves, view);
        }
        while (node & 1u) node >>= 1; /* leave right branches; 0 after the last node */
        node += node != 0;
    }
}

/* ---- pushes ---- */

/* Number of pairs of the substep. */
CLOTH_FUNCTION uint feature_count(__global const feature_counters *counters, feature_params params)
{
    uint count = (uint)counters->pairs;
    return count < params.capacity ? count : params.capacity;
}

/* Positions of the cloth of a pair, and the axis at a fraction of the bodies' motion. */
CLOTH_INLINE feature_sides feature_sides_of(
    __global const float4 *positions, feature_pair pair, feature_solve_view view, float fraction)
{
    feature_sides at;
    at.a = positions[pair.a];
    at.b = positions[pair.b];
    at.c = positions[pair.c];
    at.axis = feature_at(view.features + (pair.feature & FEATURE_MAX_COUNT) * FEATURE_WORDS,
        cloth_origin_at(view.garments, (uint)view.previous[pair.a].w), fraction);
    return at;
}

/* Adds a push, in m, times its weight to the sums of a particle. */
CLOTH_FUNCTION void feature_add_push(
    __global int *sums, uint particle, float4 push, float fraction, int weight)
{
    if (!(fraction > 0.0f)) return;
    float factor = fraction * (float)weight * FEATURE_PUSH_STEPS;
    __global int *sum = sums + 4 * particle;
    feature_sum(sum, hed_int(push.x * factor));
    feature_sum(sum + 1, hed_int(push.y * factor));
    feature_sum(sum + 2, hed_int(push.z * factor));
    feature_sum(sum + 3, weight);
}

/* Pushes the cloth of a pair away from the feature, with friction. */
CLOTH_INLINE void feature_push(uint k, uint pass, feature_solve_view view)
{
    feature_pair pair = view.pairs[k];
    feature_touch touch = view.touches[k];
    float4 n = touch.normal, w = feature_weights(touch.p, touch.q, pair.feature);
    feature_sides y = feature_sides_of(view.position, pair, view, view.params.to);
    float4 body = cloth_ball(y.axis.a, y.axis.b, touch.along), at = feature_point(y, w);
    float depth = hed_min(n.w - cloth_dot(n, cloth_minus(at, body)), FEATURE_MAX_PUSH);
    float mass = fma(y.a.w, w.x * w.x, fma(y.b.w, w.y * w.y, y.c.w * (w.z * w.z)));
    if (!(depth > 1e-3f * n.w && mass > 0.0f)) return;
    view.counters->active[pass] = 1;
    feature_sides x = feature_sides_of(view.previous, pair, view, view.params.from);
    float4 slip = cloth_minus(cloth_minus(at, feature_point(x, w)),
        cloth_minus(body, cloth_ball(x.axis.a, x.axis.b, touch.along)));
    float normal_slip = cloth_dot(slip, n);
    slip = hed_f4(fma(-normal_slip, n.x, slip.x), fma(-normal_slip, n.y, slip.y),
        fma(-normal_slip, n.z, slip.z), 0.0f);
    float square = cloth_square(slip.x, slip.y, slip.z), limit = touch.friction * depth;
    float fraction = square > limit * limit ? limit / sqrt(square) : 1.0f;
    float4 push = hed_f4(fma(depth, n.x, -(fraction * slip.x)),
        fma(depth, n.y, -(fraction * slip.y)), fma(depth, n.z, -(fraction * slip.z)), 0.0f);
    int weight = 1 + hed_int(FEATURE_MAX_WEIGHT * hed_min(1.0f, depth / n.w));
    /* the largest of an edge's weights is at least 0.5: a push moves no end by more than twice
     * the depth */
    feature_add_push(view.sums, pair.a, push, y.a.w * w.x / mass, weight);
    feature_add_push(view.sums, pair.b, push, y.b.w * w.y / mass, weight);
    if (!(pair.feature & FEATURE_EDGE))
        feature_add_push(view.sums, pair.c, push, y.c.w * w.z / mass, weight);
}

/* Moves a particle by the mean of its pushes: for the first of its pairs that comes here. */
CLOTH_FUNCTION void feature_apply_one(uint particle, feature_solve_view view)
{
    __global int *sum = view.sums + 4 * particle;
    int weight = (int)feature_take(sum + 3, 0);
    if (weight == 0) return;
    float scale = 1.0f / (FEATURE_PUSH_STEPS * (float)weight);
    float4 at = view.position[particle];
    at.x = fma((float)sum[0], scale, at.x);
    at.y = fma((float)sum[1], scale, at.y);
    at.z = fma((float)sum[2], scale, at.z);
    sum[0] = sum[1] = sum[2] = 0;
    view.position[particle] = at;
}

CLOTH_FUNCTION void feature_apply(uint k, feature_solve_view view)
{
    feature_pair pair = view.pairs[k];
    feature_apply_one(pair.a, view);
    feature_apply_one(pair.b, view);
    if (!(pair.feature & FEATURE_EDGE)) feature_apply_one(pair.c, view);
}

/* ---- limits ---- */

/* Distance that a limit keeps between the cloth and the axis, m: `radius` and `gap` beyond it. Cloth
 * that is within the radius already may come nearer to the axis by FEATURE_SINK. */
typedef struct feature_room {
    float radius, gap;
} feature_room;

CLOTH_FUNCTION feature_room feature_room_of(feature_touch touch, feature_axis axis, uint round)
{
    float radius = fma(touch.along, axis.b.w - axis.a.w, axis.a.w), distance = touch.start.w,
          clearance = distance - radius;
    feature_room room;
    room.radius = clearance > 0.0f ? radius : (1.0f - FEATURE_SINK) * distance;
    room.gap =
        hed_max(FEATURE_KEPT_FRACTION * hed_min(clearance, touch.normal.w), FEATURE_MIN_KEPT);
    room.gap =
        clearance > 0.0f ? hed_min(room.gap, 0.9f * clearance) : 0.5f * FEATURE_SINK * distance;
    /* a vertex at its plane passes a later test whatever rounding does */
    room.gap *= 1.0f - 0.2f * (float)round;
    return room;
}

/* True if a pair crosses nothing between x and y (rule 2). */
CLOTH_INLINE uint feature_is_safe(
    feature_sides x, feature_sides y, uint kind, feature_touch touch, feature_room room)
{
    float4 n = touch.start;
    float4 base = kind & FEATURE_END_B ? y.axis.b : y.axis.a;
    float low = hed_min(cloth_dot(n, cloth_minus(y.a, base)), cloth_dot(n, cloth_minus(y.b, base))),
          high = 0.0f;
    if (kind & FEATURE_EDGE) high = hed_max(cloth_dot(n, cloth_minus(y.axis.b, base)), 0.0f);
    else low = hed_min(low, cloth_dot(n, cloth_minus(y.c, base)));
    if (low - high >= room.radius + room.gap) return 1;
    float motion = feature_relative_motion(x, y, kind), touching = room.radius + room.gap;
    if (motion < touch.start.w - touching) return 1;
    contact_closest first;
    first.normal = touch.start;
    first.p = first.q = 0.0f;
    return !feature_march(x, y, kind, motion, touching, FEATURE_SLACK * room.gap, first).is_found;
}

/* Motion of the point of the axis that is closest to a position at the substep's start. */
CLOTH_INLINE float4 feature_carry(feature_axis from, feature_axis to, float4 at)
{
    float4 axis = cloth_minus(from.b, from.a), offset = cloth_minus(at, from.a);
    float square = cloth_dot(axis, axis);
    float along = square > 0.0f ? contact_clamp01(cloth_dot(offset, axis) / square) : 0.0f;
    return cloth_minus(cloth_ball(to.a, to.b, along), cloth_ball(from.a, from.b, along));
}

/* Limits a vertex to its side of the plane of a pair (rule 3). The fraction and the feature are one
 * word, so that the minimum has both. */
CLOTH_INLINE void feature_limit_one(uint particle, float4 x, float4 y, feature_axis from,
    feature_axis to, uint number, feature_touch touch, feature_room room, feature_solve_view view)
{
    float4 n = touch.start, carry = feature_carry(from, to, x);
    float high =
        hed_max(cloth_dot(n, cloth_minus(from.a, x)), cloth_dot(n, cloth_minus(from.b, x)));
    if (touch.along == 0.0f) high = cloth_dot(n, cloth_minus(from.a, x));
    if (touch.along == 1.0f) high = cloth_dot(n, cloth_minus(from.b, x));
    float height = -high - (room.radius + room.gap),
          sink = -cloth_dot(n, cloth_minus(cloth_minus(y, x), carry));
    if (!(y.w > 0.0f) || !(sink > height)) return;
    float fraction = height > 0.0f ? height / sink : 0.0f;
    feature_min(view.fractions + particle, (uint)hed_int(65535.0f * fraction) << 16 | number);
}

/* Limits the vertices of a pair that is not safe. In the last call, round FEATURE_ROUNDS, counts such
 * pairs. */
CLOTH_INLINE void feature_limit(uint k, uint round, feature_solve_view view)
{
    feature_pair pair = view.pairs[k];
    feature_touch touch = view.touches[k];
    uint number = pair.feature & FEATURE_MAX_COUNT;
    feature_sides x = feature_sides_of(view.previous, pair, view, view.params.from),
                  y = feature_sides_of(view.position, pair, view, view.params.to);
    feature_room room = feature_room_of(touch, y.axis, round);
    if (feature_is_safe(x, y, pair.feature, touch, room)) return;
    if (round == FEATURE_ROUNDS) {
        if (pair.a - view.params.own_first < view.params.own_count)
            feature_sum(&view.counters->pressed, 1);
        return;
    }
    view.counters->limited[round] = 1;
    feature_limit_one(pair.a, x.a, y.a, x.axis, y.axis, number, touch, room, view);
    feature_limit_one(pair.b, x.b, y.b, x.axis, y.axis, number, touch, room, view);
    if (!(pair.feature & FEATURE_EDGE))
        feature_limit_one(pair.c, x.c, y.c, x.axis, y.axis, number, touch, room, view);
}

/* Moves a particle to its fraction: for the first of its pairs that comes here. */
CLOTH_FUNCTION void feature_finish_one(uint particle, feature_solve_view view)
{
    uint limit = feature_take(view.fractions + particle, FEATURE_FREE);
    if (limit == FEATURE_FREE) return;
    __global const float4 *feature = view.features + (limit & FEATURE_MAX_COUNT) * FEATURE_WORDS;
    float4 x = view.previous[particle], y = view.position[particle];
    float4 origin = cloth_origin_at(view.garments, (uint)x.w);
    float4 carry = feature_carry(feature_at(feature, origin, view.params.from),
        feature_at(feature, origin, view.params.to), x);
    float fraction = (float)(limit >> 16) * (1.0f / 65535.0f);
    view.position[particle] = hed_f4(fma(fraction, (y.x - x.x) - carry.x, x.x + carry.x),
        fma(fraction, (y.y - x.y) - carry.y, x.y + carry.y),
        fma(fraction, (y.z - x.z) - carry.z, x.z + carry.z), y.w);
}

CLOTH_FUNCTION void feature_finish(uint k, feature_solve_view view)
{
    feature_pair pair = view.pairs[k];
    feature_finish_one(pair.a, view);
    feature_finish_one(pair.b, view);
    if (!(pair.feature & FEATURE_EDGE)) feature_finish_one(pair.c, view);
}

/* ---- stages ---- */

/* Runs the stages of a substep by RUN(stage, argument), where all work items meet after each. */
#define FEATURE_STAGES(RUN, COUNTERS) \
    do { \
        for (uint pass_ = 0; pass_ < FEATURE_PASSES; pass_++) { \
            RUN(feature_push, pass_); \
            if (!(COUNTERS)->active[pass_]) break; \
            RUN(feature_apply, pass_); \
        } \
        for (uint round_ = 0; round_ <= FEATURE_ROUNDS; round_++) { \
            RUN(feature_limit, round_); \
            if (round_ == FEATURE_ROUNDS || !(COUNTERS)->limited[round_]) break; \
            RUN(feature_finish, round_); \
        } \
    } while (0)

/* Adds the counters of a substep to the sums, and clears them. */
CLOTH_FUNCTION void feature_tally(__global feature_counters *counters, feature_params params)
{
    int pairs = counters->pairs;
    if (pairs > counters->max_pairs) counters->max_pairs = pairs;
    if ((uint)pairs > params.capacity) counters->dropped += pairs - (int)params.capacity;
    counters->pairs = 0;
    for (uint k = 0; k < FEATURE_PASSES; k++) counters->active[k] = 0;
    for (uint k = 0; k < FEATURE_ROUNDS; k++) counters->limited[k] = 0;
}

#endif
