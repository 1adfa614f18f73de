/* heddle synth render: an instrument and a song, as a sound file. */
#include "cli/common/progress.h"
#include "cli/common/report.h"
#include "cli/synth/spectrogram.h"
#include "engines/synth/sound/sound_file.h"
#include "render.h"
#include "heddle/author.h"
#include "support/digits.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the song: events at samples ---- */

typedef struct render_song {
    hed_synth_event *events; /* (count), in order; `frame` counts within the event's block */
    uint64_t *samples;       /* (count): of the song */
    uint32_t count;
    uint64_t length; /* samples, to the end of the longest track */
} render_song;

static const double MOST_SECONDS = 1e7; /* limit of a song, four months */

static hed_status song_make_room(render_song *song, uint32_t count, hed_error *error)
{
    if (error->status) return error->status;
    song->events = calloc((size_t)count + 1, sizeof *song->events);
    song->samples = calloc((size_t)count + 1, sizeof *song->samples);
    if (song->events && song->samples) return HED_OK;
    return HED_OUT_OF_MEMORY(error, "%u events", count);
}

static void song_add(
    render_song *song, uint64_t sample, uint8_t status, uint8_t first, uint8_t second)
{
    song->events[song->count] =
        (hed_synth_event){.kind = HED_SYNTH_EVENT_MIDI, .bytes = {status, first, second}};
    song->samples[song->count++] = sample;
}

static void song_load(const char *path, double rate, render_song *song, hed_error *error)
{
    hed_synth_midi_file *file;
    if (hed_synth_midi_file_open(path, &file, error)) return;
    if (hed_synth_midi_file_seconds(file) > MOST_SECONDS)
        hed_fail(error, HED_ERROR_LIMIT,
            "%s lasts %s s; at most %g are rendered. Is a tempo or a time in it damaged?", path,
            hed_digits(hed_synth_midi_file_seconds(file), 3).text, MOST_SECONDS);
    if (!error->status) hed_synth_midi_file_end_notes(file, error);
    song_make_room(song, hed_synth_midi_file_count(file), error);
    const hed_synth_midi_event *events = hed_synth_midi_file_events(file);
    for (uint32_t i = 0; !error->status && i < hed_synth_midi_file_count(file); i++) {
        uint64_t sample = (uint64_t)llround(events[i].seconds * rate);
        if (events[i].bytes[0] != 0xff) {
            song_add(song, sample, events[i].bytes[0], events[i].bytes[1], events[i].bytes[2]);
        } else if (events[i].bytes[1] == 0x51) {
            song->events[song->count] =
                (hed_synth_event){.kind = HED_SYNTH_EVENT_TEMPO, .value = events[i].tempo};
            song->samples[song->count++] = sample;
        }
    }
    song->length = (uint64_t)llround(hed_synth_midi_file_seconds(file) * rate);
    hed_synth_midi_file_close(file);
}

/* Makes the song of a render without SONG: the instrument's root note, for a second. */
static void song_note(
    const hed_synth_instrument *instrument, double rate, render_song *song, hed_error *error)
{
    if (song_make_room(song, 2, error)) return;
    const hed_synth_instrument_def *def = hed_synth_instrument_definition(instrument);
    double root = fmin(fmax(round((double)def->root_note), def->low), def->high);
    song->length = (uint64_t)llround(rate);
    song_add(song, 0, 0x90, (uint8_t)root, 100);
    song_add(song, song->length, 0x80, (uint8_t)root, 0);
}

/* Changes the song's one note to `note` on `channel`; true if the synth responds to it. */
static bool song_move(render_song *song, const hed_synth *synth, uint32_t channel, uint32_t note)
{
    for (uint32_t i = 0; i < song->count; i++) {
        song->events[i].bytes[0] = (uint8_t)((song->events[i].bytes[0] & 0xf0) | channel);
        song->events[i].bytes[1] = (uint8_t)note;
    }
    return hed_synth_check_notes(synth, song->events, song->count).dropped == 0;
}

