/* Instruments: arrays of definitions by type, and names. Links, modulations and removal are in
 * model_change.c, grids in grid_model.c. */
#include "model/synth_model.h"

#include "heddle/author.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- memory ---- */

void *synth_grow(
    const hed_allocator *allocator, void *array, uint32_t *capacity, uint64_t need, size_t size)
{
    if (need <= *capacity) return array;
    uint64_t larger = *capacity + *capacity / 2u + 8;
    if (larger < need) larger = need;
    void *moved =
        larger < UINT32_MAX ? allocator->allocate(allocator->user, larger * size, 16) : NULL;
    if (!moved) return NULL;
    if (array) memcpy(moved, array, *capacity * size);
    hed_delete(allocator, array, *capacity, size);
    *capacity = (uint32_t)larger;
    return moved;
}

char *synth_copy_text(const hed_allocator *allocator, const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = allocator->allocate(allocator->user, size, 1);
    return copy ? memcpy(copy, text, size) : NULL;
}

void synth_free_text(const hed_allocator *allocator, char *text)
{
    if (text) hed_delete(allocator, text, strlen(text) + 1, 1);
}

/* Offset of each type's array in hed_synth_instrument. Since the pointer types differ, the
 * pointers are read and written by memcpy. */
#define ARRAY_OF(TYPE, name, plural, ...) \
    [HED_SYNTH_##TYPE] = offsetof(hed_synth_instrument, plural),
static const size_t arrays[HED_SYNTH_ENTITY_TYPE_COUNT] = {SYNTH_ENTITIES(ARRAY_OF)};

void *synth_array(const hed_synth_instrument *instrument, uint32_t type)
{
    void *array;
    memcpy(&array, (const char *)instrument + arrays[type], sizeof array);
    return array;
}

void *synth_element(const hed_synth_instrument *instrument, uint32_t type, uint32_t index)
{
    return (char *)synth_array(instrument, type) + index * synth_def_sizes[type];
}

/* Grows the arrays of a type to `count` elements. Numbers and definitions have the same
 * capacity, so they grow together or not at all. */
static bool reserve(hed_synth_instrument *instrument, uint32_t type, uint64_t count)
{
    const hed_allocator *allocator = &instrument->allocator;
    uint32_t old = instrument->capacities[type], capacity = 0, unchanged = 0;
    size_t size = synth_def_sizes[type];
    if (count <= old) return true;
    uint64_t larger = old + (uint64_t)old / 2 + 8;
    if (larger < count) larger = count;
    hed_synth_entity *ids = synth_grow(allocator, NULL, &capacity, larger, sizeof *ids);
    void *array = synth_grow(allocator, NULL, &unchanged, larger, size);
    if (!ids || !array) {
        hed_delete(allocator, ids, capacity, sizeof *ids);
        hed_delete(allocator, array, unchanged, size);
        return false;
    }
    if (old > 0) {
        memcpy(ids, instrument->ids[type], old * sizeof *ids);
        memcpy(array, synth_array(instrument, type), old * size);
    }
    hed_delete(allocator, instrument->ids[type], old, sizeof *ids);
    hed_delete(allocator, synth_array(instrument, type), old, size);
    instrument->ids[type] = ids;
    memcpy((char *)instrument + arrays[type], &array, sizeof array);
    instrument->capacities[type] = capacity;
    return true;
}

hed_status synth_reserve_places(hed_synth_instrument *instrument, uint32_t count, hed_error *error)
{
    if (count > SYNTH_MOST_ENTITIES - instrument->entity_count)
        return hed_fail(error, HED_ERROR_LIMIT,
            "an instrument holds up to %" PRIu32 " entities; %" PRIu32 " were there, %" PRIu32
            " more were asked for",
            (uint32_t)SYNTH_MOST_ENTITIES, instrument->entity_count, count);
    uint64_t need = (uint64_t)instrument->entity_count + count + 1;
    synth_place *places = synth_grow(&instrument->allocator, instrument->places,
        &instrument->place_capacity, need, sizeof *places);
    if (!places) return HED_OUT_OF_MEMORY(error, "an instrument's %" PRIu64 " entities", need);
    instrument->places = places;
    return HED_OK;
}

hed_status synth_reserve(
    hed_synth_instrument *instrument, uint32_t type, uint32_t count, hed_error *error)
{
    if (count > SYNTH_MOST_OF_TYPE - instrument->counts[type])
        return hed_fail(error, HED_ERROR_LIMIT,
            "an instrument holds up to %d of each type; %" PRIu32 " more of type %s were asked for",
            SYNTH_MOST_OF_TYPE, count, hed_synth_entity_type_name(type));
    hed_status status = synth_reserve_places(instrument, count, error);
    if (status || reserve(instrument, type, (uint64_t)instrument->counts[type] + count))
        return status;
    return HED_OUT_OF_MEMORY(
        error, "%" PRIu32 " more of an instrument's %s", count, hed_synth_entity_type_name(type));
}

hed_synth_entity synth_append(hed_synth_instrument *instrument, uint32_t type, const void *def)
{
    uint32_t index = instrument->counts[type]++;
    hed_synth_entity entity = ++instrument->entity_count;
    instrument->places[entity] = (synth_place){type, index};
    instrument->ids[type][index] = entity;
    memcpy(synth_element(instrument, type, index), def, synth_def_sizes[type]);
    return entity;
}

/* ---- creation ---- */

static hed_status instrument_check_def(const hed_synth_instrument_def *def, hed_error *error)
{
    hed_status status = synth_check_fields(&synth_instrument_fields, def, "instrument", error);
    if (status == HED_OK && def->low > def->high)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "instrument: low is %u and high %u; expected the lower note first", def->low,
            def->high);
    return status;
}

