/* Limit of the motion of cloth to the safe fraction, and the end of a contact iteration: for one
 * pair and one particle. After contact_motion.h; contact_types.h has the rules. */
#ifndef CLOTH_CONTACT_LIMIT_H
#define CLOTH_CONTACT_LIMIT_H

/* ---- fractions ---- */

/* Bits of the fraction of its motion that the rounds before `round` left to a particle. Each round
 * has an element of its own, so that no result depends on the order within a round. */
CLOTH_FUNCTION uint contact_fraction(__global const uint *fractions, uint particle, uint round)
{
    uint minimum = as_uint(1.0f);
    for (uint k = 0; k < round; k++) {
        uint fraction = fractions[CONTACT_FRACTION_WORDS * particle + k];
        minimum = fraction < minimum ? fraction : minimum;
    }
    return minimum;
}

CLOTH_FUNCTION uint contact_larger_count(uint a, uint b) { return a > b ? a : b; }

/* True if a pair no longer limits, because one of its vertices is stuck (rule 5). */
CLOTH_FUNCTION uint contact_released(
    __global const uint *fractions, contact_pair pair, float gap, float reach)
{
    uint upper = contact_larger_count(
             contact_stuck(fractions, contact_first(pair)), contact_stuck(fractions, pair.b)),
         lower = contact_larger_count(
             contact_stuck(fractions, pair.c), contact_stuck(fractions, pair.d)),
         stuck = contact_larger_count(upper, lower);
    if (stuck < CONTACT_RELEASE_AFTER) return 0;
    float share = 2.0f - hed_min(hed_max(gap / reach, 0.0f), 1.0f);
    return (float)stuck >= (float)CONTACT_RELEASE_AFTER * share;
}

/* Bits of the fractions of the ends of a pair. */
typedef struct contact_fractions {
    uint a, b, c, d;
} contact_fractions;

CLOTH_FUNCTION contact_fractions contact_fractions_of(
    __global const uint *fractions, contact_pair pair, uint round)
{
    contact_fractions of;
    of.a = contact_fraction(fractions, contact_first(pair), round);
    of.b = contact_fraction(fractions, pair.b, round);
    of.c = contact_fraction(fractions, pair.c, round);
    of.d = contact_fraction(fractions, pair.d, round);
    return of;
}

/* Position of a particle that completes a fraction of its motion from x to y. */
CLOTH_FUNCTION float4 contact_partial(float4 x, float4 y, float4 shift, uint bits)
{
    float fraction = as_float(bits);
    if (!(fraction < 1.0f)) return y;
    return hed_f4(fma(fraction, (y.x - x.x) - shift.x, x.x + shift.x),
        fma(fraction, (y.y - x.y) - shift.y, x.y + shift.y),
        fma(fraction, (y.z - x.z) - shift.z, x.z + shift.z), y.w);
}

/* ---- the limit of a pair ---- */

typedef enum contact_reason {
    CONTACT_SAFE,    /* rule 1: the sides stay separated, no vertex is limited */
    CONTACT_DIVIDED, /* rule 2: a fixed plane divides the gap */
    CONTACT_FREEZE   /* the gap is below the smallest usable one: both sides are frozen */
} contact_reason;

/* Motion of the ends of a pair towards the other side along n, m, and the motion that the plane
 * allows. */
typedef struct contact_allowance {
    contact_reason reason;
    float4 motion, allowed;
} contact_allowance;

/* Limit of a pair between positions x and y, of which y are at the fractions of the rounds
 * before. */
CLOTH_INLINE contact_allowance contact_allow(contact_ends x, contact_ends y, contact_plane plane,
    uint edges, float4 shift, float4 unlimited, contact_params params)
{
    contact_allowance result;
    uint round = params.round, last = round + 1 == CONTACT_LIMIT_ROUNDS;
    float4 n = plane.normal;
    float gap = n.w, reach = plane.reach, usable = contact_usable_gap(n, unlimited, reach, params),
          kept_gap = contact_kept_gap(gap, reach, usable);
    result.reason = CONTACT_SAFE;
    result.motion = result.allowed = hed_f4(0.0f, 0.0f, 0.0f, 0.0f);
    if (!last && gap > CONTACT_TOUCH_GAP) {
        float4 h = contact_heights(n, y, y.a);
        if (contact_lowest(h, edges) - contact_highest(h, edges) >=
            (round > 0 ? CONTACT_RETEST_FRACTION * kept_gap : kept_gap))
            return result;
    }
    if (!(gap > usable)) { /* a frozen pair crosses nothing; any motion might */
        result.reason = CONTACT_FREEZE;
        result.motion = hed_f4(1.0f, 1.0f, 1.0f, 1.0f);
        return result;
    }
    result.reason = CONTACT_DIVIDED;
    float4 from = contact_heights(n, x, x.a),
           to = contact_heights(
               n, y, hed_f4(x.a.x + shift.x, x.a.y + shift.y, x.a.z + shift.z, 0.0f));
    float low = contact_lowest(from, edges), high = contact_highest(from, edges);
    float room = hed_max(gap - kept_gap, 0.0f),
          upper = hed_max(low - contact_lowest(to, edges), 0.0f),
          lower = hed_max(contact_highest(to, edges) - high, 0.0f);
    float part = upper + lower > 0.0f ? room * (upper / (upper + lower)) : 0.0f;
    float down = low - part, up = high + (room - part);
    result.motion =
        hed_f4(from.x - to.x, edges ? from.y - to.y : to.y - from.y, to.z - from.z, to.w - from.w);
    result.allowed =
        hed_f4(from.x - down, edges ? from.y - down : up - from.y, up - from.z, up - from.w);
    return result;
}

