/* A live web page with a recorder of WebGPU in front of its scripts: in its frames and workers,
 * too. */
#ifndef HED_CLI_TUNE_PAGE_SESSION_H
#define HED_CLI_TUNE_PAGE_SESSION_H

#include "cli/common/browser.h"
#include "cli/common/devtools.h"

enum { PAGE_MOST_REALMS = 64, PAGE_MOST_SESSIONS = 32 };

/* Place where scripts run: a page, a frame or a worker. */
typedef struct page_realm {
    char session[64];
    int64_t context;
} page_realm;

typedef struct page_worker {
    char session[64];
    char breakpoint[64]; /* stops before its first script */
} page_worker;

typedef struct page_session {
    cli_browser_process process;
    cli_devtools *devtools;
    char session[64]; /* tab */
    char target[64];
    page_realm realms[PAGE_MOST_REALMS];
    uint32_t realm_count;
    page_worker workers[PAGE_MOST_SESSIONS];
    uint32_t worker_count;
    const char *name; /* argument of --browser */
    bool is_firefox;  /* the conversation is WebDriver BiDi (page_firefox.h) */
    char *recorder;   /* script in front of the page's own */
    char *folder;     /* absolute path of a folder that is shown under page_host; NULL: no folder */
    bool is_loaded;   /* the load event has arrived since the last navigation */
    char crash[128];  /* reason for the end of the tab; "": it runs */
} page_session;

/* Address of a folder's pages, which the browser never requests from a network. */
extern const char page_host[];

typedef struct page_def {
    const char *browser;
    bool headless;
    const char *folder; /* nullable */
    uint64_t memory;    /* limit of copies, bytes */
} page_def;

/* Starts the browser with one empty tab. The caller calls page_session_close() even after an error.
 * Errors: IO, TIMEOUT, FORMAT, MEMORY. */
hed_status page_session_open(page_session *page, const page_def *def, hed_error *error);
void page_session_close(page_session *page);
/* Navigates the tab, and waits until the page is loaded. Errors: IO (no answer), TIMEOUT. */
hed_status page_session_go(page_session *page, const char *address, hed_error *error);
/* Handles events for `seconds`. Errors: IO (the browser ended; the tab has crashed). */
hed_status page_session_wait(page_session *page, double seconds, hed_error *error);
/* Returns a member of an object; "" or 0: it is absent. */
const char *page_text_at(const json_t *object, const char *key);
double page_number_at(const json_t *object, const char *key);
/* Evaluates an expression in a realm; as cli_devtools_evaluate(). */
hed_status page_evaluate(page_session *page, const page_realm *realm, const char *text,
    json_t **value, hed_error *error);
/* The same in the page of the tab. */
hed_status page_evaluate_tab(
    page_session *page, const char *text, json_t **value, hed_error *error);
/* Evaluates the scripts that replay, compare and tune. */
hed_status page_add_tools(page_session *page, const page_realm *realm, hed_error *error);
/* Runs the long function `name` of the tools with JSON arguments (nullable, "1, {}"), and waits for
 * its value. `progress` (nullable) receives its state. Errors: FORMAT (an exception), IO, TIMEOUT
 * (Ctrl-C). */
hed_status page_run(page_session *page, const page_realm *realm, const char *name, const char *list,
    void (*progress)(void *user, const char *text), void *user, json_t **value, hed_error *error);

#endif
