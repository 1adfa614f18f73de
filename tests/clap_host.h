/* A CLAP host of our own for tests: events in and out, and what the plugin reports to it. */
#ifndef HED_TESTS_CLAP_HOST_H
#define HED_TESTS_CLAP_HOST_H

#include "clap_api.h"
#include "synth_player.h"

#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <unistd.h>

enum { BLOCK = 512, FRAMES = 12000, ROOM = 64 };

/* ---- the host ---- */

typedef union any_event {
    clap_api_event header;
    clap_api_note note;
    clap_api_expression expression;
    clap_api_value value;
    clap_api_midi midi;
    clap_api_transport transport;
} any_event;

static struct {
    void *library;
    const clap_api_entry *entry;
    const clap_api_factory *factory;
    _Atomic uint32_t callbacks;
    uint32_t rescans, port_rescans, dirty, loaded, errors, logged;
    char words[1024]; /* of the last complaint */
    any_event in[ROOM], out[ROOM];
    uint32_t in_count, out_count;
    const clap_api_transport *transport; /* of the next process() */
    int32_t status;                      /* of the last process() */
    uint64_t constant;                   /* and its constant channels */
} host;

static inline void nothing(const clap_api_host *h) { (void)h; }
static inline void count_callback(const clap_api_host *h)
{
    (void)h;
    host.callbacks++;
}
static inline void rescan(const clap_api_host *h, uint32_t flags)
{
    (void)h, (void)flags;
    host.rescans++;
}
static inline bool can_rescan_ports(const clap_api_host *h, uint32_t flag)
{
    (void)h;
    return flag == CLAP_API_RESCAN_PORT_NAMES;
}
static inline void rescan_ports(const clap_api_host *h, uint32_t flags)
{
    (void)h;
    host.port_rescans += flags == CLAP_API_RESCAN_PORT_NAMES;
}
static inline void clear(const clap_api_host *h, uint32_t id, uint32_t flags)
{
    (void)h, (void)id, (void)flags;
}
static inline void mark_dirty(const clap_api_host *h)
{
    (void)h;
    host.dirty++;
}
static inline void note_log(const clap_api_host *h, int32_t severity, const char *text)
{
    (void)h, (void)severity;
    host.logged++;
    snprintf(host.words, sizeof host.words, "%s", text);
}
static inline void preset_error(const clap_api_host *h, uint32_t kind, const char *location,
    const char *key, int32_t os_error, const char *text)
{
    (void)h, (void)kind, (void)location, (void)key, (void)os_error;
    host.errors++;
    snprintf(host.words, sizeof host.words, "%s", text);
}
static inline void preset_loaded(
    const clap_api_host *h, uint32_t kind, const char *location, const char *key)
{
    (void)h, (void)kind, (void)location, (void)key;
    host.loaded++;
}

static inline const void *host_extension(const clap_api_host *h, const char *id)
{
    (void)h;
    static const clap_api_host_params params = {rescan, clear, nothing};
    static const clap_api_host_state state = {mark_dirty};
    static const clap_api_host_log log = {note_log};
    static const clap_api_host_preset_load presets = {preset_error, preset_loaded};
    static const clap_api_host_audio_ports ports = {can_rescan_ports, rescan_ports};
    if (strcmp(id, CLAP_API_AUDIO_PORTS) == 0) return &ports;
    if (strcmp(id, CLAP_API_PARAMS) == 0) return &params;
    if (strcmp(id, CLAP_API_STATE) == 0) return &state;
    if (strcmp(id, CLAP_API_LOG) == 0) return &log;
    return strcmp(id, CLAP_API_PRESET_LOAD) == 0 ? &presets : NULL;
}

static const clap_api_host the_host = {
    CLAP_API_VERSION, NULL, "test", "", "", "1", host_extension, nothing, nothing, count_callback};

static inline uint32_t in_size(const clap_api_in_events *events)
{
    (void)events;
    return host.in_count;
}
static inline const clap_api_event *in_get(const clap_api_in_events *events, uint32_t index)
{
    (void)events;
    return &host.in[index].header;
}
static inline bool out_push(const clap_api_out_events *events, const clap_api_event *event)
{
    (void)events;
    if (host.out_count == ROOM) return false;
    memcpy(&host.out[host.out_count++], event, event->size);
    return true;
}
static const clap_api_in_events in_events = {NULL, in_size, in_get};
static const clap_api_out_events out_events = {NULL, out_push};

static inline void open_host(void)
{
#ifdef PLUGIN_FILE
    host.library = dlopen(PLUGIN_FILE, RTLD_NOW | RTLD_LOCAL);
    CHECK(host.library, "%s", dlerror());
    host.entry = dlsym(host.library, "clap_entry");
    CHECK(host.entry && host.entry->version.major == 1 && host.entry->init(PLUGIN_FILE));
    host.factory = host.entry->get_factory(CLAP_API_FACTORY);
    CHECK_NOT_NULL(host.factory);
    CHECK_EQ(host.factory->count(host.factory), 2);
#else
    test_skip("the plugin lies in the build folder");
#endif
}

static inline void close_host(void)
{
    host.entry->deinit();
    dlclose(host.library);
}

static inline const clap_api_plugin *open_plugin_of(const char *id, double rate)
{
    const clap_api_plugin *p = host.factory->create(host.factory, &the_host, id);
    CHECK(p && p->init(p), "%s", host.words);
    if (rate > 0) CHECK(p->activate(p, rate, 1, 4096) && p->start_processing(p));
    return p;
}

static inline const clap_api_plugin *open_plugin(double rate)
{
    return open_plugin_of(host.factory->descriptor(host.factory, 0)->id, rate);
}

static inline void close_plugin(const clap_api_plugin *p, bool active)
{
    if (active) p->stop_processing(p), p->deactivate(p);
    p->destroy(p);
}

static inline void play(const clap_api_plugin *p, uint32_t frames, float *left, float *right)
{
    float *channels[] = {left, right};
    clap_api_audio audio = {.data32 = channels, .channels = 2};
    clap_api_process block = {.frames = frames, .outputs = &audio, .output_count = 1,
        .in = &in_events, .out = &out_events, .transport = host.transport};
    host.out_count = 0;
    host.status = p->process(p, &block);
    host.constant = audio.constant;
    CHECK_NE(host.status, CLAP_API_ERROR);
    host.in_count = 0;
}

static inline void send_midi(uint32_t frame, uint8_t status, uint8_t first, uint8_t second)
{
    host.in[host.in_count++].midi = (clap_api_midi){
        {sizeof(clap_api_midi), frame, 0, CLAP_API_MIDI, 0}, 0, {status, first, second}};
}

static inline void send_note(
    uint32_t frame, uint16_t type, int32_t id, int16_t key, uint32_t velocity)
{
    host.in[host.in_count++].note = (clap_api_note){
        {sizeof(clap_api_note), frame, 0, type, 0}, id, 0, 0, key, velocity / 127.0};
}

static inline void send_value(uint32_t frame, uint32_t param, double value)
{
    host.in[host.in_count++].value = (clap_api_value){
        .header = {sizeof(clap_api_value), frame, 0, CLAP_API_PARAM_VALUE, 0}, .param = param,
        .note = -1, .port = -1, .channel = -1, .key = -1, .value = value};
}

static inline char *read_text(const char *path)
{
    FILE *file = fopen(path, "r");
    CHECK(file, "%s", path);
    char *text = calloc(1, 1 << 16);
    CHECK(fread(text, 1, (1 << 16) - 1, file) > 0);
    fclose(file);
    return text;
}

#endif
