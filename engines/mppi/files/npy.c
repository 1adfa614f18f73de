/* Arrays in NumPy's files (NEP 1): six magic bytes, a version, the header's length, a Python
 * dictionary of three entries, then the elements. The reader supports float32 and float64 in C
 * order. */
#include "heddle/author.h"
#include "heddle/mppi_scene.h"
#include "support/file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Contents of a header. */
typedef struct npy_header {
    uint32_t element; /* bytes */
    uint64_t count;
    size_t offset; /* offset of the first element in the file, bytes */
} npy_header;

static uint32_t npy_little(const unsigned char *at, int bytes)
{
    uint32_t value = 0;
    for (int i = 0; i < bytes; i++) value |= (uint32_t)at[i] << 8 * i;
    return value;
}

/* Returns the text after 'key': in the dictionary; NULL: no such key. */
static const char *npy_value(const char *header, const char *key)
{
    const char *at = strstr(header, key);
    if (!at) return NULL;
    at += strlen(key);
    at += strspn(at, "'\": ");
    return at;
}

static hed_status npy_read_shape(
    const char *name, const char *shape, uint64_t *count, hed_error *error)
{
    *count = 1;
    if (*shape != '(')
        return hed_fail(error, HED_ERROR_FORMAT, "%s: the shape in its header is no tuple", name);
    for (const char *at = shape + 1; *at != ')';) {
        char *end;
        unsigned long long length = strtoull(at, &end, 10);
        if (end == at || *at == '-' || *at == '+')
            return hed_fail(error, HED_ERROR_FORMAT,
                "%s: the shape in its header is damaged: expected a length, found \"%.10s\"", name,
                at);
        if (__builtin_mul_overflow(*count, (uint64_t)length, count)) *count = UINT64_MAX;
        at = end + strspn(end, ", ");
    }
    return HED_OK;
}

static hed_status npy_read_header(
    const char *name, const char *bytes, size_t size, npy_header *header, hed_error *error)
{
    const unsigned char *raw = (const unsigned char *)bytes;
    if (size < 12 || memcmp(bytes, "\x93NUMPY", 6) != 0)
        return hed_fail(
            error, HED_ERROR_FORMAT, "%s is no npy file: it does not begin with \\x93NUMPY", name);
    if (raw[6] < 1 || raw[6] > 3)
        return hed_fail(error, HED_ERROR_FORMAT,
            "%s: an npy file of version %u; read are versions 1 to 3", name, raw[6]);
    size_t begin = raw[6] == 1 ? 10 : 12;
    uint32_t length = npy_little(raw + 8, raw[6] == 1 ? 2 : 4);
    char text[1024];
    if (length > size - begin)
        return hed_fail(
            error, HED_ERROR_FORMAT, "%s is cut or damaged: its header has %u bytes", name, length);
    if (length >= sizeof text)
        return hed_fail(error, HED_ERROR_LIMIT, "%s: its header has %u bytes; expected at most %zu",
            name, length, sizeof text - 1);
    memcpy(text, bytes + begin, length);
    text[length] = 0;
    const char *type = npy_value(text, "descr"), *order = npy_value(text, "fortran_order");
    const char *shape = npy_value(text, "shape");
    if (!type || !order || !shape)
        return hed_fail(error, HED_ERROR_FORMAT,
            "%s: its header is damaged: expected descr, fortran_order and shape", name);
    if (strncmp(type, "<f4", 3) != 0 && strncmp(type, "<f8", 3) != 0)
        return hed_fail(error, HED_ERROR_FORMAT,
            "%s has elements of type \"%.3s\"; read are <f4 and <f8: save it with astype('float32')",
            name, type);
    if (strncmp(order, "False", 5) != 0)
        return hed_fail(error, HED_ERROR_FORMAT,
            "%s is in Fortran order; save it with numpy.ascontiguousarray()", name);
    header->element = type[2] == '4' ? 4 : 8;
    header->offset = begin + length;
    return npy_read_shape(name, shape, &header->count, error);
}

/* Converts the file's elements to floats. */
static hed_status npy_convert(const char *name, const char *bytes, size_t size, float **values,
    uint32_t *count, hed_error *error)
{
    npy_header header;
    hed_status status = npy_read_header(name, bytes, size, &header, error);
    if (status != HED_OK) return status;
    if (header.count > (size - header.offset) / header.element)
        return hed_fail(error, HED_ERROR_FORMAT,
            "%s is cut: its header says %llu elements, %zu are there", name,
            (unsigned long long)header.count, (size - header.offset) / header.element);
    *values = malloc(header.count * sizeof(float) + 1);
    if (!*values) return HED_OUT_OF_MEMORY(error, "%s", name);
    *count = (uint32_t)header.count;
    const char *at = bytes + header.offset;
    for (uint32_t i = 0; i < *count; i++) {
        double wide;
        if (header.element == 8) {
            memcpy(&wide, at + 8 * (size_t)i, 8);
            (*values)[i] = (float)wide;
        } else memcpy(*values + i, at + 4 * (size_t)i, 4);
        if (isfinite((*values)[i])) continue;
        hed_fail(error, HED_ERROR_FORMAT, "%s: element %u is no finite number", name, i);
        free(*values);
        *values = NULL;
        return HED_ERROR_FORMAT;
    }
    return HED_OK;
}

hed_status hed_mppi_npy_read(const char *path, float **values, uint32_t *count, hed_error *error)
{
    HED_REQUIRE(path, values, count);
    *values = NULL;
    *count = 0;
    char *bytes;
    size_t size;
    hed_status status = hed_file_read(path, 1u << 30, &bytes, &size, error);
    if (status != HED_OK) return status;
    status = npy_convert(path, bytes, size, values, count, error);
    free(bytes);
    return status;
}
