/* Descriptions of the kernel of solver grid. Its launches come from solver/grid.c alone, which
 * builds tables for it; it has no native version, for HED_SYNTH_CPU is what does this work on
 * `host`. */
#include "solver/grid/lattice_kernel.h"

#include "support/words.h"

#include "kernels/layout.h"

#include "kernels/lattice.h"

#define BUFFER(called, of, accessed) \
    { \
        .name = called, .kind = HED_BUFFER, .type = of, .access = accessed \
    }
static const hed_argument_def arguments[] = {
    [LATTICE_GROUPS] = BUFFER("groups", HED_UINT32, HED_READ),
    [LATTICE_TABLE] = BUFFER("table", HED_UINT32, HED_READ),
    [LATTICE_SPRINGS] = BUFFER("springs", HED_UINT32, HED_READ),
    [LATTICE_CLASSES] = BUFFER("classes", HED_BYTES, HED_READ),
    [LATTICE_PALETTE] = BUFFER("palette", HED_FLOAT, HED_READ),
    [LATTICE_HALO] = BUFFER("halo", HED_UINT32, HED_READ),
    [LATTICE_LINKS] = BUFFER("links", HED_UINT32, HED_READ),
    [LATTICE_STATE] = BUFFER("state", HED_FLOAT, HED_READ_WRITE),
    [LATTICE_PACKETS] = BUFFER("packets", HED_UINT32, HED_READ_WRITE),
    [LATTICE_FLAGS] = BUFFER("flags", HED_UINT32, HED_READ_WRITE),
    [LATTICE_STORE] = BUFFER("store", HED_UINT32, HED_READ_WRITE),
    [LATTICE_DELAY] = BUFFER("delay", HED_FLOAT, HED_READ_WRITE),
    [LATTICE_POKES] = BUFFER("pokes", HED_UINT32, HED_READ),
    [LATTICE_INPUTS] = BUFFER("inputs", HED_FLOAT, HED_READ),
    [LATTICE_STEMS] = BUFFER("stems", HED_FLOAT, HED_WRITE),
    [LATTICE_STEP] = {.name = "step", .kind = HED_STRUCT, .size = sizeof(lattice_step)},
    [LATTICE_LAYOUT] = {.name = "layout", .kind = HED_STRUCT, .size = sizeof(synth_layout)},
    [LATTICE_HALO_ROOM] = {.name = "halo_room", .kind = HED_SCALAR, .type = HED_UINT32},
    [LATTICE_BLOCK] = {.name = "block", .kind = HED_LOCAL, .type = HED_FLOAT},
};

static const int64_t counts[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
static const int64_t groups[] = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024};
static const hed_parameter_def parameters[] = {
    [LATTICE_WG] = {"WG", groups, SYNTH_COUNT(groups), 64, NULL},
    [LATTICE_EACH] = {"EACH", counts, LATTICE_MOST_EACH, 2, NULL},
    [LATTICE_RIM] = {"RIM", counts, LATTICE_MOST_EACH, 1, NULL},
    [LATTICE_HALO_ROUNDS] = {"HALO", counts, LATTICE_MOST_EACH, 1, NULL},
};
static const char *const constraints[] = {"RIM <= EACH"};
static const hed_source sources[] = {
    SYNTH_PHYSICS_SOURCES,
    {"lattice.h", hed_synth_lattice_h, 0},
    {"lattice_springs.h", hed_synth_lattice_springs_h, 0},
    {"lattice_control.h", hed_synth_lattice_control_h, 0},
    {"lattice.cl", hed_synth_lattice_cl, 0},
};

/* The control group is one of a hundred and may spill; the lattice's own loop does not
 * (tests/synth_grid_nvrtc_test.c). */
#define COMMON \
    .entry = "synth_lattice", .sources = sources, .source_count = SYNTH_COUNT(sources), \
    .arguments = arguments, .argument_count = LATTICE_ARGUMENTS, .parameters = parameters, \
    .parameter_count = LATTICE_PARAMETERS, .constraints = constraints, \
    .constraint_count = SYNTH_COUNT(constraints), .max_threads = "WG", .may_spill = true

const hed_kernel_def synth_lattice_def = {
    .name = "synth_lattice", .summary = "a sample of a large network and of what plays on it",
    COMMON,
};

const hed_kernel_def synth_lattice_packets_def = {
    .name = "synth_lattice_packets",
    .summary = "samples of a large network and of what plays on it, packets between its groups",
    .needs = HED_CAN_COOPERATIVE | HED_CAN_PACKETS,
    COMMON,
};
