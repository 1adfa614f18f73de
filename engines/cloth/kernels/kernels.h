/* Descriptions of the kernels, and their common data: texts, geometries, macros of descriptions,
 * and sample data. */
#ifndef CLOTH_KERNELS_H
#define CLOTH_KERNELS_H

#include "support/words.h"

#include "kernels/physics.h"

#include "kernels/collide.h"
#include "kernels/particle.h"

#include "kernels/line.h"
#include "kernels/surface.h"
#include "kernels/turn.h"
#include "kernels/vertex.h"

#include "kernels/patch_arguments.h"

#include "heddle/author.h"
#include "heddle/cloth.h"
#include "heddle/launch.h"

#include <string.h>

/* ---- descriptions ---- */

/* Embedded texts. A description lists its texts:
 *     static const hed_source sources[] = {{"physics.h", hed_cloth_physics_h, 0}, {"integrate.cl",
 *     hed_cloth_integrate_cl, 0}}; */
extern const char hed_cloth_physics_h[], hed_cloth_collide_h[], hed_cloth_particle_h[],
    hed_cloth_line_h[], hed_cloth_surface_h[], hed_cloth_vertex_h[], hed_cloth_lanes_h[],
    hed_cloth_turn_h[], hed_cloth_turn_cl[], hed_cloth_project_h[];
extern const char hed_cloth_integrate_cl[], hed_cloth_distance_cl[], hed_cloth_sets_cl[],
    hed_cloth_line_group_h[], hed_cloth_line_cl[], hed_cloth_element_cl[], hed_cloth_cell_cl[],
    hed_cloth_drive_cl[], hed_cloth_write_back_cl[], hed_cloth_surface_cl[], hed_cloth_move_cl[],
    hed_cloth_feed_cl[], hed_cloth_read_cl[], hed_cloth_patch_arguments_h[],
    hed_cloth_patch_table_h[], hed_cloth_patch_cl[];
extern const hed_kernel_def cloth_integrate_def; /* integrate + tethers */
extern const hed_kernel_def cloth_distance_def;  /* one colour */
extern const hed_kernel_def cloth_sets_def;      /* all sets in one group */
extern const hed_kernel_def cloth_lines_def;     /* bending along lines of a grid */
extern const hed_kernel_def cloth_elements_def;  /* triangles of fabrics, one colour */
extern const hed_kernel_def cloth_cells_def;     /* diagonals of fabrics' grids, one colour */
extern const hed_kernel_def cloth_drive_def;     /* collide, touch, drive */
extern const hed_kernel_def cloth_write_back_def;
extern const hed_kernel_def cloth_surface_def; /* normals and the air's area */
extern const hed_kernel_def cloth_wind_def;    /* wind of a field */
extern const hed_kernel_def cloth_gas_def;     /* pressure by volume */
extern const hed_kernel_def cloth_expect_def;  /* positions after integration */
extern const hed_kernel_def cloth_turn_def;    /* angular momentum of free pieces */
extern const hed_kernel_def cloth_move_def;    /* a matrix on particles, drivers or colliders */
extern const hed_kernel_def cloth_feed_def;    /* driver data of the program */
extern const hed_kernel_def cloth_read_def;    /* vertices in the program's layout */

/* ---- cloth_patch: complete substeps ---- */

/* Parameters of cloth_patch. */
enum {
    CLOTH_PATCH_WG,
    CLOTH_PATCH_OWN_EACH,
    CLOTH_PATCH_GHOSTS_EACH,
    CLOTH_PATCH_REGISTER_STEPS,
    CLOTH_PATCH_REGISTER_SHARES,
    CLOTH_PATCH_EARLY,
    CLOTH_PATCH_QUEUE,
    CLOTH_PATCH_HELD,
    CLOTH_PATCH_PARAMETERS
};
enum {
    CLOTH_PATCH_MOST_OWN_EACH = 32,
    CLOTH_PATCH_MOST_GHOSTS_EACH = 8,
    CLOTH_PATCH_MOST_STEPS = 48,
    CLOTH_PATCH_MOST_EARLY = 8,
    CLOTH_PATCH_MOST_QUEUE = 4
};

/* Data of a group; patch_group in the kernel. */
typedef struct cloth_patch_record {
    uint32_t first, garment, own_at, own_count;
    uint32_t ghost_at, ghost_count, send_at, send_count;
    uint32_t slot_at, step_at, pair_steps, figure_steps;
    uint32_t anchor_at, anchor_count, shape_at, shape_count;
    struct {
        uint32_t at, count, step_at, elements, middle, steps, pair_middle, unused;
    } fabric; /* patch_fabric */
} cloth_patch_record;

