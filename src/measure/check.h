/* Verification of a kernel's results against expected results. */
#ifndef HED_MEASURE_CHECK_H
#define HED_MEASURE_CHECK_H

#include "heddle/kernel.h"
#include "heddle/launch.h"
#include "heddle/runner.h"

/* Findings of all comparisons so far. Start from {0}. */
typedef struct hed_check {
    double error;  /* largest |found - expected| / max(1, |expected|) */
    bool compared; /* true after the first comparison */
    bool wrong;
    char text[192]; /* description of the first wrong value */
} hed_check;

/* Bytes of an element; 1 if the buffer has no element type. */
uint32_t hed_check_element_bytes(hed_type type);
/* Compares `bytes` bytes of an output that begin at byte offset `at` (a multiple of 8) of the
 * argument. Tolerance 0 requires equal bits. A NaN equals any NaN and no number. */
void hed_check_output(hed_check *check, const hed_argument_def *argument, uint64_t at,
    const void *actual, const void *expected, uint64_t bytes, double tolerance);
/* hed_check_output() for an output that the reference determines in part: elements that are marked in
 * `marks` (of the whole argument, nullable) as unwritten must still be equal to `pattern`, and elements
 * marked as unsteady are skipped. */
void hed_check_partial(hed_check *check, const hed_argument_def *argument, uint64_t at,
    const void *actual, const void *expected, const uint8_t *marks, unsigned char pattern,
    uint64_t bytes, double tolerance);
/* Outputs of two runs of a reference. */
typedef struct hed_check_runs {
    const hed_argument_def *argument;
    const void *first, *repeat; /* outputs of run 0 and of run `run` > 0 */
    uint64_t bytes;             /* bytes of each output */
    uint32_t run;
    bool is_filled; /* the outputs contained hed_runner_pattern(run) before */
    double tolerance;
} hed_check_runs;

/* Marks the elements of an output that differ between two runs: unwritten elements keep the patterns,
 * others differ by more than the tolerance. `marks` accumulates over runs 1, 2, ... and begins as
 * zeros; the counts are updated. Returns true if elements became unsteady. */
bool hed_check_mark(
    const hed_check_runs *runs, uint8_t *marks, uint64_t *unwritten, uint64_t *unsteady);
/* Removes the elements that `marks` (nullable) excludes from the comparison. Returns the remaining
 * bytes. */
uint64_t hed_check_drop_marked(hed_type type, void *data, uint64_t bytes, const uint8_t *marks);
/* Removes the elements equal to `pattern`. Returns the remaining bytes. */
uint64_t hed_check_drop_pattern(hed_type type, void *data, uint64_t bytes, unsigned char pattern);
/* Bytes of results in a written buffer of `bytes` bytes, after a launch with this geometry. */
uint64_t hed_check_result_bytes(const hed_geometry *geometry, uint32_t argument, uint64_t bytes);
/* Compares a whole output by the argument's `compare` rule (a sum, or sorted). The two outputs may
 * differ in length; both are sorted in place. */
void hed_check_reduced(hed_check *check, const hed_argument_def *argument, void *actual,
    uint64_t actual_bytes, void *expected, uint64_t expected_bytes, double tolerance);
/* Compares a piece of an input with the bytes that were uploaded. */
void hed_check_input(hed_check *check, const hed_argument_def *argument, uint64_t at,
    const void *actual, const void *expected, uint64_t bytes);
/* Checks that all guard bytes before a buffer, or after it, still equal `poison`. */
void hed_check_guard(hed_check *check, const hed_argument_def *argument, bool before,
    const unsigned char *actual, uint64_t bytes, unsigned char poison);

/* Comparison of large contents on their device (check_device.c). */

typedef struct hed_check_device hed_check_device;

/* Copies the right contents of a runner's arguments to its device. `stream` outlives the result, and
 * belongs to the caller, as the steps of all functions here do. Returns NULL if no content is large, or if
 * the device cannot compare them: then the host does. */
hed_check_device *hed_check_device_create(const hed_runner_def *def, hed_stream *stream);
/* Compares the content of an argument after a run. Returns true if all of it is right, and accumulates its
 * error in `check`; false if it is wrong, or if only the host can decide. `device` may be NULL. */
bool hed_check_device_passes(
    hed_check_device *device, uint32_t index, hed_buffer *content, hed_check *check);
void hed_check_device_destroy(hed_check_device *device);

/* Formats a hash of everything that results of these arguments (def->argument_count) are judged by:
 * rules, tolerances, inputs and expected outputs. Two tunings with one hash agree on each
 * verdict. */
void hed_check_judge(
    const hed_kernel_def *def, const hed_runner_argument *arguments, char judge[33]);

/* Copies of the buffers that a launch writes, so that it can be repeated without a visible
 * effect. */

/* Fill byte of buffers that are only written: as a float or double it is so large that no tolerance
 * accepts it as a result. */
enum { HED_SCRATCH_POISON = 0x7f };

/* (argument_count) buffers, NULL for arguments without a copy. Start from {0}. */
typedef struct hed_scratch {
    hed_buffer *buffers[HED_MAX_ARGUMENTS];
} hed_scratch;

typedef enum hed_scratch_kind {
    HED_SCRATCH_WRITTEN, /* every buffer that the kernel writes, including workspaces */
    HED_SCRATCH_IN_PLACE /* buffers that the kernel both reads and writes */
} hed_scratch_kind;

/* Checks that arguments match the description's kinds and that buffers belong to the device. The
 * functions below rely on it. */
hed_status hed_scratch_check(const hed_kernel_def *def, hed_device *device,
    const hed_argument *arguments, uint32_t count, hed_error *error);
/* True if the argument is an output of the launch; a workspace is not, since its content is
 * internal to the kernel. */
bool hed_scratch_is_output(const hed_argument_def *argument);
/* Index of the first written buffer that shares memory with another argument; UINT32_MAX if no
 * buffers overlap. Over copies such a launch would have other results. */
uint32_t hed_scratch_overlap(const hed_kernel_def *def, const hed_argument *arguments);
/* Writes the size of each copy, 0 for an argument without one, to `sizes` (HED_MAX_ARGUMENTS).
 * Returns their sum. */
uint64_t hed_scratch_sizes(const hed_kernel_def *def, const hed_argument *arguments,
    hed_scratch_kind kind, uint64_t *sizes);
/* Allocates the copies; a copy of the right size is reused. After a failure some copies may
 * exist. */
hed_status hed_scratch_reserve(
    hed_scratch *scratch, hed_device *device, const uint64_t *sizes, hed_error *error);
/* True if hed_scratch_reserve() would allocate nothing. */
bool hed_scratch_fits(const hed_scratch *scratch, const uint64_t *sizes);
void hed_scratch_free(hed_scratch *scratch);
/* Writes the arguments to `replaced` (def->argument_count), each buffer that has a copy replaced by
 * the copy. */
void hed_scratch_replace(const hed_scratch *scratch, const hed_kernel_def *def,
    const hed_argument *arguments, hed_argument *replaced);
/* Enqueues the initial content of each copy: the content of `from` if the kernel reads the buffer,
 * poison otherwise. */
hed_status hed_scratch_fill(const hed_scratch *scratch, hed_stream *stream,
    const hed_kernel_def *def, const hed_argument *from, hed_error *error);

#endif
