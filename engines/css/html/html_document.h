/* Documents from HTML, for the model. */
#ifndef HED_CSS_HTML_DOCUMENT_H
#define HED_CSS_HTML_DOCUMENT_H

#include "model/document.h"

/* Fills a document from HTML. Errors: FORMAT, LIMIT, MEMORY. */
hed_status css_document_from_html(
    hed_css_document *document, const hed_css_document_def *def, hed_error *error);

#endif
