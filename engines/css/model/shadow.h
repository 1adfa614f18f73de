/* Shadow trees of a document, slots and parts (DOM, "Shadow trees"; CSS Shadow Parts 1). Elements of
 * a shadow tree are below an element that stands for the shadow root and has no parent. */
#ifndef HED_CSS_SHADOW_H
#define HED_CSS_SHADOW_H

#include "document.h"

/* True if an element stands for a shadow root. */
static inline bool css_is_shadow_root(const hed_css_document *d, uint32_t element)
{
    return d->name_space[element] == CSS_SHADOW_ROOT;
}

/* Fills tree_of, shadow_tree and assigned_slot, and the levels of d->trees, whose hosts and roots
 * are set. A document without shadow trees stays as it is. */
hed_status css_find_trees(hed_css_document *document, hed_error *error);
/* Assigns elements to slots again, after a change. */
void css_assign_slots(hed_css_document *document);

/* Tree of an element; 0: no shadow tree. */
static inline uint32_t css_tree_of(const hed_css_document *d, uint32_t element)
{
    return d->tree_of ? d->tree_of[element] : 0;
}
/* True if an element is a slot. */
bool css_is_html_slot(const hed_css_document *document, uint32_t element);
/* Parent in the flattened tree, from which an element inherits; CSS_NONE: a root. */
uint32_t css_flat_parent(const hed_css_document *document, uint32_t element);
/* Parent or, below a shadow root, host of an element; CSS_NONE: a root. */
uint32_t css_including_parent(const hed_css_document *document, uint32_t element);
/* True if an element can have a shadow root: a custom element or, unless `custom`, an element of
 * HTML's list. */
bool css_can_host(const hed_css_document *document, uint32_t element, bool custom);

/* Context of a part: a tree in which the part has the names `names`, and the host of the tree. */
typedef struct css_part_context {
    uint32_t tree;         /* tree of the part or, further out, of a host that exports it */
    const char *names[32]; /* (count) names, of `lengths` bytes, each once */
    size_t lengths[32];
    uint32_t count;
    bool has_more; /* the part has more names than there is room for: it may have any name */
} css_part_context;
/* Reads the part attribute of an element in a shadow tree. False: it is no part. */
bool css_part_begin(const hed_css_document *document, uint32_t element, css_part_context *part);
/* Moves to the tree around, by the exportparts attribute of the host. False: nothing is
 * exported. */
bool css_part_outwards(const hed_css_document *document, css_part_context *part);

#endif
