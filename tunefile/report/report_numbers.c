/* Figures of a tuning's result. */
#include "tunefile/report/report_numbers.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- outcomes ---- */

bool hed_report_has_value(const hed_evaluation *evaluation)
{
    return (evaluation->outcome == HED_OUTCOME_MEASURED ||
               evaluation->outcome == HED_OUTCOME_DROPPED) &&
           evaluation->seconds > 0;
}

double hed_report_value(const hed_tune_result *result, uint32_t index)
{
    if (index >= result->count || !hed_report_has_value(&result->evaluations[index])) return NAN;
    const hed_evaluation *e = &result->evaluations[index];
    return result->best < result->count
               ? e->seconds * (result->evaluations[result->best].drift / e->drift)
               : e->seconds;
}

void hed_report_count(const hed_tune_result *result, uint32_t counts[HED_OUTCOME_COUNT],
    uint32_t examples[HED_OUTCOME_COUNT])
{
    for (uint32_t i = 0; i < HED_OUTCOME_COUNT; i++) {
        counts[i] = 0;
        examples[i] = result->count;
    }
    for (uint32_t i = 0; i < result->count; i++) {
        hed_outcome outcome = result->evaluations[i].outcome;
        if (counts[outcome]++ == 0) examples[outcome] = i;
    }
}

uint32_t hed_report_failed(const uint32_t counts[HED_OUTCOME_COUNT])
{
    uint32_t failed = 0;
    for (uint32_t i = 0; i < HED_OUTCOME_COUNT; i++)
        if (i != HED_OUTCOME_MEASURED && i != HED_OUTCOME_DROPPED) failed += counts[i];
    return failed;
}

/* ---- the best ---- */

/* True if evaluation `a` comes before `b` in the order of the report. */
static bool is_before(const hed_tune_result *result, uint32_t a, uint32_t b)
{
    const hed_evaluation *x = &result->evaluations[a], *y = &result->evaluations[b];
    if ((a == result->best) != (b == result->best)) return a == result->best;
    if (x->outcome != y->outcome) return x->outcome == HED_OUTCOME_MEASURED;
    return hed_report_value(result, a) < hed_report_value(result, b);
}

uint32_t hed_report_top(const hed_tune_result *result, uint32_t *order, uint32_t most)
{
    uint32_t count = 0;
    for (uint32_t candidate = 0; candidate < result->count; candidate++) {
        if (!hed_report_has_value(&result->evaluations[candidate])) continue;
        uint32_t at = count;
        while (at > 0 && is_before(result, candidate, order[at - 1])) at--;
        if (at == most) continue;
        count -= count == most;
        memmove(order + at + 1, order + at, (count - at) * sizeof *order);
        order[at] = candidate;
        count++;
    }
    return count;
}

/* ---- parameters ---- */

uint32_t hed_report_front(const hed_tune_result *result, uint32_t *front, uint32_t capacity)
{
    uint32_t count = 0, index = result->best;
    while (
        index < result->count && count < capacity && isfinite(result->evaluations[index].error)) {
        double limit = 0.5 * result->evaluations[front[count++] = index].error;
        index = result->count;
        for (uint32_t i = 0; limit > 0 && i < result->count; i++) {
            const hed_evaluation *e = &result->evaluations[i];
            bool is_accurate = e->outcome == HED_OUTCOME_MEASURED && e->error <= limit;
            if (is_accurate && (index == result->count ||
                                   hed_report_value(result, i) < hed_report_value(result, index)))
                index = i;
        }
    }
    return count;
}

uint32_t hed_report_both(const hed_tune_result *result, uint32_t *front, uint32_t capacity)
{
    static const double margin = 0.02;
    uint32_t count = 0, index = result->best;
    while (index < result->count && count < capacity && result->evaluations[index].second > 0) {
        double limit = (1 - margin) * result->evaluations[front[count++] = index].second;
        index = result->count;
        for (uint32_t i = 0; i < result->count; i++) {
            const hed_evaluation *e = &result->evaluations[i];
            bool is_lower = hed_report_has_value(e) && e->second > 0 && e->second <= limit;
            if (is_lower && (index == result->count ||
                                hed_report_value(result, i) < hed_report_value(result, index)))
                index = i;
        }
    }
    return count;
}

uint32_t hed_report_both_count(const hed_tune_result *result)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < result->count; i++) count += result->evaluations[i].second > 0;
    return count;
}

