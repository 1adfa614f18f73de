/* Descriptions of the kernel that makes whole substeps. Its launches come from solver/patches.c
 * alone, which builds tables for it; it has no native version, for HED_CLOTH_CPU is what does
 * this work on `host`. */
#include "kernels/kernels.h"

#define BUFFER(called, of, accessed) \
    { \
        .name = called, .kind = HED_BUFFER, .type = of, .access = accessed \
    }
#define LOCAL(called, of) \
    { \
        .name = called, .kind = HED_LOCAL, .type = of \
    }
static const hed_argument_def arguments[] = {
    [CLOTH_PATCH_POSITION] = BUFFER("position", HED_FLOAT, HED_READ_WRITE),
    [CLOTH_PATCH_PREVIOUS] = BUFFER("previous", HED_FLOAT, HED_READ_WRITE),
    [CLOTH_PATCH_CARRY] = BUFFER("carry", HED_UINT32, HED_READ_WRITE),
    [CLOTH_PATCH_GARMENTS] = BUFFER("garments", HED_FLOAT, HED_READ),
    [CLOTH_PATCH_TABLES] = BUFFER("tables", HED_UINT32, HED_READ),
    [CLOTH_PATCH_PACKETS] = BUFFER("packets", HED_UINT32, HED_WORKSPACE),
    [CLOTH_PATCH_AIR] = BUFFER("air", HED_FLOAT, HED_READ),
    [CLOTH_PATCH_DRIVER_FROM] = BUFFER("driver_from", HED_FLOAT, HED_READ),
    [CLOTH_PATCH_DRIVER_TO] = BUFFER("driver_to", HED_FLOAT, HED_READ),
    [CLOTH_PATCH_DRIVER_MAP] = BUFFER("driver_map", HED_FLOAT, HED_READ),
    [CLOTH_PATCH_DEBUG] = BUFFER("debug", HED_UINT32, HED_WRITE),
    [CLOTH_PATCH_COLLIDERS] = BUFFER("colliders", HED_FLOAT, HED_READ),
    [CLOTH_PATCH_CONTACT] = BUFFER("contact", HED_FLOAT, HED_READ),
    [CLOTH_PATCH_FLAGS] = BUFFER("flags", HED_UINT32, HED_READ_WRITE),
    [CLOTH_PATCH_LAUNCH] = {.name = "launch",
        .kind = HED_STRUCT,
        .size = sizeof(cloth_patch_launch)},
    [CLOTH_PATCH_PLACE] = LOCAL("place", HED_FLOAT),
    [CLOTH_PATCH_PALETTE] = LOCAL("palette", HED_FLOAT),
    [CLOTH_PATCH_LOCAL_STEPS] = LOCAL("steps", HED_UINT32),
    [CLOTH_PATCH_LOCAL_CARRIES] = LOCAL("carries", HED_UINT32),
};

static const int64_t counts[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18,
    19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42,
    43, 44, 45, 46, 47, 48};
static const int64_t groups[] = {32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448,
    480, 512, 544, 576, 608, 640, 672, 704, 736, 768, 800, 832, 864, 896, 928, 960, 992, 1024};
static const hed_parameter_def parameters[] = {
    [CLOTH_PATCH_WG] = {"WG", groups, HED_COUNT(groups), 64, NULL},
    [CLOTH_PATCH_OWN_EACH] = {"OWN", counts + 1, CLOTH_PATCH_MOST_OWN_EACH, 16, NULL},
    [CLOTH_PATCH_GHOSTS_EACH] = {"GHOSTS", counts + 1, CLOTH_PATCH_MOST_GHOSTS_EACH, 1, NULL},
    [CLOTH_PATCH_REGISTER_STEPS] = {"STEPS", counts, CLOTH_PATCH_MOST_STEPS + 1, 0, NULL},
    [CLOTH_PATCH_REGISTER_SHARES] = {"SHARES", counts, 2, 0, NULL},
    [CLOTH_PATCH_EARLY] = {"EARLY", counts, CLOTH_PATCH_MOST_EARLY + 1, 0, NULL},
    [CLOTH_PATCH_QUEUE] = {"QUEUE", counts + 1, CLOTH_PATCH_MOST_QUEUE, 2, NULL},
    [CLOTH_PATCH_HELD] = {"HELD", counts, CLOTH_PATCH_MOST_OWN_EACH + 1, 16, NULL},
};
static const char *const constraints[] = {"HELD <= OWN", "EARLY <= STEPS", "SHARES <= STEPS"};
static const hed_source sources[] = {
    {"physics.h", hed_cloth_physics_h, 0},
    {"collide.h", hed_cloth_collide_h, 0},
    {"patch_table.h", hed_cloth_patch_table_h, 0},
    {"patch.cl", hed_cloth_patch_cl, 0},
};

#define COMMON \
    .entry = "cloth_patch", .sources = sources, .source_count = HED_COUNT(sources), \
    .arguments = arguments, .argument_count = CLOTH_PATCH_ARGUMENTS, .parameters = parameters, \
    .parameter_count = CLOTH_PATCH_PARAMETERS, .constraints = constraints, \
    .constraint_count = HED_COUNT(constraints), .max_threads = "WG"

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
