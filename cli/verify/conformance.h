/* Conformance: comparison of a kernel's results on a device with the results of its native version
 * on the host.
 *
 * For each sample problem, configuration and math mode the kernel runs once on the device, over
 * poisoned buffers followed by a guard. Conditions:
 * - it writes every element that the native version writes, and no other;
 * - in fast mode each element is within the description's tolerance; in strict mode the bits and
 *   their hash are equal (NaNs made canonical);
 * - inputs and guards are unchanged.
 *
 * Running the native version twice, over two different poisons, shows the elements that it
 * writes. */
#ifndef HED_CLI_CONFORMANCE_H
#define HED_CLI_CONFORMANCE_H

#include "heddle/launch.h"

/* Selection of configurations. */
typedef enum hed_coverage {
    HED_COVER_DEFAULT, /* the configuration that a user gets by default */
    /* the default, and each value of each parameter that the device reads in at least one valid
     * configuration, as many of them in one as the modes and problems of each allow */
    HED_COVER_VALUES,
    HED_COVER_ALL /* every valid configuration that differs from the others on the device */
} hed_coverage;

typedef enum hed_verdict {
    HED_VERDICT_PASSED,
    /* invalid on this device, by its capabilities, its limits or valid(); `text` has the reason */
    HED_VERDICT_INVALID,
    HED_VERDICT_FAILED /* `text` has the actual and the expected result */
} hed_verdict;

/* Result of one run. */
typedef struct hed_conformance_run {
    const hed_kernel_def *def;
    const hed_config *config;
    const hed_problem *problem;
    hed_math math;
    hed_verdict verdict;
    uint64_t written; /* elements written by both the native version and the device */
    uint64_t hash;    /* hash of all written elements in strict mode; 0 in fast mode */
    double error;     /* largest |found - expected| / max(1, |expected|) of any element */
    char text[512];   /* "" if it passed */
} hed_conformance_run;

typedef struct hed_conformance_def {
    hed_device *device;    /* device under test */
    hed_device *reference; /* device of the native version: `host` */
    const hed_kernel_def *kernel;
    hed_coverage coverage;
    /* the default configuration runs in both math modes, each other one in one of them by turns, or in
     * the mode that it is valid in: half as much to compile */
    bool modes_in_turn;
    uint64_t seed;
    /* called after each run; may be NULL */
    void (*each)(void *user, const hed_conformance_run *run);
    /* called before each run; true: stop; may be NULL */
    bool (*stop)(void *user);
    void *user;
} hed_conformance_def;

typedef struct hed_conformance_report {
    uint64_t passed, invalid, failed;
    uint64_t written;
    double error;
    bool stopped;
} hed_conformance_report;

/* Counts the runs in both modes, including invalid ones. Errors: ARGUMENT (no sample), MEMORY. */
hed_status hed_conformance_count(const hed_conformance_def *def, uint64_t *count, hed_error *error);
/* Runs all configurations. A kernel that fails to compile or launch, or has wrong results, is a
 * failed run, not an error. Errors: ARGUMENT, MEMORY, and errors of the native version on the
 * reference. */
hed_status hed_conformance(
    const hed_conformance_def *def, hed_conformance_report *report, hed_error *error);

#endif
