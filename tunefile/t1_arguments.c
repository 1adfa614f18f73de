/* The arguments of a T1 file, and the references of their results. */
#include "tunefile/spec.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A type of T1: Heddle's type and the size. */
typedef struct t1_type {
    hed_type type;
    uint32_t element_bytes; /* bytes of one number */
    uint32_t width;         /* numbers of one element: 4 of a float4 */
    /* numbers of this type can be generated; false: only zeros, and files */
    bool fillable;
} t1_type;

static bool t1_find_type(const char *word, hed_json_node node, t1_type *result)
{
    static const struct {
        const char *word;
        t1_type type;
    } types[] = {
        {"bool", {HED_BYTES, 1, 1, true}},
        {"int8", {HED_BYTES, 1, 1, true}},
        {"uint8", {HED_BYTES, 1, 1, true}},
        {"int16", {HED_BYTES, 2, 1, false}},
        {"uint16", {HED_BYTES, 2, 1, false}},
        {"int32", {HED_INT32, 4, 1, true}},
        {"uint32", {HED_UINT32, 4, 1, true}},
        {"int64", {HED_INT64, 8, 1, true}},
        {"uint64", {HED_UINT64, 8, 1, true}},
        {"half", {HED_BYTES, 2, 1, false}},
        {"half2", {HED_BYTES, 2, 2, false}},
        {"half4", {HED_BYTES, 2, 4, false}},
        {"half8", {HED_BYTES, 2, 8, false}},
        {"half16", {HED_BYTES, 2, 16, false}},
        {"float", {HED_FLOAT, 4, 1, true}},
        {"float2", {HED_FLOAT, 4, 2, true}},
        {"float4", {HED_FLOAT, 4, 4, true}},
        {"float8", {HED_FLOAT, 4, 8, true}},
        {"float16", {HED_FLOAT, 4, 16, true}},
        {"double", {HED_DOUBLE, 8, 1, true}},
        {"double2", {HED_DOUBLE, 8, 2, true}},
        {"double4", {HED_DOUBLE, 8, 4, true}},
        {"double8", {HED_DOUBLE, 8, 8, true}},
        {"double16", {HED_DOUBLE, 8, 16, true}},
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(word, types[i].word) == 0) {
            *result = types[i].type;
            return true;
        }
    if (strcmp(word, "custom") != 0) return false;
    *result = (t1_type){HED_BYTES,
        (uint32_t)hed_json_integer(hed_json_member(node, "TypeSize"), 1, 1 << 20), 1, false};
    return true;
}

/* ---- contents ---- */

static void t1_fill(
    hed_json_node node, const t1_type *type, const hed_generator *rule, void *data, uint64_t bytes)
{
    if (!type->fillable) {
        if (rule->kind != HED_GENERATE_CONSTANT || rule->first != 0)
            hed_json_fail(node, HED_ERROR_UNSUPPORTED,
                "elements of this type can be zero or come from a file (BinaryRaw), no more");
        return; /* the array is zeros already */
    }
    const char *wrong = hed_generator_wrong(rule, type->type);
    if (wrong) hed_json_reject(node, "this array cannot be filled so: %s", wrong);
    else hed_generate(rule, type->type, data, bytes / hed_type_bytes(type->type));
}

/* Fills by FillType Generator: an expression of the index, i. */
static void t1_fill_by_expression(
    hed_spec_reader *reader, hed_json_node node, const t1_type *type, void *data, uint64_t bytes)
{
    static const char *const name = "i";
    hed_expression_names names = {.names = &name, .count = 1};
    hed_json_node source = hed_json_member(node, "DataSource");
    hed_expression *expression =
        hed_spec_compile(reader, NULL, &names, source, hed_json_string(source));
    if (!expression) return;
    uint32_t element_bytes = hed_type_bytes(type->type);
    for (uint64_t i = 0; i < bytes / element_bytes && hed_spec_fine(reader); i++) {
        double index = (double)i;
        hed_generator rule = {
            .kind = HED_GENERATE_CONSTANT, .first = hed_expression_value(expression, &index)};
        t1_fill(source, type, &rule, (char *)data + i * element_bytes, element_bytes);
    }
    hed_expression_destroy(expression);
}

