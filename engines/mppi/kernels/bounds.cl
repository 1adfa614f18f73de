/* Of the costs of all samples of a system, (systems x samples): the least, and that of rank `rank`
 * from 0 on, exactly, behind them, (systems x 2). A group has a system. Costs are compared as integers
 * in the order of the floats, less the least; a digit of 8 bits at a time, beginning with the highest
 * in which they differ, is counted, and what is left is what shares the digits of the one sought. */
MPPI_FUNCTION uint bounds_key(float cost)
{
    uint bits = hed_as_uint(cost);
    return bits ^ (bits >> 31 ? 0xffffffffu : 0x80000000u);
}
MPPI_FUNCTION float bounds_cost(uint key)
{
    return hed_as_float(key ^ (key >> 31 ? 0x80000000u : 0xffffffffu));
}

__kernel void mppi_bounds(__global float *costs, uint samples, uint rank)
{
    HED_LOCAL_ARRAY(uint, counts, 256);
    HED_LOCAL_ARRAY(uint, found, 2);
    HED_LOCAL_ARRAY(uint, range, 2);
    uint id = (uint)get_local_id(0), items = (uint)get_local_size(0);
    uint system = (uint)get_group_id(0), low = 0xffffffffu, high = 0;
    __global float *bounds = costs + (size_t)SYSTEMS * samples + 2 * system;
    costs += (size_t)system * samples;
    if (id < 2) range[id] = id ? 0 : 0xffffffffu;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = id; k < samples; k += items) {
        uint key = bounds_key(costs[k]);
        low = key < low ? key : low;
        high = key > high && !MPPI_IS_OUT(costs[k]) ? key : high;
    }
    atomic_min(&range[0], low);
    atomic_max(&range[1], high);
    barrier(CLK_LOCAL_MEM_FENCE);
    low = range[0];
    high = range[1] > low ? range[1] - low : 0;
    uint shift = 0, above = 32, prefix = 0, left = rank;
    while (high >> shift > 255) shift++;
    for (;;) {
        for (uint i = id; i < 256; i += items) counts[i] = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint k = id; k < samples; k += items) {
            uint key = bounds_key(costs[k]) - low;
            if (MPPI_IS_OUT(costs[k]) || (above < 32 && key >> above != prefix)) continue;
            atomic_inc(&counts[(key >> shift) - (above < 32 ? prefix << (above - shift) : 0)]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (id == 0) {
            uint digit = 0;
            for (; digit < 256 && left >= counts[digit]; digit++) left -= counts[digit];
            found[0] = digit;
            found[1] = left;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        left = found[1];
        prefix = (above < 32 ? prefix << (above - shift) : 0) + found[0];
        if (shift == 0 || found[0] == 256) break; /* 256: fewer are finite */
        above = shift;
        shift = shift > 8 ? shift - 8 : 0;
    }
    if (id != 0) return;
    bounds[0] = bounds_cost(low);
    bounds[1] = found[0] == 256 ? MPPI_OUT : bounds_cost(low + prefix);
}
