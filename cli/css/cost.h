/* Costs of selectors in a browser. */
#ifndef HED_CLI_CSS_COST_H
#define HED_CLI_CSS_COST_H

#include "cli/css/site.h"

/* Prints the statistics of each selector of the first page in Chromium. Errors: UNSUPPORTED (no
 * Chromium), TIMEOUT, IO, MEMORY. */
hed_status cost_in_browser(const site *s, bool json, hed_error *error);

#endif
