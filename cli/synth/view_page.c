/* Files of the page of an instrument, and answers to its requests, for every server of it. */
#include "view_page.h"

#include "cli/common/data.h"
#include "heddle/author.h"
#include "heddle/synth_file.h"
#include "support/file.h"
#include "support/sources.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TEXT = 64 << 20 };

extern const hed_source hed_synth_page_files[]; /* embedded: web/synth */

/* ---- files of the page ---- */

/* Reads the engine's files, of the folder "wasm" of the installed data. */
static void read_engine(view_page *page, hed_error *error)
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
        if (hed_file_read(path, MOST_TEXT, &page->engine[page->engine_count], &size, &cause)) {
            hed_fail(error, HED_ERROR_UNSUPPORTED,
                "engine of the page: missing (%s); expected Heddle's WebAssembly package in that folder. "
                "In the folder of Heddle's sources, \"./dev wasm\" builds it: install Heddle from there "
                "again, or copy build/wasm/package to %s/wasm",
                path, data);
            return;
        }
        page->files[page->file_count++] =
            (hed_web_file){served[i], page->engine[page->engine_count++], size};
    }
}

hed_status view_page_open(view_page *page, hed_error *error)
{
    for (const hed_source *file = hed_synth_page_files; file->name; file++)
        page->files[page->file_count++] = (hed_web_file){file->name, file->text, file->size};
    read_engine(page, error);
    return error->status;
}

void view_page_close(view_page *page)
{
    for (uint32_t i = 0; i < page->engine_count; i++) free(page->engine[i]);
}

/* ---- answers to the page ---- */

static void add_name(void *user, const char *name, const char *summary)
{
    (void)summary;
    json_array_append_new(user, json_string(name));
}

/* Reads the files of the layers of a text, in the folder of `path`: an object of instruments by the
 * names that the text has; empty without layers. */
static json_t *read_layers(const json_t *document, const char *path)
{
    const char *slash = strrchr(path, '/');
    json_t *files = json_object(), *layer;
    size_t index;
    json_array_foreach(json_object_get(document, "layers"), index, layer)
    {
        const char *name = json_string_value(json_object_get(layer, "instrument"));
        char place[PATH_MAX];
        int folder = name && slash && name[0] != '/' ? (int)(slash - path) + 1 : 0;
        if (name && snprintf(place, sizeof place, "%.*s%s", folder, path, name) < PATH_MAX)
            json_object_set_new(files, name, json_load_file(place, 0, NULL));
    }
    return files;
}

char *view_page_whole(const char *text, const char *path)
{
    json_t *document = json_loads(text, 0, NULL), *files = read_layers(document, path), *layer;
    char *whole = NULL;
    size_t index;
    json_array_foreach(json_object_get(document, "layers"), index, layer)
    {
        const char *file = json_string_value(json_object_get(layer, "instrument"));
        json_t *content = file ? json_object_get(files, file) : NULL;
        const char *slash = file ? strrchr(file, '/') : NULL, *name = slash ? slash + 1 : file;
        if (!content) continue;
        if (!json_object_get(layer, "name"))
            json_object_set_new(layer, "name", json_stringn(name, strcspn(name, ".")));
        json_object_set(layer, "instrument", content);
    }
    if (json_object_size(files)) whole = json_dumps(document, JSON_INDENT(2));
    json_decref(files);
    json_decref(document);
    return whole;
}

/* Answers with a text; `path` NULL: it names no files. */
static hed_status answer_text(const char *name, const char *text, size_t size, const char *path,
    char **answer, hed_error *error)
{
    size_t schema_size;
    json_t *shipped = json_array();
    cli_data_list(cli_data_kind_of("instruments", ".json"), add_name, shipped);
    json_t *document = path ? json_loadb(text, size, 0, NULL) : NULL,
           *files = path ? read_layers(document, path) : json_object();
    json_decref(document);
    json_t *whole = json_pack("{s:s, s:s%, s:o, s:o, s:o}", "name", name, "text", text, size,
        "shipped", shipped, "files", files, "schema",
        json_loads(hed_synth_instrument_schema(&schema_size), 0, NULL));
    *answer = whole ? json_dumps(whole, JSON_COMPACT) : NULL;
    json_decref(whole);
    return *answer ? HED_OK : hed_fail(error, HED_ERROR_FORMAT, "%s: no text in UTF-8", name);
}

hed_status view_page_text(
    const char *name, const char *text, size_t size, char **answer, hed_error *error)
{
    return answer_text(name, text, size, NULL, answer, error);
}

hed_status view_page_file(const char *path, const char *name, char **answer, hed_error *error)
{
    char *text;
    size_t size;
    if (hed_file_read(path, MOST_TEXT, &text, &size, error) != HED_OK) return error->status;
    answer_text(name, text, size, path, answer, error);
    free(text);
    return error->status;
}

/* Answers with the bytes of a shipped phrase, {"bytes": [...]}, empty for an own instrument. */
static hed_status answer_phrase(const char *name, char **answer, hed_error *error)
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

bool view_page_answer(const char *name, char **answer, hed_error *error)
{
    static const char shipped[] = "instrument/", phrase[] = "phrase/";
    char path[PATH_MAX];
    if (strncmp(name, shipped, sizeof shipped - 1) == 0) {
        const char *instrument = name + sizeof shipped - 1;
        if (cli_data_path(cli_data_kind_of("instruments", ".json"), instrument, path))
            view_page_file(path, instrument, answer, error);
        else hed_fail(error, HED_ERROR_IO, "%s: no shipped instrument", instrument);
        return true;
    }
    if (strncmp(name, phrase, sizeof phrase - 1) != 0) return false;
    answer_phrase(name + sizeof phrase - 1, answer, error);
    return true;
}
