/* A page that a command serves to the browser until Ctrl-C. */
#ifndef HED_CLI_COMMON_SERVE_PAGE_H
#define HED_CLI_COMMON_SERVE_PAGE_H

#include "heddle/web.h"

/* Serves the page, prints its address and the line `hint`, and returns after Ctrl-C. Errors: as
 * hed_web_create(); IO (the address cannot be printed). */
hed_status cli_page_serve(const hed_web_def *def, const char *hint, hed_error *error);

#endif
