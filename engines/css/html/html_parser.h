/* Tree construction (HTML Living Standard, "Tree construction"; scripting is disabled). The tree is
 * one array of nodes, whose indices are links; 0 is the document, and no link leads to it but that
 * of a parent. */
#ifndef HED_CSS_HTML_PARSER_H
#define HED_CSS_HTML_PARSER_H

#include "model/document.h"
#include "html_tokenizer.h"
#include "scan.h"

enum {
    HTML_MAX_DEPTH = 512,      /* limit of browsers: deeper elements become siblings */
    HTML_MAX_OPEN = 2048,      /* open elements; one more closes the last one */
    HTML_MAX_FORMATTING = 512, /* active formatting elements; one more removes the first one */
    HTML_MAX_COPIES = 1 << 18, /* elements of templates that are copied to their possible places */
    HTML_MAX_CLONES = 8        /* nodes for each byte, which formatting elements could exceed */
};

enum html_node_kind {
    HTML_NODE_ELEMENT,
    HTML_NODE_TEXT,
    HTML_NODE_COMMENT,
    HTML_NODE_DOCTYPE, /* texts: html_parser.doctype */
    HTML_NODE_DOCUMENT
};

enum {
    HTML_NODE_FORMATTING = 1 << 0, /* member of the list of active formatting elements */
    HTML_NODE_HTML_POINT = 1 << 1, /* HTML integration point */
    HTML_NODE_MATH_POINT = 1 << 2, /* MathML text integration point */
    HTML_NODE_CONTINUES = 1 << 3,  /* text of the same text node as the text before it */
    HTML_NODE_SHADOW = 1 << 4, /* template element that stands for the shadow root of its parent */
    HTML_NODE_OPEN = 1 << 5,   /* member of the stack of open elements */
    HTML_NODE_TEXTS = 6 /* position of CSS_TEXT and CSS_TEXT_SOLID of an element's children */
};

typedef struct html_node {
    uint32_t parent, previous, next, first,
        last; /* 0: absent; children of a template: its contents */
    uint8_t kind, name_space, flags, tag;
    uint32_t name; /* elements */
    union {
        struct {
            uint32_t attribute_begin, attribute_count;
        };
        html_text text; /* texts and comments */
    };
    uint32_t line; /* elements: line of the start tag; 0: the parser made it */
} html_node;

/* Indices of the open elements that end the scopes of an element. */
typedef struct html_scopes {
    uint32_t ordinary, button, list, table;
} html_scopes;

/* An element of the stack of open elements, and the scopes that end at it or below it. */
typedef struct html_open {
    uint32_t node;
    uint32_t next_same; /* 1 + index of the next lower HTML element with its tag */
    html_scopes scopes;
} html_open;

typedef struct html_parser html_parser;

/* Insertion modes: functions that process a token; true: the token has to be reprocessed. */
typedef bool html_mode(html_parser *parser, html_token *token);

/* All insertion modes. A mode often applies the rules of another one: it takes them from here. */
typedef struct html_modes {
    html_mode *initial, *before_html, *before_head, *in_head, *in_head_noscript, *after_head,
        *in_body, *text, *in_table, *in_table_text, *in_caption, *in_column_group, *in_table_body,
        *in_row, *in_cell, *in_template, *after_body, *in_frameset, *after_frameset,
        *after_after_body, *after_after_frameset;
} html_modes;

struct html_parser {
    html_tokenizer tokenizer;
    hed_css_names *names;
    hed_allocator allocator;
    bool failed;   /* memory ran out */
    bool overflow; /* limit of nodes is exceeded */
    uint64_t max_nodes;
    html_node *nodes;
    uint32_t node_count, node_room;
    css_attribute *attributes;
    uint32_t attribute_count, attribute_room;
    html_open *open; /* (HTML_MAX_OPEN) */
    uint32_t open_count;
    uint32_t last_open[HTML_TAG_COUNT]; /* 1 + index of the last open HTML element of a tag; 0 */
    uint32_t *formatting; /* (HTML_MAX_FORMATTING) active formatting elements; 0: a marker */
    uint32_t formatting_count;
    const html_modes *modes;
    html_mode *mode, *original_mode;
    html_mode **template_modes; /* (template_mode_room) */
    uint32_t template_mode_count, template_mode_room;
    html_text *table_text; /* (table_text_room) pending table character tokens */
    uint32_t table_text_count, table_text_room;
    uint32_t head, form;    /* element pointers; 0: null */
    uint32_t chosen_select; /* last select element whose selected option is known */
    bool has_selectedcontent;
    uint32_t dir_name;   /* name of the attribute `dir` */
    uint32_t line;       /* line of the last element */
    const char *newline; /* end of that line */
    bool foster_parenting, frameset_not_ok, quirks;
    bool skip_newline; /* the next token is ignored if it is a newline */
    bool shadow_roots; /* declarative shadow roots are allowed */
    bool keep_all;     /* option of html_source; set by dir=auto and bdi, whose texts are needed */
    bool stopped;
    html_tag context; /* fragments: context element; its namespace */
    uint8_t context_space;
    bool fragment, context_is_integration;
    html_token doctype; /* token of the document type */
};

