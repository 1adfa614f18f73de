/* Frames over descriptors; remote_frames.h defines their meaning. */
#ifndef HED_WORKERS_REMOTE_STREAM_H
#define HED_WORKERS_REMOTE_STREAM_H

#include "workers/remote_frames.h"

/* Reads exactly `size` bytes from a blocking descriptor. Returns false at the end of the stream or
 * after an error. */
bool hed_stream_read_all(int descriptor, void *bytes, size_t size);
/* Writes all bytes. Waits while the descriptor accepts no data, at most `patience` seconds without
 * progress (0: without limit). Returns false if the other end is closed or the wait times out. */
bool hed_stream_write_all(int descriptor, const void *bytes, size_t size, double patience);
/* Writes one frame. */
bool hed_frame_write(
    int descriptor, hed_frame_kind kind, const void *bytes, size_t size, double patience);

#endif
