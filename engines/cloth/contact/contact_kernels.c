/* Descriptions and native versions of the kernels that keep cloth from crossing cloth. */
#include "contact/broad_phase_cpu.h"

enum {
    AT_ONCE = 128,     /* work items of a group of the kernel that does all */
    STRANDS = 1 << 16, /* work items that go through pairs */
    NATIVE_PARTS = 64  /* natively they are cut into so many parts */
};

/* ---- native versions ---- */

HED_NATIVE_BODY pairs_begin_body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    void *const *a = call->arguments;
    for (uint64_t i = begin; i < end; i++)
        cloth_pairs_begin_one((uint)i, a[0], a[1], a[2], a[3], a[4], *(const cloth_pairs *)a[5]);
}
HED_NATIVE_CLONES(pairs_begin_native, pairs_begin_body)

HED_NATIVE_BODY pairs_slopes_body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    void *const *a = call->arguments;
    const cloth_pairs *pairs = a[6];
    cloth_pairs_tree tree = {
        .corners = a[0], .gradients = a[1], .start = a[2], .ahead = a[3], .slopes = a[4]};
    if (!((const int *)a[5])[pairs->bank + CLOTH_PAIRS_NEED]) return;
    for (uint64_t leaf = begin; leaf < end; leaf++) cloth_pairs_slope_one((uint)leaf, tree, *pairs);
}
HED_NATIVE_CLONES(pairs_slopes_native, pairs_slopes_body)

/* A range of groups, as the kernel has them. */
HED_NATIVE_BODY pairs_boxes_body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    void *const *a = call->arguments;
    uint group_size = (uint)call->config->values[0];
    const cloth_pairs *pairs = a[13];
    cloth_pairs_tree tree = {
        a[0], a[1], NULL, a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10]};
    int *counters = a[11];
    if (!counters[pairs->bank + CLOTH_PAIRS_NEED]) return;
    if (begin == 0) counters[CLOTH_PAIRS_LISTED] = counters[CLOTH_PAIRS_NEAR] = 0;
    for (uint64_t group = begin; group < end; group++) {
        uint first = (uint)group * group_size, row = *(const uint *)a[12];
        for (uint width = group_size; width > 0 && row > 0; width /= 2, row /= 2, first /= 2)
            for (uint item = 0; item < width && first + item < row; item++)
                cloth_pairs_box_one(row + first + item, tree, *pairs);
    }
}
HED_NATIVE_CLONES(pairs_boxes_native, pairs_boxes_body)

HED_NATIVE_BODY pairs_check_body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    void *const *a = call->arguments;
    for (uint64_t i = begin; i < end; i++)
        cloth_pairs_check_one(
            (uint)i, a[0], a[1], a[2], a[3], a[4], a[5], *(const cloth_pairs *)a[6]);
}
HED_NATIVE_CLONES(pairs_check_native, pairs_check_body)

/* Pairs of the parts [begin, end). */
static void pairs_of(uint count, uint64_t begin, uint64_t end, uint *first, uint *last)
{
    *first = (uint)((uint64_t)count * begin / NATIVE_PARTS);
    *last = (uint)((uint64_t)count * end / NATIVE_PARTS);
}

HED_NATIVE_BODY pairs_find_body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    void *const *a = call->arguments;
    const cloth_pairs *pairs = a[4];
    uint first, last;
    if (!((const int *)a[3])[pairs->bank + CLOTH_PAIRS_NEED]) return;
    pairs_of(pairs->leaves, begin, end, &first, &last);
    for (uint leaf = first; leaf < last; leaf++) block_find(a[0], a[1], leaf, a[2], a[3], *pairs);
}
HED_NATIVE_CLONES(pairs_find_native, pairs_find_body)

