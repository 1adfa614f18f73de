/* Critics of Nav2 that depend on the furthest point of all futures, for a tile of futures: gates
 * and targets, then costs; ObstaclesCritic, whose repulsion is relative to the smallest of all; and
 * the smallest cost of the tile. */
#define REACH_AT(array, t) \
    futures[((size_t)(array) * f->tiles + (size_t)tile) * (size_t)steps * NAV2_TILE + (size_t)(t) * NAV2_TILE + (size_t)lane]

/* The point of 0..furthest-1 whose length is nearest to a travelled one. */
MPPI_FUNCTION int reach_point(NAV2_INPUT, uint furthest, float arc)
{
    __global const float *middle = NAV2_FLOATS(f->middle);
    int low = 0, high = (int)furthest - 1;
    while (low < high) {
        int between = (low + high) / 2, beyond = middle[between] <= arc;
        low = beyond ? between + 1 : low;
        high = beyond ? high : between;
    }
    return low;
}
MPPI_FUNCTION float reach_follows(NAV2_INPUT, uint target, float x, float y)
{
    return mppi_sqrt(mppi_square(x - NAV2_FLOATS(f->path_x)[target]) +
                     mppi_square(y - NAV2_FLOATS(f->path_y)[target]));
}
MPPI_FUNCTION float reach_angle(NAV2_INPUT, uint target, float x, float y, float yaw)
{
    float bearing =
        mppi_atan2(NAV2_FLOATS(f->path_y)[target] - y, NAV2_FLOATS(f->path_x)[target] - x);
    float against = f->angle_mode == 2 ? NAV2_FLOATS(f->path_yaw)[target] : yaw;
    float deviation = mppi_abs(mppi_wrap(bearing - against));
    if (f->angle_mode != 0 && deviation >= 1.57079637f) bearing += 3.14159274f;
    return mppi_abs(mppi_wrap(bearing - yaw));
}

/* PathAlignCritic: mean distance of the strided poses of this lane's future from the points at
 * their travelled lengths; `count`: strided poses, 0 where the critic is off, since all items pass
 * the barriers. `lengths`: (steps x NAV2_TILE); `parts`: (2 x NAV2_GROUP). */