/* Moves the note of song_note() to the nearest to which the synth responds. */
static void song_retune(render_song *song, const hed_synth *synth)
{
    uint32_t root = song->count ? song->events[0].bytes[1] : 0;
    for (uint32_t distance = 0; distance < 128 && song->count; distance++)
        for (uint32_t channel = 0; channel < 16; channel++) {
            if (root >= distance && song_move(song, synth, channel, root - distance)) return;
            if (root + distance < 128 && song_move(song, synth, channel, root + distance)) return;
        }
}

/* ---- the files: the sound, its stems, its spectrogram; each appears whole or not at all ---- */

typedef struct render_files {
    synth_sound_writer *sound;
    synth_sound_writer **stems; /* (stem_count) */
    uint32_t stem_count;
    float *picture; /* (frames x 2) of the spectrogram */
    uint64_t frames, hash;
    float peak;
} render_files;

/* Returns the path of a stem: "song-2-bridge.wav" for the second audible microphone. Characters
 * that file names cannot contain become '_'. */
static char *stem_path(const char *path, uint32_t number, const char *microphone)
{
    char name[64], *result = NULL;
    snprintf(name, sizeof name, "%s%.60s", microphone[0] ? "-" : "", microphone);
    for (char *c = name; *c; c++)
        if (*c == '/' || (unsigned char)*c < ' ') *c = '_';
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    int stem = dot ? (int)(dot - path) : (int)strlen(path);
    return asprintf(&result, "%.*s-%" PRIu32 "%s%s", stem, path, number, name, dot ? dot : "") < 0
               ? NULL
               : result;
}

static hed_status open_stems(render_files *f, const hed_synth_instrument *instrument,
    const char *sound, uint32_t rate, uint64_t frames, hed_error *error)
{
    uint32_t count = hed_synth_instrument_count(instrument, HED_SYNTH_MICROPHONE);
    f->stems = calloc((size_t)count + 1, sizeof *f->stems);
    if (!f->stems) return HED_OUT_OF_MEMORY(error, "%" PRIu32 " stems", count);
    for (uint32_t i = 0; i < count; i++) {
        hed_synth_entity_def microphone;
        hed_synth_entity entity = hed_synth_instrument_at(instrument, HED_SYNTH_MICROPHONE, i);
        if (hed_synth_instrument_get(instrument, entity, &microphone, error)) return error->status;
        if (!microphone.as.microphone.heard) continue;
        char *path =
            stem_path(sound, f->stem_count + 1, hed_synth_instrument_name(instrument, entity));
        if (!path) return HED_OUT_OF_MEMORY(error, "a name");
        /* stems precede gain and limiter, so they may exceed full scale: floats */
        synth_sound_writer_open(
            path, rate, 2, SYNTH_SOUND_F32, frames, &f->stems[f->stem_count], error);
        free(path);
        if (error->status) return error->status;
        f->stem_count++;
    }
    return HED_OK;
}

static hed_status files_put(
    render_files *f, const float *left, const float *right, uint32_t frames, hed_error *error)
{
    f->hash = synth_sound_hash(f->hash, left, right, frames);
    for (uint32_t n = 0; n < frames; n++) {
        f->peak = hed_max(f->peak, hed_max(hed_magnitude(left[n]), hed_magnitude(right[n])));
        if (!f->picture) continue;
        f->picture[2 * (f->frames + n)] = left[n];
        f->picture[2 * (f->frames + n) + 1] = right[n];
    }
    f->frames += frames;
    return f->sound ? synth_sound_writer_put(
                          f->sound, (const float *const[]){left, right}, frames, error)
                    : HED_OK;
}

static void files_close(render_files *f)
{
    synth_sound_writer_abort(f->sound);
    while (f->stem_count > 0) synth_sound_writer_abort(f->stems[--f->stem_count]);
    free(f->stems);
    free(f->picture);
}

