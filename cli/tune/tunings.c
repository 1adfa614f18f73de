/* Tunings of a kernel on groups of devices: run under the live view, repeated with a smaller
 * problem where the default takes too long, and printed; tunings of an engine's choice of
 * solver. */
#include "tune_command.h"

#include "heddle/author.h"
#include "heddle/capture.h"
#include "heddle/tune_file.h"
#include "tunefile/objective.h"
#include "tunefile/report/report_numbers.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- settings ---- */

bool cli_tune_should_stop(void *user) { return hed_interrupted(); }

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
    static const double least_for_energy =
        8; /* s: three energies of a second, and a worker's start */
    if ((def->two_objectives || def->objective == HED_OBJECTIVE_ENERGY) && def->limit_seconds > 0 &&
        def->limit_seconds < least_for_energy)
        fprintf(stderr,
            "heddle: warning: an energy takes a second: %g s are half for the search by time, and three energies are measured "
            "in any case; expected %g s at least\n",
            def->limit_seconds, least_for_energy);
    def->cold_cache = hed_given(arguments, "cold-cache");
    def->counters = hed_given(arguments, "counters");
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
    def->stop = cli_tune_should_stop;
    def->user = &view;
    hed_status status = tune ? tune(session->devices[0], user, def, result, error)
                             : hed_tune_kernel(session->devices[0], kernel, def, result, error);
    session->before_message = NULL;
    session->user = NULL;
    cli_tune_view_close(&view);
    return status;
}

static void tuning_run(cli_tuning *t)
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

int cli_tuning_print(cli_tuning *t)
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

void cli_tuning_close(cli_tuning *t)
{
    hed_tune_result_free(t->result);
    hed_tune_file_close(t->s.spec);
    hed_capture_close(t->s.capture);
    free(t->s.name);
    t->s.spec = NULL;
    t->s.capture = NULL;
}

/* Computes smaller sizes of the problem, true if one is smaller. The sizes of the default's group
 * come first, since items beyond an invented size may write too. A part of a group is faster only
 * where the text has a guard. */
static bool smaller_sizes(const cli_tuning *t, int64_t sizes[HED_MAX_DIMENSIONS])
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
static bool can_shrink(const cli_tuning *t)
{
    int64_t sizes[HED_MAX_DIMENSIONS];
    return t->s.spec && t->s.is_invented && t->def.problem && smaller_sizes(t, sizes);
}

int cli_tuning_open(cli_tuning *t)
{
    static const double patience = 3; /* s, for an invented problem */
    t->def = hed_default_tune_def();
    int code = cli_tune_subject_open(t->arguments, &t->session, &t->s, &t->def, &t->error);
    if (code == HED_EXIT_OK && tune_read_settings(t->arguments, &t->def, &t->error))
        code = cli_fail(&t->error);
    if (code == HED_EXIT_OK && can_shrink(t)) t->def.default_seconds = patience;
    return code;
}

/* Opens a tuning again with a smaller problem if its default took too long with the invented one;
 * false: its result stays. */
static bool tuning_shrink(cli_tuning *t)
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
    cli_tuning_close(t);
    t->error = (hed_error){0};
    t->code = cli_tuning_open(t);
    if (t->code == HED_EXIT_OK && s->browser.web) cli_browser_use(&s->browser, &t->def);
    return t->code == HED_EXIT_OK;
}

void cli_tuning_run(cli_tuning *t)
{
    tuning_run(t);
    while (tuning_shrink(t)) tuning_run(t);
}

/* ---- several devices ---- */

/* Tunings that run one after another: all CPUs form one lane, since they use the same cores; each
 * kind of other device has its own. */
typedef struct lane {
    cli_tuning **tunings; /* (count) */
    uint32_t count;
    pthread_t thread;
    bool threaded;
} lane;

static void *lane_run(void *user)
{
    lane *l = user;
    for (uint32_t i = 0; i < l->count && !hed_interrupted(); i++)
        if (l->tunings[i]->code == HED_EXIT_OK) cli_tuning_run(l->tunings[i]);
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

static void sweep_note(cli_sweep *output, const cli_tuning *t)
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
static int tuning_print_all(cli_tuning *tunings, uint32_t count, cli_sweep *output)
{
    bool json = hed_given(tunings[0].arguments, "json"), has_output = output && output->has_output;
    int code = HED_EXIT_OK;
    if (json && !output) fputs("[\n", stdout);
    for (uint32_t i = 0; i < count; i++) {
        cli_tuning *t = &tunings[i];
        bool done = t->code == HED_EXIT_OK && (t->result || t->status != HED_OK);
        if (json && has_output && done && t->result) fputs(",\n", stdout);
        has_output = has_output || (done && t->result);
        if (output) sweep_note(output, t);
        if (done) t->code = cli_tuning_print(t);
        if (t->code != HED_EXIT_OK) code = t->code;
    }
    if (json && !output) fputs("]\n", stdout);
    if (output) output->has_output = has_output;
    return hed_interrupted() ? HED_EXIT_INTERRUPTED : code;
}

int cli_tune_groups(const hed_arguments *arguments, cli_session *session, const char *origin,
    const cli_device_group *groups, uint32_t count, cli_sweep *output)
{
    enum { LIMIT = HED_TUNE_DEVICES };
    cli_tuning *tunings = calloc(count + 1, sizeof *tunings), *order[LIMIT];
    lane lanes[LIMIT + 1] = {{.tunings = order}};
    uint32_t lane_count = 1;
    if (!tunings) {
        fputs("heddle: out of memory for the tunings\n", stderr);
        return HED_EXIT_FAILURE;
    }
    for (uint32_t i = 0; i < count; i++) {
        cli_tuning *t = &tunings[i];
        *t = (cli_tuning){.arguments = arguments, .session = *session, .s = {.origin = origin}};
        memcpy(t->session.devices, groups[i].devices, sizeof groups[i].devices);
        t->session.count = groups[i].count;
        t->code = cli_tuning_open(t);
        order[i] = t;
    }
    for (uint32_t i = 0; i < count; i++) {
        const hed_device_info info = hed_device_describe(tunings[i].session.devices[0]);
        if (info.type != HED_DEVICE_CPU) continue;
        cli_tuning *moved = order[i];
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
                                                : cli_tuning_print(&tunings[0]);
    for (uint32_t i = 0; i < count; i++) cli_tuning_close(&tunings[i]);
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
