// The whole program of a first lesson: kernel, host code, checks.
#include <cmath>
#include <cuda_runtime.h>
#include <iostream>
#include <vector>

#define CHECK(call)                                                        \
    do {                                                                   \
        cudaError_t status = (call);                                       \
        if (status != cudaSuccess) {                                       \
            std::cerr << cudaGetErrorString(status) << " at " << __LINE__; \
            std::exit(1);                                                  \
        }                                                                  \
    } while (0)

__global__ void vector_add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

static bool same(const std::vector<float> &a, const std::vector<float> &b)
{
    for (size_t i = 0; i < a.size(); i++)
        if (std::fabs(a[i] - b[i]) > 1e-5f) return false;
    return true;
}

int main()
{
    const int n = 1 << 20;
    std::vector<float> a(n, 1.0f), b(n, 2.0f), c(n), right(n, 3.0f);
    float *d[3];
    for (float *&p : d) CHECK(cudaMalloc(&p, n * sizeof(float)));
    CHECK(cudaMemcpy(d[0], a.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    vector_add<<<(n + 255) / 256, 256>>>(d[0], d[1], d[2], n);
    CHECK(cudaMemcpy(c.data(), d[2], n * sizeof(float), cudaMemcpyDeviceToHost));
    std::cout << (same(c, right) ? "passed {" : "failed }") << std::endl;
}
