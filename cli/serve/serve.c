/* heddle serve: a dashboard in the browser: the devices, what the database holds, and the tuning that
 * measured last, followed while it runs, whichever process does it: all that it knows comes from the
 * database. */
#include "cli/common/command.h"
#include "cli/common/report.h"
#include "heddle/author.h"
#include "heddle/database.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef HEDDLE_WEB

#include "heddle/web.h"

enum { MOST_SHOWN = 2000 }; /* measurements of the tuning that is followed */

/* The key that is being read, and the one that measured last. */
typedef struct tuning_key {
    char kernel[128], device[256], problem[256], source[64];
    double last; /* seconds since 1970: when it measured last */
    double default_seconds;
} tuning_key;

typedef struct state {
    cli_report *tunings, *measurements;
    bool open; /* a row of `tunings` */
    tuning_key now, last;
    uint32_t shown;
} state;

static bool is_of(const tuning_key *key, const hed_database_entry *e)
{
    return strcmp(key->kernel, e->kernel) == 0 && strcmp(key->device, e->device) == 0 &&
           strcmp(key->problem, e->problem) == 0 && strcmp(key->source, e->source) == 0;
}

static hed_status state_add(void *user, const hed_database_entry *e, hed_error *error)
{
    state *s = user;
    (void)error;
    if (e->kind == HED_RECORD_KEY) {
        s->now = (tuning_key){.default_seconds = (double)NAN};
        snprintf(s->now.kernel, sizeof s->now.kernel, "%s", e->kernel);
        snprintf(s->now.device, sizeof s->now.device, "%s", e->device);
        snprintf(s->now.problem, sizeof s->now.problem, "%s", e->problem);
        snprintf(s->now.source, sizeof s->now.source, "%s", e->source);
        cli_report_row(s->tunings, CLI_TEXT("kernel", e->kernel), CLI_TEXT("device", e->device),
            CLI_TEXT("backend", e->backend), CLI_TEXT("problem", e->problem),
            CLI_WHOLE("measurements", e->measurements));
    } else if (e->kind == HED_RECORD_CHOICE) {
        s->now.default_seconds = e->default_seconds;
        cli_report_more(s->tunings, CLI_NUMBER("seconds", e->seconds),
            CLI_NUMBER("gain", e->default_seconds / e->seconds), CLI_TEXT("config", e->config));
    } else {
        s->now.last = (double)e->begun + e->at;
        if (s->now.last > s->last.last) s->last = s->now;
    }
    return HED_OK;
}

static hed_status state_add_measurement(void *user, const hed_database_entry *e, hed_error *error)
{
    state *s = user;
    (void)error;
    if (!is_of(&s->last, e) || s->shown++ >= MOST_SHOWN) return HED_OK;
    cli_report_row(s->measurements, CLI_TEXT("config", e->config), CLI_TEXT("outcome", e->outcome),
        CLI_NUMBER("seconds", e->seconds), CLI_NUMBER("at", e->at));
    return HED_OK;
}

static void state_read(state *s, hed_database *database, hed_error *error)
{
    const hed_record_filter all = {
        .kinds = HED_RECORD_KEY | HED_RECORD_CHOICE | HED_RECORD_MEASUREMENT};
    hed_database_each(database, &all, state_add, s, error);
    const hed_record_filter last = {.kinds = HED_RECORD_MEASUREMENT, .kernel = s->last.kernel};
    if (s->last.kernel[0]) hed_database_each(database, &last, state_add_measurement, s, error);
}

static void put_list(FILE *out, const char *name, cli_report *report, hed_error *error)
{
    fprintf(out, "\"%s\": ", name);
    if (cli_report_rows(report)) cli_report_print(report, out, error);
    else fputs("[]", out);
    cli_report_free(report);
}

static void put_last(FILE *out, const state *s, const char *database, hed_error *error)
{
    cli_report *report = cli_report_create(true);
    cli_report_row(report, CLI_TEXT("kernel", s->last.kernel), CLI_TEXT("device", s->last.device),
        CLI_TEXT("problem", s->last.problem), CLI_TEXT("database", database),
        CLI_NUMBER("default_seconds", s->last.default_seconds),
        CLI_NUMBER("age", fmax(0, (double)time(NULL) - s->last.last)));
    cli_report_print_one(report, out, error);
    cli_report_free(report);
}

