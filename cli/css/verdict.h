/* Reasons for which a selector stays although no element matches it: words, patterns, comments. */
#ifndef HED_CLI_CSS_VERDICT_H
#define HED_CLI_CSS_VERDICT_H

#include "cli/css/survey.h"

/* Notes the names of a page, so that they count as present. Errors: MEMORY. */
hed_status css_verdict_page(css_survey *survey, const hed_css_document *document, hed_error *error);
/* Finds the reasons for all rules, and the parts that stay whatever names them. All pages have been
 * matched. Errors: IO, LIMIT, MEMORY. */
hed_status css_verdict_find(css_survey *survey, hed_error *error);

#endif
