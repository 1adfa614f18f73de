/* Nodes of the tree and their links. */
#include "html_parser.h"

uint32_t html_new_node(html_parser *p, enum html_node_kind kind)
{
    if (p->node_count == p->node_room) {
        if (p->node_count >= p->max_nodes) p->overflow = true;
        if (p->overflow || !html_grow(&p->allocator, &p->nodes, &p->node_room, p->node_count + 1ull,
                               sizeof *p->nodes)) {
            p->failed = p->stopped = true;
            return p->node_count - 1; /* a node that is there: nothing of the tree is used */
        }
    }
    p->nodes[p->node_count] = (html_node){.kind = (uint8_t)kind};
    return p->node_count++;
}

void html_remove_node(html_parser *p, uint32_t node)
{
    html_node *nodes = p->nodes, *n = &nodes[node], *parent = &nodes[n->parent];
    if (!n->previous && parent->first != node) return; /* a node without a parent */
    if (n->previous) nodes[n->previous].next = n->next;
    else parent->first = n->next;
    if (n->next) nodes[n->next].previous = n->previous;
    else parent->last = n->previous;
    n->parent = n->previous = n->next = 0;
}

uint32_t html_after_subtree(const html_parser *p, uint32_t root, uint32_t node)
{
    for (; node != root; node = p->nodes[node].parent)
        if (p->nodes[node].next) return p->nodes[node].next;
    return 0;
}

void html_move_children(html_parser *p, uint32_t from, uint32_t to)
{
    html_node *nodes = p->nodes, *source = &nodes[from], *target = &nodes[to];
    const uint8_t texts = 3 << HTML_NODE_TEXTS;
    target->flags |= source->flags & texts;
    source->flags &= (uint8_t)~texts;
    if (!source->first) return;
    for (uint32_t n = source->first; n; n = nodes[n].next) nodes[n].parent = to;
    nodes[source->first].previous = target->last;
    if (target->last) nodes[target->last].next = source->first;
    else target->first = source->first;
    target->last = source->last;
    source->first = source->last = 0;
}