/* Reads the first or the expected content of `bytes` bytes (0: as many as the file has). */
static void *t1_read_content(hed_spec_reader *reader, hed_json_node node, const t1_type *type,
    uint64_t seed, uint64_t *bytes)
{
    static const char *const kinds[] = {
        "Constant", "Random", "Generator", "BinaryRaw", "Script", "BinaryHDF", NULL};
    uint32_t kind = hed_json_has(node, "FillType")
                        ? hed_json_choice(hed_json_member(node, "FillType"), kinds)
                        : 0;
    if (kind >= 4)
        hed_json_fail(node, HED_ERROR_UNSUPPORTED,
            "FillType \"%s\" is not read; Constant, Random, Generator and BinaryRaw are",
            kinds[kind]);
    if (kind == 3) {
        uint64_t file_bytes;
        hed_json_node file = hed_json_member(node, "DataSource");
        void *data =
            hed_spec_read_data(reader, file, hed_json_string(file), type->type, &file_bytes);
        *bytes = *bytes ? *bytes : file_bytes;
        return hed_spec_check_bytes(reader, file, hed_json_string(file), file_bytes, *bytes) ? data
                                                                                             : NULL;
    }
    double value = hed_json_has(node, "FillValue")
                       ? hed_json_number(hed_json_member(node, "FillValue"), -DBL_MAX, DBL_MAX)
                       : kind == 1;
    if (hed_json_has(node, "RandomSeed"))
        seed = (uint64_t)hed_json_integer(hed_json_member(node, "RandomSeed"), 0, INT64_MAX);
    void *data = hed_spec_fine(reader) ? hed_spec_allocate(reader, *bytes, node) : NULL;
    if (!data) return NULL;
    bool real = type->type == HED_FLOAT || type->type == HED_DOUBLE;
    hed_generator rule = {.kind = HED_GENERATE_CONSTANT, .first = value, .seed = seed};
    if (kind == 1)
        rule = (hed_generator){real ? HED_GENERATE_UNIFORM : HED_GENERATE_INTEGERS, fmin(0, value),
            fmax(0, value), seed};
    if (kind == 2) t1_fill_by_expression(reader, node, type, data, *bytes);
    else t1_fill(node, type, &rule, data, *bytes);
    return data;
}

/* ---- arguments ---- */

static hed_access t1_access(hed_json_node node)
{
    static const char *const words[] = {"ReadOnly", "WriteOnly", "ReadWrite", NULL};
    hed_access access =
        hed_json_has(node, "AccessType")
            ? (hed_access)hed_json_choice(hed_json_member(node, "AccessType"), words)
            : HED_READ_WRITE;
    bool output =
        hed_json_has(node, "Output") && hed_json_number(hed_json_member(node, "Output"), 0, 1) == 1;
    return output && access == HED_READ ? HED_READ_WRITE : access;
}

static void t1_read_vector(
    hed_spec_reader *reader, hed_json_node node, const t1_type *type, uint32_t index)
{
    hed_argument_def *def = &reader->spec->argument_defs[index];
    hed_tune_argument *argument = &reader->spec->arguments[index];
    bool file = hed_json_has(node, "FillType") &&
                strcmp(hed_json_string(hed_json_member(node, "FillType")), "BinaryRaw") == 0;
    bool symbol = hed_json_has(node, "MemType") &&
                  strcmp(hed_json_string(hed_json_member(node, "MemType")), "Constant") == 0;
    symbol = (symbol && reader->spec->kernel.def.language == HED_CUDA_C) ||
             strcmp(hed_json_string(hed_json_member(node, "MemoryType")), "Symbol") == 0;
    def->kind = HED_BUFFER;
    def->access = symbol ? HED_READ : t1_access(node);
    def->tolerance = def->access == HED_READ ? 0 : hed_spec_tolerance(type->type);
    if (!file || hed_json_has(node, "Size")) {
        hed_json_node size = hed_json_member(node, "Size");
        double count =
            hed_spec_fine(reader) ? hed_spec_number_of(reader, size, hed_t1_text(reader, size)) : 0;
        hed_spec_size(reader, size, count, type->element_bytes * type->width, &argument->bytes);
    }
    if (def->access != HED_WRITE)
        argument->data = t1_read_content(reader, node, type, index, &argument->bytes);
    if (symbol && hed_spec_fine(reader)) hed_spec_make_symbol(reader, node, def, argument);
}

