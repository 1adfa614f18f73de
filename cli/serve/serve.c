/* heddle serve: dashboard in the browser: devices, content of the database, and all measurements of
 * its tunings. One that runs in any process is followed, since all data come from the database. */
#include "cli/common/command.h"
#include "cli/common/kernel_key.h"
#include "cli/common/report.h"
#include "heddle/author.h"
#include "heddle/database.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "heddle/runner.h"
#include "heddle/space.h"
#include "heddle/tune_file.h"
#include "heddle/web.h"

#include <sys/stat.h>
#include <unistd.h>

/* Maximum number of measurements that are shown, of one key and of all. */
enum { MOST_OF_KEY = 2000, MOST_SHOWN = 20000 };

/* Texts of a key, in storage order. */
enum { KEY_KERNEL, KEY_SOURCE, KEY_PROBLEM, KEY_DEVICE, KEY_MATH, KEY_OBJECTIVE, KEY_COMPILER };
enum { KEY_TEXTS = KEY_COMPILER + 1 };
typedef struct key_texts {
    char *at[KEY_TEXTS];
} key_texts;

typedef struct state {
    cli_report *tunings, *measurements;
    uint32_t key_count, shown_of_key, shown_count, hidden_count;
} state;

static void key_free(key_texts *texts)
{
    for (int i = 0; i < KEY_TEXTS; i++) free(texts->at[i]);
    *texts = (key_texts){0};
}

/* Replaces texts by copies. */
static hed_status key_copy(key_texts *to, const char *const from[KEY_TEXTS], hed_error *error)
{
    key_texts copies = {0};
    for (int i = 0; i < KEY_TEXTS; i++) {
        copies.at[i] = strdup(from[i]);
        if (copies.at[i]) continue;
        key_free(&copies);
        return HED_OUT_OF_MEMORY(error, "a key of the database");
    }
    key_free(to);
    *to = copies;
    return HED_OK;
}

static hed_status key_read(key_texts *to, const hed_database_entry *e, hed_error *error)
{
    const char *const from[KEY_TEXTS] = {
        e->kernel, e->source, e->problem, e->device, e->math, e->objective, e->compiler};
    return key_copy(to, from, error);
}

static hed_status state_add(void *user, const hed_database_entry *e, hed_error *error)
{
    state *s = user;
    (void)error;
    if (e->kind == HED_RECORD_KEY) {
        s->key_count++;
        s->shown_of_key = 0;
        cli_report_row(s->tunings, CLI_TEXT("kernel", e->kernel), CLI_TEXT("device", e->device),
            CLI_TEXT("backend", e->backend), CLI_TEXT("problem", e->problem),
            CLI_TEXT("objective", e->objective), CLI_TEXT("driver", e->driver),
            CLI_WHOLE("measurements", e->measurements));
    } else if (e->kind == HED_RECORD_CHOICE) {
        cli_report_more(s->tunings, CLI_NUMBER("seconds", e->seconds),
            CLI_NUMBER("default_seconds", e->default_seconds),
            CLI_NUMBER("gain", e->default_seconds / e->seconds), CLI_TEXT("config", e->config));
    } else if (s->shown_of_key == MOST_OF_KEY || s->shown_count == MOST_SHOWN) {
        s->hidden_count++;
    } else {
        s->shown_of_key++;
        s->shown_count++;
        cli_report_row(s->measurements, CLI_WHOLE("tuning", s->key_count - 1),
            CLI_TEXT("session", e->session), CLI_TEXT("settings", e->settings),
            CLI_NUMBER("begun", (double)e->begun), CLI_WHOLE("number", e->number),
            CLI_TEXT("config", e->config), CLI_TEXT("outcome", e->outcome),
            CLI_NUMBER("seconds", e->seconds), CLI_NUMBER("low", e->low),
            CLI_NUMBER("high", e->high), CLI_WHOLE("runs", e->runs),
            CLI_NUMBER("build_seconds", e->build_seconds), CLI_NUMBER("at", e->at),
            CLI_TEXT("text", e->text));
    }
    return HED_OK;
}

static void put_list(FILE *out, const char *name, cli_report *report, hed_error *error)
{
    fprintf(out, "\"%s\": ", name);
    if (cli_report_rows(report)) cli_report_print(report, out, error);
    else fputs("[]", out);
    cli_report_free(report);
}

/* State of the database at the last reading, and the data read. */
typedef struct dashboard {
    cli_session *session;
    struct {
        uint64_t size, changed; /* changed: modification time, ns */
    } files[2];                 /* the database, and its write-ahead log */
    char *lists;                /* JSON; NULL: nothing read yet */
} dashboard;

