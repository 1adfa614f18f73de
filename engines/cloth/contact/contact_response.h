/* Response of contact pairs: pushes with friction, separation of pairs that are not safe, and
 * the sum of both for each particle. After contact_motion.h; contact_types.h has the method. */
#ifndef CLOTH_CONTACT_RESPONSE_H
#define CLOTH_CONTACT_RESPONSE_H

/* True if cloth is crowded: a contact iteration of this substep or of the one before in its frame
 * limited a vertex at a plane. */
CLOTH_FUNCTION uint contact_is_crowded(
    __global const contact_counters *counters, contact_params params)
{
    return !params.new_frame && counters->total.crowded;
}

/* True if a pass separates pairs; of the passes after the pushes the other ones pull edges. */
CLOTH_FUNCTION uint contact_separates(uint pass)
{
    return pass >= CONTACT_PUSH_PASSES &&
           (pass - CONTACT_PUSH_PASSES) % CONTACT_ROUND_PASSES == CONTACT_ROUND_PASSES - 1u;
}

/* The pass itself or the next one that separates pairs. */
CLOTH_FUNCTION uint contact_next_separation(uint pass)
{
    return pass < CONTACT_PUSH_PASSES
               ? CONTACT_FIRST_SEPARATION
               : CONTACT_FIRST_SEPARATION +
                     (pass - CONTACT_PUSH_PASSES) / CONTACT_ROUND_PASSES * CONTACT_ROUND_PASSES;
}

/* Number of passes of pushes of this iteration. */
CLOTH_FUNCTION uint contact_push_passes(
    __global const contact_counters *counters, contact_params params)
{
    return params.iteration == 0 && contact_is_crowded(counters, params) ? CONTACT_PUSH_PASSES
                                                                         : CONTACT_CALM_PASSES;
}

/* Number of pairs of a pass; 0 if no pair of this pass was weighed, or the pass before of the same kind
 * moved no vertex, nor a pull before a separation. Other threads may be storing this pass already: its
 * number is above `pass` as well, so each thread finds the same. */
CLOTH_FUNCTION uint contact_to_push(
    __global const contact_counters *counters, contact_params params)
{
    uint first = params.pass == 0 || params.pass == CONTACT_FIRST_SEPARATION;
    uint pushes = params.pass < CONTACT_PUSH_PASSES;
    __global const int *active = &counters->iteration[params.slot].active_passes;
    if (pushes && params.pass >= contact_push_passes(counters, params)) return 0u;
    if (params.weighs && first) return contact_count(counters, params);
    /* a pass is noted as its number plus 1 */
    uint noted = !params.weighs                   ? params.pass + 1u
                 : contact_separates(params.pass) ? params.pass - CONTACT_ROUND_PASSES
                                                  : params.pass;
    if ((uint)cloth_atomic_load(active) < noted) return 0u;
    return contact_count(counters, params);
}

CLOTH_FUNCTION void contact_mark_active(__global contact_counters *counters, contact_params params)
{
    __global int *active = &counters->iteration[params.slot].active_passes;
    const int pass = (int)params.pass + 1;
    if (cloth_atomic_load(active) != pass) cloth_atomic_store(active, pass);
}

/* True if the pass moved a vertex. */
CLOTH_FUNCTION uint contact_is_active(
    __global const contact_counters *counters, contact_params params)
{
    return (uint)counters->iteration[params.slot].active_passes == params.pass + 1u;
}

/* Weights of the ends of a pair in a pass, 0: the pass does not move the end. A pair pushes its ends
 * by the fraction weight / (maximum of the sums of weights of its moved ends): one fraction for both
 * sides, so that pushes stay equal and opposite, and at most 1 in all for a particle. In crowded
 * cloth that fraction is too small to separate layers, and the cloth would collapse: there each end
 * is pushed by weight / (its own sum). */
typedef struct contact_weighing {
    int a, b, c, d;
} contact_weighing;

