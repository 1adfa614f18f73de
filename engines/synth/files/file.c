/* Reader of instrument files. Sections are read in the order in which they refer to each other,
 * whatever their order in the file. */
#include "files/file.h"
#include "heddle/kernel.h"

#include <inttypes.h>
#include <string.h>

extern const hed_source hed_synth_instrument_files[]; /* generated from instrument.schema.json */

const char *const synth_file_keys[] = {"$schema", "version", "description", "instrument", "macros",
    "bodies", "grids", "springs", "changes", "microphones", "mallets", "plectrums", "bows",
    "oscillators", "audio_inputs", "lfos", "envelopes", "followers", "midi_sources", "delay_lines",
    "links", "modulations", NULL};
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

/* A load in progress. The first error is kept; after it every reader returns 0 and does nothing. */
typedef struct file_reader {
    hed_json *json;
    hed_synth_instrument *instrument;
    /* error of an instrument function that is no format error (memory); status HED_OK: none */
    hed_error failure;
} file_reader;

/* ---- one load ---- */

static bool file_fine(const file_reader *reader)
{
    return reader->failure.status == HED_OK && hed_json_status(reader->json, NULL) == HED_OK;
}

/* Keeps the error of an instrument function; an invalid value is reported at its position in the
 * document. */
static void file_refuse(file_reader *reader, hed_json_node node, const hed_error *error)
{
    if (!file_fine(reader)) return;
    reader->failure = *error;
    if (error->status != HED_ERROR_ARGUMENT && error->status != HED_ERROR_LIMIT) return;
    /* the document is at fault: report its path and line */
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

static void read_reference(
    file_reader *reader, hed_json_node node, const synth_field *field, hed_synth_entity *entity)
{
    const char *name = hed_json_string(node);
    if (!file_fine(reader)) return;
    hed_synth_entity named = hed_synth_instrument_find(reader->instrument, name);
    const synth_place *place = synth_find(reader->instrument, named);
    if (!place)
        hed_json_reject(node, "no %s \"%s\"", hed_synth_entity_type_name(field->refers), name);
    else if (place->type != (uint32_t)field->refers)
        hed_json_reject(node, "expected a %s, but \"%s\" is a %s",
            hed_synth_entity_type_name(field->refers), name,
            hed_synth_entity_type_name(place->type));
    *entity = named;
}

static void read_field(file_reader *reader, hed_json_node node, const synth_field *field, void *at)
{
    uint32_t word;
    double vector[3];
    switch (field->kind) {
    case SYNTH_FIELD_NUMBER:
        *(float *)at = (float)hed_json_number(node, field->low, field->high);
        break;
    case SYNTH_FIELD_VECTOR:
    case SYNTH_FIELD_DIRECTION:
        hed_json_numbers(node, vector, 3, field->low, field->high);
        for (uint32_t i = 0; i < 3; i++) ((float *)at)[i] = (float)vector[i];
        break;
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

/* Reads those members of an object that are listed in `fields` into `def`, over the values that
 * it has. `also`: further keys, which the caller reads (ends with NULL). */
static void file_fields(file_reader *reader, hed_json_node object, const synth_field *fields,
    void *def, const char *const *more_keys)
{
    for (hed_json_node at = hed_json_next(object, NULL); at.key && file_fine(reader);
         at = hed_json_next(object, at.key)) {
        const synth_field *field = fields;
        while (field->key && strcmp(field->key, at.key) != 0) field++;
        if (field->key) {
            read_field(reader, at, field, (char *)def + field->offset);
            continue;
        }
        uint32_t i = 0, count = 0;
        while (more_keys[i] && strcmp(more_keys[i], at.key) != 0) i++;
        if (more_keys[i]) continue;

        enum { MOST_KEYS = 32 };
        const char *keys[MOST_KEYS + 1] = {NULL};
        for (; more_keys[count] && count < MOST_KEYS; count++) keys[count] = more_keys[count];
        for (field = fields; field->key && count < MOST_KEYS; field++) keys[count++] = field->key;
        hed_json_only(object, keys); /* rejects the unknown key */
    }
}

/* Calls `read` for each element of a section in order; a missing section is empty. */
static void file_section(file_reader *reader, hed_json_node root, const char *key,
    void (*read)(file_reader *reader, hed_json_node element))
{
    if (!file_fine(reader) || !hed_json_has(root, key)) return;
    hed_json_node list = hed_json_member(root, key);
    size_t count = hed_json_count(list);
    for (size_t i = 0; i < count && file_fine(reader); i++) read(reader, hed_json_item(list, i));
}

/* ---- references ---- */

static synth_reference file_refer(file_reader *reader, hed_json_node text)
{
    synth_reference reference = {0};
    char reason[SYNTH_DESCRIPTION];
    const char *name = hed_json_string(text);
    if (!file_fine(reader)) return reference;
    if (!synth_refer(reader->instrument, name, &reference, reason, sizeof reason)) {
        hed_json_reject(text, "%s", reason);
        reference.count = 0;
    }
    return reference;
}

static void each_of(file_reader *reader, hed_json_node text,
    void (*visit)(file_reader *reader, hed_json_node node, hed_synth_entity entity, void *user),
    void *user)
{
    synth_reference reference = file_refer(reader, text);
    for (uint32_t i = 0; i < reference.count && file_fine(reader); i++)
        visit(reader, text, synth_reference_at(&reference, i), user);
}

/* Calls `each` for every entity that still exists in a reference or in an array of references. */
static void file_each(file_reader *reader, hed_json_node list,
    void (*visit)(file_reader *reader, hed_json_node node, hed_synth_entity entity, void *user),
    void *user)
{
    if (hed_json_kind_of(list) != HED_JSON_ARRAY) {
        each_of(reader, list, visit, user);
        return;
    }
    size_t count = hed_json_count(list);
    for (size_t i = 0; i < count && file_fine(reader); i++)
        each_of(reader, hed_json_item(list, i), visit, user);
}

/* ---- grids: strings, membranes, plates and lattices ---- */

const char *const synth_grid_keys[] = {"kind", "name", "size", "origin", "step", "body", "spring",
    "diagonal", "bend", "tune", "rate", "anchor", NULL};
const char *const synth_grid_kinds[] = {"string", "membrane", "plate", "lattice", NULL};
const char *const synth_grid_ends[] = {
    "first_i", "last_i", "first_j", "last_j", "first_k", "last_k", NULL};

/* Keys of a grid's prototype body and spring: their definitions without position and ends. */
static const char *const BODY_KEYS[] = {"mass", "damping", "anchored", NULL};
static const char *const SPRING_KEYS[] = {"stiffness", "rest_length", "damping", "cubic", NULL};

hed_synth_grid_def synth_default_grid(synth_grid_kind kind)
{
    hed_synth_grid_def def = hed_default_synth_grid_def();
    bool tight = kind == SYNTH_STRING || kind == SYNTH_MEMBRANE;
    uint32_t axes = kind == SYNTH_STRING ? 1 : 2;
    if (tight) def.spring.rest_length = -0.5f;
    for (uint32_t axis = 0; tight && axis < axes; axis++)
        def.anchor_ends[axis][0] = def.anchor_ends[axis][1] = true;
    return def;
}

static void read_size(hed_json_node node, uint32_t axes, hed_synth_grid_def *def)
{
    if (axes == 1) {
        def->size[0] = (uint32_t)hed_json_integer(node, 1, SYNTH_MOST_OF_TYPE);
        return;
    }
    size_t count = hed_json_count(node);
    if (hed_json_kind_of(node) == HED_JSON_ARRAY && count != axes)
        hed_json_reject(node, "expected %u numbers, found %zu", axes, count);
    for (uint32_t axis = 0; axis < axes; axis++)
        def->size[axis] =
            (uint32_t)hed_json_integer(hed_json_item(node, axis), 1, SYNTH_MOST_OF_TYPE);
}

static void read_grid_vector(hed_json_node node, float vector[3])
{
    double values[3];
    hed_json_numbers(node, values, 3, -1e4, 1e4);
    for (uint32_t i = 0; i < 3; i++) vector[i] = (float)values[i];
}

/* Reads the distance between neighbours along x, y and z, a vector for a string, or one vector
 * per axis. */
static void read_step(hed_json_node node, uint32_t axes, hed_synth_grid_def *def)
{
    if (hed_json_kind_of(node) == HED_JSON_NUMBER) {
        float distance = (float)hed_json_number(node, 1e-6, 1e4);
        for (uint32_t axis = 0; axis < 3; axis++) def->step[axis][axis] = distance;
    } else if (axes == 1) {
        read_grid_vector(node, def->step[0]);
    } else {
        size_t count = hed_json_count(node);
        if (hed_json_kind_of(node) == HED_JSON_ARRAY && count != axes)
            hed_json_reject(
                node, "expected a distance, or %u vectors, found %zu elements", axes, count);
        for (uint32_t axis = 0; axis < axes; axis++)
            read_grid_vector(hed_json_item(node, axis), def->step[axis]);
    }
}

/* Reads "none", "ends" (both ends of each axis) or a list of ends. */
static void read_anchor(hed_json_node node, uint32_t axes, hed_synth_grid_def *def)
{
    memset(def->anchor_ends, 0, sizeof def->anchor_ends);
    if (hed_json_kind_of(node) != HED_JSON_ARRAY) {
        bool ends = hed_json_choice(node, (const char *const[]){"none", "ends", NULL}) == 1;
        for (uint32_t axis = 0; axis < axes; axis++)
            def->anchor_ends[axis][0] = def->anchor_ends[axis][1] = ends;
        return;
    }
    size_t count = hed_json_count(node);
    for (size_t i = 0; i < count; i++) {
        hed_json_node item = hed_json_item(node, i);
        uint32_t end = hed_json_choice(item, synth_grid_ends);
        if (end / 2 >= axes) hed_json_reject(item, "this grid has %u axes only", axes);
        def->anchor_ends[end / 2][end & 1] = true;
    }
}

static void read_parts(file_reader *reader, hed_json_node object, hed_synth_grid_def *def)
{
    if (hed_json_has(object, "body")) {
        hed_json_node body = hed_json_member(object, "body");
        hed_json_only(body, BODY_KEYS);
        file_fields(
            reader, body, synth_fields[HED_SYNTH_BODY], &def->body, (const char *const[]){NULL});
    }
    if (hed_json_has(object, "spring")) {
        hed_json_node spring = hed_json_member(object, "spring");
        hed_json_only(spring, SPRING_KEYS);
        file_fields(reader, spring, synth_fields[HED_SYNTH_SPRING], &def->spring,
            (const char *const[]){NULL});
    }
}

static float file_read_number(hed_json_node object, const char *key, float otherwise, double high)
{
    return hed_json_has(object, key) ? (float)hed_json_number(hed_json_member(object, key), 0, high)
                                     : otherwise;
}

static void file_read_grid(file_reader *reader, hed_json_node element)
{
    hed_json_only(element, synth_grid_keys);
    synth_grid_kind kind = hed_json_choice(hed_json_member(element, "kind"), synth_grid_kinds);
    hed_synth_grid_def def = synth_default_grid(kind);
    uint32_t axes = kind == SYNTH_STRING ? 1 : kind == SYNTH_LATTICE ? 3 : 2;
    read_size(hed_json_member(element, "size"), axes, &def);
    if (hed_json_has(element, "origin"))
        read_grid_vector(hed_json_member(element, "origin"), def.origin);
    if (hed_json_has(element, "step")) read_step(hed_json_member(element, "step"), axes, &def);
    read_parts(reader, element, &def);
    def.diagonal = file_read_number(element, "diagonal", 0, 1e12);
    def.bend = file_read_number(element, "bend", 0, 1e12);
    def.tune = file_read_number(element, "tune", 0, 1e6);
    if (hed_json_has(element, "rate"))
        def.rate = hed_json_number(hed_json_member(element, "rate"), 1, 1e7);
    if (hed_json_has(element, "anchor"))
        read_anchor(hed_json_member(element, "anchor"), axes, &def);
    const char *name =
        hed_json_has(element, "name") ? hed_json_string(hed_json_member(element, "name")) : NULL;
    hed_synth_generated generated;
    hed_error error = {0};
    if (file_fine(reader) &&
        hed_synth_instrument_add_grid(reader->instrument, &def, name, &generated, &error) != HED_OK)
        file_refuse(reader, element, &error);
}

/* ---- entities ---- */

static void read_entity(file_reader *reader, hed_json_node element, hed_synth_entity_type type)
{
    hed_synth_entity_def def = hed_default_synth_entity_def(type);
    file_fields(reader, element, synth_fields[type], &def.as, (const char *const[]){"name", NULL});
    /* positions and references have no sensible default, so they are required */
    for (const synth_field *field = synth_fields[type]; field->key; field++)
        if (file_fine(reader) &&
            (field->kind == SYNTH_FIELD_ENTITY || field->kind == SYNTH_FIELD_VECTOR))
            hed_json_member(element, field->key);
    const char *name = file_fine(reader) && hed_json_has(element, "name")
                           ? hed_json_string(hed_json_member(element, "name"))
                           : NULL;
    hed_synth_entity entity;
    hed_error error = {0};
    if (!file_fine(reader)) return;
    if (hed_synth_instrument_add(reader->instrument, &def, name, &entity, &error) != HED_OK)
        file_refuse(reader, element, &error);
}

static void read_entities(file_reader *reader, hed_json_node root, hed_synth_entity_type type)
{
    if (!file_fine(reader) || !hed_json_has(root, synth_section_names[type])) return;
    hed_json_node list = hed_json_member(root, synth_section_names[type]);
    size_t count = hed_json_count(list);
    for (size_t i = 0; i < count && file_fine(reader); i++)
        read_entity(reader, hed_json_item(list, i), type);
}

/* ---- changes of parts of grids ---- */

static void change_one(
    file_reader *reader, hed_json_node object, hed_synth_entity entity, void *user)
{
    (void)user;
    hed_synth_entity_def def;
    hed_error error = {0};
    if (!hed_synth_instrument_get(reader->instrument, entity, &def, &error))
        file_fields(
            reader, object, synth_fields[def.type], &def.as, (const char *const[]){"entity", NULL});
    if (file_fine(reader)) hed_synth_instrument_set(reader->instrument, entity, &def, &error);
    if (error.status) file_refuse(reader, object, &error);
}

static void read_change(file_reader *reader, hed_json_node element)
{
    synth_reference reference = file_refer(reader, hed_json_member(element, "entity"));
    for (uint32_t i = 0; i < reference.count && file_fine(reader); i++)
        change_one(reader, element, synth_reference_at(&reference, i), NULL);
}

/* ---- links and modulations ---- */

typedef struct link_to {
    hed_synth_entity from;
    float weight;
} link_to;

static hed_synth_entity read_single(file_reader *reader, hed_json_node node)
{
    synth_reference reference = file_refer(reader, node);
    if (file_fine(reader) && reference.count != 1)
        hed_json_reject(node, "expected one entity, found %u", reference.count);
    return file_fine(reader) ? synth_reference_at(&reference, 0) : 0;
}

static void link_one(file_reader *reader, hed_json_node node, hed_synth_entity to, void *user)
{
    const link_to *link = user;
    hed_error error = {0};
    if (hed_synth_instrument_link(reader->instrument, link->from, to, link->weight, &error) !=
        HED_OK)
        file_refuse(reader, node, &error);
}

static void read_link(file_reader *reader, hed_json_node element)
{
    hed_json_only(element, synth_link_keys);
    link_to link = {.from = read_single(reader, hed_json_member(element, "from")), .weight = 1};
    if (hed_json_has(element, "weight"))
        link.weight = (float)hed_json_number(hed_json_member(element, "weight"), -1e6, 1e6);
    file_each(reader, hed_json_member(element, "to"), link_one, &link);
}

static void modulate_one(
    file_reader *reader, hed_json_node node, hed_synth_entity target, void *user)
{
    hed_synth_modulation_def *def = user;
    hed_error error = {0};
    def->entity = target;
    if (hed_synth_instrument_modulate(reader->instrument, def, &error) != HED_OK)
        file_refuse(reader, node, &error);
}

static void read_modulation(file_reader *reader, hed_json_node element)
{
    const char *parameters[HED_SYNTH_TARGET_COUNT + 1] = {NULL};
    for (uint32_t i = 0; i < HED_SYNTH_TARGET_COUNT; i++) parameters[i] = hed_synth_target_name(i);
    hed_json_only(element, synth_modulation_keys);
    hed_synth_modulation_def def = {
        .depth = 1, .source = read_single(reader, hed_json_member(element, "source"))};
    def.target = hed_json_choice(hed_json_member(element, "parameter"), parameters);
    if (hed_json_has(element, "mode"))
        def.mode = hed_json_choice(hed_json_member(element, "mode"), synth_modulation_names);
    if (hed_json_has(element, "depth"))
        def.depth = (float)hed_json_number(hed_json_member(element, "depth"), -1e6, 1e6);
    if (hed_json_has(element, "invert"))
        def.invert = hed_json_boolean(hed_json_member(element, "invert"));
    file_each(reader, hed_json_member(element, "target"), modulate_one, &def);
}

static void file_read_macros(file_reader *reader, hed_json_node root)
{
    if (!file_fine(reader) || !hed_json_has(root, "macros")) return;
    hed_json_node list = hed_json_member(root, "macros");
    size_t count = hed_json_count(list);
    if (count > HED_SYNTH_MACROS)
        hed_json_reject(list, "expected at most %d names, found %zu", HED_SYNTH_MACROS, count);
    for (uint32_t i = 0; i < count && file_fine(reader); i++) {
        hed_json_node item = hed_json_item(list, i);
        const char *name = hed_json_string(item);
        hed_error error = {0};
        if (file_fine(reader) &&
            hed_synth_instrument_set_macro(reader->instrument, i, name, &error) != HED_OK)
            file_refuse(reader, item, &error);
    }
}

/* ---- the whole ---- */

static void file_read_head(file_reader *reader, hed_json_node root)
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
    hed_error error = {0};
    file_fields(reader, object, synth_instrument_fields, &def, (const char *const[]){NULL});
    if (file_fine(reader) &&
        hed_synth_instrument_set_def(reader->instrument, &def, &error) != HED_OK)
        file_refuse(reader, object, &error);
}

/* Builds the instrument of a document; frees `json`. */
static hed_status read_document(
    hed_json *json, const char *file, hed_synth_instrument **instrument, hed_error *error)
{
    file_reader reader = {.json = json};
    hed_status status = hed_synth_instrument_create(NULL, NULL, &reader.instrument, error);
    if (status == HED_OK) status = synth_name_file(reader.instrument, file, error);
    if (status == HED_OK) {
        hed_json_node root = hed_json_root(json);
        file_read_head(&reader, root);
        file_read_macros(&reader, root);
        read_entities(&reader, root, HED_SYNTH_BODY);
        file_section(&reader, root, "grids", file_read_grid);
        read_entities(&reader, root, HED_SYNTH_SPRING);
        file_section(&reader, root, "changes", read_change);
        for (uint32_t type = HED_SYNTH_MICROPHONE; type < HED_SYNTH_ENTITY_TYPE_COUNT; type++)
            read_entities(&reader, root, type);
        file_section(&reader, root, "links", read_link);
        file_section(&reader, root, "modulations", read_modulation);
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

hed_status hed_synth_instrument_read(
    const char *path, hed_synth_instrument **instrument, hed_error *error)
{
    HED_REQUIRE(path, instrument);
    *instrument = NULL;
    hed_json *json;
    hed_status status = hed_json_read(path, &json, error);
    return status ? status : read_document(json, path, instrument, error);
}

hed_status hed_synth_instrument_parse(const char *text, size_t size, const char *name,
    hed_synth_instrument **instrument, hed_error *error)
{
    HED_REQUIRE(text || !size, name, instrument);
    *instrument = NULL;
    hed_json *json;
    hed_status status = hed_json_parse(name, text, size, &json, error);
    return status ? status : read_document(json, name, instrument, error);
}
