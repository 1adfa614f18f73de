/* See devtools.h. */
#include "cli/common/devtools.h"

#include "cli/common/command.h"
#include "cli/common/websocket.h"
#include "heddle/author.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    MOST_MESSAGE = 1 << 30, /* bytes of a message */
    ANSWER_SECONDS = 120    /* limit of one call, s, on a busy machine */
};

typedef struct devtools_event {
    struct devtools_event *next;
    json_t *message;
} devtools_event;

struct cli_devtools {
    int to, from;
    bool is_socket, is_closed; /* a WebSocket; the other side has ended it */
    cli_devtools_event *event;
    void *user;
    char *bytes; /* (room) received, and not yet read as a message */
    size_t used, room;
    size_t searched; /* bytes without a zero byte; of a socket, data of a message without its end */
    int64_t calls;
    double answer_seconds; /* limit of one call */
    json_t *answers;       /* object: answers that arrived during a call within a call, by number */
    int depth;             /* calls that wait */
    devtools_event *first, **last; /* events that arrived during a call */
};

hed_status cli_devtools_open(int to, int from, cli_devtools_event *event, void *user,
    cli_devtools **opened, hed_error *error)
{
    cli_devtools *devtools = calloc(1, sizeof *devtools);
    *opened = devtools;
    if (!devtools) {
        close(to);
        close(from);
        return HED_OUT_OF_MEMORY(error, "the conversation with the browser");
    }
    devtools->to = to;
    devtools->from = from;
    devtools->event = event;
    devtools->user = user;
    devtools->last = &devtools->first;
    cli_devtools_set_limit(devtools, 0);
    devtools->answers = json_object();
    return HED_OK;
}

hed_status cli_devtools_open_socket(
    int socket, cli_devtools_event *event, void *user, cli_devtools **opened, hed_error *error)
{
    int other = dup(socket);
    if (other < 0 || cli_devtools_open(socket, other, event, user, opened, error))
        return other < 0 ? HED_OUT_OF_MEMORY(error, "the conversation with the browser") : error->status;
    (*opened)->is_socket = true;
    return HED_OK;
}

static json_t *next_event(cli_devtools *devtools)
{
    devtools_event *event = devtools->first;
    if (!event) return NULL;
    json_t *message = event->message;
    devtools->first = event->next;
    if (!event->next) devtools->last = &devtools->first;
    free(event);
    return message;
}

void cli_devtools_close(cli_devtools *devtools)
{
    if (!devtools) return;
    for (json_t *message; (message = next_event(devtools)) != NULL;) json_decref(message);
    close(devtools->to);
    close(devtools->from);
    free(devtools->bytes);
    json_decref(devtools->answers);
    free(devtools);
}

static hed_status conversation_ended(hed_error *error)
{
    return hed_fail(error, HED_ERROR_IO, "browser: it ended, or closed its pipe");
}

/* Reads bytes of the pipe, for at most `seconds`; *arrived: some did. */
static hed_status receive_bytes(
    cli_devtools *devtools, double seconds, bool *arrived, hed_error *error)
{
    struct pollfd pipe = {.fd = devtools->from, .events = POLLIN};
    int ready = poll(&pipe, 1, (int)(seconds * 1e3));
    *arrived = false;
    if (ready == 0 || (ready < 0 && errno == EINTR)) return HED_OK;
    if (devtools->room - devtools->used < 1 << 16) {
        size_t room = devtools->room ? 2 * devtools->room : (size_t)1 << 20;
        char *bytes = room > MOST_MESSAGE ? NULL : realloc(devtools->bytes, room);
        if (!bytes) return HED_OUT_OF_MEMORY(error, "a message of the browser");
        devtools->bytes = bytes;
        devtools->room = room;
    }
    ssize_t size =
        read(devtools->from, devtools->bytes + devtools->used, devtools->room - devtools->used);
    if (size < 0 && errno == EINTR) return HED_OK;
    if (size <= 0) return conversation_ended(error);
    devtools->used += (size_t)size;
    *arrived = true;
    return HED_OK;
}

static bool send_bytes(const cli_devtools *devtools, const char *bytes, size_t size)
{
    size_t written = 0;
    while (written < size) {
        ssize_t part = send(devtools->to, bytes + written, size - written, MSG_NOSIGNAL);
        if (part < 0 && errno == EINTR) continue;
        if (part <= 0) return false;
        written += (size_t)part;
    }
    return true;
}

static bool send_frame(const cli_devtools *devtools, int kind, const char *data, size_t size)
{
    size_t length = 0;
    char *frame = cli_websocket_write(kind, data, size, &length);
    bool is_sent = frame && send_bytes(devtools, frame, length);
    free(frame);
    return is_sent;
}

