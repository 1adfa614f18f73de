/* See page_session.h. Methods: https://chromedevtools.github.io/devtools-protocol/tot/. */
#include "cli/tune/page_session.h"

#include "cli/common/command.h"
#include "cli/tune/page_firefox.h"
#include "cli/tune/page_folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern const hed_source
    hed_gpu_record_files[]; /* embedded: web/record, the recorder in two files first */

static const double START_SECONDS = 60, LOAD_SECONDS = 60;

/* A call whose failure does not matter: the target may have ended meanwhile. */
static void call_target(page_session *page, const char *session, const char *method,
    json_t *parameters, json_t **result)
{
    hed_error ignored = {0};
    cli_devtools_call(page->devtools, session, method, parameters, result, &ignored);
    hed_error_clear(&ignored);
}

static void send_target(
    page_session *page, const char *session, const char *method, json_t *parameters)
{
    hed_error ignored = {0};
    cli_devtools_send(page->devtools, session, method, parameters, &ignored);
    hed_error_clear(&ignored);
}

/* ---- targets: pages, frames of other origins, workers ---- */

/* A worker that waits for the debugger has no WebGPU yet, so it stops once more before its first script. */
static void prepare_worker(page_session *page, const char *session)
{
    json_t *result = NULL;
    if (page->worker_count == PAGE_MOST_SESSIONS) return;
    page_worker *worker = &page->workers[page->worker_count++];
    snprintf(worker->session, sizeof worker->session, "%s", session);
    call_target(page, session, "Debugger.enable", NULL, NULL);
    call_target(page, session, "Debugger.setInstrumentationBreakpoint",
        json_pack("{s:s}", "instrumentation", "beforeScriptExecution"), &result);
    snprintf(worker->breakpoint, sizeof worker->breakpoint, "%s", page_text_at(result, "breakpointId"));
    json_decref(result);
}

static void worker_stopped(page_session *page, const char *session)
{
    for (uint32_t i = 0; i < page->worker_count; i++) {
        page_worker *worker = &page->workers[i];
        if (strcmp(worker->session, session) != 0) continue;
        send_target(
            page, session, "Runtime.evaluate", json_pack("{s:s}", "expression", page->recorder));
        send_target(page, session, "Debugger.removeBreakpoint",
            json_pack("{s:s}", "breakpointId", worker->breakpoint));
        send_target(page, session, "Debugger.disable", NULL);
        *worker = page->workers[--page->worker_count];
        return;
    }
}

static void target_attached(page_session *page, const json_t *parameters)
{
    const json_t *target = json_object_get(parameters, "targetInfo");
    const char *session = page_text_at(parameters, "sessionId"), *type = page_text_at(target, "type");
    bool is_tab = strcmp(type, "page") == 0, is_document = is_tab || strcmp(type, "iframe") == 0;
    if (is_tab && !page->session[0]) {
        snprintf(page->session, sizeof page->session, "%s", session);
        snprintf(page->target, sizeof page->target, "%s", page_text_at(target, "targetId"));
    }
    if (is_document || strcmp(type, "worker") == 0) {
        call_target(page, session, "Target.setAutoAttach",
            json_pack("{s:b, s:b, s:b}", "autoAttach", 1, "waitForDebuggerOnStart", 1, "flatten", 1),
            NULL);
        call_target(page, session, "Runtime.enable", NULL, NULL);
    }
    if (is_document) {
        call_target(page, session, "Page.enable", NULL, NULL);
        call_target(page, session, "Page.addScriptToEvaluateOnNewDocument",
            json_pack("{s:s, s:b}", "source", page->recorder, "runImmediately", 1), NULL);
    } else if (strcmp(type, "worker") == 0) prepare_worker(page, session);
    send_target(page, session, "Runtime.runIfWaitingForDebugger", NULL);
}

/* ---- realms ---- */

static void realm_created(page_session *page, const char *session, const json_t *context)
{
    const json_t *details = json_object_get(context, "auxData");
    bool is_extra = details && json_is_false(json_object_get(details, "isDefault"));
    if (is_extra || page->realm_count == PAGE_MOST_REALMS) return;
    page_realm *realm = &page->realms[page->realm_count++];
    snprintf(realm->session, sizeof realm->session, "%s", session);
    realm->context = json_integer_value(json_object_get(context, "id"));
}

