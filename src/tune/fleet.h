/* The runner over several devices of one kind: each candidate runs on one of them, alone; the final
 * rounds on all. A thread for each device drives a runner of its own (a worker process, or one on
 * another machine); the tuning sees one runner (heddle/runner.h), of which "compiled ahead" means
 * measured as well. */
#ifndef HED_TUNE_FLEET_H
#define HED_TUNE_FLEET_H

#include "tune/runner.h"

/* What a fleet does with a device, in the device's thread. */
typedef struct hed_fleet_kind {
    hed_status (*open)(const hed_runner_def *def, hed_runner **runner, hed_error *error);
    /* Whether one that is lost may be started again, and that, before its runner is opened anew. Errors:
     * as hed_device_create_remote(). */
    bool (*can_restart)(const hed_device *device);
    hed_status (*restart)(const hed_runner_def *def, hed_error *error);
} hed_fleet_kind;

/* Opens a runner for each of `devices` (count), which must not be more than HED_TUNE_DEVICES. Errors:
 * those of `open`, where no device can be opened; MEMORY. Devices that cannot be opened while another
 * can are lost from the start. One that is lost later is started again, twice at most. */
hed_status hed_fleet_create(const hed_runner_def *def, hed_device *const *devices, uint32_t count,
    const hed_fleet_kind *kind, hed_runner **runner, hed_error *error);
/* How each device stands; `slot`: whose times in the final rounds are wanted, HED_RUNNER_SLOTS for
 * none. Gives their number. */
uint32_t hed_fleet_look(hed_runner *runner, uint32_t slot, hed_tune_on *devices);

#endif
