/* What a tuning's result says in numbers, apart from how a page or a terminal shows it. */
#ifndef HED_TUNEFILE_REPORT_NUMBERS_H
#define HED_TUNEFILE_REPORT_NUMBERS_H

#include "heddle/tune.h"

/* Whether an evaluation has a time: measured, or dropped on the way. */
bool hed_report_has_value(const hed_evaluation *evaluation);
/* An evaluation's value as it would have been at the clock of the winner's (hed_evaluation.drift),
 * so that all can be compared; NAN where it has none. */
double hed_report_value(const hed_tune_result *result, uint32_t index);
/* How many evaluations ended in each way, and the first example of each (its index; result->count:
 * none). */
void hed_report_count(const hed_tune_result *result, uint32_t counts[HED_OUTCOME_COUNT],
    uint32_t examples[HED_OUTCOME_COUNT]);
/* Evaluations that failed in any way. */
uint32_t hed_report_failed(const uint32_t counts[HED_OUTCOME_COUNT]);

/* The best `most` evaluations into `order` (indices): the winner, then what was measured to the
 * end, then what was dropped, each by its value. Gives how many there are. */
uint32_t hed_report_top(const hed_tune_result *result, uint32_t *order, uint32_t most);

/* Place of parameter `parameter`'s value among its values; its count if it is none of them. */
uint32_t hed_report_place(
    const hed_kernel_def *kernel, const hed_config *config, uint32_t parameter);
/* The parameters by their importance, most first, (kernel->parameter_count). */
void hed_report_rank(const hed_kernel_def *kernel, const hed_tune_result *result, uint32_t *order);
/* The two parameters that a heat map shows first: those that make the group's width and height,
 * where the geometry depends on such; else the most important ones. `axes[1]` (or both) is
 * kernel->parameter_count where there is none with two values. */
void hed_report_choose_axes(
    const hed_kernel_def *kernel, const hed_tune_result *result, uint32_t axes[2]);

/* What keeps the kernel from being faster, by the roofline: the side on which its work would take
 * longer. */
typedef enum hed_bound { HED_BOUND_UNKNOWN, HED_BOUND_MEMORY, HED_BOUND_ARITHMETIC } hed_bound;
hed_bound hed_report_bound(const hed_tune_result *result);

/* What results were compared with, in words: "outputs that were given", "the native C version", ...
 * `arguments` (kernel->argument_count), or NULL, are those that it was tuned with. */
const char *hed_report_compared(
    const hed_kernel_def *kernel, const hed_tune_argument *arguments, hed_reference reference);

/* "compared 4,096 of 5,120 elements: 1,024 are not written"; "" where all are compared. */
void hed_report_counted(const hed_tune_result *result, char *text, size_t size);

/* "1.23 ms", "4.1 J", or the caller's metric as a number; "-" for NAN. */
void hed_report_text(hed_objective objective, double value, char *text, size_t size);

#endif