/* Moves all complete files to their paths. */
static void files_commit(render_files *f, const char *spectrogram, uint32_t rate, hed_error *error)
{
    if (f->picture) {
        hed_spectrogram_def def = hed_default_spectrogram_def();
        def.samples = f->picture;
        def.frames = f->frames;
        def.channels = 2;
        def.rate = rate;
        hed_image image;
        if (!hed_spectrogram_draw(&def, &image, error)) {
            hed_png_write(spectrogram, &image, error);
            hed_image_free(&image);
        }
    }
    if (f->sound && !error->status) {
        synth_sound_writer_commit(f->sound, error);
        f->sound = NULL;
    }
    while (!error->status && f->stem_count > 0)
        synth_sound_writer_commit(f->stems[--f->stem_count], error);
}

/* ---- the render ---- */

typedef struct synth_render {
    const hed_arguments *arguments;
    bool quiet, json;
    const char *path; /* path of the sound; NULL: no sound file */
    double rate;
    uint32_t block;
    cli_session session;
    hed_synth_instrument *instrument;
    render_song song;
    synth_sound voice; /* sound of --in; no frames: none */
    hed_synth *synth;
    render_files files;
    /* frames to write; frames dropped before them, of the sound and of stems; frames processed */
    uint64_t frames, latency, stem_latency, done;
    uint64_t lead; /* frames by which --in precedes the song, so that the two sound together */
    uint32_t next_event;
    float *buffers, **stems; /* (2 + stems) x block */
    double seconds;          /* duration of the render */
} synth_render;

/* ---- opening ---- */

static hed_status render_load(synth_render *r, hed_error *error)
{
    const hed_arguments *a = r->arguments;
    const char *song = hed_text_of(a, "SONG"), *in = hed_text_of(a, "in");
    if (hed_synth_instrument_read(hed_text_of(a, "INSTRUMENT"), &r->instrument, error) ||
        (in && synth_sound_read(in, &r->voice, error)))
        return error->status;
    if (in && r->voice.rate != r->rate)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "%s has %" PRIu32 " samples per second, the render %g, and nothing is resampled: "
            "render with --rate %" PRIu32 ", or convert the file",
            in, r->voice.rate, r->rate, r->voice.rate);
    if (in && r->voice.missing && !r->quiet)
        fprintf(stderr,
            "heddle: %s is cut short: %" PRIu64 " of the %" PRIu64
            " frames that its header announces\n",
            in, r->voice.frames, r->voice.frames + r->voice.missing);
    if (in && !r->quiet && hed_synth_instrument_count(r->instrument, HED_SYNTH_AUDIO_INPUT) == 0)
        fprintf(stderr, "heddle: the instrument has no audio input: it does not hear %s\n", in);
    if (song) song_load(song, r->rate, &r->song, error);
    else if (!in) song_note(r->instrument, r->rate, &r->song, error);
    if (error->status) return error->status;
    uint64_t length = r->song.length > r->voice.frames ? r->song.length : r->voice.frames;
    r->frames = length + (uint64_t)llround(hed_number_of(a, "tail") * r->rate);
    if (r->frames == 0)
        return hed_fail(
            error, HED_ERROR_ARGUMENT, "nothing to render: no song, no sound and no tail");
    return HED_OK;
}

static hed_status open_synth(synth_render *r, hed_error *error)
{
    const hed_arguments *a = r->arguments;
    hed_synth_def def = hed_default_synth_def();
    def.instrument = r->instrument;
    def.rate = r->rate;
    def.block = r->block;
    def.inputs = r->voice.channels;
    /* maximum number of events in a block, wherever it begins */
    uint32_t event_count = 0, first = 0;
    for (uint32_t i = 0; i < r->song.count; i++) {
        while (r->song.samples[i] - r->song.samples[first] >= r->block) first++;
        if (i - first + 1 > event_count) event_count = i - first + 1;
    }
    def.max_events = event_count;
    def.math = hed_given(a, "strict") ? HED_MATH_STRICT : HED_MATH_FAST;
    def.solver = (hed_synth_solver)hed_choice_of(a, "solver");
    def.seed = (uint64_t)hed_integer_of(a, "seed");
    def.threads = (uint32_t)hed_integer_of(a, "threads");
    def.transpose = (int32_t)hed_integer_of(a, "transpose");
    def.fold = hed_given(a, "fold");
    float pitches[128];
    if (cli_synth_read_tuning(a, pitches, &def, error)) return error->status;
    hed_status status = hed_synth_create(r->session.devices[0], &def, &r->synth, error);
    if (!status) {
        hed_synth_info info;
        info = hed_synth_describe(r->synth);
        r->lead = r->voice.channels ? info.input_latency : 0;
        r->latency = info.latency + r->lead;
        r->stem_latency = info.stem_latency + r->lead;
    }
    return status;
}

