/* Functions that fill a document, shared by document.c, document_change.c and the HTML parser. */
#ifndef HED_CSS_HTML_H
#define HED_CSS_HTML_H

#include "document.h"

/* Allocates the arrays for these numbers of elements, attributes and classes. */
hed_status css_document_room(hed_css_document *document, uint32_t elements, uint32_t attributes,
    uint32_t classes, hed_error *error);
/* Number of words of a text, which HTML white space separates. */
uint32_t css_count_words(const char *text, size_t length);
/* Sets the id and the classes of an element from its attributes; `classes` has room after
 * class_begin. */
hed_status css_document_classes(hed_css_document *document, uint32_t element, hed_error *error);

/* Direction of the first strong letter of a text: 1 left to right, 2 right to left; 0: no strong
 * letter. */
int css_first_direction(const char *text, size_t length);

#endif
