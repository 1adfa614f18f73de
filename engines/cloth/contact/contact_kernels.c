/* Descriptions and native versions of the kernels that keep cloth from crossing cloth. */
#include "contact/broad_phase_cpu.h"

enum {
    SUBSTEP_WG = 128,  /* work items of a group of cloth_pairs_substep */
    STRANDS = 1 << 16, /* work items of kernels that go through pairs, maximum */
    NATIVE_PARTS = 64  /* parts of the pairs in C */
};

/* ---- native versions ---- */

HED_NATIVE_BODY pairs_begin_body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    void *const *a = call->arguments;
    for (uint64_t i = begin; i < end; i++)
        contact_begin((uint)i, a[0], a[1], a[2], a[3], a[4], *(const contact_params *)a[5]);
}
HED_NATIVE_CLONES(pairs_begin_native, pairs_begin_body)

static inline bool contact_list_is_made(
    const contact_counters *counters, const contact_params *params)
{
    return counters->iteration[params->slot].list_needed != 0;
}

HED_NATIVE_BODY pairs_slopes_body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    void *const *a = call->arguments;
    const contact_params *params = a[6];
    contact_tree tree = {
        .triangles = a[0], .gradients = a[1], .start = a[2], .ahead = a[3], .slopes = a[4]};
    if (!contact_list_is_made(a[5], params)) return;
    for (uint64_t leaf = begin; leaf < end; leaf++) contact_slope((uint)leaf, tree, *params);
}
HED_NATIVE_CLONES(pairs_slopes_native, pairs_slopes_body)

/* Refits the nodes of a range of groups, as the kernel does. */
HED_NATIVE_BODY pairs_boxes_body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    void *const *a = call->arguments;
    uint group_size = (uint)call->config->values[0];
    const contact_params *params = a[13];
    contact_tree tree = {.boxes = a[0],
        .triangles = a[1],
        .slopes = a[2],
        .ranges = a[3],
        .around_at = a[4],
        .around = a[5],
        .convex = a[6],
        .start = a[7],
        .ahead = a[8],
        .rests = a[9],
        .bodies = a[10]};
    contact_counters *counters = a[11];
    if (!contact_list_is_made(counters, params)) return;
    if (begin == 0) counters->total.listed = counters->total.overlaps = 0;
    for (uint64_t group = begin; group < end; group++) {
        uint first = (uint)group * group_size, row = *(const uint *)a[12];
        for (uint width = group_size; width > 0 && row > 0; width /= 2, row /= 2, first /= 2)
            for (uint item = 0; item < width && first + item < row; item++)
                contact_refit(row + first + item, tree, *params);
    }
}
HED_NATIVE_CLONES(pairs_boxes_native, pairs_boxes_body)

HED_NATIVE_BODY pairs_check_body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    void *const *a = call->arguments;
    for (uint64_t i = begin; i < end; i++)
        contact_check((uint)i, a[0], a[1], a[2], a[3], a[4], a[5], *(const contact_params *)a[6]);
}
HED_NATIVE_CLONES(pairs_check_native, pairs_check_body)

/* Elements [*first, *last) of the parts [begin, end). */
static void pairs_of(uint count, uint64_t begin, uint64_t end, uint *first, uint *last)
{
    *first = (uint)((uint64_t)count * begin / NATIVE_PARTS);
    *last = (uint)((uint64_t)count * end / NATIVE_PARTS);
}

HED_NATIVE_BODY pairs_find_body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    void *const *a = call->arguments;
    const contact_params *params = a[4];
    uint first, last;
    if (!contact_list_is_made(a[3], params)) return;
    pairs_of(params->leaves, begin, end, &first, &last);
    for (uint leaf = first; leaf < last; leaf++) block_find(a[0], a[1], leaf, a[2], a[3], *params);
}
HED_NATIVE_CLONES(pairs_find_native, pairs_find_body)

HED_NATIVE_BODY pairs_list_body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    void *const *a = call->arguments;
    const contact_params *params = a[10];
    contact_list_view view = {.triangles = a[1],
        .start = a[2],
        .ahead = a[3],
        .rests = a[4],
        .bodies = a[5],
        .list = a[6],
        .bounds = a[7],
        .counters = a[9]};
    uint first, last;
    if (!contact_list_is_made(a[9], params)) return;
    pairs_of(contact_overlaps(a[9], *params), begin, end, &first, &last);
    block_list(a[0], first, last, view, *params);
    pairs_of(params->particles, begin, end, &first, &last);
    for (uint i = first; i < last; i++) contact_store_cover(i, a[2], a[3], a[8]);
}
HED_NATIVE_CLONES(pairs_list_native, pairs_list_body)

