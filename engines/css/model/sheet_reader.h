/* Reader of style sheets, from its blocks (sheet_rules.c) through at-rules (at_rules.c) to whole
 * texts (sheet.c). Open blocks are on an explicit stack. */
#ifndef HED_CSS_SHEET_READER_H
#define HED_CSS_SHEET_READER_H

#include "parser.h"

enum { CSS_MAX_FRAMES = 256 };

/* Stages of a sheet: @import is valid in the first two, @namespace in the first three. An @layer
 * statement after an @import ends the imports (Cascade 5, section 2). */
enum { CSS_STAGE_LAYERS, CSS_STAGE_IMPORTS, CSS_STAGE_NAMESPACES, CSS_STAGE_RULES };

/* An open block. */
typedef struct css_frame {
    bool top; /* the sheet itself */
    bool applies;
    bool names_layers;   /* all @media and @supports around it hold */
    bool nested;         /* inside of a style rule: declarations are valid */
    bool pseudo_element; /* the style rule around it has a pseudo-element */
    const char
        *unsupported;   /* reason for which rules inside are not matched; NULL: they are matched */
    uint32_t layer;     /* 0: none */
    uint32_t condition; /* see css_rule */
    uint32_t scope;     /* see css_rule */
    uint32_t own_rule;  /* style rule of the block, if it has one */
    uint32_t
        rule; /* rule of the next declaration; CSS_NONE: a rule of nested declarations begins */
    uint32_t declarations; /* first declaration of that rule in css_parser */
    uint32_t part;         /* part of the block, if it is one */
    css_parent parent;     /* parent of the rules inside */
    css_parent style;      /* list of the style rule around it, with pseudo-elements */
} css_frame;

typedef struct css_sheet_reader {
    css_parser p;
    css_tokenizer t;
    struct css_array frames;
    uint32_t source, imports, import_level, stage;
    uint32_t cursor, line, column; /* last position of locate() */
} css_sheet_reader;

/* ---- blocks and rules ---- */

/* Text for the selector of nested declarations, whose rule lacks a selector in the text. */
extern const char css_bare_selector[];

static inline css_frame *css_top_frame(const css_sheet_reader *s)
{
    return (css_frame *)s->frames.items + s->frames.count - 1;
}

/* Opens a block inside of the top block, with its members; the caller changes some. NULL: out of
 * memory. */
css_frame *css_open_frame(css_sheet_reader *s);
/* Ends the block on top. */
void css_close_frame(css_sheet_reader *s);
/* Adds a condition to the top block. */
void css_push_condition(css_sheet_reader *s, const char *text, size_t length, bool holds);
/* Adds a part, text[begin, end); returns its number. */
uint32_t css_note_part(css_sheet_reader *s, char kind, uint32_t name, uint32_t begin, uint32_t end);
/* Adds a declaration to the rule of the top block. */
void css_read_declaration(css_sheet_reader *s, const css_item *item);
/* Adds a style rule, and opens its block or skips it. */
void css_read_style_rule(css_sheet_reader *s, const css_item *item);

/* ---- at-rules ---- */

/* An \@import whose text is to be read. */
typedef struct css_import {
    const char *url; /* NULL: the at-rule was another one */
    bool applies;
    bool has_condition;
    uint32_t layer;
    css_item condition; /* range of the rule up to its conditions */
} css_import;

/* Reads the at-rule that begins with token `at`. */
css_import css_read_at_rule(css_sheet_reader *s, const css_token *at);

#endif
