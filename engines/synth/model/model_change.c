/* Links and modulations between entities, and removal of entities together with the links,
 * modulations and springs that refer to them. */
#include "model/synth_model.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const float most_weight = 1e6f;

/* ---- links ---- */

static hed_status refuse_link(const hed_synth_instrument *instrument, hed_synth_entity from,
    hed_synth_entity to, const char *reason, hed_error *error)
{
    char from_text[SYNTH_DESCRIPTION], to_text[SYNTH_DESCRIPTION];
    return hed_fail(error, HED_ERROR_ARGUMENT, "a link from %s to %s: %s",
        hed_synth_instrument_describe(instrument, from, from_text, sizeof from_text),
        hed_synth_instrument_describe(instrument, to, to_text, sizeof to_text), reason);
}

static hed_status check_link(const hed_synth_instrument *instrument, hed_synth_entity from,
    hed_synth_entity to, float weight, hed_error *error)
{
    const synth_place *a = synth_find(instrument, from), *b = synth_find(instrument, to);
    if (!a || !b) return refuse_link(instrument, from, to, "there is no such entity", error);
    bool linkable = b->type == HED_SYNTH_BODY
                        ? a->type == HED_SYNTH_MICROPHONE || synth_is_exciter(a->type)
                        : b->type == HED_SYNTH_DELAY_LINE && a->type == HED_SYNTH_AUDIO_INPUT;
    if (!linkable)
        return refuse_link(instrument, from, to,
            "only exciters and microphones are linked to bodies, and audio inputs to delay lines",
            error);
    if (!(fabsf(weight) <= most_weight))
        return refuse_link(instrument, from, to, "its weight is beyond -1e6 to 1e6", error);
    if (synth_check_layers(instrument, from, to, error)) return HED_ERROR_ARGUMENT;
    for (uint32_t i = 0; b->type == HED_SYNTH_DELAY_LINE && i < instrument->link_count; i++) {
        const synth_link *link = &instrument->links[i];
        if (link->from == from && link->to != to &&
            instrument->places[link->to].type == HED_SYNTH_DELAY_LINE)
            return refuse_link(instrument, from, to, "it takes another delay line already", error);
    }
    return HED_OK;
}

hed_status hed_synth_instrument_link(hed_synth_instrument *instrument, hed_synth_entity from,
    hed_synth_entity to, float weight, hed_error *error)
{
    HED_REQUIRE(instrument);
    hed_status status = check_link(instrument, from, to, weight, error);
    if (status != HED_OK) return status;
    uint32_t probe = 0, place;
    do place = synth_table_next(&instrument->link_table, synth_hash_pair(from, to), &probe);
    while (place != SYNTH_NO_PLACE &&
           (instrument->links[place].from != from || instrument->links[place].to != to));
    if (place != SYNTH_NO_PLACE) {
        instrument->links[place].weight = weight;
        return HED_OK;
    }
    uint64_t need = (uint64_t)instrument->link_count + 1;
    synth_link *links = synth_grow(
        &instrument->allocator, instrument->links, &instrument->link_capacity, need, sizeof *links);
    if (links) instrument->links = links;
    if (!links || !synth_table_put(&instrument->link_table, &instrument->allocator,
                      synth_hash_pair(from, to), instrument->link_count))
        return HED_OUT_OF_MEMORY(error, "an instrument's link %" PRIu64, need);
    instrument->links[instrument->link_count++] = (synth_link){from, to, weight};
    return HED_OK;
}

/* ---- modulations ---- */

static hed_status refuse_modulation(const hed_synth_instrument *instrument,
    const hed_synth_modulation_def *def, const char *reason, hed_error *error)
{
    char source_text[SYNTH_DESCRIPTION], entity_text[SYNTH_DESCRIPTION];
    return hed_fail(error, HED_ERROR_ARGUMENT, "a modulation of the %s of %s by %s: %s",
        hed_synth_target_name(def->target),
        hed_synth_instrument_describe(instrument, def->entity, entity_text, sizeof entity_text),
        hed_synth_instrument_describe(instrument, def->source, source_text, sizeof source_text),
        reason);
}

static hed_status check_modulation(
    const hed_synth_instrument *instrument, const hed_synth_modulation_def *def, hed_error *error)
{
    const synth_place *source = synth_find(instrument, def->source),
                      *target = synth_find(instrument, def->entity);
    if (!source || !synth_is_modulator(source->type))
        return refuse_modulation(instrument, def,
            "the source is no modulator; expected an LFO, envelope, follower or MIDI source",
            error);
    if (!target || !hed_synth_target_of(target->type, def->target))
        return refuse_modulation(instrument, def, "this entity has no such value", error);
    bool position =
        def->target >= HED_SYNTH_TARGET_POSITION_X && def->target <= HED_SYNTH_TARGET_POSITION_Z;
    if (position && target->type == HED_SYNTH_BODY && !instrument->bodies[target->index].anchored)
        return refuse_modulation(instrument, def, "only an anchored body can be moved", error);
    if ((uint32_t)def->mode >= HED_SYNTH_MODULATION_MODE_COUNT)
        return refuse_modulation(instrument, def, "there is no such mode", error);
    if (!(fabsf(def->depth) <= most_weight))
        return refuse_modulation(instrument, def, "its depth is beyond -1e6 to 1e6", error);
    return synth_check_layers(instrument, def->source, def->entity, error);
}

