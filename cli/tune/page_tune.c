/* See page.h. The order: open, record, freeze, list, tune. */
#include "cli/tune/page.h"

#include "cli/common/progress.h"
#include "cli/tune/page_file.h"
#include "cli/tune/page_folder.h"
#include "cli/tune/page_module.h"
#include "support/file.h"

#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

extern const hed_source hed_gpu_module_files[]; /* embedded: web/record, the recorder for pages */

enum { MOST_SCRIPT = 1 << 22, SIZES = 16 };

/* Longest wait for the first dispatch, s; time between lines of progress without a terminal, s;
 * fraction of the time that is tuned unless pipelines are named. */
static const double DISPATCH_SECONDS = 30, LINE_SECONDS = 30, TUNED_SHARE = 0.9;
/* Time of the checks as a multiple of the time of the race. */
static const double CHECK_SHARE = 5;

static bool has_ending(const char *path, const char *ending)
{
    size_t length = strlen(path), tail = strlen(ending);
    return length > tail && strcmp(path + length - tail, ending) == 0;
}

static bool is_page(const char *origin)
{
    struct stat status;
    return strstr(origin, "://") || has_ending(origin, ".html") || has_ending(origin, ".htm") ||
           has_ending(origin, ".hrec") || (stat(origin, &status) == 0 && S_ISDIR(status.st_mode));
}

/* Rejects options that require a page, or exclude it; true: rejected, with a message. */
static bool rejects_options(const hed_arguments *arguments, bool page)
{
    static const char *const of_pages[] = {"pipeline", "wait", "drive", "memory", "list", "patch", "module"},
                             *const of_others[] = {"capture", "device", "worker", "port", "problem",
                                 "input", "entry", "set", "good-enough", "patience", "strategy",
                                 "seed", "math", "reference", "objective", "cold-cache", "counters",
                                 "resume", "no-isolation", "report", "csv", "t4"};
    const char *const *names = page ? of_others : of_pages;
    size_t count = page ? HED_COUNT(of_others) : HED_COUNT(of_pages);
    for (size_t i = 0; i < count; i++) {
        if (!hed_given(arguments, names[i])) continue;
        fprintf(stderr, page ? "heddle: --%s: a page's pipelines are tuned without it; leave it out\n"
                                : "heddle: --%s requires a page: an address, a folder or an HTML file\n",
            names[i]);
        return true;
    }
    return false;
}

/* ---- addresses ---- */

/* Splits a path into the folder to show and the address of its page; both are PATH_MAX. */
static hed_status locate_folder(const char *origin, char *folder, char *address, hed_error *error)
{
    struct stat status;
    char name[PATH_MAX] = "", copy[PATH_MAX];
    if (!realpath(origin, folder) || stat(folder, &status))
        return hed_fail(error, HED_ERROR_IO,
            "%s: no such file; expected a folder with index.html, an HTML file, or an address such as "
            "http://localhost:5173/",
            origin);
    if (S_ISDIR(status.st_mode)) {
        snprintf(copy, sizeof copy, "%.*s/index.html", PATH_MAX - 16, folder);
        if (access(copy, R_OK))
            return hed_fail(error, HED_ERROR_IO,
                "%s: no index.html in this folder; expected a page. Name its HTML file", origin);
    } else {
        snprintf(copy, sizeof copy, "%s", folder);
        snprintf(name, sizeof name, "%s", basename(copy));
        snprintf(copy, sizeof copy, "%s", folder);
        snprintf(folder, PATH_MAX, "%s", dirname(copy));
    }
    snprintf(address, PATH_MAX, "%s%.*s", page_host, PATH_MAX - 64, name);
    return HED_OK;
}

enum { MOST_RECORDING = 1 << 30 };

static hed_status check_recording(const char *path, hed_error *error)
{
    char *bytes;
    size_t size;
    if (hed_file_read(path, MOST_RECORDING, &bytes, &size, error)) return error->status;
    page_file_check(path, bytes, size, error);
    free(bytes);
    return error->status;
}

