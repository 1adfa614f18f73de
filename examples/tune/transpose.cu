/* out = transpose of in, through a tile in dynamic shared memory; a block of TILE x ROWS threads
 * does a tile of TILE x TILE. */
extern "C" __global__ void __launch_bounds__(HED_MAX_THREADS)
transpose(const float *__restrict__ in, float *__restrict__ out, int width, int height)
{
    extern __shared__ float tile[]; /* TILE * (TILE + PAD): the local array of the tune file */
    const int left = blockIdx.x * TILE, top = blockIdx.y * TILE;
    for (int row = threadIdx.y; row < TILE; row += ROWS) {
        const int x = left + threadIdx.x, y = top + row;
        if (x < width && y < height) tile[row * (TILE + PAD) + threadIdx.x] = in[(size_t)y * width + x];
    }
    __syncthreads();
    for (int row = threadIdx.y; row < TILE; row += ROWS) {
        const int x = top + threadIdx.x, y = left + row;
        if (x < height && y < width) out[(size_t)y * height + x] = tile[threadIdx.x * (TILE + PAD) + row];
    }
}

extern "C" __global__ void transpose_plainly(const float *in, float *out, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) out[(size_t)x * height + y] = in[(size_t)y * width + x];
}