double hed_report_metric(const hed_tune_metric *metric, hed_objective objective,
    const hed_tune_result *result, uint32_t index)
{
    double value = hed_report_value(result, index);
    double second = index < result->count ? result->evaluations[index].second : 0;
    double measured = second > 0 ? second : NAN;
    if (!(value > 0)) return NAN;
    switch (objective) {
    case HED_OBJECTIVE_TIME:
        return metric->value(metric, &result->evaluations[index].config, value, measured);
    case HED_OBJECTIVE_ENERGY:
        return metric->value(metric, &result->evaluations[index].config, measured, value);
    default: return metric->value(metric, &result->evaluations[index].config, measured, NAN);
    }
}

const char *hed_report_objective_name(hed_objective objective, const hed_tune_metric *metric)
{
    static const char *const names[] = {"time", "energy", "metric"};
    return metric ? metric->name : names[objective];
}

const char *hed_report_good(hed_objective objective, const hed_tune_metric *metric)
{
    return metric ? "good" : objective == HED_OBJECTIVE_TIME ? "fast" : "sparing";
}

double hed_report_objective(const hed_tune_metric *metric, double value)
{
    return metric && metric->maximized ? 1 / value : value;
}

uint32_t hed_report_place(
    const hed_kernel_def *kernel, const hed_config *config, uint32_t parameter)
{
    const hed_parameter_def *def = &kernel->parameters[parameter];
    uint32_t place = 0;
    while (place < def->count && def->values[place] != config->values[parameter]) place++;
    return place;
}