/* Writes the module of --recorder. */
static hed_status write_recorder(const char *path, hed_error *error)
{
    static const char head[] =
        "/* heddle-record.js: records compute pipelines of WebGPU for `heddle tune page.hrec`. */\n";
    char *text = NULL;
    if (asprintf(&text, "%s%s", head, hed_gpu_module_files[0].text) < 0)
        return HED_OUT_OF_MEMORY(error, "the recorder");
    hed_file_write(path, text, strlen(text), error);
    free(text);
    return error->status;
}

/* ---- recording ---- */

/* Returns the dispatches of all realms; -1: no realm has WebGPU. */
static double count_dispatches(page_session *page)
{
    double sum = -1;
    for (uint32_t i = 0; i < page->realm_count; i++) {
        hed_error ignored = {0};
        json_t *value = NULL;
        page_realm realm = page->realms[i];
        page_evaluate(page, &realm, "globalThis.__heddle?.cost.dispatches ?? -1", &value, &ignored);
        if (json_number_value(value) >= 0) sum = (sum < 0 ? 0 : sum) + json_number_value(value);
        json_decref(value);
        hed_error_clear(&ignored);
    }
    return sum;
}

/* Runs the script of --drive in the page: the body of an asynchronous function of `page`. */
static hed_status drive_page(page_session *page, const hed_arguments *arguments, hed_error *error)
{
    static const char methods[] =
        "const page = { find: async s => { for (let i = 0; i < 300; i++) { const e = "
        "document.querySelector(s); if (e) return e; await page.wait(100); } throw new Error('no element of ' + s); }, "
        "click: async s => (await page.find(s)).click(), wait: ms => new Promise(r => setTimeout(r, ms)), "
        "type: async (s, text) => { const e = await page.find(s); e.value = text; for (const n of ['input', 'change']) "
        "e.dispatchEvent(new Event(n, { bubbles: true })); }, press: key => { for (const n of ['keydown', 'keyup']) "
        "document.dispatchEvent(new KeyboardEvent(n, { key, bubbles: true })); } };";
    char *text = NULL, *code = NULL;
    size_t length;
    const char *file = hed_text_of(arguments, "drive");
    if (!file) return HED_OK;
    if (hed_file_read(file, MOST_SCRIPT, &text, &length, error)) return error->status;
    if (asprintf(&code, "(async () => { %s\n%s\n})()", methods, text) < 0)
        HED_OUT_OF_MEMORY(error, "the script of --drive");
    else if (page_evaluate_tab(page, code, NULL, error)) {
        hed_error cause = *error;
        *error = (hed_error){0};
        hed_fail(error, cause.status, "%s: %s", file, cause.text);
    }
    free(code);
    free(text);
    return error->status;
}

/* Adds the stage that a realm has reached, and the errors that it has met, to the reason of a
 * silent page. */
static void add_silence(page_session *page, uint32_t index, FILE *stream)
{
    json_t *value = NULL, *complaint;
    size_t i;
    hed_error ignored = {0};
    page_realm realm = page->realms[index];
    page_evaluate(page, &realm, "globalThis.__heddle?.silence?.() ?? null", &value, &ignored);
    const json_t *complaints = json_object_get(value, "complaints");
    if (value && json_is_object(value)) {
        fprintf(stream, "%s%s", ftell(stream) ? "; " : "", page_text_at(value, "stage"));
        json_array_foreach(complaints, i, complaint)
        {
            fprintf(stream, "%s%s", i ? "; " : ". The page's own errors: ", json_string_value(complaint));
        }
    }
    json_decref(value);
    hed_error_clear(&ignored);
}

static hed_status explain_silence(page_session *page, hed_error *error)
{
    json_t *adapter = NULL;
    char *silence = NULL;
    size_t length = 0;
    static const char probe[] =
        "navigator.gpu ? navigator.gpu.requestAdapter().then(a => a ? '' : 'no adapter: no GPU that its driver list allows') "
        ": 'no WebGPU: expected https, localhost, a folder or a file'";
    if (page_evaluate_tab(page, probe, &adapter, error)) return error->status;
    const char *reason = json_string_value(adapter);
    FILE *stream = open_memstream(&silence, &length);
    if (stream && !(reason && *reason))
        for (uint32_t i = 0; i < page->realm_count; i++) add_silence(page, i, stream);
    if (stream) fclose(stream);
    hed_fail(error, HED_ERROR_NO_DEVICE,
        "page: no compute dispatch within %g s (%s).\n  A script that starts it may be given by --drive, or leave out --headless and use the page",
        DISPATCH_SECONDS, reason && *reason ? reason : silence && *silence ? silence : "no script has used WebGPU");
    free(silence);
    json_decref(adapter);
    return error->status;
}

