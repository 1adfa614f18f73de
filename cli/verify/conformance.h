/* Conformance: whether a kernel gives on a device what its native version gives on the host.
 *
 * For each sample problem, configuration and math mode the kernel runs once on the device, into
 * poisoned buffers with a guard behind each. Then
 *   - every element that the native version writes must have been written, and no other one,
 *   - in fast mode each is within the description's tolerance; in strict mode the bits are the same
 *     (NaNs made canonical),
 *     and so is their hash,
 *   - inputs and guards are unchanged.
 * What the native version writes is found by running it twice, over two different poisons.
 */
#ifndef HED_CLI_CONFORMANCE_H
#define HED_CLI_CONFORMANCE_H

#include "heddle/launch.h"

/* Which configurations are run. */
typedef enum hed_coverage {
    HED_COVER_DEFAULT, /* the one that a user gets */
    /* the default, and then each value of each parameter that the device reads in at least one
     * valid configuration */
    HED_COVER_VALUES,
    HED_COVER_ALL /* every valid configuration that the device tells from the others */
} hed_coverage;

typedef enum hed_verdict {
    HED_VERDICT_PASSED,
    /* not valid on this device, by its capabilities, its limits or valid(); `text` says why */
    HED_VERDICT_INVALID,
    HED_VERDICT_FAILED /* `text` says what was found and what was expected */
} hed_verdict;

/* One run. */
typedef struct hed_conformance_run {
    const hed_kernel_def *def;
    const hed_config *config;
    const hed_problem *problem;
    hed_math math;
    hed_verdict verdict;
    uint64_t written; /* elements that the native version writes and the device wrote too */
    uint64_t hash;    /* of everything written, strict mode; 0 in fast mode */
    double error;     /* largest |found - expected| / max(1, |expected|) of any element */
    char text[512];   /* "" if it passed */
} hed_conformance_run;

typedef struct hed_conformance_def {
    hed_device *device;    /* under test */
    hed_device *reference; /* where the native version runs: `host` */
    const hed_kernel_def *kernel;
    hed_coverage coverage;
    uint64_t seed;
    /* called after each run; may be NULL */
    void (*each)(void *user, const hed_conformance_run *run);
    /* asked before each run; may be NULL */
    bool (*stop)(void *user);
    void *user;
} hed_conformance_def;

typedef struct hed_conformance_report {
    uint64_t passed, invalid, failed;
    uint64_t written;
    double error;
    bool stopped;
} hed_conformance_report;

/* Number of runs that there will be, invalid ones included. Errors: ARGUMENT (no sample),
 * MEMORY. */
hed_status hed_conformance_count(const hed_conformance_def *def, uint64_t *count, hed_error *error);
/* Runs them all. A kernel that does not compile or launch, or gives something else, is a failed run
 * and no error. Errors: ARGUMENT, MEMORY, and what running the native version on the reference
 * gave. */
hed_status hed_conformance(
    const hed_conformance_def *def, hed_conformance_report *report, hed_error *error);

#endif
