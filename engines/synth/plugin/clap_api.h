/* The part of CLAP 1.2 that Heddle uses (CLever Audio Plug-in, github.com/free-audio/clap),
 * declared from its documentation, so that building needs no header of it. A test compares
 * sizes, offsets and numbers with the official headers where these are installed. */
#ifndef SYNTH_CLAP_API_H
#define SYNTH_CLAP_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct clap_api_version {
    uint32_t major, minor, revision;
} clap_api_version;
#define CLAP_API_VERSION {1, 2, 2}

typedef struct clap_api_host {
    clap_api_version version;
    void *data;
    const char *name, *vendor, *url, *its_version;
    const void *(*get_extension)(const struct clap_api_host *host, const char *id);
    void (*request_restart)(const struct clap_api_host *host);
    void (*request_process)(const struct clap_api_host *host);
    void (*request_callback)(const struct clap_api_host *host); /* any thread */
} clap_api_host;

typedef struct clap_api_descriptor {
    clap_api_version version;
    const char *id, *name, *vendor, *url, *manual_url, *support_url, *its_version, *description;
    const char *const *features; /* ends with NULL */
} clap_api_descriptor;

/* ---- events ---- */

enum {
    CLAP_API_NOTE_ON,
    CLAP_API_NOTE_OFF,
    CLAP_API_NOTE_CHOKE,
    CLAP_API_NOTE_END,
    CLAP_API_NOTE_EXPRESSION,
    CLAP_API_PARAM_VALUE,
    CLAP_API_PARAM_MOD,     /* a clap_api_value, whose value is an amount */
    CLAP_API_GESTURE_BEGIN, /* a clap_api_gesture */
    CLAP_API_GESTURE_END,
    CLAP_API_TRANSPORT,
    CLAP_API_MIDI,
    CLAP_API_MIDI_SYSEX
};
enum { CLAP_API_DONT_RECORD = 2 }; /* flag of an event */

typedef struct clap_api_event {
    uint32_t size, time; /* bytes including the payload; frame */
    uint16_t space, type;
    uint32_t flags;
} clap_api_event;

/* A value of -1 matches any note, here and below. */
typedef struct clap_api_note {
    clap_api_event header;
    int32_t note;
    int16_t port, channel, key;
    double velocity; /* 0 to 1 */
} clap_api_note;

enum {
    CLAP_API_VOLUME, /* 0 to 4 */
    CLAP_API_PAN,    /* 0 to 1 */
    CLAP_API_TUNING, /* semitones */
    CLAP_API_VIBRATO,
    CLAP_API_EXPRESSION,
    CLAP_API_BRIGHTNESS,
    CLAP_API_PRESSURE
};

typedef struct clap_api_expression {
    clap_api_event header;
    int32_t expression, note;
    int16_t port, channel, key;
    double value;
} clap_api_expression;

typedef struct clap_api_value {
    clap_api_event header;
    uint32_t param;
    void *cookie;
    int32_t note;
    int16_t port, channel, key;
    double value;
} clap_api_value;

typedef struct clap_api_gesture {
    clap_api_event header;
    uint32_t param;
} clap_api_gesture;

typedef struct clap_api_midi {
    clap_api_event header;
    uint16_t port;
    uint8_t bytes[3];
} clap_api_midi;
typedef struct clap_api_midi_sysex {
    clap_api_event header;
    uint16_t port;
    const uint8_t *bytes; /* (size) */
    uint32_t size;
} clap_api_midi_sysex;

enum { CLAP_API_HAS_TEMPO = 1 };
typedef struct clap_api_transport {
    clap_api_event header;
    uint32_t flags;
    int64_t beats, seconds;
    double tempo, tempo_step;
    int64_t loop_beats[2], loop_seconds[2], bar_start;
    int32_t bar;
    uint16_t numerator, denominator;
} clap_api_transport;

typedef struct clap_api_in_events {
    void *data;
    uint32_t (*size)(const struct clap_api_in_events *events);
    const clap_api_event *(*get)(const struct clap_api_in_events *events, uint32_t index);
} clap_api_in_events;

typedef struct clap_api_out_events {
    void *data;
    bool (*try_push)(const struct clap_api_out_events *events, const clap_api_event *event);
} clap_api_out_events;

/* ---- sound ---- */

typedef struct clap_api_audio {
    float **data32;
    double **data64;
    uint32_t channels, latency;
    uint64_t constant;
} clap_api_audio;

typedef struct clap_api_process {
    int64_t steady_time;
    uint32_t frames;
    const clap_api_transport *transport; /* NULL: free running */
    const clap_api_audio *inputs;
    clap_api_audio *outputs;
    uint32_t input_count, output_count;
    const clap_api_in_events *in;
    const clap_api_out_events *out;
} clap_api_process;
enum {
    CLAP_API_ERROR,
    CLAP_API_CONTINUE,
    CLAP_API_CONTINUE_IF_NOT_QUIET,
    CLAP_API_TAIL_STATUS,
    CLAP_API_SLEEP
};

