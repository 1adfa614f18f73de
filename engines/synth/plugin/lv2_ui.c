/* The window of the LV2 plugin, a user interface for X11. Knobs are turned through the host's ports;
 * the instrument's text is exchanged with the player itself, which the host lends (instance-access). */
#include "lv2.h"
#include "plugin_window.h"

#include <lv2/core/lv2_util.h>
#include <lv2/instance-access/instance-access.h>
#include <lv2/ui/ui.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "heddle/author.h"

enum { EVENTS = 1024 };

typedef struct ui {
    lv2_shared *plugin;
    LV2UI_Write_Function write;
    LV2UI_Controller host;
    plugin_window *window;
    hed_ring *events;
    _Atomic bool edited, closed;
} ui;

static void ui_acted(void *user) { (void)user; /* ui_idle() looks */ }

static void ui_edited(void *user)
{
    ui *u = user;
    atomic_store(&u->plugin->changed, true);
    atomic_store(&u->edited, true);
}

static void ui_closed(void *user) { atomic_store(&((ui *)user)->closed, true); }

static void ui_cleanup(LV2UI_Handle handle)
{
    ui *u = handle;
    plugin_window_close(u->window);
    hed_ring_destroy(u->events);
    free(u);
}

static LV2UI_Handle ui_instantiate(const LV2UI_Descriptor *descriptor, const char *plugin,
    const char *bundle, LV2UI_Write_Function write, LV2UI_Controller controller,
    LV2UI_Widget *widget, const LV2_Feature *const *features)
{
    (void)descriptor, (void)bundle;
    void *parent = NULL, *instance = NULL;
    LV2UI_Resize *resize = NULL;
    *widget = NULL;
    if ((strcmp(plugin, PLUGIN_URI) != 0 && strcmp(plugin, PLUGIN_MANY_URI) != 0) ||
        lv2_features_query(features, LV2_UI__parent, &parent, true, LV2_INSTANCE_ACCESS_URI,
            &instance, true, LV2_UI__resize, &resize, false, NULL) ||
        !plugin_window_can_open())
        return NULL;
    ui *u = calloc(1, sizeof *u);
    if (!u) return NULL;
    u->plugin = instance;
    u->write = write;
    u->host = controller;
    hed_ring_create(NULL, sizeof(plugin_window_event), EVENTS, &u->events, NULL);
    const plugin_window_def def = {.player = u->plugin->player, .events = u->events, .user = u,
        .acted = ui_acted, .edited = ui_edited, .closed = ui_closed,
        .parent = (unsigned long)(uintptr_t)parent};
    if (!u->events || plugin_window_open(&def, &u->window, NULL)) {
        ui_cleanup(u);
        return NULL;
    }
    if (resize) resize->ui_resize(resize->handle, WINDOW_WIDTH, WINDOW_HEIGHT);
    plugin_window_show(u->window, true);
    *widget = parent; /* the window in it belongs to another process */
    return u;
}

static void ui_write_knob(const ui *u, uint32_t knob, float value)
{
    u->write(u->host, KNOBS + knob, sizeof value, 0, &value);
}

/* Passes on the user's actions; the host calls it many times a second. */
static int ui_idle(LV2UI_Handle handle)
{
    ui *u = handle;
    plugin_window_event event;
    while (hed_ring_pop(u->events, &event)) {
        if (event.kind == WINDOW_KNOB) ui_write_knob(u, event.knob, event.value);
        if (event.kind == WINDOW_NOTE) hed_ring_push(u->plugin->played, event.bytes);
    }
    /* another instrument has other values: the host's knobs follow */
    for (uint32_t i = 0, n = atomic_exchange(&u->edited, false) ? HED_SYNTH_KNOB_COUNT : 0; i < n;
         i++)
        ui_write_knob(u, i, hed_synth_player_knob(u->plugin->player, i));
    return atomic_load(&u->closed);
}

/* Does nothing: the window's thread follows the player's knobs. */
static void ui_port_event(
    LV2UI_Handle handle, uint32_t port, uint32_t size, uint32_t format, const void *content)
{
    (void)handle, (void)port, (void)size, (void)format, (void)content;
}

static const void *ui_extension_data(const char *uri)
{
    static const LV2UI_Idle_Interface idle = {ui_idle};
    return strcmp(uri, LV2_UI__idleInterface) == 0 ? &idle : NULL;
}

LV2_SYMBOL_EXPORT const LV2UI_Descriptor *lv2ui_descriptor(uint32_t index)
{
    static const LV2UI_Descriptor descriptor = {
        PLUGIN_URI "#ui", ui_instantiate, ui_cleanup, ui_port_event, ui_extension_data};
    return index == 0 ? &descriptor : NULL;
}
