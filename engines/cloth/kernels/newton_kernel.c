/* Descriptions, native version and sample of the kernel of Newton's method. The native version is the kernel's text for a
 * group of one item, a leg in each launch. */
#include "kernels/newton_kernel.h"

#include <string.h>

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
#include "kernels/newton_exchange.h"
#include "kernels/newton_group.h"

extern const char hed_cloth_newton_patch_h[], hed_cloth_newton_h[], hed_cloth_newton_coarse_h[],
    hed_cloth_newton_contact_h[], hed_cloth_newton_exchange_h[], hed_cloth_newton_group_h[],
    hed_cloth_newton_cl[];

HED_NATIVE_BODY newton_body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    const cloth_newton_view view = cloth_newton_view_of(call->arguments);
    float4 memory[CLOTH_NEWTON_MEMORY];
    newton_item of;
    for (uint64_t k = begin; k < end; k++) {
        const newton_group group = newton_group_of((uint)k, view, 0);
        newton_leg(&group, view, memory, &of, view.launch.leg);
    }
}
HED_NATIVE_CLONES(newton_native, newton_body)

/* ---- the sample ---- */

/* Patch i of the sample has the particles 12 i to 12 i + 11, as that of samples.c, whose tables its bending has, four
 * triangles and no neighbours. */
enum {
    OWN = 12,
    TRIANGLES = 4,
    MEMBERS = OWN,
    ROWS = CLOTH_NEWTON_ROWS * TRIANGLES,
    ENDS = OWN + 1,
    HALVES = 3 * TRIANGLES / 2, /* words of corners */
    WORDS = MEMBERS + 1 + ROWS + ENDS + HALVES
};