/* Adds the weights of a pair to the sums of its ends. */
CLOTH_FUNCTION void contact_weigh(__global int *sums, contact_pair pair, contact_weighing weighing)
{
    if (weighing.a) cloth_atomic_add(sums + 4 * contact_first(pair) + 3, weighing.a);
    if (weighing.b) cloth_atomic_add(sums + 4 * pair.b + 3, weighing.b);
    if (weighing.c) cloth_atomic_add(sums + 4 * pair.c + 3, weighing.c);
    if (weighing.d) cloth_atomic_add(sums + 4 * pair.d + 3, weighing.d);
}

CLOTH_FUNCTION int contact_larger(int a, int b) { return a > b ? a : b; }

/* Steps of 1 m in the push of an end whose particle has the sum `own`; `largest`: maximum of the
 * sums of the ends; `crowded`: contact_is_crowded(). */
CLOTH_FUNCTION float contact_end_steps(
    int weight, int own, int largest, uint crowded, contact_params params)
{
    return params.push_steps * ((float)weight / (float)(crowded ? own : largest));
}

/* Sums of the weights of the ends of a pair; `weight` for an end that is not moved. */
CLOTH_FUNCTION contact_weighing contact_sums_of(
    __global const int *sums, contact_pair pair, contact_weighing weighing, int weight)
{
    contact_weighing of;
    of.a = weighing.a ? sums[4 * contact_first(pair) + 3] : weight;
    of.b = weighing.b ? sums[4 * pair.b + 3] : weight;
    of.c = weighing.c ? sums[4 * pair.c + 3] : weight;
    of.d = weighing.d ? sums[4 * pair.d + 3] : weight;
    return of;
}

/* Steps of 1 m in the pushes of the ends of a pair with these sums. */
CLOTH_FUNCTION float4 contact_steps(
    contact_weighing of, int weight, uint crowded, contact_params params)
{
    int largest = contact_larger(contact_larger(of.a, of.b), contact_larger(of.c, of.d));
    return hed_f4(contact_end_steps(weight, of.a, largest, crowded, params),
        contact_end_steps(weight, of.b, largest, crowded, params),
        contact_end_steps(weight, of.c, largest, crowded, params),
        contact_end_steps(weight, of.d, largest, crowded, params));
}

/* Adds a push, in m, to the sums of a particle, which are in steps. With adds_two CUDA adds the first
 * two as one number, x + 2^32 y: additions take most of a pass of pushes. */
CLOTH_FUNCTION void contact_add_push(
    __global int *sums, uint particle, float4 push, float factor, uint adds_two)
{
    __global int *sum = sums + 4 * particle;
    int x = hed_int(push.x * factor), y = hed_int(push.y * factor);
#if !defined(__CUDACC_RTC__)
    (void)adds_two;
#else
    if (adds_two)
        atomicAdd((unsigned long long *)sum, ((unsigned long long)y << 32) + (unsigned long long)x);
    else
#endif
    {
        cloth_atomic_add(sum, x);
        cloth_atomic_add(sum + 1, y);
    }
    cloth_atomic_add(sum + 2, hed_int(push.z * factor));
}

/* Sum of the pushes along y: a sum along x below 0 has taken 1 from it where both are one number. */
CLOTH_FUNCTION int contact_sum_y(__global const int *sum, uint adds_two)
{
#if defined(__CUDACC_RTC__)
    return sum[1] + (adds_two && sum[0] < 0 ? 1 : 0);
#else
    (void)adds_two;
    return sum[1];
#endif
}

/* ---- pushes ---- */

#define PAIRS_PUSH(FIRST, NEXT) \
    FIRST(IN, contact_pair, pairs) \
    NEXT(IN, contact_plane, planes) \
    NEXT(IN, float4, grips) \
    NEXT(IN, float4, moved) NEXT(INOUT, int, sums) NEXT(SCRATCH, uint, marks) \
        NEXT(SHARED, contact_counters, counters) NEXT(STRUCT, contact_params, params)
