/* The part of ALSA's library that Heddle calls, declared from its documentation (alsa-lib 1.2,
 * alsa-project.org), so that building needs no header of it. Names are ALSA's. Macros and inline
 * functions of ALSA's headers are replaced by the functions that they call. */
#ifndef SYNTH_ASOUND_API_H
#define SYNTH_ASOUND_API_H

#include "heddle/base.h"

#include <poll.h>

/* ---- the card ---- */

typedef struct snd_pcm snd_pcm_t;
typedef struct snd_pcm_hw_params snd_pcm_hw_params_t;
typedef unsigned long snd_pcm_uframes_t;
typedef long snd_pcm_sframes_t;
typedef enum { SND_PCM_STREAM_PLAYBACK, SND_PCM_STREAM_CAPTURE } snd_pcm_stream_t;
typedef enum { SND_PCM_ACCESS_RW_INTERLEAVED = 3 } snd_pcm_access_t;
/* Formats in native byte order, which is little-endian on all machines that Heddle supports. */
typedef enum {
    SND_PCM_FORMAT_UNKNOWN = -1,
    SND_PCM_FORMAT_S16 = 2,
    SND_PCM_FORMAT_S32 = 10,
    SND_PCM_FORMAT_FLOAT = 14
} snd_pcm_format_t;

/* ---- the sequencer ---- */

typedef struct snd_seq snd_seq_t;
typedef struct snd_seq_client_info snd_seq_client_info_t;
typedef struct snd_seq_port_info snd_seq_port_info_t;
typedef struct snd_seq_queue_status snd_seq_queue_status_t;
typedef struct snd_midi_event snd_midi_event_t;

enum { SND_SEQ_OPEN_DUPLEX = 3, SND_SEQ_NONBLOCK = 1, SND_SEQ_CLIENT_SYSTEM = 0 };
enum {
    SND_SEQ_PORT_CAP_READ = 1 << 0,
    SND_SEQ_PORT_CAP_WRITE = 1 << 1,
    SND_SEQ_PORT_CAP_SUBS_READ = 1 << 5,
    SND_SEQ_PORT_CAP_SUBS_WRITE = 1 << 6
};
enum { SND_SEQ_PORT_TYPE_MIDI_GENERIC = 1 << 1, SND_SEQ_PORT_TYPE_APPLICATION = 1 << 20 };
enum { SND_SEQ_TIME_STAMP_REAL = 1 << 0 };
enum {
    SND_SEQ_EVENT_NOTEON = 6,
    SND_SEQ_EVENT_NOTEOFF = 7,
    SND_SEQ_EVENT_KEYPRESS = 8,
    SND_SEQ_EVENT_CONTROLLER = 10,
    SND_SEQ_EVENT_PGMCHANGE = 11,
    SND_SEQ_EVENT_CHANPRESS = 12,
    SND_SEQ_EVENT_PITCHBEND = 13,
    SND_SEQ_EVENT_NONREGPARAM = 15,
    SND_SEQ_EVENT_START = 30,
    SND_SEQ_EVENT_CLOCK = 36,
    SND_SEQ_EVENT_PORT_SUBSCRIBED = 66
};

typedef struct snd_seq_addr_t {
    uint8_t client, port;
} snd_seq_addr_t;

typedef struct snd_seq_real_time_t {
    unsigned tv_sec, tv_nsec;
} snd_seq_real_time_t;

typedef struct snd_seq_event_t {
    uint8_t type, flags, tag, queue;
    union {
        unsigned tick;
        snd_seq_real_time_t time;
    } time;
    snd_seq_addr_t source, dest;
    union {
        struct {
            uint8_t channel, note, velocity, off_velocity;
            unsigned duration;
        } note;
        struct {
            uint8_t channel, unused[3];
            unsigned param;
            int value;
        } control;
        unsigned raw32[3];
    } data;
} snd_seq_event_t;
_Static_assert(sizeof(snd_seq_event_t) == 28, "as ALSA has it");

/* ---- functions ---- */

typedef void asound_error_handler(
    const char *file, int line, const char *function, int code, const char *format, ...);

