/* Descriptions and native versions of the kernels that keep cloth from crossing cloth. */
#include "contact/contact_response_cpu.h"
#include "contact/contact_tree_cpu.h"
#include "contact/pair_take_cpu.h"

enum {
    SUBSTEP_WG = 128,  /* work items of a group of cloth_pairs_substep */
    STRANDS = 1 << 16, /* work items of kernels that go through pairs, maximum */
    NATIVE_PARTS = 64  /* parts of the pairs in C */
};

/* ---- native versions ---- */

static inline bool contact_list_is_made(
    const contact_counters *counters, const contact_params *params)
{
    return counters->iteration[params->slot].list_needed != 0;
}

/* Elements [*first, *last) of the parts [begin, end). */
static void pairs_of(uint count, uint64_t begin, uint64_t end, uint *first, uint *last)
{
    *first = (uint)((uint64_t)count * begin / NATIVE_PARTS);
    *last = (uint)((uint64_t)count * end / NATIVE_PARTS);
}

/* Pairs [*first, *last) of the parts, in whole blocks: each block has a word of `marks`. */
static void blocks_of(uint count, uint64_t begin, uint64_t end, uint *first, uint *last)
{
    pairs_of(count, begin, end, first, last);
    *first &= ~(CONTACT_BLOCK - 1u);
    if (end < NATIVE_PARTS) *last &= ~(CONTACT_BLOCK - 1u);
}

/* Native version of a stage that processes each particle by contact_`work`(). */
#define FOR_PARTICLES(label, work) \
    HED_NATIVE_BODY pairs_##label##_body( \
        const hed_native_call *call, uint64_t begin, uint64_t end) \
    { \
        const contact_##work##_view view = contact_##work##_view_of(call->arguments); \
        for (uint64_t i = begin; i < end; i++) contact_##work((uint)i, view); \
    } \
    HED_NATIVE_CLONES(pairs_##label##_native, pairs_##label##_body)

HED_NATIVE_BODY pairs_begin_body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    const contact_begin_view view = contact_begin_view_of(call->arguments);
    for (uint64_t i = begin; i < end; i++) {
        contact_begin((uint)i, view);
        view.marks[i] = 0;
    }
    const block_marks marks = block_marks_of(view.marks, &view.params);
    if (begin == 0) *marks.arrays = marks.particles[view.params.particles] = 0;
}
HED_NATIVE_CLONES(pairs_begin_native, pairs_begin_body)
FOR_PARTICLES(check, check)

HED_NATIVE_BODY pairs_slopes_body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    const contact_tree tree = contact_tree_of(call->arguments);
    const contact_slopes_view view = contact_slopes_view_of(call->arguments);
    if (!contact_list_is_made(view.counters, &view.params)) return;
    for (uint64_t leaf = begin; leaf < end; leaf++) contact_slope((uint)leaf, tree, view.params);
}
HED_NATIVE_CLONES(pairs_slopes_native, pairs_slopes_body)

/* Refits the nodes of a range of groups, as the kernel does. */
HED_NATIVE_BODY pairs_boxes_body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    const contact_tree tree = contact_tree_of(call->arguments);
    const contact_boxes_view view = contact_boxes_view_of(call->arguments);
    uint group_size = (uint)call->config->values[0];
    if (!contact_list_is_made(view.counters, &view.params)) return;
    if (begin == 0) view.counters->total.listed = view.counters->total.overlaps = 0;
    for (uint64_t group = begin; group < end; group++) {
        uint first = (uint)group * group_size, row = view.row;
        for (uint width = group_size; width > 0 && row > 0; width /= 2, row /= 2, first /= 2) {
            uint last = row - first < width ? row : first + width;
            for (uint node = first; node < last; node += BLOCK_LANES)
                block_refit(row + node, last - node < BLOCK_LANES ? last - node : BLOCK_LANES, tree,
                    view.params);
        }
    }
}
HED_NATIVE_CLONES(pairs_boxes_native, pairs_boxes_body)

