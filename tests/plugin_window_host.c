/* plugin_window_host PLUGIN: a CLAP host without a screen of its own, for tests of the plugin's window. It plays all the time, in a
 * thread; commands come as lines on the standard input, and each is answered by one line. */
#include "clap_api.h"
#include "plugin_window_parent.h"

#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK = 512, MOST_STATE = 1 << 20 };

static struct {
    const clap_api_plugin *plugin;
    _Atomic bool callback, closed, ended;
    _Atomic int dirty, rescans, gestures, moves, last_param;
    _Atomic double last_value, peak;
    _Atomic int set_param; /* -1: none */
    _Atomic double set_value;
    _Atomic int note; /* key to strike; -1: none */
    char state[MOST_STATE];
    size_t size, at;
} here = {.set_param = -1, .note = -1};

/* ---- the host's side ---- */

static void nothing(const clap_api_host *host) { (void)host; }
static void request_callback(const clap_api_host *host)
{
    (void)host;
    here.callback = true;
}
static void rescan(const clap_api_host *host, uint32_t flags)
{
    (void)host, (void)flags;
    here.rescans++;
}
static void clear(const clap_api_host *host, uint32_t id, uint32_t flags)
{
    (void)host, (void)id, (void)flags;
}
static void mark_dirty(const clap_api_host *host)
{
    (void)host;
    here.dirty++;
}
static void gui_closed(const clap_api_host *host, bool was_destroyed)
{
    (void)host;
    here.closed = was_destroyed;
}
static bool refuse_size(const clap_api_host *host, uint32_t width, uint32_t height)
{
    (void)host, (void)width, (void)height;
    return false;
}
static bool refuse(const clap_api_host *host)
{
    (void)host;
    return false;
}

static const void *get_extension(const clap_api_host *host, const char *id)
{
    (void)host;
    static const clap_api_host_params params = {rescan, clear, nothing};
    static const clap_api_host_state state = {mark_dirty};
    static const clap_api_host_gui gui = {nothing, refuse_size, refuse, refuse, gui_closed};
    if (strcmp(id, CLAP_API_PARAMS) == 0) return &params;
    if (strcmp(id, CLAP_API_STATE) == 0) return &state;
    return strcmp(id, CLAP_API_GUI) == 0 ? &gui : NULL;
}

static const clap_api_host the_host = {CLAP_API_VERSION, NULL, "window test", "", "", "1",
    get_extension, nothing, nothing, request_callback};

/* ---- the thread that plays ---- */

static union {
    clap_api_event header;
    clap_api_value value;
    clap_api_note note;
} in[2];
static uint32_t in_count;

static uint32_t in_size(const clap_api_in_events *events)
{
    (void)events;
    return in_count;
}
static const clap_api_event *in_get(const clap_api_in_events *events, uint32_t index)
{
    (void)events;
    return &in[index].header;
}
static bool out_push(const clap_api_out_events *events, const clap_api_event *event)
{
    (void)events;
    const clap_api_value *value = (const void *)event;
    if (event->type == CLAP_API_GESTURE_BEGIN || event->type == CLAP_API_GESTURE_END)
        here.gestures++;
    if (event->type != CLAP_API_PARAM_VALUE) return true;
    here.moves++;
    here.last_param = (int)value->param;
    here.last_value = value->value;
    return true;
}

static void *play(void *user)
{
    static float left[BLOCK], right[BLOCK];
    float *channels[] = {left, right};
    const clap_api_in_events events = {NULL, in_size, in_get};
    const clap_api_out_events out = {NULL, out_push};
    while (!here.ended) {
        int param = atomic_exchange(&here.set_param, -1), note = atomic_exchange(&here.note, -1);
        in_count = 0;
        if (param >= 0)
            in[in_count++].value = (clap_api_value){
                .header = {sizeof(clap_api_value), 0, 0, CLAP_API_PARAM_VALUE, 0},
                .param = (uint32_t)param, .note = -1, .port = -1, .channel = -1, .key = -1,
                .value = here.set_value};
        if (note >= 0)
            in[in_count++].note = (clap_api_note){
                {sizeof(clap_api_note), 0, 0, CLAP_API_NOTE_ON, 0}, 1, 0, 0, (int16_t)note, 0.8};
        clap_api_audio audio = {.data32 = channels, .channels = 2};
        clap_api_process block = {
            .frames = BLOCK, .outputs = &audio, .output_count = 1, .in = &events, .out = &out};
        here.plugin->process(here.plugin, &block);
        double peak = here.peak;
        for (int n = 0; n < BLOCK; n++) peak = fmax(peak, (double)fabsf(left[n]));
        here.peak = peak;
        usleep(10000);
    }
    return user;
}

/* ---- commands ---- */

