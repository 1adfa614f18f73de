/* See page_words.h. */
#include "cli/css/page_words.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/css/address.h"
#include "cli/css/files.h"
#include "cli/css/read.h"
#include "support/sources.h"

typedef struct page_words {
    css_settings *settings;
    css_page_list paths; /* real paths of the scripts that are read */
    bool has_words;      /* true: words were given, which replace scripts elsewhere */
    hed_error *error;
} page_words;

/* Adds the script of a file, once. False: the file is no text. */
static bool take_file(page_words *w, const char *path)
{
    char identity[PATH_MAX];
    struct stat about;
    css_word_files *words = &w->settings->words;
    hed_error unread = {0};
    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode) || !realpath(path, identity))
        return false;
    for (uint32_t i = 0; i < w->paths.count; i++)
        if (strcmp(w->paths.paths[i], identity) == 0) return true;
    if (css_page_list_add(&w->paths, identity, w->error)) return true;
    if (css_word_files_add(words, path, &unread)) {
        if (unread.status == HED_ERROR_MEMORY || unread.status == HED_ERROR_ARGUMENT)
            *w->error = unread;
        return false;
    }
    return true;
}

/* Adds the script at an address. False: the address is no text on this machine. */
static bool take_script(page_words *w, const css_origin *origin, const char *address)
{
    char path[PATH_MAX];
    return !css_address_file(origin, address, path, sizeof path) && take_file(w, path);
}

static bool is_script_file(const char *path)
{
    const char *end = strrchr(path, '.');
    return end && (!strcmp(end, ".js") || !strcmp(end, ".mjs"));
}

/* Adds the scripts in the folder of a bundle of webpack's and below it, which it loads by names that it
 * computes. */
static void take_chunks(page_words *w, const hed_css_text *script)
{
    char folder[PATH_MAX] = ".";
    css_page_list list = {0};
    hed_error unread = {0};
    const char *slash = strrchr(script->name, '/');
    if (!is_script_file(script->name) ||
        (!strstr(script->text, "webpackChunk") && !strstr(script->text, "webpackJsonp")))
        return;
    if (slash)
        snprintf(folder, sizeof folder, "%.*s",
            (int)(slash > script->name ? slash - script->name : 1), script->name);
    if (css_page_list_folder(&list, folder, is_script_file, &unread) == HED_ERROR_MEMORY)
        *w->error = unread;
    for (uint32_t i = 0; i < list.count && !hed_failed(w->error); i++) take_file(w, list.paths[i]);
    css_page_list_free(&list);
}

/* Adds the modules that a script names: paths in quotes that begin with "." or "/". */
static void take_imports(page_words *w, const css_origin *origin, const char *text)
{
    enum { MOST_BYTES = 256 };
    for (const char *at = text; (at = strpbrk(at, "\"'`")) && !hed_failed(w->error);) {
        char address[MOST_BYTES];
        const char *from = ++at;
        if (*from != '.' && *from != '/') continue;
        size_t length = strcspn(from, "\"'`\n");
        bool module =
            length > 4 && length < MOST_BYTES && strchr("\"'`", from[length]) &&
            (memcmp(from + length - 3, ".js", 3) == 0 || memcmp(from + length - 4, ".mjs", 4) == 0);
        if (!module) continue;
        snprintf(address, sizeof address, "%.*s", (int)length, from);
        take_script(w, origin, address);
    }
}

static void take_page(page_words *w, uint32_t index)
{
    css_settings *s = w->settings;
    const char *path = s->pages.paths[index];
    struct stat about;
    css_text page;
    css_page_scripts scripts = {0};
    hed_error unread = {0};
    bool in_memory = css_page_list_text(&s->pages, index).bytes;
    if (!in_memory && (stat(path, &about) != 0 || !S_ISREG(about.st_mode))) return; /* read once */
    if (css_page_list_read(&s->pages, index, &page, &unread)) return;
    if (!page.recorded && !hed_is_report(page.bytes, page.length) &&
        css_page_scripts_read(page.bytes, page.length, &scripts, w->error) == HED_OK) {
        const css_origin origin = {path, scripts.bases.count ? scripts.bases.paths[0] : NULL};
        if (!scripts.is_empty) css_word_files_add_text(&s->words, path, scripts.text, w->error);
        uint32_t next = s->words.count;
        for (uint32_t i = 0; i < scripts.addresses.count && !hed_failed(w->error); i++) {
            const char *address = scripts.addresses.paths[i];
            if (css_address_is_data(address) || take_script(w, &origin, address)) continue;
            if (w->has_words) continue;
            if (!s->unread_scripts++) s->unread_script = css_settings_text(s, address, w->error);
        }
        take_imports(w, &origin, scripts.text);
        /* the list grows meanwhile; calls within calls would take a stack as deep as the imports */
        for (; next < s->words.count && !hed_failed(w->error) && !hed_interrupted(); next++) {
            const hed_css_text script = s->words.texts[next];
            take_imports(w, &(css_origin){script.name, NULL}, script.text);
            take_chunks(w, &script);
        }
    }
    css_page_scripts_free(&scripts);
    free(page.bytes);
}

hed_status css_page_words_add(css_settings *s, hed_error *error)
{
    page_words w = {.settings = s, .has_words = s->words.count, .error = error};
    for (uint32_t i = 0; i < s->pages.count && !hed_failed(error) && !hed_interrupted(); i++)
        take_page(&w, i);
    css_page_list_free(&w.paths);
    return hed_failed(error) ? error->status : HED_OK;
}
