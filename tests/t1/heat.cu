/* Steps of heat flow on a grid: what comes in is a temperature in kelvin, and radiation grows with its fourth power, so that 0 K to 1,000,000 K,
 * as random numbers may be, end in infinities that depend on the order of the steps. */
__global__ void heat(float *after, const float *before, const float *power, float conduction)
{
    const int y = blockIdx.y * block_size_y + threadIdx.y;
    for (int t = 0; t < tile_x; t++) {
        const int x = (blockIdx.x * tile_x + t) * block_size_x + threadIdx.x;
        float temperature = before[y * 512 + x];
        #pragma unroll unroll
        for (int step = 0; step < 8; step++) {
            const float left = before[y * 512 + max(x - 1, 0)], right = before[y * 512 + min(x + 1, 511)];
            const float radiation = 5.67e-8f * temperature * temperature * temperature * temperature;
            temperature += conduction * (left + right - 2.0f * temperature) + 0.001f * (power[y * 512 + x] - radiation);
        }
        after[y * 512 + x] = temperature;
    }
}
