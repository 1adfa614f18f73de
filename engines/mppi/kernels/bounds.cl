/* Minimum of the costs of a system's first samples, (systems x samples), and the cost of a rank
 * among them, from 0 on, exact; the inputs have their number and the rank; written after the costs, (systems x 2). One group for each
 * system.
 * Costs are converted to integers in the order of the floats, minus the least. The rank is found
 * by digits of 8 bits, beginning with the highest in which costs differ: each digit is counted
 * among the costs that agree in all higher digits. */
MPPI_FUNCTION uint bounds_key(float cost)
{
    uint bits = hed_as_uint(cost);
    return bits ^ (bits >> 31 ? 0xffffffffu : 0x80000000u);
}
MPPI_FUNCTION float bounds_cost(uint key)
{
    return hed_as_float(key ^ (key >> 31 ? 0x80000000u : 0xffffffffu));
}

__kernel void mppi_bounds(__global const uint *inputs, __global float *costs, uint samples)
{
    HED_LOCAL_ARRAY(uint, counts, 256);
    HED_LOCAL_ARRAY(uint, found, 2);
    HED_LOCAL_ARRAY(uint, range, 2);
    uint id = (uint)get_local_id(0), items = (uint)get_local_size(0);
    uint system = (uint)get_group_id(0), low = 0xffffffffu, high = 0, count = inputs[IN_COUNT];
    __global float *bounds = costs + (size_t)SYSTEMS * samples + 2 * system;
    costs += (size_t)system * samples;
    if (id < 2) range[id] = id ? 0 : 0xffffffffu;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = id; k < count; k += items) {
        uint key = bounds_key(costs[k]);
        low = key < low ? key : low;
        high = key > high && !MPPI_IS_OUT(costs[k]) ? key : high;
    }
    atomic_min(&range[0], low);
    atomic_max(&range[1], high);
    barrier(CLK_LOCAL_MEM_FENCE);
    low = range[0];
    high = range[1] > low ? range[1] - low : 0;
    uint shift = 0, high_bit = 32, prefix = 0, left = inputs[IN_RANK];
    while (high >> shift > 255) shift++;
    for (;;) {
        for (uint i = id; i < 256; i += items) counts[i] = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint k = id; k < count; k += items) {
            uint key = bounds_key(costs[k]) - low;
            if (MPPI_IS_OUT(costs[k]) || (high_bit < 32 && key >> high_bit != prefix)) continue;
            atomic_inc(
                &counts[(key >> shift) - (high_bit < 32 ? prefix << (high_bit - shift) : 0)]);
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
        prefix = (high_bit < 32 ? prefix << (high_bit - shift) : 0) + found[0];
        if (shift == 0 || found[0] == 256) break; /* 256: fewer samples are finite */
        high_bit = shift;
        shift = shift > 8 ? shift - 8 : 0;
    }
    if (id != 0) return;
    bounds[0] = bounds_cost(low);
    bounds[1] = found[0] == 256 ? MPPI_OUT : bounds_cost(low + prefix);
}
