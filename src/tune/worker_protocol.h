/* What a worker and its parent say to each other: records of fixed size over a socket that keeps
 * their borders (SOCK_SEQPACKET), one reply to each request. Whoever receives believes nothing:
 * length, version and every number are looked at first.
 *
 * What does not change while a worker lives, the kernel and its data, is in a file in memory that
 * both map: worker_job.h. */
#ifndef HED_TUNE_WORKER_PROTOCOL_H
#define HED_TUNE_WORKER_PROTOCOL_H

#include "tune/runner.h"

/* Descriptors of a worker, counted from the one that hed_worker_serve() is given. */
enum {
    HED_WORKER_SOCKET = 0,
    HED_WORKER_JOB = 1,    /* read only by the worker */
    HED_WORKER_RESULT = 2, /* an output's content, written by the worker */
    HED_WORKER_DESCRIPTORS = 3
};

enum { HED_WORKER_VALUES = 64 }; /* times of one reply at most */

typedef enum hed_worker_task {
    /* open the device, put the inputs there; without it only HED_TASK_COMPILE can be done */
    HED_TASK_OPEN,
    HED_TASK_COMPILE, /* `config` into the compiled-kernel cache */
    HED_TASK_BUILD,   /* `config`, which is laid out as `geometry`, into `slot` */
    HED_TASK_CHECK,   /* the first run of `slot` and its results */
    HED_TASK_TIME,    /* `runs` runs of `slot` */
    HED_TASK_OUTPUT,  /* a run of `slot`, then the content of `argument` */
    HED_TASK_COUNT
} hed_worker_task;

typedef struct hed_worker_request {
    uint64_t version;
    uint32_t number; /* comes back in the reply */
    uint32_t task;   /* hed_worker_task */
    uint32_t slot, runs, argument;
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

#endif
