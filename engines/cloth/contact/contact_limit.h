/* The ways of cloth that never crosses cloth, cut to what is safe, and the end of a leg: for one pair
 * and one particle. After contact_pair.h, which has the rule. */
#ifndef CLOTH_CONTACT_CUTS_H
#define CLOTH_CONTACT_CUTS_H

/* ---- cuts ---- */

/* Bits of the share of its way that rounds before `round` left to a particle. Each round has a place
 * of its own for what it leaves, so that none depends on the order within it. */
CLOTH_FUNCTION uint cloth_share(__global const uint *shares, uint particle, uint round)
{
    uint least = as_uint(1.0f);
    for (uint k = 0; k < round; k++) {
        uint left = shares[CLOTH_PAIRS_ROUNDS * particle + k];
        least = left < least ? left : least;
    }
    return least;
}

CLOTH_FUNCTION uint4 cloth_shares_of(__global const uint *shares, uint4 pair, uint round)
{
    pair.x = cloth_share(shares, pair.x & ~CLOTH_PAIR_EDGES, round);
    pair.y = cloth_share(shares, pair.y, round);
    pair.z = cloth_share(shares, pair.z, round);
    pair.w = cloth_share(shares, pair.w, round);
    return pair;
}

/* Where a particle ends that goes a share of its way. */
CLOTH_FUNCTION float4 cloth_part_way(float4 x, float4 y, float4 shift, uint bits)
{
    float share = as_float(bits);
    if (!(share < 1.0f)) return y;
    return hed_f4(fma(share, (y.x - x.x) - shift.x, x.x + shift.x),
        fma(share, (y.y - x.y) - shift.y, x.y + shift.y),
        fma(share, (y.z - x.z) - shift.z, x.z + shift.z), y.w);
}

/* Of `way`, which is the share that was left to it, a particle may go `may`. */
CLOTH_FUNCTION uint cloth_pairs_cut_end(
    __global uint *shares, uint particle, uint left, float way, float may, uint round)
{
    if (!(way > may)) return 0;
    uint share = as_uint(as_float(left) * (hed_max(may, 0.0f) / way));
    cloth_atomic_min(shares + CLOTH_PAIRS_ROUNDS * particle + round, share);
    return share < left;
}

/* Round 0: what is not safe; then what has a vertex that the round before cut, and is not safe where
 * it is now; in the last round, if need be, all. */
CLOTH_INLINE void cloth_pairs_cut_one(uint k, __global const uint4 *all,
    __global const float4 *planes, __global const float4 *start, __global const float4 *moved,
    __global uint *shares, __global int *counters, cloth_pairs pairs)
{
    uint round = pairs.round, last = round + 1 == CLOTH_PAIRS_ROUNDS;
    uint4 pair = all[k];
    uint edges = pair.x & CLOTH_PAIR_EDGES, first = pair.x & ~CLOTH_PAIR_EDGES;
    uint4 left = cloth_shares_of(shares, pair, round);
    if (round > 0 && !last) {
        uint4 before = cloth_shares_of(shares, pair, round - 1);
        if (left.x == before.x && left.y == before.y && left.z == before.z && left.w == before.w)
            return;
    }
    float4 n = planes[2 * k], shift = cloth_pair_shift(counters, pairs);
    cloth_ends x = cloth_ends_of(start, pair), y = cloth_ends_of(moved, pair);
    float gap = n.w, reach = planes[2 * k + 1].x, stuck = cloth_stuck(n, y.a, reach, pairs),
          need = cloth_need(gap, reach, stuck);
    y.a = cloth_part_way(x.a, y.a, shift, left.x);
    y.b = cloth_part_way(x.b, y.b, shift, left.y);
    y.c = cloth_part_way(x.c, y.c, shift, left.z);
    y.d = cloth_part_way(x.d, y.d, shift, left.w);
    if (!last && gap > CLOTH_PAIRS_TOUCH) {
        float4 h = cloth_heights(n, y, y.a);
        if (cloth_lowest(h, edges) - cloth_highest(h, edges) >=
            (round > 0 ? CLOTH_PAIRS_AGAIN * need : need))
            return;
    }
    float4 from = cloth_heights(n, x, x.a),
           to =
               cloth_heights(n, y, hed_f4(x.a.x + shift.x, x.a.y + shift.y, x.a.z + shift.z, 0.0f));
    float a = cloth_lowest(from, edges), b = cloth_highest(from, edges);
    float room = hed_max(gap - need, 0.0f), wants = hed_max(a - cloth_lowest(to, edges), 0.0f),
          its = hed_max(cloth_highest(to, edges) - b, 0.0f);
    float part = wants + its > 0.0f ? room * (wants / (wants + its)) : 0.0f;
    float down = a - part, up = b + (room - part);
    uint stands = !(gap > stuck);
    if (stands) { /* nothing is known of it but that standing still crosses nothing */
        from = hed_f4(1.0f, edges ? 1.0f : 0.0f, 0.0f, 0.0f);
        to = hed_f4(0.0f, edges ? 0.0f : 1.0f, 1.0f, 1.0f);
        down = 1.0f;
        up = 0.0f;
    }
    uint fresh = cloth_pairs_cut_end(shares, first, left.x, from.x - to.x, from.x - down, round);
    fresh |= edges
                 ? cloth_pairs_cut_end(shares, pair.y, left.y, from.y - to.y, from.y - down, round)
                 : cloth_pairs_cut_end(shares, pair.y, left.y, to.y - from.y, up - from.y, round);
    fresh |= cloth_pairs_cut_end(shares, pair.z, left.z, to.z - from.z, up - from.z, round);
    fresh |= cloth_pairs_cut_end(shares, pair.w, left.w, to.w - from.w, up - from.w, round);
    if (!fresh) return;
    cloth_atomic_max(counters + pairs.bank + CLOTH_PAIRS_LATE, (int)round + 1);
    if (!stands) counters[pairs.bank + CLOTH_PAIRS_PLANE] = 1;
}

