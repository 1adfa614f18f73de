/* Cloth that never crosses cloth, for one pair and one particle: one text for every device and for
 * C. After physics.h, collide.h and mesh_contact.h. docs/cloth-contact.md has the whole argument.
 *
 * A substep begins at places x without a crossing; the solver wants y. A pair is a vertex against a
 * triangle or an edge against an edge, without a common vertex. n is the direction between its
 * closest points at x; `gap` is how far apart its two sides are along n at x, from the vertices
 * themselves, so that an error in n only makes it smaller.
 *
 *   1. A pair whose sides are still apart along n at y is safe: the least of one side is concave
 *      and the most of the other convex over the substep, so a plane that moves with them lies
 *      between them all the way. Layers that fly together at any speed are never slowed.
 *   2. Else a plane that stands parts the gap by what each side wants of it, and each vertex goes
 *      the share t of its way that keeps it on its side; of several pairs the smallest t counts.
 *      A plane between standing sides holds whatever share each vertex goes.
 *   3. Rule 1 takes whole ways for granted, so a pair with a vertex that was cut is tested again,
 *      where the shares of the round before put it, and gets rule 2 if it fails: in rounds, until
 *      one cuts nothing. Should the last but one still cut, all pairs get rule 2, which needs no
 *      test.
 *   4. Where something was cut, a further leg begins: from the places that were reached, which
 *      cross nothing, to those that were wanted, with new pairs, planes and pushes. What a plane of
 *      the first leg held back, since it stood across the way, mostly gets around it so; without,
 *      it lags, and what it hangs on draws it through ever more of the cloth in the next substep.
 *
 * After Newton's planar truncation (divide and truncate) and Offset Geometric Contact (Chen et al.,
 * 2025), whose planes stand in the world. "Stands" is here meant relative to `shift`, the mean way
 * of the garments: what shifts all crosses nothing.
 *
 * Before anything is cut, contacts push: XPBD with compliance 0 along n, averaged over a vertex'
 * contacts weighted by depth (Jacobi), with Coulomb friction; then both sides of a pair that is not
 * safe are put on their sides of the middle plane, so that sliding stays. Sums are integers: the
 * same bits in whatever order they come. */
#ifndef CLOTH_CONTACT_PAIRS_H
#define CLOTH_CONTACT_PAIRS_H

