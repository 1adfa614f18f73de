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

void hed_tune_inputs_free(hed_tune_inputs *inputs)
{
    for (uint32_t i = 0; i < HED_MAX_ARGUMENTS; i++) {
        hed_release(&inputs->allocator, inputs->data[i], inputs->data_bytes[i]);
        hed_release(&inputs->allocator, inputs->expected[i], inputs->arguments[i].bytes);
        hed_release(&inputs->allocator, inputs->unwritten[i], inputs->mask_bytes[i]);
    }
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

/* Finds the elements of an output that slot 0 does not write, by a second run over the other
 * pattern. */
static hed_status find_unwritten(
    hed_tune_inputs *inputs, hed_runner *runner, uint32_t index, hed_trial *trial, hed_error *error)
{
    hed_runner_argument *argument = &inputs->arguments[index];
    const hed_argument_def *def = &inputs->kernel->arguments[index];
    uint64_t bytes = hed_runner_mask_bytes(def, argument), count = 0;
    uint8_t *mask = hed_allocate(&inputs->allocator, bytes);
    void *second = content_memory(inputs, index, error);
    if (!mask) HED_OUT_OF_MEMORY(error, "a mask of \"%s\"", def->name);
    if (!hed_failed(error) && !runner->kind->output(runner, 0, index, 1, second, trial, error) &&
        !trial->outcome)
        count = hed_check_unwritten(
            def->type, inputs->expected[index], second, hed_runner_expected_bytes(argument), mask);
    hed_release(&inputs->allocator, second, argument->bytes);
    if (!count) {
        hed_release(&inputs->allocator, mask, bytes);
        return error->status;
    }
    inputs->unwritten[index] = mask;
    inputs->mask_bytes[index] = bytes;
    inputs->unwritten_count += count;
    argument->unwritten = mask;
    return HED_OK;
}

hed_status hed_tune_inputs_expect(hed_tune_inputs *inputs, hed_runner *runner,
    const hed_geometry *geometry, hed_trial *trial, hed_error *error)
{
    for (uint32_t i = 0; i < inputs->kernel->argument_count; i++) {
        hed_runner_argument *argument = &inputs->arguments[i];
        if (!hed_scratch_is_output(&inputs->kernel->arguments[i]) || argument->expected) continue;
        inputs->expected[i] = content_memory(inputs, i, error);
        if (hed_failed(error) ||
            runner->kind->output(runner, 0, i, 0, inputs->expected[i], trial, error) ||
            trial->outcome)
            return error->status;
        if (inputs->kernel->arguments[i].compare != HED_COMPARE_EACH)
            argument->expected_bytes = hed_check_result_bytes(geometry, i, argument->bytes);
        if (!argument->data && (find_unwritten(inputs, runner, i, trial, error) || trial->outcome))
            return error->status;
        argument->expected = inputs->expected[i];
    }
    return HED_OK;
}

uint64_t hed_tune_inputs_elements(const hed_tune_inputs *inputs)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < inputs->kernel->argument_count; i++)
        if (inputs->arguments[i].expected)
            sum += hed_runner_expected_bytes(&inputs->arguments[i]) /
                   hed_type_bytes(inputs->kernel->arguments[i].type);
    return sum;
}
