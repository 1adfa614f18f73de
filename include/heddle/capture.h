/** @file capture.h
 *  Captures: one launch with everything it needs, in a file: the kernel's description and text, its
 *  problem, its inputs, what it wrote, and the geometry of each valid configuration. `heddle tune
 *  --capture FILE` tunes it and verifies it, on another machine too. docs/capture.md describes the
 *  file.
 *
 *  HEDDLE_CAPTURE=kernel-name, or hed_context_def.capture, writes NAME.hcap into the current folder
 *  at that kernel's first hed_launch() in a context, and says so in the log.
 *
 *  A capture holds kernel text that tuning compiles and runs: open only those that you trust as
 *  much as a program.
 */
#ifndef HEDDLE_CAPTURE_H
#define HEDDLE_CAPTURE_H

#include "heddle/tune.h"

HED_BEGIN

/** Captures a launch, then launches as hed_launch() does. Waits for the stream before. What the
 *  kernel writes is determined by a launch over copies of the buffers that it writes, which takes
 *  that much device memory for a moment; inputs go to the file in pieces. The file is there whole,
 *  or not at all. Where it fails, nothing was launched. Thread class: owner of stream and kernel.
 *  Errors: those of hed_launch(), IO, MEMORY, DEVICE_MEMORY, ARGUMENT (a stream that records),
 *  LIMIT (a description larger than docs/capture.md allows; a space too large for
 *  hed_space_create_for_kernel()), UNSUPPORTED (no kernel text, as a kernel that is native C alone;
 *  a written buffer overlaps another argument). */
HED_API hed_status hed_capture_launch(hed_stream *stream, hed_kernel *kernel,
    const hed_problem *problem, const hed_argument *arguments, uint32_t argument_count,
    const char *path, hed_error *error);

typedef struct hed_capture hed_capture;

/** Reads a capture and checks all of it. Buffers stay in the file, which is mapped. Thread class:
 *  any. Errors: IO, FORMAT (names the byte, what was found there and what was expected), MEMORY. */
HED_API hed_status hed_capture_open(
    hed_context *context, const char *path, hed_capture **capture, hed_error *error);
/** NULL is allowed. Thread class: owner. */
HED_API void hed_capture_close(hed_capture *capture);

/** Where a capture comes from. Texts live as long as the capture. */
typedef struct hed_capture_info {
    /** what hed_tune_kernel() takes. valid() and geometry() look into the capture, so that it knows
     *  the captured problem alone, and the configurations that were valid on the capturing device.
     *  It has no native version; defines of the kernel's options are among its own */
    const hed_kernel_def *kernel;
    const hed_problem *problem;
    /** one for each argument of the description: hed_tune_def.arguments; with `checked` they hold
     *  the right outputs */
    const hed_tune_argument *arguments;
    hed_math math;       /**< of the launch */
    const char *version; /**< of Heddle */
    const char *device;  /**< id, as "cuda:0" */
    const char *name;    /**< the device's, as "NVIDIA H200" */
    const char *driver;
    hed_config config;            /**< in force then */
    hed_config_origin configured; /**< and where it came from */
    /** right outputs are there: the configuration in force was one to trust, not one taken over
     *  from another size or device and never checked here */
    bool checked;
    uint64_t configurations; /**< in the file: those that were valid there */
} hed_capture_info;
/** Thread class: any. */
HED_API hed_capture_info hed_capture_describe(const hed_capture *capture);

HED_END

#endif
