/* heddle synth view: a page in which one sees, plays and edits an instrument. The page is web/synth,
 * its engine the WebAssembly module of Heddle; this file serves both, and reads and writes the
 * instrument. */
#include "cli/common/command.h"
#include "cli/common/data.h"
#include "heddle/author.h"
#include "heddle/synth_file.h"
#include "heddle/web.h"
#include "support/file.h"
#include "support/sources.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST_FILES = 32, MOST_TEXT = 64 << 20 };

extern const hed_source hed_synth_page_files[]; /* embedded: web/synth */

typedef struct view {
    char file[PATH_MAX];   /* path that "Save" writes */
    const char *name;      /* name of the instrument in the page */
    char source[PATH_MAX]; /* path that the page shows */
    char copy[PATH_MAX];   /* path of the shipped instrument that was saved last, or "" */
    hed_web_file files[MOST_FILES];
    uint32_t file_count;
    char *engine[MOST_FILES]; /* (engine_count) contents of the engine's files */
    uint32_t engine_count;
} view;

/* ---- files of the page ---- */

/* Reads the engine's files, of the folder "wasm" of the installed data. */
static void view_read_engine(view *v, hed_error *error)
{
    static const char *const names[] = {"module.js", "synth.js", "probe.js",
        "heddle-synth-exact.wasm", "heddle-synth-relaxed.wasm"};
    static const char *const served[] = {"engine/module.js", "engine/synth.js", "engine/probe.js",
        "engine/heddle-synth-exact.wasm", "engine/heddle-synth-relaxed.wasm"};
    char data[PATH_MAX], path[PATH_MAX + 64];
    hed_error cause = {0};
    if (!cli_data_folder(data)) snprintf(data, sizeof data, "share/heddle");
    for (size_t i = 0; i < HED_COUNT(names); i++) {
        size_t size;
        snprintf(path, sizeof path, "%s/wasm/%s", data, names[i]);
        if (hed_file_read(path, MOST_TEXT, &v->engine[v->engine_count], &size, &cause)) {
            hed_fail(error, HED_ERROR_UNSUPPORTED,
                "engine of the page: missing (%s); expected Heddle's WebAssembly package in that folder. "
                "In the folder of Heddle's sources, \"./dev wasm\" builds it: install Heddle from there "
                "again, or copy build/wasm/package to %s/wasm",
                path, data);
            return;
        }
        v->files[v->file_count++] = (hed_web_file){served[i], v->engine[v->engine_count++], size};
    }
}

/* ---- answers to the page ---- */

static void view_list(void *user, const char *name, const char *summary)
{
    (void)summary;
    json_array_append_new(user, json_string(name));
}

/* Answers with the text of a file, its name, the schema and the shipped instruments. */
static hed_status view_give(const char *path, const char *name, char **answer, hed_error *error)
{
    char *text;
    size_t size, schema_size;
    if (hed_file_read(path, MOST_TEXT, &text, &size, error) != HED_OK) return error->status;
    json_t *shipped = json_array();
    cli_data_list(cli_data_kind_of("instruments", ".json"), view_list, shipped);
    json_t *whole = json_pack("{s:s, s:s%, s:o, s:o}", "name", name, "text", text, size, "shipped",
        shipped, "schema", json_loads(hed_synth_instrument_schema(&schema_size), 0, NULL));
    free(text);
    *answer = whole ? json_dumps(whole, JSON_COMPACT) : NULL;
    json_decref(whole);
    return *answer ? HED_OK : hed_fail(error, HED_ERROR_FORMAT, "%s: no text in UTF-8", path);
}

