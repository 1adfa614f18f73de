/* HED_CLOTH_SOLVER_PATCHES and HED_CLOTH_SOLVER_GARMENTS: layouts of a cloth on a device, and their
 * tables. */
#ifndef CLOTH_PATCHES_H
#define CLOTH_PATCHES_H

#include "tables/cloth_plan.h"
#include "solver/host.h"

/* ---- choices ---- */

typedef struct cloth_patch_choice {
    cloth_plan_kind kind; /* JOINT: the table in registers where it fits; FIGURES: streamed */
    uint32_t patches;     /* sum over all garments and copies; PATCHES alone */
    /* threads of a group; 0: with JOINT the constraints of a step, else 256 */
    uint32_t threads;
    uint32_t early_steps; /* JOINT: cloth_plan_def.early_steps */
    uint32_t step_limit;  /* JOINT: cloth_plan_def.step_limit */
    /* FIGURES: entries of the next step that a thread fetches ahead, 1 to 4 */
    uint32_t queue;
    /* previous positions that a thread has in registers, the others in memory; UINT32_MAX: all */
    uint32_t held;
    uint32_t groups; /* resident groups of a compute unit, which limits registers; 0: no limit */
} cloth_patch_choice;

/* Returns the choice by rule for this cloth on this device. `id`: HED_CLOTH_SOLVER_PATCHES or
 * HED_CLOTH_SOLVER_GARMENTS. */
cloth_patch_choice cloth_patch_default(const hed_cloth *cloth, hed_cloth_solver id);
/* Writes a choice as text: "joint, 160 threads, 128 patches, 3 early steps". */
void cloth_patch_format(const cloth_patch_choice *choice, char *text, size_t size);
/* Rebuilds the solver of a cloth by another choice, between two frames: for tests, and for
 * measuring choices one at a time. On failure the cloth keeps its solver. Errors: ARGUMENT (another
 * solver), UNSUPPORTED, LIMIT, MEMORY, DEVICE_MEMORY, BUILD, DRIVER. */
hed_status cloth_patch_rebuild(
    hed_cloth *cloth, const cloth_patch_choice *choice, hed_error *error);

/* Returns the buffer of packets of a cloth with one of these solvers, for tests. */
hed_buffer *cloth_patch_packets(const hed_cloth *cloth);

/* ---- tables: patches_tables.c ---- */

/* Tables of the kernel: parts of one block. A reference to a part is an index into the block, in
 * elements of that part. */
typedef struct cloth_patch_tables {
    hed_allocator allocator;
    char *block;
    uint64_t size, used; /* bytes */
    uint32_t group_count, own_count, ghost_count, step_count, pair_count, figure_count, slot_count;
    cloth_patch_record *groups; /* first part of the block */
    uint32_t (*fabric)[4];      /* rows of bending constraints or elements: patch_fabric */
    uint32_t fabric_rows, fabric_step_count;
    uint32_t *fabric_steps; /* first row of each step of each patch, and the end of the last step */
    float (*limits)[4];     /* (garments x 16) compress, stretch, compliance */
    /* 32 or 8 bytes each, see solve_figure() */
    uint32_t *figures;
    uint32_t figure_words; /* 2 with shapes, else 8 */
    uint32_t (*pairs)[2];  /* see solve_pair() */
    uint32_t (*ghosts)[2]; /* particle of the garment, packet */
    /* (own_count) anchor in the patch's anchors (0xffffffff: no tether), bits of the length */
    uint32_t (*tethers)[2];
    uint32_t *own; /* particles of the garment, patch by patch */
    /* first entries of the steps of each patch: pair steps, their end, figure steps, their end,
     * one word */
    uint32_t *steps;
    float (*shapes)[4]; /* (shape_count x 2) six rest lengths of each shape */
    uint32_t shape_count;
    uint32_t *anchors; /* particles of the garment; last, so that its unused end can be cut off */
    bool ranges, compliance;
    /* maxima of a group; places: number of particles and anchors */
    uint32_t most_own, most_ghosts, most_places, most_steps, most_shapes;
    uint32_t most_pair_steps, most_pairs; /* maxima of a patch, and of a patch in a step */
} cloth_patch_tables;

/* Returns the index of `part` in the block, in elements of `size` bytes. */
static inline uint32_t cloth_patch_place(
    const cloth_patch_tables *tables, const void *part, size_t size)
{
    return (uint32_t)((uint64_t)((const char *)part - tables->block) / size);
}

/* Makes the tables. `plans`: one for each of the cloth's garments. Errors: LIMIT (materials),
 * MEMORY. */
hed_status cloth_patch_tables_create(
    const hed_cloth *cloth, cloth_plan *const *plans, cloth_patch_tables *tables, hed_error *error);
void cloth_patch_tables_destroy(cloth_patch_tables *tables);

enum { CLOTH_PATCH_MOST_MATERIALS = 16, CLOTH_PATCH_MOST_SHAPES = 256 };

/* ---- tuned configurations: tune.c measures and stores them, choice.c reads them ---- */

/* Returns the pipeline of a measurement, without its functions. */
hed_pipeline_def cloth_tune_pipeline(void);
hed_problem cloth_tune_problem(const hed_cloth *cloth);
/* Creates a cloth with this configuration instead of the database's (cloth.c). */
hed_status cloth_create_tuned(hed_device *device, const hed_cloth_def *def, const hed_config *tuned,
    hed_cloth **cloth, hed_error *error);

#endif
