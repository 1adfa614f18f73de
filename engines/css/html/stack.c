/* The stack of open elements and the list of active formatting elements. Each entry of the stack
 * holds the ends of the scopes below it, so that "has an element in scope" takes no search. */
#include "html_parser.h"

uint32_t html_categories(const html_parser *p, uint32_t node)
{
    static const uint16_t categories[] = {0,
#define HTML_CATEGORIES(identifier, name, flags, start, end) flags,
        HTML_TAGS(HTML_CATEGORIES)
#undef HTML_CATEGORIES
    };
    const html_node *n = &p->nodes[node];
    return n->name_space == HED_CSS_HTML ? categories[n->tag] : 0;
}

/* True for elements of SVG and MathML that are special and end a scope. */
static bool is_foreign_point(const html_node *n)
{
    if (n->name_space == HED_CSS_HTML) return false;
    if (n->name_space == HED_CSS_MATHML)
        return n->flags & HTML_NODE_MATH_POINT || n->tag == HTML_ANNOTATION_XML;
    return n->flags & HTML_NODE_HTML_POINT;
}

bool html_is_special(const html_parser *p, uint32_t node)
{
    return html_categories(p, node) & HTML_SPECIAL || is_foreign_point(&p->nodes[node]);
}

/* Sets the scopes of entry `index`, which follow from the entries below, and the last open element
 * of its tag. */
static void enter(html_parser *p, uint32_t index)
{
    html_open *open = &p->open[index];
    const html_node *n = &p->nodes[open->node];
    uint32_t categories = html_categories(p, open->node);
    if (index) {
        const html_open *lower = open - 1;
        open->scope = lower->scope;
        open->button = lower->button;
        open->list = lower->list;
        open->table = lower->table;
    } else open->scope = open->button = open->list = open->table = 0;
    bool scope = categories & HTML_SCOPE || is_foreign_point(n);
    if (scope) open->scope = index;
    if (scope || categories & HTML_BUTTON_SCOPE) open->button = index;
    if (scope || categories & HTML_LIST_SCOPE) open->list = index;
    if (categories & HTML_TABLE_SCOPE) open->table = index;
    open->next_same = 0;
    if (n->name_space != HED_CSS_HTML) return;
    open->next_same = p->last_open[n->tag];
    p->last_open[n->tag] = index + 1;
}

/* Undoes enter(). */
static void leave(html_parser *p, uint32_t index)
{
    const html_node *n = &p->nodes[p->open[index].node];
    if (n->name_space == HED_CSS_HTML) p->last_open[n->tag] = p->open[index].next_same;
}

/* Notes if the adjusted current node is an HTML element. */
static void note_current(html_parser *p)
{
    if (p->open_count == 1 && p->fragment) p->tokenizer.foreign = p->context_space != HED_CSS_HTML;
    else p->tokenizer.foreign = p->nodes[html_current(p)].name_space != HED_CSS_HTML;
}

void html_push(html_parser *p, uint32_t node)
{
    if (p->open_count == HTML_MAX_OPEN) html_pop(p);
    p->open[p->open_count].node = node;
    p->nodes[node].flags |= HTML_NODE_OPEN;
    enter(p, p->open_count++);
    note_current(p);
}

void html_pop(html_parser *p)
{
    if (p->open_count <= 1) return; /* html stays */
    leave(p, --p->open_count);
    uint32_t node = p->open[p->open_count].node;
    p->nodes[node].flags &= (uint8_t)~HTML_NODE_OPEN;
    note_current(p);
    if (p->has_selectedcontent && html_is(p, node, HTML_OPTION)) html_take_option(p, node);
}

void html_pop_until(html_parser *p, html_tag tag)
{
    while (p->open_count > 1) {
        bool last = html_is(p, html_current(p), tag);
        html_pop(p);
        if (last) return;
    }
}

void html_pop_through(html_parser *p, uint32_t node)
{
    while (p->open_count > 1) {
        bool last = html_current(p) == node;
        html_pop(p);
        if (last) return;
    }
}

uint32_t html_open_index(const html_parser *p, uint32_t node)
{
    if (!(p->nodes[node].flags & HTML_NODE_OPEN)) return UINT32_MAX;
    for (uint32_t i = p->open_count; i-- > 0;)
        if (p->open[i].node == node) return i;
    return UINT32_MAX;
}

