/* plugin_window_lv2 LIBRARY: the same as plugin_window_host.c for LV2: a host that runs the plugin in a thread and opens its user
 * interface in a window of X11. The host owns the control ports: what the interface writes goes to them. */
#include "lv2.h"
#include "plugin_window_parent.h"

#include <dlfcn.h>
#include <lv2/atom/atom.h>
#include <lv2/core/lv2.h>
#include <lv2/instance-access/instance-access.h>
#include <lv2/state/state.h>
#include <lv2/ui/ui.h>
#include <lv2/urid/urid.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK = 512, MOST_URIS = 64, MOST_STATE = 1 << 20 };

static struct {
    const LV2_Descriptor *descriptor;
    const LV2UI_Descriptor *ui_descriptor;
    LV2_Handle plugin;
    LV2UI_Handle ui;
    char uris[MOST_URIS][128];
    uint32_t uri_count;
    float ports[KNOBS + PLUGIN_PARAMETERS];
    _Atomic uint32_t writes, last;
    _Atomic bool ended, closed;
    _Atomic double peak;
    char state[MOST_STATE];
} here;

static LV2_URID map_uri(LV2_URID_Map_Handle handle, const char *uri)
{
    (void)handle;
    for (uint32_t i = 0; i < here.uri_count; i++)
        if (strcmp(here.uris[i], uri) == 0) return i + 1;
    snprintf(here.uris[here.uri_count], sizeof here.uris[0], "%s", uri);
    return ++here.uri_count;
}

static LV2_URID_Map map = {NULL, map_uri};

static void *play(void *user)
{
    static float left[BLOCK], right[BLOCK];
    static struct {
        LV2_Atom_Sequence sequence;
        char content[8192];
    } in, out;
    while (!here.ended) {
        in.sequence = (LV2_Atom_Sequence){
            {sizeof(LV2_Atom_Sequence_Body), map_uri(NULL, LV2_ATOM__Sequence)}, {0, 0}};
        out.sequence.atom = (LV2_Atom){sizeof out.content, 0};
        here.descriptor->connect_port(here.plugin, CONTROL, &in);
        here.descriptor->connect_port(here.plugin, NOTIFY, &out);
        here.descriptor->connect_port(here.plugin, LEFT, left);
        here.descriptor->connect_port(here.plugin, RIGHT, right);
        here.descriptor->run(here.plugin, BLOCK);
        double peak = here.peak;
        for (int n = 0; n < BLOCK; n++) peak = fmax(peak, (double)fabsf(left[n]));
        here.peak = peak;
        usleep(10000);
    }
    return user;
}

static void write_port(
    LV2UI_Controller host, uint32_t port, uint32_t size, uint32_t format, const void *content)
{
    (void)host;
    if (format || size != sizeof(float) || port >= KNOBS + PLUGIN_PARAMETERS) return;
    memcpy(&here.ports[port], content, sizeof(float));
    here.last = port - KNOBS;
    here.writes++;
}

static LV2_State_Status store(LV2_State_Handle handle, uint32_t key, const void *value, size_t size,
    uint32_t type, uint32_t flags)
{
    (void)handle, (void)type, (void)flags;
    if (strstr(here.uris[key - 1], "#state") && size < sizeof here.state)
        memcpy(here.state, value, size);
    return LV2_STATE_SUCCESS;
}

static bool open_ui(void)
{
    const LV2_Feature parent = {LV2_UI__parent, (void *)(uintptr_t)make_parent(1000, 680)},
                      access = {LV2_INSTANCE_ACCESS_URI, here.plugin},
                      idle = {LV2_UI__idleInterface, NULL};
    const LV2_Feature *features[] = {&parent, &access, &idle, NULL};
    LV2UI_Widget widget;
    here.ui = here.ui_descriptor->instantiate(
        here.ui_descriptor, PLUGIN_URI, "", write_port, NULL, &widget, features);
    return here.ui != NULL;
}

static void close_ui(void)
{
    if (here.ui) here.ui_descriptor->cleanup(here.ui);
    here.ui = NULL;
    here.closed = false;
}

static bool obey(const char *line)
{
    char word[32] = "", text[256] = "";
    float value = 0;
    sscanf(line, "%31s %255s %f", word, text, &value);
    if (strcmp(word, "quit") == 0) return false;
    if (strcmp(word, "open") == 0) printf("%d\n", open_ui());
    else if (strcmp(word, "close") == 0) {
        close_ui();
        puts("1");
    } else if (strcmp(word, "closed") == 0) printf("%d\n", here.closed);
    else if (strcmp(word, "set") == 0) {
        here.ports[KNOBS + atoi(text)] = value;
        puts("1");
    } else if (strcmp(word, "get") == 0) printf("%.6f\n", (double)here.ports[KNOBS + atoi(text)]);
    else if (strcmp(word, "told") == 0) printf("%u %u\n", here.writes, here.last);
    else if (strcmp(word, "peak") == 0) printf("%.6f\n", atomic_exchange(&here.peak, 0.0));
    else if (strcmp(word, "save") == 0) {
        const LV2_State_Interface *state = here.descriptor->extension_data(LV2_STATE__interface);
        const LV2_Feature *features[] = {NULL};
        state->save(here.plugin, store, NULL, 0, features);
        puts(here.state);
    } else puts("?");
    return true;
}

/* Calls the interface's idle() thirty times a second, as hosts do. */
static void idle_ui(void)
{
    const LV2UI_Idle_Interface *idle = here.ui_descriptor->extension_data(LV2_UI__idleInterface);
    if (here.ui && !here.closed && idle->idle(here.ui)) here.closed = true;
}

int main(int count, char **arguments)
{
    char line[512];
    pthread_t player;
    void *library = count == 2 ? dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!library) return 2;
    LV2_Descriptor_Function plugins = (LV2_Descriptor_Function)dlsym(library, "lv2_descriptor");
    LV2UI_DescriptorFunction uis = (LV2UI_DescriptorFunction)dlsym(library, "lv2ui_descriptor");
    here.descriptor = plugins(0);
    here.ui_descriptor = uis(0);
    const LV2_Feature map_feature = {LV2_URID__map, &map};
    const LV2_Feature *features[] = {&map_feature, NULL};
    here.plugin = here.descriptor->instantiate(here.descriptor, 48000, "", features);
    if (!here.plugin) return 3;
    for (uint32_t i = 0; i < PLUGIN_PARAMETERS; i++)
        here.descriptor->connect_port(here.plugin, KNOBS + i, &here.ports[KNOBS + i]);
    here.descriptor->activate(here.plugin);
    pthread_create(&player, NULL, play, NULL);
    for (struct pollfd in = {.fd = 0, .events = POLLIN};;) {
        idle_ui();
        if (poll(&in, 1, 33) <= 0) continue;
        if (!fgets(line, sizeof line, stdin) || !obey(line)) break;
        fflush(stdout);
    }
    close_ui();
    here.ended = true;
    pthread_join(player, NULL);
    here.descriptor->cleanup(here.plugin);
    puts("ended");
    return 0;
}
