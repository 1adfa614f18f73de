/* What the launcher asks of captures, beside include/heddle/capture.h. */
#ifndef HED_TUNE_CAPTURE_H
#define HED_TUNE_CAPTURE_H

#include "heddle/capture.h"

/* Captures the first launch of a kernel that hed_context_def.capture names: into NAME.hcap in the
 * current folder, and says so in the log. Where that fails the log says why, and the launch goes
 * on. */
void hed_capture_first(hed_stream *stream, hed_kernel *kernel, const hed_problem *problem,
    const hed_argument *arguments, uint32_t argument_count);

#endif
