/* Steps of a script (--drive) on a recorded page: real events of the mouse and the keyboard,
 * through the browser's own input. The script runs in a page of its own, so that it survives
 * navigation. */
#include "cli/common/command.h"
#include "cli/css/record_browser.h"

#include <stdlib.h>
#include <string.h>

extern const hed_source hed_record_files[]; /* embedded: record_page.js, record_drive.js */

static const double STEP_QUIET_SECONDS = 0.25, STEP_SECONDS = 30;

/* A step [NUMBER, KIND, VALUES...] of the script. */
typedef struct drive_step {
    const char *kind;
    const char *text;   /* first value; "": not a text */
    const char *second; /* second value; "": not a text */
    double number;      /* first value; 0: not a number */
    double height;      /* second value; 0: not a number */
} drive_step;

static const char *text_of(const json_t *value)
{
    const char *text = json_string_value(value);
    return text ? text : "";
}

/* ---- the mouse and the keyboard ---- */

static hed_status mouse(record_browser *b, const char *type, double x, double y, hed_error *error)
{
    bool moved = strcmp(type, "mouseMoved") == 0;
    return cli_devtools_call(b->devtools, b->session, "Input.dispatchMouseEvent",
        json_pack("{s:s, s:f, s:f, s:s, s:i, s:i}", "type", type, "x", x, "y", y, "button",
            moved ? "none" : "left", "buttons", strcmp(type, "mousePressed") == 0, "clickCount",
            !moved),
        NULL, error);
}

/* Evaluates `format` with the selector in place of its %s as a JavaScript text. */
static hed_status evaluate_with(
    record_browser *b, const char *format, const char *selector, json_t **value, hed_error *error)
{
    json_t *text = json_string(selector);
    char *quoted = text ? json_dumps(text, JSON_ENCODE_ANY) : NULL;
    size_t size = quoted ? strlen(format) + strlen(quoted) + 1 : 0;
    char *code = size ? malloc(size) : NULL;
    if (!code) HED_OUT_OF_MEMORY(error, "a step of the script");
    else {
        const char *mark = strstr(format, "%s");
        snprintf(code, size, "%.*s%s%s", (int)(mark - format), format, quoted, mark + 2);
        record_browser_evaluate(b, b->session, code, value, error);
    }
    free(code);
    free(quoted);
    json_decref(text);
    return error->status;
}

/* Waits until an element of a selector exists, and scrolls it into view; its centre. */
static hed_status await_element(
    record_browser *b, const char *selector, double *x, double *y, hed_error *error)
{
    static const char find[] = "window[Symbol.for('heddle.find')]?.(%s)"; /* absent: a new document */
    uint64_t end = hed_now() + (uint64_t)(STEP_SECONDS * 1e9);
    while (!hed_interrupted()) {
        json_t *place = NULL;
        if (evaluate_with(b, find, selector, &place, error)) return error->status;
        bool exists = json_is_array(place);
        *x = json_number_value(json_array_get(place, 0));
        *y = json_number_value(json_array_get(place, 1));
        json_decref(place);
        if (exists) return HED_OK;
        if (hed_now() > end) break;
        if (cli_devtools_wait(b->devtools, 0.1, error)) return error->status;
    }
    return hed_fail(
        error, HED_ERROR_TIMEOUT, "no element of \"%s\" within %g s", selector, STEP_SECONDS);
}

/* Types into an element, clicks it, or moves the mouse over it. */
static hed_status step_element(record_browser *b, const drive_step *step, hed_error *error)
{
    double x, y;
    if (await_element(b, step->text, &x, &y, error)) return error->status;
    if (strcmp(step->kind, "type") == 0) {
        if (evaluate_with(b, "document.querySelector(%s).focus()", step->text, NULL, error))
            return error->status;
        return cli_devtools_call(b->devtools, b->session, "Input.insertText",
            json_pack("{s:s}", "text", step->second), NULL, error);
    }
    if (mouse(b, "mouseMoved", x, y, error)) return error->status;
    if (strcmp(step->kind, "hover") == 0) return HED_OK;
    if (mouse(b, "mousePressed", x, y, error)) return error->status;
    return mouse(b, "mouseReleased", x, y, error);
}

