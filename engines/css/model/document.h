/* A document: arrays over its elements in document order, the trees of shadow roots after all
 * others. html/ makes it from HTML, document.c from arrays, tree.c from a program's tree; states.c
 * finds the states that HTML defines (forms, links, language, direction), shadow.c the shadow trees
 * and slots. Indices have 32 bits; CSS_NONE: no such element (never a pointer: R4). */
#ifndef HED_CSS_DOCUMENT_H
#define HED_CSS_DOCUMENT_H

#include "names.h"
#include "pseudo_list.h"

#define CSS_NONE HED_CSS_NONE

/* Flags of an element, which follow from the document alone: CSS_CHECKED and the like, one for each
 * FLAG of pseudo_list.h, then the others. */
#define CSS_BIT_OF_FLAG(name, flag, changes) CSS_BIT_##flag,
#define CSS_VALUE_OF_FLAG(name, flag, changes) CSS_##flag = 1u << CSS_BIT_##flag,
#define CSS_NO_FLAG(...)
enum { CSS_PSEUDO_CLASSES(CSS_BIT_OF_FLAG, CSS_NO_FLAG) CSS_FIRST_FREE_BIT };
enum {
    CSS_PSEUDO_CLASSES(CSS_VALUE_OF_FLAG, CSS_NO_FLAG) CSS_RTL =
        1u << CSS_FIRST_FREE_BIT, /* direction right to left; clear: left to right */
    /* changeable elements: a reader can set and clear the flag or attribute without a script */
    CSS_CHANGES_CHECKED = CSS_RTL << 1,
    CSS_CHANGES_OPEN = CSS_RTL << 2, /* CSS_OPEN, and the attribute of details and dialog */
    CSS_CHANGES_PLACEHOLDER = CSS_RTL << 3,
    CSS_CHANGES_VALIDITY = CSS_RTL << 4, /* CSS_VALID and CSS_INVALID */
    CSS_CHANGES_RANGE = CSS_RTL << 5,    /* CSS_IN_RANGE and CSS_OUT_OF_RANGE */
    CSS_CHANGES_INDETERMINATE = CSS_RTL << 6,
    CSS_CHANGES_HIDDEN = CSS_RTL << 7,    /* hidden=until-found: the attribute disappears */
    CSS_CHANGES_EMPTY = CSS_RTL << 8,     /* CSS_EMPTY: the text can be edited */
    CSS_CHANGES_DIRECTION = CSS_RTL << 9, /* CSS_RTL: it is that of an editable text */
    CSS_EDITOR = CSS_RTL << 10, /* outermost editable element: a reader types its contents */
    CSS_EDITED = CSS_RTL << 11  /* element in an editor: it can be moved inside, or removed */
};
_Static_assert(CSS_FIRST_FREE_BIT + 11 < 31, "a flag has no bit");
/* custom element, which a script can define: CSS_DEFINED (no enumerator has this bit) */
#define CSS_CHANGES_DEFINED (1u << 31)

/* Namespace of elements in place of shadow roots: roots that no selector but :host matches. */
enum { CSS_SHADOW_ROOT = HED_CSS_OTHER + 1 };

/* Text among the children of an element: bits. */
enum {
    CSS_TEXT = 1,
    CSS_TEXT_RIGHT = 2, /* the first strong letter inside the element is right to left */
    CSS_TEXT_SOLID = 4  /* more than white space */
};

/* Positions among siblings, from 1. */
enum { CSS_CHILD, CSS_LAST_CHILD, CSS_OF_TYPE, CSS_LAST_OF_TYPE, CSS_POSITIONS };

typedef struct css_attribute {
    uint32_t name; /* name in lower case in HTML; otherwise as in the document */
    uint32_t value;
    uint32_t name_space; /* 0, or 1 "xlink", 2 "xml", 3 "xmlns" */
} css_attribute;

/* A shadow tree: the descendants of `root`. */
typedef struct css_shadow_tree {
    uint32_t host;  /* element that has the shadow root */
    uint32_t root;  /* element that stands for the shadow root */
    uint32_t level; /* number of shadow trees around its elements, 1 or more */
    uint32_t
        original; /* the tree itself, or the tree of which it is a copy with possible elements */
} css_shadow_tree;

