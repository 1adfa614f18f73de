#include <cuda/std/array>
#include <cuda/std/cstdint>
#include <cuda/std/utility>

__global__ void standard(const float *in, float *out, cuda::std::uint32_t n)
{
    cuda::std::array<float, 4> parts{};
    for (cuda::std::uint32_t i = threadIdx.x; i < n; i += blockDim.x) parts[i % 4] += in[i];
    out[threadIdx.x] = cuda::std::move(parts[0]) + parts[1] + parts[2] + parts[3];
}
