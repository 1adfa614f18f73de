/** @file heddle.h
 *  The whole of Heddle's core. Engines have headers of their own.
 *
 *  A context holds the devices; a device holds buffers, streams and kernels; a stream runs
 *  launches. In short: @code hed_context_create(NULL, &context, &error); hed_device_find(context,
 *  NULL, &device, &error); hed_stream_create(device, NULL, &stream, &error);
 *  hed_kernel_create(device, &def, NULL, &kernel, &error); hed_launch(stream, kernel, &problem,
 *  arguments, count, &error); hed_stream_wait(stream, &error); @endcode
 */
#ifndef HEDDLE_HEDDLE_H
#define HEDDLE_HEDDLE_H

#include "heddle/base.h"
#include "heddle/buffer.h"
#include "heddle/cache.h"
#include "heddle/capture.h"
#include "heddle/context.h"
#include "heddle/database.h"
#include "heddle/device.h"
#include "heddle/kernel.h"
#include "heddle/launch.h"
#include "heddle/library.h"
#include "heddle/math.h"
#include "heddle/online.h"
#include "heddle/pack.h"
#include "heddle/resident.h"
#include "heddle/ring.h"
#include "heddle/search.h"
#include "heddle/space.h"
#include "heddle/stats.h"
#include "heddle/stream.h"
#include "heddle/thread.h"
#include "heddle/tree.h"
#include "heddle/tune.h"

#endif
