/* Descriptions and native version of the kernel of Newton's method. The native version is the kernel's text for a group
 * of one item, a leg in each launch. */
#include "kernels/newton_kernel.h"

#define HED_TYPE_cloth_newton_vertex HED_BYTES

#define WG 1u
#define JOINT 0
#define HED_HAS_LANES 0
#define CLK_LOCAL_MEM_FENCE 1
#define CLK_GLOBAL_MEM_FENCE 2
#define barrier(flags) ((void)(flags))
#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))
#include "kernels/element_patch_group.h"
#include "kernels/newton_coarse.h"
#include "kernels/newton_contact.h"
#include "kernels/newton_group.h"

extern const char hed_cloth_newton_patch_h[], hed_cloth_newton_h[], hed_cloth_newton_coarse_h[],
    hed_cloth_newton_contact_h[], hed_cloth_newton_group_h[], hed_cloth_newton_cl[];

HED_NATIVE_BODY newton_body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    const cloth_newton_view view = cloth_newton_view_of(call->arguments);
    float4 memory[CLOTH_NEWTON_MEMORY];
    newton_item of;
    for (uint64_t k = begin; k < end; k++) {
        const newton_group group = newton_group_of((uint)k, view, 0);
        newton_leg(&group, view, memory, &of, view.launch.begin);
    }
}
HED_NATIVE_CLONES(newton_native, newton_body)

/* Geometry of a group for each patch. */
static void newton_geometry(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *layout)
{
    uint64_t patches = (uint64_t)problem->sizes[0];
    hed_geometry_1d(layout, patches, config->values[0], patches, 1);
    layout->local_bytes[HED_ROW(cloth_newton_view, memory)] = sizeof(float4) * CLOTH_NEWTON_MEMORY;
}

/* A group of single legs has at least two particles for each item: with one, PoCL 3.1 writes beyond the item's state. */
#define COMMON \
    .entry = "cloth_newton", \
    HED_SOURCES(CLOTH_SHARED_SOURCES, {"element_patch.h", hed_cloth_element_patch_h, 0}, \
        {"element_patch_group.h", hed_cloth_element_patch_group_h, 0}, \
        {"newton_patch.h", hed_cloth_newton_patch_h, 0}, {"newton.h", hed_cloth_newton_h, 0}, \
        {"newton_coarse.h", hed_cloth_newton_coarse_h, 0}, \
        {"newton_contact.h", hed_cloth_newton_contact_h, 0}, \
        {"newton_group.h", hed_cloth_newton_group_h, 0}, {"newton.cl", hed_cloth_newton_cl, 0}), \
    HED_ARGUMENTS(HED_VIEW_ARGUMENTS(CLOTH_NEWTON)), HED_DIMENSIONS("patches"), \
    .max_threads = "WG", .geometry = newton_geometry

const hed_kernel_def cloth_newton_def = {
    .name = "cloth_newton",
    .summary = "a leg of Newton's method for the strains of a mesh, a patch for each group",
    HED_DEFINES({"JOINT", "0"}),
    COMMON,
    HED_PARAMETERS(HED_PARAMETER(WG, 256, 128, 256)),
    .native_ignores = HED_ALL_PARAMETERS,
    .range = newton_native,
};

const hed_kernel_def cloth_newton_joint_def = {
    .name = "cloth_newton_joint",
    .summary =
        "Newton's method for the strains of a mesh, all legs of a substep by resident groups",
    .needs = HED_CAN_COOPERATIVE | HED_CAN_GRID_BARRIER | HED_CAN_PACKETS,
    HED_DEFINES({"JOINT", "1"}),
    COMMON,
    HED_PARAMETERS(HED_PARAMETER(WG, 384, 256, 384, 512)),
};
