/* Tasks of cooperative_tasks.cl: the work of one launch of the solver of colours, of one substep in order.
 * One text for C, OpenCL C and CUDA, after particle.h and chain.h. */
#ifndef CLOTH_COOPERATIVE_H
#define CLOTH_COOPERATIVE_H

/* Task: kind, pass of chains or cells, flags and elements of a group (cloth_task_word()); first; count;
 * argument: total of elements or cells, flags that surroundings skip, or of lines and chains
 * cloth_task_shape(). Group g does the elements from g * cloth_task_share() on. Of sweeps: chains of
 * both directions (cloth_task_sides()), which follow each other, and half sweeps as the share. */
#define CLOTH_DO_INTEGRATE 0u
#define CLOTH_DO_DISTANCE 1u
#define CLOTH_DO_LINES 2u
#define CLOTH_DO_ELEMENTS 3u
#define CLOTH_DO_CELLS 4u
#define CLOTH_DO_CHAINS 5u
#define CLOTH_DO_PLACES 6u
#define CLOTH_DO_SHARES 7u
#define CLOTH_DO_DRIVE 8u
#define CLOTH_DO_SWEEPS 9u /* over places, along both directions by turns, by the first group */
#define CLOTH_DO_KINDS 10u
#define CLOTH_DO_OF_PLACES 64u /* flag: points are places, not particles */
#define CLOTH_DO_MEET 128u     /* flag: the next task reads results of other groups */
#define CLOTH_DO_SHARE 8u      /* bits below the elements of a group */

CLOTH_FUNCTION uint cloth_task_word(uint kind, uint pass, uint flags, uint share)
{
    return kind | pass << 4 | flags | share << CLOTH_DO_SHARE;
}
CLOTH_FUNCTION uint cloth_task_kind(uint4 task) { return task.x & 15u; }
CLOTH_FUNCTION uint cloth_task_pass(uint4 task) { return task.x >> 4 & 3u; }
CLOTH_FUNCTION uint cloth_task_share(uint4 task) { return task.x >> CLOTH_DO_SHARE; }

CLOTH_FUNCTION uint cloth_task_sides(uint warp, uint weft) { return warp | weft << 16; }
CLOTH_FUNCTION uint cloth_task_warp(uint4 task) { return task.z & 0xffffu; }
CLOTH_FUNCTION uint cloth_task_weft(uint4 task) { return task.z >> 16; }

/* Items of a line or chain, a power of two, and rows of the longest. */
CLOTH_FUNCTION uint cloth_task_shape(uint width, uint longest) { return width << 16 | longest; }
CLOTH_FUNCTION uint cloth_task_width(uint4 task) { return task.w >> 16; }
CLOTH_FUNCTION uint cloth_task_longest(uint4 task) { return task.w & 0xffffu; }

#define CLOTH_COOPERATIVE_ROOM 5u /* local memory of a group, float4 for each item */

typedef struct cloth_cooperative_launch {
    uint substeps, tasks;
} cloth_cooperative_launch;

/* Arrays of particle.h and chain.h. `tasks`: of a substep; `state`: of the barrier over all groups. */
#define CLOTH_COOPERATIVE(FIRST, NEXT) \
    FIRST(SHARED, float4, position) \
    NEXT(SHARED, float4, previous) \
    NEXT(SHARED, cloth_carry, carry) NEXT(IN, float4, garments) NEXT(IN, float4, air) \
        CLOTH_DRIVER_ARRAYS(NEXT, NEXT) NEXT(IN, float4, colliders) NEXT(IN, float4, contact) \
            NEXT(SHARED_OUT, cloth_debug, debug) NEXT(IN, uint2, ends) NEXT(IN, float, rests) \
                NEXT(IN, ushort, kinds) NEXT(IN, float4, materials) NEXT(IN, uint4, lines) \
                    NEXT(IN, float4, weights) NEXT(SHARED, float4, sums) NEXT(IN, uint4, elements) \
                        NEXT(IN, uint4, cells) NEXT(IN, uint4, chains) NEXT(IN, float, edges) \
                            NEXT(SHARED, float, pulled) NEXT(IN, uint4, sources) \
                                NEXT(SHARED, float4, places) NEXT(SHARED, float4, from) \
                                    NEXT(IN, uint4, shares) NEXT(IN, float4, steps) \
                                        NEXT(IN, uint4, tasks) NEXT(SCRATCH, uint, state) \
                                            NEXT(STRUCT, cloth_cooperative_launch, launch)
HED_VIEW(cloth_cooperative_view, CLOTH_COOPERATIVE)

#endif
