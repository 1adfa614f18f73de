/* The kernel of patch.cl: what its launches are given, and its descriptions. */
#ifndef CLOTH_PATCH_H
#define CLOTH_PATCH_H

#include "solver/solver.h"

/* Its arguments. Where a cloth has no use for a buffer, any other stands in. */
enum {
    CLOTH_PATCH_POSITION,
    CLOTH_PATCH_PREVIOUS,
    CLOTH_PATCH_CARRY,
    CLOTH_PATCH_GARMENTS,
    CLOTH_PATCH_GROUPS, /* cloth_patch_record of each group */
    CLOTH_PATCH_OWN,    /* particles of the garment, patch by patch */
    /* for each in OWN: place in its patch's ANCHORS (0xffffffff: none), bits of the length */
    CLOTH_PATCH_TETHERS,
    CLOTH_PATCH_ANCHORS, /* particles of the garment */
    CLOTH_PATCH_GHOSTS,  /* particle of the garment, packet */
    /* first entries of each patch: pair steps, their end, figure steps, their end, one word */
    CLOTH_PATCH_STEPS,
    CLOTH_PATCH_PAIRS,   /* 8 bytes each, see solve_pair() */
    CLOTH_PATCH_FIGURES, /* 8 or 32 bytes each, see solve_figure() */
    CLOTH_PATCH_SHAPES,  /* two float4 for each shape */
    CLOTH_PATCH_LIMITS,  /* 16 float4 for each garment: compress, stretch, compliance */
    /* one for each group: number of its last exchange; then two buffers of packets */
    CLOTH_PATCH_PACKETS,
    CLOTH_PATCH_AIR,
    CLOTH_PATCH_DRIVER_FROM,
    CLOTH_PATCH_DRIVER_TO,
    CLOTH_PATCH_DRIVER_MAP,
    CLOTH_PATCH_DEBUG,
    CLOTH_PATCH_COLLIDERS,
    CLOTH_PATCH_CONTACT,
    CLOTH_PATCH_FLAGS,
    CLOTH_PATCH_FIRST,
    CLOTH_PATCH_REST,
    CLOTH_PATCH_DT,
    CLOTH_PATCH_SPAN,
    CLOTH_PATCH_PLACE,
    CLOTH_PATCH_PALETTE,
    CLOTH_PATCH_LOCAL_STEPS,
    CLOTH_PATCH_LOCAL_CARRIES,
    CLOTH_PATCH_ARGUMENTS
};

/* Its parameters. */
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

/* What a group works on; patch_group in the text. */
typedef struct cloth_patch_record {
    uint32_t first, garment, own_at, own_count;
    uint32_t ghost_at, ghost_count, send_at, send_count;
    uint32_t slot_at, step_at, pair_steps, figure_steps;
    uint32_t anchor_at, anchor_count, shape_at, shape_count;
} cloth_patch_record;

/* What a launch makes; patch_span in the text. */
typedef struct cloth_patch_span {
    uint32_t slot_count, begin, end, total;
} cloth_patch_span;

/* groups by themselves, or exchanging between launches */
extern const hed_kernel_def cloth_patch_def;
/* groups that are resident together and exchange by packets */
extern const hed_kernel_def cloth_patch_packets_def;

#endif
