/* Reading and checking structs by tables of fields. */
#include "support/fields.h"

#include "heddle/author.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

/* ---- keys ---- */

const hed_field *hed_fields_find(const hed_fields *fields, const char *key)
{
    const hed_field *field = fields->rows;
    while (field->key && strcmp(field->key, key) != 0) field++;
    return field->key ? field : NULL;
}

void hed_fields_only(const hed_fields *fields, hed_json_node object)
{
    enum { MOST_KEYS = 64 };
    const char *keys[MOST_KEYS + 1];
    size_t count = 0;
    for (const hed_field *field = fields->rows; field->key; field++) {
        assert(count < MOST_KEYS);
        keys[count++] = field->key;
    }
    keys[count] = NULL;
    hed_json_only(object, keys);
    for (const hed_field *field = fields->rows; field->key; field++)
        if (field->required) hed_json_member(object, field->key);
}

uint32_t hed_fields_which(const hed_fields *fields, hed_json_node object)
{
    uint32_t present = 0, index = 0;
    char list[HED_ERROR_TEXT / 4] = "";
    size_t used = 0;
    for (uint32_t i = 0; fields->one_of[i]; i++) {
        if (hed_json_has(object, fields->one_of[i])) {
            present++;
            index = i;
        }
        if (used < sizeof list)
            used += (size_t)snprintf(
                list + used, sizeof list - used, "%s\"%s\"", i ? ", " : "", fields->one_of[i]);
    }
    if (present != 1)
        hed_json_reject(
            object, "expected exactly one of %s, found %s", list, present ? "several" : "none");
    return index;
}

/* ---- values ---- */

/* Stores a number in a float or double. */
static void field_store(void *at, size_t size, double value)
{
    float narrow = (float)value;
    memcpy(at, size == sizeof narrow ? (void *)&narrow : (void *)&value, size);
}

static double field_load(const void *at, size_t size)
{
    float narrow;
    double value;
    if (size == sizeof value) return memcpy(&value, at, size), value;
    return memcpy(&narrow, at, size), (double)narrow;
}

static void field_store_whole(void *at, size_t size, uint64_t value)
{
    uint8_t byte = (uint8_t)value;
    uint32_t word = (uint32_t)value;
    memcpy(at, size == 1 ? (void *)&byte : size == 4 ? (void *)&word : (void *)&value, size);
}

static uint64_t field_load_whole(const void *at, size_t size)
{
    uint32_t word;
    uint64_t value;
    if (size == 1) return *(const uint8_t *)at;
    if (size == 4) return memcpy(&word, at, size), word;
    return memcpy(&value, at, size), value;
}

static size_t field_element(const hed_field *field) { return field->size / field->count; }

void hed_field_read_value(const hed_field *field, hed_json_node node, void *at, void *user)
{
    if (field->read) {
        field->read(field, node, at, user);
        return;
    }
    switch (field->kind) {
    case HED_FIELD_NUMBER:
        field_store(at, field->size, hed_json_number(node, field->low, field->high));
        break;
    case HED_FIELD_INTEGER: {
        int64_t high = field->high >= 9.2e18 ? INT64_MAX : (int64_t)field->high;
        int64_t value = hed_json_integer(node, (int64_t)field->low, high);
        field_store_whole(at, field->size, (uint64_t)value);
        break;
    }
    case HED_FIELD_BOOLEAN: {
        bool value = hed_json_boolean(node);
        if (field->size) *(bool *)at = value;
        break;
    }
    case HED_FIELD_TEXT: {
        const char *text = hed_json_string(node);
        if (field->size) *(const char **)at = text;
        break;
    }
    case HED_FIELD_CHOICE:
        field_store_whole(at, field->size, hed_json_choice(node, field->words));
        break;
    case HED_FIELD_VECTOR: {
        double values[16];
        size_t element = field_element(field);
        assert(field->count <= HED_COUNT(values));
        hed_json_numbers(node, values, field->count, field->low, field->high);
        for (uint32_t i = 0; i < field->count; i++)
            field_store((char *)at + i * element, element, values[i]);
        break;
    }
    case HED_FIELD_OBJECT: hed_fields_read(field->fields, node, at, user); break;
    case HED_FIELD_LIST:
    case HED_FIELD_OTHER: break;
    }
}