/* Bits of the fraction to which a motion of `motion`, of which `allowed` is allowed, limits a
 * particle that has `left` (bits). */
CLOTH_FUNCTION uint contact_limited_fraction(uint left, float motion, float allowed)
{
    if (!(motion > allowed)) return left;
    return as_uint(as_float(left) * (hed_max(allowed, 0.0f) / motion));
}

/* Limits a particle, which has `left` (bits) of its motion, from `motion` to `allowed`. Returns
 * true if that is less than before. */
CLOTH_FUNCTION uint contact_limit_end(
    __global uint *fractions, uint particle, uint left, float motion, float allowed, uint round)
{
    if (!(motion > allowed)) return 0;
    uint fraction = contact_limited_fraction(left, motion, allowed);
    cloth_atomic_min(fractions + CONTACT_FRACTION_WORDS * particle + round, fraction);
    return fraction < left;
}

/* Tests a pair in a round: in round 0 if it is not safe; later if it has a vertex that the round
 * before limited, and is not safe at the present fractions; in the last round always. `left`: out,
 * fractions that the rounds before left to its vertices. */
CLOTH_INLINE contact_allowance contact_test(contact_pair pair, __global const contact_plane *plane,
    __global const float4 *start, __global const float4 *moved, __global const uint *fractions,
    __global const contact_counters *counters, contact_params params, contact_fractions *left)
{
    uint round = params.round, last = round + 1 == CONTACT_LIMIT_ROUNDS;
    contact_fractions current = contact_fractions_of(fractions, pair, round);
    contact_allowance safe;
    safe.reason = CONTACT_SAFE;
    safe.motion = safe.allowed = hed_f4(0.0f, 0.0f, 0.0f, 0.0f);
    *left = current;
    if (round > 0 && !last) {
        contact_fractions before = contact_fractions_of(fractions, pair, round - 1);
        if (current.a == before.a && current.b == before.b && current.c == before.c &&
            current.d == before.d)
            return safe;
    }
    if (contact_released(fractions, pair, plane->normal.w, plane->reach)) return safe;
    float4 shift = contact_shift(counters, params);
    contact_ends x = contact_ends_of(start, pair), y = contact_ends_of(moved, pair);
    float4 unlimited = y.a;
    y.a = contact_partial(x.a, y.a, shift, current.a);
    y.b = contact_partial(x.b, y.b, shift, current.b);
    y.c = contact_partial(x.c, y.c, shift, current.c);
    y.d = contact_partial(x.d, y.d, shift, current.d);
    return contact_allow(x, y, *plane, contact_edges(pair), shift, unlimited, params);
}

#define PAIRS_CUT(FIRST, NEXT) \
    FIRST(IN, contact_pair, pairs) NEXT(IN, contact_plane, planes) NEXT(IN, float4, start) \
    NEXT(IN, float4, moved) NEXT(SHARED, uint, fractions) NEXT(SCRATCH, uint, marks) \
    NEXT(SHARED, contact_counters, counters) NEXT(STRUCT, contact_params, params)
HED_VIEW(contact_limit_view, PAIRS_CUT)

/* Limits the vertices of a pair as contact_test() finds. Returns 0 if the pair is safe. */
CLOTH_INLINE uint contact_limit(uint k, contact_limit_view view)
{
    contact_params params = view.params;
    __global uint *fractions = view.fractions;
    __global contact_counters *counters = view.counters;
    uint round = params.round;
    contact_pair pair = view.pairs[k];
    contact_fractions left;
    contact_allowance to = contact_test(
        pair, view.planes + k, view.start, view.moved, fractions, counters, params, &left);
    if (to.reason == CONTACT_SAFE) return 0u;
    uint limited =
        contact_limit_end(fractions, contact_first(pair), left.a, to.motion.x, to.allowed.x, round);
    limited |= contact_limit_end(fractions, pair.b, left.b, to.motion.y, to.allowed.y, round);
    limited |= contact_limit_end(fractions, pair.c, left.c, to.motion.z, to.allowed.z, round);
    limited |= contact_limit_end(fractions, pair.d, left.d, to.motion.w, to.allowed.w, round);
    if (!limited) return 0u;
    cloth_atomic_max(&counters->iteration[params.slot].limited_rounds, (int)round + 1);
    if (to.reason == CONTACT_DIVIDED)
        cloth_atomic_store(&counters->iteration[params.slot].plane_limited, 1);
    return 1u;
}

