/* Whether points lie in a polygon: by how many of its edges a ray to the right crosses. The corners lie in constant memory, in a namespace
 * of their own. */
namespace shape {
__constant__ float2 corners[CORNERS];
}

template <int per_thread> __global__ void inside(int *found, const float2 *points, int n)
{
    for (int t = 0; t < per_thread; t++) {
        const int i = (blockIdx.x * per_thread + t) * block_size_x + threadIdx.x;
        if (i >= n) return;
        const float2 p = points[i];
        int crossings = 0;
        for (int k = 0, before = CORNERS - 1; k < CORNERS; before = k++) {
            const float2 a = shape::corners[before], b = shape::corners[k];
            if ((a.y > p.y) != (b.y > p.y) && p.x < (b.x - a.x) * (p.y - a.y) / (b.y - a.y) + a.x) crossings++;
        }
        found[i] = crossings & 1;
    }
}
