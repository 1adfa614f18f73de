/* The server and the runner over it, against a page in C that speaks through sockets as a browser
 * would, and also as no browser should. */
#include "folder.h"

#include <arpa/inet.h>
#include <math.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "heddle/web.h"
#include "support/file.h"
#include "support/json.h"
#include "web/web.h"

static _Thread_local hed_error error; /* tests with threads share no error */
static hed_context *context;
static hed_web *web;
static char address[128]; /* of the server, also once that is gone */

static void web_open(void)
{
    folder_make();
    hed_context_def def = hed_default_context_def();
    def.database = in_folder("tuning.db");
    OK(hed_context_create(&def, &context, &error));
    hed_status status =
        hed_web_create(&(hed_web_def){.context = context, .patience = 3}, &web, &error);
    if (status == HED_ERROR_UNSUPPORTED) test_skip("%s", error.text);
    OK(status);
    snprintf(address, sizeof address, "%s", hed_web_address(web));
}

static void web_close(void)
{
    hed_web_destroy(web);
    hed_context_destroy(context);
    folder_remove();
}

TestSuite(web, .init = web_open, .fini = web_close);

/* ---- HTTP ---- */

typedef struct reply {
    int status;
    char *bytes, *body; /* body lies in bytes */
    size_t size;        /* of the body */
} reply;

static unsigned port_of_server(void)
{
    unsigned port = 0;
    CHECK_EQ(sscanf(address, "http://127.0.0.1:%u/", &port), 1);
    return port;
}
static const char *token_of_server(void) { return strchr(address, '#') + 1; }

/* Sends all of a request and reads all of the answer; the server is told to close the line. */
static reply http_raw(const char *request, size_t size)
{
    reply r = {0};
    struct sockaddr_in to = {.sin_family = AF_INET,
        .sin_port = htons((uint16_t)port_of_server()),
        .sin_addr = {htonl(INADDR_LOOPBACK)}};
    int line = socket(AF_INET, SOCK_STREAM, 0);
    CHECK_GE(line, 0);
    bool there = connect(line, (struct sockaddr *)&to, sizeof to) == 0;
    for (size_t sent = 0; there && sent < size;) {
        ssize_t n = send(line, request + sent, size - sent, MSG_NOSIGNAL);
        if (n <= 0) break; /* it has refused already */
        sent += (size_t)n;
    }
    size_t used = 0, capacity = 0;
    for (ssize_t n = 1; n > 0; used += n > 0 ? (size_t)n : 0) {
        if (used + 4096 > capacity) r.bytes = realloc(r.bytes, capacity += 65536);
        CHECK_NOT_NULL(r.bytes);
        n = recv(line, r.bytes + used, 4095, 0);
    }
    close(line);
    r.bytes[used] = 0;
    if (sscanf(r.bytes, "HTTP/1.1 %d", &r.status) != 1) r.status = 0;
    r.body = strstr(r.bytes, "\r\n\r\n");
    r.body = r.body ? r.body + 4 : r.bytes + used;
    r.size = used - (size_t)(r.body - r.bytes);
    return r;
}

/* What a request may say otherwise than it should; NULL: as it should, "": not at all. */
typedef struct oddity {
    const char *host, *origin, *token, *type, *method;
} oddity;

static reply http(const char *path, const void *body, size_t size, oddity odd)
{
    char head[1024], own[64], origin[80];
    bool post = body != NULL;
    snprintf(own, sizeof own, "127.0.0.1:%u", port_of_server());
    snprintf(origin, sizeof origin, "http://%s", own);
    const char *from = odd.origin ? odd.origin
                       : post     ? origin
                                  : "",
               *type = odd.type ? odd.type
                       : post   ? "application/json"
                                : "",
               *token = odd.token ? odd.token : token_of_server();
    int used = snprintf(head, sizeof head, "%s %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n",
        odd.method ? odd.method
        : post     ? "POST"
                   : "GET",
        path, odd.host ? odd.host : own);
    if (from[0]) used += snprintf(head + used, sizeof head - used, "Origin: %s\r\n", from);
    if (token[0])
        used += snprintf(head + used, sizeof head - used, "Authorization: Bearer %s\r\n", token);
    if (type[0]) used += snprintf(head + used, sizeof head - used, "Content-Type: %s\r\n", type);
    used += snprintf(head + used, sizeof head - used, "Content-Length: %zu\r\n\r\n", size);
    char *request = malloc((size_t)used + size + 1);
    CHECK_NOT_NULL(request);
    memcpy(request, head, (size_t)used);
    if (size) memcpy(request + used, body, size);
    reply r = http_raw(request, (size_t)used + size);
    free(request);
    return r;
}

