/* Sums over channels, each shifted by the delay of its frequency: a text for HIP and CUDA alike. The delays lie in constant memory. */
#include <hip/hip_runtime.h>

#define CHANNELS 64
__constant__ float delays[CHANNELS];

__global__ void shift_and_add(const float *samples, float *sums)
{
    const int sample = blockIdx.x * block_size_x + threadIdx.x, measure = blockIdx.y * block_size_y + threadIdx.y;
    float sum = 0.0f;
    #if unroll
    #pragma unroll unroll
    #endif
    for (int channel = 0; channel < CHANNELS; channel++)
        sum += samples[channel * (SAMPLES + MOST) + sample + (int)(delays[channel] * measure)];
    if (sample < SAMPLES) sums[measure * SAMPLES + sample] = sum;
}
