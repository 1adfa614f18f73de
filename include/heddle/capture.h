/** @file capture.h
 *  Captures: files of one launch with the kernel's description and text, its problem, its inputs
 *  and outputs, and the geometry of each valid configuration. `heddle tune --capture FILE` tunes
 *  and verifies it, on another machine too. docs/capture.md describes the file.
 *
 *  HEDDLE_CAPTURE=kernel-name, or hed_context_def.capture, writes NAME.hcap into the current folder
 *  at that kernel's first hed_launch() in a context, with a message in the log.
 *
 *  A capture contains kernel text that tuning compiles and runs: open only captures that you trust
 *  as much as a program. */
#ifndef HEDDLE_CAPTURE_H
#define HEDDLE_CAPTURE_H

#include "heddle/tune.h"

HED_BEGIN

/** Captures a launch, then launches as hed_launch() does. Waits for the stream before. The outputs
 *  are found by a launch over copies of the written buffers, which takes that much device memory
 *  for a moment; inputs are written to the file in pieces. The file appears whole or not at all;
 *  after a failure, nothing was launched.
 *  Thread class: owner of stream and kernel. Errors: those of hed_launch(), IO, MEMORY,
 *  DEVICE_MEMORY, ARGUMENT (a stream that records), LIMIT (a description larger than
 *  docs/capture.md allows; a space too large for hed_space_create_for_kernel()), UNSUPPORTED (no
 *  kernel text, as for native C alone; a written buffer overlaps another argument). */
HED_API hed_status hed_capture_launch(hed_stream *stream, hed_kernel *kernel,
    const hed_problem *problem, const hed_argument *arguments, uint32_t argument_count,
    const char *path, hed_error *error);

typedef struct hed_capture hed_capture;

/** Opens a capture and checks all of it. Buffers stay in the file, which is mapped.
 *  Thread class: any. Errors: IO, FORMAT (has the byte, the value found there and the value
 *  expected), MEMORY. */
HED_API hed_status hed_capture_open(
    hed_context *context, const char *path, hed_capture **capture, hed_error *error);
/** Closes a capture. NULL is allowed. Thread class: owner. */
HED_API void hed_capture_close(hed_capture *capture);

/** Content and origin of a capture. Texts live as long as the capture. */
typedef struct hed_capture_info {
    /** the kernel, for hed_tune_kernel(). Its valid() and geometry() read the capture, so only the
     *  captured problem and the configurations that were valid on the capturing device are known.
     *  It has no native version; defines of the kernel's options are among its own */
    const hed_kernel_def *kernel;
    const hed_problem *problem;
    /** one for each argument of the description, for hed_tune_def.arguments; with `checked` they
     *  include the right outputs */
    const hed_tune_argument *arguments;
    hed_math math;       /**< math mode of the launch */
    const char *version; /**< Heddle's version */
    const char *device;  /**< id, as "cuda:0" */
    const char *name;    /**< name of the device, as "NVIDIA H200" */
    const char *driver;
    hed_config config;            /**< configuration of the launch */
    hed_config_origin configured; /**< origin of that configuration */
    /** right outputs are included: the configuration was trustworthy, instead of one taken over
     *  from another size or device and never checked there */
    bool checked;
    /** number of configurations in the file, those that were valid there */
    uint64_t configurations;
} hed_capture_info;
/** Returns the content and origin of a capture. Thread class: any. */
HED_API hed_capture_info hed_capture_describe(const hed_capture *capture);

HED_END

#endif
