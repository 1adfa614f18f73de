/* Playing live through ALSA: a thread of ours reads blocks from the card and writes them to it,
 * another one reads the sequencer's MIDI. */
#include "asound.h"

#include "support/errors.h"
#include "support/optional_libraries.h"

#include <sched.h>
#include <string.h>

static void *play(void *user)
{
    live_driver *d = user;
    if (d->capture.pcm) asound_card_begin(d);
    while (!atomic_load(&d->stop)) {
        if (d->capture.pcm && !asound_card_read(d)) {
            live_end(d->live, HED_ERROR_IO, "the sound card gives no sound any more");
            return NULL;
        }
        live_play(d->live, d->live->block, d->live->inputs ? (const float *const *)d->inputs : NULL,
            d->left, d->right);
        if (asound_card_write(d)) continue;
        live_end(d->live, HED_ERROR_IO, "the sound card does not take sound any more");
        return NULL;
    }
    return NULL;
}

static void *listen_midi(void *user)
{
    live_driver *d = user;
    while (!atomic_load(&d->stop)) {
        if (asound_midi_read(d)) continue;
        live_end(d->live, HED_ERROR_IO, "ALSA's sequencer gives no MIDI any more");
        return NULL;
    }
    return NULL;
}

/* ---- the driver ---- */

static void asound_close(live_driver *d)
{
    atomic_store(&d->stop, true);
    if (d->has_player) {
        pthread_join(d->player, NULL);
        /* the sound has faded by the last block: that is to be heard */
        d->api.snd_pcm_drain(d->playback.pcm);
    }
    if (d->has_listener) pthread_join(d->listener, NULL);
    asound_midi_close(d);
    asound_card_close(d);
    hed_allocator a = d->live->allocator;
    a.release(a.user, d, sizeof *d);
}

/* libasound writes to stderr what it could not do; the caller gets it in words. */
static void say_nothing(
    const char *file, int line, const char *function, int code, const char *format, ...)
{
    (void)file;
    (void)line;
    (void)function;
    (void)code;
    (void)format;
}

hed_status asound_load(const hed_allocator *allocator, asound_api *api, hed_error *error)
{
#define NAME(type, name, parameters) #name,
    static const char *const names[] = {ASOUND_FUNCTIONS(NAME)};
#undef NAME
    void *slots[sizeof names / sizeof *names];
    _Static_assert(sizeof *api == sizeof slots, "asound_api holds function pointers only");
    const hed_library_def *library = &hed_optional_libraries[HED_LIBRARY_ALSA];
    hed_status status = hed_library_load(
        allocator, library, names, slots, sizeof names / sizeof *names, NULL, error);
    if (!status) memcpy(api, slots, sizeof slots);
    return status;
}

static hed_status asound_open(
    const hed_synth_live_def *def, hed_synth_live *live, live_driver **driver, hed_error *error)
{
    live_driver *d =
        live->allocator.allocate(live->allocator.user, sizeof *d, _Alignof(live_driver));
    *driver = d;
    if (!d) return hed_error_set(error, HED_ERROR_MEMORY, "no memory for ALSA");
    memset(d, 0, sizeof *d);
    d->live = live;
    hed_status status = asound_load(&live->allocator, &d->api, error);
    if (status) return status;
    d->api.snd_lib_error_set_handler(say_nothing);
    status = asound_card_open(d, def, error);
    if (!status) status = asound_midi_open(d, def, error);
    d->api.snd_lib_error_set_handler(NULL);
    return status;
}

static hed_status asound_start(live_driver *d, const hed_synth_live_def *def, hed_error *error)
{
    (void)def;
    d->has_player = pthread_create(&d->player, NULL, play, d) == 0;
    if (!d->has_player) return hed_error_set(error, HED_ERROR_MEMORY, "no thread to play in");
    /* Where the user may; without it ALSA plays too, with more xruns. */
    pthread_setschedparam(d->player, SCHED_FIFO, &(struct sched_param){.sched_priority = 10});
    if (d->seq) d->has_listener = pthread_create(&d->listener, NULL, listen_midi, d) == 0;
    if (d->seq && !d->has_listener)
        return hed_error_set(error, HED_ERROR_MEMORY, "no thread to listen to MIDI in");
    return HED_OK;
}

const live_driver_ops live_asound_ops = {asound_open, asound_start, asound_close};
