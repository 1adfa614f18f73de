/* Reader of instrument files. Sections are read in the order in which they refer to each other,
 * whatever their order in the file. */
#include "files/instrument_file.h"
#include "heddle/kernel.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

extern const hed_source hed_synth_instrument_files[]; /* generated from instrument.schema.json */

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
    uint32_t axes; /* number of axes of the grid in hand */
    /* path of the document, whose folder has the files of layers; NULL: a text in memory */
    const char *path;
    hed_json_node document; /* object of the instrument */
    bool is_layer;
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

/* ---- references ---- */

static void read_reference(
    file_reader *reader, hed_json_node node, const hed_field *field, hed_synth_entity *entity)
{
    const char *name = hed_json_string(node);
    if (!file_fine(reader)) return;
    hed_synth_entity named = hed_synth_instrument_find(reader->instrument, name);
    const synth_place *place = synth_find(reader->instrument, named);
    if (!place) hed_json_reject(node, "no %s \"%s\"", hed_synth_entity_type_name(field->tag), name);
    else if (place->type != field->tag)
        hed_json_reject(node, "expected a %s, but \"%s\" is a %s",
            hed_synth_entity_type_name(field->tag), name, hed_synth_entity_type_name(place->type));
    *entity = named;
}

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

const char *const synth_grid_kinds[] = {"string", "membrane", "plate", "lattice", NULL};
const char *const synth_grid_ends[] = {
    "first_i", "last_i", "first_j", "last_j", "first_k", "last_k", NULL};

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

