/* Layers: several instruments in one. Entities of a layer have consecutive numbers and names that
 * begin with the layer's; no spring, link or modulation joins two layers. A synth plays each layer
 * as an instrument of its own (solver/synth_layers.c), which synth_layer_extract() makes. */
#include "model/synth_model.h"

#include "heddle/synth_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- copies of entities ---- */

/* Copy of the entities `first` to `end` - 1 to another instrument. */
typedef struct layer_copy {
    const hed_synth_instrument *from;
    hed_synth_instrument *to;
    hed_synth_entity first, end;
    uint32_t shift;     /* addition to numbers of entities */
    int32_t host_shift; /* addition to numbers of the host's controls */
    const char *prefix; /* beginning of each name in `to` */
    size_t skip;        /* bytes at the beginning of each name in `from` that are left out */
} layer_copy;

/* Adds a number that no entity has. */
static void skip_number(hed_synth_instrument *to)
{
    to->places[++to->entity_count] = (synth_place){.type = HED_SYNTH_ENTITY_TYPE_COUNT};
}

static hed_status copy_entities(const layer_copy *c, hed_error *error)
{
    if (c->end == c->first) return HED_OK;
    if (synth_reserve_places(c->to, c->end - c->first, error)) return error->status;
    for (hed_synth_entity entity = c->first; entity < c->end; entity++) {
        const synth_place *place = &c->from->places[entity];
        hed_synth_entity_def def;
        if (place->type == HED_SYNTH_ENTITY_TYPE_COUNT) {
            skip_number(c->to);
            continue;
        }
        memcpy(&def.as, synth_element(c->from, place->type, place->index),
            synth_def_sizes[place->type]);
        for (const hed_field *field = synth_fields[place->type].rows; field->key; field++) {
            hed_synth_entity *referred = (hed_synth_entity *)((char *)&def.as + field->offset);
            if (synth_refers(field)) *referred += c->shift;
        }
        if (place->type == HED_SYNTH_MIDI_SOURCE && def.as.midi_source.kind == HED_SYNTH_MIDI_HOST)
            def.as.midi_source.number += (uint32_t)c->host_shift;
        if (synth_reserve(c->to, place->type, 1, error)) return error->status;
        synth_append(c->to, place->type, &def.as);
    }
    return HED_OK;
}

/* Makes the name of an entity or grid in `to`. Errors: ARGUMENT (it is too long). */
static hed_status name_copy(
    const layer_copy *c, const char *name, char text[SYNTH_DESCRIPTION], hed_error *error)
{
    size_t length = strlen(c->prefix) + strlen(name) - c->skip;
    if (length > SYNTH_LONGEST_NAME)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "\"%s%s\" has %zu bytes; expected a name of at most %d with that of its layer",
            c->prefix, name + c->skip, length, SYNTH_LONGEST_NAME);
    snprintf(text, SYNTH_DESCRIPTION, "%s%s", c->prefix, name + c->skip);
    return HED_OK;
}

static hed_status copy_grids(const layer_copy *c, hed_error *error)
{
    hed_synth_instrument *to = c->to;
    char text[SYNTH_DESCRIPTION];
    for (uint32_t i = 0; i < c->from->grid_count; i++) {
        synth_grid grid = c->from->grids[i];
        if (grid.generated.first_body < c->first || grid.generated.first_body >= c->end) continue;
        synth_grid *grids = synth_grow(&to->allocator, to->grids, &to->grid_capacity,
            (uint64_t)to->grid_count + 1, sizeof *grids);
        if (!grids) return HED_OUT_OF_MEMORY(error, "a layer's grid");
        to->grids = grids;
        if (grid.name && name_copy(c, grid.name, text, error)) return error->status;
        bool has_name = grid.name != NULL;
        if (has_name) grid.name = synth_copy_text(&to->allocator, text);
        grid.generated.first_body += c->shift;
        grid.generated.first_spring += c->shift;
        uint32_t place = to->grid_count | SYNTH_GRID_NAME;
        if (has_name && (!grid.name || !synth_table_put(&to->name_table, &to->allocator,
                                           synth_hash_text(text, strlen(text)), place))) {
            synth_free_text(&to->allocator, grid.name);
            return HED_OUT_OF_MEMORY(error, "a layer's grid");
        }
        to->grids[to->grid_count++] = grid;
    }
    return HED_OK;
}