/* Removes `size` bytes at `from` of the received ones. */
static void remove_bytes(cli_devtools *devtools, size_t from, size_t size)
{
    devtools->used -= size;
    memmove(devtools->bytes + from, devtools->bytes + from + size, devtools->used - from);
}

/* Takes the first complete message of a WebSocket; NULL: no complete one. */
static json_t *take_frames(cli_devtools *devtools)
{
    cli_websocket_frame frame;
    size_t *whole = &devtools->searched;
    while (cli_websocket_read(devtools->bytes + *whole, devtools->used - *whole, &frame)) {
        if (frame.kind == WEBSOCKET_PING)
            send_frame(
                devtools, WEBSOCKET_PONG, devtools->bytes + *whole + frame.header, frame.size);
        devtools->is_closed = devtools->is_closed || frame.kind == WEBSOCKET_CLOSE;
        bool is_data = frame.kind == WEBSOCKET_TEXT || frame.kind == WEBSOCKET_MORE;
        remove_bytes(devtools, *whole, frame.header + (is_data ? 0 : frame.size));
        if (!is_data) continue;
        *whole += frame.size;
        if (!frame.is_last) continue;
        json_t *message = json_loadb(devtools->bytes, *whole, JSON_ALLOW_NUL, NULL);
        remove_bytes(devtools, 0, *whole);
        *whole = 0;
        return message ? message : json_object();
    }
    return NULL;
}

/* Takes the first complete message out of the received bytes; NULL: no complete one. */
static json_t *take_message(cli_devtools *devtools)
{
    if (devtools->is_socket) return take_frames(devtools);
    char *end = devtools->used > devtools->searched ? memchr(devtools->bytes + devtools->searched,
                                                          0, devtools->used - devtools->searched)
                                                    : NULL;
    devtools->searched = devtools->used;
    if (!end) return NULL;
    size_t size = (size_t)(end - devtools->bytes);
    json_t *message = json_loadb(devtools->bytes, size, JSON_ALLOW_NUL, NULL);
    devtools->used -= size + 1;
    memmove(devtools->bytes, end + 1, devtools->used);
    devtools->searched = 0;
    return message ? message : json_object();
}

static hed_status keep_event(cli_devtools *devtools, json_t *message, hed_error *error)
{
    devtools_event *event = calloc(1, sizeof *event);
    if (!event) {
        json_decref(message);
        return HED_OUT_OF_MEMORY(error, "an event of the browser");
    }
    event->message = message;
    *devtools->last = event;
    devtools->last = &event->next;
    return HED_OK;
}

/* Hands an event on and releases it. */
static void deliver(cli_devtools *devtools, json_t *message)
{
    const char *session = json_string_value(json_object_get(message, "sessionId"));
    devtools->event(devtools->user, session ? session : "",
        json_string_value(json_object_get(message, "method")), json_object_get(message, "params"));
    json_decref(message);
}

static hed_status send_message(cli_devtools *devtools, const json_t *message, hed_error *error)
{
    char *text = json_dumps(message, JSON_COMPACT);
    if (!text) return HED_OUT_OF_MEMORY(error, "a message to the browser");
    bool is_sent = devtools->is_socket ? send_frame(devtools, WEBSOCKET_TEXT, text, strlen(text))
                                       : send_bytes(devtools, text, strlen(text) + 1);
    free(text);
    return is_sent && !devtools->is_closed ? HED_OK : conversation_ended(error);
}

void cli_devtools_set_limit(cli_devtools *devtools, double seconds)
{
    devtools->answer_seconds = seconds > 0 ? seconds : ANSWER_SECONDS;
}

hed_status cli_devtools_send(cli_devtools *devtools, const char *session, const char *method,
    json_t *parameters, hed_error *error)
{
    json_t *message = json_pack("{s:I, s:s, s:o}", "id", (json_int_t)++devtools->calls, "method",
        method, "params", parameters ? parameters : json_object());
    if (!message) return HED_OUT_OF_MEMORY(error, "a call of the browser");
    if (session && *session) json_object_set_new(message, "sessionId", json_string(session));
    hed_status status = send_message(devtools, message, error);
    json_decref(message);
    return status;
}

/* True if the browser may answer a call only after this event is handled: a click that opens a tab, frame or
 * worker, a request or a script that has stopped. The handlers of the last two call nothing that waits. */
static bool is_urgent(const char *session, const char *method)
{
    if (!method) return false;
    static const char *const stops[] = {"Fetch.requestPaused", "Debugger.paused",
        "network.beforeRequestSent", "browsingContext.userPromptOpened"};
    bool is_stop = false;
    for (size_t i = 0; i < HED_COUNT(stops); i++)
        is_stop = is_stop || strcmp(method, stops[i]) == 0;
    return is_stop || (session && *session && strcmp(method, "Target.attachedToTarget") == 0);
}