/* Removes realms of a session; `context` 0: all of them. */
static void realms_ended(page_session *page, const char *session, int64_t context)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < page->realm_count; i++) {
        const page_realm *realm = &page->realms[i];
        if (strcmp(realm->session, session) != 0 || (context && realm->context != context))
            page->realms[count++] = *realm;
    }
    page->realm_count = count;
}

static void page_event(
    void *user, const char *session, const char *method, const json_t *parameters)
{
    page_session *page = user;
    bool is_tab = strcmp(session, page->session) == 0;
    if (strcmp(method, "Target.attachedToTarget") == 0) target_attached(page, parameters);
    else if (strcmp(method, "Target.detachedFromTarget") == 0)
        realms_ended(page, page_text_at(parameters, "sessionId"), 0);
    else if (strcmp(method, "Runtime.executionContextCreated") == 0)
        realm_created(page, session, json_object_get(parameters, "context"));
    else if (strcmp(method, "Runtime.executionContextDestroyed") == 0)
        realms_ended(page, session,
            json_integer_value(json_object_get(parameters, "executionContextId")));
    else if (strcmp(method, "Runtime.executionContextsCleared") == 0) realms_ended(page, session, 0);
    else if (strcmp(method, "Debugger.paused") == 0) worker_stopped(page, session);
    else if (strcmp(method, "Fetch.requestPaused") == 0)
        page_folder_answer(page->devtools, session, page->folder, parameters);
    else if (strcmp(method, "Page.loadEventFired") == 0 && is_tab) page->is_loaded = true;
    else if (strcmp(method, "Page.javascriptDialogOpening") == 0)
        send_target(page, session, "Page.handleJavaScriptDialog", json_pack("{s:b}", "accept", 1));
    else if (strcmp(method, "Inspector.targetCrashed") == 0)
        snprintf(page->crash, sizeof page->crash, "the tab has crashed");
}

/* ---- the browser ---- */

static char *make_recorder(const page_def *def, hed_error *error)
{
    const char *text = hed_gpu_record_files[0].text, *live = hed_gpu_record_files[1].text;
    size_t room = strlen(text) + strlen(live) + 256;
    char *script = malloc(room);
    if (!script) {
        HED_OUT_OF_MEMORY(error, "the recorder");
        return NULL;
    }
    snprintf(script, room, "globalThis.__heddleConfig = {offscreen: %s, maxBytes: %llu};\n%s\n%s",
        def->headless ? "true" : "false", (unsigned long long)def->memory, text, live);
    return script;
}

hed_status page_session_open(page_session *page, const page_def *def, hed_error *error)
{
    bool is_firefox = cli_browser_is_firefox(def->browser);
    const cli_browser_def browser = {.name = def->browser,
        .headless = def->headless,
        .devtools = !is_firefox,
        .bidi = is_firefox};
    *page = (page_session){.name = def->browser, .is_firefox = is_firefox};
    page->recorder = make_recorder(def, error);
    if (!page->recorder) return error->status;
    page->folder = def->folder ? strdup(def->folder) : NULL;
    if (cli_browser_start(&page->process, &browser, error)) return error->status;
    if (page->is_firefox) return page_firefox_open(page, error);
    if (cli_devtools_open(
            page->process.to, page->process.from, page_event, page, &page->devtools, error))
        return error->status;
    cli_devtools_call(page->devtools, NULL, "Target.setAutoAttach",
        json_pack("{s:b, s:b, s:b}", "autoAttach", 1, "waitForDebuggerOnStart", 1, "flatten", 1),
        NULL, error);
    /* use the Fetch of the browser: that of a page misses the imports of its workers */
    if (page->folder && !hed_failed(error))
        cli_devtools_call(page->devtools, NULL, "Fetch.enable",
            json_pack("{s:[{s:s+}]}", "patterns", "urlPattern", page_host, "*"), NULL, error);
    uint64_t end = hed_now() + (uint64_t)(START_SECONDS * 1e9);
    while (!page->session[0] && !hed_failed(error) && hed_now() < end && !hed_interrupted())
        cli_devtools_wait(page->devtools, 0.1, error);
    if (!page->session[0] && !hed_failed(error))
        hed_fail(error, HED_ERROR_TIMEOUT, "browser: %s opened no tab within %g s", def->browser,
            START_SECONDS);
    return error->status;
}

