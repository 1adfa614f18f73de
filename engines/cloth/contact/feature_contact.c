/* Descriptions and native versions of the kernels of thin features of bodies. */
#include "contact/contact_kernels.h"

enum { FEATURE_SOLVE_WG = 256 };

/* ---- native versions ---- */

/* Box of the motion of a cluster's particles, as lanes of x y z w. */
typedef struct cluster_box {
    float low[4], high[4];
} cluster_box;

static inline __attribute__((always_inline)) void cluster_include(
    cluster_box *box, const float4 *place)
{
    const float *at = &place->x;
    for (int k = 0; k < 4; k++) {
        box->low[k] = at[k] < box->low[k] ? at[k] : box->low[k];
        box->high[k] = at[k] > box->high[k] ? at[k] : box->high[k];
    }
}

/* True if a triangle of the cluster may be near a feature: its box is within that of all. */
static inline __attribute__((always_inline)) bool cluster_is_near(
    const feature_find_view *view, uint cluster)
{
    cluster_box box;
    for (int k = 0; k < 4; k++) {
        box.low[k] = 3e38f;
        box.high[k] = -3e38f;
    }
    for (uint i = view->cluster_at[cluster]; i < view->cluster_at[cluster + 1]; i++) {
        cluster_include(&box, view->previous + view->clusters[i]);
        cluster_include(&box, view->position + view->clusters[i]);
    }
    float margin = 1.3f * hed_max(view->params.max_thickness, FEATURE_MIN_CLEARANCE);
    const float4 *low = view->boxes + 2, *high = low + 1;
    return box.low[0] - margin <= high->x && box.high[0] + margin >= low->x &&
           box.low[1] - margin <= high->y && box.high[1] + margin >= low->y &&
           box.low[2] - margin <= high->z && box.high[2] + margin >= low->z;
}

/* Skips the clusters that are far from all features: most of them. */
HED_NATIVE_BODY feature_find_body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    const feature_find_view view = feature_find_view_of(call->arguments);
    for (uint64_t cluster = begin; cluster < end; cluster++) {
        if (!cluster_is_near(&view, (uint)cluster)) continue;
        uint first = (uint)cluster * CLOTH_FEATURE_CLUSTER, last = first + CLOTH_FEATURE_CLUSTER;
        for (uint t = first; t < last && t < view.params.triangles; t++) feature_find(t, view);
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
