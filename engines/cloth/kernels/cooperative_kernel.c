/* Descriptions of the kernel of all substeps of a submission. It has no native version, because
 * HED_CLOTH_SOLVER_CPU is the solver of `host`. */
#include "kernels/cooperative_kernel.h"

extern const char hed_cloth_cooperative_tasks_h[], hed_cloth_sweep_wide_h[],
    hed_cloth_cell_bands_h[], hed_cloth_cooperative_lines_h[], hed_cloth_cooperative_sweep_h[],
    hed_cloth_cooperative_tasks_cl[];

static void cooperative_geometry(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *layout)
{
    uint64_t groups = (uint64_t)problem->sizes[0];
    hed_geometry_1d(layout, groups, config->values[CLOTH_COOPERATIVE_WG], groups, 1);
    if (def->needs & HED_CAN_CLUSTERS) layout->cluster = (uint32_t)groups;
}

/* Elements off the diagonal below LINE_UNCOUPLED end the solution of lines that bend: a step fewer, with
 * which forces of bending are right to 1e-4 of their neighbours'. */
#define COMMON \
    .entry = "cloth_cooperative", \
    HED_SOURCES(CLOTH_SHARED_SOURCES, {"chain.h", hed_cloth_chain_h, 0}, \
        {"line.h", hed_cloth_line_h, 0}, {"line_group.h", hed_cloth_line_group_h, 0}, \
        {"chain_group.h", hed_cloth_chain_group_h, 0}, \
        {"element_patch.h", hed_cloth_element_patch_h, 0}, \
        {"element_patch_group.h", hed_cloth_element_patch_group_h, 0}, \
        {"cooperative_tasks.h", hed_cloth_cooperative_tasks_h, 0}, \
        {"sweep_wide.h", hed_cloth_sweep_wide_h, 0}, {"cell_bands.h", hed_cloth_cell_bands_h, 0}, \
        {"cooperative_lines.h", hed_cloth_cooperative_lines_h, 0}, \
        {"cooperative_sweep.h", hed_cloth_cooperative_sweep_h, 0}, \
        {"cooperative_tasks.cl", hed_cloth_cooperative_tasks_cl, 0}), \
    HED_ARGUMENTS(HED_VIEW_ARGUMENTS(CLOTH_COOPERATIVE)), \
    HED_PARAMETERS(HED_PARAMETER(WG, 128, 128, 256, 512)), HED_DIMENSIONS("groups"), \
    .max_threads = "WG", .geometry = cooperative_geometry

const hed_kernel_def cloth_cooperative_def = {
    .name = "cloth_cooperative",
    .summary = "substeps of cloth by resident groups, a barrier over all groups between two tasks",
    .needs = HED_CAN_COOPERATIVE | HED_CAN_GRID_BARRIER,
    HED_DEFINES({"SOLVE", "1"}, {"LINE_UNCOUPLED", "1e-4f"}),
    COMMON,
};

const hed_kernel_def cloth_cooperative_cluster_def = {
    .name = "cloth_cooperative_cluster",
    .summary =
        "substeps of cloth by the groups of a cluster, a barrier over them between two tasks",
    .needs = HED_CAN_CLUSTERS,
    HED_DEFINES({"SOLVE", "1"}, {"LINE_UNCOUPLED", "1e-4f"}, {"CLUSTER", "1"}),
    COMMON,
};

const hed_kernel_def cloth_cooperative_group_def = {
    .name = "cloth_cooperative_group",
    .summary = "substeps of cloth by one group",
    HED_DEFINES({"SOLVE", "1"}, {"LINE_UNCOUPLED", "1e-4f"}),
    COMMON,
};
