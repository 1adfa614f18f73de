/* The driver underneath: choosing it, and the host's, which is the C library. */
#include "raw.h"

#include "support/errors.h"

#include <stdlib.h>
#include <string.h>

static hed_status copy_on_host(raw_driver *raw, hed_error *error)
{
    (void)error;
    memcpy(hed_buffer_host(raw->def.to), hed_buffer_host(raw->def.from), raw->def.bytes);
    return HED_OK;
}

void raw_open_host(raw_driver *raw)
{
    raw->names[RAW_COPY] = "memcpy";
    raw->operations[RAW_COPY] = copy_on_host;
}

hed_status raw_open(const raw_def *def, raw_driver **result, hed_error *error)
{
    *result = NULL;
    raw_driver *raw = calloc(1, sizeof *raw);
    if (!raw) return hed_error_set(error, HED_ERROR_MEMORY, "out of memory for a benchmark");
    raw->def = *def;
    const char *backend = hed_device_get_info(def->device)->backend;
    hed_status status = HED_OK;
    if (strcmp(backend, "cuda") == 0) status = raw_open_cuda(raw, error);
    else if (strcmp(backend, "opencl") == 0) status = raw_open_opencl(raw, error);
    else raw_open_host(raw);
    if (status != HED_OK) {
        raw_close(raw);
        return status;
    }
    *result = raw;
    return HED_OK;
}

const char *raw_name(const raw_driver *raw, raw_operation operation)
{
    return raw->names[operation];
}

hed_status raw_run(raw_driver *raw, raw_operation operation, hed_error *error)
{
    return raw->operations[operation](raw, error);
}

void raw_close(raw_driver *raw)
{
    if (!raw) return;
    if (raw->close) raw->close(raw);
    free(raw);
}
