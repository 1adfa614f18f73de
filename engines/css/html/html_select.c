/* The contents of selectedcontent elements: a copy of the selected option (HTML Living Standard,
 * "The selectedcontent element"). */
#include "html_parser.h"

/* True if an element has an attribute. */
static bool has_attribute(const html_parser *p, uint32_t element, const char *name)
{
    const html_node *n = &p->nodes[element];
    for (uint32_t i = 0; i < n->attribute_count; i++) {
        uint32_t number = p->attributes[n->attribute_begin + i].name;
        if (strcmp(hed_css_names_text(p->names, number, NULL), name) == 0) return true;
    }
    return false;
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

void html_take_option(html_parser *p, uint32_t option)
{
    bool selected = has_attribute(p, option, "selected");
    uint32_t select = p->nodes[option].parent;
    while (select && !html_is(p, select, HTML_SELECT)) select = p->nodes[select].parent;
    if (!select || has_attribute(p, select, "multiple")) return;
    if (!selected && (p->chosen_select == select || has_attribute(p, option, "disabled"))) return;
    p->chosen_select = select;
    uint32_t content = p->nodes[select].first;
    while (content && !html_is(p, content, HTML_SELECTEDCONTENT))
        content = p->nodes[content].first ? p->nodes[content].first
                                          : html_after_subtree(p, select, content);
    if (!content) return;
    for (uint32_t node = option; node != select; node = p->nodes[node].parent)
        if (node == content) return;
    for (uint32_t node = content; node != select; node = p->nodes[node].parent)
        if (html_is(p, node, HTML_OPTION)) return; /* selectedcontent is disabled in an option */
    const uint8_t texts = 3 << HTML_NODE_TEXTS;
    p->nodes[content].first = p->nodes[content].last = 0;
    p->nodes[content].flags &= (uint8_t)~texts;
    p->nodes[content].flags |= p->nodes[option].flags & texts;
    copy_children(p, option, content);
}
