/* Devices of workers elsewhere, their runner, and the other end; worker_protocol.h has the messages. */
#ifndef HED_WORKERS_REMOTE_DEVICE_H
#define HED_WORKERS_REMOTE_DEVICE_H

#include "heddle/remote.h"
#include "workers/worker.h"

/* True for a device made by hed_device_create_remote(). */
bool hed_device_is_remote(const hed_device *device);
/* Tells the remote ones of `devices` (count) how many of them divide the processors of their machine. */
void hed_remote_share(hed_device *const *devices, uint32_t count);
/* True if the device's worker can be started again, because a command starts it. */
bool hed_device_can_restart(const hed_device *device);
/* Restarts the command of def->device, after ending it, if its worker has died. Errors: LOST (the
 * command does not answer, or is another device now), IO. */
hed_status hed_device_restart(const hed_runner_def *def, hed_error *error);
/* Creates the runner of a remote device; one at a time. Errors: LOST, MEMORY, IO, and errors of the
 * remote end. */
hed_status hed_runner_create_remote(
    const hed_runner_def *def, hed_runner **runner, hed_error *error);

/* Main loop of the installed heddle-worker when it has no descriptor: serves one leader over two
 * descriptors until the first is closed. `device`: as in hed_device_find(), NULL for the best
 * device that compiles; `turn`: number of devices of that kind to skip. Exported for that program
 * alone. Errors: FORMAT (an invalid request), MEMORY, and the errors of opening the device. */
HED_API int hed_remote_serve(int in, int out, const char *device, uint32_t turn, hed_error *error);

#endif
