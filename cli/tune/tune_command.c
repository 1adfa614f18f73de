/* heddle tune: finds the fastest configuration of a kernel on a device, and stores it. */
#include "tune_command.h"

#include "cli/common/command.h"
#include "cli/common/kernel_key.h"
#include "cli/common/report.h"
#include "cli/tune/page.h"
#include "tunefile/objective.h"
#include "tunefile/report/report_numbers.h"
#include "heddle/capture.h"
#include "heddle/remote.h"
#include "heddle/tune_file.h"
#include "heddle/author.h"
#include "support/file.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <time.h>

extern const hed_source hed_tune_file_files[]; /* embedded: the schema of tune files */

static const char *const MATH[] = {"fast", "strict", NULL};
static const char *const STRATEGIES[] = {"auto", "random", "exhaustive", "local", NULL};
static const char *const REFERENCES[] = {"native", "default", "none", NULL};

/* ---- settings ---- */

static bool tune_should_stop(void *user) { return hed_interrupted(); }

/* Reads options that override the settings of a file or capture. */
static hed_status tune_read_settings(
    const hed_arguments *arguments, hed_tune_def *def, hed_error *error)
{
    static const hed_reference references[] = {
        HED_REFERENCE_NATIVE, HED_REFERENCE_DEFAULT, HED_REFERENCE_NONE};
    if (hed_given(arguments, "math")) def->math = (hed_math)hed_choice_of(arguments, "math");
    if (hed_given(arguments, "reference"))
        def->reference = references[hed_choice_of(arguments, "reference")];
    /* a limit of the command line replaces all limits of the file */
    if (hed_given(arguments, "budget") || hed_given(arguments, "time") ||
        hed_given(arguments, "good-enough") || hed_given(arguments, "patience")) {
        def->evaluations = (uint32_t)hed_integer_of(arguments, "budget");
        def->limit_seconds = hed_number_of(arguments, "time");
        def->good_enough = hed_number_of(arguments, "good-enough");
        def->patience = (uint32_t)hed_integer_of(arguments, "patience");
    }
    if (hed_given(arguments, "candidate-time"))
        def->timeout_seconds = hed_number_of(arguments, "candidate-time");
    def->strategy = (hed_strategy)hed_choice_of(arguments, "strategy");
    def->seed = (uint64_t)hed_integer_of(arguments, "seed");
    const char *objective = hed_text_of(arguments, "objective");
    if (objective) hed_objective_set(def, objective, error);
    def->cold_cache = hed_given(arguments, "cold-cache");
    def->resume = hed_given(arguments, "resume");
    def->keep = !hed_given(arguments, "no-keep");
    if (hed_given(arguments, "no-isolation")) def->isolation = HED_ISOLATION_NONE;
    return error->status;
}

/* Describes the settings for the report: "auto, 200 evaluations, seed 1". */
static void format_settings(const hed_tune_def *def, char *text, size_t size)
{
    size_t used = (size_t)snprintf(
        text, size, "%s, seed %" PRIu64, hed_strategy_name(def->strategy), def->seed);
    if (def->evaluations && used < size)
        used += (size_t)snprintf(
            text + used, size - used, ", at most %u evaluations", def->evaluations);
    if (def->limit_seconds > 0 && used < size)
        used += (size_t)snprintf(text + used, size - used, ", at most %g s", def->limit_seconds);
    if (def->good_enough > 0 && used < size)
        used += (size_t)snprintf(
            text + used, size - used, ", until %g %% of the roofline", 100 * def->good_enough);
    if (def->patience && used < size)
        used += (size_t)snprintf(
            text + used, size - used, ", until %u evaluations without gain", def->patience);
    if (def->resume && used < size)
        snprintf(text + used, size - used, ", going on from earlier results");
}

/* ---- results ---- */

static hed_status write_report(const cli_tuned *t, hed_error *error)
{
    char settings[256], date[32] = "";
    format_settings(t->def, settings, sizeof settings);
    time_t now = time(NULL);
    struct tm local;
    if (localtime_r(&now, &local)) strftime(date, sizeof date, "%Y-%m-%d %H:%M", &local);
    hed_tune_report_def report = {.kernel = t->kernel,
        .device = &t->device,
        .result = t->result,
        .math = t->def->math,
        .arguments = t->def->arguments,
        .objective = t->def->objective,
        .metric = t->def->metric,
        .metrics = t->def->metrics,
        .metric_count = t->def->metric_count,
        .cold_cache = t->def->cold_cache,
        .resources = t->resources,
        .origin = t->origin,
        .settings = settings,
        .database = t->database,
        .date = date};
    return hed_tune_report_save(&report, t->report, HED_REPORT_HTML, error);
}

