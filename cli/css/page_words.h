/* Scripts of the pages as words: scripts in the pages, files that the pages name, and modules that
 * these scripts import. */
#ifndef HED_CLI_CSS_PAGE_WORDS_H
#define HED_CLI_CSS_PAGE_WORDS_H

#include "cli/css/settings.h"

/* Adds the scripts of the settings' pages to their words; sets unread_scripts unless words were
 * given. A page that cannot be read is skipped. Errors: ARGUMENT (an output that is read), MEMORY. */
hed_status css_page_words_add(css_settings *settings, hed_error *error);

#endif
