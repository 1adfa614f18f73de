/* Figures of a tuning's result, for any form of display. */
#ifndef HED_TUNEFILE_REPORT_NUMBERS_H
#define HED_TUNEFILE_REPORT_NUMBERS_H

#include "heddle/tune.h"

/* True if an evaluation has a time: it was measured, or dropped during its measurement. */
bool hed_report_has_value(const hed_evaluation *evaluation);
/* Returns an evaluation's value, scaled to the clock at the winner's evaluation
 * (hed_evaluation.drift), so that all values are comparable; NAN if it has no value. */
double hed_report_value(const hed_tune_result *result, uint32_t index);
/* Counts the evaluations with each outcome, and finds the first example of each (its index;
 * result->count: no example). */
void hed_report_count(const hed_tune_result *result, uint32_t counts[HED_OUTCOME_COUNT],
    uint32_t examples[HED_OUTCOME_COUNT]);
/* Counts the failed evaluations. */
uint32_t hed_report_failed(const uint32_t counts[HED_OUTCOME_COUNT]);

/* Writes the best `most` evaluations to `order` (indices): the winner, then the fully measured,
 * then the dropped ones, each sorted by value. Returns their number. */
uint32_t hed_report_top(const hed_tune_result *result, uint32_t *order, uint32_t most);

/* Lists the front of time and accuracy: the winner, then the fastest measured evaluation with at
 * most half of its error, and so on. Writes at most `capacity` indices and returns their number; 1
 * if nothing is more accurate than the winner, 0 if the errors are unknown. */
uint32_t hed_report_front(const hed_tune_result *result, uint32_t *front, uint32_t capacity);

/* Lists the front of time and energy (hed_tune_def.two_objectives): the winner, then the best
 * evaluation of which the other value is at least 2 % lower, the accuracy of NVML's counter, and so
 * on. Writes at most `capacity` indices and returns their number; 0 if the winner has no other
 * value. */
uint32_t hed_report_both(const hed_tune_result *result, uint32_t *front, uint32_t capacity);
/* Counts the evaluations that have both values. */
uint32_t hed_report_both_count(const hed_tune_result *result);

/* Returns a metric of an evaluation, by its time and energy, or NAN. */
double hed_report_metric(const hed_tune_metric *metric, hed_objective objective,
    const hed_tune_result *result, uint32_t index);
/* Returns "time", "energy", the metric's name, or "metric". */
const char *hed_report_objective_name(hed_objective objective, const hed_tune_metric *metric);
/* Returns the word of "1.2 times as fast", or "sparing", "good". */
const char *hed_report_good(hed_objective objective, const hed_tune_metric *metric);
/* Returns the value as the objective has it: a metric that is maximized is the reciprocal of the
 * evaluations'. `metric` NULL: time, energy or a pipeline's metric. */
double hed_report_objective(const hed_tune_metric *metric, double value);

/* Returns the index of parameter `parameter`'s value among its values; their count if the value is
 * not listed. */
uint32_t hed_report_place(
    const hed_kernel_def *kernel, const hed_config *config, uint32_t parameter);
/* Sorts the parameters by their importance, the highest first: `order`
 * (kernel->parameter_count). */
void hed_report_rank(const hed_kernel_def *kernel, const hed_tune_result *result, uint32_t *order);
/* Chooses the two parameters that a heat map shows first: if the geometry depends on parameters,
 * the two that determine the group's width and height; else the most important ones. `axes[1]` (or
 * both) is kernel->parameter_count if no further parameter has two values. */
void hed_report_choose_axes(
    const hed_kernel_def *kernel, const hed_tune_result *result, uint32_t axes[2]);

/* Limit of the kernel's speed by the roofline: the resource for which its work would take
 * longer. */
typedef enum hed_bound { HED_BOUND_UNKNOWN, HED_BOUND_MEMORY, HED_BOUND_ARITHMETIC } hed_bound;
hed_bound hed_report_bound(const hed_tune_result *result);

/* Writes the causes for which the warps wait to `order`, the largest fraction first; causes with a
 * fraction of 0 or an unknown one are skipped. Returns their number. */
uint32_t hed_report_waits(const hed_counters *counters, hed_wait order[HED_WAIT_COUNT]);

typedef enum hed_report_counter {
    HED_REPORT_OCCUPANCY,
    HED_REPORT_TRAFFIC,
    HED_REPORT_MEMORY,
    HED_REPORT_CACHE,
    HED_REPORT_UNITS,
    HED_REPORT_CONFLICTS,
    HED_REPORT_WAITS,
    HED_REPORT_COUNTERS
} hed_report_counter;

/* Hardware counters in words; "": unknown, or the default is the winner. */
typedef struct hed_report_counter_row {
    const char *label;
    char winner[160], standard[160];
} hed_report_counter_row;

/* Describes the known counters of a result; returns the number of rows. */
uint32_t hed_report_counters(
    const hed_tune_result *result, hed_report_counter_row rows[HED_REPORT_COUNTERS]);

/* Describes the reference of the comparison: "outputs that were given", "the native C version", ...
 * `arguments` (kernel->argument_count), or NULL, are the tuning's. */
const char *hed_report_compared(const hed_kernel_def *kernel, const hed_tune_argument *arguments,
    const hed_tune_result *result);

/* Writes "reference: WG=64, since the default does not work: build: ..."; "" if the default is the
 * reference or needs not be. Where the default runs later and counts as wrong, the text says so. */
void hed_report_reference(
    const hed_kernel_def *kernel, const hed_tune_result *result, char *text, size_t size);

/* Writes "compared 4,096 of 5,120 elements: 1,000 are not written, 24 differ from run to run"; ""
 * if all are compared. */
void hed_report_counted(const hed_tune_result *result, char *text, size_t size);

/* Writes "1.23 ms", "4.1 J", a metric with its name, or a pipeline's as a number; "-" for NAN. */
void hed_report_value_text(
    hed_objective objective, const hed_tune_metric *metric, double value, char *text, size_t size);
/* The same without a metric. */
void hed_report_text(hed_objective objective, double value, char *text, size_t size);

#endif