/* Checks at the start that the output files can be written, since a tuning may take long. */
static hed_status check_files(const hed_arguments *arguments, hed_error *error)
{
    static const char *const options[] = {"report", "csv", "t4"};
    hed_status status = HED_OK;
    for (size_t i = 0; i < sizeof options / sizeof *options && status == HED_OK; i++) {
        hed_file_writer *writer;
        const char *path = hed_text_of(arguments, options[i]);
        status = path ? hed_file_writer_open(path, &writer, error) : HED_OK;
        if (path && status == HED_OK) hed_file_writer_abort(writer);
    }
    return status;
}

static hed_status write_files(const hed_arguments *arguments, const cli_tuned *t, hed_error *error)
{
    const char *csv = hed_text_of(arguments, "csv"), *t4 = hed_text_of(arguments, "t4");
    hed_status status = t->report ? write_report(t, error) : HED_OK;
    const hed_tune_report_def def = {.kernel = t->kernel,
        .result = t->result,
        .objective = t->def->objective,
        .metric = t->def->metric,
        .metrics = t->def->metrics,
        .metric_count = t->def->metric_count};
    if (status == HED_OK && csv) status = hed_tune_report_save(&def, csv, HED_REPORT_CSV, error);
    if (status == HED_OK && t4) status = hed_tune_report_save(&def, t4, HED_REPORT_T4, error);
    return status;
}

/* Tunes under the live view, which is erased for messages. `tune` NULL: the kernel itself. */
static hed_status tune_in_view(cli_session *session, const hed_kernel_def *kernel,
    const char *title, cli_view_kind kind, hed_tune_def *def, cli_tune_engine_function *tune,
    const void *user, hed_tune_result **result, hed_error *error)
{
    cli_tune_view view;
    cli_tune_view_open(&view, kernel, def, title, kind);
    if (def->open_runner) {
        view.second_display = cli_browser_show;
        view.also_user = def->runner_user;
    }
    session->before_message = cli_tune_view_clear;
    session->user = &view;
    def->progress = cli_tune_view_update;
    def->stop = tune_should_stop;
    def->user = &view;
    hed_status status = tune ? tune(session->devices[0], user, def, result, error)
                             : hed_tune_kernel(session->devices[0], kernel, def, result, error);
    session->before_message = NULL;
    session->user = NULL;
    cli_tune_view_close(&view);
    return status;
}

/* Tuning of a kernel on devices of one kind. */
typedef struct tuning {
    const hed_arguments *arguments;
    cli_session session; /* devices of one kind */
    cli_tune_subject s;
    hed_tune_def def;
    bool shares_terminal; /* several tunings are shown together */
    hed_tune_result *result;
    hed_status status;
    hed_error error;
    int code;
} tuning;

static void tuning_run(tuning *t)
{
    char title[256];
    const hed_device_info device = hed_device_describe(t->session.devices[0]);
    snprintf(title, sizeof title, "%s on %s (%s)%s", t->s.kernel->name, device.id, device.name,
        t->session.count > 1 ? " and its like" : "");
    bool quiet = hed_given(t->arguments, "quiet") || hed_given(t->arguments, "json");
    cli_view_kind kind = quiet                ? CLI_VIEW_SILENT
                         : t->shares_terminal ? CLI_VIEW_BESIDE
                                              : CLI_VIEW_LIVE;
    t->def.other_devices = t->session.devices + 1;
    t->def.other_device_count = t->session.count - 1;
    t->status = tune_in_view(
        &t->session, t->s.kernel, title, kind, &t->def, NULL, NULL, &t->result, &t->error);
}

/* True if the context has a database, and a failure of the database, not of the tuning, prevents
 * storing: it cannot be opened, or not be written. */
static bool tuned_unrecorded(const hed_context *context, const hed_tune_result *result)
{
    return hed_context_describe(context).database[0] &&
           strncmp(result->not_kept_reason, "the database ", 13) == 0;
}

/* Prints the result, and writes the files. */
static int tuning_print(tuning *t)
{
    hed_error error = {0};
    cli_tuned tuned = {
        .kernel = t->s.kernel,
        .device = hed_device_describe(t->session.devices[0]),
        .def = &t->def,
        .result = t->result,
        .origin = t->s.origin,
        .report = hed_text_of(t->arguments, "report"),
    };
    if (t->status != HED_OK) {
        int code = cli_fail(&t->error);
        if (t->s.spec) cli_tune_print_remedy(t->s.kernel, t->def.problem, &t->error);
        return code;
    }
    hed_tune_resources resources;
    if (cli_tune_find_resources(t->session.devices[0], t->s.kernel, &t->def, t->result, &resources))
        tuned.resources = &resources;
    hed_database *database = t->def.keep ? hed_context_database(t->session.context) : NULL;
    bool unrecorded = tuned_unrecorded(t->session.context, t->result);
    tuned.database = database && !unrecorded ? hed_database_path(database) : NULL;
    /* the result is printed even if a file cannot be written */
    hed_error file_error = {0};
    hed_status files = write_files(t->arguments, &tuned, &file_error), status = HED_OK;
    if (hed_given(t->arguments, "json")) status = cli_tuned_print_json(&tuned, stdout, &error);
    else cli_tuned_print(&tuned, stdout);
    if (status == HED_OK && files != HED_OK) error = file_error;
    if (status == HED_OK) status = files;
    bool failed = t->result->end == HED_TUNE_LOST || unrecorded;
    hed_tune_result_free(t->result);
    t->result = NULL;
    return status == HED_OK && failed ? HED_EXIT_FAILURE : cli_end(status, &error);
}