HED_NATIVE_BODY pairs_find_body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    const contact_find_view view = contact_find_view_of(call->arguments);
    block_overlap_stage stage;
    uint first, last;
    if (!contact_list_is_made(view.counters, &view.params)) return;
    uint leaves = view.params.leaves;
    pairs_of(leaves / block_cluster_width(leaves), begin, end, &first, &last);
    stage.count = 0;
    for (uint cluster = first; cluster < last; cluster++) block_find(cluster, &stage, view);
    if (stage.count > 0) block_overlaps_write(&stage, view);
}
HED_NATIVE_CLONES(pairs_find_native, pairs_find_body)

HED_NATIVE_BODY pairs_list_body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    const contact_list_view view = contact_list_view_of(call->arguments);
    const contact_whole_list_view whole = contact_whole_list_view_of(call->arguments);
    uint first, last;
    if (!contact_list_is_made(view.counters, &whole.params)) return;
    pairs_of(contact_overlaps(view.counters, whole.params), begin, end, &first, &last);
    block_list(whole.overlaps, first, last, view, whole.params);
    pairs_of(whole.params.particles, begin, end, &first, &last);
    for (uint i = first; i < last; i++)
        contact_store_cover(i, view.start, view.ahead, whole.covers);
}
HED_NATIVE_CLONES(pairs_list_native, pairs_list_body)

HED_NATIVE_BODY pairs_take_body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    const contact_pair_view pairs = contact_pair_view_of(call->arguments);
    const contact_take_view view = contact_take_view_of(call->arguments);
    uint first, last;
    pairs_of(contact_listed(view.counters, view.params), begin, end, &first, &last);
    block_take(first, last, pairs, view.counters, view.params);
}
HED_NATIVE_CLONES(pairs_take_native, pairs_take_body)

/* Threads add to sums of their own, without locks. Without such sums one thread has all pairs. */
HED_NATIVE_BODY pairs_push_body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    const contact_push_view view = contact_push_view_of(call->arguments);
    const contact_params *params = &view.params;
    uint *arrays = block_marks_of(view.marks, params).arrays;
    uint count = contact_to_push(view.counters, *params), first, last;
    if (params->sum_arrays == 0) {
        if (begin == 0) block_push_pairs(view, 0, count, block_sums_of(view.sums, params, 0));
        return;
    }
    blocks_of(count, begin, end, &first, &last);
    if (first == last) return;
    uint array = block_take_array(arrays, params);
    block_push_pairs(view, first, last, block_sums_of(view.sums, params, array));
    __atomic_fetch_and(arrays, ~(1u << array), __ATOMIC_RELEASE);
}
HED_NATIVE_CLONES(pairs_push_native, pairs_push_body)

HED_NATIVE_BODY pairs_part_body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    const contact_separate_view view = contact_separate_view_of(call->arguments);
    const block_response_view tested = {view.pairs, view.planes, view.moved};
    const block_marks marks = block_marks_of(view.marks, &view.params);
    uint first, last, pass = view.params.pass;
    blocks_of(contact_to_push(view.counters, view.params), begin, end, &first, &last);
    for (uint k = first; k < last; k += CONTACT_BLOCK) {
        uint to = last - k < CONTACT_BLOCK ? last : k + CONTACT_BLOCK;
        uint works = block_unsafe(k, to, tested, marks, &view.params);
        if (view.params.weighs) block_note(marks, k, works, pass);
        for (; works; works &= works - 1u)
            contact_separate_at(k + (31u - clz(works & (0u - works))), view);
    }
}
HED_NATIVE_CLONES(pairs_part_native, pairs_part_body)

/* Pulls along the edges of leaves of which a push has moved a particle. */
HED_NATIVE_BODY pairs_pull_body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    const contact_pull_view view = contact_pull_view_of(call->arguments);
    if (!contact_pulls(view.counters, view.params)) return;
    for (uint64_t leaf = begin; leaf < end; leaf++) {
        contact_triangle t = view.triangles[leaf];
        if (t.a == CONTACT_NO_LEAF) continue;
        if (view.marks[t.a] | view.marks[t.b] | view.marks[t.c]) contact_pull((uint)leaf, view);
    }
}
HED_NATIVE_CLONES(pairs_pull_native, pairs_pull_body)

