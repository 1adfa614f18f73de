/* Tasks that a cooperative solver has gathered, between cooperative.c, which gathers them and
 * launches the kernel, and cooperative_order.c, which orders them and divides them among groups. */
#ifndef CLOTH_SOLVER_COOPERATIVE_LIST_H
#define CLOTH_SOLVER_COOPERATIVE_LIST_H

#include "solver/cooperative.h"

enum { MOST_TASKS = 1024 };

/* Part of the cloth in which a group works alone: rows of a grid in pairs, from an even or an odd
 * row on; columns; a lattice, number g by group g. */
typedef enum task_part { ANYWHERE, ROWS, ODD_ROWS, COLUMNS, LATTICES } task_part;

/* Groups of a task: all, or the first one and at the same time all others (overlap_lattices()). */
typedef enum task_side { TOGETHER, FIRST_GROUP, OTHER_GROUPS } task_side;

/* `unit`: elements of two rows or of a column; number of lattices. */
typedef struct gathered_task {
    uint4 task;
    task_part part;
    uint32_t unit;
    task_side side;
} gathered_task;

struct cloth_cooperative {
    cloth_lengths lengths;
    const cloth_garment *grid; /* NULL: the cloth is not one grid */
    gathered_task *list;       /* (MOST_TASKS) */
    uint32_t count;
    uint32_t lines_of_tension; /* tasks: along the warp and the weft by turns */
    uint64_t items;            /* items of the largest task */
    uint32_t kinds, compiled_kinds;
    uint32_t most_lattices; /* maximum for groups at once */
    uint32_t group, groups; /* items of a group; groups of a launch */
    hed_buffer *tasks, *state, *packets;
    bool spares_first; /* other groups have as many rows without the first one */
    uint32_t sends;    /* number of times that groups send packets in a substep */
    hed_kernel *kernel;
    const hed_kernel_def *compiled_def;
    cloth_cooperative_launch launch;
};

static inline uint32_t cooperative_larger(uint32_t a, uint32_t b) { return a > b ? a : b; }

static inline bool is_strict(const hed_cloth *cloth) { return cloth->def.math == HED_MATH_STRICT; }

/* Gives each of `lattices` to a group. */
void cloth_take_lattices(cloth_cooperative *c, gathered_task *t, uint32_t lattices);
/* Makes half sweeps over lattices one task, and adds the kinds of tasks that ordering makes. */
void cloth_cooperative_merge(const hed_cloth *cloth, cloth_cooperative *c);
/* Orders the tasks, once the groups of the launch are known. */
void cloth_cooperative_order(const hed_cloth *cloth, cloth_cooperative *c);
/* Divides each task among the groups, which meet between tasks on different parts, and lists the
 * tasks of the first group, then the tasks of all others. `tasks`: (2 count). Errors: LIMIT. */
hed_status cloth_cooperative_divide(
    const hed_cloth *cloth, cloth_cooperative *c, uint4 *tasks, hed_error *error);

#endif
