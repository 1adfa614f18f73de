/* A window of GTK with a web view of WebKit's, loaded at run time. */
#ifndef CLI_SYNTH_VIEW_WINDOW_H
#define CLI_SYNTH_VIEW_WINDOW_H

#include "heddle/base.h"

/* Loads the libraries and opens the display. Errors: UNSUPPORTED (names the packages, or there is no
 * X11 display), MEMORY. Thread: the main one. */
hed_status view_window_load(hed_error *error);
/* Shows `address` in the X11 window `parent` (0: a window of its own), hidden at first, until the
 * user or view_window_end() closes it, or the web view has crashed for the fourth time. Thread: the
 * one of view_window_load(). */
void view_window_run(const char *address, unsigned long parent, uint32_t width, uint32_t height);

/* Requests to the running window, or to the one that will run. Thread: any. */
void view_window_show(bool is_shown);
void view_window_resize(uint32_t width, uint32_t height);
void view_window_name(const char *title);
void view_window_end(void);

#endif
