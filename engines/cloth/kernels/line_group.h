/* Bending along lines, solved by a group in local memory, for line.cl and cooperative_tasks.cl: in fast mode by
 * parallel cyclic reduction, in strict mode in the order of all other devices. */
#ifndef CLOTH_LINE_GROUP_H
#define CLOTH_LINE_GROUP_H

#if SOLVE && HED_STRICT
/* Pairs of the lines of a group in local memory, in slots in which pairs at a distance of 8 have different
 * banks. */
#define LINE_SLOTS (WG + WG / 8u)

CLOTH_FUNCTION uint line_slot(uint item) { return item + item / 8u; }

CLOTH_FUNCTION cloth_line_pair line_pair_at(__local const float4 *pairs, uint item)
{
    uint slot = line_slot(item);
    cloth_line_pair pair;
    pair.before = pairs[slot];
    pair.after = pairs[LINE_SLOTS + slot];
    pair.top = pairs[2u * LINE_SLOTS + slot];
    pair.bottom = pairs[3u * LINE_SLOTS + slot];
    return pair;
}

CLOTH_FUNCTION void line_put_sums(__local float4 *pairs, uint item, cloth_line_pair pair)
{
    uint slot = line_slot(item);
    pairs[2u * LINE_SLOTS + slot] = pair.top;
    pairs[3u * LINE_SLOTS + slot] = pair.bottom;
}

CLOTH_FUNCTION void line_put_pair(__local float4 *pairs, uint item, cloth_line_pair pair)
{
    uint slot = line_slot(item);
    pairs[slot] = pair.before;
    pairs[LINE_SLOTS + slot] = pair.after;
    line_put_sums(pairs, item, pair);
}

/* Subtracts matrix `by` times the multipliers of another pair. */
CLOTH_FUNCTION void line_subtract_at(
    cloth_line_pair *pair, float4 by, uint is_there, __local const float4 *pairs, uint item)
{
    const float4 zero = hed_f4(0.0f, 0.0f, 0.0f, 0.0f);
    uint slot = line_slot(item);
    cloth_line_subtract(pair, by, is_there ? pairs[2u * LINE_SLOTS + slot] : zero,
        is_there ? pairs[3u * LINE_SLOTS + slot] : zero);
}

/* Solves lines in the order of cloth_lines, some of their items at each step; right sides become the
 * multipliers. `first`: the first item of a line. */
CLOTH_FUNCTION void line_solve_pairs(
    uint first, uint lane, uint count, uint width, __local float4 *pairs)
{
    const float4 zero = hed_f4(0.0f, 0.0f, 0.0f, 0.0f);
    const cloth_line_pair no_pair = {zero, zero, zero, zero};
    CLOTH_ROLLED
    for (uint step = 1; step < width; step *= 2) {
        uint k = cloth_reduced(lane, step), at = first + k;
        cloth_meet(width);
        if (k < count)
            line_put_pair(pairs, at,
                cloth_line_without(line_pair_at(pairs, at), line_pair_at(pairs, at - step),
                    k + step < count ? line_pair_at(pairs, at + step) : no_pair));
    }
    CLOTH_ROLLED
    for (uint step = width; step > 0; step /= 2) {
        uint k = cloth_solved(lane, step), at = first + k;
        cloth_meet(width);
        if (k < count) {
            cloth_line_pair pair = line_pair_at(pairs, at);
            line_subtract_at(&pair, pair.before, k >= step, pairs, at - step);
            line_subtract_at(&pair, pair.after, k + step < count, pairs, at + step);
            line_put_sums(pairs, at, pair);
        }
    }
    cloth_meet(width);
}

/* Multipliers of row j of a line. `first`: its first item. */
CLOTH_FUNCTION float4 line_sum_at(__local const float4 *pairs, uint first, uint j)
{
    return pairs[(j & 1u ? 3u : 2u) * LINE_SLOTS + line_slot(first + j / 2u)];
}

/* Solves lines of at most 2 `width` rows by cyclic reduction, two rows in an item, and moves their
 * particles. `pairs`: 4.5 WG. */
CLOTH_FUNCTION void line_reduce(cloth_line_at line, cloth_lines_view view, float give, uint width,
    uint item, __local float4 *pairs)
{
    const float4 zero = hed_f4(0.0f, 0.0f, 0.0f, 0.0f);
    uint lane = item & (width - 1u), count = cloth_line_pairs(line), first = item - lane;
    cloth_line_pair pair = {zero, zero, zero, zero};
    float4 block = hed_f4(1.0f, 0.0f, 0.0f, 1.0f);
    if (lane < count) {
        pair = cloth_line_pair_of(lane, line, view, give, &block);
        pairs[line_slot(item)] = pair.before;
    }
    cloth_meet(width); /* neighbours have read the particles */
    if (lane + 1u < count) {
        float4 next = pairs[line_slot(item + 1u)];
        pair.after = hed_f4(next.x, next.z, next.y, next.w);
    }
    cloth_meet(width);
    if (lane < count) line_put_pair(pairs, item, cloth_line_times(cloth_line_inverse(block), pair));
    line_solve_pairs(first, lane, count, width, pairs);
    for (uint j = lane; count > 0 && j < line.count + (line.across ? 1u : 2u); j += width)
        cloth_line_move_by(j, line, view, j < line.count ? line_sum_at(pairs, first, j) : zero,
            j > 0 && j <= line.count ? line_sum_at(pairs, first, j - 1) : zero,
            j > 1 && !line.across ? line_sum_at(pairs, first, j - 2) : zero);
}
#elif SOLVE
CLOTH_FUNCTION cloth_line_pair line_pair_at(__local float4 *pairs, uint i)
{
    cloth_line_pair pair;
    pair.before = pairs[i];
    pair.after = pairs[WG + i];
    pair.top = pairs[2 * WG + i];
    pair.bottom = pairs[3 * WG + i];
    return pair;
}

