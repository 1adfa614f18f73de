/* Arguments and expected outputs of a tuning. */
#include "tune/tune_inputs.h"

#include <string.h>

#include "base/error.h"
#include "tune/check.h"

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

static bool is_output(const hed_argument_def *argument)
{
    return argument->kind == HED_BUFFER &&
           (argument->access == HED_WRITE || argument->access == HED_READ_WRITE);
}

/* Zeros, for a content that is made here. */
static hed_status make_data(hed_inputs *inputs, uint32_t index, hed_error *error)
{
    hed_runner_argument *made = &inputs->arguments[index];
    inputs->data[index] = hed_allocate(&inputs->allocator, made->bytes);
    if (!inputs->data[index])
        return hed_fail(error, HED_ERROR_MEMORY, "out of memory for %llu bytes of \"%s\" of %s",
            (unsigned long long)made->bytes, inputs->kernel->arguments[index].name,
            inputs->kernel->name);
    inputs->data_bytes[index] = made->bytes;
    made->data = inputs->data[index];
    return HED_OK;
}

/* ---- given by the caller ---- */

static hed_status take_given(
    hed_inputs *inputs, uint32_t index, const hed_tune_argument *given, hed_error *error)
{
    const hed_argument_def *argument = &inputs->kernel->arguments[index];
    hed_runner_argument *made = &inputs->arguments[index];
    bool needs_data = argument->kind == HED_SCALAR || argument->kind == HED_STRUCT ||
                      (argument->kind == HED_BUFFER &&
                          (argument->access == HED_READ || argument->access == HED_READ_WRITE));
    if (needs_data && !given->data)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "%s: argument %u, \"%s\", has no content to tune with", inputs->kernel->name, index,
            argument->name);
    if (argument->kind == HED_BUFFER && given->bytes == 0)
        return hed_fail(error, HED_ERROR_ARGUMENT, "%s: buffer %u, \"%s\", has 0 bytes",
            inputs->kernel->name, index, argument->name);
    made->data = given->data;
    made->bytes = argument->kind == HED_BUFFER  ? given->bytes
                  : argument->kind == HED_LOCAL ? 0
                                                : value_bytes(argument);
    if (given->expected && argument->compare == HED_COMPARE_EACH && given->expected_bytes &&
        given->expected_bytes != made->bytes)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "%s: \"%s\" has %llu bytes, and expected_bytes is %llu: compared element by element both are the same (or 0)",
            inputs->kernel->name, argument->name, (unsigned long long)made->bytes,
            (unsigned long long)given->expected_bytes);
    made->expected = is_output(argument) ? given->expected : NULL;
    made->expected_bytes = given->expected_bytes;
    bool zeros = argument->kind == HED_BUFFER && argument->access == HED_WORKSPACE && !given->data;
    return zeros ? make_data(inputs, index, error) : HED_OK;
}

/* ---- from the description's sample ---- */

static uint64_t sample_bytes(const hed_inputs_for *what, const hed_config *config, uint32_t index)
{
    return what->kernel->sample.bytes(what->kernel, config, what->problem, index);
}

/* A buffer serves all candidates: it is as large as the one that needs most. */
static uint64_t buffer_bytes(const hed_inputs_for *what, uint32_t index)
{
    if (what->config) return sample_bytes(what, what->config, index);
    uint64_t most = 0, count = hed_space_count(what->space);
    for (uint64_t i = 0; i < count; i++) {
        hed_config config = hed_space_at(what->space, i);
        uint64_t bytes = sample_bytes(what, &config, index);
        most = bytes > most ? bytes : most;
    }
    return most;
}

static hed_status make_sample(
    hed_inputs *inputs, uint32_t index, const hed_inputs_for *what, hed_error *error)
{
    const hed_argument_def *argument = &what->kernel->arguments[index];
    hed_runner_argument *made = &inputs->arguments[index];
    if (argument->kind == HED_LOCAL) return HED_OK;
    made->bytes = argument->kind == HED_BUFFER ? buffer_bytes(what, index) : value_bytes(argument);
    if (argument->kind == HED_BUFFER && argument->access == HED_WRITE) return HED_OK;
    hed_status status = make_data(inputs, index, error);
    if (status) return status;
    what->kernel->sample.fill(
        what->kernel, what->problem, index, inputs->data[index], made->bytes, what->seed);
    return HED_OK;
}

hed_status hed_inputs_create(hed_inputs *inputs, const hed_allocator *allocator,
    const hed_inputs_for *what, const hed_tune_argument *given, hed_error *error)
{
    const hed_kernel_def *kernel = what->kernel;
    hed_status status = HED_OK;
    *inputs = (hed_inputs){.allocator = *allocator, .kernel = kernel};
    if (!given && (!kernel->sample.bytes || !kernel->sample.fill))
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "%s describes no sample inputs: give hed_tune_def.arguments (and .problem) to tune it with",
            kernel->name);
    for (uint32_t i = 0; i < kernel->argument_count && !status; i++) {
        status =
            given ? take_given(inputs, i, &given[i], error) : make_sample(inputs, i, what, error);
        inputs->arguments[i].tolerance =
            what->math == HED_MATH_STRICT ? 0 : kernel->arguments[i].tolerance;
    }
    return status;
}

void hed_inputs_free(hed_inputs *inputs)
{
    for (uint32_t i = 0; i < HED_MAX_ARGUMENTS; i++) {
        hed_release(&inputs->allocator, inputs->data[i], inputs->data_bytes[i]);
        hed_release(&inputs->allocator, inputs->expected[i], inputs->arguments[i].bytes);
    }
    *inputs = (hed_inputs){0};
}

/* ---- what is right ---- */

bool hed_inputs_lack(const hed_inputs *inputs)
{
    for (uint32_t i = 0; i < inputs->kernel->argument_count; i++)
        if (is_output(&inputs->kernel->arguments[i]) && !inputs->arguments[i].expected) return true;
    return false;
}

hed_status hed_inputs_expect(hed_inputs *inputs, hed_runner *runner, const hed_geometry *geometry,
    hed_trial *trial, hed_error *error)
{
    for (uint32_t i = 0; i < inputs->kernel->argument_count; i++) {
        hed_runner_argument *argument = &inputs->arguments[i];
        if (!is_output(&inputs->kernel->arguments[i]) || argument->expected) continue;
        inputs->expected[i] = hed_allocate(&inputs->allocator, argument->bytes);
        if (!inputs->expected[i])
            return hed_fail(error, HED_ERROR_MEMORY,
                "out of memory for %llu bytes of expected \"%s\"",
                (unsigned long long)argument->bytes, inputs->kernel->arguments[i].name);
        hed_status status = hed_runner_output(runner, 0, i, inputs->expected[i], trial, error);
        if (status || trial->outcome) return status;
        argument->expected = inputs->expected[i];
        if (inputs->kernel->arguments[i].compare != HED_COMPARE_EACH)
            argument->expected_bytes = hed_check_result_bytes(geometry, i, argument->bytes);
    }
    return HED_OK;
}