/* Answers with the bytes of a shipped phrase, {"bytes": [...]}, of which an own instrument has none. */
static hed_status view_phrase(const char *name, char **answer, hed_error *error)
{
    char path[PATH_MAX], file[PATH_MAX], *content = NULL;
    size_t size = 0;
    snprintf(file, sizeof file, "%s.mid", name);
    if (cli_data_path(cli_data_kind_of("music/phrases", ".mid"), file, path) &&
        hed_file_read(path, MOST_TEXT, &content, &size, error) != HED_OK)
        return error->status;
    json_t *bytes = json_array();
    for (size_t i = 0; i < size; i++)
        json_array_append_new(bytes, json_integer((unsigned char)content[i]));
    free(content);
    json_t *whole = json_pack("{s:o}", "bytes", bytes);
    *answer = json_dumps(whole, JSON_COMPACT);
    json_decref(whole);
    return HED_OK;
}

/* Returns the path for an instrument of the page: the file of the command for its own, and for a
 * shipped one that the page opened a file of its name in the current folder, which must be new. */
static const char *view_target(view *v, const char *name, char place[PATH_MAX], hed_error *error)
{
    char shipped[PATH_MAX];
    if (!name || strcmp(name, v->name) == 0) return v->file;
    if (!cli_data_path(cli_data_kind_of("instruments", ".json"), name, shipped)) {
        hed_fail(error, HED_ERROR_ARGUMENT, "save: %s is no shipped instrument", name);
        return v->file;
    }
    snprintf(place, PATH_MAX, "%s.json", name);
    if (strcmp(place, v->copy) != 0 && access(place, F_OK) == 0)
        hed_fail(error, HED_ERROR_ARGUMENT,
            "%s exists in the folder of the command, and was not written by this page; rename it first",
            place);
    return place;
}

/* Writes the text of {"name": ..., "text": ...}, if it is an instrument, into its file. */
static hed_status view_save(view *v, const char *body, char **answer, hed_error *error)
{
    json_t *request = json_loads(body, 0, NULL);
    const char *text = json_string_value(json_object_get(request, "text"));
    char place[PATH_MAX];
    const char *path =
        view_target(v, json_string_value(json_object_get(request, "name")), place, error);
    hed_synth_instrument *instrument = NULL;
    if (!text) hed_fail(error, HED_ERROR_FORMAT, "save: found no text; expected {\"text\": ...}");
    else if (hed_synth_instrument_parse(text, strlen(text), path, &instrument, error) == HED_OK) {
        hed_source_forget(path);
        hed_file_write(path, text, strlen(text), error);
    }
    if (!hed_failed(error)) snprintf(path == place ? v->copy : v->source, PATH_MAX, "%s", path);
    hed_synth_instrument_destroy(instrument);
    json_t *reply = hed_failed(error) ? NULL : json_pack("{s:s}", "path", path);
    *answer = reply ? json_dumps(reply, JSON_COMPACT) : NULL;
    json_decref(reply);
    json_decref(request);
    return error->status;
}

static hed_status view_answer(
    void *user, const char *name, const char *body, size_t size, char **answer, hed_error *error)
{
    static const char shipped[] = "instrument/", phrase[] = "phrase/";
    view *v = user;
    char path[PATH_MAX];
    (void)size;
    if (body && strcmp(name, "save") == 0) return view_save(v, body, answer, error);
    if (!body && strcmp(name, "state") == 0) return view_give(v->source, v->name, answer, error);
    if (!body && strncmp(name, shipped, sizeof shipped - 1) == 0) {
        const char *instrument = name + sizeof shipped - 1;
        if (!cli_data_path(cli_data_kind_of("instruments", ".json"), instrument, path))
            return hed_fail(error, HED_ERROR_IO, "%s: no shipped instrument", instrument);
        return view_give(path, instrument, answer, error);
    }
    if (!body && strncmp(name, phrase, sizeof phrase - 1) == 0)
        return view_phrase(name + sizeof phrase - 1, answer, error);
    return hed_fail(error, HED_ERROR_ARGUMENT, "%s: no such request", name);
}

/* ---- the command ---- */

/* Sets the file that "Save" writes: the instrument itself, or, for one of the installed data, a file
 * of its name in the current folder. */