HED_VIEW(contact_push_view, PAIRS_PUSH)

/* Weight of an end in a pass of pushes, of a pair of `weight`. In crowded cloth ends with hardly
 * any leverage have none: they would only weaken the other pushes of their particles. */
CLOTH_FUNCTION int contact_end_weight(float inverse_mass, float leverage, int weight, uint crowded)
{
    uint is_heavy = inverse_mass * leverage == 0.0f,
         is_strong = (inverse_mass > 0.0f) & (fabs(leverage) * (float)weight >= 0.5f);
    return (crowded ? is_strong : !is_heavy) ? weight : 0;
}

/* Pressure of a pair in a pass of pushes. */
typedef struct contact_pressure {
    float depth; /* distance by which the pair is to be pushed apart, m */
    float mass;  /* inverse mass of the pair; the pair is pushed if both are above 0 */
    int weight;
    contact_weighing weighing;
} contact_pressure;

CLOTH_INLINE contact_pressure contact_pressure_of(
    contact_ends y, contact_plane plane, uint edges, uint crowded, contact_params params)
{
    contact_pressure of;
    float reach = plane.reach, gap = plane.normal.w;
    float4 w = contact_weights(plane.p, plane.q, edges), h = contact_heights(plane.normal, y, y.a);
    float present_gap = fma(w.y, h.y, fma(w.z, h.z, w.w * h.w));
    float separation = params.iteration > 0 ? 0.0f : params.max_separation;
    float target = gap < reach ? hed_min(reach, gap + separation) : reach;
    of.depth = hed_min(target - present_gap, 4.0f * reach);
    of.mass =
        fma(y.a.w, w.x * w.x, fma(y.b.w, w.y * w.y, fma(y.c.w, w.z * w.z, y.d.w * (w.w * w.w))));
    of.weight = 1 + hed_int(CONTACT_MAX_WEIGHT * hed_min(1.0f, of.depth / reach));
    of.weighing.a = contact_end_weight(y.a.w, w.x, of.weight, crowded);
    of.weighing.b = contact_end_weight(y.b.w, w.y, of.weight, crowded);
    of.weighing.c = contact_end_weight(y.c.w, w.z, of.weight, crowded);
    of.weighing.d = contact_end_weight(y.d.w, w.w, of.weight, crowded);
    return of;
}

/* Push of a pair, m: along n, and against the slip of its closest points, by friction. Slip is measured
 * from the grips of the ends: a pass leaves a part of it, and measured from the substep's start that part would
 * be forgotten, so that layers creep. */
CLOTH_INLINE float4 contact_push_of(
    contact_ends grips, contact_ends y, contact_plane plane, uint edges, float depth)
{
    float4 n = plane.normal, w = contact_weights(plane.p, plane.q, edges);
    float4 a = cloth_minus(y.a, grips.a), b = cloth_minus(y.b, grips.b),
           c = cloth_minus(y.c, grips.c), d = cloth_minus(y.d, grips.d);
    /* relative motion of the closest points, then its tangential component */
    float4 slip = hed_f4(fma(a.x, w.x, fma(b.x, w.y, fma(c.x, w.z, d.x * w.w))),
        fma(a.y, w.x, fma(b.y, w.y, fma(c.y, w.z, d.y * w.w))),
        fma(a.z, w.x, fma(b.z, w.y, fma(c.z, w.z, d.z * w.w))), 0.0f);
    float normal_slip = cloth_dot(slip, n);
    slip = hed_f4(fma(-normal_slip, n.x, slip.x), fma(-normal_slip, n.y, slip.y),
        fma(-normal_slip, n.z, slip.z), 0.0f);
    float square = cloth_square(slip.x, slip.y, slip.z), limit = plane.friction * depth;
    float part = limit / sqrt(square), fraction = square > limit * limit ? part : 1.0f;
    return hed_f4(fma(depth, n.x, -(fraction * slip.x)), fma(depth, n.y, -(fraction * slip.y)),
        fma(depth, n.z, -(fraction * slip.z)), 0.0f);
}