static hed_status step_press(record_browser *b, const drive_step *step, hed_error *error)
{
    static const struct {
        const char *key;
        int code;
    } keys[] = {{"Enter", 13}, {"Tab", 9}, {"Escape", 27}, {"Backspace", 8}, {"Delete", 46},
        {"ArrowUp", 38}, {"ArrowDown", 40}, {"ArrowLeft", 37}, {"ArrowRight", 39}, {" ", 32}};
    int code = 0;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(keys[i].key, step->text) == 0) code = keys[i].code;
    const char *typed = strcmp(step->text, "Enter") == 0 ? "\r"
                        : strlen(step->text) == 1        ? step->text
                                                         : "";
    for (int up = 0; up < 2 && !hed_failed(error); up++)
        cli_devtools_call(b->devtools, b->session, "Input.dispatchKeyEvent",
            json_pack("{s:s, s:s, s:s, s:i}", "type", up ? "keyUp" : "keyDown", "key", step->text,
                "text", up ? "" : typed, "windowsVirtualKeyCode", code),
            NULL, error);
    return error->status;
}

/* ---- steps ---- */

static hed_status step_wait(record_browser *b, const drive_step *step, hed_error *error)
{
    double x, y;
    if (*step->text) return await_element(b, step->text, &x, &y, error);
    uint64_t end = hed_now() + (uint64_t)(step->number * 1e6);
    while (!hed_failed(error) && !hed_interrupted() && hed_now() < end)
        cli_devtools_wait(b->devtools, 0.05, error);
    return error->status;
}

/* Resolves an address against that of the page. */
static hed_status step_goto(record_browser *b, const drive_step *step, hed_error *error)
{
    json_t *address = NULL;
    if (evaluate_with(b, "new URL(%s, location.href).href", step->text, &address, error))
        return error->status;
    record_browser_go(b, text_of(address), error);
    json_decref(address);
    return error->status;
}

/* Carries out one step; `value` receives its result, or NULL. */
static hed_status perform_step(
    record_browser *b, const json_t *item, json_t **value, hed_error *error)
{
    const json_t *first = json_array_get(item, 2), *second = json_array_get(item, 3);
    const drive_step step = {.kind = text_of(json_array_get(item, 1)),
        .text = text_of(first),
        .second = text_of(second),
        .number = json_number_value(first),
        .height = json_number_value(second)};
    if (strcmp(step.kind, "goto") == 0) step_goto(b, &step, error);
    else if (strcmp(step.kind, "press") == 0) step_press(b, &step, error);
    else if (strcmp(step.kind, "wait") == 0) step_wait(b, &step, error);
    else if (strcmp(step.kind, "size") == 0)
        cli_devtools_call(b->devtools, b->session, "Emulation.setDeviceMetricsOverride",
            json_pack("{s:i, s:i, s:i, s:b}", "width", (int)step.number, "height",
                step.height > 0 ? (int)step.height : 900, "deviceScaleFactor", 1, "mobile", 0),
            NULL, error);
    else if (strcmp(step.kind, "evaluate") == 0)
        record_browser_evaluate(b, b->session, step.text, value, error);
    else step_element(b, &step, error);
    if (!hed_failed(error)) record_browser_settle(b, STEP_QUIET_SECONDS, STEP_SECONDS, error);
    if (!hed_failed(error)) record_browser_flush(b);
    return error->status;
}