/* Passes over particles that no pair has pushed. */
HED_NATIVE_BODY pairs_apply_body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    const contact_apply_view view = contact_apply_view_of(call->arguments);
    uint pass = view.params.pass + 1u, moves = 0,
         has_arrays = view.params.sum_arrays > 0 && view.params.pass < CONTACT_PUSH_PASSES;
    if (!contact_is_active(view.counters, view.params)) return;
    for (uint64_t i = begin; i < end; i++) {
        int weight =
            has_arrays ? block_total((uint)i, view.sums, &view.params) : view.sums[4 * i + 3];
        if (weight == 0) continue;
        float4 before = view.moved[i], at;
        contact_apply((uint)i, view);
        at = view.moved[i];
        if (at.x == before.x && at.y == before.y && at.z == before.z) continue;
        view.marks[i] = moves = pass;
    }
    if (moves) cloth_atomic_store(&view.marks[view.params.particles], moves);
}
HED_NATIVE_CLONES(pairs_apply_native, pairs_apply_body)

/* The test is that of the first round, in which motions are whole. */
HED_NATIVE_BODY pairs_cut_body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    const contact_limit_view view = contact_limit_view_of(call->arguments);
    const block_response_view tested = {view.pairs, view.planes, view.moved};
    const block_marks marks = block_marks_of(view.marks, &view.params);
    uint first, last;
    blocks_of(contact_to_limit(view.counters, view.params), begin, end, &first, &last);
    if (view.params.round > 0)
        for (uint k = first; k < last; k++) contact_limit(k, view);
    else
        for (uint k = first; k < last; k += CONTACT_BLOCK) {
            uint to = last - k < CONTACT_BLOCK ? last : k + CONTACT_BLOCK;
            for (uint works = block_unsafe(k, to, tested, marks, &view.params); works;
                 works &= works - 1u)
                contact_limit(k + (31u - clz(works & (0u - works))), view);
        }
}
HED_NATIVE_CLONES(pairs_cut_native, pairs_cut_body)
FOR_PARTICLES(finish, finish)

/* ---- descriptions ---- */

static void pairs_geometry_each(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *layout)
{
    cloth_geometry(def, config, problem, layout);
    layout->native_grain = 256;
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
    hed_geometry_1d(layout, groups, config->values[0], NATIVE_PARTS, 1);
}

/* Divides a launch into at most CONTACT_MAX_SUM_ARRAYS pieces. */
static void pairs_geometry_pushes(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *layout)
{
    pairs_geometry_strands(def, config, problem, layout);
    layout->native_grain = NATIVE_PARTS / CONTACT_MAX_SUM_ARRAYS;
}