static hed_status copy_all_names(const layer_copy *c, hed_error *error)
{
    char text[SYNTH_DESCRIPTION];
    for (uint32_t i = 0; i < c->from->name_count; i++) {
        const synth_name *name = &c->from->names[i];
        if (name->entity < c->first || name->entity >= c->end) continue;
        if (name_copy(c, name->text, text, error) ||
            synth_set_name(c->to, name->entity + c->shift, text, error))
            return error->status;
    }
    return copy_grids(c, error);
}

static hed_status copy_joints(const layer_copy *c, hed_error *error)
{
    for (uint32_t i = 0; i < c->from->link_count; i++) {
        const synth_link *link = &c->from->links[i];
        if (link->from >= c->first && link->from < c->end &&
            hed_synth_instrument_link(
                c->to, link->from + c->shift, link->to + c->shift, link->weight, error))
            return error->status;
    }
    for (uint32_t i = 0; i < c->from->modulation_count; i++) {
        hed_synth_modulation_def def = c->from->modulations[i];
        if (def.source < c->first || def.source >= c->end) continue;
        def.source += c->shift;
        def.entity += c->shift;
        if (hed_synth_instrument_modulate(c->to, &def, error)) return error->status;
    }
    return HED_OK;
}

static hed_status copy_layer(const layer_copy *c, hed_error *error)
{
    if (copy_entities(c, error) || copy_all_names(c, error) || copy_joints(c, error))
        return error->status;
    return HED_OK;
}

/* ---- the whole ---- */

/* Returns the number of the host's controls that an instrument names or follows. */
static uint32_t count_controls(const hed_synth_instrument *instrument)
{
    uint32_t count = HED_SYNTH_MACROS;
    while (count > 0 && !instrument->macros[count - 1][0]) count--;
    for (uint32_t i = 0; i < instrument->counts[HED_SYNTH_MIDI_SOURCE]; i++) {
        const hed_synth_midi_source_def *source = &instrument->midi_sources[i];
        if (source->kind == HED_SYNTH_MIDI_HOST && source->number >= count)
            count = source->number + 1;
    }
    return count;
}

/* Names the host's controls of a layer, as far as there are controls left. */
static void name_controls(hed_synth_instrument *instrument, const synth_layer *layer)
{
    for (uint32_t i = 0; i < HED_SYNTH_MACROS && layer->first_control + i < HED_SYNTH_MACROS; i++) {
        char *name = instrument->macros[layer->first_control + i];
        if (!layer->macros[i][0]) continue;
        int length = snprintf(name, SYNTH_LONGEST_MACRO + 1, "%s: %s", layer->name, layer->macros[i]);
        if (length > SYNTH_LONGEST_MACRO) memcpy(name, layer->macros[i], SYNTH_LONGEST_MACRO + 1);
    }
}

/* Returns the notes of a layer, which its file, the layer and the whole limit; empty: low > high. */
static void narrow_notes(
    const hed_synth_instrument_def *whole, const synth_layer *layer, hed_synth_instrument_def *def)
{
    *def = layer->def;
    uint8_t low = whole->low > layer->low ? whole->low : layer->low,
            high = whole->high < layer->high ? whole->high : layer->high;
    if (def->low < low) def->low = low;
    if (def->high > high) def->high = high;
}

/* Combines the properties that a host shows: the mode of the layers with the most voices. */
static void combine_modes(hed_synth_instrument *instrument)
{
    hed_synth_instrument_def *whole = &instrument->def;
    for (uint32_t i = 0; i < instrument->layer_count; i++) {
        const hed_synth_instrument_def *def = &instrument->layers[i].def;
        if (i == 0 || def->mode > whole->mode) {
            whole->mode = def->mode;
            whole->root_note = def->root_note;
            whole->bend_range = def->bend_range;
            whole->note_bend_range = def->note_bend_range;
            whole->glide = def->glide;
            whole->legato = def->legato;
        }
        bool has_voices = def->mode != HED_SYNTH_SINGLETON;
        if (i == 0) whole->voices = 1;
        if (has_voices && def->voices > whole->voices) whole->voices = def->voices;
    }
}