static void tuning_close(tuning *t)
{
    hed_tune_result_free(t->result);
    hed_tune_file_close(t->s.spec);
    hed_capture_close(t->s.capture);
    free(t->s.name);
    t->s.spec = NULL;
    t->s.capture = NULL;
}

/* Computes smaller sizes of the problem, true if one is smaller. The sizes of the default's group come first, since items
 * beyond an invented size may write too. A part of a group is faster only where the text has a guard. */
static bool smaller_sizes(const tuning *t, int64_t sizes[HED_MAX_DIMENSIONS])
{
    const hed_problem *problem = t->def.problem;
    const hed_kernel_def *kernel = t->s.kernel;
    hed_geometry geometry = {0};
    hed_config config = hed_config_default(kernel);
    bool has_smaller = false;
    kernel->geometry(kernel, &config, problem, &geometry);
    for (int is_part = 0; is_part < 2 && !has_smaller; is_part++)
        for (uint32_t i = 0; i < problem->count; i++) {
            int64_t size = problem->sizes[i],
                    least = is_part || !geometry.group[i] ? 1 : geometry.group[i],
                    smaller = size / (problem->count == 1 ? 16 : 4);
            if (smaller < least) smaller = least;
            sizes[i] = smaller < size ? smaller : size;
            has_smaller = has_smaller || sizes[i] < size;
        }
    return has_smaller;
}

/* True if the problem is invented and has a smaller one. */
static bool can_shrink(const tuning *t)
{
    int64_t sizes[HED_MAX_DIMENSIONS];
    return t->s.spec && t->s.is_invented && t->def.problem && smaller_sizes(t, sizes);
}

static int tuning_open(tuning *t)
{
    static const double patience = 3; /* s, for an invented problem */
    t->def = hed_default_tune_def();
    int code = cli_tune_subject_open(t->arguments, &t->session, &t->s, &t->def, &t->error);
    if (code == HED_EXIT_OK && tune_read_settings(t->arguments, &t->def, &t->error))
        code = cli_fail(&t->error);
    if (code == HED_EXIT_OK && can_shrink(t)) t->def.default_seconds = patience;
    return code;
}

/* Opens a tuning again with a smaller problem if its default took too long with the invented one; false: its result stays. */
static bool tuning_shrink(tuning *t)
{
    cli_tune_subject *s = &t->s;
    const hed_kernel_def *kernel = s->kernel;
    const hed_problem problem = t->def.problem ? *t->def.problem : (hed_problem){0};
    bool is_slow = t->status == HED_ERROR_TIMEOUT ||
                   (t->status != HED_OK && strstr(t->error.text, "the first: hung: "));
    int64_t sizes[HED_MAX_DIMENSIONS];
    if (!is_slow || !can_shrink(t) || hed_interrupted()) return false;
    smaller_sizes(t, sizes);
    fprintf(stderr, "heddle: %s: %s; again with a smaller problem:", s->origin, t->error.text);
    for (uint32_t i = 0; i < problem.count && i < HED_COUNT(s->size_texts); i++) {
        snprintf(s->size_texts[i], sizeof s->size_texts[i], "%s=%" PRId64, kernel->dimensions[i],
            sizes[i]);
        s->sizes[i] = s->size_texts[i];
        fprintf(stderr, " --set %s", s->sizes[i]);
    }
    fputc('\n', stderr);
    tuning_close(t);
    t->error = (hed_error){0};
    t->code = tuning_open(t);
    if (t->code == HED_EXIT_OK && s->browser.web) cli_browser_use(&s->browser, &t->def);
    return t->code == HED_EXIT_OK;
}

/* Tunes with the problem as it is, or with smaller ones while the default takes too long. */
static void tuning_run_smaller(tuning *t)
{
    tuning_run(t);
    while (tuning_shrink(t)) tuning_run(t);
}

/* ---- several devices ---- */

/* Tunings that run one after another: all CPUs form one lane, since they use the same cores; each
 * kind of other device has its own. */
typedef struct lane {
    tuning **tunings; /* (count) */
    uint32_t count;
    pthread_t thread;
    bool threaded;
} lane;

