/* What a worker and its parent say to each other: records of fixed size over a socket that keeps
 * their borders (SOCK_SEQPACKET), one reply to each request. A receiver trusts nothing:
 * length, version and every number are checked first.
 *
 * What does not change while a worker lives, the kernel and its data, is in a file in memory that
 * both map: the job (worker_job.c). */
#ifndef HED_TUNE_WORKER_H
#define HED_TUNE_WORKER_H

#include <poll.h>
#include <sys/types.h>

#include "tune/capture.h"
#include "tune/runner.h"

/* Descriptors of a worker, counted from the one that hed_worker_serve() is given. */
enum {
    HED_WORKER_SOCKET = 0,
    HED_WORKER_JOB = 1,    /* read only by the worker */
    HED_WORKER_RESULT = 2, /* an output's content, written by the worker */
    HED_WORKER_DESCRIPTORS = 3
};

/* What the installed heddle-worker runs: serves one parent over the socket `descriptor` until that
 * closes. Exported for that program alone. */
HED_API int hed_worker_serve(int descriptor);

enum { HED_WORKER_VALUES = 64 }; /* times of one reply at most */

typedef enum hed_worker_task {
    /* open the device, put the inputs there; without it only HED_TASK_COMPILE can be done */
    HED_TASK_OPEN,
    HED_TASK_COMPILE, /* `config` into the compiled-kernel cache */
    HED_TASK_BUILD,   /* `config`, which is laid out as `geometry`, into `slot` */
    HED_TASK_CHECK,   /* the first run of `slot` and its results */
    HED_TASK_TIME,    /* `runs` runs of `slot` */
    HED_TASK_OUTPUT,  /* a run of `slot` over `pattern`, then the content of `argument` */
    HED_TASK_COUNT
} hed_worker_task;

typedef struct hed_worker_request {
    uint64_t version;
    uint32_t number; /* comes back in the reply */
    uint32_t task;   /* hed_worker_task */
    uint32_t slot, runs, argument, pattern;
    hed_config config;
    hed_geometry geometry;
} hed_worker_request;

typedef struct hed_worker_reply {
    uint64_t version;
    uint32_t number;
    uint32_t status;      /* hed_status, of which `text` tells */
    uint32_t device_time; /* HED_TASK_OPEN */
    uint32_t lost;        /* this worker is of no more use */
    uint32_t count;       /* HED_TASK_TIME: values */
    hed_trial trial;
    char text[HED_ERROR_TEXT];
    double values[HED_WORKER_VALUES];
} hed_worker_reply;

/* The library's version and the layout of the records: worker and parent must be of one build. */
uint64_t hed_worker_version(void);
/* Whether what was received is a whole record with nothing out of range. `size`: what came. */
bool hed_worker_request_valid(const hed_worker_request *request, size_t size);
bool hed_worker_reply_valid(const hed_worker_reply *reply, size_t size);
/* Sends one record. false: the other end is gone, or takes nothing. */
bool hed_worker_send(int socket, const void *record, size_t size);
/* Receives one record, at most `size` bytes. Gives how many it had, more than `size` for a longer
 * one; 0: the other end has closed; < 0: an error. */
ptrdiff_t hed_worker_receive(int socket, void *record, size_t size);

/* One worker process as its parent sees it: started, spoken to, and brought to its end, whatever it
 * does. */

typedef struct hed_worker_process {
    pid_t pid;       /* 0: none */
    int socket;      /* -1 where there is none */
    int output;      /* what it writes to its standard output and error; -1: it has closed both */
    uint32_t life;   /* how often it was started */
    uint32_t number; /* of the last request */
    bool busy;       /* a reply is awaited */
    double deadline; /* of the reply, seconds of hed_now() */
    char said[1024]; /* the end of what it wrote */
    uint32_t said_size;
} hed_worker_process;

typedef enum hed_worker_event {
    HED_WORKER_NOTHING,
    HED_WORKER_ANSWERED,
    HED_WORKER_DIED, /* or said what is no reply */
    HED_WORKER_LATE,
    HED_WORKER_STOPPED /* the caller does not want to wait any longer */
} hed_worker_event;

enum { HED_WORKER_POLLED = 2 }; /* descriptors of a worker that are waited for */

/* Starts `program` with a job and a result. Errors: IO. */
hed_status hed_worker_start(
    hed_worker_process *worker, const char *program, int job, int result, hed_error *error);
/* Sends a request, of which version and number are filled in. A worker that is gone is noticed when
 * its answer is waited for. */
void hed_worker_request_send(
    hed_worker_process *worker, hed_worker_request *request, double deadline);
/* Says what to wait for: `polled` (HED_WORKER_POLLED). */
void hed_worker_poll(const hed_worker_process *worker, struct pollfd *polled);
/* Looks at what poll() found. */
hed_worker_event hed_worker_look(
    hed_worker_process *worker, const struct pollfd *polled, double now, hed_worker_reply *reply);
/* Asks an idle worker to end, without waiting for it. */
void hed_worker_ask_to_end(const hed_worker_process *worker);
/* Ends a worker. One that is idle is asked to, by its closed socket; any other is killed. `text`
 * (nullable): how it ended and the last that it said. `outside` (nullable): by a signal that
 * candidates do not cause. */
void hed_worker_end(
    hed_worker_process *worker, hed_worker_event event, char *text, size_t size, bool *outside);

/* What a worker works on, as one file in memory: the kernel's description without its functions,
 * the device, and the content of all arguments. Packed once by the parent, sealed, and mapped
 * read-only by every worker: a candidate that runs wild cannot change it.
 *
 * A job as it was read. Texts and data point into the bytes it was read from. */
typedef struct hed_worker_job {
    hed_capture_launched launched; /* the kernel, without functions; `info.device` is the id */
    hed_context_def context;       /* as the parent's: directories and libraries */
    uint32_t content_count;
    hed_compare compares[HED_MAX_ARGUMENTS];
    hed_runner_argument contents[HED_MAX_ARGUMENTS];
    uint64_t mask_bytes[HED_MAX_ARGUMENTS]; /* sizes of the masks `unwritten` */
    hed_runner_def runner;                  /* without device; the rest points into this struct */
    hed_arena arena;
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

/* The state of the runner in worker processes. */

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
