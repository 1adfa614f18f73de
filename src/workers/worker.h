/* Workers as their leader has them, and the job, which is constant for a worker's lifetime: the
 * kernel and its arguments, in a memory file that a worker process maps (worker_job.c).
 * worker_protocol.h has the messages. */
#ifndef HED_WORKERS_WORKER_H
#define HED_WORKERS_WORKER_H

#include <assert.h>
#include <poll.h>
#include <sys/types.h>

#include "workers/worker_protocol.h"

/* Descriptors of a worker, as offsets from the descriptor passed to hed_worker_serve(). */
enum {
    HED_WORKER_SOCKET = 0,
    HED_WORKER_JOB = 1,    /* the job, which it maps read-only */
    HED_WORKER_RESULT = 2, /* an output's content, written by the worker */
    HED_WORKER_DESCRIPTORS = 3
};

/* Main loop of the installed heddle-worker as a worker process: serves one parent over the socket
 * `descriptor` until the socket is closed. Exported for that program alone. */
HED_API int hed_worker_serve(int descriptor, hed_error *error);

/* A worker and its two streams: a process of this machine, the command that connects to a worker of
 * another one, or a connection that the program opened. Start, requests, replies and end, even if
 * the process crashes or hangs. */

typedef struct hed_worker {
    pid_t pid;       /* 0: not running, or the program's own connection */
    int socket;      /* requests and replies; -1: not connected */
    int output;      /* pipe of the texts that the process prints; -1: the process has closed it */
    uint32_t life;   /* number of times it was started */
    uint32_t number; /* number of the last request */
    bool busy;       /* a reply is pending */
    double deadline; /* latest time of the reply, s of hed_now() */
    char tail[1024]; /* the last bytes of its output */
    uint32_t tail_size;

    const hed_device
        *device;     /* the device that its HELLO must describe; NULL: the caller compares */
    double patience; /* longest wait for it to accept data, s; 0: without limit */
    double heard;    /* time of the last received byte, s of hed_now() */
    bool greeted;    /* a HELLO was received */
    char fault[256]; /* the message that broke the protocol, as "sent an invalid reply" */
    void *bytes_to;  /* destination of HED_FRAME_BYTES; NULL: not expected */
    uint64_t bytes_size, bytes_left;
    bool bytes_came;
    size_t hello_size, filled; /* bytes of `buffer`: a HELLO in use at its front, all */
    unsigned char buffer[sizeof(hed_frame) + HED_HELLO_MOST];
} hed_worker;

static_assert(sizeof(hed_worker_reply) <= HED_HELLO_MOST, "the buffer takes every frame");

/* A message of a worker. */
typedef struct hed_worker_message {
    hed_frame_kind kind; /* HELLO, REPLY or BUILT */
    hed_hello hello;     /* texts that are valid until the next message is received */
    hed_worker_reply reply;
} hed_worker_message;

typedef enum hed_worker_event {
    HED_WORKER_NOTHING,
    HED_WORKER_ANSWERED,
    HED_WORKER_DIED, /* end of the process, or an invalid message */
    HED_WORKER_LATE,
    HED_WORKER_STOPPED /* the caller cancelled the wait */
} hed_worker_event;

enum { HED_WORKER_POLLED = 2 }; /* descriptors of a worker to pass to poll() */

/* Seconds of hed_now(), not of the context's clock: the program's clock may stop, and the limits
 * must still end a wait. */
static inline double hed_worker_now(void) { return (double)hed_now() * 1e-9; }

/* One descriptor of a new process, which has it as `number`. */
typedef struct hed_worker_file {
    int from; /* a descriptor of this process, or one of the two below */
    int number;
} hed_worker_file;
enum {
    HED_WORKER_THEIR_SOCKET = -1, /* the other end of hed_worker.socket */
    HED_WORKER_THEIR_OUTPUT = -2  /* the other end of hed_worker.output */
};

/* Starts a process in a session of its own, so that Ctrl-C in a terminal reaches this process
 * alone, with a stream socket and `files` (count), and no other descriptor. Its standard input
 * is empty unless `files` has it. Returns 0, or the system's error number. */
int hed_worker_spawn(
    hed_worker *worker, const char *const *words, const hed_worker_file *files, uint32_t count);
/* Starts `program` for `device` with the descriptors of a job and a result. Errors: IO. */
hed_status hed_worker_start(hed_worker *worker, const char *program, const hed_device *device,
    int job, int result, hed_error *error);
/* Sends a request, after filling in its number. Returns false if the worker does not accept it,
 * which is noticed again when its reply is awaited. */
bool hed_worker_request_send(hed_worker *worker, hed_worker_request *request, double deadline);
/* Fills `polled` (HED_WORKER_POLLED) with the descriptors to wait for. */
void hed_worker_poll(const hed_worker *worker, struct pollfd *polled);
/* Receives the bytes that are available, without waiting. Returns ANSWERED for a message, DIED at
 * the end of the stream or with `fault` set, NOTHING if a message is incomplete. */
