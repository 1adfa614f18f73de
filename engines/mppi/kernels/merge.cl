/* Merge of the sums of all chains of a system, in the order of controller.h: weighted mean of
 * the controls, and min S, sum w, sum w^2, crashed samples. A group merges LINES rows at a time
 * with 8 items a row, one for each group of chains. The last line is the sum of the weights, by
 * which every row is divided. */
#define LINES 32

MPPI_FUNCTION float merge_rows(__local const float *parts, uint line)
{
    float sum = parts[line];
    for (uint g = 1; g < 8; g++) sum += parts[g * LINES + line];
    return sum;
}

__kernel void mppi_merge(
    __global const uint *inputs, __global const float *sums, __global float *answers)
{
    HED_LOCAL_ARRAY(float, factors, CHAINS);
    HED_LOCAL_ARRAY(float, parts, 8 * LINES);
    uint id = (uint)get_local_id(0), items = (uint)get_local_size(0);
    /* signed: with unsigned loops over one chain, PoCL 3.1 drops code after a barrier */
    int own = (int)id, step = (int)items;
    uint system = (uint)get_group_id(0) / SLICES, slice = (uint)get_group_id(0) % SLICES;
    float inverse = hed_as_float(inputs[system * INPUTS + IN_INVERSE]), minimum = MPPI_OUT;
    float crashed = 0.0f;
    sums += (size_t)system * CHAINS * (ROWS + 2);
    for (int c = own; c < CHAINS; c += step) factors[c] = sums[c * (ROWS + 2) + ROWS + 1];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint c = 0; c < CHAINS; c++) minimum = mppi_min(factors[c], minimum);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int c = own; c < CHAINS; c += step) factors[c] = mppi_weight(minimum, factors[c], inverse);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint item = id; item < 8 * LINES; item += items) {
        /* the last line is the sum of the weights; the row after the scalars is the sum of their
         * squares */
        uint line = item % LINES, row = slice * (LINES - 1) + line;
        uint at = line == LINES - 1 ? SCALARS : row < SCALARS ? row : SCALARS + 1;
        float part = 0.0f;
        for (uint c = item / LINES; c < CHAINS; c += 8) {
            float factor = at > SCALARS ? factors[c] * factors[c] : factors[c];
            part = hed_fma(factor, sums[c * (ROWS + 2) + at], part);
        }
        parts[item] = part;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    answers += system * (SCALARS + 4);
    float weights = merge_rows(parts, LINES - 1), normalizer = 1.0f / weights;
    for (uint line = id; line < LINES - 1; line += items) {
        uint row = slice * (LINES - 1) + line;
        if (row < SCALARS) answers[row] = merge_rows(parts, line) * normalizer;
        if (row == SCALARS) answers[SCALARS + 2] = merge_rows(parts, line);
    }
    if (slice != 0 || id != 0) return;
    for (uint c = 0; c < CHAINS; c++) crashed += sums[c * (ROWS + 2) + ROWS];
    answers[SCALARS] = minimum;
    answers[SCALARS + 1] = weights;
    answers[SCALARS + 3] = crashed;
}