typedef struct clap_api_plugin {
    const clap_api_descriptor *descriptor;
    void *data;
    bool (*init)(const struct clap_api_plugin *plugin);
    void (*destroy)(const struct clap_api_plugin *plugin);
    bool (*activate)(
        const struct clap_api_plugin *plugin, double rate, uint32_t least, uint32_t most);
    void (*deactivate)(const struct clap_api_plugin *plugin);
    bool (*start_processing)(const struct clap_api_plugin *plugin);
    void (*stop_processing)(const struct clap_api_plugin *plugin);
    void (*reset)(const struct clap_api_plugin *plugin);
    int32_t (*process)(const struct clap_api_plugin *plugin, const clap_api_process *process);
    const void *(*get_extension)(const struct clap_api_plugin *plugin, const char *id);
    void (*on_main_thread)(const struct clap_api_plugin *plugin);
} clap_api_plugin;

/* ---- the library's entry ---- */

typedef struct clap_api_factory {
    uint32_t (*count)(const struct clap_api_factory *factory);
    const clap_api_descriptor *(*descriptor)(
        const struct clap_api_factory *factory, uint32_t index);
    const clap_api_plugin *(*create)(
        const struct clap_api_factory *factory, const clap_api_host *host, const char *id);
} clap_api_factory;
#define CLAP_API_FACTORY "clap.plugin-factory"

typedef struct clap_api_entry {
    clap_api_version version;
    bool (*init)(const char *path);
    void (*deinit)(void);
    const void *(*get_factory)(const char *id);
} clap_api_entry;

/* ---- extensions of plugins ---- */

#define CLAP_API_AUDIO_PORTS "clap.audio-ports"
typedef struct clap_api_audio_port {
    uint32_t id;
    char name[256];
    uint32_t flags, channels;
    const char *type;
    uint32_t in_place;
} clap_api_audio_port;
enum { CLAP_API_MAIN_PORT = 1 };
typedef struct clap_api_audio_ports {
    uint32_t (*count)(const clap_api_plugin *plugin, bool input);
    bool (*get)(
        const clap_api_plugin *plugin, uint32_t index, bool input, clap_api_audio_port *info);
} clap_api_audio_ports;
enum { CLAP_API_RESCAN_PORT_NAMES = 1 };
typedef struct clap_api_host_audio_ports {
    bool (*can_rescan)(const clap_api_host *host, uint32_t flag);
    void (*rescan)(const clap_api_host *host, uint32_t flags);
} clap_api_host_audio_ports;

#define CLAP_API_NOTE_PORTS "clap.note-ports"
enum { CLAP_API_DIALECT_CLAP = 1, CLAP_API_DIALECT_MIDI = 2, CLAP_API_DIALECT_MPE = 4 };
typedef struct clap_api_note_port {
    uint32_t id, supported, preferred;
    char name[256];
} clap_api_note_port;
typedef struct clap_api_note_ports {
    uint32_t (*count)(const clap_api_plugin *plugin, bool input);
    bool (*get)(
        const clap_api_plugin *plugin, uint32_t index, bool input, clap_api_note_port *info);
} clap_api_note_ports;

#define CLAP_API_STATE "clap.state"
typedef struct clap_api_in_stream {
    void *data;
    int64_t (*read)(const struct clap_api_in_stream *stream, void *bytes, uint64_t size);
} clap_api_in_stream;
typedef struct clap_api_out_stream {
    void *data;
    int64_t (*write)(const struct clap_api_out_stream *stream, const void *bytes, uint64_t size);
} clap_api_out_stream;
typedef struct clap_api_state {
    bool (*save)(const clap_api_plugin *plugin, const clap_api_out_stream *stream);
    bool (*load)(const clap_api_plugin *plugin, const clap_api_in_stream *stream);
} clap_api_state;
typedef struct clap_api_host_state {
    void (*mark_dirty)(const clap_api_host *host);
} clap_api_host_state;

#define CLAP_API_LATENCY "clap.latency"
typedef struct clap_api_latency {
    uint32_t (*get)(const clap_api_plugin *plugin);
} clap_api_latency;
typedef struct clap_api_host_latency {
    void (*changed)(const clap_api_host *host); /* called only while the plugin is activated */
} clap_api_host_latency;