hed_status hed_synth_instrument_modulate(
    hed_synth_instrument *instrument, const hed_synth_modulation_def *def, hed_error *error)
{
    HED_REQUIRE(instrument, def);
    hed_status status = check_modulation(instrument, def, error);
    if (status != HED_OK) return status;
    uint64_t need = (uint64_t)instrument->modulation_count + 1;
    hed_synth_modulation_def *list = synth_grow(&instrument->allocator, instrument->modulations,
        &instrument->modulation_capacity, need, sizeof *list);
    if (!list) return HED_OUT_OF_MEMORY(error, "an instrument's modulation %" PRIu64, need);
    instrument->modulations = list;
    list[instrument->modulation_count++] = *def;
    return HED_OK;
}

/* ---- removal: mark what goes, then close the gaps. It allocates nothing, so it cannot fail half
 * way ---- */

static void mark(hed_synth_instrument *instrument, hed_synth_entity entity)
{
    instrument->places[entity].type = HED_SYNTH_ENTITY_TYPE_COUNT;
}

static bool is_removed(const hed_synth_instrument *instrument, hed_synth_entity entity)
{
    return instrument->places[entity].type == HED_SYNTH_ENTITY_TYPE_COUNT;
}

static void close_type(hed_synth_instrument *instrument, uint32_t type)
{
    uint32_t count = 0;
    for (uint32_t at = 0; at < instrument->counts[type]; at++) {
        hed_synth_entity entity = instrument->ids[type][at];
        if (is_removed(instrument, entity)) continue;
        if (count != at) {
            instrument->ids[type][count] = entity;
            memcpy(synth_element(instrument, type, count), synth_element(instrument, type, at),
                synth_def_sizes[type]);
            instrument->places[entity].index = count;
        }
        count++;
    }
    instrument->counts[type] = count;
}

static void close_links(hed_synth_instrument *instrument)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < instrument->link_count; i++)
        if (!is_removed(instrument, instrument->links[i].from) &&
            !is_removed(instrument, instrument->links[i].to))
            instrument->links[count++] = instrument->links[i];
    instrument->link_count = count;
    synth_table_clear(&instrument->link_table);
    for (uint32_t i = 0; i < count; i++) /* the table only shrinks, so put cannot fail */
        synth_table_put(&instrument->link_table, &instrument->allocator,
            synth_hash_pair(instrument->links[i].from, instrument->links[i].to), i);
    count = 0;
    for (uint32_t i = 0; i < instrument->modulation_count; i++)
        if (!is_removed(instrument, instrument->modulations[i].source) &&
            !is_removed(instrument, instrument->modulations[i].entity))
            instrument->modulations[count++] = instrument->modulations[i];
    instrument->modulation_count = count;
}

static void close_names(hed_synth_instrument *instrument)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < instrument->name_count; i++) {
        if (is_removed(instrument, instrument->names[i].entity))
            synth_free_text(&instrument->allocator, instrument->names[i].text);
        else instrument->names[count++] = instrument->names[i];
    }
    if (count == instrument->name_count) return;
    instrument->name_count = count;
    synth_table_clear(&instrument->name_table);
    for (uint32_t i = 0; i < count; i++) {
        const char *text = instrument->names[i].text;
        synth_table_put(&instrument->name_table, &instrument->allocator,
            synth_hash_text(text, strlen(text)), i);
    }
    for (uint32_t i = 0; i < instrument->grid_count; i++) {
        const char *text = instrument->grids[i].name;
        if (text)
            synth_table_put(&instrument->name_table, &instrument->allocator,
                synth_hash_text(text, strlen(text)), i | SYNTH_GRID_NAME);
    }
}

/* Marks the entities of a type that refer to a removed one. Returns true if there are any. */
static bool mark_referring(hed_synth_instrument *instrument, uint32_t type)
{
    bool changed = false;
    for (const hed_field *field = synth_fields[type].rows; field->key; field++)
        for (uint32_t at = 0; synth_refers(field) && at < instrument->counts[type]; at++) {
            if (!is_removed(instrument, synth_referred(instrument, type, at, field))) continue;
            mark(instrument, instrument->ids[type][at]);
            changed = true;
        }
    return changed;
}

hed_status hed_synth_instrument_remove(
    hed_synth_instrument *instrument, hed_synth_entity entity, hed_error *error)
{
    HED_REQUIRE(instrument);
    const synth_place *place = synth_find(instrument, entity);
    if (!place)
        return hed_fail(error, HED_ERROR_ARGUMENT, "the instrument has no entity %" PRIu32, entity);
    uint32_t removed = place->type;
    mark(instrument, entity);
    /* a type is after the types that it refers to */
    for (uint32_t type = removed; type < HED_SYNTH_ENTITY_TYPE_COUNT; type++)
        if (mark_referring(instrument, type) || type == removed) close_type(instrument, type);
    close_links(instrument);
    close_names(instrument);
    return HED_OK;
}