HED_NATIVE_BODY pairs_list_body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    void *const *a = call->arguments;
    const cloth_pairs *pairs = a[10];
    cloth_pairs_view view = {a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[9]};
    uint first, last;
    if (!((const int *)a[9])[pairs->bank + CLOTH_PAIRS_NEED]) return;
    pairs_of(cloth_pairs_near(a[9], *pairs), begin, end, &first, &last);
    block_list(a[0], first, last, view, *pairs);
    pairs_of(pairs->particles, begin, end, &first, &last);
    for (uint i = first; i < last; i++) cloth_pairs_cover_one(i, a[2], a[3], a[8]);
}
HED_NATIVE_CLONES(pairs_list_native, pairs_list_body)

HED_NATIVE_BODY pairs_take_body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    void *const *a = call->arguments;
    cloth_pairs pairs = *(const cloth_pairs *)a[10];
    uint first, last;
    pairs_of(cloth_pairs_listed(a[9], pairs), begin, end, &first, &last);
    block_take(first, last, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], pairs);
}
HED_NATIVE_CLONES(pairs_take_native, pairs_take_body)

HED_NATIVE_BODY pairs_push_body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    void *const *a = call->arguments;
    cloth_pairs pairs = *(const cloth_pairs *)a[6];
    uint first, last;
    pairs_of(cloth_pairs_to_push(a[5], pairs), begin, end, &first, &last);
    for (uint k = first; k < last; k++)
        cloth_pairs_push_one(k, a[0], a[1], a[2], a[3], a[4], a[5], pairs);
}
HED_NATIVE_CLONES(pairs_push_native, pairs_push_body)

HED_NATIVE_BODY pairs_part_body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    void *const *a = call->arguments;
    cloth_pairs pairs = *(const cloth_pairs *)a[5];
    uint first, last;
    pairs_of(cloth_pairs_to_push(a[4], pairs), begin, end, &first, &last);
    for (uint k = first; k < last; k++)
        cloth_pairs_part_one(k, a[0], a[1], a[2], a[3], a[4], pairs);
}
HED_NATIVE_CLONES(pairs_part_native, pairs_part_body)

HED_NATIVE_BODY pairs_apply_body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    void *const *a = call->arguments;
    for (uint64_t i = begin; i < end; i++)
        cloth_pairs_apply_one((uint)i, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9],
            *(const cloth_pairs *)a[10]);
}
HED_NATIVE_CLONES(pairs_apply_native, pairs_apply_body)

HED_NATIVE_BODY pairs_cut_body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    void *const *a = call->arguments;
    cloth_pairs pairs = *(const cloth_pairs *)a[6];
    uint first, last;
    pairs_of(cloth_pairs_to_cut(a[5], pairs), begin, end, &first, &last);
    for (uint k = first; k < last; k++)
        cloth_pairs_cut_one(k, a[0], a[1], a[2], a[3], a[4], a[5], pairs);
}
HED_NATIVE_CLONES(pairs_cut_native, pairs_cut_body)

HED_NATIVE_BODY pairs_finish_body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    void *const *a = call->arguments;
    for (uint64_t i = begin; i < end; i++)
        cloth_pairs_finish_one((uint)i, a[0], a[1], a[2], a[3], a[4], *(const cloth_pairs *)a[5]);
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

/* A strand for each pair that there is room for, at most STRANDS. */
static void pairs_geometry_strands(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *layout)
{
    uint64_t room = (uint64_t)problem->sizes[0];
    uint64_t groups = hed_ceil_divide(room < STRANDS ? room : STRANDS, (uint64_t)config->values[0]);
    hed_geometry_1d(layout, groups, config->values[0], NATIVE_PARTS, 8);
}

/* A group for each cluster of 16 leaves, at most as many as strands take. */
static void pairs_geometry_clusters(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *layout)
{
    (void)def;
    uint64_t groups = hed_ceil_divide((uint64_t)problem->sizes[0], 16);
    uint64_t most = STRANDS / (uint64_t)config->values[0];
    hed_geometry_1d(layout, groups < most ? groups : most, config->values[0], NATIVE_PARTS, 8);
}

/* Of `groups` groups. */
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
        {"contact_pair.h", hed_cloth_contact_pair_h, 0}, \
        {"contact_limit.h", hed_cloth_contact_limit_h, 0}, \
        {"broad_phase.h", hed_cloth_broad_phase_h, 0}, \
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

