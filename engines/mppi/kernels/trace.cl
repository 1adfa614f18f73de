/* Samples of the last round, rolled out again for display: work item n has sample which[begin +
 * n], or, if `all` samples are rolled out for their costs, the device's own sample begin + n.
 * These costs are as weights use them. */
__kernel void mppi_trace(__global const uint *inputs, __global const uint *which,
    __global float *costs, __global float *states, __global float *store,
    __global const float *tables, __global const float *noise, const mppi_fixed fixed, uint stream,
    uint begin, uint count, uint all, HED_LOCAL(float, block))
{
    HED_LOCAL_USE(float, block);
    const mppi_fixed *f = &fixed;
    uint id = (uint)get_local_id(0), n = (uint)get_group_id(0) * GROUP + id, at = begin + n;
    mppi_tile made, *tile = &made;
    for (uint i = id; i < INPUTS; i += GROUP) block[AT_INPUTS + i] = hed_as_float(inputs[i]);
    tile->block = block;
    tile->controls = store + (size_t)get_group_id(0) * SCALARS * STRIDE;
    tile->stream = stream;
    tile->noise = noise + (NOISE_STREAMS ? (size_t)stream * SCALARS * f->row : 0);
    tile->tables = tables;
    tile->id = id;
    barrier(CLK_LOCAL_MEM_FENCE);
    tile->number = hed_as_uint(INPUT(IN_NUMBER));
    tile->first = (all ? f->begin + at : which[n < count ? at : begin]) - id;
    tile->trace = !all && n < count ? states + (size_t)at * (STEPS + 1) * MODEL_STATES : 0;
    if (tile->trace)
        for (uint i = 0; i < MODEL_STATES; i++) tile->trace[i] = INPUT(IN_STATE + i);
    float cost = tile_rollout(f, tile);
    if (n < count) costs[at] = cost;
}
