/* The library's two kinds of runner (heddle/runner.h): in this process (local_runner.c), and in
 * worker processes (worker_client.c), which run the first kind at the end of a socket. */
#ifndef HED_MEASURE_RUNNERS_H
#define HED_MEASURE_RUNNERS_H

#include "base/alloc.h"
#include "heddle/runner.h"
#include "measure/counters.h"

/* Creates a runner in this process. Errors (of every function): only failures that make further
 * work pointless: MEMORY, DRIVER, LOST, IO. A candidate's own failure is an outcome. */
hed_status hed_runner_create_local(
    const hed_runner_def *def, hed_runner **runner, hed_error *error);
/* Creates a runner in worker processes. Errors: also UNSUPPORTED if the kernel cannot leave the
 * process, IO if the worker program is not found (the text lists the paths searched). */
hed_status hed_runner_create_worker(
    const hed_runner_def *def, hed_runner **runner, hed_error *error);
/* The two steps of hed_runner_create_worker() on a device of this machine. Between them the runner
 * builds ahead, for which it needs no expected outputs; only the time limits and the arguments'
 * expected outputs and marks may differ in `def` of the second step. */
hed_status hed_runner_create_builders(
    const hed_runner_def *def, hed_runner **runner, hed_error *error);
hed_status hed_runner_open_measurer(
    hed_runner *runner, const hed_runner_def *def, hed_error *error);
/* True if each builder of a device opens the device, since its driver compiles: the driver makes
 * contexts that are requested at once one after the other. */
bool hed_runner_builders_open(const hed_device *device);
enum { HED_BUILD_SECONDS = 120 }; /* time limit of compiling one candidate */

/* Time limit of a run, s, from the first run of a configuration that works. */
static inline double hed_run_limit(double first_seconds, double least_seconds)
{
    enum { TIMES_LONGER = 20 };
    double limit = TIMES_LONGER * first_seconds;
    return limit > least_seconds ? limit : least_seconds;
}

static inline void hed_runner_destroy(hed_runner *runner)
{
    if (runner) runner->kind->destroy(runner);
}

/* FIFO queue of configurations (trial_queue.c): builds that wait, or finished builds that wait to
 * be collected. */

typedef struct hed_queued_trial {
    hed_config config;
    hed_trial trial;
} hed_queued_trial;

/* Start from {.allocator = ...}. */
typedef struct hed_trial_queue {
    hed_allocator allocator;
    hed_queued_trial *entries; /* (capacity) entries; [begin, count) are queued */
    uint32_t count, begin, capacity;
} hed_trial_queue;

/* Reserves space for `additional` entries, so that adding them cannot fail. Errors: MEMORY. */
hed_status hed_trial_queue_reserve(hed_trial_queue *queue, uint32_t additional, hed_error *error);
/* Appends an entry. Errors: MEMORY. */
hed_status hed_trial_queue_put(
    hed_trial_queue *queue, const hed_config *config, const hed_trial *trial, hed_error *error);
/* Removes the oldest entry. `trial` may be NULL. Returns false if the queue is empty. */
bool hed_trial_queue_take(hed_trial_queue *queue, hed_config *config, hed_trial *trial);
bool hed_trial_queue_empty(const hed_trial_queue *queue);
void hed_trial_queue_free(hed_trial_queue *queue);

/* Energy counter of a device, read from its driver. */

typedef struct hed_energy hed_energy;

/* The driver updates the counter every 20 to 100 ms, so only differences over a longer time are
 * accurate: launches repeat until they have run for at least this time, and the joules are divided
 * by their number. */
enum { HED_ENERGY_LEAST_MS = 1000 };

/* Opens a device's counter: NVML's, for CUDA devices. `library`: NULL for the driver's default
 * names. Errors: UNSUPPORTED (the text names the missing part), MEMORY, DRIVER. */
hed_status hed_energy_open(
    hed_device *device, const char *library, hed_energy **energy, hed_error *error);
/* Joules since the driver was loaded, of all users of the device; only differences are meaningful.
 * Errors: DRIVER, UNSUPPORTED (a GPU without the counter). */
hed_status hed_energy_read(const hed_energy *energy, double *joules, hed_error *error);
/* Closes a counter; NULL is allowed. */
void hed_energy_close(hed_energy *energy);

/* A CUDA context that holds the clock of a GPU while another driver measures it. */

typedef struct hed_clock_hold hed_clock_hold;

/* Returns NULL where nothing is to be held: other drivers than Vulkan's and OpenGL's of NVIDIA, or
 * no CUDA. `library`: NULL for the driver's default names. */
hed_clock_hold *hed_clock_hold_open(const hed_device *device, const char *library);
/* Closes a hold; NULL is allowed. */
void hed_clock_hold_close(hed_clock_hold *instance);

/* Internals of the runner in this process, shared by its files and used by a worker. */

enum { HED_LOCAL_CHUNK = 8 }; /* runs enqueued at once */

