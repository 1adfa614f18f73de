/* One kernel, one problem: what the native version wrote, and whether somebody else wrote the
 * same. */
#ifndef HED_CLI_CONFORMANCE_COMPARE_H
#define HED_CLI_CONFORMANCE_COMPARE_H

#include "cli/verify/conformance.h"
#include "cli/common/sample.h"

/* Everything that a run left behind: each buffer's bytes with its guard. */
typedef struct hed_outcome {
    /* (sample's bytes + HED_GUARD_BYTES), NULL for what is no buffer */
    unsigned char *data[HED_MAX_ARGUMENTS];
} hed_outcome;

enum { HED_GUARD_BYTES = 256 };

/* Runs the kernel once over freshly placed and poisoned buffers and reads all of them back. */
hed_status hed_outcome_run(const hed_sample *sample, hed_stream *stream, hed_kernel *kernel,
    unsigned char poison, hed_outcome *outcome, hed_error *error);
void hed_outcome_free(hed_outcome *outcome);

/* What the native version gives: its outcome over two poisons. An element that is the same in both
 * was written. */
typedef struct hed_expected {
    hed_outcome first, second;
} hed_expected;

enum { HED_POISON_FIRST = 0x5a, HED_POISON_SECOND = 0xa5, HED_POISON_DEVICE = 0xa5 };

/* Fills verdict, written, hash, error and text of `run` from what was found over
 * HED_POISON_DEVICE. */
void hed_outcome_compare(const hed_sample *sample, const hed_expected *expected,
    const hed_outcome *found, hed_conformance_run *run);

#endif
