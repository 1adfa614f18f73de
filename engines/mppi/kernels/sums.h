/* Conversion of a tile's costs to weights, and of its weighted controls to the sums of a chain
 * (in the order of controller.h). The second part of tile.h, which precedes it. */

/* ---- weights ---- */

/* Sums of a chain of tiles, relative to the chain's minimum; rows are stored at AT_SUMS. */
typedef struct tile_chain {
    float minimum;
    float crashed; /* kept by item 0, which stores it after the rows */
} tile_chain;

/* Replaces the cost of an invalid sample, or one beyond N, by MPPI_OUT; `*crashed`: 1 if the
 * sample counts as crashed. */
MPPI_FUNCTION float tile_judge(TILE, float cost, int *crashed)
{
    int exists = tile->id < SAMPLES && tile->first + tile->id < f->samples;
    int out = MPPI_IS_OUT(cost);
    *crashed = exists && (out || cost >= f->crash);
    return exists && !out ? cost : MPPI_OUT;
}

/* Return the reference cost of a tile's weights, and the weight of a cost. */
MPPI_FUNCTION float tile_least(const mppi_tile *tile, float minimum)
{
#if PASS == PASS_WEIGHTS
    return tile->least;
#else
    return minimum;
#endif
}

MPPI_FUNCTION float tile_weight(TILE, float reference, float cost)
{
#if PASS == PASS_WEIGHTS && ELITE
    return !MPPI_IS_OUT(cost) && cost <= tile->bound ? 1.0f : 0.0f;
#elif PASS == PASS_WEIGHTS
    float share = 1.0f - mppi_divide(cost - reference, f->gamma);
    if (MPPI_IS_OUT(cost) || !(share > 0.0f)) return 0.0f;
    return mppi_exp(mppi_log(share) * f->power);
#else
    return mppi_weight(reference, cost, INPUT(IN_INVERSE));
#endif
}

#if HED_HAS_LANES

/* Computes weights at AT_WEIGHTS. Strict: relative to the tile's minimum; else to the warp's,
 * which saves a barrier. */
MPPI_FUNCTION void tile_weigh(TILE, float cost, tile_chain *chain)
{
    __local float *minima = tile->block + AT_MINIMA, *weights = tile->block + AT_WEIGHTS;
    int crashed;
    if (tile->id < (SAMPLES + 31) / 32 * 32) {
        cost = tile_judge(f, tile, cost, &crashed);
        float minimum = tile_least(tile, hed_lane_min(cost));
        uint count = hed_lane_count(crashed);
#if !HED_STRICT
        if (tile->id < SAMPLES) weights[tile->id] = tile_weight(f, tile, minimum, cost);
#endif
        if (tile->id % 32 == 0) {
            minima[tile->id / 32] = minimum;
            minima[32 + tile->id / 32] = (float)count;
        }
    }
    barrier(KEPT_FENCE);
#if HED_STRICT
    float minimum = minima[0];
    for (uint i = 1; i < (SAMPLES + 31) / 32; i++) minimum = mppi_min(minima[i], minimum);
    if (tile->id < SAMPLES) weights[tile->id] = tile_weight(f, tile, minimum, cost);
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    if (tile->id == 0) {
        for (uint i = 0; i < (SAMPLES + 31) / 32; i++) chain->crashed += minima[32 + i];
        SUMS[ROWS] = chain->crashed;
    }
}

/* Sums 8 values over WIDTH lanes by halves, with 9 shuffles instead of 40. The sum of value
 * tile_row(lane) is in the lanes whose last bits, below WIDTH / 8, are 0. */
MPPI_FUNCTION float tile_sum8(float *v, uint lane)
{
    uint distance = WIDTH / 2;
    for (uint n = 4; n; n >>= 1, distance >>= 1)
        for (uint i = 0; i < n; i++) {
            int upper = (lane & distance) != 0;
            float keep = upper ? v[i + n] : v[i], send = upper ? v[i] : v[i + n];
            v[i] = keep + hed_lane_xor(send, distance);
        }
    for (; distance; distance >>= 1) v[0] += hed_lane_xor(v[0], distance);
    return v[0];
}
MPPI_FUNCTION uint tile_row(uint lane)
{
    return (lane & WIDTH / 2 ? 4 : 0) + (lane & WIDTH / 4 ? 2 : 0) + (lane & WIDTH / 8 ? 1 : 0);
}

