/* The list of active formatting elements, and the adoption agency algorithm. */
#include "html_parser.h"

#include <string.h>

static void remove_at(html_parser *p, uint32_t index)
{
    uint32_t node = p->formatting[index];
    if (node) p->nodes[node].flags &= (uint8_t)~HTML_NODE_FORMATTING;
    p->formatting_count--;
    memmove(p->formatting + index, p->formatting + index + 1,
        (p->formatting_count - index) * sizeof *p->formatting);
}

static void push(html_parser *p, uint32_t node)
{
    if (p->formatting_count == HTML_MAX_FORMATTING) remove_at(p, 0);
    p->formatting[p->formatting_count++] = node;
    if (node) p->nodes[node].flags |= HTML_NODE_FORMATTING;
}

/* True if two elements have the same name and the same attributes. */
static bool is_same(const html_parser *p, const html_node *a, const html_node *b)
{
    if (a->name != b->name || a->attribute_count != b->attribute_count) return false;
    const css_attribute *x = p->attributes + a->attribute_begin,
                        *y = p->attributes + b->attribute_begin;
    for (uint32_t i = 0; i < a->attribute_count; i++) {
        uint32_t k = 0;
        while (k < b->attribute_count && (x[i].name != y[k].name || x[i].value != y[k].value)) k++;
        if (k == b->attribute_count) return false;
    }
    return true;
}

void html_push_formatting(html_parser *p, uint32_t node)
{
    uint32_t copies = 0, earliest = 0;
    if (p->failed) return;
    for (uint32_t i = p->formatting_count; i-- > 0 && p->formatting[i];)
        if (is_same(p, &p->nodes[p->formatting[i]], &p->nodes[node])) {
            copies++;
            earliest = i;
        }
    if (copies >= 3) remove_at(p, earliest); /* Noah's Ark clause */
    push(p, node);
}

void html_push_marker(html_parser *p) { push(p, 0); }

void html_clear_to_marker(html_parser *p)
{
    while (p->formatting_count) {
        uint32_t node = p->formatting[p->formatting_count - 1];
        remove_at(p, p->formatting_count - 1);
        if (!node) return;
    }
}

static uint32_t formatting_index(const html_parser *p, uint32_t node)
{
    for (uint32_t i = p->formatting_count; i-- > 0;)
        if (p->formatting[i] == node) return i;
    return UINT32_MAX;
}

void html_remove_formatting(html_parser *p, uint32_t node)
{
    uint32_t index = formatting_index(p, node);
    if (index != UINT32_MAX) remove_at(p, index);
}

uint32_t html_find_formatting(const html_parser *p, html_tag tag)
{
    for (uint32_t i = p->formatting_count; i-- > 0 && p->formatting[i];)
        if (p->nodes[p->formatting[i]].tag == tag) return p->formatting[i];
    return 0;
}

/* Inserts a clone of an element at the current node and makes it the current node. */
static uint32_t insert_clone(html_parser *p, uint32_t element)
{
    html_place place = html_find_place(p, 0);
    if (!place.before && p->open_count > HTML_MAX_DEPTH && place.parent == html_current(p))
        place.parent = p->nodes[place.parent].parent;
    uint32_t clone = html_clone_element(p, element);
    if (p->failed) return clone;
    html_insert_node(p, place, clone);
    html_push(p, clone);
    return clone;
}

void html_reconstruct_closed(html_parser *p)
{
    uint32_t begin = p->formatting_count;
    while (begin) {
        uint32_t node = p->formatting[begin - 1];
        if (!node || p->nodes[node].flags & HTML_NODE_OPEN) break;
        begin--;
    }
    for (uint32_t i = begin; i < p->formatting_count && !p->failed; i++) {
        uint32_t node = p->formatting[i], clone = insert_clone(p, node);
        p->nodes[node].flags &= (uint8_t)~HTML_NODE_FORMATTING;
        p->nodes[clone].flags |= HTML_NODE_FORMATTING;
        p->formatting[i] = clone;
    }
}

/* The inner loop: clones the formatting elements between the formatting element and the furthest
 * block. Returns the last node; *bookmark: the entry after which the formatting element is
 * inserted, or 0 if it stays. */
static uint32_t adopt_between(
    html_parser *p, uint32_t formatting_index_open, uint32_t block, uint32_t *bookmark)
{
    uint32_t last = p->open[block].node, furthest = last, at = block;
    for (uint32_t inner = 1; at - 1 > formatting_index_open && !p->failed; inner++) {
        uint32_t node = p->open[--at].node;
        if (inner > 3) html_remove_formatting(p, node);
        if (!(p->nodes[node].flags & HTML_NODE_FORMATTING)) {
            html_remove_open(p, node);
            continue;
        }
        uint32_t clone = html_clone_element(p, node), entry = formatting_index(p, node);
        p->nodes[node].flags &= (uint8_t)~HTML_NODE_FORMATTING;
        p->nodes[clone].flags |= HTML_NODE_FORMATTING;
        p->formatting[entry] = clone;
        html_replace_open(p, at, clone);
        if (last == furthest) *bookmark = clone;
        html_remove_node(p, last);
        html_insert_node(p, (html_place){clone, 0}, last);
        last = clone;
    }
    return last;
}

/* Steps for one formatting element; false: the algorithm ends. */
static bool adopt_once(html_parser *p, uint32_t formatting)
{
    uint32_t bookmark = 0, index = html_open_index(p, formatting);
    if (index == UINT32_MAX) {
        html_remove_formatting(p, formatting);
        return false;
    }
    if (!html_node_in_scope(p, formatting)) return false;
    uint32_t block = index + 1; /* index of the furthest block, the topmost special element */
    while (block < p->open_count && !html_is_special(p, p->open[block].node)) block++;
    if (block == p->open_count) {
        html_pop_through(p, formatting);
        html_remove_formatting(p, formatting);
        return false;
    }
    uint32_t ancestor = p->open[index - 1].node, furthest = p->open[block].node;
    uint32_t last = adopt_between(p, index, block, &bookmark);
    if (p->failed) return false;
    html_remove_node(p, last);
    html_insert_node(p, html_find_place(p, ancestor), last);
    html_connect_contents(p, last);
    uint32_t clone = html_clone_element(p, formatting);
    if (p->failed) return false;
    html_move_children(p, furthest, clone);
    html_insert_node(p, (html_place){furthest, 0}, clone);
    html_connect_contents(p, clone);
    uint32_t entry = formatting_index(p, formatting);
    if (bookmark) {
        html_remove_formatting(p, formatting);
        entry = formatting_index(p, bookmark) + 1;
        memmove(p->formatting + entry + 1, p->formatting + entry,
            (p->formatting_count - entry) * sizeof *p->formatting);
        p->formatting_count++;
    }
    p->nodes[formatting].flags &= (uint8_t)~HTML_NODE_FORMATTING;
    p->nodes[clone].flags |= HTML_NODE_FORMATTING;
    p->formatting[entry] = clone;
    html_remove_open(p, formatting);
    html_insert_open(p, html_open_index(p, furthest) + 1, clone);
    return true;
}

bool html_adopt(html_parser *p, const html_token *token)
{
    uint32_t current = html_current(p);
    if (html_is(p, current, token->tag) && !(p->nodes[current].flags & HTML_NODE_FORMATTING)) {
        html_pop(p);
        return false;
    }
    for (int outer = 0; outer < 8 && !p->failed; outer++) {
        uint32_t formatting = html_find_formatting(p, token->tag);
        if (!formatting) return true;
        if (!adopt_once(p, formatting)) return false;
    }
    return false;
}