void page_session_close(page_session *page)
{
    hed_error ignored = {0};
    if (page->devtools && page->is_firefox) page_firefox_close(page);
    else if (page->devtools) cli_devtools_send(page->devtools, NULL, "Browser.close", NULL, &ignored);
    hed_error_clear(&ignored);
    cli_devtools_close(page->devtools);
    cli_browser_end(&page->process);
    free(page->recorder);
    free(page->folder);
}

hed_status page_session_wait(page_session *page, double seconds, hed_error *error)
{
    if (cli_devtools_wait(page->devtools, seconds, error)) return error->status;
    if (page->crash[0]) return hed_fail(error, HED_ERROR_IO, "browser: %s", page->crash);
    return HED_OK;
}

hed_status page_session_go(page_session *page, const char *address, hed_error *error)
{
    static const char failure[] = "location.protocol === 'chrome-error:' && document.documentElement.id === '' "
                                  "? document.querySelector('.error-code')?.textContent || 'no answer' : ''";
    json_t *value = NULL;
    if (page->is_firefox) return page_firefox_go(page, address, error);
    page->is_loaded = false;
    /* no call: the browser answers after the first bytes, which may come from page_folder_answer() */
    send_target(page, page->session, "Page.navigate", json_pack("{s:s}", "url", address));
    uint64_t end = hed_now() + (uint64_t)(LOAD_SECONDS * 1e9);
    while (!page->is_loaded && !hed_interrupted() && hed_now() < end)
        if (page_session_wait(page, 0.1, error)) return error->status;
    if (hed_interrupted()) return HED_OK;
    if (cli_devtools_evaluate(page->devtools, page->session, 0, failure, &value, error))
        return error->status;
    const char *reason = json_string_value(value);
    if (reason && *reason)
        hed_fail(error, HED_ERROR_IO,
            "%s: the browser cannot open it (%s); expected a page. Start its server, or name its folder", address, reason);
    json_decref(value);
    return error->status;
}

/* ---- scripts ---- */

const char *page_text_at(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

double page_number_at(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

hed_status page_evaluate(
    page_session *page, const page_realm *realm, const char *text, json_t **value, hed_error *error)
{
    return page->is_firefox ? page_firefox_evaluate(page, realm, text, value, error)
                            : cli_devtools_evaluate(page->devtools, realm->session, realm->context,
                                  text, value, error);
}

hed_status page_evaluate_tab(page_session *page, const char *text, json_t **value, hed_error *error)
{
    return page->is_firefox
               ? page_firefox_evaluate(page, NULL, text, value, error)
               : cli_devtools_evaluate(page->devtools, page->session, 0, text, value, error);
}

hed_status page_add_tools(page_session *page, const page_realm *realm, hed_error *error)
{
    for (const hed_source *file = hed_gpu_record_files + 2; file->text; file++)
        if (page_evaluate(page, realm, file->text, NULL, error)) break;
    return error->status;
}

static hed_status start_job(page_session *page, const page_realm *realm, const char *name,
    const char *list, hed_error *error)
{
    size_t room = strlen(name) + (list ? strlen(list) : 0) + 64;
    char *text = malloc(room);
    if (!text) return HED_OUT_OF_MEMORY(error, "a call of the page");
    snprintf(text, room, "__heddle.start('%s'%s%s)", name, list ? ", " : "", list ? list : "");
    page_evaluate(page, realm, text, NULL, error);
    free(text);
    return error->status;
}

hed_status page_run(page_session *page, const page_realm *realm, const char *name, const char *list,
    void (*progress)(void *user, const char *text), void *user, json_t **value, hed_error *error)
{
    *value = NULL;
    if (start_job(page, realm, name, list, error)) return error->status;
    for (bool done = false; !done && !hed_failed(error);) {
        json_t *job = NULL;
        if (hed_interrupted()) return hed_fail(error, HED_ERROR_TIMEOUT, "interrupted");
        if (page_session_wait(page, 0.05, error) ||
            page_evaluate(page, realm, "__heddle.poll()", &job, error))
            break;
        const char *failure = page_text_at(job, "error");
        done = json_is_true(json_object_get(job, "done"));
        if (*failure) hed_fail(error, HED_ERROR_FORMAT, "%s", failure);
        else if (done) *value = json_incref(json_object_get(job, "value"));
        else if (progress) progress(user, page_text_at(job, "progress"));
        json_decref(job);
    }
    return error->status;
}