/* Removes and returns the answer to call `number` if it has arrived; hands on or keeps events before it. */
static json_t *find_answer(
    cli_devtools *devtools, const char *session, int64_t number, hed_error *error)
{
    char key[32];
    snprintf(key, sizeof key, "%lld", (long long)number);
    json_t *answer = json_incref(json_object_get(devtools->answers, key));
    if (answer) json_object_del(devtools->answers, key);
    while (!answer && !hed_failed(error) && (answer = take_message(devtools)) != NULL) {
        int64_t id = json_integer_value(json_object_get(answer, "id"));
        if (id == number) break;
        const char *method = json_string_value(json_object_get(answer, "method"));
        if (is_urgent(session, method)) deliver(devtools, answer);
        else if (json_object_get(answer, "method")) keep_event(devtools, answer, error);
        else if (devtools->depth > 1) {
            snprintf(key, sizeof key, "%lld", (long long)id);
            json_object_set_new(devtools->answers, key, answer);
        } else json_decref(answer);
        snprintf(key, sizeof key, "%lld", (long long)number);
        answer = json_incref(json_object_get(devtools->answers, key));
        if (answer) json_object_del(devtools->answers, key);
    }
    return answer;
}

static hed_status await_answer(cli_devtools *devtools, const char *session, const char *method,
    json_t **answer, hed_error *error)
{
    int64_t number = devtools->calls;
    uint64_t limit = hed_now() + (uint64_t)(1e9 * devtools->answer_seconds);
    while (!hed_failed(error)) {
        bool arrived;
        *answer = find_answer(devtools, session, number, error);
        if (*answer) break;
        if (hed_interrupted() || hed_now() > limit)
            return hed_fail(error, HED_ERROR_TIMEOUT, "browser: no answer to %s", method);
        receive_bytes(devtools, 0.1, &arrived, error);
    }
    return error->status;
}

hed_status cli_devtools_call(cli_devtools *devtools, const char *session, const char *method,
    json_t *parameters, json_t **result, hed_error *error)
{
    json_t *answer = NULL;
    if (result) *result = NULL;
    if (cli_devtools_send(devtools, session, method, parameters, error)) return error->status;
    devtools->depth++;
    await_answer(devtools, session, method, &answer, error);
    if (--devtools->depth == 0) json_object_clear(devtools->answers);
    const json_t *refused = json_object_get(answer, "error");
    if (refused)
        hed_fail(error, HED_ERROR_FORMAT, "browser: %s: %s", method,
            json_string_value(json_object_get(json_is_object(refused) ? refused : answer, "message")));
    else if (answer && result) *result = json_incref(json_object_get(answer, "result"));
    json_decref(answer);
    return error->status;
}

hed_status cli_devtools_evaluate(cli_devtools *devtools, const char *session, int64_t context,
    const char *text, json_t **value, hed_error *error)
{
    json_t *result = NULL;
    json_t *parameters = json_pack("{s:s, s:b, s:b, s:b}", "expression", text, "awaitPromise", 1,
        "returnByValue", 1, "userGesture", 1);
    if (value) *value = NULL;
    if (context) json_object_set_new(parameters, "contextId", json_integer(context));
    if (cli_devtools_call(devtools, session, "Runtime.evaluate", parameters, &result, error))
        return error->status;
    const json_t *exception_details = json_object_get(result, "exceptionDetails");
    if (exception_details) {
        const json_t *exception = json_object_get(exception_details, "exception");
        const char *description = json_string_value(json_object_get(exception, "description"));
        const char *brief = json_string_value(json_object_get(exception_details, "text"));
        hed_fail(error, HED_ERROR_FORMAT, "%s", description ? description : brief ? brief : "exception");
    } else if (value) *value = json_incref(json_object_get(json_object_get(result, "result"), "value"));
    json_decref(result);
    return error->status;
}

hed_status cli_devtools_wait(cli_devtools *devtools, double seconds, hed_error *error)
{
    uint64_t end = hed_now() + (uint64_t)(seconds * 1e9);
    for (bool last = false; !last;) {
        bool arrived = false;
        json_t *message;
        while ((message = take_message(devtools)) != NULL) {
            if (!json_object_get(message, "method")) json_decref(message);
            else if (keep_event(devtools, message, error)) return error->status;
        }
        while ((message = next_event(devtools)) != NULL) deliver(devtools, message);
        uint64_t time = hed_now();
        double left = hed_interrupted() || time >= end ? 0 : 1e-9 * (double)(end - time);
        if (receive_bytes(devtools, left < 0.1 ? left : 0.1, &arrived, error)) return error->status;
        last = !arrived && (hed_interrupted() || hed_now() >= end);
    }
    return HED_OK;
}