hed_status hed_synth_instrument_create(const hed_allocator *allocator,
    const hed_synth_instrument_def *def, hed_synth_instrument **instrument, hed_error *error)
{
    HED_REQUIRE(instrument);
    *instrument = NULL;
    hed_allocator own = allocator ? *allocator : hed_default_allocator();
    hed_synth_instrument_def checked = def ? *def : hed_default_synth_instrument_def();
    hed_status status = instrument_check_def(&checked, error);
    if (status != HED_OK) return status;
    hed_synth_instrument *created = hed_new(&own, 1, sizeof *created, NULL);
    if (!created) return HED_OUT_OF_MEMORY(error, "an instrument");
    *created = (hed_synth_instrument){.allocator = own, .def = checked};
    *instrument = created;
    return HED_OK;
}

void hed_synth_instrument_destroy(hed_synth_instrument *instrument)
{
    if (!instrument) return;
    hed_allocator allocator = instrument->allocator;
    for (uint32_t type = 0; type < HED_SYNTH_ENTITY_TYPE_COUNT; type++) {
        hed_delete(&allocator, instrument->ids[type], instrument->capacities[type],
            sizeof(hed_synth_entity));
        hed_delete(&allocator, synth_array(instrument, type), instrument->capacities[type],
            synth_def_sizes[type]);
    }
    for (uint32_t i = 0; i < instrument->name_count; i++)
        synth_free_text(&allocator, instrument->names[i].text);
    for (uint32_t i = 0; i < instrument->grid_count; i++)
        synth_free_text(&allocator, instrument->grids[i].name);
    hed_delete(&allocator, instrument->places, instrument->place_capacity, sizeof(synth_place));
    hed_delete(&allocator, instrument->links, instrument->link_capacity, sizeof(synth_link));
    hed_delete(&allocator, instrument->modulations, instrument->modulation_capacity,
        sizeof(hed_synth_modulation_def));
    hed_delete(&allocator, instrument->names, instrument->name_capacity, sizeof(synth_name));
    hed_delete(&allocator, instrument->grids, instrument->grid_capacity, sizeof(synth_grid));
    synth_table_free(&instrument->link_table, &allocator);
    synth_table_free(&instrument->name_table, &allocator);
    synth_free_text(&allocator, instrument->file);
    hed_delete(&allocator, instrument, 1, sizeof *instrument);
}

