/* Contents of arguments: files, numbers, and room. */
#include "tunefile/spec_parts.h"

#include "tunefile/npy.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const TYPE_NAMES[HED_TYPE_COUNT] = {
    "bytes", "int", "uint", "long", "ulong", "float", "double"};

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), wanted = strlen(end);
    return length >= wanted && strcmp(text + length - wanted, end) == 0;
}

/* Moves the elements of an npy file to its front. */
static bool take_npy(hed_spec_reader *reader, hed_json_node node, const char *file, hed_type type,
    char *bytes, size_t *size)
{
    hed_npy npy;
    hed_error error = {0};
    if (hed_npy_parse(file, bytes, *size, &npy, &error) != HED_OK) {
        hed_spec_fail(reader, HED_ERROR_FORMAT, node, "%s", error.text);
        return false;
    }
    if (npy.type != type) {
        hed_spec_fail(reader, HED_ERROR_FORMAT, node,
            "%s holds elements of type \"%s\"; the argument's type is \"%s\"", file,
            TYPE_NAMES[npy.type], TYPE_NAMES[type]);
        return false;
    }
    *size -= npy.offset;
    memmove(bytes, bytes + npy.offset, *size);
    return true;
}

void *hed_spec_read_data(
    hed_spec_reader *reader, hed_json_node node, const char *file, hed_type type, uint64_t *bytes)
{
    char *data = NULL;
    size_t size = 0, limit = reader->device->max_buffer_bytes ? reader->device->max_buffer_bytes
                                                              : SIZE_MAX / 2;
    *bytes = 0;
    if (!hed_spec_read_file(reader, node, file, 0, limit, &data, &size)) return NULL;
    if (ends_with(file, ".npy") && !take_npy(reader, node, file, type, data, &size)) return NULL;
    if (size == 0) hed_spec_fail(reader, HED_ERROR_FORMAT, node, "%s has no elements", file);
    *bytes = size;
    return size > 0 ? data : NULL;
}

bool hed_spec_size(hed_spec_reader *reader, hed_json_node node, double count,
    uint32_t element_bytes, uint64_t *bytes)
{
    uint64_t most = reader->device->max_buffer_bytes;
    *bytes = 0;
    if (!hed_spec_fine(reader)) return false;
    if (!(count >= 1) || count != floor(count)) {
        hed_spec_fail(reader, HED_ERROR_FORMAT, node,
            "expected a whole number of elements from 1 on, found %g", count);
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
        hed_spec_fail(reader, HED_ERROR_FORMAT, node, "a scalar of type \"%s\" cannot be %.17g",
            TYPE_NAMES[type], value);
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

bool hed_spec_check_bytes(hed_spec_reader *reader, hed_json_node node, const char *file,
    uint64_t found, uint64_t expected)
{
    if (!hed_spec_fine(reader)) return false;
    if (found == expected) return true;
    hed_spec_fail(reader, HED_ERROR_FORMAT, node, "%s holds %llu bytes; the argument has %llu",
        file, (unsigned long long)found, (unsigned long long)expected);
    return false;
}

void hed_spec_make_symbol(hed_spec_reader *reader, hed_json_node node, hed_argument_def *def,
    const hed_tune_argument *argument)
{
    if (!def->symbol) reader->spec->symbol_types[def - reader->spec->argument_defs] = def->type;
    def->kind = HED_STRUCT;
    def->type = HED_BYTES;
    def->access = HED_READ;
    def->size = argument->bytes;
    def->symbol = true;
    if (argument->bytes > HED_MAX_SYMBOL_BYTES)
        hed_spec_fail(reader, HED_ERROR_LIMIT, node, "a symbol of %llu bytes; at most %d",
            (unsigned long long)argument->bytes, HED_MAX_SYMBOL_BYTES);
}

/* ---- contents given on the command line ---- */

static hed_json_node find_argument(hed_spec_reader *reader, const char *name, uint32_t *index)
{
    hed_tune_file *spec = reader->spec;
    for (*index = 0; *index < spec->kernel.def.argument_count; ++*index)
        if (strcmp(spec->argument_defs[*index].name, name) == 0) break;
    return *index < hed_json_count(spec->argument_list) ? hed_json_item(spec->argument_list, *index)
                                                        : spec->argument_list;
}

/* Of the elements. */
static hed_type type_of(const hed_spec_reader *reader, const hed_argument_def *def)
{
    return def->symbol ? reader->spec->symbol_types[def - reader->spec->argument_defs] : def->type;
}

static void give_file(hed_spec_reader *reader, hed_json_node node, const char *file,
    hed_argument_def *def, hed_tune_argument *argument)
{
    uint64_t bytes;
    void *data = hed_spec_read_data(reader, node, file, type_of(reader, def), &bytes);
    /* what is written is as large as the file says */
    bool grows = def->symbol || (def->kind == HED_BUFFER && def->access == HED_READ);
    if (!data || (!grows && !hed_spec_check_bytes(reader, node, file, bytes, argument->bytes)))
        return;
    argument->data = data;
    argument->bytes = bytes;
    if (def->symbol) hed_spec_make_symbol(reader, node, def, argument);
}

static void give_range(hed_spec_reader *reader, hed_json_node node, double low, double high,
    const hed_argument_def *def, hed_tune_argument *argument)
{
    const hed_type type = type_of(reader, def);
    bool real = type == HED_FLOAT || type == HED_DOUBLE;
    hed_generator rule = {.kind = real ? HED_GENERATE_UNIFORM : HED_GENERATE_INTEGERS,
        .first = low,
        .second = high,
        .seed = (uint64_t)(argument - reader->spec->arguments)};
    const char *wrong = hed_generator_wrong(&rule, type);
    if (wrong)
        hed_spec_fail(
            reader, HED_ERROR_FORMAT, node, "\"%s\" cannot be filled so: %s", def->name, wrong);
    void *data = hed_spec_fine(reader) ? hed_spec_allocate(reader, argument->bytes, node) : NULL;
    if (!data) return;
    hed_generate(&rule, type, data, argument->bytes / hed_type_bytes(type));
    argument->data = data;
}

void hed_spec_give(hed_spec_reader *reader, const char *name, const char *content)
{
    uint32_t index;
    double low, high;
    int length = 0;
    hed_json_node node = find_argument(reader, name, &index);
    hed_argument_def *def = &reader->spec->argument_defs[index < HED_MAX_ARGUMENTS ? index : 0];
    bool range = sscanf(content, "%lf:%lf%n", &low, &high, &length) == 2 && !content[length];
    if (index == reader->spec->kernel.def.argument_count)
        hed_spec_fail(reader, HED_ERROR_ARGUMENT, node,
            "there is no argument \"%s\" that --input could fill", name);
    else if (!reader->spec->arguments[index].data || def->kind == HED_SCALAR)
        hed_spec_fail(reader, HED_ERROR_ARGUMENT, node,
            "\"%s\" has no first content that --input could take the place of", name);
    else if (range) give_range(reader, node, low, high, def, &reader->spec->arguments[index]);
    else give_file(reader, node, content, def, &reader->spec->arguments[index]);
}
