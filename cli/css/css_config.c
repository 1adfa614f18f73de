/* See config.h. */
#include "cli/css/config.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/css/glob.h"
#include "cli/css/read.h"
#include "support/file.h"
#include "support/json.h"

enum { MOST_CONFIG_BYTES = 1 << 20 };

/* ---- heddle-css.json ---- */

typedef struct list_reader {
    hed_json_node root;
    const char *folder;
    css_page_list skipped;
    hed_error *error;
} list_reader;

/* Lists the files of the patterns of a member; a pattern without a file is an error. */
static void read_paths(list_reader *r, const char *key, css_page_list *list)
{
    if (!hed_json_has(r->root, key)) return;
    hed_json_node array = hed_json_member(r->root, key);
    for (size_t i = 0; i < hed_json_count(array) && !hed_failed(r->error); i++) {
        hed_json_node item = hed_json_item(array, i);
        const char *pattern = hed_json_string(item);
        uint32_t before = list->count;
        if (*pattern) css_glob_find(list, r->folder, pattern, &r->skipped, r->error);
        if (*pattern && list->count == before && !hed_failed(r->error))
            hed_json_fail(item, HED_ERROR_ARGUMENT, "no file fits \"%s\"", pattern);
    }
}

/* Adds the patterns of a member, in the forms of --keep. */
static void read_keeps(
    list_reader *r, css_settings *s, const char *key, const char *origin, hed_css_keep_role role)
{
    if (!hed_json_has(r->root, key)) return;
    hed_json_node array = hed_json_member(r->root, key);
    for (size_t i = 0; i < hed_json_count(array) && !hed_failed(r->error); i++) {
        const hed_css_keep keep = {
            .pattern = hed_json_string(hed_json_item(array, i)), .origin = origin, .role = role};
        css_settings_keep(s, keep, r->error);
    }
}

/* Value of a member that the command line did not give, below the folder of the file if it is a
 * path. */
static const char *config_text(
    list_reader *r, css_settings *s, const char *key, bool is_path, const char *value)
{
    if (value || !hed_json_has(r->root, key)) return value;
    value = hed_json_string(hed_json_member(r->root, key));
    char path[2 * PATH_MAX];
    bool relative = is_path && *value != '/';
    snprintf(path, sizeof path, "%s%s", relative ? r->folder : "", value);
    return css_settings_text(s, path, r->error);
}

/* Adds the pages and words of the file; `list`: files and folders. */
static void take_pages(list_reader *r, css_settings *s)
{
    css_page_list pages = {0}, words = {0};
    if (!s->roots.count) read_paths(r, "pages", &pages);
    read_paths(r, "words", &words);
    for (uint32_t i = 0; i < pages.count && !hed_failed(r->error); i++) {
        css_page_list_add(&s->roots, pages.paths[i], r->error);
        css_page_list_take(&s->pages, pages.paths[i], r->error);
    }
    for (uint32_t i = 0; i < words.count && !hed_failed(r->error); i++)
        css_word_files_add(&s->words, words.paths[i], r->error);
    css_page_list_free(&pages);
    css_page_list_free(&words);
}

static hed_status config_own(css_settings *s, const char *path, hed_json *json, hed_error *error)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash + 1 - path) : 0, path);
    list_reader r = {.root = hed_json_root(json), .folder = folder, .error = error};
    hed_fields_only(&css_config_fields, r.root);
    if (hed_json_has(r.root, "skip")) {
        hed_json_node skip = hed_json_member(r.root, "skip");
        for (size_t i = 0; i < hed_json_count(skip); i++)
            css_page_list_add(&r.skipped, hed_json_string(hed_json_item(skip, i)), error);
    }
    take_pages(&r, s);
    if (!s->sheets.count) read_paths(&r, "css", &s->sheets);
    read_keeps(&r, s, "keep", CSS_CONFIG_NAME ": keep", HED_CSS_KEEP_SELECTOR);
    read_keeps(&r, s, "remove", CSS_CONFIG_NAME ": remove", HED_CSS_KEEP_NEVER);
    if (hed_json_has(r.root, "properties"))
        s->drops_properties |= hed_json_boolean(hed_json_member(r.root, "properties"));
    s->out = config_text(&r, s, "out", true, s->out);
    s->report = config_text(&r, s, "report", true, s->report);
    s->fail_over = config_text(&r, s, "failOver", false, s->fail_over);
    css_page_list_free(&r.skipped);
    if (!hed_failed(error)) hed_json_status(json, error);
    return hed_failed(error) ? error->status : HED_OK;
}

/* ---- any file ---- */

hed_status css_config_read_text(
    css_settings *s, const char *path, const char *text, size_t length, hed_error *error)
{
    hed_json *json = NULL;
    const char *dot = strrchr(path, '.');
    bool is_json = dot && strcasecmp(dot, ".json") == 0;
    if (is_json) hed_json_parse(path, text, length, &json, error);
    bool is_heddle = is_json && !hed_failed(error) && !hed_json_has(hed_json_root(json), "content");
    if (is_heddle) config_own(s, path, json, error);
    else if (!hed_failed(error)) css_purgecss_read(s, path, text, length, error);
    hed_json_free(json);
    return hed_failed(error) ? error->status : HED_OK;
}

hed_status css_config_read(css_settings *s, const char *path, hed_error *error)
{
    css_text text;
    if (css_read_plain(path, MOST_CONFIG_BYTES, &text, error)) return error->status;
    css_config_read_text(s, path, text.bytes, text.length, error);
    free(text.bytes);
    return hed_failed(error) ? error->status : HED_OK;
}
