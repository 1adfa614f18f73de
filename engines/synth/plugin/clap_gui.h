/* The window of the CLAP plugin: its extension clap.gui, and the requests of the window's thread to
 * the host. */
#ifndef SYNTH_CLAP_GUI_H
#define SYNTH_CLAP_GUI_H

#include "clap_api.h"
#include "plugin_window.h"

#include <stdatomic.h>

/* State of the window; clap_api_plugin.data begins with it. */
typedef struct clap_gui {
    const clap_api_host *host;
    const clap_api_host_gui *host_gui;
    const clap_api_host_params *host_params;
    plugin_window_def def;
    plugin_window *window; /* NULL: closed */
    uint32_t width, height;
    _Atomic bool edited; /* an instrument was edited; taken by the main thread */
} clap_gui;

/* Prepares a gui of zeros; the host's extensions are known. Errors: MEMORY. Main thread, as
 * below. */
hed_status clap_gui_init(clap_gui *gui, const clap_api_host *host,
    const clap_api_host_params *host_params, hed_synth_player *player, hed_error *error);
void clap_gui_destroy(clap_gui *gui);
/* Returns the extension; NULL: this machine shows no window (plugin_window_can_open()). */
const clap_api_gui *clap_gui_extension(void);

#endif