/* Source of a tree. */
typedef struct html_source {
    const char *text; /* UTF-8, newlines are LF */
    size_t length;
    const char *context; /* fragments: name of the context element, such as "svg desc"; NULL: a
                            document */
    bool shadow_roots;
    bool keep_all; /* makes nodes for all texts and comments, which documents mostly do not need */
} html_source;

/* Parses a document or a fragment; html_parser_free() in any case. False: out of memory, or
 * `overflow`. */
bool html_parse(html_parser *parser, hed_css_names *names, const html_source *source);
void html_parser_free(html_parser *parser);

/* Makes UTF-8 and newlines valid: *copy is NULL if the text is valid, else a new text of *room
 * bytes. False: out of memory. */
bool html_prepare_input(
    const hed_allocator *allocator, const char *text, size_t *length, char **copy, size_t *room);

/* ---- the tree (html_nodes.c, html_tree.c) ---- */

/* Position in the tree: before a child of `parent`; 0: at its end. */
typedef struct html_place {
    uint32_t parent, before;
} html_place;

uint32_t html_new_node(html_parser *parser, enum html_node_kind kind);
/* Inserts a node that has no parent. */
static inline void html_insert_node(html_parser *p, html_place place, uint32_t node)
{
    html_node *nodes = p->nodes, *parent = &nodes[place.parent];
    uint32_t previous = place.before ? nodes[place.before].previous : parent->last;
    nodes[node].parent = place.parent;
    nodes[node].previous = previous;
    nodes[node].next = place.before;
    if (previous) nodes[previous].next = node;
    else parent->first = node;
    if (place.before) nodes[place.before].previous = node;
    else parent->last = node;
}
void html_remove_node(html_parser *parser, uint32_t node);
/* Node after the subtree of `node` in document order, inside `root`; 0: `root` ends. */
uint32_t html_after_subtree(const html_parser *parser, uint32_t root, uint32_t node);
/* Moves all children of a node to the end of another one. */
void html_move_children(html_parser *parser, uint32_t from, uint32_t to);
void html_insert_characters(html_parser *parser, html_text text);
/* Inserts U+FFFD. */
void html_insert_replacement(html_parser *parser);
void html_insert_comment(html_parser *parser, const html_token *token, uint32_t parent);
/* Creates an element for a token, without a parent. */
uint32_t html_create_element(
    html_parser *parser, const html_token *token, hed_css_namespace name_space);
/* Creates an element with the name and the attributes of another one. */
uint32_t html_clone_element(html_parser *parser, uint32_t element);
/* Inserts an element for a token and makes it the current node. */
uint32_t html_insert_foreign(
    html_parser *parser, const html_token *token, hed_css_namespace name_space);
static inline uint32_t html_insert(html_parser *parser, const html_token *token)
{
    return html_insert_foreign(parser, token, HED_CSS_HTML);
}
/* Inserts an HTML element without attributes. */
uint32_t html_insert_tag(html_parser *parser, html_tag tag);
/* Adds the attributes of a token that an element lacks. */
void html_add_attributes(html_parser *parser, uint32_t element, const html_token *token);
/* Value of an attribute of a token; NULL: absent. */
const char *html_token_value(
    const html_parser *parser, const html_token *token, const char *name, size_t *length);
/* True if a text equals a word in lower case; ASCII case is ignored. */
bool html_equals(const char *text, size_t length, const char *word);

/* ---- open elements and active formatting elements (stack.c, formatting.c) ---- */

