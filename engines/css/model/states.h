/* States of elements that HTML defines. */
#ifndef HED_CSS_STATES_H
#define HED_CSS_STATES_H

#include "document.h"

/* Sets flags and language of all elements. */
hed_status css_find_states(hed_css_document *document, hed_error *error);
/* True if the change of an element's attribute to `value` may change flags or languages, with the
 * flags before the change. */
bool css_has_states(
    const hed_css_document *document, uint32_t element, uint32_t name, uint32_t value);
/* True if a name is that of a custom element (HTML, "valid custom element name"). */
bool css_is_custom_name(const char *tag);

#endif