hed_worker_event hed_worker_receive(hed_worker *worker, hed_worker_message *message);
/* Handles the events found by poll(): ANSWERED is the reply to the last request. */
hed_worker_event hed_worker_handle_events(
    hed_worker *worker, const struct pollfd *polled, double now, hed_worker_message *message);
/* Asks an idle worker to exit, without waiting for it. */
void hed_worker_request_end(const hed_worker *worker);
/* Reads the texts that the worker has printed, and keeps the last ones. */
void hed_worker_listen(hed_worker *worker);
/* Closes the connection, waits up to `milliseconds` for the process to end by itself, then kills it
 * with its children. Returns its wait status, or -1 if it was killed or is not a child; the last
 * texts that it printed are in `tail`. */
int hed_worker_close(hed_worker *worker, int milliseconds);
/* Describes a wait status of hed_worker_close(): "ended with exit code 3"; "" for -1. */
void hed_worker_manner(int status, char *text, size_t size);
/* Returns the last line in `tail` that is not empty, and cuts `tail` after it. */
const char *hed_worker_last_line(hed_worker *worker);
/* Ends a worker process: an idle worker by closing its socket, a busy one by SIGKILL. `text`
 * (nullable): its exit status and last output. `outside` (nullable): true if a signal that
 * candidates do not cause ended it. */
void hed_worker_end(
    hed_worker *worker, hed_worker_event event, char *text, size_t size, bool *outside);

/* A worker's input as one memory file: the kernel's description without its functions, the device,
 * and the content of all arguments. The parent packs it once and seals it; every worker maps it
 * read-only, so no candidate can change it.
 *
 * hed_worker_job is a job after parsing. Its texts and data point into the mapped bytes. */
typedef struct hed_worker_job {
    /* the kernel, without functions; `info.device` is the device's id */
    hed_capture_launched launched;
    hed_context_def context; /* a copy of the parent's: directories and libraries */
    hed_hello device;        /* the parent's description of the device */
    uint32_t content_count;
    hed_compare compares[HED_MAX_ARGUMENTS];
    bool by_config[HED_MAX_ARGUMENTS];
    hed_runner_argument contents[HED_MAX_ARGUMENTS];
    uint64_t mark_bytes[HED_MAX_ARGUMENTS]; /* sizes of `marks`, bytes */
    /* device NULL; other pointers refer to this struct */
    hed_runner_def runner;
    hed_arena arena;
} hed_worker_job;

/* Packs a job into a new memory file. `cache_dir`: directory of compiled kernels. Errors: MEMORY,
 * IO (a source file, or the memory file). */
hed_status hed_worker_job_pack(
    const hed_runner_def *def, const char *cache_dir, int *descriptor, hed_error *error);
/* Parses a job and treats its bytes as untrusted. `bytes` must be aligned to 8 and outlive the job.
 * Errors: FORMAT, MEMORY. */
hed_status hed_worker_job_read(const hed_allocator *allocator, const void *bytes, size_t size,
    hed_worker_job *job, hed_error *error);
void hed_worker_job_free(hed_worker_job *job);
/* Creates a memory file of `size` bytes, sealed against changes of its size, so that its mappings
 * stay valid. Errors: IO. */
hed_status hed_worker_memory(uint64_t size, int *descriptor, hed_error *error);

/* State of the runner in worker processes. */

typedef struct worker_slot {
    hed_config config;
    hed_geometry geometry;
    bool filled;   /* a candidate that passed its check is prepared */
    uint32_t life; /* `life` of the measuring worker that has built it; 0: not built */
} worker_slot;

typedef struct builder {
    hed_worker process;
    hed_config config;    /* configuration being built */
    hed_worker_task task; /* the last one that was sent */
    uint32_t opened;      /* `life` of the process that has opened its runner; 0: closed */
    double build_seconds; /* compile time of `config`, s */
} builder;

typedef struct worker_client {
    hed_runner runner;
    hed_runner_def def;
    hed_allocator allocator;
    const char *program;
    /* memory files; -1 before they are made. The builders' job may lack the expected outputs */
    int job, builders_job, result;
    const void *packed[HED_MAX_ARGUMENTS]; /* expected outputs in the builders' job */
    const char *cache;                     /* directory of compiled kernels */
    unsigned char *result_bytes;
    uint64_t result_size;
    /* directory of compiled kernels if the context has no cache; "" if it has one */
    char own_cache[64];
    /* added to each time limit, s: one copy of all arguments, and work that is independent of the
     * candidate */
    double copy_seconds;
    hed_worker measurer;
    bool killed_from_outside; /* an outside signal ended the last measurer */
    worker_slot slots[HED_RUNNER_SLOTS];
    builder *builders; /* (builder_count) */
    uint32_t builder_count, building;
    /* the driver compiles in the first launch, and keeps the result on disk: builders launch too */
    bool launches_ahead;
    hed_trial_queue waiting, done;
    hed_worker_message message; /* the last one */
} worker_client;

#endif
