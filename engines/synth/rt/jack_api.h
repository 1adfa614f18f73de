/* The part of JACK that Heddle calls, declared from its documentation (JACK API 0.125,
 * jackaudio.org/api), so that building needs no header of it. Names are JACK's. The library
 * belongs to the server: JACK 1, JACK 2 and PipeWire each have their own. */
#ifndef SYNTH_JACK_API_H
#define SYNTH_JACK_API_H

#include "heddle/base.h"

typedef uint32_t jack_nframes_t;
typedef struct jack_client jack_client_t;
typedef struct jack_port jack_port_t;
typedef int jack_status_t;

enum { JackNoStartServer = 1 }; /* jack_options_t */
enum {
    JackPortIsInput = 1, /* flags of a port */
    JackPortIsOutput = 2,
    JackPortIsPhysical = 4
};
typedef enum { JackCaptureLatency, JackPlaybackLatency } jack_latency_callback_mode_t;
#define JACK_DEFAULT_AUDIO_TYPE "32 bit float mono audio"
#define JACK_DEFAULT_MIDI_TYPE "8 bit raw midi"

typedef struct jack_latency_range_t {
    jack_nframes_t min, max;
} jack_latency_range_t;

typedef struct jack_midi_event_t {
    jack_nframes_t time;
    size_t size;
    uint8_t *buffer;
} jack_midi_event_t;

typedef void jack_message_function(const char *text);

/* X(return type, name, parameters) */
#define JACK_FUNCTIONS(X) \
    X(jack_client_t *, jack_client_open, \
        (const char *name, int options, jack_status_t *status, ...)) \
    X(int, jack_client_close, (jack_client_t * client)) \
    X(int, jack_activate, (jack_client_t * client)) \
    X(jack_nframes_t, jack_get_sample_rate, (jack_client_t * client)) \
    X(jack_nframes_t, jack_get_buffer_size, (jack_client_t * client)) \
    X(int, jack_set_process_callback, \
        (jack_client_t * client, int (*process)(jack_nframes_t, void *), void *user)) \
    X(int, jack_set_xrun_callback, (jack_client_t * client, int (*xrun)(void *), void *user)) \
    X(int, jack_set_latency_callback, \
        (jack_client_t * client, void (*latency)(jack_latency_callback_mode_t, void *), \
            void *user)) \
    X(void, jack_on_info_shutdown, \
        (jack_client_t * client, void (*end)(jack_status_t, const char *, void *), void *user)) \
    X(void, jack_set_error_function, (jack_message_function * function)) \
    X(void, jack_set_info_function, (jack_message_function * function)) \
    X(jack_port_t *, jack_port_register, \
        (jack_client_t * client, const char *name, const char *type, unsigned long flags, \
            unsigned long size)) \
    X(void *, jack_port_get_buffer, (jack_port_t * port, jack_nframes_t frames)) \
    X(const char *, jack_port_name, (const jack_port_t *port)) \
    X(int, jack_port_connected, (const jack_port_t *port)) \
    X(void, jack_port_get_latency_range, \
        (jack_port_t * port, jack_latency_callback_mode_t mode, jack_latency_range_t * range)) \
    X(void, jack_port_set_latency_range, \
        (jack_port_t * port, jack_latency_callback_mode_t mode, jack_latency_range_t * range)) \
    X(const char **, jack_get_ports, \
        (jack_client_t * client, const char *pattern, const char *type, unsigned long flags)) \
    X(int, jack_connect, (jack_client_t * client, const char *from, const char *to)) \
    X(void, jack_free, (void *memory)) \
    X(uint32_t, jack_midi_get_event_count, (void *buffer)) \
    X(int, jack_midi_event_get, (jack_midi_event_t * event, void *buffer, uint32_t index))

typedef struct jack_api {
#define JACK_MEMBER(type, name, parameters) type(*name) parameters;
    JACK_FUNCTIONS(JACK_MEMBER)
#undef JACK_MEMBER
    jack_message_function **jack_error_callback, **jack_info_callback; /* variables */
} jack_api;

/* Loads JACK and fills in the table. Errors: UNSUPPORTED (not installed: the text names its
 * packages), MEMORY. */
hed_status jack_load(const hed_allocator *allocator, jack_api *api, hed_error *error);

#endif
