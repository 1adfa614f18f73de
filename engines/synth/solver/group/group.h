/* The inside of solvers group and global: group.c launches a block at a time, group_resident.c
 * has a kernel that stays. */
#ifndef SYNTH_GROUP_H
#define SYNTH_GROUP_H

#include "heddle/resident.h"

#include "solver/group/kernels.h"
#include "program/memory.h"
#include "solver/solver.h"

enum { SYNTH_MOST_INSTANCES = 64, SYNTH_POKE_WORDS = sizeof(synth_poke) / 4 };
_Static_assert(sizeof(synth_poke) == 12, "kernels read pokes as three words");

struct synth_solver {
    hed_allocator allocator;
    hed_device *device;
    hed_stream *stream;
    const synth_program *program;
    hed_kernel *kernel;
    hed_buffer *stores, *delays, *inputs, *stems;
    uint32_t block, channels;
    uint32_t poke_room; /* most pokes of a launch or request */
    /* (instances + 1 + SYNTH_POKE_WORDS poke_room) pokes as kernels take them */
    uint32_t *staged;
    uint64_t bytes;
    /* by the host as they are written; else they are read: not every device maps memory */
    bool stems_seen;
    /* launched */
    hed_buffer *pokes;
    bool has_pokes, has_inputs; /* the buffers hold some: they are emptied once */
    /* resident */
    hed_resident *resident;
    hed_stream *own; /* the kernel's */
    hed_buffer *image, *given;
    hed_buffer *
        transfer; /* pinned, for all stores and delay memories: other copies would wait for the kernel's end */
    uint32_t *request; /* (request_words) a head, and `staged` */
    uint32_t request_words;
};

/* A part of a run, with at most poke_room pokes; `inputs` and `stems` as of its first frame. */
typedef struct synth_part {
    uint32_t sample, first, frames;
    uint32_t pokes; /* staged */
} synth_part;

/* At least one element, since no buffer is empty. */
hed_status synth_group_buffer(
    synth_solver *solver, hed_memory memory, uint64_t words, hed_buffer **buffer, hed_error *error);
hed_problem synth_group_problem(const synth_program *program, uint32_t block, uint32_t more_words);
/* The smallest group with a lane for each item, or the largest that the device takes; false and
 * why: none. */
bool synth_group_config(const hed_synth *synth, const hed_kernel_def *def, uint32_t more_words,
    hed_config *config, char *reason, size_t size);

/* group_resident.c: needs the stores; starts the kernel. */
enum { SYNTH_RESIDENT_POKES = 64 };
uint32_t synth_resident_words(const synth_program *program);
hed_status synth_resident_create(
    synth_solver *solver, const hed_kernel_def *def, const hed_config *config, hed_error *error);
void synth_resident_destroy(synth_solver *solver);
hed_status synth_resident_run(
    synth_solver *solver, const synth_run *run, const synth_part *part, hed_error *error);
/* A command without a block. */
hed_status synth_resident_ask(synth_solver *solver, uint32_t command, hed_error *error);

#endif