/* Weights of this lane's samples, and rescaling factors of the chain. */
typedef struct tile_factors {
    float keep, factor;
    float weight[SAMPLES / WIDTH];
} tile_factors;

MPPI_FUNCTION void tile_scale(TILE, tile_chain *chain, tile_factors *by)
{
    const __local float *minima = tile->block + AT_MINIMA, *weights = tile->block + AT_WEIGHTS;
    float inverse = INPUT(IN_INVERSE), lowest = minima[0];
    for (uint i = 1; i < (SAMPLES + 31) / 32; i++) lowest = mppi_min(minima[i], lowest);
    float common = mppi_min(lowest, chain->minimum);
    by->keep = mppi_weight(common, chain->minimum, inverse);
    by->factor = HED_STRICT ? mppi_weight(common, lowest, inverse) : 1.0f;
    chain->minimum = common;
    for (uint i = 0; i < SAMPLES / WIDTH; i++) {
        by->weight[i] = weights[tile->id % WIDTH + i * WIDTH];
        if (!HED_STRICT) by->weight[i] *= mppi_weight(common, minima[i * WIDTH / 32], inverse);
    }
}

MPPI_FUNCTION void tile_put(TILE, const tile_factors *by, uint row, float sum)
{
    __local float *at = SUMS + row;
    int square = row > SCALARS;
    float keep = square ? by->keep * by->keep : by->keep;
    float rescaled = keep == 0.0f ? 0.0f : *at * keep;
    *at = HED_STRICT ? hed_fma(sum, square ? by->factor * by->factor : by->factor, rescaled)
                     : rescaled + sum;
}

/* Computes the weighted sums of all rows from stored controls; each warp sums 8 (32 / WIDTH)
 * rows at a time, with all loads in flight. Only the last rows can be the weights or beyond the
 * end. */
MPPI_FUNCTION void tile_add_stored(TILE, const tile_factors *by)
{
    const uint warps = GROUP / 32, at_once = warps * (32 / WIDTH);
    uint lane = tile->id % 32, first_row = tile->id / 32 * (32 / WIDTH) + lane / WIDTH;
    TILE_UNROLL_BY(8)
    for (uint begin = 0; begin < ROWS; begin += 8 * at_once) {
        float sums[8];
        for (uint c = 0; c < 8; c++) {
            uint row = begin + c * at_once + first_row;
            int inside = begin + (c + 1) * at_once <= SCALARS;
            int beyond = begin + c * at_once >= ROWS;
            const KEPT float *v = tile->controls +
                                  (size_t)(inside || row < SCALARS ? row : SCALARS - 1) * STRIDE +
                                  lane % WIDTH;
            sums[c] = 0.0f;
            if (beyond) continue;
            for (uint i = 0; i < SAMPLES / WIDTH; i++) {
                float value = v[i * WIDTH];
                if (!inside) value = row < SCALARS ? value : row == SCALARS ? 1.0f : by->weight[i];
                sums[c] = hed_fma(by->weight[i], value, sums[c]);
            }
        }
        float sum = tile_sum8(sums, lane);
        uint row = begin + tile_row(lane) * at_once + first_row;
        if ((lane & (WIDTH / 8 - 1)) == 0 && row < ROWS) tile_put(f, tile, by, row, sum);
    }
}

/* Computes the weighted sums of all rows from controls sampled again: 4 scalars at a time. */
MPPI_FUNCTION void tile_add_again(TILE, const tile_factors *by)
{
    uint lane = tile->id % 32;
    for (uint q = tile->id / 32; q <= QUADS; q += GROUP / 32) {
        float sums[8] = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f};
        for (uint i = 0; i < SAMPLES / WIDTH; i++) {
            uint sample = tile->first + tile->id % WIDTH + i * WIDTH;
            float noise[4];
            if (q < QUADS) {
                tile_draw(f, tile, sample, q, noise);
                for (uint c = 0; c < 4; c++) {
                    int j = 4 * q + c < SCALARS ? (int)(4 * q + c) : SCALARS - 1;
                    int control = j % MODEL_CONTROLS;
                    float u = tile_disturb(f, tile, sample, j, control, noise[c]);
                    u = tile_bound(f, tile, control, u);
                    sums[c] = hed_fma(by->weight[i], u, sums[c]);
                }
            } else {
                sums[0] += by->weight[i];
                sums[1] = hed_fma(by->weight[i], by->weight[i], sums[1]);
            }
        }
        float sum = tile_sum8(sums, lane);
        uint c = tile_row(lane), row = q < QUADS ? 4 * q + c : SCALARS + c;
        int is_row = q < QUADS ? c < 4 && row < SCALARS : c < 2;
        if ((lane & (WIDTH / 8 - 1)) == 0 && lane < WIDTH && is_row)
            tile_put(f, tile, by, row, sum);
    }
}