static inline uint32_t html_current(const html_parser *p)
{
    return p->open_count ? p->open[p->open_count - 1].node : 0;
}
static inline bool html_is(const html_parser *p, uint32_t node, html_tag tag)
{
    return p->nodes[node].tag == tag && p->nodes[node].name_space == HED_CSS_HTML;
}
extern const uint16_t html_tag_categories[HTML_TAG_COUNT];
/* HTML_SPECIAL ... of an HTML element. */
static inline uint32_t html_categories(const html_parser *p, uint32_t node)
{
    const html_node *n = &p->nodes[node];
    return n->name_space == HED_CSS_HTML ? html_tag_categories[n->tag] : 0;
}
/* True for elements of the category "special" in any namespace. */
bool html_is_special(const html_parser *parser, uint32_t node);
/* Place outside of the table for a node that fosters. */
html_place html_find_foster_place(const html_parser *parser);
/* Appropriate place for inserting a node; `target` 0: the current node. */
static inline html_place html_find_place(const html_parser *p, uint32_t target)
{
    if (!target) target = html_current(p);
    if (p->foster_parenting && html_categories(p, target) & HTML_FOSTERS)
        return html_find_foster_place(p);
    return (html_place){target, 0};
}
void html_push(html_parser *parser, uint32_t node);
void html_pop(html_parser *parser);
/* Pops elements until one with this tag has been popped. */
void html_pop_until(html_parser *parser, html_tag tag);
/* Pops elements until `node` has been popped. */
void html_pop_through(html_parser *parser, uint32_t node);
/* Removes an element from any position. */
void html_remove_open(html_parser *parser, uint32_t node);
/* Replaces an open element by another one; inserts one after `index`. */
void html_replace_open(html_parser *parser, uint32_t index, uint32_t node);
void html_insert_open(html_parser *parser, uint32_t index, uint32_t node);
/* Index of an open element, or UINT32_MAX. */
uint32_t html_open_index(const html_parser *parser, uint32_t node);
static inline bool html_has_open(const html_parser *p, html_tag tag) { return p->last_open[tag]; }
/* True if an element is in scope. */
bool html_in_scope(const html_parser *parser, html_tag tag);
bool html_in_button_scope(const html_parser *parser, html_tag tag);
bool html_in_list_scope(const html_parser *parser, html_tag tag);
bool html_in_table_scope(const html_parser *parser, html_tag tag);
bool html_node_in_scope(const html_parser *parser, uint32_t node);
/* Generates implied end tags, except for elements with tag `except`. */
void html_generate_implied(html_parser *parser, html_tag except);
void html_generate_implied_thoroughly(html_parser *parser);
void html_close_p(html_parser *parser);
/* Pops elements until the current node has one of the tags, or is html or template. */
void html_clear_back_to(html_parser *parser, html_tag a, html_tag b, html_tag c);

void html_push_formatting(html_parser *parser, uint32_t node);
void html_push_marker(html_parser *parser);
void html_clear_to_marker(html_parser *parser);
void html_remove_formatting(html_parser *parser, uint32_t node);
/* Last element with this tag after the last marker; 0: absent. */
uint32_t html_find_formatting(const html_parser *parser, html_tag tag);
void html_reconstruct_closed(html_parser *parser);
/* Opens the active formatting elements again that are closed. */
static inline void html_reconstruct(html_parser *p)
{
    uint32_t last = p->formatting_count ? p->formatting[p->formatting_count - 1] : 0;
    if (last && !(p->nodes[last].flags & HTML_NODE_OPEN)) html_reconstruct_closed(p);
}
/* The adoption agency algorithm for a tag; true: the token has to be processed as any other end
 * tag. */
bool html_adopt(html_parser *parser, const html_token *token);

/* Copies an option that is closed to the selectedcontent element of its select element, if it is
 * the selected one (html_select.c). */
void html_take_option(html_parser *parser, uint32_t option);
/* Sets the contents of each selectedcontent element of a subtree that was inserted into the tree:
 * the selected option in the first one of a select element, nothing in further ones. */
void html_connect_contents(html_parser *parser, uint32_t root);

/* ---- insertion modes ---- */

html_mode html_initial, html_before_html, html_before_head, html_in_head, html_in_head_noscript,
    html_after_head, html_in_body, html_text_mode, html_in_table, html_in_table_text,
    html_in_caption, html_in_column_group, html_in_table_body, html_in_row, html_in_cell,
    html_in_template, html_after_body, html_in_frameset, html_after_frameset, html_after_after_body,
    html_after_after_frameset;
/* The rules for tokens in foreign content. */
html_mode html_in_foreign;

/* Sets the insertion mode that the open elements require. */
void html_reset_mode(html_parser *parser);
/* Splits white space off the begin of a text: processes it by `space` if that is not NULL; false:
 * nothing remains of the token. */
bool html_skip_token_space(
    html_parser *parser, html_token *token, void (*space)(html_parser *parser, html_text text));
/* Processes the white space of a text by `insert`; other characters are ignored. */
void html_insert_space(
    html_parser *parser, html_text text, void (*insert)(html_parser *parser, html_text text));
static inline bool html_is_blank(const html_parser *p, html_text text)
{
    const char *at = html_text_of(&p->tokenizer, text);
    return html_skip_space(at, at + text.length) == at + text.length;
}
/* Generic RCDATA or raw text element parsing algorithm. */
void html_insert_raw(html_parser *parser, html_token *token, html_state state);
void html_push_template_mode(html_parser *parser, html_mode *mode);
/* Name of an SVG element, from its name in lower case. */
uint32_t html_svg_name(html_parser *parser, uint32_t name);
/* Name and namespace (css_attribute) of an attribute of a foreign element. */
uint32_t html_foreign_attribute(
    html_parser *parser, hed_css_namespace of, uint32_t name, uint32_t *name_space);

#endif
