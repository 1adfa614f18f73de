/* What the files of `heddle synth` share: notes that are not heard, the song as events at samples,
 * and the files that come out. */
#ifndef HED_CLI_SYNTH_RENDER_H
#define HED_CLI_SYNTH_RENDER_H

#include "cli/common/command.h"
#include "cli/common/report.h"

#include "heddle/synth_file.h"

#include "engines/synth/sound/sound_file.h"

/* ---- notes that an instrument does not hear (synth.c) ---- */

/* --transpose and --fold, as an option table has them. */
#define CLI_SYNTH_NOTE_OPTIONS \
    {.name = "transpose", \
        .kind = HED_OPTION_INTEGER, \
        .value = "N", \
        .own = true, \
        .fallback = "0", \
        .low = -127, \
        .high = 127, \
        .help = "move all notes by this many semitones"}, \
    { \
        .name = "fold", .kind = HED_OPTION_FLAG, .own = true, \
        .help = "move notes that the instrument does not hear by octaves into its range" \
    }

/* "3 of 12 notes dropped, 84 to 91: the instrument hears 43 to 79 (G2 to G5); ...". Gives
 * `text`. */
const char *cli_synth_describe_dropped(const hed_synth_note_report *notes, char *text, size_t size);
void cli_synth_report_notes(cli_report *report, const hed_synth_note_report *notes);

/* ---- the song (render.c) ---- */

typedef struct cli_synth_song {
    hed_synth_event *events; /* (count), in order; `frame` is of their block */
    uint64_t *samples;       /* (count): of the song */
    uint32_t count;
    uint64_t length; /* samples, to the end of the longest track */
} cli_synth_song;

/* Reads a MIDI file. */
hed_status cli_synth_song_load(
    const char *path, double rate, cli_synth_song *song, hed_error *error);
/* One second of the root note, for an instrument without a song. */
hed_status cli_synth_song_note(
    const hed_synth_instrument *instrument, double rate, cli_synth_song *song, hed_error *error);
/* Moves the one note of cli_synth_song_note() to the nearest that the synth hears. */
void cli_synth_song_retune(cli_synth_song *song, const hed_synth *synth);
/* Events that the fullest block has. */
uint32_t cli_synth_song_most(const cli_synth_song *song, uint32_t block);
void cli_synth_song_free(cli_synth_song *song);

/* ---- the files (render_output.c) ---- */

typedef struct cli_synth_output_def {
    const char *path;        /* NULL: none */
    const char *spectrogram; /* NULL: none */
    const hed_synth_instrument *instrument;
    bool stems;
    uint32_t rate;
    uint64_t frames; /* that will come */
    synth_sound_format format;
} cli_synth_output_def;

typedef struct cli_synth_output cli_synth_output;

hed_status cli_synth_output_open(
    const cli_synth_output_def *def, cli_synth_output **output, hed_error *error);
/* Channels that put_stems() takes: two for each microphone that is heard. 0: no stems are
 * wanted. */
uint32_t cli_synth_output_stems(const cli_synth_output *output);
hed_status cli_synth_output_put(cli_synth_output *output, const float *left, const float *right,
    uint32_t frames, hed_error *error);
hed_status cli_synth_output_put_stems(
    cli_synth_output *output, float *const *stems, uint32_t frames, hed_error *error);
/* What was put so far. */
uint64_t cli_synth_output_frames(const cli_synth_output *output);
uint64_t cli_synth_output_hash(const cli_synth_output *output);
float cli_synth_output_peak(const cli_synth_output *output);
/* Puts every file in place. Frees the output, whether it worked or not. */
hed_status cli_synth_output_commit(cli_synth_output *output, hed_error *error);
void cli_synth_output_abort(cli_synth_output *output); /* leaves no file. NULL is allowed */

#endif