#define CLAP_API_PARAMS "clap.params"
enum {
    CLAP_API_STEPPED = 1,
    CLAP_API_AUTOMATABLE = 1 << 5,
    CLAP_API_MODULATABLE = 1 << 10,
    CLAP_API_MODULATABLE_PER_NOTE = 1 << 11,
    CLAP_API_MODULATABLE_PER_KEY = 1 << 12,
    CLAP_API_MODULATABLE_PER_CHANNEL = 1 << 13,
    CLAP_API_MODULATABLE_PER_PORT = 1 << 14,
    CLAP_API_ENUM = 1 << 16
};
typedef struct clap_api_param {
    uint32_t id, flags;
    void *cookie;
    char name[256], module[1024];
    double least, most, initial;
} clap_api_param;
typedef struct clap_api_params {
    uint32_t (*count)(const clap_api_plugin *plugin);
    bool (*get)(const clap_api_plugin *plugin, uint32_t index, clap_api_param *info);
    bool (*value)(const clap_api_plugin *plugin, uint32_t id, double *value);
    bool (*to_text)(
        const clap_api_plugin *plugin, uint32_t id, double value, char *text, uint32_t size);
    bool (*from_text)(const clap_api_plugin *plugin, uint32_t id, const char *text, double *value);
    void (*flush)(const clap_api_plugin *plugin, const clap_api_in_events *in,
        const clap_api_out_events *out);
} clap_api_params;
enum { CLAP_API_RESCAN_VALUES = 1, CLAP_API_RESCAN_TEXT = 2, CLAP_API_RESCAN_INFO = 4 };
typedef struct clap_api_host_params {
    void (*rescan)(const clap_api_host *host, uint32_t flags);
    void (*clear)(const clap_api_host *host, uint32_t id, uint32_t flags);
    void (*request_flush)(const clap_api_host *host);
} clap_api_host_params;

#define CLAP_API_GUI "clap.gui"
#define CLAP_API_X11 "x11"
typedef struct clap_api_window {
    const char *api;
    union {
        unsigned long x11;
        void *others;
    };
} clap_api_window;
typedef struct clap_api_resize_hints {
    bool horizontally, vertically, preserve_aspect;
    uint32_t aspect_width, aspect_height;
} clap_api_resize_hints;
typedef struct clap_api_gui {
    bool (*is_api_supported)(const clap_api_plugin *plugin, const char *api, bool is_floating);
    bool (*get_preferred_api)(const clap_api_plugin *plugin, const char **api, bool *is_floating);
    bool (*create)(const clap_api_plugin *plugin, const char *api, bool is_floating);
    void (*destroy)(const clap_api_plugin *plugin);
    bool (*set_scale)(const clap_api_plugin *plugin, double scale);
    bool (*get_size)(const clap_api_plugin *plugin, uint32_t *width, uint32_t *height);
    bool (*can_resize)(const clap_api_plugin *plugin);
    bool (*get_resize_hints)(const clap_api_plugin *plugin, clap_api_resize_hints *hints);
    bool (*adjust_size)(const clap_api_plugin *plugin, uint32_t *width, uint32_t *height);
    bool (*set_size)(const clap_api_plugin *plugin, uint32_t width, uint32_t height);
    bool (*set_parent)(const clap_api_plugin *plugin, const clap_api_window *window);
    bool (*set_transient)(const clap_api_plugin *plugin, const clap_api_window *window);
    void (*suggest_title)(const clap_api_plugin *plugin, const char *title);
    bool (*show)(const clap_api_plugin *plugin);
    bool (*hide)(const clap_api_plugin *plugin);
} clap_api_gui;
typedef struct clap_api_host_gui { /* any thread */
    void (*resize_hints_changed)(const clap_api_host *host);
    bool (*request_resize)(const clap_api_host *host, uint32_t width, uint32_t height);
    bool (*request_show)(const clap_api_host *host);
    bool (*request_hide)(const clap_api_host *host);
    void (*closed)(const clap_api_host *host, bool was_destroyed);
} clap_api_host_gui;

#define CLAP_API_VOICE_INFO "clap.voice-info"
enum { CLAP_API_OVERLAPPING_NOTES = 1 };
typedef struct clap_api_voices {
    uint32_t count, capacity;
    uint64_t flags;
} clap_api_voices;
typedef struct clap_api_voice_info {
    bool (*get)(const clap_api_plugin *plugin, clap_api_voices *voices);
} clap_api_voice_info;
typedef struct clap_api_host_voice_info {
    void (*changed)(const clap_api_host *host);
} clap_api_host_voice_info;

#define CLAP_API_TAIL "clap.tail"
typedef struct clap_api_tail {
    uint32_t (*get)(const clap_api_plugin *plugin); /* frames; from INT32_MAX on: for ever */
} clap_api_tail;
typedef struct clap_api_host_tail {
    void (*changed)(const clap_api_host *host); /* audio thread */
} clap_api_host_tail;