/* Copies `count` elements to a new array `*to`, whose capacity becomes `count`. Returns true
 * also for count 0. */
static bool copy_array(const hed_allocator *allocator, void **to, uint32_t *capacity,
    const void *from, uint32_t count, size_t size)
{
    *to = NULL;
    if (count == 0) return true;
    *to = synth_grow(allocator, NULL, capacity, count, size);
    if (*to) memcpy(*to, from, count * size);
    return *to != NULL;
}

static bool copy_types(const hed_synth_instrument *from, hed_synth_instrument *to)
{
    bool whole = true;
    for (uint32_t type = 0; whole && type < HED_SYNTH_ENTITY_TYPE_COUNT; type++) {
        uint32_t count = from->counts[type];
        whole = reserve(to, type, count);
        if (!whole || count == 0) continue;
        memcpy(to->ids[type], from->ids[type], count * sizeof(hed_synth_entity));
        memcpy(synth_array(to, type), synth_array(from, type), count * synth_def_sizes[type]);
        to->counts[type] = count;
    }
    return whole;
}

static bool copy_names(const hed_synth_instrument *from, hed_synth_instrument *to)
{
    for (uint32_t i = 0; i < from->name_count; i++)
        if (synth_set_name(to, from->names[i].entity, from->names[i].text, NULL) != HED_OK)
            return false;
    void *grids;
    if (!copy_array(&to->allocator, &grids, &to->grid_capacity, from->grids, from->grid_count,
            sizeof(synth_grid)))
        return false;
    to->grids = grids;
    for (uint32_t i = 0; i < from->grid_count; i++) {
        char *name =
            from->grids[i].name ? synth_copy_text(&to->allocator, from->grids[i].name) : NULL;
        if (from->grids[i].name && !name) return false;
        to->grids[i].name = name;
        to->grid_count = i + 1;
        uint32_t hash = name ? synth_hash_text(name, strlen(name)) : 0;
        if (name && !synth_table_put(&to->name_table, &to->allocator, hash, i | SYNTH_GRID_NAME))
            return false;
    }
    return true;
}

static bool copy_links(const hed_synth_instrument *from, hed_synth_instrument *to)
{
    void *links, *modulations;
    bool whole = copy_array(&to->allocator, &links, &to->link_capacity, from->links,
        from->link_count, sizeof(synth_link));
    to->links = links;
    if (!whole || !copy_array(&to->allocator, &modulations, &to->modulation_capacity,
                      from->modulations, from->modulation_count, sizeof(hed_synth_modulation_def)))
        return false;
    to->modulations = modulations;
    to->modulation_count = from->modulation_count;
    for (uint32_t i = 0; whole && i < from->link_count; i++) {
        whole = synth_table_put(&to->link_table, &to->allocator,
            synth_hash_pair(to->links[i].from, to->links[i].to), i);
        to->link_count += whole;
    }
    return whole;
}

hed_status synth_name_file(hed_synth_instrument *instrument, const char *file, hed_error *error)
{
    if (hed_failed(error)) return error->status;
    instrument->file = synth_copy_text(&instrument->allocator, file);
    return instrument->file ? HED_OK : HED_OUT_OF_MEMORY(error, "a file's name");
}

hed_status hed_synth_instrument_copy(
    const hed_synth_instrument *instrument, hed_synth_instrument **copy, hed_error *error)
{
    HED_REQUIRE(instrument, copy);
    hed_status status =
        hed_synth_instrument_create(&instrument->allocator, &instrument->def, copy, error);
    if (status != HED_OK) return status;
    hed_synth_instrument *result = *copy;
    void *places;
    uint32_t count = instrument->entity_count + (instrument->entity_count > 0);
    bool whole = copy_array(&result->allocator, &places, &result->place_capacity,
        instrument->places, count, sizeof(synth_place));
    result->places = places;
    result->entity_count = whole ? instrument->entity_count : 0;
    memcpy(result->macros, instrument->macros, sizeof result->macros);
    memcpy(result->layers, instrument->layers, sizeof result->layers);
    result->layer_count = instrument->layer_count;
    result->has_tempo = instrument->has_tempo;
    if (whole && copy_types(instrument, result) && copy_names(instrument, result) &&
        copy_links(instrument, result) &&
        (!instrument->file || synth_name_file(result, instrument->file, NULL) == HED_OK))
        return HED_OK;
    hed_synth_instrument_destroy(result);
    *copy = NULL;
    return HED_OUT_OF_MEMORY(error, "a copy of an instrument");
}

