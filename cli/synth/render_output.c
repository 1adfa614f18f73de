/* The files of `heddle synth render`: the sound, its stems, its spectrogram. Each appears whole or
 * not at all. */
#include "render.h"

#include "heddle/author.h"
#include "cli/synth/spectrogram.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cli_synth_output {
    cli_synth_output_def def;
    synth_sound_writer *sound;
    synth_sound_writer **stems; /* (stem_count) */
    uint32_t stem_count;
    float *picture; /* (frames x 2) of the spectrogram */
    uint64_t frames, hash;
    float peak;
};

/* ---- stems ---- */

/* "song-2-bridge.wav": the second microphone that is heard. What a file's name may not hold becomes
 * '_'. */
static char *stem_path(const char *path, uint32_t number, const char *microphone)
{
    char name[64], *made = NULL;
    snprintf(name, sizeof name, "%s%.60s", microphone[0] ? "-" : "", microphone);
    for (char *c = name; *c; c++)
        if (*c == '/' || (unsigned char)*c < ' ') *c = '_';
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    int stem = dot ? (int)(dot - path) : (int)strlen(path);
    return asprintf(&made, "%.*s-%" PRIu32 "%s%s", stem, path, number, name, dot ? dot : "") < 0
               ? NULL
               : made;
}

static hed_status open_stems(cli_synth_output *o, hed_error *error)
{
    const hed_synth_instrument *instrument = o->def.instrument;
    uint32_t count = hed_synth_instrument_count(instrument, HED_SYNTH_MICROPHONE);
    o->stems = calloc((size_t)count + 1, sizeof(synth_sound_writer *));
    if (!o->stems)
        return hed_fail(error, HED_ERROR_MEMORY, "out of memory for %" PRIu32 " stems", count);
    hed_status status = HED_OK;
    for (uint32_t i = 0; i < count && status == HED_OK; i++) {
        hed_synth_entity_def microphone;
        hed_synth_entity entity = hed_synth_instrument_at(instrument, HED_SYNTH_MICROPHONE, i);
        status = hed_synth_instrument_get(instrument, entity, &microphone, error);
        if (status != HED_OK || !microphone.as.microphone.heard) continue;
        char *path = stem_path(
            o->def.path, o->stem_count + 1, hed_synth_instrument_name(instrument, entity));
        if (!path) return hed_fail(error, HED_ERROR_MEMORY, "out of memory for a name");
        /* Before gain and limiter: nothing keeps it below full scale, so floats. */
        synth_sound_writer **stem = &o->stems[o->stem_count];
        status = synth_sound_writer_open(
            path, o->def.rate, 2, SYNTH_SOUND_F32, o->def.frames, stem, error);
        if (status == HED_OK) o->stem_count++;
        free(path);
    }
    return status;
}

uint32_t cli_synth_output_stems(const cli_synth_output *output) { return 2 * output->stem_count; }

hed_status cli_synth_output_put_stems(
    cli_synth_output *o, float *const *stems, uint32_t frames, hed_error *error)
{
    hed_status status = HED_OK;
    for (uint32_t i = 0; i < o->stem_count && status == HED_OK; i++)
        status = synth_sound_writer_put(
            o->stems[i], (const float *const[]){stems[2 * i], stems[2 * i + 1]}, frames, error);
    return status;
}

/* ---- the whole ---- */

hed_status cli_synth_output_open(
    const cli_synth_output_def *def, cli_synth_output **output, hed_error *error)
{
    *output = NULL;
    cli_synth_output *o = calloc(1, sizeof *o);
    if (!o) return hed_fail(error, HED_ERROR_MEMORY, "out of memory for the output");
    o->def = *def;
    o->hash = SYNTH_SOUND_HASH;
    hed_status status = HED_OK;
    if (def->path)
        status = synth_sound_writer_open(
            def->path, def->rate, 2, def->format, def->frames, &o->sound, error);
    if (status == HED_OK && def->stems) status = open_stems(o, error);
    if (status == HED_OK && def->spectrogram) {
        o->picture =
            def->frames < SIZE_MAX / 8 ? malloc(sizeof *o->picture * 2 * (def->frames + 1)) : NULL;
        if (!o->picture)
            status = hed_fail(error, HED_ERROR_MEMORY,
                "out of memory for the spectrogram of %" PRIu64 " samples", def->frames);
    }
    if (status != HED_OK) {
        cli_synth_output_abort(o);
        return status;
    }
    *output = o;
    return HED_OK;
}

hed_status cli_synth_output_put(
    cli_synth_output *o, const float *left, const float *right, uint32_t frames, hed_error *error)
{
    o->hash = synth_sound_hash(o->hash, left, right, frames);
    for (uint32_t n = 0; n < frames; n++) {
        float peak = hed_max(hed_magnitude(left[n]), hed_magnitude(right[n]));
        if (peak > o->peak) o->peak = peak;
        if (o->picture) {
            o->picture[2 * (o->frames + n)] = left[n];
            o->picture[2 * (o->frames + n) + 1] = right[n];
        }
    }
    o->frames += frames;
    return o->sound ? synth_sound_writer_put(
                          o->sound, (const float *const[]){left, right}, frames, error)
                    : HED_OK;
}

uint64_t cli_synth_output_frames(const cli_synth_output *output) { return output->frames; }

uint64_t cli_synth_output_hash(const cli_synth_output *output) { return output->hash; }

float cli_synth_output_peak(const cli_synth_output *output) { return output->peak; }

static hed_status output_draw(const cli_synth_output *o, hed_error *error)
{
    hed_spectrogram_def def = hed_default_spectrogram_def();
    def.samples = o->picture;
    def.frames = o->frames;
    def.channels = 2;
    def.rate = o->def.rate;
    hed_image image;
    hed_status status = hed_spectrogram_draw(&def, &image, error);
    if (status != HED_OK) return status;
    status = hed_png_write(o->def.spectrogram, &image, error);
    hed_image_free(&image);
    return status;
}

hed_status cli_synth_output_commit(cli_synth_output *o, hed_error *error)
{
    hed_status status = o->picture ? output_draw(o, error) : HED_OK;
    if (status == HED_OK && o->sound) {
        status = synth_sound_writer_commit(o->sound, error);
        o->sound = NULL;
    }
    while (status == HED_OK && o->stem_count > 0)
        status = synth_sound_writer_commit(o->stems[--o->stem_count], error);
    cli_synth_output_abort(o);
    return status;
}

void cli_synth_output_abort(cli_synth_output *o)
{
    if (!o) return;
    synth_sound_writer_abort(o->sound);
    while (o->stem_count > 0) synth_sound_writer_abort(o->stems[--o->stem_count]);
    free(o->stems);
    free(o->picture);
    free(o);
}