#define CLAP_API_NOTE_NAME "clap.note-name"
typedef struct clap_api_key_name {
    char name[256];
    int16_t port, key, channel;
} clap_api_key_name;
typedef struct clap_api_note_name {
    uint32_t (*count)(const clap_api_plugin *plugin);
    bool (*get)(const clap_api_plugin *plugin, uint32_t index, clap_api_key_name *name);
} clap_api_note_name;
typedef struct clap_api_host_note_name {
    void (*changed)(const clap_api_host *host);
} clap_api_host_note_name;

#define CLAP_API_LOG "clap.log"
enum { CLAP_API_LOG_WARNING = 2, CLAP_API_LOG_ERROR = 3 };
typedef struct clap_api_host_log {
    void (*log)(const clap_api_host *host, int32_t severity, const char *text);
} clap_api_host_log;

#define CLAP_API_PRESET_LOAD "clap.preset-load/2"
#define CLAP_API_PRESET_LOAD_DRAFT "clap.preset-load.draft/2" /* id for hosts before 1.2.3 */
typedef struct clap_api_preset_load {
    bool (*from_location)(
        const clap_api_plugin *plugin, uint32_t kind, const char *location, const char *key);
} clap_api_preset_load;
typedef struct clap_api_host_preset_load {
    void (*on_error)(const clap_api_host *host, uint32_t kind, const char *location,
        const char *key, int32_t os_error, const char *text);
    void (*loaded)(const clap_api_host *host, uint32_t kind, const char *location, const char *key);
} clap_api_host_preset_load;

/* ---- the factory of presets ---- */

#define CLAP_API_PRESETS "clap.preset-discovery-factory/2"
#define CLAP_API_PRESETS_DRAFT "clap.preset-discovery-factory/draft-2"
enum { CLAP_API_LOCATION_FILE, CLAP_API_LOCATION_PLUGIN };
enum { CLAP_API_FACTORY_CONTENT = 1, CLAP_API_USER_CONTENT = 2 };

typedef struct clap_api_plugin_id {
    const char *abi, *id;
} clap_api_plugin_id;

typedef struct clap_api_metadata {
    void *data;
    void (*on_error)(const struct clap_api_metadata *to, int32_t os_error, const char *text);
    bool (*begin_preset)(const struct clap_api_metadata *to, const char *name, const char *key);
    void (*add_plugin_id)(const struct clap_api_metadata *to, const clap_api_plugin_id *id);
    void (*set_soundpack_id)(const struct clap_api_metadata *to, const char *id);
    void (*set_flags)(const struct clap_api_metadata *to, uint32_t flags);
    void (*add_creator)(const struct clap_api_metadata *to, const char *creator);
    void (*set_description)(const struct clap_api_metadata *to, const char *description);
    void (*set_timestamps)(const struct clap_api_metadata *to, uint64_t creation, uint64_t change);
    void (*add_feature)(const struct clap_api_metadata *to, const char *feature);
    void (*add_extra_info)(const struct clap_api_metadata *to, const char *key, const char *value);
} clap_api_metadata;

typedef struct clap_api_file_type {
    const char *name, *description, *extension;
} clap_api_file_type;

typedef struct clap_api_location {
    uint32_t flags;
    const char *name;
    uint32_t kind;
    const char *location; /* NULL: the plugin itself */
} clap_api_location;

typedef struct clap_api_provider_descriptor {
    clap_api_version version;
    const char *id, *name, *vendor;
} clap_api_provider_descriptor;

typedef struct clap_api_provider {
    const clap_api_provider_descriptor *descriptor;
    void *data;
    bool (*init)(const struct clap_api_provider *provider);
    void (*destroy)(const struct clap_api_provider *provider);
    bool (*get_metadata)(const struct clap_api_provider *provider, uint32_t kind,
        const char *location, const clap_api_metadata *to);
    const void *(*get_extension)(const struct clap_api_provider *provider, const char *id);
} clap_api_provider;

typedef struct clap_api_indexer {
    clap_api_version version;
    const char *name, *vendor, *url, *its_version;
    void *data;
    bool (*declare_filetype)(
        const struct clap_api_indexer *indexer, const clap_api_file_type *type);
    bool (*declare_location)(
        const struct clap_api_indexer *indexer, const clap_api_location *location);
    bool (*declare_soundpack)(const struct clap_api_indexer *indexer, const void *pack);
    const void *(*get_extension)(const struct clap_api_indexer *indexer, const char *id);
} clap_api_indexer;

typedef struct clap_api_preset_factory {
    uint32_t (*count)(const struct clap_api_preset_factory *factory);
    const clap_api_provider_descriptor *(*descriptor)(
        const struct clap_api_preset_factory *factory, uint32_t index);
    const clap_api_provider *(*create)(const struct clap_api_preset_factory *factory,
        const clap_api_indexer *indexer, const char *id);
} clap_api_preset_factory;

#endif
