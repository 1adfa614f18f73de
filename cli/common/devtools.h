/* Conversation with a browser: Chromium's DevTools protocol over two pipes
 * (--remote-debugging-pipe), each message a JSON text that ends in a zero byte, so that nothing
 * listens on a port and no secret is on a command line; or WebDriver BiDi over a WebSocket, for
 * Firefox. See https://chromedevtools.github.io/devtools-protocol/ and
 * https://www.w3.org/TR/webdriver-bidi/. */
#ifndef HED_CLI_COMMON_DEVTOOLS_H
#define HED_CLI_COMMON_DEVTOOLS_H

#include "heddle/base.h"

#include <jansson.h>

typedef struct cli_devtools cli_devtools;

/* An event of the browser; `session` is "" for events of the browser itself. */
typedef void cli_devtools_event(
    void *user, const char *session, const char *method, const json_t *parameters);

/* Begins a conversation over the descriptors `to` and `from`, which it owns from now on. `event`
 * receives the events, only within cli_devtools_wait(), so that it may call the browser itself;
 * but Target.attachedToTarget within a call of a session, too, and Fetch.requestPaused and
 * Debugger.paused within any call, which may be answered only after they are handled; a handler of
 * the last two uses cli_devtools_send() alone.
 * Errors: MEMORY. */
hed_status cli_devtools_open(int to, int from, cli_devtools_event *event, void *user,
    cli_devtools **opened, hed_error *error);
/* Begins one over a WebSocket, whose events have no session. network.beforeRequestSent and
 * browsingContext.userPromptOpened may come within any call. Errors: MEMORY. */
hed_status cli_devtools_open_socket(
    int socket, cli_devtools_event *event, void *user, cli_devtools **opened, hed_error *error);
void cli_devtools_close(cli_devtools *devtools);

/* Calls a method and waits for its result, which the caller releases by json_decref(); `session` is
 * NULL for the browser itself, and `result` may be NULL. Takes ownership of `parameters`, which may
 * be NULL. Errors: IO (the browser ended), FORMAT (the browser's own words for a refused call),
 * TIMEOUT (no answer; Ctrl-C), MEMORY. */
hed_status cli_devtools_call(cli_devtools *devtools, const char *session, const char *method,
    json_t *parameters, json_t **result, hed_error *error);

/* Calls a method and drops its answer, for pages and workers that may never give one. Errors: IO,
 * MEMORY. */
hed_status cli_devtools_send(cli_devtools *devtools, const char *session, const char *method,
    json_t *parameters, hed_error *error);

/* Evaluates an expression in execution context `context` of a session (0: its page's own) and
 * awaits it; `value` (nullable) receives its JSON value, which the caller releases. Errors: FORMAT
 * (the exception's text), and as cli_devtools_call(). */
hed_status cli_devtools_evaluate(cli_devtools *devtools, const char *session, int64_t context,
    const char *text, json_t **value, hed_error *error);

/* Sets the time after which a call has failed, s; 0: two minutes. */
void cli_devtools_set_limit(cli_devtools *devtools, double seconds);

/* Hands on the events that arrive within `seconds`, at least all that have already arrived.
 * Errors: IO (the browser ended), MEMORY. */
hed_status cli_devtools_wait(cli_devtools *devtools, double seconds, hed_error *error);

#endif