static void *lane_run(void *user)
{
    lane *l = user;
    for (uint32_t i = 0; i < l->count && !hed_interrupted(); i++)
        if (l->tunings[i]->code == HED_EXIT_OK) tuning_run_smaller(l->tunings[i]);
    return NULL;
}

static void run_lanes(lane *lanes, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        lanes[i].threaded = pthread_create(&lanes[i].thread, NULL, lane_run, &lanes[i]) == 0;
    for (uint32_t i = 0; i < count; i++)
        if (!lanes[i].threaded) lane_run(&lanes[i]);
    for (uint32_t i = 0; i < count; i++)
        if (lanes[i].threaded) pthread_join(lanes[i].thread, NULL);
}

/* Tuning of several files: state of their common output. */
typedef struct sweep {
    cli_report *table; /* table of the winners */
    bool has_output;   /* an object was printed as JSON already */
} sweep;

static void sweep_note(sweep *output, const tuning *t)
{
    const hed_tune_result *r = t->result;
    char *config = NULL, value[48] = "", gain[32] = "";
    if (r && r->best < r->count) {
        const hed_evaluation *winner = &r->evaluations[r->best];
        config = cli_config_text(t->s.kernel, &winner->config);
        hed_report_value_text(
            t->def.objective, t->def.metric, winner->seconds, value, sizeof value);
        if (isfinite(r->gain)) snprintf(gain, sizeof gain, "%.2f", r->gain);
    }
    const char *end = t->code != HED_EXIT_OK || t->status != HED_OK ? "failed"
                      : !r                                          ? "not begun"
                      : r->kept                                     ? "kept"
                                                                    : r->not_kept_reason;
    cli_report_row(output->table, CLI_TEXT("from", t->s.origin, .heading = "FROM"),
        CLI_TEXT("device", hed_device_describe(t->session.devices[0]).id, .heading = "DEVICE"),
        CLI_TEXT("winner", config ? config : "", .heading = "WINNER"),
        CLI_TEXT("takes", value, .heading = ">TAKES"), CLI_TEXT("gain", gain, .heading = ">GAIN"),
        CLI_TEXT("result", end, .heading = "RESULT"));
    free(config);
}

/* Prints all results in order; as JSON one object, or an array of objects, which a sweep has
 * begun. */
static int tuning_print_all(tuning *tunings, uint32_t count, sweep *output)
{
    bool json = hed_given(tunings[0].arguments, "json"), has_output = output && output->has_output;
    int code = HED_EXIT_OK;
    if (json && !output) fputs("[\n", stdout);
    for (uint32_t i = 0; i < count; i++) {
        tuning *t = &tunings[i];
        bool done = t->code == HED_EXIT_OK && (t->result || t->status != HED_OK);
        if (json && has_output && done && t->result) fputs(",\n", stdout);
        has_output = has_output || (done && t->result);
        if (output) sweep_note(output, t);
        if (done) t->code = tuning_print(t);
        if (t->code != HED_EXIT_OK) code = t->code;
    }
    if (json && !output) fputs("]\n", stdout);
    if (output) output->has_output = has_output;
    return hed_interrupted() ? HED_EXIT_INTERRUPTED : code;
}

static int tune_groups(const hed_arguments *arguments, cli_session *session, const char *origin,
    const cli_device_group *groups, uint32_t count, sweep *output)
{
    enum { LIMIT = HED_TUNE_DEVICES };
    tuning *tunings = calloc(count + 1, sizeof *tunings), *order[LIMIT];
    lane lanes[LIMIT + 1] = {{.tunings = order}};
    uint32_t lane_count = 1;
    if (!tunings) {
        fputs("heddle: out of memory for the tunings\n", stderr);
        return HED_EXIT_FAILURE;
    }
    for (uint32_t i = 0; i < count; i++) {
        tuning *t = &tunings[i];
        *t = (tuning){.arguments = arguments, .session = *session, .s = {.origin = origin}};
        memcpy(t->session.devices, groups[i].devices, sizeof groups[i].devices);
        t->session.count = groups[i].count;
        t->code = tuning_open(t);
        order[i] = t;
    }
    for (uint32_t i = 0; i < count; i++) {
        const hed_device_info info = hed_device_describe(tunings[i].session.devices[0]);
        if (info.type != HED_DEVICE_CPU) continue;
        tuning *moved = order[i];
        memmove(order + lanes[0].count + 1, order + lanes[0].count,
            (i - lanes[0].count) * sizeof *order);
        order[lanes[0].count++] = moved;
    }
    for (uint32_t i = lanes[0].count; i < count; i++)
        lanes[lane_count++] = (lane){.tunings = &order[i], .count = 1};
    for (uint32_t i = 0; i < count; i++)
        tunings[i].shares_terminal = lane_count > (lanes[0].count ? 1u : 2u);
    run_lanes(lanes, lane_count);
    int code = count > 1 || output              ? tuning_print_all(tunings, count, output)
               : tunings[0].code != HED_EXIT_OK ? tunings[0].code
                                                : tuning_print(&tunings[0]);
    for (uint32_t i = 0; i < count; i++) tuning_close(&tunings[i]);
    free(tunings);
    return code;
}

