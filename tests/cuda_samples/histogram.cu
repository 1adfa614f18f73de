#include <cstdio>
#include <cstring>
#include <limits.h>

typedef unsigned int uint;
typedef unsigned char uchar;
enum { BINS = 256 };

namespace device_code {
__device__ inline void add_byte(uint *bins, uint value) { atomicAdd(bins + value, 1); }
}

__global__ void histogram(const uint *data, uint *bins, uint count)
{
    __shared__ uint local[BINS];
    for (uint i = threadIdx.x; i < BINS; i += blockDim.x) local[i] = 0;
    __syncthreads();
    for (uint i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        for (int shift = 0; shift < 32; shift += CHAR_BIT)
            device_code::add_byte(local, data[i] >> shift & 0xff);
    __syncthreads();
    for (uint i = threadIdx.x; i < BINS; i += blockDim.x) atomicAdd(bins + i, local[i]);
}

extern "C" void histogram_on_device(const uint *data, uint *bins, uint count)
{
    histogram<<<240, 192>>>(data, bins, count);
    printf("%u bins\n", (uint)BINS);
}