typedef enum hed_local_clock {
    HED_CLOCK_HOST,  /* host clock around a launch and the wait for it */
    HED_CLOCK_STEPS, /* start and end of each step */
    HED_CLOCK_MARKS  /* events between steps */
} hed_local_clock;

typedef struct hed_local_slot {
    hed_kernel *kernel;
    /* fastest run so far, including the first, s; < 0: unknown, the clock stepped backwards */
    double seconds;
} hed_local_slot;

typedef struct hed_local_runner {
    hed_runner runner;
    hed_runner_def def;
    hed_allocator allocator;
    hed_stream *stream;
    bool hung;        /* lost while work still runs on the device: no resource can be freed */
    double allowance; /* compile time allowed in the launches being awaited, s */
    hed_argument arguments[HED_MAX_ARGUMENTS];
    /* guard, content, guard; NULL if the argument is not a buffer */
    hed_buffer *buffers[HED_MAX_ARGUMENTS];
    hed_buffer *contents[HED_MAX_ARGUMENTS]; /* content of each buffer, passed to the kernel */
    hed_buffer *pristine[HED_MAX_ARGUMENTS]; /* initial content of arguments changed in place */
    hed_buffer *sweep;                       /* twice the last-level cache; NULL: runs are warm */
    /* transfer buffer of results; NULL: the host can access the buffers */
    hed_buffer *staging;
    struct hed_check_device *check_device; /* NULL: the host compares */
    /* bytes before and after a content that no kernel may write */
    uint64_t guard;
    bool restores;   /* an argument is changed in place */
    uint32_t checks; /* comparisons so far; each uses another pattern */
    uint32_t sweeps; /* sweeps so far */
    hed_local_clock clock;
    /* events before and after each run of a chunk, for HED_CLOCK_MARKS */
    hed_event *marks[2 * HED_LOCAL_CHUNK];
    hed_energy *energy;
    hed_clock_hold *clock_hold;
    bool has_held; /* time() has requested the hold */
    hed_profiler *profiler; /* NULL: counters are not read */
    hed_local_slot slots[HED_RUNNER_SLOTS];
    hed_trial_queue builds; /* builds requested ahead */
} hed_local_runner;

/* The two steps of prepare(), each with its own time limit: compilation, then the first run and its
 * check. */
hed_status hed_local_build(hed_runner *runner, uint32_t slot, const hed_config *config,
    hed_trial *trial, hed_error *error);
hed_status hed_local_check(hed_runner *runner, uint32_t slot, hed_trial *trial, hed_error *error);

/* Returns the bytes of an argument's content. */
static inline uint64_t hed_local_bytes(const hed_local_runner *local, uint32_t index)
{
    return local->def.arguments[index].bytes;
}

/* local_launch.c: an empty trial. */
hed_trial hed_local_new_trial(void);
/* local_launch.c: true if a candidate is valid on the device. Else `trial`, which begins empty, has
 * the reason. */
bool hed_runner_accepts(const hed_runner_def *def, const hed_config *config, hed_trial *trial);
/* local_launch.c: stores a candidate's failure. */
void hed_local_set_outcome(hed_trial *trial, hed_outcome outcome, const hed_error *error);
/* local_launch.c: LOST if an earlier candidate took the device away; also ARGUMENT if the slot has
 * no candidate. */
hed_status hed_local_refuse_lost(const hed_local_runner *local, hed_error *error);
hed_status hed_local_refuse_empty(const hed_local_runner *local, uint32_t slot, hed_error *error);
/* local_runner.c: sorts a failed build: the candidate's own failure is stored in `trial`; a failure
 * that makes further work pointless is returned. */
hed_status hed_local_judge_build(
    hed_status status, hed_trial *trial, const hed_error *cause, hed_error *error);
/* local_launch.c: an empty trial for a prepared slot. Errors: LOST, ARGUMENT. */
hed_status hed_local_begin(
    const hed_local_runner *local, uint32_t slot, hed_trial *trial, hed_error *error);
/* local_launch.c: restores the initial content of arguments changed in place. */
hed_status hed_local_restore(hed_local_runner *local, hed_error *error);
/* local_launch.c: launches a slot's kernel. The candidate's own failure is stored in `trial`, with
 * status OK. */
hed_status hed_local_launch(
    hed_local_runner *local, uint32_t slot, hed_trial *trial, hed_error *error);
/* local_launch.c: waits until `launches` launches are done. Failures as hed_local_launch(). */
hed_status hed_local_wait(
    hed_local_runner *local, uint32_t launches, hed_trial *trial, hed_error *error);

/* local_time.c: creates the stream and the events of the chosen clock. */
hed_status hed_local_open_clock(hed_local_runner *local, hed_error *error);
/* local_time.c: times the first run of a slot as an estimate for later runs. */
hed_status hed_local_time_first(
    hed_local_runner *local, uint32_t slot, hed_trial *trial, hed_error *error);
/* local_time.c: the runner's time(). */
hed_status hed_local_time(hed_runner *runner, uint32_t slot, uint32_t runs, double *values,
    hed_trial *trial, hed_error *error);

#endif
