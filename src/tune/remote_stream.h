/* Frames over descriptors: see remote.h for what they mean. */
#ifndef HED_TUNE_REMOTE_STREAM_H
#define HED_TUNE_REMOTE_STREAM_H

#include "tune/remote.h"

/* Reads exactly `size` bytes of a blocking descriptor. false: it has ended, or an error. */
bool hed_stream_read_all(int descriptor, void *bytes, size_t size);
/* Writes all, waiting where the descriptor takes none, `patience` seconds at most without any
 * progress (0: for ever). false: the other end is gone, or takes nothing. */
bool hed_stream_write_all(int descriptor, const void *bytes, size_t size, double patience);
/* One frame. */
bool hed_frame_write(
    int descriptor, hed_frame_kind kind, const void *bytes, size_t size, double patience);

#endif
