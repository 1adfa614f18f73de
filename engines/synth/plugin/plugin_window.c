/* The plugin's end of its window: starts the process, and exchanges messages with it. */
#include "plugin_window.h"

#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "heddle/author.h"

enum {
    WAIT_MS = 25,     /* time between two looks at knobs and instrument */
    CHECK_MS = 10000, /* limit of `--check`, on a busy machine */
    END_MS = 500,     /* patience with a process that has to end */
    SOCKET_SECONDS =
        2 /* silence in the middle of a message after which the process counts as hung */
};

struct plugin_window {
    plugin_window_def def;
    int socket;
    pid_t process;
    pthread_t thread;
    pthread_mutex_t sending;
    _Atomic bool is_closing;
    /* owned by the thread */
    uint64_t number; /* hed_synth_player_text()'s, last seen */
    char *text;      /* the page's text (size + 1) */
    size_t size;
    float reported[HED_SYNTH_KNOB_COUNT]; /* knobs as last is_sent */
};

/* ---- the process ---- */

/* Starts `heddle synth window` with `socket` as its standard input and `output` (-1: /dev/null) as
 * its standard output. -1: the command is missing. */
static pid_t start_process(int socket, int output, const char *option, const char *value)
{
    static const char *const commands[] = {"heddle", HEDDLE_COMMAND};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t signals;
    pid_t process = -1;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, socket, 0);
    if (output >= 0) posix_spawn_file_actions_adddup2(&files, output, 1);
    else posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
    posix_spawnattr_init(&attributes);
    sigemptyset(&signals); /* threads of hosts block signals, and a child would inherit that */
    posix_spawnattr_setsigmask(&attributes, &signals);
    sigaddset(&signals, SIGPIPE);
    sigaddset(&signals, SIGCHLD);
    posix_spawnattr_setsigdefault(&attributes, &signals);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    for (size_t i = 0; i < HED_COUNT(commands) && process < 0; i++) {
        char *arguments[] = {(char *)(uintptr_t)commands[i], (char[]){"synth"}, (char[]){"window"},
            (char *)(uintptr_t)option, (char *)(uintptr_t)value, NULL};
        if (posix_spawnp(&process, commands[i], &files, &attributes, arguments, environ))
            process = -1;
    }
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return process;
}

/* Waits for the process to end, and ends it by force after END_MS. */
static void end_process(pid_t process)
{
    for (int waited = 0; waited < END_MS; waited += 5) {
        if (waitpid(process, NULL, WNOHANG)) return; /* ended, or the host has waited for it */
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    }
    kill(process, SIGKILL);
    waitpid(process, NULL, 0);
}

