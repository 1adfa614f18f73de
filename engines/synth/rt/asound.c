/* Playing live through ALSA: a thread of ours writes blocks to the card, another one reads the sequencer's MIDI. */
#include "live.h"

#include "support/errors.h"

#include <alsa/asoundlib.h>
#include <poll.h>
#include <sched.h>

enum { PERIODS = 2, MOST_DESCRIPTORS = 16 };

struct live_driver {
    hed_live *live;
    snd_pcm_t *pcm;
    snd_pcm_format_t format;
    void *period; /* (block x 2) in the card's format */
    float *left, *right;
    size_t bytes; /* of all three, one allocation from `left` on */
    snd_seq_t *seq;
    snd_midi_event_t *decoder;
    int port;
    pthread_t player, listener;
    bool has_player, has_listener;
    _Atomic bool stop;
};

/* ---- sound ---- */

static void convert(const live_driver *d, uint32_t frames)
{
    float *floats = d->period;
    int32_t *longs = d->period;
    int16_t *shorts = d->period;
    for (uint32_t n = 0; n < frames; n++) {
        float both[2] = {d->left[n], d->right[n]};
        for (uint32_t c = 0; c < 2; c++) {
            if (d->format == SND_PCM_FORMAT_FLOAT) floats[2 * n + c] = both[c];
            else if (d->format == SND_PCM_FORMAT_S32) longs[2 * n + c] = (int32_t)((double)both[c] * 2147483647.0);
            else shorts[2 * n + c] = (int16_t)(both[c] * 32767.0f);
        }
    }
}

/* Hands a period over; false when the card is gone. */
static bool write_period(live_driver *d)
{
    const char *bytes = d->period;
    size_t frame = (size_t)snd_pcm_format_physical_width(d->format) / 8 * 2;
    for (snd_pcm_uframes_t left = d->live->block; left > 0;) {
        snd_pcm_sframes_t written = snd_pcm_writei(d->pcm, bytes, left);
        if (written == -EPIPE) atomic_fetch_add(&d->live->xruns, 1);
        if (written < 0 && snd_pcm_recover(d->pcm, (int)written, 1) < 0) return false;
        if (written < 0) continue;
        bytes += (size_t)written * frame;
        left -= (snd_pcm_uframes_t)written;
    }
    return true;
}

static void *play(void *user)
{
    live_driver *d = user;
    while (!atomic_load(&d->stop)) {
        live_play(d->live, d->live->block, NULL, d->left, d->right);
        convert(d, d->live->block);
        if (write_period(d)) continue;
        live_end(d->live, HED_ERROR_IO, "the sound card does not take sound any more");
        return NULL;
    }
    return NULL;
}

static hed_status set_card(live_driver *d, const hed_live_def *def, snd_pcm_hw_params_t *params, const char **step,
                           int *code)
{
    static const snd_pcm_format_t formats[] = {SND_PCM_FORMAT_FLOAT, SND_PCM_FORMAT_S32, SND_PCM_FORMAT_S16};
    unsigned rate = def->rate, periods = PERIODS;
    snd_pcm_uframes_t block = def->block;
    *step = "to be asked what it can";
    if ((*code = snd_pcm_hw_params_any(d->pcm, params)) < 0) return HED_ERROR_IO;
    *step = "interleaved frames";
    if ((*code = snd_pcm_hw_params_set_access(d->pcm, params, SND_PCM_ACCESS_RW_INTERLEAVED)) < 0)
        return HED_ERROR_IO;
    *step = "floats, or 32 or 16 bits";
    for (uint32_t i = 0; i < 3; i++) {
        d->format = formats[i];
        if ((*code = snd_pcm_hw_params_set_format(d->pcm, params, formats[i])) == 0) break;
    }
    if (*code < 0) return HED_ERROR_IO;
    *step = "two channels";
    if ((*code = snd_pcm_hw_params_set_channels(d->pcm, params, 2)) < 0) return HED_ERROR_IO;
    *step = "this rate and block";
    if ((*code = snd_pcm_hw_params_set_rate_near(d->pcm, params, &rate, NULL)) < 0) return HED_ERROR_IO;
    if ((*code = snd_pcm_hw_params_set_period_size_near(d->pcm, params, &block, NULL)) < 0) return HED_ERROR_IO;
    if ((*code = snd_pcm_hw_params_set_periods_near(d->pcm, params, &periods, NULL)) < 0) return HED_ERROR_IO;
    if ((*code = snd_pcm_hw_params(d->pcm, params)) < 0) return HED_ERROR_IO;
    d->live->rate = rate;
    d->live->block = (uint32_t)block;
    return HED_OK;
}

