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
 *  The server listens on 127.0.0.1 only. A request needs the address with its token of 128 random
 *  bits, and must come from the server's own page. */
#ifndef HEDDLE_WEB_H
#define HEDDLE_WEB_H

#include "heddle/runner.h"

HED_BEGIN

typedef struct hed_web hed_web;

/** A file that a server gives out. */
typedef struct hed_web_file {
    const char *name;  /**< path below the server's address, without its first slash */
    const void *bytes; /**< (size) the caller's; they live as long as the server */
    size_t size;
} hed_web_file;

/** Definition of a server. Start from {0}. */
typedef struct hed_web_def {
    hed_context *context;
    uint16_t port;     /**< 0: any free port */
    const char *title; /**< title of the page; NULL: "Heddle" */
    uint32_t quantum;  /**< granularity of time stamps, ns, for tests; 0: the browser's */
    double patience;   /**< maximum absence of a page during a tuning, s; 0: 20 */
    /** called while waiting for a page; true ends the wait. NULL: never */
    bool (*idle)(void *user);
    /** Returns the state of a dashboard as JSON, which free() releases; NULL: not available. The
     *  server's thread calls it. With this function, the page is the dashboard, and nothing is
     *  tuned in it. */
    char *(*state)(void *user);
    /** Restarts the browser of the page; true: another page will connect. The tuning calls it if
     *  the page's device does not return, as after a shader that never ends. NULL: the tuning then
     *  ends with its results. */
    bool (*restart)(void *user);
    /** True if the browser of the page has ended by itself, as after a crash: the tuning then calls
     *  restart() and repeats its request. NULL: unknown. */
    bool (*has_ended)(void *user);
    /** Files of a page of the program's own (file_count), in place of the tuner's page. "index.html"
     *  is the page; it may run WebAssembly. */
    const hed_web_file *files;
    uint32_t file_count;
    /** Answers the own page's requests of /api/NAME: GET (`body` NULL) or POST with JSON of `size`
     *  bytes, at most 64 MiB. Sets `*json` to the answer, which free() releases. An error is the
     *  page's answer too. The server's thread calls it. */
    hed_status (*answer)(
        void *user, const char *name, const char *body, size_t size, char **json, hed_error *error);
    void *user;
    /** Answers POST /api/bytes/NAME of the own page with bytes, such as pictures' contents; NULL: no
     *  such requests. Arguments as those of answer(); sets `*bytes` (*count), which free() releases. */
    hed_status (*bytes)(void *user, const char *name, const char *body, size_t size, void **bytes,
        size_t *count, hed_error *error);
} hed_web_def;

/** Starts a server.
 *  Thread class: any. Errors: IO (no port), UNSUPPORTED (libmicrohttpd is missing: the text names
 *  its packages), MEMORY. */
HED_API hed_status hed_web_create(const hed_web_def *def, hed_web **web, hed_error *error);
/** Returns the address to open, with its token; lives as long as the server. Thread class: any. */
HED_API const char *hed_web_address(const hed_web *web);
/** Waits until a page has reported its device. The server owns the device and its description.
 *  Thread class: owner. Errors: TIMEOUT (no page in `seconds`, or ended by idle()), NO_DEVICE (the
 *  browser has no WebGPU or no adapter: with its message), MEMORY. */
HED_API hed_status hed_web_wait(
    hed_web *web, double seconds, hed_device **device, hed_error *error);
/** Opens a runner in the page, as hed_tune_def.open_runner. `web` is the server, which has a
 *  device.
 *  Thread class: owner. Errors: ARGUMENT, FORMAT (invalid WGSL), UNSUPPORTED (energy, cold caches),
 *  LIMIT, BUILD, MEMORY, DRIVER, LOST (the page was closed and none replaced it). */
HED_API hed_status hed_web_open_runner(
    void *web, const hed_runner_def *def, hed_runner **runner, hed_error *error);
/** Shows the progress of a tuning in the page, as hed_tune_def.progress. Thread class: owner. */
HED_API void hed_web_show(
    hed_web *web, const hed_kernel_def *kernel, const hed_tune_progress *progress);
/** Ends the server and its device, after a message to the page. NULL is allowed.
 *  Thread class: owner. */
HED_API void hed_web_destroy(hed_web *web);

/** Writes one HTML file that tunes by itself wherever it is opened, from a disk too, and produces a
 *  file for hed_exchange_import(): the page, the shader, its data and `configs` (count), the first
 *  of which is the reference. `key` has kernel, source, math, objective, problem, and compiler, in
 *  which the character U+0001 is replaced by the browser's name.
 *  Thread class: any. Errors: FORMAT (the text is no valid WGSL), IO, MEMORY. */
HED_API hed_status hed_web_save_page(const hed_runner_def *def, const hed_config *configs,
    uint32_t count, const hed_database_entry *key, const char *path, hed_error *error);

HED_END

#endif
