/* The furthest point of releases 1.3 and 1.4: each future searches from the furthest point so far,
 * so the order of the futures counts. One group; in each round the first future that ends nearer to
 * a point beyond the furthest one so far moves it there. */
MPPI_FUNCTION int sequence_nearest(NAV2_INPUT, int from, float x, float y)
{
    __global const float *px = NAV2_FLOATS(f->path_x), *py = NAV2_FLOATS(f->path_y);
    float best = NAV2_FAR;
    int nearest = from;
    for (int j = from; j < (int)f->points; j++) {
        float d = mppi_square(x - px[j]) + mppi_square(y - py[j]);
        nearest = d < best ? j : nearest;
        best = d < best ? d : best;
    }
    return nearest;
}

#if defined(HED_GROUP_OF)
HED_GROUP_OF(NAV2_GROUP, 1, 1)
#endif
__kernel void nav2_sequence(
    __global const uint *inputs, __global const float *futures, __global uint *slots)
{
    HED_LOCAL_ARRAY(float, shared, NAV2_GROUP);
    __global const nav2_frame *f = (__global const nav2_frame *)inputs;
    int id = (int)get_local_id(0), samples = (int)f->samples, furthest = 0, first = 0;
    size_t array = (size_t)f->tiles * f->steps * NAV2_TILE;
    while (first < samples) {
        /* each item's first future that moves the furthest point, and where to */
        int mover = samples, target = furthest;
        for (int i = first + id; i < samples && mover == samples; i += NAV2_GROUP) {
            size_t at = ((size_t)(i / NAV2_TILE) * f->steps + f->steps - 1) * NAV2_TILE + (size_t)(i % NAV2_TILE);
            int nearest = sequence_nearest(inputs, f, furthest, futures[NAV2_FUTURE_X * array + at],
                futures[NAV2_FUTURE_Y * array + at]);
            if (nearest > furthest) {
                mover = i;
                target = nearest;
            }
        }
        int lowest = (int)nav2_group_min(shared, (float)mover);
        /* every target is the furthest point so far if there is no mover */
        furthest = (int)nav2_group_min(shared, mover == lowest ? (float)target : NAV2_FAR);
        first = lowest + 1;
    }
    if (id == 0) slots[NAV2_SLOT_FURTHEST] = (uint)furthest;
}