const hed_synth_instrument_def *hed_synth_instrument_definition(
    const hed_synth_instrument *instrument)
{
    if (!instrument) return NULL;
    return &instrument->def;
}

/* Checks that a definition for an instrument of layers leaves alone all that each layer has itself. */
static hed_status check_layered_def(
    const hed_synth_instrument *instrument, const hed_synth_instrument_def *def, hed_error *error)
{
    for (const hed_field *field = synth_instrument_fields.rows; field->key; field++)
        if (!synth_is_of_whole(field->key) &&
            !synth_same_value(field, (const char *)def + field->offset,
                (const char *)&instrument->def + field->offset))
            return hed_fail(error, HED_ERROR_ARGUMENT,
                "instrument: \"%s\" belongs to each layer; expected it unchanged", field->key);
    return HED_OK;
}

hed_status hed_synth_instrument_set_def(
    hed_synth_instrument *instrument, const hed_synth_instrument_def *def, hed_error *error)
{
    HED_REQUIRE(instrument, def);
    hed_status status = instrument_check_def(def, error);
    if (!status && instrument->layer_count) status = check_layered_def(instrument, def, error);
    if (status) return status;
    instrument->has_tempo |= def->tempo != instrument->def.tempo;
    instrument->def = *def;
    return HED_OK;
}

hed_status hed_synth_instrument_set_macro(
    hed_synth_instrument *instrument, uint32_t macro, const char *name, hed_error *error)
{
    HED_REQUIRE(instrument);
    if (macro >= HED_SYNTH_MACROS)
        return hed_fail(
            error, HED_ERROR_ARGUMENT, "macro %u; expected one below %d", macro, HED_SYNTH_MACROS);
    size_t size = name ? strlen(name) : 0;
    bool printable = true;
    for (size_t i = 0; i < size; i++) printable &= (uint8_t)name[i] >= 0x20 && name[i] != 0x7f;
    if (size > SYNTH_LONGEST_MACRO || !printable)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "the name of macro %u has %zu bytes; expected at most %d, and no control characters",
            macro, size, SYNTH_LONGEST_MACRO);
    memset(instrument->macros[macro], 0, sizeof instrument->macros[macro]);
    if (size) memcpy(instrument->macros[macro], name, size);
    return HED_OK;
}

const char *hed_synth_instrument_macro(const hed_synth_instrument *instrument, uint32_t macro)
{
    if (!instrument) return "";
    return macro < HED_SYNTH_MACROS ? instrument->macros[macro] : "";
}

/* ---- looking up ---- */

uint32_t hed_synth_instrument_count(
    const hed_synth_instrument *instrument, hed_synth_entity_type type)
{
    if (!instrument) return 0;
    return (uint32_t)type < HED_SYNTH_ENTITY_TYPE_COUNT ? instrument->counts[type] : 0;
}

hed_synth_entity hed_synth_instrument_at(
    const hed_synth_instrument *instrument, hed_synth_entity_type type, uint32_t index)
{
    if (!instrument) return 0;
    return index < hed_synth_instrument_count(instrument, type) ? instrument->ids[type][index] : 0;
}

