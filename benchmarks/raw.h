/* The same work as Heddle's, by the driver's own functions and nothing else: what the runtime bench
 * compares with. The few types of the drivers that this needs are declared in raw_cuda.c and
 * raw_opencl.c; the functions come from hed_device_symbol(). */
#ifndef HED_CLI_RAW_H
#define HED_CLI_RAW_H

#include "heddle/heddle.h"

typedef enum raw_operation {
    RAW_LAUNCH, /* set arguments, launch the kernel over one group, wait */
    RAW_GRAPH,  /* replay a graph of RAW_GRAPH_NODES such launches, one after another, wait */
    RAW_COPY,   /* copy one buffer to the other, wait */
    RAW_EVENT,  /* record an event, wait for it */
    RAW_CALL,   /* have the driver call a host function, wait */
    RAW_OPERATION_COUNT
} raw_operation;

enum { RAW_GRAPH_NODES = 100, RAW_GROUP = 64 };

/* What to work with; all of it is the caller's. */
typedef struct raw_def {
    hed_device *device;
    hed_stream *stream;
    hed_kernel *kernel; /* takes a buffer and an int */
    hed_buffer *argument;
    int32_t number;
    hed_buffer *from, *to; /* for the copy */
    uint64_t bytes;
} raw_def;

typedef struct raw_driver raw_driver;

/* Fills in what this driver can do; what it cannot, or whose functions are missing, stays without a
 * name. */
hed_status raw_open(const raw_def *def, raw_driver **raw, hed_error *error);
/* What an operation consists of, such as "cuLaunchKernel + cuStreamSynchronize"; NULL: this driver
 * has no such thing. */
const char *raw_name(const raw_driver *raw, raw_operation operation);
hed_status raw_run(raw_driver *raw, raw_operation operation, hed_error *error);
void raw_close(raw_driver *raw);

/* ---- between raw.c and the drivers ---- */

struct raw_driver {
    raw_def def;
    const char *names[RAW_OPERATION_COUNT];
    hed_status (*operations[RAW_OPERATION_COUNT])(raw_driver *raw, hed_error *error);
    void (*close)(raw_driver *raw);
    void *state;
};

hed_status raw_open_cuda(raw_driver *raw, hed_error *error);
hed_status raw_open_opencl(raw_driver *raw, hed_error *error);
void raw_open_host(raw_driver *raw);

#endif