/* One group for each cluster of CONTACT_CLUSTER (16) leaves, at most STRANDS items. */
static void pairs_geometry_clusters(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *layout)
{
    (void)def;
    uint64_t groups = hed_ceil_divide((uint64_t)problem->sizes[0], 16);
    uint64_t most = STRANDS / (uint64_t)config->values[0];
    hed_geometry_1d(layout, groups < most ? groups : most, config->values[0], NATIVE_PARTS, 1);
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
DESCRIPTION(begin,
    "positions that contacts move, complete motions, and the mean motion of the garments", each,
    HED_ARGUMENTS(
        HED_VIEW_ARGUMENTS(PAIRS_BEGIN), [HED_ROW(contact_begin_view, counters)].tolerance = 1e-8),
    GROUPS, HED_DIMENSIONS("particles"));
DESCRIPTION(slopes, "slopes of triangles half-way along the motion of their vertices", each,
    HED_ARGUMENTS(
        HED_VIEW_ARGUMENTS(PAIRS_SLOPES), [HED_ROW(contact_tree, slopes)].tolerance = 1e-4),
    GROUPS, HED_DIMENSIONS("leaves"));
DESCRIPTION(boxes, "boxes of the motions in a tree of the cloth's triangles, from the last row up",
    rows,
    HED_ARGUMENTS(HED_VIEW_ARGUMENTS(PAIRS_BOXES), [HED_ROW(contact_tree, boxes)].tolerance = 1e-6,
        [HED_ROW(contact_tree, ranges)].tolerance = 1e-6),
    /* one value: the row of the next launch depends on it */
    HED_PARAMETERS(HED_PARAMETER(WG, 128, 128)), HED_DIMENSIONS("row"));
DESCRIPTION(check, "test for motions that leave those that the list covers", each,
    HED_ARGUMENTS(HED_VIEW_ARGUMENTS(PAIRS_CHECK),
        [HED_ROW(contact_check_view, grips)].tolerance = 1e-6,
        [HED_ROW(contact_check_view, ahead)].tolerance = 1e-6,
        [HED_ROW(contact_check_view, deviations)].tolerance = 1e-6),
    GROUPS, HED_DIMENSIONS("particles"));
DESCRIPTION(find, "triangles whose boxes overlap", clusters,
    HED_ARGUMENTS(HED_VIEW_ARGUMENTS(PAIRS_FIND)), GROUPS, HED_DIMENSIONS("leaves"));
DESCRIPTION(list, "vertices and triangles, and pairs of edges, that may meet in some substeps",
    strands,
    HED_ARGUMENTS(HED_VIEW_ARGUMENTS(PAIRS_LIST),
        [HED_ROW(contact_list_view, bounds)].tolerance = 1e-4,
        [HED_ROW(contact_whole_list_view, covers)].tolerance = 1e-5),
    GROUPS, HED_DIMENSIONS("capacity"));
DESCRIPTION(take, "listed pairs that may meet in this substep, with the planes between them",
    strands,
    HED_ARGUMENTS(
        HED_VIEW_ARGUMENTS(PAIRS_TAKE), [HED_ROW(contact_pair_view, planes)].tolerance = 1e-4),
    GROUPS, HED_DIMENSIONS("capacity"));
DESCRIPTION(push, "pushes of pairs, with friction", pushes,
    HED_ARGUMENTS(
        HED_VIEW_ARGUMENTS(PAIRS_PUSH), [HED_ROW(contact_push_view, sums)].tolerance = 1.0),
    GROUPS, HED_DIMENSIONS("capacity"));
DESCRIPTION(part, "separation of pairs to their sides of the plane between them", strands,
    HED_ARGUMENTS(
        HED_VIEW_ARGUMENTS(PAIRS_PART), [HED_ROW(contact_separate_view, sums)].tolerance = 1.0),
    GROUPS, HED_DIMENSIONS("capacity"));
DESCRIPTION(pull, "pulls along edges that pushes stretched", each,
    HED_ARGUMENTS(
        HED_VIEW_ARGUMENTS(PAIRS_PULL), [HED_ROW(contact_pull_view, sums)].tolerance = 1.0),
    GROUPS, HED_DIMENSIONS("leaves"));
DESCRIPTION(apply, "mean of the pushes of each particle, and colliders", each,
    HED_ARGUMENTS(
        HED_VIEW_ARGUMENTS(PAIRS_APPLY), [HED_ROW(contact_apply_view, moved)].tolerance = 1e-5),
    GROUPS, HED_DIMENSIONS("particles"));
DESCRIPTION(cut, "motions limited to the fraction that fixed planes allow", strands,
    HED_ARGUMENTS(
        HED_VIEW_ARGUMENTS(PAIRS_CUT), [HED_ROW(contact_limit_view, fractions)].tolerance = 1e-3),
    GROUPS, HED_DIMENSIONS("capacity"));
DESCRIPTION(finish, "positions of particles at a substep's end", each,
    HED_ARGUMENTS(HED_VIEW_ARGUMENTS(PAIRS_FINISH),
        [HED_ROW(contact_finish_view, position)].tolerance = 1e-6,
        [HED_ROW(contact_finish_view, start)].tolerance = 1e-6),
    GROUPS, HED_DIMENSIONS("particles"));

/* No native version: without a barrier over the grid, the stages are launched one after another. */
const hed_kernel_def cloth_pairs_substep_def = {.name = "cloth_pairs_substep",
    .summary = "a whole substep of cloth that does not cross cloth",
    TEXTS,
    HED_ARGUMENTS(HED_VIEW_ARGUMENTS(PAIRS_SUBSTEP)),
    HED_PARAMETERS(HED_PARAMETER(WG, SUBSTEP_WG, SUBSTEP_WG)),
    HED_DEFINES({"CLOTH_PAIRS_AT_ONCE", "1"}),
    HED_DIMENSIONS("groups"),
    .needs = HED_CAN_COOPERATIVE | HED_CAN_GRID_BARRIER,
    .max_threads = "WG",
    .min_groups = 5,
    .geometry = pairs_geometry_groups};
