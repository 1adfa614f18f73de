/* Frames over descriptors: see remote_stream.h. */
#include "workers/remote_stream.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { TICK_MS = 100 };

bool hed_stream_read_all(int descriptor, void *bytes, size_t size)
{
    char *to = bytes;
    while (size) {
        ssize_t got = read(descriptor, to, size);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        to += got;
        size -= (size_t)got;
    }
    return true;
}

bool hed_stream_write_all(int descriptor, const void *bytes, size_t size, double patience)
{
    const char *from = bytes;
    uint64_t moved = hed_now();
    while (size) {
        /* prevents SIGPIPE if the other end of the socket is closed */
        ssize_t count = send(descriptor, from, size, MSG_NOSIGNAL);
        if (count < 0 && errno == ENOTSOCK) count = write(descriptor, from, size);
        if (count > 0) {
            from += count;
            size -= (size_t)count;
            moved = hed_now();
        } else if (count < 0 && errno == EAGAIN) {
            struct pollfd polled = {.fd = descriptor, .events = POLLOUT};
            poll(&polled, 1, TICK_MS);
            if (patience > 0 && (double)(hed_now() - moved) > patience * 1e9) return false;
        } else if (errno != EINTR) {
            return false;
        }
    }
    return true;
}

bool hed_frame_write(
    int descriptor, hed_frame_kind kind, const void *bytes, size_t size, double patience)
{
    const hed_frame frame = {.magic = HED_FRAME_MAGIC, .kind = kind, .size = size};
    return hed_stream_write_all(descriptor, &frame, sizeof frame, patience) &&
           hed_stream_write_all(descriptor, bytes, size, patience);
}