/* Fails for a song of which no note sounds, before any rendering. Otherwise dropped notes are
 * reported at the end. */
static hed_status check_notes(synth_render *r, hed_error *error)
{
    hed_synth_note_info notes = hed_synth_check_notes(r->synth, r->song.events, r->song.count);
    if (!hed_given(r->arguments, "SONG")) {
        song_retune(&r->song, r->synth);
        return HED_OK;
    }
    if (!notes.struck || notes.dropped < notes.struck) return HED_OK;
    char text[HED_ERROR_TEXT];
    return hed_fail(error, HED_ERROR_ARGUMENT, "%s: no note sounds: %s",
        hed_text_of(r->arguments, "SONG"), cli_synth_describe_dropped(&notes, text, sizeof text));
}

static hed_status render_open_files(synth_render *r, hed_error *error)
{
    const hed_arguments *a = r->arguments;
    render_files *f = &r->files;
    bool stems = hed_given(a, "stems");
    uint32_t rate = (uint32_t)r->rate;
    if (stems && !r->path)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "--stems names its files after --out FILE, which is not given");
    f->hash = SYNTH_SOUND_HASH;
    if (r->path && synth_sound_writer_open(r->path, rate, 2,
                       (synth_sound_format)hed_choice_of(a, "format"), r->frames, &f->sound, error))
        cli_name_option(error, "out", r->path);
    if (hed_failed(error) ||
        (stems && open_stems(f, r->instrument, r->path, rate, r->frames, error)))
        return error->status;
    if (hed_given(a, "spectrogram")) {
        if (r->frames < SIZE_MAX / 8) f->picture = malloc(sizeof *f->picture * 2 * (r->frames + 1));
        if (!f->picture)
            return HED_OUT_OF_MEMORY(error, "the spectrogram of %" PRIu64 " samples", r->frames);
    }
    uint32_t channels = 2 * f->stem_count;
    r->buffers = calloc((size_t)(2 + channels) * r->block, sizeof *r->buffers);
    r->stems = calloc((size_t)channels + 1, sizeof *r->stems);
    if (!r->buffers || !r->stems) return HED_OUT_OF_MEMORY(error, "a block");
    for (uint32_t i = 0; i < channels; i++) r->stems[i] = r->buffers + (size_t)(2 + i) * r->block;
    return HED_OK;
}

/* ---- the loop ---- */

/* Copies the part of --in for this block; silence after its end. */
static void render_take_voice(
    const synth_render *r, float *piece, const float **inputs, uint32_t frames)
{
    uint64_t left = r->done < r->voice.frames ? r->voice.frames - r->done : 0,
             count = left < frames ? left : frames;
    for (uint32_t c = 0; c < r->voice.channels; c++) {
        inputs[c] = piece + (size_t)c * r->block;
        memset(piece + (size_t)c * r->block, 0, sizeof *piece * frames);
        if (count)
            memcpy(piece + (size_t)c * r->block, r->voice.samples + c * r->voice.frames + r->done,
                sizeof *piece * count);
    }
}

/* Returns the number of the next `frames` that precede frame `end` of the render. */
static uint32_t frames_before(const synth_render *r, uint64_t end, uint32_t frames)
{
    uint64_t left = r->done < end ? end - r->done : 0;
    return left < frames ? (uint32_t)left : frames;
}