/* True if the database has changed since the last call. */
static bool has_changed(dashboard *d, const char *path)
{
    static const char *const endings[] = {"", "-wal"};
    bool changed = !d->lists;
    for (int i = 0; i < 2; i++) {
        struct stat about = {.st_size = 0};
        char file[PATH_MAX + 8];
        snprintf(file, sizeof file, "%s%s", path, endings[i]);
        bool exists = path[0] && stat(file, &about) == 0;
        uint64_t size = exists ? (uint64_t)about.st_size + 1 : 0,
                 modified = exists ? (uint64_t)about.st_mtim.tv_sec * 1000000000u +
                                         (uint64_t)about.st_mtim.tv_nsec
                                   : 0;
        changed = changed || size != d->files[i].size || modified != d->files[i].changed;
        d->files[i].size = size;
        d->files[i].changed = modified;
    }
    return changed;
}

static void read_lists(dashboard *d, const char *path, hed_error *error)
{
    size_t size;
    char *lists = NULL;
    hed_database *database = NULL;
    state s = {.tunings = cli_report_create(true), .measurements = cli_report_create(true)};
    cli_report *devices = cli_report_create(true);
    for (uint32_t i = 0; i < hed_context_describe(d->session->context).devices; i++) {
        const hed_device_info info = hed_device_describe(hed_device_at(d->session->context, i));
        cli_report_row(devices, CLI_TEXT("id", info.id), CLI_TEXT("name", info.name),
            CLI_TEXT("platform", info.platform), CLI_TEXT("driver", info.driver));
    }
    const hed_record_filter filter = {
        .kinds = HED_RECORD_KEY | HED_RECORD_CHOICE | HED_RECORD_MEASUREMENT};
    if (path[0] && hed_database_open(d->session->context, path, true, &database, error) == HED_OK)
        hed_database_each(database, &filter, state_add, &s, error);
    hed_database_close(database);
    hed_error_clear(error); /* a missing database counts as empty */
    FILE *out = open_memstream(&lists, &size);
    if (!out) {
        cli_report_free(devices);
        cli_report_free(s.tunings);
        cli_report_free(s.measurements);
        HED_OUT_OF_MEMORY(error, "the dashboard");
        return;
    }
    put_list(out, "devices", devices, error);
    fputs(", ", out);
    put_list(out, "tunings", s.tunings, error);
    fputs(", ", out);
    put_list(out, "measurements", s.measurements, error);
    fprintf(out, ", \"hidden\": %u", s.hidden_count);
    if (fclose(out)) HED_OUT_OF_MEMORY(error, "the dashboard");
    free(d->lists);
    d->lists = lists;
}

/* Answers the page's query every two seconds, as hed_web_def.state, in the server's thread. Reads
 * the database again if it has changed. */
static char *serve_state(void *user)
{
    dashboard *d = user;
    char *text = NULL;
    size_t size;
    hed_error error = {0};
    const char *path = hed_context_describe(d->session->context).database;
    if (has_changed(d, path)) read_lists(d, path, &error);
    FILE *out = hed_failed(&error) ? NULL : open_memstream(&text, &size);
    if (!out) {
        free(d->lists); /* forces another reading */
        d->lists = NULL;
        return NULL;
    }
    cli_report *about = cli_report_create(true);
    cli_report_row(about, CLI_TEXT("path", path));
    fputs("{\"database\": ", out);
    cli_report_print_one(about, out, &error);
    cli_report_free(about);
    fprintf(out, ", %s}", d->lists);
    if (fclose(out) || hed_failed(&error)) {
        free(text);
        return NULL;
    }
    return text;
}

/* ---- one file ---- */

/* Key of this kernel in the database. */
typedef struct page_key {
    hed_database_entry entry;
    key_texts texts;
} page_key;

static hed_status take_key(void *user, const hed_database_entry *e, hed_error *error)
{
    page_key *key = user;
    char *const *texts = key->texts.at;
    if (key_read(&key->texts, e, error)) return error->status;
    key->entry = (hed_database_entry){.kernel = texts[KEY_KERNEL],
        .source = texts[KEY_SOURCE],
        .math = texts[KEY_MATH],
        .objective = texts[KEY_OBJECTIVE],
        .compiler = texts[KEY_COMPILER],
        .problem = texts[KEY_PROBLEM]};
    return HED_OK;
}

/* Selects configurations: the default first, then points distributed over the whole space. */
static uint32_t spread(
    const hed_space *space, const hed_config *initial, uint32_t limit, hed_config *configs)
{
    uint64_t total = hed_space_count(space), first = hed_space_find(space, initial);
    uint32_t count = 0;
    if (first != UINT64_MAX) configs[count++] = *initial;
    for (uint32_t i = 0; i < 2 * limit && i < 2 * total && count < limit; i++) {
        /* multiples of the golden section cover a range evenly at any count */
        uint64_t place =
            total <= limit ? i : (uint64_t)(fmod(i * 0.6180339887498949, 1) * (double)total);
        hed_config config = hed_space_at(space, place);
        uint32_t index = 0;
        while (index < count && !hed_config_equal(&configs[index], &config)) index++;
        if (index == count) configs[count++] = config;
    }
    return count;
}

