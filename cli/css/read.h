/* Reading of pages and sheets: encodings, and files that are neither. */
#ifndef HED_CLI_CSS_READ_H
#define HED_CLI_CSS_READ_H

#include "cli/css/pages.h"
#include "heddle/author.h"
#include "heddle/css.h"
#include "support/encoding.h"

/* Text of a file in UTF-8, without a byte-order mark, and with a zero after it. */
typedef struct css_text {
    char *bytes;
    size_t length;
    const hed_encoding *encoding; /* encoding of the file */
    const char *mark;             /* byte-order mark of the file; "": absent */
    bool empty;                   /* a page without a start tag */
    const char *template;         /* kind of template that a page is; NULL: no template */
    bool recorded;                /* a recording of pages (recording.h) */
} css_text;

/* Reads a page: its encoding is that of the byte-order mark, of a <meta> element, or windows-1252
 * if the bytes are not UTF-8. Errors: IO, LIMIT, MEMORY, UNSUPPORTED (its encoding). */
hed_status css_read_page(const char *path, css_text *text, hed_error *error);
/* Reads an item of a list as a page. Errors: as css_read_page(). */
hed_status css_page_list_read(
    const css_page_list *list, uint32_t index, css_text *text, hed_error *error);
/* Reads an item of a list as a sheet. Errors: as css_read_sheet(). */
hed_status css_sheet_list_read(
    const css_page_list *list, uint32_t index, css_text *text, hed_error *error);
/* Refuses a page that would make every rule unused. Errors: FORMAT (a template, or a text without
 * an element). */
hed_status css_page_refuse(const char *path, const css_text *page, hed_error *error);
/* Creates the document of a page or a recording; `templates` as in hed_css_document_def. Errors: as
 * hed_css_document_create(). */
hed_status css_page_document(hed_css_names *names, const char *path, const css_text *page,
    bool templates, hed_css_document **document, hed_error *error);
/* Reads a sheet (CSS Syntax 3, section 3.2): its encoding is that of the byte-order mark, of
 * @charset, or `fallback`, the encoding of the page that names it (NULL: UTF-8). Errors: IO, LIMIT,
 * MEMORY, UNSUPPORTED (its encoding). */
hed_status css_read_sheet(
    const char *path, const hed_encoding *fallback, css_text *text, hed_error *error);
/* Reads any text of at most `limit` bytes: UTF-8 unless it has a byte-order mark. Errors: IO,
 * LIMIT, MEMORY. */
hed_status css_read_plain(const char *path, size_t limit, css_text *text, hed_error *error);
/* Reads a sheet that is an address itself; `fallback` as in css_read_sheet(). Errors: FORMAT,
 * MEMORY, UNSUPPORTED. */
hed_status css_read_data(
    const char *address, const hed_encoding *fallback, css_text *text, hed_error *error);

/* Scripts of a page. */
typedef struct css_page_scripts {
    char *text;    /* script elements, and attributes of scripting libraries (:class, x-bind, v-on,
                      data-toggle ...), each on its line of the page */
    bool is_empty; /* true: the text has no word */
    css_page_list addresses; /* addresses of script elements, as written */
    css_page_list bases;     /* the address of <base>; empty: absent */
} css_page_scripts;

/* Reads the scripts of a page. The caller frees them even after an error, with
 * css_page_scripts_free(). Errors: MEMORY. */
hed_status css_page_scripts_read(
    const char *bytes, size_t length, css_page_scripts *scripts, hed_error *error);
void css_page_scripts_free(css_page_scripts *scripts);
/* Encoding that the elements at the beginning of a page declare; NULL: undeclared. */
const hed_encoding *css_page_encoding(const char *bytes, size_t length);

#endif