static hed_status render_step(synth_render *r, float *piece, const float **inputs, hed_error *error)
{
    uint64_t left = r->frames + r->latency - r->done;
    uint32_t frames = left < r->block ? (uint32_t)left : r->block, first = r->next_event;
    for (; r->next_event < r->song.count; r->next_event++) {
        uint64_t sample = r->song.samples[r->next_event] + r->lead;
        if (sample >= r->done + frames) break;
        r->song.events[r->next_event].frame = (uint32_t)(sample - r->done);
    }
    hed_synth_block block = {.frames = frames, .left = r->buffers, .right = r->buffers + r->block};
    block.events = r->song.events + first;
    block.event_count = r->next_event - first;
    if (r->voice.channels) {
        render_take_voice(r, piece, inputs, frames);
        block.inputs = inputs;
    }
    if (r->files.stem_count) block.stems = r->stems;
    if (hed_synth_process(r->synth, &block, error)) return error->status;
    uint32_t early = frames_before(r, r->latency, frames),
             stem_early = frames_before(r, r->stem_latency, frames),
             stem_end = frames_before(r, r->stem_latency + r->frames, frames);
    files_put(&r->files, block.left + early, block.right + early, frames - early, error);
    for (uint32_t i = 0; i < r->files.stem_count && !error->status; i++)
        synth_sound_writer_put(r->files.stems[i],
            (const float *const[]){r->stems[2 * i] + stem_early, r->stems[2 * i + 1] + stem_early},
            stem_end - stem_early, error);
    r->done += frames;
    return HED_OK;
}

static void render_go(synth_render *r, hed_error *error)
{
    float *piece = calloc((size_t)r->block * (r->voice.channels + 1), sizeof *piece);
    const float **inputs = calloc((size_t)r->voice.channels + 1, sizeof *inputs);
    if (!piece || !inputs) HED_OUT_OF_MEMORY(error, "a block");
    hed_progress progress = hed_progress_begin(
        "synth render", "s of sound", (uint64_t)((double)r->frames / r->rate), r->quiet || r->json);
    uint64_t begin = hed_now();
    while (!error->status && r->done < r->frames + r->latency && !hed_interrupted()) {
        render_step(r, piece, inputs, error);
        hed_progress_update(&progress, (uint64_t)((double)r->files.frames / r->rate));
    }
    r->seconds = 1e-9 * (double)(hed_now() - begin);
    hed_progress_end(&progress);
    free(piece);
    free(inputs);
}

/* ---- ending ---- */

static hed_status render_json(const synth_render *r, const hed_synth_info *report, hed_error *error)
{
    char text[20];
    double length = (double)r->files.frames / r->rate, block = 1e9 * r->block / r->rate;
    snprintf(text, sizeof text, "%016" PRIx64, r->files.hash);
    cli_report *c = cli_report_create(true);
    cli_report_row(c, CLI_TEXT("instrument", hed_text_of(r->arguments, "INSTRUMENT")));
    if (hed_given(r->arguments, "SONG"))
        cli_report_more(c, CLI_TEXT("song", hed_text_of(r->arguments, "SONG")));
    cli_report_more(c, CLI_TEXT("device", hed_device_describe(r->session.devices[0]).id),
        CLI_TEXT("math", hed_given(r->arguments, "strict") ? "strict" : "fast"),
        CLI_TEXT("solver", hed_synth_solver_name(report->solver)));
    if (r->path) cli_report_more(c, CLI_TEXT("out", r->path));
    cli_report_more(c, CLI_NUMBER("rate", r->rate),
        CLI_NUMBER("oversampling", report->oversampling), CLI_WHOLE("block", r->block),
        CLI_WHOLE("instances", report->instances), CLI_WHOLE("frames", r->files.frames),
        CLI_NUMBER("seconds", length), CLI_NUMBER("elapsed", r->seconds),
        CLI_NUMBER("times_real_time", r->seconds > 0 ? length / r->seconds : 0),
        CLI_TEXT("hash", text), CLI_NUMBER("peak", r->files.peak),
        CLI_NUMBER("peak_before_limiter", report->peak),
        CLI_NUMBER("reduction_db", report->reduction));
    cli_report_open(c, "load");
    cli_report_more(c, CLI_NUMBER("p50", report->load.p50_ns / block),
        CLI_NUMBER("p99", report->load.p99_ns / block),
        CLI_NUMBER("max", report->load.maximum_ns / block));
    cli_report_close(c);
    cli_report_more(c, CLI_WHOLE("breaks", report->breaks), CLI_WHOLE("muted", report->muted));
    cli_synth_report_notes(c, &report->notes);
    cli_report_more(c, CLI_WHOLE("islands", report->islands), CLI_WHOLE("asleep", report->asleep));
    return cli_report_end(c, HED_OK, error);
}

