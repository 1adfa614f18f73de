/** @file heddle.h
 *  What most programs need: contexts, devices, buffers, streams, kernels and launches. Tuning is
 *  heddle/tuning.h, real time heddle/realtime.h; engines have headers of their own.
 *
 *  A context holds the devices; a device holds buffers, streams and kernels; a stream runs
 *  launches. In short: @code hed_open(&on, &error); hed_kernel_create(on.device, &def, NULL,
 *  &kernel, &error); hed_launch(on.stream, kernel, &problem, HED_ARGS(x, y, 2.0f), &error);
 *  hed_stream_wait(on.stream, &error); hed_close(&on); @endcode
 */
#ifndef HEDDLE_HEDDLE_H
#define HEDDLE_HEDDLE_H

#include "heddle/author.h"
#include "heddle/base.h"
#include "heddle/buffer.h"
#include "heddle/context.h"
#include "heddle/device.h"
#include "heddle/kernel.h"
#include "heddle/launch.h"
#include "heddle/stream.h"

HED_BEGIN

/** A context with its default device and a stream there: what a program begins with. Starts as
 *  zeros. */
typedef struct hed_session {
    hed_context *context;
    hed_device *device;
    hed_stream *stream;
    const char *name; /**< the device's */
} hed_session;

/** Opens one with every default. Thread class: any. Errors: those of hed_context_create(),
 *  hed_device_find() and hed_stream_create(). */
static inline hed_status hed_open(hed_session *session, hed_error *error)
{
    const bool given = session != NULL;
    hed_status status = hed_require(error, "hed_open", "session", &given, 1);
    if (!status) status = hed_context_create(NULL, &session->context, error);
    if (!status) status = hed_device_find(session->context, NULL, &session->device, error);
    if (!status) status = hed_stream_create(session->device, NULL, &session->stream, error);
    if (!status) session->name = hed_device_describe(session->device)->name;
    return status;
}

/** Closes one; what was made on it must be destroyed before. Thread class: owner. */
static inline void hed_close(hed_session *session)
{
    const hed_session closed = HED_ZERO;
    if (!session) return;
    hed_stream_destroy(session->stream);
    hed_context_destroy(session->context);
    *session = closed;
}

HED_END

#endif
