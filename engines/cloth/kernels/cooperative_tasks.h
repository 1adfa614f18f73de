/* Tasks of cooperative_tasks.cl: the work of one launch of the solver of colours, of one substep in order.
 * One text for C, OpenCL C and CUDA, after particle.h, chain.h and element_patch.h. */
#ifndef CLOTH_COOPERATIVE_H
#define CLOTH_COOPERATIVE_H

/* Task: kind, pass of chains or cells, flags and elements of a group (cloth_task_word()); first; count;
 * argument: total of elements or cells, flags that surroundings skip, or of lines and chains
 * cloth_task_shape(). Group g does the elements from g * cloth_task_share() on. Of sweeps: half sweeps
 * and places of a lattice (cloth_task_held()); first chain (all lattices' chains along the warp, then
 * along the weft); first place; chains of a lattice, their width, number of lattices
 * (cloth_task_sides()): group g has lattice g. Of places of a grid: particles, as of an integration,
 * in `count`, and places in the argument: a group does those of its particles; pass 1: no group but the first waits for the places. Of shares: pass 1:
 * points of `moved`. Of bands: sweeps; particles. Of contacts of columns, whose points are in local memory: height of
 * the grid; columns; flags, cloth_task_shape(). */
#define CLOTH_DO_INTEGRATE 0u
#define CLOTH_DO_DISTANCE 1u
#define CLOTH_DO_LINES 2u
#define CLOTH_DO_ELEMENTS 3u
#define CLOTH_DO_CELLS 4u
#define CLOTH_DO_CHAINS 5u
#define CLOTH_DO_PLACES 6u
#define CLOTH_DO_SHARES 7u
#define CLOTH_DO_DRIVE 8u
#define CLOTH_DO_SWEEPS 9u       /* over places in local memory, by a group for each lattice */
#define CLOTH_DO_PATCHES 10u     /* of elements; the pass is `second` of CLOTH_ELEMENT_PATCHES */
#define CLOTH_DO_WIDE_SWEEPS 11u /* sweeps with several edges in each lane (sweep_wide.h) */
#define CLOTH_DO_BANDS 12u       /* sweeps over the cells of a group's rows (cell_bands.h) */
#define CLOTH_DO_NEARBY 13u      /* no task: groups with rows nearby meet */
#define CLOTH_DO_KINDS 14u
#define CLOTH_DO_OF_PLACES 128u /* flag: points are places, not particles */
#define CLOTH_DO_MEET 256u      /* flag: the next task reads results of other groups */
#define CLOTH_DO_BESIDE 512u    /* flag: groups but the first, which does other tasks */
#define CLOTH_DO_TURNS \
    1024u /* flag: chains of places that turn (cloth_chain_axis()), and the places */
#define CLOTH_DO_SHARE 11u /* bits below the elements of a group */
/* Flags of the argument. */
#define CLOTH_DO_SEND \
    (1u << 31) /* points of a chain, or after contacts, are sent to the next task's groups, no meeting */
#define CLOTH_DO_TAKE (1u << 30) /* the task before sent the points */
#define CLOTH_DO_NEAR \
    (1u << 28) /* the next lines, cells or bands read results of groups with rows nearby */
#define CLOTH_DO_HOLD \
    (1u << 27) /* a chain's points stay in local memory, for the contacts of the next task */
#define CLOTH_DO_AT_PARTICLES \
    (1u << 29) /* places of sweeps are particles, at most one an item, and move them */

CLOTH_FUNCTION uint cloth_task_word(uint kind, uint pass, uint flags, uint share)
{
    return kind | pass << 4 | flags | share << CLOTH_DO_SHARE;
}
CLOTH_FUNCTION uint cloth_task_kind(uint4 task) { return task.x & 15u; }
CLOTH_FUNCTION uint cloth_task_pass(uint4 task) { return task.x >> 4 & 7u; }
CLOTH_FUNCTION uint cloth_task_share(uint4 task) { return task.x >> CLOTH_DO_SHARE; }

/* True if groups with rows nearby meet after a task. */
CLOTH_FUNCTION uint cloth_task_meets_near(uint4 task)
{
    uint kind = cloth_task_kind(task),
         can = kind == CLOTH_DO_LINES || kind == CLOTH_DO_CELLS || kind == CLOTH_DO_BANDS;
    return can && (task.w & CLOTH_DO_NEAR);
}

/* True if the first group alone waits for others after a task. */
CLOTH_FUNCTION uint cloth_task_is_for_first(uint4 task)
{
    return cloth_task_kind(task) == CLOTH_DO_PLACES && cloth_task_pass(task);
}

/* Number of times that groups send packets in a task. */
CLOTH_FUNCTION uint cloth_task_sends(uint4 task)
{
    uint kind = cloth_task_kind(task), can_send = kind == CLOTH_DO_CHAINS || kind == CLOTH_DO_DRIVE;
    return (can_send && (task.w & CLOTH_DO_SEND)) + (kind == CLOTH_DO_BANDS) +
           (cloth_task_meets_near(task) != 0u) + cloth_task_is_for_first(task);
}

/* Maxima for a task of sweeps: half sweeps or lattices; chains of a lattice along a direction; places of
 * a lattice. */