static const float INAUDIBLE = 1e-9f; /* -180 dB: bodies at rest move a little */
static const float TOO_LOUD = 12;     /* dB of limiting, audible */

static hed_status render_tell(const synth_render *r, hed_error *error)
{
    float peak = r->files.peak;
    hed_synth_info report;
    report = hed_synth_describe(r->synth);
    char text[HED_ERROR_TEXT];
    if (report.notes.dropped && !r->quiet)
        fprintf(
            stderr, "heddle: %s\n", cli_synth_describe_dropped(&report.notes, text, sizeof text));
    if (r->json) return render_json(r, &report, error);
    double length = (double)r->files.frames / r->rate, block = 1e9 * r->block / r->rate;
    printf("%s: %.2f s of sound in %s s, %s times faster than real time, on %s (%s)\n",
        r->path ? r->path : "not written", length, hed_digits(r->seconds, 3).text,
        hed_digits(r->seconds > 0 ? length / r->seconds : 0, 3).text,
        hed_device_describe(r->session.devices[0]).id, hed_synth_solver_name(report.solver));
    if (report.oversampling != 1)
        printf("simulated at %g Hz, %g samples a frame\n", r->rate * report.oversampling,
            report.oversampling);
    printf("load of a block of %" PRIu32 ": p50 %s %%, p99 %s %%, max %s %%\n", r->block,
        hed_digits(100 * report.load.p50_ns / block, 3).text,
        hed_digits(100 * report.load.p99_ns / block, 3).text,
        hed_digits(100 * report.load.maximum_ns / block, 3).text);
    if (peak > INAUDIBLE) printf("peak %.1f dB", 20 * log10((double)peak));
    else printf("silent");
    if (report.reduction > 0.05f)
        printf(", the limiter took up to %.1f dB", (double)report.reduction);
    if (report.reduction > TOO_LOUD) printf(": lower the gain of the instrument by as much");
    printf("\n");
    if (report.breaks)
        printf("the breaker opened (%" PRIu32
               " in all): the instrument ran away, or was 40 dB too loud; %.2f s were "
               "muted\n",
            report.breaks, (double)report.muted / r->rate);
    return HED_OK;
}

/* Renders with all files open. After Ctrl-C the sound rendered so far is kept. */
static int render(synth_render *r, hed_error *error)
{
    render_go(r, error);
    bool interrupted = r->done < r->frames + r->latency;
    if (!error->status)
        files_commit(&r->files, hed_text_of(r->arguments, "spectrogram"), (uint32_t)r->rate, error);
    if (error->status) {
        fprintf(stderr, "heddle: %s\n", error->text);
        return HED_EXIT_FAILURE;
    }
    if (!interrupted) return render_tell(r, error) ? cli_fail(error) : HED_EXIT_OK;
    fprintf(stderr, "heddle: interrupted after %.2f s of %.2f s of sound",
        (double)r->files.frames / r->rate, (double)r->frames / r->rate);
    if (r->path) fprintf(stderr, "; %s holds what was rendered", r->path);
    fputc('\n', stderr);
    return HED_EXIT_INTERRUPTED;
}

static int render_run(const hed_arguments *arguments, void *user)
{
    synth_render r = {.arguments = arguments, .path = hed_text_of(arguments, "out")};
    r.quiet = hed_given(arguments, "quiet");
    r.json = hed_given(arguments, "json");
    r.rate = (double)hed_integer_of(arguments, "rate");
    r.block = (uint32_t)hed_integer_of(arguments, "block");
    if (!r.path && !r.json && !hed_given(arguments, "spectrogram")) {
        fputs(
            "heddle: where to? name a file with --out, or print the figures with --json\n", stderr);
        return HED_EXIT_USAGE;
    }
    hed_error error = {0};
    if (cli_open_devices(arguments, &r.session, &error)) return cli_fail(&error);
    bool ready = !render_load(&r, &error) && !open_synth(&r, &error) && !check_notes(&r, &error) &&
                 !render_open_files(&r, &error);
    int code = ready ? render(&r, &error) : cli_fail(&error);
    files_close(&r.files);
    hed_synth_destroy(r.synth);
    free(r.song.events);
    free(r.song.samples);
    synth_sound_free(&r.voice);
    hed_synth_instrument_destroy(r.instrument);
    free(r.buffers);
    free(r.stems);
    cli_close(&r.session);
    return code;
}

