/* Names that the tests of a file share, and pages and sheets from texts, which are good. */
#ifndef HED_TESTS_CSS_PAGES_H
#define HED_TESTS_CSS_PAGES_H

#include "heddle/css.h"
#include "testing.h"

static hed_css_names *names;

static inline void open_names(void)
{
    hed_error error = {0};
    OK(hed_css_names_create(NULL, &names, &error));
}

static inline void close_names(void) { hed_css_names_destroy(names); }

static inline hed_css_sheet *sheet_of(const char *text)
{
    hed_css_sheet *sheet = NULL;
    hed_error error = {0};
    hed_css_sheet_def def = {.text = text, .length = strlen(text), .origin = HED_CSS_AUTHOR};
    OK(hed_css_sheet_create(names, &def, &sheet, &error));
    return sheet;
}

static inline hed_css_document *page(const char *html)
{
    hed_css_document *d = NULL;
    hed_error error = {0};
    OK(hed_css_document_create(names, &(hed_css_document_def){.html = html}, &d, &error));
    return d;
}

#endif
