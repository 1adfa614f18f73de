/* Programs that a device keeps. A driver without binaries preprocesses the whole text before it finds
 * its own compiled code (PoCL: 30 ms), once for each kernel object: kernels of one text use one
 * program. */
#include "backends/opencl/opencl.h"

cl_program hed_opencl_recall(opencl_device *device, hed_hash hash)
{
    cl_program program = NULL;
    pthread_mutex_lock(&device->lock);
    device->searches++;
    for (size_t i = 0; i < MOST_PROGRAMS && !program; i++) {
        opencl_kept_program *entry = &device->programs[i];
        if (!entry->program || entry->hash.a != hash.a || entry->hash.b != hash.b) continue;
        if (device->api->clRetainProgram(entry->program)) break;
        program = entry->program;
        entry->used = device->searches;
    }
    pthread_mutex_unlock(&device->lock);
    return program;
}

void hed_opencl_keep(opencl_device *device, hed_hash hash, cl_program program)
{
    if (device->api->clRetainProgram(program)) return;
    pthread_mutex_lock(&device->lock);
    opencl_kept_program *oldest = &device->programs[0];
    for (size_t i = 0; i < MOST_PROGRAMS; i++)
        if (device->programs[i].used < oldest->used) oldest = &device->programs[i];
    if (oldest->program) device->api->clReleaseProgram(oldest->program);
    *oldest = (opencl_kept_program){hash, program, device->searches};
    pthread_mutex_unlock(&device->lock);
}

void hed_opencl_drop_programs(opencl_device *device)
{
    for (size_t i = 0; i < MOST_PROGRAMS; i++) {
        if (device->programs[i].program) device->api->clReleaseProgram(device->programs[i].program);
        device->programs[i] = (opencl_kept_program){0};
    }
}