hed_status synth_set_name(
    hed_synth_instrument *instrument, hed_synth_entity entity, const char *text, hed_error *error)
{
    const hed_allocator *allocator = &instrument->allocator;
    uint64_t need = (uint64_t)instrument->name_count + 1;
    synth_name *names =
        synth_grow(allocator, instrument->names, &instrument->name_capacity, need, sizeof *names);
    if (names) instrument->names = names;
    char *copy = names ? synth_copy_text(allocator, text) : NULL;
    if (!copy || !synth_table_put(&instrument->name_table, allocator,
                     synth_hash_text(text, strlen(text)), instrument->name_count)) {
        synth_free_text(allocator, copy);
        return HED_OUT_OF_MEMORY(error, "the name \"%s\"", text);
    }
    /* a new entity has the largest number, so names stay sorted */
    instrument->names[instrument->name_count++] = (synth_name){entity, copy};
    return HED_OK;
}

hed_status synth_check_name(
    const hed_synth_instrument *instrument, const char *name, hed_error *error)
{
    size_t length = strlen(name);
    if (length == 0 || length > SYNTH_LONGEST_NAME)
        return hed_fail(error, HED_ERROR_ARGUMENT, "a name has %zu bytes; expected 1 to %d", length,
            SYNTH_LONGEST_NAME);
    if (hed_synth_instrument_find(instrument, name) || synth_find_grid(instrument, name, length))
        return hed_fail(error, HED_ERROR_ARGUMENT, "the name \"%s\" is taken", name);
    return HED_OK;
}

hed_status synth_check_grid_name(
    const hed_synth_instrument *instrument, const char *name, hed_error *error)
{
    hed_status status = synth_check_name(instrument, name, error);
    size_t length = strlen(name);
    if (status == HED_OK && length > SYNTH_LONGEST_GRID_NAME)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "the name of a grid has %zu bytes; expected at most %d", length,
            SYNTH_LONGEST_GRID_NAME);
    /* an entity named "s[3]" would hide a body of the grid "s"; bodies in files precede grids */
    for (uint32_t i = 0; i < instrument->name_count && status == HED_OK; i++) {
        const char *entity_name = instrument->names[i].text;
        if (strncmp(entity_name, name, length) == 0 &&
            (entity_name[length] == '[' || strncmp(entity_name + length, ".springs", 8) == 0))
            status = hed_fail(error, HED_ERROR_ARGUMENT,
                "a grid cannot have the name \"%s\": \"%s\" would be a part of it", name, entity_name);
    }
    return status;
}

/* ---- adding and changing ---- */

static hed_status check_spring(
    const hed_synth_instrument *instrument, const hed_synth_spring_def *spring, hed_error *error)
{
    const hed_synth_body_def *a =
        synth_element(instrument, HED_SYNTH_BODY, synth_find(instrument, spring->from)->index);
    const hed_synth_body_def *b =
        synth_element(instrument, HED_SYNTH_BODY, synth_find(instrument, spring->to)->index);
    char from[SYNTH_DESCRIPTION], to[SYNTH_DESCRIPTION];
    for (int k = 0; k < 3; k++)
        if (a->position[k] != b->position[k]) return HED_OK;
    return hed_fail(error, HED_ERROR_ARGUMENT,
        "spring: its ends %s and %s are at the same place: it has no direction to pull in",
        hed_synth_instrument_describe(instrument, spring->from, from, sizeof from),
        hed_synth_instrument_describe(instrument, spring->to, to, sizeof to));
}

