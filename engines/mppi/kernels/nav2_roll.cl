/* A tile of futures of Nav2's controller: noise, velocities that lag the controls by a step and
 * obey the accelerations, poses, the critics that depend on one future alone, and the furthest
 * point of the path that the tile reaches. Item (lane, member) of a group: NAV2_TEAM members divide
 * the steps of future `lane`; one member computes the sequences that depend on the step before. */
enum { ARRAY_VX, ARRAY_WZ, ARRAY_YAW, ARRAY_X, ARRAY_Y, ARRAY_VY };
#define ARRAYS (5 + SIDEWAYS)
#define AT(array, t) block[((array) * STEPS + (int)(t)) * NAV2_TILE + lane]
#define SCRATCH (block + ARRAYS * STEPS * NAV2_TILE)
/* sums over the steps of a future */
enum { SUM_CONSTRAINT, SUM_COST, SUM_HITS, SUM_GOAL, SUM_GOAL_ANGLE, SUM_FORWARD, SUM_TWIRLING, SUM_DEADBAND, SUMS };
/* floats of SCRATCH: (SUMS x team x tile), then (NAV2_AT_COUNT x tile) */
#define VALUES (SCRATCH + SUMS * NAV2_GROUP)
#define FUTURE(array) ((size_t)(array) * f->tiles * STEPS * NAV2_TILE)
/* a private copy: the frame in memory might change with a store */
#define STEPS (item->steps)

typedef struct roll_item {
    int lane, member, tile, steps;
    uint sample;
    size_t base; /* offset of the tile's first step and this lane in an array of futures */
} roll_item;
#define ROLL NAV2_INPUT, __local float *block, const roll_item *item
#define ROLL_ITEM inputs, f, block, item
#define ROLL_LANE int lane = item->lane

MPPI_FUNCTION int roll_array(int axis)
{
    return axis == NAV2_FRAME_VX ? ARRAY_VX : axis == NAV2_FRAME_WZ ? ARRAY_WZ : ARRAY_VY;
}

/* Noise of all axes, in the arrays of their velocities. */
MPPI_FUNCTION void roll_noise(ROLL, __global const float *noise)
{
    ROLL_LANE;
    if (!f->draws) {
        for (int axis = 0; axis < NAV2_AXES_USED; axis++)
            for (int t = item->member; t < STEPS; t += NAV2_TEAM)
                AT(roll_array(axis), t) = noise[FUTURE(axis) + item->base + (size_t)t * NAV2_TILE];
        return;
    }
    float vx = f->axes[NAV2_FRAME_VX].sigma, wz = f->axes[NAV2_FRAME_WZ].sigma;
    for (int q = item->member; q < (STEPS + 1) / 2; q += NAV2_TEAM) {
        float normal[4];
        mppi_normals(item->sample, (uint)q, f->round, 0u, f->seed_low, f->seed_high, normal);
        AT(ARRAY_VX, 2 * q) = vx * normal[0];
        AT(ARRAY_WZ, 2 * q) = wz * normal[1];
        if (2 * q + 1 >= STEPS) continue;
        AT(ARRAY_VX, 2 * q + 1) = vx * normal[2];
        AT(ARRAY_WZ, 2 * q + 1) = wz * normal[3];
    }
#if SIDEWAYS
    for (int q = item->member; q < (STEPS + 3) / 4; q += NAV2_TEAM) {
        float normal[4];
        mppi_normals(item->sample, (uint)q, f->round, 1u, f->seed_low, f->seed_high, normal);
        for (int k = 0; k < 4; k++)
            if (4 * q + k < STEPS)
                AT(ARRAY_VY, 4 * q + k) = f->axes[NAV2_FRAME_VY].sigma * normal[k];
    }
#endif
}

/* v_0 = start, v_t = acc(v_{t-1}, u_{t-1} + noise_{t-1}), in place of the noise. Returns the cost
 * of gamma. */
