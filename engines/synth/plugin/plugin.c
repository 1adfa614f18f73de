/* Functions common to the CLAP and the LV2 plugin. */
#include "plugin.h"

#include <stdio.h>

#include "heddle/author.h"

void plugin_preset_name(const hed_source *file, char *name, size_t size)
{
    snprintf(name, size, "%.*s", (int)(strlen(file->name) - strlen(".json")), file->name);
}

hed_status plugin_load_preset(hed_synth_player *player, const char *name, hed_error *error)
{
    char preset[64], all[900] = "";
    for (const hed_source *file = hed_synth_preset_files; file->name; file++) {
        plugin_preset_name(file, preset, sizeof preset);
        if (strcmp(preset, name) == 0)
            return hed_synth_player_load_text(player, file->text, file->size, name, error);
        size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s%s", used ? ", " : "", preset);
    }
    return hed_fail(
        error, HED_ERROR_ARGUMENT, "there is no preset \"%s\"; there are: %s", name, all);
}

void plugin_learn(hed_synth_player *player, uint32_t value)
{
    hed_synth_player_learn(player, (int32_t)value - 1); /* beyond the knobs: stops learning */
    for (uint32_t i = 0; value == PLUGIN_FORGET && i < HED_SYNTH_KNOB_COUNT; i++)
        hed_synth_player_set_controller(player, i, -1);
}

bool plugin_describe_dropped(const hed_synth_note_info *notes, char *text)
{
    if (!notes->dropped) return false;
    if (notes->low == HED_SYNTH_NO_KEY)
        snprintf(text, PLUGIN_NOTE_TEXT, "the instrument plays no notes: notes %u to %u are silent",
            notes->dropped_low, notes->dropped_high);
    else
        snprintf(text, PLUGIN_NOTE_TEXT,
            "notes %u to %u are silent: the instrument plays %u to %u%s", notes->dropped_low,
            notes->dropped_high, notes->low, notes->high,
            notes->deaf_channels ? ", and not on every channel" : "");
    return true;
}
