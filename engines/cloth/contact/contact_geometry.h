/* Geometry of contact pairs: closest points, heights along a normal, boxes, gaps. Pure functions;
 * after contact_types.h. */
#ifndef CLOTH_CONTACT_GEOMETRY_H
#define CLOTH_CONTACT_GEOMETRY_H

/* ---- vectors ---- */

CLOTH_FUNCTION float4 contact_plus(float4 a, float4 b)
{
    return hed_f4(a.x + b.x, a.y + b.y, a.z + b.z, 0.0f);
}

CLOTH_FUNCTION float4 contact_lower(float4 a, float4 b)
{
    return hed_f4(hed_min(a.x, b.x), hed_min(a.y, b.y), hed_min(a.z, b.z), 0.0f);
}

CLOTH_FUNCTION float4 contact_upper(float4 a, float4 b)
{
    return hed_f4(hed_max(a.x, b.x), hed_max(a.y, b.y), hed_max(a.z, b.z), 0.0f);
}

CLOTH_FUNCTION float contact_clamp01(float x) { return hed_min(hed_max(x, 0.0f), 1.0f); }

/* ---- positions of a pair ---- */

typedef struct contact_ends {
    float4 a, b, c, d;
} contact_ends;

CLOTH_INLINE contact_ends contact_ends_of(__global const float4 *positions, contact_pair pair)
{
    contact_ends ends;
    ends.a = positions[contact_first(pair)];
    ends.b = positions[pair.b];
    ends.c = positions[pair.c];
    ends.d = positions[pair.d];
    return ends;
}

/* Heights of the four positions along n above `base`. */
CLOTH_INLINE float4 contact_heights(float4 n, contact_ends ends, float4 base)
{
    return hed_f4(cloth_dot(n, cloth_minus(ends.a, base)), cloth_dot(n, cloth_minus(ends.b, base)),
        cloth_dot(n, cloth_minus(ends.c, base)), cloth_dot(n, cloth_minus(ends.d, base)));
}

/* Lowest height of the upper side, and highest height of the lower side. */
CLOTH_FUNCTION float contact_lowest(float4 h, uint edges)
{
    float other = edges ? h.y : h.x;
    return hed_min(h.x, other);
}
CLOTH_FUNCTION float contact_highest(float4 h, uint edges)
{
    float other = edges ? h.z : h.y;
    return hed_max(hed_max(h.z, h.w), other);
}

/* Lower bound on the gap between the two sides, whatever fraction of its motion each vertex
 * completes. */
CLOTH_INLINE float contact_min_gap(float4 from, float4 to, uint edges)
{
    float4 low = hed_f4(hed_min(from.x, to.x), hed_min(from.y, to.y), 0.0f, 0.0f);
    float4 high = hed_f4(0.0f, hed_max(from.y, to.y), hed_max(from.z, to.z), hed_max(from.w, to.w));
    return contact_lowest(low, edges) - contact_highest(high, edges);
}

/* Smallest usable gap along n, m (CONTACT_MIN_GAP). It survives the rounding of a substep, and of
 * positions that are read (docs/cloth-contact.md, Far from zero). */
CLOTH_FUNCTION float contact_usable_gap(float4 n, float4 at, float reach, contact_params params)
{
    float distance = hed_max(fabs(at.x), hed_max(fabs(at.y), fabs(at.z)));
    float loss = fma(fabs(n.x), params.read_loss_x,
        fma(fabs(n.y), params.read_loss_y, fabs(n.z) * params.read_loss_z));
    return hed_max(CONTACT_MIN_GAP,
        fma(CONTACT_ROUNDING, distance, hed_min(loss, CONTACT_MAX_READ_LOSS * reach)));
}

/* Gap to leave at the substep's end, m (CONTACT_KEPT_FRACTION). `usable`: contact_usable_gap(). */
CLOTH_FUNCTION float contact_kept_gap(float gap, float reach, float usable)
{
    float minimum = hed_max(CONTACT_MIN_KEPT, CONTACT_KEPT_FACTOR * usable),
          kept = hed_max(CONTACT_KEPT_FRACTION * hed_min(gap, reach), minimum);
    uint is_small = (gap > usable) & (gap < minimum);
    return is_small ? gap : kept;
}

/* True if the sides of a pair are separated along n by the gap to leave. */
CLOTH_INLINE uint contact_is_separated(
    contact_ends y, contact_plane plane, uint edges, contact_params params)
{
    float4 n = plane.normal, h = contact_heights(n, y, y.a);
    float usable = contact_usable_gap(n, y.a, plane.reach, params);
    return contact_lowest(h, edges) - contact_highest(h, edges) >=
           contact_kept_gap(n.w, plane.reach, usable);
}

/* ---- closest points ---- */

typedef struct contact_closest {
    float4 normal; /* length 1, from the lower side to the upper one; w: distance, m */
    float p, q;    /* weights of c and d in the triangle's point; of b and d in the edges' points */
} contact_closest;

