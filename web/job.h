/* Description of a kernel and its candidates for a page, as JSON. */
#ifndef HED_WEB_JOB_H
#define HED_WEB_JOB_H

#include <jansson.h>

#include "heddle/runner.h"
#include "support/wgsl.h"

/* Finds the argument of a name; kernel->argument_count: not found. */
uint32_t hed_job_argument(const hed_kernel_def *kernel, const char *name);
/* Describes the bindings and their contents: contents as numbers of arguments, uniforms as bytes.
 * NULL: out of memory. */
json_t *hed_job_bindings(const hed_runner_def *def, const hed_wgsl *shader);
/* Returns the text in pieces: text, and between two of them a size of the group that a candidate
 * determines, {"factors", "suffix", "text"}. NULL: out of memory. */
json_t *hed_job_code(const hed_runner_def *def, const hed_wgsl *shader);
/* Describes a candidate: its key, overrides, groups of a launch, uniforms of its own, and the number of samples
 * requested. */
json_t *hed_job_candidate(
    const hed_runner_def *def, const hed_wgsl *shader, const hed_config *config, uint32_t samples);

#endif