/* Lets the page run until enough is recorded. */
static hed_status record(page_tuning *tuning, hed_error *error)
{
    page_session *page = &tuning->session;
    double dispatches = -1, seconds = hed_number_of(tuning->arguments, "wait");
    hed_progress progress =
        hed_progress_begin("record", "dispatches", 0, hed_given(tuning->arguments, "json"));
    if (drive_page(page, tuning->arguments, error)) return error->status;
    uint64_t end = hed_now() + (uint64_t)(DISPATCH_SECONDS * 1e9);
    while ((dispatches = count_dispatches(page)) <= 0 && hed_now() < end && !hed_interrupted())
        if (page_session_wait(page, 0.25, error)) return error->status;
    if (dispatches <= 0 && !hed_interrupted()) return explain_silence(page, error);
    end = hed_now() + (uint64_t)(seconds * 1e9);
    while (hed_now() < end && !hed_interrupted() && !hed_failed(error)) {
        page_session_wait(page, 0.25, error);
        hed_progress_update(&progress, (uint64_t)count_dispatches(page));
    }
    hed_progress_end(&progress);
    return error->status;
}

/* ---- the list ---- */

static int compare_totals(const void *a, const void *b)
{
    double x = page_number_at(*(json_t *const *)a, "total"), y = page_number_at(*(json_t *const *)b, "total");
    return (x < y) - (x > y);
}

static hed_status sort_pipelines(page_tuning *tuning, hed_error *error)
{
    size_t count = json_array_size(tuning->pipelines);
    json_t **order = malloc((count + 1) * sizeof *order), *sorted = json_array();
    if (!order || !sorted) {
        free(order);
        json_decref(sorted);
        return HED_OUT_OF_MEMORY(error, "the list of pipelines");
    }
    for (size_t i = 0; i < count; i++) order[i] = json_array_get(tuning->pipelines, i);
    qsort(order, count, sizeof *order, compare_totals);
    for (size_t i = 0; i < count; i++) {
        tuning->total += page_number_at(order[i], "total");
        json_array_append(sorted, order[i]);
    }
    free(order);
    json_decref(tuning->pipelines);
    tuning->pipelines = sorted;
    return HED_OK;
}

typedef struct page_status {
    bool quiet, terminal;
    uint64_t last_line; /* time of the last line where there is no terminal */
} page_status;

/* Shows a state: in place on a terminal, else as a line every half a minute. */
static void show_status(void *user, const char *text)
{
    page_status *status = user;
    if (status->quiet || !*text) return;
    if (status->terminal) fprintf(stderr, "\r\033[K%s", text);
    else if (hed_now() - status->last_line > (uint64_t)(LINE_SECONDS * 1e9)) {
        fprintf(stderr, "heddle: page: %s\n", text);
        status->last_line = hed_now();
    }
}

static void end_status(const page_status *status)
{
    if (!status->quiet && status->terminal) fputs("\r\033[K", stderr);
}

/* Freezes one realm and adds its pipelines to the list. */
static hed_status list_realm(
    page_tuning *tuning, uint32_t index, page_status *status, hed_error *error)
{
    page_realm realm = tuning->session.realms[index];
    json_t *value = NULL, *pipeline;
    size_t i;
    page_evaluate(&tuning->session, &realm, "globalThis.__heddle?.pipelines.length ?? 0", &value, error);
    bool has_pipelines = json_number_value(value) > 0;
    json_decref(value);
    if (hed_failed(error) || !has_pipelines) return error->status;
    if (page_add_tools(&tuning->session, &realm, error) ||
        page_run(&tuning->session, &realm, "begin", NULL, show_status, status, &value, error))
        return error->status;
    json_decref(value);
    if (page_run(&tuning->session, &realm, "list", NULL, show_status, status, &value, error))
        return error->status;
    json_array_foreach(json_object_get(value, "pipelines"), i, pipeline)
    {
        json_object_set_new(pipeline, "realm", json_integer(index));
        json_array_append(tuning->pipelines, pipeline);
    }
    if (!tuning->device) tuning->device = json_incref(json_object_get(value, "device"));
    json_decref(value);
    return HED_OK;
}

