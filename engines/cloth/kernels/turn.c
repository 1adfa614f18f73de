/* Descriptions and native versions of `cloth_expect` and `cloth_turn` (turn.h). */
#include "kernels/kernels.h"

#define TURN_SOURCES \
    HED_SOURCES( \
        CLOTH_SHARED_SOURCES, {"turn.h", hed_cloth_turn_h, 0}, {"turn.cl", hed_cloth_turn_cl, 0})

HED_NATIVE_BODY expect_body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    const cloth_expect_view view = cloth_expect_view_of(call->arguments);
    for (uint64_t i = begin; i < end; i++) cloth_expect_one((uint)i, view);
}
HED_NATIVE_CLONES(expect_native, expect_body)
/* Position, previous position, carry and plate are read, a position written. */
CLOTH_WORK(expect_work, 16.0 + 16.0 + 8.0 + 16.0 + 16.0, 60.0)

const hed_kernel_def cloth_expect_def = {
    .name = "cloth_expect",
    .summary = "positions after integration, before constraints",
    TURN_SOURCES,
    HED_ARGUMENTS(
        HED_VIEW_ARGUMENTS(CLOTH_EXPECT), [HED_ROW(cloth_expect_view, expected)].tolerance = 1e-5),
    CLOTH_PLAIN,
    CLOTH_FOR_EACH("particles", expect),
    HED_PROBLEMS(HED_PROBLEM(1), HED_PROBLEM(7), HED_PROBLEM(64), HED_PROBLEM(1003)),
    .sample.bytes = cloth_sample_bytes,
    .sample.benchmark = HED_PROBLEM(1 << 22),
};

HED_NATIVE_BODY turn_body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    const cloth_turn_view view = cloth_turn_view_of(call->arguments);
    for (uint64_t p = begin; p < end; p++) {
        uint2 piece = view.pieces[p];
        float4 from = view.previous[view.members[piece.x]];
        cloth_turn_sum sums[CLOTH_TURN_LANES];
        uint touches = 0;
        for (uint lane = 0; lane < CLOTH_TURN_LANES && !touches; lane++) {
            sums[lane] = cloth_turn_lane(view, piece, lane);
            touches = sums[lane].torque.w > 0.0f;
        }
        if (touches) continue;
        for (uint left = CLOTH_TURN_LANES / 2; left > 0; left /= 2)
            for (uint lane = 0; lane < left; lane++)
                sums[lane] = cloth_turn_add(sums[lane], sums[lane + left]);
        cloth_turning by = cloth_turning_of(sums[0], from);
        for (uint lane = 0; lane < CLOTH_TURN_LANES; lane++) cloth_turn_move(view, piece, lane, by);
    }
}
HED_NATIVE_CLONES(turn_native, turn_body)
/* A piece of the sample has 300 particles; 60 operations for a particle. */
CLOTH_WORK(turn_work, 300.0 * (4.0 + 4.0 * 16.0), 300.0 * 60.0)

static void turn_geometry(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *layout)
{
    uint64_t pieces = (uint64_t)problem->sizes[0];
    hed_geometry_1d(layout, pieces, config->values[0], pieces, 1);
}

const hed_kernel_def cloth_turn_def = {
    .name = "cloth_turn",
    .summary = "rotation of free pieces that cancels the torque of their constraints",
    TURN_SOURCES,
    HED_ARGUMENTS(HED_VIEW_ARGUMENTS(CLOTH_TURN),
        [HED_ROW(cloth_turn_view, position)].count = "300*pieces",
        [HED_ROW(cloth_turn_view, position)].tolerance = 1e-4,
        [HED_ROW(cloth_turn_view, carry)].count = "300*pieces",
        [HED_ROW(cloth_turn_view, carry)].tolerance = 1e-3,
        [HED_ROW(cloth_turn_view, previous)].count = "300*pieces",
        [HED_ROW(cloth_turn_view, expected)].count = "300*pieces",
        [HED_ROW(cloth_turn_view, contact)].count = "600*pieces",
        [HED_ROW(cloth_turn_view, driver_map)].count = "600*pieces",
        [HED_ROW(cloth_turn_view, members)].count = "300*pieces"),
    HED_PARAMETERS(HED_PARAMETER(WG, CLOTH_TURN_LANES, CLOTH_TURN_LANES)),
    .geometry = turn_geometry,
    CLOTH_FOR_EACH("pieces", turn),
    HED_PROBLEMS(HED_PROBLEM(2), HED_PROBLEM(7)),
    .sample.bytes = cloth_sample_bytes,
    .sample.benchmark = HED_PROBLEM(8),
};
