/* Reading NumPy's file format: six magic bytes, a version, the header's length, and a Python
 * dictionary as text. */
#include "tunefile/npy.h"

#include "support/errors.h"

#include <stdio.h>
#include <string.h>

/* The header's text, from `at` to `end`. */
typedef struct reader {
    const char *at, *end;
    const char *name;
    hed_error *error;
} reader;

static hed_status cut(const reader *r, size_t size)
{
    return hed_error_set(r->error, HED_ERROR_FORMAT,
        "%s is cut: it ends after %zu bytes, within the header of an npy file", r->name, size);
}

static hed_status expected(const reader *r, const char *what)
{
    int left = r->end - r->at > 20 ? 20 : (int)(r->end - r->at);
    for (int i = 0; i < left; i++)
        if (r->at[i] < ' ' || r->at[i] > '~') left = i;
    return hed_error_set(r->error, HED_ERROR_FORMAT,
        "%s: the header of this npy file is damaged: expected %s, found \"%.*s\"", r->name, what,
        left, r->at);
}

static void skip_blanks(reader *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\n' || *r->at == '\t')) r->at++;
}

static bool take(reader *r, char sign)
{
    skip_blanks(r);
    if (r->at == r->end || *r->at != sign) return false;
    r->at++;
    return true;
}

/* A word in quotes, cut to `size`. */
static hed_status read_word(reader *r, const char *what, char *word, size_t size)
{
    skip_blanks(r);
    char quote = r->at < r->end ? *r->at : 0;
    const char *from = r->at + 1, *to = quote == '\'' || quote == '"'
                                            ? memchr(from, quote, (size_t)(r->end - from))
                                            : NULL;
    if (!to) return expected(r, what);
    snprintf(word, size, "%.*s", (int)(to - from < 1000 ? to - from : 1000), from);
    r->at = to + 1;
    return HED_OK;
}

static hed_status read_type(reader *r, hed_npy *npy)
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
    hed_status status = read_word(r, "a type in quotes (one type: no records)", word, sizeof word);
    if (status != HED_OK) return status;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(word, types[i].word) == 0) {
            npy->type = types[i].type;
            return HED_OK;
        }
    bool small = word[0] && strchr("12", word[strlen(word) - 1]);
    const char *why = word[0] == '>' ? "it is big-endian"
                      : small ? "its elements have 1 or 2 bytes: save them as a raw file (tofile)"
                              : "there is no such argument type";
    return hed_error_set(r->error, HED_ERROR_FORMAT,
        "%s: an npy file of type \"%s\": %s; read are float32, float64, int32, uint32, int64 and "
        "uint64",
        r->name, word, why);
}

static hed_status read_order(reader *r)
{
    skip_blanks(r);
    if (r->end - r->at >= 5 && memcmp(r->at, "False", 5) == 0) {
        r->at += 5;
        return HED_OK;
    }
    if (r->end - r->at >= 4 && memcmp(r->at, "True", 4) == 0)
        return hed_error_set(r->error, HED_ERROR_FORMAT,
            "%s: an npy file in Fortran order; save it with numpy.ascontiguousarray()", r->name);
    return expected(r, "True or False");
}

static hed_status read_shape(reader *r, hed_npy *npy)
{
    if (!take(r, '(')) return expected(r, "a shape in parentheses");
    npy->count = 1;
    while (!take(r, ')')) {
        uint64_t length = 0;
        const char *from = r->at;
        bool fits = true;
        for (; r->at < r->end && *r->at >= '0' && *r->at <= '9'; r->at++)
            fits = fits && !__builtin_mul_overflow(length, 10, &length) &&
                   !__builtin_add_overflow(length, (uint64_t)(*r->at - '0'), &length);
        if (r->at == from || npy->dimensions == HED_NPY_DIMENSIONS)
            return expected(
                r, npy->dimensions == HED_NPY_DIMENSIONS ? "at most 32 dimensions" : "a length");
        npy->shape[npy->dimensions++] = length;
        if (!fits || __builtin_mul_overflow(npy->count, length, &npy->count))
            return hed_error_set(r->error, HED_ERROR_FORMAT,
                "%s: the shape of this npy file has more elements than 64 bits count", r->name);
        if (!take(r, ',') && (r->at == r->end || *r->at != ')')) return expected(r, "a comma or )");
    }
    return HED_OK;
}

static hed_status read_dictionary(reader *r, hed_npy *npy)
{
    static const char *const keys[] = {"descr", "fortran_order", "shape"};
    unsigned seen = 0;
    if (!take(r, '{')) return expected(r, "{");
    while (!take(r, '}')) {
        char key[16];
        hed_status status = read_word(r, "a key in quotes", key, sizeof key);
        if (status != HED_OK) return status;
        unsigned which = 0;
        while (which < 3 && strcmp(key, keys[which]) != 0) which++;
        if (which == 3 || seen >> which & 1 || !take(r, ':'))
            return expected(
                r, "descr, fortran_order and shape, once each, and a colon behind each");
        seen |= 1u << which;
        status = which == 0 ? read_type(r, npy) : which == 1 ? read_order(r) : read_shape(r, npy);
        if (status != HED_OK) return status;
        if (!take(r, ',') && (r->at == r->end || *r->at != '}')) return expected(r, "a comma or }");
    }
    skip_blanks(r);
    return seen == 7 && r->at == r->end
               ? HED_OK
               : expected(r, seen == 7 ? "nothing behind }" : "descr, fortran_order and shape");
}

hed_status hed_npy_parse(
    const char *name, const void *bytes, size_t size, hed_npy *npy, hed_error *error)
{
    static const unsigned char magic[] = {0x93, 'N', 'U', 'M', 'P', 'Y'};
    static const uint8_t element_bytes[HED_TYPE_COUNT] = {1, 4, 4, 8, 8, 4, 8};
    const unsigned char *at = bytes;
    reader r = {.name = name, .error = error};
    *npy = (hed_npy){0};
    if (size == 0 || memcmp(at, magic, size < sizeof magic ? size : sizeof magic) != 0)
        return hed_error_set(
            error, HED_ERROR_FORMAT, "%s is no npy file: it does not begin with \\x93NUMPY", name);
    if (size < 12) return cut(&r, size);
    unsigned major = at[6], minor = at[7];
    if (major < 1 || major > 2 || minor != 0)
        return hed_error_set(error, HED_ERROR_FORMAT,
            "%s: an npy file of version %u.%u; read are 1.0 and 2.0", name, major, minor);
    size_t length = at[8] | (size_t)at[9] << 8;
    if (major == 2) length |= (size_t)at[10] << 16 | (size_t)at[11] << 24;
    size_t from = major == 1 ? 10 : 12;
    if (length > size - from) return cut(&r, size);
    r.at = (const char *)at + from;
    r.end = r.at + length;
    hed_status status = read_dictionary(&r, npy);
    if (status != HED_OK) return status;
    npy->offset = from + length;
    size_t left = size - npy->offset, wanted;
    if (!__builtin_mul_overflow(npy->count, element_bytes[npy->type], &wanted) && wanted == left)
        return HED_OK;
    return hed_error_set(error, HED_ERROR_FORMAT,
        "%s: %zu bytes of elements in this npy file; its shape says %llu elements of %u bytes: it is %s",
        name, left, (unsigned long long)npy->count, element_bytes[npy->type],
        left / element_bytes[npy->type] < npy->count ? "cut" : "too long");
}
