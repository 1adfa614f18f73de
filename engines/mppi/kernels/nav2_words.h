/* Words of the kernels of Nav2's controller: access to the frame's arrays and costmap, critics'
 * weights, and reductions over a work-group. SIDEWAYS (1: axis vy) and NAV2_TEAM are defines. */
#define NAV2_GROUP (NAV2_TILE * NAV2_TEAM)
#define NAV2_AXES_USED (2 + SIDEWAYS)
#define NAV2_INPUT __global const uint *inputs, __global const nav2_frame *f
#define NAV2_FLOATS(at) ((__global const float *)inputs + (at))
/* Larger than any cost that counts. */
#define NAV2_FAR 3e38f

MPPI_FUNCTION int nav2_is_active(__global const nav2_frame *f, int critic)
{
    return (int)(f->active >> critic & 1u);
}

/* (weight value)^power */
MPPI_FUNCTION float nav2_weigh(__global const nav2_frame *f, int critic, float value)
{
    float base = f->critics[critic].weight * value, power = base;
    for (int n = 1; n < (int)f->critics[critic].power; n++) power *= base;
    return power;
}

/* Minimum of all items' values; every item calls, with `shared` of NAV2_GROUP floats. */
MPPI_FUNCTION float nav2_group_min(__local float *shared, float value)
{
    int id = (int)get_local_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    shared[id] = value;
    for (int span = NAV2_GROUP / 2; span > 0; span /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (id < span) shared[id] = mppi_min(shared[id + span], shared[id]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    return shared[0];
}
/* Sum of all items' values, likewise. */
MPPI_FUNCTION float nav2_group_sum(__local float *shared, float value)
{
    int id = (int)get_local_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    shared[id] = value;
    for (int span = NAV2_GROUP / 2; span > 0; span /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (id < span) shared[id] += shared[id + span];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    return shared[0];
}

/* Smallest float in a slot of all tiles. */
MPPI_FUNCTION float nav2_slots_min(
    __local float *shared, __global const uint *slots, int tiles, int slot)
{
    float lowest = NAV2_FAR;
    for (int t = (int)get_local_id(0); t < tiles; t += NAV2_GROUP)
        lowest = mppi_min(hed_as_float(slots[t * NAV2_SLOT_WORDS + slot]), lowest);
    return nav2_group_min(shared, lowest);
}
/* The furthest point of all tiles; a float has all numbers of points. */
MPPI_FUNCTION uint nav2_slots_furthest(__local float *shared, __global const uint *slots, int tiles)
{
    float largest = 0.0f;
    for (int t = (int)get_local_id(0); t < tiles; t += NAV2_GROUP)
        largest = mppi_max((float)slots[t * NAV2_SLOT_WORDS + NAV2_SLOT_FURTHEST], largest);
    return (uint)-nav2_group_min(shared, -largest);
}

/* The point of the path `offset` points beyond the furthest one. */
MPPI_FUNCTION uint nav2_target(__global const nav2_frame *f, uint furthest, uint offset)
{
    uint at = furthest + offset;
    return at < f->points - 1 ? at : f->points - 1;
}