MPPI_FUNCTION float roll_velocities(ROLL, int axis, __global float *deviation)
{
    ROLL_LANE;
    __global const nav2_frame_axis *a = &f->axes[axis];
    __global const float *plan = NAV2_FLOATS(a->plan);
    __global float *to = deviation + FUTURE(axis) + item->base;
    int array = roll_array(axis), turns = (int)a->turns;
    float v = a->start, sum = 0.0f, slower = a->slower, faster = a->faster;
    for (int t = 0; t < STEPS; t++) {
        float noise = AT(array, t), mean = plan[t], c = mean + noise;
        int forward = turns || v > 0.0f;
        float low = v + (forward ? slower : -faster), high = v + (forward ? faster : -slower);
        float next = mppi_min(mppi_max(c, low), high);
        float change = f->clamps && t + 1 < STEPS ? next - mean : noise;
        AT(array, t) = v;
        if (f->clamps || f->draws) to[(size_t)t * NAV2_TILE] = change;
        sum = hed_fma(mean, change, sum);
        v = next;
    }
    /* velocities that arrive late, after the commands in transit */
    int o = (int)a->delay;
    for (int t = STEPS - 1; o > 1 && t >= o; t--) AT(array, t) = AT(array, t - o + 1);
    for (int t = 1; t < o && t < STEPS; t++) AT(array, t) = NAV2_FLOATS(a->commands)[t];
    return a->gain * sum;
}