static hed_status list_pipelines(page_tuning *tuning, page_status *status, hed_error *error)
{
    tuning->pipelines = json_array();
    for (uint32_t i = 0; i < tuning->session.realm_count && !hed_failed(error); i++)
        list_realm(tuning, i, status, error);
    end_status(status);
    if (!hed_failed(error)) sort_pipelines(tuning, error);
    if (!hed_failed(error) && !json_array_size(tuning->pipelines))
        hed_fail(error, HED_ERROR_FORMAT, "%s: no compute pipeline was made within the recording; "
            "expected at least one. Record longer: --wait 10", tuning->origin);
    return error->status;
}

/* ---- the tuning ---- */

static bool has_name(const json_t *pipeline, const char *name)
{
    static const char *const keys[] = {"entry", "label", "hash"};
    for (size_t k = 0; k < HED_COUNT(keys); k++) {
        const char *text = json_string_value(json_object_get(pipeline, keys[k]));
        if (text && strcmp(text, name) == 0) return true;
    }
    return false;
}

static bool is_named(const hed_arguments *arguments, const json_t *pipeline)
{
    const char *name;
    for (uint32_t i = 0; (name = hed_text_at(arguments, "pipeline", i)) != NULL; i++)
        if (has_name(pipeline, name)) return true;
    return false;
}

/* Refuses a --pipeline that names none, before any is tuned. */
static hed_status check_names(const page_tuning *tuning, hed_error *error)
{
    const char *name;
    for (uint32_t i = 0; (name = hed_text_at(tuning->arguments, "pipeline", i)) != NULL; i++) {
        size_t at = 0;
        while (at < json_array_size(tuning->pipelines) &&
               !has_name(json_array_get(tuning->pipelines, at), name))
            at++;
        if (at == json_array_size(tuning->pipelines))
            return hed_fail(error, HED_ERROR_ARGUMENT,
                "--pipeline %s: no such pipeline; expected an entry point, label or hash of the list", name);
    }
    return HED_OK;
}

/* Finds the author's lines to change; a failure is kept with the pipeline, since the size is
 * known. */
static void find_changes(
    page_tuning *tuning, json_t *pipeline, const json_t *best, page_status *status)
{
    hed_error failure = {0};
    json_t *value = NULL;
    char *list = NULL, *text = json_dumps(best, JSON_COMPACT);
    page_realm realm = tuning->session.realms[(uint32_t)page_number_at(pipeline, "realm")];
    if (text && asprintf(&list, "%d, %s", (int)page_number_at(pipeline, "id"), text) > 0)
        page_run(&tuning->session, &realm, "changes", list, show_status, status, &value, &failure);
    if (value) json_object_set_new(pipeline, "changes", value);
    else json_object_set_new(pipeline, "changes_failure", json_string(failure.text));
    hed_error_clear(&failure);
    free(list);
    free(text);
}

static hed_status tune_pipeline(
    page_tuning *tuning, json_t *pipeline, page_status *status, hed_error *error)
{
    char list[128];
    json_t *value = NULL;
    const hed_arguments *arguments = tuning->arguments;
    page_realm realm =
        tuning->session.realms[(uint32_t)json_integer_value(json_object_get(pipeline, "realm"))];
    double seconds = hed_given(arguments, "time") ? hed_number_of(arguments, "time") : 8;
    snprintf(list, sizeof list, "%d, {sizes: %d, spanMs: 12, raceMs: %.0f, checkMs: %.0f}",
        (int)page_number_at(pipeline, "id"),
        hed_given(arguments, "budget") ? (int)hed_integer_of(arguments, "budget") : SIZES,
        500 * seconds, CHECK_SHARE * 1e3 * seconds);
    page_run(&tuning->session, &realm, "tune", list, show_status, status, &value, error);
    if (value) json_object_set_new(pipeline, "tuned", value);
    const json_t *best = json_object_get(value, "best");
    if (json_is_object(best) && !hed_given(arguments, "module"))
        find_changes(tuning, pipeline, best, status);
    end_status(status);
    return error->status;
}

