#include <cub/cub.cuh>
#include <stdint.h>

template <int THREADS>
__global__ void block_reduce(const uint32_t *in, uint32_t *out, int n)
{
    typedef cub::BlockReduce<uint32_t, THREADS> reduce;
    __shared__ typename reduce::TempStorage storage;
    uint32_t sum = 0;
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += gridDim.x * THREADS) sum += in[i];
    sum = reduce(storage).Sum(sum);
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}
template __global__ void block_reduce<256>(const uint32_t *, uint32_t *, int);