/* Reads a scalar; types of 1 and 2 bytes are passed to the kernel as bytes. */
static void t1_read_scalar(
    hed_spec_reader *reader, hed_json_node node, const t1_type *type, uint32_t index)
{
    hed_argument_def *def = &reader->spec->argument_defs[index];
    hed_json_node value = hed_json_member(node, "FillValue");
    double number = hed_json_number(value, -DBL_MAX, DBL_MAX);
    const char *word = hed_json_string(hed_json_member(node, "Type"));
    if (type->width > 1 || strcmp(word, "half") == 0 || strcmp(word, "custom") == 0)
        hed_json_fail(node, HED_ERROR_UNSUPPORTED, "scalars of type \"%s\" are not read", word);
    def->kind = type->type == HED_BYTES ? HED_STRUCT : HED_SCALAR;
    def->size = type->type == HED_BYTES ? type->element_bytes : 0;
    double low = type->element_bytes == 1 ? INT8_MIN : INT16_MIN,
           high = type->element_bytes == 1 ? UINT8_MAX : UINT16_MAX;
    if (hed_spec_fine(reader) && def->kind == HED_STRUCT && (number < low || number > high))
        hed_json_reject(value, "a scalar of type \"%s\" cannot be %g", word, number);
    /* Little-endian: the first bytes of an int are the shorter number. */
    reader->spec->arguments[index].data =
        hed_spec_scalar(reader, value, def->kind == HED_STRUCT ? HED_INT32 : type->type, number);
    reader->spec->arguments[index].bytes = type->element_bytes;
}

static void t1_set_local(hed_spec_reader *reader, hed_json_node node, uint32_t index,
    const char *elements, uint32_t bytes)
{
    hed_spec_kernel *kernel = &reader->spec->kernel;
    reader->spec->argument_defs[index].kind = HED_LOCAL;
    kernel->local[index] = hed_spec_expression_of(reader, kernel, node, elements);
    kernel->local_bytes[index] = bytes;
}

static void t1_read_argument(hed_spec_reader *reader, hed_json_node node, uint32_t index)
{
    static const char *const memories[] = {"Vector", "Scalar", "Local", "Symbol", NULL};
    hed_argument_def *def = &reader->spec->argument_defs[index];
    hed_json_node word = hed_json_member(node, "Type");
    uint32_t memory = hed_json_choice(hed_json_member(node, "MemoryType"), memories);
    t1_type type = {0};
    if (!t1_find_type(hed_json_string(word), node, &type))
        hed_json_reject(word, "\"%s\" is no type of a T1 file", hed_json_string(word));
    const char *name_key = memory == 3 && hed_json_has(node, "SymbolName") ? "SymbolName" : "Name";
    def->name = hed_json_has(node, name_key) ? hed_json_string(hed_json_member(node, name_key))
                                             : hed_spec_text(reader, node, "argument %u", index);
    def->type = type.type;
    if (!hed_spec_fine(reader)) return;
    if (memory == 0) t1_read_vector(reader, node, &type, index);
    else if (memory == 1) t1_read_scalar(reader, node, &type, index);
    else if (memory == 2)
        t1_set_local(reader, node, index, hed_t1_text(reader, hed_json_member(node, "Size")),
            type.element_bytes * type.width);
    else if (reader->spec->kernel.def.language == HED_CUDA_C)
        t1_read_vector(reader, node, &type, index);
    else
        hed_json_reject(
            node, "symbols are variables of a text in CUDA C; in OpenCL C they are arguments");
}

/* ---- references ---- */

