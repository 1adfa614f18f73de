/* Entities of layers: each layer has a range of numbers. */
#include "model/synth_model.h"

#include <string.h>

uint32_t synth_layer_of(const hed_synth_instrument *instrument, hed_synth_entity entity)
{
    uint32_t layer = instrument->layer_count;
    while (layer > 0 && instrument->layers[layer - 1].first > entity) layer--;
    return layer ? layer - 1 : 0;
}

hed_synth_entity synth_layer_end(const hed_synth_instrument *instrument, uint32_t layer)
{
    return layer + 1 < instrument->layer_count ? instrument->layers[layer + 1].first
                                               : instrument->entity_count + 1;
}

hed_status synth_check_layers(const hed_synth_instrument *instrument, hed_synth_entity a,
    hed_synth_entity b, hed_error *error)
{
    uint32_t first = synth_layer_of(instrument, a), second = synth_layer_of(instrument, b);
    if (first == second) return HED_OK;
    char text[SYNTH_DESCRIPTION];
    return hed_fail(error, HED_ERROR_ARGUMENT,
        "%s belongs to layer \"%s\"; expected an entity of layer \"%s\", since layers are not joined",
        hed_synth_instrument_describe(instrument, b, text, sizeof text),
        instrument->layers[second].name, instrument->layers[first].name);
}

bool synth_is_of_whole(const char *key)
{
    static const char *const keys[] = {"low", "high", "tempo", "gain", "limit", "limit_release"};
    for (uint32_t i = 0; i < HED_COUNT(keys); i++)
        if (strcmp(keys[i], key) == 0) return true;
    return false;
}
