/* Runner over several devices of one kind: each candidate runs on one of them, alone; the final
 * rounds run on all. One thread per device drives that device's own runner (a worker process, or a
 * runner on another machine). The tuning sees a single runner (heddle/runner.h) whose candidates
 * "compiled ahead" are measured as well. */
#ifndef HED_WORKERS_FLEET_H
#define HED_WORKERS_FLEET_H

#include "measure/race.h"

/* Operations on a device of a fleet, called in the device's thread. */
typedef struct hed_fleet_kind {
    hed_status (*open)(const hed_runner_def *def, hed_runner **runner, hed_error *error);
    /* True if a lost device may be started again; `restart` does so before its runner is reopened.
     * Errors: as hed_device_create_remote(). */
    bool (*can_restart)(const hed_device *device);
    hed_status (*restart)(const hed_runner_def *def, hed_error *error);
} hed_fleet_kind;

/* Opens a runner for each of `devices` (count, at most HED_TUNE_DEVICES). A device that fails to
 * open is lost from the start, as long as another device opens; a device lost later is restarted at
 * most twice. Errors: as `open` if no device opens; MEMORY. */
hed_status hed_fleet_create(const hed_runner_def *def, hed_device *const *devices, uint32_t count,
    const hed_fleet_kind *kind, hed_runner **runner, hed_error *error);
/* Returns the runs that a device made of a prepared candidate. More of them would have to wait for the
 * candidate that the device measures now. */
hed_race_runs hed_fleet_runs(hed_runner *runner, uint32_t slot);
/* Returns the largest relative change of a device's drift since its start. */
double hed_fleet_drift(hed_runner *runner);
/* Reports the state of each device. `slot`: candidate whose times in the final rounds are reported;
 * HED_RUNNER_SLOTS: no times. Returns the number of devices. */
uint32_t hed_fleet_look(hed_runner *runner, uint32_t slot, hed_tune_on *devices);

#endif
