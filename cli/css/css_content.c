/* Content of a configuration: its files by patterns, and its texts. */
#include "cli/css/config.h"

#include <stdlib.h>

#include "cli/css/glob.h"
#include "cli/css/files.h"
#include "cli/css/read.h"

const char *css_settings_text(css_settings *s, const char *text, hed_error *error)
{
    if (css_page_list_add(&s->texts, text, error)) return NULL;
    return s->texts.paths[s->texts.count - 1];
}

/* Adds a file of a configuration's content. Scripts of pages become words later (page_words.h). */
static void add_content(css_settings *s, const char *path, hed_error *error)
{
    css_text page;
    hed_error local = {0};
    if (css_page_ending(path) && css_read_page(path, &page, &local) == HED_OK) {
        bool refused = css_page_refuse(path, &page, &local);
        if (!refused) css_page_list_add(&s->pages, path, error);
        else css_word_files_add(&s->words, path, error);
        free(page.bytes);
    } else if (local.status == HED_ERROR_MEMORY) *error = local;
    else css_word_files_add(&s->words, path, error);
}

hed_status css_config_content(css_settings *s, const char *folder, const char *pattern,
    const css_page_list *skipped, hed_error *error)
{
    css_page_list files = {0};
    css_glob_find(&files, folder, pattern, skipped, error);
    for (uint32_t i = 0; i < files.count && !hed_failed(error); i++)
        add_content(s, files.paths[i], error);
    css_page_list_free(&files);
    return hed_failed(error) ? error->status : HED_OK;
}

hed_status css_settings_keep(css_settings *s, hed_css_keep keep, hed_error *error)
{
    css_keep_list *keeps = &s->keeps;
    keep.pattern = css_settings_text(s, keep.pattern, error);
    if (keep.flags) keep.flags = css_settings_text(s, keep.flags, error);
    keeps->items = css_more(keeps->items, &keeps->room, keeps->count, sizeof keep, error);
    if (hed_failed(error)) return error->status;
    keeps->items[keeps->count++] = keep;
    return HED_OK;
}
