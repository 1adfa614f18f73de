/* Sweeps over the places of a lattice in local memory, a lattice for each group. For
 * cooperative_tasks.cl, after cooperative_lines.h and sweep_wide.h. */
#ifndef CLOTH_COOPERATIVE_SWEEP_H
#define CLOTH_COOPERATIVE_SWEEP_H

/* Number in local memory of a place; places of a column that are 16 apart have different banks. */
CLOTH_FUNCTION uint cooperative_place(uint place) { return place + (place >> 4); }

/* Copies the places of the group's lattice to local memory. */
CLOTH_FUNCTION void cooperative_take_places(
    __global const float4 *points, uint places, uint item, __local float4 *copies)
{
    CLOTH_ROLLED
    for (uint i = item; i < places; i += SEVERAL * WG) {
        float4 place[SEVERAL];
        for (uint k = 0; k < SEVERAL; k++) place[k] = points[min(i + k * WG, places - 1u)];
        for (uint k = 0; k < SEVERAL; k++)
            if (i + k * WG < places) copies[cooperative_place(i + k * WG)] = place[k];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

#if HED_HAS_LANES && HED_STRICT
/* Item of chain `number` of `count`, the first of which is chain `first`; else an item of no chain. */
CLOTH_FUNCTION chain_item cooperative_side_of(
    uint first, uint number, uint count, uint item, uint width, cloth_chains_view chains)
{
    const cloth_chain_at no_chain = {0, 0, 0, 0, 0.0f, 0.0f, 0.0f};
    const cloth_chain_edge no_edge = {0.0f, 0.0f, 0.0f};
    if (number >= count) return chain_item_of(no_chain, no_edge, item, width);
    cloth_chain_at chain = cloth_chain_of(chains.chains, first + number);
    return chain_item_of(chain, chain_edge_at(item & (width - 1u), chain, chains), item, width);
}

/* Solves an item's chain of places in local memory, the first of which is point `base`. */
CLOTH_FUNCTION void cooperative_pull(chain_item i, uint base, cloth_chains_view chains,
    float stiffness, __local float4 *copies, __local float4 *memory)
{
    uint place = i.chain.first - base + i.lane * i.chain.step, first = cooperative_place(place),
         second = cooperative_place(place + i.chain.step), e = i.chain.edges + i.lane;
    if (chain_warp_is_idle(i.chain, i.width)) return;
    if (i.is_edge) {
        if (chains.pass >= 2) i.edge.pulled = chains.pulled[e];
        i.a = copies[first];
        i.b = copies[second];
        i.turns = chains.turns;
    }
    if (i.is_edge && chains.turns) {
        i.past_a = chains.before[chains.turns + base + place];
        i.past_b = chains.before[chains.turns + base + place + i.chain.step];
    }
    chain_pulls pulls = chain_solve(i, chains.pass, stiffness, i.width, memory);
    if (i.is_edge && i.a.w > 0.0f) copies[first] = cloth_chain_moved(i.a, pulls.unit, pulls.last);
    if (i.is_edge && i.lane + 1u == i.chain.count && i.b.w > 0.0f)
        copies[second] = cloth_chain_moved(i.b, hed_f4(0.0f, 0.0f, 0.0f, 0.0f), pulls.unit);
    if (i.is_edge && CLOTH_CHAINS_KEEP(chains.pass)) cloth_chain_keep(e, pulls.unit.w, chains);
}

/* Sweeps over the places of the group's lattice; the first chains of both directions stay in
 * registers. */
CLOTH_FUNCTION void cooperative_sweep(
    uint4 task, cloth_chains_view chains, float stiffness, uint item, __local float4 *memory)
{
    uint bits = cloth_task_side_bits(task), width = 1u << bits, pass = cloth_task_pass(task),
         lattice = (uint)get_group_id(0), places = cloth_task_places(task),
         base = task.z + lattice * places, number = item >> bits, warps = cloth_task_warp(task),
         wefts = cloth_task_weft(task), warp_at = task.y + lattice * warps,
         weft_at = task.y + cloth_task_lattices(task) * warps + lattice * wefts;
    __local float4 *copies = memory + 2 * WG;
    cooperative_take_places(chains.points + base, places, item, copies);
    chain_item warp = cooperative_side_of(warp_at, number, warps, item, width, chains),
               weft = cooperative_side_of(weft_at, number, wefts, item, width, chains);
    CLOTH_ROLLED
    for (uint half_sweep = 0; half_sweep < cloth_task_halves(task); half_sweep++) {
        uint is_weft = half_sweep & 1u, count = is_weft ? wefts : warps;
        chain_item side = is_weft ? weft : warp;
        chains.pass = pass && half_sweep > 1u ? 2u : pass;
        CLOTH_ROLLED
        for (uint chain = 0; chain < count; chain += (uint)WG >> bits) {
            if (chain > 0)
                side = cooperative_side_of(
                    is_weft ? weft_at : warp_at, chain + number, count, item, width, chains);
            cooperative_pull(side, base, chains, stiffness, copies, memory);
        }
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    }
    CLOTH_ROLLED
    for (uint i = item; i < places; i += WG) chains.points[base + i] = copies[cooperative_place(i)];
}
#elif HED_HAS_LANES
/* Edge of an item in all sweeps along a direction: numbers of its places (cooperative_place()), edges of
 * its chain (0: no chain), number of its multiplier; minimum and maximum length, m; give; factors of
 * the elements before and after the diagonal and of the right side, all divided by the diagonal;
 * inverse masses; unit vector of the edge at the substep's start, or 0 (cloth_chain_axis()). */
typedef struct cooperative_side {
    uint first, second, count, pull;
    float low, high, give, before, after, inverse, first_weight, second_weight;
    float past_x, past_y, past_z;
} cooperative_side;

/* `number` >= `count`: no chain; `pull`: number of the multiplier of the item. */
CLOTH_FUNCTION cooperative_side cooperative_side_of(uint first, uint number, uint count, uint lane,
    uint pull, cloth_chains_view chains, float stiffness, __local const float4 *held, uint base)
{
    cooperative_side side = {
        0, 0, 0, 0, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f};
    if (number >= count) return side;
    cloth_chain_at chain = cloth_chain_of(chains.chains, first + number);
    cloth_chain_edge edge = chain_edge_at(lane, chain, chains);
    uint at = chain.first - base + min(lane, chain.count - 1u) * chain.step;
    side.first = cooperative_place(at);
    side.second = cooperative_place(at + chain.step);
    side.count = chain.count;
    side.pull = pull;
    side.low = chain.low * edge.rest;
    side.high = chain.high * edge.rest;
    side.first_weight = held[side.first].w;
    side.second_weight = held[side.second].w;
    float weight = side.first_weight + side.second_weight;
    side.give = cloth_chain_give(edge.compliance, stiffness, chain.soften, weight);
    if (lane < chain.count)
        side.inverse = cloth_inverse(fma(weight, CLOTH_CHAIN_SCALE, 1e-20f + side.give));
    if (lane > 0u) side.before = -side.first_weight * side.inverse;
    if (lane + 1u < chain.count) side.after = -side.second_weight * side.inverse;
    if (chains.turns) {
        __global const float4 *past = chains.before + chains.turns + base + at;
        float4 way = cloth_from(past[chain.step], past[0]);
        float part =
            hed_near_rsqrt(fma(way.x, way.x, fma(way.y, way.y, fma(way.z, way.z, 1e-24f))));
        side.past_x = way.x * part;
        side.past_y = way.y * part;
        side.past_z = way.z * part;
    }
    return side;
}

/* Solves an item's chain of places as chain_solve_in_warp(). Elements of a row that lead out of its
 * chain are 0, so that lanes of other chains need no test. `pass`: of CLOTH_CHAINS. */
CLOTH_FUNCTION void cooperative_pull(cooperative_side side, uint lane, uint width, uint pass,
    __local float4 *held, __local float *pulls)
{
    if (!hed_lane_shuffle(side.count, 0)) return; /* a warp without a chain */
    /* a lane without a chain reads a place of its warp's first one: other warps write theirs */
    uint id = hed_lane_id(), before = id - 1u, of_warp = hed_lane_shuffle(side.first, 0);
    float4 a = held[side.count ? side.first : of_warp],
           b = held[side.count ? side.second : of_warp];
    float pulled = pass == 2u && lane < side.count ? pulls[side.pull] : 0.0f;
    float x = b.x - a.x, y = b.y - a.y, z = b.z - a.z,
          square = fma(x, x, fma(y, y, fma(z, z, 1e-24f))), part = hed_near_rsqrt(square),
          length = square * part;
    float right = length - hed_min(hed_max(length, side.low), side.high);
    right = fma(-side.give, pulled, right);
    if (side.low < side.high && right == 0.0f) part = 0.0f;
    x *= part;
    y *= part;
    z *= part;
    float unit_x = x, unit_y = y, unit_z = z,
          turn = fma(x, side.past_x, fma(y, side.past_y, z * side.past_z));
    if (turn > 0.5f) { /* mean of both directions: cloth_chain_axis() */
        part = cloth_inverse(1.0f + turn);
        x = (x + side.past_x) * part;
        y = (y + side.past_y) * part;
        z = (z + side.past_z) * part;
    }
    float last_x = hed_lane_shuffle(x, before), last_y = hed_lane_shuffle(y, before),
          last_z = hed_lane_shuffle(z, before), next_x = hed_lane_shuffle(x, id + 1u),
          next_y = hed_lane_shuffle(y, id + 1u), next_z = hed_lane_shuffle(z, id + 1u);
    cloth_chain_row me;
    me.before = side.before * fma(last_x, unit_x, fma(last_y, unit_y, last_z * unit_z));
    me.after = side.after * fma(next_x, unit_x, fma(next_y, unit_y, next_z * unit_z));
    me.right = side.inverse * right;
    CLOTH_ROLLED
    for (uint step = 1; step < width; step *= 2) {
        cloth_chain_row left, next;
        left.before = hed_lane_shuffle(me.before, id - step);
        left.after = hed_lane_shuffle(me.after, id - step);
        left.right = hed_lane_shuffle(me.right, id - step);
        next.before = hed_lane_shuffle(me.before, id + step);
        next.after = hed_lane_shuffle(me.after, id + step);
        next.right = hed_lane_shuffle(me.right, id + step);
        me = cloth_chain_without(me, left, next);
    }
    float last = hed_lane_shuffle(me.right, before);
    hed_lane_barrier(); /* neighbours have read the places */
    last = lane > 0u ? last * side.first_weight : 0.0f;
    float first = me.right * side.first_weight, second = me.right * side.second_weight;
    if (lane < side.count) {
        held[side.first] = hed_f4(fma(first, x, fma(-last, last_x, a.x)),
            fma(first, y, fma(-last, last_y, a.y)), fma(first, z, fma(-last, last_z, a.z)), a.w);
        if (pass) pulls[side.pull] = pulled + me.right;
    }
    if (lane + 1u == side.count)
        held[side.second] =
            hed_f4(fma(-second, x, b.x), fma(-second, y, b.y), fma(-second, z, b.z), b.w);
}

/* Sweeps over the places of the group's lattice; the constants of the first chains of both directions
 * stay in registers. `source`: of the item's place, if that is a particle. */
CLOTH_FUNCTION void cooperative_sweep(uint4 task, cloth_chains_view chains, float stiffness,
    __global float4 *position, uint4 source, uint item, __local float4 *memory)
{
    uint bits = cloth_task_side_bits(task), width = 1u << bits, pass = cloth_task_pass(task),
         lattice = (uint)get_group_id(0), places = cloth_task_places(task),
         base = task.z + lattice * places, at = item >> bits, lane = item & (width - 1u),
         warps = cloth_task_warp(task), wefts = cloth_task_weft(task),
         warp_at = task.y + lattice * warps,
         weft_at = task.y + cloth_task_lattices(task) * warps + lattice * wefts;
    __local float *pulls = (__local float *)(memory + cooperative_place(places));
    if (cooperative_is_at_particles(task)) {
        float4 place = position[source.x];
        place.w = as_float(source.w);
        if (item < places) memory[cooperative_place(item)] = place;
        barrier(CLK_LOCAL_MEM_FENCE);
    } else {
        cooperative_take_places(chains.points + base, places, item, memory);
    }
    cooperative_side warp = cooperative_side_of(
                         warp_at, at, warps, lane, item, chains, stiffness, memory, base),
                     weft = cooperative_side_of(weft_at, at, wefts, lane, item + (warps << bits),
                         chains, stiffness, memory, base);
    barrier(CLK_LOCAL_MEM_FENCE); /* all items have read inverse masses */
    CLOTH_ROLLED
    for (uint half_sweep = 0; half_sweep < cloth_task_halves(task); half_sweep++) {
        uint is_weft = half_sweep & 1u, count = is_weft ? wefts : warps;
        cooperative_side side = is_weft ? weft : warp;
        CLOTH_ROLLED
        for (uint from = 0; from < count; from += (uint)WG >> bits) {
            if (from > 0)
                side = cooperative_side_of(is_weft ? weft_at : warp_at, from + at, count, lane,
                    item + ((from + (is_weft ? warps : 0u)) << bits), chains, stiffness, memory,
                    base);
            cooperative_pull(side, lane, width, pass && half_sweep > 1u ? 2u : pass, memory, pulls);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    CLOTH_ROLLED
    for (uint i = item; i < places; i += WG) {
        float4 to = memory[cooperative_place(i)];
        if (!cooperative_is_at_particles(task)) chains.points[base + i] = to;
        else if (position[source.x].w > 0.0f)
            position[source.x] = hed_f4(to.x, to.y, to.z, position[source.x].w);
    }
}
#endif

#endif
