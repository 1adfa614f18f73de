/* Live playing through ALSA: one thread reads blocks from the card and writes blocks to it,
 * another reads MIDI from the sequencer. */
#include "asound_api.h"
#include "live.h"
#include "heddle/author.h"
#include "support/optional_libraries.h"

#include <sched.h>
#include <string.h>
#include <errno.h>
#include <stdio.h>

/* A direction of the card. */
typedef struct asound_stream {
    snd_pcm_t *pcm; /* NULL: not open */
    snd_pcm_format_t format;
    uint32_t channels;
} asound_stream;

struct live_driver {
    asound_api api;
    hed_synth_live *live;
    /* the card */
    asound_stream playback, capture; /* not open: the inputs are silent */
    float *left, *right, *inputs[LIVE_MOST_INPUTS];
    void *period; /* (block x channels) in the card's format */
    size_t bytes; /* size of the allocation that begins at `left` and contains all buffers */
    /* MIDI */
    snd_seq_t *seq; /* NULL: no sequencer on this machine */
    snd_midi_event_t *decoder;
    snd_seq_queue_status_t *status;
    int port, queue; /* port that receives events, and queue that time-stamps them */
    /* threads */
    pthread_t player, listener;
    bool has_player, has_listener;
    _Atomic bool stop;
};

/* A card through ALSA: opened for playback and, for an instrument with inputs, for capture. */

enum { PERIODS = 2 };

/* ---- blocks ---- */

static size_t frame_bytes(const live_driver *d, const asound_stream *stream)
{
    return (size_t)d->api.snd_pcm_format_physical_width(stream->format) / 8 * stream->channels;
}

static void interleave(live_driver *d)
{
    float *floats = d->period;
    int32_t *longs = d->period;
    int16_t *shorts = d->period;
    for (uint32_t n = 0; n < d->live->block; n++) {
        float frame[2] = {d->left[n], d->right[n]};
        for (uint32_t c = 0; c < 2; c++) {
            if (d->playback.format == SND_PCM_FORMAT_FLOAT) floats[2 * n + c] = frame[c];
            else if (d->playback.format == SND_PCM_FORMAT_S32)
                longs[2 * n + c] = (int32_t)((double)frame[c] * 2147483647.0);
            else shorts[2 * n + c] = (int16_t)(frame[c] * 32767.0f);
        }
    }
}

/* Splits a captured block. Channels beyond the synth's inputs are dropped; inputs beyond the
 * card's channels stay silent. */
static void deinterleave(live_driver *d)
{
    const float *floats = d->period;
    const int32_t *longs = d->period;
    const int16_t *shorts = d->period;
    uint32_t channels = d->capture.channels;
    for (uint32_t c = 0; c < channels && c < d->live->inputs; c++) {
        for (uint32_t n = 0; n < d->live->block; n++) {
            uint32_t i = n * channels + c;
            if (d->capture.format == SND_PCM_FORMAT_FLOAT) d->inputs[c][n] = floats[i];
            else if (d->capture.format == SND_PCM_FORMAT_S32)
                d->inputs[c][n] = (float)longs[i] * 0x1p-31f;
            else d->inputs[c][n] = (float)shorts[i] * 0x1p-15f;
        }
    }
}

/* Fills the playback buffer with silence: the first write starts playback, and capture too if
 * the two are linked; otherwise the first read starts capture. Errors here recur at that read
 * and are handled there. */
static void asound_card_begin(live_driver *d)
{
    memset(d->period, 0, d->live->block * frame_bytes(d, &d->playback));
    for (uint32_t i = 0; i < PERIODS; i++)
        d->api.snd_pcm_writei(d->playback.pcm, d->period, d->live->block);
}

/* Resumes after an xrun or a suspend; false: the card is lost. If there is a capture, both
 * directions restart, so that playback stays at the same delay behind capture. */
