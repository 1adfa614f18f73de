/* One worker process as its parent sees it: started, spoken to, and brought to its end, whatever it
 * does. */
#ifndef HED_TUNE_WORKER_PROCESS_H
#define HED_TUNE_WORKER_PROCESS_H

#include <poll.h>
#include <sys/types.h>

#include "tune/worker_protocol.h"

typedef struct hed_worker_process {
    pid_t pid;       /* 0: none */
    int socket;      /* -1 where there is none */
    int output;      /* what it writes to its standard output and error; -1: it has closed both */
    uint32_t life;   /* how often it was started */
    uint32_t number; /* of the last request */
    bool busy;       /* a reply is on its way */
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

#endif