/* libasound writes to stderr what it could not do; the caller gets it in words. */
static void say_nothing(const char *file, int line, const char *function, int code, const char *format, ...)
{
    (void)file;
    (void)line;
    (void)function;
    (void)code;
    (void)format;
}

static hed_status open_card(live_driver *d, const hed_live_def *def, hed_error *error)
{
    const char *name = def->output ? def->output : "default", *step;
    if (def->synth.inputs)
        return hed_error_set(error, HED_ERROR_UNSUPPORTED, "sound comes in through JACK only; ALSA plays");
    int code = snd_pcm_open(&d->pcm, name, SND_PCM_STREAM_PLAYBACK, 0);
    if (code < 0)
        return hed_error_set(error, HED_ERROR_IO, "ALSA does not open \"%s\": %s (\"aplay -L\" lists what there is)",
                             name, snd_strerror(code));
    snd_pcm_hw_params_t *params;
    if (snd_pcm_hw_params_malloc(&params) < 0)
        return hed_error_set(error, HED_ERROR_MEMORY, "no memory to set \"%s\" up", name);
    hed_status status = set_card(d, def, params, &step, &code);
    snd_pcm_hw_params_free(params);
    if (status) return hed_error_set(error, status, "\"%s\" refuses %s: %s", name, step, snd_strerror(code));
    size_t sound = d->live->block * sizeof(float);
    d->bytes = 4 * sound;
    d->left = d->live->allocator.allocate(d->live->allocator.user, d->bytes, 64);
    if (!d->left) return hed_error_set(error, HED_ERROR_MEMORY, "no memory for a period of \"%s\"", name);
    d->right = d->left + d->live->block;
    d->period = d->right + d->live->block;
    return HED_OK;
}

/* ---- MIDI ---- */

static void *listen_midi(void *user)
{
    live_driver *d = user;
    struct pollfd descriptors[MOST_DESCRIPTORS];
    int count = snd_seq_poll_descriptors(d->seq, descriptors, MOST_DESCRIPTORS, POLLIN);
    while (!atomic_load(&d->stop)) {
        if (poll(descriptors, (nfds_t)count, 100) <= 0) continue;
        snd_seq_event_t *event;
        while (snd_seq_event_input(d->seq, &event) >= 0) {
            uint8_t bytes[8];
            long size = snd_midi_event_decode(d->decoder, bytes, sizeof bytes, event);
            if (size > 0) live_midi_now(d->live, bytes, (uint32_t)size);
        }
    }
    return NULL;
}

/* "20:0 Keyboard": the ports that MIDI can come from, for a message. */
static void list_ports(snd_seq_t *seq, char *text, size_t size)
{
    snd_seq_client_info_t *client;
    snd_seq_port_info_t *port;
    size_t used = 0;
    snprintf(text, size, "none");
    if (snd_seq_client_info_malloc(&client) < 0) return;
    if (snd_seq_port_info_malloc(&port) >= 0) {
        snd_seq_client_info_set_client(client, -1);
        while (snd_seq_query_next_client(seq, client) >= 0) {
            snd_seq_port_info_set_client(port, snd_seq_client_info_get_client(client));
            snd_seq_port_info_set_port(port, -1);
            while (used < size && snd_seq_query_next_port(seq, port) >= 0) {
                if (!(snd_seq_port_info_get_capability(port) & SND_SEQ_PORT_CAP_SUBS_READ)) continue;
                used += (size_t)snprintf(text + used, size - used, "%s%d:%d %s", used ? ", " : "",
                                         snd_seq_port_info_get_client(port), snd_seq_port_info_get_port(port),
                                         snd_seq_port_info_get_name(port));
            }
        }
        snd_seq_port_info_free(port);
    }
    snd_seq_client_info_free(client);
}

