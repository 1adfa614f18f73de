/* Descriptions and native versions of the kernels of thin features of bodies. */
#include "contact/contact_kernels.h"

#include <string.h>

enum { FEATURE_SOLVE_WG = 256 };

/* ---- native versions ---- */

/* Four floats in a vector register: x y z w of a particle. */
typedef float cluster_lanes __attribute__((vector_size(16)));
typedef int cluster_mask __attribute__((vector_size(16)));

static inline __attribute__((always_inline)) cluster_lanes cluster_choose(
    cluster_mask mask, cluster_lanes a, cluster_lanes b)
{
    return (cluster_lanes)(((cluster_mask)a & mask) | ((cluster_mask)b & ~mask));
}

/* Box of the motion of a cluster, with a margin; w: squares of the longest edges of its
 * triangles. */
typedef struct cluster_box {
    cluster_lanes low, high;
} cluster_box;

static inline __attribute__((always_inline)) cluster_box cluster_box_of(
    const feature_find_view *view, uint cluster)
{
    cluster_lanes low = {3e38f, 3e38f, 3e38f, 0}, high = {-3e38f, -3e38f, -3e38f, 0}, x, y;
    for (uint i = view->cluster_at[cluster]; i < view->cluster_at[cluster + 1]; i++) {
        memcpy(&x, view->previous + view->clusters[i], sizeof x);
        memcpy(&y, view->position + view->clusters[i], sizeof y);
        cluster_lanes smaller = cluster_choose(x < y, x, y), larger = cluster_choose(x < y, y, x);
        low = cluster_choose(smaller < low, smaller, low);
        high = cluster_choose(larger > high, larger, high);
    }
    float margin = 1.3f * hed_max(view->params.max_thickness, FEATURE_MIN_CLEARANCE);
    const cluster_lanes around = {margin, margin, margin, 0};
    cluster_box box = {low - around, high + around};
    box.low[3] = 0.0f;
    box.high[3] = 3e38f;
    return box;
}

/* Square of the longest edge of a cluster, m^2. */
static inline __attribute__((always_inline)) float cluster_longest_square(
    const feature_find_view *view, uint cluster)
{
    float square = 0.0f;
    uint first = cluster * CLOTH_FEATURE_CLUSTER, last = first + CLOTH_FEATURE_CLUSTER;
    for (uint t = first; t < last && t < view->params.triangles; t++) {
        contact_triangle corners = view->triangles[t];
        if (corners.a == CONTACT_NO_LEAF) continue;
        const float4 *sets[2] = {view->previous, view->position};
        for (int k = 0; k < 2; k++)
            square = hed_max(square,
                feature_longest_square((feature_sides){
                    .a = sets[k][corners.a], .b = sets[k][corners.b], .c = sets[k][corners.c]}));
    }
    return square;
}

/* True if a box overlaps that of a node. */
static inline __attribute__((always_inline)) bool cluster_meets(
    const cluster_box *box, const float4 *node)
{
    cluster_lanes low, high;
    int64_t sides[2];
    memcpy(&low, node, sizeof low);
    memcpy(&high, node + 1, sizeof high);
    cluster_mask apart = (box->low > high) | (box->high < low);
    memcpy(sides, &apart, sizeof sides);
    return (sides[0] | sides[1]) == 0;
}

/* Features near a cluster. */
enum { CLUSTER_FEATURES = 256 };
typedef struct cluster_features {
    uint count, numbers[CLUSTER_FEATURES];
    float4 boxes[CLUSTER_FEATURES][2];
} cluster_features;

/* Finds the features near a cluster. Returns false if they are too many. */
static inline __attribute__((always_inline)) bool cluster_find(
    const feature_find_view *view, uint cluster, cluster_features *near)
{
    cluster_box box = cluster_box_of(view, cluster);
    uint leaves = view->params.leaves;
    near->count = 0;
    if (!cluster_meets(&box, view->boxes + 2)) return true;
    box.high[3] = cluster_longest_square(view, cluster);
    for (uint node = 1; node != 0;) {
        const float4 *at = view->boxes + 2 * node;
        if (cluster_meets(&box, at)) {
            if (node < leaves) {
                node *= 2;
                continue;
            }
            if (near->count == CLUSTER_FEATURES) return false;
            near->numbers[near->count] = node - leaves;
            memcpy(near->boxes[near->count++], at, sizeof *near->boxes);
        }
        while (node & 1u) node >>= 1;
        node += node != 0;
    }
    return true;
}

/* Compares a triangle with the features near its cluster, in the order of feature_find(). */
static inline __attribute__((always_inline)) void cluster_compare(
    uint t, const cluster_features *near, feature_find_view view)
{
    feature_triangle of;
    cluster_box box;
    if (!feature_read_triangle(t, view, &of)) return;
    memcpy(&box, &of.placed, sizeof box);
    for (uint k = 0; k < near->count; k++)
        if (cluster_meets(&box, near->boxes[k])) feature_compare(of, near->numbers[k], view);
}