static hed_status check_layer(const hed_synth_instrument *instrument, const synth_layer *layer,
    const hed_synth_instrument *content, hed_error *error)
{
    hed_synth_instrument_def def;
    if (content->layer_count)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "layer \"%s\" has layers itself; expected an instrument without layers", layer->name);
    if (instrument->layer_count == SYNTH_MOST_LAYERS)
        return hed_fail(error, HED_ERROR_LIMIT, "layer \"%s\" is one too many; expected at most %d",
            layer->name, SYNTH_MOST_LAYERS);
    if (!layer->name[0] || strlen(layer->name) > SYNTH_LONGEST_LAYER || strchr(layer->name, '/'))
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "layer \"%s\": expected a name of 1 to %d bytes without \"/\"", layer->name,
            SYNTH_LONGEST_LAYER);
    for (uint32_t i = 0; i < instrument->layer_count; i++)
        if (strcmp(instrument->layers[i].name, layer->name) == 0)
            return hed_fail(error, HED_ERROR_ARGUMENT,
                "two layers have the name \"%s\"; expected a \"name\" of its own for each", layer->name);
    narrow_notes(&instrument->def, layer, &def);
    if (def.low > def.high)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "layer \"%s\" plays no note: its instrument plays %u to %u, and the layer %u to %u within %u to %u",
            layer->name, content->def.low, content->def.high, layer->low, layer->high,
            instrument->def.low, instrument->def.high);
    return HED_OK;
}

hed_status synth_layer_add(hed_synth_instrument *instrument, const synth_layer *layer,
    const hed_synth_instrument *content, hed_error *error)
{
    synth_layer added = *layer;
    char prefix[SYNTH_LONGEST_LAYER + 2];
    added.def = content->def;
    if (check_layer(instrument, &added, content, error)) return error->status;
    memcpy(added.macros, content->macros, sizeof added.macros);
    added.first = instrument->entity_count + 1;
    if (instrument->layer_count > 0) {
        const synth_layer *last = &instrument->layers[instrument->layer_count - 1];
        added.first_control = last->first_control + last->controls;
    }
    added.controls = count_controls(content);
    snprintf(prefix, sizeof prefix, "%s/", added.name);
    const layer_copy copy = {.from = content, .to = instrument, .first = 1,
        .end = content->entity_count + 1, .shift = instrument->entity_count,
        .host_shift = (int32_t)added.first_control, .prefix = prefix};
    /* the layer is there before its entities, which may refer to each other only */
    instrument->layers[instrument->layer_count++] = added;
    if (copy_layer(&copy, error)) return error->status;
    name_controls(instrument, &added);
    combine_modes(instrument);
    return HED_OK;
}

hed_status synth_layer_extract(const hed_synth_instrument *instrument, uint32_t index, bool sounds,
    hed_synth_instrument **content, hed_error *error)
{
    const synth_layer *layer = &instrument->layers[index];
    hed_synth_instrument_def def = layer->def;
    if (sounds) {
        narrow_notes(&instrument->def, layer, &def);
        def.gain += layer->gain + instrument->def.gain;
        if (instrument->has_tempo) def.tempo = instrument->def.tempo;
    }
    hed_synth_instrument *extracted = NULL;
    if (hed_synth_instrument_create(&instrument->allocator, NULL, &extracted, error))
        return error->status;
    extracted->def = def;
    memcpy(extracted->macros, layer->macros, sizeof extracted->macros);
    layer_copy copy = {.from = instrument, .to = extracted, .first = layer->first,
        .end = synth_layer_end(instrument, index), .prefix = ""};
    if (sounds) {
        /* a synth addresses entities by their numbers in the whole */
        extracted->is_layer = true;
        if (!synth_reserve_places(extracted, layer->first - 1, error))
            while (extracted->entity_count + 1 < layer->first) skip_number(extracted);
    } else {
        copy.shift = 1 - layer->first; /* modulo 2^32 */
        copy.host_shift = -(int32_t)layer->first_control;
        copy.skip = strlen(layer->name) + 1;
    }
    if (!error->status) copy_layer(&copy, error);
    if (error->status) hed_synth_instrument_destroy(extracted);
    else *content = extracted;
    return error->status;
}

uint32_t hed_synth_instrument_layer_count(const hed_synth_instrument *instrument)
{
    return instrument ? instrument->layer_count : 0;
}