static void sample_words(uint *words, uint patches)
{
    static const uint corners[TRIANGLES][3] = {{0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {9, 10, 11}};
    static const float row[CLOTH_NEWTON_ROWS] = {
        0, 1, 0.1f, -0.2f, 0.9f, 1e-3f, 2e-3f, 5e-3f, 0.2f};
    for (uint i = 0; i < patches; i++) {
        uint at = CLOTH_NEWTON_PATCH_WORDS * patches + WORDS * i, near = at + MEMBERS,
             elements = near + 1, ends = elements + ROWS, halves = ends + ENDS, count = 0;
        const cloth_newton_patch patch = {
            at, OWN, 0, elements, TRIANGLES, ends, halves, near, 1, 0, near, i, i + 1, 1};
        memcpy(words + CLOTH_NEWTON_PATCH_WORDS * i, &patch, sizeof patch);
        for (uint k = 0; k < OWN; k++) words[at + k] = OWN * i + k;
        words[near] = i;
        for (uint e = 0; e < TRIANGLES; e++) {
            memcpy(words + elements + e, row, 4);
            for (uint r = 1; r < CLOTH_NEWTON_ROWS; r++)
                memcpy(words + elements + r * TRIANGLES + e, row + r, 4);
            words[elements + e] = corners[e][0] | corners[e][1] << 10 | corners[e][2] << 20;
        }
        for (uint k = 0; k < OWN; k++) {
            words[ends + k] = count;
            for (uint c = 0; c < 3 * TRIANGLES; c++)
                if (corners[c / 3][c % 3] == k)
                    ((ushort *)(words + halves))[count++] = (ushort)(c / 3 | c % 3 << 10);
        }
        words[ends + OWN] = count;
    }
}

/* Odd problems bend and meet bodies, even ones make the matrix. */
static void newton_fill(const hed_kernel_def *def, const hed_problem *problem, uint32_t argument,
    void *data, uint64_t bytes, uint64_t seed)
{
    const char *name = def->arguments[argument].name;
    uint patches = (uint)problem->sizes[0];
    bool bends = patches % 2;
    if (!strcmp(name, "launch")) {
        *(cloth_newton_launch *)data =
            (cloth_newton_launch){.patched = cloth_sample_patched(patches),
                .leg = bends ? CLOTH_NEWTON_BEND : CLOTH_NEWTON_MATRIX,
                .iterations = 4,
                .patches = patches,
                .bodies = CLOTH_NEWTON_TOUCHES | CLOTH_NEWTON_FOLLOWS};
    } else if (!strcmp(name, "words")) {
        memset(data, 0, bytes);
        sample_words(data, patches);
    } else if (!strcmp(name, "moved")) {
        cloth_sample_positions(data, bytes / sizeof(float4), seed);
    } else if (!strcmp(name, "contacts")) { /* motions, or normals and lifts */
        float4 *contacts = data;
        cloth_sample_floats(data, bytes / 4, seed, argument, -0.02f, 0.02f);
        for (uint64_t i = 0; !bends && i < bytes / sizeof(float4); i++) {
            float lift = fmaxf(contacts[i].w, 0);
            contacts[i] = cloth_unit(contacts[i]);
            contacts[i].w = lift;
        }
    } else {
        cloth_sample_fill(def, problem, argument, data, bytes, seed);
        if (!strcmp(name, "steps")) ((cloth_step *)data)->colliders = 3;
    }
}

/* Per patch of a launch that bends: particles, tables of two elements; some 320 operations for each of these, and 400 for
 * a particle's bodies. */
CLOTH_WORK(newton_work, OWN * 80.0 + 2 * 80.0, OWN * 400.0 + 2 * 320.0)

#define COUNT(argument, elements) [HED_ROW(cloth_newton_view, argument)].count = elements

/* ---- descriptions ---- */

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
        {"newton_exchange.h", hed_cloth_newton_exchange_h, 0}, \
        {"newton_group.h", hed_cloth_newton_group_h, 0}, {"newton.cl", hed_cloth_newton_cl, 0}), \
    HED_ARGUMENTS(HED_VIEW_ARGUMENTS(CLOTH_NEWTON), COUNT(position, "12*patches"), \
        COUNT(moved, "12*patches"), COUNT(words, "82*patches"), COUNT(tables, "30*patches"), \
        COUNT(sent, "512*patches"), COUNT(diagonals, "768*patches"), COUNT(sums, "4*patches"), \
        COUNT(rows, "4096"), COUNT(contacts, "12*patches"), COUNT(previous, "12*patches"), \
        [HED_ROW(cloth_newton_view, moved)].tolerance = 1e-4, \
        [HED_ROW(cloth_newton_view, contacts)].tolerance = 1e-3, \
        [HED_ROW(cloth_newton_view, diagonals)].tolerance = 1e-3, \
        [HED_ROW(cloth_newton_view, sent)].tolerance = 1e-4, \
        [HED_ROW(cloth_newton_view, sums)].tolerance = 1e-4), \
    HED_DIMENSIONS("patches"), .max_threads = "WG", .geometry = newton_geometry

const hed_kernel_def cloth_newton_def = {
    .name = "cloth_newton",
    .summary = "a leg of Newton's method for the strains of a mesh, a patch for each group",
    HED_DEFINES({"JOINT", "0"}),
    COMMON,
    HED_PARAMETERS(HED_PARAMETER(WG, 256, 128, 256)),
    .native_ignores = HED_ALL_PARAMETERS,
    .range = newton_native,
    .work = newton_work,
    .metric = HED_METRIC_ITEMS,
    .metric_unit = "Gpatches/s",
    HED_PROBLEMS(HED_PROBLEM(1), HED_PROBLEM(2), HED_PROBLEM(7), HED_PROBLEM(64)),
    .sample.bytes = cloth_sample_bytes,
    .sample.fill = newton_fill,
    .sample.benchmark = HED_PROBLEM(127),
};

const hed_kernel_def cloth_newton_joint_def = {
    .name = "cloth_newton_joint",
    .summary = "Newton's method for the strains of a mesh, whole substeps by resident groups",
    .needs = HED_CAN_COOPERATIVE | HED_CAN_GRID_BARRIER | HED_CAN_PACKETS,
    HED_DEFINES({"JOINT", "1"}),
    COMMON,
    HED_PARAMETERS(HED_PARAMETER(WG, 384, 256, 384, 512)),
};
