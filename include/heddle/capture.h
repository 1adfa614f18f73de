/** @file capture.h
 *  Captures: one launch with everything it needs, in a file: the kernel's description and text, its problem, its inputs, what it wrote, and for each valid configuration its geometry. `heddle tune --capture`
 *  tunes and verifies it on another machine. HEDDLE_CAPTURE=kernel-name writes NAME.hcap into the current folder at that kernel's first launch.
 */
#ifndef HEDDLE_CAPTURE_H
#define HEDDLE_CAPTURE_H

#include "heddle/tune.h"

HED_BEGIN

/** Launches as hed_launch() does, waits, and writes the capture. Thread class: owner of stream and kernel.
 *  Errors: those of hed_launch(), IO, UNSUPPORTED (a host kernel: it has no text). */
HED_API hed_status hed_capture_launch(hed_stream *stream, hed_kernel *kernel, const hed_problem *problem, const hed_argument *arguments,
                                      uint32_t argument_count, const char *path, hed_error *error);

typedef struct hed_capture hed_capture;

/** Reads a capture. Thread class: any. Errors: IO, FORMAT (what was found at which byte), MEMORY. */
HED_API hed_status hed_capture_open(hed_context *context, const char *path, hed_capture **capture, hed_error *error);
HED_API void hed_capture_close(hed_capture *capture);
/** A description that hed_tune_kernel() takes, with the captured problem, arguments and expected outputs. They live as long as the capture. Thread class: any. */
HED_API const hed_kernel_def *hed_capture_kernel(const hed_capture *capture);
HED_API const hed_problem *hed_capture_problem(const hed_capture *capture);
HED_API const hed_tune_argument *hed_capture_arguments(const hed_capture *capture);
HED_API hed_math hed_capture_math(const hed_capture *capture);

HED_END

#endif
