// A kernel beside a library that has branches for NVRTC, classes of the host's API and macros for its functions.
#include <cuda_runtime.h>
#include <iosfwd>
#include <ostream>
#include <exception>
#include <vector>

#if !defined(__CUDACC_RTC__)
#include <cstdint>
#endif
#define LIBRARY_HOST_DEVICE __host__ __device__ __forceinline__

inline std::ostream &operator<<(std::ostream &out, cudaError_t error) { return out << cudaGetErrorString(error); }

struct failure : std::exception {
    explicit failure(cudaError_t error) : error(error) {}
    cudaError_t error;
};

void run(float *data, cudaStream_t stream);
static std::vector<int> sizes = {1, 2, 3};
static cudaStream_t streams[2];

namespace host {

template <typename T>
void copy(T *to, const T *from, size_t count)
{
    if (cudaMemcpy(to, from, count * sizeof(T), cudaMemcpyDefault) != cudaSuccess) throw failure(cudaErrorUnknown);
}

template <typename T>
class Product {
  public:
    LIBRARY_HOST_DEVICE Product() {}
    void operator()(T *x, cudaStream_t stream) { launched<T><<<1, 64, 0, stream>>>(x); }
};

template <>
class Product<int> {
  public:
    LIBRARY_HOST_DEVICE Product() {}
    cudaStream_t stream;
};

struct Timer {
    cudaEvent_t start, stop;
    Timer() { cudaEventCreate(&start); }
};
using timer = host::Timer;

} // namespace host

namespace tiles {

struct Product {
    uint32_t factor;
    LIBRARY_HOST_DEVICE float operator()(float x) const { return factor * x; }
};

LIBRARY_HOST_DEVICE void copy(float *to, const float *from, uint32_t i) { to[i] = from[i]; }
LIBRARY_HOST_DEVICE void twice(float *to, const float *from, uint32_t i) { copy(to, from, i), to[i] *= 2; }

} // namespace tiles

using Doubled = tiles::Product;

__global__ void library(float *out, const float *in, cudaTextureObject_t unused, int n)
{
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    tiles::twice(out, in, i);
    out[i] = Doubled{3}(out[i]);
}

int main() { host::Product<float>()(nullptr, streams[0]); }