#if defined(__OPENCL_C_VERSION__) || defined(__CUDACC_RTC__)
#define cloth_atomic_add(at, value) atomic_add(at, value)
#define cloth_atomic_min(at, value) atomic_min(at, value)
#define cloth_atomic_max(at, value) atomic_max(at, value)
#define CLOTH_LOCAL __local
#else
#define cloth_atomic_add(at, value) __atomic_fetch_add(at, value, __ATOMIC_RELAXED)
CLOTH_FUNCTION uint cloth_atomic_min(uint *at, uint value)
{
    uint before = __atomic_load_n(at, __ATOMIC_RELAXED);
    while (value < before &&
           !__atomic_compare_exchange_n(at, &before, value, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
    return before;
}
CLOTH_FUNCTION int cloth_atomic_max(int *at, int value)
{
    int before = __atomic_load_n(at, __ATOMIC_RELAXED);
    while (value > before &&
           !__atomic_compare_exchange_n(at, &before, value, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
    return before;
}
#define clz(x) ((uint)__builtin_clz(x))
#define CLOTH_LOCAL
#endif

#define CLOTH_PAIR_EDGES 0x80000000u /* in pair.x: edge x y against edge z w */
#define CLOTH_PAIR_NONE 0xffffffffu
#define CLOTH_PAIRS_PUSHES 3u /* passes of contacts in a substep */
#define CLOTH_PAIRS_PASSES 6u /* of those, and then of parting what is not safe */
#define CLOTH_PAIRS_ROUNDS 6u /* of cutting; in the last one all are cut */
#define CLOTH_PAIRS_LEGS 9u   /* of a substep, at most */
#define CLOTH_PAIRS_MEAN 256u /* particles that the mean way is taken of, at most */
/* Steps of 1 m that ways are summed in, of which none counts as longer. */
#define CLOTH_PAIRS_WAY 1048576.0f
#define CLOTH_PAIRS_WEIGHT 63.0f /* most of a contact in the mean of a particle's */
#define CLOTH_PAIRS_STUCK 5e-6f /* m, a gap at which a pair stands still, or parts: at least, and */
#define CLOTH_PAIRS_ROUND 1.1e-6f /* times the distance from the origin: 18 roundings */
#define CLOTH_PAIRS_SEEN 0.25f    /* most of reach that is added for floats of the world */
#define CLOTH_PAIRS_LEAST 4e-5f   /* m, the gap that is always kept: at least, and */
#define CLOTH_PAIRS_LOOSE 2.0f    /* times the one at which a pair stands still */
#define CLOTH_PAIRS_GRID \
    65536.0f /* steps of 1 m in the mean way: added to places below 256 m, it rounds nothing */
#define CLOTH_PAIRS_TOUCH -1e-8f /* m, a gap that is 0 but for rounding; below it n parts nothing */
#define CLOTH_PAIRS_KEEP 0.1f    /* share of a gap that is kept in a substep */
/* Share of that where a pair is tested again: what stands at its plane passes, rounded or not. */
#define CLOTH_PAIRS_AGAIN 0.9f
#define CLOTH_PAIRS_STRETCH 0.5f /* least of a node that nothing in it is nearer than it keeps, */
#define CLOTH_PAIRS_SPREAD 0.05f /* and wherever its vertices are while the list holds */

/* Counters of a leg, in two halves in turn, and behind them those of all. */
#define CLOTH_PAIRS_COUNT 0u /* pairs of this substep; above `capacity`: too many */
#define CLOTH_PAIRS_LATE 1u  /* the last round that cut anything, plus 1 */
#define CLOTH_PAIRS_CUT 2u   /* vertices that went a part of their way, in the last leg */
#define CLOTH_PAIRS_HELD 3u  /* vertices that contacts pushed too far from their way */
#define CLOTH_PAIRS_SHIFT 4u /* three sums of ways */
#define CLOTH_PAIRS_APART 7u /* bits of how far ways part at most from the first one */
#define CLOTH_PAIRS_NEED 8u  /* not 0: a new list is made in this leg */
#define CLOTH_PAIRS_PLANE \
    9u /* not 0: some were cut by a plane, which a further leg may get around */
#define CLOTH_PAIRS_ACTIVE 10u /* the last pass that had anything to do, plus 1 */
#define CLOTH_PAIRS_HALF 16u
#define CLOTH_PAIRS_ALL_CUT 32u
#define CLOTH_PAIRS_ALL_HELD 33u
#define CLOTH_PAIRS_ALL_STILL 34u /* substeps in which all stood, for want of room */
#define CLOTH_PAIRS_ALL_LISTS 35u /* lists made */
#define CLOTH_PAIRS_MOST 36u      /* pairs in a substep */
#define CLOTH_PAIRS_MOST_LISTED 37u
#define CLOTH_PAIRS_LAST 38u     /* pairs in the last substep */
#define CLOTH_PAIRS_STEPS 39u    /* substeps */
#define CLOTH_PAIRS_LISTED 40u   /* pairs in the list; above `list_room`: too many */
#define CLOTH_PAIRS_GONE 41u     /* three floats: sum of mean ways since the list was made */
#define CLOTH_PAIRS_NEAR 44u     /* pairs of triangles whose boxes overlap, in the list's making */
#define CLOTH_PAIRS_BANK 45u     /* 0 or CLOTH_PAIRS_HALF: the half of the next leg */
#define CLOTH_PAIRS_ALL_MORE 46u /* legs beyond the first of a substep */
#define CLOTH_PAIRS_COUNTERS 48u

/* What all of it is given; by value. */
typedef struct cloth_pairs {
    /* m that contacts may push a particle off its way: half of how far ways part, within these */
    float spare_least, spare_most;
    float cover;   /* m that a particle may be off its way in the substep of the list's making */
    float undo;    /* m that what is too near comes apart in a pass of the first leg, at most */
    float steps;   /* of a metre, in sums of pushes */
    float widest;  /* m, the largest thickness */
    float longest; /* m, the longest edge at rest */
    /* m that two places may lose of their distance along each axis, and in any direction, where
     * they are read as floats of the world */
    float read_x, read_y, read_z, read;
    float mean;     /* factor from sums of ways to `shift`; 0: it stays 0 */
    float from, to; /* the substep's part of the colliders' way, 0 to 1 */
    uint particles;
    uint leaves;    /* of the tree: a power of 2 */
    uint capacity;  /* pairs of a substep that there is room for */
    uint list_room; /* pairs of the list that there is room for */
    uint fresh;     /* not 0: a frame begins, and with it a list */
    uint first;     /* the first that takes part */
    uint stride;    /* every so many-th particle counts for the mean way */
    uint colliders;
    uint flags; /* CLOTH_STEP_* */
    uint bank;  /* 0 or CLOTH_PAIRS_HALF */
    uint leg;   /* of the substep */
    uint pass;  /* of pushes, then of parting */
    uint round; /* of cutting */
    uint last;  /* not 0: nothing but cutting follows */
} cloth_pairs;

/* ---- places of a pair ---- */

typedef struct cloth_ends {
    float4 a, b, c, d;
} cloth_ends;

CLOTH_INLINE cloth_ends cloth_ends_of(__global const float4 *places, uint4 pair)
{
    cloth_ends ends;
    ends.a = places[pair.x & ~CLOTH_PAIR_EDGES];
    ends.b = places[pair.y];
    ends.c = places[pair.z];
    ends.d = places[pair.w];
    return ends;
}

CLOTH_FUNCTION float4 cloth_pair_shift(__global const int *counters, cloth_pairs pairs)
{
    __global const int *sums = counters + pairs.bank + CLOTH_PAIRS_SHIFT;
    float grid = 1.0f / CLOTH_PAIRS_GRID, steps = pairs.mean * CLOTH_PAIRS_GRID;
    return hed_f4((float)hed_int((float)sums[0] * steps) * grid,
        (float)hed_int((float)sums[1] * steps) * grid,
        (float)hed_int((float)sums[2] * steps) * grid, 0.0f);
}

/* The mean way of all since the list was made. */
CLOTH_FUNCTION float4 cloth_pair_gone(__global const int *counters, cloth_pairs pairs)
{
    __global const int *gone = counters + CLOTH_PAIRS_GONE;
    if (counters[pairs.bank + CLOTH_PAIRS_NEED]) return hed_f4(0.0f, 0.0f, 0.0f, 0.0f);
    return hed_f4(as_float((uint)gone[0]), as_float((uint)gone[1]), as_float((uint)gone[2]), 0.0f);
}

CLOTH_FUNCTION float cloth_pair_spare(__global const int *counters, cloth_pairs pairs)
{
    float apart = as_float((uint)counters[pairs.bank + CLOTH_PAIRS_APART]);
    return hed_max(hed_min(0.5f * apart, pairs.spare_most), pairs.spare_least);
}

/* How much nearer than on their ways two particles may be read. */
CLOTH_FUNCTION float cloth_pair_room(__global const int *counters, cloth_pairs pairs)
{
    return fma(2.0f, cloth_pair_spare(counters, pairs), pairs.read);
}

/* Heights of four places along n above `base`. */
CLOTH_INLINE float4 cloth_heights(float4 n, cloth_ends ends, float4 base)
{
    return hed_f4(cloth_dot(n, cloth_minus(ends.a, base)), cloth_dot(n, cloth_minus(ends.b, base)),
        cloth_dot(n, cloth_minus(ends.c, base)), cloth_dot(n, cloth_minus(ends.d, base)));
}

/* The lowest of the upper side and the highest of the lower one. */
CLOTH_FUNCTION float cloth_lowest(float4 h, uint edges) { return edges ? hed_min(h.x, h.y) : h.x; }
CLOTH_FUNCTION float cloth_highest(float4 h, uint edges)
{
    float most = hed_max(h.z, h.w);
    return edges ? most : hed_max(most, h.y);
}

/* How far apart the sides are at least, whatever part of its way each vertex goes. */
CLOTH_INLINE float cloth_apart(float4 from, float4 to, uint edges)
{
    float4 low = hed_f4(hed_min(from.x, to.x), hed_min(from.y, to.y), 0.0f, 0.0f);
    float4 high = hed_f4(0.0f, hed_max(from.y, to.y), hed_max(from.z, to.z), hed_max(from.w, to.w));
    return cloth_lowest(low, edges) - cloth_highest(high, edges);
}

/* A gap along n so small that its pair stands still, or parts. It outlasts what rounding does to
 * places in a substep, and to those that are read (docs/cloth-contact.md, Far from zero). */
CLOTH_FUNCTION float cloth_stuck(float4 n, float4 at, float reach, cloth_pairs pairs)
{
    float far = hed_max(fabs(at.x), hed_max(fabs(at.y), fabs(at.z)));
    float read =
        fma(fabs(n.x), pairs.read_x, fma(fabs(n.y), pairs.read_y, fabs(n.z) * pairs.read_z));
    return hed_max(
        CLOTH_PAIRS_STUCK, fma(CLOTH_PAIRS_ROUND, far, hed_min(read, CLOTH_PAIRS_SEEN * reach)));
}

/* The part of a gap that has to be left at the substep's end. `stuck`: of the pair. */
CLOTH_FUNCTION float cloth_need(float gap, float reach, float stuck)
{
    float least = hed_max(CLOTH_PAIRS_LEAST, CLOTH_PAIRS_LOOSE * stuck);
    if (gap > stuck && gap < least) return gap;
    return hed_max(CLOTH_PAIRS_KEEP * hed_min(gap, reach), least);
}

/* ---- closest points ---- */

/* Normal from the lower side to the upper one and in w their distance; shares: of b and c in the
 * triangle's point, or of the second ends in the edges' points. */
typedef struct cloth_closest {
    float4 normal;
    float p, q;
} cloth_closest;

CLOTH_FUNCTION float cloth_clamp01(float x) { return hed_min(hed_max(x, 0.0f), 1.0f); }

/* After Ericson, Real-Time Collision Detection, 5.1.9. */
CLOTH_INLINE cloth_closest cloth_closest_edges(cloth_ends x)
{
    float4 one = cloth_minus(x.b, x.a), two = cloth_minus(x.d, x.c), r = cloth_minus(x.a, x.c);
    float a = cloth_dot(one, one), e = cloth_dot(two, two), f = cloth_dot(two, r),
          c = cloth_dot(one, r), b = cloth_dot(one, two), den = fma(a, e, -(b * b));
    float s = den > 1e-6f * a * e ? cloth_clamp01((b * f - c * e) / den) : 0.5f;
    float t = e > 0.0f ? (b * s + f) / e : 0.0f;
    float end = t < 0.0f ? 0.0f : 1.0f, on = a > 0.0f ? cloth_clamp01((end * b - c) / a) : 0.0f;
    s = t == cloth_clamp01(t) ? s : on;
    t = cloth_clamp01(t);
    cloth_closest near;
    near.p = s;
    near.q = t;
    near.normal = hed_f4(fma(one.x, s, fma(-t, two.x, r.x)), fma(one.y, s, fma(-t, two.y, r.y)),
        fma(one.z, s, fma(-t, two.z, r.z)), 0.0f);
    return near;
}

CLOTH_INLINE cloth_closest cloth_closest_of(cloth_ends x, uint edges)
{
    cloth_closest near;
    if (edges) {
        near = cloth_closest_edges(x);
    } else {
        cloth_nearest found = cloth_nearest_of(x.a, x.b, x.c, x.d);
        near.p = found.b;
        near.q = found.c;
        near.normal = hed_f4(-found.to.x, -found.to.y, -found.to.z, 0.0f);
    }
    float4 n = near.normal;
    float distance = sqrt(cloth_square(n.x, n.y, n.z));
    float u = n.x / distance, v = n.y / distance, w = n.z / distance;
    if (!(distance > 1e-9f)) { /* they touch: across both */
        n = cloth_cross(
            cloth_minus(edges ? x.b : x.c, edges ? x.a : x.b), cloth_minus(x.d, edges ? x.c : x.b));
        float length = sqrt(cloth_square(n.x, n.y, n.z));
        float up = length > 0.0f ? 1.0f / length : 0.0f;
        u = n.x * up;
        v = n.y * up;
        w = n.z * up;
    }
    near.normal = hed_f4(u, v, w, distance);
    return near;
}

/* Weights of the four in the distance between the closest points. */
CLOTH_FUNCTION float4 cloth_pair_weights(float p, float q, uint edges)
{
    if (edges) return hed_f4(1.0f - p, p, q - 1.0f, -q);
    return hed_f4(1.0f, p + q - 1.0f, -p, -q);
}

/* ---- the beginning of a substep ---- */

CLOTH_FUNCTION int cloth_way_steps(float way)
{
    return hed_int(hed_min(hed_max(way, -1.0f), 1.0f) * CLOTH_PAIRS_WAY);
}

CLOTH_FUNCTION void cloth_pairs_begin_one(uint i, __global const float4 *start,
    __global const float4 *position, __global float4 *moved, __global uint *shares,
    __global int *counters, cloth_pairs pairs)
{
    float4 x = start[i], y = position[i];
    moved[i] = y;
    for (uint round = 0; round < CLOTH_PAIRS_ROUNDS; round++)
        shares[CLOTH_PAIRS_ROUNDS * i + round] = as_uint(1.0f);
    float4 way = cloth_minus(y, x), first = cloth_minus(position[pairs.first], start[pairs.first]);
    float apart = sqrt(cloth_square(way.x - first.x, way.y - first.y, way.z - first.z));
    __global int *own = counters + pairs.bank;
    if (apart < 1e9f && (int)as_uint(apart) > own[CLOTH_PAIRS_APART])
        cloth_atomic_max(own + CLOTH_PAIRS_APART, (int)as_uint(apart));
    if (i % pairs.stride || pairs.mean == 0.0f) return;
    own += CLOTH_PAIRS_SHIFT;
    cloth_atomic_add(own, cloth_way_steps(way.x));
    cloth_atomic_add(own + 1, cloth_way_steps(way.y));
    cloth_atomic_add(own + 2, cloth_way_steps(way.z));
}

/* ---- ways ---- */

CLOTH_FUNCTION float4 cloth_plus(float4 a, float4 b)
{
    return hed_f4(a.x + b.x, a.y + b.y, a.z + b.z, 0.0f);
}

/* From the way from a to b to a place, and in w the distance. */
CLOTH_FUNCTION float4 cloth_off_way(float4 at, float4 a, float4 b)
{
    float4 way = cloth_minus(b, a), to = cloth_minus(at, a);
    float square = cloth_dot(way, way);
    float share = square > 0.0f ? cloth_clamp01(cloth_dot(to, way) / square) : 0.0f;
    to = hed_f4(fma(-share, way.x, to.x), fma(-share, way.y, to.y), fma(-share, way.z, to.z), 0.0f);
    to.w = sqrt(cloth_dot(to, to));
    return to;
}

/* A place no farther than `most` from that way. */
CLOTH_FUNCTION float4 cloth_near_way(float4 at, float4 a, float4 b, float most, uint *held)
{
    float4 off = cloth_off_way(at, a, b);
    if (off.w <= most) return at;
    float back = 1.0f - most / off.w;
    *held = 1u;
    return hed_f4(fma(-back, off.x, at.x), fma(-back, off.y, at.y), fma(-back, off.z, at.z), at.w);
}

/* Where the way that the list covers ends: it goes on beyond this substep's for up to three more,
 * at most twice as far as `cover`. */
CLOTH_FUNCTION float4 cloth_ahead(float4 x, float4 y, float4 shift, cloth_pairs pairs)
{
    float4 way = cloth_minus(cloth_minus(y, x), shift);
    float length = sqrt(cloth_dot(way, way)), most = 2.0f * pairs.cover;
    float more = 1.0f + (length * 3.0f > most ? most / length : 3.0f);
    return hed_f4(fma(more, way.x, x.x), fma(more, way.y, x.y), fma(more, way.z, x.z), y.w);
}

/* Whether the list holds for this substep: each way stays near enough to the one of the list's
 * making, carried along by the mean way. `covers`: those ways, two float4 for each particle; `offs`
 * is how far this one is off it, `ahead` where the way of a list that is made now ends. */
CLOTH_FUNCTION void cloth_pairs_check_one(uint i, __global const float4 *start,
    __global const float4 *position, __global const float4 *covers, __global float4 *ahead,
    __global float *offs, __global int *counters, cloth_pairs pairs)
{
    __global const int *gone = counters + CLOTH_PAIRS_GONE;
    float4 since =
        hed_f4(as_float((uint)gone[0]), as_float((uint)gone[1]), as_float((uint)gone[2]), 0.0f);
    float4 shift = cloth_pair_shift(counters, pairs), from = covers[2 * i], to = covers[2 * i + 1];
    float4 x = start[i], y = position[i], at = cloth_minus(cloth_minus(y, shift), since);
    float off = cloth_off_way(at, from, to).w;
    ahead[i] = cloth_ahead(x, y, shift, pairs);
    offs[i] = hed_max(off, cloth_off_way(cloth_minus(x, since), from, to).w);
    if (pairs.fresh || !(off <= 0.85f * pairs.cover)) counters[pairs.bank + CLOTH_PAIRS_NEED] = 1;
}

/* Notes the way of a particle for the list that is made. */
CLOTH_FUNCTION void cloth_pairs_cover_one(
    uint i, __global const float4 *start, __global const float4 *ahead, __global float4 *covers)
{
    covers[2 * i] = start[i];
    covers[2 * i + 1] = ahead[i];
}

/* ---- how far apart ---- */

CLOTH_FUNCTION float4 cloth_lower(float4 a, float4 b)
{
    return hed_f4(hed_min(a.x, b.x), hed_min(a.y, b.y), hed_min(a.z, b.z), 0.0f);
}

CLOTH_FUNCTION float4 cloth_upper(float4 a, float4 b)
{
    return hed_f4(hed_max(a.x, b.x), hed_max(a.y, b.y), hed_max(a.z, b.z), 0.0f);
}

/* Whether two boxes are so far apart along an axis. */
CLOTH_INLINE uint cloth_boxes_apart(
    float4 low, float4 high, float4 its_low, float4 its_high, float distance)
{
    float gap = hed_max(hed_max(its_low.x - high.x, low.x - its_high.x),
        hed_max(hed_max(its_low.y - high.y, low.y - its_high.y),
            hed_max(its_low.z - high.z, low.z - its_high.z)));
    return gap >= distance;
}

/* Whether the boxes of the sides' ways are. */
CLOTH_INLINE uint cloth_sides_apart(
    cloth_ends x, cloth_ends y, float4 shift, uint edges, float distance)
{
    float4 a = cloth_minus(y.a, shift), b = cloth_minus(y.b, shift), c = cloth_minus(y.c, shift),
           d = cloth_minus(y.d, shift);
    float4 low_b = cloth_lower(x.b, b), high_b = cloth_upper(x.b, b);
    float4 low = cloth_lower(x.a, a), high = cloth_upper(x.a, a);
    float4 its_low = cloth_lower(cloth_lower(x.c, c), cloth_lower(x.d, d)),
           its_high = cloth_upper(cloth_upper(x.c, c), cloth_upper(x.d, d));
    if (edges) {
        low = cloth_lower(low, low_b);
        high = cloth_upper(high, high_b);
    } else {
        its_low = cloth_lower(its_low, low_b);
        its_high = cloth_upper(its_high, high_b);
    }
    return cloth_boxes_apart(low, high, its_low, its_high, distance);
}

/* Closest points at the substep's beginning, with in w of the plane how far apart the sides are
 * there, and how far apart they are at least along its normal, wherever on their ways the vertices
 * are. */
typedef struct cloth_gap {
    float4 plane;
    float p, q, apart;
} cloth_gap;

CLOTH_INLINE cloth_gap cloth_pair_gap(cloth_ends x, cloth_ends y, float4 shift, uint edges)
{
    cloth_closest near = cloth_closest_of(x, edges);
    float4 n = near.normal, from = cloth_heights(n, x, x.a);
    cloth_gap between;
    between.plane = hed_f4(n.x, n.y, n.z, cloth_lowest(from, edges) - cloth_highest(from, edges));
    between.p = near.p;
    between.q = near.q;
    between.apart = cloth_apart(from, cloth_heights(n, y, cloth_plus(x.a, shift)), edges);
    return between;
}

/* ---- which may meet in this substep ---- */

/* Pairs of the list: none where there was no room for all. */
CLOTH_FUNCTION uint cloth_pairs_listed(__global const int *counters, cloth_pairs pairs)
{
    uint count = (uint)counters[CLOTH_PAIRS_LISTED];
    return count > pairs.list_room ? 0u : count;
}

/* How far the sides may have come nearer since the list was made. */
CLOTH_FUNCTION float cloth_pair_nearer(__global const float *offs, uint4 pair)
{
    float a = offs[pair.x & ~CLOTH_PAIR_EDGES], b = offs[pair.y],
          most = hed_max(offs[pair.z], offs[pair.w]);
    return pair.x & CLOTH_PAIR_EDGES ? hed_max(a, b) + most : a + hed_max(b, most);
}

/* Whether a pair of the list is too far apart for this substep, as far as is known without its
 * places: since the list was made, unless that is in this substep. That is most of them, which have
 * hardly left the ways of then. */
CLOTH_INLINE uint cloth_pair_stays(
    uint4 pair, uint2 kept, __global const float *offs, uint made, float room)
{
    float nearer = made ? 0.0f : cloth_pair_nearer(offs, pair);
    return as_float(kept.y) - nearer >= as_float(kept.x) + room;
}

/* Puts down a pair of this substep. `planes`: normal, gap; reach, p, q, friction. */
CLOTH_INLINE void cloth_pairs_put(uint at, uint4 pair, float reach, cloth_gap between,
    __global const float4 *rests, __global const float4 *bodies, __global uint4 *found,
    __global float4 *planes, cloth_pairs pairs)
{
    if (at >= pairs.capacity) return;
    float4 n = between.plane;
    float one = bodies[as_uint(rests[pair.x & ~CLOTH_PAIR_EDGES].w)].y,
          two = bodies[as_uint(rests[pair.w].w)].y;
    if (!(cloth_dot(n, n) > 0.5f)) n.w = -1.0f;
    found[at] = pair;
    planes[2 * at] = n;
    planes[2 * at + 1] = hed_f4(reach, between.p, between.q, sqrt(one * two));
}

/* Whether there was no room for all, so that all stand. */
CLOTH_FUNCTION uint cloth_pairs_stand(__global const int *counters, cloth_pairs pairs)
{
    return (uint)counters[pairs.bank + CLOTH_PAIRS_COUNT] > pairs.capacity ||
           (uint)counters[CLOTH_PAIRS_LISTED] > pairs.list_room;
}

/* Pairs that passes go through. */
CLOTH_FUNCTION uint cloth_pairs_count(__global const int *counters, cloth_pairs pairs)
{
    return cloth_pairs_stand(counters, pairs) ? 0u : (uint)counters[pairs.bank + CLOTH_PAIRS_COUNT];
}

/* ---- pushes ---- */

/* Pairs of a pass: none where the one before it, of the same kind, had nothing to do. */
CLOTH_FUNCTION uint cloth_pairs_to_push(__global const int *counters, cloth_pairs pairs)
{
    uint first = pairs.pass == 0 || pairs.pass == CLOTH_PAIRS_PUSHES;
    if (!first && (uint)counters[pairs.bank + CLOTH_PAIRS_ACTIVE] < pairs.pass) return 0u;
    return cloth_pairs_count(counters, pairs);
}

CLOTH_FUNCTION void cloth_pairs_active(__global int *counters, cloth_pairs pairs)
{
    __global int *active = counters + pairs.bank + CLOTH_PAIRS_ACTIVE;
    if ((uint)*active != pairs.pass + 1u) *active = (int)pairs.pass + 1;
}

/* Adds a push, in m, of one contact to a particle's sums. */
CLOTH_FUNCTION void cloth_pairs_sum(
    __global int *sums, uint particle, float4 push, float factor, int weight)
{
    __global int *own = sums + 4 * particle;
    cloth_atomic_add(own, hed_int(push.x * factor));
    cloth_atomic_add(own + 1, hed_int(push.y * factor));
    cloth_atomic_add(own + 2, hed_int(push.z * factor));
    cloth_atomic_add(own + 3, weight);
}

/* One end of a contact: `bears`: its weight in the distance. */
CLOTH_FUNCTION void cloth_pairs_push_end(__global int *sums, uint particle, float mass, float bears,
    float4 push, float steps, int weight)
{
    if (!(mass > 0.0f) || !(fabs(bears) * (float)weight >= 0.5f)) return;
    float share = hed_min(hed_max(mass * bears, -1.0f), 1.0f);
    cloth_pairs_sum(sums, particle, push, share * steps * (float)weight, weight);
}

CLOTH_INLINE void cloth_pairs_push_one(uint k, __global const uint4 *all,
    __global const float4 *planes, __global const float4 *start, __global const float4 *moved,
    __global int *sums, __global int *counters, cloth_pairs pairs)
{
    float4 n = planes[2 * k], more = planes[2 * k + 1];
    uint4 pair = all[k];
    uint edges = pair.x & CLOTH_PAIR_EDGES;
    float reach = more.x, gap = n.w;
    cloth_ends y = cloth_ends_of(moved, pair);
    float4 w = cloth_pair_weights(more.y, more.z, edges), h = cloth_heights(n, y, y.a);
    float now = fma(w.y, h.y, fma(w.z, h.z, w.w * h.w));
    float undo = pairs.leg > 0 ? 0.0f : pairs.undo;
    float target = gap < reach ? hed_min(reach, gap + undo) : reach;
    float depth = hed_min(target - now, 4.0f * reach);
    float mass =
        fma(y.a.w, w.x * w.x, fma(y.b.w, w.y * w.y, fma(y.c.w, w.z * w.z, y.d.w * (w.w * w.w))));
    if (!(depth > 0.0f && mass > 0.0f)) return;
    cloth_pairs_active(counters, pairs);
    cloth_ends x = cloth_ends_of(start, pair);
    float4 a = cloth_minus(y.a, x.a), b = cloth_minus(y.b, x.b), c = cloth_minus(y.c, x.c),
           d = cloth_minus(y.d, x.d);
    float4 way = hed_f4(fma(a.x, w.x, fma(b.x, w.y, fma(c.x, w.z, d.x * w.w))),
        fma(a.y, w.x, fma(b.y, w.y, fma(c.y, w.z, d.y * w.w))),
        fma(a.z, w.x, fma(b.z, w.y, fma(c.z, w.z, d.z * w.w))), 0.0f);
    float along = cloth_dot(way, n);
    way = hed_f4(fma(-along, n.x, way.x), fma(-along, n.y, way.y), fma(-along, n.z, way.z), 0.0f);
    float square = cloth_square(way.x, way.y, way.z), most = more.w * depth;
    float part = square > most * most ? most / sqrt(square) : 1.0f;
    float4 push = hed_f4(fma(depth, n.x, -(part * way.x)), fma(depth, n.y, -(part * way.y)),
        fma(depth, n.z, -(part * way.z)), 0.0f);
    int weight = 1 + hed_int(CLOTH_PAIRS_WEIGHT * hed_min(1.0f, depth / reach));
    cloth_pairs_push_end(
        sums, pair.x & ~CLOTH_PAIR_EDGES, y.a.w / mass, w.x, push, pairs.steps, weight);
    cloth_pairs_push_end(sums, pair.y, y.b.w / mass, w.y, push, pairs.steps, weight);
    cloth_pairs_push_end(sums, pair.z, y.c.w / mass, w.z, push, pairs.steps, weight);
    cloth_pairs_push_end(sums, pair.w, y.d.w / mass, w.w, push, pairs.steps, weight);
}

/* Puts a vertex on its side: `over` is how far it is on the other one. */
CLOTH_FUNCTION void cloth_pairs_part_end(
    __global int *sums, uint particle, float mass, float4 n, float over, float side, float steps)
{
    if (!(over > 0.0f && mass > 0.0f)) return;
    cloth_pairs_sum(
        sums, particle, n, side * over * steps * CLOTH_PAIRS_WEIGHT, (int)CLOTH_PAIRS_WEIGHT);
}

CLOTH_INLINE void cloth_pairs_part_one(uint k, __global const uint4 *all,
    __global const float4 *planes, __global const float4 *moved, __global int *sums,
    __global int *counters, cloth_pairs pairs)
{
    float4 n = planes[2 * k];
    uint4 pair = all[k];
    uint edges = pair.x & CLOTH_PAIR_EDGES;
    float reach = planes[2 * k + 1].x, gap = n.w;
    cloth_ends y = cloth_ends_of(moved, pair);
    float4 h = cloth_heights(n, y, y.a);
    float low = cloth_lowest(h, edges), high = cloth_highest(h, edges);
    float need = cloth_need(gap, reach, cloth_stuck(n, y.a, reach, pairs));
    if (low - high >= need) return;
    cloth_pairs_active(counters, pairs);
    /* What cannot move leaves it to the other side. */
    float upper = edges ? hed_max(y.a.w, y.b.w) : y.a.w,
          lower = hed_max(hed_max(y.c.w, y.d.w), edges ? 0.0f : y.b.w);
    float margin = 0.75f * need, limit = 4.0f * pairs.widest;
    float middle = !(upper > 0.0f)   ? low - margin
                   : !(lower > 0.0f) ? high + margin
                                     : 0.5f * (low + high);
    float up = middle + margin, down = middle - margin;
    cloth_pairs_part_end(
        sums, pair.x & ~CLOTH_PAIR_EDGES, y.a.w, n, hed_min(up - h.x, limit), 1.0f, pairs.steps);
    cloth_pairs_part_end(sums, pair.y, y.b.w, n, hed_min(edges ? up - h.y : h.y - down, limit),
        edges ? 1.0f : -1.0f, pairs.steps);
    cloth_pairs_part_end(sums, pair.z, y.c.w, n, hed_min(h.z - down, limit), -1.0f, pairs.steps);
    cloth_pairs_part_end(sums, pair.w, y.d.w, n, hed_min(h.w - down, limit), -1.0f, pairs.steps);
}

/* What a particle has gathered; then colliders, which no push undoes. */
CLOTH_INLINE void cloth_pairs_apply_one(uint i, __global const float4 *start,
    __global const float4 *position, __global const float4 *previous,
    __global const float4 *garments, __global const float4 *colliders,
    __global const float4 *contact, __global const float4 *covers, __global float4 *moved,
    __global int *sums, __global int *counters, cloth_pairs pairs)
{
    __global int *own = sums + 4 * i;
    int weight = own[3];
    float4 at = moved[i], before = previous[i]; /* read at once, not one after another */
    if (weight > 0) {
        float part = 1.0f / (pairs.steps * (float)weight);
        at = hed_f4(fma((float)own[0], part, at.x), fma((float)own[1], part, at.y),
            fma((float)own[2], part, at.z), at.w);
        own[0] = own[1] = own[2] = own[3] = 0;
        cloth_cloth cloth = cloth_garment_at(garments, (uint)before.w);
        if (pairs.colliders > 0)
            at = cloth_collide(at, before, cloth.thickness, cloth.friction, colliders,
                pairs.colliders, pairs.from, pairs.to);
        if (pairs.flags & CLOTH_STEP_CONTACTS)
            at = cloth_touch(at, before, cloth.thickness, cloth.friction, contact[2 * i],
                contact[2 * i + 1], pairs.from, pairs.to);
        moved[i] = at;
    }
    float4 wanted = position[i];
    if (!pairs.last || (at.x == wanted.x && at.y == wanted.y && at.z == wanted.z)) return;
    uint held = 0;
    float4 shift = cloth_pair_shift(counters, pairs),
           gone = cloth_plus(shift, cloth_pair_gone(counters, pairs));
    at = cloth_near_way(
        at, cloth_plus(start[i], shift), wanted, 0.98f * cloth_pair_spare(counters, pairs), &held);
    moved[i] = cloth_near_way(at, cloth_plus(covers[2 * i], gone),
        cloth_plus(covers[2 * i + 1], gone), 0.98f * pairs.cover, &held);
    if (held) cloth_atomic_add(counters + pairs.bank + CLOTH_PAIRS_HELD, 1);
}

#endif