/* After Ericson, Real-Time Collision Detection, 5.1.9. */
CLOTH_INLINE contact_closest contact_closest_edges(contact_ends x)
{
    float4 upper = cloth_minus(x.b, x.a), lower = cloth_minus(x.d, x.c), r = cloth_minus(x.a, x.c);
    float a = cloth_dot(upper, upper), e = cloth_dot(lower, lower), f = cloth_dot(lower, r),
          c = cloth_dot(upper, r), b = cloth_dot(upper, lower), den = fma(a, e, -(b * b));
    float s = den > 1e-6f * a * e ? contact_clamp01((b * f - c * e) / den) : 0.5f;
    float t = e > 0.0f ? (b * s + f) / e : 0.0f;
    float end = t < 0.0f ? 0.0f : 1.0f,
          at_end = a > 0.0f ? contact_clamp01((end * b - c) / a) : 0.0f;
    s = t == contact_clamp01(t) ? s : at_end;
    t = contact_clamp01(t);
    contact_closest closest;
    closest.p = s;
    closest.q = t;
    closest.normal = hed_f4(fma(upper.x, s, fma(-t, lower.x, r.x)),
        fma(upper.y, s, fma(-t, lower.y, r.y)), fma(upper.z, s, fma(-t, lower.z, r.z)), 0.0f);
    return closest;
}

CLOTH_INLINE contact_closest contact_closest_of(contact_ends x, uint edges)
{
    contact_closest closest;
    if (edges) {
        closest = contact_closest_edges(x);
    } else {
        cloth_nearest point = cloth_nearest_of(x.a, x.b, x.c, x.d);
        closest.p = point.b;
        closest.q = point.c;
        closest.normal = hed_f4(-point.to.x, -point.to.y, -point.to.z, 0.0f);
    }
    float4 n = closest.normal;
    float distance = sqrt(cloth_square(n.x, n.y, n.z));
    float u = n.x / distance, v = n.y / distance, w = n.z / distance;
    if (!(distance > 1e-9f)) { /* the sides touch: the direction across both */
        n = cloth_cross(
            cloth_minus(edges ? x.b : x.c, edges ? x.a : x.b), cloth_minus(x.d, edges ? x.c : x.b));
        float length = sqrt(cloth_square(n.x, n.y, n.z));
        float scale = length > 0.0f ? 1.0f / length : 0.0f;
        u = n.x * scale;
        v = n.y * scale;
        w = n.z * scale;
    }
    closest.normal = hed_f4(u, v, w, distance);
    return closest;
}

/* Weights of the four positions in the distance between the closest points. */
CLOTH_FUNCTION float4 contact_weights(float p, float q, uint edges)
{
    if (edges) return hed_f4(1.0f - p, p, q - 1.0f, -q);
    return hed_f4(1.0f, p + q - 1.0f, -p, -q);
}

/* ---- boxes ---- */

/* True if two boxes are separated by `distance` along an axis. */
CLOTH_INLINE uint contact_boxes_apart(
    float4 low, float4 high, float4 other_low, float4 other_high, float distance)
{
    float gap = hed_max(hed_max(other_low.x - high.x, low.x - other_high.x),
        hed_max(hed_max(other_low.y - high.y, low.y - other_high.y),
            hed_max(other_low.z - high.z, low.z - other_high.z)));
    return gap >= distance;
}

/* True if the boxes of the motions of the two sides are separated by `distance` along an axis. */
CLOTH_INLINE uint contact_sides_apart(
    contact_ends x, contact_ends y, float4 shift, uint edges, float distance)
{
    float4 a = cloth_minus(y.a, shift), b = cloth_minus(y.b, shift), c = cloth_minus(y.c, shift),
           d = cloth_minus(y.d, shift);
    float4 low_b = contact_lower(x.b, b), high_b = contact_upper(x.b, b);
    float4 low = contact_lower(x.a, a), high = contact_upper(x.a, a);
    float4 other_low = contact_lower(contact_lower(x.c, c), contact_lower(x.d, d)),
           other_high = contact_upper(contact_upper(x.c, c), contact_upper(x.d, d));
    if (edges) {
        low = contact_lower(low, low_b);
        high = contact_upper(high, high_b);
    } else {
        other_low = contact_lower(other_low, low_b);
        other_high = contact_upper(other_high, high_b);
    }
    return contact_boxes_apart(low, high, other_low, other_high, distance);
}

/* ---- gaps ---- */

typedef struct contact_gap {
    float4 normal; /* contact_plane.normal */
    float p, q;    /* weights of contact_closest */
    float min_gap; /* m, lower bound along `normal` over the whole motion */
} contact_gap;

CLOTH_INLINE contact_gap contact_gap_of(contact_ends x, contact_ends y, float4 shift, uint edges)
{
    contact_closest closest = contact_closest_of(x, edges);
    float4 n = closest.normal, from = contact_heights(n, x, x.a);
    contact_gap gap;
    gap.normal = hed_f4(n.x, n.y, n.z, contact_lowest(from, edges) - contact_highest(from, edges));
    gap.p = closest.p;
    gap.q = closest.q;
    gap.min_gap = contact_min_gap(from, contact_heights(n, y, contact_plus(x.a, shift)), edges);
    return gap;
}

#endif
