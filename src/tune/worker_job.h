/* What a worker works on, as one file in memory: the kernel's description without its functions,
 * the device, and the content of all arguments. Packed once by the parent, sealed, and mapped
 * read-only by every worker: a candidate that runs wild cannot change it. */
#ifndef HED_TUNE_WORKER_JOB_H
#define HED_TUNE_WORKER_JOB_H

#include "tune/runner.h"

/* A job as it was read. Texts and data point into the bytes it was read from. */
typedef struct hed_worker_job {
    hed_context_def context; /* as the parent's: directories and libraries */
    const char *device;      /* id */
    hed_kernel_def kernel;   /* functions are NULL */
    hed_argument_def arguments[HED_MAX_ARGUMENTS];
    hed_parameter_def parameters[HED_MAX_PARAMETERS];
    const char *dimensions[HED_MAX_DIMENSIONS];
    hed_runner_argument contents[HED_MAX_ARGUMENTS];
    hed_problem problem;
    hed_runner_def runner; /* without device; the rest points into this struct */
    hed_source *sources;   /* (source_capacity) */
    const char **options;  /* (option_capacity) */
    hed_define *defines;   /* (define_capacity) */
    uint32_t source_capacity, option_capacity, define_capacity;
    hed_allocator allocator;
} hed_worker_job;

/* Packs a job into a new file in memory. `cache_dir`: where compiled kernels go. Errors: MEMORY, IO
 * (a source file, or the file in memory). */
hed_status hed_worker_job_pack(
    const hed_runner_def *def, const char *cache_dir, int *descriptor, hed_error *error);
/* Reads a job, believing nothing of it. `bytes` must be aligned to 8 and outlive the job. Errors:
 * FORMAT, MEMORY. */
hed_status hed_worker_job_read(const hed_allocator *allocator, const void *bytes, size_t size,
    hed_worker_job *job, hed_error *error);
void hed_worker_job_free(hed_worker_job *job);
/* A new file in memory of `size` bytes, sealed so that it stays that size: what is mapped stays
 * there. Errors: IO. */
hed_status hed_worker_memory(uint64_t size, int *descriptor, hed_error *error);

#endif
