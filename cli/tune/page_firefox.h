/* The session of a page in Firefox, by WebDriver BiDi. Its recorder is in front of the scripts of
 * pages and frames; a worker cannot be entered before its first script. */
#ifndef HED_CLI_TUNE_PAGE_FIREFOX_H
#define HED_CLI_TUNE_PAGE_FIREFOX_H

#include "cli/tune/page_session.h"

/* Connects to the browser that page->process is, and puts the recorder in front of its pages.
 * Errors: IO, TIMEOUT, FORMAT, MEMORY. */
hed_status page_firefox_open(page_session *page, hed_error *error);
/* Asks the browser to end. */
void page_firefox_close(page_session *page);
/* Navigates the tab, and waits until the page is loaded. Errors: IO (no answer), TIMEOUT. */
hed_status page_firefox_go(page_session *page, const char *address, hed_error *error);
/* Evaluates an expression in a realm (NULL: the tab's); as page_evaluate(). */
hed_status page_firefox_evaluate(page_session *page, const page_realm *realm, const char *text,
    json_t **value, hed_error *error);

#endif
