/* Spaces: the configurations that constraints allow. */
#include "heddle/space.h"

#include "base/error.h"

hed_status hed_space_create(const hed_space_def *def, hed_space **space, hed_error *error)
{
    (void)def;
    *space = NULL;
    return hed_fail(error, HED_ERROR_UNSUPPORTED, "spaces are not there yet");
}

hed_status hed_space_create_list(const hed_allocator *allocator, const hed_parameter_def *parameters, uint32_t parameter_count,
                                 const int64_t *values, uint64_t count, hed_space **space, hed_error *error)
{
    (void)allocator, (void)parameters, (void)parameter_count, (void)values, (void)count;
    *space = NULL;
    return hed_fail(error, HED_ERROR_UNSUPPORTED, "spaces are not there yet");
}

hed_status hed_space_create_for_kernel(hed_device *device, const hed_kernel_def *def, const hed_problem *problem, hed_math math,
                                       hed_space **space, hed_error *error)
{
    (void)device, (void)def, (void)problem, (void)math;
    *space = NULL;
    return hed_fail(error, HED_ERROR_UNSUPPORTED, "spaces are not there yet");
}

void hed_space_destroy(hed_space *space)
{
    (void)space;
}

uint64_t hed_space_count(const hed_space *space)
{
    (void)space;
    return 0;
}

hed_config hed_space_at(const hed_space *space, uint64_t index)
{
    (void)space, (void)index;
    return (hed_config){0};
}

uint64_t hed_space_find(const hed_space *space, const hed_config *config)
{
    (void)space, (void)config;
    return UINT64_MAX;
}
