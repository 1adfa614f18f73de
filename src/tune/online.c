/* Online tuning: not there yet. */
#include "heddle/online.h"

#include "base/error.h"

hed_online_def hed_default_online_def(void) { return (hed_online_def){0}; }

hed_status hed_online_create(hed_kernel *kernel, const hed_online_def *def, hed_online **online, hed_error *error)
{
    (void)kernel;
    (void)def;
    *online = NULL;
    return hed_fail(error, HED_ERROR_UNSUPPORTED, "online tuning is not there yet");
}

void hed_online_destroy(hed_online *online) { (void)online; }

hed_status hed_online_launch(hed_online *online, hed_stream *stream, const hed_problem *problem, const hed_argument *arguments,
                             uint32_t argument_count, hed_error *error)
{
    (void)online;
    (void)stream;
    (void)problem;
    (void)arguments;
    (void)argument_count;
    return hed_fail(error, HED_ERROR_UNSUPPORTED, "online tuning is not there yet");
}

hed_online_report hed_online_read(const hed_online *online)
{
    (void)online;
    return (hed_online_report){0};
}