static bool recover(live_driver *d, const asound_stream *failed, int code)
{
    const asound_stream *partner = failed == &d->playback ? &d->capture : &d->playback;
    if (code == -EPIPE) atomic_fetch_add(&d->live->xruns, 1);
    if (d->api.snd_pcm_recover(failed->pcm, code, 1) < 0) return false;
    if (!partner->pcm) return true;
    if (d->api.snd_pcm_drop(partner->pcm) < 0 || d->api.snd_pcm_prepare(partner->pcm) < 0)
        return false;
    asound_card_begin(d);
    return true;
}

/* Reads a block of `inputs`; false: the card is lost. Audio thread. */
static bool asound_card_read(live_driver *d)
{
    snd_pcm_uframes_t done = 0;
    while (done < d->live->block && !atomic_load(&d->stop)) {
        char *to = (char *)d->period + done * frame_bytes(d, &d->capture);
        snd_pcm_sframes_t count = d->api.snd_pcm_readi(d->capture.pcm, to, d->live->block - done);
        if (count < 0 && !recover(d, &d->capture, (int)count)) return false;
        done = count < 0 ? 0 : done + (snd_pcm_uframes_t)count;
    }
    deinterleave(d);
    return true;
}

/* Writes a block of `left` and `right`; false: the card is lost. Audio thread. */
static bool asound_card_write(live_driver *d)
{
    interleave(d);
    snd_pcm_uframes_t done = 0;
    while (done < d->live->block && !atomic_load(&d->stop)) {
        const char *from = (const char *)d->period + done * frame_bytes(d, &d->playback);
        snd_pcm_sframes_t count =
            d->api.snd_pcm_writei(d->playback.pcm, from, d->live->block - done);
        if (count < 0 && !recover(d, &d->playback, (int)count)) return false;
        /* the restart has already played silence for this block */
        if (count < 0 && d->capture.pcm) return true;
        if (count > 0) done += (snd_pcm_uframes_t)count;
    }
    return true;
}

/* ---- opening ---- */

/* Configures a direction. Returns ALSA's code; `step` names the last request. */
typedef int set_stream(
    live_driver *d, const hed_synth_live_def *def, snd_pcm_hw_params_t *params, const char **step);

static int set_format(
    const live_driver *d, asound_stream *stream, snd_pcm_hw_params_t *params, const char **step)
{
    static const snd_pcm_format_t formats[] = {
        SND_PCM_FORMAT_FLOAT, SND_PCM_FORMAT_S32, SND_PCM_FORMAT_S16};
    *step = "to be asked what it can";
    int code = d->api.snd_pcm_hw_params_any(stream->pcm, params);
    if (code < 0) return code;
    *step = "interleaved frames";
    if ((code = d->api.snd_pcm_hw_params_set_access(
             stream->pcm, params, SND_PCM_ACCESS_RW_INTERLEAVED)) < 0)
        return code;
    *step = "floats, or 32 or 16 bits";
    for (uint32_t i = 0; i < 3; i++) {
        stream->format = formats[i];
        if ((code = d->api.snd_pcm_hw_params_set_format(stream->pcm, params, formats[i])) == 0)
            break;
    }
    return code;
}

static int set_playback(
    live_driver *d, const hed_synth_live_def *def, snd_pcm_hw_params_t *params, const char **step)
{
    snd_pcm_t *pcm = d->playback.pcm;
    unsigned rate = def->rate, periods = PERIODS;
    snd_pcm_uframes_t block = def->block;
    int code = set_format(d, &d->playback, params, step);
    if (code < 0) return code;
    *step = "two channels";
    d->playback.channels = 2;
    if ((code = d->api.snd_pcm_hw_params_set_channels(pcm, params, 2)) < 0) return code;
    *step = "this rate and block";
    if ((code = d->api.snd_pcm_hw_params_set_rate_near(pcm, params, &rate, NULL)) < 0) return code;
    if ((code = d->api.snd_pcm_hw_params_set_period_size_near(pcm, params, &block, NULL)) < 0)
        return code;
    if ((code = d->api.snd_pcm_hw_params_set_periods_near(pcm, params, &periods, NULL)) < 0)
        return code;
    if ((code = d->api.snd_pcm_hw_params(pcm, params)) < 0) return code;
    d->live->rate = rate;
    d->live->block = (uint32_t)block;
    return 0;
}

