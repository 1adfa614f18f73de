/* What document.c and html.c share while a document is made, and change.c. */
#ifndef HED_CSS_HTML_H
#define HED_CSS_HTML_H

#include "document.h"

/* Arrays for so many elements, attributes and classes. */
hed_status css_document_room(hed_css_document *document, uint32_t elements, uint32_t attributes,
    uint32_t classes, hed_error *error);
/* Words of a text between white space of HTML. */
uint32_t css_count_words(const char *text, size_t length);
/* id and classes of an element from its attributes; there is room behind class_begin. */
hed_status css_document_classes(hed_css_document *document, uint32_t element, hed_error *error);

/* 1: the first strong letter of a text runs from left to right, 2: from right to left; 0: there is none. */
int css_first_direction(const char *text);

#endif