void html_remove_open(html_parser *p, uint32_t node)
{
    uint32_t index = html_open_index(p, node);
    if (index == UINT32_MAX) return;
    for (uint32_t i = p->open_count; i-- > index;) leave(p, i);
    p->open_count--;
    p->nodes[node].flags &= (uint8_t)~HTML_NODE_OPEN;
    for (uint32_t i = index; i < p->open_count; i++) {
        p->open[i].node = p->open[i + 1].node;
        enter(p, i);
    }
    note_current(p);
}

void html_replace_open(html_parser *p, uint32_t index, uint32_t node)
{
    for (uint32_t i = p->open_count; i-- > index;) leave(p, i);
    p->nodes[p->open[index].node].flags &= (uint8_t)~HTML_NODE_OPEN;
    p->nodes[node].flags |= HTML_NODE_OPEN;
    p->open[index].node = node;
    for (uint32_t i = index; i < p->open_count; i++) enter(p, i);
}

void html_insert_open(html_parser *p, uint32_t index, uint32_t node)
{
    if (p->open_count == HTML_MAX_OPEN) html_pop(p);
    if (index > p->open_count) index = p->open_count;
    for (uint32_t i = p->open_count; i-- > index;) leave(p, i);
    for (uint32_t i = p->open_count++; i > index; i--) p->open[i].node = p->open[i - 1].node;
    p->open[index].node = node;
    p->nodes[node].flags |= HTML_NODE_OPEN;
    for (uint32_t i = index; i < p->open_count; i++) enter(p, i);
    note_current(p);
}

/* ---- scopes ---- */

static const html_open *top(const html_parser *p) { return &p->open[p->open_count - 1]; }

bool html_in_scope(const html_parser *p, html_tag tag) { return p->last_open[tag] > top(p)->scope; }
bool html_in_button_scope(const html_parser *p, html_tag tag)
{
    return p->last_open[tag] > top(p)->button;
}
bool html_in_list_scope(const html_parser *p, html_tag tag)
{
    return p->last_open[tag] > top(p)->list;
}
bool html_in_table_scope(const html_parser *p, html_tag tag)
{
    return p->last_open[tag] > top(p)->table;
}
bool html_node_in_scope(const html_parser *p, uint32_t node)
{
    uint32_t index = html_open_index(p, node);
    return index != UINT32_MAX && index >= top(p)->scope;
}

void html_generate_implied(html_parser *p, html_tag except)
{
    for (;;) {
        uint32_t node = html_current(p);
        if (!(html_categories(p, node) & HTML_IMPLIED) || p->nodes[node].tag == except) return;
        html_pop(p);
    }
}

void html_generate_implied_thoroughly(html_parser *p)
{
    while (html_categories(p, html_current(p)) & (HTML_IMPLIED | HTML_THOROUGHLY)) html_pop(p);
}

void html_close_p(html_parser *p)
{
    html_generate_implied(p, HTML_P);
    html_pop_until(p, HTML_P);
}

void html_clear_back_to(html_parser *p, html_tag a, html_tag b, html_tag c)
{
    while (p->open_count > 1) {
        const html_node *n = &p->nodes[html_current(p)];
        bool is_context = n->tag == a || n->tag == b || n->tag == c || n->tag == HTML_TEMPLATE;
        if (is_context && n->name_space == HED_CSS_HTML) return;
        html_pop(p);
    }
}

/* ---- active formatting elements ---- */

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

void html_reconstruct(html_parser *p)
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

/* ---- the adoption agency algorithm ---- */

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
static bool adopt_once(html_parser *p, html_token *token)
{
    uint32_t formatting = html_find_formatting(p, token->tag), bookmark = 0;
    if (!formatting) {
        html_any_other_end_tag(p, token);
        return false;
    }
    uint32_t index = html_open_index(p, formatting);
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

void html_adopt(html_parser *p, html_token *token)
{
    uint32_t current = html_current(p);
    if (html_is(p, current, token->tag) && !(p->nodes[current].flags & HTML_NODE_FORMATTING)) {
        html_pop(p);
        return;
    }
    for (int outer = 0; outer < 8 && !p->failed; outer++)
        if (!adopt_once(p, token)) return;
}