/* True if no round limits a vertex, because the last pass of separations found all pairs safe and no
 * vertex was held back since. */
CLOTH_FUNCTION uint contact_is_settled(
    __global const contact_counters *counters, contact_params params)
{
    __global const contact_iteration *current = &counters->iteration[params.slot];
    return !contact_is_active(counters, params) && !current->touching;
}

/* Number of pairs of a round; 0 if the round before limited no vertex. */
CLOTH_FUNCTION uint contact_to_limit(
    __global const contact_counters *counters, contact_params params)
{
    if ((uint)cloth_atomic_load(&counters->iteration[params.slot].limited_rounds) < params.round)
        return 0;
    return contact_count(counters, params);
}

/* ---- the end of a contact iteration ---- */

/* True if a further contact iteration follows, in which limited vertices continue their motion. It
 * would repeat this one if the iteration before moved no limited vertex. That of this one is known
 * after its end. */
CLOTH_FUNCTION uint contact_continues(
    __global const contact_counters *counters, contact_params params)
{
    return counters->iteration[params.slot].plane_limited &&
           params.iteration + 1u < CONTACT_MAX_ITERATIONS &&
           (params.iteration == 0 || counters->iteration[1u - params.slot].advanced);
}

/* Adds the iteration before, whose vertices are counted by now, to the totals, and clears its
 * counters for the next iteration. */
CLOTH_FUNCTION void contact_tally(__global contact_counters *counters, contact_params params)
{
    __global const contact_iteration *current = &counters->iteration[params.slot];
    __global contact_iteration *before = &counters->iteration[1u - params.slot];
    __global contact_totals *total = &counters->total;
    int count = current->pairs, listed = total->listed;
    float4 drift = contact_plus(contact_shift(counters, params), contact_drift(counters, params));
    total->limited += before->limited;
    total->frozen += (int)contact_frozen(counters, params);
    total->lists += current->list_needed;
    if ((uint)listed > (uint)total->max_listed) total->max_listed = listed;
    total->drift[0] = drift.x;
    total->drift[1] = drift.y;
    total->drift[2] = drift.z;
    if ((uint)count > (uint)total->max_pairs) total->max_pairs = count;
    total->last_pairs = count;
    if (params.iteration > 0) total->further_iterations += 1;
    else total->substeps += 1;
    total->list_made = current->list_needed || (params.iteration > 0 && total->list_made);
    total->crowded = params.iteration > 0 || contact_continues(counters, params);
    total->slot = (int)(1u - params.slot);
    before->pairs = before->limited_rounds = before->limited = 0;
    before->motion[0] = before->motion[1] = before->motion[2] = before->spread = 0;
    before->list_needed = before->plane_limited = before->active_passes = before->touching = 0;
}

#define PAIRS_FINISH(FIRST, NEXT) \
    FIRST(INOUT, float4, position) \
    NEXT(INOUT, float4, start) NEXT(IN, float4, moved) NEXT(INOUT, uint, fractions) \
        NEXT(SHARED, contact_counters, counters) NEXT(STRUCT, contact_params, params)
HED_VIEW(contact_finish_view, PAIRS_FINISH)

/* Counts the substeps in a row in which a particle was limited. A stuck particle stays released until
 * pairs of all gaps were. */
CLOTH_FUNCTION void contact_count_stuck(__global uint *fractions, uint particle, uint limited)
{
    uint stuck = contact_stuck(fractions, particle);
    uint counts = (limited || stuck >= CONTACT_RELEASE_AFTER) && stuck < 3u * CONTACT_RELEASE_AFTER;
    fractions[CONTACT_FRACTION_WORDS * particle + CONTACT_LIMIT_ROUNDS] = counts ? stuck + 1u : 0u;
}

/* Moves a particle to the end of its limited motion. */
CLOTH_FUNCTION void contact_finish(uint i, contact_finish_view view)
{
    contact_params params = view.params;
    __global contact_counters *counters = view.counters;
    float4 at = view.moved[i];
    uint frozen = contact_frozen(counters, params), continues = contact_continues(counters, params);
    uint fraction = frozen ? 0 : contact_fraction(view.fractions, i, CONTACT_LIMIT_ROUNDS);
    uint limited = fraction < as_uint(1.0f);
    if (limited) at = contact_partial(view.start[i], at, contact_shift(counters, params), fraction);
    /* outside that branch: inside, LLVM 18 of Debian 13's PoCL ends the process with an error */
    if (limited & !frozen & !continues)
        cloth_atomic_add(&counters->iteration[params.slot].limited, 1);
    if (limited && fraction > 0) cloth_atomic_store(&counters->iteration[params.slot].advanced, 1);
    if (!frozen & !continues) contact_count_stuck(view.fractions, i, limited);
    view.position[i] = continues ? view.moved[i] : at;
    view.start[i] = at;
    if (i == 0) contact_tally(counters, params);
}

#endif