/* One of the counters is the bits of a length, of which the last one is fast mode's to choose. */
DESCRIPTION(begin, "places that contacts move, whole ways, and the mean way of the garments", each,
    HED_ARGUMENTS(HED_IN(float, start), HED_IN(float, position), HED_OUT(float, moved),
        HED_OUT(uint, shares), HED_INOUT(int, counters, .tolerance = 1e-8),
        HED_VALUE_STRUCT(cloth_pairs, pairs)),
    GROUPS, HED_DIMENSIONS("particles"));
DESCRIPTION(slopes, "how triangles lie, half-way along the ways of their vertices", each,
    HED_ARGUMENTS(HED_IN(uint, corners), HED_IN(float, gradients), HED_IN(float, start),
        HED_IN(float, ahead), HED_OUT(float, slopes, .tolerance = 1e-4), HED_IN(int, counters),
        HED_VALUE_STRUCT(cloth_pairs, pairs)),
    GROUPS, HED_DIMENSIONS("leaves"));
DESCRIPTION(boxes, "boxes of the ways of a tree of the cloth's triangles, from the last row up",
    rows,
    HED_ARGUMENTS(HED_INOUT(float, boxes, .tolerance = 1e-6), HED_IN(uint, corners),
        HED_IN(float, slopes), HED_INOUT(float, ranges, .tolerance = 1e-6), HED_IN(uint, around_at),
        HED_IN(uint, around), HED_IN(uint, convex), HED_IN(float, start), HED_IN(float, ahead),
        HED_IN(float, rests), HED_IN(float, bodies), HED_INOUT(int, counters), HED_VALUE(uint, row),
        HED_VALUE_STRUCT(cloth_pairs, pairs)),
    /* one value: what a launch leaves undone depends on it */
    HED_PARAMETERS(HED_PARAMETER(WG, 128, 128)), HED_DIMENSIONS("row"));
DESCRIPTION(check, "whether ways leave what the list covers", each,
    HED_ARGUMENTS(HED_IN(float, start), HED_IN(float, position), HED_IN(float, covers),
        HED_OUT(float, ahead, .tolerance = 1e-6), HED_OUT(float, offs, .tolerance = 1e-6),
        HED_INOUT(int, counters), HED_VALUE_STRUCT(cloth_pairs, pairs)),
    GROUPS, HED_DIMENSIONS("particles"));
DESCRIPTION(find, "triangles whose boxes overlap", clusters,
    HED_ARGUMENTS(HED_IN(float, boxes), HED_IN(uint, corners), HED_INOUT(uint, near),
        HED_INOUT(int, counters), HED_VALUE_STRUCT(cloth_pairs, pairs)),
    GROUPS, HED_DIMENSIONS("leaves"));
DESCRIPTION(list, "vertices and triangles, and pairs of edges, that may meet for some substeps",
    strands,
    HED_ARGUMENTS(HED_IN(uint, near), HED_IN(uint, corners), HED_IN(float, start),
        HED_IN(float, ahead), HED_IN(float, rests), HED_IN(float, bodies), HED_INOUT(uint, list),
        HED_INOUT(uint, kept, .tolerance = 1e-4), HED_INOUT(float, covers, .tolerance = 1e-5),
        HED_INOUT(int, counters), HED_VALUE_STRUCT(cloth_pairs, pairs)),
    GROUPS, HED_DIMENSIONS("capacity"));
DESCRIPTION(take, "pairs of the list that may meet in this substep, with the planes between them",
    strands,
    HED_ARGUMENTS(HED_IN(uint, list), HED_IN(uint, kept), HED_IN(float, offs), HED_IN(float, start),
        HED_IN(float, position), HED_IN(float, rests), HED_IN(float, bodies),
        HED_INOUT(uint, found), HED_INOUT(float, planes, .tolerance = 1e-4),
        HED_INOUT(int, counters), HED_VALUE_STRUCT(cloth_pairs, pairs)),
    GROUPS, HED_DIMENSIONS("capacity"));