/* As hed_web_def.state: in the server's thread. */
static char *serve_state(void *user)
{
    cli_session *session = user;
    char *text = NULL;
    size_t size;
    hed_error error = {0};
    hed_database *database = NULL;
    const char *path = hed_context_describe(session->context).database;
    state s = {.tunings = cli_report_create(true), .measurements = cli_report_create(true)};
    cli_report *devices = cli_report_create(true);
    FILE *out = open_memstream(&text, &size);
    for (uint32_t i = 0; i < hed_context_describe(session->context).devices; i++) {
        const hed_device_info *info = hed_device_describe(hed_device_at(session->context, i));
        cli_report_row(devices, CLI_TEXT("id", info->id), CLI_TEXT("name", info->name),
            CLI_TEXT("platform", info->platform), CLI_TEXT("driver", info->driver));
    }
    if (path[0] && hed_database_open(session->context, path, true, &database, &error) == HED_OK)
        state_read(&s, database, &error);
    hed_database_close(database);
    hed_error_clear(&error); /* a database that is not there yet is an empty one */
    if (!out) {
        cli_report_free(devices);
        cli_report_free(s.tunings);
        cli_report_free(s.measurements);
        return NULL;
    }
    fputs("{\"last\": ", out);
    if (s.last.kernel[0]) put_last(out, &s, path, &error);
    else fputs("null", out);
    fputs(", ", out);
    put_list(out, "devices", devices, &error);
    fputs(", ", out);
    put_list(out, "tunings", s.tunings, &error);
    fputs(", ", out);
    put_list(out, "measurements", s.measurements, &error);
    fputs("}", out);
    if (fclose(out) || hed_failed(&error)) {
        free(text);
        return NULL;
    }
    return text;
}

static hed_status serve(const hed_arguments *arguments, cli_session *session, hed_error *error)
{
    hed_web *web;
    const hed_web_def def = {.context = session->context,
        .port = (uint16_t)hed_integer_of(arguments, "port"),
        .state = serve_state,
        .user = session};
    if (hed_web_create(&def, &web, error)) return error->status;
    printf("open %s\n", hed_web_address(web));
    fflush(stdout);
    fputs("heddle: Ctrl-C ends it\n", stderr);
    while (!hed_interrupted()) nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    hed_web_destroy(web);
    return HED_OK;
}

#else

static hed_status serve(const hed_arguments *arguments, cli_session *session, hed_error *error)
{
    (void)arguments, (void)session;
    return hed_fail(error, HED_ERROR_UNSUPPORTED,
        "this heddle was built without libmicrohttpd, and so without pages (Debian: "
        "libmicrohttpd-dev)");
}

#endif

static int serve_run(const hed_arguments *arguments, void *user)
{
    cli_session session;
    hed_error error = {0};
    (void)user;
    if (cli_open_context(arguments, &session, &error)) return cli_fail(&error);
    hed_status status = serve(arguments, &session, &error);
    cli_close(&session);
    return status ? cli_fail(&error) : HED_EXIT_OK; /* Ctrl-C is how it ends */
}

static const hed_option OPTIONS[] = {
    OPTION("port", INTEGER, "NUMBER", "port of 127.0.0.1; any that is free", .letter = 0, .low = 0,
        .high = 65535),
    {0}};
static const hed_example EXAMPLES[] = {
    {"heddle serve", "prints the address to open in a browser"}, {0}};

const hed_command hed_command_serve = {
    .name = "serve",
    .summary = "a dashboard in the browser: tunings live, devices, the database",
    .description =
        "Serves a page on 127.0.0.1 alone, whose address has a token in it. It shows the devices, what the "
        "database holds, and the tuning that measured last, which it follows while heddle tune runs "
        "elsewhere.",
    .options = OPTIONS,
    .examples = EXAMPLES,
    .run = serve_run,
};
