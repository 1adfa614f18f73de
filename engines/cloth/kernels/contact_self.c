/* Descriptions and native versions of the kernels that push cloth out of cloth. */
#include "kernels/kernels.h"

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
    void *const *argument = call->arguments;
    for (uint64_t slot = begin; slot < end; slot++)
        cloth_self_near_one((uint)slot, argument[0], argument[1], argument[2], argument[3],
            argument[4], argument[5], argument[6], argument[7], *(const cloth_self *)argument[8]);
}
HED_NATIVE_CLONES(near_native, near_body)

HED_NATIVE_BODY push_body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    void *const *argument = call->arguments;
    for (uint64_t slot = begin; slot < end; slot++)
        cloth_self_push_one((uint)slot, argument[0], argument[1], argument[2], argument[3],
            argument[4], argument[5], argument[6], argument[7], argument[8], argument[9],
            argument[10], argument[11], argument[12], *(const cloth_self *)argument[13]);
}
HED_NATIVE_CLONES(push_native, push_body)

/* ---- how they are laid out ---- */

/* One item for each particle. */
static void particles_geometry(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *layout)
{
    *layout = (hed_geometry){.dimensions = 1,
        .global = {(uint64_t)problem->sizes[0]},
        .group = {(uint32_t)config->values[0]},
        .native_items = (uint64_t)problem->sizes[0],
        .native_grain = 1024};
}

/* One group for each tile of the buckets. */
static void scan_geometry(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *layout)
{
    uint64_t tiles = hed_ceil_divide((uint64_t)problem->sizes[0], TILE);
    *layout = (hed_geometry){.dimensions = 1,
        .global = {tiles * (uint64_t)config->values[0]},
        .group = {(uint32_t)config->values[0]},
        .native_items = tiles,
        .native_grain = 16};
}

/* One group. */
static void totals_geometry(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *layout)
{
    uint64_t group = (uint64_t)config->values[0];
    *layout = (hed_geometry){
        .dimensions = 1, .global = {group}, .group = {(uint32_t)group}, .native_items = 1};
}

/* ---- what they are given ---- */

#define IN(label) \
    { \
        .name = label, .kind = HED_BUFFER, .type = HED_FLOAT, .access = HED_READ \
    }
#define IN_UINTS(label) \
    { \
        .name = label, .kind = HED_BUFFER, .type = HED_UINT32, .access = HED_READ \
    }
#define OUT(label, as, how, near) \
    { \
        .name = label, .kind = HED_BUFFER, .type = as, .access = how, .tolerance = near \
    }
#define SELF \
    { \
        .name = "self", .kind = HED_STRUCT, .size = sizeof(cloth_self) \
    }

static const hed_argument_def count_arguments[] = {IN("position"), IN("previous"), IN("rests"),
    OUT("starts", HED_UINT32, HED_READ_WRITE, 0), OUT("entries", HED_UINT32, HED_WRITE, 0), SELF};
static const hed_argument_def scan_arguments[] = {OUT("starts", HED_UINT32, HED_READ_WRITE, 0),
    OUT("totals", HED_UINT32, HED_WRITE, 0),
    {.name = "buckets", .kind = HED_SCALAR, .type = HED_UINT32}};
static const hed_argument_def totals_arguments[] = {OUT("totals", HED_UINT32, HED_READ_WRITE, 0),
    {.name = "tiles", .kind = HED_SCALAR, .type = HED_UINT32}};
static const hed_argument_def place_arguments[] = {IN_UINTS("starts"), IN_UINTS("totals"),
    IN_UINTS("entries"), OUT("slots", HED_UINT32, HED_WRITE, 0), SELF};
static const hed_argument_def order_arguments[] = {IN("position"), IN("previous"),
    IN_UINTS("starts"), IN_UINTS("totals"), IN_UINTS("entries"), IN_UINTS("slots"),
    OUT("sorted", HED_FLOAT, HED_WRITE, 1e-6), OUT("rows", HED_UINT32, HED_WRITE, 0), SELF};