static int status_of(const char *path, const char *body, oddity odd)
{
    reply r = http(path, body, body ? strlen(body) : 0, odd);
    free(r.bytes);
    return r.status;
}

/* ---- the page ---- */

static const char HELLO[] =
    "{\"version\": 1, \"agent\": \"a page in C\", \"stamps\": true, \"quantum\": 1e-9, \"floor\": %g,"
    "\"adapter\": {\"vendor\": \"acme\", \"architecture\": \"none\", \"fallback\": false},"
    "\"limits\": {\"maxComputeInvocationsPerWorkgroup\": 128, \"maxComputeWorkgroupSizeX\": 64,"
    "\"maxComputeWorkgroupSizeY\": 64, \"maxComputeWorkgroupSizeZ\": 8, \"maxComputeWorkgroupsPerDimension\": 65535,"
    "\"maxComputeWorkgroupStorageSize\": 16384, \"maxBufferSize\": 1e8, \"maxStorageBufferBindingSize\": 1e8,"
    "\"maxStorageBuffersPerShaderStage\": 4, \"maxUniformBuffersPerShaderStage\": 2,"
    "\"maxBindGroups\": 2}}";

enum { ITEMS = 640 };

typedef struct fake_page {
    double floor;
    double default_seconds;       /* the tuning's */
    double run_seconds;           /* duration of a run */
    int64_t wrong, broken, hangs; /* WG of candidates that are so */
    int64_t dies;                 /* WG of a candidate after which no device is there any more */
    int64_t closes;   /* WG of a candidate at which the page is closed, and opened again; 0: none */
    bool leaves;      /* and not opened again */
    bool babbles;     /* sends an invalid reply */
    bool starts_anew; /* closed, and opened again, when it gets the job */
    uint32_t session, runs, batched, over_limits, opened;
    pthread_t thread;
} fake_page;

static void page_hello(fake_page *page)
{
    char text[2048], session[64];
    snprintf(text, sizeof text, HELLO, page->floor);
    reply r = http("/api/hello", text, strlen(text), (oddity){0});
    while (r.status == 409) { /* the page of before is not forgotten yet */
        free(r.bytes);
        usleep(10000);
        r = http("/api/hello", text, strlen(text), (oddity){0});
    }
    CHECK_EQ(r.status, 200, "%s", r.body);
    snprintf(session, sizeof session, "%s", r.body);
    CHECK_EQ(sscanf(session, "{\"session\":%u", &page->session), 1);
    free(r.bytes);
}

static reply page_call(
    fake_page *page, const char *path, const void *body, size_t size, const char *type)
{
    char url[128];
    snprintf(url, sizeof url, "/api/%s?session=%u", path, page->session);
    return http(url, body, size, (oddity){.type = type});
}

static double page_seconds(double wg, uint32_t i)
{
    return 1e-3 * (1 + fabs(log2(wg / 32))) * (1 + 1e-4 * (i % 7));
}

/* One candidate's trial as JSON. */
static void page_trial(fake_page *page, hed_json_node candidate, bool lost, char *text, size_t size)
{
    static uint32_t noise;
    double wg =
        hed_json_number(hed_json_member(hed_json_member(candidate, "constants"), "WG"), 1, 1e6);
    uint32_t samples = (uint32_t)hed_json_integer(hed_json_member(candidate, "samples"), 0, 32);
    const char *outcome = lost                 ? "hung"
                          : wg == page->wrong  ? "wrong"
                          : wg == page->broken ? "build"
                                               : "measured";
    page->over_limits += wg > 64;
    size_t used = (size_t)snprintf(text, size,
        "{\"outcome\": \"%s\", \"text\": \"%s\", \"build\": 0.01, \"error\": 0, \"samples\": [",
        outcome, strcmp(outcome, "measured") ? "so it is" : "");
    for (uint32_t i = 0; i < samples; i++)
        used += (size_t)snprintf(
            text + used, size - used, "%s%.9g", i ? "," : "", page_seconds(wg, noise++));
    snprintf(text + used, size - used, "]}");
}

static _Atomic uint32_t restarted;
static bool restarts; /* the program starts a browser anew */

