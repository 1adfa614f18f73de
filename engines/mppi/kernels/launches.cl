/* Tiles on any device: group (system, chain) does the tiles chain, chain + CHAINS, ... of a system
 * and leaves their sums for merge.cl. Inputs of a system: INPUTS words. */
#if defined(HED_GROUP_OF)
HED_GROUP_OF(GROUP, 1, 1)
#endif
__kernel void mppi_launches(__global const uint *inputs, __global float *sums,
    __global float *store, __global const float *tables, __global const float *noise,
    const mppi_fixed fixed, HED_LOCAL(float, block))
{
    HED_LOCAL_USE(float, block);
    const mppi_fixed *f = &fixed;
    uint group = (uint)get_group_id(0), system = group / CHAINS, id = (uint)get_local_id(0);
    tile_chain chain = {MPPI_OUT, 0.0f};
    mppi_tile made, *tile = &made;
    tile->block = block;
#if STORE == 2
    tile->controls = store + (size_t)group * SCALARS * STRIDE;
#else
    tile->controls = block + AT_CONTROLS;
#endif
    tile->stream = system % f->streams;
    tile->noise = noise + (NOISE_STREAMS ? (size_t)tile->stream * SCALARS * f->samples : 0);
    tile->tables = tables;
    tile->id = id;
    for (uint i = id; i < INPUTS; i += GROUP)
        block[AT_INPUTS + i] = hed_as_float(inputs[system * INPUTS + i]);
    for (uint row = id; row < ROWS; row += GROUP) block[AT_SUMS + row] = 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    tile->number = hed_as_uint(INPUT(IN_NUMBER));
    for (uint t = group % CHAINS; t < TILES; t += CHAINS) {
        tile->first = t * SAMPLES;
        if (!FUSED) tile_prepare(f, tile, 1, 1);
        tile_add(f, tile, tile_rollout(f, tile), &chain);
    }
    sums += (size_t)group * (ROWS + 2);
    for (uint row = id; row <= ROWS; row += GROUP) sums[row] = block[AT_SUMS + row];
    if (id == 0) sums[ROWS + 1] = chain.minimum;
}
