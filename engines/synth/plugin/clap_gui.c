/* clap.gui: the window as a child of the host's, or floating. */
#include "clap_gui.h"

#include <string.h>

#include "heddle/author.h"

enum { EVENTS = 1024, LEAST_WIDTH = 360, LEAST_HEIGHT = 300, MOST_SIDE = 8192 };

static clap_gui *gui_of(const clap_api_plugin *plugin) { return plugin->data; }

/* ---- requests of the window's thread ---- */

static void gui_acted(void *user)
{
    const clap_gui *gui = user;
    if (gui->host_params) gui->host_params->request_flush(gui->host);
    gui->host->request_process(gui->host); /* a note wakes a plugin that sleeps */
}

static void gui_edited(void *user)
{
    clap_gui *gui = user;
    atomic_store(&gui->edited, true);
    gui->host->request_callback(gui->host);
}

static void gui_closed(void *user)
{
    const clap_gui *gui = user;
    if (gui->host_gui) gui->host_gui->closed(gui->host, true);
}

/* ---- the extension: the main thread ---- */

static bool is_supported(const clap_api_plugin *plugin, const char *api, bool is_floating)
{
    (void)plugin;
    return (is_floating && (!api || !api[0])) || (api && strcmp(api, CLAP_API_X11) == 0);
}

static bool get_preferred(const clap_api_plugin *plugin, const char **api, bool *is_floating)
{
    (void)plugin;
    *api = CLAP_API_X11;
    *is_floating = false;
    return true;
}

static bool gui_open(clap_gui *gui, unsigned long parent)
{
    gui->def.parent = parent;
    return !gui->window && plugin_window_open(&gui->def, &gui->window, NULL) == HED_OK &&
           plugin_window_resize(gui->window, gui->width, gui->height);
}

/* An embedded window is opened by gui_set_parent(). */
static bool gui_create(const clap_api_plugin *plugin, const char *api, bool is_floating)
{
    clap_gui *gui = gui_of(plugin);
    if (!is_supported(plugin, api, is_floating)) return false;
    gui->width = WINDOW_WIDTH;
    gui->height = WINDOW_HEIGHT;
    return !is_floating || gui_open(gui, 0);
}

static void gui_destroy(const clap_api_plugin *plugin)
{
    clap_gui *gui = gui_of(plugin);
    plugin_window_close(gui->window);
    gui->window = NULL;
}

static bool gui_set_scale(const clap_api_plugin *plugin, double scale)
{
    (void)plugin, (void)scale;
    return false; /* GTK knows the display's */
}

static bool gui_get_size(const clap_api_plugin *plugin, uint32_t *width, uint32_t *height)
{
    const clap_gui *gui = gui_of(plugin);
    *width = gui->width;
    *height = gui->height;
    return true;
}

static bool gui_can_resize(const clap_api_plugin *plugin)
{
    (void)plugin;
    return true;
}

static bool gui_hints(const clap_api_plugin *plugin, clap_api_resize_hints *hints)
{
    (void)plugin;
    *hints = (clap_api_resize_hints){.horizontally = true, .vertically = true};
    return true;
}

static uint32_t gui_side(uint32_t side, uint32_t smallest)
{
    return side < smallest ? smallest : side > MOST_SIDE ? MOST_SIDE : side;
}

static bool gui_adjust(const clap_api_plugin *plugin, uint32_t *width, uint32_t *height)
{
    (void)plugin;
    *width = gui_side(*width, LEAST_WIDTH);
    *height = gui_side(*height, LEAST_HEIGHT);
    return true;
}

static bool gui_set_size(const clap_api_plugin *plugin, uint32_t width, uint32_t height)
{
    clap_gui *gui = gui_of(plugin);
    if (width != gui_side(width, LEAST_WIDTH) || height != gui_side(height, LEAST_HEIGHT))
        return false;
    gui->width = width;
    gui->height = height;
    return !gui->window || plugin_window_resize(gui->window, width, height);
}

static bool gui_set_parent(const clap_api_plugin *plugin, const clap_api_window *window)
{
    return strcmp(window->api, CLAP_API_X11) == 0 && window->x11 &&
           gui_open(gui_of(plugin), window->x11);
}

static bool gui_set_transient(const clap_api_plugin *plugin, const clap_api_window *window)
{
    (void)plugin, (void)window;
    return false;
}

static void gui_suggest_title(const clap_api_plugin *plugin, const char *title)
{
    clap_gui *gui = gui_of(plugin);
    if (gui->window && title) plugin_window_name(gui->window, title);
}

static bool gui_show(const clap_api_plugin *plugin)
{
    clap_gui *gui = gui_of(plugin);
    return gui->window && plugin_window_show(gui->window, true);
}

static bool gui_hide(const clap_api_plugin *plugin)
{
    clap_gui *gui = gui_of(plugin);
    return gui->window && plugin_window_show(gui->window, false);
}

const clap_api_gui *clap_gui_extension(void)
{
    static const clap_api_gui gui = {is_supported, get_preferred, gui_create, gui_destroy,
        gui_set_scale, gui_get_size, gui_can_resize, gui_hints, gui_adjust, gui_set_size,
        gui_set_parent, gui_set_transient, gui_suggest_title, gui_show, gui_hide};
    return plugin_window_can_open() ? &gui : NULL;
}

hed_status clap_gui_init(clap_gui *gui, const clap_api_host *host,
    const clap_api_host_params *host_params, hed_synth_player *player, hed_error *error)
{
    gui->host = host;
    gui->host_gui = host->get_extension(host, CLAP_API_GUI);
    gui->host_params = host_params;
    gui->def = (plugin_window_def){.player = player, .user = gui, .acted = gui_acted,
        .edited = gui_edited, .closed = gui_closed};
    return hed_ring_create(NULL, sizeof(plugin_window_event), EVENTS, &gui->def.events, error);
}

void clap_gui_destroy(clap_gui *gui)
{
    plugin_window_close(gui->window);
    hed_ring_destroy(gui->def.events);
}
