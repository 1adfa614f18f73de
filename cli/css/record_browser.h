/* The recorded browser: its pages, and the messages and sheets that arrive from them. */
#ifndef HED_CLI_CSS_RECORD_BROWSER_H
#define HED_CLI_CSS_RECORD_BROWSER_H

#include "cli/common/browser.h"
#include "cli/common/devtools.h"
#include "cli/css/recording.h"

enum { RECORD_MOST_PAGES = 64 }; /* tabs and frames of other origins at once */

/* A tab, or a frame of another origin. */
typedef struct record_page {
    char session[64];
    char target[64];
    bool is_tab;
    bool parsed, loaded; /* these events have arrived since the last navigation */
    uint64_t attached;   /* hed_now() */
} record_page;

typedef struct record_browser {
    cli_browser_process process;
    cli_devtools *devtools;
    css_recording *recording;
    record_page pages[RECORD_MOST_PAGES];
    uint32_t page_count;
    char session[64]; /* tab that commands act on */
    char driver[64];  /* session of the page of --drive; "": no such page */
    char driver_target[64];
    uint64_t changed; /* hed_now() of the last message of a page */
    double patience;  /* limit of the wait for the first bytes of a page, s */
    json_t *steps;    /* steps of the driver's script that wait */
    hed_error *error; /* error of the command */
} record_browser;

/* Starts the browser with one empty tab. `patience`: see record_browser. The caller calls
 * record_browser_close() even after an error. */
hed_status record_browser_open(record_browser *browser, const char *name, bool headless,
    double patience, css_recording *recording, hed_error *error);
void record_browser_close(record_browser *browser);
/* Navigates the tab and waits until it is loaded and quiet. Errors: IO (the browser ended; the
 * address does not answer, with the browser's words), TIMEOUT. */
hed_status record_browser_go(record_browser *browser, const char *address, hed_error *error);
/* Waits until no change was recorded for `quiet` seconds, at most `most` seconds. */
hed_status record_browser_settle(
    record_browser *browser, double quiet, double most, hed_error *error);
/* Waits until all tabs are quiet, at the end of a recording. */
hed_status record_browser_end(record_browser *browser, hed_error *error);
/* Evaluates an expression in a session; `value` (nullable) receives its JSON value, which the
 * caller releases. Errors: FORMAT (the exception's text). */
hed_status record_browser_evaluate(record_browser *browser, const char *session, const char *text,
    json_t **value, hed_error *error);
/* Sends the whole trees of all pages, as they are now. */
void record_browser_flush(record_browser *browser);
/* Runs the script `text` of --drive (`file` names it). Errors: FORMAT (the script's error), IO,
 * TIMEOUT. */
hed_status record_drive(
    record_browser *browser, const char *file, const char *text, hed_error *error);

#endif
