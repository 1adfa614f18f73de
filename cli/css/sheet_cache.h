/* Sheets, and the matcher of the last command, that a resident process (`heddle batch`) keeps
 * between its commands: many jobs match their pages against the same sheets. A sheet is found by
 * its text and everything else of its definition. */
#ifndef HED_CLI_CSS_SHEET_CACHE_H
#define HED_CLI_CSS_SHEET_CACHE_H

#include "heddle/css.h"

/* Begins a command: returns the table of names of the kept sheets, for its documents. All documents
 * of former commands have been destroyed. NULL: this process keeps no sheets. Errors: MEMORY. */
hed_css_names *css_kept_names(hed_error *error);
/* Counts the bytes of a page whose names the table has. */
void css_kept_page(size_t bytes);
/* Returns the kept sheet of a definition; NULL: it is not kept. */
hed_css_sheet *css_kept_sheet(const hed_css_sheet_def *def);
/* Takes the matcher of a former command on a device (NULL: the processor) with these sheets, which
 * are kept. The caller owns it, and has to set its documents. NULL: there is no such matcher. */
hed_css_matcher *css_take_kept_matcher(
    hed_device *device, hed_css_sheet *const *sheets, uint32_t count);
/* Keeps a matcher without `states_possible`, whose sheets are all kept; the process owns it. Its
 * documents may be destroyed. */
void css_keep_matcher(
    hed_css_matcher *matcher, hed_device *device, hed_css_sheet *const *sheets, uint32_t count);
/* Keeps a sheet without imports, made with the table above, which the process owns from now on.
 * False: it is not kept. */
bool css_keep_sheet(const hed_css_sheet_def *def, hed_css_sheet *sheet);

#endif
