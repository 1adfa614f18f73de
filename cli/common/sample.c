/* Sample inputs of a kernel, created and placed on a device. */
#include "cli/common/sample.h"

#include "heddle/author.h"

#include <stdlib.h>
#include <string.h>

static uint64_t sample_bytes(const hed_sample *sample, const hed_config *config, uint32_t argument)
{
    const hed_argument_def *a = &sample->def->arguments[argument];
    switch (a->kind) {
    case HED_BUFFER:
        return sample->def->sample.bytes(sample->def, config, &sample->problem, argument);
    case HED_SCALAR: return hed_type_bytes(a->type);
    case HED_STRUCT: return a->size;
    default: return 0;
    }
}

hed_status hed_sample_create(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, uint64_t seed, hed_sample *sample, hed_error *error)
{
    *sample = (hed_sample){.def = def, .problem = *problem};
    if (!def->sample.bytes || !def->sample.fill)
        return hed_fail(
            error, HED_ERROR_ARGUMENT, "kernel %s describes no sample inputs", def->name);
    for (uint32_t i = 0; i < def->argument_count; i++) {
        const hed_argument_def *argument = &def->arguments[i];
        sample->bytes[i] = sample_bytes(sample, config, i);
        if (argument->kind == HED_LOCAL ||
            (argument->kind == HED_BUFFER && argument->access == HED_WRITE))
            continue;
        size_t rounded = (sample->bytes[i] + 63) / 64 * 64;
        sample->data[i] = aligned_alloc(64, rounded ? rounded : 64);
        if (!sample->data[i]) {
            hed_sample_free(sample);
            return HED_OUT_OF_MEMORY(
                error, "%zu bytes of %s of kernel %s", rounded, argument->name, def->name);
        }
        memset(sample->data[i], 0, rounded ? rounded : 64);
        def->sample.fill(def, problem, i, sample->data[i], sample->bytes[i], seed);
    }
    return HED_OK;
}

void hed_sample_free(hed_sample *sample)
{
    for (uint32_t i = 0; i < HED_MAX_ARGUMENTS; i++) free(sample->data[i]);
    *sample = (hed_sample){0};
}

static hed_status sample_place_buffer(const hed_sample *sample, uint32_t index, hed_stream *stream,
    uint64_t guard, unsigned char poison, hed_placed *placed, hed_error *error)
{
    uint64_t bytes = sample->bytes[index];
    hed_buffer_def def = hed_default_buffer_def(bytes + guard > 0 ? bytes + guard : 1);
    hed_status status =
        hed_buffer_create(hed_stream_device(stream), &def, &placed->buffers[index], error);
    hed_buffer *buffer = placed->buffers[index];
    uint64_t poisoned = sample->data[index] ? bytes : 0;
    if (!status && poisoned < def.size)
        status = hed_fill(stream, buffer, poisoned, def.size - poisoned, &poison, 1, error);
    if (!status && sample->data[index] && bytes > 0)
        status = hed_write(stream, buffer, 0, sample->data[index], bytes, error);
    placed->arguments[index] = hed_buffer_argument(buffer);
    return status;
}

hed_status hed_sample_place(const hed_sample *sample, hed_stream *stream, uint64_t guard,
    unsigned char poison, hed_placed *placed, hed_error *error)
{
    *placed = (hed_placed){0};
    const hed_kernel_def *def = sample->def;
    hed_status status = HED_OK;
    for (uint32_t i = 0; i < def->argument_count && !status; i++) {
        switch (def->arguments[i].kind) {
        case HED_BUFFER:
            status = sample_place_buffer(sample, i, stream, guard, poison, placed, error);
            break;
        case HED_SCALAR:
            placed->arguments[i] =
                (hed_argument){.kind = HED_SCALAR, .type = def->arguments[i].type};
            memcpy(&placed->arguments[i].value, sample->data[i], sample->bytes[i]);
            break;
        case HED_STRUCT:
            placed->arguments[i] = hed_struct_argument(sample->data[i], sample->bytes[i]);
            break;
        case HED_LOCAL: placed->arguments[i] = hed_local_argument(); break;
        }
    }
    if (status) {
        hed_stream_wait(stream, NULL);
        hed_placed_free(placed);
    }
    return status;
}

void hed_placed_free(hed_placed *placed)
{
    for (uint32_t i = 0; i < HED_MAX_ARGUMENTS; i++) hed_buffer_destroy(placed->buffers[i]);
    *placed = (hed_placed){0};
}