static int64_t write_state(const clap_api_out_stream *stream, const void *bytes, uint64_t size)
{
    (void)stream;
    if (here.size + size > sizeof here.state) return -1;
    memcpy(here.state + here.size, bytes, size);
    here.size += size;
    return (int64_t)size;
}
static int64_t read_state(const clap_api_in_stream *stream, void *bytes, uint64_t size)
{
    (void)stream;
    if (size > here.size - here.at) size = here.size - here.at;
    memcpy(bytes, here.state + here.at, size);
    here.at += size;
    return (int64_t)size;
}

static bool open_gui(const clap_api_gui *gui, const char *kind)
{
    const clap_api_plugin *p = here.plugin;
    bool is_floating = strcmp(kind, "float") == 0;
    uint32_t width, height;
    if (!gui || !gui->is_api_supported(p, CLAP_API_X11, is_floating) ||
        !gui->create(p, CLAP_API_X11, is_floating) || !gui->get_size(p, &width, &height))
        return false;
    if (is_floating) gui->suggest_title(p, "Heddle in a test");
    else {
        const clap_api_window parent = {.api = CLAP_API_X11, .x11 = make_parent(width, height)};
        if (!parent.x11) fputs("no window of the host's own\n", stderr);
        if (!gui->set_parent(p, &parent)) return false;
    }
    return gui->show(p);
}

/* Prints the answer to a line; false: the end. */
static bool obey(const char *line)
{
    const clap_api_plugin *p = here.plugin;
    const clap_api_gui *gui = p->get_extension(p, CLAP_API_GUI);
    const clap_api_params *params = p->get_extension(p, CLAP_API_PARAMS);
    const clap_api_state *state = p->get_extension(p, CLAP_API_STATE);
    const clap_api_preset_load *presets = p->get_extension(p, CLAP_API_PRESET_LOAD);
    char word[32] = "", text[256] = "";
    double value = 0;
    sscanf(line, "%31s %255s %lf", word, text, &value);
    if (strcmp(word, "quit") == 0) return false;
    if (strcmp(word, "gui") == 0) printf("%d\n", gui != NULL);
    else if (strcmp(word, "open") == 0) printf("%d\n", open_gui(gui, text));
    else if (strcmp(word, "close") == 0) {
        gui->hide(p);
        gui->destroy(p);
        here.closed = false;
        puts("1");
    } else if (strcmp(word, "size") == 0)
        printf("%d\n", gui->set_size(p, (uint32_t)atoi(text), (uint32_t)value));
    else if (strcmp(word, "closed") == 0) printf("%d\n", here.closed);
    else if (strcmp(word, "set") == 0) {
        here.set_value = value;
        here.set_param = atoi(text);
        puts("1");
    } else if (strcmp(word, "get") == 0) {
        params->value(p, (uint32_t)atoi(text), &value);
        printf("%.6f\n", value);
    } else if (strcmp(word, "told") == 0)
        printf("%d %d %d %.6f %d %d\n", here.moves, here.gestures, here.last_param, here.last_value,
            here.dirty, here.rescans);
    else if (strcmp(word, "preset") == 0)
        printf("%d\n", presets->from_location(p, CLAP_API_LOCATION_PLUGIN, NULL, text));
    else if (strcmp(word, "note") == 0) {
        here.note = atoi(text);
        puts("1");
    } else if (strcmp(word, "peak") == 0) printf("%.6f\n", atomic_exchange(&here.peak, 0.0));
    else if (strcmp(word, "save") == 0) {
        here.size = 0;
        const clap_api_out_stream out = {NULL, write_state};
        bool saved = state->save(p, &out);
        printf("%d %.*s\n", saved, (int)here.size, here.state); /* JSON on one line */
    } else if (strcmp(word, "load") == 0) {
        here.at = 0;
        const clap_api_in_stream from = {NULL, read_state};
        printf("%d\n", state->load(p, &from));
    } else puts("?");
    return true;
}

int main(int count, char **arguments)
{
    char line[512];
    pthread_t player;
    void *library = count == 2 ? dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    const clap_api_entry *entry = library ? dlsym(library, "clap_entry") : NULL;
    if (!entry || !entry->init(arguments[1])) return 2;
    const clap_api_factory *factory = entry->get_factory(CLAP_API_FACTORY);
    here.plugin = factory->create(factory, &the_host, factory->descriptor(factory, 0)->id);
    const clap_api_plugin *p = here.plugin;
    if (!p || !p->init(p) || !p->activate(p, 48000, 1, BLOCK) || !p->start_processing(p)) return 3;
    pthread_create(&player, NULL, play, NULL);
    while (fgets(line, sizeof line, stdin)) {
        if (atomic_exchange(&here.callback, false)) p->on_main_thread(p);
        if (!obey(line)) break;
        fflush(stdout);
    }
    here.ended = true;
    pthread_join(player, NULL);
    p->stop_processing(p);
    p->deactivate(p);
    p->destroy(p);
    entry->deinit();
    puts("ended");
    return 0;
}