/* A machine without a sequencer plays all the same, unless a port was named. */
static hed_status open_midi(live_driver *d, const hed_live_def *def, hed_error *error)
{
    int code = snd_seq_open(&d->seq, "default", SND_SEQ_OPEN_INPUT, SND_SEQ_NONBLOCK);
    if (code < 0 && !def->midi_port) {
        d->seq = NULL;
        return HED_OK;
    }
    if (code < 0)
        return hed_error_set(
            error, HED_ERROR_IO,
            "ALSA's sequencer, which MIDI comes through, does not open: %s (is the module snd-seq loaded?)",
            snd_strerror(code));
    snd_seq_set_client_name(d->seq, def->name);
    d->port = snd_seq_create_simple_port(d->seq, "midi", SND_SEQ_PORT_CAP_WRITE | SND_SEQ_PORT_CAP_SUBS_WRITE,
                                         SND_SEQ_PORT_TYPE_APPLICATION);
    if (d->port < 0 || snd_midi_event_new(8, &d->decoder) < 0)
        return hed_error_set(error, HED_ERROR_MEMORY, "no memory for MIDI");
    snd_midi_event_no_status(d->decoder, 1); /* every message with its status byte */
    if (!def->midi_port) return HED_OK;
    snd_seq_addr_t from;
    if (snd_seq_parse_address(d->seq, &from, def->midi_port) == 0 &&
        snd_seq_connect_from(d->seq, d->port, from.client, from.port) == 0)
        return HED_OK;
    char there[512];
    list_ports(d->seq, there, sizeof there);
    return hed_error_set(error, HED_ERROR_IO, "no MIDI port \"%s\"; there are: %s", def->midi_port, there);
}

/* ---- the driver ---- */

static void asound_close(live_driver *d)
{
    atomic_store(&d->stop, true);
    if (d->has_player) pthread_join(d->player, NULL);
    if (d->has_listener) pthread_join(d->listener, NULL);
    if (d->decoder) snd_midi_event_free(d->decoder);
    if (d->seq) snd_seq_close(d->seq);
    if (d->pcm) snd_pcm_close(d->pcm);
    hed_allocator a = d->live->allocator;
    if (d->left) a.release(a.user, d->left, d->bytes);
    a.release(a.user, d, sizeof *d);
}

static hed_status asound_open(const hed_live_def *def, hed_live *live, live_driver **driver, hed_error *error)
{
    live_driver *d = live->allocator.allocate(live->allocator.user, sizeof *d, _Alignof(live_driver));
    *driver = d;
    if (!d) return hed_error_set(error, HED_ERROR_MEMORY, "no memory for ALSA");
    memset(d, 0, sizeof *d);
    d->live = live;
    snd_lib_error_set_handler(say_nothing);
    hed_status status = open_card(d, def, error);
    if (!status) status = open_midi(d, def, error);
    snd_lib_error_set_handler(NULL);
    return status;
}

static hed_status asound_start(live_driver *d, const hed_live_def *def, hed_error *error)
{
    (void)def;
    d->has_player = pthread_create(&d->player, NULL, play, d) == 0;
    if (!d->has_player) return hed_error_set(error, HED_ERROR_MEMORY, "no thread to play in");
    /* Where the user may; without it ALSA plays too, with more xruns. */
    pthread_setschedparam(d->player, SCHED_FIFO, &(struct sched_param){.sched_priority = 10});
    if (d->seq) d->has_listener = pthread_create(&d->listener, NULL, listen_midi, d) == 0;
    if (d->seq && !d->has_listener) return hed_error_set(error, HED_ERROR_MEMORY, "no thread to listen to MIDI in");
    return HED_OK;
}

const live_driver_ops live_asound_ops = {asound_open, asound_start, asound_close};
