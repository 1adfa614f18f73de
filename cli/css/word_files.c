/* See word_files.h. */
#include "cli/css/word_files.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/css/files.h"
#include "cli/css/pages.h"

enum { MOST_TEXT_BYTES = 64 << 20 };

/* Adds a text of malloc(), which the list owns from now on. */
static hed_status words_add(
    css_word_files *words, const char *label, char *text, size_t length, hed_error *error)
{
    words->texts = css_more(words->texts, &words->room, words->count, sizeof *words->texts, error);
    char *name = hed_failed(error) ? NULL : strdup(label);
    if (name && text) words->texts[words->count++] = (hed_css_text){name, text, length};
    else {
        free(name);
        free(text);
        if (!hed_failed(error)) HED_OUT_OF_MEMORY(error, "the words of %s", label);
    }
    return hed_failed(error) ? error->status : HED_OK;
}

hed_status css_word_files_add_text(
    css_word_files *words, const char *label, const char *text, hed_error *error)
{
    return words_add(words, label, strdup(text), strlen(text), error);
}

static hed_status words_read(css_word_files *words, const char *path, hed_error *error)
{
    css_text text;
    if (hed_failed(error) || css_read_plain(path, MOST_TEXT_BYTES, &text, error))
        return error->status;
    return words_add(words, path, text.bytes, text.length, error);
}

/* True if a file of a folder can have names of a sheet. */
static bool has_words(const char *path)
{
    return hed_css_template_ending(path) || css_page_ending(path);
}

hed_status css_word_files_add(css_word_files *words, const char *path, hed_error *error)
{
    struct stat about;
    css_page_list list = {0};
    if (stat(path, &about) != 0 || !S_ISDIR(about.st_mode)) return words_read(words, path, error);
    css_page_list_folder(&list, path, has_words, error);
    if (!list.count && !hed_failed(error))
        hed_fail(error, HED_ERROR_ARGUMENT,
            "--words %s: no template, script or page in this folder; expected files such as "
            "App.jsx, index.php or page.md",
            path);
    for (uint32_t i = 0; i < list.count; i++) words_read(words, list.paths[i], error);
    css_page_list_free(&list);
    return hed_failed(error) ? error->status : HED_OK;
}

void css_word_files_free(css_word_files *words)
{
    for (uint32_t i = 0; i < words->count; i++) {
        free((char *)words->texts[i].name);
        free((char *)words->texts[i].text);
    }
    free(words->texts);
}
