/* Reading instrument files: sections in the order in which they can refer to one another, whatever
 * their order in the file. */
#include "model/file_parts.h"

#include "heddle/kernel.h"

#include <inttypes.h>
#include <string.h>

extern const hed_source hed_synth_instrument_files[]; /* generated from instrument.schema.json */

const char *const synth_file_keys[] = {"$schema", "version", "description", "instrument", "bodies",
    "grids", "springs", "changes", "microphones", "mallets", "plectrums", "bows", "oscillators",
    "audio_inputs", "lfos", "envelopes", "followers", "midi_sources", "delay_lines", "links",
    "modulations", NULL};
const char *const synth_section_names[HED_SYNTH_ENTITY_TYPE_COUNT] = {"bodies", "springs",
    "microphones", "mallets", "plectrums", "bows", "oscillators", "audio_inputs", "lfos",
    "envelopes", "followers", "midi_sources", "delay_lines"};
const char *const synth_link_keys[] = {"from", "to", "weight", NULL};
const char *const synth_modulation_keys[] = {
    "source", "target", "parameter", "mode", "depth", "invert", NULL};

const char *hed_synth_instrument_schema(size_t *size)
{
    const char *text = hed_synth_instrument_files[0].text;
    if (size) *size = strlen(text);
    return text;
}

/* ---- entities ---- */

/* Places and references have no sensible value of their own. */
static void need_fields(hed_json_node element, const synth_field *fields)
{
    for (const synth_field *field = fields; field->key; field++)
        if (field->kind == SYNTH_FIELD_ENTITY || field->kind == SYNTH_FIELD_VECTOR)
            hed_json_member(element, field->key);
}

static void read_entity(synth_file_reader *reader, hed_json_node element, hed_synth_entity_type type)
{
    hed_synth_entity_def def = hed_default_synth_entity_def(type);
    synth_file_fields(
        reader, element, synth_fields[type], &def.as, (const char *const[]){"name", NULL});
    if (synth_file_fine(reader)) need_fields(element, synth_fields[type]);
    const char *name = synth_file_fine(reader) && hed_json_has(element, "name")
                           ? hed_json_string(hed_json_member(element, "name"))
                           : NULL;
    hed_synth_entity entity;
    hed_error error;
    if (!synth_file_fine(reader)) return;
    if (hed_synth_instrument_add(reader->instrument, &def, name, &entity, &error) != HED_OK)
        synth_file_refuse(reader, element, &error);
}

static void read_entities(synth_file_reader *reader, hed_json_node root, hed_synth_entity_type type)
{
    if (!synth_file_fine(reader) || !hed_json_has(root, synth_section_names[type])) return;
    hed_json_node list = hed_json_member(root, synth_section_names[type]);
    size_t count = hed_json_count(list);
    for (size_t i = 0; i < count && synth_file_fine(reader); i++)
        read_entity(reader, hed_json_item(list, i), type);
}

/* ---- changes of what grids made ---- */

static void change_one(
    synth_file_reader *reader, hed_json_node object, hed_synth_entity entity, void *user)
{
    (void)user;
    hed_synth_entity_def def;
    hed_error error;
    hed_status status = hed_synth_instrument_get(reader->instrument, entity, &def, &error);
    if (status == HED_OK)
        synth_file_fields(
            reader, object, synth_fields[def.type], &def.as, (const char *const[]){"entity", NULL});
    if (status == HED_OK && synth_file_fine(reader))
        status = hed_synth_instrument_set(reader->instrument, entity, &def, &error);
    if (status != HED_OK) synth_file_refuse(reader, object, &error);
}

static void read_change(synth_file_reader *reader, hed_json_node element)
{
    synth_reference reference = synth_file_refer(reader, hed_json_member(element, "entity"));
    for (uint32_t i = 0; i < reference.count && synth_file_fine(reader); i++)
        change_one(reader, element, synth_reference_at(&reference, i), NULL);
}

/* ---- links and modulations ---- */

typedef struct link_to {
    hed_synth_entity from;
    float weight;
} link_to;

static hed_synth_entity read_single(synth_file_reader *reader, hed_json_node node)
{
    synth_reference reference = synth_file_refer(reader, node);
    if (synth_file_fine(reader) && reference.count != 1)
        hed_json_reject(node, "expected one entity, found %u", reference.count);
    return synth_file_fine(reader) ? synth_reference_at(&reference, 0) : 0;
}

static void link_one(synth_file_reader *reader, hed_json_node node, hed_synth_entity to, void *user)
{
    const link_to *link = user;
    hed_error error;
    if (hed_synth_instrument_link(reader->instrument, link->from, to, link->weight, &error) != HED_OK)
        synth_file_refuse(reader, node, &error);
}

