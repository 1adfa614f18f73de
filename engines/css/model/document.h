/* A document: arrays over its elements in document order. Made by html.c from gumbo's tree or by
 * document.c from arrays; states.c finds what HTML says of its elements (form states, links, language,
 * direction). Indices are 32 bits, CSS_NONE where there is none (never a pointer: R4). */
#ifndef HED_CSS_DOCUMENT_H
#define HED_CSS_DOCUMENT_H

#include "names.h"

#define CSS_NONE HED_CSS_NONE

/* What a document itself holds of an element's states, a bit each. */
enum {
    CSS_ROOT = 1u << 0,
    CSS_EMPTY = 1u << 1, /* no element and no text as a child */
    CSS_LINK = 1u << 2,
    CSS_CHECKED = 1u << 3,
    CSS_DISABLED = 1u << 4,
    CSS_ENABLED = 1u << 5,
    CSS_REQUIRED = 1u << 6,
    CSS_OPTIONAL = 1u << 7,
    CSS_READ_WRITE = 1u << 8,
    CSS_PLACEHOLDER_SHOWN = 1u << 9,
    CSS_DEFAULT = 1u << 10,
    CSS_INDETERMINATE = 1u << 11,
    CSS_VALID = 1u << 12,
    CSS_INVALID = 1u << 13,
    CSS_IN_RANGE = 1u << 14,
    CSS_OUT_OF_RANGE = 1u << 15,
    CSS_DEFINED = 1u << 16,
    CSS_OPEN = 1u << 17,
    CSS_RTL = 1u << 18,      /* direction; else left to right */
    CSS_READ_ONLY = 1u << 19 /* in HTML alone */
};

/* Text among an element's children, bits. */
enum {
    CSS_TEXT = 1,
    CSS_TEXT_RIGHT = 2, /* the first strong letter within the element is right to left */
    CSS_TEXT_SOLID = 4  /* more than white space */
};

/* Positions among siblings, from 1. */
enum { CSS_CHILD, CSS_LAST_CHILD, CSS_OF_TYPE, CSS_LAST_OF_TYPE, CSS_POSITIONS };

typedef struct css_attribute {
    uint32_t name; /* as in the document; lower case in HTML */
    uint32_t value;
    uint32_t name_space; /* 0: none; else a name: "xlink", "xml", "xmlns" */
} css_attribute;

struct hed_css_document {
    hed_allocator allocator;
    hed_arena arena;
    hed_css_names *names;
    uint32_t count; /* N */
    uint32_t depth; /* of the deepest element */
    bool quirks;
    uint32_t class_name, id_name; /* the names "class" and "id" */
    uint32_t *parent;             /* (N) CSS_NONE: a root */
    uint32_t *previous;           /* (N) sibling */
    uint32_t *end;                /* (N) first element behind its subtree */
    uint32_t *level;              /* (N) 0: a root */
    uint8_t *name_space;          /* (N) hed_css_namespace */
    uint32_t *tag;                /* (N) local name: lower case in HTML, as written else */
    uint32_t *id;                 /* (N) in quirks mode in lower case; CSS_NONE: none, or empty */
    uint32_t *class_begin, *class_end; /* (N) into classes */
    uint32_t *classes; /* sorted and without repeats in each element; quirks: lower case */
    uint32_t *attribute_begin,
        *attribute_end; /* (N) into attributes; id and class are among them */
    css_attribute *attributes;
    uint32_t class_count, class_room; /* words of classes in use, and there */
    uint32_t attribute_count, attribute_room;
    uint32_t class_fixed, attribute_fixed; /* those of the page as it was made */
    bool form_owners;                      /* some element names its form by an id */
    uint32_t *position[CSS_POSITIONS];     /* (N) */
    uint32_t *flags;                       /* (N) CSS_ROOT ... */
    uint32_t *states;                      /* (N) hed_css_state, given by the program */
    uint32_t *language; /* (N) name of the language in force; CSS_NONE: unknown */
    uint32_t *line;     /* (N) of the start tag; 0: unknown */
    uint8_t *has_text;  /* (N) CSS_TEXT ... */
    const char *file;   /* for messages */
    /* the page's own sheets, in order */
    struct css_own_sheet {
        const char *text, *href, *media;
        size_t length;
        uint32_t line; /* on which the text begins */
    } * sheets;
    uint32_t sheet_count;
};

/* Fills previous, end, level and position from parent and tag. */
hed_status css_find_places(hed_css_document *document, hed_error *error);
/* Fills previous, end, level, position and the states of HTML from parent, tag and attributes. */
hed_status css_document_finish(hed_css_document *document, hed_error *error);
/* Value of attribute `name` of an element; CSS_NONE: none. */
uint32_t css_attribute_value(const hed_css_document *document, uint32_t element, uint32_t name);
/* Elements of a definition into arrays. */
hed_status css_document_from_elements(
    hed_css_document *document, const hed_css_document_def *def, hed_error *error);
/* A program's tree, likewise. */
hed_status css_document_from_tree(
    hed_css_document *document, const hed_css_document_def *def, hed_error *error);
/* The local part of an attribute's name, and its namespace: "xlink:href" in SVG and MathML. */
uint32_t css_split_name(hed_css_namespace of, const char *name, const char **local);

/* ---- changes (change.c) ---- */

/* Sets an attribute, or removes it where `value` is CSS_NONE; its classes and its id follow. On an error
 * nothing is changed. Errors: MEMORY, LIMIT. */
hed_status css_document_set(hed_css_document *document, uint32_t element, uint32_t name,
    uint32_t name_space, uint32_t value, hed_error *error);
/* Items [low, middle) and [middle, high) of `size` bytes change places; `work` has room for the first. */
void css_change_places(
    void *items, size_t size, uint32_t low, uint32_t middle, uint32_t high, void *work);
/* Moves an element with its subtree below `parent`, in front of its child `before` or at the end
 * (CSS_NONE). Elements are numbered anew: the subtree is at *to then, and what is between its old and
 * its new place is shifted. Places are found anew, states are not. */
hed_status css_document_move(hed_css_document *document, uint32_t element, uint32_t parent,
    uint32_t before, uint32_t *to, hed_error *error);

/* Gumbo's tree into arrays. */
hed_status css_document_from_html(
    hed_css_document *document, const hed_css_document_def *def, hed_error *error);

#endif