/* Configures capture with the rate and block of playback. The card chooses the buffer's length;
 * at most a block waits in the buffer. */
static int set_capture(
    live_driver *d, const hed_synth_live_def *def, snd_pcm_hw_params_t *params, const char **step)
{
    (void)def;
    snd_pcm_t *pcm = d->capture.pcm;
    unsigned channels = d->live->inputs;
    int code = set_format(d, &d->capture, params, step);
    if (code < 0) return code;
    *step = "as many channels";
    if ((code = d->api.snd_pcm_hw_params_set_channels_near(pcm, params, &channels)) < 0)
        return code;
    d->capture.channels = channels;
    *step = "playback's rate and block";
    if ((code = d->api.snd_pcm_hw_params_set_rate(pcm, params, d->live->rate, 0)) < 0) return code;
    if ((code = d->api.snd_pcm_hw_params_set_period_size(pcm, params, d->live->block, 0)) < 0)
        return code;
    return d->api.snd_pcm_hw_params(pcm, params);
}

static const char *name_of(const hed_synth_live_def *def)
{
    return def->output ? def->output : "default";
}

static hed_status open_stream(live_driver *d, const hed_synth_live_def *def, asound_stream *stream,
    set_stream *set, hed_error *error)
{
    bool capture = stream == &d->capture;
    const char *name = name_of(def), *step, *way = capture ? "capture" : "playback";
    int code = d->api.snd_pcm_open(
        &stream->pcm, name, capture ? SND_PCM_STREAM_CAPTURE : SND_PCM_STREAM_PLAYBACK, 0);
    if (code < 0)
        return hed_fail(error, HED_ERROR_IO,
            "ALSA does not open \"%s\" for %s: %s (\"%s -L\" lists the devices)", name, way,
            d->api.snd_strerror(code), capture ? "arecord" : "aplay");
    snd_pcm_hw_params_t *params;
    if (d->api.snd_pcm_hw_params_malloc(&params) < 0)
        return HED_OUT_OF_MEMORY(error, "device \"%s\"", name);
    code = set(d, def, params, &step);
    d->api.snd_pcm_hw_params_free(params);
    if (code < 0)
        return hed_fail(error, HED_ERROR_IO, "\"%s\" refuses %s for %s: %s", name, step, way,
            d->api.snd_strerror(code));
    return HED_OK;
}

static void close_stream(const live_driver *d, asound_stream *stream)
{
    if (stream->pcm) d->api.snd_pcm_close(stream->pcm);
    stream->pcm = NULL;
}

static void warn(const hed_synth_live_def *def, const char *text)
{
    hed_logger logger = hed_context_describe(hed_device_context(def->device)).logger;
    if (logger.log && logger.level >= HED_LOG_WARNING)
        logger.log(logger.user, HED_LOG_WARNING, text);
}

/* Opens capture; a card that cannot capture plays without inputs, with a warning, as JACK does
 * without connections. */
static hed_status open_capture(live_driver *d, const hed_synth_live_def *def, hed_error *error)
{
    hed_error refusal = {0};
    char text[512];
    hed_status status = open_stream(d, def, &d->capture, set_capture, &refusal);
    if (status == HED_ERROR_MEMORY) return hed_fail(error, status, "%s", refusal.text);
    if (status) {
        close_stream(d, &d->capture);
        snprintf(text, sizeof text, "%.400s; the inputs hear silence", refusal.text);
        warn(def, text);
        return HED_OK;
    }
    if (d->capture.channels < d->live->inputs) {
        snprintf(text, sizeof text,
            "\"%.400s\" captures %u of %u channels; the other inputs hear silence", name_of(def),
            d->capture.channels, d->live->inputs);
        warn(def, text);
    }
    /* if linking fails, each direction starts separately */
    d->api.snd_pcm_link(d->playback.pcm, d->capture.pcm);
    return HED_OK;
}