#ifndef LINE_UNCOUPLED
#define LINE_UNCOUPLED 1e-8f /* bound of elements off a diagonal of 1 that change no float */
#endif

CLOTH_FUNCTION uint line_is_coupled(cloth_line_pair pair)
{
    float4 a = pair.before, b = pair.after;
    float left = fmax(fmax(fabs(a.x), fabs(a.y)), fmax(fabs(a.z), fabs(a.w))),
          right = fmax(fmax(fabs(b.x), fabs(b.y)), fmax(fabs(b.z), fabs(b.w)));
    return fmax(left, right) > LINE_UNCOUPLED;
}

/* True if items of lines vote in local memory; false: lanes of a warp do. */
CLOTH_FUNCTION uint line_votes_in_memory(uint width) { return !HED_HAS_LANES || width > 32u; }

/* True if a pair of the items that meet is coupled with others: `votes` of the group, written before it
 * met, or the lanes'. */
CLOTH_FUNCTION uint line_any_is_coupled(uint width, uint is_coupled, __local const uint *vote)
{
#if HED_HAS_LANES
    if (!line_votes_in_memory(width)) return hed_lane_count(is_coupled) > 0;
#endif
    (void)width, (void)is_coupled;
    return *vote;
}

/* Multipliers of row j, from a line's first item on. */
CLOTH_FUNCTION float4 line_sum_at(__local const float4 *pairs, uint j)
{
    return pairs[(j & 1u ? 3 * WG : 2 * WG) + j / 2];
}

/* Solves lines of at most 2 `width` rows by cyclic reduction, two rows in an item, and moves their
 * particles. Soft fabrics need few steps: rows far apart hardly depend on each other. `width`,
 * `longest`: of chain_reduce(); `pairs`: 4 WG; `votes`: 16. */
CLOTH_FUNCTION void line_reduce(cloth_line_at line, cloth_lines_view view, float give, uint width,
    uint longest, uint item, __local float4 *pairs, __local uint *votes)
{
    const float4 zero = hed_f4(0.0f, 0.0f, 0.0f, 0.0f);
    uint lane = item & (width - 1u), is_line = line.count > 0;
    cloth_line_pair pair = {zero, zero, zero, zero};
    float4 block = hed_f4(1.0f, 0.0f, 0.0f, 1.0f);
    __local float4 *sums = pairs + (item - lane);
    if (item < 16 && line_votes_in_memory(width)) votes[item] = 0;
    if (is_line) {
        pair = cloth_line_pair_of(lane, line, view, give, &block);
        pairs[item] = pair.before;
    }
    cloth_meet(width); /* neighbours have read the particles */
    if (is_line) {
        if (lane + 1u < width) {
            float4 next = pairs[item + 1u];
            pair.after = hed_f4(next.x, next.z, next.y, next.w);
        }
        pair = cloth_line_times(cloth_line_inverse(block), pair);
    }
    CLOTH_ROLLED
    for (uint step = 1, turn = 0; 2 * step < longest; step *= 2, turn++) {
        uint acts =
            2 * step <= line.count; /* differs from step to step: see chain_solve_in_memory() */
        uint is_coupled = acts && line_is_coupled(pair);
        cloth_meet(width);
        if (acts) {
            pairs[item] = pair.before;
            pairs[WG + item] = pair.after;
            pairs[2 * WG + item] = pair.top;
            pairs[3 * WG + item] = pair.bottom;
            if (is_coupled && line_votes_in_memory(width)) votes[turn] = 1;
        }
        cloth_meet(width);
        if (!line_any_is_coupled(width, is_coupled, votes + turn)) break;
        if (acts) {
            cloth_line_pair left = {zero, zero, zero, zero}, next = left;
            if (lane >= step) left = line_pair_at(pairs, item - step);
            if (lane + step < width) next = line_pair_at(pairs, item + step);
            pair = cloth_line_without(pair, left, next);
        }
    }
    cloth_meet(width);
    pairs[2 * WG + item] = pair.top;
    pairs[3 * WG + item] = pair.bottom;
    for (uint j = 2 * lane; view.pass > 0 && j < 2 * lane + 2 && j < line.count; j++)
        view.sums[line.row + j] = j & 1u ? pair.bottom : pair.top;
    cloth_meet(width);
    for (uint j = lane; is_line && j < line.count + (line.across ? 1u : 2u); j += width)
        cloth_line_move_by(j, line, view, j < line.count ? line_sum_at(sums, j) : zero,
            j > 0 && j <= line.count ? line_sum_at(sums, j - 1) : zero,
            j > 1 ? line_sum_at(sums, j - 2) : zero);
}
#endif

#endif
