/* Descriptions and native versions of the kernels of balls around particles. */
#include "contact/contact_kernels.h"

enum { TILE = CLOTH_SELF_TILE };

cloth_self cloth_self_pass(uint32_t particles, float thinnest, float widest)
{
    float cell = 1.001f * (widest + thinnest); /* rounding may not lose a pair */
    cloth_self self = {.cell = cell,
        .inverse_cell = 1.0f / cell,
        .widest = widest,
        .particles = particles,
        .buckets = TILE};
    while (self.buckets < particles) self.buckets *= 2;
    return self;
}

/* ---- native versions ---- */

HED_NATIVE_BODY count_body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    const cloth_self_count_view view = cloth_self_count_view_of(call->arguments);
    for (uint64_t i = begin; i < end; i++) {
        uint before = 0, bucket = cloth_self_bucket(
                             view.position[i], view.previous[i], view.rests[i], view.self);
        if (bucket != CLOTH_SELF_NONE)
            before = __atomic_fetch_add(&view.starts[bucket], 1u, __ATOMIC_RELAXED);
        view.entries[i] = (uint2){bucket, before};
    }
}
HED_NATIVE_CLONES(count_native, count_body)

static void scan_native(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    const cloth_self_scan_view view = cloth_self_scan_view_of(call->arguments);
    for (uint64_t tile = begin; tile < end; tile++) {
        uint sum = 0;
        for (uint64_t i = tile * TILE; i < (tile + 1) * TILE && i < view.buckets; i++) {
            uint count = view.starts[i];
            view.starts[i] = sum;
            sum += count;
        }
        view.totals[tile] = sum;
    }
}

static void totals_native(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    const cloth_self_totals_view view = cloth_self_totals_view_of(call->arguments);
    uint sum = 0;
    for (uint i = 0; i < view.tiles && begin < end; i++) {
        uint count = view.totals[i];
        view.totals[i] = sum;
        sum += count;
    }
    view.totals[view.tiles] = sum;
}

static void place_native(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    const cloth_self_place_view view = cloth_self_place_view_of(call->arguments);
    for (uint64_t i = begin; i < end; i++) {
        const uint2 entry = view.entries[i];
        if (entry.x != CLOTH_SELF_NONE)
            view.slots[cloth_self_start(view.starts, view.totals, entry.x) + entry.y] = (uint)i;
    }
}

static void order_native(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    const cloth_self_order_view view = cloth_self_order_view_of(call->arguments);
    for (uint64_t slot = begin; slot < end; slot++) cloth_self_order_one((uint)slot, view);
}

HED_NATIVE_BODY near_body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    const cloth_self_view balls = cloth_self_view_of(call->arguments);
    const cloth_self_near_view view = cloth_self_near_view_of(call->arguments);
    for (uint64_t slot = begin; slot < end; slot++)
        cloth_self_near_one((uint)slot, balls, view.neighbours, view.counts, view.self);
}
HED_NATIVE_CLONES(near_native, near_body)

HED_NATIVE_BODY push_body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    const cloth_self_target target = cloth_self_target_of(call->arguments);
    const cloth_self_view balls =
        cloth_self_view_of(call->arguments + HED_ROW(cloth_self_push_view, starts));
    const cloth_self_push_view view = cloth_self_push_view_of(call->arguments);
    for (uint64_t slot = begin; slot < end; slot++)
        cloth_self_push_one((uint)slot, balls, view.neighbours, view.counts, target, view.self);
}
HED_NATIVE_CLONES(push_native, push_body)

/* ---- descriptions ---- */

/* One item for each particle. */
static void particles_geometry(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *layout)
{
    cloth_geometry(def, config, problem, layout);
    layout->native_grain = 1024;
}

/* One group for each tile of the buckets. */
static void scan_geometry(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *layout)
{
    uint64_t tiles = hed_ceil_divide((uint64_t)problem->sizes[0], TILE);
    hed_geometry_1d(layout, tiles, config->values[0], tiles, 16);
}

