/* The same work as Heddle's, by the driver's own functions and nothing else: what the runtime bench
 * compares with. The functions come from hed_device_symbol(). */
#ifndef HED_BENCHMARKS_RAW_H
#define HED_BENCHMARKS_RAW_H

#include "heddle/realtime.h"
#include "heddle/tuning.h"

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

#endif
