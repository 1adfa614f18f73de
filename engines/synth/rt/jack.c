/* Live playing through JACK (jackaudio.org). The server calls; this file waits only at start and
 * stop. */
#include "jack_api.h"
#include "live.h"

#include "heddle/author.h"
#include "support/optional_libraries.h"

#include <stdio.h>
#include <string.h>

struct live_driver {
    jack_api api;
    hed_synth_live *live;
    jack_client_t *client;
    jack_port_t *left, *right, *midi, *inputs[LIVE_MOST_INPUTS];
};

/* ---- callbacks of the server ---- */

static int process(jack_nframes_t frames, void *user)
{
    live_driver *d = user;
    hed_synth_live *live = d->live;
    const float *inputs[LIVE_MOST_INPUTS];
    for (uint32_t i = 0; i < live->inputs; i++)
        inputs[i] = d->api.jack_port_get_buffer(d->inputs[i], frames);
    void *midi = d->api.jack_port_get_buffer(d->midi, frames);
    uint32_t count = d->api.jack_midi_get_event_count(midi);
    for (uint32_t i = 0; i < count; i++) {
        jack_midi_event_t event;
        if (d->api.jack_midi_event_get(&event, midi, i) == 0)
            live_midi_at(live, event.time, event.buffer, (uint32_t)event.size);
    }
    live_play(live, frames, live->inputs ? inputs : NULL,
        d->api.jack_port_get_buffer(d->left, frames),
        d->api.jack_port_get_buffer(d->right, frames));
    return 0;
}

static int count_xrun(void *user)
{
    atomic_fetch_add(&((live_driver *)user)->live->xruns, 1);
    return 0;
}

/* Extends a latency range by those of the connected ports; only connected ports have a range. */
static void widen(const live_driver *d, jack_port_t *const *ports, uint32_t count,
    jack_latency_callback_mode_t mode, jack_latency_range_t *range)
{
    for (uint32_t i = 0; i < count; i++) {
        jack_latency_range_t port_range;
        if (!d->api.jack_port_connected(ports[i])) continue;
        d->api.jack_port_get_latency_range(ports[i], mode, &port_range);
        if (port_range.min < range->min) range->min = port_range.min;
        if (port_range.max > range->max) range->max = port_range.max;
    }
}

/* Reports the latency: every output depends on every input, MIDI and sound, live->latency frames
 * later. The server calls this whenever the graph changes; live->latency is constant, because a
 * change of block size ends the playing. */
static void tell_latency(jack_latency_callback_mode_t mode, void *user)
{
    live_driver *d = user;
    jack_port_t *const outputs[] = {d->left, d->right};
    uint32_t inputs = d->live->inputs;
    jack_latency_range_t range = {UINT32_MAX, 0};
    if (mode == JackCaptureLatency) {
        widen(d, d->inputs, inputs, mode, &range);
        widen(d, &d->midi, 1, mode, &range);
    } else {
        widen(d, outputs, 2, mode, &range);
    }
    if (range.min > range.max) range.min = 0; /* no port is connected */
    range.min += d->live->latency;
    range.max += d->live->latency;
    if (mode == JackCaptureLatency) {
        for (uint32_t i = 0; i < 2; i++)
            d->api.jack_port_set_latency_range(outputs[i], mode, &range);
    } else {
        for (uint32_t i = 0; i < inputs; i++)
            d->api.jack_port_set_latency_range(d->inputs[i], mode, &range);
        d->api.jack_port_set_latency_range(d->midi, mode, &range);
    }
}

static void end(jack_status_t code, const char *reason, void *user)
{
    (void)code;
    char text[256];
    snprintf(text, sizeof text, "the JACK server has ended: %s",
        reason && reason[0] ? reason : "it gave no reason");
    live_end(((live_driver *)user)->live, HED_ERROR_IO, text);
}

/* ---- opening ---- */

hed_status jack_load(const hed_allocator *allocator, jack_api *api, hed_error *error)
{
#define NAME(type, name, parameters) #name,
    static const char *const names[] = {
        JACK_FUNCTIONS(NAME) "jack_error_callback", "jack_info_callback"};
#undef NAME
    void *slots[sizeof names / sizeof *names];
    _Static_assert(sizeof *api == sizeof slots, "jack_api holds addresses only");
    const hed_library_def *library = &hed_optional_libraries[HED_LIBRARY_JACK];
    hed_status status = hed_library_load(
        allocator, library, names, slots, sizeof names / sizeof *names, NULL, error);
    if (!status) memcpy(api, slots, sizeof slots);
    return status;
}

static void jack_say_nothing(const char *text) { (void)text; }

