/* What the files of the runner in this process share, and what a worker uses of it beyond
 * runner.h. */
#ifndef HED_TUNE_LOCAL_RUNNER_H
#define HED_TUNE_LOCAL_RUNNER_H

#include "base/alloc.h"
#include "tune/energy.h"
#include "tune/runner_kind.h"
#include "tune/trial_queue.h"

enum { HED_LOCAL_CHUNK = 8 }; /* runs enqueued at once */

typedef enum hed_local_clock {
    HED_CLOCK_HOST,  /* around a launch and the wait for it */
    HED_CLOCK_STEPS, /* each step's own start and end */
    HED_CLOCK_MARKS  /* events between steps */
} hed_local_clock;

typedef struct hed_local_slot {
    hed_kernel *kernel;
    /* the fastest run seen, the first one included; < 0: not known, the clock stepped back */
    double seconds;
} hed_local_slot;

typedef struct hed_local_runner {
    hed_runner runner;
    hed_runner_def def;
    hed_allocator allocator;
    hed_stream *stream;
    bool hung;        /* lost, and still runs something, so that nothing it uses can be freed */
    double allowance; /* seconds for compiling in the launches that are waited for */
    hed_argument arguments[HED_MAX_ARGUMENTS];
    /* guard, content, guard; NULL where the argument is none */
    hed_buffer *buffers[HED_MAX_ARGUMENTS];
    hed_buffer *contents[HED_MAX_ARGUMENTS]; /* the part of it that the kernel gets */
    hed_buffer *pristine[HED_MAX_ARGUMENTS]; /* first content of what is changed in place */
    hed_buffer *sweep;                       /* twice the last-level cache; NULL: runs are warm */
    /* what results are read through; NULL: the host sees the buffers */
    hed_buffer *staging;
    /* bytes on either side of a content that no kernel may touch */
    uint64_t guard;
    bool restores;   /* something is changed in place */
    uint32_t checks; /* so far: the poison changes with each */
    uint32_t sweeps; /* so far */
    hed_local_clock clock;
    hed_event *marks[2 * HED_LOCAL_CHUNK]; /* around each run of a chunk, for HED_CLOCK_MARKS */
    hed_energy *energy;
    hed_local_slot slots[HED_RUNNER_SLOTS];
    hed_trial_queue ahead; /* asked to be built ahead */
} hed_local_runner;

/* hed_runner_prepare() in two steps, so that each can have a limit of its own: compiling, then the
 * first run and its check. */
hed_status hed_local_build(hed_runner *runner, uint32_t slot, const hed_config *config,
    hed_trial *trial, hed_error *error);
hed_status hed_local_check(hed_runner *runner, uint32_t slot, hed_trial *trial, hed_error *error);

/* local_runner.c: a trial with nothing said yet. */
hed_trial hed_local_new_trial(void);
/* local_runner.c: sorts a failed build into what the candidate did, which goes into `trial`, and
 * what makes going on pointless. */
hed_status hed_local_judge_build(
    hed_status status, hed_trial *trial, const hed_error *why, hed_error *error);
/* local_runner.c: the same, for a slot that holds a candidate. Errors: LOST, ARGUMENT. */
hed_status hed_local_begin(
    const hed_local_runner *local, uint32_t slot, hed_trial *trial, hed_error *error);
/* local_runner.c: gives arguments that are changed in place their first content. */
hed_status hed_local_restore(hed_local_runner *local, hed_error *error);
/* local_runner.c: launches a slot's kernel. What the candidate is to blame for goes into `trial`,
 * and the status is OK. */
hed_status hed_local_launch(
    hed_local_runner *local, uint32_t slot, hed_trial *trial, hed_error *error);
/* local_runner.c: waits until `launches` launches are done. Likewise. */
hed_status hed_local_wait(
    hed_local_runner *local, uint32_t launches, hed_trial *trial, hed_error *error);

/* local_time.c: makes the stream, and what else its way of measuring needs. */
hed_status hed_local_open_clock(hed_local_runner *local, hed_error *error);
/* local_time.c: the first run of a slot, whose time is kept as an estimate. */
hed_status hed_local_time_first(
    hed_local_runner *local, uint32_t slot, hed_trial *trial, hed_error *error);
/* local_time.c */
hed_status hed_local_time(hed_runner *runner, uint32_t slot, uint32_t runs, double *values,
    hed_trial *trial, hed_error *error);

#endif
