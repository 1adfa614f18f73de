/* Protobuf's wire format (protobuf.dev, "Encoding"), read by tables. */
#include "model/import_wire.h"

#include "model/model.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    VARINT = 0,
    BITS_64 = 1,
    BYTES = 2,
    BITS_32 = 5,
};

typedef struct reader {
    const uint8_t *bytes;
    size_t at;
    const char *name;
    hed_error *error;
} reader;

static hed_status cut(const reader *r, const char *message, size_t end)
{
    return synth_fail(r->error, HED_ERROR_FORMAT,
        "%s: the %s ends at byte %zu, in the middle of a field", r->name, message, end);
}

static hed_status read_varint(reader *r, const char *message, size_t end, uint64_t *value)
{
    size_t begin = r->at;
    *value = 0;
    for (uint32_t shift = 0; shift < 70; shift += 7) {
        if (r->at == end) return cut(r, message, end);
        uint64_t byte = r->bytes[r->at++];
        if (shift < 64) *value |= (byte & 0x7f) << shift;
        if (byte < 0x80) return HED_OK;
    }
    return synth_fail(r->error, HED_ERROR_FORMAT,
        "%s: byte %zu: found a number of more than 10 bytes", r->name, begin);
}

/* A field's value: a number, or where its bytes begin and end. */
typedef struct value {
    uint64_t number;
    size_t begin, end;
} value;

static hed_status read_value(
    reader *r, const char *message, size_t end, uint32_t type, size_t begin, value *v)
{
    uint64_t length = type == BITS_64 ? 8 : 4;
    if (type == VARINT) return read_varint(r, message, end, &v->number);
    if (type != BITS_64 && type != BITS_32 && type != BYTES)
        return synth_fail(r->error, HED_ERROR_FORMAT,
            "%s: byte %zu: found wire type %u in the %s, expected 0, 1, 2 or 5: this is no preset, or a damaged one",
            r->name, begin, type, message);
    if (type == BYTES) {
        hed_status status = read_varint(r, message, end, &length);
        if (status) return status;
    }
    if (length > end - r->at) return cut(r, message, end);
    v->begin = r->at;
    v->end = r->at += (size_t)length;
    return HED_OK;
}

static hed_status read_message(reader *r, const synth_wire_message *message, size_t end, void *out);

/* Room for one more item, zeroed. */
static hed_status grow(
    const reader *r, const synth_wire_message *message, synth_wire_list *list, void **item)
{
    if (list->count == SYNTH_WIRE_MOST)
        return synth_fail(r->error, HED_ERROR_LIMIT,
            "%s: byte %zu: found more than %u of the kind %s", r->name, r->at, list->count,
            message->name);
    if (list->count == list->capacity) {
        uint32_t capacity = list->capacity ? 2 * list->capacity : 8;
        void *items = realloc(list->items, capacity * message->size);
        if (!items)
            return synth_fail(r->error, HED_ERROR_MEMORY, "%s: no memory for %u of the kind %s",
                r->name, capacity, message->name);
        list->items = items;
        list->capacity = capacity;
    }
    *item = memset((char *)list->items + list->count++ * message->size, 0, message->size);
    return HED_OK;
}

static hed_status store(reader *r, const synth_wire_field *field, const value *v, void *out)
{
    void *place = (char *)out + field->offset;
    hed_status status = HED_OK;
    switch (field->kind) {
    case SYNTH_WIRE_FLOAT: {
        uint32_t bits = 0;
        for (uint32_t i = 0; i < 4; i++) bits |= (uint32_t)r->bytes[v->begin + i] << 8 * i;
        memcpy(place, &bits, sizeof bits);
        break;
    }
    case SYNTH_WIRE_WHOLE: *(int32_t *)place = (int32_t)(uint32_t)v->number; break;
    case SYNTH_WIRE_FLAG: *(bool *)place = v->number != 0; break;
    case SYNTH_WIRE_LIST: status = grow(r, field->message, place, &place); /* fall through */
    case SYNTH_WIRE_MESSAGE:
        if (status) return status;
        r->at = v->begin;
        status = read_message(r, field->message, v->end, place);
        break;
    }
    if (field->choice) *(int32_t *)((char *)out + field->choice - 1) = (int32_t)field->number;
    return status;
}

static hed_status read_message(reader *r, const synth_wire_message *message, size_t end, void *out)
{
    while (r->at < end) {
        static const uint32_t expected[] = {BITS_32, VARINT, VARINT, BYTES, BYTES};
        size_t begin = r->at;
        uint64_t tag;
        value v = {0};
        hed_status status = read_varint(r, message->name, end, &tag);
        if (status) return status;
        if (tag >> 3 == 0 || tag > UINT32_MAX)
            return synth_fail(r->error, HED_ERROR_FORMAT,
                "%s: byte %zu: found field %" PRIu64
                " in the %s, expected 1 or more: this is no preset",
                r->name, begin, tag >> 3, message->name);
        uint32_t number = (uint32_t)(tag >> 3), type = (uint32_t)(tag & 7);
        status = read_value(r, message->name, end, type, begin, &v);
        if (status) return status;
        const synth_wire_field *field = message->fields;
        while (field->number && field->number != number) field++;
        if (!field->number) continue;
        if (type != expected[field->kind])
            return synth_fail(r->error, HED_ERROR_FORMAT,
                "%s: byte %zu: found field %u of the %s with wire type %u, expected %u", r->name,
                begin, number, message->name, type, expected[field->kind]);
        status = store(r, field, &v, out);
        if (status) return status;
    }
    return HED_OK;
}

hed_status synth_wire_read(const synth_wire_message *message, const void *bytes, size_t size,
    const char *name, void *out, hed_error *error)
{
    reader r = {.bytes = bytes, .name = name, .error = error};
    return read_message(&r, message, size, out);
}

void synth_wire_free(const synth_wire_message *message, void *out)
{
    for (const synth_wire_field *field = message->fields; field->number; field++) {
        void *place = (char *)out + field->offset;
        if (field->kind == SYNTH_WIRE_MESSAGE) synth_wire_free(field->message, place);
        if (field->kind != SYNTH_WIRE_LIST) continue;
        synth_wire_list *list = place;
        for (uint32_t i = 0; i < list->count; i++)
            synth_wire_free(field->message, (char *)list->items + i * field->message->size);
        free(list->items);
        *list = (synth_wire_list){0};
    }
}
