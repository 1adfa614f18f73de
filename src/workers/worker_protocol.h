/* Protocol between a worker and its leader: frames over a stream, alike for a worker process of this machine
 * (worker_client.c leads, worker_serve.c serves) and for a worker elsewhere, at the end of a pipe, of ssh or of a
 * socket that heddle-mpi forwards (remote_client.c leads, remote_serve.c serves). A worker elsewhere is one level
 * higher: it starts, monitors and replaces worker processes on its own machine, so that a crash or hang of a
 * candidate is handled there.
 *
 *     worker  HELLO    first, once: its build of Heddle and its device
 *     leader  JOB      kernel and data, unless the worker has them as a descriptor (HED_WORKER_JOB)
 *     leader  REQUEST  hed_worker_request
 *     worker  REPLY    hed_worker_reply to the request; BUILT, maybe after other replies, to HED_TASK_COMPILE
 *     worker  BYTES    before the REPLY: an output, unless the leader has it as a descriptor
 *     worker  ALIVE    every second, from a worker elsewhere, also during other work
 *
 * Both ends must be of one build, and a receiver treats every frame as untrusted: it checks kind, size and each
 * number first. */
#ifndef HED_WORKERS_WORKER_PROTOCOL_H
#define HED_WORKERS_WORKER_PROTOCOL_H

#include "capture/capture_file.h"
#include "measure/runners.h"

#define HED_FRAME_MAGIC 0x57444548u /* "HEDW" */

typedef enum hed_frame_kind {
    HED_FRAME_HELLO = 1,
    HED_FRAME_JOB, /* hed_frame_job, then the bytes of a job (worker_job.c) */
    HED_FRAME_REQUEST,
    HED_FRAME_REPLY,
    HED_FRAME_BUILT,
    HED_FRAME_BYTES,
    HED_FRAME_ALIVE,
    HED_FRAME_COUNT
} hed_frame_kind;

typedef struct hed_frame {
    uint32_t magic, kind;
    uint64_t size; /* bytes of the payload */
} hed_frame;

/* Header of a job in a frame: fields of a runner's definition that the job lacks. Its size
 * preserves the job's alignment. */
typedef struct hed_frame_job {
    double timeout_seconds, compile_seconds, least_timeout_seconds;
    uint32_t builders; /* 0: the worker's machine decides by its processors */
    uint32_t sharers;  /* workers of this leader on that machine */
    char zeros[40];
} hed_frame_job;

enum { HED_WORKER_VALUES = 64 }; /* maximum number of times in one reply */

typedef enum hed_worker_task {
    /* create the runner: upload the inputs; before it a worker process can only compile */
    HED_TASK_OPEN,
    HED_TASK_COMPILE, /* compile `config` into the compiled-kernel cache */
    HED_TASK_BUILD, /* build `config`, laid out as `geometry`, into `slot`; elsewhere also check it */
    HED_TASK_CHECK,  /* run `slot` for the first time and check its results */
    HED_TASK_TIME,   /* time `runs` runs of `slot` */
    HED_TASK_OUTPUT, /* run `slot` over `pattern`, then return the content of `argument` */
    HED_TASK_COUNT
} hed_worker_task;

typedef struct hed_worker_request {
    uint32_t number; /* copied into the reply */
    uint32_t task;   /* hed_worker_task */
    uint32_t slot, runs, argument, pattern;
    hed_config config;
    hed_geometry geometry;
} hed_worker_request;

typedef struct hed_worker_reply {
    uint32_t number;
    uint32_t status;      /* hed_status; `text` has its message */
    uint32_t device_time; /* HED_TASK_OPEN */
    uint32_t is_lost;     /* the worker is no longer usable */
    uint32_t count;       /* HED_TASK_TIME: number of values; HED_TASK_OPEN: number of builders */
    hed_trial trial;
    char text[HED_ERROR_TEXT];
    double values[HED_WORKER_VALUES];
} hed_worker_reply;

enum { HED_HELLO_MOST = 1 << 14 }; /* maximum bytes of a HELLO */

/* Content of a HELLO. Texts point into its bytes. */
typedef struct hed_hello {
    hed_device_info info; /* `id` is the device's id on the worker's machine */
    const char *machine, *build_key;
} hed_hello;

/* Hash of the library's version and of the records' layout, the first number of a HELLO and of a
 * job. */
uint64_t hed_worker_version(void);
/* True if all numbers of a received record are in range. */
bool hed_worker_request_valid(const hed_worker_request *request);
bool hed_worker_reply_valid(const hed_worker_reply *reply);

void hed_hello_put(hed_text *to, const hed_hello *hello);
/* Reads the fields that hed_hello_put() writes; their texts point into the reader's bytes. False if
 * another build wrote them; faults are in `from->status`. */
bool hed_hello_get(hed_description_reader *from, hed_hello *hello);
/* Parses a HELLO, treating it as untrusted. Errors: FORMAT. */
hed_status hed_hello_read(const void *bytes, size_t size, hed_hello *hello, hed_error *error);
/* Sends the HELLO of a device of this machine. Errors: MEMORY. A lost leader is noticed when the
 * worker reads. */
hed_status hed_hello_send(int descriptor, const hed_device *device, hed_error *error);
/* True if a HELLO is of `device`, by `id`, name, driver and compiler. */
bool hed_hello_describes(const hed_hello *hello, const char *id, const hed_device *device);

/* Reads exactly `size` bytes from a blocking descriptor. Returns false at the end of the stream or
 * after an error. */
bool hed_stream_read_all(int descriptor, void *bytes, size_t size);
/* Writes all bytes. Waits while the descriptor accepts no data, at most `patience` seconds without
 * progress (0: without limit). Returns false if the other end is closed or the wait times out. */
bool hed_stream_write_all(int descriptor, const void *bytes, size_t size, double patience);
/* Writes one frame. */
bool hed_frame_write(
    int descriptor, hed_frame_kind kind, const void *bytes, size_t size, double patience);

typedef enum hed_order {
    HED_ORDER_CLOSED,  /* the leader has closed the stream */
    HED_ORDER_INVALID, /* neither a request nor a job */
    HED_ORDER_REQUEST,
    HED_ORDER_JOB /* `job_size` bytes follow, of which the first are a hed_frame_job */
} hed_order;

/* Reads a frame of the leader from a blocking descriptor, except for the bytes of a job. */
hed_order hed_order_read(int descriptor, hed_worker_request *request, uint64_t *job_size);

#endif
