/* The runner's two kinds behind one face: see runner.h. */
#include "tune/runner.h"

#include "tune/runner_kind.h"

void hed_runner_destroy(hed_runner *runner)
{
    if (runner) runner->kind->destroy(runner);
}

hed_status hed_runner_build_ahead(hed_runner *runner, const hed_config *config, hed_error *error)
{
    return runner->kind->build_ahead(runner, config, error);
}

bool hed_runner_built(hed_runner *runner, double seconds, hed_config *config, hed_trial *trial)
{
    return runner->kind->built(runner, seconds, config, trial);
}

hed_status hed_runner_prepare(
    hed_runner *runner, uint32_t slot, const hed_config *config, hed_trial *trial, hed_error *error)
{
    return runner->kind->prepare(runner, slot, config, trial, error);
}

hed_status hed_runner_time(hed_runner *runner, uint32_t slot, uint32_t runs, double *values,
    hed_trial *trial, hed_error *error)
{
    return runner->kind->time(runner, slot, runs, values, trial, error);
}

hed_status hed_runner_output(hed_runner *runner, uint32_t slot, uint32_t argument, void *data,
    hed_trial *trial, hed_error *error)
{
    return runner->kind->output(runner, slot, argument, data, trial, error);
}

bool hed_runner_device_time(const hed_runner *runner) { return runner->device_time; }

bool hed_runner_lost(const hed_runner *runner) { return runner->lost; }
