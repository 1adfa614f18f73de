/* See settings.h. */
#include "cli/css/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/css/config.h"
#include "cli/css/files.h"
#include "cli/css/read.h"
#include "cli/css/text_list.h"

/* Reads the file of --config or, without one, the file of the working folder, if it is there. */
static void read_config(css_settings *s, const hed_arguments *arguments, hed_error *error)
{
    const char *config = hed_text_of(arguments, "config");
    if (!config && access(CSS_CONFIG_NAME, R_OK) == 0) config = CSS_CONFIG_NAME;
    if (!config || hed_failed(error)) return;
    css_config_read(s, config, error);
    if (!hed_failed(error) && !s->json)
        fprintf(stderr,
            "heddle: note: %s: %u page%s, %u text%s with words, %u sheet%s, %u pattern%s\n", config,
            s->pages.count, s->pages.count == 1 ? "" : "s", s->words.count,
            s->words.count == 1 ? "" : "s", s->sheets.count, s->sheets.count == 1 ? "" : "s",
            s->keeps.count, s->keeps.count == 1 ? "" : "s");
}

/* Drops the pages that are templates and are among the texts with words. */
static void drop_templates(css_settings *s)
{
    uint32_t count = 0;
    if (s->pages.texts || s->lists_texts) return; /* a text in memory keeps its kind */
    for (uint32_t i = 0; i < s->pages.count; i++) {
        char *path = s->pages.paths[i];
        hed_error error = {0};
        css_text text = {0};
        bool has_words = false;
        for (uint32_t k = 0; k < s->words.count; k++)
            has_words |= strcmp(s->words.texts[k].name, path) == 0;
        bool drops = has_words && css_read_page(path, &text, &error) == HED_OK &&
                     css_page_refuse(path, &text, &error);
        if (drops) free(path);
        else s->pages.paths[count++] = path;
        free(text.bytes);
    }
    s->pages.count = count;
}

/* Takes a list of texts (text_list.h) for the page "-" of which it is the text. */
static void take_list(css_settings *s, hed_error *error)
{
    if (hed_failed(error) || s->pages.count != 1 || strcmp(s->pages.paths[0], "-") != 0) return;
    const css_page_text text = css_page_list_text(&s->pages, 0);
    if (!css_is_text_list(text.bytes, text.length)) return;
    if (!s->json) {
        hed_fail(error, HED_ERROR_ARGUMENT,
            "standard input is a list of texts (JSON); expected --json with it, as the answer is JSON");
        return;
    }
    css_page_list list = s->pages;
    s->pages = (css_page_list){0};
    css_page_list_free(&s->roots);
    s->lists_texts = true;
    css_text_list_read(s, text.bytes, text.length, error);
    css_page_list_free(&list);
}

hed_status css_settings_open(css_settings *s, const hed_arguments *arguments, hed_error *error)
{
    const char *text;
    for (uint32_t i = 0; (text = hed_text_at(arguments, "words", i)) && !hed_failed(error); i++)
        css_word_files_add(&s->words, text, error);
    for (uint32_t i = 0; (text = hed_text_at(arguments, "PAGE", i)) && !hed_failed(error); i++) {
        css_page_list_add(&s->roots, text, error);
        css_page_list_take(&s->pages, text, error);
    }
    for (uint32_t i = 0; (text = hed_text_at(arguments, "css", i)) && !hed_failed(error); i++)
        css_page_list_add_input(&s->sheets, text, error);
    for (uint32_t i = 0; (text = hed_text_at(arguments, "keep", i)) && !hed_failed(error); i++)
        css_settings_keep(s, (hed_css_keep){.pattern = text, .origin = "--keep"}, error);
    s->drops_properties = hed_given(arguments, "properties");
    s->lists_kept = hed_given(arguments, "kept");
    s->json = hed_given(arguments, "json");
    s->out = hed_text_of(arguments, "out");
    s->report = hed_text_of(arguments, "report");
    s->fail_over = hed_text_of(arguments, "fail-over");
    take_list(s, error);
    drop_templates(s);
    if (!s->lists_texts) read_config(s, arguments, error);
    if (!hed_failed(error) && !s->pages.count && !s->words.count)
        hed_fail(error, HED_ERROR_ARGUMENT,
            "--words: neither a page nor a text with words was given; expected PAGE, --words FILE or "
            "--config FILE");
    if (!hed_failed(error) && !s->pages.count && !s->sheets.count)
        hed_fail(error, HED_ERROR_ARGUMENT,
            "--words without a page needs the sheet; expected --css FILE");
    return hed_failed(error) ? error->status : HED_OK;
}

void css_settings_close(css_settings *s)
{
    css_page_list_free(&s->pages);
    css_page_list_free(&s->roots);
    css_page_list_free(&s->sheets);
    css_page_list_free(&s->texts);
    css_word_files_free(&s->words);
    free(s->keeps.items);
}
