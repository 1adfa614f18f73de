/** @file web.h
 *  Tuning in a browser (libheddle-web): a server on the loopback address, a page that compiles,
 *  checks and times candidates, and the runner (runner.h) between the two.
 *
 *  @code
 *  hed_web_create(&(hed_web_def){.context = context}, &web, &error);
 *  // open hed_web_address(web) in a browser
 *  hed_web_wait(web, 60, &device, &error);
 *  def.open_runner = hed_web_open_runner;
 *  def.runner_user = web;
 *  hed_tune_kernel(device, kernel, &def, &result, &error);
 *  @endcode
 *
 *  Only 127.0.0.1 is listened on. A caller needs the address with its token of 128 random bits, and
 *  must come from the server's own page.
 */
#ifndef HEDDLE_WEB_H
#define HEDDLE_WEB_H

#include "heddle/runner.h"

HED_BEGIN

typedef struct hed_web hed_web;

/** How to serve. Start from {0}. */
typedef struct hed_web_def {
    hed_context *context;
    uint16_t port;     /**< 0: any that is free */
    const char *title; /**< of the page; NULL: "Heddle" */
    uint32_t quantum;  /**< nanoseconds that time stamps are masked to, for tests; 0: as they are */
    double patience;   /**< seconds that a page may be away in a tuning; 0: 20 */
    bool (*idle)(void *user); /**< asked while a page is waited for; true ends that. NULL: never */
    /** The state of a dashboard as JSON, in memory that free() releases; NULL: it is not to be had.
     *  Called in the server's thread. Where it is given, the page is the dashboard, and nothing is
     *  tuned in it. */
    char *(*state)(void *user);
    /** Ends the browser that has the page and starts it anew; true: another page is coming. Called
     *  from the tuning where the page's device does not come back, as after a shader that never ends.
     *  NULL: the tuning then ends with what it has. */
    bool (*restart)(void *user);
    void *user;
} hed_web_def;

/** Starts to serve. Thread class: any. Errors: IO (no port), UNSUPPORTED (libmicrohttpd is not
 *  here: the text names its packages), MEMORY. */
HED_API hed_status hed_web_create(const hed_web_def *def, hed_web **web, hed_error *error);
/** The address to open, with its token; lives as long as the server. Thread class: any. */
HED_API const char *hed_web_address(const hed_web *web);
/** Waits until a page has said what it runs on. The device belongs to the server, and so does the
 *  description. Thread class: owner. Errors: TIMEOUT (no page in `seconds`, or stopped by idle()),
 *  NO_DEVICE (the browser has no WebGPU or no adapter: its words), MEMORY. */
HED_API hed_status hed_web_wait(
    hed_web *web, double seconds, hed_device **device, hed_error *error);
/** As hed_tune_def.open_runner; `web` is the server, which has a device. Errors: also FORMAT (the
 *  text is no WGSL that is understood), UNSUPPORTED (energy, cold caches), LOST (the page is
 *  closed and none has come in its place). */
HED_API hed_status hed_web_open_runner(
    void *web, const hed_runner_def *def, hed_runner **runner, hed_error *error);
/** Shows in the page how a tuning stands; as hed_tune_def.progress would be called. Thread class:
 *  owner. */
HED_API void hed_web_show(
    hed_web *web, const hed_kernel_def *kernel, const hed_tune_progress *progress);
/** Tells the page that it is over, and ends; the device is gone with it. NULL is allowed. Thread
 *  class: owner. */
HED_API void hed_web_destroy(hed_web *web);

/** Writes one HTML file that tunes by itself wherever it is opened, from a disk too, and ends with a
 *  file for hed_exchange_import(): the page, the shader, its data and `configs` (count), of which the
 *  first is what others are compared with. `key` has kernel, source, math, objective, problem, and
 *  compiler, in which the character U+0001 stands for the browser's name. Thread class: any. Errors:
 *  FORMAT (the text is no WGSL that is understood), IO, MEMORY. */
HED_API hed_status hed_web_write_page(const hed_runner_def *def, const hed_config *configs,
    uint32_t count, const hed_database_entry *key, const char *path, hed_error *error);

HED_END

#endif
