/* Contents of arguments: made by rule, from files (NumPy's, or raw bytes), and numbers. */
#include "tunefile/spec.h"

#include "heddle/math.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- arrays by rule ---- */

/* The random numbers are SplitMix64 (Steele, Lea, Flood 2014) used by counter: element i is the mix
 * of seed and i, without a state that goes from one to the next. Normal ones are Box and Muller's
 * (1958) pairs in float, with the logarithm and cosine of heddle/math.h, which are the same
 * everywhere, as libm's are not. */

static uint64_t random_mix(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static uint64_t random_bits(uint64_t seed, uint64_t index)
{
    const uint64_t golden = UINT64_C(0x9e3779b97f4a7c15);
    return random_mix(random_mix((seed + 1) * golden) + (index + 1) * golden);
}

/* Whole numbers go through 64 bits, not through a double: the largest of a 64-bit type are none. */
static int64_t generator_whole(const hed_generator *rule, uint64_t index)
{
    uint64_t first = (uint64_t)(int64_t)rule->first;
    if (rule->kind == HED_GENERATE_CONSTANT) return (int64_t)first;
    if (rule->kind == HED_GENERATE_SEQUENCE)
        return (int64_t)(first + index * (uint64_t)(int64_t)rule->second);
    uint64_t range = (uint64_t)(int64_t)rule->second - first + 1;
    return (int64_t)(first +
                     (uint64_t)((unsigned __int128)random_bits(rule->seed, index) * range >> 64));
}

static double generator_real(const hed_generator *rule, uint64_t index)
{
    switch (rule->kind) {
    case HED_GENERATE_CONSTANT: return rule->first;
    case HED_GENERATE_SEQUENCE: return rule->first + (double)index * rule->second;
    case HED_GENERATE_UNIFORM: {
        double unit = (double)(random_bits(rule->seed, index) >> 11) * 0x1p-53;
        return rule->first * (1 - unit) + rule->second * unit;
    }
    case HED_GENERATE_NORMAL: {
        /* Elements 2k and 2k + 1 are one pair: a radius and an angle from one draw of 64 bits. */
        uint64_t bits = random_bits(rule->seed, index / 2);
        float radius = sqrtf(-2 * hed_log(((float)(bits >> 41) + 1) * 0x1p-23f));
        float angle = (float)(bits & 0xffffff) * (0x1p-24f * 6.28318530718f);
        return rule->first +
               rule->second * (double)(radius * (index % 2 ? hed_sin(angle) : hed_cos(angle)));
    }
    default: return (double)generator_whole(rule, index);
    }
}

static bool type_is_real(hed_type type) { return type == HED_FLOAT || type == HED_DOUBLE; }

const char *hed_generator_wrong(const hed_generator *rule, hed_type type)
{
    /* What a double holds exactly. */
    static const double lows[HED_TYPE_COUNT] = {0, INT32_MIN, 0, -0x1p53, 0},
                        highs[HED_TYPE_COUNT] = {255, INT32_MAX, UINT32_MAX, 0x1p53, 0x1p53};
    bool wants_real = rule->kind == HED_GENERATE_UNIFORM || rule->kind == HED_GENERATE_NORMAL;
    if (!isfinite(rule->first) || !isfinite(rule->second)) return "the numbers must be finite";
    if (rule->kind == HED_GENERATE_NORMAL && rule->second < 0)
        return "a standard deviation is not negative";
    if ((rule->kind == HED_GENERATE_UNIFORM || rule->kind == HED_GENERATE_INTEGERS) &&
        rule->first > rule->second)
        return "the first number is the lower end, the second the upper";
    if (wants_real)
        return type_is_real(type) ? NULL : "this is for float and double; use \"integers\"";
    double low = type_is_real(type) ? -0x1p53 : lows[type],
           high = type_is_real(type) ? 0x1p53 : highs[type];
    if (type_is_real(type) && rule->kind != HED_GENERATE_INTEGERS) return NULL;
    if (rule->first != floor(rule->first) || rule->second != floor(rule->second))
        return "whole numbers are needed";
    bool second_is_value = rule->kind == HED_GENERATE_INTEGERS;
    if (rule->first < low || rule->first > high || (second_is_value && rule->second > high) ||
        fabs(rule->second) > 0x1p53)
        return "the type does not hold these numbers";
    return NULL;
}

void hed_generate(const hed_generator *rule, hed_type type, void *data, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        switch (type) {
        case HED_FLOAT: ((float *)data)[i] = (float)generator_real(rule, i); break;
        case HED_DOUBLE: ((double *)data)[i] = generator_real(rule, i); break;
        case HED_INT32:
        case HED_UINT32: ((uint32_t *)data)[i] = (uint32_t)generator_whole(rule, i); break;
        case HED_INT64:
        case HED_UINT64: ((uint64_t *)data)[i] = (uint64_t)generator_whole(rule, i); break;
        default: ((uint8_t *)data)[i] = (uint8_t)generator_whole(rule, i);
        }
    }
}

