#include <helper_cuda.h>
#include <helper_functions.h>
#include <math.h>
#include <stdio.h>

#ifndef TILE
#define TILE 16
#endif

template <int SIZE> __global__ void tiled(float *c, float *a, float *b, int width)
{
    __shared__ float as[SIZE][SIZE], bs[SIZE][SIZE];
    int x = blockIdx.x * SIZE + threadIdx.x, y = blockIdx.y * SIZE + threadIdx.y;
    float sum = 0;
    for (int t = 0; t < width; t += SIZE) {
        as[threadIdx.y][threadIdx.x] = a[y * width + t + threadIdx.x];
        bs[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * width + x];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < SIZE; k++) sum += as[threadIdx.y][k] * bs[k][threadIdx.x];
        __syncthreads();
    }
    c[y * width + x] = sum;
}
template __global__ void tiled<TILE>(float *, float *, float *, int);

void constant_init(float *data, int size, float value)
{
    for (int i = 0; i < size; i++) data[i] = value;
}

int run(int argc, char **argv, int size)
{
    float *h;
    checkCudaErrors(cudaMallocHost((void **)&h, size));
    constant_init(h, size, 0.01f);
    dim3 grid(1, 1), threads(TILE, TILE);
    tiled<TILE><<<grid, threads>>>(h, h, h, size);
    return fabs(h[0]) < 1e-6 ? 0 : 1;
}

int main(int argc, char **argv) { return run(argc, argv, 1024); }