/* ---- engines: tunes a choice of solver in the live view, and reports it ---- */

int cli_tune_engine(const hed_arguments *arguments, cli_session *session,
    const hed_kernel_def *description, const char *origin, cli_tune_engine_function *tune,
    const void *user, hed_error *error)
{
    hed_tune_result *result = NULL;
    hed_tune_def def = hed_default_tune_def();
    bool json = hed_given(arguments, "json");
    char title[512];
    def.limit_seconds = hed_number_of(arguments, "seconds");
    def.evaluations = 0;
    def.seed = (uint64_t)hed_integer_of(arguments, "seed");
    if (hed_given(arguments, "exhaustive")) def.strategy = HED_SEARCH_EXHAUSTIVE;
    cli_tuned tuned = {.kernel = description,
        .device = hed_device_describe(session->devices[0]),
        .def = &def,
        .origin = origin};
    snprintf(title, sizeof title, "%s, %s, on %s (%s)", description->name, origin, tuned.device.id,
        tuned.device.name);
    hed_status status = tune_in_view(session, description, title,
        json || hed_given(arguments, "quiet") ? CLI_VIEW_SILENT : CLI_VIEW_LIVE, &def, tune, user,
        &result, error);
    if (status != HED_OK) return cli_fail(error);
    tuned.result = result;
    hed_database *database = hed_context_database(session->context);
    bool unrecorded = tuned_unrecorded(session->context, result);
    tuned.database = database && !unrecorded ? hed_database_path(database) : NULL;
    if (json) status = cli_tuned_print_json(&tuned, stdout, error);
    else cli_tuned_print(&tuned, stdout);
    hed_tune_result_free(result);
    return status == HED_OK && unrecorded ? HED_EXIT_FAILURE : cli_end(status, error);
}

/* ---- the command ---- */

static int tune_in_browser(const hed_arguments *arguments, const char *origin, hed_error *error)
{
    tuning t = {.arguments = arguments, .s = {.origin = origin}};
    cli_session *session = &t.session;
    hed_tune_file *file = NULL; /* errors in the file are reported before a browser is opened */
    if (cli_is_shader(origin) &&
        cli_tune_file_open(arguments, origin, &cli_any_browser, NULL, &file, error))
        return cli_fail(error);
    hed_tune_file_close(file);
    if (cli_open_context(arguments, session, error)) return cli_fail(error);
    session->count = 1;
    int code = HED_EXIT_FAILURE;
    if (cli_browser_open(&t.s.browser, arguments, session->context, &session->devices[0], error))
        code = cli_fail(error);
    else code = tuning_open(&t);
    if (code == HED_EXIT_OK) {
        cli_browser_use(&t.s.browser, &t.def);
        tuning_run_smaller(&t);
        code = t.code == HED_EXIT_OK ? tuning_print(&t) : t.code;
    }
    tuning_close(&t);
    cli_browser_close(&t.s.browser);
    cli_close(session);
    return code;
}

/* Rejects several devices of a kind whose candidates run in this process. */
static hed_status check_shares_search(
    const cli_device_group *groups, uint32_t count, hed_error *error)
{
    for (uint32_t g = 0; g < count; g++) {
        const hed_device_info info = hed_device_describe(groups[g].devices[0]);
        if (groups[g].count > 1 && !(info.capabilities & HED_CAN_SOURCE))
            return hed_fail(error, HED_ERROR_ARGUMENT,
                "--device %s: %u devices of its kind are named; expected one, since its candidates run "
                "in this process, one after the other",
                info.id, groups[g].count);
    }
    return HED_OK;
}

/* Opens the devices of --worker in addition to --device. */
static hed_status open_workers(const hed_arguments *arguments, cli_session *session,
    cli_device_group *groups, uint32_t *count, hed_error *error)
{
    const char *worker;
    bool quiet = hed_given(arguments, "quiet") || hed_given(arguments, "json");
    *count = 0;
    if (!hed_given(arguments, "worker") || hed_given(arguments, "device"))
        cli_device_groups(arguments, session, groups, count, error);
    if (hed_failed(error) || check_shares_search(groups, *count, error)) return error->status;
    for (uint32_t i = 0; (worker = hed_text_at(arguments, "worker", i)); i++) {
        hed_device *device = NULL;
        hed_error cause = {0};
        const hed_remote_def def = {.command = strncmp(worker, "fd:", 3) ? worker : NULL,
            .descriptor = strncmp(worker, "fd:", 3) ? 0 : (int)strtol(worker + 3, NULL, 10),
            .patience_seconds = hed_number_of(arguments, "patience-of-workers"),
            .idle = tune_should_stop};
        if (hed_device_create_remote(session->context, &def, &device, &cause)) {
            fprintf(stderr, "heddle: %s\n", cause.text);
            if (hed_interrupted()) break;
            continue; /* the other devices do its work */
        }
        const hed_device_info info = hed_device_describe(device);
        if (!quiet) fprintf(stderr, "heddle: %s (%s)\n", info.id, info.name);
        if (cli_device_group_add(groups, count, device, error)) return error->status;
    }
    if (!hed_failed(error) && *count == 0)
        return hed_fail(error, HED_ERROR_NO_DEVICE, "no worker can be reached");
    return error->status;
}

