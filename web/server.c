/* The server: libmicrohttpd on the loopback address, in a thread of its own. It serves the page's
 * files, forwards messages and replies, and refuses requests that do not come from its own page:
 * another Host (DNS rebinding) and another Origin with 403, no or a wrong token with 401, a body of
 * another type with 415, a body that is too long with 413, other methods with 405, all else with
 * 404. */
#include "web/web.h"

#include "heddle/shader.h"
#include "support/optional_libraries.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

extern const hed_source hed_web_page_files[]; /* embedded; ends with a name of NULL */

/* A browser opens six connections for a page, and reopens closed ones. Connections that send
 * nothing are closed soon, and the limit is high, so that they do not block a page. */
enum { MAX_CONNECTIONS = 512, IDLE_SECONDS = 15 };

typedef struct request {
    char *bytes;
    size_t size;
    bool too_long,
        is_asking; /* is_asking: requests messages, and is suspended until there are some */
} request;

double hed_web_now(void) { return (double)hed_now() * 1e-9; }

/* ---- lists ---- */

static bool list_put(hed_web_list *list, const char *bytes, size_t size)
{
    hed_web_item *item = malloc(sizeof *item + size + 1);
    if (!item) return false;
    *item = (hed_web_item){.size = size};
    memcpy(item->bytes, bytes, size);
    item->bytes[size] = 0;
    if (list->last) list->last->next = item;
    else list->first = item;
    list->last = item;
    list->count++;
    return true;
}

static hed_web_item *list_take(hed_web_list *list)
{
    hed_web_item *item = list->first;
    if (!item) return NULL;
    list->first = item->next;
    if (!list->first) list->last = NULL;
    list->count--;
    return item;
}

static void list_clear(hed_web_list *list)
{
    for (hed_web_item *item; (item = list_take(list));) free(item);
}

/* ---- answers ---- */

