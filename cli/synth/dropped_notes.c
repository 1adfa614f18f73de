/* Notes to which an instrument does not respond: in words, and in a report; tunings of keys. */
#include "render.h"

#include <inttypes.h>
#include <stdio.h>

static const char *name_note(uint8_t note, char name[8])
{
    static const char *const names[] = {
        "C", "C#", "D", "D#", "E", "F", "F#", "G", "G#", "A", "A#", "B"};
    snprintf(name, 8, "%s%d", names[note % 12], note / 12 - 1);
    return name;
}

const char *cli_synth_describe_dropped(const hed_synth_note_info *notes, char *text, size_t size)
{
    char range[32], channels[128] = "", unmapped[64] = "", heard[64] = "no notes", low[8], high[8];
    snprintf(range, sizeof range, notes->dropped_low == notes->dropped_high ? "%u" : "%u to %u",
        notes->dropped_low, notes->dropped_high);
    size_t used = 0;
    for (uint32_t c = 0; c < 16; c++)
        if (notes->deaf_channels >> c & 1)
            used += (size_t)snprintf(channels + used, sizeof channels - used,
                used ? ", %u" : ", but not all of them on channel %u", c + 1);
    bool has_range = notes->low != HED_SYNTH_NO_KEY;
    if (has_range)
        snprintf(heard, sizeof heard, "%u to %u (%s to %s)", notes->low, notes->high,
            name_note(notes->low, low), name_note(notes->high, high));
    if (notes->unmapped)
        snprintf(unmapped, sizeof unmapped, ", and the tuning has no key for %" PRIu64 " of them",
            notes->unmapped);
    snprintf(text, size, "%" PRIu64 " of %" PRIu64 " %s dropped, %s: the instrument hears %s%s%s%s",
        notes->dropped, notes->struck, notes->struck == 1 ? "note" : "notes", range, heard,
        channels, unmapped, has_range ? "; --transpose N moves all by N semitones, --fold those by octaves" : "");
    return text;
}

void cli_synth_report_notes(cli_report *report, const hed_synth_note_info *notes)
{
    cli_report_open(report, "notes");
    cli_report_more(
        report, CLI_WHOLE("struck", notes->struck), CLI_WHOLE("dropped", notes->dropped));
    if (notes->low != HED_SYNTH_NO_KEY)
        cli_report_more(report, CLI_WHOLE("low", notes->low), CLI_WHOLE("high", notes->high));
    if (notes->unmapped) cli_report_more(report, CLI_WHOLE("unmapped", notes->unmapped));
    if (notes->dropped)
        cli_report_more(report, CLI_WHOLE("dropped_low", notes->dropped_low),
            CLI_WHOLE("dropped_high", notes->dropped_high));
    cli_report_close(report);
}

hed_status cli_synth_read_tuning(
    const hed_arguments *arguments, float *pitches, hed_synth_def *def, hed_error *error)
{
    if (hed_given(arguments, "mapping") && !hed_given(arguments, "tuning"))
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "--mapping maps the keys of --tuning FILE, which is not given");
    if (!hed_given(arguments, "tuning")) return HED_OK;
    def->tuning = pitches;
    return hed_synth_tuning_read(
        hed_text_of(arguments, "tuning"), hed_text_of(arguments, "mapping"), pitches, error);
}
