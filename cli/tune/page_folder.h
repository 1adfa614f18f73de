/* A folder of web pages, shown to a browser without a server: the browser's requests for page_host
 * are answered over the DevTools protocol, so nothing listens on a port. */
#ifndef HED_CLI_TUNE_PAGE_FOLDER_H
#define HED_CLI_TUNE_PAGE_FOLDER_H

#include "cli/common/devtools.h"

/* Answers the event Fetch.requestPaused with a file under `folder` (absolute, without links), or
 * with status 404. */
void page_folder_answer(
    cli_devtools *devtools, const char *session, const char *folder, const json_t *parameters);

#endif
