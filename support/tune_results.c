/* Writing what a tuning gave. */
#include "support/tune_results.h"

#include "support/errors.h"

hed_status hed_tune_results_write_t4(const char *path, const hed_kernel_def *kernel, const hed_tune_result *result, hed_error *error)
{
    (void)kernel;
    (void)result;
    return hed_error_set(error, HED_ERROR_UNSUPPORTED, "%s: not there yet", path);
}

hed_status hed_tune_results_write_csv(const char *path, const hed_kernel_def *kernel, const hed_tune_result *result, hed_error *error)
{
    (void)kernel;
    (void)result;
    return hed_error_set(error, HED_ERROR_UNSUPPORTED, "%s: not there yet", path);
}