/* independent groups, or groups that exchange between launches */
extern const hed_kernel_def cloth_patch_def;
/* groups that are resident at the same time and exchange packets */
extern const hed_kernel_def cloth_patch_packets_def;

/* ---- sample data ---- */

enum { CLOTH_SAMPLE_GARMENTS = 8, CLOTH_SAMPLE_FANS = 3 };
/* Fills an argument with sample data by its name. Particles are within [-1, 1) m on each axis,
 * every seventh (3, 10, 17, ...) locked, in eight garments; the limits of the driver differ between
 * particles, and some particles have no driver. */
void cloth_sample_fill(const hed_kernel_def *def, const hed_problem *problem, uint32_t argument,
    void *data, uint64_t bytes, uint64_t seed);
/* Returns the bytes of an argument: for the arrays of which all kernels have the same, by its name;
 * else by the description. */
uint64_t cloth_sample_bytes(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, uint32_t argument);
/* Result of cloth_sample_bytes() for a problem with one more element. */
uint64_t cloth_sample_bytes_of_one_more(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, uint32_t argument);
/* Fills an array with floats in [low, high); an element depends on its index, `seed` and `argument`
 * only. The functions after it fill arrays with particles as cloth_sample_fill() describes. */
void cloth_sample_floats(
    float *values, uint64_t count, uint64_t seed, uint32_t argument, float low, float high);
void cloth_sample_positions(float4 *positions, uint64_t count, uint64_t seed);
void cloth_sample_previous(float4 *previous, uint64_t count, uint64_t seed);
void cloth_sample_garments(float4 *garments);

/* First texts of each kernel with a native version. */
#define CLOTH_SHARED_SOURCES \
    {"physics.h", hed_cloth_physics_h, 0}, {"collide.h", hed_cloth_collide_h, 0}, \
    { \
        "particle.h", hed_cloth_particle_h, 0 \
    }

/* ---- parts of descriptions ---- */

/* Parameters of the four versions: scalar or vector, task or data-parallel. */
enum { CLOTH_WG, CLOTH_VECTOR, CLOTH_TASK, CLOTH_VERSION_PARAMETERS };
enum { CLOTH_STRANDS = 32 }; /* largest value of TASK; the others are 0 and 1 */
extern const hed_parameter_def cloth_version_parameters[CLOTH_VERSION_PARAMETERS];
extern const hed_condition cloth_version_conditions[1];
/* Geometry of TASK work items, or of a work item for each element or each four elements. Kernels
 * without VECTOR and TASK have an item for each element. The first parameter is the group's
 * size. */
void cloth_geometry(const hed_kernel_def *def, const hed_config *config, const hed_problem *problem,
    hed_geometry *layout);
#define CLOTH_VERSIONS \
    .parameters = cloth_version_parameters, .parameter_count = CLOTH_VERSION_PARAMETERS, \
    .conditions = cloth_version_conditions, .condition_count = 1, .geometry = cloth_geometry
#define CLOTH_PLAIN \
    .parameters = cloth_version_parameters, .parameter_count = 1, .geometry = cloth_geometry

/* Parameters of a kernel that solves a system along a line by a group. Strict mode eliminates. */
enum { CLOTH_SOLVE_WG, CLOTH_SOLVE_HOW };
#define CLOTH_SOLVES \
    HED_PARAMETERS(HED_PARAMETER(WG, 32, 32, 64, 128, 256, 512, 1024), \
        HED_CHOICE(SOLVE, 0, "halved", "reduced"))

/* Members of a kernel with one dimension, whose elements are the items of its metric. Functions:
 * `label`_native() and `label`_work(); sample data: cloth_sample_fill(). */
#define CLOTH_FOR_EACH(dimension, label) \
    .native_ignores = HED_ALL_PARAMETERS, HED_DIMENSIONS(dimension), .max_threads = "WG", \
    .metric = HED_METRIC_ITEMS, .metric_unit = "G" dimension "/s", .range = label##_native, \
    .work = label##_work, .sample.fill = cloth_sample_fill

/* Defines a work() of this many bytes and operations for each element. */
#define CLOTH_WORK(name, bytes_each, operations_each) \
    static void name(const hed_kernel_def *def, const hed_config *config, \
        const hed_problem *problem, hed_work *amount) \
    { \
        double n = (double)problem->sizes[0]; \
        *amount = \
            (hed_work){.bytes = (bytes_each)*n, .operations = (operations_each)*n, .items = n}; \
    }

#endif