HED_NATIVE_BODY pairs_take_body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    void *const *a = call->arguments;
    contact_params params = *(const contact_params *)a[10];
    uint first, last;
    contact_pair_view view = {.list = a[0],
        .bounds = a[1],
        .deviations = a[2],
        .start = a[3],
        .position = a[4],
        .rests = a[5],
        .bodies = a[6],
        .pairs = a[7],
        .planes = a[8]};
    pairs_of(contact_listed(a[9], params), begin, end, &first, &last);
    block_take(first, last, view, a[9], params);
}
HED_NATIVE_CLONES(pairs_take_native, pairs_take_body)

HED_NATIVE_BODY pairs_push_body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    void *const *a = call->arguments;
    contact_params params = *(const contact_params *)a[6];
    uint first, last;
    pairs_of(contact_to_push(a[5], params), begin, end, &first, &last);
    for (uint k = first; k < last; k++) contact_push(k, a[0], a[1], a[2], a[3], a[4], a[5], params);
}
HED_NATIVE_CLONES(pairs_push_native, pairs_push_body)

HED_NATIVE_BODY pairs_part_body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    void *const *a = call->arguments;
    contact_params params = *(const contact_params *)a[5];
    uint first, last;
    pairs_of(contact_to_push(a[4], params), begin, end, &first, &last);
    for (uint k = first; k < last; k++) contact_separate(k, a[0], a[1], a[2], a[3], a[4], params);
}
HED_NATIVE_CLONES(pairs_part_native, pairs_part_body)

HED_NATIVE_BODY pairs_apply_body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    void *const *a = call->arguments;
    for (uint64_t i = begin; i < end; i++)
        contact_apply((uint)i, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9],
            *(const contact_params *)a[10]);
}
HED_NATIVE_CLONES(pairs_apply_native, pairs_apply_body)

HED_NATIVE_BODY pairs_cut_body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    void *const *a = call->arguments;
    contact_params params = *(const contact_params *)a[6];
    uint first, last;
    pairs_of(contact_to_limit(a[5], params), begin, end, &first, &last);
    for (uint k = first; k < last; k++)
        contact_limit(k, a[0], a[1], a[2], a[3], a[4], a[5], params);
}
HED_NATIVE_CLONES(pairs_cut_native, pairs_cut_body)

HED_NATIVE_BODY pairs_finish_body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    void *const *a = call->arguments;
    for (uint64_t i = begin; i < end; i++)
        contact_finish((uint)i, a[0], a[1], a[2], a[3], a[4], *(const contact_params *)a[5]);
}
HED_NATIVE_CLONES(pairs_finish_native, pairs_finish_body)

/* ---- descriptions ---- */

static void pairs_geometry_each(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *layout)
{
    cloth_geometry(def, config, problem, layout);
    layout->native_grain = 1024;
}

static void pairs_geometry_rows(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *layout)
{
    uint64_t groups = hed_ceil_divide((uint64_t)problem->sizes[0], (uint64_t)config->values[0]);
    hed_geometry_1d(layout, groups, config->values[0], groups, 4);
}

/* One work item for each pair of the capacity, at most STRANDS. */
static void pairs_geometry_strands(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *layout)
{
    uint64_t room = (uint64_t)problem->sizes[0];
    uint64_t groups = hed_ceil_divide(room < STRANDS ? room : STRANDS, (uint64_t)config->values[0]);
    hed_geometry_1d(layout, groups, config->values[0], NATIVE_PARTS, 8);
}

/* One group for each cluster of CONTACT_CLUSTER (16) leaves, at most STRANDS items. */
static void pairs_geometry_clusters(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *layout)
{
    (void)def;
    uint64_t groups = hed_ceil_divide((uint64_t)problem->sizes[0], 16);
    uint64_t most = STRANDS / (uint64_t)config->values[0];
    hed_geometry_1d(layout, groups < most ? groups : most, config->values[0], NATIVE_PARTS, 8);
}

static void pairs_geometry_groups(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *layout)
{
    (void)def;
    uint64_t groups = (uint64_t)problem->sizes[0];
    hed_geometry_1d(layout, groups, config->values[0], groups, 1);
}

#define TEXTS \
    HED_SOURCES({"physics.h", hed_cloth_physics_h, 0}, {"collide.h", hed_cloth_collide_h, 0}, \
        {"mesh_contact.h", hed_cloth_mesh_contact_h, 0}, \
        {"contact_types.h", hed_cloth_contact_types_h, 0}, \
        {"contact_geometry.h", hed_cloth_contact_geometry_h, 0}, \
        {"contact_motion.h", hed_cloth_contact_motion_h, 0}, \
        {"contact_tree.h", hed_cloth_contact_tree_h, 0}, \
        {"broad_phase.h", hed_cloth_broad_phase_h, 0}, \
        {"contact_response.h", hed_cloth_contact_response_h, 0}, \
        {"contact_limit.h", hed_cloth_contact_limit_h, 0}, \
        {"contact_stages.h", hed_cloth_contact_stages_h, 0}, \
        {"broad_phase_group.h", hed_cloth_broad_phase_group_h, 0}, \
        {"contact_substep.cl", hed_cloth_contact_substep_cl, 0})