/* Poses from velocities. Returns this member's part of the length from the first pose. */
MPPI_FUNCTION float roll_poses(ROLL)
{
    ROLL_LANE;
    float dt = f->dt, arc = 0.0f;
    if (item->member == 0) {
        float yaw = f->yaw;
        for (int t = 0; t < STEPS; t++) AT(ARRAY_YAW, t) = yaw = hed_fma(dt, AT(ARRAY_WZ, t), yaw);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int t = item->member; t < STEPS; t += NAV2_TEAM) {
        float sine, cosine;
        mppi_sin_cos(mppi_wrap(t ? AT(ARRAY_YAW, t - 1) : f->yaw), &sine, &cosine);
        float vx = AT(ARRAY_VX, t), dx = dt * (vx * cosine), dy = dt * (vx * sine);
#if SIDEWAYS
        float vy = AT(ARRAY_VY, t);
        dx -= dt * (vy * sine);
        dy += dt * (vy * cosine);
#endif
        AT(ARRAY_X, t) = dx;
        AT(ARRAY_Y, t) = dy;
        arc += t ? mppi_sqrt(dx * dx + dy * dy) : 0.0f;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int array = ARRAY_X + item->member; array <= ARRAY_Y; array += NAV2_TEAM) {
        float sum = array == ARRAY_X ? f->x : f->y;
        for (int t = 0; t < STEPS; t++) AT(array, t) = sum += AT(array, t);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    return arc;
}

/* Loads the futures that are given. */
MPPI_FUNCTION float roll_load(ROLL, __global const float *futures)
{
    ROLL_LANE;
    float arc = 0.0f;
    for (int t = item->member; t < STEPS; t += NAV2_TEAM) {
        size_t at = item->base + (size_t)t * NAV2_TILE;
        AT(ARRAY_X, t) = futures[FUTURE(NAV2_FUTURE_X) + at];
        AT(ARRAY_Y, t) = futures[FUTURE(NAV2_FUTURE_Y) + at];
        AT(ARRAY_YAW, t) = futures[FUTURE(NAV2_FUTURE_YAW) + at];
        AT(ARRAY_VX, t) = futures[FUTURE(NAV2_FUTURE_VX) + at];
        AT(ARRAY_WZ, t) = futures[FUTURE(NAV2_FUTURE_WZ) + at];
#if SIDEWAYS
        AT(ARRAY_VY, t) = futures[FUTURE(NAV2_FUTURE_VY) + at];
#endif
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int t = item->member + 1; t < STEPS; t += NAV2_TEAM)
        arc += mppi_sqrt(mppi_square(AT(ARRAY_X, t) - AT(ARRAY_X, t - 1)) +
                         mppi_square(AT(ARRAY_Y, t) - AT(ARRAY_Y, t - 1)));
    return arc;
}

/* ---- critics ---- */

/* Adds this member's steps to the sums of the critics of velocity and goal. */
MPPI_FUNCTION void roll_sum_steps(ROLL, float *sums)
{
    ROLL_LANE;
    int twirling = nav2_is_active(f, NAV2_AT_TWIRLING), goal = nav2_is_active(f, NAV2_AT_GOAL);
    int angle = nav2_is_active(f, NAV2_AT_GOAL_ANGLE), deadband = nav2_is_active(f, NAV2_AT_DEADBAND);
    /* symmetry: pi - d is the distance to yaw + pi */
    float symmetric = f->symmetric ? 3.14159274f : 1e30f;
    for (int t = item->member; t < STEPS; t += NAV2_TEAM) {
        float vx = AT(ARRAY_VX, t), wz = AT(ARRAY_WZ, t), speed = vx;
#if SIDEWAYS
        float vy = AT(ARRAY_VY, t);
        if (!f->lyrical) speed = hed_flip(mppi_sqrt(vx * vx + vy * vy), hed_as_uint(vx));
        sums[SUM_CONSTRAINT] += f->lyrical ? mppi_max(mppi_abs(vy) - f->vy_high, 0.0f) : 0.0f;
        sums[SUM_DEADBAND] += mppi_max(f->axes[NAV2_FRAME_VY].deadband - mppi_abs(vy), 0.0f);
#endif
        sums[SUM_CONSTRAINT] +=
            mppi_max(speed - f->vx_high, 0.0f) + mppi_max(f->vx_low - speed, 0.0f);
        if (f->radius > 0.0f)
            sums[SUM_CONSTRAINT] +=
                mppi_max(f->radius - mppi_divide(mppi_abs(vx), mppi_max(mppi_abs(wz), 1e-6f)), 0.0f);
        sums[SUM_FORWARD] += mppi_max(-vx, 0.0f);
        if (twirling) sums[SUM_TWIRLING] += mppi_abs(wz);
        if (deadband)
            sums[SUM_DEADBAND] += mppi_max(f->axes[NAV2_FRAME_VX].deadband - mppi_abs(vx), 0.0f) +
                                  mppi_max(f->axes[NAV2_FRAME_WZ].deadband - mppi_abs(wz), 0.0f);
        if (goal)
            sums[SUM_GOAL] += mppi_sqrt(mppi_square(AT(ARRAY_X, t) - f->goal_x) +
                                        mppi_square(AT(ARRAY_Y, t) - f->goal_y));
        if (angle) {
            float d = mppi_abs(mppi_wrap(f->goal_yaw - AT(ARRAY_YAW, t)));
            sums[SUM_GOAL_ANGLE] += mppi_min(d, symmetric - d);
        }
    }
}

/* Adds this member's poses to the sums of CostCritic. A collision replaces the whole sum, so the
 * order does not matter. */
MPPI_FUNCTION void roll_sum_costs(ROLL, float *sums)
{
    ROLL_LANE;
    int inside;
    for (int k = item->member; k < (int)f->cost_poses; k += NAV2_TEAM) {
        int t = k * (int)f->cost_step;
        float x = AT(ARRAY_X, t), y = AT(ARRAY_Y, t);
        float cost = nav2_cost_at(inputs, f, x, y, &inside), collision = cost;
        /* the outline decides on collisions, the cell of the centre on costs */
        if (f->cost_footprint && cost >= 1.0f && cost >= f->cost_outline)
            collision = nav2_outline_at(inputs, f, x, y, AT(ARRAY_YAW, t));
        int hit = nav2_collides(f, collision, f->cost_footprint);
        float extra = cost >= f->near_cost ? f->critical : cost * f->cost_factor;
        /* the critical cost is not for free cells, even if near_collision_cost is 0 */
        sums[SUM_COST] += hit || cost < 1.0f ? 0.0f : extra;
        sums[SUM_HITS] += hit ? 1.0f : 0.0f;
    }
}

/* ObstaclesCritic of one future: its sums end with a collision. Returns true if there is one. */
MPPI_FUNCTION int roll_obstacles(ROLL, float *raw, float *repulsion)
{
    ROLL_LANE;
    int inside, hit = 0;
    *raw = *repulsion = 0.0f;
    for (int t = 0; t < STEPS && !hit; t++) {
        float x = AT(ARRAY_X, t), y = AT(ARRAY_Y, t), extra = 0.0f;
        float cost = nav2_cost_at(inputs, f, x, y, &inside);
        if (f->obstacles_footprint && inside && cost >= 1.0f && cost >= f->obstacles_outline) {
            cost = nav2_outline_at(inputs, f, x, y, AT(ARRAY_YAW, t));
            extra = f->inscribed;
        }
        hit = nav2_collides(f, cost, f->obstacles_footprint);
        if (hit || cost < 1.0f) continue;
        float gap = f->gap_scale * NAV2_FLOATS(f->gaps)[(int)cost] + extra;
        *raw += mppi_max(f->margin - gap, 0.0f);
        *repulsion += f->repulsion_factor * (f->reach - gap);
    }
    if (hit) *raw = f->obstacles_collision;
    return hit;
}

/* The nearest of this member's points to the last pose, within the length of the future. */
MPPI_FUNCTION void roll_nearest(ROLL, float arc, float *best, int *nearest)
{
    ROLL_LANE;
    __global const float *px = NAV2_FLOATS(f->path_x), *py = NAV2_FLOATS(f->path_y);
    __global const float *lengths = NAV2_FLOATS(f->lengths);
    float x = AT(ARRAY_X, STEPS - 1), y = AT(ARRAY_Y, STEPS - 1);
    *best = NAV2_FAR;
    *nearest = 0;
    for (int j = item->member; j < (int)f->points; j += NAV2_TEAM) {
        if (j > 0 && !(lengths[j - 1] < arc)) break;
        float d = mppi_square(x - px[j]) + mppi_square(y - py[j]);
        *nearest = d < *best ? j : *nearest;
        *best = d < *best ? d : *best;
    }
}

/* Sum of quantity `q` over the members of a future. */
MPPI_FUNCTION float roll_total(__local const float *scratch, int q, int lane)
{
    float sum = 0.0f;
    for (int m = 0; m < NAV2_TEAM; m++) sum += scratch[q * NAV2_GROUP + m * NAV2_TILE + lane];
    return sum;
}

/* Costs of one future, from the sums of its members: of each critic in VALUES, and in all. */
MPPI_FUNCTION void roll_score(ROLL, float gamma, __global float *facts, int *hits)
{
    ROLL_LANE;
    float total[SUMS], dt = f->dt, cost = gamma, per_step = 1.0f / (float)STEPS;
    float raw = 0.0f, repulsion = 0.0f;
    for (int q = 0; q < SUMS; q++) total[q] = roll_total(SCRATCH, q, lane);
    hits[0] = total[SUM_HITS] > 0.0f;
    hits[1] = 0;
    float of_cost = hits[0] ? f->cost_collision : total[SUM_COST];
    float values[NAV2_AT_COUNT] = {0.0f};
    values[NAV2_AT_CONSTRAINT] = total[SUM_CONSTRAINT] * dt;
    values[NAV2_AT_COST] = of_cost * (1.0f / 254.0f) / (float)f->cost_poses;
    values[NAV2_AT_GOAL] = total[SUM_GOAL] * per_step;
    values[NAV2_AT_GOAL_ANGLE] = total[SUM_GOAL_ANGLE] * per_step;
    values[NAV2_AT_FORWARD] = total[SUM_FORWARD] * dt;
    values[NAV2_AT_TWIRLING] = total[SUM_TWIRLING] * per_step;
    values[NAV2_AT_DEADBAND] = total[SUM_DEADBAND] * dt;
    MPPI_UNROLL
    for (int k = 0; k < NAV2_AT_COUNT; k++) {
        int reached = k == NAV2_AT_ALIGN || k == NAV2_AT_ANGLE || k == NAV2_AT_FOLLOW;
        int counts = nav2_is_active(f, k) && !reached && k != NAV2_AT_OBSTACLES;
        float value = counts ? nav2_weigh(f, k, values[k]) : 0.0f;
        VALUES[k * NAV2_TILE + lane] = value;
        cost += value;
    }
    if (nav2_is_active(f, NAV2_AT_OBSTACLES))
        hits[1] = roll_obstacles(ROLL_ITEM, &raw, &repulsion);
    size_t at = (size_t)item->tile * NAV2_TILE + lane, row = (size_t)f->tiles * NAV2_TILE;
    facts[NAV2_FACT_COST * row + at] = cost;
    facts[NAV2_FACT_RAW * row + at] = raw;
    facts[NAV2_FACT_REPULSION * row + at] = repulsion;
}

/* Writes the tile's words: item k sums or compares word k over the lanes that count. */
MPPI_FUNCTION void roll_finish_tile(ROLL, __global uint *slots, int lanes)
{
    int id = (int)get_local_id(0);
    slots += item->tile * NAV2_SLOT_WORDS;
    for (int k = id; k < NAV2_AT_COUNT; k += NAV2_GROUP) {
        float sum = 0.0f;
        for (int l = 0; l < lanes; l++) sum += VALUES[k * NAV2_TILE + l];
        slots[NAV2_SLOT_SUMS + k] = hed_as_uint(sum);
    }
    if (id >= 4) return;
    /* SCRATCH: (4 x tile) furthest, repulsion, and hits */
    float lowest = NAV2_FAR, sum = 0.0f;
    for (int l = 0; l < lanes; l++) {
        float value = SCRATCH[id * NAV2_TILE + l];
        lowest = mppi_min(value, lowest);
        sum += value;
    }
    if (id == 0) slots[NAV2_SLOT_FURTHEST] = (uint)-lowest;
    if (id == 1) slots[NAV2_SLOT_REPULSION] = hed_as_uint(lowest);
    if (id >= 2) slots[NAV2_SLOT_HITS + id - 2] = (uint)sum;
}

#if defined(HED_GROUP_OF)
HED_GROUP_OF(NAV2_GROUP, 1, 1)
#endif
__kernel void nav2_roll(__global const uint *inputs, __global const float *noise,
    __global float *futures, __global float *deviation, __global float *facts,
    __global uint *slots, HED_LOCAL(float, block))
{
    HED_LOCAL_USE(float, block);
    __global const nav2_frame *f = (__global const nav2_frame *)inputs;
    int id = (int)get_local_id(0), lane = id % NAV2_TILE, member = id / NAV2_TILE;
    roll_item variables, *item = &variables;
    item->lane = lane;
    item->member = member;
    item->tile = (int)get_group_id(0);
    item->steps = (int)f->steps;
    item->sample = (uint)(item->tile * NAV2_TILE + lane);
    item->base = (size_t)item->tile * STEPS * NAV2_TILE + (size_t)lane;
    float gamma = 0.0f, arc = 0.0f, sums[SUMS] = {0.0f};
    if (f->scores) arc = roll_load(ROLL_ITEM, futures);
    else {
        roll_noise(ROLL_ITEM, noise);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int axis = member; axis < NAV2_AXES_USED; axis += NAV2_TEAM)
            gamma += roll_velocities(ROLL_ITEM, axis, deviation);
        barrier(CLK_LOCAL_MEM_FENCE);
        arc = roll_poses(ROLL_ITEM);
    }
    for (int t = member; t < STEPS && !f->scores; t += NAV2_TEAM) {
        size_t at = item->base + (size_t)t * NAV2_TILE;
        futures[FUTURE(NAV2_FUTURE_X) + at] = AT(ARRAY_X, t);
        futures[FUTURE(NAV2_FUTURE_Y) + at] = AT(ARRAY_Y, t);
        futures[FUTURE(NAV2_FUTURE_YAW) + at] = AT(ARRAY_YAW, t);
    }
    /* lengths and gamma of all members */
    SCRATCH[id] = arc;
    SCRATCH[NAV2_GROUP + id] = gamma;
    barrier(CLK_LOCAL_MEM_FENCE);
    arc = roll_total(SCRATCH, 0, lane);
    gamma = roll_total(SCRATCH, 1, lane);
    barrier(CLK_LOCAL_MEM_FENCE);
    roll_sum_steps(ROLL_ITEM, sums);
    if (nav2_is_active(f, NAV2_AT_COST)) roll_sum_costs(ROLL_ITEM, sums);
    for (int q = 0; q < SUMS; q++) SCRATCH[q * NAV2_GROUP + id] = sums[q];
    barrier(CLK_LOCAL_MEM_FENCE);
    int hits[2] = {0, 0};
    if (member == 0) roll_score(ROLL_ITEM, gamma, facts, hits);
    float best = 0.0f;
    int nearest = 0;
    if (f->lyrical) roll_nearest(ROLL_ITEM, arc, &best, &nearest);
    barrier(CLK_LOCAL_MEM_FENCE);
    SCRATCH[id] = best;
    SCRATCH[NAV2_GROUP + id] = (float)nearest;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int m = 0; m < NAV2_TEAM && member == 0; m++) {
        float d = SCRATCH[m * NAV2_TILE + lane];
        int j = (int)SCRATCH[NAV2_GROUP + m * NAV2_TILE + lane];
        if (d < best || (d == best && j < nearest)) {
            best = d;
            nearest = j;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (member == 0) {
        SCRATCH[lane] = -(float)nearest;
        SCRATCH[NAV2_TILE + lane] =
            facts[((size_t)NAV2_FACT_REPULSION * f->tiles + (size_t)item->tile) * NAV2_TILE + (size_t)lane];
        SCRATCH[2 * NAV2_TILE + lane] = (float)hits[0];
        SCRATCH[3 * NAV2_TILE + lane] = (float)hits[1];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    int left = (int)f->samples - item->tile * NAV2_TILE;
    roll_finish_tile(ROLL_ITEM, slots, left < NAV2_TILE ? left : NAV2_TILE);
}
