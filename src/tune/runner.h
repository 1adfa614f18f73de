/* A runner builds, checks and times candidates of one kernel. Two kinds with one face: in this
 * process (local_runner.c), and in worker processes (worker_client.c), which run the first kind at
 * the end of a socket. What a definition points to must outlive the runner. */
#ifndef HED_TUNE_RUNNER_H
#define HED_TUNE_RUNNER_H

#include "heddle/tune.h"

/* Content of one argument on the parent's side; as hed_tune_argument, but everything known. */
typedef struct hed_runner_argument {
    const void *data; /* first content; NULL: only written, or local */
    uint64_t bytes;
    const void *expected;    /* NULL: not compared */
    uint64_t expected_bytes; /* 0: as `bytes` */
    double tolerance;        /* 0: equal bits */
} hed_runner_argument;

static inline uint64_t hed_runner_expected_bytes(const hed_runner_argument *argument)
{
    return argument->expected_bytes ? argument->expected_bytes : argument->bytes;
}

typedef struct hed_runner_def {
    hed_device *device;
    const hed_kernel_def *kernel;
    hed_math math;
    const hed_define *defines;
    uint32_t define_count;
    const hed_problem *problem;
    const hed_runner_argument *arguments; /* (kernel->argument_count) */
    hed_objective objective;
    bool cold_cache;
    double timeout_seconds; /* of one run; 0: none, in process alone */
    /* and of a candidate's first run, beside that: where the driver compiles in it; 0: none */
    double compile_seconds;
    /* processes that compile ahead; 0: one for each processor; in process: none */
    uint32_t builders;
    /* no run can be faster: work over the device's peaks, halved; 0: not known */
    double floor_seconds;
    /* Called at least ten times a second while a worker is waited for; may be NULL. true: the
     * waiting ends, and with it the worker; the candidate is then HED_OUTCOME_DROPPED, and nothing
     * is known of it. */
    bool (*idle)(void *user);
    void *user;
} hed_runner_def;

/* What preparing, checking or timing a candidate gave. */
typedef struct hed_trial {
    hed_outcome outcome; /* MEASURED: all well */
    double build_seconds;
    double error; /* of the check; NAN: none */
    hed_kernel_resources resources;
    char text[192];
} hed_trial;

typedef struct hed_runner hed_runner;

/* Errors (of every function): only what makes going on pointless: MEMORY, DRIVER, LOST, IO. What a
 * candidate does wrong is an outcome. */
hed_status hed_runner_create_local(
    const hed_runner_def *def, hed_runner **runner, hed_error *error);
/* Errors: also UNSUPPORTED where a kernel cannot leave the process, IO where the worker program is
 * not found (the text says where it was looked for). */
hed_status hed_runner_create_worker(
    const hed_runner_def *def, hed_runner **runner, hed_error *error);
void hed_runner_destroy(hed_runner *runner);

/* Asks for a configuration to be compiled ahead, beside whatever else goes on; hed_runner_prepare()
 * then finds it in the compiled-kernel cache. In process: nothing happens. */
hed_status hed_runner_build_ahead(hed_runner *runner, const hed_config *config, hed_error *error);
/* Takes one configuration whose compiling ahead has ended (it may have failed: `trial`). false:
 * none is done within `seconds`. In process: always one. */
bool hed_runner_built(hed_runner *runner, double seconds, hed_config *config, hed_trial *trial);

enum {
    HED_RUNNER_SLOTS = 32,
    HED_BUILD_SECONDS = 120, /* a compiler may take so long over a candidate */
};

/* Puts a candidate into a slot (and forgets what was there): compiled, run once on poisoned outputs
 * and restored inputs, results compared. The first run is thrown away as a time. */
hed_status hed_runner_prepare(hed_runner *runner, uint32_t slot, const hed_config *config,
    hed_trial *trial, hed_error *error);
/* Times `runs` runs of a slot, in-place inputs restored before each, into `values` (runs): seconds,
 * or joules. By a clock that steps back, values may be 0 or less. */
hed_status hed_runner_time(hed_runner *runner, uint32_t slot, uint32_t runs, double *values,
    hed_trial *trial, hed_error *error);
/* Runs a slot once and gives the content of written argument `argument` afterwards: (its bytes).
 * For making references. */
hed_status hed_runner_output(hed_runner *runner, uint32_t slot, uint32_t argument, void *data,
    hed_trial *trial, hed_error *error);
/* Whether times come from the device's clock. */
bool hed_runner_device_time(const hed_runner *runner);
/* Whether a candidate has hung or broken the device, so that nothing can be measured any more. A
 * worker that this happens to is replaced. */
bool hed_runner_lost(const hed_runner *runner);

#endif