/* ---- NumPy's files: six magic bytes, a version, the header's length, a Python dictionary ---- */

/* The header's text, from `at` to `end`. */
typedef struct npy_reader {
    const char *at, *end;
    const char *name;
    hed_error *error;
} npy_reader;

static hed_status npy_cut(const npy_reader *r, size_t size)
{
    return hed_fail(r->error, HED_ERROR_FORMAT,
        "%s is cut: it ends after %zu bytes, within the header of an npy file", r->name, size);
}

static hed_status npy_expected(const npy_reader *r, const char *what)
{
    int left = r->end - r->at > 20 ? 20 : (int)(r->end - r->at);
    for (int i = 0; i < left; i++)
        if (r->at[i] < ' ' || r->at[i] > '~') left = i;
    return hed_fail(r->error, HED_ERROR_FORMAT,
        "%s: the header of this npy file is damaged: expected %s, found \"%.*s\"", r->name, what,
        left, r->at);
}

static void npy_skip_blanks(npy_reader *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\n' || *r->at == '\t')) r->at++;
}

static bool npy_take(npy_reader *r, char sign)
{
    npy_skip_blanks(r);
    if (r->at == r->end || *r->at != sign) return false;
    r->at++;
    return true;
}

/* A word in quotes, cut to `size`. */
static hed_status npy_read_word(npy_reader *r, const char *what, char *word, size_t size)
{
    npy_skip_blanks(r);
    char quote = r->at < r->end ? *r->at : 0;
    const char *from = r->at + 1, *to = quote == '\'' || quote == '"'
                                            ? memchr(from, quote, (size_t)(r->end - from))
                                            : NULL;
    if (!to) return npy_expected(r, what);
    snprintf(word, size, "%.*s", (int)(to - from < 1000 ? to - from : 1000), from);
    r->at = to + 1;
    return HED_OK;
}

static hed_status npy_read_type(npy_reader *r, hed_npy *npy)
{
    static const struct {
        const char *word;
        hed_type type;
    } types[] = {
        {"<f4", HED_FLOAT},
        {"<f8", HED_DOUBLE},
        {"<i4", HED_INT32},
        {"<u4", HED_UINT32},
        {"<i8", HED_INT64},
        {"<u8", HED_UINT64},
    };
    char word[16];
    hed_status status =
        npy_read_word(r, "a type in quotes (one type: no records)", word, sizeof word);
    if (status) return status;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(word, types[i].word) == 0) {
            npy->type = types[i].type;
            return HED_OK;
        }
    bool small = word[0] && strchr("12", word[strlen(word) - 1]);
    const char *why = word[0] == '>' ? "it is big-endian"
                      : small ? "its elements have 1 or 2 bytes: save them as a raw file (tofile)"
                              : "there is no such argument type";
    return hed_fail(r->error, HED_ERROR_FORMAT,
        "%s: an npy file of type \"%s\": %s; read are float32, float64, int32, uint32, int64 and "
        "uint64",
        r->name, word, why);
}

static hed_status npy_read_order(npy_reader *r)
{
    npy_skip_blanks(r);
    if (r->end - r->at >= 5 && memcmp(r->at, "False", 5) == 0) {
        r->at += 5;
        return HED_OK;
    }
    if (r->end - r->at >= 4 && memcmp(r->at, "True", 4) == 0)
        return hed_fail(r->error, HED_ERROR_FORMAT,
            "%s: an npy file in Fortran order; save it with numpy.ascontiguousarray()", r->name);
    return npy_expected(r, "True or False");
}

static hed_status npy_read_shape(npy_reader *r, hed_npy *npy)
{
    if (!npy_take(r, '(')) return npy_expected(r, "a shape in parentheses");
    npy->count = 1;
    while (!npy_take(r, ')')) {
        uint64_t length = 0;
        const char *from = r->at;
        bool fits = true;
        for (; r->at < r->end && *r->at >= '0' && *r->at <= '9'; r->at++)
            fits = fits && !__builtin_mul_overflow(length, 10, &length) &&
                   !__builtin_add_overflow(length, (uint64_t)(*r->at - '0'), &length);
        if (r->at == from || npy->dimensions == HED_NPY_DIMENSIONS)
            return npy_expected(
                r, npy->dimensions == HED_NPY_DIMENSIONS ? "at most 32 dimensions" : "a length");
        npy->shape[npy->dimensions++] = length;
        if (!fits || __builtin_mul_overflow(npy->count, length, &npy->count))
            return hed_fail(r->error, HED_ERROR_FORMAT,
                "%s: the shape of this npy file has more elements than 64 bits count", r->name);
        if (!npy_take(r, ',') && (r->at == r->end || *r->at != ')'))
            return npy_expected(r, "a comma or )");
    }
    return HED_OK;
}