#define DESCRIPTION(label, what, layout, ...) \
    const hed_kernel_def cloth_pairs_##label##_def = {.name = "cloth_pairs_" #label, \
        .summary = what, \
        TEXTS, \
        .max_threads = "WG", \
        .range = pairs_##label##_native, \
        .geometry = pairs_geometry_##layout, \
        .metric = HED_METRIC_ITEMS, \
        .sample.bytes = cloth_pairs_sample_bytes, \
        .sample.fill = cloth_pairs_sample_fill, \
        HED_PROBLEMS(HED_PROBLEM(1), HED_PROBLEM(64), HED_PROBLEM(500)), \
        .sample.benchmark = HED_PROBLEM(1 << 17), \
        __VA_ARGS__}

#define GROUPS .native_ignores = HED_ALL_PARAMETERS, HED_PARAMETERS(HED_PARAMETER(WG, 128, 128))

/* One counter is the bits of a length, whose last bit may differ in fast mode. */
DESCRIPTION(begin, "positions that contacts move, complete motions, and the mean motion of the garments", each,
    HED_ARGUMENTS(HED_IN(float, start), HED_IN(float, position), HED_OUT(float, moved),
        HED_OUT(uint, fractions), HED_INOUT(int, counters, .tolerance = 1e-8),
        HED_VALUE_STRUCT(contact_params, params)),
    GROUPS, HED_DIMENSIONS("particles"));
DESCRIPTION(slopes, "slopes of triangles half-way along the motion of their vertices", each,
    HED_ARGUMENTS(HED_IN(uint, triangles), HED_IN(float, gradients), HED_IN(float, start),
        HED_IN(float, ahead), HED_OUT(float, slopes, .tolerance = 1e-4), HED_IN(int, counters),
        HED_VALUE_STRUCT(contact_params, params)),
    GROUPS, HED_DIMENSIONS("leaves"));
DESCRIPTION(boxes, "boxes of the motions in a tree of the cloth's triangles, from the last row up",
    rows,
    HED_ARGUMENTS(HED_INOUT(float, boxes, .tolerance = 1e-6), HED_IN(uint, triangles),
        HED_IN(float, slopes), HED_INOUT(float, ranges, .tolerance = 1e-6), HED_IN(uint, around_at),
        HED_IN(uint, around), HED_IN(uint, convex), HED_IN(float, start), HED_IN(float, ahead),
        HED_IN(float, rests), HED_IN(float, bodies), HED_INOUT(int, counters), HED_VALUE(uint, row),
        HED_VALUE_STRUCT(contact_params, params)),
    /* one value: the row of the next launch depends on it */
    HED_PARAMETERS(HED_PARAMETER(WG, 128, 128)), HED_DIMENSIONS("row"));
DESCRIPTION(check, "test for motions that leave those that the list covers", each,
    HED_ARGUMENTS(HED_IN(float, start), HED_IN(float, position), HED_IN(float, covers),
        HED_OUT(float, ahead, .tolerance = 1e-6), HED_OUT(float, deviations, .tolerance = 1e-6),
        HED_INOUT(int, counters), HED_VALUE_STRUCT(contact_params, params)),
    GROUPS, HED_DIMENSIONS("particles"));
DESCRIPTION(find, "triangles whose boxes overlap", clusters,
    HED_ARGUMENTS(HED_IN(float, boxes), HED_IN(uint, triangles), HED_INOUT(uint, overlaps),
        HED_INOUT(int, counters), HED_VALUE_STRUCT(contact_params, params)),
    GROUPS, HED_DIMENSIONS("leaves"));
DESCRIPTION(list, "vertices and triangles, and pairs of edges, that may meet in some substeps",
    strands,
    HED_ARGUMENTS(HED_IN(uint, overlaps), HED_IN(uint, triangles), HED_IN(float, start),
        HED_IN(float, ahead), HED_IN(float, rests), HED_IN(float, bodies), HED_INOUT(uint, list),
        HED_INOUT(uint, bounds, .tolerance = 1e-4), HED_INOUT(float, covers, .tolerance = 1e-5),
        HED_INOUT(int, counters), HED_VALUE_STRUCT(contact_params, params)),
    GROUPS, HED_DIMENSIONS("capacity"));