/* Checks a definition for the entity of a number. */
static hed_status check_entity(const hed_synth_instrument *instrument, hed_synth_entity number,
    const hed_synth_entity_def *def, hed_error *error)
{
    if ((uint32_t)def->type >= HED_SYNTH_ENTITY_TYPE_COUNT)
        return hed_fail(
            error, HED_ERROR_ARGUMENT, "there is no type %d of entities", (int)def->type);
    const char *type_name = hed_synth_entity_type_name(def->type);
    hed_status status = synth_check_fields(&synth_fields[def->type], &def->as, type_name, error);
    for (const hed_field *field = synth_fields[def->type].rows; field->key && status == HED_OK;
         field++) {
        hed_synth_entity entity;
        if (!synth_refers(field)) continue;
        memcpy(&entity, (const char *)&def->as + field->offset, sizeof entity);
        const synth_place *place = synth_find(instrument, entity);
        if (!place || place->type != field->tag)
            return hed_fail(error, HED_ERROR_ARGUMENT,
                "%s: %s is entity %" PRIu32 ", which is %s; expected a %s", type_name, field->key,
                entity, place ? hed_synth_entity_type_name(place->type) : "not there",
                hed_synth_entity_type_name(field->tag));
        status = synth_check_layers(instrument, number, entity, error);
    }
    const synth_layer *layer = &instrument->layers[synth_layer_of(instrument, number)];
    if (status == HED_OK && def->type == HED_SYNTH_MIDI_SOURCE &&
        def->as.midi_source.kind == HED_SYNTH_MIDI_HOST &&
        def->as.midi_source.number < layer->first_control)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "midi_source: number is %" PRIu32
            ", a control of another layer; expected at least %" PRIu32 " in layer \"%s\"",
            def->as.midi_source.number, layer->first_control, layer->name);
    if (status == HED_OK && def->type == HED_SYNTH_SPRING)
        status = check_spring(instrument, &def->as.spring, error);
    return status;
}

hed_status hed_synth_instrument_add(hed_synth_instrument *instrument,
    const hed_synth_entity_def *def, const char *name, hed_synth_entity *entity, hed_error *error)
{
    HED_REQUIRE(instrument, def, entity);
    hed_error unseen = {0};
    if (!error) error = &unseen;
    *entity = 0;
    if (check_entity(instrument, instrument->entity_count + 1, def, error) ||
        (name && synth_check_name(instrument, name, error)) ||
        synth_reserve(instrument, def->type, 1, error) ||
        (name && synth_set_name(instrument, instrument->entity_count + 1, name, error)))
        return error->status;
    *entity = synth_append(instrument, def->type, &def->as);
    return HED_OK;
}

static hed_status no_such(hed_synth_entity entity, hed_error *error)
{
    return hed_fail(error, HED_ERROR_ARGUMENT, "the instrument has no entity %" PRIu32, entity);
}

hed_status hed_synth_instrument_set(hed_synth_instrument *instrument, hed_synth_entity entity,
    const hed_synth_entity_def *def, hed_error *error)
{
    HED_REQUIRE(instrument, def);
    const synth_place *place = synth_find(instrument, entity);
    if (!place) return no_such(entity, error);
    if (place->type != (uint32_t)def->type)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "entity %" PRIu32 " is a %s and cannot become a %s", entity,
            hed_synth_entity_type_name(place->type), hed_synth_entity_type_name(def->type));
    hed_status status = check_entity(instrument, entity, def, error);
    if (status == HED_OK)
        memcpy(synth_element(instrument, place->type, place->index), &def->as,
            synth_def_sizes[place->type]);
    return status;
}

hed_status hed_synth_instrument_get(const hed_synth_instrument *instrument, hed_synth_entity entity,
    hed_synth_entity_def *def, hed_error *error)
{
    HED_REQUIRE(instrument, def);
    const synth_place *place = synth_find(instrument, entity);
    if (!place) return no_such(entity, error);
    def->type = place->type;
    memcpy(&def->as, synth_element(instrument, place->type, place->index),
        synth_def_sizes[place->type]);
    return HED_OK;
}

float synth_rest_length(const hed_synth_instrument *instrument, const hed_synth_spring_def *spring)
{
    if (spring->rest_length >= 0) return spring->rest_length;
    const hed_synth_body_def *a =
        synth_element(instrument, HED_SYNTH_BODY, instrument->places[spring->from].index);
    const hed_synth_body_def *b =
        synth_element(instrument, HED_SYNTH_BODY, instrument->places[spring->to].index);
    double x = (double)b->position[0] - a->position[0], y = (double)b->position[1] - a->position[1];
    double z = (double)b->position[2] - a->position[2];
    return (float)(sqrt(x * x + y * y + z * z) * -(double)spring->rest_length);
}