static const hed_argument_def near_arguments[] = {IN_UINTS("starts"), IN_UINTS("totals"),
    IN("sorted"), IN_UINTS("rows"), IN("rests"), IN("bodies"),
    OUT("near", HED_UINT32, HED_WRITE, 0), OUT("counts", HED_UINT32, HED_WRITE, 0), SELF};
static const hed_argument_def push_arguments[] = {OUT("position", HED_FLOAT, HED_READ_WRITE, 1e-5),
    OUT("previous", HED_FLOAT, HED_READ_WRITE, 1e-5), IN_UINTS("starts"), IN_UINTS("totals"),
    IN("sorted"), OUT("pushed", HED_FLOAT, HED_READ_WRITE, 1e-5), IN_UINTS("rows"), IN("rests"),
    IN("bodies"), IN_UINTS("near"), IN_UINTS("counts"), IN("colliders"), IN("contact"), SELF};

static const hed_source sources[] = {{"physics.h", hed_cloth_physics_h, 0},
    {"collide.h", hed_cloth_collide_h, 0}, {"contact_self.h", hed_cloth_contact_self_h, 0},
    {"contact_self.cl", hed_cloth_contact_self_cl, 0}};
static const int64_t groups[] = {32, 64, 128, 256, 512};
static const int64_t totals_groups[] = {64, 256, 1024};
static const hed_parameter_def group_of_128[] = {{"WG", groups, HED_COUNT(groups), 128, NULL}};
static const hed_parameter_def group_of_1024[] = {
    {"WG", totals_groups, HED_COUNT(totals_groups), 256, NULL}};
static const char *const of_particles[] = {"particles"};
static const char *const of_buckets[] = {"buckets"};
static const char *const of_tiles[] = {"tiles"};
static const hed_problem particle_problems[] = {{1, {1}}, {1, {63}}, {1, {1500}}};
static const hed_problem bucket_problems[] = {{1, {1024}}, {1, {1500}}, {1, {4096}}};
static const hed_problem tile_problems[] = {{1, {1}}, {1, {255}}, {1, {700}}};

#define DESCRIPTION(label, what, parameter_list, dimension, problem_list, size, layout, spills) \
    const hed_kernel_def cloth_self_##label##_def = {.name = "cloth_self_" #label, \
        .summary = what, \
        .sources = sources, \
        .source_count = HED_COUNT(sources), \
        .arguments = label##_arguments, \
        .argument_count = HED_COUNT(label##_arguments), \
        .parameters = parameter_list, \
        .parameter_count = 1, \
        .native_ignores = HED_ALL_PARAMETERS, \
        .dimensions = dimension, \
        .dimension_count = 1, \
        .max_threads = "WG", \
        .geometry = layout, \
        .range = label##_native, \
        .metric = HED_METRIC_ITEMS, \
        .sample = {problem_list, HED_COUNT(problem_list), {1, {size}}, \
            cloth_contact_sample_bytes, cloth_contact_sample_fill}, \
        .may_spill = spills}

DESCRIPTION(count, "particles counted into the buckets of a hash of space", group_of_128,
    of_particles, particle_problems, 1 << 20, particles_geometry, false);
DESCRIPTION(scan, "exclusive prefix sums of the counts in each tile of buckets", group_of_128,
    of_buckets, bucket_problems, 1 << 20, scan_geometry, false);
DESCRIPTION(totals, "exclusive prefix sums of the tiles' counts", group_of_1024, of_tiles,
    tile_problems, 1 << 10, totals_geometry, false);
DESCRIPTION(place, "particles put into their buckets in any order", group_of_128, of_particles,
    particle_problems, 1 << 20, particles_geometry, false);
DESCRIPTION(order, "particles of a bucket in order of their numbers, with what is read of them",
    group_of_128, of_particles, particle_problems, 1 << 20, particles_geometry, false);
DESCRIPTION(near, "who may touch each particle in this substep", group_of_128, of_particles,
    particle_problems, 1 << 20, particles_geometry, false);
/* 16 bytes, around what a division calls where it is not simple. */
DESCRIPTION(push, "cloth pushed out of cloth, with friction", group_of_128, of_particles,
    particle_problems, 1 << 20, particles_geometry, true);
