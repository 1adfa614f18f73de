/* Whether a kernel's results are the expected ones. */
#ifndef HED_TUNE_CHECK_H
#define HED_TUNE_CHECK_H

#include "heddle/kernel.h"
#include "heddle/launch.h"

/* What the comparisons so far have found. Start from {0}. */
typedef struct hed_check {
    double error;  /* largest |found - expected| / max(1, |expected|) */
    bool compared; /* there was something to compare */
    bool wrong;
    char text[192]; /* the first thing that was wrong */
} hed_check;

/* Bytes of an element; 1 where there is no element type. */
uint32_t hed_check_element_bytes(hed_type type);
/* Compares `bytes` bytes of an output, which begin at byte `at` of the argument (a multiple of 8).
 * Tolerance 0: equal bits. A NaN equals any NaN, and nothing else. */
void hed_check_output(hed_check *check, const hed_argument_def *argument, uint64_t at,
    const void *found, const void *expected, uint64_t bytes, double tolerance);
/* hed_check_output() for an output of which the reference does not write all: elements whose bit is
 * set in `unwritten` (of the whole argument, nullable) must still hold `pattern`. */
void hed_check_partial(hed_check *check, const hed_argument_def *argument, uint64_t at,
    const void *found, const void *expected, const uint8_t *unwritten, unsigned char pattern,
    uint64_t bytes, double tolerance);
/* Marks the elements that a kernel does not write, which it has left as pattern 0 and pattern 1
 * (hed_runner_pattern()): sets their bits in `mask`, which begins as zeros. Returns their number. */
uint64_t hed_check_unwritten(
    hed_type type, const void *first, const void *second, uint64_t bytes, uint8_t *mask);
/* Removes the elements whose bit is set in `mask` (nullable). Returns the bytes that remain. */
uint64_t hed_check_drop_marked(hed_type type, void *data, uint64_t bytes, const uint8_t *mask);
/* Removes the elements that hold `pattern`. Returns the bytes that remain. */
uint64_t hed_check_drop_pattern(hed_type type, void *data, uint64_t bytes, unsigned char pattern);
/* Bytes of written buffer `argument`, of `bytes` in all, that a launch laid out so fills with
 * results. */
uint64_t hed_check_result_bytes(const hed_geometry *geometry, uint32_t argument, uint64_t bytes);
/* Compares a whole output as the argument's `compare` says (a sum, or sorted); both may have any
 * number of elements, and both are sorted in place. */
void hed_check_reduced(hed_check *check, const hed_argument_def *argument, void *found,
    uint64_t found_bytes, void *expected, uint64_t expected_bytes, double tolerance);
/* Compares a piece of an input with what was written there. */
void hed_check_input(hed_check *check, const hed_argument_def *argument, uint64_t at,
    const void *found, const void *expected, uint64_t bytes);
/* Whether the bytes in front of a buffer, or behind it, are all still `poison`. */
void hed_check_guard(hed_check *check, const hed_argument_def *argument, bool before,
    const unsigned char *found, uint64_t bytes, unsigned char poison);

/* Copies of the buffers that a launch writes, so that it can be repeated without a visible
 * effect. */

/* What a buffer that is only written is filled with: as a float or a double so large that no
 * tolerance takes it for a result. */
enum { HED_SCRATCH_POISON = 0x7f };

/* (argument_count) buffers, NULL for arguments that are not copied. Start from {0}. */
typedef struct hed_scratch {
    hed_buffer *buffers[HED_MAX_ARGUMENTS];
} hed_scratch;

typedef enum hed_scratch_kind {
    HED_SCRATCH_WRITTEN, /* every buffer that the kernel writes, workspaces among them */
    HED_SCRATCH_IN_PLACE /* those alone that it reads, too */
} hed_scratch_kind;

/* Whether arguments are of the description's kinds, with buffers of the device: what the rest here
 * relies on. */
hed_status hed_scratch_check(const hed_kernel_def *def, hed_device *device,
    const hed_argument *arguments, uint32_t count, hed_error *error);
/* Whether a launch's result is in it: not so for a workspace, which is the kernel's own affair. */
bool hed_scratch_is_output(const hed_argument_def *argument);
/* The first written buffer that shares memory with another argument; UINT32_MAX if there is none.
 * Over copies the kernel would do something else. */
uint32_t hed_scratch_overlap(const hed_kernel_def *def, const hed_argument *arguments);
/* Bytes of each copy, 0 where there is none: (HED_MAX_ARGUMENTS) into `sizes`. Gives their sum. */
uint64_t hed_scratch_sizes(const hed_kernel_def *def, const hed_argument *arguments,
    hed_scratch_kind kind, uint64_t *sizes);
/* Makes the copies' memory; what has the right size already is kept. After a failure some may be
 * there. */
hed_status hed_scratch_reserve(
    hed_scratch *scratch, hed_device *device, const uint64_t *sizes, hed_error *error);
/* Whether hed_scratch_reserve() has nothing to do. */
bool hed_scratch_fits(const hed_scratch *scratch, const uint64_t *sizes);
void hed_scratch_free(hed_scratch *scratch);
/* The arguments with copies in place of the buffers that have one: (def->argument_count) into
 * `replaced`. */
void hed_scratch_replace(const hed_scratch *scratch, const hed_kernel_def *def,
    const hed_argument *arguments, hed_argument *replaced);
/* Steps that give each copy its first content: `from`'s where the kernel reads it, poison
 * elsewhere. */
hed_status hed_scratch_fill(const hed_scratch *scratch, hed_stream *stream,
    const hed_kernel_def *def, const hed_argument *from, hed_error *error);

#endif