/* Factor, in steps, from the push of a pair to that of one end. `mass`: inverse mass of the end by
 * that of the pair; `leverage`: weight of the end in the distance of the closest points. */
CLOTH_FUNCTION float contact_push_factor(float mass, float leverage, float steps)
{
    return hed_min(hed_max(mass * leverage, -1.0f), 1.0f) * steps;
}

/* Factors of the four ends. */
CLOTH_INLINE float4 contact_push_factors(
    contact_ends y, contact_plane plane, uint edges, float mass, float4 steps)
{
    float4 w = contact_weights(plane.p, plane.q, edges);
    return hed_f4(contact_push_factor(y.a.w / mass, w.x, steps.x),
        contact_push_factor(y.b.w / mass, w.y, steps.y),
        contact_push_factor(y.c.w / mass, w.z, steps.z),
        contact_push_factor(y.d.w / mass, w.w, steps.w));
}

/* Pushes a pair apart, if it is nearer than its reach, with friction; or weighs it. Returns 0 if the
 * pair is not pushed. */
CLOTH_INLINE uint contact_push(contact_pair pair, contact_plane plane, contact_push_view view)
{
    contact_params params = view.params;
    __global int *sums = view.sums;
    uint edges = contact_edges(pair), crowded = contact_is_crowded(view.counters, params);
    contact_ends y = contact_ends_of(view.moved, pair);
    contact_pressure pressure = contact_pressure_of(y, plane, edges, crowded, params);
    contact_weighing weighing = pressure.weighing;
    if (!(pressure.depth > 0.0f && pressure.mass > 0.0f)) return 0u;
    if (params.weighs) {
        contact_weigh(sums, pair, weighing);
        contact_mark_active(view.counters, params);
        return 1u;
    }
    contact_ends grips = contact_ends_of(view.grips, pair);
    float4 push = contact_push_of(grips, y, plane, edges, pressure.depth);
    float4 steps = contact_steps(
        contact_sums_of(sums, pair, weighing, pressure.weight), pressure.weight, crowded, params);
    float4 factors = contact_push_factors(y, plane, edges, pressure.mass, steps);
    if (weighing.a) contact_add_push(sums, contact_first(pair), push, factors.x, params.adds_two);
    if (weighing.b) contact_add_push(sums, pair.b, push, factors.y, params.adds_two);
    if (weighing.c) contact_add_push(sums, pair.c, push, factors.z, params.adds_two);
    if (weighing.d) contact_add_push(sums, pair.d, push, factors.w, params.adds_two);
    return 1u;
}

CLOTH_INLINE uint contact_push_at(uint k, contact_push_view view)
{
    return contact_push(view.pairs[k], view.planes[k], view);
}

/* ---- separation ---- */

/* Distances by which the ends of a pair are beyond a plane at height `middle` along n, and `margin`
 * to either side of it, m; at least 0, and 0 for an immovable end. */
CLOTH_FUNCTION float4 contact_excess(
    float4 h, contact_ends y, uint edges, float middle, float margin, float limit)
{
    float up = middle + margin, down = middle - margin;
    float a = up - h.x, b = edges ? up - h.y : h.y - down, c = h.z - down, d = h.w - down;
    return hed_f4(y.a.w > 0.0f ? hed_min(hed_max(a, 0.0f), limit) : 0.0f,
        y.b.w > 0.0f ? hed_min(hed_max(b, 0.0f), limit) : 0.0f,
        y.c.w > 0.0f ? hed_min(hed_max(c, 0.0f), limit) : 0.0f,
        y.d.w > 0.0f ? hed_min(hed_max(d, 0.0f), limit) : 0.0f);
}

