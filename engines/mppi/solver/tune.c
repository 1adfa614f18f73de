/* Finding the fastest way to sample on a device, by measurement: a pipeline of the tuner
 * (heddle/tune.h). */
#include <string.h>

#include "model/controller.h"

const hed_kernel_def *hed_mppi_tune_description(void)
{
    static const hed_kernel_def description = {
        .name = "mppi", .summary = "the solver of a controller"};
    return &description;
}

hed_status hed_mppi_tune(hed_device *device, const hed_mppi_def *def, const hed_tune_def *tune,
    hed_tune_result **result, hed_error *error)
{
    if (hed_failed(error)) return error->status;
    *result = NULL;
    (void)tune;
    if (strcmp(hed_device_describe(device)->backend, "host") == 0)
        return hed_fail(error, HED_ERROR_UNSUPPORTED,
            "mppi: host has one solver, threads of the processor: there is nothing to choose");
    if (def->math == HED_MATH_STRICT)
        return hed_fail(error, HED_ERROR_UNSUPPORTED,
            "mppi: strict mode has one order of sums: there is nothing to choose");
    return hed_fail(error, HED_ERROR_UNSUPPORTED,
        "mppi: device %s has one choice for this definition", hed_device_describe(device)->id);
}
