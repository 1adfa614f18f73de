/* Shaders in a browser: the server, and the browser that is started for it and ended with it. */
#include "tune_command.h"

#include "heddle/web.h"
#include "support/json.h"

#include <string.h>

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), tail = strlen(end);
    return length > tail && strcmp(text + length - tail, end) == 0;
}

bool cli_is_shader(const char *path)
{
    hed_json *json;
    if (ends_with(path, ".wgsl")) return true;
    if (!ends_with(path, ".json") || hed_json_read(path, &json, NULL)) return false;
    hed_json_node root = hed_json_root(json);
    bool object = hed_json_kind_of(root) == HED_JSON_OBJECT,
         named = object && hed_json_has(root, "language");
    hed_json_node node = !object ? root : hed_json_member(root, named ? "language" : "source");
    bool shader = object && hed_json_kind_of(node) == HED_JSON_STRING;
    if (shader)
        shader = named ? strcmp(hed_json_string(node), "wgsl") == 0
                       : ends_with(hed_json_string(node), ".wgsl");
    hed_json_free(json);
    return shader;
}

/* s: a browser's first start is slow on a busy machine; a person needs longer */
static const double START_SECONDS = 90, PERSON_SECONDS = 600;

/* ---- the session ---- */

static bool browser_interrupted(void *user)
{
    (void)user;
    return hed_interrupted();
}

static hed_status start_browser(cli_browser *browser, hed_error *error)
{
    const cli_browser_def def = {.name = browser->name,
        .headless = browser->headless,
        .address = hed_web_address(browser->web)};
    return cli_browser_start(&browser->process, &def, error);
}

/* Restarts the browser, as hed_web_def.restart, if a driver hangs. */
static bool browser_restart(void *user)
{
    cli_browser *browser = user;
    hed_error error = {0};
    cli_browser_end(&browser->process);
    return !start_browser(browser, &error);
}

/* True if the browser has crashed, or without a window ended at all: as hed_web_def.has_ended. Who
 * closes a window has ended the page. */
static bool browser_has_ended(void *user)
{
    const cli_browser *browser = user;
    return cli_browser_has_ended(&browser->process, browser->headless);
}

hed_status cli_browser_open(cli_browser *browser, const hed_arguments *arguments,
    hed_context *context, hed_device **device, hed_error *error)
{
    const char *name = hed_text_of(arguments, "browser");
    bool quiet = hed_given(arguments, "quiet") || hed_given(arguments, "json");
    const hed_web_def def = {.context = context,
        .port = (uint16_t)hed_integer_of(arguments, "port"),
        .idle = browser_interrupted,
        .restart = name && cli_browser_is_known(name) ? browser_restart : NULL,
        .has_ended = browser_has_ended,
        .user = browser};
    *browser = (cli_browser){.name = name, .headless = hed_given(arguments, "headless")};
    if (hed_web_create(&def, &browser->web, error)) return error->status;
    const char *address = hed_web_address(browser->web);
    if (start_browser(browser, error)) return error->status;
    if (!quiet || !name)
        fprintf(
            stderr, "heddle: %s %s\n", name ? "the page is" : "open this in the browser:", address);
    return hed_web_wait(browser->web, name ? START_SECONDS : PERSON_SECONDS, device, error);
}

void cli_browser_use(const cli_browser *browser, hed_tune_def *def)
{
    def->open_runner = hed_web_open_runner;
    def->runner_user = browser->web;
}

void cli_browser_show(void *user, const hed_kernel_def *kernel, const hed_tune_progress *progress)
{
    hed_web_show(user, kernel, progress);
}

void cli_browser_close(cli_browser *browser)
{
    hed_web_destroy(browser->web);
    cli_browser_end(&browser->process);
    *browser = (cli_browser){0};
}

bool cli_browser_check(const hed_arguments *arguments, bool shader)
{
    const char *device = hed_text_of(arguments, "device");
    if (!shader && (hed_given(arguments, "browser") || hed_given(arguments, "headless"))) {
        fputs("heddle: --browser and --headless require a shader in WGSL\n", stderr);
        return true;
    }
    if (shader && device && strcmp(device, "browser") != 0) {
        fprintf(stderr, "heddle: --device %s: a shader in WGSL runs in a browser; leave it out\n",
            device);
        return true;
    }
    if (hed_given(arguments, "headless") && !hed_given(arguments, "browser")) {
        fputs("heddle: --headless requires --browser chromium or --browser firefox\n", stderr);
        return true;
    }
    return false;
}
