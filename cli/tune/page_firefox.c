/* See page_firefox.h. Methods: https://www.w3.org/TR/webdriver-bidi/. */
#include "cli/tune/page_firefox.h"

#include "cli/common/command.h"
#include "cli/common/websocket.h"
#include "cli/tune/page_folder.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double PORT_SECONDS = 60;

/* Returns a member of an object; "": it is absent. */
static const char *text_in(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

/* ---- events ---- */

static void send_ignored(page_session *page, const char *method, json_t *parameters)
{
    hed_error ignored = {0};
    cli_devtools_send(page->devtools, NULL, method, parameters, &ignored);
    hed_error_clear(&ignored);
}

static void add_realm(page_session *page, const json_t *parameters)
{
    bool is_page = strcmp(text_in(parameters, "type"), "window") == 0 &&
                   !json_object_get(parameters, "sandbox");
    if (!is_page || page->realm_count == PAGE_MOST_REALMS) return;
    snprintf(page->realms[page->realm_count++].session, sizeof page->realms[0].session, "%s",
        text_in(parameters, "realm"));
}

/* Answers a request for a file of the folder. */
static void answer_request(page_session *page, const json_t *parameters)
{
    const json_t *request = json_object_get(parameters, "request");
    page_folder_file file;
    if (!json_is_true(json_object_get(parameters, "isBlocked"))) return;
    page_folder_read(page->folder, text_in(request, "url"), &file);
    send_ignored(page, "network.provideResponse",
        json_pack("{s:s, s:i, s:s, s:[{s:s, s:{s:s, s:s}}], s:{s:s, s:s}}", "request",
            text_in(request, "request"), "statusCode", file.status, "reasonPhrase",
            file.status == 200 ? "OK" : "Not Found", "headers", "name", "Content-Type", "value",
            "type", "string", "value", file.type, "body", "type", "base64", "value", file.base64));
    page_folder_free(&file);
}

static void firefox_event(
    void *user, const char *session, const char *method, const json_t *parameters)
{
    page_session *page = user;
    (void)session;
    if (strcmp(method, "script.realmCreated") == 0) add_realm(page, parameters);
    else if (strcmp(method, "script.realmDestroyed") == 0) {
        uint32_t count = 0;
        for (uint32_t i = 0; i < page->realm_count; i++)
            if (strcmp(page->realms[i].session, text_in(parameters, "realm")) != 0)
                page->realms[count++] = page->realms[i];
        page->realm_count = count;
    } else if (strcmp(method, "network.beforeRequestSent") == 0) answer_request(page, parameters);
    else if (strcmp(method, "browsingContext.userPromptOpened") == 0)
        send_ignored(page, "browsingContext.handleUserPrompt",
            json_pack("{s:s, s:b}", "context", text_in(parameters, "context"), "accept", 1));
    else if (strcmp(method, "browsingContext.contextDestroyed") == 0 &&
             strcmp(text_in(parameters, "context"), page->session) == 0)
        snprintf(page->crash, sizeof page->crash, "the tab has been closed");
}

/* ---- the session ---- */

static hed_status connect_to(page_session *page, hed_error *error)
{
    int descriptor = -1;
    uint16_t port = 0;
    uint64_t end = hed_now() + (uint64_t)(PORT_SECONDS * 1e9);
    while (!(port = cli_browser_port(&page->process)) && hed_now() < end && !hed_interrupted()) {
        if (cli_browser_has_ended(&page->process, true))
            return hed_fail(error, HED_ERROR_IO, "browser: %s ended before it opened a port", page->name);
        nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    }
    if (!port)
        return hed_fail(error, HED_ERROR_TIMEOUT,
            "browser: %s opened no port for WebDriver BiDi within %g s", page->name, PORT_SECONDS);
    if (cli_websocket_connect(port, "/session", &descriptor, error)) return error->status;
    return cli_devtools_open_socket(descriptor, firefox_event, page, &page->devtools, error);
}

static hed_status add_recorder(page_session *page, hed_error *error)
{
    char *text = NULL;
    if (asprintf(&text, "() => {\n%s\n}", page->recorder) < 0)
        return HED_OUT_OF_MEMORY(error, "the recorder");
    cli_devtools_call(page->devtools, NULL, "script.addPreloadScript",
        json_pack("{s:s}", "functionDeclaration", text), NULL, error);
    free(text);
    return error->status;
}

hed_status page_firefox_open(page_session *page, hed_error *error)
{
    json_t *tree = NULL;
    if (connect_to(page, error) ||
        cli_devtools_call(page->devtools, NULL, "session.new", json_pack("{s:{}}", "capabilities"), NULL, error) ||
        cli_devtools_call(page->devtools, NULL, "session.subscribe",
            json_pack("{s:[s, s, s, s, s]}", "events", "script.realmCreated",
                "script.realmDestroyed", "browsingContext.userPromptOpened",
                "browsingContext.contextDestroyed", "network.beforeRequestSent"),
            NULL, error) ||
        (page->folder && /* answer_request() receives the requests */
            cli_devtools_call(page->devtools, NULL, "network.addIntercept",
                json_pack("{s:[s], s:[{s:s, s:s, s:s}]}", "phases", "beforeRequestSent", "urlPatterns",
                    "type", "pattern", "protocol", "http", "hostname", "heddle.localhost"),
                NULL, error)) ||
        add_recorder(page, error) ||
        cli_devtools_call(page->devtools, NULL, "browsingContext.getTree", NULL, &tree, error))
        return error->status;
    snprintf(page->session, sizeof page->session, "%s",
        text_in(json_array_get(json_object_get(tree, "contexts"), 0), "context"));
    json_decref(tree);
    if (!page->session[0]) hed_fail(error, HED_ERROR_FORMAT, "browser: %s opened no tab", page->name);
    return error->status;
}

/* Replaces the list of realms by the browser's own: events of a page that was left come in any order. */
static hed_status read_realms(page_session *page, hed_error *error)
{
    json_t *result = NULL, *realm;
    size_t i;
    if (cli_devtools_wait(page->devtools, 0.2, error) ||
        cli_devtools_call(page->devtools, NULL, "script.getRealms", NULL, &result, error))
        return error->status;
    page->realm_count = 0;
    json_array_foreach(json_object_get(result, "realms"), i, realm) add_realm(page, realm);
    json_decref(result);
    return HED_OK;
}

void page_firefox_close(page_session *page) { send_ignored(page, "browser.close", NULL); }

hed_status page_firefox_go(page_session *page, const char *address, hed_error *error)
{
    hed_error failure = {0};
    cli_devtools_call(page->devtools, NULL, "browsingContext.navigate",
        json_pack("{s:s, s:s, s:s}", "context", page->session, "url", address, "wait", "complete"),
        NULL, &failure);
    if (hed_interrupted()) hed_error_clear(&failure);
    else if (failure.status == HED_ERROR_FORMAT)
        hed_fail(error, HED_ERROR_IO,
            "%s: the browser cannot open it (%s); expected a page. Start its server, or name its folder",
            address, failure.text);
    else if (failure.status) hed_fail(error, failure.status, "%s", failure.text);
    hed_error_clear(&failure);
    return hed_failed(error) || hed_interrupted() ? error->status : read_realms(page, error);
}

/* ---- scripts ---- */

hed_status page_firefox_evaluate(
    page_session *page, const page_realm *realm, const char *text, json_t **value, hed_error *error)
{
    char *wrapped = NULL;
    json_t *result = NULL;
    if (value) *value = NULL;
    if (asprintf(&wrapped, value ? "(async () => JSON.stringify(await (%s\n)))()" : "%s", text) < 0)
        return HED_OUT_OF_MEMORY(error, "a script of the page");
    json_t *parameters = json_pack("{s:s, s:b, s:b, s:{s:s}}", "expression", wrapped, "awaitPromise", 1,
        "userActivation", 1, "target", realm ? "realm" : "context", realm ? realm->session : page->session);
    free(wrapped);
    if (cli_devtools_call(page->devtools, NULL, "script.evaluate", parameters, &result, error))
        return error->status;
    const json_t *exception = json_object_get(result, "exceptionDetails");
    if (exception) hed_fail(error, HED_ERROR_FORMAT, "%s", text_in(exception, "text"));
    else if (value) /* JSON in a string; "": undefined */
        *value = json_loads(text_in(json_object_get(result, "result"), "value"),
            JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
    json_decref(result);
    return error->status;
}