static hed_status write_page(const hed_arguments *arguments, cli_session *session,
    const char *shader, const char *path, hed_error *error)
{
    /* common limits; the page skips configurations that its own browser forbids */
    hed_device_info limits = cli_any_browser;
    limits.driver = "\x01";
    limits.max_group_size[2] = 64;
    limits.local_bytes = 32768;
    limits.max_buffer_bytes = 128 << 20;
    enum { MOST_PAGE = 1000 };
    static hed_config configs[MOST_PAGE];
    hed_device *device = NULL;
    hed_tune_file *file = NULL;
    hed_space *space = NULL;
    hed_tune_def def = hed_default_tune_def();
    hed_runner_argument contents[HED_MAX_ARGUMENTS] = {0};
    page_key key = {0};
    hed_device_create_described(session->context, &limits, &device, error);
    if (!hed_tune_file_open(shader, &limits, &file, error)) {
        const hed_kernel_def *kernel = hed_tune_file_kernel(file);
        hed_tune_file_apply(file, &def);
        for (uint32_t i = 0; i < kernel->argument_count; i++)
            contents[i] = (hed_runner_argument){.data = def.arguments[i].data,
                .bytes = def.arguments[i].bytes,
                .expected = def.arguments[i].expected,
                .expected_bytes = def.arguments[i].expected_bytes,
                .tolerance = kernel->arguments[i].tolerance};
        const hed_runner_def runner = {.device = device,
            .kernel = kernel,
            .math = def.math,
            .problem = def.problem,
            .arguments = contents,
            .timeout_seconds = 10};
        hed_config initial = hed_config_default(kernel);
        hed_space_create_for_kernel(device, kernel, def.problem, def.math, &space, error);
        if (!hed_failed(error) && !cli_kernel_key(device, kernel, &def, take_key, &key, error)) {
            uint32_t limit = (uint32_t)hed_integer_of(arguments, "budget");
            uint32_t count = spread(space, &initial, limit ? limit : 60, configs);
            hed_web_save_page(&runner, configs, count, &key.entry, path, error);
            if (!hed_failed(error) && !hed_given(arguments, "quiet"))
                fprintf(stderr,
                    "heddle: wrote %s with %u configurations: open it in a browser with another GPU; heddle db "
                    "import takes the file that it gives\n",
                    path, count);
        }
    }
    key_free(&key.texts);
    hed_space_destroy(space);
    hed_tune_file_close(file);
    hed_device_release(device);
    return error->status;
}

static hed_status serve(const hed_arguments *arguments, cli_session *session, hed_error *error)
{
    hed_web *web;
    const char *shader = hed_text_of(arguments, "SHADER"), *page = hed_text_of(arguments, "page");
    if (!shader != !page)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "--page FILE.html and FILE.wgsl go together: one file that tunes by itself");
    if (shader) return write_page(arguments, session, shader, page, error);
    dashboard d = {.session = session};
    const hed_web_def def = {.context = session->context,
        .port = (uint16_t)hed_integer_of(arguments, "port"),
        .state = serve_state,
        .user = &d};
    if (hed_web_create(&def, &web, error)) return error->status;
    printf("open %s\n", hed_web_address(web));
    if (fflush(stdout) != 0) {
        hed_web_destroy(web);
        return hed_fail(error, HED_ERROR_IO, "cannot print the address: %s", strerror(errno));
    }
    fputs("heddle: Ctrl-C ends it\n", stderr);
    while (!hed_interrupted()) nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    hed_web_destroy(web);
    free(d.lists);
    return HED_OK;
}

static int serve_run(const hed_arguments *arguments, void *user)
{
    cli_session session;
    hed_error error = {0};
    (void)user;
    if (cli_open_context(arguments, &session, &error)) return cli_fail(&error);
    hed_status status = serve(arguments, &session, &error);
    cli_close(&session);
    return status ? cli_fail(&error) : HED_EXIT_OK; /* Ctrl-C is the regular end */
}

static const hed_option OPTIONS[] = {
    OPTION("port", INTEGER, "NUMBER", "port of 127.0.0.1; any that is free", .letter = 0, .low = 0,
        .high = 65535),
    OPTION("page", OUTPUT, "FILE",
        "with a shader: write one file that tunes it wherever it is opened", .letter = 0, .endings = ".html .htm"),
    OPTION("budget", INTEGER, "COUNT", "configurations in that file; 60 unless told", .letter = 'n',
        .low = 1, .high = 1000),
    {0}};
static const hed_option POSITIONALS[] = {
    POSITIONAL("SHADER", FILE, "with --page: FILE.wgsl, or its tune file"), {0}};
static const hed_example EXAMPLES[] = {{"heddle serve", "prints the address to open in a browser"},
    {"heddle serve blur.wgsl --page blur.html", "one file to send to a person with another GPU"},
    {0}};

const hed_command hed_command_serve = {
    .name = "serve",
    .summary = "a dashboard in the browser: tunings live, devices, the database",
    .description =
        "Serves a page on 127.0.0.1 alone, whose address has a token in it. It shows the devices, what the "
        "database holds, and each tuning: convergence, any two quantities against each other, filters, all "
        "measurements, and two runs compared. It follows heddle tune while that runs elsewhere.",
    .options = OPTIONS,
    .positionals = POSITIONALS,
    .examples = EXAMPLES,
    .run = serve_run,
};
