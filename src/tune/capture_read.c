/* Captures: not there yet. */
#include "tune/capture.h"

#include "base/error.h"

hed_status hed_capture_launch(hed_stream *stream, hed_kernel *kernel, const hed_problem *problem, const hed_argument *arguments,
                              uint32_t argument_count, const char *path, hed_error *error)
{
    (void)stream;
    (void)kernel;
    (void)problem;
    (void)arguments;
    (void)argument_count;
    (void)path;
    return hed_fail(error, HED_ERROR_UNSUPPORTED, "captures are not there yet");
}

void hed_capture_first(hed_stream *stream, hed_kernel *kernel, const hed_problem *problem, const hed_argument *arguments,
                       uint32_t argument_count)
{
    (void)stream;
    (void)kernel;
    (void)problem;
    (void)arguments;
    (void)argument_count;
}

hed_status hed_capture_open(hed_context *context, const char *path, hed_capture **capture, hed_error *error)
{
    (void)context;
    (void)path;
    *capture = NULL;
    return hed_fail(error, HED_ERROR_UNSUPPORTED, "captures are not there yet");
}

void hed_capture_close(hed_capture *capture) { (void)capture; }

const hed_kernel_def *hed_capture_kernel(const hed_capture *capture)
{
    (void)capture;
    return NULL;
}

const hed_problem *hed_capture_problem(const hed_capture *capture)
{
    (void)capture;
    return NULL;
}

const hed_tune_argument *hed_capture_arguments(const hed_capture *capture)
{
    (void)capture;
    return NULL;
}

hed_math hed_capture_math(const hed_capture *capture)
{
    (void)capture;
    return HED_MATH_FAST;
}