static void read_link(synth_file_reader *reader, hed_json_node element)
{
    hed_json_only(element, synth_link_keys);
    link_to link = {.from = read_single(reader, hed_json_member(element, "from")), .weight = 1};
    if (hed_json_has(element, "weight"))
        link.weight = (float)hed_json_number(hed_json_member(element, "weight"), -1e6, 1e6);
    synth_file_each(reader, hed_json_member(element, "to"), link_one, &link);
}

static void modulate_one(
    synth_file_reader *reader, hed_json_node node, hed_synth_entity target, void *user)
{
    hed_synth_modulation_def *def = user;
    hed_error error;
    def->target = target;
    if (hed_synth_instrument_modulate(reader->instrument, def, &error) != HED_OK)
        synth_file_refuse(reader, node, &error);
}

static void read_modulation(synth_file_reader *reader, hed_json_node element)
{
    const char *parameters[HED_SYNTH_TARGET_COUNT + 1] = {NULL};
    for (uint32_t i = 0; i < HED_SYNTH_TARGET_COUNT; i++) parameters[i] = hed_synth_target_name(i);
    hed_json_only(element, synth_modulation_keys);
    hed_synth_modulation_def def = {
        .depth = 1, .source = read_single(reader, hed_json_member(element, "source"))};
    def.parameter = hed_json_choice(hed_json_member(element, "parameter"), parameters);
    if (hed_json_has(element, "mode"))
        def.mode = hed_json_choice(hed_json_member(element, "mode"), synth_modulation_names);
    if (hed_json_has(element, "depth"))
        def.depth = (float)hed_json_number(hed_json_member(element, "depth"), -1e6, 1e6);
    if (hed_json_has(element, "invert"))
        def.invert = hed_json_boolean(hed_json_member(element, "invert"));
    synth_file_each(reader, hed_json_member(element, "target"), modulate_one, &def);
}

/* ---- the whole ---- */

static void read_head(synth_file_reader *reader, hed_json_node root)
{
    hed_json_only(root, synth_file_keys);
    hed_json_node number = hed_json_member(root, "version");
    int64_t version = hed_json_integer(number, 1, INT32_MAX);
    if (version > SYNTH_FILE_VERSION)
        hed_json_reject(number, "%" PRId64 ", and this Heddle reads version %d: take a newer one",
            version, SYNTH_FILE_VERSION);
    if (hed_json_has(root, "$schema")) hed_json_string(hed_json_member(root, "$schema"));
    if (hed_json_has(root, "description")) hed_json_string(hed_json_member(root, "description"));
    if (!hed_json_has(root, "instrument")) return;
    hed_json_node object = hed_json_member(root, "instrument");
    hed_synth_instrument_def def = hed_default_synth_instrument_def();
    hed_error error;
    synth_file_fields(reader, object, synth_instrument_fields, &def, (const char *const[]){NULL});
    if (synth_file_fine(reader) &&
        hed_synth_instrument_set_def(reader->instrument, &def, &error) != HED_OK)
        synth_file_refuse(reader, object, &error);
}

/* `json` is freed. */
static hed_status read_document(
    hed_json *json, const char *file, hed_synth_instrument **instrument, hed_error *error)
{
    synth_file_reader reader = {.json = json};
    hed_status status = hed_synth_instrument_create(NULL, NULL, &reader.instrument, error);
    if (status == HED_OK) status = synth_name_file(reader.instrument, file, error);
    if (status == HED_OK) {
        hed_json_node root = hed_json_root(json);
        read_head(&reader, root);
        read_entities(&reader, root, HED_SYNTH_BODY);
        synth_file_section(&reader, root, "grids", synth_file_read_grid);
        read_entities(&reader, root, HED_SYNTH_SPRING);
        synth_file_section(&reader, root, "changes", read_change);
        for (uint32_t type = HED_SYNTH_MICROPHONE; type < HED_SYNTH_ENTITY_TYPE_COUNT; type++)
            read_entities(&reader, root, type);
        synth_file_section(&reader, root, "links", read_link);
        synth_file_section(&reader, root, "modulations", read_modulation);
        status = hed_json_status(json, error);
        if (reader.failure.status != HED_OK) {
            status = reader.failure.status;
            if (error) *error = reader.failure;
        }
    }
    hed_json_free(json);
    if (status == HED_OK) *instrument = reader.instrument;
    else hed_synth_instrument_destroy(reader.instrument);
    return status;
}

hed_status hed_synth_instrument_load(const char *path, hed_synth_instrument **instrument, hed_error *error)
{
    *instrument = NULL;
    hed_json *json;
    hed_status status = hed_json_read(path, &json, error);
    return status == HED_OK ? read_document(json, path, instrument, error) : status;
}

hed_status hed_synth_instrument_parse(const char *text, size_t size, const char *name,
    hed_synth_instrument **instrument, hed_error *error)
{
    *instrument = NULL;
    hed_json *json;
    hed_status status = hed_json_parse(name, text, size, &json, error);
    return status == HED_OK ? read_document(json, name, instrument, error) : status;
}