static hed_status npy_read_dictionary(npy_reader *r, hed_npy *npy)
{
    static const char *const keys[] = {"descr", "fortran_order", "shape"};
    unsigned seen = 0;
    if (!npy_take(r, '{')) return npy_expected(r, "{");
    while (!npy_take(r, '}')) {
        char key[16];
        hed_status status = npy_read_word(r, "a key in quotes", key, sizeof key);
        if (status) return status;
        unsigned which = 0;
        while (which < 3 && strcmp(key, keys[which]) != 0) which++;
        if (which == 3 || seen >> which & 1 || !npy_take(r, ':'))
            return npy_expected(
                r, "descr, fortran_order and shape, once each, and a colon behind each");
        seen |= 1u << which;
        status = which == 0   ? npy_read_type(r, npy)
                 : which == 1 ? npy_read_order(r)
                              : npy_read_shape(r, npy);
        if (status) return status;
        if (!npy_take(r, ',') && (r->at == r->end || *r->at != '}'))
            return npy_expected(r, "a comma or }");
    }
    npy_skip_blanks(r);
    return seen == 7 && r->at == r->end
               ? HED_OK
               : npy_expected(r, seen == 7 ? "nothing behind }" : "descr, fortran_order and shape");
}

hed_status hed_npy_parse(
    const char *name, const void *bytes, size_t size, hed_npy *npy, hed_error *error)
{
    static const unsigned char magic[] = {0x93, 'N', 'U', 'M', 'P', 'Y'};
    const unsigned char *at = bytes;
    npy_reader r = {.name = name, .error = error};
    *npy = (hed_npy){0};
    if (size == 0 || memcmp(at, magic, size < sizeof magic ? size : sizeof magic) != 0)
        return hed_fail(
            error, HED_ERROR_FORMAT, "%s is no npy file: it does not begin with \\x93NUMPY", name);
    if (size < 12) return npy_cut(&r, size);
    unsigned major = at[6], minor = at[7];
    if (major < 1 || major > 2 || minor != 0)
        return hed_fail(error, HED_ERROR_FORMAT,
            "%s: an npy file of version %u.%u; read are 1.0 and 2.0", name, major, minor);
    size_t length = at[8] | (size_t)at[9] << 8;
    if (major == 2) length |= (size_t)at[10] << 16 | (size_t)at[11] << 24;
    size_t from = major == 1 ? 10 : 12;
    if (length > size - from) return npy_cut(&r, size);
    r.at = (const char *)at + from;
    r.end = r.at + length;
    hed_status status = npy_read_dictionary(&r, npy);
    if (status) return status;
    npy->offset = from + length;
    size_t left = size - npy->offset, wanted;
    if (!__builtin_mul_overflow(npy->count, hed_type_bytes(npy->type), &wanted) && wanted == left)
        return HED_OK;
    return hed_fail(error, HED_ERROR_FORMAT,
        "%s: %zu bytes of elements in this npy file; its shape says %" PRIu64
        " elements of %u bytes: it is %s",
        name, left, npy->count, hed_type_bytes(npy->type),
        left / hed_type_bytes(npy->type) < npy->count ? "cut" : "too long");
}

/* ---- contents ---- */

static const char *const TYPE_NAMES[HED_TYPE_COUNT] = {
    "bytes", "int", "uint", "long", "ulong", "float", "double"};

