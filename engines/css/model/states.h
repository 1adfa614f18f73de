/* What HTML says of elements. */
#ifndef HED_CSS_STATES_H
#define HED_CSS_STATES_H

#include "document.h"

/* flags and language of all elements, from nothing. */
hed_status css_find_states(hed_css_document *document, hed_error *error);
/* Whether an attribute of this name may change them. */
bool css_has_states(const hed_css_document *document, uint32_t name);

#endif
