/* Loading a user's kernel. */
#include "support/tune_spec.h"

#include "support/errors.h"

#include <stddef.h>

hed_status hed_tune_spec_load(const char *path, const hed_device_info *device, hed_tune_spec **spec, hed_error *error)
{
    (void)device;
    *spec = NULL;
    return hed_error_set(error, HED_ERROR_UNSUPPORTED, "%s: not there yet", path);
}

const hed_kernel_def *hed_tune_spec_kernel(const hed_tune_spec *spec)
{
    (void)spec;
    return NULL;
}

void hed_tune_spec_apply(const hed_tune_spec *spec, hed_tune_def *def)
{
    (void)spec;
    (void)def;
}

void hed_tune_spec_free(hed_tune_spec *spec)
{
    (void)spec;
}

const char *hed_tune_spec_schema(void)
{
    return "{}\n";
}