static void close_workers(const cli_device_group *groups, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < groups[i].count; j++) {
            hed_device *device = groups[i].devices[j];
            bool listed = false;
            hed_context *context = hed_device_context(device);
            for (uint32_t k = 0; k < hed_context_describe(context).devices; k++)
                listed = listed || hed_device_at(context, k) == device;
            if (!listed) hed_device_release(device);
        }
}

static int tune_on_devices(const hed_arguments *arguments, const char *origin, hed_error *error)
{
    cli_session session;
    cli_device_group groups[HED_TUNE_DEVICES];
    uint32_t count;
    static const char *const files[] = {"report", "csv", "t4"};
    if (cli_open_context(arguments, &session, error)) return cli_fail(error);
    int code = HED_EXIT_OK;
    if (open_workers(arguments, &session, groups, &count, error)) code = cli_fail(error);
    for (size_t i = 0; i < HED_COUNT(files) && !code; i++) {
        if (count < 2 || !hed_given(arguments, files[i])) continue;
        fprintf(stderr,
            "heddle: --%s requires devices of one kind: %s and %s are tuned separately\n", files[i],
            hed_device_describe(groups[0].devices[0]).id,
            hed_device_describe(groups[1].devices[0]).id);
        code = HED_EXIT_USAGE;
    }
    if (code == HED_EXIT_OK) {
        cli_prefer_shaders(arguments, &session, origin, &groups[0].devices[0]);
        code = tune_groups(arguments, &session, origin, groups, count, NULL);
    }
    close_workers(groups, count);
    cli_close(&session);
    return code;
}

/* Rejects options that apply to a single kernel. */
static bool sweep_refuses(const hed_arguments *arguments)
{
    static const char *const single[] = {"capture", "browser", "headless", "port", "problem",
        "input", "entry", "set", "report", "csv", "t4", "schema", "pipeline", "drive", "list"};
    for (size_t i = 0; i < HED_COUNT(single); i++) {
        if (!hed_given(arguments, single[i])) continue;
        fprintf(stderr, "heddle: --%s requires a single kernel: heddle tune\n", single[i]);
        return true;
    }
    return false;
}

static int sweep_run(const hed_arguments *arguments, void *user)
{
    hed_error error = {0};
    cli_session session;
    cli_device_group groups[HED_TUNE_DEVICES];
    uint32_t count;
    const char *origin;
    if (sweep_refuses(arguments)) return HED_EXIT_USAGE;
    if (cli_open_context(arguments, &session, &error)) return cli_fail(&error);
    bool json = hed_given(arguments, "json");
    int code = HED_EXIT_OK;
    if (open_workers(arguments, &session, groups, &count, &error)) code = cli_fail(&error);
    sweep output = {.table = cli_report_create(false)};
    bool stopped = code != HED_EXIT_OK, begun = !stopped;
    if (json && begun) fputs("[\n", stdout);
    for (uint32_t i = 0; !stopped && (origin = hed_text_at(arguments, "KERNEL", i)); i++) {
        int result = tune_groups(arguments, &session, origin, groups, count, &output);
        if (result != HED_EXIT_OK) code = HED_EXIT_FAILURE; /* continue with the other kernels */
        stopped = hed_interrupted();
        if (stopped) code = HED_EXIT_INTERRUPTED;
    }
    if (json && begun) fputs("]\n", stdout);
    if (!json && cli_report_rows(output.table)) fputc('\n', stdout);
    if (!json && cli_report_print(output.table, stdout, &error)) code = cli_fail(&error);
    cli_report_free(output.table);
    close_workers(groups, count);
    cli_close(&session);
    return code;
}

