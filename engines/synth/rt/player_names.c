/* Properties of a player, and the names of its knobs, keys and microphones. */
#include "heddle/context.h"
#include "player.h"

#include <stdio.h>
#include <string.h>

hed_synth_player_info hed_synth_player_describe(hed_synth_player *player)
{
    if (!player) return (hed_synth_player_info){0};
    pthread_mutex_lock(&player->lock);
    const hed_synth_instrument *instrument = player->source.instrument;
    hed_synth_player_info info = {.rate = player->rate, .events = atomic_load(&player->played),
        .events_lost = atomic_load(&player->lost)};
    memcpy(info.name, player->source.name, sizeof info.name);
    memcpy(info.path, player->source.path, sizeof info.path);
    int length = snprintf(info.folder, sizeof info.folder, "%s/instruments",
        hed_context_describe(player->context).data_dir);
    if (length >= (int)sizeof info.folder) info.folder[0] = 0;
    for (uint32_t i = 0; instrument && i < HED_SYNTH_MACROS; i++)
        snprintf(
            info.knobs[i], sizeof info.knobs[i], "%s", hed_synth_instrument_macro(instrument, i));
    snprintf(info.knobs[HED_SYNTH_KNOB_GAIN], sizeof info.knobs[0], "Gain");
    const hed_synth_instrument_def *def =
        instrument ? hed_synth_instrument_definition(instrument) : NULL;
    if (def && def->mode == HED_SYNTH_VOICES_MPE) info.note_bend_range = def->note_bend_range;
    if (def) info.voices = def->mode == HED_SYNTH_SINGLETON ? 1 : def->voices;
    pthread_mutex_unlock(&player->lock);
    return info;
}

bool hed_synth_player_key(hed_synth_player *player, uint32_t key, char *name, size_t size)
{
    if (!player || !name || !size) return false;
    pthread_mutex_lock(&player->lock);
    const hed_synth_instrument *instrument = player->source.instrument;
    snprintf(name, size, "%s", instrument ? hed_synth_instrument_key(instrument, key) : "");
    pthread_mutex_unlock(&player->lock);
    return name[0] != 0;
}

bool hed_synth_player_microphone(hed_synth_player *player, uint32_t index, char *name, size_t size)
{
    if (!player || !name || !size) return false;
    pthread_mutex_lock(&player->lock);
    const hed_synth_instrument *in = player->source.instrument;
    uint32_t heard = 0;
    hed_synth_entity found = 0;
    for (uint32_t i = 0; in && !found && i < hed_synth_instrument_count(in, HED_SYNTH_MICROPHONE);
         i++) {
        hed_synth_entity_def def;
        hed_synth_entity entity = hed_synth_instrument_at(in, HED_SYNTH_MICROPHONE, i);
        if (hed_synth_instrument_get(in, entity, &def, NULL) || !def.as.microphone.heard) continue;
        if (heard++ == index) found = entity;
    }
    const char *text = found ? hed_synth_instrument_name(in, found) : "";
    snprintf(name, size, "%s", text);
    if (found && !text[0]) snprintf(name, size, "microphone %u", index + 1);
    pthread_mutex_unlock(&player->lock);
    return found != 0;
}
