/* Names that occur as words in templates, scripts and other texts. The names of the sheets are
 * looked for in the texts, so that a name with any characters is found (`md:w-1/2`,
 * `w-[calc(1%+2px)]`), between characters that are no part of a name.
 *
 * A script also puts names together: 'btn-' + kind. A name counts as a word as well if it is two
 * parts that are both in the texts and meet at a dash or an underscore: the part with that character
 * is in quotes or beside a value in a template, as in `btn-${kind}`, and the other part is a word. */
#ifndef HED_CSS_TEXT_WORDS_H
#define HED_CSS_TEXT_WORDS_H

#include "heddle/author.h"
#include "heddle/css_unused.h"

/* A name, and the first position of it in the texts. */
typedef struct css_word {
    const char *text;
    size_t length;
    uint32_t file, line; /* position; file HED_CSS_NONE: absent */
    uint32_t part_file, part_line; /* position where it is quoted as a part of a name */
    bool is_name;                  /* false: a part of an expected name alone */
} css_word;

typedef struct css_words {
    const hed_allocator *allocator;
    const hed_css_text *texts; /* (text_count) */
    uint32_t text_count;
    css_word *words; /* sorted after css_words_scan() */
    uint32_t count, room;
    uint32_t first[257]; /* first word of each first byte */
    uint32_t markup;     /* number of a text with Markdown; absent: HED_CSS_NONE */
    hed_arena *arena;    /* memory of the texts of parts */
} css_words;

/* Adds a name to look for, which lives as long as the words. Errors: MEMORY. */
hed_status css_words_expect(css_words *words, const char *name, hed_error *error);
/* Looks for the names in the texts. Errors: MEMORY. */
hed_status css_words_scan(css_words *words, hed_error *error);
/* Returns an expected name that is in a text; NULL: it is in no text. */
const css_word *css_words_find(const css_words *words, const char *name);
/* Returns the name of a text with Markdown that makes an element of this name; NULL: no text. */
const char *css_words_markup(const css_words *words, const char *element);
void css_words_free(css_words *words);

#endif
