/** @file heddle.h
 *  The usual headers of a program: contexts, devices, buffers, streams, kernels and launches.
 *  Tuning is heddle/tuning.h, real time heddle/realtime.h; engines have headers of their own.
 *
 *  A context owns the devices; a device owns buffers, streams and kernels; a stream runs launches.
 *  In short: @code hed_open(&on, &error); hed_kernel_create(on.device, &def, NULL, &kernel,
 *  &error); hed_launch(on.stream, kernel, &problem, HED_ARGS(x, y, 2.0f), &error);
 *  hed_stream_wait(on.stream, &error); hed_close(&on); @endcode */
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

/** A context with its default device and a stream, the start of most programs. Initialise it to
 *  zeros. */
typedef struct hed_session {
    hed_context *context;
    hed_device *device;
    hed_stream *stream;
    const char *name; /**< name of the device */
} hed_session;

/** Opens a session with every default.
 *  Thread class: any. Errors: as hed_context_create(), hed_device_find() and
 *  hed_stream_create(). */
static inline hed_status hed_open(hed_session *session, hed_error *error)
{
    const bool given = session != NULL;
    hed_status status = hed_require(error, "hed_open", "session", &given, 1);
    if (!status) status = hed_context_create(NULL, &session->context, error);
    if (!status) status = hed_device_find(session->context, NULL, &session->device, error);
    if (!status) status = hed_stream_create(session->device, NULL, &session->stream, error);
    if (!status) session->name = hed_device_describe(session->device).name;
    return status;
}

/** Closes a session, after the objects made on it were destroyed. Thread class: owner. */
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