/* X(return type, name, parameters) */
#define ASOUND_FUNCTIONS(X) \
    X(const char *, snd_strerror, (int code)) \
    X(int, snd_lib_error_set_handler, (asound_error_handler * handler)) \
    X(int, snd_pcm_open, (snd_pcm_t * *pcm, const char *name, snd_pcm_stream_t stream, int mode)) \
    X(int, snd_pcm_close, (snd_pcm_t * pcm)) \
    X(int, snd_pcm_hw_params_malloc, (snd_pcm_hw_params_t * *params)) \
    X(void, snd_pcm_hw_params_free, (snd_pcm_hw_params_t * params)) \
    X(int, snd_pcm_hw_params_any, (snd_pcm_t * pcm, snd_pcm_hw_params_t * params)) \
    X(int, snd_pcm_hw_params_set_access, \
        (snd_pcm_t * pcm, snd_pcm_hw_params_t * params, snd_pcm_access_t access)) \
    X(int, snd_pcm_hw_params_set_format, \
        (snd_pcm_t * pcm, snd_pcm_hw_params_t * params, snd_pcm_format_t format)) \
    X(int, snd_pcm_hw_params_set_channels, \
        (snd_pcm_t * pcm, snd_pcm_hw_params_t * params, unsigned channels)) \
    X(int, snd_pcm_hw_params_set_channels_near, \
        (snd_pcm_t * pcm, snd_pcm_hw_params_t * params, unsigned *channels)) \
    X(int, snd_pcm_hw_params_set_rate, \
        (snd_pcm_t * pcm, snd_pcm_hw_params_t * params, unsigned rate, int direction)) \
    X(int, snd_pcm_hw_params_set_rate_near, \
        (snd_pcm_t * pcm, snd_pcm_hw_params_t * params, unsigned *rate, int *direction)) \
    X(int, snd_pcm_hw_params_set_period_size, \
        (snd_pcm_t * pcm, snd_pcm_hw_params_t * params, snd_pcm_uframes_t size, int direction)) \
    X(int, snd_pcm_hw_params_set_period_size_near, \
        (snd_pcm_t * pcm, snd_pcm_hw_params_t * params, snd_pcm_uframes_t * size, int *direction)) \
    X(int, snd_pcm_hw_params_set_periods_near, \
        (snd_pcm_t * pcm, snd_pcm_hw_params_t * params, unsigned *periods, int *direction)) \
    X(int, snd_pcm_hw_params, (snd_pcm_t * pcm, snd_pcm_hw_params_t * params)) \
    X(int, snd_pcm_format_physical_width, (snd_pcm_format_t format)) \
    X(int, snd_pcm_link, (snd_pcm_t * first, snd_pcm_t * second)) \
    X(int, snd_pcm_prepare, (snd_pcm_t * pcm)) \
    X(int, snd_pcm_drop, (snd_pcm_t * pcm)) \
    X(int, snd_pcm_drain, (snd_pcm_t * pcm)) \
    X(int, snd_pcm_recover, (snd_pcm_t * pcm, int code, int silent)) \
    X(snd_pcm_sframes_t, snd_pcm_writei, \
        (snd_pcm_t * pcm, const void *from, snd_pcm_uframes_t size)) \
    X(snd_pcm_sframes_t, snd_pcm_readi, (snd_pcm_t * pcm, void *to, snd_pcm_uframes_t size)) \
    X(int, snd_seq_open, (snd_seq_t * *seq, const char *name, int streams, int mode)) \
    X(int, snd_seq_close, (snd_seq_t * seq)) \
    X(int, snd_seq_set_client_name, (snd_seq_t * seq, const char *name)) \
    X(int, snd_seq_alloc_queue, (snd_seq_t * seq)) \
    X(int, snd_seq_control_queue, \
        (snd_seq_t * seq, int queue, int type, int value, snd_seq_event_t *event)) \
    X(int, snd_seq_drain_output, (snd_seq_t * seq)) \
    X(int, snd_seq_queue_status_malloc, (snd_seq_queue_status_t * *status)) \
    X(void, snd_seq_queue_status_free, (snd_seq_queue_status_t * status)) \
    X(int, snd_seq_get_queue_status, (snd_seq_t * seq, int queue, snd_seq_queue_status_t *status)) \
    X(const snd_seq_real_time_t *, snd_seq_queue_status_get_real_time, \
        (const snd_seq_queue_status_t *status)) \
    X(int, snd_seq_create_port, (snd_seq_t * seq, snd_seq_port_info_t * info)) \
    X(int, snd_seq_connect_from, (snd_seq_t * seq, int port, int client, int from)) \
    X(int, snd_seq_parse_address, (snd_seq_t * seq, snd_seq_addr_t * address, const char *text)) \
    X(int, snd_seq_query_next_client, (snd_seq_t * seq, snd_seq_client_info_t * info)) \
    X(int, snd_seq_query_next_port, (snd_seq_t * seq, snd_seq_port_info_t * info)) \
    X(int, snd_seq_poll_descriptors, \
        (snd_seq_t * seq, struct pollfd * descriptors, unsigned space, short what)) \
    X(int, snd_seq_event_input, (snd_seq_t * seq, snd_seq_event_t * *event)) \
    X(int, snd_seq_client_info_malloc, (snd_seq_client_info_t * *info)) \
    X(void, snd_seq_client_info_free, (snd_seq_client_info_t * info)) \
    X(int, snd_seq_client_info_get_client, (const snd_seq_client_info_t *info)) \
    X(void, snd_seq_client_info_set_client, (snd_seq_client_info_t * info, int client)) \
    X(const char *, snd_seq_client_info_get_name, (snd_seq_client_info_t * info)) \
    X(int, snd_seq_port_info_malloc, (snd_seq_port_info_t * *info)) \
    X(void, snd_seq_port_info_free, (snd_seq_port_info_t * info)) \
    X(const snd_seq_addr_t *, snd_seq_port_info_get_addr, (const snd_seq_port_info_t *info)) \
    X(unsigned, snd_seq_port_info_get_capability, (const snd_seq_port_info_t *info)) \
    X(const char *, snd_seq_port_info_get_name, (const snd_seq_port_info_t *info)) \
    X(int, snd_seq_port_info_get_port, (const snd_seq_port_info_t *info)) \
    X(void, snd_seq_port_info_set_client, (snd_seq_port_info_t * info, int client)) \
    X(void, snd_seq_port_info_set_port, (snd_seq_port_info_t * info, int port)) \
    X(void, snd_seq_port_info_set_name, (snd_seq_port_info_t * info, const char *name)) \
    X(void, snd_seq_port_info_set_capability, (snd_seq_port_info_t * info, unsigned capability)) \
    X(void, snd_seq_port_info_set_type, (snd_seq_port_info_t * info, unsigned type)) \
    X(void, snd_seq_port_info_set_midi_channels, (snd_seq_port_info_t * info, int channels)) \
    X(void, snd_seq_port_info_set_timestamping, (snd_seq_port_info_t * info, int enable)) \
    X(void, snd_seq_port_info_set_timestamp_real, (snd_seq_port_info_t * info, int real)) \
    X(void, snd_seq_port_info_set_timestamp_queue, (snd_seq_port_info_t * info, int queue)) \
    X(int, snd_midi_event_new, (size_t size, snd_midi_event_t * *decoder)) \
    X(void, snd_midi_event_free, (snd_midi_event_t * decoder)) \
    X(void, snd_midi_event_no_status, (snd_midi_event_t * decoder, int on)) \
    X(long, snd_midi_event_decode, \
        (snd_midi_event_t * decoder, unsigned char *bytes, long size, \
            const snd_seq_event_t *event))

typedef struct asound_api {
#define ASOUND_MEMBER(type, name, parameters) type(*name) parameters;
    ASOUND_FUNCTIONS(ASOUND_MEMBER)
#undef ASOUND_MEMBER
} asound_api;

/* Loads ALSA and fills in the table. Errors: UNSUPPORTED (not installed: the text names its
 * packages), MEMORY. */
hed_status asound_load(const hed_allocator *allocator, asound_api *api, hed_error *error);

#endif
