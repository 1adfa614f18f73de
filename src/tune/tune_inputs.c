/* Arguments of the candidates, from the caller or from the description's sample, and expected outputs
 * of the reference. */
#include "tune/tune_inputs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "measure/check.h"

static uint64_t value_bytes(const hed_argument_def *argument)
{
    switch (argument->type) {
    case HED_BYTES: return argument->size;
    case HED_INT64:
    case HED_UINT64:
    case HED_DOUBLE: return 8;
    default: return 4;
    }
}

/* Allocates an argument's content as zeros. */
static hed_status make_data(hed_tune_inputs *inputs, uint32_t index, hed_error *error)
{
    hed_runner_argument *content = &inputs->arguments[index];
    inputs->data[index] = hed_allocate(&inputs->allocator, content->bytes);
    if (!inputs->data[index])
        return HED_OUT_OF_MEMORY(error, "%llu bytes of \"%s\" of %s",
            (unsigned long long)content->bytes, inputs->kernel->arguments[index].name,
            inputs->kernel->name);
    inputs->data_bytes[index] = content->bytes;
    content->data = inputs->data[index];
    return HED_OK;
}

/* ---- content from the caller ---- */

static hed_status kernel_tuning_take_given(
    hed_tune_inputs *inputs, uint32_t index, const hed_tune_argument *source, hed_error *error)
{
    const hed_argument_def *argument = &inputs->kernel->arguments[index];
    hed_runner_argument *content = &inputs->arguments[index];
    bool needs_data = argument->kind == HED_SCALAR || argument->kind == HED_STRUCT ||
                      (argument->kind == HED_BUFFER &&
                          (argument->access == HED_READ || argument->access == HED_READ_WRITE));
    if (needs_data && !source->data)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "%s: argument %u, \"%s\", has no content to tune with", inputs->kernel->name, index,
            argument->name);
    if (argument->kind == HED_BUFFER && source->bytes == 0)
        return hed_fail(error, HED_ERROR_ARGUMENT, "%s: buffer %u, \"%s\", has 0 bytes",
            inputs->kernel->name, index, argument->name);
    content->data = source->data;
    content->bytes = argument->kind == HED_BUFFER  ? source->bytes
                     : argument->kind == HED_LOCAL ? 0
                                                   : value_bytes(argument);
    if (source->expected && argument->compare == HED_COMPARE_EACH && source->expected_bytes &&
        source->expected_bytes != content->bytes)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "%s: \"%s\" has %llu bytes, and expected_bytes is %llu: compared element by element both are the same (or 0)",
            inputs->kernel->name, argument->name, (unsigned long long)content->bytes,
            (unsigned long long)source->expected_bytes);
    content->expected = hed_scratch_is_output(argument) ? source->expected : NULL;
    content->expected_bytes = source->expected_bytes;
    bool zeros = argument->kind == HED_BUFFER && argument->access == HED_WORKSPACE && !source->data;
    return zeros ? make_data(inputs, index, error) : HED_OK;
}

/* ---- content from the description's sample ---- */

static uint64_t kernel_tuning_sample_bytes(
    const hed_tune_inputs_source *source, const hed_config *config, uint32_t index)
{
    return source->kernel->sample.bytes(source->kernel, config, source->problem, index);
}

/* Size of a buffer that serves all candidates: the largest that any of them needs. */
static uint64_t buffer_bytes(const hed_tune_inputs_source *source, uint32_t index)
{
    if (source->config) return kernel_tuning_sample_bytes(source, source->config, index);
    uint64_t maximum = 0, count = hed_space_count(source->space);
    for (uint64_t i = 0; i < count; i++) {
        hed_config config = hed_space_at(source->space, i);
        uint64_t bytes = kernel_tuning_sample_bytes(source, &config, index);
        maximum = bytes > maximum ? bytes : maximum;
    }
    return maximum;
}

static hed_status make_sample(
    hed_tune_inputs *inputs, uint32_t index, const hed_tune_inputs_source *source, hed_error *error)
{
    const hed_argument_def *argument = &source->kernel->arguments[index];
    hed_runner_argument *content = &inputs->arguments[index];
    if (argument->kind == HED_LOCAL) return HED_OK;
    content->bytes =
        argument->kind == HED_BUFFER ? buffer_bytes(source, index) : value_bytes(argument);
    if (argument->kind == HED_BUFFER && argument->access == HED_WRITE) return HED_OK;
    hed_status status = make_data(inputs, index, error);
    if (status) return status;
    source->kernel->sample.fill(
        source->kernel, source->problem, index, inputs->data[index], content->bytes, source->seed);
    return HED_OK;
}

