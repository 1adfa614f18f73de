/* Tiles on any device: group (system, chain) computes the tiles chain, chain + CHAINS, ... of a
 * system and writes their sums for merge.cl. Inputs: INPUTS words for each system; PASS_BOTH:
 * gains after all systems' words. PASS_COSTS writes costs, (systems x N); PASS_WEIGHTS reads
 * them, and the results of bounds.cl after them. */
#if defined(HED_GROUP_OF)
HED_GROUP_OF(GROUP, 1, 1)
#endif
__kernel void mppi_launches(__global const uint *inputs, __global float *sums,
    __global float *store, __global const float *tables, __global const float *noise,
    __global float *costs, const mppi_fixed fixed, HED_LOCAL(float, block))
{
    HED_LOCAL_USE(float, block);
    const mppi_fixed *f = &fixed;
    uint group = (uint)get_group_id(0), system = group / CHAINS, id = (uint)get_local_id(0);
    uint first = group % CHAINS;
    tile_chain chain = {MPPI_OUT, 0.0f};
    mppi_tile made, *tile = &made;
    tile->block = block;
#if STORE == 2
    tile->controls = store + (size_t)group * SETS * SCALARS * STRIDE;
#else
    tile->controls = block + AT_CONTROLS;
#endif
    tile->stream = system % f->streams;
    tile->noise = noise + (NOISE_STREAMS ? (size_t)tile->stream * SCALARS * f->row : 0);
    tile->tables = tables;
    tile->id = id;
#if PASS == PASS_BOTH
    tile_chain real_chain = {MPPI_OUT, 0.0f};
    mppi_tile real_tile, *real = &real_tile;
    tile->gains =
        (__global const float *)inputs + SYSTEMS * INPUTS + (size_t)system * SCALARS * MODEL_STATES;
    tile->sums = block + AT_SUMS;
    uint input_system = system + f->streams; /* samples are of the nominal system */
#else
    uint input_system = system;
#endif
    for (uint i = id; i < INPUTS; i += GROUP)
        block[AT_INPUTS + i] = hed_as_float(inputs[input_system * INPUTS + i]);
    for (uint row = id; row < SETS * (ROWS + 1); row += GROUP) block[AT_SUMS + row] = 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    tile->number = hed_as_uint(INPUT(IN_NUMBER));
#if PASS == PASS_BOTH
    real_tile = made;
    real->controls = tile->controls + SCALARS * STRIDE;
    real->sums = tile->sums + ROWS + 1;
#elif PASS == PASS_WEIGHTS
    tile->least = costs[(size_t)SYSTEMS * f->samples + 2 * system];
    tile->bound = costs[(size_t)SYSTEMS * f->samples + 2 * system + 1];
#endif
    costs += (size_t)system * f->samples;
    uint limit = (uint)(INPUT(IN_FRACTION) * (float)TILES);
    limit = limit > 1 ? limit : 1;
    for (uint t = first; t < limit; t += CHAINS) {
        tile->first = TILE_BEGIN(system) + t * SAMPLES;
        if (!FUSED) tile_prepare(f, tile, 1, 1);
#if PASS == PASS_COSTS
        int crashed, exists = id < SAMPLES && tile->first + id < f->samples;
        float cost = tile_judge(f, tile, tile_rollout(f, tile), &crashed);
        if (exists) costs[tile->first + id] = cost;
        barrier(KEPT_FENCE);
#elif PASS == PASS_WEIGHTS
        int exists = id < SAMPLES && tile->first + id < f->samples;
        tile_rollout(f, tile);
        tile_add(f, tile, exists ? costs[tile->first + id] : MPPI_OUT, &chain);
#elif PASS == PASS_BOTH
        float real_cost, cost = tile_rollout_both(f, tile, &real_cost);
        real->first = tile->first;
        tile_add(f, tile, cost, &chain);
        tile_add(f, real, real_cost, &real_chain);
#else
        tile_add(f, tile, tile_rollout(f, tile), &chain);
#endif
    }
#if PASS != PASS_COSTS
    sums += (size_t)(input_system * CHAINS + first) * (ROWS + 2);
    for (uint row = id; row <= ROWS; row += GROUP) sums[row] = block[AT_SUMS + row];
    if (id == 0) sums[ROWS + 1] = chain.minimum;
#endif
#if PASS == PASS_BOTH
    sums -= (size_t)f->streams * CHAINS * (ROWS + 2);
    for (uint row = id; row <= ROWS; row += GROUP) sums[row] = real->sums[row];
    if (id == 0) sums[ROWS + 1] = real_chain.minimum;
#endif
}
