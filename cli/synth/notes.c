/* Notes that an instrument does not hear, in words. */
#include "notes.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *name_note(uint32_t note, char name[8])
{
    static const char *const names[] = {
        "C", "C#", "D", "D#", "E", "F", "F#", "G", "G#", "A", "A#", "B"};
    snprintf(name, 8, "%s%d", names[note % 12], (int)(note / 12) - 1);
    return name;
}

/* "60", or "36 to 85". */
static void describe_range(uint32_t low, uint32_t high, char *text, size_t size)
{
    if (low == high) snprintf(text, size, "%" PRIu32, low);
    else snprintf(text, size, "%" PRIu32 " to %" PRIu32, low, high);
}

/* "", or ", but not all of them on channel 1, 2, 10". */
static void describe_channels(uint16_t channels, char *text, size_t size)
{
    *text = 0;
    for (uint32_t c = 0; c < 16; c++) {
        if (!(channels >> c & 1)) continue;
        size_t used = strlen(text);
        snprintf(text + used, size - used,
            used ? ", %" PRIu32 : ", but not all of them on channel %" PRIu32, c + 1);
    }
}

const char *cli_synth_describe_dropped(const hed_synth_note_report *notes, char *text, size_t size)
{
    char range[32], channels[128], heard[64] = "no notes", low[8], high[8];
    describe_range(notes->dropped_low, notes->dropped_high, range, sizeof range);
    describe_channels(notes->deaf_channels, channels, sizeof channels);
    bool any = notes->low != HED_SYNTH_NO_KEY;
    if (any)
        snprintf(heard, sizeof heard, "%u to %u (%s to %s)", notes->low, notes->high,
            name_note(notes->low, low), name_note(notes->high, high));
    snprintf(text, size, "%" PRIu64 " of %" PRIu64 " %s dropped, %s: the instrument hears %s%s%s",
        notes->dropped, notes->struck, notes->struck == 1 ? "note" : "notes", range, heard,
        channels, any ? "; --transpose N moves all by N semitones, --fold those by octaves" : "");
    return text;
}

void cli_synth_report_notes(cli_report *report, const hed_synth_note_report *notes)
{
    cli_report_open(report, "notes");
    cli_report_more(
        report, CLI_WHOLE("struck", notes->struck), CLI_WHOLE("dropped", notes->dropped));
    if (notes->low != HED_SYNTH_NO_KEY)
        cli_report_more(report, CLI_WHOLE("low", notes->low), CLI_WHOLE("high", notes->high));
    if (notes->dropped)
        cli_report_more(report, CLI_WHOLE("dropped_low", notes->dropped_low),
            CLI_WHOLE("dropped_high", notes->dropped_high));
    cli_report_close(report);
}
