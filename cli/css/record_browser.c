/* See record_browser.h. Methods: https://chromedevtools.github.io/devtools-protocol/tot/. */
#include "cli/css/record_browser.h"

#include "cli/common/command.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern const hed_source hed_record_files[]; /* embedded: record_page.js, record_drive.js */

/* Longest times of loading, of changes after it, and of a page that does not answer, s; and the times
 * without a change after which a page is complete, and one whose pictures are not. */
static const double LOAD_SECONDS = 60, CHANGE_SECONDS = 10, BUSY_SECONDS = 10, QUIET_SECONDS = 0.5,
                    STALL_SECONDS = 5;

static const char *text_at(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static record_page *page_of_session(record_browser *b, const char *session)
{
    for (uint32_t i = 0; i < b->page_count; i++)
        if (strcmp(b->pages[i].session, session) == 0) return &b->pages[i];
    return NULL;
}

/* A call of which a failure does not matter: the page may have ended meanwhile. */
static void call_page(
    record_browser *b, const char *session, const char *method, json_t *parameters)
{
    hed_error ignored = {0};
    cli_devtools_call(b->devtools, session, method, parameters, NULL, &ignored);
    hed_error_clear(&ignored);
}

/* A call without an answer, which a service worker never gives. */
static void send_page(
    record_browser *b, const char *session, const char *method, json_t *parameters)
{
    hed_error ignored = {0};
    cli_devtools_send(b->devtools, session, method, parameters, &ignored);
    hed_error_clear(&ignored);
}

/* ---- events ---- */

/* Prepares a new tab or frame: the observer runs before its scripts, and the browser reports its
 * sheets. */
static void page_attached(record_browser *b, const json_t *parameters)
{
    const json_t *target = json_object_get(parameters, "targetInfo");
    const char *session = text_at(parameters, "sessionId"), *type = text_at(target, "type");
    bool tab = strcmp(type, "page") == 0,
         is_driver = strcmp(text_at(target, "targetId"), b->driver_target) == 0;
    if ((tab || strcmp(type, "iframe") == 0) && !is_driver && b->page_count < RECORD_MOST_PAGES) {
        record_page *page = &b->pages[b->page_count++];
        *page = (record_page){.is_tab = tab, .attached = hed_now()};
        snprintf(page->session, sizeof page->session, "%s", session);
        snprintf(page->target, sizeof page->target, "%s", text_at(target, "targetId"));
        if (tab && !b->session[0]) snprintf(b->session, sizeof b->session, "%s", session);
        call_page(b, session, "Page.enable", NULL);
        call_page(b, session, "Runtime.enable", NULL);
        call_page(b, session, "Runtime.addBinding", json_pack("{s:s}", "name", "heddleRecord"));
        call_page(b, session, "Page.addScriptToEvaluateOnNewDocument",
            json_pack("{s:s}", "source", hed_record_files[0].text));
        call_page(b, session, "DOM.enable", NULL);
        call_page(b, session, "CSS.enable", NULL);
        call_page(b, session, "Target.setAutoAttach",
            json_pack("{s:b, s:b, s:b}", "autoAttach", 1, "waitForDebuggerOnStart", 1, "flatten", 1));
    }
    send_page(b, session, "Runtime.runIfWaitingForDebugger", NULL);
}

static void page_detached(record_browser *b, const char *session)
{
    record_page *page = page_of_session(b, session);
    if (page) *page = b->pages[--b->page_count];
    if (strcmp(b->session, session) != 0) return;
    b->session[0] = 0;
    for (uint32_t i = 0; i < b->page_count && !b->session[0]; i++)
        if (b->pages[i].is_tab) memcpy(b->session, b->pages[i].session, sizeof b->session);
}

/* A call whose failure leaves no result: the page may have ended meanwhile. The caller releases the
 * result. */
static json_t *query_page(
    record_browser *b, const char *session, const char *method, json_t *parameters)
{
    json_t *result = NULL;
    hed_error ignored = {0};
    cli_devtools_call(b->devtools, session, method, parameters, &result, &ignored);
    hed_error_clear(&ignored);
    return result;
}

/* Finds the host of the shadow tree that has the element of a sheet: its name, "" for a page. False:
 * the sheet has no element, or the page has ended. */
static bool find_host(
    record_browser *b, const char *session, const json_t *header, char *host, size_t size)
{
    static const char function[] = "function() {"
                                   "  const root = this.getRootNode();"
                                   "  return root === document ? '' : root.host?.localName;"
                                   "}";
    json_t *owner = json_object_get(header, "ownerNode");
    if (!owner) return false;
    json_t *node =
        query_page(b, session, "DOM.resolveNode", json_pack("{s:O}", "backendNodeId", owner));
    const char *object = text_at(json_object_get(node, "object"), "objectId");
    json_t *answer = query_page(b, session, "Runtime.callFunctionOn",
        json_pack("{s:s, s:s}", "objectId", object, "functionDeclaration", function));
    const json_t *name = json_object_get(json_object_get(answer, "result"), "value");
    bool is_host = json_is_string(name) && json_string_length(name) < size;
    if (is_host) snprintf(host, size, "%s", json_string_value(name));
    json_decref(node);
    json_decref(answer);
    return is_host;
}

/* Writes the name of a sheet in the recording. */
static void name_sheet(const char *session, const char *sheet, char *id, size_t size)
{
    snprintf(id, size, "%.60s %.90s", session, sheet);
}

/* Fetches a sheet as the browser has it; without a header its address and hosts are the former. */
static void sheet_changed(
    record_browser *b, const char *session, const char *sheet, const json_t *header)
{
    char id[160], host[200];
    const char *hosts[] = {host};
    name_sheet(session, sheet, id, sizeof id);
    /* the address of a style element would be the page's */
    bool is_inline = json_is_true(json_object_get(header, "isInline"));
    css_recorded_sheet recorded = {
        .url = !header ? NULL : is_inline ? "" : text_at(header, "sourceURL")};
    if (header && find_host(b, session, header, host, sizeof host))
        recorded.hosts = hosts, recorded.host_count = 1;
    json_t *result =
        query_page(b, session, "CSS.getStyleSheetText", json_pack("{s:s}", "styleSheetId", sheet));
    recorded.text = text_at(result, "text");
    if (result && !b->error->status) css_recording_set_sheet(b->recording, id, &recorded, b->error);
    json_decref(result);
}

static void binding_called(record_browser *b, const char *session, const json_t *parameters)
{
    const char *name = text_at(parameters, "name"), *text = text_at(parameters, "payload");
    b->changed = hed_now();
    if (strcmp(name, "heddleRecord") == 0 && !b->error->status)
        css_recording_add(b->recording, text, b->error);
    if (strcmp(name, "heddleStep") == 0 && strcmp(session, b->driver) == 0)
        json_array_append_new(b->steps, json_loads(text, 0, NULL));
}

static void browser_event(
    void *user, const char *session, const char *method, const json_t *parameters)
{
    record_browser *b = user;
    record_page *page = page_of_session(b, session);
    const json_t *header = json_object_get(parameters, "header");
    if (strcmp(method, "Target.attachedToTarget") == 0) page_attached(b, parameters);
    else if (strcmp(method, "Target.detachedFromTarget") == 0)
        page_detached(b, text_at(parameters, "sessionId"));
    else if (strcmp(method, "Runtime.bindingCalled") == 0) binding_called(b, session, parameters);
    else if (strcmp(method, "Page.loadEventFired") == 0 && page) page->loaded = true;
    else if (strcmp(method, "Page.domContentEventFired") == 0 && page) page->parsed = true;
    else if (strcmp(method, "CSS.styleSheetAdded") == 0 &&
             strcmp(text_at(header, "origin"), "regular") == 0)
        sheet_changed(b, session, text_at(header, "styleSheetId"), header);
    else if (strcmp(method, "CSS.styleSheetChanged") == 0)
        sheet_changed(b, session, text_at(parameters, "styleSheetId"), NULL);
    else if (strcmp(method, "Page.javascriptDialogOpening") == 0)
        send_page(b, session, "Page.handleJavaScriptDialog", json_pack("{s:b}", "accept", 1));
}

/* ---- the browser ---- */

hed_status record_browser_open(record_browser *b, const char *name, bool headless, double patience,
    css_recording *recording, hed_error *error)
{
    const cli_browser_def def = {.name = name, .headless = headless, .devtools = true};
    *b = (record_browser){.recording = recording, .patience = patience, .error = error};
    if (cli_browser_start(&b->process, &def, error)) return error->status;
    if (cli_devtools_open(b->process.to, b->process.from, browser_event, b, &b->devtools, error))
        return error->status;
    b->steps = json_array();
    cli_devtools_call(b->devtools, NULL, "Target.setAutoAttach",
        json_pack("{s:b, s:b, s:b}", "autoAttach", 1, "waitForDebuggerOnStart", 1, "flatten", 1),
        NULL, error);
    for (int tries = 0; tries < 600 && !b->session[0] && !hed_failed(error); tries++)
        cli_devtools_wait(b->devtools, 0.1, error);
    if (!b->session[0] && !hed_failed(error))
        hed_fail(error, HED_ERROR_TIMEOUT, "browser: %s opened no tab within a minute", name);
    return error->status;
}

void record_browser_close(record_browser *b)
{
    hed_error ignored = {0};
    if (b->devtools) cli_devtools_call(b->devtools, NULL, "Browser.close", NULL, NULL, &ignored);
    hed_error_clear(&ignored);
    cli_devtools_close(b->devtools);
    cli_browser_end(&b->process);
    json_decref(b->steps);
}

hed_status record_browser_evaluate(
    record_browser *b, const char *session, const char *text, json_t **value, hed_error *error)
{
    return cli_devtools_evaluate(b->devtools, session, 0, text, value, error);
}

/* Sets the hosts of the constructed sheets that a tree has adopted; `hosts` lists them by sheet. */
static void set_adopted(
    record_browser *b, const char *session, const char *root, const json_t *hosts)
{
    json_t *node = query_page(b, session, "DOM.describeNode", json_pack("{s:s}", "objectId", root));
    const json_t *sheets = json_object_get(json_object_get(node, "node"), "adoptedStyleSheets");
    bool is_whole = json_array_size(sheets) == json_array_size(hosts);
    for (size_t i = 0; is_whole && i < json_array_size(sheets); i++) {
        enum { MOST_HOSTS = 256 }; /* a sheet of more can be in any tree */
        char id[160];
        const char *names[MOST_HOSTS], *sheet = json_string_value(json_array_get(sheets, i));
        const json_t *list = json_array_get(hosts, i);
        uint32_t count = (uint32_t)json_array_size(list);
        name_sheet(session, sheet ? sheet : "", id, sizeof id);
        if (count > MOST_HOSTS) count = 0;
        for (uint32_t k = 0; k < count; k++)
            names[k] = json_string_value(json_array_get(list, k));
        css_recording_set_hosts(b->recording, id, names, count);
    }
    json_decref(node);
}

/* Finds the trees that have adopted the constructed sheets of a page: the page knows the trees, the
 * browser the names of their sheets. */
static void find_adopted(record_browser *b, const char *session)
{
    json_t *result = query_page(b, session, "Runtime.evaluate",
        json_pack("{s:s}", "expression", "window[Symbol.for('heddle.adopted')]?.()"));
    const char *array = text_at(json_object_get(result, "result"), "objectId");
    json_t *members = query_page(b, session, "Runtime.getProperties",
        json_pack("{s:s, s:b}", "objectId", array, "ownProperties", 1));
    const json_t *list = json_object_get(members, "result");
    /* the first member is a text, the hosts by tree and sheet, the others are the trees */
    const json_t *first = json_object_get(json_array_get(list, 0), "value");
    json_t *hosts = json_loads(text_at(first, "value"), 0, NULL);
    for (size_t i = 0; i < json_array_size(hosts); i++) {
        const json_t *root = json_object_get(json_array_get(list, i + 1), "value");
        set_adopted(b, session, text_at(root, "objectId"), json_array_get(hosts, i));
    }
    json_decref(hosts);
    json_decref(members);
    json_decref(result);
}

void record_browser_flush(record_browser *b)
{
    hed_error ignored = {0};
    cli_devtools_set_limit(b->devtools, BUSY_SECONDS);
    for (uint32_t i = 0; i < b->page_count; i++) {
        record_browser_evaluate(
            b, b->pages[i].session, "window[Symbol.for('heddle.record')]?.()", NULL, &ignored);
        hed_error_clear(&ignored);
        find_adopted(b, b->pages[i].session);
    }
    cli_devtools_set_limit(b->devtools, 0);
    cli_devtools_wait(b->devtools, 0, &ignored);
    hed_error_clear(&ignored);
}

/* True if a tab that a page has opened is still being loaded. */
static bool has_new_tab(const record_browser *b, uint64_t now)
{
    for (uint32_t i = 0; i < b->page_count; i++) {
        const record_page *page = &b->pages[i];
        bool is_new = now - page->attached < (uint64_t)(STALL_SECONDS * 1e9);
        if (page->is_tab && !page->loaded && is_new) return true;
    }
    return false;
}

hed_status record_browser_settle(record_browser *b, double quiet, double limit, hed_error *error)
{
    uint64_t end = hed_now() + (uint64_t)(limit * 1e9);
    bool loaded = false;
    while (!hed_failed(error) && !hed_interrupted() && hed_now() < end) {
        if (cli_devtools_wait(b->devtools, 0.05, error)) break;
        record_page *page = page_of_session(b, b->session);
        uint64_t now = hed_now();
        bool stalled = page && page->parsed && now - b->changed > (uint64_t)(STALL_SECONDS * 1e9);
        if (stalled) break;
        if (!page || !page->loaded || has_new_tab(b, now)) continue;
        uint64_t last = now + (uint64_t)(CHANGE_SECONDS * 1e9);
        if (!loaded && last < end) end = last; /* some pages change for ever */
        loaded = true;
        if (now - b->changed > (uint64_t)(quiet * 1e9)) break;
    }
    return error->status;
}

hed_status record_browser_end(record_browser *b, hed_error *error)
{
    return record_browser_settle(b, QUIET_SECONDS, CHANGE_SECONDS, error);
}

/* Begins to load an address; the browser answers when the first bytes of the page have arrived. */
static hed_status navigate(
    record_browser *b, const char *address, json_t **result, hed_error *error)
{
    hed_error late = {0};
    cli_devtools_set_limit(b->devtools, b->patience);
    cli_devtools_call(b->devtools, b->session, "Page.navigate", json_pack("{s:s}", "url", address),
        result, &late);
    cli_devtools_set_limit(b->devtools, 0);
    if (late.status != HED_ERROR_TIMEOUT || hed_interrupted()) {
        if (late.status) *error = late;
        return late.status;
    }
    hed_error_clear(&late);
    send_page(b, b->session, "Page.stopLoading", NULL);
    return hed_fail(error, HED_ERROR_TIMEOUT,
        "%s: the server has taken the connection and sent nothing for %g s; expected the first bytes of "
        "a page. Look at the server's messages, or wait longer: --patience %g",
        address, b->patience, b->patience < LOAD_SECONDS ? LOAD_SECONDS : 4 * b->patience);
}

hed_status record_browser_go(record_browser *b, const char *address, hed_error *error)
{
    json_t *result = NULL;
    record_page *page = page_of_session(b, b->session);
    if (!page) return hed_fail(error, HED_ERROR_IO, "browser: its last tab was closed");
    page->loaded = page->parsed = false;
    uint64_t begin = hed_now();
    if (navigate(b, address, &result, error)) return error->status;
    const char *reason = text_at(result, "errorText");
    bool same_document = !json_object_get(result, "loaderId"); /* another place of the document */
    if (*reason)
        hed_fail(error, HED_ERROR_IO, "%s: the browser cannot open it (%s)", address, reason);
    json_decref(result);
    page = page_of_session(b, b->session);
    if (page && same_document) page->loaded = page->parsed = true;
    b->changed = hed_now();
    double left = LOAD_SECONDS - 1e-9 * (double)(hed_now() - begin);
    if (left < CHANGE_SECONDS) left = CHANGE_SECONDS;
    if (!hed_failed(error)) record_browser_settle(b, QUIET_SECONDS, left, error);
    page = page_of_session(b, b->session);
    if (!hed_failed(error) && page && !page->parsed && !hed_interrupted())
        fprintf(stderr, "heddle: warning: %s: page is not complete after %g s; it is recorded as it is\n",
            address, LOAD_SECONDS);
    if (!hed_failed(error)) record_browser_flush(b);
    return error->status;
}
