/* Functions common to the commands under `heddle synth`: tunings, and notes to which an instrument
 * does not respond. */
#ifndef HED_CLI_SYNTH_RENDER_H
#define HED_CLI_SYNTH_RENDER_H

#include "cli/common/command.h"
#include "cli/common/report.h"

#include "heddle/synth_file.h"

/* Options --transpose and --fold for an option table. */
#define CLI_SYNTH_NOTE_OPTIONS \
    OPTION("transpose", INTEGER, "N", "move all notes by this many semitones", .fallback = "0", \
        .low = -127, .high = 127), \
        FLAG("fold", "move notes that the instrument does not hear by octaves into its range")

/* Options --tuning and --mapping for an option table. */
#define CLI_SYNTH_TUNING_OPTIONS \
    OPTION("tuning", FILE, "FILE", "pitches of the keys: a Scala scale (.scl) or a .tun; keys without a pitch are silent", \
        .letter = 0), \
        OPTION("mapping", FILE, "FILE", "keyboard mapping of the scale (.kbm)", .letter = 0)

/* Reads --tuning and --mapping into `pitches` (128), and sets def->tuning if they are given. */
hed_status cli_synth_read_tuning(
    const hed_arguments *arguments, float *pitches, hed_synth_def *def, hed_error *error);

/* Writes "3 of 12 notes dropped, 84 to 91: the instrument hears 43 to 79 (G2 to G5); ...";
 * returns `text`. */
const char *cli_synth_describe_dropped(const hed_synth_note_info *notes, char *text, size_t size);
void cli_synth_report_notes(cli_report *report, const hed_synth_note_info *notes);

#endif
