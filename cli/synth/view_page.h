/* Files of the page of an instrument, and answers to its requests, for every server of it. */
#ifndef CLI_SYNTH_VIEW_PAGE_H
#define CLI_SYNTH_VIEW_PAGE_H

#include "heddle/web.h"

enum { VIEW_MOST_FILES = 32 };

typedef struct view_page {
    hed_web_file files[VIEW_MOST_FILES];
    uint32_t file_count;
    char *engine[VIEW_MOST_FILES]; /* (engine_count) contents of the engine's files */
    uint32_t engine_count;
} view_page;

/* Fills a page of zeros. Errors: UNSUPPORTED (the WebAssembly package is missing). */
hed_status view_page_open(view_page *page, hed_error *error);
void view_page_close(view_page *page);

/* Returns a text with the instruments of its layers in place of their files, which are in the folder of
 * `path`; NULL: it names no files. Free it with free(). */
char *view_page_whole(const char *text, const char *path);
/* Answers with a text, its name, the schema and the shipped instruments. Errors: FORMAT. */
hed_status view_page_text(
    const char *name, const char *text, size_t size, char **answer, hed_error *error);
/* Answers with a file's text, as view_page_text(), and the instruments of its layers' files. Errors:
 * IO, FORMAT. */
hed_status view_page_file(const char *path, const char *name, char **answer, hed_error *error);
/* Answers requests of shipped instruments and phrases; false: another request. */
bool view_page_answer(const char *name, char **answer, hed_error *error);

#endif