size_t hed_field_length(const hed_field *field, hed_json_node array)
{
    size_t count = hed_json_count(array);
    if (hed_json_status(array.json, NULL) != HED_OK ||
        ((double)count >= field->low && (double)count <= field->high))
        return count;
    if (field->low > 0)
        hed_json_reject(array, "expected %.0f to %.0f %s, found %zu", field->low, field->high,
            field->key, count);
    else
        hed_json_reject(array, "expected at most %.0f %s, found %zu", field->high, field->key, count);
    return count;
}

/* Rejects a key that has no effect with the value of another key. */
static void field_check_effect(
    const hed_fields *fields, const hed_field *field, hed_json_node object, const void *values)
{
    const hed_field *condition = hed_fields_find(fields, field->with);
    uint64_t value = field_load_whole((const char *)values + condition->offset, condition->size);
    if (field->with_values >> (value < 31 ? value : 31) & 1) return;
    hed_json_node member = hed_json_member(object, field->key);
    if (!condition->words) {
        hed_json_reject(member, "no effect with \"%s\": %" PRIu64, field->with, value);
        return;
    }
    char list[HED_ERROR_TEXT / 4] = "";
    size_t used = 0;
    for (uint32_t i = 0; condition->words[i] && used < sizeof list; i++)
        if (field->with_values >> i & 1)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s\"%s\"",
                used ? " or " : "", condition->words[i]);
    hed_json_reject(member, "no effect with \"%s\": \"%s\"; expected %s there", field->with,
        condition->words[value], list);
}

void hed_fields_read(const hed_fields *fields, hed_json_node object, void *into, void *user)
{
    hed_fields_only(fields, object);
    if (fields->one_of) hed_fields_which(fields, object);
    for (const hed_field *field = fields->rows; field->key; field++)
        if (hed_json_has(object, field->key))
            hed_field_read_value(
                field, hed_json_member(object, field->key), (char *)into + field->offset, user);
    for (const hed_field *field = fields->rows; field->key; field++)
        if (field->with && hed_json_has(object, field->key))
            field_check_effect(fields, field, object, into);
}

/* ---- checks of structs ---- */

hed_status hed_fields_check(
    const hed_fields *fields, const void *values, const char *subject, hed_error *error)
{
    for (const hed_field *field = fields->rows; field->key; field++) {
        const char *at = (const char *)values + field->offset;
        double low = field->low, high = field->high;
        size_t element = field->size;
        uint32_t count = 1;
        bool whole = field->kind == HED_FIELD_INTEGER || field->kind == HED_FIELD_CHOICE;
        if (field->kind == HED_FIELD_OBJECT) {
            char part[HED_ERROR_TEXT / 4];
            snprintf(part, sizeof part, "%s: %s", subject, field->key);
            hed_status status = hed_fields_check(field->fields, at, part, error);
            if (status != HED_OK) return status;
        }
        if (field->kind == HED_FIELD_VECTOR) count = field->count, element = field_element(field);
        if (field->kind == HED_FIELD_CHOICE)
            for (high = -1; field->words[(uint32_t)(high + 1)];) high++;
        if (!whole && field->kind != HED_FIELD_NUMBER && field->kind != HED_FIELD_VECTOR) continue;
        for (uint32_t i = 0; i < count; i++, at += element) {
            double value = whole ? (double)field_load_whole(at, element) : field_load(at, element);
            /* limits of a float are rounded as the float is; NaN fails the comparison */
            bool narrow = !whole && element == sizeof(float);
            if (value >= (narrow ? (float)low : low) && value <= (narrow ? (float)high : high))
                continue;
            return hed_fail(error, HED_ERROR_ARGUMENT,
                "%s: %s is %g; expected a value from %g to %g", subject, field->key, value, low,
                high);
        }
    }
    return HED_OK;
}
