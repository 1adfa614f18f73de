/* The contents of selectedcontent elements: a copy of the selected option (HTML Living Standard,
 * "The selectedcontent element"). */
#include <stdlib.h>

#include "html_parser.h"

#include <stdlib.h>

/* Value of an attribute of an element; NULL: the element lacks it. */
static const char *attribute_of(const html_parser *p, uint32_t element, const char *name)
{
    const html_node *n = &p->nodes[element];
    for (uint32_t i = 0; i < n->attribute_count; i++) {
        const css_attribute *attribute = &p->attributes[n->attribute_begin + i];
        if (strcmp(hed_css_names_text(p->names, attribute->name, NULL), name) == 0)
            return hed_css_names_text(p->names, attribute->value, NULL);
    }
    return NULL;
}

/* True if a select element selects an option by itself: its display size is 1. */
static bool selects_first(const html_parser *p, uint32_t select)
{
    const char *size = attribute_of(p, select, "size");
    return !size || strtol(size, NULL, 10) <= 1;
}

static bool is_option_disabled(const html_parser *p, uint32_t option)
{
    uint32_t group = p->nodes[option].parent;
    return attribute_of(p, option, "disabled") ||
           (html_is(p, group, HTML_OPTGROUP) && attribute_of(p, group, "disabled"));
}

/* Copies the nodes below an element to another one, which is empty. */
static void copy_children(html_parser *p, uint32_t from, uint32_t to)
{
    uint32_t node = p->nodes[from].first, parent = to;
    while (node) {
        uint32_t copy = html_new_node(p, (enum html_node_kind)p->nodes[node].kind);
        if (p->failed) return;
        html_node original = p->nodes[node];
        original.previous = original.next = original.first = original.last = 0;
        original.flags &= (uint8_t) ~(HTML_NODE_FORMATTING | HTML_NODE_OPEN);
        p->nodes[copy] = original;
        html_insert_node(p, (html_place){parent, 0}, copy);
        if (p->nodes[node].first) {
            node = p->nodes[node].first;
            parent = copy;
            continue;
        }
        for (; !p->nodes[node].next; parent = p->nodes[parent].parent) {
            node = p->nodes[node].parent;
            if (node == from) return;
        }
        node = p->nodes[node].next;
    }
}

/* Replaces the contents of a selectedcontent element by a copy of an option's contents; 0:
 * empties it. */
static void set_contents(html_parser *p, uint32_t content, uint32_t option)
{
    const uint8_t texts = 3 << HTML_NODE_TEXTS;
    for (uint32_t node = p->nodes[content].first, next; node; node = next) {
        next = p->nodes[node].next;
        p->nodes[node].parent = p->nodes[node].previous = p->nodes[node].next = 0;
    }
    p->nodes[content].first = p->nodes[content].last = 0;
    p->nodes[content].flags &= (uint8_t)~texts;
    if (!option) return;
    p->nodes[content].flags |= p->nodes[option].flags & texts;
    copy_children(p, option, content);
}

/* The next element with a tag after `node`, in the subtree of `root`; 0: absent. */
static uint32_t find_below(const html_parser *p, uint32_t root, uint32_t node, html_tag tag)
{
    do node = p->nodes[node].first ? p->nodes[node].first : html_after_subtree(p, root, node);
    while (node && !html_is(p, node, tag));
    return node;
}

/* Nearest ancestor with a tag; 0: absent. */
static uint32_t find_ancestor_tag(const html_parser *p, uint32_t node, html_tag tag)
{
    do node = p->nodes[node].parent;
    while (node && !html_is(p, node, tag));
    return node;
}

/* The selectedcontent element of a select element that reflects the selected option; 0: absent
 * or disabled. */
static uint32_t find_content(const html_parser *p, uint32_t select)
{
    uint32_t content = find_below(p, select, select, HTML_SELECTEDCONTENT);
    if (!content || attribute_of(p, select, "multiple")) return 0;
    for (uint32_t node = p->nodes[content].parent; node; node = p->nodes[node].parent) {
        bool nested = node != select && html_is(p, node, HTML_SELECT);
        if (nested || html_is(p, node, HTML_OPTION) || html_is(p, node, HTML_SELECTEDCONTENT))
            return 0;
    }
    return content;
}

/* The selected option of a select element: the last one with an attribute `selected`, or the first
 * one that is not disabled; 0: absent. */
static uint32_t find_selected(const html_parser *p, uint32_t select)
{
    uint32_t first = 0, selected = 0;
    for (uint32_t option = find_below(p, select, select, HTML_OPTION); option;
         option = find_below(p, select, option, HTML_OPTION)) {
        if (find_ancestor_tag(p, option, HTML_SELECT) != select) continue;
        if (attribute_of(p, option, "selected")) selected = option;
        if (!first && !is_option_disabled(p, option)) first = option;
    }
    return selected || !selects_first(p, select) ? selected : first;
}

void html_take_option(html_parser *p, uint32_t option)
{
    bool selected = attribute_of(p, option, "selected") != NULL;
    uint32_t select = find_ancestor_tag(p, option, HTML_SELECT);
    if (!select || attribute_of(p, select, "multiple")) return;
    bool first =
        p->chosen_select != select && selects_first(p, select) && !is_option_disabled(p, option);
    if (!selected && !first) return;
    p->chosen_select = select;
    uint32_t content = find_content(p, select);
    if (!content) return;
    bool inside = false;
    for (uint32_t node = option; node != select; node = p->nodes[node].parent)
        inside |= node == content;
    if (inside) { /* the option is removed with the former contents, and another one is selected */
        set_contents(p, content, 0);
        option = find_selected(p, select);
        p->chosen_select = option ? select : 0;
    }
    set_contents(p, content, option);
}

void html_connect_contents(html_parser *p, uint32_t root)
{
    uint32_t at = root;
    if (!p->has_selectedcontent) return;
    if (!html_is(p, at, HTML_SELECTEDCONTENT)) at = find_below(p, root, at, HTML_SELECTEDCONTENT);
    for (; at && !p->failed; at = find_below(p, root, at, HTML_SELECTEDCONTENT)) {
        uint32_t select = find_ancestor_tag(p, at, HTML_SELECT);
        if (!select || attribute_of(p, select, "multiple") || find_ancestor_tag(p, at, HTML_TEMPLATE))
            continue;
        if (find_content(p, select) == at) set_contents(p, at, find_selected(p, select));
        else if (find_below(p, select, select, HTML_SELECTEDCONTENT) != at) set_contents(p, at, 0);
    }
}