/* false: the page is closed. */
static bool page_answer(fake_page *page, hed_json_node message)
{
    char text[32768], trial[2048];
    const char *what = hed_json_string(hed_json_member(message, "do"));
    if (strcmp(what, "show") == 0) return true;
    if (strcmp(what, "end") == 0) return false;
    bool opens = strcmp(what, "open") == 0, runs = strcmp(what, "run") == 0, lost = false,
         dead = false;
    page->opened += opens;
    if (opens && page->starts_anew) {
        free(page_call(page, "bye", "{}", 2, NULL).bytes);
        page->starts_anew = false;
        page_hello(page);
        return true;
    }
    hed_json_node list = opens ? message : hed_json_member(message, "candidates");
    size_t count = opens ? 1 : hed_json_count(list);
    for (size_t i = 0; !opens && i < count; i++) {
        double wg = hed_json_number(
            hed_json_member(hed_json_member(hed_json_item(list, i), "constants"), "WG"), 1, 1e6);
        if (runs && wg == page->closes) {
            free(page_call(page, "bye", "{}", 2, NULL).bytes);
            page->closes = 0;
            if (page->leaves) return false;
            page_hello(page);
            return true;
        }
        dead = dead || (runs && wg == page->dies);
        lost = lost || dead || (runs && wg == page->hangs);
    }
    page->runs += runs;
    if (runs) usleep((useconds_t)(1e6 * page->run_seconds));
    page->batched += runs && count > 1;
    if (strcmp(what, "output") == 0) {
        uint32_t right[ITEMS];
        for (uint32_t i = 0; i < ITEMS; i++) right[i] = i;
        reply r = page_call(page, "output", right, sizeof right, "application/octet-stream");
        EXPECT_EQ(r.status, 204, "%s", r.body);
        free(r.bytes);
    }
    size_t used = (size_t)snprintf(text, sizeof text,
        "{\"id\": %.0f, \"lost\": %s, \"dead\": %s, \"trials\": [",
        hed_json_number(hed_json_member(message, "id"), 0, 1e9), lost ? "true" : "false",
        dead ? "true" : "false");
    for (size_t i = 0; i < count; i++) {
        if (opens) snprintf(trial, sizeof trial, "{\"outcome\": \"measured\"}");
        else page_trial(page, hed_json_item(list, i), lost, trial, sizeof trial);
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", i ? "," : "", trial);
    }
    snprintf(text + used, sizeof text - used, "]}");
    if (runs && page->babbles) snprintf(text, sizeof text, "[1, 2");
    reply r = page_call(page, "result", text, strlen(text), NULL);
    EXPECT_EQ(r.status, 204, "%s", r.body);
    free(r.bytes);
    if (dead && !restarts) return false;
    if (dead) page_hello(page); /* of the browser that was started anew */
    return true;
}

static void *page_live(void *user)
{
    fake_page *page = user;
    page_hello(page);
    for (bool open = true; open;) {
        reply r = page_call(page, "next", NULL, 0, NULL);
        hed_json *json = NULL;
        if (r.status == 200) {
            hed_error wrong = {0};
            CHECK_EQ((int)hed_json_parse("message", r.body, r.size, &json, &wrong), (int)HED_OK,
                "%s: %s", wrong.text, r.body);
            hed_json_node root = hed_json_root(json);
            for (size_t i = 0; open && i < hed_json_count(root); i++)
                open = page_answer(page, hed_json_item(root, i));
            CHECK_EQ((int)hed_json_status(json, &wrong), (int)HED_OK, "%s", wrong.text);
        } else if (r.status != 204) {
            open = false;
        }
        hed_json_free(json);
        free(r.bytes);
    }
    return NULL;
}

/* ---- the kernel ---- */

static const int64_t groups[] = {1, 2, 4, 8, 16, 32, 64, 128, 256};
static const hed_parameter_def parameters[] = {
    {.name = "WG", .values = groups, .count = 9, .value = 4}};
static const hed_argument_def arguments[] = {
    {.name = "y", .kind = HED_BUFFER, .type = HED_UINT32, .access = HED_WRITE},
    {.name = "n", .kind = HED_SCALAR, .type = HED_UINT32}};
static const hed_source source = {"count.wgsl",
    "override WG: u32 = 4;\n"
    "@group(0) @binding(0) var<storage, read_write> y: array<u32>;\n"
    "@group(0) @binding(1) var<uniform> n: u32;\n"
    "@compute @workgroup_size(WG) fn count(@builtin(global_invocation_id) i: vec3<u32>)\n"
    "{ if (i.x < n) { y[i.x] = i.x; } }\n",
    0};
static const char *const dimensions[] = {"n"};

static void count_geometry(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *geometry)
{
    (void)def;
    *geometry = (hed_geometry){.dimensions = 1,
        .global = {(uint64_t)problem->sizes[0]},
        .group = {(uint32_t)config->values[0]}};
}

