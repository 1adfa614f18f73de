/* heddle synth window: the window of the plugins. A plugin starts it with a socket as its standard
 * input (engines/synth/plugin/window_message.h). It serves the page of `heddle synth view` to a web
 * view of its own: the page asks for the plugin's knobs and instrument, and sends the actions of its
 * user. */
#include "cli/common/command.h"
#include "engines/synth/plugin/window_message.h"
#include "heddle/author.h"
#include "heddle/synth_player.h"
#include "view_page.h"
#include "view_window.h"

#include <jansson.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SOCKET = STDIN_FILENO, MOST_WORDS = 1 << 12, MOST_WAITS = 1000 };

/* The plugin as its messages describe it. */
typedef struct plugin_end {
    pthread_mutex_t lock, sending;
    char *name, *text; /* name and text of the instrument; NULL: not received yet */
    size_t size;
    uint32_t number;                   /* number of instruments received */
    float knobs[HED_SYNTH_KNOB_COUNT]; /* NaN: not received yet */
    char refused[MOST_WORDS];          /* cause for which the last text was not taken */
    uint32_t refusals;
    view_page page;
} plugin_end;

/* ---- from the plugin ---- */

/* Keeps an instrument's text, and its name (NULL: the former one), for a page that is loaded later. */
static void keep_instrument(plugin_end *p, const char *name, const char *text, size_t size)
{
    char *new_name = name ? strdup(name) : NULL, *new_text = malloc(size + 1);
    if (new_text) memcpy(new_text, text, size);
    pthread_mutex_lock(&p->lock);
    if (new_text && (new_name || (!name && p->name))) {
        free(p->text);
        p->text = new_text;
        p->size = size;
        if (new_name) {
            free(p->name);
            p->name = new_name;
        }
        new_name = new_text = NULL;
    }
    pthread_mutex_unlock(&p->lock);
    free(new_name);
    free(new_text);
}

/* Takes an instrument that the plugin has loaded: its name, a zero, its text. */
static void take_instrument(plugin_end *p, const char *content, size_t size)
{
    size_t name_size = strnlen(content, size) + 1;
    if (name_size > size) return;
    keep_instrument(p, content, content + name_size, size - name_size);
    pthread_mutex_lock(&p->lock);
    p->number++;
    pthread_mutex_unlock(&p->lock);
}

static void take_data(plugin_end *p, const window_head *head, const char *content)
{
    window_knob knob;
    if (head->kind == WINDOW_INSTRUMENT) take_instrument(p, content, head->size);
    if (head->kind == WINDOW_KNOB && head->size == sizeof knob) {
        memcpy(&knob, content, sizeof knob);
        pthread_mutex_lock(&p->lock);
        if (knob.knob < HED_SYNTH_KNOB_COUNT) p->knobs[knob.knob] = knob.value;
        pthread_mutex_unlock(&p->lock);
    }
    if (head->kind == WINDOW_REFUSED) {
        pthread_mutex_lock(&p->lock);
        snprintf(p->refused, sizeof p->refused, "%s", content);
        p->refusals++;
        pthread_mutex_unlock(&p->lock);
    }
}

static void take_plugin_message(plugin_end *p, const window_head *head, const char *content)
{
    window_size size;
    switch (head->kind) {
    case WINDOW_SHOW: view_window_show(true); break;
    case WINDOW_HIDE: view_window_show(false); break;
    case WINDOW_TITLE: view_window_name(content); break;
    case WINDOW_SIZE:
        if (head->size != sizeof size) break;
        memcpy(&size, content, sizeof size);
        view_window_resize(size.width, size.height);
        break;
    default: take_data(p, head, content);
    }
}

/* Reads messages until the plugin closes its end, which ends the window. */
static void *follow_plugin(void *user)
{
    window_head head;
    while (window_receive(SOCKET, &head, sizeof head) && head.size <= WINDOW_MOST_TEXT) {
        char *content = malloc(head.size + 1);
        bool is_whole = content && window_receive(SOCKET, content, head.size);
        if (is_whole) {
            content[head.size] = 0;
            take_plugin_message(user, &head, content);
        }
        free(content);
        if (!is_whole) break;
    }
    view_window_end();
    return NULL;
}

