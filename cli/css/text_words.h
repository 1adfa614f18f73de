/* Names that occur as words in templates, scripts and other texts. The names of the sheets are
 * looked for in the texts, so that a name with any characters is found (`md:w-1/2`,
 * `w-[calc(1%+2px)]`), between characters that are no part of a name. */
#ifndef HED_CLI_CSS_TEXT_WORDS_H
#define HED_CLI_CSS_TEXT_WORDS_H

#include "heddle/author.h"

/* A name, and the first position of it in the texts. */
typedef struct css_word {
    char *text;
    size_t length;
    uint32_t file, line; /* position; file HED_CSS_NONE: absent */
} css_word;

typedef struct css_words {
    char **files; /* paths, or labels of `texts` */
    char **texts; /* (file_count) a text that is in a configuration; NULL: in the file */
    uint32_t file_count, file_room, text_room;
    css_word *words; /* sorted after css_words_scan() */
    uint32_t count, room;
    uint32_t first[257]; /* first word of each first byte */
    uint32_t markup;     /* number of a file of Markdown; absent: HED_CSS_NONE */
    size_t bytes;
} css_words;

/* Adds a file, or the templates, scripts, pages and texts with markup in a folder and below it.
 * Errors: IO, ARGUMENT (a folder without such files), LIMIT, MEMORY. */
hed_status css_words_add_path(css_words *words, const char *path, hed_error *error);
/* Adds a text itself. Errors: MEMORY. */
hed_status css_words_add_text(
    css_words *words, const char *label, const char *text, hed_error *error);
/* Adds a name to look for. Errors: MEMORY. */
hed_status css_words_expect(css_words *words, const char *name, hed_error *error);
/* Reads the texts. Errors: IO, LIMIT, MEMORY. */
hed_status css_words_scan(css_words *words, hed_error *error);
/* Returns an expected name that is in a text; NULL: it is in no text. */
const css_word *css_words_find(const css_words *words, const char *name);
/* Returns a file with Markdown that makes an element of this name; NULL: no file. */
const char *css_words_markup(const css_words *words, const char *element);
void css_words_free(css_words *words);

#endif