void hed_report_rank(const hed_kernel_def *kernel, const hed_tune_result *result, uint32_t *order)
{
    for (uint32_t i = 0; i < kernel->parameter_count; i++) {
        uint32_t at = i;
        for (; at > 0 && result->importance[order[at - 1]] < result->importance[i]; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
}

/* Fraction of the variance of the group's size along `axis` (its logarithm) that one parameter
 * explains by itself: the correlation ratio of a one-way analysis of variance. Only configurations
 * that ran are counted, since geometry() may be undefined for others. */
static double explained(
    const hed_kernel_def *kernel, const hed_tune_result *result, uint32_t axis, uint32_t parameter)
{
    double sums[256] = {0}, sum = 0, squares = 0, between = 0;
    uint32_t counts[256] = {0}, count = 0;
    for (uint32_t i = 0; i < result->count; i++) {
        const hed_evaluation *evaluation = &result->evaluations[i];
        uint32_t place = hed_report_place(kernel, &evaluation->config, parameter);
        if (!hed_report_has_value(evaluation) || place >= 256) continue;
        hed_geometry geometry = {0};
        kernel->geometry(kernel, &evaluation->config, &result->problem, &geometry);
        double size = log2(geometry.group[axis] > 0 ? geometry.group[axis] : 1);
        sums[place] += size;
        counts[place]++;
        sum += size;
        squares += size * size;
        count++;
    }
    double total = count ? squares - sum * sum / count : 0;
    if (total < 1e-9) return 0;
    for (uint32_t i = 0; i < 256; i++)
        if (counts[i]) between += sums[i] * sums[i] / counts[i];
    return (between - sum * sum / count) / total;
}

void hed_report_choose_axes(
    const hed_kernel_def *kernel, const hed_tune_result *result, uint32_t axes[2])
{
    static const double ENOUGH = 0.5;
    uint32_t ranked[HED_MAX_PARAMETERS], absent = kernel->parameter_count;
    hed_report_rank(kernel, result, ranked);
    axes[0] = axes[1] = absent;
    for (uint32_t axis = 0; axis < 2 && kernel->geometry; axis++) {
        double largest = ENOUGH;
        for (uint32_t p = 0; p < absent; p++) {
            double share = p == axes[0] ? 0 : explained(kernel, result, axis, p);
            if (share > largest) {
                largest = share;
                axes[axis] = p;
            }
        }
    }
    for (uint32_t axis = 0; axis < 2; axis++)
        for (uint32_t i = 0; i < absent && axes[axis] == absent; i++)
            if (kernel->parameters[ranked[i]].count > 1 && ranked[i] != axes[1 - axis])
                axes[axis] = ranked[i];
}

/* ---- the roofline (Williams, Waterman, Patterson 2009) ---- */

hed_bound hed_report_bound(const hed_tune_result *result)
{
    double memory = result->bandwidth > 0 ? result->work.bytes / result->bandwidth : 0;
    double arithmetic = result->arithmetic > 0 ? result->work.operations / result->arithmetic : 0;
    return memory <= 0 && arithmetic <= 0 ? HED_BOUND_UNKNOWN
           : memory >= arithmetic         ? HED_BOUND_MEMORY
                                          : HED_BOUND_ARITHMETIC;
}

/* ---- figures as text ---- */

const char *hed_report_compared(
    const hed_kernel_def *kernel, const hed_tune_argument *arguments, const hed_tune_result *result)
{
    static const char *const words[] = {
        [HED_REFERENCE_NATIVE] = "the native C version",
        [HED_REFERENCE_KERNEL] = "another kernel",
        [HED_REFERENCE_DEFAULT] = "the kernel itself in its default configuration",
        [HED_REFERENCE_NONE] = "nothing: results were not checked",
    };
    bool has_arguments = arguments && result->reference != HED_REFERENCE_NONE;
    for (uint32_t i = 0; has_arguments && i < kernel->argument_count; i++)
        has_arguments = kernel->arguments[i].kind != HED_BUFFER ||
                        (kernel->arguments[i].access != HED_WRITE &&
                            kernel->arguments[i].access != HED_READ_WRITE) ||
                        arguments[i].expected;
    if (has_arguments) return "outputs that were given";
    return result->reference_reason[0] ? "the kernel itself in another configuration"
                                       : words[result->reference];
}

/* Writes a whole number with a comma before each three digits: `text` (28 bytes). */
static void print_grouped(uint64_t value, char *text)
{
    char digits[24];
    int count = snprintf(digits, sizeof digits, "%" PRIu64, value), used = 0;
    for (int i = 0; i < count; i++) {
        if (i && (count - i) % 3 == 0) text[used++] = ',';
        text[used++] = digits[i];
    }
    text[used] = 0;
}

void hed_report_counted(const hed_tune_result *result, char *text, size_t size)
{
    char compared[28], elements[28], unwritten[28], unsteady[28];
    text[0] = 0;
    if (!result->unwritten && !result->unsteady) return;
    print_grouped(result->elements - result->unwritten - result->unsteady, compared);
    print_grouped(result->elements, elements);
    print_grouped(result->unwritten, unwritten);
    print_grouped(result->unsteady, unsteady);
    int used = snprintf(text, size, "compared %s of %s elements:", compared, elements);
    if (result->unwritten && used >= 0 && (size_t)used < size)
        used += snprintf(text + used, size - (size_t)used, " %s %s not written%s", unwritten,
            result->unwritten == 1 ? "is" : "are", result->unsteady ? "," : "");
    if (result->unsteady && used >= 0 && (size_t)used < size)
        snprintf(text + used, size - (size_t)used, " %s differ%s from run to run", unsteady,
            result->unsteady == 1 ? "s" : "");
}

void hed_report_reference(
    const hed_kernel_def *kernel, const hed_tune_result *result, char *text, size_t size)
{
    char config[256];
    text[0] = 0;
    if (!result->reference_reason[0]) return;
    hed_config_format(kernel, &result->reference_config, config, sizeof config);
    bool has_run = result->default_index < result->count &&
                   result->evaluations[result->default_index].outcome == HED_OUTCOME_WRONG;
    snprintf(text, size, "reference: %s, since the default %s: %s%s", config,
        has_run ? "did not work at first" : "does not work", result->reference_reason,
        has_run ? "; it ran later, and gives other results than this reference: either may be right" : "");
}

void hed_report_text(hed_objective objective, double value, char *text, size_t size)
{
    static const struct {
        double scale;
        const char *units[2]; /* units of time and of energy */
    } steps[] = {{1e9, {"ns", "nJ"}}, {1e6, {"us", "uJ"}}, {1e3, {"ms", "mJ"}}, {1, {"s", "J"}}};
    if (!isfinite(value)) {
        snprintf(text, size, "-");
    } else if (objective == HED_OBJECTIVE_METRIC) {
        snprintf(text, size, "%.4g", value);
    } else {
        uint32_t step = 0;
        while (step < 3 && fabs(value) * steps[step].scale >= 999.5) step++;
        double scaled = value * steps[step].scale;
        snprintf(text, size, fabs(scaled) >= 999.5 ? "%.0f %s" : "%.3g %s", scaled,
            steps[step].units[objective == HED_OBJECTIVE_ENERGY]);
    }
}

void hed_report_value_text(
    hed_objective objective, const hed_tune_metric *metric, double value, char *text, size_t size)
{
    double quantity = hed_report_objective(metric, value);
    if (metric && isfinite(quantity)) snprintf(text, size, "%.4g %s", quantity, metric->name);
    else hed_report_text(objective, quantity, text, size);
}
