/* The state of the runner in worker processes. */
#ifndef HED_TUNE_WORKER_CLIENT_H
#define HED_TUNE_WORKER_CLIENT_H

#include "tune/runner_kind.h"
#include "tune/trial_queue.h"
#include "tune/worker_process.h"

typedef struct worker_slot {
    hed_config config;
    hed_geometry geometry;
    bool filled;   /* by a candidate that is right */
    uint32_t life; /* of the measuring worker that has it; 0: none has */
} worker_slot;

typedef struct builder {
    hed_worker_process process;
    hed_config config; /* what it builds */
} builder;

typedef struct worker_client {
    hed_runner runner;
    hed_runner_def def;
    hed_allocator allocator;
    const char *program;
    int job, result; /* descriptors of files in memory */
    unsigned char *result_bytes;
    uint64_t result_size;
    /* a folder for compiled kernels where the context keeps none; "" where it does */
    char own_cache[64];
    /* added to each limit: copying all arguments once, and what is not the candidate's */
    double copy_seconds;
    hed_worker_process measurer;
    bool killed_from_outside; /* the last measurer */
    worker_slot slots[HED_RUNNER_SLOTS];
    builder *builders; /* (builder_count) */
    uint32_t builder_count, building;
    hed_trial_queue waiting, done;
    hed_worker_reply reply;
} worker_client;

#endif
