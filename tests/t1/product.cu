/* A product of square matrices by tiles in shared memory; the type that is loaded at once is a parameter. */
#include <cuda_fp16.h>

template <typename wide> struct parts { static const int count = sizeof(wide) / sizeof(float); };

extern "C" __global__ void product(float *c, const float *a, const float *b)
{
    __shared__ float tile[block_size_y][SIZE / SLICES];
    const int column = (blockIdx.x * block_size_x + threadIdx.x) * parts<load>::count, row = blockIdx.y * block_size_y + threadIdx.y;
    float sum[parts<load>::count] = {};
    for (int slice = 0; slice < SLICES; slice++) {
        for (int k = threadIdx.x; k < SIZE / SLICES; k += block_size_x) tile[threadIdx.y][k] = a[row * SIZE + slice * (SIZE / SLICES) + k];
        __syncthreads();
        for (int k = 0; k < SIZE / SLICES; k++) {
            const load from = *(const load *)&b[(slice * (SIZE / SLICES) + k) * SIZE + column];
            for (int i = 0; i < parts<load>::count; i++) sum[i] += tile[threadIdx.y][k] * ((const float *)&from)[i];
        }
        __syncthreads();
    }
    for (int i = 0; i < parts<load>::count; i++) c[row * SIZE + column + i] = sum[i];
}
