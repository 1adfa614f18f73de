/* Motion of the particles in a contact iteration: the mean motion of the garments, and the
 * motion that the list of pairs covers. After contact_geometry.h. */
#ifndef CLOTH_CONTACT_MOTION_H
#define CLOTH_CONTACT_MOTION_H

/* Mean motion of the garments in this iteration. */
CLOTH_FUNCTION float4 contact_shift(
    __global const contact_counters *counters, contact_params params)
{
    __global const int *sums = counters->iteration[params.slot].motion;
    float grid = 1.0f / CONTACT_SHIFT_STEPS, steps = params.motion_scale * CONTACT_SHIFT_STEPS;
    return hed_f4((float)hed_int((float)sums[0] * steps) * grid,
        (float)hed_int((float)sums[1] * steps) * grid,
        (float)hed_int((float)sums[2] * steps) * grid, 0.0f);
}

/* Mean motion of the garments since the list was made. */
CLOTH_FUNCTION float4 contact_drift(
    __global const contact_counters *counters, contact_params params)
{
    __global const float *drift = counters->total.drift;
    if (counters->iteration[params.slot].list_needed) return hed_f4(0.0f, 0.0f, 0.0f, 0.0f);
    return hed_f4(drift[0], drift[1], drift[2], 0.0f);
}

/* Distance that contacts may push a particle off its motion, m. */
CLOTH_FUNCTION float contact_spare(__global const contact_counters *counters, contact_params params)
{
    float spread = as_float((uint)counters->iteration[params.slot].spread);
    return hed_max(hed_min(0.5f * spread, params.max_spare), params.min_spare);
}

/* Margins of contact_near_gap(), m: beyond the reach, and beyond half the reach. */
typedef struct contact_margins {
    float reach, half_reach;
} contact_margins;

/* Margins of pairs whose sides may each be `distance` off their motions; `part` of it is likely. */
CLOTH_FUNCTION contact_margins contact_margins_of(float distance, float part, contact_params params)
{
    contact_margins margins;
    margins.reach = fma(part, distance, params.read_loss);
    margins.half_reach = fma(2.0f, distance, params.read_loss);
    return margins;
}

/* Margins of the pairs of an iteration, in which contacts push each side by `spare` at most. */
CLOTH_FUNCTION contact_margins contact_taken_margins(
    __global const contact_counters *counters, contact_params params)
{
    return contact_margins_of(contact_spare(counters, params), 0.5f, params);
}

/* Margins of the pairs of a list, whose sides are `cover` off the motion that it covers at most. */
CLOTH_FUNCTION contact_margins contact_listed_margins(contact_params params)
{
    return contact_margins_of(params.cover, 1.0f, params);
}

/* Gap, m, from which on a pair is left out. Half the reach remains of this gap in any case, so
 * nothing crosses. Two sides are seldom as far off their motions as they may be, towards each
 * other: nearly all pairs that come within reach are found, and the rest by the next iteration or
 * list. */
CLOTH_FUNCTION float contact_near_gap(float reach, contact_margins margins)
{
    return hed_max(reach + margins.reach, fma(0.5f, reach, margins.half_reach));
}

/* Distance from the motion that the list covers at which a particle may be read, m. */
CLOTH_FUNCTION float contact_cover(contact_params params)
{
    return fma(0.5f, params.read_loss, params.cover);
}

/* ---- the start of an iteration ---- */

CLOTH_FUNCTION int contact_motion_steps(float motion)
{
    return hed_int(hed_min(hed_max(motion, -1.0f), 1.0f) * CONTACT_MOTION_STEPS);
}

#define PAIRS_BEGIN(FIRST, NEXT) \
    FIRST(IN, float4, start) \
    NEXT(IN, float4, position) \
    NEXT(INOUT, float4, previous) \
    NEXT(OUT, float4, moved) \
    NEXT(INOUT, uint, fractions) \
    NEXT(IN, contact_triangle, triangles) \
    NEXT(IN, uint, around_at) NEXT(IN, uint, around) NEXT(IN, float4, rests) \
        NEXT(SCRATCH, uint, marks) NEXT(INOUT, contact_counters, counters) \
            NEXT(STRUCT, contact_params, params)
HED_VIEW(contact_begin_view, PAIRS_BEGIN)