/* Finds the height of the plane to whose sides the ends of a pair move with equal and opposite
 * momentum: the difference of both grows with the height. `low`, `high`: bounds of the height. */
CLOTH_FUNCTION float contact_balance(
    float4 h, contact_ends y, uint edges, float low, float high, float margin, float limit)
{
    float a = y.a.w > 0.0f ? 1.0f / y.a.w : 0.0f, b = y.b.w > 0.0f ? 1.0f / y.b.w : 0.0f,
          c = y.c.w > 0.0f ? 1.0f / y.c.w : 0.0f, d = y.d.w > 0.0f ? 1.0f / y.d.w : 0.0f;
    if (!edges) b = -b;
    CLOTH_ROLLED
    for (uint step = 0; step < CONTACT_BALANCE_STEPS; step++) {
        float middle = 0.5f * (low + high);
        float4 excess = contact_excess(h, y, edges, middle, margin, limit);
        float momentum = fma(a, excess.x, fma(b, excess.y, -fma(c, excess.z, d * excess.w)));
        if (momentum > 0.0f) high = middle;
        else low = middle;
    }
    return 0.5f * (low + high);
}

#define PAIRS_PART(FIRST, NEXT) \
    FIRST(IN, contact_pair, pairs) \
    NEXT(IN, contact_plane, planes) \
    NEXT(IN, float4, moved) \
    NEXT(INOUT, int, sums) \
    NEXT(SCRATCH, uint, marks) \
    NEXT(SHARED, contact_counters, counters) NEXT(STRUCT, contact_params, params)
HED_VIEW(contact_separate_view, PAIRS_PART)

/* Moves both sides of a pair, if it is not safe, to their sides of a plane between them; or weighs it.
 * An immovable side leaves the whole correction to the other. Returns 0 if the pair is safe. */
CLOTH_INLINE uint contact_separate(
    contact_pair pair, contact_plane plane, contact_separate_view view)
{
    contact_params params = view.params;
    __global int *sums = view.sums;
    float4 n = plane.normal;
    uint edges = contact_edges(pair);
    float reach = plane.reach, gap = n.w;
    contact_ends y = contact_ends_of(view.moved, pair);
    if (!(gap > CONTACT_TOUCH_GAP))
        cloth_atomic_store(&view.counters->iteration[params.slot].touching, 1);
    if (contact_is_separated(y, plane, edges, params)) return 0u;
    float4 h = contact_heights(n, y, y.a);
    float low = contact_lowest(h, edges), high = contact_highest(h, edges);
    float kept_gap = contact_kept_gap(gap, reach, contact_usable_gap(n, y.a, reach, params));
    float upper = edges ? hed_max(y.a.w, y.b.w) : y.a.w,
          lower = hed_max(hed_max(y.c.w, y.d.w), edges ? 0.0f : y.b.w);
    float margin = 0.75f * kept_gap, limit = 4.0f * params.max_thickness;
    uint crowded = contact_is_crowded(view.counters, params);
    float middle = 0.5f * (low + high);
    if (!(upper > 0.0f)) middle = low - margin;
    else if (!(lower > 0.0f)) middle = high + margin;
    else if (!crowded)
        middle = contact_balance(h, y, edges, low - margin, high + margin, margin, limit);
    float4 excess = contact_excess(h, y, edges, middle, margin, limit);
    contact_weighing weighing;
    weighing.a = excess.x > 0.0f;
    weighing.b = excess.y > 0.0f;
    weighing.c = excess.z > 0.0f;
    weighing.d = excess.w > 0.0f;
    if (params.weighs) {
        contact_weigh(sums, pair, weighing);
        contact_mark_active(view.counters, params);
        return 1u;
    }
    float4 steps = contact_steps(contact_sums_of(sums, pair, weighing, 1), 1, crowded, params);
    if (weighing.a)
        contact_add_push(sums, contact_first(pair), n, excess.x * steps.x, params.adds_two);
    if (weighing.b)
        contact_add_push(
            sums, pair.b, n, (edges ? excess.y : -excess.y) * steps.y, params.adds_two);
    if (weighing.c) contact_add_push(sums, pair.c, n, -excess.z * steps.z, params.adds_two);
    if (weighing.d) contact_add_push(sums, pair.d, n, -excess.w * steps.w, params.adds_two);
    return 1u;
}

