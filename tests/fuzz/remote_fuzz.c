/* What a worker at the other end of a stream says, from its first word on, whose version is right:
 * no fuzzer would find it. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/text.h"
#include "workers/remote_device.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static hed_context *context;
    hed_device *device;
    hed_error error = {0};
    int sockets[2];
    uint64_t version = hed_worker_version();
    char *hello = malloc(sizeof version + size);
    hed_context_def nothing = hed_default_context_def();
    nothing.opencl_library = nothing.cuda_library = nothing.nvrtc_library = "none";
    if (!context && hed_context_create(&nothing, &context, &error)) abort();
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) || !hello) abort();
    memcpy(hello, &version, sizeof version);
    if (size) memcpy(hello + sizeof version, data, size);
    /* half of them as a first word, half as a stream of anything */
    if (size && data[0] & 1 && size < 30000)
        hed_frame_write(sockets[1], HED_FRAME_HELLO, hello, sizeof version + size, 1);
    else if (size < 30000) hed_stream_write_all(sockets[1], data, size, 1);
    close(sockets[1]);
    const hed_remote_def def = {.descriptor = sockets[0], .patience_seconds = 1};
    if (!hed_device_create_remote(context, &def, &device, &error)) hed_device_release(device);
    free(hello);
    return 0;
}