/* Adds the tile to its chain. All items. */
MPPI_FUNCTION void tile_add(TILE, float cost, tile_chain *chain)
{
    tile_factors by;
    tile_weigh(f, tile, cost, chain);
    tile_scale(f, tile, chain, &by);
#if AGAIN
    tile_add_again(f, tile, &by);
#else
    tile_add_stored(f, tile, &by);
#endif
    barrier(CLK_LOCAL_MEM_FENCE);
}

#else /* devices without lanes: an item sums a row, its 32 lanes in its own registers */

MPPI_FUNCTION float tile_control_again(TILE, uint k, uint j)
{
    float noise[4], chosen;
    tile_draw(f, tile, tile->first + k, j / 4, noise);
    chosen = j % 4 == 0 ? noise[0] : j % 4 == 1 ? noise[1] : j % 4 == 2 ? noise[2] : noise[3];
    chosen = tile_disturb(f, tile, tile->first + k, (int)j, (int)(j % MODEL_CONTROLS), chosen);
    return tile_bound(f, tile, (int)(j % MODEL_CONTROLS), chosen);
}

MPPI_FUNCTION float tile_sum_row(TILE, uint row)
{
    const __local float *weights = tile->block + AT_WEIGHTS;
    float lanes[WIDTH];
    for (uint l = 0; l < WIDTH; l++) lanes[l] = 0.0f;
    for (uint k = 0; k < SAMPLES; k += WIDTH)
        for (uint l = 0; l < WIDTH; l++) {
            float value = row == SCALARS ? 1.0f : weights[k + l];
#if AGAIN
            if (row < SCALARS) value = tile_control_again(f, tile, k + l, row);
#else
            if (row < SCALARS) value = tile->controls[row * STRIDE + k + l];
#endif
            lanes[l] = hed_fma(weights[k + l], value, lanes[l]);
        }
    for (uint distance = WIDTH / 2; distance; distance >>= 1)
        for (uint l = 0; l < distance; l++) lanes[l] += lanes[l + distance];
    return lanes[0];
}

/* Adds the tile to its chain. All items. */
MPPI_FUNCTION void tile_add(TILE, float cost, tile_chain *chain)
{
    __local float *minima = tile->block + AT_MINIMA, *weights = tile->block + AT_WEIGHTS;
    __local float *sums = SUMS;
    float inverse = INPUT(IN_INVERSE), least = MPPI_OUT, count = 0.0f;
    int crashed;
    cost = tile_judge(f, tile, cost, &crashed);
    if (tile->id < SAMPLES) {
        weights[tile->id] = cost;
        tile->block[AT_CRASHED + tile->id] = crashed ? 1.0f : 0.0f;
    }
    barrier(KEPT_FENCE);
    if (tile->id < WIDTH) {
        for (uint k = tile->id; k < SAMPLES; k += WIDTH) {
            least = mppi_min(weights[k], least);
            count += tile->block[AT_CRASHED + k];
        }
        minima[tile->id] = least;
        minima[32 + tile->id] = count;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    /* all items count: PoCL takes the branch of an item that directly follows a barrier for a
     * branch of the group (docs/kernels.md) */
    chain->crashed += minima[32];
    for (uint i = 1; i < WIDTH; i++) chain->crashed += minima[32 + i];
    least = minima[0];
    for (uint i = 1; i < WIDTH; i++) least = mppi_min(minima[i], least);
    least = tile_least(tile, least);
    if (tile->id < SAMPLES) weights[tile->id] = tile_weight(f, tile, least, cost);
    if (tile->id == 0) sums[ROWS] = chain->crashed;
    barrier(CLK_LOCAL_MEM_FENCE);
    float both = mppi_min(least, chain->minimum);
    float keep = mppi_weight(both, chain->minimum, inverse);
    float factor = mppi_weight(both, least, inverse);
    chain->minimum = both;
    for (uint row = tile->id; row < ROWS; row += GROUP) {
        float kept = keep == 0.0f ? 0.0f : sums[row] * (row > SCALARS ? keep * keep : keep);
        float sum = tile_sum_row(f, tile, row);
        sums[row] = hed_fma(sum, row > SCALARS ? factor * factor : factor, kept);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

#endif