/* Opens the card; sets the rate and the block of live->synth. */
static hed_status asound_card_open(live_driver *d, const hed_synth_live_def *def, hed_error *error)
{
    if (open_stream(d, def, &d->playback, set_playback, error) ||
        (d->live->inputs && open_capture(d, def, error)))
        return error->status;
    size_t block = d->live->block, channels = d->capture.channels > 2 ? d->capture.channels : 2;
    d->bytes = (2 + d->live->inputs + channels) * block * sizeof(float);
    d->left = hed_new(&d->live->allocator, d->bytes, 1, NULL);
    if (!d->left) return HED_OUT_OF_MEMORY(error, "a period of \"%s\"", name_of(def));
    d->right = d->left + block;
    for (uint32_t i = 0; i < d->live->inputs; i++) d->inputs[i] = d->right + (1 + i) * block;
    d->period = d->right + (1 + d->live->inputs) * block;
    return HED_OK;
}

/* MIDI through ALSA's sequencer: a client with a port to which other clients write. A queue of
 * this client time-stamps events on arrival, so a late read does not shift them. */

enum {
    MOST_DESCRIPTORS = 16,
    MOST_BYTES = 12, /* an NRPN is four control changes */
};

/* ---- events ---- */

/* Returns the time since an event's arrival, ns; 0 for an event that the queue has not stamped. */
static uint64_t age(live_driver *d, const snd_seq_event_t *event)
{
    if (!(event->flags & SND_SEQ_TIME_STAMP_REAL) || event->queue != d->queue) return 0;
    if (d->api.snd_seq_get_queue_status(d->seq, d->queue, d->status) < 0) return 0;
    const snd_seq_real_time_t *present = d->api.snd_seq_queue_status_get_real_time(d->status),
                              *arrival = &event->time.time;
    int64_t seconds = (int64_t)present->tv_sec - arrival->tv_sec,
            rest = (int64_t)present->tv_nsec - arrival->tv_nsec;
    int64_t ago = seconds * 1000000000 + rest;
    return ago > 0 ? (uint64_t)ago : 0;
}

/* Waits up to 100 ms for events and forwards them; false: the sequencer is lost. */
static bool asound_midi_read(live_driver *d)
{
    struct pollfd descriptors[MOST_DESCRIPTORS];
    int count = d->api.snd_seq_poll_descriptors(d->seq, descriptors, MOST_DESCRIPTORS, POLLIN);
    if (poll(descriptors, (nfds_t)count, 100) <= 0) return true;
    snd_seq_event_t *event;
    int code;
    while ((code = d->api.snd_seq_event_input(d->seq, &event)) >= 0) {
        /* decode to one message, or to control changes of three bytes each; size <= 0: no MIDI
         * message, for example a new connection */
        uint8_t bytes[MOST_BYTES];
        long size = d->api.snd_midi_event_decode(d->decoder, bytes, sizeof bytes, event);
        uint64_t ago = size > 0 ? age(d, event) : 0;
        for (long i = 0; i < size; i += 3)
            live_midi_ago(d->live, ago, bytes + i, size - i < 3 ? (uint32_t)(size - i) : 3);
    }
    /* the sequencer's buffer overflowed: events were lost */
    if (code == -ENOSPC) atomic_fetch_add(&d->live->lost, 1);
    return code == -EAGAIN || code == -EINTR || code == -ENOSPC;
}

/* ---- connecting ---- */

/* Advances to the next port that can send MIDI. */
static bool next_port(
    const live_driver *d, snd_seq_client_info_t *client, snd_seq_port_info_t *port)
{
    const unsigned readable = SND_SEQ_PORT_CAP_READ | SND_SEQ_PORT_CAP_SUBS_READ;
    for (;;) {
        while (d->api.snd_seq_client_info_get_client(client) >= 0 &&
               d->api.snd_seq_query_next_port(d->seq, port) >= 0)
            if ((d->api.snd_seq_port_info_get_capability(port) & readable) == readable) return true;
        do {
            if (d->api.snd_seq_query_next_client(d->seq, client) < 0) return false;
            /* the system client sends no MIDI */
        } while (d->api.snd_seq_client_info_get_client(client) == SND_SEQ_CLIENT_SYSTEM);
        d->api.snd_seq_port_info_set_client(port, d->api.snd_seq_client_info_get_client(client));
        d->api.snd_seq_port_info_set_port(port, -1);
    }
}

