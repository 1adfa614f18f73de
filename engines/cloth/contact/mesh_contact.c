/* Descriptions and native versions of the kernels for mesh colliders. */
#include "contact/contact_kernels.h"

/* ---- native versions ---- */

/* Refits the nodes of a range of groups, as the kernel does. */
static void boxes_native(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    const cloth_mesh_boxes_view view = cloth_mesh_boxes_view_of(call->arguments);
    uint group_size = (uint)call->config->values[0];
    for (uint64_t group = begin; group < end; group++) {
        uint first = (uint)group * group_size, row = view.row;
        for (uint width = group_size; width > 0 && row > 0; width /= 2, row /= 2, first /= 2)
            for (uint item = 0; item < width && first + item < row; item++)
                cloth_box_one(row + first + item, view);
    }
}

HED_NATIVE_BODY find_body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    const cloth_mesh_view tree = cloth_mesh_view_of(call->arguments);
    const cloth_mesh_find_view view = cloth_mesh_find_view_of(call->arguments);
    for (uint64_t i = begin; i < end; i++) cloth_mesh_find_one((uint)i, tree, view);
}
HED_NATIVE_CLONES(find_native, find_body)

/* ---- descriptions ---- */

static void boxes_geometry(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *layout)
{
    uint64_t groups = hed_ceil_divide((uint64_t)problem->sizes[0], (uint64_t)config->values[0]);
    hed_geometry_1d(layout, groups, config->values[0], groups, 4);
}

static void find_geometry(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *layout)
{
    cloth_geometry(def, config, problem, layout);
    layout->native_grain = 256;
}

#define COMMON \
    HED_SOURCES({"physics.h", hed_cloth_physics_h, 0}, {"collide.h", hed_cloth_collide_h, 0}, \
        {"mesh_contact.h", hed_cloth_mesh_contact_h, 0}, \
        {"mesh_contact.cl", hed_cloth_mesh_contact_cl, 0}), \
        .max_threads = "WG", .metric = HED_METRIC_ITEMS, \
        .sample.bytes = cloth_contact_sample_bytes, .sample.fill = cloth_contact_sample_fill

const hed_kernel_def cloth_mesh_boxes_def = {
    .name = "cloth_mesh_boxes",
    .summary = "boxes of a tree of triangles, made anew from the last row up",
    HED_ARGUMENTS(HED_VIEW_ARGUMENTS(MESH_BOXES)),
    /* one value: the row of the next launch depends on it */
    HED_PARAMETERS(HED_PARAMETER(WG, 128, 128)),
    HED_DIMENSIONS("row"),
    COMMON,
    .geometry = boxes_geometry,
    .range = boxes_native,
    HED_PROBLEMS(HED_PROBLEM(1), HED_PROBLEM(16), HED_PROBLEM(512)),
    .sample.benchmark = HED_PROBLEM(1 << 15),
};

const hed_kernel_def cloth_mesh_find_def = {
    .name = "cloth_mesh_find",
    .summary = "nearest triangle of the mesh colliders to each particle, and the plane of contact",
    HED_ARGUMENTS(HED_VIEW_ARGUMENTS(MESH_FIND),
        [HED_ROW(cloth_mesh_find_view, contact)].tolerance = 1e-4,
        [HED_ROW(cloth_mesh_find_view, anchors)].tolerance = 1e-4),
    HED_PARAMETERS(HED_PARAMETER(WG, 64, 32, 64, 128, 256)),
    .native_ignores = HED_ALL_PARAMETERS,
    HED_DIMENSIONS("particles"),
    COMMON,
    .geometry = find_geometry,
    .range = find_native,
    HED_PROBLEMS(HED_PROBLEM(1), HED_PROBLEM(63), HED_PROBLEM(1500)),
    .sample.benchmark = HED_PROBLEM(1 << 20),
};
