/* What a page needs to know of a kernel and its candidates, as JSON. */
#ifndef HED_WEB_JOB_H
#define HED_WEB_JOB_H

#include <jansson.h>

#include "heddle/runner.h"
#include "support/wgsl.h"

/* The argument of a name; kernel->argument_count: there is none. */
uint32_t hed_job_argument(const hed_kernel_def *kernel, const char *name);
/* The bindings with what they hold: contents as numbers of arguments, uniforms as bytes. NULL: no
 * memory. */
json_t *hed_job_bindings(const hed_runner_def *def, const hed_wgsl *shader);
/* A candidate: its key, overrides, groups of a launch, and how many samples are wanted. */
json_t *hed_job_candidate(const hed_runner_def *def, const hed_config *config, uint32_t samples);

#endif
