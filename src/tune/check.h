/* Whether a kernel's results are the expected ones. */
#ifndef HED_TUNE_CHECK_H
#define HED_TUNE_CHECK_H

#include "heddle/kernel.h"

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

#endif