static void read_size(const hed_field *field, hed_json_node node, void *at, void *user)
{
    hed_synth_grid_def *def = at;
    uint32_t axes = ((file_reader *)user)->axes;
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
static void read_step(const hed_field *field, hed_json_node node, void *at, void *user)
{
    hed_synth_grid_def *def = at;
    uint32_t axes = ((file_reader *)user)->axes;
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
static void read_anchor(const hed_field *field, hed_json_node node, void *at, void *user)
{
    hed_synth_grid_def *def = at;
    uint32_t axes = ((file_reader *)user)->axes;
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

#define GRID(member, most, unit) HED_AS_NUMBER(hed_synth_grid_def, member, 0, most, unit)
static const hed_field grid_rows[] = {
    {"kind", "kind, which sets the number of axes and the defaults", .kind = HED_FIELD_CHOICE, .words = synth_grid_kinds, .required = true},
    {"name", "name of the grid; each name occurs once", HED_AS_OTHER("name", NULL)},
    {"size", "number of bodies along each axis, anchored ones included", HED_AS_OTHER("size", read_size), .required = true},
    {"origin", "position of the first body", HED_AS_VECTOR(hed_synth_grid_def, origin, 3, -1e4, 1e4, "m")},
    {"step", "distance, or vector along each axis, from a body to the next; 0.01 m by default", HED_AS_OTHER("step", read_step)},
    {"body", NULL, HED_AS_OBJECT(hed_synth_grid_def, body, &synth_grid_body_fields)},
    {"spring", NULL, HED_AS_OBJECT(hed_synth_grid_def, spring, &synth_grid_spring_fields)},
    {"diagonal", "stiffness of springs along the diagonals of each square", GRID(diagonal, 1e12, "N/m")},
    {"bend", "resistance to bending, of springs to the neighbour after next", GRID(bend, 1e12, "N/m")},
    {"tune", "exact frequency of mode 1; sets the stiffness, or without tension the bend", GRID(tune, 1e6, "Hz")},
    {"rate", "sample rate for tune; 48000 by default", HED_AS_NUMBER(hed_synth_grid_def, rate, 1, 1e7, "Hz")},
    {"anchor", "ends that never move; both of each axis for strings and membranes by default", HED_AS_OTHER("anchor", read_anchor)},
    {0},
};
static const hed_fields grid_fields = {
    "grids", "bodies and springs in a row, a rectangle or a block", .rows = grid_rows};

/* Returns the name of an element; NULL if it has no name. */
static const char *file_name(hed_json_node element)
{
    return hed_json_has(element, "name") ? hed_json_string(hed_json_member(element, "name")) : NULL;
}

static void file_read_grid(file_reader *reader, hed_json_node element, uint32_t tag)
{
    hed_fields_only(&grid_fields, element);
    synth_grid_kind kind = hed_json_choice(hed_json_member(element, "kind"), synth_grid_kinds);
    hed_synth_grid_def def = synth_default_grid(kind);
    reader->axes = kind == SYNTH_STRING ? 1 : kind == SYNTH_LATTICE ? 3 : 2;
    hed_fields_read(&grid_fields, element, &def, reader);
    const char *name = file_name(element);
    hed_synth_generated generated;
    hed_error error = {0};
    if (file_fine(reader) &&
        hed_synth_instrument_add_grid(reader->instrument, &def, name, &generated, &error) != HED_OK)
        file_refuse(reader, element, &error);
}

/* ---- entities ---- */

static void read_entity(file_reader *reader, hed_json_node element, uint32_t type)
{
    hed_synth_entity_def def = hed_default_synth_entity_def(type);
    hed_fields_read(&synth_fields[type], element, &def.as, reader);
    for (const hed_field *field = synth_fields[type].rows; field->key; field++)
        if (synth_refers(field))
            read_reference(reader, hed_json_member(element, field->key), field,
                (hed_synth_entity *)((char *)&def.as + field->offset));
    const char *name = file_name(element);
    hed_synth_entity entity;
    hed_error error = {0};
    if (!file_fine(reader)) return;
    if (hed_synth_instrument_add(reader->instrument, &def, name, &entity, &error) != HED_OK)
        file_refuse(reader, element, &error);
}

/* ---- changes of parts of grids ---- */

#define BODY(member, least, most, unit) HED_AS_NUMBER(hed_synth_body_def, member, least, most, unit)
#define SPRING(member, least, most, unit) \
    HED_AS_NUMBER(hed_synth_spring_def, member, least, most, unit)
static const hed_field change_rows[] = {
    {"entity", "bodies or springs, such as those of a grid", HED_AS_OTHER("reference", NULL), .required = true},
    {"position", "position at rest", HED_AS_VECTOR(hed_synth_body_def, position, 3, -1e4, 1e4, "m")},
    {"mass", "mass", BODY(mass, 1e-12, 1e6, "kg")},
    {"damping", "damping of a body, 1/s, or of a spring, N s/m", BODY(damping, 0, 1e6, NULL)},
    {"anchored", "true: the body moves by modulation of its position only", HED_AS_BOOLEAN(hed_synth_body_def, anchored)},
    {"from", "body at one end", HED_AS_OTHER("reference", NULL)},
    {"to", "body at the other end", HED_AS_OTHER("reference", NULL)},
    {"stiffness", "stiffness", SPRING(stiffness, 0, 1e12, "N/m")},
    {"rest_length", "length without force; negative: multiple of the distance of the ends", SPRING(rest_length, -1e4, 1e4, "m")},
    {"cubic", "cubic stiffness", SPRING(cubic, 0, 1e24, "N/m^3")},
    {0},
};
static const hed_fields change_fields = {
    "changes", "other properties of some bodies or springs", .rows = change_rows};

/* Reads the fields of an entity's type; a field of another type is an error. */
static void change_fields_of(file_reader *reader, hed_json_node object, hed_synth_entity_def *def)
{
    for (hed_json_node at = hed_json_next(object, NULL); at.key && file_fine(reader);
         at = hed_json_next(object, at.key)) {
        const hed_field *field = hed_fields_find(&synth_fields[def->type], at.key);
        void *value = (char *)&def->as + (field ? field->offset : 0);
        if (strcmp(at.key, "entity") == 0) continue;
        if (!field)
            hed_json_reject(at, "unknown key of a %s", hed_synth_entity_type_name(def->type));
        else if (synth_refers(field)) read_reference(reader, at, field, value);
        else hed_field_read_value(field, at, value, reader);
    }
}

static void change_one(file_reader *reader, hed_json_node object, hed_synth_entity entity)
{
    hed_synth_entity_def def;
    hed_error error = {0};
    if (!hed_synth_instrument_get(reader->instrument, entity, &def, &error))
        change_fields_of(reader, object, &def);
    if (file_fine(reader)) hed_synth_instrument_set(reader->instrument, entity, &def, &error);
    if (error.status) file_refuse(reader, object, &error);
}

static void read_change(file_reader *reader, hed_json_node element, uint32_t tag)
{
    hed_fields_only(&change_fields, element);
    synth_reference reference = file_refer(reader, hed_json_member(element, "entity"));
    for (uint32_t i = 0; i < reference.count && file_fine(reader); i++)
        change_one(reader, element, synth_reference_at(&reference, i));
}

/* ---- links and modulations ---- */

typedef struct link_to {
    hed_synth_entity from;
    float weight;
} link_to;

static void read_single(const hed_field *field, hed_json_node node, void *at, void *user)
{
    synth_reference reference = file_refer(user, node);
    if (file_fine(user) && reference.count != 1)
        hed_json_reject(node, "expected one entity, found %u", reference.count);
    if (file_fine(user)) *(hed_synth_entity *)at = synth_reference_at(&reference, 0);
}

static void link_one(file_reader *reader, hed_json_node node, hed_synth_entity to, void *user)
{
    const link_to *link = user;
    hed_error error = {0};
    if (hed_synth_instrument_link(reader->instrument, link->from, to, link->weight, &error) !=
        HED_OK)
        file_refuse(reader, node, &error);
}

static void read_link_to(const hed_field *field, hed_json_node node, void *at, void *user)
{
    file_each(user, node, link_one, at);
}

#define SOURCE(type, member) HED_MEMBER(type, member), HED_AS_OTHER("reference", read_single)
static const hed_field link_rows[] = {
    {"from", "exciter or microphone", SOURCE(link_to, from), .required = true},
    {"weight", "factor of the force, or of the sound", HED_AS_NUMBER(link_to, weight, -1e6, 1e6, NULL)},
    {"to", "bodies; a delay line for an audio input", HED_AS_OTHER("references", read_link_to), .required = true},
    {0},
};
static const link_to link_defaults = {.weight = 1};
static const hed_fields link_fields = {
    "links", "connections", .rows = link_rows, .defaults = &link_defaults};

static void read_link(file_reader *reader, hed_json_node element, uint32_t tag)
{
    link_to link = link_defaults;
    hed_fields_read(&link_fields, element, &link, reader);
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

static void read_modulation_target(const hed_field *field, hed_json_node node, void *at, void *user)
{
    file_each(user, node, modulate_one, at);
}

#define MODULATION(kind, member, ...) HED_AS_##kind(hed_synth_modulation_def, member, __VA_ARGS__)
static const hed_field modulation_rows[] = {
    {"source", "LFO, envelope, follower or MIDI source", SOURCE(hed_synth_modulation_def, source), .required = true},
    {"parameter", "parameter of the target", MODULATION(CHOICE, target, synth_target_names), .required = true},
    {"mode", "combination of the parameter and the source", MODULATION(CHOICE, mode, synth_modulation_names)},
    {"depth", "factor of the source", MODULATION(NUMBER, depth, -1e6, 1e6, NULL)},
    {"invert", "true: the negative source", HED_AS_BOOLEAN(hed_synth_modulation_def, invert)},
    {"target", "entities", HED_AS_OTHER("references", read_modulation_target), .required = true},
    {0},
};
static const hed_synth_modulation_def modulation_defaults = {.depth = 1};
static const hed_fields modulation_fields = {"modulations", "effects of modulators on parameters",
    .rows = modulation_rows, .defaults = &modulation_defaults};

static void read_modulation(file_reader *reader, hed_json_node element, uint32_t tag)
{
    hed_synth_modulation_def def = modulation_defaults;
    hed_fields_read(&modulation_fields, element, &def, reader);
}

/* ---- layers ---- */

#define LAYER(member, least, most) HED_AS_INTEGER(synth_layer, member, least, most)
static const hed_field layer_rows[] = {
    {"instrument", "file of the instrument, in the folder of this one unless its path says otherwise; or the instrument itself", HED_AS_OTHER("layer_instrument", NULL), .required = true},
    {"name", "beginning of the names of its entities and knobs, as in `harp/string1`; the file's name by default", HED_AS_OTHER("layer_name", NULL)},
    {"gain", "gain, in addition to the instrument's own", HED_AS_NUMBER(synth_layer, gain, -200, 200, "dB")},
    {"low", "lowest note that it plays", LAYER(low, 0, 127)},
    {"high", "highest note that it plays", LAYER(high, 0, 127)},
    {"velocity_low", "least velocity of its notes", LAYER(velocity_low, 1, 127)},
    {"velocity_high", "largest velocity of its notes", LAYER(velocity_high, 1, 127)},
    {0},
};
static const synth_layer layer_defaults = {.high = 127, .velocity_low = 1, .velocity_high = 127};
const hed_fields synth_layer_fields = {
    "layers", "instruments that sound together", .rows = layer_rows, .defaults = &layer_defaults};

static hed_status read_instrument(file_reader *reader, const char *file, hed_error *error);

/* Sets the name of a layer: its own, that of its file, or its number. */
static void name_layer(hed_json_node element, uint32_t number, synth_layer *layer)
{
    const char *name = file_name(element), *text = name;
    hed_json_node content = hed_json_member(element, "instrument");
    bool is_file = !name && hed_json_kind_of(content) == HED_JSON_STRING;
    if (is_file) {
        const char *path = hed_json_string(content), *slash = strrchr(path, '/');
        text = slash ? slash + 1 : path;
    }
    size_t length = text ? strlen(text) : 0;
    if (is_file && length > 5 && strcmp(text + length - 5, ".json") == 0) length -= 5;
    if (length > SYNTH_LONGEST_LAYER)
        hed_json_reject(element, "the name of a layer has %zu bytes; expected a \"name\" of at most %d",
            length, SYNTH_LONGEST_LAYER);
    else if (text) memcpy(layer->name, text, length);
    else snprintf(layer->name, sizeof layer->name, "%" PRIu32, number + 1);
}

/* Reads the file of a layer. */
static hed_synth_instrument *read_layer_file(file_reader *reader, hed_json_node node)
{
    const char *name = hed_json_string(node),
               *slash = reader->path ? strrchr(reader->path, '/') : NULL;
    char path[PATH_MAX];
    hed_error error = {0};
    file_reader file = {.path = path, .is_layer = true};
    if (!file_fine(reader)) return NULL;
    if (!reader->path) {
        hed_json_reject(node,
            "\"%s\" is a file, and this text is in memory; expected the instrument itself, {...}", name);
        return NULL;
    }
    int folder = slash && name[0] != '/' ? (int)(slash - reader->path) + 1 : 0;
    if (snprintf(path, sizeof path, "%.*s%s", folder, reader->path, name) >= (int)sizeof path)
        hed_json_reject(node, "the path \"%s\" is too long", name);
    else if (hed_json_read(path, &file.json, &error)) {
        hed_json_fail(node, error.status, "%s", error.text);
    } else {
        file.document = hed_json_root(file.json);
        if (read_instrument(&file, path, &error)) hed_json_fail_as(node, &error);
        hed_json_free(file.json);
    }
    return file.instrument;
}

/* Reads the instrument of a layer: a file's, or one within this document. NULL: the reader failed. */
static hed_synth_instrument *read_layer_content(file_reader *reader, hed_json_node node)
{
    if (hed_json_kind_of(node) == HED_JSON_STRING) return read_layer_file(reader, node);
    file_reader part = {.json = reader->json, .document = node, .is_layer = true};
    hed_error error = {0};
    if (file_fine(reader) && read_instrument(&part, "", &error) && file_fine(reader))
        reader->failure = error;
    return part.instrument;
}

static void file_read_layer(file_reader *reader, hed_json_node element, uint32_t number)
{
    synth_layer layer = layer_defaults;
    hed_error error = {0};
    hed_fields_read(&synth_layer_fields, element, &layer, reader);
    name_layer(element, number, &layer);
    if (layer.low > layer.high)
        hed_json_reject(element, "low is %u and high %u; expected the lower note first", layer.low, layer.high);
    if (layer.velocity_low > layer.velocity_high)
        hed_json_reject(element, "velocity_low is %u and velocity_high %u; expected the lower one first",
            layer.velocity_low, layer.velocity_high);
    hed_synth_instrument *content =
        read_layer_content(reader, hed_json_member(element, "instrument"));
    if (content && file_fine(reader) &&
        synth_layer_add(reader->instrument, &layer, content, &error))
        file_refuse(reader, element, &error);
    hed_synth_instrument_destroy(content);
}

/* Refuses whatever belongs to the instruments of the layers. */
static void require_whole(file_reader *reader)
{
    static const char *const keys[] = {
        "$schema", "version", "description", "family", "instrument", "layers", NULL};
    for (hed_json_node at = hed_json_next(reader->document, NULL); at.key && file_fine(reader);
         at = hed_json_next(reader->document, at.key)) {
        uint32_t i = 0;
        while (keys[i] && strcmp(keys[i], at.key) != 0) i++;
        if (!keys[i])
            hed_json_reject(at, "an instrument with layers has no \"%s\" of its own; expected it in the "
                                "instrument of a layer", at.key);
    }
    if (!hed_json_has(reader->document, "instrument")) return;
    hed_json_node whole = hed_json_member(reader->document, "instrument");
    reader->instrument->has_tempo = hed_json_has(whole, "tempo");
    for (hed_json_node at = hed_json_next(whole, NULL); at.key && file_fine(reader);
         at = hed_json_next(whole, at.key))
        if (!synth_is_of_whole(at.key))
            hed_json_reject(at, "each layer has a \"%s\" of its own; expected low, high, tempo, gain, "
                                "limit or limit_release", at.key);
}

static void file_read_layers(const hed_field *field, hed_json_node list, void *at, void *user)
{
    file_reader *reader = user;
    if (reader->is_layer)
        hed_json_reject(list, "a layer has layers; expected an instrument without layers");
    require_whole(reader);
    size_t count = hed_field_length(field, list);
    for (uint32_t i = 0; i < count && file_fine(reader); i++)
        file_read_layer(reader, hed_json_item(list, i), i);
}

/* ---- the whole ---- */

static void file_read_macros(const hed_field *field, hed_json_node list, void *at, void *user)
{
    file_reader *reader = user;
    size_t count = hed_field_length(field, list);
    for (uint32_t i = 0; i < count && file_fine(reader); i++) {
        hed_json_node item = hed_json_item(list, i);
        const char *name = hed_json_string(item);
        hed_error error = {0};
        if (file_fine(reader) &&
            hed_synth_instrument_set_macro(reader->instrument, i, name, &error) != HED_OK)
            file_refuse(reader, item, &error);
    }
}

static void file_read_version(const hed_field *field, hed_json_node number, void *at, void *user)
{
    int64_t version = hed_json_integer(number, 1, INT32_MAX);
    if (version > SYNTH_FILE_VERSION)
        hed_json_reject(number, "%" PRId64 ", and this Heddle reads version %d: take a newer one",
            version, SYNTH_FILE_VERSION);
}

static void file_read_whole(const hed_field *field, hed_json_node object, void *at, void *user)
{
    file_reader *reader = user;
    hed_synth_instrument_def def = hed_default_synth_instrument_def();
    hed_error error = {0};
    hed_fields_read(&synth_instrument_fields, object, &def, reader);
    if (file_fine(reader) &&
        hed_synth_instrument_set_def(reader->instrument, &def, &error) != HED_OK)
        file_refuse(reader, object, &error);
}

/* Reads a section: the entities of a type (its tag), or other elements. */
static void file_read_section(const hed_field *field, hed_json_node list, void *at, void *user)
{
    void (*read)(file_reader *reader, hed_json_node element, uint32_t tag) = read_entity;
    if (field->fields == &grid_fields) read = file_read_grid;
    if (field->fields == &change_fields) read = read_change;
    if (field->fields == &link_fields) read = read_link;
    if (field->fields == &modulation_fields) read = read_modulation;
    size_t count = hed_json_count(list);
    for (size_t i = 0; i < count && file_fine(user); i++)
        read(user, hed_json_item(list, i), field->tag);
}

#define SECTION(table) HED_AS_LIST(table, 0, HED_FIELD_ANY, file_read_section)
#define SECTION_OF(TYPE, name, plural, section, ...) \
    {#plural, section, SECTION(&synth_fields[HED_SYNTH_##TYPE]), .tag = HED_SYNTH_##TYPE},
static const hed_field file_rows[] = {
    {"$schema", "schema, for editors", .kind = HED_FIELD_TEXT},
    {"version", "version of the format", HED_AS_OTHER("version", file_read_version), .required = true},
    {"description", "text for readers; not saved", .kind = HED_FIELD_TEXT},
    {"family", "group of sounds, for browsers of presets; not saved", .kind = HED_FIELD_TEXT},
    {"instrument", NULL, HED_AS_PART(&synth_instrument_fields, file_read_whole)},
    {"layers", "instruments that sound together, in place of all keys below",
        HED_AS_LIST(&synth_layer_fields, 1, SYNTH_MOST_LAYERS, file_read_layers)},
    {"macros", "names of a host's controls, which midi_sources of kind host follow by numbers from 0 to 7; \"\" for an unused one",
        .kind = HED_FIELD_LIST, .form = "macro", .high = HED_SYNTH_MACROS, .read = file_read_macros},
    SYNTH_BODIES(SECTION_OF)
    {"grids", "strings, membranes, plates and lattices", SECTION(&grid_fields)},
    SYNTH_SPRINGS(SECTION_OF)
    {"changes", "properties of single parts of grids", SECTION(&change_fields)},
    SYNTH_OTHER_ENTITIES(SECTION_OF)
    {"links", "connections of exciters and microphones with bodies", SECTION(&link_fields)},
    {"modulations", "effects of modulators on parameters", SECTION(&modulation_fields)},
    {0},
};
static const hed_fields file_fields = {"", NULL, .rows = file_rows};

#define TABLE_OF(TYPE, ...) &synth_fields[HED_SYNTH_##TYPE],
static const hed_fields *const file_tables[] = {&file_fields, &synth_instrument_fields,
    &synth_layer_fields, SYNTH_BODIES(TABLE_OF) & grid_fields, &synth_grid_body_fields,
    &synth_grid_spring_fields, SYNTH_SPRINGS(TABLE_OF) & change_fields,
    SYNTH_OTHER_ENTITIES(TABLE_OF) & link_fields, &modulation_fields, &synth_adsr_fields,
    &synth_route_fields, NULL};

#define VECTOR_JSON \
    "{'type': 'array', 'minItems': 3, 'maxItems': 3, 'items': {'type': 'number', 'minimum': -10000, " \
    "'maximum': 10000}}"
#define SIZE_JSON "{'type': 'integer', 'minimum': 1, 'maximum': 16777216}"
static const hed_form file_forms[] = {
    {"version", "1", "'const': 1"},
    {"layer_instrument", "path, or a whole instrument without `layers`", "'anyOf': [{'type': 'string'}, {'$ref': '#'}]"},
    {"layer_name", "text of 1 to 40 bytes without `/`", "'type': 'string', 'minLength': 1, 'maxLength': 40, 'pattern': '^[^/]*$'"},
    {"name", "text of 1 to 255 bytes", "'type': 'string', 'minLength': 1, 'maxLength': 255"},
    {"macro", "texts of at most 63 bytes", "'type': 'string', 'maxLength': 63"},
    {"reference", "name, or part of a grid, as `s[3]`, `s[0..9]`, `plate[4,*]`, `s.springs[2]`", "'type': 'string'"},
    {"references", "reference, or list of references", "'anyOf': [{'$ref': '#/$defs/reference'}, {'type': 'array', 'items': {'$ref': '#/$defs/reference'}}]"},
    {"size", "integer for a string, 2 integers for a membrane or plate, 3 for a lattice", "'anyOf': [" SIZE_JSON ", {'type': 'array', 'minItems': 2, 'maxItems': 3, 'items': " SIZE_JSON "}]"},
    {"step", "number from 1e-6 to 10000 (along x, y and z), vector for a string, or list of a vector for each axis, m", "'anyOf': [{'type': 'number', 'minimum': 1e-06, 'maximum': 10000}, " VECTOR_JSON ", {'type': 'array', 'minItems': 2, 'maxItems': 3, 'items': " VECTOR_JSON "}]"},
    {"anchor", "`none`, `ends` (of each axis), or list of `first_i`, `last_i`, `first_j`, `last_j`, `first_k`, `last_k`", "'anyOf': [{'enum': ['none', 'ends']}, {'type': 'array', 'items': {'enum': ['first_i', 'last_i', 'first_j', 'last_j', 'first_k', 'last_k']}}]"},
    {0},
};

const hed_document synth_file_document = {"Heddle instrument",
    "Bodies and springs, exciters, microphones and modulators: heddle synth render FILE song.mid. SI units. "
    "docs/instrument-file.md explains the format.",
    file_tables, file_forms};

/* Builds the instrument of reader->document; reader->instrument is NULL after a failure. */
static hed_status read_instrument(file_reader *reader, const char *file, hed_error *error)
{
    hed_status status = hed_synth_instrument_create(NULL, NULL, &reader->instrument, error);
    if (status == HED_OK) status = synth_name_file(reader->instrument, file, error);
    if (status == HED_OK) {
        hed_fields_read(&file_fields, reader->document, reader, reader);
        status = hed_json_status(reader->json, error);
        if (reader->failure.status != HED_OK) {
            status = reader->failure.status;
            if (error) *error = reader->failure;
        }
    }
    if (status == HED_OK) return HED_OK;
    hed_synth_instrument_destroy(reader->instrument);
    reader->instrument = NULL;
    return status;
}

/* Builds the instrument of a document; `path` NULL: a text in memory. Frees `json`. */
static hed_status read_document(hed_json *json, const char *file, const char *path,
    hed_synth_instrument **instrument, hed_error *error)
{
    file_reader reader = {.json = json, .path = path, .document = hed_json_root(json)};
    hed_status status = read_instrument(&reader, file, error);
    hed_json_free(json);
    *instrument = reader.instrument;
    return status;
}

hed_status hed_synth_instrument_read(
    const char *path, hed_synth_instrument **instrument, hed_error *error)
{
    HED_REQUIRE(path, instrument);
    *instrument = NULL;
    hed_json *json;
    hed_status status = hed_json_read(path, &json, error);
    return status ? status : read_document(json, path, path, instrument, error);
}

hed_status hed_synth_instrument_parse(const char *text, size_t size, const char *name,
    hed_synth_instrument **instrument, hed_error *error)
{
    HED_REQUIRE(text || !size, name, instrument);
    *instrument = NULL;
    hed_json *json;
    hed_status status = hed_json_parse(name, text, size, &json, error);
    return status ? status : read_document(json, name, NULL, instrument, error);
}
