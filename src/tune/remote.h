/* Tuning at the other end of a stream of bytes (a pipe, ssh, a socket that heddle-mpi forwards): the
 * same requests and replies as between a program and its worker process (worker.h), in frames, and
 * one level higher: what is at the other end starts, watches and replaces worker processes on its
 * own machine, so that a candidate that crashes or hangs is found there.
 *
 * The worker speaks first: HELLO. Each runner that is opened sends one JOB, which holds all data,
 * and gets a REPLY; then each REQUEST gets a REPLY, BYTES in front of it where it was for an output.
 * HED_TASK_COMPILE alone is answered later, by BUILT. ALIVE comes every second, whatever else is
 * done. Both ends must be of one build. */
#ifndef HED_TUNE_REMOTE_H
#define HED_TUNE_REMOTE_H

#include "heddle/remote.h"
#include "tune/worker.h"

#define HED_FRAME_MAGIC 0x57444548u /* "HEDW" */

typedef enum hed_frame_kind {
    HED_FRAME_HELLO = 1,
    HED_FRAME_JOB,     /* hed_frame_job, then a job (worker_job.c) */
    HED_FRAME_REQUEST, /* hed_worker_request */
    HED_FRAME_REPLY,   /* hed_worker_reply; to a JOB: `count` is the number of builders */
    HED_FRAME_BUILT,   /* likewise, to HED_TASK_COMPILE */
    HED_FRAME_BYTES,
    HED_FRAME_ALIVE,
    HED_FRAME_COUNT
} hed_frame_kind;

typedef struct hed_frame {
    uint32_t magic, kind;
    uint64_t size; /* of what follows */
} hed_frame;

/* In front of a job: what a runner's definition has beside it. Its size keeps the job aligned. */
typedef struct hed_frame_job {
    uint64_t version;
    double timeout_seconds, compile_seconds;
    uint32_t number, builders; /* `number` comes back in the reply */
    char zeros[32];
} hed_frame_job;

enum { HED_HELLO_MOST = 1 << 16 };

/* What a HELLO says. Texts point into its bytes. */
typedef struct hed_hello {
    hed_device_info info; /* `id` is the other machine's */
    const char *machine, *build_key;
} hed_hello;

void hed_hello_put(hed_text *to, const hed_hello *hello);
/* Believes nothing. Errors: FORMAT. */
hed_status hed_hello_read(const void *bytes, size_t size, hed_hello *hello, hed_error *error);

/* Whether a device is one of hed_device_create_remote(). */
bool hed_device_is_remote(const hed_device *device);
/* Whether its worker can be started again: it is behind a command. */
bool hed_device_can_restart(const hed_device *device);
/* Ends the command of def->device and starts it again, where its worker is no more. Errors: LOST (it
 * does not come, or is another device now), IO. */
hed_status hed_device_restart(const hed_runner_def *def, hed_error *error);
/* The runner on such a device; one at a time. Errors: LOST, MEMORY, IO, and what the other end
 * says. */
hed_status hed_runner_create_remote(
    const hed_runner_def *def, hed_runner **runner, hed_error *error);

/* What the installed heddle-worker runs where it is given no descriptor: serves one leader over two
 * descriptors until the first is closed. `device`: of hed_device_find(), NULL for the best that
 * compiles; `turn`: so many devices of that kind further. Exported for that program alone. */
HED_API int hed_remote_serve(int in, int out, const char *device, uint32_t turn, hed_error *error);

#endif