/* ---- the command ---- */

static const char *const SOLVERS[] = {"auto", "cpu", "group", "global", "grid", NULL};
static const char *const FORMATS[] = {"s16", "s24", "f32", NULL};

static const hed_option OPTIONS[] = {
    OPTION("out", OUTPUT, "FILE", "the sound: .wav, .flac, .aiff, .w64, .rf64, .caf or .au",
        .letter = 'o'),
    OPTION("in", FILE, "FILE",
        "sound that goes in, for the instrument's audio inputs; of the same rate", .letter = 0),
    OPTION("device", TEXT, "ID", "device to use: its id, part of its name, or best", .letter = 'd', .names = &cli_device_names),
    FLAG("strict", "the same bits on every device"),
    OPTION("solver", CHOICE, "NAME", "how it runs", .choices = SOLVERS, .fallback = "auto"),
    OPTION("rate", INTEGER, "HZ", "samples per second", .letter = 'r', .fallback = "48000",
        .low = 1000, .high = 768000),
    OPTION("block", INTEGER, "FRAMES", "samples rendered at once; the sound does not depend on it",
        .fallback = "256", .low = 1, .high = 65536),
    OPTION("threads", INTEGER, "COUNT",
        "threads of the cpu solver: voices, or the bodies of one large instrument, are divided among them",
        .fallback = "1", .low = 1, .high = 256),
    OPTION("format", CHOICE, "NAME", "of the samples", .choices = FORMATS, .fallback = "s24"),
    OPTION("tail", NUMBER, "SECONDS", "seconds rendered after the song's end", .fallback = "2",
        .low = 0, .high = 86400),
    OPTION("seed", INTEGER, "N", "of the noise", .fallback = "0", .low = 0,
        .high = 9007199254740992.0),
    CLI_SYNTH_NOTE_OPTIONS,
    CLI_SYNTH_TUNING_OPTIONS,
    FLAG("stems",
        "a file for each microphone too, FILE-1-NAME.wav: floats, before gain and limiter"),
    OPTION("spectrogram", OUTPUT, "FILE", "a picture of the sound, FILE.png", .letter = 0, .endings = ".png"),
    FLAG("json", "print JSON: one array with one object, nothing else"),
    {0},
};
static const hed_option POSITIONALS[] = {POSITIONAL("INSTRUMENT", FILE, "the instrument, FILE.json",
                                             .names = &cli_data_instruments, .required = true),
    {.name = "SONG",
        .kind = HED_OPTION_FILE,
        .names = &cli_data_songs,
        .help =
            "a standard MIDI file; without one and without --in the root note sounds for a second"},
    {0}};
static const hed_example EXAMPLES[] = {
    {"heddle synth render harp.json song.mid -o song.wav", "a song on an instrument"},
    {"heddle synth render plate.json --in voice.wav -o reverb.wav --tail 5",
        "a voice through a plate"},
    {"heddle synth render harp.json song.mid --strict --json",
        "how fast it is, and a hash that is the same on every device"},
    {0}};

const hed_command hed_command_synth_render = {
    .name = "render", .summary = "play a song on an instrument into a sound file",
    .description =
        "Renders as fast as the device can. Events of the song sound at their samples, the limiter's "
        "look-ahead is taken away, and the sound is the same for every block size. Notes that the "
        "instrument does not hear are dropped and reported; where no note of the song sounds that is an error. "
        "After Ctrl-C the file holds what was rendered.",
    .options = OPTIONS, .positionals = POSITIONALS, .examples = EXAMPLES,
    .repeats = true,
    .run = render_run,
};
