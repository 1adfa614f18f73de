/* What the files of the launcher share. */
#ifndef HED_LAUNCH_LAUNCH_H
#define HED_LAUNCH_LAUNCH_H

#include "core/objects.h"

/* resolve.c: checks description, device and configuration; a kernel that was not given one gets the description's default
 * where it is valid, else the first valid one. */
hed_status hed_resolve(hed_device *device, const hed_kernel_def *def, const hed_kernel_options *options,
                       hed_config *config, hed_configured *configured, hed_error *error);

/* kernel.c: swaps a finished background build in. OK; NOT_READY: nothing can run yet; else the build's error. */
hed_status hed_kernel_swap(hed_kernel *kernel, hed_error *error);

/* geometry.c: fills in what geometry() left open, rounds the global size up to whole groups, and checks it against the
 * device, the launch bound, and the program where there is one already. */
hed_status hed_geometry_settle(const hed_kernel_def *def, const hed_device *device, const hed_program *program,
                               uint32_t max_threads, hed_geometry *geometry, hed_error *error);

#endif
