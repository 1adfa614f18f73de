/* Copies of the buffers that a launch writes. */
#include "tune/check.h"

#include "core/objects.h"

hed_status hed_scratch_check(const hed_kernel_def *def, hed_device *device,
    const hed_argument *arguments, uint32_t count, hed_error *error)
{
    if (count != def->argument_count)
        return hed_fail(error, HED_ERROR_ARGUMENT, "%s takes %u arguments; %u were given",
            def->name, def->argument_count, count);
    for (uint32_t i = 0; i < count; i++) {
        bool fits = arguments[i].kind == def->arguments[i].kind;
        if (fits && arguments[i].kind == HED_BUFFER)
            fits = arguments[i].value.buffer && arguments[i].value.buffer->device == device;
        if (fits && arguments[i].kind == HED_STRUCT)
            fits = arguments[i].value.bytes && arguments[i].size == def->arguments[i].size;
        if (fits && arguments[i].kind == HED_SCALAR)
            fits = arguments[i].type == def->arguments[i].type;
        if (!fits)
            return hed_fail(error, HED_ERROR_ARGUMENT,
                "%s: argument %u is not what \"%s\" is by the description", def->name, i,
                def->arguments[i].name);
    }
    return HED_OK;
}

bool hed_scratch_is_output(const hed_argument_def *argument)
{
    return argument->kind == HED_BUFFER &&
           (argument->access == HED_WRITE || argument->access == HED_READ_WRITE);
}

/* A workspace is copied like what is changed in place: a candidate that leaves it wrong has spoilt
 * a copy. */
static bool is_copied(const hed_argument_def *argument, hed_scratch_kind kind)
{
    if (argument->kind != HED_BUFFER || argument->access == HED_READ) return false;
    return kind == HED_SCRATCH_WRITTEN || argument->access != HED_WRITE;
}

/* ---- overlap ---- */

static bool meet(uint64_t a, uint64_t a_size, uint64_t b, uint64_t b_size)
{
    return a < b ? b - a < a_size : a - b < b_size;
}

/* By the place in a common whole; and by address, since a program can make two buffers of one piece
 * of its memory. */
static bool buffers_meet(const hed_buffer *a, const hed_buffer *b)
{
    const hed_buffer *whole_a = a->parent ? a->parent : a, *whole_b = b->parent ? b->parent : b;
    if (whole_a == whole_b) return meet(a->offset, a->size, b->offset, b->size);
    if (whole_a->handle && whole_a->handle == whole_b->handle)
        return meet(a->offset, a->size, b->offset, b->size);
    if (a->address && b->address && meet(a->address, a->size, b->address, b->size)) return true;
    return a->host && b->host && meet((uintptr_t)a->host, a->size, (uintptr_t)b->host, b->size);
}

uint32_t hed_scratch_overlap(const hed_kernel_def *def, const hed_argument *arguments)
{
    for (uint32_t i = 0; i < def->argument_count; i++) {
        if (!is_copied(&def->arguments[i], HED_SCRATCH_WRITTEN)) continue;
        for (uint32_t j = 0; j < def->argument_count; j++)
            if (j != i && arguments[j].kind == HED_BUFFER &&
                buffers_meet(arguments[i].value.buffer, arguments[j].value.buffer))
                return i;
    }
    return UINT32_MAX;
}

/* ---- the copies ---- */

uint64_t hed_scratch_sizes(const hed_kernel_def *def, const hed_argument *arguments,
    hed_scratch_kind kind, uint64_t *sizes)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < HED_MAX_ARGUMENTS; i++) {
        bool copied = i < def->argument_count && is_copied(&def->arguments[i], kind);
        sizes[i] = copied ? arguments[i].value.buffer->size : 0;
        sum += sizes[i];
    }
    return sum;
}

static bool has_size(const hed_buffer *buffer, uint64_t size)
{
    return buffer ? buffer->size == size : size == 0;
}

bool hed_scratch_fits(const hed_scratch *scratch, const uint64_t *sizes)
{
    for (uint32_t i = 0; i < HED_MAX_ARGUMENTS; i++)
        if (!has_size(scratch->buffers[i], sizes[i])) return false;
    return true;
}

hed_status hed_scratch_reserve(
    hed_scratch *scratch, hed_device *device, const uint64_t *sizes, hed_error *error)
{
    for (uint32_t i = 0; i < HED_MAX_ARGUMENTS; i++) {
        if (has_size(scratch->buffers[i], sizes[i])) continue;
        hed_buffer_destroy(scratch->buffers[i]);
        scratch->buffers[i] = NULL;
    }
    for (uint32_t i = 0; i < HED_MAX_ARGUMENTS; i++) {
        if (has_size(scratch->buffers[i], sizes[i])) continue;
        hed_buffer_def buffer = hed_default_buffer_def(sizes[i]);
        hed_buffer_create(device, &buffer, &scratch->buffers[i], error);
    }
    return error->status;
}

void hed_scratch_free(hed_scratch *scratch)
{
    for (uint32_t i = 0; i < HED_MAX_ARGUMENTS; i++) hed_buffer_destroy(scratch->buffers[i]);
    *scratch = (hed_scratch){0};
}

void hed_scratch_replace(const hed_scratch *scratch, const hed_kernel_def *def,
    const hed_argument *arguments, hed_argument *replaced)
{
    for (uint32_t i = 0; i < def->argument_count; i++)
        replaced[i] = scratch->buffers[i] ? hed_buffer_argument(scratch->buffers[i]) : arguments[i];
}

hed_status hed_scratch_fill(const hed_scratch *scratch, hed_stream *stream,
    const hed_kernel_def *def, const hed_argument *from, hed_error *error)
{
    const unsigned char poison = HED_SCRATCH_POISON;
    hed_status status = HED_OK;
    for (uint32_t i = 0; i < def->argument_count && !status; i++) {
        hed_buffer *copy = scratch->buffers[i];
        if (!copy) continue;
        status = def->arguments[i].access == HED_WRITE
                     ? hed_fill(stream, copy, 0, copy->size, &poison, 1, error)
                     : hed_copy(stream, copy, 0, from[i].value.buffer, 0, copy->size, error);
    }
    return status;
}
