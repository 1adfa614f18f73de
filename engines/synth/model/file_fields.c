/* Reading the parts of an instrument file: values of definitions, references, lists. */
#include "model/file_parts.h"

#include <string.h>

bool synth_file_fine(const synth_file_reader *reader)
{
    return reader->failure.status == HED_OK && hed_json_status(reader->json, NULL) == HED_OK;
}

void synth_file_refuse(synth_file_reader *reader, hed_json_node node, const hed_error *error)
{
    if (!synth_file_fine(reader)) return;
    reader->failure = *error;
    if (error->status != HED_ERROR_ARGUMENT && error->status != HED_ERROR_LIMIT) return;
    /* The document's fault: say where. */
    hed_json_reject(node, "%s", error->text);
    hed_json_status(reader->json, &reader->failure);
    if (error->status == HED_ERROR_LIMIT) reader->failure.status = HED_ERROR_LIMIT;
}

/* ---- values ---- */

static void read_adsr(hed_json_node object, const synth_field *field, hed_synth_adsr *adsr)
{
    hed_json_only(object, (const char *const[]){"attack", "decay", "sustain", "release", NULL});
    if (hed_json_has(object, "attack"))
        adsr->attack = (float)hed_json_number(hed_json_member(object, "attack"), 0, field->high);
    if (hed_json_has(object, "decay"))
        adsr->decay = (float)hed_json_number(hed_json_member(object, "decay"), 0, field->high);
    if (hed_json_has(object, "sustain"))
        adsr->sustain = (float)hed_json_number(hed_json_member(object, "sustain"), 0, 1);
    if (hed_json_has(object, "release"))
        adsr->release = (float)hed_json_number(hed_json_member(object, "release"), 0, field->high);
}

static void read_route(hed_json_node object, hed_synth_route *route)
{
    hed_json_only(object, (const char *const[]){"channel", "low", "high", NULL});
    if (hed_json_has(object, "channel"))
        route->channel = (uint8_t)hed_json_integer(hed_json_member(object, "channel"), 0, 16);
    if (hed_json_has(object, "low"))
        route->low = (uint8_t)hed_json_integer(hed_json_member(object, "low"), 0, 127);
    if (hed_json_has(object, "high"))
        route->high = (uint8_t)hed_json_integer(hed_json_member(object, "high"), 0, 127);
}

static void read_vector(hed_json_node array, const synth_field *field, float vector[3])
{
    double values[3];
    hed_json_numbers(array, values, 3, field->low, field->high);
    for (uint32_t i = 0; i < 3; i++) vector[i] = (float)values[i];
}

static void read_reference(synth_file_reader *reader, hed_json_node node, const synth_field *field,
    hed_synth_entity *entity)
{
    const char *name = hed_json_string(node);
    if (!synth_file_fine(reader)) return;
    hed_synth_entity found = hed_synth_instrument_find(reader->instrument, name);
    const synth_place *place = synth_find(reader->instrument, found);
    if (!place) hed_json_reject(node, "no %s \"%s\"", hed_synth_entity_type_name(field->refers), name);
    else if (place->type != (uint32_t)field->refers)
        hed_json_reject(node, "expected a %s, but \"%s\" is a %s",
            hed_synth_entity_type_name(field->refers), name, hed_synth_entity_type_name(place->type));
    *entity = found;
}

static void read_field(
    synth_file_reader *reader, hed_json_node node, const synth_field *field, void *at)
{
    uint32_t word;
    switch (field->kind) {
    case SYNTH_FIELD_NUMBER:
        *(float *)at = (float)hed_json_number(node, field->low, field->high);
        break;
    case SYNTH_FIELD_VECTOR:
    case SYNTH_FIELD_DIRECTION: read_vector(node, field, at); break;
    case SYNTH_FIELD_WHOLE:
        word = (uint32_t)hed_json_integer(node, (int64_t)field->low, (int64_t)field->high);
        memcpy(at, &word, sizeof word);
        break;
    case SYNTH_FIELD_CHOICE:
        word = hed_json_choice(node, field->choices);
        memcpy(at, &word, sizeof word);
        break;
    case SYNTH_FIELD_NOTE: *(uint8_t *)at = (uint8_t)hed_json_integer(node, 0, 127); break;
    case SYNTH_FIELD_BOOLEAN: *(bool *)at = hed_json_boolean(node); break;
    case SYNTH_FIELD_ENTITY: read_reference(reader, node, field, at); break;
    case SYNTH_FIELD_ADSR: read_adsr(node, field, at); break;
    case SYNTH_FIELD_ROUTE: read_route(node, at); break;
    }
}

/* ---- objects ---- */

enum { MOST_KEYS = 32 };

static void reject_key(hed_json_node object, const synth_field *fields, const char *const *also)
{
    const char *known[MOST_KEYS + 1] = {NULL};
    uint32_t count = 0;
    for (; also[count] && count < MOST_KEYS; count++) known[count] = also[count];
    for (const synth_field *field = fields; field->key && count < MOST_KEYS; field++)
        known[count++] = field->key;
    hed_json_only(object, known);
}

static bool is_among(const char *key, const char *const *list)
{
    while (*list && strcmp(*list, key) != 0) list++;
    return *list != NULL;
}

void synth_file_fields(synth_file_reader *reader, hed_json_node object, const synth_field *fields,
    void *def, const char *const *also)
{
    for (hed_json_node at = hed_json_next(object, NULL); at.key && synth_file_fine(reader);
         at = hed_json_next(object, at.key)) {
        const synth_field *field = fields;
        while (field->key && strcmp(field->key, at.key) != 0) field++;
        if (field->key) read_field(reader, at, field, (char *)def + field->offset);
        else if (!is_among(at.key, also)) reject_key(object, fields, also);
    }
}

void synth_file_section(synth_file_reader *reader, hed_json_node root, const char *key,
    void (*read)(synth_file_reader *reader, hed_json_node element))
{
    if (!synth_file_fine(reader) || !hed_json_has(root, key)) return;
    hed_json_node list = hed_json_member(root, key);
    size_t count = hed_json_count(list);
    for (size_t i = 0; i < count && synth_file_fine(reader); i++)
        read(reader, hed_json_item(list, i));
}

/* ---- references ---- */

synth_reference synth_file_refer(synth_file_reader *reader, hed_json_node text)
{
    synth_reference reference = {0};
    char reason[SYNTH_DESCRIPTION];
    const char *name = hed_json_string(text);
    if (!synth_file_fine(reader)) return reference;
    if (!synth_refer(reader->instrument, name, &reference, reason, sizeof reason)) {
        hed_json_reject(text, "%s", reason);
        reference.count = 0;
    }
    return reference;
}

static void each_of(synth_file_reader *reader, hed_json_node text,
    void (*each)(synth_file_reader *reader, hed_json_node node, hed_synth_entity entity, void *user),
    void *user)
{
    synth_reference reference = synth_file_refer(reader, text);
    for (uint32_t i = 0; i < reference.count && synth_file_fine(reader); i++)
        each(reader, text, synth_reference_at(&reference, i), user);
}

void synth_file_each(synth_file_reader *reader, hed_json_node list,
    void (*each)(synth_file_reader *reader, hed_json_node node, hed_synth_entity entity, void *user),
    void *user)
{
    if (hed_json_kind_of(list) != HED_JSON_ARRAY) {
        each_of(reader, list, each, user);
        return;
    }
    size_t count = hed_json_count(list);
    for (size_t i = 0; i < count && synth_file_fine(reader); i++)
        each_of(reader, hed_json_item(list, i), each, user);
}