struct hed_css_document {
    hed_allocator allocator;
    hed_arena arena;
    hed_css_names *names;
    uint32_t count;          /* N */
    uint32_t possible;       /* last elements, which scripts make of templates and readers type */
    uint32_t depth;          /* greatest level */
    bool quirks, has_edited; /* has_edited: some element has CSS_EDITED */
    uint32_t class_name, id_name; /* the names "class" and "id" */
    uint32_t *parent;             /* (N) CSS_NONE: a root */
    uint32_t *previous;           /* (N) previous sibling, or CSS_NONE */
    uint32_t *end;                /* (N) first element after the subtree */
    uint32_t *level;              /* (N) 0: a root */
    uint8_t *name_space;          /* (N) hed_css_namespace */
    uint32_t *tag;                /* (N) local name: in lower case in HTML, otherwise as written */
    uint32_t *id;                 /* (N) in lower case in quirks mode; CSS_NONE: empty or absent */
    uint32_t *class_begin, *class_end; /* (N) into classes */
    uint32_t
        *classes; /* sorted for each element, without repetitions; in lower case in quirks mode */
    uint32_t *attribute_begin, *attribute_end; /* (N) into attributes, including id and class */
    css_attribute *attributes;
    uint32_t class_count, class_room; /* words of classes: used; allocated */
    uint32_t attribute_count, attribute_room;
    uint32_t class_fixed, attribute_fixed; /* counts when the document was created */
    bool id_references;                /* some element has an attribute `form` or `commandfor` */
    uint32_t *position[CSS_POSITIONS]; /* (N) */
    uint32_t *flags;                   /* (N) CSS_ROOT ... */
    uint32_t *states;                  /* (N) hed_css_state, set by the program */
    uint32_t *language; /* (N) name of the language, which may be inherited; CSS_NONE: unknown */
    uint32_t *line;     /* (N) line of the start tag; 0: unknown */
    uint8_t *has_text;  /* (N) CSS_TEXT ... */
    /* Shadow trees, numbered from 1; 0 is the rest of the document. Without any, the counts are 0
     * and the arrays NULL. */
    css_shadow_tree *trees;  /* (tree_count); the first one is no shadow tree */
    uint32_t tree_count;     /* 1 + number of shadow trees */
    uint32_t tree_levels;    /* greatest level of a shadow tree */
    uint32_t *tree_of;       /* (N) tree that has the element; a shadow root is in its own tree */
    uint32_t *shadow_tree;   /* (N) tree of the element's shadow root; 0: absent */
    uint32_t *assigned_slot; /* (N) slot to which the element is assigned, or CSS_NONE */
    const char *file;        /* path in messages */
    /* sheets of the page's style and link elements, in order */
    struct css_own_sheet {
        const char *text, *href, *media;
        size_t length;
        uint32_t line; /* first line of the text */
        uint32_t tree; /* tree that has it; CSS_NONE: it is in a template */
    } * sheets;
    uint32_t sheet_count;
};

/* Fills previous, end, level and position from parent and tag. */
hed_status css_find_places(hed_css_document *document, hed_error *error);
/* Fills previous, end, level, position and the states of HTML from parent, tag and attributes. */
hed_status css_document_finish(hed_css_document *document, hed_error *error);
/* Value of attribute `name` of an element, or CSS_NONE. */
static inline uint32_t css_attribute_value(
    const hed_css_document *d, uint32_t element, uint32_t name)
{
    for (uint32_t i = d->attribute_begin[element]; i < d->attribute_end[element]; i++)
        if (d->attributes[i].name == name && !d->attributes[i].name_space)
            return d->attributes[i].value;
    return CSS_NONE;
}
/* Fills a document from the elements of a definition. */
hed_status css_document_from_elements(
    hed_css_document *document, const hed_css_document_def *def, hed_error *error);
/* Fills a document from a program's tree. */
hed_status css_document_from_tree(
    hed_css_document *document, const hed_css_document_def *def, hed_error *error);
/* Splits an attribute name such as "xlink:href", in SVG and MathML, into the namespace, which is
 * returned as in css_attribute, and the local part. */
uint32_t css_split_name(hed_css_namespace of, const char *name, const char **local);

/* Finds a name whose ASCII lower case is `lower` in a list, which is sorted by that; NULL:
 * absent. */
const char *css_find_adjusted(const char *const *list, uint32_t count, const char *lower);
/* Tag of SVG with capital letters, such as "linearGradient", by its lower case; NULL: none. */
const char *css_svg_tag(const char *lower);

/* ---- changes (change.c) ---- */

/* Sets an attribute, or removes it if `value` is CSS_NONE; updates the classes or the id of the
 * element. An error leaves the document as it was. Errors: MEMORY, LIMIT. */
hed_status css_document_set(hed_css_document *document, uint32_t element, uint32_t name,
    uint32_t name_space, uint32_t value, hed_error *error);
/* Swaps items [low, middle) and [middle, high) of `size` bytes; `work` has room for the first
 * range. */
void css_change_places(
    void *items, size_t size, uint32_t low, uint32_t middle, uint32_t high, void *work);
/* Moves an element with its subtree below `parent`, before its child `before` or to the end
 * (CSS_NONE). Elements are renumbered: the subtree begins at *to, and the elements between its old
 * and its new position are shifted. Updates levels and positions, but not states. */
hed_status css_document_move(hed_css_document *document, uint32_t element, uint32_t parent,
    uint32_t before, uint32_t *to, hed_error *error);

#endif