MPPI_FUNCTION float reach_align(NAV2_INPUT, __global const float *futures, uint furthest, int tile,
    int count, __local float *lengths, __local float *parts)
{
    int id = (int)get_local_id(0), lane = id % NAV2_TILE, member = id / NAV2_TILE;
    int step = (int)f->align_step, steps = (int)f->steps;
    float sum = 0.0f, counted = 0.0f;
    for (int k = member; k < count; k += NAV2_TEAM) {
        int t = (k + 1) * step;
        lengths[k * NAV2_TILE + lane] =
            mppi_sqrt(mppi_square(REACH_AT(NAV2_FUTURE_X, t) - REACH_AT(NAV2_FUTURE_X, t - step)) +
                      mppi_square(REACH_AT(NAV2_FUTURE_Y, t) - REACH_AT(NAV2_FUTURE_Y, t - step)));
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (member == 0) {
        float arc = 0.0f;
        for (int k = 0; k < count; k++) lengths[k * NAV2_TILE + lane] = arc += lengths[k * NAV2_TILE + lane];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = member; k < count; k += NAV2_TEAM) {
        int t = (k + 1) * step, q = reach_point(inputs, f, furthest, lengths[k * NAV2_TILE + lane]);
        float dx = NAV2_FLOATS(f->path_x)[q] - REACH_AT(NAV2_FUTURE_X, t);
        float dy = NAV2_FLOATS(f->path_y)[q] - REACH_AT(NAV2_FUTURE_Y, t), turn = 0.0f;
        if (f->align_turns)
            turn = mppi_wrap(NAV2_FLOATS(f->path_yaw)[q] - REACH_AT(NAV2_FUTURE_YAW, t));
        float valid = NAV2_FLOATS(f->valid)[q];
        sum += valid * mppi_sqrt(dx * dx + dy * dy + turn * turn);
        counted += valid;
    }
    parts[id] = sum;
    parts[NAV2_GROUP + id] = counted;
    barrier(CLK_LOCAL_MEM_FENCE);
    sum = counted = 0.0f;
    for (int m = 0; m < NAV2_TEAM; m++) {
        sum += parts[m * NAV2_TILE + lane];
        counted += parts[NAV2_GROUP + m * NAV2_TILE + lane];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    return sum / mppi_max(counted, 1.0f);
}

#if defined(HED_GROUP_OF)
HED_GROUP_OF(NAV2_GROUP, 1, 1)
#endif
__kernel void nav2_reach(__global const uint *inputs, __global const float *futures,
    __global float *facts, __global uint *slots, HED_LOCAL(float, block))
{
    HED_LOCAL_USE(float, block);
    __global const nav2_frame *f = (__global const nav2_frame *)inputs;
    __local float *shared = block, *lengths = block + 2 * NAV2_GROUP;
    int id = (int)get_local_id(0), lane = id % NAV2_TILE, member = id / NAV2_TILE;
    int tile = (int)get_group_id(0), tiles = (int)f->tiles, steps = (int)f->steps;
    uint furthest = f->lyrical ? nav2_slots_furthest(shared, slots, tiles) : slots[NAV2_SLOT_FURTHEST];
    float repulsion = 0.0f, values[4] = {0.0f};
    int obstacles = nav2_is_active(f, NAV2_AT_OBSTACLES);
    if (obstacles) repulsion = nav2_slots_min(shared, slots, tiles, NAV2_SLOT_REPULSION);
    uint beyond_robot = nav2_target(f, furthest, f->angle_offset);
    int aligns = reach_aligns(inputs, f, furthest), turns = reach_turns(inputs, f, beyond_robot);
    int strided = aligns ? (steps - 1) / (int)f->align_step : 0;
    float distance = reach_align(inputs, f, futures, furthest, tile, strided, lengths, shared);
    if (aligns) values[0] = nav2_weigh(f, NAV2_AT_ALIGN, distance);
    float x = REACH_AT(NAV2_FUTURE_X, steps - 1), y = REACH_AT(NAV2_FUTURE_Y, steps - 1);
    float yaw = REACH_AT(NAV2_FUTURE_YAW, steps - 1);
    if (turns) values[1] = nav2_weigh(f, NAV2_AT_ANGLE, reach_angle(inputs, f, beyond_robot, x, y, yaw));
    if (nav2_is_active(f, NAV2_AT_FOLLOW))
        values[2] = nav2_weigh(
            f, NAV2_AT_FOLLOW, reach_follows(inputs, f, reach_follow(inputs, f, furthest), x, y));
    size_t at = (size_t)tile * NAV2_TILE + (size_t)lane, row = (size_t)f->tiles * NAV2_TILE;
    if (obstacles) {
        float cost = f->raw_weight * facts[NAV2_FACT_RAW * row + at] +
                     f->repulsion_weight * (facts[NAV2_FACT_REPULSION * row + at] - repulsion) /
                         (float)steps;
        values[3] = cost;
        for (int n = 1; n < (int)f->critics[NAV2_AT_OBSTACLES].power; n++) values[3] *= cost;
    }
    int counts = member == 0 && (uint)(tile * NAV2_TILE + lane) < f->samples;
    float lowest = NAV2_FAR;
    if (counts) {
        lowest = facts[NAV2_FACT_COST * row + at] + values[0] + values[1] + values[2] + values[3];
        facts[NAV2_FACT_COST * row + at] = lowest;
        lowest = MPPI_IS_OUT(lowest) ? NAV2_FAR : lowest;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (member == 0) {
        shared[lane] = lowest;
        for (int k = 0; k < 4; k++) lengths[k * NAV2_TILE + lane] = counts ? values[k] : 0.0f;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    slots += tile * NAV2_SLOT_WORDS;
    if (id < 4) {
        int critic = id == 0   ? NAV2_AT_ALIGN
                     : id == 1 ? NAV2_AT_ANGLE
                     : id == 2 ? NAV2_AT_FOLLOW
                               : NAV2_AT_OBSTACLES;
        float sum = 0.0f;
        for (int l = 0; l < NAV2_TILE; l++) sum += lengths[id * NAV2_TILE + l];
        slots[NAV2_SLOT_SUMS + critic] = hed_as_uint(sum);
    }
    if (id == 0) {
        for (int l = 1; l < NAV2_TILE; l++) lowest = mppi_min(shared[l], lowest);
        slots[NAV2_SLOT_LEAST] = hed_as_uint(lowest);
    }
}