/* Finds the port with this address, else the first with `text` in its name. Lists all ports in
 * `there` ("20:0 Keyboard:MIDI 1"), for a message. */
static bool find_port(const live_driver *d, snd_seq_client_info_t *client,
    snd_seq_port_info_t *port, const char *text, snd_seq_addr_t *from, char *listing, size_t size)
{
    snd_seq_addr_t address;
    bool parsed = d->api.snd_seq_parse_address(d->seq, &address, text) == 0, found = false;
    size_t used = 0;
    snprintf(listing, size, "none");
    d->api.snd_seq_client_info_set_client(client, -1);
    while (next_port(d, client, port)) {
        char name[160];
        snd_seq_addr_t at = *d->api.snd_seq_port_info_get_addr(port);
        snprintf(name, sizeof name, "%s:%s", d->api.snd_seq_client_info_get_name(client),
            d->api.snd_seq_port_info_get_name(port));
        if (used < size)
            used += (size_t)snprintf(listing + used, size - used, "%s%u:%u %s", used ? ", " : "",
                at.client, at.port, name);
        bool exact = parsed && at.client == address.client && at.port == address.port;
        if (exact || (!found && strstr(name, text))) *from = at;
        found = found || exact || strstr(name, text);
    }
    return found;
}

static hed_status connect_from(live_driver *d, const char *text, hed_error *error)
{
    snd_seq_client_info_t *client = NULL;
    snd_seq_port_info_t *port = NULL;
    snd_seq_addr_t from = {0};
    char listing[512];
    bool memory = d->api.snd_seq_client_info_malloc(&client) >= 0 &&
                  d->api.snd_seq_port_info_malloc(&port) >= 0;
    bool found = memory && find_port(d, client, port, text, &from, listing, sizeof listing);
    if (port) d->api.snd_seq_port_info_free(port);
    if (client) d->api.snd_seq_client_info_free(client);
    if (!memory) return HED_OUT_OF_MEMORY(error, "the search for MIDI port \"%s\"", text);
    if (!found)
        return hed_fail(error, HED_ERROR_IO,
            "no MIDI port of ALSA's is \"%s\", by CLIENT:PORT or a part of its name; there are: %s",
            text, listing);
    int code = d->api.snd_seq_connect_from(d->seq, d->port, from.client, from.port);
    if (code >= 0) return HED_OK;
    return hed_fail(error, HED_ERROR_IO,
        "ALSA does not connect MIDI port %u:%u, for \"%s\", to us: %s", from.client, from.port,
        text, d->api.snd_strerror(code));
}

/* ---- opening ---- */

static int make_port(live_driver *d)
{
    snd_seq_port_info_t *info;
    int code = d->api.snd_seq_port_info_malloc(&info);
    if (code < 0) return code;
    d->api.snd_seq_port_info_set_name(info, "midi");
    d->api.snd_seq_port_info_set_capability(
        info, SND_SEQ_PORT_CAP_WRITE | SND_SEQ_PORT_CAP_SUBS_WRITE);
    d->api.snd_seq_port_info_set_type(
        info, SND_SEQ_PORT_TYPE_MIDI_GENERIC | SND_SEQ_PORT_TYPE_APPLICATION);
    d->api.snd_seq_port_info_set_midi_channels(info, 16);
    d->api.snd_seq_port_info_set_timestamping(info, 1);
    d->api.snd_seq_port_info_set_timestamp_real(info, 1);
    d->api.snd_seq_port_info_set_timestamp_queue(info, d->queue);
    code = d->api.snd_seq_create_port(d->seq, info);
    d->port = d->api.snd_seq_port_info_get_port(info);
    d->api.snd_seq_port_info_free(info);
    return code;
}

