/* A browser that a command starts: in a private folder that it can read, with a profile of its own,
 * and ended with all its processes. */
#ifndef HED_CLI_COMMON_BROWSER_H
#define HED_CLI_COMMON_BROWSER_H

#include "cli/common/browser_place.h"

#include <sys/types.h>

typedef struct cli_browser_def {
    /* program; for "chromium" and "firefox" the name that is installed; NULL: xdg-open, for
     * which the user's own browser is */
    const char *name;
    bool headless;
    /* page to open. Every user of the machine can read a process's arguments, so the browser gets
     * the name of a file that only this user can read; the file redirects to the address. NULL: an
     * empty page */
    const char *address;
    bool devtools; /* makes pipes for the DevTools protocol; for Chromium and its kin alone */
    bool bidi;     /* opens a port for WebDriver BiDi, see cli_browser_port(); for Firefox alone */
} cli_browser_def;

typedef struct cli_browser_process {
    pid_t process;              /* 0: none */
    char folder[PATH_MAX];      /* "": none */
    char profile[PATH_MAX + 8]; /* "": the user's own browser, which is not ended */
    char page[PATH_MAX + 24];   /* file that redirects to the address */
    int to, from; /* pipes of the DevTools protocol, which their user closes; -1: absent */
} cli_browser_process;

/* Starts the program words[0] in a process group of its own, so that it ends with all its children
 * and Ctrl-C does not reach it. Its temporary files are in `folder` (nullable: the usual one). Its
 * output is discarded; `pipes` (2, nullable) become its descriptors 3 and 4. With
 * `ends_with_parent` the system kills it when the calling thread ends, even by kill -9. Returns its
 * process; 0: it cannot be started. */
pid_t cli_program_start(
    const char *const *words, const char *folder, const int *pipes, bool ends_with_parent);
/* True if a browser of this name gets its own profile and is ended by cli_browser_end(). */
bool cli_browser_is_known(const char *name);
/* Starts a browser. The caller calls cli_browser_end() even after an error. Errors: ARGUMENT (no
 * such browser without a window, or with pipes), IO (no such program; no folder). */
hed_status cli_browser_start(
    cli_browser_process *browser, const cli_browser_def *def, hed_error *error);
/* True if a name is one of Firefox. */
bool cli_browser_is_firefox(const char *name);
/* Returns the port that Firefox has opened for WebDriver BiDi; 0: none yet. */
uint16_t cli_browser_port(const cli_browser_process *browser);
/* True if a browser with a profile of its own has crashed; `by_any_exit`: or ended by itself. */
bool cli_browser_has_ended(const cli_browser_process *browser, bool by_any_exit);
/* Writes how a browser with a profile of its own ended, "exit 1" or "signal 11"; false: it still
 * runs a second later. */
bool cli_browser_describe_end(const cli_browser_process *browser, char *text, size_t size);
/* Ends a browser that was started with a profile of its own, and removes its folder. */
void cli_browser_end(cli_browser_process *browser);

#endif