static void t1_read_reference(
    hed_spec_reader *reader, hed_json_node node, uint32_t count, hed_json_node list)
{
    hed_json_node target = hed_json_member(node, "TargetName");
    const char *name = hed_json_string(target);
    uint32_t index = 0;
    while (index < count && strcmp(reader->spec->argument_defs[index].name, name) != 0) index++;
    hed_argument_def *def = &reader->spec->argument_defs[index < count ? index : 0];
    if (hed_spec_fine(reader) &&
        (index == count || def->kind != HED_BUFFER || def->access == HED_READ))
        hed_json_reject(target, "there is no output called \"%s\"", name);
    t1_type type = {0};
    if (!hed_spec_fine(reader)) return;
    hed_json_node argument = hed_json_item(list, index);
    t1_find_type(hed_json_string(hed_json_member(argument, "Type")), argument, &type);
    reader->spec->arguments[index].expected =
        t1_read_content(reader, node, &type, index, &reader->spec->arguments[index].bytes);
    if (hed_json_has(node, "ValidationThreshold"))
        def->tolerance = hed_json_number(hed_json_member(node, "ValidationThreshold"), 0, DBL_MAX);
}

/* Reads CUDA's dynamic shared memory: a local array after all arguments, which is not a parameter
 * of the kernel itself. */
static void t1_read_shared_memory(hed_spec_reader *reader, hed_json_node node, uint32_t *count)
{
    const char *bytes = hed_t1_text(reader, node);
    if (!hed_spec_fine(reader) || strcmp(bytes, "0") == 0) return;
    if (reader->spec->kernel.def.language != HED_CUDA_C || *count == HED_MAX_ARGUMENTS) {
        hed_json_fail(node, HED_ERROR_UNSUPPORTED,
            "shared memory of a size is for CUDA; in OpenCL it is an argument of MemoryType Local");
        return;
    }
    reader->spec->argument_defs[*count].name = "shared memory";
    t1_set_local(reader, node, (*count)++, bytes, 1);
}

/* Handles a file that names no output (Kernel Tuner then compares nothing): all writable arguments
 * are compared. */
static void t1_take_all_as_written(hed_spec_reader *reader, hed_json_node list, uint32_t count)
{
    bool has_output = false;
    for (uint32_t i = 0; i < count; i++) {
        hed_argument_def *def = &reader->spec->argument_defs[i];
        if (def->kind != HED_BUFFER) continue;
        has_output = true;
        def->access = HED_READ_WRITE;
        def->tolerance = hed_spec_tolerance(def->type);
    }
    if (!has_output) hed_json_reject(list, "no argument can be written: none is a vector");
    reader->spec->note =
        "the file marks no output (AccessType, Output): all vectors count as changed in place and "
        "are compared";
}

void hed_t1_read_arguments(hed_spec_reader *reader, hed_json_node specification)
{
    hed_json_node list = hed_json_member(specification, "Arguments");
    uint32_t count = (uint32_t)hed_json_count(list);
    bool written = false;
    if (hed_json_count(list) > HED_MAX_ARGUMENTS)
        hed_json_reject(list,
            "%u arguments; a kernel has at most %d. Pass numbers together as a struct", count,
            HED_MAX_ARGUMENTS);
    for (uint32_t i = 0; i < count && hed_spec_fine(reader); i++) {
        const hed_argument_def *def = &reader->spec->argument_defs[i];
        t1_read_argument(reader, hed_json_item(list, i), i);
        written = written || (def->kind == HED_BUFFER && def->access != HED_READ);
        if (def->kind == HED_LOCAL && reader->spec->kernel.def.language == HED_CUDA_C)
            hed_json_fail(hed_json_item(list, i), HED_ERROR_UNSUPPORTED,
                "local arrays are no arguments in CUDA C; use SharedMemory");
    }
    if (hed_spec_fine(reader) && !written) t1_take_all_as_written(reader, list, count);
    if (hed_spec_fine(reader) && hed_json_has(specification, "ReferenceArguments")) {
        hed_json_node references = hed_json_member(specification, "ReferenceArguments");
        for (size_t i = 0; i < hed_json_count(references) && hed_spec_fine(reader); i++)
            t1_read_reference(reader, hed_json_item(references, i), count, list);
    }
    hed_json_node shared = hed_t1_optional(specification, "SharedMemory");
    if (hed_json_kind_of(shared) != HED_JSON_NOTHING) t1_read_shared_memory(reader, shared, &count);
    reader->spec->argument_list = list;
    reader->spec->kernel.def.argument_count = count;
}