static const hed_kernel_def count_def = {.name = "count",
    .sources = &source,
    .source_count = 1,
    .language = HED_WGSL,
    .arguments = arguments,
    .argument_count = 2,
    .parameters = parameters,
    .parameter_count = 1,
    .dimensions = dimensions,
    .dimension_count = 1,
    .geometry = count_geometry};

static const hed_problem PROBLEM = {1, {ITEMS}};
static const uint32_t items = ITEMS;
static const hed_tune_argument GIVEN[] = {{.bytes = sizeof(uint32_t) * ITEMS}, {.data = &items}};

static hed_status tune_with(fake_page *page, hed_tune_result **result)
{
    hed_device *device;
    hed_tune_def def = hed_default_tune_def();
    CHECK_EQ(pthread_create(&page->thread, NULL, page_live, page), 0);
    OK(hed_web_wait(web, 30, &device, &error));
    def.problem = &PROBLEM;
    def.arguments = GIVEN;
    def.strategy = HED_SEARCH_EXHAUSTIVE;
    def.open_runner = hed_web_open_runner;
    def.runner_user = web;
    def.limit_seconds = 60;
    def.default_seconds = page->default_seconds;
    error = (hed_error){0};
    hed_status status = hed_tune_kernel(device, &count_def, &def, result, &error);
    hed_web_destroy(web); /* which tells the page that it is over */
    web = NULL;
    pthread_join(page->thread, NULL);
    return status;
}

static hed_outcome outcome_of(const hed_tune_result *r, int64_t wg)
{
    for (uint32_t i = 0; i < r->count; i++)
        if (r->evaluations[i].config.values[0] == wg) return r->evaluations[i].outcome;
    return HED_OUTCOME_COUNT;
}

/* ---- tests ---- */

static void finds_the_best(fake_page page)
{
    hed_tune_result *r = NULL;
    hed_status status = tune_with(&page, &r);
    CHECK_EQ((int)status, (int)HED_OK, "%s", error.text);
    CHECK_EQ(r->count, 7u, "groups of 128 and 256 are over the limits");
    CHECK_LT(r->best, r->count);
    EXPECT_EQ(r->evaluations[r->best].config.values[0], 32);
    EXPECT(r->kept);
    EXPECT_EQ(page.over_limits, 0u);
    if (page.wrong) EXPECT_EQ((int)outcome_of(r, page.wrong), (int)HED_OUTCOME_WRONG);
    if (page.broken) EXPECT_EQ((int)outcome_of(r, page.broken), (int)HED_OUTCOME_BUILD);
    if (page.hangs) EXPECT_EQ((int)outcome_of(r, page.hangs), (int)HED_OUTCOME_HUNG);
    EXPECT_EQ(page.batched > 0, page.floor > 0.01, "several at once where each wait is slow");
    hed_tune_result_free(r);
}

Test(web, tuning) { finds_the_best((fake_page){.wrong = 64, .broken = 1, .hangs = 2}); }
Test(web, several_at_once) { finds_the_best((fake_page){.floor = 0.1, .wrong = 64, .broken = 1}); }
Test(web, a_page_that_is_loaded_again) { finds_the_best((fake_page){.closes = 16}); }
Test(web, a_page_that_starts_anew) { finds_the_best((fake_page){.starts_anew = true}); }

/* A caller with smaller problems waits for the default alone; else another size becomes the reference. */
Test(web, a_default_that_is_too_slow)
{
    fake_page page = {.hangs = 4, .default_seconds = 3};
    hed_tune_result *r = NULL;
    EXPECT_EQ((int)tune_with(&page, &r), (int)HED_ERROR_TIMEOUT, "%s", error.text);
    EXPECT(strstr(error.text, "takes over 3 s in the default configuration WG=4"), "%s", error.text);
    EXPECT_EQ(page.runs, 1u);
    EXPECT(!r);
}

/* A default that ends in time, with samples that take over a third of it, is too slow for a reference of several runs. */
Test(web, a_default_whose_samples_are_too_slow)
{
    fake_page page = {.default_seconds = 1.5, .run_seconds = 0.6};
    hed_tune_result *r = NULL;
    EXPECT_EQ((int)tune_with(&page, &r), (int)HED_ERROR_TIMEOUT, "%s", error.text);
    EXPECT(strstr(error.text, "takes over 0.5 s in the default configuration WG=4"), "%s", error.text);
    EXPECT_EQ(page.runs, 1u);
    EXPECT(!r);
}

static bool restart(void *user)
{
    (void)user;
    restarted++;
    return true;
}

