/** @file remote.h
 *  A device of another machine, or of another program: the device of a heddle-worker that a command
 *  starts, such as "ssh node7 heddle-worker". hed_tune_kernel() tunes kernels on it, under the key
 *  that the device has on its own machine; no other work runs on it. A worker's messages are
 *  treated as untrusted, as those of candidates are. */
#ifndef HEDDLE_REMOTE_H
#define HEDDLE_REMOTE_H

#include "heddle/device.h"

HED_BEGIN

/** Connection to a worker. Start from {0}. */
typedef struct hed_remote_def {
    /** run by /bin/sh; its standard input and output are the connection, and its standard error is
     *  kept for messages. NULL: `descriptor` */
    const char *command;
    /** a socket to a running heddle-worker, such as one of heddle-mpi; the device owns it, and it
     *  is closed if the device cannot be created */
    int descriptor;
    /** a worker without a message for this long is lost, s; workers send a sign of life every
     *  second. 0: 30. A worker that sends only signs of life for four times as long is lost too */
    double patience_seconds;
    /** called about ten times a second while waiting for the device; true ends the wait. NULL:
     *  never */
    bool (*idle)(void *user);
    void *user;
} hed_remote_def;

/** Starts the command and waits until its worker has described its device, whose id becomes
 *  "MACHINE:ID". Destroy the device with hed_device_release(), which ends the command.
 *  Thread class: any. Errors: LOST (the command ends, is silent, sends something else, or only
 *  signs of life; or idle() returned true; the text has its last message), IO, MEMORY. */
HED_API hed_status hed_device_create_remote(
    hed_context *context, const hed_remote_def *def, hed_device **device, hed_error *error);

HED_END

#endif
