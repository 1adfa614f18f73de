/* Writing JSON: an array of objects. */
#include "support/errors.h"
#include "support/json.h"

#include <assert.h>
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RECORDS_DEPTH = 4 };

struct hed_records {
    json_t *root;
    json_t *array;  /* that objects are added to; the root, or a list inside an object */
    json_t *object; /* the one under construction; the array's, or a member of another one */
    struct {
        json_t *array, *object;
    } around[RECORDS_DEPTH];
    uint32_t depth;
    bool failed;
};

hed_records *hed_records_create(void)
{
    hed_records *records = calloc(1, sizeof *records);
    if (records && !(records->root = records->array = json_array())) {
        free(records);
        return NULL;
    }
    return records;
}

void hed_records_free(hed_records *records)
{
    if (!records) return;
    json_decref(records->root);
    free(records);
}

void hed_records_next(hed_records *records)
{
    if (!records) return;
    records->object = json_object();
    if (json_array_append_new(records->array, records->object) != 0) {
        records->object = NULL;
        records->failed = true;
    }
}

/* Takes `value` over; NULL stands for memory that ran out. */
static void set(hed_records *records, const char *key, json_t *value)
{
    if (records && records->object) {
        if (json_object_set_new(records->object, key, value) != 0) records->failed = true;
    } else {
        json_decref(value);
    }
}

/* Driver strings are whatever the vendor wrote: everything that is not ASCII is replaced if the
 * whole is not UTF-8. */
static json_t *make_text(const char *value)
{
    json_t *text = json_string(value);
    if (text) return text;
    char *copy = strdup(value);
    for (char *c = copy; copy && *c; c++)
        if ((unsigned char)*c >= 0x80) *c = '?';
    text = copy ? json_string(copy) : NULL;
    free(copy);
    return text;
}

void hed_records_text(hed_records *records, const char *key, const char *value)
{
    set(records, key, make_text(value));
}

void hed_records_number(hed_records *records, const char *key, double value)
{
    set(records, key, isfinite(value) ? json_real(value) : json_null());
}

void hed_records_integer(hed_records *records, const char *key, uint64_t value)
{
    set(records, key,
        value <= INT64_MAX ? json_integer((json_int_t)value) : json_real((double)value));
}

void hed_records_boolean(hed_records *records, const char *key, bool value)
{
    set(records, key, json_boolean(value));
}

void hed_records_texts(
    hed_records *records, const char *key, const char *const *values, size_t count)
{
    json_t *array = json_array();
    for (size_t i = 0; array && i < count; i++) {
        if (json_array_append_new(array, make_text(values[i])) != 0) {
            json_decref(array);
            array = NULL;
        }
    }
    set(records, key, array);
}

static void enter(hed_records *records, const char *key, json_t *inner, bool list)
{
    if (!records) {
        json_decref(inner);
        return;
    }
    bool there = records->object && inner;
    set(records, key, inner);
    if (!there || records->failed) inner = NULL; /* memory has run out */
    assert(records->depth < RECORDS_DEPTH);
    records->around[records->depth].array = records->array;
    records->around[records->depth++].object = records->object;
    records->array = list ? inner : NULL;
    records->object = list ? NULL : inner;
}

void hed_records_open(hed_records *records, const char *key)
{
    enter(records, key, json_object(), false);
}

void hed_records_open_list(hed_records *records, const char *key)
{
    enter(records, key, json_array(), true);
}

void hed_records_close(hed_records *records)
{
    if (!records || records->depth == 0) return;
    records->depth--;
    records->array = records->around[records->depth].array;
    records->object = records->around[records->depth].object;
}

static hed_status print(
    const hed_records *records, const json_t *value, FILE *stream, hed_error *error)
{
    if (!records || records->failed)
        return hed_error_set(error, HED_ERROR_MEMORY, "out of memory while making JSON");
    errno = 0;
    /* Nine digits: more than any measurement has, and 0.1 stays 0.1. */
    if (json_dumpf(value, stream, JSON_INDENT(2) | JSON_REAL_PRECISION(9)) != 0 ||
        fputc('\n', stream) == EOF || fflush(stream) != 0)
        return hed_error_set(error, errno == ENOMEM ? HED_ERROR_MEMORY : HED_ERROR_IO,
            "cannot write JSON: %s", strerror(errno));
    return HED_OK;
}

hed_status hed_records_print_one(const hed_records *records, FILE *stream, hed_error *error)
{
    return print(records, records ? json_array_get(records->root, 0) : NULL, stream, error);
}

hed_status hed_records_print(const hed_records *records, FILE *stream, hed_error *error)
{
    return print(records, records ? records->root : NULL, stream, error);
}
