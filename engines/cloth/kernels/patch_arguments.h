/* Arguments of the kernel of complete substeps (patch.cl), and the parameters of a launch. One text
 * for C, OpenCL C and CUDA, after physics.h. */
#ifndef CLOTH_PATCH_ARGUMENTS_H
#define CLOTH_PATCH_ARGUMENTS_H

/* Parameters of a launch. The first substep is `first`; the others are `rest`, advanced by `dt`. An
 * exchange has two halves: up to the sending, and from the receiving on. A launch runs the halves
 * [begin, end): all halves, or with BY_LAUNCHES the halves from after one sending to after the
 * next. */
typedef struct cloth_patch_launch {
    cloth_step first, rest;
    float dt;
    uint slot_count; /* packets in each of the two buffers */
    uint begin, end; /* halves of exchanges */
    uint total;      /* exchanges of all requested substeps */
    /* indices into the tables: distance from an own particle to its tether, in words of 8 bytes;
     * the first garment's 16 materials, in words of 16 bytes */
    uint tether_at, limit_at;
    /* tension: first of a group's tasks before a sweep, after it, after it where something touches,
     * and of the limits; number of tasks */
    uint tasks[5];
    uint
        gives; /* 2 x `turns` of CLOTH_PLACES, + 1 if an edge of a chain has compliance: a word more spills */
} cloth_patch_launch;

/* Task of a group: kind, first, count, pass of cloth_chains. Kinds: positions of particles from
 * local to global memory, and back; sample places; solve chains; move points by places. */
#define CLOTH_TASK_PUBLISH 0u
#define CLOTH_TASK_TAKE 1u
#define CLOTH_TASK_SAMPLE 2u
#define CLOTH_TASK_CHAINS 3u
#define CLOTH_TASK_FOLLOW 4u
#define CLOTH_TASK_OF_PLACES 8u /* flag: points are places, not particles */
#define CLOTH_TASK_STRAIGHT 16u /* flag: edges do not turn (cloth_chain_axis()) */

/* `tasks`: of each group; then arrays of chain.h. `tables`: result of cloth_patch_tables_create() (solver/patches.h). `packets`: number of the last
 * exchange of each group, then two buffers of packets. Any other buffer may replace one that the
 * cloth does not use, so the arrays are not `restrict`. */
#define CLOTH_PATCH(FIRST, NEXT) \
    FIRST(SHARED, float4, position) \
    NEXT(SHARED, float4, previous) NEXT(SHARED, uint2, carry) NEXT(SHARED_IN, float4, garments) \
        NEXT(SHARED_IN, uint4, tables) NEXT(SCRATCH, uint4, packets) NEXT(SHARED_IN, float4, air) \
            NEXT(SHARED_IN, float4, driver_from) NEXT(SHARED_IN, float4, driver_to) \
                NEXT(SHARED_IN, float4, driver_map) NEXT(SHARED_OUT, uint2, debug) NEXT(SHARED_IN, \
                    float4, colliders) NEXT(SHARED_IN, float4, contact) NEXT(SHARED, uint, flags) \
                    NEXT(SHARED_IN, uint4, tasks) NEXT(SHARED_IN, uint4, sources) NEXT(SHARED, \
                        float4, samples) NEXT(SHARED, float4, from) NEXT(SHARED_IN, uint4, shares) \
                        NEXT(SHARED_IN, uint4, chains) NEXT(SHARED_IN, float, edges) \
                            NEXT(SHARED, float4, units) NEXT(SCRATCH, float, links) \
                                NEXT(SHARED, float, pulls) NEXT(SHARED, float, pulled) \
                                    NEXT(STRUCT, cloth_patch_launch, launch) \
                                        NEXT(LOCAL, float4, place) NEXT(LOCAL, float4, palette) \
                                            NEXT(LOCAL, uint, steps) NEXT(LOCAL, uint2, carries)
HED_VIEW(cloth_patch_view, CLOTH_PATCH)

#endif