/* ---- from the page ---- */

static void send_to_plugin(plugin_end *p, window_kind kind, const void *first, size_t first_size,
    const void *second, size_t second_size)
{
    pthread_mutex_lock(&p->sending);
    window_send(SOCKET, kind, first, first_size, second, second_size);
    pthread_mutex_unlock(&p->sending);
}

/* Answers with the knobs, the number of the instrument and the last refusal. */
static json_t *describe_plugin(plugin_end *p)
{
    pthread_mutex_lock(&p->lock);
    json_t *knobs = json_array();
    for (uint32_t i = 0; i < HED_SYNTH_KNOB_COUNT; i++)
        json_array_append_new(
            knobs, isnan(p->knobs[i]) ? json_null() : json_real((double)p->knobs[i]));
    json_t *answer = json_pack("{s:i, s:o, s:i, s:s}", "number", (int)p->number, "knobs", knobs,
        "refusals", (int)p->refusals, "refused", p->refused);
    pthread_mutex_unlock(&p->lock);
    return answer;
}

/* Sends {"knob": 0, "value": 0.5}; kind: WINDOW_KNOB or WINDOW_TOUCH. */
static bool send_knob_message(plugin_end *p, window_kind kind, json_t *request)
{
    json_t *number = json_object_get(request, "knob"), *value = json_object_get(request, "value");
    json_int_t index = json_integer_value(number);
    if (!json_is_integer(number) || index < 0 || index >= HED_SYNTH_KNOB_COUNT) return false;
    const window_knob knob = {(uint32_t)index, (float)json_number_value(value)};
    if (kind == WINDOW_KNOB) {
        pthread_mutex_lock(&p->lock);
        p->knobs[knob.knob] = knob.value;
        pthread_mutex_unlock(&p->lock);
    }
    send_to_plugin(p, kind, &knob, sizeof knob, NULL, 0);
    return json_is_number(value);
}

/* Sends {"bytes": [144, 60, 100]}. */
static bool send_note(plugin_end *p, json_t *request)
{
    const json_t *list = json_object_get(request, "bytes");
    uint8_t bytes[3];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)json_integer_value(json_array_get(list, i));
    if (json_array_size(list) == sizeof bytes)
        send_to_plugin(p, WINDOW_NOTE, bytes, sizeof bytes, NULL, 0);
    return json_array_size(list) == sizeof bytes;
}

/* Sends {"text": ...}, an edit, or {"text": ..., "name": ...}, another instrument. */
static bool send_text(plugin_end *p, json_t *request)
{
    const json_t *text = json_object_get(request, "text");
    const char *name = json_string_value(json_object_get(request, "name"));
    if (!json_is_string(text)) return false;
    size_t name_size = name ? strlen(name) + 1 : 0;
    keep_instrument(p, name, json_string_value(text), json_string_length(text));
    send_to_plugin(p, name ? WINDOW_INSTRUMENT : WINDOW_EDIT, name, name_size,
        json_string_value(text), json_string_length(text));
    return true;
}

static bool take_page_request(plugin_end *p, const char *name, json_t *request)
{
    if (strcmp(name, "knob") == 0) return send_knob_message(p, WINDOW_KNOB, request);
    if (strcmp(name, "touch") == 0) return send_knob_message(p, WINDOW_TOUCH, request);
    if (strcmp(name, "note") == 0) return send_note(p, request);
    return strcmp(name, "text") == 0 && send_text(p, request);
}

