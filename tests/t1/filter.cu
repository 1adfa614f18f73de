/* A filter over an image, its weights in constant memory; block_size_x, block_size_y, tile_x, filter_width and filter_height are
 * parameters. The image has filter_width - 1 and filter_height - 1 more columns and rows than the result. */
__constant__ float weights[filter_width * filter_height];

__global__ void filter(float *result, const float *image)
{
    const int y = blockIdx.y * block_size_y + threadIdx.y;
    const int across = WIDTH + filter_width - 1;
    for (int t = 0; t < tile_x; t++) {
        const int x = (blockIdx.x * tile_x + t) * block_size_x + threadIdx.x;
        float sum = 0.0f;
        for (int j = 0; j < filter_height; j++)
            for (int i = 0; i < filter_width; i++) sum += weights[j * filter_width + i] * image[(y + j) * across + x + i];
        if (x < WIDTH) result[y * WIDTH + x] = sum;
    }
}