/* A round has nothing to do unless the one before it cut something. */
CLOTH_FUNCTION uint cloth_pairs_to_cut(__global const int *counters, cloth_pairs pairs)
{
    if ((uint)counters[pairs.bank + CLOTH_PAIRS_LATE] < pairs.round) return 0;
    return cloth_pairs_count(counters, pairs);
}

/* ---- the end of a leg ---- */

/* Counters of the leg before are taken into those of all, and zeroed for the next one. */
CLOTH_FUNCTION void cloth_pairs_tally(__global int *counters, cloth_pairs pairs)
{
    __global int *before = counters + (CLOTH_PAIRS_HALF - pairs.bank);
    uint count = (uint)counters[pairs.bank + CLOTH_PAIRS_COUNT],
         most = (uint)counters[CLOTH_PAIRS_MOST], listed = (uint)counters[CLOTH_PAIRS_LISTED],
         most_listed = (uint)counters[CLOTH_PAIRS_MOST_LISTED];
    float4 gone = cloth_plus(cloth_pair_shift(counters, pairs), cloth_pair_gone(counters, pairs));
    counters[CLOTH_PAIRS_ALL_CUT] += before[CLOTH_PAIRS_CUT];
    counters[CLOTH_PAIRS_ALL_HELD] += before[CLOTH_PAIRS_HELD];
    counters[CLOTH_PAIRS_ALL_STILL] += (int)cloth_pairs_stand(counters, pairs);
    counters[CLOTH_PAIRS_ALL_LISTS] += counters[pairs.bank + CLOTH_PAIRS_NEED];
    counters[CLOTH_PAIRS_MOST_LISTED] = (int)(listed > most_listed ? listed : most_listed);
    counters[CLOTH_PAIRS_GONE] = (int)as_uint(gone.x);
    counters[CLOTH_PAIRS_GONE + 1] = (int)as_uint(gone.y);
    counters[CLOTH_PAIRS_GONE + 2] = (int)as_uint(gone.z);
    counters[CLOTH_PAIRS_MOST] = (int)(count > most ? count : most);
    counters[CLOTH_PAIRS_LAST] = (int)count;
    counters[pairs.leg > 0 ? CLOTH_PAIRS_ALL_MORE : CLOTH_PAIRS_STEPS] += 1;
    counters[CLOTH_PAIRS_BANK] = (int)(CLOTH_PAIRS_HALF - pairs.bank);
    for (uint k = 0; k < CLOTH_PAIRS_HALF; k++) before[k] = 0;
}

/* Whether a further leg follows, which takes what was cut on its way. */
CLOTH_FUNCTION uint cloth_pairs_go_on(__global const int *counters, cloth_pairs pairs)
{
    return counters[pairs.bank + CLOTH_PAIRS_PLANE] && pairs.leg + 1u < CLOTH_PAIRS_LEGS;
}

CLOTH_FUNCTION void cloth_pairs_finish_one(uint i, __global float4 *position,
    __global float4 *start, __global const float4 *moved, __global const uint *shares,
    __global int *counters, cloth_pairs pairs)
{
    float4 at = moved[i];
    uint none = cloth_pairs_stand(counters, pairs), more = cloth_pairs_go_on(counters, pairs);
    uint share = none ? 0 : cloth_share(shares, i, CLOTH_PAIRS_ROUNDS);
    uint is_cut = share < as_uint(1.0f);
    if (is_cut) at = cloth_part_way(start[i], at, cloth_pair_shift(counters, pairs), share);
    /* outside that branch: inside, LLVM 18 of Debian 13's PoCL ends the process with an error */
    if (is_cut & !none & !more) cloth_atomic_add(counters + pairs.bank + CLOTH_PAIRS_CUT, 1);
    position[i] = more ? moved[i] : at;
    start[i] = at;
    if (i == 0) cloth_pairs_tally(counters, pairs);
}

#endif