/* A connected pair of sockets that other children of the host do not inherit. */
static bool make_sockets(int sockets[2])
{
    const struct timeval patience = {.tv_sec = SOCKET_SECONDS};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets)) return false;
    setsockopt(sockets[0], SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    setsockopt(sockets[0], SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    return true;
}

/* Runs `heddle synth window --check` and reads its greeting. */
static bool check_window(void)
{
    int sockets[2];
    char greeting[sizeof WINDOW_GREETING] = "";
    size_t size = 0;
    if (!make_sockets(sockets)) return false;
    pid_t process = start_process(sockets[1], sockets[1], "--check", NULL);
    close(sockets[1]);
    struct pollfd entry = {.fd = sockets[0], .events = POLLIN};
    while (process >= 0 && size + 1 < sizeof greeting && poll(&entry, 1, CHECK_MS) > 0) {
        ssize_t received = recv(sockets[0], greeting + size, sizeof greeting - 1 - size, 0);
        if (received <= 0) break;
        size += (size_t)received;
    }
    close(sockets[0]);
    if (process >= 0) end_process(process);
    return strcmp(greeting, WINDOW_GREETING) == 0;
}

static bool can_open;
static void find_window(void) { can_open = check_window(); }

bool plugin_window_can_open(void)
{
    static pthread_once_t first_call = PTHREAD_ONCE_INIT;
    pthread_once(&first_call, find_window);
    return can_open;
}

/* ---- messages to the page ---- */

static bool send_to_page(plugin_window *w, window_kind kind, const void *first, size_t first_size,
    const void *second, size_t second_size)
{
    pthread_mutex_lock(&w->sending);
    bool is_sent = window_send(w->socket, kind, first, first_size, second, second_size);
    pthread_mutex_unlock(&w->sending);
    return is_sent;
}

/* Reads the player's text; NULL: no memory, or no instrument. */
static char *present_text(plugin_window *w, size_t *size)
{
    size_t room = 0;
    char *text = NULL;
    for (*size = hed_synth_player_text(w->def.player, NULL, 0, NULL); *size >= room;) {
        room = *size + 1;
        free(text);
        text = malloc(room);
        if (!text) return NULL;
        *size = hed_synth_player_text(w->def.player, text, room, &w->number);
    }
    return text;
}

/* Sends an instrument that the host or a session has loaded. */
static bool send_instrument(plugin_window *w)
{
    uint64_t number;
    hed_synth_player_text(w->def.player, NULL, 0, &number);
    if (number == w->number) return true;
    size_t size;
    char *text = present_text(w, &size);
    if (!text) return true;
    bool is_same = w->text && size == w->size && memcmp(text, w->text, size) == 0;
    free(w->text);
    w->text = text;
    w->size = size;
    if (is_same) return true;
    hed_synth_player_info info;
    info = hed_synth_player_describe(w->def.player);
    for (uint32_t i = 0; i < HED_SYNTH_KNOB_COUNT; i++) w->reported[i] = NAN;
    return send_to_page(w, WINDOW_INSTRUMENT, info.name, strlen(info.name) + 1, text, size);
}

static bool send_knobs(plugin_window *w)
{
    for (uint32_t i = 0; i < HED_SYNTH_KNOB_COUNT; i++) {
        const window_knob knob = {i, hed_synth_player_knob(w->def.player, i)};
        if (knob.value == w->reported[i]) continue;
        w->reported[i] = knob.value;
        if (!send_to_page(w, WINDOW_KNOB, &knob, sizeof knob, NULL, 0)) return false;
    }
    return true;
}

/* ---- messages from the page ---- */

static void put_event(plugin_window *w, const plugin_window_event *event)
{
    hed_ring_push(w->def.events, event); /* full: the host does not run the plugin */
    w->def.acted(w->def.user);
}

/* Loads the page's instrument: `name` NULL: the present one, edited. */
static bool take_page_text(plugin_window *w, const char *name, const char *text, size_t size)
{
    hed_error error = {0};
    if (name) hed_synth_player_load_text(w->def.player, text, size, name, &error);
    else hed_synth_player_edit(w->def.player, text, size, &error);
    if (error.status)
        return send_to_page(w, WINDOW_REFUSED, error.text, strlen(error.text), NULL, 0);
    char *copy = malloc(size + 1);
    if (copy) memcpy(copy, text, size);
    free(w->text);
    w->text = copy;
    w->size = size;
    for (uint32_t i = 0; name && i < HED_SYNTH_KNOB_COUNT; i++) w->reported[i] = NAN;
    w->def.edited(w->def.user);
    return true;
}

static bool take_content(plugin_window *w, const window_head *head, const char *content)
{
    window_knob knob = {0};
    const char *end = memchr(content, 0, head->size);
    switch (head->kind) {
    case WINDOW_INSTRUMENT:
        return !end ||
               take_page_text(w, content, end + 1, head->size - (size_t)(end + 1 - content));
    case WINDOW_EDIT: return take_page_text(w, NULL, content, head->size);
    case WINDOW_KNOB:
    case WINDOW_TOUCH:
        if (head->size != sizeof knob) return false;
        memcpy(&knob, content, sizeof knob);
        if (knob.knob >= HED_SYNTH_KNOB_COUNT || !isfinite(knob.value)) return true;
        put_event(
            w, &(plugin_window_event){.kind = head->kind, .knob = knob.knob, .value = knob.value});
        return true;
    case WINDOW_NOTE: {
        plugin_window_event event = {.kind = WINDOW_NOTE};
        if (head->size != sizeof event.bytes) return false;
        memcpy(event.bytes, content, sizeof event.bytes);
        put_event(w, &event);
        return true;
    }
    default: return false; /* another version of the command */
    }
}

static bool take_page_message(plugin_window *w)
{
    window_head head;
    if (!window_receive(w->socket, &head, sizeof head) || head.size > WINDOW_MOST_TEXT)
        return false;
    char *content = malloc(head.size + 1);
    bool is_valid = content && window_receive(w->socket, content, head.size);
    if (is_valid) {
        content[head.size] = 0;
        is_valid = take_content(w, &head, content);
    }
    free(content);
    return is_valid;
}

static void *follow_window(void *user)
{
    plugin_window *w = user;
    bool is_open = true;
    while (is_open && !atomic_load(&w->is_closing)) {
        struct pollfd entry = {.fd = w->socket, .events = POLLIN};
        int ready = poll(&entry, 1, WAIT_MS);
        is_open = ready <= 0 || take_page_message(w);
        is_open = is_open && send_instrument(w) && send_knobs(w);
    }
    if (!atomic_load(&w->is_closing)) {
        shutdown(w->socket, SHUT_RDWR); /* a process that hangs sees the end when it wakes */
        w->def.closed(w->def.user);
    }
    return NULL;
}

/* ---- the host's main thread ---- */

hed_status plugin_window_open(
    const plugin_window_def *def, plugin_window **window, hed_error *error)
{
    plugin_window *w = calloc(1, sizeof *w);
    int sockets[2];
    char parent[24];
    *window = NULL;
    if (!w) return HED_OUT_OF_MEMORY(error, "a window");
    w->def = *def;
    for (uint32_t i = 0; i < HED_SYNTH_KNOB_COUNT; i++) w->reported[i] = NAN;
    snprintf(parent, sizeof parent, "%lu", def->parent);
    if (!make_sockets(sockets)) {
        free(w);
        return hed_fail(error, HED_ERROR_IO, "cannot create the sockets of the window");
    }
    w->socket = sockets[0];
    w->process = start_process(sockets[1], -1, def->parent ? "--parent" : NULL, parent);
    close(sockets[1]);
    if (w->process < 0)
        hed_fail(error, HED_ERROR_UNSUPPORTED, "the command heddle, which shows the window, is not in PATH");
    pthread_mutex_init(&w->sending, NULL);
    if (w->process >= 0 && pthread_create(&w->thread, NULL, follow_window, w) == 0) {
        *window = w;
        return HED_OK;
    }
    close(w->socket);
    if (w->process >= 0) end_process(w->process);
    pthread_mutex_destroy(&w->sending);
    free(w);
    return error && error->status ? error->status : HED_OUT_OF_MEMORY(error, "a thread");
}

void plugin_window_close(plugin_window *w)
{
    if (!w) return;
    atomic_store(&w->is_closing, true);
    shutdown(w->socket, SHUT_RDWR);
    pthread_join(w->thread, NULL);
    close(w->socket);
    end_process(w->process);
    pthread_mutex_destroy(&w->sending);
    free(w->text);
    free(w);
}

bool plugin_window_show(plugin_window *w, bool is_shown)
{
    return send_to_page(w, is_shown ? WINDOW_SHOW : WINDOW_HIDE, NULL, 0, NULL, 0);
}

bool plugin_window_resize(plugin_window *w, uint32_t width, uint32_t height)
{
    const window_size size = {width, height};
    return send_to_page(w, WINDOW_SIZE, &size, sizeof size, NULL, 0);
}

bool plugin_window_name(plugin_window *w, const char *title)
{
    return send_to_page(w, WINDOW_TITLE, title, strlen(title), NULL, 0);
}