/* True if an edge is longer than `stretch` times its length at rest. */
CLOTH_FUNCTION uint contact_is_long(uint a, uint b, float stretch, contact_begin_view view)
{
    float4 along = cloth_minus(view.start[b], view.start[a]),
           rest = cloth_minus(view.rests[b], view.rests[a]);
    return cloth_dot(along, along) > stretch * stretch * cloth_dot(rest, rest);
}

/* True if an edge around a particle is longer than `stretch` times its length at rest. */
CLOTH_FUNCTION uint contact_is_stretched(uint i, float stretch, contact_begin_view view)
{
    uint is_long = 0;
    for (uint k = view.around_at[i]; k < view.around_at[i + 1] && !is_long; k++) {
        contact_triangle t = view.triangles[view.around[k]];
        is_long = contact_is_long(t.a, t.b, stretch, view) ||
                  contact_is_long(t.b, t.c, stretch, view) ||
                  contact_is_long(t.c, t.a, stretch, view);
    }
    return is_long;
}

/* Marks an overstretched particle until the next frame, where a collider is fast. `spread`: its
 * motion off that of the first particle, m. */
CLOTH_FUNCTION void contact_mark_overstretched(uint i, float spread, contact_begin_view view)
{
    contact_params params = view.params;
    if (!(params.flags & CLOTH_STEP_FAST)) return;
    if (!params.new_frame && !(spread > 0.5f * params.max_edge)) return;
    uint is_stretched =
        contact_is_stretched(i, params.new_frame ? CLOTH_MAX_STRETCH : CLOTH_MAX_FLING, view);
    if (!params.new_frame && !is_stretched) return;
    view.previous[i].w =
        (float)(uint)view.previous[i].w + (is_stretched ? CLOTH_OVERSTRETCHED : 0.0f);
}

/* Substeps in a row in which a particle was limited. */
CLOTH_FUNCTION uint contact_stuck(__global const uint *fractions, uint particle)
{
    return fractions[CONTACT_FRACTION_WORDS * particle + CONTACT_LIMIT_ROUNDS];
}

/* Begins to count anew for a particle that is about to be released, if its edges are hardly longer
 * than at rest: it is in a crowd, not tangled, and the layers of a crowd would cross (rule 5). */
CLOTH_FUNCTION void contact_hold_crowd(uint i, contact_begin_view view)
{
    if (contact_stuck(view.fractions, i) + 1u != CONTACT_RELEASE_AFTER) return;
    if (contact_is_stretched(i, CONTACT_TANGLED_STRETCH, view)) return;
    view.fractions[CONTACT_FRACTION_WORDS * i + CONTACT_LIMIT_ROUNDS] = 0u;
}

/* Resets a particle's fractions and sums its motion. */
CLOTH_FUNCTION void contact_begin(uint i, contact_begin_view view)
{
    contact_params params = view.params;
    float4 x = view.start[i], y = view.position[i];
    view.moved[i] = y;
    for (uint round = 0; round < CONTACT_LIMIT_ROUNDS; round++)
        view.fractions[CONTACT_FRACTION_WORDS * i + round] = as_uint(1.0f);
    if (params.iteration == 0) contact_hold_crowd(i, view);
    float4 motion = cloth_minus(y, x), first = cloth_minus(view.position[params.first_particle],
                                           view.start[params.first_particle]);
    float spread = sqrt(cloth_square(motion.x - first.x, motion.y - first.y, motion.z - first.z));
    contact_mark_overstretched(i, spread, view);
    __global contact_iteration *current = &view.counters->iteration[params.slot];
    if (i == 0) current->advanced = 0;
    if (spread < 1e9f && (int)as_uint(spread) > cloth_atomic_load(&current->spread))
        cloth_atomic_max(&current->spread, (int)as_uint(spread));
    if (i % params.sample_stride || params.motion_scale == 0.0f) return;
    cloth_atomic_add(&current->motion[0], contact_motion_steps(motion.x));
    cloth_atomic_add(&current->motion[1], contact_motion_steps(motion.y));
    cloth_atomic_add(&current->motion[2], contact_motion_steps(motion.z));
}

/* ---- distance from a motion ---- */

/* Vector to a position from the nearest point of the motion from a to b; w: distance, m. */
CLOTH_FUNCTION float4 contact_deviation(float4 at, float4 a, float4 b)
{
    float4 motion = cloth_minus(b, a), to = cloth_minus(at, a);
    float square = cloth_dot(motion, motion);
    float t = square > 0.0f ? contact_clamp01(cloth_dot(to, motion) / square) : 0.0f;
    to = hed_f4(fma(-t, motion.x, to.x), fma(-t, motion.y, to.y), fma(-t, motion.z, to.z), 0.0f);
    to.w = sqrt(cloth_dot(to, to));
    return to;
}

