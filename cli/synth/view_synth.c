/* heddle synth view: a page in which one sees, plays and edits an instrument. The page is web/synth,
 * its engine the WebAssembly module of Heddle; this file serves both, and reads and writes the
 * instrument. */
#include "cli/common/command.h"
#include "cli/common/data.h"
#include "cli/common/serve_page.h"
#include "heddle/author.h"
#include "heddle/synth_file.h"
#include "support/file.h"
#include "support/sources.h"
#include "view_page.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct view {
    char file[PATH_MAX];   /* path that "Save" writes */
    const char *name;      /* name of the instrument in the page */
    char source[PATH_MAX]; /* path that the page shows */
    char copy[PATH_MAX];   /* path of the shipped instrument that was saved last, or "" */
    view_page page;
} view;

/* ---- saving ---- */

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

/* True if two paths are of one folder. */
static bool has_folder_of(const char *path, const char *other)
{
    const char *end = strrchr(path, '/'), *other_end = strrchr(other, '/');
    size_t length = end ? (size_t)(end - path) : 0;
    return length == (other_end ? (size_t)(other_end - other) : 0) &&
           strncmp(path, other, length) == 0;
}

/* Writes a text, if it is an instrument, to a file. The instruments of layers come with it, if their
 * files are elsewhere, in the folder of `source`. */
static hed_status write_instrument(
    const char *path, const char *text, const char *source, hed_error *error)
{
    hed_synth_instrument *instrument = NULL;
    char *whole = view_page_whole(text, source);
    const char *checked = whole ? whole : text;
    if (hed_synth_instrument_parse(checked, strlen(checked), path, &instrument, error) == HED_OK) {
        const char *written = has_folder_of(path, source) ? text : checked;
        hed_source_forget(path);
        hed_file_write(path, written, strlen(written), error);
    }
    hed_synth_instrument_destroy(instrument);
    free(whole);
    return error->status;
}

/* Writes the text of {"name": ..., "text": ...}, if it is an instrument, into its file. */
static hed_status view_save(view *v, const char *body, char **answer, hed_error *error)
{
    json_t *request = json_loads(body, 0, NULL);
    const char *text = json_string_value(json_object_get(request, "text")),
               *name = json_string_value(json_object_get(request, "name"));
    char place[PATH_MAX], shipped[PATH_MAX];
    const char *path = view_target(v, name, place, error), *source = v->source;
    if (path == place && cli_data_path(cli_data_kind_of("instruments", ".json"), name, shipped))
        source = shipped;
    if (!text) hed_fail(error, HED_ERROR_FORMAT, "save: found no text; expected {\"text\": ...}");
    else if (!hed_failed(error)) write_instrument(path, text, source, error);
    if (!hed_failed(error)) snprintf(path == place ? v->copy : v->source, PATH_MAX, "%s", path);
    json_t *reply = hed_failed(error) ? NULL : json_pack("{s:s}", "path", path);
    *answer = reply ? json_dumps(reply, JSON_COMPACT) : NULL;
    json_decref(reply);
    json_decref(request);
    return error->status;
}

static hed_status view_answer(
    void *user, const char *name, const char *body, size_t size, char **answer, hed_error *error)
{
    view *v = user;
    (void)size;
    if (body && strcmp(name, "save") == 0) return view_save(v, body, answer, error);
    if (!body && strcmp(name, "state") == 0) return view_page_file(v->source, v->name, answer, error);
    if (!body && view_page_answer(name, answer, error)) return error->status;
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
    char hint[PATH_MAX + 64];
    const hed_web_def def = {.context = session->context,
        .port = (uint16_t)hed_integer_of(arguments, "port"),
        .files = v->page.files,
        .file_count = v->page.file_count,
        .answer = view_answer,
        .user = v};
    snprintf(hint, sizeof hint, "\"Save\" writes %s; Ctrl-C ends it", v->file);
    return cli_page_serve(&def, hint, error);
}

static int view_run(const hed_arguments *arguments, void *user)
{
    cli_session session;
    hed_error error = {0};
    view v = {0};
    (void)user;
    if (view_places(&v, arguments, &error) != HED_OK) return cli_fail(&error);
    if (cli_open_context(arguments, &session, &error)) return cli_fail(&error);
    if (view_page_open(&v.page, &error) == HED_OK) view_serve(&v, arguments, &session, &error);
    view_page_close(&v.page);
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
