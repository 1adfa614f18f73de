/* The library's own two kinds of runner (heddle/runner.h): in this process (local_runner.c), and in
 * worker processes (worker_client.c), which run the first kind at the end of a socket. */
#ifndef HED_TUNE_RUNNER_H
#define HED_TUNE_RUNNER_H

#include "base/alloc.h"
#include "heddle/runner.h"

/* Errors (of every function): only what makes going on pointless: MEMORY, DRIVER, LOST, IO. What a
 * candidate does wrong is an outcome. */
hed_status hed_runner_create_local(
    const hed_runner_def *def, hed_runner **runner, hed_error *error);
/* Errors: also UNSUPPORTED where a kernel cannot leave the process, IO where the worker program is
 * not found (the text says where it was looked for). */
hed_status hed_runner_create_worker(
    const hed_runner_def *def, hed_runner **runner, hed_error *error);
enum { HED_BUILD_SECONDS = 120 }; /* a compiler may take so long over a candidate */

static inline void hed_runner_destroy(hed_runner *runner)
{
    if (runner) runner->kind->destroy(runner);
}

/* Configurations that wait to be built, or to be taken, first in first out. */

typedef struct hed_queued_trial {
    hed_config config;
    hed_trial trial;
} hed_queued_trial;

/* Start from {.allocator = ...}. */
typedef struct hed_trial_queue {
    hed_allocator allocator;
    hed_queued_trial *entries; /* (capacity), of which [taken, count) are in the queue */
    uint32_t count, taken, capacity;
} hed_trial_queue;

/* Makes room for `more` entries, whose putting cannot fail then. Errors: MEMORY. */
hed_status hed_trial_queue_reserve(hed_trial_queue *queue, uint32_t more, hed_error *error);
/* Errors: MEMORY. */
hed_status hed_trial_queue_put(
    hed_trial_queue *queue, const hed_config *config, const hed_trial *trial, hed_error *error);
/* `trial` may be NULL. false: it is empty. */
bool hed_trial_queue_take(hed_trial_queue *queue, hed_config *config, hed_trial *trial);
bool hed_trial_queue_empty(const hed_trial_queue *queue);
void hed_trial_queue_free(hed_trial_queue *queue);

/* The energy that a device has taken, read from its driver's own counter. */

typedef struct hed_energy hed_energy;

/* The counter is brought up to date every 20 to 100 ms, so that a value is worth something only
 * over so long a time: launches are repeated until they have taken this long together, and their
 * joules divided by their number. */
enum { HED_ENERGY_LEAST_MS = 1000 };

/* Opens a device's counter: NVML's, for CUDA devices. `library`: NULL for the driver's own names.
 * Opens the device. Errors: UNSUPPORTED (the text says what is missing), MEMORY, DRIVER. */
hed_status hed_energy_open(
    hed_device *device, const char *library, hed_energy **energy, hed_error *error);
/* Joules since the driver was loaded; only differences mean something. The whole device's, of all
 * its users. Errors: DRIVER, UNSUPPORTED (a GPU without the counter). */
hed_status hed_energy_read(const hed_energy *energy, double *joules, hed_error *error);
/* NULL is allowed. */
void hed_energy_close(hed_energy *energy);

/* What the files of the runner in this process share, and what a worker uses of it beyond
 * runner.h. */

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
    uint32_t checks; /* comparisons so far; the pattern changes with each */
    uint32_t sweeps; /* so far */
    hed_local_clock clock;
    hed_event *marks[2 * HED_LOCAL_CHUNK]; /* around each run of a chunk, for HED_CLOCK_MARKS */
    hed_energy *energy;
    hed_local_slot slots[HED_RUNNER_SLOTS];
    hed_trial_queue ahead; /* asked to be built ahead */
} hed_local_runner;

/* prepare() in two steps, so that each can have a limit of its own: compiling, then the
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