CLOTH_INLINE uint contact_separate_at(uint k, contact_separate_view view)
{
    return contact_separate(view.pairs[k], view.planes[k], view);
}

/* ---- pulls ---- */

#define PAIRS_PULL(FIRST, NEXT) \
    FIRST(IN, contact_triangle, triangles) \
    NEXT(IN, uint, around_at) \
    NEXT(IN, float4, rests) \
    NEXT(IN, float4, position) \
    NEXT(IN, float4, moved) \
    NEXT(INOUT, int, sums) \
    NEXT(SCRATCH, uint, marks) NEXT(SHARED, contact_counters, counters) \
        NEXT(STRUCT, contact_params, params)
HED_VIEW(contact_pull_view, PAIRS_PULL)

/* True if the pass pulls: the first one after pushes, the first one of a further round after the second
 * pull or the separation of the round before, and a second one after the first. As in contact_to_push()
 * other threads may be storing this pass already. */
CLOTH_FUNCTION uint contact_pulls(__global const contact_counters *counters, contact_params params)
{
    uint active = (uint)cloth_atomic_load(&counters->iteration[params.slot].active_passes);
    uint is_first = (params.pass - CONTACT_PUSH_PASSES) % CONTACT_ROUND_PASSES == 0;
    uint noted = params.pass == CONTACT_PUSH_PASSES ? 1u : params.pass - is_first;
    return params.pulls && contact_count(counters, params) > 0 && active >= noted;
}

CLOTH_FUNCTION uint contact_is_pushed(float4 at, float4 request)
{
    return at.x != request.x || at.y != request.y || at.z != request.z;
}

/* Triangles around a particle up to which a pull is whole: with more the particle would be pulled too far. */
#define CONTACT_WHOLE_PULLS 6.0f

CLOTH_FUNCTION float contact_triangles_around(uint particle, contact_pull_view view)
{
    return (float)(view.around_at[particle + 1] - view.around_at[particle]);
}

/* Pulls the ends of an edge together that contacts made longer than CONTACT_PULLED_STRETCH allows and
 * than the solver requested, with equal and opposite momentum; after the first round edges above
 * CONTACT_LONG_STRETCH alone. A further iteration's requests are positions to which contacts moved, so they
 * allow no more. */
CLOTH_INLINE void contact_pull_edge(uint from, uint to, contact_pull_view view)
{
    float4 a = view.moved[from], b = view.moved[to], asked_a = view.position[from],
           asked_b = view.position[to];
    if (!contact_is_pushed(a, asked_a) && !contact_is_pushed(b, asked_b)) return;
    float4 along = cloth_minus(b, a), rest = cloth_minus(view.rests[to], view.rests[from]),
           asked = cloth_minus(asked_b, asked_a);
    float square = cloth_dot(along, along), at_rest = cloth_dot(rest, rest),
          requested = view.params.iteration > 0 ? 0.0f : cloth_dot(asked, asked),
          limit = hed_max(requested, CONTACT_PULLED_STRETCH * CONTACT_PULLED_STRETCH * at_rest),
          stretch = view.params.pass < CONTACT_FIRST_SEPARATION ? CONTACT_PULLED_STRETCH
                                                                : CONTACT_LONG_STRETCH;
    if (!(square > hed_max(limit, stretch * stretch * at_rest))) return;
    float mass = a.w, other = b.w;
    if (!(mass + other > 0.0f)) return;
    float around =
        hed_max(contact_triangles_around(from, view), contact_triangles_around(to, view));
    float part = CONTACT_WHOLE_PULLS / hed_max(CONTACT_WHOLE_PULLS, around);
    float scale = view.params.push_steps * part * ((1.0f - sqrt(limit / square)) / (mass + other));
    contact_mark_active(view.counters, view.params);
    if (mass > 0.0f) {
        cloth_atomic_add(view.sums + 4 * from + 3, 1);
        contact_add_push(view.sums, from, along, mass * scale, view.params.adds_two);
    }
    if (other > 0.0f) {
        cloth_atomic_add(view.sums + 4 * to + 3, 1);
        contact_add_push(view.sums, to, along, -other * scale, view.params.adds_two);
    }
}

