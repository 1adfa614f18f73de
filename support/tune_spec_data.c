/* Contents of arguments: files, numbers, and room. */
#include "support/tune_spec_parts.h"

#include "support/npy.h"
#include "support/sample.h"

#include <math.h>
#include <string.h>

static const char *const TYPE_NAMES[HED_TYPE_COUNT] = {"bytes", "int", "uint", "long", "ulong", "float", "double"};

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), wanted = strlen(end);
    return length >= wanted && strcmp(text + length - wanted, end) == 0;
}

/* Moves the elements of an npy file to its front. */
static bool take_npy(hed_spec_reader *reader, hed_json_node node, const char *file, hed_type type, char *bytes,
                     size_t *size)
{
    hed_npy npy;
    hed_error error;
    if (hed_npy_parse(file, bytes, *size, &npy, &error) != HED_OK) {
        hed_spec_fail(reader, HED_ERROR_FORMAT, node, "%s", error.text);
        return false;
    }
    if (npy.type != type) {
        hed_spec_fail(reader, HED_ERROR_FORMAT, node,
                      "%s holds elements of type \"%s\"; the argument's type is \"%s\"", file, TYPE_NAMES[npy.type],
                      TYPE_NAMES[type]);
        return false;
    }
    *size -= npy.offset;
    memmove(bytes, bytes + npy.offset, *size);
    return true;
}

void *hed_spec_read_data(hed_spec_reader *reader, hed_json_node node, const char *file, hed_type type,
                         uint64_t *bytes)
{
    char *data = NULL;
    size_t size = 0, limit = reader->device->max_buffer_bytes ? reader->device->max_buffer_bytes : SIZE_MAX / 2;
    *bytes = 0;
    if (!hed_spec_read_file(reader, node, file, 0, limit, &data, &size)) return NULL;
    if (ends_with(file, ".npy") && !take_npy(reader, node, file, type, data, &size)) return NULL;
    if (size == 0) hed_spec_fail(reader, HED_ERROR_FORMAT, node, "%s has no elements", file);
    *bytes = size;
    return size > 0 ? data : NULL;
}

bool hed_spec_size(hed_spec_reader *reader, hed_json_node node, double count, uint32_t element_bytes, uint64_t *bytes)
{
    uint64_t most = reader->device->max_buffer_bytes;
    *bytes = 0;
    if (!hed_spec_fine(reader)) return false;
    if (!(count >= 1) || count != floor(count)) {
        hed_spec_fail(reader, HED_ERROR_FORMAT, node, "expected a whole number of elements from 1 on, found %g",
                      count);
    } else if (count > 0x1p53 || __builtin_mul_overflow((uint64_t)count, element_bytes, bytes) ||
               *bytes > SIZE_MAX / 2 || (most > 0 && *bytes > most)) {
        hed_spec_fail(reader, HED_ERROR_LIMIT, node,
                      "%.17g elements of %u bytes are more than a buffer of %s may have (%llu bytes)", count,
                      element_bytes, reader->device->id, (unsigned long long)most);
        *bytes = 0;
    }
    return *bytes > 0;
}

/* The ranges of whole numbers; the ends of 64-bit types are the doubles just inside. */
static bool holds(hed_type type, double value)
{
    switch (type) {
    case HED_INT32: return value >= INT32_MIN && value <= INT32_MAX;
    case HED_UINT32: return value >= 0 && value <= UINT32_MAX;
    case HED_INT64: return value >= -0x1p63 && value < 0x1p63;
    case HED_UINT64: return value >= 0 && value < 0x1p64;
    default: return true;
    }
}

void *hed_spec_scalar(hed_spec_reader *reader, hed_json_node node, hed_type type, double value)
{
    bool real = type == HED_FLOAT || type == HED_DOUBLE;
    if (!hed_spec_fine(reader)) return NULL;
    if (!real && (value != floor(value) || !holds(type, value))) {
        hed_spec_fail(reader, HED_ERROR_FORMAT, node, "a scalar of type \"%s\" cannot be %.17g", TYPE_NAMES[type],
                      value);
        return NULL;
    }
    void *memory = hed_spec_allocate(reader, 8, node);
    if (!memory) return NULL;
    switch (type) {
    case HED_INT32: *(int32_t *)memory = (int32_t)value; break;
    case HED_UINT32: *(uint32_t *)memory = (uint32_t)value; break;
    case HED_INT64: *(int64_t *)memory = (int64_t)value; break;
    case HED_UINT64: *(uint64_t *)memory = (uint64_t)value; break;
    case HED_FLOAT: *(float *)memory = (float)value; break;
    default: *(double *)memory = value;
    }
    return memory;
}

bool hed_spec_check_bytes(hed_spec_reader *reader, hed_json_node node, const char *file, uint64_t found,
                          uint64_t expected)
{
    if (!hed_spec_fine(reader)) return false;
    if (found == expected) return true;
    hed_spec_fail(reader, HED_ERROR_FORMAT, node, "%s holds %llu bytes; the argument has %llu", file,
                  (unsigned long long)found, (unsigned long long)expected);
    return false;
}