static void open_with_restart(void)
{
    hed_web_destroy(web);
    restarts = true;
    OK(hed_web_create(
        &(hed_web_def){.context = context, .patience = 10, .restart = restart}, &web, &error));
    snprintf(address, sizeof address, "%s", hed_web_address(web));
}

/* A shader that never ends on a driver that does not come back: the browser is started anew, and
 * the candidate is one that hangs, also where it was one of several. */
Test(web, a_browser_that_is_started_anew)
{
    open_with_restart();
    fake_page page = {.dies = 8, .wrong = 64};
    hed_tune_result *r = NULL;
    CHECK_EQ((int)tune_with(&page, &r), (int)HED_OK, "%s", error.text);
    CHECK_EQ(r->count, 7u);
    EXPECT_EQ((int)outcome_of(r, 8), (int)HED_OUTCOME_HUNG);
    EXPECT_EQ((int)outcome_of(r, 64), (int)HED_OUTCOME_WRONG);
    EXPECT_EQ(r->evaluations[r->best].config.values[0], 32);
    EXPECT_EQ(restarted, 1u);
    hed_tune_result_free(r);
}

Test(web, one_of_several_that_never_ends)
{
    open_with_restart();
    fake_page page = {.dies = 8, .floor = 0.1};
    hed_tune_result *r = NULL;
    CHECK_EQ((int)tune_with(&page, &r), (int)HED_OK, "%s", error.text);
    EXPECT_EQ((int)outcome_of(r, 8), (int)HED_OUTCOME_HUNG);
    EXPECT_EQ(r->evaluations[r->best].config.values[0], 32);
    EXPECT_GE(restarted, 1u);
    hed_tune_result_free(r);
}

Test(web, a_page_that_is_closed)
{
    fake_page page = {.closes = 16, .leaves = true};
    hed_tune_result *r = NULL;
    CHECK_EQ((int)tune_with(&page, &r), (int)HED_ERROR_LOST);
    EXPECT(strstr(error.text, "the page was closed"), "%s", error.text);
}

Test(web, a_page_that_babbles)
{
    fake_page page = {.babbles = true};
    hed_tune_result *r = NULL;
    CHECK_EQ((int)tune_with(&page, &r), (int)HED_ERROR_IO);
    EXPECT(strstr(error.text, "invalid reply"), "%s", error.text);
}

Test(web, a_browser_without_a_gpu)
{
    static const char hello[] = "{\"version\": 1, \"agent\": \"old\", \"error\": \"no adapter\"}";
    hed_device *device;
    CHECK_EQ(status_of("/api/hello", hello, (oddity){0}), 200);
    FAILS(HED_ERROR_NO_DEVICE, hed_web_wait(web, 30, &device, &error));
    EXPECT(strstr(error.text, "no adapter") && strstr(error.text, "old"), "%s", error.text);
}

/* What is over the browser's limits is said before it is asked. */
Test(web, shaders_over_the_limits)
{
    static const struct {
        const char *declarations, *words;
    } cases[] = {{"@group(2) @binding(0) var<storage> a: array<u32>;",
                     "count.wgsl:1: \"a\" is in @group(2)"},
        {"@group(0) @binding(2) var<uniform> a: f32; @group(0) @binding(3) var<uniform> b: f32;",
            "1 storage buffers and 3 uniforms: this browser takes 4 and 2"}};
    char hello[2048];
    snprintf(hello, sizeof hello, HELLO, 0.0);
    CHECK_EQ(status_of("/api/hello", hello, (oddity){0}), 200);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1024];
        snprintf(text, sizeof text, "%s\n%s", cases[i].declarations, source.text);
        const hed_source over = {source.name, text, 0};
        const hed_runner_argument contents[2] = {{0}};
        hed_kernel_def kernel = count_def;
        hed_runner *runner;
        kernel.sources = &over;
        const hed_runner_def def = {.kernel = &kernel, .arguments = contents};
        FAILS(HED_ERROR_LIMIT, hed_web_open_runner(web, &def, &runner, &error));
        EXPECT(strstr(error.text, cases[i].words), "%s", error.text);
    }
}

Test(web, no_page_comes)
{
    hed_device *device;
    FAILS(HED_ERROR_TIMEOUT, hed_web_wait(web, 0.1, &device, &error));
}

