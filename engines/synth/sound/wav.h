/* WAV files by our own reader and writer: "Multimedia Programming Interface and Data Specifications
 * 1.0" (IBM, Microsoft 1991), WAVE_FORMAT_EXTENSIBLE ("Multiple Channel Audio Data and WAVE Files",
 * Microsoft 2001), and RF64 for what is longer than 4 GiB (EBU Tech 3306, 2009). */
#ifndef SYNTH_WAV_H
#define SYNTH_WAV_H

#include "sound_file.h"

/* Whether bytes begin as a WAV file does. */
bool synth_wav_begins(const void *bytes, size_t size);
/* The sound in the bytes of a file: integers of 8 to 32 bits, floats of 32 and 64. What is no
 * number becomes 0. A file that was cut short gives what there is, and how much is missing. `path`
 * is for messages. Errors: FORMAT, UNSUPPORTED (another encoding), LIMIT (over 2^30 samples),
 * MEMORY. */
hed_status synth_wav_parse(
    const void *bytes, size_t size, const char *path, synth_sound *sound, hed_error *error);

/* As synth_sound_writer_open(). `rf64`: its head is RF64's however short it is. */
hed_status synth_wav_writer_open(const char *path, uint32_t rate, uint32_t channels,
    synth_sound_format format, uint64_t frames, bool rf64, synth_sound_writer **writer,
    hed_error *error);

#endif
