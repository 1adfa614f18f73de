/* Descriptions of the kernel of complete substeps. Only solver/patches.c launches it and builds its
 * tables. It has no native version, because HED_CLOTH_SOLVER_CPU is the solver of `host`. */
#include "kernels/chain_kernels.h"

/* Common members. */
#define COMMON \
    .entry = "cloth_patch", \
    HED_SOURCES({"physics.h", hed_cloth_physics_h, 0}, {"collide.h", hed_cloth_collide_h, 0}, \
        {"chain.h", hed_cloth_chain_h, 0}, {"patch_arguments.h", hed_cloth_patch_arguments_h, 0}, \
        {"patch_table.h", hed_cloth_patch_table_h, 0}, {"patch.cl", hed_cloth_patch_cl, 0}), \
    HED_ARGUMENTS(HED_VIEW_ARGUMENTS(CLOTH_PATCH)), .parameters = patch_parameters, \
    .parameter_count = CLOTH_PATCH_PARAMETERS, \
    HED_CONSTRAINTS("HELD <= OWN", "EARLY <= STEPS", "SHARES <= STEPS"), .max_threads = "WG"

static const int64_t counts[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18,
    19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42,
    43, 44, 45, 46, 47, 48};
static const int64_t group_sizes[] = {32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416,
    448, 480, 512, 544, 576, 608, 640, 672, 704, 736, 768, 800, 832, 864, 896, 928, 960, 992, 1024};
static const hed_parameter_def patch_parameters[] = {
    [CLOTH_PATCH_WG] = {"WG", group_sizes, HED_COUNT(group_sizes), 64, NULL},
    [CLOTH_PATCH_OWN_EACH] = {"OWN", counts + 1, CLOTH_PATCH_MOST_OWN_EACH, 16, NULL},
    [CLOTH_PATCH_GHOSTS_EACH] = {"GHOSTS", counts + 1, CLOTH_PATCH_MOST_GHOSTS_EACH, 1, NULL},
    [CLOTH_PATCH_REGISTER_STEPS] = {"STEPS", counts, CLOTH_PATCH_MOST_STEPS + 1, 0, NULL},
    [CLOTH_PATCH_REGISTER_SHARES] = {"SHARES", counts, 2, 0, NULL},
    [CLOTH_PATCH_EARLY] = {"EARLY", counts, CLOTH_PATCH_MOST_EARLY + 1, 0, NULL},
    [CLOTH_PATCH_QUEUE] = {"QUEUE", counts + 1, CLOTH_PATCH_MOST_QUEUE, 2, NULL},
    [CLOTH_PATCH_HELD] = {"HELD", counts, CLOTH_PATCH_MOST_OWN_EACH + 1, 16, NULL},
};

const hed_kernel_def cloth_patch_def = {
    .name = "cloth_patch",
    .summary = "substeps of cloth, a garment or a patch of one for each group",
    COMMON,
};

const hed_kernel_def cloth_patch_packets_def = {
    .name = "cloth_patch_packets",
    .summary = "substeps of cloth, a patch for each group, packets between them",
    .needs = HED_CAN_COOPERATIVE | HED_CAN_PACKETS,
    COMMON,
};
