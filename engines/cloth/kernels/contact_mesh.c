/* Descriptions and native versions of the kernels for mesh colliders. */
#include "kernels/kernels.h"

/* ---- native versions ---- */

/* A range of groups, as the kernel has them. Above the row at most one group's worth of nodes
 * belongs to each. */
static void boxes_native(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    void *const *argument = call->arguments;
    uint group_size = (uint)call->config->values[0], leaves = *(const uint *)argument[5];
    for (uint64_t group = begin; group < end; group++) {
        uint first = (uint)group * group_size, row = *(const uint *)argument[4];
        for (uint width = group_size; width > 0 && row > 0; width /= 2, row /= 2, first /= 2)
            for (uint item = 0; item < width && first + item < row; item++)
                cloth_box_one(
                    row + first + item, argument[0], argument[1], argument[2], argument[3], leaves);
    }
}

HED_NATIVE_BODY find_body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    void *const *argument = call->arguments;
    for (uint64_t i = begin; i < end; i++)
        cloth_mesh_find_one((uint)i, argument[0], argument[1], argument[2], argument[3],
            argument[4], argument[5], argument[6], argument[7], argument[8], argument[9],
            argument[10], argument[11], argument[12], *(const cloth_meshes *)argument[13]);
}
HED_NATIVE_CLONES(find_native, find_body)

/* ---- how they are laid out ---- */

static void boxes_geometry(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *layout)
{
    uint64_t group = (uint64_t)config->values[0],
             count = hed_ceil_divide((uint64_t)problem->sizes[0], group);
    *layout = (hed_geometry){.dimensions = 1,
        .global = {count * group},
        .group = {(uint32_t)group},
        .native_items = count,
        .native_grain = 4};
}

static void find_geometry(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *layout)
{
    *layout = (hed_geometry){.dimensions = 1,
        .global = {(uint64_t)problem->sizes[0]},
        .group = {(uint32_t)config->values[0]},
        .native_items = (uint64_t)problem->sizes[0],
        .native_grain = 256};
}

/* ---- what they are given ---- */

#define IN(label, of) \
    { \
        .name = label, .kind = HED_BUFFER, .type = of, .access = HED_READ \
    }

static const hed_argument_def boxes_arguments[] = {
    {.name = "boxes", .kind = HED_BUFFER, .type = HED_FLOAT, .access = HED_READ_WRITE},
    IN("leaf_at", HED_UINT32),
    IN("triangles", HED_UINT32),
    IN("begin", HED_FLOAT),
    {.name = "row", .kind = HED_SCALAR, .type = HED_UINT32},
    {.name = "leaves", .kind = HED_SCALAR, .type = HED_UINT32},
};
static const hed_argument_def find_arguments[] = {
    IN("position", HED_FLOAT),
    IN("previous", HED_FLOAT),
    IN("garments", HED_FLOAT),
    IN("boxes", HED_FLOAT),
    IN("leaf_at", HED_UINT32),
    IN("triangles", HED_UINT32),
    IN("edges", HED_UINT32),
    IN("incident_at", HED_UINT32),
    IN("incident", HED_UINT32),
    IN("kinds", HED_FLOAT),
    IN("begin", HED_FLOAT),
    IN("end", HED_FLOAT),
    {.name = "contact",
        .kind = HED_BUFFER,
        .type = HED_FLOAT,
        .access = HED_WRITE,
        .tolerance = 1e-4},
    {.name = "meshes", .kind = HED_STRUCT, .size = sizeof(cloth_meshes)},
};

static const hed_source sources[] = {{"physics.h", hed_cloth_physics_h, 0},
    {"collide.h", hed_cloth_collide_h, 0}, {"contact_mesh.h", hed_cloth_contact_mesh_h, 0},
    {"contact_mesh.cl", hed_cloth_contact_mesh_cl, 0}};
static const int64_t groups[] = {32, 64, 128, 256};
/* One value: what a launch leaves undone depends on it. */
static const hed_parameter_def boxes_parameters[] = {{"WG", &groups[2], 1, 128, NULL}};
static const hed_parameter_def parameters[] = {{"WG", groups, HED_COUNT(groups), 64, NULL}};
static const char *const of_nodes[] = {"row"};
static const char *const of_particles[] = {"particles"};
static const hed_problem row_problems[] = {{1, {1}}, {1, {16}}, {1, {512}}};
static const hed_problem particle_problems[] = {{1, {1}}, {1, {63}}, {1, {1500}}};

const hed_kernel_def cloth_mesh_boxes_def = {
    .name = "cloth_mesh_boxes",
    .summary = "boxes of a tree of triangles, made anew from the last row up",
    .sources = sources,
    .source_count = HED_COUNT(sources),
    .arguments = boxes_arguments,
    .argument_count = HED_COUNT(boxes_arguments),
    .parameters = boxes_parameters,
    .parameter_count = HED_COUNT(boxes_parameters),
    .dimensions = of_nodes,
    .dimension_count = 1,
    .max_threads = "WG",
    .geometry = boxes_geometry,
    .range = boxes_native,
    .metric = HED_METRIC_ITEMS,
    .sample = {row_problems, HED_COUNT(row_problems), {1, {1 << 15}}, cloth_contact_sample_bytes,
        cloth_contact_sample_fill},
};

const hed_kernel_def cloth_mesh_find_def = {
    .name = "cloth_mesh_find",
    .summary = "nearest triangle of the mesh colliders to each particle, and the plane of contact",
    .sources = sources,
    .source_count = HED_COUNT(sources),
    .arguments = find_arguments,
    .argument_count = HED_COUNT(find_arguments),
    .parameters = parameters,
    .parameter_count = HED_COUNT(parameters),
    .native_ignores = HED_ALL_PARAMETERS,
    .dimensions = of_particles,
    .dimension_count = 1,
    .max_threads = "WG",
    .geometry = find_geometry,
    .range = find_native,
    .metric = HED_METRIC_ITEMS,
    .sample = {particle_problems, HED_COUNT(particle_problems), {1, {1 << 20}},
        cloth_contact_sample_bytes, cloth_contact_sample_fill},
};