hed_status hed_tune_inputs_create(hed_tune_inputs *inputs, const hed_allocator *allocator,
    const hed_tune_inputs_source *source, const hed_tune_argument *arguments, hed_error *error)
{
    const hed_kernel_def *kernel = source->kernel;
    *inputs = (hed_tune_inputs){.allocator = *allocator, .kernel = kernel};
    if (!arguments && (!kernel->sample.bytes || !kernel->sample.fill))
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "%s describes no sample inputs: give hed_tune_def.arguments (and .problem) to tune it with",
            kernel->name);
    for (uint32_t i = 0; i < kernel->argument_count; i++) {
        if (arguments ? kernel_tuning_take_given(inputs, i, &arguments[i], error)
                      : make_sample(inputs, i, source, error))
            return error->status;
        inputs->arguments[i].tolerance =
            source->math == HED_MATH_STRICT ? 0 : kernel->arguments[i].tolerance;
    }
    return HED_OK;
}

void hed_tune_inputs_unexpect(hed_tune_inputs *inputs)
{
    for (uint32_t i = 0; i < HED_MAX_ARGUMENTS; i++) {
        hed_runner_argument *argument = &inputs->arguments[i];
        if (!inputs->expected[i]) continue;
        if (argument->expected == inputs->expected[i]) argument->expected = NULL;
        argument->marks = NULL;
        argument->expected_bytes = 0;
        hed_release(&inputs->allocator, inputs->expected[i], argument->bytes);
        hed_release(&inputs->allocator, inputs->marks[i], inputs->mark_bytes[i]);
        inputs->expected[i] = inputs->marks[i] = NULL;
    }
    inputs->unwritten_count = inputs->unsteady_count = inputs->dropped_count = 0;
    inputs->is_unproven = false;
}

void hed_tune_inputs_free(hed_tune_inputs *inputs)
{
    hed_tune_inputs_unexpect(inputs);
    for (uint32_t i = 0; i < HED_MAX_ARGUMENTS; i++)
        hed_release(&inputs->allocator, inputs->data[i], inputs->data_bytes[i]);
    *inputs = (hed_tune_inputs){0};
}

/* ---- expected outputs ---- */

/* Allocates memory for an output's content. */
static void *content_memory(const hed_tune_inputs *inputs, uint32_t index, hed_error *error)
{
    uint64_t bytes = inputs->arguments[index].bytes;
    void *memory = hed_allocate(&inputs->allocator, bytes);
    if (!memory)
        HED_OUT_OF_MEMORY(error, "%llu bytes of expected \"%s\"", (unsigned long long)bytes,
            inputs->kernel->arguments[index].name);
    return memory;
}

enum {
    LEAST_RUNS = 3, /* runs of a reference on a device */
    QUICK_RUNS =
        8, /* runs of a quick one: items that race with each other seldom show it in three */
    SLOW_RUNS = 2, /* runs of a slow reference, or of one in C: the two patterns */
    MOST_RUNS = 12 /* while every run finds further elements that differ */
};
static const uint64_t SLOW_NS = 5000000000; /* a reference is slow if its runs take longer */
static const uint64_t QUICK_NS = 300000000; /* further runs of a quick one start until then */

/* An output of the reference while its runs are compared. */
typedef struct output_runs {
    hed_check_runs check;
    uint32_t index;  /* argument */
    uint64_t memory; /* bytes of an output's memory */
    uint64_t until;  /* hed_now() after which only SLOW_RUNS are made, ns */
    uint8_t *marks;
    uint64_t mark_bytes, unwritten, unsteady;
    bool differs; /* an output that is summed or sorted */
} output_runs;

/* Compares two runs of an output that is summed or sorted, without its unwritten elements. */
static void compare_reduced(hed_tune_inputs *inputs, output_runs *runs, hed_error *error)
{
    const hed_argument_def *def = runs->check.argument;
    uint64_t bytes = runs->check.bytes, first_bytes = bytes, other_bytes = bytes;
    void *first = hed_allocate(&inputs->allocator, bytes),
         *repeat = hed_allocate(&inputs->allocator, bytes);
    hed_check check = {0};
    if (!first || !repeat) HED_OUT_OF_MEMORY(error, "the comparison of \"%s\"", def->name);
    if (!hed_failed(error)) {
        memcpy(first, runs->check.first, bytes);
        memcpy(repeat, runs->check.repeat, bytes);
        if (runs->unwritten) {
            first_bytes = hed_check_drop_marked(def->type, first, bytes, runs->marks);
            other_bytes = hed_check_drop_pattern(
                def->type, repeat, bytes, hed_runner_pattern(runs->check.run));
        }
        hed_check_reduced(
            &check, def, repeat, other_bytes, first, first_bytes, runs->check.tolerance);
    }
    runs->differs = runs->differs || check.wrong;
    hed_release(&inputs->allocator, first, bytes);
    hed_release(&inputs->allocator, repeat, bytes);
}

