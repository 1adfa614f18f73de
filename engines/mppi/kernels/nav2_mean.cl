/* Weighted sums over all futures of Nav2's controller: group (axis, step) adds the deviations of
 * its control from the plan; the last group adds the weights, and finishes the critics' sums. */
MPPI_FUNCTION void mean_finish(NAV2_INPUT, __global const uint *slots, __local float *shared,
    float weights, float squares, float lowest, __global uint *answers)
{
    int id = (int)get_local_id(0), tiles = (int)f->tiles;
    uint furthest = f->lyrical ? nav2_slots_furthest(shared, slots, tiles) : slots[NAV2_SLOT_FURTHEST];
    for (int k = 0; k < NAV2_AT_COUNT + 2; k++) {
        int counts_hits = k >= NAV2_AT_COUNT;
        int from = counts_hits ? NAV2_SLOT_HITS + k - NAV2_AT_COUNT : NAV2_SLOT_SUMS + k;
        int to = counts_hits ? NAV2_ANSWER_HITS + k - NAV2_AT_COUNT : NAV2_ANSWER_SUMS + k;
        float sum = 0.0f;
        for (int t = id; t < tiles; t += NAV2_GROUP) {
            uint word = slots[t * NAV2_SLOT_WORDS + from];
            sum += counts_hits ? (float)word : hed_as_float(word);
        }
        sum = nav2_group_sum(shared, sum);
        if (id == 0) answers[to] = counts_hits ? (uint)sum : hed_as_uint(sum);
    }
    if (id != 0) return;
    uint active = f->active & ~(1u << NAV2_AT_ALIGN | 1u << NAV2_AT_ANGLE);
    active |= (uint)reach_aligns(inputs, f, furthest) << NAV2_AT_ALIGN;
    active |= (uint)reach_turns(inputs, f, nav2_target(f, furthest, f->angle_offset)) << NAV2_AT_ANGLE;
    answers[NAV2_ANSWER_WEIGHTS] = hed_as_uint(weights);
    answers[NAV2_ANSWER_SQUARES] = hed_as_uint(squares);
    answers[NAV2_ANSWER_LEAST] = hed_as_uint(lowest);
    answers[NAV2_ANSWER_FURTHEST] = furthest;
    answers[NAV2_ANSWER_ACTIVE] = active;
}

#if defined(HED_GROUP_OF)
HED_GROUP_OF(NAV2_GROUP, 1, 1)
#endif
__kernel void nav2_mean(__global const uint *inputs, __global const float *deviation,
    __global const float *facts, __global const uint *slots, __global uint *answers)
{
    HED_LOCAL_ARRAY(float, shared, NAV2_GROUP);
    __global const nav2_frame *f = (__global const nav2_frame *)inputs;
    int id = (int)get_local_id(0), group = (int)get_group_id(0), samples = (int)f->samples;
    int steps = (int)f->steps;
    int finishes = group == NAV2_AXES_USED * steps;
    float lowest = nav2_slots_min(shared, slots, (int)f->tiles, NAV2_SLOT_LEAST);
    float sum = 0.0f, squares = 0.0f;
    for (int i = id; i < samples; i += NAV2_GROUP) {
        float weight = mppi_weight(lowest, facts[i], f->inverse), value = weight;
        if (!finishes)
            value *= deviation[((size_t)(group / steps) * f->tiles + (size_t)(i / NAV2_TILE)) * (size_t)steps * NAV2_TILE +
                               (size_t)(group % steps) * NAV2_TILE + (size_t)(i % NAV2_TILE)];
        sum += value;
        squares += weight * weight;
    }
    sum = nav2_group_sum(shared, sum);
    if (!finishes) {
        if (id == 0) answers[group] = hed_as_uint(sum);
        return;
    }
    squares = nav2_group_sum(shared, squares);
    mean_finish(inputs, f, slots, shared, sum, squares, lowest, answers + NAV2_AXES_USED * steps);
}