static int tune_run(const hed_arguments *arguments, void *user)
{
    if (hed_given(arguments, "schema")) {
        fputs(hed_tune_file_files[0].text, stdout);
        return HED_EXIT_OK;
    }
    int code;
    if (cli_tune_page(arguments, &code)) return code;
    if (hed_given(arguments, "KERNEL") == hed_given(arguments, "capture")) {
        fputs(
            "heddle: name one thing to tune: FILE.json, heddle:NAME, or --capture FILE (\"heddle tune --help\" "
            "explains)\n",
            stderr);
        return HED_EXIT_USAGE;
    }
    hed_error error = {0};
    const char *origin = hed_text_of(arguments, "KERNEL");
    const char *device = hed_text_of(arguments, "device");
    bool by_name = origin && strncmp(origin, CLI_TUNE_PREFIX, strlen(CLI_TUNE_PREFIX)) == 0;
    bool browser = (device && strcmp(device, "browser") == 0) || hed_given(arguments, "browser");
    if (origin && cli_is_script(origin)) return cli_tune_script(arguments, origin);
    if (origin && cli_is_kernel_text(origin) && access(origin, F_OK) == 0)
        return cli_tune_sketch(origin, hed_text_of(arguments, "entry"));
    bool shader = origin && (cli_is_shader(origin) || (by_name && browser));
    if (cli_browser_check(arguments, shader)) return HED_EXIT_USAGE;
    if (check_files(arguments, &error) != HED_OK) return cli_fail(&error);
    return shader ? tune_in_browser(arguments, origin, &error)
                  : tune_on_devices(arguments, origin, &error);
}

static const hed_option OPTIONS[] = {
    OPTION("capture", FILE, "FILE", "tune a launch that HEDDLE_CAPTURE recorded", .letter = 0),
    OPTION("device", TEXT, "ID",
        "device to tune on: its id, part of its name, best, or all for every GPU; given more than once, several are "
        "used: those of one kind for one result, others each for its own",
        .letter = 'd', .repeated = true, .names = &cli_device_names),
    OPTION("worker", TEXT, "COMMAND",
        "a device elsewhere: a command that runs heddle-worker there, as in \"ssh node7 heddle-worker\"",
        .letter = 'w', .repeated = true),
    OPTION("patience-of-workers", NUMBER, "SECONDS", "time of silence after which a worker is lost",
        .letter = 0, .fallback = "30", .low = 0.1, .high = 86400),
    OPTION("browser", TEXT, "NAME",
        "browser that a shader is tuned in: chromium, firefox, or a program; the usual one unless told",
        .letter = 0),
    FLAG("headless", "without a window: of chromium and firefox"),
    CLI_TUNE_PAGE_OPTIONS,
    OPTION("port", INTEGER, "NUMBER",
        "port of 127.0.0.1 that the browser comes to; any that is free", .letter = 0, .low = 0,
        .high = 65535),
    OPTION("problem", TEXT, "SIZES", "size to tune for, as width=4096,height=4096; of heddle:NAME",
        .letter = 0),
    OPTION("input", TEXT, "NAME=FILE",
        "another first content of an argument of FILE.json: .npy or raw; or NAME=LOW:HIGH, between which random "
        "numbers lie",
        .repeated = true),
    OPTION("entry", TEXT, "NAME", "entry point of a shader that has several", .letter = 0),
    OPTION("set", TEXT, "NAME=NUMBER",
        "a size of a shader's problem, or a number in its uniforms, as n=4096 or dt=0.01",
        .repeated = true),
    OPTION("budget", INTEGER, "COUNT",
        "try at most so many configurations; 200 where no limit is given", .letter = 'n', .low = 1,
        .high = 1e9),
    OPTION("time", NUMBER, "SECONDS", "take at most so long, the final comparison included",
        .letter = 't', .low = 0.1, .high = 1e7),
    OPTION("candidate-time", NUMBER, "SECONDS",
        "limit of one run of a configuration; unless told 20 times the first run of the reference, at least 5 s",
        .letter = 0, .low = 0.001, .high = 86400),
    OPTION("good-enough", NUMBER, "SHARE",
        "stop at this share of what the device's memory and arithmetic allow", .low = 0.01,
        .high = 1),
    OPTION("patience", INTEGER, "COUNT", "stop after so many configurations without a gain",
        .low = 1, .high = 1e9),
    OPTION("strategy", CHOICE, "NAME", "how to search", .choices = STRATEGIES, .fallback = "auto"),
    OPTION("seed", INTEGER, "NUMBER", "of the search's random numbers", .low = 0,
        .high = 999999999999, .fallback = "1"),
    OPTION("math", CHOICE, "MODE",
        "fast, or the same bits on every device; what the file or capture says, else fast",
        .choices = MATH),
    OPTION("reference", CHOICE, "WHAT",
        "what results are compared with; what the file says, else native, else default",
        .choices = REFERENCES),
    OPTION("objective", TEXT, "WHAT",
        "what to minimize: time, energy, a metric of FILE.json; or time,energy: the first one, and the front of both. "
        "What the file says, else time; energy needs NVML"),
    FLAG("cold-cache", "empty the device's last-level cache before each timed run"),
    FLAG("resume", "start from the database's results for this kernel, size and device"),
    FLAG("no-isolation", "run candidates in this process: a crash ends it"),
    FLAG("no-keep", "write nothing into the database"),
    OPTION("report", OUTPUT, "FILE", "write a page for the browser", .letter = 'r', .endings = ".html .htm"),
    OPTION("csv", OUTPUT, "FILE", "write every evaluation as a table", .letter = 0, .endings = ".csv .txt"),
    OPTION(
        "t4", OUTPUT, "FILE", "write every evaluation in the tuners' common T4 format", .letter = 0, .endings = ".t4 .json"),
    FLAG("json", "print JSON: one object, nothing else"),
    FLAG("schema", "print the JSON schema of FILE.json"),
    {0},
};
static const hed_option POSITIONALS[] = {
    {.name = "KERNEL",
        .kind = HED_OPTION_FILE,
        .names = &cli_tune_names,
        .help =
            "a description, FILE.json (ours, or Kernel Tuner's T1), a shader, FILE.wgsl, FILE.comp or FILE.spv, a web page (an "
            "address, a folder, FILE.html or FILE.hrec), or a kernel that comes with Heddle, heddle:NAME"},
    {0}};