/* Tunes the named pipelines, or the ones that make up most of the time. */
static hed_status tune_pipelines(page_tuning *tuning, page_status *status, hed_error *error)
{
    size_t i;
    json_t *pipeline;
    double before = 0;
    bool named = hed_given(tuning->arguments, "pipeline");
    if (check_names(tuning, error)) return error->status;
    json_array_foreach(tuning->pipelines, i, pipeline)
    {
        bool is_chosen = named ? is_named(tuning->arguments, pipeline)
                               : before < TUNED_SHARE * tuning->total || tuning->total <= 0;
        before += page_number_at(pipeline, "total");
        if (!is_chosen) continue;
        if (tune_pipeline(tuning, pipeline, status, error)) return error->status;
        if (!hed_given(tuning->arguments, "json")) page_print_tuned(tuning, pipeline);
    }
    return error->status;
}

/* Adds the changes of one realm's pipelines to a patch; realms have files of their own. */
static hed_status add_changes(page_tuning *tuning, uint32_t realm, FILE *stream, hed_error *error)
{
    json_t *changes = json_array(), *value = NULL, *pipeline;
    char *list = NULL, *code = NULL;
    size_t i;
    json_array_foreach(tuning->pipelines, i, pipeline)
    {
        if (page_number_at(pipeline, "realm") == realm && json_object_get(pipeline, "changes"))
            json_array_append(changes, json_object_get(pipeline, "changes"));
    }
    if (json_array_size(changes)) list = json_dumps(changes, JSON_COMPACT);
    if (list && asprintf(&code, "__heddle.patch(%s)", list) > 0 &&
        !page_evaluate(&tuning->session, &tuning->session.realms[realm], code, &value, error))
        fputs(page_text_at(value, "diff"), stream);
    double omitted = page_number_at(value, "omitted");
    if (omitted > 0)
        fprintf(stderr,
            "heddle: warning: --patch: %.0f pipelines are not in it, since a part of their changes is an advice or contradicts another; change them by hand\n",
            omitted);
    free(code);
    free(list);
    json_decref(value);
    json_decref(changes);
    return error->status;
}

static hed_status write_patch(page_tuning *tuning, hed_error *error)
{
    const char *path = hed_text_of(tuning->arguments, "patch");
    char *diff = NULL;
    size_t length = 0;
    FILE *stream = path ? open_memstream(&diff, &length) : NULL;
    if (!path) return HED_OK;
    if (!stream) return HED_OUT_OF_MEMORY(error, "the patch");
    for (uint32_t r = 0; r < tuning->session.realm_count && !hed_failed(error); r++)
        add_changes(tuning, r, stream, error);
    fclose(stream);
    if (!hed_failed(error)) hed_file_write(path, diff, length, error);
    free(diff);
    return error->status;
}

/* Refuses a server's answer that is an error (404), unless it is a page with scripts, as that of an
 * app for all its addresses. */
static hed_status refuse_answer(page_session *page, const char *address, hed_error *error)
{
    static const char probe[] = "[performance.getEntriesByType('navigation')[0]?.responseStatus ?? 0, "
                                "document.scripts.length + frames.length]";
    json_t *value = NULL;
    if (page_evaluate_tab(page, probe, &value, error)) return error->status;
    double answer = json_number_value(json_array_get(value, 0)),
           parts = json_number_value(json_array_get(value, 1));
    if (answer >= 400 && !(parts > 0))
        hed_fail(error, HED_ERROR_IO, "%s: the server answers %.0f (%s); expected a page", address, answer,
            answer == 404  ? "no such page: check the path"
            : answer < 500 ? "it refuses the request"
                           : "a fault of its own");
    json_decref(value);
    return error->status;
}

