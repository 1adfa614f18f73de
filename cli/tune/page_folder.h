/* A folder of web pages, shown to a browser without a server: the browser's requests for page_host
 * are answered over the protocol that controls it. */
#ifndef HED_CLI_TUNE_PAGE_FOLDER_H
#define HED_CLI_TUNE_PAGE_FOLDER_H

#include "cli/common/devtools.h"

typedef struct page_folder_file {
    int status;       /* 200, or 404 */
    const char *type; /* Content-Type */
    char *base64;     /* contents */
} page_folder_file;

/* Reads the file of an address under `folder` (absolute, without links; NULL: no folder). The caller calls
 * page_folder_free(). */
void page_folder_read(const char *folder, const char *address, page_folder_file *result);
void page_folder_free(page_folder_file *file);
/* Answers the event Fetch.requestPaused with a file under `folder` (absolute, without links), or
 * with status 404. */
void page_folder_answer(
    cli_devtools *devtools, const char *session, const char *folder, const json_t *parameters);

#endif