/* Finds the features near a cluster of triangles first: most clusters have no feature near. */
HED_NATIVE_BODY feature_find_body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    const feature_find_view view = feature_find_view_of(call->arguments);
    cluster_features near;
    for (uint64_t cluster = begin; cluster < end; cluster++) {
        bool is_listed = !view.params.apart && cluster_find(&view, (uint)cluster, &near);
        if (is_listed && near.count == 0) continue;
        uint first = (uint)cluster * CLOTH_FEATURE_CLUSTER, last = first + CLOTH_FEATURE_CLUSTER;
        for (uint t = first; t < last && t < view.params.triangles; t++)
            if (is_listed) cluster_compare(t, &near, view);
            else feature_find(t, view);
    }
}
HED_NATIVE_CLONES(feature_find_native, feature_find_body)

HED_NATIVE_BODY feature_solve_body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    const feature_solve_view view = feature_solve_view_of(call->arguments);
    uint count = feature_count(view.counters, view.params);
    if (begin == end) return;
#define FEATURE_RUN(stage, argument) \
    for (uint k = 0; k < count; k++) RUN_##stage(k, argument)
#define RUN_feature_push(k, pass) feature_push(k, pass, view)
#define RUN_feature_apply(k, pass) feature_apply(k, view)
#define RUN_feature_limit(k, round) feature_limit(k, round, view)
#define RUN_feature_finish(k, round) feature_finish(k, view)
    FEATURE_STAGES(FEATURE_RUN, view.counters);
#undef FEATURE_RUN
    feature_tally(view.counters, view.params);
}
HED_NATIVE_CLONES(feature_solve_native, feature_solve_body)

/* ---- descriptions ---- */

static void feature_find_geometry(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *layout)
{
    cloth_geometry(def, config, problem, layout);
    layout->native_items = hed_ceil_divide((uint64_t)problem->sizes[0], CLOTH_FEATURE_CLUSTER);
    layout->native_grain = 128;
}

static void feature_solve_geometry(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *layout)
{
    (void)def;
    (void)problem;
    hed_geometry_1d(layout, 1, config->values[0], 1, 0);
}

#define TEXTS \
    HED_SOURCES({"physics.h", hed_cloth_physics_h, 0}, {"collide.h", hed_cloth_collide_h, 0}, \
        {"mesh_contact.h", hed_cloth_mesh_contact_h, 0}, \
        {"contact_types.h", hed_cloth_contact_types_h, 0}, \
        {"contact_geometry.h", hed_cloth_contact_geometry_h, 0}, \
        {"feature_contact.h", hed_cloth_feature_contact_h, 0}, \
        {"feature_contact.cl", hed_cloth_feature_contact_cl, 0})

#define COMMON \
    TEXTS, .native_ignores = HED_ALL_PARAMETERS, .max_threads = "WG", .metric = HED_METRIC_ITEMS, \
           .sample.bytes = cloth_feature_sample_bytes, .sample.fill = cloth_feature_sample_fill

const hed_kernel_def cloth_feature_find_def = {
    .name = "cloth_feature_find",
    .summary = "edges and faces of cloth that thin features of bodies may touch in this substep",
    HED_ARGUMENTS(HED_VIEW_ARGUMENTS(FEATURE_FIND)),
    HED_PARAMETERS(HED_PARAMETER(WG, 64, 64)),
    HED_DIMENSIONS("triangles"),
    COMMON,
    .geometry = feature_find_geometry,
    .range = feature_find_native,
    HED_PROBLEMS(HED_PROBLEM(1), HED_PROBLEM(16), HED_PROBLEM(512)),
    .sample.benchmark = HED_PROBLEM(1 << 15),
};

const hed_kernel_def cloth_feature_solve_def = {
    .name = "cloth_feature_solve",
    .summary = "cloth pushed off thin features of bodies, and its motion limited",
    HED_ARGUMENTS(HED_VIEW_ARGUMENTS(FEATURE_SOLVE),
        [HED_ROW(feature_solve_view, position)].tolerance = 1e-5),
    HED_PARAMETERS(HED_PARAMETER(WG, FEATURE_SOLVE_WG, FEATURE_SOLVE_WG)),
    HED_DIMENSIONS("triangles"),
    COMMON,
    .geometry = feature_solve_geometry,
    .range = feature_solve_native,
    HED_PROBLEMS(HED_PROBLEM(1), HED_PROBLEM(16), HED_PROBLEM(512)),
    .sample.benchmark = HED_PROBLEM(1 << 12),
};
