/* Reasons for which a selector stays although no element matches it: words, patterns, comments. */
#ifndef HED_CSS_VERDICT_H
#define HED_CSS_VERDICT_H

#include "survey.h"

/* Adds the names of a page, which count as present. Errors: MEMORY. */
hed_status css_verdict_page(
    css_name_set *names, const hed_css_document *document, hed_error *error);
/* Finds the reasons for all rules, and the parts that stay whatever names them. All pages have been
 * matched. Errors: MEMORY. */
hed_status css_verdict_find(hed_css_unused *unused, hed_error *error);

#endif