/* Configures the client. Returns ALSA's code; `step` names the last request. */
static int make_client(live_driver *d, const char *name, const char **step)
{
    int code;
    *step = "our name";
    if ((code = d->api.snd_seq_set_client_name(d->seq, name)) < 0) return code;
    *step = "a queue, whose time events come with";
    if ((code = d->queue = d->api.snd_seq_alloc_queue(d->seq)) < 0) return code;
    if ((code = d->api.snd_seq_control_queue(d->seq, d->queue, SND_SEQ_EVENT_START, 0, NULL)) < 0)
        return code;
    if ((code = d->api.snd_seq_drain_output(d->seq)) < 0) return code;
    if ((code = d->api.snd_seq_queue_status_malloc(&d->status)) < 0) return code;
    *step = "a port";
    if ((code = make_port(d)) < 0) return code;
    *step = "a decoder";
    if ((code = d->api.snd_midi_event_new(MOST_BYTES, &d->decoder)) < 0) return code;
    d->api.snd_midi_event_no_status(d->decoder, 1); /* each message includes its status byte */
    return 0;
}

/* Opens a client with a port and connects the requested port to it. A missing sequencer is an
 * error only if a port was requested. */
static hed_status asound_midi_open(live_driver *d, const hed_synth_live_def *def, hed_error *error)
{
    /* duplex: starting the queue needs output */
    int code = d->api.snd_seq_open(&d->seq, "default", SND_SEQ_OPEN_DUPLEX, SND_SEQ_NONBLOCK);
    if (code < 0) d->seq = NULL;
    if (code < 0 && !def->midi_port) return HED_OK;
    if (code < 0)
        return hed_fail(error, HED_ERROR_IO,
            "ALSA's sequencer, which MIDI port \"%s\" would belong to, does not open: %s (is the "
            "module snd-seq loaded? it also plays without a MIDI port)",
            def->midi_port, d->api.snd_strerror(code));
    const char *step;
    code = make_client(d, def->name, &step);
    if (code < 0)
        return hed_fail(error, code == -ENOMEM ? HED_ERROR_MEMORY : HED_ERROR_IO,
            "ALSA's sequencer refuses %s: %s", step, d->api.snd_strerror(code));
    return def->midi_port ? connect_from(d, def->midi_port, error) : HED_OK;
}

static void *asound_play(void *user)
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
        /* play to the end: the last block ends the fade */
        d->api.snd_pcm_drain(d->playback.pcm);
    }
    if (d->has_listener) pthread_join(d->listener, NULL);
    if (d->decoder) d->api.snd_midi_event_free(d->decoder);
    if (d->status) d->api.snd_seq_queue_status_free(d->status);
    if (d->seq) d->api.snd_seq_close(d->seq); /* closes port and queue too */
    close_stream(d, &d->capture);
    close_stream(d, &d->playback);
    hed_delete(&d->live->allocator, d->left, d->bytes, 1);
    hed_delete(&d->live->allocator, d, 1, sizeof *d);
}

/* Silences libasound's messages on stderr; errors are returned to the caller as text. */
static void asound_say_nothing(
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
    live_driver *d = *driver = hed_new(&live->allocator, 1, sizeof *d, NULL);
    if (!d) return HED_OUT_OF_MEMORY(error, "ALSA");
    d->live = live;
    if (asound_load(&live->allocator, &d->api, error)) return error->status;
    d->api.snd_lib_error_set_handler(asound_say_nothing);
    if (!asound_card_open(d, def, error)) asound_midi_open(d, def, error);
    d->api.snd_lib_error_set_handler(NULL);
    return error->status;
}

static hed_status asound_start(live_driver *d, const hed_synth_live_def *def, hed_error *error)
{
    (void)def;
    d->has_player = pthread_create(&d->player, NULL, asound_play, d) == 0;
    if (!d->has_player) return hed_fail(error, HED_ERROR_MEMORY, "no thread to play in");
    /* real-time priority, if permitted; without it there are more xruns */
    pthread_setschedparam(d->player, SCHED_FIFO, &(struct sched_param){.sched_priority = 10});
    if (d->seq) d->has_listener = pthread_create(&d->listener, NULL, listen_midi, d) == 0;
    if (d->seq && !d->has_listener)
        return hed_fail(error, HED_ERROR_MEMORY, "no thread to listen to MIDI in");
    return HED_OK;
}

const live_driver_ops live_asound_ops = {asound_open, asound_start, asound_close};