static hed_status plugin_answer(
    void *user, const char *name, const char *body, size_t size, char **answer, hed_error *error)
{
    plugin_end *p = user;
    if (!body && strcmp(name, "state") == 0) {
        pthread_mutex_lock(&p->lock);
        if (p->text) view_page_text(p->name, p->text, p->size, answer, error);
        else hed_fail(error, HED_ERROR_IO, "the plugin has no instrument yet");
        pthread_mutex_unlock(&p->lock);
        return error->status;
    }
    if (!body && view_page_answer(name, answer, error)) return error->status;
    json_t *request = body ? json_loadb(body, size, 0, NULL) : NULL, *reply = NULL;
    if (body && take_page_request(p, name, request)) reply = json_object();
    else if (!body && strcmp(name, "plugin") == 0) reply = describe_plugin(p);
    else hed_fail(error, HED_ERROR_ARGUMENT, "%s: no such request", name);
    *answer = reply ? json_dumps(reply, JSON_COMPACT) : NULL;
    json_decref(reply);
    json_decref(request);
    return error->status;
}

/* ---- the command ---- */

/* Runs the window once the instrument is known; `address` is the server's, with a query
 * that makes the page a plugin's. */
static void run_window(plugin_end *p, const char *address, unsigned long parent)
{
    char whole[256];
    const char *hash = strchr(address, '#');
    bool is_known = false;
    for (int i = 0; !is_known && i < MOST_WAITS; i++) {
        pthread_mutex_lock(&p->lock);
        is_known = p->text != NULL;
        pthread_mutex_unlock(&p->lock);
        if (!is_known) nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    }
    if (!hash || !is_known) return;
    snprintf(whole, sizeof whole, "%.*s?plugin%s", (int)(hash - address), address, hash);
    view_window_run(whole, parent, WINDOW_WIDTH, WINDOW_HEIGHT);
}

/* Serves the page and runs its window; `is_check`: reports instead that it could. */
static hed_status serve_plugin(plugin_end *p, unsigned long parent, bool is_check, hed_error *error)
{
    hed_context *context = NULL;
    hed_context_def def = hed_default_context_def();
    hed_web *web = NULL;
    pthread_t thread;
    def.device = "host";
    if (hed_context_create(&def, &context, error)) return error->status;
    const hed_web_def page = {.context = context, .files = p->page.files,
        .file_count = p->page.file_count, .answer = plugin_answer, .user = p};
    if (hed_web_create(&page, &web, error) == HED_OK) {
        if (is_check) fputs(WINDOW_GREETING, stdout);
        else if (pthread_create(&thread, NULL, follow_plugin, p) == 0) {
            run_window(p, hed_web_address(web), parent);
            shutdown(SOCKET, SHUT_RDWR);
            pthread_join(thread, NULL);
        } else HED_OUT_OF_MEMORY(error, "a thread");
        hed_web_destroy(web);
    }
    hed_context_destroy(context);
    return error->status;
}

static int plugin_window_run(const hed_arguments *arguments, void *user)
{
    hed_error error = {0};
    static plugin_end p;
    (void)user;
    pthread_mutex_init(&p.lock, NULL);
    pthread_mutex_init(&p.sending, NULL);
    for (uint32_t i = 0; i < HED_SYNTH_KNOB_COUNT; i++) p.knobs[i] = NAN;
    view_page_open(&p.page, &error);
    if (!error.status) view_window_load(&error);
    if (!error.status)
        serve_plugin(&p, (unsigned long)hed_integer_of(arguments, "parent"),
            hed_given(arguments, "check"), &error);
    view_page_close(&p.page);
    free(p.name);
    free(p.text);
    return cli_end(error.status, &error);
}

static const hed_option OPTIONS[] = {
    OPTION("parent", INTEGER, "XID", "X11 window that contains this one; a window of its own unless told",
        .low = 0, .high = 0xffffffff),
    FLAG("check", "only report whether the window can be opened"), {0}};

const hed_command hed_command_synth_window = {
    .name = "window",
    .summary = "the window of the plugins, which start it",
    .description =
        "Shows the page of \"heddle synth view\" in the system's web view (WebKitGTK), in a process of its own. "
        "heddle.clap and heddle.lv2 start it, with a socket as its standard input, and end it.",
    .options = OPTIONS,
    .examples = (const hed_example[]){{"heddle synth window --check",
                                          "whether the plugins have a window here, and what is missing"},
        {0}},
    .run = plugin_window_run,
};