DESCRIPTION(push, "pairs that push each other apart, with friction", strands,
    HED_ARGUMENTS(HED_IN(uint, found), HED_IN(float, planes), HED_IN(float, start),
        HED_IN(float, moved), HED_INOUT(int, sums, .tolerance = 1.0), HED_INOUT(int, counters),
        HED_VALUE_STRUCT(cloth_pairs, pairs)),
    GROUPS, HED_DIMENSIONS("capacity"));
DESCRIPTION(part, "pairs that are put on their sides of the plane between them", strands,
    HED_ARGUMENTS(HED_IN(uint, found), HED_IN(float, planes), HED_IN(float, moved),
        HED_INOUT(int, sums, .tolerance = 1.0), HED_INOUT(int, counters),
        HED_VALUE_STRUCT(cloth_pairs, pairs)),
    GROUPS, HED_DIMENSIONS("capacity"));
DESCRIPTION(apply, "what particles have gathered, and colliders", each,
    HED_ARGUMENTS(HED_IN(float, start), HED_IN(float, position), HED_IN(float, previous),
        HED_IN(float, garments), HED_IN(float, colliders), HED_IN(float, contact),
        HED_IN(float, covers), HED_INOUT(float, moved, .tolerance = 1e-5), HED_INOUT(int, sums),
        HED_INOUT(int, counters), HED_VALUE_STRUCT(cloth_pairs, pairs)),
    GROUPS, HED_DIMENSIONS("particles"));
DESCRIPTION(cut, "ways cut to what planes that stand allow", strands,
    HED_ARGUMENTS(HED_IN(uint, found), HED_IN(float, planes), HED_IN(float, start),
        HED_IN(float, moved), HED_INOUT(uint, shares, .tolerance = 1e-3), HED_INOUT(int, counters),
        HED_VALUE_STRUCT(cloth_pairs, pairs)),
    GROUPS, HED_DIMENSIONS("capacity"));
DESCRIPTION(finish, "where particles are at a substep's end", each,
    HED_ARGUMENTS(HED_INOUT(float, position, .tolerance = 1e-6),
        HED_INOUT(float, start, .tolerance = 1e-6), HED_IN(float, moved), HED_IN(uint, shares),
        HED_INOUT(int, counters), HED_VALUE_STRUCT(cloth_pairs, pairs)),
    GROUPS, HED_DIMENSIONS("particles"));

/* No native version: where there is no barrier over the grid, the others run one after another. */
const hed_kernel_def cloth_pairs_substep_def = {.name = "cloth_pairs_substep",
    .summary = "all of a substep of cloth that does not cross cloth",
    TEXTS,
    HED_ARGUMENTS(HED_INOUT(float, boxes), HED_IN(uint, corners), HED_IN(float, gradients),
        HED_INOUT(float, slopes), HED_INOUT(float, ranges), HED_IN(uint, around_at),
        HED_IN(uint, around), HED_IN(uint, convex), HED_INOUT(float, start),
        HED_INOUT(float, position), HED_IN(float, previous), HED_IN(float, rests),
        HED_IN(float, bodies), HED_IN(float, garments), HED_IN(float, colliders),
        HED_IN(float, contact), HED_INOUT(uint, list), HED_INOUT(uint, kept),
        HED_INOUT(float, covers), HED_INOUT(float, ahead), HED_INOUT(float, offs),
        HED_INOUT(uint, found), HED_INOUT(float, planes), HED_INOUT(float, moved),
        HED_INOUT(uint, shares), HED_INOUT(int, sums), HED_INOUT(int, counters),
        HED_SCRATCH(uint, state), HED_VALUE_STRUCT(cloth_pairs, pairs)),
    HED_PARAMETERS(HED_PARAMETER(WG, AT_ONCE, AT_ONCE)),
    HED_DEFINES({"CLOTH_PAIRS_AT_ONCE", "1"}),
    HED_DIMENSIONS("groups"),
    .needs = HED_CAN_COOPERATIVE | HED_CAN_GRID_BARRIER,
    .max_threads = "WG",
    .min_groups = 5,
    .geometry = pairs_geometry_groups};