/* Repeats the reference and marks the elements that it does not write, or not always alike. */
static void mark_output(hed_tune_inputs *inputs, hed_runner *runner, uint32_t least_runs,
    output_runs *runs, hed_trial *trial, hed_error *error)
{
    const hed_argument_def *def = runs->check.argument;
    void *repeat = content_memory(inputs, runs->index, error);
    bool has_marks = false;
    runs->marks = hed_allocate(&inputs->allocator, runs->mark_bytes);
    if (!runs->marks) HED_OUT_OF_MEMORY(error, "the marks of \"%s\"", def->name);
    runs->check.repeat = repeat;
    uint64_t quick = hed_now() + QUICK_NS;
    for (uint32_t run = 1; run < MOST_RUNS && !hed_failed(error); run++) {
        bool is_quick = least_runs == LEAST_RUNS && run < QUICK_RUNS && hed_now() < quick;
        if (run >= least_runs && !has_marks && !is_quick) break;
        if (run >= SLOW_RUNS && hed_now() > runs->until) break;
        if (runner->kind->output(
                runner, 0, runs->index, run % HED_RUNNER_PATTERNS, repeat, trial, error) ||
            trial->outcome)
            break;
        runs->check.run = run;
        has_marks = hed_check_mark(&runs->check, runs->marks, &runs->unwritten, &runs->unsteady);
        if (def->compare != HED_COMPARE_EACH) compare_reduced(inputs, runs, error);
    }
    hed_release(&inputs->allocator, repeat, runs->memory);
}

/* Takes the marks of an output and counts them. */
static void keep_marks(hed_tune_inputs *inputs, const output_runs *runs)
{
    hed_runner_argument *argument = &inputs->arguments[runs->index];
    uint64_t elements = runs->check.bytes / hed_type_bytes(runs->check.argument->type);
    bool has_marks = (runs->unwritten || runs->unsteady) && !runs->differs;
    if (runs->differs) inputs->dropped_count += elements;
    else argument->expected = runs->check.first;
    inputs->unwritten_count += runs->differs ? 0 : runs->unwritten;
    inputs->unsteady_count += runs->differs ? elements : runs->unsteady;
    if (runs->differs || runs->unsteady > (elements - runs->unwritten) / 2)
        inputs->is_unproven = true;
    if (!has_marks) {
        hed_release(&inputs->allocator, runs->marks, runs->mark_bytes);
        return;
    }
    inputs->marks[runs->index] = runs->marks;
    inputs->mark_bytes[runs->index] = runs->mark_bytes;
    argument->marks = runs->marks;
}

hed_status hed_tune_inputs_expect(hed_tune_inputs *inputs, hed_runner *runner, bool is_host,
    const hed_geometry *geometry, hed_trial *trial, hed_error *error)
{
    uint64_t until = hed_now() + SLOW_NS;
    for (uint32_t i = 0; i < inputs->kernel->argument_count; i++) {
        hed_runner_argument *argument = &inputs->arguments[i];
        const hed_argument_def *def = &inputs->kernel->arguments[i];
        if (!hed_scratch_is_output(def) || argument->expected) continue;
        inputs->expected[i] = content_memory(inputs, i, error);
        if (hed_failed(error) ||
            runner->kind->output(runner, 0, i, 0, inputs->expected[i], trial, error) ||
            trial->outcome)
            return error->status;
        if (def->compare != HED_COMPARE_EACH)
            argument->expected_bytes = hed_check_result_bytes(geometry, i, argument->bytes);
        output_runs runs = {.index = i,
            .memory = argument->bytes,
            .until = until,
            .mark_bytes = hed_runner_mark_bytes(def, argument),
            .check = {.argument = def,
                .first = inputs->expected[i],
                .bytes = hed_runner_expected_bytes(argument),
                .is_filled = !argument->data,
                .tolerance = argument->tolerance}};
        mark_output(inputs, runner,
            is_host             ? SLOW_RUNS
            : inputs->is_racing ? MOST_RUNS
                                : LEAST_RUNS,
            &runs, trial, error);
        if (hed_failed(error) || trial->outcome) {
            hed_release(&inputs->allocator, runs.marks, runs.mark_bytes);
            return error->status;
        }
        keep_marks(inputs, &runs);
    }
    return HED_OK;
}

uint64_t hed_tune_inputs_elements(const hed_tune_inputs *inputs)
{
    uint64_t sum = inputs->dropped_count;
    for (uint32_t i = 0; i < inputs->kernel->argument_count; i++)
        if (inputs->arguments[i].expected)
            sum += hed_runner_expected_bytes(&inputs->arguments[i]) /
                   hed_type_bytes(inputs->kernel->arguments[i].type);
    return sum;
}
