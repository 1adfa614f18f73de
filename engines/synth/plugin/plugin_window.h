/* The window of a plugin: the page of `heddle synth view` in the system's web view, in a process of
 * its own (`heddle synth window`), so that no fault of it reaches the host. A thread of the plugin
 * exchanges messages with it; it loads edited instruments, and
 * sends the knobs. */
#ifndef SYNTH_PLUGIN_WINDOW_H
#define SYNTH_PLUGIN_WINDOW_H

#include "heddle/ring.h"
#include "heddle/synth_player.h"
#include "window_message.h"

typedef struct plugin_window plugin_window;

/* An action in the page, for the thread that plays. */
typedef struct plugin_window_event {
    uint32_t kind, knob; /* kind: WINDOW_KNOB, WINDOW_TOUCH or WINDOW_NOTE */
    float value;
    uint8_t bytes[3];
} plugin_window_event;

/* Functions are called by the window's thread. */
typedef struct plugin_window_def {
    hed_synth_player *player;
    hed_ring *events; /* queue of plugin_window_event; the window's thread writes */
    void *user;
    void (*acted)(void *user);  /* an event was put into the ring */
    void (*edited)(void *user); /* the page has loaded or edited an instrument */
    void (*closed)(void *user); /* the window's process has ended without plugin_window_close() */
    unsigned long parent;       /* X11 window that contains the window; 0: a window of its own */
} plugin_window_def;

/* True if this machine can show the window: the command `heddle` and a web view are installed, and
 * there is a display. The first call starts the command, and takes some 0.1 s. Thread: any. */
bool plugin_window_can_open(void);
/* Starts the window, hidden. Errors: UNSUPPORTED (no command), IO, MEMORY. Thread: the host's main
 * thread, as for all below. */
hed_status plugin_window_open(
    const plugin_window_def *def, plugin_window **window, hed_error *error);
/* Ends the window's process. NULL is allowed. */
void plugin_window_close(plugin_window *window);
/* These return false if the window has ended. */
bool plugin_window_show(plugin_window *window, bool is_shown);
bool plugin_window_resize(plugin_window *window, uint32_t width, uint32_t height);
bool plugin_window_name(plugin_window *window, const char *title);

#endif
