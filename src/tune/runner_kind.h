/* What a kind of runner brings. Each kind's struct begins with a hed_runner. */
#ifndef HED_TUNE_RUNNER_KIND_H
#define HED_TUNE_RUNNER_KIND_H

#include "tune/runner.h"

typedef struct hed_runner_kind {
    void (*destroy)(hed_runner *runner);
    hed_status (*build_ahead)(hed_runner *runner, const hed_config *config, hed_error *error);
    bool (*built)(hed_runner *runner, double seconds, hed_config *config, hed_trial *trial);
    hed_status (*prepare)(hed_runner *runner, uint32_t slot, const hed_config *config,
        hed_trial *trial, hed_error *error);
    hed_status (*time)(hed_runner *runner, uint32_t slot, uint32_t runs, double *values,
        hed_trial *trial, hed_error *error);
    hed_status (*output)(hed_runner *runner, uint32_t slot, uint32_t argument, void *data,
        hed_trial *trial, hed_error *error);
} hed_runner_kind;

struct hed_runner {
    const hed_runner_kind *kind;
    bool device_time;
    bool lost; /* the device does not answer any more, or answers every call with an error */
};

#endif