/* Loads a recording of a page into an empty page. */
static hed_status load_recording(
    page_tuning *tuning, const char *address, page_status *status, hed_error *error)
{
    json_t *value = NULL, *name = json_string(address + strlen(page_host) - 1);
    char *list = name ? json_dumps(name, JSON_ENCODE_ANY) : NULL;
    json_decref(name);
    if (!list) return HED_OUT_OF_MEMORY(error, "the address of the recording");
    if (!page_session_go(&tuning->session, page_host, error) && tuning->session.realm_count) {
        page_realm realm = tuning->session.realms[0];
        if (!page_add_tools(&tuning->session, &realm, error))
            page_run(&tuning->session, &realm, "loadFile", list, show_status, status, &value, error);
    }
    free(list);
    json_decref(value);
    return error->status;
}

static hed_status tune_page(
    page_tuning *tuning, const char *address, const page_def *def, hed_error *error)
{
    bool json = hed_given(tuning->arguments, "json");
    page_status status = {.quiet = json || hed_given(tuning->arguments, "quiet"),
        .terminal = isatty(STDERR_FILENO),
        .last_line = hed_now()};
    bool recorded = has_ending(address, ".hrec");
    if (page_session_open(&tuning->session, def, error)) return error->status;
    if (recorded) load_recording(tuning, address, &status, error);
    else if (!page_session_go(&tuning->session, address, error) &&
             !refuse_answer(&tuning->session, address, error))
        record(tuning, error);
    if (hed_failed(error) || hed_interrupted() || list_pipelines(tuning, &status, error))
        return error->status;
    if (!json && page_print_list(tuning, error)) return error->status;
    if (!hed_given(tuning->arguments, "list")) tune_pipelines(tuning, &status, error);
    if (!hed_failed(error) && tuning->tables) page_module_write(tuning, error);
    if (!hed_failed(error)) write_patch(tuning, error);
    if (!hed_failed(error) && json) page_print_json(tuning, error);
    return error->status;
}

/* Names the end of the browser in a failure that it caused. */
static void explain_end(const page_session *page, hed_error *error)
{
    char end[32];
    if (error->status != HED_ERROR_IO || hed_interrupted() ||
        !cli_browser_describe_end(&page->process, end, sizeof end))
        return;
    hed_error_clear(error);
    hed_fail(error, HED_ERROR_IO,
        "browser: %s ended (%s); see if it does so with the page alone, or name another by --browser",
        page->name, end);
}

static int run_page(const hed_arguments *arguments, const char *origin)
{
    hed_error error = {0};
    char folder[PATH_MAX] = "", address[PATH_MAX];
    page_tuning tuning = {.arguments = arguments, .origin = origin};
    const char *browser = hed_text_of(arguments, "browser");
    hed_interrupt_install();
    if (strstr(origin, "://")) snprintf(address, sizeof address, "%s", origin);
    else if (locate_folder(origin, folder, address, &error)) return cli_fail(&error);
    if (has_ending(origin, ".hrec") && check_recording(origin, &error)) return cli_fail(&error);
    const char *module = hed_text_of(arguments, "module");
    if (module && page_module_read(module, &tuning.tables, &error)) return cli_fail(&error);
    const page_def def = {.browser = browser ? browser : "chromium",
        .headless = hed_given(arguments, "headless"),
        .folder = folder[0] ? folder : NULL,
        .memory = (uint64_t)hed_integer_of(arguments, "memory") << 20};
    tune_page(&tuning, address, &def, &error);
    explain_end(&tuning.session, &error);
    page_session_close(&tuning.session);
    json_decref(tuning.pipelines);
    json_decref(tuning.device);
    json_decref(tuning.tables);
    if (hed_interrupted()) return HED_EXIT_INTERRUPTED;
    return cli_end(error.status, &error);
}

bool cli_tune_page(const hed_arguments *arguments, int *code)
{
    const char *origin = hed_text_of(arguments, "KERNEL"), *recorder = hed_text_of(arguments, "recorder");
    hed_error error = {0};
    bool page = origin && is_page(origin);
    *code = HED_EXIT_USAGE;
    if (recorder) {
        *code = write_recorder(recorder, &error) ? cli_fail(&error) : HED_EXIT_OK;
        return true;
    }
    if (rejects_options(arguments, page)) return true;
    if (page) *code = run_page(arguments, origin);
    return page;
}