static hed_status view_places(view *v, const hed_arguments *arguments, hed_error *error)
{
    const char *path = hed_text_of(arguments, "INSTRUMENT"), *out = hed_text_of(arguments, "out");
    const char *base = strrchr(path, '/');
    char data[PATH_MAX];
    bool installed = cli_data_folder(data) && strncmp(path, data, strlen(data)) == 0;
    v->name = base ? base + 1 : path;
    snprintf(v->source, sizeof v->source, "%s", path);
    snprintf(v->file, sizeof v->file, "%s", out ? out : installed ? v->name : path);
    if (installed && !out && access(v->file, F_OK) == 0)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "%s: exists in this folder, and \"Save\" would replace it; --out FILE gives another name, "
            "./%s opens that file",
            v->file, v->file);
    hed_synth_instrument *instrument;
    if (hed_synth_instrument_read(path, &instrument, error) != HED_OK) return error->status;
    hed_synth_instrument_destroy(instrument);
    return HED_OK;
}

static hed_status view_serve(
    view *v, const hed_arguments *arguments, cli_session *session, hed_error *error)
{
    hed_web *web;
    const hed_web_def def = {.context = session->context,
        .port = (uint16_t)hed_integer_of(arguments, "port"),
        .files = v->files,
        .file_count = v->file_count,
        .answer = view_answer,
        .user = v};
    if (hed_web_create(&def, &web, error)) return error->status;
    printf("open %s\n", hed_web_address(web));
    if (fflush(stdout) != 0)
        hed_fail(error, HED_ERROR_IO, "cannot print the address: %s", strerror(errno));
    else fprintf(stderr, "heddle: \"Save\" writes %s; Ctrl-C ends it\n", v->file);
    while (!hed_failed(error) && !hed_interrupted())
        nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    hed_web_destroy(web);
    return error->status;
}

static int view_run(const hed_arguments *arguments, void *user)
{
    cli_session session;
    hed_error error = {0};
    view v = {0};
    (void)user;
    if (view_places(&v, arguments, &error) != HED_OK) return cli_fail(&error);
    if (cli_open_context(arguments, &session, &error)) return cli_fail(&error);
    for (const hed_source *file = hed_synth_page_files; file->name; file++)
        v.files[v.file_count++] = (hed_web_file){file->name, file->text, file->size};
    view_read_engine(&v, &error);
    if (!hed_failed(&error)) view_serve(&v, arguments, &session, &error);
    for (uint32_t i = 0; i < v.engine_count; i++) free(v.engine[i]);
    cli_close(&session);
    return hed_failed(&error) ? cli_fail(&error) : HED_EXIT_OK; /* Ctrl-C is the regular end */
}

static const hed_option OPTIONS[] = {
    OPTION("out", OUTPUT, "FILE", "file that \"Save\" writes: the instrument itself unless told",
        .letter = 'o', .endings = ".json"),
    OPTION("port", INTEGER, "NUMBER", "port of 127.0.0.1; any that is free", .low = 0, .high = 65535),
    {0}};
static const hed_option POSITIONALS[] = {POSITIONAL("INSTRUMENT", FILE, "an instrument file",
                                             .names = &cli_data_instruments, .required = true),
    {0}};
static const hed_example EXAMPLES[] = {
    {"heddle synth view harp", "prints the address to open in a browser"},
    {"heddle synth view mine.json", "an instrument of one's own: \"Save\" writes it"}, {0}};

const hed_command hed_command_synth_view = {
    .name = "view",
    .summary = "see, play and edit an instrument in the browser",
    .description =
        "Serves a page on 127.0.0.1 alone, whose address has a token in it. The page shows bodies, springs, "
        "exciters and microphones as they move, plays the keys of the computer and of MIDI keyboards, and "
        "edits the file in place: the order and spacing of its text stay. The engine runs in the page, as "
        "WebAssembly, with the bits of the native one in strict mode.",
    .options = OPTIONS,
    .positionals = POSITIONALS,
    .examples = EXAMPLES,
    .run = view_run,
};