Test(web, callers_that_are_refused)
{
    char hello[2048], *long_one = calloc(1, HED_WEB_MOST_BODY + 2);
    snprintf(hello, sizeof hello, HELLO, 0.0);
    CHECK_NOT_NULL(long_one);
    memset(long_one, ' ', HED_WEB_MOST_BODY + 1);
    static const oddity fine = {0};
    const struct {
        const char *path, *body;
        oddity odd;
        int status;
    } cases[] = {
        {"/", NULL, fine, 200},
        {"/?quantum=65536", NULL, {.token = ""}, 200},
        {"/runner.js", NULL, {.token = ""}, 200},
        {"/../server.c", NULL, fine, 404},
        {"/", NULL, {.host = "evil.example"}, 403},
        {"/api/hello", hello, {.host = "127.0.0.1"}, 403},
        {"/api/hello", hello, {.origin = "http://evil.example"}, 403},
        {"/api/hello", hello, {.origin = "null"}, 403},
        {"/api/next", NULL, {.origin = "http://evil.example"}, 403},
        {"/api/hello", hello, {.token = ""}, 401},
        {"/api/hello", hello, {.token = "00000000000000000000000000000000"}, 401},
        {"/api/hello", hello, {.token = "0"}, 401},
        {"/api/next", NULL, {.token = ""}, 401},
        {"/api/hello", hello, {.type = "text/plain"}, 415},
        {"/api/output?session=1", hello, fine, 415},
        {"/api/hello", long_one, fine, 413},
        {"/api/hello", "{}", fine, 400},
        {"/api/hello", "no JSON", fine, 400},
        {"/api/hello", "{\"version\": 2, \"agent\": \"a\"}", fine, 400},
        {"/api/hello", NULL, fine, 405},
        {"/api/next", "{}", fine, 405},
        {"/", "{}", fine, 405},
        {"/api/hello", NULL, {.method = "DELETE"}, 405},
        {"/api/nothing", NULL, fine, 404},
        {"/api/next", NULL, fine, 410},
        {"/api/hello", hello, fine, 200},
        {"/api/hello", hello, fine, 409}, /* a second page */
        {"/api/next?session=7", NULL, fine, 410},
        {"/api/data/99/first?session=1", NULL, fine, 404},
        {"/api/data/0/first?session=1", NULL, fine, 404},
        {"/api/data/0/second?session=1", NULL, fine, 404},
        {"/api/output?session=1", "abcd", {.type = "application/octet-stream"}, 400},
        {"/api/bye?session=1", "{}", fine, 204},
        {"/api/hello", hello, fine, 200},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        EXPECT_EQ(status_of(cases[i].path, cases[i].body, cases[i].odd), cases[i].status, "%zu: %s",
            i, cases[i].path);
    free(long_one);
}

/* A caller that may not is answered on its headers: its body is neither kept nor waited for. */
Test(web, a_body_is_not_read_before_its_caller_is_known)
{
    static const struct {
        const char *host, *origin, *token, *status;
    } callers[] = {{NULL, NULL, "wrong", "401"}, {NULL, "http://evil.example", NULL, "403"},
        {"evil.example", NULL, NULL, "403"}};
    for (size_t i = 0; i < sizeof callers / sizeof *callers; i++) {
        char head[1024], own[64], origin[80];
        snprintf(own, sizeof own, "127.0.0.1:%u", port_of_server());
        snprintf(origin, sizeof origin, "http://%s", own);
        int size = snprintf(head, sizeof head,
            "POST /api/result?session=1 HTTP/1.1\r\nHost: %s\r\nOrigin: %s\r\n"
            "Authorization: Bearer %s\r\nContent-Type: application/json\r\n"
            "Content-Length: 8000000\r\n\r\n{",
            callers[i].host ? callers[i].host : own, callers[i].origin ? callers[i].origin : origin,
            callers[i].token ? callers[i].token : token_of_server());
        double start = hed_web_now();
        reply r = http_raw(head, (size_t)size); /* and sends no more */
        EXPECT(strstr(r.bytes, callers[i].status), "%zu: %s", i, r.bytes);
        EXPECT_LT(hed_web_now() - start, 60.0, "the body was waited for");
        free(r.bytes);
    }
}

static int connect_to_server(void)
{
    struct sockaddr_in to = {.sin_family = AF_INET,
        .sin_port = htons((uint16_t)port_of_server()),
        .sin_addr = {htonl(INADDR_LOOPBACK)}};
    int line = socket(AF_INET, SOCK_STREAM, 0);
    if (line >= 0 && connect(line, (struct sockaddr *)&to, sizeof to)) {
        close(line);
        line = -1;
    }
    return line;
}

Test(web, connections_that_send_nothing_keep_no_page_out)
{
    enum { SILENT = 100 };
    int lines[SILENT];
    for (int i = 0; i < SILENT; i++) {
        lines[i] = connect_to_server();
        CHECK_GE(lines[i], 0);
    }
    reply r = http("/", NULL, 0, (oddity){0});
    CHECK_EQ(r.status, 200);
    free(r.bytes);
    for (int i = 0; i < SILENT; i++) close(lines[i]);
}

/* The exit code of a child that became another user and requested a page: 0 if it got no answer. */
static int page_for_another_user(void)
{
    static const char request[] = "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n";
    char bytes[64];
    if (setgid(65534) || setuid(65534)) return 2;
    int line = connect_to_server();
    if (line < 0) return 0;
    ssize_t sent = send(line, request, sizeof request - 1, MSG_NOSIGNAL);
    return sent > 0 && recv(line, bytes, sizeof bytes, 0) > 0;
}

Test(web, another_user_of_the_machine_is_refused)
{
    int code = 0;
    if (geteuid() != 0) test_skip("becoming another user needs root");
    pid_t child = fork();
    if (child == 0) _exit(page_for_another_user());
    CHECK_EQ(waitpid(child, &code, 0), child);
    CHECK(WIFEXITED(code) && WEXITSTATUS(code) == 0, "wait status %#x", (unsigned)code);
}

Test(web, where_its_library_is_missing)
{
    hed_web *other = NULL;
    setenv("HEDDLE_MICROHTTPD_LIBRARY", "none", 1);
    FAILS(
        HED_ERROR_UNSUPPORTED, hed_web_create(&(hed_web_def){.context = context}, &other, &error));
    EXPECT(strstr(error.text, "apt install libmicrohttpd12"), "%s", error.text);
    unsetenv("HEDDLE_MICROHTTPD_LIBRARY");
}

static char *dashboard_state(void *user)
{
    uint32_t *asked = user;
    return ++*asked > 1 ? NULL : strdup("{\"last\": null}");
}

Test(web, a_dashboard)
{
    uint32_t asked = 0;
    EXPECT_EQ(status_of("/api/state", NULL, (oddity){0}), 404, "nothing of the kind in a tuning");
    hed_web_destroy(web);
    OK(hed_web_create(&(hed_web_def){.context = context, .state = dashboard_state, .user = &asked},
        &web, &error));
    snprintf(address, sizeof address, "%s", hed_web_address(web));
    EXPECT(strstr(address, "/serve.html#"));
    EXPECT_EQ(status_of("/serve.html", NULL, (oddity){.token = ""}), 200);
    EXPECT_EQ(status_of("/api/state", NULL, (oddity){.token = ""}), 401);
    EXPECT_EQ(status_of("/api/state", NULL, (oddity){.origin = "http://evil.example"}), 403);
    EXPECT_EQ(asked, 0u);
    reply r = http("/api/state", NULL, 0, (oddity){0});
    EXPECT_EQ(r.status, 200);
    EXPECT_TEXT(r.body, "{\"last\": null}");
    free(r.bytes);
    EXPECT_EQ(status_of("/api/state", NULL, (oddity){0}), 503);
}

/* A server and a runner without memory: an error each time, and nothing is left. */
Test(web, without_memory)
{
    test_allocator counts = {0};
    hed_context_def def = hed_default_context_def();
    hed_context *own;
    hed_web *made;
    uint32_t refused = 0;
    def.allocator = test_allocator_of(&counts);
    def.database = "";
    OK(hed_context_create(&def, &own, &error));
    for (int64_t i = 1;; i++) {
        hed_device *device;
        hed_runner *runner;
        char hello[2048];
        const hed_runner_argument contents[] = {{.bytes = 4 * ITEMS}, {.data = &items, .bytes = 4}};
        hed_runner_def job = {.kernel = &count_def, .problem = &PROBLEM, .arguments = contents};
        error = (hed_error){0};
        counts.fail_at = counts.calls + i;
        hed_status status =
            hed_web_create(&(hed_web_def){.context = own, .patience = 0.1}, &made, &error);
        if (!status) {
            snprintf(address, sizeof address, "%s", hed_web_address(made));
            snprintf(hello, sizeof hello, HELLO, 0.0);
            CHECK_EQ(status_of("/api/hello", hello, (oddity){0}), 200);
            status = hed_web_wait(made, 30, &device, &error);
            job.device = device;
            CHECK_EQ(status_of("/api/bye?session=1", "{}", (oddity){0}), 204);
            if (!status) status = hed_web_open_runner(made, &job, &runner, &error);
            hed_web_destroy(made);
        }
        CHECK(status, "the page has left, so that no runner can be open");
        counts.fail_at = 0;
        if (status != HED_ERROR_MEMORY) break; /* LOST: nothing was refused any more */
        refused++;
    }
    EXPECT_EQ((int)error.status, (int)HED_ERROR_LOST, "%s", error.text);
    EXPECT_EQ(refused, 5u, "the server, its library twice, the device, the runner");
    hed_context_destroy(own);
    EXPECT_EQ(counts.live, 0);
}

/* What makes the page safe and its clock fine stands in every answer. */
Test(web, headers)
{
    static const char *const wanted[] = {"Cross-Origin-Opener-Policy: same-origin",
        "Cross-Origin-Embedder-Policy: require-corp", "Content-Security-Policy: default-src 'none'",
        "X-Content-Type-Options: nosniff", "Cache-Control: no-store"};
    reply r = http("/", NULL, 0, (oddity){0});
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        EXPECT(strstr(r.bytes, wanted[i]), "%s", wanted[i]);
    free(r.bytes);
}

/* One file: its job can be read, its script is one, and nothing of the job ends it early. */
Test(web, one_file)
{
    static const char open[] = "<script type=\"application/json\" id=\"job\">";
    const hed_source hostile = {"a.wgsl",
        "// </script> <!--\noverride WG: u32 = 4;\n"
        "@group(0) @binding(0) var<storage, read_write> y: array<u32>;\n"
        "@group(0) @binding(1) var<uniform> n: u32;\n"
        "@compute @workgroup_size(WG) fn count() { y[0] = n; }\n",
        0};
    hed_kernel_def def = count_def;
    def.sources = &hostile;
    const hed_runner_argument contents[] = {{.bytes = 4 * ITEMS}, {.data = &items, .bytes = 4}};
    const hed_runner_def runner = {
        .kernel = &def, .problem = &PROBLEM, .arguments = contents, .timeout_seconds = 10};
    const hed_config configs[] = {{1, {4}}, {1, {64}}};
    const hed_database_entry key = {.kernel = "count",
        .source = "0",
        .math = "fast",
        .objective = "time",
        .compiler = "browser \x01 prelude 0",
        .problem = "n=640"};
    char *text;
    size_t size;
    hed_json *json;
    OK(hed_web_save_page(&runner, configs, 2, &key, in_folder("page.html"), &error));
    OK(hed_file_read(in_folder("page.html"), 1 << 20, &text, &size, &error));
    char *job = strstr(text, open), *end = job ? strstr(job, "</script>") : NULL;
    CHECK(job && end);
    job += sizeof open - 1;
    EXPECT(!strstr(end, "\nimport ") && !strstr(end, "\nexport ") && !strstr(text, "src="));
    OK(hed_json_parse("job", job, (size_t)(end - job), &json, &error));
    hed_json_node root = hed_json_root(json), candidates = hed_json_member(root, "candidates");
    EXPECT_EQ(hed_json_count(candidates), 2u);
    EXPECT_TEXT(hed_json_string(hed_json_member(hed_json_item(candidates, 1), "config")), "WG=64");
    EXPECT_TEXT(hed_json_string(hed_json_item(hed_json_member(root, "code"), 0)), hostile.text);
    OK(hed_json_status(json, &error));
    hed_json_free(json);
    free(text);
    FAILS(HED_ERROR_IO,
        hed_web_save_page(&runner, configs, 2, &key, in_folder("no/page.html"), &error));
}

/* Everything that the page fetches is there, is small, and fetches nothing from elsewhere. */
Test(web, the_page_is_small_and_whole)
{
    extern const hed_source hed_web_page_files[];
    size_t size = 0;
    for (const hed_source *file = hed_web_page_files; file->name; file++) {
        size += file->size;
        EXPECT(!strstr(file->text, "http://") && !strstr(file->text, "https://"), "%s", file->name);
    }
    EXPECT_LT(size, 85000u);
}

/* Different texts of pages stay different, however long they are. */
Test(web, long_texts_of_pages_keep_their_difference)
{
    char one[400], two[400], fitted[2][64];
    memset(one, 'a', sizeof one);
    one[sizeof one - 1] = 0;
    memcpy(two, one, sizeof one);
    two[sizeof two - 2] = 'b';
    hed_web_fit(fitted[0], sizeof fitted[0], one);
    hed_web_fit(fitted[1], sizeof fitted[1], two);
    CHECK(strlen(fitted[0]) == 63 && strlen(fitted[1]) == 63 && strcmp(fitted[0], fitted[1]) != 0,
        "%s\n%s", fitted[0], fitted[1]);
    one[63] = 0;
    hed_web_fit(fitted[0], sizeof fitted[0], one);
    CHECK_TEXT(fitted[0], one);
}
