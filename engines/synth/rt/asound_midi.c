/* MIDI through ALSA's sequencer: a client with a port that others write to. A queue of ours stamps
 * what comes, so that it does not matter when our thread gets to read it. */
#include "asound.h"

#include "support/errors.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum {
    MOST_DESCRIPTORS = 16,
    MOST_BYTES = 12, /* a parameter by number is four control changes */
};

/* ---- events ---- */

/* How long ago it came, in ns; 0 for what carries no stamp of ours. */
static uint64_t age(live_driver *d, const snd_seq_event_t *event)
{
    if (!(event->flags & SND_SEQ_TIME_STAMP_REAL) || event->queue != d->queue) return 0;
    if (d->api.snd_seq_get_queue_status(d->seq, d->queue, d->status) < 0) return 0;
    const snd_seq_real_time_t *now = d->api.snd_seq_queue_status_get_real_time(d->status),
                              *then = &event->time.time;
    int64_t seconds = (int64_t)now->tv_sec - then->tv_sec,
            rest = (int64_t)now->tv_nsec - then->tv_nsec;
    int64_t ago = seconds * 1000000000 + rest;
    return ago > 0 ? (uint64_t)ago : 0;
}

/* As bytes: one message, or control changes of three bytes each. */
static void hand_on(live_driver *d, const snd_seq_event_t *event)
{
    uint8_t bytes[MOST_BYTES];
    long size = d->api.snd_midi_event_decode(d->decoder, bytes, sizeof bytes, event);
    if (size <= 0) return; /* no MIDI, such as that somebody has connected */
    uint64_t ago = age(d, event);
    for (long i = 0; i < size; i += 3)
        live_midi_ago(d->live, ago, bytes + i, size - i < 3 ? (uint32_t)(size - i) : 3);
}

bool asound_midi_read(live_driver *d)
{
    struct pollfd descriptors[MOST_DESCRIPTORS];
    int count = d->api.snd_seq_poll_descriptors(d->seq, descriptors, MOST_DESCRIPTORS, POLLIN);
    if (poll(descriptors, (nfds_t)count, 100) <= 0) return true;
    snd_seq_event_t *event;
    int code;
    while ((code = d->api.snd_seq_event_input(d->seq, &event)) >= 0) hand_on(d, event);
    /* more than the sequencer keeps: some are gone */
    if (code == -ENOSPC) atomic_fetch_add(&d->live->lost, 1);
    return code == -EAGAIN || code == -EINTR || code == -ENOSPC;
}

/* ---- connecting ---- */

/* Goes on to the next port that MIDI can come from. */
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
            /* sends no MIDI */
        } while (d->api.snd_seq_client_info_get_client(client) == SND_SEQ_CLIENT_SYSTEM);
        d->api.snd_seq_port_info_set_client(port, d->api.snd_seq_client_info_get_client(client));
        d->api.snd_seq_port_info_set_port(port, -1);
    }
}

/* The port of this address, else the first with `text` in its name. `there` is all that there are,
 * as in "20:0 Keyboard:MIDI 1", for a message. */
static bool find_port(const live_driver *d, snd_seq_client_info_t *client,
    snd_seq_port_info_t *port, const char *text, snd_seq_addr_t *from, char *there, size_t size)
{
    snd_seq_addr_t wanted;
    bool parsed = d->api.snd_seq_parse_address(d->seq, &wanted, text) == 0, found = false;
    size_t used = 0;
    snprintf(there, size, "none");
    d->api.snd_seq_client_info_set_client(client, -1);
    while (next_port(d, client, port)) {
        char name[160];
        snd_seq_addr_t at = *d->api.snd_seq_port_info_get_addr(port);
        snprintf(name, sizeof name, "%s:%s", d->api.snd_seq_client_info_get_name(client),
            d->api.snd_seq_port_info_get_name(port));
        if (used < size)
            used += (size_t)snprintf(there + used, size - used, "%s%u:%u %s", used ? ", " : "",
                at.client, at.port, name);
        bool exact = parsed && at.client == wanted.client && at.port == wanted.port;
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
    char there[512];
    bool memory = d->api.snd_seq_client_info_malloc(&client) >= 0 &&
                  d->api.snd_seq_port_info_malloc(&port) >= 0;
    bool found = memory && find_port(d, client, port, text, &from, there, sizeof there);
    if (port) d->api.snd_seq_port_info_free(port);
    if (client) d->api.snd_seq_client_info_free(client);
    if (!memory)
        return hed_error_set(
            error, HED_ERROR_MEMORY, "no memory to look for MIDI port \"%s\"", text);
    if (!found)
        return hed_error_set(error, HED_ERROR_IO,
            "no MIDI port of ALSA's is \"%s\", by CLIENT:PORT or a part of its name; there are: %s",
            text, there);
    int code = d->api.snd_seq_connect_from(d->seq, d->port, from.client, from.port);
    if (code >= 0) return HED_OK;
    return hed_error_set(error, HED_ERROR_IO,
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

/* Returns ALSA's code; `step` is what was asked for last. */
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
    d->api.snd_midi_event_no_status(d->decoder, 1); /* every message with its status byte */
    return 0;
}

hed_status asound_midi_open(live_driver *d, const hed_synth_live_def *def, hed_error *error)
{
    /* out: to start the queue */
    int code = d->api.snd_seq_open(&d->seq, "default", SND_SEQ_OPEN_DUPLEX, SND_SEQ_NONBLOCK);
    if (code < 0) d->seq = NULL;
    if (code < 0 && !def->midi_port) return HED_OK;
    if (code < 0)
        return hed_error_set(error, HED_ERROR_IO,
            "ALSA's sequencer, which MIDI port \"%s\" would belong to, does not open: %s (is the "
            "module snd-seq loaded? without a MIDI port to listen to it plays all the same)",
            def->midi_port, d->api.snd_strerror(code));
    const char *step;
    code = make_client(d, def->name, &step);
    if (code < 0)
        return hed_error_set(error, code == -ENOMEM ? HED_ERROR_MEMORY : HED_ERROR_IO,
            "ALSA's sequencer refuses %s: %s", step, d->api.snd_strerror(code));
    return def->midi_port ? connect_from(d, def->midi_port, error) : HED_OK;
}

void asound_midi_close(live_driver *d)
{
    if (d->decoder) d->api.snd_midi_event_free(d->decoder);
    if (d->status) d->api.snd_seq_queue_status_free(d->status);
    if (d->seq) d->api.snd_seq_close(d->seq); /* with port and queue */
}
