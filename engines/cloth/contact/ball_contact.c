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
    const float4 *position = call->arguments[0], *previous = call->arguments[1],
                 *rests = call->arguments[2];
    uint *starts = call->arguments[3];
    uint2 *entries = call->arguments[4];
    cloth_self self = *(const cloth_self *)call->arguments[5];
    for (uint64_t i = begin; i < end; i++) {
        uint bucket = cloth_self_bucket(position[i], previous[i], rests[i], self), before = 0;
        if (bucket != CLOTH_SELF_NONE)
            before = __atomic_fetch_add(&starts[bucket], 1u, __ATOMIC_RELAXED);
        entries[i] = (uint2){bucket, before};
    }
}
HED_NATIVE_CLONES(count_native, count_body)

static void scan_native(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    uint *starts = call->arguments[0], *totals = call->arguments[1],
         buckets = *(const uint *)call->arguments[2];
    for (uint64_t tile = begin; tile < end; tile++) {
        uint sum = 0;
        for (uint64_t i = tile * TILE; i < (tile + 1) * TILE && i < buckets; i++) {
            uint own = starts[i];
            starts[i] = sum;
            sum += own;
        }
        totals[tile] = sum;
    }
}

static void totals_native(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    uint *totals = call->arguments[0], tiles = *(const uint *)call->arguments[1], sum = 0;
    for (uint i = 0; i < tiles && begin < end; i++) {
        uint own = totals[i];
        totals[i] = sum;
        sum += own;
    }
    totals[tiles] = sum;
}

static void place_native(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    const uint *starts = call->arguments[0], *totals = call->arguments[1];
    const uint2 *entries = call->arguments[2];
    uint *slots = call->arguments[3];
    for (uint64_t i = begin; i < end; i++)
        if (entries[i].x != CLOTH_SELF_NONE)
            slots[cloth_self_start(starts, totals, entries[i].x) + entries[i].y] = (uint)i;
}

static void order_native(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    void *const *argument = call->arguments;
    for (uint64_t slot = begin; slot < end; slot++)
        cloth_self_order_one((uint)slot, argument[0], argument[1], argument[2], argument[3],
            argument[4], argument[5], argument[6], argument[7], *(const cloth_self *)argument[8]);
}

HED_NATIVE_BODY near_body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    void *const *a = call->arguments;
    cloth_self_view view = {a[0], a[1], a[2], a[3], a[4], a[5]};
    for (uint64_t slot = begin; slot < end; slot++)
        cloth_self_near_one((uint)slot, view, a[6], a[7], *(const cloth_self *)a[8]);
}
HED_NATIVE_CLONES(near_native, near_body)

HED_NATIVE_BODY push_body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    void *const *a = call->arguments;
    cloth_self_view view = {a[2], a[3], a[4], a[6], a[7], a[8]};
    cloth_self_target target = {a[11], a[12], a[0], a[1], a[5]};
    for (uint64_t slot = begin; slot < end; slot++)
        cloth_self_push_one((uint)slot, view, a[9], a[10], target, *(const cloth_self *)a[13]);
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
    HED_ARGUMENTS(HED_IN(float, position), HED_IN(float, previous), HED_IN(float, rests),
        HED_INOUT(uint, starts), HED_OUT(uint, entries), HED_VALUE_STRUCT(cloth_self, self)),
    FOR_PARTICLES);
DESCRIPTION(scan, "exclusive prefix sums of the counts in each tile of buckets",
    HED_ARGUMENTS(HED_INOUT(uint, starts), HED_OUT(uint, totals), HED_VALUE(uint, buckets)),
    .geometry = scan_geometry, HED_PARAMETERS(HED_PARAMETER(WG, 128, 32, 64, 128, 256, 512)),
    HED_DIMENSIONS("buckets"),
    HED_PROBLEMS(HED_PROBLEM(1024), HED_PROBLEM(1500), HED_PROBLEM(4096)),
    .sample.benchmark = HED_PROBLEM(1 << 20));
DESCRIPTION(totals, "exclusive prefix sums of the tiles' counts",
    HED_ARGUMENTS(HED_INOUT(uint, totals), HED_VALUE(uint, tiles)), .geometry = totals_geometry,
    HED_PARAMETERS(HED_PARAMETER(WG, 256, 64, 256, 1024)), HED_DIMENSIONS("tiles"),
    HED_PROBLEMS(HED_PROBLEM(1), HED_PROBLEM(255), HED_PROBLEM(700)),
    .sample.benchmark = HED_PROBLEM(1 << 10));
DESCRIPTION(place, "particles put into their buckets in any order",
    HED_ARGUMENTS(HED_IN(uint, starts), HED_IN(uint, totals), HED_IN(uint, entries),
        HED_OUT(uint, slots), HED_VALUE_STRUCT(cloth_self, self)),
    FOR_PARTICLES);
DESCRIPTION(order, "particles of a bucket in order of their numbers, with what is read of them",
    HED_ARGUMENTS(HED_IN(float, position), HED_IN(float, previous), HED_IN(uint, starts),
        HED_IN(uint, totals), HED_IN(uint, entries), HED_IN(uint, slots),
        HED_OUT(float, sorted, .tolerance = 1e-6), HED_OUT(uint, rows),
        HED_VALUE_STRUCT(cloth_self, self)),
    FOR_PARTICLES);
DESCRIPTION(near, "which particles may touch each one in this substep",
    HED_ARGUMENTS(HED_IN(uint, starts), HED_IN(uint, totals), HED_IN(float, sorted),
        HED_IN(uint, rows), HED_IN(float, rests), HED_IN(float, bodies), HED_OUT(uint, near),
        HED_OUT(uint, counts), HED_VALUE_STRUCT(cloth_self, self)),
    FOR_PARTICLES);
/* may_spill: 16 bytes, around the subroutine of a division. */
DESCRIPTION(push, "cloth pushed out of cloth, with friction",
    HED_ARGUMENTS(HED_INOUT(float, position, .tolerance = 1e-5),
        HED_INOUT(float, previous, .tolerance = 1e-5), HED_IN(uint, starts), HED_IN(uint, totals),
        HED_IN(float, sorted), HED_INOUT(float, pushed, .tolerance = 1e-5), HED_IN(uint, rows),
        HED_IN(float, rests), HED_IN(float, bodies), HED_IN(uint, near), HED_IN(uint, counts),
        HED_IN(float, colliders), HED_IN(float, contact), HED_VALUE_STRUCT(cloth_self, self)),
    FOR_PARTICLES, .may_spill = true);