DESCRIPTION(take, "listed pairs that may meet in this substep, with the planes between them",
    strands,
    HED_ARGUMENTS(HED_IN(uint, list), HED_IN(uint, bounds), HED_IN(float, deviations),
        HED_IN(float, start), HED_IN(float, position), HED_IN(float, rests), HED_IN(float, bodies),
        HED_INOUT(uint, found), HED_INOUT(float, planes, .tolerance = 1e-4),
        HED_INOUT(int, counters), HED_VALUE_STRUCT(contact_params, params)),
    GROUPS, HED_DIMENSIONS("capacity"));
DESCRIPTION(push, "pushes of pairs, with friction", strands,
    HED_ARGUMENTS(HED_IN(uint, found), HED_IN(float, planes), HED_IN(float, start),
        HED_IN(float, moved), HED_INOUT(int, sums, .tolerance = 1.0), HED_INOUT(int, counters),
        HED_VALUE_STRUCT(contact_params, params)),
    GROUPS, HED_DIMENSIONS("capacity"));
DESCRIPTION(part, "separation of pairs to their sides of the plane between them", strands,
    HED_ARGUMENTS(HED_IN(uint, found), HED_IN(float, planes), HED_IN(float, moved),
        HED_INOUT(int, sums, .tolerance = 1.0), HED_INOUT(int, counters),
        HED_VALUE_STRUCT(contact_params, params)),
    GROUPS, HED_DIMENSIONS("capacity"));
DESCRIPTION(apply, "mean of the pushes of each particle, and colliders", each,
    HED_ARGUMENTS(HED_IN(float, start), HED_IN(float, position), HED_IN(float, previous),
        HED_IN(float, garments), HED_IN(float, colliders), HED_IN(float, contact),
        HED_IN(float, covers), HED_INOUT(float, moved, .tolerance = 1e-5), HED_INOUT(int, sums),
        HED_INOUT(int, counters), HED_VALUE_STRUCT(contact_params, params)),
    GROUPS, HED_DIMENSIONS("particles"));
DESCRIPTION(cut, "motions limited to the fraction that fixed planes allow", strands,
    HED_ARGUMENTS(HED_IN(uint, found), HED_IN(float, planes), HED_IN(float, start),
        HED_IN(float, moved), HED_INOUT(uint, fractions, .tolerance = 1e-3),
        HED_INOUT(int, counters), HED_VALUE_STRUCT(contact_params, params)),
    GROUPS, HED_DIMENSIONS("capacity"));
DESCRIPTION(finish, "positions of particles at a substep's end", each,
    HED_ARGUMENTS(HED_INOUT(float, position, .tolerance = 1e-6),
        HED_INOUT(float, start, .tolerance = 1e-6), HED_IN(float, moved), HED_IN(uint, fractions),
        HED_INOUT(int, counters), HED_VALUE_STRUCT(contact_params, params)),
    GROUPS, HED_DIMENSIONS("particles"));

/* No native version: without a barrier over the grid, the stages are launched one after another. */
const hed_kernel_def cloth_pairs_substep_def = {.name = "cloth_pairs_substep",
    .summary = "a whole substep of cloth that does not cross cloth",
    TEXTS,
    HED_ARGUMENTS(HED_INOUT(float, boxes), HED_IN(uint, triangles), HED_IN(float, gradients),
        HED_INOUT(float, slopes), HED_INOUT(float, ranges), HED_IN(uint, around_at),
        HED_IN(uint, around), HED_IN(uint, convex), HED_INOUT(float, start),
        HED_INOUT(float, position), HED_IN(float, previous), HED_IN(float, rests),
        HED_IN(float, bodies), HED_IN(float, garments), HED_IN(float, colliders),
        HED_IN(float, contact), HED_INOUT(uint, list), HED_INOUT(uint, bounds),
        HED_INOUT(float, covers), HED_INOUT(float, ahead), HED_INOUT(float, deviations),
        HED_INOUT(uint, found), HED_INOUT(float, planes), HED_INOUT(float, moved),
        HED_INOUT(uint, fractions), HED_INOUT(int, sums), HED_INOUT(int, counters),
        HED_SCRATCH(uint, state), HED_VALUE_STRUCT(contact_params, params)),
    HED_PARAMETERS(HED_PARAMETER(WG, SUBSTEP_WG, SUBSTEP_WG)),
    HED_DEFINES({"CLOTH_PAIRS_AT_ONCE", "1"}),
    HED_DIMENSIONS("groups"),
    .needs = HED_CAN_COOPERATIVE | HED_CAN_GRID_BARRIER,
    .max_threads = "WG",
    .min_groups = 5,
    .geometry = pairs_geometry_groups};