/* Moves the elements of an npy file to its front. */
static bool data_take_npy(
    hed_json_node node, const char *file, hed_type type, char *bytes, size_t *size)
{
    hed_npy npy;
    hed_error error = {0};
    if (hed_npy_parse(file, bytes, *size, &npy, &error) != HED_OK) {
        hed_json_reject(node, "%s", error.text);
        return false;
    }
    if (npy.type != type) {
        hed_json_reject(node, "%s holds elements of type \"%s\"; the argument's type is \"%s\"",
            file, TYPE_NAMES[npy.type], TYPE_NAMES[type]);
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
    const hed_tune_memory *memory = hed_spec_fine(reader) ? hed_spec_in_memory(reader, file) : NULL;
    if (memory) data = (char *)memory->bytes, size = memory->size; /* only read */
    else if (!hed_spec_read_file(reader, node, file, 0, limit, &data, &size)) return NULL;
    size_t length = strlen(file);
    if (!memory && length >= 4 && strcmp(file + length - 4, ".npy") == 0 &&
        !data_take_npy(node, file, type, data, &size))
        return NULL;
    if (size == 0) hed_json_reject(node, "%s has no elements", file);
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
        hed_json_reject(node, "expected a whole number of elements from 1 on, found %g", count);
    } else if (count > 0x1p53 || __builtin_mul_overflow((uint64_t)count, element_bytes, bytes) ||
               *bytes > SIZE_MAX / 2 || (most > 0 && *bytes > most)) {
        hed_json_fail(node, HED_ERROR_LIMIT,
            "%.17g elements of %u bytes are more than a buffer of %s may have (%" PRIu64 " bytes)",
            count, element_bytes, reader->device->id, most);
        *bytes = 0;
    }
    return *bytes > 0;
}

/* The ranges of whole numbers; the ends of 64-bit types are the doubles just inside. */
static bool type_holds(hed_type type, double value)
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
    bool real = type_is_real(type);
    if (!hed_spec_fine(reader)) return NULL;
    if (!real && (value != floor(value) || !type_holds(type, value))) {
        hed_json_reject(node, "a scalar of type \"%s\" cannot be %.17g", TYPE_NAMES[type], value);
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
    hed_json_reject(
        node, "%s holds %" PRIu64 " bytes; the argument has %" PRIu64, file, found, expected);
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
        hed_json_fail(node, HED_ERROR_LIMIT, "a symbol of %" PRIu64 " bytes; at most %d",
            argument->bytes, HED_MAX_SYMBOL_BYTES);
}

/* ---- contents given on the command line ---- */

/* Of the elements. */
static hed_type element_type(const hed_spec_reader *reader, const hed_argument_def *def)
{
    return def->symbol ? reader->spec->symbol_types[def - reader->spec->argument_defs] : def->type;
}

static void content_from_file(hed_spec_reader *reader, hed_json_node node, const char *file,
    hed_argument_def *def, hed_tune_argument *argument)
{
    uint64_t bytes;
    void *data = hed_spec_read_data(reader, node, file, element_type(reader, def), &bytes);
    /* what is written is as large as the file says */
    bool grows = def->symbol || (def->kind == HED_BUFFER && def->access == HED_READ);
    if (!data || (!grows && !hed_spec_check_bytes(reader, node, file, bytes, argument->bytes)))
        return;
    argument->data = data;
    argument->bytes = bytes;
    if (def->symbol) hed_spec_make_symbol(reader, node, def, argument);
}

static void content_from_range(hed_spec_reader *reader, hed_json_node node, double low, double high,
    const hed_argument_def *def, hed_tune_argument *argument)
{
    const hed_type type = element_type(reader, def);
    bool real = type_is_real(type);
    hed_generator rule = {.kind = real ? HED_GENERATE_UNIFORM : HED_GENERATE_INTEGERS,
        .first = low,
        .second = high,
        .seed = (uint64_t)(argument - reader->spec->arguments)};
    const char *wrong = hed_generator_wrong(&rule, type);
    if (wrong) hed_json_reject(node, "\"%s\" cannot be filled so: %s", def->name, wrong);
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
    hed_tune_file *spec = reader->spec;
    for (index = 0; index < spec->kernel.def.argument_count; index++)
        if (strcmp(spec->argument_defs[index].name, name) == 0) break;
    hed_json_node list = spec->argument_list,
                  node = index < hed_json_count(list) ? hed_json_item(list, index) : list;
    hed_argument_def *def = &reader->spec->argument_defs[index < HED_MAX_ARGUMENTS ? index : 0];
    bool range = sscanf(content, "%lf:%lf%n", &low, &high, &length) == 2 && !content[length];
    if (index == reader->spec->kernel.def.argument_count)
        hed_json_fail(
            node, HED_ERROR_ARGUMENT, "there is no argument \"%s\" that --input could fill", name);
    else if (!reader->spec->arguments[index].data || def->kind == HED_SCALAR)
        hed_json_fail(node, HED_ERROR_ARGUMENT,
            "\"%s\" has no first content that --input could take the place of", name);
    else if (range)
        content_from_range(reader, node, low, high, def, &reader->spec->arguments[index]);
    else content_from_file(reader, node, content, def, &reader->spec->arguments[index]);
}