#define CLOTH_MOST_SWEEPS 255u
#define CLOTH_MOST_SIDES 1023u
#define CLOTH_MOST_PLACES 8191u
CLOTH_FUNCTION uint cloth_task_held(uint halves, uint places) { return halves | places << 8; }
CLOTH_FUNCTION uint cloth_task_halves(uint4 task) { return cloth_task_share(task) & 255u; }
CLOTH_FUNCTION uint cloth_task_places(uint4 task) { return cloth_task_share(task) >> 8; }
CLOTH_FUNCTION uint cloth_task_sides(uint warp, uint weft, uint bits, uint lattices)
{
    return warp | weft << 10 | bits << 20 | lattices << 24;
}
CLOTH_FUNCTION uint cloth_task_warp(uint4 task) { return task.w & 1023u; }
CLOTH_FUNCTION uint cloth_task_weft(uint4 task) { return task.w >> 10 & 1023u; }
CLOTH_FUNCTION uint cloth_task_side_bits(uint4 task) { return task.w >> 20 & 15u; }
CLOTH_FUNCTION uint cloth_task_lattices(uint4 task) { return task.w >> 24 & 31u; }

/* Items of a line or chain, 1 << `bits`, and rows of the longest. */
CLOTH_FUNCTION uint cloth_task_shape(uint bits, uint longest) { return bits << 16 | longest; }
CLOTH_FUNCTION uint cloth_task_bits(uint4 task) { return task.w >> 16 & 255u; }
CLOTH_FUNCTION uint cloth_task_longest(uint4 task) { return task.w & 0xffffu; }

#define CLOTH_COOPERATIVE_ROOM 5u /* local memory of a group, float4 for each item */

#define CLOTH_COOPERATIVE_POLLS \
    4000000u /* maximum for a packet, after which a task continues without it: seconds */

/* Cells of a grid for the tasks CLOTH_DO_BANDS: the first one, and cells in a strip, of both colours of
 * even strips and of odd ones; columns, rows, all cells; groups of a launch, and groups that have rows. A task has at most
 * CLOTH_BAND_SWEEPS sweeps, so its band depends on as many pairs of rows on both sides. */
#define CLOTH_BAND_SWEEPS 2u
/* Groups that meet on each side: the first row of a band may have been written, with the odd row before it, by the
 * group before those whose rows the band has. */
#define CLOTH_NEAR_GROUPS (CLOTH_BAND_SWEEPS + 1u)
typedef struct cloth_cell_bands {
    uint even_first, even_each, even_second, even_second_each;
    uint odd_first, odd_each, odd_second, odd_second_each;
    uint width, height, total, groups, first_group, end_group;
} cloth_cell_bands;

/* Tasks of a group in a substep: `tasks` from task `at` on; `skipped`: number of times that groups send packets
 * in the tasks of others. */
typedef struct cloth_task_list {
    uint at, tasks, skipped;
} cloth_task_list;

/* `first`: first substep; tasks of the first group, and of all others; `turns`: of CLOTH_PLACES; `patched`: of CLOTH_ELEMENT_PATCHES; `moved`: particles of `moved`, after
 * which it has the multipliers of elements in patches, and packets of a task: two tasks in succession have
 * one half of the packets each; then CLOTH_DO_SIGNALS packets of each group; `posts`: tasks that sent in
 * earlier launches. */
#define CLOTH_DO_SIGNALS 4u /* one of bands, two of meetings by turns, one for the first group */
typedef struct cloth_cooperative_launch {
    uint first, substeps, turns, moved, posts;
    cloth_task_list first_group, other_groups;
    cloth_patched patched;
    cloth_cell_bands bands;
} cloth_cooperative_launch;

/* Arrays of particle.h and chain.h; `moved`: positions between two tasks of patches, or packets. `tasks`: lists of a substep; `state`: of the barrier over all groups. */
#define CLOTH_COOPERATIVE(FIRST, NEXT) \
    FIRST(SHARED, float4, position) \
    NEXT(SHARED, float4, previous) \
    NEXT(SHARED, cloth_carry, carry) \
    NEXT(IN, float4, garments) NEXT(IN, float4, air) CLOTH_DRIVER_ARRAYS(NEXT, NEXT) \
        NEXT(IN, float4, colliders) NEXT(IN, float4, contact) NEXT(SHARED_OUT, cloth_debug, debug) \
            NEXT(IN, uint2, ends) NEXT(IN, float, rests) NEXT(IN, ushort, kinds) \
                NEXT(IN, float4, materials) NEXT(IN, uint4, lines) NEXT(IN, float4, weights) \
                    NEXT(SHARED, float4, sums) NEXT(IN, uint4, elements) \
                        NEXT(SHARED, float4, moved) NEXT(IN, uint4, cells) NEXT(IN, uint4, chains) \
                            NEXT(IN, float, edges) NEXT(SHARED, float, pulled) \
                                NEXT(IN, uint4, sources) NEXT(SHARED, float4, places) \
                                    NEXT(SHARED, float4, from) NEXT(IN, uint4, shares) \
                                        NEXT(IN, float4, steps) NEXT(IN, uint4, tasks) \
                                            NEXT(SCRATCH, uint, state) \
                                                NEXT(STRUCT, cloth_cooperative_launch, launch)
HED_VIEW(cloth_cooperative_view, CLOTH_COOPERATIVE)

#endif
