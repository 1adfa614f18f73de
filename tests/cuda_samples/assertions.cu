#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

extern "C" __global__ void assertions(int *x, int n)
{
    int i = threadIdx.x;
    assert(i < n);
    if (x[i] < 0) printf("element %d is %d\n", i, x[i]);
    x[i] = abs(x[i]);
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 64;
    assertions<<<1, n>>>(NULL, n);
    return cudaDeviceSynchronize() == cudaSuccess ? EXIT_SUCCESS : EXIT_FAILURE;
}
