/** @file remote.h
 *  A device of another machine, or behind another program: one that a heddle-worker at the end of a
 *  command tells of, such as "ssh node7 heddle-worker". Kernels are tuned on it, by
 *  hed_tune_kernel(), under the key that the device has on its own machine; nothing else can be run
 *  on it. What a worker says is believed as little as what a candidate does.
 */
#ifndef HEDDLE_REMOTE_H
#define HEDDLE_REMOTE_H

#include "heddle/device.h"

HED_BEGIN

/** Where a worker is. Start from {0}. */
typedef struct hed_remote_def {
    /** run by /bin/sh; its standard input and output are the connection, and its standard error is
     *  kept for messages. NULL: `descriptor` */
    const char *command;
    /** a socket to a heddle-worker that was started already, such as by heddle-mpi; the device takes
     *  it over, and closes it where it cannot be made */
    int descriptor;
    /** a worker that says nothing for so long is lost; they say that they are alive every second.
     *  0: 30. One that says so, and does not tell its device within four times that, is lost, too */
    double patience_seconds;
    /** called about ten times a second while the device is waited for; true gives up. NULL: never */
    bool (*idle)(void *user);
    void *user;
} hed_remote_def;

/** Starts the command and waits until its worker has told its device, whose id becomes
 *  "MACHINE:ID". Destroy it with hed_device_release(), which ends the command. Thread class: any.
 *  Errors: LOST (the command ends, says nothing, what is no worker's, or nothing but that it is
 *  alive; or idle() gave up; the text has the last that it said), IO, MEMORY. */
HED_API hed_status hed_device_create_remote(
    hed_context *context, const hed_remote_def *def, hed_device **device, hed_error *error);

HED_END

#endif