/* One group. */
static void totals_geometry(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *layout)
{
    hed_geometry_1d(layout, 1, config->values[0], 1, 0);
}

#define DESCRIPTION(label, what, ...) \
    const hed_kernel_def cloth_self_##label##_def = {.name = "cloth_self_" #label, \
        .summary = what, \
        HED_SOURCES({"physics.h", hed_cloth_physics_h, 0}, {"collide.h", hed_cloth_collide_h, 0}, \
            {"ball_contact.h", hed_cloth_ball_contact_h, 0}, \
            {"ball_contact.cl", hed_cloth_ball_contact_cl, 0}), \
        .native_ignores = HED_ALL_PARAMETERS, \
        .max_threads = "WG", \
        .range = label##_native, \
        .metric = HED_METRIC_ITEMS, \
        .sample.bytes = cloth_contact_sample_bytes, \
        .sample.fill = cloth_contact_sample_fill, \
        __VA_ARGS__}

/* Members of kernels with a work item for each particle. */
#define FOR_PARTICLES \
    .geometry = particles_geometry, HED_PARAMETERS(HED_PARAMETER(WG, 128, 32, 64, 128, 256, 512)), \
    HED_DIMENSIONS("particles"), HED_PROBLEMS(HED_PROBLEM(1), HED_PROBLEM(63), HED_PROBLEM(1500)), \
    .sample.benchmark = HED_PROBLEM(1 << 20)

DESCRIPTION(count, "particles counted into the buckets of a hash of space",
    HED_ARGUMENTS(HED_VIEW_ARGUMENTS(SELF_COUNT)), FOR_PARTICLES);
DESCRIPTION(scan, "exclusive prefix sums of the counts in each tile of buckets",
    HED_ARGUMENTS(HED_VIEW_ARGUMENTS(SELF_SCAN)), .geometry = scan_geometry,
    HED_PARAMETERS(HED_PARAMETER(WG, 128, 32, 64, 128, 256, 512)), HED_DIMENSIONS("buckets"),
    HED_PROBLEMS(HED_PROBLEM(1024), HED_PROBLEM(1500), HED_PROBLEM(4096)),
    .sample.benchmark = HED_PROBLEM(1 << 20));
DESCRIPTION(totals, "exclusive prefix sums of the tiles' counts",
    HED_ARGUMENTS(HED_VIEW_ARGUMENTS(SELF_TOTALS)), .geometry = totals_geometry,
    HED_PARAMETERS(HED_PARAMETER(WG, 256, 64, 256, 1024)), HED_DIMENSIONS("tiles"),
    HED_PROBLEMS(HED_PROBLEM(1), HED_PROBLEM(255), HED_PROBLEM(700)),
    .sample.benchmark = HED_PROBLEM(1 << 10));
DESCRIPTION(place, "particles put into their buckets in any order",
    HED_ARGUMENTS(HED_VIEW_ARGUMENTS(SELF_PLACE)), FOR_PARTICLES);
DESCRIPTION(order, "particles of a bucket in order of their numbers, with what is read of them",
    HED_ARGUMENTS(
        HED_VIEW_ARGUMENTS(SELF_ORDER), [HED_ROW(cloth_self_order_view, sorted)].tolerance = 1e-6),
    FOR_PARTICLES);
DESCRIPTION(near, "which particles may touch each one in this substep",
    HED_ARGUMENTS(HED_VIEW_ARGUMENTS(SELF_NEAR)), FOR_PARTICLES);
/* may_spill: 16 bytes, around the subroutine of a division. */
DESCRIPTION(push, "cloth pushed out of cloth, with friction",
    HED_ARGUMENTS(HED_VIEW_ARGUMENTS(SELF_PUSH),
        [HED_ROW(cloth_self_target, position)].tolerance = 1e-5,
        [HED_ROW(cloth_self_target, previous)].tolerance = 1e-5,
        [HED_ROW(cloth_self_target, pushed)].tolerance = 1e-5),
    FOR_PARTICLES, .may_spill = true);
