/* HED_CLOTH_PATCHES and HED_CLOTH_GARMENTS: how a cloth can be laid over a device with them, and
 * the tables that this takes. */
#ifndef CLOTH_PATCHES_H
#define CLOTH_PATCHES_H

#include "plan/plan.h"
#include "solver/host.h"

/* ---- choices ---- */

typedef struct cloth_patch_choice {
    cloth_plan_kind kind; /* JOINT: the table in registers where it fits; FIGURES: streamed */
    uint32_t patches;     /* of all garments and copies together; PATCHES alone */
    /* of a group; 0: with JOINT as many as a step has constraints, else 256 */
    uint32_t threads;
    uint32_t early_steps; /* JOINT: cloth_plan_def.early_steps */
    uint32_t step_limit;  /* JOINT: cloth_plan_def.step_limit */
    /* FIGURES: entries of the next step that a thread fetches ahead, 1 to 4 */
    uint32_t queue;
    /* previous positions that a thread keeps in registers, others in memory; UINT32_MAX: all */
    uint32_t held;
    uint32_t groups; /* a compute unit holds at once, which limits registers; 0: no limit */
} cloth_patch_choice;

/* What is good for this cloth on this device where nothing was measured. `id`: PATCHES or WHOLE. */
cloth_patch_choice cloth_patch_default(const hed_cloth *cloth, hed_cloth_solver id);
/* Such as "joint, 160 threads, 128 patches, 3 early steps". */
void cloth_patch_format(const cloth_patch_choice *choice, char *text, size_t size);
/* Rebuilds the solver of a cloth by another choice, between two frames: for tests, and for
 * measuring choices one at a time. On failure the cloth keeps its solver. Errors: ARGUMENT (another
 * solver), UNSUPPORTED, LIMIT, MEMORY, DEVICE_MEMORY, BUILD, DRIVER. */
hed_status cloth_patch_rebuild(
    hed_cloth *cloth, const cloth_patch_choice *choice, hed_error *error);

/* CLOTH_PATCH_PACKETS of a cloth that has one of these solvers: for tests. */
hed_buffer *cloth_patch_packets(const hed_cloth *cloth);

/* ---- tables: patches_tables.c ---- */

/* What the kernel reads: parts of one block. Where one part refers to another, it has the place in
 * the block, in elements of what it refers to. */
typedef struct cloth_patch_tables {
    hed_allocator allocator;
    char *block;
    uint64_t size, used; /* bytes */
    uint32_t group_count, own_count, ghost_count, step_count, pair_count, figure_count, slot_count;
    cloth_patch_record *groups; /* at the beginning */
    uint32_t (*fabric)[4];      /* rows of bending constraints or elements: patch_fabric */
    uint32_t fabric_rows, fabric_step_count;
    uint32_t *fabric_steps; /* of each patch, the first of each step, and the last one's end */
    float (*limits)[4];     /* (garments x 16) compress, stretch, compliance */
    /* 32 or 8 bytes each, see solve_figure() */
    uint32_t *figures;
    uint32_t figure_words; /* 2 with shapes, else 8 */
    uint32_t (*pairs)[2];  /* see solve_pair() */
    uint32_t (*ghosts)[2]; /* particle of the garment, packet */
    /* for each in `own`: place among its patch's anchors (0xffffffff: none), bits of the length */
    uint32_t (*tethers)[2];
    uint32_t *own; /* particles of the garment, patch by patch */
    /* of each patch, the first entries of its steps: pair steps, their end, figure steps, their
     * end, one word */
    uint32_t *steps;
    float (*shapes)[4]; /* six rest lengths in two for each shape */
    uint32_t shape_count;
    uint32_t *anchors; /* particles of the garment; the last part, so that none lies unused */
    bool ranges, compliance;
    /* of a group; places are all float4 that particles and anchors take */
    uint32_t most_own, most_ghosts, most_places, most_steps, most_shapes;
    uint32_t most_pair_steps, most_pairs; /* of a patch; of a patch in a step */
} cloth_patch_tables;

/* Place in the block of `part`, in elements of `size` bytes. */
static inline uint32_t cloth_patch_place(
    const cloth_patch_tables *tables, const void *part, size_t size)
{
    return (uint32_t)((uint64_t)((const char *)part - tables->block) / size);
}

/* `plans`: one for each of the cloth's garments. Errors: LIMIT (materials), MEMORY. */
hed_status cloth_patch_tables_create(
    const hed_cloth *cloth, cloth_plan *const *plans, cloth_patch_tables *tables, hed_error *error);
void cloth_patch_tables_destroy(cloth_patch_tables *tables);

enum { CLOTH_PATCH_MOST_MATERIALS = 16, CLOTH_PATCH_MOST_SHAPES = 256 };

/* What measurement has found for a cloth: between tune.c, which finds and keeps it, and the
 * solvers, which are built by it. */

/* What the database knows for such a cloth on its device; `*configured` is HED_ORIGIN_DEFAULT
 * where it knows nothing. */
hed_status cloth_tuned_resolve(
    const hed_cloth *cloth, hed_config *tuned, hed_config_origin *configured, hed_error *error);
/* Its solver; HED_CLOTH_AUTO: as the rules say. */
hed_cloth_solver cloth_tuned_solver(const hed_config *tuned);
/* `rule` with what was found in place of it. `particles` of a patch, `even_step` as the rules have
 * it. */
cloth_patch_choice cloth_tuned_choice(
    const hed_config *tuned, uint32_t particles, uint32_t even_step, cloth_patch_choice rule);
/* As hed_cloth_create(), with this configuration instead of the database's: cloth.c. */
hed_status cloth_create_tuned(hed_device *device, const hed_cloth_def *def, const hed_config *tuned,
    hed_cloth **cloth, hed_error *error);

#endif