static enum MHD_Result answer(const hed_web *web, struct MHD_Connection *c, unsigned code,
    const char *type, const void *bytes, size_t size)
{
    struct MHD_Response *r =
        web->mhd.create_response_from_buffer(size, (void *)(uintptr_t)bytes, MHD_RESPMEM_MUST_COPY);
    if (!r) return MHD_NO;
    web->mhd.add_response_header(r, "Content-Type", type);
    /* Chromium's clock has steps of 5 us instead of 100 if both headers are present */
    web->mhd.add_response_header(r, "Cross-Origin-Opener-Policy", "same-origin");
    web->mhd.add_response_header(r, "Cross-Origin-Embedder-Policy", "require-corp");
    web->mhd.add_response_header(r, "Cross-Origin-Resource-Policy", "same-origin");
    web->mhd.add_response_header(r, "Content-Security-Policy",
        web->def.files
            ? "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; connect-src 'self'; img-src data:; "
              "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
            : "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
              "base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
    web->mhd.add_response_header(r, "X-Content-Type-Options", "nosniff");
    web->mhd.add_response_header(r, "Referrer-Policy", "no-referrer");
    web->mhd.add_response_header(r, "Cache-Control", "no-store");
    enum MHD_Result ok = web->mhd.queue_response(c, code, r);
    web->mhd.destroy_response(r);
    return ok;
}

static enum MHD_Result refuse(
    const hed_web *web, struct MHD_Connection *c, unsigned code, const char *reason)
{
    return answer(web, c, code, "text/plain; charset=utf-8", reason, strlen(reason));
}

static enum MHD_Result answer_json(
    const hed_web *web, struct MHD_Connection *c, const char *text, size_t size)
{
    return answer(web, c, MHD_HTTP_OK, "application/json", text, size);
}

static const char *type_of(const char *name)
{
    const char *end = strrchr(name, '.');
    return !end                        ? "application/octet-stream"
           : strcmp(end, ".js") == 0   ? "text/javascript; charset=utf-8"
           : strcmp(end, ".css") == 0  ? "text/css; charset=utf-8"
           : strcmp(end, ".wasm") == 0 ? "application/wasm"
                                       : "text/html; charset=utf-8";
}

static enum MHD_Result give_file(const hed_web *web, struct MHD_Connection *c, const char *url)
{
    const char *name = strcmp(url, "/") == 0 ? "index.html" : url + 1;
    for (uint32_t i = 0; i < web->def.file_count; i++)
        if (strcmp(web->def.files[i].name, name) == 0)
            return answer(web, c, MHD_HTTP_OK, type_of(name), web->def.files[i].bytes,
                web->def.files[i].size);
    if (web->def.files) return refuse(web, c, MHD_HTTP_NOT_FOUND, "no such page\n");
    for (const hed_source *file = hed_web_page_files; file->name; file++)
        if (strcmp(file->name, name) == 0)
            return answer(web, c, MHD_HTTP_OK, type_of(name), file->text, file->size);
    return refuse(web, c, MHD_HTTP_NOT_FOUND, "no such page\n");
}

/* ---- callers ---- */

/* Compares in a time that does not depend on the position of a difference. */
static bool same_secret(const char *a, const char *b)
{
    size_t size = strlen(b), different = strlen(a) ^ size;
    for (size_t i = 0; i < size && a[i]; i++) different |= (size_t)(a[i] ^ b[i]);
    return !different;
}

static const char *header_of(const hed_web *web, struct MHD_Connection *c, const char *name)
{
    return web->mhd.lookup_connection_value(c, MHD_HEADER_KIND, name);
}

static bool either(const char *text, const char *a, const char *b)
{
    return text && (strcmp(text, a) == 0 || strcmp(text, b) == 0);
}

/* Compares a Host header. The names contain the port, which is known once the daemon serves:
 * start() writes them under the lock. */
static bool is_own_host(hed_web *web, const char *host)
{
    pthread_mutex_lock(&web->lock);
    bool equal = either(host, web->host[0], web->host[1]);
    pthread_mutex_unlock(&web->lock);
    return equal;
}

/* Checks the headers, before a body is read. 0: accepted. */
static unsigned check_caller(hed_web *web, struct MHD_Connection *c, const char *url,
    const char *method, const char **reason)
{
    static const char bearer[] = "Bearer ", api[] = "/api/";
    bool post = strcmp(method, "POST") == 0, asks = strncmp(url, api, sizeof api - 1) == 0;
    const char *type =
        strcmp(url, "/api/output") == 0 ? "application/octet-stream" : "application/json";
    *reason = "another host\n";
    if (!is_own_host(web, header_of(web, c, "Host"))) return MHD_HTTP_FORBIDDEN;
    *reason = "GET or POST\n";
    if ((!post || !asks) && strcmp(method, "GET") != 0) return MHD_HTTP_METHOD_NOT_ALLOWED;
    if (!asks) return 0;
    const char *token = header_of(web, c, "Authorization"), *origin = header_of(web, c, "Origin"),
               *content = header_of(web, c, "Content-Type");
    *reason = "another origin\n";
    if ((post || origin) && !either(origin, web->origin[0], web->origin[1]))
        return MHD_HTTP_FORBIDDEN;
    *reason = "no token, or a wrong one\n";
    if (!token || strncmp(token, bearer, sizeof bearer - 1) != 0 ||
        !same_secret(token + sizeof bearer - 1, web->token))
        return MHD_HTTP_UNAUTHORIZED;
    *reason = "another type of content is expected\n";
    if (post && (!content || strncmp(content, type, strlen(type)) != 0))
        return MHD_HTTP_UNSUPPORTED_MEDIA_TYPE;
    return 0;
}

/* True if the page's session is the current one; then records the time. */
static bool is_session(hed_web *web, struct MHD_Connection *c)
{
    const char *session = web->mhd.lookup_connection_value(c, MHD_GET_ARGUMENT_KIND, "session");
    bool is_current = session && web->session && strtoul(session, NULL, 10) == web->session;
    if (is_current) web->heard = hed_web_now();
    return is_current;
}

/* ---- requests ---- */

/* Sends all messages as one array; suspends the connection if the queue is empty. Called with the
 * lock. */
static enum MHD_Result give_messages(hed_web *web, struct MHD_Connection *c, request *state)
{
    size_t size = 2;
    for (hed_web_item *item = web->messages.first; item; item = item->next) size += item->size + 1;
    if (!web->messages.count && state->is_asking)
        return answer(web, c, MHD_HTTP_NO_CONTENT, "text/plain", "", 0);
    if (!web->messages.count) {
        state->is_asking = true;
        if (web->waiting) web->mhd.resume_connection(web->waiting);
        web->waiting = c;
        web->waiting_since = hed_web_now();
        web->mhd.suspend_connection(c);
        return MHD_YES;
    }
    char *text = malloc(size + 1), *to = text;
    if (!text) return MHD_NO;
    for (hed_web_item *item; (item = list_take(&web->messages)); free(item)) {
        *to = to == text ? '[' : ',';
        to++;
        memcpy(to, item->bytes, item->size);
        to += item->size;
    }
    *to++ = ']';
    enum MHD_Result ok = answer_json(web, c, text, (size_t)(to - text));
    free(text);
    return ok;
}

static enum MHD_Result take_hello(hed_web *web, struct MHD_Connection *c, const request *got)
{
    hed_page page;
    hed_error error = {0};
    char text[64];
    if (hed_page_read(got->bytes ? got->bytes : "", got->size, &page, &error))
        return refuse(web, c, MHD_HTTP_BAD_REQUEST, error.text);
    if (web->session && hed_web_now() - web->heard < HED_WEB_SILENCE)
        return refuse(
            web, c, MHD_HTTP_CONFLICT, "another page is tuning here; close one of them\n");
    web->page = page;
    web->has_page = true;
    web->session++;
    web->heard = hed_web_now();
    list_clear(&web->messages);
    list_clear(&web->answers);
    pthread_cond_broadcast(&web->changed);
    int size = snprintf(
        text, sizeof text, "{\"session\":%u,\"quantum\":%u}", web->session, web->def.quantum);
    return answer_json(web, c, text, (size_t)size);
}

static enum MHD_Result take_result(hed_web *web, struct MHD_Connection *c, const request *got)
{
    if (web->answers.count >= HED_WEB_MOST_WAITING)
        return refuse(web, c, MHD_HTTP_SERVICE_UNAVAILABLE, "too many answers\n");
    if (!list_put(&web->answers, got->bytes ? got->bytes : "", got->size)) return MHD_NO;
    pthread_cond_broadcast(&web->changed);
    return answer(web, c, MHD_HTTP_NO_CONTENT, "text/plain", "", 0);
}

static enum MHD_Result take_output(hed_web *web, struct MHD_Connection *c, const request *got)
{
    if (!web->output || web->output_done || got->size != web->output_bytes)
        return refuse(web, c, MHD_HTTP_BAD_REQUEST, "no output of this size is wanted\n");
    memcpy(web->output, got->bytes, got->size);
    web->output_done = true;
    pthread_cond_broadcast(&web->changed);
    return answer(web, c, MHD_HTTP_NO_CONTENT, "text/plain", "", 0);
}

/* Serves /api/data/3/first, /api/data/3/expected, /api/data/3/marks. */
static enum MHD_Result give_data(hed_web *web, struct MHD_Connection *c, const char *path)
{
    char *end;
    unsigned long argument = strtoul(path, &end, 10);
    static const char *const names[HED_WEB_PARTS] = {"/first", "/expected", "/marks"};
    uint32_t part = 0;
    while (part < HED_WEB_PARTS && strcmp(end, names[part]) != 0) part++;
    if (end == path || argument >= HED_MAX_ARGUMENTS || part == HED_WEB_PARTS ||
        !web->contents[argument].bytes[part])
        return refuse(web, c, MHD_HTTP_NOT_FOUND, "no such content\n");
    return answer(web, c, MHD_HTTP_OK, "application/octet-stream",
        web->contents[argument].bytes[part], web->contents[argument].sizes[part]);
}

static enum MHD_Result give_state(hed_web *web, struct MHD_Connection *c)
{
    char *text = web->def.state(web->def.user);
    enum MHD_Result ok = text ? answer_json(web, c, text, strlen(text))
                              : refuse(web, c, MHD_HTTP_SERVICE_UNAVAILABLE, "not to be had now\n");
    free(text);
    return ok;
}

/* Answers a request of the program's own page: JSON, or bytes for names after "bytes/". */
static enum MHD_Result give_own(
    const hed_web *web, struct MHD_Connection *c, const char *name, bool post, const request *got)
{
    static const char prefix[] = "bytes/";
    hed_error error = {0};
    char *text = NULL;
    void *bytes = NULL;
    size_t count = 0;
    const char *body = !post ? NULL : got->bytes ? got->bytes : "";
    if (got->bytes) got->bytes[got->size] = 0;
    if (web->def.bytes && post && strncmp(name, prefix, sizeof prefix - 1) == 0)
        web->def.bytes(
            web->def.user, name + sizeof prefix - 1, body, got->size, &bytes, &count, &error);
    else web->def.answer(web->def.user, name, body, got->size, &text, &error);
    enum MHD_Result ok =
        hed_failed(&error) || (!text && !bytes)
            ? refuse(web, c, MHD_HTTP_BAD_REQUEST, error.text[0] ? error.text : "no such thing\n")
        : bytes ? answer(web, c, MHD_HTTP_OK, "application/octet-stream", bytes, count)
                : answer_json(web, c, text, strlen(text));
    free(text);
    free(bytes);
    return ok;
}

static enum MHD_Result serve_api(
    hed_web *web, struct MHD_Connection *c, const char *path, bool post, request *got)
{
    static const char data[] = "data/";
    if (got->too_long) return refuse(web, c, MHD_HTTP_CONTENT_TOO_LARGE, "too long\n");
    if (web->def.answer) return give_own(web, c, path, post, got);
    bool hello = strcmp(path, "hello") == 0, result = strcmp(path, "result") == 0,
         output = strcmp(path, "output") == 0, bye = strcmp(path, "bye") == 0,
         state = strcmp(path, "state") == 0 && web->def.state, next = strcmp(path, "next") == 0,
         contents = strncmp(path, data, sizeof data - 1) == 0;
    if (!hello && !result && !output && !bye && !next && !contents && !state)
        return refuse(web, c, MHD_HTTP_NOT_FOUND, "no such thing\n");
    if (post != (hello || result || output || bye))
        return refuse(web, c, MHD_HTTP_METHOD_NOT_ALLOWED, "another method is expected\n");
    if (hello) return take_hello(web, c, got);
    if (state) return give_state(web, c);
    if (!is_session(web, c)) return refuse(web, c, MHD_HTTP_GONE, "another page has replaced this one\n");
    if (next) return give_messages(web, c, got);
    if (bye) { /* the page is being closed or reloaded */
        web->heard = -HED_WEB_SILENCE;
        pthread_cond_broadcast(&web->changed);
        return answer(web, c, MHD_HTTP_NO_CONTENT, "text/plain", "", 0);
    }
    return result   ? take_result(web, c, got)
           : output ? take_output(web, c, got)
                    : give_data(web, c, path + sizeof data - 1);
}

/* Takes a piece of a body; the rest of a body that is too long is read and dropped. */
static void take_piece(const hed_web *web, request *got, const char *data, size_t size)
{
    uint64_t limit = web->def.answer ? HED_WEB_MOST_OWN : HED_WEB_MOST_BODY;
    if (web->output && web->output_bytes > limit) limit = web->output_bytes;
    char *grown = got->too_long || got->size + size > limit
                      ? NULL
                      : realloc(got->bytes, got->size + size + 1);
    got->too_long = !grown;
    if (!grown) return;
    memcpy(grown + got->size, data, size);
    got->bytes = grown;
    got->size += size;
}

/* Called first with the headers, which decide if more is read; then with each piece of a body, and
 * once more at the end. */
static enum MHD_Result serve(void *user, struct MHD_Connection *c, const char *url,
    const char *method, const char *version, const char *data, size_t *size, void **state)
{
    static const char api[] = "/api/";
    hed_web *web = user;
    request *got = *state;
    const char *reason;
    (void)version;
    if (!got) {
        unsigned code = check_caller(web, c, url, method, &reason);
        if (code) return refuse(web, c, code, reason);
        return (*state = calloc(1, sizeof *got)) ? MHD_YES : MHD_NO;
    }
    pthread_mutex_lock(&web->lock);
    enum MHD_Result ok = MHD_YES;
    if (*size) {
        take_piece(web, got, data, *size);
        *size = 0;
    } else if (strncmp(url, api, sizeof api - 1) == 0) {
        ok = serve_api(web, c, url + sizeof api - 1, strcmp(method, "POST") == 0, got);
    } else {
        ok = give_file(web, c, url);
    }
    pthread_mutex_unlock(&web->lock);
    return ok;
}

static void completed(
    void *user, struct MHD_Connection *c, void **state, enum MHD_RequestTerminationCode cause)
{
    hed_web *web = user;
    request *got = *state;
    (void)cause;
    pthread_mutex_lock(&web->lock);
    if (web->waiting == c) web->waiting = NULL;
    pthread_mutex_unlock(&web->lock);
    if (got) free(got->bytes);
    free(got);
    *state = NULL;
}

/* ---- the other side of the lists ---- */

/* Called with the lock. */
static void wake_page(hed_web *web)
{
    if (web->waiting) web->mhd.resume_connection(web->waiting);
    web->waiting = NULL;
}

hed_status hed_web_send(hed_web *web, const char *text, size_t size, hed_error *error)
{
    if (hed_failed(error)) return error->status;
    pthread_mutex_lock(&web->lock);
    bool is_queued = list_put(&web->messages, text, size);
    wake_page(web);
    pthread_mutex_unlock(&web->lock);
    return is_queued ? HED_OK : HED_OUT_OF_MEMORY(error, "a message");
}

/* Waits 50 ms for a change, and resumes the page's pending request now and then, so that the page's
 * next request shows that it is alive. Called with the lock. */
static void wait_for_change(hed_web *web)
{
    uint64_t until = hed_now() + 50000000;
    const struct timespec moment = {
        .tv_sec = (time_t)(until / 1000000000), .tv_nsec = (long)(until % 1000000000)};
    pthread_cond_clockwait(&web->changed, &web->lock, CLOCK_MONOTONIC, &moment);
    if (web->waiting && hed_web_now() - web->waiting_since > HED_WEB_POLL) wake_page(web);
}

hed_web_item *hed_web_receive(hed_web *web)
{
    pthread_mutex_lock(&web->lock);
    if (!web->answers.count) wait_for_change(web);
    hed_web_item *item = list_take(&web->answers);
    pthread_mutex_unlock(&web->lock);
    return item;
}

void hed_web_forget(hed_web *web)
{
    pthread_mutex_lock(&web->lock);
    list_clear(&web->messages);
    list_clear(&web->answers);
    pthread_mutex_unlock(&web->lock);
}

bool hed_web_restart(hed_web *web)
{
    if (!web->def.restart || !web->def.restart(web->def.user)) return false;
    pthread_mutex_lock(&web->lock);
    web->heard = -HED_WEB_SILENCE; /* the previous page sends no farewell */
    web->restarted = hed_web_now();
    pthread_mutex_unlock(&web->lock);
    return true;
}

bool hed_web_revive(hed_web *web)
{
    enum { MOST_REVIVALS = 5 };
    if (!web->def.has_ended || web->revivals == MOST_REVIVALS || !web->def.has_ended(web->def.user))
        return false;
    web->revivals++;
    return hed_web_restart(web);
}

hed_page hed_web_page(hed_web *web)
{
    pthread_mutex_lock(&web->lock);
    hed_page page = web->page;
    pthread_mutex_unlock(&web->lock);
    return page;
}

uint32_t hed_web_session(hed_web *web)
{
    pthread_mutex_lock(&web->lock);
    bool is_alive = web->session && hed_web_now() - web->heard < HED_WEB_SILENCE;
    uint32_t session = is_alive ? web->session : 0;
    pthread_mutex_unlock(&web->lock);
    return session;
}

/* ---- the device ---- */

/* Hashes an architecture's name to a number, so that equal names have equal numbers: FNV-1a. */
static uint32_t architecture_number(const char *word)
{
    uint32_t hash = 2166136261u;
    for (; *word; word++) hash = (hash ^ (unsigned char)*word) * 16777619u;
    return hash & 0x7fffffff;
}

static hed_status make_device(hed_web *web, hed_error *error)
{
    const hed_page description = hed_web_page(web), *page = &description;
    char name[HED_WEB_TEXT], whole[8 * HED_WEB_TEXT];
    const char *name_source = page->description[0] ? page->description : page->device;
    if (page->error[0])
        return hed_fail(
            error, HED_ERROR_NO_DEVICE, "the browser (%s) cannot: %s", page->agent, page->error);
    snprintf(whole, sizeof whole, "%s%s%s%s%s", page->vendor, page->vendor[0] ? " " : "",
        name_source[0] ? name_source : page->architecture,
        name_source[0] || page->architecture[0] ? "" : "GPU of a browser",
        page->fallback ? " (software)" : "");
    hed_web_fit(name, sizeof name, whole);
    uint64_t widths = 0;
    for (uint64_t width = page->widths[0]; width && width < page->widths[1]; width *= 2)
        widths |= width | width << 1;
    uint64_t binding = page->max_binding < page->max_buffer ? page->max_binding : page->max_buffer;
    const hed_device_info info = {.id = "browser",
        .backend = "browser",
        .platform = "WebGPU",
        .name = name,
        .vendor = page->vendor,
        .driver = page->agent,
        .type = page->fallback ? HED_DEVICE_CPU : HED_DEVICE_GPU,
        .architecture = page->architecture[0] ? architecture_number(page->architecture) : 0,
        .max_group = page->max_group,
        .max_group_size = {page->max_group_size[0], page->max_group_size[1],
            page->max_group_size[2]},
        .max_groups = {page->max_groups, page->max_groups, page->max_groups},
        .local_bytes = page->local_bytes,
        .max_buffer_bytes = binding,
        .capabilities = HED_CAN_WGSL | (page->stamps ? HED_CAN_DEVICE_TIME : 0) |
                        (page->halves ? HED_CAN_FP16 : 0) | (page->subgroups ? HED_CAN_LANES : 0) |
                        widths << HED_SUBGROUP_WIDTHS};
    return hed_device_create_described(web->def.context, &info, &web->device, error);
}

hed_status hed_web_wait(hed_web *web, double seconds, hed_device **device, hed_error *error)
{
    HED_REQUIRE(web, device);
    double until = hed_web_now() + seconds;
    bool stopped = false, is_alive = false;
    while (!is_alive && !stopped && hed_web_now() < until) {
        pthread_mutex_lock(&web->lock);
        if (!web->has_page) wait_for_change(web);
        is_alive = web->has_page;
        pthread_mutex_unlock(&web->lock);
        stopped = web->def.idle && web->def.idle(web->def.user);
        if (!is_alive && !stopped)
            hed_web_revive(web); /* a browser that ended before its page was open */
    }
    if (!is_alive)
        return hed_fail(error, HED_ERROR_TIMEOUT,
            stopped ? "stopped before a page was opened%.0f" : "no page was opened within %.0f s",
            seconds);
    if (!web->device && make_device(web, error)) return error->status;
    *device = web->device;
    return HED_OK;
}

/* ---- creating and destroying ---- */

static hed_status make_token(hed_web *web, hed_error *error)
{
    unsigned char random[16];
    if (getrandom(random, sizeof random, 0) != sizeof random)
        return hed_fail(error, HED_ERROR_IO, "the system gives no random numbers");
    for (int i = 0; i < 16; i++) snprintf(web->token + 2 * i, 3, "%02x", random[i]);
    return HED_OK;
}

static hed_status load_library(hed_web *web, hed_error *error)
{
#define NAME(result, name, parameters) "MHD_" #name,
    static const char *const names[] = {HED_MHD_FUNCTIONS(NAME)};
#undef NAME
    void *slots[sizeof names / sizeof *names];
    _Static_assert(sizeof web->mhd == sizeof slots, "functions alone");
    const hed_library_def *library = &hed_optional_libraries[HED_LIBRARY_MICROHTTPD];
    hed_status status = hed_library_load(
        &web->allocator, library, names, slots, sizeof names / sizeof *names, NULL, error);
    if (!status) memcpy(&web->mhd, slots, sizeof slots);
    return status;
}

/* Refuses connections of other users before they send data. */
static enum MHD_Result accept_caller(void *user, const struct sockaddr *from, socklen_t size)
{
    hed_web *web = user;
    (void)size;
    if (from->sa_family != AF_INET) return MHD_NO;
    unsigned port = ntohs(((const struct sockaddr_in *)(const void *)from)->sin_port);
    pthread_mutex_lock(&web->lock);
    unsigned to = web->port;
    pthread_mutex_unlock(&web->lock);
    return hed_web_caller_may(port, to) ? MHD_YES : MHD_NO;
}

static hed_status start(hed_web *web, hed_error *error)
{
    static const char *const names[] = {"127.0.0.1", "localhost"};
    struct sockaddr_in loopback = {.sin_family = AF_INET,
        .sin_port = htons(web->def.port),
        .sin_addr = {htonl(INADDR_LOOPBACK)}};
    web->daemon = web->mhd.start_daemon(MHD_USE_INTERNAL_POLLING_THREAD | MHD_ALLOW_SUSPEND_RESUME,
        0, accept_caller, web, serve, web, MHD_OPTION_SOCK_ADDR, &loopback,
        MHD_OPTION_NOTIFY_COMPLETED, completed, web, MHD_OPTION_CONNECTION_TIMEOUT,
        (unsigned)IDLE_SECONDS, MHD_OPTION_CONNECTION_LIMIT, (unsigned)MAX_CONNECTIONS,
        MHD_OPTION_END);
    if (!web->daemon)
        return hed_fail(error, HED_ERROR_IO, "cannot serve on port %u of 127.0.0.1: it is taken",
            web->def.port);
    unsigned port = web->mhd.get_daemon_info(web->daemon, MHD_DAEMON_INFO_BIND_PORT)->port;
    pthread_mutex_lock(&web->lock);
    web->port = port;
    for (int i = 0; i < 2; i++) {
        snprintf(web->host[i], sizeof web->host[i], "%s:%u", names[i], port);
        snprintf(web->origin[i], sizeof web->origin[i], "http://%s:%u", names[i], port);
    }
    pthread_mutex_unlock(&web->lock);
    char mask[32] = "";
    if (web->def.quantum) snprintf(mask, sizeof mask, "?quantum=%u", web->def.quantum);
    snprintf(web->address, sizeof web->address, "http://127.0.0.1:%u/%s%s#%s", port,
        web->def.state ? "serve.html" : "", mask, web->token);
    return HED_OK;
}

hed_status hed_web_create(const hed_web_def *def, hed_web **web, hed_error *error)
{
    HED_REQUIRE(def, web);
    *web = NULL;
    hed_allocator allocator = hed_context_describe(def->context).allocator;
    hed_web *server = hed_new(&allocator, 1, sizeof *server, error);
    if (!server) return error->status;
    server->def = *def;
    server->allocator = allocator;
    pthread_mutex_init(&server->lock, NULL);
    pthread_cond_init(&server->changed, NULL);
    if (!load_library(server, error) && !make_token(server, error)) start(server, error);
    if (hed_failed(error)) hed_web_destroy(server);
    else *web = server;
    return error->status;
}

const char *hed_web_address(const hed_web *web) { return web ? web->address : ""; }

void hed_web_destroy(hed_web *web)
{
    if (!web) return;
    static const char end[] = "{\"do\":\"end\"}";
    if (web->daemon && hed_web_session(web)) {
        hed_web_send(web, end, sizeof end - 1, NULL);
        double until = hed_web_now() + 0.5;
        for (bool is_sent = false; !is_sent && hed_web_now() < until;) {
            pthread_mutex_lock(&web->lock);
            is_sent = !web->messages.count;
            if (!is_sent) wait_for_change(web);
            pthread_mutex_unlock(&web->lock);
        }
    }
    pthread_mutex_lock(&web->lock);
    wake_page(web);
    pthread_mutex_unlock(&web->lock);
    if (web->daemon) web->mhd.stop_daemon(web->daemon);
    list_clear(&web->messages);
    list_clear(&web->answers);
    hed_device_release(web->device);
    pthread_mutex_destroy(&web->lock);
    pthread_cond_destroy(&web->changed);
    hed_allocator allocator = web->allocator;
    hed_delete(&allocator, web, 1, sizeof *web);
}