/* Answers the script: the step's value, or its error, which the script may catch. */
static hed_status answer_step(
    record_browser *b, const json_t *item, json_t *value, const hed_error *failed, hed_error *error)
{
    json_t *parts = json_pack("[O, s?, o?]", json_array_get(item, 0),
        failed->status ? failed->text : NULL, json_incref(value));
    char *list = parts ? json_dumps(parts, JSON_COMPACT) : NULL, *code = NULL;
    size_t size = list ? strlen(list) + 32 : 0;
    if (size) code = malloc(size);
    if (code) {
        snprintf(code, size, "heddleAnswer(...%s)", list);
        record_browser_evaluate(b, b->driver, code, NULL, error);
    } else HED_OUT_OF_MEMORY(error, "an answer to the script");
    free(code);
    free(list);
    json_decref(parts);
    return error->status;
}

/* ---- the script ---- */

static hed_status open_driver(record_browser *b, hed_error *error)
{
    json_t *result = NULL;
    if (cli_devtools_call(b->devtools, NULL, "Target.createTarget",
            json_pack("{s:s, s:b}", "url", "about:blank", "background", 1), &result, error))
        return error->status;
    snprintf(b->driver_target, sizeof b->driver_target, "%s",
        text_of(json_object_get(result, "targetId")));
    json_decref(result);
    if (cli_devtools_call(b->devtools, NULL, "Target.attachToTarget",
            json_pack("{s:s, s:b}", "targetId", b->driver_target, "flatten", 1), &result, error))
        return error->status;
    snprintf(b->driver, sizeof b->driver, "%s", text_of(json_object_get(result, "sessionId")));
    json_decref(result);
    cli_devtools_call(b->devtools, b->driver, "Runtime.enable", NULL, NULL, error);
    if (!hed_failed(error))
        cli_devtools_call(b->devtools, b->driver, "Runtime.addBinding",
            json_pack("{s:s}", "name", "heddleStep"), NULL, error);
    if (!hed_failed(error)) cli_devtools_wait(b->devtools, 0.2, error);
    if (!hed_failed(error))
        record_browser_evaluate(b, b->driver, hed_record_files[1].text, NULL, error);
    return error->status;
}

/* Starts the script; at its end it sends a last step, ["end", ERROR or null]. */
static hed_status start_script(record_browser *b, const char *text, hed_error *error)
{
    static const char before[] = "void (async page => {\n", after[] =
        "\n})(heddlePage).then(() => heddleStep('[0, \"end\"]'),"
        " e => heddleStep(JSON.stringify([0, 'end', String(e && e.stack || e)])))";
    size_t size = sizeof before + strlen(text) + sizeof after;
    char *code = malloc(size);
    if (!code) return HED_OUT_OF_MEMORY(error, "the script");
    snprintf(code, size, "%s%s%s", before, text, after);
    record_browser_evaluate(b, b->driver, code, NULL, error);
    free(code);
    return error->status;
}

hed_status record_drive(record_browser *b, const char *file, const char *text, hed_error *error)
{
    hed_error failure = {0};
    if (open_driver(b, error)) return error->status;
    if (start_script(b, text, &failure))
        return hed_fail(error, HED_ERROR_FORMAT, "%s: %s", file, failure.text);
    while (!hed_failed(error) && !hed_interrupted()) {
        json_t *item = json_incref(json_array_get(b->steps, 0)), *value = NULL;
        if (!item) {
            cli_devtools_wait(b->devtools, 0.05, error);
            continue;
        }
        json_array_remove(b->steps, 0);
        bool last = strcmp(text_of(json_array_get(item, 1)), "end") == 0;
        const char *reason = text_of(json_array_get(item, 2));
        hed_error failed = {0};
        if (last && *reason) hed_fail(error, HED_ERROR_FORMAT, "%s: %s", file, reason);
        if (!last) {
            perform_step(b, item, &value, &failed);
            answer_step(b, item, value, &failed, error);
        }
        hed_error_clear(&failed);
        json_decref(value);
        json_decref(item);
        if (last) break;
    }
    return error->status;
}
