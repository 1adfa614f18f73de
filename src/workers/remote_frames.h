/* Tuning over a byte stream (a pipe, ssh, a socket that heddle-mpi forwards). It uses the requests
 * and replies of a worker process (worker.h), in frames, and is one level higher: the remote end
 * starts, monitors and replaces worker processes on its own machine, so that a crash or hang of a
 * candidate is handled there.
 *
 * The worker sends the first frame, HELLO. Each opened runner sends one JOB with all data and gets
 * a REPLY; then each REQUEST gets a REPLY, preceded by BYTES if it requested an output. Only
 * HED_TASK_COMPILE is answered later, by BUILT. ALIVE is sent every second, even during other work.
 * Both ends must be of one build. */
#ifndef HED_WORKERS_REMOTE_FRAMES_H
#define HED_WORKERS_REMOTE_FRAMES_H

#include "heddle/remote.h"
#include "workers/worker.h"

#define HED_FRAME_MAGIC 0x57444548u /* "HEDW" */

typedef enum hed_frame_kind {
    HED_FRAME_HELLO = 1,
    HED_FRAME_JOB,     /* hed_frame_job, then the bytes of a job (worker_job.c) */
    HED_FRAME_REQUEST, /* hed_worker_request */
    HED_FRAME_REPLY,   /* hed_worker_reply; in reply to a JOB `count` is the number of builders */
    HED_FRAME_BUILT,   /* hed_worker_reply to HED_TASK_COMPILE */
    HED_FRAME_BYTES,
    HED_FRAME_ALIVE,
    HED_FRAME_COUNT
} hed_frame_kind;

typedef struct hed_frame {
    uint32_t magic, kind;
    uint64_t size; /* bytes of the payload */
} hed_frame;

/* Header of a job: fields of a runner's definition that the job lacks. Its size preserves the job's
 * alignment. */
typedef struct hed_frame_job {
    uint64_t version;
    double timeout_seconds, compile_seconds;
    uint32_t number, builders; /* `number` is copied into the reply */
    char zeros[32];
} hed_frame_job;

enum { HED_HELLO_MOST = 1 << 16 };

/* Content of a HELLO. Texts point into its bytes. */
typedef struct hed_hello {
    hed_device_info info; /* `id` is the device's id on the other machine */
    const char *machine, *build_key;
} hed_hello;

void hed_hello_put(hed_text *to, const hed_hello *hello);
/* Parses a HELLO, treating it as untrusted. Errors: FORMAT. */
hed_status hed_hello_read(const void *bytes, size_t size, hed_hello *hello, hed_error *error);

/* True for a device made by hed_device_create_remote(). */
bool hed_device_is_remote(const hed_device *device);
/* True if the device's worker can be started again, because a command starts it. */
bool hed_device_can_restart(const hed_device *device);
/* Restarts the command of def->device, after ending it, if its worker has died. Errors: LOST (the
 * command does not answer, or is another device now), IO. */
hed_status hed_device_restart(const hed_runner_def *def, hed_error *error);
/* Creates the runner of a remote device; one at a time. Errors: LOST, MEMORY, IO, and errors of the
 * remote end. */
hed_status hed_runner_create_remote(
    const hed_runner_def *def, hed_runner **runner, hed_error *error);

/* Main loop of the installed heddle-worker when it has no descriptor: serves one leader over two
 * descriptors until the first is closed. `device`: as in hed_device_find(), NULL for the best
 * device that compiles; `turn`: number of devices of that kind to skip. Exported for that program
 * alone. */
HED_API int hed_remote_serve(int in, int out, const char *device, uint32_t turn, hed_error *error);

#endif