/* Pulls along the edges of a leaf: contact keeps lengths, and of the thickness what it can. Without pulls
 * the solver, which knows no contact, would shorten an edge in each substep, and pushes would lengthen
 * it again. */
CLOTH_INLINE void contact_pull(uint leaf, contact_pull_view view)
{
    contact_triangle t = view.triangles[leaf];
    if (t.a == CONTACT_NO_LEAF) return;
    if (t.owned & 8u) contact_pull_edge(t.a, t.b, view);
    if (t.owned & 16u) contact_pull_edge(t.b, t.c, view);
    if (t.owned & 32u) contact_pull_edge(t.c, t.a, view);
}

/* ---- the sum for each particle ---- */

#define PAIRS_APPLY(FIRST, NEXT) \
    FIRST(IN, float4, start) \
    NEXT(IN, float4, position) \
    NEXT(IN, float4, previous) \
    NEXT(IN, float4, garments) \
    NEXT(IN, float4, colliders) NEXT(IN, float4, contact) NEXT(IN, float4, covers) \
        NEXT(INOUT, float4, moved) NEXT(INOUT, int, sums) NEXT(SCRATCH, uint, marks) \
            NEXT(INOUT, contact_counters, counters) NEXT(STRUCT, contact_params, params)
HED_VIEW(contact_apply_view, PAIRS_APPLY)

/* Moves a particle by the sum of its pushes, then out of colliders, which no push may
 * undo; garments in contact have one origin. The particle stays within `spare` of its motion and within
 * `cover` of the motion that the list covers. */
CLOTH_INLINE void contact_apply(uint i, contact_apply_view view)
{
    contact_params params = view.params;
    __global int *sum = view.sums + 4 * i;
    int weight = sum[3];
    float4 at = view.moved[i], before = view.previous[i]; /* two loads in flight at once */
    if (weight <= 0) return;
    float scale = 1.0f / params.push_steps;
    at = hed_f4(fma((float)sum[0], scale, at.x),
        fma((float)contact_sum_y(sum, params.adds_two), scale, at.y),
        fma((float)sum[2], scale, at.z), at.w);
    sum[0] = sum[1] = sum[2] = sum[3] = 0;
    cloth_cloth cloth = cloth_garment_at(view.garments, (uint)before.w);
    if (params.collider_count > 0)
        at = cloth_collide(at, before, cloth.thickness, cloth.friction,
            hed_f4(0.0f, 0.0f, 0.0f, 0.0f), view.colliders, params.collider_count,
            params.collider_from, params.collider_to);
    if (params.flags & CLOTH_STEP_CONTACTS)
        at = cloth_touch_planes(at, before, cloth.thickness, cloth.friction,
            view.contact + CLOTH_CONTACT_WORDS * i, params.collider_from, params.collider_to);
    float4 shift = contact_shift(view.counters, params),
           drift = contact_plus(shift, contact_drift(view.counters, params));
    at = contact_hold_near(at, contact_plus(view.start[i], shift), view.position[i],
        0.98f * contact_spare(view.counters, params));
    view.moved[i] = contact_hold_near(at, contact_plus(view.covers[2 * i], drift),
        contact_plus(view.covers[2 * i + 1], drift), 0.98f * params.cover);
}

#endif