static const hed_example EXAMPLES[] = {
    {"heddle tune blur.json", "a kernel of your own; --schema says what the file may hold"},
    {"heddle tune heddle:convolution --device cuda:0 --budget 200 --report blur.html",
        "a kernel that comes with Heddle, and a page about it"},
    {"HEDDLE_CAPTURE=blur ./program && heddle tune --capture blur.hcap",
        "a launch of your program, with its real inputs"},
    {"heddle tune blur.json --device all", "on every GPU of this machine at once"},
    {"heddle tune blur.json --worker \"ssh node7 heddle-worker\"", "on a GPU of another machine"},
    {"heddle tune blur.py", "a script of Kernel Tuner's, by the Python package"},
    {"heddle tune blur.wgsl --browser chromium", "a compute shader of a web page, in the browser"},
    {"heddle tune http://localhost:5173/", "every compute pipeline of a web page, as it runs"},
    {"heddle tune heddle:matmul --problem m=4096,n=4096,k=4096 --time 60 --good-enough 0.9",
        "at most a minute, less if 90 % of the peak is reached"},
    {0}};

static const hed_command *const COMMANDS[] = {&hed_command_tune_replay, NULL};

const hed_command hed_command_tune = {
    .name = "tune",
    .summary = "find the fastest configuration of a kernel on a device, and keep it",
    .description =
        "Tries configurations of a kernel on a device: each is compiled, run in a worker process, "
        "compared with a reference, and timed. "
        "The fastest one goes into the database, from which every later launch of the kernel on this "
        "device takes it.\n\n"
        "A candidate that crashes or hangs costs one evaluation. Ctrl-C stops; what was measured so far "
        "is kept and shown, "
        "and --resume goes on from it. Without --problem a kernel of Heddle's is tuned for the size of "
        "its benchmark, or as large a part of it as "
        "this device does in a moment; the result says which, and --resume wants it again.\n\n"
        "On several devices of one kind several candidates are under way, each on one device alone; the "
        "best are compared on all, and the median counts. Devices of other kinds are tuned beside, each for "
        "itself.\n\n"
        "Nothing else should use the device meanwhile. The exit code is 1 if no configuration works, or if one "
        "has hung the device with --no-isolation, 130 after Ctrl-C.",
    .options = OPTIONS,
    .positionals = POSITIONALS,
    .commands = COMMANDS,
    .examples = EXAMPLES,
    .run = tune_run,
};

static const hed_option SWEPT[] = {
    POSITIONAL("KERNEL", FILE, "descriptions, FILE.json, or kernels that come with Heddle, heddle:NAME", .names = &cli_tune_names, .required = true, .repeated = true),
    {0}};

const hed_command hed_command_sweep = {
    .name = "sweep",
    .summary = "tune several kernels on several devices, into one database",
    .description =
        "Tunes one kernel after the other as \"heddle tune\" does, each on all devices that are named: those of one kind "
        "together, those of other kinds beside them, each under its own key. All results go into one database, which "
        "\"heddle db export\" writes for other machines. A kernel that fails does not stop the others. The exit code is 1 if "
        "one has failed, 130 after Ctrl-C; --resume goes on.",
    .options = OPTIONS,
    .positionals = SWEPT,
    .examples = (const hed_example[]){{"heddle sweep kernels/*.json --device all",
                                          "on every GPU of this machine"},
        {"heddle sweep kernels/*.json --worker \"ssh node7 heddle-worker\" --worker \"ssh node8 heddle-worker\"",
            "a database for a whole machine park"},
        {0}},
    .run = sweep_run,
};