static hed_status make_ports(live_driver *d, hed_error *error)
{
    d->left =
        d->api.jack_port_register(d->client, "left", JACK_DEFAULT_AUDIO_TYPE, JackPortIsOutput, 0);
    d->right =
        d->api.jack_port_register(d->client, "right", JACK_DEFAULT_AUDIO_TYPE, JackPortIsOutput, 0);
    d->midi =
        d->api.jack_port_register(d->client, "midi", JACK_DEFAULT_MIDI_TYPE, JackPortIsInput, 0);
    bool all = d->left && d->right && d->midi;
    for (uint32_t i = 0; i < d->live->inputs && all; i++) {
        char name[16];
        snprintf(name, sizeof name, "in_%u", i + 1);
        d->inputs[i] =
            d->api.jack_port_register(d->client, name, JACK_DEFAULT_AUDIO_TYPE, JackPortIsInput, 0);
        all = d->inputs[i] != NULL;
    }
    return all ? HED_OK
               : hed_fail(error, HED_ERROR_IO,
                     "the JACK server has no more ports: raise its limit (jackd -p)");
}

static void jack_close(live_driver *d)
{
    if (d->client) d->api.jack_client_close(d->client);
    hed_delete(&d->live->allocator, d, 1, sizeof *d);
}

static hed_status jack_open(
    const hed_synth_live_def *def, hed_synth_live *live, live_driver **driver, hed_error *error)
{
    live_driver *d = *driver = hed_new(&live->allocator, 1, sizeof *d, NULL);
    if (!d) return HED_OUT_OF_MEMORY(error, "a JACK client");
    d->live = live;
    hed_status status = jack_load(&live->allocator, &d->api, error);
    if (status) return status;

    /* libjack writes its errors to stderr; the caller gets them as text */
    const jack_api *api = &d->api;
    jack_message_function *on_error = *api->jack_error_callback,
                          *on_info = *api->jack_info_callback;
    api->jack_set_error_function(jack_say_nothing);
    api->jack_set_info_function(jack_say_nothing);
    d->client = api->jack_client_open(def->name, JackNoStartServer, NULL);
    api->jack_set_error_function(on_error);
    api->jack_set_info_function(on_info);
    if (!d->client)
        return hed_fail(error, HED_ERROR_IO,
            "no JACK server answers: start one (\"jackd -d alsa\"), name it in "
            "JACK_DEFAULT_SERVER, or play through ALSA");
    live->rate = d->api.jack_get_sample_rate(d->client);
    live->block = d->api.jack_get_buffer_size(d->client);
    d->api.jack_set_process_callback(d->client, process, d);
    d->api.jack_set_xrun_callback(d->client, count_xrun, d);
    d->api.jack_set_latency_callback(d->client, tell_latency, d);
    d->api.jack_on_info_shutdown(d->client, end, d);
    return make_ports(d, error);
}

/* ---- connecting ---- */

/* Finds the ports that match a pattern; if there are none, an error lists the existing ports. */
static hed_status find_ports(const live_driver *d, const char *pattern, const char *type,
    unsigned long flags, const char ***ports, hed_error *error)
{
    *ports = d->api.jack_get_ports(d->client, pattern, type, flags);
    if (*ports && (*ports)[0]) return HED_OK;
    d->api.jack_free(*ports);
    *ports = NULL;
    if (!pattern) return HED_OK;

    char listing[512] = "none"; /* "system:playback_1, system:playback_2" */
    size_t used = 0;
    const char **names = d->api.jack_get_ports(d->client, NULL, type, flags);
    for (uint32_t i = 0; names && names[i] && used < sizeof listing; i++)
        used += (size_t)snprintf(listing + used, sizeof listing - used, "%s%s", i ? ", " : "", names[i]);
    d->api.jack_free(names);
    return hed_fail(error, HED_ERROR_IO, "no JACK port fits \"%s\"; there are: %s", pattern, listing);
}

static hed_status connect_outputs(const live_driver *d, const char *pattern, hed_error *error)
{
    const char **ports;
    hed_status status = find_ports(d, pattern, JACK_DEFAULT_AUDIO_TYPE,
        JackPortIsInput | (pattern ? 0u : JackPortIsPhysical), &ports, error);
    if (status || !ports) return status;
    /* a single port gets both channels */
    int left = d->api.jack_connect(d->client, d->api.jack_port_name(d->left), ports[0]);
    int right = d->api.jack_connect(
        d->client, d->api.jack_port_name(d->right), ports[1] ? ports[1] : ports[0]);
    if (left || right)
        status = hed_fail(error, HED_ERROR_IO, "JACK does not connect to %s", ports[0]);
    d->api.jack_free(ports);
    return status;
}

static hed_status jack_start(live_driver *d, const hed_synth_live_def *def, hed_error *error)
{
    if (d->api.jack_activate(d->client) != 0)
        return hed_fail(error, HED_ERROR_IO, "the JACK server does not start the client");
    const char **ports = NULL;
    if (connect_outputs(d, def->output, error) ||
        (def->midi_port &&
            find_ports(d, def->midi_port, JACK_DEFAULT_MIDI_TYPE, JackPortIsOutput, &ports, error)))
        return error->status;
    if (ports && d->api.jack_connect(d->client, ports[0], d->api.jack_port_name(d->midi)) != 0)
        hed_fail(error, HED_ERROR_IO, "JACK does not connect %s to Heddle", ports[0]);
    d->api.jack_free(ports);
    return error->status;
}

const live_driver_ops live_jack_ops = {jack_open, jack_start, jack_close};
