/* What HTML says of elements. */
#ifndef HED_CSS_STATES_H
#define HED_CSS_STATES_H

#include "document.h"

/* flags and language of all elements. */
hed_status css_find_states(hed_css_document *document, hed_error *error);

#endif