/* Position at most `limit` from the motion from a to b. */
CLOTH_FUNCTION float4 contact_hold_near(float4 at, float4 a, float4 b, float limit)
{
    float4 off = contact_deviation(at, a, b);
    if (off.w <= limit) return at;
    float back = 1.0f - limit / off.w;
    return hed_f4(fma(-back, off.x, at.x), fma(-back, off.y, at.y), fma(-back, off.z, at.z), at.w);
}

/* ---- the motion that the list covers ---- */

/* End of the motion that a list made now covers: this iteration's motion and up to three more of
 * it, at most 4 `cover` in all; this motion alone in the substep after one that made a list: further
 * motion lists many more pairs, and the list would not last. */
CLOTH_FUNCTION float4 contact_ahead(float4 x, float4 y, float4 shift,
    __global const contact_counters *counters, contact_params params)
{
    float4 motion = cloth_minus(cloth_minus(y, x), shift);
    float length = sqrt(cloth_dot(motion, motion)), limit = 4.0f * params.cover;
    float further = length * 3.0f > limit ? limit / length : 3.0f;
    float scale = counters->total.list_made && !params.new_frame ? 1.0f : 1.0f + further;
    return hed_f4(
        fma(scale, motion.x, x.x), fma(scale, motion.y, x.y), fma(scale, motion.z, x.z), y.w);
}

#define PAIRS_CHECK(FIRST, NEXT) \
    FIRST(IN, float4, start) \
    NEXT(IN, float4, position) \
    NEXT(INOUT, float4, grips) \
    NEXT(IN, float4, covers) \
    NEXT(OUT, float4, ahead) NEXT(OUT, float, deviations) NEXT(SHARED, contact_counters, counters) \
        NEXT(STRUCT, contact_params, params)
HED_VIEW(contact_check_view, PAIRS_CHECK)

/* Draws the grip of a particle at x along: it stays within CONTACT_GRIP of the particle, then moves
 * with the garments. A particle that went farther in one iteration has no other grip than its
 * position. */
CLOTH_FUNCTION void contact_draw_grip(
    uint i, float4 x, float4 shift, contact_params params, __global float4 *grips)
{
    float4 off = cloth_minus(grips[i], x);
    float limit = CONTACT_GRIP * params.min_thickness, length = sqrt(cloth_dot(off, off));
    float part = length > 2.0f * limit ? 0.0f : length > limit ? limit / length : 1.0f;
    grips[i] = hed_f4(fma(part, off.x, x.x + shift.x), fma(part, off.y, x.y + shift.y),
        fma(part, off.z, x.z + shift.z), 0.0f);
}

/* Requests a new list if a particle's motion leaves the motion that the list covers, which
 * drifts with the garments. `covers`: start and end of that motion for each particle;
 * `deviations`: distance of this motion from it; `ahead`: end of the motion that a list made now
 * covers. */
CLOTH_FUNCTION void contact_check(uint i, contact_check_view view)
{
    contact_params params = view.params;
    __global const float *sum = view.counters->total.drift;
    float4 drift = hed_f4(sum[0], sum[1], sum[2], 0.0f);
    float4 shift = contact_shift(view.counters, params), from = view.covers[2 * i],
           to = view.covers[2 * i + 1];
    float4 x = view.start[i], y = view.position[i], at = cloth_minus(cloth_minus(y, shift), drift);
    float off = contact_deviation(at, from, to).w;
    contact_draw_grip(i, x, shift, params, view.grips);
    view.ahead[i] = contact_ahead(x, y, shift, view.counters, params);
    view.deviations[i] = hed_max(off, contact_deviation(cloth_minus(x, drift), from, to).w);
    if (params.new_frame || !(off <= 0.85f * params.cover))
        cloth_atomic_store(&view.counters->iteration[params.slot].list_needed, 1);
}

/* Stores the motion that a new list covers. */
CLOTH_FUNCTION void contact_store_cover(
    uint i, __global const float4 *start, __global const float4 *ahead, __global float4 *covers)
{
    covers[2 * i] = start[i];
    covers[2 * i + 1] = ahead[i];
}

#endif
