/* Settings of `heddle css unused`: its command line, and the configuration file. */
#ifndef HED_CLI_CSS_SETTINGS_H
#define HED_CLI_CSS_SETTINGS_H

#include "cli/common/command.h"
#include "cli/css/pages.h"
#include "cli/css/word_files.h"
#include "heddle/css_unused.h"

/* Patterns of names that stay; the texts are the settings' or the command line's. */
typedef struct css_keep_list {
    hed_css_keep *items;
    uint32_t count, room;
} css_keep_list;

typedef struct css_settings {
    css_page_list pages;
    css_page_list roots;  /* folders and pages as given */
    css_page_list sheets; /* empty: the sheets of the pages */
    css_word_files words; /* texts of --words; later the scripts of the pages, too */
    uint32_t unread_scripts;   /* scripts of the pages that are no texts on this machine */
    const char *unread_script; /* address of the first of them */
    css_keep_list keeps;
    bool drops_properties;             /* custom properties that nothing names */
    bool keeps_keyframes, keeps_fonts; /* although nothing names them */
    bool lists_kept, json;
    bool lists_texts; /* texts of a list on standard input; the answer is one JSON object */
    const char *out, *report, *fail_over; /* NULL: absent */
    css_page_list texts;                  /* texts that the settings own */
} css_settings;

/* Reads the settings. The caller calls css_settings_close() even after an error. Errors: ARGUMENT,
 * FORMAT, IO, LIMIT, MEMORY, UNSUPPORTED. */
hed_status css_settings_open(
    css_settings *settings, const hed_arguments *arguments, hed_error *error);
/* Adds a pattern, whose texts are copied, but for its origin. Errors: MEMORY. */
hed_status css_settings_keep(css_settings *settings, hed_css_keep keep, hed_error *error);
/* Returns a copy of a text, which the settings own. NULL: out of memory. */
const char *css_settings_text(css_settings *settings, const char *text, hed_error *error);
void css_settings_close(css_settings *settings);

#endif
